"""Reads JSON Lines files line by line, mends what can be mended and tells what can't; knows no source's format."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder

from sitegen.ingest.records import Change, Stored

if TYPE_CHECKING:
    from sitegen.model import Json

_BOM: Final = "\ufeff"
_BLANK: Final = b" \t\r\n"
_CHUNK_BYTES: Final = 1 << 20
_MAX_DEPTH: Final = 200


class Line(Struct, frozen=True):
    """A line that isn't blank. `record` is None when it holds no JSON object; `payload` is JSON text either way.

    A sound line's payload is the line itself. A mended one's is the mended record with what stood there under
    `source_line`; an unreadable one's is `{"unparsed": …}`. Bytes that aren't UTF-8 are kept there as base64.
    """

    number: int
    payload: str
    record: dict[str, Json] | None = None
    problem: str | None = None


class LineReader:
    """Reads a file once; after the last line, what it read is summed up in its attributes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._hash = hashlib.sha256()
        self.bytes_read = 0
        self.line_count = 0
        self.record_count = 0

    @property
    def content_hash(self) -> str:
        """SHA-256 of the bytes read so far, in hex."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[Line]:
        with self._path.open("rb") as file:
            for raw in file:
                self._hash.update(raw)
                self.bytes_read += len(raw)
                self.line_count += 1
                if stripped := raw.strip(_BLANK):
                    self.record_count += 1
                    yield parse_line(stripped, self.line_count)


def compare_file(path: Path, stored: Stored) -> Change:
    """How a file differs from what is stored of it, by its bytes. Raises OSError."""
    digest, left, last = hashlib.sha256(), stored.source_bytes, b"\n"
    with path.open("rb") as file:
        while left > 0 and (chunk := file.read(min(left, _CHUNK_BYTES))):
            digest.update(chunk)
            left -= len(chunk)
            last = chunk[-1:]
        if left or digest.hexdigest() != stored.content_hash:
            return Change.CHANGED
        if not file.read(1):
            return Change.UNCHANGED
    # A last line without an end was half-written then: its record isn't what it is now.
    return Change.APPENDED if last == b"\n" else Change.CHANGED


def parse_line(raw: bytes, number: int) -> Line:
    """A line's record. Never raises: whatever is wrong with it is told in `problem`."""
    try:
        text = raw.decode()
        record, is_sound = _parse(raw, text)
    except (ValueError, RecursionError):
        return _parse_damaged(raw, number)
    if not isinstance(record, dict):
        return Line(number, _unparsed(text), problem=f"it holds {kind_of(record)} where a JSON object was expected")
    if (problem := _too_deep(record, text)) is not None:
        return Line(number, _unparsed(text), problem=problem)
    if not is_sound and has_lone_surrogate(json.dumps(record, ensure_ascii=False)):
        return _mended(number, record, source=text, reasons=["it holds half of a surrogate pair"])
    return Line(number, text, record)


def _parse(raw: bytes, text: str) -> tuple[Json, bool]:
    """The value of a line, and whether it surely holds no half of a surrogate pair."""
    try:
        return _QUICK.decode(raw), True
    except (MsgspecError, RecursionError):  # it refuses those, numbers out of range, and all that isn't JSON
        return _loads(text), False


def kind_of(value: Json) -> str:
    """What a JSON value is, in words: "a list"."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "an object"


def has_lone_surrogate(text: str) -> bool:
    """Whether a text can't be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def mend_text(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, which neither UTF-8 nor the database can hold."""
    return (
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if has_lone_surrogate(text) else text
    )


def _parse_damaged(raw: bytes, number: int) -> Line:
    text, reasons = _mend_bytes(raw)
    if not text:
        return Line(number, _unparsed(_source_of(raw)), problem="it holds nothing but NUL bytes or a byte order mark")
    try:
        record = _loads_mending(text, reasons)
    except (ValueError, RecursionError) as error:
        return Line(number, _unparsed(_source_of(raw)), problem=_reason(error))
    if not isinstance(record, dict):
        problem = f"it holds {kind_of(record)} where a JSON object was expected"
        return Line(number, _unparsed(_source_of(raw)), problem=problem)
    if (too_deep := _too_deep(record, text)) is not None:
        return Line(number, _unparsed(_source_of(raw)), problem=too_deep)
    return _mended(number, record, source=_source_of(raw), reasons=reasons)


def _mend_bytes(raw: bytes) -> tuple[str, list[str]]:
    reasons: list[str] = []
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        reasons.append(f"byte {error.start + 1} isn't UTF-8")
        text = raw.decode(errors="replace")
    if text.startswith(_BOM):
        reasons.append("it begins with a byte order mark")
    if text.strip("\0") != text:
        # A crash of the machine leaves NUL bytes where the file system hadn't written yet.
        reasons.append("it begins or ends with NUL bytes")
    return text.strip(_BOM + "\0 \t\r\n"), reasons


def _loads_mending(text: str, reasons: list[str]) -> Json:
    """Parses; when only control characters are wrong, parses with them and adds the reason."""
    try:
        return _loads(text)
    except json.JSONDecodeError:
        record = _LENIENT.decode(text)
        reasons.append("a text in it holds control characters that JSON wants escaped")
        return record  # type: ignore[no-any-return]


def _mended(number: int, record: dict[str, Json], *, source: str | Json, reasons: list[str]) -> Line:
    try:
        dumped = json.dumps(record, ensure_ascii=False)
        if has_lone_surrogate(dumped):
            record = json.loads(mend_text(dumped))
        payload = json.dumps({**record, "source_line": source}, ensure_ascii=False)
    except (ValueError, RecursionError) as error:
        return Line(number, _unparsed(source), problem=_reason(error))
    return Line(number, payload, record, problem="; ".join(reasons) or "it had to be mended")


def _source_of(raw: bytes) -> Json:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode()}


def _unparsed(source: Json) -> str:
    return json.dumps({"unparsed": source}, ensure_ascii=False)


def _too_deep(record: Json, text: str) -> str | None:
    """The problem of a record that later stages, which recurse into it, could fall over."""
    if text.count("{") + text.count("[") <= _MAX_DEPTH:
        return None
    depth, level = 0, [record]
    while level:
        depth += 1
        level = [item for value in level for item in _items(value)]
    return f"it is nested {depth} levels deep, more than {_MAX_DEPTH}" if depth > _MAX_DEPTH else None


def _items(value: Json) -> Iterable[Json]:
    match value:
        case dict():
            return value.values()
        case list():
            return value
        case _:
            return ()


def _reason(error: Exception) -> str:
    match error:
        case RecursionError():
            return "it is nested too deeply"
        case json.JSONDecodeError():
            told = error.msg.removesuffix(" at")  # as some of Python's end
            return f"it isn't JSON: {told[0].lower()}{told[1:]} at character {error.pos + 1}"
        case _:
            return f"it isn't JSON: {error}"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise ValueError("a number in it is too large")
    return number


_QUICK: Final = Decoder()
_STRICT: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
_LENIENT: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, strict=False)


def _loads(text: str) -> Json:
    return _STRICT.decode(text)  # type: ignore[no-any-return]
