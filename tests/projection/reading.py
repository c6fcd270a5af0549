"""What the tests of reading share: a projection opened with a temporary folder of its own, and all of it read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sitegen.model import Conversation, ConversationHead
from sitegen.projection import Known, Projection
from tests.support.projections import ConversationRow, make_projection


@contextmanager
def opened(
    path: Path, *, labels: bool = False, memory_limit_mb: int = 192, known: Known | None = None
) -> Iterator[Projection]:
    """The projection, waiting for no lock."""
    temp_folder = path.parent / "temp"
    with Projection.open(
        path,
        temp_folder=temp_folder,
        lock_wait_s=0,
        labels=labels,
        memory_limit_mb=memory_limit_mb,
        recall=lambda _: known,
    ) as projection:
        yield projection


def heads(path: Path, *, labels: bool = False) -> dict[str, ConversationHead]:
    """Heads by native id."""
    with opened(path, labels=labels) as projection:
        return {head.native_id: head for head in projection.heads()}


def read_all(path: Path, *, labels: bool = False) -> dict[str, Conversation]:
    """Conversations by native id, each read for itself, subagents too."""
    with opened(path, labels=labels) as projection:
        rows = [head.row_id for head in projection.heads()]
        return {talk.head.native_id: talk for talk in projection.read(rows)}


def read_one(folder: Path, talk: ConversationRow, *others: ConversationRow, labels: bool = False) -> Conversation:
    """The conversation as it is read from a projection made of it (and others)."""
    return read_all(make_projection(folder / "one.duckdb", [talk, *others]), labels=labels)[talk.native_id]


@contextmanager
def writing_process(path: Path, statements: Iterable[str] = (), *, seconds: float = 20) -> Iterator[int]:
    """Another process that has the file open for writing, statements done; its id. It ends without closing the file."""
    code = (
        "import duckdb, os, sys, time\n"
        "db = duckdb.connect(sys.argv[1])\n"
        "db.execute('SET wal_autocheckpoint = \\'1TB\\'')\n"
        "for statement in sys.argv[3:]: db.execute(statement)\n"
        "print('ready', flush=True)\n"
        "time.sleep(float(sys.argv[2]))\n"
        "os._exit(0)\n"
    )
    command = [sys.executable, "-c", code, str(path), str(seconds), *statements]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield process.pid
        finally:
            process.kill()
            process.wait()


def observed(native_id: str, *kinds: str, device: str = "d") -> str:
    """A statement that makes rows of `observations`: what a device saw of a conversation, in order."""
    rows = (f"('{device}', {n}, 'claude_code', '', '{native_id}', '{kind}')" for n, kind in enumerate(kinds))
    return f"INSERT INTO observations (device_id, device_seq, source_id, scope, locator, kind) VALUES {', '.join(rows)}"
