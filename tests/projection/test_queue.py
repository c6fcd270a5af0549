"""What was queued reaches the reader once, as what became of it; what was taken back never does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.projection.recorded import ANSWERED, ASKED, told, waited
from tests.support.sessions import Fields, user

NOTIFICATION = "<task-notification>\n<task-id>b1</task-id>\n<summary>Tests ended</summary>\n</task-notification>"


def queue(operation: str, content: object = None) -> Fields:
    fields: Fields = {"type": "queue-operation", "operation": operation, "timestamp": "2026-01-02T14:03:30.000Z"}
    return fields if content is None else {**fields, "content": content}


def enqueue(content: object) -> Fields:
    return queue("enqueue", content)


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((enqueue("Go on"), queue("dequeue"), user("Go on")), id="became-a-prompt"),
        pytest.param(
            (enqueue("Go on"), enqueue("And test"), queue("dequeue"), queue("dequeue"), user("Go on\nAnd test")),
            id="became-one-prompt-with-another",
        ),
        pytest.param(
            (
                enqueue("/review a.py"),
                queue("remove"),
                user("<command-name>/review</command-name>\n<command-args>a.py</command-args>"),
            ),
            id="became-a-command",
        ),
        pytest.param(
            (enqueue([{"type": "text", "text": "Go on"}]), queue("dequeue"), user("Go on ")), id="queued-as-blocks"
        ),
        pytest.param((enqueue("Go on"), queue("popAll", "Go on")), id="was-taken-back"),
        pytest.param((enqueue("Go on"), queue("popAll")), id="was-taken-back-without-a-word"),
        pytest.param((enqueue("/exit"), queue("remove")), id="was-a-command-of-the-program"),
        pytest.param((enqueue(""), enqueue(None), enqueue(7), queue("remove"), queue("dequeue")), id="was-nothing"),
    ],
)
def test_what_stands_elsewhere_or_was_taken_back_is_not_told(tmp_path: Path, records: tuple[Fields, ...]) -> None:
    assert told(tmp_path, ASKED, *records, ANSWERED) == []


@pytest.mark.parametrize("reason", [{}, {"reason": "absorbed_mid_turn"}], ids=["older", "newer"])
def test_prompt_that_an_attachment_tells_is_told_once(tmp_path: Path, reason: Fields) -> None:
    records = (enqueue("Go on"), waited("Go on"), queue("remove") | reason)
    assert told(tmp_path, ASKED, *records, ANSWERED) == [("user", "queued_command", "Go on")]


def test_prompt_that_left_without_a_trace_is_told_where_it_left(tmp_path: Path) -> None:
    records = (enqueue("Go on"), ANSWERED, queue("remove"), user("More?"))
    assert told(tmp_path, ASKED, *records) == [("user", "queued_command", "Go on")]


def test_what_waited_to_the_end_was_never_sent(tmp_path: Path) -> None:
    assert told(tmp_path, ASKED, enqueue("Go on"), ANSWERED) == [("system", "unsent", "Go on")]


def test_equal_texts_are_told_apart_by_number(tmp_path: Path) -> None:
    records = (enqueue("Go on"), enqueue("Go on"), queue("dequeue"), user("Go on"))
    assert told(tmp_path, ASKED, *records, ANSWERED) == [("system", "unsent", "Go on")]


def test_text_said_before_is_not_what_waits(tmp_path: Path) -> None:
    assert told(tmp_path, user("Go on"), ANSWERED, enqueue("Go on")) == [("system", "unsent", "Go on")]


@pytest.mark.parametrize(
    ("records", "kind"),
    [
        pytest.param((enqueue(NOTIFICATION),), "untold", id="never-told"),
        pytest.param((enqueue(NOTIFICATION), queue("popAll")), "untold", id="prompts-taken-back"),
        pytest.param((enqueue(NOTIFICATION), queue("remove")), "notification", id="told-without-a-trace"),
        pytest.param(
            (enqueue(NOTIFICATION), queue("remove"), waited(NOTIFICATION, "task-notification")),
            "notification",
            id="told",
        ),
        pytest.param((enqueue(NOTIFICATION), queue("dequeue"), user(NOTIFICATION)), None, id="told-by-a-message"),
    ],
)
def test_notification_is_told_once(tmp_path: Path, records: tuple[Fields, ...], kind: str | None) -> None:
    assert told(tmp_path, ASKED, *records, ANSWERED) == ([("system", kind, NOTIFICATION)] if kind else [])
