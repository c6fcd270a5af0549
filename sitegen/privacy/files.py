"""Files that are neither text nor pictures, such as archives: kept back whole when a secret stands in their bytes."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from sitegen.model import Attachment, Conversation, Message
from sitegen.privacy.corpus import Corpus
from sitegen.privacy.engine import Engine
from sitegen.privacy.looking import find_secrets, look_through
from sitegen.privacy.secrets import Secret
from sitegen.privacy.wrapped import is_picture, text_of


def without_secret_files(
    conversation: Conversation, secrets: Collection[Secret], engine: Engine, *, allowed: Collection[str]
) -> Conversation:
    """The conversation without the bytes of files that hold a secret; the very same one when none does."""
    if not any(message.attachments for message in conversation.messages):
        return conversation
    values = [secret.value for secret in secrets if secret.is_everywhere and secret.fingerprint not in allowed]
    messages = tuple(_checked(message, values, engine, allowed) for message in conversation.messages)
    is_same = all(new is old for new, old in zip(messages, conversation.messages, strict=True))
    return conversation if is_same else replace(conversation, messages=messages)


def _checked(message: Message, values: Collection[bytes], engine: Engine, allowed: Collection[str]) -> Message:
    if not message.attachments:
        return message
    files = tuple(
        replace(file, data=None, missing="it holds a secret") if _holds_secret(file, values, engine, allowed) else file
        for file in message.attachments
    )
    return message if files == message.attachments else replace(message, attachments=files)


def _holds_secret(file: Attachment, values: Collection[bytes], engine: Engine, allowed: Collection[str]) -> bool:
    data = file.data
    if data is None or is_picture(data) or text_of(data) is not None:
        return False
    if any(value in data for value in values):
        return True
    whole = Corpus.of_bytes(data)
    secrets = find_secrets(whole, look_through(whole, engine), engine)
    return any(secret.fingerprint not in allowed for secret in secrets)
