"""Image blocks as a reader sees them: a picture that links to itself at full size, or a sentence that names it.

Knows where the sources keep an image's bytes. What the bytes are is `pictures`' to say.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote_to_bytes

from markupsafe import Markup, escape

from sitegen.model import ROOT, Attachment, Block, Json, JsonObject
from sitegen.render.context import Context
from sitegen.render.links import is_allowed, link_open
from sitegen.render.pictures import Fault, Picture, read_picture
from sitegen.render.text import first_line, visible

_ALT_LIMIT = 200
_DATA_URL = re.compile(r"data:(?P<type>[^,;]{0,100})(?P<parameters>(?:;[^,;]{0,100}){0,4}),", re.I)
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]+")
_POINTER = re.compile(r"[A-Za-z0-9_-]{8,}")


def render_image(block: Block, ctx: Context, *, alt: str = "", attachments: Sequence[Attachment] = ()) -> Markup:
    """The image of a block of kind `image`. `attachments` are the message's: some sources keep the bytes there."""
    payload = block.payload
    alt = alt or block.text or _described(payload)
    for text in _addresses(payload):
        if text[:5].lower() == "data:":
            return render_data_url(text, ctx, alt=alt)
        if is_allowed(text):
            return _elsewhere(text, ctx, alt=alt)
    for text in _encoded(payload):
        return render_picture(_decoded(text), ctx, alt=alt)
    found = _attached(payload, attachments)
    if found is not None and found.data is not None:
        return render_picture(found.data, ctx, alt=alt or found.filename or "")
    known = payload.get("missing")
    reason = found.missing if found else known if isinstance(known, str) else None
    return _named("prose.image_missing", ctx, alt=alt, reason=reason)


def render_picture(data: bytes, ctx: Context, *, alt: str = "") -> Markup:
    """The image that `data` holds, published with the share, or why it can't be shown."""
    picture = read_picture(data, keeps_metadata=ctx.options.keeps_image_metadata)
    if not isinstance(picture, Picture):
        return _refused(picture, ctx, alt=alt)
    source = ROOT + ctx.add_file(picture.data, picture.media_type, "image")
    label = escape(first_line(alt, _ALT_LIMIT) or ctx.t("prose.image"))
    image = Markup(
        f'<img src="{source}" width="{picture.width}" height="{picture.height}" alt="{label}" loading="lazy"'
        ' decoding="async">'
    )
    if picture.media_type == "image/svg+xml":
        return image  # opened by itself it would be a document of this site
    return Markup(f'<a href="{source}">{image}</a>')


def render_data_url(url: str, ctx: Context, *, alt: str = "") -> Markup:
    """The image in a `data:` address; the type that it claims isn't asked."""
    match = _DATA_URL.match(url)
    if match is None:
        return _refused("undecodable", ctx, alt=alt)
    body = url[match.end() :]
    is_encoded = match["parameters"].lower().endswith(";base64")
    return render_picture(_decoded(body) if is_encoded else unquote_to_bytes(body), ctx, alt=alt)


def _decoded(text: str) -> bytes:
    """Base64 as it comes: broken into lines, URL-safe, without its padding. Empty when it's none."""
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except ValueError:  # a letter that isn't ASCII, too
        pass
    plain = _NOT_BASE64.sub("", text.replace("-", "+").replace("_", "/"))
    if len(plain) % 4 == 1:
        plain = plain[:-1]
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (binascii.Error, ValueError):
        return b""


def _encoded(payload: JsonObject) -> Iterator[str]:
    """Base64 wherever a source keeps it, the likeliest place first."""
    for place in (payload, payload.get("source"), payload.get("file"), payload.get("resource")):
        if isinstance(place, Mapping):
            values = (place.get(key) for key in ("data", "base64", "blob", "b64_json"))
            yield from (value for value in values if isinstance(value, str) and value)


def _addresses(payload: JsonObject) -> Iterator[str]:
    source = payload.get("source")
    nested = payload.get("image_url")
    candidates: list[Json] = [
        nested.get("url") if isinstance(nested, dict) else nested,
        payload.get("url"),
        source.get("url") if isinstance(source, dict) else source,
        source.get("data") if isinstance(source, dict) else None,
        payload.get("data"),
    ]
    for candidate in candidates:
        if isinstance(candidate, str) and (candidate[:5].lower() == "data:" or candidate[:4].lower() == "http"):
            yield candidate


def _attached(payload: JsonObject, attachments: Sequence[Attachment]) -> Attachment | None:
    """The attachment that a pointer (`sediment://file_0123…`) or a file id or name of the payload means."""
    wanted = {
        found.lower()
        for key in ("asset_pointer", "file_id", "file_uuid", "id", "storage_path", "content_hash")
        if isinstance(value := payload.get(key), str)
        for found in _POINTER.findall(value.rsplit("/", 1)[-1])
    }
    name = payload.get("file_name") or payload.get("filename")
    for attachment in attachments:
        places = " ".join(filter(None, (attachment.storage_path, attachment.filename, attachment.content_hash))).lower()
        if (name and attachment.filename == name) or any(pointer in places for pointer in wanted):
            return attachment
    return None


def _described(payload: JsonObject) -> str:
    """What a source says that an image shows: its description, its prompt, its file name."""
    metadata = payload.get("metadata")
    generated = metadata.get("dalle") if isinstance(metadata, dict) else None
    places: list[JsonObject] = [generated, payload] if isinstance(generated, dict) else [payload]
    for place in places:
        for key in ("prompt", "alt", "title", "description", "file_name", "filename", "name"):
            value = place.get(key)
            if isinstance(value, str) and value.strip():
                return value
    return ""


def _elsewhere(url: str, ctx: Context, *, alt: str) -> Markup:
    label = ctx.t("prose.image_named", name=first_line(alt, _ALT_LIMIT)) if alt else ctx.t("prose.image")
    return Markup(f'<span class="image">{link_open(url)}{escape(label)}</a></span>')


def _refused(fault: Fault, ctx: Context, *, alt: str) -> Markup:
    return _named("prose.image_too_large" if fault == "too_large" else "prose.image_undecodable", ctx, alt=alt)


def _named(key: str, ctx: Context, *, alt: str, reason: str | None = None) -> Markup:
    name = first_line(alt, _ALT_LIMIT)
    label = ctx.t("prose.image_named", name=name) if name else ctx.t("prose.image")
    why = visible(reason) if reason else ctx.t(key)
    return Markup(f'<span class="missing">{escape(label)} ({escape(why)})</span>')
