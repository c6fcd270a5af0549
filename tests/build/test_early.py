"""Rules for secrets load beside other work, once, and a fault in them is told to whoever scans."""

from __future__ import annotations

import threading

import pytest

from sitegen.build.early import EarlyEngine
from sitegen.privacy.engine import Match


class _Engine:
    name = "an engine 1.0"

    def __init__(self, fault: Exception | None = None) -> None:
        self.scanned: list[tuple[bytes, bool]] = []
        self.fault = fault

    def scan(self, data: bytes) -> list[Match]:
        self.scanned.append((data, threading.current_thread() is threading.main_thread()))
        if self.fault:
            raise self.fault
        return [Match(0, len(data), "rule")]


def test_it_loads_once_and_elsewhere() -> None:
    inner = _Engine()
    engine = EarlyEngine(inner)
    engine.begin()
    engine.begin()
    assert engine.scan(b"key") == [Match(0, 3, "rule")]
    assert inner.scanned == [(b"", False), (b"key", True)]


def test_what_scans_without_beginning_loads_then() -> None:
    inner = _Engine()
    assert EarlyEngine(inner).scan(b"key") == [Match(0, 3, "rule")]
    assert inner.scanned == [(b"key", True)]


def test_a_fault_is_told_to_whoever_scans() -> None:
    engine = EarlyEngine(_Engine(OSError("no rules")))
    engine.begin()
    with pytest.raises(OSError, match="no rules"):
        engine.scan(b"key")


def test_its_name_is_the_engines() -> None:
    assert EarlyEngine(_Engine()).name == "an engine 1.0"
