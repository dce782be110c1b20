"""Trim what stands behind a phrase to the value that it gives, and tell what is no value."""

from __future__ import annotations

import re

from memoryos_core.rules.knowledge.phrases import KIN, NOUN_ATTRIBUTES
from memoryos_core.rules.text.words import at_start, regex

__all__ = ["is_no_value", "trim_value", "without_kin", "without_origin", "without_time"]

_CUT = regex(
    r"\s*(?:,(?!\d{3}\b)|[;(]|(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)\.(?:\s|$)|\s[-–—]\s|&\sI\b"
    r"|\b(?:(?<!animals )(?<!anything )with(?:out)?|because|since|and then|and [A-ZÀ-Þ][\w'-]+ (?:is|are|was"
    r"|has|had|will|just|got|said|wants?|needs?|do(?:es)?|did|cannot|can|eats?|drinks?|likes?|loves?|hates?|prefers?"
    r"|never|also)\b"
    r"|and (?:(?:their|his|her) [\w-]+ (?=(?:is|are|has|lives|works|was|do(?:es)?|did|can|cannot|eats?|drinks?"
    r"|likes?|loves?|hates?|prefers?|never|will)\b)|I|we|he|she|they|it|my|am|is|are|have"
    r"|has|was|were|had|carry|carries|got|love|can|so|goes|does|gets|sleeps|takes|wakes|lives|works|eats|drinks|says"
    r"|thinks|sees?|visits?|studies|plays?|wants?|needs?|makes?|spends?|commutes?|travels?|likes?|comes?|helps?"
    r"|keeps?|drives?|teach(?:es)?|joined|started|bought|adopted|found|met|became)\b"
    r"|and (?:in|at|on) the\b|and (?:still|never|cannot|can't)\b|here in\b"
    r"|(?:bad(?:ly)? )?I(?:'m|'ve|'ll| (?:am|have|carry|do|use|need|can|will|was|got|take|had))\b"
    r"|(?:ill|i'll) be \d+|now (?:like|about|around) \d+|what (?:do|does|is|are|should)\b"
    r"|and (?:the|this|that) [\w-]+ (?:is|has|was|will)\b|where|which|who"
    r"|so (?:that|no|nothing|please|the|do(?:n't| not)?|never|i|we|they|keep|be|it|you|"
    r"(?-i:[A-ZÀ-Þ])\w*)|when|while|after|before|although|though|right|due to|as (?:of|in)"
    r"|(?:at|by) the (?:very )?(?:beginning|start|end) of"
    r"|until|near|close to|(?:just )?in case (?:it|that|this|you|i|we|they|any\w*)\b|for what it\b"
    r"|for (?:an?|the (?:last|past)|several|some|many|almost|about|over|\d+|one|two|three|four"
    r"|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty(?:[- ]\w+)?) (?:\w+ )?(?:years?|months?|weeks?|days?"
    r"|while)"
    # Sentences that run on without a stop: "in dayton rn its boring", "at Asda the pay is bad", "a cat and that's it".
    r"|(?<!\ban )(?<!\ba )(?<!registered )(?:rn|atm)\b(?= \w)(?! (?:at|in|for|on)\b)"
    r"|(?:bc|coz) (?=[a-z])|its (?:so+|really|too|very|like|near|not|boring|cheap)"
    r"|the [a-z-]+ (?:is|are|was|were|has)\b|and (?:that|this|it)(?:'s|\s(?:is|was))"
    r"|for (?:work|ages|years|months|good|now)"
    r"|(?<=\w )(?:with effect )?from (?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay"
    r"|[Jj]u[nl]|[Aa]ug|[Ss]ep|[Oo]ct|[Nn]ov|[Dd]ec)[a-z]*|next (?:week|month|year)|January|February|March|April|May"
    r"|June|July|August|September|October|November|December)"
    r"|in (?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December) (?:for|to|because|with)|weil|seit|mit|denn|parce|depuis|avec|porque|desde|con)\b).*$",
    re.DOTALL,
)
_ENDING = regex(
    r"\s+(?:now|nowadays|here|there|lately|finally|btw|lol|haha|tho|though|(?-i:atm|fwiw|tbh|imo|imho"
    r"|ngl|af|lmao|sm|(?<!\ban )(?<!\ba )rn)|right now|instead|too|as well|also|these"
    r" days|at the moment|today|yesterday|currently|again|already|on (?:my|our|his|her|their) own|alone"
    r"|any ?more|any longer|no longer|last (?:week|weekend|month|year|night|spring|summer|autumn|fall|winter|\w+day)"
    r"|this (?:week|weekend|month|year|spring|summer)"
    r"|(?:a|one|two|three|\d+) (?:days?|weeks?|months?|years?) ago|at last|full-time|part-time|for now|every day"
    r"|jetzt|nun|letzten? \w+|auch|nicht mehr|maintenant|désormais|aussi|ahora|también|el \w+ pasado|la \w+ pasada"
    r"|hace \w+ \w+|in (?:(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"(?: \d{4})?|\d{4}))$",
    re.IGNORECASE,
)
_BEGINNING = at_start(
    r"^(?:an?|the|now|currently|also|only|just|definit?e?ly|definetly|probably|easily|still|this|in|at|on|my|our|eine?n?|une?|jetzt|ahora|maintenant"
    r"|(?-i:de la|du|des|le|la|les|der|die|das|el|los|las)|called|named"
    r"|planned for|scheduled for|set for|due on|due|to)\s+",
    re.IGNORECASE,
)


_DAY_OR_DATE = regex(
    r" (?:on|at) (?:(?:the )?\d|\w+days?\b|(?:the )?weekends?\b"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December) \d).*$"
)
# "Over the summer", "in early spring", "the other day", but not "by the summer camp".
_PERIOD = regex(
    r",? (?:(?:over|during|in|at|around|before|after|since|for|earlier)(?: (?:the|this|last|early|late|mid|end of"
    r"|beginning of|start of|middle of|past|first|second|long|bank|public|school|summer|whole|half of|Easter"
    r"|Christmas))*"
    r" (?:summer|winter|spring|autumn|fall|weekend|holidays?|break|lockdown|pandemic|Christmas|Easter|New Year)"
    r"|earlier (?:this|last) \w+|the other (?:day|week|month)"
    r"|(?:an?|a few|a couple of|several|some|two|three|\d+) (?:days?|weeks?|months?|years?) (?:ago|back))"
    r"(?=$|[,.;!]| (?:for|with|and|to|because|so|when)\b).*$"
)
_ORIGIN = regex(r"(?<=\w) (?:all the way )?from (?:(?:the )?[A-ZÀ-Þ]|(?:my|our|his|her|their) |abroad\b|overseas\b).*$")


def without_time(value: str) -> str:
    """Return a value without the day, the date or the season at its end."""
    return _PERIOD.sub("", _DAY_OR_DATE.sub("", value))


def without_origin(place: str) -> str:
    """Return a named place without where somebody came from: "York from Leeds" is York."""
    return _ORIGIN.sub("", place) if place[:1].isupper() else place


_AND_KIN = regex(rf"(?<=\w),? (?:and|&|plus) (?:an?|one|two|three|four|my|our|their|his|her) (?:[\w-]+ )?{KIN}\b.*$")


def without_kin(pet: str) -> str:
    """Return a pet without the persons behind it: "dog called Biscuit and a daughter" is the dog."""
    return _AND_KIN.sub("", pet)


_NEAR = regex(
    r"(?:[a-z]+ ){0,3}(?:town|village|city|suburb|hamlet|island|place) (?:near|close to) (?:the )?[A-ZÀ-Þ][\w'-]*"
    r"(?: (?:[A-ZÀ-Þ][\w'-]*|border|coast|lake|river|mountains|airport)){0,3}"
)


def trim_value(value: str) -> str:
    """Return a value without its article and without what only says since when or why."""
    out = _CUT.sub("", value, count=1).strip(" .!?\"'")
    if out.islower() and (near := _NEAR.match(value)) is not None:  # "a small town near Lyon" is no other town
        out = near[0]
    for _ in range(2):
        out = _ENDING.sub("", out)
        out = _BEGINNING.sub("", out)
    return out.strip(" .!?\"'")


_ALONE = r"(?=$|[,.!]| (?:now|again|today|and|for|by|at|in|since|until)\b)"
_IS_STATE = regex(
    r"(?:too|so|very|really|far|quite|pretty|rather|a bit|nearly|almost|completely|totally) \w"
    r"|\d+ years\b"
    r"|(?:stolen|broken|burgled|flooded|damaged|leaking|dying|dead|killing|freezing|draining|exhausting|stressing|boring"
    r"|falling apart|making (?:a |an )?(?:\w+ )?noises?|acting up|getting|going|ruining"
    r"|(?:driving|giving) (?:me|us|them))\b"
    # In small letters: "Stansted" is a place.
    r"|(?-i:(?:(?:being|been|now|just|finally|getting) )*(?:[a-z]+ed(?: off)?|written off|electric|blue|black|white"
    r"|gr[ea]y|green|silver|yellow|back))"
    r"(?=$|[,.!]| (?:and|by|under|at|in|on|now|again|with|until|from|after|today|yesterday)\b)"
    rf"|(?:mess|dump|disaster|wreck|nightmare|joke|pain|garage|workshop|shop|driveway|gone|lost|sold|fixed|empty|full"
    rf"|cold|hot|small|big|noisy|quiet|clean|dirty|damp|great|lovely|nice|fine|ok|okay|good|bad|terrible|awful|ready|safe|slow|fast"
    rf"|expensive|cheap|hard|easy|stressful|tough|intense|fun|over|done|secure|flexible|parked|insured|scratched|dented"
    rf"|totall?ed|at risk|on the line|for sale|on the market|important|everything){_ALONE}",
    re.IGNORECASE,
)
_NO_THINGS = frozenset(("address", "residence", "number", "adresse", "domicilio", "occupation", "profession"))
_THINGS = frozenset(("home", "vehicle", "phone", "occupation", "employer"))


_NOT_TURNED = regex(r"not (?:\w+ed|put|brought)(?: back| forward| up| down)? (?:to|until|for)\b")
# "The scan's been moved", "put back a week": another day, and none is told.
_MOVED = regex(
    r"(?:(?:been|now|just) )*(?:moved|pushed|postponed|rescheduled|put|delayed|shifted|bumped|brought)"
    r"(?: (?:back|off|forward|up|down|again))*"
    r"(?: (?:by )?(?:an?|one|two|three|four|half an|\d+) (?:hour|day|week|month)s?)?$"
)
# "My name is on the list", "my birthday was great".
_NO_NAME = regex(r"(?:(?:on|in|at|from|after|short for|spel[lt]|pronounced|too|very|really|so|not) |(?:mud|hard)\b)")
_IN_WEEK = regex(r"(?:last|this|next) (?:week|weekend|month|year)[.!]*", re.IGNORECASE)
_NO_DAY = regex(r"(?!the \w+ of)(?:(?:very|really|so|quite|pretty|a bit|an?) )?[a-z]+(?: [a-z]+)?$")
_DAY = regex(
    r"\d|\b(?:to(?:day|morrow)|next|christmas|halloween|eve|day|week|month|same)\b|day\b|(?:jan|febr)uary|march"
    r"|april|may|june|july|august|ber\b",
    re.IGNORECASE,
)


def is_no_value(noun: str, value: str) -> bool:
    """Return whether what is said of a noun is no value of it: a clause, what an assistant does, how a thing is.

    "My car is stolen" names no car, and "my job is killing me" no job.
    """
    if (
        value.startswith("that ")
        or _NOT_TURNED.match(value)
        or _MOVED.match(value)
        or (noun == "assistant" and value.partition(" ")[0].endswith("ing"))
    ):
        return True
    if noun in {"name", "birthday"}:
        is_name = noun == "name"
        if not is_name and _IN_WEEK.fullmatch(value):
            return True
        return (_NO_NAME if is_name else _NO_DAY).match(value) is not None and (is_name or not _DAY.search(value))
    is_thing = NOUN_ATTRIBUTES.get(noun) in _THINGS and noun not in _NO_THINGS
    return is_thing and _IS_STATE.match(value) is not None
