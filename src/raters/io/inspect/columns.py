"""Which columns could hold ratings or ids, and which only look so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice

from raters.io.formats.cells import number
from raters.io.inspect.profile import MOST_LEVELS, MOSTLY, Look
from raters.io.inspect.words import COLUMNS, ROLES, STEMS, bare, called, made_from_others
from raters.text import few

_ADD = "Not proposed as ratings; add them to columns if they are"
# What is no rating whatever the column is called: times, addresses, money, shares of a whole.
_NEVER = re.compile(
    r"(?:date )?\d{4}-\d\d-\d\d(?:[T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}(?: .*)?"
    r"|\d{1,2}:\d\d(?::\d\d)?.*"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,? .*\d{4}.*|(?:https?|ftp|s3|gs)://.*"
    r"|[$€£¥] ?\d.*|\d[\d.,]* ?(?:[$€£¥]|USD|EUR|GBP)|\d+ ?% ?\(\d+/\d+\)"
)
# An object, or a list of them: several values in one cell.
_JSON = re.compile(r"\[?\s*\{\s*\".*\}\s*\]?", re.DOTALL)
_MTURK = {"HITId", "AssignmentId", "WorkerId"}
_FRACTION = re.compile(r"\d+(?:[.,]\d+)?(?: ?[/-] ?\d+)?")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NUMBERED_NAME = re.compile(r"(.*?\D)[ _.\-]*(\d+)")


def like_ratings(look: Look) -> list[str]:
    """Columns that could hold ratings. Prose is none: cells of which no two are alike, or a
    few words in some rows that no other column holds.
    """
    short = [p for p in look.profiles.values() if len(p.counts) <= MOST_LEVELS]
    columns_with = Counter(label for profile in short for label in profile.labels())
    chosen = []
    for name, profile in look.profiles.items():
        if called(name, "prose") or never_rates(look, name) or not look.like_rating(name):
            continue
        labels = profile.labels()
        alone = profile.new and profile.filled > 4
        rare = 2 * profile.filled < look.table.size
        shared = 2 * sum(columns_with[label] > 1 for label in labels) >= len(labels)
        if look.numeric(name) or shared or not (alone or rare):
            chosen.append(name)
    return chosen


def never_rates(look: Look, name: str) -> bool:
    """Whether a column holds ids, times, durations, money or addresses, by its name or cells."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if len(words) > 1 and words[-1] in COLUMNS["never"]:
        return True
    if look.profiles.keys() >= _MTURK and not name.startswith("Answer."):
        return True  # what Mechanical Turk says of the task and the worker
    if holds_json(look, name):
        return True
    profile = look.profiles[name]
    never = sum(n for cell, n in profile.counts.items() if _NEVER.fullmatch(cell))
    return profile.filled > 0 and never >= MOSTLY * profile.filled


def turned_into_dates(look: Look) -> list[str]:
    """Columns with dates beside numbers or fractions: a spreadsheet takes 4/5 for a date."""
    found = []
    for name, profile in look.profiles.items():
        others = [cell for cell in profile.counts if not cell.startswith("date ")]
        mixed = 0 < len(others) < len(profile.counts)
        if mixed and all(_FRACTION.fullmatch(cell) for cell in others):
            found.append(name)
    return found


def warn_of_counts(look: Look, names: Sequence[str]) -> None:
    """Name columns that could count raters: whole numbers, zeros too, one sum in each row."""
    numbers = [[number(cell or "") for cell in look.table.columns[name]] for name in names]
    rows = list(zip(*numbers)) if len(names) > 2 else []
    if len(rows) < 5 or any(v is None or v < 0 or v % 1 for row in rows for v in row):
        return
    sums = {sum(row) for row in rows}
    if len(sums) == 1 and all(0 in column for column in numbers):
        message = f"{few(names, 5)}: each row adds up to {sums.pop():g}, as counts of raters do"
        todo = (
            "If they are counts, write a row for each rating: the columns would be taken for "
            "raters here"
        )
        look.warn("counts", message, todo)


def warn_of_no_header(look: Look) -> None:
    """Say so where the names of the columns come again among their own cells."""
    names = look.table.names
    again = [name for name in names if name in look.profiles[name].counts]
    if len(names) > 1 and 2 * len(again) >= len(names):
        message = f"the first row, {few(names, 4)}, looks like data: its cells come again below"
        look.warn("header-rows", message, "Write the names of the columns above it")


def holds_json(look: Look, name: str) -> bool:
    """Whether the cells of a column are objects in JSON, or lists of them."""
    profile = look.profiles[name]
    objects = sum(n for cell, n in profile.counts.items() if _JSON.fullmatch(cell))
    return profile.filled > 0 and objects >= MOSTLY * profile.filled


def of_the_item(look: Look, name: str, item: str) -> bool:
    """Whether a column says what the item is: another text for nearly each item, always the same
    for one, though several raters rated it.
    """
    profile, n_items = look.profiles[name], len(look.profiles[item].counts)
    several = look.table.size >= 1.5 * n_items and n_items > 2
    own = len(profile.counts) >= 0.8 * n_items and look.pairs(name, item) == n_items
    return several and own and not look.like_numbers(name)


def like_each_other(look: Look) -> set[str]:
    """Columns called like raters that hold the same few cells as another one, or numbers with
    decimals beside another one: ratings.
    """
    decimals = {
        name
        for name in look.profiles
        if look.numeric(name)
        and any(value % 1 for value in look.profiles[name].numbers(look.source.decimal))
    }
    cells = {n: set(p.counts) for n, p in look.profiles.items() if look.like_rating(n)}
    alike = {
        name
        for name, own in cells.items()
        if bare(name) in ROLES["rater"]
        and any(2 * len(own & cells[n]) >= len(own | cells[n]) for n in cells if n != name)
    }
    return alike | (decimals if len(decimals) > 1 else set())


def family_of(look: Look) -> dict[str, str]:
    """The most columns whose names are one stem with numbers, such as item_1, and could be
    ratings: name of column -> stem.
    """
    stems: dict[str, dict[str, int]] = {}
    for name in look.table.names:
        if match := _NUMBERED_NAME.fullmatch(name.strip()):
            stems.setdefault(bare(match[1]) or match[1], {})[name] = int(match[2])
    families = [f for f in stems.items() if len(set(f[1].values())) > 1]
    if not families:
        return {}
    stem, columns = max(families, key=lambda f: len(f[1]))
    return {name: stem for name in columns if look.like_rating(name) or look.like_numbers(name)}


def stem_is(family: dict[str, str], role: str) -> bool:
    """Whether the names of a family say that its columns are items, or raters."""
    return bool(family) and next(iter(family.values())) in STEMS[role]


def counts_rows(look: Look, name: str) -> bool:
    """Whether a column holds 1 to n or 0 to n - 1 in the order of the rows."""
    size = look.table.size
    least = 3 if bare(name) in COLUMNS["aside"] | {"id", ""} else 5
    if size < least or len(look.profiles[name].counts) != size:
        return False
    values = [number(cell) if cell else None for cell in look.table.columns[name]]
    return values[0] in (0, 1) and values == [values[0] + n for n in range(size)]


def is_what_was_rated(look: Look, rating: str, rater: str, item: str, like: Sequence[str]) -> bool:
    """Whether a column that is called like answers holds the texts that were rated: other texts
    in nearly every row beside columns with numbers, or one text for each item.
    """
    profile = look.profiles[rating]
    if not rater and profile.new and not look.like_numbers(rating) and len(family_of(look)) > 2:
        return True  # a code for each respondent
    if look.like_rating(rating) or look.numeric(rating) or not profile.filled:
        return False
    numeric = [n for n in like if n not in (rater, item) and look.numeric(n)]
    numeric = [n for n in numeric if not called(n, "aside")]
    if not rater:
        return len(numeric) > 1 and profile.new
    if not numeric or 2 * len(profile.counts) > profile.filled:
        return False
    n_items = len(look.profiles[item].counts) if item else look.table.size
    return look.pairs(rating, item or rater) == n_items


def id_like(look: Look, taken: Collection[str], *others: str) -> str:
    """A column that could name the items: nearly always filled, and with the `others` (the
    columns of raters and dimensions) different in nearly every row. Prose, such as a comment,
    names them only where nothing else does. Empty: none does.
    """
    others = tuple(name for name in others if name in look.profiles)
    least = max(1, MOSTLY * look.table.size)
    filled = [
        name
        for name, profile in look.profiles.items()
        if name not in (*taken, *others) and profile.filled >= least
    ]
    # An id that comes back for another rater goes before one that is new in each row.
    filled.sort(key=lambda n: (called(n, "prose"), bool(others) and look.profiles[n].new))
    for name in filled:
        repeats_apart = others and look.pairs(name, *others) >= MOSTLY * look.table.size
        if (look.profiles[name].new and not _rates(look, name)) or repeats_apart:
            return name
    return ""


def _rates(look, name):
    """Whether a column holds numbers of a few other columns, in any order: a rater who happens
    to give another rating in each row is no id.
    """
    named = bare(name) in {*ROLES["item"], *COLUMNS["aside"], "id", ""}
    if named or not look.like_rating(name) or not look.numeric(name):
        return False
    own = set(look.profiles[name].counts)
    alike = (  # two are enough: in a wide file the search ends after a few columns
        other
        for other, profile in look.profiles.items()
        if other != name
        and 2 * len(own & profile.counts.keys()) >= len(own)
        and look.like_rating(other)
        and look.numeric(other)
    )
    return len(list(islice(alike, 2))) == 2


def one_kind(look: Look, names: list[str], layout: str = "") -> list[str]:
    """The columns that share one scale: numbers or labels, and no means of the others."""
    if layout:
        aside = {name for name in names if called(name, "aside")}
        names = _without(look, names, aside, "called like a number, an age or a group")
        names = _without(
            look, names, _far(look, names), "numbers far from those in the other columns"
        )
    if layout == "wide-by-rater":
        reason = "called like a consensus or a reference, which is no rater's own rating"
        names = _without(look, names, {n for n in names if made_from_others(n)}, reason)
    of_numbers = {name: look.like_numbers(name) for name in names}
    most = 2 * sum(of_numbers.values()) >= len(names)
    kept = [name for name in names if of_numbers[name] == most]
    decimal = look.source.decimal
    plain = [n for n in kept if most and look.profiles[n].on_half_steps(decimal)]
    if len(plain) >= 2:
        kept = plain
    kept = [name for name in kept if not called(name, "totals")] or kept
    reason = "other cells than in the other columns, or means of them"
    return _without(look, names, set(names) - set(kept), reason)


def _without(look, names, dropped, reason):
    """The names without some of them, which a warning names; all where nothing would remain."""
    kept = [name for name in names if name not in dropped]
    out = [name for name in names if name in dropped]  # in their order
    if out:
        todo = _ADD if kept else "Check that they are ratings"
        look.warn("columns", f"{few(out, 5)}: {reason}", todo)
    return kept or names


def warn_of_row_numbers(look: Look, used: Collection[str]) -> None:
    """Name the columns that only number the rows, where no role uses them."""
    counting = [n for n in look.profiles if n not in used and counts_rows(look, n)]
    if counting:
        look.warn("row-numbers", f"{few(counting, 5)}: the numbers of the rows", _ADD)


def _far(look, names):
    """Columns most of whose numbers lie far from those of most other columns."""
    decimal = look.source.decimal
    numbers = {name: v for name in names if (v := look.profiles[name].numbers(decimal))}
    some = list(numbers)[:: max(1, len(numbers) // 20)]
    ranges = {name: (min(numbers[name]), max(numbers[name])) for name in some}
    far = set()
    for name, values in numbers.items():
        others = [ranges[other] for other in some if other != name]
        half = sum(values.values()) / 2
        n_far = 0
        for low, high in others:
            span = max(high - low, 4)
            n_far += sum(n for v, n in values.items() if v < low - span or v > high + span) > half
        if len(others) > 1 and 2 * n_far > len(others):
            far.add(name)
    return far
