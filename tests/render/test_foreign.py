"""Other packages render tools and blocks; their faults cost nothing, and what they return keeps to the pages' rules."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from markupsafe import Markup

from sitegen.build.fitness import Program
from sitegen.model import ROOT
from sitegen.render.vetting import UnfitError, vetted, vetted_line
from tests.support.projections import Value, assistant, call, conversation, result, text, user
from tests.support.workshop import Workshop

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-renderer.md"
FORECAST = '[{"day": "Monday", "degrees": 12}, {"day": "<Tuesday>", "degrees": 14}]'
CHART: Value = {"unknown_block": {"type": "chart", "title": "Rain & wind", "values": [3, 5]}}


def example() -> str:
    """The renderer that the page shows."""
    (found,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return found  # type: ignore[no-any-return]


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path / "site")
    workshop.folder.mkdir()
    workshop.talk(
        conversation(
            "weather",
            user("Will it rain?"),
            assistant("Let me see.", call("get_weather", {"place": "Lyme <Regis>"})),
            user(result(FORECAST)),
            assistant("It won't.", text(None, payload=CHART)),
        )
    )
    workshop.configure()
    return workshop


def install(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, code: str, *, version: str = "1.0", target: str = "Weather"
) -> Path:
    """A package with one renderer, as if it had been installed."""
    folder = workshop.folder.parent / "packages"
    info = folder / "sitegen_weather-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (folder / "sitegen_weather.py").write_text(code, encoding="utf-8")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: sitegen-weather\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[sitegen.renderers]\nweather = sitegen_weather:{target}\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "sitegen_weather", raising=False)
    return folder


def page(workshop: Workshop) -> str:
    (folder,) = (workshop.public / "s").iterdir()
    return (folder / "index.html").read_text("utf-8")


def with_call(body: str) -> str:
    """A renderer of calls with this body."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return (
        "from markupsafe import Markup\nfrom sitegen.render.steps import Step\n\n\nclass Weather:\n"
        f"    tools = ('get_weather',)\n\n    def render_call(self, call, ctx):\n{lines}\n"
    )


def test_example_of_the_page_works(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.build()
    plain = page(workshop)
    assert "Looked up the weather" not in plain
    install(workshop, monkeypatch, example())
    workshop.build("--full")  # what is installed shows by itself where packages are; here they're elsewhere
    shown = page(workshop)
    assert "Looked up the weather in <code>Lyme &lt;Regis&gt;</code>" in shown
    assert '<tr><th scope="row">&lt;Tuesday&gt;</th><td>14°</td></tr>' in shown
    assert "<figcaption>Rain &amp; wind</figcaption><ol><li>3</li><li>5</li></ol>" in shown
    assert "sitegen:" not in workshop.run("build").stderr
    assert workshop.run("check").exit_code == 0


def test_new_version_or_other_code_makes_pages_again(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    install(workshop, monkeypatch, example())
    workshop.build()
    assert workshop.build()["written"] == 0
    install(workshop, monkeypatch, example().replace("Looked up the weather", "Asked for the weather"))
    assert workshop.build()["written"] > 0
    assert "Asked for the weather" in page(workshop)
    install(workshop, monkeypatch, example().replace("Looked up the weather", "Asked for the weather"), version="1.1")
    folder = workshop.folder.parent / "packages"
    kept = {file: file.stat().st_mtime_ns for file in (workshop.folder / ".sitegen/cache").rglob("*.entry")}
    (folder / "sitegen_weather.py").touch()
    workshop.build()
    assert {file: file.stat().st_mtime_ns for file in (workshop.folder / ".sitegen/cache").rglob("*.entry")} != kept


def test_without_it_pages_are_ours_again(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.build()
    plain = page(workshop)
    folder = install(workshop, monkeypatch, example())
    workshop.build("--full")
    assert page(workshop) != plain
    (folder / "sitegen_weather-1.0.dist-info/entry_points.txt").unlink()
    workshop.build("--full")
    assert page(workshop) == plain


def test_machine_with_other_renderers_is_told_apart(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    without = Program.here()
    install(workshop, monkeypatch, example())
    assert Program.here().difference(without) == "the renderer weather missing (here 1.0)"
    before = Program.here()
    install(workshop, monkeypatch, example() + "\n")
    assert Program.here().difference(before) == "other source code of the same version"


FAILING = [
    pytest.param("raise KeyError('degrees')", "KeyError: 'degrees'", id="raises"),
    pytest.param("return 7", "it gave int where a Step is expected", id="no step"),
    pytest.param("return Step(kind='nonsense', summary=Markup('x'))", "“nonsense” is no kind of step", id="kind"),
    pytest.param(
        "return Step(kind='tool', summary=Markup('x'), detail=Markup('<script>alert(1)</script>'))",
        "<script> may not stand there",
        id="script",
    ),
    pytest.param(
        "return Step(kind='tool', summary=Markup('<a href=\"#x\">x</a>'))",
        "<a> may not stand there",
        id="link in a line",
    ),
]


@pytest.mark.parametrize(("body", "reason"), FAILING)
def test_failing_renderer_is_told_in_every_build_and_ours_is_used(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, body: str, reason: str
) -> None:
    workshop.build()
    plain = page(workshop)
    install(workshop, monkeypatch, with_call(body))
    sentence = "The renderer “weather” failed for a call of get_weather, and ours was used: "
    result = workshop.run("build", "--full")
    assert result.exit_code == 0
    assert f"{sentence}{reason}" in result.stderr
    assert page(workshop) == plain
    again, later = workshop.run("build"), workshop.run("build", "--now", "2090-01-01")
    assert [sentence in each.stderr for each in (again, later)] == [True, True]


@pytest.mark.parametrize(
    ("code", "target", "reason"),
    [
        pytest.param("raise ImportError('no such library')", "Weather", "ImportError: no such library", id="import"),
        pytest.param("x = 1", "Weather", "AttributeError", id="no such name"),
        pytest.param("class Weather:\n    pass", "Weather", "it names neither tools nor blocks", id="names nothing"),
        pytest.param("class Weather:\n    tools = ('get_weather',)", "Weather", "render_call", id="no method"),
    ],
)
def test_renderer_that_cannot_be_used_is_told(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, code: str, target: str, reason: str
) -> None:
    install(workshop, monkeypatch, code, target=target)
    result = workshop.run("build")
    assert result.exit_code == 0
    assert "The renderer “weather” (sitegen_weather:Weather) can't be used: " in result.stderr
    assert reason in result.stderr


def test_failing_block_is_told(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "class Weather:\n    blocks = ('chart',)\n    def render_block(self, block, ctx):\n        return block['nope']"
    )
    install(workshop, monkeypatch, code)
    result = workshop.run("build")
    assert "failed for a block of type chart, and ours was used: KeyError: 'nope'" in result.stderr
    assert "Rain &amp; wind" in page(workshop)


def test_renderer_may_leave_a_call_to_us(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.build()
    plain = page(workshop)
    install(workshop, monkeypatch, with_call("return None"))
    workshop.build()
    assert page(workshop) == plain
    assert "sitegen: The renderer" not in workshop.run("build").stderr


HARMLESS = [
    pytest.param("a < b & c", "a &lt; b &amp; c", id="text"),
    pytest.param(Markup('<p class="a b" data-x="1">x<br>y</p>'), '<p class="a b" data-x="1">x<br>y</p>', id="plain"),
    pytest.param(
        Markup('<a href="https://example.org/?a=1&amp;b=2" rel=opener>x</a>'),
        '<a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer nofollow">x</a>',
        id="link",
    ),
    pytest.param(Markup('<b id="t-1-0-x">x</b>'), '<b id="t-1-0-x">x</b>', id="own id"),
    pytest.param(
        Markup(f'<img src="{ROOT}i/0123456789abcdef.png" alt="">'),
        f'<img src="{ROOT}i/0123456789abcdef.png" alt="">',
        id="own picture",
    ),
    pytest.param(
        Markup('<svg viewBox="0 0 9 9"><path d="M0 0h9"/></svg>'),
        '<svg viewBox="0 0 9 9"><path d="M0 0h9"></path></svg>',
        id="drawing",
    ),
    pytest.param(Markup("a\x00\x07b &lt;i&gt;"), "a\ufffd\ufffdb &lt;i&gt;", id="controls"),
]


@pytest.mark.parametrize(("html", "shown"), HARMLESS)
def test_harmless_html_is_written_anew(html: str, shown: str) -> None:
    assert vetted(html, anchor="t-1-0") == shown


HARMFUL = [
    ("<script>x</script>", "<script> may not stand there"),
    ("<style>x{}</style>", "<style> may not stand there"),
    ('<iframe src="https://example.org"></iframe>', "<iframe> may not stand there"),
    ('<form action="/x"></form>', "<form> may not stand there"),
    ("<h2>x</h2>", "<h2> may not stand there"),
    ('<p style="color: red">x</p>', "the attribute style"),
    ('<p onclick="x()">x</p>', "the attribute onclick"),
    ('<p data-act="theme">x</p>', "the attribute data-act"),
    ('<p id="main">x</p>', "must begin with “t-1-0-”"),
    ('<a href="javascript:x()">x</a>', "leads elsewhere"),
    ('<a href="&#106;avascript:x()">x</a>', "leads elsewhere"),
    ('<a href="//example.org">x</a>', "leads elsewhere"),
    ('<img src="https://example.org/x.png">', "would load from elsewhere"),
    ('<img src="data:image/svg+xml;base64,AAAA">', "would load from elsewhere"),
    (f'<a href="{ROOT}../x">x</a>', "leads elsewhere"),
    ("<p>x", "<p> isn't closed"),
    ("x</p>", "</p> closes what isn't open"),
    ("<b><i>x</b></i>", "</b> closes what isn't open"),
    ("<!-- x -->", "a comment"),
    ("<!doctype html>", "a declaration"),
    ("<?php x ?>", "a processing instruction"),
    ("<svg><foreignObject>x</foreignObject></svg>", "<foreignobject> may not stand there"),
    ("<p>x<script", "may not stand there|isn't closed"),
]


@pytest.mark.parametrize(("html", "reason"), HARMFUL, ids=[html[:24] for html, _ in HARMFUL])
def test_harmful_html_is_refused(html: str, reason: str) -> None:
    with pytest.raises(UnfitError, match=reason):
        vetted(Markup(html), anchor="t-1-0")


def test_line_holds_words_only() -> None:
    assert vetted_line(Markup("Ran <code>x</code>")) == "Ran <code>x</code>"
    for html in ("<p>x</p>", '<a href="#x">x</a>', '<b id="x">x</b>'):
        with pytest.raises(UnfitError):
            vetted_line(Markup(html))
