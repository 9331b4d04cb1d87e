"""The scripts that the pages load from the site itself, out of installed packages."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from pathlib import Path

_PACKAGES = ("vl-convert-python", "sphinx-mathjax-offline")


def scripts(folder: str | Path) -> list[str]:
    """Write the scripts that the pages load, out of installed packages.

    Nothing is fetched. If the folder holds them already, in the same versions, nothing
    is written.

    `folder` belongs to this function, which writes ``vega.js`` and ``mathjax/`` into it and gives
    all its files, relative to it and sorted.
    """
    folder = Path(folder)
    versions = {name: importlib.metadata.version(name) for name in _PACKAGES}
    wanted = json.dumps(versions, indent=1) + "\n"
    note = folder / "versions.json"  # written last: it says that the folder is complete
    if not note.is_file() or note.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write_vega(folder / "vega.js")
        _write_mathjax(folder / "mathjax")
        note.write_text(wanted, encoding="utf-8", newline="\n")
    return sorted(f.relative_to(folder).as_posix() for f in folder.rglob("*") if f.is_file())


def _write_vega(path):
    import vl_convert

    body = vl_convert.javascript_bundle("globalThis.vegaEmbed = vegaEmbed;")
    # In a function of its own: bare, the bundle declares `_`, which Sphinx's scripts do too.
    path.write_text("(() => {\n" + body + "\n})();\n", encoding="utf-8", newline="\n")


def _write_mathjax(folder):
    # Two pieces of the package are enough; used as an extension it copies 24 MB.
    for file in importlib.metadata.files("sphinx-mathjax-offline"):
        name = file.as_posix().partition("static/mathjax/")[2]
        if name == "tex-chtml.js" or name.startswith("output/chtml/fonts/woff-v2/"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), target)
