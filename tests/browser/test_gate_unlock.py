"""What a reader meets at the gate: each way in opens, each wrong one is refused in words, and the order is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import OpenPage
from tests.support.gates import (
    PASSWORD,
    Gated,
    Host,
    by_terms_alone,
    change_envelope,
    enter,
    expect_open,
    expect_said,
    link_of,
    serve,
    write_gated,
)
from tests.support.transcripts import make_exchange, make_transcript

pytestmark = pytest.mark.browser

LINK = bytes(range(100, 132))
CODE = "ABCDEFGHJK00MNPQ"
ONE_TIME = "0123456789ABCDEF"
ABROAD = "j\u00f6rg@m\u00fcnchen.example.org"
TERMS = "<h2>Terms</h2><p>Keep it to <b>yourself</b>.</p>"
SHARES = [
    Gated(links=(LINK,), hint="The one for the workshop"),
    Gated("letter", passwords=("Caf\u00e9 8 horses ",)),
    Gated(
        "mail",
        ask="email",
        passwords=(),
        mails=(("bo@example.org", CODE), ("cy@example.org", ONE_TIME), (ABROAD, CODE)),
    ),
    Gated("code", ask="otp", passwords=(), codes=(CODE, ONE_TIME)),
    Gated("agreed", terms=TERMS, links=(LINK,)),
    by_terms_alone(slug="terms"),
    Gated("altered"),
]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("site")
    transcript = make_transcript([make_exchange("0000", prompt="Where is the needle?", answer="In the haystack.")])
    for share in SHARES:
        write_gated(folder, share, transcript)
    change_envelope(folder, "altered", lambda envelope: envelope["slots"].reverse() or envelope["slots"].pop())
    with serve(folder) as running:
        yield running


def test_shell_says_nothing_of_the_conversation(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url())
    expect(page).to_have_title("Protected page")
    expect(page.get_by_role("heading", name="Protected page")).to_be_visible()
    expect(page.get_by_text("The one for the workshop")).to_be_visible()
    expect(page.locator("#secret")).to_be_focused()
    for file in (host.folder / "s/talk").iterdir():
        assert not [word for word in (b"needle", b"haystack", b"empty list") if word in file.read_bytes()], file.name


@pytest.mark.parametrize(
    ("slug", "values"),
    [
        pytest.param("talk", [PASSWORD], id="password"),
        pytest.param("letter", ["Cafe\u0301 8 horses "], id="password typed in parts"),
        pytest.param("mail", [" Bo@Example.ORG ", "abcd-efgh jkoO-mnpq"], id="address and code"),
        pytest.param("mail", ["cy@example.org", ONE_TIME], id="another reader's"),
        pytest.param("mail", ["Jo\u0308rg@M\u00dcNCHEN.example.org", CODE], id="address in other letters"),
        pytest.param("code", ["ABCD EFGH JK00 MNPQ"], id="code"),
        pytest.param("code", [ONE_TIME.lower()], id="another code"),
    ],
)
def test_each_credential_opens(open_page: OpenPage, host: Host, slug: str, values: list[str]) -> None:
    page = open_page(host.url(slug))
    enter(page, *values)
    expect_open(page)
    assert page.locator(".asked").evaluate_all("fields => fields.map(each => each.value).join('')") == ""


@pytest.mark.parametrize(
    ("slug", "values"),
    [
        pytest.param("talk", ["something else"], id="password"),
        pytest.param("talk", [PASSWORD.upper()], id="password in capitals"),
        pytest.param("talk", ["x" * 1_000_000], id="a megabyte"),
        pytest.param("letter", ["\uff23af\u00e9 8 horses "], id="look-alike letters"),
        pytest.param("mail", ["bo@example.org", ONE_TIME], id="another reader's code"),
        pytest.param("mail", ["dee@example.org", CODE], id="another address"),
        pytest.param("code", ["ABCD-EFGH-JK00-MNPR"], id="code"),
        pytest.param("altered", [PASSWORD], id="a slot taken away"),
    ],
)
def test_wrong_one_is_refused_in_words(open_page: OpenPage, host: Host, slug: str, values: list[str]) -> None:
    """The field keeps what was typed, and the focus."""
    page = open_page(host.url(slug))
    enter(page, *values)
    expect_said(page, "doesn’t open the page")
    expect(page.locator("#secret")).to_be_focused()
    assert page.locator("#secret").input_value() == values[-1]
    assert page.locator("#said").get_attribute("role") == "alert"


@pytest.mark.parametrize("values", [[""], ["   "]])
def test_nothing_typed_is_asked_for(open_page: OpenPage, host: Host, values: list[str]) -> None:
    page = open_page(host.url("code"))
    enter(page, *values)
    expect_said(page, "Fill in what is asked")


def test_space_at_the_end_is_offered_to_go(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url())
    enter(page, PASSWORD + " ")
    page.get_by_role("button", name="Try without the spaces").click()
    expect_open(page)


def test_space_that_belongs_to_the_password_stays(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url("letter"))
    enter(page, "Caf\u00e9 8 horses")
    expect_said(page, "doesn’t open the page")
    enter(page, "Caf\u00e9 8 horses ")
    expect_open(page)


def test_password_can_be_looked_at(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url())
    page.locator("#secret").fill(PASSWORD)
    button = page.locator("#reveal")
    for kind, said, pressed in (("text", "Hide", "true"), ("password", "Show", "false")):
        button.click()
        expect(page.locator("#secret")).to_have_attribute("type", kind)
        expect(button).to_have_text(said)
        expect(button).to_have_attribute("aria-pressed", pressed)


def test_password_managers_know_what_is_asked(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url())
    expect(page.locator("[autocomplete=current-password]")).to_have_attribute("type", "password")
    assert page.locator("[autocomplete=username]").input_value() == "talk"
    expect(page.locator("[autocomplete=username]")).to_be_hidden()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda link: link, id="as it is"),
        pytest.param(lambda link: link + ".", id="full stop"),
        pytest.param(lambda link: link + ")!", id="brackets"),
        pytest.param(lambda link: link.replace("=", "%3D"), id="escaped sign"),
    ],
)
def test_link_opens_and_leaves_the_address(open_page: OpenPage, host: Host, change: Callable[[str], str]) -> None:
    page = open_page(host.url() + change(link_of(LINK)))
    expect_open(page)
    assert page.url == host.url()
    assert not [asked for asked in host.asked if "k=" in asked]


def _altered(link: str) -> str:
    return link[:-1] + ("A" if link[-1] != "A" else "B")


@pytest.mark.parametrize(
    "fragment",
    [
        pytest.param(_altered(link_of(LINK)), id="spare bits"),
        pytest.param(link_of(bytes(32)), id="another page's"),
        pytest.param("#k=1.AAAA", id="cut short"),
        pytest.param("#k=2." + link_of(LINK)[5:], id="another version"),
        pytest.param("#k=", id="empty"),
    ],
)
def test_altered_link_is_refused_in_words(open_page: OpenPage, host: Host, fragment: str) -> None:
    page = open_page(host.url() + fragment)
    expect_said(page, "doesn’t open the page")
    assert page.url == host.url()
    enter(page, PASSWORD)
    expect_open(page)


def test_link_given_while_the_page_stands_opens_it(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url())
    expect(page.locator("#ask")).to_be_visible()
    page.evaluate("hash => { location.hash = hash }", link_of(LINK))
    expect_open(page)
    assert page.url == host.url()


@pytest.mark.parametrize("escaped", ["%23k=", "%23k%3D", "%2523k="])
def test_link_with_an_escaped_sign_opens_with_a_warning(chromium: Browser, host: Host, escaped: str) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(host.url() + escaped + link_of(LINK).removeprefix("#k="))
    expect_open(page)
    expect(page.locator("#note")).to_contain_text("may stand in its log")
    assert page.url == host.url()
    context.close()


def test_escaped_link_never_leads_to_another_host(chromium: Browser, host: Host) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(host.base + "/example.org/%23k=1.abc")
    page.wait_for_url(lambda url: "#k=" in url)
    assert page.url.startswith(host.base)
    context.close()


def test_agreement_comes_before_the_credential(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url("agreed"))
    expect(page.locator(".terms")).to_contain_text("Keep it to yourself.")
    expect(page.locator("#ask")).to_be_hidden()
    page.get_by_role("button", name="I accept these terms").click()
    expect(page.locator("#secret")).to_be_focused()
    enter(page, PASSWORD)
    expect_open(page)


def test_link_waits_for_the_agreement(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url("agreed") + link_of(LINK))
    expect(page.locator(".terms")).to_be_visible()
    assert page.url == host.url("agreed")
    page.locator("#accept").click()
    expect_open(page)


def test_agreement_alone_opens_and_is_remembered_for_these_terms(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url("terms"))
    expect(page.get_by_text("haystack")).to_have_count(0)
    page.locator("#accept").click()
    expect_open(page)
    page.reload()
    expect_open(page)
    page.goto(host.url("agreed"))
    expect(page.locator(".terms")).to_be_visible()


def test_receipt_names_the_terms_and_the_time(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url("terms"))
    page.locator("#accept").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Receipt").click()
    text = Path(download.value.path()).read_text()
    assert download.value.suggested_filename == "receipt-terms.txt"
    for part in ("Notes", host.url("terms"), "SHA-256 ", "Keep it to yourself.", "<b>yourself</b>"):
        assert part in text, part


def test_altered_terms_open_nothing(chromium: Browser, host: Host) -> None:
    write_gated(host.folder, by_terms_alone(slug="changed"))
    change_envelope(host.folder, "changed", lambda envelope: envelope.update(terms="<p>Do as you like.</p>"))
    page = chromium.new_context().new_page()
    page.goto(host.url("changed"))
    expect(page.locator("#said")).to_contain_text("was altered")
    expect(page.locator("#agreement")).to_be_hidden()
    page.context.close()
