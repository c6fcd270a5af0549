"""Nothing that isn't meant to be published reaches the site, the cache or the log; and no more than must is rebuilt."""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from sitegen.model import Conversation, Transcript
from sitegen.privacy import fingerprint, mark
from sitegen.render import render
from tests.support.plants import Plant, all_secrets, private_key, spellings, token, vendor_tokens
from tests.support.projections import (
    ConversationRow,
    assistant,
    attachment,
    call,
    conversation,
    image,
    label,
    message,
    result,
    text,
    thinking,
    user,
)
from tests.support.workshop import EVERYTHING, Workshop, share, talk_about

SECRETS = all_secrets()
GITHUB = next(vendor_tokens())
PEOPLE = (
    "zelda",
    "zelda@corp.io",
    "Zelda.Fitz@corp.io",
    "/home/zelda",
    "/Users/zelda",
    r"C:\Users\zelda",
    "-home-zelda-",
)
NUMBERS = ("+49 30 7654321", "10.20.30.40", "a4:83:e7:12:9f:0b", "C02XK1ZYJGH5", "Initech")
MASKS = "\n".join(
    [
        *("[privacy]", 'phones = "mask"', 'ips = "mask"', 'macs = "mask"', 'serials = "mask"', 'hide = ["Initech"]'),
        *("context = true", "branches = true", ""),
    ]
)


def planted() -> str:
    """A text with everything in it that must not be published."""
    homes = "/home/zelda/code and /Users/zelda/x and C:\\Users\\zelda\\x and projects/-home-zelda-code-x and file:///home/zelda/y"
    people = f"{homes}; zelda said: mail zelda@corp.io or Zelda.Fitz@corp.io, call +49 30 7654321"
    machine = "10.20.30.40 a4:83:e7:12:9f:0b Serial Number: C02XK1ZYJGH5 for Initech"
    return "\n".join([people, machine, *(plant.text for plant in SECRETS)])


def photograph() -> bytes:
    """A picture whose camera wrote down where it was, and more."""
    exif = Image.Exif()
    exif[0x010E], exif[0x013B] = f"taken by zelda, {GITHUB.value}", "zelda"
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)})
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "JPEG", exif=exif, comment=b"zelda was here")
    return buffer.getvalue()


def everywhere(folder: Path) -> ConversationRow:
    """A conversation that carries the text in every place it can."""
    body = planted()
    (folder / "files").mkdir(exist_ok=True)
    (folder / "files/notes.txt").write_text(body)
    (folder / "files/a.zip").write_bytes(b"PK\x03\x04\0\0" + GITHUB.value.encode() + b"\0\xff\xfe\x80")
    (folder / "files/photo.jpg").write_bytes(photograph())
    lines = [f"+{line}" for line in body.splitlines()]
    detail = {"structuredPatch": [{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 9, "lines": lines}]}
    return conversation(
        "planted",
        user(
            f"Look at this:\n\n{body}\n\n```sh\n{body}\n```\n",
            image(photograph(), media_type="image/jpeg"),
            attachments=(
                attachment("notes.txt", mime_type="text/plain", storage_path="files/notes.txt"),
                attachment("a.zip", mime_type="application/zip", storage_path="files/a.zip"),
                attachment("photo.jpg", mime_type="image/jpeg", storage_path="files/photo.jpg"),
                attachment(f"{GITHUB.value} of zelda.txt", metadata={"extracted_text": body}),
            ),
            labels=(label("pack", f"who? {GITHUB.value}", "zelda"),),
        ),
        assistant(thinking(body), text(body), call("Edit", {"file_path": "/home/zelda/a.py", "new_string": body})),
        user(result(body), raw={"toolUseResult": detail | {"filePath": "/home/zelda/a.py", "stdout": body}}),
        assistant(call(f"mcp__{GITHUB.value}", {"command": body, body[:200]: 1}, id="t2")),
        user(
            result(None, id="t2", raw_content=[{"type": "text", "text": body}]), raw={"toolUseResult": {"stderr": body}}
        ),
        assistant(text("Done."), metadata={"note": body}),
        title=f"Fix it for zelda@corp.io with {GITHUB.value} in /home/zelda",
        project="/home/zelda/code/pier",
        metadata={"persona": f"Helper of zelda {GITHUB.value}"},
    )


def everything_said(workshop: Workshop) -> Iterator[tuple[str, bytes]]:
    """Every byte of the site and of what a build remembers, compressed entries opened; names of files too."""
    for folder in (workshop.public, workshop.folder / ".sitegen"):
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            data = file.read_bytes()
            yield str(file.relative_to(workshop.folder)), data + str(file).encode()
            if file.suffix == ".entry":
                yield f"{file.name}, opened", zlib.decompressobj().decompress(data.partition(b"\n")[2])


def told(said: list[tuple[str, bytes]], value: str) -> set[tuple[str, str]]:
    """Where a value stands, and in which form."""
    return {(path, form) for form, found in spellings(value).items() for path, data in said if found in data}


@pytest.mark.parametrize("gate", ["open", "password"])
def test_nothing_planted_is_in_any_byte_of_output_cache_and_log(
    workshop: Workshop, gate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", "A" * 43)
    monkeypatch.setenv("PIER", "tidal-lantern-quartz-meadow-42")
    workshop.talk(everywhere(workshop.folder))
    lines = ('gate = "password"', 'secret = "env:PIER"') if gate == "password" else ("listed = true",)
    workshop.configure(MASKS + "[pages]\nlabels = true\n\n" + share("planted", "s", *lines))
    log = workshop.run("build")
    assert log.exit_code == 0, log.output
    report = workshop.run("report", "--json")
    said = [*everything_said(workshop), ("log", log.output.encode()), ("report", report.output.encode())]
    assert len(said) > 10
    for plant in SECRETS:
        assert told(said, plant.value) == set(), plant.name
    for line in private_key().splitlines()[1:-1]:
        assert told(said, line) == set()
    for value in (*PEOPLE, *NUMBERS):
        found = {path for path, data in said if value.lower().encode() in data.lower()}
        assert found == set(), value
    assert not any(b"Exif" in data or b"GPS" in data for path, data in said if path.endswith(".jpg"))


@pytest.mark.parametrize(
    ("default", "line", "is_kept"),
    [
        pytest.param("", "", False, id="default"),
        pytest.param('[privacy]\nimage_metadata = "keep"\n', "", True, id="kept everywhere"),
        pytest.param("", 'image_metadata = "keep"', True, id="kept by the share"),
        pytest.param(
            '[privacy]\nimage_metadata = "keep"\n', 'image_metadata = "drop"', False, id="dropped by the share"
        ),
    ],
)
def test_metadata_of_images_is_kept_when_asked(workshop: Workshop, default: str, line: str, is_kept: bool) -> None:
    (workshop.folder / "photo.jpg").write_bytes(photograph())
    file = attachment("photo.jpg", mime_type="image/jpeg", storage_path="photo.jpg")
    workshop.talk(conversation("p", user("Look.", attachments=(file,)), assistant("Nice.")))
    workshop.configure(default + share("p", "p", line))
    workshop.build()
    (picture,) = [data for path, data in workshop.tree().items() if path.endswith(".jpg")]
    assert (picture == photograph()) is is_kept
    (one,) = json.loads(workshop.run("report", "--json").stdout)["shares"]
    assert one["image_metadata"] == ("keep" if is_kept else "drop")
    published = any("taken, and that is published" in warning for warning in one["warnings"])
    assert published is is_kept


def test_marks_stand_where_secrets_stood(workshop: Workshop) -> None:
    workshop.talk(everywhere(workshop.folder))
    workshop.configure(MASKS + share("planted", "s", "listed = true"))
    workshop.build()
    page = workshop.page("s/s")
    for shown in (
        mark("access token"),
        mark("private key"),
        "[email]",
        "[phone]",
        "[ip]",
        "[mac]",
        "[serial]",
        "[hidden]",
    ):
        assert shown in page
    assert "~/code" in page
    assert json.loads(workshop.page("s/s/conversation.json"))


def test_project_and_title_are_clean_on_every_page(workshop: Workshop) -> None:
    workshop.talk(everywhere(workshop.folder), talk_about("pearls", project="/home/zelda/code/initech-portal"))
    workshop.configure(MASKS + EVERYTHING)
    workshop.build()
    assert not [path for path in workshop.paths() if "initech" in path.lower() or "zelda" in path.lower()]
    pages = (data.lower() for data in workshop.tree().values())
    assert not any(b"zelda" in data or b"initech" in data for data in pages)


# ---------------------------------------------------------------------------------------------------------- policies


def talk_with_secret(native_id: str = "pearl") -> ConversationRow:
    return talk_about("the pearl", f"It is {GITHUB.value}.", native_id=native_id)


def test_block_refuses_with_a_list_and_publishes_the_others(workshop: Workshop) -> None:
    workshop.talk(talk_with_secret(), talk_about("tides"))
    workshop.configure('[privacy]\nsecrets = "block"\n' + EVERYTHING)
    result = workshop.run("build")
    assert result.exit_code == 3
    assert fingerprint(GITHUB.value.encode()) in result.output
    assert "message 3, text" in result.output
    assert GITHUB.value not in result.output
    assert len([path for path in workshop.paths() if path.startswith("s/") and path.endswith("index.html")]) == 1


def test_page_of_a_laxer_policy_goes_when_a_stricter_one_refuses_it(workshop: Workshop) -> None:
    workshop.talk(talk_with_secret())
    workshop.configure('[privacy]\nsecrets = "allow"\n' + EVERYTHING)
    workshop.build()
    assert any(GITHUB.value.encode() in data for data in workshop.tree().values())
    workshop.configure('[privacy]\nsecrets = "block"\n' + EVERYTHING)
    assert workshop.run("build").exit_code == 3
    assert not any(GITHUB.value.encode() in data for _, data in everything_said(workshop))


def test_allowed_fingerprint_is_published(workshop: Workshop) -> None:
    workshop.talk(talk_with_secret())
    allow = f'[privacy]\nsecrets = "block"\nallow = ["{fingerprint(GITHUB.value.encode())}"]\n'
    workshop.configure(allow + EVERYTHING)
    workshop.build()
    assert any(GITHUB.value.encode() in data for data in workshop.tree().values())


def test_changed_policy_rewrites_what_it_touches_and_no_more(workshop: Workshop) -> None:
    workshop.talk(talk_about("mail", "Write to zelda@corp.io.", native_id="a"), talk_about("tides", native_id="b"))
    workshop.configure(share("a", "a", "listed = true") + share("b", "b", "listed = true"))
    workshop.build()
    before = workshop.tree()
    workshop.configure(
        '[privacy]\nemails = "keep"\n' + share("a", "a", "listed = true") + share("b", "b", "listed = true")
    )
    workshop.build()
    changed = {path for path, data in workshop.tree().items() if before.get(path) != data and not path.startswith(".")}
    names = ("index.html", "conversation.md", "conversation.json", "source.json")
    assert changed == {f"s/a/{name}" for name in names}
    assert workshop.build()["written"] == 0


@pytest.mark.parametrize(
    ("lines", "rendered"),
    [
        pytest.param('[privacy]\nhide = ["Initech"]', set(), id="word that stands nowhere"),
        pytest.param('[privacy]\nphones = "mask"\nips = "mask"\nmacs = "mask"', set(), id="kinds that stand nowhere"),
        pytest.param(f'[privacy]\nallow = ["{"0" * 12}"]', set(), id="fingerprint of nothing"),
        pytest.param('[privacy]\nsecrets = "block"', set(), id="block where there is nothing"),
        pytest.param('[privacy]\nhide = ["tides"]', {"b"}, id="word that stands in one"),
        pytest.param('[privacy]\nemails = "keep"', {"a"}, id="kind that stands in one"),
        pytest.param("[privacy]\nthinking = false", {"b"}, id="default that one share overrides"),
    ],
)
def test_policy_renders_anew_only_what_it_changes(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, lines: str, rendered: set[str]
) -> None:
    again: list[str] = []
    workshop.talk(talk_about("mail", "Write to zelda@corp.io.", native_id="a"), talk_about("tides", native_id="b"))
    shares = share("a", "a", "thinking = true") + share("b", "b")
    workshop.configure(shares)
    workshop.build("--jobs", "1")
    before = workshop.tree()

    def count(talk: Conversation, *given: Any, **named: Any) -> Transcript:
        again.append(talk.head.native_id)
        return render(talk, *given, **named)

    monkeypatch.setattr("sitegen.build.reuse.render", count)
    workshop.configure(lines + "\n" + shares)
    report = json.loads(workshop.run("report", "--json").stdout)
    workshop.build("--jobs", "1")
    assert set(again) == rendered
    written = {
        path.split("/")[1] for path, data in workshop.tree().items() if before.get(path) != data and path[:2] == "s/"
    }
    assert written <= rendered
    if "thinking" not in lines:
        assert {each["slug"] for each in report["shares"] if each["change"] == "changed"} == rendered


def test_changed_list_of_words_is_noticed(workshop: Workshop) -> None:
    words = workshop.folder / "words.txt"
    words.write_text("nothing\n")
    workshop.talk(talk_about("the pier"))
    workshop.configure('[privacy]\nhide_file = "words.txt"\n' + EVERYTHING)
    workshop.build()
    words.write_text("pier\n")
    workshop.build()
    assert not any(b"the pier" in data for data in workshop.tree().values())


def test_build_tells_how_much_was_taken_out_also_when_it_kept_the_pages(workshop: Workshop) -> None:
    workshop.talk(talk_with_secret(), talk_about("mail", "Write to zelda@corp.io.", native_id="a"))
    workshop.configure(EVERYTHING)
    assert workshop.build()["taken_out"] == {"email": 1, "home path": 2, "secret": 1}
    workshop.configure(EVERYTHING, base_url="https://bo.example.org/other/")
    assert workshop.build()["taken_out"] == {"email": 1, "home path": 2, "secret": 1}
    assert "Taken out" in workshop.run("build", "--full").output


def test_conversation_that_is_shared_twice_is_counted_twice(workshop: Workshop) -> None:
    workshop.talk(everywhere(workshop.folder))
    for shares in (share("planted", "b"), share("planted", "a") + share("planted", "b")):
        workshop.configure(MASKS + shares)
        told_by_build = workshop.build()["taken_out"]
        assert told_by_build == json.loads(workshop.run("report", "--json").stdout)["taken_out"]
        assert workshop.build("--full")["taken_out"] == told_by_build


def test_nothing_is_loaded_for_a_build_with_nothing_to_do(workshop: Workshop) -> None:
    import subprocess
    import sys

    workshop.talk(talk_about("tides"))
    workshop.configure()
    workshop.build()
    code = (
        "import sys; from sitegen.cli import main; "
        "main(['--config', sys.argv[1], 'build'], standalone_mode=False); "
        "print([name for name in sys.modules if 'kingfisher' in name or name.startswith('sitegen.privacy')])"
    )
    command = [sys.executable, "-c", code, str(workshop.folder / "sitegen.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Nothing to do" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


# ------------------------------------------------------------------------------------------------------------ shares


def worked(native_id: str = "work") -> ConversationRow:
    """A conversation with calls, thinking, a file and a way not taken."""
    return conversation(
        native_id,
        user(
            "Where is the pearl?",
            attachments=(attachment("atlas.txt", metadata={"extracted_text": "atlas of the bay"}),),
        ),
        assistant(thinking("under the quay, surely"), call("Bash", {"command": "dig quay"}, id="b")),
        user(result("mud and oysters", id="b")),
        assistant(call("Read", {"file_path": "log.txt"}, id="r")),
        user(result("pages of the log", id="r")),
        assistant("It isn't there.", native_id="m5"),
        user("Look in the old harbour.", native_id="m6", parent="m5"),
        assistant("Nothing in the harbour."),
        user("Look by the lighthouse.", native_id="m8", parent="m5"),
        assistant("Found it at the lighthouse."),
        source="claude_code",
        title="The search",
    )


@pytest.mark.parametrize(
    ("line", "gone", "told"),
    [
        pytest.param('show = "conversation"', ("quay", "oysters", "log.txt"), "2 tool calls", id="conversation"),
        pytest.param('show = "calls"', ("surely", "oysters"), "2 tool results", id="calls"),
        pytest.param("thinking = false", ("surely",), "1 thought", id="thinking"),
        pytest.param('exclude_tools = ["Ba*"]', ("dig quay", "oysters"), "1 tool call", id="one tool"),
        pytest.param('exclude = "4-5"', ("log.txt", "pages of the log"), "2 messages", id="messages"),
        pytest.param('messages = "6-"', ("quay", "oysters", "atlas"), "5 messages", id="range"),
        pytest.param("attachments = false", ("atlas",), "1 attachment", id="files"),
        pytest.param("branches = false", ("harbour",), "1 way not taken", id="branches"),
    ],
)
def test_what_a_share_leaves_out_is_nowhere_and_told(
    workshop: Workshop, line: str, gone: tuple[str, ...], told: str
) -> None:
    workshop.talk(worked())
    workshop.configure(share("work", "w", "listed = true", "branches = true"))
    workshop.build()
    assert all(any(word.encode() in data for _, data in everything_said(workshop)) for word in gone)
    both = () if line.startswith("branches") else ("branches = true",)
    workshop.configure(share("work", "w", "listed = true", line, *both))
    workshop.build()
    for word in gone:
        assert not [path for path, data in everything_said(workshop) if word.encode() in data], word
    assert told in re.sub(r"<[^>]+>", "", workshop.page("s/w"))
    assert "lighthouse" in workshop.page("s/w")


def test_what_programs_told_the_model_is_shown_only_when_asked(workshop: Workshop) -> None:
    reminder = "<system-reminder>Mind the buoys.</system-reminder>"
    rows = conversation(
        "told",
        message("system", "You are a harbour pilot."),
        user(f"Steer home.\n{reminder}"),
        assistant("Aye."),
    )
    workshop.talk(rows)
    workshop.configure(share("told", "t", "listed = true"))
    workshop.build()
    assert not any(b"buoys" in data or b"harbour pilot" in data for _, data in everything_said(workshop))
    assert "2 texts meant for the model alone" in workshop.page("s/t")
    workshop.configure(share("told", "t", "listed = true", "context = true"))
    workshop.build()
    assert "buoys" in workshop.page("s/t")
    assert "harbour pilot" in workshop.page("s/t")


def test_defaults_of_the_section_hold_for_rules_and_shares(workshop: Workshop) -> None:
    workshop.talk(worked("a"), worked("b"))
    workshop.configure(
        "[privacy]\nthinking = false\n\n" + share("a", "a", "listed = true") + "[[rule]]\nmatch = {}\nthinking = true\n"
    )
    workshop.build()
    assert "surely" not in workshop.page("s/a")
    others = [path for path in workshop.paths() if path.endswith("conversation.md") and not path.startswith("s/a/")]
    assert "surely" in workshop.page(others[0])


def test_short_value_of_one_secret_stays_out_of_another(workshop: Workshop) -> None:
    plant = Plant("two", f"A_TOKEN={token('two', 30)}", token("two", 30))
    workshop.talk(talk_about("two", plant.text, f"and {plant.value}{plant.value[:8]}"))
    workshop.configure()
    workshop.build()
    assert not any(plant.value.encode() in data for data in workshop.tree().values())
