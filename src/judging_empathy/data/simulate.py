"""Simulated ratings of the study's shape, for when its files cannot be had.

They are made from what this project may carry: the printed kappas
(`data/published/weighted_kappa.csv`), the scales, and each rater's mean and
spread on each dimension (`data/moments.csv`, computed by this project). No
result on them is a result of the study, and every page and file says so.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import product

import numpy as np
import pandas as pd

from judging_empathy.data.files import data_dir
from judging_empathy.data.metadata import dimensions, frameworks
from judging_empathy.data.names import (
    CROWD,
    EXPERTS,
    MODELS,
    RATERS,
    SELF,
    in_order,
    scales,
    sorted_by,
)
from raters.frames import COLUMNS

STAMP = "Simulated ratings: these numbers are not the paper's."
N_ITEMS = 50
_SEED = 20250611  # the day of the paper's first version; the simulated study is one fixed study
_SHARED = 0.6  # correlation of the dimensions of a framework
_SELF_REPORTED = [
    *("m_understood", "m_validated", "m_affirmed", "m_seen", "m_accepted", "m_caredfor")
]
_SELF_RATERS = 0.16  # about the printed tau of self-reports with others
# The two frameworks that have single ratings of the crowd.
_SINGLE = ("empatheticdialogues", "lend_an_ear")
_SINGLE_SEED = 20250612
_OPENINGS = {"promotion_passed_over": 19, "job_loss": 12, "overlooked_undervalued": 19}


class Simulated:
    """What `PublishedFiles` has, made up; always the same.

    Each item has a true value on each dimension; a rater sees it with noise, so
    that the expected agreement of experts, model and crowd is about the printed
    kappa, then answers on the scale with that rater's mean and spread.

    >>> len(Simulated().ratings)
    7350
    """

    labels_told = None  # simulated seekers were told nothing

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """The long frame: 4 frameworks, 21 dimensions, 50 items, 7 raters."""
        rng = np.random.default_rng(_SEED)
        moments = pd.read_csv(data_dir() / "moments.csv").set_index(["dimension", "rater"])
        accuracy = _accuracies()
        parts = []
        for framework in frameworks().itertuples():
            names = dimensions().query("framework == @framework.framework")["dimension"]
            items = [f"{framework.prefix}{i:02d}" for i in range(1, N_ITEMS + 1)]
            general = rng.standard_normal(N_ITEMS)
            for dimension in names:
                own = rng.standard_normal(N_ITEMS)
                true = np.sqrt(_SHARED) * general + np.sqrt(1 - _SHARED) * own
                for rater in RATERS:
                    seen = _noisy(true, accuracy[dimension][_kind(rater)], rng)
                    mean, spread = moments.loc[(dimension, rater)]
                    rating = _answers(mean + spread * seen, rater, framework.framework)
                    labels = {"framework": framework.framework, "dimension": dimension}
                    labels |= {"item": items, "rater": rater, "group": _kind(rater)}
                    parts.append(pd.DataFrame({**labels, "rating": rating}))
        return in_order(pd.concat(parts, ignore_index=True))

    @cached_property
    def self_reports(self) -> pd.DataFrame:
        """Ratings by the seekers themselves, on six dimensions of Perceived Empathy."""
        rng = np.random.default_rng([_SEED, 1])
        ratings = self.ratings.query("dimension in @_SELF_REPORTED and rater == 'crowd'")
        wide = ratings.pivot(index="item", columns="dimension", values="rating")[_SELF_REPORTED]
        standard = (wide - wide.mean()) / wide.std()
        seen = [_noisy(column.to_numpy(), _SELF_RATERS, rng) for _, column in standard.items()]
        answers = np.clip(np.rint(5.4 + 1.4 * np.array(seen)), 1, 7)
        wide = pd.DataFrame(answers.T, index=wide.index, columns=wide.columns)
        long = wide.reset_index().melt("item", var_name="dimension", value_name="rating")
        long = long.sort_values("item", kind="stable", ignore_index=True)
        return long.assign(framework="perceived_empathy", rater=SELF, group="self")[COLUMNS]

    @cached_property
    def words(self) -> pd.DataFrame:
        """Lengths of the supporter's words."""
        rng = np.random.default_rng([_SEED, 2])
        rows = self.ratings.drop_duplicates(["framework", "item"])[["framework", "item"]]
        lengths = np.rint(np.exp(rng.normal(4, 0.6, size=len(rows)))).astype(int) + 1
        return rows.assign(words=lengths).reset_index(drop=True)

    @cached_property
    def openings(self) -> pd.DataFrame:
        """Openings of the Lend an Ear conversations, with the study's counts."""
        rng = np.random.default_rng([_SEED, 3])
        names = np.repeat(list(_OPENINGS), list(_OPENINGS.values()))
        items = [f"LE{i:02d}" for i in range(1, N_ITEMS + 1)]
        return pd.DataFrame({"item": items, "opening": rng.permutation(names)})

    @cached_property
    def crowd_raw(self) -> pd.DataFrame:
        """Three whole ratings for each crowd mean, each such triple equally likely."""
        rng = np.random.default_rng(_SINGLE_SEED)
        crowd = self.ratings["rater"] == CROWD
        means = self.ratings[crowd & self.ratings["framework"].isin(_SINGLE)]
        parts = []
        for framework, part in means.groupby("framework", sort=False):
            triples = _triples(scales()[framework].levels)
            sums = np.rint(3 * part["rating"]).astype(int)
            drawn = np.array([triples[total][rng.integers(len(triples[total]))] for total in sums])
            parts += [
                part.assign(rater=f"reader{place}", rating=column.astype(float))
                for place, column in enumerate(drawn.T, 1)
            ]
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def rating_counts(self) -> pd.DataFrame:
        """The numbers of the long frame, by group and framework."""
        table = self.ratings.groupby(["group", "framework"], sort=False).size().rename("values")
        table = table.reset_index().assign(how="simulated")
        table["ratings"] = table["cells"] = table["values"]
        return sorted_by(table, "group", ("expert", "llm", "crowd"))


@cache
def _triples(levels):
    """All triples of levels by their sum."""
    found = {}
    for triple in product(levels, repeat=3):
        found.setdefault(sum(triple), []).append(triple)
    return found


def _kind(rater):
    return "expert" if rater in EXPERTS else "llm" if rater in MODELS else "crowd"


def _accuracies():
    """Correlation of each kind of rater with the true value, by dimension."""
    printed = pd.read_csv(data_dir() / "published" / "weighted_kappa.csv")
    pair = printed.assign(pair=printed["rater_a"] + "-" + printed["rater_b"])
    kappa = pair.pivot(index="dimension", columns="pair", values="kappa")
    one = kappa[["expert1-expert2", "expert2-expert3", "expert3-expert1"]].mean(axis=1)
    of_median = np.sqrt(3 * one / (1 + 2 * one))  # Spearman-Brown for three
    result = pd.DataFrame(
        {
            "expert": np.sqrt(one),
            "llm": kappa["experts-llm"] / of_median,
            "crowd": kappa["experts-crowd"] / of_median,
        }
    )
    return result.clip(0.05, 0.98).T


def _noisy(true, accuracy, rng):
    return accuracy * true + np.sqrt(1 - accuracy**2) * rng.standard_normal(true.size)


def _answers(values, rater, framework):
    """Values as answers: whole levels, and thirds for a crowd that is a mean."""
    step = 3 if rater == CROWD and framework != "epitome" else 1
    scale = scales()[framework]
    return np.clip(np.rint(values * step) / step, scale.low, scale.high)
