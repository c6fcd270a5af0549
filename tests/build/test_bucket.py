"""A bucket as the output: the same site as in a folder, only what differs is put, and what is revoked goes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

import pytest

from sitegen.gate.encoding import b64u
from sitegen.output.failures import as_store_error
from sitegen.output.store import Store
from tests.support.bucket import LocalBucket, local_bucket, lose_server
from tests.support.projections import ConversationRow, assistant, conversation, user
from tests.support.workshop import Workshop, share, slugs


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalBucket]:
    with local_bucket(monkeypatch) as bucket:
        yield bucket


def _talk(name: str, answer: str = "Good day") -> ConversationRow:
    return conversation(name, user("Hello there"), assistant(answer), title=f"About {name}")


def _only(*names: str) -> str:
    return "".join(share(name, name, "listed = true") for name in names)


@pytest.fixture
def workshop(workshop: Workshop, bucket: LocalBucket) -> Workshop:
    workshop.talk(_talk("one"), _talk("two"), _talk("three"))
    workshop.configure(_only("one", "two", "three"))
    config = workshop.folder / "sitegen.toml"
    config.write_text(config.read_text().replace('"public"', f'"{bucket.url}/site"'))
    return workshop


def test_a_bucket_holds_the_same_bytes_as_a_folder(workshop: Workshop, bucket: LocalBucket) -> None:
    report = workshop.build()
    assert report["output"] == f"{bucket.url}/site"
    workshop.build("-o", str(workshop.public))
    assert bucket.tree("site") == workshop.tree()


def test_a_browser_is_told_what_each_object_is(workshop: Workshop, bucket: LocalBucket) -> None:
    workshop.build()
    assert bucket.content_type("site/s/one/index.html") == "text/html; charset=utf-8"
    assert bucket.content_type("site/sitemap.xml") == "application/xml"


def test_nothing_to_do_is_known_without_asking_the_bucket(
    workshop: Workshop, bucket: LocalBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = len(workshop.build() and bucket.tree("site")) - 1
    lose_server(monkeypatch)
    again = workshop.build()
    assert (again["written"], again["kept"], again["removed"]) == (0, kept, 0)


def test_only_what_changed_is_put(workshop: Workshop, bucket: LocalBucket) -> None:
    workshop.build()
    before = bucket.tree("site")
    workshop.talk(_talk("one"), _talk("two", "Something else"), _talk("three"), salt="b")
    written = workshop.build()["written"]
    after = bucket.tree("site")
    changed = {path for path in after if after[path] != before.get(path) and path != ".sitegen-files"}
    assert slugs(changed) == {"two"}
    assert written == len(changed)


def test_what_is_not_shared_any_more_goes_and_what_is_foreign_stays(workshop: Workshop, bucket: LocalBucket) -> None:
    workshop.build()
    bucket.put("site/robots.txt", b"User-agent: *")
    bucket.put("elsewhere/index.html", b"another site")
    text = (workshop.folder / "sitegen.toml").read_text()
    (workshop.folder / "sitegen.toml").write_text(text.replace(_only("two"), ""))
    assert workshop.build()["removed"] > 0
    tree = bucket.tree()
    assert not [path for path in tree if "s/two/" in path]
    assert {"site/robots.txt", "elsewhere/index.html", "site/s/one/index.html"} <= set(tree)


def test_a_revoked_page_that_someone_replaced_is_kept_and_told(workshop: Workshop, bucket: LocalBucket) -> None:
    workshop.build()
    bucket.put("site/s/two/index.html", b"mine now")
    text = (workshop.folder / "sitegen.toml").read_text()
    (workshop.folder / "sitegen.toml").write_text(text.replace(_only("two"), ""))
    result = workshop.run("build")
    assert result.exit_code == 3
    assert "s/two/index.html (someone has changed it)" in result.output
    assert bucket.tree("site")["s/two/index.html"] == b"mine now"


def test_a_prefix_with_foreign_objects_is_refused_unless_adopted(workshop: Workshop, bucket: LocalBucket) -> None:
    bucket.put("site/photo.jpg", b"...")
    refused = workshop.run("build")
    assert refused.exit_code == 1
    assert "holds objects that sitegen didn't put there (photo.jpg)" in refused.output
    workshop.build("--adopt")
    assert {"photo.jpg", "index.html"} <= set(bucket.tree("site"))


def test_a_foreign_object_is_not_overwritten(workshop: Workshop, bucket: LocalBucket) -> None:
    bucket.put("site/s/one/index.html", b"mine")
    result = workshop.run("build", "--adopt")
    assert result.exit_code == 1
    assert "sitegen didn't put there" in result.output
    assert bucket.tree("site")["s/one/index.html"] == b"mine"


def test_a_lost_state_costs_no_object_and_leaves_none_behind(workshop: Workshop, bucket: LocalBucket) -> None:
    workshop.build()
    Store(f"{bucket.url}/site").put([("s/gone/index.html", b"left by a build that was killed")])
    shutil.rmtree(workshop.folder / ".sitegen")
    report = workshop.build()
    assert (report["written"], report["removed"]) == (0, 1)
    assert "s/gone/index.html" not in bucket.tree("site")


def test_what_others_took_away_or_changed_is_put_back_by_a_look_at_all(workshop: Workshop, bucket: LocalBucket) -> None:
    workshop.build()
    whole = bucket.tree("site")
    bucket.delete("site/s/one/index.html")
    bucket.put("site/s/two/index.html", b"not so")
    bucket.delete("site/.sitegen-files")
    workshop.talk(_talk("one"), _talk("two"), _talk("three"), salt="b")
    workshop.build()
    assert bucket.tree("site") == whole


def test_protected_pages_are_sealed_and_what_would_open_them_is_withdrawn(
    workshop: Workshop, bucket: LocalBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(range(32))))
    monkeypatch.setenv("PEARL", "correct horse battery staple")
    gated = share("one", "one", 'gate = "password"', 'secret = "env:PEARL"', "listed = true")
    text = (workshop.folder / "sitegen.toml").read_text().replace(_only("one"), gated)
    (workshop.folder / "sitegen.toml").write_text(text)
    workshop.build()
    assert not [path for path, data in bucket.tree("site").items() if b"Good day" in data and "/one/" in path]
    told = share("two", "two", 'title = "correct horse battery staple"', "listed = true")
    (workshop.folder / "sitegen.toml").write_text(text.replace(_only("two"), told))
    result = workshop.run("build")
    assert result.exit_code == 3
    assert "held the password" in result.output
    assert not [path for path, data in bucket.tree("site").items() if b"horse battery" in data]
    # The password isn't one any more, so the same page may stand.
    (workshop.folder / "sitegen.toml").write_text(text.replace(_only("two"), told).replace(gated, _only("one")))
    workshop.build()
    workshop.build("-o", str(workshop.public))
    assert bucket.tree("site") == workshop.tree()


def test_what_a_bucket_holds_can_be_checked(workshop: Workshop, bucket: LocalBucket) -> None:
    workshop.build()
    result = workshop.run("check")
    assert (result.exit_code, ": 0 errors" in result.output) == (0, True)
    bucket.delete("site/s/two/index.html")
    result = workshop.run("check")
    assert result.exit_code == 1
    assert "s/two" in result.output


def test_what_is_built_into_a_bucket_needs_no_publishing(workshop: Workshop, bucket: LocalBucket) -> None:
    result = workshop.run("publish", "--yes")
    assert result.exit_code == 2
    assert f"The site is built into {bucket.url}/site" in result.output


def test_a_bucket_that_is_not_there_is_told(workshop: Workshop) -> None:
    result = workshop.run("build", "-o", "s3://nowhere/site")
    assert result.exit_code == 1
    assert "s3://nowhere/site can't be used: there is no such bucket" in result.output


def test_a_missing_library_is_told_with_what_to_install(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    result = workshop.run("build")
    assert result.exit_code == 1
    assert "pip install 'sitegen[s3]'" in result.output


def test_a_server_that_is_not_there_is_told(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_server(monkeypatch)
    result = workshop.run("build", "-o", "s3://talks/elsewhere")
    assert result.exit_code == 1
    assert "can't be used: it " in result.output


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param(PermissionError("Access Denied"), "refuses this user; check the credentials", id="refused"),
        pytest.param(OSError(5, "SlowDown"), "answered “SlowDown”", id="busy"),
        pytest.param(type("NoCredentialsError", (Exception,), {})(), "no credentials were found", id="nobody"),
        pytest.param(RuntimeError("timed out"), "can't be reached (timed out)", id="unreachable"),
    ],
)
def test_what_a_bucket_refuses_is_told_in_a_sentence(error: Exception, told: str) -> None:
    assert told in str(as_store_error(error, "s3://talks"))


@pytest.mark.parametrize("place", ["s3://", "s3:/talks", "s3://Talks", "s3://talks/../other", "s3://talks/a b"])
def test_an_address_of_no_bucket_is_refused_with_its_line(workshop: Workshop, place: str) -> None:
    config = workshop.folder / "sitegen.toml"
    config.write_text(config.read_text().replace("s3://talks/site", place))
    result = workshop.run("build")
    assert result.exit_code == 2
    assert "a bucket and perhaps a prefix, such as s3://talks/site" in result.output
