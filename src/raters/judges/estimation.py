"""A mean or a share from few labels by experts and many by a judge, with an interval."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from raters.coefficients.base import TOO_FEW_ITEMS, Reason, code_of, notes
from raters.coefficients.pairs import wilson_interval
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
_FEW_OF_A_KIND = 5
_JUDGE_ONLY = "mean of the judge: no interval for the mean of the reference, whatever its width"


@dataclass(frozen=True)
class PredictionPowered:
    """A mean with its interval.

    Parameters
    ----------
    estimate, error : float
        The mean and its standard error.
    low, high : float
        The interval; NaN where the standard error is 0, which says nothing of other labels.
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
    reach = scipy.special.stdtrit(n - lost, (1 + level) / 2) * error if error > 0 else np.nan
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
    at_least: float | None = None,
) -> pd.DataFrame:
    """The mean rating that the reference would give to all items, or a share of them.

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
    at_least : float, optional
        A level: then the share of items rated that high or higher. Default: the mean.

    Returns
    -------
    DataFrame
        Three rows a dimension, ``method`` being ``labels only`` (mean of the labels, with
        Student's interval, or Wilson's where there are two levels), ``judge only`` (mean of
        the judge over all items; no interval, as its bias is unknown) and ``prediction
        powered``; ``framework, dimension, judge, reference, method, estimate, low, high,
        tuning, effective_n, n_labelled, n_unlabelled, note, undefined``.

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown judge, reference or item; a nominal scale.

    Notes
    -----
    The intervals are for the mean of the many items of which these are a random part. For
    the mean of just these items they are wider than need be: with as many labels as items
    without, they hold it 99.5 % of the time. Where all labels are equal there is no
    interval but Wilson's. With fewer than 5 labels of the rarer of two kinds the
    prediction-powered interval holds the truth too seldom (69 % with 30 labels at 5 %), and
    the note says so.

    Sources: see `prediction_powered`; Wilson (1927), Journal of the American Statistical
    Association 22, 209-212.

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
        y, f, kinds = _columns(table, wanted, at_least)
        where = (table.framework, table.dimension, judge, name)
        rows += _rows(where, _three(y, f, tuning, level, kinds))
    return pd.DataFrame(rows, columns=COLUMNS)


def prediction_powered_difference(
    ratings: pd.DataFrame,
    scale,
    judge: str,
    systems: tuple[str, str],
    reference: str = "expert",
    how: str = "mean",
    labelled: Iterable | None = None,
    tuning: float | None = None,
    level: float = 0.95,
    at_least: float | None = None,
) -> pd.DataFrame:
    """How much higher the reference would rate one system than another, on the same items.

    Parameters
    ----------
    ratings, scale, judge, reference, how, labelled, tuning, level, at_least
        As in `prediction_powered_mean`.
    systems : tuple of str
        Two frameworks of the frame, or two of its dimensions: there stand the ratings of
        what each system made of an item. The difference is the first less the second.

    Returns
    -------
    DataFrame
        As `prediction_powered_mean`; ``framework`` or ``dimension`` holds both names.

    Raises
    ------
    RatingsError
        As in `prediction_powered_mean`; a system that is not in the frame.

    Notes
    -----
    The prediction-powered mean of the differences, item by item: an item is labelled where
    the reference rated what both systems made of it. What makes an item easy or hard for
    both drops out, and so does the judge's level. With `at_least` it is the difference of
    two shares.

    Examples
    --------
    >>> from raters import Scale
    >>> parts = [pd.DataFrame({"framework": system, "item": [*range(8), *range(4)],
    ...                        "rater": ["j"] * 8 + ["a"] * 4, "rating": given})
    ...          for system, given in (("new", [2, 3, 4, 5, 2, 3, 4, 5, 3, 4, 3, 5]),
    ...                                ("old", [2, 2, 3, 4, 2, 2, 3, 5, 1, 3, 3, 4]))]
    >>> found = prediction_powered_difference(
    ...     pd.concat(parts), Scale([1, 2, 3, 4, 5]), "j", ("new", "old"), "a")
    >>> found.set_index("method").estimate.to_dict()
    {'labels only': 1.0, 'judge only': 0.625, 'prediction powered': 1.0}
    """
    frame, references = with_judged(ratings, scale, judge, reference, how)
    name = references[judge]
    wanted = None if labelled is None else _known_items(frame, labelled)
    column = next((c for c in ("framework", "dimension") if set(systems) <= set(frame[c])), None)
    if column is None or len(set(systems)) != 2:
        raise RatingsError(
            f"the systems {list(systems)}",
            f"two frameworks of {sorted(set(frame['framework']))}, or two dimensions of "
            f"{sorted(set(frame['dimension']))}",
            "name two that are in the frame",
        )
    sides: tuple[dict, dict] = ({}, {})
    for table in tables(frame, between(scale), [name, judge]):
        if getattr(table, column) in systems:
            y, f, _ = _columns(table, wanted, at_least)
            other = table.dimension if column == "framework" else table.framework
            side = sides[systems.index(getattr(table, column))]
            side[other] = pd.DataFrame({"y": y, "f": f}, index=list(table.items))
    rows = []
    both = f"{systems[0]} less {systems[1]}"
    for other in (name_ for name_ in sides[0] if name_ in sides[1]):
        gap = sides[0][other] - sides[1][other]
        place = (both, other) if column == "framework" else (other, both)
        y, f = gap["y"].to_numpy(), gap["f"].to_numpy()
        rows += _rows((*place, judge, name), _three(y, f, tuning, level))
    return pd.DataFrame(rows, columns=COLUMNS)


@dataclass(frozen=True)
class CorrectedShare:
    """A share with its interval, each within 0 and 1.

    Parameters
    ----------
    estimate, low, high : float
    """

    estimate: float
    low: float
    high: float


def corrected_share(
    positive: int,
    n: int,
    sensitivity: float,
    specificity: float,
    n_sensitivity: int | None = None,
    n_specificity: int | None = None,
    level: float = 0.95,
) -> CorrectedShare:
    """The share of a class, from a judge's share and what is known of its errors.

    Parameters
    ----------
    positive, n : int
        How many items the judge puts in the class, and of how many.
    sensitivity, specificity : float
        The shares of items in the class, and of those outside it, that the judge gets right.
    n_sensitivity, n_specificity : int, optional
        From how many labelled items each was estimated. Default: they are known.
    level : float
        Coverage.

    Returns
    -------
    CorrectedShare

    Raises
    ------
    RatingsError
        Numbers out of range; a judge who is no better than chance.

    Notes
    -----
    ``(positive / n + specificity - 1) / (sensitivity + specificity - 1)``: Rogan and Gladen
    (1978), American Journal of Epidemiology 107, 71-76. The interval with known errors is
    Wilson's for the judge's share, moved in the same way; with estimated ones that of Lang
    and Reiczigel (2014), Preventive Veterinary Medicine 113, 13-22. The labelled items have
    to be others than the n, and sensitivity and specificity the same in both. Where the
    labelled items are a random part of all, `prediction_powered_mean` asks for less.

    Examples
    --------
    >>> found = corrected_share(23, 150, sensitivity=0.96, specificity=0.89)
    >>> round(found.estimate, 3), round(found.low, 2), round(found.high, 2)
    (0.051, 0.0, 0.13)
    """
    shares = {"sensitivity": sensitivity, "specificity": specificity}
    if not all(0 <= share <= 1 for share in shares.values()) or not 0 <= positive <= n or n < 1:
        raise RatingsError(
            f"{positive} of {n} items, {shares}",
            "up to n of n items, and shares from 0 to 1",
            "give counts and shares",
        )
    if sensitivity + specificity <= 1:
        raise RatingsError(
            f"{shares}, a judge who is no better than chance",
            "sensitivity and specificity that add up to more than 1",
            "label the items: this judge says nothing about them",
        )
    estimate = (positive / n + specificity - 1) / (sensitivity + specificity - 1)
    if n_sensitivity is None or n_specificity is None:
        low, high = (
            (end + specificity - 1) / (sensitivity + specificity - 1)
            for end in wilson_interval(positive / n, n, level)
        )
    else:
        low, high = _lang_reiczigel(
            (positive / n, n), (sensitivity, n_sensitivity), (specificity, n_specificity), level
        )
    return CorrectedShare(*(float(np.clip(x, 0, 1)) for x in (estimate, low, high)))


def _lang_reiczigel(judged, sensitivity, specificity, level):
    """Each is a share and its number of items; all are moved towards the middle first."""
    z = scipy.special.ndtri((1 + level) / 2)
    (p, n), (se, of_se), (sp, of_sp) = judged, sensitivity, specificity
    p, n = (n * p + z**2 / 2) / (n + z**2), n + z**2
    se, sp = (of_se * se + 1) / (of_se + 2), (of_sp * sp + 1) / (of_sp + 2)
    share = (p + sp - 1) / (se + sp - 1)
    from_se, from_sp = se * (1 - se) / (of_se + 2), sp * (1 - sp) / (of_sp + 2)
    moved = share + 2 * z**2 * (share * from_se - (1 - share) * from_sp)
    variance = p * (1 - p) / n + share**2 * from_se + (1 - share) ** 2 * from_sp
    reach = z * np.sqrt(variance) / (se + sp - 1)
    return moved - reach, moved + reach


def _columns(table, wanted, at_least):
    """Reference and judge, item by item, and the two kinds of numbers if there are only two."""
    ordered(table)
    y, f = np.where(np.isfinite(table.values), table.values, np.nan).T
    if wanted is not None:
        y = np.where([item in wanted for item in table.items], y, np.nan)
    values = table.scale.values
    kinds = (min(values), max(values)) if len(values) == 2 else None
    if at_least is not None:
        y, f = (np.where(np.isnan(x), np.nan, x >= at_least) for x in (y, f))
        kinds = (0.0, 1.0)
    return y, f, kinds


def _rows(where, found):
    for row in found:
        reason = {"note": str(row["note"]), "undefined": code_of(row["note"])}
        yield {**dict(zip(COLUMNS, where)), **row, **reason}


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


def _three(y, f, tuning, level, kinds=None):
    """The rows of the three methods for one dimension."""
    both, rest = np.isfinite(y) & np.isfinite(f), np.isfinite(f) & ~np.isfinite(y)
    n, many = int(both.sum()), int(rest.sum())
    counts = {"n_labelled": n, "n_unlabelled": many}
    nothing = dict.fromkeys(("estimate", "low", "high", "tuning", "effective_n"), np.nan)
    labels = y[both]
    if kinds and not np.isin(labels, kinds).all():  # means of several raters
        kinds = None
    few = _few(labels, kinds)
    if n < 2:
        said = Reason(TOO_FEW_ITEMS, "fewer than two items with both ratings")
        yield {"method": "labels only", **nothing, **counts, "note": said}
    else:
        low, high, why = _of_labels(labels, level, kinds)
        ends = {"low": low, "high": high}
        known = {"estimate": labels.mean(), **ends, "tuning": 0.0, "effective_n": float(n)}
        yield {"method": "labels only", **known, **counts, "note": notes(few, why)}
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
    why = "" if found.error > 0 else _no_error(labels, level)
    yield {"method": "prediction powered", **known, **counts, "note": notes(few, same, why)}


def _few(labels, kinds):
    """What to say of few labels, or of few labels of the rarer of two kinds."""
    n = len(labels)
    if n < _FEW:
        return f"{n} labels: fewer than {_FEW} give an unsure interval"
    rarer = min(np.count_nonzero(labels == kind) for kind in kinds) if kinds else n
    if rarer < _FEW_OF_A_KIND:
        return (
            f"{rarer} of {n} labels are of the rarer kind: fewer than {_FEW_OF_A_KIND} give an "
            "unsure interval"
        )
    return ""


def _of_labels(labels, level, kinds):
    """The interval of the labels' mean, and why there is none."""
    n, mean = labels.size, labels.mean()
    if kinds:
        step = kinds[1] - kinds[0]
        low, high = wilson_interval((mean - kinds[0]) / step, n, level)
        return kinds[0] + step * low, kinds[0] + step * high, ""
    error = labels.std(ddof=1) / np.sqrt(n)
    if error == 0:
        return np.nan, np.nan, _no_error(labels, level)
    reach = scipy.special.stdtrit(n - 1, (1 + level) / 2) * error
    return mean - reach, mean + reach, ""


def _no_error(labels, level):
    n = labels.size
    share = 1 - (1 - level) ** (1 / n)
    return (
        f"no interval: nothing varies in {n} labels, and up to {share:.0%} of all items may "
        "still be others"
    )
