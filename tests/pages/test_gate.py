"""The shell of a protected page: what stands in it, and that nothing else can."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re

import pytest
from msgspec.structs import replace

from sitegen.assets import load_assets
from sitegen.catalogue import Catalogue
from sitegen.check.markup import read_tags
from sitegen.check.policy import check_policy
from sitegen.errors import SitegenError
from sitegen.pages import Site
from sitegen.pages.frame import Frame
from sitegen.pages.gate import Ask, Shell, make_gate
from sitegen.resources import resource_folder
from sitegen.urls import Urls
from tests.support.sites import Elements, make_pages, references, text_of

ENVELOPE = '{"core":"eyJ2IjoxfQ","slots":[],"body":{"src":"b.00000000.bin"},"terms":"<p>a</script><!-- b</p>"}'


def _shell(*, language: str = "en", offline: bool = False, **fields: object) -> str:
    shell = Shell(**{"slug": "talk", "envelope": ENVELOPE, "ask": "password", **fields})  # type: ignore[arg-type]
    pages = make_pages(language=language, offline=offline)
    return text_of(pages.gate("s/talk/index.html", shell))


def _block(html: str, name: str) -> str:
    found = re.search(rf'<script type="[^"]+" id="{name}">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return found[1]


def test_policy_is_the_contract_with_the_hash_of_the_script() -> None:
    html = _shell()
    policy = next(attrs["content"] for tag, attrs in Elements(html) if attrs.get("http-equiv"))
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'self'; img-src 'self' blob: data:; "
        "media-src blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types sitegen"
    )
    assert list(check_policy(list(read_tags(html)))) == []


def test_search_engines_and_other_sites_learn_nothing() -> None:
    metas = {attrs["name"]: attrs["content"] for tag, attrs in Elements(_shell()) if tag == "meta" and "name" in attrs}
    assert metas["robots"] == "noindex, nofollow, noarchive"
    assert metas["referrer"] == "no-referrer"
    assert "description" not in metas
    assert "canonical" not in _shell()


def test_envelope_cannot_leave_its_element_and_reads_the_same() -> None:
    block = _block(_shell(has_terms=True), "envelope")
    assert "<" not in block
    assert json.loads(block) == json.loads(ENVELOPE)


def test_page_loads_nothing_but_its_styles_and_icon() -> None:
    assert {tag for tag, _ in Elements(_shell())}.isdisjoint({"img", "iframe", "object", "embed", "video", "audio"})
    assert not [attrs for tag, attrs in Elements(_shell()) if tag == "script" and "src" in attrs]
    assert all(not reference.startswith(("http", "//", "/")) for reference in references(_shell()))


@pytest.mark.parametrize(
    ("ask", "fields"),
    [
        pytest.param("password", ["username", "password"], id="password"),
        pytest.param("email", ["email", "code"], id="email"),
        pytest.param("otp", ["code"], id="otp"),
        pytest.param(None, [], id="agreement alone"),
    ],
)
def test_form_asks_for_what_opens_the_page(ask: Ask | None, fields: list[str]) -> None:
    html = _shell(ask=ask, has_terms=ask is None, remember_days=0)
    assert [attrs["name"] for tag, attrs in Elements(html) if tag == "input"] == fields
    assert ('id="agreement"' in html) is (ask is None)


def test_hint_is_text() -> None:
    html = _shell(hint="<b>ours</b>")
    assert "&lt;b&gt;ours&lt;/b&gt;" in html
    assert "Hint:" not in _shell()


@pytest.mark.parametrize(
    ("days", "offline", "offered"),
    [(30, False, "for 30 days"), (1, False, "for 1 day<"), (0, False, ""), (30, True, "")],
    ids=["days", "a day", "never", "on disk"],
)
def test_remembering_is_offered_for_as_long_as_its_owner_says(days: int, offline: bool, offered: str) -> None:
    html = _shell(remember_days=days, offline=offline)
    assert (f"Remember on this device {offered}" in html) if offered else ('id="keep"' not in html)


def test_page_on_disk_holds_its_attachments() -> None:
    html = _shell(offline=True, inline={"00ff": b"\xff\xfe\xfd\xfc"})
    assert _block(html, "data-00ff") == "__79_A"


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_sentence_the_script_says_is_there(language: str) -> None:
    words = json.loads(_block(_shell(language=language), "words"))
    source = "".join(file.read_text() for file in sorted((resource_folder("static") / "gate").glob("*.js")))
    said = set(re.findall(r'(?:word|refuse|tell|stop|note)\("(\w+)"|return \["(\w+)"', source))
    assert {name or other for name, other in said} <= words.keys()
    assert all(words.values())


def test_right_to_left_page_says_so() -> None:
    assert 'dir="rtl"' in _shell(language="ar")


def test_script_that_would_end_itself_is_refused() -> None:
    assets = replace(load_assets([resource_folder("static")]), gate='say("</SCRIPT>")')
    frame = Frame(Site(), [resource_folder("templates")], assets, Urls(), Catalogue())
    with pytest.raises(SitegenError, match="end it early"):
        make_gate(frame, "s/talk/index.html", Shell("talk", ENVELOPE))


def test_script_stays_small() -> None:
    """What opening adds to the reading scripts, as it travels."""
    assets = load_assets([resource_folder("static")])
    reading = next(bytes(each.data) for each in assets.documents if each.path == assets.js)
    added = len(gzip.compress(assets.gate.encode())) - len(gzip.compress(reading))
    assert added < 10_000
