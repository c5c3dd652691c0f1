# Each target makes its own virtual environment and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps

.PHONY: demo test lint format bench explorer explorer-test programs clean

demo: $(STAMPS)/plain
	$(BIN)/python examples/students.py

# Test matrices are small: threads would only wait for each other. Files of tests run side by side.
test: $(STAMPS)/dev programs explorer-test
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile

lint: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMPS)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMPS)/bench
	$(BIN)/python -m benchmarks

# The explorer's one file in the package, from its TypeScript.
explorer: $(STAMPS)/explorer
	cd explorer && npm run --silent build

# Its types, its own tests, and that the file in the package is what the sources give.
explorer-test: $(STAMPS)/explorer
	cd explorer && npm run --silent check && npm test --silent && node build.mjs --check

$(STAMPS)/explorer: explorer/package-lock.json | $(STAMPS)/venv programs
	cd explorer && npm ci --no-audit --no-fund --silent
	touch $@

# What tests need besides Python: a browser, Java for Spark, Node for the explorer. Debian's
# packages are installed where they are missing and this user may; else the tests say what is missing.
programs:
	@$(call debian,chromium,chromium)
	@$(call debian,java,openjdk-17-jre-headless)
	@$(call debian,node,nodejs npm)
	@$(call debian,ffmpeg,ffmpeg)

debian = command -v $(1) >/dev/null || { \
	echo "$(1) is missing: installing Debian's $(2)"; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	$$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(2) >/dev/null; \
	} || echo "could not install $(2): please install it" >&2

clean:
	rm -rf $(VENV) build dist explorer/node_modules

$(STAMPS)/venv:
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

$(STAMPS)/plain: pyproject.toml | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --editable ".[cli,explore]"
	touch $@

$(STAMPS)/dev: pyproject.toml | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(STAMPS)/plain

$(STAMPS)/bench: pyproject.toml | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --editable ".[dev,bench]"
	touch $@ $(STAMPS)/dev $(STAMPS)/plain
