"""Scripts with which a shell completes the commands, made from the parser."""

from __future__ import annotations

import argparse

SHELLS = ("bash", "zsh", "fish")
_PLACES = ("FILE", "DIR")


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script for one shell; nothing in it is run by raters.

    The `parser` is one with commands.
    """
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](_commands(parser))


def _commands(parser):
    """The commands: name -> (help, options, choices of its words)."""
    parts = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    about = {choice.dest: choice.help or "" for choice in parts._choices_actions}
    return {
        name: (
            about.get(name, ""),
            [a for a in command._actions if a.option_strings],
            [a for a in command._actions if not a.option_strings],
        )
        for name, command in parts.choices.items()
    }


def _words(options):
    return " ".join(o for action in options for o in action.option_strings if o.startswith("--"))


def _takes_value(action):
    return action.nargs != 0


def _bash(commands):
    lines = [
        "# bash completion for raters; load it with: source <(raters completion bash)",
        "_raters() {",
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
        "    COMPREPLY=()",
        "    if [[ $COMP_CWORD -eq 1 ]]; then",
        f'        COMPREPLY=($(compgen -W "{" ".join(commands)} --help --version" -- "$word"))',
        "        return",
        "    fi",
        '    case "${COMP_WORDS[1]} $before" in',
    ]
    for name, (_, options, _) in commands.items():
        for action in options:
            if action.choices:
                at = "|".join(f'"{name} {option}"' for option in action.option_strings)
                words = " ".join(map(str, action.choices))
                lines.append(
                    f'        {at}) COMPREPLY=($(compgen -W "{words}" -- "$word")); return ;;'
                )
    lines += ["    esac", '    case "${COMP_WORDS[1]}" in']
    for name, (_, options, words) in commands.items():
        known = " ".join(str(c) for action in words for c in action.choices or ())
        lines.append(f'        {name}) local options="{_words(options)}" known="{known}" ;;')
    lines += [
        "        *) return ;;",
        "    esac",
        "    if [[ $word == -* ]]; then",
        '        COMPREPLY=($(compgen -W "$options" -- "$word"))',
        "    elif [[ -n $known ]]; then",
        '        COMPREPLY=($(compgen -W "$known" -- "$word"))',
        "    fi",
        "}",
        # Where nothing is offered, bash completes names of files.
        "complete -o default -o filenames -F _raters raters",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text):
    return text.replace("'", "'\\''")


def _zsh(commands):
    lines = [
        "#compdef raters",
        "# zsh completion for raters; put this file as _raters into a folder of $fpath",
        "_raters() {",
        "    local -a commands",
        "    commands=(",
    ]
    lines += [f"        '{n}:{_quoted(about)}'" for n, (about, _, _) in commands.items()]
    lines += [
        "    )",
        "    if (( CURRENT == 2 )); then",
        "        _describe 'command' commands",
        "        return",
        "    fi",
        '    case "$words[2]" in',
    ]
    for name, (_, options, words) in commands.items():
        lines.append(f"        {name})")
        lines.append("            shift words; (( CURRENT-- ))")
        lines.append("            _arguments -s \\")
        for action in options:
            for option in action.option_strings:
                lines.append(f"                '{_zsh_option(action, option)}' \\")
        for action in words:
            what = f"({' '.join(map(str, action.choices))})" if action.choices else "_files"
            lines.append(f"                '*:{action.dest}:{what}' \\")
        lines[-1] = lines[-1].removesuffix(" \\")
        lines.append("            ;;")
    lines += ["    esac", "}", '_raters "$@"']
    return "\n".join(lines) + "\n"


def _zsh_option(action, option):
    about = _quoted((action.help or "").replace("[", "(").replace("]", ")").replace(":", ";"))
    repeated = "*" if isinstance(action, argparse._AppendAction) else ""
    if not _takes_value(action):
        return f"{repeated}{option}[{about}]"
    what = f"({' '.join(map(str, action.choices))})" if action.choices else ""
    what = "_files" if not what and action.metavar in _PLACES else what
    return f"{repeated}{option}[{about}]:{(action.metavar or action.dest).lower()}:{what}"


def _fish(commands):
    first = "__fish_use_subcommand"
    lines = [
        "# fish completion for raters; put it into ~/.config/fish/completions/raters.fish",
        "complete -c raters -f",
    ]
    for name, (about, _, _) in commands.items():
        lines.append(f"complete -c raters -n {first} -a {name} -d '{_fished(about)}'")
    for name, (_, options, words) in commands.items():
        here = f"complete -c raters -n '__fish_seen_subcommand_from {name}'"
        for action in options:
            for option in action.option_strings:
                flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
                lines.append(f"{here} {flag}{_fish_value(action)} -d '{_fished(action.help)}'")
        for action in words:
            lines.append(
                f"{here} -a '{' '.join(map(str, action.choices))}'"
                if action.choices
                else f"{here} -F"
            )
    return "\n".join(lines) + "\n"


def _fish_value(action):
    if not _takes_value(action):
        return ""
    if action.choices:
        return f" -x -a '{' '.join(map(str, action.choices))}'"
    return " -r -F" if action.metavar in _PLACES else " -x"


def _fished(text):
    return (text or "").replace("\\", "\\\\").replace("'", "\\'")
