"""What all of a build's work goes by, and the pages of its site."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from sitegen.assets import load_assets
from sitegen.build.compiled import CompiledTemplates
from sitegen.catalogue import Catalogue
from sitegen.pages import Pages, Site
from sitegen.privacy import Policy
from sitegen.urls import Urls


class Setting(Struct, frozen=True):
    """What all tasks of a build have in common. Picklable, for workers start from nothing."""

    site: Site
    urls: Urls
    templates: tuple[Path, ...]
    static: tuple[Path, ...]
    projections: tuple[Path, ...]
    temp_folder: Path
    cache_folder: Path
    scan_folder: Path
    compiled_folder: Path
    policy: Policy
    shows_labels: bool = False
    is_cache_read: bool = True
    """False for a full build, which trusts nothing that was made before."""


def make_pages(setting: Setting) -> Pages:
    """The pages of a site, with its templates compiled."""
    return Pages(
        setting.site,
        templates=setting.templates,
        assets=load_assets(setting.static),
        urls=setting.urls,
        catalogue=Catalogue(setting.site.language),
        compiled=CompiledTemplates(setting.compiled_folder) if setting.is_cache_read else None,
    )


def compile_templates(setting: Setting) -> None:
    """Has all templates compiled for whoever makes pages next. What is wrong with one they are told then."""
    if setting.is_cache_read:
        make_pages(setting).compile_all()
