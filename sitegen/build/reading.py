"""Reads what the projections hold while the rest of a build is still being imported: DuckDB works beside Python."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from sitegen.build.fetching import fetch_projections
from sitegen.build.listings import Listings
from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.ledger import log_of
from sitegen.model import ConversationHead, SharedView
from sitegen.output.watch import Watch
from sitegen.projection import Projections, open_all

_MANY: Final = 5_000
"""Conversations from which on what the build knows of them needs the memory in which DuckDB keeps what it read."""


class Found(Struct, frozen=True):
    """What there is to share, before anything of it is read."""

    projections: Projections | None
    """Still open, for opening them again takes as long as reading a conversation; None where they hold many."""
    heads: tuple[ConversationHead, ...]
    views: tuple[SharedView, ...]
    warnings: tuple[str, ...]


@contextmanager
def reading(config: Config, watch: Watch, *, listings: Listings, temp_folder: Path) -> Iterator[Future[Found]]:
    """What will have been read; its result raises ProjectionError when nothing can be.

    All that is read is watched before, and open until the context ends if it isn't too much. Raises ConfigError when no
    projection is named, ProjectionError or OutputError when one can't be fetched.
    """
    if not config.source.projections:
        msg = '[source] names no projection; write projection = "archive.duckdb" there, or the file you have'
        raise ConfigError(msg, path=config.path)
    fetch_projections(config)
    for projection in config.source.projections:
        watch.file(projection)
        watch.file(log_of(projection))
    with ExitStack() as opened, ThreadPoolExecutor(1) as reader:
        found = reader.submit(_read, config, watch, listings, temp_folder, opened)
        reader.shutdown(wait=False)  # its thread ends with its work, before there are processes to start
        yield found


def _read(config: Config, watch: Watch, listings: Listings, temp_folder: Path, opened: ExitStack) -> Found:
    paths = config.source.projections
    recall = partial(listings.known, watch=watch)
    projections = opened.enter_context(
        open_all(paths, temp_folder=temp_folder, labels=config.pages.labels, recall=recall)
    )
    for file in projections.files():  # before their sizes and times are taken for what they were
        watch.file(file)
    heads, views = projections.heads(), projections.shared_views()
    listings.keep(zip(paths, projections.listings(), strict=True), watch)
    has_many = len(heads) >= _MANY
    found = Found(None if has_many else projections, tuple(heads), tuple(views), tuple(projections.warnings))
    if has_many:
        opened.close()
    return found
