"""A user's ratings with everything that the report says of them, each computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from raters import defaults
from raters.errors import RatingsError
from raters.frames import check_ratings
from raters.io.config import Config
from raters.io.read import Reading, read
from raters.judges.decisions import decide
from raters.judges.disagreement import item_gaps, level_and_order, why
from raters.judges.planning import plan, smallest_n
from raters.scale import scale_for

SIZES = (25, 50, 100, 200, 400, 800)
WIDTH = 0.2  # of an interval: what the plan looks for
_MOST_PAIRS = 1000  # pairs of raters that are compared
_MOST_PLANNED = (20_000, 12)  # items and raters of a plan
_ITEMS = 20  # largest disagreements, of each judge and of the group


@dataclass(frozen=True)
class Missing:
    """A part that the ratings cannot support, and why.

    Parameters
    ----------
    reason : str
    """

    reason: str


@dataclass(frozen=True)
class Analysis:
    """The ratings as read, who is judged by whom, and how.

    Parameters
    ----------
    reading : Reading
    judges : tuple of str
        Who is judged; may be empty.
    experts : tuple of str
        Whom they are held against; may be empty.
    resamples : int or None
        Of items; None: 2000, and up to 10000 for judges; fewer for very many items.
    seed, level, margin : int, float, float
        As in `raters.judges.benchmark`.
    no_experts : str
        Why there are no experts, or "".

    Examples
    --------
    >>> from raters.examples import FOLDER
    >>> files = [FOLDER / "ratings.csv", FOLDER / "judge.jsonl"]
    >>> analysis = Analysis.read(files, FOLDER / "raters.toml")
    >>> analysis.judges, analysis.experts
    (('judge-1',), ('ann', 'bob', 'cleo'))
    """

    reading: Reading
    judges: tuple[str, ...]
    experts: tuple[str, ...]
    resamples: int | None = None
    seed: int = 0
    level: float = 0.95
    margin: float = 0.1
    no_experts: str = ""

    @classmethod
    def read(
        cls,
        files: Sequence[str],
        config: Config | str,
        judges: Sequence[str] = (),
        reference: Sequence[str] = ("expert",),
        resamples: int | None = None,
        seed: int = 0,
        level: float = 0.95,
        margin: float = 0.1,
        drop_at_most: int | None = None,
    ) -> Analysis:
        """Read the files and find the judges and the experts.

        Parameters
        ----------
        files, config, drop_at_most
            As in `raters.read`.
        judges : sequence of str
            Default: the group called "judge".
        reference : sequence of str
            A group, or raters.
        resamples, seed, level, margin
            See `Analysis`.

        Returns
        -------
        Analysis

        Raises
        ------
        RatingsError
            From `raters.read`; a judge who was named and is not there; a reference
            that was named and is none; numbers that are none.
        """
        reading = read(files, config, drop_at_most)
        found = defaults.judges_of(reading.ratings, judges)
        experts, why_not = _experts(reading.ratings, list(reference), found, bool(judges))
        _check(resamples, seed, level, margin)
        return cls(reading, tuple(found), experts, resamples, seed, level, margin, why_not)

    # ------------------------------------------------------------------------- the ratings
    @property
    def ratings(self) -> pd.DataFrame:
        """The long frame."""
        return self.reading.ratings

    @property
    def scale(self):
        """The declared scale or scales."""
        return self.reading.scale

    @cached_property
    def dimensions(self) -> list[str]:
        """Their names, in the order of the files."""
        return list(pd.unique(self.ratings["dimension"]))

    def scale_of(self, dimension: str):
        """The scale of one dimension."""
        return scale_for(self.scale, "all", dimension)

    def sets_on(self, dimension: str) -> bool:
        """Whether the ratings of a dimension are sets of labels."""
        config = self.reading.config
        rules = config.scales.get(dimension, config.scale)
        return rules is not None and rules.sets

    @cached_property
    def raters(self) -> pd.DataFrame:
        """``rater, group, items, ratings, missing`` and, on one numeric scale, how they rate."""
        frame = self.ratings.assign(rated=self.ratings["rating"].notna())
        rows = frame.groupby(["rater", "group"], sort=True)
        found = rows.agg(
            items=("item", "nunique"), ratings=("rated", "sum"), rows=("rated", "size")
        ).reset_index()
        found["missing"] = found.pop("rows") - found["ratings"]
        if frame["rating"].dtype == float:
            about = frame.groupby(["rater", "group"], sort=True)["rating"]
            for name in ("mean", "std", "min", "max"):
                found[name] = getattr(about, name)().to_numpy()
        return found

    @cached_property
    def levels(self) -> pd.DataFrame:
        """How often each level was given: ``dimension, group, level, n, share``."""
        rows = []
        rated = self.ratings[self.ratings["rating"].notna()]
        for (dimension, group), part in rated.groupby(["dimension", "group"], sort=False):
            scale = self.scale_of(dimension)
            named = [scale.name_of(scale.value_of(v)) for v in pd.unique(part["rating"])]
            names = dict(zip(pd.unique(part["rating"]), named))
            counts = part["rating"].map(names).value_counts()
            known = [scale.name_of(v) for v in scale.values]
            for level in [*known, *sorted(set(counts.index) - set(known))]:
                n = int(counts.get(level, 0))
                rows.append((dimension, group, level, n, n / len(part)))
        return pd.DataFrame(rows, columns=["dimension", "group", "level", "n", "share"])

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """Groups with two raters or more."""
        return defaults.groups_with_two(self.ratings)

    # ------------------------------------------------------------------------- the results
    @property
    def _how(self):
        draws = {} if self.resamples is None else {"resamples": self.resamples}
        return {"seed": self.seed, "level": self.level, **draws}

    @cached_property
    def within(self) -> pd.DataFrame | Missing:
        """Agreement within groups."""
        return _or_reason(lambda: defaults.within_groups(self.ratings, self.scale, **self._how))

    @cached_property
    def main_group(self) -> tuple[str, list[str]] | None:
        """The experts, or else the largest group with two raters."""
        if len(self.experts) > 1:
            return "the experts", list(self.experts)
        if not self.groups:
            return None
        name = max(self.groups, key=lambda one: len(self.groups[one]))
        return name, self.groups[name]

    @cached_property
    def pairs(self) -> pd.DataFrame | Missing:
        """Agreement of every two raters; only with experts and judges where there are too many."""
        names = sorted(self.ratings["rater"].unique())
        chosen = None
        if len(names) * (len(names) - 1) // 2 > _MOST_PAIRS:
            people = [*self.experts, *self.judges]
            chosen = [(a, b) for i, a in enumerate(people) for b in people[i + 1 :]]
            if not chosen or len(chosen) > _MOST_PAIRS:
                return Missing(
                    f"{len(names):,} raters make {len(names) * (len(names) - 1) // 2:,} pairs. "
                    "Look at chosen raters: raters.pairwise(ratings, scale, pairs=[...])."
                )
        compute = defaults.between_pairs
        return _or_reason(lambda: compute(self.ratings, self.scale, (), chosen, **self._how))

    @cached_property
    def no_benchmark(self) -> str:
        """Why there is no benchmark, or ""."""
        if not self.judges:
            return (
                "No judge is declared. Name one (--judge NAME), or declare a group called "
                "judge in raters.toml."
            )
        if len(self.experts) < 2:
            return self.no_experts or (
                "One expert has no agreement to be a ceiling: see the pairs of raters, or add "
                "an expert."
            )
        return ""

    @cached_property
    def benchmark(self) -> pd.DataFrame | Missing:
        """Each judge against the experts' own agreement."""
        if self.no_benchmark:
            return Missing(self.no_benchmark)
        return _or_reason(
            lambda: defaults.against_experts(
                self.ratings,
                self.scale,
                self.judges,
                self.experts,
                resamples=self.resamples,
                seed=self.seed,
                level=self.level,
                margin=self.margin,
            )
        )

    @cached_property
    def decisions(self) -> pd.DataFrame | Missing:
        """Tests of the differences, corrected for the number of dimensions (Holm)."""
        if isinstance(self.benchmark, Missing):
            return self.benchmark
        return _or_reason(self._decisions)

    def _decisions(self):
        rows = []
        both = defaults.with_both(self.ratings, self.scale, self.judges, self.experts)
        for kind, judges in both:
            draws = defaults.resamples_for(kind.ratings["item"].nunique(), self.resamples)
            rows.append(
                decide(
                    kind.ratings, kind.scale, judges, list(self.experts),
                    defaults.PAIRS[kind.ordered][0], margin=self.margin,
                    alpha=round(1 - self.level, 10), resamples=draws, seed=self.seed,
                )
            )  # fmt: skip
        return pd.concat(rows, ignore_index=True)

    @cached_property
    def shifts(self) -> pd.DataFrame | Missing:
        """Is a judge off in level or in order: `level_and_order` of the ordered dimensions."""
        if not self.judges or not self.experts:
            return Missing(self.no_benchmark or self.no_experts)
        return _or_reason(self._shifts)

    def _shifts(self):
        kind, judges, reference = self._ordered()
        draws = defaults.resamples_for(
            kind.ratings["item"].nunique(), self.resamples, defaults.RESAMPLES
        )
        found = level_and_order(
            kind.ratings, kind.scale, judges, reference, resamples=draws, seed=self.seed,
            level=self.level,
        )  # fmt: skip
        return found

    def _ordered(self):
        """The ordered dimensions, with the experts as one group under a name of its own."""
        for kind, judges in defaults.with_both(self.ratings, self.scale, self.judges, self.experts):
            if kind.ordered:
                frame = kind.ratings
                if len(self.experts) == 1:
                    return kind, judges, self.experts[0]
                taken = set(frame["rater"])
                name = "experts"
                while name in taken or f"{name}_median" in taken:
                    name += " of the study"
                is_expert = frame["rater"].isin(self.experts)
                group = np.where(is_expert, name, "judges")
                kind = defaults.Kind(frame.assign(group=group), kind.scale, True)
                return kind, judges, name
        raise RatingsError(
            "scales without an order",
            "levels with an order (measurement = 'ordinal' or 'interval')",
            "see the pairs of raters for labels: a shift of level needs an order",
        )

    @cached_property
    def reasons(self) -> pd.DataFrame | Missing:
        """What `level_and_order` found, in words."""
        if isinstance(self.shifts, Missing):
            return self.shifts
        return _or_reason(lambda: why(self.shifts))

    @cached_property
    def gaps(self) -> pd.DataFrame | Missing:
        """The items with the largest gaps between a judge and the experts."""
        if not self.judges or not self.experts:
            return Missing(self.no_benchmark or self.no_experts)

        def compute():
            kind, judges, reference = self._ordered()
            found = item_gaps(kind.ratings, kind.scale, judges, reference, most=_ITEMS)
            return found[found["gap"] != 0]

        return _or_reason(compute)

    @cached_property
    def splits(self) -> pd.DataFrame | Missing:
        """The items on which the main group disagrees most."""
        if self.main_group is None:
            return Missing("No group has two raters who could disagree.")
        members = self.ratings[self.ratings["rater"].isin(self.main_group[1])]
        rows = [
            self._split(dimension, part)
            for dimension, part in members.groupby("dimension", sort=False)
        ]
        found = pd.concat([row for row in rows if row is not None] or [pd.DataFrame()])
        if found.empty:
            return Missing("No item was rated by two raters of one group.")
        found = found[found["share"] > 0]
        if found.empty:
            return Missing("There is no disagreement: all ratings of each item are the same.")
        order = ["share", "n_ratings", "dimension", "item"]
        found = found.sort_values(order, ascending=[False, False, True, True], kind="stable")
        return found.head(_ITEMS).reset_index(drop=True)

    def _split(self, dimension, part):
        scale = self.scale_of(dimension)
        checked = check_ratings(part.drop(columns="group"), scale)
        checked = checked[np.isfinite(checked["rating"])]
        values = checked.groupby("item", sort=True)["rating"]
        n = values.size()
        if not (n > 1).any():
            return None
        if scale.measurement == "nominal":
            most = values.agg(lambda v: v.value_counts().iloc[0]) / n
            share, measure = 1 - most, "share of ratings outside the majority"
        else:
            share = (values.max() - values.min()) / (scale.high - scale.low)
            measure = "range as a share of the scale"
        between = " | " if self.sets_on(dimension) else ", "
        names = {value: scale.name_of(value) for value in pd.unique(checked["rating"])}
        if self.sets_on(dimension):
            names = {value: name or "no label" for value, name in names.items()}
        given = values.agg(lambda v: between.join(names[x] for x in sorted(v)[:12]))
        found = pd.DataFrame({"item": n.index, "n_ratings": n, "given": given, "share": share})
        found = found.assign(dimension=dimension, measure=measure)
        return found[(n > 1).to_numpy()].reset_index(drop=True)

    @cached_property
    def planned(self) -> pd.DataFrame | Missing:
        """How wide the intervals would be with other numbers of items."""
        if self.main_group is None:
            return Missing("No group has two raters: there is no agreement to plan for.")
        raters = self.main_group[1]
        here = self.ratings[self.ratings["rater"].isin([*raters, *self.judges])]
        n_items = here["item"].nunique()
        if n_items > _MOST_PLANNED[0] or len(raters) > _MOST_PLANNED[1]:
            return Missing(
                f"With {n_items:,} items and {len(raters):,} raters a plan by simulation takes "
                "long, and the intervals are narrow already. Plan with a random part of the "
                "items: raters.judges.plan."
            )
        return _or_reason(lambda: self._planned(here, raters, n_items))

    def _planned(self, ratings, raters, n_items):
        sizes = sorted({*SIZES, n_items} - {n for n in (*SIZES, n_items) if n < 2})
        rows = []
        draws = defaults.resamples_for(max(sizes), self.resamples or 1000, 1000)
        how = {"n_items": sizes, "width": WIDTH, "resamples": min(draws, 1000), "seed": self.seed}
        how |= {"level": self.level, "mean": False}
        for kind in defaults.kinds(ratings, self.scale):
            there = set(kind.ratings["rater"])
            here = [r for r in raters if r in there]
            if len(here) < 2:
                continue
            main, pair = defaults.WITHIN[kind.ordered][0], defaults.PAIRS[kind.ordered][0]
            rows.append(plan(kind.ratings, kind.scale, main, here, **how).assign(judge=""))
            for judge in [j for j in self.judges if j in there][:3]:
                part = plan(kind.ratings, kind.scale, pair, here, judge, **how)
                rows.append(part[part["quantity"] == "difference"].assign(judge=judge))
        return pd.concat(rows, ignore_index=True)

    @cached_property
    def enough(self) -> pd.DataFrame | Missing:
        """The smallest number of items that reaches the width."""
        if isinstance(self.planned, Missing):
            return self.planned
        parts = [
            smallest_n(part.drop(columns="judge"), WIDTH).assign(judge=judge)
            for judge, part in self.planned.groupby("judge", sort=False)
        ]
        return pd.concat(parts, ignore_index=True)

    # ------------------------------------------------------------------------- as files
    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table of the report by its name; what cannot be computed is left out."""
        reading = self.reading
        found = {
            "ratings": reading.ratings,
            "problems": reading.problems.drop(columns="code"),
            "left_out": reading.left_out,
            "missing": reading.missing,
            "answers": reading.answers,
            "order_of_pairs": reading.pairs,
            "files": reading.files,
            "raters": self.raters,
            "levels": self.levels,
            "agreement": self.within,
            "pairs": self.pairs,
            "benchmark": self.benchmark,
            "decisions": self.decisions,
            "level_and_order": self.shifts,
            "reasons": self.reasons,
            "largest_gaps": self.gaps,
            "largest_splits": self.splits,
            "plan": self.planned,
            "items_needed": self.enough,
        }
        return {
            name: table
            for name, table in found.items()
            if not isinstance(table, Missing) and len(table)
        }


def _or_reason(compute):
    """The result, or why there is none: what the error says was given, and what would do."""
    try:
        return compute()
    except RatingsError as error:
        return Missing(f"{_sentence(error.given)} Needed: {error.allowed}. {_sentence(error.todo)}")


def _sentence(text):
    return f"{text[:1].upper()}{text[1:]}."


def _experts(ratings, reference, judges, asked):
    """The experts, and why there are none. What was asked for must be there."""
    try:
        return tuple(defaults.experts_of(ratings, reference, judges)), ""
    except RatingsError as error:
        there = [r for r in reference if r in set(ratings["rater"])]
        named = reference != ["expert"]
        members = set(ratings.loc[ratings["group"].isin(reference), "rater"])
        one = sorted(members or there)
        if len(reference) == len(one) == 1 and one[0] not in judges:
            return tuple(one), ""
        if named or (asked and members):
            raise
        reason = f"{_sentence(error.given)} Needed: {error.allowed}. {_sentence(error.todo)}"
        return (), reason if judges else ""


def _check(resamples, seed, level, margin):
    from raters.draws import Draws
    from raters.judges.ceiling import check_interval, check_margin

    Draws(1, 1 if resamples is None else resamples, seed)
    check_margin(margin)
    check_interval("percentile", level)
    if resamples == 0:
        raise RatingsError(
            "resamples=0", "1 or more", "leave it out: a report without intervals misleads"
        )
