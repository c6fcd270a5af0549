"""Keys come from where they're kept in the forms they're kept in, and are never told; signatures say whose they are."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from sitegen.archive.signing import check_signature, load_public, load_signer
from sitegen.errors import UsageError
from tests.support.keys import make_keys

SEED = bytes(range(32))
DATA = b'{"a manifest": 1}'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(SEED.hex(), id="hexadecimal"),
        pytest.param(base64.b64encode(SEED).decode(), id="base64"),
        pytest.param(base64.urlsafe_b64encode(SEED).decode().rstrip("=") + "\n", id="base64 for addresses"),
    ],
)
def test_key_may_be_written_down_as_text(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCHIVE_KEY", text)
    keys = make_keys(tmp_path)
    assert load_signer("env:ARCHIVE_KEY").public == load_signer(f"file:{keys.private}").public


def test_public_key_may_be_given_in_each_form(tmp_path: Path) -> None:
    keys = make_keys(tmp_path)
    public = load_signer(f"file:{keys.private}").public
    (tmp_path / "plain.txt").write_text(f"{public}\n")
    given = [public, str(keys.public), f"file:{keys.public}", str(tmp_path / "plain.txt")]
    assert {load_public(each) for each in given} == {public}


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        pytest.param("env:NOT_SET_AT_ALL", "which isn't set", id="unset"),
        pytest.param("file:no/such/file", "no such file", id="missing"),
        pytest.param("hunter2", "named by where it's kept", id="a literal"),
        pytest.param("file:{folder}/ann.enc", "unencrypted Ed25519", id="encrypted"),
        pytest.param("file:{folder}/ann.pub", "unencrypted Ed25519", id="public"),
        pytest.param("file:{folder}/short", "32 bytes", id="too short"),
    ],
)
def test_key_that_is_none_is_refused_without_being_told(reference: str, told: str, tmp_path: Path) -> None:
    make_keys(tmp_path)
    (tmp_path / "short").write_text("secretletters")
    with pytest.raises(UsageError) as refused:
        load_signer(reference.format(folder=tmp_path))
    assert told in str(refused.value)
    assert "secretletters" not in str(refused.value)


def test_signature_of_these_bytes_is_good_and_says_whose_it_is(tmp_path: Path) -> None:
    signer = load_signer(f"file:{make_keys(tmp_path).private}")
    checked = check_signature(DATA, signer.sign(DATA), trusted=signer.public)
    assert (checked.verdict, checked.signer) == ("good", signer.public)


@pytest.mark.parametrize("case", ["other bytes", "other key", "no signature", "cut short", "noise", "another's name"])
def test_signature_that_does_not_fit_is_bad(case: str, tmp_path: Path) -> None:
    signer = load_signer(f"file:{make_keys(tmp_path).private}")
    other = load_signer(f"file:{make_keys(tmp_path, 'bo', seed=bytes(32)).private}")
    text: bytes | None = signer.sign(DATA)
    assert text is not None
    data, trusted = DATA, signer.public
    match case:
        case "other bytes":
            data = DATA + b" "
        case "other key":
            text = other.sign(DATA)
        case "no signature":
            text = None
        case "cut short":
            text = text[:-10]
        case "noise":
            text = b"\xff" * 300
        case _:
            text = text.replace(signer.public.encode(), other.public.encode())
            trusted = other.public
    assert check_signature(data, text, trusted=trusted).verdict == "bad"


def test_without_a_signature_and_without_a_key_nothing_is_said() -> None:
    assert check_signature(DATA, None, trusted=None).verdict == "none"
