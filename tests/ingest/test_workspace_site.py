"""From the workspace to a site: what was shared in the product stands there under its own terms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sitegen.cli import main
from sitegen.gate.encoding import b64u
from tests.support.workspace import FIRST, WorkspaceDatabase, assistant, call, tool, user, uuid

PASSWORD = "pier lantern wapping tides"
KEY = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
CONFIG = """\
[site]
base_url = "https://ann.example.org/talks/"
[source]
projection = "archive.duckdb"
"""
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in a site's folder."""
    (tmp_path / "sitegen.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(range(32))))
    monkeypatch.setenv("GARDEN", PASSWORD)
    return lambda *args: CliRunner().invoke(main, [*args], prog_name="sitegen")


def plan_a_garden(workspace: WorkspaceDatabase) -> None:
    workspace.insert("projects", id=uuid("p"), name="Garden")
    paused = workspace.pause(
        "seeds",
        conversation_id=uuid("beds"),
        question=f"Buy seeds with {KEY}?",
        options=["Buy", "Wait"],
        status="pending",
        created_at=FIRST + timedelta(minutes=4),
    )
    workspace.talk(
        "beds",
        assistant({"type": "summary", "text": "Earlier they chose the south wall."}),
        user("Which **beds**?", {"type": "attachment", "attachment_id": uuid("plot"), "filename": "plot.pdf"}),
        assistant(
            "Two of them.",
            {"type": "code", "language": "python", "code": "beds = 2\n"},
            {"type": "canvas", "title": "Plan of beds", "content": "Peas, then beans."},
            tool_calls=[call("k", "weather", city="Wapping")],
        ),
        tool("k", "Rain at noon"),
        title="Beds along the wall",
        persona="Gardener",
        state="paused",
        project_id=uuid("p"),
        pause_point_id=paused,
    )
    workspace.talk("tides", user("When is the tide high?"), assistant("At the pearl hour."), title="Tides")
    workspace.talk("unshared", user("Nobody shares this"))
    workspace.share("beds", "beds", view_limit=5)
    workspace.share("tides", "tides", gate_type="password", gate_secret="env:GARDEN")
    workspace.share("over", "tides", expires_at=FIRST)


def words(page: Path) -> str:
    body = page.read_text("utf-8").split("<main", 1)[1].split("</main>", 1)[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_shares_of_the_workspace_are_pages_under_their_terms(
    workspace: WorkspaceDatabase, run: Run, tmp_path: Path
) -> None:
    plan_a_garden(workspace)
    ingested = run("ingest", "workspace", workspace.url)
    assert ingested.exit_code == 0, ingested.output
    assert "3 conversations found: 3 new" in ingested.stdout
    assert "copied 3 shares that the workspace made" in ingested.stdout
    built = run("build")
    assert built.exit_code == 0, built.output

    page = words(tmp_path / "public" / "s" / "beds" / "index.html")
    for said in (
        "Beds along the wall",
        "Gardener",
        "Which beds?",
        "plot.pdf",
        "beds = 2",
        "Plan of beds",
        "Peas, then",
    ):
        assert said in page, page
    assert "doesn't hold it" in page
    assert page.index("weather") < page.index("Approval") < page.index("Buy seeds with") < page.index("Paused, waiting")
    assert KEY not in page
    assert "Earlier they chose the south wall." in page

    tree = {path.relative_to(tmp_path / "public"): path for path in (tmp_path / "public").rglob("*") if path.is_file()}
    assert {path.parts[1] for path in tree if path.parts[0] == "s"} == {"beds", "tides", "over"}
    whole = b"".join(path.read_bytes() for path in tree.values())
    assert not [word for word in (b"pearl", PASSWORD.encode(), b"Nobody shares", KEY.encode()) if word in whole]
    assert "expired" in words(tmp_path / "public" / "s" / "over" / "index.html").lower()


def test_what_the_workspace_takes_back_is_gone(workspace: WorkspaceDatabase, run: Run, tmp_path: Path) -> None:
    plan_a_garden(workspace)
    run("ingest", "workspace", workspace.url)
    run("build")
    workspace.execute("DELETE FROM shared_views WHERE slug = 'beds'")
    run("ingest", "workspace", workspace.url)
    built = run("build")
    assert built.exit_code == 0, built.output
    assert not (tmp_path / "public" / "s" / "beds").exists()
    assert (tmp_path / "public" / "s" / "tides").exists()


def test_a_share_whose_secret_stayed_there_is_built_with_one_of_the_site(
    workspace: WorkspaceDatabase, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.talk("tides", user("When?"), assistant("At the pearl hour."))
    workspace.share("tides", "tides", gate_type="password", gate_secret="hunter2 is what opens it")
    told = run("ingest", "workspace", workspace.url)
    assert (told.exit_code, "is a secret itself and wasn't copied" in told.stderr) == (0, True)
    without = run("build")
    assert (without.exit_code != 0, (tmp_path / "public" / "s").exists()) == (True, False)
    monkeypatch.setenv("SITEGEN_SECRET_TIDES", PASSWORD)
    assert run("build").exit_code == 0
    assert b"pearl" not in (tmp_path / "public" / "s" / "tides" / "index.html").read_bytes()


def test_scripts_read_counts(workspace: WorkspaceDatabase, run: Run) -> None:
    plan_a_garden(workspace)
    report = json.loads(run("ingest", "workspace", workspace.url, "--json").stdout)
    counted = ("files", "new", "removed", "shared_views", "messages", "calls", "results", "images")
    assert [report[key] for key in counted] == [3, 3, 0, 3, 8, 1, 1, 0]


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("codex", "x", "--schema", "app"), "--schema and --table are for the source “workspace”"),
        (("workspace", "postgresql://127.0.0.1/x", "--table", "messages"), "expected TABLE=NAME"),
        (("workspace", "postgresql://127.0.0.1/x", "--table", "chats=x"), "there is no table “chats” in a workspace"),
        (("workspace", "x.json"), "no URL of a PostgreSQL database"),
    ],
)
def test_what_cannot_be_meant_is_refused(run: Run, args: tuple[str, ...], reason: str) -> None:
    result = run("ingest", *args)
    assert (result.exit_code, reason in result.stderr) == (2, True), result.stderr


def test_nobody_there_is_a_sentence(run: Run) -> None:
    result = run("ingest", "workspace", "postgresql://ann:tr0ub4dor@127.0.0.1:1/talks")
    assert result.exit_code == 1
    assert result.stderr == (
        "sitegen: postgresql://127.0.0.1:1/talks can't be read: nobody answers there. "
        "See that the server runs and that host and port are right, and run this again.\n"
    )
