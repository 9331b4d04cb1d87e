"""Why judge and reference disagree: hand-worked numbers, and simulated judges named rightly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, examples, judged
from hypothesis import given
from hypothesis import strategies as st

from raters import RatingsError, Scale
from raters.judges.disagreement import (
    GAIN,
    SHARES,
    confusion,
    error_share,
    item_gaps,
    level_and_order,
    spread_ratio,
    step_errors,
    steps_apart,
    where_raters_split,
    why,
)
from raters.judges.reference import between, with_judged


def rounded(values):
    return np.clip(np.rint(values), 1, 5)


def simulated(seed=1, n=150):
    """Three experts and four judges who are wrong in known ways."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, n)
    experts = {f"e{k}": rounded(true + rng.normal(0, 0.3, n)) for k in range(3)}
    reference = np.median(list(experts.values()), axis=0)
    return experts | {
        "shifted": np.clip(rounded(np.minimum(reference, 4)) + 1, 1, 5),
        "noisy": rounded(3 + 0.15 * (true - 3) + rng.normal(0, 1, n)),
        "narrow": np.where(reference < 3, 2.0, np.where(reference > 3, 4.0, 3.0)),
    }


def table(found, judge="j"):
    return found[found.judge == judge].set_index("statistic").estimate


def test_hand_worked_level_and_order():
    found = level_and_order(judged({"e": [1, 2, 3, 4], "j": [2, 3, 5, 4]}), FIVE, "j", "e")
    values = table(found)
    # Differences 1, 1, 2, 0: mean 1, squares 6. Sums 10 and 14, squares 30 and 54.
    assert values["mean_difference"] == 1
    assert values["weighted_kappa_quadratic"] == pytest.approx(1 - 4 * 6 / (4 * 84 - 2 * 140))
    # Variances times 4: 5 and 5; covariance times 4: 2+6+15+16-35 = 4.
    assert values["weighted_kappa_quadratic_centred"] == pytest.approx(2 * 4 / (5 + 5))
    assert values[GAIN] == pytest.approx(0.8 - (1 - 24 / 56))
    assert values["spearman_rho"] == pytest.approx(0.8)
    assert values["spread_ratio"] == 1
    # Mean squared error 1.5 = 1 (level) + 0 (spread) + 0.5 (order).
    assert values[list(SHARES)].tolist() == pytest.approx([2 / 3, 0, 1 / 3])
    assert (found.low <= found.estimate).all() and (found.estimate <= found.high).all()


@examples(30)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30))
def test_shares_are_theils_and_add_up(pairs):
    x = np.array(pairs, float)
    found = [error_share(part)(x, FIVE).estimate() for part in ("level", "spread", "order")]
    a, b = x.T
    squared = np.mean((a - b) ** 2)
    if squared == 0:
        assert np.isnan(found).all()
        assert error_share("level")(x, FIVE).note == "not defined: no error to divide"
        return
    level, spread = (b.mean() - a.mean()) ** 2, (b.std() - a.std()) ** 2
    order = 2 * (a.std() * b.std() - np.cov(a, b, bias=True)[0, 1])
    assert found == pytest.approx([level / squared, spread / squared, order / squared], abs=1e-9)
    assert sum(found) == pytest.approx(1)


def test_spread_ratio_of_a_constant_reference_is_undefined_with_a_reason():
    sums = spread_ratio(np.array([[2.0, 1], [2, 3]]), FIVE)
    assert np.isnan(sums.estimate())
    assert "tells no items apart" in sums.note


def test_each_kind_of_judge_is_named():
    found = level_and_order(
        judged(simulated()), FIVE, ["shifted", "noisy", "narrow"], resamples=400
    )
    verdicts = why(found).set_index("judge").verdict
    assert verdicts["shifted"] == "mostly level"
    assert verdicts["noisy"] == "mostly order"
    shifted, noisy = table(found, "shifted"), table(found, "noisy")
    assert shifted[GAIN] > 0.2 > 0.05 > noisy[GAIN]
    assert shifted["spearman_rho"] > 0.9 > 0.4 > noisy["spearman_rho"]
    narrow = table(found, "narrow")
    assert narrow["spread_ratio"] < 0.9
    assert abs(narrow["mean_difference"]) < 0.2


def test_a_judge_with_half_the_spread_is_named():
    reference = np.tile([1.0, 2, 3, 4, 5], 20)
    half = 3 + (reference - 3) / 2
    found = level_and_order(
        judged({"e": reference, "j": half}), between(FIVE), "j", "e", resamples=300
    )
    assert why(found).verdict.tolist() == ["mostly spread"]
    assert table(found)["spread_ratio"] == pytest.approx(0.5)


def test_few_items_cannot_tell_and_perfect_judges_have_nothing_to_tell():
    few = judged({"e": [1, 2, 3, 4, 2], "j": [1, 3, 3, 3, 2]})
    assert why(level_and_order(few, FIVE, "j", "e", resamples=300)).verdict.tolist() == [
        "cannot tell with n = 5"
    ]
    same = judged({"e": [1, 2, 3], "j": [1, 2, 3]})
    assert why(level_and_order(same, FIVE, "j", "e")).verdict.tolist() == ["no disagreement"]


def test_means_over_dimensions_and_frameworks():
    one = judged({"e": [1, 2, 3, 4], "j": [2, 3, 4, 5]})
    two = judged({"e": [1, 2, 3, 4], "j": [4, 3, 2, 1]})
    three = judged({"e": [1, 1, 3, 4], "j": [1, 1, 3, 3]})
    frame = pd.concat(
        [
            one.assign(framework="f", dimension="x"),
            two.assign(framework="f", dimension="y"),
            three.assign(framework="g", dimension="z"),
        ]
    )
    found = level_and_order(frame, FIVE, "j", "e", resamples=50)
    kappa = found[found.statistic == "weighted_kappa_quadratic"]
    single = kappa.set_index("dimension").estimate
    means = kappa[kappa.dimension == "mean of dimensions"].set_index("framework").estimate
    assert list(means.index) == ["f", "all frameworks"]
    assert means["f"] == pytest.approx((single["x"] + single["y"]) / 2)
    assert means["all frameworks"] == pytest.approx(single[["x", "y", "z"]].mean())
    units = found[(found.framework == "all frameworks") & (found.statistic == "mean_difference")]
    assert units.note.str.contains("units of their own").all()


def test_an_expert_as_judge_is_held_against_the_others():
    frame, references = with_judged(judged(simulated()), FIVE, ["e0", "noisy"], "expert")
    assert references == {"e0": "expert_median_without_e0", "noisy": "expert_median"}
    found = level_and_order(judged(simulated()), FIVE, ["e0", "noisy"], resamples=0)
    assert table(found, "e0")["weighted_kappa_quadratic"] > 0.7


def test_steps_by_hand_and_on_unequal_levels():
    found = step_errors(judged({"e": [1, 2, 3, 4, 5], "j": [1, 3, 5, 1, 5]}), FIVE, "j", "e")
    assert table(found).to_dict() == pytest.approx(
        {"exact": 0.4, "adjacent": 0.2, "cross": 0.4, "judge_higher": 0.4, "judge_lower": 0.2}
    )
    # Steps are levels, not values: 1 to 10 is one step here.
    assert steps_apart(np.array([[1.0, 10.0]]), Scale([1, 10, 100])).tolist() == [1.0]


@examples(30)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=20))
def test_step_shares_add_up(pairs):
    e, j = zip(*pairs)
    values = table(step_errors(judged({"e": e, "j": j}), FIVE, "j", "e", resamples=0))
    assert values[["exact", "adjacent", "cross"]].sum() == pytest.approx(1)
    assert values[["exact", "judge_higher", "judge_lower"]].sum() == pytest.approx(1)
    assert values["cross"] == pytest.approx(np.mean(np.abs(np.subtract(e, j)) >= 2))


def test_confusion_has_every_declared_level_and_splits_halves():
    frame = judged({"e1": [1, 2, 4], "e2": [1, 3, 4], "j": [1, 2, 5]})
    found = confusion(frame, FIVE, "j", how="mean")
    counts = found.n.to_numpy().reshape(5, 5)
    expected = np.zeros((5, 5))
    expected[0, 0] = 1
    expected[1, 1] = expected[2, 1] = 0.5  # the mean 2.5 of the second item
    expected[3, 4] = 1
    assert (counts == expected).all()
    assert found.note.str.contains("one half in each").all()
    empty = found[found.reference_level == "5"]
    assert empty.share.isna().all() and (empty.n == 0).all()


@examples(30)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=20))
def test_confusion_counts_every_item_once(pairs):
    e, j = zip(*pairs)
    found = confusion(judged({"e": e, "j": j}), FIVE, "j", "e")
    assert found.n.sum() == len(pairs)
    crosstab = pd.crosstab(pd.Series(e), pd.Series(j))
    for row in found[found.n > 0].itertuples():
        assert crosstab.loc[int(row.reference_level), int(row.judge_level)] == row.n


def test_largest_gaps_come_first_with_the_experts_behind_them():
    frame = judged({"e1": [1, 2, 4], "e2": [1, 4, 4], "e3": [2, 3, 4], "j": [1, 3, 1]})
    found = item_gaps(frame, FIVE, "j")
    assert found.item.tolist() == ["i002", "i000", "i001"]
    assert found.gap.tolist() == [-3, 0, 0]
    assert found.share.tolist() == [0.75, 0, 0]
    assert found.range.tolist() == [0, 1, 2]
    assert found.variance.tolist() == pytest.approx([0, 1 / 3, 1])
    assert item_gaps(frame, FIVE, ["j", "e1"], most=1).judge.tolist() == ["j", "e1"]


def test_where_experts_split_by_hand():
    frame = judged({"e1": [1, 2, 4, 5], "e2": [1, 4, 4, 5], "e3": [1, 3, 3, 5], "j": [1, 1, 1, 4]})
    values = table(where_raters_split(frame, FIVE, "j", resamples=0))
    # Ranges 0, 2, 1, 0; errors against the medians 1, 3, 4, 5: 0, 2, 3, 1.
    assert values["error_where_split"] == 2.5
    assert values["error_elsewhere"] == 0.5
    assert values["difference"] == 2
    assert values["rank_correlation"] == pytest.approx(
        pd.Series([0, 2, 1, 0]).corr(pd.Series([0, 2, 3, 1]), method="spearman")
    )
    assert table(where_raters_split(frame, FIVE, "j", steps=2, resamples=0))[
        "error_where_split"
    ] == pytest.approx(2)


def test_experts_who_never_split_leave_a_reason():
    frame = judged({"e1": [1, 2], "e2": [1, 2], "j": [1, 1]})
    found = where_raters_split(frame, FIVE, "j", resamples=20).set_index("statistic")
    assert np.isnan(found.estimate["error_where_split"])
    assert "split on no item" in found.note["error_where_split"]
    assert found.estimate["error_elsewhere"] == 0.5


def test_missing_and_outside_answers_are_left_out_and_said():
    scale = Scale([1, 2, 3], outside=["unsure"])
    frame = judged({"e": [1, 2, 3, 1], "j": ["1", "3", "unsure", None]})
    found = step_errors(frame, scale, "j", "e", resamples=0)
    assert (found.n_items == 2).all()
    assert found.note.str.contains("only one of the two rated, left out: 1").all()
    assert found.note.str.contains("outside the levels, left out: 1").all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: level_and_order(f, FIVE, "nobody"), r"judges \['nobody'\].*To do: name raters"),
        (lambda f: level_and_order(f, FIVE, "j", "nobody"), "reference 'nobody'"),
        (lambda f: level_and_order(f, FIVE, "j", "j"), "no rater as judge and reference"),
        (lambda f: level_and_order(f, FIVE, []), "no judge"),
        (lambda f: item_gaps(f, FIVE, "j", most=0), "most=0"),
        (lambda f: where_raters_split(f, FIVE, "j", steps=0), "steps=0"),
        (lambda f: where_raters_split(f, FIVE, "j", "e1"), "of 1 rater"),
        (lambda f: why(f), "what level_and_order returns"),
        (lambda f: why(level_and_order(f, FIVE, "j", resamples=0)), "without intervals"),
        (lambda f: error_share("colour"), "level, spread, order"),
        (
            lambda f: step_errors(f, Scale([1, 2, 3, 4, 5], measurement="nominal"), "j"),
            "scale is nominal",
        ),
        (
            lambda f: level_and_order(f.assign(rater=f.rater.replace("e1", "expert")), FIVE, "j"),
            "rename one of the two",
        ),
    ],
)
def test_bad_input(call, message):
    frame = judged({"e1": [1, 2, 3], "e2": [1, 3, 3], "j": [2, 2, 2]})
    with pytest.raises(RatingsError, match=message):
        call(frame)


def test_a_reference_whose_name_is_taken_is_refused():
    frame = judged({"e1": [1, 2], "e2": [1, 2], "expert_median": [1, 2], "j": [1, 2]})
    frame.loc[frame.rater == "expert_median", "group"] = "reference"
    with pytest.raises(RatingsError, match="pass reference='expert_median'"):
        level_and_order(frame, FIVE, "j")
    assert len(level_and_order(frame, FIVE, "j", "expert_median", resamples=0)) == 9
