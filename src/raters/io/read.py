"""Anyone's files of ratings -> one long frame, by what is declared in `raters.toml`.

Nothing vanishes: a row that cannot be read is a problem with its file, line, value and
reason, and stops the reading unless the user said how many may be left out; what is no
rating by declaration (skipped tasks, previews, empty cells) is counted by reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from raters.errors import RatingsError
from raters.io.config import Config
from raters.io.formats import FORMATS, Limits, Table, detect
from raters.io.formats.base import checked_path
from raters.io.formats.layouts import part_of
from raters.io.joined import SECOND, Joined
from raters.io.notes import SHOWN
from raters.io.reading import Reading
from raters.text import count_of


def read(
    paths: str | Path | Sequence[str | Path],
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
    files = Joined(parts, config)
    problems = files.problems()
    if allowed is not None:
        check_problems(problems, allowed)
    return files.reading(problems)


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


def named_paths(paths: str | Path | Sequence[str | Path]) -> list[tuple[Path, str]]:
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
    second = problems["code"] == SECOND
    kinds = problems["reason"].mask(second, SECOND)
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
