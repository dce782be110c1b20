"""Names of a topic without a model: its keywords and phrases, and by their weights its summary.

A word says what a topic is about when several of its turns use it and other topics seldom do. So the topics of a scope
are labelled together, and the scope itself tells what is filler in it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from memoryos_core.extract.summaries import FENCED, TURNS_KEPT, Speech, summarise_topic
from memoryos_core.rules.text.function_words import BEFORE_NOUNS, COMMON_WORDS, FUNCTION_WORDS, VAGUE_WORDS
from memoryos_core.rules.text.languages import guess, has_no_spaces
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.dialogue import Half

# What holds words together: Japanese endings and particles are in hiragana, Chinese has function words.
_GLUE = {"ja": regex("[\u3040-\u309f]"), "zh": regex("[我你他她它们的了是在吗呢吧也这那很不叫]")}
_OKAY = frozenset(("ok", "okay"))  # stands in chats of all languages
_TOKEN = regex(r"[^\W_]+(?:['\u2019.-][^\W_]+)*|[^\w\s]|\n")
_LONGEST, _INSIDE = 40, ",;-()'/"  # marks within a sentence
_CLITICS = ("s", "t", "re", "ve", "ll", "m", "d")
# Read of each turn: the beginning tells what it is about, and an assistant's answers are long.
_READ: Mapping[Half, int] = {"user": 800, "assistant": 500}


# With so many words that several turns share, those of a single turn are left out.
_ENOUGH = 3
# What a keyword weighs, chosen by reading the labels of development conversations (ADR 0030). Of the uses of a word so
# large a share must be in a phrase for it to stand for the word; a phrase needs so many of the uses of its rarer word.
_MOSTLY, _TOGETHER = 0.4, 0.3
_OFTEN, _AGAIN, _ONCE, _PHRASE = 0.8, 0.5, 0.3, 1.25
_VAGUE = 0.2
_ANY_WORD, _UNSEEN, _LED, _LEAST_NOUN, _WEAK = 0.3, 0.3, 0.4, 0.4, 0.3
_SHORT_NAME, _SAMPLE_CHARS, _FEW_CHARS = 3, 300, 60

Key: TypeAlias = "tuple[str, ...]"
"""The terms of a word, or of two words that stand together: the same for all their forms."""


class _Word(NamedTuple):
    """A word of a turn that may say what it is about, or two that stand together, as they are written there.

    `is_name` is None at the beginning of a sentence, where every word has a capital. `noun`: how surely it stands where
    a noun does, 0 to 1.
    """

    key: Key
    written: str
    is_name: bool | None
    noun: float


class _Turn(NamedTuple):
    """The words of a turn as they are counted: a scope is counted again each time that its topics are made anew.

    `keys` has one for each word, `distinct` each once. `names` and `others` are the keys of words within a sentence,
    with and without a capital. `spellings` has the first one of each key, `capitals` the first one with a capital.
    """

    keys: tuple[Key, ...]
    distinct: tuple[Key, ...]
    nouns: tuple[tuple[Key, float], ...]
    names: tuple[Key, ...]
    others: tuple[Key, ...]
    spellings: Mapping[Key, str]
    capitals: Mapping[Key, str]


class Labels:
    """The keywords and the summaries of topics of one scope, which are compared with one another.

    The names of the speakers, and what they are called for short, are in every topic, and are left out.
    """

    def __init__(self, topics: Sequence[Sequence[Speech]], speakers: Collection[str] = ()) -> None:
        self._topics = topics
        self._speakers = frozenset(speakers)
        self._languages = _languages_of(topics)
        read = [self._turns_of(number) for number in range(len(topics))]
        # In how many turns each key is used: of each topic, and of all; how often, and how often like a noun.
        self._using = [Counter(chain.from_iterable(turn.distinct for turn in turns)) for turns in read]
        self._everywhere = Counter(chain.from_iterable(turn.distinct for turns in read for turn in turns))
        self._uses = Counter(chain.from_iterable(turn.keys for turns in read for turn in turns))
        self._nouns: defaultdict[Key, float] = defaultdict(float)
        for key, noun in chain.from_iterable(turn.nouns for turns in read for turn in turns):
            self._nouns[key] += noun
        self._names = Counter(key for turns in read for turn in turns for key in turn.names)  # above 0 for a name
        self._names.subtract(Counter(key for turns in read for turn in turns for key in turn.others))
        self._spellings: dict[Key, str] = {}
        self._capitals: dict[Key, str] = {}
        for turn in (turn for turns in reversed(read) for turn in reversed(turns)):  # so that the first one stays
            self._spellings.update(turn.spellings)
            self._capitals.update(turn.capitals)
        self._turns = sum(map(len, topics))
        self._weights = [self._weigh(number) for number in range(len(topics))]

    def keywords(self, topic: int, count: int) -> tuple[str, ...]:
        """Return up to `count` keywords of a topic, distinct, best first; none without words.

        Words of a single turn stand there only where fewer than three others do.
        """
        weights, used = self._weights[topic], self._using[topic]
        ranked = sorted(weights, key=weights.__getitem__, reverse=True)
        pairs_with: dict[str, list[Key]] = {}
        for pair in (key for key in ranked if len(key) > 1):
            for term in pair:
                pairs_with.setdefault(term, []).append(pair)
        least = _WEAK * max(weights.values(), default=0.0)
        chosen: list[Key] = []
        likely: set[Key] = set()
        taken: set[str] = set()
        for key in ranked:
            if weights[key] < least and len(likely) >= _ENOUGH:
                break  # of what follows nothing is kept
            longer = pairs_with.get(key[0], ()) if len(key) == 1 else ()
            pairs = (pair for pair in longer if used[pair] >= _MOSTLY * used[key] and taken.isdisjoint(pair))
            best = next(pairs, key)
            if taken.isdisjoint(best):
                taken.update(best)
                chosen.append(best)
                likely.update([best] if self._may_be_noun(best, topic) else [])
        shared = [key for key in chosen if key in likely and used[key] > 1 and weights[key] >= least]
        if len(shared) < _ENOUGH:  # of few words that are shared, a noun of one turn tells more than a verb of several
            chosen.sort(key=lambda key: weights[key] * (1.0 if key in likely else _ANY_WORD), reverse=True)
        kept = shared if len(shared) >= _ENOUGH else chosen[:_ENOUGH]
        return tuple(map(self._write, kept[:count]))

    def summary(self, topic: int, count: int) -> str:
        """Return the sentences that say most of what a topic is about, `count` at most; "" when there are no words."""
        weights = {key[0]: weight for key, weight in self._weights[topic].items() if len(key) == 1}
        return summarise_topic(self._topics[topic], weights, self._languages[topic], count)

    def _turns_of(self, topic: int) -> list[_Turn]:
        """Return the turns of a topic, with the words that are common in a language where there are no others."""
        language = self._languages[topic]
        said = [(speech.text[: _READ[speech.half]], language, self._speakers) for speech in self._topics[topic]]
        turns = [_turn_of(*turn, is_strict=True) for turn in said]
        return turns if any(turn.keys for turn in turns) else [_turn_of(*turn, is_strict=False) for turn in said]

    def _weigh(self, topic: int) -> dict[Key, float]:
        used, turns = self._using[topic], len(self._topics[topic])
        everywhere, every_turn = self._everywhere, self._turns
        vague = _vague_terms(self._languages[topic])
        weights: dict[Key, float] = {}
        for key, count in used.items():
            if len(key) > 1 and not self._is_phrase(key, count):
                continue
            lift = math.log1p((count / turns) / (everywhere[key] / every_turn))
            more = (self._uses[key] - everywhere[key]) / everywhere[key]  # it comes again in the same turn
            weight = (count - 0.5 + _AGAIN * min(more, 1.0)) ** _OFTEN * lift * (_ANY_WORD + self._nounness(key))
            if count == 1:
                weight *= _ONCE
            if not vague.isdisjoint(key) and vague.issuperset(key) and not self._is_name(key):
                weight *= _VAGUE
            weights[key] = weight * _PHRASE if len(key) > 1 else weight
        return weights

    def _is_phrase(self, pair: Key, count: int) -> bool:
        """Return whether two words belong together: they do so often, or are a name."""
        rarer = min(self._everywhere[pair[:1]], self._everywhere[pair[1:]])
        return self._everywhere[pair] >= _TOGETHER * rarer and (count > 1 or self._is_name(pair))

    def _is_name(self, key: Key) -> bool:
        names = self._names
        return names.get(key[:1], 0) > 0 and (len(key) == 1 or names.get(key[1:], 0) > 0)

    def _nounness(self, key: Key) -> float:
        last = key[-1:]
        return 1.0 if self._is_name(key) else (self._nouns.get(last, 0.0) + _UNSEEN) / (self._uses[last] + 1)

    def _may_be_noun(self, key: Key, topic: int) -> bool:
        """Return whether a key stands like a noun often enough; in languages of which that is not known, all may."""
        return self._languages[topic] not in BEFORE_NOUNS or self._nounness(key) >= _LEAST_NOUN

    def _write(self, key: Key) -> str:
        """Return a key as it was first written, names with capitals and other words without."""
        first = self._spellings[key]
        written = (self._capitals.get(key, first) if first.islower() else first).split()
        counts = [self._names[key[at : at + 1]] for at in range(len(key))]
        names = [count > 0 or (count == 0 and max(counts) > 0) for count in counts]  # "Mrs" may only begin sentences
        if len(written) != len(names):
            return " ".join(written)
        return " ".join(
            word[:1].upper() + word[1:] if is_name else word.lower()
            for word, is_name in zip(written, names, strict=True)
        )


@lru_cache(maxsize=TURNS_KEPT)
def _turn_of(text: str, language: str, speakers: frozenset[str], *, is_strict: bool) -> _Turn:
    """Return the words of a turn that may be keywords, without the names of speakers."""
    said = _words_of(text, language, is_strict=is_strict)
    found = [word for word in said if not speakers or not _names_speaker(word.written, speakers)]
    keys = tuple(word.key for word in found)
    spellings: dict[Key, str] = {}
    capitals: dict[Key, str] = {}
    for key, written, is_name, _ in found:
        spellings.setdefault(key, written.lower() if is_name is None else written)
        if is_name:
            capitals.setdefault(key, written)
    return _Turn(
        keys,
        tuple(dict.fromkeys(keys)),
        tuple((word.key, word.noun) for word in found if word.noun),
        tuple(word.key for word in found if word.is_name),
        tuple(word.key for word in found if word.is_name is False),
        spellings,
        capitals,
    )


def _languages_of(topics: Sequence[Sequence[Speech]]) -> list[str]:
    """Return the language of each topic; one of a few words ("See ya!") has that of most others."""
    samples = ["\n".join(speech.text[:_SAMPLE_CHARS] for speech in topic) for topic in topics]
    languages = [guess(sample) for sample in samples]
    told = Counter(code for code, sample in zip(languages, samples, strict=True) if len(sample) > _FEW_CHARS)
    most = told.most_common(1)
    return [
        most[0][0] if most and len(sample) <= _FEW_CHARS and sample.isascii() else code
        for code, sample in zip(languages, samples, strict=True)
    ]


def _names_speaker(written: str, speakers: frozenset[str]) -> bool:
    """Return whether a word is of a speaker's name, or its beginning: "Mel" is Melanie, "mel" is not."""
    for part in written.split():
        lowered = part.lower()
        if lowered in speakers:
            return True
        if part[0].isupper() and len(part) >= _SHORT_NAME and any(name.startswith(lowered) for name in speakers):
            return True
    return False


def _words_of(text: str, language: str, *, is_strict: bool) -> tuple[_Word, ...]:
    """Return the words of a text that may be keywords, and the pairs of them; `is_strict`: without common ones."""
    if has_no_spaces(language):
        grams = [term for term in terms(text) if 1 < len(term) <= _LONGEST and not term.isdigit()]
        free = [g for g in grams if not _GLUE[language].search(g) and g not in _OKAY] if is_strict else grams
        return tuple(_Word((gram,), gram, is_name=False, noun=0.0) for gram in free)
    common = _common_words(language, is_strict=is_strict)
    leading = BEFORE_NOUNS.get(language, frozenset())
    found: list[_Word] = []
    tokens = [_without_clitic(token) for token in _TOKEN.findall(FENCED.sub("\n", text))]
    keys = [_key_of(token.lower(), common) for token, _ in tokens]
    last: _Word | None = None
    before, begins = "", True
    for place, ((token, owns), key) in enumerate(zip(tokens, keys, strict=True)):
        word = None
        if key:
            ends = owns or place + 1 == len(keys) or not keys[place + 1]
            is_led, is_second = before in leading, last is not None
            noun = (_LED if is_led else 0.0) if not ends else 1.0 if is_led else _LED if is_second else 0.0
            word = _Word(key, token, None if begins else token[0].isupper(), noun)
            if last is not None:
                found.append(_Word(last.key + key, f"{last.written} {token}", last.is_name, noun))
            found.append(word)
        last = None if owns else word
        before = token.lower()
        begins = not token[0].isalnum() and (begins or _INSIDE.find(token) < 0)
    return tuple(found)


@lru_cache(maxsize=64)
def _vague_terms(language: str) -> frozenset[str]:
    """Return the terms of words that may stand in talk about anything, and of other forms of the common ones."""
    listed = VAGUE_WORDS.get(language, frozenset()) | COMMON_WORDS.get(language, frozenset())
    return frozenset(term for word in listed for term in terms(word))


@lru_cache(maxsize=64)  # one set for all turns: `_key_of` compares it at each call unless it is the same
def _common_words(language: str, *, is_strict: bool) -> frozenset[str]:
    """Return the words of a language that are no keywords."""
    common = FUNCTION_WORDS.get(language, frozenset())
    return common | COMMON_WORDS.get(language, frozenset()) if is_strict else common


def _without_clitic(token: str) -> tuple[str, bool]:
    """Return "sister" and True for "sister's": what follows belongs to it."""
    first, apostrophe, rest = token.replace("\u2019", "'").rpartition("'")
    if not apostrophe or not first or rest.lower() not in _CLITICS:
        return token, False
    return ("not" if rest.lower() == "t" else first), rest.lower() == "s"


@lru_cache(maxsize=32_768)
def _key_of(word: str, common: frozenset[str]) -> Key:
    """Return what is the same for all forms of a word; () for one that says nothing, and for a number."""
    if not 1 < len(word) <= _LONGEST or word in common or any(map(str.isdigit, word)):
        return ()
    found = terms(word)
    return (" ".join(found),) if found else ()
