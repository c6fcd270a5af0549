"""An archive holds the whole site, is the same for the same site, and leaves everything else as it was."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sitegen.archive.packing import archive_time
from sitegen.errors import UsageError
from sitegen.gate.encoding import b64u
from tests.support.keys import make_keys
from tests.support.workshop import EVERYTHING, Workshop, share, talk_about


def made(workshop: Workshop, name: str = "a.zip", *options: str) -> Path:
    target = workshop.folder.parent / name
    result = workshop.run("archive", "-o", str(target), *options)
    assert result.exit_code == 0, result.output
    return target


def manifest_of(file: Path) -> Any:
    with zipfile.ZipFile(file) as archive:
        return json.loads(archive.read("manifest.json"))


def test_two_archives_of_one_site_have_one_hash(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(workshop, "one.zip")
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    old = os.umask(0o077)
    try:
        second = made(workshop, "another name.zip", "--jobs", "1")
    finally:
        os.umask(old)
    assert hashlib.sha256(first.read_bytes()).digest() == hashlib.sha256(second.read_bytes()).digest()


def test_entries_are_sorted_plain_files_of_one_time_and_mode(workshop: Workshop) -> None:
    with zipfile.ZipFile(made(workshop)) as archive:
        infos = archive.infolist()
    assert [info.filename for info in infos] == sorted(info.filename for info in infos)
    assert {(info.date_time, info.external_attr >> 16, info.create_system) for info in infos} == {
        ((1980, 1, 1, 0, 0, 0), 0o100644, 3)
    }


@pytest.mark.parametrize(
    ("epoch", "expected"),
    [
        pytest.param("", (1980, 1, 1, 0, 0, 0), id="unset"),
        pytest.param("0", (1980, 1, 1, 0, 0, 0), id="zero, before zip's time begins"),
        pytest.param("1767362585", (2026, 1, 2, 14, 3, 5), id="a time"),
        pytest.param("99999999999", (2107, 12, 31, 23, 59, 58), id="after zip's time ends"),
        pytest.param("-5", (1980, 1, 1, 0, 0, 0), id="negative"),
    ],
)
def test_time_of_entries_is_source_date_epoch_as_far_as_a_zip_can_hold_it(
    epoch: str, expected: tuple[int, ...]
) -> None:
    assert archive_time({"SOURCE_DATE_EPOCH": epoch}) == expected


def test_source_date_epoch_that_is_no_number_is_refused() -> None:
    with pytest.raises(UsageError, match="“yesterday”, and should be a number"):
        archive_time({"SOURCE_DATE_EPOCH": "yesterday"})


def test_archive_holds_the_site_as_it_opens_from_disk(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(range(32))))
    monkeypatch.setenv("PEARL", "correct horse battery staple")
    gated = share("rivers", "r", 'gate = "password"', 'secret = "env:PEARL"')
    workshop.configure(share("tides", "tides", "listed = true") + gated)
    archive = made(workshop)
    workshop.build("--offline", "-o", str(workshop.folder / "offline"))
    offline = {
        file.relative_to(workshop.folder / "offline").as_posix(): file.read_bytes()
        for file in (workshop.folder / "offline").rglob("*")
        if file.is_file() and not file.name.startswith(".")
    }
    with zipfile.ZipFile(archive) as packed:
        held = {name: packed.read(name) for name in packed.namelist()}
    assert held.keys() - offline.keys() == {"manifest.json"}
    assert {name: held[name] for name in offline} == offline
    assert b"rivers" not in b"".join(held.values())


def test_manifest_has_the_hash_of_every_file_and_of_the_published_site(workshop: Workshop) -> None:
    archive = made(workshop)
    manifest = manifest_of(archive)
    with zipfile.ZipFile(archive) as packed:
        hashes = {name: hashlib.sha256(packed.read(name)).hexdigest() for name in packed.namelist()}
    assert {name: entry["sha256"] for name, entry in manifest["files"].items()} == {
        name: sha256 for name, sha256 in hashes.items() if name != "manifest.json"
    }
    workshop.build()
    assert {path: entry["sha256"] for path, entry in manifest["live"].items()} == {
        path: hashlib.sha256((workshop.public / path).read_bytes()).hexdigest() for path in workshop.paths()
    }
    assert (manifest["title"], manifest["base_url"]) == ("Notes", "https://ann.example.org/notes/")


def test_published_site_may_be_left_out_of_the_manifest(workshop: Workshop) -> None:
    assert manifest_of(made(workshop, "a.zip", "--no-live"))["live"] == {}


def test_output_and_what_builds_know_of_it_stay_as_they_were(workshop: Workshop) -> None:
    workshop.build()
    before = {file: file.stat().st_mtime_ns for file in workshop.public.rglob("*")}
    made(workshop)
    again = workshop.build()
    assert (again["written"], again["removed"]) == (0, 0)
    assert {file: file.stat().st_mtime_ns for file in workshop.public.rglob("*")} == before
    assert sorted(path.name for path in workshop.folder.parent.iterdir()) == ["a.zip", "workshop"]
    assert not list((workshop.folder / ".sitegen" / "tmp").glob("*"))


def test_nothing_is_left_behind_when_the_site_cannot_be_built(workshop: Workshop) -> None:
    target = workshop.folder.parent / "a.zip"
    target.write_bytes(b"the last one")
    workshop.configure("[[share]]\nconversation = 5\n")
    assert workshop.run("archive", "-o", str(target)).exit_code == 2
    (workshop.folder / "archive.duckdb").write_text("no database")
    workshop.configure(EVERYTHING)
    assert workshop.run("archive", "-o", str(target)).exit_code == 1
    assert target.read_bytes() == b"the last one"
    assert sorted(path.name for path in workshop.folder.parent.iterdir()) == ["a.zip", "workshop"]


def test_full_disk_costs_the_new_archive_only(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    target = made(workshop)
    before = target.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sitegen.archive.packing.shutil.copyfileobj", full)
    result = workshop.run("archive", "-o", str(target))
    assert result.exit_code == 1
    assert "no space left on device" in result.output
    assert target.read_bytes() == before
    assert sorted(path.name for path in workshop.folder.parent.iterdir()) == ["a.zip", "workshop"]


def test_share_that_was_revoked_is_in_the_next_archive_nowhere(workshop: Workshop) -> None:
    made(workshop)
    assert workshop.run("revoke", "tides", "--yes").exit_code == 0
    with zipfile.ZipFile(made(workshop)) as archive:
        held = b"\n".join(archive.read(name) + name.encode() for name in archive.namelist())
    assert b"tides" not in held
    assert b"rivers" in held


@pytest.mark.parametrize(
    ("where", "told"),
    [
        pytest.param("public/a.zip", "which gets published", id="in the output"),
        pytest.param("sitegen.toml", "would be overwritten", id="over the configuration"),
        pytest.param("archive.duckdb", "would be overwritten", id="over the projection"),
        pytest.param(".", "is a folder", id="a folder"),
        pytest.param("no/such/a.zip", "There is no folder", id="in no folder"),
    ],
)
def test_place_that_would_do_harm_is_refused(workshop: Workshop, where: str, told: str) -> None:
    result = workshop.run("archive", "-o", str(workshop.folder / where))
    assert result.exit_code in (1, 2)
    assert told in result.output


def test_signature_is_the_same_each_time_and_beside_the_manifest(workshop: Workshop) -> None:
    keys = make_keys(workshop.folder)
    first = made(workshop, "a.zip", "--key", f"file:{keys.private}")
    second = made(workshop, "b.zip", "--key", f"file:{keys.private}")
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert archive.read("manifest.json.sig").startswith(b"sitegen signature 1\ned25519 ")


def test_json_says_what_was_made(workshop: Workshop) -> None:
    target = workshop.folder.parent / "a.zip"
    report = json.loads(workshop.run("archive", "-o", str(target), "--json").stdout)
    assert report["sha256"] == hashlib.sha256(target.read_bytes()).hexdigest()
    assert (report["bytes"], report["shares"], report["signer"]) == (target.stat().st_size, 2, None)


def test_time_to_build_for_decides_what_has_expired(workshop: Workshop) -> None:
    workshop.talk(talk_about("tides"))
    workshop.configure('[[share]]\nconversation = "claude_code:tides"\nslug = "t"\nexpires = 2026-06-01\n')
    early = made(workshop, "early.zip", "--now", "2026-05-31")
    late = made(workshop, "late.zip", "--now", "2026-06-02")
    with zipfile.ZipFile(early) as archive:
        assert b"all about" in archive.read("s/t/index.html")
    with zipfile.ZipFile(late) as archive:
        assert b"all about" not in archive.read("s/t/index.html")
