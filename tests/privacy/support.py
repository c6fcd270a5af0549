"""Conversations of one text in a chosen place, and what a share shows of them."""

from __future__ import annotations

from typing import Any

from sitegen.model import Attachment, Block, Conversation, ConversationHead, Message, Share
from sitegen.privacy import Engine, Policy, Scrubbed, apply

HEAD = ConversationHead("r", "claude_code", "n", "A title", None, None, None, 1, "d")
SHARE = Share(slug="s", head=HEAD, project=None, origin="test")


def message(index: int = 0, role: Any = "user", *blocks: Block, **fields: Any) -> Message:
    """A message with an id of its own."""
    return Message(id=f"{index:012}", role=role, index=index, blocks=blocks, **fields)


def said(*texts: str) -> Conversation:
    """A conversation of these prompts."""
    return Conversation(HEAD, tuple(message(n, "user", Block("text", text)) for n, text in enumerate(texts)))


def scrubbed(
    given: Conversation | str, *, engine: Engine | None = None, share: Share = SHARE, **policy: Any
) -> Scrubbed:
    """What the share shows, under a policy of these words."""
    conversation = said(given) if isinstance(given, str) else given
    return apply(conversation, share, Policy(**policy), engine=engine)


def shown(text: str, *, engine: Engine | None = None, **policy: Any) -> str:
    """What becomes of one prompt."""
    return str(scrubbed(text, engine=engine, **policy).conversation.messages[0].blocks[0].text)


def everywhere(text: str) -> dict[str, Conversation]:
    """Conversations that hold a text, each in another place, by its name."""
    one = Conversation(HEAD, (message(0, "user", Block("text", "hello")),))

    def with_block(*blocks: Block, **fields: Any) -> Conversation:
        return Conversation(HEAD, (message(0, "assistant", *blocks, **fields),))

    from msgspec.structs import replace

    nested: Any = {"input": {"list": [{"deep": text}]}}
    return {
        "message": said(text),
        "fenced code": said(f"look:\n```sh\n{text}\n```\n"),
        "tool input": with_block(Block("tool_use", tool_name="Bash", tool_use_id="t", payload=nested)),
        "name in a tool input": with_block(Block("tool_use", tool_name="Bash", payload={"input": {text: 1}})),
        "tool result": with_block(Block("tool_result", text, tool_use_id="t")),
        "parts of a tool result": with_block(
            Block("tool_result", tool_use_id="t", payload={"raw_content": [{"type": "text", "text": text}]})
        ),
        "patch": with_block(
            Block("tool_result", "ok", tool_use_id="t"),
            tool_detail={"structuredPatch": [{"lines": [f"+{line}" for line in text.splitlines()]}]},
        ),
        "thinking": with_block(Block("thinking", text)),
        "tool name": with_block(Block("tool_use", tool_name=text)),
        "title": replace(one, head=replace(HEAD, title=text)),
        "project": replace(one, head=replace(HEAD, project=f"/srv/{text}")),
        "metadata of the conversation": replace(one, head=replace(HEAD, metadata={"note": text})),
        "metadata of a message": with_block(Block("text", "x"), metadata={"subtype": text}),
        "label": with_block(Block("text", "x"), labels=(text,)),
        "model": with_block(Block("text", "x"), model=text),
        "git branch": replace(one, git_branch=text),
        "file name": with_block(attachments=(Attachment(text, "text/plain"),)),
        "path of a file": with_block(attachments=(Attachment("a.txt", "text/plain", storage_path=text),)),
        "attached text": with_block(attachments=(Attachment("a.txt", "text/plain", data=text.encode()),)),
        "attached text in UTF-16": with_block(attachments=(Attachment("a.txt", None, data=text.encode("utf-16")),)),
        "text extracted from a file": with_block(attachments=(Attachment("a.pdf", None, extracted_text=text),)),
        "subagent": replace(one, subagents=(said(text),)),
    }
