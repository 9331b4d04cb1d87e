"""What files of ratings seem to hold: a proposal to check, and a warning for whatever is odd.

Nothing here decides anything: `read` goes by the `raters.toml` that the user has checked.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.io.config import LAYOUTS, Config, ScaleRules, Source, pattern_of
from raters.io.formats import FORMATS, Limits, detect, load
from raters.io.formats.base import (
    NO_NAME,
    NUMBERED,
    SHEET,
    LabelSet,
    checked_path,
    propose_encoding,
)
from raters.io.formats.cells import number
from raters.io.notes import lost_digits, nearly_same, overlap_notes
from raters.io.read import Reading, check_problems, named_paths, read_named
from raters.label_sets import labels_of
from raters.text import count_of, few, shorten

_MOST_LEVELS = 15
_LIKE_MISSING = ("NA", "N/A", "n/a", "na", "None", "none", "NULL", "null", "NaN", "nan", "-", "?")
# Words in the names of columns, in the order in which they are looked for.
_WORDS = {
    "rater": "rater annotator coder judge worker reviewer evaluator assessor participant "
    "respondent responseid user username annotatorid workerid raterid judgeid model "
    "bewerter prufer kodierer codierer gutachter juge evaluateur annotateur codeur evaluador "
    "anotador juez nutzername benutzername teilnehmer teilnehmerin versuchsperson vp kurzel",
    "item": "item itemid pair pairid conversation conversationid doc docid document documentid "
    "textid task taskid unit question questionid sample sampleid example exampleid "
    "customid stimulus artikel gesprach beitrag aufgabe fall texte article elemento caso id",
    "dimension": "dimension criterion aspect subcomponent metric attribute category control facet "
    "kriterium merkmal critere criterio",
    "rating": "rating score value label answer verdict annotation raw response output judgment "
    "judgement preferred completion code bewertung urteil wert punkte antwort note jugement "
    "valoracion puntuacion",
    "group": "group role ratertype type",
}
_PROSE = frozenset(
    "text comment comments note notes reason explanation timestamp email date time url title body "  # noqa: SIM905
    "prompt input context anmerkung anmerkungen kommentar bemerkung bemerkungen remark remarks "
    "commentaire commentaires remarque comentario comentarios".split()
)
# Beside raters, a column called like these says what the row is; one called like the second
# is made from the ratings.
_ASIDE = frozenset(
    "nr no number num nummer numero index idx lfdnr laufnr row zeile position pos order "  # noqa: SIM905
    "reihenfolge alter age edad jahr year jahrgang gruppe group grupo groupe geschlecht gender sex "
    "condition bedingung block batch page seite duration dauer trial session seed tokens length "
    "wordcount".split()
)
_AGREED = frozenset(
    "konsens consensus consenso gold goldlabel goldstandard groundtruth truth true majority "  # noqa: SIM905
    "majorityvote mehrheit majorite mayoria final finallabel adjudicated adjudication reference "
    "referenz expected".split()
)
_ADDED = frozenset("label labels score rating value vote standard ground".split())  # noqa: SIM905
_ITEM_STEMS = frozenset(
    "items q f frage fragen text antwort reply response statement aussage bild image video clip "  # noqa: SIM905
    "dialog vignette pregunta message chat stimuli".split()
)
_RATER_STEMS = frozenset(
    "r raters person p expert experte experts beurteiler beobachter observer labeler labeller a "  # noqa: SIM905
    "kodierer rep run".split()
)
_PEOPLE = frozenset("name code kode pseudonym initials initialen person email mail".split())  # noqa: SIM905
_TEXT_LIKE = 40
_MOSTLY = 0.9  # of the rows: ids may lack in some


@dataclass(frozen=True)
class Finding:
    """One thing that a user has to look at.

    Parameters
    ----------
    code : str
        What kind: ``zero, backwards, numbers-as-text, lost-digits, off-scale, duplicates,
        no-overlap, no-dimension, totals, decimal-signs, missing-or-label, encoding,
        header-rows, sheets, columns, layout, ids, pairs, previews, bad-rows, left-out, case,
        file``.
    file : str
        Empty where it is about all files.
    message : str
        What was found.
    todo : str
        What to declare or to check.
    """

    code: str
    file: str
    message: str
    todo: str

    def __str__(self):
        where = f"{self.file}: " if self.file else ""
        return f"{where}{self.message}. {self.todo}."


@dataclass(frozen=True)
class Inspection:
    """What is seen in files, and the proposed `raters.toml`.

    Parameters
    ----------
    files : DataFrame
        ``file, format, title, rows, columns, layout``.
    columns : DataFrame
        ``file, column, role, different, examples``: what each column seems to be.
    config : Config
        The proposal.
    warnings : tuple of Finding
        Whatever is suspicious.
    comments : dict
        Comments for `Config.to_toml`, by place.
    """

    files: pd.DataFrame
    columns: pd.DataFrame
    config: Config
    warnings: tuple[Finding, ...]
    comments: dict

    def to_toml(self) -> str:
        """The proposed `raters.toml`, with the warnings as comments."""
        return self.config.to_toml(self.comments)

    def save(self, path, overwrite: bool = False) -> Path:
        """Write the proposed `raters.toml`; see `Config.save`."""
        return self.config.save(path, self.comments, overwrite)

    def to_dict(self) -> dict:
        """Everything, for machines."""
        return {
            "files": self.files.to_dict("records"),
            "columns": self.columns.to_dict("records"),
            "warnings": [asdict(warning) for warning in self.warnings],
            "toml": self.to_toml(),
        }

    def __repr__(self):
        return str(self)

    def __str__(self):
        lines = []
        for row in self.files.itertuples():
            lines.append(
                f"{row.file}: {row.title}, {count_of(row.rows, 'row')}; {LAYOUTS[row.layout]}"
            )
            for one in self.columns[self.columns["file"] == row.file].head(20).itertuples():
                lines.append(
                    f"  {one.column}: {one.role or '-'} ({one.different} different: {one.examples})"
                )
            more = (self.columns["file"] == row.file).sum() - 20
            if more > 0:
                lines.append(f"  and {more:,} more columns")
        if self.config.scale:
            levels = shorten(", ".join(map(str, self.config.scale.levels)), 200)
            lines.append(f"Scale, as a proposal: {levels} ({self.config.scale.measurement})")
        for name, rules in self.config.scales.items():
            levels = shorten(", ".join(map(str, rules.levels)), 200)
            lines.append(f"Scale of {name}, as a proposal: {levels}")
        lines.append("")
        lines.append(f"{count_of(len(self.warnings), 'warning')}{':' if self.warnings else ''}")
        lines += [f"- {warning}" for warning in self.warnings]
        return "\n".join(lines)


def inspect(paths, limits: Limits | None = None) -> Inspection:
    """Look at files of ratings and propose how to read them.

    Parameters
    ----------
    paths : str, Path or sequence of them
    limits : Limits, optional
        How long a line and how big a document may be.

    Returns
    -------
    Inspection

    Raises
    ------
    RatingsError
        A file that is not there or damaged, or in which no column can hold ratings.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,ann,bob\\na,1,2\\nb,3,3\\nc,5,4\\nd,2,2\\n")
    >>> seen = inspect(path)
    >>> seen.config.files[0].layout, seen.config.scale.levels
    ('wide-by-rater', (1, 2, 3, 4, 5))
    """
    named = named_paths(paths)
    looks = [_look(path, name, limits or Limits()) for path, name in named]
    _match_items(looks)
    warnings = [one for look in looks for one in look.warnings]
    scale, scales, found, comments = _scales(looks)
    warnings += found
    sources, answers = _declarations(looks)
    config = Config(sources, scale, scales, answers=answers)
    together, doubtful = _together(named, config, limits or Limits(), _reusable(looks))
    warnings += together + _other_dimensions(looks) + _other_ids(looks)
    # A 0 that may mean "not rated" is no level until somebody says so: reading stops there.
    config = replace(
        config,
        scale=_without_zero(config.scale, doubtful),
        scales={
            name: _without_zero(rules, {name} & doubtful) for name, rules in config.scales.items()
        },
    )
    comments["groups"] = _who(looks)
    comments["top"] = ["", *(f"Look at this: {w}" for w in warnings)] if warnings else []
    files = pd.DataFrame(
        [
            (
                x.name,
                x.source.format,
                FORMATS[x.source.format].title,
                x.table.size,
                len(x.table.names),
                x.source.layout,
            )
            for x in looks
        ],
        columns=["file", "format", "title", "rows", "columns", "layout"],
    )
    columns = pd.DataFrame(
        [row for look in looks for row in look.about()],
        columns=["file", "column", "role", "different", "examples"],
    )
    return Inspection(files, columns, config, tuple(warnings), comments)


def read_as_proposed(
    paths,
    rules: ScaleRules,
    groups: Mapping[str, Sequence[str]] | None = None,
    drop_at_most: int = 0,
    limits: Limits | None = None,
) -> tuple[Reading, tuple[Finding, ...]]:
    """Read files on a declared scale, with the columns that `inspect` proposes.

    Parameters
    ----------
    paths : str, Path or sequence of them
    rules : ScaleRules
        The scale of every dimension.
    groups : mapping of str to list, optional
        As in `Config`.
    drop_at_most : int
        As in `read`.
    limits : Limits, optional
        As in `inspect`.

    Returns
    -------
    Reading
    tuple of Finding
        What is suspicious. Each file is read once: what `inspect` finds by reading the
        files again comes from the reading itself.

    Raises
    ------
    RatingsError
        As `inspect` and `read`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,ann,bob\\na,1,2\\nb,3,3\\n")
    >>> reading, warnings = read_as_proposed(path, ScaleRules([1, 2, 3]))
    >>> reading.config.files[0].layout, len(reading.ratings), warnings
    ('wide-by-rater', 4, ())
    """
    limits = limits or Limits()
    named = named_paths(paths)
    looks = [_look(path, name, limits) for path, name in named]
    _match_items(looks)
    sources, answers = _declarations(looks)
    config = Config(sources, rules, groups=groups or {}, answers=answers)
    reading = read_named(named, config, None, limits, _reusable(looks))
    rated = [name for _, name in named if _holds_ratings(config.source_of(name))]
    found, _ = _of_reading(reading, rated)
    check_problems(reading.problems, drop_at_most)
    return reading, tuple([one for look in looks for one in look.warnings] + found)


def _declarations(looks):
    """The proposed ``[[files]]`` tables and ``[answers]``."""
    sources = _merged([replace(look.source, columns=_short(look)) for look in looks])
    free = any(not _holds_ratings(source) for source in sources)
    return sources, {"kind": _answer_kind(looks)} if free else {}


def _reusable(looks):
    """Tables that need not be read again: of formats with the same rows for any columns."""
    return {look.name: look.table for look in looks if not FORMATS[look.source.format].columns}


# ------------------------------------------------------------------------- one file
@dataclass
class _Look:
    name: str
    table: object
    source: Source
    warnings: list
    profiles: dict

    def about(self):
        """A row for each column: its role and some of its cells."""
        roles = {
            getattr(self.source, r): r for r in ("item", "rater", "dimension", "rating", "group")
        }
        for column in self.table.names:
            profile = self.profiles.get(column)
            role = roles.get(column, "rating" if column in self.source.columns else "")
            cells = few([cell for cell, _ in profile.counts.most_common(4)], 4) if profile else ""
            yield self.name, column, role, len(profile.counts) if profile else 0, cells


_GLOSSED = re.compile(r"(\d|[1-9]\d) *(?:[-–—:=.(]) *\D.*")


def _glosses(cells):
    """Cells such as "4 - agree" and their numbers, where each number has one such spelling."""
    found = {cell: float(m[1]) for cell in cells if (m := _GLOSSED.fullmatch(cell))}
    return found if len(set(found.values())) == len(found) else {}


_ID = re.compile(r"0\d+$")  # 007 is no rating


def _text_of(cell):
    """A cell's text; a list of several labels stays one (`LabelSet`)."""
    if isinstance(cell, LabelSet):
        labels = labels_of(cell)
        return cell if len(labels) > 1 else "".join(labels)
    return "" if cell is None else cell.strip()


def _labels_in(text):
    return labels_of(text) if isinstance(text, LabelSet) else {p.strip() for p in text.split(";")}


class _Profile:
    """The different cells of a column and how often they occur."""

    def __init__(self, cells):
        self.counts = Counter()
        for cell, n in Counter(cells).items():  # each different cell is looked at once
            if text := _text_of(cell):
                self.counts[text] += n
        self.filled = sum(self.counts.values())
        self.empty = len(cells) - self.filled
        self.longest = max(map(len, self.counts), default=0)
        self._numbers = {}

    def numbers(self, decimal):
        if decimal not in self._numbers:
            found = {}
            for cell, n in self.counts.items():
                value = number(cell, decimal)
                if value is not None:
                    found[value] = found.get(value, 0) + n
            self._numbers[decimal] = found
        return self._numbers[decimal]

    def labels(self):
        return {part for cell in self.counts for part in _labels_in(cell)} - {""}

    def numeric(self, decimal):
        return self.filled > 0 and sum(self.numbers(decimal).values()) >= 0.8 * self.filled

    def like_numbers(self, decimal):
        """Numbers, perhaps with their meaning behind them: "1 (not at all)"."""
        known = sum(self.numbers(decimal).values())
        glossed = sum(self.counts[cell] for cell in _glosses(self.counts))
        return self.filled > 0 and known + glossed >= 0.8 * self.filled

    def on_half_steps(self, decimal):
        return all(float(2 * value).is_integer() for value in self.numbers(decimal))

    def like_rating(self, decimal):
        """Whether the cells could be ratings: few different ones, or numbers on a short scale."""
        if not self.filled or any(_ID.match(cell) for cell in self.counts):
            return False
        if self.numeric(decimal):
            values = self.numbers(decimal)
            return len(values) <= 101 and max(map(abs, values)) <= 1000
        return len(self.counts) <= _MOST_LEVELS and self.longest <= _TEXT_LIKE


def _look(path, name, limits) -> _Look:
    warnings = []
    encoding = ""
    try:
        format_ = detect(path)
    except RatingsError:
        # Text without a byte order mark may still be one of two kinds of UTF-16.
        encoding, doubt = propose_encoding(checked_path(path))
        if not encoding.startswith("utf-16"):
            raise
        warnings.append(Finding("encoding", name, doubt, "Check the texts for odd signs"))
        format_ = detect(path, Source(encoding=encoding))
    if format_ not in ("excel", "parquet") and not encoding and not _archive(path):
        encoding, doubt = propose_encoding(path)
        if doubt:
            warnings.append(Finding("encoding", name, doubt, "Check the texts for odd signs"))
    source = Source(name=name, format=format_, encoding=encoding)
    source, table = _load(path, source, limits, warnings, name)
    if not table.size and not table.problems:
        raise RatingsError(
            f"{name} without a single row",
            "a header, and a rating or more below it",
            "check that the file is whole; rows above the header: rows_before_header",
        )
    profiles = {column: _Profile(cells) for column, cells in table.columns.items()}
    decimal = _decimal(profiles, name, warnings)
    look = _Look(name, table, replace(source, decimal=decimal), warnings, profiles)
    _roles(look)
    _row_warnings(look)
    return look


def _archive(path):
    with open(path, "rb") as file:
        return file.read(2) == b"PK"


def _load(path, source, limits, warnings, name):
    """The table, read again with three header rows where a survey platform wrote them."""
    if source.format == "csv":
        from raters.io.formats.text_tables import sniff

        source = replace(source, delimiter=sniff(path, source.encoding, limits))
    if source.format == "excel":
        source = _with_sheets(path, source, limits, warnings, name)
    table = load(path, source, None, limits)
    if source.format not in ("csv", "excel"):
        return source, table
    source, table = _below_title(path, source, table, limits, warnings, name)
    if _import_ids(table):
        source = replace(source, header_rows=3)
        table = load(path, source, None, limits)
        warnings.append(
            Finding(
                "header-rows",
                name,
                "three header rows, as Qualtrics writes them",
                "The second and third are left out (header_rows = 3)",
            )
        )
    elif second := _second_header(table):
        # Names with gaps, or the same ones again, are half of a name; others stand alone.
        join = _free_sign(table) if second == "half" else ""
        below = replace(source, header_rows=source.header_rows + 1, header_join=join)
        found = load(path, below, None, limits)
        if join:
            said = f"two header rows, joined to names such as {few(found.names[1:3])}"
            todo = "Check which part is the rater and which the dimension (names)"
        else:
            cells = [column[0] for column in table.columns.values() if column and column[0]]
            said = f"a second header row: {few(cells[:3])}"
            todo = "Left out (header_rows = 2)"
        warnings.append(Finding("header-rows", name, said, todo))
        source, table = below, found
    return source, table


def _below_title(path, source, table, limits, warnings, name):
    """The table without the lines above its header, where most rows are wider than the first."""
    wider = [line for line, _, _, reason in table.problems if _WIDER.match(reason)]
    if len(wider) <= table.size or wider[0] > _TITLE_UP_TO:
        return source, table
    below = replace(source, rows_before_header=wider[0] - 1)
    try:
        again = load(path, below, None, limits)
    except RatingsError:
        return source, table
    if len(again.problems) >= len(table.problems):
        return source, table
    said = f"{count_of(wider[0] - 1, 'line')} above the names of the columns"
    todo = "Left out (rows_before_header)"
    warnings.append(Finding("header-rows", name, said, todo))
    return below, again


_WIDER = re.compile(r"\d+ fields where \d+ are expected|cells beyond the \d+ named columns")
_TITLE_UP_TO = 30  # lines


def _with_sheets(path, source, limits, warnings, name):
    """All sheets where several hold the same columns; otherwise the first, with a warning."""
    from raters.io.formats.binary_tables import sheet_headers

    headers = sheet_headers(path, limits)
    first = next(iter(headers), "")
    alike = [sheet for sheet, names in headers.items() if names == headers[first]]
    others = [sheet for sheet in headers if sheet not in alike]
    if len(alike) > 1:
        said = f"{len(alike)} sheets with the same columns: {few(alike, 5)}"
        todo = "They are read together (sheets); the name of the sheet is taken for the rater"
        source = replace(source, sheets=("*",) if not others else tuple(alike))
        warnings.append(Finding("sheets", name, said, todo))
    if others:
        said = f"the sheet{'s' * (len(others) > 1)} {few(others, 5)} with other columns"
        warnings.append(Finding("sheets", name, said, "Not read; sheet = '...' chooses another"))
    return source


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
    if len(first) < 2 or any(cell[:1].isdigit() or cell in _LIKE_MISSING for cell in first):
        return ""
    if any(NO_NAME in note or NUMBERED in note for note in table.notes):
        return "half"
    return "whole" if len(first) == len(numbers) else ""


def _is_number(cell):
    return cell is not None and (number(cell) is not None or number(cell, ",") is not None)


def _free_sign(table):
    """A sign that stands in no name, to join the header rows with."""
    cells = [c[0] or "" for c in table.columns.values()] + table.names
    return next((s for s in ("_", "-", "|", "/") if not any(s in c for c in cells)), " :: ")


def _import_ids(table):
    return any(
        '"ImportId"' in (cell or "") for cells in table.columns.values() for cell in cells[:2]
    )


_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d{1,2}")
_DECIMAL_POINT = re.compile(r"[-+]?\d+\.\d+")


def _decimal(profiles, name, warnings):
    commas = points = 0
    for profile in profiles.values():
        c = sum(n for cell, n in profile.counts.items() if _DECIMAL_COMMA.fullmatch(cell))
        p = sum(n for cell, n in profile.counts.items() if _DECIMAL_POINT.fullmatch(cell))
        commas, points = commas + c, points + p
    if commas and points:
        warnings.append(
            Finding(
                "decimal-signs",
                name,
                f"{commas} numbers with a decimal comma and {points} with a point",
                "One of the two has to be corrected in the file: decimal = ',' or '.'",
            )
        )
    return "," if commas > points else "."


def _bare(name):
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z]", "", plain)


def _named(names, role, taken=()):
    """The column whose name is the likeliest for a role."""
    bare = {name: _bare(name) for name in names if name not in taken}
    for word in _WORDS[role].split():
        for name, text in bare.items():
            if text == word:
                return name
    return ""


def _roles(look):
    """Propose the layout and the columns."""
    source, table = look.source, look.table
    known = FORMATS[source.format].columns
    if known:
        look.source = _known_columns(look, known)
        return
    names = table.names
    if source.header_join:
        _two_headers(look)
        return
    filled = {name: profile.filled for name, profile in look.profiles.items()}
    sparse = {name for name, n in filled.items() if 2 * n < table.size}
    # One of many numbered columns, such as item_1, is no column with ids.
    family = _family(look)
    sparse |= set(family)
    rater = _named(names, "rater", _like_each_other(look) | sparse)
    if source.sheets and not rater:
        rater = SHEET
    item = _named(names, "item", {rater} | sparse)
    like = [name for name in _ratings_like(look) if not _counts_rows(look, name)]
    taken = {rater, item, *family} | {name for name, n in filled.items() if not n}
    rating = _named(names, "rating", taken)
    while rating and _is_what_was_rated(look, rating, rater, item, like):
        taken.add(rating)
        rating = _named(names, "rating", taken)
    dimension = _named(names, "dimension", {rater, item, rating} | sparse)
    if source.header_rows == 3:
        _survey(look, rater)
        return
    if _bare(names[0] if names else "") in ("timestamp", "zeitstempel", "horodateur"):
        _form(look)
        return
    if len(family) > 2 and not rating and (respondent := _respondent(look, family, rater, item)):
        free = _one_kind(look, [name for name in like if name != respondent], "wide-by-item")
        look.source = replace(source, layout="wide-by-item", rater=respondent, columns=tuple(free))
        return
    group = _named(names, "group", {rater, item, rating, dimension}) if rater else ""
    if rating:
        look.source = _long(look, item, rater, dimension, rating, group)
        return
    if not rater and (crossed := _crossed(look)):
        item, rater = crossed
    free = [name for name in like if name not in (rater, item, group)]
    if rater and not item and len(look.profiles[rater].counts) < filled[rater]:
        # A rater in several rows: something else names the items.
        item = _id_like(look, [group], rater)
        free = [name for name in free if name != item]
    if rater and item and len(free) == 1:
        look.source = _long(look, item, rater, dimension, free[0], group)
        return
    if rater and item:
        layout = "wide-by-dimension"
    elif rater:
        layout = "wide-by-item"
        free = _one_kind(look, [n for n in like if n not in (rater, group)], layout)
    else:
        item = item or _id_like(look, free)
        layout = "wide-by-rater"
        free = _one_kind(look, [n for n in like if n != item], layout)
        if set(free) & set(family) and not _stem_in(family, "rater", _RATER_STEMS):
            _two_ways(look, family, layout)
    used = {*free, rater, item}
    counting = [n for n in look.profiles if n not in used and _counts_rows(look, n)]
    if counting:
        said = f"{few(counting, 5)}: the numbers of the rows"
        todo = "Not proposed as ratings; add them to columns if they are"
        look.warnings.append(Finding("columns", look.name, said, todo))
    if not free:
        raise RatingsError(
            f"{look.name}, in which no column looks like ratings",
            f"a column with ratings; the columns: {few(names)}",
            "write raters.toml by hand: item, rater, rating, or a wide layout with columns",
        )
    look.source = replace(
        source,
        layout=layout,
        item=item if layout != "wide-by-item" else "",
        rater=rater if layout != "wide-by-rater" else "",
        group=group if layout != "wide-by-rater" else "",
        columns=tuple(free),
    )


def _two_headers(look):
    """Columns whose names were joined from two rows: a rater and a dimension, most likely."""
    source, sign = look.source, look.source.header_join
    # What is called alike below several names is a dimension; the others say what the row is.
    last = Counter(name.rpartition(sign)[2] for name in look.table.names if sign in name)
    free = [n for n in _ratings_like(look) if sign in n and last[n.rpartition(sign)[2]] > 1]
    rater = SHEET if source.sheets else ""
    names = f"{{dimension}}{sign}{{item}}" if rater else f"{{rater}}{sign}{{dimension}}"
    item = _named(look.table.names, "item", free) or _id_like(look, free)
    look.source = replace(
        source,
        layout="wide-by-name",
        names=names,
        columns=tuple(free),
        item="" if rater else item,
        rater=rater,
    )


def _crossed(look):
    """(item, rater): two columns that come back in other rows, and together never do.

    Nearly each of the one occurs with each of the other, and there are more items.
    """
    size = look.table.size
    back = {
        name: len(profile.counts)
        for name, profile in look.profiles.items()
        if profile.filled >= _MOSTLY * size
        and 1 < len(profile.counts) <= profile.filled / 2
        and not profile.like_rating(look.source.decimal)
    }
    # Few raters look like labels; ids of items never do.
    people = [
        name
        for name, profile in look.profiles.items()
        if 1 < len(profile.counts) <= _MOST_LEVELS
        and profile.filled >= _MOSTLY * size
        and not profile.numbers(look.source.decimal)
    ]
    for item, n_items in back.items():
        for rater in people:
            n_raters = len(look.profiles[rater].counts)
            if item != rater and n_raters < n_items and size >= 0.7 * n_items * n_raters:
                pairs = set(zip(look.table.columns[item], look.table.columns[rater]))
                if len(pairs) >= _MOSTLY * size:
                    return item, rater
    return None


def _like_each_other(look):
    """Columns called like raters that hold the same few cells as another one: ratings."""
    words = set(_WORDS["rater"].split())
    like = {
        n: set(p.counts) for n, p in look.profiles.items() if p.like_rating(look.source.decimal)
    }
    return {
        name
        for name, own in like.items()
        if _bare(name) in words
        and any(
            len(own & other) >= 0.5 * len(own | other) for n, other in like.items() if n != name
        )
    }


def _ratings_like(look):
    """Columns that could hold ratings. Prose is none: cells of which no two are alike, or a
    few words in some rows that no other column holds.
    """
    decimal = look.source.decimal
    few_cells = [p for p in look.profiles.values() if len(p.counts) <= _MOST_LEVELS]
    columns_with = Counter(label for profile in few_cells for label in profile.labels())
    found = []
    for name, profile in look.profiles.items():
        if _bare(name) in _PROSE or not profile.like_rating(decimal):
            continue
        labels = profile.labels()
        alone = len(profile.counts) == profile.filled > 4
        rare = 2 * profile.filled < look.table.size
        shared = 2 * sum(columns_with[label] > 1 for label in labels) >= len(labels)
        if profile.numeric(decimal) or shared or not (alone or rare):
            found.append(name)
    return found


_NUMBERED_NAME = re.compile(r"(.*?\D)[ _.\-]*(\d+)")


def _family(look):
    """The most columns whose names are one stem with numbers, such as item_1, and could be
    ratings: name of column -> stem.
    """
    stems = {}
    for name in look.table.names:
        if match := _NUMBERED_NAME.fullmatch(name.strip()):
            stems.setdefault(_bare(match[1]) or match[1], {})[name] = int(match[2])
    families = [f for f in stems.items() if len(set(f[1].values())) > 1]
    if not families:
        return {}
    stem, columns = max(families, key=lambda f: len(f[1]))
    decimal = look.source.decimal
    return {
        name: stem
        for name in columns
        if (profile := look.profiles[name]).like_rating(decimal) or profile.like_numbers(decimal)
    }


def _stem_in(family, role, more):
    return bool(family) and next(iter(family.values())) in more | set(_WORDS[role].split())


def _respondent(look, family, rater, item):
    """The column that names the respondent where numbered columns are items; otherwise empty."""
    if rater or not _stem_in(family, "item", _ITEM_STEMS):
        return ""
    if item and _bare(item) not in ("id", "fall", "caso"):
        return ""  # a row an item: the numbered columns are something else
    others = [n for n in look.table.names if n not in family]
    size = look.table.size
    new = [n for n in others if len(look.profiles[n].counts) == size]
    if not new:
        return ""
    first = item if item in new else new[0]
    stem = next(iter(family.values()))
    sure = _bare(first) in _PEOPLE or stem in ("item", "items", "frage", "question", "aufgabe")
    if not sure:
        _two_ways(look, family, "wide-by-item")
    return first


def _two_ways(look, family, layout):
    names = list(family)
    said = (
        f"it cannot be told what the columns {names[0]!r} to {names[-1]!r} are: {layout} is a guess"
    )
    todo = (
        "Are they raters, with a row an item (layout = 'wide-by-rater', item = the first column), "
        "or items, with a row a respondent (layout = 'wide-by-item', rater = the first column)? "
        "Write the right one"
    )
    look.warnings.append(Finding("layout", look.name, said, todo))


def _counts_rows(look, name):
    """Whether a column holds 1 to n or 0 to n - 1 in the order of the rows."""
    size = look.table.size
    profile = look.profiles[name]
    least = 3 if _bare(name) in _ASIDE | {"id", ""} else 5
    if size < least or len(profile.counts) != size:
        return False
    values = [number(cell) if cell else None for cell in look.table.columns[name]]
    return values[0] in (0, 1) and values == [values[0] + n for n in range(size)]


def _is_what_was_rated(look, rating, rater, item, like):
    """Whether a column that is called like answers holds the texts that were rated: other texts
    in nearly every row beside columns with numbers, or one text for each item.
    """
    profile, decimal = look.profiles[rating], look.source.decimal
    new = len(profile.counts) == profile.filled
    if not rater and new and not profile.like_numbers(decimal) and len(_family(look)) > 2:
        return True  # a code for each respondent
    if profile.like_rating(decimal) or profile.numeric(decimal) or not profile.filled:
        return False
    numeric = [n for n in like if n not in (rater, item) and look.profiles[n].numeric(decimal)]
    numeric = [n for n in numeric if _bare(n) not in _ASIDE]
    if not rater:
        return len(numeric) > 1 and new
    back = 2 * len(profile.counts) <= profile.filled
    if not numeric or not back:
        return False
    pairs = set(zip(look.table.columns[rating], look.table.columns[item or rater]))
    return len(pairs) == (len(look.profiles[item].counts) if item else look.table.size)


def _elsewhere(look, names):
    """Columns most of whose numbers lie far from those of most other columns."""
    decimal = look.source.decimal
    found = {}
    for name in names:
        if values := look.profiles[name].numbers(decimal):
            found[name] = values
    some = list(found)[:: max(1, len(found) // 20)]
    ranges = {name: (min(found[name]), max(found[name])) for name in some}
    far = []
    for name, values in found.items():
        others = [ranges[other] for other in some if other != name]
        half = sum(values.values()) / 2
        n_far = 0
        for low, high in others:
            span = max(high - low, 4)
            n_far += sum(n for v, n in values.items() if v < low - span or v > high + span) > half
        if len(others) > 1 and 2 * n_far > len(others):
            far.append(name)
    return far


def _made_from_others(name):
    words = [_bare(word) for word in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", name)]
    words = [word for word in words if word]
    return bool(words) and (
        _bare(name) in _AGREED
        or (any(w in _AGREED for w in words) and all(w in _AGREED | _ADDED for w in words))
    )


def _without(look, names, dropped, said):
    """The names without some of them, which a warning names; all where nothing would remain."""
    kept = [name for name in names if name not in dropped]
    dropped = [name for name in names if name in dropped]  # in their order
    if not dropped:
        return names
    todo = "Not proposed as ratings; add them to columns if they are"
    if not kept:
        kept, todo = names, "Check that they are ratings"
    look.warnings.append(Finding("columns", look.name, f"{few(dropped, 5)}: {said}", todo))
    return kept


def _one_kind(look, names, layout=""):
    """The columns that share one scale: numbers or labels, and no means of the others."""
    decimal = look.source.decimal
    if layout:
        aside = {name for name in names if _bare(name) in _ASIDE}
        said = "called like a number, an age or a group"
        names = _without(look, names, aside, said)
        said = "numbers far from those in the other columns"
        names = _without(look, names, set(_elsewhere(look, names)), said)
    if layout == "wide-by-rater":
        said = "called like a consensus or a reference, which is no rater's own rating"
        names = _without(look, names, {n for n in names if _made_from_others(n)}, said)
    of_numbers = {name: look.profiles[name].like_numbers(decimal) for name in names}
    most = 2 * sum(of_numbers.values()) >= len(names)
    kept = [name for name in names if of_numbers[name] == most]
    plain = [n for n in kept if most and look.profiles[n].on_half_steps(decimal)]
    if len(plain) >= 2:
        kept = plain
    kept = [name for name in kept if _bare(name) not in _TOTALS] or kept
    stays = set(kept)
    dropped = [name for name in names if name not in stays]
    if dropped:
        said = f"{few(dropped, 5)}: other cells than in the other columns, or means of them"
        todo = "Not proposed as ratings; add them to columns if they are"
        look.warnings.append(Finding("columns", look.name, said, todo))
    return kept


def _known_columns(look, known):
    source = replace(look.source, **known)
    if look.source.format in ("openai-batch", "promptfoo"):
        source = replace(source, answers=True)
    if look.source.format == "inspect":
        values = look.profiles.get("value")
        if values is None or not values.filled:
            source = replace(source, rater="model", rating="completion", answers=True)
    if "rater" not in known:
        source = replace(source, rater_from_file="{rater}.*")
    return source


_VERDICTS = frozenset("verdict winner preferred preference choice better answer".split())  # noqa: SIM905
_POSITION = re.compile(r"\W*(?:[\w ]+:\W*)?(?:(a|first|1st)|(b|second|2nd)|(c|tie|equal|both))\W*")


def _like_verdicts(profile):
    """Whether nearly all cells are one of two positions in a pair, or a tie."""
    found = [(m, n) for c, n in profile.counts.items() if (m := _POSITION.fullmatch(c.lower()))]
    both = any(m[1] for m, _ in found) and any(m[2] for m, _ in found)
    return both and sum(n for _, n in found) >= 0.8 * profile.filled


def _long(look, item, rater, dimension, rating, group):
    profile = look.profiles[rating]
    decimal = look.source.decimal
    numbers = [cell for cell in profile.counts if number(cell, decimal) is not None]
    others = [cell for cell in profile.counts if number(cell, decimal) is None]
    # "3-4" or "2 (minor errors)" beside plain numbers: somebody wrote freely.
    # Where nearly all are plain numbers, the others are damaged cells.
    plain = sum(profile.counts[cell] for cell in numbers) >= 0.8 * profile.filled
    mixed = bool(numbers) and not plain and any(re.search(r"\d", cell) for cell in others)
    spoken = any(re.search(r"[{\n]|\b(?:score|rating)\b", cell, re.I) for cell in others)
    free_text = mixed or spoken or not profile.like_rating(decimal)
    by_file = {} if rater else {"rater_from_file": "{rater}.*"}
    first = next((n for n in look.table.names if _bare(n) in ("first", "systema", "modela")), "")
    second = next((n for n in look.table.names if _bare(n) in ("second", "systemb", "modelb")), "")
    if first and second:
        by_file |= {"first": first, "second": second}
        free_text = False
    elif (free_text or _bare(rating) in _VERDICTS) and _like_verdicts(profile):
        shown = few([cell for cell, _ in profile.counts.most_common(3)], 3)
        said = f"verdicts such as {shown}: positions in pairs, perhaps"
        todo = (
            "If so, declare the columns with the systems that stood there (first, second) and "
            "kind = 'pair' in [answers]; otherwise they are labels"
        )
        look.warnings.append(Finding("pairs", look.name, said, todo))
    return replace(
        look.source,
        item=item or _id_like(look, [rating, group], rater, dimension),
        rater=rater,
        rating=rating,
        dimension=dimension,
        group=group,
        answers=free_text,
        **by_file,
    )


def _id_like(look, taken, *others):
    """A column that could name the items: nearly always filled, and with the `others` (the
    columns of raters and dimensions) different in nearly every row. Prose, such as a comment,
    names them only where nothing else does. Empty: none does.
    """
    size = look.table.size
    others = [name for name in others if name in look.profiles]
    filled = [
        name
        for name, profile in look.profiles.items()
        if name not in (*taken, *others) and profile.filled >= max(1, _MOSTLY * size)
    ]
    # An id that comes back for another rater goes before one that is new in each row.
    new = {name: len(look.profiles[name].counts) == look.profiles[name].filled for name in filled}
    filled.sort(key=lambda name: (_bare(name) in _PROSE, bool(others) and new[name]))
    for name in filled:
        columns = [look.table.columns[one] for one in (name, *others)]
        if new[name] or (others and len(set(zip(*columns))) >= _MOSTLY * size):
            return name
    return ""


def _survey(look, rater):
    """Qualtrics: a row for each respondent, questions in columns."""
    names = look.table.names
    # Loop & Merge puts the number of the loop before the question: 1_Q5_2.
    questions = [n for n in names if re.match(r"(?:\d+_)?Q\w*\d", n) or n.startswith("QID")]
    like = _one_kind(look, [n for n in _ratings_like(look) if n in questions])
    leave = {}
    for column in ("Status", "DistributionChannel"):
        counts = look.profiles[column].counts if column in names else ()
        previews = [cell for cell in counts if "preview" in cell.lower() or cell == "Spam"]
        if previews:
            leave[column] = tuple(previews)
            n = sum(look.profiles[column].counts[c] for c in previews)
            look.warnings.append(
                Finding(
                    "previews",
                    look.name,
                    f"{count_of(n, 'row')} with {column} {few(previews)}",
                    "They are left out as the author's own tests (leave_out)",
                )
            )
    if "Finished" in names:
        unfinished = sum(look.profiles["Finished"].counts[c] for c in ("False", "FALSE", "0"))
        if unfinished:
            look.warnings.append(
                Finding(
                    "previews",
                    look.name,
                    f"{count_of(unfinished, 'unfinished response')}",
                    "They are kept with the ratings that they hold; leave_out can change that",
                )
            )
    id_ = "ResponseId" if "ResponseId" in names else rater
    loops = [re.fullmatch(r"\d+_(Q\w*?)_\d+", name) for name in like]
    layout = {"layout": "wide-by-item"}
    if like and all(loops) and len({loop[1] for loop in loops}) == 1:
        layout = {"layout": "wide-by-name", "names": f"{{item}}_{loops[0][1]}_{{dimension}}"}
    look.source = replace(look.source, rater=id_, columns=tuple(like), leave_out=leave, **layout)


def _form(look):
    """Google Forms: a row for each respondent, the first column a time."""
    names = look.table.names
    address = next((n for n in names if "mail" in n.lower() or n.lower() == "name"), "")
    numeric = {n for n, p in look.profiles.items() if p.like_numbers(look.source.decimal)}
    address = address or _named(names, "rater", numeric)
    like = _one_kind(look, [n for n in _ratings_like(look) if n not in (names[0], address)])
    look.source = replace(
        look.source, layout="wide-by-item", rater=address or names[0], columns=tuple(like)
    )
    if not address:
        look.warnings.append(
            Finding(
                "file",
                look.name,
                "a form without a column that names the respondent",
                "The time of the answer stands for the rater; two may share one",
            )
        )


def _row_warnings(look):
    table = look.table
    if table.problems:
        line, column, value, reason = table.problems[0]
        look.warnings.append(
            Finding(
                "bad-rows",
                look.name,
                f"{count_of(len(table.problems), 'row')} that cannot be read; "
                f"the first in line {line}: {reason}",
                "Correct them, or say how many may be dropped (drop_at_most)",
            )
        )
    for reason, n in table.left_out.items():
        if reason not in ("extra header row", "empty row", "row before the header"):
            look.warnings.append(
                Finding("left-out", look.name, f"{n} left out: {reason}", "They are no ratings")
            )
    for note in table.notes:
        if NO_NAME in note or NUMBERED in note:
            todo = "Name the columns in the file, or see header_rows and header_join"
            look.warnings.append(Finding("header-rows", look.name, note, todo))
        if "numbers or words as text" in note:
            look.warnings.append(
                Finding("numbers-as-text", look.name, note, "Both are read by their value")
            )
    for role in ("item", "rater"):
        column = getattr(look.source, role)
        if column in look.profiles:
            sums = [cell for cell in look.profiles[column].counts if _bare(cell) in _TOTALS]
            if sums:
                said = f"the {role} {few(sums, 3)}: a row with sums or means, perhaps"
                todo = f"Take it out: leave_out = {{{_quoted(column)} = {_listed(sums)}}}"
                look.warnings.append(Finding("totals", look.name, said, todo))
            for note in lost_digits(list(look.profiles[column].counts), role):
                look.warnings.append(
                    Finding("lost-digits", look.name, note, f"Look at the column {column!r}")
                )


_TOTALS = frozenset(
    "mean means average avg median total totals sum sd std count mittelwert durchschnitt summe "  # noqa: SIM905
    "gesamt moyenne somme media suma".split()
)


def _quoted(text):
    return json.dumps(text, ensure_ascii=False)


def _listed(texts):
    return json.dumps(texts[:3], ensure_ascii=False)


# ------------------------------------------------------------------------- all files
def _short(look):
    """All columns of a wide table that are ratings; a pattern where there are very many."""
    columns = look.source.columns
    if len(columns) <= 40:
        return columns
    stem = re.match(r"\D*", columns[0]).group()
    if stem and all(c.startswith(stem) for c in columns) and not any(
        n.startswith(stem) for n in look.table.names if n not in columns
    ):  # fmt: skip
        return (f"{stem}*",)
    return columns


def _merged(sources):
    """One table for files that are read alike."""
    merged: dict = {}
    for source in sources:
        merged.setdefault(replace(source, name="*").__repr__(), []).append(source)
    result = []
    for alike in merged.values():
        names = [source.name for source in alike]
        suffixes = {Path(name).suffix for name in names}
        if len(alike) > 1 and len(merged) == 1:
            result.append(
                replace(alike[0], name="*" + (suffixes.pop() if len(suffixes) == 1 else ""))
            )
        else:
            result += alike
    return result


def _answer_kind(looks):
    """The kind of rule for free text: JSON where most answers hold an object."""
    texts = []
    for look in looks:
        if look.source.answers and look.source.rating in look.profiles:
            texts += list(look.profiles[look.source.rating].counts)[:200]
    if looks and all(x.source.first for x in looks if not _holds_ratings(x.source)):
        return "pair"
    objects = sum("{" in text and "}" in text for text in texts)
    return "json" if texts and objects > len(texts) / 2 else "number"


def _rating_cells(look):
    """The cells with ratings by dimension: (dimension, Counter)."""
    source, table = look.source, look.table
    if source.first or source.answers:
        return {}
    if source.layout == "wide-by-dimension":
        return {name: look.profiles[name].counts for name in source.columns}
    if source.layout != "long":
        total = Counter()
        for name in source.columns:
            total += look.profiles[name].counts
        return {"all": total}
    cells = table.columns.get(source.rating, [])
    if not source.dimension or source.dimension not in table.columns:
        return {
            "all": look.profiles[source.rating].counts
            if source.rating in look.profiles
            else Counter()
        }
    by: dict = {}
    for dimension, cell in zip(table.columns[source.dimension], cells):
        if text := _text_of(cell):
            by.setdefault(dimension or "all", Counter())[text] += 1
    return by


def _scales(looks):
    """The proposed scales, by dimension where they differ."""
    by: dict[str, Counter] = {}
    places: dict[str, _Places] = {}
    decimals: dict[str, str] = {}
    for look in looks:
        for dimension, counts in _rating_cells(look).items():
            by.setdefault(dimension, Counter()).update(counts)
            places.setdefault(dimension, _Places()).held.append((look, counts))
            decimals.setdefault(dimension, look.source.decimal)
    warnings, comments, proposed = [], {}, {}
    for dimension, counts in by.items():
        if counts:
            rules, found, lines = _guess(counts, decimals[dimension], dimension, places[dimension])
            proposed[dimension] = rules
            warnings += found + _other_scales(dimension, places[dimension])
            comments[dimension] = lines
    if not proposed and (systems := _systems(looks)):
        line = "The levels of verdicts on pairs: one system, a tie, the other system."
        rules = ScaleRules([systems[0], "tie", systems[1]], measurement="nominal")
        return rules, {}, [], {"scale": [line]}
    if not proposed:
        # Free text and verdicts: the scale is not to be seen.
        rules = ScaleRules([1, 2, 3, 4, 5])
        line = "The levels cannot be seen in free text: these are only an example. Write your own."
        return rules, {}, [], {"scale": [line]}
    kinds = list(proposed.values())
    if all(one == kinds[0] for one in kinds):
        first = next(iter(proposed))
        return kinds[0], {}, warnings, {"scale": comments[first]}
    return None, proposed, warnings, {f"scales.{k}": v for k, v in comments.items()}


class _Places:
    """The files that hold ratings on a dimension, and where a cell stands."""

    def __init__(self):
        self.held = []

    def of(self, cells):
        """The files with one of these cells, for a warning."""
        return ", ".join(
            look.name for look, counts in self.held if any(cell in counts for cell in cells)
        )

    def line(self, cell):
        """The first line with a cell; None where its column is not in the table."""
        for look, counts in self.held:
            if cell in counts:
                for name in look.source.columns or (look.source.rating,):
                    for line, one in zip(look.table.lines, look.table.columns.get(name, ())):
                        if _text_of(one) == cell:
                            return line
        return None


def _other_scales(dimension, places):
    """Files whose ratings on one dimension do not seem to share a scale."""
    numeric, words = {}, {}
    for look, counts in places.held:
        total = sum(counts.values())
        values = [v for c in counts if (v := number(c, look.source.decimal)) is not None]
        known = sum(n for c, n in counts.items() if number(c, look.source.decimal) is not None)
        if total < 5 or any(isinstance(cell, LabelSet) for cell in counts):
            continue
        if 2 * known >= total:
            numeric[look.name] = (min(values), max(values))
        elif not _glosses(counts):
            words[look.name] = counts
    if numeric and words:
        (a, (low, high)), (b, labels) = next(iter(numeric.items())), next(iter(words.items()))
        such = few(labels, 3)
        said = f"numbers from {low:g} to {high:g} in {a}, but labels such as {such} in {b}"
    elif len(numeric) > 1:
        a, b = (pick(numeric, key=lambda name: numeric[name][1]) for pick in (min, max))
        low, high = numeric[a][1], numeric[b][1]
        if high < 3 * max(low, 1):
            return []
        said = f"ratings up to {low:g} in {a}, but up to {high:g} in {b}"
    else:
        return []
    todo = (
        "They are no ratings on one scale: recode one of them, give it a dimension of its own "
        "(dimension_is), or choose another column"
    )
    said = f"the files do not seem to share a scale{_on(dimension)}: {said}"
    return [Finding("off-scale", "", said, todo)]


def _systems(looks):
    """The two systems of verdicts on pairs; empty where there are more."""
    names = set()
    for look in looks:
        for role in (look.source.first, look.source.second):
            names |= set(look.profiles[role].counts) if role else set()
    return sorted(names) if len(names) == 2 and "tie" not in names else []


def _on(dimension):
    """Words for a dimension; a name that is a number is called one."""
    if dimension == "all":
        return ""
    return f" on dimension {dimension}" if dimension.isdigit() else f" on {dimension}"


def _guess(counts, decimal, dimension, places):
    """A scale that fits the cells, and what does not fit it."""
    warnings, lines = [], []
    on = _on(dimension)
    numbers = {}
    words = Counter()
    for cell, n in counts.items():
        value = number(cell, decimal)
        if value is None:
            words[cell] += n
        else:
            numbers[value] = numbers.get(value, 0) + n
    # The meaning beside a number that others give without it is doubtful: "4. Mai" beside 4.
    glosses = {gloss: v for gloss, v in _glosses(words).items() if v not in numbers}
    if sum(numbers.values()) + sum(words[g] for g in glosses) >= 0.8 * sum(counts.values()):
        for gloss, value in glosses.items():
            numbers[value] = numbers.get(value, 0) + words.pop(gloss)
    else:
        glosses = {}
    if sum(numbers.values()) >= 0.5 * sum(counts.values()):
        cells_of = {}
        for cell in counts:
            cells_of.setdefault(number(cell, decimal), []).append(cell)
        rules, warnings, lines = _number_scale(numbers, words, on, places, cells_of)
        recode = {gloss: int(v) for gloss, v in glosses.items() if v in rules.levels}
        return replace(rules, recode=recode), warnings, lines
    return _word_scale(counts, on, places.of(counts), warnings, lines)


def _number_scale(numbers, words, on, places, cells_of):
    warnings, lines = [], []
    levels = _steps(numbers)
    outside = {value: n for value, n in numbers.items() if value not in set(levels)}
    zero = 0.0 in numbers and levels[0] == 0 and levels[-1] >= 4
    lines.append("The levels are a guess from what occurs: add the ones that nobody used.")
    if len(outside) > 3:
        todo = "Correct them, declare a wider scale, or declare them as missing"
        said = (
            f"{sum(outside.values()):,} ratings{on} are one of {len(outside):,} numbers from "
            f"{min(outside):g} to {max(outside):g} that are not on the scale {levels[0]:g} to "
            f"{levels[-1]:g}"
        )
        file = places.of([cell for value in outside for cell in cells_of.get(value, ())])
        warnings.append(Finding("off-scale", file, said, todo))
        outside = {}
    for value, n in sorted(outside.items()):
        warnings.append(
            Finding(
                "off-scale",
                places.of(cells_of.get(value, ())),
                f"{n} ratings{on} are {value:g}, outside of {levels[0]:g} to {levels[-1]:g}",
                "Correct them, declare a wider scale, or declare them as missing",
            )
        )
    if words:
        usual = [word for word, _ in words.most_common(5)]
        shown = few(usual, 5)
        n = sum(words.values())
        lines_of = [line for word in usual if (line := places.line(word))]
        where = f" (first in line{'s' * (len(lines_of) > 1)} {', '.join(map(str, lines_of))})"
        warnings.append(
            Finding(
                "off-scale",
                places.of(words),
                f"{n} ratings{on} are no numbers: {shown}{where if lines_of else ''}",
                "Declare them as missing, recode them, or correct them",
            )
        )
        lines.append(f"missing = [...] for what means 'not rated'; found: {shown}")
    if zero:
        lines.append("0 occurs: is it a level, or does it mean 'not rated' (missing = [0])?")
    plain = [int(v) if float(v).is_integer() else v for v in levels]
    return ScaleRules(plain, measurement="ordinal"), warnings, lines


def _steps(numbers):
    """The run of equal steps that holds most ratings."""
    values = sorted(numbers)
    if len(values) > _MOST_LEVELS + 10 and not all(float(v).is_integer() for v in values):
        return [values[0], values[-1]]
    step = (
        0.5 if any(float(2 * v).is_integer() and not float(v).is_integer() for v in values) else 1
    )
    # A number between the steps (a mean, a typing error) is off the scale and breaks no run.
    on_step = [value for value in values if float(value / step).is_integer()]
    if 2 * sum(numbers[v] for v in on_step) < sum(numbers.values()):
        return [values[0], values[-1]]
    runs, run = [], [on_step[0]]
    for value in on_step[1:]:
        # One level that nobody used leaves a gap of two steps.
        if value - run[-1] <= 2 * step + 1e-9:
            run.append(value)
        else:
            runs.append(run)
            run = [value]
    runs.append(run)
    best = max(runs, key=lambda r: sum(numbers[v] for v in r))
    scattered = 2 * sum(numbers[v] for v in best) < sum(numbers.values())
    if scattered and step == 1 and values[0] >= 0 and 50 < values[-1] <= 100 and len(values) > 20:
        return [float(k) for k in range(101)]  # a slider from 0 to 100
    n = round((best[-1] - best[0]) / step) + 1
    levels = [best[0] + k * step for k in range(n)]
    if len(levels) < 2:
        levels = [best[0], best[0] + step]
    # A lone 1 to 4 of 5 is common: scales start at 0 or 1.
    if step == 1 and 1 < levels[0] <= 3 and levels[-1] <= 10:
        levels = [float(k) for k in range(1, int(levels[-1]) + 1)]
    return levels[:101]


def _word_scale(counts, on, file, warnings, lines):
    words = [word for word, _ in counts.most_common(200)]
    alike = Counter(word.lower() for word in words)
    for word in [word for word, n in alike.items() if n > 1][:3]:
        spellings = few([w for w in words if w.lower() == word], 4)
        warnings.append(
            Finding(
                "case",
                file,
                f"the same label{on} in upper and lower case: {spellings}",
                "Recode one of them: recode = {...}",
            )
        )
    missing = [word for word in words if word in _LIKE_MISSING]
    for word in missing:
        warnings.append(
            Finding(
                "missing-or-label",
                file,
                f"{count_of(counts[word], 'cell')}{on} with {word!r}: a label, or a missing rating",
                "It is proposed as a label; move it to missing = [...] if it means 'not rated'",
            )
        )
    sets = any(isinstance(word, LabelSet) or ";" in word for word in counts)
    if sets:
        parts = Counter()
        for word, n in counts.items():
            for part in _labels_in(word) - {""}:
                parts[part] += n
        words = [part for part, _ in parts.most_common(200)]
        lines.append("Cells hold several labels (lists, or separated by ';'): read as sets.")
    lines.append(
        "Labels in the order of their frequency: put them in order, lowest first, where they"
    )
    lines.append("have one, and set measurement = 'ordinal'.")
    if len(words) < 2:
        words.append(f"not {words[0]}")
        lines.append(f"Only one label occurs; {words[1]!r} is a placeholder.")
    return ScaleRules(words, measurement="nominal", sets=sets), warnings, lines


def _without_zero(rules, doubtful):
    if rules is None or not doubtful or 0 not in rules.levels:
        return rules
    return replace(rules, levels=[level for level in rules.levels if level != 0])


def _holds_ratings(source):
    """Answers in free text and verdicts have no ratings yet."""
    return not (source.answers or source.first)


def _together(named, config, limits, tables):
    """What shows only in the ratings as read: doubles, no overlap, zeros, a turned scale."""
    rated = [(path, name) for path, name in named if _holds_ratings(config.source_of(name))]
    if not rated:
        return [], set()
    try:
        reading = read_named(rated, config, None, limits, tables)
    except RatingsError as error:
        what = f"the proposal cannot be read yet: {error.given}"
        return [Finding("file", "", what, error.todo)], set()
    return _of_reading(reading, [name for _, name in rated])


def _of_reading(reading, rated):
    warnings = _doubles(reading)
    ratings = reading.ratings[reading.ratings["rating"].notna()]
    if len(rated) < len(reading.files):
        ratings = ratings[ratings["file"].isin(rated)]
    items, _ = pd.factorize(ratings["item"])
    raters, names = pd.factorize(ratings["rater"])
    for note in overlap_notes(items, raters, np.ones(len(ratings), bool), list(names)):
        if "share no item" in note or note.startswith("0 of"):
            todo = "There is nothing to compare; check that the ids are the same in all files"
            warnings.append(Finding("no-overlap", "", note, todo))
    doubtful = {}
    if ratings["rating"].dtype == float:
        doubtful = _zeros(ratings)
        warnings += [*doubtful.values(), *_backwards(ratings)]
    return warnings, set(doubtful)


def _other_dimensions(looks):
    """Files that have no dimension in common, so that nothing in them can be compared."""
    names = {look.name: _dimensions(look) for look in looks}
    if len(looks) < 2 or set.intersection(*names.values()):
        return []
    shown = "; ".join(f"{file}: {few(sorted(found), 4)}" for file, found in list(names.items())[:4])
    todo = "Name the dimension of a file that has none: dimension_is = '...'"
    return [Finding("no-dimension", "", f"the files share no dimension ({shown})", todo)]


def _match_items(looks):
    """In each file the column with the ids that occur in the other files, where another one
    than the proposed one fits better; positions are no ids.
    """
    positional = [x.source.format == "promptfoo" and x.source.item == "test" for x in looks]
    if len(looks) < 2 or all(positional):
        return
    for look, by_position in zip(looks, positional):
        own = set(_ids(look, "item"))
        others = {name for x in looks if x is not look for name in _ids(x, "item")}
        shared = len(own & others)
        if not own or not others or (shared == len(own) and not by_position):
            continue
        if look.source.layout == "wide-by-item":
            continue
        best = _best_item(look, others, shared if not by_position else shared - 1, len(own))
        was = look.source.item
        if best:
            n, of = len(set(look.profiles[best].counts) & others), len(look.profiles[best].counts)
            said = (
                f"{best!r} is proposed as the item, not {was!r}: {n:,} of its {of:,} ids occur "
                f"in the other files, of those of {was!r} {shared:,} of {len(own):,}"
            )
            look.source = replace(look.source, item=best)
            look.warnings.append(Finding("ids", look.name, said, "Check that it is the right one"))
        elif by_position:
            said = f"the item {was!r} is the position of a test, counted from 0, and no id"
            todo = "Name the column that holds the ids of the other files: item = 'vars....'"
            look.warnings.append(Finding("ids", look.name, said, todo))


def _best_item(look, others, least, n_own):
    source, best = look.source, ""
    taken = {source.item, source.rater, source.dimension, source.rating, source.group}
    for name, profile in look.profiles.items():
        if name in taken or name in source.columns or profile.filled < _MOSTLY * look.table.size:
            continue
        if "." not in name and _counts_rows(look, name):
            continue  # the numbers of the rows fit any numbers
        ids = set(profile.counts)
        shared = len(ids & others)
        if shared > least and 2 * shared >= len(ids) and 2 * len(ids) >= n_own:
            best, least = name, shared
    return best


def _inside(look, others):
    """A pattern with {item} by which a file's ids hold those of the other files; or empty."""
    found = Counter()
    names = [name for name in _ids(look, "item") if not set("{}*") & set(name)][:200]
    for name in names:
        cuts = [n for n, sign in enumerate(name) if not sign.isalnum()]
        for n in cuts:
            if name[n + 1 :] in others:
                found.update({name[: n + 1] + "{item}", "*" + name[n] + "{item}"})
            if name[:n] in others:
                found.update({"{item}" + name[n:], "{item}" + name[n] + "*"})
    best = sorted(found, key=lambda pattern: (-found[pattern], "*" in pattern))
    return best[0] if best and found[best[0]] >= 0.8 * len(names) else ""


def _other_ids(looks):
    """Ids that are nearly the same, and files that share no item."""
    warnings = []
    for role in ("item", "rater"):
        names = dict.fromkeys(name for look in looks for name in _ids(look, role))
        for note in nearly_same(names, role):
            todo = "Write them alike in all files, if they are the same"
            warnings.append(Finding("no-overlap", "", note, todo))
    items = {look.name: set(_ids(look, "item")) for look in looks}
    known = {file: found for file, found in items.items() if found}
    alone = [
        file
        for file, found in known.items()
        if not any(found & other for name, other in known.items() if name != file)
    ]
    if len(known) > 1 and alone:
        file = alone[0]
        other = next(name for name in known if name != file)
        here, there = (few(sorted(known[name])[:2]) for name in (file, other))
        said = (
            f"{few(alone, 3)} without an item of the other files, such as {here} in {file} and "
            f"{there} in {other}"
        )
        todo = "Check that item is the right column, and the ids the same in all files"
        warnings.append(Finding("no-overlap", "", said, todo))
        for look in looks:
            others = {name for file in known if file != look.name for name in known[file]}
            pattern = _inside(look, others) if look.name in alone and look.source.item else ""
            if pattern:
                column = look.source.item
                said = f"the ids in {column!r} hold those of the other files: {pattern}"
                todo = (
                    f"Take them apart: split = {{{_quoted(column)} = {_quoted(pattern)}}} and "
                    'item = "item"'
                )
                warnings.append(Finding("no-overlap", look.name, said, todo))
    return warnings


def _ids(look, role):
    """The items or raters of a file, as far as a column names them."""
    if look.source.layout == f"wide-by-{role}":
        return list(look.source.columns)
    profile = look.profiles.get(getattr(look.source, role))
    return list(profile.counts) if profile and not look.source.split else []


def _dimensions(look):
    source = look.source
    if source.layout == "wide-by-dimension":
        return set(source.columns)
    if source.layout == "wide-by-name" and "{dimension}" in source.names:
        pattern = pattern_of(source.names)
        return {m["dimension"] for name in source.columns if (m := pattern.fullmatch(name))}
    profile = look.profiles.get(source.dimension)
    return set(profile.counts) if profile and profile.counts else {"all"}


def _who(looks):
    """A line on the raters of each file, to copy names from."""
    lines = []
    for look in looks[:10]:
        source = look.source
        profile = look.profiles.get(source.rater)
        names = list(profile.counts) if profile else []
        names = list(source.columns) if source.layout == "wide-by-rater" else names
        kind = "answers in free text of" if source.answers else "ratings of"
        if names:
            lines.append(f"{look.name}: {kind} {few(names, 8)}")
    return lines


def _doubles(reading):
    doubles = reading.problems[reading.problems["reason"].str.startswith("a second rating")]
    if doubles.empty:
        return []
    first = doubles.iloc[0]
    return [
        Finding(
            "duplicates",
            first.file,
            f"{count_of(len(doubles), 'item')} rated twice by one person; "
            f"line {first.line}: {first.reason}",
            "Remove one, or declare duplicates = 'first' or 'last'",
        )
    ]


def _zeros(ratings):
    """Zeros where others rate high, perhaps "not rated", by dimension."""
    warnings = {}
    for dimension, part in ratings.groupby("dimension", sort=False):
        zeros = part[part["rating"] == 0]
        top = part["rating"].max()
        if zeros.empty or top < 3 or part["rating"].min() < 0:
            continue
        rated = part[part["rating"] > 0]
        others = rated[rated["item"].isin(set(zeros["item"]))]["rating"]
        lowest = rated["rating"].min()
        if others.empty or others.mean() > lowest + (top - lowest) / 4:
            beside = (
                f"; on the same items others give {others.mean():.1f} on average"
                if len(others)
                else ""
            )
            on = _on(dimension)
            warnings[dimension] = Finding(
                "zero",
                "",
                f"{count_of(len(zeros), 'rating')}{on} "
                f"{'are' if len(zeros) > 1 else 'is'} 0{beside}",
                "Is 0 a level, or 'not rated'? Declare it: in levels, or missing = [0]",
            )
    return warnings


def judges_backwards(ratings: pd.DataFrame, judges, experts) -> list[str]:
    """Judges whose ranks run against those of all experts.

    Parameters
    ----------
    ratings : DataFrame
        As in `Reading`.
    judges, experts : sequence of str

    Returns
    -------
    list of str
        A sentence for each judge and dimension.

    Examples
    --------
    >>> rows = [(str(n), r, n if r == "e" else 9 - n) for n in range(9) for r in ("e", "j")]
    >>> frame = pd.DataFrame(rows, columns=["item", "rater", "rating"]).assign(dimension="all")
    >>> judges_backwards(frame.astype({"rating": float}), ["j"], ["e"])[0][:39]
    'j runs against all experts: perhaps the'
    """
    if ratings["rating"].dtype != float:
        return []
    found = []
    for judge in judges:
        part = ratings[ratings["rater"].isin([judge, *experts]) & ratings["rating"].notna()]
        for dimension, rows in part.groupby("dimension", sort=False):
            wide = rows.drop_duplicates(["item", "rater"]).pivot(
                index="item", columns="rater", values="rating"
            )
            if judge not in wide:
                continue
            values = [_spearman(wide[judge], wide[one]) for one in experts if one in wide]
            values = [value for value in values if value is not None]
            if values and max(values) <= -0.5:
                found.append(
                    f"{judge} runs against all experts{_on(dimension)}: perhaps the scale was "
                    "used from the other end; ask, then declare [reversed]"
                )
    return found


def _backwards(ratings):
    """Raters whose ranks run against those of the others."""
    warnings = []
    for dimension, part in ratings.groupby("dimension", sort=False):
        part = part.drop_duplicates(["item", "rater"])
        if part["rater"].nunique() > 2000 or part["rater"].nunique() < 2:
            continue
        means = part.groupby("item")["rating"].agg(["sum", "count"])
        few_raters = part["rater"].nunique() <= 30
        wide = part.pivot(index="item", columns="rater", values="rating") if few_raters else None
        turned = []
        for rater, own in part.groupby("rater", sort=False):
            if few_raters:
                found = [_spearman(wide[rater], wide[other]) for other in wide if other != rater]
                found = [value for value in found if value is not None]
                against = bool(found) and max(found) <= -0.5
            else:
                rest = means.loc[own["item"]]
                others = (rest["sum"].to_numpy() - own["rating"].to_numpy()) / (
                    rest["count"].to_numpy() - 1
                )
                value = _spearman(own["rating"].reset_index(drop=True), pd.Series(others))
                against = value is not None and value <= -0.5
            if against:
                turned.append(rater)
        if turned:
            on = _on(dimension)
            who = few(turned, 5)
            either = " (one of the two)" if part["rater"].nunique() == 2 else ""
            warnings.append(
                Finding(
                    "backwards",
                    "",
                    f"{who} run{'s' if len(turned) == 1 else ''} against all others{on}{either}",
                    "Perhaps the scale was used from the other end: ask, then declare [reversed]",
                )
            )
    return warnings


def _spearman(a, b):
    both = a.notna() & b.notna() & np.isfinite(a) & np.isfinite(b)
    if both.sum() < 5 or a[both].nunique() < 2 or b[both].nunique() < 2:
        return None
    n = int(both.sum())
    value = float(np.corrcoef(a[both].rank(), b[both].rank())[0, 1])
    # Chance alone reaches 2 / sqrt(n - 1) in one of forty pairs.
    return value if abs(value) >= min(0.9, 2 / np.sqrt(n - 1)) else 0.0
