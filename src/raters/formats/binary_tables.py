"""Excel workbooks and Parquet files. Their libraries are extras, imported when needed."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Collection
from pathlib import Path

from raters.errors import RatingsError
from raters.formats.base import Limits, Rows, Table, cell


def _missing(extra, library, error):
    return RatingsError(
        f"a file that needs the library {library}, which is not installed",
        f'the extra "{extra}" of this package',
        f'pip install "raters[{extra}]"',
    )


def load_excel(path: Path, source, needed: Collection[str] | None, limits: Limits) -> Table:
    """Read a sheet of an Excel workbook (.xlsx).

    Parameters
    ----------
    path : Path
    source : Source
        The sheet (default: the first), rows before the header, header rows.
    needed : collection of str, optional
        The columns to keep. Default: all.
    limits : Limits

    Returns
    -------
    Table
        Dates stay dates as text: Excel turns an entry such as 3-4 into one. A cell that
        holds an error value or a formula without a result is None and a problem.

    Raises
    ------
    RatingsError
        The extra is missing, the file is damaged or too big, a sheet is not there.
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
            sheet = _chosen_sheet(path, book, source)
            table = _sheet(path, sheet, source, needed)
        except RatingsError:
            raise
        except Exception as error:  # damaged files raise many kinds: zip, XML, keys, values
            raise _damaged(path, "an Excel workbook (.xlsx)", error) from error
    names = book.sheetnames
    table.notes.append(f"sheet {sheet.title!r} of {len(names)}, decimal sign {source.decimal!r}")
    return table


def _chosen_sheet(path, book, source):
    names = book.sheetnames
    if source.sheet and source.sheet not in names:
        raise RatingsError(
            f"the sheet {source.sheet!r} of {path}", f"one of {names}", "name one of these"
        )
    sheet = book[source.sheet or names[0]]
    if not hasattr(sheet, "iter_rows"):
        raise RatingsError(
            f"{path}, whose first sheet is a chart", "a sheet with cells", f"name one of {names}"
        )
    return sheet


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


def _sheet(path, sheet, source, needed):
    # Some writers give a wrong size of the sheet: rows are read until they end.
    sheet.reset_dimensions()
    rows = enumerate(sheet.iter_rows(values_only=True), 1)
    result = Rows(needed, "row")
    names = None
    skip = source.rows_before_header
    extra = source.header_rows - 1
    for number, values in rows:
        if skip > 0:
            skip -= 1
            result.table.left_out["row before the header"] += 1
        elif not any(value is not None and str(value).strip() for value in values):
            result.table.left_out["empty row"] += 1
        elif names is None:
            names = [cell(value) or "" for value in values]
            names = [name.strip() for name in names]
        elif extra > 0:
            extra -= 1
            result.table.left_out["extra header row"] += 1
        else:
            _row(result, number, names, values)
    if names is None:
        raise RatingsError(
            f"{path}, sheet {sheet.title!r} without a header row",
            "a first row that names the columns",
            "add one, or name another sheet",
        )
    table = result.done()
    for name in names:
        if name and name not in table.columns and (needed is None or name in needed):
            table.columns[name] = [None] * table.size
    table.names = [name for name in dict.fromkeys(names) if name]
    return table


def _row(result, number, names, values):
    row = {}
    for name, value in zip(names, values):
        if isinstance(value, str) and value.startswith("#") and value.rstrip("!?/0A").isupper():
            result.problem(number, name, value, "an error value of the spreadsheet")
            return
        if name and name not in row:
            row[name] = _excel_cell(value)
    if any(value is not None for value in values[len(names) :]):
        result.problem(
            number, "", values[len(names) :], f"cells beyond the {len(names)} named columns"
        )
        return
    result.add(number, row)


def _excel_cell(value):
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return f"date {value.date().isoformat()}"
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return f"date {value.isoformat()}"
    return value


def load_parquet(path: Path, source, needed: Collection[str] | None, limits: Limits) -> Table:
    """Read a Parquet file.

    Parameters
    ----------
    path : Path
    source : Source
    needed : collection of str, optional
        The columns to keep. Default: all.
    limits : Limits
        Not used: a column is read at a time.

    Returns
    -------
    Table

    Raises
    ------
    RatingsError
        The extra is missing, or the file is damaged.
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
