"""Which sentences are statements that a speaker makes about themselves, in the languages we know words of."""

from __future__ import annotations

import re

from memoryos_core.rules.words import sentences, terms, words
from memoryos_core.steps.languages import guess, has_no_spaces

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
# Said to keep the talk going or to ask for something, whatever pronoun it has; English, where it is commonest.
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
    """Whether the sentence ends like a question."""
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
