"""`sitegen list`: what a person sees, and what a script reads."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from tests.cli.site import SiteFolder, talk
from tests.support.projections import row_id


def test_list_shows_id_date_size_project_and_title(site: SiteFolder) -> None:
    lines = site.run("list").stdout.splitlines()
    assert lines[0].split() == ["ID", "DATE", "RECORDED", "SHARED", "PROJECT", "TITLE"]
    parser = next(line for line in lines if "parser" in line)
    assert parser.split(maxsplit=5) == [row_id("parser-1")[:8], "2026-01-02", "2", "–", "talks", "About parser-1"]


def test_newest_comes_first_and_timeless_last(site: SiteFolder) -> None:
    site.hold(
        [
            talk("old", started_at=datetime(2025, 1, 1, tzinfo=UTC), ended_at=datetime(2025, 1, 2, tzinfo=UTC)),
            talk("none", started_at=None, ended_at=None),
            talk("new", started_at=datetime(2026, 1, 1, tzinfo=UTC), ended_at=datetime(2026, 1, 2, tzinfo=UTC)),
        ]
    )
    titles = [line.split("About ")[1] for line in site.run("list").stdout.splitlines()[1:]]
    assert titles[:2] == ["new", "old"] or titles == ["none", "new", "old"]


def test_list_says_what_is_shared(site: SiteFolder) -> None:
    site.write(
        '[[share]]\nconversation = "claude_code:parser-1"\nslug = "a"\n'
        '[[share]]\nconversation = "claude_code:garden-2"\nslug = "b"\nexpires = 2020-01-01\n'
    )
    shared = {line.split()[-1]: line.split()[3] for line in site.run("list").stdout.splitlines()}
    assert (shared["parser-1"], shared["garden-2"]) == ("yes", "expired")


def test_list_for_scripts_has_the_promised_keys(site: SiteFolder) -> None:
    site.write('[[rule]]\nmatch = { project = "talks" }\n')
    records = json.loads(site.run("list", "--json").stdout)
    (parser,) = [record for record in records if record["shares"]]
    assert list(parser) == [
        "id", "source", "native_id", "title", "project", "started_at", "ended_at", "messages", "shares"
    ]  # fmt: skip
    assert parser["id"] == row_id("parser-1")
    assert (parser["source"], parser["native_id"], parser["messages"]) == ("claude_code", "parser-1", 2)
    assert (parser["started_at"], parser["ended_at"]) == ("2026-01-02T03:04:05Z", "2026-01-02T03:05:05Z")


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--project", "garden"], ["garden-2"]),
        (["--project", "~/code/talks"], ["parser-1"]),
        (["--grep", "PARSER"], ["parser-1"]),
        (["--grep", "about", "--project", "Garden"], ["garden-2"]),
        (["--grep", "zzz"], []),
    ],
    ids=["name", "path", "title", "both", "nothing"],
)
def test_list_narrows(site: SiteFolder, options: list[str], found: list[str]) -> None:
    records = json.loads(site.run("list", "--json", *options).stdout)
    assert [record["native_id"] for record in records] == found


def test_titles_never_steer_the_terminal(site: SiteFolder) -> None:
    site.hold([talk("x", title="\x1b]0;owned\x07red\u202eder\r\nnext\u2066\u200b", project="/home/ann/a\x1b[2Jb")])
    told = site.run("list")
    assert not any(char in told.stdout for char in "\x1b\x07\r\u202e\u2066\u200b")
    assert "\x1b" not in site.run("list", "--json").stdout


def test_listing_works_when_the_site_can_t_be_built(site: SiteFolder) -> None:
    site.write('[[share]]\nconversation = "claude_code:parser-1"\nslug = "a"\ngate = "password"\n')
    assert site.run("list").exit_code == 0


def test_empty_answers_say_why(site: SiteFolder) -> None:
    assert "leave out --project or --grep" in site.run("list", "--grep", "zzz").stderr
    site.hold([], salt="b")
    told = site.run("list")
    assert (told.exit_code, told.stdout) == (0, "")
    assert "holds no conversations yet" in told.stderr
    assert json.loads(site.run("list", "--json").stdout) == []


@pytest.mark.parametrize("data", [None, b"not a database"], ids=["missing", "not-duckdb"])
def test_projection_that_can_t_be_read_is_a_sentence(site: SiteFolder, data: bytes | None) -> None:
    (site.folder / "archive.duckdb").unlink()
    if data is not None:
        (site.folder / "archive.duckdb").write_bytes(data)
    told = site.run("list")
    assert told.exit_code == 1
    assert told.stderr.startswith("sitegen: ")
