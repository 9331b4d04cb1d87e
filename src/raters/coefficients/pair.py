"""Coefficients for two raters. Of the two, the first is the reference where that matters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import special, stats

from raters.coefficients.base import Sums, declared_table, mid_ranks, notes, ratio, running, weights
from raters.coefficients.ratings import NOTHING_SHARED, Ratings, observed_values
from raters.errors import RatingsError
from raters.scale import Scale


def _sums(r, terms, finish, note, test=None):
    n = r.items(r.both)
    return Sums(terms, finish, n, 2 * n, note, known_test=test, counts=r.counts)


def on_rows(mask, terms):
    """Terms of the rows in a mask, 0 elsewhere."""
    terms = np.asarray(terms, float)
    if terms.shape[1] == mask.size:
        return terms
    result = np.zeros((len(terms), mask.size))
    result[:, mask] = terms
    return result


def moments(r, finish, note, test=None):
    """Sums with the terms n, a, b, a^2, b^2, (a - b)^2 of the items rated by both."""
    sides = r.sides - r.centre
    terms = np.empty((6, sides.shape[1]))
    terms[0] = 1
    terms[1:3] = sides
    np.square(sides, out=terms[3:5])
    np.square(sides[0] - sides[1], out=terms[5])
    return _sums(r, on_rows(r.both, terms), finish, note, test)


def _quadratic_kappa(totals):
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
    return moments(r, _quadratic_kappa, r.pair_note, partial(_kappa_test, r, "quadratic"))


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
    r = Ratings.of(x, scale)
    return moments(r, _quadratic_kappa, r.pair_note)


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
    if not note.startswith("not defined") and not np.ptp(r.sides, axis=1).any():
        note = "not defined: neither rater tells any items apart"

    def finish(totals):
        n, a, b, aa, bb, d = totals
        variances = n * (aa + bb) - a * a - b * b
        return ratio(n * (aa + bb - d) - 2 * a * b, variances, n * (aa + bb))

    return moments(r, finish, note)


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
    r = Ratings.of(x, scale)
    sums = moments(r, lambda t: ratio(t[2] - t[1], t[0], 0.0), r.shared_note)
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
    r = Ratings.of(x, scale)
    both = ~np.isnan(r.values).any(axis=1)
    a, b = r.rounded[both].T
    terms = on_rows(both, [np.ones_like(a), np.isfinite(a) & (a == b)])
    note = r.one_sided(outside_counts=True) if both.any() else NOTHING_SHARED
    n = r.items(both)
    return Sums(terms, _share, n, 2 * n, note, counts=r.counts)


def _share(totals):
    return ratio(totals[1], totals[0], 1.0)


# --- from the table of both raters' levels ------------------------------------


@dataclass(frozen=True)
class _Levels:
    """The two raters' levels: values in order, and whose is where in the rows that count."""

    values: np.ndarray
    mask: np.ndarray
    codes: np.ndarray

    @classmethod
    def of(cls, r):
        values, codes = np.unique(np.round(r.sides, 9), return_inverse=True)
        return cls(values, r.both, codes.reshape(r.sides.shape))

    @property
    def size(self):
        return self.values.size

    def margins(self):
        """One-hot terms: the first rater's levels, then the second's, shape (2 V, rows)."""
        hot = self.codes[:, None, :] == np.arange(self.size)[:, None]
        return on_rows(self.mask, hot.reshape(2 * self.size, self.codes.shape[1]))

    def cells(self):
        """The pairs of levels that occur, as two arrays, and which each row has."""
        cell, here = np.unique(self.codes[0] * self.size + self.codes[1], return_inverse=True)
        return *np.divmod(cell, self.size), here


def _with_cells(r):
    """One-hot terms of both margins and of the cells that occur.

    Only as many cells as there are items can occur, however fine the scale is.
    """
    levels = _Levels.of(r)
    i, j, here = levels.cells()
    one_hot = on_rows(r.both, here == np.arange(i.size)[:, None])
    return levels, i, j, np.concatenate([levels.margins(), one_hot])


def _split(totals, size):
    """The first rater's counts of levels, the second's, the rest, and the number of items."""
    rows, columns = totals[:size], totals[size : 2 * size]
    return rows, columns, totals[2 * size :], rows.sum(axis=0)


def _products(weight, rows, columns):
    """The sum of weight[i, j] * rows[i] * columns[j], for every resample."""
    return np.einsum("i...,i...->...", rows, np.tensordot(weight, columns, axes=(1, 0)))


def _kappa(x, scale, weight_of, expected_of):
    r = Ratings.of(x, scale)
    levels = _Levels.of(r)
    weight = weight_of(levels.values)
    observed = on_rows(r.both, weight[tuple(levels.codes)][None])
    terms = np.concatenate([levels.margins(), observed])

    def finish(totals):
        rows, columns, rest, n = _split(totals, levels.size)
        expected = expected_of(weight, rows, columns)
        return 1 - ratio(n * (n - rest[0]), n * n - expected, n * n)

    return _sums(r, terms, finish, r.pair_note)


def _cohen(x, scale, kind):
    r = Ratings.of(x, scale)
    sums = _kappa(r, scale, lambda values: weights(values, kind, scale), _products)
    return replace(sums, known_test=partial(_kappa_test, r, kind))


def _kappa_test(r, kind, sums):
    """Two-sided p of kappa 0, with the variance under that hypothesis.

    Source: Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72, 323-327, eq. 9.
    """
    levels = _Levels.of(r)
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
    return float(2 * special.ndtr(-abs(sums.estimate()) / np.sqrt(variance)))


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
    given = Ratings.of(x, scale)
    r = given.like(np.round(given.values, 2))
    levels, i, j, terms = _with_cells(r)

    def finish(totals):
        rows, columns, cells, n = _split(totals, levels.size)
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

    return _sums(r, terms, finish, given.pair_note)


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


def _rank_note(r):
    """Why a rank correlation is not defined, where one rater never varies."""
    if not r.both.any():
        return NOTHING_SHARED
    side = r.constant_side
    return f"not defined: {side}, so there is no order to compare" if side else r.one_sided()


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
    ratings = Ratings.of(x, scale)
    levels, i, j, terms = _with_cells(ratings)

    def finish(totals):
        rows, columns, cells, n = _split(totals, levels.size)
        r, c = mid_ranks(rows, n), mid_ranks(columns, n)
        rc, rr, cc = (
            np.einsum("i...,i...,i...->...", *three)
            for three in ((cells, r[i], c[j]), (rows, r, r), (columns, c, c))
        )
        return ratio(rc, np.sqrt(rr * cc), n**3)

    sums = _sums(ratings, terms, finish, _rank_note(ratings))
    sums = replace(sums, known_test=_spearman_test)
    return _fisher(sums, lambda r, n: (1 + r * r / 2) / (n - 3))


def _spearman_test(sums):
    r, n = sums.estimate(), sums.n_items
    if n < 3 or np.isnan(r):
        return np.nan
    left = max(1 - r * r, 0.0)
    return float(2 * stats.t.sf(abs(r) * np.sqrt((n - 2) / left), n - 2)) if left else 0.0


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
    levels, i, j, terms = _with_cells(r)
    # 1 where two cells are in the same order on both sides, -1 where in opposite order.
    order = np.sign(i[:, None] - i) * np.sign(j[:, None] - j).astype(float)

    def finish(totals):
        rows, columns, cells, n = _split(totals, levels.size)
        balance = (cells * np.tensordot(order, cells, axes=(1, 0))).sum(axis=0)
        untied = [np.maximum(n * n - (side**2).sum(axis=0), 0) for side in (rows, columns)]
        return ratio(balance, np.sqrt(untied[0] * untied[1]), n * n)

    sums = _sums(r, terms, finish, _rank_note(r))
    sums = replace(sums, known_test=partial(_kendall_test, order, levels.size))
    return _fisher(sums, lambda r, n: 0.437 / (n - 4))


def _kendall_test(order, size, sums):
    """Two-sided p of no association, by the normal approximation with ties.

    Source: Kendall (1970), Rank Correlation Methods, 4th ed., ch. 4.
    """
    rows, columns, cells, n = _split(sums.total(), size)
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
    return float(2 * special.ndtr(-abs(balance) / np.sqrt(variance)))


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
    note = given.one_sided(outside_counts=True) if there.any() else NOTHING_SHARED
    known = np.round(scale.values, 9)
    off = np.setdiff1d(observed_values(values[there]), known)
    if off.size:
        note = f"not defined: {off[0]:g} is not a level; round the ratings first"
        values = np.full_like(values, np.nan)
    if threshold is not None:
        known = np.array([0.0, 1.0])
        values = np.where(np.isfinite(values), values >= threshold, values)
    r = given.like(np.where(np.isinf(values), known.max() + 1, values))
    levels = _Levels.of(r)
    margins = levels.margins()
    terms = np.concatenate([margins, margins[: levels.size] * margins[levels.size :]])
    level = np.isin(levels.values, known)

    def finish(totals):
        given, judged, hits, _ = _split(totals, levels.size)
        count = given + judged
        f1 = np.divide(2 * hits, count, out=np.zeros_like(hits), where=count > 0)
        return average(f1[level], given[level], judged[level])

    return _sums(r, terms, finish, note)
