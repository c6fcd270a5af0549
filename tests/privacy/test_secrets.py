"""No secret is published: whatever its shape, wherever it stands, however it's written down."""

from __future__ import annotations

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from msgspec.structs import replace

from sitegen.model import Attachment, Block, Conversation, Json, Show
from sitegen.privacy import Engine, Match, NoEngine, Policy, Scan, apply, find_engine, fingerprint, mark
from tests.privacy.support import HEAD, SHARE, everywhere, message, said, scrubbed, shown
from tests.support.plants import Plant, all_secrets, private_key, spellings, token, vendor_tokens, web_token

LIBRARY = find_engine()
SECRETS = all_secrets()
NAMES = [plant.name for plant in SECRETS]
GITHUB = next(vendor_tokens())


@pytest.fixture(params=["library", "own rules"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Both ways in which secrets are found: with the library, and on a platform without it."""
    if request.param == "own rules":
        return NoEngine()
    if isinstance(LIBRARY, NoEngine):
        pytest.skip("this platform has no wheel of the library")
    return LIBRARY


def holds(found: object, value: str) -> list[str]:
    """The forms in which something still says a value."""
    text = repr(found).encode() + ascii(found).encode()
    return [form for form, data in spellings(value).items() if data in text]


@pytest.mark.parametrize("plant", SECRETS, ids=NAMES)
def test_secret_is_replaced_by_a_mark(plant: Plant, engine: Engine) -> None:
    if isinstance(engine, NoEngine) and plant.name == "xai":
        pytest.skip("its shape is known to the library only")
    text = shown(plant.text, engine=engine)
    assert not holds(text, plant.value)
    assert "[redacted:" in text


@pytest.mark.parametrize("depth", [1, 50, 55, 58, 60, 62, 70])
def test_secret_goes_however_deep_it_is_nested(depth: int) -> None:
    nested: dict[str, Json] = {"innermost": GITHUB.value}
    for _ in range(depth):
        nested = {"inner": nested}
    block = Block("tool_use", tool_name="T", payload={"input": nested})
    given = Conversation(HEAD, (message(0, "assistant", block, tool_detail=nested, metadata=nested),))
    result = scrubbed(replace(given, subagents=(given,))).conversation
    assert not holds(result, GITHUB.value)
    assert repr(result).count("innermost") == 6


@pytest.mark.parametrize("place", everywhere(""))
def test_secret_goes_wherever_a_conversation_can_carry_text(place: str) -> None:
    for plant in (GITHUB, SECRETS[NAMES.index("connection string")], SECRETS[NAMES.index("private key")]):
        result = scrubbed(everywhere(plant.text)[place])
        assert not holds(result.conversation, plant.value), plant.name
        assert any(finding.is_secret for finding in result.findings)
        assert not holds(result.findings, plant.value)


@pytest.mark.parametrize("plant", SECRETS[::4], ids=NAMES[::4])
@pytest.mark.parametrize("form", ["json", "url", "hex", "base64", "base64 of more", "web base64"])
def test_encoded_forms_of_a_secret_go_too(plant: Plant, form: str) -> None:
    value = plant.value
    encoded = {
        "json": json.dumps(value),
        "url": quote(value, safe=""),
        "hex": value.encode().hex(),
        "base64": base64.b64encode(value.encode()).decode(),
        "base64 of more": base64.b64encode(f"so: {value} and on".encode()).decode(),
        "web base64": base64.urlsafe_b64encode(f"x{value}".encode()).decode(),
    }[form]
    result = scrubbed(said(plant.text, f"It is {encoded} there.")).conversation
    text = str(result.messages[1].blocks[0].text)
    assert "[redacted:" in text
    assert encoded not in text


@pytest.mark.parametrize("form", ["url", "form", "html", "base64 in lines", "base64 in quoted lines", "json in json"])
def test_secret_that_stands_in_another_form_only_goes(form: str) -> None:
    plants = [*vendor_tokens()][:6]
    assigned = token("assigned", 24)
    known = (f'token: "{assigned}"', f"A_SECRET={assigned}2", *(plant.text for plant in plants))
    text = "\n".join([*known, "and more " * 9])
    lines = base64.encodebytes(text.encode()).decode()
    encoded = {
        "url": quote(text),
        "form": quote_plus(text),
        "html": html.escape(text),
        "base64 in lines": f"it says\n{lines}",
        "base64 in quoted lines": "\n".join(f"> {line}" for line in f"it says\n{lines}".splitlines()),
        "json in json": json.dumps(json.dumps({"body": text})),
    }[form]
    left = shown(f"See {encoded} there.")
    for value in (assigned, *(plant.value for plant in plants)):
        for shape in spellings(value).values():
            assert shape.decode() not in left
    assert left.startswith("See ")
    assert left.endswith("there.")


@pytest.mark.parametrize(
    "text",
    [
        "Cookie: a=1; sid={} (Set-Cookie: other={}; Path=/)",
        "https://a.example/go?to=https://b.example/in?token={}&session={}",
        "https://x:{}@a.example/https://y:{}@b.example/",
        "eyJ.eyJ {} then eyJhbGciOiJub25lIn0 {}",
    ],
    ids=["cookies in one line", "address in an address", "logins in one address", "beginnings of tokens"],
)
def test_one_within_another_is_found_too(text: str) -> None:
    values = ("abc." + web_token(), web_token()) if "eyJ" in text else (token("outer", 24), token("inner", 24))
    left = shown(text.format(*values))
    assert not any(value.removeprefix("abc.") in left for value in values)


@pytest.mark.parametrize("escape", ["\\n", "\\r\\n", "\\\\n", "\\t"])
def test_environment_behind_an_escape_is_one(escape: str) -> None:
    left = shown(f'{{"command": "PORT=1{escape}SMTP_PASSWORD=correcthorsebattery{escape}DEBUG=1"}}')
    assert left == f'{{"command": "PORT=1{escape}SMTP_PASSWORD={mark("password")}{escape}DEBUG=1"}}'


def test_key_without_an_end_hides_none_behind_it() -> None:
    begun, whole = private_key("begun").rsplit("\n", 1)[0], private_key("whole")
    left = shown(f"{begun}\n\nand\n{whole}\n")
    assert not any(line in left for key in (begun, whole) for line in key.splitlines()[1:12])


def test_line_of_a_base64_that_holds_a_secret_goes_elsewhere_too() -> None:
    key = next(vendor_tokens()).value
    lines = base64.encodebytes(f"{'so ' * 19}{key} and {'more ' * 40}".encode()).decode().splitlines()
    result = scrubbed(said("\n".join(["it says", *lines]), f"+{lines[1]}", f"+{lines[-2]}")).conversation
    texts = [str(each.blocks[0].text) for each in result.messages]
    assert lines[1] not in repr(texts)
    assert texts[2] == f"+{lines[-2]}"


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/?q=a%20b%3Ac&n=%22x%22 isn&#39;t &amp; won&#39;t a1B2c3D4e5F6g7H8i9",
        "a1B2c3D4e5F6g7H8i9\n" + base64.encodebytes(bytes(range(256)) * 3).decode(),
        "a1B2c3D4e5F6g7H8i9\n" + base64.encodebytes(b"Nothing of note stands in this letter to ann. " * 9).decode(),
    ],
    ids=["escapes", "bytes", "prose"],
)
def test_encoded_text_without_secrets_stays(text: str) -> None:
    assert shown(text) == text


def test_marks_are_of_one_length_and_tell_values_apart_by_nothing() -> None:
    marks = {mark(kind) for kind in ("access token", "API key", "cookie", "login", "password", "private key", "secret")}
    assert len({len(each) for each in marks}) == 1
    first, second = token("one", 20), token("another one", 60)
    assert shown(f"API_TOKEN={first}") == shown(f"API_TOKEN={second}")
    assert not re.search(r"[\s\"'\\<>]", mark("private key"))


def test_json_stays_json() -> None:
    text = json.dumps({"access_token": token("json", 30), "keep": [1, "two"]})
    assert json.loads(shown(text))["keep"] == [1, "two"]


def test_value_named_once_goes_everywhere() -> None:
    value = token("named once", 24)
    result = scrubbed(said(f"export API_KEY={value}", f"and then it said {value}!", f"/tmp/{value}/x"))
    assert value not in repr(result.conversation)
    assert [finding.count for finding in result.findings] == [3]


def test_short_password_goes_where_it_stands_and_spares_the_word() -> None:
    result = scrubbed(said("DB_PASSWORD=sunshine", "The sunshine was lovely."))
    assert [str(m.blocks[0].text) for m in result.conversation.messages] == [
        f"DB_PASSWORD={mark('password')}",
        "The sunshine was lovely.",
    ]


def test_value_that_only_a_hidden_part_gives_away_goes_from_the_shown_one() -> None:
    value = token("hidden", 24)
    conversation = Conversation(
        HEAD,
        (
            message(0, "user", Block("text", f"Is {value} still good?")),
            message(1, "user", Block("tool_result", f"API_SECRET={value}", tool_use_id="t")),
        ),
    )
    result = scrubbed(conversation, share=replace(SHARE, show=Show.CONVERSATION))
    assert value not in repr(result)


@pytest.mark.parametrize("numbered", [False, True], ids=["patch", "numbered"])
def test_private_key_goes_when_its_lines_stand_apart(numbered: bool) -> None:
    lines = private_key("apart").splitlines()
    shaped = [f"{n:6}\u2192{line}" if numbered else f"+{line}" for n, line in enumerate(lines)]
    parts = Conversation(HEAD, tuple(message(n, "user", Block("text", line)) for n, line in enumerate(shaped)))
    result = scrubbed(parts).conversation
    assert not any(line in repr(result) for line in lines[1:-1])


def test_text_without_secrets_is_the_very_same_conversation() -> None:
    conversation = said("Nothing to see.", "import os\nprint(os.environ['HOME'])")
    assert scrubbed(conversation).conversation is conversation


# ------------------------------------------------------------------------------------------------------- look-alikes

LOOK_ALIKES = {
    "commit": "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "UUID": "id 550e8400-e29b-41d4-a716-446655440000",
    "digest": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "lock file": '"integrity": "sha512-'
    + "v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg"
    + '=="',
    "yarn lock": "resolved https://registry.example.org/a/-/a-1.0.0.tgz#6f1c2b0f7a5b4e3d2c1b0a9f8e7d6c5b4a392817",
    "code reading a key": 'token = os.environ["API_TOKEN"]',
    "code calling": "password = get_password(user)",
    "code with a name": "self.secret_key = secret_key",
    "typed field": "password: string;",
    "annotated": "def login(user: str, password: str = '') -> Token: ...",
    "placeholder": "API_KEY=your-api-key-here",
    "another placeholder": "export TOKEN=<your token>",
    "variable": "Authorization: Bearer $GITHUB_TOKEN",
    "template": "Authorization: Bearer ${{ secrets.DEPLOY_TOKEN }}",
    "stars": "password=********",
    "example of documentation": "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
    "address of documentation": "postgres://user:password@localhost:5432/db",
    "default of development": "postgresql://postgres:postgres@localhost/test",
    "counts of tokens": '{"input_tokens": 123456, "max_tokens": 4096, "token_count": 1234567890}',
    "style": "--color-token: #ff8800; key: value-of-things",
    "keyboard": 'if (event.key === "ArrowLeft1") {}',
    "words about secrets": "The secret: always test before you ship. The password is checked twice.",
    "translation": '"password": "Please enter your password"',
    "route": "router.get('/reset-password/:token', handler)",
    "url": "https://example.org/docs/v2/getting-started?page=12&sort=created_at",
    "css class": "class='token-list__item--key-1'",
    "import": "import { createToken } from '@lib/tokens/create-token.v2'",
    "cache key": 'cache_key = "user:1234:profile:v2"',
    "public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx6Y2FzZGZnaGprbHF3ZXJ0eXVpb3Bhc2RmZ2hq bo@example.org",
    "time": "2026-01-02T03:04:05.678Z token refreshed",
    "version": "secretlint@8.2.4 keytar@7.9.0",
}


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_stays(name: str, engine: Engine) -> None:
    assert shown(LOOK_ALIKES[name], engine=engine) == LOOK_ALIKES[name]


def test_pictures_stay_byte_for_byte(engine: Engine) -> None:
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes((n * 7919) % 256 for n in range(60_000))).decode()
    block = Block("image", payload={"source": {"type": "base64", "media_type": "image/png", "data": data}})
    conversation = Conversation(
        HEAD,
        (
            message(0, "user", block, Block("text", f"![](data:image/png;base64,{data})")),
            message(1, "user", attachments=(Attachment("a.jpg", None, data=b"\xff\xd8\xff" + bytes(range(256)) * 40),)),
        ),
    )
    assert scrubbed(conversation, engine=engine).conversation is conversation


def test_drawing_is_text_and_is_scrubbed_within_its_base64() -> None:
    svg = f"<svg xmlns='http://www.w3.org/2000/svg'><desc>{GITHUB.value}</desc>{'<g></g>' * 40}</svg>"
    block = Block("image", payload={"source": {"data": base64.b64encode(svg.encode()).decode()}})
    result = scrubbed(Conversation(HEAD, (message(0, "user", block),))).conversation
    source = result.messages[0].blocks[0].payload["source"]
    assert isinstance(source, dict)
    text = base64.b64decode(str(source["data"])).decode()
    assert GITHUB.value not in text
    assert text.startswith("<svg")


# ---------------------------------------------------------------------------------------------------------- policies


def test_allowed_fingerprint_stays_and_is_told() -> None:
    result = scrubbed(GITHUB.text, allow=(fingerprint(GITHUB.value.encode()),))
    assert GITHUB.value in repr(result.conversation)
    assert [(finding.is_kept, finding.fingerprint) for finding in result.findings] == [
        (True, fingerprint(GITHUB.value.encode()))
    ]
    assert GITHUB.value not in repr(result.findings)


def test_policy_allow_publishes_and_tells() -> None:
    result = scrubbed(GITHUB.text, secrets="allow")
    assert GITHUB.value in repr(result.conversation)
    assert result.secrets == ()
    assert result.findings[0].is_kept


def test_fingerprint_names_a_value_without_telling_it() -> None:
    one = fingerprint(GITHUB.value.encode())
    assert re.fullmatch("[0-9a-f]{12}", one)
    assert one == fingerprint(GITHUB.value.encode()) != fingerprint(b"another")


class Notes:
    """A memory that counts."""

    def __init__(self) -> None:
        self.scans: dict[str, Scan] = {}

    def recall(self, name: str) -> Scan | None:
        return self.scans.get(name)

    def keep(self, name: str, scan: Scan) -> None:
        self.scans[name] = scan


class Counting:
    """An engine that finds nothing and counts how often it's asked."""

    name = "counting 1"

    def __init__(self) -> None:
        self.asked = 0

    def scan(self, data: bytes) -> list[Match]:
        self.asked += 1
        return []


def test_scan_is_remembered_without_the_secret() -> None:
    engine, memory, policy = Counting(), Notes(), Policy()
    first = apply(said(f"API_KEY={token('m', 24)}"), SHARE, policy, engine=engine, memory=memory)
    again = apply(said(f"API_KEY={token('m', 24)}"), SHARE, policy, engine=engine, memory=memory)
    assert engine.asked == 1
    assert first == again
    assert not holds(memory.scans, token("m", 24))
    apply(said(f"Something else: {token('other', 24)}"), SHARE, policy, engine=engine, memory=memory)
    assert engine.asked == 2


def test_nothing_found_at_a_glance_isn_t_worth_remembering() -> None:
    memory = Notes()
    apply(said("Nothing here."), SHARE, Policy(), engine=Counting(), memory=memory)
    assert memory.scans == {}


@pytest.mark.parametrize(
    "text",
    [
        "def parse_header_v2(first_line, max_tokens=4096): return utf8_decode(first_line)",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 by hand, in 2026-01-02T03:04:05",
        "src/components/button-group-2/index.test.tsx and k8s, i18n, sha256sum",
    ],
)
def test_engine_isn_t_asked_about_words_numbers_and_digests(text: str) -> None:
    engine = Counting()
    scrubbed(text, engine=engine)
    assert engine.asked == 0


def test_wild_text_does_no_harm(engine: Engine) -> None:
    wild = "\x00\ud800 -----BEGIN " + "PRIVATE KEY----- {{ token: \x1e\n\x1e key=\\\"' ://:@ %40 eyJ.eyJ. Cookie: =;"
    deep: Json = wild
    for _ in range(200):
        deep = {"in": [deep]}
    blocks = (Block("text", wild), Block("tool_use", payload={"x": deep}))
    scrubbed(Conversation(HEAD, (message(0, "user", *blocks),)), engine=engine)
    assert wild.split(" ")[0] in shown(wild, engine=engine)
