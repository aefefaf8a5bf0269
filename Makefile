# Two commands for everyone: `make demo` and `make test`. The rest is for those who change the code.
#
#   make demo [WORKSPACE=dir]     watch an agent and a person edit the same file, in dir or in a folder made for it
#   make test [PYTEST_ARGS=...]   every test, the slow ones too, on all processors
#   make lint types layers        what the continuous integration checks besides
#   make bench                    the measurements
#   make lock [LOCK_ARGS=...]     the lock files again, from pyproject.toml; LOCK_ARGS=--upgrade takes newer releases
#   make clean                    remove the environment and the caches
#
# Nothing is installed outside .venv. PYTHON=python3.12 chooses another interpreter for it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
RUNTIME := $(VENV)/.installed-runtime
DEV := $(VENV)/.installed-dev
COMPILE := $(BIN)/uv --quiet pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock"

.PHONY: demo test editors lint types layers bench lock clean

demo: $(RUNTIME)
	$(BIN)/dsh-lsp demo $(if $(WORKSPACE),--workspace "$(WORKSPACE)")

# The tests in VS Code share one, and so one process.
test: $(DEV) editors
	$(BIN)/python -m pytest -n auto --dist loadgroup $(PYTEST_ARGS)

# What the tests have of other people: a VS Code, MCP's inspector, an agent. Tests of what can't be had are skipped, but not
# in the continuous integration.
editors:
	editor-clients/vscode/tests/setup.sh || test -z "$(CI)"
	tests/mcp/node/install || test -z "$(CI)"

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The Python package brings pyright itself and takes the system's Node; all that its warnings do is ask for a newer one.
types: $(DEV)
	$(BIN)/mypy
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

layers: $(DEV)
	$(BIN)/lint-imports --no-logo

bench: $(DEV)
	$(BIN)/python -m benchmarks

# The development lock takes the runtime's versions as they are, so that what is tested is what is run.
lock: $(DEV)
	$(COMPILE) $(LOCK_ARGS) --group build --output-file requirements/runtime.txt
	$(COMPILE) $(LOCK_ARGS) --group dev --constraints requirements/runtime.txt --output-file requirements/dev.txt

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# An environment without pip was made by another tool; it is made again.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is missing or older than 3.11; name another with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make environments; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)

# pyproject.toml is a prerequisite for its metadata and entry points; the code itself is installed editable.
$(RUNTIME): requirements/runtime.txt pyproject.toml | $(BIN)/pip
	$(PIP) --require-hashes --requirement requirements/runtime.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): requirements/dev.txt $(RUNTIME)
	$(PIP) --require-hashes --requirement requirements/dev.txt
	@touch $@
