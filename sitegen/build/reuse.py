"""What a conversation was put together from, known from build to build: when it goes on, the new is rendered.

It stands in the transcript already. Kept beside it is where, and what subagents were made of, for they stand within
others. Short ones aren't worth that until they have gone on once, for then they do so again. What is kept goes with its
transcript, so a share that shows less leaves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from sitegen.build.keys import digest, fragments_key, rendering_code
from sitegen.bulk import Bulk, part
from sitegen.model import Conversation, Exchange, Transcript
from sitegen.output.cache import Cache
from sitegen.render import Fragment, Fragments, Help, RenderOptions, render
from sitegen.render.foreign import Foreign
from sitegen.render.fragments import State, Written

_WORTH_KEEPING: Final = 100
"""Messages of a conversation that is new; rendering fewer takes some hundredths of a second."""
_LIMIT: Final = 50_000_000
"""More than this of subagents, in bytes, isn't kept for one conversation."""


class Course(Struct, frozen=True):
    """How a conversation came to be what it is: the keys of its transcripts, and whether it's known to go on."""

    before: str
    now: str
    goes_on: bool


class Place(Struct, frozen=True):
    """Where a fragment stands in a transcript, and what isn't told there."""

    key: str
    first: int
    """The number of its first exchange, counted through all paths."""
    begins: tuple[str, ...]
    markdown: tuple[int, int]
    """Where it begins in the export, and its size."""
    lines: tuple[int, int]
    after: State
    failures: int
    files: tuple[str, ...]


class Kept(Struct, frozen=True):
    """The fragments of a transcript, known by its exports; `mark` says by what code and options they were made."""

    mark: str
    exports: tuple[str, str]
    places: tuple[Place, ...]
    nested: tuple[tuple[str, Fragment], ...]


def render_what_is_new(
    cache: Cache,
    shown: list[Conversation],
    options: RenderOptions,
    others: Foreign,
    course: Course,
    help: Help | None,
) -> Transcript:
    """The transcript of a conversation, which is taken out of the list, made with what the one before has.

    `help` is asked for one of which nothing is known. Nothing is known or kept where `others` may have a hand in
    it, for nobody knows what they go by.
    """
    size = len(shown[0].messages)
    if (size < _WORTH_KEEPING and not course.goes_on) or others.calls or others.blocks:
        return render(shown.pop(), options, others=others)
    mark = digest(rendering_code(), repr(options))
    fragments = Fragments(known=_known(cache, course.before, mark) if course.before else {})
    help = None if fragments.known else help
    transcript = render(shown.pop(), options, others=others, fragments=fragments, help=help)
    places, nested = tuple(_places(fragments, transcript)), tuple(_few(fragments.nested))
    cache.put(fragments_key(course.now), Kept(mark, transcript.export_hashes, places, nested))
    return transcript


def _known(cache: Cache, before: str, mark: str) -> dict[str, Fragment]:
    kept = cache.get(fragments_key(before), Kept)
    if kept is None or kept.mark != mark:
        return {}
    transcript = cache.get(before, Transcript) if kept.places else None
    if transcript is None or transcript.export_hashes != kept.exports:
        return dict(kept.nested)
    return {**dict(_found(kept.places, transcript)), **dict(kept.nested)}


def _exchanges(transcript: Transcript) -> tuple[Exchange, ...]:
    """Those of all paths."""
    return transcript.exchanges + tuple(each for branch in transcript.branches for each in branch.exchanges)


def _places(fragments: Fragments, transcript: Transcript) -> Iterator[Place]:
    markdown, lines = _starts(transcript.markdown_file), _starts(transcript.json_file)
    first = 0
    for key, fragment in (keyed for path in fragments.paths for keyed in path):
        if key is not None:
            yield Place(
                key=key,
                first=first,
                begins=fragment.begins,
                markdown=(markdown.get(id(fragment.written.markdown), 0), len(fragment.written.markdown)),
                lines=(lines.get(id(fragment.written.lines), 0), len(fragment.written.lines)),
                after=fragment.after,
                failures=fragment.failures,
                files=tuple(file.name for file in fragment.files),
            )
        first += len(fragment.exchanges)


def _starts(export: object) -> Mapping[int, int]:
    return export.starts() if isinstance(export, Bulk) else {}


def _found(places: tuple[Place, ...], transcript: Transcript) -> Iterator[tuple[str, Fragment]]:
    """The fragments at these places, by key."""
    exchanges, files = _exchanges(transcript), {file.name: file for file in transcript.files}
    for place in places:
        yield (
            place.key,
            Fragment(
                exchanges=exchanges[place.first : place.first + len(place.begins)],
                begins=place.begins,
                written=Written(
                    part(transcript.markdown_file, *place.markdown), part(transcript.json_file, *place.lines)
                ),
                after=place.after,
                failures=place.failures,
                files=tuple(files[name] for name in place.files),
            ),
        )


def _few(fragments: Mapping[str, Fragment]) -> Iterator[tuple[str, Fragment]]:
    """As many as there's room for."""
    room = _LIMIT
    for key, fragment in fragments.items():
        if fragment.size <= room:
            room -= fragment.size
            yield key, fragment
