"""Weak secrets are refused in words that don't hold them; strong ones become ways in, each stretched once."""

from __future__ import annotations

import re
import traceback
import unicodedata
from pathlib import Path

import pytest
from msgspec.structs import replace

from sitegen.errors import RefusedError, UsageError
from sitegen.gate import credentials, keys
from sitegen.gate.credentials import Judge, Wish, gate_id, gather, stretch_all
from sitegen.gate.encoding import b64u
from sitegen.gate.phrases import make_codes, make_passphrase, make_site_secret
from sitegen.gate.strength import time_to_crack
from sitegen.gate.vault import Vault

SITE = bytes(range(32))
STRONG = "correct horse battery staple"
PASSWORD = Wish("password", "x", "the share “x”", secret="env:P", names=("x", "Why the parser stumbled"))
CODES = Wish("otp", "x", "the share “x”", secret="env:P")
EMAIL = Wish("email", "x", "the share “x”", recipients=("Bo@Example.org ", "ann@example.org", "bo@example.org"))


def vault(value: str | None = STRONG, **environ: str) -> Vault:
    given = {"SITEGEN_SITE_SECRET": b64u(SITE), **environ, **({} if value is None else {"P": value})}
    return Vault.open(Path("/nowhere"), environ=given)


# ---------------------------------------------------------------------------------------------------------- passwords


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("short", "has fewer than 12 characters"),
        ("e\u0301" * 11, "has fewer than 12 characters"),
        ("why the PARSER stumbled", "is the share's own slug or title"),
        ("half \udc80 a character", "a lone surrogate"),
        ("ab " * 400, "is longer than 1,024 bytes"),
        ("two\nlines of it", "a line end or another control character"),
    ],
    ids=["short", "composed", "title", "surrogate", "long", "line-end"],
)
def test_password_that_cannot_be_used_is_refused_without_being_said(password: str, message: str) -> None:
    with pytest.raises(RefusedError, match=f"the password of the share “x” .*{message}") as refused:
        gather(PASSWORD, vault(password))
    assert password not in "".join(traceback.format_exception(refused.value))
    assert refused.value.exit_code == 3


@pytest.mark.parametrize("password", ["password1234", "aaaaaaaaaaaaaaaaaaaa", "qwertyuiop123", "January 2026!"])
def test_password_that_can_be_guessed_is_refused_with_the_time_it_takes(password: str) -> None:
    keyring = gather(PASSWORD, vault(password))
    with pytest.raises(RefusedError, match=r"can be guessed in .* on one graphics card") as refused:
        Judge().check(PASSWORD, keyring)
    assert password not in str(refused.value)
    said = Judge().check(replace(PASSWORD, is_weak_allowed=True), keyring)
    assert said is not None
    assert re.search("in (less than a minute|about )", said)


def test_strong_password_passes_in_silence() -> None:
    assert Judge().check(PASSWORD, gather(PASSWORD, vault())) is None


def test_each_password_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def count(password: str) -> float:
        asked.append(password)
        return 1e15

    monkeypatch.setattr(credentials, "count_guesses", count)
    judge, keyring = Judge(), gather(PASSWORD, vault())
    for _ in range(3):
        judge.check(PASSWORD, keyring)
    assert asked == [STRONG]


@pytest.mark.parametrize(
    ("guesses", "said"),
    [
        (10**3, "less than a minute"), (10**6, "about 1 minute"), (10**8, "about 2 hours"),
        (10**10, "about 8 days"), (10**12, "about 2 years"), (10**16, "about 21,125 years"),
    ],
)  # fmt: skip
def test_time_to_crack_in_words(guesses: int, said: str) -> None:
    assert time_to_crack(guesses) == said


@pytest.mark.parametrize("wish", [PASSWORD, CODES, replace(EMAIL, recipients=(), secret="env:P")])
def test_missing_secret_is_told_with_its_place(wish: Wish) -> None:
    with pytest.raises(UsageError, match=r"the share “x” needs .* from env:P, and nothing is there"):
        gather(wish, vault(None))
    with pytest.raises(UsageError, match=r"set SITEGEN_SECRET_X, or put it into .sitegen/secrets.toml"):
        gather(replace(wish, secret=None), vault(None))


def test_shares_of_one_password_are_one_group() -> None:
    a, b = gather(PASSWORD, vault()), gather(replace(PASSWORD, scope="y"), vault())
    assert a.stretches == b.stretches
    assert a.holders[0].link != b.holders[0].link


@pytest.mark.parametrize("change", [{"epoch": 1}], ids=["epoch"])
def test_new_epoch_gives_new_salt_and_link(change: dict[str, int]) -> None:
    a, b = gather(PASSWORD, vault()), gather(replace(PASSWORD, **change), vault())
    assert a.salt != b.salt
    assert a.holders[0].link != b.holders[0].link


# ------------------------------------------------------------------------------------------------- recipients and codes


def test_each_recipient_has_an_own_code_and_link() -> None:
    keyring = gather(EMAIL, vault(None))
    assert [holder.recipient for holder in keyring.holders] == ["bo@example.org", "ann@example.org"]
    assert len({holder.secret for holder in keyring.holders} | {holder.link for holder in keyring.holders}) == 4
    assert all(re.fullmatch("[0-9A-HJKMNP-TV-Z]{16}", holder.secret) for holder in keyring.holders)


def test_recipients_can_be_kept_as_a_secret() -> None:
    keyring = gather(replace(EMAIL, recipients=(), secret="env:P"), vault("ann@example.org\nBo@example.org"))
    assert [holder.recipient for holder in keyring.holders] == ["ann@example.org", "bo@example.org"]
    with pytest.raises(UsageError, match="env:P should hold e-mail addresses") as told:
        gather(replace(EMAIL, secret="env:P"), vault(STRONG))
    assert "horse" not in str(told.value)


def test_removing_a_recipient_leaves_the_others_as_they_were() -> None:
    both, one = gather(EMAIL, vault(None)), gather(replace(EMAIL, recipients=("ann@example.org",)), vault(None))
    assert one.holders == both.holders[1:]
    assert gate_id(SITE, one) != gate_id(SITE, both)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ("123456", "code 1 .* has 6 characters.* 1,000,000 possibilities at 15,000 a second .* are about 1 minute"),
        ("ABCDEFGH JKMNPQRS", "code 1 .* has 8 characters.* 32.8 possibilities"),
        ("ABCD-EFGH-JKMN-PQRS 1234", "code 2 .* has 4 characters"),
        ("ABCD-EFGH-JKMN-PQR!", "code 1 .* other characters than digits and letters"),
    ],
)
def test_short_codes_are_refused_with_the_arithmetic(codes: str, message: str) -> None:
    with pytest.raises(RefusedError, match=message) as refused:
        gather(CODES, vault(codes))
    assert not [code for code in codes.split() if code in str(refused.value)]


def test_codes_may_be_typed_in_any_way() -> None:
    shown, plain = gather(CODES, vault("abcd-efgh-jkmn-pqro")), gather(CODES, vault("ABCDEFGHJKMNPQR0"))
    assert shown.stretches == plain.stretches


@pytest.mark.parametrize(
    ("wish", "count", "message"),
    [(EMAIL, 2_047, "2,049 recipients and can have 2,048"), (CODES, 4_097, "4,097 codes and can have 4,096")],
    ids=["recipients", "codes"],
)
def test_more_ways_in_than_readers_try_are_refused(wish: Wish, count: int, message: str) -> None:
    texts = [f"r{n}@example.org" for n in range(count)] if wish is EMAIL else [f"{n:016}" for n in range(count)]
    wish = replace(wish, secret="env:P")
    with pytest.raises(UsageError, match=message):
        gather(wish, vault("\n".join(texts)))
    fewer = texts[: -1 if wish.kind == "otp" else -3]
    assert len(gather(wish, vault("\n".join(fewer))).stretches) <= 4_096


def test_agreement_needs_nothing() -> None:
    assert gather(Wish("agreement", "x", "the share “x”"), Vault(Path("/nowhere"))).stretches == ()


# ----------------------------------------------------------------------------------------------------------- ways in


def test_roots_are_those_of_the_key_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    password, email, code = gather(PASSWORD, vault()), gather(EMAIL, vault(None)), gather(CODES, vault("A0" * 8))
    rings = (password, email, code)
    roots = stretch_all((each for ring in rings for each in ring.stretches), iterations=1000)
    fast = {"iterations": 1000}
    assert password.credentials(roots)[0].root == keys.password_root(STRONG, salt=password.salt, **fast)
    bo = email.holders[0]
    assert email.credentials(roots)[0].root == keys.email_root(" BO@example.org", bo.secret, salt=email.salt, **fast)
    assert code.credentials(roots)[0].root == keys.code_root("ao" * 8, salt=code.salt, **fast)
    assert [each.kind for each in email.credentials(roots)] == ["pw", "pw", "lnk", "lnk"]


def test_each_secret_is_stretched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[bytes] = []

    def stretch(material: bytes, *, salt: bytes, iterations: int) -> bytes:
        done.append(material)
        return bytes(32)

    monkeypatch.setattr(keys, "stretch", stretch)
    rings = [gather(replace(PASSWORD, scope=f"share-{number}"), vault()) for number in range(500)]
    assert len(stretch_all(each for ring in rings for each in ring.stretches)) == 1
    assert done == [STRONG.encode()]


def test_gate_id_follows_every_way_in_and_is_no_hash_of_the_password() -> None:
    plain = gather(PASSWORD, vault())
    others = [
        gate_id(SITE, gather(PASSWORD, vault(f"{STRONG}!"))),
        gate_id(SITE, gather(replace(PASSWORD, epoch=1), vault())),
        gate_id(SITE, gather(replace(PASSWORD, scope="y"), vault())),
        gate_id(SITE, plain, "terms"),
        gate_id(bytes(32), plain),
        gate_id(SITE, gather(EMAIL, vault(None))),
    ]
    assert len({gate_id(SITE, plain), *others}) == 7
    assert gate_id(SITE, plain) == gate_id(SITE, gather(PASSWORD, vault()))


def test_composed_and_decomposed_spellings_are_one_password() -> None:
    text = "Crème brûlée am Montag"
    one, two = (gather(PASSWORD, vault(unicodedata.normalize(form, text))) for form in ("NFC", "NFD"))
    assert one.stretches == two.stretches
    assert gate_id(SITE, one) == gate_id(SITE, two)


def test_nothing_of_a_keyring_shows() -> None:
    for ring in (gather(PASSWORD, vault()), gather(EMAIL, vault(None))):
        shown = repr(ring) + repr(ring.holders)
        assert not [each for each in ("horse", ring.holders[0].secret, repr(ring.salt)) if each in shown]


# ------------------------------------------------------------------------------------------------------------- making


def test_passphrase_has_six_words_and_is_strong() -> None:
    made = {make_passphrase() for _ in range(20)}
    assert len(made) == 20
    assert {len(each.split(" ")) for each in made} == {6}
    keyring = gather(PASSWORD, vault(made.pop()))
    assert Judge().check(PASSWORD, keyring) is None


def test_codes_are_different_and_long() -> None:
    codes = make_codes(50)
    assert len(set(codes)) == 50
    assert all(re.fullmatch("(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}", code) for code in codes)
    assert len(gather(CODES, vault(" ".join(codes))).holders) == 50


def test_site_secret_is_one() -> None:
    assert len(vault(None, SITEGEN_SITE_SECRET=make_site_secret()).require_site_secret()) == 32
