"""Secrets are found where references say, kept from others, and never said."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from sitegen.config.private import keep, keep_site_secret, private_path
from sitegen.errors import RefusedError, SitegenError, UsageError
from sitegen.gate.encoding import b64u
from sitegen.gate.vault import Vault, variable

SECRET = "correct horse battery staple"
SITE_SECRET = bytes(range(32))


def private(folder: Path, text: str, *, mode: int = 0o600) -> Path:
    path = private_path(folder)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        ("fixing-the-parser", "SITEGEN_SECRET_FIXING_THE_PARSER"),
        ("v1.2_b", "SITEGEN_SECRET_V1_2_B"),
        ("p:talks", "SITEGEN_SECRET_TALKS"),
        ("über", "SITEGEN_SECRET__BER"),
    ],
)
def test_each_share_has_a_variable(scope: str, name: str) -> None:
    assert variable(scope) == name


def test_references_lead_to_secrets(tmp_path: Path) -> None:
    private(tmp_path, f'[secrets]\nx = "{SECRET} x"\ntalks = "{SECRET} t"\n')
    (tmp_path / "note.txt").write_text(f"{SECRET} f \r\n", "utf-8", newline="")
    vault = Vault.open(tmp_path, environ={"TALKS": f"{SECRET} e", "SITEGEN_SECRET_Y": f"{SECRET} y"})
    found = {
        reference: vault.find(reference, scope=scope)
        for reference, scope in [("env:TALKS", "x"), ("file:note.txt", "x"), ("private:talks", "x")]
    }
    assert {reference: (each.value, each.place) for reference, each in found.items() if each} == {
        "env:TALKS": (f"{SECRET} e", "env:TALKS"),
        "file:note.txt": (f"{SECRET} f ", "file:note.txt"),
        "private:talks": (f"{SECRET} t", ".sitegen/secrets.toml"),
    }
    defaults = [vault.find(None, scope=scope) for scope in ("x", "y", "z")]
    assert [each and each.value for each in defaults] == [f"{SECRET} x", f"{SECRET} y", None]


def test_environment_comes_before_the_private_file(tmp_path: Path) -> None:
    private(tmp_path, '[secrets]\nx = "one"\n')
    found = Vault.open(tmp_path, environ={"SITEGEN_SECRET_X": "two"}).find(None, scope="x")
    assert found is not None
    assert (found.value, found.place) == ("two", "env:SITEGEN_SECRET_X")


@pytest.mark.parametrize("reference", ["env:NONE", "file:none.txt", "private:none", None])
def test_what_is_missing_is_none(tmp_path: Path, reference: str | None) -> None:
    vault = Vault.open(tmp_path, environ={})
    assert vault.find(reference, scope="x") is None
    assert vault.place_of(reference, scope="x") is None


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660], ids=oct)
def test_private_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = private(tmp_path, f'[secrets]\nx = "{SECRET}"\n', mode=mode)
    with pytest.raises(RefusedError, match=f"can be read by others .*; run “chmod 600 {path}”") as refused:
        Vault.open(tmp_path, environ={})
    assert refused.value.exit_code == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"site_secret = {SECRET}", ":1 isn't valid TOML"),
        (f'a = 1\nb = "{SECRET}\nc = 2', ":2 isn't valid TOML"),
        (f'secrets = "{SECRET}"', r"\[secrets\] .* should be a table"),
        ("[secrets]\nx = 12345678", "“x” should be a text in quotes"),
        ("[codes]\nx = [1, 2]", "“x” should be a list of codes"),
        (f'site_secret = "{SECRET}"', "the site secret in .sitegen/secrets.toml isn't one: 32 bytes"),
        (f'site_secret = "{b64u(SITE_SECRET[:31])}"', "isn't one: 32 bytes"),
    ],
    ids=["bare", "open", "no-table", "number", "numbers", "no-b64u", "short"],
)
def test_private_file_that_is_not_sound_is_told_without_its_text(tmp_path: Path, text: str, message: str) -> None:
    private(tmp_path, text)
    with pytest.raises(UsageError, match=message) as told:
        Vault.open(tmp_path, environ={})
    assert "horse" not in "".join(traceback.format_exception(told.value))


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"x" * 70_000], ids=["no-utf8", "huge"])
def test_secret_file_that_holds_no_secret_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "s").write_bytes(data)
    with pytest.raises(UsageError, match="file:s"):
        Vault.open(tmp_path, environ={}).find("file:s", scope="x")


def test_site_secret_comes_from_the_environment_or_the_private_file(tmp_path: Path) -> None:
    private(tmp_path, f'site_secret = "{b64u(SITE_SECRET)}"')
    other = bytes(32)
    assert Vault.open(tmp_path, environ={}).site_secret == SITE_SECRET
    assert Vault.open(tmp_path, environ={"SITEGEN_SITE_SECRET": b64u(other)}).require_site_secret() == other


def test_missing_site_secret_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"SITEGEN_SITE_SECRET isn't set .* “sitegen init” or “sitegen share"):
        Vault.open(tmp_path, environ={}).require_site_secret()


def test_nothing_of_a_secret_shows(tmp_path: Path) -> None:
    private(tmp_path, f'site_secret = "{b64u(SITE_SECRET)}"\n[secrets]\nx = "{SECRET}"\n[codes]\ny = ["ABCD"]\n')
    vault = Vault.open(tmp_path, environ={"TALKS": SECRET})
    shown = repr(vault) + repr(vault.find("env:TALKS", scope="x"))
    assert not [part for part in ("horse", "ABCD", b64u(SITE_SECRET), "x01") if part in shown]


# --------------------------------------------------------------------------------------------------------- keeping them


def test_secrets_are_kept_beside_what_stood_there(tmp_path: Path) -> None:
    path = private(tmp_path, '# mine\nsite_secret = "x"   # kept\n\n[secrets]\na = "one"\n')
    keep(tmp_path, table="secrets", name="p:talks", value=SECRET)
    keep(tmp_path, table="codes", name="b", value=["A-B", "C-D"])
    text = path.read_text("utf-8")
    assert text.startswith('# mine\nsite_secret = "x"   # kept\n\n[secrets]\na = "one"\n"p:talks" = "correct horse')
    assert '[codes]\nb = ["A-B", "C-D"]' in text
    keep(tmp_path, table="codes", name="b", value=[])
    assert "A-B" not in path.read_text("utf-8")


def test_private_file_is_made_for_its_owner_only(tmp_path: Path) -> None:
    keep_site_secret(tmp_path, b64u(SITE_SECRET))
    keep_site_secret(tmp_path, b64u(bytes(32)))
    path = private_path(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert Vault.open(tmp_path, environ={}).site_secret == SITE_SECRET
    assert sorted(each.name for each in path.parent.iterdir()) == [".gitignore", "config.lock", "secrets.toml"]


def test_broken_private_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = private(tmp_path, f"x = {SECRET}")
    with pytest.raises(SitegenError, match="isn't valid TOML") as told:
        keep(tmp_path, table="secrets", name="a", value="b")
    assert "horse" not in "".join(traceback.format_exception(told.value))
    assert path.read_text() == f"x = {SECRET}"
