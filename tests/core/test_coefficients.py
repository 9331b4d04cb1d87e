"""The coefficients against independent implementations, textbook tables and their theory."""

import warnings

import krippendorff
import numpy as np
import pytest
from helpers import FIVE, examples
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score
from statsmodels.stats.inter_rater import cohens_kappa

from raters import Scale
from raters import coefficients as c

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


# What is not corrected for chance, or for a chance that does not need variation, has a value.
F1 = ("f1_weighted", "f1_macro", "f1_micro")
LEVELS_COUNT = {"gwet_ac1", "gwet_ac2", "brennan_prediger", "brennan_prediger_quadratic"}
OF_CONSTANT = {
    **dict.fromkeys(F1, 1.0),
    **dict.fromkeys(LEVELS_COUNT, 1.0),
    "percent_agreement": 1.0,
    "mean_percent_agreement": 1.0,
    "mean_difference": 0.0,
}


def quietly(name, x, scale):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sums = {**c.PAIR, **c.MANY}[name](x, scale)
        return sums, sums.estimate()


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(OF_CONSTANT)))
@pytest.mark.parametrize("rating", [3, 2.667])
def test_one_and_the_same_rating_is_undefined_with_a_reason(name, rating):
    sums, result = quietly(name, np.full((8, 2), float(rating)), Scale(LEVELS, between=True))
    assert np.isnan(result)
    assert "not defined" in sums.note and f"{rating:g}" in sums.note


@pytest.mark.parametrize("name", sorted(OF_CONSTANT))
def test_one_and_the_same_rating_where_that_has_a_value(name):
    sums, result = quietly(name, np.full((8, 2), 3.0), FIVE)
    assert result == OF_CONSTANT[name]
    assert ("every rating is the same" in sums.note) == (name in LEVELS_COUNT)


@pytest.mark.parametrize("name", F1)
def test_f1_of_a_mean_is_undefined_even_if_all_are_equal(name):
    sums, result = quietly(name, np.full((8, 2), 2.667), Scale(LEVELS, between=True))
    assert np.isnan(result) and "2.667 is not a level" in sums.note


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "x", [np.full((4, 2), np.nan), np.empty((0, 2)), np.array([[2.0, np.nan]])]
)
def test_nothing_at_all_gives_no_number_in_any_form(name, x):
    """Estimate, resamples, leave-one-out, errors, intervals: NaN, and no warning."""
    sums, result = quietly(name, x, FIVE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rest = [*sums.resampled(np.ones((2, len(x)))), *sums.without_each()]
        rest += [sums.analytic_error(), sums.jackknife_error(), *sums.analytic_interval(0.95)]
    assert np.isnan([result, *rest]).all()
    assert sums.n_items == 0 and sums.note.startswith("not defined: no item")


@pytest.mark.parametrize("name", NAMES)
def test_one_item_gives_a_value_or_a_reason_and_no_interval(name):
    sums, result = quietly(name, np.array([[2.0, 3.0]]), FIVE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan([sums.jackknife_error(), *sums.without_each()]).all()
        low, high = sums.analytic_interval(0.95)
    assert np.isnan(result) == sums.note.startswith("not defined")
    # Wilson's limits hold with one item, too: between 0 and 79 % may agree where one did not.
    assert not low < high or (name, low) == ("percent_agreement", 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("items", [0, 3])
def test_no_shared_item_is_undefined_with_a_reason(name, items):
    x = np.full((items, 2), np.nan)
    x[:, 0] = 2
    sums, result = quietly(name, x, FIVE)
    assert np.isnan(result)
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
    assert "items with a single rating, left out: 1" in sums.note


some = st.sampled_from([1, 2, 3, np.nan])
sparse = arrays(float, st.tuples(st.integers(1, 6), st.integers(2, 4)), elements=some)


@examples(150)
@given(sparse)
def test_a_value_or_a_reason_and_never_a_warning(x):
    """Whatever is missing: NaN has its reason, numbers have none, in every form."""
    for name in NAMES:
        sums, result = quietly(name, x[:, :2] if name in c.PAIR else x, FIVE)
        assert np.isnan(result) == sums.note.startswith("not defined"), (name, sums.note)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sums.resampled(np.eye(len(x)) + 1), sums.without_each()
            sums.jackknife_error(), sums.analytic_error(), sums.analytic_interval(0.95)


# --- theory ---------------------------------------------------------------------

level = st.integers(1, 5)
ratings = arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(2, 4)), elements=level)
pairs = arrays(np.int64, st.tuples(st.integers(2, 12), st.just(2)), elements=level)
relaxed = examples(60)


def defined(name, x, scale=FIVE):
    result = value(name, x, scale)
    assume(np.isfinite(result))
    return result


def columns(name, x):
    return x[:, :2] if name in c.PAIR else x


# Which theory each coefficient obeys. Every name is in one of the first three.
LABELS_ONLY = {
    *("percent_agreement", "cohen_kappa", "scott_pi", *F1),
    *("mean_percent_agreement", "krippendorff_alpha_nominal", "fleiss_kappa", "conger_kappa"),
    *("gwet_ac1", "brennan_prediger"),
}
ORDER_ONLY = {"spearman_rho", "kendall_tau_b", "krippendorff_alpha_ordinal", "kendall_w"}
DISTANCES = {
    *("weighted_kappa_linear", "weighted_kappa_quadratic", "lin_concordance"),
    "weighted_kappa_quadratic_centred",
    *("krippendorff_alpha_interval", "fleiss_kappa_quadratic", "conger_kappa_quadratic"),
    *("gwet_ac2", "brennan_prediger_quadratic"),
    *("icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k"),
}
# In the unit of the scale; by ratios of values, so with a fixed origin; by the levels that
# happen to occur, so unmoved by any increasing recoding.
OTHERS = {"mean_difference", "krippendorff_alpha_ratio", "weighted_kappa_quadratic_published"}
ALPHA = {f"krippendorff_alpha_{level}" for level in (*ALPHAS, "ratio")}
ICC = {name for name in NAMES if name.startswith("icc")}


def test_every_coefficient_has_its_theory():
    parts = [LABELS_ONLY, ORDER_ONLY, DISTANCES, OTHERS]
    assert set().union(*parts) == set(NAMES) and sum(map(len, parts)) == len(NAMES)


@relaxed
@given(ratings, st.randoms(use_true_random=False))
def test_order_of_items_and_of_raters_changes_nothing(x, rnd):
    """Items: for all. Raters: for coefficients of any number of raters."""
    rows, order = list(range(x.shape[0])), list(range(x.shape[1]))
    rnd.shuffle(rows), rnd.shuffle(order)
    for name in NAMES:
        moved = columns(name, x)[rows] if name in c.PAIR else x[rows][:, order]
        expected = value(name, columns(name, x))
        assert value(name, moved) == pytest.approx(expected, nan_ok=True, **CLOSE)


@relaxed
@given(ratings, st.integers(1, 4), st.integers(-3, 3))
def test_distances_do_not_depend_on_unit_and_origin(x, unit, origin):
    moved = Scale([origin + unit * level for level in LEVELS])
    for name in DISTANCES:
        expected = value(name, columns(name, x))
        ours = value(name, origin + unit * columns(name, x), moved)
        assert ours == pytest.approx(expected, nan_ok=True, **CLOSE), name
    shift = value("mean_difference", origin + unit * x[:, :2], moved)
    assert shift == pytest.approx(unit * value("mean_difference", x[:, :2]), **CLOSE)
    if origin == 0:
        expected = value("krippendorff_alpha_ratio", x)
        ours = value("krippendorff_alpha_ratio", unit * x, moved)
        assert ours == pytest.approx(expected, nan_ok=True, **CLOSE)


@relaxed
@given(ratings, st.lists(st.integers(-50, 50), min_size=5, max_size=5, unique=True))
def test_recoding_the_levels(x, new):
    """Labels may get any numbers; for ranks they have to keep their order."""
    rising = sorted(new)
    for names, numbers in (
        (LABELS_ONLY, new),
        (ORDER_ONLY | {"weighted_kappa_quadratic_published"}, rising),
    ):
        scale = Scale(list("abcde"), values=numbers, measurement="nominal")
        recoded = np.array(numbers)[x - 1]
        for name in names:
            expected = value(name, columns(name, x))
            ours = value(name, columns(name, recoded), scale)
            assert ours == pytest.approx(expected, nan_ok=True, **CLOSE), name


@relaxed
@given(pairs)
def test_which_pair_statistics_care_who_is_first(x):
    """F1 weights labels by the reference's counts; a difference has a sign."""
    for name in set(c.PAIR) - {"f1_weighted", "mean_difference"}:
        expected = value(name, x)
        assert value(name, x[:, ::-1]) == pytest.approx(expected, nan_ok=True, **CLOSE)
    assert value("mean_difference", x[:, ::-1]) == pytest.approx(-value("mean_difference", x))


@relaxed
@given(pairs)
def test_two_raters_make_families_meet(x):
    """Conger's kappa is Cohen's, Fleiss' is Scott's, for two raters with complete ratings."""
    same = [
        ("conger_kappa", "cohen_kappa"),
        ("conger_kappa_quadratic", "weighted_kappa_quadratic"),
        ("fleiss_kappa", "scott_pi"),
        ("mean_percent_agreement", "percent_agreement"),
        ("f1_micro", "percent_agreement"),
    ]
    for many, pair in same:
        assert value(many, x) == pytest.approx(value(pair, x), nan_ok=True, **CLOSE)


@relaxed
@given(ratings)
def test_alpha_is_fleiss_kappa_with_a_correction_for_small_samples(x):
    n = x.size
    for alpha, kappa in (("nominal", "fleiss_kappa"), ("interval", "fleiss_kappa_quadratic")):
        expected = 1 - (1 - defined(kappa, x)) * (n - 1) / n
        assert value(f"krippendorff_alpha_{alpha}", x) == pytest.approx(expected, **CLOSE)


@relaxed
@given(arrays(np.int64, st.tuples(st.integers(2, 12), st.just(3)), elements=st.integers(1, 2)))
def test_two_levels_make_all_alphas_one(x):
    nominal = defined("krippendorff_alpha_nominal", x)
    for level in ("ordinal", "interval"):
        assert value(f"krippendorff_alpha_{level}", x) == pytest.approx(nominal, **CLOSE)
    two = Scale([1, 2])
    for name in ("fleiss_kappa", "conger_kappa", "gwet_ac1", "brennan_prediger"):
        weighted = {"gwet_ac1": "gwet_ac2"}.get(name, f"{name}_quadratic")
        assert value(weighted, x, two) == pytest.approx(defined(name, x, two), **CLOSE)
    kappa = value("cohen_kappa", x[:, :2], two)
    for name in ("weighted_kappa_linear", "weighted_kappa_quadratic"):
        assert value(name, x[:, :2], two) == pytest.approx(kappa, nan_ok=True, **CLOSE)


@relaxed
@given(pairs)
def test_quadratic_kappa_is_lins_concordance_with_one_over_n(x):
    a, b = x.T
    kappa = defined("weighted_kappa_quadratic", x)
    covariance = np.mean((a - a.mean()) * (b - b.mean()))
    lin = 2 * covariance / (a.var() + b.var() + (a.mean() - b.mean()) ** 2)
    assert kappa == pytest.approx(lin, **CLOSE)


@relaxed
@given(ratings)
def test_doubling_every_item(x):
    """Nothing, but where the number of items enters: alpha's n - 1, the ICCs' mean squares."""
    for name in set(NAMES) - ALPHA - ICC:
        one = columns(name, x)
        twice = value(name, np.vstack([one, one]))
        assert twice == pytest.approx(value(name, one), nan_ok=True, **CLOSE), name
    n = x.size
    for name in ALPHA:
        expected = 1 - (1 - defined(name, x)) * (2 * n - 1) / (2 * (n - 1))
        assert value(name, np.vstack([x, x])) == pytest.approx(expected, **CLOSE)


# Lowest values: 0 for shares and concordance; -1 for a coefficient of correlation or chance;
# -E / (1 - E) where chance agreement E is at most the mean weight (1/5, or 3/4 squared) of the
# five levels; none for ICC(2,1) and for means of ratings. Differences have those of the scale.
LOWEST = {
    **dict.fromkeys(NAMES, -1.0),
    **dict.fromkeys((*F1, "percent_agreement", "mean_percent_agreement", "kendall_w"), 0.0),
    **dict.fromkeys(("gwet_ac1", "brennan_prediger"), -1 / 4),
    **dict.fromkeys(("gwet_ac2", "brennan_prediger_quadratic"), -3.0),
    **dict.fromkeys(("icc2", "icc1k", "icc2k", "icc3k"), -np.inf),
    "mean_difference": -4.0,
}


@relaxed
@given(ratings)
def test_limits(x):
    for name in NAMES:
        result = value(name, columns(name, x))
        high = 4 if name == "mean_difference" else 1
        assert np.isnan(result) or LOWEST[name] - 1e-9 <= result <= high + 1e-9, name


@relaxed
@given(ratings)
def test_a_level_that_nobody_used(x):
    """It matters only where chance is taken from the number of levels."""
    wide = Scale(range(0, 11))
    for name in set(NAMES) - LEVELS_COUNT:
        expected = value(name, columns(name, x))
        assert value(name, columns(name, x), wide) == pytest.approx(
            expected, nan_ok=True, **CLOSE
        ), name
    for name in ("brennan_prediger", "brennan_prediger_quadratic"):
        assert value(name, x, wide) >= value(name, x) - 1e-12


@relaxed
@given(ratings, st.integers(0, 2**16))
def test_totals_of_a_resample_are_the_coefficient_of_the_resampled_items(x, seed):
    """The core idea: W @ S, then finish, equals computing on the drawn items."""
    drawn = np.random.default_rng(seed).integers(0, len(x), size=len(x))
    times = np.bincount(drawn, minlength=len(x)).astype(float)
    for name, function in {**c.PAIR, **c.MANY}.items():
        one = columns(name, x)
        sums = function(one.astype(float), FIVE)
        direct = value(name, one[drawn])
        assert float(sums.resampled(times[None])[0]) == pytest.approx(direct, nan_ok=True, **CLOSE)
