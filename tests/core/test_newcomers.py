"""Trouble that first users ran into: each gives the right answer or an error in three parts."""

import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, long_frame, refused

from raters import (
    Scale,
    agreement,
    check_ratings,
    compare,
    counted,
    from_wide,
    pairwise,
    round_ratings,
    with_reference,
)
from raters.coefficients import MANY, PAIR, krippendorff_alpha, weighted_kappa

NAMES = Scale(["x", "y", "z"], measurement="nominal")
ANN, BOB, CAT = [1, 2, 3, 4, 5, 3, 2, 1], [1, 2, 3, 5, 5, 3, 1, 2], [2, 2, 3, 4, 4, 3, 2, 1]


def frame(**raters):
    return long_frame(raters)


def trio():
    return frame(ann=ANN, bob=BOB, cat=CAT)


# --- ids and rows ------------------------------------------------------------------


def test_spaces_around_ids_are_no_part_of_them():
    odd = pd.DataFrame({"item": ["x", "x "], "rater": ["a", " b"], "rating": [1, 2]})
    checked = check_ratings(odd, FIVE)
    assert checked["item"].tolist() == ["x", "x"] and checked["rater"].tolist() == ["a", "b"]
    refused(lambda: check_ratings(odd.assign(rater="a"), FIVE), "more than one rating of item x")
    refused(lambda: check_ratings(odd.assign(item=["x", "  "]), FIVE), "no item in row 1")


def test_ids_of_mixed_kinds():
    mixed = pd.DataFrame({"item": pd.Series([1, 1.0], dtype=object), "rater": ["a", "b"]})
    refused(lambda: check_ratings(mixed.assign(rating=1), FIVE), "decimal numbers", "1.0")
    whole = pd.DataFrame({"item": pd.Series([1, "1"], dtype=object), "rater": ["a", "b"]})
    assert check_ratings(whole.assign(rating=1), FIVE)["item"].nunique() == 1


def test_numbers_as_names_of_raters():
    numbered = frame(**{"1": ANN, "2": BOB})
    assert len(pairwise(numbered, FIVE, pairs=[(1, 2)], resamples=0)) == 1
    assert len(agreement(numbered, FIVE, groups={"all": (1, 2)}, resamples=0)) == 1


def test_a_row_without_a_rating_is_no_duplicate():
    twice = pd.concat([frame(a=[np.nan, 2], b=[1, 2]), frame(a=[3, np.nan])])
    for duplicates in ("error", "first", "last", "mean"):
        checked = check_ratings(twice, FIVE, duplicates).set_index(["rater", "item"])["rating"]
        assert len(checked) == 4 and checked["a", "i000"] == 3 and checked["a", "i001"] == 2
    coded = twice.fillna(0)
    assert check_ratings(coded, FIVE, missing=[0])["rating"].tolist() == [2, 1, 2, 3]


def test_labels_have_no_mean():
    twice = pd.concat([frame(a=["x", "y"], b=["x", "y"]), frame(a=["z"])])
    refused(lambda: check_ratings(twice, NAMES, "mean"), "nominal", "'first'")
    assert check_ratings(twice, NAMES, "first")["rating"].tolist() == [1, 2, 1, 2]
    labels = check_ratings(frame(a=["x", "y"], b=["z", "y"]).assign(group="expert"), NAMES)
    for how in ("median", "mean"):
        refused(lambda how=how: with_reference(labels, how=how), "nominal", "mode")
    assert with_reference(labels, how="mode")["rating"].notna().sum() == 5


def test_means_are_told_what_to_do():
    both = check_ratings(frame(a=ANN, b=BOB).assign(group="expert"), FIVE)
    refused(lambda: agreement(with_reference(both), FIVE), "4.5", "between=True", "round_ratings")


@pytest.mark.parametrize("cell", [[1], {"a": 1}, {1}, np.array([1, 2])])
def test_cells_that_are_no_rating(cell):
    odd = frame(a=ANN, b=BOB).astype({"rating": object})
    odd.at[0, "rating"] = cell
    refused(lambda: agreement(odd, FIVE), type(cell).__name__)


def test_columns_that_are_twice_there():
    both = frame(a=ANN, b=BOB)
    refused(lambda: check_ratings(pd.concat([both, both[["rating"]]], axis=1), FIVE), "rating")


def test_codes_of_missing_ratings_are_no_truth_values():
    truth = Scale([False, True])
    asked = frame(a=[True, False], b=[True, True])
    refused(lambda: check_ratings(asked, truth, missing=[0]), "the code 0")
    words = check_ratings(frame(a=["0", "x"], b=["x", "y"]), NAMES, missing=[0])
    assert words["rating"].isna().tolist() == [True, False, False, False]


# --- what is asked for -----------------------------------------------------------------


@pytest.mark.parametrize(
    "groups", [["a", "b"], "ab", {"x": "ab"}, {"x": None}, {"x": 5}, {"x": [[1]]}, {}]
)
def test_groups_that_are_none(groups):
    refused(lambda: agreement(frame(a=ANN, b=BOB), FIVE, groups=groups), "groups={")


def test_generators_are_lists():
    groups = {"x": (r for r in ["ann", "bob"])}
    assert len(agreement(trio(), FIVE, groups=groups, resamples=0)) == 1
    sides = {"x": (r for r in ["ann", "bob"]), "y": (r for r in ["bob", "cat"])}
    assert compare(trio(), FIVE, sides, "icc2", resamples=5)["estimate"].notna().all()


@pytest.mark.parametrize("pairs", [5, [5], [None], "ab", ["ab"], [("a", ["b"])], ("a", "b"), []])
def test_pairs_that_are_none(pairs):
    refused(lambda: pairwise(frame(a=ANN, b=BOB), FIVE, pairs=pairs), "pair")


@pytest.mark.parametrize(
    "statistics", [None, 1, [], [1], len, {"a": "icc1"}, {"own": lambda x, scale: 0.5}]
)
def test_statistics_that_are_none(statistics):
    refused(lambda: agreement(trio(), FIVE, statistics, resamples=0), "statistic")


def test_a_function_for_pairs_is_none_for_many():
    refused(lambda: agreement(trio(), FIVE, {"k": PAIR["cohen_kappa"]}), "many raters")
    refused(lambda: pairwise(trio(), FIVE, {"a": MANY["icc1"]}), "two raters")


@pytest.mark.parametrize("statistic", ["kapa", "f1_weighted_at_least", ["icc1"], None])
def test_compare_wants_one_known_statistic(statistic):
    sides = {"x": [("ann", "bob")], "y": [("ann", "cat")]}
    refused(lambda: compare(trio(), FIVE, sides, statistic), "the statistic", "icc1")


@pytest.mark.parametrize("side", [[], None, 5])
def test_sides_without_anything(side):
    refused(lambda: compare(trio(), FIVE, {"x": [("ann", "bob")], "y": side}), "pair")


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife", "analytic"])
@pytest.mark.parametrize("level", [-1, 0, 1, True, 95, np.nan, "0.95", None])
def test_levels_that_are_none(interval, level):
    refused(lambda: agreement(trio(), FIVE, interval=interval, level=level), "between 0 and 1")


@pytest.mark.parametrize("resamples", ["10", None, -1, 1.5, True, 10**10, 10**30])
def test_numbers_of_resamples_that_are_none(resamples):
    for interval in ("percentile", "jackknife"):
        refused(
            lambda i=interval: agreement(trio(), FIVE, resamples=resamples, interval=i), "whole"
        )


def test_frames_that_are_not_ready():
    refused(lambda: with_reference(trio()), "check_ratings")
    refused(lambda: with_reference(counted(trio(), FIVE)), "check_ratings")
    ready = check_ratings(trio(), FIVE)
    refused(lambda: with_reference(ready, ["all"]), "one group")
    refused(lambda: round_ratings(frame(a=["1"])), "check_ratings")
    assert round_ratings(ready, "ann")["rating"].equals(ready["rating"])
    refused(lambda: counted(trio().head(0), FIVE), "no rating")
    refused(lambda: counted({}, FIVE, ["a"]), "no rating")
    refused(lambda: counted({"w": np.ones((3, 2))}, FIVE, ["a", "a"]), "name of its own")


def test_wide_frames_that_are_none():
    wide = pd.DataFrame({"item": ["x"], "a": [1], "b": [2]})
    for call in (
        lambda: from_wide(wide, "item", []),
        lambda: from_wide(wide, "item", None),
        lambda: from_wide(wide, "item", 5),
        lambda: from_wide(wide.to_numpy(), "item", ["a"]),
        lambda: from_wide(pd.concat([wide, wide], axis=1), "item", ["a"]),
        lambda: from_wide(pd.concat({"r": wide}, axis=1), "item", ["a"]),
    ):
        refused(call)


# --- numbers --------------------------------------------------------------------------


def test_means_of_two_groups_whatever_the_names():
    asked = trio()
    asked["group"] = asked["rater"].map({"bob": "expert", "ann": "llm", "cat": "llm"})
    result = pairwise(asked, FIVE, ["mean_difference"], resamples=0, by_group=True)
    means = result[result["rater_a"] == "mean of pairs"].set_index("group")["estimate"]
    # The expert is first in both pairs: by how much the models are higher, on average.
    expected = np.mean([np.mean(x) for x in (ANN, CAT)]) - np.mean(BOB)
    assert means["expert-llm"] == pytest.approx(expected) and "llm-expert" not in means
    turned = [("bob", "ann"), ("cat", "bob")]
    refused(lambda: pairwise(asked, FIVE, pairs=turned, by_group=True), "both directions")
    refused(lambda: pairwise(asked, FIVE, by_group=True, interval="analytic"), "by_group=False")


def test_names_of_groups_with_a_dash():
    asked = frame(a=ANN, b=BOB, c=CAT, d=ANN[::-1])
    asked["group"] = asked["rater"].map({"a": "x-y", "b": "z", "c": "x", "d": "y-z"})
    result = pairwise(asked, FIVE, pairs=[("a", "b"), ("c", "d")], resamples=0, by_group=True)
    assert (result["rater_a"] == "mean of pairs").sum() == 2


def test_a_limit_that_the_mean_of_raters_does_not_have():
    row = agreement(frame(a=[3] * 6, b=[1, 2, 3, 4, 5, 3]), FIVE, "icc2k", interval="analytic")
    assert row["low"].isna().all() and "no analytic interval" in row["note"][0]
    rng = np.random.default_rng(0)
    for _ in range(60):
        x = rng.integers(1, 6, (6, 3)).astype(float)
        for name in ("icc1k", "icc2k", "icc3k"):
            sums = MANY[name](x, FIVE)
            low, high = sums.analytic_interval(0.95)
            assert np.isnan(low) or low <= sums.estimate() <= high


@pytest.mark.parametrize("make", [weighted_kappa, krippendorff_alpha])
@pytest.mark.parametrize(
    "table", [np.eye(5), np.zeros((5, 5)), 1 - np.eye(5) / 2, "quadratic", None]
)
def test_weights_that_are_no_distances(make, table):
    refused(lambda: make(table)(np.array([[1, 2], [2, 2]]), FIVE), "weights")


def test_alphas_distances_are_symmetric_and_kappas_need_not_be():
    skew = np.triu(np.ones((5, 5)), 1)
    refused(lambda: krippendorff_alpha(skew)(np.array([[1, 2], [2, 2]]), FIVE), "symmetric")
    assert np.isfinite(weighted_kappa(skew)(np.array([[1, 2], [2, 2]]), FIVE).estimate())


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife", "analytic"])
def test_one_item_has_no_interval_and_no_p(interval):
    names = ["mean_difference", "scott_pi", "weighted_kappa_quadratic"]
    result = pairwise(frame(a=[3], b=[4]), FIVE, names, interval=interval, test="none")
    assert result[["low", "high", "p"]].isna().all(axis=None)
    assert result.loc[0, "estimate"] == 1 and "one item only" in result.loc[0, "note"]
    many = agreement(frame(a=[3], b=[4]), FIVE, ["gwet_ac2", "fleiss_kappa"], interval=interval)
    assert many[["low", "high"]].isna().all(axis=None)


@pytest.mark.parametrize("name", ["fleiss_kappa", "conger_kappa", "krippendorff_alpha_nominal"])
def test_perfect_agreement_leaves_no_error_to_test_with(name):
    x = [1, 2, 3, 4] * 25
    row = agreement(frame(a=x, b=x), FIVE, name, interval="analytic", test="none").iloc[0]
    assert row["estimate"] == 1 and np.isnan(row["p"]) and "no p-value" in row["note"]


def test_a_rater_with_one_level_is_named():
    result = agreement(frame(a=ANN, b=BOB, c=[3] * 8), FIVE, ["kendall_w", "fleiss_kappa"])
    assert result["note"].str.contains("c gives 3 to every item").all()
    assert agreement(trio(), FIVE)["note"].eq("").all()


def test_levels_far_from_one_another_keep_their_sense():
    money = Scale([0, 10, 1000, 100_000], measurement="interval")
    x = frame(a=[0, 10, 1000, 100_000] * 3, b=[0, 10, 1000, 1000] * 3)
    by_hand = np.array([[0, 10, 1000, 100_000] * 3, [0, 10, 1000, 1000] * 3], float)
    apart = ((by_hand[0] - by_hand[1]) ** 2).mean()
    chance = ((by_hand[0][:, None] - by_hand[1][None, :]) ** 2).mean()
    found = pairwise(x, money, resamples=0)["estimate"][0]
    assert found == pytest.approx(1 - apart / chance, rel=1e-12)
