"""Markdown as the cases of `tests/fixtures/markdown` say; `python -m tests.render.test_markdown_fixtures` renews."""

from __future__ import annotations

import pytest

from sitegen.model import ROOT
from tests.support.markdown_cases import Case, cases, renew
from tests.support.strict_html import faults


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_markdown_is_rendered_as_its_case_expects(case: Case) -> None:
    assert case.render() == case.expected


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_every_case_is_balanced_and_without_anything_that_acts(case: Case) -> None:
    assert faults(case.render().replace("{ROOT}", ROOT)) == []


def test_titles_are_unique_in_their_file() -> None:
    ids = [case.id for case in cases()]
    assert len(ids) == len(set(ids)) > 80


if __name__ == "__main__":
    print(f"{renew()} cases changed")
