"""The report as a notebook with its results, for those who go on in Jupyter.

It is written, not run: which Python a kernel called python3 would start is not known here.
Run again where it lies, it makes the same results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raters.report.page import Section, Titled
from raters.report.sections import SECTIONS

_INTRODUCTION = """# Agreement report

Made by `raters report`. Change the parameters below and run all cells to make the results anew."""
_REMARKS = {
    "files": "from the folder of this notebook",
    "judges": "empty: the group called judge",
    "reference": "a group, or the names of raters",
    "resamples": "None: 2000, and up to 10000 for judges",
    "margin": "the largest difference that does not matter",
    "drop_at_most": "None: what raters.toml says",
}
_READ = """from raters.report import sections, write_tables
from raters.report.analysis import Analysis

analysis = Analysis.read(
    files, config, judges, reference, resamples, seed, level, margin, drop_at_most
)"""
_TABLES = 'write_tables(analysis, "tables")'


def written(sections: Sequence[Titled], parameters: Mapping[str, Any]) -> str:
    """The notebook's text: the code of each section with what it shows.

    Parameters
    ----------
    sections : sequence of Titled
        As `SECTIONS`, and the list of files.
    parameters : mapping of str to object
        Texts, numbers and lists, as `Analysis.read` takes them, and the title.

    Returns
    -------
    str
        Format 4.5. The cell of the parameters is tagged for papermill.
    """
    from nbformat import v4, writes

    calls = [f"sections.{make.__name__}(analysis)" for _, make in SECTIONS]
    cells = [
        v4.new_markdown_cell(_INTRODUCTION, id="title"),
        _code("parameters", 1, _assignments(parameters), metadata={"tags": ["parameters"]}),
        _code("read", 2, _READ),
    ]
    for number, (section, call) in enumerate(zip(sections, [*calls, _TABLES]), start=3):
        cells.append(v4.new_markdown_cell(f"## {section.title}", id=f"{section.anchor}-title"))
        cells.append(_code(section.anchor, number, call, section.content))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return writes(v4.new_notebook(cells=cells, metadata=about)) + "\n"


def _assignments(parameters):
    lines = [f"{name} = {value!r}" for name, value in parameters.items()]
    return "\n".join(
        f"{line}  # {_REMARKS[name]}" if name in _REMARKS else line
        for name, line in zip(parameters, lines)
    )


def _code(name, number, source, shown: Section | None = None, **more):
    from nbformat import v4

    outputs = []
    if shown is not None:
        data = {"text/html": shown.__html__(), "text/plain": repr(shown)}
        outputs = [v4.new_output("execute_result", data, execution_count=number)]
    return v4.new_code_cell(source, id=name, execution_count=number, outputs=outputs, **more)
