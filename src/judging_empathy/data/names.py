"""The study's raters, scales and readable names, in the order used everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

import numpy as np
import pandas as pd

from judging_empathy.data import metadata
from raters.frames import COLUMNS
from raters.scale import Scale

EXPERTS = ("expert1", "expert2", "expert3")
MODELS = ("gemini", "gpt", "claude")
CROWD = "crowd"
RATERS = (*EXPERTS, *MODELS, CROWD)
MEDIAN = "expert_median"
SELF = "self_report"
# Short names of the series in charts and metadata.
LABELS = {
    "expert1": "Expert 1",
    "expert2": "Expert 2",
    "expert3": "Expert 3",
    "gemini": "Gemini",
    "gpt": "GPT-4o",
    "claude": "Claude",
    "crowd": "crowd",
    MEDIAN: "expert median",
    SELF: "self-report",
}


@cache
def scales() -> dict[str, Scale]:
    """The declared scale of each framework.

    Returns
    -------
    dict
        Framework to `Scale`. Numbers between the levels are allowed, because the
        crowd's ratings are means; the loader holds everybody else to the levels.

    Examples
    --------
    >>> scales()["epitome"].levels
    (0, 1, 2)
    """
    return {
        row.framework: Scale(metadata.levels(row.levels), between=True)
        for row in metadata.frameworks().itertuples()
    }


def titled(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with readable names in place of keys.

    Parameters
    ----------
    frame : DataFrame
        Columns ``framework`` and ``dimension``; ``rater``, ``rater_a`` and
        ``rater_b`` where present.

    Returns
    -------
    DataFrame
        A copy with titles; what has no title stays as it is.

    Examples
    --------
    >>> titled(pd.DataFrame({"framework": ["lend_an_ear"], "dimension": ["advice_giving"]})).values
    array([['Lend an Ear', 'Advice giving']], dtype=object)
    """
    framework = metadata.frameworks().set_index("framework")["title"].to_dict()
    dimension = metadata.dimensions().set_index("dimension")["title"].to_dict()
    names = {"framework": framework, "dimension": dimension}
    return renamed(frame, names | dict.fromkeys(("rater", "rater_a", "rater_b"), LABELS))


def renamed(frame: pd.DataFrame, names: Mapping[str, Mapping]) -> pd.DataFrame:
    """The frame with other values in some columns, where there is one: {column: {old: new}}."""
    columns = [column for column in names if column in frame]
    return frame.assign(**{c: [names[c].get(key, key) for key in frame[c]] for c in columns})


def sorted_by(frame: pd.DataFrame, column: str, order: Iterable) -> pd.DataFrame:
    """The rows in an order of the values of one column, otherwise in their own order."""
    place = {value: place for place, value in enumerate(dict.fromkeys(order))}
    return frame.sort_values(column, key=lambda c: c.map(place), kind="stable", ignore_index=True)


def in_order(ratings: pd.DataFrame) -> pd.DataFrame:
    """A long frame sorted by framework, dimension, item and rater, as these first appear.

    >>> rows = [("epitome", "d", i, r, "expert", 1.0) for r in "ab" for i in ("EP01", "EP02")]
    >>> in_order(pd.DataFrame(rows, columns=COLUMNS)).rater.tolist()
    ['a', 'b', 'a', 'b']
    """
    order = [pd.factorize(ratings[column])[0] for column in COLUMNS[:4]]
    return ratings.iloc[np.lexsort(order[::-1])].reset_index(drop=True)[COLUMNS]
