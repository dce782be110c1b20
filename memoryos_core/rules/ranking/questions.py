"""A question as it arrives, made fit to search with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryos_core.rules.ranking.pasted import extract_question
from memoryos_core.rules.text.words import sentences

__all__ = ["asks", "asks_assistant", "clean"]


_LONG = 600
_KEEP = 400
_READ = 20 * _LONG
# The number of sentences at either end of a long text that are searched for a question before the whole text.
_FIRST, _LAST = 2, 3

# Beginnings and ends of questions without a question mark.
_ASKS = re.compile(
    r"(?:and |but |so |please |can you |could you )?(?:what|when|where|who|whom|whose|which|why|how|did|does|do|is|are"
    r"|was|were|have|has|had|can|could|tell me|remind me|list|name|find|recall|summari[sz]e)\b"
    r"|.{0,200}(?:什么|什麼|甚麼|哪|谁|誰|几|幾|多少|怎么|怎麼|何时|是否|有没有|有沒有|告诉我|告訴我|提醒我|[吗嗎呢]。?$"
    r"|どこ|だれ|いつ|どう|どれ|どの|どんな|なぜ|なに|何|いくつ|いくら|教えて|[すたの]か。?$)",
    re.IGNORECASE | re.DOTALL,
)
# Instructions that tell a model how to answer.
_PROMPT = re.compile(
    r"(?:you are|you're|act as) (?:a|an|the|now)\b"
    r"|(?:please )?(?:answer|respond|reply|return|output|mention|use|write|think|keep|be|base|do not|don't|never"
    r"|always|if you (?:do not|don't|are not|cannot|can't)|if the (?:answer|context))\b.{0,200}\b(?:answers?"
    r"|brief\w*|concise\w*|only|sentences?|words?|json|markdown|step by step|context|unknown|short|helpful|bullets?"
    r"|make up|invent|i don't know)\b"
    r"|[你您]是(?:一[个個名位]|.{0,20}助[手理])|(?:请|請)?(?:用|根据|根據|以|只|不要|简短|簡短|按照).{0,60}(?:回答|回复|回覆|编造|編造)"
    r"|あなたは.{0,60}(?:です|アシスタント)|.{0,80}(?:答えて|回答して|出力して)ください",
    re.IGNORECASE | re.DOTALL,
)


def clean(query: str) -> str:
    """The question itself: what is pasted around it (a system prompt, a transcript, a document) must not drown it.

    What its markup sets apart goes, and sentences that tell a model how to answer; of what is still long the questions
    at its ends are kept, the last ones first, else those in its midst, else its end. A short one that has none of this
    comes back stripped.
    """
    text = extract_question(_readable(query), any_tag=len(query) > _LONG)
    parts = sentences(text)
    if len(text) > _LONG:
        return _keep_questions(_without_prompts(parts))
    kept = _without_prompts(parts)
    return text if len(kept) == len(parts) else " ".join(kept)


def _readable(query: str) -> str:
    """Shorten a long text to its two ends: a pasted text may be megabytes, and encoding costs by the letter."""
    text = query if len(query) <= _READ else f"{query[: _READ // 2]}\n\n{query[-_READ // 2 :]}"
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8").strip()


def _without_prompts(parts: Sequence[str]) -> list[str]:
    """Drop instructions on how to answer, if a question is left."""
    kept = [part for part in parts if _is_marked(part) or _PROMPT.match(part) is None]
    return kept if any(map(_is_marked, kept)) or any(map(asks, kept[:1] + kept[-1:])) else list(parts)


def _is_marked(part: str) -> bool:
    return part.endswith(("?", "？"))


def asks(part: str) -> bool:
    """Return whether a sentence is a question, by its mark, its first words or its last ones."""
    return _is_marked(part) or _ASKS.match(part) is not None


def _keep_questions(parts: Sequence[str]) -> str:
    """The questions that it begins and ends with, else those near its ends, else any, else its end."""
    marked = [_is_marked(part) for part in parts]
    # Many sentences without a mark look like questions: only the very first and last count as one.
    bounds = [asks(parts[0]), *marked[1:-1], asks(parts[-1])][: len(parts)]
    first = next((i for i, is_question in enumerate(bounds) if not is_question), len(parts))
    last = next((i for i, is_question in enumerate(reversed(bounds)) if not is_question), 0)
    asked = [*parts[:first], *parts[max(len(parts) - last, first) :]]
    near = (part for i, part in enumerate(parts) if marked[i] and (i < _FIRST or i >= len(parts) - _LAST))
    asked = (
        asked or list(near) or [part for part, is_marked in zip(parts, marked, strict=True) if is_marked] or list(parts)
    )
    kept: list[str] = []
    for part in reversed(asked):
        if kept and sum(map(len, kept)) + len(part) > _KEEP:
            break
        kept.insert(0, part[-_KEEP:])
    return " ".join(kept).strip()


_SAYING = (
    r"(?:say|said|saying|tell|told|suggest\w*|recommend\w*|advis\w+|mention\w*|propos\w+|explain\w*|promis\w+"
    r"|describ\w+|answer\w*|repl(?:y|ied)|wr[io]te|give|gave|given|list(?:ed)?)"
)
_SAID = (
    r"(?:said|told|suggested|recommended|advised|mentioned|proposed|explained|promised|described|answered|replied|wrote"
    r"|gave|listed)"
)
_WORDS_OF_YOURS = r"(?:suggestion|recommendation|advice|answer|reply|response|explanation|proposal|tip|idea|list)s?"
_ADVERB = r"(?:(?:\w+ly|ever|also|just|first|once|already|even|not|last|all|and i|really)\s+){0,2}"
# What was said, not what would be: "what would you suggest" is a request of today.
_ASKS_ASSISTANT = re.compile(
    rf"\b(?:did|didn't|had|have|haven't|were|weren't)\s+you\s+{_ADVERB}{_SAYING}\b"
    rf"|\byou(?:'ve|'d|\s+have|\s+had|\s+were)?\s+{_ADVERB}{_SAID}\b"
    rf"|\b(?:was|were)\s+your\s+(?:\w+\s+)?{_WORDS_OF_YOURS}\b"
    rf"|\byour\s+(?:previous|earlier|last|first|original|past|initial)\s+(?:\w+\s+)?{_WORDS_OF_YOURS}\b"
    rf"|\b(?:did|has|have)\s+the\s+(?:assistant|ai|chatbot|bot)\s+{_ADVERB}{_SAYING}\b"
    rf"|\bthe\s+(?:assistant|ai|chatbot|bot)\s+{_ADVERB}{_SAID}\b",
    re.IGNORECASE,
)
_SAYS_ZH = r"(?:说|說|讲|講|告诉|告訴|建议|建議|推荐|推薦|提到|提|提议|提議|介绍|介紹|解释|解釋|回答|答应|答應|教)"
_ONCE_ZH = (
    r"(?:之前|以前|上次|上回|刚才|剛才|刚刚|剛剛|当时|當時|那时|那時|曾经|曾經|曾|那天|昨天|前几天|前幾天|上周"
    r"|已经|已經)"
)
_YOU_ZH = r"(?<![跟和对對给給向同为為])(?:[你您妳]|助手|助理)"
_TO_ME_ZH = r"(?:[都还還也有没]{0,2}(?:[跟和对對给給向为為][我咱](?:们|們)?)?)"
_ASKS_ASSISTANT_ZH = re.compile(
    rf"{_YOU_ZH}{_ONCE_ZH}{_TO_ME_ZH}{_SAYS_ZH}"
    rf"|{_ONCE_ZH}.{{0,3}}{_YOU_ZH}{_TO_ME_ZH}{_SAYS_ZH}"
    rf"|{_YOU_ZH}{_TO_ME_ZH}{_SAYS_ZH}[给給到]?(?:我(?:们|們)?)?(?:过|過|了|的(?!话|話))"
)
_SAYS_JA = (
    r"(?:言[っい]|おっしゃ[っい]|勧め|薦め|すすめ|教え|答え|話し|挙げ"
    r"|(?:おすすめ|お勧め|推薦|提案|アドバイス|助言|説明|紹介|返事|回答)し)"
)
_FOR_ME_JA = r"(?:くれ(?:てい?)?|くださ[っい]|もら[っい]|いただ[いき])"
# Another person did it: "友達が勧めてくれた店".
_OTHERS_JA = (
    r"(?:さん|くん|ちゃん|様|[母父兄姉弟妹妻夫娘彼誰]|友達|友人|先生|上司|同僚|医者|彼女|息子|店員|先輩|後輩)"
    r"(?:が|に|から|は|も|の)"
)
_ASKS_ASSISTANT_JA = re.compile(
    rf"(?:あなた|君|きみ|アシスタント|AI)[はがもの].{{0,40}}?{_SAYS_JA}[てで]?(?:い|{_FOR_ME_JA})?(?:まし)?た"
    rf"|^(?!.{{0,80}}{_OTHERS_JA}).{{0,80}}?{_SAYS_JA}て{_FOR_ME_JA}(?:まし)?た",
    re.IGNORECASE,
)


def asks_assistant(question: str) -> bool:
    """Return whether a question is about the assistant's earlier words; English, Chinese or Japanese."""
    return any(asking.search(question) for asking in (_ASKS_ASSISTANT, _ASKS_ASSISTANT_ZH, _ASKS_ASSISTANT_JA))
