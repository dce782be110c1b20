"""The findings of pages: the input and the output that `persona` and its twin share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from memoryos_core.extract.asking import words_of_half
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.entries import OF_A_PERSON
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.slots import Slot, slots_of
from memoryos_core.rules.text.names import PLAYS_A_PART, PLAYS_SOMEBODY, is_name
from memoryos_core.rules.text.words import regex, terms, with_marks
from memoryos_core.values.dialogue import Page
from memoryos_core.values.facts import About, Fact, FactKind, Level, Profile

_ABSENT = frozenset(("", "-", "?", "n/a", "na", "nil", "none", "null", "unknown", "unspecified", "not given"))


@dataclass(frozen=True, slots=True)
class Persona:
    """Pages that were not analysed yet, oldest first, with what is known already.

    `known` are the nearest known facts, and `drafts` what rules took from these pages; `names` says what the two sides
    are called, and what is missing there is read from the pages. `before` are the latest pages before them.
    """

    pages: tuple[Page, ...]
    known: tuple[Fact, ...] = ()
    profile: Profile = field(default_factory=Profile)
    names: Mapping[About, str] = field(default_factory=dict[About, str])
    drafts: tuple[Fact, ...] = ()
    before: tuple[Page, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A statement about one side; `replaces` is the id of the known fact that it corrects.

    `kind` is what the statement tells; "state" when nothing more is known of it.
    """

    about: About
    text: str
    page_ids: tuple[str, ...]
    event_time: datetime | None = None
    replaces: str | None = None
    kind: FactKind = "state"


@dataclass(frozen=True, slots=True)
class FoundField:
    """A static field of the profile, new or with another value than the known one."""

    name: str
    value: str
    page_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundTrait:
    """Where the user stands on one of the dimensions."""

    dimension: str
    level: Level
    reason: str
    page_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The lessons of some pages, each item citing them; `retired` are ids of facts that no longer hold.

    `dropped` are ids of drafts, each with the fact of a model that says it better, or with None where it is not worth
    keeping. `refused` counts the items of a model that no page bears out.
    """

    facts: tuple[FoundFact, ...] = ()
    retired: tuple[str, ...] = ()
    dropped: tuple[tuple[str, FoundFact | None], ...] = ()
    profile: tuple[FoundField, ...] = ()
    traits: tuple[FoundTrait, ...] = ()
    refused: int = 0


def names_of(persona: Persona) -> dict[About, str]:
    """Return the names of the two sides: the given ones, else the first name in their messages."""
    names = dict(persona.names)
    for page in persona.pages:
        for message in page.messages:
            if message.name and message.role in ("user", "assistant"):
                names.setdefault(message.half, message.name)
    return names


def is_news(profile: Profile, name: str, value: str) -> bool:
    """Return whether the value is not empty and differs from the profile."""
    return value.strip().casefold() not in _ABSENT | {(profile.get(name) or "").casefold()}


def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


_COVERED, _COVERED_BY_TEXT = 0.6, 0.3  # of the words of a draft: within a fact with its quote, within its text alone
_SHOWN = 0.8  # of them stand in what the model was shown; else its sentence was cut off
_PASSED_OVER: frozenset[FactKind] = frozenset(("state", "event", "change", "relation", "possession", "preference"))
_HEALTH = regex(
    r"\b(?:allerg|anaphyla|epipen|asthma|diabet|epilep|pregnan|blood|heart|cancer|insulin|medic|surg|doctor|hospital"
    r"|disease|illness|disab|sober|addict|vegan|vegetarian|halal|kosher|gluten|lactose)",
    re.IGNORECASE,
)


def find_dropped(
    persona: Persona, taken: Sequence[tuple[Page, FoundFact, str]], shown: Mapping[str, str]
) -> tuple[tuple[str, FoundFact | None], ...]:
    """Return the ids of the drafts that are not needed beside what a model took from the same pages.

    `taken` are the page of each fact of the model, the fact, and its quote; `shown` the text of each page that it read.
    A draft goes where a fact about the same side says it, and gives its values in a form that rules read; a wish goes
    for a wish alone, and a day for a text that has its words. Of a page that was read with care, since the model took
    something about that side from it or from half of the pages of the question, what is of the moment goes, too: no
    plan, no day, no value, nothing of health. Each comes with the fact that says it, if one does.
    """
    quoted = {(page.id, fact.about) for page, fact, _ in taken}
    names = names_known(persona)
    words = [
        (page.id, fact, _terms(fact.text), _terms(f"{quote} {fact.text}"), _values(fact.text, names))
        for page, fact, quote in taken
    ]
    read = {page_id: _terms(text) for page_id, text in shown.items()}
    who = _terms(" ".join((USER, *names)))
    dropped: list[tuple[str, FoundFact | None]] = []
    for draft in persona.drafts:
        own, values = _terms(draft.text) - who, _values(draft.text, names)
        if not own or any(len(own & read.get(i, own)) < _SHOWN * len(own) - 1 for i in draft.page_ids):
            continue
        is_dated, is_wish = draft.event_time is not None, draft.kind == "instruction"
        heirs = (
            (len(own & said), fact)
            for i, fact, text, said, given in words
            if i in draft.page_ids
            and fact.about == draft.about
            and (fact.kind == "instruction" or not is_wish)
            and len(own & said) >= _COVERED * len(own)
            and len(own & text) >= (_COVERED_BY_TEXT if _is_of_day(fact, draft) else _COVERED) * len(own)
            and all(any(_is_given(value, one) for one in given) for value in values if value[1] in OF_A_PERSON)
        )
        _, heir = max(heirs, key=lambda one: one[0], default=(0, None))
        of_the_moment = draft.kind in _PASSED_OVER and not (is_dated or values)
        of_side = {page_id for page_id, about in quoted if about == draft.about}
        is_read = 2 * len(of_side) >= len(persona.pages) or not of_side.isdisjoint(draft.page_ids)
        if heir is not None or (is_read and of_the_moment and not _HEALTH.search(draft.text)):
            dropped.append((draft.id, heir))
    return tuple(dropped)


def _is_of_day(fact: FoundFact, draft: Fact) -> bool:
    """Return whether a fact has the day of a draft, where that has one; wishes and health have their words instead."""
    if draft.event_time is None or fact.event_time is None:
        return draft.event_time is None and draft.kind != "instruction" and not _HEALTH.search(draft.text)
    return draft.event_time.date() == fact.event_time.date()


_NAMED = regex(r"[A-ZÀ-Þ\d]")


def page_behind(persona: Persona, said: Sequence[str], quote: str, text: str) -> Page | None:
    """Return the page that holds the quote of a text; None where none does, or where the text is not borne out by it.

    That is a text that denies its own quote, and advice of the assistant's that a small model copied as a fact.
    """
    page = _page_that_says(persona.pages, said, quote)
    if page is None or _denies_quote(persona, page, quote, text):
        return None
    is_users = fold_words(quote).strip() in fold_words(words_of_half(page, "user"))
    return None if not is_users and _ADVISES.search(_QUOTED.sub(" ", text)) else page


# Nobody is told as "you" in a fact; "Ana wants you to be brief" quotes Ana.
_ADVISES = regex(r"\byou(?:r|['\u2019](?:re|ll|ve|d))?\b", re.IGNORECASE)
_QUOTED = regex(r"[\"\u201c][^\"\u201d]{0,300}[\"\u201d]")


def _denies_quote(persona: Persona, page: Page, quote: str, text: str) -> bool:
    """Return whether a text gives an attribute a name or a number where rules read another one from its very quote.

    A value of which the quote has a word may be the better one: rules cut what is said as they can.
    """
    said, names = _terms(quote), names_known(persona)
    stated = [slot for slot in slots_of(text, names) if _names_one(slot) and said.isdisjoint(_terms(slot.value))]
    read = (fact.text for fact in (*persona.drafts, *persona.known) if stated and page.id in fact.page_ids)
    there = (slot for fact in read for slot in slots_of(fact, names) if _names_one(slot) and _terms(slot.value) <= said)
    return not {(s.subject, s.attribute) for s in stated}.isdisjoint((s.subject, s.attribute) for s in there)


def _names_one(slot: Slot) -> bool:
    """Return whether a slot of one value at a time has a name or a number: other words may be said in many ways."""
    return not (slot.many or slot.negated) and _NAMED.search(slot.value) is not None


def names_known(persona: Persona) -> tuple[str, ...]:
    """Return what the user is called, as far as the profile knows it."""
    return tuple(name for name in (persona.profile.get("name"),) if name is not None)


_Value: TypeAlias = tuple[str, str, frozenset[str]]


def _values(text: str, names: tuple[str, ...]) -> list[_Value]:
    """Return whose attribute a text gives a value, where it is one of a person, or a number, a date or a time."""
    slots = (slot for slot in slots_of(text, names) if slot.attribute in OF_A_PERSON or kinds_of(slot.value))
    return [(slot.subject, slot.attribute, _terms(slot.value)) for slot in slots]


def _is_given(value: _Value, other: _Value) -> bool:
    return value[:2] == other[:2] and (value[2] == other[2] or not value[2].isdisjoint(other[2]))


_WORD = regex(r"[^\W_]+(?:'[^\W_]+)*")
_ESCAPED = regex(r"&(?:lt|#91);")
_LEAST_QUOTE = 4  # characters; one word may be a name
_LATIN = 0x24F


def fold_words(text: str) -> str:
    """Return the words alone, in lower case: a model copies words and changes the signs between them."""
    plain = _ESCAPED.sub(" ", text.replace("\u2019", "'")).casefold()
    return f" {' '.join(_WORD.findall(unicodedata.normalize('NFC', plain)))} "


def _page_that_says(pages: Sequence[Page], said: Sequence[str], quote: str) -> Page | None:
    """Return the first page that holds the quote, word for word; None when a model made it up."""
    whole = fold_words(quote)
    unspaced = any(ord(c) > _LATIN for c in whole)
    wanted = whole.strip() if unspaced else whole  # where words are parted, a quote ends with one
    if not wanted.strip() or (len(wanted.strip()) < _LEAST_QUOTE and not unspaced):
        return None
    return next((page for page, text in zip(pages, said, strict=True) if wanted in text), None)


_OF_SPEAKER = regex(r"\b(?:i|i'm|i've|i'll|i'd|me|my|mine|we|our|us)\b", re.IGNORECASE)


def with_whole_name(text: str, quote: str, name: str) -> str:
    """Return a text that begins with the user's first name with the whole name, which rules know the user by.

    Not where the quote names the first name, or no speaker: a child or a friend may be called the same.
    """
    first, _, rest = name.partition(" ")
    is_speakers = rest and first not in quote and _OF_SPEAKER.search(quote.replace("\u2019", "'"))
    begins = text.startswith((f"{first} ", f"{first}'s ")) and not text.startswith(name)
    return f"{name}{text[len(first) :]}" if is_speakers and begins else text


_SIGNED = regex(
    r"^\s*(?:(?:hi|hey|hello|ok|okay|so)[,!. ]+)?(?:(?:this is|it's|its) )?"
    r"(?:(?-i:(?P<here>[A-Z][a-z]{1,14})) (?:here|again|speaking)(?: again| now)?\s*(?:[.,:!]|[-–—] )"
    r"|(?-i:(?P<told>[A-Z][a-z]{1,14})): (?=(?:i|i'm|i've|my|we|our)\b))",
    re.IGNORECASE,
)


# Of him, not by him: "Tomasz: my husband, 40", "Tomasz here! He's home", "Tomasz here, as you know, loves pizza".
_IS_SPOKEN_OF = regex(
    r"[^:.!,–—-]{1,40}(?:: (?:my|our) (?:(?:dear|best|big|little|new|own) )?[\w-]+"
    r"(?:[.!;]|, (?:\d|an?\b|the\b|he\b|she\b|who\b))"
    r"|[.!:,–—-]+ (?:and )?(?:he|she)(?:'s|’s)?\b"
    r"|, (?:[^.!?,]{1,40}, )?(?:just )?(?:is|has|was|had|does|can|will|loves|likes|hates|wants|needs|says|said|thinks"
    r"|works|lives|came|got)\b)",
    re.IGNORECASE,
)


def signer_of(page: Page, called: str | None, persona: Persona) -> str | None:
    """Return who signs a message, where it is a relative whom the user has named: two persons may share an account.

    Any other name may be short for the user's own: "Bob here" of Robert.
    """
    name = _signature(page, called)
    if name is None or not is_name(name) or _IS_SPOKEN_OF.match(words_of_half(page, "user")):
        return None
    said = (*(fact.text for fact in persona.known), *(words_of_half(other, "user") for other in persona.pages))
    related = re.compile(rf"\b(?:{KIN}),? (?:(?:is|called|named) ){{0,2}}{re.escape(name)}\b")
    return name if any(related.search(text) for text in said) else None


def is_signed(pages: Sequence[Page], called: str | None) -> bool:
    """Return whether a message may be signed by another than the user: what is known tells then whether it is."""
    return any(_signature(page, called) is not None for page in pages)


def _signature(page: Page, called: str | None) -> str | None:
    """Return the name that a message of a user with a known name is signed with, unless it is the user's own."""
    signed = _SIGNED.match(words_of_half(page, "user")) if called is not None else None
    name = (signed["here"] or signed["told"]) if signed is not None else None
    return None if name is None or called is None or name.lower() in called.lower().split() else name


# A role that is played over several messages: until the game ends, nothing is told of the user.
_LONGEST_PAUSE = timedelta(hours=2)
_READ = 2000  # characters

_LET_US = r"\b(?:let's|lets|let us|can we|could we|shall we|we could|wanna|how about we)"
_I_WANT = rf"(?:{_LET_US}|\bi want to|\bi'd like to)"
_YOU_ARE = r"(?:you're|you are|you'll be|you will be|you be|you play|you act as)"
_PRAISE = r"(?:best|one|real|great|good|star|legend|angel|genius|lifesaver|hero|gem)"
_I_AM = r"(?:i'm|i am|i'll be|i will be|i'll play|i play|me as)"
_PLAY = r"(?:role[- ]?play\w*|mock (?:\w+ )?interviews?)"
# A role must be given, to one or the other: who plays chess or a quiz stays who they are.
_BEGINS = with_marks(
    "play|pretend|act out|mock|campaign|d&d|dnd|rpg|dungeon|rollenspiel|rol|ruolo|jeu de|jogo de|simulat|practi",
    rf"{_LET_US} (?:do |have |try |start |play )?(?:an? |some |the |this )?(?:\w+ )?{_PLAY}"
    r"|^\s*role[- ]?play\b(?=[.:,!]| (?:time|with me)\b)"
    rf"|{_I_WANT} (?:play|pretend|act out|simulate|practi[sc]e)\b[^\n]{{0,200}}\b{_YOU_ARE} (?:an?|the|my|our)"
    rf" (?!{_PRAISE}\b)|\bpretend (?:that )?{_YOU_ARE} [^.!?\n]{{1,80}} and {_I_AM} "
    r"|\b(?:d&d|dnd|rpg|dungeons (?:and|&) dragons|campaign|dungeon master)\b[^\n]{0,120}"
    r"\b(?:my character(?:'s| is| will be)|i'm playing (?:as )?(?:an?|the))\b"
    r"|\b(?:lass uns|wir spielen|spielen wir|faisons|on fait|hagamos|hacemos|facciamo|vamos fazer) (?:\w+ ){0,2}"
    r"(?:rollenspiel|jeu de rôles?|juego de rol(?:es)?|gioco di ruolo|jogo de papéis)",
)
_ENDS = regex(
    r"\b(?:game(?:'s| is)? over|out of character|back to (?:reality|real life|normal|business|me)|how did i do)\b"
    r"|\b(?:stop|end|pause)(?:ping|ing)? (?:here|now)\b|\b(?:end|stop|pause|quit|finish|exit|leave|done with|enough of"
    rf"|over with|no more) (?:of )?(?:(?:the|this|our|that) )?(?:{_PLAY}|(?:games?|scene|interview|pretending|playing"
    r"|practice|simulation|acting|adventure|campaign)\b)|(?:^\W*|[.!?] )(?:(?:ok|okay|let's|lets|thanks|right),? )*"
    r"(?:stop|(?:that's )?enough|i'm done|that(?:'s it| helped))"
    r"(?=\W*$|[.!] )|^\W*(?:(?:ok|okay|thanks|haha|lol),? )*(?:that|this) was (?:(?:so|really|very|great|good) )?"
    r"(?:fun|helpful|useful)\b"
    rf"|\bthank(?:s| you) for (?:playing|the (?:{_PLAY}|(?:game|practice|interview)\b))"
    r"|\b(?:spiel|rollenspiel) (?:ist )?(?:vorbei|zu ende|beendet)\b|\bfin (?:du jeu|del juego)\b|\bfine del gioco\b"
    r"|\b(?:ende|schluss) (?:des|vom|mit dem) (?:rollen)?spiels?\b",
    re.IGNORECASE,
)
# Said by the way, the user speaks as who they are; the game may go on.
_ASIDE = regex(
    r"^\W*(?:btw|by the way|ooc|irl|in real life|for real|seriously|real talk|on another note|different topic"
    r"|new topic|change of (?:topic|subject)|unrelated|in reality|actually,? in real)\b",
    re.IGNORECASE,
)


def told_as_oneself(persona: Persona) -> Persona:
    """Return pages without those of a game in which the user plays a role; the one that begins it stays."""
    pages: list[Page] = []
    last: Page | None = None  # the latest page of a game that goes on
    first = 0
    for number, whole in enumerate((*persona.before, *persona.pages)):
        first = len(pages) if number == len(persona.before) else first
        page = whole if last is None or _is_apart(last, whole) else _after_game(whole)
        said = words_of_half(page, "user")[:_READ].replace("\u2019", "'")
        if last is not None and (page is not whole or _is_apart(last, whole)):
            last = None
        if last is None or _ASIDE.match(said) is not None:
            pages.append(page)
        if last is not None or any(p.search(said) for p in (_BEGINS, PLAYS_SOMEBODY, PLAYS_A_PART)):
            last = page
    return replace(persona, pages=tuple(pages[first:]))


def _is_apart(last: Page, page: Page) -> bool:
    """Return whether a page is too far from the one before it to belong to its game."""
    return page.session_id != last.session_id or page.timestamp - last.timestamp > _LONGEST_PAUSE


def _after_game(page: Page) -> Page:
    """Return a page of a game without what its user says before the game ends; the page itself where it goes on."""
    for number, message in enumerate(page.messages):
        end = _ENDS.search(message.text[:_READ].replace("\u2019", "'")) if message.half == "user" else None
        if end is not None:
            rest = replace(message, text=message.text[end.end() :].lstrip(" .,!?;:…") or "…")
            return replace(page, messages=(rest, *page.messages[number + 1 :]))
    return page


# "I'm Kate Dawson now" where the user is known as Kate Moore; "I'm Team Lead now" has another first word.
_NOW_CALLED = regex(
    r"(?:^|[.!,;\n] ?|\b(?:so|and|officially) )(?:i'?m|i am|it'?s|it is) (?:now |officially )?"
    r"(?P<name>(?-i:(?P<first>[A-ZÀ-Þ][\w'-]+) [A-ZÀ-Þ][\w'-]+(?:-[A-ZÀ-Þ][\w'-]+)?)) now\b(?=[.!,;]|$| (?:btw|by the"
    r" way|lol)\b)",
    re.IGNORECASE,
)


def find_new_surname(persona: Persona) -> dict[str, FoundField]:
    """Return the name that somebody known by another surname says they have now; nothing for most."""
    known = persona.profile.get("name") or ""
    out: dict[str, FoundField] = {}
    for page in persona.pages if known else ():
        for found in _NOW_CALLED.finditer(words_of_half(page, "user")[:_READ].replace("\u2019", "'")):
            if found["first"].casefold() == known.split()[0].casefold():
                out["name"] = FoundField("name", found["name"], (page.id,))
    return out
