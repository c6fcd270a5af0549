"""Tool calls as steps, one file a family. A new family is a file with NAMES and render(), and a line in `FAMILIES`."""

from __future__ import annotations

from collections.abc import Set
from typing import Protocol

from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.tools import (
    agents,
    artifacts,
    background,
    changes,
    interpreter,
    listing,
    mcp,
    other,
    pictures,
    plans,
    questions,
    reading,
    shell,
    skills,
    tasks,
    web,
)


class Family(Protocol):
    """A file of this folder."""

    @property
    def NAMES(self) -> Set[str]:  # noqa: N802 - a constant of the module
        """The names of its tools, in lower case."""

    def render(self, call: PairedCall, ctx: Context, /) -> Step:
        """The step of a call of one of them, whatever its input holds."""


FAMILIES: tuple[Family, ...] = (
    agents,
    artifacts,
    background,
    changes,
    interpreter,
    listing,
    pictures,
    plans,
    questions,
    reading,
    shell,
    skills,
    tasks,
    web,
)
"""All families that are found by their tools' names."""

_BY_NAME = {name: family for family in FAMILIES for name in family.NAMES}


def render_call(call: PairedCall, ctx: Context) -> Step:
    """The step of a call: another package's, or by its name, by what kind of name it is, or as keys and values."""
    step = None if ctx.others is None else ctx.others.call(call, ctx)
    return _render_own(call, ctx) if step is None else step


def _render_own(call: PairedCall, ctx: Context) -> Step:
    name = call.tool_name.strip().lower()
    family = _BY_NAME.get(name)
    if family is not None:
        return family.render(call, ctx)
    if mcp.server_and_tool(call.tool_name) is not None:
        return mcp.render(call, ctx)
    return other.render(call, ctx)
