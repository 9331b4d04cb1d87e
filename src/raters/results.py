"""Results: one estimate with its draws, means and differences of them, and their tidy frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from raters.coefficients.base import (
    NO_VALUE,
    PART_UNDEFINED,
    Reason,
    Sums,
    code_of,
    jackknife_error,
    notes,
)
from raters.draws import Draws
from raters.intervals import bca_interval, percentile_interval

if TYPE_CHECKING:
    from raters.show.tables import Table

MEAN = "mean of dimensions"
DIFFERENCE = "difference"
PAIRS = "mean of pairs"
ALL = "all frameworks"

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
    "undefined",
]
NUMBERS = RESULT[6:]
_LABELS = RESULT[:6]
_WHERE = ("framework", "dimension")
_MOST_ROWS = 60
_NOTHING = np.empty(0)


# --- one result ----------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """One number with its bootstrap values, before it becomes a row of a frame.

    Parameters
    ----------
    labels : dict
        What it is: ``framework``, ``dimension`` and the caller's own columns.
    estimate : float
        NaN where it is not defined; `note` says why.
    draws : ndarray, shape (resamples,)
        Its value on each resample of the items; NaN where it is not defined there.
    n_items, n_ratings : int
        What counts.
    note : str
        What a reader must know, or "".
    undefined : str
        The code of the reason why there is no value, such as ``"no_variation"``; "" where
        there is one.
    without : ndarray, shape (rows,)
        Its value without one item, for every item (or one item of every row of counted
        patterns); empty where no interval needs it.
    counts : ndarray, shape (rows,)
        How many items each row stands for, 0 where it changes nothing; empty likewise.
    sums : Sums, optional
        What it was computed from, of a single result.
    """

    labels: dict
    estimate: float
    draws: np.ndarray
    n_items: int
    n_ratings: int
    note: str = ""
    undefined: str = ""
    without: np.ndarray = field(default_factory=lambda: _NOTHING)
    counts: np.ndarray = field(default_factory=lambda: _NOTHING)
    sums: Sums | None = None

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Leave-one-out values of the items that count, and how many each stands for."""
        counting = self.counts > 0
        return self.without[counting], self.counts[counting]

    def error(self) -> float:
        """The jackknife standard error."""
        return jackknife_error(*self.leave_one_out())

    def percentile_ends(self, level: float) -> tuple[float, float, float]:
        """Low and high of the percentile interval, and the share of undefined resamples."""
        if np.isnan(self.estimate):
            return np.nan, np.nan, 0.0
        return percentile_interval(self.draws, level)

    def bca_ends(self, level: float) -> tuple[float, float, float]:
        """The same of the BCa interval."""
        if np.isnan(self.estimate):
            return np.nan, np.nan, 0.0
        without, counts = self.leave_one_out()
        low, high = bca_interval(self.draws, self.estimate, without, level, counts)
        undefined = np.count_nonzero(~np.isfinite(self.draws)) / max(self.draws.size, 1)
        return low, high, undefined

    def left_out(self, undefined: float) -> str:
        """What to say of resamples without a value."""
        if not undefined > 0:
            return ""
        share = f"{undefined:.1%}" if undefined >= 0.0005 else "less than 0.1%"
        return f"undefined on {share} of {self.draws.size} resamples, left out"


def estimates(
    labelled: Iterable[tuple[dict, Sums]], draws: Draws, without_each: bool = False
) -> Iterator[Estimate]:
    """Coefficients with their value on every resample of the items.

    Parameters
    ----------
    labelled : iterable of (dict, Sums)
        Labels and coefficient; all of the same items.
    draws : Draws
        The resamples of these items.
    without_each : bool
        Whether the leave-one-out values are wanted.

    Yields
    ------
    Estimate

    Examples
    --------
    >>> from raters import Scale
    >>> from raters.coefficients import PAIR
    >>> sums = PAIR["cohen_kappa"](np.array([[1, 1], [2, 2], [1, 2]]), Scale([1, 2]))
    >>> one, = estimates([({"dimension": "warmth"}, sums)], Draws(3, 50, seed=1))
    >>> round(one.estimate, 2), one.draws.shape
    (0.4, (50,))
    """
    start = 1 + (draws.rows if without_each else 0)
    often = np.ones(draws.rows) if draws.counts is None else draws.counts
    for labels, sums, values in draws.values(labelled, without_each):
        estimate = float(values[0])
        yield Estimate(
            labels,
            estimate,
            values[start:],
            sums.n_items,
            sums.n_ratings,
            str(sums.note),
            (code_of(sums.note) or NO_VALUE) if np.isnan(estimate) else "",
            values[1:start],
            sums.counted() * often if without_each else _NOTHING,
            sums,
        )


def mean_of(
    labels: dict,
    members: Sequence[Estimate],
    name: str | Callable[[Estimate], str] | None = None,
) -> Estimate:
    """The mean of some results, resample by resample.

    Parameters
    ----------
    labels : dict
        The labels of the mean.
    members : sequence of Estimate
        At least one.
    name : str or callable, optional
        The label, or what makes the name, that tells the results apart, to name those
        without a value. Default: they are repetitions of one thing, whose notes are kept.

    Returns
    -------
    Estimate
        NaN where one of the results is.

    Examples
    --------
    >>> one = Estimate({"d": "x"}, 0.2, np.array([0.1, 0.3]), 5, 10)
    >>> two = Estimate({"d": "y"}, 0.4, np.array([0.5, 0.3]), 5, 10)
    >>> round(mean_of({}, [one, two], "d").estimate, 6)
    0.3
    """
    lacking = [one for one in members if np.isnan(one.estimate)]
    if name is None:
        note = notes(*dict.fromkeys(one.note for one in members))
        n_ratings = max(one.n_ratings for one in members)
        undefined = lacking[0].undefined if lacking else ""
    else:
        called = name if callable(name) else lambda one: str(one.labels[name])
        names = ", ".join(map(called, lacking))
        note = str(Reason(PART_UNDEFINED, f"no value for {names}")) if lacking else ""
        n_ratings = sum(one.n_ratings for one in members)
        undefined = PART_UNDEFINED if lacking else ""
    return Estimate(
        labels,
        float(np.mean([one.estimate for one in members])),
        np.mean([one.draws for one in members], axis=0),
        max(one.n_items for one in members),
        n_ratings,
        note,
        undefined,
        np.mean([one.without for one in members], axis=0),
        np.max([one.counts for one in members], axis=0),
    )


def difference(labels: dict, first: Estimate, second: Estimate) -> Estimate:
    """The first less the second, on the same resamples.

    Parameters
    ----------
    labels : dict
        The labels of the difference.
    first, second : Estimate
        On the same draws.

    Returns
    -------
    Estimate
        Of ratings that both rest on; `n_ratings` is the larger number of the two.

    Examples
    --------
    >>> one = Estimate({}, 0.5, np.array([0.25, 0.5]), 5, 10)
    >>> two = Estimate({}, 0.25, np.array([0.5, 0.5]), 5, 10)
    >>> difference({}, one, two).draws.tolist()
    [-0.25, 0.0]
    """
    return Estimate(
        labels,
        first.estimate - second.estimate,
        first.draws - second.draws,
        min(first.n_items, second.n_items),
        max(first.n_ratings, second.n_ratings),
        notes(*dict.fromkeys((first.note, second.note))),
        first.undefined or second.undefined,
        first.without - second.without,
        np.maximum(first.counts, second.counts),
    )


def with_means(found: Iterable[Estimate], in_units: Collection[str] = ()) -> list[Estimate]:
    """The results, then their means over the dimensions of a framework, then over all.

    Parameters
    ----------
    found : iterable of Estimate
        One for each dimension and each set of other labels.
    in_units : collection of str
        Statistics in the units of the scale: their mean over frameworks says so.

    Returns
    -------
    list of Estimate
        Means over one dimension only are left out. A mean over fewer dimensions than
        others says so. Resamples of two frameworks are drawn apart, as their items are
        other items.
    """
    found = list(found)
    dimensions = list(dict.fromkeys(tuple(one.labels[c] for c in _WHERE) for one in found))
    within = {f: sum(f == one for one, _ in dimensions) for f, _ in dimensions}
    size = within | {ALL: len(dimensions)}
    kinds = {}
    for one in found:
        rest = {k: v for k, v in one.labels.items() if k not in _WHERE}
        framework = one.labels["framework"]
        places = [framework] * (within[framework] > 1) + [ALL] * (len(within) > 1)
        for place in places:
            labels = {"framework": place, "dimension": MEAN, **rest}
            kinds.setdefault(tuple(map(str, labels.values())), (labels, []))[1].append(one)
    means = []
    for labels, members in kinds.values():
        mean = mean_of(labels, members, "dimension")
        place, n = labels["framework"], len(members)
        few = f"mean over {n} of {size[place]} dimensions" if n < size[place] else ""
        mixed = place == ALL and labels.get("statistic") in in_units
        units = "mean over scales with units of their own" if mixed else ""
        means.append(replace(mean, n_items=_items(members), note=notes(mean.note, few, units)))
    means.sort(key=lambda one: one.labels["framework"] == ALL)
    return found + means


def _items(members):
    """Items behind some results: dimensions of a framework share theirs, frameworks do not."""
    most = {}
    for one in members:
        framework = one.labels["framework"]
        most[framework] = max(most.get(framework, 0), one.n_items)
    return sum(most.values())


def to_frame(found: Iterable[Estimate], columns: Sequence[str], level: float) -> pd.DataFrame:
    """The results as a tidy frame with percentile intervals.

    Parameters
    ----------
    found : iterable of Estimate
        Rows.
    columns : sequence of str
        The labels, in order.
    level : float
        Coverage.

    Returns
    -------
    DataFrame
        `columns`, then ``estimate, low, high, n_items, n_ratings, note, undefined``.
    """
    rows = []
    for one in found:
        low, high, undefined = one.percentile_ends(level)
        note = notes(one.note, one.left_out(undefined))
        numbers = (one.estimate, low, high, one.n_items, one.n_ratings, note, one.undefined)
        rows.append({**one.labels, **dict(zip(NUMBERS, numbers))})
    return pd.DataFrame(rows, columns=[*columns, *NUMBERS])


# --- the frame -----------------------------------------------------------------------


class Results(pd.DataFrame):
    """A frame of results that prints for reading; everything else is pandas.

    What is the same in every row stands in the caption, the interval in one cell, and
    numbers are rounded. The numbers in the frame itself are as they are, and whatever is
    computed from it without these columns prints as pandas does.

    Examples
    --------
    >>> rows = [["all", "warmth", "a", b, "all", "cohen_kappa", k, k - 0.2, k + 0.2, 20, 40, "", ""]
    ...         for b, k in (("b", 0.5123), ("c", 0.25))]
    >>> Results(rows, columns=RESULT)
    warmth, a, cohen_kappa, n_items 20, n_ratings 40
    rater_b estimate     interval
          b     0.51 0.31 to 0.71
          c     0.25 0.05 to 0.45
    """

    @property
    def _constructor(self):
        return Results

    def readable(self) -> Table:
        """The results as a table to read.

        Returns
        -------
        Table
            Shows itself as HTML in a notebook and as text in a terminal.
        """
        from raters.show.tables import Table, interval, number

        # A single result keeps its labels in the table: there is nothing to leave out.
        same = [c for c in [*_LABELS, "n_items", "n_ratings"] if len(self) > 1 and self._one(c)]
        labels = [c for c in _LABELS if c not in same and not self[c].eq("").all()]
        shown = pd.DataFrame({c: self[c].astype(str) for c in labels or ["dimension"]})
        shown["estimate"] = self["estimate"].map(number)
        if self[["low", "high"]].notna().any(axis=None):
            ends = zip(self["low"], self["high"])
            shown[self._interval_heading()] = [interval(low, high) for low, high in ends]
        for column in ("p", "p_adjusted"):
            if column in self:
                shown[column] = [_p(value) for value in self[column]]
        for column in ("n_items", "n_ratings"):
            if column not in same:
                shown[column] = self[column]
        if self["note"].ne("").any():
            shown["note"] = self["note"]
        caption = [self[c].iloc[0] for c in same if c in _LABELS]
        caption = [text for text in caption if text not in ("", "all")]  # "all": not named
        caption += [f"{c} {self[c].iloc[0]}" for c in same if c not in _LABELS]
        if len(shown) > _MOST_ROWS:
            caption.append(f"the first {_MOST_ROWS} of {len(shown)} rows")
        return Table(shown.head(_MOST_ROWS), ", ".join(caption) or "Results", 2)

    def _one(self, column):
        return self[column].nunique() == 1

    def _interval_heading(self):
        level = self.attrs.get("level")
        return f"{100 * level:g} % interval" if level else "interval"

    def _is_whole(self):
        return set(RESULT[:-1]) <= set(self.columns) and len(self) > 0

    def __repr__(self):
        return repr(self.readable()) if self._is_whole() else super().__repr__()

    def _repr_html_(self):
        return self.readable()._repr_html_() if self._is_whole() else super()._repr_html_()


def _p(value):
    from raters.show.tables import number

    if pd.isna(value):
        return number(value)
    return "< 0.001" if value < 0.001 else number(value, 3)
