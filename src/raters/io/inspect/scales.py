"""The scale of each dimension as a guess from the cells, and what does not fit it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raters.io.config import ScaleRules
from raters.io.formats.base import LabelSet
from raters.io.formats.cells import number
from raters.io.inspect.findings import Finding, on
from raters.io.inspect.profile import MOST_LEVELS, Look, glosses, labels_in, text_of
from raters.io.inspect.words import LIKE_MISSING
from raters.text import count_of, few


@dataclass
class Scales:
    """What is proposed: one scale, or one for each dimension, and what to say of them."""

    one: ScaleRules | None
    each: dict[str, ScaleRules] = field(default_factory=dict)
    warnings: list[Finding] = field(default_factory=list)
    comments: dict[str, list[str]] = field(default_factory=dict)

    def without_zero(self, doubtful: Collection[str]) -> Scales:
        """A 0 that may mean "not rated" is no level until somebody says so."""
        each = {name: _without_zero(rules, name in doubtful) for name, rules in self.each.items()}
        return replace(self, one=_without_zero(self.one, bool(doubtful)), each=each)


def _without_zero(rules, doubtful):
    if rules is None or not doubtful or 0 not in rules.levels:
        return rules
    return replace(rules, levels=[level for level in rules.levels if level != 0])


def propose_scales(looks: Sequence[Look]) -> Scales:
    """The proposed scales, by dimension where they differ."""
    cells: dict[str, _Cells] = {}
    for look in looks:
        for dimension, counts in _rating_cells(look).items():
            cells.setdefault(dimension, _Cells(dimension, look.source.decimal)).add(look, counts)
    guesses = {name: one.guess() for name, one in cells.items() if one.counts}
    if not guesses:
        return _unseen(looks)
    warnings = [one for guess in guesses.values() for one in guess.warnings]
    rules = [guess.rules for guess in guesses.values()]
    comments = {name: guess.comments for name, guess in guesses.items()}
    if all(one == rules[0] for one in rules):
        return Scales(rules[0], {}, warnings, {"scale": next(iter(comments.values()))})
    each = {name: guess.rules for name, guess in guesses.items()}
    return Scales(None, each, warnings, {f"scales.{k}": v for k, v in comments.items()})


def _unseen(looks):
    """Free text and verdicts: the scale is not to be seen."""
    if systems := _systems(looks):
        line = "The levels of verdicts on pairs: one system, a tie, the other system."
        rules = ScaleRules([systems[0], "tie", systems[1]], measurement="nominal")
    else:
        line = "The levels cannot be seen in free text: these are only an example. Write your own."
        rules = ScaleRules([1, 2, 3, 4, 5])
    return Scales(rules, comments={"scale": [line]})


def _systems(looks):
    """The two systems of verdicts on pairs; empty where there are more."""
    names: set[str] = set()
    for look in looks:
        for role in (look.source.first, look.source.second):
            names |= set(look.profiles[role].counts) if role else set()
    return sorted(names) if len(names) == 2 and "tie" not in names else []


def _rating_cells(look):
    """The cells with ratings by dimension: (dimension, Counter)."""
    source, table = look.source, look.table
    if source.first or source.answers:
        return {}
    if source.layout == "wide-by-dimension":
        return {name: look.profiles[name].counts for name in source.columns}
    if source.layout != "long":
        total: Counter[str] = Counter()
        for name in source.columns:
            total.update(look.profiles[name].counts)
        return {"all": total}
    if source.dimension not in table.columns:
        rated = look.profiles.get(source.rating)
        return {"all": rated.counts if rated else Counter()}
    by: dict[str, Counter] = {}
    cells = table.columns.get(source.rating, [])
    for dimension, cell in zip(table.columns[source.dimension], cells):
        if text := text_of(cell):
            by.setdefault(dimension or "all", Counter())[text] += 1
    return by


@dataclass
class _Guess:
    rules: ScaleRules
    warnings: list[Finding]
    comments: list[str]


class _Cells:
    """The cells with ratings on one dimension, and the files that hold them."""

    def __init__(self, dimension: str, decimal: str):
        self.dimension, self.on, self.decimal = dimension, on(dimension), decimal
        self.counts: Counter[str] = Counter()
        self.held: list[tuple[Look, Mapping[str, int]]] = []
        self.warnings: list[Finding] = []

    def add(self, look: Look, counts: Mapping[str, int]) -> None:
        """The cells of one file."""
        self.counts.update(counts)
        self.held.append((look, counts))

    def warn(self, code: str, cells: Iterable[str], message: str, todo: str) -> None:
        """A finding about the files with one of these cells."""
        cells = list(cells)
        files = [look.name for look, counts in self.held if any(cell in counts for cell in cells)]
        self.warnings.append(Finding(code, ", ".join(files), message, todo))

    def line(self, cell: str) -> int | None:
        """The first line with a cell; None where its column is not in the table."""
        for look, counts in self.held:
            if cell in counts:
                for name in look.source.columns or (look.source.rating,):
                    for line, one in zip(look.table.lines, look.table.columns.get(name, ())):
                        if text_of(one) == cell:
                            return line
        return None

    def guess(self) -> _Guess:
        """A scale that fits the cells, and what does not fit it."""
        numbers, words = self._numbers_and_words()
        total = sum(self.counts.values())
        # The meaning beside a number that others give without it is doubtful: "4. Mai" beside 4.
        known = {value for value, _ in numbers}
        meant = {gloss: value for gloss, value in glosses(words).items() if value not in known}
        by_value: Counter[float] = Counter()
        for value, cell in numbers:
            by_value[value] += self.counts[cell]
        total -= sum(words[word] for word in LIKE_MISSING)
        if sum(by_value.values()) + sum(words[gloss] for gloss in meant) >= 0.8 * total:
            for gloss, value in meant.items():
                by_value[value] += words.pop(gloss)
        else:
            meant = {}
        if sum(by_value.values()) >= 0.5 * total:
            rules, comments = self._number_scale(by_value, words)
            recode = {gloss: int(v) for gloss, v in meant.items() if v in rules.levels}
            rules = replace(rules, recode=recode)
        else:
            rules, comments = self._word_scale()
        return _Guess(rules, self.warnings + self._other_scales(), comments)

    def _numbers_and_words(self):
        numbers, words = [], Counter()
        for cell, n in self.counts.items():
            value = number(cell, self.decimal)
            if value is None:
                words[cell] = n
            else:
                numbers.append((value, cell))
        return numbers, words

    def _number_scale(self, by_value, words):
        levels = _steps(by_value)
        comments = ["The levels are a guess from what occurs: add the ones that nobody used."]
        self._warn_of_outside(by_value, levels)
        missing = self._missing_among(words)
        if words:
            usual = [word for word, _ in words.most_common(5)]
            shown = few(usual, 5)
            lines = [str(line) for word in usual if (line := self.line(word))]
            where = f" (first in line{'s' * (len(lines) > 1)} {', '.join(lines)})" if lines else ""
            self.warn(
                "off-scale",
                words,
                f"{sum(words.values())} ratings{self.on} are no numbers: {shown}{where}",
                "Declare them as missing, recode them, or correct them",
            )
            comments.append(f"missing = [...] for what means 'not rated'; found: {shown}")
        if 0.0 in by_value and levels[0] == 0 and levels[-1] >= 4:
            comments.append("0 occurs: is it a level, or does it mean 'not rated' (missing = [0])?")
        plain = [int(v) if float(v).is_integer() else v for v in levels]
        return ScaleRules(plain, measurement="ordinal", missing=missing), comments

    def _missing_among(self, words):
        """The words for "not rated" beside numbers, taken out of the words."""
        missing = sorted(word for word in words if word in LIKE_MISSING)
        for word in missing:
            self.warn(
                "missing-words",
                [word],
                f"{count_of(words.pop(word), 'cell')}{self.on} with {word!r} among the numbers",
                "Taken as not rated (missing = [...]); recode it if it means a level",
            )
        return missing

    def _warn_of_outside(self, by_value, levels):
        outside = {value: n for value, n in sorted(by_value.items()) if value not in set(levels)}
        ends = f"{levels[0]:g} to {levels[-1]:g}"
        messages = [
            (f"{n} ratings{self.on} are {value:g}, outside of {ends}", [value])
            for value, n in outside.items()
        ]
        if len(outside) > 3:
            message = (
                f"{sum(outside.values()):,} ratings{self.on} are one of {len(outside):,} numbers "
                f"from {min(outside):g} to {max(outside):g} that are not on the scale {ends}"
            )
            messages = [(message, list(outside))]
        for message, values in messages:
            cells = [cell for cell in self.counts if number(cell, self.decimal) in values]
            todo = "Correct them, declare a wider scale, or declare them as missing"
            self.warn("off-scale", cells, message, todo)

    def _word_scale(self):
        words = [word for word, _ in self.counts.most_common(200)]
        alike = Counter(word.lower() for word in words)
        for word in [word for word, n in alike.items() if n > 1][:3]:
            spellings = few([w for w in words if w.lower() == word], 4)
            message = f"the same label{self.on} in upper and lower case: {spellings}"
            self.warn("case", self.counts, message, "Recode one of them: recode = {...}")
        for word in [word for word in words if word in LIKE_MISSING]:
            cells = f"{count_of(self.counts[word], 'cell')}{self.on} with {word!r}"
            self.warn(
                "missing-or-label",
                self.counts,
                f"{cells}: a label, or a missing rating",
                "It is proposed as a label; move it to missing = [...] if it means 'not rated'",
            )
        comments = []
        sets = any(isinstance(word, LabelSet) or ";" in word for word in self.counts)
        if sets:
            parts: Counter[str] = Counter()
            for word, n in self.counts.items():
                parts.update(dict.fromkeys(sorted(labels_in(word)), n))
            words = [part for part, _ in parts.most_common(200)]
            comments.append("Cells hold several labels (lists, or separated by ';'): read as sets.")
        comments += [
            "Labels in the order of their frequency: put them in order, lowest first, where they",
            "have one, and set measurement = 'ordinal'.",
        ]
        if len(words) < 2:
            words.append(f"not {words[0]}")
            comments.append(f"Only one label occurs; {words[1]!r} is a placeholder.")
        return ScaleRules(words, measurement="nominal", sets=sets), comments

    def _other_scales(self):
        """Files whose ratings on one dimension do not seem to share a scale."""
        numeric, words = {}, {}
        for look, counts in self.held:
            total = sum(counts.values())
            values = {c: number(c, look.source.decimal) for c in counts}
            values = {cell: value for cell, value in values.items() if value is not None}
            if total < 5 or any(isinstance(cell, LabelSet) for cell in counts):
                continue
            if 2 * sum(counts[cell] for cell in values) >= total:
                numeric[look.name] = (min(values.values()), max(values.values()))
            elif not glosses(counts):
                words[look.name] = counts
        if numeric and words:
            (a, (low, high)), (b, labels) = next(iter(numeric.items())), next(iter(words.items()))
            such = few(labels, 3)
            differ = f"numbers from {low:g} to {high:g} in {a}, but labels such as {such} in {b}"
        elif len(numeric) > 1:
            a, b = (pick(numeric, key=lambda name: numeric[name][1]) for pick in (min, max))
            low, high = numeric[a][1], numeric[b][1]
            if high < 3 * max(low, 1):
                return []
            differ = f"ratings up to {low:g} in {a}, but up to {high:g} in {b}"
        else:
            return []
        todo = (
            "They are no ratings on one scale: recode one of them, give it a dimension of its own "
            "(dimension_is), or choose another column"
        )
        message = f"the files do not seem to share a scale{self.on}: {differ}"
        return [Finding("off-scale", "", message, todo)]


def _steps(numbers):
    """The run of equal steps that holds most ratings."""
    values = sorted(numbers)
    if len(values) > MOST_LEVELS + 10 and not all(float(v).is_integer() for v in values):
        return [values[0], values[-1]]
    halves = any(float(2 * v).is_integer() and not float(v).is_integer() for v in values)
    step = 0.5 if halves else 1
    # A number between the steps (a mean, a typing error) is off the scale and breaks no run.
    on_step = [value for value in values if float(value / step).is_integer()]
    if 2 * sum(numbers[v] for v in on_step) < sum(numbers.values()):
        return [values[0], values[-1]]
    runs: list[list[float]] = [[on_step[0]]]
    for value in on_step[1:]:
        # One level that nobody used leaves a gap of two steps.
        if value - runs[-1][-1] <= 2 * step + 1e-9:
            runs[-1].append(value)
        else:
            runs.append([value])
    best = max(runs, key=lambda run: sum(numbers[v] for v in run))
    scattered = 2 * sum(numbers[v] for v in best) < sum(numbers.values())
    if scattered and step == 1 and values[0] >= 0 and 50 < values[-1] <= 100 and len(values) > 20:
        return [float(k) for k in range(101)]  # a slider from 0 to 100
    # Two levels at least.
    n = max(2, round((best[-1] - best[0]) / step) + 1)
    levels = [best[0] + k * step for k in range(n)]
    # A lone 1 to 4 of 5 is common: scales start at 0 or 1.
    if step == 1 and 1 < levels[0] <= 3 and levels[-1] <= 10:
        levels = [float(k) for k in range(1, int(levels[-1]) + 1)]
    return levels[:101]
