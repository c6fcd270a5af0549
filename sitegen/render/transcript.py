"""The whole of a conversation rendered: its paths, its subagents, its facts, its exports, in one `Transcript`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import escape
from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.bulk import sha256_of
from sitegen.model import BranchPage, Conversation, Exchange, Facts, Message, Transcript
from sitegen.render.activity import duration, seconds_between, tell
from sitegen.render.context import Context, Others, RenderOptions
from sitegen.render.drawing import Drawing, Nested
from sitegen.render.facts import gather, models
from sitegen.render.fragments import Fragments
from sitegen.render.items import Adrift, Answer, Aside, Item, Prompt, Reading
from sitegen.render.json_export import Strand, export_json
from sitegen.render.markdown_export import export_markdown
from sitegen.render.paths import draw_path, draw_thread
from sitegen.render.subagents import Thread, threads
from sitegen.render.together import Help
from sitegen.render.tree import Alternative, grow
from sitegen.render.turns import is_prompt, read
from sitegen.wording.wrappers import Note

_TOLD_STATES = frozenset({"running", "paused", "failed"})


def render(
    conversation: Conversation,
    options: RenderOptions,
    *,
    others: Others | None = None,
    fragments: Fragments | None = None,
    help: Help | None = None,
) -> Transcript:
    """The conversation as its share shows it. The same input gives the same bytes on every machine.

    `others` are renderers of other packages, which come first for what they know. `fragments` of the same conversation
    that were made with the same options save making them again. `help` draws a part of it meanwhile, without `others`.
    """
    ctx = Context(options, conversation.head, others=others, fragments=fragments or Fragments(is_off=True))
    found = threads(conversation)
    agents = _draw_subagents(found, ctx)
    facts, texts = _read_paths(conversation, found[0], ctx)
    # From here on messages live only in what is yet to be drawn, unless somebody else has them.
    del conversation, found
    tracks = [_draw_track(text, agents, ctx, help) for text in texts]
    return _bound(facts, tracks, agents, ctx)


def _bound(facts: Facts, tracks: Sequence[_Track], agents: _Agents, ctx: Context) -> Transcript:
    shown = tracks[0]
    facts = replace(facts, errors=shown.failures)
    strands = [track.strand for track in tracks]
    markdown = export_markdown(facts, strands, ctx)
    json = export_json(facts, strands, agents.strands)
    return Transcript(
        facts=facts,
        exchanges=shown.exchanges,
        branches=tuple(BranchPage(track.strand.name, track.exchanges) for track in tracks[1:]),
        files=ctx.files,
        markdown_file=markdown,
        json_file=json,
        export_hashes=(sha256_of(markdown), sha256_of(json)),
        notes=ctx.told,
    )


# ---------------------------------------------------------------------------------------------------------- paths


class _Text(Struct, frozen=True):
    """A path, read: its name, the ids of its messages, its items."""

    name: str
    ids: tuple[str, ...]
    items: list[Item]
    choices: Mapping[str, tuple[Alternative, ...]]
    shows_models: bool


class _Track(Struct, frozen=True):
    """A path, drawn."""

    strand: Strand
    exchanges: tuple[Exchange, ...]
    failures: int


def _read_paths(conversation: Conversation, main: Thread, ctx: Context) -> tuple[Facts, list[_Text]]:
    """What is known of the conversation before it's drawn, and its paths."""
    tree = grow(main.messages, forks=conversation.forks, source_id=ctx.head.source_id, is_prompt=is_prompt)
    if not ctx.options.branches and len(tree.paths) > 1:
        conversation = replace(conversation, hidden=(*conversation.hidden, ("branches", len(tree.paths) - 1)))
        tree = replace(tree, paths=tree.paths[:1], choices={})
    reading = Reading("", ctx.options.show, forks=frozenset(tree.choices), unanswered=tree.unanswered)
    shows_models = len(models(main.messages)) > 1
    texts = [
        _Text(
            path.name,
            tuple(each.id for each in path.messages),
            read(path.messages, reading),
            tree.choices,
            shows_models,
        )
        for path in tree.paths
    ]
    shown = tree.paths[0].messages
    if shown:
        texts[0].items.extend(_closing(shown[-1], conversation, has_strays=bool(main.strays)))
    return gather(conversation, ctx, messages=shown, items=texts[0].items), texts


def _draw_track(text: _Text, agents: _Agents, ctx: Context, help: Help | None) -> _Track:
    drawing = Drawing(ctx, choices=text.choices, nested=agents.nested, shows_models=text.shows_models)
    exchanges = draw_path(text.ids, text.items, drawing, help)
    return _Track(Strand(drawing.written, text.name), exchanges, drawing.failures)


def _closing(last: Message, conversation: Conversation, *, has_strays: bool) -> list[Item]:
    """What stands at the end of the active path: subagents without a call, and a state that isn't simply done."""
    items: list[Item] = [Adrift(last, "")] if has_strays else []
    if conversation.state in _TOLD_STATES:
        items.append(Aside(last, Note("state", title=conversation.state)))
    return items


# ------------------------------------------------------------------------------------------------------ subagents


class _Agents(Struct, frozen=True):
    """Every subagent, drawn and written, by the anchor of the step that started it (or the scope it is astray in)."""

    nested: dict[str, tuple[Nested, ...]] = field(default_factory=dict)
    strands: list[Strand] = field(default_factory=list)


def _draw_subagents(found: list[Thread], ctx: Context) -> _Agents:
    """Draws from the innermost out: a thread comes after the one that started it."""
    agents = _Agents()
    starters = {
        child: f"t-{thread.scope}{spot[0]}-{spot[1]}"
        for thread in found
        for spot, children in thread.started.items()
        for child in children
    }
    starters |= {child: thread.scope for thread in found for child in thread.strays}
    told = [_subagent_items(thread, ctx) for thread in found[1:]]
    levels = _levels(found, told)
    for at in range(len(found) - 1, 0, -1):
        _draw_subagent(found[at], told[at - 1], agents, ctx, key=starters[at], level=levels[at])
    agents.strands.reverse()
    return agents


def _subagent_items(thread: Thread, ctx: Context) -> list[Item]:
    items = read(thread.messages, Reading(thread.scope, ctx.options.show))
    if thread.is_prompt_told and items and isinstance(items[0], Prompt):
        items = items[1:]
    return [*items, Adrift(thread.messages[-1], thread.scope)] if thread.strays else items


def _levels(found: Sequence[Thread], told: Sequence[Sequence[Item]]) -> list[int]:
    """The rank of each thread's headings: one below those around it, if there are any before it."""
    levels = [2] * len(found)
    for at, thread in enumerate(found):
        is_headed = at == 0 or (bool(told[at - 1]) and isinstance(told[at - 1][0], Prompt | Answer))
        for child in (*thread.strays, *(child for children in thread.started.values() for child in children)):
            levels[child] = min(levels[at] + is_headed, 6)
    return levels


def _draw_subagent(thread: Thread, items: list[Item], agents: _Agents, ctx: Context, *, key: str, level: int) -> None:
    drawing = Drawing(ctx, thread.scope, level=level, nested=agents.nested)
    anchor = f"a-{thread.scope}{thread.messages[0].id if thread.messages else ''}"
    nested = draw_thread(items, drawing, anchor=anchor, summarise=lambda: _summary(thread, drawing, ctx))
    agents.nested[key] = (nested, *agents.nested.get(key, ()))
    agents.strands.append(Strand(drawing.written, started_by=key if key.startswith("t-") else None))


def _summary(thread: Thread, drawing: Drawing, ctx: Context) -> str:
    """A subagent's line: what it did, in how many steps and how long."""
    steps = drawing.deeds
    label = f'<span class="label">{escape(ctx.t("render.subagent"))}</span>'
    if not steps:
        return label
    times = [message.created_at for message in thread.messages if message.created_at]
    took = duration(seconds_between(times[0], times[-1]) if times else None, ctx.t)
    count = escape(" · ".join(filter(None, (ctx.t("render.steps", n=len(steps)), took))))
    return f'{label} <span class="did">{tell(steps, ctx.t)}</span><span class="took"> · {count}</span>'
