"""`sitegen links`: what the owner hands out, as a table, CSV, JSON, text to send, or QR codes. It prints secrets."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sitegen.cli.entries import Gated, find_gated, gated
from sitegen.cli.frame import App, pass_app
from sitegen.cli.reading import iso, read_archive, read_registry, remark
from sitegen.cli.terminal import counted, safe, table
from sitegen.errors import OutputError, UsageError

if TYPE_CHECKING:
    from sitegen.config import Config


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in, for one reader."""

    slug: str
    gate: str
    address: str
    title: str
    expires: datetime | None
    recipient: str = ""
    secret: str = field(default="", repr=False)
    link: str = field(default="", repr=False)

    @property
    def best(self) -> str:
        """What is opened by a single click, if anything is."""
        return self.link or self.address


@click.command("links")
@click.argument("slug", required=False)
@click.option("--json", "form", flag_value="json", help="An array of objects, for scripts.")
@click.option("--csv", "form", flag_value="csv", help="A table for a spreadsheet or a mail merge.")
@click.option("--text", "form", flag_value="text", help="A text to send to each reader.")
@click.option("--qr", "form", flag_value="qr", help="A QR code for each reader, on the terminal.")
@click.option("--svg", "folder", type=click.Path(path_type=Path), metavar="DIR", help="QR codes as SVG files in DIR.")
@pass_app
@click.pass_context
def command(ctx: click.Context, app: App, slug: str | None, form: str | None, folder: Path | None) -> None:
    """Print passwords, codes and links of protected shares.

    SLUG is a share or a protected project; all of them unless given. What is printed opens the pages: mind who sees it.
    """
    config = app.config()
    if config.site.base_url is None and (folder is not None or form in ("text", "qr")):
        raise UsageError(
            "[site] names no base_url, so these links would lead nowhere; write where the site will stand, as in "
            'base_url = "https://ann.example.org/talks/", and try again'
        )
    registry = read_registry(config, read_archive(config))
    chosen = gated(registry) if slug is None else [find_gated(registry, slug)]
    ways, faults = _all_ways(config, chosen)
    if folder is not None:
        _write_svg(config, ways, folder)
    if folder is None or form is not None:
        click.echo(_shown(config, ways, form), nl=False)
    _remark(config, ways, is_nothing_protected=not chosen)
    for fault in faults:
        remark(fault)
    ctx.exit(UsageError.exit_code if faults else 0)


def _all_ways(config: Config, chosen: Sequence[Gated]) -> tuple[list[_Way], list[str]]:
    """The ways in, and why those of some can't be told; one missing secret must not hide the others."""
    ways: list[_Way] = []
    faults: list[str] = []
    for target in chosen:
        try:
            ways += _ways(config, target)
        except UsageError as error:
            faults.append(str(error))
    return ways, list(dict.fromkeys(faults))


def _ways(config: Config, target: Gated) -> Iterable[_Way]:
    from sitegen.gate.credentials import gather
    from sitegen.gate.encoding import b64u, show_code
    from sitegen.gate.vault import Vault

    address, expires = _address(config, target), target.share.expires if target.share else None
    plain = _Way(target.slug, target.wish.kind, address, target.title, expires)
    keyring = gather(target.wish, Vault.open(config.folder))
    if not keyring.holders:
        return [plain]
    is_code = keyring.kind in ("email", "otp")
    return [
        _Way(
            plain.slug,
            plain.gate,
            address,
            plain.title,
            expires,
            holder.recipient,
            show_code(holder.secret) if is_code else holder.secret,
            f"{address}#k=1.{b64u(holder.link)}" if holder.link else "",
        )
        for holder in keyring.holders
    ]


def _address(config: Config, target: Gated) -> str:
    from urllib.parse import quote

    kind = "p" if target.project is not None else "s"
    return f"{config.site.base_url or ''}{kind}/{quote(target.slug)}/"


def _remark(config: Config, ways: Sequence[_Way], *, is_nothing_protected: bool) -> None:
    if is_nothing_protected:
        remark("nothing is protected; “sitegen share … --gate password” protects a share")
    if ways and config.site.base_url is None:
        remark("[site] names no base_url, so these addresses lack their beginning")
    if any(way.link for way in ways):
        remark("whoever has these can open the pages; whoever holds the site secret can open all that have a link")


def _shown(config: Config, ways: Sequence[_Way], form: str | None) -> str:
    match form:
        case "json":
            return json.dumps([_record(way) for way in ways], indent=2) + "\n"
        case "csv":
            return _csv(ways)
        case "text":
            return "\n".join(_text(config, way) for way in ways)
        case "qr":
            return "\n".join(_qr(way) for way in ways)
        case _:
            return _table(ways)


def _record(way: _Way) -> dict[str, object]:
    return {
        "slug": way.slug,
        "gate": way.gate,
        "recipient": way.recipient or None,
        "secret": way.secret or None,
        "link": way.link or None,
        "url": way.address,
        "title": way.title,
        "expires": iso(way.expires),
    }


def _csv(ways: Sequence[_Way]) -> str:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("slug", "gate", "recipient", "secret", "link", "url", "expires"))
    for way in ways:
        expires = iso(way.expires) or ""
        rows.writerow((way.slug, way.gate, _plain(way.recipient), way.secret, way.link, way.address, expires))
    return out.getvalue()


def _plain(recipient: str) -> str:
    """An address that no spreadsheet takes for a formula; others may have chosen it."""
    return f"'{recipient}" if recipient.startswith(("=", "+", "-", "@")) else recipient


def _table(ways: Sequence[_Way]) -> str:
    if not ways:
        return ""
    rows = [(way.slug, way.gate, safe(way.recipient) or "–", way.secret or "–", way.best) for way in ways]
    return table([("SLUG", "GATE", "RECIPIENT", "SECRET", "LINK"), *rows]) + "\n"


def _text(config: Config, way: _Way) -> str:
    """A text to send, in the site's language; it doesn't name what is protected."""
    from sitegen.catalogue import Catalogue

    t = Catalogue(config.site.language)
    lines = [t("links.link", link=way.link)] if way.link else []
    if way.secret:
        key = f"links.{way.gate}" + ("_alone" if not way.link else "")
        lines.append(t(key, address=way.address, secret=way.secret, recipient=way.recipient))
    elif not lines:
        lines.append(t("links.terms", address=way.address))
    if way.expires is not None:
        lines.append(t("links.until", date=f"{way.expires:%Y-%m-%d %H:%M} UTC"))
    heading = f"--- {safe(way.recipient or way.slug)}"
    return "\n".join([heading, *lines, ""])


def _qr(way: _Way) -> str:
    import segno

    out = io.StringIO()
    segno.make(way.best, error="m", micro=False).terminal(out=out, compact=True)
    return f"{way.slug}  {safe(way.recipient)}".rstrip() + f"\n{out.getvalue()}"


def _write_svg(config: Config, ways: Sequence[_Way], folder: Path) -> None:
    """One file a reader, for its owner's eyes: a QR code of a link is the key itself."""
    import segno

    if folder.resolve().is_relative_to(config.output.directory.resolve()):
        raise UsageError(f"{folder} lies in the output folder and would be published; name another")
    for number, way in enumerate(ways, start=1):
        svg = io.BytesIO()
        segno.make(way.best, error="m", micro=False).save(svg, kind="svg", scale=4, border=4, dark="#000", light="#fff")
        _write_private(folder / f"{way.slug}-{number}.svg", svg.getvalue())
    click.echo(f"Wrote {counted(len(ways), 'QR code')} to {safe(str(folder))}", err=True)


def _write_private(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(data)
    except OSError as error:
        raise OutputError(f"{path} can't be written: {error.strerror}") from None
