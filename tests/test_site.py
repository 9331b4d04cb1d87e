"""The built pages, in a browser with no network: what a reader gets.

The book is the one in ``_build/html`` if it is up to date; otherwise it is built first,
with the options of the last build. The browser is an installed Chromium.
"""

from __future__ import annotations

import functools
import html.parser
import http.server
import shutil
import subprocess
import sys
import threading
from urllib.parse import unquote, urldefrag, urljoin

import build
import pytest
import yaml

ROOT = build.ROOT
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# docutils' markup of the bibliography: a list role without list items in it (critical to axe),
# and a role that ARIA has dropped. Everything else on that page is checked.
TOOL_MADE = {"book/references": {"aria-required-children", "aria-deprecated-role"}}


def toc_pages():
    """The pages of the book, as their names in the table of contents."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [c for part in toc.get("parts", [toc]) for c in part["chapters"]]
    return [toc["root"], *(chapter["file"] for chapter in chapters)]


PAGES = toc_pages()


@pytest.fixture(scope="session")
def site():
    """The folder of the pages; the build waits if another test process is at it."""
    options = build.last_options(ROOT) or build.Options()
    command = [sys.executable, str(ROOT / "book" / "build.py")]
    for name in ("study", "resamples", "seed"):
        command += [f"--{name}", str(getattr(options, name))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def address(site):
    """The pages over http, from a server of our own."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_arguments):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


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
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, address):
    """Open a page with no network but our server; at the end nothing may have gone wrong."""
    contexts, trouble = [], []

    def open_page(name, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)

        def gate(route):
            if route.request.url.startswith(address):
                return route.continue_()
            trouble.append(f"asked for {route.request.url}")
            return route.abort()

        context.route("**/*", gate)
        page = context.new_page()
        page.on("pageerror", lambda error: trouble.append(f"script error: {error}"))
        page.on(
            "console",
            lambda said: trouble.append(f"console: {said.text}") if said.type == "error" else None,
        )
        page.on(
            "response",
            lambda got: trouble.append(f"{got.status}: {got.url}") if got.status >= 400 else None,
        )
        page.goto(urljoin(address, name))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def draw_all(page):
    """Scroll through the page until every chart is drawn."""
    page.wait_for_load_state("load")
    for chart in page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
    page.wait_for_function(
        "document.querySelectorAll('.chart:not(.chart-drawn)').length === 0", timeout=20_000
    )
    page.evaluate("window.scrollTo(0, 0)")


# ------------------------------------------------------------------------------ every page


@pytest.mark.parametrize("name", PAGES)
def test_charts_are_drawn_and_the_page_works_offline(name, visit):
    page = visit(f"{name}.html")
    draw_all(page)
    for chart in page.locator(".chart").all():
        assert chart.locator(".chart-live svg.marks").is_visible()
        assert not chart.locator("img").is_visible()
        described = chart.locator(".chart-live [aria-label]").first.get_attribute("aria-label")
        assert described == chart.locator("img").get_attribute("alt")
    formulas = page.locator(".math").count()
    if formulas:
        page.wait_for_selector("mjx-container", state="attached", timeout=20_000)


@pytest.mark.parametrize("name", PAGES)
def test_without_javascript_every_chart_is_a_picture(name, visit):
    page = visit(f"{name}.html", java_script_enabled=False)
    for picture in page.locator("main img").all():
        assert (picture.get_attribute("alt") or "").strip()
    for picture in page.locator(".chart img").all():
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        assert picture.is_visible() and box["width"] > 100 and box["height"] > 50


@pytest.mark.parametrize("name", PAGES)
def test_on_a_phone_nothing_scrolls_sideways(name, visit):
    page = visit(f"{name}.html", viewport={"width": 390, "height": 844})
    draw_all(page)
    wide = page.evaluate(
        """() => document.documentElement.scrollWidth > window.innerWidth
          ? [...document.querySelectorAll("main *")]
              .filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1)
              .slice(0, 5).map((e) => e.outerHTML.slice(0, 120))
          : []"""
    )
    assert wide == []
    for drawing in page.locator(".chart-live svg.marks").all():
        box = drawing.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_no_serious_barrier(name, scheme, visit):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(f"{name}.html", color_scheme=scheme)
    draw_all(page)
    assert page.locator("html").get_attribute("data-theme") == scheme
    rules = {
        "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        "preload": False,  # it would ask for style sheets again, by wrong addresses
    }
    found = Axe().run(page, options=rules).response["violations"]
    barriers = {
        f["id"]: [node["html"][:200] for node in f["nodes"][:3]]
        for f in found
        if f["impact"] in ("serious", "critical") and f["id"] not in TOOL_MADE.get(name, ())
    }
    assert barriers == {}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_says_what_it_was_made_from(name, site):
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    made = yaml.safe_load((ROOT / "_build" / "site.json").read_text(encoding="utf-8"))
    assert build.made_from(ROOT, made["parameters"]) in text
    banner = f'<p role="note">{build.SIMULATED}'  # the API page quotes the sentence as well
    assert (banner in text) == (made["parameters"]["study"] == "simulated")


# -------------------------------------------------------------------------- the whole site


class Links(html.parser.HTMLParser):
    """The addresses on a page, and the places that can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        for name in ("href", "src"):
            if given.get(name):
                self.targets.append(given[name])


def test_every_link_inside_the_book_leads_somewhere(site):
    pages = {p: Links(p.read_text(encoding="utf-8")) for p in sorted(site.rglob("*.html"))}
    broken = []
    for page, links in pages.items():
        for target in links.targets:
            path, place = urldefrag(target)
            if urljoin("x://", path).partition(":")[0] != "x" or path.startswith("data:"):
                continue  # another site's
            goal = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
            if not goal.is_file():
                broken.append(f"{page.relative_to(site)}: {target} is not there")
            elif place and goal in pages and unquote(place) not in pages[goal].places:
                broken.append(f"{page.relative_to(site)}: {target} has no such place")
    assert broken == []
    assert len(pages) >= len(PAGES)


def test_links_to_the_code_lead_to_the_source_notebooks(site):
    for name in (p for p in PAGES if p.startswith("notebooks/")):
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        assert (ROOT / f"{name}.ipynb").is_file()
        for part in (f"/edit/main/{name}.ipynb", f"urlpath=lab/tree/{name}.ipynb"):
            assert part in text, part


def test_the_first_page_leads_to_the_book(visit):
    page = visit("index.html")
    page.wait_for_url(f"**/{PAGES[0]}.html")


def test_a_chart_opened_from_a_file_is_drawn(browser, site):
    name = next((p for p in PAGES if 'class="chart"' in (site / f"{p}.html").read_text()), None)
    if name is None:
        pytest.fail("the book has no chart")
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto((site / f"{name}.html").as_uri())
        draw_all(page)
    finally:
        context.close()


def test_search_finds_words_of_the_book(visit):
    page = visit("search.html?q=experts")
    page.wait_for_selector("#search-results li", timeout=20_000)
