// Be the judge: rate conversations, compare with the study's raters, keep and share the
// ratings as files. Pure functions first (tests compare them with `raters`), then the page.
// Nothing is sent anywhere; every text reaches the page as text, never as markup.
globalThis.judge = (() => {
  "use strict";
  const it = globalThis.interactive;
  const { el } = it;
  const COLUMNS = ["framework", "dimension", "item", "rater", "group", "rating"];
  const EXPERTS = ["expert1", "expert2", "expert3"];
  const MEDIAN = "expert_median";
  const RESAMPLES = 2000;
  const EXCHANGES = 1000;
  const SEED = 2025;
  const MOST_BYTES = 2_000_000;

  // What was given, what is allowed, what to do.
  class Problem extends Error {
    constructor(given, allowed, todo) {
      super(`Given: ${given}. Allowed: ${allowed}. To do: ${todo}.`);
    }
  }

  // ------------------------------------------------------------------------- files

  // Comma-separated text with quotes (RFC 4180). Spreadsheets may have made the commas
  // semicolons or tabs: the header tells.
  function parseCsv(text) {
    const header = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/, 1)[0];
    const mark = [",", ";", "\t"].find((one) => header.split(one).length > 1) || ",";
    const rows = [];
    let row = [];
    let cell = "";
    let quoted = false;
    const body = text.replace(/^\uFEFF/, "").replace(/\r\n|\r/g, "\n");
    for (let i = 0; i < body.length; i += 1) {
      const c = body[i];
      if (quoted) {
        if (c !== '"') cell += c;
        else if (body[i + 1] === '"') {
          cell += '"';
          i += 1;
        } else quoted = false;
      } else if (c === '"' && cell === "") quoted = true;
      else if (c === mark || c === "\n") {
        row.push(cell);
        cell = "";
        if (c === "\n") {
          rows.push(row);
          row = [];
        }
      } else cell += c;
    }
    if (cell || row.length) rows.push([...row, cell]);
    return rows.filter((cells) => cells.some((one) => one.trim()));
  }

  // A name becomes a cell of a file that people open in a spreadsheet: one that begins with
  // = + - or @ would run there as a formula, so it has to begin with a letter or a digit.
  function checkName(text, data) {
    const name = text.trim().replace(/\s+/g, " ").normalize("NFC");
    if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._'’-]{0,39}$/u.test(name)) {
      throw new Problem(
        name ? `the name ${JSON.stringify(name)}` : "no name",
        "1 to 40 letters, digits, spaces and . _ - ' with a letter or a digit first",
        "choose such a name or a code, for example Ann or R7",
      );
    }
    const taken = data.raters.flatMap(({ key, label }) => [key, label.toLowerCase()]);
    if (taken.includes(name.toLowerCase())) {
      throw new Problem(
        `the name ${JSON.stringify(name)}, which is that of a rater of the study`,
        "a name that the study does not use",
        "choose another one",
      );
    }
    return name;
  }

  // People are [{name, ratings: {dimension: {item: level}}}]; the rows are the package's.
  function toCsv(people, data) {
    const rows = people.flatMap(({ name, ratings }) =>
      data.dimensions.flatMap(({ key }) =>
        data.items
          .filter(({ code }) => ratings[key]?.[code] !== undefined)
          .map(({ code }) => [
            ...[data.framework, key, code, checkName(name, data), "reader", ratings[key][code]],
          ]),
      ),
    );
    return [COLUMNS, ...rows].map((row) => row.join(",")).join("\n") + "\n";
  }

  function fromCsv(text, data) {
    if (!text.replace(/^\uFEFF/, "").trim()) {
      throw new Problem(
        "an empty file",
        `a CSV file with the columns ${COLUMNS.join(", ")}`,
        "save the ratings again, and use that file",
      );
    }
    const [header = [], ...rows] = parseCsv(text);
    const names = header.map((name) => name.trim().toLowerCase());
    const missing = COLUMNS.filter((name) => name !== "group" && !names.includes(name));
    if (missing.length) {
      throw new Problem(
        `a file without the column ${missing.join(", ")}`,
        `a CSV file with the columns ${COLUMNS.join(", ")}`,
        "use a file that this page has saved",
      );
    }
    if (!rows.length) {
      throw new Problem("a file without ratings", "one rating or more", "rate first, then save");
    }
    const levels = data.levels.map(([level]) => level);
    const people = new Map();
    rows.forEach((cells, place) => {
      const cell = Object.fromEntries(names.map((name, i) => [name, (cells[i] ?? "").trim()]));
      const where = `row ${place + 2}`;
      if (cell.framework !== data.framework) {
        throw new Problem(
          `${where} with the framework ${JSON.stringify(cell.framework)}`,
          `${data.framework}, whose conversations are shown here`,
          "open the page that the ratings were given on",
        );
      }
      const known =
        data.dimensions.some(({ key }) => key === cell.dimension) &&
        data.items.some(({ code }) => code === cell.item);
      if (!known) {
        throw new Problem(
          `${where} with the dimension ${JSON.stringify(cell.dimension)} and the item ` +
            JSON.stringify(cell.item),
          "dimensions and items of this page",
          "correct the row, or save the ratings again",
        );
      }
      const rating = /^\d+([.,]0*)?$/.test(cell.rating) ? Number.parseInt(cell.rating, 10) : NaN;
      if (!levels.includes(rating)) {
        throw new Problem(
          `${where} with the rating ${JSON.stringify(cell.rating)}`,
          `one of ${levels.join(", ")}`,
          "correct the rating",
        );
      }
      const name = checkName(cell.rater, data);
      if (!people.has(name)) people.set(name, { name, ratings: {} });
      const own = (people.get(name).ratings[cell.dimension] ??= {});
      if (own[cell.item] !== undefined) {
        throw new Problem(
          `${where}, a second rating of ${cell.item} on ${cell.dimension} by ${name}`,
          "one rating of an item on a dimension by a person",
          "remove one of the two rows",
        );
      }
      own[cell.item] = rating;
    });
    return [...people.values()];
  }

  // ------------------------------------------------------------------------ results

  const mean = (values) => it.sum(values) / values.length;

  // The ratings of the study on some items of one dimension.
  function columns(data, dimension, codes) {
    const place = Object.fromEntries(data.items.map(({ code }, i) => [code, i]));
    return (rater) => codes.map((code) => data.ratings[dimension][rater][place[code]]);
  }

  const zip = (...lists) => lists[0].map((_, i) => lists.map((list) => list[i] ?? NaN));

  // The mean of several results, resample by resample; undefined where one of them is.
  function meanOf(results) {
    return {
      value: mean(results.map((r) => r.value)),
      draws: results[0].draws.map((_, i) => mean(results.map((r) => r.draws[i]))),
    };
  }

  // The difference of kappas after ratings changed hands within each conversation: all who
  // rated it hand their rating on by the same number of places. The first stays as it is.
  function exchanged(lists, exchanges, seed) {
    const random = it.mulberry32(seed);
    const turned = lists.map((_, step) => lists.map((_, at) => lists[(at + step) % lists.length]));
    const pairs = lists.flatMap((_, a) => lists.slice(a + 1).map((_, j) => [a, a + 1 + j]));
    const sums = pairs.map(([a, b]) => turned.map((by) => it.weightedKappaQuadratic(zip(by[a], by[b]))));
    return Array.from({ length: exchanges }, (_, place) => {
      const steps = lists[0].map(() => (place ? Math.floor(random() * lists.length) : 0));
      const kappas = sums.map((by) => {
        const terms = steps.map((step, item) => by[step].terms[item]);
        return it.estimate({ terms, finish: by[0].finish });
      });
      const [mine, theirs] = [true, false].map((own) =>
        mean(kappas.filter((_, i) => (pairs[i][0] === 0) === own)),
      );
      return mine - theirs;
    });
  }

  // Is the first of some raters one of them? As `raters.judges.exchange_test`.
  function exchangeTest(lists, exchanges, seed) {
    const draws = exchanged(lists, exchanges, seed);
    const share = (beyond) => draws.filter((one) => !beyond(one)).length / draws.length;
    const high = share((one) => one < draws[0] - 1e-9);
    const low = share((one) => one > draws[0] + 1e-9);
    return { p: Math.min(1, 2 * Math.min(high, low)), up: high < low };
  }

  // One reader against everybody on one dimension, on the items that the reader rated.
  function compareReader(data, dimension, mine, resamples = RESAMPLES, seed = SEED) {
    const codes = data.items.map(({ code }) => code).filter((code) => mine[code] !== undefined);
    const of = columns(data, dimension, codes);
    const own = codes.map((code) => mine[code]);
    const times = it.multiplicities(codes.length, resamples, seed);
    const kappa = (a, b) => {
      const sums = it.weightedKappaQuadratic(zip(a, b));
      return { value: it.estimate(sums), draws: it.resampled(sums, times) };
    };
    const told = (result) => it.summary(result.value, result.draws);
    const withOthers = (ratings, but) =>
      meanOf(EXPERTS.filter((expert) => expert !== but).map((expert) => kappa(of(expert), ratings)));

    const reader = withOthers(own);
    const pairs = [
      [0, 1],
      [0, 2],
      [1, 2],
    ].map(([a, b]) => kappa(of(EXPERTS[a]), of(EXPERTS[b])));
    const experts = meanOf(pairs);
    const difference = {
      value: reader.value - experts.value,
      draws: reader.draws.map((draw, i) => draw - experts.draws[i]),
    };
    const ofExperts = EXPERTS.map(of);
    const lists = [own, ...ofExperts];
    const disagree = codes.filter((_, i) => new Set(lists.map((list) => list[i])).size > 1).length;
    const { items: least, disagree: leastDisagree } = data.least;
    const enough = codes.length >= least && disagree >= leastDisagree;
    const others = data.raters.map(({ key, label, group }) => ({
      ...{ key, label, group },
      withExperts: key === MEDIAN ? undefined : told(withOthers(of(key), key)),
      withYou: told(kappa(own, of(key))),
      same: it.estimate(it.percentAgreement(zip(own, of(key)))),
      higher: it.estimate(it.meanDifference(zip(of(key), own))),
    }));
    const you = { key: "you", label: "You", group: "you", withExperts: told(reader) };
    const ranked = [you, ...others]
      .filter(({ withExperts }) => withExperts)
      .sort((a, b) => b.withExperts.estimate - a.withExperts.estimate);
    return {
      ...{ codes, you, others, experts: told(experts), difference: told(difference), disagree },
      least: data.least,
      // Whether you come out above, held against exchanges, and the experts among themselves.
      ...(enough && {
        exchange: exchangeTest(lists, EXCHANGES, seed),
        among: EXPERTS.map((_, e) =>
          exchangeTest([ofExperts[e], ...ofExperts.filter((_, i) => i !== e)], EXCHANGES, seed),
        ),
      }),
      ranked: enough && ranked.every((r) => Number.isFinite(r.withExperts.estimate)) ? ranked : undefined,
      rows: codes.map((code, i) => ({ code, own: own[i], of: (rater) => of(rater)[i] })),
    };
  }

  // One reader against the expert median on one dimension: the short form of `compareReader`.
  function withMedian(data, dimension, mine, resamples = RESAMPLES, seed = SEED) {
    const codes = data.items.map(({ code }) => code).filter((code) => mine[code] !== undefined);
    const rows = zip(codes.map((code) => mine[code]), columns(data, dimension, codes)(MEDIAN));
    const times = it.multiplicities(codes.length, resamples, seed);
    return { items: codes.length, ...it.withInterval(it.weightedKappaQuadratic(rows), times) };
  }

  // A class on one dimension, on the items that anybody in it rated.
  function classAgreement(data, dimension, people, resamples = RESAMPLES, seed = SEED) {
    const rated = people.filter((person) => Object.keys(person.ratings[dimension] ?? {}).length);
    const codes = data.items
      .map(({ code }) => code)
      .filter((code) => rated.some(({ ratings }) => ratings[dimension][code] !== undefined));
    const of = columns(data, dimension, codes);
    const lists = rated.map(({ ratings }) => codes.map((code) => ratings[dimension][code] ?? NaN));
    const times = it.multiplicities(codes.length, resamples, seed);
    const told = (sums) => it.withInterval(sums, times);
    const byItem = lists.length ? zip(...lists) : [];
    const medians = byItem.map(it.median);
    const expert = of(MEDIAN);
    const withMedian = (ratings) => told(it.weightedKappaQuadratic(zip(expert, ratings)));
    const pairs = rated.flatMap((a, i) =>
      rated.slice(i + 1).map((b, j) => {
        const rows = zip(lists[i], lists[i + 1 + j]);
        return {
          ...{ a: a.name, b: b.name, kappa: it.estimate(it.weightedKappaQuadratic(rows)) },
          items: rows.filter((row) => row.every(Number.isFinite)).length,
        };
      }),
    );
    return {
      ...{ codes, pairs, alpha: told(it.alpha(byItem)), least: data.least },
      expertsAlpha: told(it.alpha(zip(...EXPERTS.map(of)))),
      median: withMedian(medians),
      others: data.raters
        .filter(({ group }) => group === "llm" || group === "crowd")
        .map((rater) => ({ ...rater, withMedian: withMedian(of(rater.key)) })),
      people: rated.map(({ name }, i) => ({
        ...{ name, items: lists[i].filter(Number.isFinite).length },
        withMedian: withMedian(lists[i]),
        higher: it.estimate(it.meanDifference(zip(expert, lists[i]))),
      })),
      rows: codes.map((code, i) => {
        const given = byItem[i].filter(Number.isFinite);
        return {
          ...{ code, given: given.length, median: medians[i], expert: expert[i] },
          ...{ lowest: Math.min(...given), highest: Math.max(...given) },
        };
      }),
    };
  }

  // ------------------------------------------------------------------------- words

  const withInterval = (r) =>
    `${it.number(r.estimate)}${Number.isFinite(r.low) ? ` (${it.between(r.low, r.high)})` : ""}`;
  const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
  const ordinal = (n) => `${n}${n > 3 ? "th" : ["", "st", "nd", "rd"][n]}`; // of at most 8

  // "Above" is said only if exchanges seldom come out so far above, and if experts are
  // exchangeable themselves: otherwise one more expert would be called above too often.
  function above({ exchange, among }) {
    if (Math.min(...among.map(({ p }) => p)) * among.length <= 0.1) {
      return "The interval lies above 0, but the experts differ among themselves: no verdict.";
    }
    return exchange.up && exchange.p <= 0.05
      ? "You agree with the experts better than they do among themselves."
      : "The interval lies above 0, but one more expert may well come out so far above: no verdict.";
  }

  function inWords(title, found, late) {
    const n = found.codes.length;
    const own = found.you.withExperts;
    const parts = [`${title}, ${count(n, "conversation")}.`];
    if (!Number.isFinite(own.estimate)) {
      parts.push(
        "Kappa is not defined here: you and an expert gave all of them one and the same level, " +
          "so there is nothing to tell apart. Rate more conversations.",
      );
    } else {
      parts.push(`Your mean kappa with a single expert is ${withInterval(own)}.`);
      if (Number.isFinite(found.experts.estimate)) {
        const { low, high } = found.difference;
        parts.push(
          `On the same conversations two experts reach ${withInterval(found.experts)} with each ` +
            `other. Your kappa minus theirs: ${withInterval(found.difference)}.`,
        );
        if (!found.exchange) {
          parts.push(
            `No verdict and no place: ${count(n, "conversation")}, and you or the experts differ on ` +
              `${found.disagree} of them. ${found.least.items} are needed, with ` +
              `${found.least.disagree} on which somebody differs: go on.`,
          );
        } else if (low > 0) parts.push(above(found));
        else if (high < 0) parts.push("The experts agree better among themselves than with you.");
        else if (Number.isFinite(low)) {
          parts.push("That interval includes 0: these conversations do not tell you apart from an expert.");
        }
      }
      if (found.ranked) {
        const place = found.ranked.findIndex(({ key }) => key === "you") + 1;
        parts.push(
          `Among ${found.ranked.length} (you, three experts, three models, the crowd) you come ` +
            `${ordinal(place)}.`,
        );
      }
    }
    const shares = [own, found.experts, found.difference].map((r) => r.undefinedShare || 0);
    if (Math.max(...shares) > 0) {
      parts.push(
        `In up to ${it.number(100 * Math.max(...shares), 1)} % of the resamples a kappa is not ` +
          "defined; these are left out.",
      );
    }
    if (late) {
      parts.push(
        `${count(late, "rating")} came after you had seen the others' ratings, so not all is blind.`,
      );
    }
    return parts;
  }

  function classInWords(title, found) {
    const n = found.people.length;
    const parts = [`${title}: ${count(n, "person", "people")}, ${count(found.codes.length, "conversation")}.`];
    if (n > 1) {
      const kappas = found.pairs.map((pair) => pair.kappa).filter(Number.isFinite);
      parts.push(
        `Alpha (interval) of the class is ${withInterval(found.alpha)}; that of the three experts ` +
          `on the same conversations is ${withInterval(found.expertsAlpha)}.`,
      );
      if (kappas.length) {
        parts.push(
          `Quadratic kappa of two people lies between ${it.number(Math.min(...kappas))} and ` +
            `${it.number(Math.max(...kappas))}, the median is ${it.number(it.median(kappas))}.`,
        );
      }
      const undefinedPairs = found.pairs.length - kappas.length;
      if (undefinedPairs) {
        parts.push(
          `For ${count(undefinedPairs, "pair")} kappa is not defined: no conversation in common, ` +
            "or one and the same level for all.",
        );
      }
    } else parts.push("Load one more person's file to see how far people agree.");
    parts.push(`The class median against the expert median: kappa ${withInterval(found.median)}.`);
    const { items } = found.least;
    if (found.codes.length < items) parts.push(`Fewer than ${items} conversations: these numbers say little.`);
    return parts;
  }

  // ------------------------------------------------------------------------ the page

  const EMPTY = (data) => ({
    ...{ name: "", dimension: data.dimensions[0].key, at: 0 },
    ...{ ratings: {}, looked: false, late: [] },
  });

  // What this browser kept, or nothing; what does not fit the page is left out and counted.
  function restore(text, data) {
    const state = EMPTY(data);
    let kept;
    try {
      kept = JSON.parse(text ?? "null");
    } catch {
      return { state, lost: true };
    }
    if (kept === null || typeof kept !== "object") return { state, lost: kept !== null };
    let lost = false;
    const levels = data.levels.map(([level]) => level);
    const codes = new Set(data.items.map(({ code }) => code));
    for (const [dimension, own] of Object.entries(kept.ratings ?? {})) {
      for (const [code, level] of Object.entries(own ?? {})) {
        const fits =
          data.dimensions.some(({ key }) => key === dimension) && codes.has(code) && levels.includes(level);
        if (fits) (state.ratings[dimension] ??= {})[code] = level;
        else lost = true;
      }
    }
    if (typeof kept.name === "string") state.name = kept.name.slice(0, 60);
    const choices = ["all", ...data.dimensions.map(({ key }) => key)];
    if (choices.includes(kept.dimension)) state.dimension = kept.dimension;
    if (Number.isInteger(kept.at) && kept.at >= 0 && kept.at < data.items.length) state.at = kept.at;
    state.looked = kept.looked === true;
    if (Array.isArray(kept.late)) state.late = kept.late.filter((one) => typeof one === "string");
    return { state, lost };
  }

  function save(name, text) {
    const link = el("a", {
      href: URL.createObjectURL(new Blob([text], { type: "text/csv" })),
      download: name,
    });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function readFile(file) {
    if (file.size > MOST_BYTES) {
      throw new Problem(
        `the file ${file.name} of ${file.size} bytes`,
        `files of at most ${MOST_BYTES} bytes`,
        "choose a file that this page has saved",
      );
    }
    try {
      return await file.text();
    } catch {
      throw new Problem(
        "a file that the browser cannot read",
        "a file that is still in its place and that you may open",
        "choose the file again",
      );
    }
  }

  // The people in some files who join those who are here already. A file with a problem is
  // left out whole and told with its reason; it keeps no other file out.
  async function readPeople(files, here, data) {
    const contents = [];
    for (const file of files) {
      try {
        contents.push({ file: file.name, people: fromCsv(await readFile(file), data) });
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        contents.push({ file: file.name, problem });
      }
    }
    const origin = new Map(here.map(({ name, file }) => [name, file]));
    for (const content of contents.filter(({ problem }) => !problem)) {
      const again = content.people.find(({ name }) => origin.has(name));
      if (again) {
        content.problem = new Problem(
          `a second file with the rater ${again.name}, who is in ${origin.get(again.name)} already`,
          "each name once",
          "give one of the two another name in its file, or load the file once",
        );
      } else content.people.forEach(({ name }) => origin.set(name, content.file));
    }
    const [bad, good] = [true, false].map((is) => contents.filter((c) => Boolean(c.problem) === is));
    return {
      loaded: good.length,
      people: good.flatMap(({ file, people }) => people.map((person) => ({ ...person, file }))),
      refused: bad.map(({ file, problem }) => ({ file, reason: problem.message })),
    };
  }

  function start(data, places) {
    const key = `judging-empathy/judge/${data.framework}/1`;
    let storage = null;
    try {
      storage = globalThis.localStorage;
      storage.setItem(`${key}/try`, "1");
      storage.removeItem(`${key}/try`);
    } catch {
      storage = null; // switched off, or full
    }
    const restored = restore(storage?.getItem(key), data);
    let { state } = restored;
    let open = false; // whether the comparison is shown
    let shown = ""; // its dimension
    let comparing;

    const chosen = () => data.dimensions.filter((d) => ["all", d.key].includes(state.dimension));
    const ratedOn = (dimension) => Object.keys(state.ratings[dimension] ?? {}).length;
    const titles = Object.fromEntries(data.dimensions.map((d) => [d.key, d.title]));
    const total = () => it.sum(data.dimensions.map((d) => ratedOn(d.key)));

    function keep() {
      try {
        storage?.setItem(key, JSON.stringify(state));
      } catch {
        storage = null;
      }
      tell(keptNote, storage ? "" : "This browser keeps nothing for this page: save a file before you leave.");
    }

    function tell(node, text, wrong = false) {
      node.textContent = text;
      node.classList.toggle("it-error", wrong);
    }

    // Several statements, each on a line of its own; read aloud it is one text.
    function tellLines(node, lines) {
      tell(node, "");
      node.append(...lines.flatMap((line, i) => [i ? " " : "", el("span", { class: "it-line" }, line)]));
    }
    const message = () => el("p", { class: "it-message", role: "status", "aria-live": "polite" });

    // Run what may meet a problem in what the reader gave; anything else is our own mistake.
    async function careful(note, action) {
      try {
        await action();
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        tell(note, problem.message, true);
      }
    }

    function select(id, label, options, onchange) {
      const box = el("select", { id, onchange }, ...options.map(([v, t]) => el("option", { value: v }, t)));
      return { box, field: el("p", { class: "it-field" }, el("label", { for: id }, label), box) };
    }

    // ---- rating

    const what = select(
      "judge-what",
      "What do you want to rate?",
      [...data.dimensions.map((d) => [d.key, d.title]), ["all", "all six dimensions"]],
      () => {
        state.dimension = what.box.value;
        keep();
        if (!stage.hidden) showConversation();
      },
    );
    const jump = select("judge-jump", "Conversation", [], () => go(Number(jump.box.value)));
    const begin = el("button", { type: "button", class: "it-main", onclick: () => go(state.at) }, "");
    const keptNote = message();
    const stage = el("div", { hidden: true });

    function listConversations() {
      const dimensions = chosen();
      jump.box.replaceChildren(
        ...data.items.map(({ code }, place) => {
          const done = dimensions.filter((d) => state.ratings[d.key]?.[code] !== undefined).length;
          const words = done === dimensions.length ? "rated" : done ? `${done} of ${dimensions.length}` : "";
          return el("option", { value: place }, `${code}${words ? ` – ${words}` : ""}`);
        }),
      );
      jump.box.value = state.at;
    }

    function progress() {
      const dimensions = chosen();
      const done = data.items.filter(({ code }) =>
        dimensions.every((d) => state.ratings[d.key]?.[code] !== undefined),
      ).length;
      const on = dimensions.length > 1 ? "all six dimensions" : dimensions[0].title;
      return `You have rated ${done} of ${data.items.length} conversations on ${on}.`;
    }

    function rate(dimension, code, level) {
      const own = (state.ratings[dimension] ??= {});
      if (level === undefined) delete own[code];
      else own[code] = level;
      if (state.looked && level !== undefined) {
        state.late = [...new Set([...state.late, `${dimension} ${code}`])];
      }
      keep();
      stage.querySelector(".judge-progress").textContent = progress();
      markNext();
      listConversations();
      // After the click has been answered: on a phone the resamples take a moment.
      clearTimeout(comparing);
      if (open) comparing = setTimeout(showComparison, 100);
    }

    // Once everything is rated, going on is what to do.
    function markNext() {
      const { code } = data.items[state.at];
      const done = chosen().every((d) => state.ratings[d.key]?.[code] !== undefined);
      stage.querySelector(".judge-next").classList.toggle("it-main", done);
    }

    function scaleOf(dimension, code) {
      const name = `judge-${dimension.key}`;
      const clear = el(
        "button",
        {
          ...{ type: "button", class: "it-clear", "aria-label": `Clear the rating of ${dimension.title}` },
          onclick: () => {
            rate(dimension.key, code);
            fields.querySelectorAll("input").forEach((input) => (input.checked = false));
            clear.hidden = true;
            fields.querySelector("input").focus();
          },
        },
        "Clear",
      );
      const own = state.ratings[dimension.key]?.[code];
      clear.hidden = own === undefined;
      const levels = data.levels.map(([level, words]) => {
        const input = el("input", {
          ...{ type: "radio", name, value: level },
          onchange: () => {
            rate(dimension.key, code, level);
            clear.hidden = false;
          },
        });
        input.checked = own === level;
        return el("label", {}, input, `${level} ${words}`);
      });
      const about = `${name}-about`;
      const fields = el(
        "fieldset",
        { "aria-describedby": about },
        el("legend", {}, `${dimension.title}: ${dimension.question}`),
        el("p", { id: about }, dimension.definition),
        el("div", { class: "it-levels" }, ...levels),
        clear,
      );
      return fields;
    }

    function showConversation() {
      const { code, turns } = data.items[state.at];
      const last = state.at === data.items.length - 1;
      const title = `Conversation ${state.at + 1} of ${data.items.length} (${code})`;
      const step = (by, words, off) =>
        el(
          "button",
          {
            ...{ type: "button", disabled: off, onclick: () => go(state.at + by) },
            ...{ class: by > 0 ? "judge-next" : undefined, "aria-label": `${words} conversation` },
          },
          by > 0 ? `${words} conversation` : words, // both fit in one line of a telephone
        );
      stage.replaceChildren(
        jump.field,
        el("h3", { tabindex: "-1" }, title),
        el(
          "ol",
          { class: "it-turns" },
          ...turns.map(([speaker, text]) =>
            el("li", { class: `it-${speaker.toLowerCase()}` }, el("strong", {}, `${speaker}:`), text),
          ),
        ),
        ...chosen().map((dimension) => scaleOf(dimension, code)),
        el(
          "div",
          { class: "it-buttons" },
          step(-1, "Previous", state.at === 0),
          step(1, "Next", last),
        ),
        el("p", { class: "judge-progress" }, progress()),
      );
      markNext();
      listConversations();
    }

    function go(place) {
      state.at = place;
      keep();
      stage.hidden = false;
      begin.hidden = true;
      showConversation();
      stage.querySelector("h3").focus();
    }

    function labelBegin() {
      begin.textContent = total() ? `Go on with conversation ${state.at + 1}` : "Show the first conversation";
      what.box.value = state.dimension;
    }

    places.rate.replaceChildren(
      ...(data.stamp
        ? [
            el(
              "p",
              { class: "it-message" },
              `${data.stamp} The ${data.items.length} conversations were written for this book. ` +
                "For each dimension a conversation has the ratings of the simulated item that suits it best.",
            ),
          ]
        : []),
      el("div", { class: "it-fields" }, what.field, el("p", {}, begin)),
      keptNote,
      stage,
      el("p", {}, data.credit),
      ...(data.notice
        ? [el("details", {}, el("summary", {}, "Licence of the conversations"), el("p", {}, data.notice))]
        : []),
    );

    // ---- comparing

    const comparison = el("div", { hidden: true });
    const compareNote = message();
    const pick = select("judge-dimension", "Dimension", [], () => {
      shown = pick.box.value;
      showComparison();
    });

    function showComparison() {
      clearTimeout(comparing);
      const rated = data.dimensions.filter((d) => ratedOn(d.key));
      if (!rated.length) {
        open = false;
        comparison.hidden = true;
        tell(compareNote, "Rate a conversation first: there is nothing to compare yet.");
        return;
      }
      if (!rated.some((d) => d.key === shown)) shown = rated[0].key;
      pick.box.replaceChildren(
        ...rated.map((d) => el("option", { value: d.key }, `${d.title} (${ratedOn(d.key)})`)),
      );
      pick.box.value = shown;
      const found = compareReader(data, shown, state.ratings[shown]);
      const late = state.late.filter((one) => {
        const [dimension, code] = one.split(" ");
        return dimension === shown && state.ratings[shown][code] !== undefined;
      });
      const lines = inWords(titles[shown], found, late.length);
      const words = lines.join(" ");
      comparison.hidden = false;
      tellLines(compareNote, lines);
      const like = found.ranked ?? [found.you, ...found.others.filter((o) => o.withExperts)];
      const shapes = { expert: "circle", llm: "diamond", crowd: "square", you: "star" };
      const marks = like.map(({ label, group, withExperts: r }) => ({
        ...{ label, group, shape: shapes[group], strong: group === "you" },
        ...{ value: r.estimate, low: r.low, high: r.high },
      }));
      const width = Math.min(560, comparison.clientWidth || 340);
      const parts = [
        pick.field,
        el(
          "figure",
          {},
          it.dotChart(marks, width, words),
          el(
            "figcaption",
            {},
            "Mean quadratic kappa with a single expert on your conversations, with 95 % intervals. " +
              "An expert is compared with the other two.",
          ),
        ),
        overview(rated),
        everybody(found),
        itemByItem(found),
      ];
      comparison.replaceChildren(...parts.filter(Boolean));
    }

    function overview(rated) {
      if (rated.length < 2) return undefined;
      return it.table(
        "All your dimensions: quadratic kappa with the expert median, 95 % intervals",
        ["dimension", "conversations", "kappa", "interval"],
        rated.map((d) => {
          const found = withMedian(data, d.key, state.ratings[d.key]);
          return [
            ...[d.title, `${found.items}`, it.number(found.estimate)],
            it.between(found.low, found.high),
          ];
        }),
        { numeric: [1, 2, 3] },
      );
    }

    const everybody = (found) =>
      it.table(
        "You and each rater: quadratic kappa with its 95 % interval, and what lies behind it",
        ["rater", "kappa with you", "interval", "same level", "your mean minus theirs"],
        found.others.map((other) => [
          other.label,
          it.number(other.withYou.estimate),
          it.between(other.withYou.low, other.withYou.high),
          `${it.number(100 * other.same, 0)} %`,
          it.number(other.higher),
        ]),
        { numeric: [1, 2, 3, 4], mark: (row) => row[0] === "expert median" },
      );

    const plain = (value) => (Number.isInteger(value) ? `${value}` : it.number(value, 1));

    function itemByItem(found) {
      const order = [MEDIAN, ...EXPERTS, ...data.raters.map((r) => r.key)];
      const keys = [...new Set(order)];
      const labels = Object.fromEntries(data.raters.map((r) => [r.key, r.label]));
      return it.table(
        "Item by item: the level that each rater gave",
        ["item", "you", "your level minus the median", ...keys.map((k) => labels[k])],
        found.rows.map((row) => [
          el(
            "button",
            {
              ...{ type: "button", "aria-label": `Read ${row.code} again` },
              onclick: () => go(data.items.findIndex(({ code }) => code === row.code)),
            },
            row.code,
          ),
          plain(row.own),
          plain(row.own - row.of(MEDIAN)).replace("-", "−"),
          ...keys.map((k) => plain(row.of(k))),
        ]),
        { numeric: keys.map((_, i) => i + 3).concat(1, 2) },
      );
    }

    places.compare.replaceChildren(
      el(
        "div",
        { class: "it-buttons" },
        el(
          "button",
          {
            ...{ type: "button", class: "it-main" },
            onclick: () => {
              open = true;
              if (state.dimension !== "all") shown = state.dimension;
              showComparison();
              if (open && !state.looked) {
                state.looked = true;
                keep();
              }
            },
          },
          "Show how I compare",
        ),
      ),
      compareNote,
      comparison,
    );

    // ---- keeping

    const keepNote = message();
    const nameBox = el("input", {
      ...{ type: "text", id: "judge-name", maxlength: 60, autocomplete: "off" },
      "aria-describedby": "judge-name-help",
      oninput: () => {
        state.name = nameBox.value;
        keep();
      },
    });
    const importBox = el("input", {
      ...{ type: "file", id: "judge-import", accept: ".csv,text/csv" },
      onchange: () =>
        careful(keepNote, async () => {
          const [file] = importBox.files;
          if (!file) return;
          importBox.value = ""; // so that the same file, once corrected, can be chosen again
          const people = await readFile(file).then((text) => fromCsv(text, data));
          if (people.length > 1) {
            throw new Problem(
              `a file with the ratings of ${people.length} people`,
              "a file of one person",
              "load it in the class section below",
            );
          }
          const had = total();
          if (had && !confirm(`Replace your ${count(had, "rating")} here by those of the file?`)) return;
          const [{ name, ratings }] = people;
          const rated = data.dimensions.filter(({ key }) => ratings[key]);
          const dimension = rated.length > 1 ? "all" : rated[0].key;
          state = { ...EMPTY(data), name, ratings, dimension };
          refresh();
          tell(keepNote, `${count(total(), "rating")} of ${state.name} loaded.`);
        }),
    });

    function refresh() {
      keep();
      nameBox.value = state.name;
      labelBegin();
      if (!stage.hidden) showConversation();
      if (open) showComparison();
      else tell(compareNote, "");
    }

    places.keep.replaceChildren(
      el(
        "div",
        { class: "it-fields" },
        el(
          "p",
          {},
          el("label", { for: "judge-name" }, "Your name or a code"),
          nameBox,
          el("small", { id: "judge-name-help" }, " It is written into the file, and nowhere else."),
        ),
        el(
          "p",
          {},
          el(
            "button",
            {
              type: "button",
              onclick: () =>
                careful(keepNote, () => {
                  const name = checkName(nameBox.value, data);
                  if (!total()) {
                    throw new Problem("no rating yet", "one rating or more", "rate a conversation first");
                  }
                  const file = name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "") || "reader";
                  save(`ratings-${file}.csv`, toCsv([{ name, ratings: state.ratings }], data));
                  tell(keepNote, `${count(total(), "rating")} saved as ratings-${file}.csv.`);
                }),
            },
            "Save my ratings (CSV)",
          ),
        ),
        el("p", {}, el("label", { for: "judge-import" }, "Load my ratings from a file"), importBox),
        el(
          "p",
          {},
          el(
            "button",
            {
              type: "button",
              onclick: () => {
                if (!confirm(`Remove your ${count(total(), "rating")} from this browser?`)) return;
                state = EMPTY(data);
                clearTimeout(comparing);
                open = false;
                comparison.hidden = true;
                comparison.replaceChildren();
                stage.hidden = true;
                begin.hidden = false;
                refresh();
                try {
                  storage?.removeItem(key);
                } catch {
                  // what can't be written can't hold anything either
                }
                tell(keepNote, "All removed. You can start again.");
              },
            },
            "Start again from nothing",
          ),
        ),
      ),
      keepNote,
    );

    // ---- a class

    let people = [];
    let classShown = ""; // the dimension that somebody chose here, if anybody did
    const classNote = message();
    const classWords = message();
    const classResult = el("div", { hidden: true });
    const classPick = select("judge-class-dimension", "Dimension", [], () => {
      classShown = classPick.box.value;
      showClass();
    });
    const classBox = el("input", {
      ...{ type: "file", id: "judge-files", accept: ".csv,text/csv", multiple: true },
      onchange: () =>
        careful(classNote, async () => {
          const files = [...classBox.files];
          if (!files.length) return;
          classBox.value = "";
          const found = await readPeople(files, people, data);
          people = [...people, ...found.people];
          const names = people.map(({ name }) => name).join(", ");
          tellLines(classNote, [
            `${found.loaded} of ${count(files.length, "file")} loaded.`,
            ...(people.length ? [`${count(people.length, "person", "people")} loaded: ${names}.`] : []),
            ...found.refused.map(({ file, reason }) => `Not loaded: ${file}. ${reason}`),
          ]);
          classNote.classList.toggle("it-error", found.refused.length > 0);
          showClass();
        }),
    });

    function showClass() {
      const raters = (d) => people.filter((p) => p.ratings[d.key]).length;
      const rated = data.dimensions.filter(raters);
      classResult.hidden = !rated.length;
      if (!rated.length) {
        tell(classWords, "");
        return;
      }
      const most = Math.max(...rated.map(raters));
      const { key: dimension } =
        rated.find((d) => d.key === classShown) ?? rated.find((d) => raters(d) === most);
      classPick.box.replaceChildren(
        ...rated.map((d) => {
          const words = `${d.title} (${count(raters(d), "person", "people")})`;
          return el("option", { value: d.key }, words);
        }),
      );
      classPick.box.value = dimension;
      const found = classAgreement(data, dimension, people);
      const said = classInWords(titles[dimension], found);
      const words = said.join(" ");
      tellLines(classWords, said);
      const line = (label, r, group, shape, strong) => ({
        ...{ label, group, shape, strong, value: r.estimate, low: r.low, high: r.high },
      });
      const shapes = { llm: "diamond", crowd: "square" };
      const lines = [
        line("Alpha of the class", found.alpha, "you", "star", true),
        line("Alpha of the experts", found.expertsAlpha, "expert", "circle"),
        line("Kappa: class median, expert median", found.median, "you", "star", true),
        ...found.others.map((o) => line(`Kappa: ${o.label}, expert median`, o.withMedian, o.group, shapes[o.group])),
      ];
      classResult.replaceChildren(
        classPick.field,
        el(
          "figure",
          {},
          it.dotChart(lines, Math.min(560, classResult.clientWidth || 340), words),
          el("figcaption", {}, "Agreement on the conversations that the class rated, with 95 % intervals."),
        ),
        it.table(
          "Each person against the expert median",
          ["person", "conversations", "kappa", "interval", "their mean minus the median's"],
          found.people.map((p) => [
            ...[p.name, `${p.items}`, it.number(p.withMedian.estimate)],
            ...[it.between(p.withMedian.low, p.withMedian.high), it.number(p.higher)],
          ]),
          { numeric: [1, 2, 3, 4] },
        ),
        matrix(found),
        it.table(
          "Item by item: the class and the experts",
          ["item", "ratings", "lowest", "class median", "highest", "expert median"],
          found.rows.map((row) => [
            ...[row.code, `${row.given}`, plain(row.lowest), plain(row.median), plain(row.highest)],
            plain(row.expert),
          ]),
          { numeric: [1, 2, 3, 4, 5] },
        ),
      );
    }

    function matrix(found) {
      const names = found.people.map((p) => p.name);
      const of = new Map(found.pairs.flatMap((p) => [[`${p.a}\n${p.b}`, p.kappa], [`${p.b}\n${p.a}`, p.kappa]]));
      return it.table(
        "Quadratic kappa of each two people, on the conversations that both rated",
        ["", ...names],
        names.map((a) => [a, ...names.map((b) => (a === b ? "" : it.number(of.get(`${a}\n${b}`))))]),
        { numeric: names.map((_, i) => i + 1) },
      );
    }

    places.class.replaceChildren(
      el(
        "div",
        { class: "it-fields" },
        el("p", {}, el("label", { for: "judge-files" }, "The class's files (choose several)"), classBox),
      ),
      el(
        "div",
        { class: "it-buttons" },
        el(
          "button",
          {
            type: "button",
            onclick: () =>
              careful(classNote, () => {
                if (!people.length) {
                  throw new Problem("no file loaded", "one or more", "choose the class's files first");
                }
                save("class-ratings.csv", toCsv(people, data));
              }),
          },
          "Save the class's ratings as one file",
        ),
        el(
          "button",
          {
            type: "button",
            onclick: () => {
              people = [];
              classShown = "";
              classResult.replaceChildren();
              showClass();
              tell(classNote, "All files removed from this page.");
            },
          },
          "Remove all files",
        ),
      ),
      classNote,
      classWords,
      classResult,
    );

    document.querySelector(".it-without-script")?.remove();
    nameBox.value = state.name;
    labelBegin();
    keep();
    if (restored.lost) {
      tell(keptNote, "Some of what this browser had kept did not fit this page and was left out.");
    }
  }

  const places = Object.fromEntries(
    ["rate", "compare", "keep", "class"].map((name) => [name, document.querySelector(`#judge-${name}`)]),
  );
  if (places.rate) start(globalThis.judgeData, places);
  return { checkName, classAgreement, compareReader, fromCsv, parseCsv, restore, toCsv, withMedian };
})();
