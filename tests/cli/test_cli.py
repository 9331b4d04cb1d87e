"""The command line: what it writes, how it ends, and what it says when something is wrong."""

import gzip
import json
import math
import os
import pty
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import raters
from judging_empathy import export, replication
from judging_empathy import tables as results
from judging_empathy.data import files
from raters import defaults
from raters.cli import main, simulated
from raters.cli.completion import SHELLS, script
from raters.cli.parser import build
from raters.io.config import Config, ScaleRules, Source
from raters.io.read import read
from raters.judges import benchmark

SCALE = ["--scale", "1,2,3,4,5"]
COMMANDS = "inspect agreement benchmark report convert simulate example completion data results"
COMMANDS = COMMANDS.split()


@pytest.fixture
def few_draws(monkeypatch):
    """Fewer draws behind the printed intervals, which are not looked at here."""
    monkeypatch.setattr(replication, "_BATCHES", 2)
    monkeypatch.setattr(results, "TAU_DRAWS", 20)


def run(*arguments, **environment):
    """The command as a user starts it."""
    return subprocess.run(
        [sys.executable, "-m", "raters", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def said(text, *parts):
    """One paragraph with the three parts, and no traceback."""
    last = text.splitlines()[-1] + "\n"
    assert last.startswith("raters: Given: ") and "Traceback" not in text
    assert text.endswith(".\n")
    allowed, todo = last.index(" Allowed: "), last.index(" To do: ")
    assert 0 < allowed < todo
    for part in parts:
        assert part in last


def refused(capsys, *arguments, code=1, parts=()):
    assert main([str(a) for a in arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    said(err, *parts)


def output(capsys, *arguments):
    """What a command that succeeds prints."""
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out, err


@pytest.fixture
def ratings(tmp_path):
    """Simulated ratings by three experts and a judge."""
    path = tmp_path / "ratings.csv"
    frame = simulated.simulated(40, 3, 1, 5, 0.6, 0.3, seed=4)
    frame.to_csv(path, index=False)
    return path


LONG = [Source(item="item", rater="rater", rating="rating", group="group")]


def as_read(path):
    return read(path, Config(LONG, ScaleRules([1, 2, 3, 4, 5])))


# --- data and results of the study -------------------------------------------------------


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
    assert files.store().place() in out and "sha256" in out and err == ""


def test_data_check_of_a_folder_that_lacks_the_files(tmp_path):
    result = run("data", "--check", RATERS_DATA=str(tmp_path))
    assert result.returncode == 1 and result.stdout == ""
    said(result.stderr, str(tmp_path))


def test_results_writes_the_tables_and_names_each(tmp_path, capsys, monkeypatch):
    # Three tables of the fifteen: all of them are looked at in tests/study/test_results.py.
    monkeypatch.setattr(export, "_NAMES", ("pairwise", "alpha", "f1"))
    empty = pd.DataFrame(columns=[*export._AUDIT, "plain_value"])
    monkeypatch.setattr(export, "answers", lambda *_: empty)
    out = tmp_path / "tables"
    options = ["--study", "simulated", "--resamples", "20", "--seed", "3"]
    assert main(["results", "--out", str(out), *options]) == 0
    said_out, said_err = capsys.readouterr()
    assert said_err.startswith("Simulated ratings: these numbers are not the paper's.")
    lines = said_out.splitlines()
    assert sorted(lines) == sorted(str(path) for path in out.iterdir())
    assert {"alpha.csv", "pairwise.csv", "f1.csv"} <= {path.name for path in out.iterdir()}
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
    ("arguments", "part"),
    [
        ([], "COMMAND"),
        (["analyse"], "'analyse'"),
        (["results"], "--out"),
        (["results", "--out", "x", "--seed", "one"], "'one'"),
        (["data", "--out", "x"], "--out x"),
        (["agreement"], "FILE"),
        (["agreement", "x.csv", "--resample", "5"], "--resample 5"),  # no guessed abbreviations
        (["agreement", "x.csv", "--interval", "wide"], "'wide'"),
        (["completion", "tcsh"], "'tcsh'"),
    ],
)
def test_wrong_usage_ends_with_2_and_one_paragraph(arguments, part, capsys):
    refused(capsys, *arguments, code=2, parts=[part])


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_shows_an_example(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"] if command else ["--help"])
    assert ended.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"example: raters {command or 'inspect'}" in text
    if command is None:
        assert all(name in text for name in COMMANDS) and "130 interrupted" in text


def test_examples_in_the_help_are_command_lines_that_parse():
    parser = build()
    commands = next(a for a in parser._actions if hasattr(a, "choices") and a.choices)
    for name, command in commands.choices.items():
        words = command.epilog.removeprefix("example: raters ").split(" > ")[0]
        options = parser.parse_args([w.strip('"') for w in words.split()])
        assert callable(options.run) and options.command == name


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out.startswith("raters ")


# --- inspect --------------------------------------------------------------------------


def test_inspect_proposes_and_writes(ratings, capsys):
    toml = ratings.with_name("raters.toml")
    out, err = output(capsys, "inspect", ratings, "--write", toml)
    assert "40 different" in out and "1, 2, 3, 4, 5" in out and str(toml) in err
    assert Config.load(toml).scale.levels == (1, 2, 3, 4, 5)
    refused(capsys, "inspect", ratings, "--write", toml, parts=["raters.toml", "there already"])
    output(capsys, "inspect", ratings, "--write", toml, "--force")


def test_inspect_for_machines(ratings, capsys):
    found = json.loads(output(capsys, "inspect", ratings, "--json", "--quiet")[0])
    assert found["files"][0]["rows"] == 160 and found["warnings"] == []
    assert Config.from_toml(found["toml"]).files[0].item == "item"


def test_nothing_of_a_file_reaches_the_terminal_as_a_control_sign(tmp_path, capsys):
    path = tmp_path / "r.csv"
    path.write_text("item,ann,bob\n\x1b[31ma,1,2\nb,2,\x1b]0;x\x07\nc,3,3\n")
    out, err = output(capsys, "inspect", path)
    assert not set("\x1b\x07") & set(out + err)
    assert main(["agreement", str(path), *SCALE]) == 1
    assert not set("\x1b\x07") & set(capsys.readouterr().err)


# --- what is declared --------------------------------------------------------------------


def test_without_a_declared_scale_nothing_is_computed(ratings, capsys):
    refused(capsys, "agreement", ratings, parts=["without a declared scale", "raters inspect"])


def test_the_toml_beside_the_file_is_used_and_named(ratings, capsys):
    output(capsys, "inspect", ratings, "--write", ratings.with_name("raters.toml"))
    out, err = output(capsys, "agreement", ratings, "--resamples", 50)
    assert "raters.toml declares" in err and "expert" in out
    refused(capsys, "agreement", ratings, "--missing", "0", parts=["--missing beside"])
    # Another one, by name; and a scale in the command goes before the file beside.
    other = ratings.with_name("other.toml")
    text = ratings.with_name("raters.toml").read_text()
    other.write_text(text.replace("levels = [1, 2, 3, 4, 5]", "levels = [1, 2, 3]"))
    refused(capsys, "agreement", ratings, "--config", other, parts=["not on the scale 1, 2, 3"])
    refused(capsys, "agreement", ratings, "--config", other, *SCALE, parts=["--config and --scale"])
    assert "is not used" in output(capsys, "agreement", ratings, *SCALE, "--resamples", 5)[1]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--scale", "1,,2"], '--scale "1,,2"'),
        (["--scale", "1"], "the levels [1]"),
        ([*SCALE, "--group", "expert"], "--group expert"),
        ([*SCALE, "--group", "=ann"], "--group =ann"),
        ([*SCALE, "--level", "2"], "2"),
        ([*SCALE, "--resamples", "-1"], "resamples=-1"),
        ([*SCALE, "--statistic", "kapa"], "'kapa'"),
        (["--config", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_options_that_cannot_be_used(ratings, capsys, options, part):
    refused(capsys, "agreement", ratings, *options, parts=[part])


def test_files_that_cannot_be_used(tmp_path, capsys):
    refused(capsys, "agreement", tmp_path / "no.csv", *SCALE, parts=["no.csv"])
    refused(capsys, "agreement", tmp_path, *SCALE, parts=[tmp_path.name])
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    refused(capsys, "inspect", empty, parts=["empty.csv"])


def test_rows_may_be_dropped_only_when_said_so(ratings, capsys):
    ratings.write_text(ratings.read_text() + "item 99,expert 1,expert,9\n")
    refused(capsys, "agreement", ratings, *SCALE, parts=["('9'): not on the scale", "drop_at_most"])
    found = json.loads(
        output(capsys, "agreement", ratings, *SCALE, "--drop-at-most", 1, "--json")[0]
    )
    assert found["reading"]["counts"]["dropped"] == 1
    assert found["reading"]["problems"][0]["value"] == "9"


# --- agreement and benchmark -------------------------------------------------------------


def test_agreement_has_the_numbers_of_the_function(ratings, capsys):
    options = ["--seed", "3", "--resamples", "200", "--level", "0.9", "--json"]
    found = json.loads(output(capsys, "agreement", ratings, *SCALE, *options)[0])
    reading = as_read(ratings)
    wanted = raters.agreement(
        reading.ratings, reading.scale, ["krippendorff_alpha_interval"], resamples=200, seed=3,
        level=0.9,
    )  # fmt: skip
    row = found["results"][0]
    for column in ("estimate", "low", "high", "n_items", "n_ratings"):
        assert row[column] == wanted[column][0]
    assert found["settings"]["resamples"] == 200 and found["reading"]["counts"]["items"] == 40


def test_very_many_different_items_get_fewer_resamples_and_it_is_said(ratings, capsys, monkeypatch):
    monkeypatch.setattr(defaults, "_DRAWN", 40 * 300)
    out, err = output(capsys, "agreement", ratings, *SCALE, "--json")
    assert json.loads(out)["settings"]["resamples"] == 300 and "300 resamples, as" in err
    out, err = output(capsys, "agreement", ratings, *SCALE, "--json", "--resamples", 500)
    assert json.loads(out)["settings"]["resamples"] == 500 and "resamples, as" not in err
    # 40 items on two levels by three raters are at most 27 patterns (each may be missing).
    halved = pd.read_csv(ratings)
    halved.assign(rating=halved["rating"].gt(3) + 1).to_csv(ratings, index=False)
    out, _ = output(capsys, "agreement", ratings, "--scale", "1,2", "--json")
    assert json.loads(out)["settings"]["resamples"] == 40 * 300 // 27


def test_agreement_of_pairs(ratings, capsys):
    options = ["--pairs", "--statistic", "cohen_kappa", "--resamples", "0", "--json"]
    found = json.loads(output(capsys, "agreement", ratings, *SCALE, *options)[0])["results"]
    reading = as_read(ratings)
    wanted = raters.pairwise(reading.ratings, reading.scale, "cohen_kappa", resamples=0)
    assert [row["estimate"] for row in found] == wanted["estimate"].tolist() and len(found) == 6
    assert all(row["low"] is None for row in found)  # undefined is null: strict JSON


def test_undefined_is_said_and_no_number(tmp_path, capsys):
    path = tmp_path / "same.csv"
    path.write_text("item,ann,bob\na,3,3\nb,3,3\nc,3,3\n")
    out, _ = output(capsys, "agreement", path, *SCALE, "--resamples", 10)
    assert "–" in out and "no variation" in out
    found = json.loads(output(capsys, "agreement", path, *SCALE, "--json")[0])["results"]
    assert found[0]["estimate"] is None and "no variation" in found[0]["note"]


def test_labels_get_statistics_without_an_order(tmp_path, capsys):
    path = tmp_path / "labels.csv"
    path.write_text("item,ann,bob\na,yes,yes\nb,no,no\nc,no,yes\nd,yes,yes\n")
    labels = ["--scale", "yes,no", "--measurement", "nominal", "--json"]
    found = json.loads(output(capsys, "agreement", path, *labels)[0])["results"]
    assert [row["statistic"] for row in found][:2] == ["krippendorff_alpha_nominal", "gwet_ac1"]
    # 8 values, 5 yes and 3 no: disagreement observed 2 of 8, expected 2 * 15 / 56.
    assert math.isclose(found[0]["estimate"], 1 - (2 / 8) / (2 * 15 / 56))


def test_benchmark_has_the_numbers_of_the_function(ratings, capsys):
    options = ["--judge", "judge 1", "--resamples", "300", "--json"]
    found = json.loads(output(capsys, "benchmark", ratings, *SCALE, *options)[0])
    reading = as_read(ratings)
    wanted = benchmark(reading.ratings, reading.scale, "judge 1", readings="single", resamples=300)
    row = found["results"][0]
    for column in ("benchmark", "value", "difference", "low", "high", "verdict"):
        assert row[column] == wanted[column][0]
    assert found["experts"] == ["expert 1", "expert 2", "expert 3"]
    assert found["counts"][0]["dimensions"] == 1


def test_benchmark_finds_the_group_called_judge_and_takes_named_experts(ratings, capsys):
    out, _ = output(capsys, "benchmark", ratings, *SCALE, "--resamples", 50)
    assert "Experts: expert 1, expert 2, expert 3." in out and "Of 1 dimension:" in out
    named = ["--reference", "expert 1", "--reference", "expert 3"]
    out, _ = output(capsys, "benchmark", ratings, *SCALE, *named, "--resamples", 50)
    assert "Experts: expert 1, expert 3." in out


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--judge", "nobody"], "'nobody'"),
        (["--reference", "nobody"], "'nobody'"),
        (["--reference", "expert 1"], "'expert 1'"),
        (["--judge", "expert 1"], "one of the experts"),
        (["--reading", "twice"], "'twice'"),
        (["--margin", "0"], "margin=0"),
        (["--resamples", "900000000"], "do not fit in memory"),
    ],
)
def test_benchmarks_that_cannot_be(ratings, capsys, options, part):
    refused(capsys, "benchmark", ratings, *SCALE, *options, parts=[part])


def test_no_judge_names_those_that_could_be(tmp_path, capsys):
    path = tmp_path / "r.csv"
    path.write_text("item,ann,bob\na,1,2\nb,3,4\nc,1,1\n")
    refused(capsys, "benchmark", path, *SCALE, parts=["no judge", "ann, bob"])


def test_a_crowd_of_many_is_compared_without_a_column_for_each(tmp_path, capsys):
    rng = np.random.default_rng(5)
    rows = [(f"i{i}", f"w{(7 * i + 11 * k) % 300}", v)
            for i in range(200) for k, v in enumerate(rng.integers(1, 6, 3))]  # fmt: skip
    path = tmp_path / "crowd.csv"
    pd.DataFrame(rows, columns=["item", "rater", "rating"]).to_csv(path, index=False)
    options = [*SCALE, "--resamples", "0", "--json"]
    found = json.loads(output(capsys, "agreement", path, *options)[0])["results"]
    reading = read(path, Config([Source(item="item", rater="rater", rating="rating")],
                                ScaleRules([1, 2, 3, 4, 5])))  # fmt: skip
    names = [row["statistic"] for row in found]
    wanted = raters.agreement(reading.ratings, reading.scale, names, resamples=0)
    assert reading.counts["raters"] == 300
    assert np.allclose([row["estimate"] for row in found], wanted["estimate"], atol=1e-12)
    assert [row["n_ratings"] for row in found] == wanted["n_ratings"].tolist()


# --- convert and simulate ---------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_converted_reads_as_the_same_ratings(ratings, capsys, ending):
    out = ratings.with_name(f"long.{ending}")
    output(capsys, "convert", ratings, *SCALE, "--out", out)
    source = [Source(item="item", rater="rater", rating="rating", group="group",
                     dimension="dimension")]  # fmt: skip
    again = read(out, Config(source, ScaleRules([1, 2, 3, 4, 5])))
    columns = ["dimension", "item", "rater", "group", "rating"]
    pd.testing.assert_frame_equal(again.ratings[columns], as_read(ratings).ratings[columns])
    refused(capsys, "convert", ratings, *SCALE, "--out", out, parts=[out.name, "--force"])
    output(capsys, "convert", ratings, *SCALE, "--out", out, "--force", "--quiet")


def test_convert_leaves_texts_as_they_are_unless_a_spreadsheet_is_to_open_them(tmp_path, capsys):
    path, out = tmp_path / "r.csv", tmp_path / "long.csv"
    path.write_text("item,rater,rating\n=1+1,ann,-1\n=1+1,@bob,1\nb,ann,1\n")
    scale = ["--scale=-1,0,1"]
    _, err = output(capsys, "convert", path, *scale, "--out", out)
    assert "3 cells start with" in err
    assert out.read_text().splitlines()[1].startswith("all,=1+1,ann,all,-1,")
    output(capsys, "convert", path, *scale, "--out", out, "--force", "--for-spreadsheets")
    assert out.read_text().splitlines()[2].startswith("all,'=1+1,'@bob,all,1,")


@pytest.mark.parametrize(("name", "part"), [("x.xlsx", ".csv or .parquet"), ("no/x.csv", "no")])
def test_places_to_which_nothing_can_be_written(ratings, capsys, name, part):
    out = ratings.with_name("d") / name
    out.parent.parent.mkdir(exist_ok=True)
    refused(capsys, "convert", ratings, *SCALE, "--out", out, parts=[part])


def test_simulated_ratings_have_the_truth_that_is_printed(tmp_path, capsys):
    out = tmp_path / "s.csv"
    options = ["--items", "100000", "--shift", "0.5", "--levels", "4", "--seed", "2", "--json"]
    known = json.loads(output(capsys, "simulate", "--out", out, *options)[0])["truth"]
    reading = read(out, Config(LONG, ScaleRules([1, 2, 3, 4])))
    pairs = [("expert 1", "expert 2"), ("expert 1", "judge 1")]
    names = ["weighted_kappa_quadratic", "mean_difference"]
    found = raters.pairwise(reading.ratings, reading.scale, names, pairs, resamples=0)
    values = found.set_index(["rater_b", "statistic"])["estimate"]
    error = 0.01  # about four standard errors with 100,000 items
    experts = values["expert 2", "weighted_kappa_quadratic"]
    assert abs(experts - known["kappa of two experts"]) < error
    judge = values["judge 1", "weighted_kappa_quadratic"]
    assert abs(judge - known["kappa of expert and judge"]) < error
    apart = abs(values["judge 1", "mean_difference"])
    assert abs(apart - known["mean rating, judge less expert"]) < error


def test_the_truth_without_a_shift_is_that_of_exchangeable_raters():
    known = simulated.truth(5, 0.6, 0.0)
    assert math.isclose(known["kappa of expert and judge"], known["kappa of two experts"],
                        rel_tol=1e-9)  # fmt: skip


@pytest.mark.parametrize(
    "option", [["--items", "0"], ["--levels", "1"], ["--reliability", "1"], ["--shift", "nan"],
               ["--raters", "0", "--judges", "0"], ["--items", "99999999"], ["--seed", "-1"]]
)  # fmt: skip
def test_simulations_that_cannot_be(tmp_path, capsys, option):
    refused(capsys, "simulate", "--out", tmp_path / "s.csv", *option)
    assert list(tmp_path.iterdir()) == []


# --- how it ends -----------------------------------------------------------------------


def test_a_package_that_is_missing_is_named_with_its_extra(ratings, capsys, monkeypatch):
    def no_module(*_args):
        raise ModuleNotFoundError("No module named 'openpyxl'", name="openpyxl")

    monkeypatch.setattr("raters.io.inspect.read_as_proposed", no_module)
    assert main(["agreement", str(ratings), *SCALE]) == 1
    said(capsys.readouterr().err, "openpyxl", 'pip install ".[excel]"')


@pytest.mark.parametrize(
    ("error", "code", "part"),
    [
        (MemoryError(), 1, "memory"),
        (PermissionError(13, "Permission denied", "x.csv"), 1, "x.csv"),
        (OSError(28, "No space left on device"), 1, "No space left"),
        (KeyError("oops"), 70, "KeyError: 'oops'"),
    ],
)
def test_whatever_happens_there_is_a_paragraph_and_no_traceback(
    ratings, capsys, monkeypatch, error, code, part
):
    def fail(*_args):
        raise error

    monkeypatch.setattr("raters.io.inspect.read_as_proposed", fail)
    monkeypatch.delenv("RATERS_TRACEBACK", raising=False)
    assert main(["agreement", str(ratings), *SCALE]) == code
    said(capsys.readouterr().err, part)
    if code == 70:
        monkeypatch.setenv("RATERS_TRACEBACK", "1")
        with pytest.raises(KeyError):
            main(["agreement", str(ratings), *SCALE])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_and_stopped(ratings, number, code):
    out = ratings.with_name("big.csv")
    command = [sys.executable, "-m", "raters", "simulate", "--items", "400000", "--out", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not list(ratings.parent.glob(".big.csv.*")):  # it has begun to write
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        err = process.communicate()[1]
    assert process.returncode == code
    assert "Traceback" not in err and "no half-written file" in err
    assert [path.name for path in ratings.parent.iterdir()] == ["ratings.csv"]


def test_a_reader_that_has_enough_ends_the_command_quietly():
    command = f"{sys.executable} -m raters completion fish | head -1"
    result = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True
    )
    assert result.stdout.splitlines()[-1] in ("0", "141") and result.stderr == ""


def test_progress_is_shown_on_a_terminal_and_nowhere_else(ratings):
    piped = run("agreement", ratings, *SCALE, "--resamples", "50")
    assert piped.returncode == 0 and "\r" not in piped.stderr + piped.stdout
    code = (
        "import sys, time; from raters.cli.say import Say\n"
        "with Say(quiet=len(sys.argv) > 1).working('reading big.csv'): time.sleep(1.2)"
    )
    for more, shown in ([], True), (["quiet"], False):
        ours, theirs = pty.openpty()
        subprocess.run([sys.executable, "-c", code, *more], stderr=theirs, check=True)
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        assert (b"reading big.csv ... 1 s" in text) == shown
        assert text == b"" if not shown else text.endswith(b"\r\x1b[K")


# --- whatever is given -----------------------------------------------------------------


def cut(path, keep=0.5):
    """The first part of a file."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])


def odd_files(folder):
    """Files that are none, are damaged, or hold something else: name to what is said of it."""
    frame = simulated.simulated(12, 2, 1, 5, 0.6, 0, 1)
    text = frame.to_csv(index=False)
    frame.to_excel(folder / "cut.xlsx", index=False)
    frame.to_parquet(folder / "cut.parquet", index=False)
    frame.to_json(folder / "cut.json", orient="records")
    for name in ("cut.xlsx", "cut.parquet", "cut.json"):
        cut(folder / name)
    (folder / "whole.csv.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "cut.csv.gz").write_bytes(gzip.compress(text.encode())[:50])
    (folder / "empty.csv").write_bytes(b"")
    (folder / "header.csv").write_text("item,rater,rating\n")
    (folder / "noise.bin").write_bytes(random.Random(1).randbytes(5000))
    (folder / "zero.csv").write_bytes(text.encode().replace(b"item 03", b"item\0 03"))
    (folder / "half.csv").write_bytes(text.encode("utf-16")[:-1])
    (folder / "quote.csv").write_text('item,rater,rating\n"a,ann,1\n')
    (folder / "letter.txt").write_text("Dear all,\nplease find the ratings attached.\n")
    (folder / "folder").mkdir()
    with open(folder / "line.csv", "wb") as file:
        file.write(b"item,rater,rating\n")
        os.truncate(folder / "line.csv", 1 << 30)  # one line of a gigabyte, which takes no room
    return {
        "cut.xlsx": "a damaged zip file",
        "cut.parquet": "a damaged file",
        "cut.json": "it is cut off",
        "whole.csv.gz": "a compressed file (gzip)",
        "cut.csv.gz": "a compressed file (gzip)",
        "empty.csv": "the empty file",
        "header.csv": "without a single row",
        "noise.bin": "noise.bin",
        "zero.csv": "zero bytes",
        "half.csv": "is not utf-16",
        "quote.csv": "never closes",
        "letter.txt": "the item is not declared",
        "folder": "the folder",
        "line.csv": "line.csv",
        "none.csv": "no file",
        "https://example.org/r.csv": "download it first",
    }


def test_files_that_are_none_end_each_command_in_one_paragraph(tmp_path, capsys, monkeypatch):
    files = odd_files(tmp_path)
    before = sorted(os.listdir(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name, part in files.items():
        for words in (
            ["inspect", name],
            ["agreement", name, *SCALE],
            ["benchmark", name, *SCALE, "--judge", "judge 1"],
            ["convert", name, *SCALE, "--out", "out.csv"],
            ["report", name, *SCALE, "--out", "report"],
        ):
            if words[0] == "inspect" and name == "letter.txt":
                assert "item is not declared" in output(capsys, *words)[0]
                continue
            refused(capsys, *words, parts=[part])
    assert sorted(os.listdir(tmp_path)) == before


VALUES = [
    "", " ", "0", "-1", "3", "1e400", "nan", "1,2,3,4,5", "a,b", "=1+1", "\x1b[31m", "x" * 5000,
    "ann", "judge 1", "expert", "expert=expert 1", "none.csv", "ratings.csv", ".", "/dev/null",
    "--", "-", "single", "percentile", "cohen_kappa", "nominal", "\udce9",
]  # fmt: skip


def test_any_command_line_ends_in_one_paragraph(ratings, capsys, monkeypatch):
    monkeypatch.chdir(ratings.parent)
    monkeypatch.setattr("raters.report.sections.SECTIONS", ())
    parser = build()
    commands = next(a for a in parser._actions if hasattr(a, "choices") and a.choices).choices
    rng = random.Random(20_26)
    done, tries = 0, 200
    for _ in range(tries):
        name = rng.choice([n for n in commands if n not in ("data", "results")])
        options = [o for a in commands[name]._actions for o in a.option_strings]
        words = [name, *rng.choices(["ratings.csv", *VALUES], k=rng.randint(0, 2))]
        options = [o for o in options if o not in ("-h", "--help")] or ["--none"]
        for option in rng.choices(options, k=rng.randint(0, 3)):
            words += [option] + [rng.choice(VALUES)] * rng.randint(0, 1)
        if "--scale" in options and rng.random() < 0.7:
            words += ["ratings.csv", *SCALE, "--resamples", "5"]
        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        assert code in (0, 1, 2), (words, err)
        assert "Traceback" not in err and not set("\x1b") & set(out + err), words
        if code:
            said(err)
        done += code == 0
    assert 0 < done < tries


# --- completion -----------------------------------------------------------------------


def completed(*words):
    """What bash offers for a command line that ends in the last word."""
    line = " ".join(f"'{word}'" for word in words)
    code = (
        f"source /dev/stdin; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _raters; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    result = subprocess.run(
        [shutil.which("bash"), "--norc", "-c", code],
        input=script("bash", build()),
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr == ""
    return set(result.stdout.split())


def test_bash_completes_commands_options_and_choices():
    assert completed("raters", "") == {*COMMANDS, "--help", "--version"}
    assert completed("raters", "re") == {"report", "results"}
    assert completed("raters", "agreement", "--s") == {"--scale", "--statistic", "--seed"}
    assert completed("raters", "agreement", "--interval", "") == {
        "percentile", "bca", "jackknife", "analytic",
    }  # fmt: skip
    assert completed("raters", "completion", "") == set(SHELLS)
    assert completed("raters", "report", "rat") == set()  # then bash offers files


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_the_shells_that_are_here_take_their_script(shell, tmp_path):
    """bash always; zsh and fish where they are installed."""
    (tmp_path / "script").write_text(script(shell, build()), encoding="utf-8")
    command = [shutil.which(shell), "-n", str(tmp_path / "script")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_each_script(shell, capsys):
    text = output(capsys, "completion", shell)[0]
    parser = build()
    commands = next(a for a in parser._actions if hasattr(a, "choices") and a.choices)
    for name, command in commands.choices.items():
        assert name in text
        for action in command._actions:
            for option in action.option_strings:
                if option.startswith("--"):
                    assert (f"-l {option[2:]}" if shell == "fish" else option) in text
    # A quote within a description would end it early.
    assert text.count("'") % 2 == 0


# --- nobody's code runs, nobody's file is lost -------------------------------------


def test_no_module_of_the_working_folder_is_run(ratings, tmp_path):
    for name in ("typing", "random", "pandas", "papermill", "altair", "judging_empathy"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()")
    for arguments in (["--version"], ["agreement", str(ratings), *SCALE, "--resamples", "5"]):
        found = subprocess.run(
            [sys.executable, "-m", "raters", *arguments], cwd=tmp_path, capture_output=True
        )
        assert found.returncode == 0, found.stderr
    assert not (tmp_path / "ran").exists()


def test_force_replaces_no_input(ratings, capsys):
    before = ratings.read_bytes()
    name = str(ratings)
    for arguments in (
        ["convert", name, *SCALE, "--out", name, "--force"],
        ["inspect", name, "--write", name, "--force"],
    ):
        assert main(arguments) == 1
        said(capsys.readouterr().err, "one of the files that are read")
    assert ratings.read_bytes() == before


def test_inspect_replaces_a_declaration_and_nothing_else(ratings, tmp_path, capsys):
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    assert main(["inspect", str(ratings), "--write", str(notes), "--force"]) == 1
    said(capsys.readouterr().err, "notes.txt")
    assert notes.read_text() == "mine"


def test_a_report_does_not_replace_the_folder_of_its_declaration(ratings, tmp_path, capsys):
    place = tmp_path / "declared"
    place.mkdir()
    (place / "raters.toml").write_text("[scale]\nlevels = [1, 2, 3, 4, 5]\n")
    out = ["--out", str(place), "--config", str(place / "raters.toml"), "--force"]
    assert main(["report", str(ratings), *out]) == 1
    said(capsys.readouterr().err, "which holds raters.toml")
    assert (place / "raters.toml").exists()
