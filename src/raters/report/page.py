"""The page and its pieces, rendered by jinja2: it escapes every text that is put in."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import unescape
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import jinja2
import pandas as pd
from markupsafe import Markup

from raters.show.tables import Table, visible

if TYPE_CHECKING:
    import altair

_MOST_ROWS = 60
_SIZE = re.compile(r'<svg[^>]*?\swidth="([\d.]+)"[^>]*?\sheight="([\d.]+)"')
_NARROW = 700  # pixels of the window below which the narrow picture is shown


class Section:
    """Part of the report: shows itself in a notebook, and is put into the page as it is.

    Parameters
    ----------
    *parts : Markup
        Pieces from this module.
    """

    def __init__(self, *parts: Markup):
        self.parts = [part for part in parts if part]

    def __html__(self) -> str:
        return '<div class="raters-report">' + "\n".join(self.parts) + "</div>"

    _repr_html_ = __html__

    def __repr__(self) -> str:
        text = unescape(re.sub(r"<[^>]+>", " ", "\n".join(self.parts)))
        return re.sub(r"[ \t]+", " ", text).strip()


class Titled(NamedTuple):
    """A section of the page under its title."""

    title: str
    content: Section

    @property
    def anchor(self) -> str:
        """The title as an address within the page."""
        return re.sub(r"[^a-z]+", "-", self.title.lower()).strip("-")


def page(sections: Sequence[Titled], title: str, made: str) -> str:
    """The page in one file that needs nothing else.

    Parameters
    ----------
    sections : sequence of Titled
    title : str
    made : str
        A line on what it was made from and with.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> text = page([Titled("In short", Section(paragraph("a < b")))], "Report", "Made here.")
    >>> '<h2 id="in-short">In short</h2>' in text, "<p>a &lt; b</p>" in text
    (True, True)
    """
    template = _environment().get_template("page.html.j2")
    return template.render(sections=sections, title=title, made=made)


@cache
def _environment():
    source = resources.files("raters.report")
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: source.joinpath(name).read_text("utf-8")),
        autoescape=True,
        finalize=_visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _visible(value):
    """What a file holds comes as plain text; what this module made is left alone."""
    return visible(value) if type(value) is str else value


@cache
def _pieces():
    return _environment().get_template("parts.html.j2").module


def paragraph(text: str, kind: str = "") -> Markup:
    """A paragraph, of a kind that the style sheet knows."""
    return _pieces().paragraph(text, kind)


def why_not(reason: str) -> Markup:
    """Why something is not there."""
    return _pieces().why_not(reason)


def heading(text: str) -> Markup:
    """A heading within a section."""
    return _pieces().heading(text)


def bullets(lines: Sequence[str], most: int = 100) -> Markup:
    """A list; lines beyond the first `most` are counted."""
    return _pieces().bullets(lines, most)


def file_link(*names: str) -> Markup:
    """Where the whole tables are: names of CSV files, without the ending."""
    return _pieces().file_link(*names)


def table(
    frame: pd.DataFrame,
    caption: str,
    columns: Mapping[str, str],
    file: str = "",
    digits: int = 2,
    most: int = _MOST_ROWS,
) -> Markup:
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
        Decimals; none where all numbers of a column are whole.
    most : int
        Rows shown.

    Returns
    -------
    Markup
    """
    if len(frame) > most:
        caption = f"{caption.rstrip('.')}: the first {most} of {len(frame):,} rows."
    if "dimension" in columns and len(frame) and (frame["dimension"] == "all").all():
        columns = {c: h for c, h in columns.items() if c != "dimension"}  # there is only one
    rows = frame[list(columns)].head(most).rename(columns=dict(columns))
    decimals = {name: 0 if _whole(rows[name]) else digits for name in rows}
    shown = Markup(Table(rows, caption, decimals).html(foreign=True))
    return shown + file_link(file) if file else shown


def _whole(column):
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return False
    known = column.dropna()
    return len(known) > 0 and bool((known == known.round()).all())


def figure(chart: altair.TopLevelMixin) -> Markup:
    """A chart as a picture in the page, with its description in words.

    Parameters
    ----------
    chart : altair chart

    Returns
    -------
    Markup
    """
    import vl_convert

    from raters.show.phone import narrow

    spec = chart.to_dict()
    wide = vl_convert.vegalite_to_svg(spec)
    slim = vl_convert.vegalite_to_svg(narrow(spec))
    width, height = (round(float(side)) for side in _SIZE.search(wide).groups())
    title, words = spec["title"]["text"], spec["description"]
    return _pieces().picture(title, words, _data(wide), _data(slim), width, height, _NARROW)


def _data(svg):
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
