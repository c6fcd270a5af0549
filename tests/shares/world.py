"""Small worlds for tests of shares: a configuration from its text, and heads without messages."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

from msgspec.structs import replace

from sitegen.config import Config, load
from sitegen.model import ConversationHead, SharedView
from sitegen.shares import Registry, resolve

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def head(native_id: str, **fields: object) -> ConversationHead:
    """A head; `fields` are ConversationHead's."""
    plain = ConversationHead(
        row_id=f"row-{native_id}",
        source_id="claude_code",
        native_id=native_id,
        title=f"About {native_id}",
        project="/home/ann/code/talks",
        started_at=datetime(2026, 1, 2, tzinfo=UTC),
        ended_at=datetime(2026, 1, 2, 1, tzinfo=UTC),
        message_count=10,
        digest="d",
    )
    return replace(plain, **fields)


def view(slug: str, conversation_id: str, **fields: object) -> SharedView:
    """A row of shared_views; `fields` are SharedView's."""
    return replace(SharedView(slug, conversation_id, None, None, None, None), **fields)


class World:
    """A folder with a configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def config(self, text: str) -> Config:
        path = self.folder / "sitegen.toml"
        path.write_text('[source]\nprojection = "archive.duckdb"\n' + dedent(text), "utf-8")
        return load(path)

    def resolve(
        self,
        text: str,
        heads: Iterable[ConversationHead] = (),
        views: Iterable[SharedView] = (),
        *,
        now: datetime = NOW,
        is_publishing: bool = True,
        has_secret: bool = True,
    ) -> Registry:
        hide = hide_slug if has_secret else None
        return resolve(
            self.config(text), tuple(heads), tuple(views), now=now, hide_slug=hide, is_publishing=is_publishing
        )


def hide_slug(name: str) -> str:
    """A slug as a site secret would make it."""
    return f"hidden-{len(name)}"
