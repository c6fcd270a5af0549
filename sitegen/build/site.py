"""One build, step by step: what is wanted, what stands, what goes first, what is made, what is kept for the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from sitegen.build.clean import pack, total, unpack
from sitegen.build.family import Family
from sitegen.build.gates import Gates
from sitegen.build.inside import cards_inside, inside, sealed_index
from sitegen.build.keys import Keys, digest
from sitegen.build.pool import make_all
from sitegen.build.report import OnProgress
from sitegen.build.titles import Titles
from sitegen.build.watchwords import Watchword, Watchwords
from sitegen.build.work import Made, Setting, Task, make_pages
from sitegen.model import Card, ConversationHead, Document, Project, Share
from sitegen.output.cache import Cache
from sitegen.output.codec import from_text, to_text
from sitegen.output.folder import Folder, Removal
from sitegen.output.plan import Claim, Plan
from sitegen.output.records import FileRecord, ShareRecord
from sitegen.output.state import State
from sitegen.output.writer import Written
from sitegen.pages import Pages
from sitegen.urls import HOME, NOT_FOUND, SITEMAP, project_page, share_folder

_SITE = "the site"
_FOUND = "found in "


@dataclass(slots=True)
class SiteBuild:
    """The building of a whole site into an opened folder, under a held lock."""

    shares: tuple[Share, ...]
    heads: tuple[ConversationHead, ...]
    keys: Keys
    setting: Setting
    folder: Folder
    state: State
    gates: Gates
    is_full: bool
    jobs: int | None
    on_progress: OnProgress
    failures: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Failures of what must not be published: secrets stand in it."""
    records: dict[str, ShareRecord] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    files: dict[str, FileRecord] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    """Paths of the files that were written."""
    watchwords: dict[str, tuple[Watchword, ...]] = field(default_factory=dict, repr=False)
    """What must be seen nowhere of each protected share, by slug."""
    removal: Removal = field(default_factory=Removal)
    _projects: tuple[Project, ...] = field(init=False)
    """Those that have an index, because a listed share is in them; by slug."""
    _page_keys: dict[str, str] = field(init=False)
    _family: Family = field(init=False)
    _titles: Titles = field(init=False, repr=False)
    _counts: dict[str, Mapping[str, int]] = field(init=False)
    """How much was taken out of transcripts, by key: shares that show the same have one transcript."""
    _pages: Pages | None = None

    def __post_init__(self) -> None:
        self._counts = dict(unpack(text) for name, text in self.state.last.facts.items() if name.startswith(_FOUND))
        self._titles = Titles(self.setting, self.keys, self.heads)
        self._family = Family.of(self.shares, self.heads, title_of=self._titles.of)
        listed = {share.project.slug: share.project for share in self.shares if _is_listed(share) and share.project}
        self._projects = tuple(listed[slug] for slug in sorted(listed))
        indexed = frozenset(listed)
        self._prepare_gates()
        self._page_keys = {
            share.slug: self.keys.page(
                share,
                parent=self._family.parent(share),
                children=self._family.children(share),
                is_project_listed=share.project is not None and share.project.slug in indexed,
                gate_id=self.gates.gate_id(share.slug),
            )
            for share in self.shares
        }

    def _prepare_gates(self) -> None:
        for share in self.shares:
            if share.is_gated and not share.is_expired:
                self.gates.add_share(share)
        for project in self._projects:
            if project.is_gated:
                self.gates.add_project(project)

    def plan(self) -> Plan:
        """Who may write where. Raises OutputError for collisions, before anything is touched."""
        claims = [Claim(_SITE, files=(HOME, NOT_FOUND, SITEMAP, ".nojekyll"), folders=("assets",))]
        claims += [Claim(owner_of(share), folders=(share_folder(share.slug).rstrip("/"),)) for share in self.shares]
        claims += [
            Claim(_project(each), folders=(project_page(each.slug).rpartition("/")[0],)) for each in self._projects
        ]
        return Plan.of(claims)

    def remove_first(self, plan: Plan) -> None:
        """Takes back what isn't shared any more, what expired or has another gate now, before anything can fail."""
        self.removal += self.folder.begin(plan)
        for share in self.shares:
            if (share.is_expired or share.is_gated) and not self._has_same_terms(share):
                self.removal += self.folder.remove(owner_of(share))
        for project in self._projects:
            # The index of a project that was open tells more than it may now.
            if project.is_gated and self.state.last.facts.get(_gate(project)) != self.gates.gate_id(project.scope):
                self.removal += self.folder.remove(_project(project))

    def make_shares(self) -> None:
        """Keeps the shares whose pages stand, and makes the others."""
        wanted: list[Share] = []
        for share in self.shares:
            if self._is_standing(share):
                self._keep(share)
            elif share.is_expired:
                self._make_tombstone(share)
            else:
                wanted.append(share)
        self.gates.stretch(share.slug for share in wanted if share.is_gated)
        tasks = [self._task(share) for share in wanted if self._is_ready(share)]
        done = 0

        def count(more: int) -> None:
            nonlocal done
            done += more
            self.on_progress("making", done, len(tasks))

        by_slug = {share.slug: share for share in self.shares}
        all_made = make_all(self.setting, tasks, jobs=self.jobs, on_made=count)
        self._counts |= {self.keys.transcript(by_slug[each.slug]): each.found for each in all_made if each.found}
        for made in all_made:
            self._accept(by_slug[made.slug], made)

    def make_indexes(self) -> None:
        """Home, projects, 404, sitemap and assets, where what they show has changed."""
        cards = self._cards()
        for project in self._projects:
            if project.is_gated:
                self._make_gated_index(project)
                continue
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
    def found(self) -> tuple[tuple[str, int], ...]:
        """How much was taken out of all shares, by what it was."""
        return total(unpack(text)[1] for name, text in self.facts.items() if name.startswith(_FOUND))

    @property
    def pages(self) -> Pages:
        if self._pages is None:
            self._pages = make_pages(self.setting)
        return self._pages

    @property
    def used_entries(self) -> set[str]:
        """Keys of what the site is made of now, in the cache."""
        used = {record.cache_key for record in self.records.values() if record.cache_key}
        return used | {_watchwords_key(key) for key in used}

    @property
    def written(self) -> int:
        """How many files were written."""
        return len(self.changed)

    @property
    def open_cards(self) -> list[Card]:
        """What indexes that everyone can read may say."""
        return [card for card in self._cards() if not card.is_protected]

    @property
    def projects(self) -> tuple[Project, ...]:
        """The projects that have an index."""
        return self._projects

    def gate_fact(self, share: Share) -> str:
        """Changes when the site must be searched anew for the words of a protected share."""
        return digest(_watchwords_key(self.keys.transcript(share)), self.gates.gate_id(share.slug))

    def _is_standing(self, share: Share) -> bool:
        """Whether the share's pages are there as they should be; they are kept then."""
        known = self.state.last.shares.get(share.slug)
        is_same = known is not None and known.page_key == self._page_keys[share.slug]
        if not is_same or self.is_full or share.slug in self.gates.faults:
            return False
        return self._recalls(share) and self.folder.keep(owner_of(share))

    def _has_same_terms(self, share: Share) -> bool:
        known = self.state.last.shares.get(share.slug)
        terms = self.keys.terms(share, gate_id=self.gates.gate_id(share.slug))
        return known is not None and known.page_key.startswith(terms) and share.slug not in self.gates.faults

    def _recalls(self, share: Share) -> bool:
        """Whether all is known again that only the conversation tells: what must be seen nowhere, a card for inside."""
        if not share.is_gated or share.is_expired:
            return True
        words = Cache(self.setting.cache_folder).get(_watchwords_key(self.keys.transcript(share)), Watchwords)
        if words is None or (share.is_inherited and inside(share) not in self.state.last.facts):
            return False
        self.watchwords[share.slug] = words.all
        return True

    def _keep(self, share: Share) -> None:
        self.records[share.slug] = self.state.last.shares[share.slug]
        self._note_found(share, None)
        if share.is_inherited and not share.is_expired:
            self.facts[inside(share)] = self.state.last.facts[inside(share)]

    def _is_ready(self, share: Share) -> bool:
        """Whether the share's gate, if it has one, can be put before it; told when it can't."""
        fault = self.gates.faults.get(share.slug)
        if fault is not None:
            self.failures.append(fault)
            self.removal += self.folder.remove(owner_of(share))
        return fault is None

    def _task(self, share: Share) -> Task:
        return Task(
            share=share,
            transcript_key=self.keys.transcript(share),
            writer=self.folder.writer(owner_of(share)),
            heads=self._family.descendants(share.head),
            is_project_listed=self._has_index(share),
            parent=self._family.parent(share),
            children=self._family.children(share),
            sealing=self.gates.sealing(share.slug) if share.is_gated else None,
            watchwords_key=_watchwords_key(self.keys.transcript(share)),
        )

    def _make_gated_index(self, project: Project) -> None:
        """The index of a protected project: its shares by title inside, one neutral page outside."""
        cards = cards_inside(project, self.shares, records=self.records, facts=self.facts)
        gate_id = self.gates.gate_id(project.scope)
        self.facts[_gate(project)] = gate_id
        if project.scope not in self.gates.faults:
            key = digest(self.keys.framing, project, cards, gate_id)
            is_offline = self.setting.urls.offline
            make = partial(sealed_index, self.pages, self.gates, project, cards, is_offline=is_offline)
            self._make_once(_project(project), key, make)
        if project.scope in self.gates.faults:
            self.failures.append(self.gates.faults[project.scope])
            self.removal += self.folder.remove(_project(project))

    def _make_tombstone(self, share: Share) -> None:
        self._write(owner_of(share), [self.pages.tombstone(share)])
        self._record(share, card=None, cache_key="")

    def _accept(self, share: Share, made: Made) -> None:
        if made.failure is not None:
            (self.refused if made.is_refused else self.failures).append(f"{share.slug}: {made.failure}")
            self._keep_what_may_stay(share)
            return
        self._count(made.written)
        self._note_found(share, made.found)
        self._record(share, card=made.card, cache_key=self.keys.transcript(share))
        self.watchwords |= {share.slug: made.watchwords.all} if share.is_gated else {}
        if made.inside is not None:
            self.facts[inside(share)] = to_text(made.inside)

    def _note_found(self, share: Share, found: Mapping[str, int] | None) -> None:
        """How much was taken out of a share, or was when its transcript was made."""
        key, name = self.keys.transcript(share), f"{_FOUND}{share.slug}"
        found = self._titles.found.get(share.slug) if found is None else found
        counts = self._counts.get(key) if found is None else found
        if counts and not share.is_expired:
            self.facts[name] = pack(counts, key)

    def _count(self, written: Iterable[Written]) -> None:
        written = tuple(written)
        self.folder.accept(written)
        self.changed |= {file.record.path for file in written if file.is_changed}

    def _keep_what_may_stay(self, share: Share) -> None:
        """A page that couldn't be made anew keeps what it had, unless its old form shows more than it may now."""
        if not self._has_same_terms(share):
            self.removal += self.folder.remove(owner_of(share))
            return
        self.folder.keep_as_is(owner_of(share))
        terms = self.keys.terms(share, gate_id=self.gates.gate_id(share.slug))
        self.records[share.slug] = replace(self.state.last.shares[share.slug], page_key=terms)
        if text := self.state.last.facts.get(inside(share)):
            self.facts[inside(share)] = text

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
        self._count(self.folder.writer(owner).write(documents))

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


def owner_of(share: Share) -> str:
    """Whose files in the output the pages of a share are."""
    return f"share {share.slug}"


def _project(project: Project) -> str:
    return f"project {project.slug}"


def _gate(project: Project) -> str:
    """Under which name the state knows the gate of a project's index."""
    return f"gate {project.slug}"


def _watchwords_key(transcript_key: str) -> str:
    return digest("watchwords", transcript_key)
