"""What a rating may be: the declared scale."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real

import numpy as np

from raters.errors import RatingsError

MEASUREMENTS = ("nominal", "ordinal", "interval", "ratio")
# A rating this close to a level is that level: 0.1 + 0.2, or 0.3 in single precision.
_CLOSE = 1e-7
_SAME_PLACE = 1e-9  # a mean this close to the middle of two levels stands there
_GAP, _LARGEST = 1e-6, 1e9  # between levels, and of a level: what the arithmetic keeps apart
_SHOWN = 12  # levels that a message lists
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

SAME = 1e-9  # ratings that differ by less are one value


@dataclass(frozen=True)
class Scale:
    """A rating scale, declared before any rating is looked at.

    A scale is never guessed from the levels that happen to occur: a level that
    nobody used is still a level.

    Parameters
    ----------
    levels : sequence of int, float, bool or str
        The levels in order, lowest first. Text levels are names such as
        ``"low"``; the order is the one given here, never the alphabet's. Text that
        reads as a number is that number. An ordered categorical gives its categories.
    values : sequence of float, optional
        The number of each level, on which distances are measured. Numeric
        levels are their own values, False and True are 0 and 1; text levels get 1, 2,
        3, ...
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
        Fewer than two levels, or levels without an order (a set); a level given twice or
        missing; values that do not increase, lie too close together, or belong to two
        levels; a measurement that does not exist.

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
        levels = _in_order(self.levels)
        names = [_name(level) for level in levels]
        if len(levels) < 2 or len(set(names)) != len(names):
            raise RatingsError(
                f"the levels {list(levels)}",
                "two or more different levels, lowest first (spaces around a name do not count)",
                "declare each level of the scale once, also those that nobody used",
            )
        if self.measurement not in MEASUREMENTS:
            raise RatingsError(
                f"measurement={self.measurement!r}",
                ", ".join(MEASUREMENTS),
                "name one of these",
            )
        values = self._numbers(levels)
        self._check_values(levels, values)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_by_name", dict(zip(names, values)))
        self._check_outside(names)

    def _check_outside(self, names):
        given = () if self.outside is None else self.outside
        given = [given] if isinstance(given, str) or not isinstance(given, Iterable) else given
        outside = tuple(_name(answer) for answer in given)
        object.__setattr__(self, "outside", ())
        on_the_scale = [name for name in outside if not np.isnan(self.value_of(name))]
        if on_the_scale:
            raise RatingsError(
                f"the answer {on_the_scale[0]!r} as a rating of the scale and as outside of it",
                "outside= names answers that are no rating",
                "take it from one of the two",
            )
        object.__setattr__(self, "outside", outside)

    def _numbers(self, levels):
        own = [number_of(level) for level in levels]
        if self.values is None:
            # Names get the numbers behind those that levels are themselves.
            last = max((number for number in own if number is not None), default=0)
            named = iter(range(int(np.floor(last)) + 1, int(np.floor(last)) + 1 + len(levels)))
            return tuple(float(next(named) if number is None else number) for number in own)
        try:
            if isinstance(self.values, (str, Mapping, Set)):
                raise TypeError
            values = tuple(float(value) for value in self.values)
        except (TypeError, ValueError, OverflowError):
            values = ()
        if len(values) != len(levels) or not np.isfinite(values).all():
            raise RatingsError(
                f"the values {self.values!r} for {len(levels)} levels",
                "a list with one finite number for each level",
                "give as many values as levels, or none",
            )
        for place, number in enumerate(own):
            if number is not None and number in values and values.index(number) != place:
                raise RatingsError(
                    f"the level {_name(levels[place])} with the value {values[place]:g}, while the "
                    f"value {number:g} belongs to the level {_name(levels[values.index(number)])}",
                    "numbers that mean one level each: a rating could be read both ways",
                    "name the levels in words, and keep the values",
                )
        return values

    def _check_values(self, levels, values):
        steps = np.diff(sorted(values))
        if self.measurement != "nominal" and any(b <= a for a, b in zip(values, values[1:])):
            raise RatingsError(
                f"the levels {[_name(level) for level in levels]} with the values {list(values)}",
                "values that increase from the first level to the last (a level that is a number, "
                "or reads as one, has that value)",
                "list the levels lowest first, give increasing values, or declare "
                "measurement='nominal'",
            )
        if (steps < _GAP).any() or np.abs(values).max() > _LARGEST:
            raise RatingsError(
                f"levels with the values {list(values)}",
                f"a value of its own for each level, at least {_GAP:g} from the next and not "
                f"beyond {_LARGEST:g}",
                "give other values, such as 1, 2, 3, or name the levels as text",
            )

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
        rating : int, float, bool or str
            A level, a level's name, or a number written as text (``" 3 "``). Of the names,
            only those of False and True may be in any case.

        Returns
        -------
        float
            The value; infinite for an answer declared as outside the levels, NaN
            when the rating is not on the scale.
        """
        if isinstance(rating, (bool, np.bool_)):
            return self._value_of_truth(bool(rating))
        name = _name(rating) if isinstance(rating, str) or _is_number(rating) else None
        if name is None:
            return np.nan
        # Infinite, in a frame that was checked before: an answer outside.
        if self.outside and (name in self.outside or (name == "inf" and rating != "inf")):
            return np.inf
        known = self._by_name.get(name)
        if known is not None:
            return known
        if isinstance(rating, str) and name.lower() in ("true", "false"):
            return self._by_name.get(name.capitalize(), np.nan)
        number = number_of(rating)
        return np.nan if number is None else self._value_near(number)

    def _value_of_truth(self, truth):
        """A truth value is one on a scale of them, and 0 or 1 where these are all there is."""
        named = self._by_name.get(str(truth))
        if named is not None:
            return named
        return float(truth) if set(self.values) == {0.0, 1.0} else np.nan

    def _value_near(self, number):
        near = min(self.values, key=lambda value: abs(value - number))
        if abs(near - number) <= _CLOSE * max(1.0, abs(near)):
            return near
        return number if self.between and self.low <= number <= self.high else np.nan

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
        for name, number in self._by_name.items():
            if abs(number - value) < 1e-9:
                return name
        return f"{value:g}"

    def describe(self) -> str:
        """The scale in a few words, for messages and captions."""
        names = list(self._by_name)
        if len(names) > _SHOWN:
            names = [*names[: _SHOWN - 2], "...", names[-1]]
        text = ", ".join(names) + (" and numbers between them" if self.between else "")
        return text + (f"; outside the levels: {', '.join(self.outside)}" if self.outside else "")


def _in_order(levels):
    """The levels as a tuple; refuses what has no order or is no list of levels."""
    dtype = getattr(levels, "dtype", levels)
    if hasattr(dtype, "categories") and hasattr(dtype, "ordered"):
        levels = tuple(dtype.categories) if dtype.ordered else {"unordered"}
    if isinstance(levels, (str, bytes, Mapping, Set)) or not isinstance(levels, Iterable):
        raise RatingsError(
            f"levels of type {type(levels).__name__}",
            "a list of the levels, lowest first (a set or an unordered categorical has no order)",
            "write them down: Scale(['low', 'medium', 'high'])",
        )
    levels = tuple(levels)
    for level in levels:
        if not (isinstance(level, (str, bool, np.bool_)) or _is_number(level)):
            raise RatingsError(
                f"the level {level!r}",
                "levels that are numbers, text or truth values",
                "name it in words, or leave it out: a missing rating is no level",
            )
        if not isinstance(level, str) and not np.isfinite(_float(level)):
            raise RatingsError(
                f"the level {level!r}",
                "finite numbers",
                "leave it out: a missing rating is no level",
            )
    return levels


def _is_number(value):
    return isinstance(value, (Real, Decimal, np.number)) and not isinstance(value, complex)


def number_of(rating) -> float | None:
    """The number that a level or a rating is, or that its text reads as; or None."""
    if not (isinstance(rating, str) or _is_number(rating)):
        return None
    if isinstance(rating, str):
        text = rating.strip()
        return float(text) if _NUMBER.fullmatch(text) else None
    number = _float(rating)
    return number if np.isfinite(number) else None


def _float(number):
    try:
        return float(number)
    except OverflowError:  # an integer beyond all floats: on no scale
        return np.inf


def _name(level) -> str:
    """How a level or a rating is written: numbers without noise, text as one kind of Unicode."""
    if isinstance(level, (bool, np.bool_, str)) or not _is_number(level):
        return unicodedata.normalize("NFC", str(level).strip())
    number = _float(level)
    if np.isfinite(number) and number == int(number):
        return str(int(number))
    return f"{number:.12g}"


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
        # Names of frameworks and dimensions are text; a mapping may have them as numbers.
        known = {_as_text(key): one for key, one in scale.items()}
        for key in ((framework, dimension), framework, dimension):
            if key in known:
                return scale_for(known[key], framework, dimension)
        raise RatingsError(
            f"no scale for dimension {dimension!r} of framework {framework!r}",
            f"a scale for every dimension; declared: {[str(key) for key in scale]}",
            "add the missing scale under (framework, dimension), the framework or the dimension",
        )
    raise RatingsError(
        f"for dimension {dimension!r} a scale of type {type(scale).__name__}",
        "a Scale, or a mapping from framework or dimension to Scale",
        "declare it, for example Scale([1, 2, 3, 4, 5])",
    )


def _as_text(key):
    return tuple(map(str, key)) if isinstance(key, tuple) else str(key)


def nearest_level(values: np.ndarray, scale: Scale) -> np.ndarray:
    """Each rating as the nearest level of the scale.

    Parameters
    ----------
    values : ndarray
        Ratings; what is not finite becomes NaN.
    scale : Scale
        The declared scale.

    Returns
    -------
    ndarray
        Half way between two levels: the even one, as `round_ratings` does. Where that
        does not decide between them (both are even, or none), the one at an even place of
        the scale, counted from 0.

    Examples
    --------
    >>> nearest_level(np.array([1.4, 2.5, 3.5]), Scale([1, 2, 3, 4])).tolist()
    [1.0, 2.0, 4.0]
    >>> nearest_level(np.array([0.25, 0.75]), Scale([0, 0.5, 1])).tolist()
    [0.0, 1.0]
    """
    levels = np.sort(np.asarray(scale.values, float))
    result = np.full(np.shape(values), np.nan)
    there = np.isfinite(values)
    place = np.interp(np.asarray(values, float)[there], levels, np.arange(levels.size))
    below = np.minimum(place.astype(int), max(levels.size - 2, 0))
    above = np.minimum(below + 1, levels.size - 1)
    even = levels % 2 == 0
    upper = np.where(even[below] == even[above], above % 2 == 0, even[above])
    half = np.abs(place - below - 0.5) <= _SAME_PLACE
    result[there] = levels[np.where(np.where(half, upper, place - below > 0.5), above, below)]
    return result
