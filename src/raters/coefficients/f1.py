"""F1 of one rater against another, in four averages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from raters.coefficients.base import (
    BETWEEN_LEVELS,
    LEVEL_UNUSED,
    Reason,
    Sums,
    code_of,
    notes,
    ratio,
)
from raters.coefficients.pairs import Levels, pair_sums, split_cells
from raters.coefficients.ratings import NO_SHARED_ITEM, Ratings, observed_values
from raters.errors import RatingsError
from raters.scale import Scale

# --- F1 -----------------------------------------------------------------------


def f1_weighted(x: np.ndarray, scale: Scale) -> Sums:
    """F1 of each level, averaged with the reference's counts as weights.

    The first rater is the reference, the second is judged against it.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Reference and judge; items rated by both count. Every rating has to be a
        level: round means first (`round_ratings`).
    scale : Scale
        The levels are the labels.

    Returns
    -------
    Sums
        Between 0 and 1; NaN with a note when a rating lies between levels.

    Notes
    -----
    F1 of a label is 2 TP / (reference's count + judge's count). A label that
    the reference never gives has weight 0.
    Source: van Rijsbergen (1979), Information Retrieval, ch. 7.

    Examples
    --------
    >>> x = np.array([[0, 0], [1, 2], [2, 1], [0, 0], [1, 0], [2, 1]])
    >>> round(f1_weighted(x, Scale([0, 1, 2])).estimate(), 4)
    0.2667
    """
    return _f1(x, scale, _by_reference)


def f1_macro(x: np.ndarray, scale: Scale) -> Sums:
    """F1 of each level, averaged over the declared levels that anybody used.

    The first rater is the reference, the second is judged against it.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Reference and judge; items rated by both count. Every rating has to be a
        level: round means first (`round_ratings`).
    scale : Scale
        The levels are the labels that are averaged.

    Returns
    -------
    Sums
        Between 0 and 1; NaN with a note when a rating lies between levels.

    Notes
    -----
    A declared level that neither rater gives has no F1 and is left out of the
    average; the note names it. A resample averages over the levels it holds.

    Examples
    --------
    >>> x = np.array([[0, 0], [1, 2], [2, 1], [0, 0], [1, 0], [2, 1]])
    >>> round(f1_macro(x, Scale([0, 1, 2])).estimate(), 4)
    0.2667
    """
    sums = _f1(x, scale, _by_label)
    if code_of(sums.note):
        return sums
    used = set(_given_by_either(Ratings.of(x, scale)))
    unused = [scale.name_of(value) for value in scale.values if value not in used]
    if not unused and not sums.note:
        return sums
    averaged = ", ".join(scale.name_of(value) for value in scale.values if value in used)
    left = f"; nobody gave {', '.join(unused)}" if unused else ""
    return replace(sums, note=notes(f"averaged over {averaged}{left}", sums.note))


def f1_micro(x: np.ndarray, scale: Scale) -> Sums:
    """F1 of all levels' hits and counts taken together.

    The first rater is the reference, the second is judged against it.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Reference and judge; items rated by both count. Every rating has to be a
        level: round means first (`round_ratings`).
    scale : Scale
        The levels are the labels.

    Returns
    -------
    Sums
        Between 0 and 1. Percent agreement, unless answers lie outside the levels.

    Examples
    --------
    >>> x = np.array([[0, 0], [1, 2], [2, 1], [0, 0], [1, 0], [2, 1]])
    >>> round(f1_micro(x, Scale([0, 1, 2])).estimate(), 4)
    0.3333
    """
    return _f1(x, scale, _by_count)


def f1_of(level):
    """F1 of one level: a coefficient for `pairwise`.

    Parameters
    ----------
    level : int, float or str
        A level as declared.

    Returns
    -------
    callable
        Takes ``(x, scale)`` as the other coefficients do. Undefined, with a note,
        where nobody gave the level.

    Examples
    --------
    >>> x = np.array([[0, 0], [1, 2], [2, 1], [0, 0], [1, 0], [2, 1]])
    >>> round(f1_of(0)(x, Scale([0, 1, 2])).estimate(), 4)
    0.8
    """

    def coefficient(x: np.ndarray, scale: Scale) -> Sums:
        value = scale.value_of(level)
        if not np.isfinite(value):
            raise RatingsError(
                f"F1 of {level!r}", f"one of the levels {scale.describe()}", "name a level"
            )
        here = np.isclose(_given_by_either(Ratings.of(x, scale)), value)
        sums = _f1(x, scale, lambda *by_level: _by_count(*(part[here] for part in by_level)))
        if here.any() or code_of(sums.note):
            return sums
        return replace(sums, note=Reason(LEVEL_UNUSED, f"nobody gave {scale.name_of(value)}"))

    return coefficient


def f1_at_least(threshold: float):
    """Weighted F1 of the question whether a rating is at least a threshold.

    Parameters
    ----------
    threshold : float
        In values of the scale.

    Returns
    -------
    callable
        Takes ``(x, scale)`` as the other coefficients do.

    Examples
    --------
    >>> x = np.array([[0, 0], [1, 2], [2, 1], [0, 0], [1, 0], [2, 1]])
    >>> round(f1_at_least(1)(x, Scale([0, 1, 2])).estimate(), 4)
    0.8381
    """
    return lambda x, scale: _f1(x, scale, _by_reference, threshold)


def _by_reference(f1, given, judged):
    return ratio((given * f1).sum(axis=0), given.sum(axis=0), 1.0)


def _by_label(f1, given, judged):
    used = given + judged > 0
    return ratio((used * f1).sum(axis=0), used.sum(axis=0), 1.0)


def _by_count(f1, given, judged):
    count = given + judged
    return ratio((count * f1).sum(axis=0), count.sum(axis=0), 1.0)


def _given_by_either(r):
    """The levels that occur on items that both answered."""
    return observed_values(r.values[~np.isnan(r.values).any(axis=1)])


def _f1(x, scale, average, threshold=None):
    """F1 of each level that occurs, averaged.

    Answers outside the levels count against the level that was right, and are no
    level themselves: they get a number of their own, which is not averaged.
    """
    given = Ratings.of(x, scale)
    values = given.values
    there = ~np.isnan(values).any(axis=1)
    note = given.one_sided(outside_counts=True) if there.any() else NO_SHARED_ITEM
    known = np.round(scale.values, 9)
    off = np.setdiff1d(observed_values(values[there]), known)
    if off.size:
        note = Reason(BETWEEN_LEVELS, f"{off[0]:g} is not a level; round the ratings first")
        values = np.full_like(values, np.nan)
    if threshold is not None:
        known = np.array([0.0, 1.0])
        values = np.where(np.isfinite(values), values >= threshold, values)
    r = given.like(np.where(np.isinf(values), known.max() + 1, values))
    levels = Levels.of(r)
    margins = levels.margins()
    terms = np.concatenate([margins, margins[: levels.size] * margins[levels.size :]])
    level = np.isin(levels.values, known)

    def finish(totals):
        given, judged, hits, _ = split_cells(totals, levels.size)
        count = given + judged
        f1 = np.divide(2 * hits, count, out=np.zeros_like(hits), where=count > 0)
        return average(f1[level], given[level], judged[level])

    return pair_sums(r, terms, finish, note)
