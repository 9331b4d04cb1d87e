"""Options and marks for the whole test suite."""

from __future__ import annotations

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--require-real-data",
        action="store_true",
        help="fail, rather than skip, where the study's files are not there",
    )
    parser.addoption(
        "--require-browser",
        action="store_true",
        help="fail, rather than skip, where there is no Chromium to look at the pages with",
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "real_data: needs the study's files (RATERS_DATA or data/raw); downloads nothing"
    )
    config.addinivalue_line(
        "markers", "slow: a simulation, run at reduced size; RATERS_REPLICATIONS=1000 for more"
    )


def pytest_collection_modifyitems(config, items):
    for item in items:
        # The examples in these docstrings load the study's files.
        if item.name.startswith("raters.study.loaders.load_"):
            item.add_marker(pytest.mark.real_data)
    marked = [item for item in items if item.get_closest_marker("real_data")]
    if not marked:
        return
    from raters.study import files

    # A broken copy is an error, never a reason to skip.
    if files.locate(download=False) is not None:
        return
    if config.getoption("--require-real-data"):
        raise pytest.UsageError(
            "--require-real-data, but the study's files are not there: "
            "run `make data`, or set RATERS_DATA to a folder that holds them"
        )
    skip = pytest.mark.skip(reason="the study's files are not there: `make data` gets them")
    for item in marked:
        item.add_marker(skip)
