"""The results arranged for the charts and tables of the book."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judging_empathy import models as judging
from judging_empathy.data import files
from judging_empathy.data.metadata import dimensions
from judging_empathy.data.names import (
    CROWD,
    EXPERTS,
    LABELS,
    MEDIAN,
    MODELS,
    RATERS,
    scales,
    titled,
)
from judging_empathy.tables import KAPPA, recipes  # noqa: F401  views.recipes in chapters
from raters.show import tables as display
from raters.show.tables import interval, number

_KINDS = {
    "reference-llm": "experts and models",
    "reference-crowd": "experts and crowd",
    "llm-crowd": "models and crowd",
}


def made_from(ratings: pd.DataFrame, resamples: int, seed: int) -> display.Markdown:
    """What a page is made from, in a line; a warning when the ratings are simulated.

    Parameters
    ----------
    ratings : DataFrame
        From `study.load`.
    resamples, seed : int
        The notebook's parameters.

    Returns
    -------
    Markdown
    """
    items = len(ratings.drop_duplicates(["framework", "item"]))
    size = f"{len(ratings):,} ratings of {items} conversations"
    how = f"{resamples:,} resamples of conversations, seed {seed}"
    if ratings.attrs["study"] == "published":
        number = len(files.store().registry)
        return display.say(
            f"Made from: the study's published ratings ({size}; {number} files, each checked "
            f"by sha256, commit {files.COMMIT[:7]}); {how}."
        )
    return display.say(
        f"**Simulated ratings: these numbers are not the paper's.** This page shows made-up "
        f"ratings of the study's shape ({size}; {how}). They are made from the printed kappas "
        "and from each rater's mean and spread, so they resemble the study. Sentences that "
        "compare with the paper mean nothing here."
    )


def usage(ratings: pd.DataFrame, framework: str) -> pd.DataFrame:
    """How often each rater gives each level, on each dimension of a framework.

    Parameters
    ----------
    ratings : DataFrame
        From `study.load`.
    framework : str
        One of the four.

    Returns
    -------
    DataFrame
        ``dimension, rater, level, share``; readable names, levels as text. Crowd
        means are rounded to the nearest level, halves to even.
    """
    part = ratings[ratings["framework"] == framework]
    part = titled(part.assign(level=np.rint(part["rating"]).astype(int).astype(str)))
    keys = ["dimension", "rater"]
    uses = part.groupby([*keys, "level"], sort=False).size().rename("share").reset_index()
    uses["share"] /= uses.groupby(keys)["share"].transform("sum")
    order = {name: place for place, name in enumerate(part["rater"].unique())}
    uses = uses.sort_values("rater", key=lambda rater: rater.map(order), kind="stable")
    first = {name: place for place, name in enumerate(part["dimension"].unique())}
    return uses.sort_values(
        "dimension", key=lambda name: name.map(first), kind="stable", ignore_index=True
    )


def means(ratings: pd.DataFrame, framework: str) -> pd.DataFrame:
    """Mean rating by each rater on each dimension of a framework.

    Parameters
    ----------
    ratings : DataFrame
        From `study.load`.
    framework : str
        One of the four.

    Returns
    -------
    DataFrame
        ``dimension`` and a column for each rater, readable names.
    """
    part = titled(ratings[ratings["framework"] == framework])
    wide = part.pivot_table("rating", "dimension", "rater", sort=False)
    return wide[[LABELS[rater] for rater in RATERS]].reset_index()


def levels(framework: str) -> list[str]:
    """The levels of a framework as text, lowest first.

    Examples
    --------
    >>> levels("epitome")
    ['0', '1', '2']
    """
    return [f"{level}" for level in scales()[framework].levels]


def expert_pairs(pairs: pd.DataFrame, statistic: str = KAPPA) -> pd.DataFrame:
    """The rows of `results.pairs_table` that compare two experts.

    Parameters
    ----------
    pairs : DataFrame
        From `results.pairs_table`.
    statistic : str
        Which statistic.

    Returns
    -------
    DataFrame
        63 rows; ``series`` names the pair.
    """
    both = pairs["rater_a"].isin(EXPERTS) & pairs["rater_b"].isin(EXPERTS)
    rows = pairs[both & (pairs["statistic"] == statistic)]
    number = rows["rater_a"].str[-1] + " and " + rows["rater_b"].str[-1]
    return rows.assign(series="experts " + number)


def bands(pairs: pd.DataFrame, statistic: str = KAPPA) -> pd.DataFrame:
    """Range and mean over the three expert pairs, best dimension first.

    Parameters
    ----------
    pairs : DataFrame
        From `results.pairs_table`.
    statistic : str
        Which statistic.

    Returns
    -------
    DataFrame
        ``framework, dimension, low, median, high, estimate``; the estimate is the mean.
    """
    groups = expert_pairs(pairs, statistic).groupby(["framework", "dimension"], sort=False)
    frame = groups["estimate"].agg(low="min", median="median", high="max", estimate="mean")
    return frame.reset_index().sort_values("estimate", ascending=False, ignore_index=True)


def within_frameworks(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows framework by framework, otherwise in their order.

    Parameters
    ----------
    frame : DataFrame
        A column ``framework``.

    Returns
    -------
    DataFrame
    """
    order = list(scales())
    return frame.sort_values("framework", key=lambda f: f.map(order.index), kind="stable")


def against_median(pairs: pd.DataFrame, statistic: str = KAPPA) -> pd.DataFrame:
    """Each model and the crowd against the expert median.

    Parameters
    ----------
    pairs : DataFrame
        From `results.pairs_table`.
    statistic : str
        Which statistic.

    Returns
    -------
    DataFrame
        84 rows; ``series`` names the model or the crowd.
    """
    others = (*MODELS, CROWD)
    chosen = (pairs["rater_a"] == MEDIAN) & pairs["rater_b"].isin(others)
    rows = pairs[chosen & (pairs["statistic"] == statistic)]
    return rows.assign(series=rows["rater_b"].map(LABELS))


def against_each_expert(pairs: pd.DataFrame, statistic: str = KAPPA) -> pd.DataFrame:
    """Each model and the crowd against single experts: the mean of the three.

    Parameters
    ----------
    pairs : DataFrame
        From `results.pairs_table`.
    statistic : str
        Which statistic.

    Returns
    -------
    DataFrame
        ``framework, dimension, series, estimate``: 84 rows.
    """
    others = (*MODELS, CROWD)
    chosen = pairs["rater_a"].isin(EXPERTS) & pairs["rater_b"].isin(others)
    rows = pairs[chosen & (pairs["statistic"] == statistic)]
    keys = ["framework", "dimension", "rater_b"]
    mean = rows.groupby(keys, sort=False)["estimate"].mean().reset_index()
    return mean.assign(series=mean["rater_b"].map(LABELS))


def reached(judges: pd.DataFrame, ceiling: pd.Series) -> pd.Series:
    """On how many dimensions each rater comes up to a yardstick.

    Parameters
    ----------
    judges : DataFrame
        ``dimension, series, estimate``.
    ceiling : Series
        The yardstick by dimension.

    Returns
    -------
    Series
        Number of dimensions by ``series``. Estimates are compared, not intervals.
    """
    over = judges["estimate"] >= judges["dimension"].map(ceiling)
    return over.groupby(judges["series"]).sum()


def spread(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a dimension, one column a statistic; dimensions in their order.

    Parameters
    ----------
    frame : DataFrame
        ``framework, dimension, statistic, estimate``.

    Returns
    -------
    DataFrame
    """
    order = {name: place for place, name in enumerate(dimensions()["dimension"])}
    keys = ["framework", "dimension"]
    wide = frame.pivot(index=keys, columns="statistic", values="estimate").reset_index()
    wide.columns.name = None
    return wide.sort_values("dimension", key=lambda d: d.map(order), ignore_index=True)


def finding(pairs: pd.DataFrame) -> str:
    """The sentence under the book's first chart.

    Parameters
    ----------
    pairs : DataFrame
        From `results.pairs_table`.

    Returns
    -------
    str
    """
    mean = against_each_expert(pairs).groupby("series")["estimate"].mean()
    return (
        "Mean kappa over 21 dimensions with a single expert: "
        f"{bands(pairs)['estimate'].mean():.2f} for another expert, "
        f"{mean['Gemini']:.2f} for Gemini, {mean['Claude']:.2f} for Claude, "
        f"{mean['GPT-4o']:.2f} for GPT-4o, {mean['crowd']:.2f} for the crowd "
        "(n = 50 conversations a dimension)."
    )


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    Examples
    --------
    >>> listed(["Gemini", "Claude", "GPT-4o"]), listed(["Gemini"])
    ('Gemini, Claude and GPT-4o', 'Gemini')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def standing(low: float, high: float) -> str:
    """Where an interval of a difference lies: ``"above"``, ``"below"`` or ``"open"``.

    Examples
    --------
    >>> standing(0.1, 0.2), standing(-0.2, -0.1), standing(-0.1, 0.1)
    ('above', 'below', 'open')
    """
    return "above" if low > 0 else "below" if high < 0 else "open"


def answer(
    found: pd.DataFrame, bca: pd.DataFrame, crowd: pd.DataFrame
) -> dict[str, display.Markdown]:
    """What the study can say about its models, in four short paragraphs.

    Parameters
    ----------
    found : DataFrame
        From `judging.benchmark_table`, or the part of it that is about the models in the
        reading ``single``.
    bca : DataFrame
        The same for kappa, with BCa intervals.
    crowd : DataFrame
        From `judging.judge_vs_crowd_table`.

    Returns
    -------
    dict
        ``expert``, ``dimensions``, ``crowd``, ``level``. The words follow from where the
        intervals lie, so they also hold for simulated ratings.
    """
    models = [LABELS[name] for name in MODELS]
    single = judging.named(found[found["reading"] == "single"])
    kappa = _of_judges(single[single["statistic"] == KAPPA])
    centred = _of_judges(single[single["statistic"] == judging.CENTRED])
    rho = _of_judges(single[single["statistic"] == judging.RHO])
    other = bca[(bca["reading"] == "single") & (bca["statistic"] == KAPPA)]
    other = _of_judges(judging.named(other))
    against = _of_judges(judging.named(crowd[crowd["reading"] == "single"]))
    return {
        "expert": _against_an_expert(kappa, other, models),
        "dimensions": _by_dimension(single[single["statistic"] == KAPPA], models),
        "crowd": _against_the_crowd(against, models),
        "level": _level(centred, rho, models),
    }


def _of_judges(rows):
    return judging.overall(rows).set_index("judge")


def gap(row) -> str:
    """A difference with its interval, for a sentence.

    Parameters
    ----------
    row : Series
        ``difference, low, high``.

    Returns
    -------
    str

    Examples
    --------
    >>> gap(pd.Series({"difference": -0.1, "low": -0.2, "high": 0.05}))
    '−0.10 (−0.20 to 0.05)'
    """
    return f"{number(row.difference)} ({interval(row.low, row.high)})"


def _gaps(rows, names):
    return "; ".join(f"{name} {gap(rows.loc[name])}" for name in names)


def _against_an_expert(kappa, bca, models):
    where = {
        name: {standing(rows.loc[name, "low"], rows.loc[name, "high"]) for rows in (kappa, bca)}
        for name in models
    }
    said = []
    for place, words in (("below", "less well than"), ("above", "better than")):
        sure = [name for name in models if where[name] == {place}]
        if sure:
            said.append(
                f"So on average {listed(sure)} agree{'s' * (len(sure) == 1)} with an "
                f"expert {words} another expert does."
            )
    for name in models:
        if where[name] == {"open"}:
            said.append(
                f"{name} cannot be told apart from another expert on average, which does "
                "not show that it is as good."
            )
        elif len(where[name]) > 1:
            b = bca.loc[name]
            said.append(
                f"For {name} it hangs on the kind of interval: the other usual kind (BCa) "
                f"runs from {interval(b.low, b.high)}. At best the question is open."
            )
    return display.say(
        f"""**Against another expert.** Two experts agree with each other with a mean kappa of
        {number(kappa["benchmark"].iloc[0])} (1 is perfect, 0 is chance; 21 dimensions, n = 50
        conversations each). A model's kappa with an expert, less that, with its 95 % interval:
        {_gaps(kappa, models)}. {" ".join(said)}"""
    )


def _by_dimension(rows, models):
    counts = judging.by_dimension(rows).assign(
        place=lambda r: [standing(*ends) for ends in zip(r["low"], r["high"])],
        within=lambda r: r["verdict"] == "within it",
    )
    places = counts.groupby("judge")["place"].value_counts().unstack(fill_value=0)
    places = places.reindex(columns=["above", "below", "open"], fill_value=0)
    within = counts.groupby("judge")["within"].sum()
    parts = "; ".join(
        f"{name}: below the experts' own agreement on {places.loc[name, 'below']}, above it on "
        f"{places.loc[name, 'above']}, not decided on {places.loc[name, 'open']}"
        for name in models
    )
    equal = "; ".join(f"{name} {within[name]}" for name in models)
    return display.say(
        f"""**Dimension by dimension.** Of {len(counts) // counts["judge"].nunique()} dimensions,
        by the 95 % interval of each difference: {parts}. Not decided does not mean equal.
        Dimensions on which the whole interval lies within {judging.MARGIN} of the experts:
        {equal}. Few intervals from fifty conversations are narrow enough for that."""
    )


def _against_the_crowd(rows, models):
    better = [name for name in models if rows.loc[name, "low"] > 0]
    rest = [name for name in models if name not in better]
    said = []
    if better:
        who = f"All of {listed(better)}" if not rest else listed(better)
        said.append(
            f"{who} agree{'s' * (len(better) == 1)} with an expert better than the crowd "
            "does on average."
        )
    if rest:
        said.append(f"For {listed(rest)} that is not shown.")
    return display.say(
        f"""**Against the crowd.** {" ".join(said)} Difference of mean kappas:
        {_gaps(rows, models)}. "The crowd" is four different groups of people."""
    )


def _level(centred, rho, models):
    level_out = [name for name in models if centred.loc[name, "high"] < 0]
    order_alone = [name for name in models if rho.loc[name, "high"] < 0]
    still = (
        f"With level out of it, {listed(level_out)} still agree{'s' * (len(level_out) == 1)} less "
        "well than another expert."
        if level_out
        else "With level out of it, no model is clearly below another expert."
    )
    order = (
        f"In the order alone {listed(order_alone)} do{'es' * (len(order_alone) == 1)}."
        if order_alone
        else "In the order alone none clearly is."
    )
    return display.say(
        f"""**Level and order.** Some raters use a scale higher or lower than others. With the
        means of all raters made equal, the same differences are: {_gaps(centred, models)}. In
        the order of the conversations alone (Spearman's correlation): {_gaps(rho, models)}.
        {still} {order} Labels by experts repair a difference of level, not one of order."""
    )


def kinds_of_pairs(
    pairs: pd.DataFrame, statistic: str = KAPPA, models: Sequence[str] = MODELS
) -> pd.DataFrame:
    """Pairs of experts, experts and models, experts and crowd, models and crowd.

    Parameters
    ----------
    pairs : DataFrame
        From `results.pairs_table`.
    statistic : str
        Which statistic.
    models : sequence of str
        Which models stand for "models".

    Returns
    -------
    DataFrame
        ``series`` is the kind of pair. Experts stand for themselves in expert
        pairs and as their median against models and crowd.
    """
    others = sorted(set(MODELS) - set(models))
    rows = pairs[pairs["statistic"] == statistic]
    rows = rows[~rows["rater_a"].isin(others) & ~rows["rater_b"].isin(others)]
    rows = rows.assign(series=rows["group"].map(_KINDS))
    return pd.concat(
        [
            expert_pairs(pairs, statistic).assign(series="expert pairs"),
            rows[rows["series"].notna()],
        ],
        ignore_index=True,
    )
