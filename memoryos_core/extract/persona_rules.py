"""The twin of `persona` without a model: first-person statements as facts, some fields by pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from memoryos_core.extract.findings import Findings, FoundFact, FoundField, Persona, is_news, names_of
from memoryos_core.extract.languages import guess, has_no_spaces
from memoryos_core.extract.prompts import words_of_half
from memoryos_core.rules.dates.spans import find_dates
from memoryos_core.rules.text.words import sentences, terms, words
from memoryos_core.values.dialogue import Page

_FACTS_A_PAGE = 4
_HANDLES = frozenset(("user", "human", "me", "speaker", "guest"))


def learn(persona: Persona) -> Findings:
    """Collect the user's statements about themselves, verbatim, each citing its page."""
    known = {fact.text.casefold() for fact in persona.known}
    facts: dict[str, FoundFact] = {}
    for page in persona.pages:
        for text in statements(words_of_half(page, "user"), _FACTS_A_PAGE):
            if text.casefold() not in known:
                facts.setdefault(text.casefold(), FoundFact("user", text, (page.id,), _when(text, page)))
    fields = {f.name: f for page in persona.pages for f in _fields(page)}
    name = _find_user_name(persona)
    if name is not None and "name" not in fields and persona.profile.get("name") is None:
        fields["name"] = name
    news = (f for f in fields.values() if is_news(persona.profile, f.name, f.value))
    return Findings(facts=tuple(facts.values()), profile=tuple(news))


def _when(text: str, page: Page) -> datetime | None:
    """Return the time of the event, if the statement names exactly one."""
    spans = find_dates(text, page.timestamp)
    return spans[0].start if len(spans) == 1 else None


def _fields(page: Page) -> Iterator[FoundField]:
    for sentence in sentences(words_of_half(page, "user")):
        for name, value in fields_in(sentence):
            yield FoundField(name, value, (page.id,))


def _find_user_name(persona: Persona) -> FoundField | None:
    """The name that the user's messages are signed with, when it looks like one."""
    name = names_of(persona).get("user", "")
    if not name[:1].isupper() or name.casefold() in _HANDLES or not persona.pages:
        return None
    signed = (p.id for p in persona.pages if any(m.name == name and m.half == "user" for m in p.messages))
    return FoundField("name", name, (next(signed, persona.pages[0].id),))


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
# Strict on purpose: a missed field stays a verbatim fact, but a wrong one would be in every prompt.
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


_LEAST_WORDS, _MOST_WORDS = 4, 60
_LEAST_TERMS = 2
_LEAST_CJK, _MOST_CJK = 4, 120

_FIRST_PERSON = {
    code: re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE)
    for code, forms in {
        "en": r"i|i'(?:m|ve|d|ll)|my|mine|we|we'(?:re|ve|d|ll)|^our",
        "de": r"ich|mein(?:e[mnrs]?)?|mich|mir|wir|uns|unser(?:e[mnrs]?)?",
        "fr": r"je|j'\w+|mon|ma|mes|moi|me|m'\w+|nous|notre|nos",
        "es": r"yo|mi|mis|m[ií]o|m[ií]a|me|soy|estoy|tengo|vivo|trabajo|fui|nac[ií]|nosotros|nuestr[oa]s?",
        "pt": r"eu|meus?|minhas?|me|sou|estou|tenho|moro|vivo|trabalho|fui|nasci|n[oó]s|noss[oa]s?",
        "it": r"io|mi[oae]|miei|mi|sono (?:un[ao]?|nat[oa]|stat[oa])|ho|abito|vivo|lavoro|noi|nostr[oaei]",
        "nl": r"ik|mijn|mij|me|wij|we|ons|onze",
    }.items()
}
_FIRST_PERSON_CJK = re.compile("我|咱|私|僕|俺|わたし|ぼく|自分")
_CJK_CHARS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")

_QUESTION = re.compile(r"[?？][\"'»”)\s]*$|[吗呢嗎]。?$|ですか。?$|ますか。?$")
# Small talk and requests, with any pronoun; English only, where they are most common.
_TALK = re.compile(
    r"""(?:(?:oh|well|yes|yeah|no|ok|okay|sure|hm+|haha|and|but|so|please|thanks|hey)[\s,.!]+)*
    (?:
        (?:i|we)(?:\s(?:really|still|also|do|would|totally|just|can))*\s
        (?:think|guess|hope|suppose|believe|see|agree|understand|know|imagine|mean|doubt|appreciate|get)
        (?:\s(?:so|not|it|that|too|what\syou\smean|you|your\shelp|the\shelp))*
      | i(?:\sdo\snot|\sdon't|'m\snot|\sam\snot)\s(?:know|sure|think\sso|mind|understand|get\sit)
      | (?:i|we)(?:'d|\swould|'ll|\swill)?\s(?:like|love|want|need)\s(?:you|your\shelp)\b.*
      | (?:tell|give|show|help|let|send|remind|explain|write|find|teach|wish)\s(?:to\s)?(?:me|us)\b.*
      | thank(?:s|\syou)\b[^,.!]*
      | (?:nice|good|great|lovely)\sto\s(?:see|meet|hear|talk)\b.*
    )[\s.!…]*""",
    re.IGNORECASE | re.VERBOSE,
)


def is_question(sentence: str) -> bool:
    """Return whether the sentence ends like a question."""
    return bool(_QUESTION.search(sentence[-40:]))


def _long_enough(sentence: str, language: str) -> bool:
    if has_no_spaces(language):
        return _LEAST_CJK <= len(_CJK_CHARS.findall(sentence)) <= _MOST_CJK
    return _LEAST_WORDS <= len(words(sentence)) <= _MOST_WORDS and len(set(terms(sentence))) >= _LEAST_TERMS


def _is_statement(sentence: str, language: str) -> bool:
    if is_question(sentence) or not _long_enough(sentence, language):
        return False
    plain = sentence.replace("\u2019", "'")
    if has_no_spaces(language):
        return bool(_FIRST_PERSON_CJK.search(plain))
    first_person = _FIRST_PERSON.get(language, _FIRST_PERSON["en"])
    return bool(first_person.search(plain)) and not _TALK.fullmatch(plain)


def statements(text: str, most: int) -> list[str]:
    """Up to `most` first-person statements of the text, verbatim and in order; the fullest when there are more."""
    language = guess(text)
    found = [s for s in dict.fromkeys(sentences(text)) if _is_statement(s, language)]
    if len(found) <= most:
        return found
    fullest = sorted(range(len(found)), key=lambda i: (-len(set(terms(found[i]))), i))[:most]
    return [found[i] for i in sorted(fullest)]
