"""The checklist, and the paragraph on methods."""

import re
import subprocess
import sys

import pytest
from reports import small

from raters.report import checklist, methods

pytestmark = pytest.mark.xdist_group("report")


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
    analysis = small(
        tmp_path, "item,rater,group,rating\na,ann,x,1\na,bob,x,2\nb,ann,x,2\nb,bob,x,2\n"
    )
    full = checklist.filled(analysis)
    assert (full.loc[full["part"] == "Judge", "status"] == checklist.NOT_HERE).all()
    # What the data cannot say is the user's, and never empty with "from the data".
    blank = full["answer"] == ""
    assert set(full.loc[blank, "status"]) == {checklist.YOURS}


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


def test_the_checklist_alone_loads_nothing_of_the_report():
    code = "import sys; from raters.report import checklist; print('raters.report.build' in "
    code += "sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False"
