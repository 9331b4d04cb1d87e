// Adds the run times to the table of notebooks on the status page.
(() => {
  "use strict";
  const table = document.querySelector("#status table");
  if (!table || !globalThis.runTimes) return;
  const cell = (tag, text) => {
    const made = document.createElement(tag);
    made.className = "n";
    made.textContent = text;
    return made;
  };
  const head = cell("th", "seconds");
  head.scope = "col";
  table.querySelector("thead tr").append(head);
  for (const row of table.querySelectorAll("tbody tr")) {
    const seconds = globalThis.runTimes[row.children[1].textContent];
    row.append(cell("td", seconds === undefined ? "–" : seconds.toFixed(1)));
  }
})();
