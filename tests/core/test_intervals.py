"""Percentile intervals, and levels that are none."""

import numpy as np
import pytest
from helpers import FIVE, long_frame
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from raters import RatingsError, Scale, pairwise
from raters.coefficients import PAIR
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


def test_resamples_that_are_all_equal_are_no_interval():
    same = long_frame({name: [1, 3] * 5 for name in "ab"})
    for interval in ("percentile", "bca", "jackknife"):
        row = pairwise(same, FIVE, resamples=50, interval=interval).iloc[0]
        assert row["estimate"] == 1 and np.isnan(row["low"]) and np.isnan(row["high"])
    row = pairwise(same, FIVE, "percent_agreement", resamples=50).iloc[0]
    blind = long_frame({"a": [1, 3] * 5, "b": [2, 4] * 5})
    level = pairwise(blind, FIVE, "spearman_rho", resamples=50).iloc[0]
    assert np.isnan(level["low"]) and "no item disagrees" not in level["note"]
    assert "no item disagrees; with n = 10 up to 26% of all items may" in row["note"]


@pytest.mark.parametrize("hits", [0, 7, 20])
def test_percent_agreement_has_wilsons_limits(hits):
    from scipy.stats import binomtest

    x = np.ones((20, 2))
    x[hits:, 1] = 2
    peer = binomtest(hits, 20).proportion_ci(method="wilson")
    ours = PAIR["percent_agreement"](x, FIVE).analytic_interval(0.95)
    assert ours == pytest.approx((peer.low, peer.high), abs=1e-12)


def test_lins_limits_hold_the_truth_and_stay_below_one():
    """CCC 0.95, n = 10: with the plain standard error the upper end was above 1 in 48 %."""
    rng, held, scale = np.random.default_rng(1), [], Scale(list(range(-99, 100)))
    truth = 0.95
    for _ in range(300):
        x = np.sqrt(truth) * rng.normal(size=(10, 1)) + np.sqrt(1 - truth) * rng.normal(
            size=(10, 2)
        )
        low, high = PAIR["lin_concordance"](x, scale).analytic_interval(0.95)
        assert -1 <= low <= high <= 1
        held.append(low <= truth <= high)
    assert 0.90 <= np.mean(held) <= 0.98
