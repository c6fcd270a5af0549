"""The templates of a site: sitegen's own, and a theme's laid over them, whose faults are told with their place.

Knows Jinja; what a page is given, and what it looks like, is for others.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    nodes,
)
from jinja2.exceptions import TemplateSyntaxError
from msgspec import Struct

from sitegen.errors import ConfigError

OURS: Final = "sitegen"
"""The folder under which a theme finds the templates that its own take the place of."""


def make_environment(folders: Sequence[Path], *, compiled: BytecodeCache | None = None) -> Environment:
    """Later folders take precedence; `sitegen/…` names the first one's, sitegen's own.

    `compiled` keeps what templates are compiled to.
    """
    own = FileSystemLoader(folders[0])
    layers: list[BaseLoader] = [FileSystemLoader(folder) for folder in reversed(folders)]
    environment = Environment(
        loader=ChoiceLoader([PrefixLoader({OURS: own}), *layers]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        bytecode_cache=compiled,
    )
    del environment.filters["safe"]  # what a template shows unescaped is decided in Python alone
    return environment


def check_templates(folders: Sequence[Path]) -> None:
    """Raises ConfigError for what can't work in the templates of the folders after the first, before any is used.

    That is: a syntax error, an unknown filter, a template or a block that there isn't, one that nothing uses.
    """
    environment = make_environment(folders)
    own = _parsed(environment, folders[0])
    for folder in folders[1:]:
        theme = _parsed(environment, folder)
        used = {name for template in theme.values() for name, _ in template.references()}
        for template in theme.values():
            _check(template, theme, own, used=used)


def place_in(error: BaseException, folders: Iterable[Path]) -> tuple[Path, int] | None:
    """The file and the line of a theme where a page couldn't be filled in; None when no theme has to do with it."""
    themes = tuple(folders)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if any(file.is_relative_to(theme) for theme in themes):
            return file, frame.lineno or 1
    return None


def shown(path: Path) -> Path:
    """A path as messages name it: relative when it is within the current folder."""
    try:
        return path.relative_to(Path.cwd())
    except (ValueError, OSError):
        return path


# ------------------------------------------------------------------------------------------------------- checking


class _Template(Struct, frozen=True):
    """A template's file, parsed."""

    name: str
    file: Path
    tree: nodes.Template

    def references(self) -> Iterator[tuple[str, int]]:
        """The templates it names, each with the line; names that are worked out only later aren't known."""
        for node in self.tree.find_all((nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)):
            named: nodes.Expr = getattr(node, "template")  # noqa: B009 - each of these four has it
            for each in named.items if isinstance(named, nodes.List | nodes.Tuple) else [named]:
                if isinstance(each, nodes.Const) and isinstance(each.value, str):
                    yield each.value, node.lineno

    def parent(self) -> str | None:
        """The template that it extends, if it says which."""
        found = next(iter(self.tree.find_all(nodes.Extends)), None)
        return str(found.template.value) if found and isinstance(found.template, nodes.Const) else None

    def outer_blocks(self) -> list[nodes.Block]:
        """Its blocks that stand in no other."""
        found = list(self.tree.find_all(nodes.Block))
        inner = {id(each) for block in found for part in block.body for each in _with_inner(part)}
        return [block for block in found if id(block) not in inner]

    def fault(self, message: str, line: int) -> NoReturn:
        raise ConfigError(message, path=shown(self.file), line=line)


def _with_inner(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    yield from node.find_all(nodes.Node)


def _parsed(environment: Environment, folder: Path) -> dict[str, _Template]:
    files = (file for file in sorted(folder.rglob("*.html")) if not file.name.startswith("."))
    found = (_parse(environment, folder, file) for file in files if file.is_file())
    return {template.name: template for template in found}


def _parse(environment: Environment, folder: Path, file: Path) -> _Template:
    name = file.relative_to(folder).as_posix()
    try:
        source = file.read_text("utf-8")
        environment.compile(source, name, str(file))  # which looks for filters too
        return _Template(name, file, environment.parse(source, name, str(file)))
    except TemplateSyntaxError as error:
        message = f"this template can't be read: {error.message}"
        raise ConfigError(message, path=shown(file), line=error.lineno) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError("this isn't UTF-8 text; save it as UTF-8", path=shown(file), line=line) from None
    except OSError as error:
        raise ConfigError(f"this template can't be read: {error.strerror}", path=shown(file)) from None


def _check(
    template: _Template, theme: Mapping[str, _Template], own: Mapping[str, _Template], *, used: set[str]
) -> None:
    known = {**own, **theme, **{f"{OURS}/{name}": each for name, each in own.items()}}
    for escaping in template.tree.find_all((nodes.ScopedEvalContextModifier, nodes.EvalContextModifier)):
        template.fault("autoescape can't be changed: what conversations say must stay escaped", escaping.lineno)
    for name, line in template.references():
        if name not in known:
            template.fault(f"there is no template “{name}”{_suggested(name, known)}", line)
        if known[name] is template:
            template.fault(f"this template names itself; ours is called “{OURS}/{name}”", line)
    if template.name not in own and template.name not in used:
        hint = _suggested(template.name, own) or "; docs/reference/pages.md lists ours"
        template.fault(f"sitegen has no template of this name, and no other of the theme uses it{hint}", 1)
    _check_blocks(template, known)


def _check_blocks(template: _Template, known: Mapping[str, _Template]) -> None:
    """A block that no template above has is shown nowhere, and Jinja says nothing of it."""
    blocks: set[str] = set()
    at, seen = template, {id(template)}
    while (name := at.parent()) is not None and name in known:
        at = known[name]
        if id(at) in seen:
            template.fault(f"these templates extend each other in a circle, by “{name}”", 1)
        seen.add(id(at))
        blocks |= {block.name for block in at.tree.find_all(nodes.Block)}
    if template.parent() is None:
        return
    for block in template.outer_blocks():
        if block.name not in blocks:
            message = f"what it extends has no block “{block.name}”{_suggested(block.name, blocks)}"
            template.fault(message, block.lineno)


def _suggested(name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean “{near[0]}”?" if near else ""
