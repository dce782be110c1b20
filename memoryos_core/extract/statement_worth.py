"""How much an English clause is worth keeping, and appointments that a request names by the way.

What is not worth keeping is below the least worth of `statements`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryos_core.extract.statement_kinds import OWN, is_ahead, is_request
from memoryos_core.extract.statement_subjects import NAME, NUMBER, TIME, is_of_somebody_else, points_back
from memoryos_core.extract.third_person import has_verb
from memoryos_core.rules.dates.calendar import MONTH_NAMES, WEEKDAYS
from memoryos_core.rules.knowledge.cancellations import tells_no_plan, tells_none_then
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.news import is_news, tells_end
from memoryos_core.rules.knowledge.persons_apart import appointments_in_full, in_month_of, tells_of_another
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.replacements import names_over
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.turn_pairs import tells_successor
from memoryos_core.rules.text.questions_within import told_to_remember
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.facts import FactKind

_PROBLEM = regex(
    r"""\b(?:(?:having|have|had|facing|encountering|ran\sinto|run\sinto)\s(?:some\s|a\s|an\s)?(?:trouble|issues?
        |problems?|difficult\w+|hard\stime)|struggling|not\sworking|figure\sout|make\ssure|better\sunderstand
            |best\s(?:way|approach|practices?)|wondering|i\sneed\s(?:some\s)?help|help\s(?:me|with|us)|advice
            |suggestions?|any\stips|feedback|i\sthink\si\s(?:might|need|should)|not\sgetting|staring\sat)\b""",
    re.VERBOSE,
)

# "Biscuit has the vets on Friday": what somebody has on a day.
_HAS_THEN = regex(
    r"^(?!(?:it|this|that|there|who|everybody|everyone)\b)[a-z][\w-]*(?: [a-z][\w-]*)?(?:'s got| has(?: got)?) "
    r"[\w' -]{3,30} (?:on|this|next) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
)
_LIGHT_TEXT = """
    realli great good nice amaz awesom cool love like feel thing way lot time make made think know get got go see
    look thank happi excit glad proud sure hope help need want keep come say tell yeah wow oh hey much mani even
    still back one bit someth anyth everyth today day bring best better hard tough fun enjoy incred inspir special
    reward import truli life peopl work tri actual pretti definit ye ok okai sound share support appreci
"""
_LIGHT = frozenset(_LIGHT_TEXT.split())

_DOUBTS = (
    (-0.7, r"\b(?:if|would|could|might|maybe|should|whether|perhaps|wonder\w*)\b"),
    (-0.6, r"\b(?:i|we) (?:think|guess|believe|know|see|understand|remember|heard|feel like)\b|\bwe (?:all|both)\b"),
    (-0.5, r"\b(?:it|that|this|them|these|those|there)\b"),
    (-0.6, r"\b(?:(?<!\d )here|check (?:it|this)|pic|photo|picture|take a look)\b"),
    (-0.3, r"\b(?:feel|feels|felt|glad|happy|excited|amazing|awesome|great|nice)\b"),
    (-1.5, r"^(?:(?:and |but |so )?if .*(?:\b(?:would|could|might)\b|\w'd\b)|had (?:i|we|he|she|they|it) )"),
    (-0.5, r"^(?:if|once|when|whenever|until|unless) "),
    (
        -0.6,
        r"^(?!working|using|planning|trying)[a-z]{2,12}ing\b.{3,80}\b(?:is|was|were|are|made|(?:make|help|give|bring)s?)\b",
    ),
    (
        -0.6,
        r"\b(?:feel(?:s|ing)?|felt) (?:so |really |super |very |pretty |more |at )*[a-z]+(?: and [a-z]+)?(?:[.!,]|$)",
    ),
    (-0.3, r"n't\b|\bnot\b"),
    (-0.8, r"^(?:or|especially|including|particularly|mainly|mostly|together),? (?!.*\b(?:i|we)\b)"),
    (-1.2, r"\bmust (?:have been|be|feel)\b"),
    (-0.4, r":"),
    (-0.6, r"\b(?:make|making) sure\b|\btried\b|\berrors?\b|\bissues?\b"),
)
_SIGNS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (0.5, OWN),
    (0.4, regex(r"^(?:i|we|my|our)\b")),
    (0.5, regex(r"\d")),
    (0.2, NUMBER),
    (0.3, TIME),
    (0.5, _HAS_THEN),
    (-0.7, _PROBLEM),
    *((weight, regex(sign)) for weight, sign in _DOUBTS),
)

_WORTH_OF_KIND: dict[FactKind, float] = {
    "instruction": 3.0,
    "identity": 0.9,
    "preference": 0.7,
    "change": 0.7,
    "relation": 0.3,
    "possession": 0.2,
    "plan": 0.1,
    "event": -0.1,
    "state": -0.3,
}

_NOTHING, _FEWEST_SPACES, _FEWEST_STEMS, _VERBLESS, _OF_ANOTHER = -9.0, 3, 2, 0.7, 0.8
_OF_NOBODY = -1.1  # what is true of anybody, or praise of the hearer
_MOOD = regex(
    r"\b(?:grateful|thankful|hopeful|proud|glad|happy|excited|thrilled|blessed|inspired|motivated|progress)\b"
    r"(?! to be\b)(?! (?:about|of|for|with) (?:my|our)\b)"
)
_PRAISE = regex(
    r"\b(?:fun|nice|great|amazing|awesome|incredible|captivating|soothing|perfect|beautiful|breathtaking|fascinating|iconic"
    r"|classic|choice|standout|key|important|wonderful|powerful|fantastic)\b"
)
_GOT = regex(r"^[a-z]+ (?:has|had|got|gets|won)\b")
_NAMES_FIRST = regex(
    r"(?!(?:That|It|There|Here|What|Who|He|She|Let|How|Where|This|Today|(?:Every|Some|No|Any)\w+)'s)[A-Z]\w+'s\b"
)
_DAY_THEN = (
    rf"(?:on )?(?:the )?(?:(?:this |next )?(?:{'|'.join(WEEKDAYS)})(?: week)?|tomorrow"
    rf"|\d{{1,2}}(?:st|nd|rd|th)(?: (?:of )?(?:{'|'.join(MONTH_NAMES)}))?"
    rf"|\d{{1,2}} (?:{'|'.join(MONTH_NAMES)})|\d{{1,2}} (?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec))"
)
_HOUR_THEN = r"(?:at )?(?:\d{1,2}(?:[:.]\d\d)? ?[ap]m|\d{1,2}[:.]\d\d|half (?:past )?\w{1,6}|noon|\d{1,2} o'clock)"
# "Physio Wednesday 2pm": what is when, and no word more.
_NO_THING = (
    r"(?!(?:see|call|ring|text|meet|opens?|closed|closes|shut|thanks|book|until|till|from|by|at|on|for|it|it's|is|was"
    r"|next|this|last|every|each|the|not|no|now|so|and|or|about|around|maybe|make|say|try|how|set|remind|wake|free"
    r"|best)\b)"
)
_APPOINTMENT = regex(
    rf"(?:the |my )?{_NO_THING}[a-z][\w-]{{2,14}}(?: {_NO_THING}[\w-]{{2,14}})?(?:'s| is)?"
    rf",? (?:{_DAY_THEN},? {_HOUR_THEN}|{_HOUR_THEN},? {_DAY_THEN})[.!]*"
    r"|(?:my |the )?(?:[a-z]{2,12} )?(?:dentist|doctor'?s?|gp|vet'?s?|physio|opticians?|interview|exam|test|scan|mri"
    r"|operation|op|surgery|flight|ferry|wedding|funeral|hearing|viva|haircut|mot|appointment|rehearsal|shift"
    r"|final)s?(?:'s| is| are)?"
    rf" {_DAY_THEN}(?:, too)?[.!]*",
    re.IGNORECASE,
)
_YOU = regex(r"\byou(?:r|rs|rself|'\w+)?\b")
# "The upturned boat" has no verb.
_DESCRIBED = regex(r"(?<=\ba )\w+ed\b|(?<=\ban )\w+ed\b|(?<=\bthe )\w+ed\b", re.IGNORECASE)
_ON_A_DAY = regex(
    r"\b(?:in|on|by|until) (?:(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b|\d)"
)
_LABEL = regex(r"[^:]{1,40}:")
# One word says all of it: who or what belongs to the speaker, or that there is none.
_LASTS = regex(
    rf"(?:i|we)(?:'ve| have| own| keep)(?: got)?(?: also| now)?(?: an?| one)? (?:(?:pet|older|younger|elder|little|big"
    rf"|baby|twin) )?(?:{ANIMAL}|{KIN}|(?:kid|child|car|van|motorbike|garden|allotment|piano)s?|children|pets)[.!]?"
    r"|(?:i|we) (?:have no|(?:do not|don't) have (?:any|a)?) ?(?:kids|children|siblings|pets|car)[.!]?"
    r"|i (?:do not|don't|can ?not|can't) drive[.!]?",
    re.IGNORECASE,
)


def _names_vehicle(clause: str) -> bool:
    """Return whether a short clause tells by its name what the speaker drives: "I have a Golf."."""
    return clause.count(" ") < _WORDS_OF_SHORT_NEWS and any(slot.attribute == "vehicle" for slot in slots_of(clause))


def _is_told_in_few_words(clause: str, kind: FactKind, *, own: bool) -> bool:
    """Return whether a clause of one word with content tells all that there is to tell."""
    told = kind in ("identity", "instruction") or _LASTS.fullmatch(clause) is not None or _names_vehicle(clause)
    return told or (own and _ON_A_DAY.search(clause) is not None)


def worth(clause: str, kind: FactKind, *, to_person: bool) -> float:
    """How much a clause is worth keeping: its content, what it speaks of, and how sure it is.

    Who tells an assistant what is true of anybody informs it; two people only chat (`to_person`).
    """
    if not to_person and _APPOINTMENT.fullmatch(clause):
        return _LEAST_SURE
    stems, lowered = set(terms(clause)), clause.lower()
    content = len(stems - _LIGHT)
    own, numbered, named = (p.search(t) is not None for p, t in ((OWN, lowered), (NUMBER, lowered), (NAME, clause)))
    of_another = not own and OPENS_WITH_NAME.match(clause) is not None and tells_of_another(clause)
    few = not own and kind != "instruction" and clause.count(" ") < _FEWEST_SPACES and not of_another
    if few or content == 0 or (len(stems) < _FEWEST_STEMS and not _is_told_in_few_words(clause, kind, own=own)):
        return _NOTHING
    general = _YOU.search(lowered) or not (numbered or TIME.search(lowered) or _NAMES_FIRST.match(clause))
    strange = 0.0 if own else -0.3 if named else _OF_NOBODY if general and to_person else -0.6
    strange -= 0.8 * bool(not own and _LABEL.match(clause))
    verbless = not has_verb(_DESCRIBED.sub("", clause)) and not re.search(r"\d", clause)
    hangs = content <= _FEWEST_SPACES and points_back(clause, ends=True)
    plain = content < _FEWEST_SPACES and not named and not numbered
    leans = plain and points_back(clause, ends=False)
    felt = plain and _MOOD.search(lowered) is not None
    praised = (
        to_person and not (own or TIME.search(lowered) or _GOT.match(lowered)) and _PRAISE.search(lowered) is not None
    )
    of_whom = not named and not numbered and is_of_somebody_else(clause)
    strange -= _VERBLESS * (verbless + hangs + leans + of_whom) + 0.8 * felt + praised
    return (
        strange
        + 0.3 * min(content, 5)
        + _WORTH_OF_KIND[kind]
        + 0.4 * named
        + _OF_ANOTHER * of_another
        + sum(value for value, sign in _SIGNS if sign.search(lowered))
    )


# "350 a month all in.", "24th April at the clinic.", "Says it's the knee.": of what or whom, was told before.
_AMOUNT = (
    rf"(?:[£$€]?\d[\d.,:/-]*(?:st|nd|rd|th|k|m|kg|g|mg|ml|km|am|pm|%)?(?: (?:of )?(?:{'|'.join(MONTH_NAMES)}|jan|feb"
    r"|mar|apr|jun|jul|aug|sept?|oct|nov|dec|quid|pounds?|euros?|dollars?|bucks|grand|k|am|pm|mg|kg|km|miles?|mins?|minutes?"
    r"|hrs?|hours?|days?|weeks?|months?|years?|people|of (?:us|them)))?)"
)
_AMOUNT_FIRST = regex(
    rf"(?:(?:about|around|only|just|like|roughly|maybe|over|under|from|at|for|on the|on) )?{_AMOUNT}"
    rf"(?:(?:,| -| to| or| and|-) ?{_AMOUNT})*(?:[.!…]*$|,| (?:a|an|per|each|all in|at|in|on|off|with|warm|cold|max|ish"
    r"|or so|total|the|for|from|by|till?|until|every)\b)",
    re.IGNORECASE,
)
_VERB_FIRST = regex(
    r"(?:says|lives|means|thinks|wants|snores|reckons|knows|seems|belongs|goes|comes|hates|loves|likes|lets|keeps|sits|eats"
    r"|speaks|tastes|stays|gets|takes|makes|gives|costs|wears)\b(?! (?:a lot|it all)\b)",
    re.IGNORECASE,
)
_OF_SELF = regex(
    r"\b(?:i|me|my|we|us|our|sober|clean|pregnant|married|old|smoke-free|until|till|to go)\b", re.IGNORECASE
)


def is_fragment(clause: str, *, with_verb: bool = False) -> bool:
    """Return whether a clause has neither a subject nor a thing that it is of, so that nobody can read it alone.

    `with_verb`: what opens with an amount is one even with a verb behind it: "19, one broke".
    """
    if _VERB_FIRST.match(clause):
        return True
    if _AMOUNT_FIRST.match(clause) is None or _APPOINTMENT.fullmatch(clause):
        return False
    return with_verb or not (has_verb(clause) or _OF_SELF.search(clause))


_WORDS_OF_SHORT_NEWS, _WORDS_OF_A_REASON, _LEAST_SURE = 7, 14, 0.7
OPENS_WITH_NAME = regex(r"(?:(?:the|my|our) (?=[a-z])|(?!(?:I|It|This|That|There|We|He|She|They|You)\b)[A-Z][a-z])")
_OLDER = regex(r"[A-Z][\w-]+(?:'s| is|(?: just)? turned) (?:already )?\d{1,3}(?: now| today| yesterday)?[.!]*$")
_ILL = regex(
    r"(?!(?:No|Any|Some|Every)(?:body|one)\b|(?:People|Who|All|Most)\b)[A-Z][\w-]+"
    r"(?: (?:is|has|had|just|got|gets|was|been|diagnosed with)|'s)+ (?:an? |the )?(?:(?i:co?eliac|cancer|dementia|covid"
    r"|diabetes|epilepsy|asthma|flu|alzheimer's|pregnant|engaged|married|divorced|vegan|vegetarian|autistic|diabetic|ill"
    r"|in hospital|adhd|stroke|heart attack|baby))\b[^,;]{0,30}$"
)


_BORN = regex(r"(?:i|we)(?:'ve)? (?:finally |just )?had (?:the|our|my) baby(?! [a-z])", re.IGNORECASE)
_OFF = regex(
    r"\w(?:['\u2019]s| is| are) (?:off(?: again)?|called off|cancell?ed|scrapped|postponed"
    r"|over for (?:the|this) \w+)(?:, [a-z]+)?[.!]*$|(?!The |My |Our |(?i:it|that|she|he|who|everyone))[A-Z][\w-]+"
    r"(?:['\u2019]s| is| has) gone(?: as well| too| now)?[.!]*$"
)


def tells_short_news(sentence: str) -> bool:
    """Return whether a few words tell that somebody or something named is over, older, or ill: "Yaw moved out"."""
    runs_out = (tells_none_then(sentence) or tells_no_plan(sentence)) and sentence.count(" ") < _WORDS_OF_A_REASON
    if _BORN.match(sentence) or runs_out or tells_successor(sentence):
        return True
    if not 0 < sentence.count(" ") < _WORDS_OF_SHORT_NEWS or not OPENS_WITH_NAME.match(sentence):
        return False
    return bool(_OLDER.match(sentence) or _ILL.match(sentence) or _OFF.search(sentence)) or names_over(sentence)


_VALUE = regex(r"\d|(?<=[\w,;] )[A-Z][a-z]")
_LEAST_SPACES, _MOST_SPACES = 3, 30


_FIELDS_TEXT = "home occupation employer studies school age diet relationship vehicle grade"
_FIELDS = frozenset(_FIELDS_TEXT.split())


def gives_field(said: str) -> bool:
    """Return whether a clause gives the speaker a field that has one value at a time."""
    return any(slot.subject == USER and slot.attribute in _FIELDS for slot in slots_of(said))


def tells_news(sentence: str) -> bool:
    """Return whether a sentence that nobody can resolve says that something changed, and has a value of its own."""
    if sentence.startswith(("If ", "if ")):
        return False
    if not _LEAST_SPACES < sentence.count(" ") < _MOST_SPACES or not has_verb(sentence):
        return False
    return (_VALUE.search(sentence) is not None and is_news(sentence)) or tells_end(sentence)


_MONTH_NAME = rf"(?:{'|'.join(MONTH_NAMES)})"
# What is made ready "for" something has it ahead; a report "about our meeting on 3 May" has not.
_MADE_READY_FOR = regex(
    r"\bfor (?P<whose>my|our) (?P<what>(?:(?!(?:on|and|or|from|about|who|that|which|with)\b)[\w'\u2019-]+ ){1,4})"
    rf"(?P<when>on (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH_NAME}|{_MONTH_NAME} \d{{1,2}}(?:st|nd|rd|th)?"
    rf"|(?:{'|'.join(WEEKDAYS)})))\b(?! (?:last|was|went|nights?|mornings?))",
    re.IGNORECASE,
)


_LONGEST_BESIDE = 160  # characters
# "They have fixed the day of the wedding, which will be 5 March."
_FIXED = regex(
    r"(?<!n't )(?<!not )\b(?:fixed|set|chosen|chose|agreed(?: on)?|picked|decided(?: on)?|got) (?:a|the)"
    r" (?:day|date) (?:of|for) (?P<what>(?:the|my|our|her|his|their) [\w'-]+(?: [\w'-]+)?)[,:;]? (?:and )?"
    r"(?:which (?:will be|is) |it(?:'s| is|'ll be| will be) |for )?(?:now |on )?"
    rf"(?P<when>(?:(?:{'|'.join(WEEKDAYS)}),? )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH_NAME}"
    rf"|{_MONTH_NAME} \d{{1,2}}(?:st|nd|rd|th)?)(?: 20\d\d)?)\b",
    re.IGNORECASE,
)


MEETINGS = (
    r"(?:appointments?|appt|dentist|doctors?|gp|nurse|clinic|midwife|physio|optician|vets?|scan|mri|x-?ray"
    r"|blood tests?|screening|check-?up|jab|interview|meeting|mot|exam|class|lesson|course|wedding|funeral|party"
    r"|concert|flight|operation|surgery|viewing|hearing|haircut|delivery|review|assessment)"
)
_MEETING = regex(rf"\b{MEETINGS}\b", re.IGNORECASE)
_MONTH = rf"(?:{_MONTH_NAME}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
_A_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?)(?![\w:])"
DAY_NAMED = regex(
    rf"\b(?:{_A_DAY}|the \d{{1,2}}(?:st|nd|rd|th)|(?:{'|'.join(WEEKDAYS)})s?|tomorrow|next week)\b", re.IGNORECASE
)
_BETWEEN = regex(r"(,(?: and| then)? | (?:and|then) )", re.IGNORECASE)
_DAY_OF_LIST = rf"{_A_DAY}(?:,? (?:19|20)\d\d\b)?(?: at \d{{1,2}}(?:[.:]\d\d)?(?: ?[ap]m)?(?![\w:]))?"
_SEVERAL_DAYS = regex(
    rf"(?P<one>{_DAY_OF_LIST})(?:,? and|,| &)(?: on)? (?P<two>{_DAY_OF_LIST})"
    rf"(?P<hour>(?:(?:,? and|,| &)(?: on)? {_DAY_OF_LIST}){{0,4}}(?: at [\w:.' ]{{1,24}}| \d[\w:.' ]{{0,12}})?\.?)!?$",
    re.IGNORECASE,
)
_OF_BOTH = regex(r"\b(?:and|between|from|moved|not|or|instead|either)\b", re.IGNORECASE)
_WHOLE = regex(
    r"\b(?:if|unless|when(?:ever)?|depend(?:s|ing)|in case|provided|once|birthdays?|anniversar(?:y|ies))\b", re.I
)
_BIRTHDAYS = regex(
    rf"(?P<own>my birthday is (?:on )?{_A_DAY}),? and (?P<day>{_A_DAY})"
    r" is (?P<whose>(?:my [\w-]+|[A-Z][\w-]+)['\u2019]s)\.?$",
    re.IGNORECASE,
)
_HAVING = regex(r"(?:i|we)(?: have|['\u2019]ve)(?: got)? ", re.IGNORECASE)
_ARTICLE = regex(r"(?:an?|the|my|our|his|her|their|another) ", re.IGNORECASE)


# "First roughs on 20 July and the finals on 30 July."
_ON_DAY = regex(rf" on (?:the )?(?:{_A_DAY}|\d{{1,2}}(?:st|nd|rd|th))$", re.IGNORECASE)
_THING_ON_DAY = regex(rf"(?:an?|the|my|our) [a-z][\w'-]+(?: [\w'-]+)?{_ON_DAY.pattern[:-1]}\.?", re.IGNORECASE)
_SEVERAL_THINGS = regex(r"[^s]s on ")
_HOUR_NAMED = regex(r"\bat (?:\d|half\b|quarter\b|noon\b|one|two|three|four|five|nine|ten|eleven|twelve)", re.I)

_COMES = regex(r"\b(?:comes?|starts?|begins?|leaves?|opens?|arrives?|ends?|goes|'s) (?:on|at|in)\b")
_WITH_SUBJECT = regex(r"(?i:i|we|he|she|they|the|my|our|his|her|an?)(?:'\w+)? |(?!(?:On|At|In|\w+days?) )[A-Z][a-z]")


def _is_appointment(part: str) -> bool:
    """Return whether a part of a sentence names a day, and an hour or what one meets for."""
    told = _MEETING.search(part) or (_HOUR_NAMED.search(part) and _WITH_SUBJECT.match(part))
    return DAY_NAMED.search(part) is not None and bool(told)


def _appointments_apart(sentence: str) -> list[str]:
    """Return each appointment of a sentence that has several as one of its own: "dentist 2 May 4pm, vet 5 May 9am"."""
    if two := _BIRTHDAYS.match(sentence):
        return [f"{two['own']}.", f"{two['whose'][:1].upper()}{two['whose'][1:]} birthday is on {two['day']}."]
    if len(sentence) > _LONGEST_BESIDE or not is_ahead(sentence, "state") or _WHOLE.search(sentence):
        return [sentence]
    having = _HAVING.match(sentence)
    pieces = _BETWEEN.split(sentence)
    told = [pieces[0]]
    for joint, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if (_ON_DAY.search(told[-1]) and _THING_ON_DAY.fullmatch(piece)) or all(
            map(_is_appointment, (told[-1], piece))
        ):
            if _ARTICLE.match(piece) and not (
                has_verb(piece) or _COMES.search(piece)
            ):  # "an exam on Monday, a party on Tuesday"
                are = " are on " if _SEVERAL_THINGS.search(piece) else " is on "
                piece = f"{having[0]}{piece}" if having is not None else piece.replace(" on ", are, 1)
            told.append(in_month_of(told[-1], piece))
        else:
            told[-1] += joint + piece
    return [one for part in told for one in _days_apart(part)]


def _days_apart(sentence: str) -> list[str]:
    """Return a sentence on several days as one for each: "the nurse comes on 6 May and 8 May at 9".

    The hour is of the last. The later ones say that they are others, and no new day for the first.
    """
    found = _SEVERAL_DAYS.search(sentence)
    if found is None or _OF_BOTH.search(sentence, 0, found.start()) or DAY_NAMED.search(sentence, 0, found.start()):
        return [sentence]
    before = sentence[: found.start()]
    others = _days_apart(f"{before}{found['two']}{found['hour']}")
    return [f"{before}{found['one']}.", *(f"{one.rstrip('.').removesuffix(', too')}, too." for one in others)]


def with_appointments(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences, each with the appointment that it is for or of which it tells the day."""
    for sentence in map(told_to_remember, appointments_in_full(sentences)):
        fixed = _FIXED.search(sentence) if not sentence.endswith("?") else None
        if fixed is not None:
            yield f"{sentence[: fixed.end('what')]}."
            yield f"{fixed['what'][:1].upper()}{fixed['what'][1:]} is on {sentence[fixed.start('when') :]}"
            continue
        yield from [sentence] if sentence.endswith("?") else _appointments_apart(sentence)
        named = _MADE_READY_FOR.search(sentence) if is_request(sentence, to_machine=True) else None
        if named is not None:
            yield f"{named['whose'].capitalize()} {named['what']}is {named['when']}."
