"""Lines of a prompt about the facts of a user: "Home: Porto (since 10 June 2025; before: Lisbon)".

A question chooses among slots and replaced statements; standing instructions come with any that they concern.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from memoryos_core.rules.dates import day_in_words
from memoryos_core.rules.knowledge.asides import without_covered
from memoryos_core.rules.knowledge.asked_persons import PARTNER, Bridges, is_of_another, keep_asked_about, name_partner
from memoryos_core.rules.knowledge.beginnings import read_plan, told_once, when_told, with_begins
from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER
from memoryos_core.rules.knowledge.domains import domains_of, words_of_price
from memoryos_core.rules.knowledge.entries import (
    CUED_TERMS,
    FOOD,
    OF_A_PERSON,
    Line,
    Topic,
    amend_field,
    asks_about_holder,
    brief,
    cues_of,
    hold_announced,
    is_over,
    is_worth_a_line,
    mark_of,
    name_ended,
    names_theirs,
    place_in_portrait,
    sentence_of,
    state_fields,
    told_beside,
)
from memoryos_core.rules.knowledge.instructions import concern, is_standing, words_of_wish
from memoryos_core.rules.knowledge.news import BROAD, word_bag
from memoryos_core.rules.knowledge.pets import without_unnamed
from memoryos_core.rules.knowledge.relations import FAMILY, ROLE
from memoryos_core.rules.knowledge.slots import Slot, also_called, label_of, people_of, slots_of
from memoryos_core.rules.knowledge.times import is_behind, last_heir, once_held
from memoryos_core.rules.paging.pages import Said
from memoryos_core.rules.text.languages import name_attributes
from memoryos_core.rules.text.words import alike, matches, regex, sentences, terms, with_marks, words
from memoryos_core.values.dialogue import Hit, Page
from memoryos_core.values.facts import Fact, KnownValue, Profile

# A line answers when it shares so much of the question's weight. What it is worth whose attribute is asked for.
_LEAST_SHARED, _CUED = 0.45, 0.5
_ORDER = word_bag("user wants the assistant to always never when they ask about")
_LINES_SHOWN, _FORMER_SHOWN, _STANDING_SHOWN, _CONCERNED = 4, 2, 12, 0.6
_NOT, _SAYS = "not ", word_bag("called")  # "whose wife is called" tells nothing of a dog that is called something
# "My sister's name" asks for the sister, and "my name" does not.
_CALLED = with_marks(
    " name|called", rf"\b(?P<role>{ROLE}|{FAMILY}|kids|children)(?:(?:'s?|\u2019s?) names?|s called| called| named)\b"
)
_DIABETES = regex("diabet|zöliakie|cœliaque|coeliac", re.IGNORECASE)  # what is cooked has to suit it
_MAY_PLAN = regex(r"\b(?:mov|relocat|join|start|work|offer)")
# What a portrait tells beside what a line is always worth, and how much of it.
_PORTRAYED = ("identity", "relation", "preference", "possession", "plan")
_PORTRAIT_LINES = 20


class Book:
    """Facts of one user, grouped by what they tell. Made once for as long as no fact changes."""

    def __init__(self, facts: Sequence[Fact], names: Iterable[str] = ()) -> None:
        self._names = tuple(sorted({*names}))
        self.facts = facts = without_covered(facts, self._slots)
        self._topics: dict[tuple[str, str], Topic] = {}
        self._standing = [f for f in facts if f.status == "current" and is_standing(f)]
        by_id = {f.id: f for f in facts}
        for fact in facts:
            if fact.status == "current" or (fact.status in ("superseded", "retired") and once_held(fact)):
                self._file(fact, by_id)
        self._over: dict[str, list[tuple[Fact, str]]] = {}
        self._turned: set[str] = set()  # what news without a value of the same slot ended
        for fact in facts:
            if fact.status == "superseded" and (heir := last_heir(fact, by_id)) is not None:
                mark, is_turned = mark_of(fact, by_id, heir, self._slots)
                self._add_mark(fact, mark)
                self._turned |= {fact.id} if is_turned else set()
            elif fact.status == "retired" and fact.valid_until is not None:
                held = fact.valid_until > fact.valid_from
                self._add_mark(fact, f"(until {day_in_words(fact.valid_until)})" if held else "(said to be wrong)")
        self._held_on = defaultdict[str, list[Fact]](list)  # by the ids of their pages
        for page_id, fact in ((i, f) for f in facts if f.status == "current" and self._over for i in f.page_ids):
            self._held_on[page_id].append(fact)
        self._planned = list(self._find_plans())
        self._roles = list(self._find_roles())
        self._share = Counter(term for topic in self._topics.values() for term in topic.terms)
        self._list_by_question()

    def _list_by_question(self) -> None:
        """List the topics by the words and the parts of life of a question that asks for them."""
        self._worth = [topic for topic in self._topics.values() if topic.current and is_worth_a_line(topic)]
        self._asked_by, self._changed_in = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        for number, topic in enumerate(self._worth):
            for term in (
                topic.terms | topic.cues | (cues_of(topic.slot.attribute) if topic.slot is not None else set[str]())
            ):
                self._asked_by[term].append(number)
            for domain in topic.domains if topic.former else ():
                self._changed_in[domain].append(number)
        self._bridges = Bridges(self._topics.values(), self._values)
        self._known = defaultdict[str, list[str]](list)  # by the first letter
        for term in sorted(CUED_TERMS | self._share.keys()):
            self._known[term[:1]].append(term)

    def _find_plans(self) -> Iterator[tuple[Fact, Slot, str]]:
        """Yield what is planned for a home or a workplace, the slot that it will fill, and from when."""
        for fact in self.facts:
            if fact.status != "current" or fact.about != "user" or not _MAY_PLAN.search(fact.text):
                continue
            told, from_when = read_plan(fact)
            for slot in slots_of(told, self._names) if told else ():
                if slot.subject == USER and slot.attribute in ("home", "employer"):
                    yield fact, slot, from_when

    def _add_mark(self, fact: Fact, mark: str) -> None:
        for page_id in fact.page_ids:
            self._over.setdefault(page_id, []).append((fact, mark))

    def lines(self, question: str) -> list[Line]:
        """Return the lines that answer the question, best first, then the standing instructions that concern it."""
        question = name_partner(question, self._roles) if matches(PARTNER, question) else question
        plain = _CALLED.sub(r"\g<role>", name_attributes(question))
        asked = frozenset(map(self._known_term, terms(plain)))
        asked = rest if self._share.keys() & (rest := asked - words_of_price(question)) else asked
        weights = {term: self._weight(term) for term in asked}
        whole, life = math.fsum(weights.values()), domains_of(question) - BROAD
        known = self._share.keys() | CUED_TERMS
        numbers = {n for term in asked for n in self._asked_by.get(term, ())}
        numbers |= {n for domain in life for n in self._changed_in.get(domain, ())}
        found, changed = list[tuple[Topic, float]](), list[tuple[Topic, float]]()
        for topic in map(self._worth.__getitem__, sorted(numbers) if whole else ()):
            if asks_about_holder(topic, question) or is_of_another(topic.slot, question, asked & known):
                continue
            shared = math.fsum(weights[term] for term in asked & topic.terms) / whole
            if topic.slot is not None and asked & (cues := cues_of(topic.slot.attribute)):
                of_user = topic.slot.subject == USER
                if of_user and names_theirs(question) and not any(names_theirs(f.text) for f in topic.current):
                    continue  # "Où habite ma sœur ?" does not ask where the user lives
                # "Where do I live?" asks for nothing but the home, whoever else lives somewhere.
                asks_for_it = of_user and asked <= cues
                shared = 1 + _CUED if asks_for_it else max(shared, _CUED)
            elif asked & topic.cues:
                shared = max(shared, _CUED)
            if shared >= _LEAST_SHARED:
                found.append((topic, shared))
            elif life & topic.domains and any(life & domains_of(f.text) for f in topic.former):
                changed.append((topic, shared))
        found = found and keep_asked_about(found, question, asked, self._roles, self._names)
        found = self._bridges.lead(question, asked, self._names, found) if len(asked) > 1 else found
        # What changed in a part of life, where nothing answers by its words.
        lines = [self._line(topic, score) for topic, score in _without_told(found or changed)]
        lines.sort(key=lambda line: (-line.score, -len(line.facts), -line.facts[0].valid_from.timestamp(), line.text))
        lines = _without_repeats(lines)[:_LINES_SHOWN]
        told = {fact.id for line in lines for fact in line.facts} if self._standing else ()
        standing = [(concern(f.text, asked, self._weight), f) for f in reversed(self._standing) if f.id not in told]
        standing = sorted((one for one in standing if one[0] >= _CONCERNED), key=lambda one: -one[0])
        return lines + [Line(f.text, (f,)) for f in _different(f for _, f in standing)[:_STANDING_SHOWN]]

    def _find_roles(self) -> Iterator[tuple[str, str]]:
        """Yield the roles of the user's people, each with who has it, and others of whom something is known."""
        for slot, topic in ((t.slot, t) for t in self._topics.values() if t.slot):
            if topic.is_role:
                yield from ((slot.attribute, v.lower()) for fact in topic.current for v in self._values(fact, slot))
            elif slot.attribute in OF_A_PERSON and slot.subject not in ("", USER, UNRESOLVED):
                yield slot.subject, slot.subject

    def portrait(self, now: datetime) -> list[Line]:
        """Return lines that describe the user, for a question that asks for the whole person.

        First what describes a person and what changed, then who and what belongs to it, what it likes and plans, the
        newest first; the standing instructions last. What was to happen and has passed by `now` is left out.
        """
        described = [t for t in self._topics.values() if t.current and is_worth_a_line(t) and not is_over(t, now)]
        described.sort(key=lambda topic: (place_in_portrait(topic.slot), -topic.current[-1].valid_from.timestamp()))
        found = _without_repeats(self._line(topic, 0.0) for topic in described)
        told = {fact.id for line in found for fact in line.facts} | {fact.id for fact in self._standing}
        plain = (f for f in self.facts if f.status == "current" and f.about == "user" and f.kind in _PORTRAYED)
        newest = sorted(
            (f for f in plain if not is_behind(f, now)),
            key=lambda f: (_PORTRAYED.index(f.kind), -f.valid_from.timestamp(), f.seq),
        )
        more = [Line(brief(f.text), (f,)) for f in _different(f for f in newest if f.id not in told)]
        standing = [Line(f.text, (f,)) for f in _different(reversed(self._standing))[:_STANDING_SHOWN]]
        return (found + more)[: _PORTRAIT_LINES - len(standing)] + standing

    def is_over(self, page_id: str) -> bool:
        """Return whether something that a page says no longer holds."""
        return page_id in self._over

    def may_hold(self, sentence: str) -> bool:
        """Return whether a sentence has not all words of a fact that is over."""
        said, who = word_bag(sentence), word_bag(USER)
        return not any(word_bag(fact.text) - who <= said for over in self._over.values() for fact, _ in over)

    def over_in(self, page: Page) -> dict[int, list[tuple[Fact, str]]]:
        """Return what no longer holds by the place of the message that says it, each with what is said behind it."""
        said = Said(page)
        out: dict[int, list[tuple[Fact, str]]] = {}
        for fact, mark in self._over.get(page.id, ()):
            if (told := said.saying(fact.about, fact.text)) is not None:
                out.setdefault(told.at, []).append((fact, mark))
        return out

    def marks(self, hit: Hit, over: Sequence[tuple[Fact, str]]) -> tuple[tuple[str, str], ...]:
        """Return the sentences of a hit that no longer hold, each with its mark, which names what ended beside more."""
        said = sentences(hit.text) if over else []
        found: dict[tuple[str, str], None] = {}
        for fact, mark in over:
            sentence, slots = sentence_of(fact, said), self._slots(fact)
            beside = (f for f in self._held_on.get(hit.id, ()) if f.about == fact.about)
            others = (f for f in beside if fact.id in self._turned or sentence_of(f, said) == sentence)
            more = any(told_beside(f, fact, hit.text) and not _share(slots, self._slots(f)) for f in others)
            found[sentence, name_ended(mark, slots, fact.text) if more else mark] = None
        return tuple(found)

    def history(self, name: str) -> list[KnownValue]:
        """Return the values that something had, in order: "home" is the user's, others' have a label as in a line."""
        wanted = also_called(" ".join(words(name)))
        found = [
            KnownValue(label_of(slot, fact.text), said, fact.valid_from, fact.valid_until, fact.id, fact.page_ids)
            for topic in self._topics.values()
            for fact in (*topic.former, *topic.current)
            for slot in self._slots_and_people(fact)
            for said in [f"{_NOT if slot.negated else ''}{slot.value}"]
            if topic.slot is not None
            and (slot.subject, slot.attribute) == (topic.slot.subject, topic.slot.attribute)
            and not wanted.isdisjoint(_names_of(slot))
        ]
        # One fact may tell of "Imogen's wedding" and of "the wedding". Of one time, in the order they were learnt.
        once: dict[tuple[str, str], KnownValue] = {}
        for value in found:
            once.setdefault((value.fact_id, value.value), value)
        return with_begins(told_once(sorted(once.values(), key=lambda value: value.since)), self.facts)

    def amend(self, profile: Profile, now: datetime) -> Profile:
        """Return the profile as the facts have it: a field that a later fact replaced has its value, or is left out.

        What is told on purpose is filed as a fact alone, so that forgetting the fact leaves nothing of it. What begins
        after `now` replaces nothing yet.
        """
        if not profile.fields:
            return profile
        fields = (amend_field(field, self.facts, self._slots) for field in profile.fields)
        return hold_announced(replace(profile, fields=tuple(filter(None, fields))), self.facts, self._slots, now)

    def describe(self, profile: Profile, now: datetime) -> Profile:
        """Return the amended profile with what facts say of the person beside its fields: home, diet, allergies, a pet.

        A prompt gets these as lines where a question asks for them.
        """
        known = self.amend(profile, now)
        more = state_fields(known, self.facts, self._slots_and_people)
        return hold_announced(replace(known, fields=(*known.fields, *more)), self.facts, self._slots, now)

    def _slots(self, fact: Fact) -> tuple[Slot, ...]:
        return slots_of(fact.text, self._names)

    def _slots_and_people(self, fact: Fact) -> tuple[Slot, ...]:
        """Return the slots of a fact, and who of the user's people it names beside them, which replaces nothing."""
        stated = self._slots(fact)
        told = {(slot.attribute, slot.value) for slot in stated}
        return stated + tuple(s for s in people_of(fact.text, self._names) if (s.attribute, s.value) not in told)

    def _file(self, fact: Fact, by_id: dict[str, Fact]) -> None:
        slots = self._slots(fact)
        for slot in self._slots_and_people(fact):
            if slot.subject == UNRESOLVED:
                continue
            topic = self._topics.setdefault((slot.subject, slot.attribute), Topic(slot))
            self._put(topic, fact, slot)
        heir = last_heir(fact, by_id) if once_held(fact) else None
        if heir is not None and heir.status == "current" and not _share(slots, self._slots(heir)):
            topic = self._topics.setdefault(("", heir.id), Topic(None))
            self._put(topic, fact, None)
            for slot in slots:
                if slot.subject == USER:
                    topic.terms.update(word_bag(slot.attribute))
                    topic.cues.update(cues_of(slot.attribute))
            if heir not in topic.current:
                self._put(topic, heir, None)

    def _put(self, topic: Topic, fact: Fact, slot: Slot | None) -> None:
        (topic.current if fact.status == "current" else topic.former).append(fact)
        topic.terms.update(word_bag(fact.text) - _SAYS)
        if fact.status == "current":
            topic.domains |= domains_of(fact.text)
        if slot is not None:
            if slot.attribute == "condition" and _DIABETES.search(slot.value):
                topic.cues |= cues_of("diet")
            topic.is_avoided |= slot.negated and fact.status == "current"
            topic.terms.update(word_bag(f"{slot.subject if slot.subject != 'user' else ''} {slot.attribute}"))

    def _known_term(self, asked: str) -> str:
        """Return what a word that no statement holds is likely meant for, else the word itself."""
        if asked in self._share or asked in CUED_TERMS:
            return asked
        return next(iter(alike(asked, self._known.get(asked[:1], ()))), asked)

    def _weight(self, term: str) -> float:
        """Return how telling a term is: a word that few topics share tells most."""
        return math.log(1 + (len(self._topics) + 1) / (1 + self._share[term]))

    def _line(self, topic: Topic, score: float) -> Line:
        topic.line = topic.line or self._tell(topic)
        return replace(topic.line, score=score)

    def _tell(self, topic: Topic) -> Line:
        current = self._without_predecessors(topic)
        former = sorted(topic.former, key=lambda f: (f.valid_from, f.seq), reverse=True)[:_FORMER_SHOWN]
        if topic.slot is None:
            new, before = current[0], "; ".join(f"“{brief(f.text)}”" for f in former)
            return Line(f"{brief(new.text)} ({day_in_words(new.valid_from)}; before: {before})", (new, *former))
        values = without_unnamed({value: f.id for f in current for value in self._values(f, topic.slot)})
        label, avoided = label_of(topic.slot, current[0].text), topic.slot.attribute == FOOD and topic.is_avoided
        old = list(dict.fromkeys(value for f in former for value in self._values(f, topic.slot)))
        if avoided:
            label = f"{label} avoided"
            values, old = ([v.removeprefix(_NOT) for v in told if v.startswith(_NOT)] for told in (values, old))
        elif all(value.startswith(_NOT) for value in values):
            values = [brief(current[0].text)]  # it says what holds instead
        old = [value for value in old if value not in values]
        told = when_told(current[0], values, former if old else ())
        if old:
            told += f"; {'until then' if told.startswith('from ') else 'before'}: {', '.join(old)}"
        plans = [
            (f, s.value, when) for f, s, when in self._planned if _share((s,), (topic.slot,)) and _is_news(f, current)
        ]
        told += "".join(f"; planned{when}: {brief(value)}" for _, value, when in plans[-1:] if value not in values)
        text = f"{label}: {', '.join(values)} ({told})"
        return Line(text, (*current, *former, *(fact for fact, *_ in plans[-1:])), values=tuple(values))

    def _without_predecessors(self, topic: Topic) -> list[Fact]:
        """Return the current facts, the newest first; of a role none from before one that says who has it."""
        current = sorted(topic.current, key=lambda f: (f.valid_from, f.seq), reverse=True)
        if topic.slot is None or not topic.is_role:
            return current
        key = (topic.slot.subject, topic.slot.attribute)
        ones = (any((s.subject, s.attribute) == key and not s.many for s in self._slots(f)) for f in current)
        return current[: next((number for number, one in enumerate(ones, 1) if one), len(current))]

    def _values(self, fact: Fact, of: Slot) -> Iterator[str]:
        for slot in self._slots_and_people(fact):
            if (slot.subject, slot.attribute) == (of.subject, of.attribute):
                yield f"{_NOT}{brief(slot.value)}" if slot.negated else brief(slot.value)


def _is_news(fact: Fact, others: Iterable[Fact]) -> bool:
    """Return whether a fact was told after others."""
    return all((fact.valid_from, fact.seq) > (f.valid_from, f.seq) for f in others)


def _without_told(found: Sequence[tuple[Topic, float]]) -> list[tuple[Topic, float]]:
    """Return the topics without those that only tell what another one's value replaced, too."""
    over = {fact.id for topic, _ in found if topic.slot is not None for fact in topic.former}
    return [one for one in found if one[0].slot is not None or any(fact.id not in over for fact in one[0].former)]


def _without_repeats(lines: Iterable[Line]) -> list[Line]:
    """Return the lines without those whose facts stand in a line before: "the wedding", which is Imogen's, too."""
    out: list[Line] = []
    told: set[str] = set()
    values: set[str] = set()
    for line in lines:
        ids = {fact.id for fact in line.facts}
        if not ids <= told or not values.issuperset(line.values):
            out.append(line)
            values.update(line.values)
        told |= ids
    return out


def _different(facts: Iterable[Fact]) -> list[Fact]:
    """Return the first of facts that say nearly the same."""
    out: dict[frozenset[str], Fact] = {}
    for fact in facts:
        said = word_bag(words_of_wish(fact.text)) - _ORDER
        if all(2 * len(said & other) <= len(said | other) for other in out):
            out[said] = fact
    return [*out.values()]


def _share(a: Iterable[Slot], b: Iterable[Slot]) -> bool:
    """Return whether two facts fill a slot that is the same."""
    return not {(s.subject, s.attribute) for s in a}.isdisjoint((s.subject, s.attribute) for s in b)


def _names_of(slot: Slot) -> frozenset[str]:
    shared = slot.subject in ("", USER) or slot.attribute.partition(" ")[0] not in OF_A_PERSON
    return frozenset(" ".join(words(name)) for name in (label_of(slot), slot.attribute)[: 1 + shared])
