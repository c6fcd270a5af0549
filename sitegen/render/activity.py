"""A run of work told in one sentence made from what was done: "Read 4 files, edited `parser.py` and 1 other".

Knows steps and the catalogue's phrases. A failure is always part of the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from markupsafe import Markup, escape

from sitegen.catalogue import Catalogue
from sitegen.render.steps import Deed, Kind, Step
from sitegen.render.text import visible

_PHRASES = 4
_NAMED: frozenset[Kind] = frozenset({"edit", "write", "create"})
"""Kinds that name one of several objects; the others only count them."""
_DISTINCT: frozenset[Kind] = frozenset({"read", "edit", "write", "list", "create", "skill"})
"""Kinds that count what was acted on, not how often."""
_TELLING: tuple[Kind, ...] = (
    "edit",
    "write",
    "create",
    "test",
    "agent",
    "plan",
    "ask",
    "image",
    "run",
    "code",
    "web",
    "fetch",
    "skill",
    "tool",
    "read",
    "search",
    "list",
    "todo",
    "watch",
)
"""What matters most to a reader first, for a run that has too much to tell."""
_QUOTED: frozenset[Kind] = frozenset({"web", "create"})
"""Kinds whose object is words, not code."""
_PLACE = "\x01"


def tell(steps: Sequence[Deed | Step], t: Catalogue) -> Markup:
    """The sentence for a run's steps, as phrasing content; for a run without steps it says that there was thinking."""
    if not steps:
        return escape(_capital(t("render.thought")))
    kinds: dict[Kind, list[Deed | Step]] = {}
    for step in steps:
        kinds.setdefault(step.kind, []).append(step)
    told = sorted(kinds, key=_TELLING.index)[:_PHRASES] if len(kinds) > _PHRASES else list(kinds)
    phrases = [_phrase(kind, group, t) for kind, group in kinds.items() if kind in told]
    if rest := [step for kind, group in kinds.items() if kind not in told for step in group]:
        phrases.append(str(escape(t("render.did_more", n=len(rest)))) + _failures(rest, t))
    phrases[0] = _capital(phrases[0])
    return Markup(str(escape(t("render.list_join"))).join(phrases))


def _phrase(kind: Kind, steps: Sequence[Deed | Step], t: Catalogue) -> str:
    objects: dict[str, str] = {}
    for step in steps:
        if step.object:
            objects.setdefault(step.key or step.object, step.object)
    count = len(objects) if kind in _DISTINCT and objects else len(steps)
    first = next(iter(objects.values()), "")
    if kind == "tool" and len(objects) > 1:
        text = t("render.did_tools", n=len(objects))
    elif not first or (count > 1 and kind not in _NAMED and kind != "tool"):
        text = t(f"render.did_{kind}_some", n=count)
    elif count == 1:
        text = t(f"render.did_{kind}", what=_PLACE)
    else:
        text = t(f"render.did_{kind}_more", what=_PLACE, n=count - 1 if kind in _NAMED else count)
    told = str(escape(text))
    if _PLACE in told:
        name, tag = escape(visible(first)), "q" if kind in _QUOTED else "code"
        told = told.replace(_PLACE, name if kind == "fetch" else f"<{tag}>{name}</{tag}>")
    return told + _delta(steps) + _failures(steps, t)


def _delta(steps: Iterable[Deed | Step]) -> str:
    added, removed = sum([step.added for step in steps]), sum([step.removed for step in steps])
    return f" {delta(added, removed)}" if added or removed else ""


def delta(added: int, removed: int) -> Markup:
    """Counts of lines added and removed: "+12 −3"; empty when nothing changed."""
    signs = [f"+{added}"] * bool(added) + [f"−{removed}"] * bool(removed)
    return Markup(f'<span class="delta">{" ".join(signs)}</span>') if signs else Markup()


def _failures(steps: Sequence[Deed | Step], t: Catalogue) -> str:
    failed = sum([step.failed for step in steps])
    if not failed:
        return ""
    key = "render.failed" if len(steps) == 1 else "render.failed_all" if failed == len(steps) else "render.failed_some"
    return f' <span class="failed">({escape(t(key, n=failed))})</span>'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    """Seconds from one moment to a later one; None when either is unknown or they stand the wrong way round."""
    if start is None or end is None or end < start:
        return None
    return (end - start).total_seconds()


def duration(seconds: float | None, t: Catalogue) -> str:
    """A duration for people, in the one or two units that matter; empty when it's unknown or under a second."""
    if seconds is None or seconds < 1:
        return ""
    whole = round(seconds)
    if whole < 60:
        return t("render.seconds", s=whole)
    minutes = round(seconds / 60)
    if minutes < 60:
        return t("render.minutes", m=minutes)
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return t("render.hours_minutes", h=hours, m=minutes) if minutes and hours < 10 else t("render.hours", h=hours)
    return t("render.days", d=hours // 24)
