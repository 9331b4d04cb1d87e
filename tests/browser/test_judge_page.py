"""Be the judge: what the page shows, that its numbers are those of `raters`, and its use."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from interactive import (
    BUILT,
    STATIC,
    no_barrier,
    no_sideways,
    write_page,
)
from playwright.sync_api import expect

import judging_empathy as paper
import raters
from book import judge_data
from book.build.shared import ROOT, SIMULATED
from book.build.stage import stage_files
from judging_empathy.data.names import EXPERTS, MEDIAN, scales
from raters import coefficients
from raters.intervals import percentile_interval
from raters.judges import exchange_test

SCALE = scales()[judge_data.FRAMEWORK]
LEVELS = raters.Scale([1, 2, 3, 4, 5])
ADVICE = "advice_giving"
ELABORATION = "encouraging_elaboration"
COLUMNS = ["framework", "dimension", "item", "rater", "group", "rating"]
COLUMNS_LINE = ",".join(COLUMNS) + "\n"
PAGE = "book/be-the-judge.html"
HOSTILE = [
    "<img src=x onerror=\"globalThis.stolen = 'img'\">",
    "</script><script>globalThis.stolen = 'script'</script>",
    "<svg onload=\"globalThis.stolen = 'svg'\"></svg>",
    "<a href=\"javascript:globalThis.stolen='link'\">press me</a> & &lt;b&gt; \u2028 \U0001f600",
]


def many_items(count=50):
    """Data of the page with the study's shape: the simulated ratings, texts of ours."""
    data = judge_data.build("simulated")
    ratings = paper.load("simulated").query("framework == @judge_data.FRAMEWORK")
    ratings = raters.with_reference(ratings)
    wide = ratings.pivot(index=["dimension", "rater"], columns="item", values="rating")
    codes = list(wide.columns)[:count]
    turns = [["Seeker", "I lost my job."], ["Supporter", "How do you feel?"]]
    numbers = {}
    for (dimension, rater), row in wide.iterrows():
        numbers.setdefault(dimension, {})[rater] = row[codes].tolist()
    return {
        **data,
        "framework": judge_data.FRAMEWORK,
        "items": [{"code": code, "turns": turns} for code in codes],
        "ratings": numbers,
    }


DATA = many_items()
CODES = [item["code"] for item in DATA["items"]]


def page_folder(root, data):
    return write_page(root / "site", "be-the-judge", {"judge-data.js": judge_data.script(data)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return page_folder(tmp_path_factory.mktemp("judge"), DATA)


@pytest.fixture
def page(look, folder):
    return look(folder, PAGE)


def in_js(page, expression, *values):
    """The value of a JavaScript expression of `a, b, ...`; NaN where it is not a number."""
    names = "abcdef"[: len(values)]
    return page.evaluate(f"([{', '.join(names)}]) => {expression}", list(values))


def same(found, expected):
    found = np.nan if found is None else found
    return np.allclose(found, expected, rtol=0, atol=1e-9, equal_nan=True)


def some_ratings(seed, share=1.0, dimension=ADVICE, codes=CODES):
    """A reader who follows the expert median, with noise, on part of the items."""
    rng = np.random.default_rng(seed)
    median = dict(zip(CODES, DATA["ratings"][dimension][MEDIAN]))
    rated = [code for code in codes if rng.random() < share]
    return {c: int(np.clip(np.rint(median[c] + rng.normal(0, 1)), 1, 5)) for c in rated}


def frame_of(people, dimension=ADVICE, data=DATA):
    """The long frame of some readers and the study's raters, as `raters` wants it."""
    rows = [
        (data["framework"], dimension, code, name, "reader", level)
        for name, own in people.items()
        for code, level in own.items()
    ]
    for rater in data["raters"]:
        values = zip(data["items"], data["ratings"][dimension][rater["key"]])
        rows += [
            (data["framework"], dimension, item["code"], rater["key"], rater["group"], value)
            for item, value in values
        ]
    return pd.DataFrame(rows, columns=COLUMNS)


# ------------------------------------------------------------------------- what is shown


def test_simulated_ratings_come_with_conversations_of_this_project():
    data = judge_data.build("simulated")
    assert data["stamp"] == SIMULATED
    assert "written for this project" in data["credit"]
    assert data["framework"] == judge_data.WRITTEN != judge_data.FRAMEWORK
    assert 6 <= len(data["items"]) <= 8
    assert all(item["code"].startswith("ST") for item in data["items"])
    told = judge_data.read_stories(judge_data.STORIES)
    for dimension, found in data["ratings"].items():
        meant = [story["meant"][dimension] for story in told]
        gaps = np.abs(np.subtract(meant, found[MEDIAN]))
        assert gaps.mean() <= 1, dimension  # the ratings suit the text
        simulated = paper.load("simulated").query("dimension == @dimension")
        profiles = {tuple(g["rating"]) for _, g in simulated.groupby("item")}
        shown = zip(*(found[r["key"]] for r in data["raters"] if r["key"] != MEDIAN))
        assert set(shown) <= profiles  # whole items of the simulated study, all raters


def test_the_data_is_the_same_each_time_and_plain_ascii():
    first = judge_data.script(judge_data.build("simulated"))
    assert first == judge_data.script(judge_data.build("simulated"))
    assert first.isascii()
    text = first.decode().removeprefix("globalThis.judgeData = ").removesuffix(";\n")
    assert json.loads(text) == judge_data.build("simulated")


@pytest.mark.real_data
def test_published_ratings_come_with_the_study_s_conversations():
    data = judge_data.build("published")
    made = judge_data.script(data)
    assert len(made) < 1_000_000
    assert [item["code"] for item in data["items"]] == [f"LE{i:02d}" for i in range(1, 51)]
    assert data["stamp"] == "" and "MIT" in data["credit"] and "Kumar" in data["credit"]
    assert data["notice"].startswith("MIT License. Copyright")
    text = paper.Study("published").conversations(judge_data.FRAMEWORK)
    turns = [(i["code"], *turn) for i in data["items"] for turn in i["turns"]]
    assert turns == list(text[["item", "speaker", "text"]].itertuples(index=False, name=None))
    frame = paper.load("published").query("framework == @judge_data.FRAMEWORK")
    wide = frame.pivot(index=["dimension", "rater"], columns="item", values="rating")
    for (dimension, rater), row in wide.iterrows():
        assert data["ratings"][dimension][rater] == row.tolist()
    assert not re.search(rb"[0-9]{20}", made)  # no id of the files
    assert {r["group"] for r in data["raters"]} == {"expert", "llm", "crowd", "reference"}


@pytest.mark.parametrize(
    "spoil",
    [
        {"meant": {}},
        {"turns": [["Robot", "Hello."]]},
        {"turns": []},
        {"item": "ST02"},
    ],
)
def test_a_story_that_is_not_in_order_is_refused(tmp_path, spoil):
    told = json.loads(judge_data.STORIES.read_text(encoding="utf-8"))
    told["conversations"][0] |= spoil
    path = tmp_path / "stories.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(raters.RatingsError, match=r"conversation 1 .*a level from 1 to 5"):
        judge_data.build("simulated", path)


def test_the_build_puts_the_data_into_the_copy_and_not_the_sources_of_it():
    asked = {"study": "simulated", "resamples": 100, "seed": 1}
    files = stage_files(ROOT, asked)
    assert files["book/_static/judge-data.js"] == judge_data.script(judge_data.build("simulated"))
    assert "book/judge_stories.json" not in files
    # Of the code only what Sphinx itself loads from the copy.
    assert [name for name in files if name.endswith(".py")] == ["book/pages.py"]
    assert not (STATIC / "judge-data.js").exists()


def test_no_script_of_these_pages_writes_markup_or_sends_anything():
    forbidden = (
        *("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function("),
        *("fetch(", "XMLHttpRequest", "sendBeacon", "WebSocket", "cookie", "import("),
    )
    for name in ("interactive.js", "laboratory.js", "judge.js"):
        text = (STATIC / name).read_text(encoding="utf-8")
        assert [word for word in forbidden if word in text] == []


# ---------------------------------------------------------------------- the same numbers


def python_of(sums, times):
    low, high, undefined = percentile_interval(sums.resampled(times))
    return {"estimate": sums.estimate(), "low": low, "high": high, "undefinedShare": undefined}


def check(found, expected):
    if np.isnan(expected["estimate"]):
        assert found["estimate"] is None or np.isnan(found["estimate"])
        return
    for key, value in expected.items():
        assert same(found[key], value), (key, found, expected)


@pytest.mark.parametrize("seed,share", [(1, 1.0), (2, 0.4), (3, 0.15)])
def test_a_reader_s_numbers_are_those_of_the_package(page, seed, share):
    mine = some_ratings(seed, share)
    codes = [code for code in CODES if code in mine]
    found = in_js(page, "judge.compareReader(judgeData, a, b, 500, 9)", ADVICE, mine)
    times = np.array(in_js(page, "interactive.multiplicities(a, 500, 9)", len(codes)), float)
    frame = frame_of({"me": mine})
    frame = frame[frame["item"].isin(codes)]
    pairs = [(e, r["key"]) for e in EXPERTS for r in DATA["raters"] if r["key"] != e]
    pairs += [(e, "me") for e in EXPERTS] + [("me", r["key"]) for r in DATA["raters"]]
    told = raters.pairwise(
        frame,
        SCALE,
        pairs=pairs,
        statistics=["weighted_kappa_quadratic", "percent_agreement", "mean_difference"],
        resamples=0,
    ).set_index(["statistic", "rater_a", "rater_b"])["estimate"]
    kappa = told["weighted_kappa_quadratic"]
    assert found["codes"] == codes
    assert same(found["you"]["withExperts"]["estimate"], np.mean([kappa[e, "me"] for e in EXPERTS]))
    for other in found["others"]:
        key = other["key"]
        assert same(other["withYou"]["estimate"], kappa["me", key])
        assert same(other["same"], told["percent_agreement", "me", key])
        assert same(other["higher"], -told["mean_difference", "me", key])
        if key != MEDIAN:
            mean = np.mean([kappa[e, key] for e in EXPERTS if e != key])
            assert same(other["withExperts"]["estimate"], mean)
    # the interval of the difference, on the page's own draws
    table = frame.pivot(index="item", columns="rater", values="rating").loc[codes]

    def draws(a, b):
        x = table[[a, b]].to_numpy()
        return coefficients.weighted_kappa_quadratic(x, SCALE).resampled(times)

    reader = np.mean([draws(e, "me") for e in EXPERTS], axis=0)
    experts = np.mean([draws(a, b) for a, b in zip(EXPERTS, [*EXPERTS[1:], EXPERTS[0]])], axis=0)
    for name, sample in (("difference", reader - experts), ("experts", experts)):
        low, high, undefined = percentile_interval(sample)
        assert same(found[name]["low"], low) and same(found[name]["high"], high)
        assert same(found[name]["undefinedShare"], undefined)
    for other in found["others"]:
        x = table[["me", other["key"]]].to_numpy()
        sums = coefficients.weighted_kappa_quadratic(x, SCALE)
        check(other["withYou"], python_of(sums, times))
        if other["key"] == MEDIAN:
            short = in_js(page, "judge.withMedian(judgeData, a, b, 500, 9)", ADVICE, mine)
            assert short == {"items": len(codes), **other["withYou"]}
    people = ["me", *EXPERTS]
    x = table[people].to_numpy()
    assert found["disagree"] == (x.min(axis=1) < x.max(axis=1)).sum()
    least = DATA["least"]
    if len(codes) < least["items"] or found["disagree"] < least["disagree"]:
        assert found.get("ranked") is None and "exchange" not in found
        return
    values = [r["withExperts"]["estimate"] for r in found["ranked"]]
    assert values == sorted(values, reverse=True) and len(values) == 8
    # Other draws, so p is the same up to four of its errors.
    row = exchange_test(frame, SCALE, "me", list(EXPERTS), exchanges=1000, mean=False).iloc[0]
    error = 4 * np.sqrt(2 * row.p * (1 - row.p / 2) / 500) + 0.01
    assert abs(found["exchange"]["p"] - row.p) < error
    among = min(1, 3 * min(one["p"] for one in found["among"]))
    assert abs(among - row.p_experts) < 0.2


def test_a_reader_who_varies_nothing_gets_a_reason_and_no_number(page):
    level = dict.fromkeys(CODES[:1], 1)
    found = in_js(page, "judge.compareReader(judgeData, a, b, 50, 9)", ADVICE, level)
    experts = [DATA["ratings"][ADVICE][e][0] for e in EXPERTS]
    assert any(value == 1 for value in experts)
    assert np.isnan(found["you"]["withExperts"]["estimate"])
    assert found.get("ranked") is None


def test_a_class_s_numbers_are_those_of_the_package(page):
    people = {f"P{i}": some_ratings(i, share) for i, share in enumerate([1, 0.7, 0.5, 0.2], 1)}
    given = [{"name": name, "ratings": {ADVICE: own}} for name, own in people.items()]
    found = in_js(page, "judge.classAgreement(judgeData, a, b, 300, 4)", ADVICE, given)
    frame = frame_of(people)
    codes = [code for code in CODES if any(code in own for own in people.values())]
    frame = raters.check_ratings(frame[frame["item"].isin(codes)], SCALE)
    assert found["codes"] == codes
    times = np.array(in_js(page, "interactive.multiplicities(a, 300, 4)", len(codes)), float)
    frame = raters.with_reference(frame, group="reader", name="class", least=1)
    table = frame.pivot(index="item", columns="rater", values="rating").loc[codes]

    def alpha(names):
        sums = coefficients.krippendorff_alpha_interval(table[list(names)].to_numpy(), SCALE)
        return python_of(sums, times)

    def kappa(a, b):
        sums = coefficients.weighted_kappa_quadratic(table[[a, b]].to_numpy(), SCALE)
        return python_of(sums, times)

    check(found["alpha"], alpha(people))
    check(found["expertsAlpha"], alpha(EXPERTS))
    check(found["median"], kappa(MEDIAN, "class"))
    told = raters.agreement(
        frame,
        SCALE,
        statistics="krippendorff_alpha_interval",
        groups={"class": list(people)},
        resamples=0,
    )
    assert same(found["alpha"]["estimate"], told["estimate"].item())
    for person in found["people"]:
        check(person["withMedian"], kappa(MEDIAN, person["name"]))
        assert person["items"] == len(people[person["name"]])
    pairs = {(p["a"], p["b"]): p for p in found["pairs"]}
    assert len(pairs) == 6
    told = raters.pairwise(
        frame, SCALE, pairs=list(pairs), statistics="weighted_kappa_quadratic", resamples=0
    )
    for row in told.itertuples():
        pair = pairs[row.rater_a, row.rater_b]
        assert same(pair["kappa"], row.estimate) and pair["items"] == row.n_items
    assert [row["median"] for row in found["rows"]] == table["class"].tolist()


# ------------------------------------------------------------------------ a reader's way


def begin(page, dimension="Advice giving"):
    page.get_by_label("What do you want to rate?").select_option(label=dimension)
    page.get_by_role("button", name="Show the first conversation").click()


def rate(page, levels):
    """Rate the open conversation and those after it on one dimension."""
    for place, level in enumerate(levels):
        if place:
            page.get_by_role("button", name="Next conversation").click()
        page.get_by_role("radio", name=re.compile(f"^{level} ")).check()


def saved(page, button):
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        return download.value.suggested_filename, file.read()


def upload(page, label, *files):
    page.get_by_label(label).set_input_files(
        [{"name": n, "mimeType": "text/csv", "buffer": t.encode()} for n, t in files]
    )


def csv_of(name, own, dimension=ADVICE, framework=DATA["framework"]):
    rows = [f"{framework},{dimension},{c},{name},reader,{level}" for c, level in own.items()]
    return "\n".join([",".join(COLUMNS), *rows]) + "\n"


def kept(page):
    return page.evaluate("Object.fromEntries(Object.entries(localStorage))")


def test_from_the_first_rating_to_a_file_and_back(page):
    assert page.get_by_text("Simulated ratings: these numbers are not").is_visible()
    assert page.locator(".it-turns").count() == 0  # no conversation before it is asked for
    begin(page)
    assert page.evaluate("document.activeElement.textContent") == "Conversation 1 of 50 (LE01)"
    levels = [1, 2, 3, 4, 5, 1, 2, 3]
    rate(page, levels)
    assert "You have rated 8 of 50" in page.locator(".judge-progress").text_content()
    page.get_by_role("button", name="Show how I compare").click()
    words = page.locator("#judge-compare .it-message").text_content()
    found = in_js(page, "judge.compareReader(judgeData, a, b)", ADVICE, dict(zip(CODES, levels)))
    own = found["you"]["withExperts"]
    assert words.startswith("Advice giving, 8 conversations. Your mean kappa with a single")
    assert (
        f"{own['estimate']:.2f} ({own['low']:.2f} to {own['high']:.2f})".replace("-", "−") in words
    )
    assert "No verdict and no place: 8 conversations" in words and "10 are needed" in words
    chart = page.locator("#judge-compare svg")
    assert chart.get_attribute("aria-label") == words and chart.locator(".it-dot").count() == 8
    items = page.get_by_role("region", name="Item by item: the level that each rater gave")
    rows = [row.locator("td").all_text_contents() for row in items.locator("tbody tr").all()]
    assert [int(row[0]) for row in rows] == levels
    medians = DATA["ratings"][ADVICE][MEDIAN][:8]
    assert [float(row[1].replace("−", "-")) for row in rows] == [
        a - b for a, b in zip(levels, medians)
    ]
    assert [float(row[2]) for row in rows] == medians

    page.get_by_label("Your name or a code").fill("Ann Müller")
    name, text = saved(page, "Save my ratings (CSV)")
    assert name == "ratings-Ann-M-ller.csv"
    assert text == csv_of("Ann Müller", dict(zip(CODES, levels)))
    frame = raters.check_ratings(pd.read_csv(io.StringIO(text)), LEVELS)
    assert list(frame.columns) == COLUMNS and len(frame) == 8

    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Start again from nothing").click()
    assert kept(page) == {}
    assert not page.locator("#judge-compare figure").is_visible()
    assert page.get_by_label("Your name or a code").input_value() == ""
    page.reload()
    assert page.get_by_role("button", name="Show the first conversation").is_visible()

    upload(page, "Load my ratings from a file", (name, text))
    expect(page.get_by_text("8 ratings of Ann Müller loaded.")).to_be_visible()
    page.get_by_role("button", name="Show how I compare").click()
    assert page.locator("#judge-compare .it-message").text_content() == words
    assert saved(page, "Save my ratings (CSV)") == (name, text)


def test_a_difference_of_kappas_and_one_of_means_have_different_names(page):
    begin(page)
    rate(page, [1, 2, 3, 4, 5, 1, 2, 3])
    page.get_by_role("button", name="Show how I compare").click()
    words = page.locator("#judge-compare .it-message").text_content()
    found = in_js(
        page,
        "judge.compareReader(judgeData, a, b)",
        ADVICE,
        dict(zip(CODES, [1, 2, 3, 4, 5, 1, 2, 3])),
    )
    gap = found["you"]["withExperts"]["estimate"] - found["experts"]["estimate"]
    assert f"Your kappa minus theirs: {gap:.2f} (".replace("-", "−") in words
    table = page.get_by_role("region", name=re.compile("^You and each rater"))
    assert table.locator("thead th").all_text_contents()[-1] == "your mean minus theirs"
    means = np.mean([1, 2, 3, 4, 5, 1, 2, 3]) - [
        np.mean(DATA["ratings"][ADVICE][r["key"]][:8]) for r in DATA["raters"]
    ]
    shown = [float(row.locator("td").last.text_content().replace("−", "-"))
             for row in table.locator("tbody tr").all()]  # fmt: skip
    assert np.allclose(shown, means, atol=0.005 + 1e-9)
    # The help names both as the page shows them, and nothing is called just "you minus ...".
    for name in ("Your kappa minus theirs", "Your mean minus theirs"):
        assert f"- **{name}**" in PROSE
    everything = PROSE + words + page.locator("#judge-compare").text_content()
    assert "you minus" not in everything.lower()


def drawn_axis(page):
    """What the chart of the comparison shows: its axis, and where each bar begins and ends."""
    return page.evaluate(
        """() => {
          const chart = document.querySelector("#judge-compare svg");
          const x = (e) => Number(e.getAttribute("x"));
          const ticks = [...chart.querySelectorAll(".it-tick")].map((e) => [e.textContent, x(e)]);
          const grid = [...chart.querySelectorAll(".it-grid, .it-zero")]
            .map((e) => Number(e.getAttribute("x1")));
          const rows = [...chart.querySelectorAll("g")].map((g) => {
            const bar = g.querySelector(".it-bar");
            const dot = g.querySelector(".it-dot").getAttribute("transform");
            return {
              name: g.querySelector("text").textContent,
              value: g.querySelector(".it-value").textContent,
              at: Number(dot.match(/translate\\(([^,]+),/)[1]),
              low: Number(bar.getAttribute("x1")), high: Number(bar.getAttribute("x2")),
            };
          });
          return { ticks, grid, rows };
        }"""
    )


@pytest.mark.parametrize("against", [True, False])
def test_the_axis_reaches_as_low_as_the_lowest_interval(page, against):
    # A reader who turns the scale round has intervals far below -0.5.
    median = DATA["ratings"][ELABORATION][MEDIAN]
    turned = [int(6 - value if against else value) for value in np.rint(median[:8])]
    begin(page, "Encouraging elaboration")
    rate(page, turned)
    page.get_by_role("button", name="Show how I compare").click()
    mine = dict(zip(CODES, turned))
    found = in_js(page, "judge.compareReader(judgeData, a, b)", ELABORATION, mine)
    # Eight conversations are too few for a place: nobody is put in order.
    assert found.get("ranked") is None
    others = [entry["withExperts"] for entry in found["others"] if entry.get("withExperts")]
    raters_shown = [found["you"]["withExperts"], *others]
    lowest = min(entry["low"] for entry in raters_shown)
    assert (lowest < -0.5) == against
    drawn = drawn_axis(page)
    begins = -1 if against else -0.5
    ticks = [(float(text.replace("−", "-")), place) for text, place in drawn["ticks"]]
    assert [value for value, _ in ticks] == list(np.arange(begins, 1.1, 0.5))
    assert drawn["grid"] == [place for _, place in ticks]
    values, places = zip(*ticks)
    for row, entry in zip(drawn["rows"], raters_shown, strict=True):
        for end, key in (("at", "estimate"), ("low", "low"), ("high", "high")):
            assert np.isclose(row[end], np.interp(entry[key], values, places), atol=1e-6), key
        assert row["value"] == f"{entry['estimate']:.2f}".replace("-", "−")


def test_progress_stays_in_this_browser_only(page):
    begin(page)
    rate(page, [4, 2])
    assert list(kept(page)) == ["judging-empathy/judge/lend_an_ear/1"]
    assert page.context.cookies() == []
    page.reload()
    page.get_by_role("button", name="Go on with conversation 2").click()
    assert page.get_by_role("radio", name="2 slightly").is_checked()
    page.get_by_role("button", name="Previous conversation").click()
    assert page.get_by_role("radio", name="4 considerably").is_checked()
    page.get_by_role("button", name="Clear the rating of Advice giving").click()
    assert not page.get_by_role("radio", name="4 considerably").is_checked()
    assert "You have rated 1 of 50" in page.locator(".judge-progress").text_content()
    options = page.get_by_label("Conversation").locator("option").all_text_contents()
    assert options[:3] == ["LE01", "LE02 – rated", "LE03"]


def test_ratings_after_a_look_at_the_others_are_counted_as_such(page):
    page.get_by_role("button", name="Show how I compare").click()
    note = page.locator("#judge-compare .it-message")
    expect(note).to_have_text("Rate a conversation first: there is nothing to compare yet.")
    begin(page)
    rate(page, [4, 2, 1])
    page.get_by_role("button", name="Show how I compare").click()
    assert "not all is blind" not in note.text_content()
    page.get_by_role("button", name="Next conversation").click()
    page.get_by_role("radio", name="5 very much").check()
    expect(note).to_contain_text("Advice giving, 4 conversations")
    assert "1 rating came after you had seen the others' ratings" in note.text_content()


def test_a_newcomer_starts_with_one_dimension_and_is_shown_the_way(page):
    assert page.get_by_label("What do you want to rate?").input_value() == "validating_emotions"
    page.get_by_role("button", name="Show the first conversation").click()
    assert page.get_by_role("radio").count() == 5
    onward = page.get_by_role("button", name="Next conversation")
    main = re.compile("it-main")
    expect(onward).not_to_have_class(main)
    page.get_by_role("radio").nth(1).check()
    expect(onward).to_have_class(main)
    page.get_by_role("button", name=re.compile("^Clear the rating")).click()
    expect(onward).not_to_have_class(main)


def test_the_choice_of_dimensions_is_kept(page):
    for choice in ("all", ADVICE):
        page.get_by_label("What do you want to rate?").select_option(choice)
        page.reload()
        assert page.get_by_label("What do you want to rate?").input_value() == choice


def test_all_six_dimensions_at_once(page):
    begin(page, "all six dimensions")
    fields = page.get_by_role("group").filter(has=page.get_by_role("radio"))
    assert fields.count() == 6
    for field, dimension in zip(fields.all(), DATA["dimensions"]):
        assert dimension["title"] in field.locator("legend").text_content()
        assert dimension["question"] in field.locator("legend").text_content()
        assert field.get_by_role("radio").count() == 5
        field.get_by_role("radio").nth(2).check()
    assert "You have rated 1 of 50" in page.locator(".judge-progress").text_content()
    page.get_by_role("button", name="Next conversation").click()
    fields.first.get_by_role("radio").nth(4).check()
    options = page.get_by_label("Conversation").locator("option").all_text_contents()
    assert options[:2] == ["LE01 – rated", "LE02 – 1 of 6"]
    page.get_by_role("button", name="Show how I compare").click()
    overview = page.get_by_role("region", name=re.compile("^All your dimensions"))
    assert overview.locator("tbody tr").count() == 6
    pick = page.locator("#judge-dimension")
    pick.select_option(label="Self-oriented (1)")
    assert page.locator("#judge-compare .it-message").text_content().startswith("Self-oriented, 1")
    page.get_by_label("Your name or a code").fill("R7")
    _, text = saved(page, "Save my ratings (CSV)")
    frame = pd.read_csv(io.StringIO(text))
    assert frame.groupby("dimension").size().sum() == 7 and frame["rater"].unique() == ["R7"]


def test_it_works_with_the_keyboard_alone(page):
    def press(*keys):
        for key in keys:
            page.keyboard.press(key)

    def tab_to(words):
        for _ in range(40):
            press("Tab")
            if words in page.evaluate(
                "document.activeElement.textContent || document.activeElement.id"
            ):
                return
        raise AssertionError(f"the Tab key does not lead to {words!r}")

    press("Tab")
    assert page.evaluate("document.activeElement.id") == "judge-what"
    press(*["ArrowDown"] * 3)
    assert page.locator("#judge-what").input_value() == ADVICE
    press("Tab", "Enter")
    assert page.evaluate("document.activeElement.tagName") == "H3"
    press("Tab", "Space")
    assert page.get_by_role("radio", name="1 not at all").is_checked()
    press("ArrowDown", "ArrowDown")
    assert page.get_by_role("radio", name="3 moderately").is_checked()
    tab_to("Next conversation")
    press("Enter", "Tab", "Space")
    assert page.evaluate("document.querySelector('#judge-rate h3').textContent").endswith("(LE02)")
    tab_to("Show how I compare")
    press("Enter")
    assert "2 conversations" in page.locator("#judge-compare .it-message").text_content()
    for _ in range(60):
        press("Tab")
        if page.evaluate("document.activeElement.id") == "judge-name":
            break
    page.keyboard.type("R1")
    press("Tab")
    with page.expect_download() as download:
        press("Enter")
    assert download.value.suggested_filename == "ratings-R1.csv"


# ------------------------------------------------------------------------------- a class


def test_a_class_loads_its_files_and_sees_its_agreement(page):
    people = {name: some_ratings(i, 1, codes=CODES[:20]) for i, name in enumerate("ABCDE")}
    files = [(f"ratings-{name}.csv", csv_of(name, own)) for name, own in people.items()]
    upload(page, "The class's files (choose several)", *files[:3])
    expect(page.get_by_text("3 people loaded: A, B, C.")).to_be_visible()
    upload(page, "The class's files (choose several)", *files[3:])
    expect(page.get_by_text("5 people loaded: A, B, C, D, E.")).to_be_visible()
    given = [{"name": name, "ratings": {ADVICE: own}} for name, own in people.items()]
    found = in_js(page, "judge.classAgreement(judgeData, a, b)", ADVICE, given)
    words = page.locator("#judge-class svg").get_attribute("aria-label")
    assert words.startswith("Advice giving: 5 people, 20 conversations. Alpha (interval) of the")
    assert f"{found['alpha']['estimate']:.2f} (" in words
    assert f"kappa {found['median']['estimate']:.2f} (" in words
    matrix = page.get_by_role("region", name=re.compile("^Quadratic kappa of each two people"))
    cells = [row.locator("td").all_text_contents() for row in matrix.locator("tbody tr").all()]
    first = next(p for p in found["pairs"] if (p["a"], p["b"]) == ("A", "B"))
    assert cells[0][1] == cells[1][0] == f"{first['kappa']:.2f}".replace("-", "−")
    assert cells[0][0] == ""
    name, text = saved(page, "Save the class's ratings as one file")
    assert name == "class-ratings.csv"
    frame = pd.read_csv(io.StringIO(text))
    assert len(frame) == 100
    told = raters.agreement(
        frame, LEVELS, statistics="krippendorff_alpha_interval", resamples=0
    )  # as the page tells its readers
    assert same(told["estimate"].item(), found["alpha"]["estimate"])
    assert kept(page).keys() == {"judging-empathy/judge/lend_an_ear/1"}
    assert "ABC" not in "".join(kept(page).values())  # the class's files are not kept
    page.get_by_role("button", name="Remove all files").click()
    assert not page.locator("#judge-class figure").is_visible()
    upload(page, "The class's files (choose several)", (name, text))
    expect(page.get_by_text("5 people loaded: A, B, C, D, E.")).to_be_visible()


CLASS_BOX = "The class's files (choose several)"


def class_lines(page):
    return page.locator("#judge-class .it-message").first.locator(".it-line").all_text_contents()


def three_parts(text):
    return re.search(r"Given: .+\. Allowed: .+\. To do: .+\.$", text)


def test_of_two_files_with_one_name_the_second_is_refused(page):
    first, second = (some_ratings(seed, 1, codes=CODES[:3]) for seed in (1, 2))
    assert first != second
    files = [("a.csv", csv_of("Ann", first)), ("b.csv", csv_of("Ann", second))]
    upload(page, CLASS_BOX, *files)
    told = page.get_by_text("b.csv. Given: a second file with the rater Ann, who is in a.csv")
    expect(told).to_be_visible()
    loaded, people, refused = class_lines(page)
    assert (loaded, people) == ("1 of 2 files loaded.", "1 person loaded: Ann.")
    assert three_parts(refused)
    assert saved(page, "Save the class's ratings as one file")[1] == files[0][1]
    upload(page, CLASS_BOX, files[1])  # and once more, by itself
    expect(page.get_by_text("0 of 1 file loaded.")).to_be_visible()
    assert "the rater Ann, who is in a.csv already" in class_lines(page)[2]


def test_a_bad_file_keeps_no_other_one_out_and_is_named_with_its_reason(page):
    own = {name: some_ratings(i, 1, codes=CODES[:8]) for i, name in enumerate("ABCD")}
    good = {name: csv_of(name, ratings) for name, ratings in own.items()}
    bad = {
        "empty.csv": ("", "Given: an empty file."),
        "blank.csv": ("\ufeff \n\r\n", "Given: an empty file."),
        "notes.csv": ("hello", "a file without the column"),
        "six.csv": (csv_of("Eve", {"LE01": 6}), 'row 2 with the rating "6"'),
    }
    files = [("a.csv", good["A"]), *((name, text) for name, (text, _) in bad.items())]
    upload(page, CLASS_BOX, *files, ("b.csv", good["B"]), ("c.csv", good["C"]))
    expect(page.get_by_text("3 people loaded: A, B, C.")).to_be_visible()
    loaded, _, *refused = class_lines(page)
    assert loaded == "3 of 7 files loaded."
    assert len(refused) == len(bad)
    for told, (name, (_, reason)) in zip(refused, bad.items()):
        assert told.startswith(f"Not loaded: {name}. Given: ") and reason in told
        assert three_parts(told)
    note = page.locator("#judge-class .it-message").first
    expect(note).to_have_class(re.compile("it-error"))
    assert page.locator("#judge-class figure").is_visible()
    assert saved(page, "Save the class's ratings as one file")[1] == COLUMNS_LINE + "".join(
        good[name].removeprefix(COLUMNS_LINE) for name in "ABC"
    )
    # The same choice can be made again once the file is right; a good file clears the alarm.
    upload(page, CLASS_BOX, ("empty.csv", good["D"]))
    expect(page.get_by_text("4 people loaded: A, B, C, D.")).to_be_visible()
    assert class_lines(page)[0] == "1 of 1 file loaded."
    expect(note).not_to_have_class(re.compile("it-error"))


def test_a_file_that_cannot_be_opened_is_named_like_any_other(page):
    page.evaluate(
        """() => { const text = File.prototype.text;
          File.prototype.text = function () {
            return this.name === "gone.csv" ? Promise.reject(new DOMException("gone"))
              : text.call(this); }; }"""
    )
    text = csv_of("A", {"LE01": 3})
    upload(page, CLASS_BOX, ("gone.csv", text), ("a.csv", text))
    expect(page.get_by_text("1 person loaded: A.")).to_be_visible()
    assert "gone.csv. Given: a file that the browser cannot read." in class_lines(page)[2]


@pytest.mark.parametrize(
    "on,opens",
    [
        ([ADVICE, "validating_emotions", ADVICE, ADVICE], ADVICE),
        ([ADVICE, "validating_emotions"], "validating_emotions"),  # as many: the first
        (["dismissing_emotions", ADVICE, ADVICE, "dismissing_emotions"], ADVICE),
    ],
)
def test_the_class_opens_on_the_dimension_that_most_people_rated(page, on, opens):
    order = [dimension["key"] for dimension in DATA["dimensions"]]
    shared = {key: on.count(key) for key in order if key in on}
    assert opens == max(shared, key=shared.get)  # of several the first
    own = dict(zip(CODES, [1, 2, 3, 4, 5, 2]))
    files = [(f"{i}.csv", csv_of(f"R{i}", own, dimension)) for i, dimension in enumerate(on)]
    upload(page, CLASS_BOX, *files)
    pick = page.locator("#judge-class-dimension")
    expect(pick).to_have_value(opens)
    titles = {dimension["key"]: dimension["title"] for dimension in DATA["dimensions"]}
    words = f"{titles[opens]}: {shared[opens]} p"
    assert words in page.locator("#judge-class svg").get_attribute("aria-label")
    told = [f"({n} {'person' if n == 1 else 'people'})" for n in shared.values()]
    options = pick.locator("option").all_text_contents()
    assert options == [f"{titles[key]} {words}" for key, words in zip(shared, told)]
    # What somebody chose stays when further files come.
    other = next(key for key in shared if key != opens)
    pick.select_option(other)
    upload(page, CLASS_BOX, ("more.csv", csv_of("More", own, opens)))
    expect(page.get_by_text(re.compile("people loaded: .*More"))).to_be_visible()
    expect(pick).to_have_value(other)


# ---------------------------------------------------------------- what must not go wrong


def test_a_hostile_conversation_is_shown_as_text(look, tmp_path):
    data = many_items(3)
    turns = [["Supporter" if i % 2 else "Seeker", text] for i, text in enumerate(HOSTILE)]
    data["items"][0] = {"code": "LE01", "turns": turns}
    data["credit"] = data["stamp"] = data["notice"] = HOSTILE[0]
    data["dimensions"][3] |= {"title": HOSTILE[0], "question": HOSTILE[1]}
    page = look(page_folder(tmp_path, data), PAGE)
    page.get_by_label("What do you want to rate?").select_option(ADVICE)
    page.get_by_role("button", name="Show the first conversation").click()
    shown = page.locator(".it-turns li").all_text_contents()
    assert shown == [f"{speaker}:{text}" for speaker, text in turns]
    page.get_by_role("radio").nth(1).check()
    page.get_by_role("button", name="Show how I compare").click()
    assert HOSTILE[0] in page.locator("#judge-compare .it-message").text_content()
    page.wait_for_timeout(300)
    assert page.evaluate("globalThis.stolen") is None
    markup = "#judge-rate img, #judge-rate a, #judge-rate svg, #judge-rate script"
    assert page.locator(f"{markup}, #judge-compare img, #judge-compare script").count() == 0


BAD_NAMES = ["=1+1", "+Ann", "-Ann", "@Ann", "\tAnn,x", "a,b", 'a"b', "", "A" * 41]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_a_spreadsheet_would_run_or_split_is_refused(page, name):
    begin(page)
    rate(page, [3])
    page.get_by_label("Your name or a code").fill(name)
    page.get_by_role("button", name="Save my ratings (CSV)").click()
    note = page.locator("#judge-keep .it-message")
    expect(note).to_contain_text("To do: choose such a name or a code")
    assert note.text_content().startswith("Given: ")


@pytest.mark.parametrize("name", ["expert1", "Gemini", "gpt-4o", "expert_median", "CROWD"])
def test_a_reader_does_not_take_a_rater_s_name(page, name):
    told = in_js(
        page,
        "(() => { try { judge.checkName(a, judgeData) } catch (e) { return e.message } })()",
        name,
    )
    assert "which is that of a rater of the study" in told


@pytest.mark.parametrize("name", ["Ann", "R7", "José O'Neil", "Łukasz-2", "李雷", "a_b. c"])
def test_ordinary_names_are_taken(page, name):
    assert in_js(page, "judge.checkName(a, judgeData)", f" {name} ") == name


GOOD = csv_of("Ann", {"LE01": 3, "LE02": 5})


@pytest.mark.parametrize(
    "text,said",
    [
        ("", "an empty file"),
        ("\ufeff\n", "an empty file"),
        ("x\n", "a file without the column framework, dimension, item, rater, rating"),
        ("hello", "a file without the column"),
        (",".join(COLUMNS) + "\n", "a file without ratings"),
        (GOOD.replace("lend_an_ear", "epitome"), 'row 2 with the framework "epitome"'),
        (GOOD.replace("LE02", "LE99"), 'and the item "LE99"'),
        (GOOD.replace(ADVICE, "toString"), 'row 2 with the dimension "toString"'),
        (GOOD.replace("reader,5", "reader,6"), 'row 3 with the rating "6"'),
        (GOOD.replace("reader,5", "reader,2.5"), 'row 3 with the rating "2.5"'),
        (GOOD.replace("reader,5", "reader,"), 'row 3 with the rating ""'),
        (GOOD.replace("LE02", "LE01"), "a second rating of LE01"),
        (GOOD.replace("Ann", "=cmd()"), 'the name "=cmd()"'),
        (GOOD.replace("Ann", "<img src=x onerror=alert(1)>"), 'the name "<img src=x'),
        (GOOD.replace("Ann", "Claude"), "that of a rater of the study"),
        (GOOD.replace("LE02,Ann", "LE02,Bob"), "a file with the ratings of 2 people"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_a_reason(page, text, said):
    begin(page)
    rate(page, [4])
    upload(page, "Load my ratings from a file", ("x.csv", text))
    note = page.locator("#judge-keep .it-message")
    expect(note).to_contain_text(said)
    told = note.text_content()
    assert told.startswith("Given: ") and " Allowed: " in told and " To do: " in told
    state = json.loads(kept(page)["judging-empathy/judge/lend_an_ear/1"])
    assert state["ratings"] == {ADVICE: {"LE01": 4}}  # nothing was lost


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        GOOD.replace("Ann", '"Ann"').replace(",3", ",3.0"),
        GOOD.replace(",reader", "").replace(",group", ""),
        GOOD.rstrip("\n"),
    ],
)
def test_what_a_spreadsheet_does_to_a_file_is_understood(page, text):
    told = in_js(page, "judge.fromCsv(a, judgeData)", text)
    assert told == [{"name": "Ann", "ratings": {ADVICE: {"LE01": 3, "LE02": 5}}}]


def test_quoted_cells_are_read_as_rfc_4180_says(page):
    text = 'a,"b ""c"", d",\n"x\ny",2,3\n\n'
    assert in_js(page, "judge.parseCsv(a)", text) == [["a", 'b "c", d', ""], ["x\ny", "2", "3"]]


def test_with_storage_switched_off_it_says_so_and_works(look, folder):
    off = "Object.defineProperty(globalThis, 'localStorage', {get() { throw new Error('off'); }});"
    page = look(folder, PAGE, before=off)
    assert page.get_by_text("This browser keeps nothing for this page").is_visible()
    begin(page)
    rate(page, [4, 1])
    page.get_by_role("button", name="Show how I compare").click()
    assert "2 conversations" in page.locator("#judge-compare .it-message").text_content()


@pytest.mark.parametrize(
    "text,ratings",
    [
        ("{not json", {}),
        ('{"ratings": {"advice_giving": {"LE01": 9, "LE02": 2}, "x": {"LE01": 1}}}', {"LE02": 2}),
        ('{"ratings": {"advice_giving": {"LE77": 1}}, "at": 999, "late": 3}', {}),
        ("7", {}),
    ],
)
def test_what_the_browser_kept_is_checked_before_it_is_used(look, folder, text, ratings):
    key = "judging-empathy/judge/lend_an_ear/1"
    put = f"localStorage.setItem({json.dumps(key)}, {json.dumps(text)})"
    page = look(folder, PAGE, before=put)
    assert page.get_by_text("did not fit this page and was left out").is_visible()
    state = json.loads(kept(page)["judging-empathy/judge/lend_an_ear/1"])
    assert state["ratings"].get(ADVICE, {}) == ratings and state["at"] == 0


def test_without_javascript_the_page_says_where_to_look(look, folder):
    page = look(folder, PAGE, java_script_enabled=False)
    assert page.get_by_text("Rating needs JavaScript").is_visible()


# --------------------------------------------------------------------------- in the prose


PROSE = (ROOT / "book" / "be-the-judge.md").read_text(encoding="utf-8")
TEACHERS = (ROOT / "book" / "for-teachers.md").read_text(encoding="utf-8")
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10}


def test_the_code_for_a_class_keeps_the_codes_and_gives_the_page_s_numbers(
    page, tmp_path, monkeypatch, capsys
):
    people = {
        name: some_ratings(i, 1, codes=CODES[:8]) for i, name in enumerate(["007", "12", "x"])
    }
    for name, own in people.items():
        (tmp_path / f"ratings-{name}.csv").write_text(csv_of(name, own), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PROSE, flags=re.S)
    names = {}
    exec(compile(block, "be-the-judge.md", "exec"), names)
    assert sorted(names["ratings"]["rater"].unique()) == ["007", "12", "x"]
    given = [{"name": name, "ratings": {ADVICE: own}} for name, own in people.items()]
    found = in_js(page, "judge.classAgreement(judgeData, a, b)", ADVICE, given)
    said = capsys.readouterr().out
    assert "007" in said
    told = raters.agreement(
        names["ratings"], LEVELS, statistics="krippendorff_alpha_interval", resamples=0
    )
    assert same(found["alpha"]["estimate"], told["estimate"].item())
    assert f"{found['alpha']['estimate']:.2f}" in said


def test_a_number_of_lines_that_is_promised_is_the_number_there_is():
    parts = re.split(r"```python\n(.*?)```", TEACHERS, flags=re.S)
    for before, block in zip(parts[::2], parts[1::2]):
        since = before[before.rfind("\n### ") + 1 :]  # the text above it, under its own heading
        for promised in re.findall(r"\b(\w+) (?:more )?lines?\b", since):
            code = [line for line in block.splitlines() if line.strip()]
            assert COUNTS[promised.lower()] == len(code), promised


def test_both_pages_ask_a_class_for_the_same_number_of_conversations():
    asked = r"the first (\w+)(?: conversations| on one dimension)"
    numbers = set(re.findall(asked, PROSE) + re.findall(asked, TEACHERS))
    assert numbers == {"eight"}
    assert COUNTS["eight"] <= len(judge_data.build("simulated")["items"])


def test_the_four_meetings_read_on_a_phone():
    plan = TEACHERS.partition("## Four meetings")[2].partition("\n## ")[0]
    assert "|" not in plan
    tables = re.findall(r"^\|(.+)\|$", TEACHERS, flags=re.M)
    assert max(row.count("|") + 1 for row in tables) == 3  # four columns do not fit
    meetings = re.split(r"^\*\*\d\. ", plan, flags=re.M)[1:]
    assert len(meetings) == 4
    for meeting in meetings:
        told = re.findall(r"^- \*([\w ]+):\* \S", meeting, flags=re.M)
        assert told == ["Chapters", "In class", "Homework"]


# ------------------------------------------------------------------------ the built page


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_built_page_from_the_note_to_the_class(look, scheme, width):
    page = look(BUILT, PAGE, color_scheme=scheme, viewport={"width": width, "height": 844})
    order = page.evaluate(
        """() => { const note = [...document.querySelectorAll(".admonition")]
             .find((e) => e.textContent.includes("findahelpline.com"));
           return note.compareDocumentPosition(document.querySelector("#judge-rate")) & 4; }"""
    )
    assert order  # the content note comes before any conversation
    data = page.evaluate("judgeData")
    start = page.get_by_role("button", name="Show the first conversation")
    box = start.bounding_box()
    assert box["y"] + box["height"] < 1.25 * 844  # what to do is seen at once, or nearly
    page.get_by_label("What do you want to rate?").select_option("all")
    start.click()
    shown = page.locator(".it-turns li").all_text_contents()
    assert shown == [f"{speaker}:{text}" for speaker, text in data["items"][0]["turns"]]
    for place in range(5):
        if place:
            page.get_by_role("button", name="Next conversation").click()
        for field in page.locator("#judge-rate fieldset").all():
            field.get_by_role("radio").nth(place).check()
    page.get_by_role("button", name="Show how I compare").click()
    codes = [item["code"] for item in data["items"][:6]]
    files = [
        (f"{n}.csv", csv_of(n, dict(zip(codes, own)), framework=data["framework"]))
        for n, own in {"Ann": [1, 2, 3, 4, 5, 1], "Bob": [2, 2, 3, 5, 5, 1]}.items()
    ]
    upload(page, "The class's files (choose several)", *files)
    expect(page.get_by_text("2 people loaded: Ann, Bob.")).to_be_visible()
    assert page.locator("#judge-class figure").is_visible()
    assert no_sideways(page) == []
    assert no_barrier(page) == {}
    published = data["study"] == "published"
    assert page.get_by_text("Licence: MIT.").count() == published
    assert len((BUILT / "_static" / "judge-data.js").read_bytes()) < 1_000_000


@pytest.mark.usefixtures("site")
def test_the_conversations_are_on_no_other_page():
    for path in BUILT.rglob("*.html"):
        has = "judge-data.js" in path.read_text(encoding="utf-8")
        assert has == (path.stem == "be-the-judge"), path
