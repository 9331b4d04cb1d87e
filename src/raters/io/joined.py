"""All files together: their rows, the problems among them, and what is told of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.io.config import Config
from raters.io.formats import FORMATS
from raters.io.formats.layouts import Part, named_columns
from raters.io.notes import (
    SHOWN,
    Note,
    answer_notes,
    lost_digits,
    nearly_same,
    overlap_notes,
    range_notes,
)
from raters.io.ratings_of import read_cells
from raters.io.reading import COLUMNS, PAIRS, PROBLEMS, Reading
from raters.scale import Scale
from raters.text import count_of, few, shorten

LAYOUT_WORDS = {
    "long": "a row a rating",
    "wide-by-rater": "a row an item, a column a rater",
    "wide-by-item": "a row a rater, a column an item",
    "wide-by-dimension": "a row an item and rater, a column a dimension",
    "wide-by-name": "columns with ratings whose names say more",
}


SECOND = "second-rating"  # the code of a problem


class Joined:
    """The files as one: the rows as codes, the problems, the counts."""

    def __init__(self, parts: Sequence[Part], config: Config):
        self.parts, self.config = parts, config
        self.pools = {role: {} for role in ("item", "rater", "dimension", "group")}
        for part in parts:
            read_cells(part, config)
        self.codes = {role: self._joined(role) for role in self.pools}
        self.lines = np.concatenate([part.lines for part in parts])
        sizes = [len(part.lines) for part in parts]
        self.file = np.repeat(np.arange(len(parts)), sizes)
        starts = np.cumsum([0] + [len(part.found) for part in parts])
        self.found = [one for part in parts for one in part.found]
        self.keys = np.concatenate([p.keys + s for p, s in zip(parts, starts)]).astype(np.int64)
        self.state = np.array([one[1] for one in self.found] + [""], dtype=object)[self.keys]
        self.left_out = [Counter(part.table.left_out) for part in parts]
        self._check_ids()
        self._check_duplicates()

    def _joined(self, role):
        pool = self.pools[role]
        joined = []
        for part in self.parts:
            coded = getattr(part, role)
            place = np.array([pool.setdefault(n, len(pool)) for n in coded.names] + [-1], np.int64)
            joined.append(place[coded.codes])
        return np.concatenate(joined)

    def names(self, role: str) -> list[str]:
        """The items, raters, dimensions or groups."""
        return list(self.pools[role])

    def _check_ids(self):
        """A rating without an item or rater is a problem; an empty cell without one is none."""
        self.reason = {}
        for role in ("item", "rater"):
            absent = self.codes[role] < 0
            for place in np.unique(self.file[absent & (self.state == "missing")]):
                rows = absent & (self.state == "missing") & (self.file == place)
                self.left_out[place][f"row without {role} and rating"] += int(rows.sum())
            self.state[absent & (self.state == "missing")] = "gone"
            bad = absent & (self.state != "gone")
            self.reason |= dict.fromkeys(
                np.flatnonzero(bad & (self.state != "bad")), Note(f"no {role}", f"no-{role}")
            )
            self.state[bad] = "bad"

    def _check_duplicates(self):
        """One rating of an item by a rater on a dimension; verdicts on pairs come in two orders."""
        sizes = [len(self.pools[r]) + 1 for r in ("item", "rater", "dimension")]
        stood = np.zeros(len(self.lines), dtype=np.int64)
        start = 0
        for part in self.parts:
            if part.order:
                first, second = part.order
                ordered = first.codes * (len(second.names) + 1) + second.codes
                stood[start : start + len(part.lines)] = ordered + len(second.names) + 2
            start += len(part.lines)
        key = np.ravel_multi_index(
            [self.codes[r] + 1 for r in ("item", "rater", "dimension")] + [stood],
            [*sizes, int(stood.max(initial=0)) + 1],
        )
        ok = np.flatnonzero(self.state == "ok")
        keep = "last" if self.config.duplicates == "last" else "first"
        again = ok[pd.Series(key[ok]).duplicated(keep=keep).to_numpy()]
        if len(again) and self.config.duplicates == "error":
            kept = pd.Series(ok, index=key[ok])
            kept = kept[~kept.index.duplicated()]
            for row, first in zip(again, kept.loc[key[again]]):
                self.reason[row] = self._twice(row, first)
            self.state[again] = "bad"
        elif len(again):
            for place, n in zip(*np.unique(self.file[again], return_counts=True)):
                self.left_out[place][f"second rating of an item ({keep} kept)"] += int(n)
            self.state[again] = "gone"
        self._without_empty_doubles(key)

    def _without_empty_doubles(self, key):
        """Where there is a rating, or another empty cell, an empty cell says nothing more."""
        empty = np.flatnonzero(np.isin(self.state, ["missing", "refused"]))
        rated = key[self.state == "ok"]
        double = np.isin(key[empty], rated) | pd.Series(key[empty]).duplicated().to_numpy()
        for place, n in zip(*np.unique(self.file[empty[double]], return_counts=True)):
            self.left_out[place]["empty cell beside another row of the same item and rater"] += int(
                n
            )
        self.state[empty[double]] = "gone"

    def _twice(self, row, first):
        value = [shorten(self.found[self.keys[n]][0]) for n in (row, first)]
        same = "the same" if value[0] == value[1] else f"{value[0]}, not {value[1]}"
        item = self.names("item")[self.codes["item"][row]]
        rater = self.names("rater")[self.codes["rater"][row]]
        where = f"{self.parts[self.file[first]].name} line {self.lines[first]}"
        return Note(
            f"a second rating of item {item} by {rater} ({same}); the first: {where}", SECOND
        )

    def problems(self) -> pd.DataFrame:
        """The rows that cannot be read, as in `Reading`."""
        rows = [
            (part.name, *place, reason.code, str(reason))
            for part in self.parts
            for *place, reason in part.table.problems
        ]
        bad = np.flatnonzero(self.state == "bad")
        starts = np.cumsum([0] + [len(part.lines) for part in self.parts])
        for row in bad:
            part = self.parts[self.file[row]]
            own = row - starts[self.file[row]]
            cell = part.cells.codes[own]
            value = "" if cell < 0 else shorten(part.cells.names[cell])
            column = part.where(own) + part.column.names[part.column.codes[own]]
            code, reason = self.found[self.keys[row]][2:]
            if row in self.reason:
                code, reason = self.reason[row].code, self.reason[row]
            rows.append((part.name, int(self.lines[row]), column, value, code, str(reason)))
        frame = pd.DataFrame(rows, columns=PROBLEMS).astype({"line": np.int64})
        order = {part.name: place for place, part in enumerate(self.parts)}
        return frame.sort_values(
            ["file", "line"], key=lambda c: c.map(order) if c.name == "file" else c, kind="stable"
        ).reset_index(drop=True)

    def reading(self, problems: pd.DataFrame) -> Reading:
        """Everything that was read."""
        ratings, pairs, order_notes = self._ratings()
        if not ratings["rating"].notna().any():
            raise RatingsError(
                f"files in which not one rating could be read ({len(ratings):,} empty cells, "
                f"{len(problems):,} bad rows)",
                "one rating or more",
                "check the columns and the scale in raters.toml",
            )
        left_out = self._left_out()
        missing = self._missing()
        answers = self._answers()
        files = self._files(ratings)
        notes = self._notes(ratings, problems, left_out, missing, answers) + order_notes
        return Reading(
            ratings, self._scale(ratings), problems, left_out, missing, answers, pairs, files,
            tuple(notes), self.config,
        )  # fmt: skip

    def _ratings(self):
        keep = np.flatnonzero(np.isin(self.state, ["ok", "missing", "refused"]))
        values = [one[0] for one in self.found]
        numeric = all(value is None or isinstance(value, float) for value in values)
        values = np.array(
            [np.nan if v is None else v for v in values], dtype=float if numeric else object
        )
        frame = pd.DataFrame(
            {
                role: pd.array(self.names(role), dtype="str").take(self.codes[role][keep])
                for role in ("dimension", "item", "rater")
            }
        )
        frame["group"] = self._groups()[keep]
        frame["rating"] = values[self.keys[keep]] if len(values) else np.nan
        frame["file"] = pd.array([part.name for part in self.parts], dtype="str").take(
            self.file[keep]
        )
        frame["line"] = self.lines[keep]
        return self._settled(frame[COLUMNS], keep)

    def _settled(self, frame, keep):
        """Verdicts in both orders become one rating of each pair."""
        stood = {"first": np.full(len(self.lines), None), "second": np.full(len(self.lines), None)}
        start = 0
        for part in self.parts:
            rows = slice(start, start + len(part.lines))
            for name, coded in zip(stood, part.order or ()):
                stood[name][rows] = np.array([*coded.names, None], dtype=object)[coded.codes]
            start += len(part.lines)
        verdict = np.array([part.order is not None for part in self.parts])[self.file[keep]]
        if not verdict.any():
            return frame, pd.DataFrame([], columns=PAIRS), []
        from raters.io.answers import order_effect, settle_pairs

        verdicts = frame[verdict].assign(**{n: stood[n][keep][verdict] for n in stood})
        pairs = settle_pairs(verdicts)
        first_rows = frame[verdict].drop_duplicates(["item", "rater", "dimension"])
        keys = ["item", "rater", "dimension"]
        settled = first_rows.drop(columns="rating").merge(
            pairs[[*keys, "rating"]], on=keys, how="left", validate="one_to_one"
        )
        notes = []
        for rater, rows in verdicts.groupby("rater", sort=False):
            effect = order_effect(rows)
            text = (
                f"{effect['n_inconsistent']} of {effect['n_pairs']} pairs change their "
                f"result with the order and count as ties; {effect['share_of_first']:.0%} of "
                f"{effect['n_decisive']} verdicts without ties are for the first position"
            )
            notes.append(Note(text, "order").within(rater))
            if effect["n_one_order"]:
                text = f"{effect['n_one_order']} pairs in one order only: no rating"
                notes.append(Note(text, "one-order").within(rater))
        whole = pd.concat([frame[~verdict], settled[COLUMNS]], ignore_index=True)
        return whole, pairs, notes

    def _groups(self):
        raters = self.names("rater")
        declared = [self.config.group_of(name) for name in raters]
        other = "other" if self.config.groups else "all"
        by_row = np.array([*self.names("group"), other], dtype=object)[self.codes["group"]]
        known = np.array([name is not None for name in declared] + [False])
        named = np.array([*declared, None], dtype=object)
        return np.where(known[self.codes["rater"]], named[self.codes["rater"]], by_row)

    def _scale(self, ratings):
        scales = {name: self._one_scale(name, ratings) for name in self.names("dimension")}
        rules = [self.config.rules_of(name) for name in scales]
        if all(one is rules[0] for one in rules) and not rules[0].sets:
            return rules[0].scale
        return scales

    def _one_scale(self, dimension, ratings):
        rules = self.config.rules_of(dimension)
        if not rules.sets:
            return rules.scale
        found = ratings.loc[ratings["dimension"] == dimension, "rating"].dropna()
        return Scale(sorted({"", *found}), measurement="nominal")

    def _left_out(self):
        rows = [
            (part.name, reason, n)
            for part, counter in zip(self.parts, self.left_out)
            for reason, n in counter.items()
        ]
        return pd.DataFrame(rows, columns=["file", "reason", "n"]).astype({"n": np.int64})

    def _missing(self):
        rows = []
        missing = self.state == "missing"
        for place, part in enumerate(self.parts):
            keys, n = np.unique(self.keys[missing & (self.file == place)], return_counts=True)
            counted = Counter()
            for key, times in zip(keys, n):
                counted[self.found[key][3]] += int(times)
            rows += [(part.name, code, times) for code, times in counted.items()]
        return pd.DataFrame(rows, columns=["file", "cell", "n"]).astype({"n": np.int64})

    def _answers(self):
        rows = []
        kinds = {"ok": "parsed", "bad": "unreadable"}
        raters = [*self.names("rater"), ""]
        for place, part in enumerate(self.parts):
            if not (part.source.answers or part.order):
                continue
            here = np.flatnonzero(self.file == place)
            counted = Counter()
            for rater, key in zip(self.codes["rater"][here], self.keys[here]):
                _, state, code, _ = self.found[key]
                counted[raters[rater], kinds.get(state, state), code] += 1
            rows += [(part.name, *which, n) for which, n in counted.items()]
        columns = ["file", "rater", "kind", "code", "n"]
        return pd.DataFrame(rows, columns=columns).astype({"n": np.int64})

    def _files(self, ratings):
        rated = ratings.loc[ratings["rating"].notna(), "file"].value_counts()
        rows = [
            (part.name, part.source.format, part.rows, int(rated.get(part.name, 0)))
            for part in self.parts
        ]
        return pd.DataFrame(rows, columns=["file", "format", "rows", "ratings"])

    def _notes(self, ratings, problems, left_out, missing, answers):
        notes = []
        for part in self.parts:
            title = FORMATS[part.source.format].title
            layout = Note(f"{title}; {LAYOUT_WORDS[part.source.layout]}", "layout")
            place = part.name if len(self.parts) > 1 else ""
            notes += [note.within(place) for note in (layout, *part.table.notes, *_unread(part))]
        for row in left_out.itertuples():
            notes.append(Note(f"{row.n} left out: {row.reason}", "left-out").within(row.file))
        for row in missing.itertuples():
            notes.append(Note(f"{row.n} missing ({row.cell})", "missing").within(row.file))
        notes += answer_notes(answers)
        if len(problems):
            places = ", ".join(
                f"{r.file} line {r.line} ({r.reason})" for r in problems.head(SHOWN).itertuples()
            )
            more = " and more" if len(problems) > SHOWN else ""
            text = f"{count_of(len(problems), 'row')} dropped: {places}{more}"
            notes.append(Note(text, "dropped"))
        notes += range_notes(ratings)
        notes += self._reversal_note()
        notes += lost_digits(self.names("item"), "item")
        for role in ("item", "rater"):
            notes += nearly_same(self.names(role), role)
        notes += overlap_notes(
            self.codes["item"], self.codes["rater"], self.state == "ok", self.names("rater")
        )
        if self.config.groups and (ratings["group"] == "other").any():
            others = ratings.loc[ratings["group"] == "other", "rater"].unique()
            text = f"in no declared group, so in 'other': {few(list(others), 5)}"
            notes.append(Note(text, "no-group"))
        absent = [
            name
            for names in self.config.groups.values()
            for name in names
            if not set("*?[") & set(name) and name not in self.pools["rater"]
        ]
        if absent:
            text = f"in a declared group, but without a rating: {few(absent, 5)}"
            notes.append(Note(text, "group-without-rating"))
        return notes

    def _reversal_note(self):
        notes = []
        for key, role in (("raters", "rater"), ("dimensions", "dimension"), ("items", "item")):
            declared = list(self.config.reversed.get(key, ()))
            absent = [name for name in declared if name not in self.pools[role]]
            if absent:
                raise RatingsError(
                    f"reversed {key} that do not occur: {few(absent, 5)}",
                    f"one of {few(self.names(role))}",
                    "correct [reversed] in raters.toml",
                )
            if declared:
                text = f"reversed on the declared scale: {key} {few(declared, 5)}"
                notes.append(Note(text, "reversed"))
        return notes


def _unread(part):
    """A note on the columns of a file that no declaration names."""
    used = named_columns(part.source) | set(part.column.names)
    unread = [name for name in part.table.names if name not in used]
    if not unread:
        return []
    return [Note(f"{count_of(len(unread), 'column')} not read: {few(unread, 8)}", "unread")]
