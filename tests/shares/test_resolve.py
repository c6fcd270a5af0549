"""Which conversations are published, under which slug, on which terms."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from sitegen.config.slugs import derived_slug
from sitegen.errors import ConfigError
from sitegen.model import Gate, SharedView, Show
from tests.shares.world import NOW, World, head, view

ALL = "[[rule]]\nmatch = {}\n"
A, B, C = head("aaaa-1"), head("bbbb-2"), head("cccc-3")


def share(conversation: str, *lines: str) -> str:
    return "\n".join(["[[share]]", f'conversation = "{conversation}"', *lines, ""])


# ---------------------------------------------------------------------------------------------- naming a conversation


@pytest.mark.parametrize(
    "name",
    ["claude_code:aaaa-1", "row-aaaa-1", "aaaa-1", "aaaa", "row-a", "claude_code:aa"],
    ids=["identity", "row-id", "native-id", "native-prefix", "row-prefix", "identity-prefix"],
)
def test_share_names_its_conversation(world: World, name: str) -> None:
    registry = world.resolve(share(name, 'slug = "x"'), [A, B])
    assert [found.head for found in registry.shares] == [A]
    assert registry.shares[0].origin == "sitegen.toml:3"


def test_whole_id_wins_over_the_beginning_of_another(world: World) -> None:
    longer = head("aaaa-12")
    assert world.resolve(share("aaaa-1"), [longer, A]).shares[0].head == A


def test_name_that_several_fit_is_refused_with_the_candidates(world: World) -> None:
    with pytest.raises(ConfigError, match=r"sitegen\.toml:3: “row-” fits 2 conversations \(claude_code:aaaa-1, "):
        world.resolve(share("row-"), [A, B])


def test_same_native_id_in_two_sources_needs_its_source(world: World) -> None:
    twin = head("aaaa-1", source_id="codex", row_id="other")
    with pytest.raises(ConfigError, match="fits 2 conversations"):
        world.resolve(share("aaaa-1"), [A, twin])
    assert world.resolve(share("codex:aaaa-1"), [A, twin]).shares[0].head == twin


@pytest.mark.parametrize("name", ["claude_code:gone", "aa"], ids=["gone", "too-short-to-be-meant"])
def test_share_whose_conversation_is_gone_is_left_out_and_told(world: World, name: str) -> None:
    registry = world.resolve(share(name, 'slug = "x"') + share("aaaa-1"), [A])
    assert len(registry.shares) == 1
    assert registry.problems == (
        f"sitegen.toml:3: the share “x”, left out: no conversation “{name}” is in the projection",
    )


def test_fuller_copy_of_a_conversation_counts(world: World) -> None:
    fuller = head("aaaa-1", row_id="other", message_count=11)
    assert world.resolve(ALL, [A, fuller]).shares[0].head == fuller


# ------------------------------------------------------------------------------------------------------------- terms


def test_terms_of_a_share_are_its_own(world: World) -> None:
    text = '[privacy]\nshow = "conversation"\n' + share(
        "aaaa-1", 'slug = "x"', 'title = "T"', "listed = true", 'show = "calls"', 'messages = "2-3"', "epoch = 4"
    )
    (found,) = world.resolve(text, [A]).shares
    assert (found.slug, found.title, found.listed, found.show) == ("x", "T", True, Show.CALLS)
    assert (found.messages, found.epoch, found.gate, found.is_gated) == (((2, 3),), 4, Gate.NONE, False)


def test_unsaid_terms_are_the_careful_ones(world: World) -> None:
    (found,) = world.resolve('[privacy]\nshow = "conversation"\n' + share("aaaa-1"), [A]).shares
    assert (found.listed, found.show, found.expires) == (False, Show.CONVERSATION, None)


@pytest.mark.parametrize(("seconds", "is_expired"), [(-1, True), (0, True), (1, False)], ids=["past", "now", "future"])
def test_share_expires_at_its_moment(world: World, seconds: int, is_expired: bool) -> None:
    moment = (NOW + timedelta(seconds=seconds)).isoformat()
    registry = world.resolve(share("aaaa-1", f"expires = {moment}"), [A])
    assert registry.shares[0].is_expired is is_expired
    assert registry.next_expiry == (None if is_expired else NOW + timedelta(seconds=1))


# ------------------------------------------------------------------------------------------------------------- rules


def test_empty_match_takes_every_conversation(world: World) -> None:
    subagent = head("sub", parent_key=A.key)
    registry = world.resolve(ALL, [C, subagent, A])
    assert [found.head.native_id for found in registry.shares] == ["aaaa-1", "cccc-3", "sub"]
    assert {found.origin for found in registry.shares} == {"a rule (sitegen.toml:3)"}


OTHER = {"project": r"C:\Users\bo\code\other", "source_id": "codex", "started_at": datetime(2026, 2, 1, tzinfo=UTC)}


@pytest.mark.parametrize(
    "match",
    [
        'project = "other"', 'project = "Other"', 'project = "~/code/other"', 'source = "codex"', 'title = "BBBB"',
        "since = 2026-02-01", "since = 2026-01-31T23:59:59Z", 'source = "codex", title = "about"',
    ],
)  # fmt: skip
def test_rule_takes_what_all_its_conditions_fit(world: World, match: str) -> None:
    other = head("bbbb-2", **OTHER)
    registry = world.resolve(f"[[rule]]\nmatch = {{ {match} }}", [A, other, head("none", title=None, started_at=None,
                             ended_at=None)])  # fmt: skip
    assert [found.head for found in registry.shares] == [other]


def test_rule_takes_a_whole_last_day(world: World) -> None:
    late = head("late", started_at=datetime(2026, 1, 31, 23, 59, tzinfo=UTC))
    after = head("next", started_at=datetime(2026, 2, 1, tzinfo=UTC))
    registry = world.resolve("[[rule]]\nmatch = { until = 2026-01-31 }", [late, after])
    assert [found.head for found in registry.shares] == [late]


def test_first_rule_that_matches_decides(world: World) -> None:
    text = '[[rule]]\nmatch = { title = "aaaa" }\nlisted = true\n[[rule]]\nmatch = {}\n'
    listed = {found.head.native_id: found.listed for found in world.resolve(text, [A, B]).shares}
    assert listed == {"aaaa-1": True, "bbbb-2": False}


def test_rule_that_matches_nothing_is_a_note(world: World) -> None:
    registry = world.resolve('[[rule]]\nmatch = { project = "tlaks" }', [A])
    assert registry.notes == ("a rule (sitegen.toml:3) matches no conversation",)
    assert registry.problems == ()


def test_share_wins_over_a_rule(world: World) -> None:
    registry = world.resolve(ALL + share("aaaa-1", 'slug = "x"'), [A, B])
    assert [found.slug for found in registry.shares] == ["x", derived_slug(B.key)]


def test_slug_of_a_rule_survives_a_new_title_and_row_id(world: World) -> None:
    renewed = head("aaaa-1", row_id="new", title="Another title")
    assert world.resolve(ALL, [A]).shares[0].slug == world.resolve(ALL, [renewed]).shares[0].slug
    assert len(derived_slug(A.key)) == 26
    assert derived_slug(A.key).islower()


@pytest.mark.parametrize(
    "registry",
    [f'revoked = ["{derived_slug(A.key)}"]', f'revoked = ["{derived_slug(A.key).upper()}"]', f'excluded = ["{A.key}"]'],
    ids=["revoked", "revoked-other-case", "excluded"],
)
def test_rule_never_publishes_again_what_was_taken_back(world: World, registry: str) -> None:
    found = world.resolve(f"{ALL}[registry]\n{registry}", [A, B])
    assert [share.head for share in found.shares] == [B]


def test_share_publishes_what_rules_must_not(world: World) -> None:
    text = ALL + share("aaaa-1", "slug = 'new'") + f'[registry]\nexcluded = ["{A.key}"]'
    assert [found.slug for found in world.resolve(text, [A]).shares] == ["new"]


# ------------------------------------------------------------------------------------------------------------- slugs


@pytest.mark.parametrize(
    ("one", "other"),
    [("parser", "parser"), ("parser", "Parser"), ("straße", "STRASSE"), ("caf\u00e9", "cafe\u0301")],
    ids=["same", "case", "folding", "composition"],
)
def test_two_shares_of_one_slug_are_refused_naming_both(world: World, one: str, other: str) -> None:
    text = share("aaaa-1", f'slug = "{one}"') + share("bbbb-2", f'slug = "{other}"')
    with pytest.raises(ConfigError, match=r"sitegen\.toml:6: .* is taken by sitegen\.toml:3 already"):
        world.resolve(text, [A, B])


def test_slug_of_a_share_that_is_left_out_is_taken_too(world: World) -> None:
    with pytest.raises(ConfigError, match=r"taken by sitegen\.toml:3 already"):
        world.resolve(share("gone", 'slug = "x"') + share("aaaa-1", 'slug = "x"'), [A])


def test_conversation_shared_twice_without_slugs_is_refused(world: World) -> None:
    with pytest.raises(ConfigError, match="is taken by"):
        world.resolve(share("aaaa-1") + share("aaaa-1"), [A])
    text = share("aaaa-1", 'slug = "one"') + share("aaaa-1", 'slug = "two"', 'messages = "1-2"')
    assert len(world.resolve(text, [A]).shares) == 2


def test_revoked_slug_is_refused(world: World) -> None:
    text = share("aaaa-1", 'slug = "X"') + '[registry]\nrevoked = ["x"]'
    with pytest.raises(ConfigError, match=r"sitegen\.toml:3: the slug “X” was revoked.*--reuse-slug"):
        world.resolve(text, [A])


def test_order_of_conversations_changes_nothing(world: World) -> None:
    heads = [head(f"conv-{n}", project=f"/home/{'ab'[n % 2]}/{n % 3}/talks") for n in range(20)]
    text = ALL + share("conv-7", 'slug = "x"')
    expected = world.resolve(text, heads, [view("v", "conv-3"), view("u", "conv-4")])
    for seed in range(5):
        random.Random(seed).shuffle(heads)
        assert world.resolve(text, heads, [view("u", "conv-4"), view("v", "conv-3")]) == expected


# ------------------------------------------------------------------------------------------------------ shared views


@pytest.mark.parametrize("name", ["row-aaaa-1", "aaaa-1"], ids=["row-id", "native-id"])
def test_shared_view_adds_a_share(world: World, name: str) -> None:
    expires = datetime(2026, 6, 2)  # noqa: DTZ001 - a table may say no zone; times are UTC there
    (found,) = world.resolve("", [A], [view("v", name, expires_at=expires, view_limit=3)]).shares
    assert (found.slug, found.origin, found.head) == ("v", "shared_views", A)
    assert (found.listed, found.is_expired, found.view_limit) == (False, False, 3)
    assert found.expires == datetime(2026, 6, 2, tzinfo=UTC)


def test_shared_view_wins_over_a_rule(world: World) -> None:
    assert [found.slug for found in world.resolve(ALL, [A], [view("v", "aaaa-1")]).shares] == ["v"]


def test_shared_view_of_a_conversation_that_is_gone_is_told(world: World) -> None:
    registry = world.resolve("", [A], [view("v", "aaaa")])
    assert registry.shares == ()
    assert registry.problems == ("shared_views: the share “v” left out: no conversation “aaaa” is in the projection",)


def test_revoked_shared_view_stays_away_and_no_rule_brings_it_back(world: World) -> None:
    text = ALL + '[registry]\nrevoked = ["v"]'
    registry = world.resolve(text, [A], [view("V", "aaaa-1", gate_secret="literal")])
    assert (registry.shares, registry.problems) == ((), ())


def test_slug_of_a_share_and_a_view_is_refused_naming_both(world: World) -> None:
    with pytest.raises(ConfigError, match=r"sitegen\.toml:3: the slug “x” is taken by shared_views already"):
        world.resolve(share("aaaa-1", 'slug = "x"'), [A, B], [view("X", "bbbb-2")])


def test_two_views_of_one_slug_are_refused(world: World) -> None:
    with pytest.raises(ConfigError, match="shared_views: the slug “x” is taken by another row"):
        world.resolve("", [A, B], [view("x", "aaaa-1"), view("X", "bbbb-2")])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"slug": "../up"}, "the slug '../up' holds “/”", id="slug"),
        pytest.param({"slug": ""}, "the slug '' is empty", id="no-slug"),
        pytest.param({"gate_type": "pasword"}, "gate_type of “v” is 'pasword', but should be NULL or none", id="gate"),
        pytest.param({"view_limit": 0}, "view_limit of “v” is 0", id="limit"),
        pytest.param({"gate_secret": "correct horse"}, "is a secret itself; it must say where", id="literal"),
    ],
)
def test_row_that_can_t_be_honoured_is_refused(world: World, fields: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        world.resolve("", [A], [view(**{"slug": "v", "conversation_id": "aaaa-1", **fields})])  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert "horse" not in str(caught.value)


# ------------------------------------------------------------------------------------------------------------- gates

PROTECTED_PROJECT = '[[project]]\nmatch = "~/code/talks"\ngate = "password"\n'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("secret = 'env:X'", "“secret” is given, but no gate"),
        ("recipients = ['bo@example.org']", "“recipients” is given, but no gate"),
    ],
    ids=["secret", "recipients"],
)
@pytest.mark.parametrize("project", ["", "[[project]]\nmatch = 'x'\n"], ids=["no-projects", "projects"])
def test_protection_that_would_be_ignored_is_refused(world: World, line: str, message: str, project: str) -> None:
    with pytest.raises(ConfigError, match=message):
        world.resolve(project + share("aaaa-1", line), [A])


def test_gate_none_in_words_is_fine(world: World) -> None:
    registry = world.resolve(share("aaaa-1", 'gate = "none"'), [A], [view("v", "aaaa-1", gate_type="none")])
    assert len(registry.shares) == 2


# -------------------------------------------------------------------------------------------------------- subagents

CHILD = head("child-1", parent_key=A.key)
DEEP = head("deep-1", parent_key=CHILD.key)
PARENT = share("aaaa-1", 'slug = "x"')


@pytest.mark.parametrize(
    ("text", "views", "withheld"),
    [
        pytest.param(PARENT, [], (), id="not shared by themselves"),
        pytest.param(
            '[registry]\nexcluded = ["claude_code:deep-1"]\n' + PARENT, [], ("claude_code:deep-1",), id="excluded"
        ),
        pytest.param(
            PARENT + share("child-1", 'slug = "y"', "expires = 2026-05-01"), [], ("claude_code:child-1",), id="expired"
        ),
        pytest.param(PARENT + share("child-1", 'slug = "y"', "expires = 2026-07-01"), [], (), id="still shared"),
        pytest.param(
            '[registry]\nexcluded = ["claude_code:child-1"]\n' + PARENT + share("child-1", 'slug = "y"'),
            [],
            (),
            id="excluded from rules and shared",
        ),
        pytest.param(
            '[registry]\nrevoked = ["v"]\n' + PARENT,
            [view("v", "child-1")],
            ("claude_code:child-1",),
            id="revoked view",
        ),
    ],
)
def test_subagents_that_were_taken_back_are_withheld_from_those_above(
    world: World, text: str, views: list[SharedView], withheld: tuple[str, ...]
) -> None:
    found = {each.slug: each for each in world.resolve(text, [A, B, CHILD, DEEP], views).shares}
    assert found["x"].withheld == withheld
    assert (found["x"].shown == replace(found["x"], withheld=()).shown) == (not withheld)
