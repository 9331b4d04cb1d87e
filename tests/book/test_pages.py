"""The last hand on the pages, and the parts that it puts in."""

import doctest
import re

import pytest

from book import conversation, judge_data, pages


def test_the_examples_are_true():
    for module in (pages, conversation):
        found = doctest.testmod(module)
        assert found.attempted and not found.failed


def test_a_part_that_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        pages.with_parts('<div data-part="talk"></div>', {})


def test_a_picture_is_as_large_as_its_file(tmp_path):
    (tmp_path / "a.svg").write_text(
        '<svg class="marks" width="586" height="98.5" viewBox="0 0 1 1">'
    )
    chart = '<img alt="x" class="chart-picture-narrow" loading="lazy" src="a.svg" />'
    page = f'<p>{chart}<img src="b.png"></p>'
    found = pages.sized(page, tmp_path)
    assert '<img width="586" height="98.5" alt="x" class="chart-picture-narrow"' in found
    assert '<img src="b.png">' in found


def test_what_a_shared_link_shows():
    page = (
        "<title>Is it? &#8212; Book</title><nav><p>Not this</p></nav><article>"
        '<p><strong>Question.</strong> What?</p><p><strong>Answer.</strong> It &lt; is "so".</p>'
    )
    head = pages.shared_as(page, "notebooks/01.html", "https://example.org/book/")
    said = dict(re.findall(r'(?:name|property)="([^"]*)" content="([^"]*)"', head))
    assert said["description"] == said["og:description"] == "It &lt; is &quot;so&quot;."
    assert said["og:title"] == "Is it?"
    assert said["og:url"] == "https://example.org/book/notebooks/01.html"
    assert said["og:image"] == "https://example.org/book/_static/share.png"


@pytest.fixture(
    scope="module", params=["simulated", pytest.param("published", marks=pytest.mark.real_data)]
)
def shown(request):
    return judge_data.build(request.param)


def test_each_rater_stands_at_the_level_that_was_given(shown):
    page = conversation.parts(shown)["minute"]
    place = next((n for n, i in enumerate(shown["items"]) if i["code"] == conversation.SHOWN), 0)
    questions = page.split("<fieldset>")[1:]
    assert len(questions) == 2
    for key, question in zip(conversation.ASKED, questions, strict=True):
        rows = question.split('<div class="minute-row">')[1:]
        assert len(rows) == 5
        at = {
            name.split()[0] if "crowd" in name else name: level
            for level, row in enumerate(rows, 1)
            for name in re.findall(r'html">([^<]*)</a>', row)
        }
        assert len(at) == 7
        given = shown["ratings"][key]
        for rater in shown["raters"]:
            if rater["group"] != "reference":
                assert at[rater["label"]] == round(given[rater["key"]][place])


@pytest.mark.parametrize(
    ("level", "side"), [(1, "nearer to the experts"), (5, "nearer to the models"), (3, "midway")]
)
def test_on_whose_side_a_reader_is(level, side):
    given = [("E", "expert", 1.0), ("F", "expert", 1.0), ("G", "llm", 5.0), ("c", "crowd", 1.3)]
    assert side in conversation._answer(level, given)


def test_where_experts_and_models_are_close_nobody_is_taken_for_right():
    given = [("E", "expert", 2.0), ("G", "llm", 2.0), ("c", "crowd", 4.0)]
    said = conversation._answer(1, given)
    assert "close to each other here, and the crowd stands apart" in said and "You" not in said


def test_text_is_text(shown):
    first = {**shown["items"][0], "code": "X", "turns": [["Seeker", "<script>alert(1)</script>"]]}
    page = conversation.parts({**shown, "items": [first]})["seven"]
    assert "<script" not in page and "&lt;script&gt;" in page
    assert page.count("<tr") == 7 and page.count("<th") >= 7 + 6
