"""The commands and their options. Nothing here needs numpy or pandas: `--help` is at once there."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from raters import __version__
from raters.cli import commands
from raters.cli.completion import SHELLS
from raters.cli.installed import entry_points, load
from raters.cli.say import Say
from raters.errors import RatingsError

GROUP = "raters.commands"
_EXIT_CODES = (
    "exit codes: 0 done; 1 something given cannot be used; 2 an unknown command or option; "
    "70 a fault of raters; 130 interrupted, 143 stopped; 141 nobody reads the output any more"
)
MEASUREMENTS = ("nominal", "ordinal", "interval", "ratio")  # those of `raters.scale`


class UsageError(RatingsError):
    """A command line that is none: an unknown command or option, or one that is missing."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in three parts, like every other error here."""

    def __init__(self, **kwargs):
        super().__init__(allow_abbrev=False, **kwargs)

    def error(self, message):
        """Refuse the command line."""
        usage = " ".join(self.format_usage().removeprefix("usage: ").split())
        raise UsageError(f"a command line with a mistake: {message}", usage, f"{self.prog} --help")


@dataclass(frozen=True)
class Command:
    """A command: one of these, or one that another package brings.

    A package names its commands as entry points of the group ``raters.commands``.

    Parameters
    ----------
    name : str
        As it is typed.
    run : callable
        Takes the options and a `Say`.
    about : str
        What it does, in one line.
    arguments : callable
        Takes the parser of this command and adds its options.
    example : str
        How it is called, without ``raters``.
    more : str
        A second sentence for its own help.

    Examples
    --------
    >>> hello = Command("hello", lambda options, say: say.out("hello"), "greet", lambda _: None)
    >>> build([hello]).parse_args(["hello"]).command
    'hello'
    """

    name: str
    run: Callable[[argparse.Namespace, Say], None]
    about: str
    arguments: Callable[[argparse.ArgumentParser], None]
    example: str = ""
    more: str = ""


def build(known: Iterable[Command] | None = None) -> Parser:
    """The parser of all commands.

    A parsed command has ``run``, a function of the options and of a `Say`, and ``parser``. Without
    `known` there are those of this package and of the other ones that are installed.
    """
    parser = Parser(
        prog="raters",
        description="Agreement between raters, with intervals, and judges against experts.",
        epilog=f"example: raters inspect ratings.csv --write raters.toml. {_EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=f"raters {__version__}")
    parts = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for command in (*COMMANDS, *brought()) if known is None else known:
        one = parts.add_parser(
            command.name,
            help=command.about,
            description=f"{command.about[0].upper()}{command.about[1:]}. {command.more}".strip(),
            epilog=f"example: raters {command.example}",
        )
        command.arguments(one)
        one.set_defaults(run=command.run, parser=parser)
    return parser


def brought() -> Iterator[Command]:
    """The commands of other packages. One that cannot be loaded takes none of the others away."""
    for place in entry_points(GROUP).values():
        try:
            yield load(place)
        except (ImportError, AttributeError):
            continue


# ----------------------------------------------------------------------- options in common
def _files(command):
    command.add_argument("files", nargs="+", metavar="FILE", help="files with ratings")


def _declared(command):
    _files(command)
    group = command.add_argument_group("what the files hold")
    group.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the raters.toml (default: the one beside the first file)",
    )
    group.add_argument(
        "--scale",
        metavar="LEVELS",
        help='without a raters.toml: the levels in order, such as "1,2,3,4,5"; the columns are '
        "then taken as `raters inspect` proposes them",
    )
    group.add_argument("--measurement", choices=MEASUREMENTS, help="with --scale (default ordinal)")
    group.add_argument(
        "--missing", metavar="CELLS", help='with --scale: cells for "not rated", such as "0,NA"'
    )
    group.add_argument(
        "--group",
        action="append",
        metavar="NAME=RATERS",
        help="with --scale: who belongs together, such as expert=ann,bob; may be repeated",
    )
    group.add_argument(
        "--drop-at-most",
        type=int,
        metavar="N",
        help="rows that cannot be read and may be left out (default: what raters.toml says, or 0)",
    )


def _resampled(command, intervals, resamples):
    group = command.add_argument_group("intervals")
    group.add_argument("--resamples", type=int, help=f"of items (default {resamples})")
    group.add_argument("--seed", type=int, default=0, help="of the resamples (default 0)")
    group.add_argument("--level", type=float, default=0.95, help="coverage (default 0.95)")
    if intervals:
        group.add_argument(
            "--interval",
            choices=intervals,
            default="percentile",
            help="how they are made (default percentile)",
        )


def _judged(command):
    command.add_argument(
        "--judge",
        action="append",
        default=[],
        metavar="NAME",
        help="the rater to be judged; may be repeated (default: the group called judge)",
    )
    command.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="GROUP",
        help="the experts: a group, or repeated with the names of raters (default: expert)",
    )
    command.add_argument(
        "--margin",
        type=float,
        default=0.1,
        help="the largest difference that does not matter to you (default 0.1)",
    )


def _said(command, machines=True):
    if machines:
        command.add_argument("--json", action="store_true", help="the result for machines")
    command.add_argument("--quiet", action="store_true", help="no remarks, no progress")


# ----------------------------------------------------------------- options of each command
def _inspect(command):
    _files(command)
    command.add_argument(
        "--write", type=Path, metavar="FILE", help="write the proposal, a commented raters.toml"
    )
    command.add_argument("--force", action="store_true", help="replace a raters.toml")
    _said(command)


def _agreement(command):
    _declared(command)
    command.add_argument(
        "--statistic",
        action="append",
        default=[],
        metavar="NAME",
        help="a coefficient; may be repeated (default: those that fit the scale)",
    )
    command.add_argument(
        "--pairs", action="store_true", help="every two raters instead of whole groups"
    )
    _resampled(
        command, ("percentile", "bca", "jackknife", "analytic"), "2000, fewer for very many items"
    )
    _said(command)


def _benchmark(command):
    _declared(command)
    _judged(command)
    command.add_argument(
        "--statistic",
        action="append",
        default=[],
        metavar="NAME",
        help="a coefficient; may be repeated (default: quadratic kappa, or Cohen's for labels)",
    )
    command.add_argument(
        "--reading",
        action="append",
        default=[],
        metavar="NAME",
        help="single, leave_one_out, paper or replacement; may be repeated (default single)",
    )
    _resampled(command, ("percentile", "bca"), "10000, fewer for very many items")
    _said(command)


def _report(command):
    _declared(command)
    _judged(command)
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder; it must not be there"
    )
    command.add_argument("--title", default="", help="of the page")
    command.add_argument("--force", action="store_true", help="replace a folder, whatever it holds")
    _resampled(command, (), "2000, and 10000 for judges; fewer for very many items")
    _said(command)


def _convert(command):
    _declared(command)
    command.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="a .csv or a .parquet file"
    )
    command.add_argument(
        "--for-spreadsheets",
        action="store_true",
        help="an apostrophe before texts that a spreadsheet would take for a formula",
    )
    command.add_argument("--force", action="store_true", help="replace a file")
    _said(command)


def _simulate(command):
    command.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="a .csv or a .parquet file"
    )
    for name, default, about in (
        ("items", 50, "items"),
        ("raters", 3, "experts"),
        ("judges", 1, "judges beside them"),
        ("levels", 5, "levels of the scale, all used equally often by the experts"),
    ):
        command.add_argument(
            f"--{name}", type=int, default=default, help=f"{about} (default {default})"
        )
    command.add_argument(
        "--reliability",
        type=float,
        default=0.6,
        help="correlation of what two raters see before they choose a level (default 0.6)",
    )
    command.add_argument(
        "--shift",
        type=float,
        default=0.0,
        help="how much higher a judge sees everything, in standard deviations (default 0)",
    )
    command.add_argument("--seed", type=int, default=0, help="of the ratings (default 0)")
    command.add_argument("--force", action="store_true", help="replace a file")
    _said(command)


def _example(command):
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="a folder that is not there yet"
    )
    _said(command, machines=False)


def _completion(command):
    command.add_argument("shell", choices=SHELLS, help="the shell")


COMMANDS = (
    Command(
        "inspect",
        commands.inspect,
        "look at files of ratings and propose how to read them",
        _inspect,
        "inspect ratings.csv judge.jsonl --write raters.toml",
        "Prints what each column seems to hold and warns of whatever is odd.",
    ),
    Command(
        "agreement",
        commands.agreement,
        "agreement within each group of raters, with intervals",
        _agreement,
        'agreement ratings.csv --scale "1,2,3,4,5"',
    ),
    Command(
        "benchmark",
        commands.benchmark,
        "a judge against the experts' own agreement, with verdicts",
        _benchmark,
        "benchmark ratings.csv judge.jsonl --judge gpt --reference expert",
    ),
    Command(
        "report",
        commands.report,
        "a folder with the whole analysis: a page, the tables, the notebook",
        _report,
        "report ratings.csv judge.jsonl --out report",
        'Needs the extra "report".',
    ),
    Command(
        "convert",
        commands.convert,
        "write the ratings as read: a row a rating",
        _convert,
        "convert export.json --config raters.toml --out ratings.csv",
    ),
    Command(
        "simulate",
        commands.simulate,
        "simulated ratings whose true agreement is known",
        _simulate,
        "simulate --items 100 --raters 3 --judges 1 --out simulated.csv",
    ),
    Command(
        "example",
        commands.example,
        "copy the example study: ratings, a judge's answers, a raters.toml",
        _example,
        "example --out study",
    ),
    Command(
        "completion",
        commands.completion,
        "print a script with which a shell completes these commands",
        _completion,
        "completion bash > ~/.local/share/bash-completion/completions/raters",
    ),
)
