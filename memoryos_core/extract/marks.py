"""Marks of the tagger that count: sure enough, told by the speaker of themselves, and no name that another has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memoryos_core.extract.people import WORDS_OF_ROLE, named_with_role, role_in
from memoryos_core.extract.quotations import without_material
from memoryos_core.extract.speakers import is_signed
from memoryos_core.extract.statement_clauses import sentences_of
from memoryos_core.extract.tagging import Span, Status, classes_of, find_spans, lifts_wish
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.entries import PARTNERS
from memoryos_core.rules.knowledge.instructions import is_of_wish
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.slots import Slot, people_of, slots_of
from memoryos_core.rules.knowledge.supersession import endings
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.dialogue import Page

_LEAST = 0.3
# How sure a mark must be. Of unseen lines three of four are right at 0.5 and four of five at 0.65,
# of some labels fewer. What is over takes a value away (ADR 0049).
_SURE: Mapping[Status, float] = {"now": 0.5, "no": 0.88, "next": 0.85}
_LONG, _SURE_IN_A_TEXT = 40, 0.9  # words of a message: in a task, names and numbers are mostly of other things
_SURE_OF: Mapping[str, float] = {
    **dict.fromkeys(["name", "school"], 0.8),
    **dict.fromkeys(["animal", "birthday", "job", "pet"], 0.7),
    "employer": 0.75,
    **dict.fromkeys(["age", "allergy", "diet", "hobby", "home", "language", "partner", "vehicle"], 0.6),
}
_GENITIVE = regex(r"['\u2019]s?$")
# Words of others, what is only thought of, and what was nearly so.
_UNSAID = regex(
    r"^(?:and |but |so )?(?:if|imagine|suppose|pretend|say)\b"
    r"|^(?:(?:hello|hi|hey|greetings) from|(?:when|once) i hit)\b"
    r"|\bif (?:i|they|we|he|she)\b|\b(?:did|have) i (?:ever )?(?:tell|told|mention)|\bsaying\b"
    r"|\bi (?:\w+ )?(?:say|tell (?:people|strangers)) (?:that )?i\b"
    r"|\bas (?:a|the) first[- ]aid|\bsays (?:my|the|his|her)\b|\b(?:his|her) (?:first|second|ex)[ -]"
    r"|\bin (?:my|the|our) (?:game|story|novel|book)\b"
    r"|\b(?:rp|role-?play(?:ing)?|playing as|you be|scene:|riddle|guess who)\b"
    r"|\b(?:wish|might|hop(?:e|es|ed|ing)|nearly (?!finished|killed)|almost|wanted to|supposed to|case study"
    r"|hypothetical(?:ly)?"
    r"|job alert|back then|years ago|unpaid|never (?:come|came|got)|is done|work here in"
    r"|joking|(?<!not )think(?:s|ing)? (?:about|of)|wonder(?:ed|ing|s)? (?:if|whether)|dream(?:t|s|ed|ing)?)\b",
    re.IGNORECASE,
)
_QUOTED = regex(r"[\"\u201c\u00ab][^\"\u201d\u00bb]*(?:[\"\u201d\u00bb]|$)|(?:(?<=\s)|^)'\w[^']*(?:'(?!\w)|$)")
_OF_A_CASE = regex(r"(?:the )?case (?:study|report)\b|april fools?\b", re.IGNORECASE)
OF_HEALTH = frozenset(("medication", "allergy", "condition", "diet"))
# A sentence with another person and without a word of the speaker tells in half of the cases what the other one has.
_OF_ONESELF = OF_HEALTH | {"vehicle", "home", "age", "job"}
_SELF = regex(r"\b(?:i|i'?m|i'?ve|me|mine)\b", re.IGNORECASE)
_OF_OTHERS = regex(
    rf"\b(?:my|our) (?:[\w-]+ )?(?:{KIN}|dog|cat|puppy|kitten|horse|patient|client|colleague)(?:'s)?\b"
    r"|\b(?:allows?|lets?|helps?) you\b"
    r"|\b(?:he|him|his|she|her|mum|mom|mam|dad|nan|nana|gran|granny|grandma|grandad|grandpa)\b",
    re.IGNORECASE,
)
_OF_USER = regex(r"\bthe user\b(?!['\u2019])", re.IGNORECASE)
# A sentence that tells a name says so: "Bedlam here" may be of a house, "Name's Rex" of a puppy.
_TELLS_NAME = regex(
    r"\b(?:i'?m|i am|my name'?s?|call(?:ing)? me|this is|it'?s me|go by|goes by"
    r"|quit with the|is (?:quite )?enough)\b",
    re.IGNORECASE,
)
# People sign for others, too: it replaces no name.
_SIGNS = regex(r"\bsign(?:ed)?(?: (?:it|this|off|as))* [\w.' -]+$", re.IGNORECASE)
# Any date looks like one: "flu jab 6 October".
_TELLS_BIRTHDAY = regex(r"\b(?:birthdays?|b-?day|born|turn(?:s|ed|ing)?|i'?m \d\d|\d\d on|on \w+day)\b", re.IGNORECASE)
_MUST_SAY: Mapping[str, re.Pattern[str]] = {"birthday": _TELLS_BIRTHDAY}
_GIVEN_ONCE = regex(r"\b(?:gave me|given) [\w-]+(?: (?:in|for) the [\w-]+)?[.!]*$", re.IGNORECASE)
_DOSE = regex(r"\d ?(?:m?c?g|mcg|micrograms?|ml|units?|iu)\b", re.IGNORECASE)
# A stay is no home, and what is away for a day is not over.
_FOR_NOW_OF = ("home", "vehicle")
_FOR_NOW = (
    regex(
        r"\b(?:weeks? of|to (?:see|feed|water|mind)|visiting|trip|holidays?|vacation|hotel|hostel|airbnb"
        r"|for (?:a|the|two) (?:weekend|week|night)s?|a (?:week|fortnight|few days) (?:in|at|by|with))\b",
        re.IGNORECASE,
    ),
    regex(r"\b(?:till|until|back (?:on )?\w+day|serviced?|garage|mot)\b", re.IGNORECASE),
)
_COUNTED = regex(r" (?!(?:years?|yrs|this|was|is|has|always|as|its?)\b)[a-z]+s\b", re.IGNORECASE)
_IS_DENIED = regex(r"\bnot $", re.IGNORECASE)  # right before a mark: "it's leflunomide, not sulfasalazine"
_GREETED = regex(r"\b(?:thanks|thank you|hey|hi|hello|cheers|sorry|dear|bye),? $", re.IGNORECASE)
# What is not settled; and what begins where something else was cancelled, which may be no job: "and I start Disney".
_ONLY_ASKED_FOR = regex(
    r"\b(?:interview|appl(?:y|ied|ying|ication)|hoping|cancelled my|subscri\w+|if (?:the|all|it|they))\b", re.IGNORECASE
)
_MOST_WORDS = 45  # of a sentence; in a longer one of a task a number or a name may be anything's


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
    texts = [without_material(message.text) for page in pages for message in page.messages if message.role == "user"]
    found = ((span, text) for text in texts for span in find_spans(text, _LEAST))
    spans = [span for span, text in found if not _is_count(span, text)]
    if any(span.status == "no" or span.label in _NEED_KNOWN for span in spans):
        return True
    return any(may_lift(sentence, text) for text in texts for sentence in sentences_of(text))


def may_lift(sentence: str, text: str) -> bool:
    """Return whether a sentence of a text takes back a wish, if it names one that is known."""
    return lifts_wish(sentence, text) or _ALLOWS_AGAIN.fullmatch(sentence) is not None


_ALLOWS_AGAIN = regex(
    r"(?:(?:ok|okay|and|so),? )?(?:you (?:can|may)|feel free to|it's (?:ok|okay|fine) to) [^?]+ again[.!]*",
    re.IGNORECASE,
)


def still_known(known: Sequence[str], new: Sequence[str], names: tuple[str, ...]) -> list[str]:
    """Return the known texts, without what the new ones end, and those: one reading then sees what several would."""
    enders = [endings(text, names) for text in new]
    return [text for text in known if not (_decides(text) and any(end(text) for end in enders))] + [*new]


@lru_cache(maxsize=4_096)
def _decides(text: str) -> bool:
    """Return whether a known text decides of a mark by its value."""
    return is_of_wish(text) or _HAS_PARTNER.search(text) is not None or any(one.match(text) for one in _KNOWN.values())


def marks_that_count(text: str, kept: Sequence[str], told: Told) -> Iterator[Span]:
    """Yield the marks of a message that count; `kept` are those of its sentences that are the speaker's own."""
    is_case = bool(kept) and _OF_A_CASE.match(kept[0]) is not None
    own = [sentence.casefold() for sentence in kept if not is_case and not is_unsaid(sentence)]
    found = find_spans(text, _LEAST)
    named = [
        Span(role, "now", text[start:end], start, end, 1.0, 1.0)
        for role, start, end in named_with_role(text)
        if not any(span.start < end and start < span.end for span in found)
    ]
    for span in (*(_as_known(one, told) for one in found), *named):
        labelled = _with_role(span, text, told) if _is_own(span, own, told) else None
        if labelled is not None and _is_told(labelled, text, told):
            yield labelled


def is_unsaid(sentence: str) -> bool:
    """Return whether a sentence has words of others, or what is only thought of, played or nearly so."""
    return _UNSAID.search(sentence) is not None


def without_genitive(name: str) -> str:
    """Return a name without its genitive."""
    return _GENITIVE.sub("", name)


def _is_own(span: Span, own: Sequence[str], told: Told) -> bool:
    """Return whether one of the speaker's sentences has a span, and what is known denies it not."""
    value = span.text.casefold()
    said = [one for one in own if value in _QUOTED.sub(" ", one) and one.count(" ") < _MOST_WORDS]
    if not said or not _fits(span, said, told):
        return False
    if span.label not in _OF_ONESELF or any(map(_SELF.search, said)):
        return True
    if all(map(_OF_OTHERS.search, said)):
        return False
    word = max(value.split(" "), key=len)
    owners = [known for known in told.known if word in known.casefold()]
    return not owners or any(map(_OF_USER.search, owners))


def _classes_in(text: str) -> frozenset[str]:
    return frozenset(name for word in text.split(" ") for name in classes_of(word))


def _fits(span: Span, said: Sequence[str], told: Told) -> bool:
    """Return whether a value may be one by its form and by what is known."""
    if span.label in _FOR_NOW_OF:
        return _FOR_NOW[span.status == "no"].search(" ".join(said)) is None
    if span.label in _MUST_SAY:
        return any(map(_MUST_SAY[span.label].search, said))
    if span.label == "medication":
        return not all(map(_GIVEN_ONCE.search, said))
    return _agrees_with_known(span, said, told)


def _agrees_with_known(span: Span, said: Sequence[str], told: Told) -> bool:
    """Return whether what is known lets a name, an age or a partner be what a span says."""
    if span.label == "name":
        is_signed = not any(_KNOWN["name"].match(known) for known in told.known) and any(map(_SIGNS.search, said))
        return (is_signed or any(map(_TELLS_NAME.search, said))) and is_name(
            " ".join(word[:1].upper() + word[1:] for word in span.text.split(" "))
        )
    if span.label == "partner":
        is_former = span.status == "now" and any(map(_NO_MORE.search, said))
        return not is_former and not any(_HAS_PARTNER.search(known) for known in told.known if span.text not in known)
    if span.label == "age" and span.status == "now":
        ages = [int(found[1]) for known in told.known if (found := _KNOWN_AGE.match(known))]
        return not ages or (span.text.isdigit() and ages[-1] <= int(span.text) <= ages[-1] + 2)
    return True


_NO_MORE = regex(
    r"\b(?:was|were|late|ex|used to|broke up|split|divorc\w*|died|left|dumped|no longer|widow\w*)\b", re.IGNORECASE
)
_HAS_PARTNER = regex(rf"\buser's (?:{'|'.join(PARTNERS)})\b", re.IGNORECASE)
_KNOWN_AGE = regex(r"The user is (\d{1,3})\b")


def _is_count(span: Span, text: str) -> bool:
    """Return whether an age counts something, or numbers it: "41 hives", "hive41"."""
    is_part = text[max(0, span.start - 1) : span.start].isalnum()
    return span.label == "age" and (is_part or _COUNTED.match(text, span.end) is not None)


# "Tahlia's birthday is 20 November", "Dom's deathly with bees".
_OF_ONE_PERSON = frozenset(("pet", "animal", "vehicle", "birthday", "age", "condition"))
_OF_ANOTHER = regex(
    r"\b(?!(?:It|That|There|Here|What|Who|Let|He|She|How|Today|Where|When|Name|Every\w+|No\w+|My|Mine|Our)\b)"
    r"[A-ZÀ-Þ][\w-]+['\u2019]s (?:(?!(?:my|our|I)\b)[\w-]+,? ){0,3}$"
)


# "She has this chihuahua named Peaches", "she's got a boy, Caleb".
_HELD_BY_ONE = frozenset(("pet", "animal", "child"))
_HAS_ANOTHER = regex(r"\b(?:he|she|they)(?:['\u2019](?:s|ve) got| has| have| got)(?: [\w-]+,?){0,4} $", re.IGNORECASE)


def _is_told(span: Span, text: str, told: Told) -> bool:
    """Return whether a span is sure enough to be told."""
    if span.label in WORDS_OF_ROLE and _GREETED.search(text, 0, span.start):
        return False
    if span.label in _OF_ONE_PERSON and _OF_ANOTHER.search(text, 0, span.start):
        return False
    if span.label in _HELD_BY_ONE and _HAS_ANOTHER.search(text, 0, span.start):
        return False
    if _is_count(span, text) or _IS_DENIED.search(text, 0, span.start):
        return False
    is_only_asked = span.status == "next" and _ONLY_ASKED_FOR.search(text) is not None
    return not is_only_asked and span.sure * span.held >= _least_of(span, text, told)


def _least_of(span: Span, text: str, told: Told) -> float:
    """Return how sure a span must be to be told."""
    least = max(_SURE[span.status], _SURE_OF.get(span.label, 0.0))
    if span.label == "medication" and not _DOSE.search(span.text) and "drug" not in _classes_in(span.text):
        least = _SURE_IN_A_TEXT
    if text.count(" ") > _LONG:
        least = max(least, _SURE_IN_A_TEXT)
    if span.status == "no" and _known_label(span, told):
        least = _SURE_OF_KNOWN
    if span.status == "now" and any(_has_other(span, known) for known in told.known):
        least = max(least, _SURE_TO_REPLACE)
    return least


def _as_known(span: Span, told: Told) -> Span:
    """Return a mark of what is over with the label under which its value is known."""
    label = _known_label(span, told) if span.status == "no" else ""
    return replace(span, label=label) if label else span


def _known_label(span: Span, told: Told) -> str:
    """Return the label under which the value of a span is known of the user, or ""."""
    value, words = span.text.casefold(), frozenset(terms(span.text))
    for known in told.known:
        if value not in known.casefold():
            continue
        for slot in slots_of(known, told.names):
            is_it = slot.subject == USER and not slot.negated and words.issubset(terms(slot.value))
            if is_it and (label := _LABEL_OF.get(slot.attribute)):
                return label
    return ""


def _has_other(span: Span, known: str) -> bool:
    """Return whether a known fact gives another value where there is one at a time."""
    return span.label in _KNOWN and _KNOWN[span.label].match(known) is not None and span.text not in known


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
# Kinds of values that end by their name, with what a value of a slot is called by the tagger.
_LABEL_OF = {
    **{label: label for label in ("pet", "vehicle", "hobby")},
    **dict.fromkeys(PARTNERS, "partner"),
}
_SURE_OF_KNOWN = 0.6
_SURE_TO_REPLACE = 0.9  # where another value is known in plain words
_NEED_KNOWN = frozenset((*WORDS_OF_ROLE, *_OF_ONESELF, *_KNOWN))
