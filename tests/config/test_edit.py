"""Edits of sitegen.toml: what was asked for changes, and nothing else does."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.config.edit import rewrite, with_epoch, with_registry, with_share, without_revoked, without_shares
from sitegen.errors import ConfigError, OutputError

COMMENTED = dedent(
    """\
    # Ann's notes
    [site]
    title   =   "Notes"   # odd blanks stay

    # for Bo
    [[share]]
    conversation = "claude_code:1"  # the first
    slug = "one"

    # about two
    [[share]]
    conversation = "claude_code:2"
    slug = "two"
    recipients = [
      "bo@example.org",  # ] not the end
    ]

    # rules are below
    [[rule]]
    match = {}
    """
)


def is_called(slug: str) -> Callable[[object], bool]:
    return lambda share: isinstance(share, dict) and share.get("slug") == slug


def test_new_share_stands_after_the_last_one() -> None:
    text = with_share(COMMENTED, {"conversation": "claude_code:3", "slug": "three"})
    block = '\n\n[[share]]\nconversation = "claude_code:3"\nslug = "three"'
    assert text.replace(block, "") == COMMENTED
    assert text.index("]\n\n[[share]]\nconversation") < text.index("# rules are below")


def test_first_share_stands_at_the_end() -> None:
    text = with_share("[site]\n\n\n", {"conversation": "a:1", "listed": True, "view_limit": 3})
    assert text == '[site]\n\n[[share]]\nconversation = "a:1"\nlisted = true\nview_limit = 3\n'


@pytest.mark.parametrize("text", ["", "[site]", "# only a comment", "[site]\n# last"], ids=repr)
def test_share_is_added_to_any_small_file(text: str) -> None:
    added = with_share(text, {"conversation": "a:1"})
    assert added.startswith(text)
    assert tomllib.loads(added)["share"] == [{"conversation": "a:1"}]


def test_removed_share_leaves_all_else_as_it_was() -> None:
    text = without_shares(COMMENTED, is_called("two"))
    gone = COMMENTED[COMMENTED.index('[[share]]\nconversation = "claude_code:2"') : COMMENTED.index("\n# rules")]
    assert text == COMMENTED.replace(gone, "")


def test_comment_above_another_share_stays() -> None:
    text = without_shares(COMMENTED, is_called("one"))
    assert "# for Bo\n\n# about two\n[[share]]\n" in text


def test_adding_and_removing_gives_the_file_back() -> None:
    added = with_share(COMMENTED, {"conversation": "a:9", "slug": "nine"})
    assert without_shares(added, is_called("nine")) == COMMENTED


def test_removing_the_only_share_leaves_a_tidy_file() -> None:
    added = with_share("[site]\n", {"conversation": "a:9", "slug": "nine"})
    assert without_shares(added, is_called("nine")) == "[site]\n"


def test_shares_in_an_inline_array_are_edited_in_place() -> None:
    text = 'share = [\n  { conversation = "a:1", slug = "one" }, # kept\n]\n'
    added = with_share(text, {"conversation": "a:2", "slug": "two"})
    assert [share["slug"] for share in tomllib.loads(added)["share"]] == ["one", "two"]
    assert "# kept" in added
    left = without_shares(added, is_called("one"))
    assert [share["slug"] for share in tomllib.loads(left)["share"]] == ["two"]


@pytest.mark.parametrize("slug", ["two", "TWO"], ids=["same", "other-case"])
def test_second_share_of_a_slug_is_refused(slug: str) -> None:
    with pytest.raises(ConfigError, match="slug “two” is in the configuration already"):
        with_share(COMMENTED, {"conversation": "a:3", "slug": slug})


def test_registry_is_made_once_and_grows() -> None:
    once = with_registry(COMMENTED, revoked=["one"], excluded=["a:1"])
    twice = with_registry(once, revoked=["one", "two"])
    assert once.startswith(COMMENTED)
    assert tomllib.loads(twice)["registry"] == {"revoked": ["one", "two"], "excluded": ["a:1"]}


def test_comments_in_the_registry_are_kept() -> None:
    text = '[registry]\nrevoked = [\n  "one", # told Bo\n  "two",\n]\n'
    grown = with_registry(text, revoked=["three"])
    assert "# told Bo" in grown
    assert tomllib.loads(without_revoked(grown, "TWO"))["registry"]["revoked"] == ["one", "three"]


def test_nothing_to_forget_changes_nothing() -> None:
    assert without_revoked(COMMENTED, "one") == COMMENTED


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(title=TEXTS, recipients=st.lists(TEXTS, max_size=3), slug=TEXTS)
def test_any_value_is_written_as_it_is(title: str, recipients: list[str], slug: str) -> None:
    values = {"conversation": "a:1", "title": title, "recipients": recipients, "slug": slug}
    assert tomllib.loads(with_share("", values))["share"] == [values]
    with_registry("", revoked=[slug], excluded=[title])


def test_moments_are_written_in_utc() -> None:
    text = with_share("", {"conversation": "a:1", "expires": datetime(2027, 1, 31, tzinfo=UTC)})
    assert "expires = 2027-01-31T00:00:00Z\n" in text


# ------------------------------------------------------------------------------------------------------- the file


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "sitegen.toml"
    path.write_bytes(COMMENTED.encode())
    return path


def add(number: int) -> Callable[[str], str]:
    return lambda text: with_share(text, {"conversation": f"a:{number}", "slug": f"s{number}"})


def test_windows_line_ends_stay(config: Path) -> None:
    config.write_bytes(b"\xef\xbb\xbf" + COMMENTED.replace("\n", "\r\n").encode())
    rewrite(config, lambda text: with_registry(add(3)(text), revoked=["x"]))
    data = config.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# Ann")
    assert data.count(b"\n") == data.count(b"\r\n") > COMMENTED.count("\n")


def test_mixed_line_ends_stay_where_they_are(config: Path) -> None:
    mixed = b"[site]\r\n\r\n[[share]]\r\nslug = 'a'\r\n# end\n"
    config.write_bytes(mixed)
    rewrite(config, add(1))
    assert b"slug = 'a'\r\n" in config.read_bytes()
    assert config.read_bytes().endswith(b"# end\n")


def test_mode_and_link_of_the_file_are_kept(config: Path, tmp_path: Path) -> None:
    config.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(config)
    rewrite(link, add(1))
    assert link.is_symlink()
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert b'slug = "s1"' in config.read_bytes()


def test_refused_change_leaves_the_file_and_no_rest(config: Path) -> None:
    with pytest.raises(ConfigError):
        rewrite(config, lambda text: with_share(text, {"conversation": "a:1", "slug": "one"}))
    assert config.read_bytes() == COMMENTED.encode()
    assert sorted(path.name for path in config.parent.iterdir()) == [".sitegen", "sitegen.toml"]


def test_change_made_meanwhile_by_an_editor_isn_t_lost(config: Path) -> None:
    def slow(text: str) -> str:
        config.write_text("# saved in an editor\n")
        return add(1)(text)

    with pytest.raises(OutputError, match="changed by another program"):
        rewrite(config, slow)
    assert config.read_text() == "# saved in an editor\n"


def test_broken_file_is_told_with_its_line(config: Path) -> None:
    config.write_text("[site]\ntitle = \n")
    with pytest.raises(ConfigError, match=r"sitegen\.toml:2: this isn't valid TOML"):
        rewrite(config, add(1))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder_is_told(config: Path) -> None:
    (config.parent / ".sitegen").mkdir()
    config.parent.chmod(0o500)
    with pytest.raises(OutputError, match="can't be changed: Permission denied"):
        rewrite(config, add(1))


def test_edits_at_the_same_time_all_arrive(config: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from sitegen.config.edit import rewrite, with_share\n"
        "for n in range(5):\n"
        "    slug = f'p{sys.argv[2]}-{n}'\n"
        "    rewrite(Path(sys.argv[1]), lambda text: with_share(text, {'conversation': 'a:1', 'slug': slug}))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(config), str(number)]) for number in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    shares = tomllib.loads(config.read_text())["share"]
    assert len({share["slug"] for share in shares}) == 2 + 15


# --------------------------------------------------------------------------------------------------------------- epochs

TABLES = """\
# shares
[[share]]
conversation = "a" # one
slug = "x"

# next
[[share]]
conversation = "b"
epoch = 3 # why
slug = "y"

[[rule]]
listed = true
[rule.match]
project = "z"
"""


@pytest.mark.parametrize(
    ("table", "number", "epoch", "before", "after"),
    [
        ("share", 0, 1, 'slug = "x"\n', 'slug = "x"\nepoch = 1\n'),
        ("share", 1, 4, "epoch = 3 # why", "epoch = 4 # why"),
        ("rule", 0, 1, "listed = true\n", "listed = true\nepoch = 1\n"),
    ],
    ids=["new", "raised", "beside-a-table-within"],
)
def test_epoch_changes_one_line(table: str, number: int, epoch: int, before: str, after: str) -> None:
    assert with_epoch(TABLES, table=table, number=number, epoch=epoch) == TABLES.replace(before, after)


def test_epoch_of_a_share_in_one_line_is_changed() -> None:
    text = with_epoch('share = [{conversation = "a"}, {conversation = "b"}]\n', table="share", number=1, epoch=1)
    assert tomllib.loads(text) == {"share": [{"conversation": "a"}, {"conversation": "b", "epoch": 1}]}


def test_epoch_of_the_last_line_needs_no_line_end() -> None:
    assert with_epoch('[[share]]\nslug = "x"', table="share", number=0, epoch=2) == '[[share]]\nslug = "x"\nepoch = 2'
