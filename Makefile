# Two commands on a fresh machine, which needs python3 (3.11 or newer) with venv, and make:
#   make demo   compare a kernel on a bundled real matrix, and say why the forms differ
#   make test   everything that is checked
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-deep lint format docs clean

demo: $(VENV)/.installed
	@echo "lanewise compare spgemm --data mycielskian7"
	@$(BIN)/lanewise compare spgemm --data mycielskian7

test: lint
	$(BIN)/python -m pytest

test-deep: $(VENV)/.installed-dev
	$(BIN)/python -m pytest --hypothesis-profile=deep

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.installed-dev
	$(BIN)/python -m isa.reference --write docs/reference/instructions.md

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Lanewise needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
