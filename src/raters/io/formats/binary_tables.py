"""Excel workbooks and Parquet files. Their libraries are extras, imported when needed."""

from __future__ import annotations

import datetime
import fnmatch
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import RatingsError, install
from raters.io.formats.base import (
    BEFORE_HEADER,
    EMPTY_ROW,
    EXTRA_HEADER,
    FIELDS,
    SHEET,
    Limits,
    Rows,
    Table,
    cell,
    header_names,
    header_notes,
)
from raters.io.notes import Note
from raters.text import few

if TYPE_CHECKING:
    from raters.io.config import Source


def _missing(extra, library, error):
    return RatingsError(
        f"a file that needs the library {library}, which is not installed",
        f'the extra "{extra}" of this package',
        install(extra),
    )


def load_excel(path: Path, source: Source, needed: Collection[str] | None, limits: Limits) -> Table:
    """Read a sheet of an Excel workbook (.xlsx).

    Dates stay dates as text: Excel turns an entry such as 3-4 into one. A cell that holds an error
    value or a formula without a result is None and a problem. `source` names the sheet (default:
    the first) or several, the rows before the header and the header rows.

    An error says that the extra is missing, that the file is damaged or too big, or that a sheet
    is not there.
    """
    try:
        import openpyxl
    except ImportError as error:
        raise _missing("excel", "openpyxl", error) from error
    _not_too_big(path, limits)
    # The library leaves a damaged file open: so it gets one that is closed here.
    with open(path, "rb") as file:
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            sheets = _chosen_sheets(path, book, source)
            result = Rows(needed, "row")
            for sheet in sheets:
                _sheet(path, sheet, source, result)
            table = result.done()
        except RatingsError:
            raise
        except Exception as error:  # damaged files raise many kinds: zip, XML, keys, values
            raise _damaged(path, "an Excel workbook (.xlsx)", error) from error
    chosen = [sheet.title for sheet in sheets]
    others = [name for name in book.sheetnames if name not in chosen]
    not_read = f", not {few(others, 5)}" if others else ""
    title = "sheet" if len(chosen) == 1 else "sheets"
    text = f"{title} {few(chosen, 5)}{not_read}; decimal sign {source.decimal!r}"
    table.notes.append(Note(text, "sheets"))
    return table


def sheet_headers(path: Path, limits: Limits) -> dict[str, tuple[str, ...]]:
    """The first row that is not empty of each sheet of a workbook.

    Sheets without cells are left out.
    """
    import openpyxl

    _not_too_big(path, limits)
    found = {}
    with open(path, "rb") as file:
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            for sheet in book.worksheets:
                sheet.reset_dimensions()
                rows = (row for row in sheet.iter_rows(values_only=True) if any(row))
                names = tuple((cell(value) or "").strip() for value in next(rows, ()))
                if names:
                    found[sheet.title] = names
        except Exception as error:
            raise _damaged(path, "an Excel workbook (.xlsx)", error) from error
    return found


def _chosen_sheets(path, book, source):
    names = book.sheetnames
    wanted = [source.sheet or names[0]] if not source.sheets else source.sheets
    chosen = [
        name
        for name in names
        if name in wanted or (source.sheets and any(fnmatch.fnmatchcase(name, w) for w in wanted))
    ]
    absent = [w for w in wanted if not any(w == n or fnmatch.fnmatchcase(n, w) for n in chosen)]
    if absent:
        raise RatingsError(
            f"the sheet {absent[0]!r} of {path}", f"one of {names}", "name one of these"
        )
    charts = [name for name in chosen if not hasattr(book[name], "iter_rows")]
    if charts:
        raise RatingsError(
            f"{path}, whose sheet {charts[0]!r} is a chart",
            "a sheet with cells",
            f"name one of {names}",
        )
    return [book[name] for name in chosen]


def _damaged(path, what, error):
    return RatingsError(
        f"{path}, a damaged file ({type(error).__name__}: {str(error)[:120]})",
        what,
        "save or download it again; saving it as CSV is the safest",
    )


def _not_too_big(path, limits):
    try:
        with zipfile.ZipFile(path) as parts:
            size = sum(part.file_size for part in parts.infolist())
            damaged = None
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise _damaged(path, "an Excel workbook (.xlsx)", error) from error
    if damaged or size > limits.document:
        raise RatingsError(
            f"{path}, {size:,} bytes when unpacked",
            f"workbooks of up to {limits.document:,} bytes",
            "save the sheet as CSV, which has no such limit",
        )


def _sheet(path, sheet, source, result):
    """Add the rows of a sheet to those of the others."""
    # Some writers give a wrong size of the sheet: rows are read until they end.
    sheet.reset_dimensions()
    skip, header, names, unnamed = source.rows_before_header, [], None, set()
    before = result.table.size
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if skip > 0:
            skip -= 1
            result.table.left_out[BEFORE_HEADER] += 1
        elif not any(value is not None and str(value).strip() for value in values):
            result.table.left_out[EMPTY_ROW] += 1
        elif len(header) < source.header_rows:
            header.append([cell(value) or "" for value in values])
        else:
            names = names or _sheet_names(path, sheet, source, header)
            _row(result, number, names, values, sheet.title if source.sheets else None)
            unnamed |= {
                n for n, (name, value) in enumerate(zip(names, values), 1)
                if not name and value is not None
            }  # fmt: skip
    if not header:
        raise RatingsError(
            f"{path}, sheet {sheet.title!r} without a header row",
            "a first row that names the columns",
            "add one, or name another sheet",
        )
    names = names or _sheet_names(path, sheet, source, header)
    if not source.header_join and len(header) > 1:
        result.table.left_out[EXTRA_HEADER] += len(header) - 1
    result.knows([name for name in names if name])
    where = f"sheet {sheet.title!r}" if source.sheets else ""
    result.table.notes += [note.within(where) for note in header_notes(names, unnamed)]
    if source.sheets:
        _all_there(path, sheet, source, names, result.table.size > before)


def _sheet_names(path, sheet, source, header):
    names = header_names(header, source.header_join)
    if source.sheets and SHEET in names:
        raise RatingsError(
            f"{path}, sheet {sheet.title!r} with a column called {SHEET!r}",
            "another name: that column is to hold the name of the sheet",
            "rename the column, or declare one sheet: sheet = '...'",
        )
    return names


def _all_there(path, sheet, source, names, rows):
    """A declared column that one of several sheets lacks would be read as empty cells."""
    declared = {getattr(source, role) for role in ("item", "rater", "dimension", "group")}
    declared |= {source.rating} if source.layout == "long" else set()
    absent = sorted(declared - {"", SHEET, *source.split, *names})
    if rows and absent and not source.split:
        raise RatingsError(
            f"{path}, sheet {sheet.title!r} without the column {few(absent)}",
            f"the columns of the sheet: {few(names)}",
            "name the sheets with ratings in raters.toml: sheets = [...]",
        )


def _row(result, number, names, values, title):
    row = {} if title is None else {SHEET: title}
    where = "" if title is None else f"{title}!"
    for name, value in zip(names, values):
        if isinstance(value, str) and value.startswith("#") and value.rstrip("!?/0A").isupper():
            reason = "an error value of the spreadsheet"
            result.problem(number, where + name, value, "error-value", reason)
            return
        if name:
            row[name] = _excel_cell(value)
    if any(value is not None for value in values[len(names) :]):
        reason = f"cells beyond the {len(names)} named columns"
        result.problem(number, where, values[len(names) :], FIELDS, reason)
        return
    result.add(number, row)


def _excel_cell(value):
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return f"date {value.date().isoformat()}"
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return f"date {value.isoformat()}"
    return value


def load_parquet(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits
) -> Table:
    """Read a Parquet file.

    The limits are not used: a column is read at a time.

    An error says that the extra is missing, or that the file is damaged.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise _missing("parquet", "pyarrow", error) from error
    try:
        with parquet.ParquetFile(path) as file:
            names = list(file.schema_arrow.names)
            wanted = [name for name in names if needed is None or name in needed]
            columns = {name: _arrow_cells(file.read([name]).column(0)) for name in wanted}
            size = file.metadata.num_rows
    except (pyarrow.ArrowException, OSError, ValueError, IndexError) as error:
        raise _damaged(path, "a Parquet file", error) from error
    table = Table(columns, list(range(1, size + 1)), "row")
    table.names = names
    return table


def _arrow_cells(column):
    """The cells as text: each different value is turned into text once."""
    import pyarrow
    from pyarrow import compute

    column = column.combine_chunks()
    if pyarrow.types.is_nested(column.type):
        return [cell(value) for value in column.to_pylist()]
    coded = (
        column if pyarrow.types.is_dictionary(column.type) else compute.dictionary_encode(column)
    )
    if isinstance(coded, pyarrow.ChunkedArray):
        coded = coded.combine_chunks()
    texts = [cell(value) for value in coded.dictionary.to_pylist()]
    places = coded.indices.fill_null(-1).to_pylist()
    texts.append(None)
    return [texts[place] for place in places]
