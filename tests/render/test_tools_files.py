"""Tools that read, write, change and look for files: a line like prose, a detail that holds what mattered."""

from __future__ import annotations

import json
import re

import pytest

from sitegen.model import Block, Json
from tests.support.calls import call, detail, line, step
from tests.support.sessions import png
from tests.support.strict_html import faults

PATH = "/home/ann/talks/src/parser.py"
NUMBERED = "    95→def f():\n    96→    return 1\n"


# ------------------------------------------------------------------------------------------------------------ reading


@pytest.mark.parametrize(
    ("given", "result", "shown"),
    [
        pytest.param({"file_path": PATH}, "     1→x\n", "Read parser.py", id="a whole file"),
        pytest.param(
            {"file_path": PATH, "offset": 95, "limit": 2}, NUMBERED, "Read parser.py, lines 95–96", id="a part"
        ),
        pytest.param(
            {"file_path": PATH, "offset": 7}, "no numbers", "Read parser.py, from line 7", id="from a line on"
        ),
        pytest.param({"file_path": PATH, "limit": 1}, "     1→x", "Read parser.py, line 1", id="one line"),
        pytest.param({"file_path": "C:\\x\\y.md"}, "x", "Read y.md", id="a Windows path"),
        pytest.param({"path": PATH}, "x", "Read parser.py", id="another key"),
        pytest.param({"file_path": "a.pdf", "pages": "1-5"}, "", "Read a.pdf, pages 1-5", id="pages"),
        pytest.param({}, "x", "Read a file", id="no path"),
        pytest.param({"file_path": 7}, "x", "Read a file", id="a path that is none"),
    ],
)
def test_reading_names_the_file_and_the_lines(given: dict[str, Json], result: str, shown: str) -> None:
    assert line(call("Read", given, result)) == shown


def test_read_lines_are_numbered_and_coloured_by_the_files_name() -> None:
    html = str(step(call("Read", {"file_path": PATH}, NUMBERED)).detail)
    assert "<li>95\n96</li>" in html
    assert "<b>def</b> <i class=f>f</i>():" in html
    assert "→" not in html
    assert PATH in html


def test_numbers_that_do_not_follow_each_other_are_content() -> None:
    assert "7→b" in detail(call("Read", {"file_path": "a.txt"}, "     1→a\n     7→b\n"))


def test_what_follows_the_lines_is_a_note() -> None:
    assert "Note" in detail(call("Read", {"file_path": "a.txt"}, "     1→a\nThe file was cut."))


def test_escape_bytes_of_a_file_are_seen_not_obeyed() -> None:
    html = str(step(call("Read", {"file_path": "a.log"}, "     1→\x1b[31mred\x1b[0m\n")).detail)
    assert "␛[31mred␛[0m" in html
    assert 'class="h1"' not in html


def test_an_empty_file_is_said_to_be_empty() -> None:
    assert detail(call("Read", {"file_path": "a"}, "")) == "The file is empty."


def test_an_image_that_was_read_is_shown() -> None:
    source: Json = {"type": "base64", "media_type": "image/png", "data": __import__("base64").b64encode(png()).decode()}
    html = str(
        step(
            call("Read", {"file_path": "a.png"}, None or "", images=(Block("image", payload={"source": source}),))
        ).detail
    )
    assert "<img src=" in html
    assert "empty" not in html


def test_cells_of_a_notebook_are_shown() -> None:
    file: Json = {"type": "notebook", "file": {"cells": [{"source": "x = 1", "language": "python"}, {"source": 3}]}}
    assert isinstance(file, dict)
    assert "x = 1" in detail(call("Read", {"file_path": "a.ipynb"}, "", detail=file))


def test_a_file_that_is_not_there_is_said_in_words() -> None:
    shown = step(call("Read", {"file_path": PATH}, "File does not exist.", is_error=True))
    assert shown.failed
    assert (
        line(call("Read", {"file_path": PATH}, "File does not exist.", is_error=True))
        == "Read parser.py · no such file"
    )
    assert "File does not exist." in shown.detail


def test_reading_gives_the_sentence_its_facts() -> None:
    shown = step(call("Read", {"file_path": PATH}, "x"))
    assert (shown.kind, shown.object, shown.key) == ("read", "parser.py", PATH)


# ------------------------------------------------------------------------------------------------------------ writing


def test_writing_counts_its_lines() -> None:
    paired = call("Write", {"file_path": PATH, "content": "a = 1\nb = 2\n"}, "File created")
    assert line(paired) == "Wrote parser.py · 2 lines"
    assert (step(paired).kind, step(paired).added) == ("write", 2)
    assert "b = 2" in detail(paired)
    assert "File created" not in detail(paired)


def test_writing_over_a_file_shows_the_diff_that_the_record_has() -> None:
    patch: Json = [{"oldStart": 1, "newStart": 1, "lines": [" a", "-b", "+c", "+d"]}]
    paired = call("Write", {"file_path": PATH, "content": "a\nc\nd\n"}, "ok", detail={"structuredPatch": patch})
    assert line(paired) == "Rewrote parser.py +2 −1"
    assert "<del>-b\n</del><ins>+c\n+d\n</ins>" in step(paired).detail


def test_writing_that_was_not_allowed_is_only_a_try() -> None:
    result = f"Claude requested permissions to write to {PATH}, but you haven't granted it yet."
    paired = call("Write", {"file_path": PATH, "content": "a"}, result, is_error=True)
    assert line(paired) == "Tried to write parser.py · permission not given"
    assert step(paired).added == 0


# ----------------------------------------------------------------------------------------------------------- changing


@pytest.mark.parametrize(
    ("name", "given"),
    [
        pytest.param("Edit", {"file_path": PATH, "old_string": "a\nb", "new_string": "a\nc\nd"}, id="Claude Code"),
        pytest.param("edit", {"filePath": PATH, "oldString": "a\nb", "newString": "a\nc\nd"}, id="OpenCode"),
        pytest.param("str_replace", {"path": PATH, "old_str": "a\nb", "new_str": "a\nc\nd"}, id="claude.ai"),
        pytest.param(
            "str_replace_editor",
            {"command": "str_replace", "path": PATH, "old_str": "a\nb", "new_str": "a\nc\nd"},
            id="an editor with commands",
        ),
        pytest.param(
            "MultiEdit",
            {
                "file_path": PATH,
                "edits": [{"old_string": "b", "new_string": "c"}, {"old_string": "", "new_string": "d"}],
            },
            id="several",
        ),
        pytest.param(
            "apply_patch",
            {"input": f"*** Begin Patch\n*** Update File: {PATH}\n@@\n a\n-b\n+c\n+d\n*** End Patch"},
            id="Codex",
        ),
        pytest.param(
            "apply_patch",
            {"patch": f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n"},
            id="a unified diff",
        ),
    ],
)
def test_an_edit_counts_and_shows_its_lines(name: str, given: dict[str, Json]) -> None:
    paired = call(name, given, "ok")
    shown = step(paired)
    assert line(paired) == "Edited parser.py +2 −1"
    assert (shown.kind, shown.object, shown.added, shown.removed) == ("edit", "parser.py", 2, 1)
    assert "-b" in shown.detail
    assert "+c" in shown.detail
    assert faults(shown.detail) == []


def test_an_edit_has_the_line_numbers_that_the_record_has() -> None:
    patch: Json = [{"oldStart": 40, "newStart": 40, "lines": [" a", "-b", "+c"]}]
    given: dict[str, Json] = {"file_path": PATH, "old_string": "b", "new_string": "c"}
    html = str(step(call("Edit", given, "ok", detail={"structuredPatch": patch})).detail)
    assert re.findall(r'class="ln"[^>]*>(.*?)</pre>', html, re.S) == ["40\n41\n", "40\n\n41"]
    assert html.count("<del>") == 1


def test_an_edit_that_failed_was_not_made() -> None:
    given: dict[str, Json] = {"file_path": PATH, "old_string": "b", "new_string": "c"}
    paired = call("Edit", given, "String to replace not found in file.", is_error=True)
    assert line(paired) == "Tried to edit parser.py · failed"
    assert "String to replace not found" in detail(paired)
    assert "This change was not made" in detail(paired)
    assert step(paired).added == 0


def test_replacing_everywhere_is_said() -> None:
    given: dict[str, Json] = {"file_path": PATH, "old_string": "b", "new_string": "c", "replace_all": True}
    assert "Everywhere in the file" in detail(call("Edit", given, "ok"))


def test_a_notebook_cell_is_compared_with_what_stood_there() -> None:
    notebook = json.dumps({"cells": [{"id": "c1", "source": ["x = 1\n", "y = 2"]}]})
    given: dict[str, Json] = {"notebook_path": "a.ipynb", "cell_id": "c1", "new_source": "x = 1\ny = 3"}
    paired = call("NotebookEdit", given, "ok", detail={"original_file": notebook})
    assert line(paired) == "Edited a.ipynb +1 −1"


PATCH = """*** Begin Patch
*** Add File: src/new.js
+const a = 1;
*** Update File: src/old.js
*** Move to: src/moved.js
@@
-b
+c
*** Delete File: gone.txt
*** End Patch
"""


def test_a_patch_of_several_files_has_a_diff_for_each() -> None:
    paired = call("apply_patch", {"input": PATCH}, json.dumps({"output": "Success.", "metadata": {"exit_code": 0}}))
    assert line(paired) == "Edited new.js and 2 others +2 −1"
    shown = detail(paired)
    assert "src/new.js new file" in shown
    assert "src/old.js → src/moved.js" in shown
    assert "gone.txt deleted" in shown


def test_a_patch_given_to_a_shell_is_one_too() -> None:
    command: Json = ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]
    assert line(call("shell", {"command": command}, "Success.")) == "Edited new.js and 2 others +2 −1"


@pytest.mark.parametrize(
    "result",
    [
        pytest.param("apply_patch verification failed: Failed to find expected lines", id="in words"),
        pytest.param(json.dumps({"output": "error: bad hunk", "metadata": {"exit_code": 1}}), id="by its exit code"),
    ],
)
def test_a_patch_that_failed_is_only_a_try(result: str) -> None:
    paired = call("apply_patch", {"input": PATCH}, result)
    assert line(paired) == "Tried to edit new.js · failed"
    assert step(paired).failed


def test_an_empty_patch_is_said() -> None:
    assert line(call("apply_patch", {"input": "*** Begin Patch\n*** End Patch\n"})) == "Applied an empty patch"


# --------------------------------------------------------------------------------------------------------- looking for


@pytest.mark.parametrize(
    ("name", "given", "result", "detail_", "shown"),
    [
        pytest.param(
            "Grep",
            {"pattern": "TODO", "path": "/x/src"},
            "Found 3 files\na\nb\nc",
            {},
            "Searched for TODO in src · 3 files",
            id="words in a folder",
        ),
        pytest.param(
            "Grep",
            {"pattern": "a|b", "glob": "*.py"},
            "No matches found",
            {},
            "Searched for a|b in *.py · nothing found",
            id="nothing",
        ),
        pytest.param(
            "Grep",
            {"pattern": "x"},
            "a:1:x",
            {"mode": "content", "numLines": 1200},
            "Searched for x · 1,200 lines",
            id="lines",
        ),
        pytest.param(
            "Glob",
            {"pattern": "**/*.ts"},
            "a.ts\nb.ts",
            {"numFiles": 2},
            "Looked for files like **/*.ts · 2 files",
            id="names",
        ),
        pytest.param(
            "glob", {"pattern": "*.ts"}, "a.ts", {}, "Looked for files like *.ts · 1 file", id="names without a record"
        ),
        pytest.param("LS", {"path": "/x/templates/"}, "- a\n- b", {}, "Looked through templates", id="a folder"),
        pytest.param("list", {}, "a", {}, "Looked through the folder", id="the folder"),
        pytest.param("Grep", {}, "a", {}, "Searched the files", id="for what isn't said"),
    ],
)
def test_a_search_says_what_and_how_much(
    name: str, given: dict[str, Json], result: str, detail_: dict[str, Json], shown: str
) -> None:
    assert line(call(name, given, result, detail=detail_)) == shown


def test_found_lines_are_never_styled_by_their_bytes() -> None:
    html = str(step(call("Grep", {"pattern": "x"}, "a:1:\x1b[31mx")).detail)
    assert "␛[31mx" in html
