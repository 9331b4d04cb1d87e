"""What each command does. What it needs is imported when it runs: `--help` needs none of it."""

from __future__ import annotations

import shlex
from argparse import Namespace
from pathlib import Path

from raters import __version__
from raters.cli.say import Say, note_lines, plain
from raters.errors import RatingsError
from raters.text import count_of

_LABELS = ("framework", "dimension", "rater_a", "rater_b", "group", "statistic")


def inspect(options: Namespace, say: Say) -> None:
    """`raters inspect`: what the files seem to hold, and the proposed raters.toml."""
    from raters.io.inspect import inspect as look
    from raters.io.write import refuse_inputs

    with say.working("looking at the files"):
        seen = look(options.files)
    if options.write:
        refuse_inputs(Path(options.write), options.files)
        seen.save(options.write, overwrite=options.force)
    if options.json:
        say.json({"command": "inspect", **seen.to_dict()})
        return
    say.out(seen)
    if options.write:
        say.remark(f"wrote {options.write}: check each line before you go on")
    else:
        say.remark("nothing is written; --write raters.toml writes the proposal")


def agreement(options: Namespace, say: Say) -> None:
    """`raters agreement`: within groups, or of every two raters."""
    from raters import defaults
    from raters.cli.given import reading_of

    reading = reading_of(options, say)
    how = {
        "statistics": options.statistic,
        "seed": options.seed,
        "level": options.level,
        "interval": options.interval,
    }
    if options.resamples is not None:
        how["resamples"] = options.resamples
    with say.working("agreement"):
        compute = defaults.between_pairs if options.pairs else defaults.within_groups
        found = compute(reading.ratings, reading.scale, **how)
    used = found.attrs["resamples"]
    if options.resamples is None and used < defaults.RESAMPLES:
        say.remark(
            f"{used:,} resamples, as there are very many items (--resamples: another number)"
        )
    if options.json:
        say.json(_for_machines("agreement", reading, {"results": found}, found.attrs))
        return
    _say_reading(reading, options, say)
    say.out(_without_notes(found))
    for line in note_lines(found, _LABELS):
        say.out(line)


def _for_machines(command, reading, results, settings):
    return {
        "command": command,
        "version": __version__,
        "settings": plain(dict(settings)),
        "reading": reading.to_dict(),
        **results,
    }


def _say_reading(reading, options, say):
    if not options.quiet:
        say.out(reading)
        say.out()


def _without_notes(found):
    """The table as people read it; notes are sentences and stand below it."""
    return repr(found.assign(note="").readable()) if len(found) else "no results"


def benchmark(options: Namespace, say: Say) -> None:
    """`raters benchmark`: verdicts on each judge."""
    from raters import defaults
    from raters.cli.given import reading_of
    from raters.io.inspect import judges_backwards
    from raters.judges.ceiling import verdict_counts

    reading = reading_of(options, say)
    ratings = reading.ratings
    judges = defaults.judges_of(ratings, options.judge)
    if not judges:
        raise RatingsError(
            "no judge",
            "--judge with the name of a rater, or a group called judge in raters.toml",
            f"name one of: {', '.join(sorted(ratings['rater'].unique())[:12])}",
        )
    experts = _experts(ratings, options.reference or ["expert"], judges)
    with say.working("benchmark"):
        found = defaults.against_experts(
            ratings,
            reading.scale,
            judges,
            experts,
            options.statistic,
            options.reading or ["single"],
            options.resamples,
            options.seed,
            options.level,
            options.interval,
            options.margin,
        )
    counts = verdict_counts(found)
    turned = judges_backwards(ratings, judges, experts)
    if options.json:
        results = {"judges": judges, "experts": experts, "results": found, "counts": counts}
        results["warnings"] = turned
        say.json(_for_machines("benchmark", reading, results, found.attrs))
        return
    _say_reading(reading, options, say)
    _say_verdicts(found, counts, experts, say)
    for line in turned:
        say.out(f"- {line}")


def _experts(ratings, reference, judges):
    """The experts; what to do where there are none is said as options of the command."""
    from raters import defaults

    try:
        return defaults.experts_of(ratings, reference, judges)
    except RatingsError as error:
        others = sorted(set(ratings["rater"]) - set(judges))[:2]
        named = " ".join(f"--reference {shlex.quote(name)}" for name in others)
        todo = "name a group with --reference" + (f", or each expert: {named}" if others else "")
        raise RatingsError(error.given, error.allowed, todo) from error


def _say_verdicts(found, counts, experts, say):
    from raters.judges.ceiling import verdicts

    attrs = found.attrs
    say.out(
        f"Experts: {', '.join(experts)}. Intervals of {100 * attrs['level']:g} % from "
        f"{attrs['resamples']:,} resamples of items; differences up to {attrs['margin']:g} "
        "do not matter."
    )
    for row in counts.itertuples():
        say.out()
        table = verdicts(found, row.judge, row.reading, row.statistic)
        say.out(f"{row.judge}, reading {row.reading}, {row.statistic}")
        say.out(table.to_string(index=False))
        said = {"above": row.above, "within": row.within, "below": row.below}
        said |= {"cannot tell": row.cannot_tell, "not defined": row.other}
        parts = [f"{n} {name}" for name, n in said.items() if n]
        say.out(f"Of {count_of(row.dimensions, 'dimension')}: {', '.join(parts)}.")
    for line in note_lines(found, ("judge", "dimension", "reading", "statistic")):
        say.out(line)


def report(options: Namespace, say: Say) -> None:
    """`raters report`: the folder with the whole analysis."""
    from raters.cli.given import declared_of
    from raters.report import report as write

    config = declared_of(options, say)
    made = write(
        options.files,
        options.out,
        config,
        judges=options.judge,
        reference=options.reference or ["expert"],
        resamples=options.resamples,
        seed=options.seed,
        level=options.level,
        margin=options.margin,
        title=options.title,
        drop_at_most=options.drop_at_most,
        replace=options.force,
        working=say.working,
    )
    if options.json:
        say.json({"command": "report", "folder": str(made), "page": str(made / "index.html")})
    else:
        say.out(made / "index.html")


def convert(options: Namespace, say: Say) -> None:
    """`raters convert`: the ratings as read, in the long format."""
    from raters.cli.given import reading_of
    from raters.io.write import write_table
    from raters.show.tables import formula_like, spreadsheet_safe

    reading = reading_of(options, say)
    frame = reading.ratings
    risky = 0 if options.for_spreadsheets else formula_like(frame)
    frame = spreadsheet_safe(frame) if options.for_spreadsheets else frame
    with say.working(f"writing {options.out}"):
        read = [*options.files, *filter(None, [options.config])]
        write_table(frame, options.out, options.force, read)
    if options.json:
        say.json({"command": "convert", "file": str(options.out), **reading.to_dict()})
        return
    say.out(options.out)
    for line in str(reading).splitlines():
        say.remark(line)
    if risky:
        say.remark(
            f"{risky:,} cells start with = + - @ as formulas do, and are written as they are: "
            "--for-spreadsheets puts an apostrophe before each"
        )


def simulate(options: Namespace, say: Say) -> None:
    """`raters simulate`: ratings with a known truth."""
    import pandas as pd

    from raters.cli.simulated import simulated, truth
    from raters.io.write import write_table

    frame = simulated(
        options.items, options.raters, options.judges, options.levels, options.reliability,
        options.shift, options.seed,
    )  # fmt: skip
    known = truth(options.levels, options.reliability, options.shift)
    write_table(frame, options.out, options.force)
    if options.json:
        say.json({"command": "simulate", "file": str(options.out), "truth": known})
        return
    say.out(options.out)
    table = pd.DataFrame({"truth, with infinitely many items": known.values()}, known.keys())
    say.out(table.round(3).to_string())


def example(options: Namespace, say: Say) -> None:
    """`raters example`: copy the example study."""
    from raters.examples import copy_to

    for path in copy_to(options.out):
        say.out(path)


def completion(options: Namespace, say: Say) -> None:
    """`raters completion`: the script for a shell."""
    from raters.cli.completion import script

    print(script(options.shell, options.parser), end="")
