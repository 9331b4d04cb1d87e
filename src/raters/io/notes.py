"""What a reader of a reading has to be told, in sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from raters.text import count_of

SHOWN = 5
_OVERLAP_UP_TO = 60


def answer_notes(answers: pd.DataFrame) -> list[str]:
    """What became of the answers of each judge."""
    notes = []
    for (file, rater), rows in answers.groupby(["file", "rater"], sort=False):
        total = rows["n"].sum()
        by = rows.groupby("kind", sort=False)["n"].sum()
        text = ", ".join(f"{n} {kind}" for kind, n in by.items())
        notes.append(f"{file}: of {count_of(total, 'answer')} of {rater}: {text}")
        mended = rows.loc[rows["code"] == "repaired", "n"].sum()
        if mended:
            notes.append(
                f"{file}: {count_of(mended, 'answer')} of {rater} parsed after mending the JSON"
            )
    return notes


def range_notes(ratings: pd.DataFrame) -> list[str]:
    """The range and mean of each dimension: a reading that is ten times too big shows there."""
    if ratings["rating"].dtype != float:
        return []
    notes = []
    for dimension, values in ratings.groupby("dimension", sort=False)["rating"]:
        if len(notes) == 12:
            notes.append("and further dimensions")
            break
        if values.notna().any():
            on = "" if dimension == "all" else f" on {dimension}"
            notes.append(
                f"ratings{on} from {values.min():g} to {values.max():g}, mean {values.mean():.4g}"
            )
    return notes


_LOST = re.compile(r"[-+]?\d+(?:[.,]\d+)?[eE]\+?\d{2,}")
_FLOAT_ID = re.compile(r"\d+\.0+")


def lost_digits(names: Sequence[str], what: str) -> list[str]:
    """Warnings for ids that a spreadsheet or a float has damaged.

    Parameters
    ----------
    names : sequence of str
    what : str
        Item or rater.

    Returns
    -------
    list of str

    Examples
    --------
    >>> lost_digits(["1.2346E+19", "a"], "item")[0][:46]
    '1 item ids look like 1.2346E+19: their digits '
    """
    notes = []
    lost = [name for name in names if _LOST.fullmatch(name)]
    if lost:
        notes.append(
            f"{len(lost)} {what} ids look like {lost[0]}: their digits are lost, and different "
            "ids may have become one; export them as text"
        )
    floats = [name for name in names if _FLOAT_ID.fullmatch(name)]
    if floats:
        notes.append(
            f"{len(floats)} {what} ids look like {floats[0]}: numbers that were turned into "
            f"decimals; {floats[0]} and {floats[0].split('.')[0]} are different ids here"
        )
    rounded = [n for n in names if n.isdigit() and len(n) > 15 and n.endswith("0" * (len(n) - 15))]
    if rounded:
        notes.append(
            f"{len(rounded)} {what} ids such as {rounded[0]} end in zeros after 15 digits, as "
            "spreadsheets leave them: compare them with the source"
        )
    return notes


_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def nearly_same(names: Iterable[str], what: str) -> list[str]:
    """A warning for ids that are the same but for zeros, spaces, or upper and lower case.

    Parameters
    ----------
    names : iterable of str
    what : str
        Item or rater.

    Returns
    -------
    list of str

    Examples
    --------
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
    notes = [
        f"{len(again):,} {what} ids are the same but for zeros, spaces or case, such as "
        f"{a!r} and {b!r}"
    ]
    form = next((p for p in again if len({unicodedata.normalize("NFC", n) for n in p}) == 1), None)
    if form:
        # Both look alike when printed.
        notes.append(
            f"{what} ids in two Unicode forms, such as {ascii(form[0])} and {ascii(form[1])}"
        )
    return notes


def overlap_notes(item, rater, rated, raters: Sequence[str]) -> list[str]:
    """Pairs of raters who share no item or only one, and items that one person rated.

    Parameters
    ----------
    item, rater : array of int
    rated : array of bool
    raters : sequence of str

    Returns
    -------
    list of str
    """
    from scipy.sparse import coo_matrix

    rated = rated & (item >= 0) & (rater >= 0)
    if not rated.any():
        return []
    shape = (int(item.max()) + 1, len(raters))
    seen = coo_matrix((np.ones(int(rated.sum())), (item[rated], rater[rated])), shape).tocsr()
    seen.data[:] = 1
    per_item = np.asarray(seen.sum(axis=1)).ravel()
    notes = []
    n_items, n_shared = int((per_item > 0).sum()), int((per_item > 1).sum())
    if n_shared < n_items:
        notes.append(f"{n_shared:,} of {n_items:,} items have ratings of two raters or more")
    if 2 <= len(raters) <= _OVERLAP_UP_TO:
        shared = (seen.T @ seen).toarray()
        for few, words in ((0, "no item: nothing to compare"), (1, "one item only")):
            pairs = [
                f"{raters[a]} and {raters[b]}"
                for a in range(len(raters))
                for b in range(a + 1, len(raters))
                if shared[a, b] == few and shared[a, a] and shared[b, b]
            ]
            if pairs:
                more = f" and {len(pairs) - SHOWN} more pairs" if len(pairs) > SHOWN else ""
                notes.append(f"{'; '.join(pairs[:SHOWN])}{more} share {words}")
    return notes
