"""The name of a topic without a model: its keywords and phrases, and the sentences that say most of it.

A word says what a topic is about when several of its turns use it and other topics seldom do. So the topics of a scope
are labelled together, and the scope itself tells what is filler in it.

A summary is made of sentences, verbatim and in their order. Code, headings, items of lists and cut sentences are left
out where whole sentences are there.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from memoryos_core.extract.asking import READ_CHARS, clip
from memoryos_core.rules.text.function_words import BEFORE_NOUNS, COMMON_WORDS, FUNCTION_WORDS, REFERRING_WORDS
from memoryos_core.rules.text.languages import guess, has_no_spaces
from memoryos_core.rules.text.words import regex, sentences, terms, words
from memoryos_core.values.dialogue import Half

# What holds words together: Japanese endings and particles are in hiragana, Chinese has function words.
_GLUE = {"ja": regex("[\u3040-\u309f]"), "zh": regex("[我你他她它们的了是在吗呢吧也这那很不叫]")}
_TOKEN = regex(r"[^\W_]+(?:['\u2019.-][^\W_]+)*|[^\w\s]|\n")
_LONGEST, _INSIDE = 40, ",;-()'/"  # marks within a sentence
_CLITICS = ("s", "t", "re", "ve", "ll", "m", "d")
# Read of each turn: the beginning tells what it is about, and an assistant's answers are long.
_READ: Mapping[Half, int] = {"user": 800, "assistant": 500}
_TURNS_KEPT = 4096  # a turn is read again each time that the topics of its scope are made anew
SENTENCE_CHARS = 200
# Below this many terms a sentence is an exclamation, however common its words are.
_FULL_SENTENCE_TERMS = 5
# Choosing a handful among more candidates than this would not be better, only slower.
_CANDIDATES = 400
# A block of code between fences; the last one may have been cut.
_FENCED = regex(r"```.*?(?:```|\Z)", re.DOTALL)
# The beginning of a heading, of an item of a list, of a quotation, of a row of a table, or of a comment in code.
_MARKED = regex(r"\s*(?:[-*+#>|]|//|\d+[.)]\s)")
_CODE = regex(r"[{}\[\]<>=;_\\/|#*@$`~^+&]")
_MOST_CODE = 0.03  # of the characters of a sentence
_UNFINISHED = (":", ",", ";", "…")


# With so many words that several turns share, those of a single turn are left out.
_ENOUGH = 3
# What a keyword weighs, chosen by reading the labels of development conversations (ADR 0030). Of the uses of a word so
# large a share must be in a phrase for it to stand for the word; a phrase needs so many of the uses of its rarer word.
_MOSTLY, _TOGETHER = 0.4, 0.3
_OFTEN, _AGAIN, _ONCE, _PHRASE = 0.8, 0.5, 0.3, 1.25
_ANY_WORD, _UNSEEN, _LED, _LEAST_NOUN, _WEAK = 0.3, 0.3, 0.4, 0.4, 0.3
_SHORT_NAME, _SAMPLE_CHARS = 3, 300
# What a sentence weighs in a summary.
_OF_ASSISTANT, _HALF_CLEAR, _UNCLEAR, _NOT_SAID = 0.4, 0.55, 0.2, 0.02
_SHORT, _LENGTH, _TOLD, _NEW, _LITTLE = 8, 0.7, 0.4, 0.34, 0.15
_COMPARED, _MOST_SENTENCES = 40, 30
_FIRST_WORD = regex(r"[^\w\[(*_]{0,3}([^\W_]+)(?:['\u2019]\w+)?([,!])?")


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


class _Sentence(NamedTuple):
    """A sentence with its terms, and how well it can be read alone, 0 to 1."""

    text: str
    terms: frozenset[str]
    length: int
    clarity: float


_Worth: TypeAlias = "tuple[float, float, frozenset[str]]"
"""What a sentence is worth in a topic's summary, the weights of its terms together, and these terms."""


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of one half of a page. `is_person`: of the user or another person, not of an assistant."""

    half: Half
    text: str
    page: int
    is_person: bool = True


class Labels:
    """The keywords and the summaries of topics of one scope, which are compared with one another.

    The names of the speakers, and what they are called for short, are in every topic, and are left out.
    """

    def __init__(self, topics: Sequence[Sequence[Speech]], speakers: Collection[str] = ()) -> None:
        self._topics = topics
        self._speakers = frozenset(speakers)
        self._languages = [guess("\n".join(speech.text[:_SAMPLE_CHARS] for speech in topic)) for topic in topics]
        self._uses: Counter[Key] = Counter()
        self._nouns: defaultdict[Key, float] = defaultdict(float)
        self._names: Counter[Key] = Counter()  # above 0 for a name
        self._spellings: dict[Key, str] = {}
        self._using = [self._count(number) for number in range(len(topics))]  # the turns of each topic by key
        self._everywhere: Counter[Key] = Counter()
        for used in self._using:
            self._everywhere.update(used)
        self._weights = [self._weigh(number) for number in range(len(topics))]

    def keywords(self, topic: int, count: int) -> tuple[str, ...]:
        """Return up to `count` keywords of a topic, distinct, best first; none without words.

        Words of a single turn stand there only where fewer than three others do.
        """
        weights, used = self._weights[topic], self._using[topic]
        ranked = sorted(weights, key=lambda key: -weights[key])
        pairs_with: dict[str, list[Key]] = {}
        for pair in (key for key in ranked if len(key) > 1):
            for term in pair:
                pairs_with.setdefault(term, []).append(pair)
        chosen: list[Key] = []
        taken: set[str] = set()
        for key in ranked:
            longer = pairs_with.get(key[0], ()) if len(key) == 1 else ()
            pairs = (pair for pair in longer if used[pair] >= _MOSTLY * used[key] and taken.isdisjoint(pair))
            best = next(pairs, key)
            if taken.isdisjoint(best):
                taken.update(best)
                chosen.append(best)
        least = _WEAK * max(weights.values(), default=0.0)
        shared = [key for key in chosen if used[key] > 1 and weights[key] >= least and self._may_be_noun(key, topic)]
        kept = shared if len(shared) >= _ENOUGH else chosen[: max(_ENOUGH, len(shared))]
        return tuple(map(self._write, kept[:count]))

    def summary(self, topic: int, count: int) -> str:
        """Return the sentences that say most of what a topic is about, `count` at most; "" when there are no words.

        A sentence gains little by words that another one has said.
        """
        worth = self._sentence_worth(topic)
        best = sorted(worth, key=lambda text: -worth[text][0])[:_COMPARED]
        least = _LITTLE * worth[best[0]][0] if best else 0
        chosen: list[str] = []
        told: Counter[str] = Counter()
        while len(chosen) < count:
            gains = {text: self._gain(topic, worth[text], told) for text in best if text not in chosen}
            text = max(gains, key=gains.__getitem__, default="")
            if not gains or gains[text] <= least:
                break
            chosen.append(text)
            told.update(worth[text][2])
        if not chosen:
            return summary((speech.text for speech in self._topics[topic]), count)
        return " ".join(text for text in worth if text in chosen)

    def _sentence_worth(self, topic: int) -> dict[str, _Worth]:
        weights, language = self._weights[topic], self._languages[topic]
        worth: dict[str, _Worth] = {}
        for speech in self._topics[topic]:
            part = 1.0 if speech.is_person else _OF_ASSISTANT
            for s in _sentences_of(speech.text, language):
                if s.text not in worth:
                    telling = math.fsum(weights.get((term,), 0.0) for term in s.terms)
                    full = min(1.0, len(s.terms) / _FULL_SENTENCE_TERMS)
                    worth[s.text] = part * full * s.clarity * telling / (s.length + _SHORT) ** _LENGTH, telling, s.terms
        return worth

    def _gain(self, topic: int, worth: _Worth, told: Counter[str]) -> float:
        """Return what a sentence is still worth behind others that have told some of its terms."""
        value, telling, found = worth
        if not told or not telling:
            return value
        if len(found - told.keys()) < _NEW * len(found):
            return 0.0
        weights = self._weights[topic]
        return value / telling * math.fsum(weights.get((term,), 0.0) * _TOLD ** told[term] for term in found)

    def _count(self, topic: int) -> Counter[Key]:
        """Return in how many turns of a topic each key is used, and count what it is in the scope."""
        said = self._find_words(topic, is_strict=True)
        if not any(said):
            said = self._find_words(topic, is_strict=False)  # nothing but chat
        using: Counter[Key] = Counter()
        uses, nouns, names, spellings = self._uses, self._nouns, self._names, self._spellings
        for turn in said:
            using.update(dict.fromkeys((word.key for word in turn), 1))
            for key, written, is_name, noun in turn:
                uses[key] += 1
                nouns[key] += noun
                if is_name is not None:
                    names[key] += 1 if is_name else -1
                known = spellings.get(key)
                if known is None or (is_name and known.islower()):
                    spellings[key] = written.lower() if is_name is None else written
        return using

    def _find_words(self, topic: int, *, is_strict: bool) -> list[list[_Word]]:
        language = self._languages[topic]
        spoken = [
            _words_of(speech.text[: _READ[speech.half]], language, is_strict=is_strict)
            for speech in self._topics[topic]
        ]
        return [[w for w in said if not self._speakers or not self._names_speaker(w.written)] for said in spoken]

    def _names_speaker(self, written: str) -> bool:
        """Return whether a word is of a speaker's name, or its beginning: "Mel" is Melanie, "mel" is not."""
        return any(
            name == part.lower() or (len(part) >= _SHORT_NAME and part[0].isupper() and name.startswith(part.lower()))
            for part in written.split()
            for name in self._speakers
        )

    def _weigh(self, topic: int) -> dict[Key, float]:
        used, turns = self._using[topic], len(self._topics[topic])
        everywhere, every_turn = self._everywhere, sum(map(len, self._topics))
        weights: dict[Key, float] = {}
        for key, count in used.items():
            if len(key) > 1 and not self._is_phrase(key, count):
                continue
            lift = math.log1p((count / turns) / (everywhere[key] / every_turn))
            more = (self._uses[key] - everywhere[key]) / everywhere[key]  # it comes again in the same turn
            weight = (count - 0.5 + _AGAIN * min(more, 1.0)) ** _OFTEN * lift * (_ANY_WORD + self._nounness(key))
            if count == 1:
                weight *= _ONCE
            weights[key] = weight * _PHRASE if len(key) > 1 else weight
        return weights

    def _is_phrase(self, pair: Key, count: int) -> bool:
        """Return whether two words belong together: they do so often, or are a name."""
        rarer = min(self._everywhere[pair[:1]], self._everywhere[pair[1:]])
        return self._everywhere[pair] >= _TOGETHER * rarer and (count > 1 or self._is_name(pair))

    def _is_name(self, key: Key) -> bool:
        return all(self._names[key[at : at + 1]] > 0 for at in range(len(key)))

    def _nounness(self, key: Key) -> float:
        last = key[-1:]
        return 1.0 if self._is_name(key) else (self._nouns.get(last, 0.0) + _UNSEEN) / (self._uses[last] + 1)

    def _may_be_noun(self, key: Key, topic: int) -> bool:
        """Return whether a key stands like a noun often enough; in languages of which that is not known, all may."""
        return self._languages[topic] not in BEFORE_NOUNS or self._nounness(key) >= _LEAST_NOUN

    def _write(self, key: Key) -> str:
        """Return a key as it was first written, names with capitals and other words without."""
        written = self._spellings[key].split()
        counts = [self._names[key[at : at + 1]] for at in range(len(key))]
        names = [count > 0 or (count == 0 and max(counts) > 0) for count in counts]  # "Mrs" may only begin sentences
        if len(written) != len(names):
            return " ".join(written)
        return " ".join(
            word[:1].upper() + word[1:] if is_name else word.lower()
            for word, is_name in zip(written, names, strict=True)
        )


@lru_cache(maxsize=_TURNS_KEPT)
def _words_of(text: str, language: str, *, is_strict: bool) -> tuple[_Word, ...]:
    """Return the words of a text that may be keywords, and the pairs of them; `is_strict`: without common ones."""
    if has_no_spaces(language):
        grams = [term for term in terms(text) if 1 < len(term) <= _LONGEST and not term.isdigit()]
        free = [gram for gram in grams if not _GLUE[language].search(gram)] if is_strict else grams
        return tuple(_Word((gram,), gram, is_name=False, noun=0.0) for gram in free)
    common = FUNCTION_WORDS.get(language, frozenset())
    if is_strict:
        common |= COMMON_WORDS.get(language, frozenset())
    leading = BEFORE_NOUNS.get(language, frozenset())
    found: list[_Word] = []
    tokens = [_without_clitic(token) for token in _TOKEN.findall(_FENCED.sub("\n", text))]
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


@lru_cache(maxsize=_TURNS_KEPT)
def _sentences_of(text: str, language: str) -> tuple[_Sentence, ...]:
    """Return the sentences of a text that a person would read as such."""
    common = COMMON_WORDS.get(language, frozenset()) | FUNCTION_WORDS.get(language, frozenset())
    found = [s for s in _sentences([_FENCED.sub("\n", text)]) if _is_prose(s)][:_MOST_SENTENCES]
    return tuple(_Sentence(s, frozenset(terms(s)), len(words(s)), _clarity(s, common)) for s in found)


def _clarity(sentence: str, common: frozenset[str]) -> float:
    """Return how well a sentence can be read alone: a question, a cry or what refers to another one says little."""
    first = _FIRST_WORD.match(sentence)
    if first is None:  # "[shares a photo]"
        return _NOT_SAID
    word, mark = first.group(1).lower(), first.group(2)
    clarity = _UNCLEAR if sentence.endswith(("?", "\uff1f")) else 1.0
    if word in REFERRING_WORDS or (mark and word in common) or first.group(1).islower():
        clarity *= _HALF_CLEAR
    if not sentence.endswith((".", "!", "\u3002", "\uff01")):
        clarity *= _HALF_CLEAR
    return clarity


def _weights(candidates: Sequence[Sequence[str]]) -> list[float]:
    tally = Counter(term for sentence in candidates for term in set(sentence))

    def weight(sentence: Sequence[str]) -> float:
        distinct = set(sentence)
        if not distinct:
            return 0.0
        # An exact sum in any order: the order of a set differs between processes.
        mean = math.fsum(math.log1p(tally[term]) for term in distinct) / len(distinct)
        return mean * min(1.0, len(distinct) / _FULL_SENTENCE_TERMS)

    return [weight(sentence) for sentence in candidates]


def _candidates(texts: Iterable[str]) -> list[str]:
    given = list(texts)
    found = _sentences(_FENCED.sub("\n", text) for text in given) or _sentences(given)
    shown = [s for s in found if _is_prose(s)] or list(dict.fromkeys(clip(s, SENTENCE_CHARS) for s in found))
    return shown[:_CANDIDATES]


def _sentences(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(s for text in texts for s in sentences(text[:READ_CHARS])))


def _is_prose(sentence: str) -> bool:
    """Return whether a person would read this as a whole sentence, or as a short line that somebody said."""
    if len(sentence) > SENTENCE_CHARS or sentence.endswith(_UNFINISHED) or _MARKED.match(sentence):
        return False
    return len(_CODE.findall(sentence)) <= _MOST_CODE * len(sentence)


def _best(candidates: Sequence[str], weights: Sequence[float], count: int) -> list[int]:
    ranked = sorted(range(len(candidates)), key=lambda i: (-weights[i], i))
    return [i for i in ranked if weights[i] > 0][:count]


def summary(texts: Iterable[str], count: int) -> str:
    """The `count` most central sentences, each cut at SENTENCE_CHARS; "" when there are no words."""
    candidates = _candidates(texts)
    chosen = _best(candidates, _weights([terms(c) for c in candidates]), count)
    return " ".join(candidates[i] for i in sorted(chosen))


def merge_summary(old: str, new: str, count: int) -> str:
    """A summary of `count` sentences for what two summaries describe together, with at least one of each.

    With a `count` of 1 only the newer one is used. A model's summaries merge in the same way.
    """
    before = _candidates([old])
    after = [s for s in _candidates([new]) if s not in before]
    candidates = before + after
    weights = _weights([terms(c) for c in candidates])
    border = len(before)
    ranked = _best(candidates, weights, len(candidates))
    firsts = [next((i for i in ranked if i >= border), None), next((i for i in ranked if i < border), None)]
    heard = [i for i in firsts if i is not None][:count]
    chosen = heard + [i for i in ranked if i not in heard][: count - len(heard)]
    return " ".join(candidates[i] for i in sorted(chosen))
