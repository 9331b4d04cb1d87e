"""The folder of the report: whole or not at all, the same each time."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from reports import FIVE, LONG

from raters import RatingsError
from raters.cli import simulated
from raters.examples import copy_to
from raters.io.config import Config
from raters.report import report, sections

pytestmark = pytest.mark.xdist_group("report")


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


def test_no_place_of_this_machine_is_in_the_report(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            assert str(folder.parent).encode() not in path.read_bytes(), path


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


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """A report of one section: for what happens to folders."""
    path = tmp_path / "r.csv"
    simulated.simulated(10, 2, 1, 5, 0.6, 0, 1).to_csv(path, index=False)

    monkeypatch.setattr(sections, "SECTIONS", sections.SECTIONS[:1])
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
        (ValueError("oops"), r"on which the report fails \(ValueError: oops\)"),
        (RatingsError("a", "b", "c"), "^Given: a. All"),
        (OSError(28, "No space left on device"), "No space left"),
    ]:

        def fail(_analysis, error=error):
            raise error

        monkeypatch.setattr(sections, "SECTIONS", [("In short", fail)])
        with pytest.raises(RatingsError, match=expected):
            make(out)
        assert (out / "index.html").read_bytes() == before
        assert sorted(os.listdir(place)) == ["r.csv", "report"]


def running_report(study):
    """The command on the example study, when its folder is being filled."""
    copy_to(study)
    command = [sys.executable, "-m", "raters", "report", "ratings.csv", "judge.jsonl"]
    process = subprocess.Popen(
        [*command, "--out", "report", "--quiet"], cwd=study, stderr=subprocess.PIPE, text=True
    )
    while not list(study.glob(".report.*.raters-part/raters.toml")):
        assert process.poll() is None
        time.sleep(0.005)
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_nothing(tmp_path, number, code):
    study = tmp_path / "study"
    process = running_report(study)
    there = set(os.listdir(study))
    process.send_signal(number)
    err = process.communicate()[1]
    assert process.returncode == code and "Traceback" not in err
    assert {name for name in there if not name.startswith(".")} == set(os.listdir(study))


def test_what_a_killed_run_left_is_removed_by_the_next_one(tmp_path, monkeypatch):
    study = tmp_path / "study"
    process = running_report(study)
    process.kill()
    process.communicate()
    assert not (study / "report").exists()  # no half report
    assert list(study.glob(".report.*.raters-part"))
    monkeypatch.setattr(sections, "SECTIONS", sections.SECTIONS[:1])
    running = study / f".report.{os.getppid()}.raters-part"  # of a run that still goes on
    running.mkdir()
    files = [study / "ratings.csv", study / "judge.jsonl"]
    report(files, study / "report", study / "raters.toml", resamples=5)
    here = sorted(name for name in os.listdir(study) if "report" in name)
    assert here == [running.name, "report"]


def test_a_report_that_a_killed_run_put_aside_comes_back(quick):
    place, make = quick
    out = make(place / "report")
    (out / "report.ipynb").write_text("changed by hand")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    out.rename(place / f".report.{ended.pid}.raters-old")
    with pytest.raises(RatingsError, match=r"report.ipynb and is no report"):
        make(out)
    assert (out / "report.ipynb").read_text() == "changed by hand"
    make(out, replace=True)
    assert sorted(os.listdir(place)) == ["r.csv", "report"]
