"""The two packages as a whole: names, old names, what is imported when, and no circle."""

import importlib
import pkgutil
import subprocess
import sys

import grimp
import pytest

import judging_empathy
import raters
from raters.moved import MOVED

PACKAGES = (raters, judging_empathy)


def fresh(code):
    """What a new Python prints; its warnings are in the second text."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("package", PACKAGES)
def test_no_function_hides_the_module_of_its_name(package):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not found.name.endswith("__main__"):
            module = importlib.import_module(found.name)
            parent, _, name = found.name.rpartition(".")
            assert getattr(sys.modules[parent], name) is module, found.name
    for name in package.__all__:
        getattr(package, name)


def test_no_circle_of_imports():
    graph = grimp.build_graph(
        *(p.__name__ for p in PACKAGES), exclude_type_checking_imports=True, cache_dir=None
    )
    left = {
        module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules
    }
    # Whatever imports nothing that is left is in no circle.
    while done := {module for module, imported in left.items() if not imported & set(left)}:
        left = {module: imported for module, imported in left.items() if module not in done}
    assert not left


def test_the_packages_and_the_help_need_neither_numpy_nor_pandas():
    seen = "import sys; print({'numpy', 'pandas', 'scipy', 'importlib.metadata'} & {*sys.modules})"
    for code in (
        "import raters, judging_empathy",
        "from raters.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass",
        "import contextlib, io; from raters.cli.parser import build; build().format_help()",
    ):
        assert fresh(f"{code}\n{seen}")[0].splitlines()[-1] == "set()", code
    out, _ = fresh("from raters import agreement\nimport sys; print('scipy.stats' in sys.modules)")
    assert out == "False\n"


# A name that each of the old modules had, and where it is from now on.
NAMES = [
    ("raters.benchmark", "benchmark", "raters.judges"),
    ("raters.benchmark", "alt_test_by_rater", "raters.judges"),
    ("raters.charts", "dots", "raters.show.charts"),
    ("raters.charts_judge", "WIDTH", "raters.show.charts_judge"),
    ("raters.coefficients.many", "krippendorff_alpha", "raters.coefficients.alpha"),
    ("raters.coefficients.many", "gwet_ac2", "raters.coefficients.chance"),
    ("raters.coefficients.many", "kendall_w", "raters.coefficients.concordance"),
    ("raters.coefficients.pair", "cohen_kappa", "raters.coefficients.kappa"),
    ("raters.coefficients.pair", "spearman_rho", "raters.coefficients.ranks"),
    ("raters.coefficients.pair", "f1_macro", "raters.coefficients.f1"),
    ("raters.coefficients.pair", "percent_agreement", "raters.coefficients.pairs"),
    ("raters.config", "pattern_of", "raters.io.config"),
    ("raters.coverage", "coverage", "raters.simulation"),
    ("raters.display", "say", "raters.show.tables"),
    ("raters.inspection", "Inspection", "raters.io.inspect"),
    ("raters.judge_answers", "parse", "raters.io.answers"),
    ("raters.narrow", "narrow", "raters.show.phone"),
    ("raters.resampling", "multiplicities", "raters.draws"),
    ("raters.resampling", "bca_interval", "raters.intervals"),
    ("raters.study", "load", "judging_empathy"),
    ("raters.tidy", "Results", "raters.results"),
]


def test_each_old_module_is_tried():
    assert {old for old, _, _ in NAMES} == set(MOVED)


@pytest.mark.parametrize(("old", "name", "new"), NAMES)
def test_old_names_of_modules_forward(old, name, new):
    sys.modules.pop(old, None)
    with pytest.warns(FutureWarning, match=f"{old} is now .*{new}"):
        module = importlib.import_module(old)
    assert getattr(module, name) is getattr(importlib.import_module(new), name)
    assert name in dir(module)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        module.nothing  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{old}.nothing")


def test_an_old_module_says_once_where_it_is():
    out, err = fresh(
        "import raters.study as s\nimport raters.study\nfrom raters.study import *\n"
        "from raters.benchmark import benchmark\n"
        "print(len(s.load('simulated')), words is s.words)\n"
    )
    assert out.startswith("7350 True") and err.count("FutureWarning") == 2
    assert "<string>:1: FutureWarning: raters.study is now judging_empathy" in err
