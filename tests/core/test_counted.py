"""Patterns and counts: a million items by the same formulas as fifty."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from raters import RatingsError, Scale, agreement, check_ratings, compare, counted, pairwise
from raters.coefficients import MANY, NEEDS_RATERS, PAIR, Ratings
from raters.coefficients.base import jackknife_error
from raters.draws import Draws, multiplicities
from raters.intervals import bca_interval, percentile_interval
from raters.matrices import tables
from raters.patterns import Counted

THREE = Scale([1, 2, 3])
RATERS = ["ann", "bob", "cleo"]
GROUPS = dict.fromkeys(RATERS, "expert")


def simulated(items, seed=0, missing=0.1):
    """Three raters of many items, some ratings missing."""
    rng = np.random.default_rng(seed)
    true = rng.normal(2, 0.8, (items, 1))
    x = np.clip(np.rint(true + rng.normal(0, 0.6, (items, 3))), 1, 3)
    return np.where(rng.random(x.shape) < missing, np.nan, x)


def long(x, dimension="warmth"):
    items = [f"i{n:07d}" for n in range(len(x))]
    parts = [
        pd.DataFrame({"item": items, "rater": rater, "rating": x[:, column]})
        for column, rater in enumerate(RATERS)
    ]
    return pd.concat(parts, ignore_index=True).assign(dimension=dimension, group="expert")


def both_ways(name, x, scale=THREE):
    """The sums of a coefficient from the items, and from their patterns."""
    columns = slice(2) if name in PAIR else slice(3)
    table = counted({"d": x[:, columns]}, scale, RATERS[columns]).tables[0]
    function = {**PAIR, **MANY}[name]
    patterns = Ratings(table.values, scale, table.counts, (), None)
    return function(x[:, columns], scale), function(patterns, scale)


matrices = arrays(float, (30, 3), elements=st.sampled_from([1.0, 2.0, 3.0, np.nan]))


@pytest.mark.parametrize("name", [*PAIR, *MANY])
@given(x=matrices)
def test_every_coefficient_is_the_same_from_patterns(name, x):
    items, patterns = both_ways(name, x)
    assert items.n_items == patterns.n_items and items.n_ratings == patterns.n_ratings
    assert items.note == patterns.note
    same = pytest.approx(items.estimate(), abs=1e-10, nan_ok=True)
    assert patterns.estimate() == same
    for what in ("analytic_error", "jackknife_error"):
        expected = getattr(items, what)()
        assert getattr(patterns, what)() == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", ["krippendorff_alpha_ordinal", "icc2", "kendall_w", "gwet_ac1"])
def test_analytic_interval_and_test_are_the_same_from_patterns(name):
    items, patterns = both_ways(name, simulated(60))
    assert patterns.analytic_interval(0.9) == pytest.approx(items.analytic_interval(0.9))
    assert patterns.analytic_test() == pytest.approx(items.analytic_test())


def test_draws_of_patterns_have_the_distribution_of_draws_of_items():
    """The same intervals, up to the noise of 20,000 resamples (0.0006 of a limit here)."""
    x = simulated(200)
    frame = long(x)
    for interval in ("percentile", "bca"):
        options = {"resamples": 20_000, "interval": interval}
        items = agreement(frame, THREE, **options)
        patterns = agreement(counted(frame, THREE), **options)
        assert patterns["estimate"].to_numpy() == pytest.approx(items["estimate"].to_numpy())
        for end in ("low", "high"):
            assert patterns[end].iloc[0] == pytest.approx(items[end].iloc[0], abs=0.004)


def test_multinomial_draws_by_hand():
    """A pattern of 3 of 4 items: its count in a resample is binomial(4, 3/4)."""
    times = multiplicities(4, 40_000, 1, "k", counts=np.array([3, 1]))
    assert (times.sum(axis=1) == 4).all()
    share = np.bincount(times[:, 0].astype(int), minlength=5) / len(times)
    binomial = [1 / 256, 12 / 256, 54 / 256, 108 / 256, 81 / 256]
    assert share == pytest.approx(np.array(binomial), abs=0.01)


def test_leave_one_out_and_bca_count_every_item_of_a_pattern():
    x = simulated(80)
    items, patterns = both_ways("krippendorff_alpha_interval", x)
    draws = items.resampled(multiplicities(80, 4000, 0))
    whole = bca_interval(draws, items.estimate(), items.without_each()[items.counted()])
    here = patterns.counted()
    by_pattern = bca_interval(
        draws, patterns.estimate(), patterns.without_each()[here], counts=patterns.counts[here]
    )
    assert by_pattern == pytest.approx(whole, abs=1e-12)
    error = jackknife_error(patterns.without_each()[here], patterns.counts[here])
    assert error == pytest.approx(items.jackknife_error(), abs=1e-12)


def test_blocks_of_draws_are_the_draws(monkeypatch):
    """Made in pieces, as with many items, they are the same numbers."""
    whole = multiplicities(7, 100, 3, "key")
    monkeypatch.setattr("raters.draws._KEPT", 0)
    monkeypatch.setattr("raters.draws._AT_ONCE", 7 * 33)
    blocks = list(Draws(7, 100, 3, "key").blocks())
    assert [b.shape[1] for b in blocks] == [33, 33, 33, 1]
    assert np.array_equal(np.concatenate(blocks, axis=1).T, whole)
    terms = np.arange(14.0).reshape(2, 7)
    totals = Draws(7, 100, 3, "key").totals(terms, without_each=True)
    expected = [terms.sum(axis=1)[:, None], terms.sum(axis=1)[:, None] - terms, terms @ whole.T]
    assert totals == pytest.approx(np.concatenate(expected, axis=1))


def test_pairs_and_differences_from_patterns():
    frame = pd.concat([long(simulated(150)), long(simulated(150, seed=5), "advice")])
    patterns = counted(frame, THREE)
    here, there = (
        pairwise(ratings, THREE, ["cohen_kappa", "mean_difference"], resamples=4000)
        for ratings in (frame, patterns)
    )
    assert here["group"].tolist() == there["group"].tolist()
    assert there["estimate"].to_numpy() == pytest.approx(here["estimate"].to_numpy())
    assert there["low"].to_numpy() == pytest.approx(here["low"].to_numpy(), abs=0.02)
    sides = {"near": [("ann", "bob")], "far": [("ann", "cleo"), ("bob", "cleo")]}
    here, there = (
        compare(ratings, THREE, sides, resamples=4000, interval="bca")
        for ratings in (frame, patterns)
    )
    assert there["estimate"].to_numpy() == pytest.approx(here["estimate"].to_numpy())
    assert there["high"].to_numpy() == pytest.approx(here["high"].to_numpy(), abs=0.02)


def test_many_items_of_a_frame_are_counted_by_themselves(monkeypatch):
    frame = long(simulated(300))
    by_items = agreement(frame, THREE, resamples=1000)
    # The module, which the function of the same name hides.
    monkeypatch.setattr(import_module("raters.measures"), "_MANY_DRAWS", 1000)
    by_patterns = agreement(frame, THREE, resamples=1000)
    expected = agreement(counted(frame, THREE), resamples=1000)
    pd.testing.assert_frame_equal(by_patterns, expected)
    assert by_patterns["low"].iloc[0] != by_items["low"].iloc[0]
    # The mean of dimensions needs whole items: then they are drawn, in blocks.
    means = agreement(frame, THREE, resamples=1000, mean=True)
    assert means["low"].iloc[0] == by_items["low"].iloc[0]


@given(x=matrices, block=st.integers(1, 40))
def test_counting_in_blocks_and_in_any_order(x, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("raters.patterns._BLOCK", block)
        first = counted({"d": x}, THREE, RATERS).tables[0]
        second = counted({"d": x[::-1]}, THREE, RATERS).tables[0]
    assert np.array_equal(first.values, second.values, equal_nan=True)
    assert np.array_equal(first.counts, second.counts)
    peer = pd.DataFrame(x).groupby([0, 1, 2], dropna=False).size()
    assert first.counts.sum() == len(x) and len(first.counts) == len(peer)
    back = np.repeat(first.values, first.counts, axis=0)
    by_row = [np.lexsort(np.nan_to_num(m, nan=-1).T) for m in (x, back)]
    assert np.array_equal(x[by_row[0]], back[by_row[1]], equal_nan=True)


@pytest.mark.parametrize("scale", [Scale([1, 2, 3], between=True), Scale([1, 2, 3], outside=["?"])])
def test_values_between_levels_and_answers_outside_them(scale):
    x = np.array([[1, 2], [1, 2], [3, 1.5 if scale.between else np.inf], [np.nan, 1]])
    table = counted({"d": x}, scale, ["a", "b"]).tables[0]
    assert table.counts.tolist() == [2, 1, 1]
    assert np.array_equal(table.values, x[[0, 2, 3]], equal_nan=True)


def test_hundred_raters_need_no_number_for_each_pattern():
    x = np.random.default_rng(0).integers(1, 4, (50, 100))
    names = [f"r{n}" for n in range(100)]
    table = counted({"d": np.concatenate([x, x])}, THREE, names).tables[0]
    assert table.counts.tolist() == [2] * 50


def test_frames_and_matrices_give_the_same_patterns():
    x = simulated(100)
    frame = check_ratings(long(x), THREE)
    ours = counted(frame, THREE)
    other = counted({"warmth": x}, THREE, RATERS, GROUPS).tables[0]
    assert ours.groups == GROUPS
    assert np.array_equal(ours.tables[0].values, other.values, equal_nan=True)
    assert np.array_equal(ours.tables[0].counts, other.counts)
    # A rater who is not in a table has no ratings there.
    empty = next(tables(ours, None, ["cleo", "ann"]))
    assert np.array_equal(empty.values, ours.tables[0].values[:, [2, 0]], equal_nan=True)


def test_what_cannot_be_counted():
    x = np.ones((4, 3))
    refused = [
        (lambda: counted({"d": x}, THREE, ["a", "b"]), "2 columns"),
        (lambda: counted({"d": x}, THREE), "matrix for each dimension"),
        (lambda: counted(x, THREE, RATERS), "ndarray"),
        (lambda: counted({"d": x.astype(str)}, THREE, RATERS), "numbers"),
        (lambda: counted({"d": x + 3}, THREE, RATERS), "the rating 4 on d in row 0"),
        (lambda: agreement(counted({"d": x}, THREE, RATERS), mean=True), "mean=True"),
        (lambda: agreement(long(x)), "no scale"),
        (lambda: agreement(counted({"d": x}, THREE, RATERS), groups={"g": ["ann", "zoe"]}), "zoe"),
    ]
    for call, part in refused:
        with pytest.raises(RatingsError, match=part):
            call()


def test_an_interval_by_hand_from_patterns():
    """Percent agreement of 1,000 items, 900 equal: the interval is the binomial's."""
    x = np.repeat([[1.0, 1.0], [1.0, 2.0]], [900, 100], axis=0)
    result = pairwise(
        counted({"d": x}, THREE, ["a", "b"]), None, "percent_agreement", resamples=20_000
    )
    draws = np.random.default_rng(0).binomial(1000, 0.9, 200_000) / 1000
    low, high, _ = percentile_interval(draws)
    assert result["estimate"].iloc[0] == 0.9 and result["n_items"].iloc[0] == 1000
    assert result[["low", "high"]].iloc[0].tolist() == pytest.approx([low, high], abs=0.0021)


def test_places_are_no_raters():
    """Columns that are only the first, second, ... rating of an item: who rated is unknown."""
    table = counted({"d": simulated(50)}, THREE, RATERS).tables
    places = Counted(table, GROUPS, exchangeable=("bob", "cleo"))
    allowed = [name for name in MANY if name not in NEEDS_RATERS]
    assert agreement(places, None, allowed, resamples=5)["estimate"].notna().all()
    for call in (
        lambda: pairwise(places, resamples=5),
        lambda: agreement(places, None, ["icc1", "icc2"], resamples=5),
        lambda: compare(places, None, {"x": RATERS[:2], "y": RATERS[1:]}, "kendall_w"),
    ):
        with pytest.raises(RatingsError, match="places and no raters"):
            call()
