"""`sitegen theme`: starts a theme of one's own from copies of sitegen's templates and static files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

import click

from sitegen.cli.frame import App, pass_app
from sitegen.cli.terminal import safe
from sitegen.errors import OutputError, UsageError

FOLDER: Final = "theme"
_LEFT_ALONE: Final = ("static/js/", "static/gate/", "static/search/", "templates/gate.html")
"""What must fit sitegen's version: it's copied when it's named, not along with everything."""


@click.group("theme")
def command() -> None:
    """Make the site look like yours.

    Templates and static files in the folder that [theme] names take the place of sitegen's own.
    """


@command.command("eject")
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="NAME",
    help="Copy this file or folder only, such as theme.css, share.html or css; repeatable.",
)
@pass_app
def eject(app: App, names: tuple[str, ...]) -> None:
    """Copy sitegen's templates and static files into the theme's folder.

    Nothing that is there already is changed. Without --only, all templates and sheets are copied, but no scripts and
    not the page that stands before protected ones: those should stay with sitegen's version.
    """
    config = app.config()
    folder = config.theme.folder or config.folder / FOLDER
    ours = _ours()
    chosen = _chosen(names, ours) if names else [name for name in ours if not name.startswith(_LEFT_ALONE)]
    for name in chosen:
        is_new = _copy(ours[name], folder / name)
        click.echo(f"  {'made' if is_new else 'kept'}  {safe(str(folder / name))}")
    if config.theme.folder is None:
        click.echo(f'Now write into {safe(config.path.name)}:\n\n[theme]\nfolder = "{FOLDER}"')


def _ours() -> dict[str, Path]:
    """Every file of ours, by the name it has in a theme."""
    from sitegen.resources import resource_folder

    found = {}
    for kind in ("templates", "static"):
        root = resource_folder("templates" if kind == "templates" else "static")
        for file in sorted(root.rglob("*")):
            name = file.relative_to(root)
            if file.is_file() and not any(part.startswith(".") for part in name.parts):
                found[f"{kind}/{name.as_posix()}"] = file
    return found


def _chosen(names: tuple[str, ...], ours: dict[str, Path]) -> list[str]:
    """The files meant, each once. Raises UsageError for a name that none has, with the nearest."""
    found: dict[str, None] = {}
    for name in names:
        meant = list(_meant(name.replace("\\", "/").strip("/"), ours))
        if not meant:
            ends = {PurePosixPath(each).name: each for each in ours}
            near = difflib.get_close_matches(name, ends, n=1, cutoff=0.5)
            hint = f"did you mean “{near[0]}”?" if near else f"there are: {', '.join(sorted(ends))}"
            raise UsageError(f"sitegen has no template and no static file “{name}”; {hint}")
        found |= dict.fromkeys(meant)
    return list(found)


def _meant(name: str, ours: dict[str, Path]) -> Iterator[str]:
    """A file by its end (`theme.css`, `css/theme.css`), all of a folder (`css`), or a template without its ending."""
    for each in ours:
        whole = f"/{each}"
        if whole.endswith((f"/{name}", f"/{name}.html")) or f"/{name}/" in whole:
            yield each


def _copy(source: Path, target: Path) -> bool:
    """Copy a file unless something of its name is there; whether it was."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        data = source.read_bytes()
        with target.open("xb") as file:
            file.write(data)
    except FileExistsError:
        if target.parent.is_dir():
            return False
        raise OutputError(f"{target.parent} is a file, not a folder; move it away or name another folder") from None
    except OSError as error:
        raise OutputError(f"{target} can't be written: {error.strerror}") from None
    return True
