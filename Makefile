# Needs a POSIX shell, make and Python >= 3.11; everything else is installed into .venv at locked versions.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK := requirements.lock
ARGS ?=

PYTHON_OK := -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p $(PYTHON_OK) >/dev/null 2>&1 && echo $$p && break; done)

# A checkout that was moved, or an interpreter that is gone, leaves a stamp that is no longer true.
ifneq ($(shell $(BIN)/python -c 'print(open("$(STAMP)").read())' 2>/dev/null),$(CURDIR))
$(shell rm -f $(STAMP))
endif

.PHONY: help install generate test test-all check bench docs lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{printf "%-12s %s\n", $$1, $$2}'

install: $(STAMP) ## .venv with the locked packages and pausegen itself, once

generate: $(STAMP) ## the main job: a small verified dataset run (more with ARGS="--users 60")
	$(BIN)/pausegen generate --preset quickstart $(ARGS)

# Tests start hundreds of processes: without compiled modules each would compile them again.
test test-all: export PYTHONDONTWRITEBYTECODE :=

test: $(STAMP) ## all quick tests
	$(BIN)/python -m pytest -n auto -m "not slow" $(ARGS)

test-all: $(STAMP) ## every test, with all that each draws
	PAUSEGEN_TESTS=thorough $(BIN)/python -m pytest -n auto $(ARGS)

check: $(STAMP) ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

bench: $(STAMP) ## measured figures against their budgets
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(STAMP) ## derived files again: JSON Schemas, tools, policy, gallery, conversations
	$(BIN)/pausegen schemas
	$(BIN)/pausegen tools > docs/tools.md.part && mv docs/tools.md.part docs/tools.md
	$(BIN)/pausegen tools --policy > docs/policy.md.part && mv docs/policy.md.part docs/policy.md
	$(BIN)/pausegen generate --preset quickstart --out build/docs/quickstart --fresh
	$(BIN)/pausegen explain build/docs/quickstart > docs/gallery.md.part && mv docs/gallery.md.part docs/gallery.md
	$(BIN)/pausegen rollout build/docs/quickstart --assistant oracle --out build/docs/conversations --fresh
	$(BIN)/pausegen explain build/docs/conversations > docs/conversations.md.part && \
		mv docs/conversations.md.part docs/conversations.md

lock: $(STAMP) ## requirements.lock from pyproject.toml (newer versions with ARGS=--upgrade)
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --all-extras --group dev --quiet \
		--generate-hashes --no-emit-index-url --no-header --exclude-newer "7 days" $(ARGS) -o $(LOCK)

clean: ## remove .venv, caches and builds (runs and releases in outputs/ stay)
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp goes first and comes back last: after any interruption the next try starts from an empty .venv.
# uv itself comes from the lock as well, so that nothing is installed without its hash.
$(STAMP): pyproject.toml $(LOCK)
	@$(or $(PYTHON),false) $(PYTHON_OK) 2>/dev/null || { \
		echo 'No Python >= 3.11 with the venv module was found. Install one, or name it: make install PYTHON=/path/to/python' >&2; \
		exit 1; }
	@[ -e $@ ] || { echo "creating $(VENV) with $(PYTHON)" && $(PYTHON) -m venv --clear $(VENV); }
	@rm -f $@
	@awk 'on && /^[^ ]/ {exit} /^uv==/ {on = 1} on' $(LOCK) > $(VENV)/uv.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $(VENV)/uv.txt
	@[ -w "$${HOME:-/nonexistent}" ] || export UV_CACHE_DIR=$(VENV)/.cache; \
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r $(LOCK) && \
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@printf '%s' '$(CURDIR)' > $@
