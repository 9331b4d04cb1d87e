"""Simulated ratings of the study's shape, for when its files cannot be had.

They are made from what this project may carry: the printed kappas
(`data/published/weighted_kappa.csv`), the scales, and each rater's mean and
spread on each dimension (`data/moments.csv`, computed by this project). No
result on them is a result of the study, and every page and file says so.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from judging_empathy.data.files import data_dir
from judging_empathy.data.metadata import dimensions, frameworks
from judging_empathy.data.names import CROWD, EXPERTS, MODELS, RATERS, SELF, scales
from raters.frames import COLUMNS

STAMP = "Simulated ratings: these numbers are not the paper's."
N_ITEMS = 50
_SEED = 20250611  # the day of the paper's first version; the simulated study is one fixed study
_SHARED = 0.6  # correlation of the dimensions of a framework
_SELF_REPORTED = [
    "m_understood",
    "m_validated",
    "m_affirmed",
    "m_seen",
    "m_accepted",
    "m_caredfor",
]
_SELF_RATERS = 0.16  # about the printed tau of self-reports with others
_OPENINGS = {"promotion_passed_over": 19, "job_loss": 12, "overlooked_undervalued": 19}


def simulated_ratings() -> pd.DataFrame:
    """The simulated long frame: 4 frameworks, 21 dimensions, 50 items, 7 raters.

    Returns
    -------
    DataFrame
        As `study.load`: 7,350 rows. Always the same.

    Notes
    -----
    Each item has a true value on each dimension; a rater sees it with noise, so
    that the expected agreement of experts, model and crowd is about the printed
    kappa, then answers on the scale with that rater's mean and spread.

    Examples
    --------
    >>> len(simulated_ratings())
    7350
    """
    rng = np.random.default_rng(_SEED)
    moments = pd.read_csv(data_dir() / "moments.csv").set_index(["dimension", "rater"])
    accuracy = _accuracies()
    parts = []
    for framework in frameworks().itertuples():
        names = dimensions().query("framework == @framework.framework")["dimension"]
        general = rng.standard_normal(N_ITEMS)
        for dimension in names:
            own = rng.standard_normal(N_ITEMS)
            true = np.sqrt(_SHARED) * general + np.sqrt(1 - _SHARED) * own
            for rater in RATERS:
                seen = _noisy(true, accuracy[dimension][_kind(rater)], rng)
                mean, spread = moments.loc[(dimension, rater)]
                parts.append(
                    pd.DataFrame(
                        {
                            "framework": framework.framework,
                            "dimension": dimension,
                            "item": [f"{framework.prefix}{i:02d}" for i in range(1, N_ITEMS + 1)],
                            "rater": rater,
                            "group": _kind(rater),
                            "rating": _answers(mean + spread * seen, rater, framework.framework),
                        }
                    )
                )
    frame = pd.concat(parts, ignore_index=True)
    # Item before rater, as in the published frame: each column in its order of appearance.
    order = [pd.factorize(frame[column])[0] for column in COLUMNS[:4]]
    return frame.iloc[np.lexsort(order[::-1])].reset_index(drop=True)[COLUMNS]


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


def simulated_self_reports() -> pd.DataFrame:
    """Simulated ratings by the seekers themselves, on six dimensions of Perceived Empathy.

    Returns
    -------
    DataFrame
        As `study.self_reports`: 300 rows.

    Examples
    --------
    >>> len(simulated_self_reports())
    300
    """
    rng = np.random.default_rng([_SEED, 1])
    ratings = simulated_ratings().query("dimension in @_SELF_REPORTED and rater == 'crowd'")
    wide = ratings.pivot(index="item", columns="dimension", values="rating")[_SELF_REPORTED]
    standard = (wide - wide.mean()) / wide.std()
    seen = [_noisy(column.to_numpy(), _SELF_RATERS, rng) for _, column in standard.items()]
    answers = np.clip(np.rint(5.4 + 1.4 * np.array(seen)), 1, 7)
    wide = pd.DataFrame(answers.T, index=wide.index, columns=wide.columns)
    long = wide.reset_index().melt("item", var_name="dimension", value_name="rating")
    long = long.sort_values("item", kind="stable", ignore_index=True)
    return long.assign(framework="perceived_empathy", rater=SELF, group="self")[COLUMNS]


def simulated_words() -> pd.DataFrame:
    """Simulated lengths of the supporter's words.

    Returns
    -------
    DataFrame
        framework, item, words; 200 rows.

    Examples
    --------
    >>> bool(simulated_words().words.min() > 0)
    True
    """
    rng = np.random.default_rng([_SEED, 2])
    rows = simulated_ratings().drop_duplicates(["framework", "item"])[["framework", "item"]]
    lengths = np.rint(np.exp(rng.normal(4, 0.6, size=len(rows)))).astype(int) + 1
    return rows.assign(words=lengths).reset_index(drop=True)


def simulated_openings() -> pd.DataFrame:
    """Simulated openings of the Lend an Ear conversations.

    Returns
    -------
    DataFrame
        item, opening; 50 rows with the study's counts.

    Examples
    --------
    >>> simulated_openings().opening.value_counts().tolist()
    [19, 19, 12]
    """
    rng = np.random.default_rng([_SEED, 3])
    names = np.repeat(list(_OPENINGS), list(_OPENINGS.values()))
    items = [f"LE{i:02d}" for i in range(1, N_ITEMS + 1)]
    return pd.DataFrame({"item": items, "opening": rng.permutation(names)})
