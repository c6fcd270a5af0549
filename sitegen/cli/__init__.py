"""The command line. Each command is a module here that exposes `command`; heavy imports are local to their use."""

import gc

gc.disable()  # what is loaded stays: to look through it meanwhile takes a tenth of a build with nothing to do
from sitegen.cli.frame import App, main, pass_app  # noqa: E402

gc.freeze()
gc.enable()

__all__ = ["App", "main", "pass_app"]
