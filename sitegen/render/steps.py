"""A call with its result, and what a family of tools makes of it: one step of an activity.

The families (`tools/`) know what was called; grouping steps into runs and telling them in a sentence is `activity`'s.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from markupsafe import Markup
from msgspec import Struct, field

from sitegen.model import Attachment, Block, JsonObject

_NOTHING = Markup()

Kind = Literal[
    "read",  # read a file                           object: its name
    "edit",  # changed a file                        object: its name; added, removed
    "write",  # wrote a whole file                   object: its name; added
    "list",  # looked through a folder               object: the folder's name
    "search",  # searched files (grep, glob)         object: the pattern
    "run",  # ran a command                          object: the command, short
    "test",  # ran the tests                         object: the command, short
    "watch",  # looked after a running command       object: –
    "code",  # ran code (an interpreter)             object: –
    "fetch",  # opened a page                        object: host of the page
    "web",  # searched the web                       object: the query
    "todo",  # changed the task list                 object: –
    "ask",  # asked the user                         object: the question, short
    "plan",  # made a plan                           object: –
    "agent",  # gave a task to a subagent            object: the task, short
    "skill",  # used a skill                         object: its name
    "create",  # made an artifact or canvas          object: its title
    "image",  # made an image                        object: –
    "tool",  # anything else                         object: the tool's name, "server: tool" for MCP
]


class PairedCall(Struct, frozen=True):
    """A tool call with its result, as a family sees it.

    An orphan result comes as a call without a name ("") and with an empty `input`; an orphan call has no `result`.
    """

    anchor: str
    """The id of the step in the page; an id inside its detail must start with it and a `-`."""
    message_id: str
    block_number: int
    tool_name: str
    input: JsonObject = field(default_factory=dict)
    """The input as an object. Arguments that came as JSON text are parsed; text that isn't JSON is under "input"."""
    result: Block | None = None
    """The first result that isn't an image; its `text` is raw (may hold ESC, `\\r`, NUL) and may be None."""
    images: tuple[Block, ...] = ()
    """Blocks of kind image that the result holds, for `images.render_image`."""
    attachments: tuple[Attachment, ...] = ()
    tool_detail: JsonObject = field(default_factory=dict)
    """What the source's own record says beyond the result (structuredPatch, stdout, stderr, …)."""
    created_at: datetime | None = None
    finished_at: datetime | None = None
    is_error: bool = False
    """The source says that it failed. A family may find more failures (an exit code in the text)."""
    status: str | None = None
    """The source's word for its state ("running", "completed", "error"), when it has one."""
    has_subagent: bool = False
    """The subagent's own conversation follows the detail; the core puts it there."""
    labels: tuple[str, ...] = ()
    is_result_shown: bool = True
    """False: the share shows no results. A missing one isn't worth a word then."""


class Deed(Struct, frozen=True):
    """What a step did, for the sentence that tells it."""

    kind: Kind
    object: str = ""
    key: str = ""
    added: int = 0
    removed: int = 0
    failed: bool = False


class Step(Struct, frozen=True):
    """One step of an activity: a line that reads like prose, its detail, and the facts for the run's sentence."""

    kind: Kind
    summary: Markup
    """One line of phrasing content: "Edited <code>parser.py</code> +12 −3", "Ran <code>pytest -q</code> · exit 1".
    A failure is said in it in words. No links, for it stands in a <summary>."""
    detail: Markup = _NOTHING
    """Flow content, as long as it needs: the core moves it to a file of its own when it's heavy. Empty: no fold."""
    preview: Markup = _NOTHING
    """What stays in the page when the detail is moved: the command, the first lines. May be empty."""
    object: str = ""
    """What it was done to, for people: short, plain text, not escaped (see Kind)."""
    key: str = ""
    """What tells one object from another (a whole path); empty: the object itself."""
    added: int = 0
    """Lines added."""
    removed: int = 0
    failed: bool = False
    is_open: bool = False
    """Its detail says more than its line ever could: an unanswered question, a plan."""
    duration_s: float | None = None
    """When the source itself says how long it took; the core takes it from the times otherwise."""

    @property
    def deed(self) -> Deed:
        return Deed(self.kind, self.object, self.key, self.added, self.removed, self.failed)
