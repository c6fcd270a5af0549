"""Collisions and unsafe paths are refused before the first byte."""

from __future__ import annotations

import pytest

from sitegen.errors import OutputError
from sitegen.output.plan import Claim, Plan, check_documents, check_path


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s/a", "s/a"),
        ("s/Readme", "s/README"),
        ("s/straße", "s/STRASSE"),
        ("s/caf\u00e9", "s/cafe\u0301"),
        ("s/\u212b", "s/\u00e5"),
        ("s/a", "s/a/b"),
        ("s/A/b", "s/a"),
    ],
    ids=["equal", "case", "sharp s", "composition", "compatibility letter", "within", "within by case"],
)
def test_two_owners_of_one_place_are_refused(one: str, other: str) -> None:
    with pytest.raises(OutputError, match=r"share one.*share two|share two.*share one"):
        Plan.of([Claim("share one", folders=(one,)), Claim("share two", folders=(other,))])


def test_a_file_where_another_needs_a_folder_is_refused() -> None:
    with pytest.raises(OutputError, match=r"site.*share"):
        Plan.of([Claim("site", files=("s",)), Claim("share a", folders=("s/a",))])


def test_places_that_merely_look_alike_are_fine() -> None:
    plan = Plan.of([Claim("share a", folders=("s/a",)), Claim("share ab", folders=("s/ab",))])
    assert plan.owner_of("s/ab/index.html") == "share ab"
    assert plan.owner_of("s/a") is None
    assert plan.owner_of("s/index.html") is None


def test_one_owner_is_planned_once() -> None:
    with pytest.raises(OutputError, match="planned twice"):
        Plan.of([Claim("site", files=("a",)), Claim("site", files=("b",))])


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["s/a/x", "s/a/X"], "one place"),
        (["s/a/x", "s/a/x/y"], "one within the other"),
        (["s/a/x", "s/a/x"], "both be written"),
        (["s/b/x"], "didn't plan"),
        (["s/a/../b"], "leads elsewhere"),
    ],
    ids=["case", "file and folder", "twice", "unclaimed", "climbs"],
)
def test_documents_of_one_owner_may_not_clash_or_leave_its_claim(paths: list[str], said: str) -> None:
    with pytest.raises(OutputError, match=said):
        check_documents(paths, claim=Claim("share a", folders=("s/a",)))


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "a\\b", "a\0b", "a\nb", "a\x7fb", "\ud800", "x" * 256,
     "é" * 128, ".sitegen-files", "s/.Sitegen-Files", ".sitegen-tmp-1-0"],
    ids=ascii,
)  # fmt: skip
def test_an_unsafe_path_is_refused_and_shown(path: str) -> None:
    with pytest.raises(OutputError, match="can't be used"):
        check_path(path)


@pytest.mark.parametrize("path", [".nojekyll", "s/a/f/0123/Grüße 你好.txt", "a..b/...", "x" * 255])
def test_ordinary_paths_pass(path: str) -> None:
    check_path(path)
