"""The one long frame of ratings: checked once, then turned into arrays.

One row is one rating: `framework, dimension, item, rater, group, rating`.
Everything else in the package may rely on what `check_ratings` lets through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.scale import number_of, scale_for

COLUMNS = ["framework", "dimension", "item", "rater", "group", "rating"]

_DEFAULTS = {"framework": "all", "dimension": "all", "group": "all"}

KEYS = COLUMNS[:4]

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
    if not isinstance(wide, pd.DataFrame) or wide.columns.nlevels > 1:
        raise RatingsError(
            f"wide ratings of type {type(wide).__name__}",
            "a pandas DataFrame with one row of column names",
            "build one, or join the rows of names into one",
        )
    if isinstance(items, str) == isinstance(raters, str) or not all(
        isinstance(side, Iterable) for side in (items, raters)
    ):
        raise RatingsError(
            f"items={items!r} and raters={raters!r}",
            "one of them the column with the ids, the other a list of columns",
            "for a row an item: items='item', raters=['ann', 'bob']; "
            "for a row a rater: raters='annotator', items=['x', 'y']",
        )
    rows, columns = ("item", "rater") if isinstance(items, str) else ("rater", "item")
    ids, cells = (items, list(raters)) if rows == "item" else (raters, list(items))
    often = wide.columns.value_counts()
    unknown = [name for name in [ids, *cells] if often.get(name, 0) != 1]
    if unknown or not cells:
        raise RatingsError(
            f"the columns {unknown or cells}",
            f"columns that are once in the frame: {list(map(str, often[often == 1].index))}",
            "name columns that are in the frame, each once",
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
        A column is missing; an id is missing or empty; a code for missing is also a level;
        a rating is off the scale or infinite; a rater has two groups; duplicates with
        ``duplicates="error"``, or with ``"mean"`` on a nominal scale.
        The message names items and values.

    Notes
    -----
    Spaces around an id are no part of it. A row without a rating gives way to one with a
    rating of the same item by the same rater; it is no duplicate. ``attrs["nominal"]`` of
    the result names the dimensions with a nominal scale, where there are any.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [7, 7], "rater": ["a", "b"], "rating": ["4", " 5 "]})
    >>> check_ratings(frame, Scale([1, 2, 3, 4, 5])).rating.tolist()
    [4.0, 5.0]
    """
    return checked(ratings, scale, duplicates, missing).frame


@dataclass(frozen=True)
class Checked:
    """A checked frame with its ids as numbers, so that they are looked at only once.

    Parameters
    ----------
    frame : DataFrame
        As `check_ratings` returns it.
    codes : mapping of str to ndarray, shape (rows,)
        For each text column whole numbers from 0, in order of appearance.
    names : mapping of str to list of str
        What these numbers stand for.
    """

    frame: pd.DataFrame
    codes: Mapping[str, np.ndarray]
    names: Mapping[str, list[str]]

    @classmethod
    def of(cls, ratings, columns=COLUMNS[:-1]) -> Checked:
        """The same where `ratings` are that already; else from (columns of) a checked frame."""
        if isinstance(ratings, cls):
            return ratings
        coded = {column: _factorized(ratings[column]) for column in columns}
        codes, names = ({c: both[side] for c, both in coded.items()} for side in (0, 1))
        return cls(ratings, codes, names)


def checked(ratings, scale, duplicates="error", missing=()) -> Checked:
    """What `check_ratings` does, for a caller who needs the ids as numbers, too."""
    if not isinstance(ratings, pd.DataFrame):
        raise RatingsError(
            f"ratings of type {type(ratings).__name__}",
            "one long pandas DataFrame with a row for each rating",
            "build a frame with the columns item, rater, rating",
        )
    frame, codes, names = _text_columns(ratings)
    given, counts = _without_codes(frame, ratings["rating"], scale, missing)
    frame["rating"], nominal = _values(frame, given, scale, codes, names)
    _one_group_each(frame, codes)
    kept = _without_duplicates(frame, duplicates, codes, nominal)
    attrs = {key: value for key, value in ratings.attrs.items() if key != "nominal"}
    attrs |= {"missing": counts} if counts else {}
    kept.attrs = attrs | ({"nominal": nominal} if nominal else {})
    return Checked(kept, codes, names) if kept is frame else Checked.of(kept)


def _factorized(column):
    """Whole numbers from 0 in order of appearance, and the text that each stands for.

    The text as a list: picking single names out of an index of pandas is slow.
    """
    codes, names = pd.factorize(column)
    return codes.astype(np.int64), list(names)


def _together(codes, columns):
    """Some columns' codes as one number for each combination."""
    result = np.zeros(len(codes[columns[0]]), np.int64)
    for column in columns:
        result = result * (codes[column].max(initial=0) + 1) + codes[column]
    return result


def each_together(combined):
    """Rows of each combination, in order of appearance."""
    order = np.argsort(combined, kind="stable")
    starts = np.flatnonzero(np.diff(combined[order], prepend=-1))
    return sorted(np.split(order, starts[1:]), key=lambda rows: rows[0]) if order.size else []


def _without_codes(frame, ratings, scale, missing):
    """The ratings without codes for missing ones, and how many had each code."""
    counts = {}
    if isinstance(missing, (str, bytes)) or not isinstance(missing, Iterable):
        missing = [missing]
    if not len(missing := list(missing)):
        return ratings, counts
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
    """Whether a rating is the code, as text or as a number. Truth values are no numbers."""
    truths = [isinstance(value, (bool, np.bool_)) for value in (rating, code)]
    if any(truths):
        return all(truths) and bool(rating) == bool(code)
    numbers = number_of(rating), number_of(code)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return str(rating).strip() == str(code).strip()


def _text_columns(ratings):
    missing = [c for c in COLUMNS if c not in ratings.columns and c not in _DEFAULTS]
    if missing:
        raise RatingsError(
            f"a frame with the columns {list(map(str, ratings.columns))}",
            "the columns item, rater and rating (framework, dimension and group are optional)",
            f"add or rename: {', '.join(missing)}",
        )
    twice = [c for c in COLUMNS if (ratings.columns == c).sum() > 1]
    if twice:
        raise RatingsError(
            f"more than one column called {twice[0]}",
            "each name for one column",
            "rename or drop the others",
        )
    text, codes, names = {}, {}, {}
    for column in COLUMNS[:-1]:
        if column in ratings.columns:
            given = ratings[column].reset_index(drop=True)
        else:
            given = pd.Series(_DEFAULTS[column], range(len(ratings)), "str")
        text[column], codes[column], names[column] = _ids(given, column)
    return pd.DataFrame(text, index=range(len(ratings))), codes, names


def _ids(values, column):
    """Ids as text without the spaces around them, as numbers, and what these stand for."""
    decimal = pd.api.types.is_float_dtype(values.dtype)
    if values.dtype == object:
        decimal = any(isinstance(v, (float, np.floating)) and v == v for v in values)
    missing = values.isna()
    if decimal and not missing.all():
        example = next(v for v in values[~missing] if not isinstance(v, str))
        raise RatingsError(
            f"the column {column} holds decimal numbers, such as {float(example)!r}",
            "ids as text or as whole numbers: long ids lose digits as decimals",
            "read the column as text, for example pd.read_csv(..., dtype=str)",
        )
    text = values.astype(str)
    # Looked at once for each different id: there are far fewer than rows.
    codes, given = _factorized(text)
    names = [name.strip() for name in given]
    if missing.any() or "" in names:
        empty = missing.to_numpy() | np.isin(codes, [c for c, n in enumerate(names) if not n])
        raise RatingsError(
            f"no {column} in row {int(np.flatnonzero(empty)[0])} (counted from 0)",
            f"an id in the column {column} in every row",
            "fill it in, or leave the row out",
        )
    if names != given:
        text = pd.Series(np.array(names, object)[codes], dtype="str")
        codes, names = _factorized(text)
    return text, codes, names


def _values(frame, ratings, scale, codes, names):
    """The ratings as numbers of the scale, one look-up per distinct rating and dimension."""
    raw = ratings.reset_index(drop=True)
    if pd.api.types.is_numeric_dtype(raw.dtype) and raw.dtype.kind in "iuf":
        raw = raw.to_numpy(float, na_value=np.nan)
        keys, distinct = raw, lambda here: np.unique(here, return_inverse=True)
    else:
        raw = raw.astype(object).to_numpy()
        keys, distinct = raw, _distinct_objects
    missing = pd.isna(keys)
    complete = not missing.any()
    result = np.full(len(raw), np.nan)
    wrong, nominal = [], []
    columns = ["framework", "dimension"]
    for rows in each_together(_together(codes, columns)):
        label = tuple(names[column][codes[column][rows[0]]] for column in columns)
        declared = scale_for(scale, *label)
        if declared.measurement == "nominal":
            nominal.append(label)
        rows = rows if complete else rows[~missing[rows]]
        kinds, which = distinct(keys[rows])
        result[rows] = np.array([declared.value_of(kind) for kind in kinds], float)[which]
        wrong += [(row, declared) for row in rows[np.isnan(result[rows])]]
    if wrong:
        places = [
            f"{_shown(ratings.iloc[row])} (item {frame.item[row]}, rater {frame.rater[row]}, "
            f"dimension {frame.dimension[row]})"
            for row, _ in wrong[:_SHOWN]
        ]
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        row, declared = wrong[0]
        number = number_of(raw[row])
        mean = number is not None and declared.low < number < declared.high
        raise RatingsError(
            "ratings off the scale: " + "; ".join(places) + more,
            declared.describe(),
            "round the ratings (round_ratings), or declare that means of several people may lie "
            "between the levels: Scale(..., between=True)"
            if mean
            else "correct the ratings, declare the scale that was used, or say what is no rating: "
            "missing=[...] for codes of missing ratings, Scale(outside=[...]) for other answers",
        )
    return result, nominal


def _shown(rating):
    """A rating as its owner would write it."""
    return repr(rating.item() if isinstance(rating, np.generic) else rating)


def _distinct_objects(here):
    """The different objects, 1 and True and 1.0 apart, and which of them each one is."""
    place = {}
    try:
        which = [place.setdefault((type(value), value), len(place)) for value in here]
    except TypeError as error:  # a list, a dict, an array
        wrong = next(v for v in here if getattr(type(v), "__hash__", None) is None)
        raise RatingsError(
            f"a rating of type {type(wrong).__name__}: {wrong!r}",
            "a number, a truth value or text in each cell",
            "take the cells apart; for sets of labels see raters.label_sets.read_sets",
        ) from error
    return [value for _, value in place], np.array(which, int)


def _without_duplicates(frame, duplicates, codes, nominal):
    if duplicates not in _DUPLICATES:
        raise RatingsError(
            f"duplicates={duplicates!r}", ", ".join(_DUPLICATES), "name one of these"
        )
    keys = pd.Series(_together(codes, KEYS))
    again = keys.duplicated(keep=False)
    if not again.any():
        return frame
    # A row without a rating is none: it goes where there is another for the same place.
    empty = frame["rating"].isna()
    rated = keys.isin(keys[~empty])
    kept = ~(empty & again & (rated | keys.duplicated()))
    if not kept.all():
        frame, keys = frame[kept].reset_index(drop=True), keys[kept].reset_index(drop=True)
        again = keys.duplicated(keep=False)
        if not again.any():
            return frame
    if duplicates == "error":
        rows = frame[again].drop_duplicates(KEYS)
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
        places = frame.loc[again, ["framework", "dimension"]].drop_duplicates()
        labels = [d for f, d in places.itertuples(index=False) if (f, d) in nominal]
        if labels:
            raise RatingsError(
                f"duplicates='mean' on {labels[0]}, whose scale is nominal",
                "'error', 'first' or 'last': labels have no mean",
                "choose one of these",
            )
        repeated = frame[again].replace(np.inf, np.nan)
        means = repeated.groupby(KEYS)["rating"].transform("mean")
        frame = frame.assign(rating=means.reindex(frame.index).where(again, frame["rating"]))
        duplicates = "first"
    return frame[~keys.duplicated(keep=duplicates)].reset_index(drop=True)


def _one_group_each(frame, codes):
    both = pd.unique(_together(codes, ["rater", "group"]))
    if len(both) > codes["rater"].max(initial=-1) + 1:
        groups = frame.drop_duplicates(["rater", "group"])
        rater = groups.loc[groups["rater"].duplicated(), "rater"].iloc[0]
        names = sorted(groups.loc[groups["rater"] == rater, "group"])
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
    least: int | None = None,
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
        others, if there are `least` of them. Where several levels are equally frequent
        there is no mode, and the item has no rating.
    name : str, optional
        The new rater's name. Default ``"<group>_<how>"``, with ``"_without_<rater>"``
        where somebody is left out.
    without : str, optional
        A rater of the group to leave out, so that they can be compared with the others.
    least : int, optional
        How many of the group have to have rated an item; with fewer it has no rating.
        Default: more than half of the most ratings that the group gave any item of the
        dimension. `votes` counts them.

    Returns
    -------
    DataFrame
        The frame with the new rows at its end; their group is ``"reference"``.

    Raises
    ------
    RatingsError
        Nobody is in that group, `how` is unknown or asks for a mean of labels, `without`
        is not in the group, the name is taken, or the frame is not a checked one.

    Notes
    -----
    Medians and means may lie between the levels: go on with ``Scale(..., between=True)``,
    or round them (`round_ratings`).

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": list("xxx"), "rater": list("abc"), "group": "expert",
    ...                       "rating": [1, 2, 5]})
    >>> frame = check_ratings(frame, Scale([1, 2, 3, 4, 5]))
    >>> with_reference(frame)[["rater", "rating"]].to_numpy()[-1].tolist()
    ['expert_median', 2.0]
    >>> with_reference(frame, without="c")[["rater", "rating"]].to_numpy()[-1].tolist()
    ['expert_median_without_c', 1.5]
    """
    _checked_frame(ratings, "with_reference")
    if not isinstance(group, str):
        raise RatingsError(f"group={group!r}", "the name of one group", "name one")
    members = ratings[ratings["group"] == group]
    if how not in ("median", "mean", "mode"):
        raise RatingsError(f"how={how!r}", "median, mean, mode", "name one of these")
    if members.empty:
        raise RatingsError(
            f"the group {group!r}",
            f"a group of the frame: {sorted(ratings['group'].unique())}",
            "name one of these groups",
        )
    nominal = set(ratings.attrs.get("nominal", ()))
    places = members[["framework", "dimension"]].drop_duplicates().itertuples(index=False)
    labels = [d for f, d in places if (f, d) in nominal]
    if how != "mode" and labels:
        raise RatingsError(
            f"how={how!r} on {labels[0]}, whose scale is nominal",
            "how='mode': labels have no median and no mean",
            "use the mode",
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
    rows = _summarised(members, how, least)
    rows["rater"] = new
    rows["group"] = "reference"
    result = pd.concat([ratings, rows[COLUMNS]], ignore_index=True)
    result.attrs = dict(ratings.attrs)
    return result


def _summarised(members, how, least):
    """One rating an item, and how many were there: ``rating, present, needed, tied``."""
    if least is not None and not (isinstance(least, (int, np.integer)) and least >= 1):
        raise RatingsError(
            f"least={least!r}", "a whole number of 1 or more", "say how many have to be there"
        )
    keys = ["framework", "dimension", "item"]
    inside = members.assign(rating=members["rating"].replace(np.inf, np.nan))
    items = inside.groupby(keys, sort=False)["rating"]
    found = items.agg(_only_mode if how == "mode" else how).rename("rating").to_frame()
    found["present"] = items.count()
    most = found.groupby(keys[:2])["present"].transform("max")
    found["needed"] = most // 2 + 1 if least is None else least
    found["tied"] = (found["present"] > 0) & found["rating"].isna()
    found["rating"] = found["rating"].where(found["present"] >= found["needed"])
    return found.reset_index()


def votes(
    ratings: pd.DataFrame,
    raters: Sequence[str],
    how: str = "median",
    least: int | None = None,
) -> pd.DataFrame:
    """How many of a panel or a reference were there, item by item, counted by dimension.

    Parameters
    ----------
    ratings : DataFrame
        A checked long frame.
    raters : sequence of str
        Who belongs to the panel.
    how : {"median", "mean", "mode"}
        How they are summarised.
    least : int, optional
        As in `with_reference`.

    Returns
    -------
    DataFrame
        One row a framework and dimension: ``n_raters``, ``needed`` (of them on an item),
        ``n_items`` with a summary; of the others ``too_few`` (fewer than needed) and ``ties``
        (several levels equally frequent); ``missing``, the ratings that members of the
        panel did not give to items that another member rated.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": list("xyzxyx"), "rater": list("aaabbc"),
    ...                       "rating": [1, 2, 1, 2, 2, 2]})
    >>> votes(check_ratings(frame, Scale([1, 2])), ["a", "b", "c"], "mode").iloc[0, 2:].to_dict()
    {'n_raters': 3, 'needed': 2, 'n_items': 2, 'too_few': 1, 'ties': 0, 'missing': 3}
    """
    _checked_frame(ratings, "votes")
    places = ["framework", "dimension"]
    members = ratings[ratings["rater"].isin(list(raters)) & ratings["rating"].notna()]
    found = _summarised(members, how, least)
    enough = found["present"] >= found["needed"]
    found = found.assign(
        n_items=found["rating"].notna(), too_few=~enough, ties=enough & found["tied"]
    )
    groups = found.groupby(places, sort=False)
    counts = groups[["n_items", "too_few", "ties"]].sum()
    who = members.groupby(places, sort=False)["rater"].nunique()
    counts.insert(0, "needed", groups["needed"].max())
    counts.insert(0, "n_raters", who)
    counts["missing"] = who * groups.size() - groups["present"].sum()
    return counts.astype(int).reset_index()


# Cells that pandas.read_csv takes for missing unless it is told otherwise.
_PANDAS_MISSING = frozenset(
    ["None", "NA", "N/A", "n/a", "<NA>", "null", "NULL", "nan", "NaN", "-nan", "-NaN", "#N/A"]
)


def lost_to_pandas(values: np.ndarray, scale) -> str:
    """A word for a label that pandas may have read as missing, or "".

    Parameters
    ----------
    values : array
        The ratings as values of the scale; NaN is missing.
    scale : Scale

    Returns
    -------
    str

    Notes
    -----
    Only where ratings are missing and none is the label: a suspicion, not a finding.

    Examples
    --------
    >>> from raters import Scale
    >>> scale = Scale(["joy", "None"], measurement="nominal")
    >>> lost_to_pandas(np.array([scale.value_of("joy"), np.nan]), scale)[:20]
    "no rating is 'None',"
    """
    if scale.measurement != "nominal" or not np.isnan(values).any():
        return ""
    words = [level for level in scale.levels if str(level).strip() in _PANDAS_MISSING]
    gone = [word for word in words if not (values == scale.value_of(word)).any()]
    if not gone:
        return ""
    return (
        f"no rating is {gone[0]!r}, and some are missing: pandas.read_csv takes that word for "
        "missing unless keep_default_na=False"
    )


def _checked_frame(ratings, verb):
    if not isinstance(ratings, pd.DataFrame) or not set(COLUMNS) <= set(ratings.columns):
        raise RatingsError(
            f"{verb} of a {type(ratings).__name__} that is no checked frame",
            f"a frame with the columns {', '.join(COLUMNS)}",
            "make one first: check_ratings(ratings, scale)",
        )


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
    if not {"rater", "rating"} <= set(ratings.columns) or ratings["rating"].dtype.kind not in "iuf":
        raise RatingsError(
            "a frame whose ratings are no numbers yet",
            "a checked frame",
            "make one first: check_ratings(ratings, scale)",
        )
    raters = [raters] if isinstance(raters, str) else raters
    whose = slice(None) if raters is None else ratings["rater"].isin(raters)
    result = ratings.copy()
    result.loc[whose, "rating"] = np.rint(ratings.loc[whose, "rating"])
    return result
