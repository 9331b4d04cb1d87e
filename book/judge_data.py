"""What the page "Be the judge" shows: conversations, and the ratings to compare with.

`book/build/stage.py` writes `script` into the staged copy of the book as ``_static/judge-data.js``;
the repository holds no conversation of the study. A script, not a JSON file: a page opened
from a folder may load the one and not the other.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

import judging_empathy as paper
from judging_empathy.data.metadata import dimensions, frameworks
from raters import with_reference
from raters.errors import RatingsError
from raters.judges.rule import LEAST_DISAGREE, LEAST_ITEMS

FRAMEWORK = "lend_an_ear"
# The name in a reader's file where the conversations are not the study's: files from the
# two kinds of book must not be mixed.
WRITTEN = "written_for_this_book"
STORIES = Path(__file__).parent / "judge_stories.json"
# The MIT licence asks for its notice in every copy.
NOTICE = (
    "MIT License. Copyright (c) 2025 Aakriti Kumar. Permission is hereby granted, free of "
    "charge, to any person obtaining a copy of this software and associated documentation files "
    '(the "Software"), to deal in the Software without restriction, including without limitation '
    "the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies "
    "of the Software, and to permit persons to whom the Software is furnished to do so, subject "
    "to the following conditions: The above copyright notice and this permission notice shall be "
    "included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "
    '"AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE '
    "WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO "
    "EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER "
    "LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN "
    "CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."
)


def build(study: str, stories: Path = STORIES) -> dict:
    """Everything the page needs, as plain values.

    Parameters
    ----------
    study : {"published", "simulated"}
        Published: the 50 Lend an Ear conversations and their ratings. Simulated: the
        conversations of `stories`, each with the simulated ratings that suit it best.
    stories : Path
        The conversations written for this project.

    Returns
    -------
    dict
        ``study, framework, stamp, credit, notice, levels, dimensions, least, raters, items,
        ratings``; ``least`` is what a verdict needs; ``ratings[dimension][rater]`` has a number
        an item.

    Raises
    ------
    RatingsError
        The study's files cannot be had; a story is not in order.

    Examples
    --------
    >>> data = build("simulated")
    >>> data["items"][0]["code"], len(data["ratings"]["advice_giving"]["expert_median"])
    ('ST01', 8)
    """
    study = paper.Study(study)
    ratings = study.ratings
    ratings = with_reference(ratings[ratings["framework"] == FRAMEWORK])
    framework = frameworks().set_index("framework").loc[FRAMEWORK]
    if study.is_published:
        turns = study.conversations(FRAMEWORK)
        talks = {
            code: part[["speaker", "text"]].to_numpy().tolist()
            for code, part in turns.groupby("item")
        }
        source = {d["key"]: list(talks) for d in _dimensions()}
        credit = f"Conversations: {framework['citation']} Licence: {framework['text_licence']}."
        notice = NOTICE
    else:
        told = read_stories(stories)
        talks = {story["item"]: story["turns"] for story in told}
        source = suited(told, ratings)
        credit = "Conversations: written for this project, CC BY 4.0."
        notice = ""
    return {
        "study": study.name,
        "framework": FRAMEWORK if study.is_published else WRITTEN,
        "stamp": study.stamp,
        "credit": credit,
        "notice": notice,
        "levels": _levels(framework["anchors"]),
        "dimensions": _dimensions(),
        "least": {"items": LEAST_ITEMS, "disagree": LEAST_DISAGREE},
        "raters": [
            {"key": key, "label": paper.LABELS[key], "group": group}
            for key, group in ratings.drop_duplicates("rater")[["rater", "group"]].to_numpy()
        ],
        "items": [{"code": code, "turns": turns} for code, turns in talks.items()],
        "ratings": _by_rater(ratings, source),
    }


def script(data: dict) -> bytes:
    """The data as a script; the same data, the same bytes.

    Parameters
    ----------
    data : dict
        From `build`.

    Returns
    -------
    bytes
        ASCII, so that no setting of a server can spoil it.
    """
    text = json.dumps(data, separators=(",", ":"), sort_keys=True)
    return f"globalThis.judgeData = {text};\n".encode("ascii")


def read_stories(path: Path) -> list[dict]:
    """The conversations written for this project, checked.

    Parameters
    ----------
    path : Path
        JSON: ``conversations``, each with ``item``, ``meant`` (a level for each
        dimension) and ``turns`` (pairs of speaker and text).

    Returns
    -------
    list of dict

    Raises
    ------
    RatingsError
        A code twice, a level missing or off the scale, a turn of somebody else.

    Examples
    --------
    >>> len(read_stories(STORIES))
    8
    """
    told = json.loads(path.read_text(encoding="utf-8"))["conversations"]
    wanted = {d["key"] for d in _dimensions()}
    for number, story in enumerate(told, 1):
        meant, turns = story.get("meant", {}), story.get("turns", [])
        in_order = (
            [s.get("item") for s in told].count(story.get("item")) == 1
            and set(meant) == wanted
            and all(level in range(1, 6) for level in meant.values())
            and turns
            and all(who in ("Seeker", "Supporter") and text.strip() for who, text in turns)
        )
        if not in_order:
            raise RatingsError(
                f"conversation {number} ({story.get('item')}) of {path.name}",
                f"a code of its own, turns of Seeker and Supporter, a level from 1 to 5 for each "
                f"of {', '.join(sorted(wanted))}",
                "mend the conversation in that file",
            )
    return told


def suited(told: list[dict], ratings: pd.DataFrame) -> dict[str, list[str]]:
    """For each story the simulated item whose expert median suits what it means.

    Parameters
    ----------
    told : list of dict
        From `read_stories`.
    ratings : DataFrame
        Simulated ratings with the expert median.

    Returns
    -------
    dict
        For each dimension the items, story by story. The dimensions are matched one by
        one, as the page compares them one by one; an item serves one story at most.
    """
    medians = ratings[ratings["rater"] == paper.MEDIAN]
    medians = medians.pivot(index="item", columns="dimension", values="rating")
    found = {}
    for dimension, values in medians.items():
        meant = [story["meant"][dimension] for story in told]
        _, columns = linear_sum_assignment(np.subtract.outer(meant, values.to_numpy()) ** 2)
        found[dimension] = values.index[columns].tolist()
    return found


def _levels(anchors):
    """``"1 not at all; 2 slightly"`` as [[1, "not at all"], [2, "slightly"]]."""
    parts = [part.strip().split(" ", 1) for part in anchors.split(";")]
    return [[int(level), words] for level, words in parts]


def _dimensions():
    table = dimensions().query("framework == @FRAMEWORK")
    return [
        {"key": d.dimension, "title": d.title, "question": d.question, "definition": d.definition}
        for d in table.itertuples()
    ]


def _by_rater(ratings, items):
    """The ratings of each rater, in the order of `items`, dimension by dimension."""
    wide = ratings.pivot(index=["dimension", "rater"], columns="item", values="rating")
    found = {}
    for (dimension, rater), row in wide.iterrows():
        found.setdefault(dimension, {})[rater] = row[items[dimension]].tolist()
    return found
