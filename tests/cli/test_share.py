"""`sitegen share`: what it writes, what it refuses, what it says."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from sitegen.config.slugs import derived_slug
from tests.cli.site import CONFIG, SiteFolder, talk
from tests.support.projections import row_id


@pytest.mark.parametrize(
    "name",
    ["claude_code:parser-1", row_id("parser-1"), row_id("parser-1")[:8], "parser-1", "parser"],
    ids=["identity", "row-id", "short-id", "native-id", "prefix"],
)
def test_share_is_written_by_identity(site: SiteFolder, name: str) -> None:
    told = site.run("share", name, "--slug", "parser")
    assert told.exit_code == 0
    assert site.path.read_text() == f'{CONFIG}\n[[share]]\nconversation = "claude_code:parser-1"\nslug = "parser"\n'
    assert "https://ann.example.org/talks/s/parser/" in told.stdout


def test_share_survives_new_row_ids(site: SiteFolder) -> None:
    site.run("share", row_id("parser-1"), "--slug", "parser")
    site.hold([talk("parser-1")], salt="b")
    assert "parser" in site.run("shares").stdout
    assert site.run("shares").stderr == ""


def test_all_terms_are_written(site: SiteFolder) -> None:
    site.run(
        "share", "parser-1", "--slug", "p", "--title", 'A "good" one', "--expires", "2099-01-31", "--view-limit", "3",
        "--listed", "--show", "calls", "--messages", "1-2",
    )  # fmt: skip
    assert site.values["share"] == [
        {
            "conversation": "claude_code:parser-1",
            "slug": "p",
            "title": 'A "good" one',
            "expires": datetime(2099, 1, 31, tzinfo=UTC),
            "view_limit": 3,
            "listed": True,
            "show": "calls",
            "messages": "1-2",
        }
    ]


def test_unlisted_share_gets_a_slug_nobody_can_guess(site: SiteFolder) -> None:
    for _ in range(2):
        site.run("share", "parser-1", "--unlisted")
    slugs = {share["slug"] for share in site.values["share"]}
    assert len(slugs) == 2
    assert all(re.fullmatch("[a-z2-7]{26}", slug) for slug in slugs)
    assert all(share["listed"] is False for share in site.values["share"])


@pytest.mark.parametrize(
    ("title", "beginning"),
    [("Fixing the parser!", "fixing-the-parser"), ("修复 解析器", "修复-解析器"), ("../…", "conversation")],
    ids=["words", "any-script", "no-words"],
)
def test_listed_share_gets_a_readable_slug(site: SiteFolder, title: str, beginning: str) -> None:
    site.hold([talk("parser-1", title=title)])
    assert site.run("share", "parser-1", "--listed").exit_code == 0
    assert re.fullmatch(re.escape(beginning) + "-[a-z2-7]{6}", site.config.shares[0].slug or "")


def test_readable_slug_holds_nothing_that_pages_take_out(site: SiteFolder) -> None:
    site.hold([talk("parser-1", title="Mail zelda@corp.io from /home/zelda/x")])
    site.run("share", "parser-1", "--listed")
    (entry,) = site.values["share"]
    assert "zelda" not in entry["slug"]
    assert entry["slug"].startswith("mail-email-from")


def test_second_listed_share_of_a_conversation_gets_a_slug_of_its_own(site: SiteFolder) -> None:
    site.run("share", "parser-1", "--listed")
    told = site.run("share", "parser-1", "--listed")
    slugs = {share["slug"] for share in site.values["share"]}
    assert len(slugs) == 2
    assert all(re.fullmatch("about-parser-1-[a-z2-7]{6}", slug) for slug in slugs)
    assert "this conversation is shared as about-parser-1-" in told.stderr


def test_listed_share_of_a_revoked_one_gets_another_readable_slug(site: SiteFolder) -> None:
    used = set()
    for _ in range(3):
        assert site.run("share", "parser-1", "--listed").exit_code == 0
        slug = site.values["share"][0]["slug"]
        assert re.fullmatch("about-parser-1-[a-z2-7]{6}", slug)
        assert site.run("revoke", slug, "--yes").exit_code == 0
        used.add(slug)
    assert len(used) == 3


@pytest.mark.parametrize(
    ("span", "length"), [("12h", timedelta(hours=12)), ("30d", timedelta(days=30)), ("2w", timedelta(weeks=2))]
)
def test_expiry_counts_from_now(site: SiteFolder, span: str, length: timedelta) -> None:
    site.run("share", "parser-1", "--expires", span)
    expires = site.config.shares[0].expires
    assert expires is not None
    assert abs(expires - datetime.now(UTC) - length) < timedelta(minutes=5)
    assert expires.microsecond == 0


def test_expiry_on_a_date_is_in_the_site_s_time_zone(site: SiteFolder) -> None:
    site.path.write_text(CONFIG.replace("[site]", '[site]\ntimezone = "Asia/Tokyo"'))
    site.run("share", "parser-1", "--expires", "2099-01-31")
    assert site.config.shares[0].expires == datetime(2099, 1, 30, 15, tzinfo=UTC)


REFUSED = [
    (["zzzz"], "no conversation is called “zzzz”; “sitegen list” shows them"),
    (["parser-1", "--slug", "a/b"], "the slug “a/b” holds “/”"),
    (["parser-1", "--slug", ""], "is empty"),
    (["parser-1", "--slug", "TAKEN"], "the slug “TAKEN” is taken already"),
    (["parser-1", "--slug", "old"], "the slug “old” was revoked, and people may still hold its address"),
    (["parser-1", "--expires", "soon"], "isn't a time; write 12h, 30d, 2w"),
    (["parser-1", "--expires", "2020-01-01"], "lies in the past"),
    (["parser-1", "--expires", "0d"], "lies in the past"),
    (["parser-1", "--expires", "99999w"], "more than a hundred years"),
    (["parser-1", "--expires", "0001-01-01T00:00:00+10:00"], "isn't a time"),
    (["parser-1", "--messages", "3-1"], "1 comes before 3"),
    (["parser-1", "--view-limit", "0"], "--view-limit"),
    (["parser-1", "--show", "some"], "--show"),
    (["parser-1", "--title", " "], "--title is empty"),
    (["parser-1", "--title", "a\x1bb"], "--title holds a control character"),
    (["parser-1", "--gate", "pasword"], "--gate"),
]


@pytest.mark.parametrize(("args", "message"), REFUSED, ids=[" ".join(args[-2:]) for args, _ in REFUSED])
def test_what_can_t_be_shared_so_is_refused_and_nothing_written(
    site: SiteFolder, args: list[str], message: str
) -> None:
    site.write('[[share]]\nconversation = "claude_code:garden-2"\nslug = "taken"\n[registry]\nrevoked = ["Old"]\n')
    before = site.path.read_bytes()
    told = site.run("share", *args)
    assert told.exit_code == 2
    assert message in told.stderr
    assert "horse" not in told.stderr
    assert site.path.read_bytes() == before


def test_name_that_several_fit_lists_them(site: SiteFolder) -> None:
    site.hold([talk("parser-1", title="One"), talk("parser-2", title="Two")])
    told = site.run("share", "parser")
    assert told.exit_code == 2
    assert "“parser” fits 2 conversations; say more of the id:" in told.stderr
    assert "claude_code:parser-1 2026-01-02 One" in told.stderr
    assert "claude_code:parser-2 2026-01-02 Two" in told.stderr


def test_revoked_slug_can_be_taken_up_in_words(site: SiteFolder) -> None:
    site.write('[registry]\nrevoked = ["old", "other"]\n')
    assert site.run("share", "parser-1", "--slug", "old", "--reuse-slug").exit_code == 0
    assert site.config.registry.revoked == ("other",)
    assert site.config.shares[0].slug == "old"


def test_share_in_place_of_a_rule_s_is_told(site: SiteFolder) -> None:
    site.write("[[rule]]\nmatch = {}\n")
    told = site.run("share", "parser-1", "--slug", "p")
    assert f"published this conversation as {derived_slug('claude_code:parser-1')}" in told.stderr
    assert "takes that one's place" in told.stderr


def test_site_without_an_address_shows_the_path(site: SiteFolder) -> None:
    site.path.write_text('[source]\nprojection = "archive.duckdb"\n')
    assert "s/p/ on your site" in site.run("share", "parser-1", "--slug", "p").stdout
