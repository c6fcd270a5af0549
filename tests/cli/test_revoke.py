"""`sitegen shares` and `sitegen revoke`: what is shared, and that what is taken back stays away."""

from __future__ import annotations

import json

import pytest

from sitegen.config.slugs import derived_slug
from sitegen.model import SharedView
from tests.cli.site import CONFIG, SiteFolder, talk

SHARED = '\n[[share]]\nconversation = "claude_code:parser-1"\nslug = "parser" # for Bo\n'
RULE = "[[rule]]\nmatch = {}\n"


def slugs(site: SiteFolder) -> set[str]:
    return {record["slug"] for record in json.loads(site.run("shares", "--json").stdout)}


def test_shares_show_terms_and_where_they_were_said(site: SiteFolder) -> None:
    site.write(SHARED + 'expires = 2020-01-01\ngate = "password"\nsecret = "env:TALKS"\n')
    told = site.run("shares").stdout
    assert told.splitlines()[1].split(maxsplit=7) == [
        "parser", "password", "missing", "(env:TALKS)", "2020-01-01", "(expired)", "no",
        "sitegen.toml:7  About parser-1",
    ]  # fmt: skip


def test_shares_for_scripts(site: SiteFolder) -> None:
    site.write(SHARED + "listed = true\nexpires = 2099-01-31\nmessages = '1-'\n")
    (record,) = json.loads(site.run("shares", "--json").stdout)
    assert record == {
        "slug": "parser", "conversation": "claude_code:parser-1", "title": "About parser-1", "project": "talks",
        "gate": "none", "secret": None, "secret_place": None, "inherited": False, "agreement": None,
        "recipients": 0, "expires": "2099-01-31T00:00:00Z",
        "expired": False, "view_limit": None, "listed": True, "show": "all", "messages": [[1, None]],
        "origin": "sitegen.toml:7", "url": "https://ann.example.org/talks/s/parser/",
    }  # fmt: skip


def test_share_whose_conversation_is_gone_is_told(site: SiteFolder) -> None:
    site.write('[[share]]\nconversation = "claude_code:gone"\nslug = "x"\n' + "[[rule]]\nmatch = { title = 'zzz' }\n")
    told = site.run("shares")
    assert "the share “x”, left out: no conversation “claude_code:gone”" in told.stderr
    assert "matches no conversation" in told.stderr
    assert "nothing is shared" in told.stderr


def test_revoked_share_leaves_the_configuration(site: SiteFolder) -> None:
    site.write(SHARED)
    told = site.run("revoke", "PARSER", "--yes")
    assert told.exit_code == 0
    assert "Took back “parser”" in told.stdout
    assert site.path.read_text().startswith(CONFIG)
    assert "for Bo" not in site.path.read_text()
    assert site.values["registry"] == {"revoked": ["parser"], "excluded": ["claude_code:parser-1"]}
    assert slugs(site) == set()


def test_no_rule_brings_a_revoked_conversation_back(site: SiteFolder) -> None:
    site.write(SHARED + RULE)
    site.run("revoke", "parser", "--yes")
    assert slugs(site) == {derived_slug("claude_code:garden-2")}


def test_share_of_a_rule_is_revoked_alone(site: SiteFolder) -> None:
    site.write(RULE)
    site.run("revoke", derived_slug("claude_code:parser-1"), "--yes")
    assert slugs(site) == {derived_slug("claude_code:garden-2")}
    assert site.values["rule"] == [{"match": {}}]


def test_shared_view_is_revoked_in_the_configuration(site: SiteFolder) -> None:
    site.hold([talk("parser-1")], views=[SharedView("view", "parser-1", None, None, None, None)])
    site.write(RULE)
    assert slugs(site) == {"view"}
    site.run("revoke", "view", "--yes")
    assert slugs(site) == set()


def test_share_without_a_written_slug_is_revoked_whole(site: SiteFolder) -> None:
    site.write('[[share]]\nconversation = "parser"\n')
    assert site.run("revoke", derived_slug("claude_code:parser-1"), "--yes").exit_code == 0
    assert "share" not in site.values
    assert slugs(site) == set()


@pytest.mark.parametrize("data", [None, b"not a database"], ids=["missing", "broken"])
def test_share_is_revoked_when_the_projection_can_t_be_read(site: SiteFolder, data: bytes | None) -> None:
    site.write(SHARED)
    (site.folder / "archive.duckdb").unlink()
    if data is not None:
        (site.folder / "archive.duckdb").write_bytes(data)
    told = site.run("revoke", "parser", "--yes")
    assert told.exit_code == 0
    assert "taken back all the same" in told.stderr
    assert site.values["registry"]["excluded"] == ["claude_code:parser-1"]


def test_revoking_twice_is_fine(site: SiteFolder) -> None:
    site.write(SHARED)
    site.run("revoke", "parser", "--yes")
    before = site.path.read_bytes()
    told = site.run("revoke", "Parser", "--yes")
    assert (told.exit_code, told.stdout) == (0, "“Parser” is revoked already.\n")
    assert site.path.read_bytes() == before


def test_unknown_slug_is_told_with_the_nearest(site: SiteFolder) -> None:
    site.write(SHARED)
    told = site.run("revoke", "parsr", "--yes")
    assert told.exit_code == 2
    assert "nothing is shared as “parsr”; did you mean “parser”?" in told.stderr


@pytest.mark.parametrize(
    ("answer", "code", "left"),
    [("y\n", 0, set()), ("n\n", 1, {"parser"}), ("", 1, {"parser"})],
    ids=["yes", "no", "none"],
)
def test_revoking_asks_first(site: SiteFolder, answer: str, code: int, left: set[str]) -> None:
    site.write(SHARED)
    told = site.run("revoke", "parser", answer=answer)
    assert told.exit_code == code
    assert "Take back “parser”?" in told.stderr
    assert slugs(site) == left


def test_share_that_can_t_be_built_can_be_revoked(site: SiteFolder) -> None:
    site.write(SHARED + 'gate = "password"\n')
    assert site.run("revoke", "parser", "--yes").exit_code == 0
