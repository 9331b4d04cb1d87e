"""Coefficients for any number of raters, with missing ratings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from scipy import stats

from raters.coefficients.base import Sums, declared_table, mid_ranks, notes, ratio, weights
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
        return replace(sums, note="not defined: negative values have no ratio")
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


# --- chance-corrected agreement in Gwet's notation --------------------------------


def _agreement_sums(x, scale, kind, chance, by_rater=False):
    """(pa - pe) / (1 - pe) from per-item agreement and level shares.

    Terms: items with two or more ratings, items with one or more, the agreement of
    each item, and its level shares or, with `by_rater`, each rater's levels.
    """
    r = Ratings.of(x, scale)
    values, counts, m = r.declared, r.declared_counts, r.number
    weight = weights(values, kind, scale)
    many = m >= 2
    pairs = (counts * (weight @ counts - 1)).sum(axis=0)
    agree = np.where(many, pairs / np.maximum(m * (m - 1), 1), 0.0)
    if by_rater:
        rest = r.rounded.T[:, None, :] == values[None, :, None]
        rest = rest.reshape(r.values.shape[1] * values.size, m.size)
    else:
        rest = counts / np.maximum(m, 1)
    terms = np.concatenate([[many], [m > 0], [agree], rest]).astype(float)

    def finish(totals, rated_twice=None):
        n = totals[0] if rated_twice is None else rated_twice * totals[1]
        expected = chance(weight, totals[1], totals[3:])
        beyond = ratio(totals[2] - expected * totals[0], n, 0.0)
        return ratio(beyond, 1 - expected, 1.0)

    # A single rating has no agreement, but its level is part of what chance is taken from.
    counted = (m > 0) & many.any()
    note = r.variation(counted, "two or more ratings")
    if r.alone:
        note = notes(note, f"items with a single rating count for chance only: {r.alone}")
    return Sums(
        terms,
        finish,
        r.items(many),
        r.ratings(np.where(many, m, 0)),
        note,
        # Gwet's variance takes the share of items with two ratings as given.
        smooth=lambda totals, at: finish(totals, rated_twice=ratio(at[0], at[1], 0.0)),
        sampled=r.items(m > 0),
        counts=r.counts,
    )


def _fleiss_chance(weight, n, totals):
    share = ratio(totals, n, 0.0)
    return np.einsum("i...,i...->...", share, np.tensordot(weight, share, axes=(1, 0)))


def _gwet_chance(weight, n, totals):
    share = ratio(totals, n, 0.0)
    levels = len(weight)
    return weight.sum() / (levels * (levels - 1)) * (share * (1 - share)).sum(axis=0)


def _uniform_chance(weight, n, totals):
    return np.full(totals.shape[1:], weight.sum() / weight.size)


def _conger_chance(weight, n, totals):
    by_rater = totals.reshape((len(totals) // len(weight), len(weight), *totals.shape[1:]))
    share = ratio(by_rater, by_rater.sum(axis=1, keepdims=True), 0.0)
    raters = len(share)
    together = share.sum(axis=0)
    all_pairs = np.einsum("i...,i...->...", together, np.tensordot(weight, together, axes=(1, 0)))
    weighted = np.moveaxis(np.tensordot(weight, share, axes=(1, 1)), 1, 0)
    own_pairs = (share * weighted).sum(axis=(0, 1))
    return (all_pairs - own_pairs) / (raters * (raters - 1))


def fleiss_kappa(x: np.ndarray, scale: Scale) -> Sums:
    """Fleiss' kappa: equal or not, everybody's pooled habits as chance.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out. Agreement is taken from items with two
        or more ratings, chance from all.
    scale : Scale
        Only equality matters.

    Returns
    -------
    Sums
        1 is perfect, 0 is chance. Undefined when every rating is the same level.

    Notes
    -----
    Source: Fleiss (1971), Psychological Bulletin 76, 378-382; with missing ratings
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 2.

    Examples
    --------
    >>> x = np.array([[1, 1, 1], [2, 2, 2], [1, 2, 2], [2, 2, 2]])
    >>> round(fleiss_kappa(x, Scale([1, 2])).estimate(), 4)
    0.625
    """
    return _agreement_sums(x, scale, "identity", _fleiss_chance)


def fleiss_kappa_quadratic(x: np.ndarray, scale: Scale) -> Sums:
    """Fleiss' kappa with squared distances between the values as weights.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        As in `fleiss_kappa`.
    scale : Scale
        Its values are the distances.

    Returns
    -------
    Sums

    Notes
    -----
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 3.

    Examples
    --------
    >>> x = np.array([[1, 1, 1], [2, 2, 3], [1, 2, 2], [3, 3, 2]])
    >>> round(fleiss_kappa_quadratic(x, Scale([1, 2, 3])).estimate(), 4)
    0.5663
    """
    return _agreement_sums(x, scale, "quadratic", _fleiss_chance)


def _conger(x, scale, kind):
    r = Ratings.of(x, scale)
    sums = _agreement_sums(r, scale, kind, _conger_chance, by_rater=True)
    idle = int((~r.there).all(axis=0).sum())
    if not idle or sums.note.startswith("not defined"):
        return sums
    note = f"not defined: raters without any rating, so without habits: {idle}"
    return replace(sums, note=notes(note, sums.note))


def conger_kappa(x: np.ndarray, scale: Scale) -> Sums:
    """Conger's kappa: equal or not, each rater's own habits as chance.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out.
    scale : Scale
        Only equality matters.

    Returns
    -------
    Sums
        Cohen's kappa for two raters with complete ratings. Undefined when every
        rating is the same level, or a rater has none.

    Notes
    -----
    Source: Conger (1980), Psychological Bulletin 88, 322-328; with missing ratings
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 2.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 2], [1, 2], [2, 2]])
    >>> round(conger_kappa(x, Scale([1, 2])).estimate(), 4)
    0.5
    """
    return _conger(x, scale, "identity")


def conger_kappa_quadratic(x: np.ndarray, scale: Scale) -> Sums:
    """Conger's kappa with squared distances between the values as weights.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        As in `conger_kappa`.
    scale : Scale
        Its values are the distances.

    Returns
    -------
    Sums

    Notes
    -----
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 3.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 3], [3, 3], [5, 4]])
    >>> round(conger_kappa_quadratic(x, Scale([1, 2, 3, 4, 5])).estimate(), 4)
    0.8519
    """
    return _conger(x, scale, "quadratic")


def gwet_ac1(x: np.ndarray, scale: Scale) -> Sums:
    """Gwet's AC1: equal or not, with little chance agreement where one level dominates.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out.
    scale : Scale
        All declared levels count, also those that nobody used.

    Returns
    -------
    Sums
        1 is perfect. Defined even when every rating is the same level: then 1.

    Notes
    -----
    Source: Gwet (2008), British Journal of Mathematical and Statistical Psychology
    61, 29-48.

    Examples
    --------
    >>> x = np.array([[1, 1, 1], [2, 2, 2], [1, 2, 2], [2, 2, 2]])
    >>> round(gwet_ac1(x, Scale([1, 2])).estimate(), 4)
    0.7
    """
    return _defined(_agreement_sums(x, scale, "identity", _gwet_chance))


def gwet_ac2(x: np.ndarray, scale: Scale) -> Sums:
    """Gwet's AC2 with squared distances between the values as weights.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out.
    scale : Scale
        Its values are the distances; all declared levels count.

    Returns
    -------
    Sums
        1 is perfect. Defined even when every rating is the same level: then 1.

    Notes
    -----
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 3.

    Examples
    --------
    >>> x = np.array([[1, 1, 1], [2, 2, 3], [1, 2, 2], [3, 3, 2]])
    >>> round(gwet_ac2(x, Scale([1, 2, 3])).estimate(), 4)
    0.64
    """
    return _defined(_agreement_sums(x, scale, "quadratic", _gwet_chance))


def brennan_prediger(x: np.ndarray, scale: Scale) -> Sums:
    """Brennan and Prediger's coefficient: equal or not, all levels equally likely by chance.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out.
    scale : Scale
        All declared levels count: more levels, less chance agreement.

    Returns
    -------
    Sums
        1 is perfect. Defined even when every rating is the same level: then 1.

    Notes
    -----
    Source: Brennan and Prediger (1981), Educational and Psychological Measurement
    41, 687-699.

    Examples
    --------
    >>> brennan_prediger(np.array([[1, 1], [2, 2], [1, 2], [2, 2]]), Scale([1, 2])).estimate()
    0.5
    """
    return _defined(_agreement_sums(x, scale, "identity", _uniform_chance))


def brennan_prediger_quadratic(x: np.ndarray, scale: Scale) -> Sums:
    """Brennan and Prediger's coefficient with squared distances as weights.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out.
    scale : Scale
        Its values are the distances; all declared levels count.

    Returns
    -------
    Sums

    Notes
    -----
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 3.

    Examples
    --------
    >>> x = np.array([[1, 1], [2, 2], [1, 2], [2, 2]])
    >>> brennan_prediger_quadratic(x, Scale([1, 2])).estimate()
    0.5
    """
    return _defined(_agreement_sums(x, scale, "quadratic", _uniform_chance))


def _defined(sums):
    """AC1, AC2 and Brennan-Prediger have a value for constant ratings: say what it rests on."""
    if sums.note.startswith("not defined: all"):
        _, _, rest = sums.note.partition("; ")
        note = "every rating is the same: this 1 says nothing about telling items apart"
        return replace(sums, note=notes(note, rest))
    return sums


def mean_percent_agreement(x: np.ndarray, scale: Scale) -> Sums:
    """Share of equal ratings among all pairs of raters of an item, averaged over items.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        NaN where a rater left an item out. Items with two or more ratings count.
    scale : Scale
        Not needed.

    Returns
    -------
    Sums
        Between 0 and 1 (not per cent). Not corrected for chance.

    Examples
    --------
    >>> mean_percent_agreement(np.array([[1, 1, 1], [1, 2, 2]]), Scale([1, 2])).estimate()
    0.6666666666666666
    """
    sums = _agreement_sums(x, scale, "identity", _uniform_chance)
    note = sums.note if sums.note.startswith("not defined: no") else ""
    return replace(
        sums,
        terms=sums.terms[[0, 2]],
        finish=lambda t: ratio(t[1], t[0], 0.0),
        note=note,
        smooth=None,
        sampled=0,
    )


# --- ranks ------------------------------------------------------------------------


def kendall_w(x: np.ndarray, scale: Scale) -> Sums:
    """Kendall's W, the concordance of several raters' rankings, corrected for ties.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        Items rated by everybody count.
    scale : Scale
        Only its order matters.

    Returns
    -------
    Sums
        Between 0 and 1. Undefined when no rater tells any items apart.

    Notes
    -----
    The variance of the sums of mid-ranks over its largest possible value.
    Source: Kendall and Babington Smith (1939), Annals of Mathematical Statistics
    10, 275-287; ties as in Siegel (1956), ch. 9.

    Examples
    --------
    >>> x = np.array([[1, 1, 2], [2, 3, 1], [3, 2, 3], [4, 4, 4]])
    >>> round(kendall_w(x, Scale([1, 2, 3, 4])).estimate(), 4)
    0.7778
    """
    r = Ratings.of(x, scale)
    whole = r.complete
    full = r.like(np.where(whole[:, None], r.values, np.nan))
    values = full.observed
    k, size = r.values.shape[1], values.size
    hot = full.rounded[:, :, None] == values  # rows, raters, values
    flat = hot.reshape(whole.size, k * size).astype(float)
    low, high = np.triu_indices(k * size, k=1)
    # Only cells of different raters that occur: others add nothing to any resample.
    flat_pairs = flat[:, low] * flat[:, high]
    keep = (low // size != high // size) & flat_pairs.any(axis=0)
    low, high = low[keep], high[keep]
    terms = np.concatenate([flat, flat_pairs[:, keep]], axis=1).T

    def finish(totals):
        counts = totals[: k * size].reshape((k, size, *totals.shape[1:]))
        n = counts[0].sum(axis=0)
        rank = np.array([mid_ranks(counts[j], n) for j in range(k)])
        own = (counts * rank**2).sum(axis=(0, 1))
        flat_rank = rank.reshape((k * size, *totals.shape[1:]))
        cross = 2 * (totals[k * size :] * flat_rank[low] * flat_rank[high]).sum(axis=0)
        return ratio(own + cross, k * own, n**3)

    reason = notes(r.variation(whole, "ratings by everybody"), r.left_out)
    rated = r.values[whole]
    if rated.size and not reason.startswith("not defined") and not np.ptp(rated, axis=0).any():
        reason = notes("not defined: no rater tells any items apart", reason)
    n = r.items(whole)
    sums = Sums(terms, finish, n, k * n, reason, counts=r.counts)

    def test(sums):
        # Friedman's chi-square, corrected for ties as W is: k (n - 1) W.
        if n < 2 or np.isnan(sums.estimate()):
            return np.nan
        return float(stats.chi2.sf(k * (n - 1) * sums.estimate(), n - 1))

    return replace(sums, known_test=test)


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
    if not reason.startswith("not defined") and np.isnan(sums.estimate()):
        few = "one item only" if n == 1 else "the estimated variance is not above 0"
        reason = notes(f"not defined: {few}", reason)

    def known_interval(level):
        with np.errstate(divide="ignore", invalid="ignore"):  # no error variance: NaN limits
            return limits(level, *mean_squares(sums.total()), k)

    def test(sums):
        between, _, error, within, _ = mean_squares(sums.total())
        noise, df = (within, n * (k - 1)) if error_within else (error, (n - 1) * (k - 1))
        if n < 2 or np.isnan(sums.estimate()):
            return np.nan
        return float(stats.f.sf(between / noise, n - 1, df)) if noise > 0 else 0.0

    return replace(sums, note=reason, known_interval=known_interval, known_test=test)


def _with_levels(sums, r):
    """What a consistency coefficient does not see: how far apart the raters' means are."""
    rows = r.complete
    often = None if r.counts is None else r.counts[rows]
    gap = np.ptp(np.average(r.values[rows], axis=0, weights=often)) if rows.any() else 0.0
    if gap <= 1e-9 or sums.note.startswith("not defined"):
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
    low, high = f / stats.f.ppf(tail, df1, df2), f * stats.f.ppf(tail, df2, df1)
    return float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))


def _two_way(level, b, j, e, w, n, k):
    """Limits of ICC(2,1), with Satterthwaite's degrees of freedom."""
    tail = (1 + level) / 2
    icc = (b - e) / (b + (k - 1) * e + k * (j - e) / n)
    f = j / e
    weight = n * (1 + (k - 1) * icc) - k * icc
    v = (k - 1) * (n - 1) * (k * icc * f + weight) ** 2
    v /= (n - 1) * k**2 * icc**2 * f**2 + weight**2
    upper, lower = stats.f.ppf(tail, n - 1, v), stats.f.ppf(tail, v, n - 1)
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
