"""The index for a site opened from disk: titles and prompts in scripts of bounded size, loaded one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from sitegen.model import Document, Json
from sitegen.search.talks import Found, shortened

SHARD_BYTES = 200_000
_PROMPT = 300
"""Characters of a prompt that can be searched for."""


def make_index(path: str, found: Iterable[Found]) -> Iterator[Document]:
    """`<path>0.js`, `<path>1.js` … Each calls `sitegenIndex(number, isLast, rows)`, and a row is one conversation:
    `[title, day, href, [[href, prompt], …]]`; the `href`s start from the site's root.
    """
    number = 0
    shard: list[str] = []
    for row in _rows(found):
        if shard and sum(map(len, shard)) + len(row) > SHARD_BYTES:
            yield _shard(path, number, shard, is_last=False)
            number, shard = number + 1, []
        shard.append(row)
    yield _shard(path, number, shard, is_last=True)


def _rows(found: Iterable[Found]) -> Iterator[str]:
    """Conversations as JSON; one of very many prompts takes several rows."""
    for each in found:
        prompts = [
            (href, shortened(turn.text, _PROMPT))
            for turn, href in zip(each.turns, each.hrefs, strict=True)
            if turn.is_prompt
        ]
        for start in range(0, max(len(prompts), 1), 200):
            rows: list[Json] = [[href, text] for href, text in prompts[start : start + 200]]
            yield _json([each.title, each.day, each.href, rows])


def _shard(path: str, number: int, rows: Iterable[str], *, is_last: bool) -> Document:
    text = f"sitegenIndex({number},{json.dumps(is_last)},[{','.join(rows)}])\n"
    return Document(f"{path}{number}.js", text.encode("utf-8", "replace"))


def _json(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
