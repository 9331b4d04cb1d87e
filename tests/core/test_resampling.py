"""Draws of items and percentile intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from raters import RatingsError
from raters.draws import multiplicities
from raters.intervals import percentile_interval


def test_each_resample_draws_as_many_items_as_there_are():
    times = multiplicities(7, 40, seed=3)
    assert times.shape == (40, 7) and times.dtype == float
    assert (times.sum(axis=1) == 7).all()
    assert (times >= 0).all() and (times == np.rint(times)).all()


def test_draws_are_those_of_sampling_with_replacement():
    """Each item: mean 1, variance 1 - 1/n, covariance -1/n with each other one."""
    n, draws = 4, 40_000
    times = multiplicities(n, draws, seed=1)
    assert times.mean(axis=0) == pytest.approx(np.ones(n), abs=0.02)
    expected = np.eye(n) - 1 / n
    assert np.cov(times.T) == pytest.approx(expected, abs=0.03)


def test_seed_and_name_of_the_items_fix_the_draws():
    first = multiplicities(20, 30, 5, "a")
    assert np.array_equal(first, multiplicities(20, 30, 5, "a"))
    assert not np.array_equal(first, multiplicities(20, 30, 6, "a"))
    assert not np.array_equal(first, multiplicities(20, 30, 5, "b"))


def test_the_global_random_state_plays_no_part():
    np.random.seed(1)  # noqa: NPY002  what a notebook may have done before
    first = multiplicities(20, 30, 5)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert np.array_equal(multiplicities(20, 30, 5), first)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize(("items", "resamples"), [(0, 3), (3, 0), (0, 0)])
def test_nothing_to_draw_gives_an_empty_matrix(items, resamples):
    assert multiplicities(items, resamples, seed=0).shape == (resamples, items)


@pytest.mark.parametrize("wrong", [-1, 1.5, "10", None, True])
@pytest.mark.parametrize("name", ["resamples", "seed"])
def test_what_is_no_count_is_refused_by_name(name, wrong):
    with pytest.raises(RatingsError, match=f"{name}={wrong!r}") as caught:
        multiplicities(5, **{"resamples": 10, "seed": 0, name: wrong})
    assert name in caught.value.todo


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
