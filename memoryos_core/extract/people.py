"""People in what is told: whom a sentence without a subject is about, how old somebody is, and who died."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from memoryos_core.extract.statement_subjects import FAMILY
from memoryos_core.extract.tagging import classes_of
from memoryos_core.rules.knowledge.domains import domains_of
from memoryos_core.rules.knowledge.entries import PARTNERS
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.words import regex


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


# "My parents moved too. Sold the old place and live in Kent now": who does the second thing is named in the first.
_TELLS_OF = regex(
    r"(?i)(?:(?:so|and|oh|btw|also|well|but),? )*(?P<who>(?:(?:my|our) )?(?:(?:older|younger|big|little|best|other) )?"
    rf"(?!boss|manager|colleague|coworker|neighbou?r|roommate|flatmate|mentor)(?:{FAMILY})(?: (?-i:[A-ZÀ-Þ])[a-zà-ÿ]+)?"
    r"|he|she|they|(?P<name>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+)))(?:['’](?:s|re|ve) |(?= (?:ha[sd]|have|just|finally|also|is|are"
    r"|was|were|[a-z]+ed|rang|went|came|got|left|quit|sold|bought|wrote|lives?|works?)\b) )(?P<rest>[^?]+)"
)


_HAPPENED = regex(
    r"(?:(?:is|are|has|have|just|finally|also|recently) )*(?:[a-z]+ed|moving|retiring|leaving|rang|went|came|got|left"
    r"|gone|been|quit|sold|bought|wrote|lives?|works?)\b(?! (?:is|was|has|had|went|will|got)\b)"
)


_OF_SPEAKER = regex(
    r"(?i)\b(?:i|me|my|myself|mine|we|us|our|ours|you|your|(?:told|rang|called|texted|near|visited) (?:her|him|them))\b"
)


_NOW = r"(?:(?:just|finally|recently|also|then|now|still|both) )*"


_DID = regex(
    rf"(?i){_NOW}(?:moved|sold|bought|got|quit|left|started|found|retired|married|became|had|adopted|joined|lost|won|changed"
    r"|switched|gave up|rented|settled|emigrated|relocated|graduated)\b"
)


_DOES = regex(
    rf"(?i)(?:^{_NOW}|\band (?:now )?)(?:(?P<one>lives|works (?:as|at|for|in|from)|studies|teaches|owns|rents|is|has)"
    r"|live|work (?:as|at|for|in|from)|study|teach|own|rent|are|have)\b"
)


# "A patient today, 60yo man. Lives in Goole. wife is ill": his wife, and nobody's home but his.
_CASE = regex(
    r"(?i)(?<!am a )(?<!'m a )\b(?P<role>patient|client|customer|pupil|tenant)\b|\b\d{1,3} ?(?:yo|y/o|years?[- ]old)"
    r" (?P<who>girl|boy|man|woman|lady|child)\b"
)


_KIN_FIRST = regex(rf"(?i)(?!he\b|she\b|they\b)(?:{FAMILY})$")


_HIS_KIN = regex(
    r"(?i)(?=(?:wife|husband|son|daughter|sister|brother|parents) )|my (?=(?:mum|mom|dad) .*\b(?:her|him|his)\b)"
)


def with_same_subject(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences; one without a subject has that of the one before, if that tells of another person alone."""
    who, is_happening, case = "", False, None
    for sentence in sentences:
        kin = _HIS_KIN.match(sentence) if case is not None else None
        if kin is not None or (who and _goes_on_about(who, sentence, did=is_happening)):
            start = 0 if kin is None else kin.end()
            yield f"{who}{chr(39) + 's' if kin else ''} {sentence[start : start + 1].lower()}{sentence[start + 1 :]}"
            continue
        yield sentence
        told, case = _TELLS_OF.fullmatch(sentence), _CASE.search(sentence)
        who = "" if told is None or _OF_SPEAKER.search(told["rest"]) else told["who"]
        who = f"My {who.lower()}" if _KIN_FIRST.match(who) else who
        who = who if case is None else f"The {case[case.lastgroup or 0].lower()}"
        is_happening = told is not None and not told["name"] and case is None and bool(_HAPPENED.match(told["rest"]))


def _goes_on_about(who: str, sentence: str, *, did: bool) -> bool:
    """Return whether a sentence without a subject is about a person; `did`: something was told that this one did."""
    does = list(_DOES.finditer(sentence))
    are_several = who.lower().endswith(("s", "children", "they"))
    if _OF_SPEAKER.search(sentence) or any((found["one"] is None) != are_several for found in does):
        return False
    opens = bool(does) and does[0].start() == 0 and not does[0][0].lower().endswith(("is", "has", "are", "have"))
    return (opens or _DID.match(sentence) is not None) and (did or any(found["one"] for found in does))


_NAME = r"(?-i:(?P<name>[A-Z][a-zà-ÿ]{1,14}))"
_NUMBERS_TEXT = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBERS_TEXT.split(), 1)}
_AGE = rf"(?P<age>\d{{1,2}}|{'|'.join(_NUMBERS)})"
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
_NO_NAME = (
    r"(?!(?:mum|mom|dad|gran|nan|grandma|grandpa|baby|clock|total|score|count|temp|temperature|page|price|level|number"
    r"|weather|room|car|bus|odometer|counter|bill|everyone|everybody|someone|somebody|nobody|people|who)\b)"
)
# "My daughter Poppy is 4", "my son Ben works at Asda": when that is over, she is a daughter still.
_KIN_AGED = _pattern(
    rf"(?:(?:and|so|also|well),? )*my (?:(?P<who>(?!ex|\w*children\b|\w*s\b)(?:{FAMILY}))"
    r" (?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ-]{1,14})),?"
    r" (?:is|just turned|turned|will be)(?: (?:now|only|already|nearly|almost))* \d{1,2}(?: years old)?(?=[.,!;]|$|"
    r" (?:and|now|in|on|today|tomorrow|next|this)\b)"
    r"|(?P<child>son|daughter|partner|wife|husband|boyfriend|girlfriend),? (?-i:(?P<called>[A-ZÀ-Þ][a-zà-ÿ-]{1,14})),?"
    r" (?:is an?|works|lives|studies|drives|plays|teaches|goes|takes|has|started|moved|would|can't|isn't|needs|wants) )"
)
# A child's birthday in small letters: "poppy turned 5 yesterday", "poppy's 5 now".
_TURNED = _pattern(
    rf"(?:(?:and|so|oh|also|btw|omg),? )*(?P<name>{_NO_NAME}[a-z]{{3,12}})(?: (?:has |just |finally ){{0,2}}turned"
    r" (?P<age>\d{1,2})"
    r"|(?: is|'s) (?:already )?(?P<now>\d{1,2}) now)(?: (?:last|this) \w+| yesterday| today| on \w+day| already)*"
    r"(?: (?:lol|omg|haha))?[.!]*"
)
# "pickle died :(": a name in small letters, too.
_DIED = _pattern(
    rf"(?:(?:and|so|oh|omg|btw|sadly),? )*(?P<name>{_NO_NAME}[a-z]{{3,12}}) (?:just |sadly )?(?:died|passed away)"
    r"(?: (?:last|this) \w+| yesterday| today| on \w+day)?[.! :(]*"
)
_BIRTHDAY = _pattern(
    r"(?=.*\b(?:birthday|bday|b-day)\b).*(?:[,;!] |\band )(?:so |now )?i(?:'m| am) (?:now |officially )?"
    r"(?P<age>[1-9]\d)(?: (?:now|today|years old))?[.!]*$"
    # "It was my birthday yesterday, 42."
    r"|(?:(?:and|so|oh|well|also|btw),? )*(?:(?:it )?was |(?:it(?:'s| is) )?(?=my [\w-]+ today\b))?"
    r"my (?:birthday|bday|b-day)(?: was)? (?:today|yesterday|last \w+|the other day|on (?:\w+day|the \w+))"
    r"(?:[,;:!] | and | [-–] )(?:(?:turned|now|finally|officially|already|the big|that makes me|that's) )*"
    r"(?P<told>[1-9]\d)(?: (?:now|today|years (?:old|young)|already))?[.!]*$"
)


def ages_in(sentence: str) -> Iterator[str]:
    """Yield how old somebody is: the user on a birthday, a child, a brother who is named."""
    if (mine := _BIRTHDAY.match(sentence)) is not None:
        yield f"I'm {mine['age'] or mine['told']}."
    if (kin := _KIN_AGED.match(sentence)) is not None:
        yield f"My {(kin['who'] or kin['child']).lower()} is called {kin['name'] or kin['called']}."
    turned = _TURNED.fullmatch(sentence)
    if turned is not None and turned["name"].islower() and not _is_common(turned["name"]):
        yield f"{_capitalise(turned['name'])} turned {turned['age'] or turned['now']}."
    if (died := _DIED.fullmatch(sentence)) is not None and died["name"].islower() and not _is_common(died["name"]):
        yield f"{_capitalise(died['name'])} died."
    listed = _LISTED.finditer(sentence) if _CHILDREN.search(sentence) else ()
    for aged in (*(found for pattern in _AGED for found in pattern.finditer(sentence)), *listed):
        age = (aged["age"] or aged["bracketed"]).lower()
        if aged["name"].lower() not in FUNCTION_WORDS["en"]:  # "My dad is ill, he's 68"
            yield f"{aged['name']} is {_NUMBERS.get(age, age)}."


def _is_common(word: str) -> bool:
    """Return whether a word in small letters is one of the language and no name."""
    return word in FUNCTION_WORDS["en"] or bool(domains_of(word)) or word.endswith(("ing", "ed"))


def _capitalise(word: str) -> str:
    return word[:1].upper() + word[1:]


WORDS_OF_ROLE: Mapping[str, frozenset[str]] = {
    "partner": frozenset((*PARTNERS, "spouse")),
    "child": frozenset(("child", "son", "daughter", "kid", "baby", "eldest", "youngest", "oldest", "toddler")),
    "pet": frozenset(("pet",)),
}
"""The words of those next to a person who are marked by name."""


def role_in(name: str, texts: Iterable[str]) -> str:
    """Return who somebody is to the user by what is told of them: "other" for a friend or a sister, "" for nobody."""
    related = _relation_of(name)
    for text in texts:
        found = related.search(text) if name in text.casefold() else None
        if found is not None:
            word = (found["before"] or found["behind"] or found["apart"]).casefold().split()[-1]
            return next((role for role, words in WORDS_OF_ROLE.items() if word in words), "other")
    return ""


@lru_cache(maxsize=256)
def _relation_of(name: str) -> re.Pattern[str]:
    named, own = re.escape(name), r"(?:my|our|the user's|their)"
    return re.compile(
        rf"\b(?:{own}|(?:an?|the)) (?:[\w-]+ )?(?P<before>{KIN}),? (?:(?:is|called|named|name is) ){{0,2}}{named}\b"
        rf"|\b{named}(?: is| was)?(?: also| now)? {own} (?:[\w-]+ )?(?P<behind>{KIN})\b"
        rf"|\b{named}, {own} (?:[\w-]+ )?(?P<apart>{KIN})(?=[,.;!?]|$)",
        re.IGNORECASE,
    )


_ROLES = "|".join(sorted(WORDS_OF_ROLE["partner"] | WORDS_OF_ROLE["child"], key=len, reverse=True))
_OWN = (
    r"(?i:my|our) (?i:(?:little|big|older|oldest|elder|eldest|younger|youngest|middle|new|lovely|beautiful|dear|darling"
    r"|grown|adult|teenage|baby|only|other) )?"
)
_HAS_ROLE = re.compile(
    rf"\b{_OWN}(?P<role>(?i:{_ROLES})),? (?P<before>[A-ZÀ-Þ][a-zà-ÿ]+)"
    rf"|\b(?P<behind>[A-ZÀ-Þ][a-zà-ÿ]+), {_OWN}(?P<apart>(?i:{_ROLES}))(?=[.,!?]|$)"
)
_NAMES_SOMEBODY = _pattern(r"\b(?:nam(?:e|ed|ing)|call(?:ed|ing)?) $")


def named_with_role(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the names of a text that are told with who they are, each with its role and place: "for my son Tyler"."""
    for found in _HAS_ROLE.finditer(text):
        group = "before" if found["before"] else "behind"
        word = (found["role"] or found["apart"]).casefold()
        if "name" in classes_of(found[group]) and not _NAMES_SOMEBODY.search(text, 0, found.start()):
            role = next(role for role, words in WORDS_OF_ROLE.items() if word in words)
            yield role, *found.span(group)
