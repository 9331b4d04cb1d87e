"""The built pages, in a browser with no network: what a reader gets.

The book and the browser come from conftest.py. What was looked at is kept as pictures in
``_build/screenshots``, for people to look at as well.
"""

from __future__ import annotations

import csv
import doctest
import functools
import gzip
import html.parser
import importlib
import json
import re
from collections import Counter
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
import yaml
from interactive import no_barrier, no_sideways

from book import pages as last_hand
from book.build.shared import ROOT, SIMULATED
from book.build.stage import made_from

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


def keep(page, name, how):
    """A picture of the whole page, as it is now; it must show more than one colour."""
    folder = ROOT / "_build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name.replace('/', '-')}-{how}.jpg"
    page.screenshot(path=path, full_page=True, type="jpeg", quality=60)
    assert len(path.read_bytes()) > 10_000, path


def open_folds(page):
    """Open all folds at once: while they fade in, colours are not what they will be."""
    page.evaluate(
        """() => {
          const still = document.createElement("style");
          still.textContent = "* { animation: none !important; transition: none !important; }";
          document.head.append(still);
          document.querySelectorAll("main details").forEach((fold) => (fold.open = true));
        }"""
    )


# ------------------------------------------------------------------------------ every page

# Further looks at a page that is open already: opening it takes longer.


CUT = """(width) => [...document.querySelectorAll("main *")].filter((e) => {
  if (e.closest(".chart, mjx-container, .math, [hidden]")) return false;
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  const cut = box.width > 0 && style.overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1;
  return cut || (e.matches("table, pre, p, img") && box.right > width + 1);
}).map((e) => e.outerHTML.slice(0, 150))"""


def paper_cuts_nothing_off(page):
    """A4 is 794 pixels wide; with a browser's usual margins 718 are left."""
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    open_folds(page)
    assert page.evaluate(CUT, 718) == []


def tables_and_what_programs_print_are_moved_not_broken(page):
    open_folds(page)
    printed = page.locator("article :is(.highlight-console, .highlight-text, .output) pre")
    for pre in printed.all():
        lines = len(pre.text_content().rstrip("\n").split("\n"))
        height, line = pre.evaluate(
            """(e) => { const s = getComputedStyle(e);
            return [e.clientHeight - parseFloat(s.paddingTop) - parseFloat(s.paddingBottom),
                    parseFloat(s.lineHeight)] }"""
        )
        assert height < (lines + 0.7) * line, pre.text_content()[:80]
    narrow = page.eval_on_selector_all(
        "table.rt:not(.rt-cards) td.t", "all => all.filter((c) => c.offsetWidth < 100).length"
    )
    assert narrow == 0
    for wrap in page.locator(".rt-wrap:has(table:not(.rt-cards) tbody th)").all():
        before, after, moved = wrap.evaluate(
            """(e) => { const at = () => e.querySelector("tbody th").getBoundingClientRect().left;
            const before = at(); e.scrollLeft = 200; return [before, at(), e.scrollLeft] }"""
        )
        assert abs(before - after) <= 1, moved  # the names of the rows stay in view


@functools.cache
def sent(path):
    """The size of a file, and its size as a server sends it."""
    data = path.read_bytes()
    return len(data), min(len(data), len(gzip.compress(data, 6)))


@pytest.mark.parametrize("name", PAGES)
def test_the_page_on_a_desk(name, visit, site, address):
    """Opened once: light, then dark with all folds open, then on paper."""
    page = visit(f"{name}.html", color_scheme="light")
    draw_all(page)
    works_offline_and_is_light(page, name, site, address)
    page.emulate_media(color_scheme="dark")
    open_folds(page)
    page.wait_for_selector("html[data-theme='dark']")
    assert no_barrier(page, TOOL_MADE.get(name, ())) == {}
    paper_cuts_nothing_off(page)


def works_offline_and_is_light(page, name, site, address):
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
    keep(page, name, "desk-light")
    assert page.locator("html").get_attribute("data-theme") == "light"
    # Light and dark differ in their colours alone; the other rules are tried in the dark, where
    # the folds are open as well.
    assert no_barrier(page, only=["color-contrast", "link-in-text-block"]) == {}


@pytest.mark.parametrize("name", PAGES)
def test_without_javascript_every_chart_is_a_picture(name, visit):
    page = visit(f"{name}.html", java_script_enabled=False)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
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
@pytest.mark.parametrize("start", ["notebooks/02", "notebooks/06", "book/bring-your-own"])
def test_without_javascript_text_and_code_follow_the_reader_s_system(start, scheme, visit):
    name = next(n for n in PAGES if n.startswith(start))
    page = visit(f"{name}.html", java_script_enabled=False, color_scheme=scheme)
    assert page.locator("html").get_attribute("data-theme") == "auto"
    open_folds(page)  # the code and the tables in them, too
    table = "table.rt td" if name in CHAPTERS else "table.table td"
    for selector in ("main p", "main h2", "main p a", table, ".highlight span", ".bd-links a"):
        found = page.evaluate(CONTRAST, selector)
        assert len(found) > 3, selector
        assert min(contrast for contrast, _ in found) >= 4.5, selector
        assert all((ground < 0.2) == (scheme == "dark") for _, ground in found), selector


@pytest.mark.parametrize("name", PAGES)
def test_on_a_phone_nothing_scrolls_sideways_but_tables_and_programs(name, visit):
    scheme = ("light", "dark")[PAGES.index(name) % 2]
    page = visit(f"{name}.html", viewport={"width": 390, "height": 844}, color_scheme=scheme)
    draw_all(page)
    keep(page, name, f"phone-{scheme}")
    assert no_sideways(page) == []
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
    tables_and_what_programs_print_are_moved_not_broken(page)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_says_what_it_was_made_from(name, site):
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    made = yaml.safe_load((ROOT / "_build" / "site.json").read_text(encoding="utf-8"))
    assert made_from(ROOT, made["parameters"]) in text
    banner = f'<p role="note">{SIMULATED}'  # the API page quotes the sentence as well
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
    found = [p for p in sorted(site.rglob("*.html")) if site / "_static" not in p.parents]
    pages = {p: Links(p.read_text(encoding="utf-8")) for p in found}  # not the theme's templates
    broken, seen = [], 0
    for page, links in pages.items():
        for target in links.targets:
            path, place = urldefrag(target)
            if urlsplit(path).scheme or path.startswith("//"):
                continue  # another site's, or data
            seen += 1
            goal = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
            if not goal.is_file():
                broken.append(f"{page.relative_to(site)}: {target} is not there")
            elif place and goal in pages and unquote(place) not in pages[goal].places:
                broken.append(f"{page.relative_to(site)}: {target} has no such place")
    assert broken == []
    assert len(pages) >= len(PAGES) and seen > 20 * len(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_the_source_that_a_page_offers_is_there(name, site):
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    offered = re.findall(r'<a href="([^"]+)"[^>]*btn-download-source-button', text)
    assert len(offered) == 1
    file = (site / f"{name}.html").parent / offered[0]
    assert file.is_file() and "_sources" in file.parts
    if name == "book/data":  # the page only includes it
        assert file.read_bytes() == (ROOT / "data" / "README.md").read_bytes()


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
    # What is put into the finished pages is not in the index of the search.
    parts = re.compile("<!-- part -->.*?<!-- end of part -->", re.DOTALL)
    texts = {n: (site / f"{n}.html").read_text(encoding="utf-8") for n in PAGES}
    return {n: Prose(parts.sub("", text)).words for n, text in texts.items()}


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


@pytest.mark.parametrize("name", PAGES)
def test_every_table_can_be_downloaded_as_a_file(name, site):
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    assert "data:text/csv" not in text
    parts = re.split(r'<table class="(?:rt|table)[ "][^>]*>', text)[1:]
    assert len(parts) == text.count("<table")
    for part in parts:
        body, _, rest = part.partition("</table>")
        link = re.match(
            r'\s*</div>\s*<p class="rt-more"><a class="rt-csv" download="(.+?)" href="(.+?)"', rest
        )
        assert link, part[:200]
        file = (site / name).parent / link[2]
        assert file.name == link[1]
        with open(file, encoding="utf-8", newline="") as lines:
            head, *rows = csv.reader(lines)
        assert len(rows) == len(re.findall("<tr[ >]", body)) - 1
        assert len(head) >= len(re.findall("<th[ >]", body.partition("</tr>")[0]))
        cells = [cell for row in [head, *rows] for cell in row]
        assert not [c for c in cells if re.match(r"[=+@\t\r]|-(?![\d.])", c)]


def test_the_notebook_that_a_chapter_offers_has_its_charts_as_pictures_with_words(site):
    charts = 0
    for name in CHAPTERS:
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        assert f'href="../_sources/{name}.ipynb"' in text
        notebook = json.loads((site / "_sources" / f"{name}.ipynb").read_text(encoding="utf-8"))
        outputs = [o for cell in notebook["cells"] for o in cell.get("outputs", [])]
        pictures = [o for o in outputs if "image/png" in o.get("data", {})]
        said = [o["metadata"]["image/png"]["alt"] for o in pictures]
        assert len(said) == text.count('class="chart-spec"')
        assert all(re.search(r"\d", words) for words in said)
        charts += len(said)
    assert charts > len(CHAPTERS)


@pytest.mark.parametrize("name", CHAPTERS)
def test_terms_are_linked_to_the_glossary_once(name, site):
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    terms = re.findall(
        r'href="../book/glossary.html#(term-[^"]+)"[^>]*><span class="xref std', text
    )
    assert len(terms) >= 2 and len(set(terms)) == len(terms)


class Sentences(html.parser.HTMLParser):
    """The sentences of a page in order: pieces of text, and those that are glossary links."""

    def __init__(self, page):
        super().__init__()
        self.open, self.pieces = [], []
        self.feed(page.partition("<article")[2].partition("</article>")[0])

    def handle_starttag(self, tag, attrs):
        if tag not in ("br", "img", "input", "hr", "link", "meta"):
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        links = [a.get("href", "") for tag, a in self.open if tag == "a"]
        if "p" not in tags or {"code", "pre", "script", "style", "caption"} & set(tags):
            return
        if not links or "glossary.html#term-" in links[0]:
            self.pieces.append((data, bool(links)))


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_term_is_linked_where_the_chapter_uses_it_first(name, site):
    glossary = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    terms = set(last_hand.glossary_terms(glossary)) - last_hand._NOT_LINKED
    pattern, known = last_hand.term_pattern(list(terms)), {t.lower() for t in terms}
    seen = set()
    for words, linked in Sentences((site / f"{name}.html").read_text(encoding="utf-8")).pieces:
        found = [m[1].lower().replace("\u2019", "'") for m in pattern.finditer(words)]
        new = [term for term in found if term in known - seen]
        assert bool(new) == linked, (words, new)
        seen.update(new)
    assert len(seen) >= 2


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


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
def test_what_is_printed_is_dark_on_light_also_from_a_dark_screen(scripts, visit):
    name = next(n for n in CHAPTERS if n.startswith("notebooks/03"))
    page = visit(f"{name}.html", color_scheme="dark", java_script_enabled=scripts)
    page.emulate_media(media="print", color_scheme="dark")
    open_folds(page)
    for selector in ("main p", "main h2", "main p a", "table.rt td", ".highlight span", "summary"):
        found = page.evaluate(CONTRAST, selector)
        assert len(found) > 3, selector
        assert min(contrast for contrast, _ in found) >= 4.5, selector
        assert all(ground > 0.8 for _, ground in found), selector


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("start", ["notebooks/06", "book/laboratory", "book/be-the-judge"])
def test_the_keyboard_s_place_is_seen(start, scheme, visit):
    name = next(n for n in PAGES if n.startswith(start))
    page = visit(f"{name}.html", color_scheme=scheme)
    draw_all(page)
    seen = set()
    for _ in range(90):
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
    assert {"A", "BUTTON"} <= seen
    assert ("SUMMARY" if name in CHAPTERS else "INPUT") in seen


def test_the_first_stop_of_the_keyboard_leads_past_the_navigation(visit):
    page = visit(f"{CHAPTERS[1]}.html")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.text_content().strip() == "Skip to main content" and skip.is_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('main'))")
    # the order of the stops is the order of the page
    assert page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count() == 0
    assert page.locator("main").count() == 1 and page.locator("nav").count() >= 1


@pytest.mark.parametrize("name", [n for n in CHAPTERS if n[10:12] in ("01", "06", "09")])
def test_a_mark_tells_its_numbers_and_the_legend_picks_a_series(name, visit):
    page = visit(f"{name}.html")
    draw_all(page)
    tip, picked = page.locator("#vg-tooltip-element.visible"), 0
    for chart in page.locator(".chart-live").all():
        mark = chart.locator("path[aria-roledescription='point'], path[aria-roledescription='bar']")
        if not mark.count():
            mark = chart.locator("path[aria-roledescription='rect mark']")
        mark.first.hover(force=True)
        tip.wait_for(timeout=5_000)
        assert re.search(r"\d", tip.inner_text()), tip.inner_text()
        names = chart.locator(".role-legend-entry .role-legend-symbol path")
        pale = chart.locator("path[aria-roledescription='point'][opacity='0.12']")
        assert pale.count() == 0
        if names.count() > 1 and chart.locator("path[aria-roledescription='point']").count():
            names.first.click(force=True)
            page.wait_for_timeout(150)
            marks = chart.locator("path[aria-roledescription='point']").count()
            assert 0 < pale.count() < marks
            picked += 1
    assert picked or name.startswith("notebooks/01")


@pytest.mark.parametrize("name", CHAPTERS)
def test_solutions_are_folded_and_open_with_the_keyboard(name, visit):
    page = visit(f"{name}.html")
    folds = page.locator("details", has=page.get_by_text(re.compile("^Show the solution of")))
    if name != CHAPTERS[0]:
        assert folds.count() >= 2
    for fold in folds.all():
        code = fold.locator(".highlight").first
        assert not code.is_visible()
        fold.locator("summary").focus()
        page.keyboard.press("Enter")
        assert code.is_visible()
        assert "Hide" in fold.locator("summary").inner_text()


def test_tables_in_open_folds_have_the_fold_s_ground(visit):
    """The cover of a table's edge shadow is of the colour that lies under it."""
    name = next(n for n in CHAPTERS if n.startswith("notebooks/06"))
    page = visit(f"{name}.html", color_scheme="dark")
    open_folds(page)
    found = page.evaluate(
        """() => [...document.querySelectorAll("details.hide .rt-wrap")].map((wrap) => [
          getComputedStyle(wrap).backgroundImage,
          getComputedStyle(wrap.closest("details")).backgroundColor])"""
    )
    assert found and all(ground in cover for cover, ground in found)


def test_search_opens_and_works_from_the_keyboard(visit):
    page = visit(f"{CHAPTERS[2]}.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("kappa")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=kappa")
    page.wait_for_selector("#search-results li a", timeout=20_000)


def test_the_search_box_and_its_results_show_words_and_no_furniture(visit):
    page = visit("search.html?q=crowd")
    page.wait_for_selector("#search-results li p.context", timeout=20_000)
    for words in page.locator("#search-results li p.context").all_text_contents():
        assert not re.search(r"\.pdf|\.ipynb\s|\bContents\s*\n|Print to PDF", words), words
    page = visit(f"{CHAPTERS[2]}.html")
    page.keyboard.press("Control+k")
    form = page.locator("form.bd-search").first
    glass, field = form.locator("i").bounding_box(), form.locator("input").bounding_box()
    assert glass["x"] + glass["width"] <= field["x"] + 1


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


@pytest.mark.parametrize("module", ["raters", "raters.judges"])
def test_every_public_name_is_documented_once(module, site):
    names, text = documented(), (site / "genindex.html").read_text(encoding="utf-8")
    for name in importlib.import_module(module).__all__:
        assert names[f"{module}.{name}"] == 1, name
        assert f'#{module}.{name}"' in text, name


# ------------------------------------------------------------------------- the last hand


def test_the_examples_of_the_last_hand():
    found = doctest.testmod(last_hand)
    assert found.attempted >= 6 and found.failed == 0


def test_terms_are_not_found_inside_words_or_code_names():
    pattern = last_hand.term_pattern(["kappa", "rater", "Kendall's tau-b"])
    text = "cohen_kappa kappa-like Raters, Kendall\u2019s tau-b; operate, KAPPA."
    assert [m.group(1) for m in pattern.finditer(text)] == [
        "Rater",
        "Kendall\u2019s tau-b",
        "KAPPA",
    ]
