"""One file: how it is opened, and what in it is odd."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from raters.errors import RatingsError
from raters.io.config import Source
from raters.io.formats import Limits, Table, detect, load
from raters.io.formats.base import (
    FIELDS,
    NO_ROWS,
    NUMBERED,
    UNNAMED,
    checked_path,
    propose_encoding,
)
from raters.io.formats.cells import number
from raters.io.inspect.profile import Look, Profile
from raters.io.inspect.roles import propose_roles
from raters.io.inspect.words import LIKE_MISSING, called
from raters.io.notes import lost_digits
from raters.text import count_of, few

_TITLE_UP_TO = 30  # lines
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d{1,2}")
_DECIMAL_POINT = re.compile(r"[-+]?\d+\.\d+")


def look_at(path: Path, name: str, limits: Limits) -> Look:
    """Open one file and propose how it is read."""
    look = Look(name, Table({}, []), Source(name=name), [], {})
    encoding, format_ = _encoding_and_format(look, path)
    look.source = replace(look.source, format=format_, encoding=encoding)
    _load(look, path, limits)
    if not look.table.size and not look.table.problems:
        raise RatingsError(
            f"{name} without a single row",
            "a header, and a rating or more below it",
            "check that the file is whole; rows above the header: rows_before_header",
        )
    look.profiles = {column: Profile(cells) for column, cells in look.table.columns.items()}
    look.source = replace(look.source, decimal=_decimal(look))
    propose_roles(look)
    _warn_of_rows(look)
    for role in ("item", "rater"):
        _warn_of_ids(look, role)
    return look


def _encoding_and_format(look, path):
    encoding = doubt = ""
    try:
        format_ = detect(path)
    except RatingsError:
        # Text without a byte order mark may still be one of two kinds of UTF-16.
        encoding, doubt = propose_encoding(checked_path(path))
        if not encoding.startswith("utf-16"):
            raise
        format_ = detect(path, Source(encoding=encoding))
    if format_ not in ("excel", "parquet") and not encoding and not _archive(path):
        encoding, doubt = propose_encoding(path)
    if doubt:
        look.warn("encoding", doubt, "Check the texts for odd signs")
    return encoding, format_


def _archive(path):
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def _load(look, path, limits):
    """The rows, read again with more header rows where the first reading shows that."""
    if look.source.format == "csv":
        from raters.io.formats.text_tables import sniff

        delimiter = sniff(path, look.source.encoding, limits)
        look.source = replace(look.source, delimiter=delimiter)
    if look.source.format == "excel":
        _choose_sheets(look, path, limits)
    look.table = load(path, look.source, None, limits)
    if look.source.format in ("csv", "excel"):
        _below_title(look, path, limits)
        _more_header_rows(look, path, limits)


def _below_title(look, path, limits):
    """Leave out the lines above the header, where most rows are wider than the first."""
    wider = [line for line, _, _, reason in look.table.problems if reason.code == FIELDS]
    if len(wider) <= look.table.size or wider[0] > _TITLE_UP_TO:
        return
    above = wider[0] - 1
    below = replace(look.source, rows_before_header=above)
    try:
        again = load(path, below, None, limits)
    except RatingsError:
        return
    if len(again.problems) < len(look.table.problems):
        look.source, look.table = below, again
        message = f"{count_of(above, 'line')} above the names of the columns"
        look.warn("header-rows", message, "Left out (rows_before_header)")


def _more_header_rows(look, path, limits):
    table, source = look.table, look.source
    second = _second_header(table)
    if any('"ImportId"' in (cell or "") for cells in table.columns.values() for cell in cells[:2]):
        source = replace(source, header_rows=3)
        message = "three header rows, as Qualtrics writes them"
        todo = "The second and third are left out (header_rows = 3)"
    elif second == "whole":
        source = replace(source, header_rows=source.header_rows + 1)
        cells = [column[0] for column in table.columns.values() if column and column[0]]
        message = f"a second header row: {few(cells[:3])}"
        todo = "Left out (header_rows = 2)"
    elif second == "half":
        # Names with gaps, or the same ones again, are half of a name; others stand alone.
        join = _free_sign(table)
        source = replace(source, header_rows=source.header_rows + 1, header_join=join)
    else:
        return
    look.source, look.table = source, load(path, source, None, limits)
    if source.header_join:
        message = f"two header rows, joined to names such as {few(look.table.names[1:3])}"
        todo = "Check which part is the rater and which the dimension (names)"
    look.warn("header-rows", message, todo)


def _second_header(table):
    """Whether the first row names columns too: words above numbers only, in two columns or more.

    "half" where the names above it have gaps or come again, "whole" where they do not.
    """
    if table.size < 3:
        return ""
    numbers = [
        cells
        for cells in table.columns.values()
        if (below := [cell for cell in cells[1:50] if cell])
        and 2 * sum(map(_is_number, below)) > len(below)
    ]
    first = [cells[0] for cells in numbers if cells[0]]
    if len(first) < 2 or any(cell[:1].isdigit() or cell in LIKE_MISSING for cell in first):
        return ""
    if any(note.code in (UNNAMED, NUMBERED) for note in table.notes):
        return "half"
    return "whole" if len(first) == len(numbers) else ""


def _is_number(cell):
    return cell is not None and (number(cell) is not None or number(cell, ",") is not None)


def _free_sign(table):
    """A sign that stands in no name, to join the header rows with."""
    cells = [c[0] or "" for c in table.columns.values()] + table.names
    return next((s for s in ("_", "-", "|", "/") if not any(s in c for c in cells)), " :: ")


def _choose_sheets(look, path, limits):
    """All sheets where several hold the same columns; otherwise the first, with a warning."""
    from raters.io.formats.binary_tables import sheet_headers

    headers = sheet_headers(path, limits)
    first = next(iter(headers), "")
    alike = [sheet for sheet, names in headers.items() if names == headers[first]]
    others = [sheet for sheet in headers if sheet not in alike]
    if len(alike) > 1:
        look.source = replace(look.source, sheets=tuple(alike) if others else ("*",))
        look.warn(
            "sheets",
            f"{len(alike)} sheets with the same columns: {few(alike, 5)}",
            "They are read together (sheets); the name of the sheet is taken for the rater",
        )
    if others:
        message = f"the sheet{'s' * (len(others) > 1)} {few(others, 5)} with other columns"
        look.warn("sheets", message, "Not read; sheet = '...' chooses another")


def _decimal(look):
    commas = points = 0
    for profile in look.profiles.values():
        for cell, n in profile.counts.items():
            commas += n * bool(_DECIMAL_COMMA.fullmatch(cell))
            points += n * bool(_DECIMAL_POINT.fullmatch(cell))
    if commas and points:
        look.warn(
            "decimal-signs",
            f"{commas} numbers with a decimal comma and {points} with a point",
            "One of the two has to be corrected in the file: decimal = ',' or '.'",
        )
    return "," if commas > points else "."


def _warn_of_rows(look):
    table = look.table
    if table.problems:
        line, _, _, reason = table.problems[0]
        look.warn(
            "bad-rows",
            f"{count_of(len(table.problems), 'row')} that cannot be read; "
            f"the first in line {line}: {reason}",
            "Correct them, or say how many may be dropped (drop_at_most)",
        )
    for reason, n in table.left_out.items():
        if reason not in NO_ROWS:
            look.warn("left-out", f"{n} left out: {reason}", "They are no ratings")
    for note in table.notes:
        if note.code in (UNNAMED, NUMBERED):
            todo = "Name the columns in the file, or see header_rows and header_join"
            look.warn("header-rows", note, todo)
        if note.code == "numbers-as-text":
            look.warn(note.code, note, "Both are read by their value")


def _warn_of_ids(look, role):
    column = getattr(look.source, role)
    if column not in look.profiles:
        return
    ids = list(look.profiles[column].counts)
    if sums := [cell for cell in ids if called(cell, "totals")]:
        taken_out = f"{quoted(column)} = {quoted(sums[:3])}"
        look.warn(
            "totals",
            f"the {role} {few(sums, 3)}: a row with sums or means, perhaps",
            f"Take it out: leave_out = {{{taken_out}}}",
        )
    for note in lost_digits(ids, role):
        look.warn("lost-digits", note, f"Look at the column {column!r}")


def quoted(value: str | list[str]) -> str:
    """A text or a list of texts as TOML."""
    return json.dumps(value, ensure_ascii=False)
