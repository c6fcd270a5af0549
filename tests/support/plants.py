"""Made-up secrets in the shapes of real ones, built when asked for: no text of this repository looks like a key."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

LOWER = string.ascii_lowercase + string.digits
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Plant:
    """Text with something in it that must not be published: `text` is planted, `value` must be gone."""

    name: str
    text: str
    value: str


def token(name: str, length: int, letters: str = ALNUM) -> str:
    """Random characters, the same for a name each time, digits and letters among them."""
    rng = random.Random(f"plant {name}")
    while True:
        found = "".join(rng.choice(letters) for _ in range(length))
        if any(c.isdigit() for c in found) and any(c.isalpha() for c in found):
            return found


VENDORS: dict[str, tuple[str, int, str, str]] = {
    "github": ("ghp" + "_", 36, ALNUM, ""),
    "github-oauth": ("gho" + "_", 36, ALNUM, ""),
    "gitlab": ("glpat" + "-", 20, ALNUM, ""),
    "openai-project": ("sk-" + "proj-", 64, ALNUM, ""),
    "anthropic": ("sk-" + "ant-api03-", 93, ALNUM, "AA"),
    "aws": ("AKI" + "A", 16, string.ascii_uppercase + "234567", ""),
    "google": ("AIz" + "a", 35, ALNUM, ""),
    "stripe": ("sk_" + "live_", 24, ALNUM, ""),
    "slack": ("xox" + "b-", 12, string.digits, "-" + "012345678901" + "-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7"),
    "npm": ("npm" + "_", 36, ALNUM, ""),
    "pypi": ("pypi-" + "AgEIcHlwaS5vcmc", 120, ALNUM, ""),
    "huggingface": ("hf" + "_", 34, string.ascii_letters, ""),
    "sendgrid": ("SG" + ".", 22, ALNUM, "." + "b7Qw9Er2Ty5Ui8Op1As4Df6Gh3Jk0Lz7Xc9Vb2Nm5Qw"),
    "digitalocean": ("dop" + "_v1_", 64, HEX, ""),
    "shopify": ("shpat" + "_", 32, HEX, ""),
    "postman": ("PMAK" + "-", 24, HEX, "-" + "0a1b2c3d4e5f60718293a4b5c6d7e8f901"),
    "linear": ("lin" + "_api_", 40, ALNUM, ""),
    "docker": ("dckr" + "_pat_", 27, ALNUM, ""),
    "doppler": ("dp" + ".pt.", 43, ALNUM, ""),
    "groq": ("gsk" + "_", 52, ALNUM, ""),
    "tailscale": ("tskey" + "-api-", 30, ALNUM, ""),
    "xai": ("xai" + "-", 80, ALNUM, ""),
}
"""Prefix, length, letters and ending of the keys of over twenty services."""


def vendor_tokens() -> Iterator[Plant]:
    """One key a service, in a sentence."""
    for name, (prefix, length, letters, ending) in VENDORS.items():
        rng = random.Random(f"vendor {name}")
        value = prefix + "".join(rng.choice(letters) for _ in range(length)) + ending
        yield Plant(name, f"use {value} for it", value)


def private_key(name: str = "key", lines: int = 12) -> str:
    """A key block of random lines."""
    kind = "RSA " + "PRIVATE KEY"
    body = "\n".join(token(f"{name} {n}", 64, ALNUM + "+/") for n in range(lines))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


def web_token() -> str:
    """A signed token about ann."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return ".".join([part({"alg": "HS256"}), part({"sub": "ann", "exp": 1790000000}), token("signature", 43)])


def other_secrets() -> Iterator[Plant]:
    """What shows by where it stands."""
    password = token("db", 14)
    yield Plant("connection string", f"DATABASE is postgres://ann:{password}@db.corp.invalid:5432/app", password)
    password = token("redis", 16)
    yield Plant("connection string without a user", f"redis://:{password}@cache:6379/0", password)
    password = "p" + token("odd", 9) + "#&"
    yield Plant("key=value connection string", f'Server=db;Uid=ann;Password="{password}";', password)
    value = token("bearer", 40)
    yield Plant("authorization header", f"curl -H 'Authorization: Bearer {value}' https://api.corp.invalid", value)
    value = base64.b64encode(f"ann:{token('basic', 12)}".encode()).decode()
    yield Plant("basic authorization", f"Authorization: Basic {value}", value)
    value = token("cookie", 32)
    yield Plant("cookie", f"Cookie: theme=dark; sid={value}; lang=en", value)
    value = token("set-cookie", 32)
    yield Plant("set-cookie", f"< Set-Cookie: session={value}; Path=/; HttpOnly", value)
    value = token("jar", 26)
    yield Plant("cookie file", f".corp.invalid\tTRUE\t/\tTRUE\t1790000000\tsid\t{value}", value)
    value = token("env", 28)
    yield Plant("environment file", f"PORT=8080\nPAYMENTS_API_KEY={value}\nDEBUG=1", value)
    value = "correct" + "horsebattery"
    yield Plant("password in words", f"SMTP_PASSWORD={value}", value)
    value = token("yaml", 20)
    yield Plant("yaml", f"auth:\n  client_secret: {value}\n", value)
    value = token("json", 24)
    yield Plant("json", json.dumps({"user": "x", "access_token": value}), value)
    value = token("escaped json", 24)
    yield Plant("json in json", json.dumps({"body": json.dumps({"refresh_token": value})}), value)
    value = token("flag", 18)
    yield Plant("command line", f"deploy --api-token {value} --now", value)
    value = token("link", 32)
    yield Plant("session link", f"open https://app.corp.invalid/welcome?token={value}&lang=en", value)
    value = token("reset", 32)
    yield Plant("reset link", f"https://app.corp.invalid/reset-password/{value}", value)
    yield Plant("web token", f"it sent {web_token()} back", web_token())
    key = private_key()
    yield Plant("private key", f"the file holds\n{key}\n", key.splitlines()[3])


def all_secrets() -> list[Plant]:
    """Every planted secret."""
    return [*vendor_tokens(), *other_secrets()]


def spellings(value: str) -> dict[str, bytes]:
    """A value as bytes in the forms in which a file could hold it."""
    data = value.encode()
    found = {
        "plain": data,
        "json": json.dumps(value)[1:-1].encode(),
        "url": quote(value, safe="").encode(),
        "hex": data.hex().encode(),
    }
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + data).rstrip(b"=")
        found[f"base64 from byte {shift}"] = encoded[(0, 2, 3)[shift] : -1 if (shift + len(data)) % 3 else None]
    return found
