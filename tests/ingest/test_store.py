"""A projection is written so that others can read it, and only when it is sitegen's own."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from sitegen.errors import IngestError
from sitegen.ingest import ingest
from tests.ingest.reading import everything, one, query
from tests.support.projections import with_storage_version
from tests.support.sessions import image, user, write_session


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    write_session(tmp_path / "projects" / "-p" / "s1.jsonl", user("Hi"))
    return tmp_path / "projects"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "it's" / "archive.duckdb"


@pytest.mark.parametrize("limit_bytes", range(300, 3_000, 300))
def test_rows_are_the_same_wherever_writing_them_begins(
    projects: Path, db: Path, monkeypatch: pytest.MonkeyPatch, limit_bytes: int
) -> None:
    """Rows are written in the middle of a session, between its last record and its own row, or after that."""
    monkeypatch.setattr("sitegen.ingest.writer._FLUSH_BYTES", limit_bytes)
    write_session(projects / "-p" / "s2.jsonl", user("Hello"))
    report = ingest("claude-code", projects, db)
    assert (report.new, report.problems) == (2, ())
    rows = query(db, "SELECT source_native_id, message_count, source_file_mtime > 0 FROM conversations ORDER BY 1")
    assert rows == [("s1", 1, True), ("s2", 1, True)]


def test_conversation_of_pictures_larger_than_the_memory_of_the_database_is_kept(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB holds what doesn't compress until all is written, and ends for good when there's no room for it."""
    monkeypatch.setattr("sitegen.ingest.store._MEMORY_BYTES", 24_000_000)
    noise = random.Random(1)
    shots = [user(image(noise.randbytes(700_000))) for _ in range(60)]
    write_session(tmp_path / "shots" / "-p" / "s1.jsonl", *shots)
    report = ingest("claude-code", tmp_path / "shots", db)
    assert (report.new, report.tally.images, report.problems) == (1, 60, ())


def test_text_of_many_megabytes_is_kept(tmp_path: Path, db: Path) -> None:
    """DuckDB holds a text several times over while it's written."""
    text = random.Random(1).randbytes(27_000_000).hex()
    write_session(tmp_path / "long" / "-p" / "s1.jsonl", user("Look"), user(text))
    report = ingest("claude-code", tmp_path / "long", db)
    assert (report.new, report.problems) == (1, ())
    assert one(db, "SELECT max(length(text)) FROM content_blocks") == len(text)


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_name_that_is_not_utf8_is_told(projects: Path, tmp_path: Path) -> None:
    db = tmp_path / os.fsdecode(b"d\xe9.duckdb")
    with pytest.raises(IngestError, match="isn't UTF-8"):
        ingest("claude-code", projects, db)
    assert not db.exists()


COLUMNS = {
    "meta": "key value",
    "sources": "id name adapter_version first_seen last_ingested config",
    "conversations": "id source_id source_native_id title project started_at ended_at message_count content_hash "
    "raw_path metadata ingested_at source_file_mtime",
    "messages": "id conversation_id source_native_id parent_message_id role model created_at sequence_index metadata",
    "content_blocks": "id message_id block_index type text tool_name tool_use_id payload",
    "tool_calls": "call_id tool_use_id tool_name input message_id conversation_id created_at project source_id",
    "attachments": "id message_id filename mime_type storage_path source_url content_hash size_bytes metadata",
    "raw_events": "id source_id source_native_conversation_id raw_path line_number payload ingested_at",
    "message_embeddings": "message_id model vector created_at",
    "label_runs": "id pack pack_version backend model started_at finished_at targets failures input_tokens",
    "labels": "pack target_kind target_id question answer_type value choice confidence probabilities pack_version "
    "model run_id created_at",
    "observations": "device_id device_seq source_id scope locator kind byte_offset length content_sha256 observed_at "
    "path project_hint legacy segment position",
    "divergences": "conversation_id fork_after branch_message devices",
}


@pytest.mark.parametrize("table", COLUMNS)
def test_schema_version_5_is_whole(projects: Path, db: Path, table: str) -> None:
    ingest("claude-code", projects, db)
    assert one(db, "SELECT value FROM meta WHERE key = 'schema_version'") == "5"
    assert [name for name, *_ in query(db, f"DESCRIBE {table}")] == COLUMNS[table].split()


def test_file_opens_in_every_duckdb_1(projects: Path, db: Path) -> None:
    ingest("claude-code", projects, db)
    write_session(projects / "-p" / "s2.jsonl", user("Hi"))
    ingest("claude-code", projects, db)
    found = one(db, "SELECT tags['storage_version'] FROM duckdb_databases() WHERE NOT internal")
    assert found == "v1.0.0+"


def test_no_log_is_left_beside_the_file(projects: Path, db: Path) -> None:
    ingest("claude-code", projects, db)
    assert [file.name for file in db.parent.iterdir()] == [db.name]


def foreign_projection(path: Path, version: str = "4") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE meta (key VARCHAR, value VARCHAR)")
        connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", [version])
    return path


def test_foreign_projection_is_refused_and_untouched(projects: Path, db: Path) -> None:
    before = foreign_projection(db).read_bytes()
    with pytest.raises(IngestError, match=r"a projection of schema 4 by another program.*sitegen never changes"):
        ingest("claude-code", projects, db)
    assert db.read_bytes() == before


def test_foreign_database_is_refused(projects: Path, db: Path) -> None:
    db.parent.mkdir()
    with duckdb.connect(str(db)) as connection:
        connection.execute("CREATE TABLE accounts (id INTEGER)")
    with pytest.raises(IngestError, match="it holds other tables: accounts"):
        ingest("claude-code", projects, db)


def test_own_projection_of_another_schema_is_refused(projects: Path, db: Path) -> None:
    ingest("claude-code", projects, db)
    with duckdb.connect(str(db)) as connection:
        connection.execute("UPDATE meta SET value = '6' WHERE key = 'schema_version'")
    with pytest.raises(IngestError, match="a projection of schema 6 by sitegen"):
        ingest("claude-code", projects, db)


def test_database_without_tables_is_taken(projects: Path, db: Path) -> None:
    db.parent.mkdir()
    duckdb.connect(str(db)).close()
    assert ingest("claude-code", projects, db).new == 1


@pytest.mark.parametrize("content", [b"", b"not a database " * 400], ids=["empty", "text"])
def test_file_that_is_no_database_is_refused_and_untouched(projects: Path, db: Path, content: bytes) -> None:
    db.parent.mkdir()
    db.write_bytes(content)
    with pytest.raises(IngestError, match=r"can't be opened as a DuckDB file.*Choose another file with --db"):
        ingest("claude-code", projects, db)
    assert db.read_bytes() == content


@pytest.mark.parametrize("number", [90, 999])
def test_file_of_a_newer_format_asks_for_an_update(projects: Path, db: Path, number: int) -> None:
    ingest("claude-code", projects, db)
    with_storage_version(db, number)
    before = db.read_bytes()
    with pytest.raises(IngestError, match=r"written by a newer DuckDB than the installed.*pip install -U duckdb"):
        ingest("claude-code", projects, db)
    assert db.read_bytes() == before


@pytest.mark.parametrize("kept", [0, 1, 100, 20_000, -1], ids=lambda kept: f"{kept} bytes")
def test_half_written_journal_costs_what_stood_in_it_only(projects: Path, db: Path, kept: int) -> None:
    ingest("claude-code", projects, db)
    code = f"""
import duckdb, os
connection = duckdb.connect({str(db)!r})
connection.execute("PRAGMA disable_checkpoint_on_shutdown")
for n in range(20):
    connection.execute("INSERT INTO collector_state VALUES (?, ?)", [str(n), "x" * 2000])
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    journal = db.with_name(f"{db.name}.wal")
    journal.write_bytes(journal.read_bytes()[:kept])
    write_session(projects / "-p" / "s2.jsonl", user("Hi"))
    assert (ingest("claude-code", projects, db).new, one(db, "SELECT count(*) FROM conversations")) == (1, 2)


def test_garbage_for_a_journal_is_passed_over(projects: Path, db: Path) -> None:
    ingest("claude-code", projects, db)
    db.with_name(f"{db.name}.wal").write_bytes(bytes(range(256)) * 10)
    write_session(projects / "-p" / "s2.jsonl", user("Hi"))
    assert (ingest("claude-code", projects, db).new, one(db, "SELECT count(*) FROM conversations")) == (1, 2)


def test_folder_is_refused(projects: Path, tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="isn't a file"):
        ingest("claude-code", projects, tmp_path)


def test_parent_that_is_a_file_is_told(projects: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IngestError, match=r"can't be written: "):
        ingest("claude-code", projects, tmp_path / "file" / "archive.duckdb")


def test_lock_is_told_with_its_holder(projects: Path, db: Path) -> None:
    ingest("claude-code", projects, db)
    program = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", program, str(db)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(IngestError, match=rf"in use by the process {holder.pid}\. Wait"):
            ingest("claude-code", projects, db, lock_wait_s=0.2)
        holder.kill()


def test_lock_that_goes_is_waited_for(projects: Path, db: Path) -> None:
    ingest("claude-code", projects, db)
    program = "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print('open', flush=True); time.sleep(0.5)"
    with subprocess.Popen([sys.executable, "-c", program, str(db)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert ingest("claude-code", projects, db, lock_wait_s=30).unchanged == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of file sizes")
def test_full_disk_is_told_and_keeps_what_was_there(projects: Path, db: Path, tmp_path: Path) -> None:
    ingest("claude-code", projects, db)
    before = everything(db)
    for n in range(8):
        write_session(projects / "-p" / f"large{n}.jsonl", *[user(os.urandom(40_000).hex()) for _ in range(30)])
    program = f"""
import resource
from sitegen.errors import IngestError
from sitegen.ingest import ingest
limit = {db.stat().st_size + 2_000_000}
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    ingest("claude-code", {str(projects)!r}, {str(db)!r})
except IngestError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "can't be written: " in done.stdout, done.stderr
    assert "What was written before is kept" in done.stdout
    rows = everything(db)
    assert set(map(str, before["messages"])) <= set(map(str, rows["messages"]))
    assert ingest("claude-code", projects, db).new + ingest("claude-code", projects, db).unchanged >= 9


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of file sizes")
def test_what_fits_into_the_log_only_is_written_all_the_same(projects: Path, db: Path) -> None:
    ingest("claude-code", projects, db)
    write_session(projects / "-p" / "large.jsonl", *[user(os.urandom(40_000).hex()) for _ in range(30)])
    program = f"""
import resource
from sitegen.ingest import ingest
limit = {db.stat().st_size + 1_000}
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
print(ingest("claude-code", {str(projects)!r}, {str(db)!r}).new)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done.stderr
    assert db.with_name(f"{db.name}.wal").exists()
    assert one(db, "SELECT message_count FROM conversations WHERE source_native_id = 'large'") == 30
    assert ingest("claude-code", projects, db).unchanged == 2
