"""Many tests at once: p-values corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from raters.errors import RatingsError

METHODS = ("none", "holm", "bonferroni", "bh", "by")


def adjusted(p: Sequence[float], method: str) -> np.ndarray:
    """p-values corrected for the number of tests.

    Parameters
    ----------
    p : sequence of float
        p-values of one family of tests. NaN (no test) is not counted and stays NaN.
    method : {"none", "holm", "bonferroni", "bh", "by"}
        Holm and Bonferroni bound the chance of any false finding; Benjamini-Hochberg
        bounds the expected share of false ones among the findings, Benjamini-Yekutieli
        does so whatever the dependence between the tests.

    Returns
    -------
    ndarray
        As many as given, each at most 1.

    Raises
    ------
    RatingsError
        Another method, or a p-value outside 0 to 1.

    Notes
    -----
    Sources: Holm (1979), Scandinavian Journal of Statistics 6, 65-70; Benjamini and
    Hochberg (1995), Journal of the Royal Statistical Society B 57, 289-300; Benjamini
    and Yekutieli (2001), The Annals of Statistics 29, 1165-1188.

    Examples
    --------
    >>> adjusted([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    if method not in METHODS:
        raise RatingsError(f"the correction {method!r}", ", ".join(METHODS), "name one of these")
    p = np.asarray(p, float)
    tested = np.isfinite(p)
    given = p[tested]
    if ((given < 0) | (given > 1)).any():
        raise RatingsError("a p-value outside 0 to 1", "numbers from 0 to 1", "check the p-values")
    result = np.full(p.shape, np.nan)
    if given.size:
        result[tested] = _by(given, method)
    return result


def _by(p, method):
    if method in ("bh", "by"):
        return scipy.stats.false_discovery_control(p, method=method)
    if method == "none":
        return p
    if method == "bonferroni":
        return np.minimum(p * p.size, 1.0)
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    result = np.empty_like(p)
    result[order] = np.minimum(steps, 1.0)
    return result
