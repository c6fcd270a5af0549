"""Every way in which a projection can't be opened is told in a sentence; everything that can be read is."""

from __future__ import annotations

import lzma
import os
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from sitegen.errors import ProjectionError
from sitegen.projection import Projection
from tests.projection.reading import heads, opened, read_all, writing_process
from tests.support.projections import assistant, conversation, label, make_projection, user, with_storage_version

FIXTURES = Path(__file__).parent.parent / "fixtures"
TALK = conversation("s1", user("Hello"), assistant("Hi", labels=(label("tone", "kind", "yes"),)))


def refusal(path: Path) -> str:
    with pytest.raises(ProjectionError) as caught, opened(path) as projection:
        for _ in projection.read([head.row_id for head in projection.heads()]):
            pass
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert message.endswith(".")
    return message


def title_or_refusal(path: Path) -> str:
    try:
        return heads(path)["s1"].title or ""
    except ProjectionError as error:
        return str(error)


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_every_schema_version_is_read_without_warning(tmp_path: Path, version: int) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK], version=version)
    with opened(path) as projection:
        assert projection.warnings == ()
        assert projection.path == path
    assert [block.text for message in read_all(path)["s1"].messages for block in message.blocks] == ["Hello", "Hi"]


def test_later_version_with_its_columns_is_read_with_a_warning(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK], version=7)
    with opened(path) as projection:
        (warning,) = projection.warnings
        assert "schema version 7" in warning
        assert [head.key for head in projection.heads()] == ["claude_code:s1"]


@pytest.mark.parametrize("version", [5, 7])
def test_missing_column_is_named(tmp_path: Path, version: int) -> None:
    path = make_projection(
        tmp_path / "p.duckdb", [], version=version, then=["ALTER TABLE content_blocks RENAME COLUMN payload TO body"]
    )
    message = refusal(path)
    assert "“content_blocks.payload”" in message
    assert f"version {version}" in message


def test_missing_column_of_an_optional_table_is_named(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [], then=["CREATE TABLE shared_views (slug VARCHAR)"])
    assert "“shared_views.conversation_id”" in refusal(path)


def without_keys(table: str, columns: str) -> list[str]:
    """Statements that leave a table with its rows and no rule about them; `columns` replaces some of it."""
    others = [name for name in ("attachments", "message_embeddings", "content_blocks", "messages") if name != table]
    drops = ["DROP VIEW tool_calls", f"CREATE TABLE plain AS SELECT * REPLACE ({columns}) FROM {table}"]
    for name in others if table in ("messages", "conversations") else []:
        drops += [f"CREATE TABLE plain_{name} AS FROM {name}", f"DROP TABLE {name}"]
    kept = [line.split()[2] for line in drops if line.startswith("CREATE TABLE plain_")]
    renames = [f"ALTER TABLE {name} RENAME TO {name.removeprefix('plain_')}" for name in kept]
    return [*drops, f"DROP TABLE {table}", f"ALTER TABLE plain RENAME TO {table}", *renames]


@pytest.mark.parametrize(
    ("column", "value", "found"),
    [
        ("conversations.title", "7", "INTEGER"),
        ("conversations.project", "'x'::BLOB", "BLOB"),
        ("conversations.metadata", "{'a': 1}", "STRUCT"),
        ("conversations.source_native_id", "7", "INTEGER"),
        ("conversations.started_at", "'2026-01-01'", "VARCHAR"),
        ("conversations.id", "uuid()", "UUID"),
        ("messages.model", "7", "INTEGER"),
        ("messages.sequence_index", "1.5::DOUBLE", "DOUBLE"),
        ("content_blocks.payload", "['{}']", "VARCHAR[]"),
        ("content_blocks.tool_name", "true", "BOOLEAN"),
        ("attachments.size_bytes", "'3'", "VARCHAR"),
        ("raw_events.payload", "7", "INTEGER"),
    ],
)
def test_column_of_another_type_is_told(tmp_path: Path, column: str, value: str, found: str) -> None:
    table, _, name = column.partition(".")
    path = make_projection(tmp_path / "p.duckdb", [TALK], then=without_keys(table, f"{value} AS {name}"))
    message = refusal(path)
    assert f"the column “{column}” as {found}" in message
    assert "is expected" in message


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("conversations.started_at", "'2026-01-01'::DATE"),
        ("conversations.ended_at", "'2026-01-01'::TIMESTAMP_NS"),
        ("conversations.title", "'{}'::JSON"),
        ("messages.role", "role::ENUM ('user', 'assistant')"),
        ("messages.metadata", "'{}'::VARCHAR"),
        ("messages.sequence_index", "sequence_index::UBIGINT"),
    ],
)
def test_column_of_a_kindred_type_is_read(tmp_path: Path, column: str, value: str) -> None:
    table, _, name = column.partition(".")
    path = make_projection(tmp_path / "p.duckdb", [TALK], then=without_keys(table, f"{value} AS {name}"))
    assert [block.text for message in read_all(path)["s1"].messages for block in message.blocks] == ["Hello", "Hi"]


@pytest.mark.parametrize("column", ["conversations.id", "messages.id", "messages.sequence_index"])
def test_row_without_what_others_need_is_told(tmp_path: Path, column: str) -> None:
    table, _, name = column.partition(".")
    null = f"CASE WHEN {name}::VARCHAR <> '' THEN NULL ELSE {name} END AS {name}"
    message = refusal(make_projection(tmp_path / "p.duckdb", [TALK], then=without_keys(table, null)))
    assert f"rows of “{table}” whose “{name}” is NULL (" in message


@pytest.mark.parametrize("column", ["messages.role", "content_blocks.block_index", "content_blocks.type"])
def test_row_that_lacks_something_is_read_as_far_as_it_goes(tmp_path: Path, column: str) -> None:
    table, _, name = column.partition(".")
    null = f"CASE WHEN {name}::VARCHAR <> '' THEN NULL ELSE {name} END AS {name}"
    path = make_projection(tmp_path / "p.duckdb", [TALK], then=without_keys(table, null))
    assert [block.text for message in read_all(path)["s1"].messages for block in message.blocks] == ["Hello", "Hi"]


@pytest.mark.parametrize("table", ["content_blocks", "messages", "conversations"])
def test_missing_table_is_named(tmp_path: Path, table: str) -> None:
    dropped = ["attachments", "message_embeddings", "content_blocks", "messages", "conversations"]
    drops = [f"DROP TABLE {name}" for name in dropped[: dropped.index(table) + 1]]
    path = make_projection(tmp_path / "p.duckdb", [], then=["DROP VIEW tool_calls", *drops])
    assert f"“{table}”" in refusal(path)


def test_foreign_database_is_refused_with_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE invoices (total INTEGER)")
    assert "invoices" in refusal(path)


@pytest.mark.parametrize("table", ["raw_events", "attachments", "labels", "divergences", "meta"])
def test_projection_without_an_optional_table_is_read(tmp_path: Path, table: str) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK], then=[f"DROP TABLE {table}"])
    assert read_all(path, labels=True)["s1"].head.message_count == 2


def test_projection_that_tells_no_version_is_read_with_a_warning(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK], then=["DELETE FROM meta"])
    with opened(path) as projection:
        assert "doesn't say its schema version" in projection.warnings[0]


def test_empty_projection_has_no_heads(tmp_path: Path) -> None:
    with opened(make_projection(tmp_path / "p.duckdb", [])) as projection:
        assert projection.heads() == []
        assert list(projection.read([])) == []
        assert projection.shared_views() == []


def make_folder(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_bytes(data: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(data)

    return make


@pytest.mark.parametrize(
    ("make", "said"),
    [
        pytest.param(lambda path: None, "There is no file", id="missing"),
        pytest.param(make_folder, "is a folder", id="folder"),
        pytest.param(make_pipe, "isn't a regular file", id="pipe"),
        pytest.param(make_bytes(b""), "is empty", id="empty"),
        pytest.param(make_bytes(b"{}\n"), "isn't a DuckDB file", id="short-text"),
        pytest.param(make_bytes(b"SQLite format 3\0" + bytes(8000)), "isn't a DuckDB file", id="sqlite"),
    ],
)
def test_what_is_no_database_is_refused(tmp_path: Path, make: Callable[[Path], None], said: str) -> None:
    path = tmp_path / "p.duckdb"
    make(path)
    assert said in refusal(path)


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_name_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"d\xe9")
    folder.mkdir()
    path = make_projection(tmp_path / "p.duckdb", [TALK]).rename(folder / "p.duckdb")
    assert "isn't UTF-8" in refusal(path)
    within = path.rename(tmp_path / "p.duckdb")
    with pytest.raises(ProjectionError, match="isn't UTF-8"), Projection.open(within, temp_folder=folder):
        pass


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="no file is unreadable for this user")
def test_unreadable_file_is_refused(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    path.chmod(0)
    assert "can't be read: Permission denied" in refusal(path)


def test_denied_file_is_refused_whoever_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])

    def deny(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", deny)
    assert "can't be read: Permission denied" in refusal(path)


@pytest.mark.parametrize("kept", [20, 100, 4096, 12_288, 20_000, 300_000], ids=lambda kept: f"{kept}-bytes")
def test_truncated_file_is_refused(tmp_path: Path, kept: int) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    path.write_bytes(path.read_bytes()[:kept])
    assert "damaged, cut short" in refusal(path)


def test_damage_inside_is_told_when_it_is_met(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    data = bytearray(path.read_bytes())
    data[300_000:-10_000] = bytes(len(data) - 310_000)
    path.write_bytes(data)
    assert "damaged" in refusal(path)


def test_file_of_a_newer_duckdb_asks_for_an_update(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    data = bytearray(path.read_bytes())
    data[52:61] = b"v99.1.0\0\0"
    path.write_bytes(data)
    message = refusal(path)
    assert "DuckDB v99.1.0" in message
    assert duckdb.__version__ in message
    assert "pip install" in message


@pytest.mark.parametrize("version", ["1.1.3", "1.4.5"])
def test_file_of_an_older_duckdb_is_read_with_its_journal(tmp_path: Path, version: str) -> None:
    """Made by that DuckDB, and left without bringing the last row into the file itself."""
    name = f"duckdb-{version}.duckdb"
    for suffix in ("", ".wal"):
        packed = (FIXTURES / f"{name}{suffix}.xz").read_bytes()
        (tmp_path / f"{name}{suffix}").write_bytes(lzma.decompress(packed))
    before = (tmp_path / name).read_bytes()
    said = [block.text for message in read_all(tmp_path / name)["s1"].messages for block in message.blocks]
    assert said == ["Hello from long ago", "Hi from its journal"]
    assert (tmp_path / name).read_bytes() == before


def test_file_of_a_newer_format_asks_for_an_update(tmp_path: Path) -> None:
    path = with_storage_version(make_projection(tmp_path / "p.duckdb", [TALK]), 90)
    assert "pip install -U duckdb" in refusal(path)


def test_lock_names_its_holder(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    with writing_process(path) as pid:
        assert f"process {pid}" in refusal(path)


def test_lock_is_waited_for(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    with (
        writing_process(path, seconds=0.5),
        Projection.open(path, temp_folder=tmp_path / "temp", lock_wait_s=30) as projection,
    ):
        assert len(projection.heads()) == 1


JOURNALLED = ["UPDATE conversations SET title = 'From the journal'", "INSERT INTO meta VALUES ('more', 'x')"]


def test_journal_beside_it_is_read(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    with writing_process(path, JOURNALLED):
        pass
    assert path.with_name("p.duckdb.wal").stat().st_size > 0
    assert heads(path)["s1"].title == "From the journal"


@pytest.mark.parametrize("kept", [1, 10, 50, 100, -1, -20], ids=lambda kept: f"first{kept}")
def test_half_written_journal_never_crashes(tmp_path: Path, kept: int) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    with writing_process(path, JOURNALLED):
        pass
    journal = path.with_name("p.duckdb.wal")
    journal.write_bytes(journal.read_bytes()[:kept])
    outcome = title_or_refusal(path)
    assert outcome in ("A conversation", "From the journal") or str(path) in outcome


def test_garbage_for_a_journal_leaves_the_last_good_state(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    path.with_name("p.duckdb.wal").write_bytes(b"\xff" * 4096)
    outcome = title_or_refusal(path)
    assert outcome == "A conversation" or "p.duckdb.wal" in outcome


def test_nothing_is_changed_and_nothing_is_left_behind(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    before, stamp = path.read_bytes(), path.stat().st_mtime_ns
    read_all(path)
    assert path.read_bytes() == before
    assert path.stat().st_mtime_ns == stamp
    assert list((tmp_path / "temp").iterdir()) == []
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["p.duckdb", "temp"]


def test_two_readers_have_it_open_at_once(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    with opened(path) as one, opened(path, memory_limit_mb=128) as two:
        assert one.heads() == two.heads()


def test_odd_file_names_are_opened(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "it's (a) “projection”; DROP.duckdb", [TALK])
    assert list(heads(path)) == ["s1"]


def test_temp_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ProjectionError, match="No temporary folder can be made in"),
        Projection.open(path, temp_folder=tmp_path / "file" / "temp"),
    ):
        pass


def test_view_in_a_hostile_projection_reads_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("id,source_id,source_native_id,title,project,metadata\n1,a,b,stolen,,\n")
    view = f"""CREATE VIEW conversations AS SELECT *, NULL::TIMESTAMPTZ AS started_at, NULL::TIMESTAMPTZ AS ended_at
        FROM read_csv('{secret}')"""
    tables = ("messages", "content_blocks")
    then = ["DROP VIEW tool_calls", *(f"CREATE TABLE {name}2 AS FROM {name}" for name in tables)]
    then += [f"DROP TABLE {name}" for name in ("attachments", "message_embeddings", "content_blocks", "messages")]
    then += ["DROP TABLE conversations", *(f"ALTER TABLE {name}2 RENAME TO {name}" for name in tables), view]
    path = make_projection(tmp_path / "p.duckdb", [TALK], then=then)
    assert "stolen" not in refusal(path)


def test_macro_in_a_hostile_projection_replaces_no_function(tmp_path: Path) -> None:
    honest = heads(make_projection(tmp_path / "a.duckdb", [TALK]))["s1"].digest
    path = make_projection(
        tmp_path / "b.duckdb", [TALK], then=["CREATE MACRO hash(x) AS 0", "CREATE MACRO epoch_us(x) AS 0"]
    )
    assert heads(path)["s1"].digest == honest


def test_lock_wait_ends(tmp_path: Path) -> None:
    path = make_projection(tmp_path / "p.duckdb", [TALK])
    started = time.monotonic()
    with (
        writing_process(path),
        pytest.raises(ProjectionError),
        Projection.open(path, temp_folder=tmp_path / "temp", lock_wait_s=0.3),
    ):
        pass
    assert time.monotonic() - started < 15
