"""A long path drawn by several processes: each takes the next leg of it that nobody has begun, so does this one.

What a leg shows of what came before is foretold. Where it turns out to be otherwise, or a process dies, the leg is
drawn here again: a path is the same whoever drew it. Nobody is waited for, since others may have more to do.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Final, Protocol

from msgspec import Struct, field

from sitegen.model import ConversationHead
from sitegen.render.context import Context, RenderOptions
from sitegen.render.drawing import Drawing, Nested
from sitegen.render.exchanges import arranged, draw_group
from sitegen.render.fragments import Fragments, Keyed, State
from sitegen.render.items import ForkMark, Item, Run
from sitegen.render.tree import Alternative

_LEG_STEPS: Final = 100
"""What was said and done in a leg, counted: few enough that no process waits long for the last."""

Drawn = list[tuple[State, Keyed]]
"""Fragments with the state that each was drawn after."""


class Help(Protocol):
    """Other processes that draw, too."""

    @property
    def most(self) -> int:
        """How many legs they may have at once."""

    def draw(self, leg: bytes, /) -> Future[Drawn]:
        """Has one of them do `draw_leg`. Raises RuntimeError when they don't take any more."""


class _Leg(Struct, frozen=True):
    """Some exchanges of a path, with all that another process must know to draw them."""

    options: RenderOptions
    head: ConversationHead
    shows_models: bool
    before: State
    groups: Sequence[Sequence[Item]]
    choices: Mapping[str, tuple[Alternative, ...]]
    nested: Mapping[str, tuple[Nested, ...]]


def draw_leg(packed: bytes) -> Drawn:
    """The fragments of a leg. Runs in another process."""
    leg: _Leg = pickle.loads(packed)  # noqa: S301 - it comes from the process that started this one
    ctx = Context(leg.options, leg.head, fragments=Fragments())
    drawing = Drawing(ctx, choices=leg.choices, nested=leg.nested, shows_models=leg.shows_models)
    return _drawn(leg.groups, drawing, leg.before)


def _drawn(groups: Iterable[Sequence[Item]], drawing: Drawing, before: State) -> Drawn:
    drawing.state = before
    return [(drawing.state, draw_group(group, drawing)) for group in groups]


def draw_together(groups: Iterable[Sequence[Item]], drawing: Drawing, help: Help) -> Iterator[Keyed]:
    """The fragments of a path in their order. `help` draws some of its legs."""
    table = _Table(drawing, help, deque(_legs(groups, drawing)))
    for _ in range(help.most):
        table.hand_over()
    while (leg := table.take()) is not None:
        leg.draw(drawing.anew())
        while table.begun and table.begun[0].future.done():
            yield from table.begun.popleft().put_in_place(drawing)
    for leg in reversed(table.begun):  # the first of them will be there soonest
        if not leg.future.done():
            leg.draw(drawing.anew())
    while table.begun:
        yield from table.begun.popleft().put_in_place(drawing)


def _legs(groups: Iterable[Sequence[Item]], drawing: Drawing) -> Iterator[tuple[State, list[Sequence[Item]]]]:
    """A path in legs, each with the state that it begins in."""
    ahead = drawing.anew()
    before, leg, steps = ahead.state, list[Sequence[Item]](), 0
    for group in groups:
        leg.append(group)
        for item in arranged(group):
            ahead.pass_over(item)
            steps += len(item.entries) if isinstance(item, Run) else 1
        if steps >= _LEG_STEPS:
            yield before, leg
            before, leg, steps = ahead.state, [], 0
    if leg:
        yield before, leg


class _Begun(Struct):
    """A leg that somebody draws."""

    before: State
    groups: Sequence[Sequence[Item]] | bytes
    """As they were packed for another process, which takes less memory."""
    future: Future[Drawn]

    def draw(self, drawing: Drawing) -> None:
        """Has it drawn here, whoever draws it too."""
        self.future = Future()
        self.future.set_result(_drawn(self._unpacked(), drawing, self.before))

    def put_in_place(self, drawing: Drawing) -> Iterator[Keyed]:
        """The fragments, in so far as they fit where the path stands; the others are drawn now."""
        drawn = self.future.result() if self.future.exception() is None else []
        done = 0
        for before, (key, fragment) in drawn:
            if before != drawing.state or not drawing.takes(fragment):
                break
            yield key, fragment
            done += 1
        if done == 0 or done < len(drawn):
            # If a process died: what is wrong with the leg itself is told here.
            yield from (draw_group(group, drawing) for group in self._unpacked()[done:])

    def _unpacked(self) -> Sequence[Sequence[Item]]:
        if not isinstance(self.groups, bytes):
            return self.groups
        leg: _Leg = pickle.loads(self.groups)  # noqa: S301 - it was packed here
        return leg.groups


class _Table(Struct):
    """The legs of a path in their order: those that are begun, and behind them those that wait."""

    drawing: Drawing
    help: Help
    waiting: deque[tuple[State, Sequence[Sequence[Item]]]]
    begun: deque[_Begun] = field(default_factory=deque)
    _lock: Lock = field(default_factory=Lock)

    def take(self) -> _Begun | None:
        """The first leg that waits, to be drawn here; None when none does."""
        with self._lock:
            if not self.waiting:
                return None
            leg = _Begun(*self.waiting.popleft(), Future())
            self.begun.append(leg)
            return leg

    def hand_over(self) -> None:
        """Gives the first leg that waits to another process, and one more when that has ended."""
        with self._lock:
            if len(self.waiting) < 2:  # the last one is drawn here sooner
                return
            before, groups = self.waiting[0]
            try:
                packed = self._packed(before, groups)
                future = self.help.draw(packed)
            except (RecursionError, RuntimeError):  # nested too deep to be packed; or a process has died
                return
            self.waiting.popleft()
            self.begun.append(_Begun(before, packed, future))
        future.add_done_callback(self._accept)

    def _packed(self, before: State, groups: Sequence[Sequence[Item]]) -> bytes:
        drawing, items = self.drawing, [item for group in groups for item in group]
        leg = _Leg(
            options=drawing.ctx.options,
            head=drawing.ctx.head,
            shows_models=drawing.shows_models,
            before=before,
            groups=groups,
            choices={item.message.id: drawing.choices[item.message.id] for item in items if isinstance(item, ForkMark)},
            nested={key: agents for item in items for key, agents in drawing.within(item).items()},
        )
        return pickle.dumps(leg, protocol=5)

    def _accept(self, future: Future[Drawn]) -> None:
        if not future.cancelled() and future.exception() is None:
            self.hand_over()
