"""The rooms keep to themselves: who may import whom, no cycles, nothing too long to read."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "sitegen"

LONGEST_FILE = 350
LONGEST_FUNCTION = 60

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "bulk": set(),
    "helping": set(),
    "model": {"bulk"},
    "installed": set(),
    "resources": set(),
    "catalogue": set(),
    "media": set(),
    "stamps": set(),
    "ledger": {"stamps"},
    "wording": set(),
    "config": {"errors", "model", "tomlkit"},
    "duck": {"_duckdb", "duckdb"},
    "values": {"model"},
    "picked": {"model", "values"},
    "projection": {"duck", "errors", "model", "picked", "values", "wording"},
    "ingest": {"duck", "errors", "ledger", "model", "picked", "stamps", "wording", "psycopg"},
    "shares": {"config", "errors", "model"},
    "privacy": {"errors", "helping", "installed", "model", "wording", "kingfisher_sdk"},
    "render": {
        *("bulk", "catalogue", "installed", "model", "wording"),
        *("latex2mathml", "markdown_it", "markupsafe", "mdit_py_plugins", "PIL", "pygments"),
    },
    "urls": {"config", "model"},
    "assets": {"errors", "materials", "model", "urls"},
    "materials": {"errors", "model", "urls"},
    "fetch": {"errors", "fsspec"},
    "pages": {"assets", "catalogue", "errors", "model", "render", "urls", "jinja2", "markupsafe"},
    "gate": {"cryptography", "errors", "zxcvbn", "xkcdpass", "tomlkit", "diceware"},
    "output": {"bulk", "errors", "media", "stamps", "s3fs"},
    "search": {"errors", "model", "markupsafe"},
    "poster": {"model", "PIL"},
    "check": {"errors", "urls"},
}
"""What a room may import besides the standard library and what records are made of; `build` and `cli`, to the right of
all, may import anything."""
RECORDS = {"msgspec"}


def modules() -> Iterator[Path]:
    yield from sorted(file for file in PACKAGE.rglob("*.py") if "_data" not in file.parts)


def room(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def imports(file: Path, *, at_run_time: bool = True) -> Iterator[str]:
    """Dotted names that a module imports, relative ones resolved; without those for type checking only."""
    package = ("sitegen", *file.relative_to(PACKAGE).parent.parts)
    skipped = {id(node) for guard in ast.walk(parsed(file)) if _is_type_checking(guard) for node in ast.walk(guard)}
    for node in ast.walk(parsed(file)):
        if at_run_time and id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(filter(None, (base, node.module)))
            yield from (f"{name}.{alias.name}" for alias in node.names)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def outside(file: Path) -> set[str]:
    """The rooms and libraries that a module imports beyond its own room."""
    found = set()
    for name in imports(file):
        first, *rest = name.split(".")
        if first == "sitegen":
            target = rest[0] if rest else ""
            is_module = (PACKAGE / target).is_dir() or (PACKAGE / f"{target}.py").is_file()
            found.add(target if is_module else "")
        elif first not in sys.stdlib_module_names:
            found.add(first)
    return found - {room(file), ""}


@pytest.mark.parametrize("name", ALLOWED)
def test_room_imports_only_what_it_may(name: str) -> None:
    files = [file for file in modules() if room(file) == name]
    breaches = {str(file.relative_to(PACKAGE)): outside(file) - ALLOWED[name] - RECORDS for file in files}
    assert not {file: names for file, names in breaches.items() if names}


def test_only_projection_and_ingest_know_the_database() -> None:
    knowing = {room(file) for file in modules() if outside(file) & {"duck", "duckdb", "_duckdb"}}
    assert knowing <= {"duck", "projection", "ingest"}


def test_every_room_is_in_the_table() -> None:
    rooms = {room(file) for file in modules()} - {"__init__", "__main__"}
    assert rooms - set(ALLOWED) <= {"build", "cli", "serve", "publish", "archive", "verify"}


def test_no_module_imports_itself_through_others() -> None:
    names = {".".join(("sitegen", *_parts(file))): file for file in modules()}
    graph = {name: {part for each in _static(file) for part in _known(each, names)} for name, file in names.items()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join((*path[path.index(name) :], name))
        if name in done:
            return
        for target in sorted(graph[name] - {name}):
            # A package's front door imports what stands behind it; that alone is no cycle.
            if not (name.startswith(f"{target}.") or target.startswith(f"{name}.")):
                visit(target, (*path, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def _parts(file: Path) -> list[str]:
    parts = list(file.relative_to(PACKAGE).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def _static(file: Path) -> Iterator[str]:
    """Imports at the top of a module; those inside functions wait, and make no cycle."""
    local = {id(n) for f in ast.walk(parsed(file)) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.ImportFrom) and id(node) not in local and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _known(name: str, names: dict[str, Path]) -> set[str]:
    return {name} if name in names else set()


def test_no_file_is_too_long_to_read() -> None:
    long = {str(f.relative_to(PACKAGE)): n for f in modules() if (n := f.read_text("utf-8").count("\n")) > LONGEST_FILE}
    assert not long


def _functions() -> Iterator[tuple[str, int]]:
    for file in modules():
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{file.relative_to(PACKAGE)}:{node.name}", (node.end_lineno or 0) - node.lineno + 1


def test_functions_are_small() -> None:
    lengths = sorted(length for _, length in _functions())
    assert not {name: length for name, length in _functions() if length > LONGEST_FUNCTION}
    assert lengths[len(lengths) // 2] <= 8
    assert lengths[len(lengths) * 9 // 10] <= 30


def test_every_module_says_what_it_knows() -> None:
    assert not [str(file.relative_to(PACKAGE)) for file in modules() if not ast.get_docstring(parsed(file))]
