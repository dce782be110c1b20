"""Plain statements of what the tagger marks: "third day as a driver trainer" tells "I work as a driver trainer".

They come after what rules read in the same message, and never against it: a value that a rule gives stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from memoryos_core.extract import third_person
from memoryos_core.extract.findings import FoundFact
from memoryos_core.extract.marks import Told, is_unsaid, marks_that_count, without_genitive
from memoryos_core.extract.people import WORDS_OF_ROLE
from memoryos_core.extract.statement_kinds import is_of_the_moment, kind_of
from memoryos_core.extract.tagging import Span, is_medicine, is_wish, lifts_wish, tokens_of
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.entries import PARTNERS
from memoryos_core.rules.knowledge.instructions import is_of_one
from memoryos_core.rules.knowledge.slots import Slot, as_the_users, slots_of
from memoryos_core.rules.knowledge.wishes import ask_for_all, is_of_wish, lifts, take_back_for_all
from memoryos_core.rules.text.introductions import TRADE
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.dialogue import Page

# What may be told of each label; {} is the value. One without an end is not told when it is over.
_NOW = {
    "name": "My name is {}.",
    "age": "I'm {} years old.",
    "birthday": "My birthday is on {}.",
    "home": "I live in {}.",
    "origin": "I'm from {}.",
    "job": "I work as {}.",
    "employer": "I work at {}.",
    "school": "My school is {}.",
    "studies": "I study {}.",
    "partner": "My partner is {}.",
    "child": "My child is called {}.",
    "pet": "My pet is called {}.",
    "animal": "I have {}.",
    "allergy": "I'm allergic to {}.",
    "condition": "I have {}.",
    "medication": "I take {}.",
    "diet": "My diet is {}.",
    "vehicle": "I drive {}.",
    "language": "My language is {}.",
    "hobby": "My hobby is {}.",
}
_OVER = {
    "home": "I no longer live in {}.",
    "job": "I no longer work as {}.",
    "studies": "I no longer study {}.",
    "partner": "{} and I broke up.",
    "allergy": "I'm not allergic to {}.",
    "condition": "I no longer have {}.",
    "medication": "I no longer take {}.",
    "diet": "I'm not {} any more.",
}
_WITH_ARTICLE = frozenset(("job", "animal", "vehicle"))
_OPENS = regex(r"(?:(?:an?|the|my|our|only|just|doing|studying|on|in|at|to) )+", re.IGNORECASE)
_DOSE_CHANGED = regex(
    r",? (?:is |was |went )?(?:(?:up|down|back|cut|raised|lowered|from \S+(?: ?m?c?g)?) )*to (?=\d)", re.IGNORECASE
)
_BARE_AMOUNT = regex(r"[\d.,/ ]+(?:m?c?g|ml|iu|units|tablets?|pills?|puffs?|a day|daily|twice)?[\w ]*", re.IGNORECASE)
_NO_UNIT = regex(r" \d+$")
_ANY_VEHICLE = regex(r"(?:car|bike|van|truck|motorbike|scooter|boat|bicycle)s?", re.IGNORECASE)
_NO_NUMBER = regex(r"\D+")
_LAST_WORD = regex(r"[^\W\d_]+$")
_TRADES = regex(rf"(?:[\w'-]+ ){{0,4}}{TRADE}s?", re.IGNORECASE)
_HANDLED = regex(r"\b(?:drive|drives|driving|drove) (?:an? |the )?$", re.IGNORECASE)
_OF_SPEAKER = regex(r"\b(?:i|we)(?: (?:also|still|now|just|only|mostly|usually))? $", re.IGNORECASE)
_ADJECTIVE = regex(
    r"(?:\w+ly |very )?(?:[\w-]*(?:etic|matic|ptic|istic|exic|a?emic|liac|ivergent|polar)|deaf|pregnant"
    r"|(?:\w+[- ])?blind|\d+ weeks pregnant)(?: .*)?",
    re.IGNORECASE,
)
_NEVER = regex(r"(?:no|without) ", re.IGNORECASE)
_NEXT_TO_ONE = {
    "partner": regex(r"\b(?:husband|wife|girlfriend|boyfriend|fianc[ée]e?)\b", re.IGNORECASE),
    "child": regex(r"\b(?:son|daughter)\b", re.IGNORECASE),
}
_NEAR = 30  # characters before a name in which its relation stands
_DIED = regex(r"\b(?:late|died|dead|passed|widow(?:er)?|funeral|buried|since we lost)\b", re.IGNORECASE)


def facts_marked(
    page: Page, messages: Sequence[tuple[str, Sequence[str]]], names: tuple[str, str], told: Told
) -> Iterator[FoundFact]:
    """Yield what the user's messages of a page say about the user, where no other fact of the page says it.

    Each message comes with those of its sentences that are the speaker's own. `names` say what the user and the
    assistant are called.
    """
    if names[0] in told.names and names[0] != USER:  # what is known is told by the name of a message
        told = replace(told, known=[as_the_users(text, told.names) for text in told.known])
    stated = told.slots()
    for said in tell_marked(messages, told):
        text = third_person.tell(said, *names)
        if text is not None and _adds_to(text, stated, told):
            yield FoundFact("user", _capital(text), (page.id,), kind=kind_of(said))
    for sentence in (one for _, kept in messages for one in kept if not _is_order(one, told.stated)):
        if is_wish(sentence):
            yield FoundFact("user", _capital(ask_for_all(names[0], sentence)), (page.id,), kind="instruction")
        elif lifts_wish(sentence):
            text = _capital(take_back_for_all(names[0], sentence))
            if any(lifts(known, text) for known in (*told.known, *told.stated)):
                yield FoundFact("user", text, (page.id,), kind="change")


def _is_order(sentence: str, stated: Sequence[str]) -> bool:
    """Return whether rules read a sentence as an order, or as a wish of this moment or of one thing."""
    said = frozenset(terms(sentence))
    orders = (frozenset(terms(text)) - _OF_AN_ORDER for text in stated if is_of_wish(text))
    if (
        not _FEWEST_OF_A_WISH <= sentence.count(" ") < _MOST_OF_A_WISH
        or _TELLS_OF_A_TASK.match(sentence)
        or is_unsaid(sentence)
    ):
        return True
    is_told = any(len(said & order) >= _MOST_OF_IT * len(order) for order in orders if order)
    return is_told or kind_of(sentence) == "instruction" or is_of_the_moment(sentence) or is_of_one(sentence)


# A long question says what it is for: "I'm trying to …, and I want to make sure that …".
_FEWEST_OF_A_WISH, _MOST_OF_A_WISH = 3, 30
_TELLS_OF_A_TASK = regex(
    r"from now on|(?:ugh |and )?(?:why|should|how|what|you (?:said|never|always))\b"
    r"|[^,.]{0,40}(?:: | (?:told|wrote|said|says) )"
    r"|(?:(?:and|but|so|sure|also|ok|okay),? )*(?:i'?m (?:trying|working|looking|planning)|i'?ve|i'?ll|i have|i was"
    r"|i want to|i'?d appreciate it if you could (?:review|check|help|look|read|give))\b",
    re.IGNORECASE,
)
_OF_AN_ORDER, _MOST_OF_IT = frozenset(terms("the user wants the assistant to their they")), 0.6


def tell_marked(messages: Iterable[tuple[str, Sequence[str]]], told: Told) -> Iterator[str]:
    """Yield what messages say about their speaker as plain statements; what is over comes before what holds.

    Each comes with those of its sentences that are the speaker's own: a quotation or a pasted text says nothing here.
    """
    seen = set[str]()
    for text, kept in messages:
        spans = [*marks_that_count(text, kept, told)]
        for said in (*_all_over(spans, text), *_all_now(spans, text)):
            if said not in seen:
                seen.add(said)
                yield said


def _all_over(spans: Sequence[Span], text: str) -> Iterator[str]:
    for span in spans:
        if span.status == "no":
            yield from _over(span, text)


def _all_now(spans: Sequence[Span], text: str) -> Iterator[str]:
    now = [span for span in spans if span.status == "now"]
    for span in now:
        yield from _now(span, text, now)


def _over(span: Span, text: str) -> Iterator[str]:
    form = _OVER.get(span.label)
    if form is None or (span.label == "partner" and _DIED.search(text)):
        return
    value = _value_of(span, text)
    if value is not None:
        yield _capital(form.format(value))


def _now(span: Span, text: str, now: Sequence[Span]) -> Iterator[str]:
    value = _value_of(span, text)
    if value is None:
        return
    before, animals = text[max(0, span.start - _NEAR) : span.start], [one for one in now if one.label == "animal"]
    near = _NEXT_TO_ONE.get(span.label)
    related = near.search(before) if near is not None else None
    if span.label == "job":
        yield from _job(value, text[: span.start])
    elif span.label == "condition" and _ADJECTIVE.fullmatch(value):
        yield f"I'm {value}."
    elif span.label == "diet" and _NEVER.match(value):
        yield f"I don't eat {_NEVER.sub('', value, count=1)}."
    elif related is not None or (span.label == "pet" and len(animals) == 1):
        yield f"My {(related[0] if related else animals[0].text).lower()} is called {value}."
    elif span.label != "animal" or not any(one.label == "pet" for one in now):
        yield _NOW[span.label].format(_with_article(value) if span.label in _WITH_ARTICLE else value)


def _job(value: str, before: str) -> Iterator[str]:
    """Yield what somebody does, told as a trade or by its verb: "I teach maths"."""
    if _TRADES.fullmatch(value):
        yield f"I work as {_with_article(value)}."
    elif _OF_SPEAKER.search(before):
        yield f"I {value}."
    elif not _HANDLED.search(before):
        yield f"My job is {value}."


def _value_of(span: Span, text: str) -> str | None:
    """Return the value of a span as a statement has it, None if it names nothing."""
    value = _OPENS.sub("", span.text, count=1) if _OPENS.match(span.text) else span.text
    if span.label == "medication":
        value = _DOSE_CHANGED.sub(" ", value)
        if _BARE_AMOUNT.fullmatch(value):
            return _with_medicine(value, text)
        return None if "," in value or _NO_UNIT.search(value) else value
    if span.label == "vehicle" and _ANY_VEHICLE.fullmatch(value):
        return None
    if span.label in WORDS_OF_ROLE:
        value = without_genitive(value)
    if span.label in ("name", "partner", "child", "pet", "home") and value[:1].islower():
        value = " ".join(word[:1].upper() + word[1:] for word in value.split(" "))
    if span.label == "age":
        is_word = _NO_NUMBER.fullmatch(value) is not None
        return None if (is_word and len(value) < _LEAST_AGE_WORD) or _NO_AGE.fullmatch(value) else value
    return value if _LAST_WORD.search(value) or any(map(str.isdigit, value)) else None


_LEAST_AGE_WORD = 3
_NO_AGE = regex(r"(?:[\d.,:/]*[.,:/%][\d.,:/%]*|[0-9]|1[1-9]\d|[2-9]\d\d|\d{4,})")


def _with_medicine(amount: str, text: str) -> str | None:
    """Return an amount behind the one medicine that a message names; None where it names none, or two."""
    named = dict.fromkeys(token.text.casefold() for token in tokens_of(text) if is_medicine(token.text))
    return f"{next(iter(named))} {amount.strip()}" if len(named) == 1 else None


_SEVERAL = regex(r"(?:\d{1,2}|two|three|four|five|six|some) .*|.*[^s]s", re.IGNORECASE)


def _with_article(value: str) -> str:
    if _SEVERAL.fullmatch(value):
        return value
    return f"{'an' if value[:1].lower() in 'aeiou' else 'a'} {value}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _adds_to(said: str, stated: Sequence[Slot], told: Told) -> bool:
    """Return whether a statement gives the user a value that others of the same page do not.

    A rule that gives an attribute another value is right: it has read the sentence, not its words alone.
    """
    slots = [slot for slot in slots_of(said, told.names) if slot.subject == USER]
    rules = frozenset(terms(" ".join(told.stated)))
    if any(slot.attribute in _IN_OTHER_WORDS and rules.issuperset(terms(slot.value)) for slot in slots):
        return False
    return bool(slots) and not any(_is_given(slot, one) for slot in slots for one in stated)


# What rules tell of in other words may end in those: a routine is called off, and "Fudge" died.
_IN_OTHER_WORDS = frozenset(("hobby", "pet", "dog", "cat"))


def _is_given(slot: Slot, other: Slot) -> bool:
    """Return whether a rule gives a value already, under whatever name, or another one where there is one at a time."""
    value, given = frozenset(terms(slot.value)), frozenset(terms(other.value))
    if value <= given or (given and given <= value):
        return True
    alike = _kind_of(slot.attribute) == _kind_of(other.attribute)
    if other.subject != USER or not alike:
        return alike and not value.isdisjoint(given)
    return not (slot.many or other.many) or not value.isdisjoint(given)


_SAME = {"son": "child", "daughter": "child", "called": "name", **dict.fromkeys(PARTNERS, "partner")}


def _kind_of(attribute: str) -> str:
    return _SAME.get(attribute, attribute)
