"""What protects a share: its own words, or its project's; what doesn't fit together is refused."""

from __future__ import annotations

import pytest

from sitegen.config.slugs import derived_slug
from sitegen.errors import ConfigError
from sitegen.model import Gate, Share
from tests.shares.test_resolve import share
from tests.shares.world import World, head, hide_slug, view

A, B = head("aaaa-1"), head("bbbb-2")
KEY = A.key


def project(*lines: str) -> str:
    return "\n".join(["[[project]]", 'match = "~/code/talks"', *lines, ""])


def only(world: World, text: str, **options: object) -> Share:
    (found,) = world.resolve(text, [A], **options).shares  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("lines", "gate"),
    [
        (["gate = 'password'"], Gate.PASSWORD),
        (["gate = 'email'", "recipients = ['bo@example.org']"], Gate.EMAIL),
        (["gate = 'otp'"], Gate.OTP),
        (["gate = 'agreement'", "agreement = 'terms.md'"], Gate.AGREEMENT),
        (["agreement = 'terms.md'"], Gate.AGREEMENT),
        (["gate = 'none'", "agreement = 'terms.md'"], Gate.AGREEMENT),
        (["gate = 'password'", "agreement = 'terms.md'"], Gate.PASSWORD),
    ],
    ids=["password", "email", "otp", "agreement", "terms-alone", "terms-and-none", "terms-first"],
)
def test_share_has_the_gate_it_names(world: World, lines: list[str], gate: Gate) -> None:
    found = only(world, share("aaaa-1", "slug = 'a'", *lines))
    assert (found.gate, found.is_gated, found.scope) == (gate, True, "a")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("gate = 'agreement'", "needs the terms that are agreed to"),
        ("agreement = 'terms.md'\nsecret = 'env:X'", "asks for nothing but a yes"),
        ("gate = 'password'\nrecipients = ['bo@example.org']", "“recipients” belong to the gate “email”"),
        ("gate = 'otp'\nrecipients = ['bo@example.org']", "“recipients” belong to the gate “email”"),
    ],
    ids=["no-terms", "secret-for-terms", "recipients-for-password", "recipients-for-codes"],
)
@pytest.mark.parametrize("table", ["[[share]]\nconversation = 'aaaa-1'", "[[rule]]\nmatch = {}", project()])
def test_what_does_not_fit_is_refused_with_its_line(world: World, table: str, lines: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        world.resolve(f"{table}\n{lines}", [A])
    assert str(refused.value).startswith("sitegen.toml:3: ")


def test_listing_shows_what_does_not_fit_too(world: World) -> None:
    found = only(world, share("aaaa-1", "slug = 'a'", "gate = 'agreement'"), is_publishing=False)
    assert found.gate is Gate.AGREEMENT


# ----------------------------------------------------------------------------------------------------------- projects


def test_shares_have_the_gate_of_their_project(world: World) -> None:
    text = project(
        "slug = 'talks'", "gate = 'password'", "secret = 'env:TALKS'", "agreement = 't.md'", "epoch = 2", "hint = 'h'"
    )
    found = only(world, text + share("aaaa-1", "slug = 'a'"))
    assert (found.gate, found.secret, found.agreement, found.epoch) == (Gate.PASSWORD, "env:TALKS", "t.md", 2)
    assert (found.is_inherited, found.hint) == (True, "h")
    assert found.scope == "p:talks"
    assert found.project is not None
    assert (found.project.gate, found.project.scope) == (Gate.PASSWORD, "p:talks")


def test_keys_of_a_project_are_never_those_that_a_share_of_it_had(world: World) -> None:
    projects, shares = set(), set()
    for epoch in range(4):
        text = project("slug = 'talks'", "gate = 'password'", "secret = 'env:TALKS'", f"epoch = {epoch}")
        for own in range(1, 4):
            found = only(world, text + share("aaaa-1", "slug = 'a'", f"epoch = {own}"))
            assert found.project is not None
            projects.add(found.project.epoch)
            shares.add(found.epoch)
    assert len(shares) == 12
    assert not projects & shares


def test_rules_and_views_have_the_gate_of_their_project(world: World) -> None:
    text = project("gate = 'otp'") + "[[rule]]\nmatch = {}\n"
    shares = world.resolve(text, [A, B], [view("v", "aaaa-1")]).shares
    assert {each.gate for each in shares} == {Gate.OTP}
    assert len({each.scope for each in shares}) == 1


@pytest.mark.parametrize(
    ("line", "gate", "scope", "terms"),
    [
        ("gate = 'none'", Gate.NONE, "a", None),
        ("gate = 'otp'", Gate.OTP, "a", None),
        ("secret = 'env:OWN'", Gate.PASSWORD, "a", "t.md"),
        ("agreement = 'own.md'", Gate.PASSWORD, "p:talks", "own.md"),
    ],
    ids=["open", "another-gate", "own-secret", "own-terms"],
)
def test_share_may_say_otherwise(world: World, line: str, gate: Gate, scope: str, terms: str | None) -> None:
    text = project("slug = 'talks'", "gate = 'password'", "secret = 'env:TALKS'", "agreement = 't.md'")
    found = only(world, text + share("aaaa-1", "slug = 'a'", line))
    assert (found.gate, found.scope, found.agreement) == (gate, scope, terms)


def test_view_says_none_in_words(world: World) -> None:
    shares = world.resolve(project("gate = 'password'"), [A], [view("v", "aaaa-1", gate_type="none")]).shares
    assert [each.gate for each in shares] == [Gate.NONE]


def test_view_names_the_file_of_its_terms(world: World) -> None:
    row = view("v", "aaaa-1", gate_type="agreement", gate_secret="file:terms.md")
    (found,) = world.resolve("", [A], [row]).shares
    assert (found.gate, found.agreement, found.secret) == (Gate.AGREEMENT, "terms.md", None)


def test_view_of_an_agreement_without_terms_is_refused(world: World) -> None:
    with pytest.raises(ConfigError, match=r"shared_views, “v”: the gate “agreement” needs the terms"):
        world.resolve("", [A], [view("v", "aaaa-1", gate_type="agreement")])


# -------------------------------------------------------------------------------------------------------------- slugs


@pytest.mark.parametrize("text", ["[[rule]]\nmatch = {}\ngate = 'otp'", share("aaaa-1", "gate = 'otp'")])
def test_slug_of_a_protected_share_can_t_be_worked_out(world: World, text: str) -> None:
    assert only(world, text).slug == hide_slug(KEY) != derived_slug(KEY)


@pytest.mark.parametrize("text", ["[[rule]]\nmatch = {}\ngate = 'otp'", share("aaaa-1", "gate = 'otp'")])
def test_without_a_site_secret_such_a_share_is_refused(world: World, text: str) -> None:
    with pytest.raises(ConfigError, match=r"from the site secret, which isn't here: set SITEGEN_SITE_SECRET"):
        world.resolve(text, [A], has_secret=False)
    registry = world.resolve(text, [A], has_secret=False, is_publishing=False)
    assert registry.shares == ()
    assert "left out of this list" in registry.problems[0]


def test_protected_share_with_a_slug_needs_no_site_secret_to_be_listed(world: World) -> None:
    assert only(world, share("aaaa-1", "slug = 'a'", "gate = 'otp'"), has_secret=False).slug == "a"


def test_slug_of_a_protected_project_tells_nothing(world: World) -> None:
    found = only(world, project("gate = 'password'") + share("aaaa-1", "slug = 'a'"))
    assert found.project is not None
    assert found.project.slug == hide_slug("project ~/code/talks")
    assert found.project.name == "talks"
