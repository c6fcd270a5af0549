"""Reads `[privacy]`, and what shares and rules say about how much they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal, TypedDict, cast

from sitegen.config import values
from sitegen.config.toml import Table, read_text
from sitegen.config.types import ImageMetadata, Masking, Privacy
from sitegen.model import Show

_FINGERPRINT: Final = re.compile(r"[0-9a-f]{12}")
_DIGITS: Final = re.compile(r"[0-9A-Fa-f]{1,16}")
_MASKS: Final = ("mask", "keep")


class Showing(TypedDict):
    """The fields of a share or a rule that say how much is shown; None is "not said"."""

    thinking: bool | None
    attachments: bool | None
    branches: bool | None
    context: bool | None
    exclude_tools: tuple[str, ...] | None
    image_metadata: ImageMetadata | None


class _Masks(TypedDict):
    emails: Masking
    hosts: Masking
    ips: Masking
    macs: Masking
    serials: Masking
    phones: Masking


def read_privacy(table: Table, folder: Path) -> Privacy:
    """The section, with the words of `hide_file` read. Raises ConfigError."""
    table.allow(Privacy.__struct_fields__)
    default = Privacy()
    hide_file = _hide_file(table, folder)
    secrets = table.one_of("secrets", ("redact", "block", "allow"))
    paths = table.one_of("paths", ("shorten", "keep"))
    return Privacy(
        secrets=cast(Literal["redact", "block", "allow"], secrets or default.secrets),
        allow=_allow(table),
        paths=cast(Literal["shorten", "keep"], paths or default.paths),
        **_masks(table, default),
        hide=(*_words(table), *(_lines(hide_file) if hide_file else ())),
        hide_file=hide_file,
        show=table.choice("show", Show) or default.show,
        thinking=_or(table.flag("thinking"), default.thinking),
        attachments=_or(table.flag("attachments"), default.attachments),
        branches=_or(table.flag("branches"), default.branches),
        context=_or(table.flag("context"), default.context),
        exclude_tools=table.texts("exclude_tools"),
        image_metadata=_image_metadata(table) or default.image_metadata,
    )


def read_showing(table: Table) -> Showing:
    """What a share or a rule says itself."""
    return Showing(
        thinking=table.flag("thinking"),
        attachments=table.flag("attachments"),
        branches=table.flag("branches"),
        context=table.flag("context"),
        exclude_tools=table.texts("exclude_tools") if "exclude_tools" in table.values else None,
        image_metadata=_image_metadata(table),
    )


def _image_metadata(table: Table) -> ImageMetadata | None:
    return cast("ImageMetadata | None", table.one_of("image_metadata", ("drop", "keep")))


def _or(said: bool | None, default: bool) -> bool:
    return default if said is None else said


def _masks(table: Table, default: Privacy) -> _Masks:
    def read(key: str) -> Masking:
        return cast(Masking, table.one_of(key, _MASKS) or getattr(default, key))

    return _Masks(
        emails=read("emails"),
        hosts=read("hosts"),
        ips=read("ips"),
        macs=read("macs"),
        serials=read("serials"),
        phones=read("phones"),
    )


def _allow(table: Table) -> tuple[str, ...]:
    found = table.texts("allow")
    for each in found:
        if not _FINGERPRINT.fullmatch(each):
            # It may be the secret itself, so only what looks like part of a fingerprint is shown.
            what = f'"{each}", which' if _DIGITS.fullmatch(each) else "something that"
            raise table.fault(
                "allow", f"holds {what} isn't a fingerprint: the twelve digits that “sitegen report” shows"
            )
    return tuple(sorted(set(found)))


def _words(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.strip() for word in table.texts("hide")))


def _hide_file(table: Table, folder: Path) -> Path | None:
    value = table.text("hide_file")
    if value is None:
        return None
    path = values.local_path(table, "hide_file", value, folder=folder)
    if not path.is_file():
        raise table.fault(
            "hide_file", f"names {value}, which isn't there; write a text file with a word to hide on each line"
        )
    return path


def _lines(path: Path) -> list[str]:
    """A word or phrase a line; what follows a `#` at its beginning is a remark."""
    lines = (line.strip() for line in read_text(path).splitlines())
    return [line for line in dict.fromkeys(lines) if line and not line.startswith("#")]
