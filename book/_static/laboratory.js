// The simulation laboratory: two raters are made from five numbers, and the coefficients
// move together. Pure functions first (tests compare them with `raters`), then the page.
globalThis.laboratory = (() => {
  "use strict";
  const it = globalThis.interactive;
  const LEVELS = [1, 2, 3, 4, 5];
  const RESAMPLES = 400;
  const START = { items: 100, prevalence: 0.2, shift: 0, noise: 0.4, use: 1 };
  const PRESETS = {
    start: START,
    paradox: { ...START, prevalence: 0.95 },
    shift: { ...START, shift: 1 },
    noise: { ...START, noise: 1.5 },
    middle: { ...START, use: 0.35 },
  };
  // Key, name, shape and group (colour) in the chart, coefficient of (rows, levels).
  const COEFFICIENTS = [
    ["percent_agreement", "Percent agreement", "square", "crowd", it.percentAgreement],
    ["cohen_kappa", "Cohen's kappa", "circle", "expert", it.cohenKappa],
    ["weighted_kappa_quadratic", "Quadratic kappa", "circle", "expert", it.weightedKappaQuadratic],
    [
      "weighted_kappa_quadratic_centred",
      "Quadratic kappa, shift removed",
      "circle",
      "expert",
      it.weightedKappaQuadraticCentred,
    ],
    ["krippendorff_alpha_interval", "Alpha (interval)", "triangle", "plain", it.alpha],
    ["gwet_ac1", "AC1", "diamond", "llm", it.gwetAC1],
    ["gwet_ac2", "AC2 (quadratic)", "diamond", "llm", it.gwetAC2],
  ];

  // Each item always uses seven random numbers, so moving a slider changes the ratings of
  // the same items, and more items are added at the end.
  function generate({ items, prevalence, shift, noise, use, seed }) {
    const random = it.mulberry32(seed);
    const normal = () =>
      Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()); // Box, Muller
    const answer = (value) => Math.max(1, Math.min(5, Math.round(value)));
    return Array.from({ length: items }, () => {
      const [kind, level, within] = [random(), random(), random()];
      const [expertNoise, judgeNoise] = [normal(), normal()];
      const truth = (kind < prevalence ? 1 : 2 + Math.floor(4 * level)) + within - 0.5;
      return [
        answer(truth + noise * expertNoise),
        answer(3 + use * (truth - 3) + shift + noise * judgeNoise),
      ];
    });
  }

  const coefficients = (rows) =>
    Object.fromEntries(COEFFICIENTS.map(([key, , , , f]) => [key, it.estimate(f(rows, LEVELS))]));

  function intervals(rows, seed) {
    const times = it.multiplicities(rows.length, RESAMPLES, seed);
    return Object.fromEntries(
      COEFFICIENTS.map(([key, , , , f]) => [key, it.withInterval(f(rows, LEVELS), times)]),
    );
  }

  const spread = (values) => {
    const mean = it.sum(values) / values.length;
    return Math.sqrt(it.sum(values.map((v) => (v - mean) ** 2)) / values.length);
  };

  // What there is to see, in words: the text for the eyes and for a screen reader.
  function finding(rows) {
    const found = coefficients(rows);
    const said = (key) => it.number(found[key]);
    const all = rows.flat();
    const counts = LEVELS.map((level) => all.filter((value) => value === level).length);
    const most = Math.max(...counts);
    const common = LEVELS[counts.indexOf(most)];
    const same = `${Math.round(100 * found.percent_agreement)} %`;
    if (most === all.length) {
      return (
        `All ${all.length} ratings are ${common}. There is nothing to tell apart, so kappa and ` +
        `alpha are not defined. Percent agreement and AC1 are ${said("gwet_ac1")}.`
      );
    }
    const parts = [];
    const kappa = found.cohen_kappa;
    if (found.percent_agreement >= 0.7 && found.gwet_ac1 - kappa >= 0.3) {
      const chance = (found.percent_agreement - kappa) / (1 - kappa);
      parts.push(
        `The prevalence paradox: the two raters give the same level to ${same} of the items, yet ` +
          `Cohen's kappa is only ${it.number(kappa)}. ${Math.round((100 * most) / all.length)} % of the ` +
          `ratings are ${common}, so raters with these habits would agree on ` +
          `${Math.round(100 * chance)} % by chance. AC1 is ${said("gwet_ac1")}.`,
      );
    }
    const higher = it.estimate(it.meanDifference(rows));
    const lost = found.weighted_kappa_quadratic_centred - found.weighted_kappa_quadratic;
    if (lost >= 0.05 && Math.abs(higher) >= 0.25) {
      parts.push(
        `A shift: the judge is ${it.number(Math.abs(higher), 1)} steps too ` +
          `${higher > 0 ? "high" : "low"} on average. Quadratic kappa is ` +
          `${said("weighted_kappa_quadratic")}; without the shift it would be ` +
          `${said("weighted_kappa_quadratic_centred")}. The same level: ${same}.`,
      );
    }
    const [expert, judge] = [0, 1].map((rater) => spread(rows.map((row) => row[rater])));
    if (expert > 0 && judge / expert < 0.7) {
      parts.push(
        `Little of the scale: the judge's ratings spread ${it.number(judge / expert)} times as ` +
          `wide as the expert's. Quadratic kappa is ${said("weighted_kappa_quadratic")}.`,
      );
    }
    if (parts.length) return parts.join(" ");
    if (found.weighted_kappa_quadratic < 0.6) {
      return (
        `Noise: no shift and no paradox, the ratings just scatter. The same level: ${same}. ` +
        `Cohen's kappa ${said("cohen_kappa")}, quadratic kappa ${said("weighted_kappa_quadratic")}, alpha ` +
        `${said("krippendorff_alpha_interval")}: all low together.`
      );
    }
    return (
      `A good judge: the same level for ${same} of the items, most misses one step. Quadratic ` +
      `kappa ${said("weighted_kappa_quadratic")} and alpha ` +
      `${said("krippendorff_alpha_interval")} are high; Cohen's kappa ${said("cohen_kappa")} is ` +
      `lower, because it counts a near miss as a miss.`
    );
  }

  // ------------------------------------------------------------------------ the page

  const SLIDERS = {
    items: { of: Number, words: (v) => `${v} items` },
    prevalence: { of: (v) => v / 100, words: (v) => `${Math.round(100 * v)} %` },
    shift: { of: Number, words: (v) => `${v > 0 ? "+" : ""}${it.number(v)} steps` },
    noise: { of: Number, words: (v) => `${it.number(v)} steps` },
    use: { of: (v) => v / 100, words: (v) => `${Math.round(100 * v)} %` },
  };

  function crossTable(rows, width) {
    const left = 46;
    const cell = Math.min(56, (width - left - 4) / 5);
    const top = 6;
    const foot = top + 5 * cell;
    const parts = [];
    for (const expert of LEVELS) {
      const column = left + (expert - 1) * cell;
      parts.push(
        it.svg("text", { class: "it-tick", x: column + cell / 2, y: foot + 17, "text-anchor": "middle" }, `${expert}`),
      );
      for (const judge of LEVELS) {
        const y = top + (5 - judge) * cell;
        const count = rows.filter(([a, b]) => a === expert && b === judge).length;
        const share = count / rows.length;
        parts.push(
          it.svg("rect", {
            class: expert === judge ? "it-cell it-same" : "it-cell",
            ...{ x: column + 1.5, y: y + 1.5, width: cell - 3, height: cell - 3, rx: 3 },
            "fill-opacity": count ? (0.08 + 0.4 * Math.sqrt(share)).toFixed(3) : 0,
          }),
          it.svg(
            "text",
            { class: "it-count", x: column + cell / 2, y: y + cell / 2 + 5, "text-anchor": "middle" },
            count ? `${count}` : "",
          ),
        );
      }
    }
    for (const judge of LEVELS) {
      const y = top + (5.5 - judge) * cell + 5;
      parts.push(it.svg("text", { class: "it-tick", x: left - 12, y, "text-anchor": "middle" }, `${judge}`));
    }
    const turn = `translate(13,${top + 2.5 * cell}) rotate(-90)`;
    parts.push(
      it.svg("text", { class: "it-axis", transform: turn, "text-anchor": "middle" }, "judge"),
      it.svg("text", { class: "it-axis", x: left + 2.5 * cell, y: foot + 36, "text-anchor": "middle" }, "expert"),
    );
    const size = { width: left + 5 * cell + 4, height: foot + 44 };
    const label = "Expert's level across, judge's level upwards, number of items in each cell.";
    return it.svg("svg", { ...size, role: "img", "aria-label": label }, ...parts);
  }

  function start(page) {
    const input = (name) => page.querySelector(`#lab-${name}`);
    const place = (name) => page.querySelector(`.lab-${name}`);
    let origin;
    let waiting;
    let speaking;

    const read = () => ({
      ...Object.fromEntries(
        Object.entries(SLIDERS).map(([name, slider]) => [name, slider.of(input(name).value)]),
      ),
      seed: Math.max(0, Math.min(999999, Math.floor(Number(input("seed").value) || 0))),
    });

    function draw() {
      waiting = undefined;
      const values = read();
      for (const [name, slider] of Object.entries(SLIDERS)) {
        const words = slider.words(values[name]);
        page.querySelector(`output[for="lab-${name}"]`).textContent = words;
        input(name).setAttribute("aria-valuetext", words);
      }
      markPreset(values);
      const rows = generate(values);
      const found = intervals(rows, values.seed);
      origin ??= found;
      const text = finding(rows);
      const lines = COEFFICIENTS.map(([key, label, shape, group]) => ({
        ...{ label, shape, group, value: found[key].estimate, low: found[key].low },
        ...{ high: found[key].high, before: origin[key].estimate },
      }));
      const width = Math.min(560, place("dots").clientWidth);
      place("dots").replaceChildren(it.dotChart(lines, width, text));
      place("cells").replaceChildren(crossTable(rows, place("cells").clientWidth));
      place("numbers").replaceChildren(
        it.table(
          `The numbers of the chart, ${values.items} items. Start: at the last preset or mark.`,
          ["coefficient", "now", "95 % interval", "start"],
          COEFFICIENTS.map(([key, label]) => [
            label,
            it.number(found[key].estimate),
            it.between(found[key].low, found[key].high),
            it.number(origin[key].estimate),
          ]),
          { numeric: [1, 2, 3] },
        ),
      );
      // Said once the slider rests: a screen reader would otherwise read every step of it.
      // The first one stands there from the start, so that nothing jumps.
      clearTimeout(speaking);
      const say = () => {
        place("finding").textContent = text;
      };
      if (place("finding").textContent) speaking = setTimeout(say, 300);
      else say();
    }

    function redraw() {
      waiting ??= requestAnimationFrame(draw);
    }

    // Which preset the sliders stand at, if at any.
    function markPreset(values) {
      page.querySelectorAll("[data-preset]").forEach((button) => {
        const preset = PRESETS[button.dataset.preset];
        const here = Object.keys(preset).every((name) => Math.abs(preset[name] - values[name]) < 1e-9);
        button.setAttribute("aria-pressed", `${here}`);
      });
    }

    function choose(preset) {
      for (const [name, value] of Object.entries(preset)) {
        input(name).value = ["prevalence", "use"].includes(name) ? Math.round(100 * value) : value;
      }
    }

    page.addEventListener("input", redraw);
    page.querySelectorAll("[data-preset]").forEach((button) =>
      button.addEventListener("click", () => {
        // Moves are measured from the good judge, so that each preset shows what it changes.
        choose(PRESETS.start);
        origin = intervals(generate(read()), read().seed);
        choose(PRESETS[button.dataset.preset]);
        redraw();
      }),
    );
    page.querySelector("[data-lab='draw']").addEventListener("click", () => {
      input("seed").value = (read().seed + 1) % 1000000;
      redraw();
    });
    page.querySelector("[data-lab='mark']").addEventListener("click", () => {
      origin = undefined;
      redraw();
    });
    new ResizeObserver(redraw).observe(page);
    document.querySelector(".it-without-script")?.remove();
    page.hidden = false;
    draw();
  }

  const page = document.querySelector(".lab");
  if (page) start(page);
  return { LEVELS, PRESETS, coefficients, finding, generate, intervals };
})();
