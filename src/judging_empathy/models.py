"""The study's tables about judges: the models, their panel and the crowd against the experts.

Everything is computed by `raters.judges`, which knows nothing of this study. Here are
the study's choices: who is judged, with which coefficients, in which readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from judging_empathy.data.names import CROWD, LABELS, MODELS, renamed, scales, sorted_by, titled
from judging_empathy.tables import KAPPA
from raters.intervals import percentile_test
from raters.judges import against_baselines, alt_test, benchmark, calibration, differences, panel
from raters.judges.ceiling import ends
from raters.judges.decisions import ALIGNMENTS, POOLED
from raters.measures import MEAN
from raters.multiplicity import adjusted
from raters.results import ALL, difference

# Resamples for the differences that decide about 0; the ends of their intervals matter most.
RESAMPLES = 10_000
PANEL = "panel_median"
JUDGES = (*MODELS, PANEL, CROWD)
ALPHA = "krippendorff_alpha_interval"
CENTRED = "weighted_kappa_quadratic_centred"
RHO = "spearman_rho"
_READINGS_OF = {
    KAPPA: ("paper", "single", "leave_one_out"),
    CENTRED: ("single",),
    RHO: ("single",),
    ALPHA: ("replacement",),
}
READINGS = {
    "paper": "experts' median",
    "single": "single experts",
    "leave_one_out": "the other experts",
    "replacement": "in an expert's place",
}
# The largest difference of kappa that is called no difference, and what a judge's lower
# price is worth in the alternative annotator test (its authors' value for experts).
MARGIN, EPSILON = 0.1, 0.2
VS_CROWD = [
    *("judge", "framework", "dimension", "reading", "statistic", "crowd", "value"),
    *("difference", "low", "high", "p", "p_adjusted", "n_items", "note"),
]


def judged(ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings with the panel of the three models, their median, as one more rater.

    `PANEL` is the new rater.
    """
    return panel(ratings, MODELS, name=PANEL)


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with readable names: frameworks, dimensions, judges and readings.

    A copy; what has no readable name stays as it is.

    >>> named(pd.DataFrame({"framework": ["epitome"], "dimension": ["level_explorations"],
    ...                     "judge": ["gpt"], "reading": ["single"]})).values.tolist()
    [['EPITOME', 'Explorations', 'GPT-4o', 'single experts']]
    """
    return renamed(
        titled(frame), {"judge": LABELS | {PANEL: "panel of three"}, "reading": READINGS}
    )


def benchmark_table(
    ratings: pd.DataFrame,
    resamples: int = RESAMPLES,
    seed: int = 2025,
    statistics: Sequence[str] = (KAPPA, CENTRED, RHO, ALPHA),
    interval: str = "percentile",
) -> pd.DataFrame:
    """Each judge's agreement with the experts, less the experts' own agreement.

    The columns of `raters.judges.benchmark`, with means over the dimensions of each framework and
    over all 21. Verdicts with a margin of `MARGIN`, dimension by dimension. The `statistics` are
    any of four: quadratic kappa in the readings ``paper``, ``single`` and ``leave_one_out``; in
    ``single`` kappa with all means made equal (`CENTRED`) and Spearman's correlation; interval
    alpha in ``replacement``. `interval` is ``"percentile"`` or ``"bca"``.
    """
    how = {"resamples": resamples, "seed": seed, "margin": MARGIN, "interval": interval}
    frame = judged(ratings)
    parts = [
        benchmark(frame, scales(), JUDGES, statistics=name, readings=_READINGS_OF[name], **how)
        for name in statistics
    ]
    return pd.concat(parts, ignore_index=True)


def judge_vs_crowd_table(ratings: pd.DataFrame, resamples: int = RESAMPLES, seed: int = 2025):
    """Each model's quadratic kappa with the experts, less the crowd's, on the same resamples.

    The models and their panel in the readings ``paper`` (kappa with the experts' median) and
    ``single`` (mean kappa with each expert): ``crowd`` and ``value`` are the two kappas. ``p``
    belongs to the interval; ``p_adjusted`` is Holm's over the 21 dimensions of a judge and
    reading. Means are no part of that family.
    """
    found = differences(
        judged(ratings), scales(), JUDGES, "expert", KAPPA, ("paper", "single"), resamples, seed
    )
    of_crowd = {_place(one): one for one in found if one.labels["judge"] == CROWD}
    rows = [_less(one, of_crowd[_place(one)]) for one in found if one.labels["judge"] != CROWD]
    frame = pd.DataFrame(rows, columns=[c for c in VS_CROWD if c != "p_adjusted"])
    frame["p_adjusted"] = frame["p"]
    for _, family in frame[frame["dimension"] != MEAN].groupby(["judge", "reading"]):
        frame.loc[family.index, "p_adjusted"] = adjusted(family["p"], "holm")
    return sorted_by(frame, "judge", JUDGES)[VS_CROWD]


def _place(one):
    return tuple(one.labels[c] for c in ("framework", "dimension", "reading"))


def _less(one, crowd):
    """A judge less the crowd: the experts' own agreement is on both sides and drops out."""
    both = replace(
        difference(one.labels, one, crowd),
        estimate=one.value - crowd.value,
        n_items=int(np.count_nonzero((one.counts > 0) & (crowd.counts > 0))),
    )
    low, high, note = ends(both, 0.95)
    there = np.isfinite(both.estimate) and np.isfinite(low)
    return {
        **{name: one.labels[name] for name in VS_CROWD[:5]},
        "crowd": crowd.value,
        "value": one.value,
        "difference": both.estimate,
        "low": low,
        "high": high,
        "p": percentile_test(both.draws) if there else np.nan,
        "n_items": both.n_items,
        "note": note,
    }


def alt_test_table(ratings: pd.DataFrame) -> pd.DataFrame:
    """The alternative annotator test of each judge, by accuracy and by error.

    As `raters.judges.alt_test` with epsilon `EPSILON`: the 21 dimensions, and all dimensions of a
    framework, and of all, together.
    """
    frame = judged(ratings)
    parts = [
        alt_test(frame, scales(), JUDGES, alignment=alignment, epsilon=EPSILON)
        for alignment in ALIGNMENTS
    ]
    return pd.concat(parts, ignore_index=True)


def calibration_table(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Models and crowd before and after recalibration on held-out conversations.

    As `raters.judges.calibration`: five ways, kappa with the expert median and mean absolute
    error.
    """
    return calibration(ratings, scales(), [*MODELS, CROWD], resamples=resamples, seed=seed)


def baselines_table(
    ratings: pd.DataFrame,
    words: pd.DataFrame,
    texts: Mapping[tuple[str, str], str] | None,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """The models against cheap raters who learned from the same experts, out of sample.

    As `against_baselines`: the majority rating, the mean, a line on the number of words, the
    crowd; with `texts` (`Study.supporter_texts`) a ridge on the words of the supporter.
    """
    keys = words[["framework", "item"]].itertuples(index=False, name=None)
    return against_baselines(
        ratings,
        scales(),
        list(MODELS),
        features={"length": dict(zip(keys, words["words"]))},
        texts=texts,
        groups={"crowd mean": CROWD},
        statistics=(KAPPA, "mean_absolute_error", "f1_weighted"),
        resamples=resamples,
        seed=seed,
    )


def decision_counts(decided: pd.DataFrame, alpha: float = 0.05) -> pd.DataFrame:
    """On how many dimensions something is decided, before and after correction.

    ``judge, reading, above, below, open`` (is the difference from the experts clear?) and
    ``not_inferior, equivalent``; each also ``_adjusted``, for the number of dimensions.
    ``dimensions`` is that number. Means over dimensions are left out. `alpha` is the error rate,
    as in `raters.judges.decide`.
    """
    rows = by_dimension(decided)
    tests, up, borne_out = rows["test"], rows["difference"] > 0, rows["withheld"] == ""
    counts = {}
    for ending, p in (("", rows["p"]), ("_adjusted", rows["p_adjusted"])):
        shown, apart = (p <= alpha) & borne_out, tests == "difference"
        counts |= {
            f"above{ending}": apart & shown & up,
            f"below{ending}": apart & shown & ~up,
            f"open{ending}": apart & ~shown,
            f"not_inferior{ending}": (tests == "non-inferiority") & shown,
            f"equivalent{ending}": (tests == "equivalence") & shown,
        }
    counts["dimensions"] = tests == "difference"
    groups = [rows["judge"], rows["reading"]]
    return pd.DataFrame(counts).groupby(groups, sort=False).sum().reset_index()


def overall(found: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table that are means over all 21 dimensions."""
    return found[(found["framework"] == ALL) & found["dimension"].isin([MEAN, POOLED])]


def by_dimension(found: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table that are about one dimension."""
    return found[~found["dimension"].isin([MEAN, POOLED])]
