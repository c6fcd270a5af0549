"""In which order things go out, and what goes though nothing else may."""

from __future__ import annotations

from sitegen.publish.changes import Changes, gone, pages_first, stage, urgent

PATHS = (
    "sitemap.xml",
    "index.html",
    "p/sea/index.html",
    "p/sea/feed.xml",
    "s/tides/index.html",
    "s/tides/i/0a.png",
    "assets/site.0a1b2c3d.css",
)


def test_what_pages_need_goes_out_before_them_and_indexes_after() -> None:
    assert Changes(added=PATHS[::2], changed=PATHS[1::2]).put == (
        "assets/site.0a1b2c3d.css",
        "s/tides/i/0a.png",
        "s/tides/index.html",
        "index.html",
        "p/sea/index.html",
        "p/sea/feed.xml",
        "sitemap.xml",
    )


def test_pages_are_removed_before_what_they_need() -> None:
    assert pages_first(["s/a/i/x.png", "s/a/index.html", "s/a/2/index.html"])[-1] == "s/a/i/x.png"
    assert stage("s/a/conversation.md") == 0


def test_share_that_is_no_more_goes_and_a_picture_of_one_that_is_stays() -> None:
    changes = Changes(removed=("s/gone/index.html", "s/gone/i/1.png", "s/kept/i/2.png"), kept=("s/kept/index.html",))
    assert set(gone(changes)) == {"s/gone/index.html", "s/gone/i/1.png"}


def test_revoked_share_goes_though_the_last_build_had_it() -> None:
    changes = Changes(kept=("s/gone/index.html", "s/kept/index.html"), changed=("s/gone/i/1.png",))
    assert set(gone(changes, ["gone"])) == {"s/gone/index.html", "s/gone/i/1.png"}


def test_when_something_failed_only_what_no_page_there_needs_is_removed() -> None:
    removed = (
        *("s/gone/index.html", "s/old/i/1.png", "s/new/i/2.png"),
        *("assets/site.ffffffff.css", "p/gone/index.html"),
    )
    changes = Changes(changed=("s/old/index.html", "s/new/index.html", "index.html"), removed=removed)
    assert set(urgent(changes, done={"s/new/index.html"})) == {
        "s/gone/index.html",
        "s/new/i/2.png",
        "p/gone/index.html",
    }


CLOSED = Changes(
    added=("s/closed/b.0a.bin",),
    changed=("s/closed/index.html", "index.html"),
    removed=("s/closed/conversation.md", "s/closed/conversation.json", "s/closed/i/1.png"),
)
"""A share that was open, and is protected now."""


def test_share_that_is_protected_now_isnt_left_open_when_nothing_else_may_go_out() -> None:
    assert set(gone(CLOSED)) == {"s/closed/index.html", *CLOSED.removed}


def test_share_that_is_protected_now_isnt_left_open_when_its_page_couldnt_be_put() -> None:
    assert set(urgent(CLOSED, done=())) == {"s/closed/index.html", *CLOSED.removed}
    assert set(urgent(CLOSED, done={"s/closed/b.0a.bin", "s/closed/index.html"})) == set(CLOSED.removed)


SEARCH = "search/index/fragment/en_0a.pf_fragment"


def test_what_the_search_says_of_a_share_that_is_no_more_goes_with_it() -> None:
    changes = Changes(added=("index.html",), removed=("s/gone/index.html", SEARCH), kept=("search/index/pagefind.js",))
    assert set(gone(changes)) == {"s/gone/index.html", SEARCH}
    assert set(urgent(changes, done=())) == {"s/gone/index.html", SEARCH}


def test_search_goes_whole_when_the_last_build_had_a_revoked_share() -> None:
    changes = Changes(kept=("s/gone/index.html", "s/kept/index.html", SEARCH))
    assert set(gone(changes, ["gone"])) == {"s/gone/index.html", SEARCH}


def test_search_stays_usable_when_no_share_went() -> None:
    changes = Changes(changed=("s/tides/index.html",), removed=(SEARCH, "s/tides/i/1.png"))
    assert gone(changes) == ()
    assert urgent(changes, done=()) == ()


def test_parts_of_the_sitemap_go_out_after_what_they_list() -> None:
    assert [stage(path) for path in ("sitemap-2.xml", "sitemap.xml", "s/a/f/0f/sitemap.xml")] == [3, 3, 0]
