"""A bucket on this machine: an S3 server in a thread, for tests of what is put elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.request import Request, urlopen

import pytest


@dataclass(frozen=True, slots=True)
class LocalBucket:
    """One bucket of a local S3 server, and what a user would see in it."""

    name: str
    endpoint: str

    @property
    def url(self) -> str:
        return f"s3://{self.name}"

    def tree(self, prefix: str = "") -> dict[str, bytes]:
        """All objects below a prefix, by path."""
        files = _files()
        start = f"{self.name}/{prefix}".rstrip("/") + "/"
        return {key.removeprefix(start): files.cat_file(key) for key in files.find(start, refresh=True)}

    def content_type(self, path: str) -> str:
        """What the bucket tells a browser about an object."""
        return str(_files().info(f"{self.name}/{path}", refresh=True)["ContentType"])

    def put(self, path: str, data: bytes) -> None:
        """Put an object as another program would."""
        _files().pipe_file(f"{self.name}/{path}", data)

    def delete(self, path: str) -> None:
        """Take an object away as another program would."""
        _files().rm_file(f"{self.name}/{path}")


@contextmanager
def local_bucket(monkeypatch: pytest.MonkeyPatch, name: str = "talks") -> Iterator[LocalBucket]:
    """An empty bucket, with the environment set so that every S3 client of this process and its children finds it."""
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        for key, value in {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": "ann",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(key, value)
        s3fs.S3FileSystem.clear_instance_cache()
        urlopen(Request(f"{endpoint}/moto-api/reset", method="POST")).close()  # its buckets outlive the server
        _files().call_s3("create_bucket", Bucket=name)
        yield LocalBucket(name, endpoint)
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()


def lose_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on no S3 client of this process finds a server."""
    import s3fs

    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    s3fs.S3FileSystem.clear_instance_cache()


def _files() -> Any:
    import s3fs

    return s3fs.S3FileSystem(use_listings_cache=False)
