# Each target does its own set-up; only Python ≥ 3.11, make and a network are needed.
PYTHON ?= python3
VENV := .venv/bin
PYTEST_WORKERS ?= 2

.PHONY: site serve test check docs pictures fmt bench lock clean

site: ## ingest the sample conversations and build the example site
	@$(PYTHON) scripts/setup.py run
	@$(VENV)/python site/make.py

test: ## run every test, in a browser too
	@$(PYTHON) scripts/setup.py dev
	$(VENV)/python -m pytest -n $(PYTEST_WORKERS)

check: ## format, lint, types
	@$(PYTHON) scripts/setup.py dev
	$(VENV)/ruff format --check .
	$(VENV)/ruff check .
	$(VENV)/mypy
	$(VENV)/python scripts/node.py tsc --noEmit -p .

docs: ## build the documentation into build/docs, its links checked
	@$(PYTHON) scripts/setup.py dev
	$(VENV)/python -m mkdocs build --strict --quiet
	@echo "docs: open build/docs/index.html"

pictures: site ## take the documentation's pictures from the example site
	@$(PYTHON) scripts/setup.py dev
	$(VENV)/python scripts/screenshots.py

fmt: ## format and mend what can be mended
	@$(PYTHON) scripts/setup.py dev
	$(VENV)/ruff format .
	$(VENV)/ruff check --fix .

bench: ## measure: builds, memory, the browser
	@$(PYTHON) scripts/setup.py dev
	$(VENV)/python -m tests.bench $(BENCH)

serve: site ## look at the example site while it changes
	$(VENV)/python -m sitegen -C site/sitegen.toml serve

lock: ## renew the lock files from pyproject.toml
	@$(PYTHON) scripts/setup.py dev
	$(VENV)/python scripts/lock.py

clean: ## remove what the targets made
	rm -rf .venv node_modules site/public site/offline site/sessions site/.sitegen site/archive.duckdb build dist
