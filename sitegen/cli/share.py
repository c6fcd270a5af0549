"""`sitegen share`: adds a share to the configuration, and says at which address it will stand."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import Struct

from sitegen.cli.frame import App, pass_app
from sitegen.cli.protecting import MOST_CODES, GateWish, Prepared, keep, prepare
from sitegen.cli.reading import iso, read_archive, read_registry, remark, the_one
from sitegen.cli.terminal import counted, safe
from sitegen.errors import UsageError

if TYPE_CHECKING:
    from sitegen.config import Config
    from sitegen.config.edit import Value
    from sitegen.model import ConversationHead, Share

Entry = Mapping[str, "Value"]

_SPAN: Final = re.compile(r"(\d{1,5})([hdw])")
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_LONGEST: Final = timedelta(days=36_500)
_EPOCHS: Final = 900_000_000
"""So many that none comes twice. Rotating counts on from it, to nine digits."""
_OWN_KEYS: Final = ("secret", "recipients")
"""With these a share whose project is protected has keys of its own, as `shares.gates` sees it."""


class _Wish(Struct, frozen=True):
    """The options of the command, as given."""

    slug: str | None
    title: str | None
    expires: str | None
    view_limit: int | None
    show: str | None
    messages: str | None
    listed: bool | None
    reuse_slug: bool


@click.command("share")
@click.argument("conversation", required=False)
@click.option("--slug", help="The last part of the address; otherwise made up.")
@click.option("--title", help="Shown instead of the conversation's own title.")
@click.option(
    "--gate",
    type=click.Choice(["none", "password", "email", "otp", "agreement"]),
    help="What asks readers in; otherwise what the other options mean, or the project's.",
)
@click.option("--password", help="For the password gate; better not here, where your shell remembers it.")
@click.option("--password-stdin", "is_stdin", is_flag=True, help="Read the password from standard input.")
@click.option("--password-prompt", "is_prompt", is_flag=True, help="Ask for the password.")
@click.option("--secret", metavar="PLACE", help="Where the secret is kept: env:NAME, file:PATH, private:NAME.")
@click.option("--recipient", "recipients", multiple=True, metavar="ADDRESS", help="For the email gate; repeatable.")
@click.option("--codes", type=click.IntRange(1, MOST_CODES), metavar="N", help="One-time codes to make; 10 by default.")
@click.option("--strike", metavar="CODE", help="Strike a one-time code that was used, and do nothing else.")
@click.option("--agreement", metavar="FILE", help="Terms to accept first, in Markdown; alone or with any gate.")
@click.option("--allow-weak", is_flag=True, help="Take a password that can be guessed, knowing it.")
@click.option("--hint", help="Shown to everyone before the page is open: whom to ask, never what opens it.")
@click.option("--public-title", help="What indexes call a protected share that is listed.")
@click.option("--expires", metavar="30d|DATE", help="In hours, days or weeks (12h, 30d, 2w), or on a date.")
@click.option("--view-limit", type=click.IntRange(min=1), metavar="N", help="A limit that each browser counts itself.")
@click.option("--show", type=click.Choice(["all", "calls", "conversation"]), help="How much is shown.")
@click.option("--messages", metavar="1-40", help="Only these messages.")
@click.option("--listed/--unlisted", "listed", default=None, help="On the site's indexes, or only by its address.")
@click.option("--reuse-slug", is_flag=True, help="Take a slug that was revoked.")
@pass_app
def command(app: App, /, conversation: str | None, strike: str | None, **options: Any) -> None:
    """Share a conversation.

    CONVERSATION is an id, a unique beginning of one, or source:native-id. With a gate, a passphrase of six words is
    made and kept in .sitegen/secrets.toml unless one is given; “sitegen links” prints it.
    """
    gate = GateWish(**{key: options.pop(key) for key in GateWish.__dataclass_fields__})
    if strike is not None:
        _strike(app.config(), strike)
        return
    if conversation is None:
        raise click.MissingParameter(
            ctx=click.get_current_context(), param_hint="'CONVERSATION'", param_type="argument"
        )
    _add(app, conversation, _Wish(**options), gate)


def _add(app: App, conversation: str, wish: _Wish, gate: GateWish) -> None:
    from sitegen.shares import Finder

    config = app.config()
    archive = read_archive(config)
    head = the_one(Finder(archive.heads), conversation)
    shares = read_registry(config, archive).shares
    is_gated = _is_gated(config, head, gate)
    slug = _slug(wish, config, head, shares, is_gated=is_gated)
    prepared = prepare(gate, config, names=(slug, wish.title or head.title or ""))
    entry = {**_entry(config, head, wish, slug=slug), **prepared.entry}
    if wish.reuse_slug and not (is_gated and gate.kind is None and prepared.entry.keys().isdisjoint(_OWN_KEYS)):
        entry["epoch"] = _unused_epoch()
    if is_gated:  # first: what is shared must never stand without what protects it
        keep(prepared, config, scope=slug, is_reused=wish.reuse_slug)
    _write(app, entry, reuse_slug=wish.reuse_slug)
    _tell(config, head, entry, shares)
    _tell_gate(prepared, slug=slug, is_gated=is_gated)


def _unused_epoch() -> int:
    """One that the slug never had, however often its keys were rotated: links of an earlier use open nothing."""
    return secrets.randbelow(_EPOCHS) + 1


def _is_gated(config: Config, head: ConversationHead, gate: GateWish) -> bool:
    """Whether the share will be protected, by its own gate or its project's."""
    from sitegen.shares import home_shortened
    from sitegen.shares.gates import terms_of

    if gate.kind is not None:
        return gate.kind != "none"
    projects = {home_shortened(entry.match): entry for entry in config.projects}
    entry = projects.get(home_shortened(head.project))
    return entry is not None and terms_of(entry).gate != "none"


def _strike(config: Config, code: str) -> None:
    """Takes a one-time code back."""
    from sitegen.config import private
    from sitegen.gate.vault import PRIVATE_FILE, Vault

    vault = Vault.open(config.folder)
    scope = vault.scope_of_code(code)
    if scope is None:
        raise UsageError(f"{PRIVATE_FILE} holds no such code; “sitegen links” lists those that are valid")
    left = vault.codes_without(scope, code)
    private.keep(config.folder, table="codes", name=scope, value=left)
    shown = scope.removeprefix("p:")
    click.echo(
        f"Struck the code; {counted(len(left), 'code')} of {shown} left. It opens the page until the next build."
    )
    if not left:
        remark(f"nobody can open {shown} now; “sitegen rotate {shown} --codes 10” makes new codes")


# ---------------------------------------------------------------------------------------------------------- the slug


def _slug(wish: _Wish, config: Config, head: ConversationHead, shares: tuple[Share, ...], *, is_gated: bool) -> str:
    """The slug asked for, checked, or a new one: readable when the share is listed and open, else 128 random bits."""
    from sitegen.config.slugs import random_slug

    if wish.slug is None:
        is_readable = wish.listed and not is_gated
        return _readable(wish, config, head, shares) if is_readable else random_slug()
    return _checked(wish, config, shares, slug=wish.slug)


def _checked(wish: _Wish, config: Config, shares: tuple[Share, ...], *, slug: str) -> str:
    from sitegen.config.slugs import fault_of, folded, normal

    if fault := fault_of(slug):
        raise UsageError(f"the slug “{safe(slug, limit=60)}” {fault}")
    taken = {folded(share.slug): share.origin for share in shares}
    taken |= {folded(entry.slug): f"line {entry.line}" for entry in config.shares if entry.slug}
    if origin := taken.get(folded(slug)):
        raise UsageError(f"the slug “{slug}” is taken already ({origin}); choose another")
    if not wish.reuse_slug and folded(slug) in {folded(known) for known in config.registry.revoked}:
        raise UsageError(
            f"the slug “{slug}” was revoked, and people may still hold its address; choose another, or add --reuse-slug"
        )
    return normal(slug)


def _clean_title(config: Config, head: ConversationHead) -> str:
    """The conversation's title without what its pages won't show either: an address is public too."""
    from sitegen.build.clean import Cleaner, policy_of

    return Cleaner(policy_of(config.privacy)).title(head)


def _readable(wish: _Wish, config: Config, head: ConversationHead, shares: tuple[Share, ...]) -> str:
    from sitegen.config.slugs import folded, readable_slug

    title = wish.title or _clean_title(config, head)
    known = [*config.registry.revoked, *(share.slug for share in shares), *(e.slug for e in config.shares if e.slug)]
    used = {folded(slug) for slug in known}
    slugs = (readable_slug(title, head.key, number=number) for number in count(1))
    return next(slug for slug in slugs if folded(slug) not in used)


# --------------------------------------------------------------------------------------------------------- the entry


def _write(app: App, entry: Entry, *, reuse_slug: bool) -> None:
    from sitegen.config.edit import rewrite, with_share, without_revoked

    slug = str(entry["slug"])
    rewrite(app.config_path(), lambda text: with_share(without_revoked(text, slug) if reuse_slug else text, entry))


def _entry(config: Config, head: ConversationHead, wish: _Wish, *, slug: str) -> Entry:
    """The keys of the new `[[share]]`, only those that were asked for."""
    values: dict[str, Value | None] = {
        "conversation": _writable("the conversation's id", head.key),
        "slug": slug,
        "title": None if wish.title is None else _writable("--title", wish.title),
        "expires": _expiry(config, wish.expires),
        "view_limit": wish.view_limit,
        "listed": wish.listed,
        "show": wish.show,
        "messages": _messages(wish.messages),
    }
    return {key: value for key, value in values.items() if value is not None}


def _writable(what: str, text: str) -> str:
    """Text that the configuration can hold and `load` accepts."""
    if not text.strip():
        raise UsageError(f"{what} is empty; leave it out instead")
    if safe(text) != " ".join(text.split()) and any(ord(char) < 32 or 0xD800 <= ord(char) < 0xE000 for char in text):
        raise UsageError(f"{what} holds a control character or half a character, which can't be written down")
    return text


def _messages(text: str | None) -> str | None:
    from sitegen.config.values import parse_ranges

    try:
        if text is not None:
            parse_ranges(text)
    except ValueError as error:
        raise UsageError(f"--messages should be ranges such as 1-40 or “1-10, 25-”, but {error}") from None
    return text


def _expiry(config: Config, text: str | None) -> datetime | None:
    """The moment that `--expires` means, in whole seconds of UTC."""
    if text is None:
        return None
    now = datetime.now(UTC).replace(microsecond=0)
    moment = _span_from(now, text) if _SPAN.fullmatch(text) else _date(config, text)
    if moment <= now:
        raise UsageError(f"--expires {text} lies in the past; “sitegen revoke” takes a share back")
    return moment


def _span_from(now: datetime, text: str) -> datetime:
    count, unit = int(text[:-1]), text[-1]
    span = count * _UNITS[unit]
    if span > _LONGEST:
        raise UsageError(f"--expires {text} is more than a hundred years away; leave it out instead")
    return now + span


def _date(config: Config, text: str) -> datetime:
    from datetime import date

    from sitegen.config.values import as_moment, zone_named

    try:
        day = date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else datetime.fromisoformat(text)
        return as_moment(day, zone_named(config.site.timezone)).replace(microsecond=0)
    except (ValueError, OverflowError):
        raise UsageError(
            f"--expires {safe(text, limit=40)} isn't a time; write 12h, 30d, 2w, 2027-01-31 or 2027-01-31T18:00:00Z"
        ) from None


# -------------------------------------------------------------------------------------------------------- the answer


def _tell(config: Config, head: ConversationHead, entry: Entry, shares: tuple[Share, ...]) -> None:
    from sitegen.cli.shares import address

    slug, title, expires = str(entry["slug"]), str(entry.get("title", head.title or head.key)), entry.get("expires")
    click.echo(f"Shared “{safe(title, limit=80)}” as {slug}")
    click.echo(f"  address: {address(config, slug) or f's/{slug}/ on your site'}")
    if isinstance(expires, datetime):
        click.echo(f"  expires: {iso(expires)}")
    click.echo(f"  listed on the site's indexes: {'yes' if entry.get('listed') else 'no'}")
    for share in shares:
        if share.head.key == head.key:
            remark(_also(share))


def _tell_gate(prepared: Prepared, *, slug: str, is_gated: bool) -> None:
    match prepared.kind:
        case "password" if prepared.is_made:
            said = f"A passphrase was made and kept in .sitegen/secrets.toml; “sitegen links {slug}” prints it."
        case "password" | "email":
            said = f"Protected by {prepared.kind}; “sitegen links {slug}” prints what to send."
        case "otp":
            count = counted(len(prepared.codes), "one-time code") if prepared.codes else "one-time codes"
            said = f"Protected by {count}; “sitegen links {slug}” lists them, “sitegen share --strike” strikes one."
        case "agreement":
            said = (
                "Readers accept the terms first. That is no secrecy: everyone with the address can read it once "
                "“sitegen build” has run and the site is published."
            )
        case None if is_gated:
            said = (
                "Protected by its project's gate; “sitegen links” prints what opens it, and “sitegen rotate PROJECT "
                "--new-passphrase” makes a passphrase for a project that has none."
            )
        case _:
            said = "Everyone with the address can read it once “sitegen build” has run and the site is published."
    click.echo(said)


def _also(share: Share) -> str:
    if share.origin.startswith("a rule"):
        return f"{share.origin} published this conversation as {share.slug}; this share takes that one's place"
    return f"this conversation is shared as {share.slug} too ({share.origin})"
