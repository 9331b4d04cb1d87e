"""The nearest level of the scale: one rule, that of `round_ratings`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raters import Scale, round_ratings
from raters.scale import nearest_level


@pytest.mark.parametrize(
    ("levels", "values", "expected"),
    [
        ([0, 0.5, 1], [0.25, 0.75, 0.76, 0.74], [0, 1, 1, 0.5]),
        ([1, 3, 5, 7], [2, 4, 6, 1.9, 2.1], [1, 5, 5, 1, 3]),
        ([1, 2, 3, 4, 5], [1.5, 2.5, 3.5, np.nan, np.inf], [2, 2, 4, np.nan, np.nan]),
        ([1, 2, 4], [1.5, 3], [2, 4]),
        ([0, 1, 10], [0.4, 5.0, 5.5], [0, 1, 10]),
        ([1, 2], [-3, 9], [1, 2]),
        ([1, 2, 3], [2.5 - 1e-12, 2.5 + 1e-12], [2, 2]),
    ],
)
def test_halves_go_to_the_even_level_or_place(levels, values, expected):
    assert nearest_level(np.array(values, float), Scale(levels)) == pytest.approx(
        np.array(expected, float), nan_ok=True
    )


@given(st.integers(-20, 20), st.integers(2, 9), st.lists(st.integers(0, 32), min_size=1))
def test_on_whole_numbered_scales_it_is_round_ratings(first, size, quarters):
    levels = range(first, first + size)
    values = first + np.minimum(np.array(quarters) / 4, size - 1)
    frame = pd.DataFrame({"rater": "a", "rating": values})
    assert nearest_level(values, Scale(levels)).tolist() == round_ratings(frame).rating.tolist()


@given(
    st.lists(st.integers(-40, 40), min_size=2, max_size=8, unique=True),
    st.lists(st.floats(-50, 50), min_size=1),
)
def test_no_other_level_is_nearer(halves, values):
    levels, values = np.sort(halves) / 2, np.array(values)
    nearest = nearest_level(values, Scale(levels.tolist()))
    assert np.isin(nearest, levels).all()
    gaps = np.abs(values[:, None] - levels).min(axis=1)
    assert np.abs(nearest - values) == pytest.approx(gaps, abs=1e-6)


@given(st.lists(st.integers(1, 5), min_size=1))
def test_levels_stay_as_they_are(values):
    assert nearest_level(np.array(values), Scale([1, 2, 3, 4, 5])).tolist() == values
