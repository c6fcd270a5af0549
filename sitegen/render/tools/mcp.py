"""Tools of MCP servers: `mcp__server__tool`, both named."""

from __future__ import annotations

import re

from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools.inputs import result_text
from sitegen.render.tools.other import came_back, given, hint
from sitegen.render.tools.parts import code, make_step, say

_NAME = re.compile(r"mcp__(?P<server>.+?)__(?P<tool>.+)", re.S)


def server_and_tool(name: str) -> tuple[str, str] | None:
    """The two parts of an MCP tool's name, None for any other name."""
    match = _NAME.fullmatch(name)
    return (first_line(match["server"], 60), first_line(match["tool"], 60)) if match else None


def render(call: PairedCall, ctx: Context) -> Step:
    """A call of an MCP tool."""
    server, tool = server_and_tool(call.tool_name) or ("", call.tool_name)
    return make_step(
        call,
        ctx,
        "tool",
        say(ctx, "used_mcp", tool=code(tool), server=code(server)) + hint(call.input),
        lead=given(call.input, ctx),
        body=came_back(call, ctx),
        excerpt=result_text(call),
        object=f"{server}: {tool}",
    )
