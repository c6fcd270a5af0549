"""Checks one page: ids, policy, and every reference, as far as it can be told without the other pages."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sitegen.check.markup import Tag, line_of, read_tags, read_xml_tags
from sitegen.check.policy import Policy, blocks_own, check_policy, read_policy
from sitegen.check.references import Reference, Use, references_of
from sitegen.check.report import Finding
from sitegen.check.site import NOT_FOUND, Site, Target, host_of, scheme_of
from sitegen.urls import SEARCH_PAGE

XML_PAGES = (".xhtml", ".xht")
PAGES = (".html", ".htm", *XML_PAGES)
"""How names of pages end, in any case."""
_LINK_SCHEMES = frozenset({"http", "https", "mailto"})
_INLINE_SCHEMES = frozenset({"data", "blob"})
_DIRECTIVES = {
    "script": ("script-src-elem", "script-src", "default-src"),
    "link": ("style-src-elem", "style-src", "default-src"),
    "img": ("img-src", "default-src"),
}
_EMBEDDING = frozenset({"iframe", "frame", "object", "embed"})


class Wanted(Struct, frozen=True):
    """An anchor that another page must have."""

    source: str
    line: int
    path: str
    fragment: str


class PageFacts(Struct, frozen=True):
    """What is known of a page once it was read. `ids` are joined by NUL, which keeps ten thousand pages small."""

    findings: tuple[Finding, ...]
    wanted: tuple[Wanted, ...]
    ids: str

    def has(self, fragment: str) -> bool:
        """Whether the page has that anchor."""
        return f"\0{fragment}\0" in self.ids


def read_page(site: Site, path: str) -> PageFacts:
    """Read and check the page at `path`."""
    data = site.read(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return PageFacts((Finding(path, "it isn't UTF-8, as it says it is", line),), (), "\0")
    tags = read_xml_tags(text) if path.lower().endswith(XML_PAGES) else read_tags(text)
    return _check(_Reading(site, path, text, list(tags)))


class _Reading(Struct, frozen=True):
    site: Site
    path: str
    text: str
    tags: Sequence[Tag]

    def finding(self, offset: int, sentence: str) -> Finding:
        return Finding(self.path, sentence, line_of(self.text, offset))


def _check(reading: _Reading) -> PageFacts:
    findings = [reading.finding(*fault) for fault in check_policy(reading.tags, runs_wasm=reading.path == SEARCH_PAGE)]
    ids = _ids(reading, findings)
    policy = _policy(reading.tags)
    wanted: list[Wanted] = []
    for tag in reading.tags:
        for reference in references_of(tag):
            match _look_at(reading, reference, ids=ids, policy=policy):
                case str(sentence):
                    findings.append(reading.finding(tag.offset, sentence))
                case Target(path=str(target), fragment=fragment):
                    wanted.append(Wanted(reading.path, line_of(reading.text, tag.offset), target, fragment))
    return PageFacts(tuple(findings), tuple(wanted), "\0" + "\0".join(ids) + "\0")


def _ids(reading: _Reading, findings: list[Finding]) -> set[str]:
    ids: set[str] = set()
    for tag in reading.tags:
        name = tag.attributes.get("id")
        if name is None:
            continue
        if name in ids:
            findings.append(reading.finding(tag.offset, f'the id "{name}" is there twice, so a link to it may miss'))
        ids.add(name)
    return ids


def _policy(tags: Sequence[Tag]) -> Policy:
    wanted = "content-security-policy"
    return next(
        (
            read_policy(tag.attributes.get("content", ""))
            for tag in tags
            if tag.name == "meta" and tag.attributes.get("http-equiv", "").lower() == wanted
        ),
        Policy({}),
    )


def _look_at(reading: _Reading, reference: Reference, *, ids: set[str], policy: Policy) -> str | Target | None:
    """A sentence about what is wrong, or the anchor elsewhere that the reference needs."""
    url = reference.url
    scheme = scheme_of(url)
    if scheme is not None:
        return _absolute(reading.site, reference, scheme=scheme, page=reading.path)
    if reference.use is Use.LOAD and _is_blocked(reference.tag, policy):
        return f"its own policy blocks {url!r}, so the page would be broken"
    if url.startswith("/") and reading.path != NOT_FOUND:
        return f"{url!r} starts from the host's root; a relative reference works under every base path"
    target = reading.site.rooted(url) if url.startswith("/") else reading.site.target(reading.path, url)
    return _within(reading, url, target, ids=ids)


def _within(reading: _Reading, url: str, target: Target, *, ids: set[str]) -> str | Target | None:
    if target.path is None:
        return f"{url!r} leads out of the site"
    if target.path not in reading.site.files:
        return f"{url!r} leads to {target.path}, which isn't there"
    fragment = target.fragment.partition(":~:")[0]
    if fragment in ("", "top") or not target.path.lower().endswith(PAGES):
        return None
    if target.path == reading.path:
        return None if fragment in ids else f"{url!r} leads to no place in this page"
    return Target(target.path, fragment)


def _is_blocked(tag: Tag, policy: Policy) -> bool:
    if tag.name == "link" and "stylesheet" not in tag.attributes.get("rel", "").lower().split():
        return False
    names = _DIRECTIVES.get(tag.name)
    return names is not None and blocks_own(policy, tag, *names)


def _absolute(site: Site, reference: Reference, *, scheme: str, page: str) -> str | None:
    """What is wrong with a reference that names a scheme or a host."""
    url, tag = reference.url, reference.tag
    if scheme in ("javascript", "vbscript"):
        return f"a <{tag.name}> leads to a script ({url[:60]!r})"
    match reference.use:
        case Use.NAME:
            path = site.below_base(url)
            return None if path is None or site.has(path) else f"it names {url} as its own, and there is no such page"
        case Use.LOAD:
            return _absolute_load(reference, scheme=scheme)
        case Use.FOLLOW:
            return _absolute_follow(site, reference, scheme=scheme, page=page)


def _absolute_load(reference: Reference, *, scheme: str) -> str | None:
    tag = reference.tag.name
    if scheme in _INLINE_SCHEMES:
        return f"a <{tag}> embeds active content as {scheme}:" if tag in (*_EMBEDDING, "script", "use") else None
    return f"a <{tag}> loads from another site ({host_of(reference.url)}); nothing may be loaded from elsewhere"


def _absolute_follow(site: Site, reference: Reference, *, scheme: str, page: str) -> str | None:
    url, tag = reference.url, reference.tag
    if scheme not in _LINK_SCHEMES:
        shown = "an address without a scheme" if scheme == "//" else f"{scheme}:"
        return f"a link leads to {shown} ({url[:60]!r}); only http, https, mailto and links within the site are allowed"
    if tag.name != "a" and tag.name != "area":
        return f"a <{tag.name}> sends what is typed to {host_of(url)}"
    # A link in the text of a conversation says nofollow, and may name this site as it may name any other.
    is_own = page != NOT_FOUND and site.below_base(url) is not None and "nofollow" not in tag.attributes.get("rel", "")
    return f"a link names its own site by its address ({url}); a relative one works everywhere" if is_own else None
