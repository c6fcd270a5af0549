"""Several projections read as one: of a conversation that is in more than one of them, the fuller copy is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from sitegen.errors import ProjectionError
from sitegen.model import Conversation, ConversationHead, SharedView
from sitegen.projection.heads import not_withdrawn
from sitegen.projection.listing import Listing, Recall, nothing
from sitegen.projection.reader import Projection

_LEAST_MB: Final = 32
"""Of memory for one of several projections."""
_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


class Projections:
    """Open projections with the interface of one. Made by `open_all`."""

    def __init__(self, members: Sequence[Projection]) -> None:
        self._members = tuple(members)
        self._chosen: dict[str, tuple[int, ConversationHead]] | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What their owner should know, in sentences."""
        return tuple(warning for member in self._members for warning in member.warnings)

    def heads(self) -> list[ConversationHead]:
        """All conversations, each once, ordered by key."""
        chosen = self._choose()
        return sorted((head for _, head in chosen.values()), key=lambda head: (head.key, head.row_id))

    def listings(self) -> list[Listing]:
        """What was found in each projection, in the order of their paths, to be known the next time."""
        return [member.listing() for member in self._members]

    def read(
        self,
        row_ids: Sequence[str],
        *,
        heads: Sequence[ConversationHead] | None = None,
        in_any_order: bool = False,
        goes_on: bool = False,
    ) -> Iterator[Conversation]:
        """The conversations in the given order, as `Projection.read` gives them.

        With one member, `heads` saves it reading them again, and any order saves work where it will do; with several
        the heads are needed to tell whose is whose.
        """
        if len(self._members) == 1:
            yield from self._members[0].read(row_ids, heads=heads, in_any_order=in_any_order, goes_on=goes_on)
            return
        owners = [self._owner(row_id) for row_id in row_ids]
        waiting: dict[int, list[str]] = defaultdict(list)
        for owner, row_id in zip(owners, row_ids, strict=True):
            waiting[owner].append(row_id)
        streams = {owner: self._members[owner].read(ids, goes_on=goes_on) for owner, ids in waiting.items()}
        for owner, row_id in zip(owners, row_ids, strict=True):
            yield replace(next(streams[owner]), head=self._choose()[row_id][1])

    def files(self) -> list[Path]:
        """The files beside each projection that its attachments name."""
        return [path for member in self._members for path in member.files()]

    def shared_views(self) -> list[SharedView]:
        """The rows of every `shared_views`, by slug; two that claim one slug are both there."""
        return sorted((view for member in self._members for view in member.shared_views()), key=lambda view: view.slug)

    def rest(self) -> None:
        """Lets go of the files, and of the memory that holds what was read of them, until the next query."""
        for member in self._members:
            member.rest()

    def _owner(self, row_id: str) -> int:
        found = self._choose().get(row_id)
        if found is None:
            raise ProjectionError(f"No projection holds a conversation {row_id}; it may have been removed meanwhile.")
        return found[0]

    def _choose(self) -> dict[str, tuple[int, ConversationHead]]:
        if self._chosen is None:
            best: dict[str, tuple[int, ConversationHead]] = {}
            withdrawn = frozenset(key for member in self._members for key in member.withdrawn())
            for number, member in enumerate(self._members):
                for head in not_withdrawn(member.heads(), withdrawn):
                    if head.key not in best or _fullness(head) > _fullness(best[head.key][1]):
                        best[head.key] = (number, head)
            self._chosen = {head.row_id: (number, _linked(head, number, best)) for number, head in best.values()}
        return self._chosen


@contextmanager
def open_all(
    paths: Sequence[Path],
    *,
    temp_folder: Path,
    memory_limit_mb: int = 96,
    threads: int | None = None,
    lock_wait_s: float = 5.0,
    labels: bool = False,
    recall: Recall = nothing,
) -> Iterator[Projections]:
    """The projections at `paths` as one, closed at the end; ProjectionError names the first that can't be read.

    The memory limit is for all of them together. `recall` is asked for each that is open what is known of it.
    """
    share_mb = max(_LEAST_MB, memory_limit_mb // max(1, len(paths)))
    with ExitStack() as stack:
        yield Projections(
            [
                stack.enter_context(
                    Projection.open(
                        path,
                        temp_folder=temp_folder,
                        memory_limit_mb=share_mb,
                        threads=threads,
                        lock_wait_s=lock_wait_s,
                        labels=labels,
                        recall=recall,
                    )
                )
                for path in paths
            ]
        )


def _fullness(head: ConversationHead) -> tuple[int, datetime]:
    return head.message_count, head.ended_at or _LONG_AGO


def _linked(head: ConversationHead, number: int, best: dict[str, tuple[int, ConversationHead]]) -> ConversationHead:
    """The head, without a parent that is shown from another projection."""
    if head.parent_key is None or best[head.parent_key][0] == number:
        return head
    return replace(head, parent_key=None)
