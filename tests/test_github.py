"""GitHub's side: the workflow that `init` writes, and the action, are valid, have few rights, and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from sitegen.cli.scaffold import WORKFLOW
from tests.support.sessions import assistant, user, write_session

ROOT = Path(__file__).parent.parent
ACTION = ROOT / "action.yml"
HOW_TO = ROOT / "docs" / "how-to" / "github-pages.md"
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


def shown() -> list[str]:
    """The YAML that the how-to shows."""
    return re.findall(r"```yaml\n(.*?)```", HOW_TO.read_text("utf-8"), re.DOTALL)


def whole(text: str) -> str:
    """A workflow around steps that are shown alone."""
    if "jobs:" in text:
        return text
    steps = "".join(f"      {line}\n" for line in text.splitlines())
    return f"name: x\non: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"


def uncommented(text: str) -> str:
    """The workflow with all that it offers in comments switched on."""
    offered = re.compile(r"^( *)# (?=- name: |  run: |  env:|    \w+: \$|SITEGEN_[A-Z_]+: )", re.MULTILINE)
    return offered.sub(r"\1", text)


WORKFLOWS = {
    "init": WORKFLOW,
    "init, all that it offers": uncommented(WORKFLOW),
    "own": (ROOT / ".github/workflows/test.yml").read_text("utf-8"),
    **{f"how-to {number}": whole(text) for number, text in enumerate(shown(), start=1)},
}


# ------------------------------------------------------------------------------------------------------------ forms


def validate(schema: str, file: Path) -> None:
    """Holds a file against a schema that GitHub's are published with; without a network."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflow_has_the_published_form(name: str, tmp_path: Path) -> None:
    file = tmp_path / "workflow.yml"
    file.write_text(WORKFLOWS[name], encoding="utf-8")
    validate("github-workflows", file)


def test_action_has_the_published_form() -> None:
    validate("github-actions", ACTION)


def test_how_to_shows_a_bucket_a_release_and_committed_sources() -> None:
    text = "\n".join(shown())
    assert "s3fs" in text
    assert "gh release download" in text
    assert "sitegen ingest claude-code sessions" in text


# ------------------------------------------------------------------------------------------------------------ rights


def _uses(text: str) -> Iterator[tuple[str, str]]:
    yield from re.findall(r"^ *(?:- )?uses: (\S+)(.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("text", [*WORKFLOWS.values(), ACTION.read_text("utf-8")], ids=[*WORKFLOWS, "action"])
def test_actions_are_pinned_to_commits_with_their_version(text: str) -> None:
    for action, comment in _uses(text):
        if action != "OWNER/sitegen@COMMIT":
            assert PINNED.fullmatch(action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


@pytest.mark.parametrize("text", [WORKFLOW, *(text for text in shown() if "jobs:" in text)], ids=["init", "how-to"])
def test_building_has_no_rights_and_deploying_those_of_pages_only(text: str) -> None:
    workflow = yaml.safe_load(text)
    jobs = workflow["jobs"]
    assert workflow["permissions"] == {}
    assert jobs["build"]["permissions"] == {"contents": "read"}
    assert jobs["deploy"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert [list(step) for step in jobs["deploy"]["steps"]] == [["id", "uses"]]  # no code of the repository's
    assert jobs["deploy"]["needs"] == "build"
    assert workflow["concurrency"] == {"group": "pages", "cancel-in-progress": False}
    assert workflow[True]["schedule"]  # YAML reads the key “on” as true
    assert all("timeout-minutes" in job for job in jobs.values())
    checkout = next(step for step in jobs["build"]["steps"] if step.get("uses", "").startswith("actions/checkout@"))
    assert checkout["with"] == {"persist-credentials": False}


def test_secrets_come_by_name_and_no_script_holds_what_others_write() -> None:
    job = yaml.safe_load(uncommented(WORKFLOW))["jobs"]["build"]
    named = {name: value for name, value in job["env"].items() if name.startswith("SITEGEN_S")}
    assert named == {name: f"${{{{ secrets.{name} }}}}" for name in named}
    assert {"SITEGEN_SITE_SECRET", "SITEGEN_SECRET_FIXING_THE_PARSER", "SITEGEN_SOURCE_TOKEN"} <= set(named)
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    scripts = [step["run"] for step in (*job["steps"], *action["runs"]["steps"]) if "run" in step]
    assert not [script for script in scripts if "${{" in script]


def test_how_to_names_every_input_and_output_of_the_action() -> None:
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    text = HOW_TO.read_text("utf-8")
    for name, facts in action["inputs"].items():
        assert f"| `{name}` |" in text, name
        assert facts["description"], name
    for name, facts in action["outputs"].items():
        assert f"`{name}`" in text, name
        assert facts["description"], name


# ----------------------------------------------------------------------------------------------------------- running


@dataclass(frozen=True)
class Runner:
    """A machine to run steps on: a clean clone, a Python without sitegen, the variables that GitHub sets."""

    clone: Path
    environment: Mapping[str, str]
    wheel: Path

    def run(self, script: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """One step's script, as GitHub runs it."""
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        environment = {**self.environment, **extra}
        return subprocess.run(
            command, cwd=self.clone, env=environment, check=False, capture_output=True, text=True, timeout=300
        )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture
def runner(tmp_path: Path, wheel: Path) -> Runner:
    """Packages that sitegen needs are there already, so nothing is downloaded."""
    python = tmp_path / "python"
    venv.create(python, with_pip=False, symlinks=True)
    (packages,) = python.glob("lib/python*/site-packages")
    own = next(path for path in map(Path, sys.path) if (path / "duckdb").is_dir())
    (packages / "needed.pth").write_text(f"{own}\n")
    pip = python / "bin" / "pip"
    pip.write_text(f'#!/bin/sh\nexec "{python}/bin/python" -m pip "$@"\n')
    pip.chmod(0o755)
    temp = tmp_path / "temp"
    temp.mkdir()
    environment = {
        "PATH": f"{python}/bin:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "RUNNER_TEMP": str(temp),
        "GITHUB_OUTPUT": str(temp / "output"),
        "GITHUB_ACTION_PATH": str(wheel),  # its own repository; the wheel is built of it already
        "GITHUB_ACTIONS": "true",
        "CI": "true",
    }
    return Runner(_clone(tmp_path), environment, wheel)


def _git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def _clone(folder: Path) -> Path:
    """A clean clone of a site's repository: what `init` made, sessions, a rule."""
    site = folder / "site"
    subprocess.run([sys.executable, "-m", "sitegen", "init", str(site)], cwd=ROOT, check=True, capture_output=True)
    with (site / "sitegen.toml").open("a") as config:
        config.write('\n[[rule]]\nmatch = {}\ngate = "none"\nlisted = true\n')
    write_session(
        site / "sessions" / "-home-ann-code-tides" / "4d1c8f0e-0001-4000-8000-000000000001.jsonl",
        user("Why does the tide turn twice a day?"),
        assistant("Because the water bulges on both sides."),
    )
    _git(site, "init")
    _git(site, "add", ".")
    _git(site, "commit", "-m", "Begin")
    _git(folder, "clone", "site", "clone")
    return folder / "clone"


def workflow_scripts(text: str) -> list[str]:
    return [step["run"] for step in yaml.safe_load(text)["jobs"]["build"]["steps"] if "run" in step]


@pytest.mark.slow
def test_workflow_builds_the_site_in_a_clean_clone(runner: Runner) -> None:
    scripts = [script for script in workflow_scripts(uncommented(WORKFLOW)) if not script.startswith("gh ")]
    assert [script.split()[0] for script in scripts] == ["pip", "sitegen", "sitegen", "sitegen"]
    for script in scripts:  # a secret that the repository doesn't have comes as an empty text
        done = runner.run(script, SITEGEN_PACKAGE=str(runner.wheel), SITEGEN_SITE_SECRET="")
        assert done.returncode == 0, (script, done.stdout, done.stderr)
    assert "Why does the tide turn" in (runner.clone / "public/index.html").read_text("utf-8")


@pytest.mark.slow
def test_workflow_fails_loudly(runner: Runner) -> None:
    install, build, _ = workflow_scripts(WORKFLOW)
    unsaid = runner.run(install, SITEGEN_PACKAGE="")
    assert unsaid.returncode != 0
    assert "say in this workflow where pip finds sitegen" in unsaid.stderr
    assert runner.run(install, SITEGEN_PACKAGE=str(runner.wheel)).returncode == 0
    nothing = runner.run(build)
    assert nothing.returncode == 1
    assert "There is no file" in nothing.stderr
    with (runner.clone / "sitegen.toml").open("a") as config:
        config.write('\n[[project]]\nmatch = "~/code/tides"\ngate = "password"\n')
    assert runner.run("sitegen ingest claude-code sessions").returncode == 0
    closed = runner.run(build, SITEGEN_SITE_SECRET="")
    assert closed.returncode != 0


@pytest.mark.slow
def test_action_builds_checks_and_says_what_it_did(runner: Runner) -> None:
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    inputs = {name: facts.get("default", "") for name, facts in action["inputs"].items()}
    inputs |= {"ingest": "claude-code sessions\n", "strict": "true"}
    for step in action["runs"]["steps"]:
        if "run" in step:
            done = runner.run(step["run"], **_filled(step.get("env", {}), inputs))
            assert done.returncode == 0, (step["name"], done.stdout, done.stderr)
    told = dict(line.split("=", 1) for line in Path(runner.environment["GITHUB_OUTPUT"]).read_text().splitlines())
    assert set(told) == set(action["outputs"])
    assert Path(told["folder"]) == runner.clone / "public"
    assert int(told["written"]) > 5
    assert json.loads((Path(runner.environment["RUNNER_TEMP"]) / "sitegen-build.json").read_text())["removed"] == 0
    upload = action["runs"]["steps"][-1]
    assert upload["with"] == {"path": "${{ steps.build.outputs.folder }}"}


def _filled(environment: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, str]:
    """The variables of a step, with the action's inputs in their places."""
    pattern = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")
    return {name: pattern.sub(lambda match: inputs[match[1]], str(value)) for name, value in environment.items()}
