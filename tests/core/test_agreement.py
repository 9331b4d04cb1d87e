"""The two public verbs: what they compare, on which resamples, and what they say about it."""

import warnings
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, refused
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score

from raters import Scale, agreement, compare, pairwise
from raters.coefficients import MANY, PAIR
from raters.draws import multiplicities
from raters.measures import MEAN, PAIRS, RESULT

LEVELS = [1, 2, 3, 4, 5]
GROUPS = {"ann": "expert", "bob": "expert", "cleo": "expert", "gpt": "llm", "gemini": "llm"}
KEYS = ["framework", "dimension", "rater_a", "rater_b", "group", "statistic"]
ITEMS = 20


def study(frameworks=("f",), dimensions=("warmth", "advice"), levels=LEVELS, seed=0):
    """A long frame of five raters who see the same thing with noise."""
    parts = []
    for framework in frameworks:
        rng = np.random.default_rng([seed, sum(map(ord, framework))])
        for dimension in dimensions:
            true = rng.normal(np.mean(levels), 1, size=ITEMS)
            for rater, group in GROUPS.items():
                seen = np.clip(np.rint(true + rng.normal(0, 0.8, ITEMS)), levels[0], levels[-1])
                parts.append(
                    pd.DataFrame(
                        {
                            "framework": framework,
                            "dimension": dimension,
                            "item": [f"i{n:02d}" for n in range(ITEMS)],
                            "rater": rater,
                            "group": group,
                            "rating": seen,
                        }
                    )
                )
    return pd.concat(parts, ignore_index=True)


def two(a, b, **columns):
    """A long frame of two raters, item by item."""
    items = [f"i{n:02d}" for n in range(len(a))]
    parts = [
        pd.DataFrame({"item": items, "rater": rater, "rating": pd.Series(x)})
        for rater, x in (("a", a), ("b", b))
    ]
    return pd.concat(parts, ignore_index=True).assign(**columns)


def matrix(frame, dimension, raters):
    wide = frame[frame["dimension"] == dimension].pivot(
        index="item", columns="rater", values="rating"
    )
    return wide[list(raters)].to_numpy()


# --- what is compared ----------------------------------------------------------


def test_columns_and_rows_of_the_contract():
    both = [agreement(study(), FIVE, resamples=10), pairwise(study(), FIVE, resamples=10)]
    for result in both:
        assert list(result) == RESULT
        assert result["estimate"].notna().all() and (result["note"] == "").all()
        assert (result["low"] <= result["estimate"]).all()
        assert (result["estimate"] <= result["high"]).all()
        assert result[["n_items", "n_ratings"]].dtypes.eq("int64").all()
    assert not both[0].duplicated(KEYS).any() and not both[1].duplicated(KEYS).any()


def test_defaults_of_agreement_are_the_groups_of_two_or_more():
    frame = pd.concat([study(), study().query("rater == 'ann'").assign(rater="z", group="crowd")])
    result = agreement(frame, FIVE, resamples=0)
    assert set(result["group"]) == {"expert", "llm"}
    assert set(result["statistic"]) == {"krippendorff_alpha_interval"}
    assert (result.query("group == 'expert'")["n_ratings"] == 3 * ITEMS).all()
    assert (result[["rater_a", "rater_b"]] == "").all(axis=None)


def test_defaults_of_pairwise_are_all_pairs_by_name():
    result = pairwise(study(), FIVE, resamples=0).query("dimension == 'advice'")
    found = list(zip(result["rater_a"], result["rater_b"], strict=True))
    assert found == list(combinations(sorted(GROUPS), 2))
    assert set(result["statistic"]) == {"weighted_kappa_quadratic"}
    groups = dict(zip(found, result["group"], strict=True))
    assert groups["ann", "gpt"] == "expert-llm" and groups["gemini", "gpt"] == "llm-llm"


def test_groups_and_pairs_may_be_named():
    groups = {"mixed": ["ann", "gpt", "gemini"], "two": ["bob", "cleo"]}
    result = agreement(study(), FIVE, groups=groups, resamples=0).query("dimension == 'warmth'")
    for group, raters in groups.items():
        x = matrix(study(), "warmth", raters)
        peer = krippendorff.alpha(reliability_data=x.T, level_of_measurement="interval")
        assert result.set_index("group")["estimate"][group] == pytest.approx(peer, abs=1e-10)
    pairs = [("gpt", "ann"), ("bob", "ann")]
    result = pairwise(study(), FIVE, pairs=iter(pairs), resamples=0)
    assert list(zip(result["rater_a"], result["rater_b"], strict=True)) == 2 * pairs


def test_first_rater_of_a_pair_is_the_reference_of_f1():
    """Reference labels the judge never gives count; labels only the judge gives do not."""
    frame = two([1, 1, 2, 3], [1, 2, 2, 2])
    pairs = [("a", "b"), ("b", "a")]
    ours = pairwise(frame, Scale([1, 2, 3]), "f1_weighted", pairs, resamples=0)["estimate"]
    peers = [
        f1_score(x, y, average="weighted", zero_division=0)
        for x, y in (([1, 1, 2, 3], [1, 2, 2, 2]), ([1, 2, 2, 2], [1, 1, 2, 3]))
    ]
    assert ours.tolist() == pytest.approx(peers) and peers[0] != peers[1]


def test_thresholds_of_f1_follow_each_dimensions_scale():
    frame = pd.concat([study(["five"], ["warmth"]), study(["three"], ["warmth"], levels=[0, 1, 2])])
    scales = {"five": FIVE, "three": Scale([0, 1, 2])}
    result = pairwise(frame, scales, "f1_weighted_at_least", [("ann", "gpt")], resamples=20)
    names = result.groupby("framework")["statistic"].agg(list)
    assert names["five"] == [f"f1_weighted_at_least_{t}" for t in (2, 3, 4, 5)]
    assert names["three"] == ["f1_weighted_at_least_1", "f1_weighted_at_least_2"]
    x = matrix(frame[frame["framework"] == "three"], "warmth", ["ann", "gpt"])
    peer = f1_score(*(x >= 2).T, average="weighted", zero_division=0)
    ours = result.query("framework == 'three'")["estimate"].iloc[-1]
    assert ours == pytest.approx(peer, abs=1e-12)


# --- on which resamples -----------------------------------------------------------


def by_hand(estimate, x):
    """The interval from each resample written out as rows, each computed by another library."""
    times = multiplicities(len(x), 60, 4, "f").astype(int)
    draws = [estimate(np.repeat(x, row, axis=0)) for row in times]
    return np.quantile(draws, [0.025, 0.975])


def _kappa(x):
    return cohen_kappa_score(*x.astype(int).T, labels=LEVELS, weights="quadratic")


def _alpha(level):
    return lambda x: krippendorff.alpha(
        reliability_data=x.T, level_of_measurement=level, value_domain=LEVELS
    )


def _f1(x):
    return f1_score(*x.T, average="weighted", zero_division=0)


PEERS = {
    "weighted_kappa_quadratic": _kappa,
    "spearman_rho": lambda x: stats.spearmanr(*x.T).statistic,
    "kendall_tau_b": lambda x: stats.kendalltau(*x.T).statistic,
    "f1_weighted": _f1,
    "percent_agreement": lambda x: np.mean(x[:, 0] == x[:, 1]),
    "krippendorff_alpha_nominal": _alpha("nominal"),
    "krippendorff_alpha_ordinal": _alpha("ordinal"),
    "krippendorff_alpha_interval": _alpha("interval"),
}


@pytest.mark.parametrize("name", PEERS)
def test_intervals_equal_a_loop_over_the_same_draws(name):
    options = {"resamples": 60, "seed": 4}
    frame = study(dimensions=["warmth"])
    if name in PAIR:
        raters = ["bob", "gpt"]
        row = pairwise(frame, FIVE, name, [raters], **options).iloc[0]
    else:
        raters = ["ann", "bob", "cleo"]
        row = agreement(frame, FIVE, name, {"g": raters}, **options).iloc[0]
    x = matrix(frame, "warmth", raters)
    assert row["estimate"] == pytest.approx(PEERS[name](x), abs=1e-10)
    assert [row["low"], row["high"]] == pytest.approx(by_hand(PEERS[name], x), abs=1e-10)


def test_means_over_dimensions_are_means_on_the_same_resamples():
    frame = study()
    result = agreement(frame, FIVE, groups={"g": list(GROUPS)}, resamples=60, seed=4, mean=True)
    row = result[result["dimension"] == MEAN].squeeze()
    x = [matrix(frame, dimension, GROUPS) for dimension in ("warmth", "advice")]
    alpha = _alpha("interval")
    assert row["estimate"] == pytest.approx(np.mean([alpha(m) for m in x]), abs=1e-10)
    times = multiplicities(ITEMS, 60, 4, "f").astype(int)
    draws = [np.mean([alpha(np.repeat(m, row, axis=0)) for m in x]) for row in times]
    assert [row["low"], row["high"]] == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=1e-10)
    assert (row["n_items"], row["n_ratings"]) == (ITEMS, 2 * 5 * ITEMS)
    assert result["dimension"].tolist() == ["warmth", "advice", MEAN]


def test_each_framework_has_its_means_behind_its_dimensions():
    frame = study(["f", "g"])
    result = pairwise(frame, FIVE, ["spearman_rho", "kendall_tau_b"], resamples=5, mean=True)
    assert list(dict.fromkeys(zip(result["framework"], result["dimension"], strict=True))) == [
        (f, d) for f in ("f", "g") for d in ("warmth", "advice", MEAN)
    ]
    keys = ["framework", "rater_a", "rater_b", "statistic"]
    single = result[result["dimension"] != MEAN].groupby(keys)["estimate"].mean()
    means = result[result["dimension"] == MEAN].set_index(keys)["estimate"].sort_index()
    assert means.to_numpy() == pytest.approx(single.to_numpy())


def _sorted(result):
    return result.sort_values(KEYS, ignore_index=True)


@pytest.mark.parametrize("verb", [agreement, pairwise])
def test_order_of_the_rows_does_not_matter_to_the_last_bit(verb):
    frame = study(["f", "g"])
    shuffled = frame.sample(frac=1, random_state=1)
    statistics = list(MANY if verb is agreement else PAIR)
    first, second = (
        _sorted(verb(rows, FIVE, statistics, resamples=50, seed=3)) for rows in (frame, shuffled)
    )
    pd.testing.assert_frame_equal(first, second, check_exact=True)


@pytest.mark.parametrize("verb", [agreement, pairwise])
def test_a_frameworks_interval_does_not_depend_on_the_others(verb):
    every = verb(study(["e", "f", "g"]), FIVE, resamples=50, seed=3, mean=True)
    alone = verb(study(["f"]), FIVE, resamples=50, seed=3, mean=True)
    here = every[every["framework"] == "f"].reset_index(drop=True)
    pd.testing.assert_frame_equal(here, alone, check_exact=True)


def test_a_dimensions_interval_does_not_depend_on_the_others():
    alone = agreement(study().query("dimension == 'advice'"), FIVE, resamples=50, seed=3)
    both = agreement(study(), FIVE, resamples=50, seed=3).query("dimension == 'advice'")
    pd.testing.assert_frame_equal(both.reset_index(drop=True), alone, check_exact=True)


def test_seed_changes_the_interval_and_nothing_else():
    first, second = (agreement(study(), FIVE, resamples=50, seed=seed) for seed in (1, 2))
    assert (first["low"] != second["low"]).any() and (first["high"] != second["high"]).any()
    rest = [c for c in RESULT if c not in ("low", "high")]
    pd.testing.assert_frame_equal(first[rest], second[rest])


def test_level_is_the_width():
    wide, narrow = (pairwise(study(), FIVE, resamples=200, level=x) for x in (0.99, 0.5))
    assert (wide["low"] < narrow["low"]).all() and (narrow["high"] < wide["high"]).all()


@pytest.mark.parametrize("verb", [agreement, pairwise])
def test_no_resamples_give_no_interval(verb):
    result = verb(study(), FIVE, resamples=0, mean=True)
    assert result[["low", "high"]].isna().all(axis=None)
    assert result["estimate"].notna().all() and (result["note"] == "").all()


# --- undefined, missing -------------------------------------------------------------


def test_undefined_resamples_are_left_out_and_their_share_is_said():
    """Of 12 items, two tell anything; a resample has neither with probability (10/12)^12."""
    frame = two(["no"] * 10 + ["no", "yes"], ["no"] * 10 + ["yes", "yes"])
    row = pairwise(frame, Scale(["no", "yes"]), resamples=4000).iloc[0]
    assert row["estimate"] == pytest.approx(0.625, abs=1e-12)
    assert (row["low"], row["high"]) == (0, 1)
    rare, undefined = row["note"].split("; ")
    assert rare.startswith("87.5% of the ratings are no: the coefficient rests on 2 of 12 items")
    share, _, left_out = undefined.removeprefix("undefined on ").partition("% of 4000 resamples")
    assert float(share) / 100 == pytest.approx((10 / 12) ** 12, abs=0.02)
    assert left_out == ", left out"


@pytest.mark.parametrize("verb", [agreement, pairwise])
def test_constant_ratings_have_a_reason_and_no_interval(verb):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = verb(two([3] * 8, [3] * 8), FIVE, resamples=50).iloc[0]
    assert np.isnan([row["estimate"], row["low"], row["high"]]).all()
    assert row["note"] == "not defined: all 16 ratings are 3, no variation to agree on"


def test_one_undefined_dimension_leaves_the_mean_undefined_and_is_named():
    frame = pd.concat([study(dimensions=["warmth"]), study(dimensions=["flat"]).assign(rating=2)])
    result = agreement(frame, FIVE, resamples=20, mean=True)
    means = result[result["dimension"] == MEAN]
    assert len(means) == 2 and means[["estimate", "low", "high"]].isna().all(axis=None)
    assert (means["note"] == "not defined: no value for flat").all()


def test_a_rater_who_skipped_a_dimension_is_missing_there_only():
    frame = study()
    frame = frame[(frame["rater"] != "cleo") | (frame["dimension"] != "advice")]
    pairs = pairwise(frame, FIVE, resamples=20).set_index(["dimension", "rater_a", "rater_b"])
    skipped = pairs.loc["advice", "ann", "cleo"]
    assert np.isnan(skipped["estimate"]) and skipped["n_items"] == 0
    assert skipped["note"] == "not defined: no item has ratings by both"
    assert pairs.loc["warmth", "ann", "cleo"]["n_items"] == ITEMS
    alpha = agreement(frame, FIVE, resamples=20).set_index(["dimension", "group"])
    x = matrix(frame, "advice", ["ann", "bob"])
    assert alpha.loc["advice", "expert"]["n_ratings"] == 2 * ITEMS
    assert alpha.loc["advice", "expert"]["estimate"] == pytest.approx(_alpha("interval")(x))


@pytest.mark.parametrize("as_rows", [True, False])
def test_scattered_missing_ratings_use_what_is_there(as_rows):
    """A missing rating is the same whether its row is left out or holds no number."""
    frame = study(dimensions=["warmth"])
    gone = np.random.default_rng(2).random(len(frame)) < 0.3
    frame.loc[gone, "rating"] = np.nan
    x = matrix(frame, "warmth", GROUPS)
    given = frame[~gone] if as_rows else frame
    row = agreement(given, FIVE, groups={"all": list(GROUPS)}, resamples=0).iloc[0]
    paired = np.isfinite(x).sum(axis=1) >= 2
    assert row["estimate"] == pytest.approx(_alpha("interval")(x), abs=1e-10)
    assert (row["n_items"], row["n_ratings"]) == (paired.sum(), np.isfinite(x[paired]).sum())
    pair = pairwise(given, FIVE, pairs=[("ann", "bob")], resamples=0).iloc[0]
    shared = x[np.isfinite(x[:, :2]).all(axis=1), :2]
    assert pair["estimate"] == pytest.approx(_kappa(shared), abs=1e-10)
    assert (pair["n_items"], pair["n_ratings"]) == (len(shared), 2 * len(shared))


def test_items_are_matched_by_id_although_each_rater_has_an_order():
    frame = two([1, 2, 3, 4], [1, 2, 3, 4])
    frame = pd.concat([frame[:4], frame[4:].iloc[::-1]])
    assert pairwise(frame, FIVE, resamples=0)["estimate"].item() == 1


# --- refused ---------------------------------------------------------------------------


def test_unknown_statistics_say_which_verb_takes_what():
    refused(lambda: agreement(study(), FIVE, "kapa"), "'kapa'", "krippendorff_alpha_nominal")
    refused(lambda: agreement(study(), FIVE, "spearman_rho"), "spearman_rho", "pairwise")
    refused(lambda: pairwise(study(), FIVE, ["spearman_rho", "icc"]), "'icc'", "kendall_tau_b")


def test_unknown_raters_are_named_and_the_known_ones_listed():
    refused(lambda: pairwise(study(), FIVE, pairs=[("ann", "dora")]), "dora", "cleo")
    refused(lambda: agreement(study(), FIVE, groups={"g": ["ann", "dora"]}), "dora", "cleo")


def test_pairs_that_are_none_are_refused():
    refused(lambda: pairwise(study(), FIVE, pairs=[("ann", "ann")]), "('ann', 'ann')")
    refused(lambda: pairwise(study(), FIVE, pairs=[]), "no pair")
    refused(lambda: pairwise(study().query("rater == 'ann'"), FIVE), "no pair")


def test_groups_that_are_none_are_refused():
    refused(lambda: agreement(study().query("rater == 'ann'"), FIVE), "ann", "groups=")
    refused(lambda: agreement(study(), FIVE, groups={}), "group")
    refused(lambda: agreement(study(), FIVE, groups={"g": ["ann"]}), "'g'", "ann")
    refused(lambda: agreement(study(), FIVE, groups={"g": ["ann", "bob", "ann"]}), "'g'", "ann")


def test_a_misspelt_level_is_found_at_its_place():
    frame = two(["low", "high"], ["hgih", "low"], dimension="warmth")
    scale = Scale(["low", "medium", "high"])
    refused(lambda: pairwise(frame, scale), "'hgih'", "item i00", "rater b", "low, medium, high")


@pytest.mark.parametrize("options", [{"resamples": -1}, {"seed": 0.5}, {"level": 95}])
def test_wrong_options_are_refused(options):
    refused(lambda: agreement(study(), FIVE, **options), f"{next(iter(options))}=")


def test_means_over_the_pairs_of_two_groups():
    """On the same resamples, so narrower than any one pair; by hand and by `compare`."""
    result = pairwise(study(), FIVE, resamples=400, seed=2, by_group=True, mean=True)
    means = result[result["rater_a"] == PAIRS].set_index(["dimension", "group"])
    assert sorted(set(means.index.get_level_values(1))) == [
        "expert-expert",
        "expert-llm",
        "llm-llm",
    ]
    single = result[(result["rater_a"] != PAIRS) & (result["dimension"] == "warmth")]
    between = single[single["group"] == "expert-llm"]
    assert len(between) == 6
    row = means.loc[("warmth", "expert-llm")]
    assert row["estimate"] == pytest.approx(between["estimate"].mean())
    assert row["high"] - row["low"] < (between["high"] - between["low"]).mean()
    sides = {
        "between": list(zip(between["rater_a"], between["rater_b"], strict=True)),
        "within": [("ann", "bob"), ("ann", "cleo"), ("bob", "cleo")],
    }
    gap = compare(study(), FIVE, sides, resamples=400, seed=2).set_index("dimension")
    expected = row["estimate"] - means.loc[("warmth", "expert-expert"), "estimate"]
    assert gap.loc["warmth", "estimate"] == pytest.approx(expected)
    assert (MEAN, "expert-llm") in means.index


def test_means_of_pairs_name_the_pair_without_a_value():
    frame = study().query("dimension == 'warmth'")
    same = frame["rater"].isin(["ann", "gpt"])
    frame = frame.assign(rating=frame["rating"].where(~same, 3.0))
    result = pairwise(frame, FIVE, "spearman_rho", resamples=0, by_group=True)
    notes = result[result["rater_a"] == PAIRS].set_index("group")["note"]
    assert notes["llm-llm"] == "not defined: no value for gemini-gpt"
