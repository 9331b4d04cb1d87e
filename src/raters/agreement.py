"""Agreement over all dimensions at once: within groups, and between two raters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby

import numpy as np
import pandas as pd
from scipy import stats

from raters.coefficients import MANY, PAIR, Sums, chosen
from raters.coefficients.base import jackknife_error, notes, ratio
from raters.errors import RatingsError
from raters.frames import check_ratings, tables
from raters.resampling import bca_interval, multiplicities, percentile_interval

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


_ASK = "is a scale reversed? The ratings are used as they are"
INTERVALS = ("percentile", "bca", "jackknife", "analytic")
_NO_INTERVAL = {
    "jackknife": "no jackknife interval: one item only, or not defined without one of the items",
    "analytic": "no analytic interval: too few items, or ratings that leave no error to estimate",
}
_COLUMNS_AT_ONCE = 2048  # of totals in one product of matrices: enough to be fast, few to hold


@dataclass(frozen=True)
class _Row:
    """One result with its bootstrap values, before it becomes a row of the frame.

    `without` is the coefficient without one item, for every item of the framework, so
    that means and differences of results have theirs; `counted` says which of the items
    matter. Both are empty where the interval does not need them.
    """

    labels: dict
    estimate: float
    draws: np.ndarray
    without: np.ndarray
    counted: np.ndarray
    n_items: int
    n_ratings: int
    note: str
    sums: Sums | None = None


def agreement(
    ratings: pd.DataFrame,
    scale,
    statistics: str | Sequence[str] = "krippendorff_alpha_interval",
    groups: dict[str, Sequence[str]] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
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
    interval : {"percentile", "bca", "jackknife", "analytic"}
        How the intervals are made: from resampled items (percentile, or bias-corrected
        and accelerated), from the estimate and its leave-one-item-out standard error,
        or by the formula that the field prints.
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
    comparisons = _within(groups, names)
    run = _Run(statistics, MANY, resamples, seed, level, interval)
    return run.frame(run.rows(tables(ratings, scale, names), comparisons), mean)


def pairwise(
    ratings: pd.DataFrame,
    scale,
    statistics: str | Sequence[str] = "weighted_kappa_quadratic",
    pairs: Iterable[tuple[str, str]] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
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
    resamples, seed, level, interval, mean
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
    names, comparisons = _pairs(ratings, pairs)
    run = _Run(statistics, PAIR, resamples, seed, level, interval)
    return run.frame(run.rows(tables(ratings, scale, names), comparisons), mean)


def compare(
    ratings: pd.DataFrame,
    scale,
    sides: Mapping[str, Sequence],
    statistic: str = "weighted_kappa_quadratic",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
    mean: bool = False,
) -> pd.DataFrame:
    """Differences between results, on the same resamples of items.

    Two intervals that overlap say little about a difference. Here both results are
    computed on each resample and subtracted there.

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales.
    sides : mapping of str to sequence
        Two or more results by name. For a statistic of two raters each is a list of
        pairs, whose mean is taken; for one of many raters a list of raters.
    statistic : str
        One name from `coefficients.PAIR` or `coefficients.MANY`.
    resamples, seed, level, mean
        As in `agreement`.
    interval : {"percentile", "bca", "jackknife"}
        As in `agreement`.

    Returns
    -------
    DataFrame
        The columns of `agreement`: a row for each two sides, ``rater_a`` and
        ``rater_b`` their names, ``estimate`` the first less the second.

    Raises
    ------
    RatingsError
        From `check_ratings`; fewer than two sides; an unknown statistic or rater.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 3, "rater": list("aaaabbbbcccc"),
    ...                       "rating": [1, 2, 4, 3, 1, 3, 4, 3, 4, 1, 2, 2]})
    >>> sides = {"b with a": [("a", "b")], "c with a": [("a", "c")]}
    >>> compare(frame, Scale([1, 2, 3, 4]), sides, resamples=0).estimate.round(3).tolist()
    [1.4]
    """
    ratings = check_ratings(ratings, scale)
    if not isinstance(sides, Mapping) or len(sides) < 2:
        raise RatingsError(
            f"the sides {sides!r}",
            "a mapping with two or more names",
            "name what is to be compared: {'model': [...], 'experts': [...]}",
        )
    if interval == "analytic":
        raise RatingsError(
            "interval='analytic' for a difference",
            ", ".join(INTERVALS[:-1]),
            "choose one of these: formulas for single results say nothing about differences",
        )
    known = PAIR if statistic in PAIR else MANY
    if known is PAIR:
        members = {name: list(pairs) for name, pairs in sides.items()}
        flat = list(dict.fromkeys(pair for pairs in members.values() for pair in pairs))
        names, comparisons = _pairs(ratings, flat)
    else:
        groups = _checked(sides)
        members = {name: [name] for name in groups}
        names = list(dict.fromkeys(rater for raters in groups.values() for rater in raters))
        comparisons = _within(groups, names)
    run = _Run(statistic, known, resamples, seed, level, interval)
    rows = run.rows(tables(ratings, scale, names), comparisons)
    return run.frame(_differences(rows, members, known is PAIR), mean)


def _pairs(ratings, pairs):
    """The raters of some pairs, and the pairs as labels and columns."""
    same = [pair for pair in pairs if pair[0] == pair[1]]
    if same or not pairs:
        raise RatingsError(
            f"the pair {same[0]}" if same else "no pair of raters",
            "pairs of two different raters",
            "name two raters for each pair",
        )
    names = list(dict.fromkeys(rater for pair in pairs for rater in pair))
    group = ratings.drop_duplicates("rater").set_index("rater")["group"]
    return names, [
        (
            {"rater_a": a, "rater_b": b, "group": f"{group.get(a)}-{group.get(b)}"},
            [names.index(a), names.index(b)],
        )
        for a, b in pairs
    ]


def _within(groups, names):
    """Groups of raters as labels and columns."""
    return [
        ({"rater_a": "", "rater_b": "", "group": group}, [names.index(r) for r in members])
        for group, members in groups.items()
    ]


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


@dataclass(frozen=True)
class _Run:
    """What one call computes, and how it becomes a frame."""

    statistics: object
    known: Mapping
    resamples: int
    seed: int
    level: float
    interval: str

    def __post_init__(self):
        if self.interval not in INTERVALS:
            raise RatingsError(
                f"interval={self.interval!r}", ", ".join(INTERVALS), "name one of these"
            )

    def rows(self, found, comparisons) -> Iterator[_Row]:
        """Every comparison and statistic of every table, on the same draws of items."""
        key = times = None
        for table in found:
            if table.framework != key:
                key = table.framework
                times = self._times(len(table.items), key)
            labelled = []
            for labels, columns in comparisons:
                x = table.values[:, columns]
                functions = chosen(self.statistics, self.known, table.scale)
                where = {"framework": key, "dimension": table.dimension, **labels}
                hint = _backwards(x, [table.raters[c] for c in columns], table.scale)
                for name, function in functions.items():
                    sums = function(x, table.scale)
                    sums = replace(sums, note=notes(sums.note, hint)) if hint else sums
                    labelled.append(({**where, "statistic": name}, sums))
            yield from self._on_resamples(labelled, times)

    def _times(self, n_items, key):
        resamples = self.resamples if self.interval in ("percentile", "bca") else 0
        return multiplicities(n_items, resamples, self.seed, key).T.copy()

    def _on_resamples(self, labelled, times):
        """Many results at once: their terms share one product with the draws."""
        while labelled:
            size = np.cumsum([len(sums.terms) for _, sums in labelled])
            taken = max(1, int(np.searchsorted(size, _COLUMNS_AT_ONCE, side="right")))
            batch, labelled = labelled[:taken], labelled[taken:]
            totals = np.concatenate([sums.terms for _, sums in batch]) @ times
            ends = size[:taken]
            for (labels, sums), start, end in zip(batch, [0, *ends], ends):
                yield self._row(labels, sums, sums.finish(totals[start:end]))

    def _row(self, labels, sums, draws):
        needed = self.interval in ("bca", "jackknife")
        return _Row(
            labels,
            sums.estimate(),
            draws,
            sums.without_each() if needed else np.empty(0),
            np.any(sums.terms != 0, axis=0) if needed else np.empty(0, bool),
            sums.n_items,
            sums.n_ratings,
            sums.note,
            sums,
        )

    def frame(self, rows: Iterable[_Row], mean: bool) -> pd.DataFrame:
        """The rows as a tidy frame; with `mean`, those of each framework's mean too."""
        if mean and self.interval == "analytic":
            raise RatingsError(
                "interval='analytic' for means over dimensions",
                ", ".join(INTERVALS[:-1]),
                "choose one of these, or mean=False",
            )
        if mean:
            by_framework = groupby(rows, key=lambda row: row.labels["framework"])
            rows = (row for _, part in by_framework for row in _with_means(list(part)))
        results = [self._result(row) for row in rows]
        return pd.DataFrame(results, columns=RESULT)

    def _result(self, row):
        said = [row.note] if row.note else []
        low = high = undefined = np.nan
        if np.isfinite(row.estimate):
            low, high, undefined = self._ends(row)
        if undefined > 0:
            said.append(f"undefined on {undefined:.1%} of {row.draws.size} resamples, left out")
        if self.interval == "bca" and row.draws.size and np.isnan(low) and undefined < 1:
            said.append("no BCa interval: every resample lies on one side of the estimate")
        if self.interval in _NO_INTERVAL and np.isfinite(row.estimate) and np.isnan(low):
            said.append(_NO_INTERVAL[self.interval])
        return {
            **row.labels,
            "estimate": row.estimate,
            "low": low,
            "high": high,
            "n_items": row.n_items,
            "n_ratings": row.n_ratings,
            "note": "; ".join(said),
        }

    def _ends(self, row):
        """Low, high, and the share of resamples on which the coefficient is undefined."""
        if self.interval == "analytic":
            return *row.sums.analytic_interval(self.level), 0.0
        if self.interval == "jackknife":
            reach = stats.norm.ppf((1 + self.level) / 2) * jackknife_error(row.without[row.counted])
            return row.estimate - reach, row.estimate + reach, 0.0
        low, high, undefined = percentile_interval(row.draws, self.level)
        if self.interval == "bca":
            without = row.without[row.counted]
            low, high = bca_interval(row.draws, row.estimate, without, self.level)
        return low, high, undefined


def _backwards(x, raters, scale):
    """A hint at raters who seem to run the scale from the other end.

    Chance gives correlations near 0, not far below it: so the mean correlation with
    the others has to be below -0.3, and below twice the spread that chance gives it.
    """
    if scale.measurement == "nominal":
        return ""
    if len(x) and np.isfinite(x).all():  # the quick way out: all rise together
        centred = x - x.mean(axis=0)
        if (centred.T @ centred >= 0).all():
            return ""
    there = np.isfinite(x)
    filled = np.where(there, x - (scale.low + scale.high) / 2, 0.0)
    there = there.astype(float)
    # Sums over the items that both rated, for all pairs of raters at once.
    n, s, ss = there.T @ there, filled.T @ there, (filled**2).T @ there
    spread = np.sqrt(np.maximum(n * ss - s**2, 0.0))
    r = ratio(n * (filled.T @ filled) - s * s.T, spread * spread.T, n**2 * scale.high**2)
    np.fill_diagonal(r, np.nan)
    known = np.isfinite(r)
    mean = ratio(np.where(known, r, 0.0).sum(axis=1), known.sum(axis=1), 0.0)
    fewest = np.where(known, n, np.inf).min(axis=1)
    against = [name for name, m, few in zip(raters, mean, fewest) if m < -max(0.3, 2 / few**0.5)]
    if not against:
        return ""
    if len(raters) == 2:
        return f"{raters[0]} and {raters[1]} run against each other (r = {r[0, 1]:.2f}): {_ASK}"
    return f"{' and '.join(against)} against the other raters: {_ASK}"


def _with_means(rows):
    """The rows of a framework, and behind them the means over its dimensions."""
    kinds = {}
    for row in rows:
        labels = {**row.labels, "dimension": MEAN}
        kinds.setdefault(tuple(labels.values()), (labels, []))[1].append(row)
    return rows + [_mean(labels, members) for labels, members in kinds.values()]


def _mean(labels, members, over="dimension"):
    """The mean of some results, resample by resample."""
    undefined = [row.labels[over] for row in members if np.isnan(row.estimate)]
    return _Row(
        labels,
        float(np.mean([row.estimate for row in members])),
        np.mean([row.draws for row in members], axis=0),
        np.mean([row.without for row in members], axis=0),
        np.any([row.counted for row in members], axis=0),
        max(row.n_items for row in members),
        sum(row.n_ratings for row in members),
        f"not defined: no value for {', '.join(undefined)}" if undefined else "",
    )


def _differences(rows, members, paired):
    """For every dimension: the sides' means, and each two of them subtracted."""

    found = {}
    for row in rows:
        labels = row.labels
        name = (labels["rater_a"], labels["rater_b"]) if paired else labels["group"]
        found.setdefault((labels["framework"], labels["dimension"]), {})[name] = row
    for (framework, dimension), key in found.items():
        statistic = next(iter(key.values())).labels["statistic"]
        sides = {
            name: _mean({}, [key[one] for one in which], "rater_b" if paired else "group")
            for name, which in members.items()
        }
        for (a, first), (b, second) in combinations(sides.items(), 2):
            labels = {"framework": framework, "dimension": dimension, "rater_a": a, "rater_b": b}
            labels |= {"group": "difference", "statistic": statistic}
            yield _Row(
                labels,
                first.estimate - second.estimate,
                first.draws - second.draws,
                first.without - second.without,
                first.counted | second.counted,
                min(first.n_items, second.n_items),
                first.n_ratings + second.n_ratings,
                "; ".join(filter(None, (first.note, second.note))),
            )
