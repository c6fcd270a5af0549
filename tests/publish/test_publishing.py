"""What goes out is the site as built, looked over and agreed to; what was taken back goes in any case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitegen.check import CheckReport, Finding, check_tree
from tests.publish.owner import Owner, tree
from tests.support.workshop import share, talk_about

PASSWORD = "sandbar-lantern-quiet-otter-maple-drift"  # made up
GATED = share("tides", "tides", 'gate = "password"', 'secret = "env:TIDES"')


@pytest.fixture
def live(tmp_path: Path) -> Path:
    return tmp_path / "live"


def test_site_goes_out_as_it_was_built(owner: Owner, live: Path) -> None:
    owner.publish(live)
    assert tree(live) == owner.built()
    assert not check_tree(live, base_url="https://ann.example.org/notes/").errors


def test_publishing_builds_first(owner: Owner, live: Path) -> None:
    owner.publish(live)
    owner.workshop.talk(
        talk_about("tides", "And at night?", "The same at night."), talk_about("kerning", project="/home/ann/type")
    )
    owner.publish(live)
    assert "The same at night." in (live / "s/tides/index.html").read_text()


def test_second_time_finds_nothing_to_do(owner: Owner, live: Path) -> None:
    owner.publish(live)
    before = {path: path.stat().st_mtime_ns for path in live.rglob("*.html")}
    assert "Nothing to do." in owner.publish(live).stdout
    assert {path: path.stat().st_mtime_ns for path in live.rglob("*.html")} == before


def test_only_what_changed_is_written(owner: Owner, live: Path) -> None:
    owner.publish(live)
    owner.workshop.talk(talk_about("tides", "More?", "More."), talk_about("kerning", project="/home/ann/type"))
    said = owner.told(live)
    assert "s/tides/index.html" in said["changed"]
    assert not [path for path in said["changed"] if path.startswith(("s/kerning/", "assets/"))]
    assert said["kept"] > 0


def test_share_that_was_taken_back_leaves_nothing(owner: Owner, live: Path) -> None:
    owner.publish(live)
    assert owner.workshop.run("revoke", "kerning", "--yes").exit_code == 0
    owner.publish(live)
    assert tree(live) == owner.built()
    assert not (live / "s" / "kerning").exists()
    assert not any(b"kerning" in data for data in tree(live).values())


# ------------------------------------------------------------------------------------------------------------- asking


def test_without_a_terminal_and_without_yes_it_refuses(owner: Owner, live: Path) -> None:
    result = owner.workshop.run("publish", "--to", str(live))
    assert result.exit_code == 3
    assert "--yes" in result.stderr
    assert not live.exists()


@pytest.mark.parametrize(("answer", "is_published"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_owner_is_asked_and_decides(
    owner: Owner, live: Path, monkeypatch: pytest.MonkeyPatch, answer: str, is_published: bool
) -> None:
    from click.testing import CliRunner

    from sitegen.cli import main

    monkeypatch.setattr("sitegen.cli.publish._can_ask", lambda: True)
    config = str(owner.folder / "sitegen.toml")
    result = CliRunner().invoke(main, ["-C", config, "publish", "--to", str(live)], input=answer)
    assert f"Publish to {live}?" in result.output
    assert "2 shares" in result.stdout
    assert live.exists() is is_published
    assert result.exit_code == (0 if is_published else 1)


def test_dry_run_tells_and_does_nothing(owner: Owner, live: Path) -> None:
    owner.publish(live)
    before = tree(live, without=())
    owner.share("tides", more=share("kerning", "letters"))
    result = owner.workshop.run("publish", "--to", str(live), "--dry-run")
    assert result.exit_code == 0
    for line in ("+ s/letters/index.html", "~ index.html", "- s/kerning/index.html"):
        assert line in result.stdout
    assert tree(live, without=()) == before


def test_links_are_told_at_the_end_without_what_opens_them(
    owner: Owner, live: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDES", PASSWORD)
    monkeypatch.setenv("SITEGEN_SITE_SECRET", "A" * 43)
    owner.share("kerning", more=GATED)
    result = owner.publish(live)
    assert "https://ann.example.org/notes/s/kerning/\n" in result.stdout
    assert "https://ann.example.org/notes/s/tides/   “sitegen links tides”" in result.stdout
    assert PASSWORD not in result.output
    assert "#k=" not in result.output


def test_json_is_one_object(owner: Owner, live: Path) -> None:
    said = owner.told(live)
    assert said["target"] == str(live)
    assert said["published"] is True
    assert "s/tides/index.html" in said["added"]
    assert said["links"] == [f"https://ann.example.org/notes/s/{slug}/" for slug in ("kerning", "tides")]


# ----------------------------------------------------------------------------------------------------------- refusing

SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"  # made up


def test_secret_that_nobody_allowed_stops_it(owner: Owner, live: Path) -> None:
    config = owner.folder / "sitegen.toml"
    owner.publish(live)
    before = tree(live)
    owner.workshop.talk(
        talk_about("tides", f"token={SECRET}", "Thanks."), talk_about("kerning", project="/home/ann/type")
    )
    config.write_text(config.read_text() + '\n[privacy]\nsecrets = "allow"\n')
    result = owner.publish(live, code=3)
    assert "tides" in result.stderr
    assert SECRET not in result.output
    assert tree(live) == before


def test_fault_that_the_check_finds_stops_it(owner: Owner, live: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = CheckReport((Finding("index.html", "it links to nowhere.html, which isn't there", 3),), 1, 1, 1)
    monkeypatch.setattr("sitegen.publish.ready.check_tree", lambda *_, **__: broken)
    result = owner.publish(live, code=3)
    assert "index.html:3: it links to nowhere.html" in result.stderr
    assert not live.exists()


def test_what_cannot_be_pruned_stops_it(owner: Owner, live: Path) -> None:
    owner.publish(live)
    (owner.workshop.public / "s/kerning/index.html").write_text("altered by hand")
    owner.share("tides")
    result = owner.publish(live, code=3)
    assert "Still in the output" in result.stderr


def test_share_that_was_taken_back_goes_though_nothing_else_may(
    owner: Owner, live: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.publish(live)
    before = tree(live)
    owner.workshop.talk(
        talk_about("tides", "New words?", "New words."), talk_about("kerning", project="/home/ann/type")
    )
    owner.workshop.run("revoke", "kerning", "--yes")
    broken = CheckReport((Finding("index.html", "it links to nowhere.html, which isn't there", 3),), 1, 1, 1)
    monkeypatch.setattr("sitegen.publish.ready.check_tree", lambda *_, **__: broken)
    result = owner.publish(live, code=3)
    assert "what was taken back" in result.stderr
    after = tree(live)
    assert not [path for path in after if path.startswith("s/kerning/")]
    assert {path: data for path, data in after.items() if path in before} == after
    assert "New words" not in (live / "s/tides/index.html").read_text()


def test_share_that_was_taken_back_goes_though_the_projection_is_gone(owner: Owner, live: Path) -> None:
    owner.publish(live)
    owner.workshop.run("revoke", "kerning", "--yes")
    (owner.folder / "archive.duckdb").unlink()
    result = owner.publish(live, code=1)
    assert "no file" in result.stderr
    assert not [path for path in tree(live) if path.startswith("s/kerning/")]
    assert "s/tides/index.html" in tree(live)
    owner.workshop.talk(talk_about("tides"))
    assert f"when {live} was published: nothing changed" in owner.workshop.run("report").stdout


def test_share_that_is_protected_now_isnt_left_open_though_nothing_else_may_go_out(
    owner: Owner, live: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.publish(live)
    monkeypatch.setenv("TIDES", PASSWORD)
    monkeypatch.setenv("SITEGEN_SITE_SECRET", "A" * 43)
    owner.share("kerning", more=GATED)
    broken = CheckReport((Finding("index.html", "it links to nowhere.html, which isn't there", 3),), 1, 1, 1)
    monkeypatch.setattr("sitegen.publish.ready.check_tree", lambda *_, **__: broken)
    owner.publish(live, code=3)
    assert not [path for path in tree(live) if path.startswith("s/tides/")]
    assert "s/kerning/index.html" in tree(live)


def test_dry_run_of_what_may_not_go_out_removes_nothing(owner: Owner, live: Path) -> None:
    owner.publish(live)
    owner.workshop.run("revoke", "kerning", "--yes")
    (owner.folder / "archive.duckdb").unlink()
    before = tree(live)
    result = owner.workshop.run("publish", "--to", str(live), "--dry-run")
    assert result.exit_code == 1
    assert "would be removed" in result.stdout
    assert tree(live) == before


@pytest.mark.parametrize("place", ["https://example.org/", "gs://bucket", "s3://B", "", "s3://"])
def test_place_that_is_none_is_told(owner: Owner, place: str) -> None:
    result = owner.publish(place, code=2)
    assert "git:BRANCH" in result.stderr


def test_configuration_names_the_place(owner: Owner) -> None:
    config = owner.folder / "sitegen.toml"
    config.write_text(config.read_text() + '\n[publish]\nto = "../www"\n')
    assert owner.workshop.run("publish", "--yes").exit_code == 0
    assert tree(owner.folder.parent / "www") == owner.built()


# ----------------------------------------------------------------------------------------------- what there was before


def test_folder_of_others_is_refused_and_taken_by_force(owner: Owner, live: Path) -> None:
    live.mkdir()
    (live / "index.html").write_text("somebody's page")
    (live / "notes.txt").write_text("somebody's notes")
    result = owner.publish(live, code=3)
    assert "index.html" in result.stderr
    assert tree(live) == {"index.html": b"somebody's page", "notes.txt": b"somebody's notes"}
    owner.publish(live, "--force")
    assert tree(live) == {**owner.built(), "notes.txt": b"somebody's notes"}
    owner.share("tides")
    owner.publish(live)
    assert (live / "notes.txt").exists()


def test_files_of_others_beside_ours_stay(owner: Owner, live: Path) -> None:
    owner.publish(live)
    (live / "s/kerning/mine.txt").write_text("mine")
    owner.share("tides")
    owner.publish(live)
    assert tree(live) == {**owner.built(), "s/kerning/mine.txt": b"mine"}


def test_page_that_somebody_altered_goes_too_when_it_is_taken_back(owner: Owner, live: Path) -> None:
    owner.publish(live)
    (live / "s/kerning/index.html").write_text("altered where it's served")
    owner.share("tides")
    owner.publish(live)
    assert tree(live) == owner.built()


def test_lost_memory_costs_nothing(owner: Owner, live: Path) -> None:
    owner.publish(live)
    (owner.folder / ".sitegen" / "published.json").write_text("{ spoilt")
    owner.share("tides")
    owner.publish(live)
    assert tree(live) == owner.built()


def test_link_in_the_place_of_a_folder_is_not_followed(owner: Owner, live: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    live.mkdir()
    (live / "s").symlink_to(elsewhere)
    assert owner.publish(live, "--force", code=1).stderr
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("place", ["public", "public/inner", ".", "..", ".sitegen"])
def test_place_that_would_publish_more_than_the_site_is_refused(owner: Owner, place: str) -> None:
    result = owner.publish(owner.folder / place, code=3)
    assert "lie in each other" in result.stderr


def test_files_of_others_in_the_output_stay_at_home_but_for_those_that_hosts_want(owner: Owner, live: Path) -> None:
    owner.workshop.build()
    for name in ("CNAME", "draft.txt", ".env"):
        (owner.workshop.public / name).write_text(name)
    result = owner.publish(live)
    assert "draft.txt" in result.stdout
    assert {path for path in tree(live) if path in ("CNAME", "draft.txt", ".env")} == {"CNAME"}


# ------------------------------------------------------------------------------------------------------------- telling


def test_report_tells_what_changed_since(owner: Owner, live: Path) -> None:
    owner.publish(live)
    owner.workshop.talk(talk_about("tides", "More?", "More."), talk_about("kerning", project="/home/ann/type"))
    owner.share("tides", more=share("kerning", "letters"))
    said = json.loads(owner.workshop.run("report", "--json").stdout)["since"]
    assert [(each["place"], each["new"], each["changed"], each["removed"]) for each in said] == [
        (str(live), ["letters"], ["tides"], ["kerning"])
    ]
    text = owner.workshop.run("report").stdout
    assert f"when {live} was published: new letters; changed tides; taken back kerning" in text
    owner.publish(live)
    assert f"when {live} was published: nothing changed" in owner.workshop.run("report").stdout


def test_place_that_still_has_what_was_taken_back_is_told_of(owner: Owner, live: Path, tmp_path: Path) -> None:
    owner.publish(live)
    owner.share("tides")
    assert f"{live} still has kerning" in owner.publish(tmp_path / "other").stdout
