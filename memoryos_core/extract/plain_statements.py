"""Plain statements of what is told in passing: they fill a profile and can be replaced.

"Something quick, no eggs please, I come out in hives" tells of an allergy without its usual words. The plain statement
comes beside what was said: the sentence stays the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryos_core.extract.statement_kinds import is_supposed
from memoryos_core.extract.statement_subjects import FAMILY, PETS
from memoryos_core.rules.knowledge.domains import domains_of
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.news import without_unreal
from memoryos_core.rules.knowledge.phrases import DRUG, DRUG_ALONE, GIVER
from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.words import regex

_FOOD_TEXT = """
    almond apple avocado bacon banana bean beef berry berries bread butter cashew celery cheese cherry cherries
    chicken chickpea chili chilli chilies chocolate citrus coconut coffee coriander cilantro crab crustacean
    cucumber curry curries dairy duck egg fat fish fruit garlic gelatin gelatine gluten grapefruit grape ham
    hazelnut honey kiwi lactose lamb lentil lobster lupin mango meat milk mint mollusc mushroom mussel mustard nut
    nightshade oat olive onion orange oyster pasta peanut pea pecan pepper pineapple pistachio pork potato prawn
    rice salmon salt seafood sesame shellfish shrimp soy soya spinach spice squid strawberry strawberries sugar
    sultana sweet tofu tomato tuna turkey walnut wheat yeast yoghurt yogurt alcohol caffeine additive sulphite sulfite
"""
_FOOD_WORDS = frozenset(_FOOD_TEXT.split())
_WHICH = (
    r"(?:red|raw|processed|fried|fatty|oily|smoked|white|dark|cooked|spicy|hot|blue|goat's|cow's|tree|pine|brazil"
    r"|refined|added|green|bell|citrus|sour|soft|hard|cured|tinned)"
)
_FOOD = rf"(?:{_WHICH} )?(?:{'|'.join(_FOOD_TEXT.split())})(?:e?s)?(?: products?)?"
_FOODS = rf"(?P<what>{_FOOD}(?:(?:, and |, or |, | and | or ){_FOOD}){{0,5}})\b(?!-)"
# What stands behind foods that nothing else is made of: not "orange paper", nor "nut recipes".
_ALONE = (
    r"(?=[.,!?;)]|$| (?:and|but|because|since|from|so|with|at all|as|completely|entirely|altogether|again|please|pls"
    r"|tho|though|until|till|any ?more|any longer|last|now|too|these days|a few|two|three|years|months|weeks"
    r"|for (?:good|years|months|ages|health|medical|religious|my (?:health|heart|stomach|skin))"
    r"|in (?:\d{4}|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber))\b)"
)
_WITHOUT = r"(?:no|without|nothing with|not? any|skip the|hold the|leave out(?: the)?|minus(?: the)?|free of)"
_ILL = (
    r"(?:\bi (?:\w+ ){0,2}?(?:come|came|break|broke) (?:out|up) in (?:hives|a rash|spots|welts|lumps|bumps|blotches)\b"
    r"|\bi (?:\w+ ){0,2}?swell(?:ed)? up\b|\bhives\b|\banaphyla\w+|\bepi-?pens?\b"
    r"|, swell(?:s|ed)? up\b|\b(?:puts?|lands?|has|had|landed|sends?|sent) me (?:in|to|into) (?:hospital|a&e|casualty"
    r"|the (?:hospital|infirmary|er|emergency))"
    r"|\b(?:my |and |, )(?:throat|face|tongue|lips?|mouth) (?:closes|swells?|goes|puffs?)"
    r"|\b(?:it|they|that|those) makes? me (?:\w+ )?(?:ill|sick|swell|throw up|vomit)\b(?! of\b))"
)
_EXPERT = r"(?:doctor|doc|dr|gp|dietiti?cian|nutritionist|nurse|consultant|specialist|cardiologist|midwife)"


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_AM = r"\bi(?:'m| am) (?!not\b)"
_ALLERGIES = (
    _pattern(
        rf"\b{_WITHOUT} {_FOODS}[^.?!]{{0,30}}?{_AM}(?:(?!not\b)\w+ ){{0,2}}(?:allergic|intolerant)\b"
        r"(?! (?:to|of|against|myself))"
    ),
    _pattern(
        rf"\b(?:{_WITHOUT}|i (?:can't|cannot|can not|mustn't) (?:eat|have|do|touch)) {_FOODS}[^.?!]{{0,60}}?{_ILL}"
    ),
    _pattern(
        r"\bi (?:(?!never|hardly)\w+ )?react (?:(?:very|really|so|quite) )?(?:badly |terribly |violently )?to"
        rf" {_FOODS}{_ALONE}"
    ),
    _pattern(
        rf"(?:^|[,.] |\b(?:and|but|because|as) ){_FOODS} (?:would|could|nearly|almost|might) kill(?:ed)? me\b"
        r"(?! (?:one day|right now|now|at this|today|tonight)\b)"
    ),
)
_INTOLERANT = _pattern(
    r"\bi(?:'ve| have)?(?: got)? (?:an? )?intolerance (?:for|to|of|against)"
    rf" (?P<what>fructose|histamine|sorbitol|salicylates|{_FOOD})\b"
)
_BEING = (
    r"(?P<what>vegan|vegetarian|veggie|pescatarian|co?eliac|(?:type [12] )?diabetic|asthmatic|teetotal"
    r"|lactose[- ]intolerant)"
)
_HERE = (
    r"(?=,? (?:here(?!\?)|now(?=[.,!]|$)|since|from birth|btw|by the way|so (?:no|nothing)|for (?:years|ages)"
    r"|for (?:\w+ ){1,2}(?:years|months))\b)"
)
_IS_SO = _pattern(rf"^(?:(?:and|also|still|so|but|btw|reminder),? )*{_BEING}{_HERE}")
_AND_SO = _pattern(rf"\band {_BEING}{_HERE}")
_STATES = (
    _IS_SO,
    # Who is described is the subject behind the comma: "As a vegan, Tom told me I was wrong" is of Tom.
    _pattern(
        rf"^as an? {_BEING}(?=, (?:(?:of course|obviously|personally|also|often|naturally),? )?(?:(?:i|we)\b|my \w+"
        r"|(?:what|how|which|where|when|why|can|could|should|do|does|is|are|am|any|it's|there's)\b(?-i:[a-z' ]*?)\b"
        r"(?:(?:can|could|should|do|would|may|must|am|have|for|near) (?:i|me|we)|i (?:can|could|should|may|need))\b))"
    ),
    _pattern(rf"(?:[,;] |\band ){_BEING}(?= since i (?:was|turned)\b)"),
    _pattern(
        rf"{_AM}(?:vegetarian|vegan|veggie)\b[^.?!]{{0,40}}?,? so (?P<what>co?eliac) and (?:vegetarian|vegan|veggie)\b"
    ),
)
# How somebody has come to eat something no more: not "never", "would", "tried to".
_HAVING = r"\bi(?:'ve| have)? (?:(?:now|just|also|recently|finally|completely|already|totally|had to|am told i must) )*"
_AVOIDED = (
    _pattern(rf"{_AM}(?:now |still |completely |totally |staying )?off (?:the |all )?{_FOODS}{_ALONE}"),
    _pattern(
        rf"{_HAVING}(?:been )?(?:must )?(?:cut(?:ting)? out|laid off|laying off|given up|gave up|give up|stopped eating"
        rf"|quit eating|avoid|stay off) (?:the |all )?{_FOODS}{_ALONE}"
    ),
    _pattern(
        rf"\b{_EXPERT}\b[^.?!]{{0,60}}?\b(?:says?|said|told me|wants me|ordered|recommends|advised)\b"
        r"(?:(?!\b(?:not|don't|doesn't|needn't|there's|no need)\b)[^.?!]){0,25}?"
        rf" (?:no(?: more)?|off|avoid|cut out|give up) (?:the |all )?{_FOODS}{_ALONE}"
    ),
    _pattern(
        r"\bi (?:(?:can't|cannot|can not|mustn't|must not|am not allowed|'m not allowed) (?:really |ever )?"
        rf"(?:to )?(?:do|have|touch|stomach|tolerate|digest)|(?:don't|do not) do) (?:any )?{_FOODS}{_ALONE}"
    ),
    _pattern(rf"^{_FOODS} i (?:can't|cannot|can not)(?: have| eat)?(?=[,.!]|$)"),
    _pattern(rf"\b(?:has|have|needs?) to be (?P<what>{_FOOD})[- ]free\b(?=[^.?!]*\b(?:i|i'm|me|my)\b)"),
    _pattern(
        rf"\b(?:we(?:'re| are)|ours is|mine is) an? (?P<what>{_FOOD})[- ]free (?:household|family|house|home|kitchen)\b"
    ),
    _pattern(rf"\bno more {_FOODS} for me\b"),
    _pattern(
        rf"\b(?:no|nothing with) {_FOODS}(?: please| mind)?,? (?:because )?(?:i )?(?:really )?(?:(?:can't|cannae) stand"
        r"|hate|detest|loathe) (?:them|it|that)\b"
    ),
    _pattern(rf"\bi (?:(?:still|really|just) )*(?:can't|cannae|cannot|can not) stand {_FOODS}{_ALONE}"),
)
_NOT_SO = _pattern(rf"\bi(?:'m| am) not (?:actually |really )?{_BEING}(?= (?:at all|after all|any ?more)\b)")
_OVER = _pattern(
    r"\b(?:the |my )?(?P<what>vegan|vegetarian|veggie|keto|pescatarian)(?:ism)?"
    r"(?: (?:thing|phase|diet|experiment|life))?(?: (?:only |just )?(?:lasted|didn't last|is over|ended)|'s over)"
    r"\b(?!-)"
)
_EATEN = (
    _pattern(rf"\b(?:i'm|i am|been|started) (?P<how>eating|drinking) {_FOODS} again\b"),
    _pattern(rf"\b{_FOODS}(?:'s| is| are) (?:ok|okay|fine|all right) (?:for me )?(?:again|after all|now)\b"),
    _pattern(rf"\bi can (?:eat|have) {_FOODS} again\b"),
    _pattern(rf"{_AM}back on (?:the )?{_FOODS}{_ALONE}"),
)
_OF_OTHERS = _pattern(
    r"\b(?:he|she|they|his|her|their|(?:my|our|the) (?:\w+ )?(?:son|daughter|wife|husband|mum|mom|dad|mother|father"
    r"|sister|brother|partner|girlfriend|boyfriend|friend|flatmate|guest|boss|kid|child|dog|cat|gran|grandma|grandad"
    r"|grandpa|nan|aunt|uncle|cousin|niece|nephew|colleague|neighbou?r|client|patient)s?)\b"
)
_FOR_NOW = _pattern(
    r"\b(?:if i|when i|whether|today|tonight|tomorrow|this (?:week|month|evening)|for now|for lent|used to"
    r"|until i|can't wait|i wish|i hope"
    r"|as a (?:kid|child)|should i|can i|may i|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|(?:at|in) (?:school|work|the office|class))\b"
)
# Words of others, and what is only thought of.
_NOT_SAID = _pattern(
    r"[\"“”«»]|\b(?:wrote|writes|texted|reads|quote)\b|, (?:said|says) (?-i:[A-Z])"
    r"|^(?:translate|rewrite|rephrase|imagine|suppose|pretend|say|write|how do (?:you|i) say)\b"
)
_ASKS = _pattern(r"^(?:what|how|why|when|where|who|which|do|does|did|is|are|have|has|if)\b")
# Without one of these words no pattern of the kind matches, and most sentences have none.
_WORD = regex(r"[a-z]+")
_STATE_TEXT = (
    "vegan vegetarian veggie veganism vegetarianism pescatarian coeliac celiac diabetic asthmatic teetotal keto"
)
_STATE_WORDS = frozenset((*_STATE_TEXT.split(), "lactose", "intolerance"))
_LONGEST = 400
"""Characters of a sentence that is read; a longer one is a list or no sentence."""
_DRUNK = frozenset(("alcohol", "caffeine", "coffee", "milk"))
_SHORT = {"veggie": "vegetarian", "celiac": "coeliac"}

# ------------------------------------------------------------------------------------------------ other news

_THEY_MOVED = _pattern(
    r"\bthey(?:'ve| have)? (?:just )?(?P<verb>moved|pushed|postponed|shifted|rescheduled|delayed|changed|put)"
    r"(?P<way> back| forward| off)? (?P<what>(?:my|our|the|(?-i:[A-Z])[\w-]+'s) [\w' -]{2,40}?)(?: back| forward| off)?"
    r" (?:to|until|till) (?P<value>[^.,;?!]{2,40}?)(?=[.,;?!]|$| (?:because|since|as|so|due|cos)\b)"
)
_THOUGHT_OF = _pattern(r"\?$|\b(?:wish|maybe|if|perhaps|hope|should|could|might|would)\b")
_JUST_MOVED = _pattern(
    r"(?:(?:we|i|so|and|also|oh|btw|news)(?:'ve| have)?,? )*(?:just |finally )?moved(?: (?:in|last|on|this) \w+)?"
    r"(?: btw)?[.!,]*"
)
# "I'm in trouble now" names no place, nor "I moved jobs, I'm in accounting".
_PLACE = (
    r"in (?P<place>(?!(?:charge|trouble|therapy|marketing|luck|tears|bed|pain|debt|love|hospital|school|sales|finance"
    r"|accounting|boxes|fact|general|here|there|it|the|a|an|my|our|his|her|their)\b)[a-z][\w'-]{2,20}"
    r"(?: (?-i:[A-Z])[\w'-]+)?)"
)
_NOW_IN = _pattern(rf"(?:(?:we're|we are|i'm|i am|were|now) )*{_PLACE} now\b")
_MOVED_IN = _pattern(
    r"^(?:(?:so|and|also|oh),? )*(?:i|we)(?:'ve| have)? (?:just |finally )?moved(?! (?:jobs?|teams?|desks?)\b)"
    r"[^.?!]{0,30}?, (?:and )?(?:now )?(?:we're|we are|were|i'm|i am) (?:now )?"
    rf"{_PLACE}\b(?: now\b|[.,!]|$)"
)
_APART = _pattern(
    r"^(?:(?:so|and|in other news|btw|update|yeah|well|ugh),? )*"
    r"(?:(?P<name>(?!(?:mum|mom|dad|cardio|we|he|she|it|they|you)\b)[a-z]{3,12}) and i|me and (?P<other>[a-z]{3,12}))"
    r" are (?:now |officially )?(?:done|over|finished|through|history|no more)(?=[.,!;]|$)"
)
_NUMBERS_TEXT = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBERS_TEXT.split(), 1)}
_AGE = rf"(?P<age>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_NAME = r"(?-i:(?P<name>[A-Z][a-zà-ÿ]{1,14}))"
_AGED = (
    _pattern(
        rf"\b{_NAME},? (?:who(?:'s|s| is)) (?:now |already |only )?{_AGE}(?: years old)?"
        r"(?=[,.!?)]|$| (?:and (?!a half)|now|but)\b)"
    ),
    _pattern(
        rf"^{_NAME} (?![^.?!]*\b(?:{FAMILY})\b)(?-i:[^.?!A-Z]{{3,80}}?)\b(?:he|she)(?:'s| is) {_AGE}"
        r"(?= and (?!a half)|[,.!]|$)"
    ),
)
_CHILDREN = _pattern(
    r"\b(?:kids?|children|sons?|daughters?|brothers?|sisters?|siblings|nieces?|nephews?|grandchildren|girls|boys)"
    r"(?: are| called| named)?[,:]? (?-i:[A-Z])[a-zà-ÿ]{1,14}(?:, (?!and\b)| \(| who)"
)
_LISTED = _pattern(rf"\b{_NAME}(?:, {_AGE}(?=,| and\b|\.|$)| \((?P<bracketed>\d{{1,2}})\))")
_SCHOOL_YEAR = _pattern(r"(?:now |so |in )*(?P<year>\d{1,2}(?:st|nd|rd|th) (?:year|grade))(?: now)?[.!]")
# "Doctor swapped the ramipril for losartan."
_MEDICINE = (
    _pattern(
        rf"(?:{GIVER}|^)(?:swapped|switched|changed|moved|replaced)(?: (?:me|over|off|from|back))*"
        rf"(?: (?:the|my))? (?P<old>{DRUG})(?:,)? (?:for|to|on ?to|with|by) (?:the )?(?P<new>{DRUG}){DRUG_ALONE}"
    ),
    _pattern(rf"{GIVER}(?:put|started|has|have|got) me (?:back )?on (?:the )?(?P<new>{DRUG}){DRUG_ALONE}"),
)
# Who else it is for, who says it, and what was not so: it stands around the words of the medicine.
_SAID_BEFORE = _pattern(r"\b(?:said|says|told|claims?|thinks?|heard|read|used to|as a \w+|when i was|years ago|vet)\b")
_NOT_BEHIND = _pattern(
    rf" for (?:(?:my|our|the|his|her|their|a) (?:[\w-]+ )?(?:{FAMILY}|{PETS})\b|(?-i:[A-Z][a-z]+)(?!'s| disease))"
    r"|, or so\b| for (?:an?|one|two|three|\d+) (?:day|week|night)s?\b|\bas a (?:kid|child|baby)|\bwhen i was\b"
    r"|\b(?:but|then)\b(?:.*(?:\b(?:never|refus|declin|stopp|back\b)|n't\b)|(?: i| they| then)* ?[.!]*$)"
)
# "I'm 16 now so can I get a job?": the question alone would take the statement with it.
_BEFORE_QUESTION = _pattern(
    r"(?:(?:and|also|well|ok),? )*"
    r"(?P<told>(?:(?:i|we)(?:'m|'re|'ve| am| are| have)|my [\w ]{2,20}? (?:is|has)) [^,?]{2,50}?)"
    r",? so (?=(?:can|could|should|do|will|am|is) (?:i|we|you|it|that)\b|(?:what|how|where)\b)[^?]*\?"
)
# The reason of a question is a statement: "Since I work nights, when should I have breakfast?"
_REASON_OF_QUESTION = _pattern(
    r"(?:(?:and|also|well|ok|so),? )*(?:since|as|because|given that|now that|seeing as) "
    r"(?P<told>(?:i|we|my [\w ]{2,20}?)\b(?!(?: really)? (?:have no (?:idea|clue)|don't know|can't (?:decide|tell)))"
    r" ?[^,?]{4,60}), (?=(?:what|how|where|when|which|who|why|can|could|should|do|does|is|are|will|any)\b)[^?]*\?"
)


def with_plain_statements(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences, each with what it tells in passing as plain statements behind it."""
    before = ""
    for sentence in sentences:
        yield sentence
        if len(sentence) <= _LONGEST and not _NOT_SAID.search(sentence):
            told = without_unreal(sentence)
            yield from dict.fromkeys((*_restrictions(told), *_news(before, told)))
        before = sentence


def _news(before: str, sentence: str) -> Iterator[str]:
    """Yield what happened: another date, another home, a separation, somebody's age."""
    for moved in () if _THOUGHT_OF.search(sentence) else _THEY_MOVED.finditer(sentence):
        what = moved["what"]
        if kinds_of(f"in {moved['value']}"):
            yield f"{what[:1].upper()}{what[1:]} was {moved['verb']}{moved['way'] or ''} to {moved['value']}."
    place = (_NOW_IN.match(sentence) if _JUST_MOVED.fullmatch(before) else None) or _MOVED_IN.search(sentence)
    if place is not None:
        yield f"I moved to {_capitalise(place['place'])}."
    yield from _medicines(sentence)
    reason = None if is_supposed(sentence) else _REASON_OF_QUESTION.fullmatch(sentence)
    if asked := _BEFORE_QUESTION.fullmatch(sentence) or reason:
        yield f"{asked['told'][:1].upper()}{asked['told'][1:]}."
    if year := _SCHOOL_YEAR.match(sentence):
        yield f"I'm in {year['year'].lower()}."
    apart = _APART.match(sentence)
    if apart is not None and not domains_of(who := apart["name"] or apart["other"]):  # "dinner and I are done"
        yield f"{_capitalise(who)} and I broke up."
    yield from _ages(sentence)


def _medicines(sentence: str) -> Iterator[str]:
    """Yield which medicine the speaker takes now, and which no more."""
    found = _first_match(_MEDICINE, sentence)
    if (
        found is None
        or _OF_OTHERS.search(sentence, 0, found.start())
        or _SAID_BEFORE.search(sentence, 0, found.start())
        or _NOT_BEHIND.search(sentence, found.end())
        or _THOUGHT_OF.search(sentence)
    ):
        return
    if old := found.groupdict().get("old"):
        yield f"I no longer take {old.lower()}."
    yield f"I take {found['new'].lower()}."


def _ages(sentence: str) -> Iterator[str]:
    """Yield how old somebody is who is named: a child, a brother."""
    listed = _LISTED.finditer(sentence) if _CHILDREN.search(sentence) else ()
    for aged in (*(found for pattern in _AGED for found in pattern.finditer(sentence)), *listed):
        age = (aged["age"] or aged["bracketed"]).lower()
        if aged["name"].lower() not in FUNCTION_WORDS["en"]:  # "My dad is ill, he's 68"
            yield f"{aged['name']} is {_NUMBERS.get(age, age)}."


def _capitalise(word: str) -> str:
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


def _restrictions(sentence: str) -> Iterator[str]:
    """Yield what the speaker cannot or will not eat."""
    words = frozenset(_WORD.findall(sentence.lower()))
    if not words.isdisjoint(_STATE_WORDS):
        yield from _states(sentence)
    if not any(
        word in _FOOD_WORDS or word.removesuffix("s") in _FOOD_WORDS or word.removesuffix("es") in _FOOD_WORDS
        for word in words
    ):
        return
    allergy = _allergy_in(sentence)
    if allergy is not None:
        yield from (f"I'm allergic to {food}." for food in _each(allergy))
    elif not any(pattern.search(sentence) for pattern in (_OF_OTHERS, _FOR_NOW, _ASKS)):
        yield from _find_avoided(sentence)


def _states(sentence: str) -> Iterator[str]:
    if intolerant := _INTOLERANT.search(sentence):
        yield f"I'm {intolerant['what'].lower()}-intolerant."
    if _OF_OTHERS.search(sentence):
        return
    if wrong := _NOT_SO.search(sentence):
        yield f"I'm not {_diet(wrong)}."
    if over := _OVER.search(sentence):
        yield f"I'm no longer {_diet(over)}."
    patterns = (*_STATES, _AND_SO) if _IS_SO.match(sentence) else _STATES
    for state in (found for pattern in patterns for found in pattern.finditer(sentence)):
        yield f"I'm {_diet(state)}."


def _diet(found: re.Match[str]) -> str:
    what = found["what"].lower()
    return _SHORT.get(what, what)


def _find_avoided(sentence: str) -> Iterator[str]:
    if (avoided := _first_of(_AVOIDED, sentence)) is not None:
        yield from (f"I don't {_verb(food)} {food}." for food in _each(avoided))
    elif (again := _first_of(_EATEN, sentence)) is not None:
        yield from (f"I {_verb(food)} {food} again." for food in _each(again))


def _allergy_in(sentence: str) -> str | None:
    """Return the foods that make the speaker ill; what gives hives to a daughter is another matter."""
    found = _first_match(_ALLERGIES, sentence)
    of_others = found is not None and _OF_OTHERS.search(found[0]) is not None
    return None if of_others else _first_of(_ALLERGIES, sentence)


def _first_match(patterns: Iterable[re.Pattern[str]], sentence: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.search(sentence))), None)


def _first_of(patterns: Iterable[re.Pattern[str]], sentence: str) -> str | None:
    """Return the foods of the first pattern that matches; a name in capitals, such as Apple, is no food."""
    found = _first_match(patterns, sentence)
    is_name = found is not None and found["what"][:1].isupper() and found.start("what") > 0
    return None if found is None or is_name else found["what"]


def _verb(food: str) -> str:
    return "drink" if food in _DRUNK else "eat"


_LISTED_AS = regex(r",? and |,? or |, ", re.IGNORECASE)


def _each(foods: str) -> list[str]:
    """Return each of several foods: one of them may be eaten again."""
    several = _LISTED_AS.split(foods.lower())
    return [f"{food}s" if food.endswith(("nut", "egg")) else food for food in several]  # "nut-free" is without nuts
