"""Shared files: one of each kind, named by its bytes, small, and open to a user's own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.assets import load_assets
from sitegen.resources import resource_folder
from tests.support.sites import text_of

STATIC = resource_folder("static")


def test_the_name_changes_with_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "custom.css").write_text("main { color: red }")
    ours, theirs = load_assets([STATIC]), load_assets([STATIC, tmp_path])
    assert ours.css != theirs.css
    assert ours.js == theirs.js
    assert load_assets([STATIC]) == ours


def test_a_users_custom_sheet_has_the_last_word(tmp_path: Path) -> None:
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "custom.css").write_text("main { color: red }")
    sheet = text_of(load_assets([STATIC, tmp_path]).documents[0])
    assert sheet.endswith("main{color:red}\n")


def test_a_users_file_replaces_ours_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "index.css").write_text("/* mine */ .entry { margin: 0 }")
    sheet = text_of(load_assets([STATIC, tmp_path]).documents[0])
    assert ".rankings" not in sheet
    assert "mine" not in sheet


def test_a_string_in_a_sheet_keeps_its_spaces(tmp_path: Path) -> None:
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "custom.css").write_text(
        'a::after { content: " :  , "; }\nul > li :is(a, b) { margin: 0 -0.5px 10.5px; }'
    )
    sheet = text_of(load_assets([STATIC, tmp_path]).documents[0])
    assert sheet.endswith('a::after{content:" :  , "}ul>li :is(a,b){margin:0 -.5px 10.5px}\n')


@pytest.mark.parametrize("kind", ["css", "js"])
def test_each_kind_weighs_at_most_25_kb(kind: str) -> None:
    (document,) = (each for each in load_assets([STATIC]).documents if re.fullmatch(rf".*/site\..*\.{kind}", each.path))
    assert len(document.data) <= 25_000


def test_what_only_protected_pages_need_is_a_sheet_of_its_own() -> None:
    assets = load_assets([STATIC])
    sheets = {each.path: text_of(each) for each in assets.documents if each.path.endswith(".css")}
    assert "#gate" in sheets[assets.gate_css]
    assert "#gate" not in sheets[assets.css]


def test_nothing_points_to_another_origin() -> None:
    for document in load_assets([STATIC]).documents:
        text = text_of(document).replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"https?://|url\(\s*['\"]?//|@import", text)


def test_leaving_out_comments_leaves_the_code(tmp_path: Path) -> None:
    (tmp_path / "js").mkdir()
    source = """
/** A comment.
 * @param {string} a */
function kept(a) { // said
  /** @type {any} */ (a).b = "https://x";
  return a /* here */ + 1;
}
/** @type {string} */
const other = /** @type {any} */ (kept)("//");
"""
    (tmp_path / "js" / "custom.js").write_text(source)
    script = text_of(load_assets([STATIC, tmp_path]).documents[1])
    kept = """function kept(a) { // said
(a).b = "https://x";
return a /* here */ + 1;
}
const other = (kept)("//");
})();
"""
    assert script.endswith(kept)


def test_leaving_out_space_leaves_texts_and_patterns(tmp_path: Path) -> None:
    (tmp_path / "js").mkdir()
    source = r"""
const a = b + +c - -d, e = "x = 'y'", f = 'x = "y"', g = `x = ${h.map((i) => `> ${i}`)} = y`;
if (e.replace(/[/ ,] = "/g, "") !== f || / , /.test(g)) j = k / l / m; // it's = so
const n = o ? { p : 1 } : [ 2 ];
"""
    (tmp_path / "js" / "one.js").write_text(source)
    (tmp_path / "icon.svg").write_text("<svg/>")
    script = text_of(load_assets([tmp_path]).documents[1])
    kept = r"""const a=b + +c - -d,e="x = 'y'",f='x = "y"',g=`x = ${h.map((i) => `> ${i}`)} = y`;
if(e.replace(/[/ ,] = "/g,"")!==f||/ , /.test(g))j=k / l / m;// it's = so
const n=o?{p:1}:[ 2 ];
"""
    assert kept in script


def test_the_joined_script_is_a_script(tmp_path: Path) -> None:
    """Leaving out comments must not leave out code."""
    (document,) = (each for each in load_assets([STATIC]).documents if each.path.endswith(".js"))
    assert "@param" not in text_of(document)
    script = tmp_path / "site.js"
    script.write_bytes(bytes(document.data))
    runner = Path(__file__).parents[2] / "scripts" / "node.py"
    subprocess.run([sys.executable, runner, "node", "--check", script], check=True)
