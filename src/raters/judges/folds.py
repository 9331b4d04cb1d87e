"""Folds: which items a fit may see, so that no item helps to predict itself."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from raters.errors import RatingsError


@dataclass(frozen=True)
class Folds:
    """Which items a fit may see: a random order of the items, and the fold of each.

    Parameters
    ----------
    order : ndarray of int, shape (items,)
        Items in random order.
    fold : ndarray of int, shape (items,)
        The fold of each item.
    """

    order: np.ndarray
    fold: np.ndarray

    def splits(
        self, usable: np.ndarray, n_train: int | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The training items and the test items of each fold.

        Parameters
        ----------
        usable : ndarray of bool, shape (items,)
            Items that can be learned from.
        n_train : int, optional
            Learn from so many items only: the first ones in the random order.

        Yields
        ------
        train : ndarray of int
            Never an item of the fold.
        test : ndarray of bool, shape (items,)
            The items of the fold.
        """
        for number in range(self.fold.max() + 1):
            test = self.fold == number
            train = self.order[(usable & ~test)[self.order]]
            if train.size < max(1, n_train or 1):
                raise RatingsError(
                    f"{train.size} items to learn from outside a fold",
                    f"{n_train or 1} or more with a rating by the judge and by the reference",
                    "label more items, take more folds, or a smaller n_train",
                )
            yield train[:n_train], test


def folds_of(reference: np.ndarray, folds: int, seed: int, key: str = "", repeat: int = 0) -> Folds:
    """Random folds of equal size with the same mixture of ratings, up to one item.

    Parameters
    ----------
    reference : ndarray, shape (items,)
        What is to be predicted; NaN where missing.
    folds : int
        From 2 to the number of items (each item alone).
    seed : int
        The seed. Same seed, same folds.
    key : str
        Names the set of items, so that each set has its own folds.
    repeat : int
        Which repetition.

    Returns
    -------
    Folds

    Raises
    ------
    RatingsError
        Fewer than 2 folds, or more than items.

    Notes
    -----
    Stratified: items are sorted by the reference, equal ones at random, and each run of so
    many items as there are folds gives one to each. With plain random folds, a fold
    whose items lie above the mean leaves a training part below it, so that predictions run
    against the truth: a judge who knows nothing would get a correlation below 0.

    Examples
    --------
    >>> cut = folds_of(np.array([1.0, 1, 2, 2, 3, 3]), 2, seed=1)
    >>> cut.fold.reshape(3, 2).sum(axis=1).tolist()
    [1, 1, 1]
    """
    n_items = len(reference)
    if not isinstance(folds, (int, np.integer)) or not 2 <= folds <= n_items:
        raise RatingsError(
            f"folds={folds!r} for {n_items} items",
            "a whole number from 2 to the number of items",
            "take 10, or 5 where there are few items",
        )
    rng = np.random.default_rng([seed, repeat, zlib.crc32(key.encode())])
    order = rng.permutation(n_items)
    in_line = order[np.argsort(np.asarray(reference)[order], kind="stable")]
    fold = np.empty(n_items, int)
    for start in range(0, n_items, folds):
        run = in_line[start : start + folds]
        fold[run] = rng.permutation(folds)[: run.size]
    return Folds(order, fold)
