"""The command line: `raters inspect`, `agreement`, `benchmark`, `report` and others."""

from __future__ import annotations

import os
import signal
import sys
import threading

from raters.cli.parser import UsageError, build
from raters.cli.say import Say, printable
from raters.errors import RatingsError, install

OK, UNUSABLE, USAGE, FAULT, INTERRUPTED, STOPPED, CLOSED = 0, 1, 2, 70, 130, 143, 141
# A module that is not installed -> the extra that brings it.
_EXTRAS = {
    "altair": "report", "vl_convert": "report", "jinja2": "report", "nbformat": "report",
    "openpyxl": "excel", "pyarrow": "parquet", "duckdb": "sql",
    "ibis": "sql", "sklearn": "judge", "pooch": "study", "statsmodels": "study", "tqdm": "study",
}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run a command.

    0 on success; 1 when something given cannot be used; 2 for an unknown command or option; 70 for
    a fault of this program; 130 when interrupted, 143 when told to stop; 141 when nobody reads the
    output any more. What went wrong is said in one paragraph on standard error. Without
    `arguments` those of the process hold.

    >>> main(["results", "--out", "tables", "--study", "publishd"])
    1
    """
    _say_all_signs()
    stopped = _stop_cleanly()
    try:
        options = build().parse_args(arguments)
        options.run(options, Say(getattr(options, "quiet", False)))
        sys.stdout.flush()
    except UsageError as error:
        return _say(error, USAGE)
    except RatingsError as error:
        return _say(error, UNUSABLE)
    except KeyboardInterrupt:
        return _interrupted()
    except _Stopped:
        return _interrupted("stopped", STOPPED)
    except BrokenPipeError:
        # Whatever is still to be written has no reader; Python would complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except ImportError as error:
        return _say(_not_installed(error), UNUSABLE)
    except MemoryError:
        return _say(
            RatingsError(
                "more than fits in memory",
                "ratings that fit, or counted patterns of them",
                "take a part of the items, or count in a database (raters.sql)",
            ),
            UNUSABLE,
        )
    except OSError as error:
        return _say(_no_file(error), UNUSABLE)
    except Exception as error:
        if os.environ.get("RATERS_TRACEBACK"):
            raise
        return _say(_fault(error), FAULT)
    finally:
        if stopped is not None:
            signal.signal(signal.SIGTERM, stopped)
    return OK


def _say(error, code):
    print(f"raters: {printable(' '.join(str(error).split()))}", file=sys.stderr)
    return code


def _interrupted(how="interrupted", code=INTERRUPTED):
    print(f"\nraters: {how}; no half-written file or folder was left.", file=sys.stderr)
    return code


class _Stopped(BaseException):
    """Told to stop (SIGTERM): unwinds like an interruption, so that what is half is removed."""


def _stop_cleanly():
    if threading.current_thread() is not threading.main_thread():
        return None

    def stop(_number, _frame):
        raise _Stopped

    return signal.signal(signal.SIGTERM, stop)


def _say_all_signs():
    """A terminal that lacks a sign shows its code, and the command goes on."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _not_installed(error):
    module = (error.name or "").partition(".")[0]
    extra = _EXTRAS.get(module)
    return RatingsError(
        f"a command that needs {module or 'a package'}, which is not installed ({error})",
        "the core alone for inspect, agreement, benchmark, convert and simulate on CSV and JSON",
        install(extra) if extra else f"install {module or 'it'}",
    )


def _no_file(error):
    what = error.filename if error.filename is not None else "a file"
    return RatingsError(
        f"{what}, on which the system says: {error.strerror or error}",
        "files that can be read, and a folder with room that can be written to",
        "check the place, its permissions and the free space",
    )


def _fault(error):
    return RatingsError(
        f"a case that raters does not know ({type(error).__name__}: {error})",
        "any files and options: this is a fault of raters, not yours",
        "report it with the command; RATERS_TRACEBACK=1 before it shows where it happened",
    )
