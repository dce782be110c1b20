"""How recalls and memories show themselves: in full, and with every text escaped."""

from __future__ import annotations

import re
from datetime import datetime, timezone

import numpy as np

from memoryos_core import MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_core.api.notebook import user_html
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.values.dialogue import Hit, Recall, Scope, Segment
from memoryos_core.values.facts import Fact, Profile, ProfileField, Trait
from memoryos_core.values.reports import Stats

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)
EVIL = "<script>alert('&\"')</script>"


def hit(number: int, text: str, **signals: float) -> Hit:
    return Hit("page", f"p{number}", text, 1.5 - number, NOW, "mid_term", signals=signals)


def test_explain_shows_each_hits_signals() -> None:
    hits = (hit(0, "boats", lexical=1.0, heat=0.05), hit(1, "bees", lexical=-0.25))
    assert Recall("q", "t", 1, 9, hits=hits).explain().splitlines() == [
        "  1.500  mid_term   2024-05-01  lexical +1.00  heat +0.05",
        "  0.500  mid_term   2024-05-01  lexical -0.25",
    ]
    assert Recall("q", "", 0, 9).explain() == ""


def test_explain_names_every_signal_of_a_real_recall() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        memory.user("ada", session_id="old").add("I keep bees", "Good")
        line = memory.user("ada").recall("bees").explain().splitlines()[0]
    for name in ("lexical", "dense", "date", "speaker", "recency", "segment", "heat"):
        assert f"{name} " in line


def test_a_recall_escapes_what_was_asked_and_what_was_said() -> None:
    shown = Recall(EVIL, "t", 3, 9, hits=(hit(0, EVIL),))._repr_html_()
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;") == 2
    assert "3 of 9 tokens" in shown


def test_a_recall_shows_how_full_it_is_and_what_spoke_for_each_hit() -> None:
    shown = Recall("bees", "t", 30, 90, hits=(hit(0, "bees", lexical=1.0, dense=-0.5, heat=0.001),))._repr_html_()
    assert "<meter min='0' max='90' value='30'>" in shown
    assert "lexical +1.00, dense -0.50<" in shown  # what is next to nothing is not told
    assert re.findall(r"width:(\d+)px;background:(#\w+)", shown) == [("60", "#0072b2"), ("0", "#009e73")]


def test_heat_is_a_bar_as_long_as_its_share_of_the_hottest() -> None:
    segments = [Segment(name, name, (), np.zeros(2, dtype=np.float32), page_count=1) for name in ("hot", "mild")]
    heats = {"hot": 8.0, "mild": 4.0}
    shown = user_html(Scope("ada"), "s", Stats(), segments, lambda s: heats[s.id], Profile(), [])
    assert re.findall(r"width:(\d+)px", shown) == ["90", "45"]
    cold = user_html(Scope("ada"), "s", Stats(), segments, lambda _: 0.0, Profile(), [])
    assert re.findall(r"width:(\d+)px", cold) == ["0", "0"]


def test_a_memory_escapes_everything_it_shows() -> None:
    segment = Segment("g", EVIL, (EVIL,), np.zeros(2, dtype=np.float32), page_count=3)
    shown = user_html(
        Scope(EVIL, EVIL),
        EVIL,
        Stats(pages_short_term=7),
        [segment],
        lambda _: 5.25,
        Profile((ProfileField(EVIL, EVIL, NOW),), (Trait(EVIL, "high", EVIL, NOW),)),
        [Fact("f", "user", EVIL, NOW, NOW)],
    )
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;") == 10
    assert "<td>7</td>" in shown
    assert "<td>5.25</td>" in shown


def test_what_is_empty_has_no_table() -> None:
    shown = user_html(Scope("ada"), "s", Stats(), [], lambda _: 0.0, Profile(), [])
    assert shown.count("<table>") == 1


def test_only_the_hottest_segments_and_the_newest_facts_are_shown() -> None:
    facts = [Fact(f"f{i}", "user", f"fact-{i}.", NOW, NOW) for i in range(20)]
    shown = user_html(Scope("ada"), "s", Stats(), [], lambda _: 0.0, Profile(), facts)
    assert re.findall(r"fact-(\d+)\.", shown) == [str(i) for i in range(12, 20)]


def test_a_real_memory_shows_itself() -> None:
    config = MemoryConfig(short_term=ShortTermConfig(capacity_pages=1), worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config, clock=FixedClock(NOW)) as memory:
        ada = memory.user("ada", session_id="<monday>")
        for i in range(3):
            ada.add(f"I keep <b>bees</b> in hive {i}", "Good")
        ada.remember("Ada is <allergic>")
        ada.consolidate()
        shown = ada._repr_html_()
    assert "ada with assistant, session &lt;monday&gt;" in shown
    assert "Ada is &lt;allergic&gt;" in shown
    assert "<b>bees" not in shown
