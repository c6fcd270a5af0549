"""A publication that dies, or finds no room, breaks nothing that readers see, and the next one finishes it."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sitegen.errors import PublishError, RefusedError
from sitegen.output.failures import as_output_error
from sitegen.output.writer import replace_file
from sitegen.publish.copying import Copying
from sitegen.publish.folder import PublishedFolder
from tests.publish.killing import publish
from tests.publish.owner import tree
from tests.publish.site import FIRST, SECOND, make_tree, missing

ROOT = Path(__file__).parent.parent.parent
WHOLE = {path: text.encode() for path, text in SECOND.items()}


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_publication_killed_at_any_step_breaks_nothing_and_the_next_finishes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.publish.killing", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(result.stdout) > 50


@pytest.mark.parametrize("room", range(7))
def test_full_disk_breaks_nothing_and_what_was_taken_back_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    first, second = make_tree(tmp_path / "first", FIRST), make_tree(tmp_path / "second", SECOND)
    live = tmp_path / "live"
    publish(first, live)
    left = iter(range(room))

    def write_while_there_is_room(target: Path, data: bytes) -> object:
        if next(left, None) is None:
            raise as_output_error(OSError(errno.ENOSPC, "No space left on device"), target)
        return replace_file(target, data)

    monkeypatch.setattr("sitegen.publish.folder.replace_file", write_while_there_is_room)
    with pytest.raises(PublishError, match="disk is full"):
        publish(second, live)
    after = tree(live)
    assert not [path for path in after if path.startswith("s/gone/")]
    assert not missing(after)
    monkeypatch.undo()
    publish(second, live)
    assert tree(live) == WHOLE


def test_full_disk_before_the_first_byte_doesnt_keep_what_was_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_tree(tmp_path / "first", FIRST), make_tree(tmp_path / "second", SECOND)
    publish(first, tmp_path / "live")

    def refuse(root: Path, lines: object) -> None:
        raise as_output_error(OSError(errno.ENOSPC, "No space left on device"), root)

    monkeypatch.setattr("sitegen.publish.folder.append_lines", refuse)
    with pytest.raises(PublishError):
        publish(second, tmp_path / "live")
    assert not [path for path in tree(tmp_path / "live") if path.startswith("s/gone/")]


def test_interrupted_publication_still_removes_what_was_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_tree(tmp_path / "first", FIRST), make_tree(tmp_path / "second", SECOND)
    publish(first, tmp_path / "live")

    def interrupt(self: PublishedFolder, documents: Sequence[tuple[str, bytes]]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PublishedFolder, "put", interrupt)
    with pytest.raises(KeyboardInterrupt):
        publish(second, tmp_path / "live")
    assert not [path for path in tree(tmp_path / "live") if path.startswith("s/gone/")]


def test_file_that_cannot_be_removed_is_told_and_the_others_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make_tree(tmp_path / "first", FIRST), make_tree(tmp_path / "second", SECOND)
    live = tmp_path / "live"
    publish(first, live)
    remove = PublishedFolder._remove

    def refuse_one(self: PublishedFolder, path: str) -> None:
        if path == "s/gone/i/3.png":
            raise OSError(errno.EPERM, "Operation not permitted")
        remove(self, path)

    monkeypatch.setattr(PublishedFolder, "_remove", refuse_one)
    with pytest.raises(RefusedError, match=r"s/gone/i/3\.png \(operation not permitted\)"):
        publish(second, live)
    assert not (live / "s/gone/index.html").exists()
    monkeypatch.undo()
    publish(second, live)
    assert tree(live) == WHOLE


def test_site_that_changed_since_the_build_is_refused(tmp_path: Path) -> None:
    built = make_tree(tmp_path / "first", FIRST)
    (built.root / "index.html").write_text("another build's")
    target = Copying(PublishedFolder(tmp_path / "live"))
    with pytest.raises(PublishError, match="changed after the build"):
        target.publish(built, target.compare(built, known=()), on_put=lambda *_: None)
    assert not (tmp_path / "live" / "index.html").exists()


def test_folder_of_somebody_else_is_refused_without_reading_it_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "film.mkv").write_text("very long")
    monkeypatch.setattr("sitegen.publish.folder.hash_file", lambda file: pytest.fail(f"{file} was read"))
    with pytest.raises(RefusedError, match=r"film\.mkv"):
        PublishedFolder(tmp_path / "home").compare(make_tree(tmp_path / "site", FIRST), known=())
