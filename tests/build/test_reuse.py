"""A conversation that goes on costs what is new in it, and what is kept for that changes and betrays nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from sitegen.build import reuse
from sitegen.render.context import Context
from sitegen.render.prose import render_markdown
from tests.build.test_privacy import everything_said
from tests.support.projections import ConversationRow, assistant, call, conversation, result, user
from tests.support.workshop import Workshop, share

TURNS = 6
LONG = "A sentence with a **word** and some `code` in it. " * 6


def talk(turns: int = TURNS, *, said: str = LONG) -> ConversationRow:
    rows = []
    for n in range(turns):
        rows += [
            user(f"{n}. {said}"),
            assistant(call("Read", {"file_path": f"/srv/app/heron{n}.py"}, id=f"t{n}")),
            user(result(f"1\tdef kingfisher_{n}():\n2\t    return {n}", id=f"t{n}")),
            assistant(f"# Turn {n}\n\n{said}\n\n- [a](https://example.org/{n})\n\nA note[^1].\n\n[^1]: {said}"),
        ]
    return conversation("talk", *rows, title="The long one")


@pytest.fixture(autouse=True)
def short_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reuse, "_WORTH_KEEPING", 1)


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are rendered as prose from now on."""
    texts: list[str] = []

    def render(text: str, ctx: Context, **more: Any) -> Markup:
        texts.append(text)
        return render_markdown(text, ctx, **more)

    monkeypatch.setattr("sitegen.render.drawing.render_markdown", render)
    return texts


def build(workshop: Workshop, row: ConversationRow, *lines: str) -> dict[str, bytes]:
    workshop.talk(row)
    workshop.configure(share("talk", "s", "listed = true", *lines))
    workshop.build("--jobs", "1")
    return workshop.tree()


def fresh(tmp_path: Path, row: ConversationRow, *lines: str) -> dict[str, bytes]:
    """The same site built from nothing."""
    folder = tmp_path / "fresh"
    folder.mkdir()
    return build(Workshop(folder), row, *lines)


def entries(workshop: Workshop) -> list[Path]:
    return sorted((workshop.folder / ".sitegen" / "cache").glob("?/*.entry"))


def test_what_goes_on_is_as_if_built_from_nothing(workshop: Workshop, tmp_path: Path, rendered: list[str]) -> None:
    build(workshop, talk())
    rendered.clear()
    after = build(workshop, talk(TURNS + 1))
    assert [text.split(".")[0].split("\n")[0] for text in rendered] == [f"{TURNS}", f"# Turn {TURNS}"]
    assert after == fresh(tmp_path, talk(TURNS + 1))


def test_short_one_costs_what_is_new_from_the_second_time_on(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rendered: list[str]
) -> None:
    monkeypatch.setattr(reuse, "_WORTH_KEEPING", 1_000)
    build(workshop, talk())
    size = len(entries(workshop))
    build(workshop, talk(TURNS + 1))
    assert len(entries(workshop)) == size + 1
    rendered.clear()
    after = build(workshop, talk(TURNS + 2))
    assert len(rendered) == 2
    assert after == fresh(tmp_path, talk(TURNS + 2))


def test_what_is_said_otherwise_is_rendered_anew(workshop: Workshop, tmp_path: Path) -> None:
    build(workshop, talk())
    other = talk(said=LONG.replace("sentence", "phrase"))
    assert build(workshop, other) == fresh(tmp_path, other)


def _delete(path: Path) -> None:
    path.unlink()


def _garble(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"code", b"edoc"))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("harm", [_delete, _garble, _cut, _empty])
def test_what_is_kept_may_be_lost_or_damaged(workshop: Workshop, tmp_path: Path, harm: Callable[[Path], None]) -> None:
    build(workshop, talk())
    for path in entries(workshop):
        harm(path)
    assert build(workshop, talk(TURNS + 1)) == fresh(tmp_path, talk(TURNS + 1))


def test_nothing_is_taken_from_another_program(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, rendered: list[str]
) -> None:
    build(workshop, talk())
    rendered.clear()
    monkeypatch.setattr(reuse, "rendering_code", lambda: "another")
    build(workshop, talk(TURNS + 1))
    assert len(rendered) == 2 * (TURNS + 1)


def test_full_build_takes_nothing_from_before(workshop: Workshop, rendered: list[str]) -> None:
    build(workshop, talk())
    rendered.clear()
    workshop.build("--full", "--jobs", "1")
    assert len(rendered) == 2 * TURNS


def test_narrowed_share_leaves_no_trace(workshop: Workshop) -> None:
    build(workshop, talk())
    assert any(b"kingfisher" in data for _, data in everything_said(workshop))
    build(workshop, talk(), 'show = "conversation"')
    (workshop.folder / "archive.duckdb").unlink()
    assert [path for path, data in everything_said(workshop) if b"kingfisher" in data or b"heron" in data] == []


def test_what_left_the_conversation_leaves_no_trace(workshop: Workshop) -> None:
    build(workshop, talk())
    build(workshop, talk(2))
    assert [path for path, data in everything_said(workshop) if b"kingfisher_5" in data or b"Turn 5" in data] == []


def test_share_taken_back_leaves_nothing_kept(workshop: Workshop) -> None:
    build(workshop, talk())
    workshop.configure("")
    workshop.build("--jobs", "1")
    assert [path for path, data in everything_said(workshop) if b"kingfisher" in data] == []


def test_two_shares_keep_each_its_own(workshop: Workshop) -> None:
    workshop.talk(talk())
    both = share("talk", "all", "listed = true") + share("talk", "less", "listed = true", 'show = "conversation"')
    workshop.configure(both)
    workshop.build("--jobs", "1")
    workshop.configure(share("talk", "less", "listed = true", 'show = "conversation"'))
    workshop.build("--jobs", "1")
    assert [path for path, data in everything_said(workshop) if b"kingfisher" in data] == []


def test_of_subagents_only_so_much_is_kept(workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = replace(
        talk(), native_id="agent-a1", metadata={"subagent": True, "agent_id": "a1", "parent_native_id": "talk"}
    )

    def built(folder: Path) -> tuple[dict[str, bytes], int]:
        folder.mkdir(exist_ok=True)
        workshop = Workshop(folder)
        workshop.talk(talk(), agent)
        workshop.configure(share("talk", "s", "listed = true"))
        workshop.build("--jobs", "1")
        return workshop.tree(), sum(path.stat().st_size for path in entries(workshop))

    whole, size = built(tmp_path / "much")
    monkeypatch.setattr(reuse, "_LIMIT", 1_000)
    little, less = built(tmp_path / "little")
    assert little == whole
    assert less < size
