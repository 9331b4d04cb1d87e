"""Lay out a copy of the book in which the notebooks are the run ones: ``_build/stage``."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path

import nbformat
import pandas as pd
import yaml

from book import conversation, finding, judge_data
from book.build import vendor
from book.build.shared import SIMULATED, notebooks, sha, tree
from raters.show import tables

STATUS = """# Status of this book

Every chapter is a notebook. All of them were run from top to bottom for these pages, in one go and with the same data and parameters: a chapter that fails, warns or takes too long stops the build.

**Data and parameters.** {made}

**Versions.** Python {python}; {versions}. All others are in `requirements.txt`.

```{{raw}} html
<div id="status">
{table}
</div>
<noscript><p>How long each notebook took is in <a href="../_static/run-times.js">run-times.js</a>.</p></noscript>
<script defer src="../_static/run-times.js"></script>
<script defer src="../_static/status.js"></script>
```

Run times are those of the machine that built the pages, with other notebooks running beside. They are the one thing that two builds from the same files do not share.
"""  # noqa: E501
# What the numbers and the charts depend on; the status page gives their versions.
PACKAGES = ("raters", "numpy", "pandas", "scipy", "altair", "vl-convert-python", "jupyter-book")


def book_config(root: Path, parameters: dict) -> str:
    """``_config.yml`` with what this build adds: the data's identity, and the word "simulated".

    Parameters
    ----------
    root : Path
        The project's folder.
    parameters : dict
        What the notebooks ran with; ``study`` is "published" or "simulated".

    Returns
    -------
    str
        YAML.
    """
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    html = config.setdefault("html", {})
    html["extra_footer"] = f'<p class="made-from">{made_from(root, parameters)}</p>'
    # The one line that Colab needs, for the page on how to run the book.
    install = f'%pip install "raters[study,charts] @ git+{config["repository"]["url"]}" '
    own = {"install_line": f"```python\n{install}krippendorff pingouin\n```"}
    sphinx = config.setdefault("sphinx", {}).setdefault("config", {})
    sphinx["myst_substitutions"] = {**sphinx.get("myst_substitutions", {}), **own}
    if parameters["study"] == "simulated":
        html["announcement"] = f'<p role="note">{SIMULATED}</p>'
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def made_from(root: Path, parameters: dict) -> str:
    """One sentence for the foot of every page: which data, which parameters."""
    registry, seal = root / "data" / "registry.txt", ""
    if parameters["study"] == "published" and registry.is_file():
        seal = f" (list of files: sha256 {sha(registry.read_bytes())[:12]})"
    return (
        f"Computed from the {parameters['study']} ratings{seal}, "
        f"resamples {parameters['resamples']}, seed {parameters['seed']}."
    )


def stage_files(root: Path, parameters: dict) -> dict[str, Path | bytes]:
    """What the staged copy holds: place in it, and the file or the bytes that go there.

    It repeats the layout of the repository, so that "edit" and "launch" links point at
    the source notebooks.
    """
    files: dict[str, Path | bytes] = {"_config.yml": book_config(root, parameters).encode()}
    stories = root / "book" / judge_data.STORIES.name
    prose = [p for p in tree(root / "book") if p.suffix != ".py" and p != stories]
    prose.append(root / "book" / "pages.py")  # Sphinx loads it from the copy
    plain = [p for p in tree(root / "notebooks") if p.suffix != ".ipynb"]
    top = [root / "_toc.yml", root / "CITATION.cff", *sorted(root.glob("*.md"))]
    for path in [*top, *prose, *plain, *tree(root / "data")]:
        if path.is_file():
            files[path.relative_to(root).as_posix()] = path
    for path in notebooks(root):
        files[f"notebooks/{path.name}"] = root / "_build" / "executed" / path.name
    files["book/status.md"] = status_page(root, parameters).encode()
    folder = root / "_build" / "vendor"
    for name in vendor.scripts(folder):
        files[f"book/_static/vendor/{name}"] = folder / name
    if (root / "book" / "be-the-judge.md").is_file():
        shown = judge_data.build(parameters["study"], stories)
        files["book/_static/judge-data.js"] = judge_data.script(shown)
        for name, part in conversation.parts(shown).items():
            files[f"book/parts/{name}.html"] = part.encode()
        files["book/_static/share.png"] = finding.share(parameters["study"])
    return files


def status_page(root: Path, parameters: dict) -> str:
    """A page that says what each chapter was made from.

    Parameters
    ----------
    root : Path
        The project's folder, with the notebooks run.
    parameters : dict
        What they ran with.

    Returns
    -------
    str
        Markdown.
    """
    rows = []
    for path in notebooks(root):
        note = nbformat.read(path, as_version=4)
        title = next((c.source for c in note.cells if c.source.startswith("# ")), path.stem)
        codes = sum(c.cell_type == "code" for c in note.cells)
        title = title.partition("\n")[0].removeprefix("# ")
        rows.append((title, path.name, codes, sha(path.read_bytes())[:12]))
    table = tables.table(
        pd.DataFrame(rows, columns=["chapter", "notebook", "cells", "sha256 begins"]),
        "The notebooks of this book as they were run.",
    )
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    return STATUS.format(
        made=made_from(root, parameters),
        python=platform.python_version(),
        versions=versions,
        table=table._repr_html_(),
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"
