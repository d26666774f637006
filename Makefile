PYTHON ?= python3
VENV ?= .venv
# Processes for pytest-xdist; 0 runs the tests in pytest's own process. Each worker loads (on the
# first run, compiles) the Numba code for itself, so more of them pay only for a long suite.
WORKERS ?= 2
# More arguments for pytest: make test PYTEST_ARGS="-k bidding -x"
PYTEST_ARGS ?=

BIN := $(VENV)/bin
PIP_OPTIONS := PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
PIP := $(PIP_OPTIONS) $(BIN)/python -m pip
STAMP := $(VENV)/.setup-stamp
TORCH := $(shell sed -n 's/^\(torch==[^ ;]*\).*/\1/p' constraints.txt)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup test test-slow test-integrations test-wheel test-versions lint lint-page format demo docs golden \
	docs-tables bench clean clean-cache

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-17s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## Make the virtual environment with the exact versions of constraints.txt

# Torch comes first and by its exact version, so that no other package's range picks its build.
$(STAMP): pyproject.toml constraints.txt
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet $(TORCH) -c constraints.txt
	$(PIP) install --quiet -c constraints.txt -e ".[train,sb3,table,video,docs,dev]"
	@touch $@

test: lint ## Lint, types, then the default test suite
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	    echo "No Chromium: the tests of the table's page are skipped (Debian: apt-get install chromium)"
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS)

test-slow: setup ## The heavy checks that `make test` leaves out
	$(BIN)/python -m pytest -n $(WORKERS) -m slow $(PYTEST_ARGS)

# Frameworks whose pins clash with each other or with the main environment get environments of their
# own, .venv-NAME with the exact versions of constraints-NAME.txt.
EXTRAS_frameworks := torchrl,tianshou,open-spiel
EXTRAS_rllib := rllib
PAGE_TEST := tests/docs/test_pages.py::test_python_blocks_run_in_their_own_environment

.venv-%/.setup-stamp: constraints-%.txt pyproject.toml
	[ -x .venv-$*/bin/python ] || $(PYTHON) -m venv .venv-$*
	$(PIP_OPTIONS) .venv-$*/bin/python -m pip install --quiet $$(grep '^torch==' $<) -c $<
	$(PIP_OPTIONS) .venv-$*/bin/python -m pip install --quiet -c $< -e ".[$(EXTRAS_$*)]" pytest
	@touch $@

test-integrations: .venv-frameworks/.setup-stamp .venv-rllib/.setup-stamp ## The other frameworks, each in its own environment
	.venv-frameworks/bin/python -m pytest -m integration $(PYTEST_ARGS) \
	    $(foreach name,openspiel tianshou torchrl,tests/integrations/test_$(name)*.py '$(PAGE_TEST)[$(name).md]')
	.venv-rllib/bin/python -m pytest -m integration $(PYTEST_ARGS) \
	    tests/integrations/test_rllib.py '$(PAGE_TEST)[rllib.md]'

# The wheel as its users get it: in an environment of its own, run from another folder.
test-wheel: setup ## Build the wheel, install it outside the checkout, play there
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && $(PYTHON) -m venv "$$folder/venv" && \
	$(PIP_OPTIONS) "$$folder/venv/bin/python" -m pip install --quiet -c constraints.txt dist/*.whl && \
	cd "$$folder" && env -u PYTHONPATH venv/bin/python "$(CURDIR)/tests/wheel/smoke.py" "$(CURDIR)"

test-versions: setup ## The suite on Python 3.10 to 3.13 and with the lowest declared versions
	$(BIN)/python -m nox

docs: setup ## Build the documentation site into build/docs (warnings are errors)
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs build/docs
	@echo "open build/docs/index.html"

lint: setup lint-page ## Ruff's checks and formatting, mypy --strict, and the page's types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict

# The page's modules have their types in comments; without Node nothing checks them.
PAGE := tests/table/browser
lint-page:
	@if command -v npm >/dev/null; then \
	    cd $(PAGE) && { [ -d node_modules/typescript ] || npm ci --silent --no-audit --no-fund; } && \
	    npm run --silent check; \
	else \
	    echo "No npm: the types of the table's page are not checked"; \
	fi

format: setup ## Reformat, and apply the fixes that are safe
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

demo: setup ## Train for 20 M decisions or 5.5 minutes, measure the net, plot: within ten minutes
	$(BIN)/marias demo

golden: setup ## Regenerate the golden playthroughs of the tests
	$(BIN)/python -m tests.regenerate_golden

docs-tables: setup ## Regenerate the generated tables in docs/
	$(BIN)/python -m marias_env.showing.docs_tables

bench: setup ## Measure the throughput
	$(BIN)/python benchmarks/throughput.py

clean: clean-cache ## Remove built files and tool caches (the virtual environment stays)
	rm -rf build dist htmlcov .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis

clean-cache: ## Remove Numba's compiled code and Python's
	find marias_env agents training tests benchmarks -depth \
	    \( -name '*.nbi' -o -name '*.nbc' -o -name __pycache__ \) -exec rm -rf {} + 2>/dev/null || true
