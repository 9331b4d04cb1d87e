// Draws the interactive chart over the picture of it, when a chart comes into view.
// Without this script, in print from it, or if it fails, the picture stays.
(() => {
  "use strict";
  const vega = new URL("vendor/vega.js", document.currentScript.src).href;
  const phone = matchMedia("(max-width: 600px)"); // the style sheet chooses the picture by it
  const WIDEST = 1.5; // a plot grows to this, times its own width
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
    const lines = [""];
    for (const word of text.split(" ")) {
      const last = lines[lines.length - 1];
      if (last && last.length + word.length >= letters) lines.push(word);
      else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
    return lines;
  }

  // A title is one long line to Vega: break it, and leave room for the menu.
  function wrapTitle(title, width) {
    if (!title) return title;
    const parts = typeof title === "string" ? { text: title } : { ...title };
    const letters = (size) => Math.floor((width - 40) / (0.56 * size));
    parts.text = wrap([parts.text].flat().join(" "), letters(parts.fontSize || 15));
    if (parts.subtitle) {
      const text = [parts.subtitle].flat().join(" ");
      parts.subtitle = wrap(text, letters(parts.subtitleFontSize || 13));
    }
    return { ...parts, anchor: "start", frame: "bounds" };
  }

  // Give the plots `more` pixels, or take them, so that the letters keep their size. Plots
  // with a height of their own (no rows of names) keep their shape when there is room.
  function stretch(view, more) {
    if (typeof view.width === "number" && (more < 0 || typeof view.height !== "number")) {
      view.width = Math.max(120, Math.min(WIDEST * view.width, view.width + more));
    }
    for (const key of ["vconcat", "concat", "layer"]) {
      for (const part of view[key] || []) stretch(part, more);
    }
    for (const part of view.hconcat || []) stretch(part, more / view.hconcat.length);
    if (view.spec) stretch(view.spec, more);
  }

  // Draw, measure, and let the plots take the room there is. What is still too wide is
  // scaled down by the style sheet.
  async function fit(live, spec, available) {
    const options = {
      renderer: "svg",
      actions: { export: true, source: false, compiled: false, editor: false },
    };
    const embed = await loadVega();
    const width = () => Number(live.querySelector("svg").getAttribute("width"));
    const copy = { ...structuredClone(spec), title: wrapTitle(spec.title, available) };
    let result = await embed(live, copy, options);
    for (let tries = 0; tries < 2; tries += 1) {
      const more = Math.floor(available - width());
      if (more >= 0 && (more < 8 || tries)) break;
      stretch(copy, more);
      result.finalize();
      result = await embed(live, copy, options);
    }
    return result;
  }

  function specification(chart) {
    const read = (name) => JSON.parse(chart.querySelector(name).textContent);
    const wide = read(".chart-spec");
    return phone.matches ? { ...read(".chart-narrow"), datasets: wide.datasets } : wide;
  }

  async function draw(chart) {
    chart.querySelector(".chart-live")?.remove();
    const live = document.createElement("div");
    live.className = "chart-live";
    try {
      const style = getComputedStyle(chart);
      const available =
        chart.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      chart.append(live);
      await fit(live, specification(chart), available);
      const menu = live.querySelector("summary");
      if (menu) menu.setAttribute("aria-label", "Save this chart");
      chart.classList.add("chart-drawn");
    } catch (error) {
      live.remove();
      chart.classList.remove("chart-drawn");
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
    // A telephone that is turned: the other layout, where the chart was drawn already.
    phone.addEventListener("change", () => document.querySelectorAll(".chart-drawn").forEach(draw));
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
