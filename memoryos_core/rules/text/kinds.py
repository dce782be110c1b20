"""English words for a kind of thing, and things of that kind: "What pets do I have?" is answered by "our cat".

A text that names a thing counts for a question that asks for its kind, but little beside one that has the question's
own words.
"""

from __future__ import annotations

import re
from functools import cache

from memoryos_core.rules.text.languages import guess, search_terms
from memoryos_core.rules.text.words import regex, terms

# By the words for a kind, things of that kind.
_THINGS = {
    "pet animal": (
        "dog cat rabbit hamster parrot bird budgie fish goldfish turtle tortoise snake lizard guinea gecko ferret "
        "horse pony donkey goat chicken"
    ),
    "instrument music": (
        "guitar piano violin viola drum cello flute trumpet trombone saxophone clarinet oboe ukulele banjo harp "
        "harmonica accordion keyboard bass choir"
    ),
    "sport exercise workout fitness": (
        "football soccer tennis basketball baseball softball volleyball handball swimming running jogging cycling "
        "hiking climbing bouldering yoga pilates boxing wrestling skiing snowboarding skating surfing kayaking "
        "rowing sailing golf hockey rugby cricket badminton squash fencing archery gym marathon triathlon karate "
        "judo taekwondo gymnastics dance"
    ),
    "hobby pastime interest": (
        "painting drawing gardening knitting crochet sewing reading writing chess fishing cooking baking gaming "
        "pottery woodworking collecting hiking dancing singing birdwatching origami calligraphy"
    ),
    "food dish cuisine meal": (
        "pizza pasta lasagna risotto rice sushi ramen soup stew salad curry burger sandwich chicken fish salmon "
        "steak tofu bread noodles taco burrito dumplings paella omelette breakfast lunch dinner recipe"
    ),
    "drink beverage": "coffee espresso tea beer wine juice water smoothie cocktail soda lemonade milk whiskey cider",
    "dessert sweet": (
        "cake cheesecake cupcake cookie brownie pie tart ice cream chocolate pastry pudding donut tiramisu"
    ),
    "family relative": (
        "mother father parent brother sister sibling aunt uncle cousin grandmother grandfather son daughter husband "
        "wife child niece nephew"
    ),
    "vehicle": "car truck van motorcycle scooter bicycle bus boat",
    "travel trip vacation": "flight train airport hotel hostel beach island tour camping cruise passport",
    "book": "author novel chapter trilogy memoir biography library fiction fantasy thriller poetry",
    "movie": "cinema series netflix documentary actor sequel comedy",
    "game": "chess console playstation xbox nintendo steam puzzle cards board minecraft poker",
    "job career profession occupation": (
        "engineer teacher nurse doctor lawyer designer developer programmer manager accountant chef writer "
        "journalist artist architect consultant analyst electrician mechanic pharmacist scientist intern internship "
        "boss company salary promotion"
    ),
    "school education degree": (
        "college university class course exam professor student campus semester homework lecture diploma thesis"
    ),
    "health medical condition": (
        "hospital allergy asthma diabetes migraine surgery medicine injury disease clinic therapy fever flu diagnosis"
    ),
    "injury": "broke sprained fractured twisted ankle knee wrist accident",
    "weather": "rain snow sunny storm windy hot cold cloudy fog",
    "season": "spring summer autumn winter",
    "country nation abroad": (
        "america usa canada mexico brazil argentina chile peru colombia cuba england britain scotland ireland france "
        "germany spain portugal italy greece netherlands belgium switzerland austria poland sweden norway denmark "
        "finland iceland russia ukraine turkey israel egypt morocco kenya nigeria ghana india pakistan china japan "
        "korea thailand vietnam indonesia philippines malaysia singapore australia zealand"
    ),
    "language": (
        "english spanish french german italian portuguese dutch polish russian arabic hebrew hindi mandarin chinese "
        "japanese korean"
    ),
    "color": "red blue green yellow black white purple pink orange brown turquoise",
    "clothes clothing outfit": "shirt dress jacket jeans trousers shoes boots hat coat sweater hoodie skirt suit scarf",
    "furniture": "chair table sofa bed desk shelf lamp wardrobe",
    "plant garden": "flower rose tulip orchid cactus tomato herb basil tree seeds vegetables",
    "art": "painting sculpture drawing sketch gallery canvas exhibition museum watercolor",
    "festival celebration party": (
        "birthday christmas easter anniversary graduation wedding halloween thanksgiving diwali parade"
    ),
    "stress relax destress": "meditation yoga massage walk bath nature sleep",
    "money finance financial": "budget savings loan debt rent salary investment mortgage",
    "residence home": "apartment house moved neighborhood",
    "relationship partner": "boyfriend girlfriend husband wife fiance wedding divorce engaged single",
    "religion faith spiritual": "church god prayer bible mosque temple synagogue",
    "device gadget technology": "laptop telephone computer tablet camera headphones smartwatch",
    "emotion": "happy sad angry anxious excited proud nervous lonely scared",
}
# A thing beside a word of the question itself. Between .2 and .4 recall is much the same (docs/benchmarks.md).
_WEIGHT = 0.3
# A longer text has words enough, and seldom asks for a list.
_MOST_ASKED = 16
# Who asks for a time names what happened then.
_ASKS_TIME = regex(
    r"\W*(?:(?:and|but|so|ok|okay)\W+)?(?:(?:since |until |by )?when|how (?:long|often))\b", re.IGNORECASE
)


def weighted_terms(question: str) -> dict[str, float]:
    """Return the terms to rank by with their weight, 0 to 1: those of a question, and things of the kinds it asks for.

    Things are known in English alone.
    """
    weights = dict.fromkeys(search_terms(question), 1.0)
    if len(weights) > _MOST_ASKED or guess(question) != "en" or _ASKS_TIME.match(question):
        return weights
    for kind in tuple(weights):
        for thing in _things_by_kind().get(kind, ()):
            weights.setdefault(thing, _WEIGHT)
    return weights


@cache
def _things_by_kind() -> dict[str, tuple[str, ...]]:
    """Return the terms of things by the term of each kind."""
    return {kind: tuple(dict.fromkeys(terms(things))) for kinds, things in _THINGS.items() for kind in terms(kinds)}
