"""The layout of a file and what its columns are, as a proposal."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from raters.errors import RatingsError
from raters.io.formats import FORMATS
from raters.io.formats.base import SHEET
from raters.io.formats.cells import number
from raters.io.inspect.columns import (
    counts_rows,
    family_of,
    holds_json,
    id_like,
    is_what_was_rated,
    like_each_other,
    like_ratings,
    of_the_item,
    one_kind,
    stem_is,
    turned_into_dates,
    warn_of_counts,
    warn_of_no_header,
    warn_of_row_numbers,
)
from raters.io.inspect.profile import MOST_LEVELS, MOSTLY, Look, Profile
from raters.io.inspect.words import bare, called, named
from raters.text import count_of, few

_NO_PROFILE = Profile([])


def propose_roles(look: Look) -> None:
    """Propose the layout and the columns: `look.source` says them afterwards."""
    source, names = look.source, look.table.names
    known = FORMATS[source.format].columns
    if known:
        look.source = _known_columns(look, known)
    elif source.header_join:
        _two_headers(look)
    elif source.header_rows == 3:
        _survey(look, _rater_of(look, family_of(look))[0])
    elif names and called(names[0], "times"):
        _form(look)
    else:
        _refuse_dates(look)
        _table(look)
        warn_of_no_header(look)
        if look.source.layout == "wide-by-rater":
            warn_of_counts(look, look.source.columns)
        packed = [n for n in _packed(look) if n not in (look.source.rating, *look.source.columns)]
        if packed:
            todo = "Write each value into a column of its own, if they are ratings"
            look.warn("json", f"{few(packed, 5)}: values as JSON in one cell", todo)


def _refuse_dates(look):
    """Dates beside other cells cannot be turned back: which part was the rating is lost."""
    dates = turned_into_dates(look)
    if dates:
        cells = look.profiles[dates[0]].counts
        shown = few([cell for cell in cells if cell.startswith("date ")], 2)
        raise RatingsError(
            f"{look.name}, {few(dates, 5)} with dates among other cells ({shown}): a spreadsheet "
            "takes 4/5 for a date",
            "ratings as numbers or text",
            "set the format of these columns to text, and enter the ratings again from the source",
        )


def _packed(look):
    return [name for name in look.table.names if holds_json(look, name)]


def _sparse(look):
    return {name for name, p in look.profiles.items() if 2 * p.filled < look.table.size}


def _rater_of(look, family):
    """The column with the raters, and the columns that cannot hold ids.

    One of many numbered columns, such as item_1, is no column with ids.
    """
    sparse = _sparse(look) | set(family)
    rater = named(look.table.names, "rater", like_each_other(look) | sparse)
    return rater or (SHEET if look.source.sheets else ""), sparse


def _table(look):
    """A table as people make them: long, or with a column for each rater, item or dimension."""
    names, family = look.table.names, family_of(look)
    rater, sparse = _rater_of(look, family)
    item = named(names, "item", {rater} | sparse)
    like = [name for name in like_ratings(look) if not counts_rows(look, name)]
    rating = _rating_of(look, rater, item, like, family)
    dimension = named(names, "dimension", {rater, item, rating} | sparse)
    if len(family) > 2 and not rating and (respondent := _respondent(look, family, rater, item)):
        free = one_kind(look, [name for name in like if name != respondent], "wide-by-item")
        look.source = replace(
            look.source, layout="wide-by-item", rater=respondent, columns=tuple(free)
        )
        return
    group = named(names, "group", {rater, item, rating, dimension}) if rater else ""
    if rating:
        look.source = _long(look, item, rater, dimension, rating, group)
        return
    if not rater and (crossed := _crossed(look)):
        item, rater = crossed
    if rater and not item and not look.profiles[rater].new:
        # A rater in several rows: something else names the items.
        item = id_like(look, [group], rater)
    free = [name for name in like if name not in (rater, item, group)]
    if rater and item and len(free) == 1:
        look.source = _long(look, item, rater, dimension, free[0], group)
        return
    _wide(look, item, rater, group, like, family)


def _rating_of(look, rater, item, like, family):
    """The column that is called like ratings, where it does not hold what was rated."""
    empty = {name for name, profile in look.profiles.items() if not profile.filled}
    taken = {rater, item, *family} | empty
    while rating := named(look.table.names, "rating", taken):
        if not is_what_was_rated(look, rating, rater, item, like):
            return rating
        taken.add(rating)
    return ""


def _wide(look, item, rater, group, like, family):
    """Several columns with ratings."""
    free = [name for name in like if name not in (rater, item, group)]
    if rater and item:
        layout = "wide-by-dimension"
        free = _that_vary(look, [name for name in free if not of_the_item(look, name, item)])
    elif rater:
        layout = "wide-by-item"
        free = one_kind(look, [n for n in like if n not in (rater, group)], layout)
    else:
        item = item or id_like(look, free)
        layout = "wide-by-rater"
        free = one_kind(look, [n for n in like if n != item], layout)
        if set(free) & set(family) and not stem_is(family, "rater"):
            _two_ways(look, family, layout)
    warn_of_row_numbers(look, {*free, rater, item})
    packed = _packed(look)
    if not free:
        raise RatingsError(
            f"{look.name}, in which no column looks like ratings"
            + (f"; {few(packed, 5)} holds JSON with values in it" if packed else ""),
            f"a column with ratings; the columns: {few(look.table.names)}",
            "write each value of the JSON into a column of its own"
            if packed
            else "write raters.toml by hand: item, rater, rating, or a wide layout with columns",
        )
    if "Rejected" in (counts := look.profiles.get("AssignmentStatus", _NO_PROFILE).counts):
        look.source = replace(look.source, leave_out={"AssignmentStatus": ("Rejected",)})
        rejected = count_of(counts["Rejected"], "rejected assignment")
        look.warn("previews", rejected, "They are left out (leave_out)")
    by_rater = layout == "wide-by-rater"
    look.source = replace(
        look.source,
        layout=layout,
        item=item if layout != "wide-by-item" else "",
        rater="" if by_rater else rater,
        group="" if by_rater else group,
        columns=tuple(free),
    )


def _that_vary(look, names):
    """The columns without those of one and the same text, which a warning names."""
    same = [n for n in names if len(look.profiles[n].counts) == 1 and not look.like_numbers(n)]
    if not same or len(same) == len(names):
        return names
    todo = "Not proposed as ratings; add them to columns if they are"
    look.warn("columns", f"{few(same, 5)}: the same text in every row", todo)
    return [name for name in names if name not in same]


def _two_headers(look):
    """Columns whose names were joined from two rows: a rater and a dimension, most likely."""
    source, sign = look.source, look.source.header_join
    # What is called alike below several names is a dimension; the others say what the row is.
    last = Counter(name.rpartition(sign)[2] for name in look.table.names if sign in name)
    free = [n for n in like_ratings(look) if sign in n and last[n.rpartition(sign)[2]] > 1]
    rater = SHEET if source.sheets else ""
    names = f"{{dimension}}{sign}{{item}}" if rater else f"{{rater}}{sign}{{dimension}}"
    item = named(look.table.names, "item", free) or id_like(look, free)
    look.source = replace(
        source,
        layout="wide-by-name",
        names=names,
        columns=tuple(free),
        item="" if rater else item,
        rater=rater,
    )


def _crossed(look):
    """(item, rater): two columns that come back in other rows, and together never do.

    Nearly each of the one occurs with each of the other, and there are more items.
    """
    size = look.table.size
    different = {n: len(p.counts) for n, p in look.profiles.items() if look.mostly_filled(n)}
    back = [
        name
        for name, n in different.items()
        if 1 < n <= look.profiles[name].filled / 2 and not look.like_rating(name)
    ]
    # Few raters look like labels; ids of items never do.
    decimal = look.source.decimal
    people = [
        name
        for name, n in different.items()
        if 1 < n <= MOST_LEVELS and not look.profiles[name].numbers(decimal)
    ]
    for item in back:
        for rater in people:
            n_items, n_raters = different[item], different[rater]
            crossed = item != rater and n_raters < n_items and size >= 0.7 * n_items * n_raters
            if crossed and look.pairs(item, rater) >= MOSTLY * size:
                return item, rater
    return None


def _respondent(look, family, rater, item):
    """The column that names the respondent where numbered columns are items; otherwise empty."""
    if rater or not stem_is(family, "item"):
        return ""
    if item and bare(item) not in ("id", "fall", "caso"):
        return ""  # a row an item: the numbered columns are something else
    others = [n for n in look.table.names if n not in family]
    size = look.table.size
    new = [n for n in others if len(look.profiles[n].counts) == size]
    if not new:
        return ""
    first = item if item in new else new[0]
    stem = next(iter(family.values()))
    sure = called(first, "people") or stem in ("item", "items", "frage", "question", "aufgabe")
    if not sure:
        _two_ways(look, family, "wide-by-item")
    return first


def _two_ways(look, family, layout):
    first, last = list(family)[0], list(family)[-1]
    todo = (
        "Are they raters, with a row an item (layout = 'wide-by-rater', item = the first column), "
        "or items, with a row a respondent (layout = 'wide-by-item', rater = the first column)? "
        "Write the right one"
    )
    doubt = f"it cannot be told what the columns {first!r} to {last!r} are"
    look.warn("layout", f"{doubt}: {layout} is a guess", todo)


def _known_columns(look, known):
    source = replace(look.source, **known)
    if look.source.format in ("openai-batch", "promptfoo"):
        source = replace(source, answers=True)
    if look.source.format == "inspect":
        values = look.profiles.get("value")
        if values is None or not values.filled:
            source = replace(source, rater="model", rating="completion", answers=True)
    if "rater" not in known:
        source = replace(source, rater_from_file="{rater}.*")
    return source


_POSITION = re.compile(r"\W*(?:[\w ]+:\W*)?(?:(a|first|1st)|(b|second|2nd)|(c|tie|equal|both))\W*")


def _like_verdicts(profile):
    """Whether nearly all cells are one of two positions in a pair, or a tie."""
    matches = [(_POSITION.fullmatch(cell.lower()), n) for cell, n in profile.counts.items()]
    positions = [(match, n) for match, n in matches if match]
    both = all(any(match[which] for match, _ in positions) for which in (1, 2))
    return both and sum(n for _, n in positions) >= 0.8 * profile.filled


def _long(look, item, rater, dimension, rating, group):
    profile = look.profiles[rating]
    decimal = look.source.decimal
    numbers = [cell for cell in profile.counts if number(cell, decimal) is not None]
    others = [cell for cell in profile.counts if number(cell, decimal) is None]
    # "3-4" or "2 (minor errors)" beside plain numbers: somebody wrote freely.
    # Where nearly all are plain numbers, the others are damaged cells.
    plain = sum(profile.counts[cell] for cell in numbers) >= 0.8 * profile.filled
    mixed = bool(numbers) and not plain and any(re.search(r"\d", cell) for cell in others)
    spoken = any(re.search(r"[{\n]|\b(?:score|rating)\b", cell, re.I) for cell in others)
    free_text = mixed or spoken or not profile.like_rating(decimal)
    by_file = {} if rater else {"rater_from_file": "{rater}.*"}
    first = next((n for n in look.table.names if bare(n) in ("first", "systema", "modela")), "")
    second = next((n for n in look.table.names if bare(n) in ("second", "systemb", "modelb")), "")
    if first and second:
        by_file |= {"first": first, "second": second}
        free_text = False
    elif (free_text or called(rating, "verdicts")) and _like_verdicts(profile):
        shown = few([cell for cell, _ in profile.counts.most_common(3)], 3)
        todo = (
            "If so, declare the columns with the systems that stood there (first, second) and "
            "kind = 'pair' in [answers]; otherwise they are labels"
        )
        look.warn("pairs", f"verdicts such as {shown}: positions in pairs, perhaps", todo)
    return replace(
        look.source,
        item=item or id_like(look, [rating, group], rater, dimension),
        rater=rater,
        rating=rating,
        dimension=dimension,
        group=group,
        answers=free_text,
        **by_file,
    )


def _survey(look, rater):
    """Qualtrics: a row for each respondent, questions in columns."""
    names = look.table.names
    # Loop & Merge puts the number of the loop before the question: 1_Q5_2.
    questions = [n for n in names if re.match(r"(?:\d+_)?Q\w*\d", n) or n.startswith("QID")]
    like = one_kind(look, [n for n in like_ratings(look) if n in questions])
    leave = {}
    for column in ("Status", "DistributionChannel"):
        counts = look.profiles[column].counts if column in names else ()
        previews = [cell for cell in counts if "preview" in cell.lower() or cell == "Spam"]
        if previews:
            leave[column] = tuple(previews)
            n = sum(look.profiles[column].counts[c] for c in previews)
            look.warn(
                "previews",
                f"{count_of(n, 'row')} with {column} {few(previews)}",
                "They are left out as the author's own tests (leave_out)",
            )
    if "Finished" in names:
        unfinished = sum(look.profiles["Finished"].counts[c] for c in ("False", "FALSE", "0"))
        if unfinished:
            look.warn(
                "previews",
                count_of(unfinished, "unfinished response"),
                "They are kept with the ratings that they hold; leave_out can change that",
            )
    id_ = "ResponseId" if "ResponseId" in names else rater
    loops = [re.fullmatch(r"\d+_(Q\w*?)_\d+", name) for name in like]
    layout = {"layout": "wide-by-item"}
    if like and all(loops) and len({loop[1] for loop in loops}) == 1:
        layout = {"layout": "wide-by-name", "names": f"{{item}}_{loops[0][1]}_{{dimension}}"}
    look.source = replace(look.source, rater=id_, columns=tuple(like), leave_out=leave, **layout)


def _form(look):
    """Google Forms: a row for each respondent, the first column a time."""
    names = look.table.names
    address = next((n for n in names if "mail" in n.lower() or n.lower() == "name"), "")
    numbers = {name for name in look.profiles if look.like_numbers(name)}
    address = address or named(names, "rater", numbers)
    like = one_kind(look, [n for n in like_ratings(look) if n not in (names[0], address)])
    look.source = replace(
        look.source, layout="wide-by-item", rater=address or names[0], columns=tuple(like)
    )
    if not address:
        look.warn(
            "file",
            "a form without a column that names the respondent",
            "The time of the answer stands for the rater; two may share one",
        )
