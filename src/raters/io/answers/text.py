"""The text of an answer without thoughts and odd digits; refusals; how numbers are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

NOTHING = {"n/a", "na", "none", "null", "nan", "-", "--", "nil", "not applicable"}

FENCE = re.compile(r"```[a-z0-9]*\s*\n?|```", re.I)

NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)*|[.]\d+)(?:[eE][-+]?\d+)?"

WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twenty": 20, "hundred": 100, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
    "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "hundert": 100,
}  # fmt: skip


def plain_number(number: str) -> float | None:
    """A number in digits or as a word."""
    try:
        return float(WORDS.get(number.lower(), number))
    except ValueError:
        return None


def bare_text(text: str) -> str:
    """Small letters, without the signs around them."""
    return text.strip().strip("\"'*_`[](){}.!,:;#").strip().lower()


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def plain_digits(text: str) -> str:
    """Digits of other scripts and full-width signs as ASCII; fractions such as a half stay."""
    return text if text.isascii() else _NOT_ASCII.sub(_plain_sign, text)


def _plain_sign(match):
    sign = match.group()
    if unicodedata.category(sign) == "Nd":
        return str(unicodedata.decimal(sign))
    if "！" <= sign <= "～":
        return chr(ord(sign) - 0xFEE0)
    if sign in "−﹣":
        return "-"
    return " " if sign in "\u00a0\u202f\u2007" else sign


_THOUGHT_MARK = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.I)


def without_thoughts(text: str) -> str:
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


def refusal_in(said: str, more: Sequence[str]) -> str:
    """The words of a refusal, or ""; `more` are other phrases that are one."""
    for phrase in more:
        if phrase.lower() in said.lower():
            return phrase
    found = _REFUSAL.search(said)
    return found.group(0) if found else ""
