"""What code and diffs share: the block that scrolls, the numbers beside it, the fold of its tail."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from sitegen.render.context import Context


def content(text: str) -> str:
    """`text` escaped to stand between tags, where quotes and `>` may stay as they are."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def block(code: str, numbers: str | None = None) -> Markup:
    """A block of code, with its line numbers beside it if there are any; those aren't read out and aren't selected."""
    shown = f'<pre tabindex="0"><code>{code}</code></pre>'
    return Markup(f'<div class="lined">{numbers}{shown}</div>' if numbers else shown)


def numbered(lines: Sequence[str]) -> str:
    """Numbers to stand beside a block, as they are written in each line."""
    shown = "\n".join(lines)
    if shown.startswith("\n"):
        shown = f"\n{shown}"  # browsers leave out a line break that a block begins with
    return f'<pre class="ln" aria-hidden="true">{shown}</pre>'


@lru_cache(maxsize=256)  # most blocks begin with the first line, and end with their last or before the fold
def counted(first: int, last: int) -> str:
    """The numbers from `first` to `last` to stand beside a block. Whole tens are counted by the style sheet."""
    tens = range(first // 10, last // 10 + 1)
    items = "".join(f"<li>{_written(range(max(first, ten * 10), min(last, ten * 10 + 9) + 1))}</li>" for ten in tens)
    return f'<ol class="ln" aria-hidden="true" start="{tens.start}">{items}</ol>'


def _written(numbers: range) -> str:
    return "" if len(numbers) == 10 and numbers.start else "\n".join(map(str, numbers))


def folded(tail: Markup, lines: int, ctx: Context) -> Markup:
    """The rest of a long block behind "Show all {lines} lines"; it works without script."""
    more = escape(ctx.t("tools.show_all", n=lines, count=grouped(lines, ctx)))
    less = escape(ctx.t("tools.show_less"))
    return Markup(
        f'<details class="rest"><summary><span class="more">{more}</span><span class="less">{less}</span></summary>'
        f"{tail}</details>"
    )


def head_lines(lines: int, ctx: Context) -> int:
    """How many of a block's lines stand before the fold: all, unless they are many. A few more aren't worth a fold."""
    limit = ctx.options.code_lines
    return lines if lines <= limit + max(2, limit // 5) else limit


def grouped(number: int, ctx: Context) -> str:
    """A whole number as people write it: 1,234."""
    return str(number) if 0 <= number < 1000 else f"{number:,}".replace(",", ctx.t("tools.thousands"))
