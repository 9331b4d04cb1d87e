"""Resampling items: draws, intervals."""

from __future__ import annotations

import zlib

import numpy as np

from raters.errors import RatingsError


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
    return rng.multinomial(n_items, np.full(n_items, 1 / n_items), size=resamples).astype(float)


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
