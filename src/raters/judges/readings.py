"""What is compared with what: the readings of a judge's agreement and the experts' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np

from raters.coefficients import MANY, NEEDS_ORDER, PAIR
from raters.coefficients.base import NOTHING_SHARED, Reason, notes
from raters.results import Estimate
from raters.scale import nearest_level

READINGS = ("paper", "single", "leave_one_out", "replacement")
IN_TURN = "each in turn"  # the mean over the experts that the judge replaces
_WHO = 3  # pairs of raters that a note names
# These count positions among the values that occur, so a mean would be a level of its own.
_BY_POSITION = {"weighted_kappa_quadratic_published"}


class Coefficients:
    """Coefficients of columns of one dimension, each computed once."""

    def __init__(self, scale):
        self.scale, self.sums = scale, {}

    def add(self, name, function, *columns):
        """The key of a coefficient of some columns."""
        x = np.column_stack(columns)
        key = (name, x.tobytes())
        if key not in self.sums:
            self.sums[key] = function(x, self.scale)
        return key


@dataclass(frozen=True)
class Side:
    """Coefficients that are summarised into one number, and whose they are."""

    keys: list
    who: list
    how: Callable = np.mean

    def of(self, by_key: dict, what: str) -> np.ndarray:
        """The estimates, draws or leave-one-out values, summarised over the coefficients."""
        return self.how(np.array([getattr(by_key[key], what) for key in self.keys]), axis=0)


def remarks(by_key: dict[tuple, Estimate], *sides: Side) -> str:
    """The coefficients' notes, each once, with the raters whom it is about."""
    about = {}
    for key, who in [pair for side in sides for pair in zip(side.keys, side.who)]:
        if by_key[key].note:
            about.setdefault(by_key[key].note, []).append(who)
    told = []
    for note, whose in about.items():
        whose = list(dict.fromkeys(whose))
        more = f" and {len(whose) - _WHO} more" if len(whose) > _WHO else ""
        told.append(f"{note} ({', '.join(whose[:_WHO])}{more})")
    return notes(*told)


class Case:
    """One judge and the experts on one dimension, on the items that serve both sides.

    An answer outside the levels is a rating only for coefficients that count it as a miss.
    """

    def __init__(self, table, names: Sequence[str], place: int, judge_name: str, misses: bool):
        x = table.values if misses else np.where(np.isinf(table.values), np.nan, table.values)
        experts, judge = x[:, : len(names)], x[:, place]
        rated = ~np.isnan(experts)
        there = ~np.isnan(judge)
        self.counted = there & (rated.sum(axis=1) >= 2)
        self.undefined = "" if self.counted.any() else NOTHING_SHARED
        self.experts = np.where(self.counted[:, None], experts, np.nan)
        self.judge = np.where(self.counted, judge, np.nan)
        self.names, self.judge_name, self.scale = names, judge_name, table.scale
        anybody = rated.any(axis=1) | there
        alone = int((there & anybody & ~self.counted).sum())
        absent = int((anybody & ~there).sum())
        if self.counted.any():
            self.note = notes(
                f"items without a rating by {judge_name}, left out on both sides: {absent}"
                if absent
                else "",
                f"items with fewer than two experts, left out: {alone}" if alone else "",
            )
        else:
            why = f"no item with ratings by {judge_name} and two experts"
            self.note = str(Reason(NOTHING_SHARED, why))

    @cached_property
    def disagree(self) -> np.ndarray:
        """On which of the items that count somebody differs from somebody else."""
        x = np.column_stack([self.experts, self.judge])
        low = np.where(np.isnan(x), np.inf, x).min(axis=1)
        high = np.where(np.isnan(x), -np.inf, x).max(axis=1)
        return self.counted & (low < high)

    @cached_property
    def away(self) -> int:
        """Ratings off the commonest level, of the rater who has fewest."""
        x = np.column_stack([self.experts, self.judge])
        values, often = np.unique(x[~np.isnan(x)], return_counts=True)
        if not values.size:
            return 0
        return int((~np.isnan(x) & (x != values[often.argmax()])).sum(axis=0).min())

    def pairs(self, name, function, coefficients):
        """The expert pairs; each both ways round where the first is the reference."""
        places = range(len(self.names))
        pairs = (permutations if _one_sided(name) else combinations)(places, 2)
        keys, who = [], []
        for a, b in pairs:
            keys.append(coefficients.add(name, function, self.experts[:, a], self.experts[:, b]))
            who.append(f"{self.names[a]} and {self.names[b]}")
        return keys, who

    def between(self, name):
        """A note on the judge's ratings that are no level, where only equal counts."""
        if _by_distance(name) or name.startswith("f1_"):  # F1 itself refuses them
            return ""
        judge = self.judge[np.isfinite(self.judge)]
        levels = np.array(self.scale.values, float)
        off = int((np.abs(judge[:, None] - levels).min(axis=1, initial=np.inf) > 1e-9).sum())
        return (
            f"ratings by {self.judge_name} between levels, which equal none: {off} (round_ratings)"
            if off
            else ""
        )

    def with_judge(self, expert):
        """How a note calls the judge and an expert."""
        return f"{self.names[expert]} and {self.judge_name}"


def counts_misses(name):
    """Whether an answer outside the levels counts; a user's own function gets to see it."""
    known = name in PAIR or name in MANY or name.startswith("f1_")
    return not known or name.startswith("f1_") or "percent_agreement" in name


def _by_distance(name):
    """Whether a number between levels is as good as a level."""
    return name in NEEDS_ORDER and name not in _BY_POSITION


def _one_sided(name):
    """Whether it matters which of two raters comes first; unknown for a user's own function."""
    return name.startswith("f1_weighted") or (name not in PAIR and name not in MANY)


def _paper(case, coefficients, name, function):
    reference, note = _reference(case.experts, "median", name, case.scale)
    key = coefficients.add(name, function, reference, case.judge)
    value = Side([key], [f"expert median and {case.judge_name}"])
    yield "", value, Side(*case.pairs(name, function, coefficients), np.median), note


def _single(case, coefficients, name, function):
    places = range(len(case.names))
    keys = [coefficients.add(name, function, case.experts[:, j], case.judge) for j in places]
    value = Side(keys, [case.with_judge(j) for j in places])
    yield "", value, Side(*case.pairs(name, function, coefficients)), ""


def _leave_one_out(case, coefficients, name, function):
    keys, remarks_on = {"judge": [], "expert": []}, []
    for j in range(len(case.names)):
        expert = case.experts[:, j]
        others, note = _reference(np.delete(case.experts, j, axis=1), "mean", name, case.scale)
        # The same items for both: those that the expert who is left out rated too.
        others = np.where(np.isnan(expert), np.nan, others)
        keys["judge"].append(coefficients.add(name, function, others, case.judge))
        keys["expert"].append(coefficients.add(name, function, others, expert))
        remarks_on.append(note)
    value = Side(
        keys["judge"], [f"experts without {one} and {case.judge_name}" for one in case.names]
    )
    ceiling = Side(keys["expert"], [f"experts without {one} and {one}" for one in case.names])
    yield "", value, ceiling, notes(*dict.fromkeys(remarks_on))


def _replacement(case, coefficients, name, function):
    everybody = coefficients.add(name, function, *case.experts.T)
    ceiling = Side([everybody], ["experts"])
    keys, who = [], []
    for j, expert in enumerate(case.names):
        x = case.experts.copy()
        x[:, j] = np.where(np.isnan(x[:, j]), np.nan, case.judge)
        keys.append(coefficients.add(name, function, *x.T))
        who.append(f"{case.judge_name} for {expert}")
        yield expert, Side(keys[-1:], who[-1:]), ceiling, ""
    yield IN_TURN, Side(keys, who), ceiling, ""


SIDES: dict[str, Callable[..., Iterator[tuple[str, Side, Side, str]]]] = {
    "paper": _paper,
    "single": _single,
    "leave_one_out": _leave_one_out,
    "replacement": _replacement,
}


def _reference(x, how, name, scale):
    """The experts as one column: median or mean, on levels where the coefficient needs them."""
    x = np.where(np.isfinite(x), x, np.nan)
    summary = np.full(len(x), np.nan)
    there = np.isfinite(x).any(axis=1)
    if scale.measurement == "nominal":
        summary[there] = [_mode(row) for row in x[there]]
        return summary, f"labels have no {how}: the experts' mode is the reference"
    summary[there] = {"median": np.nanmedian, "mean": np.nanmean}[how](x[there], axis=1)
    if _by_distance(name):
        return summary, ""
    rounded = nearest_level(summary, scale)
    changed = int((np.abs(rounded - summary) > 1e-9).sum())
    return rounded, f"the experts' {how} rounded to the nearest level" if changed else ""


def _mode(row):
    values, counts = np.unique(row[np.isfinite(row)], return_counts=True)
    first = counts == counts.max()
    return values[first][0] if first.sum() == 1 else np.nan
