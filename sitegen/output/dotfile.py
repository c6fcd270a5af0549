"""The dot file in the output folder: how sitegen knows its own files again when the state is lost.

One line for each file written: a truncated SHA-256 over path, NUL and the SHA-256 of the content, sorted, and padded
with lines that mean nothing. It names no path and counts no files, so it tells a stranger nothing. While a build runs,
the lines of files about to be written are appended first.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from sitegen.output.failures import as_output_error
from sitegen.output.layout import DOT_FILE

_HEADER = "# Written by sitegen, which knows its own files by these lines and touches no others."
_DIGITS = 24
_FEWEST_LINES = 64


def line_for(path: str, sha256: str) -> str:
    """The line of a file with that path and the hexadecimal SHA-256 of its content."""
    return hashlib.sha256(f"{path}\0{sha256}".encode()).hexdigest()[:_DIGITS]


def read_lines(root: Path) -> frozenset[str] | None:
    """The lines of the dot file in `root`; None when there is none that sitegen wrote."""
    file = root / DOT_FILE
    try:
        if file.is_symlink():
            return None
        lines = file.read_text("ascii").split("\n")
    except (OSError, ValueError):
        return None
    return frozenset(lines[1:]) - {""} if lines[0] == _HEADER else None


def append_lines(root: Path, lines: Iterable[str]) -> None:
    """Add lines before the files they stand for are written. One write: several processes may append at once."""
    data = ("".join(f"\n{line}" for line in lines) + "\n").encode("ascii")
    try:
        descriptor = os.open(root / DOT_FILE, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW)
        try:
            if os.write(descriptor, data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise as_output_error(error, root / DOT_FILE) from error


def dot_file_bytes(lines: Iterable[str]) -> bytes:
    """The content of a finished build's dot file: the same for the same lines in any order."""
    real = sorted(set(lines))
    decoys = _decoys(real, _padded(len(real)) - len(real))
    return "\n".join([_HEADER, *sorted([*real, *decoys]), ""]).encode("ascii")


def _decoys(lines: list[str], count: int) -> list[str]:
    """Lines that only someone who already knows all real ones could tell from them."""
    seed = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return [hashlib.sha256(f"{seed} {number}".encode()).hexdigest()[:_DIGITS] for number in range(count)]


def _padded(count: int) -> int:
    """The next number that shares its leading bits with few others, at most an eighth above `count`."""
    count = max(count, _FEWEST_LINES)
    step = 1 << max(count.bit_length() - 4, 0)
    return -(-count // step) * step
