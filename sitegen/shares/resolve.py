"""Decides which conversations are published, under which slug and on which terms; looks at no content.

An entry of the configuration comes before a shared view, and both before a rule; a rule publishes a conversation only
when nothing else does, the first rule that matches deciding the terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import Struct

from sitegen.config import Config, Match, RuleEntry, ShareEntry
from sitegen.config.load import shown_path
from sitegen.config.slugs import derived_slug, fault_of, folded, normal
from sitegen.config.values import is_reference
from sitegen.model import ConversationHead, Gate, Share, SharedView
from sitegen.shares.finder import Finder
from sitegen.shares.gates import Terms, protection_of, refuse_terms, terms_of
from sitegen.shares.projects import Projects, belongs_to, home_shortened, read_projects, unmatched
from sitegen.shares.registry import Origin, Registry
from sitegen.shares.showing import showing_of
from sitegen.shares.withholding import withholding

VIEWS = Origin(None, what="shared_views")
HideSlug = Callable[[str], str]
"""The slug that grows from the site secret and a name, for what is protected and has none."""


def resolve(
    config: Config,
    heads: Iterable[ConversationHead],
    views: Sequence[SharedView] = (),
    *,
    now: datetime,
    hide_slug: HideSlug | None = None,
    clean_path: Callable[[str], str] = str,
    is_publishing: bool = True,
) -> Registry:
    """All shares of a configuration, given the conversations and shared views there are.

    Raises ConfigError, naming the places, for two shares of one slug, a revoked slug, a name that several conversations
    fit, and all that can't be honoured. With `is_publishing=False`, for listing and revoking, gates that don't fit
    together are no reason to refuse. `hide_slug` is None when there is no site secret; `clean_path` takes out of a
    project's value what isn't to be published.
    """
    work = _Work(config, Finder(heads), now, is_publishing, hide_slug, clean_path)
    _tell_unmatched_projects(work)
    found = [*_from_config(work), *_from_views(work, views)]
    found += _from_rules(work, taken={each.head.key for each in found})
    _refuse_doubled(work, found, views)
    shares = withholding(_with_projects(work, found), work.finder.heads, taken_back=work.withheld)
    opens = [share.expires for share in shares if share.expires and not share.is_expired]
    return Registry(shares, tuple(work.problems), tuple(work.notes), min(opens, default=None), work.is_refused)


@dataclass(eq=False, repr=False, slots=True)
class _Work:
    """What all steps look at, and what they have to tell."""

    config: Config
    finder: Finder
    now: datetime
    is_publishing: bool
    hide_slug: HideSlug | None
    clean_path: Callable[[str], str] = str
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    projects: Projects = field(init=False)
    revoked: frozenset[str] = field(init=False)
    withheld: set[str] = field(init=False)
    """Conversations that no rule publishes."""
    is_refused: bool = False
    _path: Path = field(init=False)
    """The configuration as messages name it."""

    def __post_init__(self) -> None:
        self._path = shown_path(self.config.path)
        self.withheld = set(self.config.registry.excluded)
        self.projects = read_projects(self.config, self.origin, hide_slug=self.hide_slug, clean_path=self.clean_path)
        self.revoked = frozenset(folded(slug) for slug in self.config.registry.revoked)
        for project in self.config.projects:
            self.check(self.origin(project.line), terms_of(project))
        for rule in self.config.rules:
            if rule.gate is not None or not self.config.projects:
                self.check(self.origin(rule.line), terms_of(rule))

    def origin(self, line: int, what: str = "a share") -> Origin:
        return Origin(self._path, line, what)

    def check(self, origin: Origin, terms: Terms) -> None:
        if self.is_publishing:
            refuse_terms(origin, terms)

    def terms(self, entry: ShareEntry | RuleEntry, origin: Origin, head: ConversationHead) -> Terms:
        """What protects a share of this conversation; checked."""
        terms = terms_of(entry, self.projects.entry(head.project))
        self.check(origin, terms)
        return terms

    def slug(self, head: ConversationHead, terms: Terms, origin: Origin) -> str | None:
        """The slug of a share that names none; None, and a problem told, when it can't be known here."""
        if terms.gate is Gate.NONE:
            return derived_slug(head.key)
        if self.hide_slug is not None:
            return self.hide_slug(head.key)
        said = (
            f"the protected share of “{head.key}” has no slug, and one that can't be guessed grows from the site secret"
        )
        if self.is_publishing:
            raise origin.fault(
                f"{said}, which isn't here: set SITEGEN_SITE_SECRET, run “sitegen init” for one, or write a slug"
            )
        self.problems.append(f"{origin}: {said}, which isn't here, so it's left out of this list")
        self.is_refused = True
        return None


class _Found(Struct, frozen=True):
    """A share on its way: `make` makes it once its project is known."""

    slug: str
    head: ConversationHead
    origin: Origin
    make: Callable[..., Share]


def _tell_unmatched_projects(work: _Work) -> None:
    """Refuses a gate that protects nothing, for its project was misspelt; what only names a project is a note."""
    for entry, said in unmatched(work.projects, work.finder.heads):
        origin = work.origin(entry.line)
        if terms_of(entry).gate is Gate.NONE or not work.finder.heads:
            work.notes.append(f"{origin}: {said}")
        elif work.is_publishing:
            raise origin.fault(f"{said}. Nothing was published: correct “match”, or remove this [[project]]")
        else:
            work.problems.append(f"{origin}: {said}; a build refuses that")
            work.is_refused = True


# ------------------------------------------------------------------------------------------------ the configuration


def _from_config(work: _Work) -> Iterator[_Found]:
    for entry in work.config.shares:
        origin = work.origin(entry.line)
        if entry.gate is not None or not work.config.projects:
            work.check(origin, terms_of(entry))
        head = _head_of(work, entry, origin)
        terms = work.terms(entry, origin, head) if head else None
        slug = entry.slug or (work.slug(head, terms, origin) if head and terms else None)
        if slug and folded(slug) in work.revoked:
            raise origin.fault(
                f"the slug “{slug}” was revoked; take another, or have “sitegen share” write this share with "
                "--reuse-slug, which gives what is protected keys that nobody has"
            )
        if head and terms and slug:
            yield _share(work, entry, origin, head, terms, slug=slug)


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


def _share(
    work: _Work, entry: ShareEntry | RuleEntry, origin: Origin, head: ConversationHead, terms: Terms, *, slug: str
) -> _Found:
    make = partial(
        Share,
        slug=slug,
        head=head,
        origin=str(origin),
        **protection_of(terms),
        expires=entry.expires,
        is_expired=_is_over(entry.expires, work.now),
        view_limit=entry.view_limit,
        listed=entry.listed or False,
        show=entry.show or work.config.privacy.show,
        **showing_of(entry, work.config.privacy),
    )
    if isinstance(entry, ShareEntry):
        make = partial(
            make, title=entry.title, messages=entry.messages, public_title=entry.public_title, exclude=entry.exclude
        )
    return _Found(slug, head, origin, make)


def _is_over(expires: datetime | None, now: datetime) -> bool:
    return expires is not None and expires <= now


# ---------------------------------------------------------------------------------------------------- shared views


def _from_views(work: _Work, views: Sequence[SharedView]) -> Iterator[_Found]:
    for view in sorted(views, key=lambda view: view.slug):
        found = work.finder.named(view.conversation_id)
        if folded(view.slug) in work.revoked:
            work.withheld.update(head.key for head in found)
            continue
        _check_view(view)
        if len(found) == 1:
            yield _view_share(work, view, found[0])
        else:
            what = "no conversation" if not found else "more than one conversation"
            work.problems.append(
                f"shared_views: the share “{view.slug}” left out: {what} “{view.conversation_id}” is in the projection"
            )


_GATES = {gate.value: gate for gate in Gate}


def _check_view(view: SharedView) -> None:
    """Raises ConfigError for all that would publish a view otherwise than its row says."""
    if fault := fault_of(view.slug):
        raise VIEWS.fault(f"the slug {view.slug[:100]!r} {fault}")
    if view.gate_secret is not None and not is_reference(view.gate_secret):
        raise VIEWS.fault(
            f"the gate_secret of “{view.slug}” is a secret itself; it must say where one is kept: env:NAME or file:PATH"
        )
    if view.view_limit is not None and view.view_limit < 1:
        raise VIEWS.fault(f"the view_limit of “{view.slug}” is {view.view_limit}, but should be 1 or more")
    if view.gate_type is not None and view.gate_type not in _GATES:
        raise VIEWS.fault(
            f"the gate_type of “{view.slug}” is {view.gate_type[:50]!r}, but should be NULL or {', '.join(_GATES)}"
        )


def _view_terms(work: _Work, view: SharedView, head: ConversationHead) -> Terms:
    """What protects a view. The terms of its agreement stand in the file that gate_secret names."""
    gate = None if view.gate_type is None else _GATES[view.gate_type]
    secret, agreement = view.gate_secret, None
    if gate is Gate.AGREEMENT and secret is not None and secret.startswith("file:"):
        agreement, secret = secret.removeprefix("file:"), None
    row = RuleEntry(line=0, match=Match(), gate=gate, secret=secret, agreement=agreement)
    terms = terms_of(row, work.projects.entry(head.project))
    work.check(Origin(None, what=f"shared_views, “{view.slug}”"), terms)
    return terms


def _view_share(work: _Work, view: SharedView, head: ConversationHead) -> _Found:
    expires = view.expires_at
    if expires is not None and expires.tzinfo is None:
        expires = expires.replace(tzinfo=UTC)
    slug = normal(view.slug)
    make = partial(
        Share,
        slug=slug,
        head=head,
        origin=str(VIEWS),
        **protection_of(_view_terms(work, view, head)),
        expires=expires,
        is_expired=_is_over(expires, work.now),
        view_limit=view.view_limit,
        show=work.config.privacy.show,
        **showing_of(None, work.config.privacy),
    )
    return _Found(slug, head, VIEWS, make)


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
        if head.key in out:
            continue
        origin = work.origin(rule.line, "a rule")
        terms = work.terms(rule, origin, head)
        slug = work.slug(head, terms, origin)
        if slug and folded(slug) not in work.revoked:
            yield _share(work, rule, origin, head, terms, slug=slug)
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
    claims += [(each.slug, each.origin) for each in found if each.origin is not VIEWS]
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
    projects = work.projects.named(each.head.project for each in found)
    for each in found:
        yield each.make(project=projects.get(home_shortened(each.head.project)))
