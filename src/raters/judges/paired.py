"""A judge's agreement less the experts' own, on the same items and the same draws of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from raters.coefficients import MANY, PAIR, chosen
from raters.coefficients.base import notes
from raters.draws import Draws
from raters.errors import RatingsError
from raters.frames import check_ratings
from raters.judges.readings import (
    READINGS,
    SIDES,
    Case,
    Coefficients,
    counts_misses,
    remarks,
)
from raters.judges.reference import reference_raters
from raters.judges.rule import Counts, Standing
from raters.matrices import Matrix, tables
from raters.results import ALL, MEAN, Estimate, estimates, mean_of
from raters.scale import Scale


@dataclass(frozen=True)
class Difference(Estimate):
    """A judge's agreement less the experts' own, with its value on every resample.

    Parameters
    ----------
    labels : dict
        ``judge, framework, dimension, reading, statistic, replaced``; the last is ""
        but for the reading ``replacement``.
    estimate, draws, n_items, n_ratings, note, undefined, without, counts
        As in `raters.results.Estimate`, of the difference.
    benchmark, value : float
        The experts' agreement, and the judge's.
    disagree : ndarray of bool, shape (items,)
        On which of the items that count somebody differs from somebody else.
    away : int
        Ratings off the commonest level, of the rater who has fewest.
    standing : Standing
        The judge among the experts by the exchange test.
    """

    benchmark: float = np.nan
    value: float = np.nan
    disagree: np.ndarray = field(default_factory=lambda: np.empty(0, bool))
    away: int = 0
    standing: Standing = Standing()

    @property
    def difference(self) -> float:
        """Value less benchmark."""
        return self.estimate

    @property
    def n_disagree(self) -> int:
        """Items on which judge or experts differ."""
        return int(np.count_nonzero(self.disagree))

    @property
    def basis(self) -> Counts:
        """How much there is to decide from."""
        return Counts(self.n_items, self.n_disagree, self.away)


@dataclass(frozen=True)
class Asked:
    """Who is held against whom, by what, on which tables.

    Parameters
    ----------
    tables : list of Matrix
        Experts, then judges in the columns.
    experts, judges : list of str
    statistics : str, sequence of str or mapping
    readings : list of str
    mean : bool
        See `benchmark`.
    """

    tables: list[Matrix]
    experts: list[str]
    judges: list[str]
    statistics: str | Sequence[str] | Mapping[str, Callable]
    readings: list[str]
    mean: bool

    @classmethod
    def of(cls, ratings, scale, judge, reference, statistics, readings, mean) -> Asked:
        """What a user asks, checked."""
        ratings = check_ratings(ratings, scale)
        judges = [judge] if isinstance(judge, str) else list(judge)
        if not judges:
            raise RatingsError("no judge", "one rater or more", "name them: judge='...'")
        experts = reference_raters(ratings, reference, judges)
        readings = _checked_readings(readings, statistics)
        whole = list(tables(ratings, scale, [*experts, *judges]))
        return cls(whole, experts, judges, statistics, readings, mean)

    def functions(self, scale: Scale) -> dict[str, Callable]:
        """The coefficients by name, as a scale allows."""
        if isinstance(self.statistics, Mapping):
            return dict(self.statistics)
        names = [self.statistics] if isinstance(self.statistics, str) else self.statistics
        found: dict[str, Callable] = {}
        for name in names:
            found |= chosen(name, MANY if name in MANY else PAIR, scale)
        return found


def differences_of(
    asked: Asked, draws: Callable[[Matrix], Draws], without_each: bool = False
) -> list[Difference]:
    """The differences on some draws of each table.

    Parameters
    ----------
    asked : Asked
    draws : callable
        Takes a table.
    without_each : bool
        As in `differences`.

    Returns
    -------
    list of Difference
    """
    by_framework: dict[str, list[Difference]] = {}
    for table in asked.tables:
        by_framework.setdefault(table.framework, []).extend(
            _of_table(table, asked, draws(table), without_each)
        )
    if not asked.mean:
        return [row for rows in by_framework.values() for row in rows]
    means = [_means(rows) for rows in by_framework.values()]
    result = []
    for rows, mean_rows in zip(by_framework.values(), means):
        several = len({row.labels["dimension"] for row in rows}) > 1
        result += [*rows, *mean_rows] if several else rows
    return result + _over_frameworks(list(by_framework.values()), means)


def _checked_readings(readings, statistics):
    readings = [readings] if isinstance(readings, str) else list(readings)
    unknown = [name for name in readings if name not in READINGS]
    if unknown or not readings:
        raise RatingsError(
            f"the reading {unknown[0]!r}" if unknown else "no reading",
            ", ".join(READINGS),
            "name one of these",
        )
    if isinstance(statistics, Mapping):
        return readings
    names = [statistics] if isinstance(statistics, str) else list(statistics)
    if "mean_difference" in names:
        raise RatingsError(
            "the statistic 'mean_difference', of which more is not better",
            "coefficients of agreement",
            "use pairwise for shifts of level",
        )
    pairs_only = [name for name in names if name not in MANY]
    if "replacement" in readings and pairs_only:
        raise RatingsError(
            f"the reading 'replacement' of {pairs_only[0]!r}, which takes two raters",
            f"a coefficient of any number of raters: {', '.join(MANY)}",
            "choose one of these, or leave the reading out",
        )
    return readings


def _of_table(table, asked, draws, without_each):
    """All differences of one dimension."""
    coefficients = Coefficients(table.scale)
    functions = asked.functions(table.scale)
    planned = []
    for place, judge in enumerate(asked.judges, start=len(asked.experts)):
        cases = {
            misses: Case(table, asked.experts, place, judge, misses)
            for misses in {counts_misses(name) for name in functions}
        }
        for reading in asked.readings:
            for name, function in functions.items():
                case = cases[counts_misses(name)]
                labels = {
                    "judge": judge,
                    "framework": table.framework,
                    "dimension": table.dimension,
                    "reading": reading,
                    "statistic": name,
                }
                between = case.between(name)
                planned += [
                    (labels | {"replaced": who}, case, value, ceiling, notes(between, note))
                    for who, value, ceiling, note in SIDES[reading](
                        case, coefficients, name, function
                    )
                ]
    labelled = (({"key": key}, sums) for key, sums in coefficients.sums.items())
    by_key = {one.labels["key"]: one for one in estimates(labelled, draws, without_each)}
    return [_difference(by_key, *plan) for plan in planned]


def _difference(by_key, labels, case, value, ceiling, note):
    judges, experts = (
        {what: side.of(by_key, what) for what in ("estimate", "draws", "without")}
        for side in (value, ceiling)
    )
    members = [by_key[key] for key in (*value.keys, *ceiling.keys)]
    lacking = [one.undefined for one in members if one.undefined]
    there = case.counted.any()
    return Difference(
        labels,
        float(judges["estimate"]) - float(experts["estimate"]),
        judges["draws"] - experts["draws"],
        int(case.counted.sum()),
        max(one.n_ratings for one in members),
        notes(case.note, note, remarks(by_key, value, ceiling) if there else ""),
        case.undefined or (lacking[0] if lacking else ""),
        judges["without"] - experts["without"],
        case.counted.astype(float),
        benchmark=float(experts["estimate"]),
        value=float(judges["estimate"]),
        disagree=case.disagree,
        away=case.away,
    )


def _kinds(found):
    """Differences that differ by framework and dimension only."""
    kinds = {}
    for one in found:
        labels = {k: v for k, v in one.labels.items() if k not in ("framework", "dimension")}
        kinds.setdefault(tuple(labels.items()), []).append(one)
    return kinds


def _mean(labels, members):
    """The mean of differences, resample by resample: the difference of two means."""
    mean = mean_of(labels, members, "dimension")
    benchmark = float(np.mean([one.benchmark for one in members]))
    value = float(np.mean([one.value for one in members]))
    numbers = {"estimate": value - benchmark, "benchmark": benchmark, "value": value}
    numbers |= {"disagree": np.any([one.disagree for one in members], axis=0)}
    numbers |= {"away": sum(one.away for one in members)}
    return Difference(**(vars(mean) | numbers | {"n_items": np.count_nonzero(mean.counts)}))


def _means(found):
    """Means over the dimensions of one framework."""
    return [
        _mean(members[0].labels | {"dimension": MEAN}, members)
        for members in _kinds(found).values()
    ]


def _over_frameworks(by_framework, means):
    """Means over all dimensions of all frameworks, whose items are drawn independently."""
    if len(by_framework) < 2:
        return []
    singles = _kinds(one for found in by_framework for one in found)
    overall = []
    for kind, parts in _kinds(one for found in means for one in found).items():
        members = singles[kind]
        if len(parts) < len(by_framework):  # a statistic that some scales do not have
            continue
        frameworks = [one.labels["framework"] for one in members]
        share = [frameworks.count(one.labels["framework"]) / len(members) for one in parts]
        counts = np.concatenate([one.counts for one in parts])
        # The items of two frameworks are not the same: `_mean` takes the numbers only.
        nothing = dict.fromkeys(("draws", "without", "counts", "disagree"), np.empty(0))
        numbers = [replace(one, **nothing) for one in members]
        overall.append(
            replace(
                _mean(parts[0].labels | {"framework": ALL}, numbers),
                draws=np.sum([part * one.draws for part, one in zip(share, parts)], axis=0),
                without=_jackknife_over(parts, share),
                counts=counts,
                n_items=np.count_nonzero(counts),
                disagree=np.concatenate([one.disagree for one in parts]),
            )
        )
    return overall


def _jackknife_over(means, share):
    """The overall mean without one item each: only that item's framework moves.

    Each framework's values are centred, so that their own small bias does not look like
    a difference between items.
    """
    if not all(one.without.size for one in means):
        return np.empty(0)
    overall = sum(part * one.estimate for part, one in zip(share, means))
    return np.concatenate(
        [
            overall + part * (one.without - one.leave_one_out()[0].mean())
            for part, one in zip(share, means)
        ]
    )
