// Draws the interactive chart over the picture of it, when a chart comes into view.
// Without this script, in print from it, or if it fails, the picture stays.
(() => {
  "use strict";
  const vega = new URL("vendor/vega.js", document.currentScript.src).href;
  let loading;

  function loadVega() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = vega;
      script.onload = () => resolve(globalThis.vegaEmbed);
      script.onerror = () => reject(new Error("vega.js could not be loaded"));
      document.head.append(script);
    });
    return loading;
  }

  function wrap(text, letters) {
    if (typeof text !== "string") return text;
    const lines = [""];
    for (const word of text.split(" ")) {
      const last = lines[lines.length - 1];
      if (last && last.length + word.length >= letters) lines.push(word);
      else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
    return lines;
  }

  // A title is one long line to Vega: start it at the edge and break it.
  function wrapTitle(title, width) {
    if (!title) return title;
    const parts = typeof title === "string" ? { text: title } : { ...title };
    const letters = (size) => Math.floor((width - 40) / (0.56 * size)); // 40: the menu
    parts.text = wrap([parts.text].flat().join(" "), letters(parts.fontSize || 15));
    if (parts.subtitle) {
      const text = [parts.subtitle].flat().join(" ");
      parts.subtitle = wrap(text, letters(parts.subtitleFontSize || 13));
    }
    return { ...parts, anchor: "start", frame: "bounds" };
  }

  // Take the missing room from every plot's own width, so that the letters keep their size.
  function narrow(view, excess) {
    if (typeof view.width === "number") view.width = Math.max(120, view.width - excess);
    for (const key of ["vconcat", "concat", "layer"]) {
      for (const part of view[key] || []) narrow(part, excess);
    }
    for (const part of view.hconcat || []) narrow(part, excess / view.hconcat.length);
    if (view.spec) narrow(view.spec, excess);
  }

  // Draw; where the drawing is wider than the page, break its title and legend, then
  // narrow its plots. What is still too wide is scaled down by the style sheet.
  async function fit(live, spec, available) {
    const options = {
      renderer: "svg",
      actions: { export: true, source: false, compiled: false, editor: false },
    };
    const embed = await loadVega();
    const width = () => Number(live.querySelector("svg").getAttribute("width"));
    let result = await embed(live, spec, options);
    if (width() <= available) return;
    const copy = structuredClone(spec);
    copy.title = wrapTitle(copy.title, available);
    copy.config = { ...copy.config };
    copy.config.legend = { ...copy.config.legend, columns: available < 480 ? 2 : 3 };
    copy.config.axisX = { ...copy.config.axisX, labelOverlap: "greedy", labelSeparation: 8 };
    for (let tries = 0; tries < 2; tries += 1) {
      result.finalize();
      result = await embed(live, copy, options);
      if (width() <= available) return;
      narrow(copy, width() - available);
    }
    result.finalize();
    await embed(live, copy, options);
  }

  async function draw(chart) {
    const picture = chart.querySelector("img");
    const spec = JSON.parse(chart.querySelector(".chart-spec").textContent);
    const live = document.createElement("div");
    live.className = "chart-live";
    try {
      const style = getComputedStyle(chart);
      const available =
        chart.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      chart.append(live);
      await fit(live, spec, available);
      const menu = live.querySelector("summary");
      if (menu) menu.setAttribute("aria-label", "Save this chart");
      picture.hidden = true;
      chart.classList.add("chart-drawn");
    } catch (error) {
      live.remove();
      console.error("A chart could not be drawn; its picture stays.", error);
    }
  }

  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        seen.unobserve(entry.target);
        draw(entry.target);
      }
    },
    { rootMargin: "400px" },
  );

  function start() {
    document.querySelectorAll(".chart").forEach((chart) => seen.observe(chart));
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
