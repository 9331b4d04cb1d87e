"""The exported tables: complete, in order, honest about their source, and of one mind."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from helpers import refused
from sklearn.metrics import cohen_kappa_score

import judging_empathy as paper
from judging_empathy import export, replication
from judging_empathy import models as judging
from judging_empathy import tables as results
from judging_empathy.data import files, simulate
from raters import RatingsError
from raters.frames import COLUMNS
from raters.judges import ceiling as readings
from raters.measures import MEAN, RESULT

# In one process of the test run: the tables, which take a while, are made once.
pytestmark = pytest.mark.xdist_group("results")


def in_files(columns):
    """Columns of a frame that its CSV file has: fields for programs stay in the frames."""
    return [name for name in columns if name not in ("undefined", *readings.FIELDS)]


COMPUTED = ["pairwise", "alpha", "f1", "self_report", "openings", "verbosity", "vif"]
# The tables about judges and what each of them has beside the columns of its function.
JUDGED = {
    "benchmark": in_files(readings.RESULT),
    "judge_vs_crowd": judging.VS_CROWD,
    "crowd": ["question", "framework", "dimension", "statistic", "n_raters", "estimate", "note"],
    "audit": export._AUDIT,
    "alt_test": ["judge", "framework", "dimension", "alignment", "winning_rate", "verdict"],
    "calibration": ["framework", "dimension", "judge", "method", "quantity", "estimate"],
    "baselines": ["framework", "dimension", "rater", "compared_with", "estimate"],
}
EXACT = ["benchmark", "judge_vs_crowd", "audit"]
TABLES = ["ratings", *COMPUTED, "replication", *JUDGED]
RESAMPLES, SEED = 50, 7
# Draws behind the printed intervals, which are not looked at here.
FEW = {(replication, "_BATCHES"): 2, (results, "TAU_DRAWS"): 50}
PUBLISHED = pytest.param("published", marks=pytest.mark.real_data)
EIGHT = ["expert1", "expert2", "expert3", "expert_median", "gemini", "gpt", "claude", "crowd"]


@pytest.fixture(scope="module")
def counted():
    """How often each file was read as a table, and hashed, while a study's tables were made."""
    return {}


def count(patch, module, name):
    """Count the calls of a function by the path that it is given."""
    function, calls = getattr(module, name), Counter()

    def counting(path, *arguments, **options):
        calls[str(path)] += 1
        return function(path, *arguments, **options)

    patch.setattr(module, name, counting)
    return calls


@pytest.fixture(scope="module")
def written(tmp_path_factory, counted):
    """The folder of a study's tables, written once."""
    folders = {}

    def folder(study):
        if study not in folders:
            with pytest.MonkeyPatch.context() as patch:
                for (module, name), value in FEW.items():
                    patch.setattr(module, name, value)
                counted[study] = count(patch, pd, "read_csv"), count(patch, files, "_sha256")
                out = tmp_path_factory.mktemp(study) / "new" / "tables"
                paths = export.write(out, paper.Study(study), RESAMPLES, SEED)
            assert sorted(paths) == sorted(out.iterdir())
            folders[study] = out
        return folders[study]

    return folder


def table(folder, name):
    text = dict.fromkeys([*COLUMNS[:5], *replication.KEYS, "rater_a", "rater_b", "note"], str)
    frame = pd.read_csv(
        folder / f"{name}.csv", dtype=text | {"printed": str}, keep_default_na=False,
        na_values={
            c: [""]
            for c in (
                *("estimate", "low", "high", "rating", "ours", "difference", "n_raters", "value"),
                *("benchmark", "crowd", "p", "p_adjusted", "plain", "published"),
            )
        },
    )  # fmt: skip
    return frame


@pytest.fixture(scope="module", params=["simulated", PUBLISHED])
def study(request):
    return request.param


@pytest.fixture(scope="module")
def frames(study, written):
    return {name: table(written(study), name) for name in TABLES}


def frameworks_in_order(frame):
    return list(dict.fromkeys(frame["framework"]))


# --- what there is -----------------------------------------------------------------


def test_files_and_columns_are_those_of_the_contract(study, written, frames):
    names = {path.name for path in written(study).iterdir()}
    assert names == {f"{name}.csv" for name in TABLES} | {"provenance.json"}
    note = [] if study == "published" else ["note"]
    assert list(frames["ratings"]) == COLUMNS + note
    assert list(frames["replication"]) == replication.COLUMNS
    for name in COMPUTED:
        assert list(frames[name]) == in_files(RESULT), name
    for name, columns in JUDGED.items():
        assert set(columns) <= set(frames[name]), name
    for name in EXACT:
        assert list(frames[name]) == JUDGED[name], name


def test_files_are_utf8_with_one_header_and_plain_line_ends(study, written):
    for path in written(study).glob("*.csv"):
        content = path.read_bytes()
        assert b"\r" not in content and content.endswith(b"\n")
        assert not content.startswith(b"\xef\xbb\xbf") and content.decode("utf-8")
        lines = content.decode().splitlines()
        assert lines.count(lines[0]) == 1


def test_ratings_are_the_frame_itself(study, frames):
    expected = paper.load(study)
    found = frames["ratings"][COLUMNS]
    pd.testing.assert_frame_equal(found, expected, check_exact=True, check_dtype=False)
    assert len(found) == 7350


def test_all_28_pairs_on_all_21_dimensions(frames):
    pairs = frames["pairwise"]
    assert len(pairs) == 28 * 21 * 5
    keys = ["framework", "dimension", "rater_a", "rater_b", "statistic"]
    assert not pairs.duplicated(keys).any()
    for _, part in pairs.groupby(["framework", "dimension", "statistic"]):
        found = list(zip(part["rater_a"], part["rater_b"], strict=True))
        assert found == list(combinations(EIGHT, 2))
    assert set(pairs["statistic"]) == {
        "weighted_kappa_quadratic",
        "weighted_kappa_quadratic_published",
        "spearman_rho",
        "kendall_tau_b",
        "percent_agreement",
    }
    assert (pairs["n_items"] == 50).all() and (pairs["n_ratings"] == 100).all()


def test_alpha_has_three_groups_and_the_means(frames):
    alpha = frames["alpha"]
    plain = alpha[~alpha["statistic"].str.endswith("published")]
    assert len(plain) == 3 * 3 * (21 + 4) and len(alpha) - len(plain) == 2 * (21 + 4)
    assert set(plain["group"]) == {"expert", "llm", "all"}
    sizes = plain[plain["dimension"] != MEAN].groupby("group")["n_ratings"].unique()
    assert {group: list(n) for group, n in sizes.items()} == {
        "expert": [150],
        "llm": [150],
        "all": [350],
    }
    models = alpha[alpha["statistic"].str.endswith("published") & (alpha["group"] == "llm")]
    assert models["note"].str.contains("two models: gpt, claude").all()


def test_f1_has_every_rater_and_every_threshold(frames):
    f1 = frames["f1"]
    assert (f1["rater_a"] == "expert_median").all()
    for framework, scale in paper.scales().items():
        part = f1[f1["framework"] == framework]
        thresholds = [f"f1_weighted_at_least_{t:g}" for t in scale.values[1:]]
        assert list(dict.fromkeys(part["statistic"])) == ["f1_weighted", *thresholds]
        raters = list(dict.fromkeys(part["rater_b"]))
        assert raters == [r for r in EIGHT if r != "expert_median"]
    assert f1["estimate"].between(0, 1).all()


def test_other_tables_have_their_rows(frames):
    assert len(frames["self_report"]) == 8 * (6 + 1) + 2
    assert len(frames["openings"]) == 6 * 4 * 3
    assert len(frames["verbosity"]) == 21 * 7 * 3
    assert len(frames["vif"]) == 21 * 2
    assert len(frames["replication"]) == 1179


@pytest.mark.parametrize("name", ["ratings", *COMPUTED])
def test_order_is_that_of_frameworks_and_dimensions(name, frames):
    expected = paper.dimensions()
    for _, part in frames[name].groupby(["group", *(["statistic"] if name in COMPUTED else [])]):
        part = part[part["framework"].isin(expected["framework"])]
        known = expected[expected["dimension"].isin(part["dimension"])]["dimension"]
        found = list(dict.fromkeys(part["dimension"]))
        assert [d for d in found if d in set(known)] == list(known)
        assert frameworks_in_order(part) == [
            f for f in expected["framework"].unique() if f in set(part["framework"])
        ]


def test_no_number_is_missing_without_a_reason(frames):
    for name in COMPUTED:
        frame = frames[name]
        undefined = frame[frame["estimate"].isna()]
        assert undefined["note"].str.contains("not defined").all(), name
        has_low, has_high = frame["low"].notna(), frame["high"].notna()
        assert (has_low == has_high).all()
        assert (frame.loc[has_low, "low"] <= frame.loc[has_low, "high"]).all(), name
        assert not has_low[frame["estimate"].isna()].any()
        assert (frame[["n_items", "n_ratings"]] > 0).all(axis=None)


def test_the_published_recipe_never_goes_without_the_plain_one(frames):
    for name in COMPUTED:
        statistics = set(frames[name]["statistic"])
        published = {s for s in statistics if "published" in s}
        assert {s.removesuffix("_published") for s in published} <= statistics, name


def test_judges_are_there_in_every_reading(frames):
    kappa = frames["benchmark"].query("statistic == 'weighted_kappa_quadratic'")
    sizes = kappa.groupby(["judge", "reading"]).size()
    # 21 dimensions, 4 means over a framework, 1 over all.
    assert (sizes == 26).all() and len(sizes) == len(judging.JUDGES) * 3
    assert not frames["benchmark"].duplicated(["judge", "dimension", "framework", "reading",
                                               "statistic"]).any()  # fmt: skip
    single = frames["judge_vs_crowd"].query("reading == 'single'")
    assert (single.groupby("judge").size() == 26).all()


def test_twenty_questions_are_answered(frames, study):
    audit = frames["audit"]
    assert audit["question"].str.extract(r"^(\d+)")[0].astype(int).nunique() == 20
    known = audit["conclusion_changed"] != "not defined"
    assert audit.loc[known, ["published", "plain"]].notna().all(axis=None)
    assert known.all() or study == "simulated"


# --- where it comes from ---------------------------------------------------------------


def test_simulated_numbers_say_so_in_every_row(written):
    for name in TABLES:
        notes = table(written("simulated"), name)["note"]
        assert notes.str.startswith(simulate.STAMP).all(), name
    provenance = json.loads((written("simulated") / "provenance.json").read_text())
    assert provenance["source"] == "simulated" and provenance["files"] == {}


@pytest.mark.real_data
def test_published_numbers_never_say_simulated(written):
    for path in written("published").iterdir():
        assert "imulated" not in path.read_text(encoding="utf-8"), path.name


def test_provenance_says_how_the_tables_were_made(study, written):
    found = json.loads((written(study) / "provenance.json").read_text(encoding="utf-8"))
    assert (found["study"], found["resamples"], found["seed"]) == (study, RESAMPLES, SEED)
    assert found["versions"]["numpy"] == np.__version__
    assert found["versions"]["pandas"] == pd.__version__
    assert {"python", "raters", "scipy", "statsmodels"} <= set(found["versions"])


def test_without_a_number_the_verdicts_get_more_resamples_than_the_rest():
    found = export.provenance("simulated", None, SEED)
    assert (found["resamples"], found["resamples_of_judges"]) == (2000, 10_000)
    given = export.provenance("simulated", 300, SEED)
    assert given["resamples"] == given["resamples_of_judges"] == 300


def test_the_number_of_resamples_reaches_the_tables(monkeypatch):
    """Both numbers, each where it belongs; the tables themselves are not made here."""
    asked = {}

    def table(study, name, resamples, seed):
        asked[name] = resamples
        return pd.DataFrame({"note": [""]})

    def answers(study, resamples, seed):
        asked["audit"] = resamples
        return pd.DataFrame(columns=[*export._AUDIT, "plain_value"])

    monkeypatch.setattr(paper.Study, "table", table)
    monkeypatch.setattr(export, "answers", answers)
    export.all_tables(paper.Study("simulated"), None, SEED)
    assert {name for name in asked if asked[name] == 10_000} == {"benchmark", "judge_vs_crowd"}
    assert {*asked.values()} == {2000, 10_000} and asked["audit"] == 2000
    assert "audit" not in export.all_tables(paper.Study("simulated"), 0, SEED)
    assert asked["benchmark"] == 0


@pytest.mark.real_data
def test_each_rating_file_is_read_and_hashed_once(written, counted):
    """In all of `raters results`: counted on the way to the disk."""
    written("published")
    read, hashed = counted["published"]
    assert set(hashed.values()) == {1} and len(hashed) == len(files.store().registry)
    rating_file = re.compile(r"annotations/\w+/\w+_ratings\.csv")
    rated = {path: n for path, n in read.items() if rating_file.search(path)}
    assert set(rated.values()) == {1} and len(rated) == 28


@pytest.mark.real_data
def test_provenance_names_every_file_with_its_real_checksum(written):
    found = json.loads((written("published") / "provenance.json").read_text(encoding="utf-8"))
    assert found["commit"] == files.COMMIT and files.DOI in found["source"]
    assert len(found["files"]) == len(files.store().registry) > 28
    for name, checksum in found["files"].items():
        assert hashlib.sha256((files.store().require() / name).read_bytes()).hexdigest() == checksum


@pytest.mark.real_data
def test_no_participant_and_no_conversation_can_be_looked_up(written):
    """No id of the raw files, of a person or of a conversation, stands in any exported file."""
    columns = {"conv_id", "sp_id", "rp_id", "id", "conversation_id", "user_id",
               "OriginalDiscloserID"}  # fmt: skip
    ids = set()
    for name in files.store().registry:
        if name.endswith(".csv"):
            raw = pd.read_csv(files.store().require() / name, dtype=str)
            for column in columns & set(raw):
                ids |= {i for i in raw[column].dropna() if not (i.isdecimal() and len(i) < 6)}
    assert len(ids) > 700
    for path in written("published").glob("*.csv"):
        cells = pd.read_csv(path, dtype=str, keep_default_na=False).to_numpy().ravel()
        assert not ids & set(cells), path.name
        text = path.read_text(encoding="utf-8")
        assert not [i for i in ids if len(i) > 8 and i in text], path.name


# --- again, and elsewhere ----------------------------------------------------------------


def test_another_process_writes_the_same_bytes(written, tmp_path):
    """Also where Python shuffles its sets in another way."""
    settings = "".join(
        f"{module.__name__.rpartition('.')[2]}.{name} = {value}\n"
        for (module, name), value in FEW.items()
    )
    code = f"from judging_empathy import Study, export, replication, tables\n{settings}"
    code += f"export.write({str(tmp_path)!r}, Study('simulated'), {RESAMPLES}, {SEED})"
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    first = written("simulated")
    assert {p.name for p in tmp_path.iterdir()} == {p.name for p in first.iterdir()}
    for path in first.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_another_seed_moves_intervals_only(frames, study):
    again = results.alpha_table(paper.load(study), RESAMPLES, SEED + 1)
    assert again["estimate"].tolist() == frames["alpha"]["estimate"].tolist()
    assert again["low"].tolist() != frames["alpha"]["low"].tolist()


def test_out_that_is_no_folder_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    for out in (file, file / "below"):
        with pytest.raises(RatingsError) as caught:
            export.write(out, paper.Study("simulated"), 0)
        assert "notes.txt" in caught.value.given and "folder" in caught.value.allowed
        assert caught.value.todo
    assert file.read_text() == "mine"


# --- of one mind ---------------------------------------------------------------------------


def _reported(frames, name, quantity):
    frame = frames["replication"]
    return frame[(frame["table"] == name) & (frame["quantity"] == quantity)]


def _of_pair(frame):
    """Estimates by dimension and pair, whoever is named first."""
    pairs = [tuple(sorted(p)) for p in zip(frame["rater_a"], frame["rater_b"], strict=True)]
    value = "estimate" if "estimate" in frame else "ours"
    keys = zip(frame["framework"], frame["dimension"], pairs, strict=True)
    return dict(zip(keys, frame[value], strict=True))


@pytest.mark.parametrize(
    ("name", "quantity", "statistic"),
    [
        ("weighted_kappa", "kappa", "weighted_kappa_quadratic_published"),
        ("spearman", "rho", "spearman_rho"),
    ],
)
def test_replication_and_pairwise_agree(frames, name, quantity, statistic):
    report = _of_pair(_reported(frames, name, quantity))
    pairs = _of_pair(frames["pairwise"].query("statistic == @statistic"))
    assert len(report) == 126
    assert list(report.values()) == pytest.approx([pairs[key] for key in report], abs=1e-10)


def test_replication_and_alpha_agree(frames):
    report = _reported(frames, "krippendorff_alpha", "alpha")
    report = report.assign(group=report["group"].str.rstrip("s"))
    alpha = frames["alpha"].query("statistic == 'krippendorff_alpha_interval_published'")
    keys = ["framework", "dimension", "group"]
    both = report.merge(alpha, on=keys, validate="one_to_one")
    assert len(both) == 50
    assert both["ours"].tolist() == pytest.approx(both["estimate"].tolist(), abs=1e-12)
    plain = frames["alpha"].query("statistic == 'krippendorff_alpha_interval'")
    experts = report[report["group"] == "expert"].merge(plain, on=keys)
    assert len(experts) == 25
    assert experts["ours"].tolist() == pytest.approx(experts["estimate"].tolist(), abs=1e-12)


def test_replication_and_self_reports_agree(frames):
    taus = frames["self_report"].query("statistic == 'kendall_tau_b_published'")
    taus = taus.set_index("rater_b")["estimate"]
    report = _reported(frames, "self_report_kendall_tau_b", "tau").set_index("rater_b")["ours"]
    assert report.to_dict() == taus.to_dict() and set(taus.index) == {"crowd", "expert_median"}


def test_the_exported_ratings_give_the_exported_kappas(frames):
    ratings = frames["ratings"].query("dimension == 'level_explorations'")
    wide = ratings.pivot(index="item", columns="rater", values="rating").astype(int)
    kappas = frames["pairwise"].query(
        "dimension == 'level_explorations' and statistic == 'weighted_kappa_quadratic'"
    )
    for row in kappas.itertuples():
        if "expert_median" not in (row.rater_a, row.rater_b):
            peer = cohen_kappa_score(
                wide[row.rater_a], wide[row.rater_b], labels=[0, 1, 2], weights="quadratic"
            )
            assert row.estimate == pytest.approx(peer, abs=1e-10)


def test_kappas_by_value_and_by_position_differ_only_where_values_are_missing(frames):
    """Crowd means and unused levels: there the published recipe counts other distances."""
    kappas = frames["pairwise"].pivot(
        index=["framework", "dimension", "rater_a", "rater_b"], columns="statistic",
        values="estimate",
    )  # fmt: skip
    differ = ~np.isclose(
        kappas["weighted_kappa_quadratic"], kappas["weighted_kappa_quadratic_published"], atol=1e-9
    )
    used = frames["ratings"].groupby(["dimension", "rater"])["rating"].agg(set)
    for (_, dimension, a, b), other in zip(kappas.index, differ, strict=True):
        if "crowd" not in (a, b) and "expert_median" not in (a, b):
            values = sorted(used[dimension, a] | used[dimension, b])
            assert other == (np.diff(values).max() > 1), (dimension, a, b)
    assert differ.any() and not differ.all()


# --- notes are not lost ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def flat():
    """Simulated ratings whose experts and models never vary on one dimension."""
    ratings = paper.load("simulated")
    ratings.loc[(ratings["dimension"] == "fluency") & (ratings["rater"] != "crowd"), "rating"] = 4
    return ratings


def test_published_alpha_of_a_flat_dimension_has_a_reason(flat):
    frame = results.alpha_table(flat, 20, 1)
    undefined = frame[frame["estimate"].isna()]
    published = undefined["statistic"].str.endswith("_published")
    assert published.any() and not published.all()
    assert undefined["note"].str.contains("not defined").all()
    assert set(undefined["dimension"]) == {"fluency", MEAN}


def test_pairs_on_a_flat_dimension_have_a_reason(flat):
    frame = results.pairs_table(flat, 20, 1).query("dimension == 'fluency'")
    undefined = frame[frame["estimate"].isna()]
    assert undefined["note"].str.contains("not defined").all() and len(undefined)
    same = frame.query("statistic == 'percent_agreement' and rater_b == 'gpt'")
    assert len(same) and (same["estimate"] == 1).all()


def test_f1_keeps_what_the_coefficient_had_to_say():
    ratings = paper.load("simulated")
    gone = (ratings["rater"] == "expert2") & (ratings["dimension"] == "empathy")
    frame = results.f1_table(ratings[~gone], 0, 1).query("dimension == 'empathy'")
    missing = frame[frame["rater_b"] == "expert2"]
    assert missing["estimate"].isna().all()
    assert missing["note"].str.contains("not defined").all()
    assert missing["note"].str.contains("contains this rater").all()


# --- what is in the folder already -------------------------------------------------


def test_only_what_an_earlier_run_wrote_is_replaced(tmp_path, monkeypatch):
    study = paper.Study("simulated")
    mine, ratings = tmp_path / "notes.txt", tmp_path / "ratings.csv"
    mine.write_text("mine")
    (tmp_path / "audit.csv").write_text("")
    refused(lambda: export.write(tmp_path, study), "audit.csv")
    (tmp_path / "audit.csv").unlink()
    tables = {name: pd.DataFrame({"a": [1]}) for name in ("ratings", "audit")}
    monkeypatch.setattr(export, "all_tables", lambda *_: tables)
    export.write(tmp_path, study)
    assert (tmp_path / "audit.csv").exists()
    del tables["audit"]  # as without resamples: the old one would be stale
    export.write(tmp_path, study)
    assert not (tmp_path / "audit.csv").exists()
    ratings.write_text("changed by hand")
    refused(lambda: export.write(tmp_path, study), "ratings.csv", "name another folder")
    assert ratings.read_text() == "changed by hand" and mine.read_text() == "mine"
    (tmp_path / "provenance.json").unlink()
    refused(lambda: export.write(tmp_path, study), "ratings.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", "ratings.csv"}
