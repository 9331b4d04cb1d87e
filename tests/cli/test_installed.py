"""The package installed by itself: a wheel in an environment with what it asks for and no more.

No network: the wheel is built here, and the packages that its metadata names (and those that
they name) are linked from this environment into a new one that holds nothing else.
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from raters.cli import simulated

ROOT = Path(__file__).parents[2]
CLONE = ("src", "data", "pyproject.toml", "README.md", "LICENSE")
SCALE = ["--scale", "1,2,3,4,5", "--quiet"]


def command(*words, cwd):
    """Run a program without the settings of this process."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "TMPDIR")}
    return subprocess.run(
        list(map(str, words)), cwd=cwd, env=kept, capture_output=True, text=True, check=False
    )


def needed(requirements):
    """The distributions that requirements without extras ask for, and so on."""
    found = {}
    open_ = list(requirements)
    while open_:
        requirement = open_.pop()
        name = re.match(r"[\w.-]+", requirement).group()
        marker = requirement.partition(";")[2]
        other = "extra" in marker or ("sys_platform" in marker and sys.platform not in marker)
        if other or name in found or "python_version" in marker:
            continue
        found[name] = importlib.metadata.distribution(name)
        open_ += found[name].requires or ()
    return found


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A new environment with the wheel, and the distributions that were linked into it."""
    folder = tmp_path_factory.mktemp("installed")
    clone = folder / "clone"
    clone.mkdir()
    for name in CLONE:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "raw")
            shutil.copytree(ROOT / name, clone / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, clone)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    build = ("wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, clone)
    made = command(*pip, *build, cwd=folder)
    assert made.returncode == 0, made.stderr
    (wheel,) = folder.glob("*.whl")
    made = command(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    assert made.returncode == 0, made.stderr
    install = ("--python", folder / "env", "install", "--no-deps", "--no-index", wheel)
    made = command(*pip, *install, cwd=folder)
    assert made.returncode == 0, made.stderr
    site = Path(
        sysconfig.get_path("purelib", vars={"base": folder / "env", "platbase": folder / "env"})
    )
    (about,) = importlib.metadata.distributions(name="raters", path=[str(site)])
    linked = needed(about.requires)
    for distribution in linked.values():
        for top in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            (site / top).symlink_to(distribution.locate_file(top))
    return folder / "env", linked


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    simulated.simulated(40, 3, 1, 5, 0.6, 0.3, seed=4).to_csv(path, index=False)
    return path


def test_it_asks_for_numpy_scipy_and_pandas(environment):
    _, linked = environment
    assert {"numpy", "scipy", "pandas"} <= set(linked)
    # And what pandas itself asks for: nothing of the book.
    assert set(linked) - {"numpy", "scipy", "pandas"} <= {
        "python-dateutil", "six", "tzdata", "pytz",
    }  # fmt: skip


def test_three_lines_of_python_on_a_file(environment, ratings):
    place, _ = environment
    code = (
        "import raters\n"
        "reading = raters.read('ratings.csv', raters.Config([raters.Source(item='item', "
        "rater='rater', rating='rating')], raters.ScaleRules([1, 2, 3, 4, 5])))\n"
        "print(raters.agreement(reading.ratings, reading.scale, resamples=100))\n"
        "print(raters.__file__)"
    )
    done = command(place / "bin" / "python", "-c", code, cwd=ratings.parent)
    assert done.returncode == 0, done.stderr
    assert "krippendorff_alpha" in done.stdout and str(place) in done.stdout
    assert done.stderr == ""


def test_every_command_of_the_core_works_and_the_others_name_their_extra(environment, ratings):
    place, _ = environment
    folder = ratings.parent
    raters = place / "bin" / "raters"
    commands = [
        ["--version"],
        ["inspect", ratings, "--write", folder / "raters.toml"],
        ["agreement", ratings, "--resamples", "50"],
        ["agreement", ratings, *SCALE, "--resamples", "50", "--pairs", "--json"],
        ["benchmark", ratings, *SCALE, "--resamples", "50"],
        ["convert", ratings, *SCALE, "--out", folder / "c.csv"],
        ["simulate", "--out", folder / "s.csv"],
        ["example", "--out", folder / "study"],
        ["agreement", folder / "study" / "ratings.csv", "--resamples", "50"],
        ["benchmark", folder / "study" / "ratings.csv", folder / "study" / "judge.jsonl",
         "--resamples", "50"],
        ["completion", "bash"],
    ]  # fmt: skip
    for words in commands:
        done = command(raters, *words, cwd=folder)
        assert done.returncode == 0, (words, done.stderr)
    book = folder / "book.xlsx"
    shutil.copy(sheet(folder), book)
    for words, extra in [
        (["convert", ratings, *SCALE, "--out", folder / "c.parquet"], "parquet"),
        (["report", ratings, *SCALE, "--out", folder / "report"], "report"),
        (["agreement", book, *SCALE], "excel"),
        (["results", "--out", folder / "tables", "--study", "simulated"], "study"),
    ]:
        done = command(raters, *words, cwd=folder)
        assert done.returncode == 1 and done.stdout == "", (words, done.stdout)
        assert done.stderr.startswith("raters: Given: ") and done.stderr.count("\n") == 1
        assert f'pip install ".[{extra}]"' in done.stderr, done.stderr
    assert not {"report", "c.parquet", "tables"} & set(os.listdir(folder))


def sheet(folder):
    import pandas as pd

    path = folder / "sheet.xlsx"
    pd.DataFrame({"item": ["a", "b"], "ann": [1, 2], "bob": [1, 3]}).to_excel(path, index=False)
    return path
