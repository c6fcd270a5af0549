"""Attached files: texts folded, pictures shown, downloads that can't act on the site, missing ones named."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sitegen.model import ROOT, Attachment, ConversationHead
from sitegen.render.attachments import download_name, is_picture, render_attachment
from sitegen.render.context import Context, RenderOptions
from tests.support.strict_html import faults

HEAD = ConversationHead("1", "claude_code", "s-1", None, None, None, None, 0, "0")
BINARY = b"%PDF-1.7\n\0\xff"


@pytest.fixture
def ctx() -> Context:
    return Context(RenderOptions(), HEAD)


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (6, 4)).save(buffer, "PNG")
    return buffer.getvalue()


def test_a_text_is_folded_under_its_name(ctx: Context) -> None:
    html = render_attachment(
        Attachment("notes.txt", "text/plain", size_bytes=1_200, extracted_text="one\ntwo <b>\x00"), ctx
    )

    assert html.startswith('<details class="fold attachment"><summary>')
    assert '<bdi class="name">notes.txt</bdi> <span class="size">1 kB</span></summary>' in html
    assert "two &lt;b>\ufffd" in html
    assert ctx.files == ()


def test_a_text_with_its_file_can_be_read_and_downloaded(ctx: Context) -> None:
    html = render_attachment(Attachment("a.md", None, extracted_text="x", data=b"# x"), ctx)

    (file,) = ctx.files
    assert f'href="{ROOT}{file.name}" download="a.md"' in html
    assert file.data == b"# x"


def test_a_text_without_extract_is_read_from_its_bytes(ctx: Context) -> None:
    assert "größer" in render_attachment(Attachment("a.py", None, data="# größer".encode()), ctx)


def test_a_picture_is_shown(ctx: Context) -> None:
    attachment = Attachment("plan.bin", "application/octet-stream", data=png())

    assert is_picture(attachment)
    assert 'width="6" height="4" alt="plan.bin"' in render_attachment(attachment, ctx)


def test_a_false_picture_is_a_download(ctx: Context) -> None:
    attachment = Attachment("plan.png", "image/png", data=b"\x89PNG\0" + BINARY)

    assert not is_picture(attachment)
    assert 'download="plan.png"' in render_attachment(attachment, ctx)


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.xhtml", "a.svg", "a.xml", "a.js", "a.php", "a.swf", "a"])
def test_a_page_of_someone_else_is_published_as_plain_text(ctx: Context, name: str) -> None:
    render_attachment(Attachment(name, "text/html", data=b"<script>alert(1)</script>"), ctx)

    (file,) = ctx.files
    assert file.name.endswith(".txt")
    assert file.media_type == "text/plain; charset=utf-8"


def test_a_page_in_another_encoding_is_a_mere_file(ctx: Context) -> None:
    render_attachment(Attachment("a.html", "text/html", data="<script>1</script>".encode("utf-16")), ctx)

    (file,) = ctx.files
    assert file.name.endswith(".html.bin")
    assert file.media_type == "application/octet-stream"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd.bin"),
        ("C:\\temp\\report.PDF", "report.pdf"),
        ("con.pdf", "_con.pdf"),
        ("LPT1.tar.gz", "_LPT1.tar.gz"),
        ("a\u202efdp.exe", "aU-202Efdp.exe.bin"),
        ("a\x00b\n.pdf", "ab.pdf"),
        ("文档.pdf", "file.pdf"),
        (".htaccess", "htaccess.bin"),
        ("...", "file.bin"),
        ("", "file.bin"),
        (None, "file.bin"),
        ("index.html", "index.html.bin"),
        ("x" * 300 + ".pdf", "x" * 80 + ".pdf"),
        ('a"b<c>.pdf', "a-b-c.pdf"),
    ],
)
def test_downloads_have_names_that_any_system_takes(name: str | None, expected: str) -> None:
    assert download_name(name, BINARY) == expected


@given(st.none() | st.text(max_size=120), st.sampled_from([b"text", BINARY]))
def test_no_name_leaves_its_folder_or_becomes_a_page(name: str | None, data: bytes) -> None:
    safe = download_name(name, data)

    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*\.[a-z0-9]+", safe)
    assert not re.search(r"\.(html?|svgz?|xhtml?|xml|js|mjs|xsl|php|swf)$", safe)
    assert len(safe) < 110


@pytest.mark.parametrize(
    ("attachment", "words"),
    [
        pytest.param(
            Attachment("a.pdf", None, missing="the export left it out"), "the export left it out", id="reason"
        ),
        pytest.param(Attachment("a.pdf", None), "not in the archive", id="no reason"),
        pytest.param(Attachment(None, None), "unnamed file", id="no name"),
        pytest.param(Attachment("a\u202efdp.exe", None), "a⟨U+202E⟩fdp.exe", id="a name that hides"),
        pytest.param(Attachment("/home/ann/a.pdf", None), '<bdi class="name">a.pdf</bdi>', id="a path"),
    ],
)
def test_a_missing_file_is_named_with_the_reason(ctx: Context, attachment: Attachment, words: str) -> None:
    html = render_attachment(attachment, ctx)

    assert words in html
    assert "<a " not in html


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (12_345, "12 kB"), (98_765_432, "99 MB")]
)
def test_sizes_are_told(ctx: Context, size: int, words: str) -> None:
    html = render_attachment(Attachment("a.txt", None, size_bytes=size, extracted_text="x"), ctx)

    assert f'<span class="size">{words}</span>' in html


def test_a_text_too_long_to_show_is_a_download(ctx: Context) -> None:
    html = render_attachment(Attachment("log.txt", None, extracted_text="x" * 250_000), ctx)

    assert 'download="log.txt"' in html
    assert len(html) < 1_000


@given(st.text(max_size=60), st.none() | st.text(max_size=60), st.none() | st.binary(max_size=60))
def test_any_attachment_makes_sound_html(name: str, text: str | None, data: bytes | None) -> None:
    context = Context(RenderOptions(), HEAD)

    html = render_attachment(Attachment(name, name, extracted_text=text, data=data, missing=text), context)

    assert faults(html) == []
