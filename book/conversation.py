"""One conversation in a page, and what the study's raters gave: no script is needed.

`book/build/stage.py` writes what `parts` returns into the staged copy of the book, and
`book/pages.py` puts each part where a page has ``<div data-part="name"></div>``.
"""

from __future__ import annotations

from html import escape

import pandas as pd

from raters.show import tables

# Short, and with raters who differ: the supporter plays the feeling down, or does not.
SHOWN = "LE03"
# The order of the questions on the start page: models against experts, then a crowd apart.
ASKED = ("dismissing_emotions", "validating_emotions")
_CHAPTERS = {"expert": "03_experts", "llm": "06_models", "crowd": "07_crowd"}
_NEAR = 1.0  # levels: means that differ by less are called close


def parts(data: dict) -> dict[str, str]:
    """The pieces of HTML, by name.

    Parameters
    ----------
    data : dict
        From `book.judge_data.build`.

    Returns
    -------
    dict of str to str
        ``minute``: the conversation and two questions, which show the others' ratings once they
        are answered. ``seven``: the conversation, and the ratings of all seven on all dimensions.
    """
    codes = [item["code"] for item in data["items"]]
    place = codes.index(SHOWN) if SHOWN in codes else 0
    talk = _talk(data, place)
    asked = [d for key in ASKED for d in data["dimensions"] if d["key"] == key]
    questions = "".join(_question(data, place, dimension) for dimension in asked)
    return {
        "minute": f'<div class="it-app minute">{talk}{questions}</div>',
        "seven": f'<div class="it-app">{talk}</div>{_table(data, place)}',
    }


def _talk(data, place):
    turns = "".join(
        f'<li class="it-{escape(speaker.lower())}"><strong>{escape(speaker)}</strong>'
        f"{escape(text)}</li>"
        for speaker, text in data["items"][place]["turns"]
    )
    licence = f"<p>{escape(data['notice'])}</p>" if data["notice"] else ""
    return (
        f'<ol class="it-turns">{turns}</ol>'
        f'<details class="minute-source"><summary>Where this text comes from</summary>'
        f"<p>Conversation {escape(data['items'][place]['code'])}. {escape(data['credit'])}</p>"
        f"{licence}</details>"
    )


def _given(data, place, dimension):
    """Name, group and rating of each rater; the experts' median is none of them."""
    ratings = data["ratings"][dimension["key"]]
    return [
        (rater["label"], rater["group"], ratings[rater["key"]][place])
        for rater in data["raters"]
        if rater["group"] in _CHAPTERS
    ]


def _question(data, place, dimension):
    given = _given(data, place, dimension)
    name = f"minute-{dimension['key']}"
    rows, said = [], []
    for level, words in data["levels"]:
        here = [one for one in given if round(one[2]) == level]
        rows.append(
            f'<div class="minute-row"><label><input type="radio" name="{name}" value="{level}"> '
            f"{level} {escape(words)}</label>"
            f'<span class="minute-marks">{"".join(map(_mark, here))}</span></div>'
        )
        said.append(f'<p data-level="{level}">{escape(_answer(level, given))}</p>')
    return (
        f"<fieldset><legend>{escape(dimension['question'])}</legend>{''.join(rows)}"
        f'<div class="minute-said" aria-live="polite">{"".join(said)}</div></fieldset>'
    )


def _mark(one):
    label, group, rating = one
    exact = "" if rating == round(rating) else f" {_text(rating)}"
    return f'<a class="it-{group}" href="{_CHAPTERS[group]}.html">{escape(label)}{exact}</a>'


def _text(rating):
    return f"{rating:.1f}".removesuffix(".0")


def _answer(level, given):
    """What the others gave, and on whose side a reader with this level is.

    >>> others = [("Ana", "expert", 1.0), ("Ben", "expert", 2.0), ("Gem", "llm", 5.0)]
    >>> _answer(4, [*others, ("crowd", "crowd", 1.3)]).partition("1.3. ")[2]
    'You are nearer to the models than to the experts. Who is right? One text cannot say.'
    """
    values = {
        group: [(label, rating) for label, of, rating in given if of == group]
        for group in _CHAPTERS
    }
    experts, models = (
        " and ".join(filter(None, [", ".join(f"{r:g}" for _, r in who[:-1]), f"{who[-1][1]:g}"]))
        for who in (values["expert"], values["llm"])
    )
    (_, crowd), *_ = values["crowd"]
    means = {g: sum(r for _, r in who) / len(who) for g, who in values.items()}
    apart = {group: abs(level - means[group]) for group in ("expert", "llm")}
    said = f"The experts gave {experts}, the models {models}; the crowd's mean is {crowd:.1f}. "
    if abs(means["expert"] - means["llm"]) < _NEAR:
        close = "Experts and models are close to each other here"
        lonely = min(abs(crowd - means[group]) for group in ("expert", "llm")) > _NEAR
        return said + close + (", and the crowd stands apart." if lonely else ".")
    if apart["expert"] == apart["llm"]:
        return said + "You are midway between the experts and the models."
    near, far = ("experts", "models") if apart["expert"] < apart["llm"] else ("models", "experts")
    return said + (
        f"You are nearer to the {near} than to the {far}. Who is right? One text cannot say."
    )


def _table(data, place):
    given = {d["title"]: _given(data, place, d) for d in data["dimensions"]}
    frame = pd.DataFrame(
        [[title, *(rating for *_, rating in row)] for title, row in given.items()],
        columns=["dimension", *(label for label, *_ in next(iter(given.values())))],
    )
    whole = [name for name in frame.columns[1:] if (frame[name] % 1 == 0).all()]
    frame = frame.astype(dict.fromkeys(whole, int))  # without decimals
    return tables.table(frame, "What the seven raters gave.", digits=1)._repr_html_()
