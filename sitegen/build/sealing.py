"""Puts a page behind its gate: what `pages` made goes in, a shell and ciphertexts come out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from sitegen.gate.encoding import b64u
from sitegen.gate.envelope import Protection, Sealed, seal
from sitegen.gate.identity import attachment_id
from sitegen.model import Document
from sitegen.pages import Pages
from sitegen.pages.gate import Ask, Shell
from sitegen.pages.protected import ProtectedContent


@dataclass(frozen=True, slots=True)
class Sealing:
    """How one page is protected, ready for whoever makes it. Holds keys: it is never shown and never stored."""

    protection: Protection = field(repr=False)
    site_secret: bytes = field(repr=False)
    ask: Ask | None = None
    hint: str | None = None
    scope: str = ""
    """Keeps the ids of a project's and a share's attachments apart."""

    @property
    def id_of(self) -> Callable[[str], str]:
        """The opaque id of an attachment, by its name."""
        return lambda name: attachment_id(self.site_secret, slug=self.scope, name=name)


def seal_documents(
    pages: Pages, sealing: Sealing, content: ProtectedContent, *, folder: str, is_offline: bool
) -> list[Document]:
    """All files of a protected page in `folder`: its shell, its body, its attachments. Offline, the shell holds all."""
    attachments = {name: data for name, (data, _) in content.attachments.items()}
    sealed = seal(sealing.protection, content.html, site_secret=sealing.site_secret, attachments=attachments)
    if is_offline:
        return [_shell(pages, sealing, sealed, folder, {"data": b64u(sealed.body)}, is_inline=True)]
    body = Document(f"{folder}b.{hashlib.sha256(sealed.body).hexdigest()[:8]}.bin", sealed.body)
    shell = _shell(pages, sealing, sealed, folder, {"src": body.path.removeprefix(folder)}, is_inline=False)
    files = [Document(f"{folder}a.{name}.bin", data) for name, data in sealed.attachments.items()]
    return [shell, body, *files]


def _shell(
    pages: Pages, sealing: Sealing, sealed: Sealed, folder: str, body: dict[str, str], *, is_inline: bool
) -> Document:
    shell = Shell(
        slug=sealing.protection.slug,
        envelope=sealed.envelope(body),
        ask=sealing.ask,
        has_terms=sealed.terms is not None,
        hint=sealing.hint,
        inline=sealed.attachments if is_inline else None,
    )
    return pages.gate(f"{folder}index.html", shell)
