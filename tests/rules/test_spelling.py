"""Quickly typed English in full: short forms that can be nothing else, and names of people who introduce themselves."""

from __future__ import annotations

import pytest

from memoryos_core.rules.text.spelling import write_out


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
        ("omar, 27, nurse from Leeds", "My name is Omar. I'm 27. I'm a nurse from Leeds"),
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
    ],
)
def test_what_may_mean_something_else_stays(typed: str) -> None:
    assert write_out(typed) == typed
