"""How often each item is drawn in each resample, and totals of terms over it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from raters.errors import RatingsError

# Draws up to this size (10 MB) are kept: many calls in a row want the same ones.
_KEPT = 2_500_000

_SINGLE = 2**24  # whole numbers below this are exact in single precision

_MOST = 10_000_000  # resamples: more take memory and tell nothing

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
