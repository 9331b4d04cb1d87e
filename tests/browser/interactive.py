"""The interactive pages of the book, each as a page of its own, in a browser without network.

For test_laboratory.py and test_judge_page.py. The pages are made from the same
pieces as the book's: the raw HTML of the Markdown file, the scripts and the style sheets.
"""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import threading
from urllib.parse import urljoin

import build
import pytest

STATIC = build.ROOT / "book" / "_static"
BUILT = build.ROOT / "_build" / "html"
_RAW = re.compile(r"^```\{raw\} html\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PAGE = """<!doctype html>
<html lang="en" data-theme="light">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{name}</title><link rel="stylesheet" href="../_static/book.css"></head>
<body><main>{body}</main></body></html>
"""


def write_page(folder, name, more=None):
    """One page of the book in a folder, with its scripts and further files in _static."""
    text = (build.ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    (folder / "book").mkdir(parents=True)
    (folder / "_static").mkdir()
    page = _PAGE.format(name=name, body="\n".join(_RAW.findall(text)))
    (folder / "book" / f"{name}.html").write_text(page, encoding="utf-8")
    for file in ("interactive.js", f"{name.split('-')[-1]}.js", "interactive.css", "book.css"):
        shutil.copy(STATIC / file, folder / "_static")
    for file, data in (more or {}).items():
        (folder / "_static" / file).write_bytes(data)
    return folder


@pytest.fixture(name="look")
def look_fixture(browser):
    """Open a page of a folder over http; nothing else may be asked for, nothing go wrong."""
    contexts, servers, trouble = [], [], []

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_arguments):
            pass

    def open_page(folder, name, before="", **options):
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
        )
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)

        def gate(route):
            request = route.request
            if request.url.startswith(address) and request.method == "GET":
                return route.continue_()
            trouble.append(f"asked for {request.url}")
            return route.abort()

        context.route("**/*", gate)
        page = context.new_page()
        if before:
            page.add_init_script(before)
        page.on("pageerror", lambda error: trouble.append(f"script error: {error}"))
        page.on(
            "console",
            lambda said: trouble.append(f"console: {said.text}") if said.type == "error" else None,
        )
        icon = re.compile("favicon")  # the browser asks for one where a page names none
        page.on(
            "response",
            lambda got: (
                trouble.append(f"{got.status}: {got.url}")
                if got.status >= 400 and not icon.search(got.url)
                else None
            ),
        )
        page.goto(urljoin(address, name))
        return page

    yield open_page
    for context in contexts:
        context.close()
    for server in servers:
        server.shutdown()
        server.server_close()
    assert [t for t in trouble if "404 (File not found)" not in t] == []


def no_barrier(page):
    """Nothing on the page, as it is now, that axe calls serious or critical."""
    from axe_playwright_python.sync_playwright import Axe

    rules = {
        "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        "preload": False,
    }
    found = Axe().run(page, options=rules).response["violations"]
    return {
        f["id"]: [node["html"][:200] for node in f["nodes"][:3]]
        for f in found
        if f["impact"] in ("serious", "critical")
    }


def no_sideways(page):
    """The elements that make the page scroll sideways; none is right."""
    return page.evaluate(
        """() => document.documentElement.scrollWidth > window.innerWidth
          ? [...document.querySelectorAll("main *")]
              .filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1)
              .slice(0, 5).map((e) => e.outerHTML.slice(0, 120))
          : []"""
    )
