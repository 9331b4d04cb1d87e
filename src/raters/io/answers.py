"""What a judge wrote, turned into a rating by declared rules that refuse rather than invent.

An answer is parsed, refused, missing or unreadable. Only a parsed answer has a value; a
refusal is a missing rating and never a number.
"""

from __future__ import annotations

import ast
import json
import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from numbers import Real

import pandas as pd

from raters.errors import RatingsError
from raters.scale import Scale

KINDS = ("number", "json", "label", "pattern", "pair")
STATES = ("parsed", "refused", "missing", "unreadable")
POSITIONS = {
    "first": "first", "a": "first", "1": "first", "response a": "first", "answer a": "first",
    "second": "second", "b": "second", "2": "second", "response b": "second",
    "answer b": "second", "tie": "tie", "c": "tie", "equal": "tie", "draw": "tie", "both": "tie",
}  # fmt: skip
# A log that marks a refusal itself (such as a batch file's field "refusal") is read as this text.
REFUSAL_MARK = "[refusal]"
LONGEST = 200_000


@dataclass(frozen=True)
class Answer:
    """One answer as understood.

    Parameters
    ----------
    value : float, str or None
        The rating: a number, or the name of a level. None unless `kind` is ``"parsed"``.
    kind : {"parsed", "refused", "missing", "unreadable"}
        What became of the answer.
    code : str
        Why, in one word, for counting: ``ok, repaired, refusal, empty, ambiguous, off-step,
        out-of-range, no-score, not-json, cut-off, boolean, too-long``.
    reason : str
        Why, in words; empty for an answer that was read as it is.
    """

    value: float | str | None
    kind: str
    code: str = "ok"
    reason: str = ""


@dataclass(frozen=True)
class Rule:
    """How the answers of a judge are to be read.

    Parameters
    ----------
    scale : Scale
        What a rating may be.
    kind : {"number", "json", "label", "pattern", "pair"}
        A number marked as the score; a key of a JSON object; a name of a level; what a
        regular expression finds; or a position (first, second, tie) that is mapped back
        to the system that stood there.
    key : str
        The key of the JSON object, of its top level; ``"a.b"`` goes one deeper. Upper and
        lower case do not matter. In plain text it is one of the words that mark a number.
    pattern : str
        For ``"pattern"``: a regular expression whose first group is the rating.
    labels : mapping of str to level
        Other spellings of levels (for ``"pair"``: of first, second and tie).
    refusals : sequence of str
        More phrases that are a refusal.
    decimal : {".", ","}
        The decimal sign. A number with the other one is refused.

    Raises
    ------
    RatingsError
        A kind that does not exist, a pattern that is no regular expression or has no
        group, or other spellings of levels that are not on the scale.

    Examples
    --------
    >>> rule = Rule(Scale([1, 2, 3, 4, 5]))
    >>> parse("It makes 2 mistakes. Score: 4/5", rule).value
    4.0
    >>> parse("between 3 and 4", rule)
    Answer(value=None, kind='unreadable', code='ambiguous', reason="a range: '3 and 4'")
    """

    scale: Scale
    kind: str = "number"
    key: str = "score"
    pattern: str = ""
    labels: Mapping[str, object] = field(default_factory=dict)
    refusals: Sequence[str] = ()
    decimal: str = "."

    def __post_init__(self):
        if self.kind not in KINDS:
            raise RatingsError(f"answers of kind {self.kind!r}", ", ".join(KINDS), "name one")
        if self.decimal not in (".", ","):
            raise RatingsError(f"decimal={self.decimal!r}", "'.' or ','", "name one of them")
        if self.kind == "pattern":
            self._check_pattern()
        allowed = ("first", "second", "tie")
        for spelling, level in self.labels.items():
            known = level in allowed if self.kind == "pair" else self._on_scale(level)
            if not known:
                raise RatingsError(
                    f"the answer {spelling!r} read as {level!r}",
                    ", ".join(allowed) if self.kind == "pair" else self.scale.describe(),
                    "let labels name one of these",
                )

    def _check_pattern(self):
        try:
            groups = re.compile(self.pattern).groups
        except re.error as error:
            groups = f"{error}"
        if not isinstance(groups, int) or groups < 1:
            raise RatingsError(
                f"the pattern {self.pattern!r}" + (f" ({groups})" if groups else ""),
                "a regular expression with a group around the rating",
                r"write one such as 'Score: (\d+)'",
            )

    def _on_scale(self, level):
        return not math.isnan(self.scale.value_of(level))


def parse(text, rule: Rule, order: tuple[str, str] | None = None) -> Answer:
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
        return _unreadable("boolean", f"{text} is no score")
    if text is None or (isinstance(text, float) and math.isnan(text)):
        return Answer(None, "missing", "empty", "no answer")
    if isinstance(text, Real):
        return _on_scale(float(text), str(text), rule)
    return _parse_text(str(text), rule, order)


def _parse_text(text, rule, order):
    if len(text) > LONGEST:
        return _unreadable("too-long", f"an answer of {len(text)} characters")
    if text.startswith(REFUSAL_MARK):
        return Answer(None, "refused", "refusal", "the log marks it as refused")
    said = _without_thoughts(_plain_digits(text)).strip()
    if not said:
        thought = bool(text.strip())
        reason = "thoughts without an answer" if thought else "no answer"
        return (
            _unreadable("no-score", reason) if thought else Answer(None, "missing", "empty", reason)
        )
    if said.strip(" .\"'*`").lower() in _NOTHING:
        return Answer(None, "missing", "empty", f"{said!r}")
    found = _found(said, rule, order)
    refusal = _refusal(said, rule)
    if refusal and found.kind == "parsed":
        return _unreadable("ambiguous", f"a score and a refusal: {refusal!r}")
    if refusal:
        return Answer(None, "refused", "refusal", f"{refusal!r}")
    return found


def _found(said, rule, order):
    if rule.kind == "pattern":
        return _by_pattern(said, rule)
    document = _json_of(said)
    # What looks like JSON is read as JSON or not at all: a number from within it may belong
    # to another key.
    like_json = _FENCE.sub("", said).lstrip().startswith("{") and '"' in said
    if rule.kind == "json" or document.objects or like_json:
        answer = _by_key(document, rule, order)
        return _kept(answer, said.rpartition("}")[2], _others(rule, order))
    if rule.kind == "number":
        return _by_number(said, rule)
    if rule.kind == "pair":
        return _position(_by_label(said, {**POSITIONS, **_lowered(rule.labels)}), order, rule)
    return _by_label(said, _spellings(rule))


def _unreadable(code, reason):
    return Answer(None, "unreadable", code, reason)


_NOTHING = {"n/a", "na", "none", "null", "nan", "-", "--", "nil", "not applicable"}
_THOUGHT_MARK = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.I)


def _plain_digits(text):
    """Digits of other scripts and full-width signs as ASCII; fractions such as a half stay."""
    return text if text.isascii() else _NOT_ASCII.sub(_plain_sign, text)


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def _plain_sign(match):
    sign = match.group()
    if unicodedata.category(sign) == "Nd":
        return str(unicodedata.decimal(sign))
    if "！" <= sign <= "～":
        return chr(ord(sign) - 0xFEE0)
    if sign in "−﹣":
        return "-"
    return " " if sign in "\u00a0\u202f\u2007" else sign


def _without_thoughts(text):
    """What stands outside of <think> and </think>; nothing follows thoughts that never close."""
    said, depth, last = [], 0, 0
    for mark in _THOUGHT_MARK.finditer(text):
        if depth == 0:
            said.append(text[last : mark.start()])
        if mark.group(1) and depth == 0:
            # The opening mark belonged to the prompt: all of it so far was thought.
            said = []
        depth = max(0, depth - 1) if mark.group(1) else depth + 1
        last = mark.end()
    return " ".join(said) if depth else " ".join([*said, text[last:]])


_DO = (
    r"(?:rate|score|judge|evaluate|assess|grade|assist|help|comply|continue|engage|answer|respond)"
)
_REFUSAL = re.compile(
    r"(?:\bI(?:\s+(?:can\s?not|can't|won't|will not|am unable to|am not able to|must decline|"
    r"decline|do not feel comfortable|don't feel comfortable)"
    r"|['’](?:m|ll) (?:unable to|not able to|have to decline)|\s*can[’']t|\s*won[’']t)(?:\s+\w+)?"
    rf"\s+(?:to\s+)?(?:{_DO}\b|(?:provide|give|assign|offer)\b[^.\n]{{0,40}}\b(?:score|rating|grade|"
    r"judge?ment|verdict|assessment)\b|with (?:this|that)\b)"
    r"|\bas an AI(?: language)? model\b[^.\n]{0,60}\b(?:cannot|can't|unable|not able)\b"
    r"|\b(?:unable to|not possible to|cannot be|impossible to|decline to)\s+(?:be\s+)?"
    rf"(?:{_DO}d?|rated|scored|judged|graded)\b"
    r"|\bI(?:['’]m| am) sorry,? but I (?:can\s?not|can[’']t|am unable|won[’']t)\b)",
    re.I,
)  # fmt: skip


def _refusal(said, rule):
    for phrase in rule.refusals:
        if phrase.lower() in said.lower():
            return phrase
    found = _REFUSAL.search(said)
    return found.group(0) if found else ""


# ------------------------------------------------------------------------------- numbers
_NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)*|[.]\d+)(?:[eE][-+]?\d+)?"
# What may stand between the word and the number.
_FILL = (
    r"(?:[\s\"'*_`:=>(–—]|-(?=\s)"
    r"|\b(?:is|was|of|it|this|that|as|a|an|given|would be|the|answer|response)\b)*"
)
_BRACKETS = re.compile(rf"\[\[\s*(?P<number>{_NUMBER})\s*\]\]")
_BRACKETS_ANY = re.compile(r"\[\[([^\[\]]{1,60})\]\]")
_SHARE = re.compile(
    rf"(?<![\w.,/])(?P<number>{_NUMBER})\s*(?:/|\bout\s+of\b)\s*(?P<top>{_NUMBER})(?![\w/])", re.I
)
_LONE = re.compile(rf"^[\s\"'*_`#(]*(?P<number>{_NUMBER})[\s\"'*_`).!]*$", re.M)
# "this answer is a 2." at the end of a sentence; "is a 2 step process" is none.
_IS_A = re.compile(
    rf"\b(?:is|gets|deserves|earns)\s+an?\s+(?P<number>{_NUMBER})(?=\s*(?:[.!](?!\d)|$))",
    re.I | re.M,
)
_GLOSSED = re.compile(rf"^[\"'*_`]*(?P<number>{_NUMBER})[\"'*_`]*\s*[(\[:;,=–—-][^\d]*$")
_RANGE = re.compile(
    rf"(?<![\w.])({_NUMBER}\s*(?:-|–|—|~|\bto\b|\bor\b|\band\b|,|&)\s*{_NUMBER})(?![\w%])", re.I
)
_BETWEEN = re.compile(rf"\bbetween\s+({_NUMBER}\s+and\s+{_NUMBER})", re.I)
# A score that is spoken of and not given: "the maximum score is 5".
_NOT_GIVEN = frozenset(
    [
        "max",
        "maximum",
        "min",
        "minimum",
        "highest",
        "lowest",
        "possible",
        "top",
        "full",
        "perfect",
        "average",
        "mean",
    ]
)
_SUPPOSED = re.compile(
    r"\s*['\"*_`)]*\s*(?:would|means|requires|indicates|is (?:for|reserved))\b", re.I
)
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twenty": 20, "hundred": 100, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
    "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "hundert": 100,
}  # fmt: skip
_ANY_NUMBER = rf"(?:{_NUMBER}|(?:{'|'.join(_WORDS)})(?!\w))"
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
def _marked(key):
    words = r"scores?|ratings?|rated?|grades?|graded|marks?|give(?:n|s)?"
    return re.compile(
        rf"(?<!\w)(?:{words}|{re.escape(key)})(?!\w)"
        rf"{_FILL}(?P<number>{_NUMBER})",
        re.I,
    )


def _by_number(said, rule):
    said, other = _without_the_scale(said, rule.scale)
    if other:
        return _unreadable("out-of-range", f"it speaks of another scale: {other!r}")
    marked = [m.span("number") for m in _BRACKETS.finditer(said)]
    for match in _marked(rule.key).finditer(said):
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
        return _unreadable("ambiguous", f"a range: {spread.group(1)!r}")
    return _unreadable("no-score", "no number that is marked as the score")


_SPEAKS_OF_SCALE = re.compile(
    rf"\b(?:on|using|with|from)?\s*(?:a|the)?\s*(?:scale|range|skala|échelle|escala)"
    rf"(?:\s*:\s*|\s+)(?:of|from|is|goes|goes\s+from|von|de)?\s*"
    rf"(?P<a>{_NUMBER})\s*(?:-|–|—|to|and|through|bis|à|a)\s*(?P<b>{_NUMBER})"
    rf"|\((?:from\s+)?(?P<c>{_NUMBER})\s*(?:-|–|—|to)\s*(?P<d>{_NUMBER})\)"
    rf"|\b(?P<e>\d+)\s*(?:-|–|—|to)\s*(?P<f>\d+)\s+scale\b",
    re.I,
)


def _without_the_scale(said, scale):
    """The text without mentions of the scale's ends; and a mention of another scale."""
    other = ""
    parts, last = [], 0
    for match in _SPEAKS_OF_SCALE.finditer(said):
        ends = [number for number in match.groups() if number is not None]
        if [_plain(n) for n in ends] != [scale.low, scale.high]:
            # "(2-3)" may be anything; "(1-10)" is a scale.
            low, high = map(_plain, ends)
            a_scale = match["c"] is None or (low in (0, 1) and (high or 0) > scale.high)
            other = other or (match.group(0).strip() if a_scale else "")
            continue
        parts += [said[last : match.start()], " "]
        last = match.end()
    return "".join([*parts, said[last:]]), other or _other_top(said, scale)


# As a top of a scale; short, so that long rows of numbers take no time.
_SMALL = rf"(?:\d{{1,4}}(?:[.]\d{{1,2}})?|(?:{'|'.join(_WORDS)})(?!\w))"
_SAYS_TOP = re.compile(
    rf"\b(?:scale|skala)\s+(?:of|to|up\s+to|out\s+of|bis|von)\s+(?P<scale>{_SMALL})(?![\w.-]*\d)"
    rf"(?!\s*(?:-|–|—|to|and|through|bis|à)\s*{_NUMBER})"
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
        number = _plain(match[match.lastgroup])
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
            return _unreadable("ambiguous", f"not one number: {(bound.group() + number).strip()!r}")
        share = _OF_TOP.match(tail)
        if share:
            if _plain(share.group(1)) != rule.scale.high:
                whole = (number + share.group(0)).strip()
                return _unreadable(
                    "out-of-range", f"{whole!r}, where the scale ends at {rule.scale.high:g}"
                )
        elif _GOES_ON.match(tail):
            return _unreadable("ambiguous", f"not one number: {(number + tail)[:30].strip()!r}")
        answers[number] = _value(number, rule)
    different = {
        answer.value if answer.kind == "parsed" else number for number, answer in answers.items()
    }
    if len(different) > 1:
        return _unreadable("ambiguous", f"several different scores: {', '.join(answers)}")
    answer = next(iter(answers.values()))
    return _kept(answer, said[min(end for _, end in found) :], _numbers_on(rule.scale))


# A score may be taken back: "Score: 3. On reflection, 2."
_REVISED = re.compile(
    r"\b(?:chang(?:e|ed|ing)|correct(?:ion|ed|ing)?|revis(?:e|ed|ing|ion)|amend(?:ed|ing|ment)?|"
    r"adjust(?:ed|ing|ment)?|lower(?:ed|ing)?|rais(?:e|ed|ing)|updat(?:e|ed|ing)|(?:up|down)grad"
    r"(?:e|ed|ing)|reconsider(?:ed|ing|ation)?|reflection|second\s+thoughts?|actually|instead|"
    r"rather|final(?:ly)?|wait|sorry|no|meant|make\s+(?:that|it)|scratch\s+that|edit|"
    r"korrektur|korrigiert?|eigentlich|vielmehr|doch|stattdessen|endgültig)\b",
    re.I,
)
_LOOKED_AT = 160  # characters after a word of revision
# Where a rating may stand: after a sign or a word that leads to it, and before a stop.
_LEADS = (
    r"(?:^|[:,.;!?(=>–—\"'*_`\[-]|\b(?:to|an?|as|is|be|of|with|say|give|it|that|at|now|"
    r"score|rating|grade|label|answer|verdict|zu|auf|ist|eine?))[\s\"'*_`(\[]*"
)


def _kept(answer, after, others):
    """The answer, unless what follows it takes it back for another one of `others`."""
    if answer.kind != "parsed":
        return answer
    for word in _REVISED.finditer(after):
        rest = after[word.end() : word.end() + _LOOKED_AT]
        for match in others.pattern.finditer(rest):
            told = others.level_of(match["level"])
            if told is not None and told != answer.value:
                said = (word.group() + rest[: match.end("level")])[-60:].strip()
                was = f"{answer.value:g}" if isinstance(answer.value, Real) else answer.value
                return _unreadable("ambiguous", f"{was}, which is revised: {said!r}")
    return answer


@dataclass(frozen=True)
class _Others:
    """How levels are found in what follows a score, and which one a spelling is."""

    pattern: re.Pattern
    level_of: Callable


@lru_cache(maxsize=64)
def _spelled(names):
    # Before a letter it counts something ("2 questions"); "2. Ask" on a line is a list.
    choice = "|".join(re.escape(n) if n != _NUMBER else n for n in names)
    return re.compile(
        rf"{_LEADS}(?<![\w.])(?!(?<=\n)\d+[.)][ \t]+\w)(?P<level>{choice})(?![\w%])"
        r"(?=[\s\"'*_`)\]]*(?:[.,;:!?(–—/-]|$|\n"
        r"|\b(?:out|instead|now|because|since|as|and|but|then)\b))",
        re.I,
    )


def _others(rule, order):
    """What could take the place of an answer that was read from JSON."""
    if rule.kind == "pair":
        spelled = {**POSITIONS, **_lowered(rule.labels)}

        def system(text):
            return _position(Answer(spelled[text.lower()], "parsed"), order, rule).value

        return _Others(_spelled(tuple(sorted(spelled, key=len, reverse=True))), system)
    if all(isinstance(level, Real) for level in rule.scale.levels):
        return _numbers_on(rule.scale)
    return _labels_of(_spellings(rule))


def _labels_of(spellings):
    names = tuple(sorted(spellings, key=len, reverse=True))
    return _Others(_spelled(names), lambda text: spellings.get(text.lower()))


def _numbers_on(scale):
    def level_of(text):
        number = _plain(text)
        value = math.nan if number is None else scale.value_of(number)
        return None if math.isnan(value) else value

    return _Others(_spelled((_NUMBER, *_WORDS)), level_of)


def _plain(number):
    try:
        return float(_WORDS.get(number.lower(), number))
    except ValueError:
        return None


def _value(number, rule):
    other = "," if rule.decimal == "." else "."
    if other in number or number.count(rule.decimal) > 1:
        return _unreadable("ambiguous", f"{number!r} with the decimal sign {rule.decimal!r}")
    return _on_scale(float(number.replace(",", ".")), number, rule)


def _on_scale(number, shown, rule):
    if rule.kind == "pair":
        return _unreadable("no-score", f"{shown} is no verdict")
    value = rule.scale.value_of(number)
    numeric = all(isinstance(level, Real) for level in rule.scale.levels)
    if numeric and not math.isnan(value):
        return Answer(value, "parsed")
    if not numeric:
        named = {str(level).strip(): level for level in rule.scale.levels}
        if shown in named:
            return Answer(named[shown], "parsed")
        return _unreadable("out-of-range", f"{shown} is none of {rule.scale.describe()}")
    if math.isfinite(number) and rule.scale.low < number < rule.scale.high:
        return _unreadable("off-step", f"{shown} lies between levels of {rule.scale.describe()}")
    return _unreadable("out-of-range", f"{shown} is not on the scale {rule.scale.describe()}")


# ------------------------------------------------------------------------ labels, patterns
def _lowered(labels):
    return {str(name).strip().lower(): level for name, level in labels.items()}


def _spellings(rule):
    levels = {str(level).strip().lower(): level for level in rule.scale.levels}
    return levels | _lowered(rule.labels) | {name.lower(): name for name in rule.scale.outside}


_LABEL_MARK = (
    r"\b(?:label|verdict|answer|rating|category|class|classification|decision|choice|winner|"
    r"score|grade|sentiment|judge?ment|preference)\b\s*(?:is|=|:|-|->)+[\s\"'*_`\[(]*"
)


def _by_label(said, spellings):
    names = sorted(spellings, key=len, reverse=True)
    clean = _bare(said)
    if clean in spellings:
        return Answer(spellings[clean], "parsed")
    choice = "|".join(re.escape(name) for name in names)
    marked = re.compile(
        rf"{_LABEL_MARK}(?P<label>{choice})(?!\w)(?P<after>\s*(?:/|,|\bor\b|\band\b)\s*\w+)?", re.I
    )
    found = [(spellings[m["label"].lower()], m.end("label")) for m in marked.finditer(said)]
    if any(m["after"] and _bare(re.sub(r"^\s*(?:/|,|or|and)\s*", "", m["after"])) in spellings
           for m in marked.finditer(said)):  # fmt: skip
        return _unreadable("ambiguous", "several labels at once")
    found += _bare_ones(_BRACKETS_ANY, said, spellings)
    found = found or _bare_ones(_LINE, said, spellings)
    different = list(dict.fromkeys(label for label, _ in found))
    if len(different) == 1:
        after = said[min(end for _, end in found) :]
        return _kept(Answer(different[0], "parsed"), after, _labels_of(spellings))
    if different:
        names = ", ".join(map(str, different))
        return _unreadable("ambiguous", f"several different labels: {names}")
    return _unreadable("no-score", "no label that is marked as the answer")


_LINE = re.compile(r"^(.+)$", re.M)


def _bare_ones(pattern, said, spellings):
    """The labels that are all of what a pattern finds, and where each ends."""
    matches = [(_bare(m.group(1)), m.end()) for m in pattern.finditer(said)]
    return [(spellings[name], end) for name, end in matches if name in spellings]


def _bare(text):
    return text.strip().strip("\"'*_`[](){}.!,:;#").strip().lower()


def _position(answer, order, rule):
    if answer.kind != "parsed":
        return answer
    system = {"first": order[0], "second": order[1], "tie": "tie"}[answer.value]
    if rule._on_scale(system):
        return Answer(system, "parsed")
    return _unreadable("out-of-range", f"{system!r} is none of {rule.scale.describe()}")


def _by_pattern(said, rule):
    found = list(dict.fromkeys(m.group(1) for m in re.finditer(rule.pattern, said)))
    if not found or found == [None]:
        return _unreadable("no-score", f"nothing that the pattern {rule.pattern!r} finds")
    if len(found) > 1:
        return _unreadable("ambiguous", f"several different scores: {', '.join(map(str, found))}")
    return _scalar(found[0], rule, None)


def _scalar(text, rule, order):
    """A short text that is the rating itself."""
    if rule.kind == "pair":
        return _position(_by_label(text, {**POSITIONS, **_lowered(rule.labels)}), order, rule)
    if _bare(text) in (spellings := _spellings(rule)):
        level = spellings[_bare(text)]
        return Answer(rule.scale.value_of(level) if isinstance(level, Real) else level, "parsed")
    if re.fullmatch(_NUMBER, text.strip()):
        return _value(text.strip(), rule)
    return _by_number(text, rule)


# ------------------------------------------------------------------------------- JSON
@dataclass(frozen=True)
class _Document:
    objects: tuple = ()
    mended: str = ""
    problem: str = ""


class _Twice(Exception):
    """A key that is there twice."""


def _pairs(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise _Twice
    return dict(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)
_FENCE = re.compile(r"```[a-z0-9]*\s*\n?|```", re.I)


def _json_of(said):
    """The JSON objects in an answer: as they are, or mended where that fails."""
    if "{" not in said:
        return _Document(problem="no JSON object")
    try:
        objects = _decoded(said)
        if objects:
            return _Document(objects)
        body = said[said.index("{") :]
        body = _FENCE.sub("", body)
        for mend, name in ((_no_trailing_commas, "trailing comma"), (None, "Python's spelling")):
            objects = _decoded(mend(body)) if mend else _python_dict(body)
            if objects:
                return _Document(objects, mended=name)
    except _Twice:
        return _Document(problem="a key of the JSON object is there twice")
    except (RecursionError, MemoryError):
        return _Document(problem="JSON that is nested too deeply")
    cut = _depth(said[said.index("{") :]) > 0
    return _Document(problem="JSON that is cut off" if cut else "no valid JSON object")


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


def _by_key(document, rule, order):
    if not document.objects:
        code = "cut-off" if "cut off" in document.problem else "not-json"
        return _unreadable(code, document.problem)
    answers = []
    for one in document.objects:
        found, value = _at(one, rule.key.split("."))
        if found == "twice":
            return _unreadable("ambiguous", f"more than one key {rule.key!r}")
        if found:
            other = _other_maximum(one, rule)
            answers.append(other or _of_json(value, rule, order))
    if not answers:
        return _unreadable("no-score", f"no key {rule.key!r} in the JSON object")
    if len({(a.kind, a.value) for a in answers}) > 1:
        return _unreadable("ambiguous", "several JSON objects with different scores")
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
        number = _plain(str(value)) if is_max and not isinstance(value, bool) else None
        if number is not None and number != rule.scale.high:
            return _unreadable(
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
        return _unreadable("boolean", f"{value} is no score")
    if value is None:
        return Answer(None, "refused", "refusal", f"the key {rule.key!r} is null")
    if isinstance(value, Real):
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        return _on_scale(_finite(value), shown, rule)
    if isinstance(value, str):
        text = _plain_digits(value).strip()
        if text.lower() in _NOTHING or not text:
            return Answer(None, "missing", "empty", f"{value!r}")
        return _scalar(text, rule, order)
    return _unreadable("ambiguous", f"the key {rule.key!r} holds more than one value")


def _finite(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


# ------------------------------------------------------------------------------- pairs
def settle_pairs(verdicts: pd.DataFrame) -> pd.DataFrame:
    """One result for each pair that was judged in both orders.

    Parameters
    ----------
    verdicts : DataFrame
        The columns ``item`` (the pair), ``rater``, ``first``, ``second`` and ``rating`` (a
        system or ``"tie"``, already mapped back), perhaps ``dimension``; a row for each order.

    Returns
    -------
    DataFrame
        The columns ``item, rater``, perhaps ``dimension``, then ``result, rating,
        n_orders``. A system wins a pair only if both orders say so: otherwise `result` is
        ``"inconsistent"`` and `rating` is ``"tie"``. A pair judged in one order only is
        ``"one order"`` and has no rating.

    Notes
    -----
    Source: Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena,
    section 3.4 (swapping positions, a win only if both orders agree).

    Examples
    --------
    >>> rows = pd.DataFrame({"item": ["p", "p"], "rater": "j", "first": ["X", "Y"],
    ...                      "second": ["Y", "X"], "rating": ["X", "Y"]})
    >>> settle_pairs(rows)[["result", "rating"]].to_numpy().tolist()
    [['inconsistent', 'tie']]
    """
    rows = []
    keys = [name for name in ("item", "rater", "dimension") if name in verdicts]
    for key, part in verdicts.groupby(keys, sort=False):
        orders = part.drop_duplicates(["first", "second"])
        said = set(part["rating"].dropna())
        complete = len(orders) == 2 and part["rating"].notna().all()
        swapped = complete and set(orders["first"]) == set(orders["second"])
        if not swapped:
            result, rating = "one order", None
        elif len(said) == 1:
            result = rating = said.pop()
        else:
            result, rating = "inconsistent", "tie"
        rows.append((*key, result, rating, len(orders)))
    return pd.DataFrame(rows, columns=[*keys, "result", "rating", "n_orders"])


def order_effect(verdicts: pd.DataFrame) -> dict:
    """How much a judge's verdicts hang on the order.

    Parameters
    ----------
    verdicts : DataFrame
        As in `settle_pairs`.

    Returns
    -------
    dict
        ``n_pairs``, ``n_inconsistent``, ``consistency`` (share of pairs judged in both orders
        that keep their result), ``n_decisive`` verdicts and ``share_of_first`` among them;
        NaN where there is nothing to divide by.

    Examples
    --------
    >>> rows = pd.DataFrame({"item": ["p", "p"], "rater": "j", "first": ["X", "Y"],
    ...                      "second": ["Y", "X"], "rating": ["X", "Y"]})
    >>> order_effect(rows)["share_of_first"]
    1.0
    """
    settled = settle_pairs(verdicts)
    both = settled[settled["result"] != "one order"]
    decisive = verdicts[verdicts["rating"].notna() & (verdicts["rating"] != "tie")]
    n_inconsistent = int((both["result"] == "inconsistent").sum())
    return {
        "n_pairs": len(settled),
        "n_one_order": len(settled) - len(both),
        "n_inconsistent": n_inconsistent,
        "consistency": 1 - n_inconsistent / len(both) if len(both) else math.nan,
        "n_decisive": len(decisive),
        "share_of_first": float((decisive["rating"] == decisive["first"]).mean())
        if len(decisive)
        else math.nan,
    }
