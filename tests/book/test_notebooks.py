"""The rules for notebooks, all in one place; `notebooks/_template.ipynb` shows them."""

from __future__ import annotations

import ast
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor

import nbformat
import pytest

from book.build import run
from book.build.shared import ROOT, Options, notebooks

FOLDER = ROOT / "notebooks"
TEMPLATE = FOLDER / "_template.ipynb"
NOTEBOOKS = [TEMPLATE, *notebooks(ROOT)]
LONGEST = 15
# The chapters whose lesson stands in the page, and how many of their cells may be hidden.
LESSONS = ("03_experts", "06_models", "07_crowd", "09_robustness", "11_plan")
MOST_HIDDEN = 0.45
ON_YOUR_OWN = ("03_experts", "06_models", "07_crowd")
# What the first cell says, before anything else.
FIRST = ("**Question.**", "**Answer.**")
# An exercise: this heading, a cell tagged `exercise`, and cells tagged `solution`.
KINDS = ("Predict, then run", "Repair this", "Which coefficient", "Your own data")
ASKS = re.compile(rf"### Exercise (\d+)\. ({'|'.join(map(re.escape, KINDS))}): \S")
ANSWER = "# your answer"
# The index asks nothing, and the template shows one; every other chapter has two to four.
MAY_HAVE_NONE = ("00_index", "_template")


def read(path):
    return nbformat.read(path, as_version=4)


def first_cell_says_what_the_chapter_is_about(cells):
    first = cells[0]
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        return "cell 1 has to be text that starts with the title: '# ...'"
    computed = any(cell.source.endswith('answer["short"]') for cell in cells[:5])
    wanted = FIRST[:1] if computed else FIRST  # an answer with numbers is written by code
    missing = [word for word in wanted if word not in first.source]
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


def tags(cell):
    return cell.metadata.get("tags", [])


def is_heading(cell):
    return cell.cell_type == "markdown" and cell.source.startswith("## ")


def exercises(cells):
    """The cells of each exercise, from its heading on."""
    heads = [i for i, cell in enumerate(cells) if is_heading(cell)]
    start = [i for i in heads if cells[i].source.startswith("## Exercises")]
    found = []
    for cell in cells[start[0] + 1 :] if start else []:
        if is_heading(cell):
            break
        if cell.cell_type == "markdown" and cell.source.startswith("### "):
            found.append([])
        if found:
            found[-1].append(cell)
    return found


def exercises_have_one_form(cells):
    wrong = []
    for number, (first, *rest) in enumerate(exercises(cells), 1):
        heading = ASKS.match(first.source)
        kinds = ["".join(t for t in ("exercise", "solution") if t in tags(c)) for c in rest]
        asked = heading and int(heading[1]) == number and len(first.source.splitlines()) > 1
        in_order = kinds[:1] == ["exercise"] and set(kinds[1:]) == {"solution"}
        if not (asked and in_order and rest[0].source.startswith(ANSWER)):
            wrong.append(number)
    inside = {c.id for cells_of in exercises(cells) for c in cells_of}
    stray = [c.id for c in cells if {"exercise", "solution"} & set(tags(c)) and c.id not in inside]
    if not wrong and not stray:
        return ""
    return (
        f"exercises {wrong} or cells {stray}: an exercise is '### Exercise N. Kind: title' with "
        f"Kind one of {KINDS} and the task below it, a code cell tagged `exercise` that starts "
        f"with {ANSWER!r}, and code cells tagged `solution`"
    )


def solutions_are_hidden(cells):
    shown = []
    for number, rest in enumerate(exercises(cells), 1):
        for cell in rest:
            if "solution" not in tags(cell):
                continue
            words = cell.metadata.get("mystnb", {}).get("code_prompt_show", "")
            in_lab = cell.metadata.get("jupyter", {})
            named = words.startswith(f"Show the solution of exercise {number}")
            folded = in_lab.get("source_hidden") and in_lab.get("outputs_hidden")
            if "hide-cell" not in tags(cell) or not named or not folded:
                shown.append(cell.id)
    return f"solutions {shown} are not folded as in the template" if shown else ""


def solutions_assert(cells):
    """The last line can fail: it compares, and it looks at something that was computed."""
    idle = []
    for number, (*_, last) in enumerate(exercises(cells), 1):
        end = (ast.parse(last.source).body or [None])[-1]
        looks = {type(node) for node in ast.walk(end)} if isinstance(end, ast.Assert) else set()
        if ast.Name not in looks or not {ast.Compare, ast.Call} & looks:
            idle.append(number)
    return f"the last line of the solution of exercises {idle} asserts nothing" if idle else ""


def names(cells):
    """What code defines anywhere in it, and what it reads."""
    made, read_too = set(), set()
    for node in (n for c in cells for n in ast.walk(ast.parse(c.source))):
        if isinstance(node, ast.Name):
            (read_too if isinstance(node.ctx, ast.Load) else made).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        elif isinstance(node, ast.alias):
            made.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            made.add(node.arg)
    return made, read_too


def nothing_needs_a_solution(cells):
    code = [c for c in cells if c.cell_type == "code"]
    made, _ = names([c for c in code if "solution" in tags(c)])
    given, wanted = names([c for c in code if "solution" not in tags(c)])
    lost = sorted((made - given) & wanted)
    return f"{lost} are made in a solution only: a student's copy would fail" if lost else ""


def each_solution_stands_alone(cells):
    """Whoever opens one solution only can run it: it needs no other exercise."""
    lost = []
    for number, part in enumerate(exercises(cells), 1):
        mine = {c.id for c in part}
        others = {c.id for rest in exercises(cells) for c in rest} - mine
        code = [c for c in cells if c.cell_type == "code"]
        made, wanted = names([c for c in code if c.id in mine])
        before, _ = names([c for c in code if c.id not in others | mine])
        elsewhere, _ = names([c for c in code if c.id in others])
        if borrowed := sorted((elsewhere - made - before) & wanted):
            lost.append(f"exercise {number} needs {borrowed} of another")
    return "; ".join(lost)


def a_chapter_has_two_to_four_exercises(cells):
    found = len(exercises(cells))
    return "" if 2 <= found <= 4 else f"{found} exercises, not two to four"


def a_chapter_ends_with_three_takeaways_and_what_is_next(cells):
    last = cells[-1].source
    points = re.findall(r"(?m)^\d+\. ", last)
    if last.startswith("## Takeaways\n") and len(points) == 3 and "\n**Next:** " in last:
        return ""
    return "the last cell has to be '## Takeaways', points 1. to 3., and '**Next:** ...'"


def sections(cells):
    """The code cells under each `##` heading; those before the first one stand under ""."""
    under, found = "", {"": []}
    for cell in cells:
        if cell.cell_type == "code":
            found[under].append(cell)
        elif heads := re.findall(r"^## (.*)$", cell.source, flags=re.M):
            found |= {heading: [] for heading in heads}
            under = heads[-1]
    return found


def is_hidden(cell):
    return any(tag.startswith(("hide-", "remove-")) for tag in tags(cell))


def bound(cell):
    """What a cell defines for the cells after it."""
    found, todo = set(), list(ast.parse(cell.source).body)
    closed = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, closed):
            todo.extend(ast.iter_child_nodes(node))
    return found


def most_cells_are_shown(cells):
    apart = {"parameters", "exercise", "solution"}
    code = [c for c in cells if c.cell_type == "code" and not apart & set(tags(c))]
    share = sum(map(is_hidden, code)) / len(code)
    return f"{share:.0%} of the code cells are hidden" if share > MOST_HIDDEN else ""


def each_section_shows_code(cells):
    empty = [
        heading
        for heading, code in sections(cells).items()
        if heading not in ("", "Exercises", "Takeaways") and all(map(is_hidden, code))
    ]
    return f"no code to be seen in the sections {empty}" if empty else ""


def no_name_stands_for_two_things(cells):
    """A cell that is run again, alone, finds what its own section made."""
    where = {}
    for heading, code in sections(cells).items():
        for name in set().union(*map(bound, code)) if heading else ():
            where.setdefault(name, []).append(heading)
    twice = {name: heads for name, heads in where.items() if len(heads) > 1}
    return f"names bound in two sections: {twice}" if twice else ""


def the_setup_is_shown_and_explained(cells):
    first = next(i for i, c in enumerate(cells) if c.cell_type == "code" and i > 1)
    said = all(f"`{name}`" in cells[first - 1].source for name in ("say", "table"))
    shown = not is_hidden(cells[first])
    return "" if said and shown else "the setup has to be shown, `say` and `table` explained above"


def it_ends_with_your_own_ratings(cells):
    heads = list(sections(cells))
    last = heads[heads.index("Exercises") - 1]
    code = "\n".join(c.source for c in sections(cells)[last])
    if last == "The same with your own ratings" and "read(" in code and "table(" in code:
        return ""
    return "before the exercises: '## The same with your own ratings', with `read` and a table"


RULES = [
    first_cell_says_what_the_chapter_is_about,
    only_the_first_cell_has_a_title,
    cell_2_holds_the_parameters_of_the_template,
    outputs_are_not_stored,
    code_cells_are_short,
    cells_are_not_empty,
    cells_have_ids_of_their_own,
    nothing_points_out_of_the_repository,
    exercises_have_one_form,
    solutions_are_hidden,
    solutions_assert,
    nothing_needs_a_solution,
    each_solution_stands_alone,
]
CHAPTER_RULES = [a_chapter_says_how_long_it_takes]
FULL_CHAPTER_RULES = [
    a_chapter_has_two_to_four_exercises,
    a_chapter_ends_with_three_takeaways_and_what_is_next,
]
LESSON_RULES = [
    most_cells_are_shown,
    each_section_shows_code,
    no_name_stands_for_two_things,
    the_setup_is_shown_and_explained,
]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_follows_the_rules(path):
    notebook = read(path)
    nbformat.validate(notebook)
    rules = RULES + ([] if path.stem.startswith("00") else CHAPTER_RULES)
    if path.stem not in MAY_HAVE_NONE:
        rules = [*rules, *FULL_CHAPTER_RULES]
    rules = rules + (LESSON_RULES if path.stem in LESSONS else [])
    rules = rules + ([it_ends_with_your_own_ratings] if path.stem in ON_YOUR_OWN else [])
    broken = [said for rule in rules if (said := rule(notebook.cells))]
    assert broken == [], f"{path.name}: " + "; ".join(broken)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_carries_nothing_of_the_machine_it_was_written_on(path):
    kept = read(path).metadata
    assert set(kept) <= {"kernelspec", "language_info"}
    assert (kept["kernelspec"]["name"], kept["kernelspec"]["language"]) == ("python3", "python")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_takes_the_parameters_of_the_build(path):
    run.check_parameters(path, vars(Options()))
    given = {name: node.value for name, node in run.defaults(read(path).cells[1]).items()}
    assert given == vars(Options())


def test_the_table_of_contents_and_the_notebooks_agree():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    named = re.findall(r"notebooks/(\w+)\s*$", toc, flags=re.M)
    assert sorted(named) == [p.stem for p in notebooks(ROOT)]


def test_the_template_runs(tmp_path):
    """With simulated ratings: a new chapter starts from something that works."""
    target = tmp_path / "template.ipynb"
    context = multiprocessing.get_context("spawn")
    parameters = {"study": "simulated", "resamples": 100, "seed": 1}
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        done = pool.submit(run.run_notebook, TEMPLATE, target, parameters, 120).result()
    assert done.failure == ""
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


ASK, YOURS, SOLVED = "ex1", "ex1-yours", "ex1-solution"
HIDDEN = ["hide-cell", "solution"]


@pytest.mark.parametrize(
    ("rule", "cell", "change"),
    [
        (exercises_have_one_form, ASK, {"source": "### A riddle\n\nGuess."}),
        (exercises_have_one_form, ASK, {"source": f"### Exercise 2. {KINDS[0]}: two\n\nGuess."}),
        (exercises_have_one_form, ASK, {"source": f"### Exercise 1. {KINDS[0]}: no task"}),
        (exercises_have_one_form, YOURS, {"source": "guess = None"}),
        (exercises_have_one_form, YOURS, {"metadata": {"tags": ["solution"]}}),
        (exercises_have_one_form, SOLVED, {"metadata": {"tags": ["hide-cell"]}}),
        (exercises_have_one_form, "step-1-code", {"metadata": {"tags": ["solution"]}}),
        (solutions_are_hidden, SOLVED, {"metadata": {"tags": ["solution"]}}),
        (solutions_are_hidden, SOLVED, {"metadata": {"tags": HIDDEN}}),
        (solutions_assert, SOLVED, {"source": "say('It is so.')"}),
        (solutions_assert, SOLVED, {"source": "assert True"}),
        (solutions_assert, SOLVED, {"source": "assert len(ratings) == 1\nsay('Done.')"}),
        (nothing_needs_a_solution, YOURS, {"source": f"{ANSWER}\nby_rater.sum()"}),
    ],
)
def test_a_rule_for_exercises_notices(rule, cell, change):
    cells = read(TEMPLATE).cells
    assert rule(cells) == ""
    next(c for c in cells if c.id == cell).update(
        {k: nbformat.from_dict(v) if isinstance(v, dict) else v for k, v in change.items()}
    )
    assert rule(cells) != ""


def test_the_rules_for_many_exercises_notice():
    cells = read(TEMPLATE).cells
    assert len(exercises(cells)) == 1
    assert a_chapter_has_two_to_four_exercises(cells) != ""
    second = [nbformat.from_dict(dict(c)) for c in exercises(cells)[0]]
    for cell, source in zip(second, ["### Exercise 2", ANSWER, "assert by_rater.max() > 0"]):
        cell["id"], cell["source"] = cell["id"].replace("1", "2"), source
    place = [c.id for c in cells].index(SOLVED) + 1
    both = cells[:place] + second + cells[place:]
    assert a_chapter_has_two_to_four_exercises(both) == ""
    assert "exercise 2 needs ['by_rater']" in each_solution_stands_alone(both)


def lesson():
    """The template with a setup that is shown, and a section of one's own before the exercises."""
    make, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    first, parameters, setup, *rest = read(TEMPLATE).cells
    setup.metadata["tags"] = []
    place = next(i for i, c in enumerate(rest) if c.source.startswith("## Exercises"))
    own = [make("## The same with your own ratings"), code("own = read('mine.csv')\ntable(own)")]
    explained = make("`say` shows a sentence, `table` a table.")
    return [first, parameters, explained, setup, *rest[:place], *own, *rest[place:]]


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        (most_cells_are_shown, lambda cells: hide(cells)),
        (each_section_shows_code, lambda cells: hide(cells)),
        (no_name_stands_for_two_things, lambda cells: rebind(cells, "own = 2")),
        (no_name_stands_for_two_things, lambda cells: rebind(cells, "for own in [1]:\n    pass")),
        (the_setup_is_shown_and_explained, lambda cells: cells.pop(2)),
        (it_ends_with_your_own_ratings, lambda cells: rename(cells)),
    ],
)
def test_a_rule_for_lessons_notices(rule, change):
    cells = lesson()
    assert rule(cells) == ""
    change(cells)
    assert rule(cells) != ""


def hide(cells):
    for cell in cells:
        if cell.cell_type == "code" and not {"exercise", "solution"} & set(tags(cell)):
            cell.metadata["tags"] = ["hide-input"]


def rebind(cells, source):
    next(c for c in cells if c.id == "step-1-code").source += f"\n{source}"


def rename(cells):
    next(c for c in cells if "your own ratings" in c.source).source = "## Other ratings"


@pytest.mark.parametrize(
    "end",
    [
        "## Takeaways\n\n1. One.\n2. Two.\n\n**Next:** more",
        "## Takeaways\n\n1. One.\n2. Two.\n3. Three.\n4. Four.\n\n**Next:** more",
        "## Takeaways\n\n1. One.\n2. Two.\n3. Three.",
        "## The end\n\n1. One.\n2. Two.\n3. Three.\n\n**Next:** more",
    ],
    ids=["two", "four", "nothing next", "another heading"],
)
def test_the_rule_for_the_end_of_a_chapter_notices(end):
    rule = a_chapter_ends_with_three_takeaways_and_what_is_next
    good = "## Takeaways\n\n1. One.\n2. Two.\n3. Three.\n\n**Next:** more"
    cell = nbformat.v4.new_markdown_cell
    assert rule([cell("# Title"), cell(good)]) == ""
    assert rule([cell("# Title"), cell(end)]) != ""
