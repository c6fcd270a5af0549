"""Writes Codex sessions as JSONL from short Python values; knows the record shapes and nothing of sitegen."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

Fields = dict[str, object]

START = datetime(2026, 3, 13, 4, 0, 0, tzinfo=UTC)
SESSION_ID = "019d68bf-f055-7183-ac5a-7ddae094e0aa"
NAME = f"rollout-2026-03-13T04-00-00-{SESSION_ID}.jsonl"
CWD = "/home/ann/code/parser"


def write_rollout(path: Path, *records: Fields | str) -> Path:
    """The session in a file; records without a timestamp get one, ten seconds after the one before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, record in enumerate(records):
        moment = (START + timedelta(seconds=10 * number)).isoformat().replace("+00:00", "Z")
        lines.append(record if isinstance(record, str) else json.dumps({"timestamp": moment, **record}))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def session_meta(**fields: object) -> Fields:
    return {"type": "session_meta", "payload": {"id": SESSION_ID, "cwd": CWD, "cli_version": "0.99.0", **fields}}


def turn_context(model: str = "gpt-5-codex", **fields: object) -> Fields:
    return {"type": "turn_context", "payload": {"cwd": CWD, "model": model, **fields}}


def item(kind: str, **fields: object) -> Fields:
    return {"type": "response_item", "payload": {"type": kind, **fields}}


def event(kind: str, **fields: object) -> Fields:
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def said(role: str, *content: str | Fields, **fields: object) -> Fields:
    kind = "output_text" if role == "assistant" else "input_text"
    parts = [{"type": kind, "text": part} if isinstance(part, str) else part for part in content]
    return item("message", role=role, content=parts, **fields)


def prompt(text: str) -> tuple[Fields, Fields]:
    """A prompt as sessions have it: as an item, and as an event."""
    return said("user", text), event("user_message", message=text)


def call(name: str, arguments: Fields, *, id: str = "call_1") -> Fields:
    return item("function_call", name=name, arguments=json.dumps(arguments), call_id=id)


def output(value: object, *, id: str = "call_1", custom: bool = False) -> Fields:
    return item("custom_tool_call_output" if custom else "function_call_output", call_id=id, output=value)
