"""Opens protected pages of a built site as their description says, for tests: from the files alone."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag

from sitegen.gate import keys, stream
from sitegen.gate.encoding import unb64u

_ENVELOPE = re.compile(r'<script type="application/json" id="envelope">(.*?)</script>', re.DOTALL)
_INLINE = re.compile(r'<script type="text/plain" id="data-(\w+)">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Opened:
    """What a reader sees in the end: the body's HTML, and attachments by id."""

    html: str
    attachments: Mapping[str, bytes]


def envelope_of(folder: Path) -> dict[str, Any]:
    """The envelope in the shell of a folder."""
    match = _ENVELOPE.search((folder / "index.html").read_text("utf-8"))
    assert match is not None
    value = json.loads(match[1])
    assert isinstance(value, dict)
    return value


def core_of(folder: Path) -> dict[str, Any]:
    """The core of a folder's envelope, parsed."""
    value = json.loads(unb64u(envelope_of(folder)["core"]))
    assert isinstance(value, dict)
    return value


def open_folder(
    folder: Path, *, password: str | None = None, email: tuple[str, str] | None = None, link: str | None = None
) -> Opened | None:
    """What the folder's page holds; None when this opens no slot. Accepts any terms."""
    envelope = envelope_of(folder)
    core = unb64u(envelope["core"])
    fields, core_hash = json.loads(core), keys.envelope_hash(core)
    credential = _unwrapped(envelope, fields, core_hash, password=password, email=email, link=link)
    if "cred" in fields["need"] and credential is None:
        return None
    terms = envelope["terms"]
    terms_hash = None if terms is None else hashlib.sha256(terms.encode()).digest()
    cmk = keys.master_key(fields["need"], terms_hash=terms_hash, credential=credential)
    assert keys.commitment(cmk, envelope_id=unb64u(fields["id"])) == unb64u(fields["commit"])
    body = envelope["body"]
    sealed = unb64u(body["data"]) if "data" in body else (folder / body["src"]).read_bytes()
    inner = stream.decrypt(sealed, key=keys.body_key(cmk, core_hash=core_hash), core_hash=core_hash)
    assert len(inner) == fields["plen"]
    return Opened(
        stream.unpack(inner, compress=True).decode("utf-8"),
        {name: _attachment(data, cmk, core_hash, name) for name, data in _sealed_attachments(folder).items()},
    )


def _sealed_attachments(folder: Path) -> dict[str, bytes]:
    files = {path.name.split(".")[1]: path.read_bytes() for path in folder.glob("a.*.bin")}
    inline = _INLINE.findall((folder / "index.html").read_text("utf-8"))
    return files | {name: unb64u(data) for name, data in inline}


def _attachment(data: bytes, cmk: bytes, core_hash: bytes, name: str) -> bytes:
    key = keys.attachment_key(cmk, core_hash=core_hash, attachment=name)
    plain = stream.unpack(stream.decrypt(data, key=key, core_hash=core_hash), compress=False)
    return gzip.decompress(plain) if plain[:2] == b"\x1f\x8b" else plain


def _unwrapped(
    envelope: Mapping[str, Any],
    fields: Mapping[str, Any],
    core_hash: bytes,
    *,
    password: str | None,
    email: tuple[str, str] | None,
    link: str | None,
) -> bytes | None:
    ways: list[tuple[str, bytes]] = []
    if link is not None:
        ways.append(("lnk", unb64u(link.partition("#k=1.")[2])))
    if fields["kdf"] and (password is not None or email is not None):
        how = {"salt": unb64u(fields["kdf"]["salt"]), "iterations": fields["kdf"]["i"]}
        root = keys.email_root(*email, **how) if email else keys.password_root(password or "", **how)
        ways.append(("pw", root))
    for kind, root in ways:
        for slot in envelope["slots"]:
            try:
                return keys.unwrap(unb64u(slot["ct"]), root=root, core_hash=core_hash, kind=kind)
            except InvalidTag:
                continue
    return None
