"""The site of docs/ builds strictly, shows every page, loads nothing from elsewhere, and has no broken link."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from mkdocs.config import load_config

import memoryos_core
import memoryos_langchain
import memoryos_llamaindex
from tests.docs.pages import PAGES, ROOT

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    """The ids, links and loaded files of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            if tag == "a" and name == "href":
                self.links.append(value)
            if (tag, name) in LOADED and dict(attrs).get("rel") not in ("canonical", "prev", "next"):
                self.loaded.append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def html(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}


def entries(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for value in nav.values():
            yield from entries(value)
    elif isinstance(nav, list):
        for value in nav:
            yield from entries(value)


def test_every_page_stands_once_in_the_navigation() -> None:
    listed = list(entries(load_config(str(ROOT / "mkdocs.yml"))["nav"]))
    assert sorted(listed) == sorted(PAGES)
    assert len(listed) == len(set(listed))


def test_every_decision_is_listed() -> None:
    index = PAGES["adr/index.md"].read_text("utf-8")
    decisions = {Path(name).name for name in PAGES if name.startswith("adr/")} - {"index.md"}
    assert set(re.findall(r"\]\((\S+)\)", index)) == decisions


def test_every_page_is_built(html: dict[Path, Page], site: Path) -> None:
    assert {path.relative_to(site).as_posix() for path in html} == {name[:-3] + ".html" for name in PAGES}


def test_every_internal_link_and_anchor_resolves(html: dict[Path, Page]) -> None:
    broken = []
    for path, page in html.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            ids = html[target].ids if target in html else {unquote(parts.fragment)}
            if not target.exists() or (parts.fragment and unquote(parts.fragment) not in ids):
                broken.append(f"{path.name}: {link}")
    assert broken == []


def test_nothing_is_loaded_from_another_host(html: dict[Path, Page], site: Path) -> None:
    loaded = [link for page in html.values() for link in page.loaded if urlsplit(link).netloc]
    assert loaded == []
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(https?:)?//", sheet.read_text("utf-8")), sheet


def test_every_picture_says_what_it_shows() -> None:
    for name, path in PAGES.items():
        for words in re.findall(r"!\[([^\]]*)\]\(", path.read_text("utf-8")):
            assert len(words) > 20, f"{name}: describe the picture in its alternative text"


@pytest.mark.parametrize("package", [memoryos_core, memoryos_langchain, memoryos_llamaindex], ids=lambda p: p.__name__)
def test_every_public_name_is_in_the_reference(package: object, html: dict[Path, Page], site: Path) -> None:
    ids = {i.rpartition(".")[2] for path, page in html.items() if path.parent == site / "reference" for i in page.ids}
    configured = html[site / "configuration.html"].ids
    names = package.__all__  # type: ignore[attr-defined]
    missing = [n for n in names if n not in ids and n.lower() not in configured and n != "USER_AND_CONVERSATION"]
    assert missing == []


def test_the_readme_links_to_what_is_there() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not urlsplit(link).scheme]
    assert links
    assert [link for link in links if not (ROOT / urlsplit(link).path).exists()] == []


def test_llms_txt_names_every_guide_by_its_title(site: Path) -> None:
    text = (site / "llms.txt").read_text("utf-8")
    listed = re.findall(r"^- \[([^\]]+)\]\((\S+)\.html\): .", text, re.MULTILINE)
    titled = re.findall(r"- ([^:\n]+): ([\w-]+)\.md$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(pair for pair in titled if pair[1] != "index")
    assert all((site / f"{page}.html").is_file() for _, page in listed)
