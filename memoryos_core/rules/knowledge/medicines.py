"""The medicines that a speaker takes now or no more: told of one or of several, by whoever gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryos_core.rules.knowledge.drugs import (
    AMOUNT,
    BY_DOSE,
    DOSED,
    DRUG,
    DRUG_ALONE,
    DRUG_TAKEN,
    FORM,
    FORMS,
    GIVEN_TO_ME,
    GIVER,
    GROUP,
    PUT_BY_ANYBODY,
    STOPS,
    SUPPLEMENT,
    SUPPLY,
)
from memoryos_core.rules.knowledge.heads import ANIMAL, OF_OTHERS
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.words import regex, with_marks

__all__ = ["dose_told", "medicines_in", "with_dose"]


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_LONGEST = 400  # characters of a statement that are read
_IS_DRUG = _pattern(rf"{DRUG}$")
# "Doctor swapped the ramipril for losartan." Beside a medicine that is known by its ending another name is one.
_MEDICAMENT = rf"(?:{DRUG}|(?-i:[A-Z])[a-z]{{3,14}})"
_TAKEN = rf"(?:{DRUG}|{SUPPLEMENT})"
_HOW_MUCH = rf"(?:(?P<dose>{DOSED})|{FORM}{DRUG_ALONE})"
# "They gave me apixaban, 2.5 mg", "iron tablets, ferrous sulphate 200 mg", "budesonide, 200 micrograms".
_GIVEN = (
    rf"(?:(?:the|some|an?|my) )?(?:(?:[\w-]+ )?{FORMS}(?:,| called) )?"
    rf"(?:(?P<by_dose>(?!vitamin){BY_DOSE})|(?P<new>{_TAKEN}){_HOW_MUCH})"
)
# Who gives it: named, as "she", or told before: "she has taken me off the ramipril and given me candesartan".
_THEY_GAVE = (
    rf"(?:{GIVER}|(?:^|[.,;] |\b(?:and|but|so|because|since|that) )(?:he|she)(?:'s| has| had)?"
    r"(?: just| now| also| then)* |(?P<on>(?:,|\band|\bthen)(?: (?:and|has|have|also|then|now|instead))* ))"
)
# Two verbs with a direction between medicine and dose: "upped the bisoprolol to 5", "put my ramipril back up to 10 mg".
_RAISED = (
    r"(?:doubled|halved|trebled|tripled|upped|raised|increased|put|lowered|reduced|cut|dropped|changed|moved|bumped"
    r"|taken|took|brought|switched|stepped)"
)
_WAYS = r"(?: (?:back(?: (?:up|down))?|up|down))?"
_FROM = r"(?: from [^,;.]{1,20}?)?"
_TAKES_NOW = (
    with_marks(
        "swapped|switched|changed|moved|replaced",
        rf"(?:{_THEY_GAVE}|^)(?:swapped|switched|changed|moved|replaced)(?: (?:me|over|off|from|back))*"
        rf"(?:(?: (?:the|my))? (?P<old>{DRUG})(?:,)?| (?P<it>it|that|them)) (?:for|to|on ?to|with|by) {_GIVEN}",
    ),
    with_marks(
        "instead of",
        rf"\b(?:i(?:'m| am) (?:now )?on|i take) (?P<new>{_MEDICAMENT}) (?:now )?instead of"
        rf" (?:the )?(?P<old>{_MEDICAMENT}){DRUG_ALONE}",
    ),
    # "They took me off the ramipril, it's losartan 50 now."
    with_marks(
        " off ",
        rf"(?:{_THEY_GAVE}(?:took|taken) me|^i(?:'ve| have)? (?:came|come)|^(?:i'm|i am)) off (?:the |my )?"
        rf"(?P<old>{DRUG})(?:,|;|\.| and| so)+ (?:(?:it's|it is|i'm|i am|now"
        rf"|on|instead) )+(?:the )?(?P<new>{DRUG}){_HOW_MUCH}",
    ),
    with_marks(
        " me |been ",
        rf"(?:(?:{_THEY_GAVE}|{PUT_BY_ANYBODY}(?=put|started))(?:put|started|has|have|got) me (?:back )?on"
        rf"|(?:{GIVER}|(?P<then>\band )(?:has |have )?)(?:(?<!nurse )gave|given|prescribed) me|{GIVEN_TO_ME}) {_GIVEN}",
    ),
    # A name that a doctor gives is a medicine, too: "my doc switched me to Jardiance".
    with_marks(
        " me ",
        rf"(?!.*\b(?:they|i|we) (?:put|started|switched|moved|changed)){GIVER}(?:put|started|switched|moved|changed) me"
        rf" (?:over )?(?:on ?to|on|to) (?P<new>(?-i:[A-Z])[a-z]{{3,14}}){DRUG_ALONE}",
    ),
    with_marks(
        "tablet|pill|capsule|patch|inhaler|injection|drops|spray",
        rf"\bi(?:'m| am) (?:now |also |back )?on (?:the |an? )?(?:[\w-]+ )?{FORMS}(?:,| called)"
        rf" (?P<new>(?-i:[A-Z])[a-z]{{3,14}})(?: (?P<dose>{AMOUNT}))?(?=[.,;!]|$)",
    ),
    with_marks(
        " on ",
        rf"^[^.;?!]{{0,60}}?\b(?P<new>{SUPPLEMENT})\b[^.;?!]{{0,60}}?\bi(?:'m| am) (?:now )?on"
        r" (?P<dose>\d[\d.,]* ?(?:iu|mg|mcg|µg|micrograms?))\b",
    ),
)
# What somebody takes no more: not for a day, nor long ago.
_LONG_AGO = rf"(?![^.?!]*\b(?:years? ago|(?:19|20)\d\d|back then|when i|as a \w+|once|used to|{SUPPLY})\b)"
_NO_MORE = (
    with_marks(
        " off|off |stopped|quit|discontinued|withdr",
        rf"(?:{_THEY_GAVE}(?:(?:took|taken|weaned) me off(?: of)?(?: both)?"
        r"|(?:stopped|discontinued|withdrawn|withdrew)(?= my ))"
        rf"|\bi(?:'ve| have)?(?: now| just| also| finally| already)* (?:stopped|quit|come off|came off)"
        rf"(?= (?:the |my )?(?:{GROUP}|{SUPPLEMENT})\b)|^(?:now )?off) (?:the |my )?(?P<old>{_TAKEN})"
        rf"(?: and (?:the |my )?(?P<also>{DRUG}))?{STOPS}{_LONG_AGO}",
    ),
    with_marks(
        "finished|stopped|over|done with",
        rf"^(?:(?:so|and|oh|also|well),? )*my (?P<old>{_TAKEN}){FORM}(?:'s| is| are| has been| was)"
        r" (?:(?:now|all|finally|officially) )*"
        rf"(?:finished|stopped|over|done with)(?=[.,!;]|$| (?:now|at last|thank)\b){_LONG_AGO}",
    ),
    with_marks(
        "stopped|quit| off ",
        rf"\b(?P<old>{_TAKEN}) (?:is|was|made|makes|gave|gives|isn't|wasn't|did|does|didn't|doesn't)\b[^.;?!]{{2,60}}?"
        rf"(?:,| so| and)+ i(?:'ve| have)?(?: now| just)? (?:stopped|quit|come off|came off)(?: taking)?"
        rf" (?:it|that|them|those)\b(?=[.,!;]|$){_LONG_AGO}",
    ),
)
# The same medicine, another dose.
_DOSE_NOW = (
    with_marks(
        " to ",
        rf"{_THEY_GAVE}{_RAISED}{_WAYS} (?:the |my )?(?P<same>{_MEDICAMENT})(?: dose)?{_WAYS}{_FROM} to "
        rf"(?P<dose>{AMOUNT})",
    ),
    with_marks(
        " me ",
        rf"{_THEY_GAVE}(?:put|moved|bumped|taken|took|brought|stepped) me{_WAYS} (?:to|on) (?P<dose>{AMOUNT}) (?:of )?"
        rf"(?:the |my )?(?P<same>{_MEDICAMENT})\b",
    ),
    with_marks(
        " to ",
        rf"(?:^|[.,;] |\b(?:and|so|but) )(?:the |my )?(?P<same>{_MEDICAMENT})(?: dose)?(?:'s| is| has| was| went"
        r"| goes)?"
        rf"(?: (?:been|now|just|gone|{_RAISED[3:-1]}|back|up|down)){{1,4}}{_FROM} to (?P<dose>{AMOUNT})",
    ),
    with_marks(
        "now",
        rf"(?:^|[.,;] |\b(?:and|so|but) )(?:the |my )?(?P<same>{_MEDICAMENT})(?: dose)?(?:'s| is)(?: at)?"
        rf"(?: now(?: at)? (?P<dose>{AMOUNT})| (?P<now>{AMOUNT}) now(?=[.,;!]|$))",
    ),
)
# "I take ramipril 10 mg and levothyroxine, 75 micrograms": each further one, with nobody else in between.
_TAKES_FIRST = _pattern(
    r"^(?:(?:and|so|also|well|yes|but),? )*i(?:'m| am)?(?: now| also| still| currently)* (?:on|take|taking) "
    rf"(?:the |my )?(?:{_TAKEN}(?:{DOSED})?|{BY_DOSE})"
)
_HOW_OFTEN = (
    r"(?:,? (?:once|twice|three|four|times|an?|per|each|every|day|daily|weekly|week|nightly|night|mornings?|evenings?"
    r"|in|the|at|with|food|meals|before|after|bed|for|my [a-z]+(?: pressure| disease| pain)?|tablets?|pills?"
    r"|inhaler|\d+)(?![\w'])){0,12}"
)
_AND_ANOTHER = _pattern(
    rf"{_HOW_OFTEN}(?:, and|,| and| plus| &| \+) (?:the |my )?"
    rf"(?:(?P<by_dose>(?!vitamin){BY_DOSE})|(?P<new>{_TAKEN})(?P<dose>{DOSED})?{DRUG_TAKEN})"
)
_INSTEAD = _pattern(r"[^.;?!]{0,30}? (?:instead\b(?! of\b)|in its place\b|in place of (?:it|that)\b)")
# Who else it is for, who says it, and what was not so: it stands around the words of the medicine.
_SAID_BEFORE = _pattern(
    r"\b(?:said|says|told|claims?|thinks?|heard|read|used to|as a \w+|when i was|years ago|vet|hop(?:e|es|ed|ing)"
    r"|dream\w*|afraid|worried|fear\w*|suggest\w*|novel|story)\b"
)
_NOT_BEHIND = _pattern(
    rf" for (?:(?:my|our|the|his|her|their|a) (?:[\w-]+ )?(?:{KIN}|baby|{ANIMAL})\b|(?-i:[A-Z][a-z]+)(?!'s| disease))"
    r"|, or so\b| for (?:an?|one|two|three|\d+) (?:day|week|night)s?\b|\bas a (?:kid|child|baby)|\bwhen i was\b"
    r"|\b(?:but|then)\b(?:.*(?:\b(?:never|refus|declin|stopp|back\b)|n't\b)|(?: i| they| then)* ?[.!]*$)"
)
_HAS_TAKER = _pattern(r"\b(?:me|my|i'm|i am|i've|i)\b")
# "They've doubled the ramipril": of whomever was spoken.
_OTHER_TAKER = _pattern(
    rf"\b(?:my|our|the) (?:[\w-]+ )?(?:{KIN}|baby|{ANIMAL})\b|\b(?:mum|mom|dad|gran|nan|grandad)\b|\b(?:her|his) "
    r"(?!\w+day\b)"
)
_UNIT_BEHIND = _pattern(r"[\d.,]+ ?[a-zµ]")
_IS_TAKEN = _pattern(rf"{_TAKEN}$")


def medicines_in(sentence: str, before: str) -> Iterator[str]:
    """Yield which medicine the speaker takes now, and which no more; `before` is what was said before the sentence."""
    found = list(_changes_in(sentence))
    leads = any(not _leans(change) for change in found)  # "and given me X" needs somebody who gave before
    for change in found:
        if not (_leans(change) and not leads) and not _is_of_another(change, before):
            yield from _told_by(change)
            yield from _listed_behind(change if change.groupdict().keys() & {"by_dose"} else None)
    yield from _listed_behind(_TAKES_FIRST.match(sentence))


def _changes_in(sentence: str) -> list[re.Match[str]]:
    """Return what a sentence tells of medicines, in its order; the first pattern that names one tells of it."""
    out: list[re.Match[str]] = []
    named: set[int] = set()
    for pattern in (*_TAKES_NOW, *_NO_MORE, *_DOSE_NOW):
        for found in pattern.finditer(sentence):
            places = {found.start(name) for name in ("old", "new", "same", "by_dose") if found.groupdict().get(name)}
            if named.isdisjoint(places):
                named |= places
                out.append(found)
    return sorted(out, key=lambda one: one.end())


def _leans(change: re.Match[str]) -> bool:
    told = change.groupdict()
    return bool(told.get("on") or told.get("then"))


def _told_by(change: re.Match[str]) -> Iterator[str]:
    """Yield what one change tells: what is taken no more, and what is taken now."""
    told = {name: value or "" for name, value in change.groupdict().items()}
    old, new, same = (told.get(name, "") for name in ("old", "new", "same"))
    dose = (told.get("dose") or told.get("now") or "").lstrip(", ").removeprefix("at ")
    is_known = _IS_TAKEN.match(old) or _IS_TAKEN.match(new) or told.get("by_dose")
    # A dose alone is of anybody who takes the medicine.
    if (same or told.get("it")) and not _HAS_TAKER.search(change.string):
        return
    if (old and not is_known) or (same and not (_IS_DRUG.match(same) or _UNIT_BEHIND.match(dose))):
        return
    yield from (f"I no longer take {_small(gone)}." for gone in (old, told.get("also", "")) if gone)
    new = (told.get("by_dose") or new or same).replace(", ", " ")
    instead = " instead" if told.get("it") or _INSTEAD.match(change.string, change.end()) else ""
    if new:
        yield f"I take {_small(new, dose)}{instead}."


def _listed_behind(found: re.Match[str] | None) -> Iterator[str]:
    """Yield each medicine behind the first one of a list: "I take ramipril 10 mg and levothyroxine"."""
    while found is not None and (found := _AND_ANOTHER.match(found.string, found.end())) is not None:
        if not _NOT_BEHIND.match(found.string, found.end()):
            new = (found["by_dose"] or found["new"]).replace(", ", " ")
            yield f"I take {_small(new, (found['dose'] or '').lstrip(', ').removeprefix('at '))}."


def _is_of_another(found: re.Match[str], before: str) -> bool:
    """Return whether somebody else takes a medicine, or nobody does."""
    sentence, is_own = found.string, _HAS_TAKER.search(found[0]) is not None
    return bool(
        (not is_own and OF_OTHERS.search(sentence, 0, found.start()))
        or _SAID_BEFORE.search(sentence, 0, found.start())
        or _NOT_BEHIND.search(sentence, found.end())
        or (not is_own and _OTHER_TAKER.search(before))
    )


def _small(medicine: str, dose: str = "") -> str:
    """Return a medicine in small letters with its dose, and what only stands where one does as "the medicine X"."""
    if _IS_DRUG.match(medicine):
        medicine = medicine.lower()
    elif _IS_TAKEN.match(medicine):
        medicine = medicine if medicine.isupper() else f"{medicine[:1].lower()}{medicine[1:]}"
    elif medicine[:1].isupper() and not _UNIT_BEHIND.search(f"{medicine}{dose}"):
        medicine = f"the medicine {medicine}"
    return f"{medicine} {dose}".rstrip()


_GIVEN_BY_DOCTOR = _pattern(
    rf"(?:{GIVER}{_RAISED}{_WAYS} (?:the )?(?P<same>{DRUG})(?: dose)?{_WAYS}{_FROM} to (?P<dose>{AMOUNT})"
    rf"|^(?P<what>{DRUG})(?: dose)?(?:'s| is| has| was| went)?"
    rf"(?: (?:been|now|gone|{_RAISED[3:-1]}|back|up|down)){{1,4}}{_FROM} to (?P<value>{AMOUNT}))"
)
_OF_SOMEBODY = _pattern(
    r"\b(?:the user|i|we|if|whether|might|may|could|would|should|not|never|[a-z]+'s|patients?|residents?|clients?"
    r"|bed|ward|vets?)\b|n't\b|\?$"
)


def dose_told(said: str) -> tuple[str, str] | None:
    """Return a medicine and its new dose where nobody tells who takes it: "Dr put sertraline up to 100"."""
    found = _GIVEN_BY_DOCTOR.search(said[:_LONGEST])
    if found is None or _OF_SOMEBODY.search(said.replace(f"{found['what']}'s", "")) or _is_of_another(found, ""):
        return None
    return (found["same"] or found["what"]).lower(), found["dose"] or found["value"]


def with_dose(statement: str, medicine: str, dose: str) -> str | None:
    """Return a statement with another dose of the medicine, in the unit of the one before; None where it has none."""
    before = re.search(rf"\b{medicine}(?:{DOSED}|\b)", statement, re.IGNORECASE)
    if before is None:
        return None
    unit = "" if _UNIT_BEHIND.match(dose) else re.sub(r".*?\d[\d.,]*", "", before[0])
    return f"{statement[: before.start()]}{before[0][: len(medicine)]} {dose}{unit}{statement[before.end() :]}"
