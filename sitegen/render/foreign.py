"""Renderers of other packages: for tools, and for kinds of blocks that sitegen doesn't know.

They come first for what they name. One that fails, or gives what no page may show, costs nothing: ours goes on, and
what happened is told. Packages add theirs as entry points of the group `sitegen.renderers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, get_args

from markupsafe import Markup
from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.installed import entry_points_of
from sitegen.model import Block, JsonObject
from sitegen.render.context import Context
from sitegen.render.steps import Kind, PairedCall, Step
from sitegen.render.text import clean
from sitegen.render.vetting import UnfitError, vetted, vetted_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "sitegen.renderers"
_KINDS: Final = frozenset(get_args(Kind))


class CallRenderer(Protocol):
    """Renders the calls of some tools."""

    tools: Iterable[str]
    """Their names, in any case."""

    def render_call(self, call: PairedCall, ctx: Context, /) -> Step | None:
        """The step of a call; None leaves it to sitegen."""


class BlockRenderer(Protocol):
    """Renders blocks of types that sitegen doesn't know."""

    blocks: Iterable[str]
    """The types, as the source calls them."""

    def render_block(self, block: JsonObject, ctx: Context, /) -> Markup | None:
        """The HTML of a block; None leaves it to sitegen."""


class Foreign(Struct, frozen=True):
    """All that is installed, by what it renders; `faults` are sentences on what can't be used."""

    calls: Mapping[str, tuple[str, Callable[[PairedCall, Context], Step | None]]] = field(default_factory=dict)
    blocks: Mapping[str, tuple[str, Callable[[JsonObject, Context], Markup | None]]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    @classmethod
    def load(cls) -> Foreign:
        """What is installed, by name; of two for one thing the first counts. One that can't be loaded is a fault."""
        found = cls({}, {})
        faults: list[str] = []
        for point in entry_points_of(GROUP):
            try:
                found = found._with(point)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with it, ours go on
                faults.append(f"The renderer “{point.name}” ({point.value}) can't be used: {_said(error)}")
        return replace(found, faults=tuple(faults))

    def _with(self, point: EntryPoint) -> Foreign:
        made = point.load()
        renderer = made() if isinstance(made, type) else made
        tools = [str(name).lower() for name in getattr(renderer, "tools", ())]
        blocks = [str(name) for name in getattr(renderer, "blocks", ())]
        if not tools and not blocks:
            raise UnfitError("it names neither tools nor blocks")
        calls = dict.fromkeys(tools, (point.name, renderer.render_call)) if tools else {}
        others = dict.fromkeys(blocks, (point.name, renderer.render_block)) if blocks else {}
        return replace(self, calls={**calls, **self.calls}, blocks={**others, **self.blocks})

    def call(self, call: PairedCall, ctx: Context) -> Step | None:
        """The step that another package makes of a call; None when ours is to be used."""
        found = self.calls.get(call.tool_name.strip().lower())
        if found is None:
            return None
        name, render = found
        try:
            step = render(call, ctx)
            return None if step is None else _fit(step, call.anchor)
        except Exception as error:  # noqa: BLE001 - whatever it does, the conversation is shown
            ctx.tell(f"The renderer “{name}” failed for a call of {call.tool_name}, and ours was used: {_said(error)}")
            return None

    def block(self, block: Block, ctx: Context, *, anchor: str) -> Markup | None:
        """The HTML that another package makes of a block without text; None when ours is to be used."""
        raw = block.payload.get("unknown_block")
        kind = raw.get("type") if isinstance(raw, dict) else None
        found = self.blocks.get(kind) if isinstance(kind, str) else None
        if found is None or not isinstance(raw, dict):
            return None
        name, render = found
        try:
            html = render(raw, ctx)
            return None if html is None else vetted(html, anchor=anchor)
        except Exception as error:  # noqa: BLE001 - likewise
            ctx.tell(f"The renderer “{name}” failed for a block of type {kind}, and ours was used: {_said(error)}")
            return None


def _fit(step: Step, anchor: str) -> Step:
    """The step with all its HTML vetted. Raises UnfitError."""
    if not isinstance(step, Step):
        raise UnfitError(f"it gave {type(step).__name__} where a Step is expected")
    if step.kind not in _KINDS:
        raise UnfitError(f"“{step.kind}” is no kind of step")
    return Step(
        kind=step.kind,
        summary=vetted_line(step.summary),
        detail=vetted(step.detail, anchor=anchor),
        preview=vetted(step.preview, anchor=anchor),
        object=clean(str(step.object)),
        key=clean(str(step.key)),
        added=int(step.added),
        removed=int(step.removed),
        failed=bool(step.failed),
        is_open=bool(step.is_open),
        duration_s=None if step.duration_s is None else float(step.duration_s),
    )


def _said(error: Exception) -> str:
    words = clean(str(error)).splitlines()
    return words[0][:200] if isinstance(error, UnfitError) else f"{type(error).__name__}: {(words or [''])[0][:200]}"
