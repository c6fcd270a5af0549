"""The Content Security Policy of a page: whether it is there, strict, and kept by the page itself."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sitegen.check.markup import ODD, Tag

_NAME = "content-security-policy"
_SAFE_SCHEMES = frozenset({"data:", "blob:"})
_NEVER_FOR_CODE = frozenset({"data:", "blob:"})
_CODE = ("script-src", "script-src-elem", "default-src", "object-src")
_MUST_BE_SAID = ("default-src", "base-uri", "form-action")
_KEYWORDS = frozenset({"'none'", "'self'", "'script'", "'strict-dynamic'", "'report-sample'"})
_WASM = ("script-src", "'wasm-unsafe-eval'")
_HASH = re.compile(r"'sha(256|384|512)-[A-Za-z0-9+/_-]+={0,2}'")
_NOT_SOURCES = frozenset({"require-trusted-types-for", "trusted-types", "sandbox", "upgrade-insecure-requests"})
_JAVASCRIPT = re.compile(r"(?:text|application)/(?:x-)?(?:java|ecma|j|live)script(?:\d\.\d)?", re.IGNORECASE)
_RUNNING_TYPES = frozenset({"", "module", "importmap", "speculationrules"})

Fault = tuple[int, str]
"""Where in the text, and the sentence."""


class Policy(Struct, frozen=True):
    """The directives of a policy with their sources, in lower case but for hashes."""

    directives: Mapping[str, tuple[str, ...]]

    def sources(self, *names: str) -> tuple[str, ...] | None:
        """The sources of the first directive that is there; None: anything is allowed."""
        return next((self.directives[name] for name in names if name in self.directives), None)


def read_policy(text: str) -> Policy:
    """The policy in the text of the meta element; of a directive given twice the first counts, as in browsers."""
    directives: dict[str, tuple[str, ...]] = {}
    for part in text.split(";"):
        words = part.split()
        if words:
            sources = tuple(word if _HASH.fullmatch(word) else word.lower() for word in words[1:])
            directives.setdefault(words[0].lower(), sources)
    return Policy(directives)


def check_policy(tags: Sequence[Tag], *, runs_wasm: bool = False) -> Iterator[Fault]:
    """What is wrong with the page's policy, or with the page by its policy. Only the search may run WebAssembly."""
    place = next((number for number, tag in enumerate(tags) if _is_policy(tag)), None)
    if place is None:
        yield 0, "it has no Content-Security-Policy, so a script in it would run"
        yield from _breaches(tags, Policy({}))
        return
    early = next((tag for tag in tags[:place] if tag.name in ("script", "style", "link")), None)
    if early is not None:
        yield early.offset, f"a <{early.name}> stands before the Content-Security-Policy, which doesn't hold for it"
    policy = read_policy(tags[place].attributes.get("content", ""))
    yield from ((tags[place].offset, sentence) for sentence in _weaknesses(policy, runs_wasm=runs_wasm))
    yield from _breaches(tags, policy)


def _is_policy(tag: Tag) -> bool:
    return tag.name == "meta" and tag.attributes.get("http-equiv", "").lower() == _NAME


def _weaknesses(policy: Policy, *, runs_wasm: bool) -> Iterator[str]:
    for name in _MUST_BE_SAID:
        if name not in policy.directives:
            yield f"its Content-Security-Policy doesn't say {name}, which leaves it open"
    for name, sources in policy.directives.items():
        if name in _NOT_SOURCES:
            continue
        for source in sources:
            if not _is_strict(name, source) and not (runs_wasm and (name, source) == _WASM):
                yield f"its Content-Security-Policy allows {source} for {name}; only this site and hashes are safe"


def _is_strict(directive: str, source: str) -> bool:
    if source in _SAFE_SCHEMES:
        return directive not in _CODE
    return source in _KEYWORDS or _HASH.fullmatch(source) is not None


def _breaches(tags: Sequence[Tag], policy: Policy) -> Iterator[Fault]:
    for tag in tags:
        if tag.name == ODD:
            yield tag.offset, tag.content
        for name in tag.attributes:
            if name == "style":
                yield tag.offset, f"a <{tag.name}> has a style attribute, which the policy blocks"
            elif name.startswith("on") and len(name) > len("on"):
                yield tag.offset, f"a <{tag.name}> has the inline handler {name}, which must not be"
            elif name == "srcdoc":
                yield tag.offset, f"a <{tag.name}> holds a whole page in its attribute srcdoc, which must not be"
        if tag.name == "base":
            yield tag.offset, "it has a <base> element, which would turn every link"
        elif tag.name == "style" and not _has_hash(policy, tag.content, "style-src-elem", "style-src", "default-src"):
            yield tag.offset, "it has a <style> element whose hash its policy doesn't name"
        elif tag.name == "script":
            yield from _script_breaches(tag, policy)


def _script_breaches(tag: Tag, policy: Policy) -> Iterator[Fault]:
    kind = tag.attributes.get("type", "").strip().lower()
    if "src" in tag.attributes or not (kind in _RUNNING_TYPES or _JAVASCRIPT.fullmatch(kind)):
        return
    if not _has_hash(policy, tag.content, "script-src-elem", "script-src", "default-src"):
        yield tag.offset, "it has an inline script whose hash its policy doesn't name"


def _has_hash(policy: Policy, content: str, *names: str) -> bool:
    sources = policy.sources(*names) or ()
    data = content.encode("utf-8", "surrogatepass")
    return any(
        f"'{name}-{base64.b64encode(hashlib.new(name, data).digest()).decode()}'" in sources
        for name in ("sha256", "sha384", "sha512")
    )


def blocks_own(policy: Policy, tag: Tag, *names: str) -> bool:
    """Whether the policy keeps the page from loading a file of its own site by this tag."""
    sources = policy.sources(*names)
    if sources is None or "'self'" in sources:
        return False
    wanted = [f"'{token}'" for token in tag.attributes.get("integrity", "").split()]
    return not (wanted and all(token in sources for token in wanted))
