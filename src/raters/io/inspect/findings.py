"""What a user has to look at, each finding with a word by which code knows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that a user has to look at.

    Parameters
    ----------
    code : str
        What kind: ``zero, backwards, numbers-as-text, lost-digits, off-scale, duplicates,
        no-overlap, alike-ids, no-dimension, totals, decimal-signs, missing-or-label, missing-words,
        encoding, header-rows, counts, json, sheets, columns, row-numbers, layout, ids, pairs,
        previews, bad-rows, left-out, case, file``.
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


def on(dimension: str) -> str:
    """Words for a dimension; a name that is a number is called one."""
    if dimension == "all":
        return ""
    return f" on dimension {dimension}" if dimension.isdigit() else f" on {dimension}"
