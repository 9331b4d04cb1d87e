"""Counted patterns from files and databases are those that pandas counts in memory."""

import csv
import io
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers import FIVE, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raters import RatingsError, Scale, agreement, check_ratings, pairwise
from raters.coefficients import MANY, PAIR
from raters.frames import COLUMNS
from raters.matrices import tables
from raters.patterns import Counted
from raters.patterns import counted as counted_in_memory
from raters.sql import counted, text_files

# Of ibis 12 with DuckDB 2 and pandas 3.
pytestmark = [
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The 'future.infer_string' option"),
]

LONG_ID = 12345678901234567890


def study(seed=0, items=60, raters=4):
    """Simulated ratings of two frameworks, some missing, some items without a rating."""
    rng = np.random.default_rng(seed)
    rows = []
    for framework, dimensions in (("warm", ("care", "calm")), ("cold", ("care",))):
        for dimension in dimensions:
            for item in range(items):
                level = rng.normal(3, 1)
                for rater in range(raters):
                    if rng.random() < 0.1:
                        continue
                    value = float(np.clip(np.rint(level + rng.normal(0, 0.8)), 1, 5))
                    value = np.nan if rng.random() < 0.1 else value
                    group = "expert" if rater < 2 else "crowd"
                    row = (framework, dimension, f"{LONG_ID + item}", f"r{rater}", group, value)
                    rows.append(row)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def in_memory(frame, scale, raters=None, **options):
    """Patterns of each dimension from pandas, as a mapping to counters."""
    checked = check_ratings(frame, scale, **options)
    return {
        (t.framework, t.dimension): (t.raters, Counter(map(_key, t.values)))
        for t in tables(checked, scale, raters)
    }


def patterns(result):
    return {
        (t.framework, t.dimension): (
            t.raters,
            Counter(dict(zip(map(_key, t.values), t.counts.tolist()))),
        )
        for t in result.tables
    }


def _key(row):
    return tuple("nan" if np.isnan(value) else float(value) for value in row)


def same_bytes(a, b):
    assert a.groups == b.groups and len(a.tables) == len(b.tables)
    for one, other in zip(a.tables, b.tables):
        assert replace(one, values=0, counts=0) == replace(other, values=0, counts=0)
        assert one.values.tobytes() == other.values.tobytes()
        assert one.counts.tobytes() == other.counts.tobytes()


def expanded(table):
    return np.repeat(table.values, table.counts, axis=0)


def store(connection, frame, name="t"):
    """A table of DuckDB. Not ibis's create_table, which DuckDB 2 does not understand."""
    connection.con.register("given", frame)
    connection.con.execute(f'create table "{name}" as select * from given')
    connection.con.unregister("given")
    return connection.table(name)


def small(**columns):
    return pd.DataFrame({"item": ["x", "y"], "rater": "a", "rating": [1, 2], **columns})


@pytest.fixture
def as_file(tmp_path):
    def write(frame, kind="parquet", name="ratings"):
        path = tmp_path / f"{name}.{kind}"
        if kind == "parquet":
            frame.to_parquet(path, index=False)
        else:
            frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
        return path

    return write


@pytest.mark.parametrize("kind", ["parquet", "csv", "tsv", "csv.gz", "memtable", "arrow", "table"])
def test_every_source_gives_the_patterns_of_the_frame(kind, as_file):
    frame = study()
    connection = None
    if kind == "memtable":
        source = ibis.memtable(frame)
    elif kind == "arrow":
        connection = ibis.duckdb.connect()
        source = store(connection, pa.Table.from_pandas(frame))
    elif kind == "table":
        connection = ibis.duckdb.connect()
        store(connection, frame)
        source = "t"
    else:
        source = as_file(frame, kind)
    result = counted(source, FIVE, connection=connection)
    assert type(result) is Counted
    assert patterns(result) == in_memory(frame, FIVE)
    assert result.groups == {"r0": "expert", "r1": "expert", "r2": "crowd", "r3": "crowd"}
    assert [(t.framework, t.dimension) for t in result.tables] == sorted(in_memory(frame, FIVE))
    if connection is not None:
        connection.disconnect()


def test_patterns_are_sorted_and_stand_for_all_items_of_the_framework(as_file):
    frame = study()
    # Somebody rated this item, on one dimension only and without a rating.
    extra = pd.DataFrame([("warm", "calm", "alone", "r0", "expert", np.nan)], columns=COLUMNS)
    frame = pd.concat([frame, extra], ignore_index=True)
    result = counted(as_file(frame), FIVE)
    for table in result.tables:
        items = frame.loc[frame.framework == table.framework, "item"].nunique()
        assert table.counts.sum() == items and table.counts.min() > 0 and table.items == ()
        assert table.counts.dtype == np.int64 and table.values.dtype == float
        filled = np.where(np.isnan(table.values), 9, table.values).tolist()
        assert filled == sorted(filled) and len(set(map(tuple, filled))) == len(filled)


def test_shuffled_rows_and_files_give_the_same_bytes(as_file):
    frame = study()
    first = counted(as_file(frame, name="one"), FIVE)
    shuffled = frame.sample(frac=1, random_state=5)
    same_bytes(first, counted(as_file(shuffled, name="two"), FIVE, threads=2))
    same_bytes(first, counted(as_file(shuffled, "csv"), FIVE))
    parts = [as_file(shuffled[k::3], name=f"part-{k}") for k in range(3)]
    same_bytes(first, counted(parts, FIVE))
    same_bytes(first, counted(parts[0].parent / "part-*.parquet", FIVE))


def test_csv_files_are_put_together_by_the_names_of_their_columns(as_file):
    frame = study()
    paths = [
        as_file(frame[:50], "csv", "a"),
        as_file(frame[50:][COLUMNS[::-1]], "csv", "b"),
    ]
    same_bytes(counted(paths, FIVE), counted(as_file(frame), FIVE))
    lacking = as_file(frame.drop(columns="rating"), "csv", "c")
    refused(lambda: counted([paths[0], lacking], FIVE), "c.csv with the columns", "'rating'")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_must_have_the_same_columns(kind, as_file):
    """Else the groups of one file would be lost."""
    with_group = as_file(small(group="g", item=["v", "w"]), kind, "b")
    for paths in ([as_file(small(), kind, "a"), with_group], [with_group, as_file(small(), kind)]):
        refused(lambda p=paths: counted(p, FIVE), "b." + kind + " with a column for group")


def test_parquet_files_of_other_types_keep_their_values(as_file):
    """DuckDB reads every file with the types of the first: 2.5 as 2."""
    scale = Scale([1, 2, 3], between=True)
    frames = [
        small(),
        small(item=["v", "w"], rating=[2.5, 3.0]),
        small(item=["t", "u"], rating=["3.0", "1"]),
    ]
    paths = [as_file(frame, name=str(k)) for k, frame in enumerate(frames)]
    for order in (paths[:2], paths[1::-1], paths, paths[::-1]):
        table = counted(order, scale).tables[0]
        assert expanded(table)[:, 0].tolist() == sorted([1, 2, 2.5, 3] + [3, 1] * (len(order) > 2))
    decimals = as_file(small(item=[7.0, 8.0]), name="decimals")
    refused(lambda: counted([paths[0], decimals], FIVE), "as item", "whole numbers")


def test_chosen_raters_keep_everybodys_items(as_file):
    frame = study()
    result = counted(as_file(frame), FIVE, raters=["r3", "r1"])
    assert patterns(result) == in_memory(frame, FIVE, ["r3", "r1"])
    assert result.groups == {"r3": "crowd", "r1": "expert"}
    one = frame[(frame.rater != "r3") | (frame.dimension != "calm")]
    result = counted(as_file(one), FIVE, raters=["r3"])
    assert patterns(result) == in_memory(one, FIVE, ["r3"])
    refused(lambda: counted(as_file(frame), FIVE, raters=["r1", "bob"]), "'bob'", "in the source")
    refused(lambda: counted(as_file(frame), FIVE, raters="r1"), "'r1'", "a list")
    refused(lambda: counted(as_file(frame), FIVE, raters=["r1", "r1"]), "once")
    refused(lambda: counted(as_file(frame), FIVE, raters=[1]), "as text")


def test_long_ids_keep_their_digits(as_file):
    ids = [LONG_ID, LONG_ID + 1, LONG_ID + 2]
    frame = pd.DataFrame({"item": ids, "rater": "a", "rating": [1, 2, 2]})
    result = counted(as_file(frame.astype({"item": "uint64"})), FIVE)
    assert result.tables[0].counts.tolist() == [1, 2]
    text = frame.assign(item=[f"0{LONG_ID}", f"{LONG_ID}", f"{LONG_ID + 1}"])
    result = counted(as_file(text, "csv"), FIVE)
    assert result.tables[0].counts.sum() == 3
    twice = text.assign(item=f"0{LONG_ID}")
    refused(lambda: counted(as_file(twice, "csv"), FIVE), f"item 0{LONG_ID} by a on all")


def test_ids_as_decimal_numbers_are_refused_as_in_a_frame(as_file):
    frame = small(item=[1.0, 2.0])
    error = refused(lambda: counted(as_file(frame), FIVE), "item")
    assert error.allowed == refused(lambda: check_ratings(frame, FIVE)).allowed


def test_ids_that_are_booleans_are_written_as_python_writes_them():
    frame = small(rater=[True, False])
    assert counted(ibis.memtable(frame), FIVE).tables[0].raters == ("False", "True")
    assert patterns(counted(ibis.memtable(frame), FIVE)) == in_memory(frame, FIVE)


def test_levels_may_be_text_in_any_spelling(as_file):
    scale = Scale(["low", "middle", "high"])
    frame = pd.DataFrame(
        {"item": list("uvwxyz"), "rater": "a", "rating": ["high", " low ", "low", None, "", "skip"]}
    )
    result = counted(as_file(frame), scale, missing=["skip", ""])
    assert patterns(result) == in_memory(frame, scale, missing=["skip", ""])
    assert result.tables[0].values[:, 0].tolist()[:2] == [1, 3]
    assert result.tables[0].counts.tolist() == [2, 1, 3]
    same_bytes(result, counted(as_file(frame, "csv"), scale, missing="skip"))


def test_one_rating_has_many_spellings(as_file):
    frame = pd.DataFrame(
        {"item": list("uvwxyz"), "rater": "a", "rating": ["3", " 3 ", "3.0", "03", "3e0", "4"]}
    )
    result = counted(as_file(frame, "csv"), FIVE)
    assert result.tables[0].values.tolist() == [[3], [4]]
    assert result.tables[0].counts.tolist() == [5, 1]


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "float32", "float64", "decimal"])
def test_numbers_of_every_type(kind):
    frame = pd.DataFrame({"item": list("xyz"), "rater": "a", "rating": [1, 3, 3]})
    table = ibis.memtable(frame)
    table = table.mutate(rating=table["rating"].cast("decimal(4,2)" if kind == "decimal" else kind))
    result = counted(table, FIVE)
    assert (result.tables[0].values.tolist(), result.tables[0].counts.tolist()) == (
        [[1], [3]],
        [1, 2],
    )


def test_booleans_need_a_scale_that_names_them():
    frame = small(rating=[True, False])
    result = counted(ibis.memtable(frame), Scale(["False", "True"]))
    assert patterns(result) == in_memory(frame, Scale(["False", "True"]))
    refused(lambda: counted(ibis.memtable(frame), Scale([0, 1])), "off the scale", "'False'")


def test_null_nan_and_empty_fields_are_missing(as_file):
    frame = pd.DataFrame({"item": list("wxyz"), "rater": "a", "rating": [1, None, np.nan, 2]})
    connection = ibis.duckdb.connect()
    rows = "('w', 1.0), ('x', NULL), ('y', 'nan'::DOUBLE), ('z', 2)"
    connection.raw_sql(f"create table t as select * from (values {rows}) v(item, rating)")
    table = connection.table("t").mutate(rater=ibis.literal("a"))
    expected = in_memory(frame, FIVE)
    assert patterns(counted(table, FIVE)) == expected
    assert patterns(counted(as_file(frame, "csv"), FIVE)) == expected
    assert patterns(counted(as_file(frame), FIVE)) == expected
    connection.disconnect()


def test_text_that_only_looks_missing_is_off_the_scale(as_file):
    frame = small(rating=["1", "NA"])
    refused(lambda: counted(as_file(frame, "csv"), FIVE), "'NA' (item y", "missing=[...]")
    result = counted(as_file(frame, "csv"), FIVE, missing=["NA"])
    assert result.tables[0].counts.tolist() == [1, 1]


def test_codes_for_missing_follow_check_ratings(as_file):
    frame = study().fillna({"rating": 0})
    result = counted(as_file(frame, "csv"), FIVE, missing=[0])
    assert patterns(result) == in_memory(frame, FIVE, missing=[0])
    refused(lambda: counted(as_file(frame), FIVE, missing=[0, 3]), "code 3", "not on the scale")


def test_answers_outside_the_levels_and_means_between_them(as_file):
    scale = Scale([1, 2, 3], between=True, outside=["unsure"])
    frame = pd.DataFrame(
        {"item": list("wxyz"), "rater": "a", "rating": ["unsure", "2.667", "2.667", "1"]}
    )
    result = counted(as_file(frame, "csv"), scale)
    assert patterns(result) == in_memory(frame, scale)
    assert result.tables[0].values[:, 0].tolist() == [1, 2.667, np.inf]


def test_a_scale_for_each_dimension(as_file):
    frame = small(dimension=["d", "e"], rating=["low", "1"])
    scale = {"d": Scale(["high", "low"]), "e": Scale([0, 1])}
    result = counted(as_file(frame, "csv"), scale)
    assert patterns(result) == in_memory(frame, scale)
    assert [t.scale for t in result.tables] == [scale["d"], scale["e"]]
    refused(lambda: counted(as_file(frame), {"d": FIVE}), "no scale for dimension 'e'")


def test_ratings_off_the_scale_are_named_as_in_a_frame(as_file):
    frame = study()
    frame.loc[[3, 40, 77, 90, 101, 120, 130], "rating"] = [9, 9, 0, 0, 7, 7, 7]
    error = refused(lambda: counted(as_file(frame), FIVE), "off the scale", " and 2 more")
    wrong = frame.loc[[3, 40, 77, 90, 101, 120, 130]].sort_values(COLUMNS)
    known = refused(lambda: check_ratings(frame, FIVE))
    assert (error.allowed, error.todo) == (known.allowed, known.todo)
    named = [
        f"{r.rating!r} (item {r.item}, rater {r.rater}, dimension {r.dimension})"
        for r in wrong.itertuples()
    ]
    assert sum(place in error.given for place in named) == 5
    few = frame.drop(index=[90, 101, 120, 130]).sort_values(COLUMNS)
    given = refused(lambda: counted(as_file(few), FIVE)).given
    assert given == refused(lambda: check_ratings(few, FIVE)).given
    refused(lambda: counted(as_file(small(rating=[1.0, np.inf])), FIVE), "inf (item y")


@pytest.mark.parametrize("name", ["framework", "dimension", "item", "rater", "group"])
def test_a_missing_id_is_refused(name, as_file):
    frame = study()
    frame.loc[[4, 7], name] = None
    refused(lambda: counted(as_file(frame), FIVE), f"no {name} in 2 rows", "every row")
    refused(lambda: counted(as_file(frame, "csv"), FIVE), f"no {name} in 2 rows")


def test_a_rater_in_two_groups_is_refused(as_file):
    frame = study()
    frame.loc[frame.index[frame.rater == "r2"][0], "group"] = "expert"
    message = str(refused(lambda: check_ratings(frame, FIVE)))
    for options in ({}, {"raters": ["r0"]}, {"anonymous": ["crowd"]}, {"anonymous": True}):
        assert str(refused(lambda o=options: counted(as_file(frame), FIVE, **o))) == message


@pytest.mark.parametrize("options", [{}, {"anonymous": True}])
def test_duplicates_are_named(options, as_file):
    frame = study()
    again = frame[frame.item == str(LONG_ID)]
    again = again[again.rating.notna()]
    assert len(again) > 5
    doubled = pd.concat([frame, again])
    error = refused(lambda: counted(as_file(doubled), FIVE, **options), f"item {LONG_ID} by r0 on")
    assert f" and {len(again) - 5} more" in error.given
    # A row without a rating is no second one, whether it is empty or has a code.
    for code in (np.nan, 9):
        pair = pd.concat([frame, frame[:9].assign(rating=code), frame[:1].assign(rating=np.nan)])
        result = counted(as_file(pair), FIVE, missing=[9], **options)
        same_bytes(result, counted(as_file(frame), FIVE, missing=[9], **options))


def test_duplicates_may_be_averaged(as_file):
    frame = study()
    doubled = pd.concat([frame, frame[:40].assign(rating=1), frame[:20].assign(rating=np.nan)])
    expected = in_memory(doubled, FIVE, duplicates="mean")
    for kind in ("parquet", "csv"):
        result = counted(as_file(doubled, kind), FIVE, duplicates="mean")
        assert patterns(result) == expected
    coded = doubled.fillna({"rating": 0})
    result = counted(as_file(coded), FIVE, duplicates="mean", missing=[0])
    assert patterns(result) == in_memory(coded, FIVE, duplicates="mean", missing=[0])
    names = {1.0: "a", 2.0: "b", 3.0: "c", 4.0: "d", 5.0: "e"}
    text = doubled.assign(rating=doubled["rating"].map(names))
    result = counted(as_file(text), Scale(list("abcde")), duplicates="mean")
    assert patterns(result) == expected


def test_means_of_decimals_do_not_depend_on_the_order_of_rows(as_file):
    scale = Scale([1, 2, 3], between=True)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"item": np.repeat(np.arange(40), 25), "rater": "a", "rating": rng.uniform(1, 3, 1000)}
    )
    frame = pd.concat([frame, frame.assign(rater="b")])
    first = counted(as_file(frame), scale, duplicates="mean")
    shuffled = frame.sample(frac=1, random_state=2)
    same_bytes(first, counted(as_file(shuffled), scale, duplicates="mean"))
    means = frame.groupby(["item"])["rating"].mean()
    assert np.allclose(first.tables[0].values[:, 0], np.sort(means), rtol=0, atol=1e-11)


def test_what_cannot_be_averaged_or_chosen_is_refused(as_file):
    path = as_file(small(rating=["1", "unsure"]))
    scale = Scale([1, 2], outside=["unsure"])
    refused(lambda: counted(path, scale, duplicates="mean"), "outside the levels")
    refused(lambda: counted(path, scale, duplicates="first"), "no order", "mean")
    refused(lambda: counted(path, scale, duplicates="some"), "'some'")
    refused(lambda: counted(path, scale, duplicates="mean", anonymous=True), "anonymous")


HOSTILE = {
    "item": 'it"em',
    "rater": "ra'ter; drop table t; --",
    "rating": "select *",
    "group": "gro`up",
    "dimension": "[dim]",
    "framework": "ü ✓\\",
}


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_hostile_names_are_names(kind, as_file):
    frame = study(items=20)
    frame["rater"] = frame["rater"] + "' or 1=1; drop table t; --\""
    frame["dimension"] = frame["dimension"] + "'); --"
    frame["group"] = frame["group"] + '"'
    path = as_file(frame.rename(columns=HOSTILE), kind, "it's [1] *")
    (path.parent / "it's 1 x").write_text("not read")
    same = counted(path, FIVE, columns=HOSTILE)
    assert patterns(same) == in_memory(frame, FIVE)
    some = sorted(frame["rater"].unique())[:2]
    result = counted(path, FIVE, columns=HOSTILE, raters=some)
    assert patterns(result) == in_memory(frame, FIVE, some)
    slots = counted(path, FIVE, columns=HOSTILE, anonymous=['crowd"'])
    assert slots.exchangeable == ('crowd" 1', 'crowd" 2')
    doubled = as_file(pd.concat([frame, frame]).rename(columns=HOSTILE), kind, "twice")
    refused(lambda: counted(doubled, FIVE, columns=HOSTILE), "' or 1=1; drop table t; --")


def test_columns_that_are_not_there_are_named(as_file):
    path = as_file(small())
    other = as_file(small().rename(columns={"item": "id"}), name="other")
    refused(lambda: counted(other, FIVE), "'item'", "'id'")
    refused(lambda: counted(path, FIVE, columns={"group": "who"}), "'who'")
    refused(lambda: counted(path, FIVE, columns={"annotator": "rater"}), "annotator", "our names")


def test_a_duckdb_file_needs_its_table(tmp_path):
    frame = study(items=10)
    path = tmp_path / "study.duckdb"
    connection = ibis.duckdb.connect(path)
    store(connection, frame, "the ratings")
    connection.disconnect()
    assert patterns(counted(path, FIVE, table="the ratings")) == in_memory(frame, FIVE)
    refused(lambda: counted(path, FIVE), "table=None")
    refused(lambda: counted(path, FIVE, table="other"), "'other'", "a table of the connection")


def test_a_database_reads_no_other_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "item,rater,rating\nx,a,1\nx,b,2\n"
    Path("secret.csv").write_text(rows)
    with duckdb.connect("own.duckdb") as own:
        own.execute("CREATE VIEW v AS SELECT * FROM 'secret.csv'")
        own.execute(f"CREATE TABLE t AS SELECT * FROM '{tmp_path / 'secret.csv'}'")
    assert counted("own.duckdb", FIVE, table="t").tables[0].counts.sum() == 1
    for name in ("v", "secret.csv", str(tmp_path / "secret.csv")):
        refused(partial(counted, "own.duckdb", FIVE, table=name))


def test_sources_that_are_none_are_refused(tmp_path, as_file):
    path = as_file(small())
    refused(lambda: counted(small(), FIVE), "DataFrame", "agreement(frame, scale)")
    refused(lambda: counted([], FIVE), "list")
    refused(lambda: counted(tmp_path / "none.csv", FIVE), "no file")
    refused(lambda: counted(tmp_path, FIVE), "the folder", "*.parquet")
    refused(lambda: counted([path, as_file(small(), "csv")], FIVE), "several kinds")
    refused(lambda: counted(as_file(small(), "csv").rename(tmp_path / "x.xlsx"), FIVE), "x.xlsx")
    refused(lambda: counted(path, FIVE, table="t"), "table='t'")
    refused(lambda: counted(path, FIVE, separator=";"), "separator")
    refused(lambda: counted(path, FIVE, memory_limit="much"), "DuckDB stops", "setting")
    refused(lambda: counted(path, FIVE, most_patterns=0), "most_patterns=0")
    broken = tmp_path / "broken.parquet"
    broken.write_text("no parquet")
    refused(lambda: counted(broken, FIVE), "broken.parquet", "DuckDB stops")
    connection = ibis.duckdb.connect()
    refused(lambda: counted("t", FIVE, connection=connection), "the table 't'")
    refused(lambda: counted(path, FIVE, connection=connection), "and a connection")
    refused(lambda: counted(ibis.memtable(small()), FIVE, threads=1), "threads")
    unbound = ibis.table({"item": "string", "rater": "string", "rating": "int64"}, name="u")
    refused(lambda: counted(unbound, FIVE), "no database", "connection=")
    store(connection, small(), "u")
    assert patterns(counted(unbound, FIVE, connection=connection)) == in_memory(small(), FIVE)
    connection.disconnect()


@pytest.fixture
def text(tmp_path):
    """A file of exactly these characters."""

    def write(content, name="text.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content.encode(encoding))
        return path

    return write


def ratings_of(path, **options):
    table = counted(path, FIVE, **options).tables[0]
    return np.repeat(table.values, table.counts, axis=0).tolist()


def test_another_separator(text):
    path = text('item;rater;rating\n"x;1";a;1\ny;a;2\n')
    assert ratings_of(path, separator=";") == [[1], [2]]
    refused(lambda: counted(path, FIVE), "['item;rater;rating']", "separator=';'")
    path = text("item¦rater¦rating\nx¦a¦1\ny¦a¦2\n")
    assert ratings_of(path, separator="¦") == [[1], [2]]
    for wrong in ("", "; ", '"', "\n", 1):
        refused(lambda w=wrong: counted(path, FIVE, separator=w), f"separator={wrong!r}")


def test_two_exports_in_one_file_are_refused_with_the_line(text):
    """DuckDB alone skips everything above the wider block: 40 of 80 ratings."""
    first = "item,rater,rating\n" + "".join(f"x{i},{r},1\n" for i in range(20) for r in "ab")
    other = first.replace("x", "y").replace("\n", ",hi\n").replace("rating,hi", "rating,comment")
    error = refused(lambda: counted(text(first + other), FIVE), "text.csv, line 42: 4 fields")
    assert "item,rater,rating,comment" in error.given and "3 columns" in error.given
    refused(lambda: counted(text(other + first), FIVE), "line 42: 3 fields", "4 columns")
    paths = [text(first, "1.csv"), text(other, "2.csv")]
    assert ratings_of(paths) == [[1, 1]] * 40
    same = text(first + first.replace("x", "y"))
    refused(lambda: counted(same, FIVE), "off the scale: 'rating' (item item, rater rater")


ROWS = ["item,rater,rating", "x,a,1", "y,a,2", "z,a,3"]


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ((2, "y,a"), ("line 3: 2 fields (y,a)", "3 columns")),
        ((2, "y"), ("line 3: 1 field (y)",)),
        ((1, "x,1,a,1"), ("line 2: 4 fields (x,1,a,1)", "quotation marks")),
        ((3, "z,a,3,"), ("line 4: 4 fields (z,a,3,)",)),
        ((2, '"y\n\nq",a,2\nq,a'), ("line 6: 2 fields (q,a)",)),
        ((2, '"y,a,2'), ("line 3: a quotation mark that is not closed",)),
        ((2, '"y"z,a,2'), ("DuckDB stops: ", "Line: 3", "unterminated quote", "text.csv")),
        ((0, ""), ("first line names no columns",)),
        ((0, "# made today"), ("line 2: 3 fields (x,a,1), where line 1 names 1 column.",)),
        ((0, "item,rater,rating,rating"), ("line 2: 3 fields",)),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_is_no_table_is_refused_with_its_line(rows, parts, end, text):
    lines = list(ROWS)
    lines[rows[0]] = rows[1]
    content = "\n".join(lines).replace("\n", end)
    refused(lambda: counted(text(content), FIVE), *parts)
    if rows[0]:
        refused(lambda: counted(text("\ufeff" + content + end), FIVE), *parts)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r", "\n\n", ("\n", "\r\n"), ("\r\n", "\r", "\n")])
@pytest.mark.parametrize("last", [True, False])
def test_lines_may_end_in_any_way_and_in_several(ends, last, text):
    rows = [*ROWS, '"v\r\n1",a,4', '"w\n1",a,5', '" ""u"" ",a,', 't"1,a,"4"']
    ends = [ends] if isinstance(ends, str) else ends
    content = "".join(row + ends[k % len(ends)] for k, row in enumerate(rows))
    path = text(content if last else content.rstrip("\r\n"))
    expected = [[1], [2], [3], [4], [4], [5]]
    assert np.array_equal(ratings_of(path), [*expected, [np.nan]], equal_nan=True)


def test_columns_are_found_by_their_names_or_not_at_all(text):
    index = text(",item,Rating,rater,rating,,note,note\n0,x,9,a,1,,,\n1,y,9,a,2,,,\n")
    assert ratings_of(index) == [[1], [2]]
    assert ratings_of(text("item,rater,b,a\nx,r,5,3\n"), columns={"rating": "a"}) == [[3]]
    twice = text("item,rater,rating,rating\nx,a,1,2\n")
    refused(lambda: counted(twice, FIVE), "text.csv", "more than one column called 'rating'")
    beside = text("item,rater,score,item,rater,score\nx,a,1,x,b,2\n")
    refused(lambda: counted(beside, FIVE, columns={"rating": "score"}), "called 'item'")


def test_text_that_is_not_utf8_is_refused_with_its_line(text):
    content = "item,rater,rating\nx,a,1\n" + "y,é,2\n"
    path = text(content, encoding="utf-8-sig")
    assert counted(path, FIVE).tables[0].raters == ("a", "é")
    refused(lambda: counted(text(content, encoding="latin-1"), FIVE), "line 3: text", "UTF-8")
    refused(lambda: counted(text(content, encoding="utf-16"), FIVE), "line 1: text", "UTF-8")
    header = text(content.replace("item", "ïtem"), encoding="latin-1")
    refused(lambda: counted(header, FIVE), "line 1: text")


def test_archives_are_looked_into(text, tmp_path):
    content = "\n".join(ROWS) + "\n"
    for kind in ("gz", "zst"):
        path = tmp_path / f"whole.csv.{kind}"
        with pa.output_stream(path, compression="zstd" if kind == "zst" else "gzip") as out:
            out.write(content.encode())
        assert ratings_of(path) == [[1], [2], [3]]
        with pa.output_stream(path, compression="zstd" if kind == "zst" else "gzip") as out:
            out.write((content + "u,a\n").encode())
        refused(lambda p=path: counted(p, FIVE), "line 5: 2 fields")
        path.write_bytes(b"no archive" * 9)
        refused(lambda p=path: counted(p, FIVE), f"csv.{kind}, which cannot be read")


def test_rows_that_the_database_does_not_find_are_an_error(text, monkeypatch):
    def one_more(*given):
        seen = text_files.look_over(*given)
        return replace(seen, rows=seen.rows + 1)

    monkeypatch.setattr("raters.sql.look_over", one_more)
    path = text("\n".join(ROWS))
    refused(lambda: counted(path, FIVE), "4 rows, of which DuckDB reads 3")


CELLS = st.text(st.sampled_from(["a", ",", '"', "\n", "\r", "é", " "]), max_size=4)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=12),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    block=st.integers(1, 40),
)
def test_rows_are_counted_as_the_csv_module_counts_them(rows, quoting, end, block):
    if quoting == csv.QUOTE_MINIMAL:  # which does not quote every kind of line end
        rows = [[cell.replace("\n", "").replace("\r", "") for cell in row] for row in rows]
    out = io.StringIO()
    csv.writer(out, quoting=quoting, lineterminator=end).writerows([["item", "b"], *rows])
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_files, "_BLOCK", block)
        path = Path(folder) / "x.csv"
        path.write_bytes(out.getvalue().encode())
        seen = text_files.look_over(str(path), ",", folder)
        assert (seen.header, seen.rows) == (("item", "b"), len(rows))
        assert seen.readable == str(path)
        # Half of the line ends of another kind: a copy that says the same.
        mixed = out.getvalue().encode() + b"z,1\n" + b"z,2\r\n"
        path.write_bytes(mixed)
        seen = text_files.look_over(str(path), ",", folder)
        assert (seen.rows, seen.readable != str(path)) == (len(rows) + 2, True)
        with open(seen.readable, encoding="utf-8", newline="") as copy:
            assert list(csv.reader(copy))[1:-2] == rows
        path.write_bytes(mixed + b"z,1,2\n")
        line = 1 + len(mixed.replace(b"\r\n", b"\n").replace(b"\r", b"\n").splitlines())
        with pytest.raises(RatingsError, match=f"line {line}: 3 fields"):
            text_files.look_over(str(path), ",", folder)
        path.write_bytes(mixed + b'z,"1\n\n')
        with pytest.raises(RatingsError, match=f"line {line}: a quotation mark"):
            text_files.look_over(str(path), ",", folder)


def test_a_row_without_an_end_is_refused_and_not_kept(text, monkeypatch):
    monkeypatch.setattr(text_files, "_BLOCK", 10)
    monkeypatch.setattr(text_files, "_LONGEST", 100)
    path = text("\n".join(ROWS) + '\n"' + "x,a,1\n" * 100)
    refused(lambda: counted(path, FIVE), "line 5: a quotation mark that is not closed")
    path = text("\n".join(ROWS) + "\n" + "x" * 1000)
    refused(lambda: counted(path, FIVE), "line 5: ", "a row of more than")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_spaces_around_ids_are_no_part_of_them(kind, as_file):
    frame = study()
    spaced = frame.copy()
    for k, name in enumerate(COLUMNS[:-1]):
        spaced.loc[k::3, name] = "\t " + spaced.loc[k::3, name] + "\u3000\xa0"
    path = as_file(spaced, kind)
    same_bytes(counted(path, FIVE), counted(as_file(frame, name="plain"), FIVE))
    assert patterns(counted(path, FIVE)) == in_memory(spaced, FIVE)
    chosen = counted(path, FIVE, raters=[" r3", "r1 "])
    assert patterns(chosen) == in_memory(frame, FIVE, ["r3", "r1"])
    assert len(counted(path, FIVE, anonymous=["crowd "]).exchangeable) == 2
    twice = as_file(small(item=["x", " x"]), kind)
    refused(lambda: counted(twice, FIVE), "more than one rating of item x by a")
    empty = as_file(small(item=["x", " \t"]), kind)
    error = refused(lambda: counted(empty, FIVE), "no item in 1 row")
    frame_error = refused(lambda: check_ratings(small(item=["x", " \t"]), FIVE))
    assert (error.allowed, error.todo[:10]) == (frame_error.allowed, frame_error.todo[:10])


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"columns": ["item", "rater"]}, "columns=['item', 'rater']"),
        ({"columns": {"rating": 3}}, "columns={'rating': 3}"),
        ({"columns": "rating"}, "columns='rating'"),
        ({"raters": []}, "raters=[]"),
        ({"raters": 3}, "raters=3"),
        ({"raters": {"a": "b"}}, "raters={'a': 'b'}"),
        ({"raters": ["a", "a "]}, "once"),
        ({"anonymous": 1}, "anonymous=1"),
        ({"anonymous": None}, "anonymous=None"),
        ({"anonymous": [1]}, "anonymous=[1]"),
        ({"table": 1}, "table=1"),
        ({"connection": "memory"}, "a connection of type str"),
        ({"connection": duckdb}, "ibis.duckdb.from_connection"),
    ],
)
def test_options_of_other_types_are_refused(options, parts, as_file):
    refused(lambda: counted(as_file(small()), FIVE, **options), parts)


def test_ratings_that_are_lists_are_refused(as_file):
    refused(lambda: counted(as_file(small(rating=[[1], [2]])), FIVE), "array<int64> as rating")


def test_numbers_that_are_names_of_levels_are_these_levels(as_file):
    scale = Scale(["0", "2", "10"])
    frame = pd.DataFrame({"item": list("xyz"), "rater": "a", "rating": [10, 2, 0]})
    for ratings in (frame["rating"], frame["rating"].astype(float), frame["rating"].astype(str)):
        given = frame.assign(rating=ratings)
        assert patterns(counted(as_file(given), scale)) == in_memory(given, scale)
        result = counted(as_file(given), scale, duplicates="mean")
        assert result.tables[0].values[:, 0].tolist() == list(scale.values)


def test_labels_have_no_mean(as_file):
    labels = Scale(["x", "y", "z"], measurement="nominal")
    frame = pd.concat([small(rating=["x", "y"])] * 2).assign(dimension="kind")
    error = refused(lambda: counted(as_file(frame), labels, duplicates="mean"), "kind", "nominal")
    in_frame = refused(lambda: check_ratings(frame, labels, duplicates="mean"))
    assert error.given == in_frame.given
    both = pd.concat([frame[:2], frame.assign(dimension="d", rating=1)])
    scales = {"kind": labels, "d": FIVE}
    found = counted(as_file(both.astype({"rating": str})), scales, duplicates="mean", raters=["a"])
    assert patterns(found) == in_memory(both, scales, duplicates="mean")


def test_a_source_without_rows_is_refused_as_a_frame_without(as_file):
    path = as_file(small().iloc[:0].astype(str), "csv")
    error = refused(lambda: counted(path, FIVE), "no rating at all")
    in_frame = refused(lambda: counted_in_memory(small().iloc[:0], FIVE))
    assert (error.given, error.allowed) == (in_frame.given, in_frame.allowed)
    refused(lambda: counted(as_file(small().iloc[:0]), FIVE, anonymous=True), "no rating at all")


def test_too_many_patterns_are_counted_before_they_are_fetched(as_file):
    scale = Scale([0, 1], between=True)
    frame = pd.DataFrame({"item": range(50), "rater": "a", "rating": np.linspace(0, 1, 50)})
    refused(lambda: counted(as_file(frame), scale, most_patterns=49), "50 different", "at most 49")
    assert len(counted(as_file(frame), scale, most_patterns=50).tables[0].counts) == 50


def crowd(seed=3, items=40, people=700, each=6):
    """A crowd of many, a few of whom rate an item, beside two experts."""
    rng = np.random.default_rng(seed)
    rows = [
        ("care", f"i{item}", f"p{person}", "crowd", int(rng.integers(1, 6)))
        for item in range(items)
        for person in rng.choice(people, each - item % 3, replace=False)
    ]
    rows += [
        ("care", f"i{item}", expert, "expert", int(rng.integers(1, 6)))
        for item in range(items)
        for expert in ("ann", "bob")
    ]
    # Everybody of the crowd occurs.
    rows += [("calm", f"i{k % items}", f"p{k}", "crowd", 1 + k % 5) for k in range(people)]
    return pd.DataFrame(rows, columns=["dimension", "item", "rater", "group", "rating"])


def sorted_slots(frame, dimension, group, slots):
    """Sorted ratings within the item, by pandas."""
    chosen = frame[(frame["dimension"] == dimension) & (frame["group"] == group)]
    chosen = chosen.sort_values("rating", kind="stable").dropna(subset="rating")
    wide = chosen.assign(slot=chosen.groupby("item").cumcount()).pivot(
        index="item", columns="slot", values="rating"
    )
    return wide.reindex(index=sorted(frame["item"].unique()), columns=range(slots)).to_numpy()


def test_many_raters_need_a_choice(as_file):
    path = as_file(crowd())
    refused(lambda: counted(path, FIVE), "702 raters", "at most 500", "anonymous")
    few = counted(path, FIVE, raters=["ann", "p3"])
    assert patterns(few) == {
        ("all", k[1]): v for k, v in in_memory(crowd(), FIVE, ["ann", "p3"]).items()
    }


def test_anonymous_raters_are_sorted_within_the_item(as_file):
    frame = crowd()
    result = counted(as_file(frame), FIVE, anonymous=["crowd"])
    slots = len(result.exchangeable)
    assert result.exchangeable == tuple(f"crowd {k + 1}" for k in range(slots))
    assert result.tables[0].raters == ("ann", "bob", *result.exchangeable)
    assert result.groups["crowd 1"] == "crowd" and result.groups["ann"] == "expert"
    experts = frame[frame.group == "expert"].pivot(index="item", columns="rater", values="rating")
    for table in result.tables:
        own = experts.sort_index().to_numpy(float)
        own = own if table.dimension == "care" else np.full_like(own, np.nan)
        values = np.hstack([own, sorted_slots(frame, table.dimension, "crowd", slots)])
        assert Counter(map(_key, values)) == Counter(map(_key, expanded(table)))


NOBODYS_NAME = [
    "mean_percent_agreement",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ratio",
    "fleiss_kappa",
    "fleiss_kappa_quadratic",
    "gwet_ac1",
    "gwet_ac2",
    "brennan_prediger",
    "brennan_prediger_quadratic",
    "icc1",
    "icc1k",
]


def test_coefficients_that_ask_for_nobodys_name_are_the_same_on_slots(as_file):
    frame = study().assign(group="all")
    named, slots = (counted(as_file(frame), FIVE, anonymous=which) for which in (False, True))
    assert slots.exchangeable == slots.tables[0].raters == ("all 1", "all 2", "all 3", "all 4")
    for one, other in zip(named.tables, slots.tables):
        for name in NOBODYS_NAME:
            a, b = (MANY[name](expanded(t), FIVE).estimate() for t in (one, other))
            assert np.isfinite(a) and a == pytest.approx(b, abs=1e-12), name


def test_a_dimension_without_any_rating_is_one_pattern(as_file):
    frame = small(rating=[np.nan, np.nan])
    named, slots = (counted(as_file(frame), FIVE, anonymous=which) for which in (False, True))
    assert patterns(named) == in_memory(frame, FIVE)
    assert (slots.tables[0].values.shape, slots.tables[0].counts.tolist()) == ((1, 0), [2])


def test_anonymous_groups_are_checked(as_file):
    path = as_file(study())
    refused(lambda: counted(path, FIVE, anonymous=["mob"]), "'mob'", "'crowd', 'expert'")
    refused(lambda: counted(path, FIVE, anonymous="crowd", raters=["r2"]), "'r2'", "not anonymous")
    clash = study().replace({"rater": {"r0": "crowd 1"}})
    refused(lambda: counted(as_file(clash), FIVE, anonymous="crowd"), "'crowd 1'", "rename")
    some = counted(path, FIVE, anonymous="crowd", raters=["r1"])
    assert some.tables[0].raters == ("r1", "crowd 1", "crowd 2")


def test_estimates_are_those_of_the_frame(as_file):
    frame = study(raters=3)
    result = counted(as_file(frame), FIVE)
    for table in result.tables:
        (whole,) = (
            t.values
            for t in tables(check_ratings(frame, FIVE), FIVE)
            if (t.framework, t.dimension) == (table.framework, table.dimension)
        )
        for name, function in MANY.items():
            expected = function(whole, FIVE).estimate()
            assert function(expanded(table), FIVE).estimate() == pytest.approx(
                expected, abs=1e-12, nan_ok=True
            ), name
        for name, function in PAIR.items():
            expected = function(whole[:, :2], FIVE).estimate()
            assert function(expanded(table)[:, :2], FIVE).estimate() == pytest.approx(
                expected, abs=1e-12, nan_ok=True
            ), name


@pytest.mark.parametrize("interval", ["jackknife", "analytic"])
def test_agreement_and_pairwise_of_patterns_are_those_of_the_frame(interval, as_file):
    frame = study(raters=3).assign(group="all")
    path = as_file(frame)
    for verb, names in ((agreement, list(MANY)), (pairwise, ["spearman_rho", "lin_concordance"])):
        given = verb(frame, FIVE, names, interval=interval)
        found = verb(counted(path, FIVE), statistics=names, interval=interval)
        keys = ["framework", "dimension", "rater_a", "rater_b", "group", "statistic"]
        given, found = (r.sort_values(keys).reset_index(drop=True) for r in (given, found))
        pd.testing.assert_frame_equal(pd.DataFrame(found), pd.DataFrame(given), rtol=1e-9)


def test_bootstrap_intervals_of_patterns_are_those_of_items(as_file):
    """Other draws of the same distribution: equal within the simulation error."""
    frame = study(items=80, raters=3).assign(group="all")
    options = {"resamples": 20_000, "seed": 4}
    given = agreement(frame, FIVE, **options).sort_values(["framework", "dimension"])
    found = agreement(counted(as_file(frame), FIVE), **options)
    keys = ["framework", "dimension"]
    same = agreement(counted_in_memory(frame, FIVE), **options).sort_values(keys)
    pd.testing.assert_frame_equal(same.reset_index(drop=True), found, check_exact=True)
    for end in ("low", "high"):
        assert found[end].to_numpy() == pytest.approx(given[end].to_numpy(), abs=0.01)
    again = frame.sample(frac=1, random_state=8)
    pd.testing.assert_frame_equal(
        pd.DataFrame(agreement(counted(as_file(again), FIVE), **options)), pd.DataFrame(found)
    )


RATINGS = st.sampled_from(["1", "2", " 3", "3.0", "5", "skip", None])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["f", "g"]),
            st.sampled_from(["d", "e"]),
            st.sampled_from(["x", "X", "y ", "y", "0", "00"]),
            st.sampled_from(["a", "A", "b"]),
            RATINGS,
        ),
        min_size=1,
        max_size=25,
        unique_by=lambda row: row[:4],
    ),
)
def test_random_frames_give_the_patterns_of_pandas(rows):
    frame = pd.DataFrame(rows, columns=["framework", "dimension", "item", "rater", "rating"])
    frame["rating"] = frame["rating"].astype("str").where(frame["rating"].notna(), None)
    frame["group"] = frame["rater"].str.lower()
    try:
        expected = in_memory(frame, FIVE, missing=["skip"])
    except RatingsError as error:  # "y" and "y " are one item
        assert str(error).startswith("Given: more than one rating of item y by")
        start = error.given.split(";")[0]
        refused(lambda: counted(ibis.memtable(frame), FIVE, missing=["skip"]), start[:35])
        return
    result = counted(ibis.memtable(frame), FIVE, missing=["skip"])
    assert patterns(result) == expected
    assert result.groups == dict(zip(frame["rater"], frame["group"]))


@settings(max_examples=40, deadline=None)
@given(
    counts=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6),
    order=st.permutations([1.0, np.nan, 3.0]),
)
def test_slots_from_the_numbers_of_ratings(counts, order):
    from raters.sql import _slots

    values = np.array(order)
    known = np.array(counts) * ~np.isnan(values)
    rows = [sorted(np.repeat(values[~np.isnan(values)], row[~np.isnan(values)])) for row in known]
    width = max(map(len, rows))
    padded = np.array([[*row, *[np.nan] * (width - len(row))] for row in rows])
    assert np.array_equal(_slots(known, values), padded, equal_nan=True)


def test_the_extra_is_named_where_it_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ibis", None)
    refused(lambda: counted("x.csv", FIVE), 'pip install ".[sql]"')


def test_duckdb_is_named_where_it_is_not_installed(monkeypatch, as_file):
    path = as_file(small())
    monkeypatch.setitem(sys.modules, "duckdb", None)
    refused(lambda: counted(path, FIVE), "duckdb not installed", 'pip install ".[sql]"')


def test_the_package_does_not_load_what_the_extra_brings():
    code = "import sys, raters.sql; print({'ibis', 'duckdb', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("set()", "{'pyarrow'}")  # pandas may load pyarrow by itself


def test_the_source_is_only_read():
    connection = ibis.duckdb.connect()
    store(connection, study(items=10))
    before = duckdb_tables(connection)
    counted("t", FIVE, connection=connection)
    assert duckdb_tables(connection) == before
    connection.disconnect()


def duckdb_tables(connection):
    names = connection.con.execute("select table_name from information_schema.tables").fetchall()
    assert isinstance(connection.con, duckdb.DuckDBPyConnection)
    return sorted(names)
