"""Read what a speaker cannot or will not eat, told in passing: "no nuts, they put me in hospital", "off dairy".

What makes somebody else ill is read where it is told who: "Leo had a reaction to cashews".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryos_core.rules.knowledge.drugs import DRUG
from memoryos_core.rules.knowledge.heads import OF_OTHERS
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.function_words import COMMON_WORDS
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex, with_marks

__all__ = ["OF_OTHERS", "find_first", "restrictions_in", "results_in"]


def _pattern(text: str, marks: str = "") -> re.Pattern[str]:
    """Return a pattern; one with marks, since to compile a list of foods takes long, and most sentences have none."""
    return with_marks(marks, text) if marks else regex(text, re.IGNORECASE)


_FOOD_TEXT = """
    almond apple avocado bacon banana bean beef berry berries bread butter cashew celery cheese cherry cherries
    chicken chickpea chili chilli chilies chocolate citrus coconut coffee coriander cilantro crab crustacean
    cucumber curry curries dairy duck egg fat fish fruit garlic gelatin gelatine gluten grapefruit grape ham
    hazelnut honey kiwi lactose lamb lentil lobster lupin mango meat milk mint mollusc mushroom mussel mustard nut
    nightshade oat olive onion orange oyster pasta peanut pea pecan pepper pineapple pistachio pork potato prawn
    rice salmon salt seafood sesame shellfish shrimp soy soya spinach spice squid strawberry strawberries sugar
    sultana sweet tofu tomato tuna turkey walnut wheat yeast yoghurt yogurt alcohol caffeine additive sulphite sulfite
"""
_WHICH = (
    r"(?:red|raw|processed|fried|fatty|oily|smoked|white|dark|cooked|spicy|hot|blue|goat's|cow's|tree|pine|brazil"
    r"|refined|added|green|bell|citrus|sour|soft|hard|cured|tinned)"
)
_FOOD = rf"(?:{_WHICH} )?(?:{'|'.join(_FOOD_TEXT.split())})(?:e?s)?(?: products?)?"
_FOODS = rf"(?P<what>{_FOOD}(?:(?:, and |, or |, | and | or ){_FOOD}){{0,5}})\b(?!-)"
# What stands behind foods that nothing else is made of: not "orange paper", nor "nut recipes".
_ALONE = (
    r"(?=[.,!?;)]|$| (?:and|but|because|since|from|so|with|at all|as|completely|entirely|altogether|again|please|pls"
    r"|tho|though|thank|thankfully|finally|yay|lol|until|till|any ?more|any longer|last|now|too|these days|a few|two"
    r"|three|years|months|weeks|for (?:good|(?:year|month|age)s|health|medical|religious|my (?:he(?:alth|art)|stomach"
    r"|skin))|in (?:\d{4}|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber))\b)"
)
_WITHOUT = r"(?:no|without|nothing with|not? any|skip the|hold the|leave out(?: the)?|minus(?: the)?|free of)"
# A noun that follows makes another thing of a food: "fish jokes", "the eggs scene".
_NO_NOUN = (
    r"(?! (?!(?:and|or|but|as|so|at|on|in|when|after|before|because|since|last|this|these|those|again|too|now|today"
    r"|yesterday|badly|once|twice|while|if|from|with|for|during|every|always|never|by|which|that|who|and|even|is|was"
    r"|the|a|an|we|he|she|they|i|it|very|really|the|than|though|unless|until|ever|years?|months?|also|both|allerg\w+"
    r"|stings?|bites?|oil|milk|butter|flour|sauce|paste|powder|dust|of|either|lol|tonight|every|[a-z]+day)\b)[a-z])"
)
# What people are allergic to beside food; nobody is made ill by a "wool" of another kind.
_STUFF_TEXT = """amoxicillin bee wasp wool latex nickel penicillin pollen grass perfume plasters feathers dust mould
    mold detergent lanolin"""
_CAUSE = rf"(?:{_FOOD}|(?:{'|'.join(_STUFF_TEXT.split())})(?: stings?)?)"
_CAUSES = rf"(?P<what>{_CAUSE}(?:(?:, and |, or |, | and | or ){_CAUSE}){{0,5}})\b(?!-)"
_TRIGGERS = _CAUSES.replace(_CAUSE, rf"(?:{_CAUSE}|{DRUG})")  # what brings a rash may be a medicine
_RASH = r"(?:hives|an? (?:\w+ )?rash|spots|welts|lumps|bumps|blotches)"
_ILL = (
    r"(?:\bi (?:\w+ ){0,2}?(?:come|came|break|broke) (?:out|up) in (?:hives|a rash|spots|welts|lumps|bumps|blotches)\b"
    r"|\bi (?:\w+ ){0,2}?swell(?:ed)? up\b|\bhives\b|\banaphyla\w+|\bepi-?pens?\b"
    r"|, swell(?:s|ed)? up\b|\b(?:puts?|lands?|has|had|landed|sends?|sent) me (?:in|to|into) (?:hospital|a&e|casualty"
    r"|the (?:hospital|infirmary|er|emergency))"
    r"|\b(?:my |and |, )(?:throat|face|tongue|lips?|mouth) (?:closes|swells?|goes|puffs?)"
    r"|\b(?:it|they|that|those) makes? me (?:\w+ )?(?:ill|sick|swell|throw up|vomit)\b"
    r"(?! (?:of|to (?:think|see|watch|hear))\b))"
)
_EXPERT = r"(?:doctor|doc|dr|gp|dietiti?cian|nutritionist|nurse|consultant|specialist|cardiologist|midwife)"


_AM = r"\bi(?:'m| am) (?!not\b)"
_ALLERGIES = (
    _pattern(
        rf"\b{_WITHOUT} {_FOODS}[^.?!]{{0,30}}?{_AM}(?:(?!not\b)\w+ ){{0,2}}(?:allergic|intolerant)\b"
        r"(?! (?:to|of|against|myself))",
        marks="allergic|intolerant",
    ),
    _pattern(
        rf"\b(?:{_WITHOUT}|i (?:can't|cannot|can not|mustn't) (?:eat|have|do|touch)) {_FOODS}[^.?!]{{0,60}}?{_ILL}",
        marks="out in|up in|swell|hives|anaphyla|epi|hospital|a&e|casualty|infirmary| er|emergency|closes|goes|puff"
        "| make",
    ),
    _pattern(
        r"\bi (?:(?!never|hardly)\w+ )?react (?:(?:very|really|so|quite) )?(?:badly |terribly |violently )?to"
        rf" {_FOODS}{_ALONE}",
        marks=" react ",
    ),
    _pattern(
        rf"(?:^|[,.:;] |\b(?:and|but|because|as|that) )(?:(?:all|any|the|even) )?{_TRIGGERS} (?:really |always |just )?"
        rf"(?:(?:makes? me (?:come|break) out|(?:brings?|brought) me (?:out|up)|(?:breaks?|broke) me out) in {_RASH}"
        rf"|(?:gives?|gave) me {_RASH}|swells? up my \w+|ma[dk]es? me swell(?: up)?\b(?! with\b)"
        r"|ma[dk]es? my (?:throat|tongue|face|lips?|mouth) (?:swell|close|itch|puff)(?! (?:up )?like\b))",
        marks="make|made|bring|brought|break|broke|give|gave|swell",
    ),
    _pattern(
        rf"\bi (?:(?!never|don't|used)\w+ )?(?:come|break|came|broke) (?:out|up) in {_RASH} (?:from|with|after|when i"
        rf" (?:eat|have|touch|wear|take)|if i (?:eat|have|touch|wear|take)) {_TRIGGERS}",
        marks="out in|up in",
    ),
    # As in "Shellfish and me = hospital".
    _pattern(
        rf"(?:^|[,.] |\b(?:and|but|because|as) ){_FOODS} (?:and|&) (?:me|i)"
        r" (?:= ?|don't (?:mix|get on)\b[^.?!]{0,20}?)(?:hospital|hives|ambulance|a&e|er\b|rash)",
        marks="=|don't mix|don't get on",
    ),
    _pattern(
        rf"\bi (?:always |have to )?carry (?:an? |my )?epi-?pens? (?:for|because of|due to|in case of) {_CAUSES}"
        r"(?![^.?!]{0,40}? (?:(?:because|cos|as|for|since|in case)(?: of)? (?:(?:my|our|his|her|their|one of|some) "
        r"(?!throat|face|tongue|lips?|mouth|doctor|gp)|(?:a|an|the) (?!last|doctor|gp)|i'm an? |i work |work\b)))",
        marks="epi",
    ),
    _pattern(
        rf"(?:^|[,.] |\b(?:and|but|because|as) ){_FOODS} (?:would|could|nearly|almost|might) kill(?:ed)? me\b"
        r"(?! (?:one day|right now|now|at this|today|tonight)\b)",
        marks="kill",
    ),
)
_A_REACTION = r"an? (?:(?:bad|nasty|severe|serious|terrible|mild|slight|allergic|big|awful) ){0,2}reaction to (?:the )?"
_MADE_ILL = (
    *_ALLERGIES,
    _pattern(
        rf"\bi(?:'ve)? (?:(?!never|didn't)\w+ )?(?:had|have|get|got) {_A_REACTION}{_CAUSES}{_NO_NOUN}", marks="reaction"
    ),
)
# Somebody with a name or a relation, whom it makes ill.
_OF_SOMEBODY = _pattern(
    r"^(?:(?:and|but|so|oh|also|then|today|yesterday|apparently),? )*"
    rf"(?P<who>(?-i:[A-ZÀ-Þ][a-zà-ÿ-]{{1,14}})|(?:my|our) (?:{KIN})(?:,? (?-i:[A-ZÀ-Þ][a-zà-ÿ-]{{1,14}}),?)?)"
    r"(?:'s| has| had)? (?:(?:just|also|always|once|now) )*"
    rf"(?:(?:had|has|got|gets|have) {_A_REACTION}|(?:comes?|came|breaks?|broke|broken) (?:out|up) in {_RASH}"
    r" (?:from|with|after|(?:when(?:ever)?|if) (?:he|she|they) (?:eats?|ate|has|had|touche[sd]|have)) "
    r"|reacts? (?:very |really )?(?:badly |violently )?to |(?:is|are) (?:\w+ )?allergic to )"
    rf"(?:(?:some|the|any|eating|touching) )?{_CAUSES}{_NO_NOUN}"
    r"(?![^.?!]*\b(?:as an? (?:kid|child|baby|toddler)|when (?:he|she|they) (?:was|were)|ago|outgr[eo]w\w*|used to)\b)",
    marks="reaction|out in|up in|react|allergic",
)
_RESULTS = _pattern(
    r"^(?:(?:and|so|well|ok|oh|right),? )*(?:(?:the|his|her|my|our|their) )?(?:(?:allergy|skin|blood|prick) )*"
    r"(?:tests?|results?|bloods)(?: results?)?(?: (?:came|come|are|is|were|was) (?:back|in))?"
    r"(?:(?:[:,]| and| -| –) (?:(?:it's|it is|he's|she's|i'm|they're) )?| (?:say|says|said|show|shows|showed|confirmed"
    r"|found|were|was|are|is)(?: that)?(?: (?:it's|it is|he's|she's|i'm))? )"
    r"(?:(?:positive|yes) (?:for|to) |allergic to )?"
    rf"(?:all of )?(?:an? )?{_CAUSES}(?=[.,!]|$| (?:too|as well|now)\b)",
    marks="test|result|blood",
)
_INTOLERANT = _pattern(
    r"\bi(?:'ve| have)?(?: got)? (?:an? )?intolerance (?:for|to|of|against)"
    rf" (?P<what>fructose|histamine|sorbitol|salicylates|{_FOOD})\b",
    marks="intolerance",
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
    _pattern(
        r"\bi(?:'ve| have)? (?:just |finally |now )?(?:got|had|have|received) (?:the|my)"
        r" (?:(?:blood|allergy|biopsy|test|lab|skin|hospital|gut|stomach|final|food) )?(?:results?|diagnosis|tests?)"
        r"\b[^.?!]{0,40}?[,;:] (?:and )?(?:it|that)(?:'s| is) (?:definitely |indeed )?"
        r"(?P<what>co?eliac|(?:type [12] )?diabetic|asthmatic|lactose[- ]intolerant)(?=[.!]|$|,(?! but\b))"
    ),
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
# What a doctor found: "I got the result, it's coeliac"; of the speaker only, and what is sure.
_FOUND = _pattern(
    r"\b(?:results?|tests?|diagnosis|turns out|biopsy|doctor|gp|consultant)\b"
    r"(?:(?!\b(?:thinks?|thought|suspect\w*|might|may|could|maybe|perhaps|wonders?|whether|if|not|says? unless)\b)"
    r"[^.?!]){0,40}?\bit(?:'s| is| was)"
    r" (?:definitely |actually )?(?P<what>co?eliac)(?: disease)?(?=[.,!]|$| (?:and|so)\b)(?![^.?!]*\bbut\b)"
)
_NAMED_HERE = regex(r"(?<!\bon )(?<!\bin )(?<!\bat )(?<!\bDr )(?<!\bDr\. )\b[A-ZÀ-Þ][a-zà-ÿ]{1,14}\b")
# How somebody has come to eat something no more: not "never", "would", "tried to".
_HAVING = r"\bi(?:'ve| have)? (?:(?:now|just|also|recently|finally|completely|already|totally|had to|am told i must) )*"
_AVOIDED = (
    _pattern(rf"{_AM}(?:now |still |completely |totally |staying )?off (?:the |all )?{_FOODS}{_ALONE}", marks="off "),
    _pattern(
        rf"{_HAVING}(?:been )?(?:must )?(?:cut(?:ting)? out|laid off|laying off|given up|gave up|give up|stopped eating"
        rf"|quit eating|avoid|stay off) (?:the |all )?{_FOODS}{_ALONE}",
        marks="cut|laid off|laying off|given up|gave up|give up|stopped eating|quit eating|avoid|stay off",
    ),
    _pattern(
        rf"\b{_EXPERT}\b[^.?!]{{0,60}}?\b(?:says?|said|told me|wants me|ordered|recommends|advised)\b"
        r"(?:(?!\b(?:not|don't|doesn't|needn't|there's|no need)\b)[^.?!]){0,25}?"
        rf" (?:no(?: more)?|off|avoid|cut out|give up) (?:the |all )?{_FOODS}{_ALONE}",
        marks="say|said|told me|wants me|ordered|recommends|advised",
    ),
    _pattern(
        r"\bi (?:(?:can't|cannot|can not|mustn't|must not|am not allowed|'m not allowed) (?:really |ever )?"
        rf"(?:to )?(?:do|have|touch|stomach|tolerate|digest)|(?:don't|do not) do) (?:any )?{_FOODS}{_ALONE}",
        marks="can't|cannot|can not|mustn't|must not|not allowed|don't do|do not do",
    ),
    _pattern(
        rf"^(?:(?:and|so|but|also),? )*no {_FOODS}(?: and \w+)? ever"
        r"(?=,? (?:by the way|btw|because|cos|we're|i'm|as we|as i)\b)"
        r"(?!.*\b(?:school|nursery|office|class|plane|flight|camp|ward)\b)",
        marks=" ever",
    ),
    _pattern(rf"^{_FOODS} i (?:can't|cannot|can not)(?: have| eat)?(?=[,.!]|$)", marks=" i can"),
    _pattern(rf"\b(?:has|have|needs?) to be (?P<what>{_FOOD})[- ]free\b(?=[^.?!]*\b(?:i|i'm|me|my)\b)", marks="free"),
    _pattern(
        rf"\b(?:we(?:'re| are)|ours is|mine is) an? (?P<what>{_FOOD})[- ]free (?:house(?:hold)?|family|home|kitchen)\b",
        marks="free",
    ),
    _pattern(rf"\bno more {_FOODS} for me\b", marks="no more "),
    _pattern(
        rf"(?:^|[,.] |\b(?:and|but|because|as) ){_FOODS} (?:really |just )?(?:doesn't|does not|don't|do not|never)"
        r" (?:really )?agrees? with (?:me\b|my (?:stomach|tummy|belly|gut))",
        marks="agree",
    ),
    _pattern(
        rf"\b(?:no|nothing with) {_FOODS}(?: please| mind)?,? (?:because )?(?:i )?(?:really )?(?:(?:can't|cannae) stand"
        r"|hate|detest|loathe) (?:them|it|that)\b",
        marks="stand|hate|detest|loathe",
    ),
    _pattern(rf"\bi (?:(?:still|really|just) )*(?:can't|cannae|cannot|can not) stand {_FOODS}{_ALONE}", marks="stand"),
)
_NOT_SO = _pattern(rf"\bi(?:'m| am) not (?:actually |really )?{_BEING}(?= (?:at all|after all|any ?more)\b)")
_OVER = _pattern(
    r"\b(?:the |my )?(?P<what>vegan|vegetarian|veggie|keto|pescatarian)(?:ism)?"
    r"(?: (?:thing|phase|diet|experiment|life))?(?: (?:only |just )?(?:lasted|didn't last|is over|ended)|'s over)"
    r"\b(?!-)"
)
_EATEN = (
    _pattern(rf"\b(?:i'm|i am|been|started) (?P<how>eating|drinking) {_FOODS} again\b", marks="again"),
    _pattern(
        rf"\b{_FOODS}(?:'s| is| are) (?:ok|okay|fine|all right) (?:for me )?(?:again|after all|now)\b",
        marks="again|after all|now",
    ),
    _pattern(rf"\bi can (?:eat|have) {_FOODS} again\b", marks="again"),
    _pattern(
        rf"\bi (?:do )?(?:eat|drink) {_FOODS} (?:again|now|these days)\b(?! (?:and then|and again))",
        marks="again|now|these days",
    ),
    _pattern(rf"(?:{_AM}|^(?:so |ok |and )?)back on (?:the )?{_FOODS}{_ALONE}", marks="back on"),
    # "I caved. It's fish twice a week now."
    _pattern(
        rf"(?:\bi |^(?:ok |so )?)caved\b[^?]{{1,60}}\b(?:it's|had|eat|eating|ate|having|have) (?:some )?{_FOODS}"
        rf"(?={_ALONE}| (?:once|twice|every)\b)",
        marks="caved",
    ),
)
_FOR_NOW = _pattern(
    r"\b(?:if i|when i|whether|today|tonight|tomorrow|this (?:week|month|evening)|for now|for lent|used to"
    r"|until i|can't wait|i wish|i hope"
    r"|as a (?:kid|child)|should i|can i|may i|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|(?:at|in) (?:school|work|the office|class))\b"
)
_ASKS = _pattern(r"^(?:what|how|why|when|where|who|which|do|does|did|is|are|have|has|if)\b")
# Without one of these words no pattern of the kind matches, and most sentences have none.
_WORD = regex(r"[a-z]+")
_STATE_TEXT = (
    "vegan vegetarian veggie veganism vegetarianism pescatarian coeliac celiac diabetic asthmatic teetotal keto"
)
_NOBODY_TEXT = "results result tests test diagnosis biopsy doctor gp consultant coeliac celiac"
_NOBODY = COMMON_WORDS["en"] | frozenset(_NOBODY_TEXT.split())
_STATE_WORDS = frozenset((*_STATE_TEXT.split(), "lactose", "intolerance"))
_NAMED = frozenset((*_FOOD_TEXT.split(), *_STUFF_TEXT.split()))
_IS_ILL, _DRUG = _pattern(rf"\b(?:{_RASH}|swell)"), _pattern(rf"\b{DRUG}\b")
_DRUNK = frozenset(("alcohol", "caffeine", "coffee", "milk"))
_SHORT = {"veggie": "vegetarian", "celiac": "coeliac"}


def restrictions_in(sentence: str, before: str = "") -> Iterator[str]:
    """Yield what the speaker cannot or will not eat, and what makes somebody ill. `before` is the sentence before."""
    words = frozenset(_WORD.findall(sentence.lower()))
    if not words.isdisjoint(_STATE_WORDS):
        yield from _states(sentence, before)
    is_drug = _IS_ILL.search(sentence) is not None and _DRUG.search(sentence) is not None
    if not is_drug and not any(
        word in _NAMED or word.removesuffix("s") in _NAMED or word.removesuffix("es") in _NAMED for word in words
    ):
        return
    yield from results_in(before, sentence)
    allergy, other = _allergy_in(sentence), _OF_SOMEBODY.match(sentence)
    if other is not None and (who := _who_is_ill(sentence)) is not None and "allergic to" not in other[0]:
        yield from (f"{who} is allergic to {food}." for food in _each(other["what"]))
    elif allergy is not None:
        yield from (f"I'm allergic to {food}." for food in _each(allergy))
    elif not any(pattern.search(sentence) for pattern in (OF_OTHERS, _FOR_NOW, _ASKS)):
        yield from _find_avoided(f"{before} {sentence}" if "caved" in before else sentence)


def results_in(before: str, sentence: str) -> Iterator[str]:
    """Yield what a test found, where the words before tell whom something makes ill: "The tests: it's peanuts"."""
    found = _RESULTS.match(sentence)
    if found is None or not found["what"]:
        return
    somebody = next((told for part in _SENTENCE.split(before) if (told := _who_is_ill(part)) is not None), None)
    if somebody is not None:
        yield from (f"{somebody} is allergic to {food}." for food in _each(found["what"]))
    elif any(_allergy_in(part) for part in _SENTENCE.split(before)):
        yield from (f"I'm allergic to {food}." for food in _each(found["what"]))


_SENTENCE = regex(r"(?<=[.!?])\s+|\n")


def _who_is_ill(sentence: str) -> str | None:
    """Return the one who is not the speaker, and whom a food or a sting makes ill; None for most."""
    found = _OF_SOMEBODY.match(sentence)
    who = found["who"].replace(",", "") if found is not None else ""
    is_known = who[:3].lower() in ("my ", "our") or is_name(who)
    return f"{who[:1].upper()}{who[1:]}" if who and is_known else None


def _found_by_doctor(sentence: str, before: str) -> Iterator[re.Match[str]]:
    """Yield what a doctor found, where nobody but the speaker is spoken of."""
    found = _FOUND.search(sentence)
    told = f"{before} {sentence}"
    if found is not None and not OF_OTHERS.search(told) and not any(map(_is_somebody, _NAMED_HERE.findall(told))):
        yield found


def _is_somebody(word: str) -> bool:
    return is_name(word) and word.lower() not in _NOBODY


def _states(sentence: str, before: str) -> Iterator[str]:
    if intolerant := _INTOLERANT.search(sentence):
        yield f"I'm {intolerant['what'].lower()}-intolerant."
    if OF_OTHERS.search(sentence):
        return
    if wrong := _NOT_SO.search(sentence):
        yield f"I'm not {_diet(wrong)}."
    if over := _OVER.search(sentence):
        yield f"I'm no longer {_diet(over)}."
    patterns = (*_STATES, _AND_SO) if _IS_SO.match(sentence) else _STATES
    states = (found for pattern in patterns for found in pattern.finditer(sentence))
    for state in (*states, *_found_by_doctor(sentence, before)):
        yield f"I'm {_diet(state)}."


def _diet(found: re.Match[str]) -> str:
    what = found["what"].lower()
    return _SHORT.get(what, what)


def _find_avoided(sentence: str) -> Iterator[str]:
    if (avoided := _foods_of(find_first(_AVOIDED, sentence))) is not None:
        yield from (f"I don't {_verb(food)} {food}." for food in _each(avoided))
    elif (again := _foods_of(find_first(_EATEN, sentence))) is not None:
        yield from (f"I {_verb(food)} {food} again." for food in _each(again))


def _allergy_in(sentence: str) -> str | None:
    """Return the foods that make the speaker ill; what gives hives to a daughter is another matter."""
    found = find_first(_MADE_ILL, sentence)
    return None if found is None or OF_OTHERS.search(found[0]) else _foods_of(found)


def find_first(patterns: Iterable[re.Pattern[str]], sentence: str) -> re.Match[str] | None:
    """Return the match of the first pattern that has one."""
    return next((match for pattern in patterns if (match := pattern.search(sentence))), None)


def _foods_of(found: re.Match[str] | None) -> str | None:
    """Return the foods of a match; a name in capitals, such as Apple, is no food."""
    is_name = found is not None and found["what"][:1].isupper() and found.start("what") > 0
    return None if found is None or is_name else found["what"]


def _verb(food: str) -> str:
    return "drink" if food in _DRUNK else "eat"


_LISTED_AS = regex(r",? and |,? or |, ", re.IGNORECASE)


def _each(foods: str) -> list[str]:
    """Return each of several foods: one of them may be eaten again."""
    several = _LISTED_AS.split(foods.lower())
    return [f"{food}s" if food.endswith(("nut", "egg")) else food for food in several]  # "nut-free" is without nuts
