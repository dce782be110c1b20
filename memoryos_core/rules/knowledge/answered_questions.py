"""Questions and their short answers as statements: "Where do you live?" and "Porto" are "I live in Porto.".

A question that asks for more than a value, a choice or a yes gives nothing, nor does an answer that is a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.short_answers import (
    ASKS_NAME,
    DO_YOU,
    EVENT,
    FOR_A_LIVING,
    HABITS,
    IN_TOWN,
    OF_A_NAME,
    OWN_EVENT,
    PREPOSITION,
    STATES,
    THINGS,
    WHICH,
    Answer,
    answer_in,
    at_time,
    in_first_person,
    is_choice,
    is_persons_name,
    is_place,
    past_of,
    plain_question,
    told_in_other_language,
    with_capitals,
    with_preposition,
)
from memoryos_core.rules.text.words import regex


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_Maker: TypeAlias = Callable[["re.Match[str]", Answer], "str | None"]


def _says(form: str, fits: Callable[[str], object], write: Callable[[str], str | None] = str) -> _Maker:
    """Return what makes a statement of this form of a value that fits."""

    def make(_: re.Match[str], said: Answer) -> str | None:
        return form.format(write(said.value)) if said.value and fits(said.value) else None

    return make


def _digits(value: str) -> str:
    return re.sub(r"\D.*", "", value)


def _without(*words: str) -> Callable[[str], str]:
    """Return what takes one of these words from the beginning or the end of a value."""
    return lambda value: re.sub(rf"^(?:{'|'.join(words)}) | (?:{'|'.join(words)})$", "", value, flags=re.IGNORECASE)


def _first(value: str) -> str:
    return with_capitals(value.partition(",")[0])  # "Tom, nice to meet you"


def _place(value: str) -> str:
    return with_capitals(_without("in", "from")(value))


def _fits(value: str) -> bool:
    return is_place(_place(value))


_AGE = regex(r"\d{1,3}(?: ?(?:years old|years|yrs?|yo|y/o))?")


def _old(kind: re.Match[str], said: Answer) -> str | None:
    is_age = said.value and _AGE.fullmatch(said.value) and not kind["what"].lower().endswith(("s", "children"))
    return f"My {in_first_person(kind['what'])} is {_digits(said.value)} years old." if is_age else None


_RELATED = _pattern(
    rf"(?:my|our) (?:\w+ ){{0,2}}?(?:{KIN}|{ANIMAL})|an? (?:\w+ ){{0,2}}?(?:friend|colleague)(?: [\w ]{{2,30}})?"
)


def _relate(kind: re.Match[str], said: Answer) -> str | None:
    return f"{kind['name']} is {said.value}." if _RELATED.fullmatch(said.value) else None


_VERBS = {"located": "live", "living": "live", "based": "live"}
_PAST = {"grow up": "grew up", "study": "studied", "live": "lived", "work": "worked", "go": "went"}
_AMONG_OTHERS = ("work", "study", "teach", "train")  # "night shifts" in small letters is no firm
_JOINTS = {"work": "at", "worked": "at", "study": "at", "studied": "at", "go": "to", "went": "to"}


def _somewhere(kind: re.Match[str], said: Answer) -> str | None:
    """Return where somebody lives, works or studies, or did."""
    asked = kind["verb"].lower()
    if not is_place(said.value) or (asked in _AMONG_OTHERS and said.value == said.value.lower()):
        return None
    verb = _PAST[asked] if " did " in kind[0].lower() else _VERBS.get(asked, asked)
    return f"I {verb} {with_preposition(said.value, _JOINTS.get(verb, 'in'))}."


_STANDS_ALONE = _pattern(r"(?:an?|the|retired|unemployed|self-employed|freelance|between jobs)\b|in [a-z]+$")
_NO_JOB = _pattern(r"(?:lots?|many|several|some|various|stuff|things|a (?:lot|bit|few)|all|everything|work|\w+ing)\b")
_AT_WORK = _pattern(r"(?:at|for|with) \S|in (?:an?|the) \S")


def _working(_: re.Match[str], said: Answer) -> str | None:
    """Return what somebody does for a living."""
    job = said.value
    if not job or job[0].isdigit() or "," in job or _NO_JOB.match(job):
        return None
    if _AT_WORK.match(job):
        return f"I work {job}."
    if _STANDS_ALONE.match(job):
        return f"I work {job}." if job.startswith("in ") else f"I'm {job}."
    job = job if job.isupper() else job[:1].lower() + job[1:]
    return f"I work as {'an' if job[:1].lower() in 'aeio' else 'a'} {job}."


_NOT_ONES_OWN = _pattern(
    r"\b(?:question|answer|guess|opinion|take|thoughts?|point|choice|pick|priority|next|order|ticket|query|issue"
    r"|problem|concern|mood|status|message|input|request|feedback|impression|reason|excuse|advice|suggestion|plans?"
    r"|availability|timeline|deadline|schedule|location|destination|budget|time|symptoms?|like|day|week|weekend|morning"
    r"|evening|night|situation|key|token|card|account|number|error|output|code|score|deal|secret|password|pin|it"
    r"|this|that|these|those)\b"
)


def _own(kind: re.Match[str], said: Answer) -> str | None:
    """Return a statement about a thing of the one who answers: a manager, a favourite food."""
    what = in_first_person(kind["what"])
    if not said.value or _NOT_ONES_OWN.search(what):
        return None
    return f"My {what} {kind['verb'].lower()} {said.value}."


_SHORT = regex(r"[^\W\d_][\w'-]*(?: [\w'-]+){0,2}")


def _named_thing(kind: re.Match[str], said: Answer) -> str | None:
    """Return what somebody's pet, partner or firm is called."""
    what = kind["what"] or kind["whose"] or kind["which"]
    is_one = said.value and _SHORT.fullmatch(said.value)
    return f"My {in_first_person(what)} is called {with_capitals(said.value)}." if is_one else None


_COUNT = _pattern(
    r"(?P<count>one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})(?: of (?:them|us))?"
    r"(?P<rest>(?:[,:] | \(| - ).+)?"
)


def _count_them(kind: re.Match[str], said: Answer) -> str | None:
    """Return how many children or pets somebody has."""
    if said.is_no or said.value.lower() in ("0", "zero"):
        return f"I have no {kind['what']}."
    return _so_many(said.value, kind["what"]) or _with_article(said.value)


def _so_many(value: str, what: str) -> str | None:
    """Return the statement that a number makes, with the names behind it."""
    count = _COUNT.fullmatch(value)
    names = f", {count['rest'].strip(' ,:()-')}" if count is not None and count["rest"] else ""
    return f"I have {count['count']} {what}{names}." if count is not None else None


_ARTICLE = _pattern(r"(?:an?|one|two|three|four|five|six|\d{1,2}|twins|several|triplets)\b")
_BARE = _pattern(r"(?:cat|dog|rabbit|hamster|parrot|son|daughter|brother|sister|horse|tortoise|budgie)")


def _with_article(value: str) -> str | None:
    article = "a " if _BARE.fullmatch(value) else ""
    return f"I have {article}{value}." if article or _ARTICLE.match(value) else None


_OF_ALLERGY = _pattern(r"\b(?:allerg(?:y|ies)|intoleran\w+)\b")
_OF_DIET = _pattern(r"\b(?:diet\w*|restrictions?|requirements?)\b")
_DIET = _pattern(
    r"(?:an? )?(?:strict(?:ly)? )?(?:vegan|vegetarian|pescatarian|halal|kosher|coeliac|celiac|diabetic"
    r"|lactose intolerant|(?:gluten|dairy|lactose|nut|sugar)[- ]free)"
)
_ANY = _pattern(r"^(?:any|some|other|known) ")


def _having(kind: re.Match[str], said: Answer) -> str | None:
    """Return what somebody has, or that they have none of it."""
    what = in_first_person(kind["what"])
    if said.is_no:
        return f"I don't have {what if what.startswith(('a ', 'an ')) else 'any ' + _ANY.sub('', what)}."
    if said.value and _OF_DIET.search(what):
        return _diet(said.value)
    if said.value and _OF_ALLERGY.search(what):
        return _allergic(said.value)
    if not said.value:
        return None if " or " in what or what.startswith("any ") else f"I have {what}."
    plain = _ANY.sub("", what)
    is_number = " or " not in what and plain.endswith(("s", "children"))
    return (_so_many(said.value, plain) if is_number else None) or _with_article(said.value)


def _diet(value: str) -> str | None:
    refused = f"I don't eat {value[3:]}." if value.lower().startswith("no ") else None
    return f"I'm {value}." if _DIET.fullmatch(value) else refused


def _allergic(value: str) -> str | None:
    to = re.sub(r"^(?:allergic )?to ", "", value, flags=re.IGNORECASE)
    return f"I'm allergic to {to}." if to[:1].isalpha() else None


def _allergy(_: re.Match[str], said: Answer) -> str | None:
    return "I don't have any allergies." if said.is_no else _allergic(said.value) if said.value else None


def _being(kind: re.Match[str], said: Answer) -> str | None:
    """Return what somebody is, or is not: "Are you vegan?", "Are you married or single?"."""
    what = in_first_person(kind["what"])
    if said.value and not said.is_yes:
        return f"I'm {said.value}." if is_choice(said.value, what) else None
    if " or " in what or (said.is_no and what.startswith(("from ", "based ", "living "))):
        return None
    return f"I'm not {what}." if said.is_no else f"I'm {what}."


_POINTS = _pattern(r"\b(?:it|this|that|these|those|them|me|mine|one|us|here|there|anything|anyone|something|to)\b")
_NEEDS_NOTHING = _pattern(r"work|smoke|drink|drive|cook|run|swim|dance|sing|exercise|meditate|travel|garden|paint")
_WITHIN = _pattern(r" (in|at|for|with|by|on) ")


def _doing(kind: re.Match[str], said: Answer) -> str | None:
    """Return what somebody does as a habit, or does not: "Do you eat meat?", "Do you prefer tea or coffee?"."""
    verb, rest = kind["verb"].lower(), in_first_person(kind["rest"] or "")
    if _POINTS.search(rest) or not (rest or _NEEDS_NOTHING.fullmatch(verb)):
        return None
    if said.is_no:
        return f"I don't {verb}{rest}."
    if said.value and not said.is_yes:
        if not (rest.startswith(" any ") or is_choice(said.value, rest)):
            return None
        joint = _WITHIN.match(rest)
        return f"I {verb} {joint[1] + ' ' if joint and not PREPOSITION.match(said.value) else ''}{said.value}."
    return None if " or " in rest or rest.startswith(" any ") else f"I {verb}{rest}."


_NO_THING = _pattern(r"\b(?:option|version|approach|format|one|file|plan|draft|variant|solution|topic|part|step)s?\b")


def _object(kind: re.Match[str], said: Answer) -> str | None:
    """Return what somebody likes, plays, speaks or uses."""
    if not said.value or _NO_THING.search(kind["thing"] or ""):
        return None
    verb, rest = kind["verb"].lower(), in_first_person(kind["rest"] or "")
    return f"I {verb} {said.value}{rest}."


def _on_day(kind: re.Match[str], said: Answer) -> str | None:
    """Return the day of a birthday or an exam, or the time of a habit."""
    time = at_time(said.value) if said.value else None
    if time is None:
        return None
    what = kind.groupdict().get("what")
    if what is None:
        return f"I {in_first_person(kind['does'])} {time}."
    return None if _NOT_ONES_OWN.search(what) else f"My {in_first_person(what)} is {time}."


def _event_on(kind: re.Match[str], said: Answer) -> str | None:
    """Return the day of what a question names: "When's the interview?", "Do you have an appointment with the vet?"."""
    time, what = at_time(said.value) if said.value else None, in_first_person(kind["which"])
    if time is None or _NOT_ONES_OWN.search(what.partition(" ")[2]):
        return None
    return (
        f"I have {what} {time}." if kind.re.pattern.startswith("(?:do") else f"{what[:1].upper()}{what[1:]} is {time}."
    )


def _did(kind: re.Match[str], said: Answer) -> str | None:
    time = at_time(said.value) if said.value else None
    did = past_of(kind["verb"].lower())
    past = f"{did}{in_first_person(kind['rest'])}"
    return None if time is None or not did or _POINTS.search(past) else f"I {past} {time}."


_OFTEN = _pattern(r"(?:once|twice|every|daily|weekly|monthly|(?:\d+|three|four|five|six) times|never|rarely|most)\b")


def _often(kind: re.Match[str], said: Answer) -> str | None:
    is_often = said.value and _OFTEN.match(said.value) and not _POINTS.search(kind["does"])
    return f"I {in_first_person(kind['does'])} {said.value}." if is_often else None


_LENGTH = _pattern(r"(?:for |since |about |almost |nearly |over )*(?:an?|one|two|three|four|five|six|ten|\d+)\b.*")


def _for_long(kind: re.Match[str], said: Answer) -> str | None:
    if not _LENGTH.fullmatch(said.value) or _POINTS.search(kind["does"]):
        return None
    joint = "" if said.value.startswith(("for ", "since ")) else "for "
    return f"I have {in_first_person(kind['does'])} {joint}{said.value}."


_KINDS: tuple[tuple[re.Pattern[str], _Maker], ...] = tuple(
    (_pattern(asked), make)
    for asked, make in (
        (ASKS_NAME, _says("My name is {}.", lambda value: is_persons_name(_first(value)), _first)),
        (r"how old (?:is|are) your (?P<what>[\w' ]{2,30})", _old),
        (r"who is (?P<name>(?-i:[A-ZÀ-Þ])[\w'-]+)(?: to you)?", _relate),
        (r"how old are you|what is your age", _says("I'm {} years old.", _AGE.fullmatch, _digits)),
        (
            r"where (?:do you|are you) (?:originally )?(?:come )?from(?: originally)?",
            _says("I'm from {}.", _fits, _place),
        ),
        (rf"where (?:{DO_YOU}|are you )(?P<verb>live|located|living|based|work|study|teach|train)", _somewhere),
        (
            r"where did you (?P<verb>grow up|study|live|work|go)(?: (?:to )?(?:school|uni|university|college))?",
            _somewhere,
        ),
        (IN_TOWN, _says("I live in {}.", _fits, _place)),
        (FOR_A_LIVING, _working),
        (r"what do you (?:like to )?do (?:for fun|in your (?:free|spare) time|to relax)", _says("I like {}.", bool)),
        (OF_A_NAME, _named_thing),
        (r"(?:what|who) (?P<verb>is|are) your (?P<what>[\w' -]{2,50})", _own),
        (r"when is your (?P<what>[\w' -]{2,40})", _on_day),
        (rf"when is (?P<which>the (?:\w+ ){{0,2}}?{EVENT}|(?-i:[A-ZÀ-Þ])[\w-]+'s (?:\w+ )?{EVENT})", _event_on),
        (
            r"(?:do you have|have you (?:got|booked|made|arranged)) (?P<which>(?:an?|the|your) (?:\w+ )?"
            rf"{EVENT}(?: (?:with|at|for|in) [\w' -]{{2,30}})?)(?: (?:booked|planned|arranged|coming up))?",
            _event_on,
        ),
        (r"when did you (?P<verb>(?!say|mean|think|want|need)[a-z]+)(?P<rest>[\w' -]{0,30})", _did),
        (r"when were you born|what year were you born(?: in)?", _says("I was born {}.", at_time, at_time)),
        (rf"(?:when|what time) {DO_YOU}(?P<does>(?!want|need|think|mean|plan)[a-z]+[\w' -]{{0,40}})", _on_day),
        (
            r"how many (?P<what>kids|children|pets|cats|dogs|siblings|brothers|sisters|sons|daughters) do you have",
            _count_them,
        ),
        (
            r"do you have (?:any )?allergies(?: to (?:anything|any \w+))?|are you allergic to (?:any.*|something)",
            _allergy,
        ),
        (rf"do you have (?P<what>{THINGS}(?: or {THINGS})*)", _having),
        (
            rf"are you (?:currently |still |also )?(?P<what>{STATES}(?: or {STATES})*|allergic to [\w ,-]{{2,40}}"
            r"|(?:from|based in|living in) [\w ]{2,30})",
            _being,
        ),
        (rf"{DO_YOU}(?P<verb>{HABITS})(?P<rest> [\w' ,-]{{1,60}})?", _doing),
        (WHICH, _object),
        (r"who do you live with", _says("I live with {}.", bool, _without("with"))),
        (rf"how often {DO_YOU}(?P<does>[a-z]+[\w' -]{{0,40}})", _often),
        (r"how long have you (?P<does>(?:been |lived |worked |played |had |known )[\w' -]{0,50})", _for_long),
    )
)


# "What's her name?", where one wife, one dog was spoken of before.
_FOLLOWS = _pattern(
    r"\b(?:(?P<whose>his|her|its|their) name|(?P<who>he|she|they|it)(?= called$)|(?<=how old is )(?:he|she|it)"
    r"|(?<=how old are )they|(?<=^when is )(?P<it>it))\b"
)
_AND_EVENT = _pattern(rf"\band (?:an?|my|the|our|one) (?:[\w-]+ ){{0,2}}?{EVENT}\b")
_SPOKEN_OF = _pattern(rf"\b(?:an?|my|our|one) (?:\w+ ){{0,2}}?(?P<who>{KIN}|{ANIMAL})\b")


def _meant(pronoun: re.Match[str], before: str) -> str:
    """Return the one relative or animal of the speaker's that a pronoun of a question may mean; else the pronoun."""
    found = {one["who"].lower() for one in _SPOKEN_OF.finditer(before)}
    if pronoun["it"]:  # "I've got an interview." - "When is it?"
        events = () if found or _AND_EVENT.search(before) else OWN_EVENT.finditer(before)
        found = {f"{'the' if one['to'] else 'your'} {one['what'].lower()}" for one in events}
    if len(found) != 1:
        return pronoun[0]
    return found.pop() if pronoun["it"] else f"your {found.pop()}{chr(39) + 's name' if pronoun['whose'] else ''}"


def with_statement(question: str, text: str, before: str = "") -> str:
    """Return a message with the answer at its beginning written out as a statement; else the message as it is.

    `before` is what was said by the same side before the question: "What's her name?" may be about somebody in it.
    """
    if (told := told_in_other_language(question, text)) is not None:
        return told
    asked = _FOLLOWS.sub(lambda pronoun: _meant(pronoun, before), plain_question(question))
    if (found := answer_in(text, asked)) is None:
        return text
    for pattern, make in _KINDS:
        if (kind := pattern.fullmatch(asked)) is not None:
            made = make(kind, found[0])
            return text if made is None else f"{made} {found[1]}".strip()
    return text
