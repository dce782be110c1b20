"""A page that shows the widget of a memory as a notebook does, with Python on the other end of its messages."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any, cast

from memoryos_core import UserMemory
from tests.surfaces.chromium import Chromium

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Widget</title>
<style>body {{ margin: 1rem; }}
.out {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }}
{css}</style>
<body><main><h1 class="out">Notebook</h1><div id="here"></div></main><script type="module">
window.sent = []; window.complaints = [];
addEventListener("error", (event) => window.complaints.push(event.message));
const receivers = new Set(), values = {values};
const model = {{
  get: (name) => values[name], send: (message) => window.sent.push(message),
  on: (_, receive) => receivers.add(receive), off: (_, receive) => receivers.delete(receive),
}};
window.deliver = (message) => receivers.forEach((receive) => receive(message));
const module = await import({module});
window.leave = module.default.render({{ model, el: document.getElementById("here") }});
window.receivers = receivers;
window.ready = true;
</script></body></html>"""


class WidgetPage:
    """A widget in a tab of Chromium. `answer` brings what the page asks to Python and back."""

    def __init__(self, browser: Chromium, user: UserMemory, folder: Path) -> None:
        self.browser = browser
        self.widget = cast("Any", user.inspect())
        module = "data:text/javascript;base64," + base64.b64encode(self.widget._esm.encode()).decode()
        values = json.dumps({"parts": self.widget.parts}).replace("<", "\\u003c")
        page = folder / "widget.html"
        page.write_text(_PAGE.format(css=self.widget._css, values=values, module=json.dumps(module)), "utf-8")
        browser.go(page.as_uri())
        self.wait("window.ready === true")

    def wait(self, script: str) -> None:
        """Wait until a script is true."""
        end = time.monotonic() + 30
        while not self.browser.value(script):
            assert time.monotonic() < end, (script, self.browser.complaints, self.browser.text())
            time.sleep(0.02)

    def choose(self, name: str) -> None:
        """Open one of the views."""
        assert self.browser.value(
            f"(t => {{ const found = [...document.querySelectorAll('[role=tab]')].find(e => e.textContent === t);"
            f" found.click(); return true; }})({json.dumps(name)})"
        )

    def ask(self, selector: str, text: str) -> None:
        """Type a text, press Enter, and let Python answer."""
        self.browser.fill(selector, text)
        self.browser.press("Enter")
        self.answer()

    def answer(self) -> None:
        """Answer all that the page has asked."""
        self.wait("window.sent.length > 0")
        for message in self.browser.value("window.sent.splice(0)"):
            answer = json.dumps(self.widget.answer(message)).replace("<", "\\u003c")
            self.browser.value(f"window.deliver({answer})")

    def shown(self) -> str:
        """Return what a reader sees of the view that is open."""
        return str(self.browser.value("document.querySelector('[role=tabpanel]:not([hidden])').innerText"))
