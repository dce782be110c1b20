"""The relevance of a hit to a question, on one scale from 0 to 1 (ADR 0024).

The ranking orders the hits of one question; its scores mean nothing beside those of another question, since the best
match gets the full mark however weak it is. The relevance adds how well each hit matches by itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.ranking.questions import asks
from memoryos_core.rules.ranking.signals import Scores, number_names, speakers_in_question
from memoryos_core.rules.text.languages import guess, is_calculation, question_terms
from memoryos_core.rules.text.words import regex, terms, words
from memoryos_core.values.dialogue import FACT
from memoryos_core.values.queries import Candidates

Indices: TypeAlias = NDArray[np.int64]

# Logistic regression on the development conversations, whole and in pieces from one page to three sessions. Half of the
# weight lies on evidence, nearly all of the other half on what was found for questions about something else.
# With vectors: score, cosine, words, few vectors, constant, all of the hit itself. Without: score, words of the best
# hit, constant: a reply that shares no word with a question is judged by what stands beside it. The first constant was
# lowered by 0.18 when neighbours began to lend meaning, so that as little is found for questions about something else.
_WITH_VECTORS = (2.36, 5.91, 1.92, 0.99, -5.16)
_WORDS_ALONE = (4.63, 3.21, -8.61)

# Some embedders give texts that have nothing in common a cosine of 0.5 to 0.8. A mean over the whole scope that is
# that high is such an embedder's zero. So few vectors tell little of the mean and of the spread.
_LOW_MEAN, _HIGH_MEAN = 0.35, 0.5
_FEW_VECTORS = 8

# Who asks about a person says a name, or speaks in the first or third person. Of the questions of the development
# conversations 1 % do neither, and of general questions nearly all. The log odds that such a question loses in full
# where no word of it was ever said, and not at all where one candidate holds all its words.
_IN_GENERAL_WITH_VECTORS, _IN_GENERAL_BY_WORDS = 2.0, 1.0
# A name is that of a person, or of a thing, who was spoken of where a candidate holds that much of the question.
_NAMED = regex(r"(?<!^)(?<![.?!:\"\u201c] )\b[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]")
_LEAST_OF_A_NAME = 0.35

# All words of a question, but for what rounding takes away; and the length, in characters, of the longest echo.
_ALL_WORDS = 0.995
_LONGEST_ECHO = 2000
_PAGES_BESIDE = 2

# Where messages are short, the answer often stands in the page after the one that has the words of the question. Beside
# a page that is sure, in the same talk, a relevance counts four times. A session has fewer pages than `_APART`.
_SURE, _RAISED = 0.4, 4.0
_ONE_TALK_SECONDS = 3600.0
_APART = 1 << 40
_NOWHERE: Indices = np.zeros(0, dtype=np.int64)

# A question that speaks of the memory alone: a verb of memory or a word for the talk itself, a person, and no other
# word with content. Nothing that was said is like such a question, and anything may answer it.
_OF_MEMORY = frozenset(
    terms(
        "know known remember remembered recall remind tell told say said talk talked talking speak spoke discuss "
        "discussed mention mentioned chat chatted conversation conversations describe learn learned learnt memory"
    )
)
_ABOUT_MEMORY = frozenset(
    terms(
        "last first time earlier before previously previous already ever far anything everything something things "
        "today yesterday week month recent recently again"
    )
)
_US = regex(r"\b(?:i|me|my|myself|we|us|our)\b", re.IGNORECASE)
_PERSON = regex(
    r"\b(?:i|me|my|mine|myself|we|us|ours?|ourselves|he|him|his|himself|she|hers?|herself|they|them|theirs?|users?)\b",
    re.IGNORECASE,
)
# "Give me a regex", "How do I undo a commit?" and what stands in quotation marks name no person.
_NO_PERSON = regex(
    r"\b(?:give|tell|show|teach|help|send|make|write|find|get|draw|draft) me\b"
    r"|\bhow (?:do|can|could|would) (?:i|we)\b"
    r"|[\"\u201c][^\"\u201c\u201d]{0,300}[\"\u201d]",
    re.IGNORECASE,
)
# What is neither a question nor one of these requests may be key words of what is looked for: "dietary restrictions".
_REQUEST = regex(
    r"(?:(?:please|now|ok|okay|and|so),? |(?:can|could|would|will) you (?:please )?)*(?:add|calculate|compare|compose"
    r"|convert|correct|count|create|define|describe|draft|draw|explain|fix|format|generate|give|help|implement|make"
    r"|outline|paraphrase|plan|proof ?read|recommend|rephrase|rewrite|show|simplify|solve|spell|suggest|teach|tell"
    r"|translate|turn|write)\b",
    re.IGNORECASE,
)
_WHO_AM_I = regex(r"\s*(?:so,? )?(?:who am i|describe me|tell me about myself)\b[\s?.!]*\Z", re.IGNORECASE)

# Words of messages that ask for nothing, in some languages, and words that often stand beside them.
_PLEASANTRIES = frozenset(
    terms(
        "thanks thank thx ty cheers hello hi hey hiya bye goodbye ok okay sure yes yeah yep yup nope great cool nice "
        "perfect awesome excellent lovely wonderful alright lol lmao haha hahaha hehe hm hmm hmmm mhm wow ah aha oh "
        "ooh yay ugh meh omg danke dank vielen gracias muchas merci obrigado obrigada grazie hallo hola "
        "beaucoup molte bonjour ciao oui genau 谢谢 謝謝 你好 您好 ありがとう こんにちは 非常感谢 多谢"
    )
)
_BESIDE = frozenset(
    terms(
        "good fine morning afternoon evening night works right go well got much lot lots sounds super please there "
        "help friend friends everyone everybody folks guys buddy dear noch also"
    )
)
# Wishes and greetings of several words; what stands beside them must be one of the words above.
_TIME_EN = (
    r"(?:day|one|time|night|evening|morning|afternoon|weekend|week|trip|flight|holiday|holidays|lunch|dinner|meal)"
)
_WISHES = regex(
    r"(?:\b(?:"
    r"have (?:a|an|some) (?:\w+ly )?(?:nice|good|great|lovely|wonderful|pleasant|safe|fun|amazing|restful) "
    rf"(?:rest of (?:your|the) )?{_TIME_EN}|enjoy (?:your|the) (?:rest of (?:your|the) )?{_TIME_EN}|have fun"
    r"|sleep (?:well|tight)|sweet dreams|good (?:luck|day|bye|night|morning|evening|afternoon)|take care|all the best"
    r"|best wishes|well done|no (?:problem|worries)|never ?mind|you(?:'|\u2019)?re welcome|welcome back"
    r"|go (?:on|ahead)|keep going|carry on|continue"
    r"|nice to (?:meet|see) you|long time no see|until (?:tomorrow|next time)"
    r"|(?:see|talk to|speak to|catch) you(?: (?:later|soon|tomorrow|around|then|next time|again))*"
    r"|happy (?:birthday|new year|holidays|easter)|merry christmas|congratulations|congrats"
    r"|guten (?:morgen|tag|abend)|gute nacht|schönen (?:tag|abend)|schönes wochenende|schlaf gut|viel (?:glück|spaß)"
    r"|bis (?:bald|morgen|später|dann)|auf wiedersehen|tschüss"
    r"|bonne (?:journée|nuit|soirée)|bonsoir|à (?:bientôt|demain)|au revoir"
    r"|buenos días|buenas (?:noches|tardes)|hasta (?:luego|mañana|pronto)"
    r"|buon ?giorno|buona ?(?:notte|sera|giornata)|arrivederci|bom dia|boa (?:noite|tarde)|até (?:logo|amanhã)"
    r")\b"
    r"|早上好|早安|晚安|晚上好|再[见見]|おやすみ(?:なさい)?|おはよう(?:ございます)?|こんばんは|さようなら|また明日)",
    re.IGNORECASE,
)
_LONGEST_WISH = 200
_HAS_WORD = regex(r"\w")

# Common verbs and adjectives that may qualify the word after them, in any matter: "open questions", "writing habits".
_QUALIFIERS = frozenset(
    terms(
        "say get make go know take see come think look want give use find tell ask work seem feel try leave call need "
        "keep let begin help talk turn start show hear play run move like live believe hold bring happen write provide "
        "sit stand lose pay meet include continue set learn change lead understand watch follow stop create speak read "
        "allow add spend grow open walk win offer remember consider appear buy wait serve send expect build stay fall "
        "cut reach remain suggest raise pass sell require report decide pull plan support good new first last long "
        "great little own old right big high different small large next early young important few bad same able best "
        "better real whole full sure nice hard clear ready current recent close main certain possible"
    )
)
# A noun in -ity is a matter of its own: "observability" has the stem of "observer", and "university" of "universe".
_MATTER = regex(r"\w{3,}it(?:y|ies)\Z")


@dataclass(frozen=True, slots=True)
class Floor:
    """The least relevance, 0 to 1: of each hit, or with `of_pages` of the better half of its page.

    An answer seldom repeats the words of its question: a page that passes comes whole, and so does the answer that the
    same question got before.
    """

    least: float = 0.0
    of_pages: bool = False

    def raise_neighbours(self, scores: Scores, candidates: Candidates) -> Scores:
        """Return the relevances that this floor is compared with: those beside a sure page are raised."""
        sure = np.flatnonzero(scores >= max(_SURE, self.least)) if self.of_pages else _NOWHERE
        if not len(sure):
            return scores
        beside = _beside(candidates, sure, pages=1, seconds=_ONE_TALK_SECONDS)
        return np.where(beside, _RAISED * scores, scores)

    def passed(self, scores: Scores, owners: Sequence[str], echoes: Indices) -> NDArray[np.bool_]:
        """Return which hits pass; echoes of the question themselves have no relevance."""
        passed = scores >= self.least
        if not self.of_pages:
            return passed
        pages = {owners[i] for i in (*np.flatnonzero(passed).tolist(), *echoes.tolist())}
        return np.fromiter(map(pages.__contains__, owners), np.bool_, len(owners))


ANYTHING = Floor()


@dataclass(frozen=True, slots=True)
class Match:
    """How well each of n candidates matches a question, by itself.

    `cosines` are nan where there are no vectors at all; `words` is how many words of the question a candidate holds,
    weighted by their information; `few` is near 1 where few candidates have vectors, and near 0 where many have.
    `doubt` is in log odds: how much less likely anything answers, since the question is a general one.
    """

    cosines: Scores
    words: Scores
    few: float = 0.0
    doubt: float = 0.0


def match(candidates: Candidates, question: str) -> Match:
    """Return how well the candidates match a question; one without a vector is as near as the mean of the scope."""
    words = candidates.coverage.astype(np.float64) * len(set(question_terms(question)))
    vectors = int(np.isfinite(candidates.dense).sum())
    is_general = asks_in_general(question, {name for name in candidates.speakers if name})
    held = float(candidates.coverage.max(initial=0.0))
    is_named = held >= _LEAST_OF_A_NAME and _NAMED.search(question) is not None
    unsaid = 1 - held if is_general and not is_named else 0.0
    if not vectors:
        return Match(np.full(len(candidates), np.nan), words, doubt=_IN_GENERAL_BY_WORDS * unsaid)
    few = _FEW_VECTORS / (_FEW_VECTORS + vectors)
    cosines = np.nan_to_num(candidates.dense.astype(np.float64), nan=candidates.dense_mean)
    mean = candidates.dense_mean * (1 - few)
    return Match(
        _above_zero(cosines, mean, english=guess(question) == "en"), words, few, _IN_GENERAL_WITH_VECTORS * unsaid
    )


# As many texts are read to see whether they are the question.
_ECHOES_AT_MOST = 48


def may_echo(candidates: Candidates, question: str) -> Indices:
    """Return the candidates that hold every word of the question: one of them may be the question, asked before.

    Of many, those that match it best: an echo has its small numbers and function words, too. Of what is no question
    none: see `is_echo`.
    """
    if not asks(question):
        return _NOWHERE
    whole: list[int] = np.flatnonzero(candidates.coverage >= _ALL_WORDS).tolist()
    places = np.array([place for place in whole if candidates.parts[place] != FACT], dtype=np.int64)
    best = np.argsort(-candidates.lexical[places], kind="stable")[:_ECHOES_AT_MOST]
    return np.sort(places[best])


def is_echo(text: str, question: str) -> bool:
    """Return whether a text is the question itself: more like it than any answer, and without news.

    Two questions are the same when they have the same words with content. What is no question is no echo either: to be
    said again is worth knowing.
    """
    return asks(question) and len(text) <= _LONGEST_ECHO and _echo_key(text) == _echo_key(question)


def without(candidates: Candidates, echoes: Indices) -> Candidates:
    """Return the candidates with nothing that speaks for these ones, so that they are no measure for the others.

    What stands beside one is found by its words: it counts no more than the best of all that does not.
    """
    beside = _beside(candidates, echoes)
    dense, coverage = np.array(candidates.dense), np.array(candidates.coverage)
    dense[echoes], coverage[echoes] = np.nan, 0.0
    lexical = _lower_echoes(candidates.lexical, echoes, beside)
    return replace(candidates, lexical=lexical, dense=dense, coverage=coverage)


def without_idle_words(candidates: Candidates) -> Candidates:
    """Return the candidates, without words where none of them holds a word that the question is about.

    What they share with it then is a small number, or hiragana.
    """
    if candidates.coverage.any():
        return candidates
    return replace(candidates, lexical=np.zeros_like(candidates.lexical))


def _beside(
    candidates: Candidates, places: Indices, *, pages: int = _PAGES_BESIDE, seconds: float = np.inf
) -> NDArray[np.bool_]:
    """Return which candidates of pages lie within so many pages, and seconds, of one of these, in its session."""
    seqs, times = candidates.seqs, candidates.times
    at = number_names(candidates.sessions) * _APART + seqs
    marks = places[np.argsort(at[places], kind="stable")]
    after = np.searchsorted(at[marks], at)
    near: NDArray[np.bool_] = np.zeros(len(candidates), dtype=np.bool_)
    for side in (marks[np.maximum(after - 1, 0)], marks[np.minimum(after, len(marks) - 1)]):
        near |= (np.abs(at - at[side]) <= pages) & (np.abs(times - times[side]) <= seconds)
    return near & (seqs >= 0)


def _lower_echoes(scores: NDArray[np.float32], echoes: Indices, beside: NDArray[np.bool_]) -> NDArray[np.float32]:
    lowered = np.array(scores, dtype=np.float32)
    lowered[echoes] = 0.0
    if most := float(scores[~beside].max(initial=0.0)):
        lowered[beside] = np.minimum(lowered[beside], most)
    return lowered


def relevance(scores: Scores, found: Match, chosen: Sequence[int], *, echoed: bool = False) -> Scores:
    """Return how likely each hit is evidence, 0 to 1, shape (n,).

    Take as many hits that are evidence as hits that are noise. Of those with a relevance of r a share r is evidence.

    Args:
        scores: what each hit is judged by (`Ranking.judged`), with the default weights.
        found: how well each hit matches the question.
        chosen: the hits that may come back.
        echoed: whether the question was asked before: then its own words lie there and not in the answer.
    """
    doubt = 0.0 if echoed else found.doubt  # what was asked before is no question in general
    if np.isnan(found.cosines).all():
        by_score, by_words, constant = _WORDS_ALONE
        constant -= doubt
        best = float(found.words[list(chosen)].max(initial=0.0))
        # Where nothing holds a word of the question, the ranking went by function words.
        return _logistic(by_score * scores + by_words * float(np.log1p(best)) + constant) * (best > 0 or echoed)
    by_score, by_cosine, by_words, by_few, constant = _WITH_VECTORS
    own = by_cosine * found.cosines + by_words * np.log1p(found.words)
    return _logistic(by_score * scores + own + by_few * found.few + constant - doubt)


def log_odds(relevances: Scores) -> Scores:
    """Return the log odds of relevances: linear in the scores that the ranking gave the hits of one question."""
    inside = np.minimum(np.maximum(relevances, 1e-9), 1 - 1e-9)
    return np.log(inside) - np.log1p(-inside)


def asks_of_memory(question: str) -> bool:
    """Return whether a question speaks of the memory alone: "What do you know about me?", "What did we talk about?"."""
    if _WHO_AM_I.match(question):
        return True
    asked = set(terms(question))
    return bool(asked & _OF_MEMORY) and asked <= _OF_MEMORY | _ABOUT_MEMORY and speaks_of_us(question)


def speaks_of_us(question: str) -> bool:
    """Return whether a question speaks of the user, or of what user and assistant have talked about."""
    return _US.search(question) is not None


def asks_in_general(question: str, speakers: Collection[str]) -> bool:
    """Return whether an English question names no person: "How do I boil an egg?", "Give me five synonyms"."""
    if not (asks(question) or _REQUEST.match(question)):
        return False
    if guess(question) != "en" or _PERSON.search(_NO_PERSON.sub(" ", question)):
        return False
    return not speakers_in_question(question, speakers)


def asks_nothing(question: str) -> bool:
    """Return whether a message asks for nothing: "Great, that works", "Sleep well!", "2 + 2", or no word at all.

    That is a greeting, a wish, thanks, assent, a calculation, or signs alone.
    """
    if not _HAS_WORD.search(question):
        return bool(question.strip())
    if is_calculation(question):
        return True
    rest = _WISHES.sub(" ", question) if len(question) <= _LONGEST_WISH else question
    said = set(terms(rest))
    is_polite = rest != question or bool(said & _PLEASANTRIES)
    return is_polite and said <= _PLEASANTRIES | _BESIDE and not asks(rest)


def meets_by_chance(question: str, text: str) -> bool:
    """Return whether a text shares a single word with a question, and that one tells nothing of what is asked.

    It qualifies another word that the text lacks, as "open" does in "any open questions?", or is another word of the
    same stem.
    """
    asked = words(question)
    stems = [_stem(word) for word in asked]
    said = words(text)
    shared = set(question_terms(question)).intersection(terms(text))
    if len(shared) != 1:
        return False
    (stem,) = shared
    places = [i for i, other in enumerate(stems) if other == stem]
    if stem in _QUALIFIERS:
        return any(stems[i + 1] not in ("", stem) for i in places if i + 1 < len(stems))
    forms = {asked[i] for i in places}
    others = {word for word in said if _stem(word) == stem}
    return forms.isdisjoint(others) and _all_matters(forms) != _all_matters(others)


def _stem(word: str) -> str:
    return next(iter(terms(word)), "")


def _all_matters(forms: set[str]) -> bool:
    return all(map(_MATTER.match, forms))


def _above_zero(cosines: Scores, mean: float, *, english: bool) -> Scores:
    """Return cosines on the scale of embedders for which unrelated texts have about 0.

    To embedders that know English best, two texts of another language are alike for their language alone.
    """
    zero = mean * (min(max((mean - _LOW_MEAN) / (_HIGH_MEAN - _LOW_MEAN), 0.0), 1.0) if english else 1.0)
    return (cosines - zero) / (1 - zero)


def _echo_key(text: str) -> tuple[str, ...] | str:
    said = " ".join(text.split()).lower().rstrip(" .!。！")
    words = tuple(sorted(set(question_terms(text)))) if said.endswith(("?", "？")) else ()
    return words or said.rstrip("?？ ")


def _logistic(values: Scores) -> Scores:
    return 1 / (1 + np.exp(-values))
