"""The picture of a link: for open listed shares of a site with an address, drawn once, honest about its letters."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sitegen import poster
from sitegen.gate.encoding import b64u
from sitegen.model import Poster
from sitegen.poster import draw, drawable
from tests.support.workshop import Workshop, share, talk_about

SHAPE = (0, 3, 9, 4, 0, 1) * 4
LISTED = "listed = true"


def drawn(title: str, **fields: object) -> Image.Image:
    values = {"site": "Notes", "facts": "Claude Code · 2 Jan 2026", "shape": SHAPE} | fields
    image = Image.open(io.BytesIO(draw(Poster(title, **values))))  # type: ignore[arg-type]
    image.load()
    return image


def ink(image: Image.Image, box: tuple[int, int, int, int]) -> int:
    """How many dark pixels there are."""
    return sum(image.convert("L").crop(box).histogram()[:96])


TITLE = (130, 130, 1200, 420)


def test_picture_is_a_small_png_of_the_size_that_links_show() -> None:
    image = drawn("Why does the tide table show the wrong hour?")
    assert (image.format, image.size) == ("PNG", (1200, 630))
    data = draw(Poster("A title", "Notes", "facts", SHAPE))
    assert len(data) < 40_000
    assert draw(Poster("A title", "Notes", "facts", SHAPE)) == data


@pytest.mark.parametrize(
    "title",
    [
        pytest.param("Plain words", id="Latin"),
        pytest.param("Größe, Ærø, naïve, e\u0301te\u0301", id="accents, composed or not"),
        pytest.param("Почему приливы опаздывают?", id="Cyrillic"),
        pytest.param("Γιατί;", id="Greek"),
        pytest.param("\U0001f389 Done \u2705", id="words between pictures"),
    ],
)
def test_title_is_drawn_when_the_face_has_its_letters(title: str) -> None:
    assert drawable(title)
    assert ink(drawn(title), TITLE) > 500


@pytest.mark.parametrize(
    "title",
    [
        pytest.param("潮の満ち引き", id="Japanese"),
        pytest.param("שלום עולם", id="Hebrew"),
        pytest.param("مرحبا", id="Arabic"),
        pytest.param("ज्वार", id="Devanagari"),
        pytest.param("Tides 潮", id="one letter of it"),
        pytest.param("", id="nothing"),
        pytest.param("\U0001f389", id="pictures only"),
    ],
)
def test_title_that_the_face_cannot_write_is_left_out_and_the_rest_is_drawn(title: str) -> None:
    image = drawn(title)
    assert ink(image, TITLE) == 0
    assert image.convert("RGB").getpixel((300, 90)) is not None
    assert draw(Poster(title, "Notes", "facts", SHAPE)) == draw(Poster("", "Notes", "facts", SHAPE))


@pytest.mark.parametrize("title", ["word " * 200, "x" * 5_000, "A\n\nB\tC", "MMMMMMMMMM " * 9])
def test_long_title_stays_within_its_place(title: str) -> None:
    image = drawn(title)
    assert ink(image, TITLE) > 500
    assert ink(image, (1113, 0, 1200, 630)) == 0


def test_picture_does_not_depend_on_those_drawn_before() -> None:
    first = draw(Poster("Ångström, (jáf)", "Notes", "facts", SHAPE))
    for title in ("Ån", "gs", "", "word " * 200):
        draw(Poster(title, "(jf)", title, SHAPE))
    assert draw(Poster("Ångström, (jáf)", "Notes", "facts", SHAPE)) == first


def test_picture_without_anything_to_tell_is_one_all_the_same() -> None:
    assert drawn("", site="", facts="", shape=()).size == (1200, 630)


@settings(max_examples=25)
@given(st.text(max_size=80), st.text(max_size=40))
def test_any_text_makes_a_picture(title: str, site: str) -> None:
    assert draw(Poster(title, site, title)).startswith(b"\x89PNG")


# ---------------------------------------------------------------------------------------------------- in a build


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(range(32))))
    monkeypatch.setenv("PEARL", "correct horse battery staple")


def metas(html: str) -> dict[str, str]:
    return dict(re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">', html))


def test_open_listed_share_says_what_its_link_shows(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides", title='"Tides" & <herons>'))
    workshop.configure(share("tides", "t", LISTED))
    workshop.build()
    found = metas(workshop.page("s/t"))
    assert found == {
        "og:type": "article",
        "og:title": "&#34;Tides&#34; &amp; &lt;herons&gt;",
        "og:url": "https://ann.example.org/notes/s/t/",
        "og:image": "https://ann.example.org/notes/s/t/poster.png",
        "twitter:card": "summary_large_image",
    }
    with Image.open(workshop.public / "s" / "t" / "poster.png") as image:
        assert image.size == (1200, 630)
    assert workshop.run("check").exit_code == 0


@pytest.mark.parametrize(
    ("lines", "options"),
    [
        pytest.param((), (), id="unlisted"),
        pytest.param((LISTED, 'gate = "password"', 'secret = "env:PEARL"'), (), id="protected"),
        pytest.param((LISTED, "expires = 2020-01-01"), (), id="expired"),
        pytest.param((LISTED,), ("--offline",), id="from disk"),
    ],
)
def test_other_shares_say_nothing_and_have_no_picture(
    workshop: Workshop, lines: tuple[str, ...], options: tuple[str, ...]
) -> None:
    workshop.talk(talk_about("tides"))
    workshop.configure(share("tides", "t", *lines))
    workshop.build(*options)
    assert not list(workshop.public.rglob("poster.png"))
    assert not [path for path in workshop.paths() if path.endswith(".html") and metas(workshop.page(path))]


def test_site_whose_address_is_unknown_has_no_pictures(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides"))
    workshop.configure(share("tides", "t", LISTED))
    config = workshop.folder / "sitegen.toml"
    config.write_text(re.sub(r"base_url = .*\n", "", config.read_text()))
    workshop.build()
    assert not list(workshop.public.rglob("poster.png"))
    assert not metas(workshop.page("s/t"))


def test_picture_is_drawn_again_only_when_it_shows_something_else(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[Poster] = []

    def counting(one: Poster) -> bytes:
        times.append(one)
        return draw(one)

    monkeypatch.setattr(poster, "draw", counting)
    workshop.talk(talk_about("tides"))
    workshop.configure(share("tides", "t", LISTED))
    workshop.build()
    first = (workshop.public / "s" / "t" / "poster.png").read_bytes()
    (workshop.public / "s" / "t" / "index.html").unlink()
    (workshop.public / "s" / "t" / "poster.png").unlink()
    workshop.build("-o", str(workshop.folder / "other"))
    workshop.build()
    assert len(times) == 1
    assert (workshop.public / "s" / "t" / "poster.png").read_bytes() == first
    workshop.configure(share("tides", "t", LISTED, 'title = "Another"'))
    workshop.build()
    assert [each.title for each in times] == ["On tides", "Another"]
    assert (workshop.public / "s" / "t" / "poster.png").read_bytes() != first


def test_missing_picture_is_found_by_check(workshop: Workshop, tmp_path: Path) -> None:
    workshop.talk(talk_about("tides"))
    workshop.configure(share("tides", "t", LISTED))
    workshop.build()
    (workshop.public / "s" / "t" / "poster.png").unlink()
    assert "poster.png as its own, and there is no such page" in workshop.run("check").output
