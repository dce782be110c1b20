"""Static profile fields that a sentence states outright: name, home, occupation, birth year, pronouns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryos_core.steps.statements import is_question

_NAME = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}"
_OCCUPATIONS = (
    "accountant|actor|actress|analyst|architect|artist|baker|barista|biologist|carpenter|chef|chemist|consultant|"
    "counselor|dentist|designer|developer|doctor|editor|electrician|engineer|farmer|firefighter|florist|gardener|"
    "hairdresser|historian|journalist|lawyer|librarian|manager|mechanic|midwife|musician|nurse|painter|paramedic|"
    "pharmacist|photographer|physicist|pilot|plumber|programmer|professor|psychologist|researcher|scientist|"
    "social worker|student|surgeon|teacher|therapist|translator|veterinarian|vet|waiter|waitress|writer"
)
_NOT_A_PLACE = (
    "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|"
    "September|October|November|December|Sales|Marketing|Engineering|Finance|Product|Plan|Python|Windows|Linux|I"
)
# Made to miss rather than to err: what they miss stays a verbatim fact, an error would be in every prompt.
_FIELDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "name",
        re.compile(rf"\b(?i:my (?:full |real |first )?name is|my name's|i am called|i'm called) ({_NAME})"),
    ),
    (
        "name",
        re.compile(rf"^(?i:hi|hello|hey)\b[^.!?]{{0,12}}?[,!. ]+(?i:i'm|i am|this is) ({_NAME})(?=[.,!]|$| and )"),
    ),
    (
        "name",
        re.compile(
            "我(?:叫|的名字(?:是|叫))((?:(?![了你他她它这那什过来去])[\u4e00-\u9fff]){2,4}|[A-Z][a-z]+)(?=[，,。！!\\s]|$)"
        ),
    ),
    (
        "name",
        re.compile("(?:私|僕|俺)(?:の名前)?は([\u3040-\u30ff\u4e00-\u9fff]{1,8}?)(?:と申します|といいます|と言います)"),
    ),
    ("name", re.compile("(?:私|僕|俺)の名前は([\u3040-\u30ff\u4e00-\u9fff]{1,8}?)です")),
    (
        "home",
        re.compile(
            r"\b(?i:(?:i|we)(?:'ve|'m|'re| have| am| are)?(?: just| recently| now| finally| currently)*"
            r" (?:live|living|moved|relocated|based)(?: back| over| here)? (?:in|to)) "
            rf"(?!(?:{_NOT_A_PLACE})\b)([A-Z][\w'-]+(?:,? [A-Z][\w'-]+){{0,2}})"
        ),
    ),
    (
        "occupation",
        re.compile(
            r"\b(?i:i(?:'m| am)?(?: now| currently)? work(?:ing)? as) (?i:an? )"
            r"([a-z][a-z-]*(?: [a-z][a-z-]*){0,3}?)(?=[.,;!]|$| (?:at|in|for|and|but|with|on|near|from|since|now)\b)"
        ),
    ),
    (
        "occupation",
        re.compile(
            r"\b(?i:i(?:'m| am)(?: now| currently)? an? )"
            r"((?:(?!bad|terrible|good|great|decent|awful|big|huge|better|not)[a-z-]+ ){0,2}"
            rf"(?:{_OCCUPATIONS}))(?=[.,;!]|$| (?:at|in|for|and|but|with|by|from|who|now)\b)"
        ),
    ),
    ("birth_year", re.compile(r"\b(?i:i was born (?:in|on)) (?:[\w ,]{0,20}?\b)?((?:19|20)\d\d)\b")),
    ("pronouns", re.compile(r"\b(?i:my pronouns are) (\w+/\w+(?:/\w+)?)")),
)
_SUPPOSED = re.compile(
    r"\b(?:if|wish|would|might|maybe|imagine|used to|want to|almost|never|not|when|as a kid)\b|n't\b", re.I
)


def fields_in(sentence: str) -> Iterator[tuple[str, str]]:
    """Names and values of the fields the sentence states; none for questions and suppositions."""
    plain = sentence.replace("\u2019", "'")
    if is_question(plain) or _SUPPOSED.search(plain):
        return
    for name, pattern in _FIELDS:
        found = pattern.search(plain)
        if found:
            yield name, found.group(1)
