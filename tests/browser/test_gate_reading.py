"""Once it's open, a protected page reads as an open one: parts, search, images, downloads, outputs; from disk too."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sitegen.gate.envelope import seal
from sitegen.model import ROOT, BranchPage, ShareFile, Transcript
from sitegen.pages import make_card
from tests.support.browser import OpenPage
from tests.support.gates import (
    PASSWORD,
    SECRET,
    Gated,
    Host,
    HostFolder,
    by_terms_alone,
    documents_of,
    id_of,
    link_of,
    serve,
    write_gated,
)
from tests.support.sites import make_pages, write
from tests.support.transcripts import PROJECT, image, make_exchange, make_exchanges, make_share, make_transcript

pytestmark = pytest.mark.browser

LINK = bytes(range(100, 132))
OPEN = link_of(LINK)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="2" height="3"><script>alert(1)</script></svg>'
FILES = (
    ShareFile("o/ab.html", b'<pre class="term">what a tool said</pre>', "text/html"),
    ShareFile("f/12/notes.txt", "Notes é".encode(), "text/plain; charset=utf-8"),
    ShareFile("i/fedcba9876543210.svg", SVG, "image/svg+xml"),
)
RICH = (
    '<details id="heavy"><summary>Output</summary><div class="detail"><pre>what</pre>'
    f'<p class="heavy"><a href="{ROOT}o/ab.html">16 kB</a></p></div></details>'
    f'<p><img src="{ROOT}i/fedcba9876543210.svg" width="2" height="3" alt="A drawing"></p>'
    f'<p class="attachment"><a href="{ROOT}f/12/notes.txt" download="notes.txt"><bdi>notes.txt</bdi></a></p>'
)


def _transcript() -> Transcript:
    """Three parts, a branch of two, and every kind of file."""
    picture, file = image()
    fork = f'<p><a href="{ROOT}b-1/#x-0001p">Another path</a></p>'
    first = make_exchange("0000", calls=2, prompt="Where is the needle?", more=picture + RICH + fork)
    late = make_exchange("0240", prompt="Is there a haystack?", answer="A rare word: zanzibar.", more=picture)
    branch = make_exchanges(130, answer="On the other path.")
    return make_transcript(
        [first, *make_exchanges(240, calls=1)[1:], late],
        files=(file, *FILES),
        branches=(BranchPage("b-1", branch[1:]),),
    )


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("web")
    write_gated(folder, Gated(links=(LINK,)), _transcript())
    with serve(folder) as running:
        yield running


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of the page in a folder on disk."""
    folder = tmp_path_factory.mktemp("disk")
    write_gated(folder, Gated(links=(LINK,)), _transcript(), offline=True)
    return (folder / "s/talk/index.html").as_uri()


@pytest.fixture(params=["http", "disk"])
def address(request: pytest.FixtureRequest, host: Host, disk: str) -> str:
    """Where the page stands, on a host and on a disk."""
    return host.url() if request.param == "http" else disk


def _noise(seed: int, length: int) -> str:
    """Text that doesn't compress well."""
    blocks = (hashlib.sha256(f"{seed} {n}".encode()).hexdigest() for n in range(length // 64 + 1))
    return " ".join(blocks)[:length]


def opened(open_page: OpenPage, address: str) -> Page:
    page = open_page(address + OPEN)
    expect(page.locator("#x-0000p")).to_be_visible()
    expect(page.locator(".controls")).to_be_visible()
    # The outline scrolls to where one is as it starts: what is pressed meanwhile would slip away.
    expect(page.locator(".rail [aria-current]")).to_have_count(1)
    return page


def natural_width(page: Page, selector: str) -> int:
    picture = page.locator(selector)
    expect(picture).to_have_attribute("src", re.compile("^blob:"))
    picture.evaluate("each => each.decode()")
    return int(picture.evaluate("each => each.naturalWidth"))


def test_page_is_as_an_open_one(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    expect(page).to_have_title("An empty list · Notes")
    expect(page.locator(".rail li")).to_have_count(241)
    expect(page.locator(".timeline")).to_be_visible()
    page.get_by_role("button", name="Everything").click()
    expect(page.get_by_text("Ran make 0").first).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".rail [aria-current]")).to_have_text("Question number 1")
    expect(page.locator(".theme")).to_be_visible()
    assert "k=" not in page.url


def test_search_finds_here_and_in_other_parts(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    page.locator("#find").fill("needle")
    expect(page.locator(".find output")).to_have_text("0 of 1")
    page.locator("#find").fill("zanzibar")
    link = page.locator(".elsewhere a")
    expect(link).to_have_text("Part 3")
    link.click()
    expect(page.get_by_text("A rare word: zanzibar.")).to_be_in_viewport()
    expect(page.locator("#gate")).to_be_hidden()


def test_next_part_flows_in(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    expect(page.locator("#x-0100p")).to_have_count(0)
    for part, anchor in ((2, "#x-0100p"), (3, "#x-0240p")):
        expect(page.locator(".parts a")).to_have_text(f"Continue with part {part}")
        page.locator("#main").evaluate("each => scrollTo(0, each.scrollHeight)")
        expect(page.locator(anchor)).to_have_count(1)
    page.locator(".rail a[href$='#x-0240p']").click()
    expect(page.get_by_text("zanzibar")).to_be_in_viewport()
    assert natural_width(page, "#m-0240a img") == 1


def test_a_message_shows_its_source_and_a_picture_opens_large(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    message = page.locator("#m-0000a")
    message.hover()
    message.get_by_role("button", name="Source").click()
    expect(message.locator(".source")).to_have_text("Because *nothing* was added.")
    message.get_by_role("button", name="As read").click()
    picture = message.locator("a > img").first
    expect(picture).to_have_attribute("src", re.compile("^blob:"))
    message.locator("a:has(> img)").first.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("img", name="A white dot")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_further_part_has_the_timeline_of_the_whole(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    places = page.locator(".timeline > a").count()
    page.locator(".rail a[href$='#x-0240p']").click()
    expect(page.get_by_text("zanzibar")).to_be_in_viewport()
    expect(page.locator(".timeline > a")).to_have_count(places)
    expect(page.locator(".timeline > a.here")).to_have_count(1)


def test_permalink_to_another_part_turns_to_it(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    page.locator(".rail a[href='#x-0240p']").click()
    expect(page.get_by_text("zanzibar")).to_be_in_viewport()
    expect(page.locator("#x-0000p")).to_have_count(0)
    assert page.url.endswith("#x-0240p")
    expect(page.locator(".rail li")).to_have_count(241)
    expect(page.get_by_role("button", name="Lock")).to_have_count(1)
    page.go_back()
    expect(page.locator("#x-0000p")).to_be_visible()


def test_permalink_in_the_address_survives_the_gate(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url() + "#m-0240a")
    page.locator("#secret").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("zanzibar")).to_be_in_viewport()


def test_branch_opens_at_its_place_and_leads_back(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    page.get_by_role("link", name="Another path").click()
    expect(page.locator("#x-0001p").get_by_text("On the other path.")).to_be_in_viewport()
    expect(page.locator("#main .masthead .label")).to_contain_text("Another path")
    page.locator("#main .masthead h1 a").click()
    expect(page.locator("#x-0000p")).to_be_visible()


def test_address_of_a_further_page_opens_it(open_page: OpenPage, host: Host) -> None:
    page = opened(open_page, host.url())
    href = page.locator(".parts a").get_attribute("href")
    page = open_page(host.url() + str(href))
    page.locator("#secret").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#x-0100p")).to_be_visible()
    page = open_page(host.url() + "#att-00000000000000000000000000000000")
    page.locator("#secret").fill(PASSWORD)


def test_images_are_decrypted_as_they_come_into_sight(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    assert natural_width(page, "#x-0000p a > img") == 1
    assert natural_width(page, "img[alt='A drawing']") == 2


def test_picture_opens_large_and_goes_with_the_lock(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    assert natural_width(page, "#x-0000p a > img") == 1
    page.locator("#x-0000p a:has(> img)").click()
    expect(page.locator("dialog img")).to_be_visible()
    page.evaluate("() => { location.hash = 'lock' }")
    expect(page.locator("#ask")).to_be_visible()
    expect(page.locator("img")).to_have_count(0)


def test_picture_opens_by_itself_in_a_new_tab(open_page: OpenPage, host: Host) -> None:
    page = opened(open_page, host.url())
    assert natural_width(page, "#x-0000p a > img") == 1
    with page.context.expect_page() as tab:
        page.locator("#x-0000p a:has(> img)").click(modifiers=["Control"])
    assert tab.value.url.startswith("blob:")
    expect(page.locator("#x-0000p")).to_be_visible()


def test_download_has_its_name_and_bytes(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    with page.expect_download() as download:
        page.get_by_role("link", name="notes.txt").click()
    assert download.value.suggested_filename == "notes.txt"
    assert Path(download.value.path()).read_text() == "Notes é"


def test_source_of_a_message_is_at_hand(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    page.locator("#m-0000a").hover()
    page.locator("#m-0000a").get_by_role("button", name="Source").click()
    expect(page.get_by_text("Because *nothing* was added.")).to_be_visible()


def test_heavy_output_comes_in_when_its_fold_opens(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address)
    page.locator("#heavy summary").click()
    expect(page.get_by_text("what a tool said")).to_be_visible()
    expect(page.locator("#heavy .heavy")).to_have_count(0)


def test_print_shows_the_conversation_only(open_page: OpenPage, host: Host) -> None:
    page = opened(open_page, host.url())
    page.emulate_media(media="print")
    for chrome in (".bar", ".rail", ".controls", "#gate", "#note"):
        expect(page.locator(chrome).first).to_be_hidden()
    expect(page.locator("#x-0000p")).to_be_visible()


def test_pictures_out_of_sight_are_decrypted_for_print(
    open_page: OpenPage, host_folder: HostFolder, tmp_path: Path
) -> None:
    picture, file = image()
    write_gated(
        tmp_path,
        by_terms_alone(),
        make_transcript([*make_exchanges(60), make_exchange("99", more=picture)], files=(file,)),
    )
    host = host_folder(tmp_path)
    page = open_page(host.url())
    page.locator("#accept").click()
    expect(page.locator(".controls")).to_be_visible()
    page.evaluate(
        """() => {
          globalThis.print = () => (document.body.dataset.printed = document.querySelectorAll("img[src]").length);
        }"""
    )
    page.keyboard.press("Control+p")
    expect(page.locator("body")).to_have_attribute("data-printed", "1")


def test_attachment_that_is_gone_is_told(chromium: Browser, host: Host) -> None:
    page = chromium.new_context().new_page()
    page.route("**/a.*.bin*", lambda route: route.fulfill(body="<!doctype html>404"))
    page.goto(host.url() + OPEN)
    page.get_by_role("link", name="notes.txt").click()
    expect(page.locator("#note")).to_contain_text("couldn’t be opened")
    expect(page.locator("#x-0000p")).to_be_visible()
    page.context.close()


def test_remembering_is_not_offered_on_disk(open_page: OpenPage, disk: str) -> None:
    page = open_page(disk)
    expect(page.locator("#ask")).to_be_visible()
    expect(page.locator("#keep")).to_have_count(0)
    page.locator("#secret").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#x-0000p")).to_be_visible()
    expect(page.get_by_role("button", name="Remember")).to_have_count(0)


def test_first_messages_show_before_the_rest_is_there(
    open_page: OpenPage, host_folder: HostFolder, tmp_path: Path
) -> None:
    """The second half of the body is held back by the host for a while."""
    talk = make_transcript([make_exchange(f"{n:04d}", answer=_noise(n, 4000)) for n in range(90)])
    write_gated(tmp_path, Gated(links=(LINK,)), talk)
    host = host_folder(tmp_path)
    host.halves.add("s/talk/b.00000000.bin")
    page = open_page(host.url() + OPEN)
    expect(page.locator("#x-0000p")).to_be_visible()
    assert page.locator(".exchange").count() < 90
    host.released.set()
    expect(page.locator(".exchange")).to_have_count(90)


def test_copy_that_ends_too_early_is_taken_away_again(
    open_page: OpenPage, host_folder: HostFolder, tmp_path: Path
) -> None:
    html = "".join(f'<section class="exchange">{_noise(n, 1000)}</section><!--cut-->' for n in range(400))
    write_gated(tmp_path, Gated(links=(LINK,)), html=html)
    body = tmp_path / "s/talk/b.00000000.bin"
    body.write_bytes(body.read_bytes()[:65_552])
    host = host_folder(tmp_path)
    page = open_page(host.url() + OPEN)
    expect(page.locator("#said")).to_contain_text("incomplete or was altered")
    expect(page.locator(".exchange")).to_have_count(0)


def test_body_without_a_frame_is_shown_too(open_page: OpenPage, host_folder: HostFolder, tmp_path: Path) -> None:
    """What another program sealed may hold nothing but messages."""
    write_gated(tmp_path, by_terms_alone(), html="<article><p>Hello</p></article>\n" * 50)
    host = host_folder(tmp_path)
    page = open_page(host.url())
    page.locator("#accept").click()
    expect(page.get_by_text("Hello")).to_have_count(50)
    page.get_by_role("button", name="Lock").click()
    expect(page.get_by_text("Hello")).to_have_count(0)


def test_scripts_in_the_content_never_run(chromium: Browser, tmp_path: Path) -> None:
    run = "<script>document.title = 'ran'</script><img src=\"x\" onerror=\"document.title = 'ran'\">"
    write_gated(tmp_path, by_terms_alone(terms=f"<p>Terms</p>{run}"), html=f"<article>Shown{run}</article>")
    with serve(tmp_path) as host:
        page = chromium.new_context().new_page()
        page.goto(host.url())
        page.locator("#accept").click()
        expect(page.get_by_text("Shown")).to_be_visible()
        expect(page).not_to_have_title("ran")
        page.context.close()


@pytest.mark.parametrize("offline", [False, True], ids=["http", "disk"])
def test_protected_index_lists_turns_and_filters(
    open_page: OpenPage, host_folder: HostFolder, tmp_path: Path, offline: bool
) -> None:
    pages = make_pages(base_url=None, offline=offline)
    cards = [make_card(make_share(f"s{n}"), make_transcript(title=f"Talk {n}")) for n in range(120)]
    content = pages.protected_project(PROJECT, cards, id_of=id_of("p:mailbox"))
    gated = Gated("mailbox")
    files = {name: data for name, (data, _) in content.attachments.items()}
    sealed = seal(gated.protection, content.html, site_secret=SECRET, attachments=files)
    documents = documents_of(gated, sealed, pages=pages, offline=offline, folder="p/mailbox/")
    write(tmp_path, [*documents, *pages.extras([], [])])
    running = host_folder(tmp_path)
    address = (tmp_path / "p/mailbox/index.html").as_uri() if offline else f"{running.base}p/mailbox/"
    page = open_page(address)
    expect(page.get_by_text("Talk")).to_have_count(0)
    page.locator("#secret").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".entry")).to_have_count(100)
    expect(page).to_have_title("mailbox · Notes")
    page.locator("#filter").fill("talk 11")
    expect(page.locator(".entry:visible")).to_have_count(11)
    page.locator("#filter").fill("")
    page.locator(".pager a").nth(1).click()
    expect(page.locator(".entry")).to_have_count(20)
    page.locator(".pager a").nth(0).click()
    expect(page.locator(".entry")).to_have_count(100)
    assert str(page.locator(".entry a").first.get_attribute("href")).startswith("../../s/s")


def test_cached_file_of_an_older_envelope_is_not_taken_for_the_new_one(open_page: OpenPage, host: Host) -> None:
    """A host lets browsers keep files for a while, and a changed file keeps its name."""
    page = open_page(host.url())
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(host.url(rest=OPEN))
    expect(page.locator("main img[src^='blob:']").first).to_be_attached()
    files = [url for url in asked if "/a." in url]
    assert files
    assert all(re.search(r"/a\.[0-9a-f]+\.bin\?[\w-]{22}$", url) for url in files)
