"""Whatever JSON a workspace's rows hold, a message comes of it, the same each time, and every word in it is kept."""

from __future__ import annotations

import json
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from sitegen.ingest.workspace_blocks import read_message, read_pause
from sitegen.model import BlockKind, Json, Role

KEYS = st.sampled_from(
    [
        *("type", "text", "content", "code", "language", "canvas", "id", "ids", "attachment_id", "name", "title"),
        *("function", "arguments", "input", "result", "blocks"),
    ]
)
TYPES = st.sampled_from(
    [
        *("text", "code", "canvas", "canvas_ref", "attachment", "attachments", "file", "summary", "error"),
        *("thinking", "image", "tool_use", "tool_result", "x"),
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | TYPES
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
BLOCKS = st.lists(
    st.builds(lambda kind, rest: {**rest, "type": kind}, TYPES, st.dictionaries(KEYS, JSON, max_size=4)), max_size=4
)
ROWS = st.fixed_dictionaries(
    {},
    optional={
        "id": JSON,
        "role": st.sampled_from(get_args(Role)) | JSON,
        "content": BLOCKS | JSON,
        "tool_calls": st.lists(st.dictionaries(KEYS, JSON, max_size=4), max_size=3) | JSON,
        "tool_call_id": JSON,
        "turn_index": JSON,
        "created_at": JSON,
        "metadata": JSON,
        "is_summary": JSON,
        "model": JSON,
    },
)


@given(ROWS)
def test_any_row_is_a_message(row: dict[str, Any]) -> None:
    reasons: list[str] = []
    message = read_message(row, reasons)
    assert message.role in get_args(Role)
    assert all(block.kind in get_args(BlockKind) for block in message.blocks)
    json.dumps([dict(block.payload or {}) for block in message.blocks] + [dict(message.metadata)])
    assert (read_message(row, []), all(reasons)) == (message, True)


@given(
    st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5), st.sampled_from(["user", "assistant", "tool"])
)
def test_no_text_is_lost(texts: list[str], role: str) -> None:
    kinds = ("text", "code", "summary", "error")
    content: Json = [{"type": kinds[n % 4], "code" if n % 4 == 1 else "text": text} for n, text in enumerate(texts)]
    said = "\n".join(block.text or "" for block in read_message({"role": role, "content": content}, []).blocks)
    assert not [text for text in texts if text not in said]


@given(st.dictionaries(KEYS | st.sampled_from(["question", "options", "status", "created_at"]), JSON, max_size=6))
def test_any_row_is_a_pause_point(row: dict[str, Any]) -> None:
    message = read_pause(row)
    assert (message.role, message.blocks, set(message.metadata)) == ("system", (), {"pause_point"})
    json.dumps(dict(message.metadata))
