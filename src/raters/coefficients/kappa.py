"""Cohen's kappa and its weighted forms, Scott's pi."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import scipy

from raters.coefficients.base import (
    NO_VARIATION,
    Reason,
    Sums,
    code_of,
    declared_table,
    ratio,
    running,
    weights,
)
from raters.coefficients.pairs import (
    Levels,
    moments,
    on_rows,
    pair_sums,
    products,
    split_cells,
    with_cells,
)
from raters.coefficients.ratings import Ratings
from raters.scale import Scale


def quadratic_kappa(totals):
    """The quadratic kappa from the totals that `moments` makes."""
    n, a, b, aa, bb, d = totals
    squares = n * (aa + bb)
    chance = a * b
    chance *= -2
    chance += squares
    return 1 - ratio(n * d, chance, squares)


def weighted_kappa_quadratic(x: np.ndarray, scale: Scale) -> Sums:
    """Cohen's kappa with squared distances between the values of the scale.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; NaN where one did not rate. Items rated by both count.
    scale : Scale
        The declared scale; its values are the distances.

    Returns
    -------
    Sums
        Between -1 and 1. Undefined when every rating has one and the same value.

    Notes
    -----
    With D the sum of squared differences over n items,
    ``1 - n D / (n (Sxx + Syy) - 2 Sx Sy)``. Levels that nobody used do not matter.
    Source: Cohen (1968), Psychological Bulletin 70, 213-220.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [5, 4]])
    >>> round(weighted_kappa_quadratic(x, Scale([1, 2, 3, 4, 5])).estimate(), 4)
    0.8519
    """
    r = Ratings.of(x, scale)
    return moments(r, quadratic_kappa, r.pair_note, partial(_kappa_test, r, "quadratic"))


def weighted_kappa_quadratic_centred(x: np.ndarray, scale: Scale) -> Sums:
    """Quadratic kappa after the raters' difference in level has been taken away.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        Quadratic kappa of the ratings less each rater's mean. What it gains over
        `weighted_kappa_quadratic` was a shift of level. Undefined when neither rater
        tells any items apart.

    Notes
    -----
    ``2 s_xy / (s_x^2 + s_y^2)``, the additivity coefficient: Zegers and ten Berge
    (1985), Psychometrika 50, 17-24.

    Examples
    --------
    >>> x = np.array([[1, 2], [2, 3], [3, 4], [4, 5]])
    >>> weighted_kappa_quadratic_centred(x, Scale([1, 2, 3, 4, 5])).estimate()
    1.0
    """
    r = Ratings.of(x, scale)
    note = r.pair_note
    if not code_of(note) and not np.ptp(r.sides, axis=1).any():
        note = Reason(NO_VARIATION, "neither rater tells any items apart")

    def finish(totals):
        n, a, b, aa, bb, d = totals
        variances = n * (aa + bb) - a * a - b * b
        return ratio(n * (aa + bb - d) - 2 * a * b, variances, n * (aa + bb))

    return moments(r, finish, note)


def _kappa(x, scale, weight_of, expected_of):
    r = Ratings.of(x, scale)
    levels = Levels.of(r)
    weight = weight_of(levels.values)
    observed = on_rows(r.both, weight[tuple(levels.codes)][None])
    terms = np.concatenate([levels.margins(), observed])

    def finish(totals):
        rows, columns, rest, n = split_cells(totals, levels.size)
        expected = expected_of(weight, rows, columns)
        return 1 - ratio(n * (n - rest[0]), n * n - expected, n * n)

    return pair_sums(r, terms, finish, r.pair_note)


def _cohen(x, scale, kind):
    r = Ratings.of(x, scale)
    sums = _kappa(r, scale, lambda values: weights(values, kind, scale), products)
    return replace(sums, known_test=partial(_kappa_test, r, kind))


def _kappa_test(r, kind, sums):
    """Two-sided p of kappa 0, with the variance under that hypothesis.

    Source: Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72, 323-327, eq. 9.
    """
    levels = Levels.of(r)
    margins = levels.margins()
    counted = margins.sum(axis=1) if r.counts is None else margins @ r.counts
    n = sums.n_items
    if n < 2 or np.isnan(sums.estimate()):
        return np.nan
    rows, columns = counted.reshape(2, -1) / n
    weight = weights(levels.values, kind, r.scale)
    expected = rows @ weight @ columns
    around = weight - (weight @ columns)[:, None] - (rows @ weight)[None, :]
    variance = (rows @ around**2 @ columns - expected**2) / (n * (1 - expected) ** 2)
    if not variance > 0:
        return np.nan
    return float(2 * scipy.special.ndtr(-abs(sums.estimate()) / np.sqrt(variance)))


def cohen_kappa(x: np.ndarray, scale: Scale) -> Sums:
    """Cohen's kappa: equal or not, each rater with their own habits as chance.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Only equality matters.

    Returns
    -------
    Sums
        Between -1 and 1. Undefined when every rating has one and the same value.

    Notes
    -----
    Source: Cohen (1960), Educational and Psychological Measurement 20, 37-46.

    Examples
    --------
    >>> round(cohen_kappa(np.array([[1, 1], [2, 2], [1, 2], [2, 2]]), Scale([1, 2])).estimate(), 4)
    0.5
    """
    return _cohen(x, scale, "identity")


def weighted_kappa_linear(x: np.ndarray, scale: Scale) -> Sums:
    """Cohen's kappa with distances between the values of the scale as weights.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Its values are the distances.

    Returns
    -------
    Sums
        Between -1 and 1. Undefined when every rating has one and the same value.

    Notes
    -----
    Source: Cohen (1968), Psychological Bulletin 70, 213-220.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [5, 4]])
    >>> round(weighted_kappa_linear(x, Scale([1, 2, 3, 4, 5])).estimate(), 4)
    0.6667
    """
    return _cohen(x, scale, "linear")


def weighted_kappa(disagreement: np.ndarray):
    """Cohen's kappa with any weights: a coefficient for `pairwise`.

    Parameters
    ----------
    disagreement : array-like, shape (levels, levels)
        Disagreement of each pair of declared levels, in the scale's order; the
        first rater in rows. 0 on the diagonal.

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
    Source: Cohen (1968), Psychological Bulletin 70, 213-220.

    Examples
    --------
    >>> worse = weighted_kappa([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [2, 2]])
    >>> round(worse(x, Scale([1, 2, 3])).estimate(), 4)
    0.4286
    """

    def coefficient(x: np.ndarray, scale: Scale) -> Sums:
        distance = declared_table(disagreement, scale)
        return _kappa(x, scale, lambda values: 1 - distance(values), products)

    return coefficient


def weighted_kappa_quadratic_published(x: np.ndarray, scale: Scale) -> Sums:
    """Quadratic kappa by the position of a value among the values that occur.

    The recipe of the replicated study, for the replication only. It treats
    neighbouring values that occur as one step apart: with ratings 1, 2 and 5 it
    counts 2 to 5 as one step. Where every level occurs it equals
    `weighted_kappa_quadratic`. A resample has its own positions.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count. Values are compared to 1/100.
    scale : Scale
        Not used: that is what is wrong with the recipe.

    Returns
    -------
    Sums

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 5], [5, 5], [2, 2]])
    >>> round(weighted_kappa_quadratic_published(x, Scale([1, 2, 3, 4, 5])).estimate(), 4)
    0.8
    """
    given = Ratings.of(x, scale)
    r = given.like(np.round(given.values, 2))
    levels, i, j, terms = with_cells(r)

    def finish(totals):
        rows, columns, cells, n = split_cells(totals, levels.size)
        place = running(rows + columns > 0) - 1.0  # among the values that occur
        squared = place * place
        a, aa, b, bb = (
            np.einsum("i...,i...->...", side, power)
            for side in (rows, columns)
            for power in (place, squared)
        )
        gap = place[i] - place[j]
        apart = np.einsum("i...,i...,i...->...", cells, gap, gap)
        return 1 - ratio(n * apart, n * (aa + bb) - 2 * a * b, n * (aa + bb))

    return pair_sums(r, terms, finish, given.pair_note)


def scott_pi(x: np.ndarray, scale: Scale) -> Sums:
    """Scott's pi: equal or not, both raters' pooled habits as chance.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Only equality matters.

    Returns
    -------
    Sums
        Between -1 and 1. Undefined when every rating has one and the same value.

    Notes
    -----
    Source: Scott (1955), Public Opinion Quarterly 19, 321-325.

    Examples
    --------
    >>> round(scott_pi(np.array([[1, 1], [2, 2], [1, 2], [2, 2]]), Scale([1, 2])).estimate(), 4)
    0.4667
    """

    def pooled(weight, rows, columns):
        return products(weight, (rows + columns) / 2, (rows + columns) / 2)

    return _kappa(x, scale, lambda values: np.eye(values.size), pooled)
