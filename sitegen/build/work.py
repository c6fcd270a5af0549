"""One worker's part of a build: reads conversations, renders them, makes their pages, writes them.

Runs in the main process or in a pool; either way it gets a `Setting` once and then batches of `Task`s, and returns what
the next build must know. Results don't depend on which worker did what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sitegen.build import watchwords
from sitegen.build.clean import Scans, SecretsFoundError, told
from sitegen.build.gates import UNPREPARED
from sitegen.build.inside import opened
from sitegen.build.keys import rendered_key
from sitegen.build.opening import open_to_read
from sitegen.build.posters import draw_once
from sitegen.build.processes import Helpers, helpers_for
from sitegen.build.renderers import Told, notes_key
from sitegen.build.setting import Setting, make_pages
from sitegen.build.watchwords import Watchwords
from sitegen.errors import RefusedError, SitegenError
from sitegen.helping import answer
from sitegen.model import Card, Conversation, ConversationHead, Document, Share, Transcript
from sitegen.output.cache import Cache
from sitegen.output.codec import to_text
from sitegen.output.target import DocumentWriter
from sitegen.output.writer import Written, batches
from sitegen.pages import Pages, make_card
from sitegen.pages.posters import POSTER_NAME
from sitegen.privacy import Engine, apply, count, find_engine
from sitegen.urls import share_file, share_folder

if TYPE_CHECKING:
    from sitegen.build.sealing import Sealing
    from sitegen.projection import Projections
    from sitegen.render.foreign import Foreign

_FEW: Final = 10


class Task(Struct, frozen=True):
    """One share to make, and where its documents may be written.

    `heads` are those of the conversation's subagents, at any depth.
    """

    share: Share
    transcript_key: str
    content_key: str
    writer: DocumentWriter
    heads: tuple[ConversationHead, ...] = ()
    is_project_listed: bool = False
    parent: Card | None = None
    children: tuple[Card, ...] = ()
    before: str = ""
    """Where the transcript is kept that the share had until now."""
    is_known: bool = False
    """Whether that one is still asked for."""
    sealing: Sealing | None = None
    """How the pages are protected; None for an open share only."""
    watchwords_key: str = ""


class Made(Struct, frozen=True):
    """What became of a task: the files with the card for the indexes, or the sentence of its failure.

    A failure may have files too: those that were written before it.
    `inside` is the card for those who have opened the project's gate, `watchwords` what must be seen nowhere. Cards are
    JSON, as the next build reads them: of a large site all are there at once.
    """

    slug: str
    cache_key: str = ""
    """Where its transcript is kept."""
    written: tuple[Written, ...] = ()
    card: str = ""
    inside: str = ""
    watchwords: Watchwords = Watchwords()
    failure: str | None = None
    is_refused: bool = False
    """Whether it failed because it must not be published."""
    found: Mapping[str, int] | None = None
    """How much was taken out; None when the transcript was made before."""


class Rendered(Struct, frozen=True):
    """Where the transcript is kept that was made for a policy, which other policies may have led to as well."""

    key: str


@dataclass(eq=False, repr=False, slots=True)
class Worker:
    """Keeps what is dear to set up: the compiled templates, the cache, the rules for secrets."""

    setting: Setting
    projections: Projections | None = None
    """Open already, for the first that is read."""
    engine: Engine = field(default_factory=find_engine)
    help: Helpers | None = None
    """Other processes, for what would take one of them long."""
    _pages: Pages | None = field(init=False, default=None)
    _cache: Cache = field(init=False)
    _scans: Scans = field(init=False)
    _found: dict[str, dict[str, int]] = field(init=False, default_factory=dict)
    _held: ExitStack | None = field(init=False, default=None)  # closes what stays open from one batch to the next
    _others: Foreign | None = field(init=False, default=None)
    """Renderers of other packages."""
    _renders_few: bool = field(init=False, default=False)
    """Whether it's the conversations that have changed, and not how they are rendered."""

    def __post_init__(self) -> None:
        self._cache = Cache(self.setting.cache_folder)
        self._scans = Scans.within(self.setting.scan_folder, is_read=self.setting.is_cache_read)

    @property
    def pages(self) -> Pages:
        """The pages of the site. It takes long to have them, so that there's one such for shares and indexes."""
        if self._pages is None:
            self._pages = make_pages(self.setting)
        return self._pages

    def make(self, tasks: Sequence[Task]) -> list[Made]:
        """Makes each task's pages, in the order given; a failure is told and costs that share only."""
        _ = self.pages  # now, for what is wrong with them is no share's fault
        made: dict[str, Made] = {}
        waiting: dict[str, list[Task]] = {}
        for task in tasks:
            key = (task.before if task.is_known else "") or self._known(task.transcript_key)
            transcript = self._recall(key)
            if transcript is None:
                waiting.setdefault(task.share.head.row_id, []).append(task)
            else:
                made[task.share.slug] = self._try(task, (key, transcript))
        self._renders_few = len(waiting) <= _FEW
        heads = {head.row_id: head for tasks in waiting.values() for task in tasks for head in _heads(task)}
        for conversation in self._read(list(waiting), heads.values()):
            mine = waiting[conversation.head.row_id]
            unread = [conversation] * len(mine)  # each takes one: with the last goes what cleaning replaces
            del conversation
            for task in mine:
                made[task.share.slug] = self._try(task, unread)
        return [made[task.share.slug] for task in tasks]

    def title(self, share: Share, *, transcript_key: str, content_key: str, heads: Sequence[ConversationHead]) -> str:
        """The title on the pages of a share, "" when they can't be made. `heads` are its conversation's and others'.

        What is rendered for it is there when the pages are made.
        """
        transcript = self._recall(self._known(transcript_key))
        if transcript is None:
            try:
                for conversation in self._read([share.head.row_id], heads):
                    _, transcript = self._make_transcript(share, [conversation], transcript_key, content_key)
            except Exception:  # noqa: BLE001 - told when the pages are made, which fails likewise
                return ""
        return transcript.facts.title if transcript else ""

    def found_in(self, slug: str) -> Mapping[str, int] | None:
        """How much was taken out of a share that was rendered here."""
        return self._found.get(slug)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Within it projections stay open once they are: to open them takes as long as to read some conversations."""
        try:
            with ExitStack() as self._held:
                yield
        finally:
            self.projections = self._held = None

    def rest(self) -> None:
        """Lets go of projections that are open."""
        if self.projections is not None:
            self.projections.rest()
            self.projections = None

    def _read(self, waiting: Sequence[str], heads: Iterable[ConversationHead]) -> Iterator[Conversation]:
        """The conversations of these row ids, in any order; `heads` are theirs and their subagents'."""
        if not waiting:
            return
        unopened = open_to_read(self.setting.projections, self.setting.temp_folder, labels=self.setting.shows_labels)
        with ExitStack() as alone:
            projections = self.projections or (self._held or alone).enter_context(unopened)
            if self._held is not None:
                self.projections = projections
            yield from projections.read(waiting, heads=list(heads), in_any_order=True, goes_on=self._held is not None)

    def _known(self, transcript_key: str) -> str:
        """Where the transcript is kept that this key led to last; "" when it's to be made."""
        found = self._cache.get(transcript_key, Rendered) if self.setting.is_cache_read else None
        return "" if found is None else found.key

    def _recall(self, key: str) -> Transcript | None:
        return self._cache.get(key, Transcript) if key and self.setting.is_cache_read else None

    def _try(self, task: Task, given: tuple[str, Transcript] | list[Conversation]) -> Made:
        share = task.share
        written: list[Written] = []
        try:
            key, transcript = (
                self._make_transcript(share, given, task.transcript_key, task.content_key, before=task.before)
                if isinstance(given, list)
                else given
            )
            words = self._choose_watchwords(task, transcript)
            parent_slug = None if task.parent is None else task.parent.slug
            card = make_card(share, transcript, parent_slug=parent_slug)
            documents = self._documents(task, transcript, card, key=key)
            for batch in batches(documents):
                written += task.writer.write(batch)
        except Exception as error:  # noqa: BLE001 - one page that can't be made must not cost the others
            is_ours, is_refused = isinstance(error, SitegenError), isinstance(error, SecretsFoundError)
            failure = str(error) if is_ours else f"something went wrong ({type(error).__name__}: {error})"
            return Made(share.slug, written=tuple(written), failure=failure, is_refused=is_refused)
        inside = to_text(make_card(opened(share), transcript, parent_slug=parent_slug)) if share.is_inherited else ""
        found = self._found.pop(share.slug, None)
        return Made(share.slug, key, tuple(written), to_text(card), inside, words, found=found)

    def _documents(self, task: Task, transcript: Transcript, card: Card, *, key: str) -> Iterable[Document]:
        share, pages, sealing = task.share, self.pages, task.sealing
        if sealing is None:
            if share.is_gated:  # whatever went wrong before: never in the open
                raise RefusedError(UNPREPARED)
            documents = pages.share(
                share,
                transcript,
                is_project_listed=task.is_project_listed,
                parent=task.parent,
                children=task.children,
            )
            return chain(documents, self._posters(share, card, key=key))
        from sitegen.build.sealing import seal_documents  # for the few sites that protect anything

        content = pages.protected_share(
            share,
            transcript,
            id_of=sealing.id_of,
            is_project_listed=task.is_project_listed,
            parent=task.parent,
            children=task.children,
        )
        folder, is_offline = share_folder(share.slug), self.setting.urls.offline
        return seal_documents(pages, sealing, content, folder=folder, is_offline=is_offline)

    def _posters(self, share: Share, card: Card, *, key: str) -> Iterable[Document]:
        """The picture for where the share's link is posted, if it has one."""
        poster = self.pages.poster(share, card)
        if poster is None:
            return ()
        draw = partial(draw_once, poster, cache=self._cache, transcript_key=key, is_read=self.setting.is_cache_read)
        help = helpers_for(share.head, self.help)
        asked = help.ask(draw) if help else None  # while the pages are made here

        def wait() -> Iterator[Document]:
            drawn = answer(asked, draw)
            yield Document(share_file(share.slug, POSTER_NAME), drawn.data, drawn.sha256)

        return wait()

    def _choose_watchwords(self, task: Task, transcript: Transcript) -> Watchwords:
        if task.sealing is None:
            return Watchwords()
        words = watchwords.choose(task.share, transcript)
        self._cache.put(task.watchwords_key, words)
        return words

    def _make_transcript(
        self, share: Share, unread: list[Conversation], transcript_key: str, content_key: str, *, before: str = ""
    ) -> tuple[str, Transcript]:
        """What the share shows, rendered unless another policy took out the same; and where it's kept."""
        shown, effect = self._clean(unread, share)
        key = rendered_key(content_key, effect)
        transcript = self._recall(key) or self._render(share, shown, key=key, before=before)
        self._cache.put(transcript_key, Rendered(key))
        return key, transcript

    def _render(self, share: Share, shown: list[Conversation], *, key: str, before: str) -> Transcript:
        """The transcript of a conversation, which is taken out of the list: rendering lets go of what it has drawn."""
        from sitegen.build.reuse import Course, render_what_is_new
        from sitegen.render import RenderOptions
        from sitegen.render.foreign import Foreign

        site = self.setting.site
        options = RenderOptions(
            language=site.language,
            timezone=site.timezone,
            show=share.show,
            title=share.title,
            branches=share.branches,
            keeps_image_metadata=share.keeps_image_metadata,
        )
        if self._others is None:
            self._others = Foreign.load()
        before, help = before if self.setting.is_cache_read else "", helpers_for(share.head, self.help)
        course = Course(before, now=key, goes_on=bool(before) and self._renders_few)
        transcript = render_what_is_new(self._cache, shown, options, self._others, course, help)
        transcript = self._cache.leave(key, transcript)
        if transcript.notes:
            self._cache.put(notes_key(key), Told(transcript.notes))
        return transcript

    def _clean(self, unread: list[Conversation], share: Share) -> tuple[list[Conversation], str]:
        """What the share may show of one of the list, likewise in a list; and what cleaning did.

        Raises SecretsFoundError when no secret may be published, and there are some.
        """
        policy = self.setting.policy
        help = helpers_for(share.head, self.help)
        scrubbed = apply(unread.pop(), share, policy, engine=self.engine, memory=self._scans, help=help)
        if policy.secrets == "block" and scrubbed.secrets:
            raise SecretsFoundError("\n  ".join(told(scrubbed.secrets)))
        self._found[share.slug] = count(scrubbed.findings)
        return [scrubbed.conversation], scrubbed.effect


def _heads(task: Task) -> tuple[ConversationHead, ...]:
    return (task.share.head, *task.heads)
