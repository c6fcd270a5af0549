"""What is known about a conversation, in words: the line under a title, the details behind it, an entry's facts."""

from __future__ import annotations

from collections.abc import Iterable

from sitegen.catalogue import Catalogue
from sitegen.model import Card, Facts, Usage
from sitegen.pages.dates import Dates

_MODELS_NAMED = 3
_TOOLS_NAMED = 8
_HIDDEN = {
    what: what.replace(" ", "_")
    for what in (
        *("messages", "thinking", "tool calls", "tool results", "texts", "images", "attachments"),
        *("subagents", "branches", "context"),
    )
}


def number(t: Catalogue, value: int) -> str:
    """A count with its thousands set apart: "12,345"."""
    return f"{value:,}".replace(",", t("pages.thousands"))


def header(t: Catalogue, dates: Dates, facts: Facts) -> list[str]:
    """The line under the title, without the project: source, models, dates, turns."""
    return [
        *_told(facts.source),
        *_told(models(facts.models)),
        *_told(dates.span(facts.started_at, facts.ended_at)),
        t("pages.prompts", n=facts.turns, count=number(t, facts.turns)),
        *([_state(t, facts.state)] if facts.state else []),
    ]


def details(t: Catalogue, dates: Dates, facts: Facts) -> list[tuple[str, str]]:
    """What else is known, as names and values: messages, calls, tools, failures, tokens, times, branch."""
    rows = [
        ("messages", number(t, facts.messages)),
        ("calls", _calls(t, facts)),
        ("errors", number(t, facts.errors) if facts.errors else ""),
        ("tokens", _tokens(t, facts.usage)),
        ("started", dates.minute(facts.started_at)),
        ("ended", dates.minute(facts.ended_at)),
        ("duration", dates.length(facts.started_at, facts.ended_at)),
        ("models", ", ".join(facts.models) if len(facts.models) > _MODELS_NAMED else ""),
        ("git_branch", facts.git_branch or ""),
    ]
    return [(t(f"pages.fact_{name}"), value) for name, value in rows if value]


def entry(t: Catalogue, card: Card) -> list[str]:
    """An entry's small facts: prompts, calls, failures, models."""
    return [
        t("pages.prompts", n=card.turns, count=number(t, card.turns)),
        *([t("pages.calls", n=card.tool_calls, count=number(t, card.tool_calls))] if card.tool_calls else []),
        *_told(models(card.models)),
    ]


def models(names: tuple[str, ...]) -> str:
    """The first few names; how many more there are is a plus."""
    named = ", ".join(names[:_MODELS_NAMED])
    return named + (f" +{len(names) - _MODELS_NAMED}" if len(names) > _MODELS_NAMED else "")


def left_out(t: Catalogue, hidden: Iterable[tuple[str, int]]) -> str:
    """What the share leaves out, in a sentence; "" when it's all there."""
    parts = [t(f"pages.hidden_{_HIDDEN.get(what, 'other')}", n=n, count=number(t, n)) for what, n in hidden]
    return t("pages.left_out", what=", ".join(parts)) if parts else ""


def _calls(t: Catalogue, facts: Facts) -> str:
    if not facts.tool_calls:
        return ""
    named = ", ".join(f"{name} {number(t, count)}" for name, count in facts.tools[:_TOOLS_NAMED])
    more = "…" if len(facts.tools) > _TOOLS_NAMED else ""
    return number(t, facts.tool_calls) + (f" ({named}{more})" if named else "")


def _tokens(t: Catalogue, usage: Usage | None) -> str:
    if usage is None:
        return ""
    read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    cached = number(t, usage.cache_read_tokens)
    return t("pages.tokens", read=number(t, read), written=number(t, usage.output_tokens), cached=cached)


def _state(t: Catalogue, state: str) -> str:
    return t(f"pages.state_{state}")


def _told(text: str) -> list[str]:
    return [text] if text else []
