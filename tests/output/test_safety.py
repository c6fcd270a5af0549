"""What the output never does: touch what isn't ours, leave its folder, stop half-way with nothing to heal it."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.errors import OutputError
from sitegen.output.folder import Folder
from sitegen.output.layout import DOT_FILE, TEMPORARY_PREFIX
from sitegen.output.plan import Claim, Plan
from tests.output.world import World, page


@pytest.mark.parametrize("memory", ["kept", "lost"])
def test_a_build_killed_at_any_step_is_healed_by_the_next(tmp_path: Path, memory: str) -> None:
    """Every fourth step for each of four next builds, each from another start; `killing 1` tries all."""
    command = [sys.executable, "-m", "tests.output.killing", str(tmp_path), memory, "4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert int(done.stdout) > 60


# ------------------------------------------------------------------------------------------------ what isn't ours


def test_a_folder_with_other_files_is_refused(world: World) -> None:
    world.output.mkdir()
    (world.output / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match=r"thesis\.txt.*--adopt"):
        world.build({"a": page("A")})
    assert world.tree() == {"thesis.txt": "years of work"}


def test_an_adopted_folder_keeps_its_files_and_is_ours_from_then_on(world: World) -> None:
    world.output.mkdir()
    (world.output / "CNAME").write_text("example.org")
    world.build({"a": page("A")}, adopt=True)
    world.build({})
    assert world.tree() == {"CNAME": "example.org", "index.html": "home"}


@pytest.mark.parametrize("adopt", [True, False], ids=["adopting", "not adopting"])
def test_a_foreign_file_in_the_way_is_never_overwritten(world: World, adopt: bool) -> None:
    world.build({})
    (world.output / "s/a").mkdir(parents=True)
    (world.output / "s/a/index.html").write_text("mine")
    with pytest.raises(OutputError, match=r"s/a/index\.html is a file that sitegen didn't write"):
        world.build({"a": page("A")}, adopt=adopt)
    assert world.tree()["s/a/index.html"] == "mine"


def test_a_foreign_folder_where_a_page_should_be_is_left_alone(world: World) -> None:
    world.build({})
    (world.output / "s/a/index.html").mkdir(parents=True)
    (world.output / "s/a/index.html/own.txt").write_text("mine")
    with pytest.raises(OutputError, match="is a folder with files that sitegen didn't write"):
        world.build({"a": page("A")})
    assert world.tree()["s/a/index.html/own.txt"] == "mine"


def test_a_foreign_file_where_a_folder_should_be_is_left_alone(world: World) -> None:
    world.build({})
    (world.output / "s").write_text("mine")
    with pytest.raises(OutputError, match="a folder is to stand there"):
        world.build({"a": page("A")})
    assert world.tree()["s"] == "mine"


def test_a_foreign_file_beside_a_share_survives_its_end(world: World) -> None:
    world.build({"a": page("A")})
    (world.output / "s/a/own.txt").write_text("mine")
    world.build({})
    assert world.tree() == {"index.html": "home", "s/a/own.txt": "mine"}


def test_a_share_is_refused_whole_before_its_first_byte(world: World) -> None:
    world.build({})
    (world.output / "s/a/z").mkdir(parents=True)
    (world.output / "s/a/z/own").write_text("mine")
    with pytest.raises(OutputError):
        world.build({"a": page("A") | {"z": "clashes"}})
    assert "s/a/index.html" not in world.tree()


def test_a_foreign_dot_file_is_not_taken_over(world: World) -> None:
    world.output.mkdir()
    (world.output / DOT_FILE).write_text("something else")
    with pytest.raises(OutputError, match=r"\.sitegen-files"):
        world.build({}, adopt=True)
    assert (world.output / DOT_FILE).read_text() == "something else"


@pytest.mark.parametrize("place", [".", "..", "site/.sitegen"], ids=["the site's folder", "above it", "the state's"])
def test_an_output_that_would_publish_the_secrets_is_refused(tmp_path: Path, place: str) -> None:
    root = tmp_path / "site"
    root.mkdir()
    (root / "sitegen.toml").touch()
    output = (root / place) if place != "site/.sitegen" else root / ".sitegen"
    world = World(root, output_name=os.path.relpath(output, root))
    with pytest.raises(OutputError, match="would be published"):
        world.build({}, adopt=True)


def test_a_private_file_in_the_output_is_refused(world: World) -> None:
    private = world.output / "archive.duckdb"
    with world.open_state() as state, pytest.raises(OutputError, match=r"archive\.duckdb, which would be published"):
        Folder.open(world.output, state=state, private=[private])


# ---------------------------------------------------------------------------------------------------------- links


def test_nothing_is_written_through_a_linked_page(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("untouched")
    world.build({"a": page("A")})
    (world.output / "s/a/index.html").unlink()
    (world.output / "s/a/index.html").symlink_to(outside)
    with pytest.raises(OutputError, match="symbolic link"):
        world.build({"a": page("A2")})
    assert outside.read_text() == "untouched"


def test_nothing_is_written_through_a_linked_folder(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    world.build({})
    (world.output / "s").symlink_to(outside)
    with pytest.raises(OutputError, match="symbolic link"):
        world.build({"a": page("A")})
    assert list(outside.iterdir()) == []


def test_nothing_is_pruned_through_a_linked_folder(world: World, tmp_path: Path) -> None:
    world.build({"a": page("A")})
    (world.output / "s").rename(tmp_path / "outside")
    (world.output / "s").symlink_to(tmp_path / "outside")
    outcome = world.build({})
    assert (tmp_path / "outside/a/index.html").read_text() == "A"
    assert [path for path, _ in outcome.removal.failed] == ["s/a/index.html"]


def test_a_link_in_place_of_a_stale_page_is_left_and_told(world: World, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    world.build({"a": page("A")})
    (world.output / "s/a/index.html").unlink()
    (world.output / "s/a/index.html").symlink_to(tmp_path / "mine.txt")
    assert world.build({}).removal.altered == ("s/a/index.html",)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_the_output_folder_itself_may_be_a_link(world: World, tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    world.output.symlink_to(tmp_path / "www")
    world.build({"a": page("A")})
    assert (tmp_path / "www/s/a/index.html").read_text() == "A"


def test_a_hard_link_made_elsewhere_keeps_its_bytes(world: World, tmp_path: Path) -> None:
    world.build({"a": page("A")})
    os.link(world.output / "s/a/index.html", tmp_path / "backup.html")
    world.build({"a": page("A2")})
    assert (tmp_path / "backup.html").read_text() == "A"


# ------------------------------------------------------------------------------------------- when writing fails


def test_an_output_folder_that_is_a_file_is_told(world: World) -> None:
    world.output.write_text("x")
    with pytest.raises(OutputError, match="is a file"):
        world.build({})


def test_an_output_below_a_file_is_told(world: World) -> None:
    (world.root / "file").write_text("x")
    with pytest.raises(OutputError, match="a part of its path is a file"):
        World(world.root, output_name="file/public").build({})


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "read-only"), (errno.EACCES, "permission is denied")],
    ids=["disk full", "read-only", "denied"],
)
def test_a_write_that_fails_is_told_and_leaves_what_was_there(
    world: World, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    world.build({"a": page("A")})
    replace = os.replace

    def refuse(source: str, target: str) -> None:
        if str(target).endswith("s/a/index.html"):
            raise OSError(number, os.strerror(number))
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OutputError, match=said):
        world.build({"a": page("A2")})
    assert world.tree()["s/a/index.html"] == "A"
    assert not list(world.output.rglob(f"{TEMPORARY_PREFIX}*"))
    monkeypatch.undo()
    world.build({"a": page("A2")})
    assert world.tree()["s/a/index.html"] == "A2"


def test_a_file_above_a_real_limit_is_told_and_leaves_no_part(world: World) -> None:
    world.build({"a": page("A")})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(OutputError, match="larger than"):
            world.build({"a": page("A" * 500_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert world.tree()["s/a/index.html"] == "A"


def test_a_stale_file_that_cannot_be_removed_is_told_and_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.build({"a": page("A"), "b": page("B")})
    unlink = os.unlink

    def refuse(path: str) -> None:
        if str(path).endswith("s/b/index.html"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        unlink(path)

    monkeypatch.setattr(os, "unlink", refuse)
    outcome = world.build({"a": page("A")})
    assert outcome.removal.failed == (("s/b/index.html", "permission denied"),)
    assert not world.look().is_unchanged
    monkeypatch.undo()
    assert world.build({"a": page("A")}).removal.removed == ("s/b/index.html",)


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions don't bind the superuser")
def test_a_read_only_folder_is_told(world: World) -> None:
    world.build({})
    world.output.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="permission is denied"):
            world.build({"a": page("A")})
    finally:
        world.output.chmod(0o700)


# -------------------------------------------------------------------------------------------------- the dot file


def test_the_dot_file_names_nothing_and_counts_nothing(world: World) -> None:
    world.build({"secret-slug": page("A")})
    one = (world.output / DOT_FILE).read_text()
    world.build({"secret-slug": page("A"), "b": page("B")})
    two = (world.output / DOT_FILE).read_text()
    assert "secret" not in one
    assert one.count("\n") == two.count("\n")


def test_the_dot_file_is_the_same_for_the_same_tree(world: World, tmp_path: Path) -> None:
    other = World(tmp_path / "other")
    other.root.mkdir()
    other.config.touch()
    world.build({"a": page("A"), "b": page("B")})
    other.build({"b": page("B0")})
    other.build({"b": page("B"), "a": page("A")})
    assert (world.output / DOT_FILE).read_bytes() == (other.output / DOT_FILE).read_bytes()


def test_a_writer_from_another_build_cannot_leave_its_claim(world: World) -> None:
    with world.open_state() as state:
        folder = Folder.open(world.output, state=state)
        folder.begin(Plan.of([Claim("share a", folders=("s/a",))]))
        with pytest.raises(OutputError, match="didn't plan"):
            folder.writer("share a").write([_Document("s/b/index.html", b"x")])


class _Document:
    sha256 = ""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.data = path, data
