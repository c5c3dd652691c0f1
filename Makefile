# Each target makes its own virtual environment and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
NODE := explorer/node_modules/.installed
# Modules are compiled when they are first imported; most never are. What is compiled must be kept,
# whatever the machine's settings: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=
INSTALL := $(BIN)/python -m pip install --quiet --no-compile

CORE := core-3.12 core-3.13 core_lowest

.PHONY: demo test coverage test-all test-core $(CORE) test-lowest lint format docs fuzz bench explorer explorer-test explorer-checked dist programs clean

demo: $(STAMPS)/plain
	$(BIN)/python examples/students.py

# Test matrices are small: threads would only wait for each other. Files of tests run side by side, in
# the order of their names, which leaves quick ones for the end.
# Slow tests run in continuous integration; `make test CI=true` runs them too.
SUITE := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(if $(CI),,-m "not slow")
test: $(STAMPS)/dev programs explorer-test
	$(SUITE)

# The lines that the tests reach, in processes that they start too, and those that they do not.
coverage: $(STAMPS)/dev programs
	$(SUITE) --cov --cov-report=term-missing:skip-covered --cov-fail-under=95

lint: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMPS)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The robustness harnesses (tests/robustness) with more cases than in `make test`.
CASES ?= 100000
fuzz: $(STAMPS)/dev programs
	OPENBLAS_NUM_THREADS=1 UAPCA_FUZZ=$(CASES) $(BIN)/python -m pytest -n auto tests/robustness

# The site, in docs/_build, and its pages in a browser. Fetches nothing and opens nothing.
docs: $(STAMPS)/docs programs
	$(BIN)/python -m sphinx -b html -j auto -W --keep-going -n -q docs docs/_build
	$(BIN)/python -m pytest -q -n auto docs/test_site.py

bench: $(STAMPS)/bench
	$(BIN)/python -m benchmarks

# The explorer's one file in the package, from its TypeScript.
explorer: $(NODE)
	cd explorer && npm run --silent build

# Its types, its own tests, and that the file in the package is what the sources give.
explorer-test: programs
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory explorer-checked; \
	else echo "npm is missing: the explorer's own tests are left out"; [ -z "$$CI" ]; fi

explorer-checked: $(NODE)
	cd explorer && npm run --silent check && npm test --silent && node build.mjs --check

$(NODE): explorer/package-lock.json | programs
	cd explorer && npm ci --no-audit --no-fund --silent
	touch $@

# What tests need besides Python: a browser, Java for Spark, Node for the explorer, ffmpeg for films.
# Root gets Debian's packages where they are missing; anybody else gets the line to run.
PROGRAMS := java:openjdk-17-jre-headless node:nodejs npm:npm ffmpeg:ffmpeg
SUDO ?=
programs:
	@missing=; command -v chromium >/dev/null || command -v chromium-headless-shell >/dev/null || \
		missing=" chromium-headless-shell"; \
	for pair in $(PROGRAMS); do command -v $${pair%%:*} >/dev/null || missing="$$missing $${pair##*:}"; done; \
	[ -z "$$missing" ] || if [ "$$(id -u)" = 0 ] || [ -n "$(SUDO)" ]; then \
		echo "installing Debian's$$missing"; \
		$(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing >/dev/null; \
	else \
		echo "some tests need:  sudo apt-get install$$missing"; \
	fi

# Pythons that pyenv installed count as there.
NOX := PATH="$$PATH:$(subst $() $(),:,$(wildcard $(HOME)/.pyenv/versions/3.1*/bin))" $(BIN)/nox

# The suite on every Python from 3.11 on that this machine has, and with the oldest supported libraries.
test-all: $(STAMPS)/release programs explorer-test
	$(NOX) --no-error-on-missing-interpreters -s tests lowest

# What continuous integration adds to `make test`: the core rooms of the source archive on the newest
# Pythons and with the oldest libraries.
test-core: $(CORE)

$(CORE): dist
	$(NOX) --no-error-on-missing-interpreters -s $@

test-lowest: $(STAMPS)/release programs explorer-test
	$(NOX) -s lowest

# The wheel and the source archive, checked; and the wheel alone in an empty environment.
dist: $(STAMPS)/release
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/nox -s wheel

clean:
	rm -rf $(VENV) build dist docs/_build docs/_generated docs/auto_gallery docs/reference/generated explorer/node_modules

$(STAMPS)/venv:
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) "pip>=25.1"  # dependency groups
	mkdir -p $(STAMPS)
	touch $@

$(STAMPS)/plain: pyproject.toml | $(STAMPS)/venv
	$(INSTALL) --editable ".[cli,explore]"
	touch $@

$(STAMPS)/dev: pyproject.toml | $(STAMPS)/venv
	$(INSTALL) --editable ".[all]" --group dev
	touch $@ $(STAMPS)/plain

$(STAMPS)/docs: pyproject.toml | $(STAMPS)/dev
	$(INSTALL) --group docs
	touch $@

$(STAMPS)/bench: pyproject.toml | $(STAMPS)/venv
	$(INSTALL) --editable ".[all]" --group dev --group bench
	touch $@ $(STAMPS)/dev $(STAMPS)/plain

$(STAMPS)/release: pyproject.toml | $(STAMPS)/venv
	$(INSTALL) --group release
	touch $@
