"""One build, step by step: what is wanted, what stands, what goes first, what is made, what is kept for the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from sitegen.build.family import Family
from sitegen.build.keys import Keys, digest, terms_of
from sitegen.build.pool import make_all
from sitegen.build.report import OnProgress
from sitegen.build.work import Made, Setting, Task, make_pages
from sitegen.model import Card, ConversationHead, Document, Project, Share
from sitegen.output.codec import from_text, to_text
from sitegen.output.folder import Folder, Removal
from sitegen.output.plan import Claim, Plan
from sitegen.output.records import FileRecord, ShareRecord
from sitegen.output.state import State
from sitegen.pages import Pages
from sitegen.urls import HOME, NOT_FOUND, SITEMAP, project_page, share_folder

_SITE = "the site"


@dataclass(slots=True)
class SiteBuild:
    """The building of a whole site into an opened folder, under a held lock."""

    shares: tuple[Share, ...]
    heads: tuple[ConversationHead, ...]
    keys: Keys
    setting: Setting
    folder: Folder
    state: State
    is_full: bool
    jobs: int | None
    on_progress: OnProgress
    written: int = 0
    failures: list[str] = field(default_factory=list)
    records: dict[str, ShareRecord] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    files: dict[str, FileRecord] = field(default_factory=dict)
    removal: Removal = field(default_factory=Removal)
    _projects: tuple[Project, ...] = field(init=False)
    """Those that have an index, because a listed share is in them; by slug."""
    _page_keys: dict[str, str] = field(init=False)
    _family: Family = field(init=False)
    _pages: Pages | None = None

    def __post_init__(self) -> None:
        self._family = Family.of(self.shares, self.heads)
        listed = {share.project.slug: share.project for share in self.shares if _is_listed(share) and share.project}
        self._projects = tuple(listed[slug] for slug in sorted(listed))
        indexed = frozenset(listed)
        self._page_keys = {
            share.slug: self.keys.page(
                share,
                parent=self._family.parent(share),
                children=self._family.children(share),
                is_project_listed=share.project is not None and share.project.slug in indexed,
            )
            for share in self.shares
        }

    def plan(self) -> Plan:
        """Who may write where. Raises OutputError for collisions, before anything is touched."""
        claims = [Claim(_SITE, files=(HOME, NOT_FOUND, SITEMAP, ".nojekyll"), folders=("assets",))]
        claims += [Claim(_owner(share), folders=(share_folder(share.slug).rstrip("/"),)) for share in self.shares]
        claims += [
            Claim(_project(each), folders=(project_page(each.slug).rpartition("/")[0],)) for each in self._projects
        ]
        return Plan.of(claims)

    def remove_first(self, plan: Plan) -> None:
        """Takes back what isn't shared any more, and what expired, before anything else can fail."""
        self.removal += self.folder.begin(plan)
        for share in self.shares:
            known = self.state.last.shares.get(share.slug)
            if share.is_expired and (known is None or known.page_key != self._page_keys[share.slug]):
                self.removal += self.folder.remove(_owner(share))

    def make_shares(self) -> None:
        """Keeps the shares whose pages stand, and makes the others."""
        tasks: list[Task] = []
        for share in self.shares:
            if self._is_standing(share):
                self.records[share.slug] = self.state.last.shares[share.slug]
            elif share.is_expired:
                self._make_tombstone(share)
            else:
                tasks.append(self._task(share))
        done = 0

        def count(more: int) -> None:
            nonlocal done
            done += more
            self.on_progress("making", done, len(tasks))

        by_slug = {share.slug: share for share in self.shares}
        for made in make_all(self.setting, tasks, jobs=self.jobs, on_made=count):
            self._accept(by_slug[made.slug], made)

    def make_indexes(self) -> None:
        """Home, projects, 404, sitemap and assets, where what they show has changed."""
        cards = self._cards()
        for project in self._projects:
            own = [card for card in cards if card.project == project.slug]
            key = digest(self.keys.framing, project, own)
            self._make_once(_project(project), key, partial(self.pages.project, project, own))
        key = digest(self.keys.framing, self._projects, cards)
        self._make_once(_SITE, key, lambda: self._site_documents(cards))

    def finish(self) -> None:
        """Prunes what is stale. What the state must know is in `files`, `records` and `facts` then."""
        self.files, removal = self.folder.finish()
        self.removal += removal

    @property
    def pages(self) -> Pages:
        if self._pages is None:
            self._pages = make_pages(self.setting)
        return self._pages

    @property
    def used_transcripts(self) -> set[str]:
        """Keys of the transcripts that the site is made of now."""
        return {record.cache_key for record in self.records.values() if record.cache_key}

    def _is_standing(self, share: Share) -> bool:
        """Whether the share's pages are there as they should be; they are kept then."""
        known = self.state.last.shares.get(share.slug)
        is_same = known is not None and known.page_key == self._page_keys[share.slug]
        return is_same and not self.is_full and self.folder.keep(_owner(share))

    def _task(self, share: Share) -> Task:
        return Task(
            share=share,
            transcript_key=self.keys.transcript(share),
            writer=self.folder.writer(_owner(share)),
            heads=self._family.descendants(share.head),
            is_project_listed=self._has_index(share),
            parent=self._family.parent(share),
            children=self._family.children(share),
        )

    def _make_tombstone(self, share: Share) -> None:
        self._write(_owner(share), [self.pages.tombstone(share)])
        self._record(share, card=None, cache_key="")

    def _accept(self, share: Share, made: Made) -> None:
        if made.failure is not None:
            self.failures.append(f"{share.slug}: {made.failure}")
            self._keep_what_may_stay(share)
            return
        self.folder.accept(made.written)
        self.written += sum(file.is_changed for file in made.written)
        self._record(share, card=made.card, cache_key=self.keys.transcript(share))

    def _keep_what_may_stay(self, share: Share) -> None:
        """A page that couldn't be made anew keeps what it had, unless its old form shows more than it may now."""
        terms = terms_of(share)
        known = self.state.last.shares.get(share.slug)
        if known is None or not known.page_key.startswith(terms):
            self.removal += self.folder.remove(_owner(share))
            return
        self.folder.keep_as_is(_owner(share))
        self.records[share.slug] = replace(known, page_key=terms)

    def _record(self, share: Share, *, card: Card | None, cache_key: str) -> None:
        self.records[share.slug] = ShareRecord(
            slug=share.slug,
            conversation=share.head.key,
            page_key=self._page_keys[share.slug],
            cache_key=cache_key,
            expires=share.expires,
            card="" if card is None else to_text(card),
        )

    def _make_once(self, owner: str, key: str, make: Callable[[], Iterable[Document]]) -> None:
        self.facts[owner] = key
        if self.is_full or self.state.last.facts.get(owner) != key or not self.folder.keep(owner):
            self._write(owner, make())

    def _write(self, owner: str, documents: Iterable[Document]) -> None:
        written = self.folder.writer(owner).write(documents)
        self.folder.accept(written)
        self.written += sum(file.is_changed for file in written)

    def _site_documents(self, cards: list[Card]) -> list[Document]:
        pages, projects = self.pages, self._projects
        return [pages.home(projects, cards), pages.not_found(), *pages.extras(projects, cards)]

    def _cards(self) -> list[Card]:
        """The cards of all shares that indexes may know of, in the order of the shares."""
        records = (self.records.get(share.slug) for share in self.shares if not share.is_expired)
        texts = (record.card for record in records if record is not None and record.card)
        return [card for text in texts if (card := from_text(text, Card)) is not None]

    def _has_index(self, share: Share) -> bool:
        return share.project is not None and share.project in self._projects


def _is_listed(share: Share) -> bool:
    return share.listed and not share.is_expired


def _owner(share: Share) -> str:
    return f"share {share.slug}"


def _project(project: Project) -> str:
    return f"project {project.slug}"
