"""Anyone's files of ratings -> one long frame, by what is declared in `raters.toml`.

Nothing vanishes: a row that cannot be read is a problem with its file, line, value and
reason, and stops the reading unless the user said how many may be left out; what is no
rating by declaration (skipped tasks, previews, empty cells) is counted by reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.io.answers import Rule, order_effect, parse, settle_pairs
from raters.io.config import Config
from raters.io.formats import FORMATS, Limits, Table, detect
from raters.io.formats.base import checked_path
from raters.io.formats.cells import named_level, read_cell
from raters.io.formats.layouts import part_of
from raters.io.notes import (
    SHOWN,
    answer_notes,
    lost_digits,
    nearly_same,
    overlap_notes,
    range_notes,
)
from raters.scale import Scale
from raters.text import count_of, few, shorten

COLUMNS = ["dimension", "item", "rater", "group", "rating", "file", "line"]
PROBLEMS = ["file", "line", "column", "value", "reason"]


@dataclass(frozen=True)
class Reading:
    """What was read, and what was not and why.

    Parameters
    ----------
    ratings : DataFrame
        The columns ``dimension, item, rater, group, rating, file, line``, ready for
        `raters.measures`; a missing rating is NaN. `rating` holds numbers on a numeric
        scale, names of levels on others.
    scale : Scale or dict of str to Scale
        The declared scale, by dimension where there are several.
    problems : DataFrame
        Rows that could not be read and were left out: ``file, line, column, value, reason``.
    left_out : DataFrame
        What is no rating: ``file, reason, n``.
    missing : DataFrame
        Missing ratings by how they were written: ``file, cell, n``.
    answers : DataFrame
        Free-text answers of judges: ``file, rater, kind, code, n`` with the kinds parsed,
        refused, missing and unreadable.
    pairs : DataFrame
        Verdicts on pairs in both orders, as `raters.io.answers.settle_pairs` returns them.
    files : DataFrame
        ``file, format, rows, ratings``.
    notes : tuple of str
        What a reader of the result has to be told.
    config : Config
        What was declared.
    """

    ratings: pd.DataFrame
    scale: Scale | dict[str, Scale]
    problems: pd.DataFrame
    left_out: pd.DataFrame
    missing: pd.DataFrame
    answers: pd.DataFrame
    pairs: pd.DataFrame
    files: pd.DataFrame
    notes: tuple[str, ...]
    config: Config

    @property
    def counts(self) -> dict:
        """What was read, in numbers; items, raters, dimensions, ratings, missing, dropped."""
        rated = self.ratings["rating"].notna()
        kinds = self.answers.groupby("kind")["n"].sum().to_dict() if len(self.answers) else {}
        return {
            "files": len(self.files),
            "items": int(self.ratings["item"].nunique()),
            "raters": int(self.ratings["rater"].nunique()),
            "dimensions": int(self.ratings["dimension"].nunique()),
            "ratings": int(rated.sum()),
            "missing": int((~rated).sum()),
            "dropped": len(self.problems),
            "left_out": int(self.left_out["n"].sum()),
            "answers": {kind: int(n) for kind, n in kinds.items()},
        }

    def to_dict(self) -> dict:
        """Everything but the ratings, for machines."""
        tables = ("problems", "left_out", "missing", "answers", "files")
        records = {name: getattr(self, name).to_dict("records") for name in tables}
        return {"counts": self.counts, "notes": list(self.notes)} | records

    def __repr__(self):
        return str(self)

    def __str__(self):
        counts = self.counts
        lines = [
            f"{count_of(counts['ratings'], 'rating')} of {count_of(counts['items'], 'item')} by "
            f"{count_of(counts['raters'], 'rater')} on "
            f"{count_of(counts['dimensions'], 'dimension')}; "
            f"{counts['missing']:,} missing, {counts['dropped']:,} dropped"
        ]
        return "\n".join([*lines, *(f"- {note}" for note in self.notes)])


def read(
    paths,
    config: Config | str | Path,
    drop_at_most: int | None = None,
    limits: Limits | None = None,
) -> Reading:
    """Read files of ratings as declared.

    Parameters
    ----------
    paths : str, Path or sequence of them
        The files. Each is read by the first ``[[files]]`` table that fits its name.
    config : Config, str or Path
        What is declared, or the path of a `raters.toml`.
    drop_at_most : int, optional
        How many rows that cannot be read may be left out. Default: what the config says,
        which is none unless somebody changed it.
    limits : Limits, optional
        How long a line and how big a document may be.

    Returns
    -------
    Reading

    Raises
    ------
    RatingsError
        A file or column that is not there, a damaged file, no declared scale, or more rows
        that cannot be read than may be dropped: the message lists them, and its attribute
        ``problems`` is the whole table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from raters.io.config import ScaleRules, Source
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,ann,bob\\nx,1,2\\ny,3,\\n")
    >>> config = Config([Source(layout="wide-by-rater", item="item")], ScaleRules([1, 2, 3]))
    >>> reading = read(path, config)
    >>> reading.ratings[["item", "rater", "rating"]].to_numpy().tolist()
    [['x', 'ann', 1.0], ['x', 'bob', 2.0], ['y', 'ann', 3.0], ['y', 'bob', nan]]
    """
    config = config if isinstance(config, Config) else Config.load(config)
    allowed = config.drop_at_most if drop_at_most is None else drop_at_most
    return read_named(named_paths(paths), config, allowed, limits or Limits())


def read_named(
    paths: Sequence[tuple[Path, str]],
    config: Config,
    allowed: int | None,
    limits: Limits,
    tables: Mapping[str, Table] | None = None,
) -> Reading:
    """Read files under their short names, perhaps from tables that are in memory already.

    Parameters
    ----------
    paths : sequence of (Path, str)
        As `named_paths` returns them.
    config : Config
    allowed : int or None
        How many rows that cannot be read may be left out; None: any number.
    limits : Limits
    tables : mapping of str to Table, optional
        Files, by short name, that were loaded as `config` declares. They stay as they are.

    Returns
    -------
    Reading

    Raises
    ------
    RatingsError
        As `read`.
    """
    parts = [
        part_of(
            path, name, _completed(path, config.source_of(name)), limits, (tables or {}).get(name)
        )
        for path, name in paths
    ]
    whole = _Whole(parts, config)
    problems = whole.problems()
    if allowed is not None:
        check_problems(problems, allowed)
    return whole.reading(problems)


def check_problems(problems: pd.DataFrame, allowed: int) -> None:
    """Stop where more rows cannot be read than may be left out.

    Parameters
    ----------
    problems : DataFrame
        As in `Reading`.
    allowed : int

    Raises
    ------
    RatingsError
        It lists them; its attribute ``problems`` is the whole table.
    """
    if len(problems) > allowed:
        raise _too_many(problems, allowed)


def named_paths(paths) -> list[tuple[Path, str]]:
    """The files with short names: the file's own name where no other one has it.

    Parameters
    ----------
    paths : str, Path or sequence of them

    Returns
    -------
    list of (Path, str)

    Raises
    ------
    RatingsError
        No file, a file twice, a file that cannot be read.
    """
    if isinstance(paths, (str, Path)):
        paths = [paths]
    paths = [checked_path(path) for path in paths]
    if not paths:
        raise RatingsError("no file", "one file or more", "name the files with the ratings")
    twice = [path for path, n in Counter(p.resolve() for p in paths).items() if n > 1]
    if twice:
        raise RatingsError(
            f"the file {twice[0].name} twice", "each file once", "name each file once"
        )
    own = Counter(path.name for path in paths)
    return [(path, path.name if own[path.name] == 1 else str(path)) for path in paths]


def _completed(path, source):
    """The source with the format found by content and the columns that the format knows."""
    name = source.format or detect(path, source)
    known = FORMATS[name].columns
    given = {role: getattr(source, role) or known.get(role, "") for role in ("item", "rating")}
    if not (source.rater or source.rater_is or source.rater_from_file):
        given["rater"] = known.get("rater", "")
        # Formats without a rater hold one person's work in each file.
        if known and not given["rater"]:
            given["rater_from_file"] = "{rater}.*"
    if not (source.dimension or source.dimension_is):
        given["dimension"] = known.get("dimension", "")
    return replace(source, format=name, **given)


def _too_many(problems, allowed):
    # Each second rating has a reason of its own: they are one kind.
    second = problems["reason"].str.startswith(_SECOND)
    kinds = problems["reason"].where(~second, _SECOND)
    groups = problems.groupby(["file", kinds], sort=False)
    shown = []
    for (file, _), rows in list(groups)[:SHOWN]:
        reason = rows["reason"].iloc[0]
        places = [
            f"line {row.line}"
            + (f" column {row.column}" if row.column else "")
            + (f" ({row.value!r})" if row.value else "")
            for row in rows.head(3).itertuples()
        ]
        more = f" and {len(rows) - 3:,} more" if len(rows) > 3 else ""
        shown.append(f"{file} {', '.join(places)}{more}: {reason}")
    more = f"; and {groups.ngroups - SHOWN} other reasons" if groups.ngroups > SHOWN else ""
    twice = ", duplicates = 'first' or 'last'" if second.any() else ""
    error = RatingsError(
        f"{count_of(len(problems), 'row')} that cannot be read: " + "; ".join(shown) + more,
        f"rows that fit the declared columns and scale; {allowed} may be dropped",
        "correct the rows, declare what they mean in raters.toml (missing, recode, outside, "
        f"leave_out{twice}), or say how many may be dropped: drop_at_most = {len(problems)}",
    )
    error.problems = problems
    return error


_SECOND = "a second rating of item"

LAYOUT_WORDS = {
    "long": "a row a rating",
    "wide-by-rater": "a row an item, a column a rater",
    "wide-by-item": "a row a rater, a column an item",
    "wide-by-dimension": "a row an item and rater, a column a dimension",
    "wide-by-name": "columns with ratings whose names say more",
}


def _read_cells(part, config):
    """The rating of each row: every different cell is read once."""
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
            part.found.append((None, "bad", "", "no dimension"))
            continue
        if judge:
            systems = [one.names[n - 1] if n else "" for one, n in zip(order, stood)]
            value, state, code, reason = _judged(text, judge[dimension - 1], systems, rule)
        else:
            value, state, reason = read_cell(text, rule, part.source.decimal)
            code = ""
        if turned and state == "ok" and value not in rule.scale.outside:
            value = rule.reverse(value)
        part.found.append((value, state, code, reason))


def _judge_rules(part, config, names) -> list[Rule]:
    if part.order:
        labels = config.answers.get("labels", {}) if config.answers.get("kind") == "pair" else {}
        return [Rule(config.rules_of(name).scale, "pair", labels=labels) for name in names]
    if part.source.answers:
        return [config.answer_rule(name, part.source.decimal) for name in names]
    return []


def _judged(text, rule, systems, rules):
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


# ------------------------------------------------------------------------- all files
class _Whole:
    """All files together: the rows as codes, the problems, the counts."""

    def __init__(self, parts, config):
        self.parts, self.config = parts, config
        self.pools = {role: {} for role in ("item", "rater", "dimension", "group")}
        for part in parts:
            _read_cells(part, config)
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

    def names(self, role):
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
            self.reason |= dict.fromkeys(np.flatnonzero(bad & (self.state != "bad")), f"no {role}")
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
        return f"a second rating of item {item} by {rater} ({same}); the first: {where}"

    def problems(self) -> pd.DataFrame:
        rows = []
        for part in self.parts:
            rows += [(part.name, *problem) for problem in part.table.problems]
        bad = np.flatnonzero(self.state == "bad")
        starts = np.cumsum([0] + [len(part.lines) for part in self.parts])
        for row in bad:
            part = self.parts[self.file[row]]
            own = row - starts[self.file[row]]
            cell = part.cells.codes[own]
            value = "" if cell < 0 else shorten(part.cells.names[cell])
            column = part.where(own) + part.column.names[part.column.codes[own]]
            reason = self.reason.get(row) or self.found[self.keys[row]][3]
            rows.append((part.name, int(self.lines[row]), column, value, reason))
        frame = pd.DataFrame(rows, columns=PROBLEMS).astype({"line": np.int64})
        order = {part.name: place for place, part in enumerate(self.parts)}
        return frame.sort_values(
            ["file", "line"], key=lambda c: c.map(order) if c.name == "file" else c, kind="stable"
        ).reset_index(drop=True)

    def reading(self, problems) -> Reading:
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
        empty = settle_pairs(pd.DataFrame(columns=["item", "rater", "dimension"]))
        if not verdict.any():
            return frame, empty, []
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
            notes.append(
                f"{rater}: {effect['n_inconsistent']} of {effect['n_pairs']} pairs change their "
                f"result with the order and count as ties; {effect['share_of_first']:.0%} of "
                f"{effect['n_decisive']} verdicts without ties are for the first position"
            )
            if effect["n_one_order"]:
                notes.append(f"{rater}: {effect['n_one_order']} pairs in one order only: no rating")
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
            before = f"{part.name}: " if len(self.parts) > 1 else ""
            title = FORMATS[part.source.format].title
            notes += [f"{before}{title}; {LAYOUT_WORDS[part.source.layout]}"]
            notes += [f"{before}{note}" for note in part.table.notes]
        notes += [f"{row.file}: {row.n} left out: {row.reason}" for row in left_out.itertuples()]
        notes += [
            f"{row.file}: {row.n} missing ({row.cell})"
            for row in missing.itertuples()
        ]  # fmt: skip
        notes += answer_notes(answers)
        if len(problems):
            places = ", ".join(
                f"{r.file} line {r.line} ({r.reason})" for r in problems.head(SHOWN).itertuples()
            )
            more = " and more" if len(problems) > SHOWN else ""
            notes.append(f"{count_of(len(problems), 'row')} dropped: {places}{more}")
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
            notes.append(f"in no declared group, so in 'other': {few(list(others), 5)}")
        absent = [
            name
            for names in self.config.groups.values()
            for name in names
            if not set("*?[") & set(name) and name not in self.pools["rater"]
        ]
        if absent:
            notes.append(f"in a declared group, but without a rating: {few(absent, 5)}")
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
                notes.append(f"reversed on the declared scale: {key} {few(declared, 5)}")
        return notes
