"""What a reader sees: tables in HTML and in text, numbers in words, charts."""

import base64
import csv
import io
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import vl_convert
from helpers import refused

from raters.show import charts
from raters.show import tables as display

HOSTILE = "<script>alert(\"1\")</script> & 'quoted'"
STAMP = "Simulated ratings: <not> the paper's."


@pytest.fixture(autouse=True)
def no_stamp_left_behind():
    yield
    display.use()


class _Tags(HTMLParser):
    """Every tag with its attributes, and the text inside each kind of tag."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.texts = [], [], []
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)
        self.texts.append((tag, ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and data.strip():
            self.texts.append((self.open[-1], data))

    def of(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    def text(self, tag):
        return [data for name, data in self.texts if name == tag and data]


def html(frame, caption="A caption.", **options):
    return _Tags(display.table(frame, caption, **options)._repr_html_())


# --- tables -----------------------------------------------------------------------


def test_text_from_data_is_shown_and_never_run():
    frame = pd.DataFrame({HOSTILE: [HOSTILE], "other": [HOSTILE]})
    found = html(frame, HOSTILE)
    assert {tag for tag, _ in found.tags} == {
        "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "a"
    }  # fmt: skip
    assert found.of("a")[0]["aria-label"] == f"Download this table as CSV: {HOSTILE}"
    assert found.of("a")[0]["href"].startswith("data:text/csv")
    assert found.of("div")[0]["aria-label"] == HOSTILE
    assert found.text("caption") == [HOSTILE]
    assert found.text("th") == [HOSTILE, "other", HOSTILE] and found.text("td") == [HOSTILE]


def test_headers_say_what_they_head():
    found = html(pd.DataFrame({"name": ["a", "b"], "k": [0.5, 1.0]}))
    assert [th["scope"] for th in found.of("th")] == ["col", "col", "row", "row"]
    assert len(found.of("td")) == 2 and all(td == {"class": "n"} for td in found.of("td"))
    assert found.of("div")[0]["tabindex"] == "0"


@pytest.mark.parametrize(
    ("text", "kept"),
    [("−0.16 to −0.04", True), ("0.57 [-0.30, +0.05]", True), ("13 of 21", True), ("–", True),
     ("below", False), ("up to 5 levels", False), ("", False)],
)  # fmt: skip
def test_an_interval_stays_on_one_line_and_a_sentence_does_not(text, kept):
    found = html(pd.DataFrame({"name": ["GPT-4o", "Demonstrating understanding"], "x": [text, ""]}))
    assert (found.of("td")[0] == {"class": "k"}) == kept
    assert [th.get("class") for th in found.of("th")] == ["k", "k", "k", None]


def test_cells_are_rounded_and_readable():
    frame = pd.DataFrame(
        {
            "name": ["a", None],
            "k": [-0.126, np.nan],
            "p": [0.00012, -0.00001],
            "n": [12345, 7],
            "same": [True, False],
        }
    )
    found = html(frame, digits={"p": 3})
    assert found.text("td") == [
        *("\N{MINUS SIGN}0.13", "0.000", "12,345", "yes"),
        *("–", "0.000", "7", "no"),
    ]
    text = repr(display.table(frame, "A caption.", digits={"p": 3}))
    assert "\N{MINUS SIGN}0.13" in text and "-0.13" not in text


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (-1.005, 1, "\N{MINUS SIGN}1.0"),
        (-0.0004, 3, "0.000"),
        (-3, 2, "\N{MINUS SIGN}3"),
        (np.int64(-1200), 2, "\N{MINUS SIGN}1,200"),
        (np.float64(1234.5), 1, "1,234.5"),
        (None, 2, "–"),
        (pd.NA, 2, "–"),
    ],
)
def test_numbers_for_reading(value, digits, expected):
    assert display.number(value, digits) == expected


def test_an_interval_has_two_minus_signs():
    assert display.interval(-0.5, -0.25) == "\N{MINUS SIGN}0.50 to \N{MINUS SIGN}0.25"


def test_columns_are_chosen_named_and_ordered():
    frame = pd.DataFrame({"a": [1], "b": [2], "c": [3]})
    found = html(frame, columns={"c": "third", "a": "first"})
    assert found.text("th")[:2] == ["third", "first"] and found.text("td") == ["1"]
    refused(lambda: display.table(frame, "x", {"d": "fourth"}), "'d'", "'a'")
    refused(lambda: display.table(frame, "  "), "caption")


def test_the_stamp_is_on_every_table_and_callers_cannot_lose_it():
    table = display.table(pd.DataFrame({"a": ["x"], "b": [1.0]}), "A caption.")
    assert STAMP not in repr(table)
    display.use(STAMP)
    found = _Tags(table._repr_html_())
    assert found.of("strong") == [{"class": "rt-stamp"}] and found.text("strong") == [STAMP]
    assert repr(table).splitlines()[:2] == ["A caption.", STAMP]
    display.use()
    assert "rt-stamp" not in table._repr_html_() and STAMP not in repr(table)


def test_a_table_brings_its_numbers_along_as_csv():
    rows = {"name": ["a, b", 'c "d"'], "k": [1 / 3, np.nan], "n": [3, -4]}
    shown = display.table(pd.DataFrame(rows), "Two numbers: all digits.")
    link = _Tags(shown._repr_html_()).of("a")[0]
    assert re.fullmatch(r"two-numbers-all-digits-[0-9a-f]{8}\.csv", link["download"])
    text = base64.b64decode(link["href"].partition("base64,")[2]).decode()
    assert text == shown.csv()
    back = pd.read_csv(io.StringIO(text))
    pd.testing.assert_frame_equal(back, pd.DataFrame(rows), rtol=1e-11)
    display.use(STAMP)
    assert pd.read_csv(io.StringIO(shown.csv()))["note"].tolist() == [STAMP, STAMP]
    display.use()


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd", "@SUM(A1)", "-2+3", " =1", "\t=1", "\uff1d1", "\r1", '=HYPERLINK("x")']
)
def test_no_cell_of_a_csv_is_a_formula(text):
    shown = display.table(pd.DataFrame({text: [text, "fine"], "n": [-1.5, 2]}), "A caption.")
    (head, *_), (cell, number), (fine, _) = csv.reader(io.StringIO(shown.csv(), newline=""))
    assert (head, cell) == ("'" + text.replace("\r", " "),) * 2
    assert (number, fine) == ("-1.5", "fine")


def test_a_number_as_text_stays_a_number_in_a_csv():
    assert "'" not in display.table(pd.DataFrame({"d": ["-0.5", "+3"]}), "A caption.").csv()


def test_long_text_is_not_cut_in_a_terminal():
    long = "word " * 60 + "end"
    assert "end" in repr(display.table(pd.DataFrame({"a": [long], "b": [1]}), "A caption."))


def test_sentences_are_markdown_in_one_line():
    sentence = display.say(
        """Two lines
           become one."""
    )
    assert sentence._repr_markdown_() == "Two lines become one." == repr(sentence)


# --- charts --------------------------------------------------------------------------

DIMENSIONS = ["Validating emotions", "Advice & more", "Self-oriented"]


def _results(series):
    rows = [
        {
            "dimension": d,
            "series": s,
            "panel": f"Framework {i % 2}",
            "estimate": i / 10 + j / 5 - 0.1,
        }
        for i, d in enumerate(DIMENSIONS)
        for j, s in enumerate(series)
    ]
    return pd.DataFrame(rows).assign(
        low=lambda x: x["estimate"] - 0.1, high=lambda x: x["estimate"] + 0.1
    )


def dots(title="Who agrees?", description="Experts do, n = 50.", **options):
    frame = _results(["expert pairs", "experts and models"])
    return charts.dots(frame, title, description, **options)


def dots_in_panels(title="Who agrees?", description="Experts do, n = 50."):
    return dots(title, description, panel="panel")


def dots_without_intervals(title="Who agrees?", description="Experts do, n = 50."):
    frame = _results(["crowd"]).drop(columns=["low", "high"])
    return charts.dots(frame, title, description, x_title="kappa")


def bands(title="Who agrees?", description="Experts do, n = 50.", panel="panel"):
    ranges, points = _results(["experts"]), _results(["Gemini", "crowd"])
    return charts.bands(ranges, points, title, description, "kappa", "expert pairs", panel)


def shares(title="Who agrees?", description="Experts do, n = 50."):
    frame = pd.DataFrame(
        [
            {"dimension": d, "rater": r, "level": str(level), "share": 0.5}
            for d in DIMENSIONS
            for r in ("Expert 1", "Claude")
            for level in (1, 2)
        ]
    )
    return charts.shares(frame, title, description, ["1", "2"])


def scatter(title="Who agrees?", description="Experts do, n = 50.", diagonal=True):
    frame = _results(["Gemini", "GPT-4o"]).rename(columns={"low": "expert kappa"})
    return charts.scatter(frame, title, description, "expert kappa", "estimate", diagonal=diagonal)


EVERY = [dots, dots_in_panels, dots_without_intervals, bands, shares, scatter]


@pytest.mark.parametrize("draw", EVERY)
def test_every_chart_is_valid_and_says_what_it_shows(draw):
    spec = draw().to_dict()  # Altair checks it against the schema of Vega-Lite
    assert spec["title"]["text"] == "Who agrees?"
    assert spec["description"] == "Experts do, n = 50."
    assert STAMP not in json.dumps(spec)


@pytest.mark.parametrize("draw", EVERY)
def test_every_chart_carries_the_stamp_in_sight_and_in_words(draw):
    display.use(STAMP)
    spec = draw().to_dict()
    assert spec["title"]["subtitle"] == [STAMP]
    assert spec["description"] == f"Experts do, n = 50. {STAMP}"


@pytest.mark.parametrize(
    ("draw", "labels"),
    [
        (dots, [*DIMENSIONS, "expert pairs", "experts and models", "estimate"]),
        (dots_in_panels, [*DIMENSIONS, "Framework 0", "Framework 1", "experts and models"]),
        (dots_without_intervals, [*DIMENSIONS, "crowd", "kappa"]),
        (bands, [*DIMENSIONS, "Framework 1", "Gemini", "crowd", "kappa"]),
        (shares, [*DIMENSIONS, "Expert 1", "Claude", "share of items", "100%"]),
        (scatter, ["expert kappa", "estimate", "Gemini", "GPT-4o"]),
    ],
)
def test_every_chart_becomes_a_picture_with_its_labels(draw, labels):
    display.use(STAMP)
    svg = vl_convert.vegalite_to_svg(draw().to_dict())
    found = _Tags(svg).text("text")
    assert {"Who agrees?", STAMP, *labels} <= set(found), set(labels) - set(found)


@pytest.mark.parametrize(
    ("draw", "name"), [(dots_in_panels, "experts and models"), (bands, "Gemini"), (shares, "2")]
)
def test_panels_share_one_legend(draw, name):
    svg = vl_convert.vegalite_to_svg(draw().to_dict())
    assert _Tags(svg).text("text").count(name) == 1


@pytest.mark.parametrize("draw", EVERY)
@pytest.mark.parametrize("empty", [{"title": " "}, {"description": ""}])
def test_a_chart_without_words_is_refused(draw, empty):
    refused(lambda: draw(**empty), "read aloud")


def test_too_many_rows_are_refused_with_their_number():
    frame = pd.concat([_results(["crowd"])] * 300, ignore_index=True)
    refused(lambda: charts.dots(frame, "Who?", "They."), "900 rows", "600")
    frame = frame.assign(rater="a", level="1", share=1.0)
    refused(lambda: charts.shares(frame, "Who?", "They.", ["1"]), "900 rows")


def _dicts(node):
    """Every dictionary in a specification."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            yield from _dicts(child)


def _looks(chart):
    """Colour and shape of each series."""
    found = {}
    for node in _dicts(chart.to_dict()):
        for channel in {"color", "shape"} & set(node):
            scale = node[channel].get("scale") if isinstance(node[channel], dict) else None
            for name, value in zip(scale["domain"], scale["range"], strict=True) if scale else ():
                found.setdefault(name, {})[channel] = value
    return {name: (look["color"], look["shape"]) for name, look in found.items()}


def test_a_series_looks_the_same_in_every_chart():
    names = list(charts.SERIES)
    for chosen in (names[:3], names[2:6], names[::-1][:4]):
        looks = _looks(charts.dots(_results(chosen), "Who?", "They."))
        assert looks == {name: charts.SERIES[name] for name in chosen}


OF_GROUPS = {charts.EXPERT, charts.MODEL, charts.CROWD}


@pytest.mark.parametrize("count", [1, 5, 20])
def test_unknown_series_differ_and_take_no_group_s_colour(count):
    names = [f"rater {i}" for i in range(count)]
    looks = _looks(charts.dots(_results(names), "Who?", "They."))
    assert len(looks) == len(set(looks.values())) == count
    assert not {colour for colour, _ in looks.values()} & OF_GROUPS


def test_unknown_judges_have_the_judges_colour_and_shapes_of_their_own():
    frame = _results(["mine", "Gemini", "yours"]).rename(columns={"series": "judge"})
    frame = frame.rename(columns={"estimate": "difference"})
    looks = _looks(charts.against_line(frame, "Who?", "They."))
    assert looks["Gemini"] == charts.SERIES["Gemini"]
    assert {looks[name][0] for name in ("mine", "yours")} == {charts.MODEL}
    assert len({shape for _, shape in looks.values()}) == 3


@pytest.mark.parametrize(
    ("group", "colour"),
    [("Experts", charts.EXPERT), ("llm", charts.MODEL), ("judge", charts.MODEL),
     ("crowd", charts.CROWD)],
)  # fmt: skip
def test_a_rater_has_the_colour_of_its_group(group, colour):
    frame = _results(["ann", "bob"]).assign(group=lambda x: np.where(x.series == "ann", group, "x"))
    looks = _looks(charts.dots(frame, "Who?", "They."))
    assert looks["ann"][0] == colour and looks["bob"][0] not in OF_GROUPS
    assert _looks(charts.dots(_results([group]), "Who?", "They."))[group][0] == colour


def test_the_colour_of_a_group_that_all_belong_to_tells_nothing():
    frame = _results(["percentile", "BCa"]).assign(group="experts")
    looks = _looks(charts.dots(frame, "Who?", "They."))
    assert not {colour for colour, _ in looks.values()} & OF_GROUPS
    frame = frame.rename(columns={"series": "rater"})  # raters have their group's colour
    looks = _looks(charts.dots(frame, "Who?", "They.", series="rater"))
    assert {colour for colour, _ in looks.values()} == {charts.EXPERT}


def _contrast_with_white(colour):
    def light(value):
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    channels = [light(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5)]
    return 1.05 / (np.dot(channels, [0.2126, 0.7152, 0.0722]) + 0.05)


def test_every_colour_of_a_mark_stands_out_from_the_ground():
    colours = {colour for colour, _ in charts.SERIES.values()} | set(charts._NEUTRAL)
    for colour in colours:
        assert _contrast_with_white(colour) >= 3, colour  # WCAG 1.4.11


def _marks(spec):
    """Place and colour of each point of a drawn chart."""
    svg = vl_convert.vegalite_to_svg(spec)
    point = r'aria-roledescription="point" transform="translate\(([\d.]+),([\d.]+)\)"'
    found = re.findall(point + r'[^>]*fill="([^"]+)"', svg)
    return [(float(x), float(y), fill) for x, y, fill in found]


def test_models_with_the_same_value_do_not_hide_each_other():
    names = ["Gemini", "GPT-4o", "Claude", "crowd"]
    points = _results(names).assign(estimate=0.5)
    spec = charts.bands(_results(["experts"]), points, "Who?", "They.", "kappa", "pairs").to_dict()
    marks = _marks(spec)
    assert len(marks) == len(names) * len(DIMENSIONS)
    assert len({x for x, _, _ in marks}) == 1  # one value
    heights = sorted(y for _, y, _ in marks)
    assert np.diff(heights).min() >= 6
    assert len({fill for *_, fill in marks}) == 4


def test_the_legend_names_the_bar_and_the_tick_of_bands():
    texts = _Tags(vl_convert.vegalite_to_svg(bands().to_dict())).text("text")
    assert texts.count("expert pairs: range") == texts.count("expert pairs: mean") == 1


def test_strips_mark_the_mean_and_draw_equal_values_once_by_their_number():
    values = [0.0, 0.0, 0.0, 1.0]  # the median is 0, the mean 0.25
    frame = pd.DataFrame({"series": "crowd", "estimate": values, "dimension": list("abcd")})
    spec = charts.strips(frame, "Who?", "They.", "kappa").to_dict()
    rows = list(spec["datasets"].values())
    assert [{"series": "crowd", "estimate": 0.25}] in rows
    dots = next(r for r in rows if "count" in r[0])
    assert [(r["estimate"], r["count"], r["dimension"]) for r in dots] == [
        (0.0, 3, "a, b, c"),
        (1.0, 1, "d"),
    ]
    svg = vl_convert.vegalite_to_svg(spec)
    assert "kappa (tick: mean; size: how many)" in _Tags(svg).text("text")
    ((first, last),) = [[x for x, _, _ in _marks(spec)]]
    (tick,) = re.findall(r'tick"[^>]* d="M([\d.]+),', svg)
    assert float(tick) + 1.5 == pytest.approx(first + 0.25 * (last - first), abs=0.6)
    # of squares here, 4 r^2: each value adds the same to the area of its dot
    point = r'aria-roledescription="point"[^>]* d="M-([\d.]+),'
    big, small = (float(r) for r in re.findall(point, svg))
    assert (4 * small**2, 4 * big**2) == pytest.approx((20 + 40, 20 + 3 * 40), rel=0.01)
    alone = charts.strips(frame.iloc[2:], "Who?", "They.", "kappa").to_dict()
    assert "kappa (tick: mean)" in json.dumps(alone)


def test_long_text_in_a_table_is_marked_as_in_need_of_width():
    rows = pd.DataFrame({"d": ["a"], "said": ["as good as an expert"], "k": ["0.10 to 0.20"]})
    page = display.table(rows, "One.")._repr_html_()
    assert '<td class="t">as good' in page and '<td class="k">0.10' in page


def test_a_line_with_one_series_has_its_mark_in_the_middle():
    frame = _results(["Gemini", "crowd"])
    frame = frame[(frame["dimension"] == DIMENSIONS[0]) == (frame["series"] == "crowd")]
    spec = charts.dots(frame, "Who?", "They.").to_dict()
    assert "yOffset" not in json.dumps(spec)
    assert "yOffset" in json.dumps(charts.dots(_results(["Gemini", "crowd"]), "W", "T").to_dict())


@pytest.mark.parametrize(("lowest", "drawn"), [(-0.3, True), (0.1, False)])
def test_zero_is_a_line_where_values_lie_below_it(lowest, drawn):
    frame = _results(["crowd"]).assign(estimate=0.5, low=lowest, high=0.9)
    spec = charts.dots(frame, "Who?", "They.").to_dict()
    assert ([{"at": 0.0}] in spec["datasets"].values()) == drawn


def test_panels_share_the_title_of_their_axis():
    svg = vl_convert.vegalite_to_svg(dots_in_panels().to_dict())
    assert _Tags(svg).text("text").count("estimate") == 1


@pytest.mark.parametrize("draw", [dots, dots_in_panels, bands, scatter])
def test_the_legend_picks_a_series(draw):
    (param,) = draw().to_dict()["params"]
    assert param["bind"] == "legend" and param["select"]["fields"] == ["series"]
    assert dots_without_intervals().to_dict().get("params") is None  # nothing to pick from


def test_shares_run_from_the_lowest_level_to_the_highest():
    spec = shares().to_dict()
    rows = next(iter(spec["datasets"].values()))
    assert {row["level"]: row["place"] for row in rows} == {"1": 0, "2": 1}


def test_the_axis_grows_with_the_values_and_never_cuts_them():
    frame = _results(["crowd"])
    frame.loc[0, ["low", "estimate", "high"]] = [-0.4, 0.2, 1.3]
    spec = charts.dots(frame, "Who?", "They.").to_dict()
    (domain,) = {tuple(n["domain"]) for n in _dicts(spec) if isinstance(n.get("domain"), list)
                 and not isinstance(n["domain"][0], str)}  # fmt: skip
    # Beyond the values by 3 % of the axis, so that no mark lies on the frame.
    assert domain == pytest.approx((-0.4 - 0.03 * 1.7, 1.3 + 0.03 * 1.7))
    assert '"domain": [-1, 1]' in json.dumps(
        charts.dots(frame, "Who?", "They.", domain=(-1, 1)).to_dict()
    )


def test_an_undefined_estimate_is_no_obstacle():
    frame = _results(["crowd"])
    frame.loc[1, ["estimate", "low", "high"]] = np.nan
    svg = vl_convert.vegalite_to_svg(charts.dots(frame, "Who?", "They.").to_dict())
    assert "NaN" not in svg and DIMENSIONS[0] in svg


def test_text_from_data_is_text_in_a_picture():
    frame = _results(["crowd"]).assign(dimension=HOSTILE)[:1]
    found = _Tags(vl_convert.vegalite_to_svg(charts.dots(frame, HOSTILE, HOSTILE).to_dict()))
    assert not found.of("script") and found.text("text").count(HOSTILE) == 2


def test_use_sets_the_stamp_and_the_renderer(monkeypatch):
    import altair

    before = altair.renderers.active
    try:
        charts.use(STAMP)
        assert display.stamp() == STAMP and altair.renderers.active == "raters"
        monkeypatch.setitem(sys.modules, "google.colab", None)
        charts.use()
        assert display.stamp() == "" and altair.renderers.active == "default"
    finally:
        altair.renderers.enable(before)
