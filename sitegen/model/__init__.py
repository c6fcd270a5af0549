"""The values that pass between the stages: frozen, slotted, and free of behaviour beyond small derived facts.

Nothing here reads, writes or renders. Times are timezone-aware UTC or None; None means that the source didn't say.
"""

from sitegen.model.conversation import (
    Attachment,
    Block,
    BlockKind,
    Conversation,
    ConversationHead,
    Fork,
    Json,
    JsonObject,
    Message,
    Role,
    SharedView,
    Usage,
)
from sitegen.model.rendered import (
    ROOT,
    SOURCES,
    BranchPage,
    Card,
    Document,
    Exchange,
    Facts,
    Mark,
    MarkKind,
    OutlineEntry,
    Poster,
    ShareFile,
    Transcript,
)
from sitegen.model.share import Gate, Project, Share, Show

__all__ = [
    "ROOT",
    "SOURCES",
    "Attachment",
    "Block",
    "BlockKind",
    "BranchPage",
    "Card",
    "Conversation",
    "ConversationHead",
    "Document",
    "Exchange",
    "Facts",
    "Fork",
    "Gate",
    "Json",
    "JsonObject",
    "Mark",
    "MarkKind",
    "Message",
    "OutlineEntry",
    "Poster",
    "Project",
    "Role",
    "Share",
    "ShareFile",
    "SharedView",
    "Show",
    "Transcript",
    "Usage",
]
