"""The tables of a projection in every version of the schema, as this project understands them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sitegen.ingest.schema import TABLES


def schema(version: int) -> list[str]:
    """The statements that make an empty projection of a schema version (above 5: version 5 under that number)."""
    older = [statement for number, group in _SCHEMA.items() if number <= version for statement in group]
    statements = list(TABLES) if version >= 5 else older
    return [*statements, f"INSERT INTO meta VALUES ('schema_version', '{version}')"]


_SCHEMA: Final[Mapping[int, tuple[str, ...]]] = {
    1: (
        "CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)",
        """CREATE TABLE sources (id VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, adapter_version VARCHAR,
            first_seen TIMESTAMPTZ NOT NULL DEFAULT current_timestamp, last_ingested TIMESTAMPTZ, config JSON)""",
        """CREATE TABLE conversations (id VARCHAR PRIMARY KEY, source_id VARCHAR NOT NULL REFERENCES sources(id),
            source_native_id VARCHAR NOT NULL, title VARCHAR, project VARCHAR, started_at TIMESTAMPTZ,
            ended_at TIMESTAMPTZ, message_count INTEGER NOT NULL DEFAULT 0, content_hash VARCHAR, raw_path VARCHAR,
            metadata JSON, ingested_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp,
            UNIQUE (source_id, source_native_id))""",
        """CREATE TABLE messages (id VARCHAR PRIMARY KEY,
            conversation_id VARCHAR NOT NULL REFERENCES conversations(id), source_native_id VARCHAR,
            parent_message_id VARCHAR, role VARCHAR NOT NULL, model VARCHAR, created_at TIMESTAMPTZ,
            sequence_index INTEGER NOT NULL, metadata JSON, UNIQUE (conversation_id, sequence_index))""",
        """CREATE TABLE content_blocks (id VARCHAR PRIMARY KEY, message_id VARCHAR NOT NULL REFERENCES messages(id),
            block_index INTEGER NOT NULL, type VARCHAR NOT NULL, text VARCHAR, tool_name VARCHAR, tool_use_id VARCHAR,
            payload JSON, UNIQUE (message_id, block_index))""",
        """CREATE VIEW tool_calls AS SELECT b.id AS call_id, b.tool_use_id, b.tool_name, b.payload AS input,
            m.id AS message_id, m.conversation_id, m.created_at, c.project, c.source_id
            FROM content_blocks b JOIN messages m ON m.id = b.message_id
            JOIN conversations c ON c.id = m.conversation_id
            WHERE b.type = 'tool_use'""",
        """CREATE TABLE attachments (id VARCHAR PRIMARY KEY, message_id VARCHAR NOT NULL REFERENCES messages(id),
            filename VARCHAR, mime_type VARCHAR, storage_path VARCHAR, source_url VARCHAR, content_hash VARCHAR,
            size_bytes BIGINT, metadata JSON)""",
        """CREATE TABLE raw_events (id VARCHAR PRIMARY KEY, source_id VARCHAR NOT NULL REFERENCES sources(id),
            source_native_conversation_id VARCHAR, raw_path VARCHAR, line_number INTEGER, payload JSON NOT NULL,
            ingested_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp)""",
        """CREATE TABLE message_embeddings (message_id VARCHAR NOT NULL REFERENCES messages(id), model VARCHAR NOT NULL,
            vector FLOAT[], created_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp,
            PRIMARY KEY (message_id, model))""",
    ),
    3: ("ALTER TABLE conversations ADD COLUMN source_file_mtime DOUBLE",),
    4: (
        """CREATE TABLE label_runs (id VARCHAR PRIMARY KEY, pack VARCHAR NOT NULL, pack_version VARCHAR NOT NULL,
            backend VARCHAR NOT NULL, model VARCHAR, started_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp,
            finished_at TIMESTAMPTZ, targets INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
            input_tokens BIGINT NOT NULL DEFAULT 0)""",
        """CREATE TABLE labels (pack VARCHAR NOT NULL, target_kind VARCHAR NOT NULL, target_id VARCHAR NOT NULL,
            question VARCHAR NOT NULL, answer_type VARCHAR NOT NULL, value DOUBLE, choice VARCHAR, confidence DOUBLE,
            probabilities JSON, pack_version VARCHAR NOT NULL, model VARCHAR, run_id VARCHAR,
            created_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp, PRIMARY KEY (pack, target_id, question))""",
    ),
}
