# Each target makes its own virtual environment and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps

.PHONY: demo test lint format bench clean

demo: $(STAMPS)/plain
	$(BIN)/python examples/students.py

# Test matrices are small: threads would only wait for each other.
test: $(STAMPS)/dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest

lint: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMPS)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMPS)/bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist

$(STAMPS)/venv:
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

$(STAMPS)/plain: pyproject.toml | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(STAMPS)/dev: pyproject.toml | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(STAMPS)/plain

$(STAMPS)/bench: pyproject.toml | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --editable ".[dev,bench]"
	touch $@ $(STAMPS)/dev $(STAMPS)/plain
