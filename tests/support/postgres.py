"""A real PostgreSQL for tests: a cluster in a temporary folder, started once and ended with the tests.

The server refuses to run as root, so root starts it as another user.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

USER = "ann"
PASSWORD = "correct-horse-9"
_START_S = 30
_QUICK = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=16MB", "max_connections=20")
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running server on 127.0.0.1; everyone needs a password."""

    port: int
    password: str = PASSWORD

    def url(self, database: str, *, user: str = USER, password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def make_database(self) -> str:
        """A new, empty database; its name."""
        name = f"talks{next(_numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return name

    def disconnect(self, database: str) -> None:
        """Ends everybody's connections to a database, as a server that goes down would."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [database]
            ).fetchall()


@contextmanager
def cluster() -> Iterator[Cluster]:
    """The server. Where PostgreSQL isn't installed tests are skipped on somebody's machine, and fail elsewhere."""
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="sitegen-postgres-"))
    try:
        yield from _run(programs, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(programs: Path, folder: Path) -> Iterator[Cluster]:
    account = _account()
    (folder / "password").write_text(PASSWORD)
    if account is not None:
        for path in (folder, folder / "password"):
            os.chown(path, account.pw_uid, account.pw_gid)
    data = folder / "data"
    options = ("-U", USER, "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync")
    _call(folder, [programs / "initdb", "-D", data, "--pwfile", folder / "password", *options])
    port = _free_port()
    settings = (*_QUICK, "listen_addresses=127.0.0.1", f"port={port}", f"unix_socket_directories={folder}")
    command = [programs / "postgres", "-D", data, *(part for setting in settings for part in ("-c", setting))]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, **_identity())  # type: ignore[call-overload]
    try:
        found = Cluster(port)
        _wait_for(found, server, folder / "log")
        yield found
    finally:
        server.send_signal(signal.SIGQUIT)  # at once: nothing of it is needed any more
        server.wait(_START_S)


def _programs() -> Path:
    on_path = shutil.which("postgres")
    places = [Path(on_path).resolve().parent] if on_path else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: -int(place.parent.name))
    for place in places:
        if all((place / name).is_file() for name in ("initdb", "postgres")):
            return place
    reason = "PostgreSQL isn't installed; as root “make test” installs it, else install your system's package"
    if os.environ.get("CI") or os.geteuid() == 0:
        pytest.fail(reason)
    pytest.skip(reason)


def _account() -> pwd.struct_passwd | None:
    """Whom the server runs as, where it can't be ourselves."""
    if os.geteuid() != 0:
        return None
    known = {account.pw_name: account for account in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


def _identity() -> dict[str, object]:
    account = _account()
    return {} if account is None else {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _call(folder: Path, command: Sequence[Path | str]) -> None:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **_identity())  # type: ignore[call-overload]
    assert result.returncode == 0, result.stderr


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(found: Cluster, server: subprocess.Popen[bytes], log: Path) -> None:
    give_up = time.monotonic() + _START_S
    while time.monotonic() < give_up and server.poll() is None:
        try:
            psycopg.connect(found.url("postgres"), connect_timeout=5).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"PostgreSQL didn't start: {log.read_text(errors='replace')[-1500:]}")
