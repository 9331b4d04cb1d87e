"""Large CSV and TSV files, looked over once before a database reads them.

What a database does with a row of another width can depend on the rows around it: it may
skip them. So the rows are counted here too, in blocks of bytes and without reading the
fields, and what is no table of one width is refused with its line.
"""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from raters.errors import RatingsError

_BLOCK = 1 << 22
_LONGEST = 1 << 24  # bytes of a row; more is a quotation mark that nobody closed
_SHOWN = 60


@dataclass(frozen=True)
class TextFile:
    """One file: its header, the number of its rows, and where a database should read it."""

    path: str
    readable: str  # the file itself, or a copy with one kind of line end
    header: tuple[str, ...]
    rows: int
    spans_lines: bool  # whether a quoted field holds a line end


def look_over(path: str, separator: str, folder: str) -> TextFile:
    """Check that a text file is a table whose first line is the header, and count its rows.

    Parameters
    ----------
    path : str
        A CSV or TSV file in UTF-8; ``.gz`` and ``.zst`` are unpacked. Lines may end in any
        way, also in several ways; empty lines are no rows.
    separator : str
        One character.
    folder : str
        Where a copy goes if the file mixes kinds of line ends.

    Returns
    -------
    TextFile

    Raises
    ------
    RatingsError
        No header; a row with more or fewer fields than the header; a quotation mark that is
        not closed; text that is not UTF-8; a file that cannot be opened. With the line.
    """
    try:
        header = _header(path, separator)
        fields = _Fields(separator)
        seen = _Seen(path, len(header))
        for whole, plain in _blocks(path, fields):
            seen.add(whole, plain, fields)
        readable = path
        if sum(map(bool, seen.ends.values())) > 1:
            readable = _with_one_line_end(path, fields, folder)
    except OSError as error:  # of pyarrow too, for damaged archives
        raise RatingsError(
            f"the file {path}, which cannot be read: {error}",
            "a file that is whole and may be read",
            "unpack it, or make it anew",
        ) from error
    return TextFile(path, readable, header, seen.rows - 1, seen.spans_lines)


def _bytes(path):
    """The unpacked bytes, without the mark that some programs write before UTF-8."""
    import pyarrow

    stream = pyarrow.input_stream(path)
    first = stream.read(3)
    if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise _not_utf8(path, 1)
    if first == b"\xef\xbb\xbf":
        return stream
    stream.close()
    return pyarrow.input_stream(path)


def _not_utf8(path, line):
    return RatingsError(
        f"the file {path}, line {line}: text that is not UTF-8",
        "a text file in UTF-8",
        "save it as UTF-8 (in a spreadsheet: CSV UTF-8)",
    )


def _header(path, separator):
    with _bytes(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8", errors="surrogateescape", newline="")
        try:
            header = next(csv.reader(text, delimiter=separator), [])
        except csv.Error:  # a field without an end
            header = []
    if not "".join(header).strip():
        raise RatingsError(
            f"the file {path}, whose first line names no columns",
            "the names of the columns in line 1",
            "remove what stands above them, or write them there",
        )
    if re.search("[\ud800-\udfff]", "".join(header)):
        raise _not_utf8(path, 1)
    return tuple(header)


class _Fields:
    """How fields are told apart.

    A quotation mark opens a field where the field begins, and only there. A field that is
    not closed takes the rest of the text, to its very end.
    """

    def __init__(self, separator):
        self.separator = separator.encode()
        begins = rb'"(?:(?<=%s")|(?<=[\r\n]")|(?<=\A"))' % re.escape(self.separator)
        self.quoted = re.compile(begins + rb'[^"]*+(?:""[^"]*+)*+(?:"|\Z)')

    def plain(self, whole):
        """The text with a quotation mark or a letter in place of each quoted field."""
        if b'"' not in whole:
            return whole
        # Ten times as fast as the pattern, and right if each mark stands at a field's end.
        parts = whole.split(b'"')
        plain = b'"'.join(parts[::2])
        while b'""' in plain:
            plain = plain.replace(b'""', b'"')
        number = plain.count(b'"')
        ends = (self.separator, b"\n", b"\r")
        begun = sum(plain.count(end + b'"') for end in ends) + plain.startswith(b'"')
        closed = sum(plain.count(b'"' + end) for end in ends)
        if len(parts) % 2 and begun == closed == number:
            return plain
        return self.quoted.sub(b"q", whole)


def _blocks(path, fields) -> Iterator[tuple[bytes, bytes]]:
    """Blocks of whole rows, as they are and without what is quoted in them."""
    rest, above, end = b"", 0, b"\n"
    with _bytes(path) as stream:
        while True:
            more = stream.read(_BLOCK)
            block = rest + more
            # Not behind a carriage return at the very end, which may be half of a line end.
            cut = block.rfind(b"\n") + 1 or block.rfind(b"\r", 0, -1) + 1
            if not more:  # the last line may have no end: it gets that of the others
                block += end if block and not block.endswith((b"\n", b"\r")) else b""
                cut = len(block)
            whole, rest = block[:cut], block[cut:]
            plain = fields.plain(whole)
            if plain.endswith((b"\n", b"\r")):
                yield whole, plain
                above += _line_ends(whole)
                end = b"\r\n" if whole.endswith(b"\r\n") else whole[-1:]
            elif more and len(block) < _LONGEST:
                rest = block  # the last line end is part of a field that goes on
            elif block:
                raise _too_long(path, above, block, fields)
            if not more:
                return


def _too_long(path, above, block, fields):
    last = [field.start() for field in fields.quoted.finditer(block)][-1:]
    line = above + 1 + _line_ends(block[: last[0]] if last else b"")
    return RatingsError(
        f"the file {path}, line {line}: a quotation mark that is not closed, or a row of more than "
        f"{_LONGEST >> 20} MB",
        'fields as "..." where they hold separators or line ends; a quotation mark within such a '
        "field twice",
        "correct the line",
    )


class _Seen:
    """What was seen of a file so far."""

    def __init__(self, path, width):
        self.path, self.width = path, width
        self.rows = 0
        self.spans_lines = False
        self.ends = dict.fromkeys(_ends(b""), 0)
        self.above = 0  # lines of the file above the block, empty ones too

    def add(self, whole, plain, fields):
        """Count the rows of a block, and refuse what is no row."""
        try:
            if not whole.isascii():
                whole.decode()
        except UnicodeDecodeError as error:
            line = self.above + 1 + _line_ends(whole[: error.start])
            raise _not_utf8(self.path, line) from error
        rows = _with_line_feeds(plain)
        while b"\n\n" in rows:
            rows = rows.replace(b"\n\n", b"\n")
        number = (rows := rows.lstrip(b"\n")).count(b"\n")
        if rows.count(fields.separator) != number * (self.width - 1):
            raise self._other_width(whole, fields)
        self.rows += number
        self.ends = {end: self.ends[end] + n for end, n in _ends(plain).items()}
        self.spans_lines |= _line_ends(whole) > _line_ends(plain)
        self.above += _line_ends(whole)

    def _other_width(self, whole, fields):
        """The error for the first row of a block that has another number of fields."""
        # The line ends within a field are kept as marks, to be counted.
        marked = fields.quoted.sub(lambda field: b"q" + b"\0" * _line_ends(field[0]), whole)
        line = self.above + 1
        for row in _with_line_feeds(marked).split(b"\n"):
            number = row.count(fields.separator) + 1
            if row and number != self.width:
                break
            line += 1 + row.count(b"\0")
        start = whole.splitlines()[line - 1 - self.above].decode()
        start = start if len(start) <= _SHOWN else start[: _SHOWN - 1] + "…"
        return RatingsError(
            f"the file {self.path}, line {line}: {number} field{'s' * (number > 1)} ({start}), "
            f"where line 1 names {self.width} column{'s' * (self.width > 1)}",
            "as many fields in every row as names in line 1",
            "correct the row, with quotation marks around a field that holds the separator; keep "
            "two exports in two files, and give a list of them",
        )


def _ends(block):
    """How often each kind of line end occurs."""
    both = block.count(b"\r\n")
    return {b"\n": block.count(b"\n") - both, b"\r": block.count(b"\r") - both, b"\r\n": both}


def _line_ends(block):
    return block.count(b"\n") + (_ends(block)[b"\r"] if b"\r" in block else 0)


def _with_line_feeds(block):
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _with_one_line_end(path, fields, folder):
    """A copy with one kind of line end between rows; within fields they stay as they are."""
    number, copy = tempfile.mkstemp(".csv", dir=folder)
    field_or_end = re.compile(b"(" + fields.quoted.pattern + rb")|\r\n?")
    with open(number, "wb") as out:
        for whole, _ in _blocks(path, fields):
            out.write(field_or_end.sub(lambda found: found[1] or b"\n", whole))
    return copy
