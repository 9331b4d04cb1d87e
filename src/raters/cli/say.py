"""What a command says: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_TICK = 0.5  # seconds between two signs of life


def printable(text: str) -> str:
    """Text from a file, safe for a terminal: no control signs but line breaks.

    >>> printable("a\\x1b[31mb") == "a\\ufffd[31mb"
    True
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


class Say:
    """Where a command writes.

    Parameters
    ----------
    quiet : bool
        No remarks and no signs of progress.
    """

    def __init__(self, quiet: bool = False):
        self.quiet = quiet
        self._lock = threading.Lock()

    def out(self, text: object = "") -> None:
        """A result, for standard output."""
        print(printable(str(text)))

    def remark(self, text: str) -> None:
        """Something that a reader should know, in one line on standard error."""
        if not self.quiet:
            print(f"raters: {printable(' '.join(text.split()))}", file=sys.stderr)

    def json(self, value) -> None:
        """A result for machines: strict JSON, undefined numbers are null."""
        print(json.dumps(plain(value), indent=2, allow_nan=False))

    @contextmanager
    def working(self, what: str):
        """Show that something takes its time, where somebody looks: on a terminal only.

        `what` says what is being done.
        """
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        done = threading.Event()
        what = " ".join(printable(what).split())
        thread = threading.Thread(target=self._tick, args=(what, done), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _tick(self, what, done):
        start = time.monotonic()
        while not done.wait(_TICK):
            sys.stderr.write(f"\r\x1b[K{what} ... {time.monotonic() - start:.0f} s")
            sys.stderr.flush()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def plain(value: Any) -> Any:
    """Frames, numbers and names as JSON knows them; what is undefined is None.

    >>> plain({"a": float("nan"), "b": 2, "c": (True, None)})
    {'a': None, 'b': 2, 'c': [True, None]}
    """
    import numpy as np
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict("records")]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(one) for one in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    if value is None or value is pd.NA:
        return None
    return str(value)


def note_lines(frame: pd.DataFrame, labels: Iterable[str]) -> list[str]:
    """The notes of a frame of results, each once, with the rows that it is about.

    The `frame` has the column ``note``; `labels` are the columns that name a row.
    """
    about: dict[str, list[str]] = {}
    for row in frame[frame["note"].ne("")].to_dict("records"):
        names = [str(row[c]) for c in labels if row.get(c) not in ("", "all", None)]
        about.setdefault(row["note"], []).append(", ".join(names))
    lines = []
    for note, names in about.items():
        names = list(dict.fromkeys(names))
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        lines.append(f"- {'; '.join(names[:3])}{more}: {note}")
    return lines
