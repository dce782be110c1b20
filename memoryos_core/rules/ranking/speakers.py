"""The speakers that a question is about, by the names in the messages."""

from __future__ import annotations

import re
from collections.abc import Collection

from memoryos_core.rules.text.words import terms, words

# Thai, kana, ideographs and hangul stand side by side without a space, and part the words of other scripts. Only
# katakana shows where its words end: where other letters begin.
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_UNSPACED = (
    rf"\u0e00-\u0e7f\u3005-\u3007\u3041-\u309f{_KATAKANA}\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_SPACED = rf"[^\W{_UNSPACED}]"
_POSSESSIVE = r"(?:['\u2019]s?(?!\w)|[的の의])?"

# Between two names: what belongs to the first, then what puts the second beside it.
_JOINED = re.compile(
    r"(?:['\u2019]s?|さん|くん|ちゃん|様)?\s*"
    r"(?:,|&|/|,?\s*and|or|plus|vs\.?|versus|as well as|和|与|與|跟|及|と|や|、|，)\s*"
)


def speakers_in_question(question: str, speakers: Collection[str]) -> frozenset[str]:
    """The speakers whose first name (`_called`) stands in the question as a word of its own, whatever its case."""
    lowered = question.lower()
    return frozenset(s for s in speakers if (name := _first_name(s)) and _stands(name.lower(), lowered))


def subject(question: str, speakers: Collection[str]) -> str | None:
    """The speaker that a question is about: the only one it names, or the first of several that nothing joins.

    "What does Ada think of Ben's boat?" asks what Ada said. Of "Ada and Ben" neither comes first.
    """
    lowered = question.lower()
    spoken_of = sorted(speakers_in_question(question, speakers))
    places = [next(re.finditer(_word(_first_name(name).lower()), lowered)) for name in spoken_of]
    if len(spoken_of) != len({match.start() for match in places}):
        return None  # two speakers of one first name
    order = sorted(range(len(places)), key=lambda i: places[i].start())
    if len(order) > 1 and _JOINED.fullmatch(lowered, places[order[0]].end(), places[order[1]].start()):
        return None
    return spoken_of[order[0]] if order else None


def without_names(question: str, speakers: Collection[str]) -> str:
    """The question with the names of these speakers left out; as it was when nothing else would be left."""
    names = {name for s in speakers if _first_name(s) for name in (" ".join(s.split()), _first_name(s))}
    text = question
    for name in sorted(names, key=lambda name: (-len(name), name)):  # Ann-Marie before Ann, whatever the order given
        text = re.sub(_word(name) + _POSSESSIVE, " ", text, flags=re.IGNORECASE)
    left = " ".join(text.split())
    return left if text != question and re.search(r"\w", left) else question


def _first_name(speaker: str) -> str:
    """The first name; where that is a function word ("Will", "The Professor") the whole name, or "" if that is all."""
    parts = speaker.split()
    if parts and (terms(parts[0]) or words(parts[0]) != [parts[0].lower()]):
        return parts[0]
    return " ".join(parts) if len(parts) > 1 else ""


def _stands(name: str, lowered: str) -> bool:
    # A plain search first: in a large group nearly none of the thousands of names occurs.
    return name in lowered and re.search(_word(name), lowered) is not None


def _word(name: str) -> str:
    if len(name) == 1:
        return rf"(?<!\w){re.escape(name)}(?!\w)"
    return rf"(?<!{_letters_joining(name[0])}){re.escape(name)}(?!{_letters_joining(name[-1])})"


def _letters_joining(letter: str) -> str:
    """Return a pattern of letters that would extend a word that begins, or ends, with this letter."""
    if re.match(f"[{_KATAKANA}]", letter):
        return f"[{_KATAKANA}]"
    return "(?!)" if re.match(f"[{_UNSPACED}]", letter) else _SPACED
