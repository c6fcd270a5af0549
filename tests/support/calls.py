"""Tool calls for tests from short values, and what a reader gets of them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from sitegen.model import Block, ConversationHead, Json
from sitegen.render.context import Context, RenderOptions
from sitegen.render.steps import PairedCall, Step
from sitegen.render.tools import render_call

_HEAD = ConversationHead("1", "claude_code", "s-1", None, None, None, None, 0, "0")


def context(language: str = "en", *, code_lines: int = 40) -> Context:
    return Context(RenderOptions(language=language, code_lines=code_lines), _HEAD)


def call(
    name: str,
    given: Mapping[str, Json] | None = None,
    result: str | None = "",
    *,
    detail: Mapping[str, Json] | None = None,
    payload: Mapping[str, Json] | None = None,
    images: tuple[Block, ...] = (),
    is_error: bool = False,
    status: str | None = None,
    has_subagent: bool = False,
) -> PairedCall:
    """A call with its result; `result=None` leaves it without one."""
    return PairedCall(
        anchor="t-m1-0",
        message_id="m1",
        block_number=0,
        tool_name=name,
        input=given or {},
        result=None if result is None else Block("tool_result", text=result, payload=payload or {}),
        images=images,
        tool_detail=detail or {},
        is_error=is_error,
        status=status,
        has_subagent=has_subagent,
    )


def step(paired: PairedCall, *, language: str = "en") -> Step:
    return render_call(paired, context(language))


def words(fragment: str) -> str:
    """The words of a fragment as they are read, without markup."""
    return html.unescape(re.sub(r"<[^>]*>", "", fragment))


def line(paired: PairedCall, *, language: str = "en") -> str:
    """The summary of a call as it is read."""
    return words(step(paired, language=language).summary)


def detail(paired: PairedCall) -> str:
    """The words of a call's detail."""
    return words(step(paired).detail)
