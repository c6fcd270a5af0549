"""A build on a cluster: the same bytes as here, also when a worker is lost, and sentences for what can't work."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sitegen.build import cluster as clusters
from sitegen.build.cluster import tcp_address
from sitegen.build.fitness import Program
from sitegen.errors import UsageError
from sitegen.gate.encoding import b64u
from tests.support.bucket import LocalBucket, local_bucket
from tests.support.workshop import EVERYTHING, Workshop, share, slugs, talk_about

NAMES = [f"subject{number}" for number in range(24)]


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Dask and of Python, about forks and ports, not about us
        with LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster:
            yield cluster


def _address(cluster: Any) -> str:
    return str(cluster.scheduler_address).replace("tcp://", "dask://")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalBucket]:
    with local_bucket(monkeypatch) as bucket:
        yield bucket


@pytest.fixture
def workshop(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    monkeypatch.setattr(clusters, "_SMALLEST_BATCH", 8)
    workshop.talk(*(talk_about(name, "Go on.", "With pleasure.") for name in NAMES))
    workshop.configure()
    return workshop


def _die_once(flag: str) -> None:
    """Has the first worker that has put the pages of one share die before it has told anyone."""
    from sitegen.output.bucket import BucketWriter

    write = BucketWriter.write

    def write_and_die(self: BucketWriter, documents: Any) -> Any:
        written = write(self, documents)
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return written
        os._exit(9)

    BucketWriter.write = write_and_die  # type: ignore[method-assign]


@pytest.mark.slow
def test_three_workers_of_which_one_dies_make_the_same_site(
    workshop: Workshop, bucket: LocalBucket, tmp_path: Path
) -> None:
    flag = tmp_path / "died"
    with _cluster(3) as cluster:
        cluster.get_client().run(_die_once, str(flag))
        report = workshop.build("--executor", _address(cluster), "-o", f"{bucket.url}/site")
    assert flag.exists()
    workshop.build("--full")
    assert bucket.tree("site") == workshop.tree()
    assert report["written"] == len(workshop.paths()) + 1  # .nojekyll


@pytest.mark.slow
def test_a_worker_elsewhere_fetches_the_projection_and_leaves_nothing_behind(
    workshop: Workshop, bucket: LocalBucket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bucket.put("private/archive.duckdb", (workshop.folder / "archive.duckdb").read_bytes())
    _name_projection(workshop, f"{bucket.url}/private/archive.duckdb")
    with _cluster(1) as cluster:
        cluster.get_client().run(_see_no_file_of, str(workshop.folder))
        workshop.build("--executor", _address(cluster), "-o", f"{bucket.url}/site")
        (left,) = cluster.get_client().run(_files_left).values()
    assert [name for name in left if ".duckdb" not in name] == []
    workshop.build()
    assert bucket.tree("site") == workshop.tree()
    # What was rendered came back, so that the next change of a template renders nothing.
    assert workshop.build("-o", f"{bucket.url}/site", "--offline")["written"] > 0
    assert len(list((workshop.folder / ".sitegen" / "cache").rglob("*.entry"))) >= len(NAMES)


def _name_projection(workshop: Workshop, place: str) -> None:
    config = workshop.folder / "sitegen.toml"
    config.write_text(config.read_text().replace('"archive.duckdb"', f'"{place}"'))


def _see_no_file_of(folder: str) -> None:
    """Has a worker see nothing below a folder, as on another machine."""
    from pathlib import Path as Real

    is_file, stat = Real.is_file, Real.stat

    def blind_stat(self: Real, **options: Any) -> os.stat_result:
        if str(self).startswith(folder):
            raise FileNotFoundError(str(self))
        return stat(self, **options)

    Real.stat = blind_stat  # type: ignore[method-assign]
    Real.is_file = lambda self: not str(self).startswith(folder) and is_file(self)  # type: ignore[method-assign]


def _files_left(dask_worker: Any) -> list[str]:
    names = []
    for place, _, files in os.walk(dask_worker.local_directory):
        names += [name for name in files if "sitegen" in f"{place}/{name}"]
    return names


@pytest.mark.slow
def test_a_shared_folder_will_do_and_gated_pages_are_made_here(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITEGEN_SITE_SECRET", b64u(bytes(range(32))))
    monkeypatch.setenv("PEARL", "correct horse battery staple")
    closed = share("subject3", "closed", 'gate = "password"', 'secret = "env:PEARL"')
    workshop.configure(f"{closed}{EVERYTHING}")
    with _cluster(1) as cluster:
        cluster.get_client().run(_refuse_keys)
        workshop.build("--executor", _address(cluster))
    there = workshop.tree()
    workshop.build("-o", str(workshop.folder / "other"))
    here = {path: (workshop.folder / "other" / path).read_bytes() for path in there}
    assert there == here
    assert "closed" in slugs(workshop.paths())


def _refuse_keys() -> None:
    from sitegen.build.sealing import Sealing

    def refuse(self: Sealing, state: object) -> None:
        raise AssertionError("a key travelled")

    Sealing.__setstate__ = refuse  # type: ignore[attr-defined]


def _lack_s3fs() -> None:
    import importlib.util

    find = importlib.util.find_spec

    def find_others(name: str, package: str | None = None) -> Any:
        return None if name == "s3fs" else find(name, package)

    importlib.util.find_spec = find_others


@pytest.mark.slow
def test_workers_that_do_not_fit_are_refused_with_a_sentence(
    workshop: Workshop, bucket: LocalBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _cluster(1) as cluster:
        here = Program.here()
        other = Program({**here.versions, "pygments": "0.1"}, here.code)
        with monkeypatch.context() as patched:
            patched.setattr(Program, "here", lambda: other)
            result = workshop.run("build", "--executor", _address(cluster))
        assert result.exit_code == 1
        assert "(here 0.1); install the same there." in result.output
        cluster.get_client().run(_see_no_file_of, str(workshop.folder))
        result = workshop.run("build", "--executor", _address(cluster))
        assert result.exit_code == 1
        assert "doesn't see the output folder" in result.output
        result = workshop.run("build", "--executor", _address(cluster), "-o", f"{bucket.url}/site")
        assert "doesn't see the projection" in result.output
        cluster.get_client().run(_lack_s3fs)
        result = workshop.run("build", "--executor", _address(cluster), "-o", f"{bucket.url}/site")
        assert "lacks s3fs, which the bucket needs; install sitegen[s3] there." in result.output


def test_a_scheduler_that_is_not_there_is_told(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_PATIENCE_S", 1)
    result = workshop.run("build", "--executor", "dask://127.0.0.1:9")
    assert result.exit_code == 1
    assert "No scheduler answers at dask://127.0.0.1:9" in result.output


def test_the_missing_package_is_told_with_what_to_install(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = workshop.run("build", "--executor", "dask://127.0.0.1:9")
    assert result.exit_code == 1
    assert "pip install 'sitegen[dask]'" in result.output


@pytest.mark.parametrize("address", ["127.0.0.1:8786", "tcp://127.0.0.1:8786", "dask://host", "dask://:1", "dask://"])
def test_what_is_no_scheduler_is_refused(workshop: Workshop, address: str) -> None:
    assert workshop.run("build", "--executor", address).exit_code == 2
    with pytest.raises(UsageError, match="write it like dask://"):
        tcp_address(address)


def test_a_scheduler_may_be_reached_by_tls() -> None:
    assert tcp_address("dask+tls://scheduler.example.org:8786") == "tls://scheduler.example.org:8786"
