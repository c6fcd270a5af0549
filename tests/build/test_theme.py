"""A theme is laid over sitegen's own templates and files; its faults are told with their place, its changes seen."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from sitegen.serve.preview import Preview
from tests.support.workshop import EVERYTHING, Workshop, talk_about

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "make-it-yours.md"
THEMED = '[theme]\nfolder = "theme"\n\n' + EVERYTHING


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path)
    workshop.talk(talk_about("tides"), talk_about("moons"))
    workshop.configure(THEMED)
    put(workshop, "static/css/custom.css", ".mine { color: red }")
    return workshop


def put(workshop: Workshop, name: str, content: str | bytes) -> Path:
    """A file of the theme."""
    file = workshop.folder / "theme" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def sheet(workshop: Workshop) -> str:
    (file,) = (workshop.public / "assets").glob("site.*.css")
    return file.read_text("utf-8")


def share_page(workshop: Workshop) -> str:
    return next(iter(sorted((workshop.public / "s").iterdir()))).joinpath("index.html").read_text("utf-8")


def test_example_of_the_page_works(workshop: Workshop) -> None:
    blocks = re.findall(r"`(theme/[^`]+\.(?:css|html))`[^`]*```\w+\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert [name for name, _ in blocks] == [
        "theme/static/css/custom.css",
        "theme/templates/base.html",
        "theme/templates/share.html",
    ]
    for name, text in blocks:
        put(workshop, name.removeprefix("theme/"), text)
    put(workshop, "static/fonts/workshop.woff2", b"a font")
    put(workshop, "static/logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    workshop.build()
    page, home = share_page(workshop), workshop.page("index.html")
    assert "read by a person" in page
    assert "<h1" in page  # ours, by super()
    assert "Kept by Ann’s workshop" in page
    assert "Kept by Ann’s workshop" in home
    (logo,) = (workshop.public / "assets").glob("logo.*.svg")
    assert f'src="../../assets/{logo.name}"' in page
    assert f'src="assets/{logo.name}"' in home
    (font,) = (workshop.public / "assets").glob("workshop.*.woff2")
    assert f'url("{font.name}")' in sheet(workshop)
    assert sheet(workshop).index("--accent:light-dark(#9a4a1c") < sheet(workshop).index("--accent:light-dark(#0b6e4f")
    checked = workshop.run("check")
    assert (checked.exit_code, "0 errors, 0 warnings" in checked.output) == (0, True)


def test_colours_and_fonts_can_be_replaced_alone(workshop: Workshop) -> None:
    assert workshop.run("theme", "eject", "--only", "theme.css").exit_code == 0
    file = workshop.folder / "theme/static/css/theme.css"
    file.write_text(file.read_text("utf-8").replace("#fcfbf8", "#abcdef"), encoding="utf-8")
    workshop.build()
    assert "#abcdef" in sheet(workshop)
    assert "#fcfbf8" not in sheet(workshop)
    assert ".masthead" in sheet(workshop)


def test_changed_added_and_removed_files_are_seen_and_conversations_not_rendered_again(workshop: Workshop) -> None:
    workshop.build()
    assert workshop.build()["written"] == 0
    template = put(workshop, "templates/share.html", '{% extends "sitegen/share.html" %}')
    kept = {file: file.stat().st_mtime_ns for file in (workshop.folder / ".sitegen/cache").rglob("*.entry")}
    put(workshop, "templates/home.html", '{% extends "sitegen/home.html" %}{% block foot %}first{% endblock %}')
    assert workshop.build()["written"] == 1
    assert "first" in workshop.page("index.html")
    put(workshop, "templates/home.html", '{% extends "sitegen/home.html" %}{% block foot %}other{% endblock %}')
    workshop.build()
    assert "other" in workshop.page("index.html")
    put(workshop, "static/css/custom.css", ".mine { color: blue }")
    workshop.build()
    assert ".mine{color:blue}" in sheet(workshop)
    template.unlink()
    (workshop.folder / "theme/templates/home.html").unlink()
    (workshop.folder / "theme/static/css/custom.css").unlink()
    workshop.build()
    assert ".mine" not in sheet(workshop)
    assert "other" not in workshop.page("index.html")
    assert {file: file.stat().st_mtime_ns for file in (workshop.folder / ".sitegen/cache").rglob("*.entry")} == kept


def test_site_without_its_theme_is_as_it_would_have_been(workshop: Workshop) -> None:
    workshop.configure()
    workshop.build()
    plain = workshop.tree()
    workshop.configure(THEMED)
    workshop.build()
    assert workshop.tree() != plain
    workshop.configure()
    workshop.build()
    pages = {name: data for name, data in workshop.tree().items() if not name.startswith(".")}
    assert pages == {name: data for name, data in plain.items() if not name.startswith(".")}


FAULTS = [
    pytest.param(
        "templates/share.html",
        '{% extends "sitegen/shar.html" %}',
        "theme/templates/share.html:1: there is no template “sitegen/shar.html”; did you mean “sitegen/share.html”?",
        id="no such template",
    ),
    pytest.param(
        "templates/share.html",
        '{% extends "share.html" %}',
        "theme/templates/share.html:1: this template names itself; ours is called “sitegen/share.html”",
        id="itself",
    ),
    pytest.param(
        "templates/share.html",
        '{% extends "sitegen/share.html" %}\n{% block mastheed %}{% endblock %}',
        "theme/templates/share.html:2: what it extends has no block “mastheed”; did you mean “masthead”?",
        id="no such block",
    ),
    pytest.param(
        "templates/shared.html",
        "x",
        "theme/templates/shared.html:1: sitegen has no template of this name, and no other of the theme uses it; "
        "did you mean “share.html”?",
        id="no such page",
    ),
    pytest.param(
        "templates/404.html",
        "<p>\n{{ title",
        "theme/templates/404.html:2: this template can't be read: unexpected end of template",
        id="syntax",
    ),
    pytest.param(
        "templates/404.html",
        "{{ site.title|safe }}",
        "theme/templates/404.html:1: this template can't be read: No filter named 'safe'",
        id="unescaped",
    ),
    pytest.param(
        "templates/404.html",
        "\n{% autoescape false %}{{ site.title }}{% endautoescape %}",
        "theme/templates/404.html:2: autoescape can't be changed",
        id="no escaping",
    ),
    pytest.param("templates/404.html", b"caf\xe9", "theme/templates/404.html:1: this isn't UTF-8 text", id="encoding"),
    pytest.param(
        "templates/404.html",
        '{% extends "sitegen/404.html" %}\n{% block main %}\n{{ titel }}{% endblock %}',
        "theme/templates/404.html:3: 404.html can't be filled in: 'titel' is undefined",
        id="no such name",
    ),
    pytest.param(
        "templates/404.html",
        '{{ asset("logo.png") }}',
        "theme/templates/404.html:1: 404.html can't be filled in: the theme's static folder has no picture or font",
        id="no such picture",
    ),
    pytest.param(
        "static/css/custom.css",
        "/* a\n b */\na { background: url(../logo.png) }",
        "theme/static/css/custom.css:3: there is no picture or font “../logo.png”, seen from this sheet",
        id="no such file",
    ),
    pytest.param(
        "static/css/custom.css",
        "a { background: url('https://example.org/a.png') }",
        "theme/static/css/custom.css:1: “https://example.org/a.png” is elsewhere",
        id="another origin",
    ),
    pytest.param(
        "static/css/custom.css",
        "\n@import 'other.css';",
        "theme/static/css/custom.css:2: sheets aren't imported",
        id="import",
    ),
    pytest.param(
        "static/css/custom.css", b"\n/* caf\xe9 */", "custom.css:2: this isn't UTF-8 text", id="sheet encoding"
    ),
]


@pytest.mark.parametrize(("name", "text", "sentence"), FAULTS)
def test_fault_is_told_with_its_place(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, name: str, text: str | bytes, sentence: str
) -> None:
    monkeypatch.chdir(workshop.folder)
    put(workshop, name, text)
    result = workshop.run("build")
    assert result.exit_code in (1, 2)
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_theme_that_alters_what_was_said_is_told_instead_of_losing_it(workshop: Workshop) -> None:
    block = "{% block conversation %}{% filter upper %}{{ super() }}{% endfilter %}{% endblock %}"
    put(workshop, "templates/share.html", '{% extends "sitegen/share.html" %}' + block)
    result = workshop.run("build")
    assert result.exit_code == 1
    assert "share.html alters what conversations say, as by a filter" in result.stderr
    assert not list(workshop.public.rglob("s/*/index.html"))


def test_templates_that_extend_each_other_are_refused(workshop: Workshop) -> None:
    put(workshop, "templates/share.html", '{% extends "home.html" %}')
    put(workshop, "templates/home.html", '{% extends "share.html" %}')
    result = workshop.run("build")
    assert (result.exit_code, "in a circle" in result.stderr) == (2, True)


def test_own_parts_may_be_included(workshop: Workshop) -> None:
    put(workshop, "templates/parts/foot.html", "<footer>{{ site.title }} of mine</footer>")
    put(
        workshop,
        "templates/base.html",
        '{% extends "sitegen/base.html" %}{% block foot %}{% include "parts/foot.html" %}{% endblock %}',
    )
    workshop.build()
    assert "<footer>Notes of mine</footer>" in share_page(workshop)


def test_broken_theme_keeps_nothing_that_was_taken_back(workshop: Workshop) -> None:
    workshop.build()
    assert len(list((workshop.public / "s").iterdir())) == 2
    workshop.configure(THEMED.replace("match = {}", 'match = { title = "tides" }'))
    put(workshop, "templates/share.html", "{{")
    assert workshop.run("build").exit_code == 2
    assert len(list((workshop.public / "s").iterdir())) == 1
    shutil.rmtree(workshop.folder / "theme/templates")
    workshop.build()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        pytest.param(lambda folder: None, "isn't there", id="missing"),
        pytest.param(lambda folder: folder.mkdir(), "holds neither templates/ nor static/", id="empty"),
    ],
)
def test_theme_that_is_none_is_told(workshop: Workshop, make: object, sentence: str) -> None:
    shutil.rmtree(workshop.folder / "theme")
    assert callable(make)
    make(workshop.folder / "theme")
    result = workshop.run("build")
    assert (result.exit_code, sentence in result.stderr, "theme eject" in result.stderr) == (2, True, True)


@pytest.mark.parametrize("directory", ["theme/out", "."])
def test_output_and_theme_keep_apart(workshop: Workshop, directory: str) -> None:
    config = workshop.folder / "sitegen.toml"
    config.write_text(config.read_text("utf-8").replace('"public"', f'"{directory}"'), encoding="utf-8")
    assert workshop.run("build").exit_code == 2


def test_hidden_files_and_other_kinds_are_not_published(workshop: Workshop) -> None:
    for name in ("static/.hidden.png", "static/notes.txt", "static/fonts/OFL.txt"):
        put(workshop, name, "x")
    workshop.build()
    assert not [path for path in workshop.paths() if "hidden" in path or "notes" in path or "OFL" in path]


def test_preview_watches_the_theme_and_shows_when_it_is_mended(workshop: Workshop) -> None:
    preview = Preview(workshop.folder / "sitegen.toml", lambda _: None)
    preview.make(jobs=1)

    def has_changed() -> bool:
        return preview.look() or preview.look()  # once more when it has come to rest

    assert not has_changed()
    template = put(workshop, "templates/home.html", "{{")
    assert has_changed()
    preview.make(jobs=1)
    assert not has_changed()
    template.write_text('{% extends "sitegen/home.html" %}{% block foot %}mended{% endblock %}', encoding="utf-8")
    assert has_changed()
    preview.make(jobs=1)
    assert "mended" in (preview.root / "index.html").read_text("utf-8")
    template.unlink()
    assert has_changed()


def test_theme_may_have_templates_only(workshop: Workshop) -> None:
    shutil.rmtree(workshop.folder / "theme/static")
    put(workshop, "templates/home.html", '{% extends "sitegen/home.html" %}{% block foot %}alone{% endblock %}')
    workshop.build()
    assert "alone" in workshop.page("index.html")
    put(workshop, "static/css/custom.css", ".later { color: red }")
    workshop.build()
    assert ".later" in sheet(workshop)
