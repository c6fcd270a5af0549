"""The command line. Each command is a module here that exposes `command`; heavy imports are local to their use."""

from sitegen.cli.frame import App, main, pass_app

__all__ = ["App", "main", "pass_app"]
