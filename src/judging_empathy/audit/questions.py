"""Twenty questions to the published analysis, each answered with two computed numbers.

The printed numbers come out again (`replication`). Whether each is the number that its
sentence needs is another matter. A question names what the code does and the plain
alternative; both are computed, and a claim is held against both. One thing is changed at a
time: where the weights of kappa are not the question, both sides have kappa by value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from judging_empathy import crowd, replication
from judging_empathy.audit.tables import (
    DISMISSING,
    KEYS,
    THRESHOLD_IN_CAPTION,
    THRESHOLD_IN_CODE,
    chance_lines,
    printed_pairs,
)
from judging_empathy.data.names import CROWD, EXPERTS, LABELS, MEDIAN, MODELS, SELF, scales
from judging_empathy.models import RESAMPLES
from judging_empathy.study import Study
from judging_empathy.tables import KAPPA, KAPPA_PUBLISHED, PUBLISHED_MODELS, recipes
from raters import check_ratings, compare, pairwise, with_reference
from raters.errors import RatingsError
from raters.judges import benchmark, level_and_order, panel, verdict_counts
from raters.measures import MEAN
from raters.multiplicity import adjusted
from raters.show import tables as display
from raters.show.tables import interval, number

COLUMNS = [
    *("question", "topic", "code_does", "plain", "quantity", "published", "plain_value"),
    *("effect", "conclusion_changed", "why", "where", "note"),
]
CHANGED = ("no", "partly", "yes")
UNKNOWN = "not defined"
PANEL = "panel_median"
CENTRED = "weighted_kappa_quadratic_centred"
ALPHA = "krippendorff_alpha_interval"
# The standard deviation of the noise on plotted ratings, as the published cells have it.
JITTER = 0.25
# Krippendorff (2019): below it not even tentative conclusions.
TENTATIVE = 0.667
_P = 0.05
_STAYS = 0.95  # a claim of many statements that moves on one in twenty has not changed
_TOO_MUCH = 10  # a variance inflation factor that is called high
_NO_SINGLE = "the simulated ratings hold no single ratings of the crowd"
_NO_LABELS = "the simulated self-reports do not say what the seekers were told"


@dataclass(frozen=True)
class _Found:
    """The two numbers of an answer, what they say, and the claim held against both."""

    published: float
    plain: float
    effect: str
    changed: str
    why: str


@dataclass(frozen=True)
class _Question:
    """One question or part of one: what is asked, and how the answer is computed."""

    number: str
    topic: str
    code_does: str
    plain: str
    quantity: str
    where: str
    answer: Callable

    def row(self, material):
        """The row of `answers`."""
        found = self.answer(material)
        values = (found.published, found.plain, found.effect, found.changed, found.why)
        fixed = (self.number, self.topic, self.code_does, self.plain, self.quantity)
        return dict(zip(COLUMNS, (*fixed, *values, self.where, material.study.stamp)))


_QUESTIONS: list[_Question] = []


def _question(number, topic, *, code_does, plain, quantity, where):
    """Put a function among the questions."""

    def add(answer):
        _QUESTIONS.append(_Question(number, topic, code_does, plain, quantity, where, answer))
        return answer

    return add


def answers(study: Study, resamples: int = 2000, seed: int = 2025) -> pd.DataFrame:
    """The twenty questions, answered by the published recipe and by the plain alternative.

    Parameters
    ----------
    study : Study
        The ratings; tables that were made before are not made again.
    resamples, seed : int
        Bootstrap of items.

    Returns
    -------
    DataFrame
        One row a question, or a part of one: ``question`` (``"1"``, ``"5a"``), ``topic``,
        ``code_does`` and ``plain`` (a sentence each), ``quantity`` (what the two numbers
        are), ``published``, ``plain_value``, ``effect``, ``conclusion_changed``, ``why``,
        ``where`` (page and heading of the cell that computes it), ``note``.

    Raises
    ------
    RatingsError
        `resamples` is not 1 or more, the files cannot be had, or from the computation.

    Notes
    -----
    ``conclusion_changed`` follows from numbers. A claim is one statement or several, such
    as "Gemini's kappa is above the crowd's" on each of 21 dimensions. ``no``: at least 95 %
    of the statements stand as they stood before. ``yes``: none that held before holds.
    ``partly``: anything between. ``why`` has the numbers. What simulated ratings cannot
    answer is ``not defined``.

    Examples
    --------
    >>> found = answers(Study("simulated"), resamples=20)
    >>> found.question.str.extract(r"(\\d+)")[0].nunique()
    20
    """
    if not isinstance(resamples, int) or resamples < 1:
        raise RatingsError(
            f"resamples={resamples!r} for the audit",
            "a whole number of 1 or more: its answers rest on intervals",
            "give 2000, say",
        )
    material = _Material(study, resamples, seed)
    rows = [question.row(material) for question in _QUESTIONS]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame.attrs = {"study": study.name}
    return frame


def summary(answers: pd.DataFrame) -> pd.DataFrame:
    """How many answers change a conclusion.

    Parameters
    ----------
    answers : DataFrame
        From `answers`.

    Returns
    -------
    DataFrame
        ``conclusion_changed``; ``questions``, by the part that changes most; ``parts``.

    Examples
    --------
    >>> frame = pd.DataFrame({"question": ["1", "2a", "2b"],
    ...                       "conclusion_changed": ["no", "no", "partly"]})
    >>> summary(frame).values.tolist()[1:3]
    [['partly', 1, 1], ['no', 1, 2]]
    """
    most = answers.groupby(_number_of(answers), sort=False)["conclusion_changed"].agg(_most)
    order = [*CHANGED[::-1], UNKNOWN]
    parts = answers["conclusion_changed"]
    return pd.DataFrame(
        {
            "conclusion_changed": order,
            "questions": [int((most == one).sum()) for one in order],
            "parts": [int((parts == one).sum()) for one in order],
        }
    )


def _number_of(answers):
    return answers["question"].str.extract(r"^(\d+)")[0].astype(int).rename("number")


def _most(changed):
    """What changes most among the parts of a question."""
    known = [one for one in changed if one in CHANGED]
    return max(known, key=CHANGED.index) if known else UNKNOWN


def readable(answers: pd.DataFrame) -> display.Table:
    """The answers as a table to read, one row a question.

    Parameters
    ----------
    answers : DataFrame
        From `answers`.

    Returns
    -------
    Table
        Number and topic, what the code does, the plain alternative, the effect, whether a
        conclusion changes and why, and a link to the cell that computes it.
    """
    rows = []
    for place, parts in answers.groupby(_number_of(answers), sort=False):
        several = len(parts) > 1
        letters = [f"({name[-1]}) " if several else "" for name in parts["question"]]

        def joined(texts, letters=letters):
            return " ".join(letter + text for letter, text in zip(letters, texts))

        changed = parts["conclusion_changed"] + ". " + parts["why"]
        rows.append(
            {
                "question": f"{place}. {'; '.join(dict.fromkeys(parts['topic']))}",
                "the code": joined(parts["code_does"]),
                "plain": joined(parts["plain"]),
                "effect": joined(parts["effect"]),
                "conclusion changed": joined(changed),
                "computed in": " ".join(dict.fromkeys(parts["where"])),
            }
        )
    caption = "Twenty questions: what the code does, the plain alternative, and what follows."
    return _Linked(pd.DataFrame(rows), caption, 2, True)


class _Linked(display.Table):
    """A table whose ``page#heading`` cells are links, and whose rows the book shows as cards.

    Its cells hold sentences: six columns of them are too narrow to read. The roles keep the
    table a table for screen readers while its rows are laid out one below the other.
    """

    def _repr_html_(self):
        html = re.sub(r"\b(\d\d)_(\w+)#([\w-]+)", _link, super()._repr_html_())
        html = html.replace('<table class="rt">', '<table class="rt rt-cards" role="table">')
        html = html.replace("<tr>", '<tr role="row">').replace('<th scope="row">', _ROW_HEAD)
        return re.sub(r"<tr.*?</tr>", self._labelled, html, flags=re.S)

    def _labelled(self, row):
        names = iter(self.frame.columns[1:])

        def cell(found):
            return f'<td{found[1]} role="cell" data-label="{next(names)}">'

        return re.sub("<td((?: class=[^>]*)?)>", cell, row.group())


_ROW_HEAD = '<th scope="row" role="rowheader">'


def _link(found):
    chapter, name, heading = found.groups()
    words = heading.replace("-", " ")
    return f'<a href="{chapter}_{name}.html#{heading}">chapter {int(chapter)}, {words}</a>'


# --- what the answers are made of ------------------------------------------------------


class _Material:
    """The ratings and the tables that several questions need, each made once."""

    def __init__(self, study, resamples, seed):
        self.study, self.resamples, self.seed = study, resamples, seed
        self.ratings = check_ratings(study.ratings, scales())

    @property
    def how(self):
        """Resamples and seed, for functions that take both."""
        return {"resamples": self.resamples, "seed": self.seed}

    def table(self, name):
        """A table of the study, with these resamples and this seed."""
        return self.study.table(name, **self.how)

    @cached_property
    def pairwise(self):
        return self.study.estimates("pairwise")

    @cached_property
    def f1(self):
        return self.study.estimates("f1")

    @cached_property
    def judged(self):
        """The models, their panel and the crowd against the experts, in three readings."""
        judges = [*MODELS, CROWD, PANEL]
        return benchmark(panel(self.ratings, MODELS, name=PANEL), scales(), judges, **self.how)

    @cached_property
    def level(self):
        return level_and_order(self.ratings, scales(), [*MODELS, CROWD], **self.how)

    def kappa(self, a, b, statistic=KAPPA):
        """Kappa of two raters by dimension, in the order of the dimensions."""
        rows = self.pairwise[self.pairwise["statistic"] == statistic]
        one = (rows["rater_a"] == a) & (rows["rater_b"] == b)
        other = (rows["rater_a"] == b) & (rows["rater_b"] == a)
        return rows[one | other].set_index("dimension")["estimate"]

    def expert_pairs(self, statistic=KAPPA):
        """Kappa of the expert pairs: dimensions in rows, pairs in columns."""
        pairs = list(combinations(EXPERTS, 2))
        return pd.concat({pair: self.kappa(*pair, statistic) for pair in pairs}, axis=1)

    def reading(self, reading, judge, dimension=None):
        """Rows of `judged` for one reading and judge, without or with one mean."""
        rows = self.judged
        rows = rows[(rows["reading"] == reading) & (rows["judge"] == judge)]
        if dimension is None:
            return rows[rows["dimension"] != MEAN].set_index("dimension")
        return rows.iloc[-1]

    def f1_of(self, rater):
        """Weighted F1 against the expert median by dimension."""
        rows = self.f1[(self.f1["statistic"] == "f1_weighted") & (self.f1["rater_b"] == rater)]
        return rows[rows["dimension"] != MEAN].set_index("dimension")["estimate"]


def changed(before: Sequence, after: Sequence) -> str:
    """Whether statements that held under one recipe hold under another.

    Parameters
    ----------
    before, after : sequence
        The statements, in the same order: True or False, or labels such as 1, 0, -1.

    Returns
    -------
    str
        ``"no"``, ``"partly"`` or ``"yes"``; see `answers`.

    Examples
    --------
    >>> changed([True, False], [True, False]), changed([True, True], [True, False])
    ('no', 'partly')
    >>> changed([True, False], [False, False])
    'yes'
    """
    before, after = np.asarray(before), np.asarray(after)
    same = before == after
    if same.mean() >= _STAYS:
        return "no"
    held = before.astype(bool)
    return "partly" if (same[held] if held.any() else same).any() else "yes"


# What the two sides of a claim are called where both are made by one recipe.
_CLEARLY = ("by the estimates", "clearly, by the interval")


def _claim(
    published,
    plain,
    effect,
    claim,
    before,
    after,
    named=("by the published recipe", "by the plain one"),
):
    """An answer whose conclusion is a claim that is true or false in several places."""
    before, after = np.asarray(before, bool), np.asarray(after, bool)
    why = (
        f"{claim}: {before.sum()} of {before.size} {named[0]}, {after.sum()} {named[1]}, "
        f"{(before & after).sum()} both times."
    )
    return _Found(float(published), float(plain), effect, changed(before, after), why)


def _missing(reason):
    return _Found(np.nan, np.nan, f"Not defined: {reason}.", UNKNOWN, f"Not defined: {reason}.")


def _with_interval(row):
    return f"{number(row.estimate)} ({interval(row.low, row.high)})"


def _difference(row):
    return f"{number(row.difference)} ({interval(row.low, row.high)})"


def _counts(found, reading, judge):
    """How many dimensions are clearly below, clearly above and open."""
    row = found[(found["reading"] == reading) & (found["judge"] == judge)].iloc[0]
    rest = row["dimensions"] - row["below"] - row["above"]
    return f"{row['below']} below, {row['above']} above, {rest} open"


# --- 1 to 3: which models, which yardstick ---------------------------------------------


@_question(
    "1",
    "alpha among the models",
    code_does="The cell selects a rater called gemini; the combined table calls that file llm, "
    "so alpha among LLMs is that of GPT-4o and Claude.",
    plain="Alpha of all three models.",
    quantity="mean alpha among the models over 21 dimensions",
    where="06_models#do-the-models-agree-with-each-other",
)
def _alpha_among_models(m):
    rows = m.table("alpha")[
        (m.table("alpha")["group"] == "llm") & (m.table("alpha")["dimension"] != MEAN)
    ]
    two = rows[rows["statistic"] == f"{ALPHA}_published"].set_index("dimension")["estimate"]
    three = rows[rows["statistic"] == ALPHA].set_index("dimension")["estimate"]
    move = three - two
    clear = []
    for models in (PUBLISHED_MODELS, MODELS):
        sides = {"models": list(models), "experts": list(EXPERTS)}
        clear.append(compare(m.ratings, scales(), sides, ALPHA, **m.how)["low"] > 0)
    return _claim(
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
        f"{name} {number(rows['value'].mean())} ({_counts(found, 'paper', judge)})"
        for judge, name, rows in zip(judges, names, other)
    )
    before, after = first["high"] >= 0, np.array([rows["high"] >= 0 for rows in other])
    kept = "; ".join(f"{name} on {sum(holds)}" for name, holds in zip(names, after))
    return _Found(
        first["value"].mean(),
        float(np.mean([rows["value"].mean() for rows in other])),
        f"Gemini {number(first['value'].mean())} ({_counts(found, 'paper', 'gemini')}); {listed}. "
        "The counts are dimensions on which the interval of the difference from the expert "
        "pairs excludes 0.",
        changed(np.tile(before, len(other)), after.ravel()),
        f"Gemini is not clearly below the expert pairs on {before.sum()} of {before.size} "
        f"dimensions; {kept}.",
    )


@_question(
    "2a",
    "which model is the LLM",
    code_does="In kappa and correlation, LLM is the Gemini file alone.",
    plain="The other two models, by name.",
    quantity="mean kappa with the expert median over 21 dimensions: Gemini; GPT-4o and Claude",
    where="06_models#which-model-is-the-llm",
)
def _other_models(m):
    others = [model for model in MODELS if model != "gemini"]
    return _which_model(m, others, [LABELS[model] for model in others])


@_question(
    "2b",
    "the median of three models",
    code_does="One model stands for all.",
    plain="The median of the three models, as the experts' reference is a median of three.",
    quantity="mean kappa with the expert median over 21 dimensions: Gemini; median of models",
    where="06_models#which-model-is-the-llm",
)
def _panel_of_models(m):
    return _which_model(m, [PANEL], ["median of the three"])


def _reading(m, reading):
    found = verdict_counts(m.judged)
    before = [m.reading("paper", model)["high"] >= 0 for model in MODELS]
    after = [m.reading(reading, model)["high"] >= 0 for model in MODELS]
    one, two = m.reading("paper", "gemini", MEAN), m.reading(reading, "gemini", MEAN)
    listed = "; ".join(f"{LABELS[x]} {_counts(found, reading, x)}" for x in MODELS)
    return _claim(
        one.difference,
        two.difference,
        f"Gemini's mean distance from the experts goes from {_difference(one)} to "
        f"{_difference(two)}. Dimensions, now: {listed}.",
        "Three models not clearly below the experts",
        np.concatenate(before),
        np.concatenate(after),
    )


@_question(
    "3a",
    "one expert or the median of three",
    code_does="Expert pairs are one rater against one; the model meets the median of three.",
    plain="The model meets each single expert, as experts do.",
    quantity="Gemini's mean kappa less that of the expert pairs",
    where="06_models#one-expert-or-the-median-of-three",
)
def _single(m):
    return _reading(m, "single")


@_question(
    "3b",
    "leave one expert out",
    code_does="As in 3a.",
    plain="Model and left-out expert both meet the mean of the other two experts.",
    quantity="Gemini's mean kappa less that of the experts",
    where="06_models#one-expert-or-the-median-of-three",
)
def _leave_one_out(m):
    return _reading(m, "leave_one_out")


@_question(
    "3c",
    "an expert and a median that contains the expert",
    code_does="Where an expert is set beside the median, the median holds that expert's rating.",
    plain="The expert meets the mean of the other two, and so does the model.",
    quantity="mean kappa of an expert with the reference",
    where="06_models#one-expert-or-the-median-of-three",
)
def _contained(m):
    inside = pd.concat([m.kappa(expert, MEDIAN) for expert in EXPERTS], axis=1).mean(axis=1)
    others = m.reading("leave_one_out", "gemini")
    gemini = m.kappa("gemini", MEDIAN)
    return _claim(
        inside.mean(),
        others["benchmark"].mean(),
        f"The experts' own kappa falls by {number(inside.mean() - others['benchmark'].mean())} "
        f"when they meet colleagues only; Gemini's is {number(gemini.mean())} with the median and "
        f"{number(others['value'].mean())} with two experts.",
        "An expert above Gemini",
        inside > gemini,
        others["benchmark"] > others["value"],
    )


# --- 4 to 6: the table of kappas --------------------------------------------------------


def _by_position(m, with_crowd):
    """Both recipes for the printed pairs with or without the crowd."""
    pairs = {frozenset(pair) for pair in printed_pairs() if (CROWD in pair) == with_crowd}
    moved = recipes(m.pairwise)
    printed = [frozenset(pair) in pairs for pair in zip(moved["rater_a"], moved["rater_b"])]
    return moved[printed]


def _moves(moved):
    size = moved["difference"].abs()
    return (
        f"{(size > 0.005).sum()} of {size.size} kappas move by more than 0.005, at most by "
        f"{number(size.max())}; the mean change is {number(moved['difference'].mean(), 3)}."
    )


@_question(
    "4a",
    "weights by position, whole ratings",
    code_does="Weights are the distance between positions among the values that occur.",
    plain="Weights are the distance between the values.",
    quantity="mean kappa of experts and Gemini",
    where="06_models#by-value-or-by-position",
)
def _position_of_ratings(m):
    moved = _by_position(m, with_crowd=False)
    reached = [
        m.kappa("gemini", MEDIAN, kappa) >= m.expert_pairs(kappa).mean(axis=1)
        for kappa in (KAPPA_PUBLISHED, KAPPA)
    ]
    return _claim(
        moved["published"].mean(),
        moved["by_value"].mean(),
        _moves(moved) + " Whole ratings leave few gaps.",
        "Gemini with the median reaches the mean of the expert pairs",
        *reached,
    )


@_question(
    "4b",
    "weights by position, crowd means",
    code_does="Each of the crowd's means becomes a step of its own.",
    plain="Weights are the distance between the values.",
    quantity="mean kappa of the crowd with experts and Gemini",
    where="07_crowd#which-recipe-for-kappa",
)
def _position_of_means(m):
    moved = _by_position(m, with_crowd=True)
    above = [
        m.kappa("gemini", MEDIAN, kappa) > m.kappa(CROWD, MEDIAN, kappa)
        for kappa in (KAPPA_PUBLISHED, KAPPA)
    ]
    return _claim(
        moved["published"].mean(),
        moved["by_value"].mean(),
        _moves(moved),
        "Gemini's kappa with the expert median above the crowd's",
        *above,
    )


@_question(
    "5a",
    "p of kappa: which variance",
    code_does="p comes from kappa over its non-null standard error.",
    plain="A test of kappa = 0 takes the variance under kappa = 0.",
    quantity="number of the printed kappas with p below 0.05",
    where="10_replication#stars-and-colours",
)
def _variance(m):
    found = m.table("p_values")
    before, after = found["p"] < _P, found["p_null"] < _P
    stars = found["stars_null"] - found["stars"]
    return _claim(
        before.sum(),
        after.sum(),
        f"{(before != after).sum()} of {len(found)} cross the line of 0.05: "
        f"{(after & ~before).sum()} come in and {(before & ~after).sum()} drop out. "
        f"{(stars > 0).sum()} get more stars, {(stars < 0).sum()} fewer.",
        "p below 0.05",
        before,
        after,
    )


@_question(
    "5b",
    "p of kappa: rounded before the stars",
    code_does="p is rounded to three decimals, then compared with 0.05, 0.01 and 0.001.",
    plain="Compare first, round for print.",
    quantity="number of stars in the table",
    where="10_replication#stars-and-colours",
)
def _rounding(m):
    found = m.table("p_values")
    lost = found["stars_rounded"] != found["stars"]
    return _claim(
        found["stars_rounded"].sum(),
        found["stars"].sum(),
        f"{lost.sum()} of {len(found)} cells lose a star by the rounding.",
        "At least one star",
        found["stars_rounded"] > 0,
        found["stars"] > 0,
    )


@_question(
    "5c",
    "p of kappa: many tests",
    code_does="126 tests, each at 0.05.",
    plain="Holm's correction over the 126.",
    quantity="number of kappas with p below 0.05",
    where="10_replication#stars-and-colours",
)
def _many_tests(m):
    p = m.table("p_values")["p"]
    after = {method: adjusted(p, method) < _P for method in ("holm", "bh")}
    return _claim(
        (p < _P).sum(),
        after["holm"].sum(),
        f"{(p < _P).sum()} without correction, {after['bh'].sum()} with Benjamini-Hochberg, "
        f"{after['holm'].sum()} with Holm. Each asks only whether kappa is 0; none says that "
        "agreement is good.",
        "p below 0.05",
        p < _P,
        after["holm"],
    )


@_question(
    "6",
    "threshold in code and caption",
    code_does=f"The code colours kappas above {THRESHOLD_IN_CODE:g}, typed by hand; the caption "
    f"says {THRESHOLD_IN_CAPTION:g} or more.",
    plain="The threshold that the caption states; better, an interval beside each kappa.",
    quantity="coloured cells of 126",
    where="10_replication#stars-and-colours",
)
def _threshold(m):
    found = m.table("highlighted")
    experts = found["rater_b"].isin(EXPERTS)
    sure = found["low"] >= THRESHOLD_IN_CAPTION
    return _claim(
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


# --- 7 to 9: intervals of alpha, the median of pairs, F1 --------------------------------


def _alpha_intervals(m):
    """The experts' alpha with intervals by both recipes: dimensions and framework means."""
    rows = m.table("alpha")[m.table("alpha")["group"] == "expert"]
    parts = [
        rows[rows["statistic"] == name].set_index(KEYS)[["estimate", "low", "high"]]
        for name in (f"{ALPHA}_published", ALPHA)
    ]
    return parts[0].add_suffix("_published").join(parts[1].add_suffix("_plain"))


@_question(
    "7a",
    "draws without multiplicity",
    code_does="Draws are selected with isin: a conversation drawn twice counts once.",
    plain="It counts twice, as in a new sample.",
    quantity="mean width of the four intervals of mean alpha, experts",
    where="03_experts#ours-theirs-verdict",
)
def _multiplicity(m):
    found = _alpha_intervals(m)
    width = pd.DataFrame(
        {name: found[f"high_{name}"] - found[f"low_{name}"] for name in ("published", "plain")}
    )
    mean = width.index.get_level_values("dimension") == MEAN
    ratio = width["plain"] / width["published"]
    single = found[~mean]
    return _claim(
        width.loc[mean, "published"].mean(),
        width.loc[mean, "plain"].mean(),
        f"The plain intervals of the framework means are {number(ratio[mean].min())} to "
        f"{number(ratio[mean].max())} times as wide; of single dimensions "
        f"{number(ratio[~mean].min())} to {number(ratio[~mean].max())} times.",
        f"The experts' whole interval above {TENTATIVE:g}",
        single["low_published"] > TENTATIVE,
        single["low_plain"] > TENTATIVE,
    )


@_question(
    "7b",
    "clipping, and a constant sample",
    code_does="Values of alpha on a draw are cut off at 0 and 1.",
    plain="Alpha may be below 0; where a draw has one rating only it is not defined.",
    quantity="lowest lower end of the experts' 21 intervals, same draws",
    where="10_replication#clipped-draws",
)
def _clipping(m):
    found = m.table("clipped_draws")
    return _claim(
        found["low_clipped"].min(),
        found["low"].min(),
        f"{(found['clipped'] > 0).sum()} of {len(found)} dimensions have draws that are cut off, "
        f"at most {100 * found['clipped'].max():.1f} % of them. The lower end moves by at most "
        f"{number((found['low'] - found['low_clipped']).abs().max(), 3)}. Draws with one rating "
        f"only: {found['constant'].sum()} of {len(found) * m.resamples:,}.",
        "The interval reaches 0",
        found["low_clipped"] <= 0,
        found["low"] <= 0,
    )


@_question(
    "8",
    "the median of pairs",
    code_does="The list of expert pairs names (1, 3), the table has (3, 1): two pairs are found.",
    plain="The median of all three pairs.",
    quantity="mean over 21 dimensions of the median kappa of expert pairs",
    where="10_replication#the-median-of-pairs",
)
def _median_of_pairs(m):
    found = m.table("median_of_pairs")
    move = found["three"] - found["two"]
    return _claim(
        found["two"].mean(),
        found["three"].mean(),
        f"By dimension it moves by {number(move.min())} to {number(move.max())}, on average by "
        f"{number(move.mean(), 3)}.",
        "Gemini with the median reaches the median of the expert pairs",
        found["gemini"] >= found["two"],
        found["gemini"] >= found["three"],
    )


@_question(
    "9a",
    "F1 of expert 1",
    code_does="Expert 1 is compared with a median that contains expert 1.",
    plain="The median of the other two, for the expert and for the model.",
    quantity="mean weighted F1 of expert 1 over 21 dimensions",
    where="10_replication#what-f1-is-compared-with",
)
def _expert_f1(m):
    found = m.table("expert_f1")
    mean = found.mean(numeric_only=True)
    gap = mean["expert1"] - mean["gemini"], mean["expert1_apart"] - mean["gemini_apart"]
    return _claim(
        mean["expert1"],
        mean["expert1_apart"],
        f"Expert 1 goes from {number(mean['expert1'])} to {number(mean['expert1_apart'])}, Gemini "
        f"from {number(mean['gemini'])} to {number(mean['gemini_apart'])}: the distance between "
        f"them goes from {number(gap[0])} to {number(gap[1])}.",
        "Expert 1 above Gemini",
        found["expert1"] > found["gemini"],
        found["expert1_apart"] > found["gemini_apart"],
    )


@_question(
    "9b",
    "the chance line of F1",
    code_does="The chance line is 1/K for K levels.",
    plain="Always the most frequent rating, learned from other conversations.",
    quantity="mean F1 of the line over 21 dimensions",
    where="10_replication#what-f1-is-compared-with",
)
def _chance_line(m):
    lines = chance_lines(m.table("baselines")).set_index("dimension")
    raters = (*MODELS, CROWD)
    scores = {rater: m.f1_of(rater).loc[lines.index] for rater in raters}
    over = ", ".join(f"{LABELS[r]} {(scores[r] > lines['majority']).sum()}" for r in raters)
    return _claim(
        lines["one_in_k"].mean(),
        lines["majority"].mean(),
        f"A rater who always gives the usual rating gets {number(lines['majority'].mean())}. "
        f"Dimensions above that line: {over}, of {len(lines)}.",
        "Models and crowd above the line",
        np.concatenate([scores[r] > lines["one_in_k"] for r in raters]),
        np.concatenate([scores[r] > lines["majority"] for r in raters]),
    )


@_question(
    "9c",
    "crowd means rounded for F1",
    code_does="Crowd means are rounded, halves to the even level.",
    plain="Halves up instead, to see how much hangs on it; kappa needs no rounding.",
    quantity="mean weighted F1 of the crowd over 21 dimensions",
    where="10_replication#what-f1-is-compared-with",
)
def _rounded_crowd(m):
    half = m.ratings.copy()
    crowd = half["rater"] == CROWD
    halves = np.isclose(half.loc[crowd, "rating"] % 1, 0.5).mean()
    half.loc[crowd, "rating"] = np.floor(half.loc[crowd, "rating"] + 0.5)
    found = pairwise(with_reference(half), scales(), "f1_weighted", [(MEDIAN, CROWD)], resamples=0)
    even, up = m.f1_of(CROWD), found.set_index("dimension")["estimate"]
    gemini = m.f1_of("gemini")
    return _claim(
        even.mean(),
        up.mean(),
        f"{100 * halves:.0f} % of the crowd's ratings lie half way between levels. Rounding them "
        f"up moves F1 by {number((up - even).min())} to {number((up - even).max())}.",
        "Gemini's F1 above the crowd's",
        gemini > even,
        gemini > up.loc[gemini.index],
    )


# --- 10 to 13: the checks of robustness -------------------------------------------------


def _taus(m):
    """Tau of the self-reports by both recipes: experts and crowd, in this order."""
    rows = m.table("self_report")[m.table("self_report")["rater_b"].isin([MEDIAN, CROWD])]
    published = rows[rows["statistic"] == "kendall_tau_b_published"]
    plain = rows[(rows["statistic"] == "kendall_tau_b") & (rows["dimension"] == MEAN)]
    return [part.set_index("rater_b").loc[[MEDIAN, CROWD]] for part in (published, plain)]


@_question(
    "10a",
    "self-reports: 300 rows",
    code_does="300 pairs from 50 conversations are resampled as if independent.",
    plain="Conversations are resampled, each with its six answers.",
    quantity="mean width of the two intervals of tau-b",
    where="09_robustness#do-raters-feel-what-the-seekers-felt",
)
def _rows_or_conversations(m):
    published, plain = _taus(m)
    width = [(part["high"] - part["low"]).mean() for part in (published, plain)]
    listed = "; ".join(
        f"{LABELS[who]} {_with_interval(published.loc[who])}, then {_with_interval(plain.loc[who])}"
        for who in published.index
    )
    return _claim(
        *width,
        f"The intervals are {number(width[1] / width[0], 1)} times as wide. Tau-b with the "
        f"{listed}.",
        "The interval of tau excludes 0",
        published["low"] > 0,
        plain["low"] > 0,
    )


@_question(
    "10b",
    "self-reports: told that an AI wrote it",
    code_does="Seekers who were told that an AI wrote the reply are pooled with the others.",
    plain="Tau within each of the two groups, and the contrast between them.",
    quantity="tau-b of self-reports and expert median: pooled; within groups",
    where="09_robustness#do-raters-feel-what-the-seekers-felt",
)
def _told(m):
    labels = m.study.labels_told
    if labels is None:
        return _missing(_NO_LABELS)
    row = m.table("told").set_index(["rater", "quantity", "told"])
    pooled = _taus(m)[1]
    ratings = {who: row.loc[(who, "rating", "difference")] for who in (SELF, MEDIAN)}
    gap = [row.loc[(who, "tau", "difference")] for who in (MEDIAN, CROWD)]
    names = sorted(set(labels.values()))
    return _claim(
        pooled.loc[MEDIAN, "estimate"],
        row.loc[(MEDIAN, "tau", "within"), "estimate"],
        f"{names[0]} less {names[1]}: tau differs by {_with_interval(gap[0])} for the expert "
        f"median and by {_with_interval(gap[1])} for the crowd; the seekers' own ratings differ by "
        f"{_with_interval(ratings[SELF])} levels, the experts' by "
        f"{_with_interval(ratings[MEDIAN])}.",
        "The label makes no clear difference to tau (taken for granted, then tested)",
        [True, True],
        [one.low <= 0 <= one.high for one in gap],
    )


def _slope_p(m, statistic, group):
    rows = m.table("verbosity")[
        (m.table("verbosity")["statistic"] == statistic) & (m.table("verbosity")["group"] == group)
    ]
    return rows.set_index("dimension")["estimate"]


@_question(
    "11a",
    "words: 200 rows",
    code_does="Three experts and their median are 200 independent rows.",
    plain="One row a conversation: the mean of the experts.",
    quantity="dimensions with adjusted p below 0.05, experts",
    where="09_robustness#do-longer-replies-get-higher-ratings",
)
def _stacked_rows(m):
    before = _slope_p(m, "ols_slope_p_adjusted_published", "expert") < _P
    after = _slope_p(m, "ols_slope_p_adjusted", "expert") < _P
    clustered = m.table("slopes")["p_clustered"]
    return _claim(
        before.sum(),
        after.sum(),
        f"{before.sum()} of {before.size} with 200 rows, {after.sum()} with one row a "
        f"conversation, {(adjusted(clustered, 'bh') < _P).sum()} with 150 rows and errors "
        "clustered by conversation.",
        "Longer replies rated differently by the experts",
        before,
        after,
    )


@_question(
    "11b",
    "words: experts against the model",
    code_does="Slopes that are significant for the experts and not for the model are set side "
    "by side.",
    plain="The contrast of the two slopes on the same conversations.",
    quantity="dimensions with a difference between experts and Gemini",
    where="09_robustness#do-longer-replies-get-higher-ratings",
)
def _paired_slopes(m):
    sides = [
        _slope_p(m, "ols_slope_p_adjusted_published", group) < _P for group in ("expert", "gemini")
    ]
    found = m.table("slopes").set_index("dimension")
    before, after = sides[0] != sides[1], found["p_adjusted"] < _P
    return _claim(
        before.sum(),
        after.sum(),
        f"Significant for one side only on {before.sum()} of {before.size} dimensions; a clear "
        f"contrast of the slopes on {after.sum()} after correction for 21 tests, on "
        f"{(found['p'] < _P).sum()} without. A significant and a non-significant slope need not "
        "differ.",
        "Length matters differently to experts and Gemini",
        before,
        after.loc[before.index],
    )


@_question(
    "12a",
    "VIF without an intercept",
    code_does="Variance inflation is computed without an intercept.",
    plain="With an intercept.",
    quantity="dimensions with a factor above 10",
    where="09_robustness#do-the-dimensions-measure-the-same-thing",
)
def _intercept(m):
    without, with_one = _factors(m, "vif_published"), _factors(m, "vif")
    before, after = without > _TOO_MUCH, with_one > _TOO_MUCH
    return _claim(
        before.sum(),
        after.sum(),
        f"{before.sum()} and {after.sum()} of {before.size} dimensions; the median factor is "
        f"{number(without.median(), 1)} without and {number(with_one.median(), 1)} with an "
        "intercept.",
        "A factor above 10",
        before,
        after,
    )


def _factors(m, statistic):
    return m.table("vif")[m.table("vif")["statistic"] == statistic].set_index("dimension")[
        "estimate"
    ]


@_question(
    "12b",
    "VIF and the library's default",
    code_does="The library's function is called with its defaults, which changed since.",
    plain="Say what is wanted: the same call with and without centred columns.",
    quantity="largest factor: the call as it was; the same call today",
    where="09_robustness#do-the-dimensions-measure-the-same-thing",
)
def _default(m):
    found = m.table("library_vif")
    gap = (found["default"] - found["centred"]).abs().max()
    was = (found["uncentred"] - _factors(m, "vif_published").to_numpy()).abs().max()
    return _claim(
        found["uncentred"].max(),
        found["default"].max(),
        f"Today's default differs from the factors with an intercept by at most {gap:.0e}, and "
        f"the old one from the published recipe by at most {was:.0e}: who runs the published "
        "cell today gets other numbers.",
        "A factor above 10",
        found["uncentred"] > _TOO_MUCH,
        found["default"] > _TOO_MUCH,
    )


@_question(
    "13a",
    "openings: what is averaged",
    code_does="Each conversation gets the mean of seven raters and the expert median.",
    plain="Experts, models and crowd tested apart.",
    quantity="smallest adjusted p",
    where="09_robustness#does-the-opening-matter",
)
def _averaged(m):
    rows = m.table("openings")
    before = rows[rows["statistic"] == "kruskal_wallis_p_adjusted_published"]["estimate"]
    after = rows[rows["statistic"] == "kruskal_wallis_p_adjusted"]
    smallest = after.groupby("dimension", sort=False)["estimate"].min()
    return _claim(
        before.min(),
        after["estimate"].min(),
        f"{(before < _P).sum()} of {before.size} adjusted p values below 0.05 by the published "
        f"recipe, {(after['estimate'] < _P).sum()} of {len(after)} with the groups apart.",
        "No clear effect of the opening",
        before >= _P,
        smallest >= _P,
    )


@_question(
    "13b",
    "openings: ties broken by noise",
    code_does="Equal means can differ in their last bit, and are then ranked apart.",
    plain="Means rounded to nine decimals, so that equal means tie.",
    quantity="largest H over six dimensions: in the worst order of summing; with ties",
    where="09_robustness#does-the-opening-matter",
)
def _last_bit(m):
    found = m.table("ties")
    gap = np.maximum(found["highest"] - found["h"], found["h"] - found["lowest"])
    return _claim(
        found["highest"].max(),
        found["h"].max(),
        f"H moves on {(gap > 1e-9).sum()} of {len(found)} dimensions, at most by "
        f"{number(gap.max(), 3)}; p by at most "
        f"{number((found['highest_p'] - found['lowest_p']).max(), 4)}.",
        "p below 0.05 before correction",
        found["lowest_p"] < _P,
        found["highest_p"] < _P,
    )


# --- 14 to 16: other intervals, and the counts ------------------------------------------


@_question(
    "14",
    "the interval of Spearman's rho",
    code_does="Fisher's standard error, which is that of Pearson's r.",
    plain="Bonett and Wright's standard error for ranks, and resampling of conversations.",
    quantity="mean width of 126 intervals: Fisher; Bonett and Wright",
    where="10_replication#intervals-of-a-correlation-and-of-a-mean",
)
def _rho(m):
    found = m.table("rho_intervals")
    wider = found["width_bonett_wright"] / found["width_fisher"]
    resampled = found["width_resampled"] / found["width_fisher"]
    clear = {
        name: (found[f"low_{name}"] > 0) | (found[f"high_{name}"] < 0)
        for name in ("fisher", "bonett_wright", "resampled")
    }
    return _claim(
        found["width_fisher"].mean(),
        found["width_bonett_wright"].mean(),
        f"Bonett and Wright's are up to {number(wider.max())} times as wide, on average "
        f"{number(wider.mean())}; resampled ones {number(resampled.min())} to "
        f"{number(resampled.max())} times, on average {number(resampled.mean())}. Fisher's hold "
        f"{100 * found['inside_fisher'].mean():.1f} % of the resampled values, the others "
        f"{100 * found['inside_bonett_wright'].mean():.1f} %. By resampling "
        f"{clear['resampled'].sum()} exclude 0.",
        "The interval excludes 0",
        clear["fisher"],
        clear["bonett_wright"],
    )


@_question(
    "15a",
    "noise on plotted values",
    code_does="Normal noise is added to ratings before they are plotted.",
    plain="Spread the points sideways, and leave the values alone.",
    quantity="standard deviation of the crowd's ratings on six dimensions: plotted; as given",
    where="10_replication#intervals-of-a-correlation-and-of-a-mean",
)
def _noise(m):
    here = m.ratings[m.ratings["dimension"].isin(m.study.self_reports["dimension"].unique())]
    spread = here.loc[here["rater"] == CROWD, "rating"].std()
    wrong = 2 * stats.norm.sf(0.5 / JITTER)
    return _Found(
        float(np.hypot(spread, JITTER)),
        float(spread),
        f"About {100 * wrong:.0f} % of the points are expected nearer to another level than to "
        f"their own. The means and intervals in the figure come from the values without noise.",
        "no",
        "The noise is in the picture only: no number is computed from it.",
    )


@_question(
    "15b",
    "rows taken as independent",
    code_does="The interval of a mean rating takes six dimensions of 50 conversations as 300 rows.",
    plain="Conversations are resampled; two means are compared by their paired difference.",
    quantity="mean width of the intervals of three means",
    where="10_replication#intervals-of-a-correlation-and-of-a-mean",
)
def _three_hundred_rows(m):
    found = m.table("mean_intervals")
    pairs = found["rater"].str.contains(" - ")
    single, gaps = found[~pairs], found[pairs]
    width = [
        single["high_rows"] - single["low_rows"],
        single["high"] - single["low"],
    ]
    ratio = width[1] / width[0]
    return _claim(
        width[0].mean(),
        width[1].mean(),
        f"The plain intervals are {number(ratio.min(), 1)} to {number(ratio.max(), 1)} times as "
        "wide. "
        + "; ".join(
            f"{_names(row.rater)} {_with_interval(row)}" for row in gaps.itertuples(index=False)
        )
        + ".",
        "Two of self-report, crowd and experts differ",
        (gaps["low_rows"] > 0) | (gaps["high_rows"] < 0),
        (gaps["low"] > 0) | (gaps["high"] < 0),
    )


def _names(pair):
    return " less ".join(LABELS[rater] for rater in pair.split(" - "))


@_question(
    "16",
    "number of annotations",
    code_does="The abstract counts the single ratings of experts, crowd and models.",
    plain="Count them in the files.",
    quantity="single ratings of the crowd",
    where="10_replication#what-does-not-come-out",
)
def _annotations(m):
    printed = replication.printed_values().query("table == 'annotation_count'")
    printed = printed.set_index("group")["printed"].astype(float)
    counted = pd.Series(m.study.annotation_counts).astype(float)
    names = ["expert", CROWD, "llm"]
    listed = ", ".join(
        f"{name} {printed[name]:,.0f} printed and {counted[name]:,.0f} counted" for name in names
    )
    return _claim(
        printed[CROWD],
        counted[CROWD],
        f"{listed[0].upper()}{listed[1:]}. No result depends on the count.",
        "The printed counts of experts and models, on which results rest, are those of the files",
        [True, True],
        [printed[name] == counted[name] for name in ("expert", "llm")],
    )


# --- 17 to 20: crowd, repair, certainty, baselines --------------------------------------


@_question(
    "17a",
    "four crowds",
    code_does="Crowd is one rater in all four frameworks.",
    plain="By framework: two chat partners' own evaluations, one consolidated label, and means "
    "of a few readers.",
    quantity="mean kappa of the crowd with the expert median: overall; lowest framework",
    where="07_crowd#four-crowds",
)
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
        f"{_with_interval(by_framework.loc[name])}{many[name] if m.study.is_published else ''})"
        for name, value in by.items()
    )
    return _claim(
        crowd.mean(),
        by.min(),
        f"{listed}.",
        "Gemini above the crowd in the framework",
        gaps["estimate"] > 0,
        gaps["low"] > 0,
        _CLEARLY,
    )


@_question(
    "17b",
    "one crowd rater, and many",
    code_does="The mean of a few crowd raters stands for the crowd.",
    plain="The reliability of one, and what the mean of any number could reach.",
    quantity="mean kappa with the expert median, Empathetic Dialogues and Lend an Ear: as it is; "
    "mean of any number of raters",
    where="07_crowd#one-rater-or-the-mean-of-several",
)
def _averaging(m):
    if not m.study.is_published:
        return _missing(_NO_SINGLE)
    single = m.study.single_ratings
    found = crowd.gain(m.ratings, single, m.resamples, m.seed, [1, 2, 4, 10, np.inf])
    one = found[found["dimension"] != MEAN]
    wide = one.pivot(index="dimension", columns=["statistic", "n_raters"], values="estimate")
    dims = wide.index
    reliability = wide["reliability"].mean()
    limit = wide[(KAPPA, np.inf)]
    now, gemini = m.kappa(CROWD, MEDIAN).loc[dims], m.kappa("gemini", MEDIAN).loc[dims]
    return _claim(
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


@_question(
    "17c",
    "crowd: level or order",
    code_does="Kappa counts a shift of level as disagreement.",
    plain="Kappa after the means are made equal, for crowd and model alike.",
    quantity="mean kappa of the crowd with the expert median over 21 dimensions",
    where="07_crowd#level-or-order",
)
def _level(m):
    rows = m.level[m.level["dimension"] != MEAN]
    wide = rows.pivot(index="dimension", columns=["statistic", "judge"], values="estimate")
    crowd, gemini = wide[(KAPPA, CROWD)], wide[(KAPPA, "gemini")]
    moved, also = wide[(CENTRED, CROWD)], wide[(CENTRED, "gemini")]
    gap, left = gemini.mean() - crowd.mean(), also.mean() - moved.mean()
    return _claim(
        crowd.mean(),
        moved.mean(),
        f"The distance between Gemini and the crowd goes from {number(gap)} to {number(left)}: "
        f"level is {100 * (1 - left / gap):.0f} % of it.",
        "Gemini above the crowd",
        gemini > crowd,
        also > moved,
        ("by value, as the ratings are", "with equal means"),
    )


@_question(
    "18a",
    "dismissing emotions: shift or order",
    code_does="A low kappa of the models with the experts is reported as it is.",
    plain="Kappa after the means are made equal, and Spearman's rho, which ignores level.",
    quantity="mean kappa of three models with the expert median",
    where="10_replication#dismissing-emotions-repaired",
)
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
    return _claim(
        wide[KAPPA].mean(),
        wide[CENTRED].mean(),
        f"{listed}. With single experts and without the shift {(plain['high'] < 0).sum()} of "
        f"{len(plain)} models are clearly below the expert pairs ("
        + "; ".join(_difference(row) for row in plain.itertuples(index=False))
        + ").",
        "A model's kappa with the median below that of every expert pair",
        wide[KAPPA] < lowest,
        wide[CENTRED] < lowest,
        ("as the ratings are", "with equal means"),
    )


@_question(
    "18b",
    "dismissing emotions: recalibration",
    code_does="Models are compared as they are.",
    plain="Add the mean difference, learned on other conversations.",
    quantity="mean kappa of three models with the expert median: before; after, held out",
    where="10_replication#dismissing-emotions-repaired",
)
def _recalibrated(m):
    found = m.table("repaired")
    found = found[found["method"] == "shift"].set_index(["statistic", "quantity", "judge"])
    kappa, error = found.loc[KAPPA], found.loc["mean_absolute_error"]
    before, after = (kappa.loc[q].loc[list(MODELS)]["estimate"] for q in ("before", "after"))
    pairs = m.expert_pairs().loc[DISMISSING]
    gains = "; ".join(
        f"{LABELS[model]} {_with_interval(kappa.loc[('difference', model)])}" for model in MODELS
    )
    sizes = [error.loc[q]["estimate"].mean() for q in ("before", "after")]
    return _claim(
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


@_question(
    "19a",
    "which differences are clear",
    code_does="Estimates of model and expert pairs are compared.",
    plain="The paired interval of the difference, with single experts on both sides.",
    quantity="dimensions on which Gemini is not below the expert pairs; on which it is clearly "
    "above",
    where="06_models#one-expert-or-the-median-of-three",
)
def _clear(m):
    found = verdict_counts(m.judged)
    first, plain = m.reading("paper", "gemini"), m.reading("single", "gemini")
    before = np.where(first["difference"] >= 0, 1, -1)
    after = np.where(plain["low"] > 0, 1, np.where(plain["high"] < 0, -1, 0))
    listed = "; ".join(f"{LABELS[x]} {_counts(found, 'single', x)}" for x in MODELS)
    kept = (before == after).sum()
    return _Found(
        float((before > 0).sum()),
        float((after > 0).sum()),
        f"{listed} (95 % intervals, 21 dimensions each, n = {plain['n_items'].max()}, without "
        "correction for their number).",
        changed(before, after),
        f"By estimates Gemini is at or above the pairs on {(before > 0).sum()} dimensions and "
        f"below on {(before < 0).sum()}; {kept} of these {before.size} are clear in that "
        "direction.",
    )


@_question(
    "19b",
    "model above crowd",
    code_does="Estimates of model and crowd are compared.",
    plain="The paired interval of the difference, with single experts on both sides.",
    quantity="dimensions on which Gemini is above the crowd: by estimates; clearly",
    where="07_crowd#is-the-model-above-the-crowd",
)
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
    return _claim(
        (gemini["estimate"] > 0).sum(),
        (gemini["low"] > 0).sum(),
        f"Of {len(gemini)} dimensions: {listed}.",
        "Gemini above the crowd",
        gemini["estimate"] > 0,
        gemini["low"] > 0,
        _CLEARLY,
    )


def _holm(part):
    """How many differences above 0 are left by Holm's correction."""
    left = (part["estimate"] > 0) & (part["p_adjusted"] < _P)
    return f"with Holm's correction on {left.sum()}"


def _against(m, statistic, better):
    """Gemini less each baseline: rows by dimension, and the means over dimensions."""
    rows = m.table("baselines")[
        (m.table("baselines")["statistic"] == statistic)
        & (m.table("baselines")["rater"] == "gemini")
    ]
    rows = rows[rows["compared_with"] != MEDIAN]
    rows = rows.assign(clear=rows["low"] > 0 if better > 0 else rows["high"] < 0)
    single = rows[rows["dimension"] != MEAN]
    overall = rows[(rows["dimension"] == MEAN)].groupby("compared_with", sort=False).last()
    listed = "; ".join(
        f"{name} {_with_interval(overall.loc[name])}, clearly better on {part['clear'].sum()} of "
        f"{len(part)}"
        for name, part in single.groupby("compared_with", sort=False)
    )
    return single, listed


def _mean_of(m, rater, statistic):
    rows = m.table("baselines")[
        (m.table("baselines")["statistic"] == statistic) & (m.table("baselines")["rater"] == rater)
    ]
    rows = rows[(rows["compared_with"] == MEDIAN) & (rows["dimension"] != MEAN)]
    return rows["estimate"].mean()


def _baseline(m, statistic, better, words):
    single, listed = _against(m, statistic, better)
    cheap = single[single["compared_with"] == "length"]
    good = cheap["estimate"] > 0 if better > 0 else cheap["estimate"] < 0
    return _claim(
        _mean_of(m, "gemini", statistic),
        _mean_of(m, "length", statistic),
        f"Gemini less the baseline, {words}: {listed}.",
        "Gemini better than a line on the number of words",
        good,
        cheap["clear"],
        _CLEARLY,
    )


@_question(
    "20a",
    "cheap baselines: error",
    code_does="No baseline beside the 1/K line of F1.",
    plain="The majority rating, a line on the number of words and a ridge on words, each learned "
    "on other conversations from the same experts.",
    quantity="mean absolute error over 21 dimensions, in levels: Gemini; line on words",
    where="09_robustness#would-something-cheap-do-as-well",
)
def _baseline_error(m):
    return _baseline(m, "mean_absolute_error", -1, "mean absolute error, less is better")


@_question(
    "20b",
    "cheap baselines: kappa",
    code_does="As in 20a.",
    plain="As in 20a.",
    quantity="mean kappa with the expert median over 21 dimensions: Gemini; line on words",
    where="09_robustness#would-something-cheap-do-as-well",
)
def _baseline_kappa(m):
    return _baseline(m, KAPPA, 1, "kappa")
