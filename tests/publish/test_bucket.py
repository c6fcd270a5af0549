"""A bucket holds the site as it was built, each object with its type and for how long it may be kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest

from sitegen.errors import OutputError
from sitegen.output.store import Store
from tests.publish.owner import Owner
from tests.support.bucket import LocalBucket, local_bucket
from tests.support.workshop import talk_about


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalBucket]:
    with local_bucket(monkeypatch) as it:
        yield it


@pytest.fixture
def puts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are put, in order."""
    put, noted = Store.put, list[str]()

    def note(self: Store, documents: Iterable[tuple[str, bytes]]) -> object:
        documents = list(documents)
        noted.extend(path for path, _ in documents)
        return put(self, documents)

    monkeypatch.setattr(Store, "put", note)
    return noted


def to(bucket: LocalBucket) -> str:
    return f"{bucket.url}/notes/"


def test_bucket_is_the_site(owner: Owner, bucket: LocalBucket) -> None:
    bucket.put("other/index.html", b"another site")
    owner.publish(to(bucket))
    assert bucket.tree("notes") == owner.built()
    assert bucket.tree("other") == {"index.html": b"another site"}


def test_objects_have_their_types_and_how_long_they_may_be_kept(owner: Owner, bucket: LocalBucket) -> None:
    owner.publish(to(bucket))
    sheet = next(path for path in owner.built() if path.endswith(".css"))
    assert bucket.content_type("notes/index.html") == "text/html; charset=utf-8"
    assert bucket.content_type(f"notes/{sheet}") == "text/css; charset=utf-8"
    assert bucket.content_type("notes/s/tides/conversation.json") == "application/json"
    assert headers(bucket, f"notes/{sheet}")["CacheControl"] == "public, max-age=31536000, immutable"
    for path in ("index.html", "s/tides/index.html", "s/tides/conversation.md", "sitemap.xml"):
        assert headers(bucket, f"notes/{path}")["CacheControl"] == "public, max-age=60"


def headers(bucket: LocalBucket, path: str) -> dict[str, str]:
    import s3fs

    found = s3fs.S3FileSystem(use_listings_cache=False).call_s3("head_object", Bucket=bucket.name, Key=path)
    return {name: str(value) for name, value in found.items()}


def test_only_what_changed_is_put_in_order(owner: Owner, bucket: LocalBucket, puts: list[str]) -> None:
    owner.publish(to(bucket))
    assert puts.index("sitemap.xml") == len(puts) - 1
    puts.clear()
    owner.publish(to(bucket))
    assert puts == []
    owner.workshop.talk(talk_about("tides", "More?", "More."), talk_about("kerning", project="/home/ann/type"))
    owner.publish(to(bucket))
    assert "s/tides/index.html" in puts
    assert not [path for path in puts if path.startswith(("s/kerning/", "assets/"))]


def test_lost_memory_puts_nothing_again(owner: Owner, bucket: LocalBucket, puts: list[str]) -> None:
    owner.publish(to(bucket))
    (owner.folder / ".sitegen" / "published.json").unlink()
    puts.clear()
    owner.share("tides")
    owner.publish(to(bucket))
    assert bucket.tree("notes") == owner.built()
    assert not [path for path in puts if path.startswith("assets/")]


def test_objects_of_others_stay_and_are_refused_in_the_way(owner: Owner, bucket: LocalBucket) -> None:
    bucket.put("notes/index.html", b"somebody's")
    bucket.put("notes/own.txt", b"somebody's")
    assert "index.html" in owner.publish(to(bucket), code=3).stderr
    assert bucket.tree("notes") == {"index.html": b"somebody's", "own.txt": b"somebody's"}
    owner.publish(to(bucket), "--force")
    owner.share("tides")
    owner.publish(to(bucket))
    assert bucket.tree("notes") == {**owner.built(), "own.txt": b"somebody's"}


@pytest.mark.parametrize("puts_until_failure", [0, 1, 2])
def test_network_that_fails_breaks_nothing_and_what_was_taken_back_goes(
    owner: Owner, bucket: LocalBucket, monkeypatch: pytest.MonkeyPatch, puts_until_failure: int
) -> None:
    owner.publish(to(bucket))
    before = bucket.tree("notes")
    owner.share("tides")
    owner.workshop.talk(talk_about("tides", "More?", "More."), talk_about("kerning"))
    left, put = iter(range(puts_until_failure)), Store.put

    def put_until_it_fails(self: Store, documents: Sequence[tuple[str, bytes]]) -> object:
        if next(left, None) is None:
            raise OutputError(f"{self.url} can't be used: it can't be reached (connection reset by peer).")
        return put(self, documents)

    monkeypatch.setattr(Store, "put", put_until_it_fails)
    result = owner.publish(to(bucket), code=1)
    assert "connection reset" in result.stderr
    after = bucket.tree("notes")
    assert not [path for path in after if path.startswith("s/kerning/")]
    assert {path for path in before if not path.startswith(("s/kerning/", "p/"))} <= after.keys()
    monkeypatch.setattr(Store, "put", put)
    owner.publish(to(bucket))
    assert bucket.tree("notes") == owner.built()


def test_bucket_that_is_not_there_is_told(owner: Owner, bucket: LocalBucket) -> None:
    result = owner.publish("s3://no-such-bucket/notes", code=1)
    assert "bucket" in result.stderr


def test_bucket_without_its_library_says_what_to_install(
    owner: Owner, bucket: LocalBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "s3fs", None)
    assert "sitegen[s3]" in owner.publish(to(bucket), code=1).stderr


def test_site_that_is_built_into_a_bucket_needs_no_publishing(owner: Owner, bucket: LocalBucket) -> None:
    config = owner.folder / "sitegen.toml"
    config.write_text(config.read_text().replace('directory = "public"', f'directory = "{bucket.url}/notes"'))
    assert "“sitegen build” publishes it" in owner.publish(to(bucket), code=2).stderr
