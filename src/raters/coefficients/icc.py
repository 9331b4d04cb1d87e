"""The six intraclass correlations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from raters.coefficients.base import NO_VARIANCE, TOO_FEW_ITEMS, Reason, Sums, code_of, notes, ratio
from raters.coefficients.ratings import Ratings
from raters.scale import Scale

# --- intraclass correlation ---------------------------------------------------------


def _icc(x, scale, form, limits, error_within=False):
    r = Ratings.of(x, scale)
    whole = r.complete
    k = r.values.shape[1]
    shifted = np.where(whole[:, None], np.nan_to_num(r.values - r.centre), 0.0)
    row = shifted.sum(axis=1)
    terms = np.concatenate([[whole], [(shifted**2).sum(axis=1)], [row**2], shifted.T]).astype(float)

    def mean_squares(totals):
        n, squares, rows, columns = totals[0], totals[1], totals[2], totals[3:]
        correction = ratio(columns.sum(axis=0) ** 2, n * k, 0.0)
        total, between = squares - correction, rows / k - correction
        raters = ratio((columns**2).sum(axis=0), n, 0.0) - correction
        error = ratio(total - between - raters, (n - 1) * (k - 1), 0.0)
        within = ratio(total - between, n * (k - 1), 0.0)
        return ratio(between, n - 1, 0.0), raters / (k - 1), error, within, n

    def finish(totals):
        top, bottom = form(*mean_squares(totals), k)
        result = ratio(top, bottom, totals[1] / np.maximum(totals[0], 1))
        # A negative estimate of a variance, possible in ICC(2,k), would give values above 1.
        return np.where(bottom > 0, result, np.nan)

    n = r.items(whole)
    sums = Sums(terms, finish, n, k * n, counts=r.counts)
    reason = notes(r.variation(whole, "ratings by everybody"), r.left_out)
    if not code_of(reason) and np.isnan(sums.estimate()):
        few = Reason(TOO_FEW_ITEMS, "one item only")
        why = few if n == 1 else Reason(NO_VARIANCE, "the estimated variance is not above 0")
        reason = notes(why, reason)

    def known_interval(level):
        with np.errstate(divide="ignore", invalid="ignore"):  # no error variance: NaN limits
            return limits(level, *mean_squares(sums.total()), k)

    def test(sums):
        between, _, error, within, _ = mean_squares(sums.total())
        noise, df = (within, n * (k - 1)) if error_within else (error, (n - 1) * (k - 1))
        if n < 2 or np.isnan(sums.estimate()):
            return np.nan
        return float(scipy.special.fdtrc(n - 1, df, max(between / noise, 0))) if noise > 0 else 0.0

    return replace(sums, note=reason, known_interval=known_interval, known_test=test)


def _with_levels(sums, r):
    """What a consistency coefficient does not see: how far apart the raters' means are."""
    rows = r.complete
    often = None if r.counts is None else r.counts[rows]
    gap = np.ptp(np.average(r.values[rows], axis=0, weights=often)) if rows.any() else 0.0
    if gap <= 1e-9 or code_of(sums.note):
        return sums
    unseen = f"consistency only: the raters' means differ by up to {gap:.3g}, which does not count"
    return replace(sums, note=notes(unseen, sums.note))


def _one_way(level, b, j, e, w, n, k):
    """Limits of ICC(1,1): F is B / W on n - 1 and n (k - 1) degrees of freedom."""
    return _f_limits(level, b / w, n - 1, n * (k - 1), k)


def _consistency(level, b, j, e, w, n, k):
    """Limits of ICC(3,1): F is B / E on n - 1 and (n - 1)(k - 1) degrees of freedom."""
    return _f_limits(level, b / e, n - 1, (n - 1) * (k - 1), k)


def _f_limits(level, f, df1, df2, k):
    tail = (1 + level) / 2
    low, high = f / scipy.special.fdtri(df1, df2, tail), f * scipy.special.fdtri(df2, df1, tail)
    return float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))


def _two_way(level, b, j, e, w, n, k):
    """Limits of ICC(2,1), with Satterthwaite's degrees of freedom."""
    tail = (1 + level) / 2
    icc = (b - e) / (b + (k - 1) * e + k * (j - e) / n)
    f = j / e
    weight = n * (1 + (k - 1) * icc) - k * icc
    v = (k - 1) * (n - 1) * (k * icc * f + weight) ** 2
    v /= (n - 1) * k**2 * icc**2 * f**2 + weight**2
    upper, lower = scipy.special.fdtri(n - 1, v, tail), scipy.special.fdtri(v, n - 1, tail)
    spread = k * j + (k * n - k - n) * e
    low = n * (b - upper * e) / (upper * spread + n * b)
    high = n * (lower * b - e) / (spread + n * lower * b)
    return float(low), float(high)


def _of_means(limits):
    """Limits for the mean of k ratings, from those of a single one (Spearman-Brown)."""

    def stepped(level, b, j, e, w, n, k):
        r = np.array(limits(level, b, j, e, w, n, k))
        # A single rating's limit at or below -1 / (k - 1) has no counterpart for the mean.
        if not (1 + (k - 1) * r > 0).all():
            return np.nan, np.nan
        low, high = k * r / (1 + (k - 1) * r)
        return float(low), float(high)

    return stepped


def icc1(x: np.ndarray, scale: Scale) -> Sums:
    """ICC(1,1): agreement of single ratings, each item rated by other people.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        Items rated by everybody count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        1 is perfect; can be negative. Undefined when every rating is the same.

    Notes
    -----
    ``(B - W) / (B + (k - 1) W)`` with the mean
    squares between items (B), within items (W), between raters (J) and of error (E);
    n items, k raters.
    Source: Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428, who also
    give the analytic interval.

    Examples
    --------
    >>> x = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(icc1(x, Scale(range(1, 11))).estimate(), 4)
    0.1337
    """
    return _icc(x, scale, lambda b, j, e, w, n, k: (b - w, b + (k - 1) * w), _one_way, True)


def icc2(x: np.ndarray, scale: Scale) -> Sums:
    """ICC(2,1): agreement of single ratings, raters drawn from many.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        Items rated by everybody count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        1 is perfect; can be negative. Undefined when every rating is the same.

    Notes
    -----
    ``(B - E) / (B + (k - 1) E + k (J - E) / n)`` with the mean
    squares between items (B), within items (W), between raters (J) and of error (E);
    n items, k raters.
    Source: Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428, who also
    give the analytic interval.

    Examples
    --------
    >>> x = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(icc2(x, Scale(range(1, 11))).estimate(), 4)
    0.2614
    """

    def form(b, j, e, w, n, k):
        return b - e, b + (k - 1) * e + k * (j - e) / n

    return _icc(x, scale, form, _two_way)


def icc3(x: np.ndarray, scale: Scale) -> Sums:
    """ICC(3,1): consistency of single ratings: raters' levels do not matter.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        Items rated by everybody count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        1 is perfect; can be negative. Undefined when every rating is the same.

    Notes
    -----
    ``(B - E) / (B + (k - 1) E)`` with the mean
    squares between items (B), within items (W), between raters (J) and of error (E);
    n items, k raters.
    Source: Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428, who also
    give the analytic interval.

    Examples
    --------
    >>> x = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(icc3(x, Scale(range(1, 11))).estimate(), 4)
    0.637
    """
    r = Ratings.of(x, scale)
    sums = _icc(r, scale, lambda b, j, e, w, n, k: (b - e, b + (k - 1) * e), _consistency)
    return _with_levels(sums, r)


def icc1k(x: np.ndarray, scale: Scale) -> Sums:
    """ICC(1,k): agreement of means of k ratings, each item rated by other people.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        Items rated by everybody count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        1 is perfect; can be negative. Undefined when every rating is the same.

    Notes
    -----
    ``(B - W) / B`` with the mean
    squares between items (B), within items (W), between raters (J) and of error (E);
    n items, k raters.
    Source: Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428, who also
    give the analytic interval.

    Examples
    --------
    >>> x = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(icc1k(x, Scale(range(1, 11))).estimate(), 4)
    0.3817
    """
    return _icc(x, scale, lambda b, j, e, w, n, k: (b - w, b), _of_means(_one_way), True)


def icc2k(x: np.ndarray, scale: Scale) -> Sums:
    """ICC(2,k): agreement of means of k ratings, raters drawn from many.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        Items rated by everybody count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        1 is perfect; can be negative. Undefined when every rating is the same.

    Notes
    -----
    ``(B - E) / (B + (J - E) / n)`` with the mean
    squares between items (B), within items (W), between raters (J) and of error (E);
    n items, k raters.
    Source: Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428, who also
    give the analytic interval.

    Examples
    --------
    >>> x = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(icc2k(x, Scale(range(1, 11))).estimate(), 4)
    0.586
    """
    return _icc(x, scale, lambda b, j, e, w, n, k: (b - e, b + (j - e) / n), _of_means(_two_way))


def icc3k(x: np.ndarray, scale: Scale) -> Sums:
    """ICC(3,k): consistency of means of k ratings: raters' levels do not matter.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        Items rated by everybody count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        1 is perfect; can be negative. Undefined when every rating is the same.

    Notes
    -----
    ``(B - E) / B`` with the mean
    squares between items (B), within items (W), between raters (J) and of error (E);
    n items, k raters.
    Source: Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428, who also
    give the analytic interval.

    Examples
    --------
    >>> x = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(icc3k(x, Scale(range(1, 11))).estimate(), 4)
    0.8753
    """
    r = Ratings.of(x, scale)
    sums = _icc(r, scale, lambda b, j, e, w, n, k: (b - e, b), _of_means(_consistency))
    return _with_levels(sums, r)
