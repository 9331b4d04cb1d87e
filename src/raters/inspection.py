"""What files of ratings seem to hold: a proposal to check, and a warning for whatever is odd.

Nothing here decides anything: `read` goes by the `raters.toml` that the user has checked.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from raters.config import LAYOUTS, Config, ScaleRules, Source
from raters.errors import RatingsError
from raters.formats import FORMATS, Limits, detect, load
from raters.formats.base import checked_path, count_of, few, propose_encoding, shorten
from raters.formats.cells import number
from raters.read import named_paths, read
from raters.reading_notes import lost_digits, overlap_notes

_MOST_LEVELS = 15
_LIKE_MISSING = ("NA", "N/A", "n/a", "na", "None", "none", "NULL", "null", "NaN", "nan", "-", "?")
# Words in the names of columns, in the order in which they are looked for.
_WORDS = {
    "rater": "rater annotator coder judge worker reviewer evaluator assessor participant "
    "respondent responseid user username annotatorid workerid raterid judgeid model",
    "item": "item itemid pair pairid conversation conversationid doc docid document documentid "
    "textid task taskid unit question questionid sample sampleid example exampleid "
    "customid stimulus artikel id",
    "dimension": "dimension criterion aspect subcomponent metric attribute category control facet",
    "rating": "rating score value label answer verdict annotation raw response output judgment "
    "judgement preferred completion code",
    "group": "group role ratertype type",
}
_PROSE = frozenset(
    "text comment comments note notes reason explanation timestamp email date time url title body "  # noqa: SIM905
    "prompt input context".split()
)
_TEXT_LIKE = 40


@dataclass(frozen=True)
class Finding:
    """One thing that a user has to look at.

    Parameters
    ----------
    code : str
        What kind: ``zero, backwards, numbers-as-text, lost-digits, off-scale, duplicates,
        no-overlap, decimal-signs, missing-or-label, encoding, header-rows, previews,
        bad-rows, left-out, case, file``.
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
    looks = [_look(path, name, limits or Limits()) for path, name in named_paths(paths)]
    warnings = [one for look in looks for one in look.warnings]
    sources = _merged([replace(look.source, columns=_short(look)) for look in looks])
    scale, scales, found, comments = _scales(looks)
    warnings += found
    answers = {"kind": _answer_kind(looks)} if any(s.answers for s in sources) else {}
    config = Config(sources, scale, scales, answers=answers)
    together, doubtful = _together(paths, config, limits)
    warnings += together
    # A 0 that may mean "not rated" is no level until somebody says so: reading stops there.
    config = replace(
        config,
        scale=_without_zero(config.scale, doubtful),
        scales={
            name: _without_zero(rules, {name} & doubtful) for name, rules in config.scales.items()
        },
    )
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


class _Profile:
    """The different cells of a column and how often they occur."""

    def __init__(self, cells):
        self.counts = Counter(c.strip() for c in cells if c is not None and c.strip())
        self.filled = sum(self.counts.values())
        self.empty = len(cells) - self.filled
        self.longest = max(map(len, self.counts), default=0)

    def numbers(self, decimal):
        found = {}
        for cell, n in self.counts.items():
            value = number(cell, decimal)
            if value is not None:
                found[value] = found.get(value, 0) + n
        return found

    def labels(self):
        return {part.strip() for cell in self.counts for part in cell.split(";")} - {""}

    def numeric(self, decimal):
        return self.filled > 0 and sum(self.numbers(decimal).values()) >= 0.8 * self.filled

    def like_rating(self, decimal):
        """Whether the cells could be ratings: few different ones, or numbers on a short scale."""
        if not self.filled:
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
        from raters.formats.text_tables import sniff

        source = replace(source, delimiter=sniff(path, source.encoding, limits))
    table = load(path, source, None, limits)
    if source.format in ("csv", "excel") and _import_ids(table):
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
    return source, table


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
    return re.sub(r"[^a-z]", "", name.lower())


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
    rater = _named(names, "rater", _like_each_other(look))
    item = _named(names, "item", {rater})
    rating = _named(names, "rating", {rater, item})
    dimension = _named(names, "dimension", {rater, item, rating})
    like = _ratings_like(look)
    if source.header_rows == 3:
        _survey(look, rater)
        return
    if _bare(names[0] if names else "") in ("timestamp", "zeitstempel", "horodateur"):
        _form(look)
        return
    group = _named(names, "group", {rater, item, rating, dimension}) if rater else ""
    if rating:
        look.source = _long(look, item, rater, dimension, rating, group)
        return
    first_two = _named(names, "item", {rater}) if rater else item
    free = [name for name in like if name not in (rater, first_two, group)]
    if rater and first_two:
        layout = "wide-by-dimension"
    elif rater:
        layout, free = "wide-by-item", [n for n in like if n not in (rater, group)]
    else:
        item = item or _id_like(look, free)
        layout, free = "wide-by-rater", [n for n in like if n != item]
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


def _like_each_other(look):
    """Columns that hold the same few cells as another one: ratings, whatever their names."""
    like = {
        n: set(p.counts) for n, p in look.profiles.items() if p.like_rating(look.source.decimal)
    }
    return {
        name
        for name, own in like.items()
        if any(len(own & other) >= 0.5 * len(own | other) for n, other in like.items() if n != name)
    }


def _ratings_like(look):
    """Columns that could hold ratings; prose in which no two cells are alike is none."""
    found = []
    for name, profile in look.profiles.items():
        if _bare(name) in _PROSE or not profile.like_rating(look.source.decimal):
            continue
        labels = profile.labels()
        alone = len(profile.counts) == profile.filled > 4 and not profile.numeric(
            look.source.decimal
        )
        shared = any(
            len(labels & other.labels()) >= 0.5 * len(labels)
            for n, other in look.profiles.items()
            if n != name and len(other.counts) <= _MOST_LEVELS
        )
        if not alone or shared:
            found.append(name)
    return found


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


def _long(look, item, rater, dimension, rating, group):
    profile = look.profiles[rating]
    decimal = look.source.decimal
    numbers = [cell for cell in profile.counts if number(cell, decimal) is not None]
    others = [cell for cell in profile.counts if number(cell, decimal) is None]
    # "3-4" or "2 (minor errors)" beside plain numbers: somebody wrote freely.
    mixed = bool(numbers) and any(re.search(r"\d", cell) for cell in others)
    spoken = any(re.search(r"[{\n]|\b(?:score|rating)\b", cell, re.I) for cell in others)
    free_text = mixed or spoken or not profile.like_rating(decimal)
    by_file = {} if rater else {"rater_from_file": "{rater}.*"}
    first = next((n for n in look.table.names if _bare(n) in ("first", "systema", "modela")), "")
    second = next((n for n in look.table.names if _bare(n) in ("second", "systemb", "modelb")), "")
    if first and second:
        by_file |= {"first": first, "second": second}
        free_text = False
    return replace(
        look.source,
        item=item or _id_like(look, [rating, rater]),
        rater=rater,
        rating=rating,
        dimension=dimension,
        group=group,
        answers=free_text,
        **by_file,
    )


def _id_like(look, taken):
    """A column with a different cell in each row, before any other."""
    for name, profile in look.profiles.items():
        if name not in taken and profile.filled and len(profile.counts) == profile.filled:
            return name
    left = [name for name in look.profiles if name not in taken]
    return left[0] if left else ""


def _survey(look, rater):
    """Qualtrics: a row for each respondent, questions in columns."""
    names = look.table.names
    questions = [n for n in names if re.match(r"Q\w*\d", n) or n.startswith("QID")]
    like = [n for n in questions if look.profiles[n].like_rating(look.source.decimal)]
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
    look.source = replace(
        look.source, layout="wide-by-item", rater=id_, columns=tuple(like), leave_out=leave
    )


def _form(look):
    """Google Forms: a row for each respondent, the first column a time."""
    names = look.table.names
    address = next((n for n in names if "mail" in n.lower() or n.lower() == "name"), "")
    like = [
        n for n in names[1:] if n != address and look.profiles[n].like_rating(look.source.decimal)
    ]
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
        if reason not in ("extra header row", "empty row"):
            look.warnings.append(
                Finding("left-out", look.name, f"{n} left out: {reason}", "They are no ratings")
            )
    for note in table.notes:
        if "numbers or words as text" in note:
            look.warnings.append(
                Finding("numbers-as-text", look.name, note, "Both are read by their value")
            )
    for role in ("item", "rater"):
        column = getattr(look.source, role)
        if column in look.profiles:
            for note in lost_digits(list(look.profiles[column].counts), role):
                look.warnings.append(
                    Finding("lost-digits", look.name, note, f"Look at the column {column!r}")
                )


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
        if cell is not None and cell.strip():
            by.setdefault(dimension or "all", Counter())[cell.strip()] += 1
    return by


def _scales(looks):
    """The proposed scales, by dimension where they differ."""
    by: dict[str, Counter] = {}
    file_of: dict[str, str] = {}
    decimals: dict[str, str] = {}
    for look in looks:
        for dimension, counts in _rating_cells(look).items():
            by.setdefault(dimension, Counter()).update(counts)
            file_of.setdefault(dimension, look.name)
            decimals.setdefault(dimension, look.source.decimal)
    warnings, comments, proposed = [], {}, {}
    for dimension, counts in by.items():
        if counts:
            rules, found, lines = _guess(counts, decimals[dimension], dimension, file_of[dimension])
            proposed[dimension] = rules
            warnings += found
            comments[dimension] = lines
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


def _guess(counts, decimal, dimension, file):
    """A scale that fits the cells, and what does not fit it."""
    warnings, lines = [], []
    on = "" if dimension == "all" else f" on {dimension}"
    numbers = {}
    words = Counter()
    for cell, n in counts.items():
        value = number(cell, decimal)
        if value is None:
            words[cell] += n
        else:
            numbers[value] = numbers.get(value, 0) + n
    if sum(numbers.values()) >= 0.5 * sum(counts.values()):
        return _number_scale(numbers, words, on, file, warnings, lines)
    return _word_scale(counts, on, file, warnings, lines)


def _number_scale(numbers, words, on, file, warnings, lines):
    levels = _steps(numbers)
    outside = {value: n for value, n in numbers.items() if value not in set(levels)}
    zero = 0.0 in numbers and levels[0] == 0 and levels[-1] >= 4
    lines.append("The levels are a guess from what occurs: add the ones that nobody used.")
    for value, n in sorted(outside.items()):
        warnings.append(
            Finding(
                "off-scale",
                file,
                f"{n} ratings{on} are {value:g}, outside of {levels[0]:g} to {levels[-1]:g}",
                "Correct them, declare a wider scale, or declare them as missing",
            )
        )
    if words:
        shown = few([word for word, _ in words.most_common(5)], 5)
        n = sum(words.values())
        warnings.append(
            Finding(
                "off-scale",
                file,
                f"{n} ratings{on} are no numbers: {shown}",
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
    runs, run = [], [values[0]]
    for value in values[1:]:
        # One level that nobody used leaves a gap of two steps.
        if value - run[-1] <= 2 * step + 1e-9 and float(value / step).is_integer():
            run.append(value)
        else:
            runs.append(run)
            run = [value]
    runs.append(run)
    best = max(runs, key=lambda r: sum(numbers[v] for v in r))
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
    sets = sum(n for word, n in counts.items() if ";" in word) > 0
    if sets:
        parts = Counter()
        for word, n in counts.items():
            for part in {p.strip() for p in word.split(";")} - {""}:
                parts[part] += n
        words = [part for part, _ in parts.most_common(200)]
        lines.append("Cells hold several labels, separated by ';': they are read as sets.")
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


def _together(paths, config, limits):
    """What shows only in the ratings as read: doubles, no overlap, zeros, a turned scale."""
    # Answers in free text and verdicts have no ratings yet; the other files are looked at.
    rated = []
    for path, name in named_paths(paths):
        source = config.source_of(name)
        if not (source.answers or source.first):
            rated.append(path)
    if not rated:
        return [], set()
    try:
        reading = read(rated, config, drop_at_most=10**9, limits=limits)
    except RatingsError as error:
        what = f"the proposal cannot be read yet: {error.given}"
        return [Finding("file", "", what, error.todo)], set()
    warnings = _doubles(reading)
    ratings = reading.ratings[reading.ratings["rating"].notna()]
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
            on = "" if dimension == "all" else f" on {dimension}"
            warnings[dimension] = Finding(
                "zero",
                "",
                f"{count_of(len(zeros), 'rating')}{on} "
                f"{'are' if len(zeros) > 1 else 'is'} 0{beside}",
                "Is 0 a level, or 'not rated'? Declare it: in levels, or missing = [0]",
            )
    return warnings


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
            on = "" if dimension == "all" else f" on {dimension}"
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
