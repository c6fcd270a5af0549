"""What all of a build's work goes by, and the pages of its site."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from sitegen.assets import Assets, load_assets
from sitegen.build.compiled import CompiledTemplates
from sitegen.build.keys import digest, source_digest, tree_digest
from sitegen.catalogue import Catalogue
from sitegen.output.cache import Cache
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
    assets_folder: Path
    policy: Policy
    shows_labels: bool = False
    is_cache_read: bool = True
    """False for a full build, which trusts nothing that was made before."""


class _Joined(Struct, frozen=True):
    """Assets, and a hash of all that they were joined of."""

    made_of: str
    assets: Assets


_ASSETS: Final = digest("assets")
"""Where they are kept."""


def assets_of(setting: Setting) -> Assets:
    """The site's style sheets and scripts, joined again only when they, or what joins them, have changed.

    Raises ConfigError as `load_assets` does.
    """
    if not setting.is_cache_read:
        return load_assets(setting.static)
    made_of = digest(source_digest(("assets.py", "materials.py", "urls.py")), *map(tree_digest, setting.static))
    cache = Cache(setting.assets_folder)
    joined = cache.get(_ASSETS, _Joined)
    if joined is None or joined.made_of != made_of:
        joined = _Joined(made_of, load_assets(setting.static))
        cache.put(_ASSETS, joined)
    return joined.assets


def make_pages(setting: Setting) -> Pages:
    """The pages of a site, with its templates compiled."""
    return Pages(
        setting.site,
        templates=setting.templates,
        assets=assets_of(setting),
        urls=setting.urls,
        catalogue=Catalogue(setting.site.language),
        compiled=CompiledTemplates(setting.compiled_folder) if setting.is_cache_read else None,
    )


def compile_templates(setting: Setting) -> None:
    """Has all templates compiled for whoever makes pages next. What is wrong with one they are told then."""
    if setting.is_cache_read:
        make_pages(setting).compile_all()
