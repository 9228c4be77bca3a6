# Everything a developer runs. Each target sets up what it needs in .venv; a second call is fast.
# Needs: Python 3.11 or newer, a C++20 compiler, make. CMake and Ninja come into .venv by pip.
# Another Python: make PYTHON=python3.13 test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check

# All paths are relative, so blanks in the checkout's path do no harm; the one absolute path
# is quoted. A prefix of a command, so that cmake and ninja are those of .venv.
WITH_TOOLS := PATH="$(CURDIR)/$(BIN):$$PATH"

# Our own builds treat compiler warnings as errors; a user's installation does not.
OWN_BUILD := --config-settings=cmake.define.POLYTOMY_WERROR=ON

# Stamps: each says that a step of the set-up is done, and is newer than what it depends on.
VENV_READY := $(VENV)/.stamp-venv
TOOLS_READY := $(VENV)/.stamp-build-tools
INSTALLED := $(VENV)/.stamp-install
BENCH_READY := $(VENV)/.stamp-bench
DOCS_READY := $(VENV)/.stamp-docs
FILE_LIST := $(VENV)/.file-list

# A virtual environment holds absolute paths: one that was copied or moved with its checkout
# would run the code of the old place.
ifneq "$(wildcard $(VENV_READY))" ""
ifneq "$(shell cat $(VENV_READY))" "$(CURDIR)"
ifeq "$(filter clean,$(MAKECMDGOALS))" ""
$(error $(VENV) was made for another path; run: make clean)
endif
endif
endif

heading = @printf '== %s\n'

# Run a command; show what it printed only when it fails.
quietly = output=$$($(1) 2>&1) || { printf '%s\n' "$$output"; exit 1; }

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test lint types contracts includes sizes docstrings stub-check sanitize asan ubsan tsan unit examples docs bench fuzz faults stub clean FORCE

help: ## list the targets (the default)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(INSTALLED) ## grow a first tree on a real table and print it
	@$(BIN)/polytomy demo

test: lint types contracts includes sizes docstrings stub-check sanitize unit examples ## run every check below, as CI does
	$(heading) 'all checks passed'

lint: $(INSTALLED) ## ruff: rules and formatting
	$(heading) 'lint'
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --check . || { echo 'badly formatted; run: $(PY) -m ruff format .'; exit 1; }

types: $(INSTALLED) ## mypy, strict
	$(heading) 'types'
	@$(PY) -m mypy

contracts: $(INSTALLED) ## import-linter: imports go one way
	$(heading) 'import contracts'
	@$(call quietly,$(BIN)/lint-imports); printf '%s\n' "$$output" | tail -n 1

includes: $(VENV_READY) ## C++ includes go one way
	$(heading) 'C++ includes'
	@$(PY) tools/check_includes.py

sizes: $(VENV_READY) ## no file or function is out of proportion
	$(heading) 'sizes'
	@$(PY) tools/check_sizes.py

docstrings: $(INSTALLED) ## public names document their parameters and returns
	$(heading) 'docstrings'
	@$(PY) tools/check_docs.py

stub-check: $(INSTALLED) ## the extension's stub is up to date
	$(heading) 'stub of the extension'
	@$(PY) tools/check_stub.py

# Debug, so that assert() holds in the tests; CMakeLists.txt adds the optimisation and sanitizers.
sanitize: SANITIZERS := address,undefined
asan: SANITIZERS := address
ubsan: SANITIZERS := undefined
tsan: SANITIZERS := thread
sanitize: ## C++ tests under ASan and UBSan
asan: ## C++ tests under ASan alone
ubsan: ## C++ tests under UBSan alone
tsan: ## C++ tests under TSan: no data races
sanitize asan ubsan tsan: $(TOOLS_READY)
	$(heading) 'C++ tests with -fsanitize=$(SANITIZERS)'
	@$(call quietly,$(WITH_TOOLS) cmake -S . -B build/$@ -G Ninja -DPOLYTOMY_SANITIZE=$(SANITIZERS) -DCMAKE_BUILD_TYPE=Debug)
	@$(WITH_TOOLS) cmake --build build/$@ -- --quiet
	@$(WITH_TOOLS) ctest --test-dir build/$@ --output-on-failure --no-tests=error

unit: $(INSTALLED) ## pytest
	$(heading) 'pytest'
	@$(PY) -m pytest -q --numprocesses=auto

examples: $(INSTALLED) ## every example runs to its end
	$(heading) 'examples'
	@mkdir -p build/examples; cd build/examples; for example in ../../examples/*.py; do \
	    printf '%s\n' "$${example#../../}"; \
	    $(call quietly,MPLBACKEND=Agg ../../$(PY) "$$example"); \
	done

docs: $(DOCS_READY) $(INSTALLED) ## the documentation site, in docs/_build/html
	$(heading) 'documentation'
	@MPLBACKEND=Agg $(PY) -m sphinx --builder html --fail-on-warning --keep-going --nitpicky --quiet \
	    --doctree-dir docs/_build/doctrees docs docs/_build/html
	@$(PY) tools/check_links.py docs/_build/html

bench: $(BENCH_READY) $(INSTALLED) ## speed against the peers, as ratios; fills docs/evidence/performance.md
	$(heading) 'benchmark'
	@$(PY) benchmarks/suite.py

fuzz: $(INSTALLED) ## fuzz model files, checkpoints and tables for SECONDS (60): accepted and crashed must be 0
	$(heading) 'fuzz'
	@$(PY) tools/fuzz.py $(SECONDS)

faults: $(INSTALLED) ## fail allocations and thread starts, and kill processes (KILLS=200): wrong and aborted must be 0
	$(heading) 'faults'
	@$(PY) tools/faults.py $(if $(STEP),--step $(STEP)) $(if $(KILLS),--kills $(KILLS))

stub: $(INSTALLED) ## rewrite src/polytomy/kernels/_core.pyi
	@$(PY) tools/check_stub.py --write

clean: ## remove .venv, build products and caches
	rm -rf docs/_build docs/gallery docs/reference/api
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests tools examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- set-up --------------------------------------------------------------------------------

$(VENV_READY):
	$(heading) 'set-up: virtual environment in $(VENV)'
	@$(PYTHON) -c 'import sys; sys.exit("polytomy needs Python 3.11 or newer; try: make PYTHON=python3.13" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip
	@printf '%s\n' "$(CURDIR)" > $@

# pyproject.toml is the one place that names the build requirements and their versions.
$(TOOLS_READY): pyproject.toml $(VENV_READY)
	$(heading) 'set-up: build tools'
	@$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], "cmake>=3.20", "ninja>=1.11", sep="\n")' > $(VENV)/build-requirements.txt
	@$(PIP) install --requirement $(VENV)/build-requirements.txt
	@touch $@

# Rewritten only when a file appears or goes: an editable install remembers the modules it saw,
# and a kernel that was removed must leave the extension.
$(FILE_LIST): FORCE | $(VENV_READY)
	@find cpp src -name '*.[ch]pp' -o -name '*.py' | LC_ALL=C sort > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(INSTALLED): pyproject.toml CMakeLists.txt $(wildcard cpp/*/*.cpp cpp/*/*.hpp) $(FILE_LIST) $(TOOLS_READY)
	$(heading) 'set-up: build and install polytomy'
	@$(WITH_TOOLS) $(PIP) install --no-build-isolation $(OWN_BUILD) --editable '.[test,lint]'
	@touch $@

$(DOCS_READY): pyproject.toml | $(INSTALLED)
	$(heading) 'set-up: Sphinx'
	@$(WITH_TOOLS) $(PIP) install --no-build-isolation $(OWN_BUILD) --editable '.[docs]'
	@touch $@

$(BENCH_READY): pyproject.toml | $(INSTALLED)
	$(heading) 'set-up: the libraries to compare with'
	@$(WITH_TOOLS) $(PIP) install --no-build-isolation $(OWN_BUILD) --editable '.[bench]'
	@touch $@
