# One command for each thing. Every target sets up .venv itself: `make help` lists them.
PYTHON ?= python3
STUDY ?= auto
RESAMPLES ?=
SEED ?=
TIMEOUT ?=
FORCE ?=
OUT ?= results
CHECK ?=
PYTEST_ARGS ?=
COVERAGE ?=
LAB_ARGS ?=

VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
IRRCAC := benchmarks/.venv-irrcac
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
TESTS := $(PY) -m pytest -n auto --dist loadgroup
COVER := $(if $(COVERAGE),--cov --cov-report=)
# What opens pages and runs notebooks takes longest and measures little of the packages.
PAGES := tests/browser tests/book
OPTIONS := --study "$(STUDY)" $(if $(RESAMPLES),--resamples "$(RESAMPLES)") $(if $(SEED),--seed "$(SEED)")

# Printed for both packages; what the core and the judges have to reach is their fail-under.
CORE := src/raters/*.py,src/raters/coefficients/*,src/raters/judges/*
define COVERED
$(if $(COVERAGE),$(PY) -m coverage report --sort=cover && \
  $(PY) -m coverage report --include='$(CORE)' --fail-under=90 --format=total)
endef

.DEFAULT_GOAL := help
.PHONY: help book student test quick lab data results bench finding check format lock clean
.DELETE_ON_ERROR:

help:  ## say what there is to do
	@echo "make TARGET [VARIABLE=value ...]"
	@echo
	@sed -n 's/^\([a-z]*\):.*## /  \1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-11s %s\n", $$1, $$2}'
	@echo
	@echo "Variables"
	@echo "  STUDY=auto        the ratings: auto, published or simulated"
	@echo "  RESAMPLES=, SEED= for the intervals; empty: the notebooks' own (2000, 2025)"
	@echo "  TIMEOUT=          seconds that one cell may take in 'make book'; empty: 300"
	@echo "  OUT=results       where 'make results' and 'make student' write"
	@echo "  FORCE=1           'make student' overwrites copies that were changed, too"
	@echo "  CHECK=1           'make data' only checks the files that are there"
	@echo "  COVERAGE=1        'make test' and 'make quick' say what of the code they ran"
	@echo "  PYTEST_ARGS=      more options for 'make test', such as '-k build' or '--require-browser'"
	@echo "  PYTHON=python3    the Python (3.11 to 3.13) that .venv is made with"
	@echo "RATERS_DATA=folder in the environment: a copy of the study's files that is there already."

book: $(READY)  ## run the notebooks and build the book: _build/html/index.html
	@$(PY) -m book.build $(OPTIONS) $(if $(TIMEOUT),--timeout "$(TIMEOUT)")

student: $(READY)  ## write the chapters without solutions into OUT (_build/student)
	@$(PY) -m book.student $(if $(findstring command,$(origin OUT)),--out "$(OUT)") $(if $(FORCE),--force)

test: $(READY)  ## run all tests, those of the built pages too (they want a Chromium)
	@$(if $(COVERAGE),$(TESTS) $(PAGES) $(PYTEST_ARGS))
	@$(TESTS) $(COVER) $(if $(COVERAGE),$(PAGES:%=--ignore=%)) $(PYTEST_ARGS)
	@$(COVERED)

quick: $(READY)  ## test core and judges without simulations: an answer in half a minute
	@$(TESTS) $(COVER) -q -m "not slow" --hypothesis-profile=quick tests/core tests/judges $(PYTEST_ARGS)
	@$(COVERED)

lab: $(READY)  ## open the notebooks in JupyterLab
	@$(PY) -m jupyterlab --notebook-dir=. --LabApp.default_url=/lab/tree/notebooks $(LAB_ARGS)

data: $(READY)  ## fetch the study's files into data/raw; CHECK=1: only check them
	@$(PY) -m raters data $(if $(CHECK),--check)

results: $(READY)  ## write every computed table as CSV into OUT
	@$(PY) -m raters results --out "$(OUT)" $(OPTIONS)

bench: $(READY)  ## time the package, against other libraries and where people wait, one thread
	@test -x $(IRRCAC)/bin/python || { $(PY) -m venv $(IRRCAC) \
	  && $(IRRCAC)/bin/python -m pip install --quiet --disable-pip-version-check irrCAC; } \
	  || { echo "irrCAC could not be installed: its line stays empty" >&2; rm -rf $(IRRCAC); }
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(PY) benchmarks/speed.py
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(PY) benchmarks/waiting.py
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(PY) benchmarks/reading.py

finding: $(READY)  ## draw the README's chart anew
	@$(PY) -m book.finding

check: $(READY)  ## check format, code and that notebooks are stored without outputs
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy --no-error-summary
	@$(VENV)/bin/lint-imports --cache-dir .ruff_cache/imports
	@$(if $(NOTEBOOKS),$(PY) -m nbstripout --verify --keep-id $(NOTEBOOKS))

format: $(READY)  ## mend what 'make check' finds, where a tool can
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .
	@$(if $(NOTEBOOKS),$(PY) -m nbstripout --keep-id $(NOTEBOOKS))

lock: $(READY)  ## write requirements.txt anew from pyproject.toml; UPGRADE=1: newest versions
	@$(PY) -m pip install --quiet --disable-pip-version-check uv
	$(PY) -m uv pip compile pyproject.toml --universal --python-version 3.11 --all-extras \
	  --no-header --no-annotate --quiet $(if $(UPGRADE),--upgrade) -o requirements.txt

clean:  ## remove what was built (not .venv, not data/raw)
	rm -rf _build results .coverage .coverage.* .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	find src tests book -name __pycache__ -type d -prune -exec rm -rf {} +

# ------------------------------------------------------------------------------- set-up
# Done once, and again only when the lock or pyproject.toml changes. After it, no target
# but data and lock needs a network.

define PYTHON_CHECK
import sys
if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit("Given: Python %d.%d (PYTHON=$(PYTHON)). Allowed: Python 3.11 to 3.13. "
             "To do: install one and run make with PYTHON=python3.12, say." % sys.version_info[:2])
try:
    import ensurepip, venv
except ImportError:
    sys.exit("Given: a Python (PYTHON=$(PYTHON)) without venv and ensurepip. Allowed: one that "
             "can make virtual environments. To do: install them; on Debian and Ubuntu: "
             "apt-get install python3-venv.")
endef
export PYTHON_CHECK

# uv installs in a quarter of the time; where it cannot be had, pip does the same.
# --no-build-isolation: hatchling comes with the lock, so nothing more is fetched.
$(READY): requirements.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Given: no command '$(PYTHON)'. Allowed: Python 3.11 to 3.13. To do: install Python, or name it: make PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PY) -m pip --version >/dev/null 2>&1 || { $(PYTHON) -c "$$PYTHON_CHECK" && $(PYTHON) -m venv $(VENV); }
	@echo "Setting up $(VENV) (once; about a minute)"
	@if $(PY) -m pip install --quiet --disable-pip-version-check uv \
	  && $(PY) -m uv pip install --quiet --python $(PY) --compile-bytecode -r requirements.txt; then :; \
	else echo "uv could not do it; now with pip (some minutes)"; \
	  $(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt || { \
	    echo "Given: packages that could not be installed, see above. Allowed: the versions in requirements.txt. To do: run this once with a network; later it needs none." >&2; exit 1; }; \
	fi
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
