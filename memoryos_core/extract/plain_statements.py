"""What is told in passing as a plain statement, which fills a profile and can be replaced.

"Something quick, no eggs please, I come out in hives" tells of an allergy without its usual words. The plain statement
comes beside what was said: the sentence stays the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryos_core.extract.statement_subjects import FAMILY, PETS
from memoryos_core.rules.text.words import regex

_FOOD_TEXT = """
    almond apple avocado bacon banana bean beef berry berries bread butter cashew celery cheese cherry cherries chicken
    chickpea chili chilli chilies chocolate citrus coconut coffee coriander cilantro crab crustacean cucumber curry
    curries dairy duck egg fat fish fruit garlic gelatin gelatine gluten grapefruit grape ham hazelnut honey kiwi
    lactose lamb lentil lobster lupin mango meat milk mint mollusc mushroom mussel mustard nut nightshade oat olive
    onion orange
    oyster pasta peanut pea pecan pepper pineapple pistachio pork potato prawn rice salmon salt seafood sesame shellfish
    shrimp soy soya spinach spice squid strawberry strawberries sugar sultana sweet tofu tomato tuna turkey walnut wheat
    yeast yoghurt yogurt alcohol caffeine additive sulphite sulfite
"""
_FOOD_WORDS = frozenset(_FOOD_TEXT.split())
_WHICH = (
    r"(?:red|raw|processed|fried|fatty|oily|smoked|white|dark|cooked|spicy|hot|blue|goat's|cow's|tree|pine|brazil"
    r"|refined|added|green|bell|citrus|sour|soft|hard|cured|tinned)"
)
_FOOD = rf"(?:{_WHICH} )?(?:{'|'.join(_FOOD_TEXT.split())})(?:e?s)?(?: products?)?"
_FOODS = (
    rf"(?P<what>{_FOOD}(?:(?:, and |, or |, | and | or ){_FOOD})*)\b"
    r"(?![- ](?:free|allergy|recipes?|dish|dishes|based))"
)
_WITHOUT = r"(?:no|without|nothing with|not? any|skip the|hold the|leave out(?: the)?|minus(?: the)?|free of)"
_ILL = (
    r"(?:\bi (?:\w+ ){0,2}?(?:come|came|break|broke|swell|swelled) (?:out|up)\b|\bhives\b|\banaphyla\w+|\bepi-?pens?\b"
    r"|\b(?:puts?|lands?|has|had|landed|sends?|sent) me (?:in|to|into) (?:hospital|a&e|casualty"
    r"|the (?:hospital|infirmary|er|emergency))"
    r"|\b(?:my |and |, )(?:throat|face|tongue|lips?|mouth) (?:closes|swells?|goes|puffs?)"
    r"|\bmakes? me (?:\w+ )?(?:ill|sick|swell|throw up|vomit))"
)
_EXPERT = r"(?:doctor|doc|dr|gp|dietiti?cian|dietitian|nutritionist|nurse|consultant|specialist|cardiologist|midwife)"


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_ALLERGIES = (
    _pattern(
        rf"\b{_WITHOUT} {_FOODS}[^.?!]{{0,30}}?\bi(?:'m| am) (?:\w+ ){{0,2}}(?:allergic|intolerant)\b"
        r"(?! (?:to|of|against))"
    ),
    _pattern(
        rf"\b(?:{_WITHOUT}|i (?:can't|cannot|can not|mustn't) (?:eat|have|do|touch)) {_FOODS}[^.?!]{{0,60}}?{_ILL}"
    ),
    _pattern(rf"\bi (?:\w+ )?react (?:(?:very|really|so|quite) )?(?:badly |terribly |violently )?to {_FOODS}"),
    _pattern(
        rf"(?:^|[,.] |\b(?:and|but|because|as) ){_FOODS} (?:would|could|will|nearly|almost|might) kill(?:ed)? me\b"
    ),
)
_INTOLERANT = _pattern(r"\bi(?:'ve| have)?(?: got)? (?:an? )?intolerance (?:for|to|of|against) (?P<what>[a-z]{3,15})\b")
_BEING = (
    r"(?P<what>vegan|vegetarian|veggie|pescatarian|co?eliac|(?:type [12] )?diabetic|asthmatic|teetotal"
    r"|lactose[- ]intolerant)"
)
_HERE = (
    r"(?=,? (?:here|now(?=[.,!]|$)|since|from birth|btw|by the way|so (?:no|nothing)|for (?:\w+ ){1,2}(?:years|months)"
    r"|for (?:years|ages))\b)"
)
_STATES = (
    _pattern(rf"^(?:(?:and|also|still|so|but|btw|reminder),? )*{_BEING}{_HERE}"),
    _pattern(rf"(?:[,;] |\band ){_BEING}{_HERE}"),
    _pattern(r"\bi(?:'m| am)\b[^.?!]{0,60}?,? so (?P<what>co?eliac) and\b"),
)
_AVOIDED = (
    _pattern(rf"\bi(?:'m| am) (?:now |still |completely |totally |staying )?off (?:the |all )?{_FOODS}"),
    _pattern(
        r"\bi(?:'ve| have)? (?:\w+ ){0,3}?(?:(?:must|should|need to|have to|has to|got to|gotta) )?"
        r"(?:cut out|cutting out|laid off|laying off|given up|gave up|give up|stopped eating|quit eating|stay off"
        rf"|avoid) (?:the |all )?{_FOODS}"
    ),
    _pattern(
        rf"\b{_EXPERT}\b[^.?!]{{0,60}}?\b(?:says?|said|told me|wants me|ordered|recommends|advised)\b[^.?!]{{0,25}}?"
        rf"\b(?:no(?: more)?|off|avoid|cut out|give up|without) (?:the |all )?{_FOODS}"
    ),
    _pattern(
        r"\b(?:i|we) (?:(?:can't|cannot|can not|mustn't|must not|am not allowed|'m not allowed) (?:really |ever )?"
        rf"(?:to )?(?:do|have|touch|stomach|tolerate|digest)|(?:don't|do not) do) (?:any )?{_FOODS}"
    ),
    _pattern(rf"^{_FOODS} i (?:can't|cannot|can not)(?: have| eat)?(?=[,.!]|$)"),
    _pattern(rf"\b(?:has|have|needs?) to be (?P<what>{_FOOD})[- ]free\b(?=[^.?!]*\b(?:i|i'm|me|my)\b)"),
    _pattern(
        rf"\b(?:we(?:'re| are)|ours is|mine is) an? (?P<what>{_FOOD})[- ]free (?:household|family|house|home|kitchen)\b"
    ),
    _pattern(rf"\bno more {_FOODS} for me\b"),
)
_OVER = _pattern(
    r"\b(?:the |my )?(?P<what>vegan|vegetarian|veggie|keto|pescatarian)(?:ism)?"
    r"(?: (?:thing|phase|diet|experiment|life))?(?: (?:only |just )?(?:lasted|didn't last|is over|ended)|'s over)\b"
)
_EATEN = (
    _pattern(rf"\b(?:i'm|i am|been|started) eating {_FOODS} again\b"),
    _pattern(rf"\b{_FOODS}(?:'s| is| are) (?:ok|okay|fine|all right) (?:for me|again)\b"),
    _pattern(rf"\bi can (?:eat|have) {_FOODS} again\b"),
)
_HATED = _pattern(
    rf"\b(?:no|nothing with) {_FOODS}(?: please| mind)?,? (?:because )?(?:i )?(?:really )?(?:(?:can't|cannae) stand"
    r"|hate|detest|loathe) (?:them|it|that)\b"
)
_OF_OTHERS = _pattern(
    r"\b(?:he|she|they|his|her|their|(?:my|our) (?:son|daughter|wife|husband|mum|mom|dad|mother|father|sister|brother"
    r"|partner|girlfriend|boyfriend|friend|flatmate|guest|boss|kid|child|dog|cat)s?)\b"
)
_FOR_NOW = _pattern(
    r"\b(?:if i|whether|tonight|today|this (?:week|month|evening)|for now|for lent|used to|when i was"
    r"|as a (?:kid|child)|should i|can i|may i)\b"
)
# Without one of these words no pattern of the kind matches, and most sentences have none.
_WORD = regex(r"[a-z]+")
_STATE_TEXT = (
    "vegan vegetarian veggie veganism vegetarianism pescatarian coeliac celiac diabetic asthmatic teetotal keto"
)
_STATE_WORDS = frozenset((*_STATE_TEXT.split(), "lactose", "intolerance"))
_DRUNK = frozenset(("alcohol", "caffeine", "coffee", "milk"))
_SHORT = {"veggie": "vegetarian", "celiac": "coeliac"}


_NOT_SO = _pattern(rf"\bi(?:'m| am) not (?:actually |really )?{_BEING}(?= (?:at all|after all|any ?more)\b)")

# ------------------------------------------------------------------------------------------------ other news

_THEY_MOVED = _pattern(
    r"\bthey(?:'ve| have)? (?:just )?(?P<verb>moved|pushed|postponed|shifted|rescheduled|delayed|changed|put)"
    r"(?P<way> back| forward| off)? (?P<what>(?:my|our|the) [\w' -]{2,40}?)(?: back| forward| off)?"
    r" (?P<to>(?:to|until|till) [^.,;?!]{2,40})"
)
_JUST_MOVED = _pattern(
    r"(?:(?:we|i|so|and|also|oh|btw|news)(?:'ve| have)?,? )*(?:just |finally )?moved(?: (?:in|last|on|this) \w+)?"
    r"(?: btw)?[.!,]*"
)
_NOW_IN = _pattern(
    r"(?:(?:we're|we are|i'm|i am|were|now) )*(?:in )?(?P<place>[a-z][\w'-]{2,20}(?: (?-i:[A-Z])[\w'-]+)?) now\b"
)
_MOVED_IN = _pattern(
    r"\bmoved\b[^.?!]{0,30}?, (?:and )?(?:now )?(?:we're|we are|were|i'm|i am) (?:now )?in"
    r" (?P<place>[a-z][\w'-]{2,20}(?: (?-i:[A-Z])[\w'-]+)?)\b(?! the\b)"
)
_NO_PLACE_TEXT = "the our now its all happy better here there good done much"
_NO_PLACE = frozenset(_NO_PLACE_TEXT.split())
_SCHOOL_YEAR = _pattern(r"(?:now |so |in )*(?P<year>\d{1,2}(?:st|nd|rd|th) (?:year|grade))(?: now)?[.!]")
_APART = _pattern(
    r"^(?:(?:so|and|in other news|btw|update|yeah|well|ugh),? )*"
    r"(?:(?P<name>[a-z]{3,12}) and i|me and (?P<other>[a-z]{3,12}))"
    r" (?:are (?:now |officially )?(?:done|over|finished|through|history|no more))\b"
)
_NUMBERS_TEXT = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBERS_TEXT.split(), 1)}
_AGE = rf"(?P<age>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_NAME = r"(?-i:(?P<name>[A-Z][a-zà-ÿ]{1,14}))"
_AGED = (
    _pattern(rf"\b{_NAME},? (?:who(?:'s|s| is)) (?:now |already |only )?{_AGE}(?=[,.!?)]|$| (?:and|now|but|years)\b)"),
    _pattern(rf"^{_NAME} [^.?!]{{3,80}}?\b(?:he|she)(?:'s| is) {_AGE}(?= and\b|[,.!]|$)"),
)
_CHILDREN = _pattern(
    r"\b(?:kids?|children|sons?|daughters?|brothers?|sisters?|siblings|nieces?|nephews?|grandchildren|girls|boys)\b"
)
_LISTED = _pattern(rf"\b{_NAME}(?:, {_AGE}(?=,| and\b|\.|$)| \((?P<bracketed>\d{{1,2}})\))")


def with_plain_statements(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences, each with what it tells in passing as plain statements behind it."""
    before = ""
    for sentence in sentences:
        yield sentence
        yield from dict.fromkeys((*_statements(sentence), *_news(before, sentence)))
        before = sentence


def _news(before: str, sentence: str) -> Iterator[str]:
    """Yield what happened: another date, another home, a separation, somebody's age."""
    for moved in _THEY_MOVED.finditer(sentence):
        what = moved["what"]
        yield f"{what[:1].upper()}{what[1:]} was {moved['verb']}{moved['way'] or ''} {moved['to']}."
    place = (_NOW_IN.match(sentence) if _JUST_MOVED.fullmatch(before) else None) or _MOVED_IN.search(sentence)
    if place is not None and place["place"].lower() not in _NO_PLACE:
        yield f"I moved to {_named(place['place'])}."
    if year := _SCHOOL_YEAR.match(sentence):
        yield f"I'm in {year['year'].lower()}."
    if apart := _APART.match(sentence):
        yield f"{_named(apart['name'] or apart['other'])} and I broke up."
    listed = _LISTED.finditer(sentence) if _CHILDREN.search(sentence) else ()
    for aged in (*(found for pattern in _AGED for found in pattern.finditer(sentence)), *listed):
        age = (aged["age"] or aged["bracketed"]).lower()
        yield f"{aged['name']} is {_NUMBERS.get(age, age)}."


def _named(word: str) -> str:
    return word[:1].upper() + word[1:]


_ARRIVED = regex(r"(?i:hello|hi|greetings) from ([A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})[.!]*")
_MOVED_THERE = regex(r"(?:(?:i|we) )?(?:just )?moved in\b", re.IGNORECASE)


def with_arrival(read: Iterable[str]) -> Iterator[str]:
    """Return the sentences; "Hello from Leith! Moved in on Saturday." tells in two of them where somebody lives."""
    place: str | None = None
    for sentence in read:
        moved = _MOVED_THERE.match(sentence)
        yield f"I moved to {place}{sentence[moved.end() :]}" if place and moved else sentence
        arrived = _ARRIVED.fullmatch(sentence)
        place = arrived[1] if arrived else None


_COMPANION = regex(
    rf"\b(?:live|living|moved|settled)\b[^.;?]*?\bwith my (?P<who>(?:{FAMILY}|{PETS}))"
    r"(?:,| called| named)? (?-i:(?P<name>[A-ZÀ-Þ][\w'-]+)\b)",
    re.IGNORECASE,
)


def companion_in(clause: str) -> str | None:
    """Return who shares the home that a clause tells of, as a clause: "I live here with my cat Moth"."""
    found = _COMPANION.search(clause)
    if found is None or found["who"].lower().endswith(("s", "children")):
        return None  # several persons, several names
    return f"I have a {found['who'].lower()} called {found['name']}"


def _statements(sentence: str) -> Iterator[str]:
    words = frozenset(_WORD.findall(sentence.lower()))
    if not words.isdisjoint(_STATE_WORDS):
        yield from _states(sentence)
    if not any(
        word in _FOOD_WORDS or word.removesuffix("s") in _FOOD_WORDS or word.removesuffix("es") in _FOOD_WORDS
        for word in words
    ):
        return
    allergy = next((found["what"] for p in _ALLERGIES if (found := p.search(sentence))), None)
    if allergy is not None:
        yield from (f"I'm allergic to {food}." for food in _each(allergy))
    elif not (_OF_OTHERS.search(sentence) or _FOR_NOW.search(sentence)):
        yield from _avoided(sentence)


def _states(sentence: str) -> Iterator[str]:
    if intolerant := _INTOLERANT.search(sentence):
        yield f"I'm {intolerant['what'].lower()}-intolerant."
    if _OF_OTHERS.search(sentence):
        return
    if wrong := _NOT_SO.search(sentence):
        yield f"I'm not {_diet(wrong)}."
    if over := _OVER.search(sentence):
        yield f"I'm no longer {_diet(over)}."
    for state in (found for pattern in _STATES for found in pattern.finditer(sentence)):
        yield f"I'm {_diet(state)}."


def _diet(found: re.Match[str]) -> str:
    what = found["what"].lower()
    return _SHORT.get(what, what)


def _avoided(sentence: str) -> Iterator[str]:
    found = next((found["what"].lower() for p in _AVOIDED if (found := p.search(sentence))), None)
    if found is not None:
        yield from (f"I don't {'drink' if food in _DRUNK else 'eat'} {food}." for food in _each(found))
    elif hated := _HATED.search(sentence):
        yield from (f"I hate {food}." for food in _each(hated["what"]))
    elif again := next((found for p in _EATEN if (found := p.search(sentence))), None):
        yield from (f"I eat {food} again." for food in _each(again["what"]))


_LISTED_AS = regex(r",? and |,? or |, ", re.IGNORECASE)


def _each(foods: str) -> list[str]:
    """Return each of several foods: one of them may be eaten again."""
    return _LISTED_AS.split(foods.lower())
