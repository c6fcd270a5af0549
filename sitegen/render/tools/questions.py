"""Questions to the user: what was asked, what could be chosen, what was chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup

from sitegen.model import Json, JsonObject
from sitegen.render.context import Context
from sitegen.render.steps import PairedCall, Step
from sitegen.render.text import clean, first_line, visible
from sitegen.render.tools.inputs import object_in, objects_in, parsed, result_text, text_in
from sitegen.render.tools.parts import (
    NOTHING,
    Outcome,
    failure,
    make_step,
    outcome,
    output,
    prose,
    say,
)

NAMES = frozenset({"askuserquestion", "ask_user_question", "ask_user", "request_user_input", "question", "askfollowup"})
_ANSWER = re.compile(r'"((?:[^"\\]|\\.){1,4000})"="((?:[^"\\]|\\.){0,4000})"')
_LINE_LIMIT = 90


def render(call: PairedCall, ctx: Context) -> Step:
    """One question, or several asked together."""
    questions = objects_in(call.input, "questions") or ([call.input] if _question(call.input) else [])
    answers = _answers(call)
    first = _question(questions[0]) if questions else ""
    summary = say(ctx, "asked", question=first_line(first, _LINE_LIMIT)) if first else say(ctx, "asked_something")
    if len(questions) > 1:
        summary += Markup(" {}").format(say(ctx, "asked_more", n=len(questions) - 1))
    given = _answer_to(questions[0], 0, answers) if questions else ""
    if given:
        summary += Markup(" · {}").format(say(ctx, "answered", answer=first_line(given, 60)))
    blocks = (_block(item, at, _answer_to(item, at, answers), call, ctx) for at, item in enumerate(questions))
    rest = NOTHING if answers else failure(call, ctx) or output(result_text(call), ctx, key="answer")
    return make_step(
        call,
        ctx,
        "ask",
        summary,
        body=Markup().join(blocks) + rest,
        ended=_ended(call, ctx),
        object=first_line(first, _LINE_LIMIT),
        key=call.anchor,
        is_open=call.result is None,
    )


def _ended(call: PairedCall, ctx: Context) -> Outcome:
    if call.result is None and call.is_result_shown:
        return Outcome(ctx.t("tools.unanswered"))
    return outcome(call, ctx)


def _question(values: JsonObject) -> str:
    return text_in(values, "question", "prompt", "message", "text")


def _answers(call: PairedCall) -> Mapping[str, Json]:
    """What was chosen, by the question's text or id."""
    value = parsed(result_text(call))
    for holder in (call.tool_detail, value if isinstance(value, dict) else {}, call.input):
        answers = object_in(holder, "answers")
        if answers:
            return answers
    return dict(_ANSWER.findall(result_text(call)))


def _answer_to(question: JsonObject, number: int, answers: Mapping[str, Json]) -> str:
    keys = (_question(question), text_in(question, "id"), text_in(question, "header"), str(number))
    value = next((answers[key] for key in keys if key and key in answers), None)
    if isinstance(value, dict):
        value = value.get("answers") or value.get("answer")
    if isinstance(value, list):
        return ", ".join(clean(item) for item in value if isinstance(item, str))
    return clean(value) if isinstance(value, str) else ""


def _block(question: JsonObject, number: int, answer: str, call: PairedCall, ctx: Context) -> Markup:
    header = text_in(question, "header")
    title = Markup('<p class="label">{}</p>').format(visible(header)) if header else NOTHING
    options = objects_in(question, "options") or [
        {"label": item} for item in _texts(question.get("options")) or _texts(question.get("choices"))
    ]
    chosen = _chosen(answer, [text_in(option, "label", "value", "name") for option in options])
    rows = Markup().join(
        _option(option, ctx, is_chosen=text_in(option, "label", "value", "name") in chosen) for option in options
    )
    listed = Markup('<ul class="options">{}</ul>').format(rows) if rows else NOTHING
    own = NOTHING
    if answer and not chosen:
        own = Markup('<p class="chosen" dir="auto">{}</p>').format(say(ctx, "answer_was", answer=answer))
    return title + prose(_question(question), call, ctx, part=f"q{number}") + listed + own


def _texts(value: Json) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _chosen(answer: str, labels: list[str]) -> frozenset[str]:
    """The labels that an answer names: the whole of it, or each part between commas."""
    parts = {answer, *(part.strip() for part in answer.split(","))} if answer else set()
    return frozenset(label for label in labels if label and clean(label) in parts)


def _option(option: JsonObject, ctx: Context, *, is_chosen: bool) -> Markup:
    label = Markup("<b>{}</b>" if is_chosen else "{}").format(visible(text_in(option, "label", "value", "name")))
    mark = Markup(' <span class="state">{}</span>').format(ctx.t("tools.chosen")) if is_chosen else NOTHING
    said = text_in(option, "description")
    more = Markup(' <span class="hint">{}</span>').format(clean(said)) if said else NOTHING
    return Markup('<li dir="auto"{}>{}{}{}</li>').format(
        Markup(' class="chosen"') if is_chosen else NOTHING, label, mark, more
    )
