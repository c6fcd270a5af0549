"""The one place that knows the whole order: configuration, projection, shares, pages, output.

Light to import, for the path that finds nothing to do.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen import __version__
from sitegen.build.memory import collecting_rarely
from sitegen.build.report import BuildOptions, BuildReport, OnProgress, Stage

if TYPE_CHECKING:
    from sitegen.output.watch import Watch

__all__ = ["STATE_FOLDER", "BuildOptions", "BuildReport", "OnProgress", "Stage", "build", "invocation"]

STATE_FOLDER = ".sitegen"


def invocation(config_path: Path, options: BuildOptions) -> str:
    """A text that tells builds of different meaning apart, for the path that finds nothing to do.

    Two configurations may stand in one folder and share its state; so may two installations build one site.
    """
    output = str(options.output.absolute()) if isinstance(options.output, Path) else options.output
    program = [__version__, __file__, sys.version]
    return json.dumps([*program, config_path.name, output, options.is_offline, options.is_strict])


@collecting_rarely()
def build(
    config_path: Path,
    options: BuildOptions,
    *,
    on_progress: OnProgress = lambda *_: None,
    watch: Watch | None = None,
) -> BuildReport:
    """Builds the site of a configuration and says what was done. A `watch` knows afterwards what was read, in any case.

    Raises SitegenError: ConfigError when the configuration can't be honoured, ProjectionError when the projection can't
    be read, OutputError when the folder isn't ours or can't be written, RefusedError when something that should be gone
    can't be removed, BuildError when pages failed (after all others were made) or when `is_strict` and a share had to
    be left out (before anything was).
    """
    from sitegen.build.processes import Outlook, Processes, is_any_newer, look_ahead
    from sitegen.config import load
    from sitegen.config.files import make_private_folder
    from sitegen.output.layout import STATE_FILE
    from sitegen.output.lock import hold
    from sitegen.output.watch import Watch

    watch = watch or Watch()
    watch.file(config_path)  # before it's read, so that an edit meanwhile shows the next time
    config = load(config_path)
    output = options.output or config.output.place
    output = output.absolute() if isinstance(output, Path) else output
    state_folder = options.state or config.folder / STATE_FOLDER
    make_private_folder(config.folder / STATE_FOLDER)
    on_progress("reading", 0, 0)
    with hold(state_folder, output=output), Processes.of(options.jobs) as processes:
        outlook = look_ahead(
            config,
            state_file=state_folder / STATE_FILE,
            invocation=invocation(config_path, options),
            is_full=options.is_full,
        )
        if outlook is not Outlook.UNSURE:
            processes.begin(renders=outlook is Outlook.ALL)
        from sitegen.build.listings import Listings  # no sooner: the other process imports meanwhile
        from sitegen.build.reading import reading

        listings = Listings.within(state_folder, is_read=not options.is_full)
        with reading(config, watch, listings=listings, temp_folder=state_folder / "tmp") as found:
            from sitegen.build.run import Run  # takes as long as reading does

            if outlook is Outlook.ALL or is_any_newer(config.source.projections, state_folder / STATE_FILE):
                import sitegen.build.reuse  # noqa: F401 - rendering, while there's still time until all is read
            run = Run(config, options, found, processes, output, on_progress, watch)
            if outlook is not Outlook.UNSURE:
                run.warm_up(renders=outlook is Outlook.ALL)
            return run.run()
