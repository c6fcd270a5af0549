"""Checks a whole tree: each file by its kind, then what pages want of each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sitegen.check.budgets import check_budgets
from sitegen.check.page import PAGES, XML_PAGES, PageFacts, Wanted, read_page
from sitegen.check.report import CheckReport, Finding
from sitegen.check.sheets import check_addresses, check_picture, check_style_sheet, check_xml, guess_base_url
from sitegen.check.site import INDEX, Site, read_site
from sitegen.errors import OutputError

_KINDS = {
    ".css": (check_style_sheet,),
    ".svg": (check_picture, check_xml),
    ".xml": (check_addresses, check_xml),
    **dict.fromkeys(XML_PAGES, (check_xml,)),
}


def check_tree(folder: Path, *, base_url: str | None = None) -> CheckReport:
    """Everything found in the tree at `folder`.

    `base_url` is where the site will stand; without it the sitemap tells. Raises OutputError when there is no such
    folder or a file in it can't be read.
    """
    if not folder.is_dir():
        msg = f"There is no folder {folder} to check. Build the site first, or name the folder it was built in."
        raise OutputError(msg)
    try:
        site = read_site(folder)
        site = Site(site.root, site.files, site.links, base_url or guess_base_url(site))
        pages = {path: read_page(site, path) for path in site.files if path.lower().endswith(PAGES)}
        findings = [*_of_site(site), *_of_pages(pages), *_of_files(site), *check_budgets(site)]
    except OSError as error:
        msg = f"{error.filename or folder} can't be read: {(error.strerror or str(error)).lower()}."
        raise OutputError(msg) from error
    findings.sort(key=lambda finding: (finding.path, finding.line or 0, finding.sentence))
    return CheckReport(tuple(findings), len(pages), len(site.files), sum(site.files.values()))


def _of_site(site: Site) -> Iterator[Finding]:
    if INDEX not in site.files:
        yield Finding(INDEX, "there is none; is this the folder that the site was built in?")
    for path in site.files:
        if ".sitegen" in path.split("/"):
            yield Finding(path, "it belongs to sitegen's own folder, which holds secrets; it must never be published")


def _of_pages(pages: Mapping[str, PageFacts]) -> Iterator[Finding]:
    for facts in pages.values():
        yield from facts.findings
        yield from _unmet(facts.wanted, pages)


def _unmet(wanted: Iterable[Wanted], pages: Mapping[str, PageFacts]) -> Iterator[Finding]:
    for anchor in wanted:
        if not pages[anchor.path].has(anchor.fragment):
            yield Finding(
                anchor.source, f"a link leads to #{anchor.fragment} in {anchor.path}, which isn't there", anchor.line
            )


def _of_files(site: Site) -> Iterator[Finding]:
    for path in site.files:
        for check in _KINDS.get(path[path.rfind(".") :].lower(), ()):
            yield from check(site, path)
