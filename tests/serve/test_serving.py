"""`sitegen serve` as a program: it says where it is, moves on from a taken port, and ends with Ctrl-C."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sitegen.errors import OutputError
from sitegen.serve.options import ServeOptions
from sitegen.serve.server import address, listen
from tests.support.serving import preview_of
from tests.support.workshop import Workshop, share, talk_about


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path)
    workshop.talk(talk_about("tides"))
    workshop.configure(share("tides", "tides", "listed = true"), base_url="https://ann.example.org/repo/")
    return workshop


@contextmanager
def taken() -> Iterator[int]:
    """A port that somebody listens at."""
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield int(other.getsockname()[1])


def fetch(url: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_program_serves_the_site_and_ends_with_ctrl_c(workshop: Workshop) -> None:
    with preview_of(workshop.folder) as (url, process):
        assert url.endswith("/repo/")
        code, page = fetch(f"{url}s/tides/")
        assert (code, "On tides" in page) == (200, True)
        assert fetch(f"{url}nothing")[0] == 404
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130


def knock(url: str, **headers: str) -> int:
    """Asks for livereload's channel; the code of the answer."""
    asked = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    asked |= {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="} | headers
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection:
        connection.request("GET", "/livereload", headers=asked)
        return connection.getresponse().status


def test_strangers_get_nothing_at_any_address(workshop: Workshop) -> None:
    with preview_of(workshop.folder) as (url, _):
        assert fetch(url, Host="evil.example.org")[0] == 403
        assert knock(url) == 101
        assert knock(url, Host="evil.example.org") == 403
        assert knock(url, Origin="https://evil.example.org") == 403
        assert fetch(url.replace("/repo/", "/forcereload"))[0] == 404


def test_page_that_is_older_than_the_last_build_is_loaded_again(workshop: Workshop) -> None:
    """A build may end between a page and its script; the page would never hear of it."""
    with preview_of(workshop.folder) as (url, _):
        script = re.findall(r'src="(/livereload[^"]*)"', fetch(url)[1])[0].replace("&amp;", "&")
        root = url.removesuffix("/repo/")
        assert "LiveReload" in fetch(root + script)[1]
        assert fetch(root + re.sub(r"v=\d+", "v=0", script))[1] == "location.reload();\n"


def test_taken_port_moves_on_to_the_next(workshop: Workshop) -> None:
    with taken() as port, preview_of(workshop.folder, "--port", str(port)) as (url, process):
        assert int(re.findall(r":(\d+)/", url)[0]) > port
        assert process.stdout is not None
        assert process.stdout.readline() == f"Port {port} is taken.\n"


def test_preview_listens_to_this_computer_alone_unless_told() -> None:
    sockets, port = listen(ServeOptions(port=0))
    try:
        assert [each.getsockname() for each in sockets] == [("127.0.0.1", port)]
    finally:
        for each in sockets:
            each.close()


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
def test_address_of_another_computer_is_told(host: str) -> None:
    with pytest.raises(OutputError, match=re.escape(host)):
        listen(ServeOptions(host=host, port=0))


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/repo/"),
        ("0.0.0.0", "http://127.0.0.1:8000/repo/"),
        ("::1", "http://[::1]:8000/repo/"),
        ("workshop.local", "http://workshop.local:8000/repo/"),
    ],
)
def test_printed_address_is_one_that_a_browser_can_open(host: str, url: str) -> None:
    assert address(host, 8000, "/repo/") == url


def test_browser_is_opened_at_the_address(workshop: Workshop, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new && mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    environment = {**os.environ, "BROWSER": str(browser)}
    with preview_of(workshop.folder, "--open", environment=environment) as (url, _):
        while not opened.exists():
            time.sleep(0.05)
        assert opened.read_text() == f"{url}\n"


def test_preview_that_others_can_reach_says_so(workshop: Workshop) -> None:
    with preview_of(workshop.folder, "--host", "0.0.0.0") as (_, process):
        assert process.stdout is not None
        assert "Whoever reaches this computer" in process.stdout.readline()


def test_serving_needs_a_configuration(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sitegen", "serve"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert "sitegen.toml" in result.stderr
