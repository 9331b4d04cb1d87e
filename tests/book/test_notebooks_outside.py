"""The notebooks outside the book: in JupyterLab, from the command line, from a bare clone."""

from __future__ import annotations

import ast
import base64
import functools
import http.server
import importlib.metadata
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import nbformat
import pandas as pd
import pytest
import yaml

from book.build.shared import ROOT
from book.build.stage import book_config
from raters.show import charts
from raters.show import renderer as book_renderer
from raters.show import tables as display

FINDING = "Kappa of the experts is 0.5 on warmth and 0.7 on advice (n = 50)."


def python(*arguments, cwd, **environment):
    """Run Python in a folder, without the settings of this process."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "SYSTEMROOT", "TMPDIR")}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


# ------------------------------------------------------------------------------ JupyterLab


def shown(thing):
    """The output that a notebook keeps of a thing, as a kernel would send it."""
    data, metadata = thing._repr_mimebundle_(None, None)
    data["image/png"] = base64.b64encode(data["image/png"]).decode()
    return nbformat.v4.new_output("display_data", data, metadata=metadata)


@pytest.fixture
def lab(tmp_path):
    """A JupyterLab of our own over a folder with one notebook that holds a chart."""
    # two series: the legend picks one, which JupyterLab's older Vega-Lite has to know
    rows = {"dimension": ["warmth", "advice giving"], "series": ["experts", "crowd"]}
    frame = pd.DataFrame({**rows, "estimate": [0.5, 0.7], "low": [0.4, 0.6], "high": [0.6, 0.8]})
    chart = charts.dots(frame, "How well do experts agree?", FINDING)
    import altair

    kept = altair.renderers.active
    try:
        book_renderer.enable()
        cell = nbformat.v4.new_code_cell("charts.show(...)", outputs=[shown(chart)])
    finally:
        altair.renderers.enable(kept)
    folder = tmp_path / "notebooks"
    folder.mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / "chart.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [f"--port={port}", "--port-retries=0", "--ip=127.0.0.1", "--no-browser"]
    options += ["--allow-root", "--IdentityProvider.token=", f"--notebook-dir={folder}"]
    places = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    log = (tmp_path / "log").open("wb")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        env={**os.environ, **places},
        stdout=log,
        stderr=log,
    )
    address = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(address + "api", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, (tmp_path / "log").read_text()
                time.sleep(0.5)
        else:
            pytest.fail((tmp_path / "log").read_text())
        yield address
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()  # it waits for a kernel; a kernel ends with its server
            server.wait(15)
        log.close()


def test_a_chart_is_drawn_in_jupyterlab_without_a_network(lab, browser):
    outside = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:

        def gate(route):
            if route.request.url.startswith((lab, "data:", "blob:")):
                return route.fallback()
            outside.append(route.request.url)
            return route.abort()

        context.route("**/*", gate)
        page = context.new_page()
        page.goto(f"{lab}lab/tree/chart.ipynb?reset")
        drawing = page.locator(".vega-embed canvas, .vega-embed svg.marks").first
        drawing.wait_for(state="visible", timeout=90_000)
        assert drawing.bounding_box()["width"] > 300
        assert page.locator(".vega-embed [aria-label]").first.get_attribute("aria-label") == FINDING
    finally:
        context.unroute_all(behavior="ignoreErrors")
        context.close()
    assert outside == []


def test_a_notebook_that_is_passed_on_has_the_chart_as_a_picture_with_its_finding():
    from nbconvert import HTMLExporter

    frame = pd.DataFrame({"dimension": ["warmth"], "series": ["experts"], "estimate": [0.5]})
    import altair

    kept = altair.renderers.active
    try:
        book_renderer.enable()
        output = shown(charts.dots(frame, "What?", FINDING))
    finally:
        altair.renderers.enable(kept)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=[output])])
    nbformat.validate(book)
    del output["data"][book_renderer.MIME]  # a viewer that knows no Vega-Lite
    page, _ = HTMLExporter(template_name="classic").from_notebook_node(book)
    picture = re.search(r'<img[^>]*src="data:image/png;base64,[^>]*>', page)[0]
    assert f'alt="{FINDING}"' in picture.replace("\n", " ")
    assert display.stamp() == ""


# ------------------------------------------------------------- elsewhere than in this folder


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """The package as Colab gets it: built from the repository's files, installed from a wheel.

    Only the files that a clone has are in the copy; the wheel is made without a network.
    """
    folder = tmp_path_factory.mktemp("elsewhere")
    clone = folder / "clone"
    names = ("src", "data", "pyproject.toml", "README.md", "LICENSE", "LICENSE-text")
    for name in names:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "raw", "*.egg-info")
            shutil.copytree(ROOT / name, clone / name, ignore=ignored)
        elif (ROOT / name).is_file():
            clone.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, clone)
    made = python(
        *("-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"),
        *("--disable-pip-version-check", "-w", folder, clone),
        cwd=folder,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "site")
    return folder


def run_with_papermill(folder, name, *parameters, **environment):
    shutil.copy(ROOT / "notebooks" / f"{name}.ipynb", folder)
    done = python(
        *("-m", "papermill", f"{name}.ipynb", "run.ipynb", *parameters),
        *("--kernel", "python3", "--no-progress-bar", "--log-level", "ERROR"),
        cwd=folder,
        # -S would lose the other packages; the wheel's copy comes before the editable one
        PYTHONPATH=str(folder / "site"),
        **environment,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return nbformat.read(folder / "run.ipynb", as_version=4)


def texts(notebook):
    return [
        str(out.get("data", {}).get("text/markdown", out.get("text", "")))
        for cell in notebook.cells
        for out in cell.get("outputs", [])
    ]


def test_a_notebook_alone_with_the_installed_package_simulates_and_says_so(elsewhere):
    cell = "import raters; print(raters.__file__)"
    where = python("-c", cell, cwd=elsewhere, PYTHONPATH=str(elsewhere / "site"))
    assert Path(where.stdout.strip()).is_relative_to(elsewhere / "site"), where.stderr
    given = ("-r", "study", "simulated", "-p", "resamples", "100", "-p", "seed", "7")
    run = run_with_papermill(elsewhere, "01_four_frameworks", *given)
    found = " ".join(texts(run)).lower()
    assert "simulated" in found and "seed 7" in found
    pictures = [
        o for c in run.cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})
    ]
    assert len(pictures) > 1
    assert all("Simulated" in picture["data"]["text/plain"] for picture in pictures)


@pytest.mark.real_data
def test_papermill_takes_the_parameters_of_the_page_on_running(elsewhere):
    from judging_empathy.data import files

    page = (ROOT / "book" / "how-to-run.md").read_text(encoding="utf-8")
    line = re.search(r"papermill (\S+)\.ipynb \S+ (-r .+)", page)
    given = line[2].replace("resamples 500", "resamples 100").split()
    data = str(files.store().locate(download=False))
    run = run_with_papermill(elsewhere, line[1], *given, RATERS_DATA=data)
    found = " ".join(texts(run))
    assert "study's published ratings" in found and "100 resamples" in found and "seed 7" in found


@pytest.mark.real_data
def test_a_notebook_alone_fetches_the_study_s_files_and_checks_them(elsewhere, tmp_path):
    from judging_empathy.data import files

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_arguments):
            pass

    copy = str(files.store().locate(download=False))
    mirror = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=copy)
    )
    threading.Thread(target=mirror.serve_forever, daemon=True).start()
    try:
        run = run_with_papermill(
            *(elsewhere, "01_four_frameworks", "-r", "study", "published", "-p", "resamples"),
            *("100",),
            HOME=str(tmp_path),
            RATERS_BASE_URL=f"http://127.0.0.1:{mirror.server_port}/",
        )
    finally:
        mirror.shutdown()
        mirror.server_close()
    assert "study's published ratings" in " ".join(texts(run))
    wanted = files.read_registry(ROOT / "data" / "registry.txt")
    assert len(wanted) > 20
    fetched = {path.name for path in tmp_path.rglob("*.csv")}
    assert {Path(name).name for name in wanted if name.endswith(".csv")} <= fetched


def imported(path):
    """The packages that a notebook's code loads."""
    notebook = nbformat.read(path, as_version=4)
    code = "\n".join(
        "\n".join(line for line in cell.source.splitlines() if not line.lstrip().startswith("%"))
        for cell in notebook.cells
        if cell.cell_type == "code"
    )
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def test_the_line_for_colab_installs_all_that_the_notebooks_load():
    options = {"study": "simulated", "resamples": 100, "seed": 1}
    config = yaml.safe_load(book_config(ROOT, options))
    line = config["sphinx"]["config"]["myst_substitutions"]["install_line"]
    extras, address, more = re.search(r'"raters\[(.+?)\] @ git\+(\S+?)" (.+)', line).groups()
    assert address == config["repository"]["url"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *more.split()]
    wanted += [r for extra in extras.split(",") for r in project["optional-dependencies"][extra]]
    given = {re.match(r"[\w-]+", requirement)[0].lower() for requirement in wanted}
    given.add("ipython")  # what a notebook runs in
    of = importlib.metadata.packages_distributions()
    loaded = {m for path in (ROOT / "notebooks").glob("[0-9]*.ipynb") for m in imported(path)}
    assert {"raters", "numpy", "pandas"} <= loaded
    for module in loaded - sys.stdlib_module_names - {"raters", "judging_empathy"}:
        assert {name.lower() for name in of[module]} & given, module


def test_binder_gets_the_lock_and_the_package_of_the_repository():
    binder = ROOT / ".binder"
    assert (binder / "requirements.txt").read_text().split() == ["-r", "../requirements.txt"]
    assert (binder / "runtime.txt").read_text().strip() == "python-3.11"
    post = (binder / "postBuild").read_text()
    assert post.startswith("#!/bin/bash") and "--no-deps --no-build-isolation -e ." in post
    assert os.access(binder / "postBuild", os.X_OK)
    lock = (ROOT / "requirements.txt").read_text()
    assert "://" not in lock  # no address: any index will do
    for package in ("jupyterlab", "hatchling", "pandas", "altair", "vl-convert-python"):
        assert re.search(rf"^{package}==", lock, re.MULTILINE), package
