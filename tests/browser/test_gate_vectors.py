"""The browser's script meets envelope v1 at every step, and refuses whatever isn't exactly as it was written."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from sitegen.gate import keys, stream
from sitegen.gate.encoding import b64u, padme, unb64u
from sitegen.gate.envelope import Sealed, seal
from tests.support.gate_script import GateScript, gate_script
from tests.support.gates import SECRET, Gated, by_terms_alone

pytestmark = pytest.mark.browser

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent.parent / "fixtures" / "envelope-v1.json").read_text())
CASES = [pytest.param(case, id=case["name"]) for case in GOLDEN["cases"]]


@pytest.fixture(scope="module")
def script(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GateScript]:
    with gate_script(chromium, tmp_path_factory.mktemp("script")) as ready:
        yield ready


@pytest.mark.parametrize("case", CASES)
def test_every_step_is_golden(script: GateScript, case: dict[str, Any]) -> None:
    steps = script.run(
        """
        const { envelope, opens_with: way } = given.case;
        const { core, hash, slots, terms } = await readEnvelope(JSON.stringify(envelope), "golden");
        const roots = [];
        if (way.password) roots.push([await slowRoot(passwordSecret(way.password), core.kdf), "pw"]);
        if (way.email) roots.push([await slowRoot(mailSecret(way.email, way.code), core.kdf), "pw"]);
        if (way.link) roots.push([unb64u(way.link), "lnk"]);
        const secrets = [];
        for (const [root, kind] of roots) secrets.push(await unwrapped(await rootKey(root), hash, slots, kind));
        const agr = terms === null ? null : new Uint8Array(await crypto.subtle.digest("SHA-256", joined(terms)));
        const bits = await masterBits(core.need, { agr, cred: secrets[0] });
        const master = await rootKey(bits);
        const raw = async (info) => b64u(await derivedBits(master, hkdf(hash, info)));
        const html = await openBody(core, hash, master, unb64u(envelope.body.data));
        const sealed = unb64u(given.case.steps["attachment(00ff) of 'PNG?'"]);
        const chunks = openedChunks(streamOf(sealed), sealed.length - 16, await fileKey(master, hash, "00ff"), hash);
        return {
          H: b64u(hash), CMK: b64u(bits), commit: b64u(await commitment(master, unb64u(core.id))),
          roots: roots.map(([root]) => b64u(root)), secrets: secrets.map(b64u), html,
          K_body: await raw("sitegen/body/v1"), "K_att(00ff)": await raw("sitegen/att/v1/00ff"),
          file: String.fromCharCode(...joined(...await all(carried(chunks, sealed.length - 16)))),
        };
        """,
        {"case": case},
    )
    for name in ("H", "CMK", "commit", "K_body", "K_att(00ff)"):
        assert steps[name] == case["steps"][name], name
    assert steps["roots"] == case["steps"].get("roots", [])
    assert set(steps["secrets"]) <= {GOLDEN["S_cred"]}
    assert hashlib.sha256(steps["html"].encode()).hexdigest() == case["html_sha256"]
    assert steps["file"] == "PNG?"


def test_codes_are_read_as_people_type_them(script: GateScript) -> None:
    typed = {**GOLDEN["code_norm"], "abcd\u2011efgh\u00a0jk00\tmnpq\n": "ABCDEFGHJK00MNPQ"}
    assert script.run("return given.map(normalCode)", list(typed)) == list(typed.values())


@pytest.mark.parametrize("text", ["A", "AB", "AA==", "A+A", "A/A", "AA A", "AAA\n", "AAB"])
def test_base64url_has_one_spelling(script: GateScript, text: str) -> None:
    """A spare bit that is set, or padding, is another page's spelling of the same bytes."""
    assert script.run("return outcome(Promise.resolve().then(() => unb64u(given)))", text).startswith("refused")


def _sealed(gated: Gated | None = None, html: str = "<p>Secret</p>") -> Sealed:
    return seal((gated or Gated()).protection, html, site_secret=SECRET)


SEALED = _sealed()
AGREED = _sealed(Gated(terms="<p>Keep it.</p>"))


def _envelope(core: bytes | str, sealed: Sealed = SEALED, **fields: Any) -> str:
    data = core.encode() if isinstance(core, str) else core
    value = json.loads(sealed.envelope({"src": "b.00000000.bin"}))
    return json.dumps({**value, "core": b64u(data), **fields})


def _with(**fields: Any) -> str:
    return _envelope(json.dumps({**json.loads(SEALED.core), **fields}))


def _kdf(**fields: Any) -> str:
    return _with(kdf={**json.loads(SEALED.core)["kdf"], **fields})


def _without(name: str) -> str:
    return _envelope(json.dumps({key: value for key, value in json.loads(SEALED.core).items() if key != name}))


CORE = SEALED.core.decode()
BAD = {
    "version": _with(v=2),
    "slug": _with(slug=7),
    "short id": _with(id="AAAA"),
    "id that is none": _with(id=None),
    "expiry as text": _with(exp="2027"),
    "expiry as fraction": _with(exp=1.5),
    "nothing needed": _with(need=[]),
    "need as text": _with(need="cred"),
    "unknown need": _with(need=["cred", "srv"]),
    "need twice": _with(need=["cred", "cred"]),
    "need without terms": _with(need=["agr", "cred"]),
    "no derivation": _with(kdf=None),
    "derivation": _kdf(alg="scrypt"),
    "one iteration": _kdf(i=1),
    "99,999 iterations": _kdf(i=99_999),
    "10^9 iterations": _kdf(i=10**9),
    "iterations as text": _kdf(i="1000000"),
    "iterations as fraction": _kdf(i=250_000.5),
    "iterations as float": _envelope(CORE.replace('"i":100000', '"i":100000.0')),
    "iterations as power": _envelope(CORE.replace('"i":100000', '"i":1e5')),
    "negative iterations": _kdf(i=-1_000_000),
    "salt of three bytes": _kdf(salt="AAAA"),
    "salt that is none": _kdf(salt=12),
    "cipher": _with(enc="A256GCM"),
    "chunk": _with(chunk=65_535),
    "compression": _with(comp="br"),
    "negative length": _with(plen=-1),
    "length as text": _with(plen="9"),
    "length of 2^40": _with(plen=2**40),
    "limit": _with(limit="3"),
    "short commitment": _with(commit="AAAA"),
    "terms without a hash": _envelope(SEALED.core, terms="<p>Others.</p>"),
    "hash without terms": _envelope(AGREED.core, AGREED, terms=None),
    "other terms": _envelope(AGREED.core, AGREED, terms="<p>Keep it!</p>"),
    "agreement not needed": _envelope(AGREED.core.replace(b'["agr","cred"]', b'["cred"]'), AGREED),
    "key twice": _envelope(CORE.replace('{"v":1', '{"v":1,"v":1', 1)),
    "key twice in another spelling": _envelope(CORE.replace('{"v":1', '{"v":1,"\\u0076":1', 1)),
    "key twice within": _envelope(CORE.replace('"alg":', '"alg":"x","alg":', 1)),
    "__proto__": _envelope(CORE.replace('{"v":1', '{"__proto__":{},"v":1', 1)),
    "no JSON": _envelope("{"),
    "no object": _envelope("[]"),
    "no UTF-8": _envelope(b"\xff" + SEALED.core),
    "a byte order mark": _envelope(b"\xef\xbb\xbf" + SEALED.core),
    "10 MB": _envelope(CORE[:-1] + f',"x":"{"y" * 10_000_000}"}}'),
    "10,000 slots": _envelope(SEALED.core, slots=[{"t": "pw", "ct": b64u(bytes(48))}] * 10_000),
    "slot of another kind": _envelope(SEALED.core, slots=[{"t": "x", "ct": b64u(bytes(48))}]),
    "short slot": _envelope(SEALED.core, slots=[{"t": "pw", "ct": b64u(bytes(47))}]),
    "body elsewhere": _envelope(SEALED.core, body={"src": "https://example.org/b.bin"}),
    "body up": _envelope(SEALED.core, body={"src": "../other/b.00000000.bin"}),
    "no body": _envelope(SEALED.core, body={}),
    **{f"no {name}": _without(name) for name in json.loads(CORE)},
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in BAD.items()])
def test_unsound_envelope_is_refused_before_anything_is_derived(script: GateScript, text: str) -> None:
    assert script.run("return outcome(readEnvelope(given, null).then(() => 'taken'))", text).startswith("refused")


def test_newer_version_has_its_own_reason(script: GateScript) -> None:
    assert script.run("return outcome(readEnvelope(given, null))", BAD["version"]) == "refused: newer"


@pytest.mark.parametrize(("segment", "taken"), [("talk", True), (None, True), ("Talk", False), ("other", False)])
def test_envelope_belongs_to_its_folder(script: GateScript, segment: str | None, taken: bool) -> None:
    said = script.run(
        "return outcome(readEnvelope(given[0], given[1]).then(() => 'taken'))", [_envelope(SEALED.core), segment]
    )
    assert (said == "taken") is taken


@pytest.mark.parametrize(
    "core",
    [
        pytest.param(CORE[:-1] + ',"later":{"deep":[1.5,null,"\\"]"]}}', id="unknown fields"),
        pytest.param(json.dumps(json.loads(CORE), indent=1), id="white space"),
    ],
)
def test_sound_core_of_another_writer_is_read(script: GateScript, core: str) -> None:
    assert script.run("return outcome(readEnvelope(given, null).then(() => 'taken'))", _envelope(core)) == "taken"


ROOT = Gated().protection.credentials[0].root
LONG = _sealed(html="".join(f"<p>{hashlib.sha256(str(n).encode()).hexdigest()}</p>" for n in range(6000)))


def _opens(script: GateScript, sealed: Sealed, body: bytes, *, root: bytes = ROOT, kind: str = "pw") -> str:
    said: str = script.run(
        """
        const [text, root, kind, body] = given;
        return outcome(openWhole(text, await rootKey(unb64u(root)), kind, unb64u(body)));
        """,
        [sealed.envelope({"src": "b.00000000.bin"}), b64u(root), kind, b64u(body)],
    )
    return said


def test_long_body_opens(script: GateScript) -> None:
    assert _opens(script, LONG, LONG.body).endswith("</p>")


SIZE = stream.CHUNK + 16
CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "cut by one byte": lambda body: body[:-1],
    "cut at a chunk": lambda body: body[:SIZE],
    "without the last chunk": lambda body: body[: len(body) // SIZE * SIZE],
    "chunks swapped": lambda body: body[SIZE : 2 * SIZE] + body[:SIZE] + body[2 * SIZE :],
    "chunk doubled": lambda body: body[:SIZE] + body,
    "last chunk doubled": lambda body: body + body[len(body) // SIZE * SIZE :],
    "a byte appended": lambda body: body + b"\0",
    "empty": lambda body: b"",
    "a page of the host": lambda body: b"<!doctype html><title>Not found</title>" * 10_000,
}


@pytest.mark.parametrize("change", [pytest.param(change, id=name) for name, change in CHANGES.items()])
def test_changed_body_is_refused(script: GateScript, change: Callable[[bytes], bytes]) -> None:
    assert _opens(script, LONG, change(LONG.body)).startswith("refused")


def test_body_or_slots_of_another_page_of_the_group_are_refused(script: GateScript) -> None:
    other = seal(Gated(slug="other").protection, "<p>Secret</p>", site_secret=SECRET)
    assert _opens(script, SEALED, other.body).startswith("refused")
    mixed = Sealed(SEALED.core, other.slots, SEALED.body, {}, None)
    assert _opens(script, mixed, SEALED.body) == "refused: credential"


def test_wrong_root_and_wrong_kind_are_refused(script: GateScript) -> None:
    assert _opens(script, SEALED, SEALED.body, root=bytes(32)) == "refused: credential"
    assert _opens(script, SEALED, SEALED.body, kind="lnk") == "refused: credential"


def _inner(inner: bytes, **core: Any) -> tuple[str, str]:
    """An agreement's envelope, sealed by hand around any inner bytes."""
    sealed = seal(by_terms_alone().protection, "x", site_secret=SECRET)
    assert sealed.terms is not None
    fields = {**json.loads(sealed.core), "plen": len(inner), **core}
    data = json.dumps(fields).encode()
    cmk = keys.master_key(["agr"], terms_hash=hashlib.sha256(sealed.terms.encode()).digest(), credential=None)
    h = keys.envelope_hash(data)
    body = stream.encrypt(inner, key=keys.body_key(cmk, core_hash=h), core_hash=h)
    value = json.loads(sealed.envelope({"src": "b.00000000.bin"}))
    return json.dumps({**value, "core": b64u(data)}), b64u(body)


def _packed(carried: bytes, *, padding: bytes = b"", length: int | None = None) -> bytes:
    return (len(carried) if length is None else length).to_bytes(8, "big") + carried + padding


INNER = {
    "padding": (_packed(gzip.compress(b"<p>x</p>"), padding=b"\0\0\1"), {}),
    "padding in a later chunk": (_packed(b"x", padding=bytes(70_000) + b"\1"), {"comp": "none"}),
    "length beyond the end": (_packed(b"x", length=2), {"comp": "none"}),
    "enormous length": (_packed(b"x", length=2**63), {"comp": "none"}),
    "too short for a length": (b"\0\0\0", {"comp": "none"}),
    "nothing": (b"", {"comp": "none"}),
    "no gzip": (_packed(b"<p>plain</p>"), {}),
    "half a gzip": (_packed(gzip.compress(b"<p>x</p>" * 99)[:-9]), {}),
    "more than a gzip": (_packed(gzip.compress(b"<p>x</p>") + b"more"), {}),
    "no UTF-8": (_packed(b"<p>\xff</p>"), {"comp": "none"}),
    "gzip bomb": (_packed(gzip.compress(bytes(200_000_000))), {}),
    "gzip bomb of many members": (_packed(gzip.compress(bytes(1_000_000)) * 300), {}),
}


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in INNER.items()])
def test_dishonest_content_is_refused(script: GateScript, case: tuple[bytes, dict[str, Any]]) -> None:
    inner, core = case
    said = script.run(
        "return outcome(openWhole(given[0], null, '', unb64u(given[1])).then(() => 'taken'))", _inner(inner, **core)
    )
    assert said.startswith("refused")


@pytest.mark.parametrize("size", [0, 1, 65_527, 65_528, 65_529, 131_064, 200_000])
def test_content_of_any_size_is_read_whole(script: GateScript, size: int) -> None:
    text = ("<p>é</p>" * (size // 8 + 1)).encode()[:size].decode("utf-8", "ignore")
    carried = text.encode()
    inner = _packed(carried, padding=bytes(padme(len(carried) + 8) - len(carried) - 8))
    said = script.run("return openWhole(given[0], null, '', unb64u(given[1]))", _inner(inner, comp="none"))
    assert said == text


def test_no_flipped_bit_opens(script: GateScript) -> None:
    """Five hundred flips all over core, slots and body: in what the bytes mean, not only in how they are written."""
    found = script.run(
        """
        const [text, root, body] = given;
        const key = await rootKey(unb64u(root));
        const envelope = JSON.parse(text);
        const flip = (data, bit) => { const copy = data.slice(); copy[bit >> 3] ^= 1 << (bit & 7); return copy; };
        const parts = [unb64u(envelope.core), ...envelope.slots.map((slot) => unb64u(slot.ct)), unb64u(body)];
        const total = parts.reduce((sum, part) => sum + part.length * 8, 0);
        let random = 20260102;
        const opened = [];
        for (let n = 0; n < 500; n += 1) {
          random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
          let bit = random % total;
          const at = parts.findIndex((part) => bit < part.length * 8 || ((bit -= part.length * 8), false));
          const changed = parts.map((part, index) => (index === at ? flip(part, bit) : part));
          const slots = envelope.slots.map((slot, index) => ({ ...slot, ct: b64u(changed[index + 1]) }));
          const altered = JSON.stringify({ ...envelope, core: b64u(changed[0]), slots });
          const said = await outcome(openWhole(altered, key, "pw", changed[changed.length - 1]));
          if (!said.startsWith("refused")) opened.push([at, bit]);
        }
        return opened;
        """,
        [SEALED.envelope({"src": "b.00000000.bin"}), b64u(ROOT), b64u(SEALED.body)],
    )
    assert found == []


def test_pieces_are_cut_wherever_the_mark_arrives(script: GateScript) -> None:
    text = "<p>a</p><!--cut--><p>b</p><!--cut-->"
    for size in (1, 3, 7, 100):
        parts = [text[at : at + size] for at in range(0, len(text), size)]
        pieces = script.run("return all(cutPieces((async function* () { yield* given; })()))", parts)
        assert pieces == ["<p>a</p>", "<p>b</p>", ""]


def test_passwords_are_composed_but_never_trimmed(script: GateScript) -> None:
    """Any keyboard's é is one; a look-alike, or a space, is another."""
    typed = ["Caf\u00e9 ", "Cafe\u0301 ", "Caf\u00e9", "\uff23af\u00e9 "]
    first, second, *others = script.run("return given.map((each) => b64u(passwordSecret(each)))", typed)
    assert first == second
    assert first not in others
    assert base64.urlsafe_b64decode(first + "==") == "Caf\u00e9 ".encode()
    assert unb64u(first) == "Caf\u00e9 ".encode()
