"""The last look at a built site: protected words in the open are found, words that are open anyway are let pass."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from sitegen.build.ground import SiteGround
from sitegen.build.scan import Guarded, Scan
from sitegen.build.watchwords import Watchword, choose
from sitegen.gate.encoding import b64u
from sitegen.model import BranchPage, Exchange, Facts, Gate, OutlineEntry, Share, ShareFile, Transcript
from sitegen.output.cache import Cache
from sitegen.output.records import FileRecord
from sitegen.pages import Site
from sitegen.stamps import ABSENT
from tests.shares.world import head
from tests.support.workshop import Workshop, share, talk_about

TITLE = "The pearl that was lost at Wapping"
ADDRESS = "bo@example.org"


@dataclass(slots=True)
class Ground:
    """A site in memory: files by path, whose they are, and what owners may say."""

    files: Mapping[str, bytes]
    owners: Mapping[str, str] = field(default_factory=dict)
    opened: Mapping[str, bytes] = field(default_factory=dict)
    common: bytes = b""
    parts: tuple[bytes, ...] = ()

    def read(self, path: str) -> bytes:
        return self.files[path]

    def owner(self, path: str) -> str:
        return self.owners.get(path, "the site")

    def is_ciphertext(self, path: str) -> bool:
        return path.endswith(".bin")

    def open_text(self, owner: str) -> bytes:
        return self.opened.get(owner, b"")

    def common_text(self) -> bytes:
        return self.common

    def common_parts(self) -> Iterable[bytes]:
        return self.parts


def guarded(*texts: str, is_new: bool = True) -> Guarded:
    words = tuple(Watchword("the title", text) for text in texts or (TITLE,))
    return Guarded("the share “t”", "share t", words, is_new)


def leaks(ground: Ground, *guards: Guarded, standing: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    written = ground.files.keys() - set(standing)
    found = Scan(ground, guards or (guarded(),)).find(written=written, standing=standing)
    return [(leak.path, leak.told) for leak in found]


HELD = "the title of the share “t”"


@pytest.mark.parametrize(
    "text", [TITLE, f"<h1>{TITLE}</h1>", TITLE.replace(" ", "%20"), f'{{"title":"{TITLE}"}}'], ids=str
)
def test_protected_words_are_found_and_not_said(text: str) -> None:
    assert leaks(Ground({"index.html": b"..." + text.encode(), "a.css": b"x"})) == [("index.html", HELD)]


def test_words_in_a_file_s_name_are_found() -> None:
    assert leaks(Ground({f"s/r/{TITLE}.txt": b""})) == [(f"s/r/{TITLE}.txt", HELD)]


def test_short_secrets_are_sought_as_they_are() -> None:
    assert leaks(Ground({"x.html": f"mail {ADDRESS} now".encode()}), guarded(ADDRESS)) == [("x.html", HELD)]


def test_what_an_open_share_says_itself_is_no_leak() -> None:
    ground = Ground({"s/r/index.html": TITLE.encode()}, {"s/r/index.html": "share r"}, {"share r": TITLE.encode()})
    assert leaks(ground) == []
    assert leaks(Ground(ground.files, ground.owners)) == [("s/r/index.html", HELD)]


def test_what_every_page_says_is_no_leak() -> None:
    assert leaks(Ground({"404.html": TITLE.encode()}, common=TITLE.encode())) == []


def test_a_share_with_nothing_left_to_seek_is_named() -> None:
    scan = Scan(Ground({"404.html": TITLE.encode()}, common=TITLE.encode()), (guarded(), guarded("Quite another one")))
    scan.find(written=["404.html"], standing=[])
    assert scan.mute() == ["the share “t”"]


def test_standing_files_are_searched_for_new_words_only() -> None:
    ground = Ground({"index.html": TITLE.encode()})
    assert leaks(ground, guarded(is_new=False), standing=("index.html",)) == []
    assert leaks(ground, guarded(), standing=("index.html",)) == [("index.html", HELD)]


def test_body_that_was_not_encrypted_is_found() -> None:
    files = {"s/t/b.1.bin": TITLE.encode(), "s/u/b.1.bin": b"\x8a\x01"}
    assert leaks(Ground(files, {"s/t/b.1.bin": "share t", "s/u/b.1.bin": "share u"})) == [("s/t/b.1.bin", HELD)]


def test_what_many_pages_hold_alike_is_passed_over() -> None:
    script = b"const words = 1; // " + TITLE.encode()
    assert leaks(Ground({"s/t/index.html": b"<script>" + script + b"</script>"}, parts=(script,))) == []


# ------------------------------------------------------------------------------------------------------------ choosing


def exchange(text: str, prompt: str = "") -> Exchange:
    outline = OutlineEntry("x-1", prompt) if prompt else None
    return Exchange("x-1", f"<p>{text}</p>".encode(), 1, outline=outline, search_file=text.encode())


def chosen(transcript: Transcript, title: str | None = None) -> set[str]:
    protected = Share("t", head("a", title=None), None, "x", gate=Gate.PASSWORD, title=title)
    return {word.text for word in choose(protected, transcript).all}


def test_title_beginnings_and_file_names_are_chosen() -> None:
    transcript = Transcript(
        Facts(title=TITLE, source="Claude Code", first_prompt="Where did it go in the end?"),
        (exchange("Where did it go in the end?\nIt lies under the old pier.", "Where did it go in the end?"),),
        branches=(BranchPage("b-1", (exchange("Somebody else has found it already"),)),),
        files=(ShareFile("f/abc/quarterly-plan.xlsx", b"", "x"), ShareFile("i/abc.png", b"", "image/png")),
    )
    assert chosen(transcript) == {
        TITLE,
        "Where did it go in the end?",
        "It lies under the old pier.",
        "Somebody else has found it already",
        "quarterly-plan.xlsx",
    }
    assert {TITLE, "A title that its owner gave"} < chosen(transcript, "A title that its owner gave")


def test_what_is_too_short_to_mean_anything_is_not_chosen() -> None:
    assert chosen(Transcript(Facts(title="Parser", source="x", first_prompt="hi there"), (exchange("go on"),))) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word " * 50, ("word " * 15).strip()),
        ("Broken off in the middle of a wo…", "Broken off in the middle of a"),
        ("修" * 120, "修" * 120),
    ],
    ids=["long", "cut", "without-spaces"],
)
def test_texts_are_cut_between_words(text: str, expected: str) -> None:
    assert chosen(Transcript(Facts(title=text, source="x"), ())) == {expected}


# ------------------------------------------------------------------------------------------------------------- in whole


def test_build_that_would_publish_protected_words_is_refused(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(32)))
    monkeypatch.setenv("PEARL", "correct horse battery staple")
    workshop.talk(
        talk_about("tides", title=TITLE, project="/home/ann/sea"), talk_about("rivers", project="/home/ann/sea")
    )
    project = f'[[project]]\nmatch = "~/sea"\nslug = "sea"\ndescription = "Above all: {TITLE}"\n\n'
    shares = share("tides", "t", 'gate = "password"', 'secret = "env:PEARL"') + share("rivers", "r", "listed = true")
    workshop.configure(project + shares)
    for _ in range(2):  # and it is found again, for nothing that held it was kept
        result = workshop.run("build")
        assert result.exit_code == 3
        assert "p/sea/index.html held the title of the share “t”" in result.stderr
        assert "Wapping" not in result.output
        assert not [path for path, data in workshop.tree().items() if b"Wapping" in data]
    workshop.configure(shares)
    assert workshop.build()["written"] > 0


def test_words_that_an_open_share_says_too_are_no_reason_to_refuse(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(32)))
    monkeypatch.setenv("PEARL", "correct horse battery staple")
    workshop.talk(talk_about("tides", title=TITLE))
    gated = share("tides", "t", 'gate = "password"', 'secret = "env:PEARL"')
    workshop.configure(gated + share("tides", "r", "listed = true"))
    result = workshop.run("build")
    assert result.exit_code == 0, result.output
    assert "couldn't be searched for words of the share “t”" in result.stderr


@pytest.mark.parametrize("place", ["conversation", "title", "hint", "terms"])
def test_what_opens_a_page_is_refused_whoever_says_it(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(32)))
    password = "ripening trinity pretty divided"
    monkeypatch.setenv("PEARL", password)
    monkeypatch.setenv("OTHER", "another horse entirely, thanks")
    says = {place: f"It is {password}, as you know."}
    workshop.talk(talk_about("tides", title=TITLE), talk_about("rivers", says.get("conversation", "Nothing.")))
    (workshop.folder / "terms.md").write_text(says.get("terms", "Be kind."))
    opened = share("rivers", "r", f'title = "{says.get("title", "Rivers")}"', "listed = true")
    hint = f'hint = "{says["hint"]}"' if "hint" in says else ""
    workshop.configure(
        share("tides", "t", 'gate = "password"', 'secret = "env:PEARL"')
        + opened
        + share("tides", "u", 'gate = "password"', 'secret = "env:OTHER"', 'agreement = "terms.md"', hint)
    )
    result = workshop.run("build")
    assert result.exit_code == 3, result.output
    assert "the password of the share “t”" in result.stderr
    assert password not in result.output
    assert not [path for path, data in workshop.tree().items() if password.encode() in data]


def test_links_and_the_site_secret_are_sought(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(range(32))))
    monkeypatch.setenv("PEARL", "correct horse battery staple")
    gated = share("tides", "t", 'gate = "password"', 'secret = "env:PEARL"')
    workshop.talk(talk_about("tides", title=TITLE), talk_about("rivers"))
    workshop.configure(gated + share("rivers", "r"))
    workshop.build()
    (way,) = json.loads(workshop.run("links", "--json").stdout)
    for text, told in ((way["link"], "a link"), (f"It is {b64u(bytes(range(32)))}!", "the site secret")):
        workshop.configure(gated + share("rivers", "r", f'title = "{text}"'))
        result = workshop.run("build")
        assert result.exit_code == 3, result.output
        assert told in result.stderr


def test_what_opens_a_protected_project_is_sought_too(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(32)))
    monkeypatch.setenv("PEARL", "correct horse battery staple")
    project = '[[project]]\nmatch = "~/sea"\nslug = "sea"\ngate = "password"\nsecret = "env:PEARL"\n\n'
    workshop.talk(talk_about("tides", project="/home/ann/sea"), talk_about("rivers"))
    own = share("tides", "t", 'gate = "agreement"', 'agreement = "terms.md"', "listed = true")
    (workshop.folder / "terms.md").write_text("Be kind.")
    workshop.configure(project + own + share("rivers", "r", 'title = "Ask for correct horse battery staple"'))
    result = workshop.run("build")
    assert result.exit_code == 3, result.output
    assert "the password of the project “sea”" in result.stderr


def test_an_open_share_s_file_is_searched_whatever_its_name() -> None:
    owners = {"s/r/f/0/b.1.bin": "share r", "s/r/b.1.bin": "share r", "s/t/b.1.bin": "share t"}
    files = {path: FileRecord(path, owner, "", ABSENT) for path, owner in owners.items()}
    opened = {"share r": Share("r", head("a"), None, "x")}
    ground = SiteGround(cast(Any, None), files, opened, {}, (), Cache(Path()), Site(), ())
    assert [path for path in files if ground.is_ciphertext(path)] == ["s/t/b.1.bin"]
