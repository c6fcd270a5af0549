"""What all commands have in common: help, exit codes, failures in a sentence, the configuration they mean."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner, Result

from sitegen import __version__
from sitegen.cli import main
from sitegen.cli.frame import COMMANDS
from sitegen.errors import RefusedError, SitegenError
from tests.cli.site import SiteFolder

Add = Callable[[Callable[[], object]], None]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Add:
    """Puts a command in the place of `list`."""

    def put(function: Callable[[], object]) -> None:
        module = ModuleType("sitegen.cli.list")
        module.command = click.command("list")(function)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "sitegen.cli.list", module)
        monkeypatch.setattr(type(main), "list_commands", lambda self, ctx: ["list"])

    return put


def run(*args: str) -> Result:
    return CliRunner().invoke(main, args)


def raise_(error: BaseException) -> None:
    raise error


def program(*args: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """The real program, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "sitegen", *args],
        cwd=folder,
        env={**os.environ, **more},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_help_lists_the_commands_there_are() -> None:
    told = run("--help")
    assert told.exit_code == 0
    for name in ("init", "list", "share", "shares", "revoke"):
        assert f"  {name} " in told.stdout


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    script = (
        "import sys; from sitegen.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'duckdb', 'jinja2', 'tomlkit', 'pygments', 'markdown_it', 'sitegen.config', 'sitegen.model'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_there_is_has_help(name: str) -> None:
    told = run(name, "--help")
    known = name in main.list_commands(click.Context(main))
    assert told.exit_code == (0 if known else 2)
    assert f"Usage: sitegen {name}" in told.stdout if known else "there is no command" in told.stderr


def test_version_is_the_package_s() -> None:
    assert run("--version").stdout == f"sitegen {__version__}\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["lst"], "sitegen: there is no command “lst”; did you mean “list”?", id="typo"),
        pytest.param(["zzzzzz"], "sitegen: there is no command “zzzzzz”\n", id="no-such-command"),
        pytest.param(["--jsn", "list"], "sitegen: No such option", id="no-such-option"),
        pytest.param(["list", "--jsn"], "Try “sitegen list --help”.", id="no-such-option-of-a-command"),
        pytest.param(["share"], "sitegen: Missing argument", id="argument"),
    ],
)
def test_slip_on_the_command_line_is_exit_2_and_a_hint(args: list[str], message: str) -> None:
    told = run(*args)
    assert told.exit_code == 2
    assert message in told.stderr
    assert told.stdout == ""


def test_no_command_shows_the_help() -> None:
    told = run()
    assert told.exit_code == 2
    assert "Commands:" in told.stderr


UNEXPECTED = (
    "sitegen: something went wrong that sitegen has no words for (ValueError: odd); set SITEGEN_DEBUG=1 to see where\n"
)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        pytest.param(SitegenError("It broke."), 1, "sitegen: It broke.\n", id="failure"),
        pytest.param(RefusedError("Refused."), 3, "sitegen: Refused.\n", id="refusal"),
        pytest.param(SitegenError("a\x1b[31mb\u202ec"), 1, "sitegen: a�[31mb�c\n", id="hostile-message"),
        pytest.param(PermissionError(13, "Denied", "x.db"), 1, "sitegen: Denied: x.db\n", id="system"),
        pytest.param(KeyboardInterrupt(), 130, "\n", id="ctrl-c"),
        pytest.param(RuntimeError("Query interrupted"), 130, "", id="ctrl-c-in-a-query"),
        pytest.param(click.Abort(), 1, "sitegen: stopped; nothing was changed\n", id="no-answer"),
        pytest.param(BrokenPipeError(32, "Broken pipe"), 141, "", id="closed-pipe"),
        pytest.param(ValueError("odd"), 1, UNEXPECTED, id="unexpected"),
    ],
)
def test_failure_is_a_sentence_and_an_exit_code(add: Add, error: BaseException, code: int, said: str) -> None:
    add(lambda: raise_(error))
    told = run("list")
    assert (told.exit_code, told.stderr) == (code, said)


def test_debugging_shows_where(add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_DEBUG", "1")
    add(lambda: raise_(ValueError("odd")))
    assert "Traceback" in run("list").stderr


def test_program_fails_without_a_traceback(tmp_path: Path) -> None:
    told = program("list", folder=tmp_path)
    assert told.returncode == 2
    assert told.stderr.startswith("sitegen: there is no sitegen.toml in ")
    assert "Traceback" not in told.stderr


def test_reader_that_leaves_early_is_no_reason_to_complain(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        told = subprocess.run(
            [sys.executable, "-m", "sitegen", "--help"],
            cwd=tmp_path,
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert told.stderr == b""
    assert told.returncode == 141


@pytest.mark.skipif(os.name != "posix", reason="signals")
def _listen_to_ctrl_c() -> None:
    """Whoever runs the tests in the background may have told them to ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_ends_quietly(site: SiteFolder) -> None:
    site.write('[[share]]\nconversation = "claude_code:parser-1"\nslug = "x"\n')
    asking = subprocess.Popen(
        [sys.executable, "-m", "sitegen", "revoke", "x"],
        preexec_fn=_listen_to_ctrl_c,
        cwd=site.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert asking.stderr is not None
    assert asking.stderr.read(9) == b"Take back"
    asking.send_signal(signal.SIGINT)
    _, rest = asking.communicate(timeout=20)
    assert asking.returncode == 130
    assert b"Traceback" not in rest


def test_terminal_without_the_characters_gets_their_numbers(site: SiteFolder) -> None:
    site.hold([], salt="b")
    told = program("list", folder=site.folder, PYTHONIOENCODING="latin-1")
    assert told.returncode == 0
    assert "\\u201csitegen ingest\\u201d" in told.stderr


# ------------------------------------------------------------------------------------------------ the configuration


def test_configuration_is_found_in_a_folder_above(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (site.folder / "a/b").mkdir(parents=True)
    monkeypatch.chdir(site.folder / "a/b")
    assert "About parser-1" in run("list").stdout


@pytest.mark.parametrize("name", ["sitegen.toml", "other.toml", "."], ids=["file", "other-name", "folder"])
def test_configuration_can_be_named(site: SiteFolder, name: str) -> None:
    if name == "other.toml":
        site.path.rename(site.folder / name)
    assert "About parser-1" in run("-C", str(site.folder / name), "list").stdout


def test_named_configuration_that_isn_t_there_is_told(tmp_path: Path) -> None:
    told = run("--config", str(tmp_path / "no.toml"), "list")
    assert (told.exit_code, "there is no such file" in told.stderr) == (2, True)


def test_fault_in_the_configuration_names_file_and_line(site: SiteFolder) -> None:
    site.write("[sit]\n")
    told = site.run("list")
    assert told.exit_code == 2
    assert f"{site.path}:6: sitegen.toml has no key “sit”; did you mean “site”?" in told.stderr


_PROGRAM = """
import atexit, sys, sitegen.cli
from sitegen.__main__ import run

def main():
    atexit.register(print, "at the end")
    print("said", end=", ")
    sys.exit({code})

sitegen.cli.main = main
run()
"""


@pytest.mark.parametrize("code", [0, 3])
def test_process_ends_with_the_command_s_code_once_all_is_said_and_done(code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(code=code)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "said, at the end\n", "")


def test_process_that_ends_otherwise_says_why() -> None:
    program = _PROGRAM.format(code="1 / 0")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "said, at the end\n")
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_whoever_began_us_has_closed_stop_nothing(tmp_path: Path, closed: str) -> None:
    command = f'exec "$0" -m sitegen init talks {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "talks" / "sitegen.toml").exists()
