"""A share of a part of a conversation, and one beside a share that was taken back, tell nothing of the rest."""

from __future__ import annotations

from tests.support.projections import ConversationRow, assistant, call, conversation, result, user
from tests.support.workshop import Workshop, share


def agent(native_id: str, said: str) -> ConversationRow:
    return conversation(
        f"agent-{native_id}",
        user(f"Look at {native_id}"),
        assistant(said),
        title=f"About {native_id}",
        metadata={"subagent": True, "agent_id": native_id, "parent_native_id": "talk"},
    )


TALK = conversation(
    "talk",
    user("Begin with the parser."),
    assistant(call("Task", {"prompt": "Look at one"}, id="t1")),
    user(result("One is fine.", id="t1")),
    user("Now the heron of the lake."),
    assistant(call("Task", {"prompt": "Look at two"}, id="t2")),
    user(result("Two is fine.", id="t2")),
    assistant("Done."),
    title="All about the kingfisher",
)
LISTED = ('gate = "none"', "listed = true")


def everywhere(workshop: Workshop) -> str:
    return "\n".join(data.decode("utf-8", "replace") for data in workshop.tree().values())


def test_part_tells_nothing_of_the_rest(workshop: Workshop) -> None:
    workshop.talk(TALK, agent("one", "Said by one."), agent("two", "Said by two."))
    workshop.configure(
        share("talk", "part", *LISTED, 'messages = "1-3"') + share("agent-one", "inner", *LISTED),
    )
    workshop.build()
    said = everywhere(workshop)
    assert "Said by one." in said
    assert not any(word in said for word in ("kingfisher", "heron", "Said by two."))
    assert "Begin with the parser." in workshop.page("s/inner")  # the link to where it worked
    assert "1 subagent" in workshop.page("s/part")


def test_part_with_a_title_of_its_owner_has_that(workshop: Workshop) -> None:
    workshop.talk(TALK, agent("one", "Said by one."))
    workshop.configure(
        share("talk", "part", *LISTED, 'messages = "1-3"', 'title = "The parser"')
        + share("agent-one", "inner", *LISTED)
    )
    workshop.build()
    assert "The parser" in workshop.page("s/inner")
    assert "kingfisher" not in everywhere(workshop)


def test_subagent_that_was_taken_back_goes_from_its_parent_too(workshop: Workshop) -> None:
    workshop.talk(TALK, agent("one", "Said by one."), agent("two", "Said by two."))
    parent, inner = share("talk", "whole", *LISTED), share("agent-one", "inner", *LISTED)
    workshop.configure(parent + inner)
    workshop.build()
    assert "Said by one." in workshop.page("s/whole")
    assert workshop.run("revoke", "inner", "--yes").exit_code == 0
    workshop.build()
    assert "Said by one." not in everywhere(workshop)
    assert "Said by two." in workshop.page("s/whole")
    assert "1 subagent" in workshop.page("s/whole")


def test_subagent_whose_share_expires_goes_from_its_parent_too(workshop: Workshop) -> None:
    workshop.talk(TALK, agent("one", "Said by one."), agent("two", "Said by two."))
    expiring = share("agent-one", "inner", *LISTED, "expires = 2027-01-01T00:00:00Z")
    workshop.configure(share("talk", "whole", *LISTED) + expiring)
    workshop.build("--now", "2026-12-31")
    assert "Said by one." in workshop.page("s/whole")
    workshop.build("--now", "2027-01-02")
    assert "Said by one." not in everywhere(workshop)
