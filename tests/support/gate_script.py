"""The gate's script taken apart: its functions, called by name in a real browser. Pages expose none of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from sitegen.resources import resource_folder
from tests.support.gates import serve

_FILES = ("bytes", "keys", "envelope", "stream")

# What the page does between a root and the text, without a page.
_OPEN = """
  const streamOf = (bytes) => new Blob([bytes]).stream();
  const all = async (source) => { const found = []; for await (const each of source) found.push(each); return found; };
  const openBody = async (core, hash, master, body) => {
    const packed = carried(openedChunks(streamOf(body), core.plen, await bodyKey(master, hash), hash), core.plen);
    const texts = await all(decodedTexts(core.comp === "gzip" ? gunzipped(packed, core.plen) : packed));
    return texts.join("");
  };
  const openWhole = async (text, root, kind, body) => {
    const { core, hash, slots, terms } = await readEnvelope(text, null);
    const cred = core.kdf ? await unwrapped(root, hash, slots, kind) : null;
    if (core.kdf && !cred) throw new Error("credential");
    const agr = terms === null ? null : new Uint8Array(await crypto.subtle.digest("SHA-256", joined(terms)));
    const master = await rootKey(await masterBits(core.need, { agr, cred }));
    if (b64u(await commitment(master, unb64u(core.id))) !== core.commit) throw new Error("commit");
    return openBody(core, hash, master, body);
  };
  const outcome = (promise) => promise.catch((error) => "refused: " + error.message);
"""


class GateScript:
    """Runs JavaScript in which the script's functions, `openBody`, `openWhole` and `outcome` are known."""

    def __init__(self, page: Page) -> None:
        self._page = page
        folder = resource_folder("static") / "gate"
        self._source = "\n".join((folder / f"{name}.js").read_text("utf-8") for name in _FILES)

    def run(self, code: str, argument: Any = None) -> Any:
        """What the asynchronous function body `code` returns; `argument` is `given` in it."""
        text = f'"use strict";\n{self._source}\n{_OPEN}\nreturn (async () => {{ {code} }})();'
        return self._page.evaluate("([text, given]) => new Function('given', text)(given)", [text, argument])


@contextmanager
def gate_script(chromium: Browser, folder: Path) -> Iterator[GateScript]:
    """The script in a page of a secure context that has no policy."""
    (folder / "index.html").write_text("<!doctype html><title>Empty</title>")
    with serve(folder) as host:
        page = chromium.new_page()
        page.goto(host.base)
        yield GateScript(page)
        page.close()
