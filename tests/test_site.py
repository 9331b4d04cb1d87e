"""The built pages, in a browser with no network: what a reader gets.

The book and the browser come from conftest.py.
"""

from __future__ import annotations

import csv
import doctest
import functools
import gzip
import html.parser
import importlib
import re
from collections import Counter
from urllib.parse import unquote, urldefrag, urljoin

import book_pages
import build
import pytest
import yaml

ROOT = build.ROOT
# docutils' markup of the bibliography: a list role without list items in it (critical to axe),
# and a role that ARIA has dropped. Everything else on that page is checked.
TOOL_MADE = {"book/references": {"aria-required-children", "aria-deprecated-role"}}


def toc_pages():
    """The pages of the book, as their names in the table of contents."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [c for part in toc.get("parts", [toc]) for c in part["chapters"]]
    files = [f["file"] for c in chapters for f in (c, *c.get("sections", []))]
    return [toc["root"], *files]


PAGES = toc_pages()
CHAPTERS = [name for name in PAGES if name.startswith("notebooks/")]
# The most that a reader's browser has to fetch, in bytes: a first visit (as files, and
# compressed as servers send them), and a later page besides scripts, styles and fonts.
FIRST_RAW, FIRST_SENT, LATER_SENT = 4_600_000, 1_600_000, 150_000


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


def barriers(page, name=""):
    """What axe calls serious or critical on a page, as it is now."""
    from axe_playwright_python.sync_playwright import Axe

    rules = {
        "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        "preload": False,  # it would ask for style sheets again, by wrong addresses
    }
    found = Axe().run(page, options=rules).response["violations"]
    return {
        f["id"]: [node["html"][:200] for node in f["nodes"][:3]]
        for f in found
        if f["impact"] in ("serious", "critical") and f["id"] not in TOOL_MADE.get(name, ())
    }


@functools.cache
def sent(path):
    """The size of a file, and its size as a server sends it."""
    data = path.read_bytes()
    return len(data), min(len(data), len(gzip.compress(data, 6)))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_works_offline_and_is_light(name, visit, site, address):
    page = visit(f"{name}.html", color_scheme="light")
    draw_all(page)
    for chart in page.locator(".chart").all():
        assert chart.locator(".chart-live svg.marks").is_visible()
        assert not any(picture.is_visible() for picture in chart.locator("img").all())
        described = chart.locator(".chart-live [aria-label]").first.get_attribute("aria-label")
        assert described == chart.locator("img").first.get_attribute("alt")
        assert len(described.split()) >= 8 and re.search(r"\d", described)  # says the finding
    if page.locator(".math").count():
        page.wait_for_selector("mjx-container", state="attached", timeout=20_000)
    levels = page.eval_on_selector_all(
        "article :is(h1,h2,h3,h4,h5)", "all => all.map(h => +h.tagName[1])"
    )
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))

    asked = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    files = {site / urldefrag(a)[0].removeprefix(address).partition("?")[0] for a in asked}
    files.add(site / f"{name}.html")
    raw, compressed = (sum(sent(f)[kind] for f in files) for kind in (0, 1))
    assert raw <= FIRST_RAW and compressed <= FIRST_SENT
    shared = {".js", ".css", ".woff2", ".woff"}
    assert sum(sent(f)[1] for f in files if f.suffix not in shared) <= LATER_SENT
    assert any(f.name == "vega.js" for f in files) == bool(page.locator(".chart").count())
    assert any("mathjax" in f.parts for f in files) == bool(page.locator(".math").count())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_no_serious_barrier(name, scheme, visit):
    page = visit(f"{name}.html", color_scheme=scheme)
    draw_all(page)
    assert page.locator("html").get_attribute("data-theme") == scheme
    assert barriers(page, name) == {}


@pytest.mark.parametrize("name", PAGES)
def test_without_javascript_every_chart_is_a_picture(name, visit):
    for width in (1280, 390):
        page = visit(
            f"{name}.html", java_script_enabled=False, viewport={"width": width, "height": 844}
        )
        for picture in page.locator("main img").all():
            assert (picture.get_attribute("alt") or "").strip()
        for chart in page.locator(".chart").all():
            (picture,) = (p for p in chart.locator("img").all() if p.is_visible())
            picture.scroll_into_view_if_needed()
            box = picture.bounding_box()
            assert box["width"] > 200 and box["height"] > 100
            assert ("narrow" in picture.get_attribute("class")) == (width == 390)


CONTRAST = """(selector) => [...document.querySelectorAll(selector)].map((e) => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let ground = [255, 255, 255];
  for (let at = e; at; at = at.parentElement) {
    const colour = numbers(getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] > 0.5) { ground = colour; break; }
  }
  const both = [light(numbers(getComputedStyle(e).color)), light(ground)];
  const [low, high] = both.sort((a, b) => a - b);
  return [(high + 0.05) / (low + 0.05), light(ground)];
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_javascript_text_and_code_follow_the_reader_s_system(scheme, visit):
    name = next(n for n in CHAPTERS if n.startswith("notebooks/02"))
    page = visit(f"{name}.html", java_script_enabled=False, color_scheme=scheme)
    assert page.locator("html").get_attribute("data-theme") == "auto"
    for selector in (
        "main p",
        "main h2",
        "main p a",
        "table.rt td",
        ".highlight span",
        ".bd-links a",
    ):
        found = page.evaluate(CONTRAST, selector)
        assert len(found) > 3, selector
        assert min(contrast for contrast, _ in found) >= 4.5, selector
        assert all((ground < 0.2) == (scheme == "dark") for _, ground in found), selector


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
    # the plots have most of the width: names stand above their rows, not beside them
    plots = page.eval_on_selector_all(
        ".chart-live",
        "all => all.map((c) => Math.max(...[...c.querySelectorAll('path.background')]"
        ".map((p) => p.getBoundingClientRect().width)))",
    )
    assert all(width >= 200 for width in plots), plots


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
        address = yaml.safe_load((ROOT / "_config.yml").read_text())["repository"]["url"]
        colab = "colab.research.google.com/github/" + address.partition("github.com/")[2]
        edit, binder = f"/edit/main/{name}.ipynb", f"urlpath=lab/tree/{name}.ipynb"
        for part in (edit, binder, f"{colab}/blob/main/{name}.ipynb"):
            assert part in text, part
    data = (site / "book" / "data.html").read_text(encoding="utf-8")
    assert "/edit/main/data/README.md" in data and "/edit/main/book/data.md" not in data


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


class Prose(html.parser.HTMLParser):
    """The words in the sentences of a page, without code."""

    def __init__(self, text):
        super().__init__()
        self.depth, self.blocked, self.words = 0, 0, Counter()
        self.feed(text.partition("<article")[2].partition("</article>")[0])

    def handle_starttag(self, tag, attrs):
        self.depth += tag == "p"
        self.blocked += tag in ("code", "a", "script")

    def handle_endtag(self, tag):
        self.depth -= tag == "p"
        self.blocked -= tag in ("code", "a", "script")

    def handle_data(self, data):
        if self.depth > 0 and self.blocked <= 0:
            self.words.update(re.findall(r"[a-z]{6,}", data.lower()))


@functools.cache
def words_of(site):
    return {n: Prose((site / f"{n}.html").read_text(encoding="utf-8")).words for n in PAGES}


@pytest.mark.parametrize("name", CHAPTERS)
def test_search_finds_a_word_of_the_chapter(name, visit, site):
    pages = words_of(site)
    spread = Counter(word for words in pages.values() for word in words)
    word = min(pages[name], key=lambda w: (spread[w], -pages[name][w], -len(w), w))
    page = visit(f"search.html?q={word}")
    page.wait_for_selector("#search-results li", timeout=20_000)
    page.wait_for_function(
        "!document.querySelector('#search-progress')?.textContent?.includes('...')"
    )
    links = page.eval_on_selector_all("#search-results a", "all => all.map((a) => a.href)")
    assert any(f"/{name}.html" in link for link in links), (word, links)


def test_a_page_loads_only_the_scripts_that_it_uses(site):
    uses = {
        "charts.js": 'class="chart"',
        "tables.js": "rt-search",
        "copybutton.js": 'class="highlight',
        "laboratory.js": 'class="lab ',
        "judge.js": 'id="judge-rate"',
        "status.js": 'id="status"',
    }
    seen = Counter()
    for name in PAGES:
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        scripts = re.findall(r'<script[^>]* src="[^"?]*?([^"?/]+)(?:\?[^"]*)?"', text)
        assert "all.min.js" not in scripts  # 1.5 MB for icons that a font draws
        for script, mark in uses.items():
            assert (script in scripts) == (mark in text), (name, script)
            seen[script] += script in scripts
    assert all(0 < seen[script] < len(PAGES) for script in uses), seen


def test_every_table_has_its_numbers_as_a_file(site):
    tables = 0
    for name in [*CHAPTERS, "book/status"]:
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        assert "data:text/csv" not in text
        parts = re.split(r'<table class="rt[ "][^>]*>', text)[1:]
        for part in parts:
            body, _, rest = part.partition("</table></div>")
            link = re.match(
                r'<p class="rt-more"><a class="rt-csv" download="(.+?)" href="(.+?)"', rest
            )
            assert link, part[:200]
            file = (site / name).parent / link[2]
            assert file.name == link[1]
            with open(file, encoding="utf-8", newline="") as lines:
                head, *rows = csv.reader(lines)
            assert len(rows) == len(re.findall("<tr[ >]", body)) - 1 and len(head) >= body.count(
                'scope="col"'
            )
            cells = [cell for row in [head, *rows] for cell in row]
            assert not [c for c in cells if re.match(r"[=+@\t\r]|-(?![\d.])", c)]
        tables += len(parts)
    assert tables > len(CHAPTERS)


@pytest.mark.parametrize("name", CHAPTERS)
def test_terms_are_linked_to_the_glossary_once(name, site):
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    terms = re.findall(
        r'href="../book/glossary.html#(term-[^"]+)"[^>]*><span class="xref std', text
    )
    assert len(terms) >= 2 and len(set(terms)) == len(terms)


def test_the_status_page_shows_every_run_time(visit):
    page = visit("book/status.html")
    rows = page.locator("#status tbody tr")
    assert rows.count() == len(CHAPTERS)
    for row in rows.all():
        assert float(row.locator("td").last.text_content()) > 0


def test_printed_pages_show_their_charts(visit):
    name = next(n for n in CHAPTERS if n.startswith("notebooks/06"))
    page = visit(f"{name}.html")  # not scrolled: most charts are not drawn yet
    page.emulate_media(media="print")
    heights = page.eval_on_selector_all(  # in one go: charts may be drawn meanwhile
        ".chart",
        "all => all.map((c) => [...c.querySelectorAll('img, .chart-live svg.marks')]"
        ".map((s) => s.getBoundingClientRect().height).filter((height) => height > 0))",
    )
    assert len(heights) > 3 and all(len(h) == 1 and h[0] > 100 for h in heights), heights
    assert not page.locator(".rt-find").first.is_visible()
    assert not page.locator(".bd-sidebar-primary").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_keyboard_s_place_is_seen(scheme, visit):
    name = next(n for n in CHAPTERS if n.startswith("notebooks/06"))
    page = visit(f"{name}.html", color_scheme=scheme)
    draw_all(page)
    seen = set()
    for _ in range(70):
        page.keyboard.press("Tab")
        tag, place, outline, shadow = page.evaluate(
            """() => { const e = document.activeElement, s = getComputedStyle(e);
            return [e.tagName, e.outerHTML.slice(0, 120), s.outlineStyle + " " + s.outlineWidth,
                    s.boxShadow] }"""
        )
        if tag == "BODY":
            break
        assert (not outline.startswith("none") and outline[-3:] != "0px") or shadow != "none", place
        seen.add(tag)
    assert {"A", "BUTTON", "SUMMARY"} <= seen


# ------------------------------------------------------------------------------- the API pages


def documented():
    text = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "book" / "api").glob("*.md"))
    names, module = Counter(), ""
    for kind, name in re.findall(r"^\.\. (currentmodule|auto\w+):: (\S+)", text, re.MULTILINE):
        if kind == "currentmodule":
            module = name
        elif kind != "automodule":
            names[f"{module}.{name}"] += 1
    return names


@pytest.mark.parametrize("module", ["raters", "raters.benchmark"])
def test_every_public_name_is_documented_once(module, site):
    names, text = documented(), (site / "genindex.html").read_text(encoding="utf-8")
    for name in importlib.import_module(module).__all__:
        assert names[f"{module}.{name}"] == 1, name
        assert f'#{module}.{name}"' in text, name


# ------------------------------------------------------------------------- the last hand


def test_the_examples_of_the_last_hand():
    found = doctest.testmod(book_pages)
    assert found.attempted >= 6 and found.failed == 0


def test_terms_are_not_found_inside_words_or_code_names():
    pattern = book_pages.term_pattern(["kappa", "rater", "Kendall's tau-b"])
    text = "cohen_kappa kappa-like Raters, Kendall\u2019s tau-b; operate, KAPPA."
    assert [m.group(1) for m in pattern.finditer(text)] == [
        "Rater",
        "Kendall\u2019s tau-b",
        "KAPPA",
    ]
