"""The documentation is whole: whatever a user can type or set is named in it, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from msgspec import Struct

from sitegen.cli import main
from sitegen.config import types

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
REFERENCE = {
    name: (DOCS / "reference" / f"{name}.md").read_text("utf-8") for name in ("commands", "configuration", "pages")
}
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]


def commands() -> dict[str, click.Command]:
    context = click.Context(main)
    found = {name: main.get_command(context, name) for name in main.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


@pytest.mark.parametrize("name", commands())
def test_command_and_each_of_its_options_is_named(name: str) -> None:
    text = REFERENCE["commands"]
    assert f"sitegen {name}" in text
    section = text.split(f"sitegen {name}", 1)[1]
    for parameter in commands()[name].params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert any(option in section for option in parameter.opts), (name, parameter.opts)


@pytest.mark.parametrize("name", commands())
def test_command_and_each_of_its_options_explains_itself(name: str) -> None:
    command = commands()[name]
    assert command.help
    assert not [p.name for p in command.params if isinstance(p, click.Option) and not p.help]


def _keys(kind: type[Struct]) -> set[str]:
    """Names of the fields of a settings class, as sitegen.toml spells them."""
    return {*kind.__struct_fields__} - {"line"}


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        ("[site]", types.Site),
        ("[privacy]", types.Privacy),
        ("[pages]", types.Pages),
        ("[theme]", types.Theme),
        ("[[share]]", types.ShareEntry),
        ("[[project]]", types.ProjectEntry),
        ("[[rule]]", types.RuleEntry),
        ("match", types.Match),
        ("[registry]", types.RegistryEntry),
        ("[publish]", types.Publish),
    ],
)
def test_every_key_of_the_configuration_is_named(section: str, kind: type[Struct]) -> None:
    text = REFERENCE["configuration"]
    assert section in text
    assert not [key for key in sorted(_keys(kind)) if f"`{key}`" not in text]


def test_every_template_and_block_is_named() -> None:
    text = REFERENCE["pages"]
    for template in sorted((ROOT / "templates").rglob("*.html")):
        assert template.name in text, template.name
        for block in re.findall(r"{%-?\s*block\s+(\w+)", template.read_text("utf-8")):
            assert f"`{block}`" in text, (template.name, block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_the_documentation_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), (page.name, target)


def test_every_dependency_has_its_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    text = (DOCS / "explanation" / "dependencies.md").read_text("utf-8")
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert not [name for line in wanted if (name := re.split(r"[<>=\[; ]", line)[0]) not in text]
