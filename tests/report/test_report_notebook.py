"""The notebook beside the page: written, not run, and it runs where it lies."""

import ast
import copy
import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from reports import EXPERTS, WRITTEN, Tags

from raters.report import methods

pytestmark = pytest.mark.xdist_group("report")


def test_the_notebook_runs_again_where_it_lies(folder, tmp_path):
    """Run as Jupyter runs it, it shows the same and writes the same tables."""
    book = nbformat.read(folder / "report.ipynb", as_version=4)
    nbformat.validate(book)
    copy = tmp_path / "study"
    shutil.copytree(folder.parent, copy)
    shutil.rmtree(copy / "report" / "tables")
    place = {"metadata": {"path": str(copy / "report")}}
    again = NotebookClient(copy_of(book), resources=place, timeout=300).execute()
    assert [shown(cell) for cell in again.cells] == [shown(cell) for cell in book.cells]
    for path in (folder / "tables").iterdir():
        assert (copy / "report" / "tables" / path.name).read_bytes() == path.read_bytes()


def copy_of(book):
    """The same code without what it showed."""
    bare = copy.deepcopy(book)
    for cell in bare.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return bare


def shown(cell):
    """What a cell shows; the numbers that a chart gives to its layers are drawn at random."""
    texts = [one["data"]["text/html"] for one in cell.get("outputs", ())]
    return re.sub(r"base64,[^ \"]+", "", "".join(texts))


def test_a_kernel_of_another_environment_is_not_started(tmp_path):
    """A kernel called python3 may be any Python: the report starts none."""
    kernel = {"argv": ["python-of-another-project", "-m", "ipykernel_launcher", "-f",
                       "{connection_file}"],
              "display_name": "Python 3 (other project)", "language": "python"}  # fmt: skip
    for place in ("path", "data"):
        folder = tmp_path / place / "kernels" / "python3"
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(json.dumps(kernel))
    rows = zip(range(8), (4, 2, 5, 3, 1, 4, 2, 5), (4, 3, 5, 3, 1, 5, 2, 4))
    text = "item,rater,rating\n" + "".join(f"i{n},ann,{a}\ni{n},bob,{b}\n" for n, a, b in rows)
    (tmp_path / "ratings.csv").write_text(text)
    command = ["report", "ratings.csv", "--scale", "1,2,3,4,5"]
    done = subprocess.run(
        [sys.executable, "-m", "raters", *command, "--resamples", "50", "--out", "report"],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "JUPYTER_PATH": str(tmp_path / "path"),
             "JUPYTER_DATA_DIR": str(tmp_path / "data")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    note = json.loads((tmp_path / "report" / "provenance.json").read_text())
    assert note["versions"] == methods.versions()
    book = nbformat.read(tmp_path / "report" / "report.ipynb", as_version=4)
    counts = [cell.execution_count for cell in book.cells if cell.cell_type == "code"]
    assert counts == list(range(1, 14))


def test_hostile_texts_stay_texts_in_the_notebook(hostile):
    book = nbformat.read(hostile / "report.ipynb", as_version=4)
    outputs = [one for cell in book.cells for one in cell.get("outputs", ())]
    pages = [one["data"]["text/html"] for one in outputs if "text/html" in one.get("data", {})]
    assert len(pages) > 8
    found = Tags("".join(pages))
    assert found.tags <= WRITTEN and not [a for a in found.attributes if a.startswith("on")]
    assert not any("javascript" in kind for one in outputs for kind in one.get("data", {}))


def test_parameters_reach_the_notebook_as_they_are(hostile):
    book = nbformat.read(hostile / "report.ipynb", as_version=4)
    (cell,) = (c for c in book.cells if c.metadata.get("tags") == ["parameters"])
    tree = ast.parse(cell.source)
    given = {node.targets[0].id: ast.literal_eval(node.value) for node in tree.body}
    assert given["title"] == '</title><script>globalThis.stolen="title"</script> 1e3'
    assert given["files"] == ["../<h1> 'x' \"y\".csv"] and given["reference"] == [EXPERTS]
    assert given["resamples"] == 50 and given["drop_at_most"] is None
    assert list(given) == [
        "files", "config", "judges", "reference", "resamples", "seed", "level", "margin",
        "drop_at_most", "title",
    ]  # fmt: skip
