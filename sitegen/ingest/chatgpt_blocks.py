"""What a message of ChatGPT holds, by its content type, as block records: texts, thinking, code, images, files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from sitegen.ingest.chatgpt_markers import without_markers
from sitegen.ingest.exports import Reading
from sitegen.ingest.fields import Object, first_text, object_of, objects_of, text_of, texts_of, without_nothing
from sitegen.ingest.records import AttachmentRecord, BlockRecord

if TYPE_CHECKING:
    from sitegen.model import Json

_POINTER: Final = re.compile(r"file[-_][A-Za-z0-9]+|[A-Za-z0-9_-]{8,}")
_FAILED: Final = ("failed", "error", "timeout")
_DRAWN: Final = re.compile(r"^<<ImageDisplayed>>\s*$", re.MULTILINE)
_OUTPUTS: Final = {
    "execution_output": ("text",),
    "system_error": ("text", "name"),
    "citable_code_output": ("output_str",),
    "tether_browsing_display": ("result", "summary"),
    "tether_quote": ("text", "title"),
    "sonic_webpage": ("text", "snippet"),
}
"""What tools give back, by content type: where its text is."""
_NO_SOUND: Final = "the export doesn't hold it"


class Content(Struct):
    """What a message says, shows and brings along."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    images: list[BlockRecord] = field(default_factory=list)
    attachments: list[AttachmentRecord] = field(default_factory=list)
    unknown: list[Json] = field(default_factory=list)
    metadata: Object = field(default_factory=dict)
    language: str | None = None
    """Of the code that the text is."""
    links: list[Json] = field(default_factory=list)
    """Pages that a search or a browser found."""
    is_error: bool = False

    @property
    def text(self) -> str:
        return "\n\n".join(text for text in self.texts if text.strip())

    def blocks(self) -> list[BlockRecord]:
        """The blocks of a message that is no call and no result."""
        said = [BlockRecord("thinking", "\n\n".join(self.thoughts))] if self.thoughts else []
        if self.text:
            said.append(BlockRecord("text", self.text if self.language is None else _fenced(self.text, self.language)))
        return said + self.images + [BlockRecord("text", payload={"unknown_block": item}) for item in self.unknown]


def read_content(message: Object, reading: Reading) -> Content:
    """What a message holds."""
    raw, metadata = object_of(message.get("content")), object_of(message.get("metadata"))
    content = Content()
    _read(content, raw, metadata, reading)
    content.texts = [without_markers(text, metadata) for text in content.texts]
    _read_run(content, metadata, reading)
    content.links += _links(metadata)
    content.attachments += _attachments(metadata, content, reading)
    return content


def _read(content: Content, raw: Object, metadata: Object, reading: Reading) -> None:
    match raw.get("content_type"):
        case "text" | "multimodal_text":
            for part in _parts(raw):
                _read_part(content, part, metadata, reading)
        case "code":
            content.texts += texts_of(raw.get("text"))
            content.language = text_of(raw.get("language")) or ""
        case "thoughts":
            content.thoughts += [*_thoughts(raw), *texts_of(raw.get("parts"))]
        case "reasoning_recap":
            content.thoughts += [*texts_of(raw.get("content")), *texts_of(raw.get("parts"))]
        case "computer_output":
            _read_part(content, raw.get("screenshot"), metadata, reading)
        case str() as kind if kind in _OUTPUTS:
            content.texts += texts_of(first_text(*(raw.get(key) for key in _OUTPUTS[kind])))
            content.is_error = kind == "system_error"
            content.links += _pages([raw])
        case _:
            found = [*texts_of(raw.get("parts")), *texts_of(raw.get("text"))]
            content.texts += found
            content.unknown += [] if any(text.strip() for text in found) or not raw else [raw]


def _parts(raw: Object) -> list[Json]:
    parts = raw.get("parts")
    return parts if isinstance(parts, list) else [raw.get("text")]


def _read_part(content: Content, part: Json, metadata: Object, reading: Reading) -> None:
    if isinstance(part, str):
        content.texts.append(part)
        return
    held = object_of(part)
    match held.get("content_type"):
        case "audio_asset_pointer":
            _read_sound(content, held, reading)
        case "real_time_user_audio_video_asset_pointer":
            _read_sound(content, object_of(held.get("audio_asset_pointer")), reading)
        case _ if pointer := text_of(held.get("asset_pointer")):
            _read_image(content, pointer, held, metadata, reading)
        case _ if isinstance(held.get("text"), str):
            content.texts += texts_of(held.get("text"))
        case _ if part is not None:
            content.unknown.append(part)


def _thoughts(raw: Object) -> Iterator[str]:
    for thought in objects_of(raw.get("thoughts")):
        summary, text = text_of(thought.get("summary")), text_of(thought.get("content"))
        yield "\n\n".join(filter(None, (f"**{summary}**" if summary else None, text)))


def _fenced(code: str, language: str) -> str:
    ticks = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", code)), 3)
    return f"{ticks}{'' if language == 'unknown' else language}\n{code}\n{ticks}"


# ------------------------------------------------------------------------------------------------------------- files


def pointer_id(pointer: str) -> str:
    """The id of a file in the address that a message has for it: `file-service://file-AbC`, `sediment://file_0012`."""
    found = _POINTER.match(pointer.rsplit("/", 1)[-1].split("#", 1)[0])
    return found.group() if found else ""


def _read_image(content: Content, pointer: str, part: Object, metadata: Object, reading: Reading) -> None:
    name = pointer_id(pointer)
    entry = reading.files.by_id(name)
    described = next((file for file in objects_of(metadata.get("attachments")) if file.get("id") == name), {})
    drawn = object_of(object_of(part.get("metadata")).get("dalle"))
    payload = without_nothing(
        {
            "asset_pointer": pointer,
            "alt": first_text(drawn.get("prompt"), metadata.get("image_gen_title"), described.get("name")),
            "width": part.get("width"),
            "height": part.get("height"),
            "filename": entry.base if entry else None,
            "missing": None if entry else "the export doesn't hold it",
        }
    )
    content.images.append(BlockRecord("image", payload=payload, images=1))
    if entry is not None:
        media_type = text_of(described.get("mime_type"))
        content.attachments.append(
            reading.attachment(entry, name=text_of(described.get("name")), media_type=media_type)
        )


def _read_sound(content: Content, part: Object, reading: Reading) -> None:
    entry = reading.files.by_id(pointer_id(text_of(part.get("asset_pointer")) or ""))
    if entry is None:
        content.metadata["sound"] = _NO_SOUND
    else:
        content.attachments.append(reading.attachment(entry, name=entry.base))


def _attachments(metadata: Object, content: Content, reading: Reading) -> Iterator[AttachmentRecord]:
    """The files that someone attached, but for those that are shown as images."""
    shown = {pointer_id(str((image.payload or {}).get("asset_pointer"))) for image in content.images}
    for file in objects_of(metadata.get("attachments")):
        ids = [name for key in ("id", "file_id") if (name := text_of(file.get(key)))]
        if shown.intersection(ids):
            continue
        entry = next((found for name in ids if (found := reading.files.by_id(name))), None)
        name, media_type = text_of(file.get("name")), first_text(file.get("mime_type"), file.get("mimeType"))
        record = reading.attachment(entry, name=name, media_type=media_type)
        size = file.get("size")
        yield AttachmentRecord(
            filename=name or record.filename,
            media_type=media_type,
            size_bytes=size if isinstance(size, int) and entry is None else None,
            metadata=record.metadata,
            opener=record.opener,
        )


# ---------------------------------------------------------------------------------------------------- what tools gave


def _read_run(content: Content, metadata: Object, reading: Reading) -> None:
    """What an interpreter's run says beside its output: whether it failed, and what it drew."""
    run = object_of(metadata.get("aggregate_result"))
    status = text_of(run.get("status")) or ""
    content.is_error = content.is_error or status.startswith(_FAILED)
    for message in objects_of(run.get("messages")):
        pointer = text_of(message.get("image_url"))
        if pointer is not None:
            _read_image(content, pointer, message, metadata, reading)
    if content.images:
        content.texts = [_DRAWN.sub("", text).strip("\n") for text in content.texts]


def _links(metadata: Object) -> list[Json]:
    groups = [entry for group in objects_of(metadata.get("search_result_groups")) for entry in _entries(group)]
    listed = objects_of(object_of(metadata.get("_cite_metadata")).get("metadata_list"))
    return _pages([*groups, *listed])


def _entries(group: Object) -> list[Object]:
    return objects_of(group.get("entries"))


def _pages(pages: list[Object]) -> list[Json]:
    found: list[Json] = []
    for page in pages:
        if text_of(page.get("url")):
            found.append(without_nothing({"url": page.get("url"), "title": page.get("title")}))
    return found


def call_input(content: Content, message: Object) -> Object:
    """What a call was given: the object that its text is, or its code."""
    raw, text = object_of(message.get("content")), content.text
    if text.lstrip().startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
    if raw.get("content_type") == "code" and message.get("recipient") == "python":
        return {"code": text}
    return {"input": text} if text else {}
