"""What a share says of itself where its link is posted: for open listed shares of a site whose address is known."""

from __future__ import annotations

from sitegen import urls
from sitegen.model import Card, Poster, Share
from sitegen.pages import facts
from sitegen.pages.frame import Frame

POSTER_NAME = "poster.png"


def poster_address(frame: Frame, share: Share) -> str | None:
    """The address of a share's picture; None when it has none."""
    if not share.listed or share.is_gated:
        return None
    return frame.urls.absolute(urls.share_file(share.slug, POSTER_NAME))


def make_poster(frame: Frame, share: Share, card: Card) -> Poster | None:
    """What the picture of a share shows; None when it has none."""
    if poster_address(frame, share) is None:
        return None
    told = [
        share.project.name if share.project is not None else "",
        card.source,
        frame.dates.span(card.started_at, card.ended_at),
        frame.t("pages.prompts", n=card.turns, count=facts.number(frame.t, card.turns)),
    ]
    return Poster(
        title=card.title,
        site=frame.site.title,
        facts=" · ".join(filter(None, told)),
        shape=card.shape,
    )
