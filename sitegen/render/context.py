"""What every part of rendering shares: the options, the sentences, the conversation's head, the files collected.

One `Context` lives for one conversation and holds the only state of rendering: the files found on the way.
"""

from __future__ import annotations

import copy
import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from markupsafe import Markup
from msgspec import Struct

from sitegen.catalogue import Catalogue
from sitegen.model import Block, ConversationHead, ShareFile, Show
from sitegen.render.fragments import Fragments
from sitegen.render.steps import PairedCall, Step

from .text import visible

FileKind = Literal["image", "download", "output"]

_EXTENSIONS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/svg+xml": "svg",
    "image/bmp": "bmp",
}
_UNSAFE = re.compile(r"[^\w.\-]+", re.ASCII)
_NAME_LIMIT = 80


class RenderOptions(Struct, frozen=True):
    """All that decides how one share's conversation is rendered, besides its content. Hashable and picklable."""

    language: str = "en"
    """BCP 47 tag of the site's language."""
    timezone: str = "UTC"
    """IANA name of the zone that shown times are in."""
    show: Show = Show.ALL
    title: str | None = None
    """The title the owner gave; None: the conversation's own."""
    branches: bool = True
    """Whether the ways not taken are shown, on pages of their own."""
    keeps_image_metadata: bool = False
    """Whether pictures keep what cameras and programs wrote into them."""
    prompt_lines: int = 12
    """A prompt of more lines than this folds."""
    code_lines: int = 40
    """A code block of more lines than this folds."""
    highlight_bytes: int = 200_000
    """A longer code block isn't highlighted."""
    heavy_bytes: int = 16_384
    """A step's detail of more HTML than this goes to a file of its own."""


class Others(Protocol):
    """Renderers of other packages. None means that ours is to be used."""

    def call(self, call: PairedCall, ctx: Context, /) -> Step | None:
        """The step of a tool's call."""

    def block(self, block: Block, ctx: Context, /, *, anchor: str) -> Markup | None:
        """The HTML of a block whose type isn't known; ids in it begin with `anchor` and a `-`."""


@dataclass(eq=False, repr=False, slots=True)
class Context:
    """Rendering of one conversation. `t` gives the sentences: `ctx.t("render.prompt")`."""

    options: RenderOptions
    head: ConversationHead
    heading_level: int = 3
    """The rank of the highest heading in a text that is no message of its own: of a step, of a note."""
    others: Others | None = None
    fragments: Fragments = field(default_factory=lambda: Fragments(is_off=True))
    """What needn't be made again."""
    t: Catalogue = field(init=False)
    zone: ZoneInfo = field(init=False)
    _files: dict[str, ShareFile] = field(init=False, default_factory=dict)
    _lately: dict[str, ShareFile] = field(init=False, default_factory=dict)
    _told: dict[str, None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.t = Catalogue(self.options.language)
        self.zone = ZoneInfo(self.options.timezone)

    def below(self, heading_level: int) -> Context:
        """This context, with the same files, for texts whose highest heading has another rank."""
        inner = copy.copy(self)
        inner.heading_level = heading_level
        return inner

    def add_file(self, data: bytes, media_type: str, kind: FileKind, *, filename: str | None = None) -> str:
        """The name, relative to the share's folder, under which `data` is published; equal bytes get one name.

        Images are `i/<hash16>.<ext>`, downloads `f/<hash16>/<safe filename>`, outputs `o/<hash16>.html` (an HTML
        fragment that the pages wrap). Put `model.ROOT` before the name where it's linked.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        digest = sha256[:16]
        match kind:
            case "image":
                name = f"i/{digest}.{_EXTENSIONS.get(media_type, 'bin')}"
            case "download":
                name = f"f/{digest}/{safe_filename(filename or 'file')}"
            case "output":
                name = f"o/{digest}.html"
        file = self._files.setdefault(name, ShareFile(name, data, media_type, sha256))
        self._lately[name] = file
        return name

    def add_output(self, fragment: Markup) -> str:
        """The name of a file that holds `fragment`, in whose links ROOT works as everywhere."""
        return self.add_file(str(fragment).encode("utf-8", "replace"), "text/html", "output")

    def take_back(self, files: Iterable[ShareFile]) -> None:
        """Add files as they were made before."""
        self._files.update((file.name, file) for file in files)

    def hand_over(self) -> tuple[ShareFile, ...]:
        """The files added since the last time."""
        lately = tuple(self._lately.values())
        self._lately.clear()
        return lately

    @property
    def files(self) -> tuple[ShareFile, ...]:
        """All files added so far, by name."""
        return tuple(self._files[name] for name in sorted(self._files))

    def tell(self, sentence: str) -> None:
        """Note something for the owner of the site; it's no part of a page."""
        self._told[sentence] = None

    @property
    def told(self) -> tuple[str, ...]:
        """What there is to say to the owner, each once."""
        return tuple(self._told)

    def local(self, moment: datetime) -> datetime:
        """`moment` in the site's time zone."""
        return moment.astimezone(self.zone)


def safe_filename(name: str) -> str:
    """`name` as a file name that any file system and URL takes: ASCII letters, digits, `.`, `-` and `_` only."""
    plain = unicodedata.normalize("NFKD", visible(name.replace("\\", "/").rsplit("/", 1)[-1]))
    safe = _UNSAFE.sub("-", plain.encode("ascii", "ignore").decode()).strip("-.")
    stem, dot, extension = safe.rpartition(".")
    if not dot or len(extension) > 10:
        return safe[:_NAME_LIMIT] or "file"
    return f"{stem[:_NAME_LIMIT] or 'file'}.{extension}"
