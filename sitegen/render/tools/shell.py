"""Commands of every source's shell: what was run, what it printed, how it ended."""

from __future__ import annotations

import re
import shlex

from markupsafe import Markup, escape
from msgspec import Struct

from sitegen.model import Json, JsonObject
from sitegen.render.context import Context
from sitegen.render.patches import is_codex_patch
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools import changes
from sitegen.render.tools.inputs import number_in, object_in, parsed, result_text, text_in
from sitegen.render.tools.parts import (
    Outcome,
    code,
    images,
    joined,
    make_step,
    outcome,
    output,
    say,
    sentence,
    source,
    told,
)

NAMES = frozenset(
    {
        "bash",
        "bash_tool",
        "container.exec",
        "exec_command",
        "execute_command",
        "local_shell",
        "local_shell_call",
        "powershell",
        "run_shell_command",
        "run_terminal_cmd",
        "shell",
        "shell_command",
        "terminal",
    }
)
_LINE_LIMIT = 72
_STREAMS = ("stdout", "stderr")
_SHELLS = frozenset({"bash", "sh", "zsh", "fish", "dash", "pwsh", "powershell", "cmd", "cmd.exe"})
_WAY_IN = re.compile(r"\s*cd\s+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|]+)\s*(?:&&|;)\s*")
_TESTS = re.compile(
    r"(?:^|[;&|(]\s*)(?:\w+=\S*\s+)*"
    r"(?:(?:uv|poetry|pdm|hatch|pipenv|rye|conda)\s+run\s+|npx\s+|bunx\s+|pnpm\s+exec\s+|bundle\s+exec\s+|sudo\s+|time\s+"
    r"|timeout\s+\S+\s+|(?:[^\s;&|]*/)?python[\d.]*\s+-m\s+)*(?:[^\s;&|]*/)?"
    r"(?:(?:pytest|py\.test|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|unittest|ginkgo|busted|bats)"
    r"|(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?test\S*"
    r"|(?:cargo|go|deno|mix|dotnet|swift|flutter|zig|bazel|make|just|gradle|gradlew|mvn|sbt|rake|rails|playwright|artisan)"
    r"\s+(?:[^\s;&|]+\s+)?test)(?=$|[\s;&|:)])"
)
_EXIT = re.compile(r"\s*(?:Error:\s*)?(?:Command failed with )?[Ee]xit code:? (?P<code>-?\d{1,5})\b[^\n]*\n?")
_HEADER = re.compile(
    r"(?:Chunk ID: \S+\n)?(?:Exit code: -?\d+\n)?Wall time: (?P<s>[\d.]{1,12}) seconds?\n(?P<rest>.*?)Output:\n", re.S
)
_CODEX_EXIT = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,5})")
_SESSION = re.compile(r"Process running with session ID (\S+)")


class _Ended(Struct, frozen=True):
    """What came of a command."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    duration_s: float | None = None
    is_running: bool = False


def command_of(value: Json) -> str:
    """The command as a shell takes it: a text as it is, a list without the shell that it's handed to."""
    if isinstance(value, str):
        return value
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    if len(words) == 3 and words[0].rsplit("/", 1)[-1].lower() in _SHELLS and words[1].startswith(("-", "/")):
        return words[2]
    return shlex.join(words)


def short(command: str) -> str:
    """What a command is about: its first line without the way into a folder."""
    line = first_line(command, 400)
    return _WAY_IN.sub("", line, count=1) or line


def render(call: PairedCall, ctx: Context) -> Step:
    """A command with its output."""
    values = object_in(call.input, "action") or call.input
    command = next((text for key in ("command", "cmd", "script", "input") if (text := command_of(values.get(key)))), "")
    if is_codex_patch(command):
        return changes.render_patch_text(call, ctx, command)
    ended = _ended(call)
    line = short(command)
    is_test = _TESTS.search(line) is not None
    summary = _summary(command, line, text_in(values, "description", "justification"), ctx)
    if _is_in_background(call):
        summary = Markup(f'{summary} · <span class="state">{escape(ctx.t("tools.in_background"))}</span>')
    return make_step(
        call,
        ctx,
        "test" if is_test else "run",
        summary,
        lead=_lead(command, values, ctx),
        body=_body(call, ended, ctx),
        excerpt=ended.stdout or ended.stderr,
        ended=_outcome(call, ended, ctx, is_test=is_test),
        object=first_line(line, _LINE_LIMIT),
        key=command,
        duration_s=ended.duration_s,
    )


def _summary(command: str, line: str, description: str, ctx: Context) -> Markup:
    if not line:
        return say(ctx, "ran_something")
    summary = say(ctx, "ran", command=code(line, _LINE_LIMIT))
    is_whole = "\n" not in command.strip() and len(line) <= _LINE_LIMIT
    if is_whole or not description.strip():
        return summary
    return Markup(f'{summary} <span class="hint">{escape(first_line(description, 100))}</span>')


def _lead(command: str, values: JsonObject, ctx: Context) -> Markup:
    shown = [sentence(text_in(values, "description", "justification"))]
    if command.strip():
        shown.append(source(command, ctx, language="bash"))
    folder = text_in(values, "workdir", "cwd")
    if folder:
        shown.append(told(ctx, "in_folder", folder=code(folder, 200)))
    limit_ms = number_in(values, "timeout", "timeout_ms")
    if limit_ms:
        shown.append(told(ctx, "with_limit", n=max(1, limit_ms // 1000)))
    return joined(*shown)


def _body(call: PairedCall, ended: _Ended, ctx: Context) -> Markup:
    shown = joined(output(ended.stdout, ctx), output(ended.stderr, ctx, key="stderr"), images(call, ctx))
    has_ended = call.result is not None and not ended.is_running and not _is_in_background(call)
    return told(ctx, "no_output") if has_ended and not shown else shown


def _is_in_background(call: PairedCall) -> bool:
    return call.input.get("run_in_background") is True or bool(text_in(call.tool_detail, "backgroundTaskId"))


def _outcome(call: PairedCall, ended: _Ended, ctx: Context, *, is_test: bool) -> Outcome:
    said = outcome(call, ctx)
    if ended.is_running:
        return Outcome(ctx.t("tools.running"))
    plain_failure = ctx.t("tools.failed")
    if ended.exit_code and (not said.failed or said.word == plain_failure):
        return Outcome(plain_failure if is_test else ctx.t("tools.exit", code=ended.exit_code), failed=True)
    return said


def _ended(call: PairedCall) -> _Ended:
    text = result_text(call)
    value = parsed(text)
    if isinstance(value, dict) and isinstance(value.get("output"), str):
        return _from_json(value)
    if isinstance(value, dict) and all(isinstance(value.get(name), str) for name in _STREAMS):
        exit_code = number_in(value, "returncode", "return_code", "exit_code", "exitCode")
        return _Ended(text_in(value, "stdout"), text_in(value, "stderr"), exit_code)
    header = _HEADER.match(text)
    if header is not None:
        found = _CODEX_EXIT.search(text[: header.end()])
        return _Ended(
            text[header.end() :],
            exit_code=int(found[1]) if found else None,
            duration_s=_seconds(header["s"]),
            is_running=_SESSION.search(header["rest"]) is not None,
        )
    exit_line = _EXIT.match(text)
    if exit_line is not None:
        return _Ended(text[exit_line.end() :], exit_code=int(exit_line["code"]))
    return _from_detail(call, text)


def _from_json(value: JsonObject) -> _Ended:
    metadata = object_in(value, "metadata")
    seconds = metadata.get("duration_seconds")
    return _Ended(
        text_in(value, "output"),
        exit_code=number_in(metadata, "exit_code"),
        duration_s=float(seconds) if isinstance(seconds, int | float) else None,
    )


def _from_detail(call: PairedCall, text: str) -> _Ended:
    """Standard error apart from the output where the record keeps them apart."""
    stdout, stderr = text_in(call.tool_detail, "stdout"), text_in(call.tool_detail, "stderr")
    exit_code = number_in(call.tool_detail, "exitCode", "exit_code")
    if stderr.strip() and (stdout or not text.strip() or text.strip() == stderr.strip()):
        return _Ended(stdout, stderr, exit_code)
    return _Ended(text, exit_code=exit_code)


def _seconds(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
