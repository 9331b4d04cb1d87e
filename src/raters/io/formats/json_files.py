"""JSON documents and JSON lines, read within limits, and as plain tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raters.errors import RatingsError
from raters.io.formats.base import Limits, Rows, Table, clean, encoding_of, text_lines, whole_text
from raters.io.notes import Note

if TYPE_CHECKING:
    from raters.io.config import Source

_DEEPEST = 4


class Written(str):
    """A number with its spelling in the file: 4.0 stays 4.0, ids keep all their digits."""


def _constant(name):
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_float=Written, parse_int=Written, parse_constant=_constant)


def decode(text: str) -> Any:
    """JSON text as Python values; numbers keep their spelling (`Written`).

    A `ValueError` says that it is no valid JSON, or nested too deeply.

    >>> decode('{"id": 12345678901234567890, "score": 4.0}')
    {'id': '12345678901234567890', 'score': '4.0'}
    """
    try:
        value = _DECODER.decode(text)
        # An escape can name half a character, which no other file can hold.
        return _cleaned(value) if "\\ud" in text.lower() else value
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _cleaned(value):
    if isinstance(value, dict):
        return {clean(key): _cleaned(inside) for key, inside in value.items()}
    if isinstance(value, list):
        return [_cleaned(inside) for inside in value]
    return clean(value) if isinstance(value, str) and not isinstance(value, Written) else value


def records(path: Path, source: Source, limits: Limits, rows: Rows) -> Iterator[tuple[int, dict]]:
    """The objects of a JSONL file with their lines; other lines become problems."""
    good = 0
    for number, line in enumerate(
        text_lines(path, encoding_of(path, source.encoding), limits.line), 1
    ):
        if not line.strip():
            continue
        try:
            value = decode(line)
        except ValueError as error:
            cut = "" if line.endswith("\n") else " (the last line: cut off?)"
            rows.problem(number, "", line, "not-json", f"no valid JSON{cut}: {_place(error)}")
            continue
        if not isinstance(value, dict):
            rows.problem(number, "", line, "no-object", "no JSON object")
            continue
        good += 1
        yield number, value
    if not good:
        raise RatingsError(
            f"{path} without a line that holds a JSON object",
            "JSONL: one JSON object on each line",
            "name the right format in raters.toml, or export it again",
        )


def document(path: Path, source: Source, limits: Limits) -> Any:
    """A whole JSON document.

    An error says that it is no valid JSON (a file that is cut off, for example), or above the
    limit.
    """
    text = whole_text(path, encoding_of(path, source.encoding), limits.document)
    try:
        return decode(text)
    except ValueError as error:
        cut = getattr(error, "pos", 0) >= len(text.rstrip()) - 1
        raise RatingsError(
            f"{path}, no valid JSON{': it is cut off' if cut else ''} ({_place(error)})",
            "one JSON document",
            "export it again" if cut else "correct it, or name its format in raters.toml",
        ) from error


def _place(error):
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()}, line {error.lineno} column {error.colno}"
    return str(error)


def listed(
    path: Path, source: Source, limits: Limits, rows: Rows, *under: str
) -> Iterator[tuple[int, dict]]:
    """The records of a JSONL file or of the list in a document, numbered from 1.

    The unit of `rows` says which of the two it is, ``"line"`` or ``"record"``; `under` are keys
    under which a document may hold the list, perhaps twice.
    """
    if rows.table.unit == "line":
        yield from records(path, source, limits, rows)
        return
    value = document(path, source, limits)
    value = _list_under(value, under)
    found = [value] if isinstance(value, dict) else value
    if not isinstance(found, list) or not found:
        raise RatingsError(
            f"{path}, a JSON document without a list of records",
            "a list of objects, one for each record",
            "export it as a list, or as JSONL",
        )
    for number, record in enumerate(found, 1):
        if isinstance(record, dict):
            yield number, record
        else:
            rows.problem(number, "", record, "no-object", "no JSON object")


def _list_under(value, keys):
    """The list under one of these keys, or under the same key once more inside of it."""
    for key in keys:
        inside = value.get(key) if isinstance(value, dict) else None
        if isinstance(inside, dict) and isinstance(inside.get(key), list):
            inside = inside[key]
        if isinstance(inside, list):
            return inside
    return value


class OtherShape(Exception):
    """A value of another type than the export of a tool has there."""

    def __init__(self, key, value):
        super().__init__(key)
        self.key, self.value = key, value


def inside(record: dict, key: str, kind: type = dict) -> Any:
    """The dict or list under a key; an empty one where there is none.

    `kind` is ``dict`` or ``list``; the entries of a list have to be dicts.

    `OtherShape` says that something else is there.
    """
    value = record.get(key)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise OtherShape(key, value)
    if kind is list and not all(isinstance(one, dict) for one in value):
        raise OtherShape(key, value)
    return value


def each(rows: Rows, found: Iterator[tuple[int, dict]], use: Callable) -> None:
    """Use each record; one of another shape becomes a problem.

    `use` takes the number and the record.
    """
    for number, record in found:
        try:
            use(number, record)
        except OtherShape as odd:
            reason = "a value of another type than this kind of export has"
            rows.problem(number, odd.key, odd.value, "other-type", reason)


def flat(record: dict, prefix: str = "", depth: int = 0) -> dict:
    """A nested record with dotted keys; lists stay.

    `prefix` stands before each key, and `depth` says how deep this record already is: below the
    fourth level objects stay.

    >>> flat({"id": 1, "data": {"text": "x"}})
    {'id': 1, 'data.text': 'x'}
    """
    result = {}
    for key, value in record.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and depth < _DEEPEST:
            result |= flat(value, f"{name}.", depth + 1)
        else:
            result[name] = value
    return result


def load(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits, unit: str
) -> Table:
    """Read JSON or JSONL as a table: a row for each record, dotted names for nested keys.

    The unit is ``"line"`` for JSONL and ``"record"`` for one document with a list.

    An error says that it is no valid JSON, or that a line or document is above the limit.
    """
    rows = Rows(needed, unit)
    types: dict[str, set] = {}
    for number, record in listed(path, source, limits, rows, "data", "records", "results", "rows"):
        row = flat(record)
        for name, value in row.items():
            kind = "number" if isinstance(value, Written) else type(value).__name__
            types.setdefault(name, set()).add(kind)
        rows.add(number, row)
    table = rows.done()
    for name, kinds in types.items():
        if {"number", "str"} <= kinds:
            text = f"column {name!r} holds numbers and numbers or words as text"
            table.notes.append(Note(text, "numbers-as-text"))
    return table
