"""A branch holds one commit, the site as it was built, and no past; the user's own repository isn't touched."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sitegen.publish.branch import PublishedBranch
from sitegen.publish.target import read_address, without_credentials
from sitegen.publish.tree import Tree
from tests.publish.owner import Owner, tree
from tests.publish.site import make_tree
from tests.support.repository import Repository
from tests.support.workshop import talk_about

BRANCH = "gh-pages"


@pytest.fixture(autouse=True)
def _git_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def host(tmp_path: Path) -> Repository:
    return Repository.make(tmp_path / "host.git", bare=True)


@pytest.fixture
def home(owner: Owner, host: Repository) -> Repository:
    """The workshop as a repository with the host for its origin."""
    home = Repository.make(owner.folder)
    (owner.folder / ".gitignore").write_text(".sitegen/\npublic/\n*.duckdb\n")
    home.git("remote", "add", "origin", str(host.path))
    home.commit({"README.md": "Notes"})
    home.git("push", "--quiet", "origin", "main")
    return home


def to(host: Repository) -> str:
    return f"git:{BRANCH}@{host.path}"


def test_branch_is_the_site_in_one_commit_without_a_past(owner: Owner, host: Repository) -> None:
    owner.publish(to(host))
    assert host.tree(BRANCH) == owner.built()
    owner.share("tides")
    owner.publish(to(host))
    assert host.tree(BRANCH) == owner.built()
    assert host.git("rev-list", "--count", BRANCH).strip() == "1"


def test_what_was_taken_back_is_in_nothing_that_the_host_reaches(owner: Owner, host: Repository) -> None:
    owner.publish(to(host))
    assert any(b"kerning" in data for data in host.reachable())
    owner.share("tides")
    owner.publish(to(host))
    assert not any(b"kerning" in data for data in host.reachable())


def test_commit_names_neither_a_person_nor_a_machine(owner: Owner, host: Repository) -> None:
    owner.publish(to(host))
    said = host.git("log", "-1", "--format=%an %ae %cn %ce %s", BRANCH)
    assert said == "sitegen sitegen@localhost sitegen sitegen@localhost Publish the site\n"


def test_same_site_is_not_committed_again(owner: Owner, host: Repository) -> None:
    owner.publish(to(host))
    tip = host.git("rev-parse", BRANCH)
    assert "Nothing to do." in owner.publish(to(host)).stdout
    assert host.git("rev-parse", BRANCH) == tip


def test_users_repository_is_not_touched(owner: Owner, home: Repository, host: Repository) -> None:
    """Neither files, nor index, nor branches, nor objects."""
    (owner.folder / "draft.md").write_text("staged")
    home.git("add", "draft.md")
    (owner.folder / "README.md").write_text("changed, not staged")
    home.git("status")
    before = tree(owner.folder / ".git")
    owner.publish(f"git:{BRANCH}")
    assert tree(owner.folder / ".git") == before
    assert home.git("status", "--porcelain") == " M README.md\nA  draft.md\n"
    assert sorted(host.git("branch", "--format=%(refname:short)").split()) == [BRANCH, "main"]


def test_branch_of_the_usual_remote_is_the_default(owner: Owner, home: Repository, host: Repository) -> None:
    result = owner.workshop.run("publish", "--yes")
    assert result.exit_code == 0, result.output
    assert "git:gh-pages@origin" in result.stdout
    assert host.tree("gh-pages") == owner.built()


def test_environment_of_a_hook_leads_nowhere_else(
    owner: Owner, home: Repository, host: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(owner.folder / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(owner.folder / ".git" / "index"))
    before = (owner.folder / ".git" / "index").read_bytes()
    owner.publish(to(host))
    assert (owner.folder / ".git" / "index").read_bytes() == before
    assert host.tree(BRANCH) == owner.built()


def test_hooks_of_the_user_do_not_run(owner: Owner, home: Repository, host: Repository, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-push").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    (hooks / "pre-push").chmod(0o755)
    home.git("config", "core.hooksPath", str(hooks))
    owner.publish(f"git:{BRANCH}")
    assert not (tmp_path / "ran").exists()


# ----------------------------------------------------------------------------------------------------------- foreigners


def test_branch_that_sitegen_did_not_make_is_refused_and_replaced_by_force(
    owner: Owner, home: Repository, host: Repository
) -> None:
    result = owner.publish("git:main", code=3)
    assert "--force" in result.stderr
    assert host.tree("main").keys() == {"README.md", ".gitignore", "sitegen.toml"}
    owner.publish("git:main", "--force")
    assert host.tree("main") == owner.built()
    assert host.git("rev-list", "--count", "main").strip() == "1"


def test_branch_that_somebody_committed_on_is_refused(owner: Owner, host: Repository, tmp_path: Path) -> None:
    owner.publish(to(host))
    other = Repository(tmp_path / "other")
    Repository(tmp_path).git("clone", "--quiet", "--branch", BRANCH, str(host.path), str(other.path))
    tip = other.commit({"extra.html": "by hand"})
    other.git("push", "--quiet", "origin", BRANCH)
    owner.share("tides")
    owner.publish(to(host), code=3)
    assert host.git("rev-parse", BRANCH).strip() == tip


def test_commit_that_was_amended_is_no_longer_ours(owner: Owner, host: Repository, tmp_path: Path) -> None:
    owner.publish(to(host))
    other = Repository(tmp_path / "other")
    Repository(tmp_path).git("clone", "--quiet", "--branch", BRANCH, str(host.path), str(other.path))
    (other.path / "index.html").write_text("by hand")
    other.git("commit", "--quiet", "--all", "--amend", "--no-edit")
    other.git("push", "--quiet", "--force", "origin", BRANCH)
    owner.publish(to(host), code=3)


def test_branch_that_changes_meanwhile_is_not_overwritten(owner: Owner, host: Repository, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    target = PublishedBranch(read_address(to(host), folder=tmp_path), tmp_path, tmp_path / "passing")  # type: ignore[arg-type]
    changes = target.compare(Tree(tmp_path / "site", {}, {}), known=())
    owner.publish(to(host))
    tip = host.git("rev-parse", BRANCH)
    with pytest.raises(Exception, match="changed by somebody else"):
        target.publish(Tree(tmp_path / "site", {}, {}), changes, on_put=lambda *_: None)
    target.close()
    assert host.git("rev-parse", BRANCH) == tip


# ------------------------------------------------------------------------------------------------------------- failures


def test_host_that_refuses_keeps_what_it_had_and_the_next_run_finishes(owner: Owner, host: Repository) -> None:
    owner.publish(to(host))
    tip = host.git("rev-parse", BRANCH)
    hook = host.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'the quota is used up' >&2\nexit 1\n")
    hook.chmod(0o755)
    owner.share("tides")
    result = owner.publish(to(host), code=1)
    assert "the quota is used up" in result.stderr
    assert host.git("rev-parse", BRANCH) == tip
    hook.unlink()
    owner.publish(to(host))
    assert host.tree(BRANCH) == owner.built()


def test_nothing_of_the_site_is_left_behind_by_a_publication(owner: Owner, host: Repository) -> None:
    owner.publish(to(host))
    left = owner.folder / ".sitegen" / "publish"
    assert {path.name for path in left.iterdir()} <= {"lock"}


def test_what_a_killed_publication_left_is_no_hindrance(owner: Owner, host: Repository) -> None:
    left = owner.folder / ".sitegen" / "publish" / "git"
    left.mkdir(parents=True)
    (left / "HEAD").write_text("half a repos")
    (left / "config").mkdir()
    owner.publish(to(host))
    assert host.tree(BRANCH) == owner.built()


def test_share_that_was_taken_back_leaves_the_branch_though_nothing_else_may(owner: Owner, host: Repository) -> None:
    owner.publish(to(host))
    owner.workshop.run("revoke", "kerning", "--yes")
    (owner.folder / "archive.duckdb").unlink()
    owner.publish(to(host), code=1)
    left = host.tree(BRANCH)
    assert "s/tides/index.html" in left
    assert not [path for path in left if path.startswith("s/kerning/")]
    assert host.git("rev-list", "--count", BRANCH).strip() == "1"
    owner.workshop.talk(talk_about("tides"))
    owner.publish(to(host))
    assert host.tree(BRANCH) == owner.built()


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("git:gh-pages", "isn't in a git repository"),
        ("git:gh-pages@nowhere", "neither a remote of this repository nor an address"),
        ("git:gh-pages@--upload-pack=x", "neither a remote"),
        ("git:gh-pages@https://[::1", "isn't an address that can be read"),
        ("git:a..b@.", "can't be the name of a branch"),
        ("git:-x@.", "can't be the name of a branch"),
    ],
)
def test_branch_that_cannot_be_is_told(
    owner: Owner, place: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(owner.folder.parent))
    result = owner.publish(place, code=2)
    assert sentence in result.stderr


def test_remote_that_is_not_there_is_told(owner: Owner, tmp_path: Path) -> None:
    result = owner.publish(f"git:gh-pages@file://{tmp_path}/nothing.git", code=1)
    assert "can't be read" in result.stderr


def test_credentials_of_a_remote_are_told_to_nobody(owner: Owner) -> None:
    result = owner.publish("git:gh-pages@https://ann:hunter2@127.0.0.1:9/talks.git", code=1)
    assert "hunter2" not in result.output
    assert without_credentials("https://ann:hunter2@example.org/x.git") == "https://example.org/x.git"
    assert without_credentials("https://example.org/x.git?token=hunter2#x") == "https://example.org/x.git"
    assert without_credentials("git@example.org:ann/x.git") == "git@example.org:ann/x.git"


def test_moment_that_is_no_number_is_told(owner: Owner, host: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    assert "SOURCE_DATE_EPOCH is “yesterday”" in owner.publish(to(host), code=2).stderr


def test_git_that_is_not_installed_is_told(owner: Owner, host: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "git isn't installed" in owner.publish(to(host), code=1).stderr


def test_names_of_files_are_kept_whatever_they_hold(host: Repository, tmp_path: Path) -> None:
    names = ('s/a/f/0/with "quotes" and spaces.txt', "s/a/f/0/für Ann → Bo.txt", "s/a/f/0/-dash.txt")
    site = tmp_path / "site"
    built = make_tree(site, {name: name for name in names})
    target = PublishedBranch(read_address(to(host), folder=tmp_path), tmp_path, tmp_path / "passing")  # type: ignore[arg-type]
    target.publish(built, target.compare(built, known=()), on_put=lambda *_: None)
    target.close()
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "-z", "--name-only", BRANCH], cwd=host.path, capture_output=True, check=True
    ).stdout
    assert sorted(listed.decode().rstrip("\0").split("\0")) == sorted(names)
