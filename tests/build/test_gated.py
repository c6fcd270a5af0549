"""Protected shares: nothing of them stands in the open, what is written opens, and only what changed is made anew."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from sitegen.gate import keys
from sitegen.gate.encoding import b64u
from tests.support.opener import core_of, envelope_of, open_folder
from tests.support.projections import ConversationRow
from tests.support.workshop import Workshop, share, talk_about

PASSWORD = "correct horse battery staple"
OTHER = "another horse entirely, thanks"
SITE_SECRET = b64u(bytes(range(32)))
SECRETS = {"SITEGEN_SITE_SECRET": SITE_SECRET, "PEARL": PASSWORD, "OTHER": OTHER}
GATED = ('gate = "password"', 'secret = "env:PEARL"')
WORDS = (b"pearl", b"Wapping", b"pier", b"On tides", b"horse", b"example.org/bo")


def tides(*more: str) -> ConversationRow:
    return talk_about("tides", "And the secret pearl of Wapping?", "It lies under the old pier.", *more)


RIVERS = talk_about("rivers", "How long is the longest of them?", "Longer than you think.")


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def stretched(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The secrets that were stretched, each time, as the key schedule is asked to."""
    done: list[bytes] = []
    real = keys.stretch

    def stretch(material: bytes, *, salt: bytes, iterations: int) -> bytes:
        done.append(material)
        return real(material, salt=salt, iterations=iterations)

    monkeypatch.setattr(keys, "stretch", stretch)
    return done


def gated(workshop: Workshop, *lines: str, slug: str = "t") -> Path:
    """Builds a workshop with one protected share and an open one; the folder of the protected one."""
    workshop.talk(tides(), RIVERS)
    workshop.configure(share("tides", slug, *(lines or GATED), "listed = true") + share("rivers", "r", "listed = true"))
    workshop.build()
    return workshop.public / "s" / slug


def holding(workshop: Workshop, *words: bytes) -> dict[str, list[bytes]]:
    """The files of the whole output, hidden ones too, that hold one of these words in bytes or name."""
    found = {path: [word for word in words if word in data + path.encode()] for path, data in workshop.tree().items()}
    return {path: words for path, words in found.items() if words}


def test_no_word_of_a_protected_share_stands_in_the_output(workshop: Workshop) -> None:
    folder = gated(workshop)
    assert holding(workshop, *WORDS, b"tides") == {}
    names = {re.sub(r"[0-9a-f]{8,32}", "#", path.name) for path in folder.iterdir()}
    assert names - {"a.#.bin"} == {"index.html", "b.#.bin"}
    assert "Protected page" in workshop.page("s/t")


def test_password_opens_it_and_no_other(workshop: Workshop) -> None:
    folder = gated(workshop)
    opened = open_folder(folder, password=PASSWORD)
    assert opened is not None
    assert "secret pearl of Wapping" in opened.html
    assert open_folder(folder, password=OTHER) is None


def test_link_opens_it(workshop: Workshop) -> None:
    folder = gated(workshop)
    (way,) = json.loads(workshop.run("links", "--json").stdout)
    opened = open_folder(folder, link=way["link"])
    assert opened is not None
    assert "old pier" in opened.html


def test_each_recipient_has_a_way_in_until_removed(workshop: Workshop) -> None:
    both = 'recipients = ["bo@example.org", "ann@example.org"]'
    folder = gated(workshop, 'gate = "email"', both)
    ways = {way["recipient"]: way for way in json.loads(workshop.run("links", "--json").stdout)}
    for address, way in ways.items():
        assert open_folder(folder, email=(address, way["secret"])) is not None
        assert open_folder(folder, link=way["link"]) is not None
    assert open_folder(folder, email=("ann@example.org", ways["bo@example.org"]["secret"])) is None
    assert holding(workshop, b"bo@", ways["bo@example.org"]["secret"].encode()) == {}
    gated(workshop, 'gate = "email"', 'recipients = ["ann@example.org"]')
    bo, ann = ways["bo@example.org"], ways["ann@example.org"]
    assert open_folder(folder, email=("bo@example.org", bo["secret"])) is None
    assert open_folder(folder, link=bo["link"]) is None
    assert open_folder(folder, email=("ann@example.org", ann["secret"])) is not None


def test_code_opens_it_until_struck(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SITEGEN_SITE_SECRET")
    workshop.talk(tides(), RIVERS)
    workshop.configure("")
    shared = workshop.run("share", "tides", "--slug", "t", "--gate", "otp", "--codes", "2")
    assert shared.exit_code == 0, shared.output
    workshop.build()
    one, two = (way["secret"] for way in json.loads(workshop.run("links", "--json").stdout))
    folder = workshop.public / "s/t"
    assert open_folder(folder, password=one.replace("-", "")) is not None
    assert workshop.run("share", "--strike", one).exit_code == 0
    assert workshop.build()["written"] > 0
    assert open_folder(folder, password=one.replace("-", "")) is None
    assert open_folder(folder, password=two.replace("-", "")) is not None


def test_terms_come_first_and_are_part_of_the_key(workshop: Workshop) -> None:
    (workshop.folder / "terms.md").write_text("# Be kind\n\n- to *all*\n- <script>alert(1)</script>\n")
    folder = gated(workshop, *GATED, 'agreement = "terms.md"')
    assert core_of(folder)["need"] == ["agr", "cred"]
    terms = envelope_of(folder)["terms"]
    assert "<h2>Be kind</h2>" in terms
    assert "<script" not in terms
    before = core_of(folder)
    (workshop.folder / "terms.md").write_text("# Be kinder\n")
    assert workshop.build()["written"] > 0
    assert core_of(folder)["commit"] != before["commit"]
    assert open_folder(folder, password=PASSWORD) is not None


def test_agreement_alone_keeps_the_words_out_of_the_page(workshop: Workshop) -> None:
    (workshop.folder / "terms.md").write_text("Be kind.")
    folder = gated(workshop, 'agreement = "terms.md"')
    assert core_of(folder)["need"] == ["agr"]
    assert holding(workshop, *WORDS) == {}
    opened = open_folder(folder)
    assert opened is not None
    assert "pearl" in opened.html


def test_expiry_and_limit_are_in_the_authenticated_core(workshop: Workshop) -> None:
    folder = gated(workshop, *GATED, "expires = 2099-01-31T00:00:00Z", "view_limit = 5")
    core = core_of(folder)
    assert (core["exp"], core["limit"]) == (4073500800, 5)


def test_expired_share_leaves_a_page_that_says_so(workshop: Workshop) -> None:
    folder = gated(workshop, *GATED, "expires = 2099-01-31T00:00:00Z")
    told = workshop.run("build")
    assert "The next share expires at 2099-01-31 00:00 UTC" in told.stdout
    assert re.search(r"\d+ \d+ \d+ \d+ \* sitegen -C .*sitegen.toml build", told.stdout)
    workshop.build("--now", "2099-01-31")
    assert [path.name for path in folder.iterdir()] == ["index.html"]
    assert "envelope" not in workshop.page("s/t")
    assert holding(workshop, *WORDS) == {}


def test_pictures_and_further_parts_are_attachments(workshop: Workshop) -> None:
    long = talk_about("tides", *(f"Line {n} of the secret pearl of Wapping" for n in range(450)))
    workshop.talk(long)
    workshop.configure(share("tides", "t", *GATED))
    workshop.build()
    folder = workshop.public / "s/t"
    assert holding(workshop, *WORDS) == {}
    opened = open_folder(folder, password=PASSWORD)
    assert opened is not None
    assert b"Line 449" in b"".join(opened.attachments.values())
    assert all(re.fullmatch("[0-9a-f]{32}", name) for name in opened.attachments)


def test_offline_page_holds_all_in_itself(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides", *(f"Line {n} of the secret pearl of Wapping" for n in range(450))))
    workshop.configure(share("tides", "t", *GATED))
    workshop.build("--offline")
    folder = workshop.public / "s/t"
    assert [path.name for path in folder.iterdir()] == ["index.html"]
    opened = open_folder(folder, password=PASSWORD)
    assert opened is not None
    assert b"Line 449" in b"".join(opened.attachments.values())
    assert holding(workshop, *WORDS) == {}


# ---------------------------------------------------------------------------------------------------- what is made anew


def test_unrelated_change_leaves_protected_pages_as_they_are(workshop: Workshop, stretched: list[bytes]) -> None:
    folder = gated(workshop)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    stretched.clear()
    workshop.talk(tides(), talk_about("rivers", "And now?", "Still longer."))
    assert workshop.build()["written"] > 0
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == before
    assert stretched == []


def test_full_build_gives_the_same_bytes(workshop: Workshop) -> None:
    gated(workshop)
    before = workshop.tree()
    assert workshop.build("--full")["written"] == 0
    assert workshop.tree() == before


def test_same_secret_gives_the_same_bytes_on_another_machine(workshop: Workshop, tmp_path: Path) -> None:
    gated(workshop)
    other = Workshop(tmp_path / "elsewhere" / "deep")
    other.folder.mkdir(parents=True)
    other.folder.joinpath("archive.duckdb").write_bytes(workshop.folder.joinpath("archive.duckdb").read_bytes())
    other.folder.joinpath("sitegen.toml").write_bytes(workshop.folder.joinpath("sitegen.toml").read_bytes())
    environment = {"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "77", "LC_ALL": "C"}
    assert other.build_apart("--jobs", "2", environment=environment) == 0
    assert other.tree() == workshop.tree()


def test_second_build_looks_at_nothing(workshop: Workshop, stretched: list[bytes]) -> None:
    gated(workshop)
    stretched.clear()
    assert workshop.build()["written"] == 0
    assert "Nothing to do" in workshop.run("build").stdout
    assert stretched == []


def test_one_changed_character_changes_every_block(workshop: Workshop) -> None:
    folder = gated(workshop)
    (body,) = folder.glob("b.*.bin")
    before = body.read_bytes()
    workshop.talk(tides("Or the new one?"), RIVERS)
    workshop.build()
    (body,) = folder.glob("b.*.bin")
    after = body.read_bytes()
    blocks = {before[at : at + 16] for at in range(len(before) - 15)}
    assert not [at for at in range(0, len(after) - 15, 16) if after[at : at + 16] in blocks]


@pytest.mark.parametrize("name", ["PEARL", "SITEGEN_SITE_SECRET"])
def test_changed_secret_makes_pages_anew(workshop: Workshop, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folder = gated(workshop)
    before = core_of(folder)
    monkeypatch.setenv(name, {"PEARL": OTHER}.get(name, b64u(bytes(32))))
    assert workshop.build()["written"] > 0
    assert core_of(folder)["commit"] != before["commit"]
    assert (open_folder(folder, password=PASSWORD) is None) == (name == "PEARL")


def test_rotated_share_opens_by_no_link_of_before(workshop: Workshop) -> None:
    folder = gated(workshop)
    (way,) = json.loads(workshop.run("links", "--json").stdout)
    salt = core_of(folder)["kdf"]["salt"]
    assert workshop.run("rotate", "t").exit_code == 0
    workshop.build()
    assert open_folder(folder, link=way["link"]) is None
    assert core_of(folder)["kdf"]["salt"] != salt
    assert open_folder(folder, password=PASSWORD) is not None


def test_many_shares_of_one_password_are_stretched_once(workshop: Workshop, stretched: list[bytes]) -> None:
    workshop.talk(*(talk_about(f"subject {n}") for n in range(30)))
    workshop.configure('[[rule]]\nmatch = {}\ngate = "password"\nsecret = "env:PEARL"\n')
    workshop.build()
    assert len(stretched) == 1
    folders = list((workshop.public / "s").iterdir())
    assert len(folders) == 30
    assert len({core_of(folder)["kdf"]["salt"] for folder in folders}) == 1
    assert len({core_of(folder)["commit"] for folder in folders}) == 30


# -------------------------------------------------------------------------------------------------- opening and closing


def test_open_share_that_gets_a_gate_leaves_nothing_in_the_open(workshop: Workshop) -> None:
    gated(workshop, 'gate = "none"')
    assert holding(workshop, b"pearl")
    folder = gated(workshop)
    assert holding(workshop, *WORDS) == {}
    assert open_folder(folder, password=PASSWORD) is not None


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        (None, 1, "the share “t” needs a password from env:PEARL, and nothing is there"),
        ("password1234", 3, "the password of the share “t” can be guessed in"),
        ("short", 3, "fewer than 12 characters"),
    ],
    ids=["missing", "weak", "short"],
)
def test_share_that_can_t_be_protected_is_not_published(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, value: str | None, code: int, message: str
) -> None:
    gated(workshop, 'gate = "none"')
    if value is None:
        monkeypatch.delenv("PEARL")
    else:
        monkeypatch.setenv("PEARL", value)
    workshop.configure(share("tides", "t", *GATED) + share("rivers", "r"))
    result = workshop.run("build")
    assert result.exit_code == code
    assert message in result.stderr
    assert value is None or value not in result.output
    assert not (workshop.public / "s/t").exists()
    assert (workshop.public / "s/r/index.html").exists()
    assert holding(workshop, *WORDS) == {}
    assert workshop.run("build").exit_code == code  # it isn't forgotten


def test_missing_password_of_a_project_is_told_with_what_is_missing(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.talk(talk_about("tides", project="/home/ann/sea"), talk_about("rivers"))
    project = '[[project]]\nmatch = "~/sea"\nslug = "sea"\ngate = "password"\n\n'
    workshop.configure(project + share("tides", "t", "listed = true") + share("rivers", "r"))
    result = workshop.run("build")
    assert result.exit_code != 0
    assert "1 of 2 shares and 1 index of protected projects couldn't be made; the others were." in result.stderr
    assert "“sitegen rotate sea --new-passphrase” makes one" in result.stderr
    assert workshop.run("rotate", "sea", "--new-passphrase").exit_code == 0
    workshop.build()


def test_weak_password_passes_when_its_owner_says_so(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEARL", "password1234")
    workshop.talk(tides())
    workshop.configure(share("tides", "t", *GATED, "allow_weak = true"))
    result = workshop.run("build")
    assert result.exit_code == 0
    assert "can be guessed in" in result.stderr
    workshop.configure(share("tides", "t", *GATED))
    assert workshop.run("build").exit_code == 3
    assert not (workshop.public / "s/t").exists()


def test_without_a_site_secret_nothing_is_published(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SITEGEN_SITE_SECRET")
    workshop.talk(tides())
    workshop.configure('[[rule]]\nmatch = {}\ngate = "password"\nsecret = "env:PEARL"\n')
    result = workshop.run("build")
    assert result.exit_code == 2
    assert "SITEGEN_SITE_SECRET" in result.stderr
    assert not list(workshop.public.glob("s/*"))


def test_secrets_that_others_can_read_are_refused(workshop: Workshop) -> None:
    workshop.talk(tides())
    workshop.configure(share("tides", "t", *GATED))
    (workshop.folder / ".sitegen").mkdir()
    (workshop.folder / ".sitegen/secrets.toml").write_text("[secrets]\n")
    (workshop.folder / ".sitegen/secrets.toml").chmod(0o644)
    result = workshop.run("build")
    assert result.exit_code == 3
    assert "chmod 600" in result.stderr


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "are to be in terms.md, which isn't there"),
        (b" ", "in terms.md are empty"),
        (b"\xff", "aren't text in UTF-8"),
    ],
    ids=["missing", "empty", "no-text"],
)
def test_terms_that_can_t_be_read_are_told(workshop: Workshop, data: bytes | None, message: str) -> None:
    if data is not None:
        (workshop.folder / "terms.md").write_bytes(data)
    workshop.talk(tides(), RIVERS)
    workshop.configure(share("tides", "t", *GATED, 'agreement = "terms.md"') + share("rivers", "r"))
    result = workshop.run("build")
    assert result.exit_code == 1
    assert "the terms of the share “t”" in result.stderr
    assert message in result.stderr
    assert (workshop.public / "s/r/index.html").exists()


def test_state_and_cache_hold_no_secret_and_no_hash_of_one(workshop: Workshop) -> None:
    gated(workshop)
    for file in (workshop.folder / ".sitegen").rglob("*"):
        assert not file.is_file() or b"horse" not in file.read_bytes(), file
    rows = sqlite3.connect(workshop.folder / ".sitegen/state.sqlite").execute("SELECT page_key FROM share").fetchall()
    assert len(rows) == 2


# ------------------------------------------------------------------------------------------------------------ projects

PROJECT = '[[project]]\nmatch = "~/sea"\nslug = "sea"\ntitle = "Wapping"\ngate = "password"\nsecret = "env:PEARL"\n\n'


def sea(workshop: Workshop, *more: str) -> None:
    workshop.talk(
        talk_about("tides", "And the secret pearl?", "Under the old pier.", project="/home/ann/sea"),
        talk_about("waves", project="/home/ann/sea"),
        talk_about("rivers"),
    )
    listed = "listed = true"
    shares = share("tides", "t", listed) + share("waves", "w", listed, *more) + share("rivers", "r", listed)
    workshop.configure(PROJECT + shares)
    workshop.build()


def test_protected_project_is_named_on_no_page_with_another_gate(workshop: Workshop) -> None:
    workshop.talk(tides(), talk_about("rivers", project="/home/ann/sea"), talk_about("lakes", project="/home/ann/sea"))
    named = '[[project]]\nmatch = "~/sea"\nslug = "s1"\ntitle = "The Wapping case"\n'
    shares = share("rivers", "r", 'gate = "none"', "listed = true") + share(
        "lakes", "l", 'gate = "password"', 'secret = "env:OTHER"', "listed = true"
    )
    workshop.configure(f"{named}\n{shares}")
    workshop.build()
    assert "Wapping" in workshop.page("s/r")
    workshop.configure(f'{named}gate = "password"\nsecret = "env:PEARL"\n\n{shares}')
    workshop.build()
    assert holding(workshop, b"Wapping") == {}
    opened = open_folder(workshop.public / "s/l", password=OTHER)
    assert opened is not None
    assert "Wapping" not in opened.html


def test_protected_project_lists_its_shares_inside(workshop: Workshop) -> None:
    sea(workshop)
    assert holding(workshop, *WORDS, b"On waves") == {}
    index = open_folder(workshop.public / "p/sea", password=PASSWORD)
    assert index is not None
    assert all(word in index.html for word in ("On tides", "On waves", "Wapping"))
    assert "p/sea" not in workshop.page("index.html")
    folders = [workshop.public / path for path in ("p/sea", "s/t", "s/w")]
    assert len({core_of(folder)["kdf"]["salt"] for folder in folders}) == 1
    assert all(open_folder(folder, password=PASSWORD) for folder in folders)


def test_one_link_opens_a_project_and_its_shares(workshop: Workshop) -> None:
    sea(workshop)
    link = json.loads(workshop.run("links", "sea", "--json").stdout)[0]["link"]
    assert all(open_folder(workshop.public / path, link=link) for path in ("p/sea", "s/t", "s/w"))


def test_share_with_a_gate_of_its_own_is_unnamed_inside(workshop: Workshop) -> None:
    sea(workshop, 'gate = "password"', 'secret = "env:OTHER"')
    index = open_folder(workshop.public / "p/sea", password=PASSWORD)
    assert index is not None
    assert "On waves" not in index.html
    assert "On tides" in index.html
    assert open_folder(workshop.public / "s/w", password=PASSWORD) is None
    assert open_folder(workshop.public / "s/w", password=OTHER) is not None


def test_index_follows_its_shares_and_is_kept_otherwise(workshop: Workshop, stretched: list[bytes]) -> None:
    sea(workshop)
    before = workshop.tree()
    stretched.clear()
    workshop.talk(
        talk_about("tides", "And the secret pearl?", "Under the old pier.", project="/home/ann/sea"),
        talk_about("waves", project="/home/ann/sea"),
        talk_about("rivers", "More?"),
    )
    workshop.build()
    changed = {path for path, data in workshop.tree().items() if before.get(path) != data}
    assert not [path for path in changed if path.startswith(("p/sea", "s/t", "s/w"))]
    assert stretched == []
    workshop.talk(
        talk_about("tides", project="/home/ann/sea", title="On high tides"),
        talk_about("waves", project="/home/ann/sea"),
        talk_about("rivers", "More?"),
    )
    workshop.build()
    index = open_folder(workshop.public / "p/sea", password=PASSWORD)
    assert index is not None
    assert "On high tides" in index.html


def test_project_that_gets_a_gate_loses_its_open_index(workshop: Workshop) -> None:
    sea(workshop)
    text = (workshop.folder / "sitegen.toml").read_text()
    (workshop.folder / "sitegen.toml").write_text(text.replace('gate = "password"\nsecret = "env:PEARL"\n\n', "\n"))
    workshop.build()
    assert holding(workshop, b"On waves")
    (workshop.folder / "sitegen.toml").write_text(text)
    workshop.build()
    assert holding(workshop, *WORDS, b"On waves") == {}


# ----------------------------------------------------------------------------------------------------- what may be said


def test_hint_and_public_title_are_all_that_is_said_outside(workshop: Workshop) -> None:
    folder = gated(workshop, *GATED, 'hint = "Ask Ann"', 'public_title = "A story for friends"')
    assert "Ask Ann" in (folder / "index.html").read_text("utf-8")
    indexes = [path for path in holding(workshop, b"A story for friends") if path.startswith("p/")]
    assert [path for path in indexes if path.endswith("index.html")]
    assert holding(workshop, *WORDS) == {}
    opened = open_folder(folder, password=PASSWORD)
    assert opened is not None
    assert "On tides" in opened.html


def test_hint_that_gives_the_password_away_is_refused(workshop: Workshop) -> None:
    workshop.talk(tides())
    workshop.configure(share("tides", "t", *GATED, f'hint = "It is {PASSWORD.upper()}"'))
    result = workshop.run("build")
    assert result.exit_code == 3
    assert "the hint of the share “t” holds the password itself" in result.stderr
    assert "horse" not in result.output.lower()
