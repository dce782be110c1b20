"""A headless Chromium driven over a pipe, with the standard library alone."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SECONDS = 60


def find_chromium() -> str | None:
    """Return the program; None where no browser is installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def find_axe() -> Path | None:
    """Return the file of axe-core, which `make axe` fetches; None without it."""
    path = Path(__file__).parents[2] / "build" / "axe" / "package" / "axe.min.js"
    return path if path.is_file() else None


def find_mcp_inspector() -> Path | None:
    """Return the program of the MCP inspector, which `make mcp-inspector` fetches; None without it."""
    folder = Path(__file__).parents[2] / "build" / "mcp-inspector" / "node_modules" / "@modelcontextprotocol"
    path = folder / "inspector" / "clients" / "launcher" / "build" / "index.js"
    return path if path.is_file() else None


class Chromium:
    """One tab of a browser; `renew` closes it and opens another that shares no cookie, cache or storage with it.

    The addresses that it asked for are `requests`, and what it complained of is `complaints`.
    """

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="memoryos-chromium-", ignore_cleanup_errors=True)
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        options += ["--disable-background-networking", "--disable-component-update", "--disable-extensions"]
        options += ["--remote-debugging-pipe", f"--user-data-dir={self._profile.name}", "about:blank"]
        # The browser reads commands from descriptor 3 and writes answers to 4.
        shell = f'exec 3<&{to_read} 4>&{to_write}; exec "$@"'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "bash", program, *options],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._number, self._buffer, self._session, self._context = 0, b"", "", ""
        self.renew()

    def renew(self) -> None:
        """Close the tab with all that it stored, and open one that nothing was done in yet."""
        self._session = ""
        if self._context:
            self.send("Target.disposeBrowserContext", browserContextId=self._context)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = 0
        self._context = self.send("Target.createBrowserContext")["browserContextId"]
        tab = self.send("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        """Send a command and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def go(self, address: str) -> None:
        """Open an address and wait until it is loaded."""
        before = self._loaded
        self.send("Page.navigate", url=address)
        self._wait_beyond(before)

    def click(self, text: str) -> None:
        """Click the link or button with this text, and wait for the page behind it."""
        before = self._loaded
        script = (
            "(t => { const found = [...document.querySelectorAll('a, button')].find(e => e.textContent.trim() === t);"
            " if (!found) return false; setTimeout(() => found.click(), 0); return true; })"
        )
        assert self.value(f"{script}({json.dumps(text)})") is True, f"no {text!r} in {self.text()[:2000]}"
        self._wait_beyond(before)

    def fill(self, selector: str, text: str) -> None:
        """Write a text into a field."""
        chosen = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{chosen}.focus(); {chosen}.value = ''")
        self.send("Input.insertText", text=text)

    def submit(self) -> None:
        """Press Enter in the field that has the focus, and wait for the page behind it."""
        before = self._loaded
        self.press("Enter")
        self._wait_beyond(before)

    def press(self, key: str) -> None:
        """Press a key."""
        code = {"Tab": 9, "Enter": 13, "ArrowRight": 39}[key]
        typed = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **typed)

    def text(self) -> str:
        """Return what a reader sees."""
        return str(self.value("document.body.innerText"))

    def value(self, script: str) -> Any:
        """Return the value of a script, which the debugger runs whatever the page allows."""
        return self.send("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def promise(self, script: str) -> Any:
        """Return what a promise brings."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def find_barriers(self, axe: Path) -> list[str]:
        """Return what axe-core finds that keeps people from using the page: each rule with the first element."""
        self.value(axe.read_text("utf-8") + "; 0")
        found = self.promise("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)")
        return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]

    def look(self, *, width: int, dark: bool) -> None:
        """Set the width of the window and the scheme of colours."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setScrollbarsHidden", hidden=True)
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, path: Path) -> None:
        """Write a picture of the whole page."""
        picture = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(picture["data"]))

    def close(self) -> None:
        """End the browser and erase its profile."""
        os.close(self._out)
        self._process.terminate()
        self._process.wait(30)
        os.close(self._in)
        self._profile.cleanup()

    def _wait_beyond(self, before: int) -> None:
        end = time.monotonic() + _SECONDS
        while self._loaded == before:
            assert time.monotonic() < end, "the page did not load"
            self._read()

    def _read(self) -> Any:
        while b"\0" not in self._buffer:
            assert select.select([self._in], [], [], _SECONDS)[0], "the browser does not answer"
            some = os.read(self._in, 1 << 16)
            assert some, "the browser has ended"
            self._buffer += some
        line, _, self._buffer = self._buffer.partition(b"\0")
        event = json.loads(line)
        if event.get("sessionId", self._session) != self._session:
            return {}  # of a tab that was closed
        method, params = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded += 1
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"].get("text")))
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"a script ran: {params['message']}")
        return event
