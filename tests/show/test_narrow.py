"""The layout of charts for narrow screens."""

from __future__ import annotations

import re

import pandas as pd
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from raters.show import charts
from raters.show.phone import LABEL_ROOM, WIDTH, narrow, used_columns

NAMES = ["Encouraging elaboration", "Empathy", "Dismissing emotions"]
WORDS = "Kappa is 0.5, 0.6 and 0.7 (n = 3)."


def frame(series=("experts", "crowd")):
    rows = [
        {"dimension": d, "series": s, "panel": f"part {i % 2}", "estimate": 0.5 + i / 10}
        for i, d in enumerate(NAMES)
        for s in series
    ]
    return pd.DataFrame(rows).assign(
        low=lambda x: x["estimate"] - 0.1, high=lambda x: x["estimate"] + 0.1, note="not drawn"
    )


def drawn(spec):
    """The texts of the picture with their places, and its width."""
    svg = vl_convert.vegalite_to_svg(spec)
    width = float(re.search(r'<svg[^>]* width="([\d.]+)"', svg)[1])
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg), width


def charts_of(**options):
    yield charts.dots(frame(), "What is it?", WORDS, **options)
    yield charts.dots(frame(["experts"]), "What is it?", WORDS, **options)
    yield charts.strips(frame(["experts and models"]), "What is it?", WORDS, "kappa", **options)
    if not options:
        bands = frame(["experts"]).drop(columns="series")
        yield charts.bands(bands, frame(), "What is it?", WORDS, "kappa", "experts")


@pytest.mark.parametrize("options", [{}, {"panel": "panel"}], ids=["one", "panels"])
def test_names_stand_above_their_rows_and_the_plot_has_the_width(options):
    for chart in charts_of(**options):
        wide = chart.to_dict()
        before, (texts, width) = drawn(wide), drawn(narrow(wide))
        assert width <= WIDTH + 40 < before[1]
        assert sorted(texts) == sorted(before[0])  # nothing is cut, nothing is lost
        assert chart.to_dict() == wide


def test_a_row_has_room_for_its_name():
    one, two = (charts.dots(frame(s), "What?", WORDS).to_dict() for s in (["a"], ["a", "b"]))
    heights = [narrow(spec)["height"]["step"] for spec in (one, two)]
    assert heights == [24 + LABEL_ROOM, 2 * 14 + LABEL_ROOM]
    axis = narrow(one)["layer"][0]["encoding"]["y"]["axis"]
    assert axis["labelOffset"] == pytest.approx(-(24 + LABEL_ROOM) / 2 + 1)


def test_a_name_stands_over_the_band_and_the_line_and_not_under_them():
    rows = frame().rename(columns={"estimate": "difference"})
    spec = charts.against_line(rows, "What?", WORDS, series="series", line=0.5, margin=0.2)
    svg = vl_convert.vegalite_to_svg(narrow(spec.to_dict()))
    marks = [svg.rindex(f'aria-roledescription="{kind}') for kind in ("rect mark", "rule mark")]
    assert all(svg.index(f">{name}</text>") > max(marks) for name in NAMES)


def test_short_names_stay_beside_their_rows():
    short = frame().assign(dimension=lambda x: x["dimension"].str[:5])
    spec = narrow(charts.dots(short, "What?", WORDS).to_dict())
    axis = spec["layer"][0]["encoding"]["y"]["axis"]
    assert "labelAlign" not in axis and spec["width"] < WIDTH
    assert drawn(spec)[1] <= WIDTH + 40


@pytest.mark.parametrize("rows, times", [(5, 1), (30, 2)])
def test_a_tall_chart_has_its_axis_at_the_top_too(rows, times):
    many = pd.DataFrame({"dimension": [f"a dimension, number {i}" for i in range(rows)]})
    many = many.assign(series="experts", estimate=0.5, low=0.4, high=0.6)
    points = many.assign(series="crowd")
    for chart in (
        charts.dots(many, "What?", WORDS, x_title="kappa"),
        charts.bands(many.drop(columns="series"), points, "What?", WORDS, "kappa", "pairs"),
    ):
        texts, width = drawn(narrow(chart.to_dict()))
        assert texts.count("kappa") == times and texts.count("1.0") == times
        assert width <= WIDTH + 40


def test_a_scatter_only_becomes_narrower():
    spec = charts.scatter(frame(), "What?", WORDS, "estimate", "low").to_dict()
    slim = narrow(spec)
    assert slim["width"] < spec["width"] and slim["height"] == spec["height"]


def test_an_axis_of_shares_keeps_both_of_its_ends():
    raters = ["Expert 1", "Gemini"]
    rows = [{"dimension": "Empathy", "rater": r, "level": "1", "share": 1.0} for r in raters]
    spec = charts.shares(pd.DataFrame(rows), "Who?", WORDS, ["1"]).to_dict()
    texts, width = drawn(narrow(spec))
    assert {"0%", "100%"} <= set(texts) and width <= WIDTH + 40


def test_a_long_title_is_broken_and_a_stamp_with_it():
    from raters.show import tables as display

    display.use("Simulated ratings: these numbers are not the paper's, they are made up.")
    try:
        title = "Which of the raters agree with the experts as well as the experts do?"
        spec = narrow(charts.dots(frame(), title, WORDS).to_dict())
    finally:
        display.use()
    assert len(spec["title"]["text"]) > 1 and " ".join(spec["title"]["text"]) == title
    assert len(spec["title"]["subtitle"]) > 1
    assert drawn(spec)[1] <= WIDTH + 40


def test_columns_that_nothing_names_do_not_travel():
    spec = charts.against_line(
        frame().rename(columns={"estimate": "difference"}), "What?", WORDS, series="series"
    ).to_dict()
    slim = used_columns(spec)
    rows = [row for rows in slim["datasets"].values() for row in rows]
    assert not any("note" in row for row in rows)
    # `low` is named inside an expression only where there is no bar: it has to stay
    assert any("low" in row for row in rows)
    assert vl_convert.vegalite_to_svg(slim) == vl_convert.vegalite_to_svg(spec)


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=60))
def test_any_title_keeps_its_words(title):
    spec = {"mark": "point", "title": title, "width": 300, "height": 100}
    assert " ".join(narrow(spec)["title"]["text"]).split() == title.split()


def test_a_title_of_an_axis_that_is_wider_than_the_plot_goes_on_in_a_next_line():
    title = "slope of experts less slope of Gemini, per 100 words"
    rows = [{"who": "a judge with a long name", "k": 0.5}]
    encoding = {
        "x": {"field": "k", "type": "quantitative", "title": title},
        "y": {"field": "who", "type": "nominal"},
    }
    spec = {"data": {"values": rows}, "mark": "point", "width": 400, "height": {"step": 20}}
    lines = narrow({**spec, "encoding": encoding})["encoding"]["x"]["title"]
    assert len(lines) == 2 and " ".join(lines) == title
    assert encoding["x"]["title"] == title
