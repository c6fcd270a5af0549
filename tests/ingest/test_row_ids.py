"""Row ids are the same everywhere and for ever, and those of one conversation stand together."""

from __future__ import annotations

from sitegen.ingest import row_ids

TALK = row_ids.conversation("claude_code", "s1")


def test_ids_never_change() -> None:
    message = row_ids.message(TALK, "m1", index=0)
    assert TALK == "hsqzhbllwhknjabq"
    assert message == "hsqzhbllwhknjabq-zig7fsk2ufcm"
    assert row_ids.part(message, 2) == "hsqzhbllwhknjabq-zig7fsk2ufcm-2"
    assert row_ids.part(message, 0, kind="a") == "hsqzhbllwhknjabq-zig7fsk2ufcm-a0"
    assert row_ids.event(TALK, 7) == "hsqzhbllwhknjabq-l7"


def test_message_without_an_id_of_its_own_is_known_by_its_place() -> None:
    assert row_ids.message(TALK, None, index=3) == f"{TALK}-n3"


def test_two_messages_never_share_an_id() -> None:
    first = row_ids.message(TALK, "m1", index=0)
    assert row_ids.message(TALK, "m1", index=4, taken={first}) == f"{TALK}-n4"


def test_sources_keep_apart_what_they_call_alike() -> None:
    assert row_ids.conversation("codex_cli", "s1") != TALK
    assert row_ids.conversation("a", "b\x1fc") != row_ids.conversation("a\x1fb", "d")


def test_half_a_character_harms_nothing() -> None:
    assert row_ids.message(TALK, "\ud83d", index=0).startswith(TALK)
