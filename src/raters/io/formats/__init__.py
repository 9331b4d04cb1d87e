"""The formats that are read: found by content, named, and turned into tables of text."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import RatingsError
from raters.io.formats import annotation_tools, binary_tables, json_files, judge_logs, text_tables
from raters.io.formats.base import (
    DOCUMENT_LIMIT,
    LINE_LIMIT,
    Limits,
    Table,
    checked_path,
    encoding_of,
    head,
)

if TYPE_CHECKING:
    from raters.io.config import Source

__all__ = ["DOCUMENT_LIMIT", "FORMATS", "LINE_LIMIT", "Limits", "Table", "detect", "load"]


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Parameters
    ----------
    title : str
        What people call it.
    load : callable
        Takes the path, the `Source`, which columns are needed (None: all), the `Limits` and,
        where `unit` is set, how the records are stored; returns a `Table`.
    columns : dict
        Which columns are item, rater, dimension and rating unless something else is
        declared; empty where only the user can know.
    unit : str
        ``"line"`` for JSONL, ``"record"`` for a document, ``"archive"``, or empty.
    """

    title: str
    load: Callable
    columns: dict = field(default_factory=dict)
    unit: str = ""


_LABEL_STUDIO = {"item": "task", "rater": "annotator", "dimension": "control", "rating": "value"}
_PRODIGY = {"item": "input", "rater": "annotator", "dimension": "label", "rating": "value"}
_ARGILLA = {"item": "record", "rater": "user", "dimension": "question", "rating": "value"}
_DOCCANO = {"item": "id", "rating": "label"}
_WEBANNO = {"item": "unit", "dimension": "dimension", "rating": "value"}
_BATCH = {"item": "custom_id", "rater": "model", "rating": "answer"}
_PROMPTFOO = {"item": "test", "rater": "provider", "rating": "output"}
_INSPECT = {"item": "id", "rater": "scorer", "rating": "value"}

FORMATS: dict[str, Format] = {
    "csv": Format("delimited text (CSV, TSV)", text_tables.load),
    "excel": Format("Excel workbook", binary_tables.load_excel),
    "parquet": Format("Parquet", binary_tables.load_parquet),
    "json": Format("JSON, a list of records", json_files.load, {}, "record"),
    "jsonl": Format("JSONL, a record a line", json_files.load, {}, "line"),
    "label-studio": Format("Label Studio", annotation_tools.label_studio, _LABEL_STUDIO, "record"),
    "prodigy": Format("Prodigy", annotation_tools.prodigy, _PRODIGY, "line"),
    "argilla": Format("Argilla", annotation_tools.argilla, _ARGILLA, "record"),
    "doccano": Format("doccano", annotation_tools.doccano, _DOCCANO, "line"),
    "webanno": Format("INCEpTION / WebAnno TSV 3", annotation_tools.webanno, _WEBANNO),
    "openai-batch": Format("OpenAI batch output", judge_logs.openai_batch, _BATCH, "line"),
    "promptfoo": Format("promptfoo results", judge_logs.promptfoo, _PROMPTFOO, "record"),
    "inspect": Format("Inspect log", judge_logs.inspect_log, _INSPECT, "record"),
}


def load(
    path: Path, source: Source, needed: Collection[str] | None = None, limits: Limits | None = None
) -> Table:
    """Read a file of a named format.

    The format that `source` declares must be a name of `FORMATS`.

    An error names a format that does not exist, or a file that is not of this format.
    """
    limits = limits or Limits()
    if source.format not in FORMATS:
        raise RatingsError(
            f"the format {source.format!r}", ", ".join(FORMATS), "name one of these in raters.toml"
        )
    chosen = FORMATS[source.format]
    if not chosen.unit:
        return chosen.load(path, source, needed, limits)
    return chosen.load(path, source, needed, limits, _unit(path, source, chosen.unit))


def _unit(path, source, usual):
    """Whether the records stand in lines or in one document: either occurs for most tools."""
    start = head(path)
    if start.startswith(b"PK"):
        return "archive"
    text = _start(path, source)
    if text.startswith("["):
        return "record"
    if text.startswith("{"):
        return "line" if _is_jsonl(text) else "record"
    return usual


def detect(path: str | Path, source: Source | None = None) -> str:
    """The name of a file's format, from what it holds and not from its name.

    A name of `FORMATS`.

    An error names a kind of file that is not read: an old .xls, a compressed or another binary
    file.
    """
    path = checked_path(path)
    start = head(path)
    for magic, what, todo in _OTHERS:
        if start.startswith(magic):
            raise RatingsError(f"{path}, {what}", "the formats " + ", ".join(FORMATS), todo)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"PK"):
        return _zipped(path)
    text = _start(path, source)
    if text.startswith("#FORMAT=WebAnno TSV"):
        return "webanno"
    if text[:1] in ("{", "["):
        return _json_kind(text)
    if "\0" in text:
        raise RatingsError(
            f"{path}, which is no text (it holds zero bytes)",
            "the formats " + ", ".join(FORMATS),
            "declare its encoding if it is text, such as encoding = 'utf-16-le'",
        )
    return "csv"


_OTHERS = [
    (
        b"\xd0\xcf\x11\xe0",
        "an old Excel file (.xls) or one with a password",
        "save it as .xlsx without a password, or as CSV",
    ),
    (b"\x1f\x8b", "a compressed file (gzip)", "unpack it first"),
    (b"BZh", "a compressed file (bzip2)", "unpack it first"),
    (b"\xfd7zXZ", "a compressed file (xz)", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a compressed file (zstd)", "unpack it first"),
    (b"%PDF", "a PDF", "export the table as CSV"),
    (b"SQLite format 3", "an SQLite database", "export the ratings as CSV"),
    (b"$FL2", "an SPSS file (.sav)", "save it as CSV, with values and not labels"),
    (b"$FL3", "an SPSS file (.zsav)", "save it as CSV, with values and not labels"),
    (b"<stata_dta>", "a Stata file (.dta)", "export it as CSV: export delimited, nolabel"),
    (b"ARROW1", "an Arrow or Feather file", "save it as Parquet or CSV"),
]


def _zipped(path):
    try:
        with zipfile.ZipFile(path) as parts:
            names = set(parts.namelist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise RatingsError(
            f"{path}, a damaged zip file ({error})",
            "an Excel workbook (.xlsx) that is whole",
            "save or download it again",
        ) from error
    if "xl/workbook.xml" in names:
        return "excel"
    if "header.json" in names or any(name.startswith("samples/") for name in names):
        return "inspect"
    if "content.xml" in names:
        raise RatingsError(
            f"{path}, an OpenDocument file (.ods)",
            "the formats " + ", ".join(FORMATS),
            "save it as .xlsx, or the sheet as CSV",
        )
    raise RatingsError(
        f"{path}, a zip file with {sorted(names)[:3]}",
        "an Excel workbook, or a file as it is",
        "unpack it and name the files inside",
    )


def _start(path, source=None):
    """The beginning of a text file, whatever cannot be decoded replaced."""
    encoding = encoding_of(path, source.encoding if source else "")
    text = _decoded(head(path), encoding)
    if text[:1] in ("{", "[") and not _whole_record(text):
        # A long first record: look at more of it.
        text = _decoded(head(path, 4 << 20), encoding)
    return text


def _decoded(start, encoding):
    return start.decode(encoding, "replace").lstrip("\ufeff").lstrip()


def _whole_record(text):
    try:
        json_files._DECODER.raw_decode(text, max(text.find("{"), 0))
    except (ValueError, RecursionError):
        return False
    return True


def _is_jsonl(text):
    """Whether the first line is a whole object: a document that starts so goes on after it."""
    first, _, rest = text.partition("\n")
    rest = rest.lstrip("\r\n")
    if rest[:1] == "{":
        return True
    try:
        value = json_files.decode(first)
    except ValueError:
        return False
    if not isinstance(value, dict) or rest:
        return False
    # One object alone: a list under a known key makes it a document.
    under = (value.get(key) for key in ("data", "records", "results", "rows", "samples"))
    return not any(isinstance(found, (dict, list)) for found in under)


def _json_kind(text):
    jsonl = text.startswith("{") and _is_jsonl(text)
    record = _first_record(text)
    keys = set(record)
    if {"custom_id", "response"} <= keys:
        return "openai-batch"
    if {"eval", "samples"} <= keys or ("eval" in keys and "plan" in keys):
        return "inspect"
    if "evalId" in keys or ("gradingResult" in keys and "provider" in keys):
        return "promptfoo"
    if "results" in keys and isinstance(record["results"], dict) and not jsonl:
        return "promptfoo"
    if ("annotations" in keys or "completions" in keys) and "data" in keys:
        return "label-studio"
    if "answer" in keys and keys & {"_task_hash", "_input_hash"}:
        return "prodigy"
    if _like_argilla(record):
        return "argilla"
    labels = record.get("label", record.get("labels"))
    if "id" in keys and keys & {"text", "data"} and isinstance(labels, list):
        return "doccano"
    if "id" in keys and "text" in keys and isinstance(record.get("annotations"), list):
        return "doccano"
    return "jsonl" if jsonl else "json"


def _like_argilla(record):
    if any(key.endswith(".responses") for key in record):
        return True
    if "fields" in record and "responses" in record:
        return True
    return any(
        isinstance(value, list)
        and value
        and all(isinstance(v, dict) and {"user_id", "value", "status"} <= set(v) for v in value)
        for value in record.values()
    )


def _first_record(text):
    """The first object of a list or file, or as much of its keys as can be read."""
    decoder = json_files._DECODER
    place = text.find("{")
    if place < 0:
        return {}
    try:
        value, _ = decoder.raw_decode(text, place)
    except (ValueError, RecursionError):
        return _keys_of_the_start(text[place:])
    return value if isinstance(value, dict) else {}


def _keys_of_the_start(text):
    """The top-level keys of an object that is longer than what was looked at."""
    found, place = {}, 1
    decoder = json_files._DECODER
    while True:
        while place < len(text) and text[place] in " \t\r\n,":
            place += 1
        try:
            key, end = decoder.raw_decode(text, place)
            place = text.index(":", end) + 1
        except (ValueError, RecursionError):
            return found
        if not isinstance(key, str):
            return found
        while place < len(text) and text[place] in " \t\r\n":
            place += 1
        # A value that does not end within the text: its kind is known all the same.
        found[key] = {"{": {}, "[": []}.get(text[place : place + 1])
        try:
            found[key], place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return found
