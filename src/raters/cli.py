"""The command line: `python -m raters data` and `python -m raters results`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from raters.errors import RatingsError


def main(arguments: list[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : list of str, optional
        Default: the ones of the process.

    Returns
    -------
    int
        0 on success, 1 when something given cannot be used (said in one
        paragraph on standard error), 2 for an unknown command or option.

    Examples
    --------
    >>> main(["results", "--out", "tables", "--study", "publishd"])
    1
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except RatingsError as error:
        print(f"raters: {error}", file=sys.stderr)
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="raters", description="Agreement between raters, with intervals."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    data = commands.add_parser(
        "data",
        help="fetch or check the study's files",
        epilog="example: python -m raters data --check",
    )
    data.add_argument("--check", action="store_true", help="only compare checksums")
    data.set_defaults(run=_data)
    results = commands.add_parser(
        "results",
        help="write every computed table of the study as CSV",
        epilog="example: python -m raters results --out results",
    )
    results.add_argument("--out", type=Path, required=True, help="the folder to write to")
    results.add_argument("--study", default="auto", help="auto, published or simulated")
    results.add_argument("--resamples", type=int, default=2000, help="of items (default 2000)")
    results.add_argument("--seed", type=int, default=2025, help="of the resamples (default 2025)")
    results.set_defaults(run=_results)
    return parser


def _data(options):
    from raters.study import files

    if options.check:
        checked = files.verify()
        print(f"{len(checked)} files in {files.place()}: every checksum is right.")
        return
    files.fetch()
    print(f"The study's files are in {files.place()}, checked by sha256.")


def _results(options):
    from raters.study import files, simulate
    from raters.study.export import write

    study = files.resolve(options.study)
    for path in write(options.out, study, options.resamples, options.seed):
        print(path)
    if study == "simulated":
        print(f"{simulate.STAMP} Every table says so in its notes.", file=sys.stderr)
