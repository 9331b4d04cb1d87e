"""What a reader of a reading has to be told: sentences, each with a word for code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from raters.text import count_of

SHOWN = 5


class Note(str):
    """A sentence for people, with the word by which code knows it.

    Parameters
    ----------
    text : str
    code : str

    Examples
    --------
    >>> note = Note("1 item id has lost its digits", "lost-digits")
    >>> note.code, note.startswith("1 item"), note.within("a.csv")
    ('lost-digits', True, 'a.csv: 1 item id has lost its digits')
    """

    __slots__ = ("code",)
    code: str

    def __new__(cls, text: str, code: str) -> Note:
        """A sentence and its code."""
        note = super().__new__(cls, text)
        note.code = code
        return note

    def __getnewargs__(self):
        return str(self), self.code

    def within(self, place: str) -> Note:
        """The same note with its place, such as a file, before it."""
        return Note(f"{place}: {self}" if place else self, self.code)


_OVERLAP_UP_TO = 60


def answer_notes(answers: pd.DataFrame) -> list[Note]:
    """What became of the answers of each judge."""
    notes = []
    for (file, rater), rows in answers.groupby(["file", "rater"], sort=False):
        total = rows["n"].sum()
        by = rows.groupby("kind", sort=False)["n"].sum()
        text = ", ".join(f"{n} {kind}" for kind, n in by.items())
        said = f"of {count_of(total, 'answer')} of {rater}: {text}"
        notes.append(Note(said, "answers").within(file))
        mended = rows.loc[rows["code"] == "repaired", "n"].sum()
        if mended:
            said = f"{count_of(mended, 'answer')} of {rater} parsed after mending the JSON"
            notes.append(Note(said, "mended-answers").within(file))
    return notes


def range_notes(ratings: pd.DataFrame) -> list[Note]:
    """The range and mean of each dimension: a reading that is ten times too big shows there."""
    if ratings["rating"].dtype != float:
        return []
    notes = []
    for dimension, values in ratings.groupby("dimension", sort=False)["rating"]:
        if len(notes) == 12:
            notes.append(Note("and further dimensions", "range"))
            break
        if values.notna().any():
            on = "" if dimension == "all" else f" on {dimension}"
            said = f"from {values.min():g} to {values.max():g}, mean {values.mean():.4g}"
            notes.append(Note(f"ratings{on} {said}", "range"))
    return notes


_LOST = re.compile(r"[-+]?\d+(?:[.,]\d+)?[eE]\+?\d{2,}")
_FLOAT_ID = re.compile(r"\d+\.0+")


def lost_digits(names: Sequence[str], what: str) -> list[Note]:
    """Warnings for ids that a spreadsheet or a float has damaged.

    `what` is item or rater.

    >>> lost_digits(["1.2346E+19", "a"], "item")[0][:46]
    '1 item ids look like 1.2346E+19: their digits '
    """
    notes = []
    lost = [name for name in names if _LOST.fullmatch(name)]
    if lost:
        text = (
            f"{len(lost)} {what} ids look like {lost[0]}: their digits are lost, and different "
            "ids may have become one; export them as text"
        )
        notes.append(Note(text, "lost-digits"))
    floats = [name for name in names if _FLOAT_ID.fullmatch(name)]
    if floats:
        text = (
            f"{len(floats)} {what} ids look like {floats[0]}: numbers that were turned into "
            f"decimals; {floats[0]} and {floats[0].split('.')[0]} are different ids here"
        )
        notes.append(Note(text, "decimal-ids"))
    rounded = [n for n in names if n.isdigit() and len(n) > 15 and n.endswith("0" * (len(n) - 15))]
    if rounded:
        text = (
            f"{len(rounded)} {what} ids such as {rounded[0]} end in zeros after 15 digits, as "
            "spreadsheets leave them: compare them with the source"
        )
        notes.append(Note(text, "rounded-ids"))
    return notes


_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def nearly_same(names: Iterable[str], what: str) -> list[Note]:
    """A warning for ids that are the same but for zeros, spaces, or upper and lower case.

    `what` is item or rater.

    >>> nearly_same(["001", "1", "2"], "item")
    ["1 item ids are the same but for zeros, spaces or case, such as '001' and '1'"]
    """
    first: dict[str, str] = {}
    again = []
    for name in names:
        one_form = unicodedata.normalize("NFKC", name).casefold()
        plain = _ZEROS.sub("", "".join(unicodedata.normalize("NFKC", one_form).split()))
        if first.setdefault(plain, name) != name:
            again.append((first[plain], name))
    if not again:
        return []
    a, b = again[0]
    text = (
        f"{len(again):,} {what} ids are the same but for zeros, spaces or case, such as "
        f"{a!r} and {b!r}"
    )
    notes = [Note(text, "alike-ids")]
    form = next((p for p in again if len({unicodedata.normalize("NFC", n) for n in p}) == 1), None)
    if form:
        # Both look alike when printed.
        text = f"{what} ids in two Unicode forms, such as {ascii(form[0])} and {ascii(form[1])}"
        notes.append(Note(text, "alike-ids"))
    return notes


def overlap_notes(
    item: np.ndarray, rater: np.ndarray, rated: np.ndarray, raters: Sequence[str]
) -> list[Note]:
    """Pairs of raters who share no item or only one, and items that one person rated.

    ``"nothing-shared"`` where no item has two raters, otherwise ``"rated-once"``, for items that
    one person rated; ``"no-overlap"`` and ``"one-item"`` for pairs of raters.
    """
    rated = rated & (item >= 0) & (rater >= 0)
    if not rated.any():
        return []
    # Each rater of an item once, ordered by item.
    rated_items, by = np.divmod(np.unique(item[rated] * len(raters) + rater[rated]), len(raters))
    per_item = np.bincount(rated_items)
    notes = []
    n_items, n_shared = int((per_item > 0).sum()), int((per_item > 1).sum())
    if n_shared < n_items:
        text = f"{n_shared:,} of {n_items:,} items have ratings of two raters or more"
        notes.append(Note(text, "rated-once" if n_shared else "nothing-shared"))
    if 2 <= len(raters) <= _OVERLAP_UP_TO:
        shared = _shared(rated_items, by, len(raters))
        for most, code, words in (
            (0, "no-overlap", "no item: nothing to compare"),
            (1, "one-item", "one item only"),
        ):
            pairs = [
                f"{raters[a]} and {raters[b]}"
                for a in range(len(raters))
                for b in range(a + 1, len(raters))
                if shared[a, b] == most and shared[a, a] and shared[b, b]
            ]
            if pairs:
                more = f" and {len(pairs) - SHOWN} more pairs" if len(pairs) > SHOWN else ""
                text = f"{'; '.join(pairs[:SHOWN])}{more} share {words}"
                notes.append(Note(text, code))
    return notes


def _shared(items, raters, n_raters, block=65_536):
    """How many items every two raters share; on the diagonal those that one rated."""
    shared = np.zeros((n_raters, n_raters))
    for start in range(0, int(items[-1]) + 1, block):
        rows = slice(*np.searchsorted(items, [start, start + block]))
        seen = np.zeros((block, n_raters), np.float32)  # whole numbers, exact in a block
        seen[items[rows] - start, raters[rows]] = 1
        shared += seen.T @ seen
    return shared
