"""What a rating may be: the declared scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from raters.errors import RatingsError

MEASUREMENTS = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True)
class Scale:
    """A rating scale, declared before any rating is looked at.

    A scale is never guessed from the levels that happen to occur: a level that
    nobody used is still a level.

    Parameters
    ----------
    levels : sequence of int, float or str
        The levels in order, lowest first. Text levels are names such as
        ``"low"``; the order is the one given here, never the alphabet's.
    values : sequence of float, optional
        The number of each level, on which distances are measured. Numeric
        levels are their own values; text levels get 1, 2, 3, ...
    measurement : {"ordinal", "nominal", "interval", "ratio"}
        What the levels mean. Default ``"ordinal"``.
    between : bool
        Whether a rating may lie between the lowest and the highest level, as
        the mean of several people's ratings does. Default False.
    outside : sequence of str
        Answers that may occur but are no level, such as a judge's ``"unsure"``.
        Percent agreement and F1 count them as misses; everything else leaves them
        out. Their value is infinite. Default: none.

    Raises
    ------
    RatingsError
        Fewer than two levels, a level given twice, values that do not increase,
        or a measurement that does not exist.

    Examples
    --------
    >>> Scale([1, 2, 3, 4, 5]).values
    (1.0, 2.0, 3.0, 4.0, 5.0)
    >>> Scale(["low", "medium", "high"]).value_of("high")
    3.0
    """

    levels: Sequence
    values: Sequence[float] | None = None
    measurement: str = "ordinal"
    between: bool = False
    outside: Sequence[str] = ()
    _by_name: Mapping = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        levels = tuple(self.levels)
        if len(levels) < 2 or len(set(levels)) != len(levels):
            raise RatingsError(
                f"the levels {list(levels)}",
                "two or more different levels, lowest first",
                "declare each level of the scale once, also those that nobody used",
            )
        if self.measurement not in MEASUREMENTS:
            raise RatingsError(
                f"measurement={self.measurement!r}",
                ", ".join(MEASUREMENTS),
                "name one of these",
            )
        self._check_outside(levels)
        values = self._numbers(levels)
        if self.measurement != "nominal" and any(b <= a for a, b in zip(values, values[1:])):
            raise RatingsError(
                f"levels with the values {list(values)}",
                "values that increase from the first level to the last",
                "list the levels lowest first, or give increasing values",
            )
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "values", values)
        object.__setattr__(
            self, "_by_name", {_name(level): value for level, value in zip(levels, values)}
        )

    def _check_outside(self, levels):
        outside = [self.outside] if isinstance(self.outside, str) else list(self.outside)
        names = tuple(_name(answer) for answer in outside)
        both = [name for name in names if name in {_name(level) for level in levels}]
        if both:
            raise RatingsError(
                f"the answer {both[0]!r} as a level and as outside the levels",
                "outside= names answers that are no level",
                "take it from one of the two",
            )
        object.__setattr__(self, "outside", names)

    def _numbers(self, levels):
        given = self.values
        if given is None:
            numeric = all(isinstance(v, Real) and not isinstance(v, bool) for v in levels)
            given = levels if numeric else range(1, len(levels) + 1)
        values = tuple(float(v) for v in given)
        if len(values) != len(levels) or not np.isfinite(values).all():
            raise RatingsError(
                f"{len(values)} values {list(values)} for {len(levels)} levels",
                "one finite number for each level",
                "give as many values as levels, or none",
            )
        return values

    @property
    def low(self) -> float:
        """The smallest value of the scale."""
        return min(self.values)

    @property
    def high(self) -> float:
        """The largest value of the scale."""
        return max(self.values)

    def value_of(self, rating) -> float:
        """The number of one rating, or NaN where it is not on the scale.

        Parameters
        ----------
        rating : int, float or str
            A level, a level's name, or a number written as text (``" 3 "``).

        Returns
        -------
        float
            The value; infinite for an answer declared as outside the levels, NaN
            when the rating is not on the scale.
        """
        if self.outside and (_name(rating) in self.outside or rating == np.inf):
            return np.inf
        if isinstance(rating, (bool, np.bool_)):
            return self._by_name.get(str(rating), np.nan)
        if isinstance(rating, str):
            known = self._by_name.get(rating.strip())
            if known is not None:
                return known
            if not all(isinstance(level, Real) for level in self.levels):
                return np.nan
        try:
            number = float(rating)
        except (TypeError, ValueError):
            return np.nan
        if number in self.values:
            return number
        inside = self.between and self.low <= number <= self.high
        return number if inside else np.nan

    def name_of(self, value: float) -> str:
        """The level with a value, as text; of a value between levels the number itself.

        Parameters
        ----------
        value : float
            A value of the scale.

        Returns
        -------
        str

        Examples
        --------
        >>> Scale(["low", "medium", "high"]).name_of(3.0)
        'high'
        """
        for level, number in zip(self.levels, self.values):
            if abs(number - value) < 1e-9:
                return _name(level)
        return f"{value:g}"

    def describe(self) -> str:
        """The scale in a few words, for messages and captions."""
        text = ", ".join(_name(level) for level in self.levels)
        text += " and numbers between them" if self.between else ""
        return text + (f"; outside the levels: {', '.join(self.outside)}" if self.outside else "")


def _name(level) -> str:
    numeric = isinstance(level, Real) and not isinstance(level, bool)
    return f"{level:g}" if numeric else str(level).strip()


def scale_for(scale, framework: str, dimension: str) -> Scale:
    """The scale of one dimension, from one scale or a mapping of scales.

    Parameters
    ----------
    scale : Scale or mapping
        One scale for everything, or a mapping whose keys are
        ``(framework, dimension)``, a framework, or a dimension.
    framework, dimension : str
        What is asked for.

    Returns
    -------
    Scale

    Raises
    ------
    RatingsError
        The mapping has no scale for this dimension.

    Examples
    --------
    >>> scale_for({"epitome": Scale([0, 1, 2])}, "epitome", "explorations").high
    2.0
    """
    if isinstance(scale, Scale):
        return scale
    if isinstance(scale, Mapping):
        for key in ((framework, dimension), framework, dimension):
            if key in scale:
                return scale[key]
        raise RatingsError(
            f"no scale for dimension {dimension!r} of framework {framework!r}",
            f"a scale for every dimension; declared: {[str(key) for key in scale]}",
            "add the missing scale under (framework, dimension), the framework or the dimension",
        )
    raise RatingsError(
        f"a scale of type {type(scale).__name__}",
        "a Scale, or a mapping from framework or dimension to Scale",
        "declare it, for example Scale([1, 2, 3, 4, 5])",
    )
