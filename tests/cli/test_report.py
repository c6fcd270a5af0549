"""`sitegen report` says what publishing would expose, exits as CI needs it, and gives no value away itself."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sitegen.privacy import fingerprint
from tests.support.plants import vendor_tokens
from tests.support.projections import assistant, attachment, call, conversation, message, result, user
from tests.support.workshop import EVERYTHING, Workshop, share, slugs, talk_about

GITHUB = next(vendor_tokens())
FINGERPRINT = fingerprint(GITHUB.value.encode())


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def talk(native_id: str = "pearl") -> Any:
    return conversation(
        native_id,
        user("Where is it?"),
        assistant(call("Bash", {"command": "cat key"})),
        user(result(f"{GITHUB.text}, says zelda@corp.io in /home/zelda/x")),
        assistant("There."),
        title="The pearl",
    )


def report(workshop: Workshop, *arguments: str, code: int = 0) -> Any:
    done = workshop.run("report", "--json", *arguments)
    assert done.exit_code == code, done.output
    assert GITHUB.value not in done.output
    assert "zelda" not in done.output
    return json.loads(done.stdout)


def test_findings_are_told_with_place_and_excerpt_before_anything_is_published(workshop: Workshop) -> None:
    workshop.talk(talk())
    workshop.configure(share("pearl", "pearl", "listed = true"))
    found = report(workshop)
    (one,) = found["shares"]
    secret = next(each for each in one["findings"] if each["is_secret"])
    assert secret["fingerprint"] == FINGERPRINT
    assert (secret["message"], secret["where"], secret["published"]) == (3, "tool_result", False)
    assert secret["excerpt"].startswith("use [redacted:access-token] for it, says [email] in ~/x")
    assert one["taken_out"] == {"email": 1, "home path": 2, "secret": 1}
    assert (one["change"], one["tool_results"], one["messages"]) == ("new", 1, 4)
    assert found["never_expiring"] == ["pearl"]
    assert any("open to everyone" in each["message"] for each in found["warnings"])
    assert not (workshop.folder / "public").exists()


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        pytest.param("", 0, id="redacted"),
        pytest.param('[privacy]\nsecrets = "block"\n', 3, id="in the way"),
        pytest.param('[privacy]\nsecrets = "allow"\n', 3, id="published"),
        pytest.param(f'[privacy]\nsecrets = "block"\nallow = ["{FINGERPRINT}"]\n', 0, id="allowed by name"),
        pytest.param(f'[privacy]\nsecrets = "allow"\nallow = ["{FINGERPRINT}"]\n', 0, id="known to be published"),
    ],
)
def test_exit_code_is_for_secrets_that_nobody_settled(workshop: Workshop, lines: str, code: int) -> None:
    workshop.talk(talk())
    workshop.configure(lines + EVERYTHING)
    found = report(workshop, code=code)
    assert found["ok"] is (code == 0)
    assert len(found["refused"]) == (1 if code else 0)


def test_what_the_policy_keeps_is_told_as_published(workshop: Workshop) -> None:
    said = "bo@corp.io called +49 30 7654321 from 10.20.30.40, bo@pearl-7:~$ cat /home/zelda/x 10.9.8.7"
    workshop.talk(conversation("pearl", user("Where?"), assistant(said), title="The pearl"))
    workshop.configure(share("pearl", "pearl"))
    found = report(workshop)
    (one,) = found["shares"]
    assert one["published"] == found["published"] == {"host": 1, "ip": 2, "phone": 1}
    kept = [each for each in one["findings"] if each["published"]]
    assert {(each["kind"], each["message"], each["excerpt"]) for each in kept} == {
        *(("host", 2, "[host]"), ("ip", 2, "[ip]"), ("phone", 2, "[phone]")),
    }
    assert found["ok"]
    assert "publishes 1 name of a machine, 2 private addresses, 1 phone number" in workshop.run("report").output
    workshop.configure(
        '[privacy]\nips = "mask"\nphones = "mask"\nhosts = "mask"\nemails = "keep"\n' + share("pearl", "pearl")
    )
    assert json.loads(workshop.run("report", "--json").stdout)["published"] == {"email": 1}
    workshop.configure('[privacy]\nhide = ["called +49 30 7654321 from"]\n' + share("pearl", "pearl"))
    assert report(workshop)["published"] == {"host": 1, "ip": 2}


def test_messages_are_counted_as_the_page_counts_them(workshop: Workshop) -> None:
    rows = conversation(
        "ways",
        message("system", "You are a pilot."),
        user("Where to?", native_id="q"),
        assistant("West.", native_id="w", parent="q"),
        user("Rather east.", native_id="e", parent="w"),
        assistant("East then."),
        user("Or north.", native_id="n", parent="w"),
        assistant(call("Bash", {"command": "ls"}, id="t"), native_id="c"),
        user(result("a b", id="t")),
        assistant("North it is."),
        title="Ways",
    )
    workshop.talk(rows)
    workshop.configure(share("ways", "ways"))
    workshop.build()
    (one,) = report(workshop)["shares"]
    said = re.sub(r"<[^>]+>", " ", workshop.page("s/ways"))
    assert re.search(rf"Messages\s+{one['messages']}\s", said)
    assert (one["branches"], one["tool_results"], one["subagents"]) == (1, 1, 0)
    assert json.loads(workshop.run("list", "--json").stdout)[0]["messages"] == 9
    assert one["messages"] < 9
    assert "RECORDED" in workshop.run("list").output


def test_strict_minds_warnings_too(workshop: Workshop) -> None:
    workshop.talk(talk())
    workshop.configure()
    assert workshop.run("report").exit_code == 0
    assert workshop.run("report", "--strict").exit_code == 3
    workshop.talk(talk_about("tides"))
    assert workshop.run("report", "--strict").exit_code == 0


def test_one_of_a_kind_is_told_as_one(workshop: Workshop) -> None:
    workshop.talk(conversation("one", user(result("Just this")), title="One"))
    workshop.configure()
    assert "shows 1 message, 1 tool result" in workshop.run("report").output
    page = workshop.folder / "report.html"
    workshop.run("report", "--html", str(page))
    assert "1 message, 1 tool result, 0 images, 0 branches" in page.read_text("utf-8")
    assert "Built 1 share in" in workshop.run("build").output


def test_terminal_says_what_a_person_needs(workshop: Workshop) -> None:
    workshop.talk(talk())
    workshop.configure()
    said = workshop.run("report").output
    for part in ("The pearl", "open, listed, never expires, new", "4 messages, 1 tool result", FINGERPRINT, "1 secret"):
        assert part in said
    assert GITHUB.value not in said


def test_page_links_each_place_and_loads_nothing(workshop: Workshop) -> None:
    workshop.talk(talk())
    workshop.configure(share("pearl", "pearl", "listed = true"))
    workshop.build()
    page = workshop.folder / "report.html"
    assert workshop.run("report", "--html", str(page)).exit_code == 0
    html = page.read_text("utf-8")
    links = re.findall(r'href="([^"]+)"', html)
    anchors = [link for link in links if "#" in link]
    assert anchors
    for link in anchors:
        file, _, anchor = link.partition("#")
        assert (workshop.folder / file).is_file()
        assert f'id="{anchor}"' in (workshop.folder / file).read_text("utf-8") or "-" in anchor
    assert "<script" not in html
    assert GITHUB.value not in html


def test_changes_since_the_last_build_are_told(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides", native_id="a"), talk_about("rivers", native_id="b"))
    workshop.configure(share("a", "a") + share("b", "b"))
    workshop.build()
    workshop.talk(talk_about("tides", "More?", native_id="a"), talk_about("rivers", native_id="b"))
    workshop.configure(share("a", "a") + share("b", "c"))
    found = report(workshop)
    assert {each["slug"]: each["change"] for each in found["shares"]} == {"a": "changed", "c": "new"}
    assert found["removed"] == ["b"]


def test_gates_that_are_weak_or_shared_are_told(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", "A" * 43)
    monkeypatch.setenv("ONE", "tidal-lantern-quartz-meadow-42")
    monkeypatch.setenv("TWO", "password1")
    workshop.talk(
        talk_about("tides", native_id="a"), talk_about("rivers", native_id="b"), talk_about("seas", native_id="c")
    )
    gate = 'gate = "password"'
    workshop.configure(
        share("a", "a", gate, 'secret = "env:ONE"')
        + share("b", "b", gate, 'secret = "env:ONE"')
        + share("c", "c", gate, 'secret = "env:TWO"')
    )
    warnings = {each["slug"]: each["message"] for each in report(workshop)["warnings"]}
    assert "its password also opens b" in warnings["a"]
    assert "c" in warnings
    assert "password1" not in str(warnings)


RULE = '[[rule]]\nmatch = { project = "sea" }\nlisted = true\ngate = "password"\nsecret = "env:ONE"\n'


def test_protected_shares_of_rules_are_those_that_are_built(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", "A" * 43)
    monkeypatch.setenv("ONE", "tidal-lantern-quartz-meadow-42")
    workshop.talk(talk_about("tides", project="/home/ann/sea"), talk_about("rivers", project="/home/ann/land"))
    workshop.configure(RULE)
    assert [each["change"] for each in report(workshop)["shares"]] == ["new"]
    workshop.build()
    found = report(workshop)
    assert {each["slug"] for each in found["shares"]} == slugs(workshop.paths())
    assert [(each["gate"], each["change"]) for each in found["shares"]] == [("password", "same")]
    assert (found["removed"], found["notes"]) == ([], [])
    page = workshop.folder / "report.html"
    said = workshop.run("report", "--html", str(page)).output
    assert "password, listed, never expires, same since the last build" in said
    assert "On tides" in page.read_text("utf-8")


def test_without_the_site_secret_nothing_is_said_to_be_taken_back(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", "A" * 43)
    monkeypatch.setenv("ONE", "tidal-lantern-quartz-meadow-42")
    workshop.talk(talk_about("tides", project="/home/ann/sea"))
    workshop.configure(RULE)
    workshop.build()
    monkeypatch.delenv("SITEGEN_SITE_SECRET")
    found = report(workshop)
    assert (found["shares"], found["removed"]) == ([], [])
    assert "grows from the site secret, which isn't here" in found["notes"][0]
    assert workshop.run("build").exit_code == 2


def test_given_titles_are_told_as_they_are_published(workshop: Workshop) -> None:
    workshop.talk(talk())
    workshop.configure(share("pearl", "pearl", f"title = 'With {GITHUB.text}'"))
    workshop.build()
    (one,) = report(workshop)["shares"]
    assert one["change"] == "same"


def test_pictures_that_say_where_they_were_taken_are_told(workshop: Workshop) -> None:
    import io

    from PIL import Image

    exif = Image.Exif()
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)})
    buffer = io.BytesIO()
    Image.new("RGB", (4, 4)).save(buffer, "JPEG", exif=exif)
    (workshop.folder / "a.jpg").write_bytes(buffer.getvalue())
    file = attachment("a.jpg", mime_type="image/jpeg", storage_path="a.jpg")
    workshop.talk(conversation("p", user("Look.", attachments=(file,)), assistant("Nice.")))
    workshop.configure(share("p", "p"))
    found = report(workshop)
    assert (found["shares"][0]["images"], found["shares"][0]["located_images"]) == (1, 1)
    assert "1 image says where it was taken" in found["warnings"][0]["message"]


def _types(name: str) -> dict[str, str]:
    """The names and types that the reference gives for an object."""
    text = (Path(__file__).parents[2] / "docs/reference/report-json.md").read_text("utf-8")
    section = text.split(f"## {name}\n", 1)[1].split("\n## ", 1)[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section, re.M))


KINDS = {"text": str, "number": int, "true or false": bool, "object": dict, "array": list}


@pytest.mark.parametrize("name", ["The report", "A share", "A finding"])
def test_reference_names_every_field_with_its_type(workshop: Workshop, name: str) -> None:
    workshop.talk(talk())
    workshop.configure()
    found = report(workshop)
    value = {"The report": found, "A share": found["shares"][0], "A finding": found["shares"][0]["findings"][0]}[name]
    types = _types(name)
    assert set(value) == set(types)
    for field, said in types.items():
        allowed = tuple(KINDS[part] for part in said.removesuffix(" or null").split(" | "))
        assert isinstance(value[field], allowed) or (value[field] is None and said.endswith("or null")), field
