"""The project's benchmark: `python -m tests.bench`. Measures whole processes, prints one table, judges by ratios."""
