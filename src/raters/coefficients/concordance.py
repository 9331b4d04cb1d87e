"""Kendall's coefficient of concordance W."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from raters.coefficients.base import NO_VARIATION, Reason, Sums, code_of, mid_ranks, notes, ratio
from raters.coefficients.ratings import Ratings
from raters.scale import Scale

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
        Between 0 and 1; k raters who guess have 1/k on average, so 0 is not what chance
        gives. Undefined when no rater tells any items apart.

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
    if rated.size and not code_of(reason) and not np.ptp(rated, axis=0).any():
        reason = notes(Reason(NO_VARIATION, "no rater tells any items apart"), reason)
    n = r.items(whole)
    sums = Sums(terms, finish, n, k * n, reason, counts=r.counts)

    def test(sums):
        # Friedman's chi-square, corrected for ties as W is: k (n - 1) W.
        if n < 2 or np.isnan(sums.estimate()):
            return np.nan
        return float(scipy.special.chdtrc(n - 1, k * (n - 1) * max(sums.estimate(), 0)))

    return replace(sums, known_test=test)
