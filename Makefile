# Two commands do everything on a machine that has Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= auto

DATA ?= data
STUDY ?= all

.PHONY: help demo test browser lint format benchmark benchmark-scale benchmark-inference benchmark-knots benchmark-realdata \
	study clean

help:
	@echo "make demo       fit a real data set, print pi with an interval, write a report"
	@echo "make test       run the tests"
	@echo "make browser    install Chromium for the tests of the report (Debian, as root); they are skipped without it"
	@echo "make lint       ruff and mypy"
	@echo "make benchmark  run the benchmarks and write their tables to benchmarks/results"
	@echo "make benchmark-scale  the kernel, ten million rows from a file and on a cluster, other libraries"
	@echo "make benchmark-inference  coverage, bands, tests, bootstrap: an hour"
	@echo "make benchmark-realdata  other estimators of pi beside ours, on real tables; DATA=folder of CSV files: hours"
	@echo "make study      the paper's tables and figures, to results; STUDY=table1, DATA=folder of the real tables"

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/developing: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

demo: $(VENV)/installed
	$(BIN)/pugam demo --out demo

test: $(VENV)/developing
	$(BIN)/python -m pytest -q -n $(JOBS)

# The tests of the report's page need a browser; where none can be installed they are skipped.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && timeout 300 apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -qq -y chromium chromium-driver >/dev/null; } || \
	echo "No browser: the tests of the report's page are skipped. Install Debian's chromium and chromium-driver."

lint: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/developing
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmark: $(VENV)/developing
	$(BIN)/python benchmarks/fit.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/first_contact.py
	$(BIN)/python benchmarks/predict.py

benchmark-scale: $(VENV)/developing
	$(BIN)/python benchmarks/kernel.py
	$(BIN)/python benchmarks/stream.py
	$(BIN)/python benchmarks/cluster.py
	PUGAM_DATA=$(DATA) $(BIN)/python benchmarks/gam_libraries.py

benchmark-inference: $(VENV)/developing
	$(BIN)/python benchmarks/interval_coverage.py
	$(BIN)/python benchmarks/bands.py
	$(BIN)/python benchmarks/term_tests.py
	$(BIN)/python benchmarks/bootstrap.py

benchmark-knots: $(VENV)/developing
	$(BIN)/python benchmarks/knots.py $(DATA)
	$(BIN)/python benchmarks/scale.py $(DATA)

benchmark-realdata: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[peers]"
	$(BIN)/python benchmarks/peers --data $(DATA) --out results/realdata
	$(BIN)/python benchmarks/shrinkage.py $(DATA)
	$(BIN)/python benchmarks/hardships.py $(DATA)

study: $(VENV)/installed
	$(BIN)/pugam study $(STUDY) --out results --data $(DATA)

clean:
	rm -rf $(VENV) demo build dist
