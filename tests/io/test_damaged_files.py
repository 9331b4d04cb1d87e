"""Files that are damaged, endless or no ratings at all: an error in three parts, and no more."""

import json
import os
import random
import resource
import tracemalloc

import pandas as pd
import pytest
from rating_files import FIVE, LONG, wide, written

from raters import RatingsError
from raters.io.config import Config, ScaleRules, Source
from raters.io.formats import Limits
from raters.io.inspect import inspect
from raters.io.read import read


def refused_cheaply(call, message, megabytes=300):
    """The error in three parts, without much memory."""
    tracemalloc.start()
    try:
        with pytest.raises(RatingsError, match=message) as error:
            call()
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1_000_000
    finally:
        tracemalloc.stop()
    assert error.value.given and error.value.allowed and error.value.todo
    assert len(str(error.value)) < 2000


TRIED = 100  # seeded damage to each kind of file in turn
SMALL = Limits(line=2_000_000, document=5_000_000)


@pytest.mark.parametrize(
    "call", [lambda p: read(p, Config([LONG], FIVE), limits=SMALL), lambda p: inspect(p, SMALL)]
)
@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"item,rater,rating\na,ann,", "longer than 2,000,000 characters|cell that is longer"),
        (b'item,rater,rating\na,ann,"', "longer than 2,000,000|cell that is longer|never closes"),
        (b'{"item": "', "longer than 2,000,000 characters|one JSON document of"),
        (b'[{"item": "', "one JSON document of"),
        (b"", "longer than 2,000,000 characters"),
    ],
)
def test_one_endless_line(tmp_path, call, start, message):
    path = tmp_path / "big"
    with open(path, "wb") as file:
        file.write(start)
        for _ in range(60):
            file.write(b"x" * 1_000_000)
    refused_cheaply(lambda: call(path), message, megabytes=60)


def test_a_sparse_gigabyte_is_refused_at_once(tmp_path):
    path = tmp_path / "sparse.csv"
    with open(path, "wb") as file:
        file.write(b"item,rater,rating\na,ann,1\n")
        os.truncate(path, 1 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused_cheaply(
        lambda: read(path, Config([LONG], FIVE)), "zero bytes|longer than 50,000,000", 400
    )
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 700_000


def test_ten_thousand_columns(tmp_path):
    n = 10_000
    text = "item," + ",".join(f"r{k}" for k in range(n)) + "\n"
    text += "".join(
        f"{i}," + ",".join(str((i + k) % 5 + 1) for k in range(n)) + "\n" for i in range(10)
    )
    path = written(tmp_path, text)
    reading = read(path, Config([wide()], FIVE))
    assert (reading.counts["raters"], reading.counts["ratings"]) == (n, 10 * n)
    assert len(str(reading)) < 1000
    refused_cheaply(
        lambda: read(path, Config([LONG], FIVE)), "'r9' and 9,989 more|without the column"
    )
    seen = inspect(path)
    assert seen.config.files[0].columns == ("r*",) and len(str(seen)) < 3000
    # Columns of which no two hold the same cells: each is not compared with each.
    rows = [",".join([f"i{i}", *(f"w{k}_{i % 3}" for k in range(n))]) for i in range(12)]
    path = written(tmp_path, "\n".join([text.partition("\n")[0], *rows]) + "\n")
    assert len(str(inspect(path))) < 3000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the empty file"),
        (b"\xef\xbb\xbf", "without a header row|no text"),
        (b"\n\n\n", "without a header row"),
        (b"item,rater,rating\na,ann,\xff\n", "is not utf-8 .byte ff"),
        ("item,rater,rating\na,ann,1\n".encode("utf-16")[:-1], "is not utf-16"),
        (
            b'item,rater,rating\na,ann,1\nb,"ann,2\n',
            "opens in the record of line 3 and never closes",
        ),
        (b'[{"item": 1, "rater": "a", "rating": 2}, {"item": 2', "no valid JSON: it is cut off"),
        (b"[1, 2]", "2 rows that cannot be read.*no JSON object|without a single"),
        (b"[]", "without a list of records"),
        (b'{"item": 1', "without a list|no valid JSON"),
        (b"[" * 100_000, "no valid JSON .nested too deeply"),
        (b'{"a":1}\n' + b'{"a":' * 50_000, "without the column|cannot be read"),
        (b"PAR1 and no more", "a damaged file"),
        (b"PK\x03\x04", "a damaged zip file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "is not utf-8|no text"),
    ],
)
def test_damaged_files_are_errors_in_three_parts(tmp_path, content, message):
    path = written(tmp_path, content, "data")
    refused_cheaply(lambda: read(path, Config([LONG], FIVE)), message)


def test_a_damaged_workbook(tmp_path):
    path = tmp_path / "book.xlsx"
    pd.DataFrame({"item": ["a"] * 500, "ann": range(500)}).to_excel(path, index=False)
    whole = path.read_bytes()
    config = Config([wide()], FIVE)
    path.write_bytes(whole[: len(whole) // 2])
    refused_cheaply(lambda: read(path, config), "a damaged zip file")
    place = whole.index(b"xl/worksheets/sheet1.xml") + 60
    path.write_bytes(whole[:place] + b"\x00" * 200 + whole[place + 200 :])
    refused_cheaply(lambda: read(path, config), "a damaged")
    path.write_bytes(whole)
    refused_cheaply(lambda: read(path, config, limits=Limits(document=1000)), "bytes when unpacked")


def test_what_is_no_file(tmp_path):
    config = Config([LONG], FIVE)
    refused_cheaply(lambda: read(tmp_path, config), "Given: the folder")
    refused_cheaply(lambda: read(tmp_path / "no.csv", config), "Given: no file .*no.csv")
    refused_cheaply(lambda: read("a\0b", config), "null|cannot be read|no file")
    refused_cheaply(lambda: read("/dev/zero", config), "no regular file|no file")


def exports():
    """A small export of every kind that is JSON."""
    records = [
        {"id": n, "text": "é", "label": ["a"], "rater": "r", "score": n % 3} for n in range(9)
    ]
    stars = {"from_name": "c", "type": "rating", "value": {"rating": 3}}
    choices = {"from_name": "d", "type": "choices", "value": {"choices": ["a"]}}
    done = [
        {"completed_by": {"id": 1}, "result": [stars, choices]},
        {"completed_by": 2, "result": [stars], "was_cancelled": False},
    ]
    flat = {"l.responses": ["a"], "l.responses.users": ["u"], "l.responses.status": ["submitted"]}
    told = {"user_id": "u", "status": "submitted", "values": {"l": {"value": "a"}}}
    score = {"score": 1, "assertion": {"metric": "m", "provider": {"id": "j"}}}
    chat = {"model": "m", "choices": [{"message": {"content": "4"}, "finish_reason": "stop"}]}
    said = {"model": "m", "output": [{"content": [{"text": "4"}]}]}
    sample = {"id": 1, "scores": {"s": {"value": {"a": 1}}}, "output": {"completion": "4"}}
    return [
        records,
        [{"id": 1, "data": {"t": 1}, "annotations": done, "predictions": []}],
        [{"id": 1, "text": "t"} | flat],
        [{"id": 1, "fields": {"t": "x"}, "responses": [told], "metadata": {}}],
        [{"id": 1, "fields": {"t": "x"}, "responses": {"l": [{"value": "a", "user_id": "u"}]}}],
        [{"id": 1, "text": "t", "label": [{"user_id": "u", "value": "a", "status": "submitted"}]}],
        [{"id": 1, "text": "t", "annotations": [{"label": 1, "user": 1}]}],
        [{"_input_hash": 1, "answer": "accept", "accept": ["a"], "_annotator_id": "x"}],
        [{"custom_id": "a", "response": {"status_code": 200, "body": b}} for b in (chat, said)],
        [{"provider": {"id": "m"}, "vars": {"v": 1}, "testCase": {}, "prompt": {"raw": "p"},
          "gradingResult": {"componentResults": [score]}, "response": {"output": "4"}}],
        {"evalId": "e", "results": {"results": [{"provider": "m", "response": {"output": "4"}}]}},
        {"eval": {"model": "m", "task": "t"}, "samples": [sample]},
    ]  # fmt: skip


def seeds(tmp_path):
    """Small files of every kind, to be damaged."""
    frame = pd.DataFrame({"item": list("abcdefgh"), "ann": range(8), "bob": range(8)})
    frame.to_excel(tmp_path / "seed.xlsx", index=False)
    frame.to_parquet(tmp_path / "seed.parquet")
    texts = [
        frame.to_csv(index=False),
        frame.to_csv(index=False, sep=";", decimal=",", quoting=1),
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.Y|v\n\n#Text=a\n1-1\t0-1\ta\tq[1]|r\n",
    ]
    for export in exports():
        texts.append(json.dumps(export))
        if isinstance(export, list):
            texts.append("".join(json.dumps(one) + "\n" for one in export))
    return [text.encode() for text in texts] + [
        (tmp_path / name).read_bytes() for name in ("seed.xlsx", "seed.parquet")
    ]


def turned(value, rng, share=0.15):
    """A copy of an export in which some values are of another type, or are gone."""
    if rng.random() < share:
        return rng.choice(
            [None, True, 0, -1.5, "x", "", [], {}, [None], [[1]], {"a": {}}, {"id": 1}]
        )
    if isinstance(value, dict):
        kept = {key: turned(inside, rng, share) for key, inside in value.items()}
        return {key: inside for key, inside in kept.items() if rng.random() > share / 3}
    if isinstance(value, list):
        return [turned(inside, rng, share) for inside in value]
    return value


def damaged(content, rng):
    """A copy with bytes cut, changed, doubled, or pieces that readers stumble over."""
    content = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(content) + 1) if content else 0
        kind = rng.randrange(6)
        if kind == 0:
            del content[place:]
        elif kind == 1 and content:
            content[place % len(content)] = rng.randrange(256)
        elif kind == 2:
            content[place:place] = rng.choice(
                [
                    b'"',
                    b",,,",
                    b"\0",
                    b"\xff\xfe",
                    b"\r",
                    b"{}",
                    b"[",
                    b"null",
                    b"\\ud800",
                    b"1e999",
                    b"NaN",
                    b"\xe2\x80\xa8",
                    b"-" * 50,
                ]
            )
        elif kind == 3:
            end = min(len(content), place + rng.randint(1, 40))
            content[place:place] = content[place:end]
        elif kind == 4:
            del content[place : place + rng.randint(1, 30)]
        else:
            content[place:place] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
    return bytes(content)


def try_to_read(path, rng):
    """Read and inspect a file: nothing but a result or an error in three parts."""
    rules = ScaleRules([0, 1, 2, 3, 4], missing=["NA"])
    names = ScaleRules(["a", "q", "r"], measurement="nominal", sets=True)
    config = rng.choice(
        [
            Config([Source(layout="wide-by-rater", item="item")], rules),
            Config([Source(item="id", rater="rater", rating="score")], rules, duplicates="last"),
            Config([Source(rater_is="x")], names),
            Config([Source(rater_is="x", answers=True)], rules),
            Config([Source(layout="wide-by-item", rater="item", header_rows=2)], rules),
            Config([Source(item="id", rating="score", rater_is="x", first="text", second="rater")],
                   ScaleRules(["é", "tie", "r"], measurement="nominal")),
        ]
    )  # fmt: skip
    refused = 0
    for call in (lambda: read(path, config, drop_at_most=10**9), lambda: inspect(path, SMALL)):
        try:
            outcome = call()
        except RatingsError as error:
            refused += 1
            assert error.given and error.allowed and error.todo
        else:
            assert json.dumps(outcome.to_dict()) and str(outcome).encode()
            if hasattr(outcome, "to_toml"):
                assert Config.from_toml(outcome.to_toml()) == outcome.config
    return refused


def test_damaged_files_of_every_kind_are_read_or_refused(tmp_path):
    rng = random.Random(20_26)
    kinds = seeds(tmp_path)
    path = tmp_path / "fuzzed"
    refused = 0
    for tried in range(TRIED):
        path.write_bytes(damaged(kinds[tried % len(kinds)], rng))
        refused += try_to_read(path, rng)
    assert 0 < refused < 2 * TRIED


def test_exports_with_values_of_other_types_are_read_or_refused(tmp_path):
    rng = random.Random(7)
    kinds = exports()
    path = tmp_path / "fuzzed"
    refused = 0
    for tried in range(TRIED):
        export = turned(kinds[tried % len(kinds)], rng)
        if isinstance(export, list) and tried % 2:
            path.write_text("".join(json.dumps(one) + "\n" for one in export))
        else:
            path.write_text(json.dumps(export))
        refused += try_to_read(path, rng)
    assert 0 < refused < 2 * TRIED
