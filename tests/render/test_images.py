"""Images: published by what they are, cleaned of what they tell about their maker, named when they can't be shown."""

from __future__ import annotations

import base64
import io
import re
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageSequence, PngImagePlugin

from sitegen.model import ROOT, Attachment, Block, ConversationHead, JsonObject
from sitegen.render.context import Context, RenderOptions
from sitegen.render.images import render_data_url, render_image, render_picture
from sitegen.render.pictures import Picture, read_picture
from tests.support.strict_html import faults

HEAD = ConversationHead("1", "claude_code", "s-1", None, None, None, None, 0, "0")
SECRET = b"ann@example.org at 46.95N 7.45E"


@pytest.fixture
def ctx() -> Context:
    return Context(RenderOptions(), HEAD)


def drawn(kind: str = "PNG", size: tuple[int, int] = (6, 4), **options: object) -> bytes:
    buffer = io.BytesIO()
    image = Image.new("RGB", size, "white")
    image.putpixel((0, 0), (200, 30, 30))
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def exif(orientation: int = 1) -> Image.Exif:
    tags = Image.Exif()
    tags[0x0112] = orientation
    tags[0x010E] = SECRET.decode()
    tags.get_ifd(0x8825)[1] = "N"
    tags.get_ifd(0x8825)[2] = (46.0, 57.0, 0.0)
    return tags


def with_secrets(kind: str, orientation: int = 1) -> bytes:
    match kind:
        case "PNG":
            text = PngImagePlugin.PngInfo()
            text.add_text("Author", SECRET.decode())
            text.add_itxt("XML:com.adobe.xmp", SECRET.decode())
            return drawn("PNG", pnginfo=text, exif=exif(orientation)) + SECRET
        case "JPEG":
            return drawn("JPEG", exif=exif(orientation), comment=SECRET, xmp=SECRET) + SECRET
        case "WEBP":
            return drawn("WEBP", exif=exif(orientation), xmp=SECRET)
        case _:
            return drawn("GIF", comment=SECRET) + SECRET


def picture_of(data: bytes) -> Picture:
    picture = read_picture(data)
    assert isinstance(picture, Picture), picture
    return picture


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_what_an_image_tells_about_its_maker_stays_when_its_owner_asks(kind: str) -> None:
    source = with_secrets(kind)
    picture = read_picture(source, keeps_metadata=True)
    assert isinstance(picture, Picture)
    assert picture.data == source
    assert (picture.media_type, picture.width, picture.height) == (f"image/{kind.lower()}", 6, 4)
    ctx = Context(RenderOptions(keeps_image_metadata=True), HEAD)
    render_picture(source, ctx)
    assert [file.data for file in ctx.files] == [source]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_what_an_image_tells_about_its_maker_is_gone(kind: str) -> None:
    source = with_secrets(kind)
    assert SECRET in source

    picture = picture_of(source)

    assert SECRET not in picture.data
    assert b"Exif" not in picture.data
    assert picture.media_type == f"image/{kind.lower()}"
    assert (picture.width, picture.height) == (6, 4)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_pixels_stay_as_they_are(kind: str) -> None:
    source = with_secrets(kind)

    with Image.open(io.BytesIO(source)) as before, Image.open(io.BytesIO(picture_of(source).data)) as after:
        assert after.format == kind
        assert list(after.convert("RGB").tobytes()) == list(before.convert("RGB").tobytes())


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_turned_image_stays_turned(kind: str) -> None:
    picture = picture_of(with_secrets(kind, orientation=6))

    assert (picture.width, picture.height) == (4, 6)
    assert SECRET not in picture.data
    with Image.open(io.BytesIO(picture.data)) as image:
        image.load()
        assert dict(image.getexif()) == {0x0112: 6}


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_animation_is_kept(kind: str) -> None:
    frames = [Image.new("RGB", (5, 5), colour) for colour in ("red", "green", "blue")]
    buffer = io.BytesIO()
    frames[0].save(buffer, kind, save_all=True, append_images=frames[1:], duration=80, loop=0)

    with Image.open(io.BytesIO(picture_of(buffer.getvalue()).data)) as image:
        assert len(list(ImageSequence.Iterator(image))) == 3
        assert image.info.get("loop") == 0


def test_a_colour_profile_is_kept() -> None:
    profile = b"\0" * 128 + b"profile"
    assert b"profile" in picture_of(drawn("JPEG", icc_profile=profile)).data
    with Image.open(io.BytesIO(picture_of(drawn("PNG", icc_profile=profile)).data)) as image:
        assert image.info["icc_profile"] == profile


def test_a_progressive_photograph_survives() -> None:
    source = drawn("JPEG", size=(64, 48), progressive=True, exif=exif())

    with Image.open(io.BytesIO(picture_of(source).data)) as after, Image.open(io.BytesIO(source)) as before:
        assert after.tobytes() == before.tobytes()


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "ICO", "AVIF"])
def test_other_formats_become_png(kind: str) -> None:
    size = (16, 16)

    picture = picture_of(drawn(kind, size=size))

    assert picture.media_type == "image/png"
    assert (picture.width, picture.height) == size


def bomb() -> bytes:
    header = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 1000)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"", "damaged", id="nothing"),
        pytest.param(b"<html><script>alert(1)</script>", "damaged", id="a page"),
        pytest.param(b"\x89PNG\r\n\x1a\n<html><script>alert(1)</script>", "damaged", id="a page that begins as PNG"),
        pytest.param(drawn("PNG")[:30], "damaged", id="PNG cut off in its header"),
        pytest.param(drawn("JPEG")[:60], "damaged", id="JPEG cut off before its pixels"),
        pytest.param(b"GIF89a" + b"\0" * 20, "damaged", id="GIF without a frame"),
        pytest.param(b"RIFF\x10\0\0\0WEBPVP8X", "damaged", id="WebP without pixels"),
        pytest.param(b"%!PS-Adobe-3.0 EPSF-3.0\n", "damaged", id="PostScript"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'><g></svg>", "damaged", id="broken SVG"),
        pytest.param(bomb(), "too large", id="a bomb"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + b"\0" * 30_000_001, "too large", id="too many bytes"),
    ],
)
def test_what_is_no_image_is_named_and_not_published(ctx: Context, data: bytes, words: str) -> None:
    html = render_picture(data, ctx, alt="Plan <b>.png")

    assert "Image: Plan &lt;b&gt;.png" in html
    assert words in html
    assert ctx.files == ()


def test_a_picture_links_to_itself_and_keeps_its_place(ctx: Context) -> None:
    html = str(render_picture(drawn("PNG"), ctx, alt='The "plan"'))

    (file,) = ctx.files
    assert re.fullmatch(r"i/[0-9a-f]{16}\.png", file.name)
    assert file.media_type == "image/png"
    assert html == (
        f'<a href="{ROOT}{file.name}"><img src="{ROOT}{file.name}" width="6" height="4" alt="The &#34;plan&#34;"'
        ' loading="lazy" decoding="async"></a>'
    )


def test_equal_pictures_are_published_once(ctx: Context) -> None:
    render_picture(with_secrets("PNG"), ctx, alt="a")
    render_picture(with_secrets("PNG")[: -len(SECRET)], ctx, alt="b")

    assert len(ctx.files) == 1


ENCODED = base64.b64encode(drawn("PNG")).decode()


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param({"source": {"type": "base64", "media_type": "image/png", "data": ENCODED}}, id="Claude"),
        pytest.param({"source": {"type": "base64", "media_type": "text/html", "data": ENCODED}}, id="a false claim"),
        pytest.param({"image_url": f"data:image/png;base64,{ENCODED}"}, id="Codex"),
        pytest.param({"image_url": {"url": f"data:image/png;base64,{ENCODED}"}}, id="image_url as an object"),
        pytest.param({"data": ENCODED, "mimeType": "image/png"}, id="MCP"),
        pytest.param({"file": {"base64": ENCODED, "type": "image/png"}}, id="a file read by a tool"),
        pytest.param({"source": {"data": f"data:image/jpeg;base64,{ENCODED}"}}, id="an address as data"),
        pytest.param({"data": ENCODED.rstrip("=").replace("+", "-").replace("/", "_")}, id="URL-safe, unpadded"),
        pytest.param({"data": "\n".join(re.findall(".{1,20}", ENCODED))}, id="in lines"),
    ],
)
def test_bytes_are_found_wherever_a_source_keeps_them(ctx: Context, payload: JsonObject) -> None:
    html = render_image(Block("image", payload=payload), ctx, alt="x")

    assert 'width="6" height="4"' in html
    assert ctx.files[0].name.endswith(".png")


def test_a_pointer_finds_its_attachment(ctx: Context) -> None:
    block = Block(
        "image",
        payload={
            "asset_pointer": "sediment://file_0123456789abcdef",
            "metadata": {"dalle": {"prompt": "A red boat\nat sea"}},
        },
    )
    other = Attachment("file_ffff00001111-plan.png", "image/png", missing="x")
    found = Attachment("file_0123456789abcdef-boat.png", "image/png", data=drawn("PNG"))

    html = render_image(block, ctx, attachments=(other, found))

    assert 'alt="A red boat"' in html


@pytest.mark.parametrize(
    ("payload", "attachments", "expected"),
    [
        pytest.param({"asset_pointer": "file-service://file-abcdefgh"}, (), "Image (not in the archive)", id="nothing"),
        pytest.param(
            {"file_name": "a\u202egnp.exe"}, (), "Image: a⟨U+202E⟩gnp.exe (not in the archive)", id="a name that hides"
        ),
        pytest.param(
            {"file_name": "a.png"},
            (Attachment("a.png", "image/png", missing="its file is gone"),),
            "Image: a.png (its file is gone)",
            id="a reason",
        ),
        pytest.param({"alt": "A cat", "missing": "it is lost"}, (), "Image: A cat (it is lost)", id="its own reason"),
        pytest.param({"source": {"data": "%%%"}}, (), "damaged", id="no base64"),
        pytest.param({"image_url": "data:image/png"}, (), "damaged", id="half an address"),
        pytest.param({"source": None, "image_url": 3, "data": []}, (), "not in the archive", id="wrong types"),
    ],
)
def test_a_missing_image_is_named(
    ctx: Context, payload: JsonObject, attachments: tuple[Attachment, ...], expected: str
) -> None:
    html = render_image(Block("image", payload=payload), ctx, attachments=attachments)

    assert expected in html
    assert "<img" not in html


def test_an_image_elsewhere_is_a_link(ctx: Context) -> None:
    html = render_image(Block("image", payload={"source": {"type": "url", "url": "https://example.org/a.png"}}), ctx)

    assert '<a href="https://example.org/a.png" rel=' in html
    assert "<img" not in html


@pytest.mark.parametrize("url", ["data:,x", "data:image/png;base64", "data:;base64,", "data:text/html,<script>", "x"])
def test_an_address_without_an_image_is_named(ctx: Context, url: str) -> None:
    assert "damaged" in render_data_url(url, ctx, alt="x")
    assert ctx.files == ()


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["PNG", "JPEG", "WEBP", "GIF"]).map(with_secrets),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6),
    st.integers(0, 700),
)
def test_damaged_images_end_well(data: bytes, changes: list[tuple[int, int]], length: int) -> None:
    damaged = bytearray(data[:length] if length else data)
    for place, value in changes:
        if place < len(damaged):
            damaged[place] = value

    context = Context(RenderOptions(), HEAD)
    html = render_picture(bytes(damaged), context, alt="x")

    assert faults(html) == []
    assert ("<img" in html) == bool(context.files)
