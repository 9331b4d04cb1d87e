"""Delimited text: CSV and TSV, as spreadsheets and survey platforms write them."""

from __future__ import annotations

import csv
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import RatingsError
from raters.io.formats.base import (
    BEFORE_HEADER,
    EMPTY_ROW,
    EXTRA_HEADER,
    FIELDS,
    Limits,
    Table,
    encoding_of,
    header_names,
    header_notes,
    text_lines,
)
from raters.io.notes import Note
from raters.text import shorten

if TYPE_CHECKING:
    from raters.io.config import Source

DELIMITERS = (",", ";", "\t", "|")
# Few rows at a time: lists that live long make the garbage collector slow.
_CHUNK = 300
_LOCK = threading.RLock()


def load(path: Path, source: Source, needed: Collection[str] | None, limits: Limits) -> Table:
    """Read a delimited text file.

    Rows with more or fewer fields than the header are in `problems`, with their line. `source`
    says the encoding, the delimiter, the rows before the header, and how many header rows there
    are: the first names the columns, the others are left out.

    An error says: no header, a quote that never closes, a line above the limit, a wrong encoding.
    """
    encoding = encoding_of(path, source.encoding)
    delimiter = source.delimiter or sniff(path, encoding, limits)
    table = Table({}, [], "line")
    with _fields_up_to(limits.line):
        records = _records(path, encoding, delimiter, limits, table)
        for _ in islice(records, source.rows_before_header):
            table.left_out[BEFORE_HEADER] += 1
        header = [_header(path, records)]
        header += [row for _, row in islice(records, max(0, source.header_rows - 1))]
        if not source.header_join and len(header) > 1:
            table.left_out[EXTRA_HEADER] += len(header) - 1
        _fill(table, records, header_names(header, source.header_join), needed, delimiter)
    signs = f"fields separated by {_shown(delimiter)}, decimal sign {source.decimal!r}"
    table.notes.append(Note(f"text in {encoding}, {signs}", "text"))
    return table


def _shown(delimiter):
    return "tab" if delimiter == "\t" else repr(delimiter)


def sniff(path: Path, encoding: str, limits: Limits) -> str:
    """The delimiter that splits the first rows most evenly.

    A wrong one cannot pass unnoticed: the declared columns would not be found.
    """
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        with _fields_up_to(limits.line):
            rows = list(islice(_records(path, encoding, delimiter, limits, None), 30))
        counts = [len(row) for _, row in rows if any(row)]
        if not counts or max(counts) < 2:
            continue
        usual = max(set(counts), key=counts.count)
        score = (counts.count(usual) / len(counts) if usual > 1 else 0.0, usual)
        if score > best_score:
            best, best_score = delimiter, score
    return best


@contextmanager
def _fields_up_to(limit):
    """Let csv read fields up to the limit; its own limit holds for the whole process."""
    with _LOCK:
        before = csv.field_size_limit(limit)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _records(path, encoding, delimiter, limits, table) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it starts on. Without a table, problems end the reading."""
    lines = text_lines(path, encoding, limits.line)
    reader = csv.reader(_without_sep(lines, delimiter), delimiter=delimiter, strict=True)
    start = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if table is None:
                return
            _broken(path, error, start, reader.line_num, table)
            start = reader.line_num + 1
            continue
        yield start, row
        start = reader.line_num + 1


def _without_sep(lines, delimiter):
    """Excel's first line "sep=;" is no row; an empty one keeps the count of lines right."""
    for line in islice(lines, 1):
        yield "\n" if line.strip().lower() == f"sep={delimiter}" else line
    yield from lines


def _broken(path, error, start, end, table):
    if "unexpected end of data" in str(error):
        raise RatingsError(
            f"{path}: a quote that opens in the record of line {start} and never closes",
            'cells in double quotes, with "" for a quote inside of them',
            "close the quote; a file that is cut off has to be exported again",
        ) from error
    if "field larger than" in str(error):
        raise RatingsError(
            f"{path} line {start}, a cell that is longer than what is read",
            "cells of ordinary length",
            "check that every quote that opens is closed",
        ) from error
    table.problems.append((start, "", "", Note(f"no valid CSV: {error}", "not-csv")))


def _header(path, records):
    for _, row in records:
        if any(cell.strip() for cell in row):
            return row
    raise RatingsError(
        f"{path} without a header row", "a first row that names the columns", "add one"
    )


def _fill(table, records, unique, needed, delimiter):
    table.names = [name for name in unique if name]
    places = [n for n, name in enumerate(unique) if name and (needed is None or name in needed)]
    unnamed = [n for n, name in enumerate(unique) if not name]
    held = set()
    columns = [table.columns.setdefault(unique[n], []) for n in places]
    same: dict[str, str] = {}
    width = len(unique)
    empty = 0
    while chunk := list(islice(records, _CHUNK)):
        rows = []
        for line, row in chunk:
            if len(row) == width and row[0]:
                rows.append(row)
                table.lines.append(line)
            elif not any(map(str.strip, row)):
                empty += 1
            elif len(row) < width or any(map(str.strip, row[width:])):
                table.problems.append(_uneven(line, row, width, delimiter))
            else:
                rows.append(row)
                table.lines.append(line)
        held |= {n + 1 for n in unnamed if any(row[n].strip() for row in rows)}
        for place, cells in zip(places, columns):
            cells += [same.setdefault(c, c) for c in [row[place] for row in rows]]
    if empty:
        table.left_out[EMPTY_ROW] += empty
    table.notes += header_notes(unique, held)


def _uneven(line, row, width, delimiter):
    reason = Note(f"{len(row)} fields where {width} are expected", FIELDS)
    return line, "", shorten(delimiter.join(row)), reason
