"""Ratings that are sets of labels: several labels for one item, in any order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Set
from dataclasses import replace

import numpy as np
import pandas as pd

from raters.coefficients import Sums, krippendorff_alpha
from raters.coefficients.base import notes
from raters.errors import RatingsError
from raters.scale import Scale, number_of

SEPARATOR = "; "
# A label may hold the separator: a backslash comes between, or one more where some are.
_IN_A_LABEL = re.compile(r";(\\*) ")
_ESCAPED = re.compile(r";\\(\\*) ")
_PRINTED = re.compile(  # such as ['a', 'b'], [1, 2], {'a'}, ('a', 'b'), [], set()
    r"""\s*([\[{]\s*['"\d\]}].*[\]}]|[\[{]\s*[\]}]|\(\s*['"].*\)|(frozen)?set\(.*\))\s*""",
    re.DOTALL,
)
_USUAL = {";": ";", ",": ",", "|": "|", "\t": "a tab", "\n": "a line end"}
_SHOWN = 60


def read_sets(ratings: pd.DataFrame, separator: str = ";") -> tuple[pd.DataFrame, Scale]:
    """Read the cells of a long frame as sets of labels.

    Parameters
    ----------
    ratings : DataFrame
        A long frame whose ratings are texts such as ``"health; politics"``, or lists,
        tuples, sets or arrays of labels.
    separator : str
        What stands between two labels of a text.

    Returns
    -------
    ratings : DataFrame
        A copy with one spelling for each set: labels sorted, once each, without spaces
        around them, joined by ``"; "``. Missing ratings stay missing, an empty text or
        list is the empty set.
    scale : Scale
        Nominal, with the sets that occur and the empty set as levels.

    Raises
    ------
    RatingsError
        No column `rating`; no label at all; a cell that is no set, or a printed list; no
        text holds `separator` while some hold another usual one (``;``, ``,``, ``|``, a
        tab, a line end).

    Notes
    -----
    A label that holds ``"; "`` is written with a backslash, as in ``a;\\ b``, so that the
    set can be read again; `by_label` names it as it was. The labels of a list are taken
    as they are: where a text is one label and holds a usual separator, give it as a list.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["x", "x"], "rater": ["a", "b"],
    ...                       "rating": ["sport;health", ["health", "sport", "health"]]})
    >>> ratings, scale = read_sets(frame)
    >>> ratings.rating.tolist()
    ['health; sport', 'health; sport']
    """
    _needs_ratings(ratings)
    if not isinstance(separator, str) or not separator:
        raise RatingsError(
            f"separator={separator!r}",
            "what stands between two labels, as text of one character or more",
            "name it: separator=';'",
        )
    cells = [_without_numpy(cell) for cell in ratings["rating"]]
    _check_separator([cell for cell in cells if isinstance(cell, str)], separator)
    spelled = [None if _is_missing(cell) else _spelling(cell, separator) for cell in cells]
    result = ratings.copy()
    result["rating"] = pd.Series(spelled, index=ratings.index, dtype=object)
    levels = sorted({"", *(one for one in spelled if one is not None)})
    if len(levels) < 2:
        raise RatingsError(
            "a frame without a single label",
            "texts or lists that hold labels",
            "check the column rating, and the separator",
        )
    # Some labels read as numbers. The values begin behind these, so that no rating could
    # mean two sets.
    numbers = [number_of(level) for level in levels]
    first = 1 + int(max((n for n in numbers if n is not None and 1 <= n < 1e8), default=0))
    return result, Scale(levels, range(first, first + len(levels)), measurement="nominal")


def _needs_ratings(ratings):
    if not isinstance(ratings, pd.DataFrame) or list(ratings.columns).count("rating") != 1:
        columns = getattr(ratings, "columns", ())
        raise RatingsError(
            f"a {type(ratings).__name__} with the columns {list(map(str, columns))}",
            "a long DataFrame with one column rating",
            "rename the column that holds the labels: frame.rename(columns={...: 'rating'})",
        )


def _without_numpy(cell):
    return cell.tolist() if isinstance(cell, (np.ndarray, np.generic)) else cell


def _is_missing(cell):
    return pd.api.types.is_scalar(cell) and pd.isna(cell)


def _check_separator(texts, separator):
    """Refuse texts that were printed from lists, or that hold another separator only."""
    for text in texts:
        if _PRINTED.fullmatch(text):
            raise RatingsError(
                f"the cell {_short(text)}, a list or set that was written as text",
                "labels with a separator between them, or lists",
                "read it back: ratings['rating'].map(ast.literal_eval), or json.loads",
            )
    if any(separator in text for text in texts):
        return
    for other, name in _USUAL.items():
        found = next((text for text in texts if other in text.strip()), None)
        if found is not None:
            raise RatingsError(
                f"separator={separator!r}, which no cell holds, while {_short(found)} holds {name}",
                "the separator of the cells; lists where each cell is one label",
                f"give separator={other!r}; if such a cell is one label, make it a list: "
                "ratings['rating'].map(lambda label: [label], na_action='ignore')",
            )


def _short(text):
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def _spelling(cell, separator):
    """One spelling for a set, from which `labels_of` reads it again."""
    if isinstance(cell, str):
        labels = cell.split(separator)
    elif isinstance(cell, (list, tuple, Set, pd.Series, pd.Index)):
        labels = list(cell)
    else:
        labels = [cell]
    return spelled(_label(label, cell) for label in labels)


def spelled(labels: Iterable[str]) -> str:
    """The one spelling of a set of labels, from which `labels_of` reads it again.

    Parameters
    ----------
    labels : iterable of str
        Spaces around a label are no part of it; an empty one is none.

    Returns
    -------
    str
        The labels sorted, once each, joined by ``"; "``; where a label holds that itself,
        a backslash stands in it.

    Examples
    --------
    >>> spelled(["b", "a", "b"]), spelled(["one; two", "three"])
    ('a; b', 'one;\\\\ two; three')
    """
    names = {normal(label) for label in labels} - {""}
    return SEPARATOR.join(sorted(_IN_A_LABEL.sub(r";\1\\ ", name) for name in names))


def labels_of(text: str) -> frozenset[str]:
    """The labels of a set as `spelled` writes it.

    Parameters
    ----------
    text : str

    Returns
    -------
    frozenset of str

    Examples
    --------
    >>> sorted(labels_of(spelled(["one; two", "three"])))
    ['one; two', 'three']
    """
    return frozenset(_ESCAPED.sub(r";\1 ", one) for one in str(text).split(SEPARATOR)) - {""}


def normal(label: str) -> str:
    """A label without spaces around it, in one spelling of its letters (NFC).

    Parameters
    ----------
    label : str

    Returns
    -------
    str
    """
    return unicodedata.normalize("NFC", label.strip())


def _label(label, cell):
    label = _without_numpy(label)
    if isinstance(label, (bool, str)):
        return str(label)
    if isinstance(label, (int, float)) and np.isfinite(label):
        # 3 becomes 3.0 where a column has gaps.
        return str(int(label)) if label == int(label) else repr(label)
    raise RatingsError(
        f"the cell {_short(repr(cell))} with {label!r} of type {type(label).__name__} as a label",
        "labels that are text or numbers",
        "name the labels; make a cell without any an empty list, and one that is missing None",
    )


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

    Raises
    ------
    RatingsError
        No column `rating`; cells that are not what `read_sets` returns; no label at all;
        two labels that would be one dimension.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["x", "x"], "rater": ["a", "b"],
    ...                       "rating": ["sport;health", "health"]})
    >>> by_label(read_sets(frame)[0])[["dimension", "rating"]].to_numpy().tolist()
    [['health', 1], ['health', 1], ['sport', 1], ['sport', 0]]
    """
    _needs_ratings(ratings)
    rated = ratings[ratings["rating"].notna()]
    unread = [cell for cell in rated["rating"] if not isinstance(cell, str)]
    if unread:
        raise RatingsError(
            f"the cell {_short(repr(unread[0]))}",
            "sets as read_sets spells them",
            "read them first: by_label(read_sets(ratings)[0])",
        )
    sets = [labels_of(cell) for cell in rated["rating"]]
    labels = sorted(set().union(*sets))
    if not labels:
        raise RatingsError(
            "a frame without a single label", "sets that hold labels", "check the column rating"
        )
    parts = []
    for label in labels:
        name = label
        if "dimension" in rated:
            name = rated["dimension"].astype(str) + ": " + label
        parts.append(rated.assign(dimension=name, rating=[int(label in one) for one in sets]))
    result = pd.concat(parts, ignore_index=True)
    number = rated["dimension"].nunique() if "dimension" in rated else 1
    if result["dimension"].nunique() < number * len(labels):
        raise RatingsError(
            "a dimension and a label that are written like another dimension and label",
            "names of dimensions that do not run into those of labels",
            "rename the dimensions, without a colon",
        )
    return result


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
    if not isinstance(distance, str) or distance not in _CREDIT:
        raise RatingsError(f"distance={distance!r}", ", ".join(_CREDIT), "name one of these")

    def coefficient(x: np.ndarray, scale: Scale) -> Sums:
        sets = [labels_of(level) for level in scale.levels]
        table = [[1 - _CREDIT[distance](a, b) for b in sets] for a in sets]
        sums = krippendorff_alpha(table)(x, scale)
        return replace(sums, note=notes(f"sets of labels, {distance} distance", sums.note))

    return coefficient


def _jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 1.0


def _masi(a, b):
    if a == b:
        return 1.0
    return _jaccard(a, b) * (2 / 3 if a <= b or b <= a else 1 / 3)


_CREDIT = {"exact": lambda a, b: float(a == b), "jaccard": _jaccard, "masi": _masi}
