"""One answer: what was said, and which rule reads it."""

from __future__ import annotations

import math
from numbers import Real

from raters.errors import RatingsError
from raters.io.answers.labels import by_label, by_pattern, labels_of, position_of
from raters.io.answers.numbers import by_number, numbers_on, on_the_scale
from raters.io.answers.objects import by_key, json_of
from raters.io.answers.revisions import Others, any_of, unless_revised
from raters.io.answers.rules import (
    LONGEST,
    POSITIONS,
    Answer,
    Rule,
    lowered,
    spellings_of,
    unreadable,
)
from raters.io.answers.text import FENCE, NOTHING, plain_digits, refusal_in, without_thoughts
from raters.io.formats.base import REFUSAL_MARK


def parse(text: object, rule: Rule, order: tuple[str, str] | None = None) -> Answer:
    """Read one answer.

    Parameters
    ----------
    text : str, number or None
        The answer as logged.
    rule : Rule
        How to read it.
    order : (str, str), optional
        For rules of kind ``"pair"``: the systems that stood first and second.

    Returns
    -------
    Answer

    Raises
    ------
    RatingsError
        A rule of kind ``"pair"`` without an order.

    Notes
    -----
    Thoughts between ``<think>`` and ``</think>`` are no part of the answer. A number counts
    as the score only where something says so: it is the whole answer, stands alone on a line
    or ends a sentence such as "this is a 2"; it follows a word such as "score" or "rating",
    stands in ``[[ ]]``, or before "/5" or "out of 5" where 5 is the top of the scale. Two
    different scores, ranges, numbers off the scale and percentages are unreadable; so are bounds
    ("at least 4"), a score beside a maximum that is not the scale's ("4 of 10") and a score
    that is taken back later ("Score: 3. On reflection, 2."). Nothing is clamped, rounded or
    averaged. JSON is parsed as it is first, and mended (trailing commas,
    Python's spelling) only where that fails.

    Examples
    --------
    >>> from raters import Scale
    >>> fives = Rule(Scale([1, 2, 3, 4, 5]), "json", key="score")
    >>> parse('{"reason": "fine", "score": 4,}', fives).reason
    'JSON mended: trailing comma'
    >>> parse("I cannot rate this conversation.", fives).kind
    'refused'
    >>> pair = Rule(Scale(["X", "tie", "Y"], measurement="nominal"), "pair")
    >>> parse("[[A]]", pair, order=("Y", "X")).value
    'Y'
    """
    if rule.kind == "pair" and order is None:
        raise RatingsError(
            "a verdict on a position without the order of the pair",
            "the systems that stood first and second",
            "name the columns that hold them: first = '...', second = '...'",
        )
    if isinstance(text, bool):
        return unreadable("boolean", f"{text} is no score")
    if text is None or (isinstance(text, float) and math.isnan(text)):
        return Answer(None, "missing", "empty", "no answer")
    if isinstance(text, Real):
        return on_the_scale(float(text), str(text), rule)
    return _parse_text(str(text), rule, order)


def _parse_text(text, rule, order):
    if len(text) > LONGEST:
        return unreadable("too-long", f"an answer of {len(text)} characters")
    if text.startswith(REFUSAL_MARK):
        return Answer(None, "refused", "refusal", "the log marks it as refused")
    said = without_thoughts(plain_digits(text)).strip()
    if not said:
        thought = bool(text.strip())
        reason = "thoughts without an answer" if thought else "no answer"
        return (
            unreadable("no-score", reason) if thought else Answer(None, "missing", "empty", reason)
        )
    if said.strip(" .\"'*`").lower() in NOTHING:
        return Answer(None, "missing", "empty", f"{said!r}")
    found = _by_rule(said, rule, order)
    refusal = refusal_in(said, rule.refusals)
    if refusal and found.kind == "parsed":
        return unreadable("ambiguous", f"a score and a refusal: {refusal!r}")
    if refusal:
        return Answer(None, "refused", "refusal", f"{refusal!r}")
    return found


def _by_rule(said, rule, order):
    if rule.kind == "pattern":
        return by_pattern(said, rule)
    document = json_of(said)
    # What looks like JSON is read as JSON or not at all: a number from within it may belong
    # to another key.
    like_json = FENCE.sub("", said).lstrip().startswith("{") and '"' in said
    if rule.kind == "json" or document.objects or like_json:
        answer = by_key(document, rule, order)
        return unless_revised(answer, said.rpartition("}")[2], _others_of(rule, order))
    if rule.kind == "number":
        return by_number(said, rule)
    if rule.kind == "pair":
        return position_of(by_label(said, {**POSITIONS, **lowered(rule.labels)}), order, rule)
    return by_label(said, spellings_of(rule))


def _others_of(rule, order):
    """What could take the place of an answer that was read from JSON."""
    if rule.kind == "pair":
        spelled = {**POSITIONS, **lowered(rule.labels)}

        def system(text):
            return position_of(Answer(spelled[text.lower()], "parsed"), order, rule).value

        return Others(any_of(tuple(sorted(spelled, key=len, reverse=True))), system)
    if all(isinstance(level, Real) for level in rule.scale.levels):
        return numbers_on(rule.scale)
    return labels_of(spellings_of(rule))
