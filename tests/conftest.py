"""Options and marks for all tests, and an installed Chromium for those that look at pages."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# The shell first: the others open a window with pages of its own, three times the work.
BROWSERS = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable", "chrome"),
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


FONTS = Path(__file__).parent / "browser" / "fonts.conf"


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


# How long an example takes says nothing here: the machine may be busy with other tests.
settings.register_profile("project", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.load_profile("project")


def pytest_configure(config):
    # A script that runs in the background ignores SIGINT, and what it starts does, too:
    # the commands that the tests interrupt must hear it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "markers", "real_data: needs the study's files (RATERS_DATA or data/raw); downloads nothing"
    )
    config.addinivalue_line(
        "markers",
        "slow: seconds of simulation, left out of `make quick`; RATERS_REPLICATIONS=1000 for more",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """No examples are looked for in the tests: that would double the time of collection."""
    found = yield
    return [one for one in found if type(one) is pytest.Module]


def pytest_collection_modifyitems(config, items):
    marked = [item for item in items if item.get_closest_marker("real_data")]
    if not marked:
        return
    from judging_empathy.data import files

    # A broken copy is an error, never a reason to skip.
    if files.store().locate(download=False) is not None:
        return
    if config.getoption("--require-real-data"):
        raise pytest.UsageError(
            "--require-real-data, but the study's files are not there: "
            "run `make data`, or set RATERS_DATA to a folder that holds them"
        )
    skip = pytest.mark.skip(reason="the study's files are not there: `make data` gets them")
    for item in marked:
        item.add_marker(skip)


@pytest.fixture(scope="session")
def browser(pytestconfig):
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        reason = (
            "no Chromium was found, so the built pages were not looked at. To get one: "
            "apt-get install chromium, or install Google Chrome"
        )
        (pytest.fail if pytestconfig.getoption("--require-browser") else pytest.skip)(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Pages must fit whatever fonts a reader has: the tests take the wide ones.
        env = {**os.environ, "FONTCONFIG_FILE": str(FONTS)}
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS, env=env)
        yield chromium
        chromium.close()
