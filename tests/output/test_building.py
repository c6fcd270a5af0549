"""What stands in the output after builds: written once, kept when unchanged, gone when no longer shared."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.errors import OutputError
from sitegen.output.layout import DOT_FILE
from tests.output.world import World, make_world, page


def test_a_build_leaves_exactly_its_files(world: World) -> None:
    world.build({"a": page("A") | {"2/index.html": "more"}})
    assert world.tree() == {"index.html": "home", "s/a/index.html": "A", "s/a/2/index.html": "more"}


def test_files_can_be_read_by_a_web_server(world: World) -> None:
    previous = os.umask(0o022)
    try:
        world.build({"a": page("A")})
    finally:
        os.umask(previous)
    assert (world.output / "s/a/index.html").stat().st_mode & 0o777 == 0o644


def test_nothing_is_written_twice(world: World) -> None:
    world.build({"a": page("A"), "b": page("B")})
    outcome = world.build({"a": page("A"), "b": page("B2")})
    assert (outcome.written, outcome.kept) == (["s/b/index.html"], ["share a", "site"])


def test_equal_bytes_are_not_written_even_when_nothing_is_known_of_them(world: World) -> None:
    world.build({"a": page("A")})
    before = (world.output / "s/a/index.html").stat()
    shutil.rmtree(world.state_file.parent)
    outcome = world.build({"a": page("A")})
    assert outcome.written == []
    assert (world.output / "s/a/index.html").stat().st_mtime_ns == before.st_mtime_ns


def test_what_is_no_longer_shared_goes_with_its_folders(world: World) -> None:
    world.build({"a": page("A"), "b": page("B") | {"f/1/x.txt": "x"}})
    outcome = world.build({"a": page("A")})
    assert set(outcome.removal.removed) == {"s/b/index.html", "s/b/f/1/x.txt"}
    assert world.folders() == {"s", "s/a"}


def test_a_part_that_a_share_no_longer_has_goes(world: World) -> None:
    world.build({"a": page("A") | {"2/index.html": "part"}})
    world.build({"a": page("A")})
    assert world.tree() == {"index.html": "home", "s/a/index.html": "A"}


def test_a_renamed_slug_leaves_nothing_under_the_old_name(world: World) -> None:
    world.build({"old": page("A")})
    world.build({"new": page("A")})
    assert world.folders() == {"s", "s/new"}


def test_what_is_no_longer_shared_goes_before_anything_is_made(world: World) -> None:
    world.build({"a": page("A"), "b": page("B")})

    def fail(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        world.build({"a": page("A2")}, before_finish=fail)
    assert "s/b/index.html" not in world.tree()


def test_an_expired_share_is_emptied_at_once(world: World) -> None:
    world.build({"a": page("A") | {"2/index.html": "secret"}})
    removed = world.build({"a": page("gone")}, before_finish=lambda folder: folder.remove("share a"))
    assert "secret" not in world.tree().values()
    assert "s/a/2/index.html" in removed.removal.removed or not (world.output / "s/a/2").exists()


def test_an_altered_page_is_made_again(world: World) -> None:
    world.build({"a": page("A")})
    (world.output / "s/a/index.html").write_text("vandal")
    world.build({"a": page("A")})
    assert world.tree()["s/a/index.html"] == "A"


def test_a_deleted_page_is_made_again(world: World) -> None:
    world.build({"a": page("A")})
    (world.output / "s/a/index.html").unlink()
    assert world.build({"a": page("A")}).written == ["s/a/index.html"]


def test_an_altered_file_that_should_go_is_kept_and_told_each_time(world: World) -> None:
    world.build({"a": page("A"), "b": page("B")})
    (world.output / "s/b/index.html").write_text("by hand")
    for _ in range(2):
        outcome = world.build({"a": page("A")})
        assert outcome.removal.altered == ("s/b/index.html",)
        assert not outcome.removal.is_complete
        assert not world.look().is_unchanged
    (world.output / "s/b/index.html").unlink()
    assert world.build({"a": page("A")}).removal.is_complete
    assert world.look().is_unchanged


def test_a_touched_but_equal_file_goes(world: World) -> None:
    world.build({"b": page("B")})
    file = world.output / "s/b/index.html"
    os.utime(file, (1, 1))
    assert world.build({}).removal.removed == ("s/b/index.html",)


def test_a_page_that_failed_keeps_what_stood_there(world: World) -> None:
    world.build({"a": page("A") | {"2/index.html": "part"}})
    world.build({"a": {}}, before_finish=lambda folder: folder.keep_as_is("share a"))
    assert world.tree()["s/a/2/index.html"] == "part"


@pytest.mark.parametrize("loss", ["state", "dot file", "both"])
def test_stale_files_go_whatever_memory_is_lost(world: World, loss: str) -> None:
    world.build({"a": page("A"), "b": page("B")})
    if loss != "dot file":
        shutil.rmtree(world.state_file.parent)
    if loss != "state":
        (world.output / DOT_FILE).unlink()
    if loss == "both":  # then nobody can know, and that is said
        with pytest.raises(OutputError, match="--adopt"):
            world.build({"a": page("A")})
        return
    world.build({"a": page("A")})
    assert world.tree() == {"index.html": "home", "s/a/index.html": "A"}


def test_a_moved_configuration_prunes_what_it_built_from_the_old_place(world: World, tmp_path: Path) -> None:
    world.build({"a": page("A"), "b": page("B")})
    moved = make_world(tmp_path / "elsewhere")
    world.output.rename(moved.output)
    moved.build({"a": page("A2")})
    assert moved.tree() == {"index.html": "home", "s/a/index.html": "A2"}


def test_a_site_moved_as_a_whole_keeps_its_state(world: World, tmp_path: Path) -> None:
    world.build({"a": page("A"), "b": page("B")})
    world.root.rename(tmp_path / "moved")
    moved = World(tmp_path / "moved")
    outcome = moved.build({"a": page("A")})
    assert outcome.kept == ["share a", "site"]
    assert "s/b/index.html" in outcome.removal.removed


def test_a_restored_output_with_other_times_is_recognised_by_content(world: World, tmp_path: Path) -> None:
    world.build({"a": page("A"), "b": page("B")})
    shutil.copytree(world.output, tmp_path / "copy")
    shutil.rmtree(world.output)
    (tmp_path / "copy").rename(world.output)
    outcome = world.build({"a": page("A")})
    assert (outcome.written, outcome.kept) == ([], ["share a", "site"])
    assert "s/b/index.html" not in world.tree()


def test_what_another_state_built_here_meanwhile_is_pruned(world: World, tmp_path: Path) -> None:
    world.build({"a": page("A")})
    other = make_world(tmp_path / "other")
    World(other.root, output_name=os.path.relpath(world.output, other.root)).build({"a": page("A"), "c": page("C")})
    world.build({"a": page("A")})
    assert world.tree() == {"index.html": "home", "s/a/index.html": "A"}


def test_two_outputs_of_one_site_do_not_prune_each_other(world: World) -> None:
    preview = World(world.root, output_name="preview")
    world.build({"a": page("A"), "b": page("B")})
    preview.build({"a": page("A")})
    assert world.build({"a": page("A"), "b": page("B")}).kept == ["share a", "share b", "site"]
    assert len(preview.tree()) == 2


def test_a_share_gives_way_to_a_page_of_its_name(world: World) -> None:
    world.build({"a": {"x/index.html": "folder"}})
    world.build({"a": {"x": "file"}})
    assert world.tree()["s/a/x"] == "file"
    world.build({"a": {"x/index.html": "folder"}})
    assert world.tree()["s/a/x/index.html"] == "folder"


_NAMES = st.sampled_from(["index.html", "x", "x/y", "x/y/z", "w/index.html"])
_PAGES = st.dictionaries(_NAMES, st.sampled_from(["one", "two", "three"]), max_size=4).filter(
    lambda pages: not any(other.startswith(name + "/") for name in pages for other in pages)
)
_PLANS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(["a", "b", "c"]), _PAGES, max_size=3),
        st.sampled_from(["", "state", "dot file"]),
    ),
    min_size=1,
    max_size=6,
)
_FOREIGN = {"CNAME": "example.org", "s/own.txt": "mine", "s/a/notes/n.txt": "mine too", ".well-known/x": "y"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plans=_PLANS)
def test_any_sequence_of_builds_leaves_the_last_plan_and_foreign_files(
    plans: list[tuple[dict[str, dict[str, str]], str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = make_world(tmp_path_factory.mktemp("sequence"))
    for path, text in _FOREIGN.items():
        (world.output / path).parent.mkdir(parents=True, exist_ok=True)
        (world.output / path).write_text(text)
    for number, (shares, loss) in enumerate(plans):
        world.build(shares, home=f"home {number}", adopt=number == 0)
        expected = {f"s/{slug}/{name}": text for slug, pages in shares.items() for name, text in pages.items()}
        assert world.tree() == {**expected, "index.html": f"home {number}", **_FOREIGN}
        if loss == "state":
            shutil.rmtree(world.state_file.parent)
        elif loss == "dot file":
            (world.output / DOT_FILE).unlink()
