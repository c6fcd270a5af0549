"""Seals one share into an envelope v1: core, slots, body and attachments. Bytes in, bytes out, nothing random.

Every key grows from the site secret and a digest of all that is protected, so that an unchanged share has unchanged
bytes on any machine and any change gives new keys throughout.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec import Struct

from sitegen.gate import keys, stream
from sitegen.gate.encoding import b64u, lp

SlotKind = Literal["pw", "lnk"]
MOST_SLOTS: Final = 4_096
"""More are tried by no reader, and refused."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A way in: the 32-byte root that a password, a code or a link gives."""

    kind: SlotKind
    root: bytes = field(repr=False)


class Protection(Struct, frozen=True):
    """What stands before a share's content.

    `terms` is the HTML of the agreement, `salt` and `iterations` those of the password group's derivation, `expires`
    unix seconds. Either terms or credentials must be there.
    """

    slug: str
    terms: str | None = None
    credentials: tuple[Credential, ...] = ()
    salt: bytes = b""
    iterations: int = 1_000_000
    expires: int | None = None
    limit: int | None = None
    epoch: int = 0

    @property
    def need(self) -> list[str]:
        return (["agr"] if self.terms is not None else []) + (["cred"] if self.credentials else [])


class Slot(Struct, frozen=True):
    """The credential secret, wrapped for one way in; a decoy opens for nobody."""

    kind: SlotKind
    ciphertext: bytes


class Sealed(Struct, frozen=True):
    """What is written of a share: nothing in it says a word of the content."""

    core: bytes
    slots: tuple[Slot, ...]
    body: bytes
    attachments: Mapping[str, bytes]
    terms: str | None

    def envelope(self, body: Mapping[str, str]) -> str:
        """The JSON that the shell holds; `body` says where the body is: {"src": …} or {"data": …}."""
        slots = [{"t": slot.kind, "ct": b64u(slot.ciphertext)} for slot in self.slots]
        value = {"core": b64u(self.core), "slots": slots, "body": dict(body), "terms": self.terms}
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def seal(
    protection: Protection, html: str, *, site_secret: bytes, attachments: Mapping[str, bytes] | None = None
) -> Sealed:
    """Encrypts `html` and the attachments (by opaque ASCII id). Raises ValueError when nothing would protect them."""
    if not protection.need:
        msg = f"the share {protection.slug!r} has neither terms nor a credential"
        raise ValueError(msg)
    files = dict(attachments or {})
    body = stream.pack(html.encode("utf-8"), compress=True)
    inners = {name: stream.pack(data, compress=False) for name, data in sorted(files.items())}
    digest = _digest(protection, body, inners)
    credential = keys.hkdf(site_secret, salt=digest, info=b"sitegen/cred/v1") if protection.credentials else None
    envelope_id = keys.hkdf(site_secret, salt=digest, info=b"sitegen/id/v1", length=16)
    cmk = keys.master_key(protection.need, terms_hash=_terms_hash(protection), credential=credential)
    fields = _fields(protection, plen=len(body))
    fields["id"] = b64u(envelope_id)
    fields["commit"] = b64u(keys.commitment(cmk, envelope_id=envelope_id))
    core = _json(fields)
    core_hash = keys.envelope_hash(core)
    return Sealed(
        core=core,
        slots=_slots(protection, credential, core_hash, site_secret=site_secret, digest=digest),
        body=stream.encrypt(body, key=keys.body_key(cmk, core_hash=core_hash), core_hash=core_hash),
        attachments={
            name: stream.encrypt(
                inner, key=keys.attachment_key(cmk, core_hash=core_hash, attachment=name), core_hash=core_hash
            )
            for name, inner in inners.items()
        },
        terms=protection.terms,
    )


def _fields(protection: Protection, *, plen: int) -> dict[str, object]:
    """The core in the order it is written; `id` and `commit` are filled in once they are known."""
    terms = _terms_hash(protection)
    kdf = {"alg": "PBKDF2-SHA256", "i": protection.iterations, "salt": b64u(protection.salt)}
    return {
        "v": 1,
        "slug": protection.slug,
        "id": "",
        "exp": protection.expires,
        "need": protection.need,
        "kdf": kdf if protection.credentials else None,
        "enc": "A256GCM-STREAM",
        "chunk": stream.CHUNK,
        "comp": "gzip",
        "plen": plen,
        "terms": None if terms is None else b64u(terms),
        "limit": protection.limit,
        "commit": "",
    }


def _json(fields: Mapping[str, object]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _terms_hash(protection: Protection) -> bytes | None:
    return None if protection.terms is None else hashlib.sha256(protection.terms.encode("utf-8")).digest()


def _digest(protection: Protection, body: bytes, attachments: Mapping[str, bytes]) -> bytes:
    """D: changes with anything that is protected and with every way in."""
    digest = hashlib.sha256()
    digest.update(lp(_json(_fields(protection, plen=len(body)))))
    digest.update(lp(body))
    for name, inner in attachments.items():
        digest.update(lp(name.encode("ascii")) + lp(inner))
    for credential in sorted(protection.credentials, key=lambda each: (each.root, each.kind)):
        digest.update(lp(credential.kind.encode("ascii")) + lp(credential.root))
    digest.update(lp(str(protection.epoch).encode("ascii")))
    return digest.digest()


def _slots(
    protection: Protection, credential: bytes | None, core_hash: bytes, *, site_secret: bytes, digest: bytes
) -> tuple[Slot, ...]:
    """One slot a way in, decoys up to a power of two, in an order that tells nothing."""
    if credential is None:
        return ()
    slots = [
        Slot(each.kind, keys.wrap(credential, root=each.root, core_hash=core_hash, kind=each.kind))
        for each in protection.credentials
    ]
    wanted = 1 << (len(slots) - 1).bit_length()
    for number in range(wanted - len(slots)):
        noise = keys.hkdf(site_secret, salt=digest, info=b"sitegen/decoy/v1/" + str(number).encode(), length=49)
        slots.append(Slot("lnk" if noise[48] & 1 else "pw", noise[:48]))
    order = keys.hkdf(site_secret, salt=digest, info=b"sitegen/order/v1")
    return tuple(sorted(slots, key=lambda slot: hmac.digest(order, slot.ciphertext, "sha256")))
