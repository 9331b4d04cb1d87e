"""Tables as files: whole or not at all."""

import os
import subprocess
import sys

import pandas as pd

from raters.io.write import write_table


def test_half_tables_of_killed_runs_are_removed(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name in ("x.csv", "y.csv"):
        (tmp_path / f".{name}.{ended.pid}.part").write_text("half")
    write_table(pd.DataFrame({"rating": [1]}), tmp_path / "x.csv")
    assert sorted(os.listdir(tmp_path)) == [f".y.csv.{ended.pid}.part", "x.csv"]
