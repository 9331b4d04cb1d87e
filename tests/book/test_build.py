"""The pipeline of book/build, on a small book of its own in a temporary folder."""

from __future__ import annotations

import doctest
import json
import runpy
import shutil
import sys

import nbformat
import pandas as pd
import pytest
import yaml

from book.build import kernels, run, shared, site, stage, vendor
from book.build.__main__ import main
from judging_empathy import book_chart
from judging_empathy.study import TABLES, Study
from raters.show import renderer as book_renderer

REAL = shared.ROOT
DEFAULTS = 'study = "auto"\nresamples = 2000\nseed = 2025'
AGREE = """import csv
rows = list(csv.DictReader(open("../data/ratings.csv")))
agree = sum(row["expert"] == row["judge"] for row in rows)
print(f"agreement {agree}/{len(rows)}")"""
FIRST = "item,expert,judge\n1,a,a\n2,b,b\n3,a,b\n4,b,b\n"
SECOND = "item,expert,judge\n1,a,b\n2,b,a\n3,a,b\n4,b,b\n5,a,a\n"


def chart_cell(description):
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": [{"x": 1, "y": "</script>"}]},
        "mark": "point",
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
        **({"description": description} if description else {}),
    }
    return (
        "from IPython.display import display\n"
        f"display({{{book_renderer.MIME!r}: {spec!r}}}, raw=True)"
    )


def write_notebook(root, name, *sources, parameters=DEFAULTS):
    """A notebook with a title, a parameters cell (or none) and code cells."""
    v4 = nbformat.v4
    cells = [v4.new_markdown_cell(f"# The page {name}")]
    if parameters:
        cells.append(v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}))
    cells += [v4.new_code_cell(source) for source in sources]
    for number, cell in enumerate(cells):
        cell["id"] = f"{name}-{number}"
    notebook = v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    nbformat.write(notebook, root / "notebooks" / f"{name}.ipynb")


def make_project(root, *, pages=True):
    for folder in ("notebooks", "book", "data/raw", "src"):
        (root / folder).mkdir(parents=True)
    (root / "data" / "ratings.csv").write_text(FIRST)
    (root / "src" / "helper.py").write_text("ONE = 1\n")
    (root / "requirements.txt").write_text("numpy==1\n")
    write_notebook(root, "one", AGREE)
    write_notebook(root, "two", "print(repr(seed), repr(study))")
    if pages:
        shutil.copytree(REAL / "book" / "_static", root / "book" / "_static")
        shutil.copy(REAL / "_config.yml", root)
        shutil.copy(REAL / "book" / "pages.py", root / "book")
        (root / "book" / "references.bib").write_text("")
        (root / "book" / "prose.md").write_text("# Prose\n\nSee [one](../notebooks/one.ipynb).\n")
        (root / "_toc.yml").write_text(
            "format: jb-book\nroot: notebooks/one\nchapters:\n"
            "  - file: notebooks/two\n  - file: book/prose\n  - file: book/status\n"
        )
    return root


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project")


def built(root, *more):
    return main(["--root", str(root), "--study", "simulated", *more])


def executed(root):
    return sorted(p.name for p in (root / "_build" / "executed").glob("*.ipynb"))


def page(root, name):
    return (root / "_build" / "html" / name).read_text(encoding="utf-8")


def files_of(folder):
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


# ---------------------------------------------------------------------------- whole builds


def test_a_book_follows_its_inputs_and_is_the_same_each_time(tmp_path, capsys):
    root = make_project(tmp_path / "project")
    write_notebook(root, "two", chart_cell("A point, for example."), "print(seed, study)")
    before = files_of(root)
    assert built(root, "--seed", "7") == 0
    assert "0 notebooks are up to date, 2 to run" in capsys.readouterr().out
    assert "agreement 3/4" in page(root, "notebooks/one.html")
    two = page(root, "notebooks/two.html")
    assert "7 simulated" in two
    assert 'alt="A point, for example."' in two
    for kind in ("chart-spec", "chart-narrow"):
        text = two.partition(f'class="{kind}">')[2].partition("</script>")[0]
        assert json.loads(text)["data"]["values"][0]["y"] == "</script>"
    status = page(root, "book/status.html")
    assert "The page two" in status and "edit/main/book/build/stage.py" in status
    for name in ("notebooks/one.html", "book/prose.html", "genindex.html", "search.html"):
        assert shared.SIMULATED in page(root, name), name
        assert "resamples 2000, seed 7" in page(root, name), name
    assert "edit/main/notebooks/two.ipynb" in two and "lab/tree/notebooks/two.ipynb" in two
    assert site.last_options(root) == shared.Options("simulated", 2000, 7)
    # nothing outside _build was touched
    assert {k: v for k, v in files_of(root).items() if not k.startswith("_build/")} == before

    # nothing changed: nothing runs
    made = {p: p.stat().st_mtime_ns for p in (root / "_build").rglob("*") if p.is_file()}
    assert built(root, "--seed", "7") == 0
    out = capsys.readouterr().out
    assert "2 notebooks are up to date, 0 to run" in out and "the pages are up to date" in out
    assert made == {p: p.stat().st_mtime_ns for p in (root / "_build").rglob("*") if p.is_file()}

    # new ratings, new numbers: no page is made from the old ones
    (root / "data" / "ratings.csv").write_text(SECOND)
    assert built(root, "--seed", "7") == 0
    assert "agreement 2/5" in page(root, "notebooks/one.html")
    assert "agreement 3/4" not in page(root, "notebooks/one.html")

    # another folder, the same inputs: the same bytes
    twin = tmp_path / "elsewhere" / "twin"
    shutil.copytree(root, twin, ignore=shutil.ignore_patterns("_build"))
    assert built(twin, "--seed", "7") == 0
    pages = [files_of(folder / "_build" / "html") for folder in (root, twin)]
    times = [files.pop(f"_static/{site.RUN_TIMES}").decode() for files in pages]
    assert pages[0] == pages[1]
    for text in times:  # the one file that two builds do not share
        seconds = json.loads(text.removeprefix("globalThis.runTimes = ").rstrip().rstrip(";"))
        assert sorted(seconds) == ["one.ipynb", "two.ipynb"] and min(seconds.values()) > 0
    for name in executed(root):
        copies = [r / "_build" / "executed" / name for r in (root, twin)]
        assert copies[0].read_bytes() == copies[1].read_bytes()
    assert str(tmp_path).encode() not in b"".join(files_of(twin / "_build" / "html").values())


def test_warnings_of_the_pages_stop_the_build_each_time(project, capsys):
    assert built(project) == 0
    (project / "book" / "prose.md").write_text("# Prose\n\nSee [none](nowhere.md).\n")
    for _ in range(2):  # Sphinx alone is silent the second time
        assert built(project) == 1
        told = capsys.readouterr().err
        assert "book/prose.md" in told and "nowhere.md" in told and "To do:" in told
        assert not (project / "_build" / "html").exists()
        assert site.last_options(project) is None
    write_notebook(project, "two", chart_cell(""))
    (project / "book" / "prose.md").write_text("# Prose\n")
    assert built(project) == 1
    assert "a chart without a description" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            ("--study", "publish"),
            "Given: STUDY=publish\n\nAllowed: auto or published or simulated.",
        ),
        (
            ("--resamples", "many"),
            "Given: RESAMPLES=many\n\nAllowed: a whole number of 100 or more.",
        ),
        (("--resamples", "1e3"), "Given: RESAMPLES=1e3"),
        (("--resamples", "99"), "Given: RESAMPLES=99"),
        (("--seed", "-1"), "Allowed: a whole number of 0 or more."),
        (("--timeout", "0"), "Given: TIMEOUT=0"),
        (("--jobs", "x"), "Given: --jobs=x"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_and_leaves_the_book(given, told, project, capsys):
    pages = a_finished_book(project)
    assert built(project, *given) == 1
    error = capsys.readouterr().err
    assert told in error and "To do: " in error and "is left as it was" in error
    assert pages.read_text() == "an earlier book" and executed(project) == []


def test_a_mistyped_folder_of_ratings_leaves_the_book(project, monkeypatch, capsys):
    pages = a_finished_book(project)
    monkeypatch.setenv("RATERS_DATA", str(project / "no-such-folder"))
    assert main(["--root", str(project), "--study", "published"]) == 1
    error = capsys.readouterr().err
    assert "no-such-folder" in error and "is left as it was" in error
    assert pages.read_text() == "an earlier book"
    assert site.last_options(project) == shared.Options()


def a_finished_book(root):
    pages = root / "_build" / "html" / "index.html"
    pages.parent.mkdir(parents=True)
    pages.write_text("an earlier book")
    said = {"key": "key", "options": {"study": "auto", "resamples": 2000, "seed": 2025}}
    (root / "_build" / "site.json").write_text(json.dumps(said))
    return pages


# -------------------------------------------------------------------------- failing notebooks


def test_a_failing_cell_stops_the_build_and_nothing_is_published(project, capsys):
    write_notebook(
        project,
        "two",
        "n_pairs = 0",
        "if n_pairs == 0:\n    raise ValueError('no rating pairs were read')",
        "print('kappa', 0.71)",
    )
    old = project / "_build" / "html"
    old.mkdir(parents=True)
    (old / "index.html").write_text("an earlier book")
    assert built(project) == 1
    told = capsys.readouterr().err
    assert "two.ipynb failed in cell 4 of 5" in told
    assert "    if n_pairs == 0:" in told
    assert "ValueError: no rating pairs were read" in told
    assert "\x1b" not in told
    assert not old.exists()
    assert executed(project) == ["one.ipynb", "two.partial.ipynb"]
    assert not (project / "_build" / "executed" / "two.json").exists()
    # one.ipynb is kept, and two.ipynb is tried again
    assert built(project) == 1
    assert "1 notebooks are up to date, 1 to run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import time\ntime.sleep(60)", "more than 4 s. If it needs the time: --timeout 16"),
        ("import sys\nsys.exit(0)", "the cells below did not run"),
        ("import os\nos._exit(3)", "DeadKernelError"),
        ("import warnings\nwarnings.warn('odd')", "A cell wrote to stderr"),
        ("x = )", "SyntaxError"),
    ],
    ids=["hangs", "exits", "dies", "warns", "is no Python"],
)
def test_a_cell_that(source, told, tmp_path, capfd):
    root = make_project(tmp_path / "project", pages=False)
    write_notebook(root, "two", "1 + 1", source, "print('the end')")
    # generous for a busy machine, and far below the minute that the cell would sleep
    assert built(root, "--only", "two", "--timeout", "4") == 1
    error = capfd.readouterr().err
    assert "two.ipynb failed in cell 4 of 5" in error
    assert told in error and source.splitlines()[-1] in error
    assert "two.ipynb" not in executed(root)


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ("", "0 cells tagged `parameters` in two.ipynb"),
        ('study = "auto"\nseed = 1', "no resamples in the parameters cell of two.ipynb"),
    ],
)
def test_a_notebook_that_would_ignore_its_parameters_is_refused(parameters, told, tmp_path, capsys):
    root = make_project(tmp_path / "project", pages=False)
    write_notebook(root, "two", "print(1)", parameters=parameters)
    assert built(root) == 1
    assert told in capsys.readouterr().err
    assert executed(root) == []


def test_text_parameters_stay_text_and_the_copy_says_what_it_ran_with(tmp_path):
    root = make_project(tmp_path / "project", pages=False)
    given = {"rater_id": "007", "run": "1e3", "label": "None", "level": "no", "n": 3}
    defaults = 'rater_id = "000"  # text — "always"\nrun = "base"\n'
    defaults += 'label = "none"\nlevel = "nominal"\nn = 1'
    write_notebook(
        root,
        "two",
        "print(repr(rater_id), repr(run), repr(label), repr(level), repr(n))",
        parameters=defaults,
    )
    run.run_notebooks(root, ["two"], {"two": "key"}, given, jobs=1, timeout=60)
    copy = nbformat.read(root / "_build" / "executed" / "two.ipynb", as_version=4)
    assert copy.cells[2].outputs[0].text == "'007' '1e3' 'None' 'no' 3\n"
    assert copy.cells[1].source == (
        'rater_id = "007"  # text — "always"\nrun = "1e3"\nlabel = "None"\nlevel = "no"\nn = 3'
    )
    assert [c.get("execution_count") for c in copy.cells] == [None, 1, 2]
    assert "papermill" not in copy.metadata
    assert all(not {"papermill", "execution"} & set(c.metadata) for c in copy.cells)
    note = json.loads((root / "_build" / "executed" / "two.json").read_text())
    assert {name: note[name] for name in given} == given


# ------------------------------------------------------------------------ what is run again


def changed(root, parameters, change):
    before = run.keys(root, parameters)
    change()
    after = run.keys(root, parameters)
    return sorted(name for name in after if after[name] != before.get(name))


@pytest.mark.parametrize(
    ("place", "again"),
    [
        ("notebooks/two.ipynb", ["two"]),
        ("notebooks/_template.ipynb", []),
        ("src/helper.py", ["one", "two"]),
        ("src/new.py", ["one", "two"]),
        ("data/ratings.csv", ["one", "two"]),
        ("requirements.txt", ["one", "two"]),
        ("data/raw/download.csv", []),
        ("src/__pycache__/helper.cpython-311.pyc", []),
        ("book/prose.md", []),
        ("README.md", []),
    ],
)
def test_what_runs_again_after_a_change_to(place, again, project):
    def change():
        path = project / place
        path.parent.mkdir(exist_ok=True)
        path.write_text((path.read_text() if path.exists() else "") + " ")

    assert changed(project, {"seed": 1}, change) == again


def test_other_parameters_are_another_run(project):
    assert run.keys(project, {"seed": 1}) != run.keys(project, {"seed": 2})
    assert run.keys(project, {"seed": 1}) != run.keys(project, {"seed": "1"})


def test_a_run_copy_that_was_touched_is_not_taken_for_the_result(project):
    folder = project / "_build" / "executed"
    folder.mkdir(parents=True)
    (folder / "one.ipynb").write_bytes(b"whole")
    run.note_run(folder, run.Run("one", 1.0), "key", {})
    assert run.is_fresh(project, "one", "key")
    assert not run.is_fresh(project, "one", "another key")
    (folder / "one.ipynb").write_bytes(b"who")
    assert not run.is_fresh(project, "one", "key")


# ------------------------------------------------------------- what chapters have in common


def test_the_modules_that_notebooks_import_are_found():
    assert doctest.testmod(kernels).failed == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOOK_IMPORTS", "no_such_module colorsys")
        runpy.run_path(str(REAL / "book" / "build" / "imports.py"))
        assert "colorsys" in sys.modules


def test_a_kernel_has_its_own_folder_and_variables_and_does_not_see_the_builder(tmp_path):
    root = make_project(tmp_path / "project", pages=False)
    told = (
        'import os, sys\nprint(os.getcwd())\nprint(os.environ["PYTHONHASHSEED"])\nprint(sys.path)'
    )
    write_notebook(root, "two", told)
    assert built(root, "--only", "two") == 0
    copy = nbformat.read(root / "_build" / "executed" / "two.ipynb", as_version=4)
    folder, seed, path = copy.cells[2].outputs[0].text.splitlines()
    assert (folder, seed) == (str(root / "notebooks"), "0")
    assert repr(str(REAL)) not in path


def test_a_table_of_the_study_is_made_once_for_all_chapters(tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGING_EMPATHY_TABLES", str(tmp_path))
    first = Study("simulated").table("vif")
    monkeypatch.setitem(TABLES, "vif", lambda: pytest.fail("made again"))
    again = Study("simulated").table("vif")
    pd.testing.assert_frame_equal(first, again)
    assert first.attrs == again.attrs and len(list(tmp_path.iterdir())) == 1


def test_kept_tables_belong_to_one_state_of_code_and_data(project):
    before = run.shared_tables(project, {"seed": 1})
    (before / "vif.pickle").write_bytes(b"")
    assert list(run.shared_tables(project, {"seed": 1}).iterdir())
    (project / "src" / "helper.py").write_text("ONE = 2\n")
    assert not list(run.shared_tables(project, {"seed": 1}).iterdir()) and not before.exists()


# ------------------------------------------------------------------------------- the pieces


def test_the_copy_holds_what_it_should_and_leaves_the_rest_alone(tmp_path):
    source = tmp_path / "source.txt"
    source.write_text("same")
    folder = tmp_path / "copy"
    shared.sync(folder, {"a/same.txt": source, "b.txt": b"1", "gone.txt": b"x"})
    before = (folder / "a" / "same.txt").stat().st_mtime_ns
    shared.sync(folder, {"a/same.txt": source, "b.txt": b"2"})
    assert files_of(folder) == {"a/same.txt": b"same", "b.txt": b"2"}
    assert (folder / "a" / "same.txt").stat().st_mtime_ns == before


def test_the_published_ratings_are_named_by_their_list_of_files(project):
    (project / "data" / "registry.txt").write_text("a.csv 00\n")
    published = {"study": "published", "resamples": 5, "seed": 6}
    said = stage.made_from(project, published)
    assert said.startswith("Computed from the published ratings (list of files: sha256 ")
    assert said.endswith("resamples 5, seed 6.")
    banner = {
        study: yaml.safe_load(stage.book_config(project, {**published, "study": study}))["html"]
        for study in ("published", "simulated")
    }
    assert "announcement" not in banner["published"]
    assert shared.SIMULATED in banner["simulated"]["announcement"]


def test_an_unknown_notebook_is_named_with_the_known_ones(project, capsys):
    assert built(project, "--only", "three") == 1
    told = capsys.readouterr().err
    assert "'three'" in told and "one, two" in told


def test_a_chart_of_another_kind_is_left_to_others():
    class Data:
        mime_type = "text/html"

    assert book_chart.BookChart.handle_mime(None, Data, False) is None


def test_a_chart_brings_what_each_viewer_can_show(monkeypatch):
    alt = pytest.importorskip("altair")
    kept = alt.renderers.active
    try:
        assert book_renderer.enable() == "raters"
        chart = alt.Chart(alt.Data(values=[{"x": 1}]), description="One point.").mark_point()
        bundle, sizes = chart._repr_mimebundle_(None, None)
        assert set(bundle) == {book_renderer.MIME, "image/png", "text/plain"}
        assert bundle["text/plain"] == sizes["image/png"]["alt"] == "One point."
        assert bundle["image/png"].startswith(b"\x89PNG") and sizes["image/png"]["width"] > 10
        again, _ = chart._repr_mimebundle_(None, None)
        assert again == bundle
        monkeypatch.setitem(sys.modules, "google.colab", None)
        assert book_renderer.enable() == "default"
    finally:
        alt.renderers.enable(kept)


def test_the_scripts_are_written_once_and_need_no_network(tmp_path):
    first = vendor.scripts(tmp_path / "vendor")
    script = tmp_path / "vendor" / "vega.js"
    text = script.read_text(encoding="utf-8")
    assert text.startswith("(() => {")  # in a function: `_` is taken on every page of Sphinx
    assert any(name.startswith("mathjax/output/chtml/fonts/") for name in first)
    written = script.stat().st_mtime_ns
    assert vendor.scripts(tmp_path / "vendor") == first
    assert script.stat().st_mtime_ns == written
    (tmp_path / "vendor" / "versions.json").write_text("{}")
    vendor.scripts(tmp_path / "vendor")
    assert script.read_text(encoding="utf-8") == text


def test_the_repository_s_address_stands_in_one_place():
    address = yaml.safe_load((REAL / "_config.yml").read_text())["repository"]["url"]
    address = address.partition("//")[2]
    kinds = {"", ".py", ".md", ".yml", ".toml", ".ipynb", ".cff"}
    paths = [p for p in REAL.glob("*") if p.is_file()]
    for folder in ("book", "notebooks", "src", "tests", ".github", ".binder"):
        paths += shared.tree(REAL / folder)
    texts = {p: p.read_text(encoding="utf-8") for p in paths if p.suffix in kinds}
    assert [p.name for p, text in texts.items() if address in text] == ["_config.yml"]
