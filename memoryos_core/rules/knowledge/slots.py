"""Read the slots that a fact states: whose value, of what, and which one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER, Clause, clauses_of, is_told_by_another, person
from memoryos_core.rules.knowledge.corrections import is_called_off, names_moment
from memoryos_core.rules.knowledge.domains import is_no_place
from memoryos_core.rules.knowledge.instructions import is_asked_for_all, is_taken_back
from memoryos_core.rules.knowledge.job_ends import job_in
from memoryos_core.rules.knowledge.nicknames import called_in
from memoryos_core.rules.knowledge.other_languages import is_read_here, told_in_quotation
from memoryos_core.rules.knowledge.patterns import phrases_at
from memoryos_core.rules.knowledge.phrases import NO_AGE, NOUN_ATTRIBUTES, PRESCRIBED
from memoryos_core.rules.knowledge.relations import (
    concerns_upkeep,
    find_all_gone,
    find_another,
    find_holder,
    find_own_pet,
    find_parted_with,
    find_people,
    may_be_held_by_many,
    name_pet,
    names_person,
    parts_with_some,
    plain_head,
    relation_of,
    role_of,
    typed_relation_of,
)
from memoryos_core.rules.knowledge.swaps import without_swap
from memoryos_core.rules.knowledge.trimming import trim_value, without_kin
from memoryos_core.rules.text.words import at_start, regex


@dataclass(frozen=True, slots=True)
class Slot:
    """One value that a fact gives to an attribute of a subject.

    `subject` is "user", "assistant", a person's or thing's name in lower case, or "" where the attribute names it.
    `many` says that several values hold at once, `negated` that this value does not hold.
    """

    subject: str
    attribute: str
    value: str
    many: bool = False
    negated: bool = False


_SEVERAL_AT_ONCE = frozenset(("medication", "condition", "allergy", "hobby", "language"))
_EVENT_MOVED = regex(
    r"^(?:(?:have|has|had|just|recently|now|already) )*(?:moved|postponed|shifted|rescheduled|pushed|delayed|brought"
    r"|extended|shortened|raised|lowered|increased|decreased|cut|changed|reduced|upgraded|updated|set|bumped|put) "
    r"(?:the |my |our |his |her |their |its )(?P<head>(?!name\b)[\w' -]{2,60}?)(?: back| forward| up| down)?(?: from"
    r" [^,]{1,40})? (?:to|until|for|at) (?P<value>.{1,80})$"
)
_PURPOSE = regex(  # "updated the plan to save time for all of us"
    r"(?!(?:an?|the|this|next|my|our|half|mid|\w+day|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve)\b)[a-z]+ (?:[^ ]+ ){2}"
)
_THEN = at_start(
    r"^[^,;]{1,80}? and (?:then |so |finally )?(?=(?:moved|postponed|rescheduled|pushed|delayed|brought) )"
)
_THE_EVENT = regex(r"\b(?:moved|postponed|rescheduled|pushed|delayed|brought) the ")
_NUMBER_OF = regex(
    r"^(?:(?P<head>[\w' -]{1,40}?) )??(?:now |currently )?(?:have|has|includes?|holds?|contains?|runs?|uses?) (?:now "
    r"|up to )?(?P<value>(?:version )?\d[\d.,]*) ?(?P<noun>[a-z][\w-]*)?"
)
_FAVOURITE = regex(
    r"^(?P<value>.{1,80}?) (?:is|are) (?:now )?(?:my|our|the user's) (?P<noun>fav(?:ou?)rite [\w -]{2,30})$"
)
_IS_NEW = regex(
    r"^(?P<value>[A-ZÀ-Þ][\w'.-]+(?: [A-ZÀ-Þ][\w'.-]+){0,2}) (?:is|are) (?:now )?"
    r"(?P<owner>[Mm]y|[Oo]ur|[\w-]+'s|the user's) (?P<noun>(?:new|current) [\w-]{2,30}(?: [\w-]{2,30})?"
    r"|[\w-]{2,30}(?: [\w-]{2,30})?(?= (?:now|nowadays|these days|instead)$))"
)
_MARRIES = regex(
    r"^(?:marr(?:y|ies)|(?:is|are|am) getting married|gets? married|heiratet|se marie|se casa) "
    r"(?:on |in |am |le |el )?(?P<value>.{1,60})$"
)
_CONTACT = regex(
    r"\b(?:dial|call me (?:on|at)|reach me (?:on|at)|(?:phone|mobile|telephone) number(?: is|:)?|extension"
    r"|(?:[Mm]y|[Oo]ur|[Tt]he user's) (?:[a-z]*phone |mobile )?number (?:is|has|was)(?: been| just| now)* changed"
    r"(?=\D{0,24}\d)(?:,? (?:and )?(?:the )?new (?:one|number))?)"
    r"\D{0,20}(?P<value>\+?\d[\d ()/-]{1,20}\d)"
)
# "The number of the clinic", "the clinic's number", "my old number": none is where the user is reached now.
_OTHER_CONTACT = regex(
    r"\b(?:old|former|previous|earlier|ex-?) (?:\w+ )?number\b|\bnumber was\b|\bnumber (?:of|for|at) (?!(?:mine|me)\b)"
    r"|\b[\w-]+(?<!user)'s (?:\w+ ){0,2}number\b",
    re.IGNORECASE,
)
_EMAIL = regex(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")
_INSTRUCTION = regex(
    r"^(?:(?:please|from now on|and|the user (?:wants|asks)(?: (?:me|you|the assistant))? to)[, ]+)*"
    r"(?P<value>(?:always|never|do not(?: ever)?|only ever) .{3,200})$",
    re.IGNORECASE,
)
_NEW = at_start(
    r"^(?:new|line(?= manager)|current|latest|updated|actual|present|own|neue?s?|jetzige|nouveau|nouvelle|nuevo|nueva) "
)
_LATELY = regex(r"(?: these days| nowadays| currently| now| here| at the moment)+$")
_SINCE = regex(r" since (?:\w+ ){0,3}\w+$")
_SUPERIORS = ("boss", "manager")
_CONTACTS = {"phone": "phone", "mobile": "phone", "telephone": "phone", "e-mail": "email", "email": "email"}
_LONGEST_NAME = 6  # spaces in the name of an owner
_SPELLING = (("favorite", "favourite"), ("color", "colour"), ("landlady", "landlord"))
# A whole phrase that names an attribute in another language.
_LIEBLING = regex(r"^lieblings(\w+)$|^(\w+) (?:préférée?s?|favorie?t?e?|favorit[oa]s?|preferid[oa]s?)$")


def slots_of(text: str, names: Collection[str] = ()) -> tuple[Slot, ...]:
    """Return the slots that one fact states: most often none or one.

    `names` are the user's own names: a fact about one of them is about the user.
    """
    return _read_slots(text, tuple(names))


@lru_cache(maxsize=4_096)
def people_of(text: str, names: tuple[str, ...]) -> tuple[Slot, ...]:
    """Return who of the user's people a fact names, whatever else it states: "my boss Dave", but not who no longer is.

    Another one may have the role at another place: such a name replaces none.
    """
    is_told = not (is_called_off(text) or is_asked_for_all(text)) and not is_told_by_another(text, names)
    told = (clause.text for clause in clauses_of(text, names) if clause.holds) if is_told else ()
    people = (one for said in told for one in find_people(as_the_users(said, names)))
    return tuple(Slot(USER, _attribute(role), name, many=True) for role, name in dict.fromkeys(people))


@lru_cache(maxsize=16_384)
def _read_slots(text: str, names: tuple[str, ...]) -> tuple[Slot, ...]:
    if is_called_off(text) or is_asked_for_all(text) or is_taken_back(text):
        return ()
    if told := told_in_quotation(text):
        return tuple(Slot(person(who, names), *one) for who, one in told)
    text = _with_full_genitives(without_swap(text), names)
    out: dict[tuple[str, str, str], Slot] = {}
    if (another := find_another(as_the_users(text, names))) is not None:
        whose, said, name = person(another[0] or "the user", names), _attribute(another[1]), another[2]
        roles = _SUPERIORS if said in _SUPERIORS else (said,)  # whoever has another manager has another boss
        out |= {(whose, role, name): Slot(whose, role, name) for role in roles}
    for clause in clauses_of(text, names):
        if clause.holds:
            for slot in _clause_slots(clause, names):
                if not (slot.subject == USER and is_read_here(text, slot.attribute)):
                    out.setdefault((slot.subject, slot.attribute, slot.value), slot)
    kept, beside = not parts_with_some(text), concerns_upkeep(text)
    return tuple(
        slot
        for slot in out.values()
        if (not slot.negated or (kept and not (beside and slot.attribute in {"pet", "vehicle"})))
        and not (slot.subject == USER and is_told_by_another(text, names))
    )


def _with_full_genitives(text: str, names: tuple[str, ...]) -> str:
    """Return a text in which "James' boss" is "James's boss"."""
    for name in (name for name in names if name.endswith("s")):
        text = text.replace(f"{name}' ", f"{name}'s ")
    return text


_IS_HOME = regex(
    r"(?P<value>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+){0,2}) is (?:now )?(?:my |our )?home(?: now| these days)?$"
)


def _clause_slots(clause: Clause, names: tuple[str, ...]) -> Iterator[Slot]:
    if (own := _own_slot(clause.text, names)) is not None:
        yield own
    found = False
    for slot in _own_slots(clause, names):
        found = True
        yield slot
    if not found:
        yield from _relation_slots(clause, names)


def _own_slots(clause: Clause, names: tuple[str, ...]) -> Iterator[Slot]:
    """Yield what is said of a person by a phrase that we know."""
    who = clause.subject
    if (told := _told_slot(clause, names)) is not None:
        yield told
        if who not in {"", USER} and _THE_EVENT.search(clause.rest):
            yield replace(told, subject="")  # "Imogen moved the wedding": the one that was spoken of
        return
    call = called_in(clause.text)
    if call is not None and (call["own"] or who not in {"", UNRESOLVED}):  # a thing is "known as" something, too
        own = call["own"] is not None
        called = own and bool(names) and call["value"].lower() not in {name.lower() for name in names}
        yield Slot(USER if own else who, "called" if called else "name", call["value"])
    if who in {"", UNRESOLVED} or clause.possessive or (who != USER and typed_relation_of(clause.text) is not None):
        return
    if (gone := find_parted_with(clause.rest)) is not None:
        yield Slot(who, *gone, many=True, negated=True)
        return
    for attribute, value, many, negated in phrases_at(clause.rest):
        is_age = attribute == "age"  # "I'll be 40" tells it, too
        if not (is_age and who == USER and NO_AGE.match(value)) and (is_age or not clause.future):
            pet = name_pet(value) if attribute == "possession" else None  # "a cat allergy" keeps no cat
            yield Slot(who, *((attribute, value) if pet is None else ("pet", without_kin(pet))), many, negated)


def _told_slot(clause: Clause, names: tuple[str, ...]) -> Slot | None:
    """Return the slot of a clause whose form alone tells it: an instruction, an address, a moved date."""
    text, who = clause.text, clause.subject
    if instruction := _INSTRUCTION.match(text):
        return Slot(USER, "instruction", instruction["value"], many=True)
    if named := _FAVOURITE.match(text) or _IS_NEW.match(text):
        owner = named.groupdict().get("owner") or "my"
        whose = USER if owner.lower() in {"my", "our"} else person(owner, names)
        return Slot(whose, _attribute(named["noun"]), trim_value(named["value"]))
    if who in {"", USER} and (contact := _CONTACT.search(text)) and not _OTHER_CONTACT.search(text, 0, contact.end()):
        return Slot(USER, "phone", contact["value"])
    if "@" in text and (email := _EMAIL.search(text)):
        return Slot(who or USER, "email", email[0].rstrip("."))
    moved = _EVENT_MOVED.match(_THEN.sub("", clause.rest))
    if moved is not None and not _PURPOSE.match(moved["value"]):
        return Slot(who, _attribute(moved["head"]), trim_value(moved["value"]))
    married = _MARRIES.match(clause.rest) if who else None
    return Slot(who, "wedding", trim_value(married["value"])) if married else None


def _own_slot(text: str, names: tuple[str, ...]) -> Slot | None:
    """Return the user's home or pet that a clause names as such: "Turin is home now", "my cat Pixel hates it"."""
    text = as_the_users(text, names)
    if lives := _IS_HOME.match(text):
        return Slot(USER, "home", lives["value"])
    if job := job_in(text):
        return Slot(USER, job[0], job[1], negated=job[2])
    if held := find_holder(text):
        return Slot(USER, _attribute(held[0]), held[1], many=held[0] != "relationship", negated=held[2])
    given = PRESCRIBED.search(text)
    if given is not None and _is_to_the_user(given, names):
        return Slot(USER, "medication", given["value"], many=True)
    if gone := find_all_gone(text):
        return Slot(USER, *gone, many=True, negated=True)
    pet = find_own_pet(text)
    return None if pet is None else Slot(USER, "pet", without_kin(pet), many=True)


# Behind one of these words a name is whom something happens to: "the doctor put Tom on statins".
_WHOM_BEHIND = "put|for|got|had|has|have|told|asked|gave|moved|pushed|took|made|let|keeps|left|discharged|pays|sent"


@lru_cache(maxsize=16_384)
def as_the_users(text: str, names: tuple[str, ...]) -> str:
    """Return a statement with "the user" for the user's names, as far as a name of one word cannot be another word."""
    for name in (name for name in names if name in text):
        one = re.escape(name)
        text = re.sub(rf"(?<![\w'-]){one}(?:['’]s|(?<=s)['’])(?!\w)", "the user's", text)
        text = re.sub(rf"^{one} ", "The user ", text)
        if " " in name:
            text = re.sub(rf"(?<![\w'-]){one}(?![\w'’-])", "the user", text)
        else:
            text = re.sub(rf"\b({_WHOM_BEHIND}) {one}(?![\w'’-]| [A-ZÀ-Þ])", r"\1 the user", text)
    return f"The user{text[len('the user') :]}" if text.startswith("the user") else text


def _is_to_the_user(given: re.Match[str], names: tuple[str, ...]) -> bool:
    """Return whether a medicine is for the user: "the user's doctor put them on", but not "the doctor put them on"."""
    who, owners = given["who"].lower(), ("my ", "the user's ", *(f"{name.lower()}'s " for name in names))
    own = given.string[: given.start()].lower().endswith(owners)
    return who in {"me", "us", "the user"} or (who == "them" and own) or person(who, names) == USER


# "I'm set for a coffee with friends" is no state.
_IS_SET = regex(r" set for an? (?:coffee|tea|drink|beer|lunch|dinner|walk|party|date)\b")


# "The exam is off the 22nd" gives it no other day.
_IS_OFF = regex(r"(?:'s| is| are) off (?:on )?the \d")
_NAME_OF_IT = at_start(r"^(?:(?:and|so|but),? )*(?:the|its|their|that|this) name(?:'s| is)\b", re.IGNORECASE)


def _relation_slots(clause: Clause, names: tuple[str, ...]) -> Iterator[Slot]:
    who = clause.subject
    relation = None if _IS_SET.search(clause.text) or _IS_OFF.search(clause.text) else relation_of(clause.text)
    counted = _NUMBER_OF.match(clause.rest) if who else None
    if relation is None:
        if counted is not None:
            named = " ".join(part for part in (counted["head"], counted["noun"] or "number") if part)
            yield Slot(who, _attribute(named), counted["value"])
        return
    persons = {who, *(name.lower() for name in names)} - {"", UNRESOLVED}
    if relation.verb == "is" and not clause.possessive and relation.head in persons:
        return  # "John is happy": a state of a person is no attribute
    head, subject = _owner(relation.head, clause, names)
    if head == "name" and not subject and _NAME_OF_IT.match(clause.text):
        return  # "She is at a new school. The name is Acorns." is no name of the user's
    if head:
        negated = relation.value.startswith(("not ", "no longer "))
        verb = "" if relation.verb == "is" else relation.verb
        if verb and not subject:
            yield Slot(head, verb, relation.value, relation.many, negated)
        else:
            name = " ".join(part for part in (_attribute(head), verb) if part)
            if name in _NO_VALUE_OF and _NO_VALUE_OF[name](relation.value):
                return
            several = relation.many or name in _SEVERAL_AT_ONCE or (name == "child" and subject in ("", USER))
            yield from _named_slots(Slot(subject, name, relation.value, several, negated), clause.text)


def _named_slots(slot: Slot, said: str) -> Iterator[Slot]:
    """Yield a slot, under the role where it tells who has it: "my doctor is great" does not, nor "is on 4 May"."""
    role = role_of(slot.attribute)
    if role is None:
        yield slot
    elif slot.negated or names_person(slot.value, said):
        yield replace(slot, attribute=role, many=may_be_held_by_many(role))
    elif names_moment(slot.value):
        yield replace(slot, attribute=f"{role} appointment")


def _owner(head: str, clause: Clause, names: tuple[str, ...]) -> tuple[str, str]:
    """Return the head without its owner, and the owner: "ruth's wedding" is Ruth's."""
    if clause.possessive and clause.subject:
        # The head is what stands between the owner and the verb.
        first = clause.rest.split(" ", 1)[0].lower()
        at = f" {head} ".rfind(f" {first} ")
        return plain_head(head[at:]) if at >= 0 else head, clause.subject
    owner, mark, thing = head.partition("'s ")
    if mark and thing and " of " not in owner and owner.count(" ") <= _LONGEST_NAME:
        return thing, person(owner, names)
    return head, ""


@lru_cache(maxsize=8_192)
def also_called(name: str) -> frozenset[str]:
    """Return the names of a slot for which somebody asks by another one: "job" is "occupation"."""
    name = name.replace("line manager", "manager")
    owner, _, noun = name.rpartition(" ")
    other = NOUN_ATTRIBUTES.get(noun, noun)
    return frozenset((name, NOUN_ATTRIBUTES.get(name, name), f"{owner} {other}".strip()))


def _attribute(noun: str) -> str:
    """Return the stable name of an attribute: no "new", British spelling, one word for home, phone or name."""
    out = plain_head(noun)
    out = _LATELY.sub("", _SINCE.sub("", _NEW.sub("", out)))
    for american, british in _SPELLING:
        out = out.replace(american, british)
    if (other := _LIEBLING.match(out)) is not None:
        return f"favourite {other[1] or other[2]}"
    if out in NOUN_ATTRIBUTES:
        return NOUN_ATTRIBUTES[out]
    last = out.rsplit(" ", 1)[-1]
    if last in {"number", "address"} and " " in out:
        first = out.split(" ")[0]
        return _CONTACTS.get(first, out)
    return out


_IDLE = regex(
    r"retired$|unemployed|out of (?:work|a job)|between jobs|jobless|arbeits(?:los|suchend)|in rente|rentner",
    re.IGNORECASE,
)


def is_idle(slot: Slot) -> bool:
    """Return whether an occupation names no work: who is retired works for nobody."""
    return slot.attribute == "occupation" and not slot.negated and _IDLE.match(slot.value) is not None


_NO_NAME = regex(r"(?:spel[lt]|pronounced|written|short for|too |very |really |so |hard|difficult|not )", re.IGNORECASE)
_NUMBER_OR_MODEL = regex(r"[\dA-ZÀ-Þ]|(?:oh|zero|nought|double|triple|one|two|three|four|five|six|seven|eight|nine) ")
_NO_VALUE_OF: dict[str, Callable[[str], bool]] = {
    "name": lambda said: _NO_NAME.match(said) is not None,
    "email": lambda said: "@" not in said,
    "phone": lambda said: _NUMBER_OR_MODEL.search(said) is None,  # "my number is changed" tells none
    "home": is_no_place,
}
_VERB = regex(r"(?:is|are|was|were|has|plays|speaks|works|worked|died) ")


def label_of(slot: Slot, said: str = "") -> str:
    """Return the slot's name for a prompt line, such as "Home" or "Imogen's wedding".

    Names in it have the capitals that they have in the statement, if it was `said`.
    """
    attribute = _as_said(slot.attribute, said)
    if slot.subject in {"", USER}:
        return attribute[:1].upper() + attribute[1:]
    name = _as_said(slot.subject, said)
    name = name[:1].upper() + name[1:] if said else name.title()
    owner = f"{name}'" if name.endswith("ents") else f"{name}'s"  # "Parents' home"
    return f"{name} {attribute}" if _VERB.match(attribute) else f"{owner} {attribute}"


def _as_said(name: str, said: str) -> str:
    at = said.lower().find(name.lower())
    return said[at : at + len(name)] if at >= 0 else name
