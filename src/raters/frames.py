"""The one long frame of ratings: checked once, then turned into arrays.

One row is one rating: `framework, dimension, item, rater, group, rating`.
Everything else in the package may rely on what `check_ratings` lets through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.scale import Scale, scale_for

COLUMNS = ["framework", "dimension", "item", "rater", "group", "rating"]
_DEFAULTS = {"framework": "all", "dimension": "all", "group": "all"}
_KEYS = COLUMNS[:4]
_DUPLICATES = ("error", "first", "last", "mean")
_SHOWN = 5


def from_wide(wide: pd.DataFrame, items, raters) -> pd.DataFrame:
    """A long frame from a wide one whose rows and columns are named.

    Which side holds the items is never guessed from the shape: one side is named by
    the column that holds its ids, the other by the list of its columns.

    Parameters
    ----------
    wide : DataFrame
        A row for each item or for each rater.
    items, raters : str or sequence of str
        One of the two is the column with the ids, the other the columns to read.

    Returns
    -------
    DataFrame
        The columns ``item, rater, rating`` for `check_ratings`, item by item; what
        is empty stays missing.

    Raises
    ------
    RatingsError
        Not exactly one of the two is a single column; a column is not in the frame.

    Examples
    --------
    >>> wide = pd.DataFrame({"item": ["x", "y"], "ann": [1, 2], "bob": [1, 3]})
    >>> from_wide(wide, items="item", raters=["ann", "bob"]).rating.tolist()
    [1, 1, 2, 3]
    >>> wide = pd.DataFrame({"annotator": ["ann", "bob"], "x": [1, 1], "y": [2, 3]})
    >>> from_wide(wide, items=["x", "y"], raters="annotator").rating.tolist()
    [1, 1, 2, 3]
    """
    if isinstance(items, str) == isinstance(raters, str):
        raise RatingsError(
            f"items={items!r} and raters={raters!r}",
            "one of them the column with the ids, the other a list of columns",
            "for a row an item: items='item', raters=['ann', 'bob']; "
            "for a row a rater: raters='annotator', items=['x', 'y']",
        )
    rows, columns = ("item", "rater") if isinstance(items, str) else ("rater", "item")
    ids, cells = (items, list(raters)) if rows == "item" else (raters, list(items))
    unknown = [name for name in [ids, *cells] if name not in wide.columns]
    if unknown:
        raise RatingsError(
            f"the columns {unknown}",
            f"columns of the frame: {list(map(str, wide.columns))}",
            "name columns that are in the frame",
        )
    long = [
        pd.DataFrame({rows: wide[ids].array, columns: name, "rating": wide[name].astype(object)})
        for name in cells
    ]
    long = pd.concat(long, ignore_index=True)[["item", "rater", "rating"]]
    order = pd.Series(wide[ids].tolist() if rows == "item" else cells).drop_duplicates()
    place = pd.Series(range(len(order)), index=order)
    return long.iloc[np.argsort(long["item"].map(place).to_numpy(), kind="stable")].reset_index(
        drop=True
    )


def check_ratings(
    ratings: pd.DataFrame, scale, duplicates: str = "error", missing: Sequence = ()
) -> pd.DataFrame:
    """Check a long frame of ratings and bring it into the one known form.

    Parameters
    ----------
    ratings : DataFrame
        One row a rating. Needs the columns ``item, rater, rating``;
        ``framework``, ``dimension`` and ``group`` are optional and become
        ``"all"``. Other columns are left out. Ids are compared as text.
    scale : Scale or mapping
        The declared scale, or a mapping from framework, dimension or
        ``(framework, dimension)`` to scales.
    duplicates : {"error", "first", "last", "mean"}
        What to do with two ratings of one item by one rater on one dimension.
    missing : sequence
        Codes that stand for "not rated", such as ``[0]`` or ``["skip"]``. Numbers are
        compared as numbers, however they are written. ``attrs["missing"]`` of the
        result says how many ratings had each code.

    Returns
    -------
    DataFrame
        The columns ``framework, dimension, item, rater, group, rating``; text
        as ``str``, ratings as ``float64`` values of the scale, missing as NaN.
        Row order and ``attrs`` are kept.

    Raises
    ------
    RatingsError
        A column is missing; an id is missing; a code for missing is also a level; a
        rating is off the scale or infinite; a rater has two groups; duplicates with
        ``duplicates="error"``.
        The message names items and values.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": [7, 7], "rater": ["a", "b"], "rating": ["4", " 5 "]})
    >>> check_ratings(frame, Scale([1, 2, 3, 4, 5])).rating.tolist()
    [4.0, 5.0]
    """
    if not isinstance(ratings, pd.DataFrame):
        raise RatingsError(
            f"ratings of type {type(ratings).__name__}",
            "one long pandas DataFrame with a row for each rating",
            "build a frame with the columns item, rater, rating",
        )
    frame = _text_columns(ratings)
    given, counts = _without_codes(frame, ratings["rating"], scale, missing)
    frame["rating"] = _values(frame, given, scale)
    frame = _without_duplicates(frame, duplicates)
    _one_group_each(frame)
    frame.attrs = dict(ratings.attrs) | ({"missing": counts} if counts else {})
    return frame[COLUMNS]


def _without_codes(frame, ratings, scale, missing):
    """The ratings without codes for missing ones, and how many had each code."""
    counts = {}
    if isinstance(missing, (str, bytes)) or not isinstance(missing, Iterable):
        missing = [missing]
    ratings = ratings.reset_index(drop=True).astype(object)
    for code in missing:
        for framework, dimension in frame[["framework", "dimension"]].drop_duplicates().values:
            declared = scale_for(scale, framework, dimension)
            if not np.isnan(declared.value_of(code)):
                raise RatingsError(
                    f"the code {code!r} for missing ratings, which is a rating on {dimension}",
                    f"a code that is not on the scale: {declared.describe()}",
                    "take it out of missing=, or out of the scale",
                )
        found = ratings.map(lambda rating, code=code: _same_spelling(rating, code))
        found = found.to_numpy(bool)
        counts[str(code)] = int(found.sum())
        ratings = ratings.mask(found, np.nan)
    return ratings, counts


def _same_spelling(rating, code):
    """Whether a rating is the code, as text or as a number."""
    try:
        return float(rating) == float(code)
    except (TypeError, ValueError):
        return str(rating).strip() == str(code).strip()


def _text_columns(ratings):
    missing = [c for c in COLUMNS if c not in ratings.columns and c not in _DEFAULTS]
    if missing:
        raise RatingsError(
            f"a frame with the columns {list(map(str, ratings.columns))}",
            "the columns item, rater and rating (framework, dimension and group are optional)",
            f"add or rename: {', '.join(missing)}",
        )
    frame = pd.DataFrame(index=range(len(ratings)))
    for column in COLUMNS[:-1]:
        if column not in ratings.columns:
            frame[column] = _DEFAULTS[column]
            continue
        values = ratings[column].reset_index(drop=True)
        if values.isna().any():
            row = int(np.flatnonzero(values.isna())[0])
            raise RatingsError(
                f"no {column} in row {row} (counted from 0)",
                f"a {column} in every row",
                "fill it in, or leave the row out",
            )
        if pd.api.types.is_float_dtype(values.dtype):
            raise RatingsError(
                f"the column {column} holds decimal numbers, such as {values.iloc[0]!r}",
                "ids as text or as whole numbers: long ids lose digits as decimals",
                "read the column as text, for example pd.read_csv(..., dtype=str)",
            )
        frame[column] = values.astype(str)
    return frame


def _values(frame, ratings, scale):
    """The ratings as numbers of the scale, one look-up per distinct rating and dimension."""
    raw = ratings.reset_index(drop=True).astype(object)
    missing = raw.isna().to_numpy()
    result = np.full(len(raw), np.nan)
    wrong = []
    for (framework, dimension), rows in frame.groupby(["framework", "dimension"]).indices.items():
        declared = scale_for(scale, framework, dimension)
        rows = rows[~missing[rows]]
        here = raw.iloc[rows]
        found = {key: declared.value_of(key[1]) for key in {(type(v), v) for v in here}}
        result[rows] = [found[type(v), v] for v in here]
        bad = rows[np.isnan(result[rows])]
        wrong += [(row, declared) for row in bad]
    if wrong:
        places = [
            f"{raw[row]!r} (item {frame.item[row]}, rater {frame.rater[row]}, "
            f"dimension {frame.dimension[row]})"
            for row, _ in wrong[:_SHOWN]
        ]
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise RatingsError(
            "ratings off the scale: " + "; ".join(places) + more,
            wrong[0][1].describe(),
            "correct the ratings, declare the scale that was used, or say what is no rating: "
            "missing=[...] for codes of missing ratings, Scale(outside=[...]) for other answers",
        )
    return result


def _without_duplicates(frame, duplicates):
    if duplicates not in _DUPLICATES:
        raise RatingsError(
            f"duplicates={duplicates!r}", ", ".join(_DUPLICATES), "name one of these"
        )
    again = frame.duplicated(_KEYS, keep=False)
    if not again.any():
        return frame
    if duplicates == "error":
        rows = frame[again].drop_duplicates(_KEYS)
        places = [
            f"item {r.item} by {r.rater} on {r.dimension}" for r in rows.head(_SHOWN).itertuples()
        ]
        more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
        raise RatingsError(
            "more than one rating of " + "; ".join(places) + more,
            "one rating of an item by a rater on a dimension",
            "remove the extra rows, or say which to keep: check_ratings(..., duplicates='first')",
        )
    if duplicates == "mean":
        means = frame.replace(np.inf, np.nan).groupby(_KEYS)["rating"].transform("mean")
        frame = frame.assign(rating=means)
        duplicates = "first"
    return frame.drop_duplicates(_KEYS, keep=duplicates).reset_index(drop=True)


def _one_group_each(frame):
    groups = frame.groupby("rater")["group"].nunique()
    if (groups > 1).any():
        rater = groups.index[groups > 1][0]
        names = sorted(frame.loc[frame.rater == rater, "group"].unique())
        raise RatingsError(
            f"rater {rater} is in the groups {', '.join(names)}",
            "one group for each rater",
            "give the rater one group, or two names",
        )


def with_reference(
    ratings: pd.DataFrame,
    group: str = "expert",
    how: str = "median",
    name: str | None = None,
    without: str | None = None,
) -> pd.DataFrame:
    """Add a rater who is the median, mean or mode of a group, item by item.

    Parameters
    ----------
    ratings : DataFrame
        A checked long frame.
    group : str
        The group to summarise.
    how : {"median", "mean", "mode"}
        How. An item that somebody in the group left out is summarised over the
        others. Where several levels are equally frequent there is no mode, and the
        item has no rating.
    name : str, optional
        The new rater's name. Default ``"<group>_<how>"``, with ``"_without_<rater>"``
        where somebody is left out.
    without : str, optional
        A rater of the group to leave out, so that they can be compared with the others.

    Returns
    -------
    DataFrame
        The frame with the new rows at its end; their group is ``"reference"``.

    Raises
    ------
    RatingsError
        Nobody is in that group, `how` is unknown, `without` is not in the group, or
        the name is taken.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": list("xxx"), "rater": list("abc"), "group": "expert",
    ...                       "rating": [1, 2, 5]})
    >>> frame = check_ratings(frame, Scale([1, 2, 3, 4, 5]))
    >>> with_reference(frame)[["rater", "rating"]].to_numpy()[-1].tolist()
    ['expert_median', 2.0]
    >>> with_reference(frame, without="c")[["rater", "rating"]].to_numpy()[-1].tolist()
    ['expert_median_without_c', 1.5]
    """
    members = ratings[ratings["group"] == group]
    if how not in ("median", "mean", "mode"):
        raise RatingsError(f"how={how!r}", "median, mean, mode", "name one of these")
    if members.empty:
        raise RatingsError(
            f"the group {group!r}",
            f"a group of the frame: {sorted(ratings['group'].unique())}",
            "name one of these groups",
        )
    if without is not None:
        names = sorted(members["rater"].unique())
        if without not in names or len(names) < 2:
            raise RatingsError(
                f"without={without!r}",
                f"a rater of the group {group!r} that has others beside: {names}",
                "name one of the group, or nobody",
            )
        members = members[members["rater"] != without]
    new = name or f"{group}_{how}" + (f"_without_{without}" if without else "")
    if new in set(ratings["rater"]):
        raise RatingsError(
            f"the new rater {new!r}, whose name is taken",
            "a name that no rater of the frame has",
            "give another one: name='...'",
        )
    keys = ["framework", "dimension", "item"]
    summary = _only_mode if how == "mode" else how
    inside = members.assign(rating=members["rating"].replace(np.inf, np.nan))
    rows = inside.groupby(keys, sort=False)["rating"].agg(summary).reset_index()
    rows["rater"] = new
    rows["group"] = "reference"
    result = pd.concat([ratings, rows[COLUMNS]], ignore_index=True)
    result.attrs = dict(ratings.attrs)
    return result


def _only_mode(values):
    modes = values.mode()
    return modes.iloc[0] if len(modes) == 1 else np.nan


def round_ratings(ratings: pd.DataFrame, raters: Sequence[str] | None = None) -> pd.DataFrame:
    """Round ratings to whole numbers, halves to the even neighbour.

    Parameters
    ----------
    ratings : DataFrame
        A checked long frame on whole-numbered scales.
    raters : sequence of str, optional
        Whose ratings. Default: all.

    Returns
    -------
    DataFrame
        A copy with rounded ratings.

    Examples
    --------
    >>> round_ratings(pd.DataFrame({"rater": ["a", "a"], "rating": [2.5, 3.5]})).rating.tolist()
    [2.0, 4.0]
    """
    whose = slice(None) if raters is None else ratings["rater"].isin(raters)
    result = ratings.copy()
    result.loc[whose, "rating"] = np.rint(ratings.loc[whose, "rating"])
    return result


@dataclass(frozen=True)
class Table:
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
    tables : tuple of Table
        One for each framework and dimension, with `counts`.
    groups : mapping of str to str
        Rater to group.
    """

    tables: tuple[Table, ...]
    groups: Mapping[str, str]


def tables(ratings: pd.DataFrame, scale, raters: Sequence[str] | None = None) -> Iterator[Table]:
    """The matrices of a checked frame, one for each dimension.

    Items are sorted by id, and all dimensions of a framework have the same
    items: so one draw of items serves all of them.

    Parameters
    ----------
    ratings : DataFrame
        A checked long frame.
    scale : Scale or mapping
        As in `check_ratings`.
    raters : sequence of str, optional
        The columns, in order. Default: all raters by name.

    Yields
    ------
    Table

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["x", "y", "x"], "rater": ["a", "a", "b"],
    ...                       "rating": [1, 2, 2]})
    >>> scale = Scale([1, 2])
    >>> [t.values.tolist() for t in tables(check_ratings(frame, scale), scale)]
    [[[1.0, 2.0], [2.0, nan]]]
    """
    names = tuple(sorted(ratings["rater"].unique()) if raters is None else raters)
    unknown = [name for name in names if name not in set(ratings["rater"])]
    if unknown:
        raise RatingsError(
            f"the raters {unknown}",
            f"raters of the frame: {sorted(ratings['rater'].unique())}",
            "name raters that are in the frame",
        )
    column = {name: place for place, name in enumerate(names)}
    chosen = ratings[ratings["rater"].isin(names)]
    for framework in chosen["framework"].unique():
        part = chosen[chosen["framework"] == framework]
        # Everybody's items: a draw of items must not depend on whom it is used for.
        items = tuple(sorted(ratings.loc[ratings["framework"] == framework, "item"].unique()))
        row = {item: place for place, item in enumerate(items)}
        for dimension in part["dimension"].unique():
            cells = part[part["dimension"] == dimension]
            values = np.full((len(items), len(names)), np.nan)
            values[cells["item"].map(row), cells["rater"].map(column)] = cells["rating"]
            declared = scale_for(scale, framework, dimension)
            yield Table(framework, dimension, items, names, values, declared)
