"""The coefficients, each as a function of sums over items.

A coefficient takes the ratings of one dimension (items x raters) and returns
`Sums`: per-item terms, and how to finish their totals into the coefficient.
The totals of any resample are the item multiplicities times the terms, so the
estimate, every bootstrap replicate and every leave-one-out value come from the
same two lines of arithmetic.

An undefined value is NaN: nothing here invents a 0 or a 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from raters.errors import RatingsError
from raters.scale import Scale

# Below this share of its largest term a denominator is rounding noise. With whole
# numbers it is exactly zero; means such as 2.667 leave about 1e-16 of the terms.
_NOISE = 1e-12


@dataclass(frozen=True)
class Sums:
    """Per-item terms and the function of their totals.

    Parameters
    ----------
    terms : ndarray, shape (items, k)
        What each item adds to the totals. An item that does not count adds 0.
    finish : callable
        Takes totals of shape (..., k), returns values of shape (...).
    n_items, n_ratings : int
        Items and ratings that count.
    note : str
        What a reader must know about this table of ratings, or "".
    """

    terms: np.ndarray
    finish: Callable[[np.ndarray], np.ndarray]
    n_items: int
    n_ratings: int
    note: str = ""

    def estimate(self) -> float:
        """The coefficient of the ratings as they are."""
        return float(self.finish(self.terms.sum(axis=0)))


def _ratio(numerator, denominator, size):
    """numerator / denominator, NaN where the denominator is zero or rounding noise of `size`."""
    numerator, denominator = np.asarray(numerator, float), np.asarray(denominator, float)
    defined = np.abs(denominator) > _NOISE * np.abs(size)
    return np.divide(numerator, denominator, out=np.full(denominator.shape, np.nan), where=defined)


def _centre(values):
    """A whole number near the mean: sums of squares stay small, zeros stay exact."""
    return np.rint(np.nanmean(values)) if np.isfinite(values).any() else 0.0


def _constant_note(values, what):
    """Why there is nothing to agree on, where that is so."""
    values = values[np.isfinite(values)]
    if not values.size:
        return f"not defined: no item has {what}"
    if np.unique(values).size == 1:
        return f"not defined: all {values.size} ratings are {values[0]:g}, no variation to agree on"
    return ""


# --- two raters -------------------------------------------------------------


def _shared(x):
    """The two columns on the items that both rated, and the mask of those items."""
    both = np.isfinite(x).all(axis=1)
    return both, x[both, 0], x[both, 1]


def _moments(a, b, both, centre):
    """Terms n, x, y, x^2, y^2, (x - y)^2 for each item."""
    terms = np.zeros((both.size, 6))
    x, y = a - centre, b - centre
    terms[both] = np.column_stack([np.ones_like(x), x, y, x * x, y * y, (x - y) ** 2])
    return terms


def _quadratic_kappa(totals):
    n, x, y, xx, yy, d = np.moveaxis(totals, -1, 0)
    expected = n * (xx + yy) - 2 * x * y
    return 1 - _ratio(n * d, expected, n * (xx + yy))


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
    both, a, b = _shared(x)
    terms = _moments(a, b, both, _centre(np.concatenate([a, b])))
    note = _constant_note(np.concatenate([a, b]), "ratings by both")
    return Sums(terms, _quadratic_kappa, int(both.sum()), 2 * int(both.sum()), note)


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
    size = values.size

    def finish(totals):
        cells = totals.reshape(totals.shape[:-1] + (size, size))
        rows, columns = cells.sum(axis=-1), cells.sum(axis=-2)
        n = rows.sum(axis=-1)
        place = np.cumsum(rows + columns > 0, axis=-1) - 1.0  # among the values that occur
        distance = (place[..., :, None] - place[..., None, :]) ** 2
        expected = np.einsum("...i,...ij,...j->...", rows, distance, columns)
        return 1 - _ratio(n * (cells * distance).sum(axis=(-2, -1)), expected, n * n)

    note = _constant_note(x[both], "ratings by both")
    return Sums(terms, finish, int(both.sum()), 2 * int(both.sum()), note)


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
    both, a, b = _shared(x)
    terms = np.zeros((both.size, 2))
    terms[both] = np.column_stack([np.ones_like(a), np.isclose(a, b, rtol=0, atol=1e-9)])
    note = "" if both.any() else "not defined: no item has ratings by both"
    return Sums(terms, _share, int(both.sum()), 2 * int(both.sum()), note)


def _share(totals):
    n, hits = np.moveaxis(totals, -1, 0)
    return _ratio(hits, n, 1.0)


def _cells(x):
    """One-hot terms for the V x V cells of two raters, and the sorted values."""
    both, a, b = _shared(x)
    values, code = np.unique(np.round(np.concatenate([a, b]), 9), return_inverse=True)
    size = values.size
    first, second = np.split(code, 2)
    terms = np.zeros((both.size, size * size))
    terms[np.flatnonzero(both), first * size + second] = 1.0
    return both, values, terms


def _one_side_note(x):
    """Why a rank correlation is not defined, where one rater never varies."""
    _, a, b = _shared(x)
    if not a.size:
        return "not defined: no item has ratings by both"
    for name, side in (("first", a), ("second", b)):
        if np.unique(side).size == 1:
            return (
                f"not defined: the {name} rater gives {side[0]:g} to all "
                f"{side.size} items, so there is no order to compare"
            )
    return ""


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
    Source: Spearman (1904), American Journal of Psychology 15, 72-101.

    Examples
    --------
    >>> x = np.array([[1, 2], [2, 1], [3, 4], [4, 4]])
    >>> round(spearman_rho(x, Scale([1, 2, 3, 4])).estimate(), 4)
    0.7379
    """
    both, values, terms = _cells(x)
    size = values.size

    def finish(totals):
        cells = totals.reshape(totals.shape[:-1] + (size, size))
        n = cells.sum(axis=(-2, -1))
        rows, columns = cells.sum(axis=-1), cells.sum(axis=-2)
        r, c = _mid_ranks(rows, n), _mid_ranks(columns, n)
        xy = np.einsum("...i,...ij,...j->...", r, cells, c)
        xx, yy = (rows * r * r).sum(axis=-1), (columns * c * c).sum(axis=-1)
        return _ratio(xy, np.sqrt(xx * yy), n**3)

    return Sums(terms, finish, int(both.sum()), 2 * int(both.sum()), _one_side_note(x))


def _mid_ranks(counts, n):
    """Mid-ranks less their mean, so that they sum to zero over the items."""
    return np.cumsum(counts, axis=-1) - counts / 2 - np.asarray(n)[..., None] / 2


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
    Source: Kendall (1945), Biometrika 33, 239-251.

    Examples
    --------
    >>> x = np.array([[1, 2], [2, 1], [3, 4], [4, 4]])
    >>> round(kendall_tau_b(x, Scale([1, 2, 3, 4])).estimate(), 4)
    0.5477
    """
    both, values, terms = _cells(x)
    size = values.size

    def finish(totals):
        cells = totals.reshape(totals.shape[:-1] + (size, size))
        n = cells.sum(axis=(-2, -1))
        sign = np.sign(np.arange(size)[:, None] - np.arange(size))
        # sign @ cells @ sign.T at (i, j): concordant less discordant partners of a cell's items.
        balance = (cells * (sign @ cells @ sign.T)).sum(axis=(-2, -1))
        untied_a = n * n - (cells.sum(axis=-1) ** 2).sum(axis=-1)
        untied_b = n * n - (cells.sum(axis=-2) ** 2).sum(axis=-1)
        return _ratio(balance, np.sqrt(untied_a * untied_b), n * n)

    return Sums(terms, finish, int(both.sum()), 2 * int(both.sum()), _one_side_note(x))


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
    return _f1(x, scale)


def _f1(x, scale, threshold=None):
    both, a, b = _shared(x)
    note = "" if both.any() else "not defined: no item has ratings by both"
    off = [v for v in np.unique(np.concatenate([a, b])) if v not in scale.values]
    if off:
        note = f"not defined: {off[0]:g} is not a level; round the ratings first"
        x = np.full_like(x, np.nan)
    if threshold is not None:
        x = np.where(np.isnan(x), np.nan, x >= threshold)
    shared, values, terms = _cells(x)
    size = values.size

    def finish(totals):
        cells = totals.reshape(totals.shape[:-1] + (size, size))
        given, judged = cells.sum(axis=-1), cells.sum(axis=-2)
        hits = np.diagonal(cells, axis1=-2, axis2=-1)
        f1 = np.divide(2 * hits, given + judged, out=np.zeros_like(hits), where=given + judged > 0)
        return _ratio((given * f1).sum(axis=-1), given.sum(axis=-1), 1.0)

    return Sums(terms, finish, int(shared.sum()), 2 * int(shared.sum()), note)


# --- any number of raters ---------------------------------------------------


def _pairable(x):
    """Ratings of items with two or more of them; the rest become NaN."""
    m = np.isfinite(x).sum(axis=1)
    counted = m >= 2
    kept = np.where(counted[:, None], x, np.nan)
    alone = int((m == 1).sum())
    return kept, np.where(counted, m, 0), alone


def _alpha_sums(kept, m, alone, terms, finish):
    note = _constant_note(kept, "two or more ratings")
    if not note and alone:
        note = f"{alone} items with a single rating are left out"
    return Sums(terms, finish, int((m > 0).sum()), int(m.sum()), note)


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
    kept, m, alone = _pairable(x)
    shifted = np.nan_to_num(kept - _centre(kept))
    s1, s2 = shifted.sum(axis=1), (shifted**2).sum(axis=1)
    d = (m * s2 - s1**2) / np.maximum(m - 1, 1)
    terms = np.column_stack([m, s1, s2, d]).astype(float)

    def finish(totals):
        n, t1, t2, t = np.moveaxis(totals, -1, 0)
        return 1 - _ratio((n - 1) * t, n * t2 - t1**2, n * t2)

    return _alpha_sums(kept, m, alone, terms, finish)


def _level_counts(kept):
    """How often each item got each value, and the sorted values."""
    values = np.unique(np.round(kept[np.isfinite(kept)], 9))
    counts = (np.round(kept, 9)[:, :, None] == values).sum(axis=1)
    return counts.astype(float), values


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
    kept, m, alone = _pairable(x)
    counts, _ = _level_counts(kept)
    d = (counts * (m[:, None] - counts)).sum(axis=1) / np.maximum(m - 1, 1)
    terms = np.column_stack([d, counts])

    def finish(totals):
        by_level = totals[..., 1:]
        n = by_level.sum(axis=-1)
        return 1 - _ratio((n - 1) * totals[..., 0], n * n - (by_level**2).sum(axis=-1), n * n)

    return _alpha_sums(kept, m, alone, terms, finish)


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
    kept, m, alone = _pairable(x)
    counts, values = _level_counts(kept)
    low, high = np.triu_indices(values.size, k=1)
    pairs = counts[:, low] * counts[:, high] / np.maximum(m - 1, 1)[:, None]
    terms = np.column_stack([counts, pairs])

    def finish(totals):
        by_level, observed = totals[..., : values.size], totals[..., values.size :]
        n = by_level.sum(axis=-1)
        rank = np.cumsum(by_level, axis=-1) - by_level / 2
        distance = (rank[..., high] - rank[..., low]) ** 2
        expected = (by_level[..., low] * by_level[..., high] * distance).sum(axis=-1)
        return 1 - _ratio((n - 1) * (observed * distance).sum(axis=-1), expected, n**4)

    return _alpha_sums(kept, m, alone, terms, finish)


# --- by name ----------------------------------------------------------------

PAIR = {
    f.__name__: f
    for f in (
        percent_agreement,
        weighted_kappa_quadratic,
        weighted_kappa_quadratic_published,
        spearman_rho,
        kendall_tau_b,
        f1_weighted,
    )
}
MANY = {
    f.__name__: f
    for f in (krippendorff_alpha_nominal, krippendorff_alpha_ordinal, krippendorff_alpha_interval)
}
_THRESHOLDS = "f1_weighted_at_least"


def chosen(statistics, known, scale: Scale) -> dict:
    """The functions for some names of statistics, on one scale.

    ``"f1_weighted_at_least"`` stands for one weighted F1 of `rating >= level`
    for each level above the lowest, named ``f1_weighted_at_least_<level>``.

    Parameters
    ----------
    statistics : str or sequence of str
        Names.
    known : mapping
        `PAIR` or `MANY`.
    scale : Scale
        The scale of the dimension.

    Returns
    -------
    dict
        Name to function of ``(x, scale)``.

    Raises
    ------
    RatingsError
        An unknown name.

    Examples
    --------
    >>> list(chosen("f1_weighted_at_least", PAIR, Scale([0, 1, 2])))
    ['f1_weighted_at_least_1', 'f1_weighted_at_least_2']
    """
    names = [statistics] if isinstance(statistics, str) else list(statistics)
    result = {}
    for name in names:
        if name == _THRESHOLDS and known is PAIR:
            for value in sorted(scale.values)[1:]:
                result[f"{name}_{value:g}"] = lambda x, s, t=value: _f1(x, s, t)
        elif name in known:
            result[name] = known[name]
        else:
            offered = [*known, _THRESHOLDS] if known is PAIR else list(known)
            raise RatingsError(
                f"the statistic {name!r}",
                ", ".join(offered),
                "use one of these names (statistics for two raters go with pairwise, "
                "those for any number with agreement)",
            )
    return result
