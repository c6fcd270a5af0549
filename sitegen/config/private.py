"""Changes the private `.sitegen/secrets.toml`: comments kept, whole or not at all, readable by its owner only.

    site_secret = "…"            32 bytes in base64url
    [secrets]                    passwords by a share's slug, or by the name of a `private:NAME`
    [codes]                      one-time codes by a share's slug

`gate.vault` reads it. Nothing that stands in it is shown here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sitegen.config.files import PRIVATE_FOLDER, lock, replace_text
from sitegen.errors import OutputError

PRIVATE_MODE: Final = 0o600
_HEADING: Final = """\
# Private: whoever has this can open every protected page. Keep a copy in a safe place, and never in a repository.
"""
Secret = str | Sequence[str]


def private_path(folder: Path) -> Path:
    """The private file of the configuration in `folder`."""
    return folder / PRIVATE_FOLDER / "secrets.toml"


def keep(folder: Path, *, table: str, name: str, value: Secret) -> None:
    """Keep a secret, or a list of codes, under a name of a table; an empty list takes the name out.

    Raises OutputError when the file can't be written or isn't laid out so that it can be edited safely.
    """
    _rewrite(folder, lambda text: with_secret(text, table=table, name=name, value=value))


def keep_site_secret(folder: Path, value: str) -> None:
    """Keep the site secret, unless there is one already. Raises OutputError like `keep`."""
    _rewrite(folder, lambda text: with_site_secret(text, value))


def with_secret(text: str, *, table: str, name: str, value: Secret) -> str:
    """The text whose table has this value under the name."""
    plain = value if isinstance(value, str) else list(value)
    before = tomllib.loads(text)
    known = before.get(table, {})
    wanted = {**before, table: {**(known if isinstance(known, dict) else {}), name: plain}}
    if plain == []:
        del wanted[table][name]

    def change(parsed: tomlkit.TOMLDocument) -> None:
        entries = parsed.setdefault(table, tomlkit.table())
        if plain == []:
            entries.pop(name, None)
        else:
            entries[name] = plain

    return _edited(text, change, wanted)


def with_site_secret(text: str, value: str) -> str:
    """The text with a site secret; one that is there stays."""
    before = tomllib.loads(text)
    if before.get("site_secret"):
        return text

    def change(parsed: tomlkit.TOMLDocument) -> None:
        parsed["site_secret"] = value

    return _edited(text, change, {**before, "site_secret": value})


def _edited(text: str, change: Callable[[tomlkit.TOMLDocument], None], wanted: Mapping[str, object]) -> str:
    """The text after a change, when it says what is wanted and nothing else: a lost secret is lost for good."""
    try:
        parsed = tomlkit.parse(text)
        change(parsed)
        after = tomlkit.dumps(parsed)
        if tomllib.loads(after) == wanted:
            return after
    except (TOMLKitError, ValueError, LookupError, TypeError, AttributeError):
        pass
    raise OutputError(
        f"{PRIVATE_FOLDER}/secrets.toml is laid out in a way that can't be edited safely; make it plain tables of "
        "names and texts, and try again"
    ) from None


def _rewrite(folder: Path, change: Callable[[str], str]) -> None:
    path = private_path(folder)
    with lock(path.parent / "config.lock"):
        before = _read(path)
        try:
            after = change(_HEADING if before is None else before)
        except tomllib.TOMLDecodeError:  # its message may hold what stands there
            raise OutputError(f"{path} isn't valid TOML; mend it and try again") from None
        if after != before:
            replace_text(path, after, was=before, mode=PRIVATE_MODE)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutputError(f"{path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OutputError(f"{path} isn't text in UTF-8; mend it and try again") from None
