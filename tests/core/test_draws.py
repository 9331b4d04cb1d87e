"""Draws of items, and totals over them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from raters import RatingsError
from raters.draws import Draws, exact_totals, multiplicities


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


_TERMS = arrays(float, st.tuples(st.integers(1, 6), st.just(9)), elements=st.floats(-50, 50))


@given(_TERMS, st.randoms(use_true_random=False))
def test_totals_do_not_depend_on_the_order_of_items_or_on_their_neighbours(terms, random):
    times = np.concatenate(list(Draws(9, 40, 1).blocks()), axis=1)
    totals = exact_totals(terms, times)
    rows, items = (random.sample(range(n), n) for n in terms.shape)
    assert np.array_equal(exact_totals(terms[rows], times), totals[rows])
    assert np.array_equal(exact_totals(terms[-1:], times), totals[-1:])
    assert np.array_equal(exact_totals(terms[:, items], times[items]), totals)


@pytest.mark.parametrize("n", [20, 6000])
def test_totals_of_decimals_are_rounded_once(n):
    terms = np.random.default_rng(2).random((3, n)) * [[1], [1 / 3], [1e5]]
    times = np.concatenate(list(Draws(n, 20, 1).blocks()), axis=1)
    by_hand = [
        [math.fsum(np.repeat(row, column.astype(int))) for column in times.T] for row in terms
    ]
    assert np.array_equal(exact_totals(terms, times), by_hand)


def test_totals_of_counted_rows_are_those_of_the_single_items():
    terms, counts = np.random.default_rng(3).random((4, 5)), np.array([3, 1, 2, 1, 1])
    single = np.repeat(terms, counts, axis=1)
    by_hand = [math.fsum(row) for row in single]
    assert np.array_equal(Draws(8, 0, 1, counts=counts).totals(terms, False)[:, 0], by_hand)
