"""What links from other pages call a share that its owner gave no title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sitegen.build.clean import Cleaner
from sitegen.build.keys import Keys
from sitegen.build.setting import Setting
from sitegen.build.work import Worker
from sitegen.catalogue import Catalogue
from sitegen.model import ConversationHead, Share


@dataclass(eq=False, repr=False, slots=True)
class Titles:
    """The titles of a build's shares as they may be shown. `heads` are those of all conversations."""

    setting: Setting
    keys: Keys
    heads: Sequence[ConversationHead]
    found: dict[str, Mapping[str, int]] = field(default_factory=dict)
    """How much was taken out of the shares that had to be rendered for their titles, by slug."""
    _cleaner: Cleaner = field(init=False, repr=False)
    _of_parts: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._cleaner = Cleaner(self.setting.policy)

    def of(self, share: Share) -> str:
        """A share's title. A part isn't called what the whole is, but what its own page says."""
        if not share.is_part:
            return self._cleaner.title(share.head)
        if share.slug not in self._of_parts:
            worker = Worker(self.setting)
            keys = (self.keys.transcript(share), self.keys.content(share))
            title = worker.title(share, transcript_key=keys[0], content_key=keys[1], heads=self.heads)
            self._of_parts[share.slug] = title or Catalogue(self.setting.site.language)("render.untitled")
            if (found := worker.found_in(share.slug)) is not None:
                self.found[share.slug] = found
        return self._of_parts[share.slug]
