"""Plain statements of what the tagger marks: "third day as a driver trainer" tells "I work as a driver trainer".

They come after what rules read in the same message, and never against it: a value that a rule gives stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memoryos_core.extract import third_person
from memoryos_core.extract.findings import FoundFact
from memoryos_core.extract.marks import OF_HEALTH, Told, marks_that_count, without_genitive
from memoryos_core.extract.statement_kinds import kind_of
from memoryos_core.extract.tagging import Span, Status, classes_of
from memoryos_core.extract.wishes import wishes_marked
from memoryos_core.extract.word_tokens import MOST_OF_A_TEXT, tokens_of
from memoryos_core.rules.dates import Span as DateSpan
from memoryos_core.rules.dates import day_in_words, find_dates
from memoryos_core.rules.dates.tense import AHEAD
from memoryos_core.rules.knowledge.beginnings import plans_home_or_work
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.drugs import with_amount
from memoryos_core.rules.knowledge.entries import PARTNERS
from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.medicines import dose_told
from memoryos_core.rules.knowledge.slots import Slot, as_the_users, people_of, slots_of
from memoryos_core.rules.knowledge.supersession import endings
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
    "employer": "I no longer work at {}.",
    "school": "I no longer go to {}.",
    "pet": "I no longer have {}.",
    "animal": "I no longer have {}.",
    "vehicle": "I no longer drive {}.",
    "hobby": "I no longer do {}.",
}
# What is told where rules would not know a value by the words of `_NOW`.
_NOW_BY_NAME = {
    "animal": ("pet", "My pet is {}."),
    "condition": ("condition", "My condition is {}."),
    "medication": ("medication", "My medication is {}."),
}
_NEXT = {
    "home": "I live in {}.",
    "job": "I work as {}.",
    "employer": "I work at {}.",
    "school": "I go to {}.",
}
_LONGEST_START = timedelta(days=31)
_WITH_ARTICLE = frozenset(("job", "animal", "vehicle"))
_OPENS = regex(r"(?:(?:an?|the|my|our|only|just|doing|studying|on|in|at|to) )+", re.IGNORECASE)
_BARE_AMOUNT = regex(r"[\d.,/ ]+(?:m?c?g|ml|iu|units|tablets?|pills?|puffs?|a day|daily|twice)?[\w ]*", re.IGNORECASE)
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
    yield from _values_marked(page, messages, names, told)
    yield from wishes_marked(page, messages, names[0], told)


def _values_marked(
    page: Page, messages: Sequence[tuple[str, Sequence[str]]], names: tuple[str, str], told: Told
) -> Iterator[FoundFact]:
    stated, seen = told.slots(), set[str]()
    for status, said, day in _all_told(messages, told, page.timestamp):
        text = third_person.tell(said, *names)
        if text is None or text in seen:
            continue
        seen.add(text)
        if _ends_known(text, told) if status == "no" else _adds_to(text, stated, told):
            kind = "plan" if status == "next" else kind_of(said)
            yield FoundFact("user", _capital(text), (page.id,), day, kind=kind)


def _all_told(
    messages: Iterable[tuple[str, Sequence[str]]], told: Told, said_at: datetime
) -> Iterator[tuple[Status, str, datetime | None]]:
    """Yield what messages say about their speaker as plain statements: what is over before what holds and what begins.

    Each message comes with those of its sentences that are the speaker's own: a quotation says nothing here.
    """
    for text, kept in messages:
        spans = sorted(marks_that_count(text, kept, told), key=lambda span: ("no", "now", "next").index(span.status))
        now = [span for span in spans if span.status == "now"]
        for span in spans:
            if (value := _value_of(span, text)) is None:
                continue
            if span.status == "now":
                for said in _now(span, value, text, now):
                    yield "now", said, None
            elif span.status == "no" and _is_over(span, text, kept, said_at):
                yield "no", _capital(_OVER[span.label].format(value)), None
            elif span.status == "next" and (day := _day_ahead(span, kept, told, said_at)) is not None:
                given = _with_article(value) if span.label in _WITH_ARTICLE else value
                yield (
                    "next",
                    f"{_NEXT[span.label].format(given).rstrip('.')} from {day_in_words(day.start)}.",
                    day.start,
                )


def _is_over(span: Span, text: str, kept: Sequence[str], said_at: datetime) -> bool:
    """Return whether what is marked as over is told so: not who died, nor what ends on a day ahead."""
    if span.label not in _OVER or (span.label == "partner" and _DIED.search(text)):
        return False
    return not any(_days_in(sentence, said_at) for sentence in kept if span.text in sentence)


_IS_PAST = regex(r"\b(?:left|moved|was|were|had|since|ago|last)\b", re.IGNORECASE)


def _day_ahead(span: Span, kept: Sequence[str], told: Told, said_at: datetime) -> DateSpan | None:
    """Return the one day to come that the sentence of a span names, or else its message; None if rules tell it."""
    if span.label not in _NEXT or any(_kind_of(slot.attribute) == _ATTRIBUTE.get(span.label) for slot in told.slots()):
        return None
    if any(span.text in text and plans_home_or_work(text) for text in told.stated):
        return None
    own = [sentence for sentence in kept if span.text in sentence]
    for sentences in (own, kept):
        days = [day for sentence in sentences for day in _days_in(sentence, said_at)]
        if days:
            return days[0] if own and len(days) == 1 and days[0].end - days[0].start <= _LONGEST_START else None
    return None


_ATTRIBUTE = {"home": "home", "job": "occupation", "employer": "employer", "school": "school"}


def _days_in(sentence: str, said_at: datetime) -> list[DateSpan]:
    said = sentence if _IS_PAST.search(sentence) else f"{AHEAD} {sentence}"
    return [day for day in find_dates(said, said_at) if day.start > said_at]


def _now(span: Span, value: str, text: str, now: Sequence[Span]) -> Iterator[str]:
    before, animals = text[max(0, span.start - _NEAR) : span.start], [one for one in now if one.label == "animal"]
    near = _NEXT_TO_ONE.get(span.label)
    related = near.search(before) if near is not None else None
    if span.label == "job":
        yield from _job(value, text[: span.start])
    elif span.label == "condition" and _ADJECTIVE.fullmatch(value):
        yield f"I'm {value}."
    elif span.label == "diet" and (left_out := _left_out(value, text[: span.start])) is not None:
        yield left_out
    elif related is not None or (span.label == "pet" and len(animals) == 1):
        yield f"My {(related[0] if related else animals[0].text).lower()} is called {value}."
    elif span.label != "animal" or not any(one.label == "pet" for one in now):
        yield _plainly(span.label, _with_article(value) if span.label in _WITH_ARTICLE else value)


def _left_out(value: str, before: str) -> str | None:
    """Return what somebody does not eat, or little of: "no fish", "cut all dairy", "go easy on the salt"."""
    if _NEVER.match(value):
        return f"I don't eat {_NEVER.sub('', value, count=1)}."
    found = _LEAVES_OUT.search(before)
    if found is None:
        return None
    value = _ALL_OF.sub("", value)
    return f"My diet is low {value}." if found["little"] else f"I don't eat {value}."


_LEAVES_OUT = regex(
    r"\b(?:(?P<little>(?:easy|light|low|little) on|less)|cut(?:ting)?|avoid(?:ing)?|leav(?:e|ing) out|skip(?:ping)?|off"
    r"|without|quit|stop(?:ped)?|gave up|given up|touch(?:ed)?)(?: (?:all|any|the|my|out|eating|completely))* $",
    re.IGNORECASE,
)
_ALL_OF = regex(r"^(?:all|any) ", re.IGNORECASE)


def _plainly(label: str, value: str) -> str:
    """Return the statement of a value that rules understand: "My condition is contact dermatitis."."""
    said = _NOW[label].format(value)
    attribute, by_name = _NOW_BY_NAME.get(label, ("", ""))
    told = third_person.tell(said, "the user", "") or ""
    if not attribute or any(slot.attribute == attribute for slot in slots_of(told, ())):
        return said
    return by_name.format(value)


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
        value = with_amount(value, text[: span.start], text[span.end :])
        if _BARE_AMOUNT.fullmatch(value) and not _names_medicine(value):
            return _with_medicine(value, text)
        return None if "," in value else _AMOUNT_FIRST.sub(r"\2 \1", value)
    value = value if span.label in ("school", "employer") else without_genitive(value)
    is_place = span.label == "animal" and _AT_THE.search(text, 0, span.start)
    if is_place or (span.label in _NAMES_NONE and _NAMES_NONE[span.label].fullmatch(value)):
        return None
    if span.label in OF_HEALTH and _OWNER.match(value):
        return None
    if span.label in ("name", "partner", "child", "pet", "home", "origin") and value[:1].islower():
        value = " ".join(word[:1].upper() + word[1:] for word in value.split(" "))
    if span.label == "age":
        is_word = _NO_NUMBER.fullmatch(value) is not None
        return None if (is_word and len(value) < _LEAST_AGE_WORD) or _NO_AGE.fullmatch(value) else value
    return value if _LAST_WORD.search(value) or any(map(str.isdigit, value)) else None


_AT_THE = regex(r"\b(?:at|in) the $", re.IGNORECASE)  # "I'm at the lab" is no labrador
_DONE = regex(r"(?!disabled$)\w+ed", re.IGNORECASE)  # "it's slipped, now 12 June"
_NAMES_NONE = {"vehicle": _ANY_VEHICLE, "hobby": regex(ANIMAL, re.IGNORECASE), "condition": _DONE}
_AMOUNT_FIRST = regex(r"^(\d[\d.]* ?(?:mg|mcg|micrograms?|g|ml|units?|iu)) (?:of )?([\w-]+)$", re.IGNORECASE)
_OWNER = regex(r"[^\W\d_]+['\u2019]s ")  # "Mia's coeliac" is hers
_LEAST_AGE_WORD = 3
_NO_AGE = regex(r"(?:[\d.,:/]*[.,:/%][\d.,:/%]*|[0-9]|1[1-9]\d|[2-9]\d\d|\d{4,})")


def _with_medicine(amount: str, text: str) -> str | None:
    """Return an amount behind the one medicine that a message names; None where it names none, or two."""
    named = _names_medicine(text)
    return f"{named[0]} {amount.strip()}" if len(named) == 1 else None


def _names_medicine(text: str) -> list[str]:
    words = (without_genitive(token.text.casefold()) for token in tokens_of(text, MOST_OF_A_TEXT))
    return [*dict.fromkeys(word for word in words if "drug" in (of := classes_of(word)) and "month" not in of)]


_SEVERAL = regex(r"(?:\d{1,2}|two|three|four|five|six|some) .*|.*[^s]s", re.IGNORECASE)


def _with_article(value: str) -> str:
    if _SEVERAL.fullmatch(value):
        return value
    return f"{'an' if value[:1].lower() in 'aeiou' else 'a'} {value}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_TELLS_END = regex(
    r"\b(?:left|leaving|quit\w*|stopp\w+|gave up|given up|resign\w*|sold|(?:is|are|was|all) over|ended|lost|died|gone"
    r"|moved|no longer|any ?more)\b",
    re.IGNORECASE,
)
_OF_AN_END = frozenset(terms("the user no longer works lives studies takes drives goes does has is work live at in to"))


def _ends_known(said: str, told: Told) -> bool:
    """Return whether a statement ends something that is known, where no rule has told so."""
    words = frozenset(terms(said)) - _OF_AN_END
    if any(_TELLS_END.search(text) and words.issubset(terms(text)) for text in told.stated):
        return False  # it says so itself
    ends = endings(said, told.names)
    return any(ends(known) for known in told.known)


def _adds_to(said: str, stated: Sequence[Slot], told: Told) -> bool:
    """Return whether a statement gives the user a value that others of the same page do not.

    A rule that gives an attribute another value is right: it has read the sentence, not its words alone.
    """
    names = told.names
    slots = [slot for slot in (*slots_of(said, names), *people_of(said, names)) if slot.subject == USER]
    listed = " ".join(text for text in told.stated if _SEVERAL_CHILDREN.search(text))
    if any(_kind_of(slot.attribute) == "child" and slot.value in listed for slot in slots):
        return False
    if _BARE_DOSE.search(said) and any(map(dose_told, told.stated)):
        return False  # it becomes the user's in the unit of the dose before
    planned = frozenset(terms(" ".join(filter(_ROUTINE.match, told.stated))))
    if any(slot.attribute == "hobby" and planned.issuperset(terms(slot.value)) for slot in slots):
        return False  # a routine that is called off ends, and what it is of would stay
    if not slots or any(_is_given(slot, one) for slot in slots for one in stated):
        return False
    known = [one for text in told.known for one in (*slots_of(text, names), *people_of(text, names))]
    return not any(_is_within(slot, one) for slot in slots for one in known)


_ROUTINE = regex(
    r"(?:(?:The user|They|[A-Z]\w+) (?:has|have|had|runs?|goes|joined)\b|.{1,40} is (?:now )?(?:on|every|each)\b).*"
    r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?\b",
    re.IGNORECASE,
)
_SEVERAL_CHILDREN = regex(r"\b(?:kids|children|sons|daughters|twins|boys|girls)\b", re.IGNORECASE)
_BARE_DOSE = regex(r"takes \S+ \d[\d.]*$")


def _is_given(slot: Slot, other: Slot) -> bool:
    """Return whether a rule gives a value already, under whatever name, or another one where there is one at a time."""
    value, given = frozenset(terms(slot.value)), frozenset(terms(other.value))
    alike = _kind_of(slot.attribute) == _kind_of(other.attribute)
    if alike and given and (value <= given or given <= value):
        return True
    if other.subject != USER or not alike:
        return bool(other.subject) and value <= given
    return not (slot.many or other.many) or not value.isdisjoint(given)


def _is_within(slot: Slot, known: Slot) -> bool:
    """Return whether a known fact says more than a statement; the same is told again, and cites both pages."""
    alike = known.subject == USER and not known.negated and _kind_of(slot.attribute) == _kind_of(known.attribute)
    return alike and frozenset(terms(slot.value)) < frozenset(terms(known.value))


_SAME = {"son": "child", "daughter": "child", "called": "name", **dict.fromkeys(PARTNERS, "partner")}


def _kind_of(attribute: str) -> str:
    return _SAME.get(attribute, attribute)
