"""Questions 16 and 17: how many ratings there are, and what the crowd is."""

from __future__ import annotations

import numpy as np
import pandas as pd

from judging_empathy import crowd, replication
from judging_empathy.audit.questions import CENTRED, CLEARLY, claim, missing, question
from judging_empathy.data.names import CROWD, MEDIAN, scales
from judging_empathy.tables import KAPPA
from raters import compare
from raters.measures import MEAN
from raters.show.tables import number, with_interval

_NO_SINGLE = "the simulated ratings hold no single ratings of the crowd"


@question("16")
def _annotations(m):
    printed = replication.printed_values().query("table == 'annotation_count'")
    printed = printed.set_index("group")["printed"].astype(float)
    counted = pd.Series(m.study.annotation_counts).astype(float)
    names = ["expert", CROWD, "llm"]
    listed = ", ".join(
        f"{name} {printed[name]:,.0f} printed and {counted[name]:,.0f} counted" for name in names
    )
    return claim(
        printed[CROWD],
        counted[CROWD],
        f"{listed[0].upper()}{listed[1:]}. No result depends on the count.",
        "The printed counts of experts and models, on which results rest, are those of the files",
        [True, True],
        [printed[name] == counted[name] for name in ("expert", "llm")],
    )


@question("17a")
def _four_crowds(m):
    crowd = m.kappa(CROWD, MEDIAN)
    where = m.ratings.drop_duplicates("dimension").set_index("dimension")["framework"]
    by = crowd.groupby(where.loc[crowd.index], sort=False).mean()
    sides = {"gemini": [(MEDIAN, "gemini")], "crowd": [(MEDIAN, CROWD)]}
    gaps = compare(m.study.with_median, scales(), sides, KAPPA, **m.how, mean=True)
    gaps = gaps[gaps["dimension"] == MEAN]
    many = ""
    if m.study.is_published:
        counts = m.study.rating_counts.query("group == @CROWD").set_index("framework")
        many = (counts["ratings"] / counts["values"]).map(lambda n: f"; {n:.1f} ratings an item")
    titles = m.study.frameworks.set_index("framework")["title"]
    by_framework = gaps.set_index("framework")
    listed = "; ".join(
        f"{titles[name]} {number(value)} (Gemini less crowd: "
        f"{with_interval(by_framework.loc[name])}{many[name] if m.study.is_published else ''})"
        for name, value in by.items()
    )
    return claim(
        crowd.mean(),
        by.min(),
        f"{listed}.",
        "Gemini above the crowd in the framework",
        gaps["estimate"] > 0,
        gaps["low"] > 0,
        CLEARLY,
    )


@question("17b")
def _averaging(m):
    if not m.study.is_published:
        return missing(_NO_SINGLE)
    single = m.study.single_ratings
    found = crowd.gain(m.ratings, single, m.resamples, m.seed, [1, 2, 4, 10, np.inf])
    one = found[found["dimension"] != MEAN]
    wide = one.pivot(index="dimension", columns=["statistic", "n_raters"], values="estimate")
    dims = wide.index
    reliability = wide["reliability"].mean()
    limit = wide[(KAPPA, np.inf)]
    now, gemini = m.kappa(CROWD, MEDIAN).loc[dims], m.kappa("gemini", MEDIAN).loc[dims]
    return claim(
        now.mean(),
        limit.mean(),
        f"Mean reliability over {len(dims)} dimensions: {number(reliability[1.0])} for one rater, "
        f"{number(reliability[4.0])} for the mean of four, {number(reliability[10.0])} for ten. "
        f"Kappa: {number(wide[(KAPPA, 1.0)].mean())} for one, {number(limit.mean())} for any "
        f"number; Gemini's is {number(gemini.mean())}.",
        "Gemini above the crowd",
        gemini > now,
        gemini > limit,
        ("by value, as the ratings are", "against the mean of any number of raters"),
    )


@question("17c")
def _level(m):
    rows = m.level[m.level["dimension"] != MEAN]
    wide = rows.pivot(index="dimension", columns=["statistic", "judge"], values="estimate")
    crowd, gemini = wide[(KAPPA, CROWD)], wide[(KAPPA, "gemini")]
    moved, also = wide[(CENTRED, CROWD)], wide[(CENTRED, "gemini")]
    gap, left = gemini.mean() - crowd.mean(), also.mean() - moved.mean()
    return claim(
        crowd.mean(),
        moved.mean(),
        f"The distance between Gemini and the crowd goes from {number(gap)} to {number(left)}: "
        f"level is {100 * (1 - left / gap):.0f} % of it.",
        "Gemini above the crowd",
        gemini > crowd,
        also > moved,
        ("by value, as the ratings are", "with equal means"),
    )
