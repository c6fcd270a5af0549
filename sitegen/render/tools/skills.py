"""Skills, slash commands that a model gives itself, and the search for tools."""

from __future__ import annotations

from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import first_line
from sitegen.render.tools.inputs import result_text, text_in
from sitegen.render.tools.parts import code, failure, make_step, outcome, output, prose, say, sentence

_SEARCH = frozenset({"toolsearch", "tool_search", "tool_search_tool_regex", "tool_search_tool_bm25"})
NAMES = frozenset({"skill", "slashcommand", "slash_command"}) | _SEARCH
_LINE_LIMIT = 80


def render(call: PairedCall, ctx: Context) -> Step:
    """A skill used, a command given, tools looked for."""
    if call.tool_name.strip().lower() in _SEARCH:
        query = text_in(call.input, "query", "pattern")
        return make_step(
            call,
            ctx,
            "tool",
            say(ctx, "looked_for_tools", query=first_line(query, _LINE_LIMIT)),
            body=failure(call, ctx) or output(result_text(call), ctx, key="result"),
            excerpt=result_text(call),
            object=call.tool_name,
        )
    name = text_in(call.input, "skill", "command", "name")
    is_command = "skill" not in call.tool_name.lower()
    text = result_text(call)
    return make_step(
        call,
        ctx,
        "skill",
        say(ctx, "gave_command" if is_command else "used_skill", name=code(name, _LINE_LIMIT)),
        lead=sentence(text_in(call.input, "args", "arguments")),
        body=failure(call, ctx) if outcome(call, ctx).failed else prose(text, call, ctx, part="r"),
        excerpt=text,
        object=first_line(name, _LINE_LIMIT),
    )
