"""Envelope v1 to the byte: golden values at every step, and nothing opens but what should."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from hypothesis import given
from hypothesis import strategies as st

from sitegen.gate import keys, stream
from sitegen.gate.encoding import b64u, encode_code, normalise_code, padme, show_code, unb64u
from sitegen.gate.envelope import Credential, Protection, Sealed, seal
from sitegen.gate.identity import attachment_id, group_salt, link_root, password_group, recipient_code

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent.parent / "fixtures" / "envelope-v1.json").read_text())
CASES = [pytest.param(case, id=case["name"]) for case in GOLDEN["cases"]]
CREDENTIAL = unb64u(GOLDEN["S_cred"])
SECRET = bytes(range(32))
FAST = 1000


def _opened(case: dict[str, Any]) -> tuple[bytes, dict[str, Any], bytes, bytes]:
    """The core's bytes and fields, H and CMK of a golden case."""
    core = unb64u(case["envelope"]["core"])
    fields = json.loads(core)
    terms = case["envelope"]["terms"]
    terms_hash = None if terms is None else hashlib.sha256(terms.encode()).digest()
    cmk = keys.master_key(fields["need"], terms_hash=terms_hash, credential=CREDENTIAL)
    return core, fields, keys.envelope_hash(core), cmk


def _roots(case: dict[str, Any], fields: dict[str, Any]) -> list[bytes]:
    given = case["opens_with"]
    derive: dict[str, Any] = {}
    if fields["kdf"]:
        derive = {"salt": unb64u(fields["kdf"]["salt"]), "iterations": fields["kdf"]["i"]}
    roots = []
    if "password" in given:
        roots.append(keys.password_root(given["password"], **derive))
    if "email" in given:
        roots.append(keys.email_root(given["email"], given["code"], **derive))
    if "link" in given:
        roots.append(unb64u(given["link"]))
    return roots


@pytest.mark.parametrize("case", CASES)
def test_every_step_of_the_key_schedule_is_golden(case: dict[str, Any]) -> None:
    _, fields, core_hash, cmk = _opened(case)
    steps = case["steps"]
    roots = _roots(case, fields)
    assert b64u(core_hash) == steps["H"]
    assert b64u(cmk) == steps["CMK"]
    assert b64u(keys.commitment(cmk, envelope_id=unb64u(fields["id"]))) == steps["commit"] == fields["commit"]
    assert b64u(keys.body_key(cmk, core_hash=core_hash)) == steps["K_body"]
    assert [b64u(root) for root in roots] == steps.get("roots", [])
    for root, slot in zip(roots, case["envelope"]["slots"], strict=True):
        wrapped = keys.wrap(CREDENTIAL, root=root, core_hash=core_hash, kind=slot["t"])
        assert b64u(wrapped) == slot["ct"]
        assert keys.unwrap(wrapped, root=root, core_hash=core_hash, kind=slot["t"]) == CREDENTIAL


@pytest.mark.parametrize("case", CASES)
def test_body_and_attachment_are_golden(case: dict[str, Any]) -> None:
    _, fields, core_hash, cmk = _opened(case)
    html = (GOLDEN["html_line"] * case["repeat"]).encode()
    inner = stream.pack(html, compress=False)
    body = stream.encrypt(inner, key=keys.body_key(cmk, core_hash=core_hash), core_hash=core_hash)
    assert len(inner) == fields["plen"]
    assert hashlib.sha256(body).hexdigest() == case["body_sha256"]
    assert body == unb64u(case["envelope"]["body"]["data"])
    key = keys.attachment_key(cmk, core_hash=core_hash, attachment="00ff")
    attachment = stream.encrypt(stream.pack(b"PNG?", compress=False), key=key, core_hash=core_hash)
    assert b64u(attachment) == case["steps"]["attachment(00ff) of 'PNG?'"]


@pytest.mark.parametrize(("length", "padded"), [(int(k), v) for k, v in GOLDEN["padme"].items()])
def test_padme_sizes_are_golden(length: int, padded: int) -> None:
    assert padme(length) == padded


@pytest.mark.parametrize(("typed", "meant"), GOLDEN["code_norm"].items())
def test_codes_are_read_as_people_type_them(typed: str, meant: str) -> None:
    assert normalise_code(typed) == meant


@given(st.binary(min_size=10, max_size=10))
def test_code_survives_being_shown_and_typed(data: bytes) -> None:
    code = encode_code(data)
    assert len(code) == 16
    assert normalise_code(show_code(code).lower().replace("0", "o")) == code


# ------------------------------------------------------------------------------------------------------------ sealing


def protection(password: str = "six plain words", **fields: Any) -> Protection:
    salt = group_salt(SECRET, password_group(SECRET, password))
    root = keys.password_root(password, salt=salt, iterations=FAST)
    defaults: dict[str, Any] = {"slug": "talk", "salt": salt, "iterations": FAST}
    return Protection(**{**defaults, "credentials": (Credential("pw", root),), **fields})


def open_sealed(sealed: Sealed, root: bytes | None, *, attachment: str | None = None) -> bytes:
    """What a reader with this root sees. Raises InvalidTag or ValueError when it may not."""
    fields = json.loads(sealed.core)
    core_hash = keys.envelope_hash(sealed.core)
    terms_hash = None if sealed.terms is None else hashlib.sha256(sealed.terms.encode()).digest()
    credential = None
    for slot in sealed.slots if root is not None else ():
        try:
            credential = keys.unwrap(slot.ciphertext, root=root or b"", core_hash=core_hash, kind=slot.kind)
        except InvalidTag:
            continue
    cmk = keys.master_key(fields["need"], terms_hash=terms_hash, credential=credential)
    if keys.commitment(cmk, envelope_id=unb64u(fields["id"])) != unb64u(fields["commit"]):
        msg = "commitment"
        raise ValueError(msg)
    if attachment is not None:
        key = keys.attachment_key(cmk, core_hash=core_hash, attachment=attachment)
        return stream.unpack(
            stream.decrypt(sealed.attachments[attachment], key=key, core_hash=core_hash), compress=False
        )
    inner = stream.decrypt(sealed.body, key=keys.body_key(cmk, core_hash=core_hash), core_hash=core_hash)
    assert len(inner) == fields["plen"]
    return stream.unpack(inner, compress=True)


def test_sealed_share_opens_with_its_password_and_with_no_other() -> None:
    sealed = seal(protection(), "<p>Secret</p>", site_secret=SECRET, attachments={"00": b"picture"})
    root = protection().credentials[0].root
    assert open_sealed(sealed, root) == b"<p>Secret</p>"
    assert open_sealed(sealed, root, attachment="00") == b"picture"
    with pytest.raises(ValueError, match="cred"):
        open_sealed(sealed, protection("another six plain words").credentials[0].root)


def test_same_share_has_the_same_bytes() -> None:
    first, second = (seal(protection(), "<p>x</p>", site_secret=SECRET, attachments={"a": b"1"}) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(lambda: seal(protection(), "<p>X</p>" + "y" * 300_000, site_secret=SECRET), id="one character"),
        pytest.param(lambda: seal(protection(epoch=1), "<p>x</p>" + "y" * 300_000, site_secret=SECRET), id="epoch"),
        pytest.param(
            lambda: seal(protection("other words here"), "<p>x</p>" + "y" * 300_000, site_secret=SECRET), id="password"
        ),
        pytest.param(lambda: seal(protection(expires=99), "<p>x</p>" + "y" * 300_000, site_secret=SECRET), id="expiry"),
        pytest.param(lambda: seal(protection(), "<p>x</p>" + "y" * 300_000, site_secret=bytes(32)), id="site secret"),
    ],
)
def test_any_change_gives_other_keys_throughout(changed: Any) -> None:
    """No block of sixteen bytes of ciphertext is shared, and no slot: a zero nonce never meets one key twice."""
    before = seal(protection(), "<p>x</p>" + "y" * 300_000, site_secret=SECRET)
    after = changed()
    blocks = {before.body[i : i + 16] for i in range(0, len(before.body), 16)}
    assert not any(after.body[i : i + 16] in blocks for i in range(0, len(after.body), 16))
    assert not {slot.ciphertext for slot in before.slots} & {slot.ciphertext for slot in after.slots}
    assert json.loads(before.core)["id"] != json.loads(after.core)["id"]


def test_each_key_that_wraps_ever_wraps_one_value() -> None:
    """The zero nonce is safe because a wrapping key is bound to the one value it wraps."""
    wrapped: dict[bytes, bytes] = {}
    root = protection().credentials[0].root
    for number in range(50):
        sealed = seal(protection(epoch=number % 25), f"<p>{number % 25}</p>", site_secret=SECRET)
        core_hash = keys.envelope_hash(sealed.core)
        kek = keys.hkdf(root, salt=core_hash, info=b"sitegen/kek/v1/pw")
        for slot in sealed.slots:
            assert wrapped.setdefault(kek, slot.ciphertext) == slot.ciphertext


@pytest.mark.parametrize(("count", "slots"), [(1, 1), (2, 2), (3, 4), (5, 8), (9, 16)])
def test_slots_are_padded_with_decoys_to_a_power_of_two(count: int, slots: int) -> None:
    credentials = tuple(Credential("lnk", bytes([n]) * 32) for n in range(count))
    sealed = seal(protection(credentials=credentials), "<p>x</p>", site_secret=SECRET)
    assert len(sealed.slots) == slots
    assert {len(slot.ciphertext) for slot in sealed.slots} == {48}
    for credential in credentials:
        assert open_sealed(sealed, credential.root) == b"<p>x</p>"


def test_agreement_alone_needs_the_exact_terms() -> None:
    sealed = seal(Protection(slug="talk", terms="<p>Be kind.</p>"), "<p>x</p>", site_secret=SECRET)
    assert open_sealed(sealed, None) == b"<p>x</p>"
    altered = Sealed(sealed.core, sealed.slots, sealed.body, sealed.attachments, "<p>Be unkind.</p>")
    with pytest.raises(ValueError, match="commitment"):
        open_sealed(altered, None)


def test_share_without_terms_and_credentials_is_not_sealed() -> None:
    with pytest.raises(ValueError, match="neither"):
        seal(Protection(slug="talk"), "<p>x</p>", site_secret=SECRET)


def test_no_single_flipped_bit_opens() -> None:
    """Five hundred random bits of core, slots and body: none of the altered pages opens."""
    rng = random.Random(7)
    sealed = seal(protection(), "<p>x</p>" * 20_000, site_secret=SECRET)
    root = protection().credentials[0].root
    for _ in range(500):
        part = rng.choice(["core", "slot", "body"])
        core, slots, body = bytearray(sealed.core), list(sealed.slots), bytearray(sealed.body)
        if part == "core":
            core[rng.randrange(len(core))] ^= 1 << rng.randrange(8)
        elif part == "body":
            body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
        else:
            ciphertext = bytearray(slots[0].ciphertext)
            ciphertext[rng.randrange(48)] ^= 1 << rng.randrange(8)
            slots[0] = type(slots[0])(slots[0].kind, bytes(ciphertext))
        with pytest.raises((InvalidTag, ValueError, KeyError, TypeError)):
            open_sealed(Sealed(bytes(core), tuple(slots), bytes(body), {}, sealed.terms), root)


@given(st.binary(max_size=200_000))
def test_stream_gives_back_what_went_in_and_refuses_less_or_more(data: bytes) -> None:
    key, core_hash = bytes(32), bytes(32)
    inner = stream.pack(data, compress=False)
    sealed = stream.encrypt(inner, key=key, core_hash=core_hash)
    assert stream.unpack(stream.decrypt(sealed, key=key, core_hash=core_hash), compress=False) == data
    chunk = stream.CHUNK + 16
    for damaged in (
        sealed[:-1],
        sealed + b"\0",
        sealed[:chunk] if len(sealed) > chunk else b"",
        sealed + sealed[:chunk],
    ):
        with pytest.raises(InvalidTag):
            stream.decrypt(damaged, key=key, core_hash=core_hash)


def test_padding_that_is_not_zero_is_refused() -> None:
    inner = bytearray(stream.pack(b"x" * 1001, compress=False))
    assert inner[-1] == 0
    inner[-1] = 1
    with pytest.raises(ValueError, match="padding"):
        stream.unpack(bytes(inner), compress=False)


def test_identities_grow_from_the_site_secret_and_nothing_else() -> None:
    assert password_group(SECRET, "Cafe\u0301") == password_group(SECRET, "Café")
    assert link_root(SECRET, slug="a", recipient="bo@example.org", epoch=0) != link_root(
        SECRET, slug="a", recipient="bo@example.org", epoch=1
    )
    assert recipient_code(SECRET, slug="a", recipient="bo", epoch=0) != recipient_code(
        SECRET, slug="b", recipient="bo", epoch=0
    )
    assert attachment_id(SECRET, slug="a", name="i/1.png") != attachment_id(bytes(32), slug="a", name="i/1.png")
