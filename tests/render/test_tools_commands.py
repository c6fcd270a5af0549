"""Commands and code that ran: what was run, what it printed, how it ended, whatever source wrote it down."""

from __future__ import annotations

import json
import re

import pytest

from sitegen.model import Block, Json
from tests.support.calls import call, detail, line, step
from tests.support.strict_html import faults

OK = json.dumps({"output": "fine\n", "metadata": {"exit_code": 0, "duration_seconds": 1.5}})
BROKEN = json.dumps({"output": "broken\n", "metadata": {"exit_code": 2, "duration_seconds": 0.1}})
CHUNK = "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 4\nOutput:\nbroken"


@pytest.mark.parametrize(
    ("name", "given", "shown"),
    [
        pytest.param("Bash", {"command": "ls -la"}, "Ran ls -la", id="Claude Code"),
        pytest.param("bash_tool", {"command": "ls -la"}, "Ran ls -la", id="claude.ai"),
        pytest.param("shell", {"command": ["zsh", "-lc", "ls -la"]}, "Ran ls -la", id="Codex"),
        pytest.param("shell", {"command": ["ls", "a b"]}, "Ran ls 'a b'", id="Codex without a shell"),
        pytest.param("exec_command", {"cmd": "ls -la", "workdir": "/x"}, "Ran ls -la", id="newer Codex"),
        pytest.param(
            "local_shell", {"action": {"type": "exec", "command": ["ls", "-la"]}}, "Ran ls -la", id="the API's"
        ),
        pytest.param(
            "Bash", {"command": "cd '/home/a b/x' && ls -la"}, "Ran ls -la", id="the way into a folder is left out"
        ),
        pytest.param("Bash", {"command": "cd /x"}, "Ran cd /x", id="unless it's all there is"),
        pytest.param("Bash", {"command": 5}, "Ran a command", id="a command that is none"),
        pytest.param("Bash", {}, "Ran a command", id="no command"),
        pytest.param("Bash", {"command": "x\n", "description": "Do it"}, "Ran x", id="a description of a short one"),
        pytest.param(
            "Bash", {"command": "x\ny", "description": "Do it"}, "Ran x Do it", id="a description of a long one"
        ),
    ],
)
def test_a_command_is_named_by_what_it_runs(name: str, given: dict[str, Json], shown: str) -> None:
    assert line(call(name, given, "out")) == shown


@pytest.mark.parametrize(
    ("result", "end"),
    [
        pytest.param("Exit code 3\nbroken", " · exit 3", id="Claude Code"),
        pytest.param("Error: Exit code 3\nbroken", " · exit 3", id="Claude Code's record"),
        pytest.param(BROKEN, " · exit 2", id="Codex"),
        pytest.param(CHUNK, " · exit 4", id="newer Codex"),
        pytest.param("Exit code: 5\nWall time: 1 seconds\nOutput:\nbroken", " · exit 5", id="Codex in words"),
        pytest.param(OK, "", id="Codex, well"),
        pytest.param('{"returncode": 6, "stdout": "", "stderr": "broken"}', " · exit 6", id="claude.ai"),
        pytest.param('{"returncode": 0, "stdout": "fine", "stderr": ""}', "", id="claude.ai, well"),
        pytest.param("fine", "", id="Claude Code, well"),
    ],
)
def test_an_exit_code_is_said(result: str, end: str) -> None:
    shown = step(call("Bash", {"command": "make it"}, result))
    assert line(call("Bash", {"command": "make it"}, result)) == f"Ran make it{end}"
    assert shown.failed == bool(end)
    assert ("broken" in shown.detail) == bool(end)
    assert '"metadata"' not in shown.detail
    assert "Wall time" not in shown.detail


@pytest.mark.parametrize(
    ("result", "word"),
    [
        pytest.param("The user doesn't want to proceed with this tool use.", "declined by the user", id="declined"),
        pytest.param("[Request interrupted by user for tool use]", "interrupted", id="interrupted"),
        pytest.param("Command timed out after 2m 0.0s", "timed out", id="timed out"),
        pytest.param("anything else", "failed", id="in any other way"),
    ],
)
def test_a_failure_is_said_in_words(result: str, word: str) -> None:
    paired = call("Bash", {"command": "x"}, result, is_error=True)
    assert line(paired) == f"Ran x · {word}"
    assert f'<span class="bad">{word}</span>' in step(paired).summary


@pytest.mark.parametrize(
    "command",
    [
        *("pytest -q", "python -m pytest tests", "npm test", "npm run test:unit", "cargo test --all", "go test ./..."),
        *(
            "make test",
            "cd /x && uv run pytest",
            "npx vitest run",
            "mvn -q test",
            "./gradlew test",
            "python -m unittest",
        ),
    ],
)
def test_running_tests_is_told_apart(command: str) -> None:
    assert step(call("Bash", {"command": command}, "ok")).kind == "test"


@pytest.mark.parametrize(
    "command", ["ls tests", "cat test.py", "grep pytest a", "npm install jest-cli", "echo contest"]
)
def test_other_commands_are_not_tests(command: str) -> None:
    assert step(call("Bash", {"command": command}, "ok")).kind == "run"


def test_failing_tests_failed() -> None:
    assert line(call("Bash", {"command": "pytest -q"}, "Exit code 1\n1 failed")) == "Ran pytest -q · failed"


def test_errors_stand_apart_from_output_where_the_record_keeps_them_apart() -> None:
    paired = call("Bash", {"command": "x"}, "out\nerr", detail={"stdout": "out", "stderr": "err"})
    html = str(step(paired).detail)
    assert html.index("<figcaption>Output</figcaption>") < html.index("<figcaption>Errors</figcaption>")


def test_output_that_claude_ai_tells_in_json_is_shown_as_it_was_printed() -> None:
    said = json.dumps({"returncode": 1, "stdout": "\x1b[31mred\x1b[0m & 1\n", "stderr": "no such file\n"})
    html = str(step(call("bash_tool", {"command": "make"}, said)).detail)
    assert re.findall(r"<figcaption>(.*?)</figcaption>", html)[-2:] == ["Output", "Errors"]
    assert re.findall(r'<pre class="term"[^>]*>(.*?)</pre>', html, re.DOTALL) == [
        '<span class="h1">red</span> &amp; 1',
        "no such file",
    ]
    assert "returncode" not in html


def test_json_that_a_command_printed_stays_as_it_is() -> None:
    assert "stdouts" in str(step(call("bash_tool", {"command": "cat x.json"}, '{"stdouts": 1}')).detail)


def test_a_command_in_the_background_says_so() -> None:
    assert line(call("Bash", {"command": "x", "run_in_background": True}, "")) == "Ran x · in the background"


def test_a_command_that_was_interrupted_says_so() -> None:
    assert line(call("Bash", {"command": "x"}, "", detail={"interrupted": True})) == "Ran x · interrupted"


@pytest.mark.parametrize(
    ("status", "word"), [(None, "no result"), ("running", "still running"), ("pending", "not started")]
)
def test_a_call_without_a_result_is_labelled(status: str | None, word: str) -> None:
    paired = call("Bash", {"command": "x"}, None, status=status)
    assert line(paired) == f"Ran x · {word}"
    assert not step(paired).failed


def test_a_command_that_printed_nothing_says_so() -> None:
    assert "It printed nothing." in detail(call("Bash", {"command": "x"}, ""))


def test_output_is_shown_as_the_terminal_did() -> None:
    html = str(step(call("Bash", {"command": "x"}, "\x1b[32mok\x1b[0m 10%\rok 100%\n")).detail)
    assert '<pre class="term" tabindex="0">ok 100%</pre>' in html


def test_seconds_are_taken_from_the_source() -> None:
    assert step(call("shell", {"command": ["x"]}, OK)).duration_s == 1.5


def test_a_long_output_leaves_its_beginning_and_the_command() -> None:
    shown = step(call("Bash", {"command": "long"}, "".join(f"line {n}\n" for n in range(5000))))
    assert "long" in shown.preview
    assert "line 0" in shown.preview
    assert "line 4999" not in shown.preview
    assert "line 4999" in shown.detail
    assert faults(shown.preview) == []


def test_a_short_output_has_no_preview() -> None:
    assert step(call("Bash", {"command": "x"}, "short")).preview == ""


# ---------------------------------------------------------------------------------------------------- in the background


@pytest.mark.parametrize(
    ("name", "given", "result", "shown"),
    [
        pytest.param(
            "BashOutput",
            {"bash_id": "b1"},
            "<status>running</status>\n\n<stdout>\nready\n</stdout>",
            "Looked after a running command b1 · running",
            id="its output",
        ),
        pytest.param(
            "KillShell", {"shell_id": "b1"}, '{"message": "killed"}', "Stopped a running command b1", id="its end"
        ),
        pytest.param(
            "write_stdin", {"session_id": "7", "chars": "y\n"}, "ok", "Typed into a running command 7", id="its input"
        ),
        pytest.param("TaskOutput", {}, "x", "Looked after a running command", id="unnamed"),
    ],
)
def test_looking_after_a_command(name: str, given: dict[str, Json], result: str, shown: str) -> None:
    paired = call(name, given, result)
    assert line(paired) == shown
    assert step(paired).kind == "watch"
    assert "&lt;stdout&gt;" not in step(paired).detail


def test_nothing_hides_in_the_state_of_a_command() -> None:
    assert line(call("BashOutput", {}, "<status>\x1b[1mrunning</status>")).endswith("· ␛[1mrunning")


# ------------------------------------------------------------------------------------------------------ interpreters


def test_code_that_ran_is_shown_with_what_it_printed() -> None:
    paired = call("python", {"input": "# Sum it up\r\nprint(1 + 1)"}, "2\n")
    assert line(paired) == "Ran Python: Sum it up"
    assert "print(1 + 1)" in detail(paired)
    assert "2" in detail(paired)
    assert step(paired).kind == "code"


def test_an_exception_is_a_failure() -> None:
    paired = call("python", {"input": "1/0"}, "Traceback (most recent call last):\nZeroDivisionError: division by zero")
    assert line(paired) == "Ran Python · failed"


def test_a_drawn_image_that_is_gone_is_said() -> None:
    shown = detail(call("python", {"input": "plot()"}, "\n<<ImageDisplayed>>"))
    assert "It drew an image that isn't in the source." in shown
    assert "<<" not in shown


def test_claude_ais_analysis_is_javascript() -> None:
    assert line(call("repl", {"code": "console.log(1)"}, "1")) == "Ran JavaScript"


def test_an_image_that_was_made_is_shown_with_what_was_asked() -> None:
    image = Block("image", payload={"source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}})
    paired = call("dalle.text2im", {"prompt": "A lighthouse in fog"}, "", images=(image,))
    assert line(paired) == "Made an image: A lighthouse in fog"
    assert step(paired).is_open
