"""What stands in place of what was taken out. A mark says the kind of thing and nothing of the thing itself."""

from __future__ import annotations

from typing import Final, Literal

SecretKind = Literal[
    "access token",
    "API key",
    "cookie",
    "login",
    "password",
    "private key",
    "secret",
    "session link",
    "web token",
    "webhook",
]
OtherKind = Literal["home path", "person", "email", "host", "ip", "mac", "serial", "phone", "hidden word"]
Kind = SecretKind | OtherKind

_WIDTH: Final = 12
_OTHERS: Final[dict[str, str]] = {
    "home path": "~",
    "person": "user",
    "email": "[email]",
    "host": "[host]",
    "ip": "[ip]",
    "mac": "[mac]",
    "serial": "[serial]",
    "phone": "[phone]",
    "hidden word": "[hidden]",
}
OTHER_KINDS: Final = frozenset(_OTHERS)


def mark(kind: str) -> str:
    """The mark of a kind. Those of secrets are all of one length, and without spaces, quotes and backslashes."""
    if kind in _OTHERS:
        return _OTHERS[kind]
    return f"[redacted:{kind.replace(' ', '-'):·<{_WIDTH}}]"
