"""Answers in JSON: as they are, or mended where that fails."""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import dataclass
from numbers import Real

from raters.io.answers.labels import scalar
from raters.io.answers.numbers import on_the_scale
from raters.io.answers.rules import Answer, Rule, unreadable
from raters.io.answers.text import FENCE, NOTHING, plain_digits, plain_number


@dataclass(frozen=True)
class Document:
    """The objects in an answer, how they were mended, or why there are none."""

    objects: tuple = ()
    mended: str = ""
    problem: str = ""
    code: str = "not-json"


class _Twice(Exception):
    """A key that is there twice."""


def _pairs(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise _Twice
    return dict(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def json_of(said: str) -> Document:
    """The JSON objects in an answer: as they are, or mended where that fails."""
    if "{" not in said:
        return Document(problem="no JSON object")
    try:
        objects = _decoded(said)
        if objects:
            return Document(objects)
        body = said[said.index("{") :]
        body = FENCE.sub("", body)
        for mend, name in ((_no_trailing_commas, "trailing comma"), (None, "Python's spelling")):
            objects = _decoded(mend(body)) if mend else _python_dict(body)
            if objects:
                return Document(objects, mended=name)
    except _Twice:
        return Document(problem="a key of the JSON object is there twice")
    except (RecursionError, MemoryError):
        return Document(problem="JSON that is nested too deeply")
    if _depth(said[said.index("{") :]) > 0:
        return Document(problem="JSON that is cut off", code="cut-off")
    return Document(problem="no valid JSON object")


def _decoded(text):
    objects, place, failures = [], text.find("{"), 0
    while place >= 0 and failures < 50:
        try:
            value, end = _DECODER.raw_decode(text, place)
            objects.append(value)
            place = text.find("{", end)
        except ValueError:
            failures += 1
            if objects or _depth(text[place:]) > 0:
                break
            # Braces in the prose before the object: look behind them.
            place = text.find("{", _end_of_braces(text, place))
    return tuple(objects)


def _outside_strings(text):
    """Each sign with its place, outside of double-quoted strings."""
    quoted = escaped = False
    for place, sign in enumerate(text):
        if escaped:
            escaped = False
        elif quoted and sign == "\\":
            escaped = True
        elif sign == '"':
            quoted = not quoted
        elif not quoted:
            yield place, sign


def _depth(text):
    depth = 0
    for _, sign in _outside_strings(text):
        depth += (sign in "{[") - (sign in "}]")
        if depth <= 0:
            return 0
    return depth


def _end_of_braces(text, start):
    depth = 0
    for place, sign in _outside_strings(text[start:]):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return start + place + 1
    return len(text)


def _no_trailing_commas(text):
    outside = list(_outside_strings(text))
    drop = set()
    comma = None
    for place, sign in outside:
        if sign == ",":
            comma = place
        elif sign in "}]" and comma is not None and not text[comma + 1 : place].strip():
            drop.add(comma)
        elif not sign.isspace():
            comma = None
    return "".join(sign for place, sign in enumerate(text) if place not in drop)


def _python_dict(text):
    try:
        value = ast.literal_eval(text[: text.rindex("}") + 1])
    except (ValueError, SyntaxError, TypeError):
        return ()
    return (value,) if isinstance(value, dict) else ()


def by_key(document: Document, rule: Rule, order: tuple[str, str] | None) -> Answer:
    """What stands under the rule's key."""
    if not document.objects:
        return unreadable(document.code, document.problem)
    answers = []
    for one in document.objects:
        found, value = _at(one, rule.key.split("."))
        if found == "twice":
            return unreadable("ambiguous", f"more than one key {rule.key!r}")
        if found:
            other = _other_maximum(one, rule)
            answers.append(other or _of_json(value, rule, order))
    if not answers:
        return unreadable("no-score", f"no key {rule.key!r} in the JSON object")
    if len({(a.kind, a.value) for a in answers}) > 1:
        return unreadable("ambiguous", "several JSON objects with different scores")
    answer = answers[-1]
    if answer.kind == "parsed" and document.mended:
        return Answer(answer.value, "parsed", "repaired", f"JSON mended: {document.mended}")
    return answer


_MAXIMA = frozenset(["max", "maximum", "maxscore", "maxrating", "outof", "scalemax"])


def _other_maximum(one, rule):
    """The refusal of a score beside a "max" that is not the scale's, or None."""
    _, beside = _at(one, rule.key.split(".")[:-1])
    for key, value in (beside if rule.scale.measurement != "nominal" else {}).items():
        is_max = re.sub(r"[\W_]", "", str(key)).lower() in _MAXIMA
        number = plain_number(str(value)) if is_max and not isinstance(value, bool) else None
        if number is not None and number != rule.scale.high:
            return unreadable(
                "out-of-range", f"{key} is {value}, where the scale ends at {rule.scale.high:g}"
            )
    return None


def _at(value, keys):
    for key in keys:
        if not isinstance(value, dict):
            return "", None
        if key in value:
            value = value[key]
            continue
        alike = [name for name in value if str(name).lower() == key.lower()]
        if len(alike) != 1:
            return ("twice" if alike else ""), None
        value = value[alike[0]]
    return "found", value


def _of_json(value, rule, order):
    if isinstance(value, bool):
        return unreadable("boolean", f"{value} is no score")
    if value is None:
        return Answer(None, "refused", "refusal", f"the key {rule.key!r} is null")
    if isinstance(value, Real):
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        return on_the_scale(_finite(value), shown, rule)
    if isinstance(value, str):
        text = plain_digits(value).strip()
        if text.lower() in NOTHING or not text:
            return Answer(None, "missing", "empty", f"{value!r}")
        return scalar(text, rule, order)
    return unreadable("ambiguous", f"the key {rule.key!r} holds more than one value")


def _finite(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
