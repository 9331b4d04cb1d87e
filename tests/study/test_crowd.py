"""The crowd: single ratings, the mean of k raters against a second implementation, the file."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import judging_empathy as paper
from judging_empathy import crowd
from judging_empathy import tables as results
from judging_empathy.data import simulate
from judging_empathy.data.names import CROWD, EXPERTS, MEDIAN, scales
from raters import RatingsError, pairwise, with_reference
from raters.judges import gain_from_raters

KAPPA, CENTRED = results.KAPPA, crowd.CENTRED
KEYS = ["framework", "dimension"]
PUBLISHED = pytest.param("published", marks=pytest.mark.real_data)
STUDIES = pytest.mark.parametrize("study", ["simulated", PUBLISHED])


def small(seed=3, items=40, readers=3, noise=1.5, shift=0.0):
    """Ratings of one dimension of Lend an Ear: experts, and readers drawn anew for each item."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, items)
    rows = []
    for item, value in enumerate(true):
        for expert in EXPERTS:
            rows.append((item, expert, "expert", value + rng.normal(0, 0.6)))
        for place in range(readers):
            rows.append((item, f"r{place}", CROWD, value + shift + rng.normal(0, noise)))
    frame = pd.DataFrame(rows, columns=["item", "rater", "group", "rating"])
    frame["rating"] = frame["rating"].round().clip(1, 5)
    frame["item"] = frame["item"].map("LE{:02d}".format)
    frame = frame.assign(framework="lend_an_ear", dimension="advice_giving")
    return frame[frame["group"] == "expert"], frame[frame["group"] == CROWD]


# --- single ratings ----------------------------------------------------------------------


@STUDIES
def test_the_mean_of_the_single_ratings_is_the_crowd_of_the_frame(study):
    ratings, single = paper.load(study), paper.Study(study).single_ratings
    keys = [*KEYS, "item"]
    means = single.groupby(keys)["rating"].mean().rename("mean").reset_index()
    both = ratings[ratings["rater"] == CROWD].merge(means, on=keys)
    assert len(both) == 9 * 50
    assert both["rating"].to_numpy() == pytest.approx(both["mean"].to_numpy())


@STUDIES
def test_single_ratings_are_levels_of_their_scale(study):
    single = paper.Study(study).single_ratings.dropna(subset="rating")
    for framework, part in single.groupby("framework"):
        assert set(part["rating"]) <= set(map(float, scales()[framework].levels))
    assert single.attrs["study"] == study


def test_simulated_single_ratings_are_always_the_same_and_differ_within_items():
    one, two = paper.Study("simulated").single_ratings, paper.Study("simulated").single_ratings
    pd.testing.assert_frame_equal(one, two)
    assert one.groupby([*KEYS, "item"])["rating"].nunique().max() > 1


def test_triples_are_all_the_triples():
    found = simulate._triples((0, 1, 2))
    assert sum(map(len, found.values())) == 27
    assert sorted(found[1]) == [(0, 0, 1), (0, 1, 0), (1, 0, 0)]


@pytest.mark.real_data
def test_who_counts_the_files():
    found = paper.Study("published").table("who").set_index("framework")
    assert found["ratings"].sum() == paper.annotation_counts("published")[CROWD]
    assert found.loc["lend_an_ear", ["fewest", "most"]].tolist() == [2, 11]
    assert found.loc["epitome", ["whole", "per_rating"]].tolist() == [1, 1]
    assert found["fewest"].isna().sum() == 2
    assert found.loc["perceived_empathy", "how"] == "inferred"


def test_who_says_that_ratings_are_simulated():
    found = paper.Study("simulated").table("who").set_index("framework")
    assert set(found["how"]) == {"simulated"}
    assert found.loc["lend_an_ear", "ratings"] == 6 * 50 * 3


def test_with_experts_keeps_only_items_that_have_single_ratings():
    experts, single = small()
    part = single[single["item"] < "LE10"]
    both = crowd.with_experts(part, experts)
    assert set(both["item"]) == {f"LE{i:02d}" for i in range(10)}
    assert set(both["rater"]) == {*EXPERTS, "r0", "r1", "r2"}


# --- the mean of k raters ---------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 7, 100])
def test_the_mean_of_k_readers_agrees_with_the_package(k):
    """Against one expert at a time, `gain_from_raters` is a second implementation."""
    experts, single = small(shift=0.7)
    found = crowd.against_one_expert(experts, single, 60, 5, [k])
    found = found[found["quantity"] == "crowd"].set_index("statistic")
    both = crowd.with_experts(single, experts)
    parts = [
        gain_from_raters(both, scales(), CROWD, [k], criterion=e, resamples=0).set_index(
            "statistic"
        )["estimate"]
        for e in EXPERTS
    ]
    for name in (KAPPA, "correlation"):
        mean = np.mean([part[name] for part in parts])
        assert found.loc[name, "estimate"] == pytest.approx(mean, abs=1e-12)


def test_one_expert_is_held_against_the_others_as_pairs_of_experts():
    experts, single = small()
    found = crowd.against_one_expert(experts, single, 0, 5, [4])
    found = found[found["quantity"] == "experts"].set_index("statistic")["estimate"]
    pairs = list(combinations(EXPERTS, 2))
    for name in (KAPPA, CENTRED):
        mean = pairwise(experts, scales(), name, pairs, resamples=0)["estimate"].mean()
        assert found[name] == pytest.approx(mean, abs=1e-12)
    wide = experts.pivot(index="item", columns="rater", values="rating").corr()
    assert found["correlation"] == pytest.approx(np.mean([wide.loc[p] for p in pairs]))


def test_a_shift_of_level_moves_kappa_only():
    """Wide scale, so that nothing is cut off at its ends: order and spread stay."""
    experts, single = small(noise=0.5)
    single = single[single["rating"].between(2, 4)]
    moved = single.assign(rating=single["rating"] + 1)
    k = [1, 10]
    one, two = (crowd.against_one_expert(experts, s, 0, 5, k) for s in (single, moved))
    one, two = (f[f["quantity"] == "crowd"].set_index("statistic") for f in (one, two))
    for name in (CENTRED, "correlation"):
        assert one.loc[name, "estimate"].tolist() == pytest.approx(two.loc[name, "estimate"])
    assert (one.loc[KAPPA, "estimate"] - two.loc[KAPPA, "estimate"]).abs().min() > 0.05


def test_the_interval_comes_from_resampled_items():
    """By hand: one resample is the items with their multiplicities."""
    experts, single = small(items=12)
    both = crowd.with_experts(single, experts)
    wide = both.pivot(index="item", columns="rater", values="rating")
    x, y = wide[["r0", "r1", "r2"]].to_numpy(), wide["expert1"].to_numpy()
    times = np.arange(12) % 3
    draws = crowd._agreement(times @ crowd._terms(x, y), 2)
    rows = np.repeat(np.arange(12), times)
    again = crowd._agreement(np.ones(len(rows)) @ crowd._terms(x[rows], y[rows]), 2)
    assert {k: float(v) for k, v in draws.items()} == pytest.approx(
        {k: float(v) for k, v in again.items()}
    )


def test_drawn_and_formula_agree():
    experts, single = small(items=80, readers=5)
    found = crowd.observed_gain(experts, single, "lend_an_ear", 0, 1, most=4, panels=200)
    wide = found.pivot(index="n_raters", columns="how", values="estimate")
    assert wide["drawn"].to_numpy() == pytest.approx(wide["formula"].to_numpy(), abs=0.02)
    assert wide["drawn"].is_monotonic_increasing


def test_all_readers_drawn_are_the_observed_mean():
    experts, single = small()
    found = crowd.observed_gain(experts, single, "lend_an_ear", 0, 1, most=3, panels=2)
    drawn = found[(found["how"] == "drawn") & (found["n_raters"] == 3)]
    mean = single.groupby([*KEYS, "item"])["rating"].mean().reset_index()
    both = pd.concat([experts, mean.assign(rater=CROWD, group=CROWD)])
    kappa = pairwise(with_reference(both), scales(), KAPPA, [(MEDIAN, CROWD)], resamples=0)
    assert drawn["estimate"].item() == pytest.approx(kappa["estimate"].item())


def test_items_with_fewer_readers_are_left_out():
    experts, single = small()
    few = single[~((single["item"] < "LE10") & (single["rater"] == "r2"))]
    found = crowd.observed_gain(experts, few, "lend_an_ear", 0, 1, most=3, panels=2)
    assert set(found["n_items"]) == {30}


def test_too_many_readers_are_refused():
    experts, single = small()
    with pytest.raises(RatingsError, match="no item of lend_an_ear with 4 single ratings"):
        crowd.observed_gain(experts, single, "lend_an_ear", 0, 1, most=4)


# --- as good as one expert ------------------------------------------------------------


def test_the_first_k_that_reaches():
    gaps = np.array([[-1, -1, 0, np.nan], [-0.5, -1, 1, np.nan], [0.1, -1, 1, np.nan]])
    first = crowd._first(gaps, [1, 5, 9])
    assert first[:3].tolist() == [9, np.inf, 1]
    assert np.isnan(first[3])


def test_ends_do_not_average_with_infinity():
    low, high, never = crowd._ends_of(np.array([2.0] * 50 + [np.inf] * 50))
    assert (low, high, never) == (2, np.inf, 0.5)
    assert np.isnan(crowd._ends_of(np.array([2.0, np.nan, np.nan]))).all()


def test_noisy_readers_make_up_in_number_and_shifted_ones_do_not():
    experts, single = small(items=200, noise=1.2)
    _, shifted = small(items=200, noise=1.2, shift=1.5)
    found = crowd.raters_needed(experts, single, 200, 1).set_index("statistic")
    assert 2 <= found.loc["correlation", "estimate"] <= 8
    assert found.loc["correlation", "low"] <= found.loc["correlation", "estimate"]
    assert found.loc["correlation", "never"] < 0.05
    far = crowd.raters_needed(experts, shifted, 200, 1).set_index("statistic")
    assert far.loc[KAPPA, ["estimate", "low", "high", "never"]].tolist() == [np.inf] * 3 + [1]


@pytest.mark.slow
def test_readers_as_steady_as_experts_need_one():
    """The crowd is a draw of experts: half of the studies or so need one, nearly all few."""
    needed = []
    for seed in range(20):
        experts, single = small(seed=seed, items=50, readers=3, noise=0.6)
        found = crowd.raters_needed(experts, single, 0, 1, k=range(1, 30))
        needed += found.loc[found["statistic"] == "correlation", "estimate"].tolist()
    needed = np.array(needed)
    assert 0.25 <= (needed == 1).mean() <= 0.75
    assert (needed <= 2).mean() >= 0.9


# --- the file ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole():
    return paper.Study("simulated").table("crowd", 60, 2)


def test_the_file_has_all_questions_once(whole):
    assert list(dict.fromkeys(whole["question"])) == [
        "mean of k raters",
        "as good as one expert",
        "raters needed",
        "level and order",
        "held-out shift",
    ]
    keys = ["question", *KEYS, "statistic", "quantity", "n_raters"]
    assert not whole.duplicated(keys).any()
    assert whole.attrs["study"] == "simulated"


def test_the_file_says_what_is_made_up_and_why_numbers_are_missing(whole):
    made_up = whole["note"].str.contains("simulated single ratings")
    assert set(whole.loc[made_up, "n_raters"].notna()) == {True, False}
    assert not made_up[whole["question"].isin(["level and order", "held-out shift"])].any()
    assert made_up[~whole["question"].isin(["level and order", "held-out shift"])].all()
    assert (whole.loc[whole["estimate"].isna(), "note"].str.contains("not defined")).all()


def test_the_file_is_that_of_the_functions(whole):
    ratings, single = paper.load("simulated"), paper.Study("simulated").single_ratings
    needed = crowd.raters_needed(ratings, single, 60, 2)
    rows = whole[whole["question"] == "raters needed"]
    assert rows["estimate"].tolist() == pytest.approx(needed["estimate"].tolist(), nan_ok=True)
    shift = whole[whole["question"] == "held-out shift"].pivot(
        index=KEYS, columns="quantity", values="estimate"
    )
    assert (shift["after"] - shift["before"]).to_numpy() == pytest.approx(shift["difference"])


@pytest.mark.real_data
def test_no_id_of_a_person_is_in_the_file():
    found = paper.Study("published").table("crowd", 0, 2)
    text = found.to_csv(index=False)
    assert not any(code in text for code in ("C001", "C116", "evaluator1"))
    row = found[(found["question"] == "mean of k raters") & (found["n_raters"] == 1)]
    row = row[(row["framework"] == "all frameworks") & (row["statistic"] == "reliability")]
    assert row["estimate"].item() == pytest.approx(0.21, abs=0.005)
