"""The study as one object: its ratings, what goes with them, and the tables made from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cached_property
from inspect import signature
from pathlib import Path

import pandas as pd

from judging_empathy import crowd, models, replication, tables
from judging_empathy.audit import intervals, kappas, robustness, yardsticks
from judging_empathy.data import files, metadata, names
from judging_empathy.data.loaders import PublishedFiles
from judging_empathy.data.simulate import STAMP, Simulated
from raters.errors import RatingsError
from raters.frames import check_ratings, with_reference
from raters.scale import Scale


class Study:
    """The replicated study: everything is loaded or computed when asked for, and once.

    Parameters
    ----------
    name : {"auto", "published", "simulated"} or Study
        Which ratings: the study's own, simulated ones of their shape, or (``"auto"``) the
        study's own where its files are or can be had, else simulated. A `Study` is the same
        study again with what it has loaded, so that a cell can be run twice.

    Raises
    ------
    RatingsError
        Another name at once. When something is asked for first: ``"published"`` and the
        files cannot be had, or files that are there but not right.

    Notes
    -----
    **What was rated.** `ratings` is the long frame. `self_reports`, `words`, `openings`,
    `single_ratings` and `annotation_counts` go with it; `conversations` holds the text that
    may be shown. `name` and `stamp` say whether the ratings are simulated.

    **What is known about it.** `frameworks`, `dimensions`, `raters` and `scales`.

    **What follows from it.** `table` gives each computed table by its name, that of its file
    in ``raters results``, and keeps it.

    Examples
    --------
    >>> study = Study("simulated")
    >>> study.name, len(study.ratings), list(study.scales)[0]
    ('simulated', 7350, 'empatheticdialogues')
    >>> study.table("verbosity").group.unique().tolist()
    ['expert', 'gemini', 'gpt', 'claude', 'crowd']
    """

    def __init__(self, name: str | Study = "auto") -> None:
        if isinstance(name, Study):
            vars(self).update(vars(name))
            return
        if name not in files.STUDIES:
            raise RatingsError(f"study={name!r}", ", ".join(files.STUDIES), "name one of these")
        self._asked = name
        self._tables: dict[tuple, pd.DataFrame] = {}

    # ------------------------------------------------------------------ which it is
    @cached_property
    def _source(self) -> PublishedFiles | Simulated:
        store = files.store()
        folder = None if self._asked == "simulated" else store.locate()
        if folder is None and self._asked == "published":
            folder = store.require()
        return Simulated() if folder is None else PublishedFiles(folder)

    @property
    def name(self) -> str:
        """``"published"`` or ``"simulated"``."""
        return "published" if self.is_published else "simulated"

    @property
    def is_published(self) -> bool:
        """Whether these are the study's own ratings."""
        return isinstance(self._source, PublishedFiles)

    @property
    def stamp(self) -> str:
        """The sentence that pages and files made from simulated ratings must carry, or ""."""
        return "" if self.is_published else STAMP

    def _named(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame of its own for each caller: columns that are added to it stay theirs."""
        frame = frame.copy()
        frame.attrs["study"] = self.name
        return frame

    # ------------------------------------------------------------------ what was rated
    @property
    def ratings(self) -> pd.DataFrame:
        """The one long frame, ``framework, dimension, item, rater, group, rating``.

        7,350 rows: 21 dimensions, 50 items each, seven raters; ``attrs["study"]`` says
        which it is. Experts and models use the levels; the crowd's means lie between them.
        """
        return self._named(self._source.ratings)

    @cached_property
    def _with_median(self) -> pd.DataFrame:
        return with_reference(check_ratings(self.ratings, self.scales))

    @property
    def with_median(self) -> pd.DataFrame:
        """The long frame with the experts' median as one more rater, ``expert_median``."""
        return self._named(self._with_median)

    @property
    def self_reports(self) -> pd.DataFrame:
        """How the seekers of Perceived Empathy rated the reply to them, on six dimensions.

        A long frame of 300 rows with the rater ``self_report``, in the order of the
        study's file, dimensions fastest.
        """
        return self._named(self._source.self_reports)

    @property
    def labels_told(self) -> dict[str, str] | None:
        """What each seeker was told about who wrote the reply, by item; None if simulated."""
        return self._source.labels_told

    @property
    def words(self) -> pd.DataFrame:
        """The supporter's number of words, ``framework, item, words``, in 200 rows."""
        return self._named(self._source.words)

    @property
    def openings(self) -> pd.DataFrame:
        """Which of three openings each Lend an Ear conversation has, ``item, opening``."""
        return self._named(self._source.openings)

    @property
    def single_ratings(self) -> pd.DataFrame:
        """The single ratings of the crowd, for the two frameworks that have them.

        A long frame, group ``crowd``: Empathetic Dialogues and Lend an Ear. Simulated:
        three whole ratings for each item that give its simulated mean.
        """
        return self._named(self._source.crowd_raw)

    @property
    def rating_counts(self) -> pd.DataFrame:
        """How many single ratings there are, by group and framework.

        ``values``: numbers in the long frame (of the crowd: means); ``ratings``: single
        ratings behind them; ``cells``: the same with the ratings that were left out;
        ``how``: ``counted``, ``inferred`` or ``simulated``. Inferred is only the crowd of
        Perceived Empathy, whose means alone are there: the smallest number of raters with
        whole-numbered ratings that gives an item's nine means.
        """
        return self._named(self._source.rating_counts)

    @property
    def annotation_counts(self) -> dict[str, int]:
        """How many single ratings ``expert``, ``llm`` and ``crowd`` gave, and ``conversations``."""
        totals = self.rating_counts.groupby("group", sort=False)["ratings"].sum()
        items = len(self.ratings.drop_duplicates(["framework", "item"]))
        return {group: int(total) for group, total in totals.items()} | {"conversations": items}

    def conversations(self, framework: str) -> pd.DataFrame:
        """The text of published conversations that may be shown.

        Parameters
        ----------
        framework : {"lend_an_ear", "empatheticdialogues"}
            EmpatheticDialogues is CC BY-NC 4.0: name its authors beside the text. The text
            of the other two is never shown.

        Returns
        -------
        DataFrame
            One row a turn: ``item``, ``turn`` (from 1), ``speaker`` (``Seeker`` or
            ``Supporter``), ``text``. ``attrs["licence"]`` and ``attrs["citation"]`` say
            what to print beside it.

        Raises
        ------
        RatingsError
            The text may not be shown (with the reason), there is no such framework, or
            the ratings are simulated.

        Examples
        --------
        >>> Study("simulated").conversations("lend_an_ear")
        Traceback (most recent call last):
            ...
        raters.errors.RatingsError: Given: conversations of the simulated study...
        """
        if isinstance(self._source, Simulated):
            raise RatingsError(
                "conversations of the simulated study",
                "those of the published one",
                "run `make data`, and take Study('published')",
            )
        return self._source.conversations(framework)

    @property
    def supporter_texts(self) -> dict[tuple[str, str], str] | None:
        """The supporter's words by framework and item, where they may be used."""
        if not self.is_published:
            return None
        texts = {}
        for framework in self.frameworks.query("text_policy != 'never'")["framework"]:
            turns = self.conversations(framework).query("speaker == 'Supporter'")
            for item, part in turns.groupby("item"):
                texts[framework, item] = " ".join(part["text"])
        return texts

    # ------------------------------------------------------------------ what is known
    @property
    def frameworks(self) -> pd.DataFrame:
        """The four frameworks; see `data.metadata.frameworks`."""
        return metadata.frameworks()

    @property
    def dimensions(self) -> pd.DataFrame:
        """The 21 dimensions; see `data.metadata.dimensions`."""
        return metadata.dimensions()

    @property
    def raters(self) -> pd.DataFrame:
        """The seven raters; see `data.metadata.raters`."""
        return metadata.raters()

    @property
    def scales(self) -> dict[str, Scale]:
        """The declared scale of each framework."""
        return names.scales()

    # ------------------------------------------------------------------ what follows
    def table(self, name: str, resamples: int = 2000, seed: int = 2025) -> pd.DataFrame:
        """A computed table, made once for each choice of resamples and seed.

        Parameters
        ----------
        name : str
            One of `TABLES`, which says what makes each.
        resamples, seed : int
            Bootstrap of items. Tables without intervals do not look at them.

        Returns
        -------
        DataFrame
            As the function in `TABLES` describes it.

        Raises
        ------
        RatingsError
            No such table.

        Examples
        --------
        >>> Study("simulated").table("vif").statistic.unique().tolist()
        ['vif_published', 'vif']
        """
        if name not in TABLES:
            raise RatingsError(f"table={name!r}", ", ".join(TABLES), "name one of these")
        makes = TABLES[name]
        takes = signature(makes).parameters
        given = {"resamples": resamples, "seed": seed}
        how = {option: value for option, value in given.items() if option in takes}
        key = (name, *how.values())
        if key not in self._tables:
            self._tables[key] = _kept(
                (self.name, *key), lambda: makes(**self._parts_for(takes), **how)
            )
        return self._named(self._tables[key])

    def _parts_for(self, takes: Iterable[str]) -> dict[str, object]:
        """What a maker of a table takes of the study: attributes, or estimates of a table."""
        parts: dict[str, object] = {}
        for name in takes:
            if name in _PARTS:
                parts[name] = getattr(self, _PARTS[name])
            elif name in TABLES:
                parts[name] = self.estimates(name)
        return parts

    def estimates(self, name: str) -> pd.DataFrame:
        """A table whose intervals nobody looks at: one that is there, or without resamples.

        Parameters
        ----------
        name : str
            As in `table`; one whose estimates need no draws.

        Returns
        -------
        DataFrame

        Examples
        --------
        >>> len(Study("simulated").estimates("pairwise"))
        2940
        """
        for known, *how in self._tables:
            if known == name:
                return self.table(name, *how)
        return self.table(name, resamples=0)


def _kept(key: tuple, make: Callable) -> pd.DataFrame:
    """What `make` gives. While the book is built, chapters keep it for one another.

    The folder belongs to one state of the code and the data: `book/build` sees to it.
    """
    folder = os.environ.get("JUDGING_EMPATHY_TABLES")
    if not folder:
        return make()
    path = Path(folder) / ("-".join(map(str, key)) + ".pickle")
    if path.is_file():
        return pd.read_pickle(path)
    frame = make()
    part = path.with_suffix(f".{os.getpid()}")  # whole or not at all: others may be reading
    pd.to_pickle(frame, part)
    part.replace(path)
    return frame


# What the makers of tables take, by the name of their argument: an attribute of the study.
_PARTS = {
    **{part: part for part in ("ratings", "words", "openings", "rating_counts")},
    **{"reports": "self_reports", "single": "single_ratings", "counts": "annotation_counts"},
    **{"texts": "supporter_texts", "labels": "labels_told"},
}


# Each table by name, and what makes it.
TABLES: dict[str, Callable[..., pd.DataFrame]] = {
    "ratings": lambda ratings: ratings,
    "pairwise": tables.pairs_table,
    "alpha": tables.alpha_table,
    "f1": tables.f1_table,
    "self_report": tables.self_report_table,
    "openings": tables.openings_table,
    "verbosity": tables.verbosity_table,
    "vif": tables.vif_table,
    "replication": replication.replicate,
    "benchmark": models.benchmark_table,
    "judge_vs_crowd": models.judge_vs_crowd_table,
    "alt_test": models.alt_test_table,
    "calibration": models.calibration_table,
    "baselines": models.baselines_table,
    "crowd": crowd.crowd_table,
    "who": crowd.who,
    # Chapters 9 and 10 and the audit
    "p_values": kappas.p_values,
    "slopes": robustness.slopes,
    "told": robustness.told,
    "highlighted": kappas.highlighted,
    "clipped_draws": intervals.clipped_draws,
    "median_of_pairs": kappas.median_of_pairs,
    "expert_f1": kappas.expert_f1,
    "chance_lines": kappas.chance_lines,
    "library_vif": robustness.library_vif,
    "ties": robustness.ties,
    "rho_intervals": intervals.rho_intervals,
    "mean_intervals": intervals.mean_intervals,
    "repaired": yardsticks.repaired,
}
