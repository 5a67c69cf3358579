# Two commands on a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint docs bench accuracy clean

.venv/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rulenet needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: .venv/.ready
	@$(BIN)/rulenet demo

test: .venv/.ready
	$(BIN)/python -m pytest

lint: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.ready
	$(BIN)/python -m sphinx -W --keep-going --quiet docs docs/_build
	@echo "docs/_build/index.html"

accuracy: .venv/.ready
	$(BIN)/python -m benchmarks.accuracy $(PARTS)

bench: .venv/.ready
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist results docs/_build
