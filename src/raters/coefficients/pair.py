"""Coefficients for two raters. Of the two, the first is the reference where that matters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import stats

from raters.coefficients.base import (
    SAME,
    Sums,
    centre,
    declared_table,
    mid_ranks,
    notes,
    observed_values,
    ratio,
    variation_note,
    weights,
)
from raters.errors import RatingsError
from raters.scale import Scale

_NOTHING_SHARED = "not defined: no item has ratings by both"


def _shared(x):
    """The two columns on the items that both rated, and the mask of those items."""
    both = np.isfinite(x).all(axis=1)
    return both, x[both, 0], x[both, 1]


def _left_out(x, outside_counts=False):
    """What is left out, or counts as a miss: items that one rated, answers that are no level."""
    if np.isfinite(x).all():
        return ""
    outside = int(np.isinf(x[~np.isnan(x).any(axis=1)]).any(axis=1).sum())
    alone = int((np.isnan(x).sum(axis=1) == 1).sum())
    what = "count as misses" if outside_counts else "left out"
    return notes(
        f"items that only one of the two rated, left out: {alone}" if alone else "",
        f"items with an answer outside the levels, {what}: {outside}" if outside else "",
    )


def _constant_side(x, scale):
    """Which of the two gives everything one rating, and which rating; or None."""
    _, a, b = _shared(x)
    for name, side in (("first", a), ("second", b)):
        if side.size and side.max() - side.min() <= SAME:
            return f"the {name} rater gives {scale.name_of(side[0])} to all {side.size} items"
    return None


def _pair_note(x, scale):
    both, _, _ = _shared(x)
    if not both.any():
        return _NOTHING_SHARED
    note = variation_note(x[both], "ratings by both", scale)
    one_sided = "" if note.startswith("not defined") else _constant_side(x, scale)
    return notes(note, one_sided, _left_out(x))


def _sums(both, terms, finish, note):
    return Sums(terms, finish, int(both.sum()), 2 * int(both.sum()), note)


def _moments(x, finish, note):
    """Sums with the terms n, a, b, a^2, b^2, (a - b)^2 of the items rated by both."""
    both, a, b = _shared(x)
    middle = centre(np.concatenate([a, b]))
    terms = np.zeros((6, both.size))
    a, b = a - middle, b - middle
    terms[:, both] = [np.ones_like(a), a, b, a * a, b * b, (a - b) ** 2]
    return _sums(both, terms, finish, note)


def _quadratic_kappa(totals):
    n, a, b, aa, bb, d = totals
    expected = n * (aa + bb) - 2 * a * b
    return 1 - ratio(n * d, expected, n * (aa + bb))


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
    return _moments(x, _quadratic_kappa, _pair_note(x, scale))


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
    which is quadratic kappa by another name. Source: Lin (1989), Biometrics 45, 255-268.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [5, 4]])
    >>> round(lin_concordance(x, Scale([1, 2, 3, 4, 5])).estimate(), 4)
    0.8519
    """
    return _moments(x, _quadratic_kappa, _pair_note(x, scale))


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
    _, a, b = _shared(x)
    note = _pair_note(x, scale)
    if not note.startswith("not defined") and np.ptp(a) == 0 == np.ptp(b):
        note = "not defined: neither rater tells any items apart"

    def finish(totals):
        n, a, b, aa, bb, d = totals
        variances = n * (aa + bb) - a * a - b * b
        return ratio(n * (aa + bb - d) - 2 * a * b, variances, n * (aa + bb))

    return _moments(x, finish, note)


def mean_difference(x: np.ndarray, scale: Scale) -> Sums:
    """Mean of the second rater less mean of the first: the shift of level, or bias.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Reference and judge; items rated by both count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        In steps of the scale; positive when the second rater is higher.

    Notes
    -----
    Source: Bland and Altman (1986), The Lancet 327, 307-310.

    Examples
    --------
    >>> mean_difference(np.array([[1, 2], [2, 3], [3, 3], [4, 4]]), Scale([1, 2, 3, 4])).estimate()
    0.5
    """
    note = _left_out(x) if _shared(x)[0].any() else _NOTHING_SHARED
    sums = _moments(x, lambda t: ratio(t[2] - t[1], t[0], 0.0), note)
    return replace(sums, sampled=sums.n_items)


def percent_agreement(x: np.ndarray, scale: Scale) -> Sums:
    """Share of items on which two raters give the same rating.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Not needed.

    Returns
    -------
    Sums
        Between 0 and 1 (not per cent). Not corrected for chance.

    Examples
    --------
    >>> percent_agreement(np.array([[1, 1], [2, 3]]), Scale([1, 2, 3])).estimate()
    0.5
    """
    both = ~np.isnan(x).any(axis=1)
    a, b = x[both].T
    terms = np.zeros((2, both.size))
    terms[:, both] = [np.ones_like(a), np.isfinite(a) & np.isclose(a, b, rtol=0, atol=1e-9)]
    note = _left_out(x, outside_counts=True) if both.any() else _NOTHING_SHARED
    return _sums(both, terms, lambda t: ratio(t[1], t[0], 1.0), note)


# --- from the table of both raters' levels ------------------------------------


def _cells(x):
    """One-hot terms for the V x V cells of two raters, and the values in order."""
    both, a, b = _shared(x)
    values, code = np.unique(np.round(np.concatenate([a, b]), 9), return_inverse=True)
    first, second = np.split(code, 2)
    terms = np.zeros((values.size**2, both.size))
    terms[first * values.size + second, np.flatnonzero(both)] = 1.0
    return both, values, terms


def _table(totals, values):
    """Cells, row sums, column sums and their total; the raters come first, resamples last."""
    cells = totals.reshape((values.size, values.size, *totals.shape[1:]))
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    return cells, rows, columns, rows.sum(axis=0)


def _products(weight, rows, columns):
    """The sum of weight[i, j] * rows[i] * columns[j], for every resample."""
    return np.einsum("i...,i...->...", rows, np.tensordot(weight, columns, axes=(1, 0)))


def _kappa(x, scale, weight_of, expected_of):
    both, values, terms = _cells(x)
    weight = weight_of(values)

    def finish(totals):
        cells, rows, columns, n = _table(totals, values)
        observed = np.tensordot(weight, cells, axes=([0, 1], [0, 1]))
        expected = expected_of(weight, rows, columns)
        return 1 - ratio(n * (n - observed), n * n - expected, n * n)

    return _sums(both, terms, finish, _pair_note(x, scale))


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
    return _kappa(x, scale, lambda values: np.eye(values.size), _products)


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
    return _kappa(x, scale, lambda values: weights(values, "linear", scale), _products)


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
        return _kappa(x, scale, lambda values: 1 - distance(values), _products)

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
    both, values, terms = _cells(np.round(x, 2))

    def finish(totals):
        cells, rows, columns, n = _table(totals, values)
        place = np.cumsum(rows + columns > 0, axis=0) - 1.0  # among the values that occur
        # By the moments of the places: expanding the square needs no V x V weights a resample.
        a, aa = (rows * place).sum(axis=0), (rows * place**2).sum(axis=0)
        b, bb = (columns * place).sum(axis=0), (columns * place**2).sum(axis=0)
        ab = np.einsum("i...,ij...,j...->...", place, cells, place)
        return 1 - ratio(n * (aa + bb - 2 * ab), n * (aa + bb) - 2 * a * b, n * (aa + bb))

    return _sums(both, terms, finish, _pair_note(x, scale))


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
        return _products(weight, (rows + columns) / 2, (rows + columns) / 2)

    return _kappa(x, scale, lambda values: np.eye(values.size), pooled)


def _rank_note(x, scale):
    """Why a rank correlation is not defined, where one rater never varies."""
    if not _shared(x)[0].any():
        return _NOTHING_SHARED
    side = _constant_side(x, scale)
    return f"not defined: {side}, so there is no order to compare" if side else _left_out(x)


def _fisher(sums, variance):
    """The sums with an interval on Fisher's scale, tanh(atanh(r) +- z sqrt(variance))."""

    def interval(level):
        r, n = sums.estimate(), sums.n_items
        if not abs(r) < 1 or n <= 4:
            return np.nan, np.nan
        reach = stats.norm.ppf((1 + level) / 2) * np.sqrt(variance(r, n))
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
    both, values, terms = _cells(x)

    def finish(totals):
        cells, rows, columns, n = _table(totals, values)
        r, c = mid_ranks(rows, n), mid_ranks(columns, n)
        rc = np.einsum("i...,ij...,j...->...", r, cells, c)
        rr, cc = (rows * r * r).sum(axis=0), (columns * c * c).sum(axis=0)
        return ratio(rc, np.sqrt(rr * cc), n**3)

    sums = _sums(both, terms, finish, _rank_note(x, scale))
    return _fisher(sums, lambda r, n: (1 + r * r / 2) / (n - 3))


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
    both, values, terms = _cells(x)

    def finish(totals):
        cells, rows, columns, n = _table(totals, values)
        # Items below and to the left of a cell are concordant partners of its items,
        # those below and to the right discordant; each pair is counted once.
        below = np.cumsum(cells, axis=0) - cells
        left = np.cumsum(below, axis=1) - below
        right = below.sum(axis=1, keepdims=True) - left - below
        balance = 2 * (cells * (left - right)).sum(axis=(0, 1))
        untied_a, untied_b = (n * n - (side**2).sum(axis=0) for side in (rows, columns))
        return ratio(balance, np.sqrt(untied_a * untied_b), n * n)

    sums = _sums(both, terms, finish, _rank_note(x, scale))
    return _fisher(sums, lambda r, n: 0.437 / (n - 4))


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
    if sums.note.startswith("not defined"):
        return sums
    used = set(observed_values(x[~np.isnan(x).any(axis=1)]))
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
        here = np.isclose(observed_values(x[~np.isnan(x).any(axis=1)]), value)
        sums = _f1(x, scale, lambda *by_level: _by_count(*(part[here] for part in by_level)))
        if here.any() or sums.note.startswith("not defined"):
            return sums
        return replace(sums, note=f"not defined: nobody gave {scale.name_of(value)}")

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


def _f1(x, scale, average, threshold=None):
    """F1 of each level that occurs, averaged.

    Answers outside the levels count against the level that was right, and are no
    level themselves: they get a number of their own, which is not averaged.
    """
    there = ~np.isnan(x).any(axis=1)
    note = _left_out(x, outside_counts=True) if there.any() else _NOTHING_SHARED
    levels = np.round(scale.values, 9)
    off = np.setdiff1d(observed_values(x[there]), levels)
    if off.size:
        note = f"not defined: {off[0]:g} is not a level; round the ratings first"
        x = np.full_like(x, np.nan, dtype=float)
    if threshold is not None:
        levels = np.array([0.0, 1.0])
        x = np.where(np.isfinite(x), x >= threshold, x)
    x = np.where(np.isinf(x), levels.max() + 1, x)
    both, values, terms = _cells(x)
    level = np.isin(values, levels)

    def finish(totals):
        cells, given, judged, _ = _table(totals, values)
        hits = np.array([cells[i, i] for i in range(values.size)]).reshape(given.shape)
        count = given + judged
        f1 = np.divide(2 * hits, count, out=np.zeros_like(hits), where=count > 0)
        return average(f1[level], given[level], judged[level])

    return _sums(both, terms, finish, note)
