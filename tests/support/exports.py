"""Writes exports of claude.ai and ChatGPT from short Python values; knows their shapes and nothing of sitegen.

    talk = chat(
        node("q1", "user", "Draw a cat"),
        node("a1", "assistant", '{"prompt": "A cat"}', recipient="dalle.text2im"),
        node("r1", "tool", picture("file-AbCdEfGh1"), name="dalle.text2im"),
    )
    write_zip(tmp_path / "export.zip", {"conversations.json": [talk], "file-AbCdEfGh1-cat.png": png()})

A node follows the one before unless it names its `parent`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

Fields = dict[str, object]

START = 1_767_362_585.0
"""2026-01-02 14:03:05 UTC"""
CONVERSATION_ID = "00000000-aaaa-4000-8000-000000000001"


# ----------------------------------------------------------------------------------------------------------- ChatGPT


def node(
    id: str,
    role: str,
    *parts: str | Fields,
    content: Fields | None = None,
    recipient: str = "all",
    name: str | None = None,
    parent: str | None = "",
    model: str | None = "gpt-5",
    **metadata: object,
) -> Fields:
    """A node with its message. Its content is text, or multimodal as soon as a part is no text."""
    kind = "text" if all(isinstance(part, str) for part in parts) else "multimodal_text"
    message: Fields = {
        "id": id,
        "author": {"role": role, "name": name, "metadata": {}},
        "content": content or {"content_type": kind, "parts": list(parts)},
        "recipient": recipient,
        "weight": 1.0,
        "metadata": {"model_slug": model, **metadata} if role == "assistant" else metadata,
    }
    return {"id": id, "message": message, "parent": parent, "children": []}


def chat(*nodes: Fields, current: str | None = None, **fields: object) -> Fields:
    """A conversation of a root and the given nodes; `current` is the node whose path is shown, else the last."""
    mapping: dict[str, Fields] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    before = "root"
    for number, given in enumerate(nodes):
        added = {**given, "parent": given["parent"] if given["parent"] != "" else before}
        message = added["message"]
        if isinstance(message, dict):
            added["message"] = {"create_time": START + 10 * number, **message}
        before = str(given["id"])
        mapping[before] = added
    for id, added in mapping.items():
        if (parent := mapping.get(str(added["parent"]))) and isinstance(children := parent["children"], list):
            children.append(id)
    conversation: Fields = {
        "title": "A talk",
        "create_time": START,
        "update_time": START + 1000,
        "mapping": mapping,
        "current_node": current or before,
        "conversation_id": CONVERSATION_ID,
    }
    return {**conversation, **fields}


def picture(id: str, *, scheme: str = "file-service", **metadata: object) -> Fields:
    """A part that shows the image of a file."""
    part: Fields = {"content_type": "image_asset_pointer", "asset_pointer": f"{scheme}://{id}", "width": 4, "height": 3}
    return {**part, "metadata": metadata or None}


def code(text: str, *, language: str = "python") -> Fields:
    return {"content_type": "code", "language": language, "text": text}


def printed(text: str) -> Fields:
    return {"content_type": "execution_output", "text": text}


def reference(marker: str, *sources: tuple[str, str], kind: str = "grouped_webpages", **fields: object) -> Fields:
    """An entry of `content_references`: what a marker in the text stands for."""
    items = [{"url": url, "title": title} for url, title in sources]
    return {"matched_text": marker, "type": kind, "items": items, **fields}


# --------------------------------------------------------------------------------------------------------- claude.ai


def claude(*messages: Fields, **fields: object) -> Fields:
    """A conversation of claude.ai."""
    conversation: Fields = {
        "uuid": "11111111-1111-4111-8111-111111111111",
        "name": "A talk",
        "created_at": "2026-01-02T14:03:05.000000Z",
        "updated_at": "2026-01-02T15:03:05.000000Z",
        "chat_messages": list(messages),
    }
    return {**conversation, **fields}


def human(uuid: str, *content: str | Fields, **fields: object) -> Fields:
    return _message(uuid, "human", content, fields)


def answer(uuid: str, *content: str | Fields, **fields: object) -> Fields:
    return _message(uuid, "assistant", content, fields)


def _message(uuid: str, sender: str, content: tuple[str | Fields, ...], fields: Fields) -> Fields:
    blocks = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    texts = [part for part in content if isinstance(part, str)]
    message: Fields = {"uuid": uuid, "sender": sender, "text": "\n".join(texts), "content": blocks}
    return {**message, "created_at": "2026-01-02T14:03:05.000000Z", "attachments": [], "files": [], **fields}


# ------------------------------------------------------------------------------------------------------------- files

Contents = Mapping[str, object]
"""Bytes and texts as they are; anything else as JSON."""


def write_zip(path: Path, contents: Contents) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in contents.items():
            archive.writestr(name, _bytes(value))
    return path


def write_folder(path: Path, contents: Contents) -> Path:
    for name, value in contents.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(_bytes(value))
    return path


def _bytes(value: object) -> bytes:
    match value:
        case bytes():
            return value
        case str():
            return value.encode()
        case _:
            return json.dumps(value, ensure_ascii=False).encode()
