"""The charts of a judge: drawn from the frames that the functions return."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import vl_convert

from raters import RatingsError, Scale
from raters.judges.baselines import against_baselines
from raters.judges.disagreement import confusion, level_and_order, step_errors
from raters.judges.planning import gain_from_raters, plan
from raters.judges.recalibration import calibration
from raters.show import charts, charts_judge

SCALE = Scale([1, 2, 3, 4, 5])
SAY = ("Does it?", "It does, n = 40.")
FAST = {"resamples": 50}


def study():
    rng = np.random.default_rng(1)
    true = rng.normal(3, 1, 40)
    parts = []
    for dimension in ("warmth", "advice"):
        for name, group, shift in (
            ("e1", "expert", 0), ("e2", "expert", 0), ("e3", "expert", 0),
            ("j", "llm", 1), ("c1", "crowd", 0.5), ("c2", "crowd", 0.5),
        ):  # fmt: skip
            values = np.clip(np.rint(true + shift + rng.normal(0, 0.6, 40)), 1, 5)
            items = [f"i{n:02d}" for n in range(40)]
            parts.append(
                pd.DataFrame({"item": items, "rater": name, "group": group, "rating": values})
                .assign(dimension=dimension)
            )  # fmt: skip
    return pd.concat(parts)


FRAME = study()


def draw_level():
    return charts_judge.level_and_order(level_and_order(FRAME, SCALE, "j", **FAST), "j", *SAY)


def draw_sizes():
    return charts_judge.error_sizes(step_errors(FRAME, SCALE, "j", **FAST), "j", *SAY)


def draw_confusion():
    return charts_judge.confusion(confusion(FRAME, SCALE, "j"), "warmth", "j", *SAY)


def draw_calibration():
    found = calibration(FRAME, SCALE, "j", methods=["shift", "moments"], **FAST)
    return charts_judge.calibration(found, "j", *SAY, methods=("shift", "moments"))


def draw_curve():
    found = calibration(FRAME, SCALE, "j", methods="shift", n_train=[5, 20], **FAST)
    return charts_judge.learning_curve(found, "j", *SAY, framework="all")


def draw_baselines():
    found = against_baselines(FRAME, SCALE, "j", groups={"crowd mean": "crowd"}, **FAST)
    return charts_judge.baselines(found, *SAY, dimension="mean of dimensions")


def draw_plan():
    found = plan(FRAME, SCALE, n_items=[20, 80], n_raters=[2, 3], **FAST)
    return charts_judge.plan(found, *SAY, "warmth", "all", width=0.3)


def draw_gain():
    found = gain_from_raters(FRAME, SCALE, k=[1, 3, np.inf], criterion="expert", **FAST)
    return charts_judge.gain_from_raters(found, *SAY, framework="all")


DRAWINGS = {
    draw_level: ["as rated", "without the shift of level", "warmth"],
    draw_sizes: ["one level off", "two or more off"],
    draw_confusion: ["judge", "reference", "5"],
    draw_calibration: ["before", "after shift", "after moments"],
    draw_curve: ["labelled items to learn from", "20"],
    draw_baselines: ["majority", "crowd mean", "j"],
    draw_plan: ["2 raters", "3 raters", "width of the interval"],
    draw_gain: ["reliability of the mean", "kappa with the criterion"],
}


@pytest.mark.parametrize("draw", DRAWINGS, ids=lambda f: f.__name__)
def test_charts_are_drawn_with_title_labels_and_alternative_text(draw):
    chart = draw().to_dict()
    assert chart["title"]["text"] == SAY[0] and chart["description"] == SAY[1]
    svg = vl_convert.vegalite_to_svg(chart)
    for text in DRAWINGS[draw]:
        assert f">{text}<" in svg
    assert "NaN" not in svg


def test_a_confusion_chart_shows_every_item_once():
    rows = next(iter(draw_confusion().to_dict()["datasets"].values()))
    assert len(rows) == 25 and sum(row["n"] for row in rows) == 40


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: charts_judge.level_and_order(f, "nobody", *SAY), "no row with"),
        (lambda f: charts_judge.calibration(f, "j", *SAY), "without the columns"),
        (
            lambda f: charts_judge.confusion(confusion(FRAME, SCALE, "j"), "x", "j", *SAY),
            "dimension",
        ),
        (
            lambda f: charts_judge.learning_curve(
                calibration(FRAME, SCALE, "j", methods="shift", n_train=5, resamples=0),
                "j", *SAY, framework="all",
            ),
            "two or more",
        ),
    ],
)  # fmt: skip
def test_frames_that_are_others_are_refused(call, message):
    with pytest.raises(RatingsError, match=message):
        call(level_and_order(FRAME, SCALE, "j", resamples=0))


def test_the_chart_of_differences_fills_what_is_told_apart():
    frame = pd.DataFrame(
        {
            "dimension": ["x", "y", "z"],
            "judge": "j",
            "difference": [0.2, 0.0, np.nan],
            "low": [0.1, -0.2, np.nan],
            "high": [0.3, 0.2, np.nan],
        }
    )
    chart = charts.against_line(frame, "Is it above?", "One is, one cannot be told.", margin=0.1)
    spec = chart.to_dict()
    assert spec["description"] == "One is, one cannot be told."
    assert "<title>" not in spec and vl_convert.vegalite_to_svg(spec).startswith("<svg")
    filled = [layer for layer in spec["layer"] if "transform" in layer]
    assert len(filled) == 1 and "datum.low > 0.0" in filled[0]["transform"][0]["filter"]
    rates = frame.rename(columns={"difference": "rate"}).drop(columns=["low", "high"])
    chart = charts.against_line(rates, "Who passes?", "One.", "rate", line=0.5, x_title="omega")
    assert vl_convert.vegalite_to_svg(chart.to_dict()).startswith("<svg")


def test_a_matrix_has_each_pair_in_both_directions_and_a_border_within_a_group():
    pairs = pd.DataFrame(
        {
            "rater_a": ["e1", "e1", "e2"],
            "rater_b": ["e2", "j", "j"],
            "estimate": [0.5, 0.123, 0.2],
            "same": [True, False, False],
        }
    )
    spec = charts_judge.matrix(pairs, *SAY).to_dict()
    (rows,) = spec["datasets"].values()
    cells = {(row["rater_a"], row["rater_b"]): row for row in rows}
    assert len(rows) == len(cells) == 6
    assert cells["j", "e1"]["estimate"] == cells["e1", "j"]["estimate"] == 0.123
    assert {cell for cell, row in cells.items() if row["same"]} == {("e1", "e2"), ("e2", "e1")}
    assert "0.12" in vl_convert.vegalite_to_svg(spec)
    assert "same" not in pairs.drop(columns="same") and charts_judge.matrix(
        pairs.drop(columns="same"), *SAY
    )
