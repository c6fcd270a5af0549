"""What the header and the indexes say about a conversation: its title, models, tools, tokens, times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sitegen.model import Conversation, Facts, Message, Usage
from sitegen.render.context import Context
from sitegen.render.exchanges import headline
from sitegen.render.items import Item, Prompt
from sitegen.render.text import first_line, visible
from sitegen.wording.wrappers import Words, split

_SOURCES = {
    "chatgpt_export": "ChatGPT",
    "claude_code": "Claude Code",
    "claude_export": "Claude",
    "codex_cli": "Codex",
    "opencode": "OpenCode",
    "workspace": "Workspace",
}
_TITLE_LIMIT = 140


def gather(
    conversation: Conversation,
    ctx: Context,
    *,
    messages: Sequence[Message],
    items: Iterable[Item],
) -> Facts:
    """The facts, save how much failed. `messages` and `items` are those of the active path."""
    head = conversation.head
    prompts = [item for item in items if isinstance(item, Prompt)]
    first_prompt = headline(prompts[0], ctx) if prompts else ""
    tools = Counter(
        visible(block.tool_name or "?") for message in messages for block in message.blocks if block.kind == "tool_use"
    )
    return Facts(
        title=_title(ctx, first_prompt),
        source=_source(conversation),
        models=models(messages),
        started_at=head.started_at,
        ended_at=head.ended_at,
        turns=len(prompts),
        messages=len(messages),
        tool_calls=sum(tools.values()),
        tools=tuple(sorted(tools.items(), key=lambda pair: (-pair[1], pair[0]))),
        usage=total_usage(_all_messages(conversation)),
        git_branch=visible(conversation.git_branch) if conversation.git_branch else None,
        state=conversation.state,
        first_prompt=first_prompt,
        hidden=conversation.hidden,
    )


def _source(conversation: Conversation) -> str:
    """The source's name for people, with the persona that the assistant had there."""
    source_id, persona = conversation.head.source_id, conversation.head.metadata.get("persona")
    name = _SOURCES.get(source_id) or visible(source_id).replace("_", " ")
    return f"{name} · {first_line(persona, 60)}" if isinstance(persona, str) and persona.strip() else name


def _title(ctx: Context, first_prompt: str) -> str:
    """The owner's title, the conversation's own when it is one, else the first prompt."""
    if ctx.options.title:
        return first_line(ctx.options.title, _TITLE_LIMIT)
    pieces = split(ctx.head.title or "")
    own = first_line(pieces[0].text, _TITLE_LIMIT) if pieces and isinstance(pieces[0], Words) else ""
    return own or first_prompt or ctx.t("render.untitled")


def models(messages: Iterable[Message]) -> tuple[str, ...]:
    """The models that answered, in the order they first did; what stands in for a model isn't one."""
    named = dict.fromkeys(message.model for message in messages if message.role == "assistant" and message.model)
    return tuple(dict.fromkeys(visible(model) for model in named if not model.startswith("<")))


def total_usage(messages: Iterable[Message]) -> Usage | None:
    """Tokens in all, each request counted once as its last row has it; None when no row says anything."""
    requests: dict[str, Usage] = {}
    for message in messages:
        if message.usage is not None:
            requests[message.request_id or f"message {message.id}"] = message.usage
    if not requests:
        return None
    used = requests.values()
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in used),
        output_tokens=sum(usage.output_tokens for usage in used),
        cache_read_tokens=sum(usage.cache_read_tokens for usage in used),
        cache_write_tokens=sum(usage.cache_write_tokens for usage in used),
    )


def _all_messages(conversation: Conversation) -> Iterable[Message]:
    waiting = [conversation]
    while waiting:
        at = waiting.pop()
        yield from at.messages
        waiting.extend(at.subagents)
