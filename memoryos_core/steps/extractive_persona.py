"""The twin of `persona` without a model: first-person statements as facts, some fields by pattern."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from memoryos_core.models import Page
from memoryos_core.rules.dates import find_dates
from memoryos_core.rules.words import sentences
from memoryos_core.steps.findings import Findings, FoundFact, FoundField, Persona, is_news, names_of
from memoryos_core.steps.profile_patterns import fields_in
from memoryos_core.steps.speech import said
from memoryos_core.steps.statements import statements

_FACTS_A_PAGE = 4
_HANDLES = frozenset(("user", "human", "me", "speaker", "guest"))


def learn(persona: Persona) -> Findings:
    """What the user says of themselves, verbatim, each statement citing its page."""
    known = {fact.text.casefold() for fact in persona.known}
    facts: dict[str, FoundFact] = {}
    for page in persona.pages:
        for text in statements(said(page, "user"), _FACTS_A_PAGE):
            if text.casefold() not in known:
                facts.setdefault(text.casefold(), FoundFact("user", text, (page.id,), _when(text, page)))
    fields = {f.name: f for page in persona.pages for f in _fields(page)}
    name = _called(persona)
    if name is not None and "name" not in fields and persona.profile.get("name") is None:
        fields["name"] = name
    news = (f for f in fields.values() if is_news(persona.profile, f.name, f.value))
    return Findings(facts=tuple(facts.values()), profile=tuple(news))


def _when(text: str, page: Page) -> datetime | None:
    """When it happened, if the statement names one time only; of several none is surely the one."""
    spans = find_dates(text, page.timestamp)
    return spans[0].start if len(spans) == 1 else None


def _fields(page: Page) -> Iterator[FoundField]:
    for sentence in sentences(said(page, "user")):
        for name, value in fields_in(sentence):
            yield FoundField(name, value, (page.id,))


def _called(persona: Persona) -> FoundField | None:
    """The name that the user's messages are signed with, when it looks like one."""
    name = names_of(persona).get("user", "")
    if not name[:1].isupper() or name.casefold() in _HANDLES or not persona.pages:
        return None
    signed = (p.id for p in persona.pages if any(m.name == name and m.half == "user" for m in p.messages))
    return FoundField("name", name, (next(signed, persona.pages[0].id),))
