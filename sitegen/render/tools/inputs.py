"""Careful looks into what a call was given and gave back.

An input is whatever a model wrote: a value of the wrong type counts as absent.
"""

from __future__ import annotations

import json
import re

from sitegen.model import Json, JsonObject
from sitegen.render.steps import PairedCall


def text_in(values: JsonObject, *keys: str) -> str:
    """The first of `keys` whose value is a text that isn't empty, "" when none is."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def number_in(values: JsonObject, *keys: str) -> int | None:
    """The first of `keys` whose value is a whole number (or the text of one), None when none is."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,15}", value):
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
            return value
    return None


def object_in(values: JsonObject, key: str) -> JsonObject:
    """The object under `key`, an empty one when there is none."""
    value = values.get(key)
    return value if isinstance(value, dict) else {}


def objects_in(values: JsonObject, key: str) -> list[JsonObject]:
    """The objects of the list under `key`, [] when there is none."""
    value = values.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts_in(values: JsonObject, key: str) -> list[str]:
    """The texts of the list under `key`; a single text counts as a list of one."""
    value = values.get(key)
    if isinstance(value, str):
        return [value] if value else []
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def path_in(values: JsonObject) -> str:
    """The path that an input names, however its tool spells the key."""
    return text_in(
        values, "file_path", "path", "filePath", "notebook_path", "target_file", "absolute_path", "filename", "file"
    )


def result_text(call: PairedCall) -> str:
    """What the result says, raw. Texts in a list of blocks are joined by a line."""
    if call.result is None:
        return ""
    if call.result.text:
        return call.result.text
    payload = call.result.payload
    return next((text for key in ("raw_content", "content", "output") if (text := _joined(payload.get(key)))), "")


def _joined(value: Json) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    texts = (item.get("text") if isinstance(item, dict) else item for item in value)
    return "\n".join(text for text in texts if isinstance(text, str))


def parsed(text: str) -> Json:
    """The JSON that `text` is, None when it isn't any (or is too deep to be one)."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
