"""The rating in each cell of a file: by its scale, or by the rules for a judge's answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from raters.io.config import Config
from raters.io.formats.cells import named_level, read_cell
from raters.io.formats.layouts import Part

if TYPE_CHECKING:
    from raters.io.answers import Rule


def read_cells(part: Part, config: Config) -> None:
    """The rating of each row (`part.found`, `part.keys`): every different cell is read once."""
    names = part.dimension.names
    rules = [config.rules_of(name) for name in names]
    flip = _flips(part, config)
    order = part.order or ()
    sizes = [len(names) + 1, len(part.cells.names) + 1, 2, *(len(one.names) + 1 for one in order)]
    codes = [part.dimension.codes + 1, part.cells.codes + 1, flip.astype(np.int64)]
    codes += [one.codes + 1 for one in order]
    keys, part.keys = np.unique(np.ravel_multi_index(codes, sizes), return_inverse=True)
    judge = _judge_rules(part, config, names)
    for dimension, cell, turned, *stood in zip(*np.unravel_index(keys, sizes)):
        text = None if cell == 0 else part.cells.names[cell - 1]
        rule = rules[dimension - 1] if dimension else None
        if rule is None:
            part.found.append((None, "bad", "no-dimension", "no dimension"))
            continue
        if judge:
            systems = [one.names[n - 1] if n else "" for one, n in zip(order, stood)]
            value, state, code, reason = _judged(text, judge[dimension - 1], systems, rule)
        else:
            value, state, reason = read_cell(text, rule, part.source.decimal)
            code = reason.code if state == "bad" else ""
        if turned and state == "ok" and value not in rule.scale.outside:
            value = rule.reverse(value)
        part.found.append((value, state, code, reason))


def _judge_rules(part, config, names) -> list[Rule]:
    if part.order:
        from raters.io.answers import Rule

        labels = config.answers.get("labels", {}) if config.answers.get("kind") == "pair" else {}
        return [Rule(config.rules_of(name).scale, "pair", labels=labels) for name in names]
    if part.source.answers:
        return [config.answer_rule(name, part.source.decimal) for name in names]
    return []


def _judged(text, rule, systems, rules):
    from raters.io.answers import parse

    if text is not None:
        # A declared code for missing goes before the rules for answers.
        _, state, reason = (
            read_cell(text, replace(rules, sets=False)) if rules.missing else (0, "", "")
        )
        if state == "missing":
            return None, "missing", "empty", reason
    answer = parse(text, rule, tuple(systems) if systems else None)
    value = answer.value
    if answer.kind == "parsed":
        value = named_level(value, rules) if value not in rules.scale.outside else value
    state = {"parsed": "ok", "unreadable": "bad"}.get(answer.kind, answer.kind)
    return value, state, answer.code, answer.reason


def _flips(part, config):
    """Whether each row is reversed; what is reversed twice stays as it is."""
    flip = np.zeros(len(part.cells.codes), dtype=bool)
    for key, coded in (
        ("raters", part.rater),
        ("dimensions", part.dimension),
        ("items", part.item),
    ):
        declared = set(config.reversed.get(key, ()))
        inside = np.array([name in declared for name in coded.names] + [False])
        flip ^= inside[coded.codes]
    return flip
