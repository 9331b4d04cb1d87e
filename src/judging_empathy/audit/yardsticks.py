"""Questions 1 to 3 and 18 to 20: which model, which yardstick, repaired or not, how surely."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from judging_empathy.audit.questions import (
    ALPHA,
    CENTRED,
    CLEARLY,
    PANEL,
    Found,
    P,
    changed,
    claim,
    counts,
    question,
)
from judging_empathy.data.names import EXPERTS, LABELS, MEDIAN, MODELS, scales
from judging_empathy.models import RESAMPLES
from judging_empathy.tables import KAPPA, PUBLISHED_MODELS
from raters import compare
from raters.judges import benchmark, calibration, verdict_counts
from raters.measures import MEAN
from raters.show.tables import number, with_interval

DISMISSING = "dismissing_emotions"


@question("1")
def _alpha_among_models(m):
    rows = m.table("alpha")
    rows = rows[(rows["group"] == "llm") & (rows["dimension"] != MEAN)]
    two = rows[rows["statistic"] == f"{ALPHA}_published"].set_index("dimension")["estimate"]
    three = rows[rows["statistic"] == ALPHA].set_index("dimension")["estimate"]
    move = three - two
    clear = []
    for models in (PUBLISHED_MODELS, MODELS):
        sides = {"models": list(models), "experts": list(EXPERTS)}
        clear.append(compare(m.ratings, scales(), sides, ALPHA, **m.how)["low"] > 0)
    return claim(
        two.mean(),
        three.mean(),
        f"With Gemini alpha falls on {(move < 0).sum()} of {move.size} dimensions and rises on "
        f"{(move > 0).sum()}; the changes run from {number(move.min())} to {number(move.max())}.",
        "On dimensions, the models agree among themselves clearly more than the experts",
        *clear,
    )


def _which_model(m, judges, names):
    found = verdict_counts(m.judged)
    first = m.reading("paper", "gemini")
    other = [m.reading("paper", judge) for judge in judges]
    listed = "; ".join(
        f"{name} {number(rows['value'].mean())} ({counts(found, 'paper', judge)})"
        for judge, name, rows in zip(judges, names, other)
    )
    before, after = first["high"] >= 0, np.array([rows["high"] >= 0 for rows in other])
    kept = "; ".join(f"{name} on {sum(holds)}" for name, holds in zip(names, after))
    return Found(
        first["value"].mean(),
        float(np.mean([rows["value"].mean() for rows in other])),
        f"Gemini {number(first['value'].mean())} ({counts(found, 'paper', 'gemini')}); {listed}. "
        "The counts are verdicts: the interval of the difference from the expert pairs excludes "
        "0, and for above the exchange test agrees.",
        changed(np.tile(before, len(other)), after.ravel()),
        f"Gemini is not clearly below the expert pairs on {before.sum()} of {before.size} "
        f"dimensions; {kept}.",
    )


@question("2a")
def _other_models(m):
    others = [model for model in MODELS if model != "gemini"]
    return _which_model(m, others, [LABELS[model] for model in others])


@question("2b")
def _panel_of_models(m):
    return _which_model(m, [PANEL], ["median of the three"])


def _reading(m, reading):
    found = verdict_counts(m.judged)
    before = [m.reading("paper", model)["high"] >= 0 for model in MODELS]
    after = [m.reading(reading, model)["high"] >= 0 for model in MODELS]
    one, two = m.reading("paper", "gemini", MEAN), m.reading(reading, "gemini", MEAN)
    listed = "; ".join(f"{LABELS[x]} {counts(found, reading, x)}" for x in MODELS)
    return claim(
        one.difference,
        two.difference,
        f"Gemini's mean distance from the experts goes from {with_interval(one, 'difference')} to "
        f"{with_interval(two, 'difference')}. Dimensions, now: {listed}.",
        "Three models not clearly below the experts",
        np.concatenate(before),
        np.concatenate(after),
    )


question("3a")(partial(_reading, reading="single"))
question("3b")(partial(_reading, reading="leave_one_out"))


@question("3c")
def _contained(m):
    inside = pd.concat([m.kappa(expert, MEDIAN) for expert in EXPERTS], axis=1).mean(axis=1)
    others = m.reading("leave_one_out", "gemini")
    gemini = m.kappa("gemini", MEDIAN)
    return claim(
        inside.mean(),
        others["benchmark"].mean(),
        f"The experts' own kappa falls by {number(inside.mean() - others['benchmark'].mean())} "
        f"when they meet colleagues only; Gemini's is {number(gemini.mean())} with the median and "
        f"{number(others['value'].mean())} with two experts.",
        "An expert above Gemini",
        inside > gemini,
        others["benchmark"] > others["value"],
    )


def repaired(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Dismissing emotions: the models before and after recalibration on held-out items.

    As `calibration`, for a shift, a line and an isotonic map.
    """
    return calibration(
        ratings[ratings["dimension"] == DISMISSING],
        scales(),
        list(MODELS),
        methods=("shift", "linear", "isotonic"),
        resamples=resamples,
        seed=seed,
        mean=False,
    )


@question("18a")
def _dismissing(m):
    here = m.ratings[m.ratings["dimension"] == DISMISSING]
    found = benchmark(
        here, scales(), list(MODELS), statistics=[KAPPA, CENTRED], readings="single", **m.how
    )
    plain = found[found["statistic"] == CENTRED]
    rows = m.level[(m.level["dimension"] == DISMISSING) & m.level["judge"].isin(MODELS)]
    wide = rows.pivot(index="judge", columns="statistic", values="estimate").loc[list(MODELS)]
    lowest = m.expert_pairs().loc[DISMISSING].min()
    listed = "; ".join(
        f"{LABELS[name]} {number(100 * row.error_from_level, 0)} % of the squared error from "
        f"level, rho {number(row.spearman_rho)}"
        for name, row in wide.iterrows()
    )
    return claim(
        wide[KAPPA].mean(),
        wide[CENTRED].mean(),
        f"{listed}. With single experts and without the shift {(plain['high'] < 0).sum()} of "
        f"{len(plain)} models are clearly below the expert pairs ("
        + "; ".join(with_interval(row, "difference") for row in plain.itertuples(index=False))
        + ").",
        "A model's kappa with the median below that of every expert pair",
        wide[KAPPA] < lowest,
        wide[CENTRED] < lowest,
        ("as the ratings are", "with equal means"),
    )


@question("18b")
def _recalibrated(m):
    found = m.table("repaired")
    found = found[found["method"] == "shift"].set_index(["statistic", "quantity", "judge"])
    kappa, error = found.loc[KAPPA], found.loc["mean_absolute_error"]
    before, after = (kappa.loc[q].loc[list(MODELS)]["estimate"] for q in ("before", "after"))
    pairs = m.expert_pairs().loc[DISMISSING]
    gains = "; ".join(
        f"{LABELS[model]} {with_interval(kappa.loc[('difference', model)])}" for model in MODELS
    )
    sizes = [error.loc[q]["estimate"].mean() for q in ("before", "after")]
    return claim(
        before.mean(),
        after.mean(),
        f"Gain in kappa: {gains}. The mean absolute error goes from {number(sizes[0])} to "
        f"{number(sizes[1])}. The expert pairs have {number(pairs.min())} to "
        f"{number(pairs.max())}. A shift repairs level, not order.",
        "A model's kappa with the median below that of every expert pair",
        before < pairs.min(),
        after < pairs.min(),
        ("as the ratings are", "recalibrated"),
    )


@question("19a")
def _clear(m):
    found = verdict_counts(m.judged)
    first, plain = m.reading("paper", "gemini"), m.reading("single", "gemini")
    before = np.where(first["difference"] >= 0, 1, -1)
    after = np.where(plain["low"] > 0, 1, np.where(plain["high"] < 0, -1, 0))
    listed = "; ".join(f"{LABELS[x]} {counts(found, 'single', x)}" for x in MODELS)
    kept = (before == after).sum()
    return Found(
        float((before > 0).sum()),
        float((after > 0).sum()),
        f"{listed} (verdicts by 95 % intervals, for above also by the exchange test; 21 dimensions "
        f"each, n = {plain['n_items'].max()}, without correction for their number).",
        changed(before, after),
        f"By estimates Gemini is at or above the pairs on {(before > 0).sum()} dimensions and "
        f"below on {(before < 0).sum()}; {kept} of these {before.size} are clear in that "
        "direction.",
    )


@question("19b")
def _above_crowd(m):
    # As many as chapter 7 takes: a correction for 21 tests needs small p-values.
    found = m.study.table("judge_vs_crowd", max(m.resamples, RESAMPLES), m.seed)
    found = found[(found["reading"] == "single") & (found["dimension"] != MEAN)]
    found = found.rename(columns={"difference": "estimate"})
    parts = {model: found[found["judge"] == model] for model in MODELS}
    listed = "; ".join(
        f"{LABELS[model]} higher on {(part['estimate'] > 0).sum()}, clearly on "
        f"{(part['low'] > 0).sum()}, {_holm(part)}, clearly lower on "
        f"{(part['high'] < 0).sum()}"
        for model, part in parts.items()
    )
    gemini = parts["gemini"]
    return claim(
        (gemini["estimate"] > 0).sum(),
        (gemini["low"] > 0).sum(),
        f"Of {len(gemini)} dimensions: {listed}.",
        "Gemini above the crowd",
        gemini["estimate"] > 0,
        gemini["low"] > 0,
        CLEARLY,
    )


def _holm(part):
    """How many differences above 0 are left by Holm's correction."""
    left = (part["estimate"] > 0) & (part["p_adjusted"] < P)
    return f"with Holm's correction on {left.sum()}"


def _against(m, statistic, better):
    """Gemini less each baseline: rows by dimension, and the means over dimensions."""
    rows = m.table("baselines")
    rows = rows[(rows["statistic"] == statistic) & (rows["rater"] == "gemini")]
    rows = rows[rows["compared_with"] != MEDIAN]
    rows = rows.assign(clear=rows["low"] > 0 if better > 0 else rows["high"] < 0)
    single = rows[rows["dimension"] != MEAN]
    overall = rows[(rows["dimension"] == MEAN)].groupby("compared_with", sort=False).last()
    listed = "; ".join(
        f"{name} {with_interval(overall.loc[name])}, clearly better on {part['clear'].sum()} of "
        f"{len(part)}"
        for name, part in single.groupby("compared_with", sort=False)
    )
    return single, listed


def _mean_of(m, rater, statistic):
    rows = m.table("baselines")
    rows = rows[(rows["statistic"] == statistic) & (rows["rater"] == rater)]
    rows = rows[(rows["compared_with"] == MEDIAN) & (rows["dimension"] != MEAN)]
    return rows["estimate"].mean()


def _baseline(m, statistic, better, words):
    single, listed = _against(m, statistic, better)
    cheap = single[single["compared_with"] == "length"]
    good = cheap["estimate"] > 0 if better > 0 else cheap["estimate"] < 0
    return claim(
        _mean_of(m, "gemini", statistic),
        _mean_of(m, "length", statistic),
        f"Gemini less the baseline, {words}: {listed}.",
        "Gemini better than a line on the number of words",
        good,
        cheap["clear"],
        CLEARLY,
    )


_LESS = "mean absolute error, less is better"
question("20a")(partial(_baseline, statistic="mean_absolute_error", better=-1, words=_LESS))
question("20b")(partial(_baseline, statistic=KAPPA, better=1, words="kappa"))
