"""The command line: what it writes, how it ends, and what it says when something is wrong."""

import os
import subprocess
import sys

import pandas as pd
import pytest

from raters.cli import main
from raters.study import files, replication, results


@pytest.fixture
def few_draws(monkeypatch):
    """Fewer draws behind the printed intervals, which are not looked at here."""
    monkeypatch.setattr(replication, "_BATCHES", 2)
    monkeypatch.setattr(results, "TAU_DRAWS", 20)


def run(*arguments, **environment):
    """The command as a user starts it."""
    return subprocess.run(
        [sys.executable, "-m", "raters", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def said(text, *parts):
    """One paragraph with the three parts, and no traceback."""
    assert text.startswith("raters: Given: ") and "Traceback" not in text
    assert text.count("\n") == 1 and text.endswith(".\n")
    allowed, todo = text.index(" Allowed: "), text.index(" To do: ")
    assert 0 < allowed < todo
    for part in parts:
        assert part in text


# --- data ------------------------------------------------------------------------


@pytest.mark.real_data
def test_data_check_says_how_many_files_are_right(capsys):
    assert main(["data", "--check"]) == 0
    out, err = capsys.readouterr()
    assert f"{len(files.store().registry)} files" in out and "right" in out and err == ""


@pytest.mark.real_data
def test_data_where_everything_is_there_downloads_nothing(capsys, monkeypatch):
    monkeypatch.setenv("RATERS_BASE_URL", "http://127.0.0.1:9/")
    assert main(["data"]) == 0
    out, err = capsys.readouterr()
    assert files.place() in out and "sha256" in out and err == ""


def test_data_check_of_a_folder_that_lacks_the_files(tmp_path):
    result = run("data", "--check", RATERS_DATA=str(tmp_path))
    assert result.returncode == 1 and result.stdout == ""
    said(result.stderr, str(tmp_path))


# --- results ------------------------------------------------------------------------


def test_results_writes_the_tables_and_names_each(tmp_path, capsys, few_draws):
    out = tmp_path / "tables"
    options = ["--study", "simulated", "--resamples", "20", "--seed", "3"]
    assert main(["results", "--out", str(out), *options]) == 0
    said_out, said_err = capsys.readouterr()
    assert said_err.startswith("Simulated ratings: these numbers are not the paper's.")
    lines = said_out.splitlines()
    assert sorted(lines) == sorted(str(path) for path in out.iterdir())
    assert len(lines) == 10
    note = pd.read_csv(out / "alpha.csv")["note"]
    assert note.str.contains("Simulated").all()


def test_results_without_resamples_have_estimates_only(tmp_path, few_draws):
    options = ["--study", "simulated", "--resamples", "0"]
    assert main(["results", "--out", str(tmp_path), *options]) == 0
    for name in ("pairwise", "alpha", "f1", "self_report"):
        frame = pd.read_csv(tmp_path / f"{name}.csv")
        # The published interval of tau has its own number of draws.
        plain = frame[frame["statistic"] != "kendall_tau_b_published"]
        assert plain["estimate"].notna().all() and plain["low"].isna().all(), name


def test_an_unknown_study_is_refused_before_anything_is_written(tmp_path):
    out = tmp_path / "tables"
    result = run("results", "--out", str(out), "--study", "publishd")
    assert result.returncode == 1 and result.stdout == ""
    said(result.stderr, "'publishd'", "auto, published, simulated")
    assert not out.exists()


@pytest.mark.parametrize(("option", "value"), [("--resamples", "-5"), ("--seed", "-1")])
def test_wrong_numbers_are_refused(tmp_path, capsys, option, value):
    options = ["--study", "simulated", option, value]
    assert main(["results", "--out", str(tmp_path / "t"), *options]) == 1
    said(capsys.readouterr().err, f"{option[2:]}={value}")


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path, capsys):
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    for out in (file, file / "below"):
        assert main(["results", "--out", str(out), "--study", "simulated"]) == 1
        said(capsys.readouterr().err, "notes.txt")
    assert file.read_text() == "mine"


# --- usage ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["analyse"],
        ["results"],
        ["results", "--out", "x", "--seed", "one"],
        ["data", "--out", "x"],
    ],
)
def test_wrong_usage_ends_with_2_and_shows_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert err.startswith("usage: raters") and out == ""


@pytest.mark.parametrize("command", [[], ["data"], ["results"]])
def test_help_shows_an_example(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert f"example: python -m raters {command[0]}" in text if command else "results" in text
