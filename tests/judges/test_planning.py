"""Planning and prediction-powered estimates: simulated truth and second computations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, examples, long_frame
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from raters import RatingsError, Scale, agreement
from raters.coefficients import MANY, PAIR
from raters.judges.estimation import (
    corrected_share,
    prediction_powered,
    prediction_powered_difference,
    prediction_powered_mean,
)
from raters.judges.planning import gain_from_raters, plan, smallest_n, variance_components
from raters.simulation import EVEN, simulated_levels


def long(x, names=None, group="expert"):
    """A long frame from a matrix of items x raters."""
    return long_frame(dict(zip(names or [f"r{k}" for k in range(x.shape[1])], x.T)), group)


def levels(n, k, seed=1, reliability=0.6):
    return simulated_levels(n, k, reliability, EVEN, np.random.default_rng(seed))


# --- the width of an interval -----------------------------------------------------


def test_the_planned_width_is_the_width_of_the_interval_at_the_same_n():
    frame = long(levels(80, 3))
    planned = plan(frame, FIVE, n_items=[80], resamples=4000)
    made = agreement(frame, FIVE, resamples=4000).iloc[0]
    assert planned.width[0] == pytest.approx(made.high - made.low, rel=0.06)
    assert planned.estimate[0] == pytest.approx(made.estimate, abs=0.02)


def test_the_planned_width_is_that_of_real_new_studies():
    """A plan made from 60 items, against the spread of alpha over new studies of 120."""
    rng = np.random.default_rng(3)
    alphas = [
        MANY["krippendorff_alpha_interval"](
            simulated_levels(120, 3, 0.6, EVEN, rng), FIVE
        ).estimate()
        for _ in range(400)
    ]
    true_width = np.subtract(*np.quantile(alphas, [0.975, 0.025]))
    planned = [
        plan(long(levels(60, 3, seed)), FIVE, n_items=[120], resamples=500).width[0]
        for seed in range(12)
    ]
    assert np.mean(planned) == pytest.approx(true_width, rel=0.15)


def test_widths_shrink_with_the_root_of_n_and_with_raters():
    frame = long(levels(100, 4))
    found = plan(frame, FIVE, n_items=[50, 200], n_raters=[2, 3, 4], resamples=2000)
    width = found.pivot(index="n_items", columns="n_raters", values="width")
    assert (width.loc[50] / width.loc[200]).to_numpy() == pytest.approx(2, rel=0.15)
    assert width.loc[50].is_monotonic_decreasing


def test_more_raters_than_observed_by_the_model():
    """From 3 of 6 raters, what 6 would give; against resampling with all 6."""
    x = levels(150, 6, seed=2)
    few, all_six = long(x[:, :3]), long(x)
    guessed = plan(few, FIVE, n_items=[100], n_raters=[6], resamples=2000).iloc[0]
    seen = plan(all_six, FIVE, n_items=[100], n_raters=[6], resamples=2000).iloc[0]
    assert "normal model" in guessed.assumption and "observed" in seen.assumption
    assert guessed.width == pytest.approx(seen.width, rel=0.25)


def test_smallest_n_and_reaches():
    frame = long(levels(80, 3))
    found = plan(frame, FIVE, n_items=[25, 100, 400], width=0.2)
    assert found.reaches.tolist() == (found.width <= 0.2).tolist()
    least = smallest_n(found, 0.2)
    assert least.n_items[0] == found[found.width <= 0.2].n_items.min()
    never = smallest_n(found, 0.01)
    assert never.n_items.isna()[0]
    assert never.by_root_n[0] == int(np.ceil(400 * (found.width.iloc[-1] / 0.01) ** 2))


def test_pairs_a_judge_and_the_difference():
    x = levels(60, 4, seed=5)
    frame = pd.concat([long(x[:, :3]), long(x[:, 3:], ["j"], "llm")])
    kappa = "weighted_kappa_quadratic"
    found = plan(frame, FIVE, kappa, judge="j", n_items=[60], n_raters=[1, 3], resamples=3000)
    assert found.quantity.tolist() == ["judge", "judge", "difference"]
    single = np.mean([PAIR[kappa](x[:, [k, 3]], FIVE).estimate() for k in range(3)])
    pairs = [PAIR[kappa](x[:, [a, b]], FIVE).estimate() for a, b in ((0, 1), (0, 2), (1, 2))]
    at = found.set_index(["quantity", "n_raters"])
    assert at.estimate["judge", 3] == pytest.approx(single, abs=0.02)
    assert at.estimate["difference", 3] == pytest.approx(single - np.mean(pairs), abs=0.02)
    assert at.width["judge", 3] < at.width["judge", 1]


def test_means_over_dimensions_are_narrower_and_the_model_has_none():
    one = long(levels(60, 3, 1)).assign(dimension="x")
    two = long(levels(60, 3, 2)).assign(dimension="y")
    found = plan(pd.concat([one, two]), FIVE, n_items=[60], n_raters=[3, 5], resamples=800)
    width = found.set_index(["dimension", "n_raters"]).width
    assert width["mean of dimensions", 3] < min(width["x", 3], width["y", 3])
    row = found[(found.dimension == "mean of dimensions") & (found.n_raters == 5)].iloc[0]
    assert np.isnan(row.width) and "single dimensions" in row.note


def test_variance_components_of_a_known_model():
    rng = np.random.default_rng(4)
    x = rng.normal(0, 2, (400, 1)) + rng.normal(0, 1, (1, 60)) + rng.normal(0, 0.5, (400, 60))
    found = variance_components(x)
    assert found["item"] == pytest.approx(4, rel=0.15)
    assert found["rater"] == pytest.approx(1, rel=0.4)
    assert found["error"] == pytest.approx(0.25, rel=0.05)


# --- one rater against the mean of several ------------------------------------------


@examples(25)
@given(st.integers(0, 10_000), st.integers(4, 20), st.integers(2, 4))
def test_reliability_is_that_of_shrout_and_fleiss(seed, n, k):
    x = levels(n, k, seed)
    found = gain_from_raters(long(x), FIVE, "expert", k=[1, k], resamples=0).estimate.to_numpy()
    expected = [MANY["icc1"](x, FIVE).estimate(), MANY["icc1k"](x, FIVE).estimate()]
    if not expected[0] > 0:  # a negative variance is taken as none
        assert found == pytest.approx([0, 0])
        return
    assert found == pytest.approx(expected)
    assert found[1] == pytest.approx(k * found[0] / (1 + (k - 1) * found[0]))


def test_kappa_with_a_criterion_is_that_of_the_observed_means():
    x = levels(50, 4, seed=7)
    frame = pd.concat([long(x[:, :3], group="crowd"), long(x[:, 3:] * 0.5 + 2, ["e"])])
    scale = Scale([1, 2, 3, 4, 5], between=True)
    found = gain_from_raters(frame, scale, k=[1, 3], criterion="e", resamples=200)
    at = found.set_index(["statistic", "n_raters"])
    means = np.column_stack([x[:, :3].mean(axis=1), x[:, 3] * 0.5 + 2])
    kappa = PAIR["weighted_kappa_quadratic"](means, scale).estimate()
    assert at.estimate["weighted_kappa_quadratic", 3.0] == pytest.approx(kappa)
    assert at.estimate["correlation", 3.0] == pytest.approx(np.corrcoef(means.T)[0, 1])
    assert (found.low <= found.estimate).all() and (found.estimate <= found.high).all()


def test_averaging_lifts_noise_but_not_a_shift():
    """Raters drawn anew for each item, one level too high: k = 1 predicts k = 8."""
    rng = np.random.default_rng(8)
    n = 400
    true = rng.normal(0, 1, n)
    wide = np.full((n, 40), np.nan)
    for item in range(n):
        who = rng.choice(40, rng.integers(1, 5), replace=False)
        wide[item, who] = 4 + true[item] + 1 + rng.normal(0, 1, who.size)
    scale = Scale([-10, 20], between=True)
    frame = pd.concat([long(wide, group="crowd"), long(4 + true[:, None], ["e"])]).dropna()
    found = gain_from_raters(frame, scale, k=[1, 8, np.inf], criterion="e", resamples=0)
    at = found.set_index(["statistic", "n_raters"]).estimate
    assert at["reliability", 1.0] == pytest.approx(0.5, abs=0.07)
    assert at["correlation", 1.0] == pytest.approx(np.sqrt(0.5), abs=0.05)
    assert at["correlation", np.inf] == pytest.approx(1, abs=0.1)
    new = 4 + true + 1 + rng.normal(0, 1 / np.sqrt(8), n)
    kappa = PAIR["weighted_kappa_quadratic"](np.column_stack([4 + true, new]), scale).estimate()
    assert at["weighted_kappa_quadratic", 8.0] == pytest.approx(kappa, abs=0.04)
    # Two variances of 1 and a shift of 1: 2 / (1 + 1 + 1).
    assert at["weighted_kappa_quadratic", np.inf] == pytest.approx(2 / 3, abs=0.05)


def test_raters_without_any_reliability_are_said_and_extrapolate_to_nothing():
    x = np.array([[1.0, 5], [5, 1], [1, 5], [5, 1]])
    found = gain_from_raters(long(x, group="crowd"), FIVE, k=[1, 10], resamples=100)
    assert (found.estimate == 0).all() and (found.low == 0).all()
    assert found.note.str.contains("no more than chance").all()


def test_one_rating_an_item_tells_nothing_about_reliability():
    found = gain_from_raters(long(levels(10, 1), group="crowd"), FIVE, k=[1], resamples=0)
    assert np.isnan(found.estimate[0])
    assert "no item has two ratings" in found.note[0]


# --- prediction-powered estimates ---------------------------------------------------


def by_hand(y, f, g, level=0.95):
    """The formulas of the two papers, written out, with the small-sample corrections."""
    n, many = len(y), len(g)
    pooled = [*f, *g]
    centre = sum(pooled) / len(pooled)
    var_f = sum((v - centre) ** 2 for v in pooled) / (len(pooled) - 1)
    my, mf, mg = sum(y) / n, sum(f) / n, sum(g) / many
    cov = sum((a - my) * (b - mf) for a, b in zip(y, f)) / (n - 1)
    t = min(1, max(0, cov / ((1 + n / many) * var_f)))
    estimate = t * mg + sum(a - t * b for a, b in zip(y, f)) / n
    rest = [a - t * b for a, b in zip(y, f)]
    m = sum(rest) / n
    variance = sum((v - m) ** 2 for v in rest) / (n - 2) / n
    variance += t**2 * sum((v - mg) ** 2 for v in g) / (many - 1) / many
    reach = stats.t.ppf((1 + level) / 2, n - 2) * variance**0.5
    return estimate, t, estimate - reach, estimate + reach


@examples(50)
@given(st.integers(0, 10_000), st.integers(3, 40), st.integers(2, 60))
def test_prediction_powered_by_hand(seed, n, many):
    rng = np.random.default_rng(seed)
    y, f, g = rng.normal(3, 1, n), rng.normal(3, 1, n), rng.normal(3, 1, many)
    f += rng.choice([-1, 0, 2]) * y
    found = prediction_powered(y, f, g)
    expected = by_hand(y.tolist(), f.tolist(), g.tolist())
    assert (found.estimate, found.tuning, found.low, found.high) == pytest.approx(expected)
    assert found.effective_n == pytest.approx(np.var(y, ddof=1) / found.error**2)


def test_full_trust_is_the_first_paper_and_no_trust_the_labels():
    rng = np.random.default_rng(1)
    y, f, g = rng.normal(3, 1, 30), rng.normal(4, 1, 30), rng.normal(4, 1, 100)
    full = prediction_powered(y, f, g, tuning=1)
    assert full.estimate == pytest.approx(g.mean() + (y - f).mean())
    assert full.error**2 == pytest.approx(np.var(y - f, ddof=1) / 30 + np.var(g, ddof=1) / 100)
    none = prediction_powered(y, f, g, tuning=0)
    assert none.estimate == pytest.approx(y.mean())
    assert none.effective_n == pytest.approx(30)
    assert (none.low, none.high) == pytest.approx(
        stats.t.interval(0.95, 29, y.mean(), stats.sem(y))
    )


def test_intervals_cover_and_are_narrower_than_labels_alone():
    """Judge one level too high: its own mean is wrong, the corrected one is not."""
    rng = np.random.default_rng(2)
    covered, shorter, plain = [], [], []
    for _ in range(600):
        true = rng.normal(3, 1, 220)
        y = np.clip(np.rint(true + rng.normal(0, 0.4, 220)), 1, 5)
        f = np.clip(np.rint(true + 0.8 + rng.normal(0, 0.4, 220)), 1, 5)
        found = prediction_powered(y[:20], f[:20], f[20:])
        covered.append(found.low <= 3 <= found.high)
        reach = stats.t.ppf(0.975, 19) * stats.sem(y[:20])
        shorter.append((found.high - found.low) / (2 * reach))
        plain.append(abs(f.mean() - 3) < 0.5)
    # Three standard errors of a share of 0.95 among 600 are 0.027.
    assert 0.923 < np.mean(covered) < 0.977
    assert np.mean(shorter) < 0.85
    assert np.mean(plain) < 0.05


def test_a_judge_who_knows_nothing_costs_little():
    rng = np.random.default_rng(3)
    found = [
        prediction_powered(rng.normal(size=30), rng.normal(size=30), rng.normal(size=300))
        for _ in range(200)
    ]
    assert np.median([one.effective_n for one in found]) > 27


def test_the_three_methods_in_a_frame():
    rng = np.random.default_rng(5)
    true = rng.normal(3, 1, 100)
    y = np.clip(np.rint(true), 1, 5)
    f = np.clip(np.rint(true + 1), 1, 5)
    frame = long(np.column_stack([y, f]), ["e", "j"])
    some = [f"i{n:03d}" for n in range(25)]
    found = prediction_powered_mean(frame, FIVE, "j", "e", labelled=some).set_index("method")
    assert found.n_labelled.tolist() == [25] * 3 and found.n_unlabelled.tolist() == [75] * 3
    assert found.estimate["labels only"] == pytest.approx(y[:25].mean())
    assert found.estimate["judge only"] == pytest.approx(f.mean())
    assert np.isnan(found.low["judge only"]) and "no interval" in found.note["judge only"]
    direct = prediction_powered(y[:25], f[:25], f[25:])
    assert found.high["prediction powered"] == pytest.approx(direct.high)
    assert found.effective_n["prediction powered"] > 25
    nothing_left = prediction_powered_mean(frame, FIVE, "j", "e").set_index("method")
    assert np.isnan(nothing_left.estimate["prediction powered"])
    assert "100 items with label, 0 without" in nothing_left.note["prediction powered"]
    few = prediction_powered_mean(frame, FIVE, "j", "e", labelled=some[:8])
    assert few.note.str.contains("fewer than 15").sum() == 2


def test_labels_that_do_not_vary_have_no_interval_of_width_0():
    y, f = np.zeros(1000), np.zeros(1000)
    f[900:] = 1
    frame = long(np.column_stack([y, f]), ["e", "j"])
    some = [f"i{n:03d}" for n in range(30)]
    found = prediction_powered_mean(frame, Scale([0, 1]), "j", "e", labelled=some)
    found = found.set_index("method")
    wilson = stats.binomtest(0, 30).proportion_ci(method="wilson")
    assert found.loc["labels only", ["low", "high"]].tolist() == pytest.approx(
        [wilson.low, wilson.high], abs=1e-12
    )
    powered = found.loc["prediction powered"]
    assert powered.estimate == 0 and np.isnan([powered.low, powered.high]).all()
    assert "up to 10% of all items" in powered.note and "0 of 30 labels" in powered.note
    equal = prediction_powered_mean(long(np.full((60, 2), 3.0), ["e", "j"]), FIVE, "j", "e",
                                    labelled=some)  # fmt: skip
    assert equal.low.isna().all() and "nothing varies in 30 labels" in equal.note[0]


def test_the_share_above_a_level_is_the_mean_of_who_is_above_it():
    rng = np.random.default_rng(6)
    y = rng.integers(1, 6, 100) * 1.0
    f = np.clip(y + rng.integers(0, 2, 100), 1, 5)
    some = [f"i{n:03d}" for n in range(40)]
    found = prediction_powered_mean(
        long(np.column_stack([y, f]), ["e", "j"]), FIVE, "j", "e", labelled=some, at_least=4
    ).set_index("method")
    direct = by_hand((y >= 4)[:40] * 1.0, (f >= 4)[:40] * 1.0, (f >= 4)[40:] * 1.0)
    row = found.loc["prediction powered", ["estimate", "tuning", "low", "high"]]
    assert row.tolist() == pytest.approx(direct)
    count = int((y >= 4)[:40].sum())
    wilson = stats.binomtest(count, 40).proportion_ci(method="wilson")
    assert found.low["labels only"] == pytest.approx(wilson.low)


@pytest.mark.parametrize("column", ["framework", "dimension"])
def test_the_difference_of_two_systems_is_that_of_their_items(column):
    rng = np.random.default_rng(7)
    y = rng.integers(1, 6, (2, 80)) * 1.0
    f = np.clip(y + rng.integers(0, 3, (2, 80)), 1, 5)
    parts = [
        long(np.column_stack([y[s], f[s]]), ["e", "j"]).assign(**{column: name})
        for s, name in enumerate(("new", "old"))
    ]
    some = [f"i{n:03d}" for n in range(30)]
    frame = pd.concat(parts).sample(frac=1, random_state=1)
    found = prediction_powered_difference(frame, FIVE, "j", ("new", "old"), "e", labelled=some)
    gap_y, gap_f = y[0] - y[1], f[0] - f[1]
    direct = by_hand(gap_y[:30], gap_f[:30], gap_f[30:])
    row = found.set_index("method").loc["prediction powered"]
    assert row[["estimate", "tuning", "low", "high"]].tolist() == pytest.approx(direct)
    assert row[column] == "new less old"
    with pytest.raises(RatingsError, match="the systems"):
        prediction_powered_difference(frame, FIVE, "j", ("new", "new"), "e")


def test_a_share_is_corrected_for_the_judge_s_errors():
    known = corrected_share(30, 100, 0.8, 0.9)
    assert known.estimate == pytest.approx((0.3 - 0.1) / 0.7)
    wilson = stats.binomtest(30, 100).proportion_ci(method="wilson")
    assert (known.low, known.high) == pytest.approx(
        ((wilson.low - 0.1) / 0.7, (wilson.high - 0.1) / 0.7)
    )
    # With very many items it is the delta method of Rogan and Gladen.
    many = corrected_share(300_000, 1_000_000, 0.8, 0.9, 100_000, 100_000)
    p = 2 / 7
    error = (0.21 / 1e6 + p**2 * 0.16 / 1e5 + (1 - p) ** 2 * 0.09 / 1e5) ** 0.5 / 0.7
    assert many.high - many.low == pytest.approx(2 * 1.96 * error, rel=1e-3)
    rng = np.random.default_rng(8)
    held = []
    for _ in range(400):  # one class of 5 %, from 30 and 60 labelled items
        share = 0.05 * 0.8 + 0.95 * 0.02
        counts = rng.binomial([300, 30, 60], [share, 0.8, 0.98])
        found = corrected_share(counts[0], 300, counts[1] / 30, counts[2] / 60, 30, 60)
        held.append(found.low <= 0.05 <= found.high)
    assert 0.92 < np.mean(held) <= 1
    refused = [(5, 4, 0.8, 0.9), (1, 4, 1.2, 0.9), (1, 4, 0.5, 0.5)]
    for numbers in refused:
        with pytest.raises(RatingsError):
            corrected_share(*numbers)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: plan(f, FIVE, raters="nobody"), "raters 'nobody'"),
        (lambda f: plan(f, FIVE, raters=["r0"]), "two raters"),
        (lambda f: plan(f, FIVE, n_items=[1]), r"n_items=\[1\]"),
        (lambda f: plan(f, FIVE, n_raters=[1]), r"n_raters=\[1\]"),
        (lambda f: plan(f, FIVE, width=0), "width=0"),
        (lambda f: plan(f, FIVE, "magic"), "statistic 'magic'"),
        (lambda f: plan(f, FIVE, "fleiss_kappa", n_raters=[9]), "at most 3; more for kripp"),
        (lambda f: plan(f, FIVE, judge="nobody"), "judge 'nobody'"),
        (lambda f: smallest_n(f, 0.1), "what plan returns"),
        (lambda f: gain_from_raters(f, FIVE), "group 'crowd'"),
        (lambda f: gain_from_raters(f, FIVE, "expert", k=[0.5]), r"k=\[0.5\]"),
        (lambda f: gain_from_raters(f, FIVE, "expert", criterion="r0"), "outside it"),
        (lambda f: prediction_powered_mean(f, FIVE, "r0", "r1", labelled=["x"]), "not in the"),
        (lambda f: prediction_powered([1, 2], [1, 2], [1, 2]), "3 or more"),
        (lambda f: prediction_powered([1, 2, 3], [1, 2], [1, 2]), "3 labels, 2 ratings"),
        (lambda f: prediction_powered([1, 2, np.nan], [1, 2, 3], [1, 2]), "missing"),
        (lambda f: prediction_powered([1, 2], [1, 2], [1, 2], tuning=2), "tuning=2"),
        (lambda f: prediction_powered([1, 2], [1, 2], [1, 2], 1, level=2), "level=2"),
    ],
)
def test_bad_input(call, message):
    frame = long(levels(10, 3))
    with pytest.raises(RatingsError, match=message):
        call(frame)
