"""The study's files as frames: 28 rating files, and what goes with them.

The files differ in row order, column order, number format and in the name of the id column.
So columns are picked by name, cells are read as text and rows are joined by id, never by
position. Their sha256 was compared before (`files`): what is in them is known.

No frame made here holds an id of the files: items get codes (``ED01``), people too (``C001``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import pandas as pd

from judging_empathy.data.metadata import dimensions, frameworks, raters
from judging_empathy.data.names import CROWD, SELF, in_order, sorted_by
from raters.errors import RatingsError
from raters.frames import COLUMNS

_SELF_REPORTED = ("understood", "validated", "affirmed", "seen", "accepted", "caredfor")
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
_TEXT_FILE = {"lend_an_ear": _LE_CONVERSATIONS, "empatheticdialogues": _ED_FILE}
# One word of the first turn tells the three openings apart.
_OPENINGS = {
    "promotion": "promotion_passed_over",
    "job": "job_loss",
    "detached": "overlooked_undervalued",
}
_NEWLINE = re.compile(r"\r\n|\r|\n")
_TURN = re.compile(r"(?:^|\n)[ \t]*(Seeker|Supporter):")
_MOST_RATERS = 12


class PublishedFiles:
    """The files in a folder, laid out like the authors' repository.

    Parameters
    ----------
    folder : Path
        Its files have to be those of `data/registry.txt`: nothing is checked here.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def _read(self, name: str, columns: Sequence[str]) -> pd.DataFrame:
        """The named columns of a file: text, without blanks around it."""
        frame = pd.read_csv(
            self.folder / name,
            dtype=str,
            keep_default_na=False,
            encoding="utf-8-sig",
            usecols=lambda column: column.strip() in columns,
        ).rename(columns=str.strip)
        return frame[list(columns)].apply(lambda column: column.str.strip())

    def _read_coded(self, framework: str, name: str, columns: Sequence[str]) -> pd.DataFrame:
        """The same, one row an item: the first with its id, by the item's code, in order."""
        frame = self._read(name, [_ID[framework], *columns]).drop_duplicates(_ID[framework])
        frame.insert(0, "item", frame.pop(_ID[framework]).map(self._codes[framework]))
        return frame.sort_values("item", ignore_index=True)

    @cached_property
    def _rating_files(self) -> dict[str, dict[str, pd.DataFrame]]:
        return {
            framework: {
                rater: self._read(
                    f"annotations/{framework}/{rater}_ratings.csv", [_ID[framework], *names]
                )
                for rater in raters()["rater"]
            }
            for framework, names in _dimension_names().items()
        }

    @cached_property
    def _codes(self) -> dict[str, dict[str, str]]:
        """By framework, from an id to the item's code, by the rank of the id as text."""
        prefixes = frameworks().set_index("framework")["prefix"]
        return {
            framework: {
                key: f"{prefixes[framework]}{rank:02d}"
                for rank, key in enumerate(sorted(tables["expert1"][_ID[framework]]), 1)
            }
            for framework, tables in self._rating_files.items()
        }

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """The 28 rating files as one long frame; see `Study.ratings`."""
        groups = raters().set_index("rater")["group"]
        parts = []
        for framework, tables in self._rating_files.items():
            for rater, table in tables.items():
                table = table.rename(columns={_ID[framework]: "item"})
                table["item"] = table["item"].map(self._codes[framework])
                long = table.sort_values("item").melt("item", None, "dimension", "rating")
                parts.append(long.assign(framework=framework, rater=rater, group=groups[rater]))
        return _long(parts)

    @cached_property
    def crowd_raw(self) -> pd.DataFrame:
        """The single ratings behind the crowd's means, where the files hold them.

        Lend an Ear: 196 rating forms of 116 people, with codes ``C001`` to ``C116``.
        EmpatheticDialogues: the two evaluations kept with each chat, ``evaluator1`` and
        ``evaluator2``; these are places, not persons: who they are changes from chat to
        chat. EPITOME (one label) and Perceived Empathy (only means) have none.
        A rating that was left out is NaN.
        """
        return pd.concat([self._evaluations(), self._forms()], ignore_index=True)

    def _evaluations(self) -> pd.DataFrame:
        """The two evaluations of each EmpatheticDialogues chat; the file repeats them."""
        framework = "empatheticdialogues"
        names = [f"{name}{place}" for name in _dimension_names()[framework] for place in (1, 2)]
        long = self._read_coded(framework, _ED_FILE, names).melt("item", value_name="rating")
        long["dimension"] = long["variable"].str[:-1]
        long["rater"] = "evaluator" + long["variable"].str[-1]
        return _long([long.assign(framework=framework, group=CROWD)])

    def _forms(self) -> pd.DataFrame:
        """The rating forms of Lend an Ear: several people for each conversation."""
        framework, names = "lend_an_ear", _dimension_names()["lend_an_ear"]
        forms = self._read(_LE_RATINGS, [_ID[framework], "user_id", *names])
        people = {key: f"C{rank:03d}" for rank, key in enumerate(sorted(set(forms["user_id"])), 1)}
        forms["item"] = forms.pop(_ID[framework]).map(self._codes[framework])
        forms["rater"] = forms.pop("user_id").map(people)
        long = forms.melt(["item", "rater"], None, "dimension", "rating")
        order = long["dimension"].map(names.index)
        long = long.assign(order=order).sort_values(["order", "item", "rater"])
        return _typed(long.assign(framework=framework, group=CROWD))

    @cached_property
    def seekers(self) -> pd.DataFrame:
        """How the people of the 50 Perceived Empathy items themselves rated their reply.

        Of the file's 115 columns, which tell much about a person, only nine are read.
        50 rows in the order of the file: ``item``, ``file_order`` (row number in the file
        of 455, from 1), ``responseR`` (who wrote the reply), ``labelR`` (who was said to
        have written it) and six ratings on 1 to 7. The dimension is ``m_`` and the name.
        """
        rows = self._read(_PE_SELF, ["id", "responseR", "labelR", *_SELF_REPORTED])
        rows.insert(0, "item", rows.pop("id").map(self._codes["perceived_empathy"]))
        rows.insert(1, "file_order", range(1, len(rows) + 1))
        rows = rows[rows["item"].notna()].reset_index(drop=True)
        return rows.astype(dict.fromkeys(_SELF_REPORTED, float))

    @cached_property
    def self_reports(self) -> pd.DataFrame:
        """The seekers' ratings as a long frame; see `Study.self_reports`."""
        wide = self.seekers.set_index("item")[list(_SELF_REPORTED)].add_prefix("m_")
        long = wide.stack().rename("rating").rename_axis(["item", "dimension"]).reset_index()
        return _typed(long.assign(framework="perceived_empathy", rater=SELF, group="self"))

    @cached_property
    def labels_told(self) -> dict[str, str]:
        """What each seeker was told about who wrote the reply, by item."""
        return dict(zip(self.seekers["item"], self.seekers["labelR"]))

    @cached_property
    def words(self) -> pd.DataFrame:
        """The number of words of the supporter in each conversation; see `Study.words`.

        As the files give it: pieces between white space, over all turns of the supporter,
        without the label of the turn. `count_words` gives the same numbers wherever the
        files hold the text: everywhere but in Perceived Empathy, which can't be checked.
        """
        parts = [
            self._read_coded(framework, name, ["response_length"]).assign(framework=framework)
            for framework, name in _WORDS_FILE.items()
        ]
        frame = pd.concat(parts, ignore_index=True)
        frame["words"] = frame["response_length"].astype(float).astype(int)
        return frame[["framework", "item", "words"]]

    @cached_property
    def openings(self) -> pd.DataFrame:
        """Which of three openings each Lend an Ear conversation has; see `Study.openings`."""
        rows = []
        for item, text in self._texts("lend_an_ear"):
            first = _turns(text)[0][1].lower().split()
            rows.append((item, next(name for word, name in _OPENINGS.items() if word in first)))
        return pd.DataFrame(rows, columns=["item", "opening"])

    def conversations(self, framework: str) -> pd.DataFrame:
        """The text of conversations that may be shown; see `Study.conversations`."""
        policy = _may_be_shown(framework)
        rows = [
            (item, number, speaker, text)
            for item, turns in self._texts(framework)
            for number, (speaker, text) in enumerate(_turns(turns), 1)
        ]
        frame = pd.DataFrame(rows, columns=["item", "turn", "speaker", "text"])
        if framework == "empatheticdialogues":
            frame["text"] = frame["text"].str.replace(r"_comma_\s*", ", ", regex=True)
        frame.attrs = {"licence": policy["text_licence"], "citation": policy["citation"]}
        return frame

    def _texts(self, framework: str) -> list[tuple[str, str]]:
        """The text of each conversation, by item code."""
        frame = self._read_coded(framework, _TEXT_FILE[framework], ["full_conversation"])
        return list(frame.itertuples(index=False, name=None))

    @cached_property
    def rating_counts(self) -> pd.DataFrame:
        """How many single ratings the files hold; see `Study.rating_counts`."""
        table = self.ratings.groupby(["group", "framework"], sort=False).size().rename("values")
        table = table.reset_index()
        table["ratings"] = table["cells"] = table["values"]
        table["how"] = "counted"
        raw = self.crowd_raw.groupby("framework")["rating"].agg(["count", "size"])
        for row in table.index[table["group"] == CROWD]:
            framework = table.loc[row, "framework"]
            if framework in raw.index:
                table.loc[row, ["ratings", "cells"]] = raw.loc[framework].tolist()
            elif framework == "perceived_empathy":
                table.loc[row, ["ratings", "cells"]] = self._inferred_crowd()
                table.loc[row, "how"] = "inferred"
        return sorted_by(table, "group", ("expert", "llm", "crowd"))

    def _inferred_crowd(self) -> int:
        """Single ratings behind the Perceived Empathy crowd, from the fractions of its means."""
        means = self._read(_PE_CROWD, _dimension_names()["perceived_empathy"]).astype(float)
        return means.shape[1] * sum(_fewest_raters(row) for row in means.to_numpy())


def _typed(long) -> pd.DataFrame:
    """The columns of the long frame, ratings as numbers, an empty cell as NaN."""
    frame = long[COLUMNS].reset_index(drop=True)
    return frame.assign(rating=frame["rating"].replace("", "nan").astype(float))


def _long(parts) -> pd.DataFrame:
    return in_order(_typed(pd.concat(parts, ignore_index=True)))


def _dimension_names() -> dict[str, list[str]]:
    """The dimensions of each framework, in their order."""
    return dimensions().groupby("framework", sort=False)["dimension"].agg(list).to_dict()


def count_words(text: str) -> int:
    """Words as the study counts them: pieces between white space.

    Examples
    --------
    >>> count_words("That is hard -  really hard!")
    6
    """
    return len(text.split())


def _may_be_shown(framework):
    """The framework's row, or an error that says why its text is never shown."""
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
    return policy


def _turns(text: str) -> list[tuple[str, str]]:
    """Speaker and text of each turn; a turn may go over several lines."""
    _, *parts = _TURN.split(_NEWLINE.sub("\n", text))
    return [(speaker, said.strip()) for speaker, said in zip(parts[::2], parts[1::2], strict=True)]


def _fewest_raters(means) -> int:
    """The smallest n for which n times each mean is a whole number (means have 9 decimals)."""
    return next(
        number
        for number in range(1, _MOST_RATERS + 1)
        if all(abs(number * mean - round(number * mean)) < 1e-6 for mean in means)
    )
