"""A workspace's database for tests: its tables as the product has them, and rows said in short."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

import psycopg

from tests.support.postgres import Cluster

FIRST = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TABLES = """
CREATE TABLE {0}projects (id uuid PRIMARY KEY, user_id uuid, name text);
CREATE TABLE {0}pause_points (id uuid PRIMARY KEY, conversation_id uuid, message_id uuid, question text, options jsonb,
    status text, comment text, decided_by uuid, created_at timestamptz);
CREATE TABLE {0}conversations (id uuid PRIMARY KEY, user_id uuid, project_id uuid, title text, persona text,
    sandbox_id text, state text NOT NULL, pause_point_id uuid, last_message_at timestamptz, created_at timestamptz);
CREATE TABLE {0}messages (id uuid PRIMARY KEY, conversation_id uuid REFERENCES {0}conversations ON DELETE CASCADE,
    role text, content jsonb, tool_calls jsonb, tool_call_id text, turn_index integer, created_at timestamptz);
CREATE TABLE {0}shared_views (slug text PRIMARY KEY, conversation_id uuid, gate_type text, gate_secret text,
    expires_at timestamptz, view_count integer NOT NULL DEFAULT 0, view_limit integer,
    created_at timestamptz NOT NULL DEFAULT '2026-01-02T00:00:00Z');
"""

Cell = object


def uuid(name: str) -> str:
    """The same id for the same name."""
    return str(uuid5(NAMESPACE_URL, name))


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


@dataclass(frozen=True, slots=True)
class WorkspaceDatabase:
    """A database with the tables of a workspace; names of rows stand for their ids."""

    cluster: Cluster
    name: str
    prefix: str = ""
    """The schema with its dot, where it isn't `public`."""

    @classmethod
    def make(cls, cluster: Cluster, *, schema: str = "") -> WorkspaceDatabase:
        prefix = f"{schema}." if schema else ""
        made = cls(cluster, cluster.make_database(), prefix)
        if schema:
            made.execute(f"CREATE SCHEMA {schema}")
        made.execute(TABLES.format(prefix))
        return made

    @property
    def url(self) -> str:
        return self.cluster.url(self.name)

    def execute(self, sql: str, *values: Cell) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.encode(), values or None)

    def talk(self, name: str, *messages: dict[str, Cell], **columns: Cell) -> str:
        """A conversation with its messages; its id."""
        own = uuid(name)
        row = {
            "id": own,
            "title": f"About {name}",
            "state": "complete",
            "created_at": FIRST,
            "last_message_at": FIRST + timedelta(minutes=len(messages)),
            **columns,
        }
        self.insert("conversations", **row)
        for number, message in enumerate(messages):
            self.say(name, number, **message)
        return own

    def say(self, name: str, number: int, **columns: Cell) -> None:
        """A message of a conversation."""
        row = {
            "id": uuid(f"{name}-{number}"),
            "conversation_id": uuid(name),
            "turn_index": number,
            "created_at": FIRST + timedelta(minutes=number),
            **columns,
        }
        self.insert("messages", **row)

    def pause(self, name: str, **columns: Cell) -> str:
        own = uuid(name)
        self.insert("pause_points", id=own, **columns)
        return own

    def share(self, slug: str, name: str, **columns: Cell) -> None:
        self.insert("shared_views", slug=slug, conversation_id=uuid(name), **columns)

    def insert(self, table: str, **columns: Cell) -> None:
        cells = [json.dumps(value) if isinstance(value, list | dict) else value for value in columns.values()]
        names = ", ".join(columns)
        self.execute(f"INSERT INTO {self.prefix}{table} ({names}) VALUES ({', '.join(['%s'] * len(cells))})", *cells)


def user(*content: Cell, **columns: Cell) -> dict[str, Cell]:
    return {"role": "user", "content": _content(content), **columns}


def assistant(*content: Cell, **columns: Cell) -> dict[str, Cell]:
    return {"role": "assistant", "content": _content(content), **columns}


def tool(call_id: str, *content: Cell, **columns: Cell) -> dict[str, Cell]:
    return {"role": "tool", "tool_call_id": call_id, "content": _content(content), **columns}


def call(call_id: str, name: str, **arguments: Cell) -> dict[str, Cell]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def _content(content: tuple[Cell, ...]) -> list[Cell]:
    return [text(item) if isinstance(item, str) else item for item in content]
