"""The tutorial works: every command in it, one after the other, for someone who has nothing yet."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.sessions import assistant, tool_result, tool_use, user, write_session

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "tutorial" / "first-site.md"
REMOTE = "https://github.com/ann/talks.git"
SERVE = """\
sitegen serve --port 0 > "$HOME/serve.log" 2>&1 &
for _ in $(seq 300); do grep -q 'Preview at http' "$HOME/serve.log" && break; sleep 0.1; done
grep 'Preview at http' "$HOME/serve.log"
kill %1
wait || true
"""


def blocks() -> Iterator[tuple[str, str]]:
    """Language and text of each block that the page shows."""
    yield from re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def commands() -> list[str]:
    return [line[2:] for kind, text in blocks() if kind == "console" for line in text.splitlines() if line[:2] == "$ "]


def script(wheel: Path) -> str:
    """All that the page tells to do, for one shell. What is a placeholder there is something real here."""
    steps = []
    for kind, text in blocks():
        if kind == "toml":
            steps.append(f"sed -i.bak 's|^# base_url = .*|{text.strip()}|' sitegen.toml && rm sitegen.toml.bak")
        for line in text.splitlines() if kind == "console" else ():
            command = line.removeprefix("$ ").replace("/path/to/sitegen", str(wheel))
            steps.append(SERVE if command == "sitegen serve --open" else command)
            steps.append(f"echo {_mark(line)!r}")
            if command.startswith("sitegen publish"):
                steps.append("git ls-remote origin; git fetch --quiet origin gh-pages; git ls-tree -r FETCH_HEAD")
    return "\n".join(["set -eo pipefail", *steps])


def _mark(line: str) -> str:
    return f"--- done: {line.replace(chr(39), '').replace(chr(92), '')}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with one conversation, and an empty repository in GitHub's place."""
    home = tmp_path_factory.mktemp("home")
    write_session(
        home / ".claude/projects/-home-ann-code-parser/7f3c2a10-0001-4000-8000-000000000001.jsonl",
        user("Why does the parser fail?"),
        assistant(tool_use("Read", {"file_path": "/home/ann/code/parser/a.py"}, id="t1")),
        user(tool_result("t1", "1→import re")),
        assistant("A bracket is missing in **line 1**."),
    )
    bare = home / "github.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(bare)], check=True, capture_output=True)
    (home / ".gitconfig").write_text(f'[url "{bare}"]\n\tinsteadOf = {REMOTE}\n')
    return home


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def told(home: Path, wheel: Path) -> str:
    """What the shell said. Packages that sitegen needs are found where they are, so nothing is downloaded."""
    packages = next(path for path in map(Path, sys.path) if (path / "duckdb").is_dir())
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(packages),
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    command = ["bash", "--noprofile", "--norc", "-c", script(wheel)]
    done = subprocess.run(
        command, cwd=home, env=environment, check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=600
    )
    out, error = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
    assert done.returncode == 0, f"{out}\n{error}"
    return out


@pytest.mark.slow
def test_every_command_of_the_tutorial_works(told: str) -> None:
    assert [line for line in told.splitlines() if line.startswith("--- done: ")] == [
        _mark(f"$ {command}") for command in commands()
    ]


@pytest.mark.slow
def test_protected_page_is_online_and_then_gone_with_its_past(told: str) -> None:
    first, second = re.findall(r"--- done: \$ sitegen publish .*\n((?:(?!---).*\n?)*)", told)
    assert "\ts/fixing-the-parser/index.html" in first
    assert "\ts/fixing-the-parser/" not in second
    assert "\tindex.html" in second
    branches = [line for part in (first, second) for line in part.splitlines() if "refs/heads/gh-pages" in line]
    assert len(set(branches)) == 2


@pytest.mark.slow
def test_only_the_site_is_online_and_what_opens_the_page_was_told(told: str, home: Path) -> None:
    assert "https://ann.github.io/talks/s/fixing-the-parser/#" in told
    history = subprocess.run(
        ["git", "log", "-p", "--all"], cwd=home / "github.git", check=True, capture_output=True, env={"HOME": str(home)}
    ).stdout
    assert b"bracket is missing" not in history
    assert history.count(b"\ncommit ") == 0  # one commit, without parents


def test_package_index_is_never_where_sitegen_comes_from() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert not [page for page in pages if re.search(r"pip install (?:-\S+ )*sitegen\b", page.read_text("utf-8"))]
