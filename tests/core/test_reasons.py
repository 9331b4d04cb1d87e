"""Why a result is not defined: a code for programs beside the sentence for people."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import judging_empathy
import raters
from raters import Scale, agreement, compare, pairwise
from raters.coefficients import MANY, PAIR
from raters.coefficients.base import NO_VARIATION, NOTHING_SHARED, Reason, code_of, notes
from raters.judges import benchmark

FIVE = Scale([1, 2, 3, 4, 5])


def long(columns):
    return pd.concat(
        pd.DataFrame({"item": range(len(x)), "rater": name, "rating": x})
        for name, x in columns.items()
    )


@pytest.mark.parametrize(
    ("columns", "statistic", "code"),
    [
        ({"a": [2, 2, 2], "b": [2, 2, 2]}, "cohen_kappa", "no_variation"),
        ({"a": [2, 2, 2], "b": [1, 2, 3]}, "spearman_rho", "no_variation"),
        ({"a": [1, None, 2], "b": [None, 3, None]}, "cohen_kappa", "nothing_shared"),
        ({"a": [1, 2, 3], "b": [1, 2, 4]}, "cohen_kappa", ""),
        ({"a": [2, 2, 2], "b": [2, 2, 2]}, "percent_agreement", ""),
    ],
)
def test_codes_of_pairs(columns, statistic, code):
    row = pairwise(long(columns), FIVE, statistic, resamples=0).iloc[0]
    assert row["undefined"] == code
    assert np.isnan(row["estimate"]) == (code != "") == row["note"].startswith("not defined")


@settings(max_examples=25, deadline=None)
@given(arrays(float, (6, 3), elements=st.sampled_from([1.0, 2.0, 3.0, np.nan])))
def test_a_code_stands_where_there_is_no_value_and_nowhere_else(x):
    for name, function in MANY.items():
        sums = function(x, FIVE)
        if np.isnan(sums.estimate()):
            assert code_of(sums.note), name
    for name, function in PAIR.items():
        sums = function(x[:, :2], FIVE)
        if np.isnan(sums.estimate()):
            assert code_of(sums.note), name


def test_means_and_differences_say_that_a_part_has_no_value():
    frame = pd.concat(
        [
            long({"a": [1, 2, 3], "b": [1, 2, 4], "c": [2, 2, 4]}).assign(dimension="x"),
            long({"a": [2, 2, 2], "b": [2, 2, 2], "c": [2, 2, 2]}).assign(dimension="y"),
        ]
    )
    rows = agreement(frame, FIVE, groups={"all": ["a", "b", "c"]}, resamples=9, mean=True)
    assert rows["undefined"].tolist() == ["", "no_variation", "part_undefined"]
    sides = {"ab": [("a", "b")], "ac": [("a", "c")]}
    apart = compare(frame, FIVE, sides, resamples=9).set_index("dimension")
    assert apart["undefined"].to_dict() == {"x": "", "y": "part_undefined"}
    judged = benchmark(frame, FIVE, "c", ["a", "b"], readings="single", resamples=9)
    assert judged["undefined"].tolist() == ["", "no_variation", "part_undefined"]


def test_a_note_keeps_the_code_of_its_first_reason():
    why = notes("", Reason(NOTHING_SHARED, "no item"), Reason(NO_VARIATION, "one level"), "x")
    assert why == "not defined: no item; not defined: one level; x"
    assert code_of(why) == NOTHING_SHARED and code_of(notes("a", "b")) == ""


@pytest.mark.parametrize("package", [raters, judging_empathy])
def test_no_code_asks_what_a_sentence_starts_with(package):
    for path in Path(package.__file__).parent.rglob("*.py"):
        assert 'startswith("not defined' not in path.read_text(encoding="utf-8"), path
