"""Agreement of any number of raters beyond chance: Fleiss, Conger, Gwet, Brennan-Prediger."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from raters.coefficients.base import (
    NO_VARIATION,
    NOTHING_SHARED,
    RATER_WITHOUT_RATINGS,
    Reason,
    Sums,
    code_of,
    notes,
    ratio,
    weights,
)
from raters.coefficients.ratings import Ratings
from raters.scale import Scale

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
    if not idle or code_of(sums.note):
        return sums
    why = f"raters without any rating, so without habits: {idle}"
    return replace(sums, note=notes(Reason(RATER_WITHOUT_RATINGS, why), sums.note))


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
    if code_of(sums.note) == NO_VARIATION:
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
    note = sums.note if code_of(sums.note) == NOTHING_SHARED else ""
    return replace(
        sums,
        terms=sums.terms[[0, 2]],
        finish=lambda t: ratio(t[1], t[0], 0.0),
        note=note,
        smooth=None,
        sampled=0,
    )
