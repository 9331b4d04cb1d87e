"""The hypothesis "no agreement": each rater's ratings are permuted over the items.

If raters do not look at the items, every order of one rater's ratings over the items that
this rater rated is as likely as the one that came out. So the share of permutations whose
coefficient is as far from 0 as the observed one is a p-value that holds at any number of
items, for every coefficient, however rare a level is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from raters.coefficients.ratings import Ratings
from raters.draws import generator
from raters.errors import RatingsError

PERMUTATIONS = 1999
_CELLS = 4_000_000  # cells of terms (32 MB) at a time
_WORK = 400_000_000  # cells of terms in all: above it fewer permutations are drawn
_FEWEST = 199
_MOST_ITEMS = 100_000
_SAME = 1e-9  # coefficients that differ by less are one value


def permutation_test(
    function: Callable,
    x: Ratings,
    seed: int,
    key: str = "",
    permutations: int = PERMUTATIONS,
    upper: bool = False,
) -> float:
    """The p-value of "these raters do not agree at all", by permuting their ratings.

    Parameters
    ----------
    function : callable
        A coefficient: takes `Ratings` and a scale, returns `Sums`.
    x : Ratings
        One row an item, or patterns of known raters. NaN where a rating is missing: a
        rater's ratings change places among the items that this rater rated.
    seed : int
        Seed of the permutations.
    key : str
        Names the permutations, as the framework does for resamples.
    permutations : int
        How many are drawn at most; the observed order counts as one more. Where terms times
        items are very many, fewer are, but at least 199.
    upper : bool
        Only values as high as the observed one count, for coefficients that are not below
        0, such as Kendall's W. Default: values as far from 0, on either side.

    Returns
    -------
    float
        At least ``1 / (permutations + 1)``; NaN where the coefficient is not defined.

    Raises
    ------
    RatingsError
        A rater with a single rating, which has no other order; or counted patterns of more
        than 100,000 items.

    Notes
    -----
    With missing ratings the test holds if who is missing does not depend on the rating.
    A permutation on which the coefficient is not defined counts as far from 0.
    Source: Good (2005), Permutation, Parametric and Bootstrap Tests of Hypotheses, ch. 3;
    the observed order among them: Phipson and Smyth (2010), Statistical Applications in
    Genetics and Molecular Biology 9, article 39.

    Examples
    --------
    >>> from raters import Scale
    >>> from raters.coefficients import cohen_kappa
    >>> scale = Scale([1, 2])
    >>> same = Ratings(np.repeat([[1.0], [2.0], [1.0], [2.0], [1.0], [2.0]], 2, axis=1), scale)
    >>> permutation_test(cohen_kappa, same, seed=1) < 0.15
    True
    """
    x = _items_of(x)
    _refuse(x)
    sums = function(x, x.scale)
    observed = sums.estimate()
    if not np.isfinite(observed):
        return np.nan
    width = max(1, len(sums.terms)) * len(x.values)
    permutations = min(permutations, 1 + max(_FEWEST, _WORK // width))
    rng = generator(seed, f"permutations {key}")
    values = np.concatenate(list(_permuted_values(function, x, rng, permutations, width)))
    if not upper:
        observed, values = abs(observed), np.abs(values)
    as_far = np.count_nonzero(~(values < observed - _SAME * max(1.0, observed)))
    return float((1 + as_far) / (1 + values.size))


def _items_of(x):
    """One row an item: what patterns of known raters stand for, in any order."""
    if x.counts is None:
        return x
    items = int(x.counts.sum())
    if items > _MOST_ITEMS:
        raise RatingsError(
            f"a permutation test of {items:,} items",
            f"up to {_MOST_ITEMS:,} items",
            "choose interval='analytic', the field's own test",
        )
    return Ratings(np.repeat(x.values, x.counts.astype(int), axis=0), x.scale, None, x.raters)


def _refuse(x):
    alone = [c for c, number in enumerate(x.there.sum(axis=0)) if number == 1]
    if alone:
        name = x.raters[alone[0]] if x.raters else f"number {alone[0] + 1}"
        raise RatingsError(
            f"a permutation test with the rater {name}, who gave a single rating",
            "raters with two ratings or more: a single one has no other order",
            "leave this rater out, or leave the test out",
        )


def _permuted_values(function, x, rng, permutations, width) -> Iterator[np.ndarray]:
    """The coefficient on permuted ratings, block by block.

    A block of permutations is one tall matrix: its terms are made once and summed over
    each permutation's rows, as draws of items are.
    """
    n, block, left = len(x.values), 1, permutations
    while left > 0:
        block = min(block, left)
        sums = function(x.like(_permuted(x, rng, block)), x.scale)
        yield np.atleast_1d(sums.finish(sums.terms.reshape(len(sums.terms), block, n).sum(axis=2)))
        left -= block
        block = max(1, min(4 * block, _CELLS // width))


def _permuted(x, rng, block):
    """So many copies of the matrix below each other, each rater's ratings in a new order."""
    result = np.tile(x.values, (block, 1)).reshape(block, *x.values.shape)
    for column, there in enumerate((~np.isnan(x.values)).T):
        given = np.broadcast_to(x.values[there, column], (block, np.count_nonzero(there)))
        result[:, there, column] = rng.permuted(given, axis=1)
    return result.reshape(-1, x.values.shape[1])
