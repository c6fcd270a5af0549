"""The values of sitegen.toml that have a form of their own: addresses, times, ranges, references, slugs, paths."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from sitegen.config.files import PRIVATE_FOLDER
from sitegen.config.slugs import fault_of, normal
from sitegen.config.toml import Table
from sitegen.config.types import Remote

Ranges = tuple[tuple[int, int | None], ...]

_URL_PATH: Final = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|/)*")
_HOST: Final = re.compile(r"[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_ADDRESS: Final = re.compile(r"[^@\s]+@[^@\s]+")
_REFERENCE: Final = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*|file:.+|private:.+")
_RANGE: Final = re.compile(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9})?)?")
_BUCKET: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[A-Za-z0-9!_.*'()-]+)*")
_REMOTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|[a-z][a-z0-9+.-]+::")
Parsed = TypeVar("Parsed")
# Between these every time zone can say what time it is.
_FIRST: Final = datetime(1, 1, 3, tzinfo=UTC)
_LAST: Final = datetime(9999, 12, 29, tzinfo=UTC)


def base_url(table: Table, key: str) -> str | None:
    """The site's address with a slash at its end."""
    value = table.text(key)
    if value is None:
        return None
    url = value if value.endswith("/") else f"{value}/"
    if _is_base_url(url):
        return url
    example = "an http or https address with a plain path, such as https://ann.github.io/talks/"
    raise table.wrong(key, example)


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    segments = parts.path.split("/")[1:-1]
    return (
        parts.scheme in ("http", "https")
        and "@" not in parts.netloc
        and _HOST.fullmatch(host if ":" not in host else f"[{host}]") is not None
        and "?" not in url
        and "#" not in url
        and _URL_PATH.fullmatch(parts.path) is not None
        and not {"", ".", ".."}.intersection(segments)
        and not re.search(r"[\s\\]", url)
    )


def language(table: Table, key: str, default: str) -> str:
    """A language tag such as "en" or "pt-BR"."""
    value = table.text(key)
    if value is not None and not _LANGUAGE.fullmatch(value):
        raise table.wrong(key, "a language tag such as “en” or “pt-BR”")
    return value or default


def timezone(table: Table, key: str, default: str) -> tuple[str, tzinfo]:
    """The name of a time zone and the zone."""
    name = table.text(key) or default
    try:
        return name, zone_named(name)
    except (KeyError, ValueError, OSError):
        pass
    import difflib  # here and elsewhere: most have nothing to ask
    from zoneinfo import available_timezones

    if not available_timezones():
        raise table.fault(
            key, "can't be looked up: this computer has no time zone data; run “pip install tzdata” or use “UTC”"
        )
    near = difflib.get_close_matches(name, available_timezones(), n=1, cutoff=0.6)
    hint = f"; did you mean “{near[0]}”?" if near else ""
    raise table.wrong(key, f"a name of the IANA time zone database such as “Europe/Berlin”{hint}")


def zone_named(name: str) -> tzinfo:
    """The time zone of a name. Raises KeyError, ValueError or OSError for one that isn't known here."""
    if name == "UTC":  # known even where there is no time zone data
        return UTC
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


def moment(table: Table, key: str, zone: tzinfo, *, ends_day: bool = False) -> datetime | None:
    """The moment at a key, in UTC. A time without an offset, and a date, are in `zone`.

    A date is the beginning of that day; with `ends_day` it is the beginning of the next one.
    """
    value = table.values.get(key)
    if value is None:
        return None
    expected = "a date or a time without quotes, such as 2027-01-31 or 2027-01-31T00:00:00Z"
    if not isinstance(value, date):
        raise table.wrong(key, expected)
    try:
        return as_moment(value, zone, ends_day=ends_day)
    except OverflowError:
        raise table.wrong(key, expected) from None


def as_moment(value: date, zone: tzinfo, *, ends_day: bool = False) -> datetime:
    """A date or a time as a moment in UTC, a little way from the calendar's ends. Raises OverflowError beyond them."""
    if not isinstance(value, datetime):
        day = value + timedelta(days=1) if ends_day else value
        value = datetime.combine(day, time())
    moment = (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)
    return min(max(moment, _FIRST), _LAST)


def slug(table: Table, key: str) -> str | None:
    """A slug in Unicode's composed form."""
    value = table.text(key)
    if value is None:
        return None
    if fault := fault_of(value):
        raise table.fault(key, f"“{_shortened(value)}” {fault}")
    return normal(value)


def _shortened(value: str) -> str:
    shown = "".join(char if char.isprintable() else "�" for char in value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"


def reference(table: Table, key: str) -> str | None:
    """Where a secret is kept. A literal is refused without being shown."""
    value = table.text(key)
    if value is not None and not is_reference(value):
        raise table.fault(
            key,
            "isn't a reference: a secret never stands in this file; write “env:NAME” or “file:PATH”, where it is kept",
        )
    return value


def is_reference(value: str) -> bool:
    """Whether a text says where a secret is kept, rather than being one."""
    return _REFERENCE.fullmatch(value) is not None


def is_address(value: str) -> bool:
    """Whether a text has the form of an e-mail address."""
    return _ADDRESS.fullmatch(value) is not None


def addresses(table: Table, key: str) -> tuple[str, ...]:
    """A list of e-mail addresses."""
    values = table.texts(key)
    for value in values:
        if not is_address(value):
            raise table.fault(key, f"holds “{_shortened(value)}”, which isn't an e-mail address")
    return values


def ranges(table: Table, key: str) -> Ranges:
    """Ranges of messages, counted from 1; () when the key isn't there."""
    value = table.text(key)
    if value is None:
        return ()
    try:
        return parse_ranges(value)
    except ValueError as error:
        raise table.wrong(key, f"ranges of messages such as “1-40” or “1-10, 25-” ({error})") from None


def parse_ranges(text: str) -> Ranges:
    """`"1-10, 15, 25-"` as pairs in order, the end of an open one None. Raises ValueError saying what is wrong."""
    found = sorted((_range(part.strip()) for part in text.split(",")), key=lambda pair: (pair[0], pair[1] or 10**9))
    return tuple(dict.fromkeys(found))


def _range(part: str) -> tuple[int, int | None]:
    match = _RANGE.fullmatch(part)
    if not match:
        raise ValueError(f"“{_shortened(part)}” isn't one")
    first = int(match[1])
    last = int(match[2]) if match[2] else None if re.search("[-–]", part) else first
    if first < 1:
        raise ValueError("messages count from 1")
    if last is not None and last < first:
        raise ValueError(f"{last} comes before {first}")
    return first, last


def projection(table: Table, value: str, *, folder: Path) -> Path | Remote:
    """A projection on this computer, or one that is fetched into the private folder from its address."""
    if not _REMOTE.match(value):
        return local_path(table, "projection", value, folder=folder)
    if fault := _fault_of_address(value):
        raise table.fault("projection", f"is an address that can't be used: {fault}")
    digest = hashlib.sha256(value.encode()).hexdigest()[:12]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", urlsplit(value).path.rpartition("/")[2]).strip(".-")[:60] or "projection"
    return Remote(value, Path.cwd() / folder / PRIVATE_FOLDER / "fetched" / f"{digest}-{name}")


def _fault_of_address(value: str) -> str:
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it isn't written as addresses are"
    if "::" in value:
        return "it names an address within another; fetch the file first and name it"
    if parts.scheme == "file":
        return "it names a file on this computer; write its path"
    if "@" in parts.netloc:
        return "it holds a name or password, and secrets never stand in this file; they come from the environment"
    if parts.scheme == "http" and host not in ("localhost", "127.0.0.1", "::1"):
        return "what comes by http could be read and changed on its way; use https"
    if not parts.netloc or not parts.path.strip("/") or re.search(r"\s", value):
        return "it lacks the host or bucket, or the file, or holds a blank"
    return ""


def local_path(table: Table, key: str, value: str, *, folder: Path) -> Path:
    """A path on this computer, relative ones starting from `folder`; addresses are refused."""
    if _REMOTE.match(value):
        raise table.fault(
            key, "is an address, and this version reads files on this computer only; fetch it first and name the file"
        )
    try:
        return Path.cwd() / folder / Path(value).expanduser()
    except RuntimeError:
        raise table.fault(key, f"“{value}” names a home folder that isn't known; write the whole path") from None


def names_bucket(value: str) -> bool:
    """Whether a place is meant to be a bucket."""
    return value.lower().startswith("s3:/")


def bucket(table: Table, key: str, value: str) -> str:
    """The address of a bucket, or of a folder in one, without a slash at its end."""
    address = value.rstrip("/")
    if not _BUCKET.fullmatch(address) or {".", ".."}.intersection(address.split("/")):
        raise table.wrong(key, "a bucket and perhaps a prefix, such as s3://talks/site")
    return address


def each_or_one(table: Table, key: str, read: Callable[[str], Parsed]) -> tuple[Parsed, ...]:
    """What `read` makes of a text, or of each in a list of texts."""
    if isinstance(table.values.get(key), list):
        return tuple(read(value) for value in table.texts(key))
    value = table.text(key)
    return () if value is None else (read(value),)
