"""`share`, `links`, `rotate`, `shares` for what is protected: secrets are made, kept, and printed by `links` alone."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli.reading import read_archive
from sitegen.config.private import keep, keep_site_secret
from sitegen.gate.encoding import b64u
from tests.cli.site import SiteFolder

STRONG = "correct horse battery staple"
GUARDED_PROJECT = '[[project]]\nmatch = "/home/ann/garden"\nslug = "garden"\ngate = "password"\n'


def private(site: SiteFolder) -> dict[str, Any]:
    return tomllib.loads((site.folder / ".sitegen/secrets.toml").read_text("utf-8"))


def links(site: SiteFolder, *args: str) -> list[dict[str, Any]]:
    told = site.run("links", "--json", *args)
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert isinstance(found, list)
    return found


# ------------------------------------------------------------------------------------------------------------- sharing


def test_share_makes_and_keeps_a_passphrase(site: SiteFolder) -> None:
    told = site.run("share", "parser-1", "--gate", "password", "--slug", "p")
    assert told.exit_code == 0, told.output
    assert site.values["share"] == [{"conversation": "claude_code:parser-1", "slug": "p", "gate": "password"}]
    made = private(site)["secrets"]["p"]
    assert len(made.split(" ")) == 6
    assert made not in told.output + site.run("shares").output
    assert "“sitegen links p” prints it" in told.stdout
    assert (site.folder / ".sitegen/secrets.toml").stat().st_mode & 0o777 == 0o600
    assert links(site)[0]["secret"] == made


def test_protected_share_has_a_random_slug_even_when_listed(site: SiteFolder) -> None:
    assert site.run("share", "parser-1", "--gate", "password", "--listed").exit_code == 0
    assert re.fullmatch("[a-z2-7]{26}", site.values["share"][0]["slug"])


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        (["--password", STRONG], None),
        (["--password-stdin"], f"{STRONG}\n"),
        (["--password-prompt"], f"{STRONG}\n{STRONG}\n"),
    ],
    ids=["option", "stdin", "prompt"],
)
def test_password_can_be_given_in_three_ways(site: SiteFolder, args: list[str], answer: str | None) -> None:
    told = site.run("share", "parser-1", "--slug", "p", *args, answer=answer)
    assert told.exit_code == 0, told.output
    assert site.values["share"][0]["gate"] == "password"
    assert private(site)["secrets"] == {"p": STRONG}
    assert STRONG not in told.output
    assert ("stays in your shell's history" in told.stderr) == ("--password" in args)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--password", "hunter2 hunter"], 3, "can be guessed in"),
        (["--password", "short"], 3, "fewer than 12 characters"),
        (["--password", ""], 3, "is empty"),
        (["--slug", "a-slug-of-its-own", "--password", "A-Slug-of-its-own"], 3, "the share's own slug or title"),
        (["--password", STRONG, "--secret", "env:X"], 2, "take one of --password"),
        (["--gate", "email"], 2, "give --recipient ADDRESS for each"),
        (["--gate", "email", "--recipient", "bo"], 2, "“bo” isn't an e-mail address"),
        (["--gate", "otp", "--password", STRONG], 2, "the gate “otp” doesn't ask for one"),
        (["--gate", "none", "--secret", "env:X"], 2, "“secret” is given, but no gate"),
        (["--gate", "password", "--codes", "5"], 2, "--codes makes one-time codes"),
        (["--gate", "password", "--secret", "hunter2"], 2, "--secret says where a secret is kept"),
        (["--gate", "password", "--recipient", "bo@example.org"], 2, "belong to the gate “email”"),
        (["--password", STRONG, "--hint", f"it's {STRONG}"], 3, "the hint holds the password itself"),
        (["--gate", "agreement"], 2, "needs the terms that are agreed to"),
        (["--agreement", "none.md"], 2, "the terms in none.md can't be read"),
    ],
)
def test_what_would_not_protect_is_refused_and_nothing_written(
    site: SiteFolder, args: list[str], code: int, message: str
) -> None:
    before = site.path.read_bytes()
    told = site.run("share", "parser-1", *args)
    assert told.exit_code == code
    assert message in told.stderr
    assert "hunter2" not in told.output
    assert STRONG not in told.output
    assert site.path.read_bytes() == before
    assert not (site.folder / ".sitegen/secrets.toml").exists()


def test_weak_password_is_taken_when_its_owner_says_so(site: SiteFolder) -> None:
    told = site.run("share", "parser-1", "--password", "hunter2 hunter", "--allow-weak")
    assert told.exit_code == 0
    assert re.search("can be guessed in (about|less)", told.stderr)
    assert site.values["share"][0]["allow_weak"] is True


def test_private_file_that_others_can_read_is_refused(site: SiteFolder) -> None:
    keep_site_secret(site.folder, b64u(bytes(32)))
    (site.folder / ".sitegen/secrets.toml").chmod(0o644)
    told = site.run("share", "parser-1", "--gate", "password")
    assert told.exit_code == 3
    assert "can be read by others on this computer" in told.stderr
    assert "share" not in site.values


def test_recipients_codes_and_terms_are_written(site: SiteFolder) -> None:
    (site.folder / "terms").mkdir()
    terms = site.folder / "terms/review.md"
    terms.write_text("# Terms\n\nBe kind.\n")
    args = ["--recipient", "Bo@Example.org", "--recipient", "ann@example.org", "--agreement", str(terms)]
    args += ["--hint", "Ask Ann", "--public-title", "For two"]
    assert site.run("share", "parser-1", "--slug", "a", *args).exit_code == 0
    assert site.run("share", "parser-1", "--slug", "b", "--gate", "otp", "--codes", "3").exit_code == 0
    told = site.run("share", "parser-1", "--slug", "c", "--agreement", str(terms))
    assert "That is no secrecy: everyone with the address can read it" in told.stdout
    a, b, c = site.values["share"]
    assert a["recipients"] == ["bo@example.org", "ann@example.org"]
    assert (a["gate"], a["agreement"]) == ("email", "terms/review.md")
    assert (a["hint"], a["public_title"]) == ("Ask Ann", "For two")
    assert b["gate"] == "otp"
    assert len(private(site)["codes"]["b"]) == 3
    assert (c["gate"], c["agreement"]) == ("agreement", "terms/review.md")


def test_used_code_is_struck(site: SiteFolder) -> None:
    site.run("share", "parser-1", "--slug", "b", "--gate", "otp", "--codes", "2")
    first, second = private(site)["codes"]["b"]
    told = site.run("share", "--strike", first.lower().replace("-", " "))
    assert told.exit_code == 0, told.output
    assert "1 code of b left" in told.stdout
    assert private(site)["codes"] == {"b": [second]}
    assert site.run("share", "--strike", first).exit_code == 2
    assert "nobody can open b now" in site.run("share", "--strike", second).stderr


def test_share_in_a_protected_project_is_told_what_protects_it(site: SiteFolder) -> None:
    site.write(GUARDED_PROJECT)
    told = site.run("share", "garden-2", "--listed")
    assert "Protected by its project's gate" in told.stdout
    assert re.fullmatch("[a-z2-7]{26}", site.values["share"][0]["slug"])
    assert "gate" not in site.values["share"][0]


# --------------------------------------------------------------------------------------------------------------- links


def test_links_of_each_gate(site: SiteFolder) -> None:
    site.run("share", "parser-1", "--slug", "p", "--password", STRONG, "--expires", "2099-01-31")
    site.run("share", "parser-1", "--slug", "m", "--recipient", "bo@example.org", "--recipient", "ann@example.org")
    site.run("share", "parser-1", "--slug", "o", "--gate", "otp", "--codes", "2")
    found = {(each["slug"], each["recipient"], bool(each["link"])) for each in links(site)}
    assert found == {
        ("p", None, True), ("m", "bo@example.org", True), ("m", "ann@example.org", True), ("o", None, False)
    }  # fmt: skip
    (word,) = links(site, "p")
    assert re.fullmatch(r"https://ann\.example\.org/talks/s/p/#k=1\.[\w-]{43}", word["link"])
    assert (word["secret"], word["expires"]) == (STRONG, "2099-01-31T00:00:00Z")
    assert links(site, "p") == [word]
    codes = [each["secret"] for each in links(site, "m") + links(site, "o")]
    assert all(re.fullmatch(r"([0-9A-Z]{4}-){3}[0-9A-Z]{4}", code) for code in codes)
    assert len(set(codes)) == 4


@pytest.mark.parametrize("gate", [("--gate", "password"), ("--recipient", "ann@example.org")])
def test_slug_that_is_used_again_has_keys_that_it_never_had(site: SiteFolder, gate: tuple[str, ...]) -> None:
    def share(conversation: str) -> set[str]:
        assert site.run("share", conversation, "--slug", "p", "--reuse-slug", *gate).exit_code == 0
        return {row["link"] for row in links(site, "p")}

    def rotated() -> set[str]:
        assert site.run("rotate", "p").exit_code == 0
        return {row["link"] for row in links(site, "p")}

    def revoke() -> None:
        assert site.run("revoke", "p", "--yes").exit_code == 0

    used = [share("parser-1"), rotated(), rotated()]
    revoke()
    used += [share("parser-1"), rotated()]
    revoke()
    used += [share("garden-2")]
    assert all(used)
    assert len(set().union(*used)) == sum(map(len, used))


GATES: dict[str, tuple[str, ...]] = {
    "password": ("--gate", "password"),
    "otp": ("--gate", "otp"),
    "email": ("--recipient", "bo@example.org"),
}


@pytest.mark.parametrize("after", GATES)
@pytest.mark.parametrize("before", GATES)
def test_slug_that_is_used_again_opens_by_nothing_that_it_opened_by_before(
    site: SiteFolder, before: str, after: str
) -> None:
    assert site.run("share", "parser-1", "--slug", "p", *GATES[before]).exit_code == 0
    was = private(site)
    site.run("revoke", "p", "--yes")
    assert site.run("share", "garden-2", "--slug", "p", "--reuse-slug", *GATES[after]).exit_code == 0
    assert {row["gate"] for row in links(site, "p")} == {after}
    kept = private(site)
    for table in ("secrets", "codes"):
        assert not was.get(table, {}).get("p") or kept[table].get("p") != was[table]["p"]


@pytest.mark.parametrize("gate", ["password", "otp"])
def test_slug_that_is_used_again_is_not_opened_by_what_the_environment_still_has(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, gate: str
) -> None:
    site.run("share", "parser-1", "--slug", "p", "--gate", gate)
    site.run("revoke", "p", "--yes")
    monkeypatch.setenv("SITEGEN_SECRET_P", "1111-2222-3333-4444")
    before = site.path.read_text(), private(site)
    told = site.run("share", "garden-2", "--slug", "p", "--reuse-slug", "--gate", gate)
    assert told.exit_code == 3
    assert "SITEGEN_SECRET_P is set" in told.output
    assert (site.path.read_text(), private(site)) == before


@pytest.mark.parametrize("is_private", [False, True])
def test_rotate_says_when_codes_stay_as_they_are(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, is_private: bool
) -> None:
    site.run("share", "parser-1", "--slug", "p", "--gate", "otp")
    if is_private:
        keep(site.folder, table="secrets", name="p", value="1111-2222-3333-4444")
    else:
        monkeypatch.setenv("SITEGEN_SECRET_P", "1111-2222-3333-4444")
    codes = private(site)["codes"]
    told = site.run("rotate", "p")
    assert told.exit_code == 0
    assert "stay as they are" in told.output
    assert ("secrets.toml" if is_private else "SITEGEN_SECRET_P") in told.output
    assert private(site)["codes"] == codes


def test_rotate_gives_no_other_share_new_keys_when_one_is_taken_back_meanwhile(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug, talk in (("a", "parser-1"), ("b", "garden-2"), ("c", "parser-1")):
        site.run("share", talk, "--slug", slug, "--gate", "password")

    def meanwhile(*arguments: Any) -> Any:
        site.run("revoke", "a", "--yes")
        return read_archive(*arguments)

    monkeypatch.setattr("sitegen.cli.rotate.read_archive", meanwhile)
    told = site.run("rotate", "b")
    assert told.exit_code == 2
    assert "changed meanwhile" in told.output
    assert [share.get("epoch", 0) for share in site.values["share"]] == [0, 0]
    monkeypatch.undo()
    assert site.run("rotate", "b").exit_code == 0
    assert {share["slug"]: share.get("epoch", 0) for share in site.values["share"]} == {"b": 1, "c": 0}


def test_password_that_a_rule_names_stays_when_its_slug_is_used_again(site: SiteFolder) -> None:
    site.write('[[rule]]\nmatch = { project = "~/elsewhere" }\ngate = "password"\nsecret = "private:p"\n')
    keep(site.folder, table="secrets", name="p", value=STRONG)
    assert site.run("share", "parser-1", "--slug", "p", "--gate", "otp").exit_code == 0
    assert private(site)["secrets"]["p"] == STRONG


def test_rotate_leaves_codes_in_a_file_that_cannot_be_read(site: SiteFolder) -> None:
    assert site.run("share", "parser-1", "--slug", "p", "--gate", "otp", "--secret", "file:codes.txt").exit_code == 0
    told = site.run("rotate", "p")
    assert told.exit_code == 0, told.output
    assert "The codes in file:codes.txt stay as they are" in told.output


def test_password_that_another_share_names_stays_when_its_slug_is_used_again(site: SiteFolder) -> None:
    site.run("share", "parser-1", "--slug", "p", "--password", STRONG)
    site.run("share", "garden-2", "--slug", "q", "--gate", "password", "--secret", "private:p")
    site.run("revoke", "p", "--yes")
    assert site.run(
        "share", "parser-1", "--slug", "p", "--reuse-slug", "--gate", "agreement", "--agreement", "terms.md"
    )
    assert private(site)["secrets"]["p"] == STRONG


def test_slug_that_is_used_again_within_a_protected_project_keeps_the_project_s_keys(site: SiteFolder) -> None:
    site.write('[[project]]\nmatch = "~/code/talks"\ngate = "password"\nsecret = "env:PASSWORD"\n')
    site.run("share", "parser-1", "--slug", "p")
    site.run("revoke", "p", "--yes")
    assert site.run("share", "parser-1", "--slug", "p", "--reuse-slug").exit_code == 0
    assert site.config.shares[0].epoch == 0


def test_links_as_table_csv_and_text(site: SiteFolder) -> None:
    site.run("share", "parser-1", "--slug", "m", "--recipient", "bo@example.org", "--expires", "2099-01-31")
    (way,) = links(site)
    for args in ([], ["--csv"], ["--text"]):
        told = site.run("links", *args)
        assert told.exit_code == 0, told.output
        assert all(way[key] in told.stdout for key in ("recipient", "secret", "link")), args
        assert "whoever holds the site secret" in told.stderr
    (row,) = csv.DictReader(io.StringIO(site.run("links", "--csv").stdout))
    assert row["link"] == way["link"]
    text = site.run("links", "m", "--text").stdout
    assert "until 2099-01-31 00:00 UTC" in text
    assert "About parser-1" not in text


def test_text_is_in_the_site_s_language(site: SiteFolder) -> None:
    site.path.write_text(site.path.read_text().replace("[site]", '[site]\nlanguage = "de"'))
    site.run("share", "parser-1", "--slug", "p", "--password", STRONG)
    assert "Hier ist es zu lesen" in site.run("links", "--text").stdout


def test_links_as_qr_codes(site: SiteFolder, tmp_path: Path) -> None:
    site.run("share", "parser-1", "--slug", "p", "--password", STRONG)
    shown = site.run("links", "--qr")
    assert shown.exit_code == 0, shown.output
    assert "█" in shown.stdout
    assert site.run("links", "--svg", str(tmp_path / "qr")).exit_code == 0
    (file,) = (tmp_path / "qr").iterdir()
    assert file.name == "p-1.svg"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().startswith("<?xml")
    assert site.run("links", "--svg", str(site.folder / "public/qr")).exit_code == 2


@pytest.mark.parametrize("args", [["--text"], ["--qr"], ["--svg", "qr"]], ids=["text", "qr", "svg"])
def test_what_is_sent_needs_the_site_s_address(site: SiteFolder, args: list[str]) -> None:
    site.path.write_text('[source]\nprojection = "archive.duckdb"\n', "utf-8")
    site.run("share", "parser-1", "--slug", "p", "--password", STRONG)
    told = site.run("links", *args)
    assert told.exit_code == 2
    assert "[site] names no base_url, so these links would lead nowhere" in told.stderr
    assert told.stdout == ""
    assert "lack their beginning" in site.run("links").stderr


def test_links_of_nothing_or_of_what_is_open_are_told(site: SiteFolder) -> None:
    assert "nothing is protected" in site.run("links").stderr
    site.run("share", "parser-1", "--slug", "p")
    assert "“p” has no gate" in site.run("links", "p").stderr
    assert site.run("links", "q").exit_code == 2


def test_missing_secret_is_told_by_links_beside_the_others(site: SiteFolder) -> None:
    site.run("share", "parser-1", "--slug", "p", "--gate", "password", "--secret", "env:NOWHERE")
    site.run("share", "parser-1", "--slug", "q", "--password", STRONG)
    told = site.run("links")
    assert told.exit_code == 2
    assert "/s/q/#k=1." in told.stdout
    assert "the share “p” needs a password from env:NOWHERE, and nothing is there" in told.stderr


def test_project_and_its_shares_have_one_password_and_one_key(site: SiteFolder) -> None:
    site.write(GUARDED_PROJECT)
    site.run("share", "garden-2", "--slug", "g")
    keep(site.folder, table="secrets", name="p:garden", value=STRONG)
    index, inner = links(site)
    assert (index["slug"], inner["slug"]) == ("garden", "g")
    assert index["url"].endswith("/p/garden/")
    assert index["secret"] == inner["secret"] == STRONG
    assert index["link"].partition("#")[2] == inner["link"].partition("#")[2]


# -------------------------------------------------------------------------------------------------------------- rotate


def test_rotate_voids_links_and_codes(site: SiteFolder) -> None:
    site.run("share", "parser-1", "--slug", "p", "--password", STRONG)
    site.run("share", "parser-1", "--slug", "m", "--recipient", "bo@example.org")
    site.run("share", "parser-1", "--slug", "o", "--gate", "otp", "--codes", "2")
    before = {each["slug"]: each for each in links(site)}
    for slug in ("p", "m", "o"):
        assert site.run("rotate", slug).exit_code == 0
    after = {each["slug"]: each for each in links(site)}
    assert {share["slug"]: share["epoch"] for share in site.values["share"]} == {"p": 1, "m": 1, "o": 1}
    assert all(before[slug]["link"] != after[slug]["link"] for slug in ("p", "m"))
    assert all(before[slug]["secret"] != after[slug]["secret"] for slug in ("m", "o"))
    assert after["p"]["secret"] == STRONG


def test_rotate_makes_a_new_passphrase_when_asked(site: SiteFolder) -> None:
    site.run("share", "parser-1", "--slug", "p", "--password", STRONG)
    told = site.run("rotate", "p", "--new-passphrase")
    assert told.exit_code == 0
    made = private(site)["secrets"]["p"]
    assert made != STRONG
    assert made not in told.output


@pytest.mark.parametrize(
    ("text", "args", "message"),
    [
        ("", ["x"], "nothing is shared as “x”"),
        ("slug = 'x'", ["x"], "“x” has no gate"),
        ("slug = 'x'\ngate = 'password'", ["x", "--codes", "3"], "--codes is for the gate “otp”"),
        ("slug = 'x'\ngate = 'otp'", ["x", "--new-passphrase"], "--new-passphrase is for the gate “password”"),
        ("slug = 'x'\ngate = 'password'\nsecret = 'env:P'", ["x", "--new-passphrase"], "is kept in env:P, where"),
    ],
)
def test_what_can_t_be_rotated_is_told(site: SiteFolder, text: str, args: list[str], message: str) -> None:
    site.write(f'[[share]]\nconversation = "claude_code:parser-1"\n{text}\n' if text else "")
    before = site.path.read_bytes()
    told = site.run("rotate", *args)
    assert told.exit_code == 2
    assert message in told.stderr
    assert site.path.read_bytes() == before


def test_shares_of_projects_and_rules_rotate_where_their_gate_is_said(site: SiteFolder) -> None:
    keep_site_secret(site.folder, b64u(bytes(32)))
    site.write(GUARDED_PROJECT + "[[rule]]\nmatch = { title = 'parser' }\ngate = 'password'\n")
    site.run("share", "garden-2", "--slug", "g")
    assert "“sitegen rotate garden” gives the project" in site.run("rotate", "g").stderr
    assert site.run("rotate", "garden").exit_code == 0
    (made,) = (row["slug"] for row in json.loads(site.run("shares", "--json").stdout) if row["slug"] != "g")
    told = site.run("rotate", made)
    assert "its rule gives new keys to all that it shares" in told.stderr
    assert (site.values["project"][0]["epoch"], site.values["rule"][0]["epoch"]) == (1, 1)


# -------------------------------------------------------------------------------------------------------------- shares


def test_shares_say_where_secrets_are_kept(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALKS", STRONG)
    site.run("share", "parser-1", "--slug", "a", "--password", STRONG)
    site.run("share", "parser-1", "--slug", "b", "--gate", "password", "--secret", "env:TALKS")
    site.run("share", "parser-1", "--slug", "c", "--gate", "password", "--secret", "env:NONE")
    site.run("share", "parser-1", "--slug", "d", "--gate", "otp")
    site.run("share", "parser-1", "--slug", "e", "--recipient", "bo@example.org")
    told = site.run("shares")
    assert STRONG not in told.output
    places = {row["slug"]: row["secret_place"] for row in json.loads(site.run("shares", "--json").stdout)}
    assert places == {
        "a": ".sitegen/secrets.toml",
        "b": "env:TALKS",
        "c": "missing (env:NONE)",
        "d": ".sitegen/secrets.toml",
        "e": "the site secret",
    }


def test_shares_are_listed_without_their_secrets(site: SiteFolder) -> None:
    site.write('[[rule]]\nmatch = {}\ngate = "password"\n')
    told = site.run("shares")
    assert told.exit_code == 0
    assert "its own would grow from the site secret" in told.stderr or "grows from the site secret" in told.stderr


@pytest.mark.parametrize("arguments", [("share", "parser-1", "--gate", "password"), ("build",)], ids=["share", "build"])
def test_private_folder_keeps_itself_out_of_a_repository(site: SiteFolder, arguments: tuple[str, ...]) -> None:
    """Also where `init` never was: whatever makes the folder makes it so."""
    told = site.run(*arguments)
    assert told.exit_code == 0, told.output
    assert (site.folder / ".sitegen/.gitignore").read_text() == "*\n"


def test_addresses_are_no_formulas_in_a_spreadsheet(site: SiteFolder) -> None:
    """A table opened there would run what begins with one of these signs; passwords stay as they are typed."""
    addresses = [f"{sign}1+1@example.org" for sign in "=+-"]
    site.run("share", "parser-1", "--slug", "p", *(part for each in addresses for part in ("--recipient", each)))
    rows = list(csv.DictReader(io.StringIO(site.run("links", "--csv").stdout)))
    assert [row["recipient"] for row in rows] == [f"'{each}" for each in addresses]
    assert [link["recipient"] for link in links(site)] == addresses
