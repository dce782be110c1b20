"""Appointments that a request names by the way: "Write a toast for our party on 17 December"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryos_core.extract.statement_kinds import is_request
from memoryos_core.rules.dates.calendar import MONTH_NAMES, WEEKDAYS
from memoryos_core.rules.text.words import regex

__all__ = ["with_appointments"]

_MONTH = rf"(?:{'|'.join(MONTH_NAMES)})"
# What is made ready "for" something has it ahead; a report "about our meeting on 3 May" has not.
_FOR = regex(
    r"\bfor (?P<whose>my|our) (?P<what>(?:(?!(?:on|and|or|from|about|who|that|which|with)\b)[\w'\u2019-]+ ){1,4})"
    rf"(?P<when>on (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?"
    rf"|(?:{'|'.join(WEEKDAYS)})))\b(?! (?:last|was|went|nights?|mornings?))",
    re.IGNORECASE,
)


def with_appointments(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences, after a request also the appointment that it is for."""
    for sentence in sentences:
        yield sentence
        named = _FOR.search(sentence) if is_request(sentence, to_machine=True) else None
        if named is not None:
            yield f"{named['whose'].capitalize()} {named['what']}is {named['when']}."
