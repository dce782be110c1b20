"""Marks of the tagger that count: sure enough, told by the speaker of themselves, and no name that another has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memoryos_core.extract.people import WORDS_OF_ROLE, role_in
from memoryos_core.extract.speakers import is_signed
from memoryos_core.extract.statement_clauses import sentences_of
from memoryos_core.extract.tagging import Span, find_spans, lifts_wish
from memoryos_core.rules.knowledge.entries import PARTNERS
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.slots import Slot, people_of, slots_of
from memoryos_core.rules.knowledge.supersession import endings
from memoryos_core.rules.knowledge.wishes import is_of_wish
from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex
from memoryos_core.values.dialogue import Page

_LEAST = 0.3
# How sure a label of one that holds, and of one that is over, must be: by `python -m benchmarks.tagging` most marks of
# people whom the models never saw are right there, of homes, employers and names the fewest.
_SURE: Mapping[str, float] = {
    **dict.fromkeys(["age", "birthday", "condition", "diet", "origin", "studies"], 0.5),
    **dict.fromkeys(["allergy", "hobby", "home", "language", "medication"], 0.6),
    **dict.fromkeys(["vehicle", "school"], 0.7),
    **dict.fromkeys(["animal", "child", "job", "name", "partner", "pet"], 0.8),
    "employer": 0.9,
}
_SURE_OF_END: Mapping[str, float] = {
    **dict.fromkeys(["condition", "diet", "job", "allergy", "studies"], 0.65),
    **dict.fromkeys(["home", "medication", "partner"], 0.8),
}
_GENITIVE = regex(r"['\u2019]s?$")
# Words of others, what is only thought of, and what was nearly so.
_UNSAID = regex(
    r"[\"\u201c\u201d\u00ab\u00bb]|(?:^|\s)'\w|^(?:and |but |so )?(?:if|imagine|suppose|pretend|say)\b"
    r"|\bif (?:i|they|we|he|she)\b|\b(?:rp|role-?play(?:ing)?|playing as|you be|scene:|riddle|guess who|quiz|essay|exam"
    r"|on the news|in the news|episode|season \d|toy)\b"
    r"|\b(?:wish|might|hop(?:e|es|ed|ing)|nearly|almost|hypothetical(?:ly)?|case study|as if|joking"
    r"|wonder(?:ed|ing|s)? (?:if|whether)|dream(?:t|s|ed|ing)?)\b",
    re.IGNORECASE,
)
_OF_HEALTH = frozenset(("medication", "allergy", "condition", "diet"))
_OTHERS = regex(
    rf"\b(?:{KIN}|dog|cat|puppy|kitten|horse|patient|client|colleague|vet|he|him|his|she|her|they|their)(?:'s)?\b",
    re.IGNORECASE,
)
_SELF = regex(r"\b(?:i|i'?m|i'?ve|me|mine)\b", re.IGNORECASE)
_TAKES = regex(
    r"\b(?:i'?m|i am|me|i'?ve been) (?:now )?(?:on|off)\b|\bi (?:take|took|stopped|started)\b", re.IGNORECASE
)
# What somebody says of themselves without a word of who it is: "losartan 50 mg now", "blood work says type 2 diabetes".
_NEWS = regex(
    r"^(?!.*\?$)(?!(?:can|is|are|does|do|how|what|when|which|why|should|will)\b)(?=.*\b(?:now|went|put|started|starting"
    r"|switched|upped|bumped|raised|dropped|doubled|says|said|diagnos\w*|confirmed|since|stopped|off|tested|results?"
    r"|came|turns out|again|finally|official|still|daily|nightly|twice|once|no|allergic|allergy|intolerant|please"
    r"|pls)\b)",
    re.IGNORECASE,
)
_MOST_WORDS = 45  # of a sentence; in a longer one of a task a number or a name may be anything's
# What a sentence has that tells a name, an age or a birthday, and one of a stay.
_TELLS = {
    "name": regex(
        r"\b(?:i'?m|i am|name'?s?|call(?:s|ed)? me|calling me|this is|it'?s me|sign|goes by|go by)\b", re.IGNORECASE
    ),
    "birthday": regex(r"\b(?:birthday|b-?day|born)\b", re.IGNORECASE),
    "language": regex(
        r"\b(?:speak|learn(?:ing)?|lessons?|duolingo|fluent|native|[abc][12]|practi[sc]e|practi[sc]ing)\b",
        re.IGNORECASE,
    ),
    "home": regex(r"\b(?:i|i'?m|i'?ve|we|we'?re|we'?ve|my|our|me|us|here|living|live|moved)\b", re.IGNORECASE),
    "vehicle": regex(r"\b(?:my|our|i|we|mine|i'?ve|drive|driving)\b", re.IGNORECASE),
}
# What a sentence has that speaks of no value of the user's.
_TELLS_NOT: Mapping[str, re.Pattern[str]] = {
    "age": regex(
        r"\b(?:when|got|married|met|moved|started|lost|quit|had|was|were|did|felt|read|retired?|plan|will|i'?d|till"
        r"|i want to|until|ends?|pays?|turning|mph|\d weeks?|percent|euros?|degrees|minutes|oven|score|waitlist|bus"
        r"|sold|sober|diagnosed|bald|licen[cs]e|divorced|take off|dinner|bedtime|thermostat)\b|%|\u00b0",
        re.IGNORECASE,
    ),
    "condition": regex(r"\b(?:not that|ruled out|clear|warning|lol|haha|students)\b", re.IGNORECASE),
    "job": regex(r"\b(?:wannabe|budding|aspiring|amateur|volunteer|retired|hobby|dream|that's you)\b", re.IGNORECASE),
    "home": regex(
        r"\b(?:at uni|graduation|match|game|fans|last night|thought about|thinking|considered|dreams?)\b", re.IGNORECASE
    ),
    "medication": regex(r"\b(?:cupboard|battery|expired|ran out)\b", re.IGNORECASE),
}
_SIGNS = "virgo scorpio gemini leo libra aries taurus cancer pisces aquarius capricorn sagittarius"
_NO_VALUES = frozenset((*_SIGNS.split(), "sober", "masters", "master's", "degree", "phd", "course"))
_STAYS = regex(
    r"\b(?:for (?:the|a|an|my|our|two|three|\d+) (?:\w+ )?(?:weekend|week|night|day|month|conference|wedding|course"
    r"|game|trip)s?|(?:until|till) (?:the \d|[a-z]+day\b|next|after|\d+(?:st|nd|rd|th))|visiting|trip|holidays?"
    r"|vacation|conference|flights?|to feed|hotel|airbnb|tickets?)\b",
    re.IGNORECASE,
)
_ONLY_ASKED_FOR = regex(
    r"\b(?:appl(?:y|ied|ying)|interview(?:s|ed|ing)?|offered|recruiter|cover letter|thinking (?:of|about)"
    r"|looking (?:at|for)|dream(?:t|ed|ing)?|lottery|quiz|novel|story|film|movie|episode)\b",
    re.IGNORECASE,
)
_OF_WORK = frozenset(("home", "job", "employer", "school"))


@dataclass(frozen=True, slots=True)
class Told:
    """The rest that is told of the user: `names` are the user's own, `stated` what rules read in the same page.

    `known` are the texts of facts, which may say whose name somebody has.
    """

    names: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    known: Sequence[str] = ()

    def slots(self) -> list[Slot]:
        """Return what the same page fills by rules."""
        names = self.names
        return [slot for text in self.stated for slot in (*slots_of(text, names), *people_of(text, names))]


def needs_known(pages: Sequence[Page], called: str | None) -> bool:
    """Return whether pages are read better with the known facts: who signs, whose name it is, what may be replaced."""
    if is_signed(pages, called):
        return True
    texts = [message.text for page in pages for message in page.messages if message.role == "user"]
    labels = {span.label for text in texts for span in find_spans(text, _LEAST)}
    if not labels.isdisjoint((*WORDS_OF_ROLE, *_OF_HEALTH, *_REPLACES)):
        return True
    return any(lifts_wish(sentence) for text in texts for sentence in sentences_of(text))


def still_known(known: Sequence[str], new: Sequence[str], names: tuple[str, ...]) -> list[str]:
    """Return the known texts, without what the new ones end, and those: one reading then sees what several would."""
    enders = [endings(text, names) for text in new]
    return [text for text in known if not (_decides(text) and any(end(text) for end in enders))] + [*new]


def _decides(text: str) -> bool:
    """Return whether a known text decides of a mark by its value."""
    return is_of_wish(text) or _HAS_PARTNER.search(text) is not None or any(one.match(text) for one in _KNOWN.values())


def marks_that_count(text: str, kept: Sequence[str], told: Told) -> Iterator[Span]:
    """Yield the marks of a message that count; `kept` are those of its sentences that are the speaker's own."""
    own = [sentence.casefold() for sentence in kept if not is_unsaid(sentence)]
    for span in find_spans(text, _LEAST):
        labelled = _with_role(span, text, told) if _is_own(span, text, own, told) else None
        if labelled is not None and _is_told(labelled, text, told):
            yield labelled


def is_unsaid(sentence: str) -> bool:
    """Return whether a sentence has words of others, or what is only thought of, played or nearly so."""
    return _UNSAID.search(sentence) is not None


def without_genitive(name: str) -> str:
    """Return a name without its genitive."""
    return _GENITIVE.sub("", name)


def _is_own(span: Span, text: str, own: Sequence[str], told: Told) -> bool:
    """Return whether one of the speaker's sentences has a span, and tells it as theirs."""
    value = span.text.casefold()
    said = [sentence for sentence in own if value in sentence and sentence.count(" ") < _MOST_WORDS]
    if span.label in _TELLS:
        said = [sentence for sentence in said if _TELLS[span.label].search(sentence)]
    if span.label in _TELLS_NOT:
        said = [sentence for sentence in said if not _TELLS_NOT[span.label].search(sentence)]
    if value in _NO_VALUES or not said or not _fits(span, text, told):
        return False
    if span.label == "home":
        return any(not _STAYS.search(one) and (_SELF.search(one) or not _OTHERS.search(one)) for one in said)
    if span.label in _OF_HEALTH:
        word = max(value.split(" "), key=len)
        others = [known.casefold() for known in told.known if word in known.casefold()]
        of_another = bool(others) and not any("the user" in known for known in others)
        return any(_is_of_self(one, value, of_another=of_another) for one in said)
    return span.label not in _OF_ONESELF or any(_SELF.search(one) or not _OTHERS.search(one) for one in said)


_OF_ONESELF = frozenset(("age", "vehicle", "job", "studies", "school"))


def _is_of_self(sentence: str, value: str, *, of_another: bool) -> bool:
    """Return whether a sentence tells what somebody has or takes of its speaker."""
    if _OTHERS.search(sentence):
        return f"my {value}" in sentence or _TAKES.search(sentence) is not None or " me " in sentence
    if _SELF.search(sentence) or f"my {value}" in sentence:
        return True
    return not of_another and _NEWS.search(sentence) is not None


def _fits(span: Span, text: str, told: Told) -> bool:
    """Return whether a value may be one by its form, by the word behind it, and by what is known."""
    behind = _WORD_BEHIND.match(text, span.end)
    if span.label == "name":
        return is_name(" ".join(word[:1].upper() + word[1:] for word in span.text.split(" ")))
    if span.label == "vehicle" and behind is not None:
        word = behind[1].casefold()
        return word in FUNCTION_WORDS["en"] or word.endswith(("s", "ed", "ing", "n't"))
    if span.label == "partner":
        is_other = behind is not None and behind[1].casefold() in ("from", "at")
        is_other = is_other or (span.status == "now" and _NO_MORE.search(text) is not None)
        return not is_other and not any(_HAS_PARTNER.search(known) for known in told.known if span.text not in known)
    if span.label == "age" and span.status == "now":
        ages = [int(found[1]) for known in told.known if (found := _KNOWN_AGE.match(known))]
        return not ages or (span.text.isdigit() and ages[-1] <= int(span.text) <= ages[-1] + 2)
    return True


_NO_MORE = regex(
    r"\b(?:was|were|late|ex|used to|broke up|split|divorc\w*|died|left|dumped|no longer|widow\w*)\b", re.IGNORECASE
)
_WORD_BEHIND = regex(r" ([^\W\d_][\w'-]*)")
_HAS_PARTNER = regex(rf"\buser's (?:{'|'.join(PARTNERS)})\b", re.IGNORECASE)
_KNOWN_AGE = regex(r"The user is (\d{1,3})\b")


def _is_told(span: Span, text: str, told: Told) -> bool:
    """Return whether a span is sure enough to be told."""
    least = (_SURE if span.status == "now" else _SURE_OF_END).get(span.label, 1.0)
    if span.label in _REPLACES and span.status == "now" and any(_KNOWN[span.label].match(one) for one in told.known):
        least = max(least, _SURE_TO_REPLACE)
    if span.sure * span.held < least:
        return False
    return span.label not in _OF_WORK or not _ONLY_ASKED_FOR.search(text)


def _with_role(span: Span, text: str, told: Told) -> Span | None:
    """Return a span with the label that its name has by what else is told; None for the user's own, or another's."""
    name = _GENITIVE.sub("", span.text).casefold()
    if span.label == "name" and any(name == own.casefold() for own in told.names):
        return None
    if span.label not in WORDS_OF_ROLE:
        return span
    if any(name in own.casefold().split() for own in told.names):
        return None
    if role := role_in(name, (text,)):
        if role != "other" and not _NO_MORE.search(text):
            return replace(span, label=role, status="now", sure=1.0, held=1.0)
        return None
    # What another page says may deny a label, and gives none: it goes when that page is forgotten.
    return span if role_in(name, told.known) in ("", span.label) else None


_KNOWN = {
    "age": _KNOWN_AGE,
    "home": regex(r"The user (?:lives|moved)\b"),
    "job": regex(r"The user (?:works as|is an? )\b"),
    "employer": regex(r"The user works (?:at|for)\b"),
    "name": regex(r"The user's name is\b"),
}
_REPLACES, _SURE_TO_REPLACE = frozenset(_KNOWN), 0.9  # where a value is known in plain words
