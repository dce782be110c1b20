"""Read who the people in the user's life are: "my manager is Farida", "our landlord, Mr Petrov, called"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.text.words import regex

# Roles that one person has at a time.
ROLE = (
    r"landlord|landlady|boss|manager|supervisor|adviser|advisor|therapist|dentist|doctor|gp|physio|vet|hairdresser"
    r"|barber|accountant|lawyer|coach|trainer|tutor|teacher|captain|chair|president|treasurer|director|headteacher"
    r"|cleaner|nanny|childminder|babysitter|caretaker|flatmate|roommate|tenant|lodger|deputy|assistant|mayor"
)
_RELATIVE = (
    r"(?:mother|father|sister|brother|son|daughter)-in-law|(?:step|grand|half-)?(?:mother|father|sister|brother|son"
    r"|daughter)|mum|mom|dad|grandma|grandpa|gran|nan|aunt|uncle|cousin|niece|nephew|wife|husband|partner|girlfriend"
    r"|boyfriend|fianc[eé]e?|best (?:friend|mate)|mentor|neighbou?r|housemate|godmother|godfather|goddaughter|godson"
)
_IS_ROLE = regex(rf"(?P<one>{ROLE})|{_RELATIVE}", re.IGNORECASE)
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Doctor|Sir|Dame|Coach|Father|Rabbi|Imam)"
# Capitals that begin no name: days, dates, peoples, titles alone, and who speaks.
_NO_NAME = (
    rf"(?!(?:{'|'.join(MONTH_NAMES)})(?: \d|'s\b)|(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Christmas|Easter|I|I'm"
    rf"|I'll|I've|OK|The|{_TITLE}|French|German|Dutch|Greek|Swiss|Czech|Thai|Welsh|Iraqi|Chinese|Japanese|Portuguese|Vietnamese"
    r"|Irish|English|British|Scottish|Polish|Danish|Swedish|Finnish|Spanish|Turkish|Jewish|Muslim|Catholic|Christian"
    r"|Hindu|Sikh|Buddhist|Indian|Italian|Russian|American|Canadian|Australian|Brazilian|Mexican|African|Asian|Korean"
    r"|Nigerian|Iranian|Persian|Ukrainian|Hungarian|Romanian|Austrian|Norwegian|Belgian|Egyptian|Colombian|European)\b)"
)
_NAME = (
    rf"(?:{_TITLE}\.? )?{_NO_NAME}[A-ZÀ-Þ][a-zß-ÿ][\w-]*"
    rf"(?: (?:(?:de|van|von|der|bin|al|el) )?{_NO_NAME}[A-ZÀ-Þ][\w-]+){{0,2}}"
)
_BEGINS_WITH_NAME = regex(_NAME)
_OWN = (
    r"\b(?:[Mm]y|[Oo]ur|[Tt]he user's) (?:(?:new|current|older|elder|oldest|eldest|younger|youngest|big|little|twin) )*"
)
_PERSON = regex(
    rf"{_OWN}(?P<role>(?i:{ROLE}|{_RELATIVE}))\b(?: (?:at|from|in) (?:[\w-]+ ){{0,2}}[\w-]+,)?"
    r"(?:(?:'s name is| is called| is named),?| called| named|,)? "
    rf"(?P<name>{_NAME})(?!'s\b|\u2019s\b|\w)"
)
# "I've changed GP, it's Dr Amin now", "we have a new cleaner called Magda".
_ANOTHER = regex(
    r"\b(?:I|[Ww]e|[Tt]he user)(?:'ve|\u2019ve| have| has| had)?(?: just| finally| also| now)? "
    r"(?:(?:changed|switched)(?: my| our| their)?|(?:got|found|hired|have|has) (?:an?|another) (?:new|different)) "
    rf"(?P<role>(?i:{ROLE}))s?,?(?: and)?(?: (?:it's|it is|(?:he|she)(?:'s| is)(?: called)?|called|named|to))? "
    rf"(?P<name>{_NAME})(?!'s\b|\u2019s\b|\w)"
)
_LEFT = regex(r"\b(?:moved out|left|leaves|is leaving|quit|retired|was (?:fired|sacked)|used to be (?:my|our|their))\b")
_ASKED = regex(rf"\b(?P<role>{ROLE}|{_RELATIVE})(?:'s name|\u2019s name|s called| called| named)\b", re.IGNORECASE)
_NAMES_THEM = regex(r"\b(?:now|called|named|name is)\b", re.IGNORECASE)
_OF_NAME = regex(r"(?:'s|\u2019s) name$")


def find_people(text: str) -> Iterator[tuple[str, str]]:
    """Yield each role that a person of the user's has in a statement, in lower case, and the name: "boss", "Dave"."""
    for found in _PERSON.finditer(text) if _LEFT.search(text) is None else ():
        yield found["role"].lower(), found["name"]


def find_another(text: str) -> tuple[str, str] | None:
    """Return the role that a statement gives to another person than before, in lower case, and the name."""
    found = _ANOTHER.search(text)
    return None if found is None else (found["role"].lower(), found["name"])


def ask_by_role(question: str) -> str:
    """Return a question for a name as one for the role: "my sister" for "my sister's name"."""
    return _ASKED.sub(r"\g<role>", question)


def role_of(attribute: str) -> str | None:
    """Return the role that an attribute names: "boss", or "boss's name"; None for one that names no role."""
    role = _OF_NAME.sub("", attribute)
    return role if _IS_ROLE.fullmatch(role) is not None else None


def may_be_held_by_many(role: str) -> bool:
    """Return whether several people may have a role at once: sisters, but not landlords."""
    found = _IS_ROLE.fullmatch(role)
    return found is not None and found["one"] is None


def names_person(value: str, said: str) -> bool:
    """Return whether what somebody of a role is said to be is a name: "Dr Wu", but not "great" or "French".

    In small letters only where the statement says that it is a name, or who it is now.
    """
    if _BEGINS_WITH_NAME.match(value) is not None:
        return True
    return value.islower() and " " not in value and _NAMES_THEM.search(said) is not None
