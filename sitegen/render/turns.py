"""What a path's messages amount to, in reading order: prompts, answers, runs of work, notes, forks.

Knows roles, blocks and what each becomes; how any of it looks is for the modules that draw it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from msgspec.structs import replace

from sitegen.model import Attachment, Block, Message, Show
from sitegen.render import workspace
from sitegen.render.calls import paired_call, result_images
from sitegen.render.embedded import unfolded
from sitegen.render.items import (
    QUIET,
    Answer,
    Aside,
    Atom,
    Call,
    ForkMark,
    Item,
    Part,
    Prompt,
    Reading,
    Run,
    Thought,
    block_attachment,
    is_passing,
)
from sitegen.render.pairing import Pairs, pair
from sitegen.render.system import system_notes
from sitegen.wording.wrappers import Note, Piece, Words, split

_LOCAL_COMMANDS = frozenset(
    """
    add-dir agents clear color compact config context copy cost doctor effort exit export extra-usage fast feedback
    help hooks ide keybindings login logout mcp memory model output-style permissions plugin plugins privacy-settings
    quit rate-limit-options release-notes reload-plugins remote-control rename resume rewind sandbox skills stats
    status statusline stickers tasks terminal-setup theme todos upgrade usage vim voice
    """.split()  # noqa: SIM905 - a list of fifty words reads better so
)
"""Commands that the program itself answers; they're no prompts even when the model goes on afterwards."""

_TELLING = frozenset({"interrupted", "state", "approval", "error", "teammate", "queued", "unsent"})
"""Notes that a share shows even when it shows prompts and answers only."""


def is_prompt(message: Message) -> bool:
    """Whether someone wrote this message: words, a command or an image, not only results and wrappers."""
    if message.role != "user" or message.is_meta or workspace.is_summary(message):
        return False
    has_results = any(block.kind == "tool_result" for block in message.blocks)
    for block in message.blocks:
        if block.kind == "text" and block.text:
            if any(isinstance(piece, Words) or piece.kind == "command" for piece in split(block.text)):
                return True
        elif block.kind in ("image", "attachment") and not has_results:
            return True
    return bool(message.attachments)


def read(messages: Sequence[Message], reading: Reading) -> list[Item]:
    """The items of one path."""
    pairs = pair(messages)
    atoms = [atom for message in messages for atom in _atoms(message, pairs, reading)]
    shown = [left for atom in _promoted(atoms) if (left := _shown(atom, reading.show)) is not None]
    return _marked_interim(list(_grouped(_merged(shown))))


# ------------------------------------------------------------------------------------------------ messages to atoms


def _atoms(message: Message, pairs: Pairs, reading: Reading) -> Iterator[Atom]:
    if message.id in reading.forks:
        yield ForkMark(message)
    if asked := workspace.approval(message):
        yield Aside(message, asked)
    match message.role:
        case "user":
            yield from _user(message, pairs, reading)
        case "system":
            yield from (Aside(message, note, number) for number, note in enumerate(system_notes(message)))
        case _:
            yield from _assistant(message, pairs, reading)


def _user(message: Message, pairs: Pairs, reading: Reading) -> Iterator[Atom]:
    texts, images, files, notes = [], [], list(message.attachments), []
    has_results = False
    for number, block in enumerate(message.blocks):
        match block.kind:
            case "text":
                for piece in _pieces(message, block):
                    if isinstance(piece, Words):
                        texts.append(piece.text)
                    else:
                        notes.append(piece)
            case "image":
                images.append(block)
            case "attachment":
                files.extend(_file(block, message.attachments))
            case _:
                has_results = has_results or block.kind == "tool_result"
                yield from _work(message, number, pairs, reading)
    if texts and message.id in reading.unanswered and not images and not files:
        notes.insert(0, Note("queued", body="\n\n".join(texts), form="prose"))
    elif texts or ((images or files) and not has_results and not message.is_meta):
        yield Prompt(message, "\n\n".join(texts), images=tuple(images), attachments=tuple(files))
    elif images:
        yield from (Part(message, number, image) for number, image in enumerate(images))
    yield from (Aside(message, note, number) for number, note in enumerate(notes))


def _pieces(message: Message, block: Block) -> tuple[Piece, ...]:
    if block.text is None:
        return (_wordless(block),) if block.payload else ()
    if message.is_meta:
        return ()
    return split(block.text, is_summary=workspace.is_summary(message))


def _assistant(message: Message, pairs: Pairs, reading: Reading) -> Iterator[Atom]:
    for number, block in enumerate(message.blocks):
        match block.kind:
            case "text":
                yield from _said(message, number, block, reading)
            case "image":
                yield Part(message, number, block)
            case "attachment":
                yield from (Part(message, number, file) for file in _file(block, message.attachments))
            case _:
                yield from _work(message, number, pairs, reading)
    shown = _shown_files(message) if message.attachments else ()
    for extra, attachment in enumerate(message.attachments):
        if attachment.filename not in shown:
            yield Part(message, len(message.blocks) + extra, attachment)


def _shown_files(message: Message) -> frozenset[str]:
    """Names of the attached files that an image in the message, or in a result of it, shows already."""
    held = [block for block in message.blocks if block.kind == "image"]
    held += [image for block in message.blocks if block.kind == "tool_result" for image in result_images(block)]
    return frozenset(name for image in held if isinstance(name := image.payload.get("filename"), str))


def _said(message: Message, number: int, block: Block, reading: Reading) -> Iterator[Atom]:
    if not block.text or not block.text.strip():
        if block.text is None and block.payload:
            yield Aside(message, _wordless(block), number)
    elif message.is_api_error or (block.text.startswith("API Error") and not message.model):
        yield Aside(message, Note("error", body=block.text, failed=True), number)
    elif message.role == "tool":
        orphan = replace(block, kind="tool_result")
        yield Call(message, paired_call(message, number, orphan, None, scope=reading.scope))
    elif "<ant" in block.text:
        yield from _embedded(message, number, block.text, reading)
    else:
        yield Part(message, number, block)


def _embedded(message: Message, number: int, text: str, reading: Reading) -> Iterator[Atom]:
    """An answer of claude.ai that carries its thinking and its artifacts inside."""
    for extra, block in enumerate(unfolded(text)):
        # Numbers above any block's keep the anchors of these steps apart.
        spot = number if block.kind == "text" else 1000 * (number + 1) + extra
        match block.kind:
            case "text":
                yield Part(message, spot, block)
            case "thinking":
                yield Thought(message, spot, block.text or "")
            case _:
                yield Call(message, paired_call(message, spot, block, None, scope=reading.scope))


def _work(message: Message, number: int, pairs: Pairs, reading: Reading) -> Iterator[Atom]:
    block = message.blocks[number]
    if block.kind == "thinking":
        if block.text and block.text.strip():
            yield Thought(message, number, block.text)
    elif block.kind == "tool_use":
        found = pairs.results.get((message.id, number))
        yield Call(message, paired_call(message, number, block, found, scope=reading.scope))
    elif (message.id, number) not in pairs.taken:
        yield Call(message, paired_call(message, number, block, None, scope=reading.scope))


def _wordless(block: Block) -> Note:
    """A text block that has a payload in place of a text."""
    return workspace.canvas(block) or Note(
        "system", title="unknown", body=json.dumps(dict(block.payload), ensure_ascii=False, indent=2)
    )


def _file(block: Block, known: Iterable[Attachment]) -> tuple[Attachment, ...]:
    file = block_attachment(block)
    return () if any(other.filename == file.filename for other in known) else (file,)


# ------------------------------------------------------------------------------------------------- atoms to items


def _promoted(atoms: Sequence[Atom]) -> list[Atom]:
    """Slash commands that the assistant answered are prompts, not notes."""
    found: list[Atom] = []
    is_answered = False
    for atom in reversed(atoms):
        match atom:
            case Aside(message=message, note=Note(kind="command", title=title, body=body)):
                is_own = title.lstrip("/") not in _LOCAL_COMMANDS and message.role == "user"
                found.append(Prompt(message, body, command=title) if is_answered and is_own else atom)
                is_answered = False
            case Prompt() | Aside(note=Note(kind="shell")):
                found.append(atom)
                is_answered = False
            case _:
                is_answered = is_answered or isinstance(atom, Part | Thought | Call)
                found.append(atom)
    return found[::-1]


def _shown(atom: Atom, show: Show) -> Atom | None:
    """What the share shows of an atom: notes may quote what tools printed."""
    if show is Show.ALL or not isinstance(atom, Aside | Thought | Call):
        return atom
    if isinstance(atom, Aside):
        if atom.note.kind in _TELLING:
            return atom
        is_told = show is Show.CALLS and atom.note.title and atom.note.kind not in QUIET
        return replace(atom, note=replace(atom.note, body="")) if is_told else None
    return _call_alone(atom) if show is Show.CALLS and isinstance(atom, Call) else None


def _call_alone(call: Call) -> Call:
    """A call without what it returned; that it failed is part of the call."""
    bare = replace(call.paired, result=None, images=(), attachments=(), tool_detail={}, is_result_shown=False)
    return replace(call, paired=bare)


def _merged(atoms: Iterable[Atom]) -> list[Atom]:
    """The atoms, a prompt whose images or files came in messages of their own whole again."""
    found: list[Atom] = []
    for atom in atoms:
        at = _open_prompt(found) if isinstance(atom, Prompt) else None
        before = None if at is None else found[at]
        match before, atom:
            case Prompt(text="", command="") as files, Prompt():
                found[at or 0] = _joined(atom, files, atom)
            case Prompt() as words, Prompt(text="", command=""):
                found[at or 0] = _joined(words, words, atom)
            case _:
                found.append(atom)
    return found


def _open_prompt(atoms: Sequence[Atom]) -> int | None:
    """The place of the prompt that stands last but for what the program said along with it."""
    for at in range(len(atoms) - 1, -1, -1):
        match atoms[at]:
            case Prompt():
                return at
            case Aside(note=note) if note.kind in QUIET:
                continue
            case _:
                return None
    return None


def _joined(words: Prompt, first: Prompt, then: Prompt) -> Prompt:
    return replace(words, images=first.images + then.images, attachments=first.attachments + then.attachments)


def _grouped(atoms: Iterable[Atom]) -> Iterator[Item]:
    entries: list[Thought | Call | Aside] = []
    parts: list[Part] = []
    before: datetime | None = None
    began: datetime | None = None
    for atom in atoms:
        is_step = isinstance(atom, Thought | Call) or (isinstance(atom, Aside) and is_passing(atom.note) and entries)
        if entries and not is_step:
            yield Run(tuple(entries), began)
            entries = []
        if parts and not (isinstance(atom, Part) and _belongs(parts[-1], atom)):
            yield Answer(tuple(parts))
            parts = []
        if is_step:
            began = began if entries else before
            entries.append(atom)  # type: ignore[arg-type]  # is_step says so
        elif isinstance(atom, Part):
            parts.append(atom)
        else:
            assert not isinstance(atom, Thought | Call)  # noqa: S101 - for the type checker
            yield atom
        before = atom.message.created_at or before
    if entries:
        yield Run(tuple(entries), began)
    if parts:
        yield Answer(tuple(parts))


def _belongs(last: Part, part: Part) -> bool:
    request = part.message.request_id
    return last.message.id == part.message.id or (request is not None and last.message.request_id == request)


def _marked_interim(items: list[Item]) -> list[Item]:
    """Of the answers of an exchange all but the last are interim."""
    is_followed = False
    for at in range(len(items) - 1, -1, -1):
        match items[at]:
            case Prompt():
                is_followed = False
            case Answer() as answer:
                if is_followed:
                    items[at] = replace(answer, is_interim=True)
                is_followed = True
    return items
