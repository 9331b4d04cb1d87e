"""Agreement over all dimensions at once: within groups, and between two raters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from raters.coefficients import MANY, PAIR, chosen
from raters.errors import RatingsError
from raters.frames import check_ratings, tables
from raters.resampling import multiplicities, percentile_interval

RESULT = [
    "framework",
    "dimension",
    "rater_a",
    "rater_b",
    "group",
    "statistic",
    "estimate",
    "low",
    "high",
    "n_items",
    "n_ratings",
    "note",
]
MEAN = "mean of dimensions"


@dataclass(frozen=True)
class _Row:
    """One result with its bootstrap values, before it becomes a row of the frame."""

    labels: dict
    estimate: float
    draws: np.ndarray
    n_items: int
    n_ratings: int
    note: str


def agreement(
    ratings: pd.DataFrame,
    scale,
    statistics: str | Sequence[str] = "krippendorff_alpha_interval",
    groups: dict[str, Sequence[str]] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = False,
) -> pd.DataFrame:
    """Agreement among the raters of each group, for every dimension.

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales.
    statistics : str or sequence of str
        Names from `coefficients.MANY`.
    groups : dict, optional
        Name to raters. Default: the groups of the frame with two raters or more.
    resamples : int
        Bootstrap resamples of items; 0 gives no interval.
    seed : int
        Seed of the resamples.
    level : float
        Coverage of the intervals.
    mean : bool
        Also the mean over the dimensions of each framework, on the same resamples.

    Returns
    -------
    DataFrame
        One row a framework, dimension, group and statistic, with the columns
        ``framework, dimension, rater_a, rater_b, group, statistic, estimate, low,
        high, n_items, n_ratings, note``.

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown statistic or rater; no group to compare,
        or one with fewer than two raters or with a rater twice.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3] * 2, "rater": ["a"] * 3 + ["b"] * 3,
    ...                       "rating": [1, 2, 4, 1, 3, 4]})
    >>> result = agreement(frame, Scale([1, 2, 3, 4]), resamples=200)
    >>> result.estimate.round(3).tolist()
    [0.912]
    """
    ratings = check_ratings(ratings, scale)
    groups = _groups(ratings) if groups is None else _checked(groups)
    names = list(dict.fromkeys(rater for members in groups.values() for rater in members))
    comparisons = [
        ({"rater_a": "", "rater_b": "", "group": group}, [names.index(r) for r in members])
        for group, members in groups.items()
    ]
    found = tables(ratings, scale, names)
    rows = _evaluate(found, comparisons, statistics, MANY, resamples, seed)
    return _frame(_with_means(rows) if mean else rows, level)


def pairwise(
    ratings: pd.DataFrame,
    scale,
    statistics: str | Sequence[str] = "weighted_kappa_quadratic",
    pairs: Iterable[tuple[str, str]] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = False,
) -> pd.DataFrame:
    """Agreement of two raters, for every pair and dimension.

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales.
    statistics : str or sequence of str
        Names from `coefficients.PAIR`, or ``"f1_weighted_at_least"``. Of F1 the
        first rater of a pair is the reference.
    pairs : iterable of (str, str), optional
        Default: all pairs, raters sorted by name.
    resamples, seed, level, mean
        As in `agreement`.

    Returns
    -------
    DataFrame
        The columns of `agreement`; ``group`` is the two raters' groups, such as
        ``"expert-llm"``.

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown statistic or rater; a rater paired with
        itself.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3] * 2, "rater": ["a"] * 3 + ["b"] * 3,
    ...                       "rating": [1, 2, 4, 1, 3, 4]})
    >>> pairwise(frame, Scale([1, 2, 3, 4]), resamples=0).estimate.round(3).tolist()
    [0.897]
    """
    ratings = check_ratings(ratings, scale)
    pairs = list(pairs) if pairs is not None else list(combinations(sorted(set(ratings.rater)), 2))
    same = [pair for pair in pairs if pair[0] == pair[1]]
    if same or not pairs:
        raise RatingsError(
            f"the pair {same[0]}" if same else "no pair of raters",
            "pairs of two different raters",
            "name two raters for each pair",
        )
    names = list(dict.fromkeys(rater for pair in pairs for rater in pair))
    group = ratings.drop_duplicates("rater").set_index("rater")["group"]
    found = tables(ratings, scale, names)
    comparisons = [
        (
            {"rater_a": a, "rater_b": b, "group": f"{group.get(a)}-{group.get(b)}"},
            [names.index(a), names.index(b)],
        )
        for a, b in pairs
    ]
    rows = _evaluate(found, comparisons, statistics, PAIR, resamples, seed)
    return _frame(_with_means(rows) if mean else rows, level)


def _groups(ratings):
    members = ratings.drop_duplicates(["group", "rater"]).groupby("group", sort=False)["rater"]
    groups = {name: sorted(raters) for name, raters in members if len(raters) > 1}
    if not groups:
        raise RatingsError(
            f"the raters {sorted(set(ratings.rater))}",
            "a group of two raters or more",
            "add raters, or name the groups: groups={'all': [...]}",
        )
    return groups


def _checked(groups):
    """The named groups, each with two or more different raters."""
    wrong = {name: list(raters) for name, raters in groups.items()}
    wrong = {n: r for n, r in wrong.items() if len(r) < 2 or len(set(r)) < len(r)}
    if wrong or not groups:
        name = next(iter(wrong), None)
        raise RatingsError(
            f"the group {name!r} with the raters {wrong[name]}" if wrong else "no group",
            "groups of two raters or more, each rater once in a group",
            "name them: groups={'all': ['a', 'b']}, or leave groups out",
        )
    return groups


def _evaluate(found, comparisons, statistics, known, resamples, seed):
    """Every comparison and statistic of every table, on the same draws of items."""
    draws = {}
    rows = []
    for table in found:
        key = table.framework
        if key not in draws:
            draws[key] = multiplicities(len(table.items), resamples, seed, key)
        functions = chosen(statistics, known, table.scale)
        for labels, columns in comparisons:
            for statistic, function in functions.items():
                sums = function(table.values[:, columns], table.scale)
                rows.append(
                    _Row(
                        {
                            "framework": key,
                            "dimension": table.dimension,
                            **labels,
                            "statistic": statistic,
                        },
                        sums.estimate(),
                        sums.finish(draws[key] @ sums.terms),
                        sums.n_items,
                        sums.n_ratings,
                        sums.note,
                    )
                )
    return rows


def _with_means(rows):
    """The rows, and behind each framework the means over its dimensions."""
    result = []
    for framework in dict.fromkeys(row.labels["framework"] for row in rows):
        here = [row for row in rows if row.labels["framework"] == framework]
        result += here
        kinds = {}
        for row in here:
            labels = {**row.labels, "dimension": MEAN}
            kinds.setdefault(tuple(labels.values()), (labels, []))[1].append(row)
        result += [_mean(labels, members) for labels, members in kinds.values()]
    return result


def _mean(labels, members):
    undefined = [row.labels["dimension"] for row in members if np.isnan(row.estimate)]
    return _Row(
        labels,
        float(np.mean([row.estimate for row in members])),
        np.mean([row.draws for row in members], axis=0),
        max(row.n_items for row in members),
        sum(row.n_ratings for row in members),
        f"not defined: no value for {', '.join(undefined)}" if undefined else "",
    )


def _frame(rows, level):
    return pd.DataFrame([_result(row, level) for row in rows], columns=RESULT)


def _result(row, level):
    low, high, undefined = percentile_interval(row.draws, level)
    notes = [row.note] if row.note else []
    if np.isnan(row.estimate):
        low = high = np.nan
    elif undefined:
        notes.append(f"undefined on {undefined:.1%} of {row.draws.size} resamples, left out")
    return {
        **row.labels,
        "estimate": row.estimate,
        "low": low,
        "high": high,
        "n_items": row.n_items,
        "n_ratings": row.n_ratings,
        "note": "; ".join(notes),
    }
