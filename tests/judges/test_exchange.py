"""Is the judge one more expert? The exchange test, and verdicts at known truths."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, long_frame
from test_benchmark import kappa, long, some

from raters import RatingsError, Scale, check_ratings, with_reference
from raters.frames import votes
from raters.judges import benchmark, exchange_test, rule, verdicts
from raters.judges.ceiling import FIELDS
from raters.judges.exchange import EXCHANGE, Turns, _stacked
from raters.judges.rule import ABOVE
from raters.matrices import tables

EXPERTS = ("ann", "bob", "cleo")


def by_hand(x):
    """The difference of the reading `single`; the judge is the last column."""
    last = x.shape[1] - 1
    pairs = {pair: kappa(*x[:, pair].T) for pair in combinations(range(last + 1), 2)}
    mine = [value for pair, value in pairs.items() if last in pair]
    return np.mean(mine) - np.mean([value for pair, value in pairs.items() if last not in pair])


def test_p_is_the_share_of_all_exchanges_that_are_as_far_out():
    rng = np.random.default_rng(3)
    x = np.clip(rng.integers(1, 6, (6, 1)) + rng.integers(-1, 2, (6, 3)), 1, 5) * 1.0
    names = ("ann", "bob", "judge")
    found = exchange_test(
        long(dict(zip(names, x.T))), FIVE, "judge", exchanges=20_000, seed=1
    ).iloc[0]
    every = []
    for moves in product(range(3), repeat=6):
        every.append(by_hand(np.array([np.roll(row, -m) for row, m in zip(x, moves)])))
    every = np.array(every)
    high, low = (every >= every[0] - 1e-9).mean(), (every <= every[0] + 1e-9).mean()
    assert found.difference == pytest.approx(by_hand(x))
    assert found.p == pytest.approx(min(1, 2 * min(high, low)), abs=0.02)
    assert np.isnan(found.p_experts)  # two experts cannot be held against each other
    assert found.finding == "cannot tell with n = 6, 10 are needed"


def test_ratings_move_among_those_who_rated():
    x = {"ann": [1, 2, np.nan], "bob": [3, np.nan, 4], "cleo": [5, 4, 2], "judge": [2, 1, np.nan]}
    (table,) = tables(check_ratings(long(x), FIVE), FIVE, list(x))
    stacked, places = _stacked(table, "judge", EXPERTS)
    assert places.tolist() == [4, 3, 1]
    parts = stacked.values.reshape(4, 3, 4)
    assert parts[:, 0].tolist() == [[1, 3, 5, 2], [3, 5, 2, 1], [5, 2, 1, 3], [2, 1, 3, 5]]
    assert [part[[0, 2, 3]].tolist() for part in parts[:3, 1]] == [[2, 4, 1], [4, 1, 2], [1, 2, 4]]
    assert np.isnan(parts[:, 1, 1]).all() and np.isnan(parts[:, 2, [0, 3]]).all()
    turns = Turns(3, 500, 7, "f", None, places, 4)
    (block,) = turns.blocks()
    taken = block.reshape(4, 3, 500).sum(axis=2)
    assert block.sum(axis=0).tolist() == [3] * 500 and block[:3, 0].tolist() == [1, 1, 1]
    assert taken[:, 2].tolist() == [500, 0, 0, 0] and taken[3, 1] == 0
    assert (taken[:, 0] > 80).all() and (taken[:3, 1] > 120).all()


def test_the_fields_of_a_benchmark_are_those_of_the_test():
    frame = long(some(4, n=40, judges=("j1", "j2")), judges=("j1", "j2"))
    found = benchmark(frame, FIVE, ["j1", "j2"], readings="single", resamples=300, seed=5)
    alone = exchange_test(frame, FIVE, ["j1", "j2"], exchanges=300, seed=5)
    assert list(alone.columns) == EXCHANGE
    same = found.rename(columns={"p_exchange": "p"})
    for name in ("p", "p_experts", "resembles", "n_disagree", "difference"):
        assert same[name].tolist() == alone[name].tolist()
    assert list(found.columns[-len(FIELDS) :]) == FIELDS


def test_a_judge_far_from_experts_who_differ_is_only_said_to_resemble_one():
    rng = np.random.default_rng(2)
    true = rng.integers(2, 5, 120) * 1.0
    x = {name: np.clip(true + rng.integers(-1, 2, 120), 1, 5) for name in ("ann", "bob")}
    x["cleo"] = rng.integers(1, 6, 120) * 1.0  # gives anything
    x["judge"] = x["ann"].copy()
    row = exchange_test(long(x), FIVE, "judge", exchanges=400).iloc[0]
    assert row.p_experts <= 0.1 and row.finding == rule.DIFFER and row.resembles == "ann"
    said = benchmark(long(x), FIVE, "judge", readings="single", resamples=600)
    assert said.low[0] > 0 and said.verdict[0] == rule.DIFFER
    assert verdicts(said).verdict[0] == rule.DIFFER


def agree95(n, rng):
    """Two classes; any two raters agree on 95 % of the items."""
    true = rng.integers(0, 2, (n, 1))
    return np.abs(true - (rng.random((n, 4)) < (1 - np.sqrt(0.9)) / 2)) * 1.0


def lopsided(n, rng):
    """Five levels, of which the first has most ratings."""
    seen = 0.6**0.5 * rng.normal(size=(n, 1)) + 0.4**0.5 * rng.normal(size=(n, 4))
    return np.digitize(seen, (0.8, 1.2, 1.6, 2.0)) + 1.0


@pytest.mark.parametrize(("regime", "n"), [(agree95, 50), (lopsided, 30)])
def test_one_more_expert_is_seldom_called_better(regime, n):
    """By the interval alone it was called so in 7 to 16 of 100 studies."""
    rng = np.random.default_rng(8)
    parts = [
        long(dict(zip((*EXPERTS, "judge"), regime(n, rng).T)), framework=f"s{number}")
        for number in range(60)
    ]
    scale = Scale([0, 1]) if regime is agree95 else FIVE
    found = benchmark(
        pd.concat(parts), scale, "judge", readings="single", resamples=200, mean=False
    )
    assert (found.low > 1e-9).mean() > 0.05  # this is what the rule is for
    assert (found.verdict == ABOVE).sum() <= 4
    assert not found.verdict[found.n_disagree < rule.LEAST_DISAGREE].isin([ABOVE, "below"]).any()


def test_a_panel_says_who_was_there_and_asks_for_more_than_half():
    x = {
        "a": [1, 1, 2, 1, np.nan],
        "b": [1, 2, np.nan, 3, np.nan],
        "c": [2, 3, np.nan, np.nan, 4],
    }
    frame = check_ratings(long_frame(x, "expert"), FIVE)
    counts = votes(frame, ["a", "b", "c"], "mode").iloc[0]
    assert counts[["n_raters", "needed", "n_items", "too_few", "ties", "missing"]].tolist() == [
        3, 2, 1, 2, 2, 5
    ]  # fmt: skip
    one = with_reference(frame)
    assert one[one.rater == "expert_median"].rating.tolist() == pytest.approx(
        [1, 2, np.nan, 2, np.nan], nan_ok=True
    )
    any_of_them = with_reference(frame, least=1)
    assert any_of_them[any_of_them.rater == "expert_median"].rating.tolist() == [1, 2, 2, 2, 4]
    with pytest.raises(RatingsError, match="least=0"):
        with_reference(frame, least=0)
