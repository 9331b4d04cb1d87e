"""The ratings of one dimension, as the coefficients read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from raters.coefficients.base import NO_VARIATION, NOTHING_SHARED, SAME, Reason, code_of, notes
from raters.scale import Scale

# A coefficient rests on few items if at most so many (or such a share) of them hold any
# rating but the most common one. With fewer than _MANY_ITEMS there is nothing to point out.
_MANY_ITEMS, _FEW_ITEMS, _FEW_SHARE = 10, 2, 0.05
NO_SHARED_ITEM = Reason(NOTHING_SHARED, "no item has ratings by both")


@dataclass(frozen=True, eq=False)
class Ratings:
    """A matrix of ratings, and what several coefficients need of it, computed once.

    Parameters
    ----------
    values : ndarray, shape (rows, raters)
        NaN where a rating is missing.
    scale : Scale
        The declared scale.
    counts : ndarray, shape (rows,), optional
        How many items have this row. Default: each row is one item.
    raters : sequence of str
        Names for the notes.
    middle : float, optional
        A whole number near the mean, which values are taken from before they are squared.

    Examples
    --------
    >>> x = Ratings(np.array([[1.0, 1.0], [1.0, 2.0]]), Scale([1, 2]), counts=np.array([3, 1]))
    >>> x.items(x.both)
    4
    """

    values: np.ndarray
    scale: Scale
    counts: np.ndarray | None = None
    raters: Sequence[str] = ()
    middle: float | None = None

    @classmethod
    def of(cls, x, scale: Scale) -> Ratings:
        """The same where `x` is that already; else from a matrix."""
        return x if isinstance(x, cls) else cls(np.asarray(x, float), scale)

    def like(self, values, scale=None) -> Ratings:
        """The same rows with other values."""
        return Ratings(values, scale or self.scale, self.counts, self.raters)

    def items(self, rows: np.ndarray) -> int:
        """How many items some rows (a mask) stand for."""
        return int(np.count_nonzero(rows) if self.counts is None else self.counts[rows].sum())

    def ratings(self, number: np.ndarray) -> int:
        """How many ratings there are, from the number in each row."""
        return int(number.sum() if self.counts is None else number @ self.counts)

    @cached_property
    def there(self) -> np.ndarray:
        """Which cells hold a rating on the scale."""
        return np.isfinite(self.values)

    @cached_property
    def full(self) -> bool:
        """Whether every cell holds a rating on the scale."""
        return bool(self.there.all())

    @cached_property
    def centre(self) -> float:
        """The whole number that values are taken from: small squares, exact zeros."""
        return centre(self.values[self.there]) if self.middle is None else self.middle

    @cached_property
    def rounded(self) -> np.ndarray:
        """The values without the noise of their last digits."""
        return np.round(self.values, 9)

    # --- many raters -----------------------------------------------------------

    @cached_property
    def number(self) -> np.ndarray:
        """Ratings in each row."""
        return self.there.sum(axis=1)

    @cached_property
    def pairable(self) -> Ratings:
        """Only the rows with two ratings or more; the others become empty."""
        if self.full and self.values.shape[1] > 1:
            return self
        kept = (self.number >= 2)[:, None] & self.there
        return Ratings(
            np.where(kept, self.values, np.nan), self.scale, self.counts, self.raters, self.centre
        )

    @cached_property
    def alone(self) -> int:
        """Items with a single rating."""
        return self.items(self.number == 1)

    @cached_property
    def complete(self) -> np.ndarray:
        """Rows that everybody rated."""
        return self.there.all(axis=1)

    @cached_property
    def left_out(self) -> str:
        """What a coefficient for complete rows leaves out."""
        some = self.items(self.there.any(axis=1) & ~self.complete)
        return f"items that not everybody rated, left out: {some}" if some else ""

    @cached_property
    def observed(self) -> np.ndarray:
        """The different values that occur, sorted."""
        return observed_values(self.values)

    @cached_property
    def declared(self) -> np.ndarray:
        """The values of the scale, and values between them that occur, sorted."""
        return np.unique(np.concatenate([np.round(self.scale.values, 9), self.observed]))

    def level_counts(self, values: np.ndarray) -> np.ndarray:
        """How often each row holds each value, shape (values, rows)."""
        return (self.rounded[None, :, :] == values[:, None, None]).sum(axis=2).astype(float)

    @cached_property
    def declared_counts(self) -> np.ndarray:
        """How often each row holds each declared value, shape (values, rows)."""
        return self.level_counts(self.declared)

    @cached_property
    def observed_counts(self) -> np.ndarray:
        """How often each row holds each value that occurs, shape (values, rows)."""
        return self.level_counts(self.observed)

    # --- two raters --------------------------------------------------------------

    @property
    def both(self) -> np.ndarray:
        """Rows that both of two raters rated."""
        return self.complete

    @cached_property
    def sides(self) -> np.ndarray:
        """The two raters on the rows that both rated, shape (2, rows)."""
        return (self.values if self.full else self.values[self.both]).T

    @cached_property
    def constant_side(self) -> str:
        """Which of the two gives everything one rating, and which rating; or ""."""
        low, high = self.sides.min(axis=1, initial=np.inf), self.sides.max(axis=1, initial=-np.inf)
        for which, (name, side) in enumerate(zip(("first", "second"), self.sides)):
            if side.size and high[which] - low[which] <= SAME:
                who = self.raters[which] if self.raters else f"the {name} rater"
                given = self.scale.name_of(side[0])
                return f"{who} gives {given} to all {self.items(self.both)} items"
        return ""

    def one_sided(self, outside_counts: bool = False) -> str:
        """What is left out, or counts as a miss: rated by one, or with no level as answer."""
        if self.full:
            return ""
        missing = np.isnan(self.values)
        outside = self.items(~missing.any(axis=1) & np.isinf(self.values).any(axis=1))
        alone = self.items(missing.sum(axis=1) == 1)
        what = "count as misses" if outside_counts else "left out"
        return notes(
            f"items that only one of the two rated, left out: {alone}" if alone else "",
            f"items with an answer outside the levels, {what}: {outside}" if outside else "",
        )

    @cached_property
    def shared_note(self) -> str:
        """Why nothing is shared, or what is left out."""
        return self.one_sided() if self.both.any() else NO_SHARED_ITEM

    @cached_property
    def pair_note(self) -> str:
        """What a reader must know about the table of two raters, or ""."""
        if not self.both.any():
            return NO_SHARED_ITEM
        note = self.variation(self.both, "ratings by both")
        one_sided = "" if code_of(note) else self.constant_side
        return notes(note, one_sided, self.one_sided())

    # --- what there is to agree on ---------------------------------------------------

    def variation(self, rows: np.ndarray, what: str) -> str:
        """Why there is nothing to agree on in some rows, or little, where that is so."""
        if self.full and len(rows) and rows.all():
            # The usual case, at little cost: where raters differ, one rating is not the common one.
            apart = np.abs(self.values[:, 1:] - self.values[:, :1]) > SAME
            if self.counts is None and _enough(np.count_nonzero(apart.any(axis=1)), rows.size):
                return ""
            there, number = self.there, np.full(rows.size, self.values.shape[1])
        else:
            there = self.there & rows[:, None]
            number = there.sum(axis=1)
        total = self.ratings(number)
        if not total:
            return Reason(NOTHING_SHARED, f"no item has {what}")
        # A level that nearly all items hold alone is the middle one of all ratings.
        common = self._middle_one(there)
        other = there & (np.abs(self.values - common) > SAME)
        with_other = other.any(axis=1)
        others = self.items(with_other)
        if not others:
            name = self.scale.name_of(common)
            why = f"all {total} ratings are {name}, no variation to agree on"
            return Reason(NO_VARIATION, why)
        items = self.items(number > 0)
        if items < _MANY_ITEMS or _enough(others, items):
            return ""
        share = 1 - self.ratings(other.sum(axis=1)) / total
        return (
            f"{share:.1%} of the ratings are {self.scale.name_of(common)}: "
            f"the coefficient rests on {others} of {items} items, those with another rating"
        )

    def _middle_one(self, there):
        given = self.values[there]
        if self.counts is None:
            return np.partition(given, given.size // 2)[given.size // 2]
        often = np.broadcast_to(self.counts[:, None], there.shape)[there]
        order = np.argsort(given)
        reached = np.cumsum(often[order])
        return given[order][np.searchsorted(reached, reached[-1] // 2, side="right")]


def _enough(others, items):
    """Whether so many items with another rating than the common one are not few."""
    return others > max(_FEW_ITEMS, _FEW_SHARE * items)


def centre(values: np.ndarray) -> float:
    """A whole number near the mean of some finite values: squares stay small, zeros exact."""
    return float(np.rint(values.mean())) if values.size else 0.0


def observed_values(x: np.ndarray) -> np.ndarray:
    """The different values that occur, sorted."""
    return np.unique(np.round(x[np.isfinite(x)], 9))
