"""How often each item is drawn in each resample, and totals of terms over it."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from raters.errors import RatingsError

if TYPE_CHECKING:
    from raters.coefficients.base import Sums

# Draws up to this size (10 MB) are kept: many calls in a row want the same ones.
_KEPT = 2_500_000

# Whole numbers below these are exact, in single and in double precision.
_SINGLE, _DOUBLE = 2**24, 2**53

_MOST = 10_000_000  # resamples: more take memory and tell nothing

_CELLS_AT_ONCE = 6_000_000  # of totals (50 MB): many coefficients share one product of matrices

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
            rng = generator(self.seed, self.key)
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
        result[:, 0] = total(terms, self.counts)
        if without_each:
            np.subtract(result[:, :1], terms, out=result[:, 1:start])
        for block in self.blocks():
            end = start + block.shape[1]
            _product(terms, block, self.n_items, result[:, start:end])
            start = end
        return result

    def values(
        self, labelled: Iterable[tuple[Any, Sums]], without_each: bool = False
    ) -> Iterator[tuple[Any, Sums, np.ndarray]]:
        """Many coefficients at once: their terms share one product with the draws.

        Parameters
        ----------
        labelled : iterable of (anything, Sums)
            What a coefficient is called, and its terms, one for each row of these draws.
        without_each : bool
            Whether the leave-one-out values are wanted.

        Yields
        ------
        label : anything
        sums : Sums
        values : ndarray, shape (1 + resamples,) or (1 + rows + resamples,)
            Of the ratings as they are, then without an item of each row, then on resamples.
        """
        width = 1 + self.resamples + (self.rows if without_each else 0)
        for batch in _batches(labelled, max(1, _CELLS_AT_ONCE // width)):
            # Coefficients share terms (a rater's levels, say): each is multiplied once.
            place = {}
            where = [
                [place.setdefault(term.tobytes(), len(place)) for term in sums.terms]
                for _, sums in batch
            ]
            terms = np.frombuffer(b"".join(place)).reshape(len(place), self.rows)
            totals = self.totals(terms, without_each)
            for (label, sums), rows in zip(batch, where):
                yield label, sums, sums.finish(_Shared(totals, rows))


def _batches(labelled, most):
    """Lists of results that have up to so many terms together, or one with more."""
    batch, size = [], 0
    for one in labelled:
        if batch and size + len(one[1].terms) > most:
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += len(one[1].terms)
    if batch:
        yield batch


class _Shared:
    """The totals of one coefficient among those of many: copied only where they must be."""

    def __init__(self, totals, rows):
        self.totals, self.rows = totals, rows
        self.shape = (len(rows), *totals.shape[1:])

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, which):
        rows = self.rows[which]
        if isinstance(rows, int):
            return self.totals[rows]
        if rows and rows == list(range(rows[0], rows[0] + len(rows))):
            return self.totals[rows[0] : rows[0] + len(rows)]
        return self.totals[rows]


def generator(seed: int, key: str) -> np.random.Generator:
    """The random numbers of a seed for one thing, such as a framework, by its name."""
    return np.random.default_rng([seed, zlib.crc32(key.encode())])


def total(terms: np.ndarray, counts: np.ndarray | None = None) -> np.ndarray:
    """Totals of terms as the ratings are.

    Parameters
    ----------
    terms : ndarray, shape (k, rows)
        What an item of each row adds.
    counts : ndarray, shape (rows,), optional
        How many items each row stands for. Default: one.

    Returns
    -------
    ndarray, shape (k,)

    Examples
    --------
    >>> total(np.array([[0.5, 1.0]]), np.array([2, 1])).tolist()
    [2.0]
    """
    if counts is None:
        return terms.sum(axis=1)
    return exact_totals(terms, np.asarray(counts, float)[:, None])[:, 0]


def exact_totals(terms: np.ndarray, drawn: np.ndarray, most: float | None = None) -> np.ndarray:
    """Totals of terms over draws: the same to the last bit whatever else is computed with them.

    Parameters
    ----------
    terms : ndarray, shape (k, rows)
        What an item of each row adds.
    drawn : ndarray, shape (rows, resamples)
        How often the items of each row are drawn: whole numbers.
    most : float, optional
        The most items that any resample draws. Default: looked up.

    Returns
    -------
    ndarray, shape (k, resamples)

    Notes
    -----
    A product of matrices adds in an order that hangs on the machine and on the other rows,
    so sums that round would change their last bit with both. Here nothing rounds: terms of
    whole numbers are exact in any order, in single precision where they stay small, which is
    twice as fast. Other terms are cut in two whole numbers, a large and a small one.

    Examples
    --------
    >>> exact_totals(np.array([[0.1, 0.2, 0.3]]), np.array([[1.0], [1.0], [1.0]])).tolist()
    [[0.6]]
    """
    result = np.empty((len(terms), drawn.shape[1]))
    most = drawn.sum(axis=0).max(initial=0.0) if most is None else most
    _product(np.asarray(terms, float), drawn, most, result)
    return result


def _product(terms, drawn, most, out):
    bound = np.abs(terms).max(axis=1, initial=0.0) * most
    exact = (terms == np.rint(terms)).all(axis=1) & (bound < _DOUBLE)
    single = exact & (bound < _SINGLE) & (drawn.dtype == np.float32)
    for start in range(0, drawn.shape[1], _IN_CACHE):
        part, totals = drawn[:, start : start + _IN_CACHE], out[:, start : start + _IN_CACHE]
        if single.any():
            totals[single] = terms[single].astype(np.float32) @ part
        if not single.all():
            double = part.astype(float, copy=False)
            totals[exact & ~single] = terms[exact & ~single] @ double
            if not exact.all():
                totals[~exact] = _in_two(terms[~exact], part, double, most)


def _in_two(terms, part, double, most):
    """Totals of terms with decimals: as whole numbers of steps, and of parts of a step.

    Steps are so long that totals of them are exact in double precision, parts of a step so
    long that theirs are exact too, in single precision where items are few.
    """
    _, size = np.frexp(np.abs(terms).max(axis=1, keepdims=True) * most)
    scaled = np.ldexp(terms, 52 - size)
    steps = np.rint(scaled)
    rest = scaled - steps
    totals = steps @ double
    if rest.any():
        bits = int(np.ceil(np.log2(max(most, 2.0))))
        kind, there = (np.float32, 24) if part.dtype == np.float32 and bits <= 12 else (float, 53)
        parts = np.rint(np.ldexp(rest, there - bits)).astype(kind)
        totals += np.ldexp((parts @ part.astype(kind, copy=False)).astype(float), bits - there)
    return np.ldexp(totals, size - 52)


def _drawn(rng, n_items, resamples):
    """Draws of items, counted in one go: each resample has its own stretch of numbers."""
    drawn = rng.integers(0, n_items, size=(resamples, n_items))
    drawn += np.arange(resamples)[:, None] * n_items
    times = np.bincount(drawn.ravel(), minlength=resamples * n_items)
    kind = np.float32 if n_items < _SINGLE else float
    return times.reshape(resamples, n_items).T.astype(kind, order="C")


@lru_cache(maxsize=8)
def _kept(n_items, resamples, seed, key):
    times = _drawn(generator(seed, key), n_items, resamples)
    times.flags.writeable = False
    return times
