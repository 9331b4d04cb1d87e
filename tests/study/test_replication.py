"""The printed numbers: ours by the package, and a second time by hand from the raw files.

The second way shares nothing with the first but the files: pandas reads them, scipy,
scikit-learn, statsmodels and krippendorff compute.
"""

from decimal import Decimal
from functools import cache

import krippendorff
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import judging_empathy as paper
from judging_empathy import replication
from judging_empathy import tables as results
from judging_empathy.data import files
from judging_empathy.data.names import EXPERTS, scales
from judging_empathy.tables import (
    PUBLISHED_MODELS,
    alpha_published_draws,
    openings_table,
    stacked_tau_draws,
    verbosity_table,
    vif_table,
)
from raters.draws import multiplicities
from raters.intervals import percentile_interval
from raters.matrices import tables
from raters.measures import MEAN

real = pytest.mark.real_data
NONE = float("nan")
SELF_REPORTED = ["understood", "validated", "affirmed", "seen", "accepted", "caredfor"]
ID = {
    "empatheticdialogues": "conv_id",
    "epitome": "sp_id",
    "perceived_empathy": "id",
    "lend_an_ear": "conversation_id",
}


@pytest.fixture(scope="module")
def published():
    return paper.load("published")


def parts(study):
    """What `replicate` takes."""
    return [
        paper.load(study),
        paper.self_reports(study),
        paper.words(study),
        paper.openings(study),
        paper.annotation_counts(study),
    ]


@pytest.fixture(scope="module")
def replicated():
    return replication.replicate(*parts("published"), seed=2025)


@pytest.fixture
def few_draws(monkeypatch):
    """Where only the numbers that are not random matter."""
    monkeypatch.setattr(replication, "_BATCHES", 2)
    monkeypatch.setattr(results, "TAU_DRAWS", 20)


def printed(name):
    return pd.read_csv(files.data_dir() / "published" / f"{name}.csv", dtype=str).fillna("")


def other_printed():
    return printed("other").set_index(["analysis", "subject", "quantity"])["value"].sort_index()


def shows(value, text):
    """Whether the value, rounded, is what is printed."""
    return abs(value - float(text)) <= 0.5 * 10.0 ** Decimal(text).as_tuple().exponent + 1e-9


@cache
def raw(framework, rater):
    """One file as it is, by conversation; `experts` are the three experts' medians."""
    if rater == "experts":
        three = [raw(framework, r) for r in EXPERTS]
        return pd.concat(three).groupby(level=0).median()
    rater = {"llm": "gemini"}.get(rater, rater)
    path = files.store().require() / "annotations" / framework / f"{rater}_ratings.csv"
    wide = pd.read_csv(path, dtype={ID[framework]: str}).set_index(ID[framework]).sort_index()
    return wide[[c for c in wide if c in set(paper.dimensions()["dimension"])]].astype(float)


@cache
def raw_words(framework):
    name = f"annotations/{framework}/sample_ratings_crowdsourced.csv"
    if framework == "lend_an_ear":
        name = "original_data/sample_lend_an_ear_conversations.csv"
    table = pd.read_csv(files.store().require() / name, dtype={ID[framework]: str})
    return table.set_index(ID[framework])["response_length"]


# --- the report ------------------------------------------------------------------


@real
def test_every_printed_number_is_reproduced_but_one(replicated):
    missed = replicated[~replicated["same"]]
    assert missed[["table", "group", "printed"]].values.tolist() == [
        ["annotation_count", "crowd", "2844"]
    ]
    assert missed["note"].item() and (replicated.loc[replicated["same"], "note"] == "").all()
    assert len(replicated) - len(missed) == 1178


@real
def test_no_printed_number_is_left_out(replicated):
    counts = replicated["table"].value_counts()
    assert counts["weighted_kappa"] == 126 * 3
    assert counts["spearman"] == 126 * 4
    assert counts["krippendorff_alpha"] == 42 + 8 + 16
    assert counts["verbosity_ols"] == 21 * 6
    assert counts.sum() - counts.iloc[:4].sum() == len(printed("other")) == 105
    assert len(replicated) == 1179
    assert list(replicated) == replication.COLUMNS
    assert not replicated.duplicated(replication.KEYS).any()
    assert replicated["ours"].notna().all()


def test_printed_values_are_those_of_the_files_digit_for_digit():
    """A number lost or padded on the way would change what counts as the same."""
    found = replication.printed_values()["printed"].value_counts()
    cells = []
    for name in ("weighted_kappa", "spearman", "krippendorff_alpha", "verbosity_ols", "other"):
        table = printed(name)
        keys = {*replication.KEYS, "analysis", "subject"} & set(table)
        text = table.drop(columns=list(keys))
        cells += [cell for cell in text.to_numpy().ravel() if cell]
    pd.testing.assert_series_equal(
        found.sort_index(), pd.Series(cells).value_counts().sort_index(), check_names=False
    )


@real
def test_unseeded_intervals_are_within_their_monte_carlo_error(replicated):
    ends = replicated[replicated["comparison"] == "monte carlo"]
    assert len(ends) == 16 and ends["same"].all()
    assert set(ends["dimension"]) == {MEAN} and set(ends["quantity"]) == {"low", "high"}
    assert ends["difference"].abs().max() < 0.02


@real
def test_unseeded_intervals_tell_the_published_recipe_from_the_plain_one(published, replicated):
    """Counting an item as often as it was drawn, as a bootstrap does, misses the printed ends."""
    here = list(tables(published, scales(), EXPERTS))
    missed = 0
    ends = replicated.query("comparison == 'monte carlo' and group == 'experts'")
    ends = ends.set_index(["framework", "quantity"])["printed"]
    for framework in ID:
        group = [table for table in here if table.framework == framework]
        sums, draws = alpha_published_draws(group, 20_000, 1)
        times = multiplicities(50, 20_000, 1, framework)
        plain = np.mean([s.resampled(times) for s in sums], axis=0)
        error = np.std(
            [percentile_interval(b)[:2] for b in draws.mean(axis=0).reshape(20, -1)], axis=0
        )
        for value, e, q in zip(percentile_interval(plain)[:2], error, ("low", "high"), strict=True):
            missed += not replication._verdict(ends[framework, q], value, e)[-1]
    assert missed >= 4


@real
def test_one_changed_rating_is_noticed(published, few_draws):
    changed = published.copy()
    lowest = changed.query("dimension == 'advice_giving' and rater == 'expert2' and rating == 1")
    changed.loc[lowest.index[0], "rating"] = 5
    report = replication.replicate(changed, *parts("published")[1:], seed=1)
    missed = report[~report["same"] & (report["comparison"] == "digit")]
    kappas = missed[missed["table"] == "weighted_kappa"]
    assert {"expert1", "expert2"} <= set(kappas["rater_a"])
    # An adjusted p looks at all dimensions.
    here = missed[(missed["dimension"] != MEAN) & (missed["quantity"] != "p_adjusted")]
    assert set(here["dimension"]) <= {"advice_giving", ""}


def test_on_simulated_ratings_most_is_not_the_same(few_draws):
    report = replication.replicate(*parts("simulated"), seed=1)
    assert len(report) == 1179
    kappas = report.query("table == 'weighted_kappa' and quantity == 'kappa'")
    assert kappas["same"].mean() < 0.2
    counts = report[report["table"] == "annotation_count"]
    assert not counts["note"].str.contains("files").any()


# --- the verdict --------------------------------------------------------------------


def same(text, value, error=NONE):
    return replication._verdict(text, value, error)[-1]


def test_every_printed_number_could_be_missed():
    """What is printed is the same as itself, and not the same one printed unit up or down."""
    for text in replication.printed_values()["printed"].unique():
        value = float(text)
        # Numbers printed to the last bit of a float are compared to nine digits.
        unit = max(10.0 ** Decimal(text).as_tuple().exponent, 1e-8 * abs(value))
        assert same(text, value), text
        assert not same(text, value + unit) and not same(text, value - unit), text


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("0.51", 0.5149, True),
        ("0.51", 0.515, True),  # a tie may be printed either way
        ("0.52", 0.515, True),
        ("0.51", 0.5151, False),
        ("0.000", 0.0004, True),
        ("0.000", 0.0006, False),
        ("-0.01", 0.01, False),
        ("1.828347e-07", 1.8283474e-07, True),
        ("1.828347e-07", 1.8283476e-07, False),
        ("1.828347e-07", 1.8e-07, False),
        ("1.828347e-07", 0.0, False),
        ("0.1609744456544559", 0.16097444565445, True),
        ("0.1609744456544559", 0.16097445, False),
        ("2844", 2971, False),
        ("3150", 3150, True),
        ("0.51", NONE, False),
    ],
)
def test_verdict_by_digit(text, value, expected):
    ours, difference, comparison, outcome = replication._verdict(text, value, NONE)
    assert outcome is expected and comparison == "digit"
    assert (ours, difference) == pytest.approx((value, value - float(text)), nan_ok=True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.44, True), (0.4752, True), (0.477, False), (0.3, False), (NONE, False)],
)
def test_verdict_by_monte_carlo_error(value, expected):
    """Four standard errors of 0.01 and half a printed unit about 0.435."""
    assert same("0.435", value, 0.01) is expected


# --- a second time, by hand --------------------------------------------------------------


def _kappa_and_z(a, b):
    """Kappa by scikit-learn; its error by Fleiss, Cohen and Everitt (1969), eq. 15."""
    values = np.unique(np.rint(100 * np.concatenate([a, b])))
    a, b = (np.searchsorted(values, np.rint(100 * x)) for x in (a, b))
    size = len(values)
    kappa = cohen_kappa_score(a, b, labels=range(size), weights="quadratic")
    p = np.bincount(size * a + b, minlength=size**2).reshape(size, size) / len(a)
    w = 1 - np.subtract.outer(np.arange(size), np.arange(size)) ** 2 / (size - 1) ** 2
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    chance = rows @ w @ columns
    average = (w @ columns)[:, None] + rows @ w
    spread = (p * (w - average * (1 - kappa)) ** 2).sum() - (kappa - chance * (1 - kappa)) ** 2
    return kappa, kappa / np.sqrt(spread / (len(a) * (1 - chance) ** 2))


@pytest.fixture(scope="module")
def kappas():
    """The 126 kappas of the raw files beside the printed ones."""
    table = printed("weighted_kappa")
    found = [
        _kappa_and_z(*(raw(r.framework, rater)[r.dimension] for rater in (r.rater_a, r.rater_b)))
        for r in table.itertuples()
    ]
    return table.assign(ours=[k for k, _ in found], our_z=[z for _, z in found])


@real
def test_kappa_by_hand(kappas):
    assert len(kappas) == 126
    for row in kappas.itertuples():
        assert shows(row.ours, row.kappa) and shows(row.our_z, row.z), row
        assert shows(2 * stats.norm.sf(abs(row.our_z)), row.p_value), row


@real
def test_kappa_by_hand_is_the_reports(kappas, replicated):
    ours = replicated[replicated["table"] == "weighted_kappa"].pivot(
        index=["framework", "dimension", "rater_a", "rater_b"], columns="quantity", values="ours"
    )
    names = {"experts": "expert_median", "llm": "gemini"}
    by_hand = kappas.replace({"rater_a": names, "rater_b": names}).set_index(ours.index.names)
    by_hand = by_hand.loc[ours.index]
    assert ours["kappa"].to_numpy() == pytest.approx(by_hand["ours"].to_numpy(), abs=1e-10)
    assert ours["z"].to_numpy() == pytest.approx(by_hand["our_z"].to_numpy(), rel=1e-8)


@real
def test_percentiles_and_summaries_by_hand(kappas):
    rounded = kappas.assign(ours=kappas["ours"].round(2))
    other = other_printed()
    for name, value in rounded["ours"].describe().items():
        assert shows(value, other["kappa_describe", "all", name])
    epitome = rounded.loc[rounded["framework"] == "epitome", "ours"].describe()
    for name, value in epitome.items():
        assert shows(value, other["kappa_describe", "Dataset EPITOME", name])
    experts = rounded.loc[rounded["rater_b"].isin(EXPERTS), "ours"]
    assert len(experts) == 63
    for q in ("25", "50", "75"):
        value = experts.quantile(int(q) / 100)
        assert shows(value, other["kappa_percentile", "expert_pairs_63", q])


@real
def test_spearman_by_hand():
    for row in printed("spearman").itertuples():
        a, b = (raw(row.framework, r)[row.dimension].rank() for r in (row.rater_a, row.rater_b))
        rho = np.corrcoef(a, b)[0, 1]
        t = rho * np.sqrt(48 / (1 - rho**2))
        reach = 1.959964 / np.sqrt(47)
        assert shows(rho, row.rho) and shows(2 * stats.t.sf(abs(t), 48), row.p_value), row
        assert shows(np.tanh(np.arctanh(rho) - reach), row.low), row
        assert shows(np.tanh(np.arctanh(rho) + reach), row.high), row


def _raw_alpha(framework, dimension, group, rows=slice(None)):
    raters = EXPERTS if group == "experts" else ("gpt", "claude")
    matrix = np.array([raw(framework, r)[dimension].to_numpy()[rows] for r in raters])
    return krippendorff.alpha(reliability_data=matrix, level_of_measurement="interval")


@real
def test_alpha_by_hand():
    table = printed("krippendorff_alpha")
    for (framework, group), part in table.groupby(["framework", "group"]):
        single = part[part["dimension"] != "(mean)"]
        alphas = [_raw_alpha(framework, d, group) for d in single["dimension"]]
        for alpha, text in zip(alphas, single["alpha"], strict=True):
            assert shows(alpha, text)
        assert shows(np.mean(alphas), part.loc[part["dimension"] == "(mean)", "alpha"].item())


@real
@pytest.mark.parametrize("group", ["experts", "llms"])
@pytest.mark.parametrize("framework", ["epitome", "lend_an_ear"])
def test_published_alpha_draws_by_hand(published, framework, group):
    """Each draw as rows of the raw files: drawn items once each, cut off at 0 and 1."""
    raters = EXPERTS if group == "experts" else PUBLISHED_MODELS
    here = [t for t in tables(published, scales(), raters) if t.framework == framework]
    _, ours = alpha_published_draws(here, 25, seed=7)
    for column, times in enumerate(multiplicities(50, 25, 7, framework)):
        rows = np.flatnonzero(times)
        by_hand = [np.clip(_raw_alpha(framework, t.dimension, group, rows), 0, 1) for t in here]
        assert ours[:, column] == pytest.approx(by_hand, abs=1e-10)


@cache
def raw_self_reports():
    """300 rows in the order of the self-report file, dimensions fastest: own, crowd, experts."""
    path = files.store().require() / "original_data" / "perceived_empathy_self_ratings.csv"
    own = pd.read_csv(path, dtype={"id": str}).set_index("id")[SELF_REPORTED]
    crowd, experts = (raw("perceived_empathy", r) for r in ("crowd", "experts"))
    own = own[own.index.isin(crowd.index)]
    names = [f"m_{d}" for d in SELF_REPORTED]
    wide = {
        "own": own,
        "crowd": crowd.loc[own.index, names],
        "experts": experts.loc[own.index, names],
    }
    return {name: table.to_numpy().ravel() for name, table in wide.items()}


@real
@pytest.mark.parametrize("group", ["crowd", "experts"])
def test_tau_by_hand(group):
    other = other_printed()["self_report_kendall_tau_b", group]
    x, y = raw_self_reports()["own"], raw_self_reports()[group]
    assert len(x) == 300 == int(other["n_pairs"])
    assert stats.kendalltau(x, y).statistic == pytest.approx(float(other["tau"]), abs=1e-12)
    each = [stats.kendalltau(x[d::6], y[d::6]).statistic for d in range(6)]
    assert np.median(each) == pytest.approx(float(other["median_over_dimensions"]), abs=1e-12)


@real
@pytest.mark.parametrize(("group", "rater"), [("crowd", "crowd"), ("experts", "expert_median")])
def test_tau_draws_by_hand(published, group, rater):
    reports = paper.self_reports("published")
    both = pd.concat([published, reports])
    if group == "experts":
        medians = published[published["group"] == "expert"]
        medians = medians.groupby(["framework", "dimension", "item"])["rating"].median()
        both = pd.concat([both, medians.reset_index().assign(rater=rater, group="reference")])
    tau, draws, n = stacked_tau_draws(both, reports, rater, 30, seed=0)
    x, y = raw_self_reports()["own"], raw_self_reports()[group]
    rows = np.random.default_rng(0).integers(0, 300, size=(30, 300))
    assert draws == pytest.approx([stats.kendalltau(x[r], y[r]).statistic for r in rows], abs=1e-10)
    assert (tau, n) == (pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-10), 300)


@real
def test_verbosity_by_hand(published):
    table = printed("verbosity_ols")
    ours = verbosity_table(published, paper.words("published"))
    ours = ours.set_index(["statistic", "group", "dimension"])["estimate"].sort_index()
    for group, rater, raters in (
        ("expert", "expert", (*EXPERTS, "experts")),
        ("llm", "gemini", ("gemini",)),
    ):
        fits = []
        for row in table.itertuples():
            stacked = pd.concat([raw(row.framework, r)[row.dimension] for r in raters])
            words = raw_words(row.framework).loc[stacked.index]
            fits.append(stats.linregress(words, stacked))
        p = [fit.pvalue for fit in fits]
        adjusted = stats.false_discovery_control(p)
        for (_, row), fit, q in zip(table.iterrows(), fits, adjusted, strict=True):
            values = {"": fit.slope, "_p": fit.pvalue, "_p_adjusted": q}
            for suffix, value in values.items():
                text = row[f"{group}{suffix or '_coef'}"]
                assert replication._verdict(text, value, NONE)[-1], (row["dimension"], suffix)
                mine = ours[f"ols_slope{suffix}_published", rater, row["dimension"]]
                assert mine == pytest.approx(value, rel=1e-8)


@real
def test_openings_by_hand(published):
    other = other_printed()
    ids = raw("lend_an_ear", "crowd").index
    codes = {f"LE{place:02d}": name for place, name in enumerate(sorted(ids), start=1)}
    openings = paper.openings("published")
    openings = openings.assign(item=openings["item"].map(codes)).set_index("item")["opening"]
    raters = (*EXPERTS, "gemini", "gpt", "claude", "crowd", "experts")
    means = pd.concat([raw("lend_an_ear", r) for r in raters]).groupby(level=0).mean().round(9)
    tests = {d: stats.kruskal(*[m for _, m in means[d].groupby(openings)]) for d in means}
    adjusted = stats.false_discovery_control([test.pvalue for test in tests.values()])
    ours = openings_table(published, paper.openings("published"))
    ours = ours.set_index(["statistic", "dimension"])["estimate"].sort_index()
    for (d, test), q in zip(tests.items(), adjusted, strict=True):
        for quantity, value in (("H", test.statistic), ("p", test.pvalue), ("p_adjusted", q)):
            assert shows(value, other["kruskal_wallis_opening", d, quantity])
            mine = ours[f"kruskal_wallis_{quantity.lower()}_published", d]
            assert mine == pytest.approx(value, abs=1e-8)


@real
@pytest.mark.parametrize("framework", ID)
def test_vif_by_hand(published, framework):
    """1 / (1 - R^2) by regressions, with an intercept and without one."""
    ours = vif_table(published).set_index(["statistic", "framework", "dimension"])
    ours = ours["estimate"].sort_index()
    stacked = pd.concat([raw(framework, r) for r in EXPERTS])
    for dimension in stacked:
        others = stacked.drop(columns=dimension).to_numpy()
        for statistic, x in (("vif_published", others), ("vif", sm.add_constant(others))):
            by_hand = 1 / (1 - sm.OLS(stacked[dimension].to_numpy(), x).fit().rsquared)
            assert ours[statistic, framework, dimension] == pytest.approx(by_hand, rel=1e-8)
        assert ours["vif_published", framework, dimension] > ours["vif", framework, dimension]
