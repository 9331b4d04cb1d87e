"""Every table that the book computes, for the pages and for export.

Each function returns one tidy frame with the columns of the contract. Beside each published
recipe (its statistic has `published` in its name) stands the plain one.

`Study.table` calls the functions that make tables: here, in `models`, `crowd`, `replication`
and `audit`. What they all take is described once. `ratings` is the study's long frame, and
`reports`, `words`, `openings`, `single` and `rating_counts` are the frames of `Study` that are
called so (`self_reports`, `single_ratings`). `resamples` and `seed` are those of the
bootstrap of items and, where a judge learns, of the folds. The docstring of each function says
which columns it gives and by which recipe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

from judging_empathy.data.names import EXPERTS, MEDIAN, MODELS, RATERS, SELF, scales
from raters import agreement, check_ratings, pairwise, round_ratings, with_reference
from raters.coefficients import kendall_tau_b, krippendorff_alpha_interval
from raters.draws import multiplicities
from raters.intervals import percentile_interval
from raters.matrices import Matrix, tables
from raters.measures import MEAN, RESULT
from raters.scale import Scale

# The models that the published cell on agreement among LLMs selects.
PUBLISHED_MODELS = ("gpt", "claude")
# The printed interval of tau: its draws and its seed are known.
TAU_DRAWS, TAU_SEED = 10_000, 0
KAPPA = "weighted_kappa_quadratic"
KAPPA_PUBLISHED = "weighted_kappa_quadratic_published"
# The pairs of raters of the printed tables.
PAIRS = [
    ("expert1", "expert2"),
    ("expert2", "expert3"),
    ("expert3", "expert1"),
    (MEDIAN, "crowd"),
    (MEDIAN, "gemini"),
    ("gemini", "crowd"),
]
ALPHAS = ("krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "krippendorff_alpha_interval")


def by_framework(ratings: pd.DataFrame, raters: Sequence[str]) -> list[list[Matrix]]:
    """The dimensions of each framework as matrices of these raters."""
    found = list(tables(check_ratings(ratings, scales()), scales(), raters))
    frameworks = dict.fromkeys(table.framework for table in found)
    return [[table for table in found if table.framework == name] for name in frameworks]


def printed_pairs(ratings: pd.DataFrame) -> Iterator[tuple[dict, np.ndarray, Scale]]:
    """What the printed pairs of raters said on each dimension: labels, two columns, the scale."""
    names = list(dict.fromkeys(rater for pair in PAIRS for rater in pair))
    for table in tables(with_reference(ratings), scales(), names):
        for a, b in PAIRS:
            labels = {"framework": table.framework, "dimension": table.dimension}
            labels |= {"rater_a": a, "rater_b": b}
            yield labels, table.values[:, [names.index(a), names.index(b)]], table.scale


def with_reports(ratings: pd.DataFrame, reports: pd.DataFrame) -> pd.DataFrame:
    """Self-reports and the ratings of the same dimensions, the expert median among them."""
    both = with_reference(pd.concat([ratings, reports], ignore_index=True))
    return both[both["dimension"].isin(reports["dimension"].unique())]


def expert_rows(ratings: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each framework and its experts' ratings: a row an expert and item, a column a dimension."""
    experts = ratings[ratings["rater"].isin(EXPERTS)]
    for framework, part in experts.groupby("framework", sort=False):
        wide = part.pivot(index=["rater", "item"], columns="dimension", values="rating")
        yield framework, wide[list(part["dimension"].unique())]


def pairs_table(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """All pairs of the seven raters and the expert median, on every dimension.

    Columns of `agreement`: 28 pairs x 21 dimensions x five statistics (quadratic kappa by value
    and by the published recipe, Spearman, Kendall, percent agreement).
    """
    order = [*EXPERTS, MEDIAN, *MODELS, "crowd"]
    statistics = [KAPPA, KAPPA_PUBLISHED, "spearman_rho", "kendall_tau_b", "percent_agreement"]
    return pairwise(
        with_reference(ratings), scales(), statistics, combinations(order, 2), resamples, seed
    )


def recipes(pairs: pd.DataFrame) -> pd.DataFrame:
    """Kappa by value beside kappa by the published recipe, for every pair.

    ``framework, dimension, rater_a, rater_b, by_value, published, difference``.
    """
    keys = ["framework", "dimension", "rater_a", "rater_b"]
    names = {KAPPA: "by_value", f"{KAPPA}_published": "published"}
    rows = pairs[pairs["statistic"].isin(names)]
    rows = rows.assign(recipe=rows["statistic"].map(names))
    wide = rows.pivot(index=keys, columns="recipe", values="estimate").reset_index()
    wide.columns.name = None
    return wide.assign(difference=wide["published"] - wide["by_value"])


def alpha_table(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Krippendorff's alpha among experts, among the models and among all seven.

    Columns of `agreement`, with a mean for each framework. Group ``llm`` is all three models;
    under the published recipe it is the two models that the published cell selects.
    """
    groups = {"expert": EXPERTS, "llm": MODELS, "all": RATERS}
    plain = agreement(ratings, scales(), ALPHAS, groups, resamples, seed, mean=True)
    return pd.concat([plain, alpha_published(ratings, resamples, seed)], ignore_index=True)


def alpha_published(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Interval alpha with the intervals of the published recipe.

    Columns of `agreement`. In each draw an item counts once however often it was drawn, and values
    are cut off at 0 and 1, as in the published code.
    """
    rows = []
    for group, raters in {"expert": EXPERTS, "llm": PUBLISHED_MODELS}.items():
        for here in by_framework(ratings, raters):
            rows += _alpha_published_rows(here, group, resamples, seed)
    return _results(rows)


def alpha_published_draws(here: Sequence[Matrix], resamples: int, seed: int):
    """The sums of each dimension and its values on the published recipe's draws.

    `here` holds the dimensions of one framework. The draws have the shape (dimensions, resamples).
    """
    drawn = _drawn_at_all(len(here[0].items), resamples, seed, here[0].framework)
    sums = [krippendorff_alpha_interval(table.values, table.scale) for table in here]
    return sums, np.array([np.clip(s.resampled(drawn), 0, 1) for s in sums])


# The groups of a framework follow one another: each has the same draws.
@lru_cache(maxsize=1)
def _drawn_at_all(n_items, resamples, seed, framework):
    return (multiplicities(n_items, resamples, seed, framework) > 0).astype(float)


def _alpha_published_rows(here, group, resamples, seed):
    sums, draws = alpha_published_draws(here, resamples, seed)
    note = "two models: gpt, claude" if group == "llm" else ""
    labels = {"framework": here[0].framework, "group": group, "note": note}
    labels["statistic"] = "krippendorff_alpha_interval_published"
    rows = []
    for table, s, values in zip(here, sums, draws):
        low, high, _ = percentile_interval(values)
        rows.append(
            {**labels, "dimension": table.dimension, "estimate": s.estimate(), "low": low}
            | {"high": high, "n_items": s.n_items, "n_ratings": s.n_ratings}
            | {"note": "; ".join(filter(None, [note, s.note]))}
        )
    low, high, _ = percentile_interval(draws.mean(axis=0))
    mean = {"dimension": MEAN, "estimate": np.mean([row["estimate"] for row in rows])}
    undefined = [row["dimension"] for row in rows if np.isnan(row["estimate"])]
    if undefined:
        mean["note"] = f"not defined: no value for {', '.join(undefined)}"
    size = {"n_items": sums[0].n_items, "n_ratings": sum(s.n_ratings for s in sums)}
    return [*rows, {**labels, **mean, **size, "low": low, "high": high}]


def f1_table(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Weighted F1 of each rater against the expert median, by label and by threshold.

    Columns of `pairwise`, with a mean for each framework. Crowd means are rounded, halves to even.
    The median contains each expert, which favours the experts.
    """
    rounded = round_ratings(with_reference(ratings))
    kinds = ["f1_weighted", "f1_weighted_at_least"]
    pairs = [(MEDIAN, other) for other in (*EXPERTS, *MODELS, "crowd")]
    result = pairwise(rounded, scales(), kinds, pairs, resamples, seed, mean=True)
    about = dict.fromkeys(EXPERTS, "the reference contains this rater")
    about["crowd"] = "crowd means rounded, halves to even"
    result["note"] = [
        "; ".join(filter(None, [about.get(rater, ""), note]))
        for rater, note in zip(result["rater_b"], result["note"])
    ]
    return result


def self_report_table(
    ratings: pd.DataFrame, reports: pd.DataFrame, resamples: int, seed: int
) -> pd.DataFrame:
    """Kendall's tau-b of the seekers' own ratings with what others say.

    Plain: tau of each dimension and their mean, resampling conversations. Published: tau of all
    300 rows in one, resampling rows, with the published number of draws and seed.
    """
    both = with_reports(ratings, reports)
    pairs = [(SELF, other) for other in (MEDIAN, *EXPERTS, *MODELS, "crowd")]
    plain = pairwise(both, scales(), "kendall_tau_b", pairs, resamples, seed, mean=True)
    rows = [_stacked_tau(both, reports, other) for other in (MEDIAN, "crowd")]
    return pd.concat([plain, _results(rows)], ignore_index=True)


def stacked_tau_draws(both, reports, other: str, resamples: int, seed: int):
    """Published recipe: tau-b of the stacked rows, and on draws of rows.

    `both` is a long frame with the self-reports and the rater `other`; `reports` has the order of
    the study's file, dimensions fastest. Gives tau, its draws (rows, from one generator) and the
    number of rows.
    """
    keys = ["item", "dimension"]
    answer = both[both["rater"] == other].set_index(keys)["rating"]
    y = answer.loc[pd.MultiIndex.from_frame(reports[keys])].to_numpy()
    x = reports["rating"].to_numpy()
    rows = np.random.default_rng(seed).integers(0, len(x), size=(resamples, len(x)))
    rows += np.arange(resamples)[:, None] * len(x)  # each draw has its own stretch of numbers
    times = np.bincount(rows.ravel(), minlength=rows.size).reshape(rows.shape).astype(float)
    sums = kendall_tau_b(np.column_stack([x, y]), scales()["perceived_empathy"])
    return sums.estimate(), sums.resampled(times), len(x)


def _stacked_tau(both, reports, other):
    tau, draws, n = stacked_tau_draws(both, reports, other, TAU_DRAWS, TAU_SEED)
    low, high, _ = percentile_interval(draws)
    return {
        "framework": "perceived_empathy",
        "dimension": "all six",
        "rater_a": SELF,
        "rater_b": other,
        "group": f"self-{'crowd' if other == 'crowd' else 'reference'}",
        "statistic": "kendall_tau_b_published",
        "estimate": tau,
        "low": low,
        "high": high,
        "n_items": reports["item"].nunique(),
        "n_ratings": 2 * n,
        "note": f"{n} rows taken as independent",
    }


def openings_table(ratings: pd.DataFrame, openings: pd.DataFrame) -> pd.DataFrame:
    """Kruskal-Wallis test of the ratings over the three openings of Lend an Ear.

    H, p and p adjusted over the six dimensions (Benjamini-Hochberg). Published: the mean of the
    seven raters and the expert median. Plain: experts, models and crowd apart.
    """
    here = with_reference(ratings)
    here = here[here["framework"] == "lend_an_ear"]
    groups = {"published": [*RATERS, MEDIAN], "expert": EXPERTS, "llm": MODELS, "crowd": ["crowd"]}
    rows = []
    for group, raters in groups.items():
        chosen = here[here["rater"].isin(raters)]
        rows += _kruskal_rows(chosen, openings, group)
    return _results(rows)


def _kruskal_rows(chosen, openings, group):
    suffix = "_published" if group == "published" else ""
    found = {}
    for dimension, part in chosen.groupby("dimension", sort=False):
        # Rounded: equal means differ in their last bit by the order of summing, which breaks ties.
        means = part.groupby("item")["rating"].mean().round(9)
        parts = [means.loc[rows["item"]] for _, rows in openings.groupby("opening")]
        found[dimension] = stats.kruskal(*parts)
    adjusted = multipletests([test.pvalue for test in found.values()], method="fdr_bh")[1]
    labels = {
        "framework": "lend_an_ear",
        "group": "all" if suffix else group,
        "n_items": len(openings),
        "n_ratings": len(chosen) // len(found),
    }
    rows = []
    for (dimension, test), p in zip(found.items(), adjusted):
        labels["dimension"] = dimension
        values = {"h": test.statistic, "p": test.pvalue, "p_adjusted": p}
        rows += _one_each(labels, "kruskal_wallis_", values, suffix)
    return rows


def _one_each(labels, name, values, suffix):
    return [
        {**labels, "statistic": f"{name}{ending}{suffix}", "estimate": value}
        for ending, value in values.items()
    ]


def verbosity_table(ratings: pd.DataFrame, words: pd.DataFrame) -> pd.DataFrame:
    """Slope of the ratings on the number of words of the supporter.

    Slopes in scale points a word, p, and p adjusted over the 21 dimensions (Benjamini-Hochberg).
    Published: the experts and their median as 200 independent rows; Gemini. Plain: one row a
    conversation (mean of the experts; each model; the crowd) with errors that allow for unequal
    variance (HC3).
    """
    data = with_reference(ratings).merge(words, on=["framework", "item"], validate="many_to_one")
    published = {"expert": [*EXPERTS, MEDIAN], "gemini": ["gemini"]}
    plain = {"expert": list(EXPERTS), **{r: [r] for r in (*MODELS, "crowd")}}
    rows = []
    for group, raters in published.items():
        rows += _slopes(data[data["rater"].isin(raters)], group, "_published")
    for group, raters in plain.items():
        chosen = data[data["rater"].isin(raters)]
        keys = ["framework", "dimension", "item", "words"]
        means = chosen.groupby(keys, sort=False, as_index=False)["rating"].mean()
        rows += _slopes(means, group, "")
    return _results(rows)


def _slopes(data, group, suffix):
    fits = {}
    for key, part in data.groupby(["framework", "dimension"], sort=False):
        fit = line(part["rating"], part["words"]).fit(cov_type="nonrobust" if suffix else "HC3")
        fits[key] = fit, part
    adjusted = multipletests([fit.pvalues[1] for fit, _ in fits.values()], method="fdr_bh")[1]
    rows = []
    for ((framework, dimension), (fit, part)), p in zip(fits.items(), adjusted):
        labels = {
            "framework": framework,
            "dimension": dimension,
            "group": group,
            "n_items": part["item"].nunique(),
            "n_ratings": len(part),
        }
        values = {"": fit.params[1], "_p": fit.pvalues[1], "_p_adjusted": p}
        slope, *tests = _one_each(labels, "ols_slope", values, suffix)
        slope["low"], slope["high"] = fit.conf_int()[1]
        rows += [slope, *tests]
    return rows


def line(y: pd.Series, x: pd.Series) -> sm.OLS:
    """A straight line with an intercept, not fitted yet."""
    return sm.OLS(y.to_numpy(float), sm.add_constant(x.to_numpy(float)))


def vif_table(ratings: pd.DataFrame) -> pd.DataFrame:
    """Variance inflation factor of each dimension given the others of its framework.

    From the experts' ratings, 150 stacked rows. Published: without an intercept, which inflates
    every factor. Plain: with an intercept.
    """
    rows = []
    for framework, wide in expert_rows(ratings):
        labels = {"framework": framework, "group": "expert", "n_ratings": len(wide)}
        labels["n_items"] = wide.index.get_level_values("item").nunique()
        for statistic, matrix in (("vif_published", wide), ("vif", wide - wide.mean())):
            rows += [
                {**labels, "statistic": statistic, "dimension": dimension, "estimate": factor}
                for dimension, factor in zip(wide, _inflation(matrix.to_numpy()))
            ]
    return _results(rows)


def _inflation(columns):
    """1 / (1 - R^2) of each column given the others: the diagonal of the inverse.

    Not statsmodels' `variance_inflation_factor`: since 0.15 it centres the columns
    by default and did not before, so the same call gives two different numbers.
    """
    unit = columns / np.linalg.norm(columns, axis=0)
    return np.diag(np.linalg.inv(unit.T @ unit))


def _results(rows):
    """Rows as a frame with the columns of the contract."""
    text = (*RESULT[:6], *RESULT[-2:])
    empty = dict.fromkeys(text, "") | {"low": np.nan, "high": np.nan}
    return pd.DataFrame([empty | row for row in rows], columns=RESULT)
