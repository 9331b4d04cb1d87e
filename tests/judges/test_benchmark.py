"""The judge against the experts: readings, intervals, verdicts; simulated judges."""

import os
from itertools import combinations, permutations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, examples, long_frame
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score

import judging_empathy as study
from raters import RatingsError, Scale, agreement, check_ratings, compare
from raters.draws import multiplicities
from raters.intervals import bca_interval
from raters.judges import rule
from raters.judges.ceiling import (
    RESULT,
    benchmark,
    differences,
    ends,
    row_of,
    verdict_counts,
    verdicts,
)
from raters.judges.decisions import decide
from raters.judges.readings import IN_TURN
from raters.judges.reference import panel
from raters.judges.rule import ABOVE, BELOW, UNDEFINED, WITHIN
from raters.results import ALL, MEAN
from raters.simulation import EVEN, true_agreement

EXPERTS = ("ann", "bob", "cleo")
KAPPA = "weighted_kappa_quadratic"
# Simulated studies a test; raise it for a sharper look at error rates.
REPLICATIONS = int(os.environ.get("RATERS_REPLICATIONS", 200))


def long(columns, framework="f", dimension="d", judges=("judge",), items=None):
    """A long frame from rater to ratings, item by item; who is no judge is an expert."""
    groups = {rater: "llm" if rater in judges else "expert" for rater in columns}
    return long_frame(columns, groups, items, framework=framework, dimension=dimension)


def some(seed=0, n=30, judges=("judge",), experts=EXPERTS):
    """Ratings of the same things, seen with noise, as rater to array."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, n)
    return {r: np.clip(np.rint(true + rng.normal(0, 0.7, n)), 1, 5) for r in (*experts, *judges)}


def kappa(a, b):
    """Quadratic kappa from its definition: disagreement of pairs over that of all with all."""
    return 1 - np.mean((a - b) ** 2) / np.mean((a[:, None] - b[None, :]) ** 2)


def by_hand(x, judge, k=kappa):
    """Benchmark and value of the three readings, by loops over experts."""
    names = list(x)
    pairs = [k(x[a], x[b]) for a, b in combinations(names, 2)]
    median = np.median(np.array(list(x.values())), axis=0)
    others = {j: np.mean([x[m] for m in names if m != j], axis=0) for j in names}
    return {
        "paper": (np.median(pairs), k(median, judge)),
        "single": (np.mean(pairs), np.mean([k(x[j], judge) for j in names])),
        "leave_one_out": (
            np.mean([k(others[j], x[j]) for j in names]),
            np.mean([k(others[j], judge) for j in names]),
        ),
    }


@pytest.mark.parametrize("experts", [EXPERTS, ("ann", "bob"), ("a", "b", "c", "d", "e")])
def test_the_readings_and_their_intervals_are_those_of_loops_over_resampled_items(experts):
    x = some(3, experts=experts)
    result = benchmark(long(x), FIVE, "judge", resamples=80, seed=5)
    judge = x.pop("judge")
    times = multiplicities(judge.size, 80, 5, "f").astype(int)
    draws = {name: [] for name in ("paper", "single", "leave_one_out")}
    for row in times:
        drawn = np.repeat(np.arange(judge.size), row)
        for name, (ceiling, value) in by_hand(
            {r: v[drawn] for r, v in x.items()}, judge[drawn]
        ).items():
            draws[name].append(value - ceiling)
    assert list(result.columns) == RESULT
    assert result.reading.tolist() == list(draws)
    for row in result.itertuples():
        ceiling, value = by_hand(x, judge)[row.reading]
        assert row.benchmark == pytest.approx(ceiling, abs=1e-12)
        assert row.value == pytest.approx(value, abs=1e-12)
        assert row.difference == pytest.approx(value - ceiling, abs=1e-12)
        ends_by_hand = np.quantile(draws[row.reading], [0.025, 0.975])
        assert [row.low, row.high] == pytest.approx(ends_by_hand, abs=1e-10)
        assert (row.n_items, row.note) == (30, "")


def test_kappa_by_hand_is_the_field_s():
    x = some(1)
    ours = kappa(x["ann"], x["bob"])
    assert ours == pytest.approx(cohen_kappa_score(x["ann"], x["bob"], weights="quadratic"))


def test_a_worked_example():
    # Pairs: ann-bob 1, ann-cleo and bob-cleo 0: mean 1/3, median 0. The judge is bob:
    # 1, 1 and 0 with the experts; the median of the experts is ann's ratings.
    frame = long({"ann": [1, 1, 3, 3], "bob": [1, 1, 3, 3], "cleo": [1, 3, 1, 3]})
    frame = pd.concat([frame, long({"judge": [1, 1, 3, 3]})])
    result = benchmark(frame, FIVE, "judge", resamples=0).set_index("reading")
    assert result.loc["paper", ["benchmark", "value"]].tolist() == [0.0, 1.0]
    assert result.loc["single", ["benchmark", "value"]].tolist() == pytest.approx([1 / 3, 2 / 3])
    # Without ann (or bob) the mean of bob and cleo is 1 2 2 3: with 1 1 3 3 it shares a
    # squared difference of 2 in 4 items; expected 1.5, so kappa 2/3. Cleo alone: 0.
    assert result.loc["leave_one_out", "benchmark"] == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert result.loc["leave_one_out", "value"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
    assert set(result.verdict) == {"cannot tell with n = 4, 10 are needed"}
    assert result.n_disagree.tolist() == [2, 2, 2]


def test_the_single_reading_is_that_of_compare_on_the_same_resamples():
    frame = long(some(2))
    sides = {
        "judge": [(e, "judge") for e in EXPERTS],
        "experts": list(combinations(EXPERTS, 2)),
    }
    theirs = compare(frame, FIVE, sides, resamples=300, seed=7).iloc[0]
    ours = benchmark(frame, FIVE, "judge", readings="single", resamples=300, seed=7).iloc[0]
    assert ours[["difference", "low", "high"]].tolist() == pytest.approx(
        theirs[["estimate", "low", "high"]].tolist(), abs=1e-12
    )


def alpha(a, b):
    return krippendorff.alpha(reliability_data=[a, b], level_of_measurement="interval")


@pytest.mark.parametrize(
    ("name", "coefficient"),
    [
        ("krippendorff_alpha_interval", alpha),
        ("spearman_rho", lambda a, b: stats.spearmanr(a, b).statistic),
    ],
)
def test_other_coefficients_come_out_as_their_libraries_have_them(name, coefficient):
    x = some(4)
    result = benchmark(long(x), FIVE, "judge", statistics=name, resamples=0)
    expected = by_hand({e: x[e] for e in EXPERTS}, x["judge"], coefficient)
    for row in result.itertuples():
        assert (row.benchmark, row.value) == pytest.approx(expected[row.reading], abs=1e-9)


def test_f1_has_the_expert_as_reference_and_rounds_means_to_levels():
    x = some(5)
    experts = {e: x[e] for e in EXPERTS}

    def f1(reference, other):
        return f1_score(np.rint(reference), np.rint(other), average="weighted", zero_division=0)

    result = benchmark(long(x), FIVE, "judge", statistics="f1_weighted", resamples=20)
    rows = result.set_index("reading")
    expected = by_hand(experts, x["judge"], f1)
    assert rows.value.to_dict() == pytest.approx({k: v[1] for k, v in expected.items()})
    assert rows.benchmark["leave_one_out"] == pytest.approx(expected["leave_one_out"][0])
    both_ways = [f1(experts[a], experts[b]) for a, b in permutations(EXPERTS, 2)]
    assert rows.benchmark["single"] == pytest.approx(np.mean(both_ways))
    assert rows.benchmark["paper"] == pytest.approx(np.median(both_ways))
    assert "mean rounded to the nearest level" in rows.note["leave_one_out"]
    assert rows.note["single"] == rows.note["paper"] == ""


def test_a_function_of_one_s_own_is_a_coefficient():
    from raters.coefficients import weighted_kappa

    table = [[abs(a - b) ** 2 for b in range(5)] for a in range(5)]
    frame = long(some(6))
    mine = {"mine": weighted_kappa(table)}
    ours = benchmark(frame, FIVE, "judge", statistics=mine, readings="single", resamples=50)
    known = benchmark(frame, FIVE, "judge", readings="single", resamples=50)
    numbers = ["benchmark", "value", "low", "high"]
    assert ours[numbers].values == pytest.approx(known[numbers].values)
    assert ours.statistic.tolist() == ["mine"]


def test_ratings_between_levels_are_pointed_out_where_only_equal_counts():
    x = some(7)
    x["judge"] = x["judge"] - np.where(np.arange(30) < 4, 0.5, 0)
    frame = long(x).assign(rating=lambda f: f.rating.clip(1, 5))
    scale = Scale([1, 2, 3, 4, 5], between=True)
    names = ["cohen_kappa", "f1_weighted", KAPPA]
    off = int((np.rint(x["judge"].clip(1)) != x["judge"].clip(1)).sum())
    result = benchmark(frame, scale, "judge", statistics=names, readings="single", resamples=0)
    notes = result.set_index("statistic").note
    assert f"ratings by judge between levels, which equal none: {off}" in notes["cohen_kappa"]
    assert "is not a level; round the ratings first" in notes["f1_weighted"]
    assert notes[KAPPA] == ""
    assert np.isnan(result.set_index("statistic").value["f1_weighted"])


def test_both_sides_rest_on_the_items_that_the_judge_rated():
    x = some(8)
    x["judge"][:5] = np.nan
    shorter = {r: v[5:] for r, v in x.items()}
    items = [f"i{n:03d}" for n in range(5, 30)]
    numbers = ["benchmark", "value", "difference", "n_items"]
    for interval in ("percentile", "bca"):
        with_gaps = benchmark(long(x), FIVE, "judge", resamples=100, interval=interval)
        without = benchmark(long(shorter, items=items), FIVE, "judge", resamples=0)
        assert with_gaps[numbers].values == pytest.approx(without[numbers].values)
        assert with_gaps.n_items.eq(25).all()
        assert with_gaps.note.str.contains(
            "items without a rating by judge, left out on both sides: 5", regex=False
        ).all()
        assert with_gaps.low.notna().all()


def test_experts_with_gaps_are_summarised_over_those_who_rated():
    x = some(9)
    x["ann"][:4] = np.nan  # bob and cleo remain
    x["bob"][3:6] = np.nan  # item 3 has cleo alone, 4 and 5 have ann and cleo
    result = benchmark(long(x), FIVE, "judge", resamples=0).set_index("reading")
    assert result.n_items.eq(29).all()
    assert result.note.str.contains("items with fewer than two experts, left out: 1").all()
    keep = np.arange(30) != 3
    e = np.array([x[name] for name in EXPERTS])[:, keep]
    judge = x["judge"][keep]
    median = np.nanmedian(e, axis=0)
    assert result.value["paper"] == pytest.approx(kappa(median, judge))
    values, ceilings = [], []
    for j in range(3):
        there = np.isfinite(e[j])
        others = np.nanmean(np.delete(e, j, axis=0), axis=0)
        values.append(kappa(others[there], judge[there]))
        ceilings.append(kappa(others[there], e[j][there]))
    assert result.value["leave_one_out"] == pytest.approx(np.mean(values))
    assert result.benchmark["leave_one_out"] == pytest.approx(np.mean(ceilings))
    pairs = []
    for a, b in combinations(range(3), 2):
        there = np.isfinite(e[a]) & np.isfinite(e[b])
        pairs.append(kappa(e[a][there], e[b][there]))
    assert result.benchmark["single"] == pytest.approx(np.mean(pairs))


def test_with_two_experts_single_and_leave_one_out_are_one():
    x = some(10, experts=("ann", "bob"))
    result = benchmark(long(x), FIVE, "judge", resamples=200).set_index("reading")
    numbers = ["benchmark", "value", "low", "high"]
    assert result.loc["single", numbers].tolist() == pytest.approx(
        result.loc["leave_one_out", numbers].tolist()
    )


@examples(25)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=5, max_size=20))
def test_a_judge_who_copies_one_of_two_experts_is_half_of_the_way_to_agreement(ratings):
    a, b = np.array(ratings, float).T
    frame = long({"ann": a, "bob": b, "judge": b})
    result = benchmark(frame, FIVE, "judge", readings=("single", "leave_one_out"), resamples=0)
    k = kappa(a, b) if np.ptp(np.concatenate([a, b])) else np.nan
    if np.ptp(b) == 0:  # bob with his copy: all ratings are one and the same
        assert result.difference.isna().all()
        assert result.note.str.contains("no variation").all()
    else:
        assert result.difference.tolist() == pytest.approx([(1 - k) / 2] * 2)


@examples(15)
@given(st.integers(0, 10**6))
def test_the_order_of_rows_and_the_names_of_experts_do_not_matter(seed):
    x = some(seed)
    x["judge"][0] = np.nan
    frame = long(x)
    first = benchmark(frame, FIVE, "judge", resamples=50)
    renamed = frame.replace({"rater": {"ann": "zoe", "bob": "bea"}})
    second = benchmark(renamed.sample(frac=1, random_state=1), FIVE, "judge", resamples=50)
    numbers = ["benchmark", "value", "low", "high"]
    assert first[numbers].values == pytest.approx(second[numbers].values, abs=1e-9)


def test_labels_without_order_have_a_mode_and_no_distances():
    scale = Scale(["no", "yes", "other"], measurement="nominal")
    rng = np.random.default_rng(0)
    x = {r: rng.choice(["no", "yes", "other"], 40) for r in (*EXPERTS, "judge")}
    result = benchmark(long(x), scale, "judge", statistics="percent_agreement", resamples=20)
    rows = result.set_index("reading")
    experts = np.array([x[e] for e in EXPERTS])
    agree, count = 0, 0
    for item in range(40):
        labels, counts = np.unique(experts[:, item], return_counts=True)
        if counts.max() > 1:
            agree, count = agree + (labels[counts.argmax()] == x["judge"][item]), count + 1
    assert rows.value["paper"] == pytest.approx(agree / count)
    assert "mode is the reference" in rows.note["paper"]
    with pytest.raises(RatingsError, match="on a nominal scale"):
        benchmark(long(x), scale, "judge")


def test_answers_outside_the_levels_are_misses_or_left_out_on_both_sides():
    scale = Scale([1, 2, 3, 4, 5], outside=["unsure"])
    x = some(11)
    judge = pd.Series(x["judge"]).astype(object)
    judge[:3] = "unsure"
    frame = pd.concat([long({e: x[e] for e in EXPERTS}), long({"judge": judge})])
    names = [KAPPA, "percent_agreement"]
    result = benchmark(frame, scale, "judge", statistics=names, readings="single", resamples=0)
    rows = result.set_index("statistic")
    assert rows.n_items.to_dict() == {KAPPA: 27, "percent_agreement": 30}
    assert rows.benchmark[KAPPA] == pytest.approx(
        np.mean([kappa(x[a][3:], x[b][3:]) for a, b in combinations(EXPERTS, 2)])
    )
    hits = [np.mean((x[e] == x["judge"]) & (np.arange(30) >= 3)) for e in EXPERTS]
    assert rows.value["percent_agreement"] == pytest.approx(np.mean(hits))


def test_what_is_not_defined_is_nan_with_a_reason():
    x = some(12)
    result = benchmark(long(x | {"judge": [3.0] * 30}), FIVE, "judge", "expert", "spearman_rho")
    assert result.value.isna().all() and result.low.isna().all()
    assert set(result.verdict) == {UNDEFINED}
    assert result.note.str.contains("not defined").all()
    nobody = benchmark(long(x | {"judge": [np.nan] * 30}), FIVE, "judge", resamples=10)
    assert nobody.value.isna().all() and nobody.n_items.eq(0).all()
    assert nobody.note.eq("not defined: no item with ratings by judge and two experts").all()


def test_resamples_without_a_value_are_counted():
    # Only two items differ from the rest: some resamples hold neither.
    x = {r: np.r_[5.0, 4.0, [3.0] * 10] for r in (*EXPERTS, "judge")}
    x["judge"][1] = 5
    result = benchmark(long(x), FIVE, "judge", readings="single", resamples=500, seed=1)
    neither = (multiplicities(12, 500, 1, "f")[:, :2].sum(axis=1) == 0).sum()
    assert neither > 0
    assert f"undefined on {neither} of 500 resamples, left out" in result.note[0]


def two_frameworks(judges=("judge",), seed=0):
    return pd.concat(
        [
            long(some(seed + 10 * d + n, n=n, judges=judges), f, f"{f}{d}", judges)
            for f, n, count in (("f", 30, 2), ("g", 20, 3))
            for d in range(count)
        ],
        ignore_index=True,
    )


def test_means_over_dimensions_are_taken_resample_by_resample():
    frame = two_frameworks()
    found = differences(frame, FIVE, "judge", readings="single", resamples=40, seed=2)
    by = {(d.labels["framework"], d.labels["dimension"]): d for d in found}
    f = [by["f", d].draws for d in ("f0", "f1")]
    g = [by["g", d].draws for d in ("g0", "g1", "g2")]
    assert by["f", MEAN].draws == pytest.approx(np.mean(f, axis=0))
    assert by[ALL, MEAN].draws == pytest.approx(np.mean([*f, *g], axis=0))
    assert by[ALL, MEAN].n_items == 50
    # Items of two frameworks are drawn independently, those of one together.
    assert abs(np.corrcoef(multiplicities(30, 40, 2, "f")[:, 0], by["g", MEAN].draws)[0, 1]) < 0.5
    single = [d for d in found if d.labels["dimension"] != MEAN]
    assert by[ALL, MEAN].difference == pytest.approx(np.mean([d.difference for d in single]))
    assert all(d.labels["dimension"] != MEAN for d in differences(frame, FIVE, "judge", mean=False))


def test_one_dimension_has_no_mean_beside_it():
    assert len(benchmark(long(some()), FIVE, "judge", readings="single", resamples=0)) == 1


def test_values_without_an_item_are_those_of_the_ratings_without_it():
    frame = two_frameworks()
    found = differences(frame, FIVE, "judge", resamples=0, without_each=True)
    overall = {d.labels["reading"]: d for d in found if d.labels["framework"] == ALL}

    def without(item):
        gone = frame[(frame.framework != "f") | (frame.item != item)]
        again = benchmark(gone, FIVE, "judge", resamples=0)
        return again[again.framework == ALL].set_index("reading").difference

    # Each framework's values are centred: what two of its items differ by stays.
    moved = without("i007") - without("i000")
    for reading, one in overall.items():
        assert one.without.size == 50
        assert one.without[7] - one.without[0] == pytest.approx(moved[reading], abs=1e-12)
        assert one.without[:30].mean() == pytest.approx(one.difference)


def test_bca_intervals_are_those_of_the_resampling_module():
    frame = long(some(13))
    found = differences(frame, FIVE, "judge", resamples=400, seed=1, without_each=True)
    result = benchmark(frame, FIVE, "judge", resamples=400, seed=1, interval="bca")
    for one, row in zip(found, result.itertuples()):
        expected = bca_interval(one.draws, one.difference, one.without, 0.95)
        assert (row.low, row.high) == pytest.approx(expected)
        assert one.without.size == 30
        shorter = frame[frame.item != "i004"]
        again = benchmark(shorter, FIVE, "judge", readings=row.reading, resamples=0)
        assert one.without[4] == pytest.approx(again.difference[0], abs=1e-12)
    assert ends(found[0], 0.95)[:2] != pytest.approx((result.low[0], result.high[0]))


def test_several_judges_come_out_as_each_alone():
    frame = two_frameworks(judges=("j1", "j2"))
    both = benchmark(frame, FIVE, ["j1", "j2"], resamples=60)
    for judge in ("j1", "j2"):
        alone = benchmark(frame, FIVE, judge, resamples=60).reset_index(drop=True)
        part = both[both.judge == judge].reset_index(drop=True)
        pd.testing.assert_frame_equal(part, alone)


def test_experts_may_be_named():
    frame = long(some(14)).drop(columns="group")
    named = benchmark(frame, FIVE, "judge", reference=EXPERTS, resamples=30)
    grouped = benchmark(long(some(14)), FIVE, "judge", resamples=30)
    pd.testing.assert_frame_equal(named, grouped)


def test_replacing_an_expert_changes_the_alpha_of_the_group():
    x = some(15)
    frame = long(x)
    name = "krippendorff_alpha_interval"
    groups = {"experts": list(EXPERTS)}
    groups |= {j: [e for e in EXPERTS if e != j] + ["judge"] for j in EXPERTS}
    values = agreement(frame, FIVE, name, groups, resamples=0).set_index("group").estimate
    row = benchmark(
        frame, FIVE, "judge", statistics=name, readings="replacement", resamples=50
    ).iloc[0]
    assert row.benchmark == pytest.approx(values["experts"])
    assert row.value == pytest.approx(values[list(EXPERTS)].mean())
    found = differences(frame, FIVE, "judge", "expert", name, "replacement", resamples=50)
    assert [d.labels["replaced"] for d in found] == [*EXPERTS, IN_TURN]
    assert [d.value for d in found[:3]] == pytest.approx(values[list(EXPERTS)].tolist())
    assert found[3].draws == pytest.approx(np.mean([d.draws for d in found[:3]], axis=0))


MANY = rule.Counts(items=100, disagree=60, away=40)
ONE_MORE, ABOVE_THEM = rule.Standing(p=0.4), rule.Standing(p=0.01, up=True, p_experts=0.8)


def said(low, high, counts=MANY, standing=ABOVE_THEM, error=0.0):
    end = rule.Ends((low - error, low + error), (high - error, high + error))
    return rule.verdict(0.0, end, [end, end], counts, standing, 0.1)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.01, 0.3, ABOVE),
        (-0.3, -0.01, BELOW),
        (-0.09, 0.09, WITHIN),
        (-0.1, 0.05, rule.ON_LINE),
        (-0.2, 0.05, "cannot tell with n = 100"),
        (0.0, 0.05, WITHIN),
        (0.02, 0.05, ABOVE),
        (np.nan, np.nan, "no interval"),
    ],
)
def test_verdicts_follow_from_the_interval_and_the_margin(low, high, expected):
    assert said(low, high) == expected


@pytest.mark.parametrize(
    ("counts", "low", "expected"),
    [
        (rule.Counts(9, 9, 9), 0.1, "cannot tell with n = 9, 10 are needed"),
        (rule.Counts(200, 9, 90), 0.1, "cannot tell: judge and experts differ on 9 of 200 items"),
        (rule.Counts(10, 10, 5), 0.1, ABOVE),
        (rule.Counts(99, 50, 40), -0.05, "cannot tell with n = 99, 100 are needed"),
        (rule.Counts(400, 50, 19), -0.05, "cannot tell: a rater leaves the commonest level 19"),
        (rule.Counts(100, 10, 20), -0.05, WITHIN),
    ],
)
def test_a_verdict_needs_enough_items_and_enough_on_which_anybody_differs(counts, low, expected):
    assert said(low, 0.09 if low < 0 else 0.3, counts).startswith(expected)


def test_above_needs_the_exchange_test_and_experts_who_are_exchangeable():
    assert "one more expert may come out so far above" in said(0.01, 0.3, standing=ONE_MORE)
    differ = rule.Standing(p=0.01, up=True, p_experts=0.05)
    assert said(0.01, 0.3, standing=differ) == rule.DIFFER
    assert said(-0.3, -0.01, standing=differ) == BELOW
    assert said(0.01, 0.09, standing=ONE_MORE) == WITHIN


def test_an_end_within_its_monte_carlo_error_of_a_line_decides_nothing():
    assert said(0.01, 0.3, error=0.02) == said(-0.01, 0.3, error=0.02) == rule.ON_LINE
    assert said(-0.09, 0.05, error=0.02) == rule.ON_LINE
    frame = long(some(16, n=400))
    with_few = benchmark(frame, FIVE, "judge", readings="single", resamples=20)
    assert with_few.verdict.tolist() == [rule.ON_LINE]


def test_two_items_on_which_all_agree_are_no_evidence():
    frame = long({name: [1, 3] for name in (*EXPERTS, "judge")})
    row = benchmark(frame, FIVE, "judge", readings="single", resamples=200).iloc[0]
    assert row.verdict == "cannot tell with n = 2, 10 are needed"
    assert np.isnan([row.low, row.high]).all() and row.n_disagree == 0
    assert "no interval: all resamples give one value" in row.note
    decided = decide(frame, FIVE, "judge", resamples=200)
    assert decided.p.isna().all() and decided.decision.str.startswith("cannot tell").all()


def test_the_margin_decides_what_is_within():
    frame = long(some(16, n=400))
    wide = benchmark(frame, FIVE, "judge", readings="single", resamples=300, margin=0.2)
    narrow = benchmark(frame, FIVE, "judge", readings="single", resamples=2000, margin=0.001)
    assert wide.verdict.tolist() == [WITHIN]
    assert narrow.verdict.tolist() == ["cannot tell with n = 400"]


def test_a_table_that_a_person_can_read():
    frame = two_frameworks(judges=("j1", "j2"))
    result = benchmark(frame, FIVE, ["j1", "j2"], resamples=50)
    table = verdicts(result, "j2", reading="paper")
    assert list(table.columns) == [
        "framework",
        "dimension",
        "ceiling",
        "j2",
        "difference",
        "verdict",
    ]
    rows = result[(result.judge == "j2") & (result.reading == "paper")].reset_index()
    first = rows.iloc[0]
    assert table.ceiling[0] == f"{first.benchmark:.2f}"
    assert table.difference[0] == f"{first.difference:+.2f} [{first.low:+.2f}, {first.high:+.2f}]"
    assert table.verdict.tolist() == rows.verdict.tolist()
    assert "framework" not in verdicts(result[result.framework == "f"], "j1")
    with pytest.raises(RatingsError, match="no judge, and 2 to choose of"):
        verdicts(result)
    with pytest.raises(RatingsError, match="reading='alone'"):
        verdicts(result, "j1", reading="alone")


def test_verdicts_are_counted_over_dimensions_only():
    result = benchmark(two_frameworks(), FIVE, "judge", resamples=50)
    counts = verdict_counts(result).set_index("reading")
    assert counts.dimensions.tolist() == [5, 5, 5]
    kinds = ["above", "within", "below", "cannot_tell", "other"]
    assert counts[kinds].sum(axis=1).eq(5).all()
    single = result[(result.reading == "single") & (result.dimension != MEAN)]
    assert counts.cannot_tell["single"] == single.verdict.str.startswith("cannot tell").sum()


@pytest.mark.parametrize(
    ("how", "expected"),
    [("median", [2, 2, 3]), ("mean", [7 / 3, 2, 8 / 3]), ("majority", [2, np.nan, 3])],
)
def test_a_panel_is_a_rater(how, expected):
    judges = ("a", "b", "c")
    frame = long({"a": [2, 1, 3], "b": [3, 2, 3], "c": [2, 3, 2], "e": [1, 1, 1]}, judges=judges)
    frame = check_ratings(frame, FIVE)
    frame.attrs["study"] = "mine"
    result = panel(frame, judges, how)
    new = result[result.rater == f"panel_{how}"]
    assert new.rating.tolist() == pytest.approx(expected, nan_ok=True)
    assert set(new.group) == {"panel"} and result.attrs == {"study": "mine"}
    pd.testing.assert_frame_equal(result[: len(frame)], frame)


def test_a_panel_can_be_benchmarked():
    judges = ("a", "b", "c")
    frame = panel(check_ratings(long(some(17, judges=judges), judges=judges), FIVE), judges)
    result = benchmark(frame, FIVE, "panel_median", readings="single", resamples=100)
    single = benchmark(frame, FIVE, judges, readings="single", resamples=0)
    assert result.value[0] > single.value.mean()  # a median is steadier than its members


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"judge": "nobody"}, "the judges \\['nobody'\\]"),
        ({"judge": []}, "no judge"),
        ({"judge": ["judge", "judge"]}, "each once"),
        ({"judge": "ann"}, "who is one of the experts"),
        ({"reference": "experts"}, "the reference group 'experts'"),
        ({"reference": ["ann"]}, "one alone has no agreement to be a ceiling"),
        ({"reference": ["ann", "dan"]}, "the experts \\['dan'\\]"),
        ({"statistics": "kappa"}, "the statistic 'kappa'"),
        ({"statistics": "mean_difference"}, "more is not better"),
        ({"readings": "median"}, "the reading 'median'"),
        ({"readings": ()}, "no reading"),
        ({"readings": "replacement"}, "which takes two raters"),
        ({"interval": "jackknife"}, "interval='jackknife'"),
        ({"level": 95}, "level=95"),
        ({"margin": 0}, "margin=0"),
        ({"margin": "0.1"}, "margin='0.1'"),
        ({"resamples": -1}, "resamples=-1"),
    ],
)
def test_bad_input_is_refused(change, message):
    with pytest.raises(RatingsError, match=message) as caught:
        benchmark(long(some()), FIVE, **{"judge": "judge", "resamples": 10, **change})
    assert all((caught.value.given, caught.value.allowed, caught.value.todo))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"raters": ["ann"]}, "a panel of \\['ann'\\]"),
        ({"raters": ["ann", "ann"]}, "each rater once"),
        ({"raters": ["ann", "dan"]}, "raters of the panel \\['dan'\\]"),
        ({"how": "mode"}, "how='mode'"),
        ({"name": "bob"}, "whose name is taken"),
    ],
)
def test_a_bad_panel_is_refused(change, message):
    frame = check_ratings(long(some()), FIVE)
    with pytest.raises(RatingsError, match=message):
        panel(frame, **{"raters": ["ann", "cleo"], **change})


def test_each_judge_has_a_row_for_each_reading_dimension_and_mean():
    judges = ("j1", "j2", "j3")
    frame = pd.concat(
        [
            long(some(100 * f + d, n=50, judges=judges), f"f{f}", f"d{d}", judges)
            for f, count in enumerate((3, 3, 9, 6))
            for d in range(count)
        ]
    )
    result = benchmark(frame, FIVE, judges, resamples=100)
    assert len(result) == 3 * 3 * (21 + 4 + 1)


# --- simulated judges whose truth is known ----------------------------------------


def _cuts():
    return stats.norm.ppf(np.cumsum(EVEN)[:-1])


def kappa_of(a, b):
    """Quadratic kappa of two raters with these reliabilities and infinitely many items."""
    node, weight = np.polynomial.hermite_e.hermegauss(200)
    weight = weight / weight.sum()
    below = [
        stats.norm.cdf((_cuts()[:, None] - np.sqrt(r) * node) / np.sqrt(1 - r)).sum(axis=0)
        for r in (a, b)
    ]
    return float((weight @ (below[0] * below[1]) - 2**2) / 2)  # levels 0 to 4: mean 2, variance 2


def simulated(n, replications, rng, judge=0.6, shift=0.0, experts=0.6):
    """Studies of three exchangeable experts and a judge, each study a framework.

    `experts` and `judge` are the shares of true variance in what each sees.
    """
    names = (*EXPERTS, "judge")
    share = np.array([experts] * 3 + [judge])
    items = [f"i{i:05d}" for i in range(n)]
    parts = []
    for study_ in range(replications):
        true = rng.standard_normal((n, 1))
        seen = np.sqrt(share) * true + np.sqrt(1 - share) * rng.standard_normal((n, 4))
        seen[:, 3] += shift
        x = np.searchsorted(_cuts(), seen) + 1.0
        parts.append(long(dict(zip(names, x.T)), f"s{study_}", items=items))
    return pd.concat(parts, ignore_index=True)


def studies(n, rng, compute, replications=REPLICATIONS, at_once=20, **judge):
    """What `compute` returns for many studies, a few at a time."""
    return pd.concat(
        [
            compute(simulated(n, min(at_once, replications - start), rng, **judge))
            for start in range(0, replications, at_once)
        ],
        ignore_index=True,
    )


def covered(share, nominal, replications=REPLICATIONS):
    """Whether a share of simulated studies may be the nominal one: within 3.3 errors."""
    return abs(share - nominal) <= 3.3 * np.sqrt(nominal * (1 - nominal) / replications)


def _benchmark(frame):
    """Intervals alone: no verdicts, which take time."""
    found = differences(frame, FIVE, "judge", resamples=500, mean=False)
    return pd.DataFrame([row_of(one, 0.95) for one in found])


@pytest.mark.slow
def test_a_judge_who_is_one_more_expert_is_told_so_at_the_nominal_rate():
    result = studies(50, np.random.default_rng(1), _benchmark)
    holds = ((result.low <= 0) & (result.high >= 0)).groupby(result.reading).mean()
    assert covered(holds["single"], 0.95)
    assert covered(holds["leave_one_out"], 0.95)
    mean = result.groupby("reading").difference.mean()
    spread = result.groupby("reading").difference.std() / np.sqrt(REPLICATIONS)
    assert abs(mean["single"]) < 3.3 * spread["single"]
    assert abs(mean["leave_one_out"]) < 3.3 * spread["leave_one_out"]


@pytest.mark.slow
def test_the_reading_of_the_paper_favours_the_judge():
    # One more expert comes out 0.08 above the ceiling where kappa of experts is 0.55:
    # the median of three is a better yardstick than one expert.
    many = simulated(10_000, 3, np.random.default_rng(2))
    gap = benchmark(many, FIVE, "judge", resamples=0, mean=False).groupby("reading").difference
    assert gap.mean()["paper"] == pytest.approx(0.077, abs=0.01)
    assert gap.mean()["single"] == pytest.approx(0, abs=0.01)
    assert gap.mean()["leave_one_out"] == pytest.approx(0, abs=0.01)
    result = studies(200, np.random.default_rng(3), _benchmark, REPLICATIONS // 4)
    above = (result.low > 0).groupby(result.reading).mean()
    assert above["paper"] > 0.2
    assert above["paper"] > above["single"] + 0.1


@pytest.mark.slow
def test_intervals_of_a_noisy_judge_cover_the_true_difference():
    truth = kappa_of(0.6, 0.35) - kappa_of(0.6, 0.6)
    assert kappa_of(0.6, 0.6) == pytest.approx(true_agreement(0.6, EVEN))
    result = studies(100, np.random.default_rng(4), _benchmark, judge=0.35)
    single = result[result.reading == "single"]
    assert covered(((single.low <= truth) & (truth <= single.high)).mean(), 0.95)
    # More often than not it is told apart from an expert; it is never said to be above.
    assert (single.high < 0).mean() > 0.5
    assert (single.low > 0).sum() == 0


@pytest.mark.slow
def test_a_shifted_judge_is_told_apart_by_value_and_not_by_order():
    def both(frame):
        names = [KAPPA, "spearman_rho"]
        found = differences(frame, FIVE, "judge", "expert", names, "single", 300, mean=False)
        return pd.DataFrame([row_of(one, 0.95) for one in found])

    result = studies(100, np.random.default_rng(5), both, REPLICATIONS // 4, shift=0.8)
    below = (result.high < 0).groupby(result.statistic).mean()
    assert below[KAPPA] > 0.6
    assert below["spearman_rho"] < 0.3
    noisy = studies(100, np.random.default_rng(6), both, REPLICATIONS // 4, judge=0.2)
    assert ((noisy.high < 0).groupby(noisy.statistic).mean() > 0.8).all()


# --- the study -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.real_data
def test_the_study_like_for_like():
    judges = [*study.MODELS, study.CROWD]
    result = benchmark(study.load("published"), study.scales(), judges)
    overall = result[(result.framework == ALL) & (result.reading == "single")].set_index("judge")
    assert overall.benchmark.round(3).tolist() == [0.558] * 4
    assert overall.value.round(3).to_dict() == {
        "gemini": 0.508,
        "gpt": 0.396,
        "claude": 0.436,
        "crowd": 0.292,
    }
    counts = verdict_counts(result)
    counts = counts[counts.reading == "single"].set_index("judge")
    assert counts.loc["gemini", ["above", "below", "cannot_tell"]].tolist() == [0, 1, 20]
    assert counts.loc["gpt", ["above", "below", "cannot_tell"]].tolist() == [0, 10, 11]
    assert counts.loc["claude", ["above", "below", "cannot_tell"]].tolist() == [1, 7, 13]


def test_a_verdict_has_a_code_for_programs_and_counts_do_not_read_its_words():
    """Who improves a sentence changes no count."""
    codes = {
        rule.ABOVE.code: "above", rule.WITHIN.code: "within", rule.BELOW.code: "below",
        "few_items": "cannot_tell", "on_line": "cannot_tell", "experts_differ": "cannot_tell",
        "undefined": "other", "no_interval": "other",
    }  # fmt: skip
    labels = {"judge": "j", "reading": "single", "statistic": "s", "dimension": "d"}
    for code, column in codes.items():
        frame = pd.DataFrame([{**labels, "verdict": "in other words", "code": code}])
        counted = verdict_counts(frame).iloc[0]
        assert counted[column] == 1 and counted["dimensions"] == 1
        assert counted[["above", "within", "below", "cannot_tell", "other"]].sum() == 1


def test_every_way_to_decide_nothing_has_its_own_code():
    counts = rule.Counts
    few = [rule.too_few(counts(9, 9, 9)), rule.too_few(counts(50, 3, 40)),
           rule.too_few(counts(200, 100, 3), of_margin=True)]  # fmt: skip
    against = rule.Standing(p=0.4, p_experts=0.8).against_above(0.05)
    differ = rule.Standing(p=0.4, p_experts=0.01).against_above(0.05)
    codes = [one.code for one in (*few, against, differ, rule.ON_LINE)]
    assert codes == [
        *("few_items", "few_disagree", "few_away"),
        *("one_more_expert", "experts_differ", "on_line"),
    ]
    assert all(one.startswith(rule.OPEN) for one in (*few, against, differ, rule.ON_LINE))
