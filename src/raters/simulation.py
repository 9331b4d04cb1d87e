"""Do intervals keep their promise? Simulated raters whose true agreement is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from raters.coefficients import MANY, PAIR
from raters.draws import multiplicities
from raters.errors import RatingsError
from raters.intervals import bca_interval, percentile_interval
from raters.scale import Scale

EVEN = (0.2, 0.2, 0.2, 0.2, 0.2)
LOPSIDED = (0.7, 0.15, 0.08, 0.05, 0.02)
_NODES = 200


def simulated_levels(
    n_items: int,
    n_raters: int,
    reliability: float,
    shares: Sequence[float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Ratings of new items by interchangeable raters.

    Parameters
    ----------
    n_items, n_raters : int
        How many.
    reliability : float
        From 0 to below 1: the correlation of what two raters see, before they choose
        a level.
    shares : sequence of float
        How often each level is used, lowest first; adds up to 1.
    rng : numpy Generator
        The source of chance.

    Returns
    -------
    ndarray, shape (items, raters)
        Levels 1, 2, ... as numbers.

    Examples
    --------
    >>> simulated_levels(4, 3, 0.5, EVEN, np.random.default_rng(1)).shape
    (4, 3)
    """
    cuts = _cuts(reliability, shares)
    true = rng.standard_normal((n_items, 1))
    noise = rng.standard_normal((n_items, n_raters))
    seen = np.sqrt(reliability) * true + np.sqrt(1 - reliability) * noise
    return np.searchsorted(cuts, seen) + 1.0


def true_agreement(reliability: float, shares: Sequence[float]) -> float:
    """Interval alpha and quadratic kappa of these raters, with infinitely many items.

    Parameters
    ----------
    reliability, shares
        As in `simulated_levels`.

    Returns
    -------
    float
        The covariance of two raters' levels over their variance. For interchangeable
        raters alpha and quadratic kappa have this one limit.

    Examples
    --------
    >>> round(true_agreement(0.6, EVEN), 4)
    0.5478
    """
    cuts, shares = _cuts(reliability, shares), np.asarray(shares, float)
    level = np.arange(1, shares.size + 1)
    variance = shares @ level**2 - (shares @ level) ** 2
    node, weight = np.polynomial.hermite_e.hermegauss(_NODES)
    apart = cuts[:, None] - np.sqrt(reliability) * node
    # The mean level of an item, given what is true of it.
    mean = shares.size - scipy.special.ndtr(apart / np.sqrt(1 - reliability)).sum(axis=0)
    weight = weight / weight.sum()
    return float((weight @ mean**2 - (weight @ mean) ** 2) / variance)


def _cuts(reliability, shares):
    shares = np.asarray(shares, float)
    if not 0 <= reliability < 1:
        raise RatingsError(
            f"reliability={reliability!r}", "a number from 0 to below 1", "give 0.6, say"
        )
    if shares.size < 2 or (shares <= 0).any() or not np.isclose(shares.sum(), 1):
        raise RatingsError(
            f"shares={shares.tolist()}",
            "a positive share for each of two or more levels, adding up to 1",
            "give (0.5, 0.5), say",
        )
    return scipy.special.ndtri(np.cumsum(shares)[:-1])


def coverage(
    n_items: int,
    reliability: float = 0.6,
    shares: Sequence[float] = EVEN,
    n_raters: int = 3,
    replications: int = 1000,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> pd.DataFrame:
    """How often intervals hold the true value, over many simulated studies.

    Parameters
    ----------
    n_items : int
        Items of each study.
    reliability, shares
        As in `simulated_levels`.
    n_raters : int
        Raters of each study. Alpha takes all of them, kappa the first two.
    replications : int
        Simulated studies.
    resamples : int
        Resamples of items in each.
    seed : int
        The seed.
    level : float
        What the intervals promise.

    Returns
    -------
    DataFrame
        A row for each of two statistics and two intervals: ``n_items, statistic,
        interval, true, covered`` (share of the studies whose interval holds the true
        value), ``error`` (standard error of that share), ``below`` and ``above``
        (shares whose interval lies wholly below or above it), ``width`` (median),
        ``undefined`` (share of studies without an interval, which count as not covered).

    Examples
    --------
    >>> coverage(20, replications=20, resamples=100)[["statistic", "interval"]].shape
    (4, 2)
    """
    true = true_agreement(reliability, shares)
    scale = Scale(range(1, len(shares) + 1))
    rng = np.random.default_rng([seed, n_items])
    found = {}
    for replication in range(replications):
        x = simulated_levels(n_items, n_raters, reliability, shares, rng)
        times = multiplicities(n_items, resamples, seed, f"{n_items}-{replication}")
        for name, ends in _intervals(x, scale, times, level):
            found.setdefault(name, []).append(ends)
    rows = []
    for (statistic, interval), ends in found.items():
        low, high = np.array(ends).T
        covered = np.mean((low <= true) & (true <= high))
        rows.append(
            {
                "n_items": n_items,
                "statistic": statistic,
                "interval": interval,
                "true": true,
                "covered": covered,
                "error": np.sqrt(covered * (1 - covered) / replications),
                "below": np.mean(high < true),
                "above": np.mean(low > true),
                "width": np.nanmedian(high - low) if np.isfinite(low).any() else np.nan,
                "undefined": np.mean(~np.isfinite(low)),
            }
        )
    return pd.DataFrame(rows)


def _intervals(x, scale, times, level):
    """Both intervals of both statistics on one study."""
    alpha, kappa = "krippendorff_alpha_interval", "weighted_kappa_quadratic"
    for name, sums in ((alpha, MANY[alpha](x, scale)), (kappa, PAIR[kappa](x[:, :2], scale))):
        draws = sums.resampled(times)
        yield (name, "percentile"), percentile_interval(draws, level)[:2]
        estimate, without = sums.estimate(), sums.without_each()
        yield (name, "bca"), bca_interval(draws, estimate, without, level)
