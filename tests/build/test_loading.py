"""A build loads what it needs: what is dear and rarely needed waits until it is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable

import pytest

from tests.support.projections import assistant, call, conversation, result, user
from tests.support.workshop import EVERYTHING, Workshop, share, talk_about

Loaded = Callable[..., set[str]]

OTHERS = {
    *("cryptography", "distributed", "duckdb", "fsspec", "importlib.metadata", "latex2mathml", "livereload"),
    *("markdown_it", "multiprocessing", "tomlkit", "zxcvbn"),
}
"""Libraries that a build of a plain open conversation does without."""
GATES = {"sitegen.build.locked", "sitegen.build.sealing", "sitegen.gate.credentials", "sitegen.pages.protected"}
RENDERING = {"pygments.lexer", "sitegen.render.transcript"}


@pytest.fixture
def loaded(workshop: Workshop) -> Loaded:
    """Builds in a process of its own, and says which of these modules it loaded."""

    def build(names: Iterable[str], *arguments: str) -> set[str]:
        program = (
            "import sys; from sitegen.cli import main\n"
            "main(['--config', sys.argv[1], 'build', *sys.argv[2:]], standalone_mode=False)\n"
            "print(*sys.modules)"
        )
        command = [sys.executable, "-c", program, str(workshop.folder / "sitegen.toml"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return set(names) & set(done.stdout.splitlines()[-1].split())

    return build


def test_a_plain_conversation_loads_nothing_for_others(workshop: Workshop, loaded: Loaded) -> None:
    workshop.talk(talk_about("tides"))
    workshop.configure(share("tides", "tides"))
    pictures = {"PIL.Image", "sitegen.poster"}
    assert not loaded(OTHERS | GATES | pictures)


def test_a_conversation_with_tools_and_code_loads_its_lexers_alone(workshop: Workshop, loaded: Loaded) -> None:
    read = call("Read", {"file_path": "a.py"}, id="r")
    workshop.talk(
        conversation("talk", user("Look."), assistant(read), user(result("x = 1", id="r")), assistant("Seen."))
    )
    workshop.configure(EVERYTHING)
    lexers = {f"pygments.lexers.{name}" for name in ("python", "javascript", "html", "sql", "lisp")}
    assert loaded(lexers | OTHERS | GATES) == {"pygments.lexers.python"}


def test_pages_of_known_conversations_are_made_without_rendering(workshop: Workshop, loaded: Loaded) -> None:
    workshop.talk(talk_about("tides"))
    workshop.configure()
    assert loaded(RENDERING) == RENDERING
    workshop.configure(base_url="https://ann.example.org/elsewhere/")
    assert loaded(RENDERING) == set()


def test_a_first_build_of_little_starts_no_process(workshop: Workshop, loaded: Loaded) -> None:
    workshop.talk(talk_about("tides"), talk_about("herons"))
    workshop.configure(EVERYTHING)
    assert not loaded({"multiprocessing", "concurrent.futures.process"}, "--jobs", "4")


def test_a_build_with_nothing_to_do_loads_nothing_that_builds(workshop: Workshop, loaded: Loaded) -> None:
    workshop.talk(talk_about("tides"))
    workshop.configure(EVERYTHING)
    assert loaded({"msgspec", "dataclasses", "duckdb", "_duckdb"}) >= {"msgspec", "_duckdb"}
    assert not loaded({"msgspec", "dataclasses", "duckdb", "_duckdb", "jinja2"} | RENDERING)
