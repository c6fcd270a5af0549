"""Spreads tasks over the workers of a Dask cluster: an executor behind the same seam as the local pool.

Pages behind gates are made on this machine: the keys of a gate never leave it. What workers make comes back as it would
from the pool; a worker that is lost has its tasks made by another.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.build.elsewhere import Batch, check_worker, make_elsewhere
from sitegen.build.fitness import Terms, make_terms
from sitegen.build.pool import OnMade, cut, make_all
from sitegen.build.processes import Processes
from sitegen.build.setting import Setting
from sitegen.build.work import Made, Task, Worker
from sitegen.errors import BuildError, UsageError
from sitegen.output.layout import TEMPORARY_PREFIX
from sitegen.output.writer import Writer, Written

if TYPE_CHECKING:
    from distributed import Client

_SMALLEST_BATCH = 1_500
"""Weight (about messages) below which setting a worker up costs more than it saves."""
_PATIENCE_S = 15
_TRIES = 3
_SCHEMES = {"dask": "tcp", "dask+tls": "tls"}


class Cluster(Struct, frozen=True):
    """A cluster by its address (`dask://host:port`), and where its workers fetch projections that they don't see."""

    address: str
    remote: Mapping[Path, str] = field(default_factory=dict)

    def make_all(
        self, worker: Worker, tasks: Sequence[Task], *, processes: Processes, on_made: OnMade = lambda _: None
    ) -> list[Made]:
        """What became of each task, by slug, as `pool.make_all` says.

        Raises BuildError when there is no such cluster, or its workers can't do this work.
        """
        far = [task for task in tasks if task.sealing is None]
        near = [task for task in tasks if task.sealing is not None]
        setting = worker.setting
        if not far:
            return make_all(worker, near, processes=processes, on_made=on_made)
        with self._connect() as client, _probes(setting, far) as (output_probe, state_probe):
            terms = make_terms(setting, remote=self.remote, output_probe=output_probe, state_probe=state_probe)
            workers = self._check(client, terms)
            batches = cut(far, parts=workers * 3, smallest=_SMALLEST_BATCH)
            futures = _submit(client.get_executor(retries=_TRIES, pure=False), terms, batches)
            made = make_all(worker, near, processes=processes, on_made=on_made)
            made += self._gather(futures, setting, on_made)
        return sorted(made, key=lambda each: each.slug)

    @contextmanager
    def _connect(self) -> Iterator[Client]:
        try:
            from distributed import Client
        except ImportError:
            msg = "Building on a cluster needs distributed; install it with: pip install 'sitegen[dask]'"
            raise BuildError(msg) from None
        try:
            client = Client(tcp_address(self.address), timeout=_PATIENCE_S, set_as_default=False)
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            msg = f"No scheduler answers at {self.address} ({error}); start one with: dask scheduler"
            raise BuildError(msg) from error
        try:
            yield client
        finally:
            with suppress(Exception):  # it may be gone, which has been told by then
                client.close(timeout=_PATIENCE_S)

    def _check(self, client: Client, terms: Terms) -> int:
        """How many workers there are. Raises BuildError when there are none, or one of them won't do."""
        try:
            client.wait_for_workers(1, timeout=_PATIENCE_S)
            found = client.run(check_worker, terms, on_error="return")
        except (OSError, TimeoutError) as error:
            msg = f"The scheduler at {self.address} has no workers; start some with: dask worker"
            raise BuildError(msg) from error
        for name, fault in sorted(found.items()):
            if fault is not None:
                raise BuildError(f"The worker {name} {_told(fault)}.")
        return len(found)

    def _gather(self, futures: dict[Future[Batch], list[Task]], setting: Setting, on_made: OnMade) -> Iterator[Made]:
        for future in as_completed(futures):
            tasks = futures.pop(future)
            try:
                batch = future.result()
            except Exception as error:  # noqa: BLE001 - whatever ended a batch must not cost the others
                why = f"the cluster gave it up ({_told(error)})"
                yield from (Made(task.share.slug, failure=why) for task in tasks)
            else:
                batch.keep(setting)
                yield from map(_recounted, tasks, batch.made)
            on_made(len(tasks))


def tcp_address(address: str) -> str:
    """Where Dask finds the scheduler. Raises UsageError for what isn't such an address."""
    scheme, found, place = address.partition("://")
    host, _, port = place.rpartition(":")
    if not found or scheme not in _SCHEMES or not host or not port.isdigit():
        msg = f"“{address}” isn't the address of a scheduler; write it like dask://scheduler.example.org:8786"
        raise UsageError(msg)
    return f"{_SCHEMES[scheme]}://{place}"


def _submit(executor: Executor, terms: Terms, batches: Sequence[list[Task]]) -> dict[Future[Batch], list[Task]]:
    return {executor.submit(make_elsewhere, terms, batch): batch for batch in batches}


def _recounted(task: Task, made: Made) -> Made:
    """What was made, with "changed" told by what the last build left: a lost worker may have written it before."""
    known = {path: record.sha256 for path, record in task.writer.known.items()}

    def recount(file: Written) -> Written:
        return replace(file, is_changed=file.is_changed or known.get(file.record.path) != file.record.sha256)

    return replace(made, written=tuple(map(recount, made.written)))


@contextmanager
def _probes(setting: Setting, tasks: Sequence[Task]) -> Iterator[tuple[Path | None, Path]]:
    """Files in the output folder, if it is one, and beside the cache: who sees them works in the same folders."""
    name = f"{TEMPORARY_PREFIX}{secrets.token_hex(16)}"
    writer = tasks[0].writer
    output = writer.root / name if isinstance(writer, Writer) else None
    state = setting.temp_folder / name
    setting.temp_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    probes = [state, *([output] if output else [])]
    try:
        for probe in probes:
            probe.touch()
        yield output, state
    finally:
        for probe in probes:
            probe.unlink(missing_ok=True)


def _told(fault: object) -> str:
    match fault:
        case ModuleNotFoundError():
            return f"lacks what it needs ({fault}); install sitegen with the same extras there"
        case BaseException() if type(fault).__name__ == "KilledWorker":
            return "every worker that tried was lost over it; is there too little memory for a conversation?"
        case BaseException():
            return f"failed: {type(fault).__name__}: {fault}"
        case _:
            return str(fault)
