"""A role that is played over several messages: until the game ends, nothing is told of the user."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from memoryos_core.extract.asking import words_of_half
from memoryos_core.extract.findings import Persona
from memoryos_core.rules.text.guards import with_marks
from memoryos_core.rules.text.words import regex
from memoryos_core.values.dialogue import Page

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
    "play|pretend|act out|mock|campaign|d&d|dnd|rpg|dungeon|rollenspiel|rol|ruolo|simulat|practi",
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
    r"|\b(?:stop|end|pause)(?:ping|ing)? (?:here|now)\b"
    r"|\b(?:end|stop|pause|quit|finish|exit|leave|done with|enough of|over with|no more)"
    r" (?:of )?(?:(?:the|this|our|that) )?"
    rf"(?:{_PLAY}|(?:games?|scene|interview|pretending|playing|practice|simulation|acting|adventure|campaign)\b)"
    r"|^\W*(?:(?:ok|okay|let's|lets),? )*(?:stop|enough|i'm done|that's enough|that's it)(?=\W*$|[.!] )"
    r"|^\W*(?:(?:ok|okay|thanks|haha|lol),? )*(?:that|this) was (?:(?:so|really|very|great|good) )?"
    r"(?:fun|helpful|useful)\b"
    rf"|\bthank(?:s| you) for (?:playing|the (?:{_PLAY}|(?:game|practice|interview)\b))"
    r"|\b(?:spiel|rollenspiel) (?:ist )?(?:vorbei|zu ende|beendet)\b",
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
    for number, page in enumerate((*persona.before, *persona.pages)):
        first = len(pages) if number == len(persona.before) else first
        said = words_of_half(page, "user")[:_READ].replace("\u2019", "'")
        if last is not None and _is_over(last, page, said):
            last = None
        if last is None or _ASIDE.match(said) is not None:
            pages.append(page)
        if last is not None or _BEGINS.search(said) is not None:
            last = page
    return replace(persona, pages=tuple(pages[first:]))


def _is_over(last: Page, page: Page, said: str) -> bool:
    """Return whether a page no longer belongs to the game of the one before it."""
    paused = page.session_id != last.session_id or page.timestamp - last.timestamp > _LONGEST_PAUSE
    return paused or _ENDS.search(said) is not None
