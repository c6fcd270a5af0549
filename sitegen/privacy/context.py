"""What was said to the model by programs, not by people: system prompts, standing instructions, environments.

Readers of a conversation never saw it, so no share shows it unless its owner asks.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from msgspec.structs import replace

from sitegen.model import Block, Message
from sitegen.wording.wrappers import unwrap_result

_TAGS: Final = (
    "system-reminder|system_reminder|environment_context|user_instructions|INSTRUCTIONS|permissions instructions"
    "|collaboration_mode|personality_spec|skills_instructions|session-start-hook|user-memory-input"
)
_WRAPPED: Final = re.compile(
    rf"(?:^[ \t]*# AGENTS\.md instructions[^\n]*\n+)?^[ \t]*<({_TAGS})(?:\s[^<>]*)?>.*?</\1>[ \t]*\n?",
    re.DOTALL | re.MULTILINE,
)
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_THINKING: Final = re.compile(r"<antThinking(?:\s[^>]*)?>.*?(?:</antThinking>|\Z)\n?", re.DOTALL)


def is_context(message: Message) -> bool:
    """Whether a whole message was for the model alone. A program's notices to the reader (`subtype`) aren't."""
    if message.role == "system":
        return not isinstance(message.metadata.get("subtype"), str) and not message.is_api_error
    is_spoken = any(block.kind != "text" for block in message.blocks) or bool(message.attachments)
    return message.is_meta and message.role == "user" and not is_spoken


def without_context(block: Block, *, is_result: bool = False) -> Block:
    """A block without what programs wrapped into it; the same block when there's nothing."""
    if not block.text or "<" not in block.text:
        return block
    text = unwrap_result(block.text)[0] if is_result and "system-reminder>" in block.text else block.text
    if not is_result:
        text = _WRAPPED.sub(lambda match: match[0] if _is_fenced(match) else "", text)
    return block if text == block.text else replace(block, text=text)


def _is_fenced(match: re.Match[str]) -> bool:
    """Whether someone quotes a wrapper in a code block."""
    return len(_FENCE.findall(match.string, 0, match.start())) % 2 == 1


def without_embedded_thinking(block: Block, hidden: Counter[str]) -> Block:
    """An answer without the thinking that claude.ai kept in its text."""
    if not block.text or "<antThinking" not in block.text:
        return block
    text, count = _THINKING.subn("", block.text)
    hidden["thinking"] += count
    return replace(block, text=text)
