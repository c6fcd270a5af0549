"""`sitegen init`: the files that a new site starts from; what is there already stays as it is."""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from sitegen import __version__
from sitegen.cli import scaffold
from sitegen.cli.frame import App, pass_app
from sitegen.cli.reading import remark
from sitegen.cli.terminal import safe
from sitegen.errors import OutputError, UsageError

_IGNORED = (".sitegen/", "public/", "*.duckdb")


class _File(Struct, frozen=True):
    name: str
    text: str
    mode: int = 0o644


@click.command("init")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@pass_app
def command(app: App, folder: Path) -> None:
    """Set up a folder for a site.

    Makes sitegen.toml, .gitignore, .sitegen/secrets.toml with a new site secret, and a workflow for GitHub Pages.
    Nothing that is there already is changed.
    """
    if app.config_file is not None:
        raise UsageError("init takes the folder as its argument, not -C: “sitegen init FOLDER”")
    made = [_make(folder, file) for file in _files()]
    for file, is_new in zip(_files(), made, strict=True):
        click.echo(f"  {'made' if is_new else 'kept'}  {file.name}")
    for warning in _warnings(folder):
        remark(warning)
    click.echo(_next_steps(folder) if any(made) else "All of it was there already; nothing was changed.")


def _files() -> tuple[_File, ...]:
    site_secret = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    return (
        _File("sitegen.toml", scaffold.CONFIG),
        _File(".gitignore", scaffold.GITIGNORE),
        # Kept out of a repository even when the .gitignore above was there already and says nothing of it.
        _File(".sitegen/.gitignore", scaffold.PRIVATE_GITIGNORE, 0o600),
        _File(".sitegen/secrets.toml", scaffold.secrets_file(site_secret), 0o600),
        _File(".github/workflows/pages.yml", scaffold.WORKFLOW.replace("@VERSION@", __version__)),
    )


def _make(folder: Path, file: _File) -> bool:
    """Write a file unless something of its name is there; whether it was written."""
    path = folder / file.name
    try:
        path.parent.mkdir(mode=0o700 if path.parent.name == ".sitegen" else 0o777, parents=True, exist_ok=True)
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, file.mode)
    except FileExistsError:
        if not path.parent.is_dir():
            raise OutputError(f"{path.parent} is a file, not a folder; name another folder") from None
        return False
    except OSError as error:
        raise OutputError(f"{path} can't be made: {error.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(file.text)
    except OSError as error:
        path.unlink(missing_ok=True)  # half a file would be kept by the next run
        raise OutputError(f"{path} can't be written: {error.strerror}") from None
    return True


def _warnings(folder: Path) -> Iterator[str]:
    missing = sorted(set(_IGNORED) - {line.strip() for line in _lines(folder / ".gitignore")})
    if missing:
        yield f".gitignore was there already and lacks {', '.join(missing)}; add it before you commit"
    if os.name == "posix" and (folder / ".sitegen/secrets.toml").stat().st_mode & 0o077:
        yield ".sitegen/secrets.toml can be read by others on this computer; run chmod 600 on it"
    above = next((path for path in (folder.absolute(), *folder.absolute().parents) if (path / ".git").exists()), None)
    if above and above != folder.absolute():
        yield f"GitHub finds workflows only at the top of a repository: move .github/workflows/pages.yml to {above}"


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _next_steps(folder: Path) -> str:
    inside = "" if folder.resolve() == Path.cwd() else f"\n  cd {safe(str(folder))}"
    return f"""
Next:{inside}
  sitegen ingest claude-code ~/.claude/projects   read conversations
  sitegen list                                    choose one
  sitegen share CONVERSATION --listed             share it
  sitegen build                                   make the site in public/
Put the address of the site into sitegen.toml, and keep a copy of .sitegen/secrets.toml in a safe place."""
