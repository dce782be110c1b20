"""Facts that were found, compared with those that are known: the same, news, or a change of what held."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from operator import attrgetter

from memoryos_core.rules.knowledge.amounts import is_told_anew
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.corrections import is_marked
from memoryos_core.rules.knowledge.domains import domains_of
from memoryos_core.rules.knowledge.instructions import is_taken_back, may_end_wish, most_lifted, replaces_wish
from memoryos_core.rules.knowledge.moments import names_other_moment, owners_of_moved
from memoryos_core.rules.knowledge.news import is_bare_correction, is_same_kind, tells_end
from memoryos_core.rules.knowledge.outcomes import ends_all, has_outcome
from memoryos_core.rules.knowledge.rescheduling import ends_cancellation, is_revival, resumes, revives
from memoryos_core.rules.knowledge.slots import as_the_users, slots_of
from memoryos_core.rules.knowledge.supersession import endings, ends
from memoryos_core.rules.knowledge.wording import are_several
from memoryos_core.rules.safety.access import rank
from memoryos_core.rules.text.words import matches, regex
from memoryos_core.tiers.knowledge import SAME_WORDS, FactIndex, Place
from memoryos_core.tiers.likeness import (
    BROAD,
    JUST,
    are_of_one_page,
    cosine,
    is_alone,
    is_personal,
    is_quoted,
    keys_of,
    slot_keys,
    tells_of,
    terms_of,
    told_beside,
    value_over,
    with_value,
)
from memoryos_core.values.dialogue import Vector
from memoryos_core.values.facts import About, Fact

# "The cats died": a plural of one kind of pet.
_ALL_OF = regex(
    r"\b(?:(?i:the|their|any|the user's)|[A-Z][\w-]*'s) (?P<kind>cat|dog|rabbit|hamster|horse|parrot|chicken|kitten"
    r"|guinea pig)s\b"
)
# Of a slot's values so many are looked at and compared, of each key and in all; of 2,183 that ended none was past 61.
_LOOKED_AT, _OF_ONE_KEY, _RIVALS_AT_MOST = 500, 40, 80
# Facts whose end is decided anew for one fact that is read late.
_DECISIONS_AT_MOST = 1_000
_DENIES = regex(r"\b(?:no|not|never|cannot)\b|n't\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact somebody found, the known facts it replaces, and its vector when an embedder gave one."""

    fact: Fact
    replaces: str | None = None
    vector: Vector | None = field(default=None, compare=False)
    also_replaces: tuple[str, ...] = ()


class KnownFacts:
    """Comparison of what is found with the facts of an index, which it changes.

    When they are `guarded`, no fact ends one of a more trusted source.
    """

    def __init__(self, index: FactIndex, *, guarded: bool = False) -> None:
        self.index = index
        self._guarded = guarded

    @property
    def facts(self) -> dict[str, Fact]:
        """The facts that hold, by id, in the order in which they were learnt."""
        return self.index.facts

    def count(self, about: About) -> int:
        """Return how many facts about one side hold."""
        return self.index.counts[about]

    def holds(self, about: About, text: str) -> bool:
        """Return whether a fact with exactly these words holds."""
        return self.index.same_text(about, text) is not None

    def learn(self, candidate: Candidate) -> list[Fact]:
        """Add the candidate to the known facts, and return those that end otherwise now, as they are then.

        What ended a statement before that the new one ends earlier may now end another one, and so may what ends the
        new one: a value that is read late moves the end of the one before it.
        """
        new = candidate.fact
        self.index.add(new)
        if candidate.vector is not None:
            self.index.vectors[new.id] = candidate.vector
        changed: dict[str, Place] = {}
        waiting = [new.superseded_by, *self._find_less_certain(new)]
        for fact_id in dict.fromkeys((candidate.replaces, *candidate.also_replaces)):
            place = self.index.places.get(fact_id) if fact_id is not None else None
            if place is not None and self._may_end(place.fact, new):
                waiting.append(place.fact.superseded_by)
                if is_revival(new.text):  # what it calls off may hold again
                    waiting.append(place.fact.id)
                self.end(place, new)
                changed[place.fact.id] = place
        self._settle([i for i in waiting if i is not None], changed)
        return [place.fact for place in changed.values()]

    def settle(self) -> list[Fact]:
        """Decide anew in order of time what each fact ends; return those that end otherwise then."""
        changed: dict[str, Place] = {}
        for place in tuple(self.index.by_time):
            self._settle([place.fact.id], changed)
        return [place.fact for place in changed.values()]

    def retire(self, fact_id: str) -> None:
        """Remove a fact that ended without another one, so that an equal statement is new again."""
        self.index.remove(fact_id)

    def twin(self, candidate: Candidate, same_fact: float) -> str | None:
        """The id of a known fact that says the same, by its words or by its vector; not of one that it replaces."""
        new = candidate.fact
        same = self.index.same_text(new.about, new.text)
        if same is not None:
            return same
        wanted, vectors = terms_of(new.text), self.index.vectors
        near = self.facts if candidate.vector is not None and vectors else self.index.sharing(wanted)
        for fact_id in near:
            fact = self.facts.get(fact_id)
            if fact is None or fact.about != new.about or fact_id == candidate.replaces:
                continue
            shared = len(wanted & terms_of(fact.text))
            alike = shared >= SAME_WORDS * (len(wanted) + len(terms_of(fact.text)) - shared)
            if not alike and candidate.vector is not None:
                alike = cosine(vectors.get(fact_id), candidate.vector) >= same_fact
            alike = alike and matches(_DENIES, fact.text) == matches(_DENIES, new.text)  # "no" is not among the terms
            if alike and not (self._ends(fact, new) or self._ends(new, fact)):
                return fact_id
        return None

    def place_in_time(self, candidate: Candidate) -> Candidate:
        """Return the candidate with the facts it replaces, or as history when one that was said later replaces it.

        What was said later stands, whichever was read first (ADR 0027). The facts that it replaces may have been
        replaced already, by one that was said later still.
        """
        new = self.index.new_place(candidate.fact)
        given = [candidate.replaces] if candidate.replaces is not None else []
        before = given + [place.fact.id for place in self._find_ended(new)]
        heir = self._find_heir(new)
        if heir is not None:
            over = replace(new.fact, status="superseded", valid_until=heir.fact.valid_from, superseded_by=heir.fact.id)
            return replace(candidate, fact=over, also_replaces=tuple(before))
        return replace(candidate, replaces=before[0], also_replaces=tuple(before[1:])) if before else candidate

    # ------------------------------------------------------------------------------------------ in order of time

    def _find_less_certain(self, late: Fact) -> list[str]:
        """Return what ended the one fact of a part of life of which one more is known now, from before: `is_alone`."""
        by_time, ended = self.index.by_time, self.index.ended
        after = bisect_right(by_time, self.index.places[late.id])
        shared = domains_of(late.text) if after < len(by_time) else frozenset[str]()
        if not shared:
            return []
        enders = (place.fact for place in islice(by_time, after, after + _LOOKED_AT) if ended.get(place.fact.id))
        return [fact.id for fact in enders if shared & domains_of(fact.text) and self._ends_by_words(fact)]

    def _ends_by_words(self, ender: Fact) -> bool:
        """Return whether a fact ended one with which it shares no slot."""
        names, places = self.index.names, self.index.places
        filled = slot_keys(ender.text, names)
        return any(not filled & slot_keys(places[i].fact.text, names) for i in self.index.ended[ender.id])

    def _settle(self, waiting: list[str], changed: dict[str, Place]) -> None:
        """Decide anew what these facts end, and what follows from it, into `changed`."""
        for _ in range(_DECISIONS_AT_MOST):
            ender = self.index.places.get(waiting.pop(0)) if waiting else None
            if ender is None:
                if not waiting:
                    return
                continue
            ending = {p.fact.id: p for p in self._find_ended(ender) if self._may_end(p.fact, ender.fact)}
            held = {p.fact.id: p for p in self._ended_by(ender)}
            for fact_id, place in ending.items():
                if fact_id not in held:
                    waiting += [place.fact.superseded_by] if place.fact.superseded_by is not None else []
                    self.end(place, ender.fact)
                    changed[fact_id] = place
            for fact_id, place in held.items():
                if fact_id not in ending:
                    heir = self._find_heir(place, after=ender)
                    self.end(place, heir.fact if heir is not None else None)
                    waiting += [heir.fact.id] if heir is not None else []
                    changed[fact_id] = place

    def _find_ended(self, new: Place) -> list[Place]:
        """Return what the fact ends of that which held when it was said."""
        rivals = [place.fact for place in self._rivals(new)]
        ended = self._all_ended(rivals, new.fact) or self._find_corrected(new)
        return [place for f in ended if not self._is_on_again(place := self.index.places[f.id], new)]

    def _find_heir(self, old: Place, after: Place | None = None) -> Place | None:
        """Return the first fact, said later, that ends this one."""
        for place in sorted(self._rivals(old, later=True)):
            if (
                (after is None or after < place)
                and self._ends(old.fact, place.fact)
                and not self._is_on_again(old, place)
            ):
                rivals = [p.fact for p in self._rivals(place) if p is not old]
                if any(f is old.fact for f in self._all_ended([*rivals, old.fact], place.fact)):
                    return place
        return self._find_correction(old, after or old)

    def _is_on_again(self, plan: Place, off: Place) -> bool:
        """Return whether a fact that was said after `off` tells that the plan which it calls off is on again."""
        by_time = self.index.by_time
        later = (
            place.fact for place in islice(by_time, bisect_right(by_time, off), bisect_right(by_time, off) + _LOOKED_AT)
        )
        return any(
            revives(plan.fact.text, fact.text)
            and ends_cancellation(off.fact.text, fact.text)
            and fact.about == plan.fact.about
            and (None in (fact.event_time, plan.fact.event_time) or fact.event_time == plan.fact.event_time)
            for fact in later
        )

    def _held_until(self, place: Place, moment: Place) -> bool:
        """Return whether a fact held until a moment. What was said to be wrong never held."""
        fact, heir = place.fact, self.index.places.get(place.fact.superseded_by or "")
        if heir is None:
            return fact.status == "current"
        return fact.valid_until == max(heir.fact.valid_from, fact.valid_from) and not heir < moment

    def _ended_by(self, ender: Place) -> list[Place]:
        """Return what a fact ended by these rules, and not because somebody said so."""
        ids = self.index.ended.get(ender.fact.id, ())
        there = sorted((self.index.places[i] for i in ids if i in self.index.places), key=attrgetter("number"))
        bare = is_bare_correction(ender.fact.text)
        return [p for p in there if self._held_until(p, ender) and (bare or self._ends(p.fact, ender.fact))]

    def _may_end(self, old: Fact, new: Fact) -> bool:
        return not self._guarded or rank(old.trust) >= rank(new.trust)

    def end(self, place: Place, by: Fact | None) -> None:
        """Note that a fact ended when another one was said, or that it holds."""
        fact = place.fact
        if by is None:
            self.index.change(place, replace(fact, status="current", valid_until=None, superseded_by=None))
        else:
            until = max(by.valid_from, fact.valid_from)
            self.index.change(place, replace(fact, status="superseded", valid_until=until, superseded_by=by.id))

    def _find_corrected(self, new: Place) -> list[Fact]:
        """Return what a correction with few words of its own is about: the last value of its kind, said just before."""
        if not is_bare_correction(new.fact.text):
            return []
        by_time = self.index.by_time
        for place in map(by_time.__getitem__, range(bisect_left(by_time, new) - 1, -1, -1)):
            if new.fact.valid_from - place.fact.valid_from > JUST:
                break
            held = _is_just_before(place.fact, new.fact) and self._held_until(place, new)
            if held and is_same_kind(place.fact.text, new.fact.text):
                return [place.fact]
        return []

    def _find_correction(self, old: Place, after: Place) -> Place | None:
        """Return the correction that was said just after the statement, and is read before it."""
        for place in islice(self.index.by_time, bisect_left(self.index.by_time, after), None):
            if place.fact.valid_from - old.fact.valid_from > JUST:
                break
            follows = place.fact.id != old.fact.id and _is_just_before(old.fact, place.fact)
            if follows and is_same_kind(old.fact.text, place.fact.text):
                return place if is_bare_correction(place.fact.text) else None
        return None

    def _rivals(self, new: Place, *, later: bool = False) -> Iterable[Place]:
        """Return the facts, said before or later, that may be about the same: by narrow keys first, then by rare.

        Those said before held when the new one was said.
        """
        found: dict[str, Place] = {}
        keys = keys_of(new.fact.text, self.index.names)
        for key in sorted(keys, key=lambda key: (key[:1] in BROAD, len(self.index.with_key(key)), key)):
            room = _OF_ONE_KEY
            for place in self._near(new, key, later=later):
                fact = place.fact
                if fact.about == new.fact.about and fact.id != new.fact.id:
                    found[fact.id] = place
                    room -= 1
                    if not room:
                        break
            if len(found) >= _RIVALS_AT_MOST:
                break
        return islice(found.values(), _RIVALS_AT_MOST)

    def _near(self, new: Place, key: str, *, later: bool) -> Iterable[Place]:
        """Return the facts of a key next to a moment, the nearest first."""
        is_newest = new.fact.id not in self.index.places and not (self.index.by_time and new < self.index.by_time[-1])
        if is_newest and not later:  # what holds held then
            return (self.index.places[i] for i in reversed(self.index.holding(key)))
        places = self.index.with_key(key)
        at = bisect_left(places, new)
        if later:
            return islice(places, at, at + _LOOKED_AT)
        before, heir_of, moment = places[max(0, at - _LOOKED_AT) : at], self.index.places.get, new.order
        return (
            place
            for place in reversed(before)
            # Of a slot with many values nearly all ended long before: asked first, and without a call for each.
            if ((heir := heir_of(place.fact.superseded_by or "")) is None or not heir.order < moment)
            and self._held_until(place, new)
        )

    def _all_ended(self, rivals: list[Fact], new: Fact) -> list[Fact]:
        """Return what a fact ends. Of a value that is over: every fact with it, but those of the same page."""
        if is_taken_back(new.text):
            return most_lifted(sorted(rivals, key=self._order), new)
        over, names = value_over(new.text, self.index.names), self.index.names
        before = [fact for fact in rivals if not (over and are_of_one_page(fact, new))]
        ended = (with_value(over, before, names) if over else []) or self._of_one_change(before, new)
        return ended + [fact for fact in told_beside(ended, before, new, names) if fact not in ended]

    def _of_one_change(self, rivals: list[Fact], new: Fact) -> list[Fact]:
        """Return the facts of the slots that the new one fills, and what it is the outcome of.

        Where there is neither: the newest of those that only its words concern.
        """
        names = self.index.names
        ends_with = endings(new.text, names)
        before = [fact for fact in rivals if ends_with(fact.text) and not self._is_apart(fact, new)]
        unclear = are_several((fact.text for fact in before), new.text, names)
        if unclear or is_marked(new.text):
            return [] if unclear else sorted(before, key=self._order)[-1:]
        if against := [fact for fact in before if replaces_wish(fact.text, new.text)]:
            return against
        keys = slot_keys(new.text, names)
        slots = {f.id: slot_keys(f.text, names) for f in before}
        said, told = {f.id: as_the_users(f.text, names) for f in before}, as_the_users(new.text, names)
        resumed = [f for f in before if resumes(said[f.id], told)]  # all that says that it was given up
        came = [f for f in before if f not in resumed and has_outcome(said[f.id], told)]
        certain = [f for f in before if keys & slots[f.id]]
        if not ends_all(told):  # with what was on again its plan is off, too
            again = [f for f in came if is_revival(f.text) or is_told_anew(said[f.id], told)]
            came = again + _of_newest(sorted((f for f in came if f not in again), key=self._order))
        certain += [f for f in (*resumed, *came) if f not in certain]
        owners = {f.id: who for f in before if (who := owners_of_moved(f.text, new.text, names))}
        if owners:
            # Of the weddings of two persons none is meant, and neither beside the user's own.
            is_one = len(frozenset[str]().union(*owners.values())) == 1
            is_own = any(slot.subject == USER for f in certain for slot in slots_of(f.text, names))
            certain = [f for f in certain if f.id not in owners]
            return certain + [f for f in before if is_one and not is_own and f.id in owners]
        if certain:
            return certain
        of_life = (is_personal(keys) or tells_end(new.text)) and not is_quoted(new.text)
        named = [f for f in before if tells_of(f, new, names)]
        own = [f for f in before if is_personal(slots[f.id]) and (of_life or is_alone(f, new, rivals, names))]
        alone = [f for f in before if not own and is_alone(f, new, rivals, names)]
        by_words = [f for f in before if f in named or f in own or f in alone]
        if several := _ALL_OF.search(new.text):  # "The cats died": each of them
            return [f for f in by_words if f" {several['kind'].lower()} called " in f.text] or by_words[-1:]
        return sorted(by_words, key=self._order)[-1:]

    def _ends(self, old: Fact, new: Fact) -> bool:
        """Return whether the old statement no longer holds once the new one was made."""
        return ends(old.text, new.text, self.index.names) and not self._is_apart(old, new)

    def _is_apart(self, old: Fact, new: Fact) -> bool:
        """Return whether a statement ends no other one: what happens ends no wish, and a day no plan of another."""
        is_kept = old.kind == "instruction" and new.origin == "rules" and not may_end_wish(new)
        # News calls off or moves no plan of another time; "moved to Braga" moves a home of any.
        one, other = (slot_keys(fact.text, self.index.names) for fact in (old, new))
        return is_kept or (not one & other and names_other_moment(old, new))

    def _order(self, fact: Fact) -> Place:
        """Return the place of a fact in the order of time: ids are random."""
        return self.index.places.get(fact.id) or self.index.new_place(fact)


def _of_newest(came: Sequence[Fact]) -> list[Fact]:
    """Return the newest of the statements of which news is the outcome, and those of its day.

    "I'm in for the race" has no day: who told before when the race is told of the same one.
    """
    if not came:
        return []
    day = next((fact.event_time for fact in reversed(came) if fact.event_time is not None), None)
    return [fact for fact in came if fact is came[-1] or (day is not None and fact.event_time == day)]


def _is_just_before(old: Fact, new: Fact) -> bool:
    """Return whether one side said a statement within the hour before another one."""
    return old.about == new.about and timedelta() <= new.valid_from - old.valid_from <= JUST
