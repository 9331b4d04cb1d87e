"""The built book and the interactive pages, opened in a browser that reaches nothing else.

The book is the one in ``_build/html`` if it is up to date; otherwise it is built first,
with the options of the last build.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import subprocess
import sys
import threading
from urllib.parse import urljoin

import pytest

from book.build.shared import ROOT, Options
from book.build.site import last_options


@pytest.fixture(scope="session")
def site():
    """The folder of the pages; the build waits if another test process is at it."""
    options = last_options(ROOT) or Options()
    command = [sys.executable, "-m", "book.build"]
    for name in ("study", "resamples", "seed"):
        command += [f"--{name}", str(getattr(options, name))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "_build" / "html"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and writes nothing to the screen."""

    def log_message(self, *_arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A server that says nothing of a page that was closed while it was sent."""

    def handle_error(self, *given):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(*given)


@contextlib.contextmanager
def served(folder):
    """A folder over http, from a server of our own."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def opened(browser, address, name, trouble, before="", **options):
    """A page in a window of its own; `trouble` hears of all that goes wrong or leads outside."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})

    def gate(route):
        request = route.request
        if request.url.startswith(address) and request.method == "GET":
            return route.continue_()
        trouble.append(f"asked for {request.url}")
        return route.abort()

    def heard(said):
        if said.type == "error" and "404 (File not found)" not in said.text:
            trouble.append(f"console: {said.text}")

    def answered(got):
        # The browser asks for an icon where a page names none.
        if got.status >= 400 and "favicon" not in got.url:
            trouble.append(f"{got.status}: {got.url}")

    context.route("**/*", gate)
    page = context.new_page()
    if before:
        page.add_init_script(before)
    page.on("pageerror", lambda error: trouble.append(f"script error: {error}"))
    page.on("console", heard)
    page.on("response", answered)
    page.goto(urljoin(address, name))
    return page


@pytest.fixture(scope="session")
def address(site):
    with served(site) as found:
        yield found


@pytest.fixture
def visit(browser, address):
    """Open a page of the book; at the end nothing may have gone wrong."""
    pages, trouble = [], []

    def open_page(name, **options):
        pages.append(opened(browser, address, name, trouble, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()
    assert trouble == []


@pytest.fixture
def look(browser):
    """Open a page of a folder; at the end nothing may have gone wrong."""
    pages, trouble = [], []
    with contextlib.ExitStack() as servers:

        def open_page(folder, name, before="", **options):
            address = servers.enter_context(served(folder))
            pages.append(opened(browser, address, name, trouble, before, **options))
            return pages[-1]

        yield open_page
        for page in pages:
            page.context.close()
    assert trouble == []
