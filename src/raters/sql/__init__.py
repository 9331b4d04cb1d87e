"""Ratings that stay where they are: in files or a database, counted there as patterns.

Items with the same ratings are alike to every coefficient. So a database counts them, and
only the patterns and their counts come back, however many ratings there are.
"""

from __future__ import annotations

import glob
import re
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from raters.errors import RatingsError, install
from raters.frames import COLUMNS, _same_spelling, check_ratings
from raters.matrices import Matrix
from raters.patterns import Counted, distinct_rows
from raters.scale import scale_for
from raters.sql.text_files import look_over

_IDS = COLUMNS[:-1]
_OPTIONAL = ("framework", "dimension", "group")
_FILES = {".parquet": None, ".csv": ",", ".tsv": "\t", ".tab": "\t"}
_DATABASES = (".duckdb", ".ddb", ".db")
_SHOWN = 5
# What str.strip takes from the two ends of an id. TRIM takes spaces only, or is slow.
_SPACE = "[" + "".join(filter(str.isspace, map(chr, range(0x3001)))) + "]"
# A column of the database's answer for each rater (or level): more of them make a query that
# no database plans well, and a matrix of patterns that is mostly empty.
_MOST_COLUMNS = 500
_MOST_DIFFERENT = 1_000_000  # different ratings: more are no ratings
_MOST_CELLS = 100_000_000  # of the matrix of patterns: 800 MB
_MOST_CASES = 1_000  # branches of one CASE expression
# Means of decimals depend in their last bits on the order of the rows, which databases do not
# keep. So many decimals do not.
_DECIMALS = 12


def counted(
    source,
    scale,
    *,
    table: str | None = None,
    raters: Sequence[str] | None = None,
    anonymous: bool | Sequence[str] = False,
    columns: Mapping[str, str] | None = None,
    duplicates: str = "error",
    missing: Sequence = (),
    connection=None,
    separator: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | Path | None = None,
    most_patterns: int = 1_000_000,
) -> Counted:
    """Count the patterns of ratings in files or a database, without loading the ratings.

    Parameters
    ----------
    source : path, list of paths, ibis table or str
        One row a rating, as in `check_ratings`. Parquet, CSV or TSV files (a pattern
        such as ``"part-*.parquet"`` too), the latter in UTF-8 with the names of their
        columns in line 1; a DuckDB file, with `table`; a table expression of ibis, of any
        of its databases; the name of a table of `connection`.
    scale : Scale or mapping
        The declared scale or scales; see `check_ratings`.
    table : str, optional
        The table of a DuckDB file.
    raters : sequence of str, optional
        Whose ratings become columns, in order. Default: all raters by name. The items
        are everybody's, whoever is chosen.
    anonymous : bool or sequence of str
        Groups whose raters are exchangeable, such as a large crowd with a few ratings
        of each item; True for all groups. Their columns are places ``"<group> 1",
        "<group> 2", ...`` with the sorted ratings of an item.
    columns : mapping of str to str, optional
        Our names (``framework, dimension, item, rater, group, rating``) to the
        source's, where they differ. A framework, dimension or group that the source
        lacks becomes ``"all"``.
    duplicates : {"error", "mean"}
        What to do with two ratings of one item by one rater on one dimension. Labels (a
        nominal scale) have no mean.
    missing : sequence
        Codes that stand for "not rated"; see `check_ratings`.
    connection : ibis backend, optional
        Where the table is. Default: the table's own, or for files a DuckDB of its own in
        memory.
    separator : str, optional
        The one character between the fields of text files. Default: a comma in ``.csv``,
        a tab in ``.tsv`` and ``.tab``.
    threads, memory_limit, temp_directory : optional
        Settings of that DuckDB, such as ``2``, ``"4GB"`` and the folder for what does
        not fit into memory (default: a new one, removed at the end).
    most_patterns : int
        Refuse to fetch more patterns than this.

    Returns
    -------
    Counted
        A table of patterns and counts for each framework and dimension, sorted by name;
        the patterns sorted. The order of the rows in the source changes nothing. With
        `anonymous`, the places are named in `Counted.exchangeable`.

    Raises
    ------
    RatingsError
        As in `check_ratings`; a file, table or column that is not there, or is there twice;
        a text file that is no table of one width, with the line; files whose columns differ;
        no rating at all; more raters than columns; more patterns than `most_patterns`; an
        extra that is not installed.

    Notes
    -----
    The database answers five questions in five passes: whether ids have spaces around
    them; the different ratings and the missing ids; the raters and their groups; the number
    of items of each framework; and, by two GROUP BYs, the patterns: by item, with a column
    for each rater, then by these columns. Nothing is written to it. It keeps a row for each
    item and dimension, in its own memory or temporary files. What a rating means is decided
    here, by `check_ratings`, on the
    different ratings: the rules are the same. A missing rating is NULL or NaN; in text
    files also an empty field. Spaces around an id are no part of it.

    Text files are looked over before: every row has as many fields as line 1, and the
    database must find as many rows as there are. A file that mixes kinds of line ends is
    read from a copy in the temporary folder.

    The counts of a table sum to the number of items of its framework: those that nobody
    rated on its dimension are counted as a pattern without a rating. So drawing
    ``multinomial(n, counts / n)`` has the distribution of drawing n items with
    replacement from the frame, exactly: a resample enters every coefficient only
    through how often each pattern occurs in it. Source: Efron and Tibshirani (1993), An
    Introduction to the Bootstrap, section 6.2 and problem 6.2. This holds for each
    table; patterns do not say which ratings of two dimensions belong to one item, so draws
    of two tables are independent of each other.

    Not looked at: with `raters`, duplicates of those who are not chosen. Means of people
    (``between=True``) are rarely alike, so they give many patterns, up to one for each
    item.

    Examples
    --------
    >>> import tempfile
    >>> from raters import Scale
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ratings.csv"
    ...     _ = path.write_text("item,rater,rating\\nx,a,1\\nx,b,2\\ny,b,2\\ny,a,1\\nz,a,2\\n")
    ...     result = counted(path, Scale([1, 2]))
    >>> result.tables[0].values.tolist(), result.tables[0].counts.tolist()
    ([[1.0, 2.0], [2.0, nan]], [2, 1])
    """
    _check_options(duplicates, anonymous, most_patterns)
    _check_names(columns, raters, anonymous, table, separator)
    columns = dict(columns or {})
    settings = {"threads": threads, "memory_limit": memory_limit, "temp_directory": temp_directory}
    settings = {name: value for name, value in settings.items() if value is not None}
    with warnings.catch_warnings(), ExitStack() as stack:
        # ibis 12 calls what DuckDB 2 has given another name.
        warnings.filterwarnings("ignore", "fetch_arrow_table", DeprecationWarning)
        found = _opened(source, table, connection, separator, settings, columns)
        rows = stack.enter_context(found).without_spaces()
        known = _Known.of(rows, scale, missing)
        people = _People.of(rows, known, raters, anonymous)
        plan = _Plan(known.rated(rows), known, people, scale, duplicates, most_patterns)
        return _counted(plan.blocks(), people, scale, rows.items())


def _check_options(duplicates, anonymous, most_patterns):
    if duplicates in ("first", "last"):
        raise RatingsError(
            f"duplicates={duplicates!r} for ratings in files or a database, which have no order",
            "error, mean",
            "remove the extra rows in the source, by a column that says which rating counts",
        )
    if duplicates not in ("error", "mean"):
        raise RatingsError(f"duplicates={duplicates!r}", "error, mean", "name one of these")
    if duplicates == "mean" and anonymous:
        raise RatingsError(
            "duplicates='mean' with anonymous raters",
            "duplicates='error' where ratings are counted and not told apart by rater",
            "take the means in the source, or leave anonymous out",
        )
    whole = isinstance(most_patterns, (int, np.integer)) and not isinstance(most_patterns, bool)
    if not whole or most_patterns < 1:
        raise RatingsError(
            f"most_patterns={most_patterns!r}", "a whole number of 1 or more", "give 1_000_000, say"
        )


def _check_names(columns, raters, anonymous, table, separator):
    if columns is not None and not (
        isinstance(columns, Mapping)
        and all(isinstance(name, str) for pair in columns.items() for name in pair)
    ):
        raise RatingsError(
            f"columns={columns!r}",
            f"a mapping of our names ({', '.join(COLUMNS)}) to the source's",
            "write it as columns={'rater': 'annotator'}",
        )
    names = _names(raters)
    if raters is not None and (not names or len(set(names)) < len(names)):
        raise RatingsError(
            f"raters={raters!r}",
            "a list that names each rater once, as text",
            "give such a list, or leave it out for all raters",
        )
    if not _is_switch(anonymous) and _names(_listed(anonymous)) is None:
        raise RatingsError(
            f"anonymous={anonymous!r}",
            "True, False, or a list of groups as text",
            "name the groups: anonymous=['crowd']; or anonymous=True for all",
        )
    if table is not None and not isinstance(table, str):
        raise RatingsError(f"table={table!r}", "the name of a table, as text", "name it")
    if separator is not None and not (
        isinstance(separator, str) and len(separator) == 1 and separator not in '"\r\n'
    ):
        raise RatingsError(
            f"separator={separator!r}",
            "one character, no quotation mark and no line end",
            "give what stands between two fields: separator=';'",
        )


def _is_switch(anonymous):
    return isinstance(anonymous, (bool, np.bool_))


def _listed(anonymous):
    return [anonymous] if isinstance(anonymous, str) else anonymous


def _names(given):
    """A list of names without spaces around them; None where it is no such list."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        return None
    given = list(given)
    return [name.strip() for name in given] if all(isinstance(n, str) for n in given) else None


def _ibis():
    """The library ibis, or how to get it."""
    try:
        import ibis
    except ImportError as error:
        raise RatingsError(
            f"ratings in files or a database, with {error.name or 'ibis'} not installed",
            "the extra 'sql' of this package (ibis and DuckDB)",
            install("sql"),
        ) from error
    return ibis


# --- where the ratings are ---------------------------------------------------------------


@contextmanager
def _opened(source, table, connection, separator, settings, columns) -> Iterator[_Rows]:
    """The rows under our names; a DuckDB of our own is closed at the end."""
    ibis = _ibis()
    paths = _paths(source, table, connection, ibis)
    if paths is None:
        _only_for_files(settings, table, separator)
        found, connection = _database_table(source, connection, ibis)
        yield _under_our_names(found, connection, _our_names("a source", found.columns, columns))
        return
    try:
        import duckdb
    except ImportError as error:
        raise RatingsError(
            "ratings in files, with duckdb not installed",
            "the extra 'sql' of this package (ibis and DuckDB)",
            install("sql"),
        ) from error
    folder = settings.get("temp_directory")
    folder = folder if folder and Path(folder).is_dir() else None
    with tempfile.TemporaryDirectory(dir=folder) as spilled:
        try:
            own = _connect(paths, {"temp_directory": spilled, **settings}, ibis)
            try:
                yield _rows_of_files(own, paths, table, separator, columns, spilled)
            finally:
                own.disconnect()
        except duckdb.Error as error:
            raise RatingsError(
                f"{_few(paths)}, at which DuckDB stops: {_said(error)}",
                "files and settings that DuckDB can use, large enough for the query",
                "correct the file or the setting that is named; where memory ran out, raise "
                "memory_limit or lower threads",
            ) from error


def _said(error):
    """DuckDB's reason without its advice on options, which are not ours."""
    lines = [line.strip() for line in str(error).strip().splitlines()]
    stop = [n for n, line in enumerate(lines) if n and (not line or line.startswith("Possible"))]
    place = re.search(r"^\s*file = (.+)$", str(error), re.MULTILINE)
    reason = "; ".join(line[:200] for line in lines[: min(stop, default=1)])
    return reason + (f" (in {place[1]})" if place else "")


def _paths(source, table, connection, ibis):
    """The files that are meant; None for a table of ibis or of a connection."""
    if connection is not None and not isinstance(connection, ibis.backends.BaseBackend):
        raise RatingsError(
            f"a connection of type {type(connection).__name__}",
            "a connection that ibis made, such as ibis.duckdb.connect()",
            "let ibis connect; for one of the library duckdb: ibis.duckdb.from_connection(...)",
        )
    if isinstance(source, ibis.Table) or (connection is not None and isinstance(source, str)):
        return None
    several = isinstance(source, (list, tuple)) and source
    given = list(source) if several else [source]
    if connection is not None or not all(isinstance(one, (str, Path)) for one in given):
        kind = "a list" if several else type(source).__name__
        raise RatingsError(
            f"a source of type {kind}" + (", and a connection" if connection is not None else ""),
            "paths of files; a table expression of ibis; a connection and the name of its table",
            "give one of these; a DataFrame needs no database: agreement(frame, scale)",
        )
    paths = [path for one in given for path in _matching(str(one))]
    kinds = sorted({_kind(path) for path in paths})
    if len(kinds) > 1:
        raise RatingsError(
            f"files of several kinds: {', '.join(kinds)}", "files of one kind", "count each alone"
        )
    if (kinds[0] in _DATABASES) != (table is not None) or (kinds[0] in _DATABASES and several):
        raise RatingsError(
            f"the file {paths[0]} with table={table!r}",
            f"one DuckDB file ({', '.join(_DATABASES)}) and a table; other files and no table",
            "name the table of a DuckDB file: table='ratings'; leave it out for other files",
        )
    return paths


def _matching(text):
    """The files of a path or of a pattern of paths, sorted."""
    if Path(text).is_file():
        return [text]
    found = sorted(path for path in glob.glob(text, recursive=True) if Path(path).is_file())
    if found:
        return found
    folder = Path(text).is_dir()
    raise RatingsError(
        f"the folder {text}" if folder else f"{text}, where no file is",
        "local Parquet, CSV, TSV or DuckDB files, or a pattern that fits some",
        f"name the files in it: {text.rstrip('/')}/*.parquet"
        if folder
        else "correct the path; for files elsewhere or a table, give a table expression of ibis",
    )


def _kind(path):
    suffixes = [s.lower() for s in Path(path).suffixes if s.lower() not in (".gz", ".zst")]
    kind = suffixes[-1] if suffixes else ""
    if kind not in _FILES and kind not in _DATABASES:
        raise RatingsError(
            f"the file {path}",
            f"a name that ends in one of {', '.join([*_FILES, *_DATABASES])}",
            "rename it, or give a table expression of ibis",
        )
    return kind


def _few(paths):
    return paths[0] + (f" and {len(paths) - 1} more files" if len(paths) > 1 else "")


def _connect(paths, settings, ibis):
    settings = {name: str(value) for name, value in settings.items()}
    # No order to keep: less memory. No network: nothing is fetched behind the reader's back.
    settings |= {"preserve_insertion_order": "false", "autoinstall_known_extensions": "false"}
    settings |= {"autoload_known_extensions": "false"}
    if _kind(paths[0]) in _DATABASES:
        own = ibis.duckdb.connect(paths[0], read_only=True, **settings)
        # A view of somebody's database, or a table's name, may stand for any file of the machine.
        own.raw_sql("SET enable_external_access = false")
        return own
    return ibis.duckdb.connect(**settings)


def _rows_of_files(own, paths, table, separator, columns, folder):
    kind = _kind(paths[0])
    if _FILES.get(kind):
        return _text_rows(own, paths, separator or _FILES[kind], columns, folder)
    _only_for_files({}, None, separator)
    if kind in _DATABASES:
        found = _named_table(own, table)
        return _under_our_names(found, own, _our_names("a source", found.columns, columns))
    # A path is a name here, not a pattern: DuckDB would read [1] in it as one.
    escaped = [glob.escape(path) for path in paths]
    names = None
    for path, one in zip(paths, escaped):
        found = own.read_parquet([one])
        names = _same_names(names, paths[0], path, found.columns, columns)
        for name in _IDS:
            if name in names:  # decimal numbers in one file would be text beside those of others
                _id(found[names[name]], name)
    if len(paths) > 1:
        # By name, and of the wider type: else DuckDB makes every file what the first one is,
        # and 2.5 in the second a 2 where the first holds whole numbers.
        found = own.read_parquet(escaped, union_by_name=True)
    return _under_our_names(found, own, names)


def _text_rows(own, paths, separator, columns, folder):
    """Text files that were looked over, read as they were found to be."""
    files = [look_over(path, separator, folder) for path in paths]
    alike, names = {}, None
    for one in files:
        found = _same_names(names, paths[0], one.path, one.header, columns)
        names = names or found
        places = tuple(one.header.index(names[name]) for name in names)
        kind = (len(one.header), places, one.spans_lines)
        alike.setdefault(kind, []).append(glob.escape(one.readable))
    parts = []
    for (width, places, spans_lines), readable in alike.items():
        # Everything is said, so that DuckDB guesses nothing: where it guesses the header, it
        # skips rows above it. As text: numbers would lose the digits of long ids and their
        # leading zeros. The kind of line end alone is found by itself.
        part = own.read_csv(
            readable,
            columns={f"c{k}": "VARCHAR" for k in range(width)},
            auto_detect=False,
            header=True,
            delim=separator,
            quote='"',
            escape='"',
            strict_mode=True,
            null_padding=False,
            ignore_errors=False,
            parallel=not spans_lines,
        )
        parts.append(part.select(**{name: part[f"c{k}"] for name, k in zip(names, places)}))
    found = _ibis().union(*parts) if len(parts) > 1 else parts[0]
    return _under_our_names(found, own, {name: name for name in names}, sum(f.rows for f in files))


def _only_for_files(settings, table, separator):
    given = [*settings] + ["table"] * (table is not None) + ["separator"] * (separator is not None)
    if given:
        raise RatingsError(
            f"{', '.join(given)} for a source that has no use for it",
            "threads, memory_limit, temp_directory for files; separator for text files; "
            "table for a DuckDB file",
            "leave it out, or set it on the connection",
        )


def _database_table(source, connection, ibis):
    if isinstance(source, str):
        return _named_table(connection, source), connection
    if connection is not None:
        return source, connection
    try:
        return source, source.get_backend()
    except ibis.common.exceptions.IbisError as error:
        raise RatingsError(
            "a table expression of ibis that belongs to no database",
            "a table of a connection, or a connection beside it",
            "give connection=",
        ) from error


def _named_table(connection, name):
    try:
        return connection.table(name)
    except _ibis().common.exceptions.TableNotFound as error:
        raise RatingsError(
            f"the table {name!r}",
            "the name of a table of the connection",
            "correct the name, or give connection.table(...) for a table of another schema",
        ) from error


# --- the rows under our names ------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """The ratings as an ibis table with our columns, and how a question is asked."""

    table: object
    connection: object
    number: int | None = None  # of rows, where it is known

    def ask(self, query):
        """The answer as an Arrow table."""
        return self.connection.to_pyarrow(query)

    def size(self, query):
        """How many rows an answer would have."""
        return int(self.connection.to_pyarrow(query.count()).as_py())

    def without_spaces(self):
        """The rows with ids as they are without spaces around them; an empty id is none.

        Looked for first: taking them away in every pass costs as much as the rest.
        """
        ids = {name: self.table[name] for name in _IDS}
        ids = {name: column for name, column in ids.items() if column.type().is_string()}
        around = f"^{_SPACE}|{_SPACE}$"
        spaced = {name: column.re_search(around).max() for name, column in ids.items()}
        found = self.ask(self.table.aggregate(**spaced)).to_pylist()[0]
        taken = {
            name: ids[name].re_replace(f"^{_SPACE}+|{_SPACE}+$", "") if found[name] else ids[name]
            for name in ids
        }
        taken = {name: column.nullif("") for name, column in taken.items()}
        return replace(self, table=self.table.mutate(**taken))

    def items(self):
        """The number of items of each framework, whoever rated them."""
        items = self.table.select("framework", "item").distinct()
        answer = self.ask(items.group_by("framework").agg(n=items.count()))
        return {row["framework"]: row["n"] for row in answer.to_pylist()}


def _our_names(where, available, columns):
    """Our names to those of a source's columns, of the columns that are there."""
    unknown = [name for name in columns if name not in COLUMNS]
    theirs = {name: columns.get(name, name) for name in COLUMNS}
    absent = [
        name
        for name in COLUMNS
        if theirs[name] not in available and (name in columns or name not in _OPTIONAL)
    ]
    if unknown or absent:
        other = re.search(r"[;,|\t]", available[0]) if len(available) == 1 else None
        todo = f"say what they are called: columns={{{(absent or [''])[0]!r}: ...}}"
        if unknown:
            todo = f"use our names on the left: {', '.join(COLUMNS)}"
        elif other:
            todo = f"if {other[0]!r} stands between the fields: separator={other[0]!r}"
        raise RatingsError(
            f"{where} with the columns {list(available)} and columns={columns!r}",
            "columns for item, rater and rating (framework, dimension and group are optional)",
            todo,
        )
    names = {name: their for name, their in theirs.items() if their in available}
    twice = [their for their in names.values() if list(available).count(their) > 1]
    if twice:
        raise RatingsError(
            f"{where} with more than one column called {twice[0]!r}",
            "one column for each name",
            "rename or remove the others",
        )
    return names


def _same_names(names, first, path, available, columns):
    """The names of a file's columns, which must be those that the first file has."""
    found = _our_names(f"the file {path}", available, columns)
    if names is not None and set(names) != set(found):
        only = sorted(set(names) ^ set(found))[0]
        there, absent = (first, path) if only in names else (path, first)
        raise RatingsError(
            f"the file {there} with a column for {only}, and the file {absent} without",
            "the same columns in all files",
            "add the column, or count the files apart",
        )
    return found


def _under_our_names(table, connection, names, number=None):
    ours = {name: _id(table[names[name]], name) if name in names else _all() for name in _IDS}
    rating = _rating(table[names["rating"]])
    return _Rows(table.select(**ours, rating=rating), connection, number)


def _all():
    return _ibis().literal("all")


def _id(column, name):
    kind = column.type()
    if kind.is_floating() or (kind.is_decimal() and kind.scale != 0):
        raise RatingsError(
            f"the column {column.get_name()} of {kind} numbers as {name}",
            "ids as text or as whole numbers: long ids lose digits as decimals",
            "store or cast the column as text",
        )
    if kind.is_boolean():  # written as Python writes it
        return _ibis().cases((column, "True"), (~column, "False"))
    return column.cast("string")


def _rating(column):
    ibis, kind = _ibis(), column.type()
    if not (kind.is_string() or kind.is_numeric() or kind.is_boolean() or kind.is_null()):
        raise RatingsError(
            f"the column {column.get_name()} of {kind} as rating",
            "numbers, text or truth values",
            "say which column holds the ratings: columns={'rating': ...}; or cast it as text",
        )
    if kind.is_boolean():
        return ibis.cases((column, "True"), (~column, "False"))
    if kind.is_decimal():
        return column.cast("float64")
    if kind.is_floating():
        return ibis.ifelse(column.isnan(), ibis.null(kind), column)
    return column


# --- what the ratings mean ---------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """The different ratings and their values: dimension by dimension, NaN where missing."""

    values: dict
    ratings: tuple

    @classmethod
    def of(cls, rows, scale, missing):
        codes = [missing] if isinstance(missing, (str, bytes)) else missing
        codes = list(codes) if isinstance(codes, Iterable) else [codes]
        found = _different(rows)
        ids = found.assign(item=range(len(found)), rater="any")
        try:
            checked = check_ratings(ids, scale, missing=codes)
        except RatingsError:
            _refuse_with_places(rows, found, scale, codes)
            raise
        values = {}
        for framework, dimension, rating, value in zip(
            checked["framework"], checked["dimension"], found["rating"], checked["rating"]
        ):
            values.setdefault((framework, dimension), {})[rating] = value
        ratings = tuple(sorted(found.loc[found["rating"].notna(), "rating"].unique()))
        return cls(values, ratings)

    def rated(self, rows):
        """The rows with NULL for every missing rating: codes for them are the same everywhere."""
        found = {pair for known in self.values.values() for pair in known.items()}
        codes = sorted({rating for rating, v in found if rating is not None and np.isnan(v)})
        if not codes:
            return rows
        rating = rows.table["rating"]
        without = _ibis().ifelse(rating.isin(codes), _ibis().null(rating.type()), rating)
        return replace(rows, table=rows.table.mutate(rating=without))

    def value(self, framework, dimension, rating):
        """The value of a rating; NaN for none."""
        return self.values[framework, dimension].get(rating, np.nan)


def _different(rows):
    """The different ratings of each dimension with their numbers, ids checked on the way."""
    table = rows.table
    keys = ["framework", "dimension", "rating"]
    absent = {f"no_{name}": table[name].isnull().sum() for name in ("item", "rater", "group")}
    query = table.group_by(keys).agg(n=table.count(), **absent)
    answer = rows.ask(query.limit(_MOST_DIFFERENT + 1))
    if answer.num_rows > _MOST_DIFFERENT:
        raise RatingsError(
            f"{rows.size(query):,} different ratings",
            f"at most {_MOST_DIFFERENT:,}",
            "say which column holds the ratings: columns={'rating': ...}; round means",
        )
    columns = {name: answer[name].to_pylist() for name in answer.column_names}
    number = sum(columns["n"])
    if rows.number not in (None, number):
        raise RatingsError(
            f"text files with {rows.number:,} rows, of which DuckDB reads {number:,}",
            "files that two readers understand in the same way and that nobody changes meanwhile",
            "write the files anew as plain CSV, or as Parquet",
        )
    if not number:
        raise RatingsError("no rating at all", "one rating or more", "check what was written")
    for name in ("framework", "dimension"):
        columns[f"no_{name}"] = [n * (v is None) for n, v in zip(columns["n"], columns[name])]
    for name in _IDS:
        without = sum(columns[f"no_{name}"])
        if without:
            raise RatingsError(
                f"no {name} in {without:,} row{'s' * (without > 1)}",
                f"an id in the column {name} in every row",
                "fill it in, or leave the rows out",
            )
    answers = sorted(
        zip(*(columns[name] for name in [*keys, "n"])), key=lambda row: tuple(map(str, row))
    )
    return pd.DataFrame(answers, columns=[*keys, "n"], dtype=object)


def _refuse_with_places(rows, found, scale, codes):
    """The error of `check_ratings` for ratings off the scale, with the items they are of."""
    wrong = [
        row
        for row in found[found["rating"].notna()].itertuples()
        if np.isnan(scale_for(scale, row.framework, row.dimension).value_of(row.rating))
        and not any(_same_spelling(row.rating, code) for code in codes)
    ]
    if not wrong:
        return
    table = rows.table
    alike = [
        (table["framework"] == row.framework)
        & (table["dimension"] == row.dimension)
        & (table["rating"] == row.rating)
        for row in wrong[:_SHOWN]
    ]
    places = table.filter(_ibis().or_(*alike)).order_by(_IDS).limit(_SHOWN)
    places = pd.DataFrame(rows.ask(places).to_pylist(), columns=COLUMNS).astype(object)
    more = sum(row.n for row in wrong) - len(places)
    try:
        check_ratings(places, scale)
    except RatingsError as error:
        given = error.given + (f" and {more:,} more" if more else "")
        raise RatingsError(given, error.allowed, error.todo) from None


# --- who rated ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _People:
    """The raters that become columns, and the groups whose raters are exchangeable."""

    named: tuple[str, ...]
    groups: dict
    anonymous: tuple[str, ...]
    everybody: bool

    @classmethod
    def of(cls, rows, known, raters, anonymous):
        some = [] if _is_switch(anonymous) else _names(_listed(anonymous))
        names = _group_names(rows) if anonymous else []
        unknown = [name for name in some if name not in names]
        if unknown:
            raise RatingsError(
                f"the anonymous groups {unknown}",
                f"groups of the source: {names}",
                "name some of these, or anonymous=True",
            )
        hidden = tuple(names) if _is_switch(anonymous) else tuple(sorted(set(some)))
        raters = _names(raters)
        found = _people(rows, hidden, raters)
        order = sorted(found) if raters is None else raters
        absent = [name for name in order if name not in found]
        if absent:
            raise RatingsError(
                f"the raters {absent[:_SHOWN]}",
                "raters of the source" + (" whose groups are not anonymous" if hidden else ""),
                "name raters that are in the source",
            )
        _not_too_many(len(order) + len(hidden) * len(known.ratings), hidden)
        return cls(tuple(order), {name: found[name] for name in order}, hidden, raters is None)


def _group_names(rows):
    names = rows.table.select("group").distinct().order_by("group").limit(_MOST_COLUMNS + 1)
    return sorted(rows.ask(names)["group"].to_pylist())


def _people(rows, hidden, raters):
    """Rater to group, of those who become columns; nobody is in two groups."""
    table = rows.table
    people = table.group_by("rater").agg(low=table["group"].min(), high=table["group"].max())
    two = people["low"] != people["high"]
    wanted = ~people["low"].isin(hidden) if hidden else _ibis().literal(True)
    if raters is not None:
        wanted = wanted & people["rater"].isin(raters)
    query = people.filter(two | wanted).order_by(two.desc(), "rater")
    found = rows.ask(query.limit(_MOST_COLUMNS + 1)).to_pylist()
    if found and found[0]["low"] != found[0]["high"]:
        rater = found[0]["rater"]
        groups = table.filter(table["rater"] == rater).select("group").distinct()
        names = sorted(rows.ask(groups)["group"].to_pylist())
        raise RatingsError(
            f"rater {rater} is in the groups {', '.join(names)}",
            "one group for each rater",
            "give the rater one group, or two names",
        )
    if len(found) > _MOST_COLUMNS:
        _not_too_many(rows.size(query), hidden)
    return {row["rater"]: row["low"] for row in found}


def _not_too_many(columns, hidden):
    if columns > _MOST_COLUMNS:
        what = "raters, or levels of anonymous groups," if hidden else "raters"
        raise RatingsError(
            f"{columns:,} {what} to be columns",
            f"at most {_MOST_COLUMNS}",
            "choose some with raters=[...], or say whose identity does not matter: "
            "anonymous=['crowd'] or anonymous=True",
        )


# --- the two GROUP BYs -------------------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """The patterns of one dimension: a matrix of values for each part, a row a pattern.

    A part is the named raters (None) or an anonymous group.
    """

    framework: str
    dimension: str
    parts: dict
    counts: np.ndarray


@dataclass(frozen=True)
class _Plan:
    """How the patterns are asked for, and read."""

    rows: _Rows
    known: _Known
    people: _People
    scale: object
    duplicates: str
    most: int

    def blocks(self):
        """Patterns of each dimension alone: one query for all."""
        answer = self._ask()
        names = answer.select(["framework", "dimension"]).to_pandas()
        places = names.groupby(["framework", "dimension"], sort=True).indices
        for (framework, dimension), here in sorted(places.items()):
            part = answer.take(here)
            parts = self._read(part, framework, dimension)
            yield _Block(framework, dimension, parts, part["count"].to_numpy())

    def _chosen(self):
        table = self.rows.table
        if self.people.everybody:
            return table
        hidden = table["group"].isin(self.people.anonymous) if self.people.anonymous else False
        return table.filter(table["rater"].isin(self.people.named) | hidden)

    def _ask(self):
        """By item, with a column for each rater or anonymous level; then by these columns."""
        rows, keys = self._chosen(), ["framework", "dimension"]
        self._only_means_of_numbers(rows)
        cells = self._named_cells(rows) | self._level_cells(rows)
        by_item = rows.group_by([*keys, "item"]).agg(**cells, **self._again(rows))
        patterns = by_item.group_by([*keys, *cells]).agg(
            count=by_item.count(), again=self._surplus(by_item, cells)
        )
        most = min(self.most, _MOST_CELLS // max(len(cells), 1))
        answer = self.rows.ask(patterns.limit(most + 1))
        if answer.num_rows > most:
            self._refuse_so_many(self.rows.size(patterns), most)
        if answer.num_rows and max(answer["again"].to_pylist()) > 0:
            self._refuse_duplicates(rows)
        return answer

    def _named_cells(self, rows):
        rating = self._means(rows).mean if self.duplicates == "mean" else rows["rating"].max
        return {
            f"r{k}": rating(where=rows["rater"] == name) for k, name in enumerate(self.people.named)
        }

    def _level_cells(self, rows):
        return {
            f"g{j}_{k}": ((rows["group"] == group) & (rows["rating"] == rating)).ifelse(1, 0).sum()
            for j, group in enumerate(self.people.anonymous)
            for k, rating in enumerate(self.known.ratings)
        }

    def _only_means_of_numbers(self, rows):
        """Labels have no mean: two of them on a nominal scale are refused."""
        nominal = [
            (rows["framework"] == framework) & (rows["dimension"] == dimension)
            for framework, dimension in self.known.values
            if scale_for(self.scale, framework, dimension).measurement == "nominal"
        ]
        if self.duplicates != "mean" or not nominal:
            return
        twice = self._twice(rows.filter(_ibis().or_(*nominal)))
        found = self.rows.ask(twice.order_by(["framework", "dimension"]).limit(1)).to_pylist()
        if found:
            raise RatingsError(
                f"duplicates='mean' on {found[0]['dimension']}, whose scale is nominal",
                "duplicates='error': labels have no mean",
                "remove the extra rows in the source",
            )

    def _means(self, rows):
        """The value of each rating, to be averaged by the database."""
        values = {}
        for known in self.known.values.values():
            for rating, value in known.items():
                if rating is not None and not np.isnan(value):
                    values.setdefault(rating, set()).add(value)
        one = {rating: next(iter(found)) for rating, found in values.items() if len(found) == 1}
        usable = len(one) == len(values) and np.isfinite(list(one.values())).all()
        text = rows["rating"].type().is_string()
        same = not text and all(float(rating) == value for rating, value in one.items())
        if not usable or not (same or len(one) <= _MOST_CASES):
            raise RatingsError(
                "duplicates='mean' for ratings that are answers outside the levels, have "
                f"different values on different dimensions, or are more than {_MOST_CASES} texts",
                "ratings with one finite value each",
                "take the means in the source, or count the dimensions one by one",
            )
        if not one:
            return _ibis().null("float64")
        if same:
            return rows["rating"].cast("float64")
        return _ibis().cases(*((rows["rating"] == rating, value) for rating, value in one.items()))

    def _again(self, rows):
        """What shows that a rater rated an item twice: ratings, and who gave them."""
        if self.duplicates == "mean":
            return {}
        rated = rows["rating"].notnull()
        number = {"number": rated.ifelse(1, 0).sum()}
        if self.people.anonymous:
            number["different"] = rows["rater"].nunique(where=rated)
        return number

    def _surplus(self, by_item, cells):
        """Ratings of an item beyond one for each rater."""
        if self.duplicates == "mean":
            return by_item.count() * 0
        if self.people.anonymous:
            return (by_item["number"] - by_item["different"]).max()
        there = [by_item[cell].notnull().ifelse(1, 0) for cell in cells]
        return (by_item["number"] - sum(there[1:], there[0])).max()

    def _refuse_so_many(self, number, most):
        raise RatingsError(
            f"{number:,} different patterns of ratings",
            f"at most {most:,}",
            "choose fewer raters, round ratings between levels, or raise most_patterns= as "
            "far as memory goes",
        )

    def _twice(self, rows):
        """Who rated an item more than once. A row without a rating is none."""
        rows = rows.filter(rows["rating"].notnull())
        groups = rows.group_by(_IDS[:4]).agg(n=rows.count())
        return groups.filter(groups["n"] > 1)

    def _refuse_duplicates(self, rows):
        twice = self._twice(rows)
        number = self.rows.size(twice)
        found = self.rows.ask(twice.order_by(_IDS[:4]).limit(_SHOWN)).to_pylist()
        places = [f"item {r['item']} by {r['rater']} on {r['dimension']}" for r in found]
        more = f" and {number - _SHOWN:,} more" if number > _SHOWN else ""
        raise RatingsError(
            "more than one rating of " + "; ".join(places) + more,
            "one rating of an item by a rater on a dimension",
            "remove the extra rows in the source, or take their mean: duplicates='mean'",
        )

    def _read(self, answer, framework, dimension):
        """Values from the cells of one dimension: a matrix for each part."""
        named = [
            self._values(answer[f"r{k}"], framework, dimension)
            for k in range(len(self.people.named))
        ]
        parts = {None: np.array(named).reshape(len(named), answer.num_rows).T}
        values = [self.known.value(framework, dimension, r) for r in self.known.ratings]
        for j, group in enumerate(self.people.anonymous):
            counts = [answer[f"g{j}_{k}"].to_numpy() for k in range(len(values))]
            counts = np.array(counts, int).reshape(len(values), answer.num_rows).T
            parts[group] = _slots(counts, np.array(values))
        return parts

    def _values(self, column, framework, dimension):
        if self.duplicates == "mean":
            values = column.to_numpy().astype(float)
            levels = np.array(list(self.known.values[framework, dimension].values()))
            whole = not np.any(levels[np.isfinite(levels)] % 1)
            return values if whole else np.round(values, _DECIMALS)
        column = column.combine_chunks().dictionary_encode()
        known = [self.known.value(framework, dimension, r) for r in column.dictionary.to_pylist()]
        places = column.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
        return np.array([*known, np.nan])[places]


def _slots(counts, values):
    """Sorted ratings from the number of ratings of each level.

    `counts` is (patterns, levels); the result (patterns, most ratings), NaN where there
    are no more.
    """
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    ends = np.cumsum(counts[:, order], axis=1)
    most = int(ends[:, -1].max()) if ends.size else 0
    known = np.append(values[order], np.nan)
    return (
        np.array([known[(ends <= slot).sum(axis=1)] for slot in range(most)])
        .reshape(most, len(counts))
        .T
    )


# --- from blocks to tables ---------------------------------------------------------------


def _counted(blocks, people, scale, items):
    blocks = [_with_everybodys_items(block, items) for block in blocks]
    width = {
        group: max((block.parts[group].shape[1] for block in blocks), default=0)
        for group in people.anonymous
    }
    places = {f"{group} {k + 1}": group for group in width for k in range(width[group])}
    taken = [name for name in places if name in people.groups]
    if taken or len(places) < sum(width.values()):
        raise RatingsError(
            f"the name of a place, {(taken or list(places))[0]!r}, which somebody else has",
            "raters and groups whose names do not run into the places' names",
            "rename the rater or the group in the source",
        )
    names = people.named + tuple(places)
    groups = people.groups | places
    found = tuple(_table(block, width, names, scale) for block in blocks)
    if people.anonymous:
        return Counted(found, groups, tuple(places))
    return Counted(found, groups)


def _with_everybodys_items(block, items):
    """Equal patterns counted together, sorted, with the items that nobody here rated."""
    widths = np.cumsum([values.shape[1] for values in block.parts.values()])
    values = np.hstack(list(block.parts.values()))
    rest = items[block.framework] - int(block.counts.sum())
    values = np.vstack([values, np.full((1 if rest else 0, values.shape[1]), np.nan)])
    counts = np.append(block.counts, [rest] if rest else []).astype(np.int64)
    if values.shape[1]:
        values, counts = distinct_rows(values, counts)
    else:  # no column: nobody rated anything
        values, counts = values[:1], np.array([counts.sum()])
    parts = dict(zip(block.parts, np.split(values, widths[:-1], axis=1)))
    return _Block(block.framework, block.dimension, parts, counts)


def _table(block, width, names, scale):
    """The table of a block, the places of a group as many as anywhere."""
    padded = [
        np.pad(
            values,
            ((0, 0), (0, width.get(part, values.shape[1]) - values.shape[1])),
            constant_values=np.nan,
        )
        for part, values in block.parts.items()
    ]
    declared = scale_for(scale, block.framework, block.dimension)
    return Matrix(
        block.framework, block.dimension, (), names, np.hstack(padded), declared, block.counts
    )
