"""What files of ratings seem to hold: a proposal to check, and a warning for whatever is odd.

Nothing here decides anything: `read` goes by the `raters.toml` that the user has checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pandas as pd

from raters.io.config import LAYOUTS, Config, ScaleRules
from raters.io.formats import FORMATS, Limits
from raters.io.inspect.across_files import match_items, other_dimensions, other_ids
from raters.io.inspect.findings import Finding
from raters.io.inspect.in_ratings import in_proposed, in_reading, judges_backwards
from raters.io.inspect.one_file import look_at
from raters.io.inspect.proposal import declarations, holds_ratings, reusable, who
from raters.io.inspect.scales import propose_scales
from raters.io.read import check_problems, named_paths, read_named
from raters.io.reading import Reading
from raters.text import count_of, shorten

__all__ = ["Finding", "Inspection", "inspect", "judges_backwards", "read_as_proposed"]


@dataclass(frozen=True)
class Inspection:
    """What is seen in files, and the proposed `raters.toml`.

    Parameters
    ----------
    files : DataFrame
        ``file, format, title, rows, columns, layout``.
    columns : DataFrame
        ``file, column, role, different, examples``: what each column seems to be.
    config : Config
        The proposal.
    warnings : tuple of Finding
        Whatever is suspicious.
    comments : dict
        Comments for `Config.to_toml`, by place.
    """

    files: pd.DataFrame
    columns: pd.DataFrame
    config: Config
    warnings: tuple[Finding, ...]
    comments: dict

    def to_toml(self) -> str:
        """The proposed `raters.toml`, with the warnings as comments."""
        return self.config.to_toml(self.comments)

    def save(self, path: str | Path, overwrite: bool = False) -> Path:
        """Write the proposed `raters.toml`; see `Config.save`."""
        return self.config.save(path, self.comments, overwrite)

    def to_dict(self) -> dict:
        """Everything, for machines."""
        return {
            "files": self.files.to_dict("records"),
            "columns": self.columns.to_dict("records"),
            "warnings": [asdict(warning) for warning in self.warnings],
            "toml": self.to_toml(),
        }

    def __repr__(self):
        return str(self)

    def __str__(self):
        lines = []
        for row in self.files.itertuples():
            rows = count_of(row.rows, "row")
            lines.append(f"{row.file}: {row.title}, {rows}; {LAYOUTS[row.layout]}")
            own = self.columns[self.columns["file"] == row.file]
            for one in own.head(20).itertuples():
                cells = f"({one.different} different: {one.examples})"
                lines.append(f"  {one.column}: {one.role or '-'} {cells}")
            if len(own) > 20:
                lines.append(f"  and {len(own) - 20:,} more columns")
        if self.config.scale:
            measurement = self.config.scale.measurement
            lines.append(f"Scale, as a proposal: {_levels(self.config.scale)} ({measurement})")
        for name, rules in self.config.scales.items():
            lines.append(f"Scale of {name}, as a proposal: {_levels(rules)}")
        lines.append("")
        lines.append(f"{count_of(len(self.warnings), 'warning')}{':' if self.warnings else ''}")
        return "\n".join([*lines, *(f"- {warning}" for warning in self.warnings)])


def _levels(rules):
    return shorten(", ".join(map(str, rules.levels)), 200)


def inspect(paths: str | Path | Sequence[str | Path], limits: Limits | None = None) -> Inspection:
    """Look at files of ratings and propose how to read them.

    Parameters
    ----------
    paths : str, Path or sequence of them
    limits : Limits, optional
        How long a line and how big a document may be.

    Returns
    -------
    Inspection

    Raises
    ------
    RatingsError
        A file that is not there or damaged, or in which no column can hold ratings.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,ann,bob\\na,1,2\\nb,3,3\\nc,5,4\\nd,2,2\\n")
    >>> seen = inspect(path)
    >>> seen.config.files[0].layout, seen.config.scale.levels
    ('wide-by-rater', (1, 2, 3, 4, 5))
    """
    limits = limits or Limits()
    named, looks = _looks(paths, limits)
    scales = propose_scales(looks)
    sources, answers = declarations(looks)
    config = Config(sources, scales.one, scales.each, answers=answers)
    together, doubtful = in_proposed(named, config, limits, reusable(looks))
    # Without the doubtful 0, reading stops there until somebody has said what it means.
    scales = scales.without_zero(doubtful)
    warnings = [one for look in looks for one in look.warnings] + scales.warnings
    warnings += together + other_dimensions(looks) + other_ids(looks)
    top = ["", *(f"Look at this: {warning}" for warning in warnings)] if warnings else []
    return Inspection(
        pd.DataFrame([_about(look) for look in looks], columns=FILES),
        pd.DataFrame([row for look in looks for row in look.about()], columns=COLUMNS),
        replace(config, scale=scales.one, scales=scales.each),
        tuple(warnings),
        scales.comments | {"groups": who(looks), "top": top},
    )


FILES = ["file", "format", "title", "rows", "columns", "layout"]
COLUMNS = ["file", "column", "role", "different", "examples"]


def _looks(paths, limits):
    """The files with their short names, and each as it is seen beside the others."""
    named = named_paths(paths)
    looks = [look_at(path, name, limits) for path, name in named]
    match_items(looks)
    return named, looks


def _about(look):
    name, table = look.source.format, look.table
    title = FORMATS[name].title
    return look.name, name, title, table.size, len(table.names), look.source.layout


def read_as_proposed(
    paths: str | Path | Sequence[str | Path],
    rules: ScaleRules,
    groups: Mapping[str, Sequence[str]] | None = None,
    drop_at_most: int = 0,
    limits: Limits | None = None,
) -> tuple[Reading, tuple[Finding, ...]]:
    """Read files on a declared scale, with the columns that `inspect` proposes.

    What is suspicious. Each file is read once: what `inspect` finds by reading the files again
    comes from the reading itself. `rules` is the scale of every dimension; the other arguments are
    those of `Config`, `read` and `inspect`.

    Errors are those of `inspect` and `read`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,ann,bob\\na,1,2\\nb,3,3\\n")
    >>> reading, warnings = read_as_proposed(path, ScaleRules([1, 2, 3]))
    >>> reading.config.files[0].layout, len(reading.ratings), warnings
    ('wide-by-rater', 4, ())
    """
    limits = limits or Limits()
    named, looks = _looks(paths, limits)
    sources, answers = declarations(looks)
    config = Config(sources, rules, groups=groups or {}, answers=answers)
    reading = read_named(named, config, None, limits, reusable(looks))
    rated = [name for _, name in named if holds_ratings(config.source_of(name))]
    in_ratings, _ = in_reading(reading, rated)
    check_problems(reading.problems, drop_at_most)
    return reading, tuple([one for look in looks for one in look.warnings] + in_ratings)
