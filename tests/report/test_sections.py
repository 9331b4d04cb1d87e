"""What the sections of the report say."""

import re

import pytest
from reports import FIVE, SETS, html, small

from raters.io.config import ScaleRules
from raters.report import build, checklist, methods, sections

pytestmark = pytest.mark.xdist_group("report")


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
         ["Scales without an order", "Cohen's kappa", "Verdicts on m"]),
        ("item,rater,group,rating\na,ann,expert,\na,bob,expert,3\nb,ann,expert,4\n", FIVE,
         ["1 missing"]),
    ],
)  # fmt: skip
def test_every_section_says_something_of_poor_data(tmp_path, text, scale, words):
    analysis = small(tmp_path, text, scale)
    found = [make(analysis) for _, make in sections.SECTIONS]
    pages = [html(one) for one in found]
    assert all(len(one) > 60 for one in pages) and all(repr(one) for one in found)
    for word in words:
        assert word in "".join(pages)
    assert "nan" not in "".join(re.sub(r"base64,[^\"]+", "", one) for one in pages).lower().split()


def test_the_summary_says_each_verdict_of_how_many_dimensions(example, tmp_path):
    assert "Judge judge-1: no verdict on 2 of 2 dimensions." in html(sections.summary(example))
    # The judge gives the opposite of what both experts give.
    rows = [
        (i, who, g, v)
        for i, x in enumerate([1, 2, 4, 5] * 5)
        for who, g, v in (("ann", "expert", x), ("bob", "expert", x), ("cem", "judge", 6 - x))
    ]
    text = "item,rater,group,rating\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    analysis = small(tmp_path, text)
    said = html(sections.summary(analysis))
    assert "Judge cem: below the experts' agreement on 1 of 1 dimension." in said
    # 6 - x has the mean of x: there is no shift to gain from.
    chart = html(sections.level_or_order(analysis))
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
    for name in ("one expert at a time", "one expert left out", "experts' median"):
        assert name in page


def test_one_row_is_no_rows(example, tmp_path):
    said = html(build.write_tables(example, tmp_path / "tables"))
    assert not re.search(r"(?<![\d,])1 rows", said) and re.search(r"\d rows", said)
    text = "item,rater,group,rating\n" + "".join(
        f"i{n},ann,g,{n}\ni{n},bob,g,{n}\n" for n in range(1, 16)
    )
    page = html(sections.data(small(tmp_path, text, ScaleRules(list(range(1, 16))))))
    assert "1 line with 15 levels" in page


def test_sets_are_said_to_be_compared_whole(tmp_path):
    rules = ScaleRules(["joy", "fear", "anger"], measurement="nominal", sets=True)
    analysis = small(tmp_path, SETS, rules)
    for found in (analysis.within, analysis.pairs):
        assert found["note"].str.contains("sets of labels count as equal only if they are").all()
        assert found["note"].str.contains('label_sets.set_alpha("jaccard")', regex=False).all()
    assert "(nominal) of whole sets" in html(sections.summary(analysis))
    text, _ = methods.paragraph(analysis)
    assert "sets of the labels joy, fear, anger; two sets were counted as equal only" in text
    assert "fear; joy" not in text and "levels" not in text
    said = dict(zip(checklist.filled(analysis)["item"], checklist.filled(analysis)["answer"]))
    scale = said["The levels in order, and what they mean to the rater"]
    assert scale == "joy, fear, anger (sets of labels)"
    splits = analysis.splits.set_index("item")
    assert set(splits["measure"]) == {"share of ratings outside the majority"}
    assert splits.loc["a", "given"] == "fear | fear; joy | joy"
    assert splits.loc["c", "given"] == "no label | fear"
    page = html(sections.items(analysis))
    assert "outside the majority" in page and "range as a share" not in page


def test_labels_alone_have_no_note_on_sets(tmp_path):
    rules = ScaleRules(["joy", "fear"], measurement="nominal")
    text = "item,rater,group,rating\na,x,g,joy\na,y,g,fear\nb,x,g,joy\nb,y,g,joy\n"
    analysis = small(tmp_path, text, rules)
    assert not analysis.within["note"].str.contains("sets of labels").any()
    assert "whole sets" not in html(sections.summary(analysis))
