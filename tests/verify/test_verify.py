"""A copy is compared with its manifest file by file, wherever it is, and what differs is said."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sitegen.archive.signing import load_signer
from sitegen.cli import main
from tests.support.keys import make_keys
from tests.verify.conftest import FILES, write_all, zip_all


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", *arguments])


def test_whole_copy_is_all_as_the_manifest_says(folder: Path, archive: Path) -> None:
    for place in (folder, archive):
        result = run(str(place))
        assert result.exit_code == 0, result.output
        assert "5 files checked: all as the manifest says" in result.output
        assert "Not signed" in result.output


def _lose(folder: Path) -> None:
    (folder / "404.html").unlink()


def _change(folder: Path) -> None:
    (folder / "404.html").write_bytes(b"GONE")


def _lengthen(folder: Path) -> None:
    (folder / "404.html").write_bytes(b"gone and more")


def _add(folder: Path) -> None:
    (folder / "s" / "revoked.html").write_bytes(b"still here")


def _replace(folder: Path) -> None:
    (folder / "404.html").unlink()
    (folder / "404.html").mkdir()


@pytest.mark.parametrize(
    ("act", "told"),
    [
        pytest.param(_lose, "missing: 404.html", id="missing"),
        pytest.param(_change, "changed: 404.html: it holds other bytes", id="changed"),
        pytest.param(_lengthen, "changed: 404.html: it is longer than 4 bytes", id="longer"),
        pytest.param(_add, "extra: s/revoked.html", id="extra"),
        pytest.param(_replace, "changed: 404.html: there is a folder of that name", id="a folder in its place"),
    ],
)
def test_what_differs_is_said_of_a_folder_and_of_a_zip(
    act: Callable[[Path], None], told: str, folder: Path, tmp_path: Path
) -> None:
    act(folder)
    result = run(str(folder))
    assert result.exit_code == 1
    assert told in result.output
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    result = run(str(zip_all(tmp_path / "b.zip", files)))
    assert result.exit_code == 1
    assert told.split(": ")[1].split(": ")[0] in result.output


def test_link_in_a_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(FILES["404.html"])
    (folder / "404.html").unlink()
    (folder / "404.html").symlink_to(tmp_path / "elsewhere")
    result = run(str(folder))
    assert result.exit_code == 1
    assert "404.html: it is a symbolic link" in result.output


def test_published_folder_is_checked_against_the_archive_of_the_site(archive: Path, tmp_path: Path) -> None:
    write_all(tmp_path / "public")
    (tmp_path / "public" / ".nojekyll").touch()
    (tmp_path / "public" / ".sitegen-files").write_text("hashes")
    assert run(str(tmp_path / "public"), "--manifest", str(archive)).exit_code == 0
    (tmp_path / "public" / "old.html").touch()
    assert "extra: old.html" in run(str(tmp_path / "public"), "--manifest", str(archive)).output


@pytest.mark.parametrize("where", ["zip", "json", "folder"])
def test_manifest_may_be_named_in_each_form(where: str, folder: Path, archive: Path, tmp_path: Path) -> None:
    write_all(tmp_path / "public")
    named = {"zip": archive, "json": folder / "manifest.json", "folder": folder}[where]
    assert run(str(tmp_path / "public"), "--manifest", str(named)).exit_code == 0


def test_place_without_a_manifest_needs_one_named(tmp_path: Path) -> None:
    write_all(tmp_path / "public")
    result = run(str(tmp_path / "public"))
    assert result.exit_code == 2
    assert "--manifest names an archive" in result.output


@pytest.mark.parametrize("target", ["no/such/place", "ftp://example.org/", "https://example.org/?x=1", "http://[::1"])
def test_target_that_is_none_is_refused(target: str) -> None:
    assert run(target).exit_code == 2


def test_device_or_pipe_is_refused_unread(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless.zip")
    result = run(str(tmp_path / "endless.zip"))
    assert result.exit_code == 2
    assert "there is no file or folder" in result.output


def test_password_in_an_address_is_refused_and_not_repeated() -> None:
    result = run("https://ann:hunter2@example.org/")
    assert result.exit_code == 2
    assert "can't hold a user or a password" in result.output
    assert "hunter2" not in result.output


def test_signature_by_the_named_key_is_good_and_any_change_makes_it_bad(folder: Path, tmp_path: Path) -> None:
    keys = make_keys(tmp_path)
    manifest = folder / "manifest.json"
    signer = load_signer(f"file:{keys.private}")
    (folder / "manifest.json.sig").write_bytes(signer.sign(manifest.read_bytes()))
    result = run(str(folder), "--key", str(keys.public))
    assert result.exit_code == 0, result.output
    assert f"Signed by {signer.public}" in result.output
    manifest.write_bytes(manifest.read_bytes().replace(b'"Notes"', b'"Other"'))
    result = run(str(folder), "--key", str(keys.public))
    assert result.exit_code == 3
    assert "The signature is wrong: the signature doesn't fit the manifest" in result.output


def test_unsigned_copy_is_refused_where_a_key_is_named(folder: Path, tmp_path: Path) -> None:
    assert run(str(folder), "--key", str(make_keys(tmp_path).public)).exit_code == 3


def test_json_tells_all_of_it(folder: Path) -> None:
    _lose(folder)
    _add(folder)
    report = json.loads(run(str(folder), "--json").stdout)
    assert report == {
        "ok": False,
        "checked": 5,
        "signature": "none",
        "signer": None,
        "missing": ["404.html"],
        "changed": [],
        "extra": ["s/revoked.html"],
        "unsafe": [],
        "extra_known": True,
    }


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions don't bind the superuser")
def test_file_that_cannot_be_read_differs(folder: Path) -> None:
    (folder / "404.html").chmod(0)
    assert "404.html: permission denied" in run(str(folder)).output
