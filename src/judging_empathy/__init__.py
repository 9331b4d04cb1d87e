"""The replicated study: its ratings and what goes with them, published or simulated.

`study` is ``"published"`` (the study's files, or an error), ``"simulated"`` or
``"auto"`` (published where the files are or can be had, simulated otherwise).
"""

from __future__ import annotations

import pandas as pd

from judging_empathy.data import files, loaders, simulate
from judging_empathy.data.metadata import dimensions, frameworks, raters
from judging_empathy.data.names import (
    CROWD,
    EXPERTS,
    LABELS,
    MEDIAN,
    MODELS,
    RATERS,
    SELF,
    scales,
    titled,
)
from raters.frames import COLUMNS

__all__ = [
    "CROWD",
    "EXPERTS",
    "LABELS",
    "MEDIAN",
    "MODELS",
    "RATERS",
    "SELF",
    "annotation_counts",
    "dimensions",
    "frameworks",
    "load",
    "openings",
    "raters",
    "scales",
    "self_reports",
    "stamp",
    "titled",
    "words",
]
_SELF_COLUMNS = {
    "understood": "m_understood",
    "validated": "m_validated",
    "affirmed": "m_affirmed",
    "seen": "m_seen",
    "accepted": "m_accepted",
    "caredfor": "m_caredfor",
}


def load(study: str = "auto") -> pd.DataFrame:
    """The one long frame of the study's ratings.

    Parameters
    ----------
    study : {"auto", "published", "simulated"}
        Which ratings.

    Returns
    -------
    DataFrame
        7,350 rows: ``framework, dimension, item, rater, group, rating``; seven
        raters, 200 items, 21 dimensions. ``attrs["study"]`` says which it is.

    Raises
    ------
    RatingsError
        ``"published"`` and the files cannot be had; a file is damaged.

    Examples
    --------
    >>> load("simulated").attrs["study"]
    'simulated'
    """
    return _choose(study, loaders.load_published, simulate.simulated_ratings)


def self_reports(study: str = "auto") -> pd.DataFrame:
    """How the seekers of Perceived Empathy rated the reply to them, on six dimensions.

    Parameters
    ----------
    study : {"auto", "published", "simulated"}
        Which ratings.

    Returns
    -------
    DataFrame
        A long frame of 300 rows with the rater ``self_report``, in the order of
        the study's file, dimensions fastest.

    Examples
    --------
    >>> self_reports("simulated").rater.unique().tolist()
    ['self_report']
    """
    return _choose(study, _published_self_reports, simulate.simulated_self_reports)


def words(study: str = "auto") -> pd.DataFrame:
    """The number of words of the supporter in each conversation.

    Parameters
    ----------
    study : {"auto", "published", "simulated"}
        Which ratings.

    Returns
    -------
    DataFrame
        framework, item, words; 200 rows.

    Examples
    --------
    >>> len(words("simulated"))
    200
    """
    return _choose(study, loaders.load_words, simulate.simulated_words)


def openings(study: str = "auto") -> pd.DataFrame:
    """Which of three openings each Lend an Ear conversation has.

    Parameters
    ----------
    study : {"auto", "published", "simulated"}
        Which ratings.

    Returns
    -------
    DataFrame
        item, opening; 50 rows.

    Examples
    --------
    >>> sorted(openings("simulated").opening.unique())
    ['job_loss', 'overlooked_undervalued', 'promotion_passed_over']
    """
    return _choose(study, loaders.load_openings, simulate.simulated_openings)


def annotation_counts(study: str = "auto") -> dict[str, int]:
    """How many single ratings stand behind the frame, by kind of rater.

    Parameters
    ----------
    study : {"auto", "published", "simulated"}
        Which ratings.

    Returns
    -------
    dict
        ``expert``, ``crowd``, ``llm``: ratings; ``conversations``: items.

    Examples
    --------
    >>> annotation_counts("simulated")["expert"]
    3150
    """
    return _choose(study, loaders.load_annotation_counts, _simulated_counts)


def stamp(ratings: pd.DataFrame) -> str:
    """The sentence that pages and files made from these ratings must carry, or "".

    Parameters
    ----------
    ratings : DataFrame
        From `load`.

    Returns
    -------
    str

    Examples
    --------
    >>> stamp(load("simulated"))
    "Simulated ratings: these numbers are not the paper's."
    """
    return "" if ratings.attrs["study"] == "published" else simulate.STAMP


def _choose(study, published, simulated):
    name = files.resolve(study)
    result = published() if name == "published" else simulated()
    if isinstance(result, pd.DataFrame):
        result.attrs = {"study": name}
    return result


def _published_self_reports():
    wide = loaders.load_self_reports().sort_values("file_order", kind="stable")
    wide = wide[["item", *_SELF_COLUMNS]].rename(columns=_SELF_COLUMNS).set_index("item")
    long = wide.stack().rename("rating").rename_axis(["item", "dimension"]).reset_index()
    return long.assign(framework="perceived_empathy", rater=SELF, group="self")[COLUMNS]


def _simulated_counts():
    ratings = simulate.simulated_ratings()
    counts = ratings.groupby("group", sort=False).size().to_dict()
    return {**counts, "conversations": len(ratings.drop_duplicates(["framework", "item"]))}
