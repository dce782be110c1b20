"""Names that quick typists write in small letters beside who it is: "my wife anna", "my dog bruno ate my socks"."""

from __future__ import annotations

import re

from memoryos_core.rules.text.function_words import COMMON_WORDS, FUNCTION_WORDS, VAGUE_WORDS
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex

__all__ = ["names_in_full"]

_FAMILY = (
    r"(?:brother|sister|son|daughter|wife|husband|partner|girlfriend|boyfriend|mate|friend|cousin|uncle|aunt|nephew"
    r"|niece|boss|neighbour|neighbor|flatmate|roommate|housemate|colleague)"
)
_LOWER_NAME = regex(
    rf"\b((?:my|our) (?:(?:best|big|little|older|younger|twin) )?{_FAMILY} )([a-z]{{3,12}})"
    r"(?='s |'s$| (?:is|has|was|lives|works|got|moved|had|says|said|wants|thinks|loves|hates|plays|turned|just"
    r"|and I|for (?:her|his)|likes|needs)\b)"
)
_NO_NAME_TEXT = """
    currently recently even group company team house car dog cat job doctor circle school wedding party birthday kids
    children husband wife fight program printer zone board jeans application app file code model shop meanwhile kinda
    sorta legit bless bed crate walker sitter park tree litter box toy toys bowl collar leash hair poo groomer trainer
    vet breed food
"""
_ORDINARY = (COMMON_WORDS["en"] | VAGUE_WORDS["en"]).difference(("april", "june", "august", "jan", "hope", "rich"))
_NO_NAME = FUNCTION_WORDS["en"] | _ORDINARY | frozenset(_NO_NAME_TEXT.split())
# "My dog bruno ate my socks", "hes my husband viliami"; and "mabli my girlfriend loves ferns".
_LOWER_PET = regex(
    r"\b((?:my|our) (?:dog|cat|puppy|kitten|rabbit|hamster) )([a-z]{3,12})"
    r"(?= (?:ate|eats|sleeps|barks|loves|hates|bit|chewed|jumped|keeps|scratched|scratches|won't eat|threw up"
    r"|ran away|is \d+|was sick|got sick|likes|needs a|snores|meows)\b)"
)
_LOWER_MINE = regex(
    rf"\b((?:he's|she's|he is|she is) (?:my|our) {_FAMILY} )([a-z]{{3,12}})(?=[.,!]|$| (?:he's|she's|he is|she is)\b)"
)
_LOWER_FIRST = regex(
    rf"(?:^|(?<=[.!?\n] )|(?<=\n))(?P<name>[a-z]{{3,12}}),? (?P<who>my {_FAMILY})"
    r"(?= (?:is|has|was|lives|works|got|had|says|said|wants|thinks|loves|hates|plays|likes|needs)\b)"
)


def _name_in_full(found: re.Match[str]) -> str:
    word = found[2]
    if word in _NO_NAME or word.endswith(("ly", "ing", "ed")):
        return found[0]
    return f"{found[1]}{word.capitalize()}"


def _named_after(found: re.Match[str]) -> str:
    word = found["name"]
    if word in _NO_NAME or not is_name(word) or word.endswith(("ly", "ing", "ed")):
        return found[0]
    return f"My{found['who'][2:]} {word.capitalize()}"


def names_in_full(text: str) -> str:
    """Return a text in which the names of people and pets beside "my wife", "my dog" have their capital."""
    if "my " not in text and "our " not in text:
        return text
    for pattern in (_LOWER_NAME, _LOWER_PET, _LOWER_MINE):
        text = pattern.sub(_name_in_full, text)
    return _LOWER_FIRST.sub(_named_after, text)
