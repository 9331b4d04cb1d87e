"""The report: what it holds, that it needs nothing, and that nothing in it is run."""

import ast
import contextlib
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

import raters
from raters import RatingsError
from raters.cli import simulated
from raters.examples import copy_to
from raters.io.config import Config, ScaleRules, Source
from raters.report import analysis, build, checklist, execute, methods, report, sections
from raters.report.html import shown, table
from raters.report.page import page as render
from raters.report.study import Missing, Study
from raters.report.tables import formula_like, spreadsheet_safe, write_csv, write_table

TITLES = [
    "In short",
    "The data as read",
    "Agreement within groups",
    "Pairs of raters",
    "Judges against the experts",
    "Level or order",
    "The largest disagreements",
    "What this number of items allows",
    "Methods, to paste",
    "Checklist",
    "Files",
]
LONG = Source(item="item", rater="rater", rating="rating", group="group")
# In one process of the test run: the report that many tests read is made once.
pytestmark = pytest.mark.xdist_group("report")
FIVE = ScaleRules([1, 2, 3, 4, 5])


# ------------------------------------------------------------------- one report, made twice
@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The report on the example study; `first` beside it is the same, from another run."""
    study = tmp_path_factory.mktemp("report") / "study"
    copy_to(study)
    out = study / "report"
    files = [study / "ratings.csv", study / "judge.jsonl"]
    for _ in range(2):
        assert report(files, out, study / "raters.toml", resamples=400) == out
        if not (study / "first").exists():
            shutil.copytree(out, study / "first")
    return out


@pytest.fixture(scope="module")
def example(folder):
    files = [folder.parent / "ratings.csv", folder.parent / "judge.jsonl"]
    return Study.read(files, folder.parent / "raters.toml", resamples=400)


def test_the_folder_holds_what_it_should_and_nothing_else(folder):
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    note = json.loads((folder / "provenance.json").read_text())
    assert there == {"provenance.json", *note["files"]}
    assert {"index.html", "report.ipynb", "raters.toml", "tables/benchmark.csv"} <= there
    assert note["versions"]["raters"] and note["ratings"][0]["file"] == "../ratings.csv"
    assert sorted(os.listdir(folder.parent)) == [
        "crowd.csv", "first", "judge.jsonl", "raters.toml", "ratings.csv", "report",
    ]  # fmt: skip
    # The user's comments are kept.
    assert (folder / "raters.toml").read_bytes() == (folder.parent / "raters.toml").read_bytes()


def test_two_runs_write_the_same_bytes_but_for_the_time(folder):
    first = folder.with_name("first")
    names = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(first) for p in first.rglob("*") if p.is_file())
    differ = [n.as_posix() for n in names if (folder / n).read_bytes() != (first / n).read_bytes()]
    assert differ in ([], ["provenance.json"])
    notes = [json.loads((f / "provenance.json").read_text()) for f in (folder, first)]
    for note in notes:
        del note["time"]
    assert notes[0] == notes[1]


def test_the_tables_hold_what_the_functions_give(folder, example):
    found = pd.read_csv(folder / "tables" / "agreement.csv")
    wanted = raters.agreement(
        example.ratings[example.ratings["group"] == "expert"], example.scale,
        "krippendorff_alpha_interval", resamples=400,
    )  # fmt: skip
    rows = found[found["statistic"] == "krippendorff_alpha_interval"].head(2)
    for column in ("estimate", "low", "high"):
        assert np.array_equal(rows[column], wanted[column])
    known = pd.read_csv(folder / "tables" / "benchmark.csv")
    single = raters.judges.benchmark(
        example.ratings, example.scale, "judge-1", readings="single", resamples=400
    )
    rows = known[known["reading"] == "single"]
    assert np.array_equal(rows["difference"], single["difference"])
    assert rows["verdict"].tolist() == single["verdict"].tolist()


def test_every_section_is_on_the_page_in_order(folder):
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<h2 id="[a-z-]+">([^<]+)</h2>', text) == TITLES
    assert text.count("<figure>") == 4
    # What was left out, and why, is said on the page.
    for part in ("between 3 and 4", "item = 4.30188E+11", "reversed raters: cleo", "Krippendorff"):
        assert part in text
    assert "cannot tell with n = 28" in text


def test_the_notebook_runs_again_where_it_lies(folder, tmp_path):
    """Its code alone, in a process of its own, makes the same tables."""
    book = nbformat.read(folder / "report.ipynb", as_version=4)
    nbformat.validate(book)
    code = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    copy = tmp_path / "study"
    shutil.copytree(folder.parent, copy)
    shutil.rmtree(copy / "report" / "tables")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=copy / "report", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for path in (folder / "tables").iterdir():
        assert (copy / "report" / "tables" / path.name).read_bytes() == path.read_bytes()


def test_no_place_of_this_machine_is_in_the_report(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            assert str(folder.parent).encode() not in path.read_bytes(), path


# --------------------------------------------------------------------------------- the page
def test_the_page_asks_for_nothing_and_has_no_barrier(folder, browser):
    address = (folder / "index.html").as_uri()
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
            )
            asked, said = [], []
            page = context.new_page()
            page.on("request", lambda r, asked=asked: asked.append(r.url))
            page.on("console", lambda m, said=said: said.append(m.text))
            page.goto(address)
            others = [url for url in asked if url != address and not url.startswith("data:")]
            assert (others, said) == ([], [])
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            broken = page.evaluate("[...document.images].filter(i => !i.naturalWidth).length")
            assert broken == 0
            assert page.evaluate("[...document.images].every(i => i.alt.startsWith('Chart: '))")
            serious = [
                (found["id"], found["nodes"][0]["html"])
                for found in Axe().run(page).response["violations"]
                if found["impact"] in ("serious", "critical")
            ]
            assert serious == []
            context.close()


def test_the_page_prints_in_full_width(folder, browser):
    context = browser.new_context(viewport={"width": 700, "height": 900}, offline=True)
    page = context.new_page()
    page.goto((folder / "index.html").as_uri())
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    # No table is cut at the edge of the paper, where nobody can scroll.
    assert page.evaluate(
        "[...document.querySelectorAll('.rt-wrap')].every(d => d.scrollWidth <= d.clientWidth + 1)"
    )
    assert page.pdf().startswith(b"%PDF")
    context.close()


# ------------------------------------------------------------------------- hostile content
HOSTILE = [
    "<img src=x onerror=\"globalThis.stolen='img'\">",
    "</script><script>globalThis.stolen='script'</script>",
    '=HYPERLINK("http://evil.example/","x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "[link](javascript:globalThis.stolen='md')",
    "' onmouseover='globalThis.stolen=1",
    "a\u202eb",
    "x" * 400,
    "{{ 7 * 7 }}",
    "line 1\nline 2",
    "None",
    "007",
    "&lt;b&gt;",
    "\U0001f600 \u2028",
]
RATERS = ["<b>ann</b>", "=cmd|' /C calc'!A0", 'cleo"><script>globalThis.stolen="r"</script>']
LABELS = ["<i>good</i>", "=bad", "@so-so"]
EXPERTS = "<u>experts</u>"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A report on labels, without a judge, in which every text tries something."""
    place = tmp_path_factory.mktemp("hostile")
    path = place / "<h1> 'x' \"y\".csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["item", "rater", "rating"])
        for i, item in enumerate(HOSTILE):
            for j, rater in enumerate(RATERS):
                rows.writerow([item, rater, LABELS[(i + j) % 3]])
    config = Config(
        [Source(item="item", rater="rater", rating="rating")],
        ScaleRules(LABELS, measurement="nominal"),
        groups={EXPERTS: RATERS},
    )
    title = '</title><script>globalThis.stolen="title"</script> 1e3'
    report(path, place / "report", config, reference=[EXPERTS], resamples=50, title=title)
    return place / "report"


def test_hostile_texts_stay_texts_on_the_page(hostile, browser):
    context = browser.new_context(offline=True)
    # Even without the page's own policy nothing may run.
    text = (hostile / "index.html").read_text(encoding="utf-8")
    bare = hostile.with_name("bare.html")
    bare.write_text(re.sub(r"<meta http-equiv[^>]*>", "", text), encoding="utf-8")
    page = context.new_page()
    page.goto(bare.as_uri())
    page.mouse.move(200, 200)
    assert page.evaluate("globalThis.stolen === undefined && document.scripts.length === 0")
    assert page.evaluate("document.querySelectorAll('i, b, u, script, iframe, svg').length") == 0
    assert page.title().startswith("</title><script>")
    seen = page.inner_text("main")
    for word in (*RATERS, *LABELS, EXPERTS, HOSTILE[0]):
        assert word in seen.replace("\u200b", "")
    links = page.evaluate("[...document.links].map(a => a.getAttribute('href'))")
    assert all(re.fullmatch(r"#[a-z-]+|tables/[a-z_]+\.csv", link) for link in links)
    context.close()


def test_hostile_texts_stay_texts_in_the_tables(hostile):
    for path in (hostile / "tables").iterdir():
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                for cell in row:
                    number = re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell)
                    assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), cell
    frame = pd.read_csv(hostile / "tables" / "ratings.csv", dtype=str, keep_default_na=False)
    assert {"'=bad", "'@so-so", "<i>good</i>"} == set(frame["rating"])
    assert {"'+1+1", "'-2+3", "'@SUM(A1)", "None", "007"} <= set(frame["item"])


class Tags(HTMLParser):
    """The tags of a page and their attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


WRITTEN = set("div p h3 ul li table caption thead tbody tr th td a wbr figure picture source "  # noqa: SIM905
              "img figcaption".split())  # fmt: skip


def test_hostile_texts_stay_texts_in_the_executed_notebook(hostile):
    book = nbformat.read(hostile / "report.ipynb", as_version=4)
    outputs = [one for cell in book.cells for one in cell.get("outputs", ())]
    pages = [one["data"]["text/html"] for one in outputs if "text/html" in one.get("data", {})]
    assert len(pages) > 8
    found = Tags("".join(pages))
    assert found.tags <= WRITTEN and not [a for a in found.attributes if a.startswith("on")]
    assert not any("javascript" in kind for one in outputs for kind in one.get("data", {}))


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
    study = Study.read([path], Config([source], FIVE, groups=groups), resamples=30)
    assert study.judges == (judge,) and not isinstance(study.benchmark, Missing)
    for make in (
        sections.summary, sections.data, sections.within, sections.pairs, sections.judges,
        sections.level_or_order, sections.items, sections.allows, sections.methods_text,
        sections.checklist_table,
    ):  # fmt: skip
        found = Tags(make(study)._repr_html_())
        assert found.tags <= WRITTEN, make
        assert not [name for name in found.attributes if name.startswith("on")], make
    for table_ in study.tables.values():
        safe = spreadsheet_safe(table_)
        assert formula_like(safe) == 0


def test_parameters_reach_the_notebook_as_they_are(hostile):
    """Papermill's command turns the texts 007, 1e3 and None into something else."""
    book = nbformat.read(hostile / "report.ipynb", as_version=4)
    cells = [c for c in book.cells if "injected-parameters" in c.metadata.get("tags", [])]
    tree = ast.parse(cells[0].source)
    given = {node.targets[0].id: ast.literal_eval(node.value) for node in tree.body}
    assert given["title"] == '</title><script>globalThis.stolen="title"</script> 1e3'
    assert given["files"] == ["../<h1> 'x' \"y\".csv"] and given["reference"] == [EXPERTS]
    assert given["resamples"] == 50 and given["drop_at_most"] is None
    # They replace the template's only because that cell is tagged.
    template = json.loads(resources.files("raters.report").joinpath("report.ipynb").read_text())
    tagged = [c for c in template["cells"] if c["metadata"].get("tags") == ["parameters"]]
    assert len(tagged) == 1
    assert {line.split(" =")[0] for line in "".join(tagged[0]["source"]).splitlines()} == set(given)


def test_sections_that_the_data_cannot_support_say_why(hostile):
    text = (hostile / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<h2 id="[a-z-]+">([^<]+)</h2>', text) == TITLES
    assert text.count('class="why-not"') == 3
    assert text.count("No judge is declared. Name one (--judge NAME)") >= 3


# --------------------------------------------------------------------------------- pieces
def test_formulas_get_an_apostrophe_and_numbers_do_not(tmp_path):
    frame = pd.DataFrame(
        {"=name": ["=1", "-3", "x"], "n": [-1.0, 2.0, np.nan], "t": ["\tx", "\uff1d1", None]}
    )
    assert formula_like(frame) == 4
    write_csv(spreadsheet_safe(frame), tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text(encoding="utf-8")
    assert text == "'=name,n,t\n'=1,-1.0,'\tx\n'-3,2.0,'\uff1d1\nx,,\n"


def test_a_long_word_can_be_broken_and_a_long_cell_ends():
    frame = pd.DataFrame({"item": ["y" * 60, "z " * 400]})
    text = table(frame, "Words.", {"item": "item"})
    assert "y" * 24 + "<wbr>" + "y" * 24 in text and "…" in text
    assert shown("\x1b[1m<") == "\ufffd[1m&lt;"


def test_the_page_shows_only_what_this_package_wrote():
    book = {
        "cells": [
            {"cell_type": "markdown", "source": "# Title\n\nfor the notebook"},
            {"cell_type": "markdown", "source": "## One\n\nwith `code` & <b>"},
            {
                "cell_type": "code",
                "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": "<s>"},
                    {
                        "output_type": "display_data",
                        "data": {"text/html": "<script>1</script>", "text/plain": "<p>"},
                    },
                ],
            },
        ]
    }
    text = render(book, "t", "m")
    assert "<script" not in text and "for the notebook" not in text
    assert '<h2 id="one">One</h2>' in text
    assert "<p>with <code>code</code> &amp; &lt;b&gt;</p>" in text
    assert "<pre>&lt;s&gt;</pre>" in text and "<pre>&lt;p&gt;</pre>" in text


def small(tmp_path, text, scale=FIVE, **more):
    path = tmp_path / "r.csv"
    path.write_text(text, encoding="utf-8")
    return Study.read([path], Config([LONG], scale, **more), resamples=50)


ALL = [
    sections.summary, sections.data, sections.within, sections.pairs, sections.judges,
    sections.level_or_order, sections.items, sections.allows, sections.methods_text,
    sections.checklist_table,
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "scale", "words"),
    [
        # one rater; one expert and a judge; nothing shared; no variation; one item
        ("item,rater,group,rating\na,ann,expert,1\nb,ann,expert,2\n", FIVE,
         ["no group has two raters", "two raters or more"]),
        ("item,rater,group,rating\na,ann,expert,1\nb,ann,expert,2\na,m,judge,1\nb,m,judge,4\n",
         FIVE, ["One expert has no agreement to be a ceiling", "Level and order of m"]),
        ("item,rater,group,rating\na,ann,expert,1\nb,bob,expert,2\na,m,judge,1\nb,m,judge,4\n",
         FIVE, ["not defined", "share no item"]),
        ("item,rater,group,rating\na,ann,expert,3\na,bob,expert,3\nb,ann,expert,3\n"
         "b,bob,expert,3\na,m,judge,3\nb,m,judge,3\n",
         FIVE, ["no variation", "There is no disagreement", "There is no gap"]),
        ("item,rater,group,rating\na,ann,expert,3\na,bob,expert,4\na,m,judge,2\n", FIVE,
         ["Agreement within groups", "not defined"]),
        ("item,rater,group,rating\na,ann,expert,x\na,bob,expert,y\na,m,judge,x\n"
         "b,ann,expert,x\nb,bob,expert,x\nb,m,judge,y\nc,ann,expert,y\nc,bob,expert,y\n"
         "c,m,judge,y\n", ScaleRules(["x", "y"], measurement="nominal"),
         ["Scales without an order", "Cohen&#x27;s kappa", "Verdicts on m"]),
        ("item,rater,group,rating\na,ann,expert,\na,bob,expert,3\nb,ann,expert,4\n", FIVE,
         ["1 missing"]),
    ],
)  # fmt: skip
def test_every_section_says_something_of_poor_data(tmp_path, text, scale, words):
    study = small(tmp_path, text, scale)
    found = [of(study) for of in ALL]
    pages = [one._repr_html_() for one in found]
    assert all(len(one) > 60 for one in pages) and all(repr(one) for one in found)
    for word in words:
        assert word in "".join(pages)
    assert "nan" not in "".join(re.sub(r"base64,[^\"]+", "", one) for one in pages).lower().split()


def test_a_judge_without_experts_is_told_what_is_missing(tmp_path):
    study = small(tmp_path, "item,rater,group,rating\na,m,judge,1\nb,m,judge,2\na,x,crowd,1\n")
    assert study.experts == () and "reference group 'expert'" in study.no_benchmark
    assert isinstance(study.benchmark, Missing) and isinstance(study.shifts, Missing)


def test_what_was_named_must_be_there(tmp_path):
    path = tmp_path / "r.csv"
    simulated.simulated(10, 2, 1, 5, 0.6, 0, 1).to_csv(path, index=False)
    config = Config([LONG], FIVE)
    for options, part in [
        ({"judges": ["nobody"]}, "'nobody'"),
        ({"reference": ["nobody"]}, "'nobody'"),
        ({"reference": ["expert 1", "nobody"]}, "nobody"),
        ({"judges": ["expert 1"]}, "'expert 1'"),
        ({"resamples": 0}, "resamples=0"),
        ({"level": 1.5}, "1.5"),
        ({"margin": -1}, "margin=-1"),
        ({"seed": -1}, "seed=-1"),
    ]:
        with pytest.raises(RatingsError, match=re.escape(part)):
            Study.read([path], config, **options)
        with pytest.raises(RatingsError, match=re.escape(part)):
            report(path, tmp_path / "out", config, **options)
    assert sorted(os.listdir(tmp_path)) == ["r.csv"]


def test_dimensions_with_and_without_an_order_each_get_their_statistics(tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        (f"i{i}", who, "expert" if who != "m" else "judge", dim,
         rng.integers(1, 6) if dim == "warm" else rng.choice(["yes", "no"]))
        for i in range(12) for who in ("a", "b", "m") for dim in ("warm", "kind")
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["item", "rater", "group", "dimension", "rating"])
    frame.to_csv(tmp_path / "r.csv", index=False)
    source = Source(item="item", rater="rater", rating="rating", group="group",
                    dimension="dimension")  # fmt: skip
    scales = {"warm": FIVE, "kind": ScaleRules(["yes", "no"], measurement="nominal")}
    study = Study.read([tmp_path / "r.csv"], Config([source], scales=scales), resamples=20)
    for found in (study.within, study.pairs, study.benchmark, study.decisions):
        used = found[found["dimension"] == "kind"]["statistic"].unique()
        assert all(analysis.fits(name, ordered=False) for name in used) and len(used)
        assert "warm" in set(found["dimension"])
    assert set(study.shifts["dimension"]) == {"warm"}
    assert {"warm", "kind"} <= set(study.splits["dimension"])
    text, works = methods.paragraph(study)
    assert "Cohen's kappa (Cohen, 1960)" in text and "quadratic weighted kappa" in text
    assert any(work.startswith("Cohen, J. (1960)") for work in works)


def test_the_largest_splits_by_hand(tmp_path):
    text = "item,rater,group,rating\n" + "".join(
        f"{item},{who},expert,{value}\n"
        for item, values in {"p": (1, 5), "q": (2, 3), "r": (4, 4)}.items()
        for who, value in zip("ab", values)
    )
    found = small(tmp_path, text).splits
    assert found[["item", "given", "share"]].to_numpy().tolist() == [
        ["p", "1, 5", 1.0], ["q", "2, 3", 0.25],
    ]  # fmt: skip


def html(section):
    return "\n".join(section.parts)


def test_the_summary_says_each_verdict_of_how_many_dimensions(example, tmp_path):
    assert "Judge judge-1: no verdict on 2 of 2 dimensions." in html(sections.summary(example))
    # The judge gives the opposite of what both experts give.
    rows = [
        (i, who, g, v)
        for i, x in enumerate([1, 2, 4, 5] * 5)
        for who, g, v in (("ann", "expert", x), ("bob", "expert", x), ("cem", "judge", 6 - x))
    ]
    text = "item,rater,group,rating\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    study = small(tmp_path, text)
    said = html(sections.summary(study))
    assert "Judge cem: below the experts&#x27; agreement on 1 of 1 dimension." in said
    # 6 - x has the mean of x: there is no shift to gain from.
    chart = html(sections.level_or_order(study))
    assert "It does not rise without the shift." in chart and "largest gain" not in chart


def test_the_gain_without_the_shift_is_said_in_the_numbers_of_the_table(example):
    page = html(sections.level_or_order(example))
    dimension, was, then = re.search(r"rises most on (\w+): from (\S+) to (\S+)\.", page).groups()
    row = re.search(rf"<tr><th[^>]*>{dimension}</th>.*?</tr>", page).group(0)
    assert f">{was}<" in row and f">{then}<" in row


def test_missing_ratings_add_up_with_a_row_for_refusals(example):
    page = html(sections.data(example))
    part = page[page.index("<caption>Missing ratings.") :]
    rows = re.findall(r"<tr>(.*?)</tr>", part[: part.index("</table>")])[1:]
    numbers = [int(re.findall(r">(\d+)</td>", row)[-1]) for row in rows]
    assert sum(numbers) == example.reading.counts["missing"] == 7
    refusals = example.reading.answers.query("kind == 'refused'")["n"].sum()
    assert [n for n, row in zip(numbers, rows) if "refusal" in row] == [refusals]


def test_estimate_and_interval_stand_right_after_the_names(example):
    names = {"group", "dimension", "rater", "and"}
    for section in (sections.within, sections.pairs, sections.judges):
        heads = re.findall(r"<thead><tr>(.*?)</tr>", html(section(example)))
        head = [h for h in re.findall(r"<th[^>]*>(.*?)</th>", heads[0]) if h not in names]
        assert head[:2] in (["estimate", "interval"], ["difference", "interval"])


def test_no_name_of_the_code_stands_for_a_kind_of_comparison(example):
    page = html(sections.judges(example))
    assert "leave_one_out" not in page and ">paper<" not in page
    for name in ("one expert at a time", "one expert left out", "experts&#x27; median"):
        assert name in page


def test_one_row_is_no_rows(example, tmp_path):
    said = html(build.write_tables(example, tmp_path / "tables"))
    assert not re.search(r"(?<![\d,])1 rows", said) and re.search(r"\d rows", said)
    text = "item,rater,group,rating\n" + "".join(
        f"i{n},ann,g,{n}\ni{n},bob,g,{n}\n" for n in range(1, 16)
    )
    page = html(sections.data(small(tmp_path, text, ScaleRules(list(range(1, 16))))))
    assert "1 line with 15 levels" in page


SETS = "item,rater,group,rating\n" + "".join(
    f"{item},{who},g,{cell}\n"
    for item, cells in {
        "a": ("joy", "joy; fear", "fear"), "b": ("joy", "joy", "joy"), "c": (";", "fear", ""),
        "d": ("joy;fear", "fear;joy", "joy; anger"),
    }.items()
    for who, cell in zip(("ann", "bob", "cleo"), cells)
)  # fmt: skip


def test_sets_are_said_to_be_compared_whole(tmp_path):
    rules = ScaleRules(["joy", "fear", "anger"], measurement="nominal", sets=True)
    study = small(tmp_path, SETS, rules)
    for found in (study.within, study.pairs):
        assert found["note"].str.contains("sets of labels count as equal only if they are").all()
        assert found["note"].str.contains('label_sets.set_alpha("jaccard")', regex=False).all()
    assert "(nominal) of whole sets" in html(sections.summary(study))
    text, _ = methods.paragraph(study)
    assert "sets of the labels joy, fear, anger; two sets were counted as equal only" in text
    assert "fear; joy" not in text and "levels" not in text
    said = dict(zip(checklist.filled(study)["item"], checklist.filled(study)["answer"]))
    scale = said["The levels in order, and what they mean to the rater"]
    assert scale == "joy, fear, anger (sets of labels)"
    splits = study.splits.set_index("item")
    assert set(splits["measure"]) == {"share of ratings outside the majority"}
    assert splits.loc["a", "given"] == "fear | fear; joy | joy"
    assert splits.loc["c", "given"] == "no label | fear"
    page = html(sections.items(study))
    assert "outside the majority" in page and "range as a share" not in page


def test_labels_alone_have_no_note_on_sets(tmp_path):
    rules = ScaleRules(["joy", "fear"], measurement="nominal")
    text = "item,rater,group,rating\na,x,g,joy\na,y,g,fear\nb,x,g,joy\nb,y,g,joy\n"
    study = small(tmp_path, text, rules)
    assert not study.within["note"].str.contains("sets of labels").any()
    assert "whole sets" not in html(sections.summary(study))


def test_methods_say_what_was_done_and_cite_it(example):
    text, works = methods.paragraph(example)
    for part in (
        "4 raters rated 30 items on 2 dimensions (clear, warm)",
        "levels 1, 2, 3, 4, 5 (ordinal)",
        "7 ratings were missing",
        "Reversed before the analysis: raters cleo",
        "400 resamples",
        "seed 0",
        f"raters {methods.versions()['raters']}",
    ):
        assert part in text
    for work in works:
        name, year = re.match(r"(\w[\w-]+),.*?\((\d{4})\)", work).groups()
        assert re.search(rf"{name}.{{0,20}}{year}", text), work


# ------------------------------------------------------------------------------- checklist
def test_the_checklist_is_whole_and_filled_in(example):
    empty, full = checklist.table(), checklist.filled(example)
    assert empty["number"].tolist() == list(range(1, len(checklist.ITEMS) + 1))
    assert empty["item"].is_unique and empty["why"].str.len().min() > 10
    assert set(empty["status"]) == {checklist.FROM_DATA, checklist.PARTLY, checklist.YOURS}
    # What is said to come from the data does.
    answered = full["status"].isin([checklist.FROM_DATA, checklist.PARTLY])
    assert (full.loc[answered, "answer"] != "").all()
    assert (full.loc[full["status"] == checklist.YOURS, "answer"] == "").all()
    said = dict(zip(full["item"], full["answer"]))
    assert said["How many raters of each kind"] == "expert: 3 raters; judge: 1 rater"
    assert said["How many items"] == "30 items, 226 ratings"
    assert "1, 2, 3, 4, 5 (ordinal)" in said["The levels in order, and what they mean to the rater"]


def test_without_a_judge_its_points_do_not_apply(tmp_path):
    study = small(tmp_path, "item,rater,group,rating\na,ann,x,1\na,bob,x,2\nb,ann,x,2\nb,bob,x,2\n")
    full = checklist.filled(study)
    assert (full.loc[full["part"] == "Judge", "status"] == checklist.NOT_HERE).all()
    # What the data cannot say is the user's, and never empty with "from the data".
    blank = full["answer"] == ""
    assert set(full.loc[blank, "status"]) == {checklist.YOURS}


# -------------------------------------------------------------------------------- the place
@pytest.fixture
def quick(tmp_path, monkeypatch):
    """A report whose notebook is not run: for what happens to folders."""
    path = tmp_path / "r.csv"
    simulated.simulated(10, 2, 1, 5, 0.6, 0, 1).to_csv(path, index=False)

    def executed(part, _parameters):
        shutil.move(part / "template.ipynb", part / "report.ipynb")

    monkeypatch.setattr("raters.report.build.execute", executed)
    config = Config([LONG], FIVE)
    return tmp_path, lambda out, **more: report(path, out, config, resamples=5, **more)


def test_a_report_is_replaced_and_nothing_else_is(quick):
    place, make = quick
    out = place / "report"
    make(out)
    make(out)  # a report as it was written
    (out / "my notes.txt").write_text("mine")
    with pytest.raises(RatingsError, match="my notes.txt and is no report as raters wrote it"):
        make(out)
    (out / "my notes.txt").unlink()
    (out / "report.ipynb").write_text("changed by hand")
    with pytest.raises(RatingsError, match=r"report.ipynb and is no report"):
        make(out)
    make(out, replace=True)
    assert "changed" not in (out / "report.ipynb").read_text()
    (place / "empty").mkdir()
    make(place / "empty")
    other = place / "other"
    other.mkdir()
    (other / "provenance.json").write_text("[1]")
    with pytest.raises(RatingsError, match="other, which holds provenance.json"):
        make(other)
    assert not [name for name in os.listdir(place) if name.startswith(".")]


@pytest.mark.parametrize("replace", [False, True])
def test_no_folder_with_the_ratings_is_ever_replaced(quick, replace, monkeypatch):
    place, make = quick
    with pytest.raises(RatingsError, match="which holds r.csv"):
        make(place, replace=replace)
    with pytest.raises(RatingsError, match="which is no folder"):
        make(place / "r.csv", replace=replace)
    (place / "link").symlink_to(place.parent)
    with pytest.raises(RatingsError, match="link, which is no folder"):
        make(place / "link", replace=replace)
    with pytest.raises(RatingsError, match="a folder that is not there"):
        make(place / "no" / "report", replace=replace)
    (place / "here").mkdir()
    monkeypatch.chdir(place / "here")
    with pytest.raises(RatingsError, match="which holds here"):
        make(Path("."), replace=replace)


def test_what_goes_wrong_leaves_the_old_report_and_nothing_beside(quick, monkeypatch):
    place, make = quick
    out = make(place / "report")
    before = (out / "index.html").read_bytes()
    for error, expected in [
        (execute.NotebookError("ValueError", "oops"), "on which the report fails"),
        (
            execute.NotebookError("RatingsError", "Given: a. Allowed: b. To do: c."),
            "^Given: a. All",
        ),
        (OSError(28, "No space left on device"), "No space left"),
    ]:

        def fail(*_args, error=error):
            raise error

        monkeypatch.setattr("raters.report.build.execute", fail)
        with pytest.raises(RatingsError, match=expected):
            make(out)
        assert (out / "index.html").read_bytes() == before
        assert sorted(os.listdir(place)) == ["r.csv", "report"]


def test_a_cell_that_fails_is_named(tmp_path):
    cells = [
        nbformat.v4.new_code_cell("x = 1", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell("raise ValueError(f'x is {x!r}')"),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(book, tmp_path / execute.TEMPLATE)
    with pytest.raises(execute.NotebookError, match="ValueError: x is '1e3'"):
        execute.execute(tmp_path, {"x": "1e3"})


def running_report(study):
    """The command on the example study, when its notebook is on its way."""
    copy_to(study)
    command = [sys.executable, "-m", "raters", "report", "ratings.csv", "judge.jsonl"]
    process = subprocess.Popen(
        [*command, "--out", "report", "--quiet"], cwd=study, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not list(study.glob(".report.*.part/parameters.json")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    time.sleep(2)  # the kernel is on its way
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_nothing(tmp_path, number, code):
    study = tmp_path / "study"
    process = running_report(study)
    process.send_signal(number)
    err = process.communicate()[1]
    assert process.returncode == code and "Traceback" not in err
    assert sorted(os.listdir(study)) == ["crowd.csv", "judge.jsonl", "raters.toml", "ratings.csv"]


def test_what_a_killed_run_left_is_removed_by_the_next_one(tmp_path, monkeypatch):
    study = tmp_path / "study"
    process = running_report(study)
    (left,) = study.glob(".report.*.part")
    assert processes_of(left)
    process.kill()
    process.communicate()
    assert not (study / "report").exists()  # no half report
    # The process that ran the notebook ends as well, and its kernel with it.
    deadline = time.monotonic() + 60
    while processes_of(left):
        assert time.monotonic() < deadline
        time.sleep(0.2)

    def executed(part, _parameters):
        shutil.move(part / "template.ipynb", part / "report.ipynb")

    monkeypatch.setattr("raters.report.build.execute", executed)
    running = study / f".report.{os.getppid()}.part"  # of a run that still goes on
    running.mkdir()
    files = [study / "ratings.csv", study / "judge.jsonl"]
    report(files, study / "report", study / "raters.toml", resamples=5)
    here = sorted(name for name in os.listdir(study) if "report" in name)
    assert here == [running.name, "report"]


def processes_of(folder):
    """The processes that name a folder or work in it."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in (one / "cmdline").read_bytes() + os.fsencode(
                os.readlink(one / "cwd")
            ):
                found.append(one.name)
    return found


def test_a_report_that_a_killed_run_put_aside_comes_back(quick):
    place, make = quick
    out = make(place / "report")
    (out / "report.ipynb").write_text("changed by hand")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    out.rename(place / f".report.{ended.pid}.old")
    with pytest.raises(RatingsError, match=r"report.ipynb and is no report"):
        make(out)
    assert (out / "report.ipynb").read_text() == "changed by hand"
    make(out, replace=True)
    assert sorted(os.listdir(place)) == ["r.csv", "report"]


def test_half_tables_of_killed_runs_are_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name in ("x.csv", "y.csv"):
        (tmp_path / f".{name}.{ended.pid}.part").write_text("half")
    write_table(pd.DataFrame({"rating": [1]}), tmp_path / "x.csv")
    assert sorted(os.listdir(tmp_path)) == [f".y.csv.{ended.pid}.part", "x.csv"]
