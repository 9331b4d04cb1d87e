"""The interactive pages of the book, each as a page of its own, in a browser without network.

For test_laboratory.py and test_judge_page.py. The pages are made from the same
pieces as the book's: the raw HTML of the Markdown file, the scripts and the style sheets.
"""

from __future__ import annotations

import re
import shutil

from book.build.shared import ROOT

STATIC = ROOT / "book" / "_static"
BUILT = ROOT / "_build" / "html"
_RAW = re.compile(r"^```\{raw\} html\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PAGE = """<!doctype html>
<html lang="en" data-theme="light">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{name}</title><link rel="stylesheet" href="../_static/book.css"></head>
<body><main>{body}</main></body></html>
"""


def write_page(folder, name, more=None):
    """One page of the book in a folder, with its scripts and further files in _static."""
    text = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    (folder / "book").mkdir(parents=True)
    (folder / "_static").mkdir()
    page = _PAGE.format(name=name, body="\n".join(_RAW.findall(text)))
    (folder / "book" / f"{name}.html").write_text(page, encoding="utf-8")
    for file in ("interactive.js", f"{name.split('-')[-1]}.js", "interactive.css", "book.css"):
        shutil.copy(STATIC / file, folder / "_static")
    for file, data in (more or {}).items():
        (folder / "_static" / file).write_bytes(data)
    return folder


def no_barrier(page, allowed=(), only=None):
    """What axe calls serious or critical on a page, as it is now; none is right.

    `only` names the rules to be tried; without it, all of them.
    """
    from axe_playwright_python.sync_playwright import Axe

    levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    rules = {
        "runOnly": {"type": "rule", "values": only} if only else levels,
        "preload": False,  # it would ask for style sheets again, by wrong addresses
        # Without this, half of the time goes into describing what is in order.
        "resultTypes": ["violations"],
    }
    found = Axe().run(page, options=rules).response["violations"]
    return {
        f["id"]: [node["html"][:200] for node in f["nodes"][:3]]
        for f in found
        if f["impact"] in ("serious", "critical") and f["id"] not in allowed
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
