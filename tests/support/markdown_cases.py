"""The Markdown cases of `tests/fixtures/markdown/*.md`: title, input, expected HTML, each between lines of a dot.

Control bytes that an editor can't hold are written as `{NUL}`, `{ESC}`, `{BEL}`, `{TAB}`; `{ROOT}` is the way to a
share's files. Files whose name begins with `prompts` hold prompts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sitegen.model import ROOT, ConversationHead
from sitegen.render.context import Context, RenderOptions
from sitegen.render.prose import render_markdown

FOLDER = Path(__file__).parents[1] / "fixtures" / "markdown"
_NAMES = {ROOT: "{ROOT}", "\x00": "{NUL}", "\x1b": "{ESC}", "\x07": "{BEL}", "\t": "{TAB}"}
_HEAD = ConversationHead("1", "claude_code", "s-1", None, None, None, None, 0, "0")


@dataclass(frozen=True, slots=True)
class Case:
    """One case as its file has it."""

    file: str
    title: str
    text: str
    expected: str

    @property
    def id(self) -> str:
        return f"{self.file}: {self.title}"

    def render(self) -> str:
        """The HTML of the case, written as the file writes it."""
        text = self.text
        for byte, name in _NAMES.items():
            text = text.replace(name, byte)
        context = Context(RenderOptions(highlight_bytes=0), _HEAD, heading_level=4)
        is_prompt = self.file.startswith("prompts")
        html = str(render_markdown(text, context, prefix="m", newlines="typed" if is_prompt else "flow"))
        for byte, name in _NAMES.items():
            html = html.replace(byte, name)
        return html.rstrip("\n")


def cases() -> list[Case]:
    """All cases of all files, in order."""
    return [case for file in sorted(FOLDER.glob("*.md")) for case in _cases(file)]


def renew() -> int:
    """Write what is rendered today as what is expected; returns how many cases changed."""
    changed = 0
    for file in sorted(FOLDER.glob("*.md")):
        lines, renewed = file.read_text("utf-8").split("\n"), []
        position = 0
        for case, start, end in _places(lines, file.stem):
            html = case.render()
            changed += html != case.expected
            renewed += [*lines[position:start], *html.split("\n")]
            position = end
        file.write_text("\n".join([*renewed, *lines[position:]]), "utf-8")
    return changed


def _cases(file: Path) -> Iterator[Case]:
    for case, _, _ in _places(file.read_text("utf-8").split("\n"), file.stem):
        yield case


def _places(lines: list[str], name: str) -> Iterator[tuple[Case, int, int]]:
    """Each case with the lines between which its expected HTML stands."""
    dots = [number for number, line in enumerate(lines) if line == "."]
    if len(dots) % 3:
        raise ValueError(f"{name}.md: a case needs three lines of a dot; there are {len(dots)}")
    for first, second, third in zip(dots[::3], dots[1::3], dots[2::3], strict=True):
        text, expected = "\n".join(lines[first + 1 : second]), "\n".join(lines[second + 1 : third])
        yield Case(name, lines[first - 1], text, expected), second + 1, third
