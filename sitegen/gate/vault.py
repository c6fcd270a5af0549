"""Finds secrets where their owner keeps them: the environment, a file, the private `.sitegen/secrets.toml`.

Reads and never writes (`config.private` does); no message, repr or traceback of it holds a secret.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sitegen.errors import RefusedError, UsageError
from sitegen.gate.encoding import normalise_code, unb64u

SITE_SECRET: Final = "SITEGEN_SITE_SECRET"  # noqa: S105 - the name of a variable
PRIVATE_FILE: Final = ".sitegen/secrets.toml"
_PREFIX: Final = "SITEGEN_SECRET_"
_LARGEST: Final = 65_536
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Found:
    """A secret, and where it was found in words that may be shown."""

    value: str = field(repr=False)
    place: str


@dataclass(frozen=True, slots=True)
class Vault:
    """The secrets of one site. Relative paths start from `folder`, the configuration's."""

    folder: Path
    site_secret: bytes | None = field(default=None, repr=False)
    _environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    _secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    _codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, folder: Path, *, environ: Mapping[str, str] = os.environ) -> Vault:
        """The vault of the configuration in `folder`.

        Raises RefusedError when others on this computer can read the private file, UsageError when it isn't sound.
        """
        private = _read_private(folder / PRIVATE_FILE)
        given = environ.get(SITE_SECRET) or private.get("site_secret")
        place = SITE_SECRET if environ.get(SITE_SECRET) else PRIVATE_FILE
        return cls(
            folder,
            None if given is None else _site_secret(given, place),
            environ,
            dict(_texts(private.get("secrets", {}), "secrets")),
            dict(_lists(private.get("codes", {}))),
        )

    def require_site_secret(self) -> bytes:
        """The site secret. Raises UsageError, saying how to make one, when there is none."""
        if self.site_secret is None:
            raise UsageError(
                f"protected pages grow from a site secret, and there is none: {SITE_SECRET} isn't set and "
                f"{PRIVATE_FILE} holds no site_secret. If the site has one, put it in either place; otherwise "
                "“sitegen init” or “sitegen share … --gate password” makes one"
            )
        return self.site_secret

    def find(self, reference: str | None, *, scope: str) -> Found | None:
        """The secret that a reference names; without one, the default place of the scope. None when it isn't there.

        Raises UsageError when a file can't be read or holds no text.
        """
        match (reference or "").split(":", 1):
            case ["env", name]:
                return self._from_environment(name)
            case ["file", path]:
                return _from_file(self.folder / Path(path).expanduser(), f"file:{path}")
            case ["private", name]:
                return self._from_private(name)
            case _:
                return self._from_environment(variable(scope)) or self._from_private(scope)

    def stores(self, name: str) -> bool:
        """Whether the private file has a secret under this name."""
        return name in self._secrets

    def codes(self, scope: str) -> tuple[str, ...]:
        """The one-time codes that are kept for a scope, as they are printed."""
        return self._codes.get(scope, ())

    def scope_of_code(self, code: str) -> str | None:
        """Whose one-time code this is, however it was typed; None when nobody's."""
        plain = normalise_code(code)
        return next((scope for scope, codes in self._codes.items() if plain in map(normalise_code, codes)), None)

    def codes_without(self, scope: str, code: str) -> tuple[str, ...]:
        """The codes of a scope but this one."""
        return tuple(each for each in self.codes(scope) if normalise_code(each) != normalise_code(code))

    def place_of(self, reference: str | None, *, scope: str, has_codes: bool = False) -> str | None:
        """Where the secret is found, in words; None when it's missing. Nothing of the secret itself."""
        try:
            found = self.find(reference, scope=scope)
        except UsageError:
            return None
        if found is not None:
            return found.place
        return PRIVATE_FILE if has_codes and reference is None and self.codes(scope) else None

    def _from_environment(self, name: str) -> Found | None:
        value = self._environ.get(name)
        return Found(value, f"env:{name}") if value else None

    def _from_private(self, name: str) -> Found | None:
        value = self._secrets.get(name)
        return Found(value, PRIVATE_FILE) if value else None


def variable(scope: str) -> str:
    """The environment variable that holds a scope's secret by default: SITEGEN_SECRET_FIXING_THE_PARSER."""
    return _PREFIX + re.sub(r"[^A-Z0-9]", "_", scope.removeprefix("p:").upper())


def watched(reference: str | None, *, scope: str, folder: Path) -> tuple[str | None, Path | None]:
    """The environment variable and the file that decide what a reference means, for whoever watches for changes."""
    match (reference or "").split(":", 1):
        case ["env", name]:
            return name, None
        case ["file", path]:
            return None, folder / Path(path).expanduser()
        case ["private", _]:
            return None, None
        case _:
            return variable(scope), None


def _site_secret(text: object, place: str) -> bytes:
    try:
        secret = unb64u(str(text).strip())
    except ValueError:
        secret = b""
    if len(secret) != 32:
        raise UsageError(
            f"the site secret in {place} isn't one: 32 bytes in base64url (43 characters) are expected. "
            "Take it from your copy; a new one gives every protected page new keys and every link a new end"
        )
    return secret


def _read_private(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as file:
            _refuse_readable(os.fstat(file.fileno()).st_mode, path)
            return tomllib.loads(file.read().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None
    except ValueError as error:  # its text may hold what stands in the file
        line = re.search(r"line (\d+)", str(error))
        where = f":{line[1]}" if line and isinstance(error, tomllib.TOMLDecodeError) else ""
        raise UsageError(f'{path}{where} isn\'t valid TOML; secrets stand in it as name = "secret"') from None


def _refuse_readable(mode: int, path: Path) -> None:
    if os.name == "posix" and mode & _OTHERS:
        raise RefusedError(
            f"{path} holds secrets and can be read by others on this computer (mode {stat.S_IMODE(mode):04o}); "
            f"run “chmod 600 {path}”, and think of what stands in it as known"
        )


def _texts(table: object, name: str) -> Iterator[tuple[str, str]]:
    if not isinstance(table, Mapping):
        raise UsageError(f"[{name}] in {PRIVATE_FILE} should be a table of names and texts")
    for key, value in table.items():
        if not isinstance(value, str):
            raise UsageError(f"[{name}] in {PRIVATE_FILE}: “{key}” should be a text in quotes")
        yield key, value


def _lists(table: object) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not isinstance(table, Mapping):
        raise UsageError(f"[codes] in {PRIVATE_FILE} should be a table of names and lists of codes")
    for key, value in table.items():
        if not isinstance(value, list) or not all(isinstance(code, str) for code in value):
            raise UsageError(f"[codes] in {PRIVATE_FILE}: “{key}” should be a list of codes in quotes")
        yield key, tuple(value)


def _from_file(path: Path, place: str) -> Found | None:
    """What stands in a file, without the line end that editors put there."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"the secret in {place} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"the secret in {place} isn't text in UTF-8") from None
    if len(data) > _LARGEST:
        raise UsageError(f"{place} is larger than 64 kB; a secret is expected there and nothing else")
    text = text.removesuffix("\n").removesuffix("\r")
    return Found(text, place) if text else None
