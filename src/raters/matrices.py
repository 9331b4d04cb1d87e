"""The ratings of one dimension as a matrix: items in rows, raters in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.frames import KEYS, Checked, each_together
from raters.scale import Scale, scale_for


@dataclass(frozen=True)
class Matrix:
    """One dimension as a matrix: items in rows, raters in columns, NaN where missing.

    With `counts`, a row stands for so many items with these ratings (a pattern), and
    `items` is empty.
    """

    framework: str
    dimension: str
    items: tuple[str, ...]
    raters: tuple[str, ...]
    values: np.ndarray
    scale: Scale
    counts: np.ndarray | None = None


@dataclass(frozen=True)
class Counted:
    """Ratings of many items as counted patterns, for `agreement`, `pairwise`, `compare`.

    Parameters
    ----------
    tables : tuple of Matrix
        One for each framework and dimension, with `counts`.
    groups : mapping of str to str
        Rater to group.
    exchangeable : tuple of str
        Columns that are no raters but places: the first, second, ... rating of an item,
        whoever gave it. Only coefficients that do not ask who rated mean something there.
    """

    tables: tuple[Matrix, ...]
    groups: Mapping[str, str]
    exchangeable: tuple[str, ...] = ()


def groups_of(ratings: pd.DataFrame | Checked | Counted) -> dict[str, str]:
    """Rater to group, raters in the order in which they come.

    Parameters
    ----------
    ratings : DataFrame or Counted
        A checked long frame, or counted patterns.

    Returns
    -------
    dict

    Examples
    --------
    >>> groups_of(pd.DataFrame({"rater": ["b", "a", "b"], "group": ["x", "y", "x"]}))
    {'b': 'x', 'a': 'y'}
    """
    if isinstance(ratings, Counted):
        return dict(ratings.groups)
    known = Checked.of(ratings, ["rater", "group"])
    group = np.empty(len(known.names["rater"]), int)
    group[known.codes["rater"]] = known.codes["group"]
    return {rater: known.names["group"][g] for rater, g in zip(known.names["rater"], group)}


def tables(
    ratings: pd.DataFrame | Checked | Counted, scale=None, raters: Sequence[str] | None = None
) -> Iterator[Matrix]:
    """The matrices of a checked frame, one for each dimension.

    Items are sorted by id, and all dimensions of a framework have the same
    items: so one draw of items serves all of them.

    Parameters
    ----------
    ratings : DataFrame or Counted
        A checked long frame, or counted patterns.
    scale : Scale or mapping
        As in `check_ratings`; not needed for counted patterns.
    raters : sequence of str, optional
        The columns, in order. Default: all raters by name.

    Yields
    ------
    Matrix

    Raises
    ------
    RatingsError
        A rater is not there.

    Examples
    --------
    >>> from raters.frames import check_ratings
    >>> frame = pd.DataFrame({"item": ["x", "y", "x"], "rater": ["a", "a", "b"],
    ...                       "rating": [1, 2, 2]})
    >>> scale = Scale([1, 2])
    >>> [t.values.tolist() for t in tables(check_ratings(frame, scale), scale)]
    [[[1.0, 2.0], [2.0, nan]]]
    """
    ratings = ratings if isinstance(ratings, Counted) else Checked.of(ratings)
    known = groups_of(ratings)
    names = tuple(sorted(known) if raters is None else raters)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise RatingsError(
            f"the raters {unknown}",
            f"raters of the frame: {sorted(known)}",
            "name raters that are in the frame",
        )
    if isinstance(ratings, Counted):
        return (_with_columns(table, names) for table in ratings.tables)
    return _matrices(ratings, scale, names)


def _with_columns(table, names):
    """The table with these raters as columns, empty for those who are not in it."""
    values = np.full((len(table.values), len(names)), np.nan)
    for place, name in enumerate(names):
        if name in table.raters:
            values[:, place] = table.values[:, table.raters.index(name)]
    return replace(table, raters=names, values=values)


def _matrices(known, scale, names):
    frameworks, dimensions, items, raters = (known.codes[column] for column in KEYS)
    framework_names, dimension_names, item_names, rater_names = (known.names[c] for c in KEYS)
    # Items by name: the same draw for the same items, in whatever order they come.
    order = sorted(range(len(item_names)), key=item_names.__getitem__)
    item_names = np.array([item_names[item] for item in order], object)
    rank = np.empty(len(order), int)
    rank[order] = range(len(order))
    items = rank[items]
    place = {name: column for column, name in enumerate(names)}
    columns = np.array([place.get(name, -1) for name in rater_names], int)[raters]
    rating = known.frame["rating"].to_numpy(float)
    for everybody in each_together(frameworks):
        # Everybody's items: a draw of items must not depend on whom it is used for.
        here, row = np.unique(items[everybody], return_inverse=True)
        name, ids = framework_names[frameworks[everybody[0]]], tuple(item_names[here])
        some = np.flatnonzero(columns[everybody] >= 0)
        for part in each_together(dimensions[everybody[some]]):
            cells = everybody[some[part]]
            values = np.full((here.size, len(names)), np.nan)
            values[row[some[part]], columns[cells]] = rating[cells]
            label = dimension_names[dimensions[cells[0]]]
            yield Matrix(name, label, ids, names, values, scale_for(scale, name, label))
