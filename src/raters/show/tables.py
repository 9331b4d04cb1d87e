"""How results look: tables, sentences with computed numbers, a stamp.

Every table that people read is rendered here, for a notebook, the book and the report, and
here stands what keeps a spreadsheet from running a text as a formula.

The stamp is a sentence that every table and chart carries, for example that the
ratings are simulated. It is set once a notebook, by `use`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from numbers import Integral, Real

import pandas as pd

from raters.errors import RatingsError

_state = {"stamp": ""}
# What spreadsheets take for a formula, behind spaces too and in its full-width forms; a plain
# number is none.
_FORMULA = re.compile(r"(?!\s*[+-]?[\d.,]+\s*$)\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")

# Of a text that somebody's file holds: letters without a break, letters of a cell.
_WORD, _LONGEST = 24, 500

# A number, an interval, a number with its interval: to be kept on one line.
_KEPT = re.compile(r"[-+\N{MINUS SIGN}\d.,%\s()\[\]–]|\bto\b|\bof\b")


def use(stamp: str = "") -> None:
    """Set the sentence that every table and chart of this notebook carries.

    Parameters
    ----------
    stamp : str
        The sentence, or "" for none.

    Examples
    --------
    >>> use("Simulated ratings.")
    >>> stamp()
    'Simulated ratings.'
    >>> use()
    """
    _state["stamp"] = stamp


def stamp() -> str:
    """The sentence set by `use`."""
    return _state["stamp"]


@contextmanager
def stamped(text: str) -> Iterator[None]:
    """Another stamp for a while: what is made of other ratings carries another sentence.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> with stamped("Simulated ratings."):
    ...     stamp()
    'Simulated ratings.'
    """
    before = stamp()
    use(text)
    try:
        yield
    finally:
        use(before)


@dataclass(frozen=True)
class Markdown:
    """A piece of Markdown that a notebook shows as text."""

    text: str

    def _repr_markdown_(self):
        return self.text

    def __repr__(self):
        return self.text


def say(text: str) -> Markdown:
    """A sentence with computed numbers, shown as text under a cell.

    Parameters
    ----------
    text : str
        Markdown.

    Returns
    -------
    Markdown

    Examples
    --------
    >>> say(f"{2} of {3} pairs agree.")
    2 of 3 pairs agree.
    """
    return Markdown(" ".join(text.split()))


def interval(low: float, high: float, digits: int = 2) -> str:
    """An interval in words, with a true minus sign.

    Examples
    --------
    >>> interval(-0.125, 0.5)
    '−0.12 to 0.50'
    """
    return f"{number(low, digits)} to {number(high, digits)}"


def with_interval(row, value: str = "estimate") -> str:
    """A value of a row and its interval, for a sentence or a cell.

    Examples
    --------
    >>> with_interval(pd.Series({"estimate": -0.1, "low": -0.2, "high": 0.05}))
    '−0.10 (−0.20 to 0.05)'
    """
    return f"{number(getattr(row, value))} ({interval(row.low, row.high)})"


def number(value, digits: int = 2) -> str:
    """A number for reading: fixed digits, a true minus sign, a dash where undefined.

    Examples
    --------
    >>> number(-0.004), number(3), number(float("nan")), number(1234.5, 1)
    ('0.00', '3', '–', '1,234.5')
    """
    if isinstance(value, Integral):
        text = f"{value:,}"
    elif pd.isna(value):
        return "–"
    else:
        text = f"{value:,.{digits}f}"
        if float(text.replace(",", "")) == 0:
            text = text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True)
class Table:
    """A table with a caption, for a page (HTML) and a terminal (text)."""

    frame: pd.DataFrame
    caption: str
    digits: int | Mapping[str, int]
    search: bool = False

    def csv(self) -> str:
        """The whole table as comma-separated text, with every digit of its numbers.

        A spreadsheet would run text that begins like a formula; such text gets an
        apostrophe in front. The stamp, if there is one, becomes a last column ``note``.

        Returns
        -------
        str

        Examples
        --------
        >>> print(table(pd.DataFrame({"d": ["=1+1"], "k": [-0.5123]}), "One.").csv())
        d,k
        '=1+1,-0.5123
        """
        frame = self.frame.rename(columns=lambda name: _on_a_line(str(name)))
        frame = frame.apply(lambda column: column.map(_on_a_line)) if len(frame) else frame
        if stamp():
            frame = frame.assign(**{"note" if "note" not in frame else "made from": stamp()})
        return frame.to_csv(index=False, float_format="%.12g", lineterminator="\n")

    def _link(self):
        """The table as a file inside its own link: it needs no server and no script."""
        data = self.csv().encode()
        words = "-".join(re.findall(r"[a-z0-9]+", self.caption.lower()))[:48].strip("-")
        name = f"{words or 'table'}-{sha256(data).hexdigest()[:8]}.csv"
        target = "data:text/csv;charset=utf-8;base64," + base64.b64encode(data).decode()
        said = escape(f"Download this table as CSV: {self.caption}")
        return (
            f'<p class="rt-more"><a class="rt-csv" download="{name}" href="{target}" '
            f'aria-label="{said}">Download this table as CSV</a></p>'
        )

    def _digits(self, column):
        return self.digits.get(column, 2) if isinstance(self.digits, Mapping) else self.digits

    def _cell(self, value, column):
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, Real):
            return number(value, self._digits(column))
        return "" if pd.isna(value) else str(value)

    def _texts(self):
        frame = self.frame.astype(object)
        return [
            [self._cell(value, column) for value, column in zip(row, frame.columns)]
            for row in frame.itertuples(index=False)
        ]

    def _repr_html_(self):
        return self.html() + self._link()

    def html(self, foreign: bool = False) -> str:
        """The table alone as HTML: every text in it is escaped.

        Parameters
        ----------
        foreign : bool
            The texts come from anybody's files: control signs become visible, long words
            can be broken, long cells end.

        Returns
        -------
        str

        Examples
        --------
        >>> "a&lt;b" in table(pd.DataFrame({"item": ["a<b"]}), "One.").html()
        True
        """
        shown = _foreign if foreign else escape
        numeric = [pd.api.types.is_numeric_dtype(t) for t in self.frame.dtypes]
        head = "".join(
            f'<th scope="col"{_class(is_number, _short(str(column), 8))}>{shown(str(column))}</th>'
            for column, is_number in zip(self.frame.columns, numeric)
        )
        body = "\n".join(_html_row(row, numeric, shown) for row in self._texts())
        caption = escape(visible(self.caption) if foreign else self.caption)
        return (
            f'<div class="rt-wrap{" rt-search" if self.search else ""}" tabindex="0" '
            f'role="region" aria-label="{caption}">'
            f'<table class="rt"><caption>{caption}{_stamp_html()}</caption>'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
        )

    def __repr__(self):
        frame = pd.DataFrame(self._texts(), columns=self.frame.columns)
        lines = [self.caption, *([stamp()] if stamp() else []), frame.to_string(index=False)]
        return "\n".join(lines)


def _is_formula(value):
    return isinstance(value, str) and _FORMULA.match(value) is not None


def _harmless(value):
    return f"'{value}" if _is_formula(value) else value


def _on_a_line(value):
    # A lone carriage return would end the line for some readers.
    return _harmless(value).replace("\r", " ") if isinstance(value, str) else value


def _texts_of(frame):
    return [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c].dtype)]


def formula_like(frame: pd.DataFrame) -> int:
    """How many texts a spreadsheet would take for a formula.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    int
    """
    return sum(int(frame[c].map(_is_formula).sum()) for c in _texts_of(frame))


def spreadsheet_safe(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an apostrophe before each text that a spreadsheet would take for a formula.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    DataFrame

    Notes
    -----
    The signs are = + - @, behind spaces too, tab and line breaks, as OWASP's page "CSV
    Injection" lists them. Names of columns are treated alike. Numbers stay numbers, as text
    too.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": [" =1+1", "-2", "a"], "rating": [-1.5, 2, 3]})
    >>> spreadsheet_safe(frame).values.tolist()
    [["' =1+1", -1.5], ['-2', 2.0], ['a', 3.0]]
    """
    safe = frame.copy()
    for column in _texts_of(frame):
        texts = [_harmless(value) for value in frame[column]]
        safe[column] = pd.Series(texts, frame.index, dtype=object)
    return safe.rename(columns=_harmless)


def visible(text: str) -> str:
    """A text with its control signs shown as U+FFFD: none may turn the line or hide a part.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> visible("a\\u202eb")
    'a\ufffdb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def _foreign(text):
    """A cell of anybody's text, with places to break a word that no column is wide enough for."""
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    parts = re.split(rf"(\S{{{_WORD}}})", visible(text))
    return "<wbr>".join(escape(part) for part in parts if part)


def _html_row(row, numeric, shown):
    first = f'<th scope="row"{_class(False, _short(row[0]))}>{shown(row[0])}</th>'
    rest = [
        f"<td{_class(is_number, not is_number and _only_numbers(text), _long(text))}>"
        f"{shown(text)}</td>"
        for text, is_number in zip(row[1:], numeric[1:])
    ]
    return f"<tr>{first}{''.join(rest)}</tr>"


def _class(is_number, kept, long=False):
    """What a cell is for the style sheet.

    Numbers, `n`, stand at the right; `k` stays on one line; `t` is text that needs width.
    """
    names = " ".join(["n"] * is_number + ["k"] * kept + ["t"] * (long and not kept))
    return f' class="{names}"' if names else ""


def _only_numbers(text):
    return bool(text) and not _KEPT.sub("", text)


def _long(text, letters=16):
    """Words that a narrow column would break into slivers."""
    return len(text) > letters


def _short(text, letters=14):
    """A name that would rather not be broken: GPT-4o, Expert 1, panel of three."""
    return 0 < len(text) <= letters


def _stamp_html():
    return f' <strong class="rt-stamp">{escape(stamp())}</strong>' if stamp() else ""


def table(
    frame: pd.DataFrame,
    caption: str,
    columns: Mapping[str, str] | None = None,
    digits: int | Mapping[str, int] = 2,
    search: bool = False,
) -> Table:
    """A table to read: chosen columns under readable names, rounded, with a caption.

    Parameters
    ----------
    frame : DataFrame
        The results.
    caption : str
        What the table shows, in a sentence.
    columns : mapping, optional
        Columns to show, in order, each with its heading. Default: all. The first
        is the heading of its row.
    digits : int or mapping
        Decimals, for all columns or by heading.
    search : bool
        For long tables: the book's page adds a box that filters the rows.

    Returns
    -------
    Table

    Raises
    ------
    RatingsError
        A column is not there, or the caption is empty.

    Examples
    --------
    >>> table(pd.DataFrame({"d": ["warmth"], "k": [0.5123]}), "One kappa.", {"d": "dimension",
    ...       "k": "kappa"})
    One kappa.
    dimension kappa
       warmth  0.51
    """
    if not caption.strip():
        raise RatingsError(
            "a table without a caption", "a sentence that says what it shows", "write one"
        )
    columns = columns or {c: str(c) for c in frame.columns}
    missing = [c for c in columns if c not in frame.columns]
    if missing:
        raise RatingsError(
            f"the columns {missing}", f"columns of the frame: {list(frame.columns)}", "check them"
        )
    return Table(frame[list(columns)].rename(columns=dict(columns)), caption, digits, search)
