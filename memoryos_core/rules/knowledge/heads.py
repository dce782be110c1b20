"""Name animals, and what may stand behind what is meant itself: a "Honda mower" is no Honda, "rate's 320" is a rate."""

from __future__ import annotations

import re

from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.words import regex

__all__ = [
    "ALLERGEN",
    "ANIMAL",
    "AS_STUDIES",
    "COUNTED",
    "FIRM",
    "GOODS",
    "IS_AMOUNT",
    "IS_CAR",
    "IS_ILLNESS",
    "MINE_IS_NOW",
    "MOVED_TO",
    "NOT_LIVED_IN",
    "NO_STUDIES",
    "OF_OTHERS",
    "SOME_TRADE",
    "STAY",
    "SUBJECT",
    "TRADE_BY_ENDING",
    "WEIGHED",
]

_GRAMMAR = "|".join(sorted(word for word in FUNCTION_WORDS["en"] if word.isalpha()))
_BESIDE = (
    r"last|next|most|yesterday|today|tomorrow|tonight|since|again|instead|already|recently|too|btw|lol|haha|mate|sadly|anyway"
    r"|here|there|these|nowadays|sometimes|often|off|via|outside|through|until|though|although|every|each|\d[\w.,]*"
    r"|[a-z]+ly"
)
_BODY = (
    r"estate|hatchback|saloon|sedan|suv|van|minivan|campervan|camper|pick-?up|truck|convertible|cabrio|coup[eé]|wagon|ute"
    r"|car|cars|hybrid|electric|diesel|petrol|automatic|motorbike|motorcycle|bike|scooter|people carrier|4x4|plug-in"
    r"|second[- ]?hand|brand new|parked|leased|bought|called|named"
)
_TOLD_OF = (
    r"diagnosed|caused|triggered|controlled|managed|inherited|type [12]|attacks?|symptoms|issues|problems"
    r"|flare[- ]?ups?|pain"
)
IS_CAR = rf"(?=$|[^\w\s-]| (?:{_GRAMMAR}|{_BESIDE}|{_BODY})(?![\w-]))"
IS_ILLNESS = rf"(?=$|[^\w\s-]| (?:{_GRAMMAR}|{_BESIDE}|{_TOLD_OF})(?![\w-]))"

# "My day rate's 320 now", but not "my friend's 3 clients", nor "my phone's 20% now".
COUNTED = (
    r"rate|rent|salary|wages?|mortgage|pension|price|costs?|fees?|bill|tax|premium|membership|subscription|deposit|budget"
    r"|balance|debt|loan|pressure|pulse|weight|height|score|average|pace|time|best|pb|record|goal|target|limit|level"
    r"|commute|mileage|distance|temperature|dose|cholesterol|hba1c|bmi|bench|squat|deadlift|number|5k|10k"
)
IS_AMOUNT = (
    r"(?:(?:now|about|around|only|just|still|back|up to|down to|at) ){0,2}[+£$€]?\d[\d.,:/ ]{0,14}(?:k|%)?"
    r"(?: (?:over \d+|pounds"
    r"|euros|dollars|quid|kg|kilos|lbs|stone|bpm|percent|km|miles|minutes|hours))?(?: (?:a|per|an) \w+)?"
    r"(?: ?$| ?[.,;!]| ?(?:now|today|already|these days|instead|from (?:\w+|now on)|since \w+)\b)"
)

# "My accountant's Farah now", but not "my sister's Fiesta now".
_OF_BLOOD = (
    r"(?:\w*(?:mother|father|sister|brother|son|daughter)|mum|mom|dad|gran\w*|aunt|uncle|cousin|\w*friend|\w*mate"
    r"|neighbou?r|wife|husband|hubby|missus|spouse|partner|fianc\w+|bf|gf|ex|kid|child|baby|twin|boy|girl|niece|nephew)"
)
# What a boss has now may be a thing: "my boss's BMW now", "my teacher's Ford now", but not "my boss's Maud now".
_LEADS = r"(?:boss|manager|supervisor|head|chief|director)"
_WITH_TITLE = r"(?:landlord|landlady|teacher|tutor|coach|lodger|tenant|colleague|client|customer|student|pupil|patient)"
_A_THING = (
    r"(?:[A-Z]{2,}\b|\w*\d|(?:Audi|Ford|Jaguar|Polo|Golf|Fiesta|Focus|Corsa|Astra|Clio|Mini|Tesla|Honda|Toyota|Kia|Fiat"
    r"|Mercedes|Porsche|Skoda|Seat|Volvo|Volkswagen|Nissan|Mazda|Renault|Peugeot|Citroen|Vauxhall|Range|Land|Kindle"
    r"|Xbox|Nintendo|Switch|Playstation|Macbook|Galaxy|Pixel|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
    r"|Christmas|Easter|Den|Facebook|Instagram|Netflix|Spotify)\b)"
)
_TOLD_OUTRIGHT = r"(?:^|(?<=^the )|(?<=[.,;!] )|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\band the )|(?<=\bso the ))"
MINE_IS_NOW = (
    rf"{_TOLD_OUTRIGHT}((?:my|our|user's) (?:[a-z-]+ ){{0,2}}(?!{_OF_BLOOD}')"
    rf"(?!{_LEADS}'s (?:the |an? |(?-i:{_A_THING})))(?!{_WITH_TITLE}'s (?!(?:dr|mr|mrs|ms|miss|prof)\b))[a-z-]+)"
    r"'s (?=(?:an? [a-z][\w -]{2,40}?|the [\w' -]{3,40}?"
    r"|(?-i:[A-ZÀ-Þ])[\w&'. -]{1,40}?|(?:dr|mr|mrs|ms|miss|prof)\.? \w+) (?:now|these days|nowadays)(?=[.!,;]|$))"
)

ANIMAL = (
    r"(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|budgie|tortoise|guinea pig|gerbil|ferret|pony|beagle|greyhound"
    r"|lurcher|whippet|labrador|retriever|spaniel|terrier|poodle|husky|dachshund|collie|corgi|pug|bulldog|chihuahua"
    r"|sheepdog|labradoodle|cockapoo|schnauzer|rottweiler|dalmatian|siamese|ragdoll|tabby|tomcat|cockatiel|canary"
    r"|horse|goldfish|turtle|terrapin|gecko|chinchilla|hedgehog|parakeet|macaw|donkey|alpaca)s?"
)

# Trades that end alike, and no things, roles or traits that do: an illustrator, a choreographer, a tax adviser.
TRADE_BY_ENDING = (
    r"(?:advis[eo]r|[a-z]{3,}grapher|(?:illustr|anim|transl|educ|co-?ordin|administr|moder|narr|investig|medi|arbitr"
    r"|negoti|decor|cur|oper|legisl|sen|conserv|fabric|estim|facilit|avi|adjudic|invigil|litig)ator)"
)
# How well somebody does it: "I'm a great coordinator" names no trade.
_WELL_TEXT = """great good bad big terrible natural real awful brilliant amazing fantastic excellent born poor decent
    true total complete keen fine huge wonderful lousy horrible talented effective better nice strong weak clever
    skilled useless serial proper perfect skilful gifted passionate patient"""
SOME_TRADE = (
    "".join(rf"(?<!\b{word} )" for word in _WELL_TEXT.split())
    + rf"(?:(?!(?:{'|'.join(_WELL_TEXT.split())})\b)[a-z-]+ )?{TRADE_BY_ENDING}"
)

# What somebody "can't have": food that makes ill, and nothing that is shared out: not "can't have Friday off".
ALLERGEN = (
    r"(?:gluten|wheat|nuts|peanuts|tree nuts|cashews|hazelnuts|almonds|sesame|dairy|milk|lactose|cheese|eggs?|soya?"
    r"|shellfish|prawns|fish|seafood|mustard|celery|lupin|strawberries|kiwi|grapefruit|latex|penicillin)"
    r"(?=$|[,.;!]| (?:and|or|so|but|because|since|as|at all|either|she|he|they|any ?more|now|products?|don't)\b)"
)
# "I've switched to psychology", but a job may be "in marketing", and one listens to history podcasts.
NO_STUDIES = r"(?!(?:music|drama|history|politics|marketing|finance|education|nursing|journalism|law|accounting)\b)"
AS_STUDIES = (
    r"(?=$|[.;!]|,(?! (?:says?|said|she|he)\b)| (?:now|instead|degree|last|as|at (?:uni|the|my)|because|since|and|after"
    r"|for good)\b)"
)
# What somebody studies.
SUBJECT = (
    r"(?:computer science|comp sci|data sci(?:ence)?|law|medicine|engineering|(?:mechanical|electrical|civil|chemical"
    r"|software) engineering|maths?|mathematics|physics|chemistry|biology|history|economics|business(?: studies)?"
    r"|psychology|nursing|architecture|accounting|accountancy|philosophy|geography|geology|linguistics|sociology"
    r"|politics|marketing|finance|journalism|statistics|fine art|graphic design|media studies|education|pharmacy"
    r"|dentistry|veterinary (?:science|medicine)|anthropology|theology|music|drama|english literature|english lit)"
)

# What a business buys again and again, and who it may be from: no day, no country and nobody at home.
GOODS = (
    r"(?:coffee |oat |goat's |olive |fire)?(?:milk|beans|coffee|tea|flour|bread|eggs|butter|cheese|meat|fish|veg"
    r"|vegetables|fruit|cakes?|pastries|oil|honey|wine|beer|wood|timber|logs|paper|yarn|wool|fabric|clay|seeds|plants|hay"
    r"|feed|gas|electric|electricity|broadband|stock|cups|flowers)"
)
FIRM = (
    r"(?!(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Septem|Octo"
    r"|Novem|Decem)ber|Christmas|Easter|M[ua]m|Dad|Gran\w*|Nan\w*|Aunt\w*|Uncle|God|Jesus|Italy|France|Spain|Germany|China|Poland|Portugal|Europe"
    r"|England|Scotland|Wales|Ireland|Kenya|Brazil|Peru)\b)(?-i:[A-ZÀ-Þ])[\w'&-]*(?: (?-i:[A-ZÀ-Þ&])[\w'&-]*){0,3}"
)
# A puppy of 20 pounds is weighed, and a baby, and what is lifted.
WEIGHED = (
    rf"(?:{ANIMAL}|baby|babies|bump|son|daughter|child|toddler|kid|bench|squat|deadlift|press|bag|suitcase|weight)"
)
_STAY = (
    r"(?:(?!(?:in|on|near|by|at|to|next|opposite|behind|above|from|of|house|flat|apartment|cottage|village|town)\b)"
    r"[a-z'’-]+ ){0,3}?(?:camp ?sites?|camping site|campgrounds?|hotel|motel|youth hostel|[Bb] ?& ?[Bb]|[Aa]ir ?bnb"
    r"|bed and breakfast|guest ?house|resort|ones?(?! of)|hospital|holiday (?:let|home|house|flat|cottage|apartment"
    r"|park|camp|rental)|branch|office|practice|surgery|clinic|store|shop|ward|school"
    r"|firm|company)\b(?! ?(?:house|building|conversion|flat|apartment|area|town)\b)"
)
STAY = rf"{_STAY}(?![^.;]{{0,60}} (?:for good|permanently|full[- ]time|all year|year[- ]round|as (?:our|my|a) home)\b)"
"""Where somebody stays, is treated or works: a move there is none of house, unless it is for good."""
MOVED_TO = r"(?:(?:back|over|out|house|home) )?(?:(?:from|within) [^,]{1,40},? )?(?:in|on)?to " rf"(?!{STAY})"
NOT_LIVED_IN = (
    # "The flat is mine from May", "gate 12", "this house", "a hotel while the flat is painted".
    r"(?:(?:the )?user's|mine|ours|yours|hers|theirs)(?:$|[.,!]| (?:from|since|now|as of|till|until|at last)\b)"
    r"|(?:gate|platform|terminal|row|seat|table|room|ward|carriage|coach|aisle|pitch|bay|desk|lane|zone|group|stage)"
    r" (?:(?:no\.?|number) ?)?(?:[a-z]?\d{1,3}[a-z]?|[a-z])(?=$|[.,!]| (?!(?:on|of|near) (?-i:[A-ZÀ-Þ])))"
    r"|(?:(?:this|that|(?:this|that|the) (?:very )?same|dies(?:em|er)|cette|esta) (?:\w+ )?|(?:my|our|the) )"
    r"(?:house|home|flat|apartment|place|cottage|bungalow|street|road|village|town|city|area|building|block|room"
    r"|neighbou?rhood|haus|wohnung|maison|casa)"
    r"(?=$|[.,!]| (?:since|for|all|now|with|and|because|my|our|ever|until|by myself|alone"
    r"|in (?:19|20)\d\d)\b)"
    rf"|{_STAY}[^.;]*? (?:while|until|till|for now|at the moment|for the time being|temporarily|this week"
    r"|for (?:an?|the|two|three|\d+) (?:night|week|day)s?)\b"
)
# Who is not the speaker.
OF_OTHERS = regex(
    r"\b(?:he|she|they|his|her|their|(?:my|our|the) (?:\w+ )?(?:son|daughter|wife|husband|mum|mom|dad|mother|father"
    r"|sister|brother|partner|girlfriend|boyfriend|friend|flatmate|guest|boss|kid|child|dog|cat|gran|grandma|grandad"
    r"|grandpa|nan|aunt|uncle|cousin|niece|nephew|colleague|neighbou?r|client|patient)s?)\b",
    re.IGNORECASE,
)
