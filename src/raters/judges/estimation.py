"""A mean rating from few labels by experts and many by a judge, with an honest interval."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from raters.coefficients.base import TOO_FEW_ITEMS, Reason, code_of, notes
from raters.errors import RatingsError
from raters.judges.reference import between, ordered, with_judged
from raters.matrices import tables

COLUMNS = [
    "framework",
    "dimension",
    "judge",
    "reference",
    "method",
    "estimate",
    "low",
    "high",
    "tuning",
    "effective_n",
    "n_labelled",
    "n_unlabelled",
    "note",
    "undefined",
]
_FEW = 15
_JUDGE_ONLY = "mean of the judge: no interval for the mean of the reference, whatever its width"


@dataclass(frozen=True)
class PredictionPowered:
    """A mean with its interval.

    Parameters
    ----------
    estimate, error : float
        The mean and its standard error.
    low, high : float
        The interval.
    tuning : float
        How far the judge is trusted: 0 is labels only, 1 the judge in full.
    effective_n : float
        Labels that alone would give the same standard error.
    """

    estimate: float
    error: float
    low: float
    high: float
    tuning: float
    effective_n: float


def prediction_powered(
    labels: np.ndarray,
    judged: np.ndarray,
    judged_only: np.ndarray,
    tuning: float | None = None,
    level: float = 0.95,
) -> PredictionPowered:
    """The prediction-powered estimate of a mean.

    Parameters
    ----------
    labels, judged : ndarray, shape (n,)
        Reference and judge on the labelled items: n of 3 or more (2 with `tuning`).
    judged_only : ndarray, shape (N,)
        The judge on items without label: N of 2 or more.
    tuning : float, optional
        Between 0 and 1. Default: the value that makes the variance smallest.
    level : float
        Coverage.

    Returns
    -------
    PredictionPowered

    Raises
    ------
    RatingsError
        Too few items on a side, columns of unequal length, a missing value, or a
        number that is not allowed.

    Notes
    -----
    ``mean(Y) + t (mean(f_unlabelled) - mean(f_labelled))`` with the variance
    ``var(Y - t f) / n + t^2 var(f_unlabelled) / N``; with t = 1: Angelopoulos et al. (2023),
    Science 382, 669-674. The tuned ``t = cov(Y, f) / ((1 + n / N) var(f))``, var(f) over all
    n + N items, kept within 0 and 1: Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv
    2311.01453. Both divide by n and take the normal quantile, which covers too little
    with few labels. Here the variances have n - 1, and the quantile is Student's with n - 1
    degrees of freedom; with a tuned t both have n - 2, as in a regression. For many
    labels it is the same. The interval holds if the labelled items are a random part of all
    items; choosing what to label by looking at it breaks it.
    ``effective_n = var(Y) / error^2``.

    Examples
    --------
    >>> labels, judged = np.array([1.0, 2, 3, 4]), np.array([2.0, 3, 4, 5])
    >>> found = prediction_powered(labels, judged, np.array([2.0, 4, 6, 3, 5]), tuning=1)
    >>> found.estimate
    3.0
    """
    labels, judged, judged_only = (np.asarray(v, float) for v in (labels, judged, judged_only))
    _refuse(labels, judged, judged_only, tuning, level)
    n, many = labels.size, judged_only.size
    # A tuning taken from the labels costs a degree of freedom, as a slope does.
    lost = 2 if tuning is None else 1
    if tuning is None:
        spread = np.var(np.concatenate([judged, judged_only]), ddof=1)
        shared = np.cov(labels, judged)[0, 1]
        tuning = np.clip(shared / ((1 + n / many) * spread), 0, 1) if spread > 0 else 0.0
    estimate = labels.mean() + tuning * (judged_only.mean() - judged.mean())
    rest = np.var(labels - tuning * judged, ddof=lost) / n
    error = np.sqrt(rest + tuning**2 * np.var(judged_only, ddof=1) / many)
    reach = scipy.special.stdtrit(n - lost, (1 + level) / 2) * error
    spread = np.var(labels, ddof=1)
    effective = spread / error**2 if error > 0 else np.nan
    numbers = (estimate, error, estimate - reach, estimate + reach, tuning, effective)
    return PredictionPowered(*map(float, numbers))


def _refuse(labels, judged, judged_only, tuning, level):
    least = 3 if tuning is None else 2
    if labels.shape != judged.shape or labels.size < least or judged_only.size < 2:
        raise RatingsError(
            f"{labels.size} labels, {judged.size} ratings by the judge of the same items and "
            f"{judged_only.size} of others",
            f"equally many of the first two, {least} or more, and 2 or more of the last",
            "label more items, and leave 2 or more to the judge alone",
        )
    if not all(np.isfinite(v).all() for v in (labels, judged, judged_only)):
        raise RatingsError(
            "missing or infinite values", "a number for each item", "leave such items out"
        )
    if tuning is not None and not 0 <= tuning <= 1:
        raise RatingsError(f"tuning={tuning!r}", "a number from 0 to 1, or None", "leave it out")
    if not 0 < level < 1:
        raise RatingsError(f"level={level!r}", "a number between 0 and 1", "give 0.95, say")


def prediction_powered_mean(
    ratings: pd.DataFrame,
    scale,
    judge: str,
    reference: str = "expert",
    how: str = "mean",
    labelled: Iterable | None = None,
    tuning: float | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """The mean rating that the reference would give to all items.

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`. The judge rated all items, the reference some
        of them, drawn at random.
    scale : Scale or mapping
        The declared scale or scales, not nominal.
    judge : str
        The judge.
    reference : str
        A group, summarised item by item, or one rater.
    how : {"mean", "median", "mode"}
        How a group is summarised.
    labelled : iterable, optional
        Use the reference's ratings of these items only. Default: of all that have one.
    tuning : float, optional
        As in `prediction_powered`.
    level : float
        Coverage of the intervals.

    Returns
    -------
    DataFrame
        Three rows a dimension, ``method`` being ``labels only`` (mean of the labels, with
        Student's interval), ``judge only`` (mean of the judge over all items; no interval,
        as its bias is unknown) and ``prediction powered``; ``framework, dimension, judge,
        reference, method, estimate, low, high, tuning, effective_n, n_labelled,
        n_unlabelled, note``.

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown judge, reference or item; a nominal scale.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [*range(8), *range(4)], "rater": ["j"] * 8 + ["a"] * 4,
    ...                       "rating": [2, 3, 4, 5, 2, 3, 4, 5, 1, 3, 3, 4]})
    >>> found = prediction_powered_mean(frame, Scale([1, 2, 3, 4, 5]), "j", "a")
    >>> found.set_index("method").estimate.to_dict()
    {'labels only': 2.75, 'judge only': 3.5, 'prediction powered': 2.75}
    """
    frame, references = with_judged(ratings, scale, judge, reference, how)
    name = references[judge]
    wanted = None if labelled is None else _known_items(frame, labelled)
    rows = []
    for table in tables(frame, between(scale), [name, judge]):
        ordered(table)
        y, f = np.where(np.isfinite(table.values), table.values, np.nan).T
        if wanted is not None:
            y = np.where([item in wanted for item in table.items], y, np.nan)
        where = (table.framework, table.dimension, judge, name)
        for row in _three(y, f, tuning, level):
            reason = {"note": str(row["note"]), "undefined": code_of(row["note"])}
            rows.append({**dict(zip(COLUMNS, where)), **row, **reason})
    return pd.DataFrame(rows, columns=COLUMNS)


def _known_items(frame, labelled):
    wanted = {str(item) for item in labelled}
    unknown = sorted(wanted - set(frame["item"]))
    if unknown:
        raise RatingsError(
            f"labelled items that are not in the frame: {unknown[:5]}",
            "items of the frame",
            "compare the ids with the column item",
        )
    return wanted


def _three(y, f, tuning, level):
    """The rows of the three methods for one dimension."""
    both, rest = np.isfinite(y) & np.isfinite(f), np.isfinite(f) & ~np.isfinite(y)
    n, many = int(both.sum()), int(rest.sum())
    counts = {"n_labelled": n, "n_unlabelled": many}
    few = f"{n} labels: fewer than {_FEW} give an unsure interval" if n < _FEW else ""
    nothing = dict.fromkeys(("estimate", "low", "high", "tuning", "effective_n"), np.nan)
    labels = y[both]
    if n < 2:
        said = Reason(TOO_FEW_ITEMS, "fewer than two items with both ratings")
        yield {"method": "labels only", **nothing, **counts, "note": said}
    else:
        error = labels.std(ddof=1) / np.sqrt(n)
        reach = scipy.special.stdtrit(n - 1, (1 + level) / 2) * error
        ends = {"low": labels.mean() - reach, "high": labels.mean() + reach}
        known = {"estimate": labels.mean(), **ends, "tuning": 0.0, "effective_n": float(n)}
        yield {"method": "labels only", **known, **counts, "note": few}
    everywhere = f[np.isfinite(f)]
    known = {**nothing, "estimate": everywhere.mean() if everywhere.size else np.nan}
    yield {"method": "judge only", **known, **counts, "note": _JUDGE_ONLY}
    least = 3 if tuning is None else 2
    if n < least or many < 2:
        why = f"{n} items with label, {many} without; {least} and 2 are needed"
        said = Reason(TOO_FEW_ITEMS, why)
        yield {"method": "prediction powered", **nothing, **counts, "note": said}
        return
    found = prediction_powered(labels, f[both], f[rest], tuning, level)
    known = {key: getattr(found, key) for key in nothing}
    same = "the judge says nothing about the reference: labels only" * (found.tuning == 0)
    yield {"method": "prediction powered", **known, **counts, "note": notes(few, same)}
