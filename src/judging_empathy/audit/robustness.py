"""Questions 10 to 13: self-reports, numbers of words, variance inflation and openings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.outliers_influence import variance_inflation_factor

from judging_empathy.audit.questions import KEYS, P, claim, missing, question
from judging_empathy.data.names import CROWD, EXPERTS, LABELS, MEDIAN, SELF, scales
from judging_empathy.tables import expert_rows, line, with_reports
from raters import with_reference
from raters.coefficients import kendall_tau_b
from raters.draws import multiplicities
from raters.intervals import percentile_interval
from raters.matrices import tables
from raters.measures import MEAN
from raters.multiplicity import adjusted
from raters.show.tables import number, with_interval

_LE = "lend_an_ear"
_NO_LABELS = "the simulated self-reports do not say what the seekers were told"
_ORDERS = 50
_TOO_MUCH = 10


def told(
    ratings: pd.DataFrame,
    reports: pd.DataFrame,
    labels: Mapping[str, str],
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Self-reports and others, apart for seekers who were told different things.

    ``rater, quantity, told, estimate, low, high, n_items``. Quantities are ``tau`` (mean over the
    six dimensions; also ``within``, the mean of both groups by their size) and ``rating`` (the
    rater's mean). ``told`` is one of the two, ``difference`` (first less second, by name) or
    ``within``. `labels` gives each item one of two things.

    Items are resampled over both groups; a resample counts in each group the items that
    are there.
    """
    names = sorted(set(labels.values()))
    both = with_reports(ratings, reports)
    raters = [SELF, MEDIAN, CROWD]
    found = list(tables(both, scales(), raters))
    member = np.array([[labels[item] == name for item in found[0].items] for name in names])
    times = multiplicities(len(found[0].items), resamples, seed, found[0].framework)
    # The ratings as they are come first, then the resamples.
    times = np.vstack([np.ones(len(found[0].items)), times])
    rows = []
    for place, rater in enumerate(raters):
        means = np.mean([table.values[:, place] for table in found], axis=0)
        values = {n: (times * k) @ means / (times @ k) for n, k in zip(names, member)}
        rows += _told_rows(rater, "rating", values, member)
        if rater == SELF:
            continue
        taus = [kendall_tau_b(table.values[:, [0, place]], table.scale) for table in found]
        values = {
            n: np.mean([tau.resampled(times * k) for tau in taus], axis=0)
            for n, k in zip(names, member)
        }
        size = np.array([times @ k for k in member])
        values["within"] = sum(s * values[n] for s, n in zip(size, names)) / size.sum(axis=0)
        rows += _told_rows(rater, "tau", values, member)
    columns = ["rater", "quantity", "told", "estimate", "low", "high", "n_items"]
    return pd.DataFrame(rows, columns=columns)


def _told_rows(rater, quantity, values, member):
    first, second, *_ = values
    values = {**values, "difference": values[first] - values[second]}
    sizes = dict(zip((first, second), member.sum(axis=1)))
    for name, draws in values.items():
        ends, size = percentile_interval(draws[1:])[:2], sizes.get(name, member.shape[1])
        yield rater, quantity, name, draws[0], *ends, int(size)


def slopes(ratings: pd.DataFrame, words: pd.DataFrame) -> pd.DataFrame:
    """Slopes on words: the experts' with clustered errors, and experts less Gemini.

    One row a dimension: ``slope`` of the experts (150 rows) with ``p_clustered``, and ``contrast``
    (the experts' slope less Gemini's, from the difference of their ratings on each conversation)
    with ``low, high, p, p_adjusted``; slopes in levels a word, errors that allow for unequal
    variance (HC3), Benjamini-Hochberg.
    """
    data = ratings.merge(words, on=["framework", "item"], validate="many_to_one")
    rows = []
    for (framework, dimension), part in data.groupby(KEYS, sort=False):
        experts = part[part["rater"].isin(EXPERTS)]
        wide = part.pivot(index=["item", "words"], columns="rater", values="rating").reset_index()
        gap = wide[list(EXPERTS)].mean(axis=1) - wide["gemini"]
        clustered = line(experts["rating"], experts["words"]).fit(
            cov_type="cluster", cov_kwds={"groups": pd.factorize(experts["item"])[0]}
        )
        fit = line(gap, wide["words"]).fit(cov_type="HC3")
        low, high = fit.conf_int()[1]
        slope, contrast = ((one.params[1], one.pvalues[1]) for one in (clustered, fit))
        rows.append((framework, dimension, *slope, contrast[0], low, high, contrast[1]))
    columns = [*KEYS, "slope", "p_clustered", "contrast", "low", "high", "p"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(p_adjusted=adjusted(frame["p"], "bh"))


def library_vif(ratings: pd.DataFrame) -> pd.DataFrame:
    """statsmodels' variance inflation: its default, and the columns as they are or centred.

    One row a dimension: ``default``, ``uncentred``, ``centred``.

    `statsmodels.stats.outliers_influence.variance_inflation_factor`, 0.15 or later, which
    has an argument ``standardize`` that is on by default.
    """
    rows = []
    for framework, wide in expert_rows(ratings):
        values, centred = wide.to_numpy(), (wide - wide.mean()).to_numpy()
        for place, dimension in enumerate(wide):
            default = variance_inflation_factor(values, place)
            as_they_are, without_mean = (
                variance_inflation_factor(columns, place, standardize=False)
                for columns in (values, centred)
            )
            rows.append((framework, dimension, default, as_they_are, without_mean))
    return pd.DataFrame(rows, columns=[*KEYS, "default", "uncentred", "centred"])


def ties(ratings: pd.DataFrame, openings: pd.DataFrame) -> pd.DataFrame:
    """What the last bit of a mean does to the Kruskal-Wallis test of the openings.

    One row a dimension: ``h`` with means rounded to nine decimals, so that equal means tie;
    ``lowest`` and ``highest`` h, and ``lowest_p``, ``highest_p``, with means as they come out when
    the same eight ratings are summed in 50 different orders.
    """
    here = with_reference(ratings)
    here = here[here["framework"] == _LE]
    rng = np.random.default_rng(0)
    rows = []
    for dimension, part in here.groupby("dimension", sort=False):
        wide = part.pivot(index="item", columns="rater", values="rating")
        groups = [wide.index.isin(rows["item"]) for _, rows in openings.groupby("opening")]
        tests = []
        for _ in range(_ORDERS):
            means = np.zeros(len(wide))
            for place in rng.permutation(wide.shape[1]):
                means = means + wide.iloc[:, place].to_numpy()
            means /= wide.shape[1]
            tests.append(stats.kruskal(*(means[group] for group in groups)))
        plain = stats.kruskal(*(means.round(9)[group] for group in groups))
        h, p = np.array([[test.statistic, test.pvalue] for test in tests]).T
        rows.append((_LE, dimension, plain.statistic, h.min(), h.max(), p.min(), p.max()))
    columns = [*KEYS, "h", "lowest", "highest", "lowest_p", "highest_p"]
    return pd.DataFrame(rows, columns=columns)


def _taus(m):
    """Tau of the self-reports by both recipes: experts and crowd, in this order."""
    rows = m.table("self_report")
    rows = rows[rows["rater_b"].isin([MEDIAN, CROWD])]
    published = rows[rows["statistic"] == "kendall_tau_b_published"]
    plain = rows[(rows["statistic"] == "kendall_tau_b") & (rows["dimension"] == MEAN)]
    return [part.set_index("rater_b").loc[[MEDIAN, CROWD]] for part in (published, plain)]


@question("10a")
def _rows_or_conversations(m):
    published, plain = _taus(m)
    width = [(part["high"] - part["low"]).mean() for part in (published, plain)]
    listed = "; ".join(
        f"{LABELS[who]} {with_interval(published.loc[who])}, then {with_interval(plain.loc[who])}"
        for who in published.index
    )
    return claim(
        *width,
        f"The intervals are {number(width[1] / width[0], 1)} times as wide. Tau-b with the "
        f"{listed}.",
        "The interval of tau excludes 0",
        published["low"] > 0,
        plain["low"] > 0,
    )


@question("10b")
def _told(m):
    labels = m.study.labels_told
    if labels is None:
        return missing(_NO_LABELS)
    row = m.table("told").set_index(["rater", "quantity", "told"])
    pooled = _taus(m)[1]
    ratings = {who: row.loc[(who, "rating", "difference")] for who in (SELF, MEDIAN)}
    gap = [row.loc[(who, "tau", "difference")] for who in (MEDIAN, CROWD)]
    names = sorted(set(labels.values()))
    return claim(
        pooled.loc[MEDIAN, "estimate"],
        row.loc[(MEDIAN, "tau", "within"), "estimate"],
        f"{names[0]} less {names[1]}: tau differs by {with_interval(gap[0])} for the expert "
        f"median and by {with_interval(gap[1])} for the crowd; the seekers' own ratings differ by "
        f"{with_interval(ratings[SELF])} levels, the experts' by "
        f"{with_interval(ratings[MEDIAN])}.",
        "The label makes no clear difference to tau (taken for granted, then tested)",
        [True, True],
        [one.low <= 0 <= one.high for one in gap],
    )


def _slope_p(m, statistic, group):
    rows = m.table("verbosity")
    rows = rows[(rows["statistic"] == statistic) & (rows["group"] == group)]
    return rows.set_index("dimension")["estimate"]


@question("11a")
def _stacked_rows(m):
    before = _slope_p(m, "ols_slope_p_adjusted_published", "expert") < P
    after = _slope_p(m, "ols_slope_p_adjusted", "expert") < P
    clustered = m.table("slopes")["p_clustered"]
    return claim(
        before.sum(),
        after.sum(),
        f"{before.sum()} of {before.size} with 200 rows, {after.sum()} with one row a "
        f"conversation, {(adjusted(clustered, 'bh') < P).sum()} with 150 rows and errors "
        "clustered by conversation.",
        "Longer replies rated differently by the experts",
        before,
        after,
    )


@question("11b")
def _paired_slopes(m):
    sides = [
        _slope_p(m, "ols_slope_p_adjusted_published", group) < P for group in ("expert", "gemini")
    ]
    found = m.table("slopes").set_index("dimension")
    before, after = sides[0] != sides[1], found["p_adjusted"] < P
    return claim(
        before.sum(),
        after.sum(),
        f"Significant for one side only on {before.sum()} of {before.size} dimensions; a clear "
        f"contrast of the slopes on {after.sum()} after correction for 21 tests, on "
        f"{(found['p'] < P).sum()} without. A significant and a non-significant slope need not "
        "differ.",
        "Length matters differently to experts and Gemini",
        before,
        after.loc[before.index],
    )


@question("12a")
def _intercept(m):
    without, with_one = _factors(m, "vif_published"), _factors(m, "vif")
    before, after = without > _TOO_MUCH, with_one > _TOO_MUCH
    return claim(
        before.sum(),
        after.sum(),
        f"{before.sum()} and {after.sum()} of {before.size} dimensions; the median factor is "
        f"{number(without.median(), 1)} without and {number(with_one.median(), 1)} with an "
        "intercept.",
        "A factor above 10",
        before,
        after,
    )


def _factors(m, statistic):
    rows = m.table("vif")
    return rows[rows["statistic"] == statistic].set_index("dimension")["estimate"]


@question("12b")
def _default(m):
    found = m.table("library_vif")
    gap = (found["default"] - found["centred"]).abs().max()
    was = (found["uncentred"] - _factors(m, "vif_published").to_numpy()).abs().max()
    return claim(
        found["uncentred"].max(),
        found["default"].max(),
        f"Today's default differs from the factors with an intercept by at most {gap:.0e}, and "
        f"the old one from the published recipe by at most {was:.0e}: who runs the published "
        "cell today gets other numbers.",
        "A factor above 10",
        found["uncentred"] > _TOO_MUCH,
        found["default"] > _TOO_MUCH,
    )


@question("13a")
def _averaged(m):
    rows = m.table("openings")
    before = rows[rows["statistic"] == "kruskal_wallis_p_adjusted_published"]["estimate"]
    after = rows[rows["statistic"] == "kruskal_wallis_p_adjusted"]
    smallest = after.groupby("dimension", sort=False)["estimate"].min()
    return claim(
        before.min(),
        after["estimate"].min(),
        f"{(before < P).sum()} of {before.size} adjusted p values below 0.05 by the published "
        f"recipe, {(after['estimate'] < P).sum()} of {len(after)} with the groups apart.",
        "No clear effect of the opening",
        before >= P,
        smallest >= P,
    )


@question("13b")
def _last_bit(m):
    found = m.table("ties")
    gap = np.maximum(found["highest"] - found["h"], found["h"] - found["lowest"])
    return claim(
        found["highest"].max(),
        found["h"].max(),
        f"H moves on {(gap > 1e-9).sum()} of {len(found)} dimensions, at most by "
        f"{number(gap.max(), 3)}; p by at most "
        f"{number((found['highest_p'] - found['lowest_p']).max(), 4)}.",
        "p below 0.05 before correction",
        found["lowest_p"] < P,
        found["highest_p"] < P,
    )
