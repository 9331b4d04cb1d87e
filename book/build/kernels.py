"""Kernels that start in a moment: forked from a process that has made the imports already.

Starting a kernel and importing what a chapter needs takes most chapters longer than all else
that they do, and every chapter imports the same. So one process imports it once, and each
worker and each kernel is a copy of it. A kernel shares no more than these modules with another.
Where processes cannot be copied safely (macOS, Windows), kernels start as Jupyter starts them.
"""

from __future__ import annotations

import ast
import multiprocessing
import os
import signal
import sys

from jupyter_client import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

from book.build.shared import ENVIRONMENT, ROOT

FORKS = sys.platform == "linux"
# What runs a notebook, at both ends of the wire.
_RUNNERS = ("papermill", "nbclient", "ipykernel.kernelapp", "ipykernel.ipkernel")


def imported(notebook) -> set[str]:
    """The modules that a notebook imports, as far as they can be read from its code cells.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> cells = [new_code_cell("import json\\nfrom os import path"), new_code_cell("x = )")]
    >>> sorted(imported(new_notebook(cells=cells)))
    ['json', 'os', 'os.path']
    """
    names = set()
    for cell in notebook.cells:
        try:
            statements = ast.walk(ast.parse(cell.source if cell.cell_type == "code" else ""))
        except SyntaxError:  # the run will say so, at its cell
            continue
        for statement in statements:
            if isinstance(statement, ast.Import):
                names |= {alias.name for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom) and not statement.level:
                names |= {statement.module}
                names |= {f"{statement.module}.{alias.name}" for alias in statement.names}
    return names


def processes(modules: set[str]):
    """How to start the processes that run notebooks.

    Parameters
    ----------
    modules : set of str
        What the notebooks import: imported once, before the first process is started.

    Returns
    -------
    multiprocessing context
    """
    if not FORKS:
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    before = dict(os.environ)
    # The hash seed and the number of threads are fixed when a process starts, for its copies too.
    os.environ.update(ENVIRONMENT)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path])
    os.environ["BOOK_IMPORTS"] = " ".join([*_RUNNERS, *sorted(modules)])
    try:
        forkserver.set_forkserver_preload(["book.build.imports"])
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)
    return multiprocessing.get_context("forkserver")


def adopt(environment: dict[str, str]) -> None:
    """Take over the environment variables of another process."""
    os.environ.clear()
    os.environ.update(environment)


def manager():
    """The class that starts a notebook's kernel; None for Jupyter's own."""
    return {"kernel_manager_class": _Manager} if FORKS else {}


def _serve(arguments: list[str], environment: dict[str, str], folder: str) -> None:
    """Be a kernel, until it is told to end."""
    from ipykernel.kernelapp import launch_new_instance

    os.setsid()  # a signal to the kernel reaches what its cells start, and nothing else
    signal.signal(signal.SIGINT, signal.default_int_handler)
    adopt(environment)
    os.chdir(folder)
    sys.path[:] = [place for place in sys.path if place not in ("", str(ROOT))]
    launch_new_instance(argv=arguments)


class _Process:
    """A copied process, with what jupyter_client asks of one."""

    stdin = stdout = stderr = None

    def __init__(self, process):
        self.process, self.pid = process, process.pid

    def poll(self):
        return self.process.exitcode

    def wait(self):
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)

    def kill(self):
        self.process.kill()

    def terminate(self):
        self.process.terminate()


class _Provisioner(LocalProvisioner):
    """Starts a kernel as a copy; all else is as with a kernel that a command starts."""

    async def launch_kernel(self, cmd, **kwargs):
        arguments = cmd[cmd.index("-f") :]  # before it: the Python and the module to run
        self.cwd = str(kwargs.get("cwd") or os.getcwd())
        process = multiprocessing.get_context("forkserver").Process(
            target=_serve, args=(arguments, dict(kwargs["env"]), self.cwd)
        )
        process.start()
        self.process = _Process(process)
        self.pid = self.pgid = process.pid
        return self.connection_info


class _Manager(AsyncKernelManager):
    """Jupyter's own, with kernels from `_Provisioner`."""

    async def _async_pre_start_kernel(self, **kwargs):
        if self.provisioner is None:
            self.provisioner = _Provisioner(
                kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self
            )
        return await super()._async_pre_start_kernel(**kwargs)
