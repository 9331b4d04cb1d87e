"""One file's table by its declared layout: for each cell with a rating the item, the rater, ..."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.io.config import Source, pattern_of
from raters.io.formats import Limits, Table, load
from raters.io.formats.base import ID_JUNK, SHEET, LabelSet
from raters.io.notes import Note
from raters.text import few, shorten


@dataclass
class Coded:
    """A column as numbers of names; -1 where there is nothing."""

    codes: np.ndarray
    names: list[str]

    def repeated(self, times: int) -> Coded:
        """Each row so many times."""
        return Coded(np.repeat(self.codes, times), self.names)

    def tiled(self, times: int) -> Coded:
        """All rows so many times."""
        return Coded(np.tile(self.codes, times), self.names)


@dataclass
class Part:
    """One file's ratings: a row for each cell that holds one."""

    name: str
    source: Source
    table: Table
    item: Coded
    rater: Coded
    dimension: Coded
    group: Coded
    cells: Coded
    lines: np.ndarray
    column: Coded
    order: tuple[Coded, Coded] | None
    rows: int
    found: list = field(default_factory=list)  # (value, state, code, reason) of each key
    keys: np.ndarray = field(default_factory=lambda: np.empty(0, int))

    def where(self, row: int) -> str:
        """The sheet of a rating where several were read, as spreadsheets write it."""
        if not self.source.sheets:
            return ""
        return f"{self.table.columns[SHEET][row * self.rows // len(self.lines)]}!"


def _id(text):
    """An id without the spaces and the ="..." that spreadsheets put around it."""
    text = text.strip(ID_JUNK)
    if text.startswith('="') and text.endswith('"') and len(text) > 3:
        text = text[2:-1]
    return text


def _cell(text):
    """A cell without the spaces around it; what was a list stays one."""
    return text if isinstance(text, LabelSet) else text.strip()


def coded(cells: Sequence[str | None] | np.ndarray, clean: Callable = _id) -> Coded:
    """A column of text cells as `Coded`; ids without the spaces around them."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    codes, found = pd.factorize(array)
    names: dict[str, int] = {}
    place = np.empty(len(found) + 1, dtype=np.int64)
    place[-1] = -1
    for n, text in enumerate(found):
        text = clean(text)
        there = text or isinstance(text, LabelSet)
        place[n] = names.setdefault(text, len(names)) if there else -1
    return Coded(place[codes], list(names))


def constant(name: str, size: int) -> Coded:
    """The same name in each row."""
    return Coded(np.zeros(size, dtype=np.int64), [name])


def part_of(
    path: Path, name: str, source: Source, limits: Limits, table: Table | None = None
) -> Part:
    """Read one file and find its ratings.

    A `table` is the file as loaded before; it stays as it is.

    An error names a column that is not there, a role that is not declared, or a file without a
    row.
    """
    if source.sheets and source.format != "excel":
        raise RatingsError(
            f"{name} with sheets = {list(source.sheets)!r}",
            "sheets of an Excel workbook",
            f"take it out of the [[files]] table {source.name!r} in raters.toml",
        )
    table = load(path, source, _needed(source), limits) if table is None else table.copy()
    _split(table, source)
    _check_columns(table, source, name)
    _leave_out(table, source)
    size = table.size
    roles = {
        "item": _role(table, source.item, "", None, size),
        "rater": _role(table, source.rater, source.rater_is, source.rater_from_file, size, name),
        "dimension": _role(table, source.dimension, source.dimension_is, None, size),
    }
    group = _role(table, source.group, source.group_is, None, size)
    cells, column, times = _cells(table, source, roles, name)
    for role in ("item", "rater"):
        if roles[role] is None:
            raise _no_role(role, source, name, table)
    dimension = roles["dimension"] or constant("all", size * times)
    wide = {r: roles[r] for r in roles if roles[r] is not None}
    wide = {r: one.repeated(times) if len(one.codes) == size else one for r, one in wide.items()}
    order = None
    if source.first:
        stood = (source.first, source.second)
        order = tuple(coded(table.columns.get(name, [None] * size)) for name in stood)
    return Part(
        name,
        source,
        table,
        wide["item"],
        wide["rater"],
        wide.get("dimension", dimension),
        group.repeated(times) if group else Coded(np.full(size * times, -1), []),
        cells,
        np.repeat(np.array(table.lines, dtype=np.int64), times),
        column,
        order,
        size,
    )


def _needed(source):
    if source.layout != "long" and (
        not source.columns or any(set("*?[") & set(name) for name in source.columns)
    ):
        return None
    return named_columns(source)


def named_columns(source: Source) -> set[str]:
    """The columns that the declaration of a file names."""
    roles = (source.item, source.rater, source.dimension, source.group, source.first, source.second)
    needed = {SHEET} if source.sheets else set()
    needed |= {name for name in roles if name} | set(source.leave_out) | set(source.split)
    return needed | (set(source.columns) if source.layout != "long" else {source.rating})


def _split(table, source):
    """Columns that hold several things, taken apart by their pattern."""
    for name, pattern in source.split.items():
        if name not in table.columns:
            continue
        expression = pattern_of(pattern)
        cells = table.columns[name]
        found = {text: expression.fullmatch(text.strip()) for text in set(cells) - {None}}
        for word in expression.groupindex:
            new = [match[word] if t is not None and (match := found[t]) else None for t in cells]
            table.columns[word] = new
            table.names.append(word)
        keep = np.ones(table.size, bool)
        for row, text in enumerate(cells):
            if text is not None and not found[text]:
                reason = Note(f"it does not fit {pattern!r}", "no-fit")
                table.problems.append((table.lines[row], name, shorten(text), reason))
                keep[row] = False
        if not keep.all():
            _keep(table, keep)


def _keep(table, keep):
    rows = np.flatnonzero(keep)
    table.lines = [table.lines[row] for row in rows]
    for name, cells in table.columns.items():
        table.columns[name] = [cells[row] for row in rows]


def _check_columns(table, source, name):
    roles = ("item", "rater", "dimension", "group", "first", "second")
    wanted = [getattr(source, role) for role in roles] + list(source.leave_out)
    wanted += list(source.split)
    if source.layout == "long":
        wanted.append(source.rating)
        if not source.rating:
            raise _no_role("rating", source, name, table)
    absent = [column for column in wanted if column and column not in table.columns]
    if absent and (table.size or table.names):
        raise RatingsError(
            f"{name} without the column {', '.join(map(repr, absent))}",
            f"the columns of the file: {few(table.names)}",
            f"correct the [[files]] table {source.name!r} in raters.toml (format {source.format}"
            + (f", delimiter {source.delimiter!r}" if source.delimiter else "")
            + ")",
        )
    if not table.size and not table.problems:
        left = "; ".join(f"{n} {reason}" for reason, n in table.left_out.items())
        raise RatingsError(
            f"{name} without a single row of ratings" + (f" ({left})" if left else ""),
            "one rating or more",
            "check that the file is whole and its format right",
        )


def _no_role(role, source, name, table):
    how = {
        "item": "item = '<column>'",
        "rating": "rating = '<column>', or a wide layout",
        "rater": "rater = '<column>', rater_is = '<name>' or rater_from_file = '{rater}.csv'",
    }
    return RatingsError(
        f"{name}, of which the {role} is not declared",
        f"one of its columns: {few(table.names)}",
        f"declare it in the [[files]] table {source.name!r} of raters.toml: {how[role]}",
    )


def _leave_out(table, source):
    keep = np.ones(table.size, bool)
    for name, values in source.leave_out.items():
        codes = {str(value).strip() for value in values}
        cells = [(text or "").strip() for text in table.columns.get(name, ())]
        for row, text in enumerate(cells):
            if text in codes and keep[row]:
                keep[row] = False
                table.left_out[f"{name} = {text}"] += 1
    if not keep.all():
        _keep(table, keep)


def _role(table, column, name, from_file, size, file_name=""):
    """One of item, rater, dimension, group for each row; None where nothing is declared."""
    if column:
        return coded(table.columns.get(column, [None] * size))
    if name:
        return constant(name, size)
    if from_file:
        match = pattern_of(from_file).fullmatch(Path(file_name).name)
        if not match or "rater" not in match.groupdict():
            raise RatingsError(
                f"the file name {Path(file_name).name}, which does not fit {from_file!r}",
                "a name that holds the rater where the pattern has {rater}",
                "correct rater_from_file, or declare rater_is",
            )
        return constant(match["rater"], size)
    return None


def _cells(table, source, roles, name):
    """The cells with ratings and the columns they stand in; in wide layouts row by row."""
    size = table.size
    if source.layout == "long":
        cells = table.columns.get(source.rating, [None] * size)
        return coded(cells, _cell), constant(source.rating, size), 1
    columns = _wide_columns(table, source, name)
    grid = np.empty((size, len(columns)), dtype=object)
    for place, column in enumerate(columns):
        grid[:, place] = table.columns[column]
    tiles = {}
    if source.layout == "wide-by-name":
        expression = pattern_of(source.names)
        found = [expression.fullmatch(column) for column in columns]
        if not all(found):
            odd = columns[found.index(None)]
            raise RatingsError(
                f"{name}: the column {odd!r}, which does not fit {source.names!r}",
                "columns whose names fit the pattern",
                "list the columns with ratings: columns = [...]",
            )
        tiles = {role: [match[role] for match in found] for role in expression.groupindex}
    else:
        tiles = {source.layout.removeprefix("wide-by-"): columns}
    for role, names in tiles.items():
        roles[role] = coded(names).tiled(size)
    column = Coded(np.tile(np.arange(len(columns)), size), columns)
    return coded(grid.ravel(), _cell), column, len(columns)


def _wide_columns(table, source, name):
    roles = {source.item, source.rater, source.dimension, source.group, *source.leave_out}
    roles |= set(source.split) - {""} | ({SHEET} if source.sheets else set())
    free = [column for column in table.names if column not in roles]
    if not source.columns:
        chosen = free
    else:
        exact = set(source.columns)
        patterns = [p for p in source.columns if p not in table.names]
        chosen = [
            column
            for column in free
            if column in exact or any(fnmatch.fnmatchcase(column, p) for p in patterns)
        ]
        absent = [p for p in patterns if not any(fnmatch.fnmatchcase(c, p) for c in free)]
        if absent:
            raise RatingsError(
                f"{name} without the columns {', '.join(map(repr, absent[:5]))}",
                f"the columns of the file: {few(table.names)}",
                f"correct columns in the [[files]] table {source.name!r} of raters.toml",
            )
    if not chosen:
        raise RatingsError(
            f"{name} without a column that can hold ratings",
            f"the columns of the file: {few(table.names)}",
            "name them in raters.toml: columns = [...]",
        )
    return chosen
