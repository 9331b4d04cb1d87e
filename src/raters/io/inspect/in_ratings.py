"""What shows only in the ratings as read: doubles, no overlap, zeros, a turned scale."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.io.config import Config
from raters.io.formats import Limits, Table
from raters.io.inspect.findings import Finding, on
from raters.io.inspect.proposal import holds_ratings
from raters.io.joined import SECOND
from raters.io.notes import overlap_notes
from raters.io.read import read_named
from raters.io.reading import Reading
from raters.text import count_of, few


def in_proposed(
    named: Sequence[tuple[Path, str]],
    config: Config,
    limits: Limits,
    tables: Mapping[str, Table],
) -> tuple[list[Finding], set[str]]:
    """Read the files as proposed: what is odd, and the dimensions on which 0 is doubtful."""
    rated = [(path, name) for path, name in named if holds_ratings(config.source_of(name))]
    if not rated:
        return [], set()
    try:
        reading = read_named(rated, config, None, limits, tables)
    except RatingsError as error:
        what = f"the proposal cannot be read yet: {error.given}"
        return [Finding("file", "", what, error.todo)], set()
    return in_reading(reading, [name for _, name in rated])


def in_reading(reading: Reading, rated: Collection[str]) -> tuple[list[Finding], set[str]]:
    """As `in_proposed`; `rated` are the files with ratings that are no free text."""
    warnings = _doubles(reading)
    ratings = reading.ratings[reading.ratings["rating"].notna()]
    if len(rated) < len(reading.files):
        ratings = ratings[ratings["file"].isin(rated)]
    items, _ = pd.factorize(ratings["item"])
    raters, names = pd.factorize(ratings["rater"])
    for note in overlap_notes(items, raters, np.ones(len(ratings), bool), list(names)):
        if note.code in ("no-overlap", "nothing-shared"):
            todo = "There is nothing to compare; check that the ids are the same in all files"
            warnings.append(Finding("no-overlap", "", note, todo))
    doubtful = {}
    if ratings["rating"].dtype == float:
        doubtful = _zeros(ratings)
        warnings += [*doubtful.values(), *_backwards(ratings)]
    return warnings, set(doubtful)


def _doubles(reading):
    doubles = reading.problems[reading.problems["code"] == SECOND]
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
            mean = f"; on the same items others give {others.mean():.1f} on average"
            are = "are" if len(zeros) > 1 else "is"
            warnings[dimension] = Finding(
                "zero",
                "",
                f"{count_of(len(zeros), 'rating')}{on(dimension)} {are} 0"
                + (mean if len(others) else ""),
                "Is 0 a level, or 'not rated'? Declare it: in levels, or missing = [0]",
            )
    return warnings


def judges_backwards(
    ratings: pd.DataFrame, judges: Sequence[str], experts: Sequence[str]
) -> list[str]:
    """Judges whose ranks run against those of all experts.

    A sentence for each judge and dimension. The `ratings` are those of a `Reading`.

    >>> rows = [(str(n), r, n if r == "e" else 9 - n) for n in range(9) for r in ("e", "j")]
    >>> frame = pd.DataFrame(rows, columns=["item", "rater", "rating"]).assign(dimension="all")
    >>> judges_backwards(frame.astype({"rating": float}), ["j"], ["e"])[0][:39]
    'j runs against all experts: perhaps the'
    """
    if ratings["rating"].dtype != float:
        return []
    warnings = []
    for judge in judges:
        part = ratings[ratings["rater"].isin([judge, *experts]) & ratings["rating"].notna()]
        for dimension, rows in part.groupby("dimension", sort=False):
            wide = _wide(rows.drop_duplicates(["item", "rater"]))
            others = [one for one in experts if one in wide]
            if judge in wide and _against_all(wide, judge, others):
                warnings.append(
                    f"{judge} runs against all experts{on(dimension)}: perhaps the scale was "
                    "used from the other end; ask, then declare [reversed]"
                )
    return warnings


def _wide(ratings):
    return ratings.pivot(index="item", columns="rater", values="rating")


def _against_all(wide, rater, others):
    """Whether the ranks of a rater run against those of each other rater who shares items."""
    values = [_spearman(wide[rater], wide[other]) for other in others]
    values = [value for value in values if value is not None]
    return bool(values) and max(values) <= _AGAINST


def _backwards(ratings):
    """Raters whose ranks run against those of the others."""
    warnings = []
    for dimension, part in ratings.groupby("dimension", sort=False):
        part = part.drop_duplicates(["item", "rater"])
        n_raters = part["rater"].nunique()
        if not 2 <= n_raters <= 2000:
            continue
        turned = _turned(part) if n_raters <= 30 else _turned_of_many(part)
        if turned:
            runs = f"{few(turned, 5)} run{'s' if len(turned) == 1 else ''}"
            either = " (one of the two)" if n_raters == 2 else ""
            warnings.append(
                Finding(
                    "backwards",
                    "",
                    f"{runs} against all others{on(dimension)}{either}",
                    "Perhaps the scale was used from the other end: ask, then declare [reversed]",
                )
            )
    return warnings


def _turned(part):
    wide = _wide(part)
    raters = part["rater"].unique()
    return [one for one in raters if _against_all(wide, one, [o for o in wide if o != one])]


def _turned_of_many(part):
    """As `_turned`, each rater held against the mean of the others."""
    means = part.groupby("item")["rating"].agg(["sum", "count"])
    turned = []
    for rater, own in part.groupby("rater", sort=False):
        rest = means.loc[own["item"]]
        others = (rest["sum"].to_numpy() - own["rating"].to_numpy()) / (
            rest["count"].to_numpy() - 1
        )
        value = _spearman(own["rating"].reset_index(drop=True), pd.Series(others))
        if value is not None and value <= _AGAINST:
            turned.append(rater)
    return turned


_AGAINST = -0.5  # of the rank correlation


def _spearman(a, b):
    both = a.notna() & b.notna() & np.isfinite(a) & np.isfinite(b)
    if both.sum() < 5 or a[both].nunique() < 2 or b[both].nunique() < 2:
        return None
    n = int(both.sum())
    value = float(np.corrcoef(a[both].rank(), b[both].rank())[0, 1])
    # Chance alone reaches 2 / sqrt(n - 1) in one of forty pairs.
    return value if abs(value) >= min(0.9, 2 / np.sqrt(n - 1)) else 0.0
