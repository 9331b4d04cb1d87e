"""The report on somebody's ratings: a folder with a page, tables, the notebook, provenance."""

__all__ = ["report", "write_tables"]


def __getattr__(name: str) -> object:
    # Loaded when asked for: the checklist alone needs nothing of what a report computes.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from raters.report import build

    return getattr(build, name)
