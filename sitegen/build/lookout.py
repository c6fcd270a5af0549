"""Has a built site searched for protected words, takes files that hold some out of the output, and tells."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sitegen.assets import load_assets
from sitegen.build.ground import SiteGround
from sitegen.build.owners import owner_of
from sitegen.build.scan import Guarded, Leak, Scan
from sitegen.build.site import SiteBuild
from sitegen.build.watchwords import Watchword
from sitegen.model import Share
from sitegen.output.cache import Cache
from sitegen.output.layout import DOT_FILE


class Look(Struct, frozen=True):
    """What was found, and sentences for the owner."""

    leaks: tuple[Leak, ...] = ()
    notes: tuple[str, ...] = ()


def look_over(site: SiteBuild) -> Look:
    """Searches the finished output; what each share was searched for is noted among the facts of the build."""
    guarded = tuple(_guarded(site))
    if not guarded:
        return Look()
    keys = tuple(site.gates.site_secret())
    guarded += (Guarded("this site", "", keys, any(each.is_new for each in guarded), is_share=False),)
    scan = Scan(_ground(site), guarded)
    paths = site.files.keys() - {DOT_FILE}
    leaks = tuple(scan.find(written=paths & site.changed, standing=paths - site.changed))
    for leak in leaks:
        site.folder.withdraw(leak.path)
    return Look(leaks, tuple(_unsought(name) for name in scan.mute()))


def _guarded(site: SiteBuild) -> Iterator[Guarded]:
    """The protected shares and indexes that stand in the output."""
    for share in site.shares:
        if share.is_expired or not share.is_gated or share.slug not in site.records:
            continue
        is_new = _note(site, share.slug, site.gate_fact(share))
        yield Guarded(f"the share “{share.slug}”", owner_of(share), _words(site, share), is_new)
    for project in site.projects:
        if project.is_gated and project.scope not in site.gates.faults:
            is_new = _note(site, project.scope, site.gates.gate_id(project.scope))
            words = tuple(site.gates.secrets(project.scope))
            yield Guarded(f"the project “{project.slug}”", f"project {project.slug}", words, is_new, is_share=False)


def _note(site: SiteBuild, scope: str, state: str) -> bool:
    """Whether the site was never searched for the words of these pages as they are."""
    fact = f"searched {scope}"
    site.facts[fact] = state
    last = site.state.last
    return not last.is_finished or last.facts.get(fact) != state


def _words(site: SiteBuild, share: Share) -> tuple[Watchword, ...]:
    return (*site.watchwords.get(share.slug, ()), *site.gates.secrets(share.slug))


def _ground(site: SiteBuild) -> SiteGround:
    opened = {owner_of(share): share for share in site.shares if not share.is_gated and not share.is_expired}
    records = {owner: site.records[share.slug] for owner, share in opened.items() if share.slug in site.records}
    setting = site.setting
    names = [each.name for each in site.projects if not each.is_gated]
    names += [share.public_title for share in site.shares if share.public_title]
    return SiteGround(
        read_file=site.folder.read,
        files=site.files,
        shares=opened,
        records=records,
        cards=site.open_cards,
        cache=Cache(setting.cache_folder),
        site=setting.site,
        folders=(*setting.templates, *setting.static),
        shown=(*site.gates.shown(), *names),
        shell_script=load_assets(setting.static).gate.encode(),
    )


def _unsought(name: str) -> str:
    return (
        f"The output couldn't be searched for words of {name}: its title and messages are too short, or stand in what "
        "is open too"
    )
