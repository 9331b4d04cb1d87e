"""The four frameworks, the 21 dimensions and the seven raters, as tables.

They are kept as data (`data/frameworks.csv`, `data/dimensions.csv`,
`data/raters.csv`), so that a correction to a definition is not a change of code.
Empty text means: not found in any source.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pandas as pd

from judging_empathy.data.files import data_dir
from raters.errors import RatingsError

_COLUMNS = {
    "frameworks": [
        *("framework", "title", "short", "prefix", "levels", "anchors", "anchors_note", "unit"),
        *("question", "crowd", "text_policy", "text_reason", "text_licence", "source", "citation"),
    ],
    "dimensions": [
        *("framework", "dimension", "title", "short", "polarity"),
        *("definition", "question", "source", "note"),
    ],
    "raters": ["rater", "group", "label", "description", "source"],
}
_MAY_BE_EMPTY = {"anchors", "note"}
_KEY = {"frameworks": "framework", "dimensions": "dimension", "raters": "rater"}
_ALLOWED = {
    "text_policy": ("show", "attribution", "never"),
    "polarity": ("+1", "-1"),
    "group": ("expert", "llm", "crowd"),
}


def frameworks() -> pd.DataFrame:
    """The four frameworks in the order used everywhere.

    Returns
    -------
    DataFrame
        One row a framework, all text: ``framework`` (key), ``title``,
        ``short`` (for charts), ``prefix`` (of item codes), ``levels`` (numbers
        with spaces between), ``anchors`` (labels of the levels, empty where not
        found), ``anchors_note``, ``unit`` (what is rated), ``question``,
        ``crowd`` (what the crowd is here), ``text_policy`` (``show``,
        ``attribution`` or ``never``), ``text_reason``, ``text_licence``,
        ``source``, ``citation``.

    Raises
    ------
    RatingsError
        The file has been edited and is not in order.

    Examples
    --------
    >>> frameworks().prefix.tolist()
    ['ED', 'EP', 'PE', 'LE']
    """
    return _table(data_dir(), "frameworks").copy()


def dimensions() -> pd.DataFrame:
    """The 21 dimensions in the order used everywhere.

    Returns
    -------
    DataFrame
        One row a dimension: ``framework``, ``dimension`` (key, the name of the
        column in the study's files), ``title``, ``short`` (for charts),
        ``polarity`` (int, +1: a high rating is good; -1: a high rating is bad),
        ``definition`` and ``question`` in our own words, ``source``, ``note``.

    Raises
    ------
    RatingsError
        The file has been edited and is not in order.

    Examples
    --------
    >>> dimensions().query("polarity == -1").dimension.tolist()
    ['advice_giving', 'self_oriented', 'dismissing_emotions']
    """
    return _table(data_dir(), "dimensions").copy()


def raters() -> pd.DataFrame:
    """The seven raters in the order used everywhere.

    Returns
    -------
    DataFrame
        ``rater`` (key), ``group`` (``expert``, ``llm`` or ``crowd``), ``label``
        for readers, ``description``, ``source``.

    Raises
    ------
    RatingsError
        The file has been edited and is not in order.

    Examples
    --------
    >>> raters().query("group == 'llm'").rater.tolist()
    ['gemini', 'gpt', 'claude']
    """
    return _table(data_dir(), "raters").copy()


def levels(text: str) -> tuple[int, ...]:
    """The levels of a scale, from whole numbers with spaces between them, lowest first.

    >>> levels("0 1 2")
    (0, 1, 2)
    """
    try:
        values = tuple(int(part) for part in text.split())
    except ValueError:
        values = ()
    if len(values) < 2 or list(values) != sorted(set(values)):
        raise RatingsError(
            f"the levels {text!r}",
            "two or more whole numbers that increase, such as '1 2 3 4 5'",
            "correct the column levels of data/frameworks.csv",
        )
    return values


@cache
def _table(folder: Path, name: str) -> pd.DataFrame:
    table, key = _read(folder, name), _KEY[name]
    allowed = {column: _ALLOWED[column] for column in table if column in _ALLOWED}
    if name == "dimensions":
        allowed["framework"] = tuple(_table(folder, "frameworks")["framework"])
    for column, values in allowed.items():
        for where, value in zip(table[key], table[column]):
            if value not in values:
                raise _wrong(name, where, column, value, values)
    if name == "frameworks":
        table["levels"].map(levels)
    if name == "dimensions":
        known = allowed["framework"]
        if tuple(dict.fromkeys(table["framework"])) != known:
            raise RatingsError(
                "dimensions.csv has its frameworks in another order or leaves one out",
                f"rows in the order {', '.join(known)}",
                "sort the rows of data/dimensions.csv, or restore the file with git",
            )
        table["polarity"] = table["polarity"].astype(int)
    return table


def _read(folder: Path, name: str) -> pd.DataFrame:
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise RatingsError(
            f"no file {path}",
            f"data/{name}.csv, which comes with this project",
            "restore it with git, or install the package again",
        )
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    if list(table.columns) != _COLUMNS[name]:
        raise RatingsError(
            f"{name}.csv with the columns {', '.join(table.columns)}",
            f"the columns {', '.join(_COLUMNS[name])}",
            f"restore data/{name}.csv with git",
        )
    key = _KEY[name]
    for twice in table.loc[table[key].duplicated(), key]:
        raise RatingsError(
            f"{twice!r} twice in {name}.csv", "each key once", f"correct data/{name}.csv"
        )
    for column in table.columns.difference(_MAY_BE_EMPTY, sort=False):
        for where in table.loc[table[column].str.strip() == "", key]:
            raise _wrong(name, where, column, "", ("some text",))
    return table


def _wrong(name: str, row: str, column: str, value: str, allowed: Iterable) -> RatingsError:
    return RatingsError(
        f"{value!r} in the column {column} of {name}.csv, row {row}",
        ", ".join(allowed),
        f"correct data/{name}.csv",
    )
