"""What only those see who have opened a project: its index, sealed like a share, with its shares by title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from sitegen.build.gates import Gates
from sitegen.model import Card, Document, Gate, Project, Share
from sitegen.output.codec import from_text
from sitegen.output.records import ShareRecord
from sitegen.pages import Pages
from sitegen.urls import project_file


def inside(share: Share) -> str:
    """Under which name the facts of a build hold the card for those who have opened the share's project."""
    return f"inside {share.slug}"


def opened(share: Share) -> Share:
    """The share as those see it who have opened its gate."""
    return replace(share, gate=Gate.NONE, agreement=None)


def cards_inside(
    project: Project, shares: Iterable[Share], *, records: Mapping[str, ShareRecord], facts: Mapping[str, str]
) -> list[Card]:
    """The cards of a protected project: its own shares whole, those of other gates as everyone sees them."""
    found = []
    for share in shares:
        if share.is_expired or share.project is None or share.project.slug != project.slug:
            continue
        record = records.get(share.slug)
        text = facts.get(inside(share)) or (record.card if record else "")
        if card := from_text(text, Card) if text else None:
            found.append(card)
    return found


def sealed_index(
    pages: Pages, gates: Gates, project: Project, cards: list[Card], *, is_offline: bool
) -> list[Document]:
    """The documents of a protected project's index; none, and a fault among the gates', when it can't be protected."""
    gates.stretch([project.scope])
    if project.scope in gates.faults:
        return []
    from sitegen.build.sealing import seal_documents  # for the few sites that protect anything

    sealing = gates.sealing(project.scope)
    content = pages.protected_project(project, cards, id_of=sealing.id_of)
    return seal_documents(pages, sealing, content, folder=project_file(project.slug, ""), is_offline=is_offline)


def cards_of(shares: Iterable[Share], records: Mapping[str, ShareRecord]) -> list[Card]:
    """The cards of all shares that indexes may know of, in the order of the shares."""
    found = (records.get(share.slug) for share in shares if not share.is_expired)
    texts = (record.card for record in found if record is not None and record.card)
    return [card for text in texts if (card := from_text(text, Card)) is not None]
