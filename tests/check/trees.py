"""Small trees to check: pages from a few words, written where a test wants them."""

from __future__ import annotations

from pathlib import Path

from sitegen.check import check_tree

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'"
)


def page(body: str = "", *, head: str = "", policy: str | None = POLICY) -> str:
    """A page with a strict policy unless another is given."""
    meta = "" if policy is None else f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    head = f'<meta charset="utf-8">{meta}{head}'
    return f'<!doctype html><html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>'


def plant(root: Path, **files: str) -> Path:
    """Write files whose names are given with `__` for `/` and `_` for `.`; there is always a home page."""
    tree = {"index.html": page()} | {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    for path, text in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def sentences(root: Path, *, base_url: str | None = None) -> list[str]:
    """What a check says, warnings with their mark."""
    report = check_tree(root, base_url=base_url)
    return [("warning: " if finding.level == "warning" else "") + str(finding) for finding in report.findings]
