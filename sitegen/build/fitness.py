"""Whether another machine makes the same bytes of the same data: its code, its libraries, what it sees of ours."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitegen import __version__
from sitegen.build.keys import digest as digest_of
from sitegen.build.keys import library_versions, rendering_digest, tree_digest
from sitegen.build.renderers import Renderers
from sitegen.build.setting import Setting
from sitegen.ledger import log_of
from sitegen.resources import resource_folder

_SAMPLE = 1 << 16


class Program(Struct, frozen=True):
    """What decides the bytes of a page, besides settings and data."""

    versions: Mapping[str, str]
    code: str

    @classmethod
    def here(cls) -> Program:
        """Of this process."""
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        renderers = Renderers.find()
        versions = {"sitegen": __version__, "Python": python, **library_versions(), **renderers.versions()}
        return cls(versions, digest_of(rendering_digest(), renderers.marks()))

    def difference(self, other: Program) -> str | None:
        """How another differs, for messages: "pygments 2.20.0 (here 2.21.0)"; None when it doesn't."""
        names = sorted(self.versions.keys() | other.versions.keys())
        parts = [
            f"{name} {other.versions.get(name) or 'missing'} (here {self.versions.get(name) or 'missing'})"
            for name in names
            if self.versions.get(name) != other.versions.get(name)
        ]
        if not parts and self.code != other.code:
            return "other source code of the same version"
        return ", ".join(parts) or None


class Terms(Struct, frozen=True):
    """What a worker on another machine needs to begin. Holds no secret of any gate.

    `addresses` say where projections can be fetched by those who don't see the files ("": nowhere), `samples` what they
    must be, `folders` what templates and static folders must be; probes are files that only those see who share our
    folders.
    """

    setting: Setting
    program: Program
    addresses: tuple[str, ...]
    samples: tuple[str, ...]
    folders: tuple[str, ...]
    output_probe: Path | None
    state_probe: Path
    own: tuple[Path, Path]
    """Where sitegen's own templates and static files are on the machine that builds: each has its own."""


def make_terms(setting: Setting, *, remote: Mapping[Path, str], output_probe: Path | None, state_probe: Path) -> Terms:
    """The terms of a build, as its own machine knows them."""
    return Terms(
        setting=setting,
        program=Program.here(),
        addresses=tuple(remote.get(path, "") for path in setting.projections),
        samples=tuple(sample(path) for path in setting.projections),
        folders=tuple(tree_digest(path) for path in (*setting.templates, *setting.static)),
        output_probe=output_probe,
        state_probe=state_probe,
        own=(resource_folder("templates"), resource_folder("static")),
    )


def sample(path: Path) -> str:
    """Tells one projection from another without reading all of it: sizes, both ends, what waits to be written to it.

    Its beginning holds a counter that grows with each change. "" when it can't be read.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_SAMPLE)
            file.seek(max(0, size - _SAMPLE))
            tail = file.read(_SAMPLE)
        log = log_of(path)
        waiting = log.stat().st_size if log.is_file() else 0
    except OSError:
        return ""
    return hashlib.sha256(b"%d %d\n%b%b" % (size, waiting, head, tail)).hexdigest()


def localize(terms: Terms) -> Setting:
    """The setting with this machine's own templates in place of those of the machine that builds."""
    here = dict(zip(terms.own, (resource_folder("templates"), resource_folder("static")), strict=True))
    setting = terms.setting
    return replace(
        setting,
        templates=tuple(here.get(path, path) for path in setting.templates),
        static=tuple(here.get(path, path) for path in setting.static),
    )


def find_fault(terms: Terms, setting: Setting) -> str | None:
    """Why this process mustn't work on the build, as the end of a sentence about it; None when it may.

    The projections are another matter, for they may be fetched.
    """
    if difference := terms.program.difference(Program.here()):
        return f"has {difference}; install the same there"
    if terms.output_probe is None and importlib.util.find_spec("s3fs") is None:
        return "lacks s3fs, which the bucket needs; install sitegen[s3] there"
    if terms.output_probe is not None and not terms.output_probe.is_file():
        return (
            f"doesn't see the output folder {terms.output_probe.parent}; build into a folder that all machines share,"
            ' or into a bucket (directory = "s3://…")'
        )
    folders = (*setting.templates, *setting.static)
    return next(_strange(zip(folders, terms.folders, strict=True)), None)


def _strange(folders: Iterable[tuple[Path, str]]) -> Iterator[str]:
    for folder, digest in folders:
        if not folder.is_dir():
            yield f"doesn't see the theme in {folder}; put it on a path that all machines share"
        elif tree_digest(folder) != digest:
            yield f"sees another {folder} than this machine; make them the same"
