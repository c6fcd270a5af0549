"""SVG is published without anything that acts, and shown through `<img>` only."""

from __future__ import annotations

import pytest

from sitegen.model import ConversationHead
from sitegen.render.context import Context, RenderOptions
from sitegen.render.images import render_picture
from sitegen.render.pictures import Picture, read_picture

NAMESPACES = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"


def published(body: str, attributes: str = "width='20' height='10'") -> str:
    picture = read_picture(f"<svg {NAMESPACES} {attributes}>{body}</svg>".encode())
    assert isinstance(picture, Picture)
    return picture.data.decode()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<script>alert(1)</script>", id="a script"),
        pytest.param("<g onclick='alert(1)' ONLOAD='alert(1)'/>", id="a handler"),
        pytest.param("<a href='javascript:alert(1)'><text>alert</text></a>", id="a link"),
        pytest.param("<use xlink:href='https://example.org/alert.svg#a'/>", id="an outside use"),
        pytest.param("<image href='https://example.org/alert.png'/>", id="an outside image"),
        pytest.param(
            "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'>alert</body></foreignObject>", id="HTML"
        ),
        pytest.param("<style>@import url(https://example.org/alert)</style>", id="a style sheet"),
        pytest.param("<rect fill='url(https://example.org/alert#a)'/>", id="an outside fill"),
        pytest.param("<rect style='background:url(\"//alert\")'/>", id="an outside background"),
        pytest.param("<set attributeName='onmouseover' to='alert(1)'/>", id="an animation"),
        pytest.param("<x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(1)</x:script>", id="another namespace"),
    ],
)
def test_nothing_in_it_acts(body: str) -> None:
    assert "alert" not in published(body)


def test_what_draws_is_kept() -> None:
    body = (
        "<defs><linearGradient id='g'><stop offset='0' stop-color='red'/></linearGradient></defs>"
        "<rect x='1' width='5' height='5' fill='url(#g)' transform='rotate(3)'/><use href='#g'/><text>a &lt; b</text>"
    )

    svg = published(body)

    assert 'fill="url(#g)" transform="rotate(3)"' in svg
    assert '<use href="#g">' in svg
    assert "<text>a &lt; b</text>" in svg


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ("width='20' height='10'", (20, 10)),
        ("width='20px' height='10.4px'", (20, 10)),
        ("viewBox='0 0 64 32'", (64, 32)),
        ("width='100%' height='100%' viewBox='0,0,64,32'", (64, 32)),
        ("", (300, 150)),
        ("width='0' height='x'", (300, 150)),
    ],
)
def test_its_size_is_told(attributes: str, size: tuple[int, int]) -> None:
    picture = read_picture(f"<?xml version='1.0'?>\n<!-- x --><svg {NAMESPACES} {attributes}/>".encode())

    assert isinstance(picture, Picture)
    assert (picture.width, picture.height) == size


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg xmlns='http://www.w3.org/2000/svg'>&a;</svg>", id="entities"
        ),
        pytest.param("<svg xmlns='http://www.w3.org/2000/svg'>" + "<g>" * 500 + "</g>" * 500 + "</svg>", id="too deep"),
        pytest.param("<svg xmlns='http://www.w3.org/1999/xhtml'><script>1</script></svg>", id="not really SVG"),
        pytest.param("<svgx/>", id="another element"),
        pytest.param("<!-- -->" * 500 + "x", id="nothing but comments"),
        pytest.param("<?xml ?>" + "<!-- " * 800, id="comments without an end"),
    ],
)
def test_what_isnt_plain_svg_is_refused(text: str) -> None:
    assert read_picture(text.encode()) == "undecodable"


def test_it_is_shown_as_an_image_without_a_link_to_it() -> None:
    head = ConversationHead("1", "claude_code", "s-1", None, None, None, None, 0, "0")
    ctx = Context(RenderOptions(), head)

    html = render_picture(f"<svg {NAMESPACES} width='20' height='10'/>".encode(), ctx, alt="Plan")

    assert html.startswith("<img ")
    assert ctx.files[0].name.endswith(".svg")
    assert ctx.files[0].media_type == "image/svg+xml"
