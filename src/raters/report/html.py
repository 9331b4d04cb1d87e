"""Pieces of the page. Every text from a file passes `escape`: nothing in it is markup."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd

from raters.show.tables import number

_MOST_ROWS = 60
_SHORT, _WORD, _LONGEST = 24, 24, 500  # letters: of a label, without a break, of a cell
_SIZE = re.compile(r'<svg[^>]*?\swidth="([\d.]+)"[^>]*?\sheight="([\d.]+)"')
NARROW = 700  # pixels of the window below which the narrow picture is shown


class Section:
    """Part of the report: shows itself in a notebook, and is put into the page as it is.

    Parameters
    ----------
    *parts : str
        Pieces of HTML from this module.
    """

    def __init__(self, *parts: str):
        self.parts = [part for part in parts if part]

    def _repr_html_(self):
        return '<div class="raters-report">' + "\n".join(self.parts) + "</div>"

    def __repr__(self):
        text = re.sub(r"<[^>]+>", " ", re.sub(r"<img[^>]*>", "", "\n".join(self.parts)))
        return re.sub(r"[ \t]+", " ", text).strip()


def shown(text) -> str:
    """Text for the page: escaped, and control signs made visible.

    Parameters
    ----------
    text : object

    Returns
    -------
    str

    Examples
    --------
    >>> shown("<b>&\\u202e")
    '&lt;b&gt;&amp;\\ufffd'
    """
    text = str(text)
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
    return escape(text)


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph.

    Parameters
    ----------
    text : str
    kind : str
        Its class.

    Returns
    -------
    str
    """
    return f"<p{_class(kind)}>{shown(text)}</p>"


def _class(kind):
    return f' class="{kind}"' if kind else ""


def why_not(text: str) -> str:
    """Why something is not there.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return paragraph(f"Not shown. {text}", "why-not")


def heading(text: str) -> str:
    """A heading within a section.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return f"<h3>{shown(text)}</h3>"


def bullets(lines: Sequence[str], most: int = 100) -> str:
    """A list.

    Parameters
    ----------
    lines : sequence of str
    most : int
        Further ones are counted.

    Returns
    -------
    str
    """
    if not lines:
        return ""
    more = [f"and {len(lines) - most:,} more"] if len(lines) > most else []
    return "<ul>" + "".join(f"<li>{shown(x)}</li>" for x in [*lines[:most], *more]) + "</ul>"


def table(
    frame: pd.DataFrame,
    caption: str,
    columns: Mapping[str, str],
    file: str = "",
    digits: int = 2,
    most: int = _MOST_ROWS,
) -> str:
    """A table of chosen columns.

    Parameters
    ----------
    frame : DataFrame
    caption : str
    columns : mapping of str to str
        Column to heading. That of dimensions is left out where nobody named any.
    file : str
        The table's name as a CSV file, which has all of it.
    digits : int
    most : int
        Rows shown.

    Returns
    -------
    str
    """
    if len(frame) > most:
        caption = f"{caption.rstrip('.')}: the first {most} of {len(frame):,} rows."
    if "dimension" in columns and len(frame) and (frame["dimension"] == "all").all():
        columns = {c: h for c, h in columns.items() if c != "dimension"}  # there is only one
    rows = frame.head(most)
    cells = {column: _cells(rows[column], digits) for column in columns}
    kinds = {column: _kind(rows[column], column) for column in columns}
    head = "".join(f'<th scope="col"{kinds[c]}>{shown(h)}</th>' for c, h in columns.items())
    body = "\n".join(_row([(cells[c][n], kinds[c]) for c in columns]) for n in range(len(rows)))
    words = shown(caption)
    return (
        f'<div class="rt-wrap" tabindex="0" role="region" aria-label="{words}"><table>'
        f"<caption>{words}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>"
        f"</table></div>{file_link(file) if file else ''}"
    )


def _kind(column, name):
    if pd.api.types.is_numeric_dtype(column.dtype):
        return ' class="n"'
    if name == "interval":
        return ' class="whole"'
    return ' class="prose"' if column.map(lambda v: len(str(v)) > _SHORT).any() else ""


def _cells(column, digits):
    """Texts of a column; whole numbers without decimals where all are whole."""
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return ["" if pd.isna(value) else _breakable(value) for value in column]
    known = column.dropna()
    whole = len(known) and (known == known.round()).all()
    return [number(value, 0 if whole else digits) for value in column.astype(float)]


def _breakable(value):
    """A cell's text, with places to break a word that no column is wide enough for."""
    text = str(value)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    parts = re.split(rf"(\S{{{_WORD}}})", text)
    return "<wbr>".join(shown(part) for part in parts if part)


def _row(cells):
    (first, kind), *rest = cells
    return (
        f'<tr><th scope="row"{kind}>{first}</th>'
        + "".join(f"<td{kind}>{text}</td>" for text, kind in rest)
        + "</tr>"
    )


def file_link(*names: str) -> str:
    """Where the whole tables are.

    Parameters
    ----------
    *names : str
        Of CSV files, without the ending.

    Returns
    -------
    str
    """
    links = ", ".join(f'<a href="tables/{n}.csv">tables/{n}.csv</a>' for n in names)
    return f'<p class="file">All of it: {links}</p>'


def figure(chart) -> str:
    """A chart as a picture in the page, with its description in words.

    Parameters
    ----------
    chart : altair chart

    Returns
    -------
    str
    """
    import vl_convert

    from raters.show.phone import narrow

    spec = chart.to_dict()
    words, title = shown(spec["description"]), shown(spec["title"]["text"])
    wide = vl_convert.vegalite_to_svg(spec)
    slim = vl_convert.vegalite_to_svg(narrow(spec))
    width, height = _SIZE.search(wide).groups()
    return (
        f'<figure><picture><source media="screen and (max-width: {NARROW}px)" '
        f'srcset="{_data(slim)}">'
        f'<img src="{_data(wide)}" alt="Chart: {title}" width="{round(float(width))}" '
        f'height="{round(float(height))}"></picture>'
        f"<figcaption>{words}</figcaption></figure>"
    )


def _data(svg):
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
