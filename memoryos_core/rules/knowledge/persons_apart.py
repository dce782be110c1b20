"""Tell apart what one sentence says of two persons, of two days, or of a home and a job: each may end alone."""

from __future__ import annotations

import re
from calendar import monthrange

from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.corrections import values_in
from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.words import regex


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_LONGEST = 400  # characters
_LEAP_YEAR = 2000
_HOME_AND_JOB = _pattern(
    r"(?P<home>(?:i|we) live in (?:(?!and\b)[\w'-]+,? ){0,2}?(?:(?!and\b)[\w'-]+)) and (?P<job>work (?:at|for|as)"
    r" [^?]{2,80})"
)
_AND_MY_KIN = _pattern(
    rf"(?P<own>(?:i|we) (?:work|live|study|teach) [^,.;?!]{{2,60}}?) and (?P<kin>my (?:{KIN})(?:"
    r" (?-i:[A-ZÀ-Þ])[a-zà-ÿ-]{1,14})?"
    r" (?:works|lives|studies|teaches|is (?:an?|at|in)) [^?]{2,80})"
)
_KIN = rf"(?:my|our) (?:(?!and\b)[a-z-]+ )??(?:{KIN})(?:,? (?-i:[A-ZÀ-Þ][a-zà-ÿ'-]{{1,14}}),?)?"
_NAME = r"(?-i:[A-ZÀ-Þ][a-zà-ÿ'-]{1,14})"
_WHO = rf"(?:(?P<kin>{_KIN})|(?P<me>i|we)(?=[ '])|(?P<name>{_NAME}))"
_OTHER = rf"(?:(?:[Mm]y|[Oo]ur) (?:[a-z-]+ )?(?:{KIN})\b|{_NAME} )"
_JOINT = regex(rf"(?:,? and|,? while|,? whereas|,? but) (?=I[ ']|[Ww]e[ ']|{_OTHER})|(?:,|;) (?={_OTHER})")
_VERBS = r"lives?|works?|stud(?:ies|y)|teach(?:es)?|is|am|moved|goes|go|plays?|speaks?|drives?|supports?"
# A lasting state of a person; not "my brother thinks that is far".
_STATES = (
    rf"{_VERBS}|'m|'ve|have|has|was born|got|retired|became|runs?|owns?|collects?|likes?|loves?|hates?|use|uses|eats?"
    r"|drinks?|keeps?|need|needs|don't|doesn't|can't|takes?|started"
)
_DEEDS = frozenset(("moved", "got", "retired", "became", "started"))  # "my brother moved and I have the keys"
_WHOLE = _pattern(rf"{_WHO}(?: |(?='))(?P<verb>{_STATES})\b(?P<rest> .{{1,120}})")
_GAPPED = _pattern(rf"{_WHO} (?P<rest>(?!and\b|or\b).{{1,80}})")
# The one clause points at the other.
_POINTS = _pattern(
    r"\b(?:he|she|him|her|his|hers|they|them|their|it|its|there|that|this|those|these|both|each|same|too|either"
    r"|neither|together|as well|also|who|which|where)\b"
)
# What goes on about the one whom the clause begins with: "Tom works for a brewery, he does their books".
_OF_ITSELF = _pattern(r",? (?:and |but |so )?(?=(?:he|she)(?: |'))")
_OF_A_THING = _pattern(r"\b(?:it|its|there|that|this|those|these|them)\b")
_DAYS = frozenset(("date", "weekday"))
_THIRD = {
    "live": "lives",
    "work": "works",
    "study": "studies",
    "teach": "teaches",
    "am": "is",
    "'m": "is",
    "go": "goes",
    "play": "plays",
    "speak": "speaks",
    "drive": "drives",
    "support": "supports",
}
_AT = _pattern(r"(?:in|at|on|near|outside|for|as|to|with|by|from)\b")
_PLACES = frozenset(("in", "at", "near", "outside"))
_NAMED_PLACE = regex(
    rf"(?:in|at|near|outside|for) (?!(?:{'|'.join(MONTH_NAMES)}|Spring|Summer|Autumn|Winter|Christmas|Easter)\b)"
    r"[A-ZÀ-Þ]"
)
_AGE = regex(r"\d{1,3}$")
_ARTICLE = _pattern(r"an? \w")
_ONE_WORD = _pattern(r"(?:the )?[\w-]+$")
_TAKES_A_WORD = frozenset(("plays", "speaks", "studies", "teaches", "supports"))
# "I've a massage on 10 July, and the scan's on the 14th": one of them may be moved.
_DATED = r"(?:'s|'re| is| are| has| have|'ve)(?: got)? [^.;?!]{0,60}?\b(?:on|at|in) "
_SAID = r"(?:[^.;?!]|\.(?=\d))"  # "at 5.30" ends no sentence
_AND_THEN = _pattern(
    rf"(?P<one>(?:i|we|my|our|the|there)\b[^.;?!]{{0,40}}?{_DATED}{_SAID}{{2,50}}?),? and"
    rf" (?P<other>(?:i|we|(?:my|our)(?! [\w-]+'s (?:is|are)\b)|the)\b[^.;?!]{{0,40}}?{_DATED}{_SAID}{{2,60}})[.!]*"
)
_OF_MONTH = _pattern(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{'|'.join(MONTH_NAMES)})\b")
_NO_MONTH = _pattern(r"\bthe (?P<day>\d{1,2})(?:st|nd|rd|th)(?! of\b| (?-i:[A-Z]))")
_HAVE = _pattern(
    r"(?P<have>(?:i|we)(?:'ve| have)(?: got)?) (?P<one>(?:an?|one|two|three|my|our) [^.;?!]{2,60}?),? and"
    r" (?P<other>(?:an?|one|two|three) [^.;?!]{2,80})[.!]*"
)
# "A meeting with Tom on 24 June and one with Anna on 26 June": one of them may be called off.
_ANOTHER = _pattern(
    r"(?P<have>(?:i|we)(?:'ve| have)(?: got)? )(?P<what>an? (?:[\w'-]+ )??[\w'-]+)"
    r" (?P<one>with (?-i:[A-ZÀ-Þ])[^.;?!]{2,50}?)"
    rf",? and (?:one|another)(?: one)? (?P<other>with (?-i:[A-ZÀ-Þ]){_SAID}{{2,50}}?)[.!]*"
)
_WITH_NAME = regex(r", (?=[A-ZÀ-Þ][a-zà-ÿ'-]{1,14}(?:,|$))")
_IS_ANIMAL = _pattern(rf"\w+ (?:[a-z-]+ )?(?:{ANIMAL})\b")
_IS_KIN = _pattern(rf"\w+ (?:[a-z-]+ )?(?:{KIN})s?\b")


def told_apart(sentence: str) -> tuple[str, ...]:
    """Return the statements of a sentence that tells of a home and a job, of several persons, or of pet and child."""
    if len(sentence) > _LONGEST or sentence.endswith("?"):
        return (sentence,)
    if (both := _HOME_AND_JOB.fullmatch(sentence)) is not None:
        return (f"{both['home']}.", f"I {both['job']}")
    if (others := _AND_MY_KIN.fullmatch(sentence)) is not None:
        return (f"{others['own']}.", f"M{others['kin'][1:]}")
    return next((told for read in _READERS if (told := read(sentence))), (sentence,))


def _and_another(sentence: str) -> tuple[str, ...]:
    """Return two meetings of a sentence that calls the second "one" or "another", each with its day."""
    both = _ANOTHER.fullmatch(sentence)
    if both is None or not all(kinds_of(both[part]) & _DAYS for part in ("one", "other")):
        return ()
    other = in_month_of(both["one"], both["other"])
    return f"{both['have']}{both['what']} {both['one']}.", f"{both['have']}{both['what']} {other}."


def _of_days(sentence: str) -> tuple[str, ...]:
    """Return two appointments of a sentence, each with its day; "the 14th" is of the month that was named before."""
    both = _AND_THEN.fullmatch(sentence)
    if both is None or not all(kinds_of(both[part]) & _DAYS for part in ("one", "other")):
        return ()
    other = in_month_of(both["one"], both["other"])
    return f"{both['one']}.", f"{other[:1].upper()}{other[1:]}."


def _days_in(month: str) -> int:
    return monthrange(_LEAP_YEAR, [name.lower() for name in MONTH_NAMES].index(month.lower()) + 1)[1]


def in_month_of(before: str, clause: str) -> str:
    """Return a clause whose "the 14th" has the month that the clause before it names for an earlier day."""
    month, day = _OF_MONTH.search(before), _NO_MONTH.search(clause)
    if month is None or day is None or not int(month["day"]) < int(day["day"]) <= _days_in(month["month"]):
        return clause
    return f"{clause[: day.end()]} of {month['month']}{clause[day.end() :]}"


def _pet_and_child(sentence: str) -> tuple[str, ...]:
    """Return an animal and somebody of the family, whom a sentence says to have, each alone."""
    had = _HAVE.fullmatch(sentence)
    if had is None:
        return ()
    kinds = [
        (_IS_ANIMAL.match(had[part]) is not None, _IS_KIN.match(had[part]) is not None) for part in ("one", "other")
    ]
    if set(kinds) != {(True, False), (False, True)}:
        return ()
    return tuple(f"{had['have']} {_WITH_NAME.sub(' called ', had[part], count=1)}." for part in ("one", "other"))


def _of_persons(sentence: str) -> tuple[str, ...]:
    """Return what a sentence says of each of several persons, with the verb where it is left out; () for most."""
    first, *others = _JOINT.split(sentence.rstrip(".!"))
    verb = _WHOLE.fullmatch(first) if others else None
    if verb is None or not _is_somebody(verb):
        return ()
    out = [first]
    for part in others:
        # Beside the speaker "he" can only be the other one.
        own, *more = _OF_ITSELF.split(part, maxsplit=1) if verb["me"] else (part,)
        is_named = bool(more) and own[:1].isupper()
        told = None if _POINTS.search(own) or (is_named and not _is_told(own)) else _with_verb(part, verb)
        if told is None:
            return ()
        out += (own, *more) if is_named and _OF_A_THING.search(more[0]) else (told,)  # "Ann has a cat, she adores it"
    return tuple(f"{part[:1].upper()}{part[1:]}." for part in out)


def _is_told(clause: str) -> bool:
    return tells_of_another(clause) or any(slot.attribute == "home" for slot in slots_of(clause))


def _is_somebody(found: re.Match[str]) -> bool:
    return found["name"] is None or found["name"].lower() not in FUNCTION_WORDS["en"]


def _with_verb(part: str, before: re.Match[str]) -> str | None:
    """Return a clause with a verb of its own or the one before it; None for what is no clause about a person."""
    whole = _WHOLE.fullmatch(part)
    if whole is not None:
        hangs = whole["me"] and (before["me"] or before["verb"].lower() in _DEEDS)
        return part if _is_somebody(whole) and not hangs else None
    gapped, verb = _GAPPED.fullmatch(part), before["verb"].lower()
    if gapped is None or gapped["me"] or not _is_somebody(gapped) or not re.fullmatch(f"{_VERBS}|'m", verb):
        return None
    verb, rest = _THIRD.get(verb, verb), gapped["rest"]
    who = part[: gapped.start("rest")].strip()
    goes_on = _goes_on(verb, before["rest"].strip(), rest, is_named=gapped["name"] is not None)
    return f"{who} {verb} {rest}" if goes_on else None


def _goes_on(verb: str, first: str, rest: str, *, is_named: bool) -> bool:
    """Return whether words stand where those behind the verb before do: "in Vienna" for "in Madrid", "31" for "34"."""
    one, other = _AT.match(first), _AT.match(rest)
    if one is not None and other is not None:
        a, b = one[0].lower(), other[0].lower()
        return (a == b or {a, b} <= _PLACES) and (not is_named or _NAMED_PLACE.match(rest) is not None)
    if one is not None or other is not None:
        return False
    if verb in _TAKES_A_WORD:
        return not is_named and _ONE_WORD.match(rest) is not None and _ONE_WORD.match(first) is not None
    return any(kind.match(first) is not None and kind.match(rest) is not None for kind in (_AGE, _ARTICLE))


_OF_A_PERSON = frozenset(("occupation", "employer", "pet", "language", "school", "studies", "vehicle"))
_SHORT = 7  # words


def tells_of_another(clause: str) -> bool:
    """Return whether a short clause tells of another person's work or what they have: "Sam works at Shell."."""
    short = clause.partition(",")[0].count(" ") < _SHORT and "?" not in clause and '"' not in clause
    return short and any(slot.subject not in ("", USER) and slot.attribute in _OF_A_PERSON for slot in slots_of(clause))


def are_appointments(*clauses: str) -> bool:
    """Return whether clauses each name a day, and one of them an hour: each may be called off alone."""
    dated = all(kinds_of(clause) & _DAYS for clause in clauses)
    return dated and any(value.kind == "time" for clause in clauses for value in values_in(clause))


# "I'm vegetarian and allergic to nuts": who eats meat again keeps the allergy.
_STATE = (
    r"(?:(?:also|very|severely|really|highly|slightly|mildly|badly|now) ){0,2}(?:allergic to (?!(?:me|you|it|work)\b)"
    r"|(?:[a-z]+[- ]intolerant|vegetarian|vegan|veggie|pescatarian|co?eliac|(?:type [12] )?diabetic|asthmatic)\b)"
)
_OF_STATES = _pattern(
    rf"(?P<lead>(?:[^.;?!]{{0,60}}[,:] )?(?:(?:i|we)(?:'m|'re| am| are)|(?:{_KIN}|{_NAME})(?:'s| is)) )(?:both )?"
    rf"(?P<one>(?:{_STATE}[^.;?!]{{0,40}}?|\d\d))(?:,? (?:and|but)|,|/) (?P<other>{_STATE}[^.;?!]*)[.!]*"
)


def _of_states(sentence: str) -> tuple[str, ...]:
    """Return each of several things that somebody is and that may end alone; () for most."""
    both = _OF_STATES.fullmatch(sentence)
    if both is None:
        return ()
    lead = both["lead"].rpartition(", ")[2].rpartition(": ")[2]
    lead = f"{lead[:1].upper()}{lead[1:]}"
    return f"{both['lead']}{both['one']}.", *told_apart(f"{lead}{both['other']}.")


_READERS = (_of_states, _pet_and_child, _of_persons, _and_another, _of_days)
