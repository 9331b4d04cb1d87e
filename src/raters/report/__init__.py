"""The report on somebody's ratings: a folder with a page, tables, the notebook, provenance."""

from raters.report.build import report, write_tables

__all__ = ["report", "write_tables"]
