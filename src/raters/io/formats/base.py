"""What every format becomes: a table of text cells, each row with its place in the file.

The loader of a format takes the `path`, the `source` (what is declared of the file), the columns
that are `needed` (None: all of them) and the `limits`, and gives a `Table`; its docstring says
which columns. What it reads with (`text_lines`, `whole_text`, `json_files.records`) takes the
same, and raises a `RatingsError` where the file cannot be read.
"""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from raters.errors import RatingsError
from raters.io.notes import Note
from raters.label_sets import spelled
from raters.text import count_of, shorten

# What is refused rather than read into memory: one line (or cell), one JSON document or
# workbook as unpacked.
LINE_LIMIT = 50_000_000

DOCUMENT_LIMIT = 300_000_000

HEAD = 65_536

# Codes of notes and problems that `raters.io.inspect` looks for.
NUMBERED, UNNAMED, FIELDS = "numbered-columns", "unnamed-columns", "fields"

# Rows that are left out and hold nothing.
EXTRA_HEADER, EMPTY_ROW, BEFORE_HEADER = "extra header row", "empty row", "row before the header"
NO_ROWS = (EXTRA_HEADER, EMPTY_ROW, BEFORE_HEADER)

# What spreadsheets leave around ids and numbers.
SHEET = "sheet"  # the column with the name of the sheet where several are read

# A log that marks a refusal itself (such as a batch file's field "refusal") is read as this text.
REFUSAL_MARK = "[refusal]"

ID_JUNK = " \t\r\n\u00a0\ufeff"


@dataclass(frozen=True)
class Limits:
    """How much is read into memory at once before a file is refused.

    Parameters
    ----------
    line : int
        Characters of one line, or of one quoted cell.
    document : int
        Bytes of one JSON document, or of a workbook as unpacked.
    """

    line: int = LINE_LIMIT
    document: int = DOCUMENT_LIMIT


@dataclass
class Table:
    """The rows of one file as text.

    Parameters
    ----------
    columns : dict of str to list
        The cells of each column: text, or None where there is nothing.
    lines : list of int
        The line, record or row of each row, counted from 1.
    unit : {"line", "record", "row"}
        What `lines` counts.
    problems : list of (int, str, str, Note)
        Rows that cannot be read: line, column, value, reason.
    left_out : Counter
        What is no rating, by reason: skipped tasks, drafts, header rows.
    notes : list of Note
        What was understood, in sentences for the reader.
    names : list of str
        All columns of the file, also those that were not asked for.
    """

    columns: dict[str, list]
    lines: list[int]
    unit: str = "line"
    problems: list[tuple[int, str, str, Note]] = field(default_factory=list)
    left_out: Counter = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.lines)

    def copy(self) -> Table:
        """A table of its own; the cells are shared, as nobody changes them in place."""
        return Table(
            dict(self.columns), list(self.lines), self.unit, list(self.problems),
            Counter(self.left_out), list(self.notes), list(self.names),
        )  # fmt: skip


class Rows:
    """Collects the rows of a `Table`; rows may have different keys.

    Parameters
    ----------
    needed : collection of str, optional
        The columns to keep. Default: all.
    unit : str
        As in `Table`.
    """

    def __init__(self, needed: Collection[str] | None, unit: str):
        self.table = Table({}, [], unit)
        self._needed = None if needed is None else set(needed)
        self._seen: dict[str, None] = {}
        self._same: dict[str, str] = {}

    def wants(self, *names: str) -> bool:
        """Whether one of these columns is kept."""
        return self._needed is None or any(name in self._needed for name in names)

    def add(self, line: int, row: dict) -> None:
        """Add one row: a dict from column to value."""
        table = self.table
        for name in row:
            if name not in self._seen:
                self._seen[name] = None
                if self._needed is None or name in self._needed:
                    table.columns[name] = [None] * table.size
        for name, cells in table.columns.items():
            value = cell(row.get(name))
            # Most cells repeat: one copy of each text keeps a million rows small.
            cells.append(value if value is None else self._same.setdefault(value, value))
        table.lines.append(line)

    def knows(self, names: Collection[str]) -> None:
        """Note columns that are there, perhaps without a cell."""
        for name in names:
            self._seen.setdefault(name)
            if self._needed is None or name in self._needed:
                self.table.columns.setdefault(name, [None] * self.table.size)

    def problem(self, line: int, column: str, value: object, code: str, reason: str) -> None:
        """Note a row that cannot be read."""
        self.table.problems.append((line, column, shorten(value), Note(reason, code)))

    def done(self) -> Table:
        """The table with everything that was added."""
        self.table.names = list(self._seen)
        return self.table


def header_names(rows: list[list[str]], join: str = "") -> list[str]:
    """The names of the columns from the header rows: no two alike, "" for none.

    Names that occur more than once are numbered. Where rows are joined, an empty cell above a name
    has the name to its left, as cells do that a spreadsheet merged. `rows` are the header rows as
    they stand in the file, and `join` stands between the names of one column; empty, the first row
    names alone.

    >>> header_names([["reply", "ann", "", "bob", ""], ["", "warm", "clear", "warm", "clear"]], "_")
    ['reply', 'ann_warm', 'ann_clear', 'bob_warm', 'bob_clear']
    >>> header_names([["id", "score", "", "score", ""]])
    ['id', 'score (column 2)', '', 'score (column 4)']
    """
    rows = [[name.strip().lstrip("\ufeff").strip() for name in row] for row in rows]
    names = rows[0]
    if join and len(rows) > 1:
        width = max(map(len, rows))
        rows = [row + [""] * (width - len(row)) for row in rows]
        parts = [*map(_spread, rows[:-1], rows[1:]), rows[-1]]
        names = [join.join(filter(None, column)) for column in zip(*parts)]
    names = names[: max((n for n, name in enumerate(names, 1) if name), default=0)]
    times = Counter(names)
    return [
        f"{name} (column {n})" if name and times[name] > 1 else name
        for n, name in enumerate(names, 1)
    ]


def _spread(row, below):
    """A header row with each name over all of its columns; a name with none below stands alone."""
    spread, last = [], ""
    for name, under in zip(row, below):
        last = name or last
        spread.append(name or (last if under else ""))
        last = last if under else ""
    return spread


def header_notes(names: list[str], unnamed: Collection[int]) -> list[Note]:
    """What a reader has to know of a header: names that were numbered, columns without one.

    `names` are those of `header_names`; `unnamed` are the numbers of columns without a name that
    hold cells.
    """
    again = sorted({match[1] for name in names if (match := _WITH_NUMBER.fullmatch(name))})
    notes = [
        Note(f"more than one column is called {name!r}: they are numbered", NUMBERED)
        for name in again
    ]
    if unnamed:
        shown = ", ".join(map(str, sorted(unnamed)[:5])) + (" ..." if len(unnamed) > 5 else "")
        text = f"{count_of(len(unnamed), 'column')} without a name in the header, not read"
        notes.append(Note(f"{text}: number {shown}", UNNAMED))
    return notes


_WITH_NUMBER = re.compile(r"(.*) \(column \d+\)", re.S)


class LabelSet(str):
    """The text of a cell that was a list in the file, as `raters.label_sets.spelled` writes it.

    No other text equals it: what a list holds is a label, whatever signs are in it.
    """

    __slots__ = ()

    def __eq__(self, other):
        return isinstance(other, LabelSet) and str.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return ~str.__hash__(self)


def cell(value: object) -> str | None:
    """A value as the text of a cell; None where there is none.

    A `LabelSet` for a list of labels; an empty list is the empty set. A `value` is text, a number,
    a truth value, a date, a list of labels, or None.

    >>> cell(4), cell(4.0), str(cell(["b", "a"])), cell(float("nan"))
    ('4', '4.0', 'a; b', None)
    """
    if value is None or isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return None if value != value else repr(value)
    if isinstance(value, (list, tuple)) and all(isinstance(v, (str, int)) for v in value):
        return LabelSet(spelled(clean(str(v)) for v in value))
    if isinstance(value, (list, tuple, dict)):
        import json

        return clean(json.dumps(value, ensure_ascii=False, default=str))
    return str(value)


def clean(text: str | None) -> str | None:
    """Text without half characters (lone surrogates), which no file can hold."""
    if text is None or text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


# ------------------------------------------------------------------------------- files
def checked_path(path: str | Path) -> Path:
    """The path of a file that can be read.

    An error says: nothing there, a folder, a device, an empty file, or no right to read it.
    """
    path = Path(path)
    allowed = "a file with ratings: CSV, Excel, Parquet, JSON, JSONL or the export of a tool"
    try:
        if path.is_dir():
            raise RatingsError(f"the folder {path}", allowed, "name the files in it")
        if not path.exists():
            address = re.match(r"[a-z]{2,}:/", str(path))
            todo = "download it first" if address else "check the name and the folder"
            raise RatingsError(f"no file {path}", allowed, todo)
        if not path.is_file():
            raise RatingsError(f"{path}, which is no regular file", allowed, "save it as a file")
        with open(path, "rb") as file:
            start = file.read(1)
    except RatingsError:
        raise
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise RatingsError(
            f"{path}, which cannot be read ({what})", allowed, "check the rights and the disk"
        ) from error
    if not start:
        raise RatingsError(f"the empty file {path}", allowed, "export it again")
    return path


def head(path: Path, size: int = HEAD) -> bytes:
    """The first bytes of a file."""
    with open(path, "rb") as file:
        return file.read(size)


def encoding_of(path: Path, declared: str = "") -> str:
    """The encoding as declared, by the file's byte order mark, or UTF-8.

    An error names an encoding that does not exist.
    """
    start = head(path, 4)
    marked = ""
    if start.startswith(codecs.BOM_UTF8):
        marked = "utf-8-sig"
    elif start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        marked = "utf-32"
    elif start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        marked = "utf-16"
    if not declared:
        return marked or "utf-8"
    try:
        name = codecs.lookup(declared).name
        "".encode(name)
    except (LookupError, UnicodeError, TypeError, ValueError):
        raise RatingsError(
            f"the encoding {declared!r}",
            "an encoding such as utf-8, utf-16 or cp1252",
            "correct encoding = '...' in raters.toml",
        ) from None
    return "utf-8-sig" if name == "utf-8" and marked == "utf-8-sig" else declared


def propose_encoding(path: Path) -> tuple[str, str]:
    """The encoding that fits the bytes of a whole file, and why it is only a proposal.

    Empty where there is none.
    """
    marked = encoding_of(path)
    if marked != "utf-8":
        return marked, ""
    start = head(path)
    # Text in UTF-16 has zeros on one side only, and many; a single one is damage.
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) > len(start) / 10 > 10 * min(even, odd):
        name = "utf-16-le" if odd > even else "utf-16-be"
        return name, "every second byte is zero, and there is no byte order mark"
    if _decodes(path, "utf-8"):
        return "utf-8", ""
    for name in ("cp1252", "latin-1"):
        if _decodes(path, name):
            return name, f"the bytes are no UTF-8; {name} fits, but so may others"
    raise AssertionError("latin-1 decodes everything")


def _decodes(path, encoding):
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def text_lines(path: Path, encoding: str, limit: int) -> Iterator[str]:
    """The lines of a text file, with their ends, never more than one in memory.

    An error says that bytes are not of this encoding, or that a line is longer than the limit.
    """
    number = 0
    try:
        with open(path, encoding=encoding, newline="") as file:
            while line := file.readline(limit + 1):
                number += 1
                if len(line) > limit:
                    raise too_long(path, number, limit)
                yield line
    except UnicodeError as error:
        raise _not_decoded(path, encoding, error) from error


def too_long(path: Path, line: int, limit: int) -> RatingsError:
    """The error for a line or cell that is longer than what is read."""
    return RatingsError(
        f"{path} line {line}, longer than {limit:,} characters",
        f"lines and cells of up to {limit:,} characters",
        "check that the file is what its name says, that its lines end, and that every quote "
        "that opens is closed",
    )


def _not_decoded(path, encoding, error):
    found = getattr(error, "object", b"")[getattr(error, "start", 0) :][:1]
    where = _first_bad_line(path, encoding)
    place = f"line {where} of {path}" if where else f"{path}"
    shown = f" (byte {found.hex()})" if found else ""
    return RatingsError(
        f"{place} is not {encoding}{shown}",
        "text in the declared encoding; UTF-8 where none is declared",
        "declare the encoding in raters.toml, for example encoding = 'cp1252' for files saved by "
        "Excel on Windows, or 'utf-16'; `raters inspect` proposes one",
    )


def _first_bad_line(path, encoding):
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig", "ascii", "cp1252"):
        return None
    number = 1
    with open(path, "rb") as file:
        decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
        while block := file.read(1 << 16):
            text = decoder.decode(block, final=len(block) < 1 << 16)
            for place, sign in enumerate(text if not text.isascii() else ""):
                if "\udc80" <= sign <= "\udcff":
                    return number + text.count("\n", 0, place)
            number += text.count("\n")
    return None


def whole_text(path: Path, encoding: str, limit: int) -> str:
    """A whole text file, where it is not longer than the limit.

    An error says that the file is longer than the limit, or that bytes are not of this encoding.
    """
    size = os.path.getsize(path)
    if size > limit:
        raise RatingsError(
            f"{path}, one JSON document of {size:,} bytes",
            f"documents of up to {limit:,} bytes",
            "export it as JSONL (a record a line), or in parts",
        )
    try:
        with open(path, encoding=encoding) as file:
            return file.read()
    except UnicodeError as error:
        raise _not_decoded(path, encoding, error) from error
