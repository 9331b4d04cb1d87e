"""The loader of the study's files: 28 rating files into one long frame, and what goes with them.

The files differ in row order, column order, line ends, number format and in the name of
the id column; some have an unnamed index column, some have text of many lines in quotes.
So every file is read by one function that picks columns by name, keeps all cells as text
and knows on which line a cell stands. Rows are joined by id, never by position.

No frame made here holds an id of the files: items get codes (``ED01``), people too
(``C001``). Error messages name file and line, not the id.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from judging_empathy.data import files
from judging_empathy.data.metadata import dimensions, frameworks, levels, raters
from raters.errors import RatingsError
from raters.frames import COLUMNS

ITEMS = 50
SELF_REPORTED = ("understood", "validated", "affirmed", "seen", "accepted", "caredfor")
# The id column of the rating files. EPITOME has a second id, of the reply; the first is
# unique by itself and is in all files.
_ID = {
    "empatheticdialogues": "conv_id",
    "epitome": "sp_id",
    "perceived_empathy": "id",
    "lend_an_ear": "conversation_id",
}
_ED_FILE = "original_data/sample_empatheticdialogues.csv"
_LE_CONVERSATIONS = "original_data/sample_lend_an_ear_conversations.csv"
_LE_RATINGS = "original_data/sample_lend_an_ear_annotations.csv"
_PE_CROWD = "original_data/sample_perceived_empathy_annotations.csv"
_PE_SELF = "original_data/perceived_empathy_self_ratings.csv"
_WORDS_FILE = {
    framework: f"annotations/{framework}/sample_ratings_crowdsourced.csv"
    for framework in ("empatheticdialogues", "epitome", "perceived_empathy")
} | {"lend_an_ear": _LE_CONVERSATIONS}
# One word of the first turn tells the three openings apart.
_OPENINGS = {
    "promotion": "promotion_passed_over",
    "job": "job_loss",
    "detached": "overlooked_undervalued",
}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_TURN = re.compile(r"(?:^|\n)[ \t]*(Seeker|Supporter):")
_MOST_RATERS = 12


@dataclass(frozen=True)
class _Cell:
    """The text of one cell and where it stands."""

    text: str
    file: str
    line: int
    column: str

    @property
    def where(self) -> str:
        return f"{self.file}, line {self.line}, column {self.column}"


# ------------------------------------------------------------------ one way to read a file
def _read(folder: Path, name: str, columns: Sequence[str]) -> list[dict[str, _Cell]]:
    """The named columns of a CSV file, row by row, as text with its line."""
    path = folder / name
    if not path.is_file():
        raise RatingsError(
            f"no file {name} in {folder}",
            "all files of data/registry.txt",
            "run `make data CHECK=1` to see what else is missing",
        )
    rows: list[dict[str, _Cell]] = []
    # newline="": the csv module itself must see the line ends inside quotes.
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            header = next(reader, [])
            places = _places(name, header, columns)
            before = reader.line_num
            for record in reader:
                line, before = before + 1, reader.line_num
                if record:
                    rows.append(_cells(name, line, header, places, record))
        except (csv.Error, UnicodeDecodeError) as error:
            raise RatingsError(
                f"{name}, line {reader.line_num}: {error}",
                "comma-separated UTF-8 text, with closed quotes",
                "get the file again with `make data`",
            ) from error
    return rows


def _places(name: str, header: list[str], columns: Sequence[str]) -> dict[str, int]:
    stripped = [column.strip() for column in header]
    for column in columns:
        if stripped.count(column) != 1:
            found = "no column" if column not in stripped else "more than one column"
            raise RatingsError(
                f"{found} {column!r} in line 1 of {name}, which has "
                f"{', '.join(map(repr, stripped))}",
                f"one column each of {', '.join(columns)}",
                "correct the header, or get the file again with `make data`",
            )
    return {column: stripped.index(column) for column in columns}


def _cells(name, line, header, places, record) -> dict[str, _Cell]:
    if len(record) != len(header):
        raise RatingsError(
            f"{name}, line {line}: {len(record)} cells",
            f"{len(header)} cells, as in the header",
            "look for a missing or an extra comma or quote, or get the file again",
        )
    # A cell stands below all line ends in the cells before it.
    ends = [len(_NEWLINE.findall(cell)) for cell in record]
    return {
        column: _Cell(record[place].strip(), name, line + sum(ends[:place]), column)
        for column, place in places.items()
    }


def _number(cell: _Cell, allowed: str) -> float:
    if not _NUMBER.fullmatch(cell.text):
        raise RatingsError(
            f"{cell.text!r} in {cell.where}, which is not a number",
            allowed,
            "correct the cell, or get the file again with `make data`",
        )
    return float(cell.text)


def _rating(cell: _Cell, scale: Sequence[int], between: bool) -> float:
    words = " ".join(map(str, scale)) + (" and numbers between them" if between else "")
    value = _number(cell, f"a rating on the scale {words}")
    on_scale = scale[0] <= value <= scale[-1] if between else value in scale
    if not on_scale:
        raise RatingsError(
            f"{cell.text!r} in {cell.where}, which is off the scale",
            f"a rating on the scale {words}",
            "correct the cell, or get the file again with `make data`",
        )
    return value


def _by_id(rows: Iterable[dict[str, _Cell]], column: str) -> dict[str, dict[str, _Cell]]:
    """Rows by their id; an empty or a repeated id is an error."""
    found: dict[str, dict[str, _Cell]] = {}
    for row in rows:
        cell = row[column]
        if not cell.text:
            raise RatingsError(
                f"no id in {cell.where}", "an id in every row", "fill it in, or remove the row"
            )
        if cell.text in found:
            raise RatingsError(
                f"the id in {cell.where} is the same as in line {found[cell.text][column].line}",
                "every id once",
                "remove one of the two rows",
            )
        found[cell.text] = row
    return found


def _folder(folder: Path | str | None) -> Path:
    return files.require() if folder is None else Path(folder)


# ------------------------------------------------------------------ items and their codes
def _codes(folder: Path, framework: str, ids: Iterable[str] | None = None) -> dict[str, str]:
    """From an id to the item's code, by the rank of the id as text."""
    if ids is None:
        name = _rating_file(framework, "expert1")
        ids = _by_id(_read(folder, name, [_ID[framework]]), _ID[framework])
        _fifty(ids, name)
    prefix = frameworks().set_index("framework").loc[framework, "prefix"]
    return {key: f"{prefix}{rank:02d}" for rank, key in enumerate(sorted(ids), 1)}


def _fifty(ids: Iterable[str], name: str) -> None:
    number = len(list(ids))
    if number != ITEMS:
        raise RatingsError(
            f"{name} with {number} items",
            f"{ITEMS} items for each framework",
            "get the file again with `make data`",
        )


def _rating_file(framework: str, rater: str) -> str:
    return f"annotations/{framework}/{rater}_ratings.csv"


def _known(row: dict[str, _Cell], column: str, codes: dict[str, str]) -> str:
    """The code of a row's item; an id that no rating file has is an error."""
    cell = row[column]
    if cell.text not in codes:
        raise RatingsError(
            f"the id in {cell.where} is in no rating file",
            f"the ids of the {ITEMS} rated items",
            "get the files again with `make data`",
        )
    return codes[cell.text]


def _same_ids(tables: dict[str, dict[str, dict[str, _Cell]]], column: str) -> None:
    """All rating files of a framework hold the same items; what most files say is right."""
    votes = Counter(key for table in tables.values() for key in table)
    expected = {key for key, number in votes.items() if 2 * number > len(tables)}
    for name, table in tables.items():
        for key, row in table.items():
            if key not in expected:
                raise RatingsError(
                    f"the id in {row[column].where} is not in the other rating files",
                    "the same ids in all seven rating files of a framework",
                    "see whether the id lost digits or got quotes, or get the file again",
                )
        for key in sorted(expected - set(table)):
            other = next(t[key][column] for t in tables.values() if key in t)
            raise RatingsError(
                f"{name} has no row for the item in {other.file}, line {other.line}",
                "the same ids in all seven rating files of a framework",
                "see whether a row or its id was lost, or get the file again",
            )
    for name, table in tables.items():
        _fifty(table, name)


# ------------------------------------------------------------------ the ratings
def load_published(folder: Path | str | None = None) -> pd.DataFrame:
    """The 28 rating files as one long frame.

    Parameters
    ----------
    folder : path, optional
        A folder laid out like the authors' repository; its checksums are not looked at.
        Default: the study's files, wherever they are (downloaded if need be).

    Returns
    -------
    DataFrame
        7,350 rows: ``framework, dimension, item, rater, group, rating``, in the order
        of frameworks, dimensions, items and raters.

    Raises
    ------
    RatingsError
        The files cannot be had; or one is broken: a column, a row or an id is missing,
        twice or too many, or a rating is no number or off its scale. Experts and models
        must use the levels; the crowd's means may lie between them. The message names
        file, line and value.

    Examples
    --------
    >>> load_published().groupby("group").size().to_dict()
    {'crowd': 1050, 'expert': 3150, 'llm': 3150}
    """
    folder = _folder(folder)
    people = raters()[["rater", "group"]].to_records(index=False).tolist()
    rows = []
    for key in frameworks()["framework"]:
        here = _dimension_names(key)
        tables = {
            rater: _by_id(_read(folder, _rating_file(key, rater), [_ID[key], *here]), _ID[key])
            for rater, _ in people
        }
        _same_ids({_rating_file(key, rater): table for rater, table in tables.items()}, _ID[key])
        codes = _codes(folder, key, tables["expert1"])
        scale = _levels(key)
        rows += [
            (key, dimension, codes[item], rater, group, _rating(cell, scale, group == "crowd"))
            for dimension in here
            for item in codes
            for rater, group in people
            for cell in [tables[rater][item][dimension]]
        ]
    return _long(rows)


def _long(rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS).astype({"rating": "float64"})


def load_crowd_raw(folder: Path | str | None = None) -> pd.DataFrame:
    """The single ratings behind the crowd's means, where the files hold them.

    Lend an Ear: 196 rating forms of 116 people, with codes ``C001`` to ``C116``.
    EmpatheticDialogues: the two evaluations kept with each chat, ``evaluator1`` and
    ``evaluator2``; these are places, not persons: who they are changes from chat to
    chat. EPITOME (one label) and Perceived Empathy (only means) have none.

    Parameters
    ----------
    folder : path, optional
        As in `load_published`.

    Returns
    -------
    DataFrame
        The columns of the long frame, group ``crowd``. A rating that was left out is NaN.

    Raises
    ------
    RatingsError
        As `load_published`.

    Examples
    --------
    >>> int(load_crowd_raw().rating.notna().sum())
    1462
    """
    folder = _folder(folder)
    return _long([*_evaluations(folder), *_forms(folder)])


def _dimension_names(framework: str) -> list[str]:
    table = dimensions()
    return table.loc[table["framework"] == framework, "dimension"].tolist()


def _levels(framework: str) -> tuple[int, ...]:
    table = frameworks().set_index("framework")
    return levels(table.loc[framework, "levels"])


def _evaluations(folder: Path) -> list[tuple]:
    """The two evaluations of each EmpatheticDialogues chat; the file repeats them every turn."""
    framework, column = "empatheticdialogues", "conv_id"
    names, scale = _dimension_names(framework), _levels(framework)
    codes = _codes(folder, framework)
    wanted = [column, *(f"{name}{place}" for name in names for place in (1, 2))]
    chats: dict[str, dict[str, _Cell]] = {}
    for row in _read(folder, _ED_FILE, wanted):
        chats.setdefault(_known(row, column, codes), row)
    return [
        (framework, name, item, f"evaluator{place}", "crowd", _rating(cell, scale, False))
        for name in names
        for item in sorted(chats)
        for place in (1, 2)
        for cell in [chats[item][f"{name}{place}"]]
    ]


def _forms(folder: Path) -> list[tuple]:
    """The rating forms of Lend an Ear: several people for each conversation."""
    framework, column = "lend_an_ear", "conversation_id"
    names, scale = _dimension_names(framework), _levels(framework)
    codes = _codes(folder, framework)
    rows = _read(folder, _LE_RATINGS, [column, "user_id", *names])
    people = sorted({row["user_id"].text for row in rows})
    code = {person: f"C{rank:03d}" for rank, person in enumerate(people, 1)}
    forms: dict[tuple[str, str], dict[str, _Cell]] = {}
    for row in rows:
        key = (_known(row, column, codes), code[row["user_id"].text])
        if key in forms:
            raise RatingsError(
                f"{row['user_id'].where} is the same person and conversation as "
                f"line {forms[key]['user_id'].line}",
                "one form of a person for a conversation",
                "remove one of the two rows",
            )
        forms[key] = row
    return [
        (framework, name, *key, "crowd", _rating(cell, scale, False) if cell.text else None)
        for name in names
        for key in sorted(forms)
        for cell in [forms[key][name]]
    ]


def load_self_reports(folder: Path | str | None = None) -> pd.DataFrame:
    """How the people of the 50 Perceived Empathy items themselves rated the reply they got.

    Of the file's 115 columns, which tell much about a person, only nine are read: the
    id, six ratings and the two conditions.

    Parameters
    ----------
    folder : path, optional
        As in `load_published`.

    Returns
    -------
    DataFrame
        50 rows in the order of the file: ``item``, ``file_order`` (row number in the
        file of 455, from 1), ``responseR`` (who wrote the reply), ``labelR`` (who was
        said to have written it) and the six ratings ``understood, validated, affirmed,
        seen, accepted, caredfor`` on 1 to 7. The dimension is ``m_`` and the name.

    Raises
    ------
    RatingsError
        As `load_published`.

    Examples
    --------
    >>> load_self_reports().labelR.value_counts().to_dict()
    {'human label': 26, 'ai label': 24}
    """
    folder = _folder(folder)
    framework = "perceived_empathy"
    codes, scale = _codes(folder, framework), _levels(framework)
    rows = _by_id(_read(folder, _PE_SELF, ["id", "responseR", "labelR", *SELF_REPORTED]), "id")
    missing = len(set(codes) - set(rows))
    if missing:
        raise RatingsError(
            f"{_PE_SELF} lacks {missing} of the {ITEMS} rated items",
            "a row for each of them",
            "get the file again with `make data`",
        )
    table = [
        (codes[key], order, row["responseR"].text, row["labelR"].text)
        + tuple(_rating(row[name], scale, False) for name in SELF_REPORTED)
        for order, (key, row) in enumerate(rows.items(), 1)
        if key in codes
    ]
    columns = ["item", "file_order", "responseR", "labelR", *SELF_REPORTED]
    return pd.DataFrame(table, columns=columns)


# ------------------------------------------------------------------ words, openings, text
def load_words(folder: Path | str | None = None) -> pd.DataFrame:
    """The number of words of the supporter in each conversation.

    As the files give it: pieces between white space, over all turns of the supporter,
    without the label of the turn. `count_words` gives the same numbers wherever the files
    hold the text: everywhere but in Perceived Empathy, which can't be checked.

    Parameters
    ----------
    folder : path, optional
        As in `load_published`.

    Returns
    -------
    DataFrame
        ``framework``, ``item``, ``words`` (int); 200 rows.

    Raises
    ------
    RatingsError
        As `load_published`; a count that is not a whole number above 0.

    Examples
    --------
    >>> int(load_words().words.sum())
    12662
    """
    folder = _folder(folder)
    rows = []
    for framework, name in _WORDS_FILE.items():
        column, codes = _ID[framework], _codes(folder, framework)
        table = _by_id(_read(folder, name, [column, "response_length"]), column)
        counts = {_known(row, column, codes): _count(row) for row in table.values()}
        _fifty(counts, name)
        rows += [(framework, item, counts[item]) for item in sorted(counts)]
    return pd.DataFrame(rows, columns=["framework", "item", "words"])


def _count(row: dict[str, _Cell]) -> int:
    cell = row["response_length"]
    allowed = "a whole number of words above 0"
    value = _number(cell, allowed)
    if value < 1 or value != int(value):
        raise RatingsError(f"{cell.text!r} in {cell.where}", allowed, "correct the cell")
    return int(value)


def count_words(text: str) -> int:
    """Words as the study counts them: pieces between white space.

    Parameters
    ----------
    text : str

    Returns
    -------
    int

    Examples
    --------
    >>> count_words("That is hard -  really hard!")
    6
    """
    return len(text.split())


def load_openings(folder: Path | str | None = None) -> pd.DataFrame:
    """Which of three openings each Lend an Ear conversation has.

    Parameters
    ----------
    folder : path, optional
        As in `load_published`.

    Returns
    -------
    DataFrame
        ``item``, ``opening``: ``promotion_passed_over``, ``job_loss`` or
        ``overlooked_undervalued``; 50 rows.

    Raises
    ------
    RatingsError
        As `load_published`; a first turn that fits none of the three, or two.

    Examples
    --------
    >>> int(load_openings().opening.value_counts()["job_loss"])
    12
    """
    folder = _folder(folder)
    rows = []
    for item, cell in _texts(folder, "lend_an_ear"):
        first = _turns(cell)[0][1].lower().split()
        found = [name for word, name in _OPENINGS.items() if word in first]
        if len(found) != 1:
            raise RatingsError(
                f"{cell.where}: the first turn fits {len(found)} openings",
                f"one of the openings known by the words {', '.join(_OPENINGS)}",
                "get the file again with `make data`",
            )
        rows.append((item, found[0]))
    return pd.DataFrame(rows, columns=["item", "opening"])


def load_conversations(framework: str, folder: Path | str | None = None) -> pd.DataFrame:
    """The text of conversations that may be shown.

    Parameters
    ----------
    framework : {"lend_an_ear", "empatheticdialogues"}
        EmpatheticDialogues is CC BY-NC 4.0: name its authors beside the text. The text
        of the other two is never shown.
    folder : path, optional
        As in `load_published`.

    Returns
    -------
    DataFrame
        One row a turn: ``item``, ``turn`` (from 1), ``speaker`` (``Seeker`` or
        ``Supporter``), ``text``. ``attrs["licence"]`` and ``attrs["citation"]`` say
        what to print beside it.

    Raises
    ------
    RatingsError
        The text may not be shown (with the reason), there is no such framework, or as
        `load_published`.

    Examples
    --------
    >>> load_conversations("epitome")
    Traceback (most recent call last):
        ...
    raters.errors.RatingsError: Given: the conversations of epitome...
    """
    table = frameworks().set_index("framework")
    allowed = table.index[table["text_policy"] != "never"].tolist()
    if framework not in table.index:
        raise RatingsError(f"framework={framework!r}", ", ".join(allowed), "name one of these")
    policy = table.loc[framework]
    if framework not in allowed:
        raise RatingsError(
            f"the conversations of {framework}, which are never shown: {policy['text_reason']}",
            f"the text of {' or '.join(allowed)}",
            "show ratings and item codes only",
        )
    rows = [
        (item, number, speaker, text)
        for item, cell in _texts(_folder(folder), framework)
        for number, (speaker, text) in enumerate(_turns(cell), 1)
    ]
    frame = pd.DataFrame(rows, columns=["item", "turn", "speaker", "text"])
    if framework == "empatheticdialogues":
        frame["text"] = frame["text"].str.replace(r"_comma_\s*", ", ", regex=True)
    frame.attrs = {"licence": policy["text_licence"], "citation": policy["citation"]}
    return frame


def _texts(folder: Path, framework: str) -> list[tuple[str, _Cell]]:
    """The text of each conversation, by item code."""
    name = {"lend_an_ear": _LE_CONVERSATIONS, "empatheticdialogues": _ED_FILE}[framework]
    column, codes = _ID[framework], _codes(folder, framework)
    found: dict[str, _Cell] = {}
    for row in _read(folder, name, [column, "full_conversation"]):
        # The EmpatheticDialogues file repeats the whole text for each of its turns.
        found.setdefault(_known(row, column, codes), row["full_conversation"])
    _fifty(found, name)
    return sorted(found.items())


def _turns(cell: _Cell) -> list[tuple[str, str]]:
    """Speaker and text of each turn; a turn may go over several lines."""
    before, *parts = _TURN.split(_NEWLINE.sub("\n", cell.text))
    if before.strip() or not parts:
        raise RatingsError(
            f"{cell.where}: text before the first turn, or no turn",
            "turns that begin with 'Seeker:' or 'Supporter:'",
            "get the file again with `make data`",
        )
    return [(speaker, text.strip()) for speaker, text in zip(parts[::2], parts[1::2], strict=True)]


# ------------------------------------------------------------------ how many ratings
def load_rating_counts(folder: Path | str | None = None) -> pd.DataFrame:
    """How many single ratings the files hold, by group and framework.

    Parameters
    ----------
    folder : path, optional
        As in `load_published`.

    Returns
    -------
    DataFrame
        ``group``, ``framework``; ``values``: numbers in the rating files (of the crowd:
        means); ``ratings``: single ratings behind them; ``cells``: the same with the
        ratings that were left out; ``how``: ``counted`` or ``inferred``. Inferred is
        only the crowd of Perceived Empathy, whose means alone are there: the smallest
        number of raters with whole-numbered ratings that gives an item's nine means.

    Raises
    ------
    RatingsError
        As `load_published`.

    Examples
    --------
    >>> load_rating_counts().groupby("group").ratings.sum().to_dict()
    {'crowd': 2971, 'expert': 3150, 'llm': 3150}
    """
    folder = _folder(folder)
    frame = load_published(folder)
    table = frame.groupby(["group", "framework"], sort=False).size().rename("values")
    table = table.reset_index()
    table["ratings"] = table["cells"] = table["values"]
    table["how"] = "counted"
    raw = load_crowd_raw(folder).groupby("framework")["rating"].agg(["count", "size"])
    inferred = _inferred_crowd(folder)
    for row in table.index[table["group"] == "crowd"]:
        framework = table.loc[row, "framework"]
        if framework in raw.index:
            table.loc[row, ["ratings", "cells"]] = raw.loc[framework].tolist()
        elif framework == "perceived_empathy":
            table.loc[row, ["ratings", "cells"]] = [inferred, inferred]
            table.loc[row, "how"] = "inferred"
    order = {group: place for place, group in enumerate(("expert", "llm", "crowd"))}
    return table.sort_values("group", key=lambda g: g.map(order), kind="stable", ignore_index=True)


def load_annotation_counts(folder: Path | str | None = None) -> dict[str, int]:
    """How many single ratings there are in all, by group, and how many conversations.

    Parameters
    ----------
    folder : path, optional
        As in `load_published`.

    Returns
    -------
    dict
        ``expert``, ``llm``, ``crowd`` (ratings; see `load_rating_counts`),
        ``conversations``.

    Raises
    ------
    RatingsError
        As `load_published`.

    Examples
    --------
    >>> load_annotation_counts()["conversations"]
    200
    """
    table = load_rating_counts(folder)
    totals = table.groupby("group", sort=False)["ratings"].sum()
    counts = {group: int(number) for group, number in totals.items()}
    return {**counts, "conversations": ITEMS * table["framework"].nunique()}


def _inferred_crowd(folder: Path) -> int:
    """Single ratings behind the Perceived Empathy crowd, from the fractions of its means."""
    names, scale = _dimension_names("perceived_empathy"), _levels("perceived_empathy")
    rows = _read(folder, _PE_CROWD, ["OriginalDiscloserID", *names])
    people = 0
    for row in rows:
        means = [_rating(row[name], scale, True) for name in names]
        people += _fewest_raters(means, row[names[0]])
    return people * len(names)


def _fewest_raters(means: Sequence[float], cell: _Cell) -> int:
    """The smallest n for which n times each mean is a whole number (means have 9 decimals)."""
    for number in range(1, _MOST_RATERS + 1):
        if all(abs(number * mean - round(number * mean)) < 1e-6 for mean in means):
            return number
    raise RatingsError(
        f"{cell.where}: means that no number of raters up to {_MOST_RATERS} gives",
        "means of whole ratings",
        "get the file again with `make data`",
    )
