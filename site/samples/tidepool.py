"""Sessions of the project `tidepool`, a small program that prints tide tables."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from samples.pictures import tide_curve
from tests.support.sessions import (
    Fields,
    ai_title,
    assistant,
    compact_boundary,
    compact_summary,
    custom_title,
    image,
    system,
    text,
    thinking,
    tool_result,
    tool_use,
    user,
    write_session,
    write_subagent,
)

CWD = "/home/ann/code/tidepool"
PARSER = f"{CWD}/tidepool/parser.py"

OLD_LINE = "    return datetime.strptime(text, FORMAT)"
NEW_LINES = "    zone = ZoneInfo(station.timezone)\n    return datetime.strptime(text, FORMAT).replace(tzinfo=zone)"

PYTEST_RED = """\
\x1b[1m============================= test session starts =============================\x1b[0m
collected 14 items

tests/test_parser.py ............\x1b[31mF\x1b[0m\x1b[32m.\x1b[0m                                   [100%]

=================================== FAILURES ===================================
\x1b[31m\x1b[1m_______________________ test_times_are_those_of_the_harbour _____________________\x1b[0m

    def test_times_are_those_of_the_harbour():
>       assert parse_time("2026-03-29 02:30", BREST).utcoffset() == timedelta(hours=2)
\x1b[31mE       AssertionError: assert None == datetime.timedelta(seconds=7200)\x1b[0m

\x1b[31mFAILED\x1b[0m tests/test_parser.py::\x1b[1mtest_times_are_those_of_the_harbour\x1b[0m
\x1b[31m========================= \x1b[1m1 failed\x1b[0m, \x1b[32m13 passed\x1b[0m\x1b[31m in 0.31s =========================\x1b[0m
"""
PYTEST_GREEN = "\x1b[32m============================== \x1b[1m14 passed\x1b[0m\x1b[32m in 0.29s ==============================\x1b[0m\n"

SOURCE = '''\
"""Reads the tables that harbours publish."""

from datetime import datetime

FORMAT = "%Y-%m-%d %H:%M"


def parse_time(text: str, station: "Station") -> datetime:
    """The moment a row names, in the harbour's own time."""
    return datetime.strptime(text, FORMAT)


def parse_row(row: str, station: "Station") -> "Tide":
    stamp, height, kind = (cell.strip() for cell in row.split(";"))
    return Tide(parse_time(stamp, station), float(height.replace(",", ".")), Kind(kind))
'''


def write(folder: Path) -> None:
    """Writes every session of the project below `folder`."""
    home = folder / "-home-ann-code-tidepool"
    _write(home, "4d1c8f0e-0001-4000-8000-000000000001", parser_session(), day=30)
    _write(home, "4d1c8f0e-0002-4000-8000-000000000002", chart_session(), day=5)
    survey = _write(home, "4d1c8f0e-0003-4000-8000-000000000003", survey_session(), day=9)
    began = datetime(2026, 3, 9, 9, 12, 30, tzinfo=UTC)
    write_subagent(survey, "a51e0f7", *survey_subagent(), cwd=CWD, start=began)
    _write(home, "4d1c8f0e-0004-4000-8000-000000000004", harmonics_session(), day=12)
    _write(home, "4d1c8f0e-0005-4000-8000-000000000005", rewind_session(), day=17)


def _write(home: Path, session: str, records: list[Fields], *, day: int) -> Path:
    start = datetime(2026, 3, day, 9, 12, tzinfo=UTC)
    return write_session(home / f"{session}.jsonl", *records, cwd=CWD, start=start)


def _numbered(source: str, first: int = 1) -> str:
    return "\n".join(f"{number:6}→{line}" for number, line in enumerate(source.splitlines(), first))


def parser_session() -> list[Fields]:
    patch = {
        "oldStart": 8,
        "oldLines": 3,
        "newStart": 8,
        "newLines": 4,
        "lines": [
            ' def parse_time(text: str, station: "Station") -> datetime:',
            '     """The moment a row names, in the harbour\'s own time."""',
            f"-{OLD_LINE}",
            *(f"+{line}" for line in NEW_LINES.splitlines()),
        ],
    }
    edited: Fields = {"filePath": PARSER, "oldString": OLD_LINE, "newString": NEW_LINES, "structuredPatch": [patch]}
    return [
        custom_title("Why the Brest tide table is an hour off"),
        user(
            "The table for Brest is an hour off since the clocks changed. Find out why, and write the test first.\n\n"
            "What I see:\n\n```\n2026-03-29 02:30  high  6.4 m      (the harbour says 03:30)\n```"
        ),
        assistant(
            thinking(
                "An hour off since the clocks changed: the parser probably makes naive times. "
                "Look for where rows become datetimes before touching anything."
            ),
            "I'll look at how a row becomes a time first.",
            tool_use(
                "Grep", {"pattern": "strptime", "path": f"{CWD}/tidepool", "output_mode": "content"}, id="toolu_p1"
            ),
            usage={"input_tokens": 3120, "output_tokens": 164},
        ),
        user(tool_result("toolu_p1", f"{PARSER}:10:{OLD_LINE}")),
        assistant(tool_use("Read", {"file_path": PARSER}, id="toolu_p2")),
        user(tool_result("toolu_p2", _numbered(SOURCE))),
        assistant(
            tool_use(
                "TodoWrite",
                {
                    "todos": [
                        {"content": "Write a test for the night of the change", "status": "in_progress"},
                        {"content": "Give parsed times the harbour's zone", "status": "pending"},
                        {"content": "Run all tests", "status": "pending"},
                    ]
                },
                id="toolu_p3",
            )
        ),
        user(tool_result("toolu_p3", "Todos have been modified successfully.")),
        assistant(
            tool_use(
                "Write",
                {
                    "file_path": f"{CWD}/tests/test_zones.py",
                    "content": "from datetime import timedelta\n\nfrom tidepool.parser import parse_time\n"
                    "from tidepool.stations import BREST\n\n\n"
                    "def test_times_are_those_of_the_harbour():\n"
                    '    assert parse_time("2026-03-29 02:30", BREST).utcoffset() == timedelta(hours=2)\n',
                },
                id="toolu_p4",
            )
        ),
        user(tool_result("toolu_p4", f"File created successfully at: {CWD}/tests/test_zones.py")),
        assistant(tool_use("Bash", {"command": "pytest -q", "description": "Run the tests"}, id="toolu_p5")),
        user(
            tool_result("toolu_p5", PYTEST_RED, is_error=True),
            toolUseResult={"stdout": PYTEST_RED, "stderr": "", "interrupted": False},
        ),
        assistant(
            "The test fails for the reason I suspected: `parse_time` returns a time **without a zone**.",
            tool_use("Edit", {"file_path": PARSER, "old_string": OLD_LINE, "new_string": NEW_LINES}, id="toolu_p6"),
        ),
        user(tool_result("toolu_p6", f"The file {PARSER} has been updated."), toolUseResult=edited),
        assistant(tool_use("Bash", {"command": "pytest -q", "description": "Run the tests"}, id="toolu_p7")),
        user(tool_result("toolu_p7", PYTEST_GREEN), toolUseResult={"stdout": PYTEST_GREEN, "stderr": ""}),
        assistant(
            "It was the zone. Harbours publish local time, and `parse_time` dropped that fact:\n\n"
            "| | before | after |\n|---|---|---|\n| `2026-03-28 01:50` | 01:50, no zone | 01:50 +01:00 |\n"
            "| `2026-03-29 02:30` | 02:30, no zone | 02:30 **+02:00** |\n\n"
            "The printer then took the naive time for UTC and added the offset of *today*, which is why it was right "
            "until the clocks changed.\n\nOne thing I left alone: 02:00–03:00 of that night doesn't exist in Brest. "
            "The harbour prints such rows anyway, so I keep them as they stand rather than guess.",
            usage={"input_tokens": 5210, "output_tokens": 312, "cache_read_input_tokens": 18200},
        ),
        user("Good. Commit it, please."),
        assistant(
            tool_use("Bash", {"command": "git commit -am 'Read times in the harbour\\'s zone'"}, id="toolu_p8"),
        ),
        user(
            tool_result(
                "toolu_p8",
                "[main 3f9c2ab] Read times in the harbour's zone\n 2 files changed, 10 insertions(+), 1 deletion(-)",
            )
        ),
        assistant("Committed as `3f9c2ab`."),
    ]


def chart_session() -> list[Fields]:
    return [
        ai_title("Draw the day's tide as a curve"),
        user(
            text("This is what the page draws today. The curve should peak at 04:10. What's wrong with it?"),
            image(tide_curve(is_shifted=True)),
        ),
        assistant(
            "The curve's shape is right and its place isn't: every peak stands about **one hour early**. That is the "
            "same zone question as in the table, only on the drawing side. Let me look at how it maps hours to pixels.",
            tool_use("Read", {"file_path": f"{CWD}/web/chart.js", "offset": 12, "limit": 9}, id="toolu_c1"),
        ),
        user(
            tool_result(
                "toolu_c1",
                _numbered(
                    "const x = (tide) =>\n  margin + (tide.time.getUTCHours() / 24) * inner;\n\n"
                    "export function curve(tides) {\n"
                    "  return tides.map((tide) => [x(tide), y(tide.height)]);\n}\n",
                    12,
                ),
            )
        ),
        assistant(
            "There: `getUTCHours()` in a page whose axis says local time.",
            tool_use(
                "Edit",
                {
                    "file_path": f"{CWD}/web/chart.js",
                    "old_string": "  margin + (tide.time.getUTCHours() / 24) * inner;",
                    "new_string": "  margin + (hoursAt(tide.time, tide.zone) / 24) * inner;",
                },
                id="toolu_c2",
            ),
        ),
        user(tool_result("toolu_c2", f"The file {CWD}/web/chart.js has been updated.")),
        assistant(tool_use("mcp__browser__screenshot", {"url": "http://localhost:8000/brest"}, id="toolu_c3")),
        user(tool_result("toolu_c3", [text("Took a screenshot of the page."), image(tide_curve())])),
        assistant("Now the peak stands at 04:10, where the harbour's own table has it."),
    ]


def survey_session() -> list[Fields]:
    return [
        ai_title("Which harbours publish tides we may use?"),
        user("Which harbours around the Bay of Biscay publish their tables under a licence that lets us print them?"),
        assistant(
            thinking("This is reading, not coding. Hand the survey to a subagent and keep the summary."),
            "I'll have that looked up while I read how we store licences.",
            tool_use(
                "Task",
                {
                    "description": "Survey tide table licences",
                    "prompt": "List harbours on the Bay of Biscay that publish tide tables, with licence and format.",
                    "subagent_type": "researcher",
                },
                id="toolu_s1",
            ),
        ),
        user(
            tool_result(
                "toolu_s1",
                [text("Three harbours publish open tables: Brest (CSV), Gijón (JSON), Bilbao (PDF only).")],
            ),
            toolUseResult={
                "agentId": "a51e0f7",
                "totalDurationMs": 94000,
                "totalTokens": 18250,
                "totalToolUseCount": 2,
            },
        ),
        assistant(
            "Three of the seven harbours let us print their tables:\n\n"
            "1. **Brest**: CSV, attribution only\n2. **Gijón**: JSON, attribution only\n"
            "3. **Bilbao**: PDF, attribution, no changes\n\n"
            "I'd begin with the first two; Bilbao's table would need a parser for its PDF."
        ),
    ]


def survey_subagent() -> list[Fields]:
    return [
        user("List harbours on the Bay of Biscay that publish tide tables, with licence and format."),
        assistant(
            tool_use("WebSearch", {"query": "tide tables Bay of Biscay open licence"}, id="toolu_w1"),
        ),
        user(
            tool_result(
                "toolu_w1",
                'Web search results for query: "tide tables Bay of Biscay open licence"\n\n'
                'Links: [{"title":"Tide tables of Brest","url":"https://tides.example.org/brest"},'
                '{"title":"Mareas de Gijón","url":"https://mareas.example.org/gijon"}]',
            )
        ),
        assistant(
            tool_use(
                "WebFetch",
                {"url": "https://tides.example.org/brest", "prompt": "Which licence, which format?"},
                id="toolu_w2",
            ),
        ),
        user(tool_result("toolu_w2", "The tables are published as CSV under an attribution licence.")),
        assistant("Three harbours publish open tables: Brest (CSV), Gijón (JSON), Bilbao (PDF only)."),
    ]


def harmonics_session() -> list[Fields]:
    return [
        ai_title("How a tide is predicted from its harmonics"),
        user("Explain how tides are predicted from harmonic constituents. I know trigonometry, no oceanography."),
        assistant(
            "A tide is a sum of cosines whose *periods* come from astronomy and whose *sizes* are measured at each "
            "harbour.[^1]\n\n### The formula\n\n"
            "$$h(t) = H_0 + \\sum_{k=1}^{n} f_k H_k \\cos\\left(\\omega_k t + V_k - g_k\\right)$$\n\n"
            "where \\(H_k\\) is the amplitude at this harbour, \\(g_k\\) its phase lag, and \\(\\omega_k\\) the speed "
            "of constituent $k$, the same everywhere on Earth.\n\n"
            "| name | cause | period | Brest |\n|:--|:--|--:|--:|\n"
            "| M₂ | the Moon, twice a day | 12.42 h | 2.05 m |\n| S₂ | the Sun, twice a day | 12.00 h | 0.75 m |\n"
            "| K₁ | the Moon's declination | 23.93 h | 0.06 m |\n\n"
            "### In code\n\n"
            "```python\nfrom math import cos, radians\n\n\n"
            "def height(hours: float, constituents: list[Constituent], mean: float) -> float:\n"
            '    """Metres above chart datum, `hours` after the epoch."""\n'
            "    return mean + sum(\n"
            "        c.node_factor * c.amplitude * cos(radians(c.speed * hours + c.argument - c.lag))\n"
            "        for c in constituents\n    )\n```\n\n"
            "### What M₂ and S₂ do together\n\n"
            "Their periods differ by 25 minutes, so they drift in and out of step once every 14.77 days: spring tides "
            "when they add up, neap tides when they don't.\n\n"
            "```mermaid\nflowchart LR\n  A[Astronomy: speeds] --> C[Prediction]\n  B[Harbour: amplitudes, lags] --> C\n"
            "```\n\n"
            "- [x] speeds: known\n- [x] amplitudes: in the harbour's constants\n- [ ] weather: *not* in here\n\n"
            "[^1]: Laplace saw it in 1775; Kelvin built a machine of pulleys that added the cosines up in 1872."
        ),
        user("And what does weather do to it? A rule of thumb is enough."),
        assistant(
            "Two rules get you within 20 cm on most days:\n\n"
            "1. **Pressure**: one hectopascal less lifts the sea by one centimetre.\n"
            "2. **Wind**: a gale onshore over a shallow shelf adds some decimetres; Brest, on a steep coast, sees "
            "little of it.\n\n> Tables predict the tide; they don't predict the sea.\n\n"
            "For $5 to $10 a month there are services that add the surge forecast, if you ever need it."
        ),
    ]


def rewind_session() -> list[Fields]:
    """A rewind (two answers to one prompt), a command, a shell line, a queued note, a compaction."""
    ask = "b7a3c0de-0000-4000-8000-000000000001"
    first = "b7a3c0de-0000-4000-8000-000000000002"
    second = "b7a3c0de-0000-4000-8000-000000000003"
    return [
        ai_title("A command line that reads like a sentence"),
        user(
            "<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n"
            "<command-args>cli.py</command-args>"
        ),
        user("<bash-input>wc -l tidepool/cli.py</bash-input>"),
        user("<bash-stdout>     212 tidepool/cli.py</bash-stdout><bash-stderr></bash-stderr>"),
        user("How should the command line look? Show me the help text.", uuid=ask),
        assistant(
            "With subcommands:\n\n```console\n$ tidepool table brest --days 7\n$ tidepool chart brest --out brest.svg\n```",
            uuid=first,
            parentUuid=ask,
        ),
        user("Too many words. Most people want today's table.", parentUuid=first, uuid=None),
        assistant("Then one command with a default:\n\n```console\n$ tidepool brest\n```", uuid=second, parentUuid=ask),
        user("Yes. That one.", parentUuid=second),
        assistant(
            thinking("They chose the short form. Keep `--days` as the one option."),
            "Then that's the whole interface: a harbour, and `--days` for those who want more than today.",
            tool_use(
                "AskUserQuestion",
                {
                    "questions": [
                        {
                            "header": "Units",
                            "question": "Which unit should heights have by default?",
                            "options": [
                                {"label": "Metres", "description": "As harbours publish them"},
                                {"label": "Feet", "description": "As sailors on the other side expect"},
                            ],
                            "multiSelect": False,
                        }
                    ]
                },
                id="toolu_r1",
            ),
        ),
        user(
            tool_result("toolu_r1", 'User has answered your questions: "Which unit…"="Metres".'),
            toolUseResult={"answers": {"Which unit should heights have by default?": "Metres"}},
        ),
        assistant("Metres it is."),
        system("Stop hook succeeded", subtype="stop_hook_summary"),
        compact_boundary(),
        compact_summary("This session is being continued from a previous conversation. The command line is decided."),
        user("Write the help text now."),
        assistant(
            "```text\nusage: tidepool HARBOUR [--days N]\n\nPrints today's tides of a harbour.\n```\n\n"
            "Short enough to be read, long enough to be useful."
        ),
    ]
