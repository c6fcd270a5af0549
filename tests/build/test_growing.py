"""A conversation that grows by whatever comes next is, after each build, as if it had been built from nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import pytest

from sitegen.build import reuse
from tests.support.plants import all_secrets, private_key
from tests.support.projections import ConversationRow, MessageRow, assistant, call, conversation, result, user
from tests.support.workshop import Workshop, share

SECRETS = {plant.value: plant.text for plant in all_secrets()}
KEY = private_key()
PEOPLE = ("kestrel", "merganser", "whimbrel")
WORDS = "A sentence with a **word**, some `code` and [a link](https://example.org/). " * 3


@pytest.fixture(autouse=True)
def as_if_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a few pages were very long already."""
    monkeypatch.setattr(reuse, "_WORTH_KEEPING", 1)
    monkeypatch.setattr("sitegen.privacy.corpus.PART", 1_500)
    monkeypatch.setattr("sitegen.privacy.corpus.OVERLAP", 2_500)
    monkeypatch.setattr("sitegen.output.cache._HELD", 1)


@dataclass
class Growing:
    """A conversation to which anything may happen."""

    random: Random
    rows: list[MessageRow] = field(default_factory=lambda: [user(WORDS), *map(user, (*PEOPLE, *SECRETS)), user(WORDS)])
    """First come names and values of which nothing tells yet what they are."""
    open_calls: list[str] = field(default_factory=list)
    agents: list[ConversationRow] = field(default_factory=list)
    title: str = "The long one"
    hidden: str = "nothing"

    def go_on(self) -> None:
        """One of all that can happen."""
        steps = (self.ask, self.answer, self.call, self.call, self.bring_result, self.bring_result, self.tell_secret)
        others = (self.name_somebody, self.mention, self.say_again, self.write_key, self.turn_back, self.correct)
        rare = (self.start_agent, self.rename, self.hide)
        self.random.choice(self.random.choice((steps, steps, others, others, rare)))()

    def ask(self) -> None:
        self.rows.append(user(f"{len(self.rows)}. {WORDS}"))

    def answer(self) -> None:
        self.rows.append(assistant(f"# Turn {len(self.rows)}\n\n{WORDS}\n\n```py\nx = {len(self.rows)}\n```"))

    def call(self) -> None:
        self.open_calls.append(id := f"t{len(self.rows)}")
        self.rows.append(assistant(call("Read", {"file_path": f"/home/{PEOPLE[0]}/app/{id}.py"}, id=id)))

    def bring_result(self) -> None:
        if self.open_calls:
            id = self.open_calls.pop(self.random.randrange(len(self.open_calls)))
            self.rows.append(user(result(f"1\tdef heron_{id}():\n2\t    return {WORDS!r}", id=id)))

    def tell_secret(self) -> None:
        value, text = self.random.choice(list(SECRETS.items()))
        self.rows.append(user(self.random.choice((text, f"{WORDS} {value} {WORDS}", f"{text}\n{WORDS}"))))

    def name_somebody(self) -> None:
        self.rows.append(assistant(f"It's in /home/{self.random.choice(PEOPLE)}/notes, {WORDS}"))

    def mention(self) -> None:
        self.rows.append(user(f"Ask {self.random.choice(PEOPLE)} and kingfisher. {WORDS}"))

    def say_again(self) -> None:
        if self.rows:
            self.rows.append(replace(self.random.choice(self.rows), native_id=f"again{len(self.rows)}"))

    def write_key(self) -> None:
        self.rows += [user(line) for line in KEY.splitlines()]

    def turn_back(self) -> None:
        if len(self.rows) > 2:
            parent = f"m{self.random.randrange(len(self.rows))}"
            self.rows.append(user(f"No, otherwise. {WORDS}", parent=parent))

    def correct(self) -> None:
        if self.rows:
            self.rows[self.random.randrange(len(self.rows))] = assistant(f"Corrected: {self.random.random()}")

    def start_agent(self) -> None:
        id = f"a{len(self.agents)}"
        self.rows.append(assistant(call("Task", {"prompt": f"Look after {id}", "description": id}, id=f"task-{id}")))
        metadata = {"subagent": True, "agent_id": id, "parent_native_id": "talk"}
        said = (user(f"Look after {id}"), assistant(f"{self.random.choice(list(SECRETS.values()))} {WORDS}"))
        self.agents.append(conversation(f"agent-{id}", *said, metadata=metadata))

    def rename(self) -> None:
        self.title = f"The one of {self.random.choice(PEOPLE)}, {len(self.rows)}"

    def hide(self) -> None:
        self.hidden = self.random.choice(("kingfisher", "sentence", "nothing"))

    def build(self, folder: Path) -> dict[str, bytes]:
        """The site as it is now."""
        folder.mkdir(exist_ok=True)
        workshop = Workshop(folder)
        workshop.talk(conversation("talk", *self.rows, title=self.title), *self.agents)
        workshop.configure(f'[privacy]\nhide = ["{self.hidden}"]\n\n' + share("talk", "s", "listed = true"))
        workshop.build("--jobs", "1")
        return workshop.tree()


@pytest.mark.parametrize("seed", range(2))
def test_growing_conversation_is_as_if_built_from_nothing(tmp_path: Path, seed: int) -> None:
    growing = Growing(random := Random(seed))
    for _ in range(25):
        growing.go_on()
    for number in range(5):
        assert growing.build(tmp_path / "grown") == growing.build(tmp_path / f"fresh {number}")
        for _ in range(random.choice((1, 1, 3, 8))):
            growing.go_on()
