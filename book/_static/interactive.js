// What the two interactive pages share: the coefficients, seeded random numbers, and
// elements whose text is always text.
//
// The coefficients are those of the package `raters` (src/raters/coefficients): per-item
// terms, and a function of their totals. Estimate and resamples use the same function.
// tests/test_laboratory.py and tests/test_judge_page.py compare them with Python's.
globalThis.interactive = (() => {
  "use strict";
  const NOISE = 1e-12; // below this share of its size a denominator is rounding noise

  // ------------------------------------------------------------------- coefficients
  // Ratings are rows, one an item, of one number a rater; NaN where there is none.

  function ratio(numerator, denominator, size) {
    return Math.abs(denominator) > NOISE * Math.abs(size) ? numerator / denominator : NaN;
  }

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  function median(values) {
    const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
    if (!sorted.length) return NaN;
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  // A whole number near the mean: sums of squares stay small, zeros stay exact.
  function centre(rows) {
    const values = rows.flat().filter(Number.isFinite);
    return values.length ? Math.round(sum(values) / values.length) : 0;
  }

  const bothRated = (row) => Number.isFinite(row[0]) && Number.isFinite(row[1]);

  // The terms n, a, b, a^2, b^2, (a - b)^2 of the items that both rated.
  function moments(rows, finish) {
    const middle = centre(rows.filter(bothRated));
    const terms = rows.map((row) => {
      if (!bothRated(row)) return [0, 0, 0, 0, 0, 0];
      const a = row[0] - middle;
      const b = row[1] - middle;
      return [1, a, b, a * a, b * b, (a - b) ** 2];
    });
    return { terms, finish };
  }

  // Cohen (1968): 1 - n D / (n (Saa + Sbb) - 2 Sa Sb), D the sum of squared differences.
  function weightedKappaQuadratic(rows) {
    return moments(rows, ([n, a, b, aa, bb, d]) => {
      const size = n * (aa + bb);
      return 1 - ratio(n * d, size - 2 * a * b, size);
    });
  }

  // Zegers and ten Berge (1985): the same after each rater's mean was taken away.
  function weightedKappaQuadraticCentred(rows) {
    return moments(rows, ([n, a, b, aa, bb, d]) => {
      const size = n * (aa + bb);
      return ratio(n * (aa + bb - d) - 2 * a * b, size - a * a - b * b, size);
    });
  }

  // Mean of the second rater less mean of the first.
  function meanDifference(rows) {
    return moments(rows, ([n, a, b]) => ratio(b - a, n, 0));
  }

  function percentAgreement(rows) {
    const terms = rows.map((row) =>
      bothRated(row) ? [1, Number(Math.abs(row[0] - row[1]) < 1e-9)] : [0, 0],
    );
    return { terms, finish: ([n, same]) => ratio(same, n, 1) };
  }

  const rounded = (value) => Math.round(value * 1e9) / 1e9;

  function valuesIn(rows, declared = []) {
    const all = [...declared, ...rows.flat().filter(Number.isFinite)].map(rounded);
    return [...new Set(all)].sort((a, b) => a - b);
  }

  // Cohen (1960), from the cells of both raters' levels.
  function cohenKappa(rows) {
    const shared = rows.filter(bothRated);
    const values = valuesIn(shared);
    const size = values.length;
    const terms = rows.map((row) => {
      const cells = new Array(size * size).fill(0);
      if (bothRated(row)) {
        cells[values.indexOf(rounded(row[0])) * size + values.indexOf(rounded(row[1]))] = 1;
      }
      return cells;
    });
    const finish = (cells) => {
      const n = sum(cells);
      let same = 0;
      let chance = 0;
      for (let i = 0; i < size; i += 1) {
        let first = 0;
        let second = 0;
        for (let j = 0; j < size; j += 1) {
          first += cells[i * size + j];
          second += cells[j * size + i];
        }
        same += cells[i * size + i];
        chance += first * second;
      }
      return 1 - ratio(n * (n - same), n * n - chance, n * n);
    };
    return { terms, finish };
  }

  // Krippendorff (2019), squared differences; items with two or more ratings count.
  function krippendorffAlphaInterval(rows) {
    const kept = rows.map((row) => row.filter(Number.isFinite)).map((r) => (r.length > 1 ? r : []));
    const middle = centre(kept);
    const terms = kept.map((row) => {
      const m = row.length;
      const s1 = sum(row.map((value) => value - middle));
      const s2 = sum(row.map((value) => (value - middle) ** 2));
      return [m, s1, s2, (m * s2 - s1 * s1) / Math.max(m - 1, 1)];
    });
    return {
      terms,
      finish: ([n, s1, s2, d]) => 1 - ratio((n - 1) * d, n * s2 - s1 * s1, n * s2),
    };
  }

  // Gwet (2008, 2014): AC1 with equal or not, AC2 with squared distances.
  function gwet(rows, levels, quadratic) {
    const values = valuesIn(rows, levels);
    const reach = Math.max(...levels) - Math.min(...levels);
    const weight = (a, b) => (quadratic ? 1 - ((a - b) / reach) ** 2 : Number(a === b));
    const total = sum(values.flatMap((a) => values.map((b) => weight(a, b))));
    const terms = rows.map((row) => {
      const given = row.filter(Number.isFinite).map(rounded);
      const m = given.length;
      const counts = values.map((value) => given.filter((one) => one === value).length);
      const pairs = sum(
        counts.map((count, i) => {
          const near = sum(counts.map((other, j) => weight(values[i], values[j]) * other));
          return count * (near - 1);
        }),
      );
      const agree = m > 1 ? pairs / (m * (m - 1)) : 0;
      return [Number(m > 1), Number(m > 0), agree, ...counts.map((c) => c / Math.max(m, 1))];
    });
    const q = values.length;
    const finish = ([twice, once, agree, ...counts]) => {
      const shares = counts.map((count) => ratio(count, once, 0));
      const chance = (total / (q * (q - 1))) * sum(shares.map((p) => p * (1 - p)));
      return ratio(ratio(agree - chance * twice, twice, 0), 1 - chance, 1);
    };
    return { terms, finish };
  }
  const gwetAC1 = (rows, levels) => gwet(rows, levels, false);
  const gwetAC2 = (rows, levels) => gwet(rows, levels, true);

  // --------------------------------------------------------- random numbers, resamples

  // mulberry32, a generator with 32 bits of state: the same seed, the same numbers in [0, 1).
  function mulberry32(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  // How often each item is drawn in each resample; each row sums to the number of items.
  function multiplicities(items, resamples, seed) {
    const random = mulberry32(seed);
    return Array.from({ length: resamples }, () => {
      const times = new Array(items).fill(0);
      for (let draw = 0; draw < items; draw += 1) times[Math.floor(random() * items)] += 1;
      return times;
    });
  }

  function totals({ terms }, times) {
    const result = new Array(terms.length ? terms[0].length : 0).fill(0);
    terms.forEach((row, item) => {
      const weight = times ? times[item] : 1;
      if (weight) for (let k = 0; k < row.length; k += 1) result[k] += weight * row[k];
    });
    return result;
  }

  const estimate = (sums) => (sums.terms.length ? sums.finish(totals(sums)) : NaN);
  const resampled = (sums, times) => times.map((row) => sums.finish(totals(sums, row)));

  // As numpy's default: between two neighbours in proportion.
  function quantile(sorted, share) {
    const place = (sorted.length - 1) * share;
    const below = Math.floor(place);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }

  // The middle 95 % of the draws, and the share of draws that are not defined.
  function percentileInterval(draws) {
    const defined = draws.filter(Number.isFinite).sort((a, b) => a - b);
    if (!defined.length) return { low: NaN, high: NaN, undefinedShare: draws.length ? 1 : 0 };
    return {
      low: quantile(defined, 0.025),
      high: quantile(defined, 0.975),
      undefinedShare: 1 - defined.length / draws.length,
    };
  }

  // An undefined estimate has no interval, whatever the resamples say.
  function summary(value, draws) {
    if (!Number.isFinite(value)) return { estimate: NaN, low: NaN, high: NaN, undefinedShare: 0 };
    return { estimate: value, ...percentileInterval(draws) };
  }
  const withInterval = (sums, times) => summary(estimate(sums), resampled(sums, times));

  // ------------------------------------------------------------------ words and elements

  // For reading: two decimals, a true minus sign, a dash where undefined.
  function number(value, digits = 2) {
    if (!Number.isFinite(value)) return "–";
    const text = value.toFixed(digits);
    return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
  }
  const between = (low, high) =>
    Number.isFinite(low) ? `${number(low)} to ${number(high)}` : "–";

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== undefined)); // strings become text
    return node;
  }
  const el = (tag, attributes = {}, ...children) =>
    fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  // A table in the book's look: cells are text or elements; numbers stand to the right.
  function table(caption, head, rows, { numeric = [], mark = () => false } = {}) {
    const right = (place) => (numeric.includes(place) ? "n" : undefined);
    const body = rows.map((row) =>
      el(
        "tr",
        { class: mark(row) ? "it-mark" : undefined },
        ...row.map((cell, place) =>
          place
            ? el("td", { class: right(place) }, cell)
            : el("th", { scope: "row" }, cell),
        ),
      ),
    );
    const wrap = el(
      "div",
      { class: "rt-wrap", tabindex: "0", role: "region", "aria-label": caption },
      el(
        "table",
        { class: "rt" },
        el("caption", {}, caption),
        el(
          "thead",
          {},
          el("tr", {}, ...head.map((h, i) => el("th", { scope: "col", class: right(i) }, h))),
        ),
        el("tbody", {}, ...body),
      ),
    );
    return el("div", {}, wrap, tableLink(caption, [head, ...rows]));
  }

  // The table as a file inside its own link, as the book's other tables have one. A cell that
  // a spreadsheet would take for a formula gets an apostrophe; a number does not.
  function tableLink(caption, rows) {
    const text = (cell) => (typeof cell === "string" ? cell : cell.textContent).replace(/−/g, "-");
    const harmless = (cell) =>
      /^\s*[=+\-@＝＋－＠]/.test(cell) && !/^\s*[+-]?[\d.,]/.test(cell) ? `'${cell}` : cell;
    const quoted = (cell) => `"${harmless(text(cell)).replace(/"/g, '""')}"`;
    const csv = rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
    const words = caption.toLowerCase().match(/[a-z0-9]+/g) || ["table"];
    const link = el(
      "a",
      {
        ...{ class: "rt-csv", download: `${words.join("-").slice(0, 48)}.csv` },
        href: `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`,
        "aria-label": `Download this table as CSV: ${caption}`,
      },
      "Download this table as CSV",
    );
    return el("p", { class: "rt-more" }, link);
  }

  const SHAPES = {
    circle: "M-5.5,0a5.5,5.5 0 1,0 11,0a5.5,5.5 0 1,0 -11,0",
    square: "M-5,-5h10v10h-10z",
    diamond: "M0,-7L7,0L0,7L-7,0z",
    triangle: "M0,-6.5L6.5,5.5L-6.5,5.5z",
    star: "M0,-9L2.6,-3.1L9,-2.6L4.1,1.6L5.6,8L0,4.6L-5.6,8L-4.1,1.6L-9,-2.6L-2.6,-3.1z",
  };

  // One line a coefficient: its name, its value, a dot on an axis from -0.5 to 1 (from -1 if
  // something lies below), a bar for the interval and a hollow mark for where it was before.
  function dotChart(rows, width, label) {
    const height = 36;
    const [left, right] = [12, width - 12];
    const shown = rows.flatMap((row) => [row.value, row.low, row.before]).filter(Number.isFinite);
    const lowest = Math.min(...shown) < -0.5 ? -1 : -0.5;
    const x = (value) =>
      left + ((Math.max(lowest, Math.min(1, value)) - lowest) / (1 - lowest)) * (right - left);
    const bottom = rows.length * height + 8;
    const places = [-1, -0.5, 0, 0.5, 1].filter((tick) => tick >= lowest);
    const ticks = places.map((tick) => [
      svg("line", { class: tick ? "it-grid" : "it-zero", x1: x(tick), x2: x(tick), y1: 4, y2: bottom }),
      svg(
        "text",
        { class: "it-tick", x: x(tick), y: bottom + 15, "text-anchor": "middle" },
        number(tick, 1),
      ),
    ]);
    const lines = rows.map((row, place) => {
      const y = place * height + 26;
      const marks = [
        svg("text", { class: row.strong ? "it-strong" : "it-name", x: left, y: y - 12 }, row.label),
        svg(
          "text",
          { class: "it-value", x: right, y: y - 12, "text-anchor": "end" },
          Number.isFinite(row.value) ? number(row.value) : "not defined",
        ),
      ];
      if (Number.isFinite(row.low)) {
        marks.push(svg("line", { class: "it-bar", x1: x(row.low), x2: x(row.high), y1: y, y2: y }));
      }
      if (Number.isFinite(row.before)) {
        marks.push(svg("circle", { class: "it-before", cx: x(row.before), cy: y, r: 7 }));
      }
      if (Number.isFinite(row.value)) {
        const at = `translate(${x(row.value)},${y})`;
        marks.push(svg("path", { class: "it-dot", d: SHAPES[row.shape || "circle"], transform: at }));
      }
      return svg("g", { class: `it-${row.group || "plain"}` }, ...marks);
    });
    const size = { width, height: bottom + 22, viewBox: `0 0 ${width} ${bottom + 22}` };
    return svg("svg", { ...size, role: "img", "aria-label": label }, ...ticks.flat(), ...lines);
  }

  return {
    ...{ alpha: krippendorffAlphaInterval, between, cohenKappa, dotChart, el, estimate },
    ...{ gwetAC1, gwetAC2, meanDifference, median, mulberry32, multiplicities, number },
    ...{ percentAgreement, resampled, sum, summary, svg, table, weightedKappaQuadratic },
    ...{ weightedKappaQuadraticCentred, withInterval },
  };
})();
