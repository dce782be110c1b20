"""Quickly typed English in full: short forms that can be nothing else, and names of people who introduce themselves."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from memoryos_core.rules.knowledge import phrases
from memoryos_core.rules.text import spelling
from memoryos_core.rules.text.spelling import Replacement, replace_each, write_out


@pytest.mark.parametrize(
    ("typed", "full"),
    [
        ("im a nurse, ive two kids n a dog", "I'm a nurse, I've two kids and a dog"),
        ("live w my gf tash", "live with my girlfriend tash"),
        ("id love to, but ill be late", "I'd love to, but I'll be late"),
        ("so me and tash split up", "so tash and I split up"),
        ("gone veggie", "gone vegetarian"),
        ("turned 22 yesterdayy", "turned 22 yesterday"),
        ("my sister amina is late", "my sister Amina is late"),
        ("hey, Marcus here", "hey, I'm Marcus"),
        ("the vet is on the twenty third of december", "the vet is on the 23rd of december"),
        ("we meet on march the second", "we meet on march the 2nd"),
        ("my exam is June eleventh at nine", "my exam is June 11th at nine"),
        ("omar, 27, nurse from Leeds", "My name is Omar. I'm 27. I work as a nurse. I'm from Leeds"),
    ],
)
def test_a_short_form_is_written_in_full(typed: str, full: str) -> None:
    assert write_out(typed) == full


@pytest.mark.parametrize(
    "typed",
    [
        "IM me on UR channel",
        "my id card is ill suited",
        "a veggie burger is veggie soup's friend",
        "she met me and Tash at noon",
        "my brother still works, my friend group is big",
        "hey, problem here",
        "Hi, still here",
        "Rome, 34, sunny",
        "the file is w.py, see u.org",
        "guess who saw me in Leeds",
        "guess who told ME",
        "why not I not you",
        "a third of december was wet",
        "the first may come, the second half of may too",
        "the last third of may was sunny",
    ],
)
def test_what_may_mean_something_else_stays(typed: str) -> None:
    assert write_out(typed) == typed


_SAID = """I'm I am 71 and a retired plumber his gf bf w n the missus said were going in to leeds on id like ill be lol
    btw yesterdayy veggie is gone me & Tash split have Anna he's she's it's sister's got not can't cannot won't don't
    guess who made i not drink team ME
    we've they'll I'd you're nurse , . ! \u017f \u0130 \u0131 \u00e9 mi\u017f\u017fus"""


@pytest.mark.parametrize("replacements", [spelling._BETWEEN, phrases._CONTRACTIONS], ids=["short forms", "verbs"])
def test_a_pattern_whose_mark_is_not_there_would_have_found_nothing(
    replacements: tuple[Replacement, ...],
) -> None:
    lot, asked = random.Random(7), Counter[str]()
    for _ in range(2_000):
        text = lot.choice((str, str.upper, str.title))(" ".join(lot.choices(_SAID.split(), k=lot.randint(1, 10))))
        wanted = text
        for _, pattern, by in replacements:
            wanted = pattern.sub(by, wanted)
        assert replace_each(text, replacements) == wanted
        asked.update(mark for mark, *_ in replacements if mark not in text.lower())
    assert set(asked) >= {mark for mark, *_ in replacements if mark}
    assert all(mark == mark.lower() and mark.isascii() for mark, *_ in replacements)


def test_most_patterns_are_not_tried_on_a_plain_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    seen: Any = tuple((mark, _Noting(tried, mark), by) for mark, _, by in (*spelling._BETWEEN, *phrases._CONTRACTIONS))
    assert replace_each("The boat lies at the old harbour.", seen) == "The boat lies at the old harbour."
    assert len(tried) <= 2


class _Noting:
    """A pattern that finds nothing, and notes that it was tried."""

    def __init__(self, tried: list[str], mark: str) -> None:
        self._tried, self._mark = tried, mark

    def sub(self, by: str, text: str) -> str:
        self._tried.append(self._mark)
        return text


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("I have physio weds 2pm.", "I have physio Wednesday 2pm."),
        ("I teach maths tue & thu.", "I teach maths Tuesday & Thursday."),
        ("I work mon to fri.", "I work Monday to Friday."),
        ("I have lunch on sat with Al.", "I have lunch on Saturday with Al."),
        ("We fly thurs 18 june.", "We fly Thursday 18 june."),
        ("My friend Thu lives in Hue.", "My friend Thu lives in Hue."),
        ("We sat at 7 and the sun at 8am was hot.", "We sat at 7 and the sun at 8am was hot."),
        ("I rely on sat nav.", "I rely on sat nav."),
        ("They wed in June.", "They wed in June."),
        ("My flat is on the fourth floor.", "My flat is on the fourth floor."),
        ("My exam is on the fourth.", "My exam is on the 4th."),
        ("I left on the third of this month.", "I left on the 3rd of this month."),
    ],
)
def test_short_and_spelled_days_are_written_out(said: str, written: str) -> None:
    assert write_out(said) == written
