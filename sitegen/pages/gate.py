"""The shell of a protected page: a form before content that it never receives. An envelope in, a Document out.

All that its script needs stands in it, under a policy that names the script's hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Literal

from markupsafe import Markup
from msgspec import Struct

from sitegen.errors import SitegenError
from sitegen.model import Document
from sitegen.pages.frame import Frame, json_block

Ask = Literal["password", "email", "otp"]
"""What the form asks for: a password, an address with its code, or a code."""

_SPOKEN = (
    "credential", "damaged", "empty", "expired", "file_failed", "framed", "hide", "insecure",
    "limit", "lock", "logged", "newer", "not_kept", "offline", "open_alone", "opened", "receipt", "receipt_head",
    "receipt_name", "retry", "show", "too_old", "trim", "used", "views",
)  # fmt: skip
_POLICY = (
    "default-src 'none'; script-src 'sha256-{hash}'; style-src 'self'; img-src 'self' blob: data:; media-src blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types sitegen"
)


class Shell(Struct, frozen=True):
    """What a protected page shows before it's open; nothing in it comes from the conversation.

    `slug` is the core's. `ask` is None when no credential is needed. `remember_days` is the
    site's unless said.
    `inline` holds the ciphertexts of attachments by id, for a page that is opened from disk.
    """

    slug: str
    envelope: str
    ask: Ask | None = None
    has_terms: bool = False
    hint: str | None = None
    remember_days: int | None = None
    inline: Mapping[str, bytes] | None = None


def make_gate(frame: Frame, path: str, shell: Shell) -> Document:
    """The document at `path` for the envelope, which is `Sealed.envelope`'s JSON."""
    script = _script(frame.assets.gate)
    days = frame.site.remember_days if shell.remember_days is None else shell.remember_days
    return frame.document(
        path,
        "gate.html",
        is_indexed=False,
        policy=_POLICY.format(hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()),
        script=script,
        slug=shell.slug,
        ask=shell.ask,
        has_terms=shell.has_terms,
        hint=shell.hint,
        days=days if shell.ask and not frame.urls.offline else 0,
        envelope=_inert(shell.envelope),
        inline=[(name, _b64u(data)) for name, data in sorted((shell.inline or {}).items())],
        words=json_block(
            {name: frame.t(f"gate.js_{name}") for name in _SPOKEN} | {"keep": frame.t("gate.js_keep", n=days)}
        ),
    )


def _script(text: str) -> Markup:
    """Raises SitegenError for a script that a page can't hold: one with the tag that would end it."""
    if "</script" in text.lower():
        msg = "a script in static/js or static/gate holds the text </script, which would end it early; split the text"
        raise SitegenError(msg)
    return Markup(text)  # noqa: S704 - our own scripts


def _inert(json: str) -> Markup:
    """JSON that may stand in a <script> element; it reads the same."""
    return Markup(json.replace("<", "\\u003c"))  # noqa: S704 - nothing in it can end the element


def _b64u(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
