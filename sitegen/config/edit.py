"""Changes sitegen.toml as its owner would by hand: a few lines, with comments, order, line ends and file mode kept.

Text is changed by pure functions; `rewrite` does one change to the file, alone and whole.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sitegen.config.files import PRIVATE_FOLDER, lock, replace_text
from sitegen.config.load import shown_path
from sitegen.config.places import Place, find_places
from sitegen.config.slugs import folded
from sitegen.config.toml import TomlFile, read_text
from sitegen.errors import ConfigError

Value = str | int | bool | datetime | Sequence[str]
Document = dict[str, object]

_BY_HAND: Final = "this file is laid out in a way that can't be edited safely; please make the change by hand"


def rewrite(path: Path, change: Callable[[str], str], *, was: str | None = None) -> None:
    """Replace the file's text by what `change` makes of it (line ends as "\\n"), at once and while nobody else does.

    `was` is the text that the change was thought out for, if it fits no other. Raises ConfigError when the file or the
    change isn't sound, or somebody has changed it since, OutputError when the file can't be written.
    """
    target = path.resolve()
    with lock(path.parent / PRIVATE_FOLDER / "config.lock"):
        before = read_text(target, shown=shown_path(path))
        if was is not None and was != before:
            raise ConfigError("it was changed meanwhile; run the command again", path=shown_path(path))
        TomlFile(shown_path(path), before)
        replace_text(target, _with_own_line_ends(before, change), was=before)


def _with_own_line_ends(text: str, change: Callable[[str], str]) -> str:
    """Changes text of which every line ends with CR LF as if it had plain line ends, and gives them back."""
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(bom)
    if "\r\n" not in body or body.count("\n") != body.count("\r\n"):
        return bom + change(body)
    return bom + change(body.replace("\r\n", "\n")).replace("\n", "\r\n")


# ---------------------------------------------------------------------------------------------- changes of the text


def with_share(text: str, values: Mapping[str, Value]) -> str:
    """The text with a `[[share]]` of these keys, after the last one or at the end."""
    document = tomllib.loads(text)
    shares = _shares(document)
    _refuse_doubled(shares, str(values.get("slug", "")))
    wanted = {**document, "share": [*shares, _plain(values)]}
    if "share" in document and not _headers(text):
        return _checked(_by_tomlkit(text, lambda parsed: _append_inline(parsed, values)), wanted)
    return _checked(_with_block(text, _block(values)), wanted)


def without_shares(text: str, is_gone: Callable[[Mapping[str, object]], bool]) -> str:
    """The text without the `[[share]]`s that `is_gone` says yes to, and otherwise as it was."""
    document = tomllib.loads(text)
    shares = _shares(document)
    gone = [number for number, share in enumerate(shares) if is_gone(share)]
    left = [share for number, share in enumerate(shares) if number not in gone]
    wanted = {**document, "share": left}
    if not _headers(text):
        return _checked(_by_tomlkit(text, lambda parsed: _drop_inline(parsed, gone)), wanted)
    for number in reversed(gone):
        text = _without_block(text, number)
    return _checked(text, wanted)


def with_epoch(text: str, *, table: str, number: int, epoch: int) -> str:
    """The text whose `[[share]]`, `[[project]]` or `[[rule]]` of this number, from 0, has that epoch."""
    document = tomllib.loads(text)
    entries = document[table]
    wanted = {**document, table: [{**each, "epoch": epoch} if n == number else each for n, each in enumerate(entries)]}
    places = find_places(text)
    keys = [place for path, place in places.items() if len(path) == 3 and path[:2] == (table, number)]
    if known := places.get((table, number, "epoch")):
        return _checked(f"{text[: known.start]}epoch = {epoch}{text[known.end :]}", wanted)
    if not text.startswith("[", places[table, number].start):
        return _checked(_by_tomlkit(text, lambda parsed: parsed[table][number].update({"epoch": epoch})), wanted)
    # Behind the last key of the table itself: keys of a table within it don't begin at the start of a line alone.
    last = max((place for place in keys if not text.startswith("[", place.start)), key=lambda place: place.end)
    end = text.find("\n", last.end)
    end = len(text) if end < 0 else end
    return _checked(f"{text[:end]}\nepoch = {epoch}{text[end:]}", wanted)


def with_registry(text: str, *, revoked: Iterable[str] = (), excluded: Iterable[str] = ()) -> str:
    """The text whose `[registry]` also holds these slugs and conversations."""
    document = tomllib.loads(text)
    for key, items in (("revoked", revoked), ("excluded", excluded)):
        known = _registry(document).get(key, [])
        new = [item for item in dict.fromkeys(items) if item not in known]
        if new:
            document = {**document, "registry": {**_registry(document), key: [*known, *new]}}
            text = _checked(_by_tomlkit(text, lambda parsed, key=key, new=new: _extend(parsed, key, new)), document)  # type: ignore[misc]
    return text


def without_revoked(text: str, slug: str) -> str:
    """The text whose `[registry]` no longer calls a slug revoked."""
    document = tomllib.loads(text)
    known = _registry(document).get("revoked", [])
    left = [item for item in known if folded(str(item)) != folded(slug)]
    if left == known:
        return text
    wanted = {**document, "registry": {**_registry(document), "revoked": left}}

    def remove(parsed: tomlkit.TOMLDocument) -> None:
        array = parsed["registry"]["revoked"]
        for number in reversed(range(len(known))):
            if known[number] not in left:
                del array[number]

    return _checked(_by_tomlkit(text, remove), wanted)


def _shares(document: Mapping[str, object]) -> list[dict[str, object]]:
    found = document.get("share", [])
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _registry(document: Mapping[str, object]) -> dict[str, list[object]]:
    found = document.get("registry", {})
    return {**found} if isinstance(found, Mapping) else {}


def _refuse_doubled(shares: Iterable[Mapping[str, object]], slug: str) -> None:
    for share in shares:
        if slug and folded(str(share.get("slug", ""))) == folded(slug):
            raise ConfigError(f"a share with the slug “{share['slug']}” is in the configuration already")


def _plain(values: Mapping[str, Value]) -> dict[str, object]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _block(values: Mapping[str, Value]) -> str:
    lines = (f"{key} = {tomlkit.item(value).as_string()}" for key, value in _plain(values).items())
    return "\n".join(["[[share]]", *lines])


def _headers(text: str) -> list[Place]:
    """The places of the `[[share]]` headers; none when shares stand in an array of inline tables."""
    places = find_places(text)
    shares = [place for path, place in places.items() if len(path) == 2 and path[0] == "share"]
    return [place for place in shares if text.startswith("[", place.start)]


def _span(text: str, number: int) -> tuple[int, int]:
    """Where the lines of a `[[share]]` begin and end, without the line end of the last."""
    places = find_places(text)
    mine = [place for path, place in places.items() if path[:2] == ("share", number)]
    start = text.rfind("\n", 0, min(place.start for place in mine)) + 1
    end = text.find("\n", max(place.end for place in mine))
    return start, len(text) if end < 0 else end


def _with_block(text: str, block: str) -> str:
    if headers := _headers(text):
        _, end = _span(text, len(headers) - 1)
        return f"{text[:end]}\n\n{block}{text[end:] or chr(10)}"
    above = text.rstrip("\n")
    return f"{above}\n\n{block}\n" if above else f"{block}\n"


def _without_block(text: str, number: int) -> str:
    start, end = _span(text, number)
    before, after = text[:start], text[end:].removeprefix("\n")
    if not after.strip():
        return before.rstrip("\n") + "\n" if before.strip() else ""
    # The blank line that set the block off goes with it.
    return before + (after.removeprefix("\n") if before.endswith("\n\n") or not before else after)


def _by_tomlkit(text: str, change: Callable[[tomlkit.TOMLDocument], None]) -> str:
    try:
        parsed = tomlkit.parse(text)
        change(parsed)
        return tomlkit.dumps(parsed)
    except (TOMLKitError, LookupError, TypeError, AttributeError):
        raise ConfigError(_BY_HAND) from None


def _append_inline(parsed: tomlkit.TOMLDocument, values: Mapping[str, Value]) -> None:
    table = tomlkit.inline_table()
    table.update(_plain(values))
    parsed["share"].append(table)


def _drop_inline(parsed: tomlkit.TOMLDocument, gone: Iterable[int]) -> None:
    for number in reversed(list(gone)):
        del parsed["share"][number]


def _extend(parsed: tomlkit.TOMLDocument, key: str, items: Iterable[str]) -> None:
    registry = parsed.setdefault("registry", tomlkit.table())
    if key not in registry:
        registry[key] = tomlkit.array()
    for item in items:
        registry[key].append(item)


def _checked(text: str, wanted: Mapping[str, object]) -> str:
    """The text, when it says what is wanted and nothing else; an editing fault must never change what is published."""
    try:
        found: Document = tomllib.loads(text)
    except ValueError:
        found = {}
    if _without_empty(found) != _without_empty(wanted):
        raise ConfigError(_BY_HAND)
    return text


def _without_empty(document: Mapping[str, object]) -> Document:
    return {key: value for key, value in document.items() if value != []}
