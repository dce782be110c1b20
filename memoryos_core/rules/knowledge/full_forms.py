"""Write statements with full verb forms, so that one pattern reads "she's a nurse" and "she is a nurse"."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.domains import LONGEST
from memoryos_core.rules.text.words import regex

__all__ = ["KIN", "normalise"]

KIN = (
    r"(?:(?:(?:mother|father|sister|brother|son|daughter)s?-in-law)"
    r"|(?:step|grand|great-grand|half-|foster )?(?:mother|father|sister|brother|son|daughter|parents?|child(?:ren)?)"
    r"|(?:older|younger|big|little|twin) (?:sister|brother)"
    r"|mum|mom|dad|grandma|grandpa|gran|kid|kids|sons|daughters|sisters|brothers|aunt|uncle|cousin|niece|nephew"
    r"|wife|missus|husband|hubby|partner|girlfriend|boyfriend|fianc[eé]e?|spouse|ex|in-laws|family"
    r"|(?:best )?friend|friends|roommate|flatmate|housemate|neighbou?r|colleague|coworker|co-worker|boss|manager|mentor"
    r"|teacher|coach|landlord|landlady|godmother|godfather|goddaughter|godson)"
)
_OF_PERSON = rf"he|she|{KIN}|cat|dog|puppy|kitten|(?-i:[A-ZÀ-Þ][\w-]+)"
_PARTICIPLES = (
    r"(?:(?:just|now|finally|also|recently|already) )?(?:got|been|taken|found|left|lost|quit|moved|joined|started"
    r"|become"
    r"|gone|thrown|given|packed|bought|sold|finished|given|had|passed|broken|switched|decided|accepted|adopted"
    r"|split|stopped|begun|changed)"
)
_IS_SO = (
    r"(?:an?|the|not|now|called|named|in|at|only|already|still|just|also|really|allergic|co?eliac|diabetic"
    r"|asthmatic|vegan"
    r"|vegetarian|pregnant|engaged|married|divorced|retired|unemployed|\d+)"
)
_CONTRACTIONS = tuple(
    (regex(pattern, re.IGNORECASE), text)
    for pattern, text in (
        (r"\b(I)'m\b", r"\1 am"),
        (r"\b(we|they|you)'re\b", r"\1 are"),
        (rf"\b({_OF_PERSON})'s (?={_PARTICIPLES}\b)", r"\1 has "),
        (r"\b(he|she|it|that|there|what)'s\b(?! own)", r"\1 is"),
        # Nobody owns "a nurse", "in Leeds" or "not well": "my sister's a nurse".
        (rf"\b({_OF_PERSON})'s (?={_IS_SO}\b)", r"\1 is "),
        (r"\b(I|we|they|you)'ve\b", r"\1 have"),
        (r"\b(I|we|they|you|he|she|it)'ll\b", r"\1 will"),
        (r"\b(I|we|they|you|he|she|it)'d\b", r"\1 would"),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
    )
)

# "On Thursdays Ann sings", "In July Ann will go": the day is no part of the name.
_DAY_OF = regex(
    r"\b((?:[Oo]n|[Ii]n|[Ll]ast|[Nn]ext|[Ee]very) (?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February"
    r"|March"
    r"|April|May|June|July|August|September|October|November|December)) (?=[A-ZÀ-Þ])"
)


@lru_cache(maxsize=16_384)
def normalise(text: str) -> str:
    """Return the text with straight apostrophes, full verb forms and one space between words, at a bounded length."""
    out = " ".join(text[:LONGEST].replace("\u2019", "'").split())
    if "'" in out or "nt" in out:
        for pattern, full in _CONTRACTIONS:
            out = pattern.sub(full, out)
    return _DAY_OF.sub(r"\1, ", out)
