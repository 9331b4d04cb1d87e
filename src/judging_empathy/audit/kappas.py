"""Questions 4 to 6, 8 and 9: the table of kappas, its stars and colours, and F1."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from judging_empathy import replication
from judging_empathy.audit.questions import KEYS, P, claim, question
from judging_empathy.data.names import CROWD, EXPERTS, LABELS, MEDIAN, MODELS, scales
from judging_empathy.tables import KAPPA, KAPPA_PUBLISHED, PAIRS, recipes
from raters import pairwise, round_ratings, with_reference
from raters.measures import MEAN
from raters.multiplicity import adjusted
from raters.show.tables import number

# Where the published table turns green, in the code and in its caption.
THRESHOLD_IN_CODE, THRESHOLD_IN_CAPTION = 0.58, 0.55
_STARS = (0.05, 0.01, 0.001)


def p_values(ratings: pd.DataFrame) -> pd.DataFrame:
    """z, p and stars of the printed kappas under two variances.

    126 rows: ``framework, dimension, rater_a, rater_b, kappa``; ``z, p, stars`` with the variance
    that holds whatever kappa is, as published; ``z_null, p_null, stars_null`` with the variance
    under kappa = 0; ``stars_rounded`` from p rounded to three decimals. See
    `replication.kappa_tests`.
    """
    frame = replication.kappa_tests(ratings)
    for end in ("", "_null"):
        frame[f"p{end}"] = replication.two_sided(frame[f"z{end}"])
        frame[f"stars{end}"] = _stars(frame[f"p{end}"])
    frame["stars_rounded"] = _stars(frame["p"].round(3))
    return frame


def _stars(p):
    return sum((p < limit).astype(int) for limit in _STARS)


def highlighted(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """The printed kappas, where each threshold colours them, and their intervals.

    126 rows: ``framework, dimension, rater_a, rater_b``; ``kappa`` as printed; ``by_code``,
    ``by_caption`` (coloured); ``low, high`` of kappa by value.
    """
    both = with_reference(ratings)
    printed = pairwise(both, scales(), KAPPA_PUBLISHED, PAIRS, resamples=0)
    plain = pairwise(both, scales(), KAPPA, PAIRS, resamples, seed)
    kappa = printed["estimate"].round(2) + 0.0
    return printed[[*KEYS, "rater_a", "rater_b"]].assign(
        kappa=kappa,
        by_code=kappa > THRESHOLD_IN_CODE,
        by_caption=kappa >= THRESHOLD_IN_CAPTION,
        low=plain["low"],
        high=plain["high"],
    )


def median_of_pairs(ratings: pd.DataFrame) -> pd.DataFrame:
    """The median kappa of the expert pairs: of the two that are found, and of all three.

    ``framework, dimension, two, three, gemini``; the last is Gemini's kappa with the expert
    median.
    """
    pairs = [*combinations(EXPERTS, 2), (MEDIAN, "gemini")]
    found = pairwise(with_reference(ratings), scales(), KAPPA, pairs, resamples=0)
    wide = found.pivot_table("estimate", KEYS, ["rater_a", "rater_b"], sort=False)
    experts = wide[pairs[:3]]
    without = experts.drop(columns=[("expert1", "expert3")])
    columns = {"two": without.median(axis=1), "three": experts.median(axis=1)}
    return pd.DataFrame({**columns, "gemini": wide[pairs[3]]}).reset_index()


def expert_f1(ratings: pd.DataFrame) -> pd.DataFrame:
    """Weighted F1 of expert 1 and Gemini with a median that holds expert 1, and without.

    ``framework, dimension``; ``expert1, gemini`` with the median of three; ``expert1_apart,
    gemini_apart`` with that of experts 2 and 3, halves rounded to the even level.
    """
    both = with_reference(ratings)
    both = round_ratings(with_reference(both, without="expert1", name="others"))
    pairs = [(one, rater) for one in (MEDIAN, "others") for rater in ("expert1", "gemini")]
    found = pairwise(both, scales(), "f1_weighted", pairs, resamples=0)
    wide = found.pivot_table("estimate", KEYS, ["rater_a", "rater_b"], sort=False)[pairs]
    wide.columns = [rater + ("" if one == MEDIAN else "_apart") for one, rater in pairs]
    return wide.reset_index()


def chance_lines(baselines: pd.DataFrame) -> pd.DataFrame:
    """The F1 of chance as 1/K, and of always giving the most frequent rating.

    ``framework, dimension, one_in_k, majority``.
    """
    rows = baselines[baselines["statistic"] == "f1_weighted"]
    rows = rows[(rows["rater"] == "majority") & (rows["compared_with"] == MEDIAN)]
    rows = rows[rows["dimension"] != MEAN]
    levels = rows["framework"].map({name: len(scale.levels) for name, scale in scales().items()})
    lines = rows[KEYS].assign(one_in_k=1 / levels, majority=rows["estimate"])
    return lines.reset_index(drop=True)


def _by_position(m, with_crowd):
    """Both recipes for the printed pairs with or without the crowd."""
    pairs = {frozenset(pair) for pair in PAIRS if (CROWD in pair) == with_crowd}
    moved = recipes(m.study.estimates("pairwise"))
    printed = [frozenset(pair) in pairs for pair in zip(moved["rater_a"], moved["rater_b"])]
    return moved[printed]


def _moves(moved):
    size = moved["difference"].abs()
    return (
        f"{(size > 0.005).sum()} of {size.size} kappas move by more than 0.005, at most by "
        f"{number(size.max())}; the mean change is {number(moved['difference'].mean(), 3)}."
    )


@question("4a")
def _position_of_ratings(m):
    moved = _by_position(m, with_crowd=False)
    reached = [
        m.kappa("gemini", MEDIAN, kappa) >= m.expert_pairs(kappa).mean(axis=1)
        for kappa in (KAPPA_PUBLISHED, KAPPA)
    ]
    return claim(
        moved["published"].mean(),
        moved["by_value"].mean(),
        _moves(moved) + " Whole ratings leave few gaps.",
        "Gemini with the median reaches the mean of the expert pairs",
        *reached,
    )


@question("4b")
def _position_of_means(m):
    moved = _by_position(m, with_crowd=True)
    above = [
        m.kappa("gemini", MEDIAN, kappa) > m.kappa(CROWD, MEDIAN, kappa)
        for kappa in (KAPPA_PUBLISHED, KAPPA)
    ]
    return claim(
        moved["published"].mean(),
        moved["by_value"].mean(),
        _moves(moved),
        "Gemini's kappa with the expert median above the crowd's",
        *above,
    )


@question("5a")
def _variance(m):
    found = m.table("p_values")
    before, after = found["p"] < P, found["p_null"] < P
    stars = found["stars_null"] - found["stars"]
    return claim(
        before.sum(),
        after.sum(),
        f"{(before != after).sum()} of {len(found)} cross the line of 0.05: "
        f"{(after & ~before).sum()} come in and {(before & ~after).sum()} drop out. "
        f"{(stars > 0).sum()} get more stars, {(stars < 0).sum()} fewer.",
        "p below 0.05",
        before,
        after,
    )


@question("5b")
def _rounding(m):
    found = m.table("p_values")
    lost = found["stars_rounded"] != found["stars"]
    return claim(
        found["stars_rounded"].sum(),
        found["stars"].sum(),
        f"{lost.sum()} of {len(found)} cells lose a star by the rounding.",
        "At least one star",
        found["stars_rounded"] > 0,
        found["stars"] > 0,
    )


@question("5c")
def _many_tests(m):
    p = m.table("p_values")["p"]
    after = {method: adjusted(p, method) < P for method in ("holm", "bh")}
    return claim(
        (p < P).sum(),
        after["holm"].sum(),
        f"{(p < P).sum()} without correction, {after['bh'].sum()} with Benjamini-Hochberg, "
        f"{after['holm'].sum()} with Holm. Each asks only whether kappa is 0; none says that "
        "agreement is good.",
        "p below 0.05",
        p < P,
        after["holm"],
    )


@question("6")
def _threshold(m):
    found = m.table("highlighted")
    experts = found["rater_b"].isin(EXPERTS)
    sure = found["low"] >= THRESHOLD_IN_CAPTION
    return claim(
        found["by_code"].sum(),
        found["by_caption"].sum(),
        f"{(found['by_caption'] != found['by_code']).sum()} cells differ. The median of the "
        f"expert pairs, for which the code's number stands, is "
        f"{number(found.loc[experts, 'kappa'].median())} here. On {sure.sum()} cells the whole "
        f"95 % interval lies above {THRESHOLD_IN_CAPTION:g}.",
        "High agreement, coloured",
        found["by_code"],
        found["by_caption"],
    )


@question("8")
def _median_of_pairs(m):
    found = m.table("median_of_pairs")
    move = found["three"] - found["two"]
    return claim(
        found["two"].mean(),
        found["three"].mean(),
        f"By dimension it moves by {number(move.min())} to {number(move.max())}, on average by "
        f"{number(move.mean(), 3)}.",
        "Gemini with the median reaches the median of the expert pairs",
        found["gemini"] >= found["two"],
        found["gemini"] >= found["three"],
    )


@question("9a")
def _expert_f1(m):
    found = m.table("expert_f1")
    mean = found.mean(numeric_only=True)
    gap = mean["expert1"] - mean["gemini"], mean["expert1_apart"] - mean["gemini_apart"]
    return claim(
        mean["expert1"],
        mean["expert1_apart"],
        f"Expert 1 goes from {number(mean['expert1'])} to {number(mean['expert1_apart'])}, Gemini "
        f"from {number(mean['gemini'])} to {number(mean['gemini_apart'])}: the distance between "
        f"them goes from {number(gap[0])} to {number(gap[1])}.",
        "Expert 1 above Gemini",
        found["expert1"] > found["gemini"],
        found["expert1_apart"] > found["gemini_apart"],
    )


@question("9b")
def _chance_line(m):
    lines = chance_lines(m.table("baselines")).set_index("dimension")
    raters = (*MODELS, CROWD)
    scores = {rater: m.f1_of(rater).loc[lines.index] for rater in raters}
    over = ", ".join(f"{LABELS[r]} {(scores[r] > lines['majority']).sum()}" for r in raters)
    return claim(
        lines["one_in_k"].mean(),
        lines["majority"].mean(),
        f"A rater who always gives the usual rating gets {number(lines['majority'].mean())}. "
        f"Dimensions above that line: {over}, of {len(lines)}.",
        "Models and crowd above the line",
        np.concatenate([scores[r] > lines["one_in_k"] for r in raters]),
        np.concatenate([scores[r] > lines["majority"] for r in raters]),
    )


@question("9c")
def _rounded_crowd(m):
    half = m.ratings.copy()
    crowd = half["rater"] == CROWD
    halves = np.isclose(half.loc[crowd, "rating"] % 1, 0.5).mean()
    half.loc[crowd, "rating"] = np.floor(half.loc[crowd, "rating"] + 0.5)
    found = pairwise(with_reference(half), scales(), "f1_weighted", [(MEDIAN, CROWD)], resamples=0)
    even, up = m.f1_of(CROWD), found.set_index("dimension")["estimate"]
    gemini = m.f1_of("gemini")
    return claim(
        even.mean(),
        up.mean(),
        f"{100 * halves:.0f} % of the crowd's ratings lie half way between levels. Rounding them "
        f"up moves F1 by {number((up - even).min())} to {number((up - even).max())}.",
        "Gemini's F1 above the crowd's",
        gemini > even,
        gemini > up.loc[gemini.index],
    )
