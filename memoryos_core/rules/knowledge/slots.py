"""Read the slots that a fact states, and the relations behind them: whose value, of what, and which one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memoryos_core.rules.knowledge.belongings import find_own_pet, find_parted_with, name_pet
from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER, Clause, clauses_of, person
from memoryos_core.rules.knowledge.instructions import called_in
from memoryos_core.rules.knowledge.patterns import phrases_at
from memoryos_core.rules.knowledge.phrases import NO_AGE, NOUN_ATTRIBUTES, PRESCRIBED, is_no_value
from memoryos_core.rules.knowledge.trimming import trim_value
from memoryos_core.rules.text.words import regex


@dataclass(frozen=True, slots=True)
class Relation:
    """The value that a statement gives to `head` under a verb. `head` is lower case, without an article."""

    head: str
    verb: str
    value: str
    many: bool


_BECOMES = (
    r"is|are|am|was|were|has been|have been|costs?|runs?|starts?|begins?|ends|takes? place|falls?|reached|averages?"
    r"|lasts|lasted|last(?! (?:week|month|year|night|time|summer|winter|spring|autumn|few|\w+day))"
    r"|equals?|says?|shows?|ist|sind|est|sont|es|son|kostet|coûte|cuesta"
    r"|has (?:grown|increased|risen|improved|dropped|fallen|changed|shifted|expanded) to"
    r"|(?:grew|increased|rose|dropped|fell|went up|went down|changed|shifted|improved|expanded|extended) to"
    r"|(?:was|is|has been|got|were) (?:moved|changed|extended|shortened|postponed|pushed|brought forward|raised|lowered"
    r"|adjusted|increased|reduced|updated|upgraded|cut|rescheduled|set|shifted)(?: back| forward)?(?: from"
    r" [^,]{1,30})? (?:to|until|for|at)"
)
_COPULA = regex(rf"\s(?P<verb>(?:now |currently |will (?:now )?)?(?:{_BECOMES}|be))\s(?P<value>\S[^\n]{{0,200}})$")
_VALUE_OPENS = regex(
    r"^(?:now |currently |again |also |still |just |actually |down |up |already )*(?:to |at )?"
    r"(?:(?:planned|scheduled|set|due|booked|fixed)(?: (?:for|on|at|in))? |at |on |for |in |by "
    r"|(?:moved|changed|postponed|pushed|brought|rescheduled|shifted|delayed)(?: back| forward)? (?:to|until|for) )?"
)
# "was born in the city of", "is a citizen of", "is located in": the words between the verb and the value.
_PASSIVE = regex(
    r"\s(?P<verb>(?:is|are|was|were) (?P<word>(?:(?:an?|the) )?[a-z-]+(?: [a-z-]+)?) (?P<prep>in|by|of|to|with|at|for"
    r"|on|from|as))(?P<kind> the [a-z]+(?: [a-z]+)? of)? (?P<value>\S[^\n]{0,160})$"
)
# "speaks the language of", "plays the position of": a verb whose object says what kind of value follows.
_TYPED = regex(
    r"\s(?P<verb>[a-z]+(?:s|ed)(?: in| at| for| to)?)(?P<kind> the (?!rest|end|middle|kind|sort|lot|most|some|idea"
    r"|importance|power|beauty|same|opportunity|joy)[a-z]+(?: [a-z]+)? of) (?P<value>\S[^\n]{0,160})$"
)
# Something happens once, or a thing has one at a time.
_ONCE_TEXT = """
    born died founded created developed written located headquartered situated educated performed produced directed
    composed invented discovered published released named based owned built designed painted affiliated associated
    recorded sung played authored established started manufactured buried killed crowned elected wed married engaged
    employed led run managed coached ruled governed edited broadcast hosted designed filmed set formed signed drawn
    illustrated translated introduced made written-down spoken raised
"""
_ONCE = frozenset(_ONCE_TEXT.split())
_ONE_OF_TEXT = """
    capital author founder citizen member-state headquarters mayor president director chairperson head chief
    spouse native resident inhabitant owner creator inventor language currency king queen leader
"""
_ONE_OF = frozenset(_ONE_OF_TEXT.split())
_KNOWN_FOR = frozenset(("famous", "known", "best known", "best-known"))
_SEVERAL_TEXT = """
    hobby hobbies friend friends pet pets cat cats dogs kid kids son daughter sister brother cousin colleague
    sisters brothers allergy allergies interest interests goal goals dream dreams language languages skill skills
    idea ideas problem passion book film movie song favourites likes dislikes habit habits part parts one thing things
    example advice tip reason issue question point concern plan challenge instruction request patience update
"""
_SEVERAL = frozenset(_SEVERAL_TEXT.split())
_RELATIVE = regex(r"\b(?:where|that|who|which)\b")
_DETERMINER = regex(
    r"^(?:the|a|an|my|our|your|his|her|their|this|that|mein|meine|le|la|les|mon|ma|mes|el|los"
    r"|las|mi|der|die|das|l'|and|so|now|also|actually|sorry|no|wait|correction|oh|well|ok|okay|please"
    r"|note)[,:]?\s+",
    re.IGNORECASE,
)
_MODAL = regex(r" (?:has|have|had|got|needs?|must|ought)(?: got)? to$| must$", re.IGNORECASE)
# "They have reached 85 %" tells of nothing that has a name; "my favourite one" is one of what was spoken of.
_SAYS_NOTHING = regex(r"^(?:it|he|she|they|we|i|you|there|which|who|what|that) |favou?rite ones?\b")
_NO_HEAD_TEXT = (
    "it that this there he she they we i you what who which these those one everything nothing something user the"
)
_NO_HEAD = frozenset(_NO_HEAD_TEXT.split())


def relation_of(text: str) -> Relation | None:
    """Return the relation that a clause states, or None."""
    passive = _PASSIVE.search(text) or _TYPED.search(text)
    if passive is not None and (relation := _passive(text, passive)) is not None:
        return relation
    match = _COPULA.search(text)
    if match is not None and _RELATIVE.search(text, 0, match.start()):
        # "The university where she was educated is X": the first verb is that of the relative clause.
        match = _COPULA.search(text, match.end("verb")) or match
    if match is None:
        return None
    head = plain_head(_MODAL.sub("", text[: match.start()]))
    last = head.rsplit(" ", 1)[-1]
    verb = match["verb"].removeprefix("now ").removeprefix("currently ").split(" ")[0]
    if not head or head in _NO_HEAD or _SAYS_NOTHING.search(head) or head.count(" ") > _LONGEST_HEAD:
        return None
    value = trim_value(_VALUE_OPENS.sub("", match["value"], count=1))
    if not value or is_no_value(last, value):
        return None
    return Relation(head, _VERBS.get(verb, "is"), value, last in _SEVERAL and " of " not in head)


_LONGEST_HEAD = 12
"""Spaces in a head; a longer one is a sentence."""
_VERBS = {"starts": "start", "start": "start", "begins": "start", "begin": "start", "ends": "end", "end": "end"}


def typed_relation_of(text: str) -> Relation | None:
    """Return a relation whose verb names the kind of the value: "plays the position of goalkeeper"."""
    match = _TYPED.search(text)
    return _passive(text, match) if match is not None else None


def plain_head(text: str) -> str:
    """Return a head in lower case without its article."""
    out = text.strip(" ,.:;")
    for _ in range(3):
        out = _DETERMINER.sub("", out)
    return out.lower()


def _passive(text: str, match: re.Match[str]) -> Relation | None:
    head = plain_head(text[: match.start()])
    groups = match.groupdict()
    word = (groups.get("word") or "").strip()
    plain = re.sub(r"^(?:an?|the) ", "", word)
    last = plain.rsplit(" ", 1)[-1]
    kind = (groups["kind"] or "").removeprefix(" the ").removesuffix(" of")
    one = last in _ONCE or plain in _KNOWN_FOR or last in _ONE_OF or (bool(kind) and last not in {"a", "part", "one"})
    if not head or head in _NO_HEAD or not one:
        return None
    verb = " ".join(part for part in (match["verb"], kind) if part)
    value = trim_value(match["value"])
    return Relation(head, verb, value, many=False) if value else None


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


_EVENT_MOVED = regex(
    r"^(?:(?:have|has|had|just|recently|now|already) )*(?:moved|postponed|shifted|rescheduled|pushed|delayed|brought"
    r"|extended|shortened|raised|lowered|increased|decreased|cut|changed|reduced|upgraded|updated|set|bumped|put) "
    r"(?:the |my |our |his |her |their |its )(?P<head>[\w' -]{2,60}?)(?: back| forward| up| down)?(?: from"
    r" [^,]{1,40})? (?:to|until|for|at) (?P<value>.{1,80})$"
)
_THEN = regex(r"^[^,;]{1,80}? and (?:then |so |finally )?(?=(?:moved|postponed|rescheduled|pushed|delayed|brought) )")
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
    r"\b(?:dial|call me (?:on|at)|reach me (?:on|at)|(?:phone|mobile|telephone) number(?: is|:)?|extension)"
    r"\D{0,20}(?P<value>\+?\d[\d ()/-]{1,20}\d)"
)
_EMAIL = regex(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")
_INSTRUCTION = regex(
    r"^(?:(?:please|from now on|and|the user (?:wants|asks)(?: (?:me|you|the assistant))? to)[, ]+)*"
    r"(?P<value>(?:always|never|do not(?: ever)?|only ever) .{3,200})$",
    re.IGNORECASE,
)
_NEW = regex(r"^(?:new|current|latest|updated|actual|present|own|neue?s?|jetzige|nouveau|nouvelle|nuevo|nueva) ")
_LATELY = regex(r"(?: these days| nowadays| currently| now| at the moment)+$")
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


@lru_cache(maxsize=16_384)
def _read_slots(text: str, names: tuple[str, ...]) -> tuple[Slot, ...]:
    out: dict[tuple[str, str, str], Slot] = {}
    for clause in clauses_of(text, names):
        if clause.holds:
            for slot in _clause_slots(clause, names):
                out.setdefault((slot.subject, slot.attribute, slot.value), slot)
    return tuple(out.values())


_IS_HOME = regex(
    r"(?P<value>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+){0,2}) is (?:now )?(?:my |our )?home(?: now| these days)?$"
)


# Not the first day at a school.
_FIRST_DAY = regex(
    r"\b(?:[Mm]y|[Tt]he user's) first (?:day|week|shift)(?: of work)? at (?:the )?"
    r"(?P<value>(?!(?:[\w'-]+ )*(?:School|College|University|Uni|Academy)\b)[A-ZÀ-Þ][\w&.'-]*(?: [A-Z&][\w&.'-]*){0,3})"
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
        yield Slot(USER if call["own"] else who, "name", call["value"])
    if who in {"", UNRESOLVED} or clause.possessive or (who != USER and typed_relation_of(clause.text) is not None):
        return
    if (gone := find_parted_with(clause.rest)) is not None:
        yield Slot(who, *gone, many=True, negated=True)
        return
    for attribute, value, many, negated in phrases_at(clause.rest):
        if (not clause.future or attribute == "age") and not (attribute == "age" and who == USER and value in NO_AGE):
            pet = name_pet(value)
            yield Slot(who, *((attribute, value) if pet is None else ("pet", pet)), many, negated)


def _told_slot(clause: Clause, names: tuple[str, ...]) -> Slot | None:
    """Return the slot of a clause whose form alone tells it: an instruction, an address, a moved date."""
    text, who = clause.text, clause.subject
    if instruction := _INSTRUCTION.match(text):
        return Slot(USER, "instruction", instruction["value"], many=True)
    if named := _FAVOURITE.match(text) or _IS_NEW.match(text):
        owner = named.groupdict().get("owner") or "my"
        whose = USER if owner.lower() in {"my", "our"} else person(owner, names)
        return Slot(whose, _attribute(named["noun"]), trim_value(named["value"]))
    if who in {"", USER} and (contact := _CONTACT.search(text)):
        return Slot(USER, "phone", contact["value"])
    if "@" in text and (email := _EMAIL.search(text)):
        return Slot(who or USER, "email", email[0].rstrip("."))
    if moved := _EVENT_MOVED.match(_THEN.sub("", clause.rest)):
        return Slot(who, _attribute(moved["head"]), trim_value(moved["value"]))
    married = _MARRIES.match(clause.rest) if who else None
    return Slot(who, "wedding", trim_value(married["value"])) if married else None


def _own_slot(text: str, names: tuple[str, ...]) -> Slot | None:
    """Return the user's home or pet that a clause names as such: "Turin is home now", "my cat Pixel hates it"."""
    for name in names:
        text = text.replace(f"{name}'s ", "the user's ")
    if lives := _IS_HOME.match(text):
        return Slot(USER, "home", lives["value"])
    if began := _FIRST_DAY.search(text):
        return Slot(USER, "employer", began["value"])
    given = PRESCRIBED.search(text)
    if given is not None and _is_to_the_user(given, names):
        return Slot(USER, "medication", given["value"], many=True)
    pet = find_own_pet(text)
    return None if pet is None else Slot(USER, "pet", pet, many=True)


def _is_to_the_user(given: re.Match[str], names: tuple[str, ...]) -> bool:
    """Return whether a medicine is for the user: "the user's doctor put them on", but not "the doctor put them on"."""
    who, owners = given["who"].lower(), ("my ", "the user's ", *(f"{name.lower()}'s " for name in names))
    own = given.string[: given.start()].lower().endswith(owners)
    return who in {"me", "us", "the user"} or (who == "them" and own) or person(who, names) == USER


def _relation_slots(clause: Clause, names: tuple[str, ...]) -> Iterator[Slot]:
    who = clause.subject
    relation = relation_of(clause.text)
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
    if head:
        negated = relation.value.startswith(("not ", "no longer "))
        verb = "" if relation.verb == "is" else relation.verb
        if verb and not subject:
            yield Slot(head, verb, relation.value, relation.many, negated)
        else:
            name = " ".join(part for part in (_attribute(head), verb) if part)
            if (name == "name" and _NO_NAME.match(relation.value)) or (name == "email" and "@" not in relation.value):
                return
            yield Slot(subject, name, relation.value, relation.many, negated)


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
def _attribute(noun: str) -> str:
    """Return the stable name of an attribute: no "new", British spelling, one word for home, phone or name."""
    out = plain_head(noun)
    out = _LATELY.sub("", _NEW.sub("", out))
    for american, british in _SPELLING:
        out = out.replace(american, british)
    other = _LIEBLING.match(out)
    if other is not None:
        return f"favourite {other[1] or other[2]}"
    if out in NOUN_ATTRIBUTES:
        return NOUN_ATTRIBUTES[out]
    last = out.rsplit(" ", 1)[-1]
    if last in {"number", "address"} and " " in out:
        first = out.split(" ")[0]
        return _CONTACTS.get(first, out)
    return out


_IDLE = regex(r"retired$|unemployed|out of (?:work|a job)|between jobs|jobless", re.IGNORECASE)


def is_idle(slot: Slot) -> bool:
    """Return whether an occupation names no work: who is retired works for nobody."""
    return slot.attribute == "occupation" and not slot.negated and _IDLE.match(slot.value) is not None


_NO_NAME = regex(r"(?:spel[lt]|pronounced|written|short for|too |very |really |so |hard|difficult|not )", re.IGNORECASE)
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
