"""Puts the messages of a branching conversation in line: parents before children, the chosen path last of all."""

from __future__ import annotations

from collections.abc import Mapping


def in_line(parents: Mapping[str, str | None], leaf: str | None) -> list[str]:
    """The ids in an order in which readers, who take the newest message for the end, see the path to `leaf`.

    Siblings stay in the order of `parents`, but for the one on that path, which comes after all. A parent that isn't
    there makes a root; a circle is cut where it is met first.
    """
    children: dict[str | None, list[str]] = {}
    for name, parent in parents.items():
        children.setdefault(parent if parent in parents and parent != name else None, []).append(name)
    chosen = path_to(parents, leaf)
    roots = children.get(None, [])
    rooted: dict[str, None] = {}
    _walk(children, roots, chosen, rooted)
    # Only circles are left: no root leads to them.
    circles = list(dict.fromkeys(_top(parents, name) for name in parents if name not in rooted))
    order: dict[str, None] = {}
    for top in sorted([*roots, *circles], key=lambda name: name in chosen):
        _walk(children, [top], chosen, order)
    return list(order)


def path_to(parents: Mapping[str, str | None], leaf: str | None) -> set[str]:
    """The messages from the root to `leaf`."""
    path: set[str] = set()
    while leaf is not None and leaf in parents and leaf not in path:
        path.add(leaf)
        leaf = parents[leaf]
    return path


def _top(parents: Mapping[str, str | None], name: str) -> str:
    """Where the way up from a message meets a circle."""
    seen: set[str] = set()
    while name not in seen and (above := parents[name]) in parents and above is not None:
        seen.add(name)
        name = above
    return name


def _walk(children: Mapping[str | None, list[str]], roots: list[str], chosen: set[str], order: dict[str, None]) -> None:
    # A stack, for a conversation may be deeper than Python's own.
    waiting = _last_first(roots, chosen)
    while waiting:
        name = waiting.pop()
        if name not in order:
            order[name] = None
            waiting += _last_first(children.get(name, []), chosen)


def _last_first(names: list[str], chosen: set[str]) -> list[str]:
    others = [name for name in names if name not in chosen]
    return [name for name in names if name in chosen] + others[::-1]
