"""A conversation too long to be held in memory whole becomes the same site as one that isn't."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitegen.build import reuse
from sitegen.output.writer import Document, Writer, Written
from tests.build.test_reuse import talk
from tests.support.workshop import Workshop, share


@pytest.fixture
def too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if any conversation were."""
    monkeypatch.setattr("sitegen.output.writer._BATCH_BYTES", 1)
    monkeypatch.setattr("sitegen.output.cache._HELD", -1)
    monkeypatch.setattr("sitegen.output.cache._LEFT", -1)
    monkeypatch.setattr("sitegen.privacy.corpus.WHOLE", 1)
    monkeypatch.setattr("sitegen.privacy.corpus.PART", 1_000)
    monkeypatch.setattr("sitegen.bulk._AT_ONCE", 100)
    monkeypatch.setattr(reuse, "_WORTH_KEEPING", 1)


def build(folder: Path, *turns: int) -> dict[str, bytes]:
    """The site of a conversation that goes on from one build to the next."""
    folder.mkdir(exist_ok=True)
    workshop = Workshop(folder)
    for count in turns:
        workshop.talk(talk(count))
        workshop.configure(share("talk", "s", "listed = true"))
        workshop.build("--jobs", "1")
    return workshop.tree()


@pytest.mark.parametrize("turns", [(150,), (140, 150)], ids=["first build", "went on"])
def test_long_conversation_is_what_a_short_one_would_be(
    tmp_path: Path, turns: tuple[int, ...], request: pytest.FixtureRequest
) -> None:
    at_once = build(tmp_path / "at once", 150)
    request.getfixturevalue("too_long")
    assert build(tmp_path / "bit by bit", *turns) == at_once


@pytest.mark.usefixtures("too_long")
def test_first_page_is_written_before_the_last_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[list[str]] = []
    write = Writer.write

    def note(writer: Writer, documents: list[Document]) -> list[Written]:
        written.append([document.path for document in documents])
        return write(writer, documents)

    monkeypatch.setattr(Writer, "write", note)
    build(tmp_path, 150)
    assert all(len(batch) == 1 for batch in written if batch[0].startswith("s/"))
