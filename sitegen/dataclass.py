"""`dataclass` as in the standard library, but quick to define: a build begins with the definition of 200 of them.

There, each method of each class is written as text and compiled, six for a frozen one: a tenth of a small build.
Here only `__init__` is, and the others are the same for all. `field`, `fields` and `replace` are the standard ones.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, slots: bool = False) -> Any:
        """The class with the methods of a dataclass, save those it has itself."""
        if cls is None:
            return partial(dataclass, frozen=frozen, slots=slots)
        cls.__doc__ = (
            cls.__doc__ or cls.__name__
        )  # or else it's made of the signature, which takes longer than all else
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
        fields = dataclasses.fields(made)
        methods = {"__init__": _init(made, fields, is_frozen=frozen), "__repr__": _repr(fields), **_comparing(fields)}
        methods |= _freezing(fields) if frozen else {"__hash__": None}
        for name, method in methods.items():
            if name not in cls.__dict__:
                setattr(made, name, method)
        return made


def _init(cls: type, fields: tuple[Field[Any], ...], *, is_frozen: bool) -> Callable[..., None]:
    known: dict[str, Any] = {"_set": object.__setattr__, "_absent": MISSING}
    parameters, body = ["self"], ["pass"]
    for each in fields:
        name, value = each.name, each.name
        default = f"_default_{name}"
        if each.default_factory is not MISSING:
            known[default] = each.default_factory
            value = f"{default}() if {name} is _absent else {name}" if each.init else f"{default}()"
            parameters += [f"{name}=_absent"] if each.init else []
        elif each.default is not MISSING:
            known[default] = each.default
            value = name if each.init else default
            parameters += [f"{name}={default}"] if each.init else []
        elif each.init:
            parameters.append(name)
        else:
            continue
        body.append(f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body), known)  # noqa: S102 - names of fields alone
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _repr(fields: tuple[Field[Any], ...]) -> Callable[[Any], str]:
    names = [each.name for each in fields if each.repr]

    def represent(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return represent


def _comparing(fields: tuple[Field[Any], ...]) -> dict[str, Callable[..., Any]]:
    names = [each.name for each in fields if each.compare]
    values = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: Any) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    return {"__eq__": equal, "__hash__": lambda self: hash(values(self))}


def _freezing(fields: tuple[Field[Any], ...]) -> dict[str, Callable[..., Any]]:
    """What refuses assignments, and what pickling does instead of them."""
    names = [each.name for each in fields]

    def refuse(self: Any, name: str, value: object = None) -> None:
        msg = f"cannot change field {name!r}"
        raise FrozenInstanceError(msg)

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def restore(self: Any, values: list[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    return {"__setattr__": refuse, "__delattr__": refuse, "__getstate__": state, "__setstate__": restore}
