"""The four crowds of the study: who they are, one rater or many, beside experts and models.

The study's frame holds one crowd rating an item, mostly a mean. The single ratings behind
it are there for two of the four frameworks; from them follows what the mean of more
raters would be worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from judging_empathy.data.names import CROWD, EXPERTS, MEDIAN, scales
from judging_empathy.tables import KAPPA
from raters.coefficients import PAIR
from raters.coefficients.base import ratio
from raters.draws import multiplicities
from raters.errors import RatingsError
from raters.frames import check_ratings, with_reference
from raters.judges import calibration, gain_from_raters, level_and_order
from raters.matrices import tables
from raters.results import Estimate, difference, mean_of, to_frame, with_means

CENTRED = "weighted_kappa_quadratic_centred"
# How many raters' mean is looked at; a hundred stands for as many as one likes.
K = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
_MADE_UP = "simulated single ratings: three for each item, with its simulated mean"
_WHERE = ["framework", "dimension"]


# --- single ratings -----------------------------------------------------------------


def with_experts(single: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """Single ratings of the crowd and the experts' ratings of the same frameworks.

    One long frame; `single` is `Study.single_ratings` or a part of it.
    """
    experts = ratings[ratings["group"] == "expert"]
    known = single[[*_WHERE, "item"]].drop_duplicates()
    return pd.concat([single, experts.merge(known)], ignore_index=True)


def who(ratings: pd.DataFrame, single: pd.DataFrame, rating_counts: pd.DataFrame) -> pd.DataFrame:
    """How many single ratings stand behind the crowd of each framework.

    One row a framework: ``framework``; ``ratings`` (single ones), ``per_rating`` (how many behind
    one number of the study's frame, on average), ``fewest, most`` (NaN where single ratings are
    not there), ``whole`` (share of whole numbers), ``how`` (``counted``, ``inferred`` or
    ``simulated``).
    """
    single = single.dropna(subset="rating")
    crowd = ratings[ratings["rater"] == CROWD]
    behind = single.groupby([*_WHERE, "item"]).size().groupby("framework").agg(["min", "max"])
    frame = rating_counts[rating_counts["group"] == CROWD].set_index("framework")
    if ratings.attrs["study"] != "published":
        made_up = single.groupby("framework").size().reindex(frame.index)
        frame["ratings"] = made_up.fillna(frame["values"]).astype(int)
    # One consolidated label: nothing to count behind it.
    frame[["fewest", "most"]] = behind.reindex(frame.index)
    frame["per_rating"] = frame["ratings"] / frame["values"]
    frame["whole"] = (crowd["rating"] % 1 == 0).groupby(crowd["framework"], sort=False).mean()
    columns = ["ratings", "per_rating", "fewest", "most", "whole", "how"]
    return frame[columns].rename_axis("framework").reset_index().astype({"ratings": int})


# --- the mean of k raters -------------------------------------------------------------


def gain(
    ratings: pd.DataFrame,
    single: pd.DataFrame,
    resamples: int,
    seed: int,
    k: Sequence[float] = (*K, np.inf),
) -> pd.DataFrame:
    """What the mean of k raters of the crowd is worth, against the expert median.

    As `gain_from_raters`; `k` holds numbers of raters.
    """
    both, how = with_experts(single, ratings), {"resamples": resamples, "seed": seed}
    return gain_from_raters(both, scales(), CROWD, k, criterion="expert", **how)


def observed_gain(
    ratings: pd.DataFrame,
    single: pd.DataFrame,
    framework: str,
    resamples: int,
    seed: int,
    most: int = 3,
    panels: int = 50,
) -> pd.DataFrame:
    """Kappa of the mean of k raters with the expert median: drawn, and by formula.

    ``framework, dimension, n_raters, how, estimate, low, high, n_items, n_ratings, note``; ``how``
    is ``drawn`` or ``formula`` (`gain_from_raters` on the same items). Also the mean over the
    dimensions. `framework` has to have single ratings. Items with fewer than `most` of them, the
    largest k, are left out, so that all k have the same items. From each item k raters are drawn
    `panels` times, and their kappas are averaged.

    An error says that no item has as many ratings.
    """
    single = single[(single["framework"] == framework) & single["rating"].notna()]
    size = single.groupby([*_WHERE, "item"])["rating"].transform("size")
    single = single[size >= most]
    if single.empty:
        raise RatingsError(
            f"no item of {framework} with {most} single ratings",
            "a framework of single_ratings, and so many raters as it has",
            "choose a smaller most=",
        )
    both = with_reference(with_experts(single, ratings))
    results = []
    for table in tables(both, scales(), [*sorted(set(single["rater"])), MEDIAN]):
        rng = np.random.default_rng([seed, len(table.items)])
        times = multiplicities(len(table.items), resamples, seed, table.framework)
        drawn = [_means_of_drawn(table.values[:, :-1], most, rng) for _ in range(panels)]
        for k in range(1, most + 1):
            labels = {"framework": framework, "dimension": table.dimension, "n_raters": k}
            found = []
            for means in drawn:
                x = np.column_stack([table.values[:, -1], means[:, k - 1]])
                sums = PAIR[KAPPA](x, table.scale)
                size = (sums.n_items, sums.n_items * (k + 1))
                found.append(Estimate(labels, sums.estimate(), sums.resampled(times), *size))
            results.append(mean_of(labels, found))
    drawn = to_frame(with_means(results), [*_WHERE, "n_raters"], 0.95).assign(how="drawn")
    formula = gain(ratings, single, resamples, seed, range(1, most + 1))
    formula = formula[formula["statistic"] == KAPPA].assign(how="formula")
    columns = [
        *_WHERE,
        "n_raters",
        "how",
        "estimate",
        "low",
        "high",
        "n_items",
        "n_ratings",
        "note",
    ]
    return pd.concat([drawn, formula], ignore_index=True)[columns].astype({"n_raters": int})


def _means_of_drawn(x, most, rng):
    """The means of the first 1, 2, ... of each item's raters in a random order."""
    order = rng.random(x.shape)
    order[np.isnan(x)] = np.inf
    first = np.argsort(order, axis=1)[:, :most]
    chosen = np.take_along_axis(x, first, axis=1)
    return np.cumsum(chosen, axis=1) / np.arange(1, most + 1)


# --- as good as one expert ---------------------------------------------------------------


def against_one_expert(
    ratings: pd.DataFrame, single: pd.DataFrame, resamples: int, seed: int, k: Sequence[float] = K
) -> pd.DataFrame:
    """The mean of k raters of the crowd beside one expert, before another expert.

    ``framework, dimension, statistic, n_raters, quantity, estimate, low, high, n_items, n_ratings,
    note``. Quantities: ``crowd`` (the mean over the experts of the agreement of one of them with
    the mean of k raters), ``experts`` (the mean over the pairs of experts) and ``difference``, on
    the same resamples. Statistics: quadratic kappa, the same without the shift of level, and
    ``correlation`` (Pearson). `k` holds numbers of raters.

    As in `gain_from_raters`: the covariance with an expert does not depend on k, and the
    variance of the mean is T + W / k (Spearman, 1910; Brown, 1910).
    """
    results = _beside_one_expert(ratings, single, resamples, seed, k)
    return to_frame(results, [*_WHERE, "statistic", "n_raters", "quantity"], 0.95)


def _beside_one_expert(ratings, single, resamples, seed, k):
    both = check_ratings(with_experts(single, ratings), scales())
    people = sorted(set(single["rater"]))
    results = []
    for table in tables(both, scales(), [*people, *EXPERTS]):
        n = len(table.items)
        times = multiplicities(n, resamples, seed, table.framework)
        # The ratings as they are come first, then the resamples.
        times = np.vstack([np.ones(n), times])
        x, experts = table.values[:, : len(people)], table.values[:, len(people) :].T
        crowd = [times @ _terms(x, y) for y in experts]
        pairs = [times @ _terms(a[:, None], b) for a, b in combinations(experts, 2)]
        size = n, int(np.isfinite(table.values).sum())
        among_experts = _mean(pairs, 1)
        for one in k:
            sides = {"crowd": _mean(crowd, one), "experts": among_experts}
            for statistic in sides["crowd"]:
                labels = {"framework": table.framework, "dimension": table.dimension}
                labels |= {"statistic": statistic, "n_raters": float(one)}
                found = {}
                for name, values in sides.items():
                    estimate, draws = float(values[statistic][0]), values[statistic][1:]
                    found[name] = Estimate({**labels, "quantity": name}, estimate, draws, *size)
                labels["quantity"] = "difference"
                results += [*found.values(), difference(labels, found["crowd"], found["experts"])]
    return with_means(results)


def _terms(x, y):
    """Per item: 1, mean, its square, squares within, degrees of freedom, 1 / m, y, y^2, xy."""
    there = np.isfinite(x)
    m = there.sum(axis=1)
    used = (m > 0) & np.isfinite(y)
    origin = np.rint(np.nanmean(x))  # small numbers, so that differences of sums stay exact
    inside = np.where(there, x - origin, 0.0)
    item = ratio(inside.sum(axis=1), m, 0.0)
    squares = np.where(there, (inside - item[:, None]) ** 2, 0.0).sum(axis=1)
    c = y - origin
    with np.errstate(divide="ignore"):
        parts = [np.ones(len(x)), item, item**2, squares, m - 1, 1 / m, c, c * c, item * c]
    return np.where(used, np.array(parts, float), 0.0).T


def _mean(totals, k):
    """The mean over some raters y of each agreement with the mean of k raters x."""
    found = [_agreement(total.T, k) for total in totals]
    return {name: np.mean([one[name] for one in found], axis=0) for name in found[0]}


def _agreement(t, k):
    n, a, aa, ss, df, inverse, c, cc, ac = t

    def covariance(sum_of_products, one, other):
        return (sum_of_products - one * other / n) / (n - 1)

    # One rater an item (an expert) leaves no degrees of freedom: that rating as it is.
    within = np.where(df > 0, ss / np.maximum(df, 1), 0.0)
    true = np.maximum(covariance(aa, a, a) - within * inverse / n, 0.0)
    of_mean, of_other = true + within / k, covariance(cc, c, c)
    of_mean = np.where(of_mean > 0, of_mean, np.nan)
    shared, shrink, shift = covariance(ac, a, c), (n - 1) / n, (a - c) / n
    both = shrink * (of_mean + of_other)
    correlation = shared / np.sqrt(np.where(of_other > 0, of_mean * of_other, np.nan))
    return {
        KAPPA: 2 * shrink * shared / (both + shift**2),
        CENTRED: 2 * shrink * shared / both,
        "correlation": correlation,
    }


def raters_needed(
    ratings: pd.DataFrame,
    single: pd.DataFrame,
    resamples: int,
    seed: int,
    k: Sequence[float] = tuple(range(1, 101)),
) -> pd.DataFrame:
    """How many raters of the crowd agree with an expert as another expert does.

    ``framework, dimension, statistic, estimate, low, high, never, n_items``: the smallest k whose
    mean reaches the expert pairs, its 95 % interval, and the share of resamples where none of `k`
    does. Not reached is ``inf``. Not a number where fewer than half of the resamples have a value.
    `k` increases.
    """
    kinds = {}
    for result in _beside_one_expert(ratings, single, resamples, seed, k):
        if result.labels["quantity"] == "difference":
            key = tuple(result.labels[c] for c in [*_WHERE, "statistic"])
            kinds.setdefault(key, []).append(result)
    rows = []
    for key, members in kinds.items():
        first = _first(np.array([[one.estimate, *one.draws] for one in members]), k)
        low, high, never = _ends_of(first[1:])
        row = dict(zip([*_WHERE, "statistic"], key))
        row |= {"estimate": first[0], "low": low, "high": high, "never": never}
        rows.append(row | {"n_items": members[0].n_items})
    return pd.DataFrame(rows)


def _first(gaps, k):
    """The first k without a gap, for each column; inf if none, NaN where nothing is defined."""
    reached = gaps >= 0
    first = np.where(reached.any(axis=0), np.array(k, float)[reached.argmax(axis=0)], np.inf)
    return np.where(np.isnan(gaps).all(axis=0), np.nan, first)


def _ends_of(draws):
    there = draws[~np.isnan(draws)]
    if there.size <= draws.size / 2:
        return np.nan, np.nan, np.nan
    # No interpolation: infinity is among the values.
    low, high = np.quantile(there, [0.025, 0.975], method="inverted_cdf")
    return low, high, np.isinf(there).mean()


# --- the file -----------------------------------------------------------------------


def crowd_table(
    ratings: pd.DataFrame, single: pd.DataFrame, resamples: int, seed: int
) -> pd.DataFrame:
    """What the book says about the crowd, in one tidy frame.

    ``question, framework, dimension, statistic, quantity, n_raters, estimate, low, high, n_items,
    n_ratings, note``. Questions: ``mean of k raters`` (`gain`), ``as good as one expert``
    (`against_one_expert`), ``raters needed`` (`raters_needed`), ``level and order``
    (`level_and_order` of the crowd with the expert median) and ``held-out shift`` (kappa before
    and after a shift that is learned on other items). ``n_raters`` is empty where the crowd is as
    the study has it.
    """
    both, how = (ratings, single), {"resamples": resamples, "seed": seed}
    level = level_and_order(ratings, scales(), CROWD, **how)
    shift = calibration(ratings, scales(), CROWD, methods="shift", statistics=KAPPA, **how)
    parts = {
        "mean of k raters": gain(*both, **how),
        "as good as one expert": against_one_expert(*both, **how),
        "raters needed": _with_never(raters_needed(*both, **how)),
        "level and order": level,
        "held-out shift": shift,
    }
    columns = ["question", *_WHERE, "statistic", "quantity", "n_raters", "estimate"]
    columns += ["low", "high", "n_items", "n_ratings", "note"]
    frame = pd.concat(
        [part.assign(question=name) for name, part in parts.items()], ignore_index=True
    ).reindex(columns=columns)
    frame[["quantity", "note"]] = frame[["quantity", "note"]].fillna("")
    frame["n_ratings"] = frame["n_ratings"].astype("Int64")
    if ratings.attrs["study"] != "published":
        made_up = frame["question"].isin(list(parts)[:3])
        said = frame["note"].where(frame["note"] == "", frame["note"] + "; ") + _MADE_UP
        frame["note"] = frame["note"].where(~made_up, said)
    frame.attrs = dict(ratings.attrs)
    return frame


def _with_never(needed):
    """The share of resamples without an answer, said in the note."""
    said = [
        "not defined: too few resamples have a value"
        if np.isnan(never)
        else f"not reached with a hundred raters on {never:.1%} of the resamples"
        for never in needed["never"]
    ]
    return needed.assign(note=said)
