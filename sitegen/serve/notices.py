"""The pages that the preview shows in place of the site's own: that something is wrong, or isn't made yet."""

from __future__ import annotations

from typing import Final

from markupsafe import escape

from sitegen.serve.status import Status

_STYLE: Final = """
:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:50rem;margin:3rem auto;padding:0 1rem}
pre{font:.95rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;padding:1rem;
border-inline-start:.3rem solid #b3261e;background:#8881}
"""


def notice_page(status: Status) -> str:
    """The page for a preview that has nothing better to show; it names the problem, if there is one."""
    if status.problem is not None:
        return _page(
            "The site can't be built",
            status.problem,
            "Mend it and save: this page goes by itself. Nothing of this is published.",
        )
    if status.waiting is not None:
        return _page("Waiting", status.waiting, "This page goes by itself when that is over.")
    return _page("Building the site …", None, "This page goes by itself when it's done.")


def _page(title: str, text: str | None, hint: str) -> str:
    said = f"<pre role=alert>{escape(text)}</pre>" if text is not None else ""
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">\n<title>{escape(title)} · sitegen</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{_STYLE}</style>\n</head>\n'
        f"<body>\n<h1>{escape(title)}</h1>\n{said}\n<p>{escape(hint)}</p>\n</body>\n</html>\n"
    )
