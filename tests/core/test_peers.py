"""Every coefficient, its errors and its intervals, against independent computations.

Peers: krippendorff, scikit-learn, statsmodels, scipy, pingouin; irrCAC by values written
down here; and the definitions, written out as plain loops over items, raters and pairs.
"""

import warnings
from itertools import combinations, permutations, product

import krippendorff
import numpy as np
import pandas as pd
import pytest
from helpers import FIVE
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score
from statsmodels.stats import inter_rater

from raters import Scale, agreement, pairwise
from raters import coefficients as c
from raters.draws import multiplicities
from raters.intervals import bca_interval, percentile_interval

LEVELS = [1, 2, 3, 4, 5]
CLOSE = {"rel": 0, "abs": 1e-10}
EVERY = {**c.PAIR, **c.MANY}
COMPLETE_ONLY = {"kendall_w", *(name for name in c.MANY if name.startswith("icc"))}


def sums(name, x, scale=FIVE):
    return EVERY[name](np.asarray(x, float), scale)


def value(name, x, scale=FIVE):
    return sums(name, x, scale).estimate()


def random_ratings(seed, items=24, raters=4, missing=0.0):
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, size=(items, 1))
    x = np.clip(np.rint(true + rng.normal(0, 1, size=(items, raters))), 1, 5)
    x[rng.random(x.shape) < missing] = np.nan
    return x


def given(row):
    return [rating for rating in row if not np.isnan(rating)]


# --- the definitions, as loops ------------------------------------------------------


def agree(a, b, kind):
    """The weight of two ratings on a scale from 1 to 5."""
    return {
        "identity": float(a == b),
        "linear": 1 - abs(a - b) / 4,
        "quadratic": 1 - (a - b) ** 2 / 16,
    }[kind]


def observed(x, kind):
    """Mean over the items with two ratings or more of the mean over ordered pairs of ratings."""
    per_item = []
    for row in map(given, x):
        if len(row) >= 2:
            per_item.append(np.mean([agree(a, b, kind) for a, b in permutations(row, 2)]))
    return np.mean(per_item)


def shares(x):
    """Share of each level: per item, then averaged over the items with a rating."""
    rows = [given(row) for row in x if given(row)]
    return {q: np.mean([row.count(q) / len(row) for row in rows]) for q in LEVELS}


def corrected(x, kind, chance):
    return (observed(x, kind) - chance) / (1 - chance)


def fleiss(x, kind):
    p = shares(x)
    return corrected(x, kind, sum(agree(a, b, kind) * p[a] * p[b] for a, b in product(p, p)))


def gwet(x, kind):
    p = shares(x)
    weight = sum(agree(a, b, kind) for a, b in product(p, p))
    return corrected(x, kind, weight / (5 * 4) * sum(p[q] * (1 - p[q]) for q in p))


def brennan(x, kind):
    return corrected(x, kind, np.mean([agree(a, b, kind) for a, b in product(LEVELS, LEVELS)]))


def conger(x, kind):
    """Chance: two different raters, each with the shares of their own ratings."""
    own = [{q: given(column).count(q) / len(given(column)) for q in LEVELS} for column in x.T]
    chance = [
        sum(agree(a, b, kind) * p[a] * r[b] for a, b in product(LEVELS, LEVELS))
        for p, r in combinations(own, 2)
    ]
    return corrected(x, kind, np.mean(chance))


def alpha(x, level):
    """1 - D_o / D_e over ordered pairs of pairable ratings, as Krippendorff defines it."""
    rows = [given(row) for row in x if len(given(row)) >= 2]
    every = [rating for row in rows for rating in row]
    count = {q: every.count(q) for q in LEVELS}

    def apart(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        if level == "ratio":
            return ((a - b) / (a + b)) ** 2
        low, high = min(a, b), max(a, b)
        inside = sum(count[q] for q in LEVELS if low <= q <= high)
        return (inside - (count[low] + count[high]) / 2) ** 2

    seen = sum(sum(apart(a, b) for a, b in permutations(row, 2)) / (len(row) - 1) for row in rows)
    chance = sum(apart(a, b) for a, b in permutations(every, 2)) / (len(every) - 1)
    return 1 - seen / chance


def kappa(x, kind, pooled=False):
    a, b = x[~np.isnan(x).any(axis=1)].T
    first, second = (np.concatenate([a, b]),) * 2 if pooled else (a, b)
    chance = np.mean([agree(p, q, kind) for p, q in product(first, second)])
    return (np.mean([agree(p, q, kind) for p, q in zip(a, b)]) - chance) / (1 - chance)


def concordance_of_ranks(x):
    """Kendall's W with mid-ranks, the variance of rank sums corrected for ties."""
    x = x[~np.isnan(x).any(axis=1)]
    n, k = x.shape
    ranks = np.array([stats.rankdata(column) for column in x.T])
    ties = sum((t**3 - t) for r in ranks for t in np.unique(r, return_counts=True)[1])
    spread = np.sum((ranks.sum(axis=0) - k * (n + 1) / 2) ** 2)
    return 12 * spread / (k**2 * (n**3 - n) - k * ties)


def f1s(x):
    """F1 = 2 TP / (reference's count + judge's count) of every level that somebody gave."""
    a, b = x[~np.isnan(x).any(axis=1)].T
    used = [q for q in LEVELS if q in a or q in b]
    f1 = [2 * sum((a == q) & (b == q)) / (sum(a == q) + sum(b == q)) for q in used]
    return np.array(f1), np.array([sum(a == q) for q in used])


def difference(x):
    return np.mean([b - a for a, b in x if not np.isnan(a + b)])


def pearson(x, ranked):
    x = x[~np.isnan(x).any(axis=1)]
    return np.corrcoef(*(stats.rankdata(side) for side in x.T) if ranked else x.T)[0, 1]


def tau(x):
    """Concordant less discordant pairs of items, over the pairs that both tell apart (root)."""
    x = x[~np.isnan(x).any(axis=1)]
    signs = np.array([np.sign(p - q) for p, q in combinations(x, 2)])
    return signs.prod(axis=1).sum() / np.sqrt(np.prod((signs**2).sum(axis=0)))


def by_place(x):
    """Quadratic kappa on the places of the values among those that occur."""
    x = x[~np.isnan(x).any(axis=1)]
    return cohen_kappa_score(*np.searchsorted(np.unique(x), x).T, weights="quadratic")


def additivity(x):
    """Twice the covariance over the sum of the variances."""
    covariance = np.cov(*x[~np.isnan(x).any(axis=1)].T)
    return 2 * covariance[0, 1] / np.trace(covariance)


def mean_squares(x):
    x = x[~np.isnan(x).any(axis=1)]
    n, k = x.shape
    rows, columns, mean = x.mean(axis=1), x.mean(axis=0), x.mean()
    b = k * sum((rows - mean) ** 2) / (n - 1)
    j = n * sum((columns - mean) ** 2) / (k - 1)
    w = sum(sum((x[i] - rows[i]) ** 2) for i in range(n)) / (n * (k - 1))
    rest = [(x[i, r] - rows[i] - columns[r] + mean) ** 2 for i in range(n) for r in range(k)]
    return b, j, sum(rest) / ((n - 1) * (k - 1)), w, n, k


def icc(form):
    return lambda x: form(*mean_squares(x))


DEFINITIONS = {
    "percent_agreement": lambda x: np.mean([a == b for a, b in x if not np.isnan(a + b)]),
    "cohen_kappa": lambda x: kappa(x, "identity"),
    "weighted_kappa_linear": lambda x: kappa(x, "linear"),
    "weighted_kappa_quadratic": lambda x: kappa(x, "quadratic"),
    "weighted_kappa_quadratic_published": by_place,
    "weighted_kappa_quadratic_centred": additivity,
    "lin_concordance": lambda x: kappa(x, "quadratic"),
    "scott_pi": lambda x: kappa(x, "identity", pooled=True),
    "spearman_rho": lambda x: pearson(x, ranked=True),
    "kendall_tau_b": tau,
    "f1_weighted": lambda x: np.average(f1s(x)[0], weights=f1s(x)[1]),
    "f1_macro": lambda x: f1s(x)[0].mean(),
    "f1_micro": lambda x: np.mean([a == b for a, b in x if not np.isnan(a + b)]),
    "mean_difference": difference,
    "mean_percent_agreement": lambda x: observed(x, "identity"),
    **{
        f"krippendorff_alpha_{level}": lambda x, level=level: alpha(x, level)
        for level in ("nominal", "ordinal", "interval", "ratio")
    },
    "fleiss_kappa": lambda x: fleiss(x, "identity"),
    "fleiss_kappa_quadratic": lambda x: fleiss(x, "quadratic"),
    "conger_kappa": lambda x: conger(x, "identity"),
    "conger_kappa_quadratic": lambda x: conger(x, "quadratic"),
    "gwet_ac1": lambda x: gwet(x, "identity"),
    "gwet_ac2": lambda x: gwet(x, "quadratic"),
    "brennan_prediger": lambda x: brennan(x, "identity"),
    "brennan_prediger_quadratic": lambda x: brennan(x, "quadratic"),
    "kendall_w": concordance_of_ranks,
    "icc1": icc(lambda b, j, e, w, n, k: (b - w) / (b + (k - 1) * w)),
    "icc2": icc(lambda b, j, e, w, n, k: (b - e) / (b + (k - 1) * e + k * (j - e) / n)),
    "icc3": icc(lambda b, j, e, w, n, k: (b - e) / (b + (k - 1) * e)),
    "icc1k": icc(lambda b, j, e, w, n, k: (b - w) / b),
    "icc2k": icc(lambda b, j, e, w, n, k: (b - e) / (b + (j - e) / n)),
    "icc3k": icc(lambda b, j, e, w, n, k: (b - e) / b),
}


def test_every_coefficient_has_a_definition():
    assert set(DEFINITIONS) == set(EVERY)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", EVERY)
def test_coefficients_equal_their_definitions(name, seed, missing):
    x = random_ratings(seed, raters=2 if name in c.PAIR else 4, missing=missing)
    assert value(name, x) == pytest.approx(DEFINITIONS[name](x), **CLOSE)


# --- other packages -----------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(5))
def test_ratio_alpha_equals_krippendorff(seed, missing):
    """The other levels of measurement are in test_coefficients."""
    x = random_ratings(seed, missing=missing)
    peer = krippendorff.alpha(reliability_data=x.T, level_of_measurement="ratio")
    assert value("krippendorff_alpha_ratio", x) == pytest.approx(peer, **CLOSE)


def test_ratio_alpha_knows_zero():
    x = random_ratings(1) - 1
    peer = krippendorff.alpha(reliability_data=x.T, level_of_measurement="ratio")
    ours = value("krippendorff_alpha_ratio", x, Scale(range(5)))
    assert ours == pytest.approx(peer, **CLOSE)


KAPPAS = {
    "cohen_kappa": None,
    "weighted_kappa_linear": "linear",
    "weighted_kappa_quadratic": "quadratic",
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("name", "kind"), KAPPAS.items())
def test_kappas_and_their_errors_equal_scikit_learn_and_statsmodels(name, kind, seed):
    """The error is that of Fleiss, Cohen and Everitt (1969)."""
    x = random_ratings(seed, items=40, raters=2)
    ours = sums(name, x)
    peer = cohen_kappa_score(*x.astype(int).T, labels=LEVELS, weights=kind)
    assert ours.estimate() == pytest.approx(peer, **CLOSE)
    table = np.zeros((5, 5))
    np.add.at(table, tuple(x.astype(int).T - 1), 1)
    peer = inter_rater.cohens_kappa(table, wt=kind)
    assert ours.estimate() == pytest.approx(peer.kappa, **CLOSE)
    assert ours.analytic_error() == pytest.approx(peer.std_kappa, **CLOSE)
    low, high = ours.analytic_interval(0.95)
    assert (low, high) == pytest.approx((peer.kappa_low, peer.kappa_upp), **CLOSE)


def test_kappa_with_any_weights_equals_statsmodels():
    x = random_ratings(3, items=40, raters=2)
    distance = np.array(
        [[0, 1, 3, 4, 9], [1, 0, 2, 5, 6], [3, 2, 0, 1, 1], [4, 5, 1, 0, 2], [9, 6, 1, 2, 0]]
    )
    table = np.zeros((5, 5))
    np.add.at(table, tuple(x.astype(int).T - 1), 1)
    peer = inter_rater.cohens_kappa(table, weights=distance)
    ours = c.weighted_kappa(distance)(x, FIVE)
    assert ours.estimate() == pytest.approx(peer.kappa, **CLOSE)
    assert ours.analytic_error() == pytest.approx(peer.std_kappa, **CLOSE)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_kappa_equals_statsmodels(seed):
    x = random_ratings(seed)
    counts = [[list(row).count(level) for level in LEVELS] for row in x]
    peer = inter_rater.fleiss_kappa(np.array(counts))
    assert value("fleiss_kappa", x) == pytest.approx(peer, **CLOSE)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_f1_equals_scikit_learn(average):
    x = random_ratings(2, raters=2)
    used = np.unique(x)
    peer = f1_score(*x.T, labels=used, average=average)
    assert value(f"f1_{average}", x) == pytest.approx(peer, **CLOSE)
    by_label = f1_score(*x.T, labels=used, average=None)
    ours = [c.f1_of(int(level))(x, FIVE).estimate() for level in used]
    assert ours == pytest.approx(list(by_label), **CLOSE)


@pytest.mark.xdist_group("pingouin")
@pytest.mark.parametrize(("raters", "seed"), [(2, 0), (3, 1), (5, 2)])
def test_iccs_equal_pingouin(raters, seed):
    """Its intervals are printed with few decimals; the estimates are exact."""
    import pingouin  # takes seconds, so one process does it

    x = random_ratings(seed, items=15, raters=raters)
    frame = pd.DataFrame(x).melt(ignore_index=False, var_name="rater").reset_index(names="item")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = pingouin.intraclass_corr(frame, "item", "rater", "value")
    limits = [name for name in peer if name.startswith("CI95")][0]
    for name, row in zip(["icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k"], peer.iloc):
        ours = sums(name, x)
        assert ours.estimate() == pytest.approx(row["ICC"], **CLOSE)
        assert ours.analytic_interval(0.95) == pytest.approx(tuple(row[limits]), abs=0.0051)


def test_mean_difference_has_the_interval_of_the_paired_t_test():
    x = random_ratings(5, raters=2)
    peer = stats.ttest_rel(x[:, 1], x[:, 0]).confidence_interval(0.95)
    ours = sums("mean_difference", x).analytic_interval(0.95)
    assert ours == pytest.approx((peer.low, peer.high), **CLOSE)


@pytest.mark.parametrize(
    ("name", "variance"),
    [("spearman_rho", lambda r, n: (1 + r**2 / 2) / (n - 3)), ("kendall_tau_b", None)],
)
def test_rank_correlations_have_fishers_interval(name, variance):
    x = random_ratings(5, raters=2)
    r, n = value(name, x), len(x)
    error = (variance(r, n) if variance else 0.437 / (n - 4)) ** 0.5
    z = np.log((1 + r) / (1 - r)) / 2 + 1.959963984540054 * np.array([-error, error])
    expected = (np.exp(2 * z) - 1) / (np.exp(2 * z) + 1)
    assert sums(name, x).analytic_interval(0.95) == pytest.approx(tuple(expected), **CLOSE)


# Estimate, standard error and lower limit from irrCAC 0.4.4 (CAC(..., categories=[1, 2, 3, 4, 5],
# digits=14), weights "identity" and "quadratic"). A word is an item, a dot a missing rating.
IRRCAC = [
    (
        "333 444 333 133 124 344 512 544 324 323 323 443",
        {
            "gwet_ac1": (0.29213483146067, 0.14139124210459, -0.01906519417722),
            "fleiss_kappa": (0.17105263157895, 0.11912658948784, -0.09114322405508),
            "conger_kappa": (0.20253164556962, 0.10470888051332, -0.02793104656909),
            "brennan_prediger": (0.27083333333333, 0.13690182097349, -0.03048554301766),
            "krippendorff_alpha_nominal": (0.19407894736842, 0.11912658948784, -0.0681169082656),
            "gwet_ac2": (0.6734693877551, 0.17949669271582, 0.27839983080362),
            "fleiss_kappa_quadratic": (0.1, 0.19188064472005, -0.32232645153598),
            "conger_kappa_quadratic": (0.11926605504587, 0.17934436312813, -0.27546822674367),
            "brennan_prediger_quadratic": (0.55555555555556, 0.18501675842439, 0.14833641589683),
            "krippendorff_alpha_interval": (0.125, 0.19188064472005, -0.29732645153598),
        },
    ),
    (
        "4343 32.3 3.23 3.1. 5..5 44.5 22.. .335 351. .13. .554 22.2 2.32 1132",
        {
            "gwet_ac1": (0.2481077642, 0.11848304357316, -0.00785928945756),
            "fleiss_kappa": (0.21155792767093, 0.12364136352443, -0.05555299872935),
            "conger_kappa": (0.22177968766377, 0.1234236558099, -0.04486090981378),
            "brennan_prediger": (0.24107142857143, 0.11883279610137, -0.01565121948559),
            "krippendorff_alpha_nominal": (0.2086038961039, 0.10695866539005, -0.02246625214167),
            "gwet_ac2": (0.60667017057671, 0.14265988152897, 0.29847223398708),
            "fleiss_kappa_quadratic": (0.46902883188923, 0.18346767733391, 0.07267101230335),
            "conger_kappa_quadratic": (0.45474287153018, 0.17941547484859, 0.06713930318322),
            "brennan_prediger_quadratic": (0.5625, 0.15084911782707, 0.2366102939916),
            "krippendorff_alpha_interval": (0.47360063517269, 0.17711045794417, 0.09097675309866),
        },
    ),
    (
        "5554. 1.111 354.. ...2. .2333 .14.1 .2111 3.4.4 21..2 .5..5",
        {
            "gwet_ac1": (0.37716262975779, 0.14188024362052, 0.05620722040018),
            "fleiss_kappa": (0.36619718309859, 0.13379661081105, 0.06352822160191),
            "conger_kappa": (0.3756371049949, 0.12420597663304, 0.09466366529923),
            "brennan_prediger": (0.375, 0.13999048729848, 0.05831951644215),
            "krippendorff_alpha_nominal": (0.37679083094556, 0.11071745126793, 0.12147593050135),
            "gwet_ac2": (0.71111111111111, 0.16989966134326, 0.32677137525619),
            "fleiss_kappa_quadratic": (0.73505344787177, 0.18164277927129, 0.32414893368304),
            "conger_kappa_quadratic": (0.73611492232416, 0.17732649273229, 0.33497452664609),
            "brennan_prediger_quadratic": (0.69907407407407, 0.17479193762912, 0.30366724037698),
            "krippendorff_alpha_interval": (0.7697337692667, 0.13186460963468, 0.46565343418456),
        },
    ),
]


@pytest.mark.parametrize(("ratings", "expected"), IRRCAC)
def test_gwets_family_and_alpha_equal_irrcac(ratings, expected):
    """Estimates, errors and limits, with missing ratings.

    irrCAC's error of alpha puts the agreement after its small-sample correction into one
    term; ours is the delta method throughout, which gives the uncorrected value there.
    They differ in the third or fourth decimal.
    """
    x = np.array([[np.nan if r == "." else int(r) for r in row] for row in ratings.split()])
    for name, (estimate, error, low) in expected.items():
        ours = sums(name, x)
        assert ours.estimate() == pytest.approx(estimate, abs=1e-10)
        near = 3e-3 if "alpha" in name else 1e-10
        assert ours.analytic_error() == pytest.approx(error, abs=near), name
        assert ours.analytic_interval(0.95)[0] == pytest.approx(low, abs=3 * near), name


# --- intervals ------------------------------------------------------------------------


def frame_of(x):
    wide = pd.DataFrame(x, columns=[f"r{j}" for j in range(x.shape[1])])
    wide.insert(0, "item", [f"i{n:02d}" for n in range(len(x))])
    return wide.melt("item", var_name="rater", value_name="rating")


def result(name, x, **options):
    verb = pairwise if name in c.PAIR else agreement
    return verb(frame_of(x), FIVE, name, **options).iloc[0]


def naive_bca(draws, estimate, without, level):
    """Efron (1987), one step after the other."""
    draws, without = draws[~np.isnan(draws)], without[~np.isnan(without)]
    below = sum(1.0 if d < estimate else 0.5 if d == estimate else 0.0 for d in draws)
    z0 = stats.norm.ppf(below / len(draws))
    gaps = [np.mean(without) - w for w in without]
    a = sum(g**3 for g in gaps) / (6 * sum(g**2 for g in gaps) ** 1.5)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + stats.norm.ppf(tail)
        ends.append(np.quantile(draws, stats.norm.cdf(z0 + z / (1 - a * z))))
    return ends


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("name", EVERY)
def test_intervals_equal_a_loop_that_computes_everything_again(name, missing):
    """Rows repeated as the draws say, rows left out one at a time, the definition each time."""
    x = random_ratings(7, items=14, raters=2 if name in c.PAIR else 3, missing=missing)
    if name in COMPLETE_ONLY:
        x[:10] = np.where(np.isnan(x[:10]), 3, x[:10])
    seed, n = 4, 40
    times = multiplicities(len(x), n, seed, "all").astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a resample without variation, in the plain loops
        draws = np.array([DEFINITIONS[name](np.repeat(x, row, axis=0)) for row in times])
        each = np.array([DEFINITIONS[name](np.delete(x, i, axis=0)) for i in range(len(x))])
        estimate = DEFINITIONS[name](x)
    ours = sums(name, x)
    assert ours.resampled(times.astype(float)) == pytest.approx(draws, nan_ok=True, **CLOSE)
    assert ours.without_each() == pytest.approx(each, nan_ok=True, **CLOSE)
    options = {"resamples": n, "seed": seed}
    low, high = np.nanquantile(draws, [0.025, 0.975])
    row = result(name, x, **options)
    assert (row["low"], row["high"]) == pytest.approx((low, high), **CLOSE)
    counted = ours.terms.any(axis=0)
    # Ties with the estimate, which discrete ratings give, must not depend on rounding.
    draws = np.where(np.abs(draws - estimate) < 1e-9, estimate, draws)
    row = result(name, x, interval="bca", **options)
    expected = naive_bca(draws, estimate, each[counted], 0.95)
    assert (row["low"], row["high"]) == pytest.approx(tuple(expected), **CLOSE)
    n = counted.sum()
    error = np.sqrt((n - 1) / n * sum((each[counted] - each[counted].mean()) ** 2))
    assert ours.jackknife_error() == pytest.approx(error, **CLOSE)
    row = result(name, x, interval="jackknife")
    reach = 1.959963984540054 * error
    limits = (estimate - reach, estimate + reach)
    assert (row["low"], row["high"]) == pytest.approx(limits, **CLOSE)
    row = result(name, x, interval="analytic")
    assert (row["low"], row["high"]) == pytest.approx(ours.analytic_interval(0.95), **CLOSE)


def test_bca_and_percentile_agree_with_scipy_within_the_error_of_resampling():
    """Other draws, so equal only up to their error; ratings between levels, so no ties."""
    rng = np.random.default_rng(11)
    x = rng.uniform(1, 5, size=(30, 2)) ** 1.5 / 5**0.5
    x = np.clip(x, 1, 5)
    ours = sums("lin_concordance", x, Scale(LEVELS, between=True))
    draws = ours.resampled(multiplicities(30, 20_000, 1))

    def statistic(a, b, axis=-1):
        apart = ((a - b) ** 2).mean(axis=axis)
        together = (a.mean(axis=axis) - b.mean(axis=axis)) ** 2
        return 1 - apart / (a.var(axis=axis) + b.var(axis=axis) + together)

    for method, (low, high) in {
        "BCa": bca_interval(draws, ours.estimate(), ours.without_each()),
        "percentile": percentile_interval(draws)[:2],
    }.items():
        options = {"paired": True, "n_resamples": 20_000, "method": method, "rng": 2}
        peer = stats.bootstrap(tuple(x.T), statistic, **options).confidence_interval
        assert (low, high) == pytest.approx((peer.low, peer.high), abs=0.02)


def test_a_study_twice_as_large_has_a_smaller_interval():
    """Every item twice: the same estimate, about 1 / sqrt(2) of the width, in every way."""
    x = random_ratings(2, items=40, raters=2)
    for interval in ("percentile", "bca", "jackknife", "analytic"):
        one, two = (
            result("weighted_kappa_quadratic", rows, interval=interval, resamples=4000)
            for rows in (x, np.vstack([x, x]))
        )
        assert two["estimate"] == pytest.approx(one["estimate"], **CLOSE)
        ratio = (two["high"] - two["low"]) / (one["high"] - one["low"])
        assert ratio == pytest.approx(0.5**0.5, abs=0.05)
