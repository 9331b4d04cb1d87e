"""What is known of one file and of the cells of its columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raters.io.config import Source
from raters.io.formats import Table
from raters.io.formats.base import LabelSet
from raters.io.formats.cells import number
from raters.io.inspect.findings import Finding
from raters.io.inspect.words import LIKE_MISSING
from raters.label_sets import labels_of
from raters.text import few

MOST_LEVELS = 15
MOSTLY = 0.9  # of the rows: ids may lack in some
_TEXT_LIKE = 40
_ID = re.compile(r"0\d+$")  # 007 is no rating
_GLOSSED = re.compile(r"(\d|[1-9]\d) *(?:[-–—:=.(]) *\D.*")


def glosses(cells: Iterable[str]) -> dict[str, float]:
    """Cells such as "4 - agree" and their numbers, where each number has one such spelling."""
    numbers = {cell: float(m[1]) for cell in cells if (m := _GLOSSED.fullmatch(cell))}
    return numbers if len(set(numbers.values())) == len(numbers) else {}


def text_of(cell: str | None) -> str:
    """A cell's text; a list of several labels stays one (`LabelSet`)."""
    if isinstance(cell, LabelSet):
        labels = labels_of(cell)
        return cell if len(labels) > 1 else "".join(labels)
    return "" if cell is None else cell.strip()


def labels_in(text: str) -> set[str]:
    """The labels of a cell that may hold several."""
    labels = labels_of(text) if isinstance(text, LabelSet) else {p.strip() for p in text.split(";")}
    return labels - {""}


class Profile:
    """The different cells of a column and how often they occur."""

    def __init__(self, cells: list[str | None]):
        self.counts: Counter[str] = Counter()
        for cell, n in Counter(cells).items():  # each different cell is looked at once
            if text := text_of(cell):
                self.counts[text] += n
        self.filled = sum(self.counts.values())
        self.longest = max(map(len, self.counts), default=0)
        # NA beside numbers is a rating that is missing; it does not make them another kind.
        self.rated = self.filled - sum(
            self.counts[word] for word in LIKE_MISSING & set(self.counts)
        )
        self._numbers: dict[str, Counter[float]] = {}

    @property
    def new(self) -> bool:
        """Whether no cell occurs twice."""
        return len(self.counts) == self.filled

    def numbers(self, decimal: str) -> Counter[float]:
        """The cells that are numbers, by their value."""
        if decimal not in self._numbers:
            self._numbers[decimal] = numbers = Counter()
            for cell, n in self.counts.items():
                value = number(cell, decimal)
                if value is not None:
                    numbers[value] += n
        return self._numbers[decimal]

    def labels(self) -> set[str]:
        """All labels."""
        return {label for cell in self.counts for label in labels_in(cell)}

    def numeric(self, decimal: str) -> bool:
        """Whether nearly all cells are numbers; words for "not rated" do not count."""
        return self.rated > 0 and sum(self.numbers(decimal).values()) >= 0.8 * self.rated

    def like_numbers(self, decimal: str) -> bool:
        """Numbers, perhaps with their meaning behind them: "1 (not at all)"."""
        plain = sum(self.numbers(decimal).values())
        glossed = sum(self.counts[cell] for cell in glosses(self.counts))
        return self.rated > 0 and plain + glossed >= 0.8 * self.rated

    def on_half_steps(self, decimal: str) -> bool:
        """Whether all numbers are whole or end in a half."""
        return all(float(2 * value).is_integer() for value in self.numbers(decimal))

    def like_rating(self, decimal: str) -> bool:
        """Whether the cells could be ratings: few different ones, or numbers on a short scale."""
        if not self.filled or any(_ID.match(cell) for cell in self.counts):
            return False
        if self.numeric(decimal):
            values = self.numbers(decimal)
            return len(values) <= 101 and max(map(abs, values)) <= 1000
        return len(self.counts) <= MOST_LEVELS and self.longest <= _TEXT_LIKE


@dataclass
class Look:
    """One file: its rows, how it seems to be read, and what is odd in it."""

    name: str
    table: Table
    source: Source
    warnings: list[Finding]
    profiles: dict[str, Profile]

    def warn(self, code: str, message: str, todo: str) -> None:
        """Add a finding about this file."""
        self.warnings.append(Finding(code, self.name, message, todo))

    def like_rating(self, name: str) -> bool:
        """Whether a column could hold ratings."""
        return self.profiles[name].like_rating(self.source.decimal)

    def numeric(self, name: str) -> bool:
        """Whether nearly all cells of a column are numbers."""
        return self.profiles[name].numeric(self.source.decimal)

    def like_numbers(self, name: str) -> bool:
        """As `numeric`, perhaps with their meaning behind the numbers."""
        return self.profiles[name].like_numbers(self.source.decimal)

    def mostly_filled(self, name: str) -> bool:
        """Whether nearly every row has a cell in a column."""
        return self.profiles[name].filled >= MOSTLY * self.table.size

    def pairs(self, *names: str) -> int:
        """How many rows differ in these columns."""
        return len(set(zip(*(self.table.columns[name] for name in names))))

    def about(self) -> Iterator[tuple[str, str, str, int, str]]:
        """A row for each column: its role and some of its cells."""
        roles = {
            getattr(self.source, r): r for r in ("item", "rater", "dimension", "rating", "group")
        }
        for column in self.table.names:
            profile = self.profiles.get(column)
            role = roles.get(column, "rating" if column in self.source.columns else "")
            cells = few([cell for cell, _ in profile.counts.most_common(4)], 4) if profile else ""
            yield self.name, column, role, len(profile.counts) if profile else 0, cells
