"""Twenty questions to the published analysis, each answered with two computed numbers.

The printed numbers come out again (`replication`). Whether each is the number that its
sentence needs is another matter. A question names what the code does and the plain
alternative; both are computed, and a claim is held against both. One thing is changed at a
time: where the weights of kappa are not the question, both sides have kappa by value.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import combinations

import pandas as pd

# Imported for the answers that they hold.
from judging_empathy.audit import crowds, intervals, kappas, robustness, yardsticks  # noqa: F401
from judging_empathy.audit.questions import ANSWERS, CHANGED, UNKNOWN, asked
from judging_empathy.data.names import CROWD, EXPERTS, MODELS, scales
from judging_empathy.models import RESAMPLES
from judging_empathy.study import Study
from judging_empathy.tables import KAPPA
from raters import check_ratings
from raters.errors import RatingsError
from raters.judges import level_and_order
from raters.measures import MEAN
from raters.show import tables as display

COLUMNS = [
    *("question", "topic", "code_does", "plain", "quantity", "published", "plain_value"),
    *("effect", "conclusion_changed", "why", "where", "note"),
]

_USUAL = 2000  # resamples of the other tables


def answers(study: Study, resamples: int = 2000, seed: int = 2025) -> pd.DataFrame:
    """The twenty questions, answered by the published recipe and by the plain alternative.

    One row a question, or a part of one: ``question`` (``"1"``, ``"5a"``), ``topic``,
    ``code_does`` and ``plain`` (a sentence each), ``quantity`` (what the two numbers are),
    ``published``, ``plain_value``, ``effect``, ``conclusion_changed``, ``why``, ``where`` (page
    and heading of the cell that computes it), ``note``. Tables that `study` made before are not
    made again.

    An error says that `resamples` is not 1 or more, or that the files cannot be had.

    ``conclusion_changed`` follows from numbers. A claim is one statement or several, such
    as "Gemini's kappa is above the crowd's" on each of 21 dimensions. ``no``: at least 95 %
    of the statements stand as they stood before. ``yes``: none that held before holds.
    ``partly``: anything between. ``why`` has the numbers. What simulated ratings cannot
    answer is ``not defined``.
    """
    if not isinstance(resamples, int) or resamples < 1:
        raise RatingsError(
            f"resamples={resamples!r} for the audit",
            "a whole number of 1 or more: its answers rest on intervals",
            "give 2000, say",
        )
    frame, evidence = asked(), Evidence(study, resamples, seed)
    found = pd.DataFrame([vars(ANSWERS[number](evidence)) for number in frame["question"]])
    frame[["published", "plain_value"]] = found[["published", "plain"]]
    frame["conclusion_changed"] = found["changed"]
    frame = frame.assign(effect=found["effect"], why=found["why"], note=study.stamp)[COLUMNS]
    frame.attrs = {"study": study.name}
    return frame


def summary(answers: pd.DataFrame) -> pd.DataFrame:
    """How many answers change a conclusion.

    ``conclusion_changed``; ``questions``, by the part that changes most; ``parts``.

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

    Number and topic, what the code does, the plain alternative, the effect, whether a conclusion
    changes and why, and a link to the cell that computes it.
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


class Evidence:
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
    def judged(self):
        """The models, their panel and the crowd against the experts, in three readings."""
        # Verdicts hang on the ends: as many draws as the benchmark of the results has.
        few = self.resamples < _USUAL
        rows = self.study.table("benchmark", self.resamples if few else RESAMPLES, self.seed)
        return rows[rows["statistic"] == KAPPA].reset_index(drop=True)

    @cached_property
    def level(self):
        """Kappa of models and crowd with and without their shift of level."""
        return level_and_order(self.ratings, scales(), [*MODELS, CROWD], **self.how)

    def kappa(self, a, b, statistic=KAPPA):
        """Kappa of two raters by dimension, in the order of the dimensions."""
        rows = self.study.estimates("pairwise")
        rows = rows[rows["statistic"] == statistic]
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
        rows = self.study.estimates("f1")
        rows = rows[(rows["statistic"] == "f1_weighted") & (rows["rater_b"] == rater)]
        return rows[rows["dimension"] != MEAN].set_index("dimension")["estimate"]
