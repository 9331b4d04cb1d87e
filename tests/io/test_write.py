"""Tables as files: whole or not at all."""

import json
import os
import subprocess
import sys
from functools import partial

import pandas as pd
from helpers import refused

from raters.io.write import NOTE, not_ours, sha256_of, write_table


def test_half_tables_of_killed_runs_are_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name in ("x.csv", "y.csv"):
        (tmp_path / f".{name}.{ended.pid}.raters-part").write_text("half")
    write_table(pd.DataFrame({"rating": [1]}), tmp_path / "x.csv")
    assert sorted(os.listdir(tmp_path)) == [f".y.csv.{ended.pid}.raters-part", "x.csv"]


def test_an_input_is_never_replaced(tmp_path):
    path, link = tmp_path / "r.csv", tmp_path / "same.csv"
    path.write_text("mine")
    link.symlink_to(path)
    for name in (path, link):
        refused(
            partial(write_table, pd.DataFrame({"rating": [1]}), name, True, [path]),
            "one of the files that are read",
        )
    assert path.read_text() == "mine"
    write_table(pd.DataFrame({"rating": [1]}), tmp_path / "new.csv", True, [path])


def test_a_folder_is_ours_as_far_as_its_note_and_the_bytes_say_so(tmp_path):
    ours, note = tmp_path / "a.csv", {"made_by": "x", "files": {}}
    assert not_ours(tmp_path, "x") == []
    ours.write_text("1")
    assert not_ours(tmp_path, "x") == ["a.csv"]
    note["files"]["a.csv"] = sha256_of(ours)
    (tmp_path / NOTE).write_text(json.dumps(note))
    assert not_ours(tmp_path, "x") == []
    assert not_ours(tmp_path, "y") == ["a.csv", NOTE]
    ours.write_text("2")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.txt").write_text("")
    assert not_ours(tmp_path, "x") == ["b/c.txt", "a.csv"]
