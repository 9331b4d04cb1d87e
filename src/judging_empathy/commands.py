"""The commands of this study, which `raters` finds as entry points: light until they run."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from raters.cli.parser import Command
from raters.cli.say import Say


def _data(options: Namespace, say: Say) -> None:
    from judging_empathy.data.files import store

    files = store()
    if options.check:
        checked = files.verify()
        say.out(f"{len(checked)} files in {files.place()}: every checksum is right.")
        return
    files.fetch()
    say.out(f"The study's files are in {files.place()}, checked by sha256.")


def _data_options(command: ArgumentParser) -> None:
    command.add_argument("--check", action="store_true", help="only compare checksums")


def _results(options: Namespace, say: Say) -> None:
    from judging_empathy.export import write
    from judging_empathy.study import Study

    study = Study(options.study)
    for path in write(options.out, study, options.resamples, options.seed):
        say.out(path)
    if study.stamp:
        print(f"{study.stamp} Every table says so in its notes.", file=sys.stderr)


def _results_options(command: ArgumentParser) -> None:
    command.add_argument("--out", type=Path, required=True, help="the folder to write to")
    command.add_argument("--study", default="auto", help="auto, published or simulated")
    command.add_argument(
        "--resamples",
        type=int,
        help="of items, in every table (default 2000; 10000 for benchmark and judge_vs_crowd)",
    )
    command.add_argument(
        "--seed", type=int, default=2025, help="of resamples and folds (default 2025)"
    )


results = Command(
    "results",
    _results,
    "write every computed table of the study as CSV",
    _results_options,
    "results --out results",
    'Needs the extra "study".',
)
data = Command(
    "data",
    _data,
    "fetch or check the study's files",
    _data_options,
    "data --check",
    'Needs the extra "study".',
)
