"""Projects: names for people, slugs that are safe and stay the same on every computer."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.config.slugs import fault_of, folded
from sitegen.errors import ConfigError
from sitegen.model import Project
from sitegen.shares import home_shortened, project_name
from tests.shares.world import World, head

ALL = "[[rule]]\nmatch = {}\n"


def mark(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:6]


@pytest.mark.parametrize(
    ("value", "shortened", "name"),
    [
        ("/home/ann/code/talks", "~/code/talks", "talks"),
        ("/Users/ann/code/talks/", "~/code/talks", "talks"),
        (r"C:\Users\ann\code\talks", "~/code/talks", "talks"),
        ("c:/Users/Ann B/code/talks", "~/code/talks", "talks"),
        (r"\\wsl$\Ubuntu\home\ann\talks", "~/talks", "talks"),
        ("/mnt/c/Users/ann/talks", "~/talks", "talks"),
        ("/root/talks", "~/talks", "talks"),
        ("~/code/talks", "~/code/talks", "talks"),
        ("/srv/homework/talks", "/srv/homework/talks", "talks"),
        ("/homeless/ann/talks", "/homeless/ann/talks", "talks"),
        (r"D:\code\talks", "D:/code/talks", "talks"),
        ("talks", "talks", "talks"),
        ("/home/ann", "~", "~"),
        ("/", "/", ""),
        ("  ", "", ""),
        (None, "", ""),
        ("/x/a\x00b\u202ec", "/x/a\x00b\u202ec", "a b c"),
    ],
    ids=repr,
)
def test_project_is_called_by_the_last_part_of_its_path(value: str | None, shortened: str, name: str) -> None:
    assert home_shortened(value) == shortened
    assert project_name(value) == name


def projects(world: World, *values: str | None, text: str = "") -> list[Project | None]:
    heads = [head(f"conv-{number:02}", project=value) for number, value in enumerate(values)]
    return [share.project for share in world.resolve(ALL + text, heads).shares]


def test_same_project_of_two_people_is_one(world: World) -> None:
    one, other = projects(world, "/home/ann/code/talks", r"C:\Users\bo\code\talks")
    assert one == other == Project("talks", "talks")


def test_two_projects_of_one_name_are_told_apart(world: World) -> None:
    one, other = projects(world, "/home/ann/code/talks", "/srv/Talks")
    first, second = mark("~/code/talks"), mark("/srv/Talks")
    assert one == Project(f"talks-{first}", f"talks ({first})")
    assert other == Project(f"talks-{second}", f"Talks ({second})")


def test_names_that_only_look_alike_as_slugs_keep_their_names(world: World) -> None:
    one, other = projects(world, "/srv/my talks", "/srv/my_talks")
    assert one is not None
    assert other is not None
    assert (one.name, other.name) == ("my talks", "my_talks")
    assert one.slug != other.slug


def test_conversation_without_a_project_has_none(world: World) -> None:
    assert projects(world, None, "") == [None, None]


def test_conversations_without_a_project_can_be_given_one(world: World) -> None:
    text = '[[project]]\nmatch = ""\ntitle = "Odds and ends"\nslug = "odds"'
    assert projects(world, None, text=text) == [Project("odds", "Odds and ends")]


@pytest.mark.parametrize("match", ["~/code/talks", "/home/ann/code/talks", "~/code/talks/"], ids=repr)
def test_project_is_described_by_its_shortened_value(world: World, match: str) -> None:
    text = f'[[project]]\nmatch = "{match}"\nslug = "t"\ntitle = "Talks"\ndescription = "What we said"'
    assert projects(world, "/home/ann/code/talks", text=text) == [Project("t", "Talks", "What we said")]


def test_given_slug_wins_over_a_name(world: World) -> None:
    text = '[[project]]\nmatch = "/srv/notes"\nslug = "Talks"'
    one, other = projects(world, "/home/ann/talks", "/srv/notes", text=text)
    assert (one and one.slug, other and other.slug) == (f"talks-{mark('~/talks')}", "Talks")


def test_rule_may_name_a_project_by_its_title(world: World) -> None:
    text = '[[project]]\nmatch = "~/a"\ntitle = "Talks we gave"\n[[rule]]\nmatch = { project = "talks we gave" }'
    assert len(world.resolve(text, [head("x", project="/home/ann/a"), head("y", project="/home/ann/b")]).shares) == 1


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('match = "/home/ann/a"', "the project “/home/ann/a” is described in line 3 already"),
        ('match = "~/b"\nslug = "ONE"', "the project in line 3 has the slug “one” already"),
    ],
    ids=["same-value", "same-slug"],
)
def test_two_descriptions_in_each_other_s_way_are_refused(world: World, second: str, message: str) -> None:
    text = f'[[project]]\nmatch = "~/a"\nslug = "one"\n[[project]]\n{second}'
    with pytest.raises(ConfigError, match=rf"sitegen\.toml:6: {message}"):
        world.resolve(text, [])


def test_projects_of_a_registry_are_each_there_once(world: World) -> None:
    heads = [head("a", project="/srv/b"), head("b", project="/srv/a"), head("c", project="/srv/b")]
    assert [project.slug for project in world.resolve(ALL, heads).projects] == ["a", "b"]


VALUES = st.text(max_size=20) | st.sampled_from(
    ["con", "..", "/", "~", "/home/ann", "日本", "a b", "A_B", "a-b", "\ud800"]
)


@given(st.lists(VALUES, max_size=8))
def test_every_project_has_a_safe_slug_of_its_own(tmp_path_factory: pytest.TempPathFactory, values: list[str]) -> None:
    world = World(tmp_path_factory.mktemp("world"))
    found = {project for project in projects(world, *values) if project}
    assert all(fault_of(project.slug) is None for project in found)
    assert len({folded(project.slug) for project in found}) == len(found)
    assert all(project.name.strip() for project in found)


@pytest.mark.parametrize(
    ("match", "near"),
    [
        ("~/code/tolks", "the nearest there is is “~/code/talks”"),
        ("talks", "the nearest there is is “~/code/talks”"),
        ("/home/ann/code/Talks", "the nearest there is is “~/code/talks”"),
        ("zzz", "“sitegen list” shows those that there are"),
    ],
    ids=["misspelt", "name", "case", "nothing-near"],
)
def test_gate_of_a_project_without_conversations_is_refused(world: World, match: str, near: str) -> None:
    text = ALL + f'[[project]]\nmatch = "{match}"\ngate = "password"\nsecret = "env:PW"\n'
    said = f"no conversation has the project “{match}”, so its gate would protect nothing; {near}"
    with pytest.raises(ConfigError, match=rf"sitegen\.toml:5: {re.escape(said)}\. Nothing was published"):
        world.resolve(text, [head("a"), head("b", project=None)])
    told = world.resolve(text, [head("a")], is_publishing=False)
    assert told.problems == (f"sitegen.toml:5: {said}; a build refuses that",)
    assert told.is_refused


def test_project_without_conversations_or_a_gate_is_a_note(world: World) -> None:
    text = ALL + '[[project]]\nmatch = "~/code/tolks"\ntitle = "Talks"\n'
    registry = world.resolve(text, [head("a")])
    assert registry.notes == (
        "sitegen.toml:5: no conversation has the project “~/code/tolks”; the nearest there is is “~/code/talks”",
    )
    assert not registry.problems


def test_projects_of_an_empty_projection_are_notes(world: World) -> None:
    registry = world.resolve('[[project]]\nmatch = "~/code/talks"\ngate = "password"\n')
    (note,) = registry.notes
    assert note.startswith("sitegen.toml:3: no conversation has the project “~/code/talks”; ")
