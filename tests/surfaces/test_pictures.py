"""The pictures in the guides show what the inspector and the widget show today."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from tests.surfaces import pictures
from tests.surfaces.chromium import Chromium

GUIDES = Path(__file__).parents[2] / "docs"


@pytest.mark.skipif(importlib.util.find_spec("anywidget") is None, reason="needs the extra notebooks")
def test_a_picture_shows_the_text_of_today(browser: Chromium | None, tmp_path: Path) -> None:
    if browser is None:
        return
    old = []
    for name in pictures.NAMES:
        folder = tmp_path / name
        folder.mkdir()
        with pictures.demo_memory(folder) as memory:
            pictures.show(name, memory, browser, folder)
            committed = (pictures.FOLDER / f"{name}.png").read_bytes()
            if pictures.digest(browser) != pictures.digest_of(committed):
                old.append(name)
            assert pictures.digest_of(pictures.make(browser)) == pictures.digest(browser)
    assert old == [], "make them anew: python -m tests.surfaces.pictures"
    assert browser.complaints == []


@pytest.mark.parametrize("name", pictures.NAMES)
def test_a_picture_is_small_and_shown_in_a_guide(name: str) -> None:
    assert (pictures.FOLDER / f"{name}.png").stat().st_size < 150_000
    shown = "".join(path.read_text("utf-8") for path in GUIDES.glob("*.md"))
    assert re.search(rf"!\[[^\]]{{20,}}\]\(images/{name}\.png\)", shown)


def test_a_picture_without_a_digest_is_seen() -> None:
    whole = (pictures.FOLDER / f"{pictures.NAMES[0]}.png").read_bytes()
    assert len(pictures.digest_of(whole)) == 64
    assert pictures.digest_of(whole.replace(b"memoryos-text", b"another--text")) == ""
