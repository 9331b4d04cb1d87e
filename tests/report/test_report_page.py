"""The page: it needs nothing, has no barrier, and nothing in it is run."""

import re

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from reports import EXPERTS, FIVE, HOSTILE, LABELS, RATERS, TITLES, WRITTEN, Tags

from raters.io.config import Config, Source
from raters.report.analysis import Analysis, Missing
from raters.report.page import Section, Titled, bullets, page, paragraph, table
from raters.report.sections import SECTIONS
from raters.show.tables import formula_like, spreadsheet_safe

pytestmark = pytest.mark.xdist_group("report")


def test_every_section_is_on_the_page_in_order(folder):
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<h2 id="[a-z-]+">([^<]+)</h2>', text) == TITLES
    assert text.count("<figure>") == 4
    # What was left out, and why, is said on the page.
    for part in ("between 3 and 4", "item = 4.30188E+11", "reversed raters: cleo", "Krippendorff"):
        assert part in text
    assert "cannot tell with n = 28" in text


def test_the_page_asks_for_nothing_and_has_no_barrier(folder, browser):
    address = (folder / "index.html").as_uri()
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
            )
            asked, said = [], []
            shown = context.new_page()
            shown.on("request", lambda r, asked=asked: asked.append(r.url))
            shown.on("console", lambda m, said=said: said.append(m.text))
            shown.goto(address)
            others = [url for url in asked if url != address and not url.startswith("data:")]
            assert (others, said) == ([], [])
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
            broken = shown.evaluate("[...document.images].filter(i => !i.naturalWidth).length")
            assert broken == 0
            assert shown.evaluate("[...document.images].every(i => i.alt.startsWith('Chart: '))")
            serious = [
                (found["id"], found["nodes"][0]["html"])
                for found in Axe().run(shown).response["violations"]
                if found["impact"] in ("serious", "critical")
            ]
            assert serious == []
            context.close()


def test_the_page_prints_in_full_width(folder, browser):
    context = browser.new_context(viewport={"width": 700, "height": 900}, offline=True)
    shown = context.new_page()
    shown.goto((folder / "index.html").as_uri())
    shown.emulate_media(media="print")
    assert shown.evaluate("document.documentElement.scrollWidth") <= 700
    # No table is cut at the edge of the paper, where nobody can scroll.
    assert shown.evaluate(
        "[...document.querySelectorAll('.rt-wrap')].every(d => d.scrollWidth <= d.clientWidth + 1)"
    )
    assert shown.pdf().startswith(b"%PDF")
    context.close()


def test_hostile_texts_stay_texts_on_the_page(hostile, browser):
    context = browser.new_context(offline=True)
    # Even without the page's own policy nothing may run.
    text = (hostile / "index.html").read_text(encoding="utf-8")
    bare = hostile.with_name("bare.html")
    bare.write_text(re.sub(r"<meta http-equiv[^>]*>", "", text), encoding="utf-8")
    shown = context.new_page()
    shown.goto(bare.as_uri())
    shown.mouse.move(200, 200)
    assert shown.evaluate("globalThis.stolen === undefined && document.scripts.length === 0")
    assert shown.evaluate("document.querySelectorAll('i, b, u, script, iframe, svg').length") == 0
    assert shown.title().startswith("</title><script>")
    seen = shown.inner_text("main")
    for word in (*RATERS, *LABELS, EXPERTS, HOSTILE[0]):
        assert word in seen.replace("\u200b", "")
    links = shown.evaluate("[...document.links].map(a => a.getAttribute('href'))")
    assert all(re.fullmatch(r"#[a-z-]+|tables/[a-z_]+\.csv", link) for link in links)
    context.close()


def test_hostile_names_of_judges_groups_and_dimensions_stay_texts(tmp_path):
    judge, expert = '<script>alert("j")</script>', "</td><img src=x onerror=alert(1)>"
    rows = [
        (item, rater, dimension, (i * k + i // 3) % 5 + 1)
        for i, item in enumerate(HOSTILE)
        for k, rater in enumerate((judge, expert, "=HYPERLINK(1)", "@c"), start=1)
        for dimension in ("<svg onload=alert(2)>", "+d")
    ]
    frame = pd.DataFrame(rows, columns=["item", "rater", "dimension", "rating"])
    path = tmp_path / "<b>.csv"
    frame.to_csv(path, index=False)
    source = Source(item="item", rater="rater", dimension="dimension", rating="rating")
    groups = {"expert": [expert, "=HYPERLINK(1)", "@c"], "judge": [judge]}
    analysis = Analysis.read([path], Config([source], FIVE, groups=groups), resamples=30)
    assert analysis.judges == (judge,) and not isinstance(analysis.benchmark, Missing)
    for _, make in SECTIONS:
        found = Tags(make(analysis)._repr_html_())
        assert found.tags <= WRITTEN, make
        assert not [name for name in found.attributes if name.startswith("on")], make
    for table_ in analysis.tables.values():
        safe = spreadsheet_safe(table_)
        assert formula_like(safe) == 0


def test_sections_that_the_data_cannot_support_say_why(hostile):
    text = (hostile / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<h2 id="[a-z-]+">([^<]+)</h2>', text) == TITLES
    assert text.count('class="why-not"') == 3
    assert text.count("No judge is declared. Name one (--judge NAME)") >= 3


def test_a_long_word_can_be_broken_and_a_long_cell_ends():
    frame = pd.DataFrame({"item": ["y" * 60, "z " * 400]})
    text = table(frame, "Words.", {"item": "item"})
    assert "y" * 24 + "<wbr>" + "y" * 24 in text and "…" in text
    assert paragraph("\x1b[1m<") == "<p>\ufffd[1m&lt;</p>"


def test_every_text_of_the_page_is_escaped():
    rows = pd.DataFrame({"<i>": ["<s>"]})
    section = Section(
        paragraph("with & <b>", "file"),
        bullets(["<u>", "two", "three"], most=1),
        table(rows, "<em>.", {"<i>": "<h>"}),
    )
    text = page([Titled("One & <two>", section)], "<t>", "<m>")
    assert not {"b", "u", "em", "h", "s", "t", "m", "two"} & Tags(text).tags
    assert '<h2 id="one-two">One &amp; &lt;two&gt;</h2>' in text
    assert '<p class="file">with &amp; &lt;b&gt;</p>' in text
    assert "<ul><li>&lt;u&gt;</li><li>and 2 more</li></ul>" in text
    assert "with & <b>" in repr(section) and "<wbr>" not in repr(section)
