"""Ratings that are sets of labels: several labels for one item, in any order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from raters.coefficients import Sums, krippendorff_alpha
from raters.coefficients.base import notes
from raters.errors import RatingsError
from raters.scale import Scale

SEPARATOR = "; "


def read_sets(ratings: pd.DataFrame, separator: str = ";") -> tuple[pd.DataFrame, Scale]:
    """Read the cells of a long frame as sets of labels.

    Parameters
    ----------
    ratings : DataFrame
        A long frame whose ratings are texts such as ``"health; politics"``.
    separator : str
        What stands between two labels.

    Returns
    -------
    ratings : DataFrame
        A copy with one spelling for each set: labels sorted, once each, without
        spaces around them. Missing ratings stay missing, an empty text is the empty set.
    scale : Scale
        Nominal, with the sets that occur and the empty set as levels.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["x", "x"], "rater": ["a", "b"],
    ...                       "rating": ["sport;health", "health; sport;health"]})
    >>> ratings, scale = read_sets(frame)
    >>> ratings.rating.tolist()
    ['health; sport', 'health; sport']
    """

    def spelling(cell):
        return SEPARATOR.join(
            sorted({label.strip() for label in str(cell).split(separator)} - {""})
        )

    result = ratings.copy()
    result["rating"] = ratings["rating"].map(spelling, na_action="ignore")
    levels = sorted({"", *result["rating"].dropna()})
    if len(levels) < 2:
        raise RatingsError(
            "a frame without a single label",
            "texts that hold labels",
            "check the column rating, and the separator",
        )
    return result, Scale(levels, measurement="nominal")


def by_label(ratings: pd.DataFrame) -> pd.DataFrame:
    """Whether each label is in each set: a yes-or-no dimension for every label.

    Parameters
    ----------
    ratings : DataFrame
        What `read_sets` returns.

    Returns
    -------
    DataFrame
        A long frame of ratings 0 and 1 on a dimension for each label, for
        ``Scale([0, 1], measurement="nominal")``.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["x", "x"], "rater": ["a", "b"],
    ...                       "rating": ["sport;health", "health"]})
    >>> by_label(read_sets(frame)[0])[["dimension", "rating"]].to_numpy().tolist()
    [['health', 1], ['health', 1], ['sport', 1], ['sport', 0]]
    """
    rated = ratings[ratings["rating"].notna()]
    sets = [_labels(cell) for cell in rated["rating"]]
    parts = []
    for label in sorted(set().union(*sets)):
        name = label
        if "dimension" in rated:
            name = rated["dimension"].astype(str) + ": " + label
        parts.append(rated.assign(dimension=name, rating=[int(label in one) for one in sets]))
    return pd.concat(parts, ignore_index=True)


def set_alpha(distance: str):
    """Krippendorff's alpha of sets of labels: a coefficient for `agreement`.

    Parameters
    ----------
    distance : {"exact", "jaccard", "masi"}
        What part credit a partial overlap gets: none; the shared part of all labels
        of the two; or that times 2/3 where one set holds the other, 1/3 otherwise.

    Returns
    -------
    callable
        Takes ``(x, scale)`` as the other coefficients do, with the scale of `read_sets`.

    Notes
    -----
    Source of MASI: Passonneau (2006), Measuring agreement on set-valued items (MASI)
    for semantic and pragmatic annotation, LREC.

    Examples
    --------
    >>> from raters import agreement
    >>> frame = pd.DataFrame({"item": ["x", "y", "z"] * 2, "rater": list("aaabbb"),
    ...                       "rating": ["p;q", "q", "p", "q;p", "q", "p;q"]})
    >>> ratings, scale = read_sets(frame)
    >>> result = agreement(ratings, scale, {"jaccard": set_alpha("jaccard")}, resamples=0)
    >>> result.estimate.round(3).tolist()
    [0.615]
    """
    if distance not in _CREDIT:
        raise RatingsError(f"distance={distance!r}", ", ".join(_CREDIT), "name one of these")

    def coefficient(x: np.ndarray, scale: Scale) -> Sums:
        sets = [_labels(level) for level in scale.levels]
        table = [[1 - _CREDIT[distance](a, b) for b in sets] for a in sets]
        sums = krippendorff_alpha(table)(x, scale)
        return replace(sums, note=notes(f"sets of labels, {distance} distance", sums.note))

    return coefficient


def _labels(cell):
    return frozenset(str(cell).split(SEPARATOR)) - {""}


def _jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 1.0


def _masi(a, b):
    if a == b:
        return 1.0
    return _jaccard(a, b) * (2 / 3 if a <= b or b <= a else 1 / 3)


_CREDIT = {"exact": lambda a, b: float(a == b), "jaccard": _jaccard, "masi": _masi}
