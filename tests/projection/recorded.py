"""Sessions of Claude Code read in and read out again, with records beside their messages."""

from __future__ import annotations

from pathlib import Path

from sitegen.ingest import ingest
from sitegen.model import Conversation, Message
from tests.projection.reading import read_all
from tests.support.sessions import Fields, assistant, user, write_session

ASKED = user("Why does it fail?")
ANSWERED = assistant("A pattern is wrong.")


def attachment(kind: str, **fields: object) -> Fields:
    return {"type": "attachment", "attachment": {"type": kind, **fields}}


def waited(prompt: object, mode: str | None = "prompt", **fields: object) -> Fields:
    return attachment("queued_command", prompt=prompt, commandMode=mode, **fields)


def failed(status: int = 529, words: str = "Overloaded", **fields: object) -> Fields:
    error = {"status": status, "error": {"type": "error", "error": {"message": words}}}
    return {"type": "system", "subtype": "api_error", "error": error, "retryAttempt": 1, **fields}


def projection(folder: Path, *records: Fields) -> Path:
    write_session(folder / "projects" / "-home-ann-parser" / "s1.jsonl", *records)
    ingest("claude-code", folder / "projects", folder / "archive.duckdb")
    return folder / "archive.duckdb"


def session(folder: Path, *records: Fields) -> Conversation:
    return read_all(projection(folder, *records))["s1"]


def told(folder: Path, *records: Fields) -> list[tuple[str, str, str]]:
    """Role, kind and words of the messages made of records."""
    return [
        (message.role, str(kind), words(message))
        for message in session(folder, *records).messages
        if (kind := message.metadata.get("subtype") or message.metadata.get("context"))
    ]


def words(message: Message) -> str:
    return "\n".join(block.text or "" for block in message.blocks)
