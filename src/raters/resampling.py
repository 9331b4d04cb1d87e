"""Resampling items: draws, intervals."""

from __future__ import annotations

import zlib

import numpy as np
from scipy import stats

from raters.errors import RatingsError

# Values that differ by less are one value: the same ratings summed in another order. Ties
# count half in the BCa interval, so rounding must not decide on which side they fall.
_TIE = 1e-10


def multiplicities(n_items: int, resamples: int, seed: int, key: str = "") -> np.ndarray:
    """How often each item is drawn in each bootstrap resample.

    Parameters
    ----------
    n_items : int
        Items to draw from, with replacement, as many as there are.
    resamples : int
        Number of resamples, 0 or more.
    seed : int
        The seed. Same seed, same draws.
    key : str
        Names the set of items (a framework), so that each set has its own
        draws and they do not depend on which other sets are present.

    Returns
    -------
    ndarray, shape (resamples, n_items)
        Whole numbers as float64; each row sums to `n_items`. One such matrix
        serves all dimensions, pairs and coefficients: their differences are paired.

    Raises
    ------
    RatingsError
        `resamples` or `seed` is not a whole number of 0 or more.

    Examples
    --------
    >>> multiplicities(3, 2, seed=1).sum(axis=1).tolist()
    [3.0, 3.0]
    """
    for name, value in (("resamples", resamples), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise RatingsError(
                f"{name}={value!r}", "a whole number of 0 or more", f"give {name} as such a number"
            )
    if n_items == 0:
        return np.zeros((resamples, 0))
    rng = np.random.default_rng([seed, zlib.crc32(key.encode())])
    drawn = rng.integers(0, n_items, size=(resamples, n_items))
    # Counted in one go: each resample has its own stretch of n_items numbers.
    drawn += np.arange(resamples)[:, None] * n_items
    times = np.bincount(drawn.ravel(), minlength=resamples * n_items)
    return times.reshape(resamples, n_items).astype(float)


def percentile_interval(draws: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """The middle part of the bootstrap values, and the share that is undefined.

    Parameters
    ----------
    draws : ndarray, shape (resamples,)
        Bootstrap values; NaN where the coefficient is undefined on a resample.
    level : float
        Between 0 and 1.

    Returns
    -------
    low, high : float
        NaN when no resample is defined.
    undefined : float
        Share of resamples that are NaN; they are left out, not replaced.

    Notes
    -----
    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.

    Examples
    --------
    >>> percentile_interval(np.arange(101.0), level=0.5)
    (25.0, 75.0, 0.0)
    """
    if not 0 < level < 1:
        raise RatingsError(f"level={level!r}", "a number between 0 and 1", "give 0.95, say")
    defined = draws[np.isfinite(draws)]
    if not defined.size:
        return np.nan, np.nan, 1.0 if draws.size else 0.0
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), 1 - defined.size / draws.size


def bca_interval(
    draws: np.ndarray, estimate: float, without_each: np.ndarray, level: float = 0.95
) -> tuple[float, float]:
    """The bias-corrected and accelerated bootstrap interval.

    Parameters
    ----------
    draws : ndarray, shape (resamples,)
        Bootstrap values; NaN where the coefficient is undefined on a resample.
    estimate : float
        The coefficient of the ratings as they are.
    without_each : ndarray, shape (items,)
        The coefficient without one item, for each item that counts.
    level : float
        Between 0 and 1.

    Returns
    -------
    low, high : float
        NaN when it is not defined: no resample on one side of the estimate.

    Notes
    -----
    Draws equal to the estimate count half for the bias correction, as discrete
    ratings give many of them. Undefined values are left out.
    Source: Efron (1987), Journal of the American Statistical Association 82, 171-185.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> times = multiplicities(5, 4000, seed=1)
    >>> without = (x.sum() - x) / 4
    >>> low, high = bca_interval(times @ x / 5, x.mean(), without)
    >>> percentile_interval(times @ x / 5)[1] < high
    True
    """
    percentile_interval(draws, level)  # refuses a level that is none
    defined = np.sort(draws[np.isfinite(draws)])
    without = without_each[np.isfinite(without_each)]
    if not defined.size or not np.isfinite(estimate) or without.size < 2:
        return np.nan, np.nan
    if defined[-1] - defined[0] <= _TIE:
        return float(defined[0]), float(defined[0])
    tied = np.abs(defined - estimate) <= _TIE
    below = np.mean((defined < estimate) & ~tied) + np.mean(tied) / 2
    if not 0 < below < 1:
        return np.nan, np.nan
    bias = stats.norm.ppf(below)
    gap = without.mean() - without
    gap[np.abs(gap) <= _TIE] = 0.0
    spread = np.sum(gap**2)
    acceleration = np.sum(gap**3) / (6 * spread**1.5) if spread > 0 else 0.0
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        reach = bias + stats.norm.ppf(tail)
        ends.append(stats.norm.cdf(bias + reach / (1 - acceleration * reach)))
    low, high = np.quantile(defined, ends)
    return float(low), float(high)
