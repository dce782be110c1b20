"""The inspector in a real headless Chromium. Where none is installed, the header of the run says so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.ops.cli import main
from tests.surfaces.chromium import Chromium, find_axe

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
PAYLOAD = "<script>alert(1)</script><img src=x onerror=alert(2)><a href='javascript:alert(3)'>"
VIEWS = {
    "users": "/?",
    "overview": "/overview?",
    "timeline": "/timeline?",
    "session": "/pages?session=day+3&",
    "knowledge": "/knowledge?",
    "former": "/knowledge?kind=former&",
    "disputed": "/knowledge?kind=disputed&",
    "recall": "/recall?q=Where+does+Ann+live%3F&",
    "recalls": "/recalls?",
    "person": "/person?",
    "problem": "/fact?id=none&",
}
LOOKS = (("light", 1100, False), ("dark", 1100, True), ("narrow", 360, False), ("wide", 2000, False))


def demo(folder: Path) -> str:
    """The memory of `memoryos demo`, with something in it that would be a script."""
    url = f"sqlite:///{folder}/demo.db"
    main(["demo", url])
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        memory.user("ann").remember(f"Ann likes {PAYLOAD}")
    return url


@contextmanager
def inspected(url: str) -> Iterator[str]:
    """The address that `memoryos inspect --edit` writes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "memoryos_core.ops.cli", "inspect", url, "--edit", "--log-recalls"],
        stdout=subprocess.PIPE,
        text=True,
        env={k: v for k, v in os.environ.items() if not k.startswith("MEMORYOS")} | {"PYTHONPATH": str(Path.cwd())},
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(30)
    process.stdout.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a memory that the tests of this file look at and do not change."""
    with inspected(demo(tmp_path_factory.mktemp("demo"))) as address:
        yield address


def test_a_person_finds_corrects_and_forgets_a_wrong_fact(browser: Chromium | None, tmp_path: Path) -> None:
    if browser is None:
        return
    url = demo(tmp_path)
    with inspected(url) as address:
        find_correct_and_forget(browser, address)
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        assert not [f for f in memory.user("ann").facts() if "doctor" in f.text or "nurse" in f.text]


def find_correct_and_forget(browser: Chromium, address: str) -> None:
    browser.go(address)
    browser.click("ann")
    browser.click("Knowledge")
    browser.fill("#q", "nurse")
    browser.submit()
    browser.click("Ann works as a nurse.")
    assert "I live in Lisbon and I work as a nurse." in browser.text()  # where it comes from
    browser.fill("#text", "Ann works as a doctor.")
    browser.click("Correct…")
    assert "becomes a former fact" in browser.text()
    browser.click("Yes, do it")
    assert "Corrected." in browser.text()
    browser.click("Back to the knowledge")
    assert "Ann works as a doctor." in browser.text()
    browser.click("Ann works as a doctor.")
    browser.click("Forget…")
    assert "This erases 1 fact" in browser.text()
    browser.click("No, leave it")
    browser.click("Ann works as a doctor.")
    browser.click("Forget…")
    browser.click("Yes, do it")
    assert "Erased: 1 fact" in browser.text()
    browser.click("Recall")
    browser.fill("#q", "What does Ann do?")
    browser.submit()
    assert "The text that a prompt gets" in browser.text()
    browser.click("Recall log")
    assert "1 recall\n" in browser.text()
    assert "What does Ann do" not in browser.text()
    assert browser.complaints == []


def test_every_view_fits_in_light_dark_narrow_and_wide(address: str, browser: Chromium | None, tmp_path: Path) -> None:
    if browser is None:
        return
    browser.go(address)
    home = address.split("/?")[0]
    pictures: set[bytes] = set()
    for name, path in VIEWS.items():
        browser.go(f"{home}{path}user=ann&assistant=assistant")
        for look, width, dark in LOOKS:
            browser.look(width=width, dark=dark)
            assert browser.value("document.documentElement.scrollWidth") <= width, (name, look)
            picture = tmp_path / f"{name}-{look}.png"
            browser.screenshot(picture)
            pictures.add(picture.read_bytes())
        ground = browser.value("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(251, 250, 247)"
    assert len(pictures) == len(LOOKS) * len(VIEWS)
    assert [one for one in browser.complaints if "404" not in one] == []  # the browser tells of the problem's status
    asked = {urlsplit(one).netloc for one in browser.requests if not one.startswith("data:")}
    assert asked == {urlsplit(home).netloc}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_barrier_in_any_view(dark: bool, address: str, browser: Chromium | None) -> None:
    axe = find_axe()
    if browser is None or axe is None:
        return
    browser.go(address)
    browser.look(width=1100, dark=dark)
    home = address.split("/?")[0]
    found = {}
    for name, path in VIEWS.items():
        browser.go(f"{home}{path}user=ann&assistant=assistant")
        if barriers := browser.find_barriers(axe):
            found[name] = barriers
    assert found == {}


def test_axe_would_find_one(browser: Chromium | None) -> None:
    axe = find_axe()
    if browser is None or axe is None:
        return
    browser.go("data:text/html,<img src='data:,'><input>")
    assert any(one.startswith("image-alt") for one in browser.find_barriers(axe))


def test_the_keyboard_comes_first_to_the_content(address: str, browser: Chromium | None) -> None:
    if browser is None:
        return
    browser.go(address)
    browser.press("Tab")
    assert browser.value("document.activeElement.textContent") == "Skip to the content"
    for _ in range(6):
        browser.press("Tab")
        assert browser.value("document.activeElement.tagName") in {"A", "INPUT", "BUTTON", "BODY"}


def test_a_script_in_a_page_would_not_run(address: str, browser: Chromium | None) -> None:
    if browser is None:
        return
    browser.go(address)
    browser.go(address.split("/?")[0] + "/knowledge?user=ann")
    assert PAYLOAD in browser.text()
    assert browser.complaints == []
    # Even if a template forgot to escape: the policy stops it.
    browser.value("document.body.insertAdjacentHTML('beforeend', \"<img src=x onerror='window.ran = 1'>\")")
    browser.value(
        "(e => { e.textContent = 'window.ran = 1'; document.body.append(e) })(document.createElement('script'))"
    )
    assert browser.value("window.ran") is None
    assert any("Content Security Policy" in one for one in browser.complaints)


def test_another_tab_without_the_token_sees_nothing(address: str, browser: Chromium | None) -> None:
    if browser is None:
        return
    browser.go(address.split("/?")[0] + "/knowledge?user=ann")
    assert "open the address" in browser.text()
    assert "Ann" not in browser.text()
