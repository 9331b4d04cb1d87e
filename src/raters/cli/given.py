"""What a command was given: files, and what is declared of them."""

from __future__ import annotations

from pathlib import Path

from raters.errors import RatingsError
from raters.io.config import Config, ScaleRules
from raters.io.formats.base import checked_path
from raters.io.read import Reading, read

NAME = "raters.toml"


def reading_of(options, say) -> Reading:
    """The files of a command, read as declared.

    An error says that nothing is declared, or is that of `raters.read`.
    """
    if options.scale and not options.config:
        return _quick(options, say)
    config = declared_of(options, say)
    with say.working(_reading(options)):
        return read(options.files, config, options.drop_at_most)


def _reading(options):
    return "reading " + ", ".join(Path(f).name for f in options.files[:3])


def declared_of(options, say) -> Config | Path:
    """What is declared: --config, --scale, or the raters.toml beside the first file.

    An error says that nothing is declared, or that two things are.
    """
    quick = {
        "--scale": options.scale,
        "--measurement": options.measurement,
        "--missing": options.missing,
        "--group": options.group,
    }
    given = [name for name, value in quick.items() if value]
    if options.config and given:
        raise RatingsError(
            f"--config and {given[0]}",
            f"--config, or {', '.join(quick)} for files without a {NAME}",
            f"write it into {options.config} and leave {given[0]} out",
        )
    for path in options.files:
        checked_path(path)
    if options.config:
        return options.config
    if options.scale:
        return _quick(options, say).config
    beside = Path(options.files[0]).parent / NAME
    if beside.is_file():
        if given:
            raise RatingsError(
                f"{given[0]} beside {beside}",
                f"{given[0]} with --scale, for files without a {NAME}",
                f"write it into {beside}, or name the scale as well",
            )
        say.remark(f"read as {beside} declares")
        return beside
    raise RatingsError(
        "ratings without a declared scale",
        f"a {NAME} beside the first file or named by --config, or --scale with the levels in order",
        f"write one, raters inspect {options.files[0]} --write {beside}, and check it; "
        'or give the levels, such as --scale "1,2,3,4,5"',
    )


def _quick(options, say):
    """The files read on the scale that was named, with the columns as proposed."""
    from raters.io.inspect import read_as_proposed

    beside = Path(options.files[0]).parent / NAME
    if beside.is_file():
        say.remark(f"{beside} is not used: --scale was given")
    rules = ScaleRules(
        levels_of(options.scale, "--scale"),
        measurement=options.measurement or "ordinal",
        missing=levels_of(options.missing, "--missing") if options.missing else (),
    )
    groups = _groups(options.group)
    with say.working(_reading(options)):
        reading, warnings = read_as_proposed(
            options.files, rules, groups, options.drop_at_most or 0
        )
    for warning in warnings:
        say.remark(str(warning))
    for source in reading.config.files:
        roles = [f"{r} = {getattr(source, r)}" for r in ("item", "rater", "dimension", "rating")]
        named = [role for role in roles if not role.endswith("= ")]
        columns = [f"ratings in {', '.join(source.columns[:8])}"] if source.columns else []
        say.remark(f"{source.name}: {source.layout}; {', '.join([*named, *columns])}")
    return reading


def levels_of(text: str, option: str) -> list:
    """Levels as written in one option: numbers where all are, otherwise texts.

    Commas separate them; the `option` is for the message.

    An error names a level that is empty.

    >>> levels_of("1, 2, 2.5", "--scale"), levels_of("low,high", "--scale")
    ([1, 2, 2.5], ['low', 'high'])
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise RatingsError(
            f'{option} "{text}"',
            'levels in order with commas between them, such as "1,2,3,4,5"',
            "correct it; levels that hold a comma need a raters.toml",
        )
    numbers = [_number(part) for part in parts]
    return parts if option == "--scale" and None in numbers else [
        part if number is None else number for part, number in zip(parts, numbers)
    ]  # fmt: skip


def _number(text):
    try:
        value = float(text)
    except ValueError:
        return None
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return int(value) if value.is_integer() else value


def _groups(given):
    groups: dict[str, list[str]] = {}
    for one in given or ():
        name, sign, members = one.partition("=")
        raters = [rater.strip() for rater in members.split(",")]
        if not sign or not name.strip() or not all(raters):
            raise RatingsError(
                f"--group {one}",
                "a name, '=', and raters with commas between them, such as expert=ann,bob",
                "correct it; a rater whose name holds a comma needs a raters.toml",
            )
        groups.setdefault(name.strip(), []).extend(raters)
    return groups
