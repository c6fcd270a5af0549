"""A workspace's conversations and shares come into a projection as they are in its database, which is a real one."""

from __future__ import annotations

import json
import re
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sitegen.errors import IngestError, UsageError
from sitegen.ingest import IngestReport, ingest
from sitegen.ingest.workspace import Workspace
from tests.ingest.reading import blocks, everything, one, payloads, query, texts
from tests.support.postgres import Cluster
from tests.support.workspace import FIRST, WorkspaceDatabase, assistant, call, text, tool, user, uuid

VIEWS = """SELECT slug, conversation_id, gate_type, gate_secret, expires_at::VARCHAR, view_count, view_limit
FROM shared_views ORDER BY slug"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "a.duckdb"


def read(workspace: WorkspaceDatabase, db: Path, **options: Any) -> IngestReport:
    return ingest(Workspace(**options), workspace.url, db)


def conversation(db: Path, column: str) -> Any:
    return one(db, f"SELECT {column} FROM conversations")


def metadata(db: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(conversation(db, "metadata"))
    return found


def messages(db: Path) -> list[tuple[str, dict[str, Any]]]:
    rows = query(db, "SELECT role, metadata FROM messages ORDER BY conversation_id, sequence_index")
    return [(role, json.loads(found)) for role, found in rows]


# ------------------------------------------------------------------------------------------------------ conversations


def test_a_conversation_has_what_the_workspace_knows_of_it(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.insert("projects", id=uuid("p"), name="Garden")
    own = workspace.talk("beds", user("Hi"), project_id=uuid("p"), persona="Gardener", state="running")
    read(workspace, db)
    row = query(db, "SELECT source_id, source_native_id, title, project, epoch(started_at) FROM conversations")
    assert row == [("workspace", own, "About beds", "Garden", FIRST.timestamp())]
    assert {key: metadata(db)[key] for key in ("state", "persona")} == {"state": "running", "persona": "Gardener"}


@pytest.mark.parametrize("state", ["idle", "running", "paused", "complete", "failed"])
def test_every_state_is_kept(workspace: WorkspaceDatabase, db: Path, state: str) -> None:
    workspace.talk("one", user("Hi"), state=state)
    read(workspace, db)
    assert metadata(db)["state"] == state


def test_a_conversation_without_a_title_is_called_by_its_first_prompt(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", assistant("Welcome"), user("Plan the beds"), title=None)
    read(workspace, db)
    assert conversation(db, "title") == "Plan the beds"


def test_messages_come_in_the_order_of_their_turns(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("first"))
    workspace.say("one", 2, **assistant("third"))
    workspace.say("one", 1, **assistant("second", created_at=FIRST + timedelta(hours=9)))
    read(workspace, db)
    assert texts(db) == ["first", "second", "third"]


def test_many_conversations_come_each_with_its_own_messages(workspace: WorkspaceDatabase, db: Path) -> None:
    """More than fit into one query."""
    workspace.execute(
        """INSERT INTO conversations (id, title, state, last_message_at, created_at)
        SELECT md5(n::text)::uuid, 'Talk ' || n, 'idle', now(), now() FROM generate_series(1, 450) n;
        INSERT INTO messages (id, conversation_id, role, content, turn_index, created_at)
        SELECT md5(n || '-' || t)::uuid, md5(n::text)::uuid, CASE t WHEN 0 THEN 'user' ELSE 'assistant' END,
            to_jsonb('say ' || n || ' ' || t), t, now() FROM generate_series(1, 450) n, generate_series(0, 1) t"""
    )
    assert (read(workspace, db).new, read(workspace, db).unchanged) == (450, 450)
    wrong = query(
        db,
        """SELECT c.title, b.text FROM content_blocks b JOIN messages m ON m.id = b.message_id
        JOIN conversations c ON c.id = m.conversation_id
        WHERE b.text <> 'say ' || replace(c.title, 'Talk ', '') || ' ' || m.sequence_index""",
    )
    assert (wrong, one(db, "SELECT count(*) FROM content_blocks")) == ([], 900)


# -------------------------------------------------------------------------------------------------------------- blocks


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param([text("Hello")], [("text", "Hello", None)], id="text"),
        pytest.param("Hello", [("text", "Hello", None)], id="a text alone"),
        pytest.param({"blocks": ["Hello"]}, [("text", "Hello", None)], id="blocks within an object"),
        pytest.param(None, [], id="nothing"),
        pytest.param(
            [{"type": "code", "language": "python", "code": "x = 1\n"}],
            [("text", "```python\nx = 1\n```", None)],
            id="code",
        ),
        pytest.param(
            [{"type": "code", "code": "````\nnested\n````"}],
            [("text", "`````\n````\nnested\n````\n`````", None)],
            id="code with fences in it",
        ),
        pytest.param(
            [{"type": "canvas", "canvas_id": "c-1", "title": "Beds", "content": "# Beds"}],
            [("text", None, {"canvas": {"title": "Beds", "id": "c-1", "content": "# Beds"}})],
            id="canvas",
        ),
        pytest.param(
            [{"type": "canvas_ref", "id": "c-1"}], [("text", None, {"canvas": {"id": "c-1"}})], id="a canvas' id alone"
        ),
        pytest.param(
            [{"type": "thinking", "thinking": "Hm"}], [("thinking", "Hm", None)], id="what providers' blocks look like"
        ),
        pytest.param(
            [{"type": "hologram", "depth": 3}],
            [("text", None, {"unknown_block": {"type": "hologram", "depth": 3}})],
            id="an unknown block",
        ),
    ],
)
def test_content_becomes_blocks(workspace: WorkspaceDatabase, db: Path, content: Any, expected: Any) -> None:
    workspace.talk("one", {"role": "assistant", "content": content if content is None else json.dumps(content)})
    assert read(workspace, db).problems == ()
    assert [(kind, said, payload) for kind, said, _, _, payload in blocks(db)] == expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param([7], "a number where an object was expected", id="a number"),
        pytest.param([{"type": "text", "words": "?"}], "has no text", id="text without text"),
        pytest.param([{"type": "code"}], "has no code", id="code without code"),
    ],
)
def test_what_is_no_block_is_told_and_kept(workspace: WorkspaceDatabase, db: Path, content: Any, reason: str) -> None:
    workspace.talk("one", {"role": "user", "content": content})
    (problem,) = read(workspace, db).problems
    assert (reason in problem.reason, problem.is_kept) == (True, True)
    assert payloads(db)[-1]["content"] == content


def test_an_attachment_is_named_though_its_bytes_are_elsewhere(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk(
        "one",
        user("Look", {"type": "attachment", "attachment_id": uuid("a"), "filename": "plot.pdf", "size_bytes": 9}),
        user({"type": "attachments", "ids": [uuid("b"), uuid("c")]}),
    )
    read(workspace, db)
    rows = query(db, "SELECT filename, size_bytes, metadata->>'missing' FROM attachments ORDER BY id")
    reason = "the workspace's database doesn't hold it"
    assert {("plot.pdf", 9, reason), (f"attachment {uuid('b')[:8]}", None, reason)} <= set(rows)
    assert [kind for kind, *_ in blocks(db)].count("attachment") == 3


def test_a_call_and_its_result_find_each_other(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk(
        "one",
        user("Search"),
        assistant("I'll look.", tool_calls=[call("k-1", "search", query="peas"), call("k-2", "read", path="a.md")]),
        tool("k-2", "# Peas"),
        tool("k-1", {"type": "error", "message": "No network"}),
    )
    tally = read(workspace, db).tally
    assert (tally.messages, tally.calls, tally.results) == (4, 2, 2)
    assert [row[1:] for row in blocks(db) if row[0].startswith("tool")] == [
        (None, "search", "k-1", {"input": {"query": "peas"}}),
        (None, "read", "k-2", {"input": {"path": "a.md"}}),
        ("# Peas", None, "k-2", {"is_error": False}),
        ("No network", None, "k-1", {"is_error": True}),
    ]


@pytest.mark.parametrize(
    ("given", "payload"),
    [
        ({"name": "go", "input": {"n": 1}}, {"input": {"n": 1}}),
        ({"name": "go", "arguments": "half {"}, {"arguments": "half {"}),
        ({"name": "go"}, {"input": {}}),
    ],
    ids=["an object", "text that isn't JSON", "nothing"],
)
def test_a_call_says_what_it_was_given(workspace: WorkspaceDatabase, db: Path, given: Any, payload: Any) -> None:
    workspace.talk("one", assistant(tool_calls=[{"id": "k", **given}]))
    read(workspace, db)
    assert blocks(db) == [("tool_use", None, "go", "k", payload)]


def test_a_summary_of_older_turns_is_marked_as_one(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", assistant({"type": "summary", "text": "They talked of soil."}), user("Go on"))
    read(workspace, db)
    assert messages(db)[0] == ("system", {"turn_index": 0, "subtype": "compressed_summary"})


def test_every_row_is_kept_as_it_is(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Hi"))
    read(workspace, db)
    kept = payloads(db)
    assert (kept[0]["title"], kept[1]["content"]) == ("About one", [{"type": "text", "text": "Hi"}])


# -------------------------------------------------------------------------------------------------------- pause points


def test_a_pause_point_stands_where_it_came_up(workspace: WorkspaceDatabase, db: Path) -> None:
    paused = workspace.pause(
        "p",
        conversation_id=uuid("one"),
        message_id=uuid("one-1"),
        question="Buy?",
        options=["Yes", "No"],
        status="pending",
    )
    workspace.talk("one", user("Buy"), assistant("May I?"), assistant("Bought"), pause_point_id=paused, state="paused")
    read(workspace, db)
    points = [found.get("pause_point") for _, found in messages(db)]
    assert points == [None, None, {"question": "Buy?", "options": ["Yes", "No"], "status": "pending"}, None]


def test_pause_points_are_placed_by_time_where_they_name_no_message(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Buy"), assistant("May I?"), assistant("Bought"))
    for name, minutes in (("early", 0.5), ("late", 60)):
        workspace.pause(name, conversation_id=uuid("one"), question=name, created_at=FIRST + timedelta(minutes=minutes))
    read(workspace, db)
    asked = [found.get("pause_point", {}).get("question") for _, found in messages(db)]
    assert asked == [None, "early", None, None, "late"]


def test_the_current_pause_point_is_enough(workspace: WorkspaceDatabase, db: Path) -> None:
    """Where the table doesn't say whose its rows are, the conversation does."""
    workspace.execute(
        "ALTER TABLE pause_points DROP COLUMN conversation_id, DROP COLUMN message_id, DROP COLUMN created_at"
    )
    workspace.talk("one", user("Buy"), pause_point_id=workspace.pause("p", question="Buy?"))
    read(workspace, db)
    assert [found.get("pause_point") for _, found in messages(db)] == [None, {"question": "Buy?"}]


# --------------------------------------------------------------------------------------------------------------- again


def test_reading_twice_changes_nothing(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Hi"), assistant("Ho"))
    workspace.share("open", "one")
    read(workspace, db)
    before, stamp = everything(db), db.stat().st_mtime_ns
    again = read(workspace, db)
    assert (again.new, again.updated, again.unchanged, again.bytes_read) == (0, 0, 1, 0)
    assert (everything(db), db.stat().st_mtime_ns) == (before, stamp)


CHANGES = {
    "a message more": "INSERT INTO messages VALUES (gen_random_uuid(), '{0}', 'user', '[]', NULL, NULL, 9, now())",
    "a message less": "DELETE FROM messages WHERE turn_index = 1 AND conversation_id = '{0}'",
    "a message in other words": "UPDATE messages SET content = '[]' WHERE turn_index = 1 AND conversation_id = '{0}'",
    "another state": "UPDATE conversations SET state = 'failed' WHERE id = '{0}'",
    "another title": "UPDATE conversations SET title = 'New' WHERE id = '{0}'",
    "another project's name": "UPDATE projects SET name = 'New'",
    "a decision": "UPDATE pause_points SET status = 'approved'",
}


@pytest.mark.parametrize(
    ("change", "of_view"),
    [*((change, False) for change in CHANGES), ("a message in other words", True)],
    ids=[*CHANGES, "a message in other words, in a view"],
)
def test_only_what_changed_is_read_again(workspace: WorkspaceDatabase, db: Path, change: str, of_view: bool) -> None:
    workspace.insert("projects", id=uuid("p"), name="Garden")
    workspace.pause("w", conversation_id=uuid("one"), question="Buy?", status="pending")
    workspace.talk("one", user("Hi"), assistant("Ho"), project_id=uuid("p"))
    workspace.talk("two", user("Hi"), assistant("Ho"))
    workspace.execute("CREATE VIEW said AS SELECT * FROM messages")
    tables = {"messages": "said"} if of_view else {}
    read(workspace, db, tables=tables)
    workspace.execute(CHANGES[change].format(uuid("one")))
    again = read(workspace, db, tables=tables)
    assert (again.updated, again.unchanged) == (1, 1)
    fresh = db.with_name("fresh.duckdb")
    read(workspace, fresh, tables=tables)
    rows = [query(path, "SELECT * EXCLUDE ingested_at FROM conversations ORDER BY ALL") for path in (db, fresh)]
    assert rows[0] == rows[1]
    assert (texts(db), messages(db)) == (texts(fresh), messages(fresh))


def test_what_was_deleted_is_gone(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Hi"), assistant("Ho"))
    workspace.talk("two", user("Secret plan"))
    workspace.share("plan", "two")
    read(workspace, db)
    workspace.execute(f"DELETE FROM shared_views; DELETE FROM conversations WHERE id = '{uuid('two')}'")
    report = read(workspace, db)
    assert (report.removed, report.as_json()["removed"], report.unchanged) == (1, 1, 1)
    assert texts(db) == ["Hi", "Ho"]
    assert [one(db, f"SELECT count(*) FROM {table}") for table in ("shared_views", "conversations")] == [0, 1]
    assert not [row for row in payloads(db) if "Secret plan" in json.dumps(row)]


def test_what_is_marked_as_deleted_is_gone_too(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.execute(
        "ALTER TABLE conversations ADD deleted_at timestamptz; ALTER TABLE messages ADD deleted_at timestamptz"
    )
    workspace.talk("one", user("Hi"), assistant("Ho"))
    workspace.talk("two", user("Gone"), deleted_at=FIRST)
    workspace.execute("UPDATE messages SET deleted_at = now() WHERE role = 'assistant'")
    read(workspace, db)
    assert texts(db) == ["Hi"]


def test_an_emptied_database_takes_nothing_away(workspace: WorkspaceDatabase, db: Path) -> None:
    """It's more likely that the user may see nothing."""
    workspace.talk("one", user("Hi"))
    read(workspace, db)
    workspace.execute("TRUNCATE conversations CASCADE")
    with pytest.raises(IngestError, match="holds no conversations that the user “ann” may see"):
        read(workspace, db)
    assert texts(db) == ["Hi"]


def test_another_workspace_takes_nothing_away(workspace: WorkspaceDatabase, postgres: Cluster, db: Path) -> None:
    other = WorkspaceDatabase.make(postgres)
    for each, name in ((workspace, "one"), (other, "two")):
        each.talk(name, user(name))
        each.share(f"share-{name}", name)
    read(workspace, db)
    assert read(other, db).removed == 0
    assert sorted(filter(None, texts(db))) == ["one", "two"]
    assert [slug for slug, *_ in query(db, VIEWS)] == ["share-one", "share-two"]


# -------------------------------------------------------------------------------------------------------------- shares


def test_shares_are_copied_with_their_terms(workspace: WorkspaceDatabase, db: Path) -> None:
    own = workspace.talk("one", user("Hi"))
    workspace.share("locked", "one", gate_type="password", gate_secret="env:TALK", view_limit=5, view_count=2)
    workspace.share("old", "one", expires_at=FIRST)
    workspace.share("endless", "one", expires_at="infinity")
    assert read(workspace, db).shared_views == 3
    assert query(db, VIEWS) == [
        ("endless", own, None, None, "infinity", 0, None),
        ("locked", own, "password", "env:TALK", None, 2, 5),
        ("old", own, None, None, "2026-01-02 03:04:05+00", 0, None),
    ]


def test_a_share_changes_with_the_workspace(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Hi"))
    workspace.share("page", "one")
    read(workspace, db)
    workspace.execute("UPDATE shared_views SET gate_type = 'otp', gate_secret = 'file:codes.txt'")
    read(workspace, db)
    assert [row[:4] for row in query(db, VIEWS)] == [("page", uuid("one"), "otp", "file:codes.txt")]


def test_a_secret_itself_never_comes_along(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Hi"))
    workspace.share("locked", "one", gate_type="password", gate_secret="hunter2-hunter2")
    workspace.share("unlocked", "one", gate_secret="hunter2-hunter2")
    report = read(workspace, db)
    assert [row[:4] for row in query(db, VIEWS)] == [("locked", uuid("one"), "password", None)]
    told = [str(problem) for problem in report.problems]
    assert ["“locked” is a secret itself and wasn't copied" in told[0], "no gate that would ask" in told[1]] == [
        True
    ] * 2
    assert b"hunter2" not in db.read_bytes()
    assert "hunter2" not in "".join(told)


def test_a_share_whose_end_nobody_understands_is_left_out(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Hi"))
    workspace.share("roman", "one", expires_at="0044-03-15 12:00:00+00 BC")
    report = read(workspace, db)
    assert (report.shared_views, query(db, VIEWS)) == (0, [])
    assert "“roman” was left out: it ends at '0044-03-15 12:00:00+00 BC', which is no time" in report.problems[0].reason


# ----------------------------------------------------------------------------------------------------- names, refusals


def test_schema_and_tables_may_have_other_names(postgres: Cluster, db: Path) -> None:
    workspace = WorkspaceDatabase.make(postgres, schema="app")
    workspace.talk("one", user("Hi"))
    workspace.execute('ALTER TABLE app.messages RENAME TO "100% ""said"""; DROP TABLE app.shared_views')
    read(workspace, db, schema="app", tables={"messages": '100% "said"', "shared_views": ""})
    assert texts(db) == ["Hi"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tables": {"chats": "x"}}, "there is no table “chats” in a workspace; there is: conversations, messages,"),
        ({"tables": {"messages": ""}}, "can't be read without its messages"),
    ],
)
def test_an_option_that_means_nothing_is_refused(options: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        Workspace(**options)


BREAKS = {
    "no table": (
        "DROP TABLE shared_views",
        r"has no table public.shared_views \(found: conversations, messages, pause",
    ),
    "no column": ("ALTER TABLE messages DROP COLUMN tool_calls", "public.messages has no column “tool_calls”"),
    "no right": (
        "REVOKE ALL ON messages FROM bo",
        r"“bo” may not read \"public\".\"messages\". Let its owner run: GRANT",
    ),
    "no right to the schema": ("REVOKE ALL ON SCHEMA public FROM PUBLIC, bo", 'may not read SCHEMA "public"'),
}


@pytest.mark.parametrize("break_", BREAKS)
def test_what_is_missing_is_said(workspace: WorkspaceDatabase, db: Path, break_: str) -> None:
    statement, reason = BREAKS[break_]
    workspace.execute("DROP ROLE IF EXISTS bo; CREATE ROLE bo LOGIN PASSWORD 'quite-other-7'")
    try:
        workspace.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO bo")
        workspace.talk("one", user("Hi"))
        workspace.execute(statement)
        url = workspace.cluster.url(workspace.name, user="bo", password="quite-other-7")
        with pytest.raises(IngestError, match=reason) as caught:
            ingest(Workspace(), url, db)
        assert "quite-other" not in str(caught.value)
        assert not db.exists()
    finally:
        workspace.execute("DROP OWNED BY bo; DROP ROLE bo")


def test_columns_that_may_not_be_read_are_passed_over(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Hi"), sandbox_id="box-9", user_id=uuid("ann"))
    workspace.execute("DROP ROLE IF EXISTS cy; CREATE ROLE cy LOGIN PASSWORD 'quite-other-7'")
    try:
        workspace.execute(
            """GRANT SELECT ON messages, projects, pause_points, shared_views TO cy;
            GRANT SELECT (id, project_id, title, persona, state, pause_point_id, last_message_at, created_at)
            ON conversations TO cy"""
        )
        ingest(Workspace(), workspace.cluster.url(workspace.name, user="cy", password="quite-other-7"), db)
        assert "box-9" not in json.dumps(payloads(db))
        assert texts(db) == ["Hi"]
    finally:
        workspace.execute("DROP OWNED BY cy; DROP ROLE cy")


def test_a_lost_connection_takes_nothing_away(
    workspace: WorkspaceDatabase, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", "three"):
        workspace.talk(name, user(f"old {name}"))
    read(workspace, db)
    workspace.execute("UPDATE messages SET content = replace(content::text, 'old', 'new')::jsonb")
    monkeypatch.setattr("sitegen.ingest.plan._BATCH_TASKS", 1)
    adapter = Workspace()
    prepare = adapter.prepare
    prepared: list[Any] = []

    def prepare_and_lose(handles: Any) -> None:
        if prepared:
            workspace.cluster.disconnect(workspace.name)
        prepared.append(handles)
        prepare(handles)

    monkeypatch.setattr(adapter, "prepare", prepare_and_lose)
    lost = r"The connection to postgresql://127.0.0.1:\d+/\w+ was lost while reading"
    with pytest.raises(IngestError, match=lost) as caught:
        ingest(adapter, workspace.url, db)
    assert "correct-horse" not in str(caught.value)
    assert sorted(said.split()[0] for said in texts(db) if said) == ["new", "old", "old"]
    again = read(workspace, db)
    assert (again.updated, again.unchanged) == (2, 1)
    assert sorted(filter(None, texts(db))) == ["new one", "new three", "new two"]


# ----------------------------------------------------------------------------------------------- servers and passwords


@pytest.fixture
def refused(workspace: WorkspaceDatabase, db: Path) -> Any:
    """What is said when a URL leads nowhere."""

    def refused(url: str) -> str:
        with pytest.raises((IngestError, UsageError)) as caught:
            ingest(Workspace(), url, db)
        assert not db.exists()
        return str(caught.value)

    return refused


def test_a_wrong_password_is_said_and_not_repeated(workspace: WorkspaceDatabase, refused: Any) -> None:
    said = refused(workspace.cluster.url(workspace.name, password="tr0ub4dor"))
    assert f"/{workspace.name} can't be read: wrong password, or no such user." in said
    assert "tr0ub4dor" not in said


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (
            "postgresql://ann:tr0ub4dor@127.0.0.1:1/talks",
            "postgresql://127.0.0.1:1/talks can't be read: nobody answers",
        ),
        ("postgresql://ann:tr0ub4dor@nowhere.invalid/talks", "can't be read: there is no such host"),
        (
            "postgresql://ann:tr0ub4dor@/talks?host=/nowhere",
            r"postgresql:///talks\?host=/nowhere&port=5432 can't be read",
        ),
        ("postgresql://ann:tr0ub4dor%ZZ@127.0.0.1/talks", "isn't a URL that PostgreSQL understands"),
        ("postgresql://ann:tr0ub4dor@127.0.0.1/talks?sslmod=x", "isn't a URL that PostgreSQL understands"),
        ("mysql://ann:tr0ub4dor@127.0.0.1/talks", "no URL of a PostgreSQL database. Expected postgresql://USER@HOST"),
        ("env:NO_SUCH_VARIABLE", "the environment variable NO_SUCH_VARIABLE isn't set"),
    ],
    ids=[
        "nobody there",
        "no such host",
        "no such socket",
        "not a URL",
        "no such parameter",
        "another kind",
        "no variable",
    ],
)
def test_a_url_that_leads_nowhere_is_said(refused: Any, url: str, reason: str) -> None:
    said = refused(url)
    assert re.search(reason, said), said
    assert "tr0ub4dor" not in said


def test_a_missing_database_is_said(workspace: WorkspaceDatabase, refused: Any) -> None:
    assert "it has no such database. Correct the last part" in refused(workspace.cluster.url("nowhere"))


def test_the_url_may_stand_in_the_environment(
    workspace: WorkspaceDatabase, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.talk("one", user("Hi"))
    monkeypatch.setenv("WORKSPACE_URL", workspace.url)
    ingest(Workspace(), "env:WORKSPACE_URL", db)
    assert texts(db) == ["Hi"]


def test_no_password_is_in_the_projection(workspace: WorkspaceDatabase, db: Path) -> None:
    workspace.talk("one", user("Hi"))
    read(workspace, db)
    assert workspace.cluster.password.encode() not in db.read_bytes()
    assert conversation(db, "raw_path").startswith("postgresql://127.0.0.1:")


def test_without_the_driver_it_says_what_to_install(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(IngestError, match=r"needs the package psycopg.*pip install 'sitegen\[workspace\]'"):
        ingest(Workspace(), "postgresql://127.0.0.1/talks", db)
