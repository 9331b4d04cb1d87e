"""Ratings counted by pattern: items with the same ratings are one row with a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.frames import checked
from raters.matrices import Counted, Matrix, groups_of, tables
from raters.scale import scale_for

# --- patterns: items with the same ratings, counted -------------------------------

_BLOCK = 250_000  # rows that are turned into patterns at a time


def counted(
    ratings,
    scale,
    raters: Sequence[str] | None = None,
    groups: Mapping[str, str] | None = None,
    framework: str = "all",
) -> Counted:
    """Ratings of many items as patterns: each row of ratings once, and how often it occurs.

    Items with the same ratings are exchangeable. So agreement of a million items needs
    a few hundred patterns and their counts, and resampling them has the same
    distribution as resampling the items.

    Parameters
    ----------
    ratings : DataFrame or mapping of str to array-like
        The long frame, see `check_ratings`; or for each dimension a matrix of numbers,
        shape (items, raters), NaN where a rating is missing.
    scale : Scale or mapping
        The declared scale or scales.
    raters : sequence of str, optional
        The raters to keep; the names of the columns where matrices are given.
    groups : mapping of str to str, optional
        Rater to group, where matrices are given. Default: everybody in one group, "all".
    framework : str
        The framework's name, where matrices are given.

    Returns
    -------
    Counted
        For `agreement`, `pairwise` and `compare`, in place of the frame.

    Raises
    ------
    RatingsError
        From `check_ratings`; a matrix without names of its columns, of another shape, or
        with a rating off the scale.

    Examples
    --------
    >>> from raters import Scale
    >>> x = np.array([[1, 1], [2, 1], [1, 1]])
    >>> table = counted({"warmth": x}, Scale([1, 2]), raters=["a", "b"]).tables[0]
    >>> table.values.tolist(), table.counts.tolist()
    ([[1.0, 1.0], [2.0, 1.0]], [2, 1])
    """
    if isinstance(ratings, pd.DataFrame):
        known = checked(ratings, scale)
        _some(len(known.frame))
        chosen = [counted_table(table) for table in tables(known, scale, raters)]
        group = groups_of(known)
        return Counted(tuple(chosen), {name: group[name] for name in chosen[0].raters})
    if not isinstance(ratings, Mapping) or raters is None:
        raise RatingsError(
            f"ratings of type {type(ratings).__name__}"
            + ("" if raters is None else f" and raters={list(raters)}"),
            "a long frame; or a matrix for each dimension, and raters= the names of its columns",
            "give counted({'warmth': x}, scale, raters=['ann', 'bob'])",
        )
    names = tuple(map(str, raters))
    _some(len(ratings))
    if len(set(names)) < len(names):
        raise RatingsError(
            f"raters={list(names)}", "a name of its own for each column", "rename one of them"
        )
    found = []
    for dimension, x in ratings.items():
        declared = scale_for(scale, framework, dimension)
        x = np.asarray(x)
        if x.ndim != 2 or x.shape[1] != len(names) or x.dtype.kind not in "iufb":
            raise RatingsError(
                f"for {dimension} an array of shape {x.shape} and type {x.dtype}",
                f"numbers, a row for each item and {len(names)} columns, one for each rater",
                "transpose it, or name its columns in raters=",
            )
        found.append(_counted_matrix(framework, dimension, names, x, declared))
    return Counted(tuple(found), {name: (groups or {}).get(name, "all") for name in names})


def _some(number):
    if not number:
        raise RatingsError("no rating at all", "one rating or more", "check what was read")


def counted_table(table: Matrix) -> Matrix:
    """A table with each different row once, and how many items have it.

    Parameters
    ----------
    table : Matrix

    Returns
    -------
    Matrix
        With `counts`; the rows are sorted, and the items' ids are gone.

    Examples
    --------
    >>> from raters import Scale
    >>> table = Matrix("all", "warmth", ("x", "y"), ("a",), np.array([[2.0], [2.0]]), Scale([1, 2]))
    >>> counted_table(table).counts.tolist()
    [2]
    """
    if table.counts is not None:
        return table
    return _counted_matrix(
        table.framework, table.dimension, table.raters, table.values, table.scale
    )


def _counted_matrix(framework, dimension, raters, x, scale):
    """Patterns of a matrix, block by block: memory does not grow with the number of items."""
    known = np.round(scale.values, 9)
    patterns, counts = np.zeros((0, len(raters))), np.zeros(0, np.int64)
    for start in range(0, len(x), _BLOCK):
        block = np.round(x[start : start + _BLOCK].astype(float), 9)
        _on_scale(block, start, scale, dimension)
        if np.isin(block[~np.isnan(block)], known).all():
            new, often = _by_code(block, known)
        else:  # values between the levels, or answers outside them
            new, often = distinct_rows(block, np.ones(len(block), np.int64))
        patterns, counts = distinct_rows(
            np.concatenate([patterns, new]), np.concatenate([counts, often])
        )
    return Matrix(framework, dimension, (), tuple(raters), patterns, scale, counts)


def _on_scale(block, start, scale, dimension):
    given = np.unique(block[~np.isnan(block)])
    wrong = [value for value in given if np.isnan(scale.value_of(value))]
    if wrong:
        row = start + int(np.flatnonzero((block == wrong[0]).any(axis=1))[0])
        raise RatingsError(
            f"the rating {wrong[0]:g} on {dimension} in row {row} (counted from 0)",
            scale.describe(),
            "correct the ratings, or declare the scale that was used",
        )


def distinct_rows(x, counts):
    """Each different row once, sorted with missing ratings last, and the counts summed."""
    values, code = np.unique(x, return_inverse=True)  # one NaN stands for all, and is last
    rows, which = np.unique(code.reshape(x.shape), axis=0, return_inverse=True)
    summed = np.zeros(len(rows), np.int64)
    np.add.at(summed, which.ravel(), counts)
    return values[rows], summed


def _by_code(block, known):
    """Patterns by one number for each row, where all ratings are levels."""
    levels = np.append(np.sort(known), np.nan)
    base = levels.size
    if base ** block.shape[1] > 2**62:
        return distinct_rows(block, np.ones(len(block), np.int64))
    code = np.where(np.isnan(block), base - 1, np.searchsorted(levels[:-1], block))
    power = base ** np.arange(block.shape[1])[::-1]
    number, often = np.unique(code @ power, return_counts=True)
    return levels[number[:, None] // power % base], often
