"""Where sitegen's own templates and static files are: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).resolve().parent


@cache
def resource_folder(kind: Literal["templates", "static"]) -> Path:
    """The folder of that kind. Raises FileNotFoundError when the installation is damaged."""
    for candidate in (_PACKAGE / "_data" / kind, _PACKAGE.parent / kind):
        if candidate.is_dir():
            return candidate
    msg = f"sitegen's own {kind} folder is missing from the installation at {_PACKAGE}; install sitegen again"
    raise FileNotFoundError(msg)
