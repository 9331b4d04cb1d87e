// Puts a search box over each long table and filters its rows. Without this script the
// table is complete, and the browser's own search finds everything in it.
(() => {
  "use strict";

  function searchable(wrap, place) {
    const rows = [...wrap.querySelectorAll("tbody tr")];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const box = document.createElement("div");
    box.className = "rt-find";
    const label = document.createElement("label");
    label.textContent = "Search this table ";
    const input = document.createElement("input");
    input.type = "search";
    input.id = `rt-find-${place}`;
    label.htmlFor = input.id;
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    box.append(label, input, status);
    wrap.before(box);

    function filter() {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, i) => {
        row.hidden = !words.every((word) => texts[i].includes(word));
        if (!row.hidden) shown += 1;
      });
      status.textContent = ` ${shown} of ${rows.length} rows`;
    }
    input.addEventListener("input", filter);
    filter();
  }

  document.querySelectorAll(".rt-search").forEach(searchable);
})();
