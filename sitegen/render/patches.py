"""Changes to files as rows, whatever form they come in: two texts, a structured patch, a unified diff, a Codex patch.

Knows lines and their numbers, not HTML. Comparing takes time linear in the input: what differs too much is shown as
taken out and put in whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct, field

from sitegen.model import Json

RowKind = Literal[" ", "-", "+", "@"]
Verb = Literal["update", "add", "delete"]

_CONTEXT = 3
_EDIT_LIMIT = 400
_STEP_LIMIT = 4_000_000
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)", re.S)
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.*)")
_VERBS: dict[str, Verb] = {"Add": "add", "Update": "update", "Delete": "delete"}
_DIFF_LINE = re.compile(r"^(?:[+-]|@@ )", re.M)


class Row(Struct, frozen=True):
    """A line of a diff. "@" rows say where the next lines are; `old` and `new` are line numbers where they're known."""

    kind: RowKind
    text: str
    old: int | None = None
    new: int | None = None


class FilePatch(Struct, frozen=True):
    """What happened to one file."""

    path: str = ""
    verb: Verb = "update"
    moved_to: str = ""
    rows: tuple[Row, ...] = field(default=())


def counts(rows: Iterable[Row]) -> tuple[int, int]:
    """Lines added and lines removed."""
    kinds = [row.kind for row in rows]
    return kinds.count("+"), kinds.count("-")


# --------------------------------------------------------------------------------------------------------- two texts


def compare(old: str, new: str, *, is_numbered: bool = False) -> list[Row]:
    """The rows from `old` to `new` with a few lines around each change, numbered if the texts are whole files."""
    a, b = _lines(old), _lines(new)
    rows: list[Row] = []
    at, bt = 0, 0
    for i, j, length in (*matches(a, b), (len(a), len(b), 0)):
        rows += (Row("-", line, n) for n, line in enumerate(a[at:i], start=at + 1))
        rows += (Row("+", line, None, n) for n, line in enumerate(b[bt:j], start=bt + 1))
        same = enumerate(a[i : i + length])
        rows += (Row(" ", line, i + n + 1, j + n + 1) for n, line in same)
        at, bt = i + length, j + length
    rows = list(_near(rows))
    return rows if is_numbered else [Row(row.kind, row.text) for row in rows]


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _near(rows: list[Row]) -> Iterator[Row]:
    """The rows without those far from any change; an empty "@" row where some are left out."""
    keep = bytearray(len(rows))
    for at, row in enumerate(rows):
        if row.kind != " ":
            keep[max(0, at - _CONTEXT) : at + _CONTEXT + 1] = b"\1" * (
                min(len(rows), at + _CONTEXT + 1) - max(0, at - _CONTEXT)
            )
    was_left_out = False
    for is_kept, row in zip(keep, rows, strict=True):
        if is_kept:
            if was_left_out:
                yield Row("@", "")
            yield row
        was_left_out = not is_kept


def matches(a: Sequence[str], b: Sequence[str], *, limit: int = _EDIT_LIMIT) -> list[tuple[int, int, int]]:
    """Stretches (start in `a`, start in `b`, length) that are equal, in order: a shortest edit up to `limit` edits.

    Beyond it only the equal beginning and end.
    """
    start = _common(a, b)
    end = min(_common(reversed(a), reversed(b)), len(a) - start, len(b) - start)
    middle = _shortest(a[start : len(a) - end], b[start : len(b) - end], limit)
    found = [(start + i, start + j, length) for i, j, length in middle]
    return [(0, 0, start)] * (start > 0) + found + [(len(a) - end, len(b) - end, end)] * (end > 0)


def _common(a: Iterable[str], b: Iterable[str]) -> int:
    """How many are equal from the beginning on."""
    count = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        count += 1
    return count


def _shortest(a: Sequence[str], b: Sequence[str], limit: int) -> list[tuple[int, int, int]]:
    """Myers' greedy search: how far each diagonal gets with so many edits; [] when it takes more than `limit`."""
    if not a or not b:
        return []
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(limit, _STEP_LIMIT // (len(a) + len(b)), len(a) + len(b)) + 1):
        trace.append(reached.copy())
        for diagonal in range(-edits, edits + 1, 2):
            x = _step(reached, diagonal, edits)
            y = x - diagonal
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x += 1
                y += 1
            reached[diagonal] = x
            if x >= len(a) and y >= len(b):
                return _walk_back(trace, len(a), len(b))
    return []


def _step(reached: dict[int, int], diagonal: int, edits: int) -> int:
    """Where an edit leads on `diagonal`: down from the one above, or right from the one below."""
    if diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]):
        return reached[diagonal + 1]
    return reached[diagonal - 1] + 1


def _walk_back(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        reached = trace[edits]
        diagonal = x - y
        begin = _step(reached, diagonal, edits)
        if x > begin:
            found.append((begin, begin - diagonal, x - begin))
        is_down = begin == reached.get(diagonal + 1) and (
            diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1])
        )
        x = begin if is_down else begin - 1
        y = begin - diagonal - 1 if is_down else begin - diagonal
    return found[::-1]


# ------------------------------------------------------------------------------------------------------ what is stored


def from_structured(patch: Json) -> list[Row]:
    """The rows of a record's `structuredPatch`; [] for anything else."""
    rows: list[Row] = []
    for hunk in patch if isinstance(patch, list) else ():
        lines = hunk.get("lines") if isinstance(hunk, dict) else None
        if isinstance(hunk, dict) and isinstance(lines, list):
            if rows:
                rows.append(Row("@", ""))
            old, new = (number if isinstance(number := hunk.get(key), int) else 1 for key in ("oldStart", "newStart"))
            rows += _hunk((line for line in lines if isinstance(line, str)), old, new)
    return rows


def _hunk(lines: Iterable[str], old: int | None, new: int | None) -> Iterator[Row]:
    """Rows of lines that begin with their sign, numbered from `old` and `new`."""
    for line in lines:
        sign, text = line[:1], line[1:].removesuffix("\r")
        if sign == "\\":
            yield Row("@", text.strip())
        elif sign == "-":
            yield Row("-", text, old)
        elif sign == "+":
            yield Row("+", text, None, new)
        else:
            yield Row(" ", text if sign == " " else line, old, new)
        if old is not None and sign not in ("+", "\\"):
            old += 1
        if new is not None and sign not in ("-", "\\"):
            new += 1


def is_patch(text: str) -> bool:
    """Whether `text` has lines of a diff at all."""
    return _DIFF_LINE.search(text) is not None


def parse_unified(text: str) -> list[FilePatch]:
    """The files of a unified diff. A text without any header is one file without a path."""
    files: list[FilePatch] = []
    rows: list[Row] = []
    path, lines, at = "", text.replace("\r\n", "\n").removesuffix("\n").split("\n"), 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("--- ") and lines[at + 1 : at + 2] and lines[at + 1].startswith("+++ "):
            if rows:  # else the path is that of the "diff --git" line before
                files, rows = _finished(files, path, rows), []
            path = _path_of(lines[at + 1]) or _path_of(line)
            at += 2
        elif line.startswith("diff --git "):
            files, rows = _finished(files, path, rows), []
            path = line.rpartition(" b/")[2] if " b/" in line else ""
            at += 1
            while at < len(lines) and not lines[at].startswith(("--- ", "@@ ", "diff --git ")):
                at += 1
        elif (hunk := _HUNK.fullmatch(line)) is not None:
            end = _hunk_end(lines, at + 1, hunk)
            rows.append(Row("@", hunk[5]))
            rows += _hunk(lines[at + 1 : end], int(hunk[1]), int(hunk[3]))
            at = end
        else:
            rows += [Row("@", line[2:].strip())] if line.startswith("@@") else _hunk([line], None, None)
            at += 1
    return _finished(files, path, rows)


def _finished(files: list[FilePatch], path: str, rows: list[Row]) -> list[FilePatch]:
    if not rows and not path:
        return files
    kept = rows[1:] if rows and rows[0] == Row("@", "") else rows
    return [*files, FilePatch(path, rows=tuple(kept))]


def _path_of(line: str) -> str:
    name = line[4:].split("\t", 1)[0].strip()
    return "" if name == "/dev/null" else name.removeprefix("a/").removeprefix("b/")


def _hunk_end(lines: list[str], start: int, hunk: re.Match[str]) -> int:
    """The line after a hunk, by the lengths in its header."""
    old, new = (int(count) if count is not None else 1 for count in (hunk[2], hunk[4]))
    at = start
    while at < len(lines) and (old > 0 or new > 0 or lines[at].startswith("\\")):
        sign = lines[at][:1]
        old -= sign not in ("+", "\\")
        new -= sign not in ("-", "\\")
        at += 1
    return at


def is_codex_patch(text: str) -> bool:
    """Whether `text` is, or holds, a patch as `apply_patch` takes it."""
    return "*** Begin Patch" in text


def parse_codex(text: str) -> list[FilePatch]:
    """The files of a `*** Begin Patch` text; text around it doesn't count."""
    body = text.replace("\r\n", "\n").partition("*** Begin Patch")[2].partition("\n*** End Patch")[0]
    files: list[FilePatch] = []
    lines: list[str] = []
    for line in body.split("\n")[1:]:
        header = _FILE.fullmatch(line)
        if header is None:
            lines.append(line)
            continue
        files, lines = _with_rows(files, lines), []
        files.append(FilePatch(header[2].strip(), _VERBS[header[1]]))
    return _with_rows(files, lines)


def _with_rows(files: list[FilePatch], lines: list[str]) -> list[FilePatch]:
    if not files:
        return files
    last = files[-1]
    moved = next((line[13:].strip() for line in lines if line.startswith("*** Move to: ")), "")
    rows: list[Row] = []
    for line in lines:
        if line.startswith("@@"):
            place = line.strip("@ ")
            rows += [Row("@", place)] if rows or place else []
        elif not line.startswith("*** "):
            rows += _hunk([line], None, None)
    return [*files[:-1], FilePatch(last.path, last.verb, moved, tuple(rows))]
