"""Home folders, the names of people and their addresses are shortened and masked; code and prose stay as they were."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from sitegen.model import Attachment, Block, Conversation
from tests.privacy.support import HEAD, everywhere, message, said, scrubbed, shown

HOMES = {
    "Linux": ("cd /home/ann/code/x", "cd ~/code/x"),
    "the folder itself": ("HOME=/home/ann", "HOME=~"),
    "end of a sentence": ("It's in /home/ann.", "It's in ~."),
    "macOS": ("open /Users/ann/Desktop", "open ~/Desktop"),
    "with a dot": ("/home/ann.lee/x", "~/x"),
    "Windows": (r"C:\Users\ann\code\x", r"~\code\x"),
    "Windows, name with a space": (r"dir C:\Users\Ann Lee\code", r"dir ~\code"),
    "Windows in JSON": (r'{"cwd": "C:\\Users\\ann\\code"}', r'{"cwd": "~\\code"}'),
    "Windows, slashes": ("C:/Users/ann/code", "~/code"),
    "WSL": ("/mnt/c/Users/ann/code", "~/code"),
    "Git Bash": ("/c/Users/ann/code", "~/code"),
    "WSL from Windows": (r"\\wsl$\Ubuntu\home\ann\x", r"~\x"),
    "file address": ("file:///home/ann/a.html", "file://~/a.html"),
    "escaped slashes": (r"\/home\/ann\/x", r"~\/x"),
    "for the web": ("?path=%2Fhome%2Fann%2Fx", "?path=~%2Fx"),
    "Windows, for the web": ("C%3A%5CUsers%5Cann%5Cx", "~%5Cx"),
    "agent's folder": ("ls ~/.claude/projects/-home-ann-code-x/", "ls ~/.claude/projects/~-code-x/"),
    "agent's folder on macOS": ("projects/-Users-ann-code-x", "projects/~-code-x"),
    "agent's folder on Windows": ("projects/C--Users-ann-code-x", "projects/~-code-x"),
    "other roots": ("/var/home/ann/x and /export/home/ann/y", "~/x and ~/y"),
    "copied": ("scp ann@box:/home/ann/x .", "scp user@box:~/x ."),
    "in JSON": ('{"cwd":"/home/ann/code"}', '{"cwd":"~/code"}'),
    "in a list": ("PATH=/home/ann/bin:/home/ann/go/bin:/usr/bin", "PATH=~/bin:~/go/bin:/usr/bin"),
    "in quotes": ("'/home/ann'", "'~'"),
    "beside Markdown": ("`/home/ann/x`, **/home/ann/y**", "`~/x`, **~/y**"),
    "name not in ASCII": ("/home/änn/x", "~/x"),
    "a container's": ("/home/node/app", "~/app"),
}


@pytest.mark.parametrize("name", HOMES)
def test_home_folder_becomes_a_tilde(name: str) -> None:
    text, expected = HOMES[name]
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("/backup/home/ann/x", "/backup/home/user/x", id="home within another place"),
        pytest.param("/tmp/agent/-home-ann-code/y", "/tmp/agent/~-code/y", id="folder name elsewhere"),
        pytest.param("I'm ann, hello.", "I'm user, hello.", id="bare word"),
        pytest.param("Ann's laptop", "User's laptop".replace("User", "user"), id="capital letter and genitive"),
        pytest.param(
            "drwxr-xr-x  2 ann ann 4096 Jan  1 10:00 src", "drwxr-xr-x  2 user user 4096 Jan  1 10:00 src", id="owner"
        ),
        pytest.param("-rw-r--r--@ 1 ann  staff  12 a.txt", "-rw-r--r--@ 1 user  staff  12 a.txt", id="owner on macOS"),
        pytest.param("uid=1000(ann) gid=1000(ann)", "uid=1000(user) gid=1000(user)", id="id"),
        pytest.param("ann@box:~$ ls", "user@box:~$ ls", id="shell prompt"),
        pytest.param('"author": "ann"', '"author": "user"', id="author"),
        pytest.param("USER=ann", "USER=user", id="environment"),
        pytest.param("ann  1234  0.0  0.1 python", "user  1234  0.0  0.1 python", id="process"),
        pytest.param("/media/ann/usb", "/media/user/usb", id="path of this machine"),
        pytest.param("/tmp/pytest-of-ann/x", "/tmp/pytest-of-user/x", id="temporary folder"),
        pytest.param("ann.pdf", "user.pdf", id="document"),
        pytest.param("thanks @ann!", "thanks @user!", id="mention"),
        pytest.param("ann-macbook is slow", "user-macbook is slow", id="machine"),
    ],
)
def test_person_known_from_a_home_goes_elsewhere_too(text: str, expected: str) -> None:
    result = scrubbed(said("/home/ann/code", text)).conversation
    assert result.messages[1].blocks[0].text == expected


@pytest.mark.parametrize(
    "text",
    [
        "chown -R mark src",
        "chown root:mark src",
        "sudo -u mark make",
        "su - mark",
        "user_name = 'mark'",
        'the "login": \\"mark\\"',
        "LogName:\tmark",
        "groups=4(adm),27(mark)",
        "whoami\nmark",
        "-rw-r--r-- 1 root  mark  12 a.txt",
    ],
)
def test_name_that_is_a_word_goes_where_a_system_puts_names(text: str) -> None:
    result = scrubbed(said("cd /home/mark/code", text)).conversation
    assert result.messages[1].blocks[0].text == text.replace("mark", "user")


STAYS = {
    "import": "from ann.tools import x",
    "import of a module": "import ann",
    "attribute": "self.ann.run()",
    "call": "ann(3)",
    "scope of a package": "npm i @ann/parser",
    "part of a word": "annotate the planner and manning",
    "identifier": "ann_config = load_ann()",
    "web address": "https://forge.example/ann/parser",
    "relative path": "src/ann/x.py",
    "package": "ann-parser",
}


@pytest.mark.parametrize("name", STAYS)
def test_code_stays_code(name: str) -> None:
    result = scrubbed(said("/home/ann/code", STAYS[name])).conversation
    assert result.messages[1].blocks[0].text == STAYS[name]


@pytest.mark.parametrize(
    "text",
    [
        "it will work, mark my words",
        "the node server of the app runs as root on main",
        "import will\nmark = 3",
    ],
)
@pytest.mark.parametrize("name", ["will", "mark", "node", "root", "main"])
def test_name_that_is_a_word_stays_in_prose(name: str, text: str) -> None:
    result = scrubbed(said(f"cd /home/{name}/code", text, f"drwxr-xr-x 2 {name} {name} 40 a")).conversation
    texts = [str(each.blocks[0].text) for each in result.messages]
    assert texts[:2] == ["cd ~/code", text]
    if name in ("will", "mark"):
        assert name not in texts[2]


UNTOUCHED = {
    "route of the web": "https://example.com/home/about",
    "route of a server": "app.get('/users/ann', show)",
    "relative import": "import x from '../home/index.js'",
    "module": "from app.home.views import index",
    "variable": "/home/$USER/x and /Users/${NAME}/y and C:\\Users\\%USERNAME%\\z",
    "placeholder": "/home/<you>/x",
    "tool's own": "/home/linuxbrew/.linuxbrew/bin/brew",
    "shared folder": "/Users/Shared/x",
    "prose": "at home, users say; home-page and /home",
    "style": "page-home-banner and --home-color",
    "tilde": "~/code/x",
    "address of a test": "bo@example.org, ann@example.com, x@y.test, root@localhost",
    "repository": "git clone git@forge.invalid:ann/parser.git",
    "repository of a service": "git@github.com:org/repo.git",
    "decorator": "@pytest.fixture\ndef x(): ...",
    "version": "react@18.2.0 @types/node@20.1.0 actions/checkout@v4.1.0-rc",
    "image": "icon@2x.png and logo@3x.webp",
    "unit": "systemctl status getty@tty1.service",
    "product": "x@self.weight",
    "digest": "alpine@sha256:abc",
}


@pytest.mark.parametrize("name", UNTOUCHED)
def test_what_is_no_home_and_no_address_stays(name: str) -> None:
    assert shown(UNTOUCHED[name]) == UNTOUCHED[name]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("mail ann.lee+x@corp.invalid.com now", "mail [email] now", id="plain"),
        pytest.param("<ann@corp.co>", "<[email]>", id="in brackets"),
        pytest.param("Author: Ann <ann@corp.io>", "Author: Ann <[email]>", id="commit"),
        pytest.param("mailto:ann@corp.io?subject=x", "mailto:[email]?subject=x", id="link"),
        pytest.param("to=ann%40corp.io&x=1", "to=[email]&x=1", id="for the web"),
        pytest.param("%3Cann%40corp.io%3E", "%3C[email]%3E", id="escaped for the web"),
        pytest.param(r"a\nann@corp.io\n", r"a\n[email]\n", id="after an escape"),
        pytest.param("ann@corp.io.", "[email].", id="end of a sentence"),
        pytest.param("'ann@corp.io','bo@corp.io'", "'[email]','[email]'", id="two"),
        pytest.param("ann@bücher.de", "[email]", id="name not in ASCII"),
        pytest.param("12345+ann@users.noreply.forge.com", "[email]", id="noreply"),
    ],
)
def test_email_is_masked(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize("place", everywhere(""))
def test_homes_and_addresses_go_wherever_a_conversation_can_carry_text(place: str) -> None:
    found = repr(scrubbed(everywhere("see /home/zelda/x, write to zelda@corp.io")[place]).conversation)
    assert "zelda" not in found.lower()


@pytest.mark.parametrize(
    ("option", "text", "expected"),
    [
        ("masks_ips", "10.1.2.3 and 192.168.0.17 and fd12:3456::1", "[ip] and [ip] and [ip]"),
        ("masks_ips", "8.8.8.8, 127.0.0.1, version 10.1.2, 110.1.2.3", "8.8.8.8, 127.0.0.1, version 10.1.2, 110.1.2.3"),
        ("masks_macs", "ether a4:83:e7:12:9f:0b and A4-83-E7-12-9F-0B", "ether [mac] and [mac]"),
        ("masks_macs", "ff:ff:ff:ff:ff:ff 12:30:45:10:00", "ff:ff:ff:ff:ff:ff 12:30:45:10:00"),
        ("masks_phones", "call +49 30 1234567 or (555) 123-4567 or 555-123-4567", "call [phone] or [phone] or [phone]"),
        ("masks_phones", "2026-01-02 12:30, 1.2.3, 123456789012", "2026-01-02 12:30, 1.2.3, 123456789012"),
        ("masks_phones", "550e8400-e29b-41d4", "550e8400-e29b-41d4"),
        ("masks_serials", "Serial Number (system): C02XK1ZYJGH5", "Serial Number (system): [serial]"),
        ("masks_serials", "serialVersionUID, serial: true, serialize", "serialVersionUID, serial: true, serialize"),
        ("masks_hosts", "ann@peach7:~/x$ ls; peach7 and peach7.local", "ann@[host]:~/x$ ls; [host] and [host]"),
        ("masks_hosts", "hostname = localhost; a.host; x.local()", "hostname = localhost; a.host; x.local()"),
    ],
)  # fmt: skip
def test_machines_are_masked_by_option_only(option: str, text: str, expected: str) -> None:
    assert shown(text) == text
    masking: dict[str, Any] = {option: True}
    assert shown(text, **masking) == expected


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("Acme", "ACME and acme's acme_api, acme.com", "[hidden] and [hidden]'s [hidden]_api, [hidden].com"),
        ("Acme", "acmeology placme", "acmeology placme"),
        ("Project Blue", "the project blue plan", "the [hidden] plan"),
        ("Müller", "MÜLLER und müller und Müllerin", "[hidden] und [hidden] und Müllerin"),
        ("x++", "in x++ and X++", "in [hidden] and [hidden]"),
        ("Acme", "“Acme” and Acme’s — Acme—now, Acme…", "“[hidden]” and [hidden]’s — [hidden]—now, [hidden]…"),
        ("Acme", "→Acme, ✅Acme, «Acme», Acme\u00a0Ltd", "→[hidden], ✅[hidden], «[hidden]», [hidden]\u00a0Ltd"),
        ("Acme", "Acmeの計画, AcmeÜber", "[hidden]の計画, AcmeÜber"),
        ("山田", "山田さんは", "[hidden]さんは"),
        ("김철수", "김철수는", "[hidden]는"),
        ("Acme", '{"a": "x\\nAcme%20\\u201cAcme"}', '{"a": "x\\n[hidden]%20\\u201c[hidden]"}'),
        ("Müller", "Mu\u0308ller and Müller", "[hidden] and [hidden]"),
        ("Acme", "\x1b[1mAcme\x1b[0m", "\x1b[1m[hidden]\x1b[0m"),
    ],
)
def test_own_words_are_hidden_in_any_case(word: str, text: str, expected: str) -> None:
    assert shown(text, hide=(word,)) == expected


@pytest.mark.parametrize("around", ["“{}”", "{}’s", "{}—", "→ {}…", "{}さん"])
def test_name_beside_marks_that_are_no_ascii_goes(around: str) -> None:
    assert shown("in /home/zelda: " + around.format("zelda")) == "in ~: " + around.format("user")


@pytest.mark.parametrize("before", ["“", "→ ", "→", "└─", "\u00a0", "…", "在", "パス：", "\x1b[1m"])
def test_home_behind_a_mark_that_is_no_ascii_is_one(before: str) -> None:
    assert shown(f"{before}/home/zelda/x") == f"{before}~/x"


def test_everything_can_be_kept() -> None:
    text = "/home/ann/x ann@corp.io"
    assert shown(text, shortens_paths=False, masks_emails=False) == text


@pytest.mark.parametrize("escape", ["\\n", "\\t", "%20", "%22", "\\u0022", "%0A"])
def test_name_behind_an_escape_goes(escape: str) -> None:
    assert (
        shown(f"in /home/zelda: said{escape}zelda then, but sanzelda") == f"in ~: said{escape}user then, but sanzelda"
    )


@pytest.mark.parametrize("escape", ["\\n", "\\t", '\\"', "\\\\n", '\\\\\\"'])
def test_name_before_an_escape_goes(escape: str) -> None:
    assert shown(f"in /home/zelda: says zelda{escape}then") == f"in ~: says user{escape}then"


def test_folder_that_nothing_shows_tells_whose_name_must_go() -> None:
    talk = replace(said("Ask zelda about it."), folders=("/home/zelda/code",))
    found = scrubbed(talk).conversation
    assert found.messages[0].blocks[0].text == "Ask user about it."
    assert found.folders == ("~/code",)


def test_files_find_each_other_after_their_names_changed() -> None:
    block = Block("image", payload={"file_name": "/home/ann/a.png"})
    file = Attachment("/home/ann/a.png", "image/png", data=b"\x89PNG\r\n\x1a\n")
    result = scrubbed(Conversation(HEAD, (message(0, "user", block, attachments=(file,)),))).conversation
    assert result.messages[0].blocks[0].payload["file_name"] == result.messages[0].attachments[0].filename == "~/a.png"


def test_findings_tell_places_and_no_values() -> None:
    result = scrubbed(said("hello", "see /home/zelda/x and write to zelda@corp.io"))
    told = {finding.kind: finding for finding in result.findings}
    assert told["home path"].place.message == 1
    assert told["email"].excerpt == "see ~/x and write to [email]"
    assert not re.search("zelda", repr(result.findings))
