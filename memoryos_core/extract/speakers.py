"""The speaker of a message of the user's: the user, a relative who signs it, or a role that the user plays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from memoryos_core.extract.asking import words_of_half
from memoryos_core.extract.findings import FoundField, Persona
from memoryos_core.extract.quotations import TAKEN_BACK, without_jokes
from memoryos_core.extract.statement_subjects import is_of_person
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.names import PLAYS_A_PART, PLAYS_SOMEBODY, is_name
from memoryos_core.rules.text.words import regex, with_marks
from memoryos_core.values.dialogue import Half, Message, Page
from memoryos_core.values.facts import About

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
_YOU_ARE = r"(?:you'?re|your|ur|u r|u are|you are|you'll be|you will be|you be|you play|you act as)"
_PRAISE = r"(?:best|one|real|great|good|star|legend|angel|genius|lifesaver|hero|gem)"
_I_AM = r"(?:i'?m|i am|i'll be|i will be|i'll play|i play|me as)"
_PLAY = r"(?:role[- ]?play\w*|mock (?:\w+ )?interviews?)"
# A role must be given, to one or the other: who plays chess or a quiz stays who they are.
_BEGINS = with_marks(
    "play|pretend|act out|mock|campaign|backstory|character|d&d|dnd|rpg|dungeon|rollenspiel|rol|ruolo|jeu de"
    "|jogo de|simulat|practi",
    rf"{_LET_US} (?:do |have |try |start |play )?(?:an? |some |the |this )?(?:\w+ )?{_PLAY}"
    r"|^\W*(?:(?:ok|okay|so),? )?(?:(?:a )?(?:quick|little|short) )?role[- ]?play\b(?=[.:,!?]| (?:time|with me)\b)"
    rf"|{_I_WANT} (?:play|pretend|act out|simulate|practi[sc]e)\b[^\n]{{0,200}}\b{_YOU_ARE} (?:an?|the|my|our)"
    rf" (?!{_PRAISE}\b)|\bpretend (?:that )?{_YOU_ARE} [^.!?\n]{{1,80}} and {_I_AM} "
    r"|\b(?:backstory|character sheet)(?: for [^\n:]{1,30})?: i'?m [A-Z]"
    r"|\b(?:d&d|dnd|rpg|dungeons (?:and|&) dragons|campaign|dungeon master)\b[^\n]{0,120}"
    r"\b(?:my character(?:'s| is| will be)|i'm playing (?:as )?(?:an?|the)|i'm (?-i:[A-Z]\w+)(?=,))\b"
    r"|\b(?:lass uns|wir spielen|spielen wir|faisons|on fait|hagamos|hacemos|facciamo|vamos fazer) (?:\w+ ){0,2}"
    r"(?:rollenspiel|jeu de rôles?|juego de rol(?:es)?|gioco di ruolo|jogo de papéis)",
)
_ENDS = regex(
    r"\b(?:game(?:'s| is)? over|out of character|back to (?:reality|real life|normal|business|me)|how did i do)\b"
    r"|\b(?:stop|end|pause)(?:ping|ing)? (?:here|now)\b|\b(?:end|stop|pause|quit|finish|exit|leave|done with|enough of"
    rf"|over with|no more) (?:of )?(?:(?:the|this|our|that) )?(?:{_PLAY}|(?:games?|scene|interview|pretending|playing"
    r"|practice|simulation|acting|adventure|campaign)\b)"
    r"|(?:(?:^|\n)\W*|[.!?] )(?:(?:ok|okay|let's|lets|thanks|right),? )*"
    r"(?:stop|(?:that's )?enough|i'm done|that(?:'s it| helped))(?=\W*$|[.!] )"
    r"|^\W*(?:(?:ok|okay|thanks|haha|lol),? )*(?:that|this) was (?:(?:so|really|very|great|good) )?"
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


# "No" takes a statement back where the other side doubts it: "Wow, really?", and not after "Did you like it?".
_DOUBTS = regex(
    r"\b(?:(?:oh|wow|wait|what),? )?(?:really|seriously|for real|(?:are|were) you (?:serious|joking|kidding|sure)"
    r"|is that (?:true|a joke|right|for real)|april fool\w*)\W*\?[^?]{0,40}$"
    r"|^\W*(?:wow|congrat\w*|amazing|no way|oh my)\b[^?]{0,60}$",
    re.IGNORECASE,
)
_NO = regex(
    r"^\W*(?:(?:ha)+h?|lol|lmao)?[ ,.!]*(?:no+|nah|nope|not really)\b(?! (?:joke|kidding|lie|doubt))[^?]{0,60}$",
    re.IGNORECASE,
)
_SHORT_JOKE = 160  # characters


def _is_joke_over(page: Page, before: Page | None) -> bool:
    """Return whether a page begins by taking back as a joke what its user said just before."""
    if before is None or _is_apart(before, page):
        return False
    said = words_of_half(page, "user")[:_READ].replace("\u2019", "'")
    doubted = _DOUBTS.search(words_of_half(before, "assistant")) is not None and _NO.match(said) is not None
    return doubted or TAKEN_BACK.match(said) is not None


def _without_joke(page: Page) -> Page:
    """Return a page without what was said in jest: all of a short message, the end of a long one or of a question."""
    messages = list[Message]()
    for message in page.messages:
        text = message.text.strip()
        whole = message.half == "user" and len(text) <= _SHORT_JOKE and not text.endswith("?")
        kept = "" if whole else without_jokes(f"{text}\nJust kidding")
        messages.append(replace(message, text=kept or "…") if message.half == "user" else message)
    return replace(page, messages=tuple(messages))


def without_jests(persona: Persona) -> Persona:
    """Return pages without what the message after them takes back as a joke."""
    pages = [*persona.before, *persona.pages]
    for number, page in enumerate(pages[1:]):
        if _is_joke_over(page, pages[number]):
            pages[number] = _without_joke(pages[number])
    first = len(persona.before)
    return replace(persona, before=tuple(pages[:first]), pages=tuple(pages[first:]))


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


@dataclass(frozen=True, slots=True)
class Speaker:
    """One side of the page. `is_machine`: an assistant without a name of its own.

    It is told of by `name`. `called` is a name that only another page says, which no fact of this one may have.
    """

    half: Half
    name: str
    is_machine: bool
    called: str = ""

    @property
    def address(self) -> str | None:
        """The name that the other side calls this one by."""
        name = self.called or self.name
        return None if name.startswith("the ") else name.split()[0]


def speaker_of(half: Half, names: Mapping[About, str], called: str) -> Speaker:
    """Return one side of a page by what the two are called; `called` is a name that other pages give the user."""
    name, known = (" ".join(one.split())[:60] for one in (names.get(half, ""), called if half == "user" else ""))
    if is_of_person(name):
        return Speaker(half, name, is_machine=False)
    known = known if is_of_person(known) else ""
    return Speaker(half, f"the {half}", is_machine=half == "assistant", called=known)
