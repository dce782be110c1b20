"""Cancellations: "oh wait, it's been cancelled", "isn't happening", "lassen wir ausfallen"."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from memoryos_core.rules.knowledge.corrections import names_moment, without_moments
from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.words import regex, with_marks, words

__all__ = [
    "called_off_in_other_languages",
    "calls_off",
    "is_bare_cancellation",
    "keeps_day",
    "only_notes",
    "promises_beside",
    "split_cancellation",
    "tells_no_plan",
    "tells_none_then",
]

_LONGEST = 400
_ENGLISH = (
    r"(?<!\bmy )(?<!\bthe )(?<!\ba )(?<!\bour )cancell?ed|called (?:it |that |them )?off|scrapped|rained off"
    r"|(?:(?<=\bis )|(?<=\bare )|(?<=\bwas )|(?<=\bwere )|(?<=\bbeen )|(?<=['\u2019]s ))off"
    r"(?=[.,;!]|$| (?:now|then|again|because|since|as|after all|for (?:me|us|them)"
    r"|(?:on )?the \d{1,2}(?:st|nd|rd|th))\b)"
    r"|(?:not|\w+n't|no longer|never) (?:be |going to be )?(?:happening|going ahead|taking place|going to happen)"
    r"|fell through|(?:won't|will not|can't|cannot|can not|couldn't|not (?:be |going to be )?able to) make it"
    r"|not (?:be )?(?:going|coming|flying|travelling) (?:any ?more|after all)"
)
_ELSEWHERE = (
    r"abgesagt|abgeblasen|fällt (?:\w+ ){0,2}aus|fallen (?:\w+ ){0,2}aus|ausfallen|ausgefallen|gestrichen|storniert"
    r"|findet (?:\w+ ){0,2}nicht statt|cancelad[oa]s?|se cancela|anulad[oa]s?|suspendid[oa]s?|annulée?s?"
    r"|n'aura pas lieu|n'a plus lieu|tombe à l'eau|annullat[oaie]|saltat[oa]|non si fa più|desmarcad[oa]s?"
    r"|afgezegd|afgelast|geannuleerd|gaat (?:\w+ ){0,2}niet door"
    r"|cancel(?:ei|ou|ámos|ado|ó|é)|anul(?:ó|é)|desmar(?:quei|cou)|disdett[oaie]|afgebeld"
)
_OFF = with_marks(
    "cancel|off|scrap|happen|ahead|place|fell|make it|more|after all|abgesagt|abgeblasen|fallen|gestrichen|storniert"
    "|findet|anulad|suspendid|annul|lieu|saltat|desmar|disdett|anul|afge|gaat|fällt|annulée|tombe|non si",
    rf"(?<!\w)(?:{_ENGLISH}|{_ELSEWHERE})(?!\w)",
)
# "The viewing on Friday was booked already, I'll cancel that."
_WILL_BE_OFF = regex(
    r"(?<!n't )(?<!not )(?:'ll|\bwill|\bgoing to|\bgonna) (?:just )?cancel (?:it|that|them|this)(?=[.,;!]|$)",
    re.IGNORECASE,
)
_IF = regex(
    r"\b(?:if|unless|might|may|maybe|when|until|renew\w*|subscription|membership|contract"
    r"|trial)\b|\?",
    re.IGNORECASE,
)
_KEPT = regex(
    r"\b(?:leave|keep|left|kept|stick with|stay with) (?:it|that|them) (?:on|at|for|to) (?:the )?"
    r"(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)",
    re.IGNORECASE,
)
_OFF_ELSEWHERE = regex(rf"(?<!\w)(?:{_ELSEWHERE})(?!\w)", re.IGNORECASE)
_MOVED = regex(
    r"\b(?:moved|postponed|rescheduled|pushed|put (?:back|off|forward)|delayed|brought forward|shifted)\b",
    re.IGNORECASE,
)
# "No physio this week", but "no time today" calls off nothing.
_NONE_THEN = regex(
    r"(?:^|said: [\"\u201c])(?:(?:so|and|but|oh|well|btw|ok),? )*(?:there(?:'s| is|s) )?no (?P<what>(?!(?:worries|rush"
    r"|idea|ideas|time|luck|problem|problems|need|plans|energy|sleep|chance|one|more|way|wonder|point|reason|news|doubt"
    r"|pain|rain|snow|sun|wind|sign|money|food|longer|matter)\b)[\w'-]+(?: [\w'-]+)?)"
    r" (?P<when>(?:this|next) (?:week|weekend|month)|today|tonight|tomorrow|(?:on |this |next )?(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day)(?=[.,;!\"\u201d]|$| (?:because|since|as|cos|so|then|though|anymore)\b)",
    re.IGNORECASE,
)
# "So no half marathon. Gutted": what one had planned, and not "no luck", "no dinner".
_NO_PLAN = regex(
    r"(?:(?:so|and|but|oh|well|ok|okay|guess|right),? ){0,3}"
    r"no (?:(?!(?:need|more|point|word|news)\b)[\w'-]+ ){0,3}?"
    r"(?:marathon|triathlon|race|trip|holiday|cruise|tour|gig|concert|festival|party|wedding|match|tournament|hike|show"
    r"|recital|exam|interview|viewing|operation|surgery|camping|skiing|\d+k)(?: for (?:me|us))?(?: this year)?"
    r"(?: then| after all| any ?more| now)?(?=[.,;!]|$)",
    re.IGNORECASE,
)
_THE_DAY = regex(r"^ the (?=\d)")  # "off the 22nd"
_PARTS = regex(
    r"(?<!\d)\. |[,;] | (?:and|but|so|because|since|und|aber|weil|y|pero|porque|et|mais|car) ", re.IGNORECASE
)
# Beside the sign of the end a bare cancellation has these words alone.
_IDLE_TEXT = """
    oh ah um omg no nope wait sorry actually hang on hold it it's its that that's this they they've he she we i i've has
    have had is was be been got will now just all scrap scratch never mind forget ok okay well so and but again today
    after to the
    doch nicht nein moment es ist wurde das der die er hat haben wir ich leider nun jetzt no espera al final está ha
    sido lo la se me han perdón en fait c'est est a été finalement pardon non attends è stato scusa foi é het is toch
    wacht"""
_IDLE = frozenset(_IDLE_TEXT.split())


def calls_off(text: str) -> bool:
    """Return whether the last time that a statement names is of something that does not happen."""
    said = text[:_LONGEST]
    off = _WILL_BE_OFF if _WILL_BE_OFF.search(said) and not _IF.search(said) else _OFF
    if off.search(said) is None:
        return tells_none_then(text)
    parts = _PARTS.split(said)
    last = max(number for number, part in enumerate(parts) if off.search(part) or number == 0)
    return not any(names_moment(part) for part in parts[last + 1 :])


def keeps_day(text: str) -> bool:
    """Return whether a statement only says that what was spoken of stays when it is: "leave it on the 23rd"."""
    return _KEPT.search(text[:_LONGEST]) is not None


_HAS_NOTED = regex(
    r"i(?:['\u2019]ve| have|['\u2019]ll| will) (?:now |also |already |just )?(?:noted?|saved?|recorded|logged)\b"
)
_NOTE_TEXT = "that it this down the for on at and from to new date time appointment"
_WORDS_OF_A_NOTE = frozenset(_NOTE_TEXT.split())


def only_notes(said: str) -> bool:
    """Return whether an assistant repeats the day and the hour that it was told: "I've noted 2 December at 10."."""
    noted = _HAS_NOTED.match(said.lower())
    return noted is not None and _WORDS_OF_A_NOTE.issuperset(words(without_moments(said[noted.end() :])))


def tells_none_then(text: str) -> bool:
    """Return whether a text begins with what does not happen at a time: "no physio this week"."""
    return _NONE_THEN.search(text[:_LONGEST]) is not None


def tells_no_plan(text: str) -> bool:
    """Return whether a text begins with what one had planned and does not do: "so no half marathon"."""
    return _NO_PLAN.match(text) is not None


def split_cancellation(text: str) -> tuple[str, str] | None:
    """Return what a clause says before and behind the words that call something off or move it; None for most."""
    if none := _NONE_THEN.search(text[:_LONGEST]):
        return none["what"], f" {none['when']}"
    for part in _PARTS.split(text[:_LONGEST]):
        if off := _OFF.search(part):
            return part[: off.start()], _THE_DAY.sub(" on the ", part[off.end() :])
        if moved := _MOVED.search(part):
            return part[: moved.start()], ""  # behind it stands the new day
    return None


def is_bare_cancellation(text: str) -> bool:
    """Return whether a sentence says that something is called off, and not what: "scrap that, it's cancelled"."""
    found = _OFF.search(text) if len(text) < _LONGEST else None
    if found is None or text.endswith("?"):
        return False
    return not set(words(f"{text[: found.start()]} {text[found.end() :]}")) - _IDLE


@lru_cache(maxsize=16_384)
def called_off_in_other_languages(text: str) -> frozenset[str]:
    """Return the words of what a statement in another language than English calls off; most call off nothing."""
    said = text[:_LONGEST].rstrip('".')
    if _NOT_OFF.search(said):
        return frozenset()
    for part in _PARTS.split(said.rpartition('"')[2]) if _OFF_ELSEWHERE.search(said) else ():
        if _OFF_ELSEWHERE.search(part):
            plain = _OFF_ELSEWHERE.sub(" ", part)
            told = [word for word in words(plain) if word not in _GRAMMAR]
            beside = set(words(without_moments(plain)))
            named = [word for word in told if word not in _APPOINTMENTS]
            named = named if beside.intersection(named) else told
            is_named = not beside.isdisjoint(named)
            return word_bag(" ".join(_OF_TERMIN.sub("", word) for word in named)) if is_named else frozenset()
    return frozenset()


# What calls nothing off: "falls der Zahnarzt ausfällt", "le rendez-vous n'est pas annulé", "nicht abgesagt?"
_NOT_OFF = regex(
    r"\?$|\b(?!(?:quando (?:vuoi|puoi|quiseres|puderes)|cuando (?:quieras|puedas)|quand (?:tu veux|tu peux)"
    r"|wenn du (?:willst|magst|kannst))\b)(?:falls"
    r"|wenn|ob|si|se (?:il|lo|l'|non|o)|cuando|quando|quand|vielleicht|peut-être|quizás?|tal vez|forse"
    r"|talvez|misschien"
    r"|nicht (?:abgesagt|ausgefallen|gestrichen|storniert)|pas annulé\w*|(?<=no )(?:está|ha|se|han|he) (?:sido "
    r"|está )?(?:cancel"
    r"|anul)\w+|non (?:(?:è|hanno|ho|ha|viene) )?(?:(?:stat[oa]|ancora|mai) ){0,2}(?:annull|disd|salt)\w+"
    r"|não (?:\w+ ){0,2}?(?:cancel|anul|desmar)\w+|no (?:l[ao]s? |se )?(?:cancel|anul|suspend)\w+"
    r"|niet (?:\w+ )?(?:afgezegd|afgelast|geannuleerd|afgebeld)|n'\w+ (?:pas|jamais) annul\w+|fast|beinahe|presque|casi"
    r"|quasi)\b",
    re.IGNORECASE,
)
# They say nothing of what it is: "mein Zahnarzttermin", "la cita del dentista".
_OF_TERMIN = regex(r"(?<=\w{3})termine?s?$")
_APPOINTMENTS_TEXT = """
    termin termine rendez vous rdv cita turno appuntamento visita consulta marcação afspraak hab habe haben hat hatte
    wurde worden wurden ist a ont on ai m'a han ha he hemos me lo la ho hanno abbiamo è stato stata foi sido heb heeft
    leider malheureusement desgraciadamente purtroppo infelizmente helaas mein meine meinen mon ma mi il mio meu minha
    """
_APPOINTMENTS = frozenset(_APPOINTMENTS_TEXT.split())
_GRAMMAR = frozenset[str]().union(*(said for code, said in FUNCTION_WORDS.items() if code != "en")) | {"lassen", "wir"}


_KEEPS_SAYING = regex(
    r"i(?:'ll| will) (?:remind you (?:the|an?|on|at|in|before|tomorrow|when|every)\b|[^.!?]{3,80} from now on)", re.I
)
# "Write to the vet and book us in" asks for two things, and what was booked is no part of the text.
_ALSO_ASKS = regex(
    r"\b(?:and|then|also|plus),? (?:please |can you |then )*(?:book|remind (?:me|us)|schedule|reserve"
    r"|set (?:(?:me|us|up) )*(?:an?|the) (?:reminder|alarm|timer))\b",
    re.IGNORECASE,
)
_BOOKED = regex(
    r"i(?:'ve| have| just|'ll| will)(?: also| now)? (?:booked|set|scheduled|reserved|made|remind you)\b", re.IGNORECASE
)
_IS_LETTER = regex(r"(?:^|\n)\W*(?:dear|hi|hello|hey|subject)\b|\b(?:regards|sincerely)\b|[\"“]", re.IGNORECASE)
_REWORKS = regex(r"\b(?:transl|rewrit|rephras|paraphras|proofread|correct|pretend|role)", re.IGNORECASE)


def promises_beside(said: str, beside: str, whole: str) -> bool:
    """Return whether an assistant that was asked for a text, and gave no letter, promises something beside it."""
    also = _ALSO_ASKS.search(beside) is not None
    if _IS_LETTER.search(whole) or (_REWORKS.search(beside) and not also):
        return False
    said = said.replace("\u2019", "'")
    return _KEEPS_SAYING.match(said) is not None or (also and _BOOKED.match(said) is not None)


_WAS = regex(r"\b(?:was|were|got|had|last|yesterday|ago|(?:19|20)\d\d)\b", re.IGNORECASE)


def may_be_ahead(said: str, when: datetime, now: datetime) -> bool:
    """Return whether a time lies ahead, or may: that of "the match on Friday is off", not of "it was off on 5 May"."""
    return when.date() >= now.date() or _WAS.search(said) is None
