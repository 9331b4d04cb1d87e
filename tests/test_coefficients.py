"""The coefficients against independent implementations, textbook tables and their theory."""

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score
from statsmodels.stats.inter_rater import cohens_kappa

from raters import Scale
from raters import coefficients as c

FIVE = Scale([1, 2, 3, 4, 5])
LEVELS = [1, 2, 3, 4, 5]
ALPHAS = ("nominal", "ordinal", "interval")
CLOSE = {"rel": 0, "abs": 1e-10}
NAMES = [*c.PAIR, *c.MANY]


def value(name, x, scale=FIVE):
    return {**c.PAIR, **c.MANY}[name](np.asarray(x, float), scale).estimate()


def random_ratings(seed, items=30, raters=2, missing=0.0):
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, size=(items, 1))
    x = np.clip(np.rint(true + rng.normal(0, 1, size=(items, raters))), 1, 5)
    x[rng.random(x.shape) < missing] = np.nan
    return x


def from_table(table, levels):
    """Two columns of ratings from a table of counts, first rater in rows."""
    rows = [
        (a, b)
        for i, a in enumerate(levels)
        for j, b in enumerate(levels)
        for _ in range(table[i][j])
    ]
    return np.array(rows, float)


# --- independent implementations ---------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("level", ALPHAS)
def test_alpha_equals_krippendorff(seed, missing, level):
    x = random_ratings(seed, raters=4, missing=missing)
    peer = krippendorff.alpha(reliability_data=x.T, level_of_measurement=level)
    assert value(f"krippendorff_alpha_{level}", x) == pytest.approx(peer, **CLOSE)


@pytest.mark.parametrize("level", ALPHAS)
def test_alpha_equals_krippendorff_on_means(level):
    x = random_ratings(3, raters=3) / 3 + 0.667
    peer = krippendorff.alpha(reliability_data=x.T, level_of_measurement=level)
    scale = Scale([1, 2, 3], between=True)
    assert value(f"krippendorff_alpha_{level}", x, scale) == pytest.approx(peer, **CLOSE)


@pytest.mark.parametrize("seed", range(12))
def test_pairs_equal_scipy_and_scikit_learn(seed):
    x = random_ratings(seed, missing=0.2)
    a, b = x[np.isfinite(x).all(axis=1)].astype(int).T
    kappa = cohen_kappa_score(a, b, labels=LEVELS, weights="quadratic")
    assert value("weighted_kappa_quadratic", x) == pytest.approx(kappa, **CLOSE)
    rho, tau = stats.spearmanr(a, b).statistic, stats.kendalltau(a, b).statistic
    assert value("spearman_rho", x) == pytest.approx(rho, **CLOSE)
    assert value("kendall_tau_b", x) == pytest.approx(tau, **CLOSE)
    f1 = f1_score(a, b, labels=LEVELS, average="weighted", zero_division=0)
    assert value("f1_weighted", x) == pytest.approx(f1, **CLOSE)
    assert value("percent_agreement", x) == np.mean(a == b)


@pytest.mark.parametrize("threshold", [2, 3, 4, 5])
def test_thresholded_f1_equals_scikit_learn(threshold):
    x = random_ratings(1)
    functions = c.chosen("f1_weighted_at_least", c.PAIR, FIVE)
    ours = functions[f"f1_weighted_at_least_{threshold}"](x, FIVE).estimate()
    a, b = (x >= threshold).T
    peer = f1_score(a, b, labels=[False, True], average="weighted", zero_division=0)
    assert ours == pytest.approx(peer, **CLOSE)


@pytest.mark.parametrize("seed", range(6))
def test_published_kappa_equals_statsmodels_on_the_levels_that_occur(seed):
    x = random_ratings(seed, items=12) * 1.5
    values, code = np.unique(x, return_inverse=True)
    table = np.zeros((values.size,) * 2)
    np.add.at(table, tuple(code.reshape(x.shape).T), 1)
    peer = cohens_kappa(table, wt="quadratic", return_results=False)
    assert value("weighted_kappa_quadratic_published", x) == pytest.approx(peer, **CLOSE)


def test_means_are_exact_categories_only_for_the_published_recipe():
    x = np.array([[1, 1], [2, 2.667], [3, 3], [5, 4.333], [2, 3]])
    by_value = value("weighted_kappa_quadratic", x, Scale(LEVELS, between=True))
    d = ((x[:, 0] - x[:, 1]) ** 2).sum()
    n, (sx, sy), (sxx, syy) = len(x), x.sum(axis=0), (x**2).sum(axis=0)
    assert by_value == pytest.approx(1 - n * d / (n * (sxx + syy) - 2 * sx * sy), **CLOSE)
    assert by_value != pytest.approx(value("weighted_kappa_quadratic_published", x), abs=0.01)


# --- textbook tables (sources beside the numbers) ------------------------------

# Krippendorff (2011), Computing Krippendorff's alpha-reliability, sections C-D.
_FOUR_BY_TWELVE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
        [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
    ]
).T


@pytest.mark.parametrize(
    ("level", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorff_2011(level, printed):
    assert round(value(f"krippendorff_alpha_{level}", _FOUR_BY_TWELVE), 3) == printed


# Agresti (2002), Categorical Data Analysis, table 10.8: two pathologists, 118 slides.
_CARCINOMA = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]


def test_agresti_carcinoma():
    x = from_table(_CARCINOMA, [1, 2, 3, 4])
    assert round(value("weighted_kappa_quadratic", x), 2) == 0.78


# Siegel (1956), Nonparametric Statistics, ch. 9: authoritarianism and status striving.
_STUDENTS = np.array(
    [[2, 6, 5, 1, 10, 9, 8, 3, 4, 12, 7, 11], [3, 4, 2, 1, 8, 11, 10, 6, 7, 12, 5, 9]], float
).T


def test_siegel_students():
    scale = Scale(range(1, 13))
    assert round(value("spearman_rho", _STUDENTS, scale), 2) == 0.82
    assert round(value("kendall_tau_b", _STUDENTS, scale), 2) == 0.67


def test_scikit_learn_documentation_example_of_weighted_f1():
    x = np.array([[0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]]).T
    assert round(value("f1_weighted", x, Scale([0, 1, 2])), 3) == 0.267


# --- undefined, and said so ----------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"percent_agreement", "f1_weighted"}))
@pytest.mark.parametrize("rating", [3, 2.667])
def test_one_and_the_same_rating_is_undefined_with_a_reason(name, rating):
    x = np.full((8, 2), float(rating))
    scale = Scale(LEVELS, between=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sums = {**c.PAIR, **c.MANY}[name](x, scale)
        assert np.isnan(sums.estimate())
    assert "not defined" in sums.note and f"{rating:g}" in sums.note


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("items", [0, 3])
def test_no_shared_item_is_undefined_with_a_reason(name, items):
    x = np.full((items, 2), np.nan)
    x[:, 0] = 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sums = {**c.PAIR, **c.MANY}[name](x, FIVE)
        assert np.isnan(sums.estimate())
    assert "not defined: no item" in sums.note


def test_one_constant_rater_has_kappa_zero_and_no_rank_correlation():
    x = np.array([[3, 1], [3, 4], [3, 5], [3, 2]])
    assert value("weighted_kappa_quadratic", x) == 0
    for name in ("spearman_rho", "kendall_tau_b"):
        sums = c.PAIR[name](x.astype(float), FIVE)
        assert np.isnan(sums.estimate()) and "first rater gives 3" in sums.note


def test_f1_refuses_means_and_says_what_to_do():
    sums = c.f1_weighted(np.array([[1, 1.5], [2, 2]]), Scale(LEVELS, between=True))
    assert np.isnan(sums.estimate()) and "round" in sums.note


def test_items_with_one_rating_are_left_out_and_counted():
    x = np.array([[1, 1], [2, 3], [4, np.nan], [5, 4]])
    sums = c.krippendorff_alpha_interval(x, FIVE)
    assert (sums.n_items, sums.n_ratings) == (3, 6)
    assert "1 items with a single rating" in sums.note


# --- theory ---------------------------------------------------------------------

level = st.integers(1, 5)
ratings = arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(2, 4)), elements=level)
pairs = arrays(np.int64, st.tuples(st.integers(2, 12), st.just(2)), elements=level)
relaxed = settings(max_examples=60, deadline=None)


def defined(name, x, scale=FIVE):
    result = value(name, x, scale)
    assume(np.isfinite(result))
    return result


@relaxed
@given(ratings, st.randoms(use_true_random=False))
def test_alpha_does_not_depend_on_the_order_of_items_or_raters(x, rnd):
    rows, columns = list(range(x.shape[0])), list(range(x.shape[1]))
    rnd.shuffle(rows), rnd.shuffle(columns)
    for level in ALPHAS:
        name = f"krippendorff_alpha_{level}"
        assert value(name, x[rows][:, columns]) == pytest.approx(defined(name, x), **CLOSE)


@relaxed
@given(pairs, st.integers(1, 4), st.integers(-3, 3))
def test_distances_do_not_depend_on_unit_and_origin(x, unit, origin):
    moved = Scale([origin + unit * level for level in LEVELS])
    for name in ("weighted_kappa_quadratic", "krippendorff_alpha_interval"):
        assert value(name, origin + unit * x, moved) == pytest.approx(defined(name, x), **CLOSE)


@relaxed
@given(pairs)
def test_symmetric_coefficients_do_not_care_who_is_first(x):
    for name in (n for n in c.PAIR if n != "f1_weighted"):
        assert value(name, x[:, ::-1]) == pytest.approx(defined(name, x), **CLOSE)


@relaxed
@given(arrays(np.int64, st.tuples(st.integers(2, 12), st.just(3)), elements=st.integers(1, 2)))
def test_two_levels_make_all_alphas_one(x):
    nominal = defined("krippendorff_alpha_nominal", x)
    for level in ("ordinal", "interval"):
        assert value(f"krippendorff_alpha_{level}", x) == pytest.approx(nominal, **CLOSE)


@relaxed
@given(pairs)
def test_quadratic_kappa_is_lins_concordance_with_one_over_n(x):
    a, b = x.T
    kappa = defined("weighted_kappa_quadratic", x)
    covariance = np.mean((a - a.mean()) * (b - b.mean()))
    lin = 2 * covariance / (a.var() + b.var() + (a.mean() - b.mean()) ** 2)
    assert kappa == pytest.approx(lin, **CLOSE)


@relaxed
@given(pairs)
def test_doubling_every_item_changes_no_coefficient_of_pairs(x):
    for name in c.PAIR:
        assert value(name, np.vstack([x, x])) == pytest.approx(defined(name, x), **CLOSE)


@relaxed
@given(ratings)
def test_limits(x):
    for name in NAMES:
        result = defined(name, x[:, :2] if name in c.PAIR else x)
        assert -1 - 1e-9 <= result <= 1 + 1e-9


@relaxed
@given(pairs)
def test_a_level_that_nobody_used_changes_nothing(x):
    wide = Scale(range(0, 11))
    for name in NAMES:
        assert value(name, x, wide) == pytest.approx(defined(name, x), **CLOSE)


@relaxed
@given(ratings, st.integers(0, 2**16))
def test_totals_of_a_resample_are_the_coefficient_of_the_resampled_items(x, seed):
    """The core idea: W @ S, then finish, equals computing on the drawn items."""
    drawn = np.random.default_rng(seed).integers(0, len(x), size=len(x))
    times = np.bincount(drawn, minlength=len(x)).astype(float)
    for name, function in {**c.PAIR, **c.MANY}.items():
        columns = x[:, :2] if name in c.PAIR else x
        sums = function(columns.astype(float), FIVE)
        direct = value(name, columns[drawn])
        assert float(sums.finish(times @ sums.terms)) == pytest.approx(direct, nan_ok=True, **CLOSE)
