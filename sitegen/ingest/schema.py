"""The tables of a projection, version 5 of the schema, as `sitegen ingest` makes them.

Beside the keys there are no indexes: they'd cost a third of the time of a bulk write, and no reader of ours needs them.
"""

from __future__ import annotations

from typing import Final

SCHEMA_VERSION: Final = "5"
CREATED_BY: Final = "sitegen"
STORAGE_VERSION: Final = "v1.1.0"
"""DuckDB's storage format: the oldest that holds all we use, so that any DuckDB 1.1 or later opens the file."""

PICKED: Final = (
    """CREATE TABLE IF NOT EXISTS picked_stretches (
        source_id VARCHAR NOT NULL,
        source_native_conversation_id VARCHAR NOT NULL,
        first_line INTEGER NOT NULL,
        last_line INTEGER NOT NULL,
        format INTEGER NOT NULL,
        raw_hash HUGEINT,
        parts INTEGER NOT NULL,
        titles BLOB NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS picked_records (
        source_id VARCHAR NOT NULL,
        source_native_conversation_id VARCHAR NOT NULL,
        first_line INTEGER NOT NULL,
        format INTEGER NOT NULL,
        records BLOB NOT NULL
    )""",
)
"""Not of the schema: what pages need of `raw_events`, so that a build needn't parse them. They may go at any time."""

TABLES: Final = (
    "CREATE TABLE meta (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)",
    """CREATE TABLE sources (
        id VARCHAR PRIMARY KEY,
        name VARCHAR NOT NULL,
        adapter_version VARCHAR,
        first_seen TIMESTAMPTZ NOT NULL DEFAULT current_timestamp,
        last_ingested TIMESTAMPTZ,
        config JSON
    )""",
    """CREATE TABLE conversations (
        id VARCHAR PRIMARY KEY,
        source_id VARCHAR NOT NULL REFERENCES sources (id),
        source_native_id VARCHAR NOT NULL,
        title VARCHAR,
        project VARCHAR,
        started_at TIMESTAMPTZ,
        ended_at TIMESTAMPTZ,
        message_count INTEGER NOT NULL DEFAULT 0,
        content_hash VARCHAR,
        raw_path VARCHAR,
        metadata JSON,
        ingested_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp,
        source_file_mtime DOUBLE,
        UNIQUE (source_id, source_native_id)
    )""",
    """CREATE TABLE messages (
        id VARCHAR PRIMARY KEY,
        conversation_id VARCHAR NOT NULL REFERENCES conversations (id),
        source_native_id VARCHAR,
        parent_message_id VARCHAR,
        role VARCHAR NOT NULL,
        model VARCHAR,
        created_at TIMESTAMPTZ,
        sequence_index INTEGER NOT NULL,
        metadata JSON,
        UNIQUE (conversation_id, sequence_index)
    )""",
    """CREATE TABLE content_blocks (
        id VARCHAR PRIMARY KEY,
        message_id VARCHAR NOT NULL REFERENCES messages (id),
        block_index INTEGER NOT NULL,
        type VARCHAR NOT NULL,
        text VARCHAR,
        tool_name VARCHAR,
        tool_use_id VARCHAR,
        payload JSON,
        UNIQUE (message_id, block_index)
    )""",
    """CREATE VIEW tool_calls AS
        SELECT
            block.id AS call_id,
            block.tool_use_id,
            block.tool_name,
            block.payload AS input,
            message.id AS message_id,
            message.conversation_id,
            message.created_at,
            conversation.project,
            conversation.source_id
        FROM content_blocks AS block
        JOIN messages AS message ON message.id = block.message_id
        JOIN conversations AS conversation ON conversation.id = message.conversation_id
        WHERE block.type = 'tool_use'""",
    """CREATE TABLE attachments (
        id VARCHAR PRIMARY KEY,
        message_id VARCHAR NOT NULL REFERENCES messages (id),
        filename VARCHAR,
        mime_type VARCHAR,
        storage_path VARCHAR,
        source_url VARCHAR,
        content_hash VARCHAR,
        size_bytes BIGINT,
        metadata JSON
    )""",
    """CREATE TABLE raw_events (
        id VARCHAR PRIMARY KEY,
        source_id VARCHAR NOT NULL REFERENCES sources (id),
        source_native_conversation_id VARCHAR,
        raw_path VARCHAR,
        line_number INTEGER,
        payload JSON NOT NULL,
        ingested_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp
    )""",
    *PICKED,
    """CREATE TABLE message_embeddings (
        message_id VARCHAR NOT NULL REFERENCES messages (id),
        model VARCHAR NOT NULL,
        vector FLOAT[],
        created_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp,
        PRIMARY KEY (message_id, model)
    )""",
    """CREATE TABLE label_runs (
        id VARCHAR PRIMARY KEY,
        pack VARCHAR NOT NULL,
        pack_version VARCHAR NOT NULL,
        backend VARCHAR NOT NULL,
        model VARCHAR,
        started_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp,
        finished_at TIMESTAMPTZ,
        targets INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        input_tokens BIGINT NOT NULL DEFAULT 0
    )""",
    """CREATE TABLE labels (
        pack VARCHAR NOT NULL,
        target_kind VARCHAR NOT NULL,
        target_id VARCHAR NOT NULL,
        question VARCHAR NOT NULL,
        answer_type VARCHAR NOT NULL,
        value DOUBLE,
        choice VARCHAR,
        confidence DOUBLE,
        probabilities JSON,
        pack_version VARCHAR NOT NULL,
        model VARCHAR,
        run_id VARCHAR,
        created_at TIMESTAMPTZ NOT NULL DEFAULT current_timestamp,
        PRIMARY KEY (pack, target_id, question)
    )""",
    """CREATE TABLE observations (
        device_id VARCHAR,
        device_seq UBIGINT,
        source_id VARCHAR,
        scope VARCHAR,
        locator VARCHAR,
        kind VARCHAR,
        byte_offset BIGINT,
        length BIGINT,
        content_sha256 VARCHAR,
        observed_at TIMESTAMPTZ,
        path VARCHAR,
        project_hint VARCHAR,
        legacy BOOLEAN,
        segment VARCHAR,
        position BIGINT,
        PRIMARY KEY (device_id, device_seq)
    )""",
    "CREATE TABLE indexed_segments (segment VARCHAR PRIMARY KEY, indexed_at TIMESTAMPTZ)",
    "CREATE TABLE collector_state (key VARCHAR PRIMARY KEY, value VARCHAR)",
    """CREATE TABLE divergences (
        conversation_id VARCHAR,
        fork_after VARCHAR,
        branch_message VARCHAR,
        devices JSON,
        PRIMARY KEY (conversation_id, branch_message)
    )""",
)
