"""The frame of all commands: finds them, finds the configuration, and tells every failure in a sentence.

To add a command: a module `sitegen/cli/<name>.py` whose `command` is a click command, and its line in COMMANDS.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from sitegen import __version__
from sitegen.errors import SitegenError, UsageError

if TYPE_CHECKING:
    from sitegen.config import Config

COMMANDS: Final = {
    "init": "Set up a folder: configuration, secrets, a workflow for GitHub Pages.",
    "ingest": "Read conversations of a tool into a projection.",
    "list": "List the conversations of the projection.",
    "share": "Share a conversation.",
    "shares": "List what is shared.",
    "revoke": "Take a share back.",
    "rotate": "Give a share new keys, so that old links and codes stop working.",
    "links": "Print the links and codes of shares.",
    "report": "Show what publishing would expose.",
    "build": "Build the site.",
    "serve": "Preview the site while it changes.",
    "check": "Check a built site.",
    "theme": "Make the site look like yours.",
    "archive": "Make one file that opens from disk.",
    "verify": "Check a copy, or the live site, against an archive's manifest.",
    "publish": "Put the site where its readers are.",
}
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
DEBUG: Final = "SITEGEN_DEBUG"


class _OutputClosedError(Exception):
    """Whoever read our output has had enough."""


@contextlib.contextmanager
def _telling_when_output_closes() -> Iterator[None]:
    """Get ahead of click, which would end the process without a word to us."""
    try:
        yield
    except BrokenPipeError:
        raise _OutputClosedError from None


class App(NamedTuple):
    """What all commands share: which configuration is meant."""

    config_file: Path | None = None

    def config_path(self) -> Path:
        """The file given with -C, or the sitegen.toml here or in a folder above. Raises UsageError without one."""
        if self.config_file is not None:
            return self.config_file / "sitegen.toml" if self.config_file.is_dir() else self.config_file
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / "sitegen.toml").is_file():
                return folder / "sitegen.toml"
        raise UsageError(
            f"there is no sitegen.toml in {here} or a folder above it; “sitegen init” makes one, and -C names another"
        )

    def config(self) -> Config:
        """The configuration, read."""
        from sitegen.config import load

        return load(self.config_path())


pass_app = click.make_pass_decorator(App)


class Commands(click.Group):
    """A group whose commands are imported when they are called, and whose failures are told in a sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if importlib.util.find_spec(f"sitegen.cli.{name}")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"sitegen.cli.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a fault of ours, never of a user
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(UsageError.exit_code)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            raise click.UsageError(_unknown_command(args[0], known), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, COMMANDS[name]) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _telling_when_output_closes():  # --help is printed here
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _telling_when_output_closes():
            return super().invoke(ctx)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        def run() -> Any:
            return super(Commands, self).main(
                args, prog_name or "sitegen", complete_var, standalone_mode=False, **extra
            )

        if not standalone_mode:
            return run()
        code = _exit_code(run)
        sys.exit(code)


@click.group("sitegen", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.version_option(__version__, "--version", prog_name="sitegen", message="%(prog)s %(version)s")
@click.option(
    "-C",
    "--config",
    "config_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The configuration; otherwise sitegen.toml here or in a folder above.",
)
@click.pass_context
def main(ctx: click.Context, config_file: Path | None) -> None:
    """Publish AI conversations as a read-only site that their owner controls."""
    ctx.obj = App(config_file)
    if os.environ.get("NO_COLOR"):
        ctx.color = False


# ------------------------------------------------------------------------------------------------------- failures


def _exit_code(run: Callable[[], Any]) -> int:
    """Run a command; its exit code, after telling what failed."""
    _accept_any_text()
    try:
        result = run()
        sys.stdout.flush()
    except (BrokenPipeError, _OutputClosedError):
        _close_output()
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the edge of the program: whatever failed is told, never traced
        return _told(error)
    return result if isinstance(result, int) else 0


def _told(error: Exception) -> int:
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    code, message = _verdict(error)
    if message:
        _tell(message)
    return code


def _verdict(error: Exception) -> tuple[int, str]:
    """The exit code and the sentence of a failure."""
    match error:
        case SitegenError():
            return error.exit_code, str(error)
        case click.UsageError(ctx=click.Context() as ctx):
            return error.exit_code, f"{error.format_message()}\nTry “{ctx.command_path} --help”."
        case click.ClickException():
            return error.exit_code, error.format_message()
        case click.Abort() if isinstance(error.__context__, KeyboardInterrupt):
            return INTERRUPTED, ""
        case RuntimeError() if str(error) == "Query interrupted":  # what DuckDB makes of Ctrl-C
            return INTERRUPTED, ""
        case click.Abort():
            return 1, "stopped; nothing was changed"
        case OSError() if error.strerror:
            return 1, f"{error.strerror}: {error.filename}" if error.filename else error.strerror
        case _:
            return 1, _unexpected(error)


def _unexpected(error: Exception) -> str:
    said = str(error).splitlines()
    what = f"{type(error).__name__}: {said[0][:200]}" if said else type(error).__name__
    return f"something went wrong that sitegen has no words for ({what}); set {DEBUG}=1 to see where"


def _tell(message: str) -> None:
    from sitegen.cli.terminal import safe_lines

    click.echo(f"sitegen: {safe_lines(message)}", err=True)


def _unknown_command(name: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"there is no command “{name}”" + (f"; did you mean “{near[0]}”?" if near else "")


def _accept_any_text() -> None:
    """A terminal that lacks a character shows its number instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace")


def _close_output() -> None:
    """Let Python's own last flush go nowhere, instead of complaining about the closed pipe."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError:
        return
