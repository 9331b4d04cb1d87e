"""What was read of files of ratings, and what was not and why."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from raters.io.config import Config
from raters.io.notes import Note
from raters.scale import Scale
from raters.text import count_of

COLUMNS = ["dimension", "item", "rater", "group", "rating", "file", "line"]
PAIRS = ["item", "rater", "dimension", "result", "rating", "n_orders"]
PROBLEMS = ["file", "line", "column", "value", "code", "reason"]


@dataclass(frozen=True)
class Reading:
    """What was read, and what was not and why.

    Parameters
    ----------
    ratings : DataFrame
        The columns ``dimension, item, rater, group, rating, file, line``, ready for
        `raters.measures`; a missing rating is NaN. `rating` holds numbers on a numeric
        scale, names of levels on others.
    scale : Scale or dict of str to Scale
        The declared scale, by dimension where there are several.
    problems : DataFrame
        Rows that could not be read and were left out: ``file, line, column, value, code,
        reason``; the code is the reason in a word, such as ``off-scale`` or ``second-rating``.
    left_out : DataFrame
        What is no rating: ``file, reason, n``.
    missing : DataFrame
        Missing ratings by how they were written: ``file, cell, n``.
    answers : DataFrame
        Free-text answers of judges: ``file, rater, kind, code, n`` with the kinds parsed,
        refused, missing and unreadable.
    pairs : DataFrame
        Verdicts on pairs in both orders, as `raters.io.answers.settle_pairs` returns them.
    files : DataFrame
        ``file, format, rows, ratings``.
    notes : tuple of Note
        What a reader of the result has to be told: sentences, each with its `code`.
    config : Config
        What was declared.
    """

    ratings: pd.DataFrame
    scale: Scale | dict[str, Scale]
    problems: pd.DataFrame
    left_out: pd.DataFrame
    missing: pd.DataFrame
    answers: pd.DataFrame
    pairs: pd.DataFrame
    files: pd.DataFrame
    notes: tuple[Note, ...]
    config: Config

    @property
    def counts(self) -> dict:
        """What was read, in numbers; items, raters, dimensions, ratings, missing, dropped."""
        rated = self.ratings["rating"].notna()
        kinds = self.answers.groupby("kind")["n"].sum().to_dict() if len(self.answers) else {}
        return {
            "files": len(self.files),
            "items": int(self.ratings["item"].nunique()),
            "raters": int(self.ratings["rater"].nunique()),
            "dimensions": int(self.ratings["dimension"].nunique()),
            "ratings": int(rated.sum()),
            "missing": int((~rated).sum()),
            "dropped": len(self.problems),
            "left_out": int(self.left_out["n"].sum()),
            "answers": {kind: int(n) for kind, n in kinds.items()},
        }

    def to_dict(self) -> dict:
        """Everything but the ratings, for machines."""
        tables = ("problems", "left_out", "missing", "answers", "files")
        records = {name: getattr(self, name).to_dict("records") for name in tables}
        said = {"notes": [str(note) for note in self.notes], "codes": [n.code for n in self.notes]}
        return {"counts": self.counts} | said | records

    def __repr__(self):
        return str(self)

    def __str__(self):
        counts = self.counts
        lines = [
            f"{count_of(counts['ratings'], 'rating')} of {count_of(counts['items'], 'item')} by "
            f"{count_of(counts['raters'], 'rater')} on "
            f"{count_of(counts['dimensions'], 'dimension')}; "
            f"{counts['missing']:,} missing, {counts['dropped']:,} dropped"
        ]
        return "\n".join([*lines, *(f"- {note}" for note in self.notes)])
