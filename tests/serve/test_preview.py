"""A preview builds when something changed and rests otherwise; what goes wrong is shown and goes when it's mended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.resources import resource_folder
from sitegen.serve.preview import Preview
from tests.support.workshop import Workshop, share, talk_about


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Owner:
    """Somebody with a preview open: `sees` is what is built, `heard` what was said on the terminal."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self.heard: list[str] = []
        self.clock = Clock()
        self.preview = Preview(workshop.folder / "sitegen.toml", self.heard.append, self.clock)

    def wait(self) -> bool:
        """Lets the preview do what it would; whether open pages load again. Fails when it never comes to rest."""
        is_new = False
        for _ in range(3):
            if not (self.preview.look() or self.preview.look()):
                return is_new
            is_new |= self.preview.make(jobs=1)
        pytest.fail("it builds again and again")

    def page(self, path: str) -> str:
        return (self.preview.root / path).read_text("utf-8")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path)
    workshop.talk(talk_about("tides"))
    workshop.configure(share("tides", "tides", "listed = true"), base_url="https://ann.example.org/repo/")
    return workshop


@pytest.fixture
def owner(workshop: Workshop) -> Owner:
    owner = Owner(workshop)
    assert owner.wait()
    return owner


def files(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_preview_stands_under_the_base_path_and_shows_the_site(owner: Owner) -> None:
    assert owner.preview.status.base_path == "/repo/"
    assert "On tides" in owner.page("s/tides/index.html")


def test_preview_touches_neither_the_published_output_nor_its_state(workshop: Workshop) -> None:
    workshop.build()
    before, state = workshop.tree(), (workshop.folder / ".sitegen" / "state.sqlite").read_bytes()
    workshop.configure(share("tides", "tides", 'title = "Anew"'))
    owner = Owner(workshop)
    owner.wait()
    assert "Anew" in owner.page("s/tides/index.html")
    assert workshop.tree() == before
    assert (workshop.folder / ".sitegen" / "state.sqlite").read_bytes() == state


def test_pages_of_the_preview_are_those_of_a_build(owner: Owner, workshop: Workshop) -> None:
    """The reload script, above all, is in no file."""
    workshop.build()
    assert files(owner.preview.root) == workshop.tree()
    assert not any(b"livereload" in data for data in workshop.tree().values())


def test_what_it_writes_itself_never_wakes_it(owner: Owner) -> None:
    for _ in range(30):
        assert not owner.preview.look()
    assert len(owner.heard) == 1


def test_changed_configuration_is_built_once(owner: Owner, workshop: Workshop) -> None:
    workshop.configure(share("tides", "tides", 'title = "Ebb and flow"'), base_url="https://ann.example.org/repo/")
    assert owner.wait()
    assert "Ebb and flow" in owner.page("s/tides/index.html")
    assert not owner.wait()


def test_change_that_changes_no_page_loads_nothing_anew(owner: Owner, workshop: Workshop) -> None:
    (workshop.folder / "sitegen.toml").write_text((workshop.folder / "sitegen.toml").read_text() + "\n# a thought\n")
    assert not owner.wait()
    assert len(owner.heard) == 1


def test_changed_projection_is_built(owner: Owner, workshop: Workshop) -> None:
    workshop.talk(talk_about("tides", "More?", "More."))
    assert owner.wait()
    assert "More." in owner.page("s/tides/index.html")


def test_appearing_write_ahead_file_wakes_it(owner: Owner, workshop: Workshop) -> None:
    writer = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); c.execute('PRAGMA disable_checkpoint_on_shutdown')"
    )
    writer += "; c.execute(\"UPDATE conversations SET title = 'Written ahead'\"); c.close()"
    subprocess.run([sys.executable, "-c", writer, str(workshop.folder / "archive.duckdb")], check=True)
    assert (workshop.folder / "archive.duckdb.wal").exists()
    assert owner.wait()
    assert "Written ahead" in owner.page("s/tides/index.html")


def test_changed_terms_are_built(workshop: Workshop) -> None:
    (workshop.folder / "terms.md").write_text("Tell nobody.")
    workshop.configure(share("tides", "tides", 'agreement = "terms.md"'))
    (workshop.folder / ".sitegen").mkdir()
    (workshop.folder / ".sitegen" / "secrets.toml").write_text('site_secret = "' + "A" * 43 + '"\n')
    (workshop.folder / ".sitegen" / "secrets.toml").chmod(0o600)
    owner = Owner(workshop)
    assert owner.wait(), owner.heard
    before = files(owner.preview.root)
    (workshop.folder / "terms.md").write_text("Tell everybody.")
    assert owner.wait(), owner.heard
    assert files(owner.preview.root) != before


def test_theme_is_followed_also_where_it_grows_and_breaks(owner: Owner, workshop: Workshop) -> None:
    theme = workshop.folder / "theme"
    (theme / "static/css").mkdir(parents=True)
    (theme / "static/css/theme.css").write_text(":root{--accent:#123456}")
    shares = share("tides", "tides", "listed = true") + '[theme]\nfolder = "theme"\n'
    workshop.configure(shares, base_url="https://ann.example.org/repo/")
    assert owner.wait(), owner.heard
    assert any("#123456" in file.read_text() for file in owner.preview.root.glob("assets/*.css"))
    (theme / "static/css/theme.css").write_text(":root{--accent:#654321}")
    assert owner.wait()
    assert any("#654321" in file.read_text() for file in owner.preview.root.glob("assets/*.css"))
    (theme / "templates").mkdir()
    home = (resource_folder("templates") / "home.html").read_text()
    (theme / "templates/home.html").write_text(home.replace("{% block main %}", "{% block main %}<p>Welcome.</p>"))
    assert owner.wait()
    assert "Welcome." in owner.page("index.html")
    (theme / "templates/home.html").write_text("{% block %}")
    assert owner.wait()
    assert "home.html" in (owner.preview.status.problem or "")
    (theme / "templates/home.html").unlink()
    assert owner.wait()
    assert owner.preview.status.problem is None
    assert "Welcome." not in owner.page("index.html")


def test_fault_is_told_once_and_goes_when_it_is_mended(owner: Owner, workshop: Workshop) -> None:
    good = (workshop.folder / "sitegen.toml").read_text()
    (workshop.folder / "sitegen.toml").write_text(good.replace("[site]", "[sight]"))
    assert owner.wait()
    assert "sight" in (owner.preview.status.problem or "")
    assert not owner.wait()
    assert [line for line in owner.heard if "sight" in line] == [owner.preview.status.problem]
    (workshop.folder / "sitegen.toml").write_text(good)
    assert owner.wait()
    assert owner.preview.status.problem is None
    assert owner.heard[-1] == "Mended."


def test_other_input_can_mend_what_stopped_a_build_early(owner: Owner, workshop: Workshop) -> None:
    moved = workshop.folder / "archive.duckdb"
    moved.rename(moved.with_suffix(".away"))
    assert owner.wait()
    assert "no file" in (owner.preview.status.problem or "")
    moved.with_suffix(".away").rename(moved)
    assert owner.wait()
    assert owner.preview.status.problem is None


def test_preview_that_begins_with_a_fault_waits_for_its_mending(workshop: Workshop) -> None:
    good = (workshop.folder / "sitegen.toml").read_text()
    (workshop.folder / "sitegen.toml").write_text("[site")
    owner = Owner(workshop)
    assert owner.wait()
    assert not owner.preview.status.has_pages
    (workshop.folder / "sitegen.toml").write_text(good)
    assert owner.wait()
    assert (owner.preview.status.has_pages, owner.preview.status.base_path) == (True, "/repo/")


def test_locked_projection_is_waited_for_with_the_last_good_pages(owner: Owner, workshop: Workshop) -> None:
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    hold += "; c.execute(\"UPDATE conversations SET title = 'Held'\"); c.close()"
    command = [sys.executable, "-c", hold, str(workshop.folder / "archive.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "held\n"
        workshop.configure(share("tides", "tides"), base_url="https://ann.example.org/repo/")
        while not owner.preview.look():
            pass
        assert not owner.preview.make(jobs=1)
        status = owner.preview.status
        assert (status.has_pages, status.problem) == (True, None)
        assert f"process {writer.pid}" in (status.waiting or "")
        assert "On tides" in owner.page("s/tides/index.html")
        assert not owner.preview.look()
        writer.communicate("")
    owner.clock.now += 1.0
    assert owner.preview.look()
    assert owner.preview.make(jobs=1)
    assert owner.preview.status.waiting is None
    assert "Held" in owner.page("s/tides/index.html")
    assert len([line for line in owner.heard if "is being written" in line]) == 1


def test_share_that_expires_meanwhile_goes(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.configure(share("tides", "tides", "expires = 2099-01-01T00:00:00Z"))
    owner = Owner(workshop)
    owner.wait()
    assert not owner.preview.look()
    owner.clock.now = 4_070_908_801.0  # in 2099
    assert owner.preview.look()


def test_file_that_is_written_all_the_time_is_taken_as_it_is(owner: Owner, workshop: Workshop) -> None:
    path = workshop.folder / "archive.duckdb.wal"
    looks = 0
    while True:
        path.write_bytes(b"x" * looks)
        if owner.preview.look():
            break
        looks += 1
        assert looks < 50
    assert looks > 1
    path.unlink()


def test_new_base_path_moves_the_preview(owner: Owner, workshop: Workshop) -> None:
    workshop.configure(share("tides", "tides", "listed = true"), base_url="https://ann.example.org/elsewhere/")
    owner.wait()
    assert owner.preview.status.base_path == "/elsewhere/"
