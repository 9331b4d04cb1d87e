"""Tests that decide, against their formulas written a second time and at known truths."""

from itertools import product

import krippendorff
import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_benchmark import (
    EXPERTS,
    KAPPA,
    REPLICATIONS,
    covered,
    kappa_of,
    long,
    simulated,
    some,
    studies,
    two_frameworks,
)

from raters import RatingsError, Scale
from raters.intervals import bca_share_below
from raters.judges.ceiling import benchmark, differences
from raters.judges.decisions import (
    ALT_TEST,
    BY_RATER,
    DECISIONS,
    POOLED,
    REPLACEMENT,
    TESTS,
    alt_test,
    alt_test_by_rater,
    decide,
    replacement,
)
from raters.judges.rule import ON_LINE
from raters.measures import MEAN
from raters.multiplicity import adjusted
from raters.results import ALL

# --- equivalence and non-inferiority --------------------------------------------------


def test_p_values_are_shares_of_the_resampled_differences():
    frame = long(some(1, n=100))
    result = decide(frame, FIVE, "judge", margin=0.05, resamples=400, seed=3)
    one = differences(
        frame, FIVE, "judge", readings="single", resamples=400, seed=3, without_each=True
    )[0]
    draws = one.draws
    # Of the percentile and the BCa distribution the one that shows less.
    bca = [bca_share_below(draws, m, one.estimate, *one.leave_one_out()) for m in (-0.05, 0.05)]
    worse = max((1 + sum(draws <= -0.05)) / 401, bca[0])
    better = max((1 + sum(draws >= 0.05)) / 401, 1 - bca[1])
    sides = [(1 + sum(draws <= 0)) / 401, (1 + sum(draws >= 0)) / 401]
    rows = result.set_index("test")
    assert list(result.columns) == DECISIONS and list(rows.index) == list(TESTS)
    assert rows.n_disagree.unique().tolist() == [one.n_disagree]
    assert set(rows.undefined) == {""}
    assert rows.p.tolist() == pytest.approx([min(1, 2 * min(sides)), worse, max(worse, better)])
    assert rows.p_adjusted.tolist() == rows.p.tolist()  # a family of one
    ends = np.quantile(draws, [[0.025, 0.05], [0.975, 0.95]])
    assert rows.loc["difference", ["low", "high"]].tolist() == pytest.approx(list(ends[:, 0]))
    for test in TESTS[1:]:
        assert rows.loc[test, ["low", "high"]].tolist() == pytest.approx(list(ends[:, 1]))


@examples(30)
@given(st.integers(0, 10**6), st.sampled_from([0.02, 0.1, 0.3]))
def test_equivalence_is_shown_where_the_interval_lies_inside_the_margin(seed, margin):
    result = decide(
        long(some(seed, n=100)), FIVE, "judge", margin=margin, resamples=999, adjustment="none"
    ).set_index("test")
    row = result.loc["equivalence"]
    assert row.decision in ("equivalent", "not shown", ON_LINE)
    if row.decision == "equivalent":
        assert -margin < row.low and row.high < margin
    assert result.p["non-inferiority"] <= result.p["equivalence"]
    sided = result.loc["difference"]
    if sided.decision != ON_LINE:
        said = "above" if sided.low > 0 else "below" if sided.high < 0 else "not shown"
        assert (sided.withheld if said == "above" and sided.withheld else said) == sided.decision


@pytest.mark.parametrize("method", ["holm", "bh", "by", "none"])
def test_a_family_is_all_dimensions_of_a_judge_and_no_mean(method):
    frame = two_frameworks(judges=("j1", "j2"))
    result = decide(
        frame,
        FIVE,
        ["j1", "j2"],
        readings=("paper", "single"),
        resamples=200,
        adjustment=method,
        margin=0.2,
    )
    means = result.dimension == MEAN
    # Tests of a margin ask for more items than there are here.
    assert (result.p.isna() == (result.test != "difference")).all()
    pd.testing.assert_series_equal(result.p_adjusted[means], result.p[means], check_names=False)
    keys = ["judge", "reading", "test"]
    families = list(result[~means].groupby(keys))
    assert len(families) == 12
    for _, family in families:
        assert len(family) == 5
        expected = adjusted(family.p, method).tolist()
        assert family.p_adjusted.tolist() == pytest.approx(expected, nan_ok=True)
    shown = result[result.decision.isin(["above", "below"])]
    assert (shown.p_adjusted < 0.05).all()
    assert (result[result.decision == "not shown"].p_adjusted > 0.05).all()


def test_decisions_on_what_is_not_defined():
    result = decide(
        long(some(2) | {"judge": [3.0] * 30}), FIVE, "judge", "expert", "spearman_rho", resamples=50
    )
    assert result.p.isna().all() and set(result.decision) == {"not defined"}
    assert result.note.str.contains("not defined").all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"margin": -0.1}, "margin=-0.1"),
        ({"alpha": 0.5}, "alpha=0.5"),
        ({"alpha": True}, "alpha=True"),
        ({"adjustment": "sidak"}, "the correction 'sidak'"),
        ({"resamples": 0}, "resamples=0"),
        ({"judge": "ann"}, "who is one of the experts"),
    ],
)
def test_bad_decisions_are_refused(change, message):
    with pytest.raises(RatingsError, match=message):
        decide(long(some()), FIVE, **{"judge": "judge", "resamples": 10, **change})


def share_for(gap):
    """The judge's share of true variance with which it is `gap` below the experts."""
    low, high = 0.0, 0.6
    for _ in range(40):
        middle = (low + high) / 2
        if kappa_of(0.6, 0.6) - kappa_of(0.6, middle) > gap:
            low = middle
        else:
            high = middle
    return middle


@pytest.mark.slow
def test_a_judge_at_the_margin_is_called_good_enough_at_the_declared_rate():
    margin = 0.15
    judge = share_for(margin)

    def tests(frame):
        return decide(
            frame, FIVE, "judge", margin=margin, adjustment="none", resamples=500, mean=False
        )

    at = studies(100, np.random.default_rng(11), tests, judge=judge)
    wrongly = (at.p <= 0.05).groupby(at.test).mean()
    assert covered(wrongly["non-inferiority"], 0.05)
    assert wrongly["equivalence"] <= wrongly["non-inferiority"]
    one_more = studies(200, np.random.default_rng(12), tests, REPLICATIONS // 4)
    rightly = (one_more.p <= 0.05).groupby(one_more.test).mean()
    assert rightly["equivalence"] > 0.8 and rightly["non-inferiority"] > 0.9
    assert rightly["difference"] < 0.2


# --- replacement ------------------------------------------------------------------------


def test_the_change_in_alpha_is_that_of_the_library():
    x = some(4)
    x["bob"][:3] = np.nan
    x["judge"][1:5] = np.nan

    def alpha(columns):
        return krippendorff.alpha(reliability_data=columns, level_of_measurement="ordinal")

    keep = np.isfinite(x["judge"])
    e = {name: x[name][keep] for name in EXPERTS}
    judge = x["judge"][keep]
    expected = {}
    for j in EXPERTS:
        place = np.where(np.isfinite(e[j]), judge, np.nan)
        expected[j] = alpha([place if name == j else e[name] for name in EXPERTS])
    result = replacement(long(x), FIVE, "judge", statistics="krippendorff_alpha_ordinal")
    assert list(result.columns) == REPLACEMENT
    assert result.replaced.tolist() == [*EXPERTS, "each in turn"]
    assert result.benchmark.tolist() == pytest.approx([alpha(list(e.values()))] * 4)
    assert result.value[:3].tolist() == pytest.approx(list(expected.values()))
    assert result.value[3] == pytest.approx(np.mean(list(expected.values())))
    assert (result.low < result.difference).all() and (result.difference < result.high).all()
    by_benchmark = benchmark(
        long(x), FIVE, "judge", "expert", "krippendorff_alpha_ordinal", "replacement"
    ).iloc[0]
    numbers = ["benchmark", "value", "low", "high", "n_items"]
    assert result.iloc[3][numbers].tolist() == by_benchmark[numbers].tolist()


def test_replacement_needs_a_coefficient_of_many_raters():
    with pytest.raises(RatingsError, match="which takes two raters"):
        replacement(long(some()), FIVE, "judge", statistics=KAPPA)


# --- the alternative annotator test ------------------------------------------------------


def by_the_paper(humans, judge, score, epsilon, q=0.05, fewest=30):
    """Winning rate and advantage of one dimension, one item after the other.

    `humans` is rater to item to rating, `judge` item to rating: what is there.
    """
    raters_of = {}
    for rater, given_ in humans.items():
        for item in given_:
            raters_of.setdefault(item, set()).add(rater)
    p, advantage = [], []
    for left_out, given_ in humans.items():
        w_f, w_h = [], []
        for item in given_:
            others = raters_of[item] - {left_out}
            if item not in judge or not others:
                continue
            rest = [humans[rater][item] for rater in others]
            s_f, s_h = score(judge[item], rest), score(given_[item], rest)
            w_f.append(float(s_f >= s_h))
            w_h.append(float(s_h >= s_f))
        if len(w_f) < fewest:
            continue
        gap = np.subtract(w_h, w_f)
        p.append(stats.ttest_1samp(gap, epsilon, alternative="less").pvalue)
        advantage.append(np.mean(w_f))
    m = len(p)
    wins = 0
    for k, value in enumerate(sorted(p), start=1):
        if value <= k * q / (m * sum(1 / i for i in range(1, m + 1))):
            wins = k
    return wins / m, np.mean(advantage), m


def accuracy(rating, rest):
    return np.mean([rating == other for other in rest])


def neg_rmse(rating, rest):
    return -np.sqrt(np.mean([(rating - other) ** 2 for other in rest]))


def as_dicts(x):
    dicts = {
        rater: {i: v for i, v in enumerate(ratings) if np.isfinite(v)}
        for rater, ratings in x.items()
    }
    return dicts, dicts.pop("judge")


@pytest.mark.parametrize(
    ("score", "epsilon", "seed", "gaps"),
    list(product([accuracy, neg_rmse], [0.0, 0.1, 0.2], [1, 2], [0.0, 0.2])),
)
def test_the_alternative_annotator_test_is_the_paper_s(score, epsilon, seed, gaps):
    x = some(seed, n=70, experts=(*EXPERTS, "dan"))
    rng = np.random.default_rng(seed)
    x = {rater: np.where(rng.random(70) < gaps, np.nan, v) for rater, v in x.items()}
    x["dan"][8:40] = np.nan  # too few
    expected = by_the_paper(*as_dicts(x), score, epsilon)
    row = alt_test(long(x), FIVE, "judge", alignment=score.__name__, epsilon=epsilon).iloc[0]
    assert (row.winning_rate, row.advantage, row.n_raters) == pytest.approx(expected)
    assert row.verdict == ("passes" if expected[0] >= 0.5 else "does not pass")
    skipped = np.isfinite(x["dan"]).sum() < 30 or expected[2] == 3
    assert ("dan: left out" in row.note) == skipped


def test_one_correction_covers_all_dimensions_of_a_judge():
    frame = two_frameworks(judges=("j1", "j2"))
    call = {"judge": ["j1", "j2"], "min_items": 10}
    every = alt_test_by_rater(frame, FIVE, **call)
    assert list(every.columns) == BY_RATER
    dims = every[every.dimension != POOLED]
    for _, family in dims.groupby("judge"):
        assert len(family) == 15
        assert family.p_adjusted.tolist() == pytest.approx(adjusted(family.p, "by").tolist())
    apart = alt_test_by_rater(frame, FIVE, over="dimension", **call)
    for _, family in apart.groupby(["judge", "framework", "dimension"]):
        assert len(family) == 3
        assert family.p_adjusted.tolist() == pytest.approx(adjusted(family.p, "by").tolist())
    pools = every.dimension == POOLED
    pd.testing.assert_frame_equal(every[pools], apart[pools])
    assert (every.won == (every.p_adjusted <= 0.05)).all()
    counted = alt_test(frame, FIVE, **call)
    assert list(counted.columns) == ALT_TEST
    rate = dims[(dims.judge == "j2") & (dims.dimension == "g1")].won.mean()
    assert counted[(counted.judge == "j2") & (counted.dimension == "g1")].winning_rate.iloc[
        0
    ] == pytest.approx(rate)


def test_pooled_items_count_once():
    frame = two_frameworks()
    every = alt_test_by_rater(frame, FIVE, "judge", min_items=10)
    pooled = every[every.dimension == POOLED].set_index(["framework", "rater"])
    assert pooled.n_items.groupby("framework").first().to_dict() == {"f": 30, "g": 20, ALL: 50}
    gaps = []
    for framework, part in frame.groupby("framework"):
        w_f, w_h = [], []
        for _, dimension in part.groupby("dimension"):
            wide = dimension.pivot(index="item", columns="rater", values="rating")
            rest = wide[["bob", "cleo"]].to_numpy()
            s_f, s_h = (
                [neg_rmse(one, others) for one, others in zip(wide[rater], rest)]
                for rater in ("judge", "ann")
            )
            w_f.append(np.greater_equal(s_f, s_h))
            w_h.append(np.greater_equal(s_h, s_f))
        gap = np.mean(w_h, axis=0) - np.mean(w_f, axis=0)
        gaps.append(gap)
        expected = stats.ttest_1samp(gap, 0.2, alternative="less").pvalue
        assert pooled.p[framework, "ann"] == pytest.approx(expected)
        assert pooled.advantage[framework, "ann"] == pytest.approx(np.mean(w_f))
    expected = stats.ttest_1samp(np.concatenate(gaps), 0.2, alternative="less").pvalue
    assert pooled.p[ALL, "ann"] == pytest.approx(expected)
    assert POOLED not in set(alt_test(frame, FIVE, "judge", pooled=False, min_items=10).dimension)
    one = alt_test(long(some()), FIVE, "judge")
    assert one.dimension.tolist() == ["d"]  # nothing to take together


def test_where_nothing_varies_the_p_value_is_its_limit_and_is_explained():
    same = long(dict.fromkeys((*EXPERTS, "judge"), [1, 2, 3] * 10))
    row = alt_test_by_rater(same, FIVE, "judge").iloc[0]
    assert (row.p, bool(row.won), row.advantage) == (0.0, True, 1.0)
    assert "rests on no variation" in row.note
    boundary = alt_test_by_rater(same, FIVE, "judge", epsilon=0).iloc[0]
    assert (boundary.p, bool(boundary.won)) == (1.0, False)
    wrong = long(dict.fromkeys(EXPERTS, [1, 2, 3] * 10) | {"judge": [5] * 30})
    row = alt_test(wrong, FIVE, "judge").iloc[0]
    assert (row.winning_rate, row.advantage, row.verdict) == (0.0, 0.0, "does not pass")


def test_too_few_items_are_no_test():
    row = alt_test(long(some(n=29)), FIVE, "judge").iloc[0]
    assert np.isnan(row.winning_rate) and row.verdict == "not defined" and row.n_raters == 0
    assert "ann: left out: 29 items, fewer than 30" in row.note


def test_answers_outside_the_levels_agree_with_nothing():
    scale = Scale([1, 2, 3, 4, 5], outside=["unsure"])
    x = {name: pd.Series([3] * 40).astype(object) for name in (*EXPERTS, "judge")}
    x["judge"][:10] = "unsure"
    x["ann"][:10] = "unsure"
    rows = alt_test_by_rater(long(x), scale, "judge", alignment="accuracy").set_index("rater")
    # With bob left out, ann and cleo remain: bob meets cleo, the judge nobody.
    assert rows.advantage.tolist() == pytest.approx([1.0, 0.75, 0.75])
    assert rows.n_items.tolist() == [40] * 3
    distances = alt_test_by_rater(long(x), scale, "judge", alignment="neg_rmse")
    assert distances.n_items.tolist() == [30] * 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alignment": "rmse"}, "alignment='rmse'"),
        ({"over": "judge"}, "over='judge'"),
        ({"epsilon": 1}, "epsilon=1"),
        ({"epsilon": -0.1}, "epsilon=-0.1"),
        ({"q": 0}, "q=0"),
        ({"min_items": 1}, "min_items=1"),
        ({"min_raters": 2.5}, "min_raters=2.5"),
        ({"reference": ["ann", "bob"]}, "3 or more to be replaced"),
        ({"judge": "ann"}, "who is one of the experts"),
    ],
)
def test_a_bad_alternative_annotator_test_is_refused(change, message):
    with pytest.raises(RatingsError, match=message):
        alt_test(long(some()), FIVE, **{"judge": "judge", **change})


def test_two_raters_are_possible_for_who_asks_and_labels_have_no_distance():
    two = alt_test(long(some()), FIVE, "judge", reference=["ann", "bob"], min_raters=2)
    assert two.n_raters[0] == 2
    nominal = Scale([1, 2, 3, 4, 5], measurement="nominal")
    assert len(alt_test(long(some()), nominal, "judge", alignment="accuracy")) == 1
    with pytest.raises(RatingsError, match="a nominal scale"):
        alt_test(long(some()), nominal, "judge")


@pytest.mark.slow
def test_the_alternative_annotator_test_errs_at_the_declared_rate():
    # With epsilon 0, one more expert is exactly where the null hypothesis ends.
    def by_rater(epsilon):
        return lambda frame: alt_test_by_rater(
            frame, FIVE, "judge", epsilon=epsilon, over="dimension", pooled=False
        )

    at = studies(50, np.random.default_rng(21), by_rater(0.0))
    by_study = at.groupby(at.index // 3)
    assert covered((at.p <= 0.05)[at.rater == "ann"].mean(), 0.05)
    assert by_study.won.any().mean() <= 0.05 + 3.3 * np.sqrt(0.05 * 0.95 / REPLICATIONS)

    # With epsilon 0.2, a judge so noisy that rater and judge are 0.2 apart.
    many = simulated(20_000, 1, np.random.default_rng(22), judge=0.3)
    rows = alt_test_by_rater(many, FIVE, "judge")
    epsilon = float((rows.rater_advantage - rows.advantage).mean())
    assert 0.1 < epsilon < 0.3
    at = studies(50, np.random.default_rng(23), by_rater(epsilon), judge=0.3)
    assert covered((at.p <= 0.05)[at.rater == "ann"].mean(), 0.05)
    assert at.groupby(at.index // 3).won.any().mean() <= 0.05 + 3.3 * np.sqrt(
        0.05 * 0.95 / REPLICATIONS
    )

    # One more expert passes with the authors' epsilon; a judge who guesses does not.
    one_more = studies(100, np.random.default_rng(24), by_rater(0.2), REPLICATIONS // 4)
    assert (one_more.groupby(one_more.index // 3).won.mean() >= 0.5).mean() > 0.6
    guess = studies(100, np.random.default_rng(25), by_rater(0.2), REPLICATIONS // 4, judge=0.0)
    assert (guess.groupby(guess.index // 3).won.mean() >= 0.5).mean() < 0.05
