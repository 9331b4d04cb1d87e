"""Logs of language models as judges: each becomes a table with a row for each answer.

What each function takes is said at `raters.io.formats.Format`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import RatingsError
from raters.io.formats.base import REFUSAL_MARK, Limits, Rows, Table
from raters.io.formats.json_files import OtherShape, decode, document, each, flat, inside, listed
from raters.io.notes import Note
from raters.text import count_of

if TYPE_CHECKING:
    from raters.io.config import Source


def openai_batch(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits, unit: str
) -> Table:
    """The output file of an OpenAI batch (also written by compatible services).

    The columns ``custom_id, model, answer, finish_reason, status_code``. A request that failed is
    left out; a refusal that the service marks is kept as one.

    Source: OpenAI API reference, "Batch" (the request output object), "Chat completions"
    and "Responses".
    """
    rows = Rows(needed, unit)
    cut: list[int] = []
    each(rows, listed(path, source, limits, rows), lambda n, one: _request(rows, n, one, cut))
    if cut:
        text = f"{count_of(len(cut), 'answer')} cut off at the length limit"
        rows.table.notes.append(Note(f"{text}; the first in line {cut[0]}", "cut-off"))
    return rows.done()


def _request(rows, number, record, cut):
    response = inside(record, "response")
    status = str(response.get("status_code", "200" if response else "none"))
    body = inside(response, "body")
    if record.get("error") or status != "200" or not body or body.get("error"):
        rows.table.left_out[f"failed request (status {status})"] += 1
        return
    answer, reason = _said(body)
    if reason in ("length", "max_output_tokens"):
        cut.append(number)
    told = {
        "custom_id": record.get("custom_id"),
        "model": body.get("model"),
        "answer": answer,
        "finish_reason": reason,
        "status_code": status,
    }
    rows.add(number, told)


def _said(body):
    """The text of an answer and why it ended; chat completions or responses."""
    choices = inside(body, "choices", list)
    if choices:
        message, reason = inside(choices[0], "message"), choices[0].get("finish_reason")
        if message.get("refusal") or reason == "content_filter":
            return f"{REFUSAL_MARK} {message.get('refusal') or reason}", reason
        return _texts(message.get("content")), reason
    parts = []
    for item in inside(body, "output", list):
        for part in inside(item, "content", list):
            if part.get("refusal"):
                return f"{REFUSAL_MARK} {part['refusal']}", "refusal"
            parts.append(part)
    return _texts(parts), inside(body, "incomplete_details").get("reason")


def _texts(content):
    """A message's content: a text, or a list of parts with text."""
    if not isinstance(content, list):
        return content
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("text")]
    return "\n".join(map(str, texts)) or None


def promptfoo(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits, unit: str
) -> Table:
    """The results of promptfoo, as one JSON document or as JSONL.

    The columns ``test`` (its number), ``provider, prompt, output, score, pass`` and the test's
    ``vars.*``; with ``metric``, ``grader`` or ``assertion`` among the columns that are needed a
    row for each assertion, otherwise one for each test.

    Source: promptfoo, ``EvaluateResult`` and ``GradingResult`` in its published types.
    """
    rows = Rows(needed, unit)
    parts = rows.wants("metric", "grader", "assertion")
    found = listed(path, source, limits, rows, "results")
    each(rows, found, lambda n, result: _result(rows, n, result, parts))
    return rows.done()


def _result(rows, number, result, parts):
    response = result.get("response")
    response = response if isinstance(response, dict) else {"output": response}
    if (result.get("error") or response.get("error")) and response.get("output") is None:
        rows.table.left_out["failed request"] += 1
        return
    variables = inside(result, "vars") or inside(inside(result, "testCase"), "vars")
    about = flat({"vars": variables}) | {
        "test": result.get("testIdx", result.get("description")),
        "provider": _named(result.get("provider"), "id", "label"),
        "prompt": _named(result.get("prompt"), "label", "raw"),
        "output": _output(response),
    }
    _graded(rows, number, about, result, parts)


def _named(value, *keys):
    """A name, or the first of these keys of an object."""
    if not isinstance(value, dict):
        return value
    return next((value[key] for key in keys if value.get(key)), None)


def _output(response):
    if response.get("isRefusal"):
        return f"{REFUSAL_MARK} marked by the provider"
    output = response.get("output")
    return output if output is None or isinstance(output, str) else json.dumps(output)


def _graded(rows, number, about, result, each_part):
    grading = inside(result, "gradingResult")
    parts = inside(grading, "componentResults", list)
    if not (each_part and parts):
        score, passed = result.get("score", grading.get("score")), result.get("success")
        rows.add(number, about | {"metric": "all", "score": score, "pass": passed})
        return
    for part in parts:
        assertion = inside(part, "assertion")
        kind = assertion.get("type")
        told = {
            "metric": assertion.get("metric") or kind,
            "assertion": kind,
            "grader": _named(assertion.get("provider"), "id") or "promptfoo's default grader",
            "score": part.get("score"),
            "pass": part.get("pass"),
            "reason": part.get("reason"),
        }
        rows.add(number, about | told)


def inspect_log(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits, unit: str
) -> Table:
    """An evaluation log of Inspect: JSON, or the ``.eval`` archive.

    The columns ``id, epoch, model, task, scorer, value, answer, completion`` and the sample's
    ``metadata.*``. With ``scorer``, ``value`` or ``answer`` among the columns that are needed a
    row for each score, otherwise one for each sample.

    Source: Inspect reference, ``EvalLog``, ``EvalSample`` and ``Score``. A scorer that
    gives several values becomes ``scorer.key``.
    """
    rows = Rows(needed, "record")
    eval_, samples = (_archive if unit == "archive" else _json_log)(path, source, limits)
    about = {"model": eval_.get("model"), "task": eval_.get("task")}
    parts = rows.wants("scorer", "value", "answer")
    each(rows, enumerate(samples, 1), lambda n, one: _sample(rows, n, one, about, parts))
    return rows.done()


def _sample(rows, number, sample, about, parts):
    if not isinstance(sample, dict):
        raise OtherShape("samples", sample)
    if sample.get("error"):
        rows.table.left_out["sample with an error"] += 1
        return
    about = about | flat({"metadata": inside(sample, "metadata")})
    about |= {
        "id": sample.get("id"),
        "epoch": sample.get("epoch"),
        "completion": inside(sample, "output").get("completion"),
    }
    if not parts:
        rows.add(number, about)
        return
    scores = inside(sample, "scores") or ({"score": sample["score"]} if sample.get("score") else {})
    if not scores:
        rows.table.left_out["sample without a score"] += 1
    for scorer, score in scores.items():
        for name, told in _scores(scorer, score):
            rows.add(number, about | {"scorer": name} | told)


def _scores(scorer, score):
    score = score if isinstance(score, dict) else {"value": score}
    value = score.get("value")
    kept = {"answer": score.get("answer"), "explanation": score.get("explanation")}
    if isinstance(value, dict):
        for key, part in value.items():
            yield f"{scorer}.{key}", kept | {"value": part}
    else:
        yield scorer, kept | {"value": value}


def _json_log(path, source, limits):
    log = document(path, source, limits)
    samples = log.get("samples") if isinstance(log, dict) else None
    if not isinstance(samples, list):
        raise RatingsError(
            f"{path}, a log without samples",
            "an evaluation log of Inspect with its samples",
            "write it whole: inspect log dump LOG > log.json",
        )
    eval_ = log.get("eval")
    return (eval_ if isinstance(eval_, dict) else {}), samples


def _archive(path, source, limits):
    try:
        with zipfile.ZipFile(path) as parts:
            names = [p for p in parts.infolist() if p.filename.startswith("samples/")]
            if sum(part.file_size for part in names) > limits.document:
                raise RatingsError(
                    f"{path}, samples of more than {limits.document:,} bytes when unpacked",
                    f"logs of up to {limits.document:,} bytes",
                    "read it in parts",
                )
            header = decode(parts.read("header.json").decode())
            samples = [decode(parts.read(part).decode()) for part in names]
    except (
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        OSError,
        NotImplementedError,
        EOFError,
    ) as error:
        if isinstance(error, RatingsError):
            raise
        raise RatingsError(
            f"{path}, an Inspect archive that cannot be read ({error})",
            "an .eval file that is whole, or the log as JSON",
            "write the log as JSON: inspect log dump LOG > log.json",
        ) from error
    eval_ = header.get("eval") if isinstance(header, dict) else None
    return (eval_ if isinstance(eval_, dict) else {}), samples
