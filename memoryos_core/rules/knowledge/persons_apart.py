"""Tell apart what one sentence says of two persons, of two days, or of a home and a job: each may end alone.

Appointments that are told in fragments are written out: "got the optician fri", "due 3 August", "25th and 30th June".
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator

from memoryos_core.rules.dates.calendar import MONTH_NAMES, WEEKDAYS
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
_LEAP_YEAR, _LONGEST_MONTH = 2000, 31
_PETS = rf"(?:an?|two|three|\d) (?:(?!and\b)[\w-]+ ){{0,2}}?(?:{ANIMAL})s?\b"
_HOME_AND_JOB = _pattern(
    r"(?P<home>(?:i|we) (?:live|moved) (?:in|on|at|near|to) (?:(?!(?:and|with)\b)[\w'-]+,? ){0,6}?(?!and\b)[\w'-]+)"
    rf" (?:and (?P<job>(?:work (?:at|for|as) [^?]{{2,80}}|(?:have|keep|own) {_PETS}[^?]{{0,80}}))"
    rf"|with (?P<pet>{_PETS}(?: (?:called|named) [\w'-]+)?[.!]*))"
)
_AND_MY_KIN = _pattern(
    rf"(?P<own>(?:i|we) (?:work|live|study|teach) [^,.;?!]{{2,60}}?) and (?P<kin>my (?:{KIN})"
    r"(?: (?-i:[A-ZÀ-Þ])[a-zà-ÿ-]{1,14})? (?:works|lives|studies|teaches|is (?:an?|at|in)) [^?]{2,80})"
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
_FIRST_TEXT = "live work study teach am 'm go play speak drive support"
_THIRD_TEXT = "lives works studies teaches is is goes plays speaks drives supports"
_THIRD: dict[str, str] = dict(zip(_FIRST_TEXT.split(), _THIRD_TEXT.split(), strict=True))
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
_GOES = r" (?:leave|flie|fly|move|start|stay|get|open|return)s?"
_DATED = (
    rf"[^.;?!]{{0,40}}?(?:'[sv]e?|'re| is| are| ha(?:s|ve)|{_GOES})(?: got)? [^.;?!]{{0,60}}?\b(?:on|at|in|until|from) "
)
_SAID = r"(?:[^.;?!]|\.(?=\d))"  # "at 5.30" ends no sentence
_AND_THEN = _pattern(
    rf"(?P<one>(?:(?:i|we|my|our|the|there)\b|(?-i:[A-Z])\w){_DATED}{_SAID}{{2,50}}?"
    rf"|(?:out of|back|leaving|moving) [^.;?!]{{2,40}} on {_SAID}{{2,20}}?)(?:,? and(?: then)?|, then)"
    rf" (?P<other>(?:i|we|(?:my|our)(?! [\w-]+'s (?:is|are)\b)|the|(?-i:[A-Z])[a-z]+)\b{_DATED}{_SAID}{{2,60}})[.!]*"
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
        return (f"{both['home']}.", f"I {both['job'] or 'have ' + both['pet']}")
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
    other, one = in_month_of(both["one"], both["other"]), both["one"]
    one = f"I'm {one[:1].lower()}{one[1:]}" if one[:3].lower() == "out" else one
    return f"{one}.", f"{other[:1].upper()}{other[1:]}."


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


_OF_A_PERSON_TEXT = "occupation employer pet language school studies vehicle allergy condition"
_OF_A_PERSON = frozenset(_OF_A_PERSON_TEXT.split())
_SHORT = 7  # words


def tells_of_another(clause: str) -> bool:
    """Return whether a short clause tells of another person's work, what they have, or what makes them ill."""
    short = clause.partition(",")[0].count(" ") < _SHORT and "?" not in clause and '"' not in clause
    told = (slot for slot in slots_of(clause) if slot.subject not in ("", USER)) if short else ()
    return any(slot.attribute in _OF_A_PERSON or (slot.attribute == "food" and slot.negated) for slot in told)


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


# ------------------------------------------------------------------------------------------ told in fragments


_MONTHS = rf"(?:{'|'.join(MONTH_NAMES)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?![a-z])"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
# "25th 28th and 30th June", "on 26 and 27 June": each is a day of that month.
_DAYS_OF_MONTH = _pattern(
    rf"(?<![\w:./£$€-])(?P<before>{_NTH}(?:(?:,| &|,? and|(?<=st)|(?<=nd)|(?<=rd)|(?<=th)) (?:the )?{_NTH}){{0,5}})"
    rf"(?:,? and| &|,) (?:the )?(?P<last>{_NTH}) (?:of )?(?P<month>{_MONTHS}(?:,? (?:19|20)\d\d\b)?"
    r"(?: (?:at|from) \d{1,2}(?:[.:]\d\d)?(?: ?[ap]m)?(?![\w%.:]*\d))?)"
    r"(?! (?:is|was|were|has|had|i|we|he|she|they|you|it|my|our|the|his|her|their)\b)"
)
_NO_LIST = _pattern(r"\b(?:between|from|ages?|aged|chapters?|pages?|rooms?|for|or|of|at)(?: the)? $")
_ON = _pattern(r"\b(?:on|due)(?: the)? $")
_WEEKDAYS = "|".join(WEEKDAYS)
_DAY_WORD = rf"(?P<day>{_WEEKDAYS}|mon|tues?|weds?|thu|thurs?|fri|sat|sun)\b"
_FULL_DAY = {day[:3]: day.capitalize() for day in WEEKDAYS}
_VISITED = (
    r"(?:dentist|doctors?|gp|nurse|clinic|midwife|physio|opticians?|vets?|scan|mri|x-?ray|blood tests?|interview"
    r"|meeting|exam|test|mot|wedding|funeral|(?:trial )?shift|rehearsal|gig|match|viewing|appointment|hearing|flight"
    r"|audition|driving test|open day|assessment|plumber|electrician|accountant|solicitor|bank)"
)
_ENDS_DAY = r"(?=[.,!]|$| (?:about|at|for|with|re|to|around|morning|afternoon)\b| \d)"
_LEAD = r"^(?:(?:so|and|also|ok|oh|already|just|anyway|yes),? )*"
# "Seeing Dr Patel Thursday", "interviewing Thursday, two people": the visit of a day to come.
_MEETS = _pattern(
    rf"{_LEAD}(?P<me>i'm |i am |we're |we are )?(?P<doing>seeing|meeting|visiting|(?P<alone>interviewing))"
    r"(?! (?:hours|times?|double|red|stars)\b)"
    # Without "I'm" it may be a noun: "Meeting moved to Friday", "Visiting professor Monday".
    r"(?P<whom>(?(me)|(?(alone)|(?= (?:the|my|our|an?|his|her|him|them|some\w+"
    r"|(?-i:(?!Room|\w+ed\b)[A-ZÀ-Þ][\w'.-]+)) )))"
    r"(?: (?!on\b|this\b|next\b|last\b|every\b|was\b|is\b|are\b|were\b|(?-i:[a-z]+ed)\b|off\b)[\w'.-]+){0,4}?)"
    rf" (?:on )?(?:{_DAY_WORD}{_ENDS_DAY}|(?P<date>(?:on )?(?:the \d{{1,2}}(?:st|nd|rd|th)|\d{{1,2}}(?:st|nd|rd|th)?"
    rf" {_MONTHS})|tomorrow\b))"
)
_GOT = _pattern(
    rf"{_LEAD}(?:(?:i|we)(?:'ve)? )?(?:already |just )?got (?P<what>(?:an? |the )?(?:[\w'-]+ ){{0,2}}?{_VISITED}(?:"
    rf" at [\w' ]{{2,30}}?)?(?: on [\w' ]{{2,20}} (?:rd|road|st|street|lane|ave))?)"
    rf",? (?:on )?(?:{_DAY_WORD}{_ENDS_DAY}|(?P<date>(?:on )?(?:the \d{{1,2}}(?:st|nd|rd|th)|\d{{1,2}}(?:st|nd|rd"
    rf"|th)? {_MONTHS})|tomorrow\b))"
)
_OVER = _pattern(
    r"\b(?:last|yesterday|ago|went|was|were|had|did|if|every|each|when|whenever|used to|never|won|lost|nailed|smashed"
    r"|passed|failed|all (?:clear|good|fine)|results?|done)\b|\?"
)
# "Got the dentist Thursday" is ahead; "got the scan Monday, it looks good" may be over.
_GOT_THE = _pattern(r"(?: (?:at|about|with|for|to|re|morning|afternoon|\d)[^,;]*)?[.!]*$")
# "The kitchen fitting has slipped to 4 July": to a day, and not "to 4 million".
_SLIPPED = _pattern(
    rf"{_LEAD}(?P<what>(?:[\w-]+ ){{0,3}}?[\w-]+?)(?:'s| has| have)?(?: now| just)? (?:slipped|slid|slipping)(?:"
    rf" back| again)? to "
    rf"(?=(?:the )?(?:{_NTH}(?: of)? {_MONTHS}|{_MONTHS}|(?<=the )\d{{1,2}}(?:st|nd|rd|th)(?=[.!]*$)"
    rf"|(?:next )?(?:{_WEEKDAYS})\b|next (?:week|month|year)\b))"
)
_UNSURE = _pattern(
    r"\b(?:if|unless|when|would|could|might|may have|maybe|hopes?|wish|not|says?|said|never|nearly)\b|n't\b"
)
_EXPECTS = _pattern(
    r"\b(?P<who>(?!dog|cat|mare|horse|cow|ewe|goat|rabbit)[a-z]+)(?:'s|'m| am| is|'re| are) (?:\w+ )?(?:pregnant\b"
    r"|expecting(?=[.!]*$| (?:an? |another )?(?:baby|babies|twins|child|boy|girl|little one)\b"
    r"| (?:our|their|her|my|a) (?:first|second|third|fourth)(?: (?:baby|child))?[.!]*$))"
)
_DUE = _pattern(
    rf"^(?:(?:and|so),? )*(?:(?:it|she|they|baby|the baby)(?:'s|'re| is| are) )?due (?:on |in )?(?P<date>(?:the"
    rf" )?[^.,;!?]{{0,6}}?{_MONTHS}"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?)(?=[.,!;]|$)"
)
_BACK_IN = _pattern(
    r"^(?:(?:so|and),? )*(?:they|he|she|the (?:doctors?|gp|clinic|nurse|surgeon|hospital|surgery|dentist|physio|midwife"
    r"|consultant|optician|specialist))(?:'d| would)? (?:say|says|said|wants?|wanted|needs?|needed)(?: (?:me|us))?"
    r"(?: to come)? back in [\w ]{1,12}?(?:weeks?|months?|days?)\b[^.;?!]{0,40}?,? (?:so |on |that's )*"
    rf"(?P<date>(?:the )?{_NTH} (?:of )?{_MONTHS}"
    r"(?: at \d{1,2}(?:[.:]\d\d)?(?: ?[ap]m)?)?)(?: it is)?[.!]*$"
)


# "They said back in three weeks" is of the speaker behind a doctor or a scan, not behind a sofa, a band or a son.
_OF_CARE = _pattern(
    rf"^$|^(?!.*\b(?:{KIN}|he|she|him|her|his|dog|cat|rabbit|horse)\b|.+(?<!dr)(?<!dr\.) (?-i:[A-ZÀ-Þ][a-z]{{2}}))"
    r".*\b(?:dr|doctors?|gp|clinic|nurse|hospital|surgery|dentist|physio|midwife|optician|consultant|scan|op|operation"
    r"|results?|tests?|x-?ray|bloods?|check[- ]?up|appointment|stitches|cast|wound|tooth|biopsy|mri|jabs?)\b"
)


def appointments_in_full(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences; appointments that are told in fragments are whole sentences."""
    before = ""
    for sentence in sentences:
        yield _in_full(sentence, before) if len(sentence) <= _LONGEST else sentence
        before = sentence


def _in_full(sentence: str, before: str) -> str:
    if sentence.endswith("?"):
        return sentence
    return _of_result(sentence, before) or _of_visit(sentence) or _DAYS_OF_MONTH.sub(_with_month, sentence)


def _of_result(sentence: str, before: str) -> str | None:
    """Return when a child is due, somebody is to come back, or something has slipped to."""
    if (due := _DUE.match(sentence)) is not None and (who := _EXPECTS.search(before)) is not None:
        name = who["who"].lower()
        whose = "The" if name in ("she", "they", "who", "wife") else "Our" if name == "we" else f"{name.capitalize()}'s"
        return f"{'My' if name == 'i' else whose} baby is due on {due['date']}."
    if (back := _BACK_IN.match(sentence)) is not None and _OF_CARE.match(before):
        return f"I have to go back on {back['date']}."
    slipped = None if _UNSURE.search(sentence) else _SLIPPED.match(sentence)
    return None if slipped is None else f"{slipped['what']} was moved to {sentence[slipped.end() :]}"


def _of_visit(sentence: str) -> str | None:
    """Return whom the speaker sees on a day to come, or what they have then."""
    if _OVER.search(sentence):
        return None
    if (met := _MEETS.match(sentence)) is not None and (met["me"] or met["whom"] or met["day"]):
        me = "We're" if (met["me"] or "").lower().startswith("we") else "I'm"
        return f"{me} {met['doing'].lower()}{met['whom']} {_day_in(met)}{sentence[met.end() :]}"
    got = _GOT.match(sentence)
    if got is not None and got["what"].startswith("the ") and not _GOT_THE.match(sentence, got.end()):
        return None
    return None if got is None else f"I've got {got['what']} {_day_in(got)}{sentence[got.end() :]}"


def _day_in(found: re.Match[str]) -> str:
    if found["date"] is not None:
        date = found["date"].removeprefix("on ")
        return date if date.lower() == "tomorrow" else f"on {date}"
    return f"on {_FULL_DAY[found['day'][:3].lower()]}"


def _with_month(found: re.Match[str]) -> str:
    """Return days of one month, each with the month."""
    if _NO_LIST.search(found.string, 0, found.start()):
        return found[0]
    days = re.findall(r"\d{1,2}(?:st|nd|rd|th)?", found["before"])
    if days[0].isdigit() and not _ON.search(found.string, 0, found.start()):
        return found[0]  # "my kids are 5, 8 and 12 June"
    numbers = [int(re.sub(r"\D", "", day)) for day in (*days, found["last"])]
    if numbers != sorted(set(numbers)) or not 1 <= numbers[0] <= numbers[-1] <= _LONGEST_MONTH:
        return found[0]
    listed = ", ".join(f"{day} {found['month']}" for day in days)
    return f"{listed} and {found['last']} {found['month']}"
