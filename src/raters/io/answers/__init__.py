"""What a judge wrote, turned into a rating by declared rules that refuse rather than invent.

An answer is parsed, refused, missing or unreadable. Only a parsed answer has a value; a
refusal is a missing rating and never a number.
"""

from raters.io.answers.one_answer import parse
from raters.io.answers.pairs import order_effect, settle_pairs
from raters.io.answers.rules import KINDS, LONGEST, POSITIONS, STATES, Answer, Rule
from raters.io.formats.base import REFUSAL_MARK

__all__ = [
    "KINDS",
    "LONGEST",
    "POSITIONS",
    "REFUSAL_MARK",
    "STATES",
    "Answer",
    "Rule",
    "order_effect",
    "parse",
    "settle_pairs",
]
