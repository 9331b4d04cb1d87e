"""Recalibration: hand-worked maps, repair out of sample, and nothing leaks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers import FIVE, examples, judged
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.isotonic import IsotonicRegression

from raters import RatingsError, Scale, pairwise
from raters.coefficients import PAIR
from raters.judges.folds import folds_of
from raters.judges.recalibration import METHODS, calibration, out_of_fold, recalibrate
from raters.judges.reference import between

PAIRS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=4, max_size=30)


def fitted(method, judge, reference, at):
    use, _ = METHODS[method](np.asarray(judge, float), np.asarray(reference, float), FIVE)
    return use(np.asarray(at, float)).tolist()


def test_maps_by_hand():
    assert fitted("shift", [1, 2], [3, 3], [1, 2]) == [2.5, 3.5]
    # Slope 3 / 2 through the means 2 and 3.
    assert fitted("linear", [1, 2, 3], [1.5, 3, 4.5], [1, 3]) == pytest.approx([1.5, 4.5])
    assert fitted("moments", [1, 3], [4, 3], [1, 3]) == [3, 4]
    # Means at 1, 2, 3 are 2, 4, 3: the last two are pooled; flat beyond, straight between.
    judge, reference = [1, 1, 2, 3], [1, 3, 4, 3]
    assert fitted("isotonic", judge, reference, [0, 1, 1.5, 2, 3, 5]) == [2, 2, 2.75, 3.5, 3.5, 3.5]
    # Medians 1, 2 and 4 where the judge said 2, 3, 5; 1 may stay, 4 may stay.
    judge, reference = [2, 2, 2, 3, 5], [1, 1, 5, 2, 4]
    assert fitted("ordinal", judge, reference, [1, 2, 3, 4, 5]) == [1, 1, 2, 4, 4]


def test_linear_is_the_least_squares_line():
    rng = np.random.default_rng(1)
    judge, reference = rng.integers(1, 6, (2, 40)).astype(float)
    line = stats.linregress(judge, reference)
    expected = line.intercept + line.slope * np.arange(1, 6)
    assert fitted("linear", judge, reference, range(1, 6)) == pytest.approx(expected.tolist())


def test_isotonic_is_the_one_of_scikit_learn():
    rng = np.random.default_rng(2)
    judge = rng.integers(1, 6, 60).astype(float)
    reference = np.clip(np.rint(judge + rng.normal(0, 2, 60)), 1, 5)
    peer = IsotonicRegression(out_of_bounds="clip").fit(judge, reference)
    at = np.linspace(0, 6, 25)
    assert fitted("isotonic", judge, reference, at) == pytest.approx(peer.predict(at).tolist())


@examples(30)
@given(PAIRS)
def test_ordinal_is_the_best_of_all_maps_that_do_not_fall(pairs):
    judge, reference = np.array(pairs, float).T
    got = np.array(fitted("ordinal", judge, reference, range(1, 6)))
    assert (np.diff(got) >= 0).all() and set(got) <= {1, 2, 3, 4, 5}

    def cost(levels):
        levels = np.array(levels, float)
        return np.abs(reference - levels[judge.astype(int) - 1]).sum(), np.abs(
            levels - np.arange(1, 6)
        ).sum()

    best = min(cost(m) for m in itertools.combinations_with_replacement(range(1, 6), 5))
    assert cost(got) == best


@examples(30)
@given(PAIRS, st.sampled_from(["shift", "moments", "isotonic", "ordinal"]))
def test_maps_do_not_fall_and_stay_on_the_scale(pairs, method):
    judge, reference = np.array(pairs, float).T
    assert (np.diff(fitted(method, judge, reference, np.linspace(1, 5, 17))) >= -1e-12).all()
    predicted, _ = out_of_fold(judge, reference, FIVE, METHODS[method], folds_of(reference, 2, 1))
    assert ((predicted >= 1) & (predicted <= 5)).all()


@examples(30)
@given(PAIRS, st.sampled_from(sorted(METHODS)), st.integers(0, 3))
def test_an_items_own_rating_never_reaches_its_prediction(pairs, method, which):
    """With the folds held fixed: another reference rating of one item, same prediction of it."""
    judge, reference = np.array(pairs, float).T
    folds = folds_of(reference, 2, seed=3)
    before, _ = out_of_fold(judge, reference, FIVE, METHODS[method], folds)
    changed = reference.copy()
    changed[which] = 6 - changed[which]
    after, _ = out_of_fold(judge, changed, FIVE, METHODS[method], folds)
    assert after[which] == before[which]


@examples(30)
@given(st.lists(st.integers(1, 5), min_size=4, max_size=40), st.integers(2, 4), st.integers(0, 99))
def test_folds_are_even_and_alike(reference, folds, seed):
    reference = np.array(reference, float)
    fold = folds_of(reference, folds, seed).fold
    size = np.bincount(fold, minlength=folds)
    assert size.max() - size.min() <= 1
    assert (folds_of(reference, folds, seed).fold == fold).all()
    for level in np.unique(reference):
        counts = np.bincount(fold[reference == level], minlength=folds)
        assert counts.max() - counts.min() <= 2


def judges(seed=5, n=120):
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, n)
    reference = np.clip(np.rint(true), 1, 5)
    return {
        "e": reference,
        "shifted": np.clip(np.rint(true + 1.2 + rng.normal(0, 0.4, n)), 1, 5),
        "noisy": np.clip(np.rint(3 + 0.3 * (true - 3) + rng.normal(0, 1, n)), 1, 5),
        "random": rng.permutation(reference),
    }


def test_recalibration_repairs_a_shift_and_not_noise():
    found = calibration(
        judged(judges()), FIVE, ["shifted", "noisy"], "e", methods=["shift", "moments"],
        statistics="weighted_kappa_quadratic", resamples=500,
    )  # fmt: skip
    gain = found[found.quantity == "difference"].set_index(["judge", "method"])
    assert gain.low["shifted", "shift"] > 0.1
    assert gain.low["shifted", "moments"] > 0.1
    assert abs(gain.estimate["noisy", "shift"]) < 0.03
    assert gain.low["noisy", "shift"] < 0 or gain.estimate["noisy", "shift"] < 0.03


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_judge_who_knows_nothing_stays_at_zero(method):
    """The mean over simulated studies: any leak would lift it, plain folds would sink it."""
    kappas = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        reference, judge = rng.integers(1, 6, (2, 40)).astype(float)
        folds = folds_of(reference, 10, seed)
        predicted, _ = out_of_fold(judge, reference, FIVE, METHODS[method], folds)
        x = np.column_stack([reference, predicted])
        kappas.append(PAIR["weighted_kappa_quadratic"](x, FIVE).estimate())
    assert abs(np.mean(kappas)) < 3 * np.std(kappas) / np.sqrt(60)
    assert np.std(kappas) > 0.02


def test_the_frame_gives_the_numbers_of_the_results():
    frame = recalibrate(judged(judges()), FIVE, "shifted", "e", methods="shift", seed=4)
    pair = [("e", "shifted"), ("e", "shifted, shift")]
    by_pair = pairwise(frame, between(FIVE), pairs=pair, resamples=200, seed=4)
    found = calibration(
        judged(judges()), FIVE, "shifted", "e", methods="shift", resamples=200, seed=4,
        statistics="weighted_kappa_quadratic",
    ).set_index("quantity")  # fmt: skip
    for row, quantity in zip(by_pair.itertuples(), ("before", "after")):
        assert found.estimate[quantity] == pytest.approx(row.estimate)
        assert (found.low[quantity], found.high[quantity]) == pytest.approx((row.low, row.high))
    assert found.estimate["difference"] == pytest.approx(
        found.estimate["after"] - found.estimate["before"]
    )
    assert set(frame.group) == {"expert", "llm", "recalibrated"}


def test_repeats_are_means_and_named():
    frame = recalibrate(judged(judges()), FIVE, "shifted", "e", methods="linear", repeats=2)
    names = ["shifted, linear (1)", "shifted, linear (2)"]
    assert [n for n in frame.rater.unique() if "linear" in n] == names
    options = {"statistics": "weighted_kappa_quadratic", "resamples": 0, "methods": "linear"}
    found = calibration(judged(judges()), FIVE, "shifted", "e", repeats=2, **options)
    each = pairwise(frame, between(FIVE), pairs=[("e", n) for n in names], resamples=0)
    after = found.set_index("quantity").estimate["after"]
    assert after == pytest.approx(each.estimate.mean())


def test_more_labelled_items_help():
    found = calibration(
        judged(judges()), FIVE, "shifted", "e", methods="linear", n_train=[3, 60], repeats=10,
        statistics="mean_absolute_error", resamples=0,
    )  # fmt: skip
    after = found[found.quantity == "after"].set_index("n_train").estimate
    assert after[60] < after[3]


def test_small_training_parts_are_inside_larger_ones():
    folds = folds_of(np.arange(20.0), 4, seed=1)
    usable = np.ones(20, bool)
    for (small, test), (large, _) in zip(folds.splits(usable, 3), folds.splits(usable, 10)):
        assert set(small) <= set(large) and len(small) == 3
        assert not test[large].any()


def test_a_constant_judge_is_said():
    frame = judged({"e": [1, 2, 3, 4, 5, 3], "j": [3] * 6})
    found = calibration(frame, FIVE, "j", "e", methods="linear", folds=3, resamples=0)
    assert found[found.quantity == "after"].note.str.contains("its map is a constant").all()


def test_missing_ratings_are_neither_learned_from_nor_tested():
    frame = judged({"e": [1, 2, 3, 4, 5, None], "j": [1, 2, 3, None, 5, 4]})
    predicted = recalibrate(frame, FIVE, "j", "e", methods="shift", folds=2)
    assert len(predicted[predicted.rater == "j, shift"]) == 5
    found = calibration(frame, FIVE, "j", "e", methods="shift", folds=2, resamples=0)
    assert (found.n_items == 4).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "magic"}, r"methods \['magic'\].*shift"),
        ({"methods": []}, "shift, moments"),
        ({"folds": 1}, "folds=1 for 6 items"),
        ({"folds": 7}, "folds=7"),
        ({"repeats": 0}, "repeats=0"),
        ({"n_train": 0}, "n_train=0"),
        ({"n_train": 6}, "items to learn from"),
        ({"statistics": "magic"}, "magic"),
        ({"scale": Scale([1, 2, 3, 4, 5], measurement="nominal")}, "nominal scale"),
    ],
)
def test_bad_input(options, message):
    frame = judged({"e": [1, 2, 3, 4, 5, 3], "j": [1, 2, 3, 4, 5, 4]})
    options = {"scale": FIVE, "folds": 3, **options}
    with pytest.raises(RatingsError, match=message):
        calibration(frame, judges="j", reference="e", **options)


def test_one_frame_has_one_size():
    frame = judged({"e": [1, 2, 3, 4, 5, 3], "j": [1, 2, 3, 4, 5, 4]})
    with pytest.raises(RatingsError, match="once for each size"):
        recalibrate(frame, FIVE, "j", "e", n_train=[2, 3], folds=3)
