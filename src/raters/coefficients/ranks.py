"""Spearman's rho, Kendall's tau-b, Lin's concordance."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import scipy

from raters.coefficients.base import NO_VARIATION, Reason, Sums, mid_ranks, ratio
from raters.coefficients.kappa import quadratic_kappa
from raters.coefficients.pairs import moments, pair_sums, split_cells, with_cells
from raters.coefficients.ratings import NO_SHARED_ITEM, Ratings
from raters.scale import Scale


def lin_concordance(x: np.ndarray, scale: Scale) -> Sums:
    """Lin's concordance correlation: how close the points lie to the line of equality.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        Between -1 and 1. Undefined when every rating has one and the same value.

    Notes
    -----
    ``2 s_xy / (s_x^2 + s_y^2 + (mean_x - mean_y)^2)`` with variances divided by n,
    which is quadratic kappa by another name. Source: Lin (1989), Biometrics 45, 255-268,
    with the correction of 2000 (56, 324-325), who gives the analytic interval: Fisher's Z.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [5, 4]])
    >>> round(lin_concordance(x, Scale([1, 2, 3, 4, 5])).estimate(), 4)
    0.8519
    """
    r = Ratings.of(x, scale)
    sums = moments(r, quadratic_kappa, r.pair_note)
    return replace(sums, known_interval=partial(_lin_interval, sums))


def _lin_interval(sums, level):
    """Limits on Fisher's scale, with Lin's variance of Z on n - 2."""
    n, a, b, aa, bb, d = sums.total()
    concordance = sums.estimate()
    if n < 3 or np.isnan(concordance) or not 1e-9 < abs(concordance) < 1 - 1e-9:
        return _plain_interval(sums, level)
    variances = aa / n - (a / n) ** 2, bb / n - (b / n) ** 2
    product = np.sqrt(variances[0] * variances[1])
    covariance = concordance * (sum(variances) + ((a - b) / n) ** 2) / 2
    if not product > 0 or not abs(covariance) > 0:
        return np.nan, np.nan
    r, shift = covariance / product, ((a - b) / n) ** 2 / product
    rest = 1 - concordance**2
    variance = (
        (1 - r**2) * concordance**2 / (rest * r**2)
        + 2 * concordance**3 * (1 - concordance) * shift / (r * rest**2)
        - concordance**4 * shift**2 / (2 * r**2 * rest**2)
    ) / (n - 2)
    reach = scipy.special.ndtri((1 + level) / 2) * np.sqrt(max(variance, 0.0))
    low, high = np.tanh(np.arctanh(concordance) + np.array([-reach, reach]))
    return float(low), float(high)


def _plain_interval(sums, level):
    """The estimate and its standard error: at 0 Lin's variance is not defined."""
    if not abs(sums.estimate()) < 1 - 1e-9:
        return np.nan, np.nan
    return replace(sums, known_interval=None).analytic_interval(level)


def _rank_note(r):
    """Why a rank correlation is not defined, where one rater never varies."""
    if not r.both.any():
        return NO_SHARED_ITEM
    side = r.constant_side
    if not side:
        return r.one_sided()
    return Reason(NO_VARIATION, f"{side}, so there is no order to compare")


def _fisher(sums, variance):
    """The sums with an interval on Fisher's scale, tanh(atanh(r) +- z sqrt(variance))."""

    def interval(level):
        r, n = sums.estimate(), sums.n_items
        if not abs(r) < 1 or n <= 4:
            return np.nan, np.nan
        reach = scipy.special.ndtri((1 + level) / 2) * np.sqrt(variance(r, n))
        low, high = np.tanh(np.arctanh(r) + np.array([-reach, reach]))
        return float(low), float(high)

    return replace(sums, known_interval=interval)


def spearman_rho(x: np.ndarray, scale: Scale) -> Sums:
    """Spearman's rank correlation, ties at their mid-ranks.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Only its order matters.

    Returns
    -------
    Sums
        Between -1 and 1. Undefined when a rater gives every item the same rating.

    Notes
    -----
    The Pearson correlation of the mid-ranks; a resample has its own mid-ranks.
    Source: Spearman (1904), American Journal of Psychology 15, 72-101. Analytic
    interval: Fisher's, with the variance (1 + r^2 / 2) / (n - 3) of Bonett and
    Wright (2000), Psychometrika 65, 23-28.

    Examples
    --------
    >>> x = np.array([[1, 2], [2, 1], [3, 4], [4, 4]])
    >>> round(spearman_rho(x, Scale([1, 2, 3, 4])).estimate(), 4)
    0.7379
    """
    ratings = Ratings.of(x, scale)
    levels, i, j, terms = with_cells(ratings)

    def finish(totals):
        rows, columns, cells, n = split_cells(totals, levels.size)
        r, c = mid_ranks(rows, n), mid_ranks(columns, n)
        rc, rr, cc = (
            np.einsum("i...,i...,i...->...", *three)
            for three in ((cells, r[i], c[j]), (rows, r, r), (columns, c, c))
        )
        return ratio(rc, np.sqrt(rr * cc), n**3)

    sums = pair_sums(ratings, terms, finish, _rank_note(ratings))
    sums = replace(sums, known_test=_spearman_test)
    return _fisher(sums, lambda r, n: (1 + r * r / 2) / (n - 3))


def _spearman_test(sums):
    r, n = sums.estimate(), sums.n_items
    if n < 3 or np.isnan(r):
        return np.nan
    left = max(1 - r * r, 0.0)
    return float(2 * scipy.special.stdtr(n - 2, -abs(r) * np.sqrt((n - 2) / left))) if left else 0.0


def kendall_tau_b(x: np.ndarray, scale: Scale) -> Sums:
    """Kendall's tau-b: concordant less discordant pairs of items, corrected for ties.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Only its order matters.

    Returns
    -------
    Sums
        Between -1 and 1. Undefined when a rater gives every item the same rating.

    Notes
    -----
    Source: Kendall (1945), Biometrika 33, 239-251. Analytic interval: Fisher's, with
    the variance 0.437 / (n - 4) of Fieller, Hartley and Pearson (1957), Biometrika
    44, 470-481.

    Examples
    --------
    >>> x = np.array([[1, 2], [2, 1], [3, 4], [4, 4]])
    >>> round(kendall_tau_b(x, Scale([1, 2, 3, 4])).estimate(), 4)
    0.5477
    """
    r = Ratings.of(x, scale)
    levels, i, j, terms = with_cells(r)
    # 1 where two cells are in the same order on both sides, -1 where in opposite order.
    order = np.sign(i[:, None] - i) * np.sign(j[:, None] - j).astype(float)

    def finish(totals):
        rows, columns, cells, n = split_cells(totals, levels.size)
        balance = (cells * np.tensordot(order, cells, axes=(1, 0))).sum(axis=0)
        untied = [np.maximum(n * n - (side**2).sum(axis=0), 0) for side in (rows, columns)]
        return ratio(balance, np.sqrt(untied[0] * untied[1]), n * n)

    sums = pair_sums(r, terms, finish, _rank_note(r))
    sums = replace(sums, known_test=partial(_kendall_test, order, levels.size))
    return _fisher(sums, lambda r, n: 0.437 / (n - 4))


def _kendall_test(order, size, sums):
    """Two-sided p of no association, by the normal approximation with ties.

    Source: Kendall (1970), Rank Correlation Methods, 4th ed., ch. 4.
    """
    rows, columns, cells, n = split_cells(sums.total(), size)
    if n < 3 or np.isnan(sums.estimate()):
        return np.nan

    def ties(t):
        return (
            (t * (t - 1)).sum(),
            (t * (t - 1) * (t - 2)).sum(),
            (t * (t - 1) * (2 * t + 5)).sum(),
        )

    (a2, a3, a5), (b2, b3, b5) = ties(rows), ties(columns)
    m = n * (n - 1)
    variance = (m * (2 * n + 5) - a5 - b5) / 18 + a2 * b2 / (2 * m) + a3 * b3 / (9 * m * (n - 2))
    balance = cells @ order @ cells / 2
    return float(2 * scipy.special.ndtr(-abs(balance) / np.sqrt(variance)))
