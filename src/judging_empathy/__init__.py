"""The replicated study: its ratings and what goes with them, published or simulated.

`Study` holds all of it. `load`, `self_reports`, `words`, `openings` and
`annotation_counts` are short for one attribute of ``Study(name)``, where `name` is
``"published"`` (the study's files, or an error), ``"simulated"`` or ``"auto"``
(published where the files are or can be had, simulated otherwise).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from judging_empathy.study import Study

# Where each name is. Importing the package alone loads neither pandas nor the study.
_HOMES = {
    "judging_empathy.study": ("Study",),
    "judging_empathy.data.metadata": ("dimensions", "frameworks", "raters"),
    "judging_empathy.data.names": (
        *("CROWD", "EXPERTS", "LABELS", "MEDIAN", "MODELS", "RATERS", "SELF"),
        *("scales", "titled"),
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = sorted(
    [*_HOME, "annotation_counts", "load", "openings", "self_reports", "stamp", "words"]
)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load(name: str = "auto") -> pd.DataFrame:
    """The one long frame of the study's ratings: `Study.ratings`.

    Parameters
    ----------
    name : {"auto", "published", "simulated"}
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
    return _study(name).ratings


def self_reports(name: str = "auto") -> pd.DataFrame:
    """How the seekers of Perceived Empathy rated the reply to them: `Study.self_reports`.

    Examples
    --------
    >>> self_reports("simulated").rater.unique().tolist()
    ['self_report']
    """
    return _study(name).self_reports


def words(name: str = "auto") -> pd.DataFrame:
    """The supporter's number of words in each conversation: `Study.words`.

    Examples
    --------
    >>> len(words("simulated"))
    200
    """
    return _study(name).words


def openings(name: str = "auto") -> pd.DataFrame:
    """Which of three openings each Lend an Ear conversation has: `Study.openings`.

    Examples
    --------
    >>> sorted(openings("simulated").opening.unique())
    ['job_loss', 'overlooked_undervalued', 'promotion_passed_over']
    """
    return _study(name).openings


def annotation_counts(name: str = "auto") -> dict[str, int]:
    """How many single ratings stand behind the frame: `Study.annotation_counts`.

    Examples
    --------
    >>> annotation_counts("simulated")["expert"]
    3150
    """
    return _study(name).annotation_counts


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
    from judging_empathy.data.simulate import STAMP

    return "" if ratings.attrs["study"] == "published" else STAMP


def _study(name: str) -> Study:
    from judging_empathy.study import Study

    return Study(name)
