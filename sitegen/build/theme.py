"""Which folders templates and static files come from: sitegen's own, and the owner's theme over them."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from sitegen.config import Config
from sitegen.errors import ConfigError
from sitegen.output.watch import Watch
from sitegen.resources import resource_folder


class Layers(Struct, frozen=True):
    """The folders, sitegen's own first; later ones go before."""

    templates: tuple[Path, ...]
    static: tuple[Path, ...]

    @classmethod
    def of(cls, config: Config) -> Layers:
        """Those of a configuration, whether or not a theme's are there."""
        themes = () if config.theme.folder is None else (config.theme.folder,)
        return cls(
            (resource_folder("templates"), *(theme / "templates" for theme in themes)),
            (resource_folder("static"), *(theme / "static" for theme in themes)),
        )

    def standing(self) -> Layers:
        """Those that are there: a theme need not have both."""
        return Layers(
            tuple(folder for folder in self.templates if folder.is_dir()),
            tuple(folder for folder in self.static if folder.is_dir()),
        )

    def watch(self, watch: Watch) -> None:
        """Watch all of it, what isn't there yet too."""
        for folder in (*self.templates, *self.static):
            watch.tree(folder)

    def check(self, config: Config) -> None:
        """Raises ConfigError for a theme that isn't there, holds nothing, or holds what can't work."""
        folder = config.theme.folder
        if folder is None:
            return
        if not any((folder / name).is_dir() for name in ("templates", "static")):
            stands = "holds neither templates/ nor static/" if folder.is_dir() else "isn't there"
            msg = f"[theme] the folder {folder} {stands}; “sitegen theme eject --only theme.css” makes a first file"
            raise ConfigError(msg, path=config.path)
        from sitegen.assets import load_assets
        from sitegen.pages.templates import check_templates

        check_templates(self.standing().templates)
        load_assets(self.standing().static)
