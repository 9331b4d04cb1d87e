"""Numbers that are marked as the score, and what makes them none."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from numbers import Real

from raters.io.answers.revisions import Others, any_of, unless_revised
from raters.io.answers.rules import Answer, Rule, unreadable
from raters.io.answers.text import NUMBER, WORDS, plain_number
from raters.scale import Scale

# What may stand between the word and the number.
_FILL = (
    r"(?:[\s\"'*_`:=>(–—]|-(?=\s)"
    r"|\b(?:is|was|of|it|this|that|as|a|an|given|would be|the|answer|response)\b)*"
)

_BRACKETS = re.compile(rf"\[\[\s*(?P<number>{NUMBER})\s*\]\]")

_SHARE = re.compile(
    rf"(?<![\w.,/])(?P<number>{NUMBER})\s*(?:/|\bout\s+of\b)\s*(?P<top>{NUMBER})(?![\w/])", re.I
)

_LONE = re.compile(rf"^[\s\"'*_`#(]*(?P<number>{NUMBER})[\s\"'*_`).!]*$", re.M)

# "this answer is a 2." at the end of a sentence; "is a 2 step process" is none.
_IS_A = re.compile(
    rf"\b(?:is|gets|deserves|earns)\s+an?\s+(?P<number>{NUMBER})(?=\s*(?:[.!](?!\d)|$))",
    re.I | re.M,
)

_GLOSSED = re.compile(rf"^[\"'*_`]*(?P<number>{NUMBER})[\"'*_`]*\s*[(\[:;,=–—-][^\d]*$")

_RANGE = re.compile(
    rf"(?<![\w.])({NUMBER}\s*(?:-|–|—|~|\bto\b|\bor\b|\band\b|,|&)\s*{NUMBER})(?![\w%])", re.I
)

_BETWEEN = re.compile(rf"\bbetween\s+({NUMBER}\s+and\s+{NUMBER})", re.I)

# A score that is spoken of and not given: "the maximum score is 5".
_NOT_GIVEN = frozenset(
    "max maximum min minimum highest lowest possible top full perfect average mean".split()  # noqa: SIM905
)

_SUPPOSED = re.compile(
    r"\s*['\"*_`)]*\s*(?:would|means|requires|indicates|is (?:for|reserved))\b", re.I
)

_ANY_NUMBER = rf"(?:{NUMBER}|(?:{'|'.join(WORDS)})(?!\w))"

# What makes a number a bound, a range, a share or a doubt instead of a score.
_GOES_ON = re.compile(
    rf"[\s\"'*_`)]*(?:(?:-|–|—|~|→|/|,|&|\b(?:to|or|and|bis|oder|und)\b)\s*{_ANY_NUMBER}"
    rf"|[,(–—-]?\s*(?:\b(?:or|and|maybe|perhaps|possibly|probably|even|leaning|towards?|vielleicht)\b"
    rf"\s*){{1,4}}(?:an?\s+)?{_ANY_NUMBER}"
    r"|,?\s*\b(?:or|and|oder|und)\s+(?:more|less|higher|lower|better|worse|above|below|over|under|so|up|mehr|"
    r"weniger)\b|\(?\s*(?:at\s+(?:least|most)|ish|plus|minus|mindestens|höchstens)\b|-ish\b"
    r"|\?)|\s?%|[½⅓⅔¼¾⅛+]|[A-Za-z]",
    re.I,
)

_BOUND = re.compile(
    r"(?:(?<![-=>])>=?|<=?|[≥≤~≈±]|\b(?:at\s+(?:least|most)|about|around|approximately|approx\.?|"
    r"roughly|nearly|almost|circa|ca\.|close\s+to|more\s+than|less\s+than|(?:high|low)er\s+than|"
    r"over|under|above|below|up\s+to|not|mindestens|höchstens|etwa|ungefähr|rund|fast|knapp|"
    r"über|unter))\s*(?:\ban?\s+)?[\"'*_`(]*$",
    re.I,
)

# "4 of 10", "4 (out of ten)", "4 points out of a possible 10".
_OF_TOP = re.compile(
    r"[\s\"'*_`)\]]*(?:points?|stars?|Punkten?|Sternen?)?[\s(\[]*"
    r"(?:/|\b(?:out\s+of|of|von|aus|over|sur|sobre|su|av|af)\b)\s*"
    r"(?:(?:an?|the|maximal|maximum|max\.?|possible|total|of)\s+){0,4}[*_`\"']*"
    rf"({_ANY_NUMBER})(?![\w/])",
    re.I,
)


@lru_cache(maxsize=64)
def _after_a_word(key):
    words = r"scores?|ratings?|rated?|grades?|graded|marks?|give(?:n|s)?"
    return re.compile(
        rf"(?<!\w)(?:{words}|{re.escape(key)})(?!\w)"
        rf"{_FILL}(?P<number>{NUMBER})",
        re.I,
    )


def by_number(said: str, rule: Rule) -> Answer:
    """The number that is marked as the score."""
    said, other = _without_the_scale(said, rule.scale)
    if other:
        return unreadable("out-of-range", f"it speaks of another scale: {other!r}")
    marked = [m.span("number") for m in _BRACKETS.finditer(said)]
    for match in _after_a_word(rule.key).finditer(said):
        before = said[max(0, match.start() - 40) : match.start()].split()[-2:]
        if _NOT_GIVEN.intersection(word.lower() for word in before) or _SUPPOSED.match(
            said, match.end()
        ):
            continue
        marked.append(match.span("number"))
    if marked:
        return _one_number(said, marked, rule)
    shares = [m.span("number") for m in _SHARE.finditer(said)]
    if shares:
        return _one_number(said, shares, rule)
    lone = [m.span("number") for m in (*_LONE.finditer(said), *_IS_A.finditer(said))]
    glossed = _GLOSSED.match(said)
    if glossed and not lone:
        lone = [glossed.span("number")]
    if lone:
        return _one_number(said, lone, rule)
    spread = _BETWEEN.search(said) or _RANGE.search(said)
    if spread:
        return unreadable("ambiguous", f"a range: {spread.group(1)!r}")
    return unreadable("no-score", "no number that is marked as the score")


_SPEAKS_OF_SCALE = re.compile(
    rf"\b(?:on|using|with|from)?\s*(?:a|the)?\s*(?:scale|range|skala|échelle|escala)"
    rf"(?:\s*:\s*|\s+)(?:of|from|is|goes|goes\s+from|von|de)?\s*"
    rf"(?P<a>{NUMBER})\s*(?:-|–|—|to|and|through|bis|à|a)\s*(?P<b>{NUMBER})"
    rf"|\((?:from\s+)?(?P<c>{NUMBER})\s*(?:-|–|—|to)\s*(?P<d>{NUMBER})\)"
    rf"|\b(?P<e>\d+)\s*(?:-|–|—|to)\s*(?P<f>\d+)\s+scale\b",
    re.I,
)


def _without_the_scale(said, scale):
    """The text without mentions of the scale's ends; and a mention of another scale."""
    other = ""
    parts, last = [], 0
    for match in _SPEAKS_OF_SCALE.finditer(said):
        ends = [number for number in match.groups() if number is not None]
        if [plain_number(n) for n in ends] != [scale.low, scale.high]:
            # "(2-3)" may be anything; "(1-10)" is a scale.
            low, high = map(plain_number, ends)
            a_scale = match["c"] is None or (low in (0, 1) and (high or 0) > scale.high)
            other = other or (match.group(0).strip() if a_scale else "")
            continue
        parts += [said[last : match.start()], " "]
        last = match.end()
    return "".join([*parts, said[last:]]), other or _other_top(said, scale)


# As a top of a scale; short, so that long rows of numbers take no time.
_SMALL = rf"(?:\d{{1,4}}(?:[.]\d{{1,2}})?|(?:{'|'.join(WORDS)})(?!\w))"

_SAYS_TOP = re.compile(
    rf"\b(?:scale|skala)\s+(?:of|to|up\s+to|out\s+of|bis|von)\s+(?P<scale>{_SMALL})(?![\w.-]*\d)"
    rf"(?!\s*(?:-|–|—|to|and|through|bis|à)\s*{NUMBER})"
    rf"|(?<![\w.,])(?P<points>{_SMALL})[\s-]*points?[\s-]+(?:\w+\s+)?scale\b"
    r"|\bmax(?:imum|imal)?\b\.?\s*(?:possible\s+)?(?:score|rating|grade|mark|value|points?)\s*"
    rf"(?:is|was|of|=|:)?\s*(?P<named>{_SMALL})(?!\w)"
    rf"|\bmax(?:imum|imal)?\b\.?\s*(?:of|is|=|:)?\s*(?P<max>{_SMALL})(?!\w)(?=\s*(?:[^\w\s]|$|points?\b))"
    rf"|(?<![\w.,])(?P<best>{_SMALL})\s*(?:=|is|being|means)\s*(?:the\s+)?"
    r"(?:best|highest|max|maximum|top|perfect|excellent)\b",
    re.I,
)


def _other_top(said, scale):
    """A mention of a highest score that is not the scale's, or ""."""
    for match in _SAYS_TOP.finditer(said):
        number = plain_number(match[match.lastgroup])
        fits = {scale.high}
        if match.lastgroup == "points":
            fits.add(float(len(scale.levels)))
        if match.lastgroup == "best":
            fits.add(scale.low)  # 1 may be the best mark
        if number not in fits:
            return match.group(0).strip()
    return ""


def _one_number(said, found, rule):
    """The score, where all that is marked as one says the same."""
    answers = {}
    for start, end in found:
        number, tail = said[start:end], said[end : end + 200]
        bound = _BOUND.search(said[max(0, start - 40) : start])
        if bound:
            return unreadable("ambiguous", f"not one number: {(bound.group() + number).strip()!r}")
        share = _OF_TOP.match(tail)
        if share:
            if plain_number(share.group(1)) != rule.scale.high:
                whole = (number + share.group(0)).strip()
                return unreadable(
                    "out-of-range", f"{whole!r}, where the scale ends at {rule.scale.high:g}"
                )
        elif _GOES_ON.match(tail):
            return unreadable("ambiguous", f"not one number: {(number + tail)[:30].strip()!r}")
        answers[number] = score_of(number, rule)
    different = {
        answer.value if answer.kind == "parsed" else number for number, answer in answers.items()
    }
    if len(different) > 1:
        return unreadable("ambiguous", f"several different scores: {', '.join(answers)}")
    answer = next(iter(answers.values()))
    return unless_revised(answer, said[min(end for _, end in found) :], numbers_on(rule.scale))


def numbers_on(scale: Scale) -> Others:
    """Other levels of a scale of numbers."""

    def level_of(text):
        number = plain_number(text)
        value = math.nan if number is None else scale.value_of(number)
        return None if math.isnan(value) else value

    return Others(any_of((NUMBER, *WORDS)), level_of)


def score_of(number: str, rule: Rule) -> Answer:
    """A number as it is written, on the scale."""
    other = "," if rule.decimal == "." else "."
    if other in number or number.count(rule.decimal) > 1:
        return unreadable("ambiguous", f"{number!r} with the decimal sign {rule.decimal!r}")
    return on_the_scale(float(number.replace(",", ".")), number, rule)


def on_the_scale(number: float, shown: str, rule: Rule) -> Answer:
    """A number on the scale, or why it is not on it."""
    if rule.kind == "pair":
        return unreadable("no-score", f"{shown} is no verdict")
    value = rule.scale.value_of(number)
    numeric = all(isinstance(level, Real) for level in rule.scale.levels)
    if numeric and not math.isnan(value):
        return Answer(value, "parsed")
    if not numeric:
        named = {str(level).strip(): level for level in rule.scale.levels}
        if shown in named:
            return Answer(named[shown], "parsed")
        return unreadable("out-of-range", f"{shown} is none of {rule.scale.describe()}")
    if math.isfinite(number) and rule.scale.low < number < rule.scale.high:
        return unreadable("off-step", f"{shown} lies between levels of {rule.scale.describe()}")
    return unreadable("out-of-range", f"{shown} is not on the scale {rule.scale.describe()}")
