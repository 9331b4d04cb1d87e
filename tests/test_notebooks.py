"""The rules for notebooks, all in one place; `notebooks/_template.ipynb` shows them."""

from __future__ import annotations

import re

import build
import nbformat
import pytest

FOLDER = build.ROOT / "notebooks"
TEMPLATE = FOLDER / "_template.ipynb"
NOTEBOOKS = [TEMPLATE, *build.notebooks(build.ROOT)]
LONGEST = 15
# What the first cell says, before anything else.
FIRST = ("**Question.**", "**Answer.**")


def read(path):
    return nbformat.read(path, as_version=4)


def first_cell_says_what_the_chapter_is_about(cells):
    first = cells[0]
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        return "cell 1 has to be text that starts with the title: '# ...'"
    missing = [word for word in FIRST if word not in first.source]
    return f"cell 1 lacks {missing}" if missing else ""


def a_chapter_says_how_long_it_takes(cells):
    return "" if re.search(r"\*\d+ minutes", cells[0].source) else "cell 1 lacks '*N minutes.*'"


def only_the_first_cell_has_a_title(cells):
    texts = [c.source for c in cells[1:] if c.cell_type == "markdown"]
    extra = [t for t in texts if re.search(r"^# ", re.sub(r"```.*?```", "", t, flags=re.S), re.M)]
    return f"more than one title: {[t.splitlines()[0] for t in extra]}" if extra else ""


def cell_2_holds_the_parameters_of_the_template(cells):
    tagged = [i for i, c in enumerate(cells) if "parameters" in c.metadata.get("tags", [])]
    if tagged != [1]:
        return (
            f"the cells tagged `parameters` have to be cell 2 alone, not {[i + 1 for i in tagged]}"
        )
    same = cells[1].source == read(TEMPLATE).cells[1].source
    return "" if same else f"cell 2 has to read {read(TEMPLATE).cells[1].source!r}"


def outputs_are_not_stored(cells):
    full = [i for i, c in enumerate(cells, 1) if c.get("outputs") or c.get("execution_count")]
    return f"outputs are stored in cells {full}: run `make format`" if full else ""


def code_cells_are_short(cells):
    long = {
        i: len(c.source.splitlines())
        for i, c in enumerate(cells, 1)
        if c.cell_type == "code" and len(c.source.splitlines()) > LONGEST
    }
    return f"more than {LONGEST} lines in cells (cell: lines) {long}" if long else ""


def cells_are_not_empty(cells):
    empty = [i for i, c in enumerate(cells, 1) if not c.source.strip()]
    return f"cells {empty} are empty" if empty else ""


def cells_have_ids_of_their_own(cells):
    ids = [c.get("id", "") for c in cells]
    twice = sorted({i for i in ids if ids.count(i) > 1 or not i})
    return f"cell ids that are missing or stand twice: {twice}" if twice else ""


def nothing_points_out_of_the_repository(cells):
    # Also no installs: what a notebook needs is in the lock.
    pattern = r"(?m)^\s*[%!]\s*(pip|conda)|[\"'](/home/|/Users/|/root/|[A-Z]:\\)"
    found = [i for i, c in enumerate(cells, 1) if re.search(pattern, c.source)]
    return f"cells {found} hold an install command or a path of one machine" if found else ""


RULES = [
    first_cell_says_what_the_chapter_is_about,
    only_the_first_cell_has_a_title,
    cell_2_holds_the_parameters_of_the_template,
    outputs_are_not_stored,
    code_cells_are_short,
    cells_are_not_empty,
    cells_have_ids_of_their_own,
    nothing_points_out_of_the_repository,
]
CHAPTER_RULES = [a_chapter_says_how_long_it_takes]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_follows_the_rules(path):
    notebook = read(path)
    nbformat.validate(notebook)
    rules = RULES + ([] if path.stem.startswith("00") else CHAPTER_RULES)
    broken = [said for rule in rules if (said := rule(notebook.cells))]
    assert broken == [], f"{path.name}: " + "; ".join(broken)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_carries_nothing_of_the_machine_it_was_written_on(path):
    kept = read(path).metadata
    assert set(kept) <= {"kernelspec", "language_info"}
    assert (kept["kernelspec"]["name"], kept["kernelspec"]["language"]) == ("python3", "python")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_takes_the_parameters_of_the_build(path):
    build.check_parameters(path, vars(build.Options()))
    given = {name: node.value for name, node in build._defaults(read(path).cells[1]).items()}
    assert given == vars(build.Options())


def test_the_table_of_contents_and_the_notebooks_agree():
    toc = (build.ROOT / "_toc.yml").read_text(encoding="utf-8")
    named = re.findall(r"notebooks/(\w+)\s*$", toc, flags=re.M)
    assert sorted(named) == [p.stem for p in build.notebooks(build.ROOT)]


def test_the_template_runs(tmp_path):
    """With simulated ratings: a new chapter starts from something that works."""
    target = tmp_path / "template.ipynb"
    context = build.multiprocessing.get_context("spawn")
    parameters = {"study": "simulated", "resamples": 100, "seed": 1}
    with build.ProcessPoolExecutor(1, mp_context=context) as pool:
        run = pool.submit(build.run_notebook, TEMPLATE, target, parameters, 120).result()
    assert run.failure == ""
    assert any(out.output_type == "execute_result" for out in read(target).cells[4].outputs)


@pytest.mark.parametrize(
    ("rule", "cell", "change"),
    [
        (first_cell_says_what_the_chapter_is_about, 0, {"source": "# Title"}),
        (a_chapter_says_how_long_it_takes, 0, {"source": "# Title"}),
        (only_the_first_cell_has_a_title, 3, {"source": "# Another"}),
        (cell_2_holds_the_parameters_of_the_template, 1, {"source": 'study = "auto"'}),
        (cell_2_holds_the_parameters_of_the_template, 1, {"metadata": {}}),
        (outputs_are_not_stored, 2, {"execution_count": 1}),
        (code_cells_are_short, 2, {"source": "x = 1\n" * 16}),
        (cells_are_not_empty, 2, {"source": " "}),
        (cells_have_ids_of_their_own, 2, {"id": "title"}),
        (nothing_points_out_of_the_repository, 2, {"source": "%pip install raters"}),
    ],
)
def test_a_rule_notices(rule, cell, change):
    cells = read(TEMPLATE).cells
    assert rule(cells) == ""
    cells[cell].update(change)
    assert rule(cells) != ""
