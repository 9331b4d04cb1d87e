"""Resampling items: draws, intervals."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from raters.coefficients.base import SAME
from raters.errors import RatingsError

# Values that differ by less are one value: the same ratings summed in another order. Ties
# count half in the BCa interval, so rounding must not decide on which side they fall.
_TIE = 1e-10
# Draws up to this size (10 MB) are kept: many calls in a row want the same ones.
_KEPT = 2_500_000
_SINGLE = 2**24  # whole numbers below this are exact in single precision
_MOST = 10_000_000  # resamples: more take memory and tell nothing
_FEW, _LOOK = 2000, 500  # values that are simply sorted; that are looked at to find a tail
_IN_CACHE = 2000  # resamples that are multiplied at a time
_AT_ONCE = 12_500_000  # cells of draws (100 MB) in memory at a time


def multiplicities(
    n_items: int, resamples: int, seed: int, key: str = "", counts: np.ndarray | None = None
) -> np.ndarray:
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
    counts : ndarray, shape (rows,), optional
        How many of the items each row of ratings stands for: then the columns are
        rows. Items with the same ratings are exchangeable, so these draws have the
        same distribution, and they do not grow with the number of items.

    Returns
    -------
    ndarray, shape (resamples, n_items) or (resamples, rows)
        Whole numbers as float64, read-only; each resample sums to `n_items`. One such
        matrix serves all dimensions, pairs and coefficients: their differences are paired.

    Raises
    ------
    RatingsError
        `resamples` or `seed` is not a whole number of 0 or more.

    Examples
    --------
    >>> multiplicities(3, 2, seed=1).sum(axis=1).tolist()
    [3.0, 3.0]
    >>> multiplicities(1_000_000, 2, seed=1, counts=np.array([999_990, 10])).sum(axis=1).tolist()
    [1000000.0, 1000000.0]
    """
    blocks = list(Draws(n_items, resamples, seed, key, counts).blocks())
    times = np.concatenate(blocks, axis=1).astype(float).T
    times.flags.writeable = False
    return times


@dataclass(frozen=True, eq=False)
class Draws:
    """The resamples of one set of items, made in blocks that fit in memory.

    Parameters
    ----------
    n_items, resamples, seed, key, counts
        As in `multiplicities`.

    Examples
    --------
    >>> [block.shape for block in Draws(3, 2, seed=1).blocks()]
    [(3, 2)]
    """

    n_items: int
    resamples: int
    seed: int
    key: str = ""
    counts: np.ndarray | None = None

    def __post_init__(self):
        for name in ("resamples", "seed"):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            most = _MOST if name == "resamples" else np.inf
            if not whole or not 0 <= value <= most:
                raise RatingsError(
                    f"{name}={value!r}",
                    "a whole number of 0 or more" + (f", up to {_MOST:,}" if most == _MOST else ""),
                    f"give {name} as such a number",
                )

    @property
    def rows(self) -> int:
        """Number of items, or of patterns."""
        return self.n_items if self.counts is None else len(self.counts)

    def blocks(self) -> Iterator[np.ndarray]:
        """The draws, resamples in columns.

        Yields
        ------
        ndarray, shape (rows, some resamples)
            Whole numbers, in single precision where that holds them exactly.
        """
        if self.rows == 0 or self.resamples == 0:
            yield np.zeros((self.rows, self.resamples))
        elif self.counts is None and self.rows * self.resamples <= _KEPT:
            yield _kept(self.n_items, self.resamples, self.seed, self.key)
        else:
            rng = _generator(self.seed, self.key)
            step = max(1, _AT_ONCE // self.rows)
            for start in range(0, self.resamples, step):
                yield self._drawn(rng, min(step, self.resamples - start))

    def _drawn(self, rng, resamples):
        if self.counts is None:
            return _drawn(rng, self.n_items, resamples)
        often = np.asarray(self.counts, float)
        return rng.multinomial(self.n_items, often / often.sum(), size=resamples).T.astype(float)

    def totals(self, terms: np.ndarray, without_each: bool) -> np.ndarray:
        """Totals of terms: as the ratings are, without an item of each row, on resamples.

        Parameters
        ----------
        terms : ndarray, shape (k, rows)
            What an item of each row adds.
        without_each : bool
            Whether the leave-one-out totals are wanted.

        Returns
        -------
        ndarray, shape (k, 1 + rows + resamples), or without the rows
        """
        start = 1 + (self.rows if without_each else 0)
        result = np.empty((len(terms), start + self.resamples))
        result[:, 0] = terms.sum(axis=1) if self.counts is None else terms @ self.counts
        if without_each:
            np.subtract(result[:, :1], terms, out=result[:, 1:start])
        for block in self.blocks():
            end = start + block.shape[1]
            _product(terms, block, result[:, start:end])
            start = end
        return result


def _generator(seed, key):
    return np.random.default_rng([seed, zlib.crc32(key.encode())])


def _product(terms, block, out):
    """Terms times draws. Whole numbers that stay small are as exact in single precision.

    And twice as fast: most terms are counts and ratings. Best if they come first.
    """
    drawn = block[:, :1].sum(initial=0.0)
    single = whole(terms) & (np.abs(terms).max(axis=1, initial=0.0) * drawn < _SINGLE)
    first = len(single) if single.all() else int(np.argmin(single))
    if block.dtype != np.float32:
        first = 0
    short = terms[:first].astype(np.float32)
    for start in range(0, block.shape[1], _IN_CACHE):
        part = block[:, start : start + _IN_CACHE]
        here = out[:, start : start + _IN_CACHE]
        if first:
            here[:first] = short @ part
        if first < len(terms):
            np.matmul(terms[first:], part.astype(float, copy=False), out=here[first:])


def whole(terms: np.ndarray) -> np.ndarray:
    """Which rows hold whole numbers only.

    Parameters
    ----------
    terms : ndarray, shape (k, rows)

    Returns
    -------
    ndarray, shape (k,)
    """
    return (terms == np.rint(terms)).all(axis=1)


def _drawn(rng, n_items, resamples):
    """Draws of items, counted in one go: each resample has its own stretch of numbers."""
    drawn = rng.integers(0, n_items, size=(resamples, n_items))
    drawn += np.arange(resamples)[:, None] * n_items
    times = np.bincount(drawn.ravel(), minlength=resamples * n_items)
    kind = np.float32 if n_items < _SINGLE else float
    return times.reshape(resamples, n_items).T.astype(kind, order="C")


@lru_cache(maxsize=8)
def _kept(n_items, resamples, seed, key):
    times = _drawn(_generator(seed, key), n_items, resamples)
    times.flags.writeable = False
    return times


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
        reach = bias + special.ndtri(tail)
        ends.append(special.ndtr(bias + reach / (1 - acceleration * reach)))
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
    return special.ndtri(below), acceleration


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
    >>> x = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> times = multiplicities(5, 4000, seed=1)
    >>> without = (x.sum() - x) / 4
    >>> bca_test(times @ x / 5, x.mean(), without) < 0.01
    True
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
    reach = special.ndtri(np.clip(_share_below(defined, 0.0), least, 1 - least)) - bias
    z = reach / (1 + acceleration * reach) - bias
    return float(2 * special.ndtr(-abs(z)))


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
    return float(2 * special.ndtr(-abs(estimate) / error)) if error > SAME else np.nan
