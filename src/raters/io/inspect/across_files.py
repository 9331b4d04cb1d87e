"""Files held against each other: columns of ids that fit, ids that do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from raters.io.config import pattern_of
from raters.io.inspect.columns import counts_rows
from raters.io.inspect.findings import Finding
from raters.io.inspect.one_file import quoted
from raters.io.inspect.profile import Look
from raters.io.notes import nearly_same
from raters.text import few


def match_items(looks: Sequence[Look]) -> None:
    """In each file the column with the ids that occur in the other files, where another one
    than the proposed one fits better; positions are no ids.
    """
    positional = [x.source.format == "promptfoo" and x.source.item == "test" for x in looks]
    if len(looks) < 2 or all(positional):
        return
    for look, by_position in zip(looks, positional):
        own = set(_ids(look, "item"))
        others = {name for x in looks if x is not look for name in _ids(x, "item")}
        fits = len(own & others) == len(own) and not by_position
        if own and others and not fits and look.source.layout != "wide-by-item":
            _match(look, own, others, by_position)


def _match(look, own, others, by_position):
    was, shared = look.source.item, len(own & others)
    best = _best_item(look, others, shared - by_position, len(own))
    if best:
        ids = look.profiles[best].counts
        message = (
            f"{best!r} is proposed as the item, not {was!r}: {len(set(ids) & others):,} of its "
            f"{len(ids):,} ids occur in the other files, of those of {was!r} {shared:,} of "
            f"{len(own):,}"
        )
        look.source = replace(look.source, item=best)
        look.warn("ids", message, "Check that it is the right one")
    elif by_position:
        message = f"the item {was!r} is the position of a test, counted from 0, and no id"
        todo = "Name the column that holds the ids of the other files: item = 'vars....'"
        look.warn("ids", message, todo)


def _best_item(look, others, least, n_own):
    source, best = look.source, ""
    taken = {source.item, source.rater, source.dimension, source.rating, source.group}
    taken |= set(source.columns)
    for name, profile in look.profiles.items():
        if name in taken or not look.mostly_filled(name):
            continue
        if "." not in name and counts_rows(look, name):
            continue  # the numbers of the rows fit any numbers
        ids = set(profile.counts)
        shared = len(ids & others)
        if shared > least and 2 * shared >= len(ids) and 2 * len(ids) >= n_own:
            best, least = name, shared
    return best


def other_dimensions(looks: Sequence[Look]) -> list[Finding]:
    """Files that have no dimension in common, so that nothing in them can be compared."""
    names = {look.name: _dimensions(look) for look in looks}
    if len(looks) < 2 or set.intersection(*names.values()):
        return []
    shown = "; ".join(f"{file}: {few(sorted(own), 4)}" for file, own in list(names.items())[:4])
    todo = "Name the dimension of a file that has none: dimension_is = '...'"
    return [Finding("no-dimension", "", f"the files share no dimension ({shown})", todo)]


def _dimensions(look):
    source = look.source
    if source.layout == "wide-by-dimension":
        return set(source.columns)
    if source.layout == "wide-by-name" and "{dimension}" in source.names:
        pattern = pattern_of(source.names)
        return {m["dimension"] for name in source.columns if (m := pattern.fullmatch(name))}
    profile = look.profiles.get(source.dimension)
    return set(profile.counts) if profile and profile.counts else {"all"}


def other_ids(looks: Sequence[Look]) -> list[Finding]:
    """Ids that are nearly the same, and files that share no item."""
    warnings = []
    for role in ("item", "rater"):
        names = dict.fromkeys(name for look in looks for name in _ids(look, role))
        for note in nearly_same(names, role):
            todo = "Write them alike in all files, if they are the same"
            warnings.append(Finding(note.code, "", note, todo))
    items = {look.name: set(ids) for look in looks if (ids := _ids(look, "item"))}
    others = {
        file: set().union(*(ids for name, ids in items.items() if name != file)) for file in items
    }
    alone = [file for file, ids in items.items() if not ids & others[file]]
    if len(items) < 2 or not alone:
        return warnings
    file = alone[0]
    other = next(name for name in items if name != file)
    here, there = (few(sorted(items[name])[:2]) for name in (file, other))
    message = (
        f"{few(alone, 3)} without an item of the other files, such as {here} in {file} and "
        f"{there} in {other}"
    )
    todo = "Check that item is the right column, and the ids the same in all files"
    warnings.append(Finding("no-overlap", "", message, todo))
    lonely = [look for look in looks if look.name in alone and look.source.item]
    return warnings + [f for look in lonely if (f := _inside(look, others[look.name]))]


def _inside(look, others):
    """How the ids of a file can be taken apart so that they fit the others; or None."""
    pattern, column = _pattern_inside(_ids(look, "item"), others), look.source.item
    if not pattern:
        return None
    message = f"the ids in {column!r} hold those of the other files: {pattern}"
    split = f"split = {{{quoted(column)} = {quoted(pattern)}}}"
    return Finding("no-overlap", look.name, message, f'Take them apart: {split} and item = "item"')


def _pattern_inside(ids, others):
    """A pattern with {item} by which most ids hold one of the others; or empty."""
    fits: Counter[str] = Counter()
    ids = [name for name in ids if not set("{}*") & set(name)][:200]
    for name in ids:
        cuts = [n for n, sign in enumerate(name) if not sign.isalnum()]
        for n in cuts:
            if name[n + 1 :] in others:
                fits.update({name[: n + 1] + "{item}", "*" + name[n] + "{item}"})
            if name[:n] in others:
                fits.update({"{item}" + name[n:], "{item}" + name[n] + "*"})
    best = min(fits, key=lambda pattern: (-fits[pattern], "*" in pattern), default="")
    return best if best and fits[best] >= 0.8 * len(ids) else ""


def _ids(look, role):
    """The items or raters of a file, as far as a column names them."""
    if look.source.layout == f"wide-by-{role}":
        return list(look.source.columns)
    profile = look.profiles.get(getattr(look.source, role))
    return list(profile.counts) if profile and not look.source.split else []
