"""The widget of `UserMemory.inspect`: what it reads, as whom, and how it behaves in a real headless Chromium."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from datetime import datetime, timezone
from math import exp
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import AccessError, MemoryConfig, MemoryOS, ShortTermConfig, UserMemory, WorkerConfig
from memoryos_core.ops.cli import main
from memoryos_core.testing.fakes import FixedClock
from tests.surfaces.chromium import Chromium, find_axe
from tests.surfaces.test_inspector_attacks import PAYLOADS
from tests.surfaces.widget_page import WidgetPage

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("anywidget") is None, reason="needs the extra notebooks"),
    pytest.mark.usefixtures("kept_weights"),
]
CONFIG = MemoryConfig(short_term=ShortTermConfig(capacity_pages=1, batch_pages=1), worker=WorkerConfig(mode="manual"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that `memoryos demo` makes."""
    made = tmp_path_factory.mktemp("demo") / "demo.db"
    main(["demo", f"sqlite:///{made}"])
    return made


@pytest.fixture
def memory(made: Path, tmp_path: Path) -> Iterator[MemoryOS]:
    """The memory of `memoryos demo`, whose clock stands: heat cools by it, so two tables could differ by a pixel."""
    copied = shutil.copy(made, tmp_path)
    clock = FixedClock(datetime.now(timezone.utc))
    with MemoryOS(f"sqlite:///{copied}", config=CONFIG, clock=clock) as opened:
        yield opened


@pytest.fixture
def ann(memory: MemoryOS) -> UserMemory:
    return memory.user("ann")


def inspect(user: UserMemory) -> Any:
    return user.inspect()


def test_it_holds_the_tiers_the_knowledge_and_the_topics_by_month(ann: UserMemory) -> None:
    parts = inspect(ann).parts
    stats = ann.stats()
    assert parts["overview"]["turns"] == stats.pages == 9
    assert parts["overview"]["topics"] == stats.segments
    assert [fact["text"] for fact in parts["knowledge"]["current"]] == [f.text for f in reversed(ann.facts())]
    (former,) = parts["knowledge"]["former"]
    assert (former["text"], former["now"]) == ("Ann lives in Lisbon.", "Ann moved to Porto last week.")
    assert parts["topics"]["months"] == ["2026-02", "2026-03", "2026-04", "2026-05", "2026-06"]
    assert sum(sum(row["by_month"]) for row in parts["topics"]["rows"]) == stats.pages_mid_term
    assert [row["heat"] for row in parts["topics"]["rows"]] == [round(float(t.heat), 2) for t in ann.topics()]
    json.dumps(parts)


def test_heat_by_month_begins_with_a_topic_and_cools_after_it(ann: UserMemory) -> None:
    for row in inspect(ann).parts["topics"]["rows"]:
        first = next(place for place, turns in enumerate(row["by_month"]) if turns)
        assert row["heat_by_month"][:first] == [0.0] * first
        assert all(heat > 0 for heat in row["heat_by_month"][first:])
        least = row["by_month"][first] * exp(-31 / 30)
        assert row["heat_by_month"][first] > least, "its turns of the month, which fade till its end, and recency"
        if first + 1 < len(row["by_month"]) and not row["by_month"][first + 1]:
            assert row["heat_by_month"][first + 1] < row["heat_by_month"][first]


def test_turns_of_the_last_month_of_all_have_a_heat(memory: MemoryOS) -> None:
    late = memory.user("late")
    for minute in range(10):
        late.add(
            f"The tomatoes have blight {minute}.",
            "Oh.",
            timestamp=datetime(9999, 12, 2, 9, minute, tzinfo=timezone.utc),
        )
    late.end_session()
    late.consolidate()
    (row,) = inspect(late).parts["topics"]["rows"]
    assert row["by_month"] == [10]


def test_an_empty_memory_has_a_widget(memory: MemoryOS) -> None:
    parts = inspect(memory.user("nobody")).parts
    assert parts["topics"] == {"total": 0, "months": [], "rows": []}
    assert parts["knowledge"]["counts"] == {"current": 0, "former": 0}


def test_it_answers_as_recall_does(ann: UserMemory) -> None:
    widget = inspect(ann)
    reply = widget.answer({"kind": "recall", "number": 7, "text": "Where does Ann live?", "budget": "90"})
    asked = ann.recall("Where does Ann live?", budget_tokens=90, include_recent=False)
    assert (reply["number"], reply["found"]["text"]) == (7, asked.text)
    assert [hit["text"] for hit in reply["found"]["hits"]] == [hit.text for hit in asked.hits]
    assert all(hit["why"] for hit in reply["found"]["missed"])
    assert widget.answer({"kind": "facts", "text": "nurse"})["found"]["counts"] == {"current": 1, "former": 0}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"kind": "recall", "text": " "}, "no question"),
        ({"kind": "recall", "text": "Tom", "budget": "-1"}, "budget"),
        ({"kind": "recall", "text": "Tom", "budget": "9" * 40}, "budget"),
        ({"kind": "recall", "text": "x" * 9000}, "characters"),
        ({"kind": "recall", "text": ["Tom"]}, "characters"),
        ({"kind": "forget", "text": "everything"}, "unknown kind"),
        ({}, "characters"),
    ],
)
def test_what_cannot_be_answered_says_why(message: dict[str, object], said: str, ann: UserMemory) -> None:
    before = ann.stats()
    assert said in inspect(ann).answer(message)["problem"]
    assert ann.stats() == before


def test_it_acts_as_its_actor(memory: MemoryOS) -> None:
    roles = memory.user("ann").governance
    for role in ("reader", "curator"):
        roles.grant(role, role)
    with pytest.raises(AccessError):
        memory.user("ann", actor="reader").inspect()
    widget = inspect(memory.user("ann", actor="curator"))
    assert widget.parts["whose"]["actor"] == "curator"
    assert "Porto" in widget.answer({"kind": "recall", "text": "Where does Ann live?"})["found"]["text"]
    roles.revoke("curator")
    for kind in ("recall", "facts"):
        assert "has no role here" in widget.answer({"kind": kind, "text": "Tom"})["problem"]
    assert [entry.actor for entry in roles.audit()[-2:]] == ["curator", "curator"]


def test_a_memory_that_was_closed_says_so(memory: MemoryOS, ann: UserMemory) -> None:
    widget = inspect(ann)
    memory.close()
    assert "closed" in widget.answer({"kind": "recall", "text": "Tom"})["problem"]


def test_without_anywidget_the_table_is_shown(ann: UserMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "anywidget" else found(name))
    assert inspect(ann)._repr_html_() == ann._repr_html_()


def test_a_page_without_a_kernel_gets_the_table(ann: UserMemory) -> None:
    data, _ = inspect(ann)._repr_mimebundle_()
    assert data["text/html"] == ann._repr_html_()
    assert "application/vnd.jupyter.widget-view+json" in data


def test_a_person_looks_at_each_view_and_asks(ann: UserMemory, browser: Chromium | None, tmp_path: Path) -> None:
    if browser is None:
        return
    page = WidgetPage(browser, ann, tmp_path)
    assert "9 turns of 4 sessions" in page.shown()
    page.choose("Knowledge")
    assert "→ Ann moved to Porto last week." in page.shown()
    page.ask("input[type=search]", "nurse")
    assert "Current (1)" in page.shown()
    page.choose("Topics")
    assert "2026-05" in page.shown()
    page.choose("Recall")
    page.ask("input.question", "Where does Ann live?")
    assert "Home: Porto" in page.shown()
    assert "lexical +1.00" in page.shown()
    assert "What just missed" in page.shown()
    page.ask("input.budget", "many")
    assert "invalid budget" in page.shown()
    assert browser.complaints == []
    assert [one for one in browser.requests if not one.startswith(("file:", "data:"))] == []
    browser.value("window.leave()")
    assert browser.value("window.receivers.size") == 0


def test_arrow_keys_move_between_the_views(ann: UserMemory, browser: Chromium | None, tmp_path: Path) -> None:
    if browser is None:
        return
    page = WidgetPage(browser, ann, tmp_path)
    browser.press("Tab")
    for name in ("Knowledge", "Topics", "Recall", "Overview"):
        browser.press("ArrowRight")
        assert browser.value("document.activeElement.textContent") == name
        assert browser.value("document.activeElement.getAttribute('aria-selected')") == "true"
    assert "9 turns" in page.shown()


def test_an_older_answer_does_not_replace_a_newer_one(
    ann: UserMemory, browser: Chromium | None, tmp_path: Path
) -> None:
    if browser is None:
        return
    page = WidgetPage(browser, ann, tmp_path)
    page.choose("Recall")
    for text in ("Who is Tom?", "What does Rita drink?"):
        browser.fill("input.question", text)
        browser.press("Enter")
    older, newer = browser.value("window.sent.splice(0)")
    for message in (newer, older):
        browser.value(f"window.deliver({json.dumps(page.widget.answer(message))})")
    first = browser.value("document.querySelector('ol.rows .text').textContent")
    assert (
        first
        == page.widget.answer(newer)["found"]["hits"][0]["text"]
        != page.widget.answer(older)["found"]["hits"][0]["text"]
    )


def test_remembered_text_is_never_markup(memory: MemoryOS, browser: Chromium | None, tmp_path: Path) -> None:
    if browser is None:
        return
    eve = memory.user(f"<img src=x onerror={'x' * 3}>alert(1)", session_id="<b>")
    for payload in PAYLOADS:
        eve.add(f"I like the film {payload} a lot.", payload)
        eve.remember(f"Eve likes {payload}")
    eve.correct(eve.facts()[0].id, f"Eve loves {PAYLOADS[0]}")
    eve.consolidate()
    page = WidgetPage(browser, eve, tmp_path)
    tags = "new Set([...document.querySelectorAll('#here *')].map(e => e.localName))"
    page.choose("Knowledge")
    page.ask("input[type=search]", "<")
    page.choose("Recall")
    page.ask("input.question", f"Which film does Eve like, {PAYLOADS[1]}")
    seen = set(browser.value(f"[...{tags}]"))
    assert {"li", "pre", "table"} <= seen
    assert not seen & {"img", "script", "svg", "a", "iframe", "b img", "video", "style", "math", "object", "embed"}
    assert browser.value(
        "[...document.querySelectorAll('#here *')].every(e => ![...e.attributes].some(a => a.name.startsWith('on')))"
    )
    assert any(
        PAYLOADS[0] in text
        for text in browser.value("[...document.querySelectorAll('#here .text')].map(e => e.textContent)")
    )
    assert [c for c in browser.complaints if "a script ran" in c] == []
    assert browser.value("window.complaints") == []
    assert [one for one in browser.requests if not one.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize(
    ("look", "width", "dark"), [("light", 900, False), ("dark", 900, True), ("narrow", 360, False)]
)
def test_every_view_fits(
    look: str, width: int, dark: bool, ann: UserMemory, browser: Chromium | None, tmp_path: Path
) -> None:
    if browser is None:
        return
    browser.look(width=width, dark=dark)
    page = WidgetPage(browser, ann, tmp_path)
    for view in ("Overview", "Knowledge", "Topics", "Recall"):
        page.choose(view)
        if view == "Recall":
            page.ask("input.question", "Where does Ann live?")
        assert browser.value("document.documentElement.scrollWidth") <= width, (look, view)
        browser.screenshot(tmp_path / f"widget-{view}-{look}.png")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_barrier(dark: bool, ann: UserMemory, browser: Chromium | None, tmp_path: Path) -> None:
    axe = find_axe()
    if browser is None or axe is None:
        return
    browser.look(width=900, dark=dark)
    page = WidgetPage(browser, ann, tmp_path)
    found = {}
    for view in ("Overview", "Knowledge", "Topics", "Recall"):
        page.choose(view)
        if view == "Recall":
            page.ask("input.question", "Where does Ann live?")
        if barriers := browser.find_barriers(axe):
            found[view] = barriers
    assert found == {}
