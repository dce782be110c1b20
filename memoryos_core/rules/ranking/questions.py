"""A question as it arrives: bounded, and what kind of question it is."""

from __future__ import annotations

import re

__all__ = ["asks", "asks_assistant", "prepare_question"]

# A pasted text may be megabytes, and searching costs by the word: of a longer one both ends are searched for.
_MOST_CHARACTERS = 2000

# Beginnings and ends of questions without a question mark.
_ASKS = re.compile(
    r"(?:and |but |so |please |can you |could you )?(?:what|when|where|who|whom|whose|which|why|how|did|does|do|is|are"
    r"|was|were|have|has|had|can|could|tell me|remind me|list|name|find|recall|summari[sz]e)\b"
    r"|.{0,200}(?:什么|什麼|甚麼|哪|谁|誰|几|幾|多少|怎么|怎麼|何时|是否|有没有|有沒有|告诉我|告訴我|提醒我|[吗嗎呢]。?$"
    r"|どこ|だれ|いつ|どう|どれ|どの|どんな|なぜ|なに|何|いくつ|いくら|教えて|[すたの]か。?$)",
    re.IGNORECASE | re.DOTALL,
)


def prepare_question(query: str) -> str:
    """Return a question as an index and an embedder can read it: stripped, encodable, and of a long one both ends.

    No word is taken out: a host that puts instructions or documents around a question should recall by the question.
    """
    half = _MOST_CHARACTERS // 2
    text = query if len(query) <= _MOST_CHARACTERS else f"{query[:half]}\n\n{query[-half:]}"
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8").strip()


def asks(part: str) -> bool:
    """Return whether a sentence is a question, by its mark, its first words or its last ones."""
    return part.endswith(("?", "？")) or _ASKS.match(part) is not None


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
