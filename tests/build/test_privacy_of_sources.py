"""Whatever program a conversation comes from, nothing that must not be published reaches the site or the cache."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import exports, rollouts, sessions
from tests.support.plants import all_secrets, private_key, spellings
from tests.support.workshop import EVERYTHING, Workshop

HOME = "/home/zelda/code/pier"
SECRETS = all_secrets()
SAID = "\n".join([f"see {HOME}/x, says zelda@corp.io and zelda", *(plant.text for plant in SECRETS)])


def claude_code(folder: Path) -> tuple[str, Path]:
    session = sessions.write_session(
        folder / "in" / "-home-zelda-code-pier" / "s1.jsonl",
        sessions.user(SAID),
        sessions.assistant(sessions.thinking(SAID), sessions.tool_use("Bash", {"command": SAID}, id="t1")),
        sessions.user(sessions.tool_result("t1", SAID), toolUseResult={"stdout": SAID, "agentId": "a1"}),
        sessions.assistant(SAID),
        cwd=HOME,
        branch=SECRETS[0].value,
    )
    sessions.write_subagent(session, "a1", sessions.user(SAID), sessions.assistant(SAID), cwd=HOME)
    return "claude-code", folder / "in"


def codex(folder: Path) -> tuple[str, Path]:
    rollouts.write_rollout(
        folder / "in" / rollouts.NAME,
        rollouts.session_meta(cwd=HOME, git={"branch": SECRETS[0].value}),
        rollouts.turn_context(cwd=HOME),
        *rollouts.prompt(SAID),
        rollouts.item("reasoning", summary=[{"type": "summary_text", "text": SAID}]),
        rollouts.call("shell", {"command": ["bash", "-lc", SAID], "workdir": HOME}),
        rollouts.output(json.dumps({"output": SAID, "metadata": {"exit_code": 0}})),
        rollouts.said("assistant", SAID),
    )
    return "codex", folder / "in"


def claude_export(folder: Path) -> tuple[str, Path]:
    file = {"file_name": "notes.txt", "file_type": "txt", "file_size": 9, "extracted_content": SAID}
    call: exports.Fields = {"type": "tool_use", "name": "search", "input": {"query": SAID}}
    answer = exports.answer("a1", {"type": "thinking", "thinking": SAID}, call, SAID)
    talk = exports.claude(exports.human("u1", SAID, attachments=[file]), answer, name=SAID.splitlines()[0])
    return "claude-export", exports.write_zip(folder / "in.zip", {"conversations.json": [talk]})


def chatgpt_export(folder: Path) -> tuple[str, Path]:
    talk = exports.chat(
        exports.node("q", "user", SAID),
        exports.node("c", "assistant", content=exports.code(SAID), recipient="python"),
        exports.node("o", "tool", content=exports.printed(SAID), name="python"),
        exports.node("a", "assistant", SAID),
        title=SAID.splitlines()[0],
    )
    return "chatgpt-export", exports.write_zip(folder / "in.zip", {"conversations.json": [talk]})


def everything_said(workshop: Workshop) -> Iterator[tuple[str, bytes]]:
    for folder in (workshop.public, workshop.folder / ".sitegen"):
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            data = file.read_bytes()
            yield file.name, data + str(file.relative_to(workshop.folder)).encode()
            if file.suffix == ".entry":
                yield f"{file.name}, opened", zlib.decompressobj().decompress(data.partition(b"\n")[2])


@pytest.mark.parametrize("write", [claude_code, codex, claude_export, chatgpt_export])
def test_nothing_planted_is_in_any_byte(workshop: Workshop, write: Callable[[Path], tuple[str, Path]]) -> None:
    source, path = write(workshop.folder)
    workshop.configure("[privacy]\ncontext = true\nbranches = true\n\n" + EVERYTHING)
    read = workshop.run("ingest", source, str(path), "--db", str(workshop.folder / "archive.duckdb"))
    assert read.exit_code == 0, read.output
    log = workshop.run("build")
    assert log.exit_code == 0, log.output
    said = [*everything_said(workshop), ("log", log.output.encode())]
    assert any(b"[redacted:" in data for _, data in said)
    for plant in SECRETS:
        assert not [name for name, data in said for form in spellings(plant.value).values() if form in data], plant.name
    for value in (b"zelda", *(line.encode() for line in private_key().splitlines()[1:-1])):
        assert not [name for name, data in said if value in data.lower() or value in data], value
