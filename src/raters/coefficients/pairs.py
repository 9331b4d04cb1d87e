"""What coefficients of two raters share; percent agreement and the mean difference."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from raters.coefficients.base import (
    Sums,
    ratio,
)
from raters.coefficients.ratings import NO_SHARED_ITEM, Ratings
from raters.scale import Scale


def pair_sums(r, terms, finish, note, test=None):
    """`Sums` over the items that both raters rated."""
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
    return pair_sums(r, on_rows(r.both, terms), finish, note, test)


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

    Notes
    -----
    Analytic interval: Wilson (1927), Journal of the American Statistical Association 22,
    209-212.

    Examples
    --------
    >>> percent_agreement(np.array([[1, 1], [2, 3]]), Scale([1, 2, 3])).estimate()
    0.5
    """
    r = Ratings.of(x, scale)
    both = ~np.isnan(r.values).any(axis=1)
    a, b = r.rounded[both].T
    terms = on_rows(both, [np.ones_like(a), np.isfinite(a) & (a == b)])
    note = r.one_sided(outside_counts=True) if both.any() else NO_SHARED_ITEM
    n = r.items(both)
    sums = Sums(terms, _share, n, 2 * n, note, counts=r.counts)
    return replace(sums, known_interval=lambda level: wilson_interval(sums.estimate(), n, level))


def wilson_interval(share: float, n: int, level: float) -> tuple[float, float]:
    """Wilson's limits of a share of n: they stay within 0 to 1 and never have width 0."""
    if n < 1 or np.isnan(share):
        return np.nan, np.nan
    z2 = scipy.special.ndtri((1 + level) / 2) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return float(max(middle - reach, 0.0)), float(min(middle + reach, 1.0))


def _share(totals):
    return ratio(totals[1], totals[0], 1.0)


# --- from the table of both raters' levels ------------------------------------


@dataclass(frozen=True)
class Levels:
    """The two raters' levels: values in order, and whose is where in the rows that count."""

    values: np.ndarray
    mask: np.ndarray
    codes: np.ndarray

    @classmethod
    def of(cls, r):
        """The levels that occur in the ratings of two raters."""
        values, codes = np.unique(np.round(r.sides, 9), return_inverse=True)
        return cls(values, r.both, codes.reshape(r.sides.shape))

    @property
    def size(self):
        """The number of levels that occur."""
        return self.values.size

    def margins(self):
        """One-hot terms: the first rater's levels, then the second's, shape (2 V, rows)."""
        hot = self.codes[:, None, :] == np.arange(self.size)[:, None]
        return on_rows(self.mask, hot.reshape(2 * self.size, self.codes.shape[1]))

    def cells(self):
        """The pairs of levels that occur, as two arrays, and which each row has."""
        cell, here = np.unique(self.codes[0] * self.size + self.codes[1], return_inverse=True)
        return *np.divmod(cell, self.size), here


def with_cells(r):
    """One-hot terms of both margins and of the cells that occur.

    Only as many cells as there are items can occur, however fine the scale is.
    """
    levels = Levels.of(r)
    i, j, here = levels.cells()
    one_hot = on_rows(r.both, here == np.arange(i.size)[:, None])
    return levels, i, j, np.concatenate([levels.margins(), one_hot])


def split_cells(totals, size):
    """The first rater's counts of levels, the second's, the rest, and the number of items."""
    rows, columns = totals[:size], totals[size : 2 * size]
    return rows, columns, totals[2 * size :], rows.sum(axis=0)


def products(weight, rows, columns):
    """The sum of weight[i, j] * rows[i] * columns[j], for every resample."""
    return np.einsum("i...,i...->...", rows, np.tensordot(weight, columns, axes=(1, 0)))
