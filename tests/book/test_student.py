"""Teaching: copies without solutions, the rating exercise, and the page for teachers."""

from __future__ import annotations

import ast
import csv
import io
import json
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor

import nbformat
import numpy as np
import pandas as pd
import pytest
from helpers import FIVE

import judging_empathy as paper
from book import judge_data, student
from book.build import run
from book.build.shared import ROOT, notebooks
from raters import agreement, check_ratings, pairwise

FOLDER = ROOT / "notebooks"
CHAPTERS = notebooks(ROOT)
PAGE = ROOT / "book" / "for-teachers.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, flags=re.S)
WITH_EXERCISES = [
    p
    for p in CHAPTERS
    if any(student.tagged(c, student.SOLUTION) for c in nbformat.read(p, 4).cells)
]


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="module")
def files():
    return student.copies(ROOT)


# -------------------------------------------------------------------------------- copies


def test_there_are_chapters_with_exercises():
    assert len(WITH_EXERCISES) == 11


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_copy_lacks_the_solutions_and_nothing_else(path, files):
    source = read(path).cells
    copy = nbformat.reads(files[path.name].decode(), as_version=4).cells
    kept = [c for c in source if student.SOLUTION not in c.metadata.get("tags", [])]
    assert [(c.id, c.source) for c in copy] == [(c.id, c.source) for c in kept]
    asked = [c for c in source if student.tagged(c, student.EXERCISE)]
    left = [c for c in copy if c.source.startswith("# your answer")]
    assert [c.id for c in left] == [c.id for c in asked]
    for cell in copy:
        if cell.cell_type == "code":
            ast.parse(cell.source)
            assert not cell.outputs and cell.execution_count is None


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=lambda path: path.stem)
def test_no_line_of_a_solution_is_left(path, files):
    source = read(path).cells
    secret, shown = (
        {
            line.strip()
            for c in source
            if student.tagged(c, student.SOLUTION) is hidden
            for line in c.source.splitlines()
            if len(line.strip()) > 20
        }
        for hidden in (True, False)
    )
    assert secret - shown
    text = files[path.name].decode()
    assert [line for line in secret - shown if json.dumps(line)[1:-1] in text] == []


def test_a_solution_that_is_text_goes_too():
    v4 = nbformat.v4
    words = v4.new_markdown_cell("It is 3.", metadata={"tags": ["solution"]})
    shown = v4.new_code_cell("1", outputs=[v4.new_output("stream", text="1")], execution_count=1)
    source = v4.new_notebook(cells=[shown, words])
    copy = student.without_solutions(source)
    assert [(c.source, c.outputs, c.execution_count) for c in copy.cells] == [("1", [], None)]
    assert len(source.cells) == 2 and source.cells[0].outputs  # the chapter is as it was


@pytest.mark.parametrize("name", ["02_from_scratch", "04_misleads"])
def test_a_copy_runs(name, files, tmp_path):
    source, target = tmp_path / f"{name}.ipynb", tmp_path / "run.ipynb"
    source.write_bytes(files[source.name])
    context = multiprocessing.get_context("spawn")
    parameters = {"study": "simulated", "resamples": 100, "seed": 3}
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        done = pool.submit(run.run_notebook, source, target, parameters, 120).result()
    assert done.failure == ""
    assert len(read(target).cells) == len(read(source).cells)


# ----------------------------------------------------------------------- writing the copies


def snapshot(folder):
    return {
        p.relative_to(folder).as_posix(): (p.read_bytes(), p.stat().st_mtime_ns)
        for p in folder.rglob("*")
        if p.is_file() and p.name != student.WRITTEN
    }


SMALL = {"01_a.ipynb": b"first", "class-exercise/form.csv": b"form"}


def test_a_second_call_changes_nothing(tmp_path):
    assert student.write(SMALL, tmp_path / "out") == {"written": 2, "kept": 0}
    before = snapshot(tmp_path / "out")
    assert {name: data for name, (data, _) in before.items()} == SMALL
    assert student.write(SMALL, tmp_path / "out") == {"written": 0, "kept": 2}
    assert snapshot(tmp_path / "out") == before


def test_a_changed_chapter_replaces_an_untouched_copy(tmp_path):
    student.write(SMALL, tmp_path)
    assert student.write({**SMALL, "01_a.ipynb": b"second"}, tmp_path) == {"written": 1, "kept": 1}
    assert (tmp_path / "01_a.ipynb").read_bytes() == b"second"


@pytest.mark.parametrize("chapter", [b"first", b"second"], ids=["same chapter", "new chapter"])
def test_work_of_a_student_is_never_overwritten_unasked(tmp_path, chapter):
    student.write(SMALL, tmp_path)
    (tmp_path / "01_a.ipynb").write_bytes(b"my work")
    before = snapshot(tmp_path)
    new = {**SMALL, "01_a.ipynb": chapter, "02_b.ipynb": b"new"}
    with pytest.raises(student.RatingsError, match=r"somebody has changed: 01_a\.ipynb.*--force"):
        student.write(new, tmp_path)
    assert snapshot(tmp_path) == before  # nothing was written, the new chapter neither
    assert student.write(new, tmp_path, force=True)["written"] == 2
    assert (tmp_path / "01_a.ipynb").read_bytes() == chapter


def test_a_file_that_was_there_before_is_not_overwritten(tmp_path):
    (tmp_path / "01_a.ipynb").write_bytes(b"of somebody else")
    with pytest.raises(student.RatingsError, match="somebody has changed"):
        student.write(SMALL, tmp_path)


def test_the_command_says_what_it_did(tmp_path, capsys):
    out = tmp_path / "out"
    assert student.main(["--out", str(out)]) == 0
    assert f"{len(CHAPTERS) + 2} files written, 0 up to date" in capsys.readouterr().out
    (out / CHAPTERS[1].name).write_text("mine", encoding="utf-8")
    assert student.main(["--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert all(part in said for part in ("Given:", "Allowed:", "To do:", CHAPTERS[1].name))
    assert student.main(["--out", str(out), "--force"]) == 0
    assert student.main(["--out", str(out), "--root", str(tmp_path)]) == 1
    assert "no chapter in" in capsys.readouterr().err


# ------------------------------------------------------------------- the rating exercise


def test_the_handout_has_every_conversation_and_no_answer():
    text = student.handout()
    for story in judge_data.read_stories(judge_data.STORIES):
        assert f"## {story['item']}" in text
        assert all(words in text for _, words in story["turns"])
    assert "meant" not in text and "written for this project" in text


def test_the_form_asks_for_every_conversation_on_every_dimension():
    rows = list(csv.DictReader(io.StringIO(student.form())))
    data = judge_data.build("simulated")
    assert list(rows[0]) == student.COLUMNS
    assert {(r["dimension"], r["item"]) for r in rows} == {
        (d["key"], item["code"]) for d in data["dimensions"] for item in data["items"]
    }
    assert len(rows) == len(data["dimensions"]) * len(data["items"])
    assert {r["framework"] for r in rows} == {data["framework"]}
    assert {(r["rater"], r["rating"]) for r in rows} == {("", "")}


def filled(rater, dimension, ratings):
    """A student's file, made from the form; what is not rated stays empty."""
    frame = pd.read_csv(io.StringIO(student.form()), dtype=str).assign(rater=rater)
    given = dict(zip(frame["item"].unique(), ratings))
    rated = frame["item"].map(given).where(frame["dimension"] == dimension)
    return frame.assign(rating=rated)


CLASS = {  # codes that a careless reader would take for numbers
    "07": [5, 2, 1, 1, 3, 4, 2, 5],
    "1e3": [4, 2, 2, 1, 3, 5, 1, 5],
    "cat": [5, 3, 1, 2, None, 4, 2, 4],
}


def run_block(number, names=None):
    names = {} if names is None else names
    exec(compile(BLOCKS[number], f"{PAGE.name}, block {number + 1}", "exec"), names)
    return names


def pairable(values):
    """Interval alpha, straight from its definition: pairs of ratings."""
    units = [[v for v in unit if v is not None] for unit in zip(*values)]
    units = [unit for unit in units if len(unit) > 1]
    pot = np.array([v for unit in units for v in unit], float)
    within = sum(
        sum((a - b) ** 2 for a in unit for b in unit) / (len(unit) - 1) for unit in units
    ) / len(pot)
    between = ((pot[:, None] - pot[None, :]) ** 2).sum() / (len(pot) * (len(pot) - 1))
    return 1 - within / between


@pytest.fixture
def class_folder(tmp_path, monkeypatch):
    (tmp_path / "class").mkdir()
    monkeypatch.chdir(tmp_path)

    def write(frames):
        for name, frame in frames.items():
            frame.to_csv(tmp_path / "class" / f"ratings-{name}.csv", index=False)

    return write


def test_a_class_in_three_lines(class_folder, capsys):
    class_folder({name: filled(name, "advice_giving", rated) for name, rated in CLASS.items()})
    lines = BLOCKS[0].split("\n\n")[-1].strip().splitlines()
    assert len(lines) == 3  # after the imports
    names = run_block(0)
    ratings = names["ratings"]
    assert sorted(ratings["rater"].unique()) == sorted(CLASS)
    found = agreement(ratings, FIVE).set_index("dimension").loc["advice_giving"]
    assert found["estimate"] == pytest.approx(pairable(CLASS.values()), abs=1e-12)
    assert (found["n_items"], found["n_ratings"]) == (8, 23)
    assert f" {found['estimate']:.2f} " in capsys.readouterr().out
    run_block(1, names)
    said = capsys.readouterr().out
    assert "weighted_kappa_quadratic" in said and "1e3" in said
    steps = ratings.groupby(["dimension", "item"])["rating"].std()
    assert f"{steps.max():.5f}" in said


def test_files_of_the_page_do_as_well(class_folder):
    frame = pd.concat(
        filled(name, "advice_giving", rated).dropna(subset="rating")
        for name, rated in CLASS.items()
    )
    class_folder(dict(list(frame.groupby("rater"))))
    ratings = check_ratings(run_block(0)["ratings"], FIVE)
    kappas = pairwise(ratings, FIVE, resamples=0)
    assert kappas["n_items"].tolist() == [8, 7, 7]


def test_a_form_without_a_code_is_refused(class_folder):
    class_folder({"nobody": filled(None, "advice_giving", CLASS["07"])})
    with pytest.raises(student.RatingsError, match="rater"):
        run_block(0)


def test_the_experts_beside_the_class(class_folder, monkeypatch, capsys):
    study = paper.load("simulated")
    items = study.query("framework == 'lend_an_ear'")["item"].unique()[:8]
    rows = [
        ("lend_an_ear", "advice_giving", item, name, "reader", level)
        for name, rated in CLASS.items()
        for item, level in zip(items, rated)
        if level is not None
    ]
    class_folder({"all": pd.DataFrame(rows, columns=student.COLUMNS)})
    monkeypatch.setattr(paper, "load", lambda: study)
    names = run_block(2, run_block(0))
    assert len(names["rated"]) == 3 * 8
    both = agreement(pd.concat([names["ratings"], names["rated"]]), FIVE, resamples=0)
    wide = study[study["item"].isin(items) & study["rater"].isin(paper.EXPERTS)]
    wide = wide.query("dimension == 'advice_giving'").pivot(
        index="rater", columns="item", values="rating"
    )
    value = both.set_index("group")["estimate"]
    assert value["expert"] == pytest.approx(pairable(wide.to_numpy().tolist()), abs=1e-12)
    assert value["reader"] == pytest.approx(pairable(CLASS.values()), abs=1e-12)
    assert "expert" in capsys.readouterr().out


@pytest.mark.real_data
def test_experts_agree_more_on_advice_than_on_understanding():
    experts = {"experts": list(paper.EXPERTS)}
    found = agreement(paper.load("published"), paper.scales(), groups=experts, resamples=0)
    value = found.set_index("dimension")["estimate"]
    assert value["advice_giving"] > value["demonstrating_understanding"]


# ------------------------------------------------------------------ the page for teachers


def anchors(path):
    """The anchors of a page's headings, as Markdown renderers make them."""
    if path.suffix == ".ipynb":
        text = "\n\n".join(c.source for c in read(path).cells if c.cell_type == "markdown")
    else:
        text = path.read_text(encoding="utf-8")
    heads = re.findall(r"^#{1,3} (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_link_for_teachers_leads_somewhere():
    links = re.findall(r"\]\(((?!http)[^)]+)\)", TEXT)
    assert len(links) > 30
    for link in links:
        target, _, anchor = link.partition("#")
        path = PAGE.parent / target
        found = [
            p for p in (path, path.with_suffix(".md"), path.with_suffix(".ipynb")) if p.is_file()
        ]
        assert found, link
        assert not anchor or anchor in anchors(found[0]), link


def test_the_page_has_a_goal_for_every_chapter():
    goals = TEXT.partition("## Learning goals")[2].partition("\n## ")[0]
    named = re.findall(r"\]\(\.\./notebooks/(\w+)\)", goals)
    assert named == [p.stem for p in CHAPTERS if not p.stem.startswith("00")]


def test_points_and_minutes_add_up():
    grading = TEXT.partition("## Grading")[2]
    points = [int(n) for n in re.findall(r"^\| (\d+) \|", grading, flags=re.M)]
    assert sum(points) == 20 and "Twenty points" in grading
    plan = TEXT.partition("## One meeting of 90 minutes")[2].partition("\n## ")[0]
    minutes = [int(n) for pair in re.findall(r"^\| (\d+)–(\d+) \|", plan, flags=re.M) for n in pair]
    assert minutes[0] == 0 and minutes[-1] == 90
    assert minutes[1:-1:2] == minutes[2::2]  # each part starts when the last one ends
