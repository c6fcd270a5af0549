"""A build makes what changed, the same everywhere, and heals what was interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from sitegen.cli import main
from sitegen.render import render
from tests.support.projections import assistant, attachment, conversation, user
from tests.support.workshop import EVERYTHING, Workshop, share, slugs, talk_about

MANY = [
    talk_about(f"subject{n}", *(f"line {n} {m}" for m in range(8)), project=f"/home/ann/p{n % 3}") for n in range(40)
]


def test_second_build_does_nothing(workshop: Workshop) -> None:
    workshop.talk(*MANY[:3])
    workshop.configure()
    first = workshop.build()
    times = {path: (workshop.public / path).stat().st_mtime_ns for path in workshop.paths()}
    second = workshop.build()
    assert first["written"] > 0
    assert (second["written"], second["removed"]) == (0, 0)
    assert second["kept"] == len(workshop.paths()) + 1  # .nojekyll
    assert {path: (workshop.public / path).stat().st_mtime_ns for path in workshop.paths()} == times


@pytest.mark.parametrize("change", ["changed", "removed", "appeared"])
def test_file_of_an_attachment_counts_like_its_conversation(workshop: Workshop, change: str) -> None:
    file = workshop.folder / "files" / "notes.txt"
    file.parent.mkdir()
    file.write_text("The heron stands.")
    if change == "appeared":
        file.unlink()
    notes = attachment("notes.txt", mime_type="text/plain", storage_path="files/notes.txt")
    workshop.talk(conversation("talk", user("Look at this.", attachments=(notes,)), assistant("I did.")))
    workshop.configure()
    workshop.build()
    before = {path for path in workshop.paths() if path.endswith("notes.txt")}
    assert len(before) == (change != "appeared")
    if change == "removed":
        file.unlink()
    else:
        file.write_text("The heron has flown.")
    assert workshop.build()["written"] > 0
    after = {path for path in workshop.paths() if path.endswith("notes.txt")}
    assert len(after) == (change != "removed")
    assert not before & after


def test_changed_conversation_rewrites_its_page_and_the_indexes_only(workshop: Workshop) -> None:
    workshop.talk(*MANY[:5])
    workshop.configure()
    workshop.build()
    before = workshop.tree()
    workshop.talk(talk_about("subject0", "a new line", project="/home/ann/p0"), *MANY[1:5])
    workshop.build()
    changed = {path for path, data in workshop.tree().items() if before.get(path) != data and path.startswith("s/")}
    assert len(slugs(changed)) == 1


def test_reingest_with_new_row_ids_rewrites_nothing(workshop: Workshop) -> None:
    workshop.talk(*MANY[:3])
    workshop.configure()
    workshop.build()
    workshop.talk(*MANY[:3], salt="another")
    assert workshop.build()["written"] == 0


def test_deleted_page_is_made_again(workshop: Workshop) -> None:
    workshop.talk(*MANY[:2])
    workshop.configure()
    workshop.build()
    before = workshop.tree()
    (workshop.public / "index.html").unlink()
    page = next(path for path in workshop.paths() if path.startswith("s/") and path.endswith("index.html"))
    (workshop.public / page).write_text("damaged")
    workshop.build()
    assert workshop.tree() == before


@pytest.mark.slow
def test_same_input_gives_the_same_bytes_anywhere(workshop: Workshop, tmp_path: Path) -> None:
    workshop.talk(*MANY)
    workshop.configure()
    surroundings = [
        ("1", {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1"}),
        ("2", {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "77", "LANGUAGE": "tr"}),
    ]
    trees = []
    for number, (jobs, environment) in enumerate(surroundings):
        copy = Workshop(tmp_path / f"copy{number}" / ("deep" * number or "flat"))
        copy.folder.mkdir(parents=True)
        for name in ("archive.duckdb", "sitegen.toml"):
            (copy.folder / name).write_bytes((workshop.folder / name).read_bytes())
        assert copy.build_apart("--jobs", jobs, environment=environment) == 0
        trees.append(copy.tree())
    assert trees[0] == trees[1]


@pytest.mark.parametrize(
    ("limit", "jobs"),
    [
        pytest.param("pool._WORTH_A_POOL", "2", id="several-processes"),
        pytest.param("reading._MANY", "1", id="very-many-conversations"),
    ],
)
def test_how_much_there_is_to_do_changes_no_byte(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, limit: str, jobs: str
) -> None:
    workshop.talk(*MANY)
    workshop.configure()
    workshop.build("--jobs", "1")
    as_little = workshop.tree()
    monkeypatch.setattr(f"sitegen.build.{limit}", 1)
    workshop.build("--jobs", jobs, "--full")
    assert workshop.tree() == as_little


def test_no_process_leaves_anything_of_what_it_read_with(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.talk(*MANY)
    workshop.configure()
    monkeypatch.setattr("sitegen.build.pool._WORTH_A_POOL", 1)
    workshop.build("--jobs", "2")
    assert list((workshop.folder / ".sitegen" / "tmp").iterdir()) == []


def _die(*_: object) -> None:
    """In place of what a process of the build does."""
    os._exit(9)


def test_a_process_that_is_killed_is_told_in_a_sentence_and_healed(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.talk(*MANY)
    workshop.configure()
    monkeypatch.setattr("sitegen.build.pool._WORTH_A_POOL", 1)
    monkeypatch.setattr("sitegen.build.pool._SMALLEST_BATCH", 1)
    with monkeypatch.context() as patched:
        patched.setattr("sitegen.build.pool._make", _die)
        result = workshop.run("build", "--jobs", "2")
    assert result.exit_code == 1
    assert "ended from outside" in result.output
    workshop.build("--jobs", "2")
    assert len(slugs(workshop.paths())) == len(MANY)


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [0.25, 0.5, 0.8, 1.2])
def test_killed_build_is_healed_by_the_next(workshop: Workshop, after_s: float) -> None:
    workshop.talk(*MANY)
    workshop.configure(share("subject0", "first", "listed = true"))
    workshop.build()
    workshop.configure(EVERYTHING)
    command = [sys.executable, "-m", "sitegen", "--config", str(workshop.folder / "sitegen.toml"), "build"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after_s)
    process.send_signal(signal.SIGKILL)
    process.wait()
    workshop.configure(share("subject1", "second", "listed = true"))
    workshop.build()
    assert slugs(workshop.paths()) == {"second"}
    assert not list(workshop.public.rglob(".sitegen-tmp-*"))


def test_build_that_dies_while_writing_leaves_whole_files_only(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.talk(*MANY[:6])
    workshop.configure()
    replace, calls = os.replace, 0

    def dying(source: str, target: str | Path) -> None:
        nonlocal calls
        calls += str(target).startswith(str(workshop.public))
        if calls > 7:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", dying)
        assert workshop.run("build").exit_code == 130
    for path, data in workshop.tree().items():
        assert not path.endswith(".html") or data.rstrip().endswith(b"</html>")
    report = workshop.build()
    assert report["written"] > 0
    assert len(slugs(workshop.paths())) == 6


def test_site_with_another_title_is_made_of_what_was_rendered_before(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.talk(*MANY[:2])
    workshop.configure()
    workshop.build()
    settings = workshop.folder / "sitegen.toml"
    settings.write_text(settings.read_text("utf-8").replace('"Notes"', '"Letters"'), "utf-8")

    def failing(conversation: object, options: object, **more: object) -> object:
        raise ValueError("rendered anew")

    monkeypatch.setattr("sitegen.build.reuse.render", failing)
    workshop.build()
    pages = [workshop.page(path) for path in workshop.paths() if path.startswith("s/") and path.endswith(".html")]
    assert len(pages) == 2
    assert all("Letters" in page and "Notes" not in page for page in pages)


def test_one_failed_page_fails_the_build_after_the_others_were_made(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.talk(*MANY[:3])
    workshop.configure(share("subject0", "zero", "listed = true"))
    workshop.build()
    workshop.talk(talk_about("subject0", "changed"), *MANY[1:3])
    workshop.configure(
        "".join(share(f"subject{n}", name, "listed = true") for n, name in enumerate(["zero", "one", "two"]))
    )
    before = workshop.page("s/zero")

    def failing(conversation: object, options: object, **more: object) -> object:
        if conversation.head.native_id == "subject0":  # type: ignore[attr-defined]
            raise ValueError("no words for this")
        return render(conversation, options, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr("sitegen.build.reuse.render", failing)
        result = workshop.run("build")
    assert result.exit_code == 1
    assert "zero" in result.stderr
    assert "Traceback" not in result.output
    assert slugs(workshop.paths()) == {"zero", "one", "two"}
    assert workshop.page("s/zero") == before
    workshop.build()
    assert workshop.page("s/zero") != before


def test_revoked_share_goes_even_when_another_page_fails(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.talk(*MANY[:2])
    workshop.configure(share("subject0", "zero") + share("subject1", "one"))
    workshop.build()
    workshop.talk(talk_about("subject0", "changed"), MANY[1])
    workshop.configure(share("subject0", "zero"))

    def failing(conversation: object, options: object, **more: object) -> object:
        raise ValueError("no words for this")

    monkeypatch.setattr("sitegen.build.reuse.render", failing)
    assert workshop.run("build").exit_code == 1
    assert slugs(workshop.paths()) == {"zero"}


def test_two_builds_at_once_the_second_says_so(workshop: Workshop) -> None:
    from sitegen.output.lock import hold

    workshop.talk(MANY[0])
    workshop.configure()
    with hold(workshop.folder / ".sitegen", output=workshop.public):
        result = workshop.run("build")
    assert result.exit_code == 1
    assert str(os.getpid()) in result.stderr


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(lambda file: file.unlink(), "archive.duckdb", id="missing"),
        pytest.param(lambda file: file.write_bytes(b""), "archive.duckdb", id="empty"),
        pytest.param(lambda file: file.write_text("hello"), "DuckDB", id="foreign"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes()[:5000]), "archive.duckdb", id="truncated"),
    ],
)
def test_projection_that_cannot_be_read_is_told_in_a_sentence_and_costs_nothing(
    workshop: Workshop, damage: object, said: str
) -> None:
    workshop.talk(MANY[0])
    workshop.configure()
    workshop.build()
    before = workshop.tree()
    damage(workshop.folder / "archive.duckdb")  # type: ignore[operator]
    result = workshop.run("build")
    assert result.exit_code == 1
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert workshop.tree() == before


def test_build_says_what_it_did_as_json(workshop: Workshop) -> None:
    workshop.talk(*MANY[:2])
    workshop.configure()
    report = workshop.build()
    assert {"written", "kept", "removed", "seconds"} <= set(report)
    assert report["shares"] == 2


def test_empty_projection_makes_an_empty_site(workshop: Workshop) -> None:
    workshop.talk()
    workshop.configure()
    workshop.build()
    assert "index.html" in workshop.paths()


def test_pages_have_only_relative_links(workshop: Workshop) -> None:
    workshop.talk(*MANY[:4])
    workshop.configure()
    workshop.build()
    for path in workshop.paths():
        if path.endswith(".html") and path != "404.html":
            assert 'href="/' not in workshop.page(path)
            assert 'src="/' not in workshop.page(path)


def test_two_configurations_in_one_folder_build_two_sites(workshop: Workshop) -> None:
    workshop.talk(*MANY[:2])
    workshop.configure(share("subject0", "zero", "listed = true"))
    workshop.build()
    other = workshop.folder / "other.toml"
    text = (workshop.folder / "sitegen.toml").read_text()
    other.write_text(text.replace('"public"', '"second"').replace('"zero"', '"one"'))
    result = CliRunner().invoke(main, ["--config", str(other), "build"])
    assert result.exit_code == 0, result.output
    assert (workshop.folder / "second" / "s" / "one" / "index.html").is_file()
    assert slugs(workshop.paths()) == {"zero"}
    assert workshop.build()["written"] == 0
