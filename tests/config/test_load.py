"""sitegen.toml: what it means, and how each thing that can't be honoured is told."""

from __future__ import annotations

import contextlib
import zoneinfo
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sitegen.build.clean import policy_of
from sitegen.config import Config, Privacy, fingerprint, load
from sitegen.config.types import Pages, Search, Site
from sitegen.errors import ConfigError
from sitegen.model import Gate, Show

SOURCE = '[source]\nprojection = "archive.duckdb"\n'


def read(folder: Path, text: str, *, source: str = SOURCE) -> Config:
    """The configuration of this text, after the shortest [source] there is."""
    path = folder / "sitegen.toml"
    path.write_bytes((source + dedent(text)).encode())
    return load(path)


def refusal(folder: Path, text: str, *, source: str = SOURCE) -> str:
    with pytest.raises(ConfigError) as caught:
        read(folder, text, source=source)
    return str(caught.value)


FULL = """\
[site]
title = "Notes"
base_url = "https://ann.github.io/talks"
language = "pt-BR"
timezone = "Europe/Berlin"

[output]
directory = "site"

[privacy]
secrets = "allow"
paths = "keep"
emails = "keep"
show = "calls"

[[share]]
conversation = "claude_code:7f3c"
slug = "fixing-the-parser"
title = "Fixing the parser"
gate = "password"
secret = "env:TALKS_PARSER"
recipients = ["bo@example.org"]
agreement = "terms/review.md"
expires = 2027-01-31T00:00:00Z
view_limit = 5
listed = true
show = "all"
messages = "1-40, 50-"
epoch = 2

[[project]]
match = "~/code/talks"
slug = "talks"
title = "Talks"
description = "What we said"
gate = "password"

[[rule]]
match = { project = "talks", source = "claude_code", since = 2026-01-01, until = 2026-01-31, title = "parser" }
gate = "none"
listed = true

[registry]
revoked = ["old"]
excluded = ["claude_code:1"]

[pages]
labels = true
"""


def test_every_key_is_understood(tmp_path: Path) -> None:
    config = read(tmp_path, FULL)
    assert (config.site.title, config.site.language, config.site.base_path) == ("Notes", "pt-BR", "/talks/")
    assert config.source.projections == (tmp_path / "archive.duckdb",)
    assert config.output.directory == tmp_path / "site"
    assert config.privacy == Privacy(secrets="allow", paths="keep", emails="keep", show=Show.CALLS)
    assert config.registry.revoked == ("old",)
    assert config.pages.labels


def test_share_is_read_whole(tmp_path: Path) -> None:
    (share,) = read(tmp_path, FULL).shares
    assert (share.line, share.conversation, share.slug) == (18, "claude_code:7f3c", "fixing-the-parser")
    assert (share.gate, share.secret, share.recipients) == (Gate.PASSWORD, "env:TALKS_PARSER", ("bo@example.org",))
    assert share.expires == datetime(2027, 1, 31, tzinfo=UTC)
    assert (share.view_limit, share.listed, share.show, share.epoch) == (5, True, Show.ALL, 2)
    assert share.messages == ((1, 40), (50, None))


def test_dates_of_a_rule_are_whole_days_of_the_site_s_time_zone(tmp_path: Path) -> None:
    match = read(tmp_path, FULL).rules[0].match
    assert match.since == datetime(2025, 12, 31, 23, tzinfo=UTC)
    assert match.until == datetime(2026, 1, 31, 23, tzinfo=UTC)


def test_smallest_configuration_has_defaults(tmp_path: Path) -> None:
    config = read(tmp_path, "")
    assert (config.site.base_url, config.site.base_path, config.site.timezone) == (None, "/", "UTC")
    assert config.output.directory == tmp_path / "public"
    assert config.privacy.show is Show.ALL
    assert (config.shares, config.rules) == ((), ())


def test_several_projections_and_whole_paths(tmp_path: Path) -> None:
    source = f'[source]\nprojection = ["a.duckdb", "{(tmp_path / "b.duckdb").as_posix()}", "a.duckdb"]\n'
    config = read(tmp_path, "", source=source)
    assert config.source.projections == (tmp_path / "a.duckdb", tmp_path / "b.duckdb")


def test_share_without_a_gate_says_so(tmp_path: Path) -> None:
    (share,) = read(tmp_path, '[[share]]\nconversation = "a:1"').shares
    assert (share.gate, share.listed, share.show) == (None, None, None)


def test_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "sitegen.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (SOURCE + '[[share]]\nconversation = "a:1"\n').replace("\n", "\r\n").encode())
    assert load(path).shares[0].line == 3


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        pytest.param("2027-01-31", datetime(2027, 1, 30, 23, tzinfo=UTC), id="a-day-begins-there"),
        pytest.param("2027-07-01T12:00:00", datetime(2027, 7, 1, 10, tzinfo=UTC), id="no-offset-summer"),
        pytest.param("2027-01-31 12:00:00-05:00", datetime(2027, 1, 31, 17, tzinfo=UTC), id="offset"),
        pytest.param("9999-12-31T23:59:59Z", datetime(9999, 12, 29, tzinfo=UTC), id="every-zone-has-it"),
    ],
)
def test_moments_count_in_the_site_s_time_zone(tmp_path: Path, value: str, moment: datetime) -> None:
    text = f'[site]\ntimezone = "Europe/Berlin"\n[[share]]\nconversation = "a:1"\nexpires = {value}'
    assert read(tmp_path, text).shares[0].expires == moment


# ------------------------------------------------------------------------------------------------------ refusals

A_SHARE = "[[share]]\nconversation = 'a:1'\n"
REFUSED = [
    pytest.param('[site]\ntitel = "x"', 'sitegen.toml:4: [site] has no key “titel”; did you mean “title”?', id="typo"),
    pytest.param("[sit]", "sitegen.toml:3: sitegen.toml has no key “sit”; did you mean “site”?", id="section-typo"),
    pytest.param("[[shares]]", "has no key “shares”; did you mean “share”?", id="array-typo"),
    pytest.param("[site]\nzzz = 1", "[site] has no key “zzz”; it may hold: title, base_url, language", id="unknown"),
    pytest.param(A_SHARE + "\nlist = 1", ":6: [[share]] has no key “list”;", id="share-key"),
    pytest.param('[[rule]]\nmatch = { projekt = "x" }', ":4: [rule.match] has no key “projekt”", id="inline"),
    pytest.param("share = [\n  { conversation = 'a:1' },\n  { conversation = 'b', slugg = 'x' },\n]",
                 ":3: [[share]] has no key “slugg”", id="array-of-inline-tables"),
    pytest.param("[site]\ntitle = 5", ":4: site.title is the number 5, but should be text in quotes", id="number"),
    pytest.param("[site]\ntitle = ''", ":4: site.title is empty", id="empty"),
    pytest.param('[site]\ntitle = "a\\u0000b"', "holds the control character U+0000", id="nul"),
    pytest.param("[site]\ntitle = 'a'\ntitle = 'b'", "this isn't valid TOML", id="key-twice"),
    pytest.param("[site]\ntitle = ", ":4: this isn't valid TOML: Invalid value, in “title =”", id="syntax"),
    pytest.param("site = 3", "site is the number 3, but should be a table, [site]", id="not-a-table"),
    pytest.param("[[site]]\n", ":3: site stands in the file as [[site]], but should be [site]", id="array-of-one"),
    pytest.param("[share]\nconversation = 'a'", ":3: share stands in the file as [share], but should be [[share]]",
                 id="table-for-array"),
    pytest.param("[[share]]\nslug = 'x'", ":3: [[share]] lacks “conversation”; write conversation =", id="missing"),
    pytest.param(A_SHARE + "listed = 'yes'", 'share.listed is "yes", but should be true or false',
                 id="flag"),
    pytest.param(A_SHARE + "listed = 1", "is the number 1, but should be true or false", id="flag-1"),
    pytest.param(A_SHARE + "view_limit = 0", "view_limit is the number 0, but should be a whole "
                 "number from 1 on", id="zero-views"),
    pytest.param(A_SHARE + "view_limit = true", "view_limit is true, but", id="bool-for-number"),
    pytest.param(A_SHARE + "epoch = -1", "epoch is the number -1", id="negative"),
    pytest.param(A_SHARE + "gate = 'pasword'", '“agreement”; did you mean “password”?', id="gate"),
    pytest.param(A_SHARE + "show = 'some'", 'show is "some", but should be “all”, “calls” or '
                 "“conversation”", id="show"),
    pytest.param(A_SHARE + "expires = '2027-01-31'", 'expires is "2027-01-31", but should be a date '
                 "or a time without quotes", id="quoted-date"),
    pytest.param(A_SHARE + "expires = 0001-01-01T00:00:00+10:00", "expires is the time", id="no-year"),
    pytest.param(A_SHARE + "expires = 10:00:00", "expires is the time 10:00:00, but", id="time-of-day"),
    pytest.param(A_SHARE + "messages = '40-1'", "(1 comes before 40)", id="backwards"),
    pytest.param(A_SHARE + "messages = '0-3'", "(messages count from 1)", id="from-zero"),
    pytest.param(A_SHARE + "messages = 'all'", "(“all” isn't one)", id="not-a-range"),
    pytest.param(A_SHARE + "recipients = 'bo@example.org'", "should be a list of texts", id="one-text"),
    pytest.param(A_SHARE + "recipients = [\n'bo@example.org',\n7]", ":7: share.recipients holds the "
                 "number 7", id="number-in-list"),
    pytest.param(A_SHARE + "recipients = ['bo']", "holds “bo”, which isn't an e-mail", id="address"),
    pytest.param("[[rule]]\nlisted = true", ":3: [[rule]] lacks “match”; write match = {}", id="rule-of-all"),
    pytest.param("[[rule]]\nmatch = { since = 2026-02-01, until = 2026-01-01 }", "comes before since", id="never"),
    pytest.param("[[project]]\ntitle = 'x'", "[[project]] lacks “match”", id="project-of-what"),
    pytest.param("[registry]\nrevoked = 'x'", "registry.revoked is \"x\", but should be a list", id="registry"),
    pytest.param("[pages]\nlabels = 'yes'", "pages.labels is", id="labels"),
    pytest.param("[site]\nlanguage = 'Klingon, please'", "should be a language tag", id="language"),
    pytest.param("[site]\ntimezone = 'Europe/Berln'", "; did you mean “Europe/Berlin”?", id="time-zone"),
    pytest.param("[site]\ntimezone = '../etc/passwd'", "should be a name of the IANA", id="time-zone-path"),
    pytest.param("[site]\ntimezone = 'Europe'", "should be a name of the IANA", id="time-zone-folder"),
    pytest.param("[site]\nbase_url = { a = 1 }", "site.base_url is a table, but should be text", id="table-for-text"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_fault_is_told_with_line_value_and_expectation(tmp_path: Path, text: str, message: str) -> None:
    source = SOURCE if not text.startswith(("site =", "share =")) else ""
    assert message in refusal(tmp_path, text + ("\n" + SOURCE if not source else ""), source=source)


def test_computer_without_time_zone_data_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoneinfo, "available_timezones", set)
    monkeypatch.setattr(zoneinfo, "ZoneInfo", {}.__getitem__)
    told = refusal(tmp_path, "[site]\ntimezone = 'Europe/Paris'")
    assert "this computer has no time zone data; run “pip install tzdata” or use “UTC”" in told
    assert read(tmp_path, "[site]\ntimezone = 'UTC'").site.timezone == "UTC"


@pytest.mark.parametrize(
    "url",
    ["ann.github.io", "ftp://a.org/", "https://", "https://a.org/?q=1", "https://a.org/#x", "https://ann:pw@a.org/",
     "javascript:alert(1)", "https://a.org/../b/", "https://a.org//b/", "https://a b.org/", 'https://a.org/"x/',
     "https://a.org:99999/", "https://a.org/%zz/", "https://[::1/", "//a.org/", "https://a.org\\b/"],
    ids=repr,
)  # fmt: skip
def test_address_that_can_t_be_a_site_s_is_refused(tmp_path: Path, url: str) -> None:
    assert "site.base_url is " in refusal(tmp_path, f"[site]\nbase_url = '{url}'")


@pytest.mark.parametrize(
    "url", ["https://a.org", "http://localhost:8000/x", "https://[::1]/a/b/", "https://a.org/~ann/%20"]
)
def test_address_ends_with_a_slash(tmp_path: Path, url: str) -> None:
    assert read(tmp_path, f"[site]\nbase_url = '{url}'").site.base_url == url.rstrip("/") + "/"


@pytest.mark.parametrize("url", ["s3://bucket/a.duckdb", "https://a.org/x/a.duckdb?key=1"], ids=repr)
def test_projection_with_an_address_has_its_copy_in_the_private_folder(tmp_path: Path, url: str) -> None:
    source = read(tmp_path, "", source=f"[source]\nprojection = ['b.duckdb', '{url}']\n").source
    (remote,) = source.remote
    assert source.projections == (tmp_path / "b.duckdb", remote.copy)
    assert remote.address == url
    assert remote.copy.parent == tmp_path / ".sitegen" / "fetched"
    assert remote.copy.name.endswith("-a.duckdb")
    other = read(tmp_path, "", source=f"[source]\nprojection = '{url}2'\n").source.remote[0]
    assert other.copy != remote.copy


@pytest.mark.parametrize("key", ["[output]\ndirectory", "[theme]\nfolder"])
def test_address_in_place_of_a_folder_is_refused_in_a_sentence(tmp_path: Path, key: str) -> None:
    assert "reads files on this computer only" in refusal(tmp_path, f"{key} = 'https://a.org/a'")


@pytest.mark.parametrize("source", ["", "[source]", "[source]\nprojection = []"], ids=["none", "empty", "no-path"])
def test_projection_must_be_named(tmp_path: Path, source: str) -> None:
    assert "[source] lacks “projection”" in refusal(tmp_path, "", source=source)


def test_privacy_takes_out_what_nobody_asked_for_unless_told_otherwise(tmp_path: Path) -> None:
    privacy = read(tmp_path, "").privacy
    assert (privacy.secrets, privacy.paths, privacy.emails) == ("redact", "shorten", "mask")
    assert {privacy.hosts, privacy.ips, privacy.macs, privacy.serials, privacy.phones} == {"keep"}
    assert privacy.image_metadata == "drop"
    assert (privacy.show, privacy.thinking, privacy.attachments, privacy.branches, privacy.context) == (
        *(Show.ALL, True, True),
        *(False, False),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param('secrets = "hide"', "should be “redact”, “block” or “allow”", id="unknown word"),
        pytest.param('secrets = "blok"', 'privacy.secrets is "blok", but should be', id="what stands there"),
        pytest.param('secrets = "blok"', "did you mean “block”?", id="nearest to it"),
        pytest.param("secrets = true", "privacy.secrets is true, but should be", id="switch for a word"),
        pytest.param('allow = ["3f9c"]', 'holds "3f9c", which isn\'t a fingerprint', id="short fingerprint"),
        pytest.param('show = "convrsation"', "did you mean “conversation”?", id="nearest show"),
        pytest.param('paths = "short"', "should be “shorten” or “keep”; did you mean “shorten”?", id="nearest path"),
        pytest.param('phones = "redact"', "should be “mask” or “keep”", id="unknown mask"),
        pytest.param('image_metadata = "kept"', "should be “drop” or “keep”; did you mean “keep”?", id="nearest word"),
        pytest.param('emials = "mask"', "did you mean “emails”?", id="unknown key"),
        pytest.param("thinking = 1", "should be true or false", id="number for a switch"),
        pytest.param('hide = "Acme"', "should be a list of texts", id="text for a list"),
        pytest.param('hide_file = "words.txt"', "names words.txt, which isn't there", id="missing file"),
        pytest.param('hide_file = "private/words.txt"', "names private/words.txt, which isn't there", id="in a folder"),
    ],
)
def test_privacy_that_can_t_be_given_is_refused_not_ignored(tmp_path: Path, line: str, message: str) -> None:
    told = refusal(tmp_path, f"[privacy]\n{line}")
    assert message in told
    number = (SOURCE + f"[privacy]\n{line}").splitlines().index(line) + 1
    assert f"sitegen.toml:{number}" in told


def test_what_may_be_a_secret_isn_t_told(tmp_path: Path) -> None:
    for line in ('secrets = "Tr0ub4dor&3"', 'allow = ["correct horse"]'):
        told = refusal(tmp_path, f"[privacy]\n{line}")
        assert "Tr0ub" not in told
        assert "horse" not in told
    assert "sitegen.toml:" in told


def test_what_is_no_fingerprint_may_be_the_secret_and_is_not_shown(tmp_path: Path) -> None:
    told = refusal(tmp_path, "[privacy]\nallow = ['0123456789ab', 'correct horse']")
    assert "isn't a fingerprint" in told
    assert "horse" not in told


def test_words_to_hide_come_from_the_list_and_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("# customers\nAcme Corp\n\n  Initech  \n", "utf-8")
    privacy = read(tmp_path, "[privacy]\nhide = ['Blue']\nhide_file = 'words.txt'").privacy
    assert privacy.hide == ("Blue", "Acme Corp", "Initech")
    assert privacy.hide_file == tmp_path / "words.txt"


@pytest.mark.parametrize(
    "line",
    [
        *('secrets = "block"', 'allow = ["0123456789ab"]', 'paths = "keep"', 'emails = "keep"', 'hosts = "mask"'),
        *('ips = "mask"', 'macs = "mask"', 'serials = "mask"', 'phones = "mask"', 'hide = ["Acme"]'),
    ],
)
def test_what_is_taken_out_counts_by_what_it_does_to_each_conversation(tmp_path: Path, line: str) -> None:
    before, after = read(tmp_path, ""), read(tmp_path, f"[privacy]\n{line}")
    assert fingerprint(before, "site") == fingerprint(after, "site")
    assert policy_of(before.privacy) != policy_of(after.privacy)


@pytest.mark.parametrize("table", ["share", "project", "rule"])
def test_literal_secret_is_refused_without_being_shown(tmp_path: Path, table: str) -> None:
    beginning = {"share": "conversation = 'a:1'", "project": "match = 'x'", "rule": "match = {}"}[table]
    told = refusal(tmp_path, f"[[{table}]]\n{beginning}\nsecret = 'correct horse'")
    assert "isn't a reference" in told
    assert "horse" not in told


def test_syntax_error_beside_a_secret_doesn_t_show_it(tmp_path: Path) -> None:
    assert "horse" not in refusal(tmp_path, "[[share]]\nsecret = correct horse")


@pytest.mark.parametrize(
    "directory",
    [".", "..", "/", ".sitegen", ".sitegen/x", "data"],
    ids=["config", "above", "root", "private", "in-private", "projection"],
)
def test_output_that_would_publish_what_is_private_is_refused(tmp_path: Path, directory: str) -> None:
    source = '[source]\nprojection = "data/archive.duckdb"\n'
    assert "output.directory" in refusal(tmp_path, f'[output]\ndirectory = "{directory}"', source=source)


SLUG_FAULTS = [
    ("a/b", "holds “/”"), ("../x", "holds “/”"), (".hidden", "begins with “.”"), ("-x", "begins with “-”"),
    ("a b", "holds a blank"), ("a\u202eb", "holds the character U+202E"), ("x" * 101, "is too long"),
    ("日" * 90, "is too long"), ("con", "reserved"), ("LPT1.txt", "reserved"), ("index.html", "reserved"),
    ("x.", "ends with a dot"), ("a%2fb", "holds “%”"), ("a?b", "holds “?”"), ("a\\\\b", "holds “\\”"),
    ("🎉", "holds “🎉”"),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "message"), SLUG_FAULTS, ids=[repr(slug[:12]) for slug, _ in SLUG_FAULTS])
def test_slug_that_can_t_stand_in_an_address_is_refused(tmp_path: Path, slug: str, message: str) -> None:
    assert message in refusal(tmp_path, f'[[share]]\nconversation = "a:1"\nslug = "{slug}"')


@pytest.mark.parametrize("slug", ["a", "A-1_b.c", "日本語", "e\u0301te\u0301", "हिन्दी", "ع-1", "x" * 100], ids=repr)
def test_slug_of_any_script_is_taken_in_composed_form(tmp_path: Path, slug: str) -> None:
    (share,) = read(tmp_path, f'[[share]]\nconversation = "a:1"\nslug = "{slug}"').shares
    assert share.slug == slug.replace("e\u0301", "é")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(None, "there is no such file; “sitegen init” makes one", id="missing"),
        pytest.param(b"[site]\ntitle = '\xff'\n", "sitegen.toml:2: this isn't UTF-8 text", id="not-utf-8"),
        pytest.param(b"[site]\n" + b"x = 1\0", "this isn't valid TOML", id="nul"),
        pytest.param(b"x = " + b"[" * 5000, "this isn't", id="nested"),
        pytest.param(b"x = " + b"1" * 5000, "this isn't", id="number"),
        pytest.param(b" " * 10_000_001, "too large", id="huge"),
    ],
)
def test_file_that_isn_t_a_configuration_is_told(tmp_path: Path, data: bytes | None, message: str) -> None:
    path = tmp_path / "sitegen.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert message in str(caught.value)


def test_folder_in_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "sitegen.toml").mkdir()
    with pytest.raises(ConfigError, match="this is a folder"):
        load(tmp_path / "sitegen.toml")


@given(st.text(max_size=60) | st.lists(st.sampled_from(FULL.splitlines())).map("\n".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_any_text_is_read_or_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sitegen.toml"
    path.write_text(text, "utf-8", errors="replace")
    with contextlib.suppress(ConfigError):
        assert load(path).path == path


# -------------------------------------------------------------------------------------------------- what it rebuilds


@pytest.mark.parametrize(
    ("section", "name"),
    [
        (section, name)
        for section, kind in (("site", Site), ("pages", Pages), ("search", Search))
        for name in kind.__struct_fields__
    ],
)
def test_each_field_that_shows_on_pages_rebuilds_some(tmp_path: Path, section: str, name: str) -> None:
    config = read(tmp_path, "")
    changed = replace(config, **{section: replace(getattr(config, section), **{name: "another"})})
    assert fingerprint(changed, "site") != fingerprint(config, "site")


@pytest.mark.parametrize(
    ("line", "is_seen"),
    [
        pytest.param("[site]\ntitle = 'Other'", True, id="title"),
        pytest.param("[site]\ntimezone = 'Asia/Tokyo'", True, id="time-zone"),
        pytest.param("[pages]\nlabels = true", True, id="labels"),
        pytest.param("[output]\ndirectory = 'elsewhere'", False, id="output"),
        pytest.param("[[share]]\nconversation = 'a:1'", False, id="share"),
        pytest.param("[registry]\nrevoked = ['x']", False, id="registry"),
    ],
)
def test_pages_are_rebuilt_by_what_they_show_only(tmp_path: Path, line: str, is_seen: bool) -> None:
    before, after = read(tmp_path, ""), read(tmp_path, line)
    assert (fingerprint(before, "page") != fingerprint(after, "page")) is is_seen


@pytest.mark.parametrize(
    ("line", "is_seen"),
    [
        pytest.param("[site]\ntitle = 'Other'", False, id="title"),
        pytest.param("[site]\nbase_url = 'https://ann.example.org/'", False, id="base-url"),
        pytest.param("[site]\nlanguage = 'de'", True, id="language"),
        pytest.param("[site]\ntimezone = 'Asia/Tokyo'", True, id="time-zone"),
        pytest.param("[pages]\nlabels = true", True, id="labels"),
    ],
)
def test_conversations_are_rendered_anew_by_what_they_show_only(tmp_path: Path, line: str, is_seen: bool) -> None:
    before, after = read(tmp_path, ""), read(tmp_path, line)
    assert (fingerprint(before, "text") != fingerprint(after, "text")) is is_seen
    assert fingerprint(before, "page") != fingerprint(after, "page")


def test_fingerprint_is_the_same_wherever_the_site_is_built(tmp_path: Path) -> None:
    config = read(tmp_path, FULL)
    moved = replace(config, path=Path("/elsewhere/sitegen.toml"), folder=Path("/elsewhere"))
    assert fingerprint(config, "page") == fingerprint(moved, "page")
    assert fingerprint(config, "site") == fingerprint(moved, "site") != ""


@pytest.mark.parametrize(("line", "days"), [("", 30), ("remember_days = 0", 0), ("remember_days = 7", 7)], ids=repr)
def test_owner_says_how_long_unlocks_are_remembered(tmp_path: Path, line: str, days: int) -> None:
    path = tmp_path / "sitegen.toml"
    path.write_text(f'[site]\n{line}\n[source]\nprojection = "x.duckdb"\n')
    assert load(path).site.remember_days == days
