"""Krippendorff's alpha at every level of measurement."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from raters.coefficients.base import (
    NEGATIVE_VALUES,
    Reason,
    Sums,
    declared_table,
    mid_ranks,
    notes,
    ratio,
)
from raters.coefficients.ratings import Ratings
from raters.scale import Scale

# --- Krippendorff ---------------------------------------------------------------


def _alpha_sums(r, terms, finish):
    """`finish` takes the small-sample step: 1 for alpha itself, 0 for its linearised form."""
    some = r.number >= 2
    alone = f"items with a single rating, left out: {r.alone}" if r.alone else ""
    note = notes(r.variation(some, "two or more ratings"), alone)
    items, n_ratings = r.items(some), r.ratings(np.where(some, r.number, 0))
    return Sums(
        terms,
        partial(finish, step=1),
        items,
        n_ratings,
        note,
        smooth=lambda totals, at: finish(totals, step=0),
        sampled=items,
        counts=r.counts,
    )


def krippendorff_alpha_interval(x: np.ndarray, scale: Scale) -> Sums:
    """Krippendorff's alpha with squared differences (interval level).

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out. Items with two or more ratings count.
    scale : Scale
        Its values are the distances.

    Returns
    -------
    Sums
        1 is perfect, 0 is chance, below 0 is worse. Undefined when every rating
        has the same value.

    Notes
    -----
    With m ratings of an item, s1 and s2 their sum and sum of squares, and
    d = (m s2 - s1^2) / (m - 1): ``1 - (n - 1) D / (n S2 - S1^2)`` where n, S1,
    S2, D are the sums over items of m, s1, s2, d.
    Source: Krippendorff (2019), Content Analysis, 4th ed., ch. 12.

    Examples
    --------
    >>> x = np.array([[1, 1, 2], [3, 3, 3], [5, 4, np.nan]])
    >>> round(krippendorff_alpha_interval(x, Scale([1, 2, 3, 4, 5])).estimate(), 4)
    0.8704
    """
    r = Ratings.of(x, scale)
    kept = r.pairable
    m = kept.number
    shifted = np.nan_to_num(kept.values - r.centre)
    s1, s2 = shifted.sum(axis=1), (shifted**2).sum(axis=1)
    d = (m * s2 - s1**2) / np.maximum(m - 1, 1)

    def finish(totals, step):
        n, t1, t2, t = totals
        return 1 - ratio((n - step) * t, n * t2 - t1**2, n * t2)

    return _alpha_sums(r, np.array([m, s1, s2, d], float), finish)


def _alpha_by_distance(x, scale, distance):
    """Alpha from level counts and coincidences, with a distance that may need the counts."""
    r = Ratings.of(x, scale)
    kept = r.pairable
    values, counts = kept.observed, kept.observed_counts
    low, high = np.triu_indices(values.size, k=1)
    pairs = counts[low] * counts[high] / np.maximum(kept.number - 1, 1)

    def finish(totals, step):
        by_level, observed = totals[: values.size], totals[values.size :]
        n = by_level.sum(axis=0)
        apart = distance(values, low, high, by_level)
        expected = (by_level[low] * by_level[high] * apart).sum(axis=0)
        size = n * n * np.max(apart, axis=0, initial=0.0)
        return 1 - ratio((n - step) * (observed * apart).sum(axis=0), expected, size)

    return _alpha_sums(r, np.concatenate([counts, pairs]), finish)


def krippendorff_alpha_nominal(x: np.ndarray, scale: Scale) -> Sums:
    """Krippendorff's alpha for labels without an order.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out. Items with two or more ratings count.
    scale : Scale
        Only equality matters.

    Returns
    -------
    Sums
        1 is perfect, 0 is chance. Undefined when every rating is the same label.

    Notes
    -----
    ``1 - (n - 1) D / (n^2 - sum_v n_v^2)`` with D the sum over items of
    ``sum_v c_v (m - c_v) / (m - 1)``, c_v the item's ratings of label v.
    Source: Krippendorff (2019), Content Analysis, 4th ed., ch. 12.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 2], [1, 2], [2, 2]])
    >>> round(krippendorff_alpha_nominal(x, Scale([1, 2], measurement="nominal")).estimate(), 4)
    0.5333
    """
    r = Ratings.of(x, scale)
    kept = r.pairable
    m, counts = kept.number, kept.observed_counts
    d = (counts * (m - counts)).sum(axis=0) / np.maximum(m - 1, 1)

    def finish(totals, step):
        by_level = totals[1:]
        n = by_level.sum(axis=0)
        return 1 - ratio((n - step) * totals[0], n * n - (by_level**2).sum(axis=0), n * n)

    return _alpha_sums(r, np.concatenate([d[None], counts]), finish)


def krippendorff_alpha_ordinal(x: np.ndarray, scale: Scale) -> Sums:
    """Krippendorff's alpha with distances by rank counts (ordinal level).

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out. Items with two or more ratings count.
    scale : Scale
        Only its order matters.

    Returns
    -------
    Sums
        1 is perfect, 0 is chance. Undefined when every rating has the same value.

    Notes
    -----
    The distance of two levels is the number of ratings from one to the other,
    both ends counted half, squared; a resample has its own counts.
    Source: Krippendorff (2019), Content Analysis, 4th ed., ch. 12.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [1, 2]])
    >>> round(krippendorff_alpha_ordinal(x, Scale([1, 2, 3])).estimate(), 4)
    0.7083
    """

    def by_ranks(values, low, high, by_level):
        rank = mid_ranks(by_level, by_level.sum(axis=0))
        return (rank[high] - rank[low]) ** 2

    return _alpha_by_distance(x, scale, by_ranks)


def krippendorff_alpha_ratio(x: np.ndarray, scale: Scale) -> Sums:
    """Krippendorff's alpha with differences in proportion to the sum (ratio level).

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out. Items with two or more ratings count.
    scale : Scale
        Its values have a true zero: none is negative.

    Returns
    -------
    Sums
        1 is perfect, 0 is chance. Undefined when every rating has the same value,
        or when a value is negative.

    Notes
    -----
    The distance of c and k is ``((c - k) / (c + k))^2``.
    Source: Krippendorff (2019), Content Analysis, 4th ed., ch. 12.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [1, 2]])
    >>> round(krippendorff_alpha_ratio(x, Scale([1, 2, 3])).estimate(), 4)
    0.6649
    """

    def by_ratio(values, low, high, by_level):
        apart = ((values[high] - values[low]) / (values[high] + values[low])) ** 2
        return apart.reshape((-1,) + (1,) * (by_level.ndim - 1))

    r = Ratings.of(x, scale)
    if np.nanmin(r.values, initial=0.0) < 0:
        sums = _alpha_by_distance(r.like(np.full_like(r.values, np.nan)), scale, by_ratio)
        return replace(sums, note=Reason(NEGATIVE_VALUES, "negative values have no ratio"))
    return _alpha_by_distance(r, scale, by_ratio)


def krippendorff_alpha(distance: np.ndarray):
    """Krippendorff's alpha with any distances: a coefficient for `agreement`.

    Parameters
    ----------
    distance : array-like, shape (levels, levels)
        Distance of each pair of declared levels, in the scale's order: symmetric,
        0 on the diagonal.

    Returns
    -------
    callable
        Takes ``(x, scale)`` as the other coefficients do.

    Raises
    ------
    RatingsError
        When called with a scale of another length, or ratings between levels.

    Notes
    -----
    Source: Krippendorff (2019), Content Analysis, 4th ed., ch. 12.

    Examples
    --------
    >>> far = krippendorff_alpha([[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [1, 2]])
    >>> round(far(x, Scale([1, 2, 3])).estimate(), 4)
    0.7083
    """

    def coefficient(x: np.ndarray, scale: Scale) -> Sums:
        of = declared_table(distance, scale, symmetric=True)

        def apart(values, low, high, by_level):
            pairs = of(values)[low, high]
            return pairs.reshape((-1,) + (1,) * (by_level.ndim - 1))

        return _alpha_by_distance(x, scale, apart)

    return coefficient
