"""Intervals and tests from draws: percentile, BCa, normal."""

from __future__ import annotations

import numpy as np
import scipy

from raters.errors import RatingsError
from raters.scale import SAME

# Values that differ by less are one value: the same ratings summed in another order. Ties
# count half in the BCa interval, so rounding must not decide on which side they fall.
_TIE = 1e-10

_FEW, _LOOK = 2000, 500  # values that are simply sorted; that are looked at to find a tail


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
    check_level(level)
    defined = _defined(draws)
    if not defined.size:
        return np.nan, np.nan, 1.0 if draws.size else 0.0
    low, high = quantiles(defined, ((1 - level) / 2, (1 + level) / 2))
    return low, high, 1 - defined.size / draws.size


def _defined(draws):
    there = np.isfinite(draws)
    return draws if there.all() else draws[there]


def check_level(level: float) -> None:
    """Refuse what is no coverage of an interval.

    Parameters
    ----------
    level : float
        Between 0 and 1.

    Raises
    ------
    RatingsError
        Anything else.

    Examples
    --------
    >>> check_level(0.95)
    """
    number = isinstance(level, (int, float, np.number)) and not isinstance(level, bool)
    if not number or not 0 < level < 1:
        raise RatingsError(f"level={level!r}", "a number between 0 and 1", "give 0.95, say")


def quantiles(values: np.ndarray, shares) -> list[float]:
    """Quantiles by linear interpolation: `numpy.quantile`, without sorting everything.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Finite; n is 1 or more.
    shares : sequence of float
        Each between 0 and 1.

    Returns
    -------
    list of float

    Notes
    -----
    Source: Hyndman and Fan (1996), The American Statistician 50, 361-365, type 7.

    Examples
    --------
    >>> quantiles(np.array([4.0, 1.0, 3.0, 2.0]), [0.5, 1.0])
    [2.5, 4.0]
    """
    last = values.size - 1
    look = np.sort(values[:: max(1, values.size // _LOOK)])
    result = []
    for share in shares:
        place = min(max(float(share), 0.0), 1.0) * last
        a, b = _neighbours(values, min(int(place), max(last - 1, 0)), look)
        part = place - int(place) if place < last else float(last > 0)
        # From the nearer end, as numpy does: no step back where the two are almost equal.
        result.append(a + (b - a) * part if part < 0.5 else b - (b - a) * (1 - part))
    return result


def _neighbours(values, place, look):
    """The values in one place of the order, counted from 0, and in the next.

    `look` is some of the values, sorted.
    """
    n = values.size
    if n < _FEW:
        return np.sort(values)[[place, min(place + 1, n - 1)]].tolist()
    # An end of the interval lies in a tail: a look at some of the values says where that
    # begins, and only the tail is put in order. Was the look misleading, all of them are.
    from_below = place < n / 2
    wanted = place + 2 if from_below else n - place
    expected = wanted / n * look.size
    reach = int(expected + 3 * expected**0.5 + 3)
    if reach < look.size // 2:
        tail = values[values <= look[reach]] if from_below else values[values >= look[-1 - reach]]
        if tail.size >= wanted:
            first = place if from_below else tail.size - wanted
            tail.sort()
            return tail[first : first + 2].tolist()
    return np.partition(values, [place, place + 1])[place : place + 2].tolist()


def on_the_line(draws: np.ndarray, line: float, level: float = 0.95) -> bool:
    """Whether more draws could put an end of the percentile interval beyond a line.

    Parameters
    ----------
    draws : ndarray, shape (resamples,)
        Bootstrap values; NaN where the coefficient is undefined on a resample.
    line : float
        Where the end decides something, such as 0.
    level : float
        Coverage of the interval.

    Returns
    -------
    bool
        Whether the share of draws below the line, or above it, is that of the interval's
        tail up to twice its Monte Carlo error, ``sqrt(tail (1 - tail) / resamples)``.

    Examples
    --------
    >>> draws = np.arange(1000.0)
    >>> on_the_line(draws, 28.0), on_the_line(draws, 100.0)
    (True, False)
    """
    defined = _defined(draws)
    tail = (1 - level) / 2
    error = monte_carlo_error(tail, defined.size)
    shares = ((defined <= line).mean(), (defined >= line).mean())
    return bool(min(abs(share - tail) for share in shares) <= error)


def monte_carlo_error(share: float, draws: int) -> float:
    """Twice the standard error that so many draws leave in a share of them.

    Examples
    --------
    >>> round(monte_carlo_error(0.025, 10_000), 4)
    0.0031
    """
    return float(2 * np.sqrt(share * (1 - share) / max(draws, 1)))


def bca_interval(
    draws: np.ndarray,
    estimate: float,
    without_each: np.ndarray,
    level: float = 0.95,
    counts: np.ndarray | None = None,
) -> tuple[float, float]:
    """The bias-corrected and accelerated bootstrap interval.

    Parameters
    ----------
    draws : ndarray, shape (resamples,)
        Bootstrap values; NaN where the coefficient is undefined on a resample.
    estimate : float
        The coefficient of the ratings as they are.
    without_each : ndarray, shape (rows,)
        The coefficient without one item, for each item (or one item of each row) that
        counts.
    level : float
        Between 0 and 1.
    counts : ndarray, shape (rows,), optional
        How many items each row stands for. Default: one.

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
    >>> from raters.draws import multiplicities
    >>> x = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> times = multiplicities(5, 4000, seed=1)
    >>> without = (x.sum() - x) / 4
    >>> low, high = bca_interval(times @ x / 5, x.mean(), without)
    >>> percentile_interval(times @ x / 5)[1] < high
    True
    """
    check_level(level)
    defined = _defined(draws)
    if not defined.size or not np.isfinite(estimate):
        return np.nan, np.nan
    known = _bias_and_acceleration(defined, estimate, without_each, counts)
    if known is None:
        return np.nan, np.nan
    lowest = defined.min()
    if defined.max() - lowest <= _TIE:
        return float(lowest), float(lowest)
    bias, acceleration = known
    if not np.isfinite(bias):
        return np.nan, np.nan
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        reach = bias + scipy.special.ndtri(tail)
        ends.append(scipy.special.ndtr(bias + reach / (1 - acceleration * reach)))
    low, high = quantiles(defined, ends)
    return low, high


def _bias_and_acceleration(defined, estimate, without_each, counts):
    """Efron's z0 and a; None where fewer than two items can be left out."""
    there = np.isfinite(without_each)
    often = np.ones(without_each.size) if counts is None else counts
    without, often = without_each[there], often[there]
    if often.sum() < 2:
        return None
    below = _share_below(defined, estimate)
    gap = often @ without / often.sum() - without
    gap[np.abs(gap) <= _TIE] = 0.0
    spread = often @ gap**2
    acceleration = often @ gap**3 / (6 * spread**1.5) if spread > 0 else 0.0
    return scipy.special.ndtri(below), acceleration


def _share_below(values, point):
    """The share of values below a point, those equal to it counted half."""
    both = np.count_nonzero(values < point - _TIE) + np.count_nonzero(values <= point + _TIE)
    return both / (2 * values.size)


def percentile_test(draws: np.ndarray) -> float:
    """Two-sided p-value of 0, from bootstrap values: the percentile interval turned round.

    Parameters
    ----------
    draws : ndarray, shape (resamples,)
        Bootstrap values of a coefficient or a difference.

    Returns
    -------
    float
        Twice the smaller of the shares on either side of 0, never 0 itself: with B
        resamples it is at least 2 / (B + 1). NaN without a resample.

    Notes
    -----
    It is below 0.05 where the 95 % percentile interval leaves 0 out, up to one resample.
    Source: Davison and Hinkley (1997), Bootstrap Methods and their Application, ch. 4.

    Examples
    --------
    >>> percentile_test(np.array([0.1, 0.2, 0.3]))
    0.5
    """
    defined = _defined(draws)
    if not defined.size:
        return np.nan
    least = min(np.count_nonzero(defined <= _TIE), np.count_nonzero(defined >= -_TIE))
    return float(min(1.0, 2 * (least + 1) / (defined.size + 1)))


def bca_test(
    draws: np.ndarray,
    estimate: float,
    without_each: np.ndarray,
    counts: np.ndarray | None = None,
) -> float:
    """Two-sided p-value of 0, from bootstrap values: the BCa interval turned round.

    Parameters
    ----------
    draws, estimate, without_each, counts
        As in `bca_interval`.

    Returns
    -------
    float
        NaN where the interval is not defined.

    Notes
    -----
    It agrees with the interval up to the steps of the resamples, and up to resamples that
    are 0 themselves, which count half here. Source: Efron and Tibshirani (1993), An
    Introduction to the Bootstrap, ch. 15, eq. 15.34.

    Examples
    --------
    >>> from raters.draws import multiplicities
    >>> x = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> times = multiplicities(5, 4000, seed=1)
    >>> without = (x.sum() - x) / 4
    >>> bca_test(times @ x / 5, x.mean(), without) < 0.01
    True
    """
    below = bca_share_below(draws, 0.0, estimate, without_each, counts)
    return 2 * min(below, 1 - below)


def bca_share_below(
    draws: np.ndarray,
    point: float,
    estimate: float,
    without_each: np.ndarray,
    counts: np.ndarray | None = None,
) -> float:
    """How much of the BCa distribution lies below a point: a one-sided p-value.

    Parameters
    ----------
    draws, estimate, without_each, counts
        As in `bca_interval`.
    point : float

    Returns
    -------
    float
        0.05 where the lower end of the 90 % interval is the point. NaN where the interval
        is not defined.

    Examples
    --------
    >>> x = np.arange(-50.0, 51.0)
    >>> round(bca_share_below(x, -45.0, 0.0, x), 2)
    0.05
    """
    defined = _defined(draws)
    if not defined.size or not np.isfinite(estimate):
        return np.nan
    known = _bias_and_acceleration(defined, estimate, without_each, counts)
    if known is None or not np.isfinite(known[0]):
        return np.nan
    bias, acceleration = known
    # As in the percentile test, one resample is taken to lie on the other side.
    least = 1 / (defined.size + 1)
    reach = scipy.special.ndtri(np.clip(_share_below(defined, point), least, 1 - least)) - bias
    return float(scipy.special.ndtr(reach / (1 + acceleration * reach) - bias))


def normal_test(estimate: float, error: float) -> float:
    """Two-sided p-value of 0, from an estimate and its standard error.

    Parameters
    ----------
    estimate, error : float

    Returns
    -------
    float
        NaN without a standard error above 0.

    Examples
    --------
    >>> round(normal_test(1.96, 1.0), 3)
    0.05
    """
    # Below this an error is rounding: the ratings leave none.
    return float(2 * scipy.special.ndtr(-abs(estimate) / error)) if error > SAME else np.nan
