"""Checks the files that pages load or that robots read: style sheets, pictures that could run, sitemaps, feeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from sitegen.check.css import css_references
from sitegen.check.markup import ODD, line_of, read_xml_tags
from sitegen.check.page import XML_PAGES
from sitegen.check.references import Use, references_of
from sitegen.check.report import Finding
from sitegen.check.site import Site, host_of, scheme_of

_LOCATION = re.compile(r"<(loc|link|id|guid)\b[^>]*>\s*([^<\s][^<]*?)\s*</\1>", re.IGNORECASE)
_STYLED = re.compile(r"""<\?xml-stylesheet\b[^>]*?\bhref\s*=\s*["']([^"']*)""", re.IGNORECASE)
_HREF = re.compile(r"""<(?:\w+:)?link\b[^>]*?\bhref\s*=\s*["']([^"']*)["']""", re.IGNORECASE)


def check_style_sheet(site: Site, path: str) -> Iterator[Finding]:
    """What a style sheet loads must be in the site."""
    text = site.read(path).decode("utf-8", "replace")
    for url in css_references(text):
        line = line_of(text, max(text.find(url), 0))
        scheme = scheme_of(url)
        if scheme == "data" or url.startswith("#"):
            continue
        if scheme is not None:
            yield Finding(
                path, f"it loads from another site ({host_of(url)}); nothing may be loaded from elsewhere", line
            )
        elif url.startswith("/"):
            yield Finding(path, f"{url!r} starts from the host's root; a relative reference works everywhere", line)
        elif site.target(path, url).path not in site.files:
            yield Finding(path, f"{url!r} leads to a file that isn't there", line)


def check_picture(site: Site, path: str) -> Iterator[Finding]:
    """An SVG opened by itself is a page: it must not run or load anything."""
    text = site.read(path).decode("utf-8", "replace")
    for tag in read_xml_tags(text):
        line = line_of(text, tag.offset)
        for reference in references_of(tag):
            scheme = scheme_of(reference.url)
            if reference.use is Use.LOAD and scheme not in (None, "data"):
                yield Finding(path, f"it is a picture that loads from another site ({host_of(reference.url)})", line)
            elif scheme in ("javascript", "vbscript", "data") and reference.use is Use.FOLLOW:
                yield Finding(
                    path, f"it is a picture with a link that leads to a script ({reference.url[:60]!r})", line
                )


def check_xml(site: Site, path: str) -> Iterator[Finding]:
    """XML opened by itself may be a page or a drawing: it must not run anything, nor be styled from elsewhere."""
    text = site.read(path).decode("utf-8", "replace")
    what = "a picture" if path.lower().endswith(".svg") else "a file"
    is_page = path.lower().endswith(XML_PAGES)  # whose tags are looked at as those of any page
    for tag in [] if is_page else read_xml_tags(text):
        line, name = line_of(text, tag.offset), tag.name.rpartition(":")[2]
        if tag.name == ODD:
            yield Finding(path, tag.content, line)
        elif name == "script" or any(key.startswith("on") and len(key) > len("on") for key in tag.attributes):
            yield Finding(path, f"it is {what} with a script in it, which runs when it is opened by itself", line)
    for match in _STYLED.finditer(text):
        url = unescape(match[1])
        if scheme_of(url) is not None or site.target(path, url).path not in site.files:
            yield Finding(path, f"it takes its style from {url[:60]!r}, which isn't here", line_of(text, match.start()))


def check_addresses(site: Site, path: str) -> Iterator[Finding]:
    """Addresses of this site in a sitemap or a feed must lead to something; a sitemap's must be of this site."""
    text = site.read(path).decode("utf-8", "replace")
    is_sitemap = "<urlset" in text or "<sitemapindex" in text
    for match in sorted((*_LOCATION.finditer(text), *_HREF.finditer(text)), key=lambda match: match.start()):
        url = unescape(match[match.lastindex or 0])
        sentence = _address_fault(site, path, url, is_sitemap=is_sitemap)
        if sentence is not None:
            yield Finding(path, sentence, line_of(text, match.start()))


def guess_base_url(site: Site) -> str | None:
    """The shortest address in the sitemap, which is the home page's, or where its parts stand; None without one."""
    if "sitemap.xml" not in site.files:
        return None
    text = site.read("sitemap.xml").decode("utf-8", "replace")
    shortest = min((unescape(match[2]) for match in _LOCATION.finditer(text)), key=len, default=None)
    if shortest is not None and "<sitemapindex" in text:
        return shortest.rpartition("/")[0] + "/"
    return shortest


def _address_fault(site: Site, path: str, url: str, *, is_sitemap: bool) -> str | None:
    scheme = scheme_of(url)
    if scheme in ("http", "https"):
        below = site.below_base(url)
        if below is None:
            return f"it lists {url}, which isn't under {site.base_url}" if is_sitemap and site.base_url else None
        return None if site.has(below) else f"it lists {url}, and there is no such page"
    if scheme is not None:
        return None
    target = site.target(path, url).path
    return None if target in site.files else f"it lists {url!r}, which leads to nothing"
