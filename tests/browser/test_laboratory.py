"""The simulation laboratory: its numbers are those of `raters`, and a reader can use it."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from interactive import (
    BUILT,
    no_barrier,
    no_sideways,
    write_page,
)
from playwright.sync_api import expect

import raters
from book.build.shared import ROOT
from raters import coefficients
from raters.intervals import percentile_interval

SCALE = raters.Scale([1, 2, 3, 4, 5], between=True)
# The name on the page's script to the function of the package.
PAIR = {
    "percentAgreement": coefficients.percent_agreement,
    "cohenKappa": coefficients.cohen_kappa,
    "weightedKappaQuadratic": coefficients.weighted_kappa_quadratic,
    "weightedKappaQuadraticCentred": coefficients.weighted_kappa_quadratic_centred,
    "meanDifference": coefficients.mean_difference,
}
MANY = {
    "alpha": coefficients.krippendorff_alpha_interval,
    "gwetAC1": coefficients.gwet_ac1,
    "gwetAC2": coefficients.gwet_ac2,
}
IN_LAB = [
    "percent_agreement",
    "cohen_kappa",
    "weighted_kappa_quadratic",
    "weighted_kappa_quadratic_centred",
    "krippendorff_alpha_interval",
    "gwet_ac1",
    "gwet_ac2",
]
FUNCTIONS = {**coefficients.PAIR, **coefficients.MANY}
GRID = [
    {"items": n, "prevalence": p, "shift": s, "noise": z, "use": u, "seed": seed}
    for (n, p, s, z, u), seed in zip(
        itertools.product(
            [10, 57, 200], [0, 0.2, 0.95, 1], [-2, 0, 0.7], [0, 0.4, 2], [0, 0.35, 1]
        ),
        itertools.count(1),
    )
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("lab") / "site", "laboratory")


@pytest.fixture
def lab(look, folder):
    return look(folder, "book/laboratory.html")


def number(value):
    """A number as it comes out of the page: null and NaN are undefined."""
    return math.nan if value is None else value


def same(found, expected):
    return np.allclose(number(found), expected, rtol=0, atol=1e-9, equal_nan=True)


# ------------------------------------------------------------------- the page and Python


def test_every_number_of_the_page_is_that_of_the_package_on_a_grid(lab):
    found = lab.evaluate(
        """(grid) => grid.map((values) => {
          const rows = laboratory.generate(values);
          return { rows, numbers: laboratory.coefficients(rows) };
        })""",
        GRID,
    )
    undefined = 0
    for values, one in zip(GRID, found):
        x = np.array(one["rows"], float)
        assert x.shape == (values["items"], 2)
        assert list(one["numbers"]) == IN_LAB
        for name, value in one["numbers"].items():
            expected = FUNCTIONS[name](x, SCALE).estimate()
            assert same(value, expected), (values, name, value, expected)
            undefined += math.isnan(expected)
    assert 0 < undefined < len(GRID)  # the grid holds tables without variation


def test_the_public_functions_say_the_same(lab):
    rows = lab.evaluate("() => laboratory.generate({...laboratory.PRESETS.shift, seed: 4})")
    shown = lab.evaluate("(rows) => laboratory.coefficients(rows)", rows)
    wide = pd.DataFrame(rows, columns=["expert", "judge"]).rename_axis("item").reset_index()
    frame = raters.from_wide(wide, items="item", raters=["expert", "judge"])
    pair = [name for name in IN_LAB if name in coefficients.PAIR]
    many = [name for name in IN_LAB if name in coefficients.MANY]
    scale = raters.Scale([1, 2, 3, 4, 5])
    told = pd.concat(
        [
            raters.pairwise(frame, scale, statistics=pair, resamples=0),
            raters.agreement(frame, scale, statistics=many, groups={"all": ["expert", "judge"]})[
                ["statistic", "estimate"]
            ],
        ]
    ).set_index("statistic")["estimate"]
    assert set(told.index) == set(IN_LAB)
    for name in IN_LAB:
        assert same(shown[name], told[name])


def tables(count):
    """Ratings with gaps, means between levels and constant columns."""
    rng = np.random.default_rng(7)
    for place in range(count):
        n, m = rng.integers(3, 30), 2 if place % 2 else rng.integers(2, 6)
        top = [1, 3, 5][place % 3]
        x = rng.integers(1, top + 1, size=(n, m)).astype(float)
        if place % 4 == 0:
            x = np.minimum(5, x + rng.integers(0, 3, size=(n, m)) / 3)
        x[rng.random((n, m)) < [0, 0.3][place % 2]] = np.nan
        yield x


def test_gaps_and_means_between_levels_are_handled_as_in_the_package(lab):
    given = list(tables(60))
    sent = [[[None if np.isnan(v) else v for v in row] for row in x.tolist()] for x in given]
    found = lab.evaluate(
        """([tables, pair, many]) => tables.map((table) => {
          const rows = table.map((row) => row.map((value) => value ?? NaN));
          const of = (names, rows) => Object.fromEntries(
            names.map((n) => [n, interactive.estimate(interactive[n](rows, [1, 2, 3, 4, 5]))]));
          return { ...of(pair, rows.map((row) => row.slice(0, 2))), ...of(many, rows) };
        })""",
        [sent, list(PAIR), list(MANY)],
    )
    for x, one in zip(given, found):
        for name, function in PAIR.items():
            assert same(one[name], function(x[:, :2], SCALE).estimate()), name
        for name, function in MANY.items():
            assert same(one[name], function(x, SCALE).estimate()), name


def test_the_intervals_are_those_of_the_package_on_the_same_draws(lab):
    found = lab.evaluate(
        """() => ["start", "paradox"].map((name) => {
          const rows = laboratory.generate({...laboratory.PRESETS[name], items: 20, seed: 3});
          return { rows, times: interactive.multiplicities(20, 400, 3),
                   numbers: laboratory.intervals(rows, 3) };
        })"""
    )
    for one in found:
        x, times = np.array(one["rows"], float), np.array(one["times"], float)
        assert (times.sum(axis=1) == 20).all() and times.shape == (400, 20)
        for name, shown in one["numbers"].items():
            sums = FUNCTIONS[name](x, SCALE)
            low, high, undefined = percentile_interval(sums.resampled(times))
            assert same(shown["estimate"], sums.estimate())
            assert same(shown["low"], low) and same(shown["high"], high), name
            assert same(shown["undefinedShare"], undefined)


def mulberry32(seed):
    """The generator in Python, from its description: 32-bit words all along."""
    word = 0xFFFFFFFF
    while True:
        seed = (seed + 0x6D2B79F5) & word
        t = ((seed ^ (seed >> 15)) * (seed | 1)) & word
        t ^= (t + ((t ^ (t >> 7)) * (t | 61) & word)) & word
        yield (t ^ (t >> 14)) / 2**32


def ratings(items, prevalence, shift, noise, use, seed):
    """The laboratory's two raters in Python, as the page's text tells it."""
    draw = mulberry32(seed)
    rows = []
    for _ in range(items):
        kind, level, within, *u = (next(draw) for _ in range(7))
        normal = [
            math.sqrt(-2 * math.log(1 - a)) * math.cos(2 * math.pi * b) for a, b in (u[:2], u[2:])
        ]
        truth = (1 if kind < prevalence else 2 + math.floor(4 * level)) + within - 0.5
        seen = [truth + noise * normal[0], 3 + use * (truth - 3) + shift + noise * normal[1]]
        rows.append([max(1, min(5, math.floor(value + 0.5))) for value in seen])
    return rows


def test_the_ratings_are_made_as_the_page_says(lab):
    for values in GRID[::29]:
        assert lab.evaluate("(v) => laboratory.generate(v)", values) == ratings(**values)


def test_more_items_come_at_the_end_and_a_slider_moves_the_same_items(lab):
    few, many = lab.evaluate(
        """() => [20, 100].map((items) =>
          laboratory.generate({...laboratory.PRESETS.start, items, seed: 9}))"""
    )
    assert many[:20] == few
    one, other = lab.evaluate(
        """() => [0, 1].map((shift) =>
          laboratory.generate({...laboratory.PRESETS.start, shift, seed: 9}))"""
    )
    moved = [(low, high) for (_, low), (_, high) in zip(one, other) if low > 1]
    assert len(moved) > 50 and all(high == min(5, low + 1) for low, high in moved)


def test_the_table_on_the_page_is_what_the_presets_give(lab):
    presets = lab.evaluate("() => laboratory.PRESETS")
    columns = lab.locator("#lab-presets thead th[data-of]").all()
    assert [c.get_attribute("data-of") for c in columns] == list(presets)
    shown = [
        row.locator("td").all_text_contents() for row in lab.locator("#lab-presets tbody tr").all()
    ]
    tables = [np.array(ratings(**values, seed=1), float) for values in presets.values()]
    expected = [[f"{FUNCTIONS[name](x, SCALE).estimate():.2f}" for x in tables] for name in IN_LAB]
    assert shown == expected


# ----------------------------------------------------------------- what the prose claims

PROSE = (ROOT / "book" / "laboratory.md").read_text(encoding="utf-8")
START = {"items": 100, "prevalence": 0.2, "shift": 0, "noise": 0.4, "use": 1, "seed": 1}
PERCENT, COHEN, QUADRATIC, CENTRED, ALPHA, AC1, AC2 = IN_LAB


def numbers(**changed):
    x = np.array(ratings(**{**START, **changed}), float)
    return {name: FUNCTIONS[name](x, SCALE).estimate() for name in IN_LAB}


def falls(**changed):
    """How far each coefficient falls from the good judge; a rise is below 0."""
    before, after = numbers(), numbers(**changed)
    return {name: before[name] - after[name] for name in IN_LAB}


def told(*sentences):
    """The text must say it: whoever changes the sentence looks at its check."""
    for sentence in sentences:
        assert sentence in PROSE, sentence


def test_the_presets_are_what_the_checks_of_the_prose_take_them_for(lab):
    presets = lab.evaluate("() => laboratory.PRESETS")
    seen = {name: {**values, "seed": 1} for name, values in presets.items()}
    assert seen["start"] == START
    assert seen["paradox"] == {**START, "prevalence": 0.95}
    assert seen["shift"] == {**START, "shift": 1}
    assert seen["noise"] == {**START, "noise": 1.5}
    assert lab.locator("#lab-seed").input_value() == "1"


def test_the_opening_names_the_kappa_that_is_low():
    told("agree on most items and still get a low Cohen's kappa?** Yes.")
    paradox = numbers(prevalence=0.95)
    assert paradox[PERCENT] > 0.5 and paradox[COHEN] < 0.4
    assert min(paradox[QUADRATIC], paradox[ALPHA]) > 0.6  # so "a kappa" would be wrong
    told("which coefficients fall with it and which rise")
    down = {name for name, fall in falls(prevalence=0.95).items() if fall > 0.1}
    up = {name for name, fall in falls(prevalence=0.95).items() if fall < -0.04}
    assert down == {COHEN, QUADRATIC, CENTRED, ALPHA} and up == {PERCENT, AC1, AC2}
    told("percent agreement goes up and Cohen's kappa goes down.")


def test_the_paradox_is_what_a_slow_hand_sees():
    path = {p: numbers(prevalence=p / 100) for p in range(20, 96)}
    start, end = path[20], path[95]
    told("Up to about 70 %, Cohen's kappa only goes up and down a little.")
    early = [path[p][COHEN] for p in range(20, 71)]
    assert max(early) - min(early) < 0.1
    assert min(early) < start[COHEN] < max(early)  # up and down
    told("From there on it falls, and it ends far below its start.")
    late = [path[p][COHEN] for p in range(70, 96, 5)]
    assert all(np.diff(late) < 0) and end[COHEN] < start[COHEN] - 0.2
    told("Percent agreement ends above its start")
    assert end[PERCENT] > start[PERCENT] + 0.1
    told("Quadratic kappa and alpha fall as well, but later.")
    for name in (QUADRATIC, ALPHA):
        assert end[name] < start[name] - 0.1
        assert start[name] - path[85][name] < 0.03  # while Cohen's kappa is on its way down
    assert start[COHEN] - path[85][COHEN] > 0.04


def test_the_shift_takes_from_each_coefficient_what_the_text_says():
    fall = falls(shift=1)
    told("Cohen's kappa falls most, percent agreement nearly as far")
    assert max(fall, key=fall.get) == COHEN
    assert 0.75 < fall[PERCENT] / fall[COHEN] < 1
    told("Quadratic kappa falls less than half as far as Cohen's")
    assert fall[QUADRATIC] < fall[COHEN] / 2
    told("*Quadratic kappa, shift removed* falls least of all.")
    assert min(fall, key=fall.get) == CENTRED
    told("the shift explains most of the loss of quadratic kappa")
    assert fall[CENTRED] < fall[QUADRATIC] / 2
    told("The mean is less than one step too high")
    expert, judge = np.array(ratings(**{**START, "shift": 1}), float).mean(axis=0)
    assert 0.5 < judge - expert < 1


def test_noise_and_few_items_do_what_the_text_says():
    fall = falls(noise=1.5)
    told("All coefficients fall far, and taking the shift away changes next to nothing.")
    assert min(fall.values()) > 0.25
    noisy = numbers(noise=1.5)
    assert abs(noisy[CENTRED] - noisy[QUADRATIC]) < 0.02
    told("With noise it explains next to nothing.", "go down to 20 items. The bars grow.")
    widths = []
    for items in (100, 20):
        x = np.array(ratings(**{**START, "items": items}), float)
        times = np.random.default_rng(1).multinomial(items, np.full(items, 1 / items), 400)
        ends = [percentile_interval(FUNCTIONS[n](x, SCALE).resampled(times))[:2] for n in IN_LAB]
        widths.append(np.diff(ends).ravel())
    assert (widths[1] > widths[0]).all()


def test_no_sentence_speaks_of_kappa_without_saying_which(lab):
    bare = r"(?<!Cohen's )(?<!uadratic )\b[Kk]appas?\b"
    text = PROSE.split("## How the ratings")[0] + PROSE.split("## Takeaways")[1]
    assert re.findall(bare, text) == []
    said = lab.evaluate(
        "(grid) => grid.map((v) => laboratory.finding(laboratory.generate(v)))", GRID
    )
    for finding in said:
        if "not defined" not in finding:  # there it is all of them
            assert re.findall(bare, finding) == [], finding


# ------------------------------------------------------------------------- what is seen


def value_of(page, name):
    cell = page.get_by_role("row", name=re.compile(f"^{name} ")).get_by_role("cell").first
    return float(cell.text_content().replace("−", "-"))


def preset(page, name):
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_timeout(450)
    return page.locator(".lab-finding").text_content()


def test_the_presets_show_what_they_are_called(lab):
    live = lab.locator(".lab-numbers")
    good = preset(lab, "A good judge")
    assert good.startswith("A good judge")
    before = {name: value_of(live, name) for name in ("Percent agreement", "Cohen's kappa")}
    paradox = preset(lab, "The prevalence paradox")
    assert paradox.startswith("The prevalence paradox")
    assert value_of(live, "Percent agreement") > before["Percent agreement"] + 0.1
    assert value_of(live, "Cohen's kappa") < before["Cohen's kappa"] - 0.2
    assert value_of(live, "AC1") > 0.75
    shift = preset(lab, "A rater one step too high")
    assert shift.startswith("A shift: the judge is 0.7 steps too high")
    removed = value_of(live, "Quadratic kappa, shift removed")
    assert removed > value_of(live, "Quadratic kappa") + 0.1
    assert preset(lab, "Noise").startswith("Noise")
    removed = value_of(live, "Quadratic kappa, shift removed")
    assert abs(removed - value_of(live, "Quadratic kappa")) < 0.05
    assert preset(lab, "Only the middle of the scale").startswith("Little of the scale")


def test_a_finding_never_tells_of_what_is_not_there(lab):
    found = lab.evaluate(
        "(grid) => grid.map((v) => laboratory.finding(laboratory.generate(v)))", GRID
    )
    for values, text in zip(GRID, found):
        x = np.array(ratings(**values), float)
        assert "NaN" not in text and "–" not in text
        difference = x[:, 1].mean() - x[:, 0].mean()
        if "steps too high" in text:
            assert difference > 0
        if "steps too low" in text:
            assert difference < 0
        if "not defined" in text:
            assert np.unique(x).size == 1
        if "paradox:" in text:
            assert (x[:, 0] == x[:, 1]).mean() >= 0.7


def test_it_works_with_the_keyboard_alone(lab):
    lab.keyboard.press("Tab")
    assert lab.evaluate("document.activeElement.dataset.preset") == "start"
    lab.keyboard.press("Tab")
    lab.keyboard.press("Enter")
    lab.wait_for_timeout(450)
    assert lab.locator(".lab-finding").text_content().startswith("The prevalence paradox")
    slider = lab.get_by_label("Bias of the judge")
    slider.focus()
    for _ in range(10):
        lab.keyboard.press("ArrowRight")
    expect(lab.locator("output[for='lab-shift']")).to_have_text("+1.00 steps")
    assert slider.get_attribute("aria-valuetext") == "+1.00 steps"
    lab.wait_for_timeout(450)
    assert "steps too high" in lab.locator(".lab-finding").text_content()


def test_every_slider_has_a_label_and_changes_the_chart(lab):
    sliders = lab.get_by_role("slider")
    assert sliders.count() == 5
    for slider in sliders.all():
        name = slider.get_attribute("id")
        assert lab.locator(f"label[for={name}]").text_content().strip()
        before = lab.locator(".lab-dots").inner_html()
        slider.focus()
        for _ in range(4):
            lab.keyboard.press("ArrowLeft" if name == "lab-use" else "ArrowRight")
        lab.wait_for_timeout(80)
        assert lab.locator(".lab-dots").inner_html() != before, name


def test_the_chart_says_the_finding_and_shows_where_it_was(lab):
    text = preset(lab, "The prevalence paradox")
    chart = lab.locator(".lab-dots svg")
    assert chart.get_attribute("aria-label") == text
    assert chart.locator(".it-dot").count() == len(IN_LAB)
    shift = lab.evaluate(
        """() => [...document.querySelectorAll(".lab-dots g")].map((g) => {
          const at = (e) => e.getBoundingClientRect().x + e.getBoundingClientRect().width / 2;
          return at(g.querySelector(".it-dot")) - at(g.querySelector(".it-before"));
        })"""
    )
    assert shift[0] > 20 and shift[1] < -20  # percent agreement up, kappa down
    lab.get_by_role("button", name="Mark this as start").click()
    lab.wait_for_timeout(100)
    rows = lab.locator(".lab-numbers tbody tr").all()
    assert all(
        r.locator("td").nth(0).text_content() == r.locator("td").nth(2).text_content() for r in rows
    )


def test_the_table_can_be_downloaded_as_it_is_shown(lab):
    link = lab.locator(".lab-numbers .rt-csv")
    assert link.get_attribute("download").endswith(".csv")
    text = unquote(link.get_attribute("href").removeprefix("data:text/csv;charset=utf-8,"))
    head, *rows = csv.reader(io.StringIO(text))
    shown = lab.locator(".lab-numbers tr").all()
    assert head == shown[0].locator("th").all_text_contents()
    told = [r.locator("th, td").all_text_contents() for r in shown[1:]]
    assert rows == [[cell.replace("−", "-") for cell in row] for row in told]


def test_the_preset_that_the_sliders_stand_at_is_marked(lab):
    def pressed():
        return lab.locator("[data-preset][aria-pressed='true']").all_text_contents()

    assert pressed() == ["A good judge"]
    preset(lab, "Noise")
    assert pressed() == ["Noise"]
    lab.get_by_label("Bias of the judge").fill("1")
    lab.wait_for_timeout(100)
    assert pressed() == []


def test_the_finding_stands_between_the_presets_and_the_chart(lab):
    places = [lab.locator(s).bounding_box()["y"] for s in
              ("[data-preset=start]", ".lab-finding", ".lab-chart")]  # fmt: skip
    assert places == sorted(places)


def test_the_table_of_items_counts_every_item(lab):
    counts = lab.locator(".lab-cells .it-count").all_text_contents()
    assert sum(int(count) for count in counts if count) == 100


def test_no_variation_is_said_and_not_drawn_as_a_number(lab):
    for name, value in (("prevalence", "100"), ("noise", "0"), ("items", "30")):
        lab.locator(f"#lab-{name}").fill(value)
    lab.wait_for_timeout(450)
    assert lab.locator(".lab-finding").text_content().startswith("All 60 ratings are 1.")
    texts = lab.locator(".lab-dots .it-value").all_text_contents()
    assert texts == ["1.00", *["not defined"] * 4, "1.00", "1.00"]


def test_new_items_are_other_items_and_an_odd_seed_is_put_right(lab):
    first = lab.locator(".lab-numbers").inner_text()
    lab.get_by_role("button", name="New items").click()
    lab.wait_for_timeout(100)
    assert lab.locator("#lab-seed").input_value() == "2"
    assert lab.locator(".lab-numbers").inner_text() != first
    lab.locator("#lab-seed").fill("")
    lab.wait_for_timeout(100)
    assert "NaN" not in lab.locator(".lab").inner_text()


def test_without_javascript_the_table_says_it(look, folder):
    page = look(folder, "book/laboratory.html", java_script_enabled=False)
    assert not page.locator(".lab").is_visible()
    assert page.get_by_text("The sliders need JavaScript").is_visible()
    assert page.locator("#lab-presets").is_visible()


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_built_page_on_a_phone_and_a_desk(look, scheme):
    for width in (390, 1280):
        size = {"width": width, "height": 844}
        page = look(BUILT, "book/laboratory.html", color_scheme=scheme, viewport=size)
        assert preset(page, "The prevalence paradox").startswith("The prevalence paradox")
        assert no_sideways(page) == []
        assert no_barrier(page) == {}
        for chart in page.locator(".lab svg").all():
            box = chart.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["height"] > 100


@pytest.mark.usefixtures("site")
def test_no_other_page_loads_the_interactive_scripts():
    for page in BUILT.rglob("*.html"):
        has = "interactive.js" in page.read_text(encoding="utf-8")
        assert has == (page.stem in ("laboratory", "be-the-judge")), page
