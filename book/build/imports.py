"""Imports what ``BOOK_IMPORTS`` names, in the process that kernels are copied from."""

import contextlib
import gc
import importlib
import os

for name in os.environ.get("BOOK_IMPORTS", "").split():
    # Not a module, or one that fails: the cell that imports it says so.
    with contextlib.suppress(Exception):
        importlib.import_module(name)
gc.freeze()  # so that no copy looks through the modules again
