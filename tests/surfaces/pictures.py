"""The pictures of the guides: the inspector and the widget with the memory of `memoryos demo`, made in Chromium.

`python -m tests.surfaces.pictures` makes them anew. Each carries a digest of the text that it shows.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.ops.cli.demo import _remember
from memoryos_core.ops.inspector import app
from memoryos_core.ops.inspector.identity import Identity
from tests.surfaces.asgi import TOKEN, Tab
from tests.surfaces.chromium import Chromium, find_chromium
from tests.surfaces.widget_page import WidgetPage

FOLDER = Path(__file__).parents[2] / "docs" / "images"
QUESTION = "Where does Ann live?"
INSPECTOR = {
    "inspector-overview": ("/overview", {}),
    "inspector-timeline": ("/timeline", {}),
    "inspector-knowledge": ("/knowledge", {"kind": "former"}),
    "inspector-recall": ("/recall", {"q": QUESTION, "budget": "120"}),
}
WIDGET = {"widget-knowledge": "Knowledge", "widget-topics": "Topics", "widget-recall": "Recall"}
NAMES = (*INSPECTOR, *WIDGET)
WIDTH, HEIGHT = 900, 640
_KEY = b"memoryos-text"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@contextmanager
def demo_memory(folder: Path) -> Iterator[MemoryOS]:
    """Open the memory of the demo, on a day that is always the same, without an embedder."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    today = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)
    with MemoryOS(f"sqlite:///{folder}/demo.db", embedder=None, config=config, clock=lambda: today) as memory:
        _remember(memory)
        memory.flush()
        yield memory


def show(name: str, memory: MemoryOS, browser: Chromium, folder: Path) -> None:
    """Bring what a picture shows into the tab."""
    browser.look(width=WIDTH, dark=False)
    if name in WIDGET:
        page = WidgetPage(browser, memory.user("ann"), folder)
        page.choose(WIDGET[name])
        if WIDGET[name] == "Recall":
            page.ask("input.question", QUESTION)
            browser.value("document.activeElement.blur()")
        return
    path, query = INSPECTOR[name]
    tab = Tab(Identity(memory, TOKEN, "ann"))
    loop = asyncio.new_event_loop()
    html = loop.run_until_complete(tab.get(path, **query)).text
    loop.close()
    style = (Path(app.__file__).parent / "static" / "style.css").read_text("utf-8")
    file = folder / "page.html"
    file.write_text(re.sub(r"<link rel=\"stylesheet\"[^>]*>", f"<style>{style}</style>", html), "utf-8")
    browser.go(file.as_uri())


def digest(browser: Chromium) -> str:
    """Return a digest of the text in the tab, and of the elements that hold it. Durations do not count."""
    script = (
        "[...document.body.querySelectorAll('*')].filter(e => e.localName !== 'script').map(e => e.localName).join()"
    )
    text = re.sub(r"\d+ ms", "N ms", re.sub(r"\s+", " ", browser.text()))
    return hashlib.sha256(f"{text}\n{browser.value(script)}".encode()).hexdigest()


def make(browser: Chromium) -> bytes:
    """Return a picture of the tab with the digest of its text."""
    browser.send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    data = base64.b64decode(browser.send("Page.captureScreenshot", format="png")["data"])
    body = _KEY + b"\0" + digest(browser).encode()
    chunk = struct.pack(">I", len(body)) + b"tEXt" + body + struct.pack(">I", zlib.crc32(b"tEXt" + body))
    head = len(_SIGNATURE) + 25  # the chunk IHDR
    return data[:head] + chunk + data[head:]


def digest_of(picture: bytes) -> str:
    """Return the digest that a picture carries; "" without one."""
    at = len(_SIGNATURE)
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        kind, body = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        if kind == b"tEXt" and body.startswith(_KEY + b"\0"):
            return body.partition(b"\0")[2].decode()
        at += length + 12
    return ""


def main() -> int:
    """Make all pictures anew."""
    program = find_chromium()
    if program is None:
        print("no Chromium is installed")
        return 1
    browser = Chromium(program)
    try:
        for name in NAMES:
            with tempfile.TemporaryDirectory() as folder, demo_memory(Path(folder)) as memory:
                show(name, memory, browser, Path(folder))
                picture = make(browser)
            (FOLDER / f"{name}.png").write_bytes(picture)
            print(name, len(picture))
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
