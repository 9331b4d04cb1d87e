"""Trouble that people reported in public, with the right answer and what a reader must be told.

The data are made up for these tests; each case names the public reports of the same trouble.
"""

import numpy as np
import pandas as pd
import pytest
from helpers import FIVE

from raters import (
    RatingsError,
    Scale,
    agreement,
    check_ratings,
    compare,
    from_wide,
    pairwise,
    with_reference,
)
from raters.coefficients import f1_of
from raters.label_sets import by_label, read_sets, set_alpha

SIX_DIGITS = {"rel": 0, "abs": 1e-6}


def two(first, second, names=("expert", "judge")):
    """A long frame of two raters, item by item."""
    wide = pd.DataFrame({names[0]: list(first), names[1]: list(second)}, dtype=object)
    wide.insert(0, "item", [str(n) for n in range(1, len(wide) + 1)])
    return from_wide(wide, items="item", raters=list(names))


def both(frame, scale, pair=(), many=(), **options):
    """Results by name of statistic, of the first two raters and of all."""
    options = {"resamples": 0} | options
    raters = list(dict.fromkeys(frame["rater"]))
    parts = []
    if pair:
        parts.append(pairwise(frame, scale, pair, [tuple(raters[:2])], **options))
    if many:
        parts.append(agreement(frame, scale, many, {"all": raters}, **options))
    return pd.concat(parts).set_index("statistic")


def assert_values(rows, expected):
    for name, value in expected.items():
        assert rows.loc[name, "estimate"] == pytest.approx(value, nan_ok=True, **SIX_DIGITS), name


def test_one_label_only():
    """scikit-learn #9624, #14256; statsmodels #4387: nan, 1, 0 or an exception."""
    frame = two(["safe"] * 8, ["safe"] * 8)
    scale = Scale(["safe", "unsafe"], measurement="nominal")
    pair = ["percent_agreement", "cohen_kappa"]
    rows = both(frame, scale, pair, ["krippendorff_alpha_nominal"])
    expected = {"percent_agreement": 1, "cohen_kappa": np.nan, "krippendorff_alpha_nominal": np.nan}
    assert_values(rows, expected)
    for name in ("cohen_kappa", "krippendorff_alpha_nominal"):
        note = rows.loc[name, "note"]
        assert note == "not defined: all 16 ratings are safe, no variation to agree on"
    assert (rows["n_items"] == 8).all()


def test_much_agreement_and_kappa_zero():
    """fast-krippendorff #11, inception #6155: reported as a bug, and both numbers are right."""
    frame = two(["no"] * 20, ["no"] * 18 + ["yes"] * 2, ("rater_a", "rater_b"))
    scale = Scale(["no", "yes"], measurement="nominal")
    pair, many = ["percent_agreement", "cohen_kappa"], ["krippendorff_alpha_nominal", "gwet_ac1"]
    rows = both(frame, scale, pair, many)
    expected = {"percent_agreement": 0.9, "cohen_kappa": 0, "gwet_ac1": 0.889503}
    assert_values(rows, expected | {"krippendorff_alpha_nominal": -1 / 38})
    rare = "95.0% of the ratings are no: the coefficient rests on 2 of 20 items"
    assert rows.loc["cohen_kappa", "note"].startswith(rare)
    assert "rater_a gives no to all 20 items" in rows.loc["cohen_kappa", "note"]
    assert rows.loc["krippendorff_alpha_nominal", "note"].startswith(rare)


LOW_TO_HIGH = two(
    ["low", "low", "low", "medium", "medium", "medium", "high", "high", "high", "low"],
    ["low", "low", "medium", "medium", "high", "medium", "high", "high", "medium", "high"],
)


def test_ordered_text_is_never_ordered_by_the_alphabet():
    """quallmer #165, altair #245: high < low < medium without a hint."""
    scale = Scale(["low", "medium", "high"])
    pair = ["percent_agreement", "cohen_kappa", "weighted_kappa_linear", "weighted_kappa_quadratic"]
    many = ["krippendorff_alpha_ordinal", "krippendorff_alpha_nominal"]
    rows = both(LOW_TO_HIGH, scale, pair, many)
    expected = dict(zip(pair, (0.6, 0.411765, 0.444444, 0.477612)))
    assert_values(rows, expected | dict(zip(many, (0.482037, 0.428571))))
    assert scale.describe() == "low, medium, high"


def test_text_without_an_order_is_refused_for_ordered_statistics():
    labels = Scale(["high", "low", "medium"], measurement="nominal")
    for name in ("weighted_kappa_quadratic", "weighted_kappa_linear", "spearman_rho"):
        with pytest.raises(RatingsError, match="declare the order"):
            pairwise(LOW_TO_HIGH, labels, name)
    with pytest.raises(RatingsError, match="declare the order"):
        agreement(LOW_TO_HIGH, labels, "krippendorff_alpha_ordinal")


def test_raters_in_rows_are_declared_and_not_guessed():
    """jasp #2318, fast-krippendorff #9, statsmodels #7657: items and raters change places."""
    wide = pd.DataFrame(
        [[1, 2, 3, 4, 5, 3], [1, 2, 3, 5, 5, 3], [2, 2, 3, 4, 4, 3], [1, 3, 3, 4, 5, 2]],
        columns=["u1", "u2", "u3", "u4", "u5", "u6"],
    )
    wide.insert(0, "annotator", ["ann_1", "ann_2", "ann_3", "ann_4"])
    frame = from_wide(wide, items=list(wide.columns[1:]), raters="annotator")
    expected = {
        "krippendorff_alpha_ordinal": 0.883076,
        "krippendorff_alpha_interval": 0.870349,
        "krippendorff_alpha_nominal": 0.484305,
        "fleiss_kappa": 0.461883,
        "icc2": 0.884793,
    }
    rows = both(frame, FIVE, many=list(expected), resamples=200)
    assert_values(rows, expected)
    assert (rows["n_items"] == 6).all() and (rows["n_ratings"] == 24).all()
    assert frame["rater"].nunique() == 4
    assert (rows["low"] <= rows["estimate"]).all() and (rows["estimate"] <= rows["high"]).all()
    with pytest.raises(RatingsError, match="raters='annotator'"):
        from_wide(wide, items=list(wide.columns[1:]), raters=["ann_1"])
    with pytest.raises(RatingsError, match="u9"):
        from_wide(wide, items=["u1", "u9"], raters="annotator")


def test_a_judge_who_is_one_point_too_high():
    """pingouin #228, #485: six numbers called the ICC; consistency does not see the offset."""
    frame = two([2, 4, 5, 6, 7, 8], [3, 5, 6, 7, 8, 9])
    pair = ["mean_difference", "weighted_kappa_quadratic", "percent_agreement"]
    many = ["icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k", "krippendorff_alpha_interval"]
    rows = both(frame, Scale(range(1, 10), measurement="interval"), pair, many)
    expected = dict(zip(pair, (1, 0.886076, 0)))
    iccs = (0.898305, 0.903226, 1, 0.946429, 0.949153, 1, 0.889262)
    assert_values(rows, expected | dict(zip(many, iccs)))
    for name in ("icc3", "icc3k"):
        assert "the raters' means differ by up to 1, which does not count" in rows.loc[name, "note"]
    assert rows.loc["icc2", "note"] == ""


def test_resamples_without_a_value():
    """fairlearn #1441, scipy #14351: one nan spoils the interval, or is replaced silently."""
    frame = two(["no"] * 11 + ["yes"], ["no"] * 10 + ["yes"] * 2)
    scale = Scale(["no", "yes"], measurement="nominal")
    pair = ["percent_agreement", "cohen_kappa"]
    rows = both(frame, scale, pair, resamples=4000)
    assert_values(rows, {"percent_agreement": 11 / 12, "cohen_kappa": 0.625})
    kappa = rows.loc["cohen_kappa"]
    assert (kappa["low"], kappa["high"]) == (0, 1)
    assert "rests on 2 of 12 items" in kappa["note"]
    share = float(kappa["note"].partition("undefined on ")[2].partition("%")[0]) / 100
    assert share == pytest.approx(0.112157, abs=0.02)
    assert kappa["note"].endswith("of 4000 resamples, left out")


UNSURE = two("aaaaabbbbccc", [*"aaaabbba", "unsure", "b", "unsure", "c"])


def test_an_answer_outside_the_labels_is_a_miss_and_no_label():
    """scikit-learn #23130, torchmetrics #300: 'unsure' averaged in as a class with F1 0."""
    scale = Scale(["a", "b", "c"], measurement="nominal", outside=["unsure"])
    rows = both(UNSURE, scale, ["percent_agreement", "f1_macro", "f1_micro", "cohen_kappa"])
    expected = {"percent_agreement": 0.583333, "f1_macro": 0.6, "f1_micro": 0.636364}
    assert_values(rows, expected)
    note = rows.loc["f1_macro", "note"]
    assert note.startswith("averaged over a, b, c; ")
    assert "items with an answer outside the levels, count as misses: 2" in note
    # What has no place for such an answer leaves the item out, and says so.
    assert rows["n_items"].tolist() == [12, 12, 12, 10]
    left = "items with an answer outside the levels, left out: 2"
    assert rows.loc["cohen_kappa", "note"] == left
    by_level = {label: f1_of(label) for label in "abc"}
    assert_values(both(UNSURE, scale, by_level), {"a": 0.8, "b": 0.5, "c": 0.5})


def test_answers_outside_the_labels_have_to_be_declared():
    strict = Scale(["a", "b", "c"], measurement="nominal")
    with pytest.raises(RatingsError, match=r"'unsure' \(item 9, rater judge.*outside="):
        pairwise(UNSURE, strict, "f1_macro")
    covered = check_ratings(UNSURE, strict, missing=["unsure"])
    row = pairwise(covered, strict, "f1_macro", resamples=0).iloc[0]
    assert row["estimate"] == pytest.approx(0.679365, **SIX_DIGITS)
    assert "items that only one of the two rated, left out: 2" in row["note"]
    with pytest.raises(RatingsError, match="no rating"):
        Scale(["a", "unsure"], outside=["unsure"])


def test_an_answer_outside_is_no_number_anywhere():
    """Not for alpha, not in a median of the group, not when checked a second time."""
    scale = Scale([1, 2, 3], outside=["unsure"])
    frame = pd.DataFrame(
        {
            "item": list("xyz") * 3,
            "rater": list("aaabbbccc"),
            "group": "expert",
            "rating": [1, 2, 3, 1, "unsure", 3, 2, 3, "unsure"],
        }
    )
    checked = check_ratings(check_ratings(frame, scale), scale)
    assert np.isinf(checked["rating"]).sum() == 2
    median = with_reference(checked).tail(3)["rating"].tolist()
    assert median == [1, 2.5, 3]
    plain = checked.replace(np.inf, np.nan)
    names = ["krippendorff_alpha_interval", "fleiss_kappa", "conger_kappa", "gwet_ac1", "icc2"]
    first, second = (agreement(rows, scale, names, resamples=20) for rows in (checked, plain))
    pd.testing.assert_frame_equal(first, second)


def test_cells_that_hold_sets_of_labels():
    """fast-krippendorff #21, nltk #294, #1144: 'a;b' and 'b;a' are one set."""
    first = ["health;politics", "sport", "politics", "health", "economy;politics;economy"]
    second = ["politics;health", "sport", "politics; economy", "sport", "economy;politics"]
    frame = two([*first, "sport;health"], [*second, "health"], ("rater_a", "rater_b"))
    ratings, scale = read_sets(frame)
    alphas = {f"alpha_{kind}": set_alpha(kind) for kind in ("exact", "jaccard", "masi")}
    rows = both(ratings, scale, ["percent_agreement"], alphas)
    expected = {"alpha_exact": 0.431034, "alpha_jaccard": 0.544828, "alpha_masi": 0.510593}
    assert_values(rows, expected | {"percent_agreement": 0.5})
    assert rows.loc["alpha_masi", "note"] == "sets of labels, masi distance"
    nominal = agreement(ratings, scale, "krippendorff_alpha_nominal", resamples=0)
    assert nominal["estimate"][0] == pytest.approx(0.431034, **SIX_DIGITS)
    labels = by_label(ratings)
    kappa = pairwise(labels, Scale([0, 1], measurement="nominal"), "cohen_kappa", resamples=0)
    expected = {"economy": 0.571429, "health": 0.666667, "politics": 1, "sport": 0.25}
    assert dict(zip(kappa["dimension"], kappa["estimate"])) == pytest.approx(expected, abs=1e-6)
    with pytest.raises(RatingsError, match="'dice'"):
        set_alpha("dice")


def test_sets_may_be_missing_or_empty():
    ratings, scale = read_sets(two(["p;q", "", "p", None], ["q;p", "", "q", "q"]))
    assert ratings["rating"].isna().sum() == 1 and scale.levels[0] == ""
    row = both(ratings, scale, many={"alpha": set_alpha("jaccard")}).iloc[0]
    assert row["n_items"] == 3 and row["estimate"] == pytest.approx(1 - 5 * 2 / 22)
    with pytest.raises(RatingsError, match="without a single label"):
        read_sets(two([""], [" ; "]))


def test_a_rater_who_runs_the_scale_from_the_other_end():
    """jasp #1066, pingouin #68: alpha collapses and nothing points to the cause."""
    wide = pd.DataFrame(
        {
            "item": range(1, 9),
            "rater_a": [1, 2, 3, 4, 5, 4, 2, 1],
            "rater_b": [1, 2, 4, 4, 5, 5, 2, 1],
            "rater_c": [5, 4, 2, 2, 1, 1, 4, 5],
        }
    )
    raters = ["rater_a", "rater_b", "rater_c"]
    many = ["krippendorff_alpha_ordinal", "krippendorff_alpha_interval"]
    as_stored = from_wide(wide, items="item", raters=raters)
    rows = both(as_stored, FIVE, many=many)
    assert_values(rows, dict(zip(many, (-0.305316, -0.304478))))
    hint = "rater_c against the other raters: is a scale reversed? The ratings are used as they are"
    assert (rows["note"] == hint).all()
    pairs = pairwise(as_stored, FIVE, "spearman_rho", resamples=0)
    assert pairs["estimate"].tolist() == pytest.approx([0.968963, -0.968963, -1], **SIX_DIGITS)
    assert pairs["note"].str.contains("is a scale reversed").tolist() == [False, True, True]
    assert "rater_a and rater_c run against each other" in pairs["note"][1]
    turned = from_wide(wide.assign(rater_c=6 - wide["rater_c"]), items="item", raters=raters)
    rows = both(turned, FIVE, many=many)
    assert_values(rows, dict(zip(many, (0.962548, 0.965672))))
    assert (rows["note"] == "").all()


def test_zero_that_means_not_rated():
    """stats.stackexchange 405303, nltk #3752: 0 counted as the lowest rating."""
    wide = pd.DataFrame(
        [[5, 4, 0, 2, 1, 0, 3, 4], [5, 0, 3, 2, 1, 4, 3, 0], [0, 4, 3, 2, 2, 4, 0, 5]],
        columns=[f"j{n}" for n in range(1, 9)],
    )
    wide.insert(0, "rater", ["r1", "r2", "r3"])
    frame = from_wide(wide, items=list(wide.columns[1:]), raters="rater")
    many = ["krippendorff_alpha_ordinal", "krippendorff_alpha_interval"]
    # Without a word about it, the zeros are asked about and not used.
    with pytest.raises(RatingsError, match=r"0 \(item j1, rater r3.*and 1 more.*missing="):
        agreement(frame, FIVE, many)
    checked = check_ratings(frame, FIVE, missing=[0])
    assert checked.attrs["missing"] == {"0": 6}
    rows = both(checked, FIVE, many=many)
    assert_values(rows, dict(zip(many, (0.948894, 0.933723))))
    assert (rows["n_items"] == 8).all() and (rows["n_ratings"] == 18).all()


def test_codes_for_missing_ratings_are_checked():
    frame = two([1, "0", "0.0", " skip"], [1, 2, 3, 4])
    checked = check_ratings(frame, FIVE, missing=[0, "skip"])
    assert checked.attrs["missing"] == {"0": 2, "skip": 1}
    assert checked["rating"].isna().sum() == 3
    with pytest.raises(RatingsError, match="code 1 for missing ratings, which is a rating"):
        check_ratings(frame, FIVE, missing=[1])


def test_one_rating_in_many_spellings():
    """scikit-learn #33045, pandas #20828: 4, 4.0, "4" and " 4 " are one rating."""
    expert = pd.DataFrame({"score": [4, 3, 5, 2, np.nan, 1, 4, 3]})
    judge = pd.DataFrame({"score": ["4", 3, 5.0, "3.0", "2", 1, "5", " 3 "]}, dtype=object)
    parts = [
        part.rename(columns={"score": "rating"}).assign(
            rater=name, item=[f"q{n}" for n in range(1, 9)]
        )
        for name, part in (("expert", expert), ("judge", judge))
    ]
    frame = pd.concat([part.astype(object) for part in parts])
    pair = ["percent_agreement", "cohen_kappa", "weighted_kappa_quadratic"]
    rows = both(frame, FIVE, pair)
    assert_values(rows, dict(zip(pair, (0.714286, 0.631579, 0.91358))))
    assert (rows["n_items"] == 7).all() and (rows["n_ratings"] == 14).all()
    assert (rows["note"] == "items that only one of the two rated, left out: 1").all()


# --- the same trouble in other clothes ---------------------------------------------------


@pytest.mark.parametrize(
    "ratings",
    [
        pd.Series([True, False, True, False, True, True, False, False], dtype=bool),
        pd.array([True, False, True, False, True, True, False, False], dtype="boolean"),
        pd.Series(["True", " False"] * 2 + ["True", "True", "False", "False"], dtype=object),
    ],
)
def test_booleans_on_a_scale_that_names_them(ratings):
    frame = pd.DataFrame({"item": list("wxyz") * 2, "rater": list("aaaabbbb"), "rating": ratings})
    row = pairwise(frame, Scale([False, True], measurement="nominal"), "cohen_kappa", resamples=0)
    assert row["estimate"].item() == 0


def test_nullable_integers_with_gaps():
    x = pd.array([1, 2, None, 4, 1, 3, 3, None], dtype="Int64")
    frame = pd.DataFrame({"item": list("wxyz") * 2, "rater": list("aaaabbbb"), "rating": x})
    row = pairwise(frame, FIVE, resamples=0).iloc[0]
    assert row["n_items"] == 2 and row["note"].endswith("left out: 2")


@pytest.mark.parametrize("rating", [np.inf, -np.inf, "inf"])
def test_infinity_is_no_rating(rating):
    scales = [FIVE, Scale(LEVELS := [1, 5], between=True), Scale(LEVELS, outside=["unsure"])]
    for scale in scales[: 2 if rating == np.inf else 3]:
        with pytest.raises(RatingsError, match=r"inf.*item 2"):
            check_ratings(two([1, rating], [1, 5]), scale)


def test_a_frame_without_rows_is_refused_and_one_item_has_no_interval():
    frame = two([1, 2], [1, 2])
    for verb in (agreement, pairwise):
        with pytest.raises(RatingsError):
            verb(frame.iloc[:0], FIVE)
    row = pairwise(frame[frame["item"] == "1"], FIVE, "percent_agreement").iloc[0]
    assert (row["estimate"], row["n_items"]) == (1, 1)
    row = agreement(frame[frame["item"] == "1"], FIVE).iloc[0]
    assert np.isnan(row["estimate"]) and "no variation" in row["note"]


def test_unequal_numbers_of_raters_and_one_who_is_missing_entirely():
    rows = {"x": "112", "y": "33", "z": "4", "w": "554"}
    frame = pd.DataFrame(
        [(i, f"r{j}", int(r)) for i, given in rows.items() for j, r in enumerate(given)],
        columns=["item", "rater", "rating"],
    )
    ghost = pd.DataFrame({"item": list("xyzw"), "rater": "ghost", "rating": np.nan})
    everybody = ["r0", "r1", "r2", "ghost"]
    names = ["krippendorff_alpha_interval", "fleiss_kappa", "gwet_ac1", "mean_percent_agreement"]
    options = {"statistics": names, "resamples": 0}
    without = agreement(frame, FIVE, groups={"all": everybody[:3]}, **options)
    frame = pd.concat([frame, ghost])
    haunted = agreement(frame, FIVE, groups={"all": everybody}, **options)
    pd.testing.assert_frame_equal(without, haunted)
    assert (without["n_items"] == 3).all() and (without["n_ratings"] == 8).all()
    assert without["note"].str.endswith(": 1")[:3].all()
    # Those that need everybody's own habits or complete ratings have no value, and say so.
    row = agreement(frame, FIVE, "icc2", {"all": everybody}, resamples=0).iloc[0]
    assert np.isnan(row["estimate"]) and "no item has ratings by everybody" in row["note"]
    row = agreement(frame, FIVE, "conger_kappa", {"all": everybody}, resamples=0).iloc[0]
    assert np.isnan(row["estimate"]) and row["note"].startswith("not defined")


# --- differences, and references -----------------------------------------------------------


def three_raters(dimensions=("warmth", "advice")):
    rng = np.random.default_rng(3)
    parts = []
    for dimension in dimensions:
        true = rng.normal(3, 1, size=25)
        for rater, noise in (("ann", 0.5), ("bob", 0.8), ("gpt", 1.2)):
            seen = np.clip(np.rint(true + rng.normal(0, noise, 25)), 1, 5)
            part = pd.DataFrame({"item": [f"i{n:02d}" for n in range(25)], "rating": seen})
            parts.append(part.assign(rater=rater, dimension=dimension))
    return pd.concat(parts, ignore_index=True)


SIDES = {"people": [("ann", "bob")], "model": [("ann", "gpt"), ("bob", "gpt")]}


def test_a_difference_is_taken_on_each_resample():
    from raters.coefficients import PAIR
    from raters.draws import multiplicities
    from raters.intervals import bca_interval

    frame = three_raters()
    options = {"resamples": 300, "seed": 5}
    result = compare(frame, FIVE, SIDES, **options, mean=True)
    bca = compare(frame, FIVE, SIDES, **options, mean=True, interval="bca")
    assert result["dimension"].tolist() == ["warmth", "advice", "mean of dimensions"]
    times = multiplicities(25, 300, 5, "all")
    parts = []
    for dimension in ("warmth", "advice"):
        wide = frame[frame["dimension"] == dimension].pivot(
            index="item", columns="rater", values="rating"
        )
        kappa = {
            pair: PAIR["weighted_kappa_quadratic"](wide[list(pair)].to_numpy(), FIVE)
            for pairs in SIDES.values()
            for pair in pairs
        }
        parts.append(
            [
                f(kappa["ann", "bob"]) - (f(kappa["ann", "gpt"]) + f(kappa["bob", "gpt"])) / 2
                for f in (
                    lambda sums: sums.estimate(),
                    lambda sums: sums.resampled(times),
                    lambda sums: sums.without_each(),
                )
            ]
        )
    parts.append([np.mean([part[i] for part in parts], axis=0) for i in range(3)])
    for row, bca_row, (estimate, draws, without) in zip(result.iloc, bca.iloc, parts):
        assert row["estimate"] == pytest.approx(estimate, abs=1e-12)
        low, high = np.quantile(draws, [0.025, 0.975])
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-12)
        expected = bca_interval(draws, estimate, without)
        assert (bca_row["low"], bca_row["high"]) == pytest.approx(expected, abs=1e-10)
    assert (result["rater_a"] == "people").all() and (result["rater_b"] == "model").all()


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife"])
def test_a_side_does_not_differ_from_itself(interval):
    sides = {"one": [("ann", "gpt")], "again": [("ann", "gpt")]}
    result = compare(three_raters(), FIVE, sides, resamples=50, interval=interval, mean=True)
    assert (result["estimate"] == 0).all()
    assert result[["low", "high"]].isna().all(axis=None)  # width 0 is no interval


def test_groups_are_compared_like_pairs():
    sides = {"people": ["ann", "bob"], "all": ["ann", "bob", "gpt"]}
    name = "krippendorff_alpha_interval"
    result = compare(three_raters(), FIVE, sides, name, resamples=0)
    alone = agreement(three_raters(), FIVE, name, sides, resamples=0)
    alone = alone.pivot(index="dimension", columns="group", values="estimate")
    expected = (alone["people"] - alone["all"])[result["dimension"]]
    assert result["estimate"].to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-12)


def test_comparisons_that_are_none_are_refused():
    frame = three_raters()
    for sides in ({"one": [("ann", "bob")]}, [("ann", "bob")], {}):
        with pytest.raises(RatingsError, match="two or more names"):
            compare(frame, FIVE, sides)
    with pytest.raises(RatingsError, match="analytic"):
        compare(frame, FIVE, SIDES, interval="analytic")
    with pytest.raises(RatingsError, match="kapa"):
        compare(frame, FIVE, {"a": ["ann", "bob"], "b": ["ann", "gpt"]}, "kapa")
    with pytest.raises(RatingsError, match="dora"):
        compare(frame, FIVE, SIDES | {"other": [("ann", "dora")]})


def test_references_by_mode_and_without_one_of_the_group():
    frame = pd.DataFrame(
        {
            "item": list("xxxyyyz"),
            "rater": list("abcabca"),
            "group": "expert",
            "rating": [1, 1, 5, 2, 3, 4, 5],
        }
    )
    checked = check_ratings(frame, FIVE)
    mode = with_reference(checked, how="mode").tail(3)
    # y is tied, and z has one of three raters, where more than half are asked for.
    assert mode["rating"].to_numpy() == pytest.approx([1, np.nan, np.nan], nan_ok=True)
    mode = with_reference(checked, how="mode", least=1).tail(3)
    assert mode["rating"].to_numpy() == pytest.approx([1, np.nan, 5], nan_ok=True)
    assert set(mode["rater"]) == {"expert_mode"} and set(mode["group"]) == {"reference"}
    others = with_reference(checked, how="mean", without="a").tail(2)
    assert others["rating"].tolist() == [3, 3.5]
    assert set(others["rater"]) == {"expert_mean_without_a"}
    with pytest.raises(RatingsError, match="without='d'"):
        with_reference(checked, without="d")
    with pytest.raises(RatingsError, match="name is taken"):
        with_reference(checked, name="a")
    row = pairwise(
        with_reference(checked, without="c"),
        Scale(FIVE.levels, between=True),
        "mean_difference",
        [("expert_median_without_c", "c")],
        resamples=0,
    ).iloc[0]
    assert row["estimate"] == pytest.approx(((5 - 1) + (4 - 2.5)) / 2)
