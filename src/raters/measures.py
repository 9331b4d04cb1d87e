"""Agreement over all dimensions at once: within groups, and between two raters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, groupby

import numpy as np
import pandas as pd
import scipy

from raters.coefficients import MANY, NEEDS_RATERS, PAIR, Ratings, Sums, chosen
from raters.coefficients.base import notes, ratio
from raters.coefficients.ratings import centre
from raters.draws import Draws
from raters.errors import RatingsError
from raters.frames import checked, lost_to_pandas
from raters.intervals import bca_test, check_level, normal_test, percentile_test
from raters.matrices import Matrix, groups_of, tables
from raters.multiplicity import adjusted
from raters.patterns import Counted, counted_table
from raters.permutations import permutation_test
from raters.results import (
    DIFFERENCE,
    MEAN,
    PAIRS,
    RESULT,
    Estimate,
    Results,
    difference,
    estimates,
    mean_of,
)
from raters.scale import SAME

_ASK = "is a scale reversed? The ratings are used as they are"
INTERVALS = ("percentile", "bca", "jackknife", "analytic")
_NO_INTERVAL = {
    "jackknife": "no jackknife interval: one item only, or not defined without one of the items",
    "analytic": "no analytic interval: too few items, or ratings that leave no error to estimate",
}
# More draws of items than this (80 MB) are taken over patterns instead, which are fewer.
_MANY_DRAWS = 10_000_000
# Coefficients of which 0 is not what chance gives: there is no test of 0. Raters who guess
# have a high AC1 where one level is common (chapter 8), and so have AC2 and Brennan-Prediger.
_NO_TEST = (
    "percent_agreement",
    "mean_percent_agreement",
    "f1_",
    "gwet_ac",
    "brennan_prediger",
)
_W = "kendall_w"  # chance gives 1/k, never 0
# Coefficients that are 1 only where nobody differs on any item: others are blind to level.
_SEES_ALL = {*PAIR, *MANY} - {
    "spearman_rho",
    "kendall_tau_b",
    "weighted_kappa_quadratic_centred",
    "mean_difference",
    "kendall_w",
    "icc3",
    "icc3k",
}
# Permuting the ratings of a rater over the items leaves this one as it is.
_NOT_PERMUTED = "mean_difference"


def agreement(
    ratings: pd.DataFrame | Counted,
    scale=None,
    statistics: str | Sequence[str] = "krippendorff_alpha_interval",
    groups: dict[str, Sequence[str]] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
    mean: bool = False,
    test: str | None = None,
) -> pd.DataFrame:
    """Agreement among the raters of each group, for every dimension.

    Parameters
    ----------
    ratings : DataFrame or Counted
        The long frame, see `check_ratings`; or counted patterns of many items, see
        `counted`.
    scale : Scale or mapping
        The declared scale or scales; counted patterns carry theirs, then it is None.
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
    test : {None, "none", "holm", "bonferroni", "bh", "by"}
        Other than None: also the p-value of "no agreement" (differences: of 0), see the notes,
        and with a name other than "none" its value corrected for the number of tests in
        this frame.

    Returns
    -------
    DataFrame
        One row a framework, dimension, group and statistic, with the columns
        ``framework, dimension, rater_a, rater_b, group, statistic, estimate, low,
        high, n_items, n_ratings, note``; with `test` also ``p`` and ``p_adjusted``.

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown statistic or rater; no group to compare,
        or one with fewer than two raters or with a rater twice.

    Notes
    -----
    The p-value of a single result tests "no agreement": each rater's ratings are permuted
    over the items that this rater rated, 1,999 times (at least 199 with very many items),
    see `raters.permutations`. It holds at any number of items, however rare a level is;
    with missing ratings it holds if who is missing does not depend on the rating. With
    ``interval="analytic"`` it is the test that the field prints (kappa: variance under the
    hypothesis; rank correlations, Kendall's W and ICC: their own). Percent agreement, F1,
    AC1, AC2 and Brennan-Prediger have none: 0 is not what chance gives. The p-value of a
    difference, of a mean and of `mean_difference` belongs to the interval: with
    "percentile" and "bca" it is the level at which that interval would just reach 0, with
    "jackknife" that of the estimate over its standard error.

    With so many items that their draws would not fit in memory, items with the same
    ratings are drawn together, which has the same distribution.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3] * 2, "rater": ["a"] * 3 + ["b"] * 3,
    ...                       "rating": [1, 2, 4, 1, 3, 4]})
    >>> result = agreement(frame, Scale([1, 2, 3, 4]), resamples=200)
    >>> result.estimate.round(3).tolist()
    [0.912]
    """
    ratings = _ready(ratings, scale)
    groups = _groups(ratings) if groups is None else _checked(groups)
    names = list(dict.fromkeys(rater for members in groups.values() for rater in members))
    _ask_nobody(ratings, names, statistics)
    comparisons = _within(groups, names)
    run = _Run(statistics, MANY, resamples, seed, level, interval, mean, test)
    run.refuse_places(ratings)
    return run.frame(run.rows(tables(ratings, scale, names), comparisons))


def pairwise(
    ratings: pd.DataFrame | Counted,
    scale=None,
    statistics: str | Sequence[str] = "weighted_kappa_quadratic",
    pairs: Iterable[tuple[str, str]] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
    mean: bool = False,
    test: str | None = None,
    by_group: bool = False,
) -> pd.DataFrame:
    """Agreement of two raters, for every pair and dimension.

    Parameters
    ----------
    ratings : DataFrame or Counted
        The long frame, see `check_ratings`; or counted patterns of many items, see
        `counted`.
    scale : Scale or mapping
        The declared scale or scales; counted patterns carry theirs, then it is None.
    statistics : str or sequence of str
        Names from `coefficients.PAIR`, or ``"f1_weighted_at_least"``. Of F1 the
        first rater of a pair is the reference.
    pairs : iterable of (str, str), optional
        Default: all pairs, raters sorted by name.
    resamples, seed, level, interval, mean, test
        As in `agreement`.
    by_group : bool
        Also the mean over the pairs of each two groups, such as all pairs of an expert
        and a model, on the same resamples: ``rater_a`` is then "mean of pairs". The
        raters of all pairs are then sorted by group first.

    Returns
    -------
    DataFrame
        The columns of `agreement`; ``group`` is the two raters' groups, such as
        ``"expert-llm"``.

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown statistic or rater; a rater paired with
        itself; with `by_group`, pairs of two groups in both directions.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3] * 2, "rater": ["a"] * 3 + ["b"] * 3,
    ...                       "rating": [1, 2, 4, 1, 3, 4]})
    >>> pairwise(frame, Scale([1, 2, 3, 4]), resamples=0).estimate.round(3).tolist()
    [0.897]
    """
    ratings = _ready(ratings, scale)
    group = groups_of(ratings)
    if pairs is None:
        # For means of two groups, all their pairs have to stand the same way round.
        order = (
            sorted(group, key=lambda rater: (group[rater], rater)) if by_group else sorted(group)
        )
        pairs = combinations(order, 2)
    pairs = _two_each(pairs)
    names, comparisons = _pairs(group, pairs)
    _ask_nobody(ratings, names)
    run = _Run(statistics, PAIR, resamples, seed, level, interval, mean, test)
    if by_group:
        _same_way_round(pairs, group)
        run.refuse_analytic("means over pairs", "by_group=False")
    rows = run.rows(tables(ratings, scale, names), comparisons)
    return run.frame(_with_groups(rows, group) if by_group else rows)


def compare(
    ratings: pd.DataFrame | Counted,
    scale,
    sides: Mapping[str, Sequence],
    statistic: str = "weighted_kappa_quadratic",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
    mean: bool = False,
    test: str | None = None,
) -> pd.DataFrame:
    """Differences between results, on the same resamples of items.

    Two intervals that overlap say little about a difference. Here both results are
    computed on each resample and subtracted there.

    Parameters
    ----------
    ratings : DataFrame or Counted
        The long frame, see `check_ratings`; or counted patterns of many items, see
        `counted`.
    scale : Scale or mapping
        The declared scale or scales; counted patterns carry theirs, then it is None.
    sides : mapping of str to sequence
        Two or more results by name. For a statistic of two raters each is a list of
        pairs, whose mean is taken; for one of many raters a list of raters.
    statistic : str
        One name from `coefficients.PAIR` or `coefficients.MANY`.
    resamples, seed, level, mean, test
        As in `agreement`.
    interval : {"percentile", "bca", "jackknife"}
        As in `agreement`.

    Returns
    -------
    DataFrame
        The columns of `agreement`: a row for each two sides, ``rater_a`` and
        ``rater_b`` their names, ``estimate`` the first less the second; ``n_ratings``
        counts the ratings of both sides, shared ones twice.

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
    ratings = _ready(ratings, scale)
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
    known = _verb_of(statistic)
    if known is PAIR:
        members = {name: _two_each(pairs) for name, pairs in sides.items()}
        if not all(members.values()):
            raise RatingsError(
                f"the sides {sides!r}", "one pair of raters or more on each side", "add a pair"
            )
        flat = list(dict.fromkeys(pair for pairs in members.values() for pair in pairs))
        names, comparisons = _pairs(groups_of(ratings), flat)
    else:
        groups = _checked(sides)
        members = {name: [name] for name in groups}
        names = list(dict.fromkeys(rater for raters in groups.values() for rater in raters))
        comparisons = _within(groups, names)
    _ask_nobody(ratings, names, None if known is PAIR else statistic)
    run = _Run(statistic, known, resamples, seed, level, interval, mean, test)
    rows = run.rows(tables(ratings, scale, names), comparisons)
    return run.frame(_differences(rows, members, known is PAIR))


def _ready(ratings, scale):
    """The checked frame; counted patterns were checked when they were counted."""
    if isinstance(ratings, Counted):
        return ratings
    if scale is None:
        raise RatingsError(
            "no scale",
            "a Scale, or a mapping from framework or dimension to Scale",
            "declare it, for example Scale([1, 2, 3, 4, 5])",
        )
    return checked(ratings, scale)


def _ask_nobody(ratings, names, statistics=None):
    """Refuse what asks who gave a rating (None: pairs do) where columns are only places."""
    places = set(getattr(ratings, "exchangeable", ())) & set(names)
    if not places:
        return
    asked = [statistics] if isinstance(statistics, str) else list(statistics or ["a pair"])
    wrong = [name for name in asked if statistics is None or name in NEEDS_RATERS]
    if wrong:
        raise RatingsError(
            f"{wrong[0]} of the columns {sorted(places)}, which are places and no raters",
            "statistics that do not ask who gave a rating: "
            + ", ".join(name for name in MANY if name not in NEEDS_RATERS),
            "choose one of these, or count the ratings by rater (raters=[...])",
        )


def _verb_of(statistic):
    """The coefficients of two raters or of many, whichever the statistic belongs to."""
    for known in (PAIR, MANY):
        if isinstance(statistic, str) and statistic in known:
            return known
    raise RatingsError(
        f"the statistic {statistic!r}",
        "one of " + ", ".join([*PAIR, *MANY]),
        "compare takes one statistic at a time: use one of these names",
    )


def _two_each(pairs):
    """Pairs as tuples of two names."""
    try:
        if isinstance(pairs, (str, Mapping, pd.DataFrame)):
            raise TypeError
        found = [tuple(pair) if not isinstance(pair, str) else (pair,) for pair in pairs]
        if any(len(pair) != 2 or not all(map(_is_name, pair)) for pair in found):
            raise TypeError
    except TypeError:
        raise RatingsError(
            f"the pairs {pairs!r}",
            "a list of pairs, each with two names",
            "put the two names of each pair together: pairs=[('ann', 'bob')]",
        ) from None
    return [tuple(str(name).strip() for name in pair) for pair in found]


def _is_name(name):
    return isinstance(name, (str, int, np.integer)) and not isinstance(name, bool)


def _same_way_round(pairs, group):
    """Refuse pairs of two groups in both directions: their mean would mix both."""
    seen = {(group.get(a), group.get(b)) for a, b in pairs}
    both = [(a, b) for a, b in seen if a != b and (b, a) in seen]
    if both:
        a, b = sorted(map(str, both[0]))
        raise RatingsError(
            f"pairs of the groups {a!r} and {b!r} in both directions",
            "the same group first in all their pairs",
            "turn some of the pairs round",
        )


def _pairs(group, pairs):
    """The raters of some pairs, and the pairs as labels and columns."""
    same = [pair for pair in pairs if pair[0] == pair[1]]
    if same or not pairs:
        raise RatingsError(
            f"the pair {same[0]}" if same else "no pair of raters",
            "pairs of two different raters",
            "name two raters for each pair",
        )
    names = list(dict.fromkeys(rater for pair in pairs for rater in pair))
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
    members = {}
    for rater, group in groups_of(ratings).items():
        members.setdefault(group, []).append(rater)
    groups = {name: sorted(raters) for name, raters in members.items() if len(raters) > 1}
    if not groups:
        raise RatingsError(
            f"the raters {sorted(groups_of(ratings))}",
            "a group of two raters or more",
            "add raters, or name the groups: groups={'all': [...]}",
        )
    return groups


def _checked(groups):
    """The named groups, each with two or more different raters."""
    try:
        if not isinstance(groups, Mapping):
            raise TypeError
        found = {}
        for name, raters in groups.items():
            raters = list(raters) if not isinstance(raters, str) else [None]
            if not all(map(_is_name, raters)):
                raise TypeError
            found[str(name)] = [str(rater).strip() for rater in raters]
    except TypeError:
        raise RatingsError(
            f"the groups {groups!r}",
            "a mapping of names to lists of raters",
            "name them: groups={'all': ['a', 'b']}, or leave groups out",
        ) from None
    wrong = {n: r for n, r in found.items() if len(r) < 2 or len(set(r)) < len(r)}
    if wrong or not found:
        name = next(iter(wrong), None)
        raise RatingsError(
            f"the group {name!r} with the raters {wrong[name]}" if wrong else "no group",
            "groups of two raters or more, each rater once in a group",
            "name them: groups={'all': ['a', 'b']}, or leave groups out",
        )
    return found


@dataclass(frozen=True)
class _Run:
    """What one call computes, and how it becomes a frame."""

    statistics: object
    known: Mapping
    resamples: int
    seed: int
    level: float
    interval: str
    mean: bool
    test: str | None

    def __post_init__(self):
        if self.interval not in INTERVALS:
            raise RatingsError(
                f"interval={self.interval!r}", ", ".join(INTERVALS), "name one of these"
            )
        if self.mean:
            self.refuse_analytic("means over dimensions", "mean=False")
        if self.test is not None:
            adjusted([], self.test)  # refuses a name that is none
        Draws(1, self.resamples, self.seed)  # refuses what is no number of resamples, or no seed
        check_level(self.level)

    def refuse_analytic(self, what, otherwise):
        """Formulas are for single results."""
        if self.interval == "analytic":
            raise RatingsError(
                f"interval='analytic' for {what}",
                ", ".join(INTERVALS[:-1]),
                f"choose one of these, or {otherwise}",
            )

    def refuse_places(self, ratings):
        """Where columns are places and no raters, nobody's ratings can be permuted."""
        if self.test and self.interval != "analytic" and getattr(ratings, "exchangeable", ()):
            raise RatingsError(
                f"test={self.test!r} for counted ratings that do not say who gave them",
                "interval='analytic', or ratings counted by rater",
                "choose it, count the ratings by rater (raters=[...]), or leave test out",
            )

    def rows(self, found: Iterable[Matrix], comparisons) -> Iterator[Estimate]:
        """Every comparison and statistic of every table, on the same draws of items."""
        for key, same in groupby(map(self._fit, found), key=_key):
            same = list(same)
            labelled = (one for table in same for one in self._labelled(table, comparisons))
            each = self.interval in ("bca", "jackknife")
            yield from estimates(labelled, self._draws(same[0], key), each)

    def _fit(self, table):
        """The table, or its patterns where draws of so many items would not fit."""
        if table.counts is not None and self.mean:
            raise RatingsError(
                "counted patterns and mean=True",
                "results of single dimensions: patterns do not say which ratings of two "
                "dimensions belong to one item",
                "leave mean out, or give the long frame",
            )
        drawn = self.resamples if self.interval in ("percentile", "bca") else 0
        if table.counts is not None or self.mean or drawn * len(table.values) <= _MANY_DRAWS:
            return table
        return counted_table(table)

    def _draws(self, table, key):
        resamples = self.resamples if self.interval in ("percentile", "bca") else 0
        items = len(table.values) if table.counts is None else int(table.counts.sum())
        return Draws(items, resamples, self.seed, key, table.counts)

    def _labelled(self, table, comparisons):
        """The sums of every comparison and statistic of a table, with their labels."""
        middle = centre(table.values[np.isfinite(table.values)])
        functions = chosen(self.statistics, self.known, table.scale)
        rising = _all_rise(table.values, table.counts)
        lost = lost_to_pandas(table.values, table.scale)
        for labels, columns in comparisons:
            names = [table.raters[c] for c in columns]
            x = Ratings(table.values[:, columns], table.scale, table.counts, names, middle)
            hint = notes(
                "" if rising else _backwards(x),
                "" if self.known is PAIR else _constant(x),
                lost,
            )
            where = {"framework": table.framework, "dimension": table.dimension, **labels}
            for name, function in functions.items():
                sums = _of(function, name, x, table.scale)
                sums = replace(sums, note=notes(sums.note, hint)) if hint else sums
                if self.test is not None and name != _NOT_PERMUTED:
                    key = f"{table.framework}/{table.dimension}"
                    test = partial(permutation_test, function, x, self.seed, key, upper=name == _W)
                    sums = replace(sums, permuted=test)
                yield {**where, "statistic": name}, sums

    def frame(self, found: Iterable[Estimate]) -> pd.DataFrame:
        """The results as a tidy frame; with `mean`, those of each framework's mean too."""
        if self.mean:
            by_framework = groupby(found, key=lambda one: one.labels["framework"])
            found = (one for _, part in by_framework for one in _with_means(list(part)))
        columns = RESULT if self.test is None else [*RESULT[:-2], "p", *RESULT[-2:]]
        frame = Results([self._row(one) for one in found], columns=columns)
        if self.test not in (None, "none"):
            frame.insert(len(columns) - 2, "p_adjusted", adjusted(frame["p"], self.test))
        frame.attrs = {
            "interval": self.interval,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
        }
        return frame

    def _row(self, one):
        low, high, undefined = self._ends(one)
        remarks = [one.note, one.left_out(undefined), self._no_interval(one, low, undefined)]
        row = {
            **one.labels,
            "estimate": one.estimate,
            "low": low,
            "high": high,
            "n_items": one.n_items,
            "n_ratings": one.n_ratings,
            "undefined": one.undefined,
        }
        if self.test is not None:
            row["p"], why = self._p(one)
            remarks.append(why)
        return {**row, "note": notes(*remarks)}

    def _no_interval(self, one, low, undefined):
        """Why a result that is defined has no interval, or ""."""
        if np.isnan(one.estimate) or np.isfinite(low):
            return ""
        if one.n_items < 2:
            return "one item only: nothing to resample, so no interval"
        if _all_equal(one.draws):
            return _no_width(one)
        if self.interval == "bca" and one.draws.size and undefined < 1:
            return "no BCa interval: every resample lies on one side of the estimate"
        return _NO_INTERVAL.get(self.interval, "")

    def _ends(self, one):
        """Low, high, and the share of resamples on which the coefficient is undefined."""
        if np.isnan(one.estimate) or one.n_items < 2:
            return np.nan, np.nan, 0.0
        if self.interval == "analytic":
            return *one.sums.analytic_interval(self.level), 0.0
        if self.interval != "jackknife" and _all_equal(one.draws):
            # An interval of width 0 is no interval: nothing varies that could be drawn.
            return np.nan, np.nan, float(np.mean(~np.isfinite(one.draws)))
        if self.interval == "jackknife":
            reach = scipy.special.ndtri((1 + self.level) / 2) * one.error()
            if not reach > SAME:
                return np.nan, np.nan, 0.0
            return one.estimate - reach, one.estimate + reach, 0.0
        return (one.bca_ends if self.interval == "bca" else one.percentile_ends)(self.level)

    def _p(self, one):
        """The p-value that belongs to the interval, and why there is none."""
        if one.labels["statistic"].startswith(_NO_TEST) and not self._is_difference(one):
            return np.nan, "no test: 0 is not what chance gives"
        if one.labels["statistic"] == _W and one.sums is None and not self._is_difference(one):
            return np.nan, "no test of a mean of Kendall's W: chance gives 1/k, not 0"
        if np.isnan(one.estimate):
            return np.nan, ""
        try:
            p = self._tested(one) if one.n_items > 1 else np.nan
        except RatingsError as refused:
            return np.nan, f"no p-value: {refused.given}; allowed: {refused.allowed}"
        missing = "no p-value: no error to estimate, or too few items or resamples"
        return p, missing if np.isnan(p) else ""

    @staticmethod
    def _is_difference(one):
        return one.labels["group"] == DIFFERENCE

    def _tested(self, one):
        if self.interval == "analytic":
            return one.sums.analytic_test()
        if one.sums is not None and one.sums.permuted is not None:
            return one.sums.permuted()
        if self.interval == "jackknife":
            return normal_test(one.estimate, one.error())
        if self.interval == "bca":
            return bca_test(one.draws, one.estimate, *one.leave_one_out())
        return percentile_test(one.draws)


def _all_equal(draws):
    """Whether resamples have a value, and all the same one."""
    defined = draws[np.isfinite(draws)]
    return bool(defined.size > 1 and np.ptp(defined) <= SAME)


def _no_width(one):
    """Why equal resamples give no interval, and what so many items allow."""
    n = one.n_items
    sees = one.labels["statistic"] in _SEES_ALL and one.labels["group"] != DIFFERENCE
    if not sees or abs(one.estimate - 1) > SAME:
        return "no interval: all resamples are equal"
    most = 1 - 0.05 ** (1 / n)
    return f"no interval: no item disagrees; with n = {n} up to {most:.0%} of all items may"


def _key(table):
    """What names the draws: a framework's items, or one dimension's patterns."""
    if table.counts is None:
        return table.framework
    return f"{table.framework}/{table.dimension}"


def _of(function, name, x, scale):
    """The sums of a coefficient; one of your own may be none."""
    sums = function(x, scale)
    if not isinstance(sums, Sums):
        raise RatingsError(
            f"the statistic {name!r}, whose function returned {type(sums).__name__}",
            "a function of (x, scale) that returns raters.coefficients.Sums",
            "see raters.coefficients for how they are made",
        )
    return sums


def _constant(x):
    """Which raters give everything one rating while others do not."""
    if not x.there.any() or x.observed.size < 2:
        return ""
    low = np.where(x.there, x.values, np.inf).min(axis=0)
    high = np.where(x.there, x.values, -np.inf).max(axis=0)
    often = np.ones(len(x.values)) if x.counts is None else x.counts
    same = np.flatnonzero((low == high) & (often @ x.there > 1))
    told = [f"{x.raters[c]} gives {x.scale.name_of(low[c])} to every item" for c in same[:3]]
    more = f"so do {same.size - 3} more raters, each with one level" if same.size > 3 else ""
    return notes(*told, more)


def _all_rise(x, counts):
    """Whether each two raters rise together: then nobody runs backwards."""
    if not len(x) or not np.isfinite(x).all():
        return False
    often = np.ones((len(x), 1)) if counts is None else counts[:, None]
    centred = x - (often * x).sum(axis=0) / often.sum()
    return bool(((often * centred).T @ centred >= 0).all())


def _backwards(x):
    """A hint at raters who seem to run the scale from the other end.

    Chance gives correlations near 0, not far below it: so the mean correlation with
    the others has to be below -0.3, and below twice the spread that chance gives it.
    """
    if x.scale.measurement == "nominal":
        return ""
    often = 1.0 if x.counts is None else x.counts[:, None]
    filled = np.where(x.there, x.values - (x.scale.low + x.scale.high) / 2, 0.0)
    there = x.there.astype(float)
    # Sums over the items that both rated, for all pairs of raters at once.
    n, s, ss = (part.T @ there for part in (often * there, often * filled, often * filled**2))
    spread = np.sqrt(np.maximum(n * ss - s**2, 0.0))
    products = n * ((often * filled).T @ filled) - s * s.T
    r = ratio(products, spread * spread.T, n**2 * x.scale.high**2)
    np.fill_diagonal(r, np.nan)
    known = np.isfinite(r)
    mean = ratio(np.where(known, r, 0.0).sum(axis=1), known.sum(axis=1), 0.0)
    fewest = np.where(known, n, np.inf).min(axis=1)
    against = [name for name, m, few in zip(x.raters, mean, fewest) if m < -max(0.3, 2 / few**0.5)]
    if not against:
        return ""
    if len(x.raters) == 2:
        first, second = x.raters
        return f"{first} and {second} run against each other (r = {r[0, 1]:.2f}): {_ASK}"
    return f"{' and '.join(against)} against the other raters: {_ASK}"


def _with_means(found):
    """The results of a framework, and behind them the means over its dimensions."""
    kinds = {}
    for one in found:
        labels = {**one.labels, "dimension": MEAN}
        kinds.setdefault(tuple(labels.values()), (labels, []))[1].append(one)
    return found + [_mean(labels, members) for labels, members in kinds.values()]


def _with_groups(found, group):
    """The results of a dimension, and behind them the means over the pairs of two groups."""
    for _, part in groupby(found, key=_place):
        members, kinds = list(part), {}
        for one in members:
            labels = {**one.labels, "rater_a": PAIRS, "rater_b": ""}
            key = group.get(one.labels["rater_a"]), group.get(one.labels["rater_b"])
            kinds.setdefault((*key, labels["statistic"]), (labels, []))[1].append(one)
        yield from members
        yield from (_mean(labels, same, _pair) for labels, same in kinds.values())


def _place(one):
    return one.labels["framework"], one.labels["dimension"]


def _pair(one):
    """What a result is called in the note of a mean of pairs."""
    return "-".join((one.labels["rater_a"], one.labels["rater_b"]))


def _mean(labels, members, name=lambda one: one.labels["dimension"]):
    """The mean of some results, which points to their notes."""
    mean = mean_of(labels, members, name)
    noted = ", ".join(name(one) for one in members if one.note)
    return replace(mean, note=f"see the notes on {noted}") if noted and not mean.note else mean


def _differences(found, members, paired):
    """For every dimension: the sides' means, and each two of them subtracted."""
    name = _pair if paired else lambda one: one.labels["group"]
    dimensions = {}
    for one in found:
        key = (one.labels["rater_a"], one.labels["rater_b"]) if paired else one.labels["group"]
        dimensions.setdefault(_place(one), {})[key] = one
    for (framework, dimension), results in dimensions.items():
        statistic = next(iter(results.values())).labels["statistic"]
        sides = {
            side: _mean({}, [results[one] for one in which], name)
            for side, which in members.items()
        }
        for (a, first), (b, second) in combinations(sides.items(), 2):
            labels = {"framework": framework, "dimension": dimension, "rater_a": a, "rater_b": b}
            labels |= {"group": DIFFERENCE, "statistic": statistic}
            both = first.n_ratings + second.n_ratings
            yield replace(difference(labels, first, second), n_ratings=both)
