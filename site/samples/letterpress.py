"""Sessions of the project `letterpress`, a type foundry's site: several languages, a long one, one for a reviewer."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

from samples.pictures import specimen
from tests.support.sessions import (
    Fields,
    ai_title,
    assistant,
    image,
    text,
    thinking,
    tool_result,
    tool_use,
    user,
    write_session,
)

CWD = "/home/bo/sites/letterpress"
LONG_TURNS = 150


def write(folder: Path) -> None:
    """Writes every session of the project below `folder`."""
    home = folder / "-home-bo-sites-letterpress"
    sessions = (specimen_session, arabic_session, japanese_session, german_session, long_session, reviewer_session)
    for number, session in enumerate((*sessions, retired_session), 1):
        name = f"9e2b7a10-00{number:02}-4000-8000-0000000000{number:02}"
        start = datetime(2026, 4, 2 * number, 14, 30, tzinfo=UTC)
        write_session(home / f"{name}.jsonl", *session(), cwd=CWD, start=start)


def specimen_session() -> list[Fields]:
    return [
        ai_title("Set the specimen page on a baseline grid"),
        user(
            text("Here's the spread as it should print. Make the page match: every line on the 20 px grid."),
            image(specimen()),
        ),
        assistant(
            thinking("Line heights must be multiples of the grid; headings span two lines."),
            "Two things keep the page off its grid: headings whose line height isn't a multiple of 20, and images "
            "whose height is whatever it is.",
            tool_use(
                "MultiEdit",
                {
                    "file_path": f"{CWD}/styles/grid.css",
                    "edits": [
                        {"old_string": "line-height: 1.15;", "new_string": "line-height: 40px;"},
                        {"old_string": "margin-block: 1em;", "new_string": "margin-block: 20px;"},
                    ],
                },
                id="toolu_g1",
            ),
        ),
        user(tool_result("toolu_g1", f"Applied 2 edits to {CWD}/styles/grid.css")),
        assistant(
            tool_use(
                "Write",
                {
                    "file_path": f"{CWD}/scripts/snap.ts",
                    "content": "const GRID = 20;\n\n"
                    "/** Rounds an image's height up to the grid, so that what follows stands on it. */\n"
                    "export function snap(image: HTMLImageElement): void {\n"
                    "  const lines = Math.ceil(image.clientHeight / GRID);\n"
                    "  image.style.height = `${lines * GRID}px`;\n}\n",
                },
                id="toolu_g2",
            )
        ),
        user(tool_result("toolu_g2", "File created successfully.")),
        assistant(
            tool_use("Bash", {"command": "npm run build", "description": "Build the site"}, id="toolu_g3"),
        ),
        user(
            tool_result(
                "toolu_g3",
                "> letterpress@2.1.0 build\n\n\x1b[36mvite\x1b[0m building for production…\n"
                "\x1b[32m✓\x1b[0m 42 modules transformed.\ndist/index.html  \x1b[2m4.1 kB\x1b[0m\n",
            )
        ),
        assistant("Every line now stands on the grid; `snap()` keeps it so below images."),
    ]


def arabic_session() -> list[Fields]:
    return [
        ai_title("ضبط النص العربي على الشبكة"),
        user("كيف أضبط ارتفاع السطر للنص العربي بحيث لا تتداخل علامات التشكيل مع السطر السابق؟"),
        assistant(
            "النص العربي المشكول يحتاج إلى **مساحة أكبر فوق السطر** من النص اللاتيني. اجعل ارتفاع السطر 1.8 على الأقل:\n\n"
            '```css\n:lang(ar) {\n  font-family: "Amiri", serif;\n  line-height: 1.8;\n}\n```\n\n'
            "1. ابدأ بارتفاع السطر.\n2. ثم اضبط حجم الخط: العربية تبدو أصغر بنحو 10٪ عند الحجم نفسه.\n"
            "3. لا تستخدم `letter-spacing` أبدًا، فهو يقطع الحروف المتصلة."
        ),
        user("وماذا عن الأرقام داخل النص، مثل 2026 أو v2.1؟"),
        assistant(
            "اتركها كما هي؛ خوارزمية الاتجاه الثنائي تضعها في مكانها. إن بدا الرقم في غير موضعه فأحطه بعنصر `<bdi>`:\n\n"
            "```html\n<p>صدر الإصدار <bdi>v2.1</bdi> في عام 2026.</p>\n```"
        ),
    ]


def japanese_session() -> list[Fields]:
    return [
        ai_title("縦書きの見本ページを作る"),
        user("見本ページを縦書きにしたいです。句読点と英数字の扱いを教えてください。👩‍🎨"),
        assistant(
            "縦書きは `writing-mode` だけで始められます。\n\n"
            "```css\n.specimen {\n  writing-mode: vertical-rl;\n  text-orientation: mixed;\n}\n\n"
            ".specimen .digits {\n  text-combine-upright: all; /* 縦中横 */\n}\n```\n\n"
            "- **句読点**：フォントの `vert` 機能が右上に寄せます。\n"
            "- **英数字**：二桁までは縦中横、それより長ければ横倒しのまま。\n"
            "- **ルビ**：`<ruby>活字<rt>かつじ</rt></ruby>` と書けば右側に付きます。"
        ),
    ]


def german_session() -> list[Fields]:
    return [
        ai_title("Silbentrennung ohne Überraschungen"),
        user("Im Blocksatz entstehen große Löcher. Reicht `hyphens: auto`?"),
        assistant(
            "Es reicht fast. Drei Zeilen genügen:\n\n"
            "```css\np {\n  hyphens: auto;\n  hyphenate-limit-chars: 6 3 3;\n  text-wrap: pretty;\n}\n```\n\n"
            'Ohne `lang="de"` am Dokument trennt der Browser **gar nicht**. Und »Urinstinkt« trennst du besser von Hand: '
            "`Ur&shy;instinkt`."
        ),
    ]


def reviewer_session() -> list[Fields]:
    return [
        ai_title("Interim notes for the reviewer"),
        user("Summarise where the redesign stands, for someone who joins for a week."),
        assistant(
            "**Done**: grid, specimen pages, hyphenation.\n\n**Open**: the Arabic specimen needs a heavier weight; "
            "print styles lose the footnotes.\n\n**Ask Bo**: whether the shop moves before or after the redesign."
        ),
    ]


def retired_session() -> list[Fields]:
    return [
        ai_title("Notes for a fair that is over"),
        user("Which posters do we take to the spring fair?"),
        assistant("The three large ones, and the specimen book."),
    ]


def long_session() -> list[Fields]:
    """A long afternoon of small steps, made from a seed: the same on every machine."""
    rng = random.Random(20260408)  # noqa: S311 - a story, not a secret
    records: list[Fields] = [ai_title("An afternoon of kerning pairs")]
    for turn in range(LONG_TURNS):
        left, right = rng.choice("AFKLPTVWY"), rng.choice("aeo.,-cqs")
        value = -5 * rng.randint(2, 16)
        records += [
            user(_ask(rng, left, right)),
            assistant(
                tool_use("Read", {"file_path": f"{CWD}/kerning/{left}.fea", "limit": 20}, id=f"toolu_k{turn}r"),
            ),
            user(tool_result(f"toolu_k{turn}r", _pairs(rng, left))),
            assistant(
                tool_use(
                    "Edit",
                    {
                        "file_path": f"{CWD}/kerning/{left}.fea",
                        "old_string": f"pos {left} {right} 0;",
                        "new_string": f"pos {left} {right} {value};",
                    },
                    id=f"toolu_k{turn}e",
                ),
            ),
            user(tool_result(f"toolu_k{turn}e", "The file has been updated.")),
            assistant(_answer(rng, left, right, value)),
        ]
    return records


def _ask(rng: random.Random, left: str, right: str) -> str:
    return rng.choice(
        (
            f"“{left}{right}” still looks loose in the second line.",
            f"Now the pair {left}{right}. Compare it with {left}o before you decide.",
            f"Is {left}{right} right? On paper it reads as two words.",
            f"Next: {left}{right}, at 10 point and at 72.",
        )
    )


def _pairs(rng: random.Random, left: str) -> str:
    rows = (f"{n:6}→    pos {left} {right} {-5 * rng.randint(0, 14)};" for n, right in enumerate("aceoqsu.,-:;", 1))
    return "\n".join(rows)


def _answer(rng: random.Random, left: str, right: str, value: int) -> str:
    reason = rng.choice(
        (
            "the counter is open, so the eye adds white that isn't there",
            "the diagonal leaves a wedge at the foot",
            "the bar of the first letter shelters the second",
            "set tight at 10 point it would touch, so I stopped before the round",
        )
    )
    return (
        f"`{left}{right}` is **{value}** now: {reason}. "
        f"{rng.choice(('The proof agrees.', 'Worth a look at 72 point.', 'I kept its neighbours as they were.'))}"
    )
