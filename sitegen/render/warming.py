"""Gets ready to draw, in a process that has nothing to draw yet: much is imported and compiled at its first use."""

from __future__ import annotations

from typing import Final

from sitegen.render.context import RenderOptions
from sitegen.render.terms import render_terms

_CODE: Final = {
    "python": "@cached\ndef f(a: int = 1) -> str:\n    return f'{a}'  # so",
    "bash": 'for f in *.py; do echo "$f" | wc -l; done  # so',
    "typescript": "export const f = async (a: number): Promise<string> => `${a}`; // so",
    "json": '{"a": [1, true, "b"]}',
    "yaml": "a:\n  - b: 1  # so",
    "html": '<p class="a">b</p>',
    "markdown": "# A\n\n```python\na = 1\n```",
}
"""What the commonest languages look like."""
_PROSE: Final = """\
# A heading

Words, *emphasis*, `code`, a [link](https://example.org) & <b>more</b>:

1. a list
   - within a list

| a | table |
|---|-------|
| 1 | 2     |

> a quotation
"""


def warm_up() -> None:
    """Draws a little of what most conversations hold."""
    code = (f"~~~{language}\n{text}\n~~~" for language, text in _CODE.items())
    render_terms("\n\n".join([_PROSE, *code]), RenderOptions())
