"""Decides which conversations are published, under which slug and on which terms; looks at no content.

An entry of the configuration comes before a shared view, and both before a rule; a rule publishes a conversation only
when nothing else does, the first rule that matches deciding the terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sitegen.config import Config, Match, RuleEntry, ShareEntry
from sitegen.config.load import shown_path
from sitegen.config.slugs import derived_slug, fault_of, folded, normal
from sitegen.config.values import is_reference
from sitegen.model import ConversationHead, Gate, Share, SharedView
from sitegen.shares.finder import Finder
from sitegen.shares.gates import refuse_gate
from sitegen.shares.projects import Projects, belongs_to, home_shortened, read_projects
from sitegen.shares.registry import Origin, Registry

VIEWS = Origin(None, what="shared_views")


def resolve(
    config: Config,
    heads: Iterable[ConversationHead],
    views: Sequence[SharedView] = (),
    *,
    now: datetime,
    is_publishing: bool = True,
) -> Registry:
    """All shares of a configuration, given the conversations and shared views there are.

    Raises ConfigError, naming the places, for two shares of one slug, a revoked slug, a name that several conversations
    fit, and all that can't be honoured. With `is_publishing=False`, for listing and revoking, gates that can't be built
    are no reason to refuse.
    """
    work = _Work(config, Finder(heads), now, is_publishing)
    found = [*_from_config(work), *_from_views(work, views)]
    found += _from_rules(work, taken={each.share.head.key for each in found})
    _refuse_doubled(work, found, views)
    shares = tuple(_with_projects(work, found))
    for each in found if is_publishing else ():
        _refuse_gates_of(each, work.projects)
    opens = [share.expires for share in shares if share.expires and not share.is_expired]
    return Registry(shares, tuple(work.problems), tuple(work.notes), min(opens, default=None))


@dataclass(slots=True)
class _Work:
    """What all steps look at, and what they have to tell."""

    config: Config
    finder: Finder
    now: datetime
    is_publishing: bool
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    projects: Projects = field(init=False)
    revoked: frozenset[str] = field(init=False)
    withheld: set[str] = field(init=False)
    """Conversations that no rule publishes."""

    def __post_init__(self) -> None:
        self.withheld = set(self.config.registry.excluded)
        self.projects = read_projects(self.config, self.origin)
        self.revoked = frozenset(folded(slug) for slug in self.config.registry.revoked)
        if self.is_publishing:
            for project in self.config.projects:
                refuse_gate(self.origin(project.line), project.gate or Gate.NONE, secret=project.secret)
            for rule in self.config.rules:
                self.refuse_gate_of(rule, rule.gate)

    def origin(self, line: int, what: str = "a share") -> Origin:
        return Origin(shown_path(self.config.path), line, what)

    def refuse_gate_of(self, entry: ShareEntry | RuleEntry, gate: Gate | None) -> None:
        if gate is None and self.config.projects:
            return  # it may come from the project, and is looked at when that is known
        refuse_gate(
            self.origin(entry.line),
            gate or Gate.NONE,
            secret=entry.secret,
            recipients=entry.recipients,
            agreement=entry.agreement,
        )


@dataclass(frozen=True, slots=True)
class _Found:
    """A share on its way: `gate` is what its own entry says, None when the project decides."""

    share: Share
    origin: Origin
    gate: Gate | None


# ------------------------------------------------------------------------------------------------ the configuration


def _from_config(work: _Work) -> Iterator[_Found]:
    for entry in work.config.shares:
        origin = work.origin(entry.line)
        if work.is_publishing:
            work.refuse_gate_of(entry, entry.gate)
        head = _head_of(work, entry, origin)
        slug = entry.slug or (derived_slug(head.key) if head else None)
        if slug and folded(slug) in work.revoked:
            raise origin.fault(
                f"the slug “{slug}” was revoked; take another, or remove it from “revoked” under [registry] to use it"
            )
        if head and slug:
            yield _Found(_share(work, entry, origin, head, slug=slug), origin, entry.gate)


def _head_of(work: _Work, entry: ShareEntry, origin: Origin) -> ConversationHead | None:
    """The conversation that a share means; None, and a problem told, when it isn't there."""
    candidates = work.finder.find(entry.conversation)
    if not candidates:
        named = f"“{entry.slug}”, " if entry.slug else ""
        work.problems.append(
            f"{origin}: the share {named}left out: no conversation “{entry.conversation}” is in the projection"
        )
        return None
    if len(candidates) > 1:
        keys = ", ".join(head.key for head in candidates[:5])
        raise origin.fault(f"“{entry.conversation}” fits {len(candidates)} conversations ({keys}); name one in full")
    return candidates[0]


def _share(work: _Work, entry: ShareEntry | RuleEntry, origin: Origin, head: ConversationHead, *, slug: str) -> Share:
    share = Share(
        slug=slug,
        head=head,
        project=None,
        origin=str(origin),
        gate=entry.gate or Gate.NONE,
        secret=entry.secret,
        recipients=entry.recipients,
        agreement=entry.agreement,
        expires=entry.expires,
        is_expired=_is_over(entry.expires, work.now),
        view_limit=entry.view_limit,
        listed=entry.listed or False,
        show=entry.show or work.config.privacy.show,
    )
    if isinstance(entry, ShareEntry):
        share = replace(share, title=entry.title, messages=entry.messages, epoch=entry.epoch)
    return share


def _is_over(expires: datetime | None, now: datetime) -> bool:
    return expires is not None and expires <= now


# ---------------------------------------------------------------------------------------------------- shared views


def _from_views(work: _Work, views: Sequence[SharedView]) -> Iterator[_Found]:
    for view in sorted(views, key=lambda view: view.slug):
        found = work.finder.named(view.conversation_id)
        if folded(view.slug) in work.revoked:
            work.withheld.update(head.key for head in found)
            continue
        gate = _checked_view(work, view)
        if len(found) == 1:
            yield _Found(_view_share(work, view, gate, found[0]), VIEWS, gate)
        else:
            what = "no conversation" if not found else "more than one conversation"
            work.problems.append(
                f"shared_views: the share “{view.slug}” left out: {what} “{view.conversation_id}” is in the projection"
            )


def _checked_view(work: _Work, view: SharedView) -> Gate:
    """The gate of a view. Raises ConfigError for all that would publish it otherwise than its row says."""
    if fault := fault_of(view.slug):
        raise VIEWS.fault(f"the slug {view.slug[:100]!r} {fault}")
    if view.gate_secret is not None and not is_reference(view.gate_secret):
        raise VIEWS.fault(
            f"the gate_secret of “{view.slug}” is a secret itself; it must say where one is kept: env:NAME or file:PATH"
        )
    if view.view_limit is not None and view.view_limit < 1:
        raise VIEWS.fault(f"the view_limit of “{view.slug}” is {view.view_limit}, but should be 1 or more")
    known = {gate.value: gate for gate in Gate}
    if view.gate_type is not None and view.gate_type not in known:
        raise VIEWS.fault(
            f"the gate_type of “{view.slug}” is {view.gate_type[:50]!r}, but should be NULL or {', '.join(known)}"
        )
    gate = known[view.gate_type or "none"]
    if work.is_publishing:
        refuse_gate(Origin(None, what=f"shared_views, “{view.slug}”"), gate, secret=view.gate_secret)
    return gate


def _view_share(work: _Work, view: SharedView, gate: Gate, head: ConversationHead) -> Share:
    expires = view.expires_at
    if expires is not None and expires.tzinfo is None:
        expires = expires.replace(tzinfo=UTC)
    return Share(
        slug=normal(view.slug),
        head=head,
        project=None,
        origin=str(VIEWS),
        gate=gate,
        secret=view.gate_secret,
        expires=expires,
        is_expired=_is_over(expires, work.now),
        view_limit=view.view_limit,
        show=work.config.privacy.show,
    )


# ------------------------------------------------------------------------------------------------------------ rules


def _from_rules(work: _Work, *, taken: set[str]) -> Iterator[_Found]:
    """What the rules publish: never a conversation shared otherwise, revoked or excluded."""
    out = taken | work.withheld
    matched: set[int] = set()
    for head in work.finder.heads:
        rule = next((rule for rule in work.config.rules if _matches(rule.match, head, work.projects)), None)
        if rule is None:
            continue
        matched.add(rule.line)
        slug = derived_slug(head.key)
        if head.key not in out and folded(slug) not in work.revoked:
            origin = work.origin(rule.line, "a rule")
            yield _Found(_share(work, rule, origin, head, slug=slug), origin, rule.gate)
    for rule in work.config.rules:
        if rule.line not in matched:
            work.notes.append(f"{work.origin(rule.line, 'a rule')} matches no conversation")


def _matches(match: Match, head: ConversationHead, projects: Projects) -> bool:
    moment = head.started_at or head.ended_at
    return (
        (match.source is None or match.source == head.source_id)
        and (match.title is None or match.title.casefold() in (head.title or "").casefold())
        and (match.project is None or belongs_to(head, match.project, projects.entry(head.project)))
        and (match.since is None or (moment is not None and moment >= match.since))
        and (match.until is None or (moment is not None and moment < match.until))
    )


# ------------------------------------------------------------------------------------------------------- all shares


def _refuse_doubled(work: _Work, found: Iterable[_Found], views: Iterable[SharedView]) -> None:
    """Two shares of one slug: also those left out, whose slugs are meant for them."""
    claims = [(entry.slug, work.origin(entry.line)) for entry in work.config.shares if entry.slug]
    claims += [(each.share.slug, each.origin) for each in found if each.origin is not VIEWS]
    rows = sorted((view for view in views if folded(view.slug) not in work.revoked), key=lambda view: view.slug)
    claims += [(normal(row.slug), Origin(None, number, VIEWS.what)) for number, row in enumerate(rows)]
    owners: dict[str, tuple[str, Origin]] = {}
    for slug, origin in claims:
        known = owners.setdefault(folded(slug), (slug, origin))
        if known[1] != origin:
            raise _doubled(known, (slug, origin))


def _doubled(first: tuple[str, Origin], second: tuple[str, Origin]) -> Exception:
    """The error about two shares of one slug, told at the place that can be edited."""
    if second[1].path is None and first[1].path is not None:
        first, second = second, first
    same = "" if first[0] == second[0] else f", which many file systems can't tell from “{first[0]}”"
    other = "another row of that table" if first[1].path is None and second[1].path is None else str(first[1])
    return second[1].fault(f"the slug “{second[0]}” is taken by {other} already{same}; give one of them another")


def _with_projects(work: _Work, found: Sequence[_Found]) -> Iterator[Share]:
    """The shares with their projects; one whose entry names no gate has its project's."""
    projects = work.projects.named(each.share.head.project for each in found)
    for each in found:
        project = projects.get(home_shortened(each.share.head.project))
        entry = work.projects.entry(each.share.head.project)
        share = replace(each.share, project=project)
        if each.gate is None and project and project.gate is not Gate.NONE:
            share = replace(share, gate=project.gate, secret=share.secret or (entry.secret if entry else None))
        yield share


def _refuse_gates_of(each: _Found, projects: Projects) -> None:
    entry = projects.entry(each.share.head.project)
    gate = each.gate if each.gate is not None else (entry.gate if entry else None)
    share = each.share
    refuse_gate(
        each.origin,
        gate or Gate.NONE,
        secret=share.secret,
        recipients=share.recipients,
        agreement=share.agreement,
    )
