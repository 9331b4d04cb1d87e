"""p-values: against scipy, statsmodels and pingouin, and against the interval they belong to."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, examples, long_frame
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests

from raters import RatingsError, Scale, agreement, compare, pairwise
from raters.coefficients import MANY, PAIR, Ratings
from raters.draws import multiplicities
from raters.intervals import bca_interval, bca_test, percentile_interval, percentile_test
from raters.multiplicity import METHODS, adjusted
from raters.permutations import permutation_test


def simulated(items=40, raters=3, seed=0, noise=0.9):
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, (items, 1))
    return np.clip(np.rint(true + rng.normal(0, noise, (items, raters))), 1, 5)


def long(x, names="abc"):
    return long_frame(dict(zip(names, x.T)))


# --- the field's own tests ---------------------------------------------------------


@pytest.mark.parametrize(
    "name, weights",
    [
        ("cohen_kappa", None),
        ("weighted_kappa_linear", "linear"),
        ("weighted_kappa_quadratic", "fc"),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_kappas_test_uses_the_variance_under_the_hypothesis(name, weights, seed):
    x = simulated(seed=seed, noise=2.0)[:, :2]
    table = np.zeros((5, 5))
    np.add.at(table, tuple(x.T.astype(int) - 1), 1)
    peer = cohens_kappa(table, wt=weights)
    assert PAIR[name](x, FIVE).analytic_test() == pytest.approx(peer.pvalue_two_sided, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_rank_correlations(seed):
    x = simulated(seed=seed, noise=2.5)[:, :2]
    rho, tau = (PAIR[name](x, FIVE) for name in ("spearman_rho", "kendall_tau_b"))
    assert rho.analytic_test() == pytest.approx(stats.spearmanr(*x.T).pvalue, rel=1e-9)
    peer = stats.kendalltau(*x.T, method="asymptotic").pvalue
    assert tau.analytic_test() == pytest.approx(peer, rel=1e-9)


def test_kendalls_w_is_friedmans_test():
    x = simulated(noise=2.0)
    peer = stats.friedmanchisquare(*x)  # items are its treatments, raters its blocks
    assert MANY["kendall_w"](x, FIVE).analytic_test() == pytest.approx(peer.pvalue, rel=1e-9)


@pytest.mark.xdist_group("pingouin")
def test_icc():
    import pingouin  # takes seconds, so one process does it

    x = simulated(noise=2.0)
    peer = pingouin.intraclass_corr(long(x), targets="item", raters="rater", ratings="rating")
    expected = peer["pval"].to_numpy() if "pval" in peer else peer["p-val"].to_numpy()
    names = ["icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k"]
    ours = [MANY[name](x, FIVE).analytic_test() for name in names]
    assert ours == pytest.approx(expected, rel=1e-6)


def test_mean_difference_is_the_paired_t_test():
    x = simulated(noise=1.5)[:, :2]
    peer = stats.ttest_rel(*x.T).pvalue
    assert PAIR["mean_difference"](x, FIVE).analytic_test() == pytest.approx(peer, rel=1e-6)


def test_perfect_agreement_and_one_item():
    perfect = np.repeat([[1.0], [2.0], [3.0], [4.0]], 2, axis=1)
    assert PAIR["spearman_rho"](perfect, FIVE).analytic_test() == 0
    assert MANY["icc3"](perfect, FIVE).analytic_test() == 0
    one = np.array([[1.0, 2.0]])
    for name in ("cohen_kappa", "spearman_rho", "kendall_tau_b", "mean_difference"):
        assert np.isnan(PAIR[name](one, FIVE).analytic_test())
    for name in ("kendall_w", "icc1", "icc3", "krippendorff_alpha_interval"):
        assert np.isnan(MANY[name](one, FIVE).analytic_test())


# --- the interval, turned round ------------------------------------------------------


@given(st.floats(-0.6, 0.6), st.integers(0, 50))
def test_bootstrap_tests_are_their_intervals_turned_round(shift, seed):
    rng = np.random.default_rng(seed)
    x = rng.gamma(2, 1, 30) - 2 + shift
    times = multiplicities(30, 2000, seed)
    draws, without = times @ x / 30, (x.sum() - x) / 29
    p = {"percentile": percentile_test(draws), "bca": bca_test(draws, x.mean(), without)}
    for name, value in p.items():
        for level in (0.5, 0.8, 0.9, 0.95, 0.99):
            if abs(value - (1 - level)) < 0.004:  # 0 lies on an end, up to the resamples' steps
                continue
            if name == "bca":
                low, high = bca_interval(draws, x.mean(), without, level)
            else:
                low, high, _ = percentile_interval(draws, level)
            assert (value < 1 - level) == (not low <= 0 <= high)


# --- no agreement: ratings change places over the items ------------------------------


def permuted(name, x, known=PAIR, scale=FIVE, **options):
    ratings = Ratings(np.asarray(x, float), scale)
    return permutation_test(known[name], ratings, seed=3, upper=name == "kendall_w", **options)


def by_hand(name, x, known=PAIR, scale=FIVE):
    """The share of all orders of the second rater's ratings that are as far from 0."""
    real = known[name](np.asarray(x, float), scale).estimate()
    orders = [
        known[name](np.c_[x[:, 0], other].astype(float), scale).estimate()
        for other in permutations(x[:, 1])
    ]
    return np.mean([not abs(value) < abs(real) - 1e-9 for value in orders])


@pytest.mark.parametrize("name", ["weighted_kappa_quadratic", "kendall_tau_b", "cohen_kappa"])
@pytest.mark.parametrize(
    "x", [[(1, 1), (2, 3), (3, 2), (5, 5)], [(1, 2), (2, 2), (3, 1), (4, 5), (5, 4)]]
)
def test_permutations_are_all_orders_of_few_items(name, x):
    exact = by_hand(name, np.array(x))
    assert permuted(name, x) == pytest.approx(exact, abs=4 * np.sqrt(exact / 1999) + 1e-3)


def test_permutation_test_against_scipy():
    x = simulated(12, 2, seed=5, noise=2.0)
    first = stats.rankdata(x[:, 0])
    peer = stats.permutation_test(
        (x[:, 1],),
        lambda y: abs(np.corrcoef(first, stats.rankdata(y))[0, 1]),
        alternative="greater",
        permutation_type="pairings",
        n_resamples=1000,
        rng=np.random.default_rng(1),
    ).pvalue
    assert permuted("spearman_rho", x) == pytest.approx(peer, abs=0.05)


def test_permutation_test_sees_no_order_of_items_and_the_same_raters_are_the_least():
    x = simulated(30, 2, seed=1, noise=2.5)
    turned = permuted("cohen_kappa", x[np.random.default_rng(0).permutation(30)])
    assert turned == pytest.approx(permuted("cohen_kappa", x), abs=0.05)
    assert permuted("cohen_kappa", x) == permuted("cohen_kappa", x)
    assert permuted("cohen_kappa", x[:, [0, 0]]) == 1 / 2000


def test_a_pair_that_never_agrees_on_the_rare_class_is_no_finding():
    a, b = np.zeros(50), np.zeros(50)
    a[:4] = b[4:9] = 1
    frame, two = long(np.c_[a, b], "ab"), Scale([0, 1])
    for interval in ("percentile", "bca", "jackknife"):  # were 0.045, 0.0006
        options = {"resamples": 100, "interval": interval, "test": "none"}
        row = pairwise(frame, two, "cohen_kappa", **options)
        assert row["p"][0] > 0.3
    ac1 = agreement(frame, two, "gwet_ac1", resamples=100, test="none").iloc[0]
    assert np.isnan(ac1["p"]) and "0 is not what chance gives" in ac1["note"]


def test_kendalls_w_of_random_ratings_is_no_finding():
    frame = long(np.random.default_rng(0).integers(1, 4, (20, 3)).astype(float))
    assert agreement(frame, FIVE, "kendall_w", resamples=50, test="none")["p"][0] > 0.05
    mean = pd.concat([frame.assign(dimension=d) for d in "xy"])
    row = agreement(mean, FIVE, "kendall_w", resamples=50, mean=True, test="none").iloc[-1]
    assert np.isnan(row["p"]) and "1/k" in row["note"]


def test_who_cannot_be_permuted_has_no_p():
    x = simulated(8, 3)
    x[1:, 2] = np.nan
    row = agreement(long(x).dropna(), FIVE, "fleiss_kappa", resamples=50, test="none").iloc[0]
    assert np.isnan(row["p"]) and "single rating" in row["note"]


@pytest.mark.parametrize("share, items", [(0.1, 50), (0.2, 10)])
def test_no_agreement_is_found_in_five_of_a_hundred_at_most(share, items):
    """Raters who never look, one class rare: 25 to 63 % were found by the intervals."""
    rng = np.random.default_rng(4)
    p = [
        permuted(
            "krippendorff_alpha_nominal",
            rng.random((items, 3)) < share,
            MANY,
            Scale([0, 1]),
            permutations=99,
        )
        for _ in range(100)
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.12  # 2.2 in 100 is noise


def test_columns_on_request_and_corrections_over_the_frame():
    frame = long(simulated(noise=0.4))
    plain = pairwise(frame, FIVE, resamples=50)
    assert "p" not in plain and "p_adjusted" not in plain
    tested = pairwise(frame, FIVE, resamples=50, test="none")
    assert list(tested)[-3:] == ["p", "note", "undefined"]
    pd.testing.assert_frame_equal(tested.drop(columns="p"), plain)
    holm = pairwise(frame, FIVE, resamples=50, test="holm")
    assert list(holm)[-4:] == ["p", "p_adjusted", "note", "undefined"]
    expected = multipletests(holm["p"], method="holm")[1]
    assert holm["p_adjusted"].to_numpy() == pytest.approx(expected)
    assert holm["p"].to_numpy() == pytest.approx(np.full(3, 1 / 2000))  # 1,999 permutations: not 0


def test_where_zero_is_not_chance_there_is_no_test():
    frame = long(simulated())
    result = pairwise(frame, FIVE, ["percent_agreement", "f1_macro"], resamples=20, test="holm")
    assert result["p"].isna().all() and result["p_adjusted"].isna().all()
    assert result["note"].str.contains("0 is not what chance gives").all()
    # A difference of two of them can be 0 by chance.
    sides = {"ab": [("a", "b")], "ac": [("a", "c")]}
    difference = compare(frame, FIVE, sides, "percent_agreement", resamples=200, test="none")
    assert difference["p"].between(0, 1).all()


def test_undefined_results_have_no_p_and_do_not_count():
    constant = long(np.full((8, 2), 3.0), "ab").assign(dimension="same")
    frame = pd.concat([constant, long(simulated()[:, :2], "ab").assign(dimension="real")])
    result = pairwise(frame, FIVE, resamples=200, test="bonferroni").set_index("dimension")
    assert np.isnan(result["p"]["same"]) and np.isnan(result["p_adjusted"]["same"])
    assert result["p_adjusted"]["real"] == result["p"]["real"]


@examples(25)  # statsmodels takes its time
@given(arrays(float, st.integers(1, 30), elements=st.floats(0, 1)))
def test_corrections_against_statsmodels(p):
    theirs = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by"}
    for ours, name in theirs.items():
        assert adjusted(p, ours) == pytest.approx(multipletests(p, method=name)[1], abs=1e-12)
    assert np.array_equal(adjusted(p, "none"), p)


def test_bad_corrections_and_p_values():
    for method in ("bonferoni", "", "fdr"):
        with pytest.raises(RatingsError, match="correction"):
            adjusted([0.5], method)
        with pytest.raises(RatingsError, match="correction"):
            agreement(long(simulated()), FIVE, test=method)
    with pytest.raises(RatingsError, match="outside 0 to 1"):
        adjusted([1.5], "holm")
    assert np.isnan(adjusted([np.nan], "holm")).all() and adjusted([], "by").size == 0
    assert set(METHODS) == {"none", "holm", "bonferroni", "bh", "by"}
