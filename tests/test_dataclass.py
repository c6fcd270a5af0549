"""What is quick to define behaves as the standard library's dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields, replace
from typing import Any

import pytest

from sitegen.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Talk:
    title: str
    words: tuple[str, ...] = ()
    marks: dict[str, int] = field(default_factory=dict, compare=False)
    key: str = field(default="", repr=False)


@dataclass(slots=True)
class Desk:
    """Where talks lie."""

    talks: list[Talk] = field(default_factory=list)
    seen: set[str] = field(init=False, default_factory=set)
    limit: int = field(init=False, default=3)
    first: str = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.talks[0].title if self.talks else ""


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True)
class Quiet:
    secret: str

    def __repr__(self) -> str:
        return "Quiet()"


def standard(kind: type, **how: bool) -> Callable[..., Any]:
    """The same class as the standard library makes it."""
    body = {name: getattr(kind, name) for name in ("__annotations__", "__qualname__", "__module__", "__doc__")}
    body |= {"__post_init__": kind.__post_init__} if hasattr(kind, "__post_init__") else {}
    for each in fields(kind):
        body[each.name] = field(
            **{name: getattr(each, name) for name in ("default", "default_factory", "init", "repr", "compare")}
        )
    made: Callable[..., Any] = dataclasses.dataclass(**how)(type(kind.__name__, (), body))
    return made


CALLS: list[tuple[type, dict[str, bool], tuple[Any, ...], dict[str, Any]]] = [
    (Talk, {"frozen": True, "slots": True}, ("Tides",), {}),
    (Talk, {"frozen": True, "slots": True}, ("Tides", ("a", "b")), {"marks": {"x": 1}, "key": "k"}),
    (Desk, {"slots": True}, (), {}),
    (Desk, {"slots": True}, ([Talk("Tides")],), {}),
    (Nothing, {"frozen": True, "slots": True}, (), {}),
]


@pytest.mark.parametrize(("kind", "how", "args", "more"), CALLS)
def test_a_value_looks_as_the_standard_one(
    kind: type, how: dict[str, bool], args: tuple[Any, ...], more: dict[str, Any]
) -> None:
    ours, theirs = kind(*args, **more), standard(kind, **how)(*args, **more)
    assert repr(ours) == repr(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert kind.__match_args__ == type(theirs).__match_args__  # type: ignore[attr-defined]
    assert not hasattr(ours, "__dict__")
    assert dataclasses.is_dataclass(kind)
    assert kind(*args, **more) == ours
    assert copy.copy(ours) == copy.deepcopy(ours) == pickle.loads(pickle.dumps(ours)) == replace(ours) == ours


def test_what_is_compared_decides() -> None:
    assert Talk("Tides", marks={"x": 1}) == Talk("Tides", marks={"y": 2})
    assert Talk("Tides") != Talk("Ebb")
    others: tuple[object, ...] = (("Tides", (), {}, ""), Nothing(), None)
    assert Talk("Tides") not in others
    assert Nothing() in others
    assert {Talk("Tides", marks={"x": 1}): "one"}[Talk("Tides")] == "one"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Desk())


def test_what_is_frozen_stays() -> None:
    talk = Talk("Tides")
    with pytest.raises(FrozenInstanceError):
        talk.title = "Ebb"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del talk.title
    assert talk == Talk("Tides")
    desk = Desk()
    desk.limit = 4
    assert (desk.limit, Desk().limit) == (4, 3)
    with pytest.raises(AttributeError):
        desk.new = 1  # type: ignore[attr-defined]


def test_values_made_for_each_are_shared_by_none() -> None:
    Talk("Tides").marks["x"] = 1
    Desk().seen.add("x")
    assert not Talk("Tides").marks
    assert not Desk().seen


def test_own_methods_and_words_stay() -> None:
    assert repr(Quiet("hush")) == "Quiet()"
    assert Desk.__doc__ == "Where talks lie."


def test_what_is_missing_is_named() -> None:
    with pytest.raises(TypeError, match=r"Talk\.__init__\(\) missing 1 required positional argument: 'title'"):
        Talk()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'limit'"):
        Desk(limit=4)  # type: ignore[call-arg]
