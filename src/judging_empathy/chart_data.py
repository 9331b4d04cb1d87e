"""The results arranged for the charts and tables of the book."""

from __future__ import annotations

import numpy as np
import pandas as pd

from judging_empathy import models as judging
from judging_empathy.data.metadata import dimensions
from judging_empathy.data.names import (
    CROWD,
    EXPERTS,
    LABELS,
    MODELS,
    RATERS,
    scales,
    sorted_by,
    titled,
)
from judging_empathy.tables import KAPPA
from raters.measures import MEAN
from raters.show.tables import interval, with_interval


def usage(ratings: pd.DataFrame, framework: str) -> pd.DataFrame:
    """How often each rater gives each level, on each dimension of a framework.

    ``dimension, rater, level, share``; readable names, levels as text. Crowd means are rounded to
    the nearest level, halves to even.
    """
    part = ratings[ratings["framework"] == framework]
    part = titled(part.assign(level=np.rint(part["rating"]).astype(int).astype(str)))
    keys = ["dimension", "rater"]
    uses = part.groupby([*keys, "level"], sort=False).size().rename("share").reset_index()
    uses["share"] /= uses.groupby(keys)["share"].transform("sum")
    return sorted_by(sorted_by(uses, "rater", part["rater"]), "dimension", part["dimension"])


def means(ratings: pd.DataFrame, framework: str) -> pd.DataFrame:
    """Mean rating by each rater on each dimension of a framework.

    ``dimension`` and a column for each rater, readable names.
    """
    part = titled(ratings[ratings["framework"] == framework])
    wide = part.pivot_table("rating", "dimension", "rater", sort=False)
    return wide[[LABELS[rater] for rater in RATERS]].reset_index()


def levels(framework: str) -> list[str]:
    """The levels of a framework as text, lowest first.

    >>> levels("epitome")
    ['0', '1', '2']
    """
    return [f"{level}" for level in scales()[framework].levels]


def expert_pairs(pairs: pd.DataFrame, statistic: str = KAPPA) -> pd.DataFrame:
    """The rows of `tables.pairs_table` that compare two experts.

    63 rows; ``series`` names the pair.
    """
    both = pairs["rater_a"].isin(EXPERTS) & pairs["rater_b"].isin(EXPERTS)
    rows = pairs[both & (pairs["statistic"] == statistic)]
    number = rows["rater_a"].str[-1] + " and " + rows["rater_b"].str[-1]
    return rows.assign(series="experts " + number)


def by_pair(pairs: pd.DataFrame) -> pd.DataFrame:
    """The kappas of expert pairs as dots without intervals, with readable names."""
    return titled(expert_pairs(pairs)).drop(columns=["low", "high"])


def bands(pairs: pd.DataFrame, statistic: str = KAPPA) -> pd.DataFrame:
    """Range and mean over the three expert pairs, best dimension first.

    ``framework, dimension, low, median, high, estimate``; the estimate is the mean.
    """
    groups = expert_pairs(pairs, statistic).groupby(["framework", "dimension"], sort=False)
    frame = groups["estimate"].agg(low="min", median="median", high="max", estimate="mean")
    return frame.reset_index().sort_values("estimate", ascending=False, ignore_index=True)


def within_frameworks(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows framework by framework, otherwise in their order."""
    return sorted_by(frame, "framework", scales())


def against_each_expert(pairs: pd.DataFrame, statistic: str = KAPPA) -> pd.DataFrame:
    """Each model and the crowd against single experts: the mean of the three.

    ``framework, dimension, series, estimate``: 84 rows.
    """
    others = (*MODELS, CROWD)
    chosen = pairs["rater_a"].isin(EXPERTS) & pairs["rater_b"].isin(others)
    rows = pairs[chosen & (pairs["statistic"] == statistic)]
    keys = ["framework", "dimension", "rater_b"]
    mean = rows.groupby(keys, sort=False)["estimate"].mean().reset_index()
    return mean.assign(series=mean["rater_b"].map(LABELS))


def islands(pairs: pd.DataFrame, dimension: str = "dismissing_emotions") -> pd.DataFrame:
    """The kappas of every two raters on one dimension; ``same``: both are experts, or models.

    ``rater_a, rater_b, estimate, same``, readable names, in the order of the raters.
    """
    chosen = pairs["rater_a"].isin(RATERS) & pairs["rater_b"].isin(RATERS)
    rows = pairs[chosen & (pairs["dimension"] == dimension) & (pairs["statistic"] == KAPPA)]
    sides = [rows["rater_a"].isin(who) & rows["rater_b"].isin(who) for who in (EXPERTS, MODELS)]
    rows = rows.assign(same=sides[0] | sides[1])[["rater_a", "rater_b", "estimate", "same"]]
    rows = sorted_by(sorted_by(rows, "rater_b", RATERS), "rater_a", RATERS)
    return rows.assign(**{side: rows[side].map(LABELS) for side in ("rater_a", "rater_b")})


def spread(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a dimension, one column a statistic; dimensions in their order.

    `frame` has the columns ``framework, dimension, statistic, estimate``.
    """
    keys = ["framework", "dimension"]
    wide = frame.pivot(index=keys, columns="statistic", values="estimate").reset_index()
    wide.columns.name = None
    return sorted_by(wide, "dimension", dimensions()["dimension"])


def named_raters(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs as dots, each in the colour of its second rater."""
    return titled(pairs.assign(series=pairs["rater_b"].map(LABELS)))


# --- chapter 7: the crowd ---------------------------------------------------------------


def named_judges(counts: pd.DataFrame) -> pd.DataFrame:
    """Counts by judge and reading, with readable names."""
    return counts.assign(
        judge=counts["judge"].map(LABELS | {"panel_median": "median of the three"}),
        reading=counts["reading"].map({"paper": "expert median", "single": "single experts"}),
    )


def less_crowd(gaps: pd.DataFrame) -> pd.DataFrame:
    """Each model's kappa with single experts less the crowd's, as dots."""
    rows = gaps[(gaps["reading"] == "single") & gaps["judge"].isin(MODELS)]
    return titled(rows.assign(series=rows["judge"].map(LABELS)))


def crowd_by_framework(means: pd.DataFrame) -> pd.DataFrame:
    """The crowd's mean kappa in each framework, and how far each model is above it."""
    wide = means.assign(cell=_with_intervals(means)).pivot(
        index=["framework", "crowd"], columns="judge", values="cell"
    )
    rows = titled(within_frameworks(wide.reset_index()))
    return rows[["framework", "crowd", *MODELS]].rename(columns=LABELS)


def beside_one_expert(beside: pd.DataFrame) -> pd.DataFrame:
    """The mean of k readers beside one expert, by coefficient."""
    wide = beside.pivot(index=["statistic", "n_raters"], columns="quantity", values="estimate")
    gaps = beside[beside["quantity"] == "difference"].set_index(["statistic", "n_raters"])
    wide["crowd less expert"] = pd.Series(_with_intervals(gaps), index=gaps.index)
    rows = wide.loc[list(_AS_GOOD)].reset_index()
    return pd.DataFrame(
        {
            "coefficient": rows["statistic"].map(_AS_GOOD),
            "readers": rows["n_raters"].astype(int),
            "crowd": rows["crowd"],
            "expert": rows["experts"],
            "crowd less expert": rows["crowd less expert"],
        }
    )


def readers_needed(needed: pd.DataFrame) -> pd.DataFrame:
    """How many readers are as good as one expert, in words where no number is."""
    rows = needed.set_index("statistic").loc[list(_AS_GOOD)]
    words = rows[["estimate", "low", "high"]].map(readers).rename(columns={"estimate": "readers"})
    words.insert(0, "coefficient", list(_AS_GOOD.values()))
    never = 100 * rows["never"]
    return words.assign(**{"per cent of resamples: more than 100": never}).reset_index(drop=True)


def readers(k: float) -> str:
    """A number of readers; what the page does not look at is more than a hundred.

    >>> readers(4.0), readers(float("inf"))
    ('4', 'more than 100')
    """
    return "more than 100" if np.isinf(k) else f"{k:.0f}"


def level_by_dimension(level: pd.DataFrame) -> pd.DataFrame:
    """A judge's shift of level with its interval, the share of error it makes, the order."""
    by = dict(iter(level.groupby("statistic")))
    shift = by["mean_difference"]
    return titled(
        shift.assign(
            shift=_with_intervals(shift),
            level=100 * by["error_from_level"]["estimate"].to_numpy(),
            rho=by["spearman_rho"]["estimate"].to_numpy(),
        )
    )


def _with_intervals(rows):
    return [with_interval(row) for row in rows.itertuples()]


_AS_GOOD = {
    KAPPA: "kappa",
    f"{KAPPA}_centred": "kappa without the shift",
    "correlation": "correlation",
}


# --- chapter 6: models against experts ----------------------------------------------------


def two_intervals(overall: pd.DataFrame, bca: pd.DataFrame) -> pd.DataFrame:
    """Each judge's mean difference with both kinds of interval, by reading."""
    keys = ["reading", "judge"]
    both = overall.merge(bca[[*keys, "low", "high"]], on=keys, suffixes=("", "_bca"))
    both["percentile"] = [interval(*ends) for ends in zip(both["low"], both["high"])]
    both["BCa"] = [interval(*ends) for ends in zip(both["low_bca"], both["high_bca"])]
    return judging.named(both)


def in_an_experts_place(alpha: pd.DataFrame, passes: pd.DataFrame) -> pd.DataFrame:
    """By judge: the change of alpha, and the outcome of the alternative annotator test."""
    alpha, passes = judging.named(alpha), judging.named(passes)
    change, together = (judging.overall(frame).set_index("judge") for frame in (alpha, passes))
    alone, won = judging.by_dimension(alpha), judging.by_dimension(passes)
    return (
        change[["difference"]]
        .assign(
            interval=[interval(*ends) for ends in zip(change["low"], change["high"])],
            lower=(alone["high"] < 0).groupby(alone["judge"]).sum(),
            passes=(won["verdict"] == "passes").groupby(won["judge"]).sum(),
            together=together["verdict"],
        )
        .reset_index(names="judge")
    )


def before_and_after(shift: pd.DataFrame, dimension: str) -> pd.DataFrame:
    """Kappa and error before and after a shift: over all dimensions, and on one of them."""
    parts = {
        "all 21": judging.overall(shift),
        titled(shift)["dimension"][shift["dimension"] == dimension].iloc[0].lower(): shift[
            shift["dimension"] == dimension
        ],
    }
    return pd.concat([_before_and_after(rows, where) for where, rows in parts.items()])


def _before_and_after(rows, where):
    wide = rows.pivot(index="judge", columns=["statistic", "quantity"], values="estimate")
    k, e = wide[KAPPA], wide["mean_absolute_error"]
    gain = rows[(rows["statistic"] == KAPPA) & (rows["quantity"] == "difference")]
    ends = [interval(*row) for row in zip(gain["low"], gain["high"])]
    columns = {
        "kappa": k["before"],
        "kappa, shifted": k["after"],
        "gain": k["difference"],
        "95 % interval": pd.Series(ends, index=gain["judge"]),
        "error": e["before"],
        "error, shifted": e["after"],
    }
    frame = pd.DataFrame(columns).loc[[*MODELS, CROWD]].rename(index=LABELS)
    return frame.reset_index(names="judge").assign(dimensions=where)


# --- chapter 9: robustness ----------------------------------------------------------------


def contrasts(compared: pd.DataFrame) -> pd.DataFrame:
    """The experts' slope on length less Gemini's, per 100 words, as dots."""
    rows = compared.rename(columns={"contrast": "estimate"}).assign(series="experts less Gemini")
    rows[["estimate", "low", "high"]] *= 100
    return titled(rows[["framework", "dimension", "series", "estimate", "low", "high"]])


_BASES = {**LABELS, "words": "ridge on words", "length": "line on length"}


def baselines(cheap: pd.DataFrame) -> pd.DataFrame:
    """Models and baselines by framework, with readable names."""
    rows = cheap[(cheap["dimension"] == MEAN) & (cheap["framework"] != "all frameworks")]
    rows = rows.assign(**{c: rows[c].replace(_BASES) for c in ("rater", "compared_with")})
    columns = ["framework", "dimension", "rater", "compared_with", "statistic"]
    return titled(rows[[*columns, "estimate", "low", "high"]])


def less_baselines(gemini: pd.DataFrame, better: pd.DataFrame) -> pd.DataFrame:
    """Gemini less each baseline, on average and by the number of dimensions."""
    rows = gemini[gemini["framework"] == "all frameworks"]
    rows = rows.set_index(["statistic", "compared_with"]).join(better).reset_index()
    return rows.assign(
        what=rows["statistic"].map({KAPPA: "kappa", "mean_absolute_error": "error, levels"}),
        base=rows["compared_with"].replace(_BASES),
        gap=_with_intervals(rows),
        clear=rows["sum"].astype(str) + " of " + rows["size"].astype(str),
    )
