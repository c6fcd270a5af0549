"""The inside of a protected page: all of an open share, under opaque ids, in pieces that may be shown one by one."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from sitegen.model import ROOT, BranchPage, Card, Gate, Share, ShareFile, Transcript
from sitegen.pages import make_card
from sitegen.pages.protected import CUT, PACKED, ProtectedContent
from tests.support.sites import Elements, make_pages, references
from tests.support.strict_html import faults
from tests.support.transcripts import PROJECT, image, make_exchange, make_exchanges, make_share, make_transcript

DOWNLOAD = f'<p><a href="{ROOT}f/12/notes.txt" download="notes.txt"><bdi>notes.txt</bdi></a></p>'
HEAVY = f'<p class="heavy"><a href="{ROOT}o/ab.html">16 kB</a></p>'
GATED = make_share(gate=Gate.PASSWORD)


def _id(name: str) -> str:
    """As opaque as an id is, and readable in a failure."""
    return "att" + re.sub(r"\W", "_", name)


def _protected(transcript: Transcript, share: Share = GATED, *, offline: bool = False) -> ProtectedContent:
    return make_pages(offline=offline).protected_share(share, transcript, id_of=_id)


def _long() -> Transcript:
    """Three parts, a branch of two parts, one of each kind of file."""
    picture, file = image()
    other = f'<p><a href="{ROOT}b-1/#x-0001p">Another path</a> <a href="{ROOT}#x-0240p">Later</a></p>'
    first = make_exchange("0000", more=picture + DOWNLOAD + HEAVY + other)
    back = f'<p><a href="{ROOT}#x-0000p">Back</a></p>'
    return make_transcript(
        [first, *make_exchanges(240)[1:], make_exchange("0240", more=picture)],
        files=(
            file,
            ShareFile("f/12/notes.txt", b"Notes", "text/plain"),
            ShareFile("o/ab.html", picture.encode(), "text/html"),
        ),
        branches=(BranchPage("b-1", (make_exchange("0001", more=back), *make_exchanges(130)[2:])),),
    )


def _text(content: ProtectedContent, name: str) -> str:
    data, kind = content.attachments[_id(name)]
    assert kind == PACKED
    return gzip.decompress(data).decode()


def _data(content: ProtectedContent, name: str) -> object:
    return json.loads(_text(content, name))


@pytest.mark.parametrize("offline", [False, True], ids=["hosted", "on disk"])
def test_everything_of_the_share_is_there_and_nothing_else(offline: bool) -> None:
    content = _protected(_long(), offline=offline)
    files = ["i/0123456789abcdef.png", "f/12/notes.txt", "o/ab.html"]
    pages = ["2/index.html", "3/index.html", "b-1/index.html", "b-1/2/index.html"]
    sources = ["source.json", "source-2.json", "source-3.json", "source-b-1.json", "source-b-1-2.json"]
    wanted = [*files, *pages, *sources, "map.json", "search.json"]
    assert sorted(content.attachments) == sorted(map(_id, wanted))


def test_first_piece_is_the_head_then_the_frame_then_groups() -> None:
    content = _protected(make_transcript(make_exchanges(40)))
    head, frame, *groups = content.html.split(CUT)
    (tag, attrs), *_ = list(Elements(head))
    assert (tag, attrs["id"], attrs["title"], attrs["class"]) == ("div", "page", "An empty list · Notes", "share")
    assert attrs["data-part"] == "1"
    assert 'id="outline"' in frame
    assert "<!--end-->" in frame
    assert len(groups) == 4
    assert all(each.startswith('<div class="group">') and each.strip().endswith("</div>") for each in groups)


def test_each_piece_is_whole() -> None:
    """Shown as it comes, a piece must not leave an element open."""
    for piece in _protected(_long()).html.split(CUT)[2:]:
        assert faults(piece) == []


@pytest.mark.parametrize("offline", [False, True], ids=["hosted", "on disk"])
def test_nothing_refers_to_a_file_of_the_share(offline: bool) -> None:
    """There is none: what remains leads out of the share's folder, or to a place in the page."""
    content = _protected(_long(), offline=offline)
    texts = [
        content.html,
        *(gzip.decompress(data).decode() for data, kind in content.attachments.values() if kind == PACKED),
    ]
    for text in texts:
        assert ROOT not in text
        left = [each for each in references(text.replace('\\"', '"')) if not each.startswith(("#", "../../"))]
        assert left == []


def test_images_downloads_and_outputs_name_their_attachments() -> None:
    html = _protected(_long()).html
    picture, notes, output = _id("i/0123456789abcdef.png"), _id("f/12/notes.txt"), _id("o/ab.html")
    assert f'<img data-att="{picture}" data-type="image/png" width="1" height="1"' in html
    assert f'<a href="#att-{picture}" data-att="{picture}" data-type="image/png">' in html
    assert f'<a href="#att-{notes}" data-att="{notes}" data-type="text/plain" data-name="notes.txt">' in html
    assert f'<a href="#att-{output}">16 kB</a>' in html


def test_output_is_a_page_that_leads_back() -> None:
    text = _text(_protected(_long()), "o/ab.html")
    assert '<div class="late">' in text
    assert f'data-att="{_id("i/0123456789abcdef.png")}"' in text
    assert 'href="#att-body"' in text


def test_anchor_of_the_same_path_is_found_by_itself_of_another_by_its_page() -> None:
    content = _protected(_long())
    assert '<a href="#x-0240p">Later</a>' in content.html
    assert f'<a href="#att-{_id("b-1/index.html")}/x-0001p">Another path</a>' in content.html
    assert '<a href="#att-body/x-0000p">Back</a>' in _text(content, "b-1/index.html")


def test_parts_lead_to_each_other() -> None:
    content = _protected(_long())
    assert f'<a rel="next" href="#att-{_id("2/index.html")}">' in content.html
    second = _text(content, "2/index.html")
    assert f'<a rel="next" href="#att-{_id("3/index.html")}">' in second
    assert '<a rel="prev" href="#att-body">' in second
    assert 'data-root="./"' in second.split(CUT)[0]


def test_map_names_the_attachment_of_each_page() -> None:
    value = _data(_protected(_long()), "map.json")
    assert isinstance(value, dict)
    pages = value["pages"]
    names = ["2/index.html", "3/index.html", "b-1/index.html", "b-1/2/index.html"]
    assert [page["att"] for page in pages] == ["body", *map(_id, names)]
    assert [page["href"] for page in pages] == ["", "", "", "./", "./"]
    assert "x-0240p" in pages[2]["anchors"].split()
    assert "<svg" in value["timeline"]


def test_search_tells_the_part_and_stays_in_the_page() -> None:
    entries = _data(_protected(_long()), "search.json")
    assert isinstance(entries, list)
    assert [entries[0][0], entries[100][0], entries[240][0]] == ["", "2/../", "3/../"]


def test_page_knows_where_its_data_is() -> None:
    (_, attrs), *_ = list(Elements(_protected(_long()).html.split(CUT)[0]))
    assert json.loads(attrs["data-files"])["map.json"] == _id("map.json")


@pytest.mark.parametrize("title", ['"><script>', "Tom & Jerry's <b>", "<!--cut-->"])
def test_title_stays_a_title(title: str) -> None:
    content = _protected(make_transcript(), make_share(gate=Gate.PASSWORD, title=title))
    head, frame, *groups = content.html.split(CUT)
    assert len(groups) == 1
    (_, attrs), *others = list(Elements(head))
    assert attrs["title"] == f"{title} · Notes"
    assert others == []
    assert "<script" not in frame


def test_conversation_without_messages_has_its_frame() -> None:
    head, frame = _protected(make_transcript([])).html.split(CUT)
    assert "This share shows no message" in frame
    assert 'id="page"' in head


def test_same_share_has_the_same_bytes() -> None:
    assert _protected(_long()) == _protected(_long())


def test_protected_index_lists_by_title_inside() -> None:
    cards: list[Card] = [make_card(make_share(f"s{n}"), make_transcript(title=f"Talk {n}")) for n in range(120)]
    content = make_pages().protected_project(PROJECT, cards, id_of=_id)
    assert "Talk 7" in content.html
    assert 'href="../../s/s7/"' in content.html
    assert f'href="#att-{_id("2/index.html")}"' in content.html
    assert sorted(content.attachments) == sorted([_id("2/index.html"), _id("entries.json")])
    (_, attrs), *_ = list(Elements(content.html.split(CUT)[0]))
    assert attrs["data-entries"] == f"#att-{_id('entries.json')}"
    rows = _data(content, "entries.json")
    assert isinstance(rows, list)
    assert rows[0][0].startswith("../../s/s")
