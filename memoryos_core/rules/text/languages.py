"""The rough language of a text, and what a question in it is about: enough to choose a list, never shown to anyone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.related_words import ASKED, FORMS, SYNONYMS, THINGS, TOLD
from memoryos_core.rules.text.words import regex, terms, words

# English words with content that are function words elsewhere: "to die", "an old man". By themselves they do not speak
# for the other language.
_ALSO_ENGLISH_TEXT = """
    ad al ante bin ci come con den die door dos dove el era eras est hem hen kan la las man mag men met mia mine os par
    pas per pour quanta sans sea sin sob son sub sue tan tot van vi want war word
"""
_ALSO_ENGLISH = frozenset(_ALSO_ENGLISH_TEXT.split())
_ENGLISH = FUNCTION_WORDS["en"]
_ELSEWHERE = frozenset[str]().union(*(listed for code, listed in FUNCTION_WORDS.items() if code != "en"))
_MARKERS = {
    code: _ENGLISH - _ELSEWHERE if code == "en" else listed - _ALSO_ENGLISH - _ENGLISH
    for code, listed in FUNCTION_WORDS.items()
}
_SAMPLE_CHARS = 2000
_QUESTIONS_KEPT = 16  # each step of a recall asks for the language and the terms of the same question
_SAMPLES_KEPT = 256  # labels ask for the language of the same topics each time
_KANA = regex("[\u3040-\u30ff]")
_HANGUL = regex("[\uac00-\ud7af]")
_HAN = regex("[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = regex("[\u0400-\u04ff]")
_OTHER_SCRIPTS = regex("[\u0400-\u04ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def guess(text: str) -> str:
    """The two-letter code of the likeliest language; "en" when nothing speaks for another."""
    return _guess_sample(text[:_SAMPLE_CHARS])


@lru_cache(maxsize=_SAMPLES_KEPT)
def _guess_sample(sample: str) -> str:
    if not sample.isascii() and _OTHER_SCRIPTS.search(sample):
        letters = sum(map(str.isalpha, sample))
        for code, script in (("ja", _KANA), ("ko", _HANGUL), ("zh", _HAN), ("ru", _CYRILLIC)):
            if len(script.findall(sample)) > letters * (0.1 if code == "ja" else 0.3):
                return code
    found = frozenset(words(sample))
    return max(_MARKERS, key=lambda code: len(found & _MARKERS[code]))


def has_no_spaces(language: str) -> bool:
    """Return whether the language is written without spaces between words: Chinese and Japanese, not Korean."""
    return language in ("zh", "ja")


# Numbers that are reckoned with. Dates, fractions and telephone numbers have their marks without a space.
_NUMBER = r"\d(?:[\d.,]*\d)?"
_CALCULATION = regex(rf"{_NUMBER}(?:(?: ?[*×÷^=] ?| [-+/x] ){_NUMBER})+")
# Alone in a message they may stand without spaces: "1+1", but neither "555-0199" nor "10/12".
_BARE_SUM = regex(
    r"(?:what(?:'s|\u2019s| is) )?(?=[^?!]{0,200}\d ?[)]? ?[+*×÷^] ?[(]? ?\d)[\d\s.,()+*/×÷^=-]{3,200}[?!]*",
    re.IGNORECASE,
)
_SMALL_NUMBER = regex("[0-9]{1,3}")  # a longer one is a year, or a room, a code
_SPEAKER_TEXT = "i my mine ich mein meine je j mon ma mes yo mi mis eu meu minha io mio mia ik mijn я мой моя"
_SPEAKER = frozenset(_SPEAKER_TEXT.split())

# Pieces of hiragana are particles and endings; what is left of a run without these is a word that is written in it.
_HIRAGANA = regex("[\u3041-\u3096]+")
# An ideograph of a compound is in many others: only one that stands alone is a word.
_COMPOUND = regex("[\u3400-\u9fff]{2,}")
_LONE = regex("(?<![\u3400-\u9fff])[\u3400-\u9fff](?![\u3400-\u9fff])")
_LONGEST_RUN = 40  # of hiragana with particles and endings to find; nobody's question has a longer one
_PARTICLES = "はがをにのでともやへ"
_LED_BY_TEXT = """
    わたし ぼく おれ あなた うち これ それ あれ この その あの ここ そこ あそこ どこ どれ どの どんな だれ なに なん
    なぜ いつ いくら いくつ どう どうやって どうして とても もう まだ また
"""
_ENDED_BY_TEXT = """
    さん ちゃん くん こと もの ところ とき ため から まで より など だけ しか ほど くらい けど けれど のに ので って
    という みたい よう です でした でしょう だった だろう ます ました ません まして ください くださ くれ くれる くれた
    もらう もらった おしえて する した して しま している される された いる いた いて い ある あった あって あり ない
    なかった なく なる なった なって なり できる できた でき れば たら たい たく たかった ている ていた てい て た
    か ね よ だ な し
"""
_LED_BY = regex(rf"(?:{'|'.join(_LED_BY_TEXT.split())})+[{_PARTICLES}]?")
_ENDED_BY = regex(rf"(?:{'|'.join((*_LED_BY_TEXT.split(), *_ENDED_BY_TEXT.split()))}|[{_PARTICLES}])\Z")
_SHORTEST_WORD = 2
_ONE_WORD = 3


def search_terms(text: str) -> list[str]:
    """Return the terms of a question to rank by, at least those of `question_terms`.

    Japanese keeps its hiragana here: it says little of what a question is about, but tells two answers apart.
    """
    return list(_search_terms(text))


@lru_cache(maxsize=_QUESTIONS_KEPT)
def _search_terms(text: str) -> tuple[str, ...]:
    language = guess(text)
    if language == "ja":
        return tuple(terms(text))
    without = FUNCTION_WORDS.get(language, frozenset())
    return tuple(terms(" ".join(word for word in words(text) if word not in without)))


def question_terms(text: str) -> list[str]:
    """Return the terms of a question that say what it is about: no function words of its language, no calculation.

    Only a question is read so. What is remembered keeps all its terms, and so does every index. A small number beside
    other words says nothing by itself, except of the one who asks: "Convert 17 miles", but "When was I 17?".
    """
    return list(_question_terms(text))


@lru_cache(maxsize=_QUESTIONS_KEPT)
def _question_terms(text: str) -> tuple[str, ...]:
    if is_calculation(text):
        return ()
    found = tuple(_japanese_terms(text)) if guess(text) == "ja" else _search_terms(text)
    if _SPEAKER.intersection(words(text)):
        return found
    return tuple(term for term in found if not _SMALL_NUMBER.fullmatch(term)) or found


def is_calculation(text: str) -> bool:
    """Return whether a text asks for the result of a calculation and for nothing else: "What is 17 * 23?"."""
    if _BARE_SUM.fullmatch(text.strip()):
        return True
    rest = _CALCULATION.sub(" ", text)
    return rest != text and not search_terms(rest)


def _japanese_terms(text: str) -> list[str]:
    said = terms(text)
    joined = frozenset("".join(_COMPOUND.findall(text))) - frozenset(_LONE.findall(text))
    kept = [t for t in said if not (_HIRAGANA.fullmatch(t) or _KANA.fullmatch(t) or t in joined)]
    for run in _HIRAGANA.finditer(text):
        kept += [term for term in terms(_word_in_hiragana(run)) if len(term) > 1]
    # One word, as one types it to search, may look like two particles.
    return kept or (said if len("".join(words(text))) <= _ONE_WORD else [])


def _word_in_hiragana(run: re.Match[str]) -> str:
    """Return a run of hiragana without what leads and ends it; "" when no word is left.

    After another script a word begins behind a particle: anything else is the ending of what stands before.
    """
    word, before = run.group(), run.string[: run.start()][-1:]
    if before.isalpha():
        if word[0] not in _PARTICLES:
            return ""
        word = word[1:]
    if len(word) > _LONGEST_RUN:
        return word
    if led := _LED_BY.match(word):
        word = word[led.end() :]
    while ended := _ENDED_BY.search(word):
        word = word[: ended.start()]
    return word if len(word) >= _SHORTEST_WORD else ""


# A synonym, and a thing of a kind, beside a word of the question itself (ADR 0044).
_SYNONYM_WEIGHT, _THING_WEIGHT = 0.7, 0.3
_THING_COUNTED = 0.7
# A longer text has words enough, and seldom asks for a list.
_MOST_ASKED = 16
# Who asks for a time names what happened then.
_ASKS_TIME = regex(
    r"\W*(?:(?:and|but|so|ok|okay)\W+)?(?:(?:since |until |by )?when|how (?:long|often))\b", re.IGNORECASE
)


def index_terms(text: str) -> list[str]:
    """Return the terms of a text as an index holds them, with repeats: of the forms of one word the first stands there.

    Facts and topics are compared by `terms`, which know no forms.
    """
    return _fold_forms(terms(text))


def weighted_terms(question: str) -> dict[str, float]:
    """Return the index terms to rank by with their weight, 0 to 1: of a question, its synonyms, things of its kinds.

    Of the last two only English ones are known.
    """
    return _with_things(question, _fold_forms(search_terms(question)), _THING_WEIGHT)


def counted_terms(question: str) -> dict[str, float]:
    """Return the index terms that say what a question is about, each with weight 1; synonyms and things with less."""
    return _with_things(question, _fold_forms(question_terms(question)), _THING_COUNTED)


def _with_things(question: str, asked: Sequence[str], weight: float) -> dict[str, float]:
    if len(asked) > _MOST_ASKED or guess(question) != "en":
        return dict.fromkeys(asked, 1.0)
    meant = index_terms(" ".join(word for pattern, word in ASKED if pattern.search(question)))
    weights = dict.fromkeys(asked or meant, 1.0)  # "What do I do?" asks for the job, and for nothing else
    plain = index_terms(
        " ".join(word for word in words(question) if not word.endswith("ly"))
    )  # "lovely" asks for no love
    for term in (*filter(plain.__contains__, asked), *meant):
        for other in (term, *_synonyms().get(term, ())):
            weights.setdefault(other, _SYNONYM_WEIGHT)
    for kind in () if _ASKS_TIME.match(question) else (*asked, *meant):
        for thing in _things_by_kind().get(kind, ()):
            weights.setdefault(thing, weight)
    return weights


def _fold_forms(stems: Sequence[str]) -> list[str]:
    forms = _first_forms()
    return [forms.get(stem, stem) for stem in stems]


@cache
def _first_forms() -> dict[str, str]:
    """Return the term of the first form of a word, by those of the others."""
    rows = [terms(" ".join(row)) for row in FORMS]
    return {other: first for first, *others in rows for other in others if other != first}


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """Return the terms of synonyms, and of the words by which people tell of a thing, by the term of each word."""
    found: dict[str, dict[str, None]] = {}
    for asked, told in (*((row, row) for row in SYNONYMS), *TOLD):
        for term in index_terms(" ".join(asked)):
            found.setdefault(term, {}).update(dict.fromkeys(index_terms(" ".join(told))))
    return {term: tuple(other for other in others if other != term) for term, others in found.items()}


@cache
def _things_by_kind() -> dict[str, tuple[str, ...]]:
    """Return the terms of things by the term of each kind."""
    found: dict[str, dict[str, None]] = {}
    for kinds, things in THINGS.items():
        for kind in index_terms(kinds):  # "medication" and "medical" have one stem
            found.setdefault(kind, {}).update(dict.fromkeys(index_terms(things)))
    return {kind: tuple(things) for kind, things in found.items()}


# Nothing that is old is asked for, and no job by what is worked on.
_IN_OTHER_WORDS = (
    (regex(r"\b(?:do|does|work) for a living\b", re.IGNORECASE), "job"),
    (regex(r"\bwhat (?:do|does) (?P<who>i|we|my [\w'\u2019-]+) do\W*$", re.IGNORECASE), r"what job \g<who>"),
    (regex(r"\bhow old\b", re.IGNORECASE), "age"),
    (regex(r"\bwork(?:s|ed|ing)? (?:on|out|through)\b", re.IGNORECASE), " "),
    # "Where am I from?", not "Where is the noise coming from?" or "Where are the emails from Rob?".
    (
        regex(
            r"\bwhere (?:am|are|is|do|does) (?P<who>my (?:[\w'\u2019-]+ ){1,2}?|(?!(?:the|this|that|it|these|those"
            r"|all)\b)[\w'\u2019-]+ )(?:originally |really )?(?:come )?from(?: originally)?\W*$",
            re.IGNORECASE,
        ),
        r"origin \g<who>",
    ),
)


def name_attributes(question: str) -> str:
    """Return the question with the word for what it asks of a person: "How old am I?" asks for the age."""
    for pattern, named in _IN_OTHER_WORDS:
        question = pattern.sub(named, question)
    return question
