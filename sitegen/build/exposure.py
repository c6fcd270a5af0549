"""What publishing would expose, found without publishing: every share read, cleaned and looked over as a build would.

Nothing here holds a value that was found: findings come masked, so what is told may be kept in a log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from sitegen.build import STATE_FOLDER
from sitegen.build.clean import Scans, policy_of, total
from sitegen.build.keys import Keys, make_keys, rendered_key
from sitegen.build.pictures import count_pictures
from sitegen.build.strength import weaknesses
from sitegen.build.wanted import find_shares, open_projections, open_vault
from sitegen.config import Config, fingerprint
from sitegen.model import Conversation, ConversationHead, Share, Show
from sitegen.output.layout import SCAN_FOLDER, STATE_FILE
from sitegen.output.published import Since, compare, read_published
from sitegen.output.state import State
from sitegen.privacy import Engine, Finding, Policy, apply, count, engine_name, find_engine
from sitegen.projection import Projections
from sitegen.render.subagents import Thread, threads
from sitegen.render.tree import Path as Way
from sitegen.render.tree import grow
from sitegen.render.turns import is_prompt
from sitegen.shares import Registry
from sitegen.wording.counts import counted

Change = Literal["new", "changed", "same"]


class Exposure(Struct, frozen=True):
    """What one share would show, and what of that needs a thought."""

    share: Share
    title: str
    findings: tuple[Finding, ...]
    hidden: tuple[tuple[str, int], ...]
    messages: int
    """On the main way, as the page counts them."""
    subagents: int
    tool_results: int
    branches: int
    """Ways not taken, shown or not."""
    images: int
    located_images: int
    """Images in which a camera wrote down where it was; publishing drops that unless the share keeps it."""
    change: Change
    warnings: tuple[str, ...] = ()
    key: str = ""
    """What names all that its page is made of."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How much is taken out, by what it is."""
        return count(self.findings)

    @property
    def published(self) -> Mapping[str, int]:
        """How much of what could be taken out is published, by what it is."""
        return count(self.findings, is_kept=True)

    @property
    def published_secrets(self) -> tuple[Finding, ...]:
        """Secrets that would be published as the policy stands, other than single ones that were allowed."""
        return tuple(each for each in self.findings if each.is_secret and each.is_kept)


class Report(Struct, frozen=True):
    """All shares, and what holds for the site as a whole."""

    config: Config
    shares: tuple[Exposure, ...]
    removed: tuple[str, ...]
    """Slugs that were published last time and wouldn't be now."""
    engine: str
    """The library that found secrets besides sitegen's own rules; "" on a platform without it."""
    notes: tuple[str, ...] = ()
    since: tuple[Since, ...] = ()
    """What would change at each place where the site was published."""

    @property
    def refusals(self) -> tuple[Exposure, ...]:
        """Shares that a build would refuse, or that publish secrets nobody allowed one by one."""
        policy = policy_of(self.config.privacy)
        return tuple(each for each in self.shares if _is_refused(each, policy))

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """What needs a thought: pairs of a slug and a sentence."""
        return tuple((each.share.slug, warning) for each in self.shares for warning in each.warnings)

    @property
    def lasting(self) -> tuple[str, ...]:
        """Slugs of the shares that never expire."""
        return tuple(each.share.slug for each in self.shares if each.share.expires is None)

    @property
    def counts(self) -> Mapping[str, int]:
        """How much is taken out of all shares."""
        return dict(total(each.counts for each in self.shares))

    @property
    def published(self) -> Mapping[str, int]:
        """How much of what could be taken out is published in all shares."""
        return dict(total(each.published for each in self.shares))


def _is_refused(exposure: Exposure, policy: Policy) -> bool:
    if policy.secrets == "block":
        return any(each.is_secret and not each.is_kept for each in exposure.findings)
    return any(each.fingerprint not in policy.allow for each in exposure.published_secrets)


def survey(config: Config, *, now: datetime, output: Path | str, on_share: Callable[[int, int], None]) -> Report:
    """Looks over all shares that a build would publish. `on_share` hears how many are done, and of how many.

    Raises SitegenError as a build would, but for gates, whose faults are warnings.
    """
    heads, registry, warnings = _read(config, now)
    look = _Look(config, heads, registry, _published(config, output), weaknesses(config, registry.shares))
    found: list[Exposure] = []
    wanted = [share for share in registry.shares if not share.is_expired]
    for exposure in look.over(wanted):
        found.append(exposure)
        on_share(len(found), len(wanted))
    return Report(
        config=config,
        shares=tuple(sorted(found, key=lambda each: each.share.slug)),
        removed=_removed(look.published, registry),
        engine=engine_name(),
        notes=(*warnings, *registry.problems, *registry.notes),
        since=_since(config, {each.share.slug: each.key for each in found}),
    )


def _since(config: Config, keys: Mapping[str, str]) -> tuple[Since, ...]:
    """How shares differ from each publication; `keys` name what their pages are made of."""
    places = read_published(config.folder / STATE_FOLDER)
    return tuple(compare(place, published, keys) for place, published in sorted(places.items()))


def _removed(published: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """The slugs that the next build takes back: none where it refuses to begin."""
    return () if registry.is_refused else tuple(sorted({*published} - {share.slug for share in registry.shares}))


def _read(config: Config, now: datetime) -> tuple[list[ConversationHead], Registry, list[str]]:
    with _open(config) as projection:
        heads, views = projection.heads(), projection.shared_views()
        warnings = list(projection.warnings)
    vault = open_vault(config, views)
    return heads, find_shares(config, heads, views, vault=vault, now=now, is_publishing=False), warnings


def _open(config: Config) -> AbstractContextManager[Projections]:
    return open_projections(config, temp_folder=config.folder / STATE_FOLDER / "tmp")


def _published(config: Config, output: Path | str) -> Mapping[str, str]:
    """What names the transcripts that were published last, by slug."""
    file = config.folder / STATE_FOLDER / STATE_FILE
    if not file.is_file():
        return {}
    with closing(State.open(file, output=output)) as state:
        return {slug: record.cache_key for slug, record in state.last.shares.items()}


@dataclass(eq=False, repr=False, slots=True)
class _Look:
    """One look over the shares of a configuration."""

    config: Config
    heads: Sequence[ConversationHead]
    registry: Registry
    published: Mapping[str, str]
    weak: Mapping[str, Sequence[str]]
    policy: Policy = field(init=False)
    engine: Engine = field(default_factory=find_engine)
    scans: Scans = field(init=False)
    keys: Keys = field(init=False)

    def __post_init__(self) -> None:
        settings = fingerprint(self.config, "text")
        self.keys = make_keys(text_settings=settings, page_settings="", templates=(), static=(), is_offline=False)
        self.policy = policy_of(self.config.privacy)
        self.scans = Scans.within(self.config.folder / STATE_FOLDER / SCAN_FOLDER)

    def over(self, shares: Sequence[Share]) -> Iterator[Exposure]:
        """The exposures in the order in which conversations are read."""
        by_row: dict[str, list[Share]] = {}
        for share in shares:
            by_row.setdefault(share.head.row_id, []).append(share)
        if not by_row:
            return
        with _open(self.config) as projection:
            for conversation in projection.read(list(by_row), heads=self.heads):
                for share in by_row[conversation.head.row_id]:
                    yield self._exposure(share, conversation)

    def _exposure(self, share: Share, conversation: Conversation) -> Exposure:
        scrubbed = apply(conversation, share, self.policy, engine=self.engine, memory=self.scans, is_survey=True)
        shown = scrubbed.conversation
        images, located = count_pictures(shown)
        whole = threads(shown)
        tree = grow(whole[0].messages, forks=shown.forks, source_id=shown.head.source_id, is_prompt=is_prompt)
        ways = tree.paths if share.branches else tree.paths[:1]
        exposure = Exposure(
            share=share,
            title=share.title or shown.head.title or "",
            findings=scrubbed.findings,
            hidden=shown.hidden,
            messages=len(ways[0].messages),
            subagents=len(whole) - 1,
            tool_results=_results([*ways, *whole[1:]]) if share.show is Show.ALL else 0,
            branches=len(tree.paths) - 1,
            images=images,
            located_images=located,
            change=self._change(share, effect=scrubbed.effect),
            key=rendered_key(self.keys.content(share), scrubbed.effect),
        )
        return _with_warnings(exposure, self.weak.get(share.slug, ()))

    def _change(self, share: Share, *, effect: str) -> Change:
        known = self.published.get(share.slug)
        is_same = known == rendered_key(self.keys.content(share), effect)
        return "new" if known is None else "same" if is_same else "changed"


def _results(ways: Iterable[Way | Thread]) -> int:
    return sum(block.kind == "tool_result" for way in ways for message in way.messages for block in message.blocks)


def _with_warnings(exposure: Exposure, weak: Iterable[str]) -> Exposure:
    return replace(exposure, warnings=(*_warnings(exposure), *weak))


def _warnings(exposure: Exposure) -> Iterator[str]:
    share = exposure.share
    if published := exposure.published_secrets:
        are = "is published as it is" if len(published) == 1 else "are published as they are"
        yield f"{counted(len(published), 'secret')} {are}"
    if not share.is_gated and exposure.counts.get("secret"):
        yield "secrets stand in it, and it's open to everyone who has the address: see that all were found"
    if exposure.located_images:
        is_one = exposure.located_images == 1
        says = "says where it was" if is_one else "say where they were"
        end = ", and that is published" if share.keeps_image_metadata else "; that is dropped"
        yield f"{counted(exposure.located_images, 'image')} {says} taken{end}"
    if exposure.branches and share.branches:
        yield f"{counted(exposure.branches, 'way')} not taken {'is' if exposure.branches == 1 else 'are'} shown too"
