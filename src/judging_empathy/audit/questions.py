"""What the twenty questions share: where they are kept, and what an answer is made of.

What a question asks is text (`data/questions.csv`); how its answer is computed stands in
the module of its subject, beside the tables that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judging_empathy.data.files import data_dir

CHANGED = ("no", "partly", "yes")
UNKNOWN = "not defined"
KEYS = ["framework", "dimension"]
PANEL = "panel_median"
CENTRED = "weighted_kappa_quadratic_centred"
ALPHA = "krippendorff_alpha_interval"
P = 0.05
_STAYS = 0.95  # a claim of many statements that moves on one in twenty has not changed


@dataclass(frozen=True)
class Found:
    """The two numbers of an answer, what they say, and the claim held against both."""

    published: float
    plain: float
    effect: str
    changed: str
    why: str


# How each question is answered, by its number.
ANSWERS: dict[str, Callable] = {}


def question(number: str) -> Callable:
    """Put a function among the answers: it takes an `answers.Evidence`, and gives `Found`."""

    def add(answer):
        ANSWERS[number] = answer
        return answer

    return add


def asked() -> pd.DataFrame:
    """The questions in their order, as text.

    ``question, topic, code_does, plain, quantity, where``.

    >>> len(asked())
    39
    """
    path = data_dir() / "questions.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")


def changed(before: Sequence, after: Sequence) -> str:
    """Whether statements that held under one recipe hold under another.

    ``"no"``, ``"partly"`` or ``"yes"``; see `answers.answers`. Both sides have the statements in
    the same order: True or False, or labels such as 1, 0, -1.

    >>> changed([True, False], [True, False]), changed([True, True], [True, False])
    ('no', 'partly')
    >>> changed([True, False], [False, False])
    'yes'
    """
    before, after = np.asarray(before), np.asarray(after)
    same = before == after
    if same.mean() >= _STAYS:
        return "no"
    held = before.astype(bool)
    return "partly" if (same[held] if held.any() else same).any() else "yes"


# What the two sides of a claim are called; the second where both are made by one recipe.
RECIPES = ("by the published recipe", "by the plain one")
CLEARLY = ("by the estimates", "clearly, by the interval")


def claim(published, plain, effect, claim, before, after, named=RECIPES):
    """An answer whose conclusion is a claim that is true or false in several places."""
    before, after = np.asarray(before, bool), np.asarray(after, bool)
    why = (
        f"{claim}: {before.sum()} of {before.size} {named[0]}, {after.sum()} {named[1]}, "
        f"{(before & after).sum()} both times."
    )
    return Found(float(published), float(plain), effect, changed(before, after), why)


def missing(reason):
    """An answer that these ratings cannot give."""
    return Found(np.nan, np.nan, f"Not defined: {reason}.", UNKNOWN, f"Not defined: {reason}.")


def counts(found, reading, judge):
    """How many dimensions are clearly below, clearly above and open."""
    row = found[(found["reading"] == reading) & (found["judge"] == judge)].iloc[0]
    rest = row["dimensions"] - row["below"] - row["above"]
    return f"{row['below']} below, {row['above']} above, {rest} open"
