# Two commands do everything on a machine that has Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= auto

DATA ?= data
STUDY ?= all
SECONDS_EACH ?= 600
PROCESSES ?= 2

.PHONY: help setup demo test docs test-oldest test-long coverage mutation fuzz browser lint audit lock locked format release benchmark benchmark-scale benchmark-inference benchmark-knots benchmark-realdata \
	benchmark-ablation benchmark-masked fresh table results-quick study clean

help:
	@echo "make demo       fit a real data set, print pi with an interval, write a report"
	@echo "make setup      what development needs, to $(VENV), for single tests; other targets do it by themselves"
	@echo "make test       run the tests"
	@echo "make docs       build the documentation, to site/index.html"
	@echo "make test-long  generated tables, faults and load by the thousand: an hour or two"
	@echo "make test-oldest  the tests with the oldest supported versions of all libraries"
	@echo "make coverage   the tests, with the lines and branches that none of them reaches"
	@echo "make fuzz       random formulas, model files and CSV files: half an hour"
	@echo "make mutation   faults put into likelihood and covariance, and how many of them the tests notice: ten minutes"
	@echo "make browser    install Chromium for the tests of the report (Debian, as root); they are skipped without it"
	@echo "make lint       ruff and mypy"
	@echo "make audit      bandit, and known vulnerabilities of the locked libraries"
	@echo "make lock       write requirements-dev.txt anew; make locked: an environment of exactly these versions"
	@echo "make release    sdist, wheel and a bill of materials (SBOM) in dist"
	@echo "make benchmark  speed of fits and predictions, to benchmarks/results: forty minutes"
	@echo "make benchmark-scale  the kernel, ten million rows from a file and on a cluster, other libraries: half an hour"
	@echo "make benchmark-inference  coverage, bands, tests, bootstrap: half a day"
	@echo "make benchmark-realdata  other estimators of pi beside ours, on real tables; DATA=folder of CSV files: hours"
	@echo "make fresh      list the tables of results that are older than the code they rest on"
	@echo "make table TABLE=bands  make one of them again; make results-quick: all in a reduced form; DATA=folder of CSV files"
	@echo "make study      the paper's tables and figures, to results; STUDY=table1, DATA=folder of the real tables"

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[plot]"
	touch $@

$(VENV)/developing: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[plot,fast]" --group dev
	touch $@

setup: $(VENV)/developing

demo: $(VENV)/installed
	$(BIN)/pugam demo --out demo

# Tests start many processes, which read compiled modules wherever they may be kept.
test: $(VENV)/developing
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n $(JOBS)

# Needs no network once its libraries are there. A broken link, or an example that fails, ends the build.
docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --builder html --conf-dir docs . site
	@echo "The documentation, to open in a browser: site/index.html"

# Every library at its lower bound in pyproject.toml, those that tests need included.
test-oldest: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group lock
	$(PYTHON) -m venv $(VENV)-oldest
	$(BIN)/uv pip install --quiet --python $(VENV)-oldest/bin/python --resolution lowest-direct \
		--editable ".[plot,fast]" --group test
	$(VENV)-oldest/bin/python -m pytest -q -n $(JOBS)

test-long: $(VENV)/developing
	$(BIN)/python -m pytest -q -n $(JOBS) -m long

# Processes that are killed, or whose files may not grow, cannot keep count of their lines.
coverage: $(VENV)/developing
	$(BIN)/python -m pip install --quiet --group coverage
	$(BIN)/python -m pytest -q -n $(JOBS) --ignore tests/faults --cov --cov-report=term-missing:skip-covered \
		--cov-fail-under=95

# Ten minutes each; an input that finds something is left in the folder fuzzing.
fuzz: $(VENV)/developing
	$(BIN)/python -m pip install --quiet --group fuzz
	mkdir -p fuzzing
	for target in formula model csv; do \
		$(BIN)/python tests/fuzzing/fuzz.py $$target --seconds $(SECONDS_EACH) --found fuzzing || exit 1; \
	done

# Faults put into likelihood and covariance, one at a time: how many are noticed? In an environment of its own, because
# mutmut needs an older pytest.
mutation:
	$(PYTHON) -m venv $(VENV)-mutation
	$(VENV)-mutation/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(VENV)-mutation/bin/python -m pip install --quiet --editable ".[plot,fast]" --group mutation
	OPENBLAS_NUM_THREADS=1 $(VENV)-mutation/bin/mutmut run
	$(VENV)-mutation/bin/mutmut results

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

audit: $(VENV)/developing
	$(BIN)/python -m pip install --quiet --group audit
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive src
	$(BIN)/pip-audit --requirement requirements-dev.txt --require-hashes --disable-pip

# For all platforms and Pythons at once, with hashes. A newer library comes in by `make lock` alone.
lock: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --upgrade --generate-hashes --no-emit-index-url \
		--no-annotate --custom-compile-command "make lock" --extra plot --extra fast --group dev pyproject.toml --output-file requirements-dev.txt

locked: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group lock
	$(PYTHON) -m venv $(VENV)-locked
	$(BIN)/uv pip install --quiet --python $(VENV)-locked/bin/python --require-hashes --requirements requirements-dev.txt
	$(BIN)/uv pip install --quiet --python $(VENV)-locked/bin/python --no-deps --editable .

# The bill of materials lists what an installation of the wheel brings with it, and nothing of ours.
release: $(VENV)/developing
	$(BIN)/python -m pip install --quiet --group release
	rm -rf dist $(VENV)-release
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv $(VENV)-release
	$(VENV)-release/bin/python -m pip install --quiet dist/*.whl
	$(VENV)-release/bin/python -m pip uninstall --quiet --yes pip setuptools
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --validate \
		--output-file dist/pugam-$$($(BIN)/python -c "import pugam; print(pugam.__version__)").cdx.json \
		$(VENV)-release/bin/python

format: $(VENV)/developing
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Tables by their names in benchmarks/tables.toml, which has the command of each.
RERUN := $(BIN)/python benchmarks/rerun.py --data $(DATA)

benchmark: $(VENV)/developing
	$(RERUN) solvers growth first_contact predict

benchmark-scale: $(VENV)/developing
	$(RERUN) kernel stream cluster gam_libraries

benchmark-inference: $(VENV)/developing
	$(RERUN) coverage bands bands_default term_tests shapes bootstrap misspecification fit_tests \
		selection_bounds selection_fits selection_tests surveys

benchmark-knots: $(VENV)/developing
	$(RERUN) knots scale

benchmark-masked: $(VENV)/developing
	$(RERUN) wilt_smoothing spambase_terms

# Every heuristic of the fit taken away alone; an hour or two, resumed where it was stopped.
benchmark-ablation: $(VENV)/developing
	$(BIN)/python benchmarks/ablation.py $(DATA) --processes $(PROCESSES)

benchmark-realdata: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable ".[plot,peers]"
	$(RERUN) results/realdata/realdata.md shrinkage hardships

# Tables that are older than the code they rest on.
fresh:
	$(PYTHON) benchmarks/freshness.py

# The command of one table again, TABLE=bands, from benchmarks/README.md; and all of them in a reduced form.
table: $(VENV)/developing
	$(RERUN) $(TABLE)

results-quick: $(VENV)/developing
	$(RERUN) --quick

study: $(VENV)/installed
	$(BIN)/pugam study $(STUDY) --out results --data $(DATA)

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-locked $(VENV)-release $(VENV)-mutation demo build dist site mutants fuzzing .coverage
