"""Draws one session as Claude Code writes it: a JSON record a line, each with one block of content."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

from tests.bench.workload import words
from tests.bench.workload.code import Code
from tests.bench.workload.markdown import Markdown
from tests.bench.workload.text import Text
from tests.bench.workload.tools import Call, Tools

Record = dict[str, object]

MODEL = "claude-sonnet-4-5-20250929"
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"


class Session:
    """One session, growing record by record; `id` and `now` are known while it grows."""

    def __init__(self, seed: str, *, folder: str, start: datetime, scale: float = 1.0, images: float = 0.05) -> None:
        self._random = Random(seed)
        self._text = Text(self._random)
        self._markdown = Markdown(Code(self._text))
        self._tools = Tools(self._markdown, folder=folder, scale=scale)
        self.id = self._uuid()
        self.now = start
        self._folder = folder
        self._images = images
        self._parent: str | None = None
        self._written = 0

    def lines(self, messages: int) -> Iterator[str]:
        """So many records as JSON, after a line that sums the session up. May be asked again: the session goes on."""
        if not self._written:
            summary: Record = {"type": "summary", "summary": self._text.sentence()[:90], "leafUuid": self._uuid()}
            yield _line(summary)
        end = self._written + messages
        while self._written < end:
            yield from map(_line, self._turn(end))

    def pages(self, messages: int) -> Iterator[str]:
        """Prompts and large answers only, so many of both together: pages of Markdown."""
        for _ in range(messages // 2):
            yield _line(self._user(self._text.sentence()))
            yield _line(self._assistant({"type": "text", "text": self._markdown.answer("large")}, self._id("msg_01")))

    def _turn(self, end: int) -> Iterator[Record]:
        yield self._user(self._prompt())
        for _ in range(self._text.number(1, 9)):
            if self._written >= end - 1:
                break
            yield from self._step(end)
        if self._written < end:
            yield self._assistant({"type": "text", "text": self._markdown.answer()}, self._id("msg_01"))

    def _step(self, end: int) -> Iterator[Record]:
        """Perhaps thinking, perhaps a word, and a call with its result: blocks of one answer share its id."""
        message = self._id("msg_01")
        if self._text.chance(0.22) and self._written < end:
            yield self._assistant(self._thinking(), message)
        if self._text.chance(0.45) and self._written < end:
            said = self._markdown.answer("small" if self._text.chance(0.6) else "medium")
            yield self._assistant({"type": "text", "text": said}, message)
        if self._written < end - 1:
            call, use = self._tools.call(), "toolu_01" + message[6:]
            yield self._assistant({"type": "tool_use", "id": use, "name": call.name, "input": call.given}, message)
            yield self._result(use, call)

    def _prompt(self) -> str | list[object]:
        """Mostly words; some lists, tracebacks, markup, pictures, and the short ones that everyone types."""
        kind, text = self._random.random(), self._text
        if kind < 0.55:
            return text.paragraph(1, 3)
        if kind < 0.75:
            return f"{text.sentence()}\n\n{self._markdown.bullets()}"
        if kind < 0.88:
            return f"{text.sentence()}\n\n```\n{self._traceback()}\n```"
        if kind < 0.93:
            return text.fill(
                'why does `<div class="«ident»" onclick="alert(\'«1-9»\')">` & <script>console.log(1 < 2)</script>'
                " show up in «path»?"
            )
        if kind < 0.93 + self._images:
            source = {"type": "base64", "media_type": "image/png", "data": _png(self._random, side=text.number(32, 96))}
            return [{"type": "text", "text": text.sentence()}, {"type": "image", "source": source}]
        return text.pick(words.SHORT_PROMPTS)

    def _traceback(self) -> str:
        frame = f'  File "{self._folder}/«py»", line «1-900», in «ident»\n    return «ident»(«ident»)'
        frames = [self._text.fill(frame) for _ in range(self._text.number(2, 8))]
        return "\n".join(["Traceback (most recent call last):", *frames, self._text.fill("KeyError: '«ident»'")])

    def _thinking(self) -> Record:
        thoughts = "\n\n".join(self._text.paragraph(1, 4) for _ in range(self._text.number(1, 4)))
        signature = base64.b64encode(self._random.randbytes(180)).decode()
        return {"type": "thinking", "thinking": thoughts, "signature": signature}

    def _result(self, use: str, call: Call) -> Record:
        block: Record = {"tool_use_id": use, "type": "tool_result", "content": call.text}
        if call.is_error:
            block["is_error"] = True
        return self._user([block]) | {"toolUseResult": call.record}

    def _user(self, content: str | list[object] | list[Record]) -> Record:
        return self._envelope("user") | {"message": {"role": "user", "content": content}}

    def _assistant(self, block: Record, message: str) -> Record:
        usage = {
            "input_tokens": self._text.number(3, 900),
            "cache_creation_input_tokens": self._text.number(0, 9_000),
            "cache_read_input_tokens": self._text.number(0, 150_000),
            "output_tokens": self._text.number(1, 2_000),
            "service_tier": "standard",
        }
        said: Record = {"id": message, "type": "message", "role": "assistant", "model": MODEL, "content": [block]}
        said |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
        return self._envelope("assistant") | {"message": said, "requestId": "req_" + message[4:]}

    def _envelope(self, kind: str) -> Record:
        self.now += timedelta(milliseconds=self._text.number(300, 45_000))
        parent, self._parent = self._parent, self._uuid()
        self._written += 1
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._folder,
            "sessionId": self.id,
            "version": "2.1.34",
            "gitBranch": "main",
            "type": kind,
            "uuid": self._parent,
            "timestamp": f"{self.now:%Y-%m-%dT%H:%M:%S}.{self.now.microsecond // 1000:03d}Z",
        }

    def _uuid(self) -> str:
        return str(UUID(int=self._random.getrandbits(128), version=4))

    def _id(self, start: str) -> str:
        return start + "".join(self._random.choices(_LETTERS, k=22))


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def _png(random: Random, *, side: int) -> str:
    """A square picture of noise as base64. Stored, not deflated: what zlib makes differs from one zlib to another."""
    rows = b"".join(b"\0" + random.randbytes(3 * side) for _ in range(side))
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    png = b"\x89PNG\r\n\x1a\n" + header + _chunk(b"IDAT", _stored(rows)) + _chunk(b"IEND", b"")
    return base64.b64encode(png).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _stored(data: bytes) -> bytes:
    """A zlib stream that holds the data as it is, in one block; up to 65,535 bytes."""
    length = len(data)
    return b"\x78\x01\x01" + struct.pack("<HH", length, length ^ 0xFFFF) + data + struct.pack(">I", zlib.adler32(data))
