"""Percentile intervals, and levels that are none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from raters import RatingsError
from raters.intervals import percentile_interval


def test_percentiles_of_known_values():
    low, high, undefined = percentile_interval(np.arange(1001.0))
    assert (low, high, undefined) == (pytest.approx(25), pytest.approx(975), 0)
    assert percentile_interval(np.arange(1001.0), 0.5)[:2] == (250, 750)


@given(arrays(float, st.integers(1, 60), elements=st.floats(-1, 1)), st.integers(0, 30))
def test_undefined_values_are_left_out_and_counted(draws, undefined):
    """The interval is that of the defined values, wherever the undefined ones stand."""
    mixed = np.append(draws, np.full(undefined, np.nan))
    mixed = np.random.default_rng(0).permutation(mixed)
    low, high, share = percentile_interval(mixed, 0.8)
    assert (low, high) == percentile_interval(draws, 0.8)[:2]
    assert draws.min() <= low <= high <= draws.max()
    assert share == pytest.approx(undefined / mixed.size)


def test_no_defined_value_gives_no_interval():
    low, high, share = percentile_interval(np.full(5, np.nan))
    assert np.isnan([low, high]).all() and share == 1
    low, high, share = percentile_interval(np.array([]))
    assert np.isnan([low, high]).all() and share == 0


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, np.nan])
def test_a_level_that_is_no_share_is_refused(level):
    with pytest.raises(RatingsError, match="level="):
        percentile_interval(np.arange(3.0), level)
