# Two commands on a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test bounds fuzz soak lint docs bench accuracy package clean

.venv/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rulenet needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: .venv/.ready
	@$(BIN)/rulenet demo

test: .venv/.ready
	$(BIN)/python -m pytest -n auto

# The laws of all compiled loops, with every index checked; what is compiled that way has a folder of its own.
bounds: .venv/.ready
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/bounds $(BIN)/python -m pytest -q -n auto -m kernels tests

# Broken model files and tables for so many seconds; some cases of each kind run with the tests.
SECONDS ?= 3600
fuzz: .venv/.ready
	$(BIN)/python tests/fuzz/run.py --seconds $(SECONDS)

# Kills, full disks and other faults in the middle of work, so many times each; ONLY=scheduler for those with that name.
TIMES ?= 100
soak: .venv/.ready
	$(BIN)/python tests/soak/soak.py --times $(TIMES) --only "$(ONLY)"

lint: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.ready
	$(BIN)/python -m sphinx -W --keep-going --quiet docs docs/_build
	@echo "docs/_build/index.html"

package: .venv/.ready
	rm -rf dist && $(BIN)/python -m hatchling build
	$(PYTHON) -m venv dist/fresh
	dist/fresh/bin/pip install --quiet --disable-pip-version-check dist/*.whl
	cd dist && fresh/bin/rulenet --version
	cd dist && fresh/bin/rulenet data monk-1 -o monk.csv && fresh/bin/rulenet fit monk.csv --target class --seconds 1
	cd dist && fresh/bin/rulenet show model.json && fresh/bin/rulenet predict model.json monk.csv --proba | head -3
	$(BIN)/python -m tarfile --list dist/*.tar.gz | grep tests/test_estimator.py > /dev/null

accuracy: .venv/.ready
	$(BIN)/python -m benchmarks.accuracy $(PARTS)

bench: .venv/.ready
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist results docs/_build
