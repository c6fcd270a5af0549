"""Files that belong to a message: pictures shown, texts folded, the rest as downloads that can't act on the site.

A foreign page under the site's address could read what the site keeps: such files are published as plain text.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from sitegen.model import ROOT, Attachment
from sitegen.render.code import render_code
from sitegen.render.context import Context, safe_filename
from sitegen.render.images import render_picture
from sitegen.render.pictures import Picture, read_picture
from sitegen.render.text import clean, visible

_SHOWN_LIMIT = 200_000
"""A longer text, in characters, is offered as a download only."""
_EXTENSIONS = (
    "txt md rst log csv tsv json jsonl yaml yml toml ini cfg tex bib py rb go rs c h cpp hpp java kt swift ts tsx jsx"
    " sh sql r ipynb diff patch pdf doc docx odt rtf xls xlsx ods ppt pptx odp epub zip gz tgz bz2 xz 7z tar png"
    " jpg jpeg gif webp avif bmp tiff heic mp3 m4a wav ogg flac mp4 mov webm mkv parquet sqlite db"
    " duckdb npy npz pkl bin"
)
_HARMLESS = frozenset(_EXTENSIONS.split())
_EXTENSION = re.compile("[A-Za-z0-9]{1,10}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)", re.I)
_TEXT_BYTES = 2_000_000


def is_picture(attachment: Attachment) -> bool:
    """Whether an attachment is an image that can be shown, judged by its bytes."""
    return attachment.data is not None and isinstance(read_picture(attachment.data), Picture)


def render_attachment(attachment: Attachment, ctx: Context) -> Markup:
    """An attachment as it stands under its message: picture, folded text, download, or why it's missing."""
    if attachment.data is not None and is_picture(attachment):
        return render_picture(attachment.data, ctx, alt=attachment.filename or "")
    text = attachment.extracted_text or _text_of(attachment.data)
    if text is not None and len(text) <= _SHOWN_LIMIT:
        return _folded(attachment, text, ctx)
    if attachment.data is not None:
        return Markup(f'<p class="attachment">{_download(attachment, attachment.data, ctx)}</p>')
    if text is not None:
        return Markup(f'<p class="attachment">{_download(attachment, text.encode("utf-8", "replace"), ctx)}</p>')
    return _missing(attachment, ctx)


def download_name(filename: str | None, data: bytes) -> str:
    """A file name that is safe on any system and that no browser opens as a page of the site."""
    last = (filename or "").replace("\\", "/").rsplit("/", 1)[-1]
    stem, _, extension = last.rpartition(".")
    if not stem or not _EXTENSION.fullmatch(extension):
        stem, extension = last, ""
    stem = safe_filename(stem) if stem.strip(". ") else "file"
    if _RESERVED.match(stem):
        stem = f"_{stem}"
    if extension.lower() in _HARMLESS:
        return f"{stem}.{extension.lower()}"
    kept = f"{stem}.{extension}" if extension else stem
    return f"{kept}.{'bin' if _text_of(data) is None else 'txt'}"


def _folded(attachment: Attachment, text: str, ctx: Context) -> Markup:
    download = Markup("")
    if attachment.data is not None:
        download = Markup(f"<p>{_download(attachment, attachment.data, ctx)}</p>")
    label = escape(ctx.t("prose.attached"))
    code = render_code(clean(text), ctx, language=_language(attachment.filename))
    return Markup(
        f'<details class="fold attachment"><summary><span class="label">{label}</span> {_name(attachment, ctx)}'
        f"{_size(attachment, ctx)}</summary>{download}{code}</details>"
    )


def _download(attachment: Attachment, data: bytes, ctx: Context) -> Markup:
    name = download_name(attachment.filename, data)
    media_type = "application/octet-stream" if _text_of(data) is None else "text/plain; charset=utf-8"
    target = ROOT + ctx.add_file(data, media_type, "download", filename=name)
    return Markup(
        f'<a href="{target}" download="{escape(name)}">{_name(attachment, ctx)}</a>{_size(attachment, ctx, data=data)}'
    )


def _missing(attachment: Attachment, ctx: Context) -> Markup:
    reason = visible(attachment.missing) if attachment.missing else ctx.t("prose.not_archived")
    return Markup(f'<p class="attachment missing">{_name(attachment, ctx)} ({escape(reason)})</p>')


def _name(attachment: Attachment, ctx: Context) -> Markup:
    name = (attachment.filename or "").replace("\\", "/").rsplit("/", 1)[-1].strip()
    return Markup(f'<bdi class="name">{escape(visible(name) or ctx.t("prose.unnamed_file"))}</bdi>')


def _size(attachment: Attachment, ctx: Context, *, data: bytes | None = None) -> Markup:
    size_bytes = len(data) if data is not None else attachment.size_bytes
    if size_bytes is None:
        return Markup("")
    for unit, factor in (("MB", 1_000_000), ("kB", 1_000)):
        if size_bytes >= 10 * factor or (unit == "kB" and size_bytes >= factor):
            return Markup(f' <span class="size">{round(size_bytes / factor)} {unit}</span>')
    return Markup(f' <span class="size">{escape(ctx.t("prose.bytes", n=size_bytes))}</span>')


def _language(filename: str | None) -> str:
    return (filename or "").rpartition(".")[2].lower() if "." in (filename or "") else ""


def _text_of(data: bytes | None) -> str | None:
    """`data` as text, when it's UTF-8 without NUL."""
    if data is None or len(data) > _TEXT_BYTES or b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
