"""Baselines are fitted outside the fold, and judges are compared with them."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from helpers import FIVE
from scipy import stats

from raters import RatingsError, Scale
from raters.coefficients import PAIR
from raters.judges.baselines import CONSTANTS, add_baselines, against_baselines
from raters.judges.folds import folds_of
from raters.judges.recalibration import mean_absolute_error

N = 60


def study(seed=1, n=N):
    """Three experts, a judge, a crowd; a length that says something; words that say it all."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, n)
    items = [f"i{k:03d}" for k in range(n)]
    raters = {f"e{k}": ("expert", true + rng.normal(0, 0.3, n)) for k in range(3)}
    raters["judge"] = ("llm", true + rng.normal(0, 0.5, n))
    raters["c1"] = ("crowd", true + rng.normal(0, 1, n))
    raters["c2"] = ("crowd", true + rng.normal(0, 1, n))
    frame = pd.concat(
        pd.DataFrame(
            {
                "item": items,
                "rater": name,
                "group": group,
                "rating": np.clip(np.rint(values), 1, 5),
            }
        )
        for name, (group, values) in raters.items()
    )
    length = pd.Series(20 * true + rng.normal(0, 20, n), index=items)
    kind = np.where(true > 3, "warm kind reply", "cold short answer")
    return frame, length, dict(zip(items, kind))


def ratings_of(frame, rater):
    return frame[frame.rater == rater].set_index("item").rating


def test_constants_by_hand():
    y = np.array([1.0, 1, 2, 3, 3])
    assert CONSTANTS["majority"](y, FIVE) == 1  # 1 and 3 are as far from the median: the lower
    assert CONSTANTS["majority"](np.array([1.0, 1, 4, 4, 5]), FIVE) == 4
    assert CONSTANTS["median"](y, FIVE) == 2
    assert CONSTANTS["mean"](y, FIVE) == 2


def test_every_baseline_by_a_second_computation():
    frame, length, texts = study()
    found = add_baselines(
        frame, FIVE, features={"length": length}, texts=texts, groups={"crowd mean": "crowd"}
    )
    y = ratings_of(found, "expert_median")
    fold = folds_of(y.to_numpy(), 10, 0, "all").fold
    crowd = (ratings_of(frame, "c1") + ratings_of(frame, "c2")) / 2
    assert (ratings_of(found, "crowd mean") == crowd).all()
    for number in range(10):
        train, test = y.index[fold != number], y.index[fold == number]
        line = stats.linregress(length[train], y[train])
        expected = np.clip(line.intercept + line.slope * length[test], 1, 5)
        assert ratings_of(found, "length")[test].to_numpy() == pytest.approx(expected.to_numpy())
        assert ratings_of(found, "mean")[test].to_numpy() == pytest.approx(y[train].mean())
        assert set(ratings_of(found, "majority")[test]) == {y[train].mode().iloc[0]}
    assert set(found[found.rater.isin(["length", "words", "mean"])].group) == {"baseline"}


def test_words_are_learned_from_other_items_only():
    frame, _, texts = study()
    strange = texts | {"i000": "zzz qqq"}  # words that no training item has
    found = add_baselines(frame, FIVE, texts=strange)
    predicted = ratings_of(found, "words")
    y = ratings_of(found, "expert_median")
    assert PAIR["weighted_kappa_quadratic"](np.column_stack([y, predicted]), FIVE).estimate() > 0.3
    # Its own rating cannot reach it: without known words, another rating changes nothing
    # but the folds, and the prediction is the training items' intercept.
    assert predicted.drop("i000").between(predicted["i000"] - 2, predicted["i000"] + 2).all()
    assert predicted.drop("i000").round(3).nunique() > 2


@pytest.mark.slow
def test_random_features_and_words_do_not_beat_a_constant():
    kappas = {"length": [], "words": []}
    for seed in range(12):
        frame, length, texts = study(seed, 40)
        rng = np.random.default_rng(seed + 100)
        shuffled = dict(zip(texts, rng.permutation(list(texts.values()))))
        lengths = pd.Series(rng.permutation(length.to_numpy()), index=length.index)
        found = add_baselines(frame, FIVE, features={"length": lengths}, texts=shuffled)
        y = ratings_of(found, "expert_median")
        for name, values in kappas.items():
            x = np.column_stack([y, ratings_of(found, name)])
            values.append(PAIR["weighted_kappa_quadratic"](x, FIVE).estimate())
    for values in kappas.values():
        assert abs(np.mean(values)) < max(0.03, 3 * np.std(values) / np.sqrt(12))


def test_a_judge_is_compared_on_the_same_resamples():
    frame, length, texts = study()
    found = against_baselines(
        frame, FIVE, "judge", features={"length": length}, texts=texts,
        groups={"crowd mean": "crowd"}, resamples=300,
    )  # fmt: skip
    at = found.set_index(["rater", "compared_with", "statistic"])
    kappa, error = "weighted_kappa_quadratic", "mean_absolute_error"
    for other in ("majority", "mean", "length", "words", "crowd mean"):
        single = at.estimate[other, "expert_median", kappa]
        gap = at.estimate["judge", "expert_median", kappa] - single
        assert at.estimate["judge", other, kappa] == pytest.approx(gap)
    assert at.low["judge", "mean", kappa] > 0
    assert at.high["judge", "mean", error] < 0
    assert at.estimate["length", "expert_median", kappa] > 0.1
    assert at.estimate["majority", "expert_median", kappa] == pytest.approx(0, abs=1e-12)
    rank = at.loc["mean", "expert_median", "spearman_rho"]
    assert np.isnan(rank.estimate) and "to all 60 items" in rank.note
    # A difference against what is not defined is not defined, with the reason.
    assert np.isnan(at.estimate["judge", "mean", "spearman_rho"])
    # Predictions go to levels before they are asked whether they are equal.
    assert at.estimate["mean", "expert_median", "percent_agreement"] > 0.2


def test_everything_constant_has_a_reason():
    frame = pd.DataFrame(
        {"item": list("uvwx") * 2, "rater": ["a"] * 4 + ["j"] * 4, "rating": [2] * 8}
    )
    found = against_baselines(frame, FIVE, "j", "a", constants="majority", folds=2, resamples=10)
    kappa = found[found.statistic == "weighted_kappa_quadratic"]
    assert kappa.estimate.isna().all()
    assert kappa.note.str.contains("no variation to agree on").all()
    error = found[found.statistic == "mean_absolute_error"]
    assert (error.estimate == 0).all()


def test_frameworks_without_texts_are_said_in_the_means():
    frame, _, texts = study()
    both = pd.concat([frame.assign(framework="f"), frame.assign(framework="g")])
    texts = {("f", item): text for item, text in texts.items()}
    found = against_baselines(both, FIVE, "judge", texts=texts, resamples=0)
    means = found[(found.framework == "all frameworks") & (found.rater == "words")]
    assert means.note.str.contains("mean over 1 of 2 dimensions").all()


def test_mean_absolute_error_by_hand():
    x = np.array([[1.0, 3], [2, 2], [np.nan, 4]])
    sums = mean_absolute_error(x, FIVE)
    assert (sums.estimate(), sums.n_items) == (1.0, 2)
    nothing = mean_absolute_error(np.full((2, 2), np.nan), FIVE)
    assert np.isnan(nothing.estimate()) and "no item" in nothing.note


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constants": "best"}, r"constants \['best'\]"),
        ({"features": {"judge": {}}}, r"names \['judge'\]"),
        ({"features": {"length": {"nobody": 1.0}}}, "compare the ids"),
        ({"texts": {"i000": "a word"}}, "nothing for the items"),
        ({"groups": {"x": "nobody"}}, "group 'nobody'"),
        ({"folds": 100}, "folds=100"),
        ({"judges": "e1"}, r"judges \['e1'\]"),
        ({"judges": "nobody"}, r"judges \['nobody'\]"),
        ({"statistics": "magic"}, "magic"),
        ({"scale": Scale([1, 2, 3, 4, 5], measurement="nominal")}, "scale is nominal"),
    ],
)
def test_bad_input(options, message):
    frame, _, _ = study()
    with pytest.raises(RatingsError, match=message):
        against_baselines(frame, **{"scale": FIVE, "judges": "judge", "resamples": 0, **options})


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    frame, _, texts = study()
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(RatingsError, match=r'pip install "\.\[judge\]"'):
        add_baselines(frame, FIVE, texts=texts)
