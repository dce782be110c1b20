"""Asides: who employs a speaker, what they live on, what they are called and what a thing costs now, told by the way.

A home that is only told by the way fills a gap: it says that the speaker "seems to live" there, ends no home that was
told outright, and is not shown beside one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from memoryos_core.rules.knowledge.domains import domains_of
from memoryos_core.rules.knowledge.heads import FIRM, GOODS, SUBJECT, WEIGHED
from memoryos_core.rules.knowledge.job_ends import NO_JOB, OF_SPEAKER, jobs_told
from memoryos_core.rules.knowledge.relations import FAMILY
from memoryos_core.rules.knowledge.restrictions import find_first
from memoryos_core.rules.knowledge.slots import Slot
from memoryos_core.rules.text.introductions import TRADE
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex
from memoryos_core.values.facts import Fact


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


# "Tell my boss at Southline", "my shift at Greggs starts at five": not the old one, nor one at home; a weekend job
# stands beside another one, and a supervisor looks after students and volunteers, too.
_MY_WORK_AT = _pattern(
    r"(?<!\w)my (?:(?:new|current|present|lovely|nice|great|awful|horrible|annoying|bloody|main|line) )?(?:boss|manager"
    r"|team lead|shift|shifts|job|colleagues?|coworkers?|co-workers?) at (?:the )?"
    r"(?P<where>(?!(?:Scouts|Cubs|Guides|Brownies|Parkrun|Christmas|Easter|Halloween|(?:M[ua]m|Dad|Gran|Nan|Grandma)'s"
    r"|[\w-]+'s (?:party|wedding|birthday|bbq|barbecue|house|flat|place|desk))\b)"
    r"(?:(?-i:[A-Z])[\w&'-]*(?: (?-i:[A-Z&])[\w&'-]*){0,3}"
    r"|(?!(?:work|home|school|uni|college|night|noon|the|my|our|his|her|a|an|least|last|first|all|this|that|one"
    r"|it|present|times?|weekends?|lunch"
    r"|moment|\w+ing)\b)[a-z][\w&'-]{3,20}(?= (?:i|we|that|wants?|says?|said|is|keeps?)\b)))(?! (?:was|were|used"
    r"|had)\b)"
)
# Whoever is a nurse or has a flat "here in Cork" lives there; who is "here in Rome until Friday" does not, nor is the
# place of a shop or a school anybody's home.
_HERE_IN = _pattern(
    r"^(?:[^,;:]{0,40}, |(?:so|and|but|well|yes|hi|hello),? )?"
    rf"(?:(?:i'm|i am|we're|we are) (?:an? |the |now an? )?(?:[a-z-]+ ){{0,3}}?(?:{TRADE}|physio)|i work(?= at )"
    r"|(?:my|our|i rent an?|we rent an?) (?:[a-z]+ )?(?:flat|house|apartment))"
    r"(?: (?:at|for|on|of|from) [^,;:.?!]{2,50}?)? here in"
    r" (?P<place>(?!Minecraft\b)(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+){0,2})"
)
_STAYS = _pattern(
    r"\b(?:until|till|for (?:the|a|two|three|\d+) (?:\w+ )?(?:day|week|weekend|month|summer|winter)s?|visit\w*"
    r"|holiday|vacation|trip|hotel|conference|airbnb|for now|fly(?:ing)?|commut\w*|remote\w*|(?:go|from|back) home"
    r"|erasmus|exchange|semester|term|travel\w*|was|were|used to|client|customer|project)\b"
)
# "My new flat here in Cork", "I'm a nurse here in Cork now": told outright.
_SETTLED = _pattern(r"\b(?:my|our) new\b|(?:'m|'re|\bam|\bare) now\b|\b(?:i|we) rent\b")
_BEHIND_SETTLED = _pattern(r",? (?:now|these days|nowadays|currently|at present|permanently|for good|since)\b")
_FOR_A_LIVING = _pattern(
    r"^(?:(?:and|so|well|also|but|ok),? )*(?:i'm (?-i:[A-Z])[\w'-]+, )?i (?P<what>"
    r"(?!(?:used|want|would|could|don't|can't|never|had|have|do|did|hope|wish|was|might|may|love|like|hate|enjoy|know"
    r"|knew|think|guess|forg[eo]t|envy|admire|met|married|saw|see|believe)\b)"
    r"(?![a-z' ]*\b(?:who|what|that|he|she|they|people|someone|somebody|everyone)\b)"
    r"[a-z]+ [a-z][a-z' ]{1,30}?) for (?:a |my )?living\b"
)
_SCHOOL_YEAR = _pattern(r"(?:now |so |in )*(?P<year>\d{1,2}(?:st|nd|rd|th) (?:year|grade))(?: now)?[.!]")
_BIG_BIRTHDAY = _pattern(
    r"\bi (?:just |finally )?(?:hit|turned|reached) the big (?P<age>[3-9][ -]?[05])"
    r"(?=[.,!]|$| (?:today|yesterday|last|this|and|so|on (?:the|\w+day)|in \w+)\b)"
)
_WHEN_TURNED = _pattern(
    r"\b(?:last (?:week|month|\w+day)|yesterday|on \w+day),? when i (?:hit"
    r"|turned) (?P<age>[1-9]\d)(?=[.,!]|$)"
)
# The children of a class or a team are not one's own.
_OF_A_CLASS = _pattern(r"\b(?:class|coach\w*|pupils?|students?|team|squad|scored|under[ -]?\d+s?|lessons?|teach\w*)\b")
_ONE_OF = _pattern(
    r"\bone of (?:my|our) (?P<who>twins|kids|children|boys|girls|sons"
    r"|daughters),? (?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ'-]{1,14}))(?=,| (?:can|has|is|was)\b)"
)
# "Nobody calls me that, Thandi is fine", "Bartholomew, Barty for short".
_NO_ONE_DOES = r"(?:no ?body|no one|not even my \w+) (?:ever |really )?calls me (?:that|by it)"
_SHORT_NAME = _pattern(
    rf"^(?![^.]*\b(?:says?|said|thinks)\b).*?\b{_NO_ONE_DOES},? (?:(?:just|so|but|it's|call me) )*"
    r"(?-i:(?P<name>[A-ZÀ-Þ][\w'-]{1,14}))(?: (?:is (?:fine|ok|okay|good|enough)|will do)(?=[.,!]|$)|[.!]|$)"
)
_FOR_SHORT = _pattern(
    r"\b(?:my name is|i'm|i am) (?-i:[A-ZÀ-Þ])[^,.]{1,39},? (?-i:(?P<name>[A-ZÀ-Þ][\w'-]{1,14})) for short\b"
)
_IS_MINE = _pattern(
    rf"(?<!says )(?<!thinks )(?<!said )\b(?:he|she)(?:'s| is) (?:my|our) (?P<who>{FAMILY}),? "
    r"(?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ'-]{1,14}))(?=[.,!]|$"
    r"| (?:he|she)\b)"
)


_LATE = _pattern(
    r"\bmy (?:late|dear late|dearly departed) (?P<who>wife|husband|partner|mother|father|mum|mom|dad|brother|sister|son"
    r"|daughter),? (?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ-]{1,14}))(?![\w-])"
)
# "Student number 2988417, can you keep that?", but none that opens an account.
_NUMBER_TO_KEEP = _pattern(
    r"(?:^|[.,;:!] |\b(?:my|our|it's|its) )(?P<what>(?:student|membership|member|policy|customer|reference|ref|booking"
    r"|registration|reg|order|case|claim|employee|staff|library(?: card)?|candidate|patient|frequent flyer|loyalty card"
    r"|meter|serial|model|vat|room|locker|flat|plot|ticket|confirmation) (?:number|no\.?|nr|code|reference|ref))"
    r"(?:'s| is|:| =)? (?P<value>(?=[\w/-]*\d)[A-Z0-9][\w/-]{1,23})(?=[.,;!?]|$| (?:and|can|pls|please|btw|so"
    r"|keep)\b)"
)


_FLAT = r"(?:flat|house|apartment|bungalow)"
_STREET = (
    r"(?!(?:\w+day|Rightmove|Zoopla|Airbnb|Minecraft|Roblox|Sims|Heaven|Hell|Fire|Facebook|Ebay)\b)"
    r"(?:(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+){0,2}"
    r"|[a-z][\w'-]+(?: [a-z][\w'-]+){0,2} (?:road|street|avenue|terrace|crescent|gardens|square|rd|close))(?![\w'])"
)
# "There's four of us in the flat on Elm Road", "my flat's in Leith": the home of a speaker without "I live".
_LIVES_IN = (
    _pattern(
        rf"\bthere(?:'s| is| are) (?:\d|two|three|four|five|six|seven|a few|loads|some) of us in (?:the|our)"
        rf" (?:\w+ )?{_FLAT} (?:in|on) (?P<place>{_STREET})"
    ),
    _pattern(
        rf"(?:^|[,;.] |\band |\bbut )my (?:(?:new|little|wee|tiny|lovely|own) )?{_FLAT}(?:'s| is) in"
        rf" (?P<place>{_STREET})(?=[.!]*$| now\b|,? (?:and )?(?:i|we) (?:share|rent|live)\b)"
    ),
)
_NO_LONGER_THERE = _pattern(
    r"\b(?:for sale|rent(?:ed)? out|tenants?|holiday|airbnb|was|were|used to|till|until|if|moving|moved|selling|sold"
    r"|for (?:the|an?|two|three|\d+|this)|weekend|stag|hen|trip)\b"
)
_TAKES_FLAT = _pattern(
    rf"^(?:(?:so|and|ok|right|well|news),? )*(?P<who>i|we)(?:'re|'m|'ve| are| am| have)? (?:taking|taken|renting|buying"
    rf"|bought|getting|got) (?:the|an?|that) (?:\w+ )?{_FLAT} (?:in|on) (?P<place>{_STREET}),? (?:and )?"
    r"(?:(?:we're|i'm|we|i) )?mov(?:e|ing)(?: in)?(?: on)? (?P<when>(?:the )?\d[^,.;!?]{1,20}|in [A-Z][a-z]+)"
    r"(?=[,.;!]|$)"
)
# "I do the bar at the Garage", "I do weekends at the Crown": it stands beside another job.
_SHIFTS_AT = _pattern(
    r"^(?:(?:and|so|well|yes|yeah|but|oh),? )*i (?:also )?(?:do|work) (?:(?:the|some|a few|two|three|my) )?(?:bar|door"
    r"|tills?|kitchen|cloakroom|reception|weekends|nights|days|mornings|evenings|lates|earlies|(?:\w+ )?shifts?"
    r"|saturdays|sundays)(?: and (?:sundays|nights|weekends))? (?:at|for) (?:the )?"
    r"(?P<where>(?!(?:\w+'s|M[ua]m|Dad|Nan\w*|Gran\w*|Xmas|Christmas|Easter|Parkrun|Church|Home|School|Uni|Scouts)\b)"
    r"(?-i:[A-ZÀ-Þ])[\w&'-]*(?: (?-i:[A-Z&])[\w&'-]*){0,3})(?=[.,!;]|$| (?:and|now|btw|so|but|while|on)\b)"
)
_IS_STUDENT = _pattern(
    rf"(?<!if )(?<!when )(?<!said )(?<!says )\bi(?:'m| am) (?:now |officially )*an?"
    rf" (?:(?:first|second|third|final)[- ]year )?(?P<what>{SUBJECT}) student(?![\w'-])"
)
_RETIRED = _pattern(
    r"\bi was (?:\d+|[a-z-]+) years (?:with|in|at|on|as) [^.!?;]{3,60}?(?:,| and|, and) retired"
    r"(?: (?:in|since) (?:19|20)\d\d| now| \w+ years ago)?(?=[,.!;]|$)"
)


def asides_in(told: str, sentence: str) -> Iterator[str]:
    """Yield as plain statements what is told by the way: work, home, people, an age and a short name.

    `told` is the sentence without what never came to be.
    """
    yield from _people(told, sentence)
    yield from _work_and_home(told, sentence)
    yield from _where_one_belongs(told, sentence)
    if (kept := _NUMBER_TO_KEEP.search(told)) is not None:
        yield f"My {kept['what'].lower()} is {kept['value']}."
    if (big := _BIG_BIRTHDAY.search(told) or _WHEN_TURNED.search(told)) is not None:
        yield f"I turned {big['age'].replace('-', '').replace(' ', '')}."
    if (year := _SCHOOL_YEAR.match(sentence)) is not None:
        yield f"I'm in {year['year'].lower()}."
    short = find_first((_SHORT_NAME, _FOR_SHORT), told)
    if short is not None and is_name(short["name"]):
        yield f"Call me {short['name']}."


def _people(told: str, sentence: str) -> Iterator[str]:
    """Yield who the speaker's own people are."""
    if (one := _ONE_OF.search(sentence)) is not None and not _OF_A_CLASS.search(sentence):
        who = one["who"].lower().removesuffix("s")
        yield f"I have a {who if who in ('son', 'daughter') else 'child'} called {one['name']}."
    if (late := _LATE.search(told)) is not None and is_name(late["name"]):
        yield f"My late {late['who'].lower()} was called {late['name']}."
    if (mine := _IS_MINE.search(told)) is not None:
        yield f"I have a {mine['who'].lower()} called {mine['name']}."


def _work_and_home(told: str, sentence: str) -> Iterator[str]:
    """Yield who employs the speaker, what for, and where the speaker lives."""
    employed = None if NO_JOB.search(sentence) else _MY_WORK_AT.search(sentence)
    if employed is not None and not domains_of(where := employed["where"]):
        yield f"I work at {where[:1].upper()}{where[1:]}."
    if (living := _FOR_A_LIVING.match(told)) is not None:
        yield f"My job is to {living['what'].lower()}."
    here = _HERE_IN.search(told)
    if here is not None and _STAYS.search(told) is None:
        is_outright = _SETTLED.search(here[0]) is not None or _BEHIND_SETTLED.match(told, here.end()) is not None
        yield f"I {'live' if is_outright else 'seem to live'} in {here['place']}."


_MONEY = (
    r"(?:[£$€] ?\d[\d,]*(?:\.\d\d)?|\d+\.\d\d|\d+ ?(?:p|quid|pounds|euros|dollars)|\d+(?= (?:an?|per|each)\b))"
    r"(?! ?(?:%|percent|k\b|m\b|kg|km|miles?|mg|million)|[\d.,:]*\d)"
    r"(?: (?:an|a|per) (?:hour|day|week|month|year|night|head|person|kilo|go|lesson|session|class|ticket)\b| each\b)?"
)
_THING = (
    r"(?!(?:it|that|this|what|there|he|she|i|we|you|they|today|tomorrow|his|her|their|all|which|who|about)\b)"
    r"[a-z][a-z-]*(?: (?!(?:is|was|for|at|of|cost|costs|from|paid|by|in)\b)[a-z][a-z-]*){0,2}?"
)
_OPENING = r"^(?:(?:so|and|also|ok|well|oh|btw|right|but),? )*"
# "Put the flat white up to £3.70": it is what the speaker asks for, or has somebody paid.
_PRICED = _pattern(
    rf"{_OPENING}(?:(?:i|we)(?:'ve| have)? (?:(?:just|now|finally|had to) )*)?"
    r"(?:put|raised|upped|increased|dropped|lowered|reduced|cut|bumped|brought) "
    rf"(?:(?:the price of )?(?:(?P<whose>the|our|my) )?(?P<what>(?-i:{_THING}))|(?P<who>(?-i:[A-Z])[a-z]+))(?: price"
    r"| prices)?"
    rf"(?: back)?(?: up| down)?(?: from [^,;.]{{1,15}}?)? to (?P<value>{_MONEY})"
    r"(?=[.,;!]|$| (?:today|yesterday|now|this|last|because|since|so|as|and|but)\b)"
)
_COSTS_NOW = _pattern(
    rf"{_OPENING}(?!(?:[\w-]+ ){{0,3}}{WEIGHED}\b)"
    rf"(?:(?P<whose>the|our|my) )?(?P<what>{_THING})(?:'s|s?| is| are) (?:now )?(?P<value>{_MONEY})"
    r" (?:now|(?:from|since) (?:last )?\w+day (?:just )?gone|since (?:last )?\w+day|as of (?:today|yesterday|this"
    r" week))"
    r"(?=[.,;!]|$)"
)
_RENT = _pattern(
    rf"{_OPENING}(?:the |(?P<own>my |our ))?(?P<what>rent|mortgage|salary|pension|service charge)(?:'s| is) (?:now "
    r"(?P<now>[£$€]?\d[\d,]*)|(?P<value>[£$€]?\d[\d,]*) now)(?=[.,;!]|$| (?:a|per) \w+)"
)
_HAS_GONE_UP = _pattern(
    rf"{_OPENING}(?P<whose>the|our|my) (?P<what>{_THING})(?:'s| has| have)? (?:gone|went|going) (?:up|down)(?:"
    r" again)?[.!]*$"
)
_IS_NOW = _pattern(rf"{_OPENING}(?:it's |it is |they're |now |up to |to )*(?P<value>{_MONEY}) now[.!]*$")
_HOUR = r"\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?"
_OPEN = _pattern(
    rf"{_OPENING}we(?:'re| are) (?:now )?open (?P<hours>{_HOUR} ?(?:-|to|till?|until) ?{_HOUR})"
    r"(?=[.!]|$| (?:now|these days|every day|daily)\b)(?! now (?:on|but))"
)
_SUPPLIED = _pattern(
    rf"{_OPENING}we (?:now )?(?:get|buy|order|source) (?:all )?our (?P<what>{GOODS}) from (?P<value>{FIRM})"
    r"(?=[.,!]|$| now\b)"
)
# "Milk's from Cow & Co now", "beans we get from Curve at 19.50 a kilo"; flowers "from Tom" are a present.
_COMES_FROM = _pattern(
    rf"(?:^|[,;.] |\b(?:so|and|but) )(?:the |our )?(?P<what>{GOODS})(?:(?:'s| is| are| comes?|'re) (?P<late>now )?from"
    rf"|(?P<get>(?: that)? we (?:now )?get from)) (?P<value>{FIRM})(?(get)|(?(late)| now\b))(?=[.,!]|$| (?:now|at|for"
    r"|since|instead)\b)"
)
_CHANGED_FIRM = _pattern(
    rf"{_OPENING}(?P<who>i|we)(?:'ve| have)? (?:(?:just|now|finally) )*(?:switched|changed|moved) (?:our |my |the )?"
    r"(?P<what>(?:[a-z-]+ ){0,2}(?:supplier|provider|insurer|bank|vet|dentist|accountant|gym|baker|butcher|roaster"
    r"|broker|network|pharmacy|wholesaler|printer|cleaner|agency))s?(?: from [^,;.]{2,40}?)? to (?:the )?"
    rf"(?P<value>{FIRM})(?=[.,!]|$| (?:now|because|since|as|last)\b)"
)
_NOT_SO = _pattern(r"\?|\b(?:if|would|should|could|might|maybe|they|he|she|used to|last year|ago|was|were|nearly)\b")


def values_in(told: str, before: str) -> Iterator[str]:
    """Yield as plain statements what a thing costs now, when a place is open, who supplies it, and what job is new."""
    yield from jobs_told(told, before)
    if _NOT_SO.search(told):
        return
    yield from _amounts(told, before)
    if (open_at := _OPEN.match(told)) is not None:
        yield f"Our opening hours are {open_at['hours']} now."
    if (supplied := find_first((_SUPPLIED, _COMES_FROM), told)) is not None:
        yield f"Our {supplied['what'].lower()} supplier is {supplied['value']} now."
    if (changed := _CHANGED_FIRM.match(told)) is not None:
        yield f"{'My' if changed['who'].lower() == 'i' else 'Our'} {changed['what']} is {changed['value']} now."


def _amounts(told: str, before: str) -> Iterator[str]:
    """Yield what a thing costs, what the rent is and what somebody is paid."""
    if (rent := _RENT.match(told)) is not None:
        if not rent["own"] and not OF_SPEAKER.search(before):
            return
        yield f"My {rent['what'].lower()} is {rent['value'] or rent['now']} now."
    elif (priced := find_first((_PRICED, _COSTS_NOW), told)) is not None:
        named = priced.groupdict()
        if who := named.get("who"):
            yield f"{who}'s pay is {named['value']}."
        else:
            what = f"{named['whose'] or 'the'} {named['what']}".capitalize()
            yield f"{what} {'are' if what.endswith('s') else 'is'} {named['value']}."
    elif (gone := _HAS_GONE_UP.match(before)) is not None and (now := _IS_NOW.match(told)) is not None:
        yield f"{gone['whose'].capitalize()} {gone['what'].lower()} is {now['value']}."


def _where_one_belongs(told: str, sentence: str) -> Iterator[str]:
    """Yield the home that a flat tells, the one to come, a job beside others, studies, and that one is retired."""
    home = None if _NO_LONGER_THERE.search(sentence) else find_first(_LIVES_IN, told)
    if home is not None and not domains_of(home["place"]) - _OF_PLACES:
        yield f"I seem to live in {home['place'] if home['place'][0].isupper() else home['place'].title()}."
    if (taken := _TAKES_FLAT.match(told)) is not None:
        on = "" if taken["when"].startswith("in ") else "on "
        yield f"I'm moving to {taken['place']} {on}{taken['when']}."
    if (shifts := _SHIFTS_AT.match(told)) is not None and not NO_JOB.search(sentence):
        yield f"I also work at {shifts['where']}."
    if (student := _IS_STUDENT.search(told)) is not None:
        yield f"I study {student['what'].lower()} now."
    if _RETIRED.search(told) is not None:
        yield "I'm retired."


_OF_PLACES = frozenset(("home", "travel", "garden"))
_SEEMS = regex(r"\bseems? to live in\b|^The user also works at\b")


def only_fills_gap(text: str) -> bool:
    """Return whether a statement tells of a home by the way, or of a second job: it holds where nothing else does."""
    return _SEEMS.search(text) is not None


def without_covered(facts: Sequence[Fact], slots_in: Callable[[Fact], Iterable[Slot]]) -> tuple[Fact, ...]:
    """Return the facts without the asides that fill no gap: what was told outright held for as long as they did."""
    asides = [fact for fact in facts if only_fills_gap(fact.text)]
    if not asides:
        return tuple(facts)
    told = [fact for fact in facts if fact.status in _HELD and not only_fills_gap(fact.text)]
    covered = {aside.id for aside in asides if any(_covers(one, aside, slots_in) for one in told)}
    return tuple(fact for fact in facts if fact.id not in covered)


_HELD = frozenset(("current", "superseded", "retired"))


def _covers(told: Fact, aside: Fact, slots_in: Callable[[Fact], Iterable[Slot]]) -> bool:
    """Return whether a statement gave another value than an aside, or denied its own, for as long as that held."""
    end = told.valid_until
    lasts = end is None or (aside.valid_until is not None and aside.valid_until <= end)
    if told.about != aside.about or told.valid_from > aside.valid_from or not lasts:
        return False
    return any(
        (one.subject, one.attribute) == (other.subject, other.attribute)
        and (not one.negated or one.value.casefold() == other.value.casefold())
        for one in slots_in(told)
        for other in slots_in(aside)
    )
