"""What a user declares of their files: the content of `raters.toml`.

What cannot be known from the files is declared here and never guessed: which column is
what, the scale and its order, what counts as missing, what is reversed, who belongs to
which group. Kept beside the data, the file makes a reading reproducible.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import RatingsError
from raters.io.atomic import part_beside
from raters.scale import Scale

if TYPE_CHECKING:
    from raters.io.answers import Rule

LAYOUTS = {
    "long": "a row for each rating",
    "wide-by-rater": "a row for each item, a column for each rater",
    "wide-by-item": "a row for each rater, a column for each item",
    "wide-by-dimension": "a row for each item and rater, a column for each dimension",
    "wide-by-name": "columns with ratings whose names say more (see names)",
}
ROLES = ("item", "rater", "dimension")
DUPLICATES = ("error", "first", "last")


@dataclass(frozen=True)
class Source:
    """How files of one kind are read: a ``[[files]]`` table of `raters.toml`.

    Parameters
    ----------
    name : str
        Which files: a file name or a pattern such as ``"*.csv"``. The first table that
        fits a file holds.
    format : str
        A name of `raters.io.formats.FORMATS`; empty: found by content.
    encoding, delimiter, decimal : str
        Empty encoding: by the byte order mark, otherwise UTF-8. Empty delimiter: the one
        that splits the first rows evenly.
    sheet : str
        Of an Excel workbook. Empty: the first.
    sheets : sequence of str
        Several sheets of a workbook, by name or pattern such as ``"*"``: their rows one
        after the other, with the sheet's name in a column called ``sheet``.
    rows_before_header, header_rows : int
        The first header row names the columns; the others are left out, or see
        `header_join`.
    header_join : str
        With several header rows: what stands between their names when they are put
        together. An empty cell above has the name to its left, as in merged cells.
    layout : str
        A name of `LAYOUTS`.
    item, rater, dimension, rating, group : str
        The columns. Empty: there is none (or the format knows it).
    columns : sequence of str
        In wide layouts the columns that hold ratings; patterns such as ``"Q1_*"`` are
        allowed. Empty in tables that are read wide: all that have no other role.
    names : str
        For ``wide-by-name``: what a column's name says, such as ``"{rater}_{dimension}"``.
    rater_is, dimension_is, group_is : str
        One name for the whole file.
    rater_from_file : str
        The rater in the file's name: ``"annotator_{rater}.jsonl"``, or ``"{rater}.*"``.
    split : mapping of str to str
        A column that holds several things: ``{custom_id = "{item}|{dimension}"}`` makes
        the columns `item` and `dimension`.
    leave_out : mapping of str to list
        Rows that are no ratings: ``{Status = ["Survey Preview"]}``.
    answers : bool
        The ratings are free text of a judge, read by the rules of ``[answers]``.
    first, second : str
        For verdicts on a position: the columns with the systems that stood there.
    """

    name: str = "*"
    format: str = ""
    encoding: str = ""
    delimiter: str = ""
    decimal: str = "."
    sheet: str = ""
    sheets: Sequence[str] = ()
    rows_before_header: int = 0
    header_rows: int = 1
    header_join: str = ""
    layout: str = "long"
    item: str = ""
    rater: str = ""
    dimension: str = ""
    rating: str = ""
    group: str = ""
    columns: Sequence[str] = ()
    names: str = ""
    rater_is: str = ""
    dimension_is: str = ""
    group_is: str = ""
    rater_from_file: str = ""
    split: Mapping[str, str] = field(default_factory=dict)
    leave_out: Mapping[str, Sequence] = field(default_factory=dict)
    answers: bool = False
    first: str = ""
    second: str = ""

    def __post_init__(self):
        _frozen(self)
        where = f"files: name = {self.name!r}"
        _one_of(where, "layout", self.layout, list(LAYOUTS))
        _one_of(where, "decimal", self.decimal, [".", ","])
        if self.format:
            from raters.io.formats import FORMATS

            _one_of(where, "format", self.format, list(FORMATS))
        if len(self.delimiter) > 1 or self.delimiter in ('"', "\n", "\r", " "):
            raise RatingsError(
                f"{where}: delimiter = {self.delimiter!r}",
                "one character such as ',', ';', '|' or a tab (\"\\t\")",
                "correct it in raters.toml, or leave it empty",
            )
        if self.header_rows < 1 or self.rows_before_header < 0:
            raise RatingsError(
                f"{where}: header_rows = {self.header_rows}, "
                f"rows_before_header = {self.rows_before_header}",
                "one header row or more, and no negative number",
                "correct them in raters.toml",
            )
        if self.header_join and self.header_rows < 2:
            raise RatingsError(
                f"{where}: header_join = {self.header_join!r}, header_rows = {self.header_rows}",
                "two header rows or more to join",
                "say how many there are: header_rows = 2",
            )
        if self.sheet and self.sheets:
            raise RatingsError(
                f"{where}: sheet = {self.sheet!r} and sheets = {list(self.sheets)!r}",
                "one of the two",
                "take one out of raters.toml",
            )
        if bool(self.first) != bool(self.second):
            raise RatingsError(
                f"{where}: first = {self.first!r}, second = {self.second!r}",
                "both, or neither",
                "name the columns of the systems that stood first and second",
            )
        if self.layout == "wide-by-name":
            self._check_names(where)
        for pattern in self.split.values():
            pattern_of(pattern)
        if self.rater_from_file:
            pattern_of(self.rater_from_file)

    def _check_names(self, where):
        found = pattern_of(self.names).groupindex
        if not found or not set(found) <= set(ROLES):
            raise RatingsError(
                f"{where}: names = {self.names!r}",
                "a pattern with {rater}, {dimension} or {item}, such as '{rater}_{dimension}'",
                "write what the names of the columns say",
            )

    def fits(self, file_name: str) -> bool:
        """Whether this table is about a file."""
        return file_name == self.name or fnmatch.fnmatchcase(file_name, self.name)


def pattern_of(text: str) -> re.Pattern:
    """A pattern such as ``"{rater}_{dimension}"`` as a regular expression.

    Parameters
    ----------
    text : str
        Words in braces are what is found; ``*`` is anything; the rest is taken as it is.

    Returns
    -------
    re.Pattern

    Raises
    ------
    RatingsError
        A word that is there twice, or no word at all.

    Examples
    --------
    >>> pattern_of("{rater}_{dimension}").fullmatch("ann_warmth").groupdict()
    {'rater': 'ann', 'dimension': 'warmth'}
    """
    parts = re.split(r"(\{[A-Za-z_]\w*\}|\*)", text)
    words = [part[1:-1] for part in parts if part.startswith("{") and part.endswith("}")]
    if not words or len(set(words)) < len(words):
        raise RatingsError(
            f"the pattern {text!r}",
            "text with names in braces, each once, such as '{rater}_{dimension}'",
            "correct it in raters.toml",
        )
    expression = ""
    for part in parts:
        if part == "*":
            expression += ".*"
        elif part[1:-1] in words and part.startswith("{"):
            expression += f"(?P<{part[1:-1]}>.+?)"
        else:
            expression += re.escape(part)
    return re.compile(expression, re.S)


@dataclass(frozen=True)
class ScaleRules:
    """A scale and how cells are read on it: ``[scale]``, or ``[scales.<dimension>]``.

    Parameters
    ----------
    levels, values, measurement, between, outside
        As in `raters.Scale`.
    missing : sequence
        Cells that mean "not rated", such as ``[0, "NA"]``. An empty cell always does.
        Numbers are compared as numbers.
    recode : mapping of str to level
        Cells that are another way to write a level: ``{"4 - agree" = 4}``.
    sets : bool
        A cell may hold several levels, as ``"a; b"`` (see `separator`).
    separator : str
        What stands between two labels in a cell.
    """

    levels: Sequence
    values: Sequence[float] | None = None
    measurement: str = "ordinal"
    between: bool = False
    outside: Sequence[str] = ()
    missing: Sequence = ()
    recode: Mapping[str, object] = field(default_factory=dict)
    sets: bool = False
    separator: str = ";"

    def __post_init__(self):
        _frozen(self)
        self._check_types()
        for cell in self.missing:
            known = self.scale.value_of(cell)
            if known == known:
                raise RatingsError(
                    f"{cell!r} as missing and as a level of {self.scale.describe()}",
                    "a cell is missing or a level",
                    "take it out of one of the two",
                )
        for spelling, level in self.recode.items():
            known = self.scale.value_of(level)
            if known != known:
                raise RatingsError(
                    f"recode: {spelling!r} = {level!r}",
                    self.scale.describe(),
                    "recode to a level of the scale",
                )

    def _check_types(self):
        listed = [*self.levels, *self.missing, *self.recode.values()]
        others = [v for v in listed if not isinstance(v, (str, int, float))]
        others += [v for v in self.outside if not isinstance(v, str)]
        others += [v for v in self.values or () if not isinstance(v, Real)]
        if others:
            raise RatingsError(
                f"{others[0]!r} on a scale",
                "levels and missing cells: numbers or texts; values: numbers; outside: texts",
                "correct it",
            )
        if not self.separator:
            raise RatingsError("separator = ''", "a text such as ';'", "say what separates labels")

    @cached_property
    def scale(self) -> Scale:
        """The scale."""
        return Scale(
            tuple(self.levels),
            None if self.values is None else tuple(self.values),
            self.measurement,
            self.between,
            tuple(self.outside),
        )

    @cached_property
    def numeric(self) -> bool:
        """Whether the levels are numbers."""
        return all(isinstance(v, Real) and not isinstance(v, bool) for v in self.levels)

    def reverse(self, level: object) -> object:
        """The mirror image of a level (or of a number between levels).

        Parameters
        ----------
        level : level or float

        Returns
        -------
        level or float

        Raises
        ------
        RatingsError
            A nominal scale, sets of labels, or a scale that is not its own mirror image.
        """
        values = self.scale.values
        ends = [a + b for a, b in zip(values, reversed(values))]
        if self.measurement == "nominal" or self.sets or max(ends) - min(ends) > 1e-9:
            raise RatingsError(
                f"a reversal on the scale {self.scale.describe()}",
                "an ordered scale whose levels lie symmetrically",
                "take it out of [reversed], or recode the cells",
            )
        if self.numeric:
            return self.scale.low + self.scale.high - level
        names = [str(one).strip() for one in self.levels]
        return self.levels[-1 - names.index(str(level).strip())]


@dataclass(frozen=True)
class Config:
    """Everything that is declared: the content of `raters.toml`.

    Parameters
    ----------
    files : sequence of Source
    scale : ScaleRules, optional
        The scale of every dimension that `scales` does not name.
    scales : mapping of str to ScaleRules
        By dimension.
    reversed : mapping
        ``raters``, ``dimensions`` and ``items`` that run from the other end. What is
        reversed twice (a reversed rater on a reversed dimension) stays as it is.
    groups : mapping of str to list
        Raters by group: names, or patterns such as ``"worker-*"``.
    answers : mapping
        How free text of a judge is read: ``kind, key, pattern, labels, refusals`` of
        `raters.io.answers.Rule`.
    duplicates : {"error", "first", "last"}
        What to do with a second rating of one item by one rater on one dimension.
    drop_at_most : int
        How many rows that cannot be read may be left out. The others stop the reading.

    Examples
    --------
    >>> config = Config(files=[Source(item="item", rater="who", rating="score")],
    ...                 scale=ScaleRules([1, 2, 3, 4, 5]))
    >>> Config.from_toml(config.to_toml()) == config
    True
    """

    files: Sequence[Source] = ()
    scale: ScaleRules | None = None
    scales: Mapping[str, ScaleRules] = field(default_factory=dict)
    reversed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    answers: Mapping[str, object] = field(default_factory=dict)
    duplicates: str = "error"
    drop_at_most: int = 0

    def __post_init__(self):
        _frozen(self)
        _one_of("reading", "duplicates", self.duplicates, list(DUPLICATES))
        _known("reversed", self.reversed, ("raters", "dimensions", "items"))
        _known("answers", self.answers, ("kind", "key", "pattern", "labels", "refusals"))
        if self.answers:
            from raters.io.answers import KINDS

            _one_of("answers", "kind", self.answers.get("kind", "number"), list(KINDS))
        if self.drop_at_most < 0:
            raise RatingsError(
                f"drop_at_most = {self.drop_at_most}", "0 or more rows", "correct it"
            )

    def source_of(self, file_name: str) -> Source:
        """What is declared of a file.

        Parameters
        ----------
        file_name : str

        Returns
        -------
        Source

        Raises
        ------
        RatingsError
            No ``[[files]]`` table fits.
        """
        for source in self.files:
            if source.fits(file_name):
                return source
        raise RatingsError(
            f"the file {file_name}, of which nothing is declared",
            f"files that fit one of {[source.name for source in self.files]}",
            "add a [[files]] table for it to raters.toml; `raters inspect` proposes one",
        )

    def rules_of(self, dimension: str) -> ScaleRules:
        """The scale of a dimension.

        Parameters
        ----------
        dimension : str

        Returns
        -------
        ScaleRules

        Raises
        ------
        RatingsError
            None is declared.
        """
        found = self.scales.get(dimension, self.scale)
        if found is None:
            raise RatingsError(
                f"the dimension {dimension!r} without a scale",
                f"a scale for every dimension; declared: {sorted(self.scales)}",
                "add [scale], or [scales.<dimension>], with the levels in order",
            )
        return found

    def answer_rule(self, dimension: str, decimal: str = ".") -> Rule:
        """How free text is read on a dimension.

        Parameters
        ----------
        dimension : str
        decimal : {".", ","}

        Returns
        -------
        Rule
        """
        from raters.io.answers import Rule

        return Rule(self.rules_of(dimension).scale, decimal=decimal, **self.answers)

    def group_of(self, rater: str) -> str | None:
        """The declared group of a rater: an exact name goes before a pattern.

        Parameters
        ----------
        rater : str

        Returns
        -------
        str or None
        """
        for group, names in self.groups.items():
            if rater in names:
                return group
        for group, names in self.groups.items():
            if any(fnmatch.fnmatchcase(rater, name) for name in names):
                return group
        return None

    # ------------------------------------------------------------------ raters.toml
    @classmethod
    def from_toml(cls, text: str, name: str = "raters.toml") -> Config:
        """Read the text of a `raters.toml`.

        Parameters
        ----------
        text : str
        name : str
            The file, for messages.

        Returns
        -------
        Config

        Raises
        ------
        RatingsError
            No valid TOML, a key that does not exist, a value of a wrong type.
        """
        try:
            given = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise RatingsError(
                f"{name}, no valid TOML ({error})",
                "TOML as `raters inspect` writes it",
                "correct the line, or write the file anew",
            ) from error
        _known(name, given, [*_TABLES, "reading"])
        reading = _typed(given.get("reading", {}), _READING, f"{name}: [reading]")
        files = given.get("files", [])
        if not isinstance(files, list):
            raise _wrong(f"{name}: files", files, "[[files]] tables, with two brackets")
        scale = given.get("scale")
        return cls(
            files=[_built(Source, one, f"{name}: [[files]]") for one in files],
            scale=None if scale is None else _built(ScaleRules, scale, f"{name}: [scale]"),
            scales={
                key: _built(ScaleRules, one, f"{name}: [scales.{key}]")
                for key, one in _mapping(given, "scales", name).items()
            },
            reversed=_lists(given, "reversed", name),
            groups=_lists(given, "groups", name),
            answers=_mapping(given, "answers", name),
            **reading,
        )

    @classmethod
    def load(cls, path: str | Path) -> Config:
        """Read a `raters.toml` file.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Config

        Raises
        ------
        RatingsError
            It cannot be read; see `from_toml`.
        """
        path = Path(path)
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except (OSError, ValueError) as error:
            raise RatingsError(
                f"{path}, which cannot be read ({getattr(error, 'strerror', None) or error})",
                "a raters.toml in UTF-8",
                "write one: raters inspect FILE --write raters.toml",
            ) from error
        return cls.from_toml(text, str(path))

    def to_toml(self, comments: Mapping[str, Sequence[str]] | None = None) -> str:
        """The text of a `raters.toml`, with comments that say what each key is for.

        Parameters
        ----------
        comments : mapping of str to list of str, optional
            More lines of comment by place: ``"top"``, ``"scale"``, ``"files:<name>"``,
            ``"groups"``, ``"reversed"``.

        Returns
        -------
        str
        """
        extra = comments or {}
        parts = [_comment(_TOP), _comment(extra.get("top", ()))]
        for source in self.files:
            parts += ["", _comment(extra.get(f"files:{source.name}", ())), "[[files]]"]
            parts += _lines(source, Source, _FILE_COMMENTS, keep=("name", "format", "layout"))
        for title, rules in [
            ("scale", self.scale),
            *((f"scales.{_key(k)}", v) for k, v in self.scales.items()),
        ]:
            if rules is not None:
                parts += ["", _comment(extra.get(title, ())), f"[{title}]"]
                about = _SCALE_COMMENTS
                if rules.measurement == "nominal":
                    about = about | {"levels": "all labels, also the ones that nobody used"}
                parts += _lines(rules, ScaleRules, about, keep=("measurement", "missing"))
        for title, about, table in (
            ("reversed", _ABOUT_REVERSED, self.reversed),
            ("groups", _ABOUT_GROUPS, self.groups),
            ("answers", _ABOUT_ANSWERS, self.answers),
        ):
            lines = _comment([*about, *extra.get(title, ())])
            parts += ["", lines] + ([f"[{title}]"] if table else [])
            parts += [f"{_key(key)} = {_value(value)}" for key, value in table.items()]
        parts += ["", "[reading]", f"duplicates = {_value(self.duplicates)}  # error, first, last"]
        parts += [f"drop_at_most = {self.drop_at_most}  # rows that cannot be read; more stop it"]
        return "\n".join(part for part in parts if part is not None) + "\n"

    def save(
        self,
        path: str | Path,
        comments: Mapping[str, Sequence[str]] | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write `raters.toml`: whole or not at all.

        Parameters
        ----------
        path : str or Path
        comments : mapping, optional
            As in `to_toml`.
        overwrite : bool
            Whether a ``.toml`` file that is there may be replaced. Default False: a user's
            edits are not lost.

        Returns
        -------
        Path

        Raises
        ------
        RatingsError
            There is a file already, or the folder cannot be written to.
        """
        path = Path(path)
        if path.exists() and (not overwrite or path.suffix != ".toml"):
            todo = ", or say that it may be replaced" if path.suffix == ".toml" else ""
            raise RatingsError(
                f"{path}, which is there already",
                "a new file: a raters.toml that somebody edited is not replaced",
                "name another file" + todo,
            )
        part = part_beside(path)
        try:
            part.write_text(self.to_toml(comments), encoding="utf-8")
            os.replace(part, path)
        except OSError as error:
            raise RatingsError(
                f"{path}, which cannot be written ({error.strerror})",
                "a file in a folder that exists",
                "name another place",
            ) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return path


# ------------------------------------------------------------------------ checks and types
_TABLES = ("files", "scale", "scales", "reversed", "groups", "answers")
_READING = {"duplicates": str, "drop_at_most": int}


def _frozen(one):
    """Lists become tuples, so that what was read equals what was declared."""

    def plain(value):
        return tuple(value) if isinstance(value, list) else value

    for f in fields(one):
        value = getattr(one, f.name)
        if isinstance(value, Mapping):
            value = {key: plain(inside) for key, inside in value.items()}
        object.__setattr__(one, f.name, plain(value))


def _one_of(where, key, value, allowed):
    if value not in allowed:
        raise RatingsError(
            f"{where}: {key} = {value!r}", ", ".join(map(repr, allowed)), "name one of these"
        )


def _known(where, given, allowed):
    unknown = [key for key in given if key not in allowed]
    if unknown:
        raise RatingsError(
            f"{where}: {', '.join(unknown)}", f"the keys {', '.join(allowed)}", "correct the key"
        )


def _wrong(where, value, allowed):
    return RatingsError(f"{where} = {value!r}", allowed, "correct it in raters.toml")


def _mapping(given, key, name):
    value = given.get(key, {})
    if not isinstance(value, dict):
        raise _wrong(f"{name}: {key}", value, f"a table [{key}]")
    return value


def _lists(given, key, name):
    table = _mapping(given, key, name)
    for word, value in table.items():
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise _wrong(
                f"{name}: [{key}] {word}", value, 'a list of names, such as ["ann", "bob"]'
            )
    return table


_TYPES = {"str": str, "int": int, "bool": bool, "Sequence": list, "Mapping": dict}


def _built(kind, given, where):
    if not isinstance(given, dict):
        raise _wrong(where, given, "a table")
    _known(where, given, [f.name for f in fields(kind)])
    types = {f.name: _TYPES[re.match(r"\w+", f.type).group()] for f in fields(kind)}
    for f in fields(kind):
        if f.default is MISSING and f.default_factory is MISSING and f.name not in given:
            raise RatingsError(f"{where} without {f.name}", f"the key {f.name}", "declare it")
    return kind(**_typed(given, types, where))


def _typed(given, types, where):
    if not isinstance(given, dict):
        raise _wrong(where, given, "a table")
    _known(where, given, list(types))
    for key, value in given.items():
        if type(value) is not types[key]:
            name = {str: "text in quotes", int: "a whole number", bool: "true or false"}
            raise _wrong(f"{where} {key}", value, name.get(types[key], f"a {types[key].__name__}"))
    return given


# ------------------------------------------------------------------------------- writing
_TOP = (
    "How the ratings in these files are read. Written as a proposal: check each line, correct it,",
    "and keep this file beside the data. Lines that start with # are comments.",
)
_FILE_COMMENTS = {
    "name": "which files: a name, or a pattern such as *.csv",
    "format": "found by content",
    "layout": ", ".join(LAYOUTS),
    "columns": "the columns that hold ratings",
    "rating": "the column with the ratings",
    "sheets": "the rows of these sheets; the column sheet holds the name",
    "header_rows": "the first names the columns; the others are left out, or joined",
    "header_join": "what stands between the names of the header rows when they are joined",
    "answers": "free text of a judge: read by the rules of [answers]",
    "leave_out": "rows that are no ratings",
}
_SCALE_COMMENTS = {
    "levels": "in order, lowest first; also the ones that nobody used",
    "measurement": "nominal, ordinal, interval or ratio",
    "missing": 'cells that mean "not rated", such as [0, "NA"]; empty cells always do',
}
_ABOUT_REVERSED = (
    "Who or what runs the scale from the other end: raters, dimensions, items.",
    'Example: [reversed] with raters = ["name"].',
)
_ABOUT_GROUPS = (
    "Who is an expert, who the crowd, who a judge: names, or patterns such as worker-*.",
    'Example: [groups] with expert = ["ann", "bob"] and judge = ["model"].',
)
_ABOUT_ANSWERS = (
    "How free text of a judge is read (files with answers = true): kind = number, json, label,",
    "pattern or pair; key for json; pattern, a regular expression; labels, other spellings.",
)


def _comment(lines):
    lines = [part for line in lines for part in str(line).splitlines()]
    return "\n".join(f"# {_printable(line)}".rstrip() for line in lines) if lines else None


def _printable(text):
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _lines(given, kind, comments, keep):
    lines = []
    for f in fields(kind):
        value = getattr(given, f.name)
        default = f.default if f.default is not MISSING else None
        empty = value == default or (isinstance(value, (Sequence, Mapping)) and not len(value))
        if empty and f.name not in keep:
            continue
        comment = f"  # {comments[f.name]}" if f.name in comments else ""
        lines.append(f"{f.name} = {_value(value)}{comment}")
    return lines


def _key(key):
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(str(key))


def _value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for DEL, which TOML wants escaped as well.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Real):
        return repr(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items())
        return "{" + inside + "}"
    return "[" + ", ".join(_value(one) for one in value) + "]"
