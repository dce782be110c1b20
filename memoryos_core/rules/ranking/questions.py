"""A question as it arrives, made fit to search with.

Text pasted around a question, found by its markup: tags, chat marks, code fences, headings and speaker labels.

Nothing is taken away that would leave no word. Every pattern is bounded: the work grows with the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.text.words import regex, sentences, with_marks

__all__ = ["as_signed", "asks", "asks_assistant", "asks_for_overview", "asks_for_portrait", "asks_for_time", "clean"]

_WORD = regex(r"\w")
_BLANK = regex(r"\n[ \t]*\n")
_FENCE = regex(r"^ {0,3}```.{0,80}$", re.MULTILINE)
_TAG = regex(r"<(/?)([A-Za-z][\w-]{0,40})(?:\s[^<>]{0,200})?>")
_PASTED_TAGS = frozenset(
    (
        *("system", "system_prompt", "instruction", "instructions", "rules", "tools", "context", "memory", "memories"),
        *("history", "chat_history", "conversation", "transcript", "assistant", "example", "examples", "code", "data"),
        *("document", "documents", "doc", "source", "sources", "file", "files", "article", "email", "quote"),
    )
)
# A template's marks as labels; a blank line ends the labelled text.
_MARKS = (
    (regex(r"<\|(?:im_start|start_header_id)\|>(\w{1,20})(?:<\|end_header_id\|>)?"), r"\n\1: "),
    (regex(r"<\|(system|user|assistant)\|>"), r"\n\1: "),
    (regex(r"<<SYS>>"), "\nsystem: "),
    (regex(r"<</SYS>>|\[INST\]"), "\nuser: "),
    (regex(r"\[/INST\]"), "\nassistant: "),
    (regex(r"<(question|query|user)(?:_(?:query|question|message|input))?>", re.IGNORECASE), r"\n\1: "),
    (regex(r"</(?:question|query|user)(?:_(?:query|question|message|input))?>", re.IGNORECASE), "\n\n"),
    (regex(r"<\|\w{1,30}\|>|</?s>"), "\n"),
)
_NAMES = (
    r"(?P<asked>(?:user(?:['\u2019]s)? )?(?:question|query)|q|问题|問題|提问|提問|質問)"
    r"|(?P<said>user(?: (?:input|message|prompt))?|human|customer|input|me|用户|用戶|我|ユーザー|入力)"
    r"|(?P<told>instructions?|task|指令|指示)"
    r"|(?:system(?: (?:prompt|message))?|assistant|ai|bot|chatbot|model|answer|response|a|context|background"
    r"|documents?|(?:(?:chat|conversation) )?history|conversation|transcript|examples?|notes?|rules|output|format"
    r"|系统|系統|助手|助理|回答|答案|上下文|背景|说明|說明|要求|アシスタント|システム|文脈|注意)"
)
# "User: ", "**Question:**", or a line "### Context".
_LABEL = regex(
    rf"^[ \t>]{{0,4}}(?P<head>\#{{1,6}} {{1,3}}|\*\*)?(?:{_NAMES})(?:\*\*)? ?"
    r"(?:[:：](?:\*\*)?|(?(head)[ \t]{0,9}$|[:：]))",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL_MARKS = (":", "：", "#", "**")


def extract_question(text: str, *, any_tag: bool) -> str:
    """The question's part of a text, as its markup has it; `any_tag`: no tag's inside is the question's."""
    kept = _read_marks(_cut(text, _pasted_spans(text, any_tag=any_tag)))
    # What is left of a prompt that was all pasted may be marks alone.
    return kept if _WORD.search(kept) else _read_marks(text)


def _read_marks(text: str) -> str:
    for mark, label in _MARKS:
        text = mark.sub(label, text)
    fences = list(_FENCE.finditer(text))
    pairs = [(a.start(), b.end()) for a, b in zip(fences[::2], fences[1::2], strict=False)]
    return _question_by_label(_or_all(_cut(text, pairs), text)).strip()


def _or_all(kept: str, text: str) -> str:
    return kept if _WORD.search(kept) else text


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text without spans, which may lie within one another; a blank line stands for each."""
    kept: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            kept.append(text[at : max(start, at)])
            at = end
    return "\n\n".join([*kept, text[at:]])


def _pasted_spans(text: str, *, any_tag: bool) -> list[tuple[int, int]]:
    """Return the places of tags for pasted text, with the text between them."""
    opened: dict[str, list[int]] = {}
    found: list[tuple[int, int]] = []
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not (name in _PASTED_TAGS or (any_tag and not any(mark.match(tag[0]) for mark, _ in _MARKS))):
            continue
        if not tag[1]:
            opened.setdefault(name, []).append(tag.start())
        elif opened.get(name):
            found.append((opened[name].pop(), tag.end()))
    return found


def _question_by_label(text: str) -> str:
    """Return the part that a label marks as asked; else a question outside of all labels; else the last user turn."""
    # Most questions have none of what every label has: the pattern takes 20 ms to compile.
    labels = list(_LABEL.finditer(text)) if any(mark in text for mark in _LABEL_MARKS) else []
    if not labels:
        return text
    ends = [label.start() for label in labels[1:]] + [len(text)]
    parts = [(label, text[label.end() : end].strip()) for label, end in zip(labels, ends, strict=True)]
    asked = [_BLANK.split(part)[0] for label, part in parts if label["asked"] and _WORD.search(part)]
    if asked:
        return asked[-1]
    last, body = parts[-1]
    outside = [_BLANK.split(text[: labels[0].start()].strip())[-1]]
    if last["said"] is None and last["told"] is None:
        outside.append("".join(_BLANK.split(body)[1:][-1:]))
    for part in reversed(outside):
        if part.rstrip().endswith(("?", "？")):
            return part
    for group in ("said", "told"):
        named = [part for label, part in parts if label[group] and _WORD.search(part)]
        if named:
            return named[-1]
    return _or_all(text[: labels[0].start()], text)


_LONG = 600
_KEEP = 400
_READ = 20 * _LONG
# The number of sentences at either end of a long text that are searched for a question before the whole text.
_FIRST, _LAST = 2, 3

# Beginnings and ends of questions without a question mark.
_ASKS = regex(
    r"(?:and |but |so |please |can you |could you )?(?:what|when|where|who|whom|whose|which|why|how|did|does|do|is|are"
    r"|was|were|have|has|had|can|could|tell me|remind me|list|name|find|recall|summari[sz]e)\b"
    r"|.{0,200}(?:什么|什麼|甚麼|哪|谁|誰|几|幾|多少|怎么|怎麼|何时|是否|有没有|有沒有|告诉我|告訴我|提醒我|[吗嗎呢]。?$"
    r"|どこ|だれ|いつ|どう|どれ|どの|どんな|なぜ|なに|何|いくつ|いくら|教えて|[すたの]か。?$)",
    re.IGNORECASE | re.DOTALL,
)
# Instructions that tell a model how to answer.
_PROMPT = regex(
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
_ASKS_ASSISTANT = with_marks(
    "you|assistant|ai|bot",
    rf"\b(?:did|didn't|had|have|haven't|were|weren't)\s+you\s+{_ADVERB}{_SAYING}\b"
    rf"|\byou(?:'ve|'d|\s+have|\s+had|\s+were)?\s+{_ADVERB}{_SAID}\b"
    rf"|\b(?:was|were)\s+your\s+(?:\w+\s+)?{_WORDS_OF_YOURS}\b"
    rf"|\byour\s+(?:previous|earlier|last|first|original|past|initial)\s+(?:\w+\s+)?{_WORDS_OF_YOURS}\b"
    rf"|\b(?:did|has|have)\s+the\s+(?:assistant|ai|chatbot|bot)\s+{_ADVERB}{_SAYING}\b"
    rf"|\bthe\s+(?:assistant|ai|chatbot|bot)\s+{_ADVERB}{_SAID}\b",
)
_SAYS_ZH = r"(?:说|說|讲|講|告诉|告訴|建议|建議|推荐|推薦|提到|提|提议|提議|介绍|介紹|解释|解釋|回答|答应|答應|教)"
_ONCE_ZH = (
    r"(?:之前|以前|上次|上回|刚才|剛才|刚刚|剛剛|当时|當時|那时|那時|曾经|曾經|曾|那天|昨天|前几天|前幾天|上周"
    r"|已经|已經)"
)
_YOU_ZH = r"(?<![跟和对對给給向同为為])(?:[你您妳]|助手|助理)"
_TO_ME_ZH = r"(?:[都还還也有没]{0,2}(?:[跟和对對给給向为為][我咱](?:们|們)?)?)"
_ASKS_ASSISTANT_ZH = regex(
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
_ASKS_ASSISTANT_JA = regex(
    rf"(?:あなた|君|きみ|アシスタント|AI)[はがもの].{{0,40}}?{_SAYS_JA}[てで]?(?:い|{_FOR_ME_JA})?(?:まし)?た"
    rf"|^(?!.{{0,80}}{_OTHERS_JA}).{{0,80}}?{_SAYS_JA}て{_FOR_ME_JA}(?:まし)?た",
    re.IGNORECASE,
)


def asks_assistant(question: str) -> bool:
    """Return whether a question is about the assistant's earlier words; English, Chinese or Japanese."""
    others = () if question.isascii() else (_ASKS_ASSISTANT_ZH, _ASKS_ASSISTANT_JA)
    return any(asking.search(question) for asking in (_ASKS_ASSISTANT, *others))


_ME = r"(?:me|myself)"
_KNOWING = r"(?:know|knew|remember|recall|learn(?:ed|t)?|note[ds]?|store[ds]?|gather(?:ed)?|find out|found out)"
_ASKS_FOR_PORTRAIT = with_marks(
    " me|myself|who am i|who i am|what do i | mi|bin ich|moi|qui suis|n soy",
    rf"\bwhat (?:else |all )?(?:do|did|have|can) (?:you|u) (?:\w+ ){{0,2}}{_KNOWING} (?:so far )?(?:about|of) {_ME}\b"
    rf"|\b(?:everything|all|what|anything) (?:that )?(?:you|u)(?:'ve| have)? (?:\w+ )?{_KNOWING} (?:about|of) {_ME}\b"
    rf"|\bdo you (?:know|remember) (?:anything|something) about {_ME}\b"
    rf"|\b(?:describe|introduce|summari[sz]e) {_ME}\b(?! (?:the|a|an|to)\b)"
    rf"|\btell me (?:something |everything |more )?about (?:me|myself)\b|\bwho (?:am i|i am)(?=[\s?!.]*$)"
    r"|\bwhat do i (?:like|love|enjoy)(?: (?:most|best))?\s*\?*\s*$"
    r"|\bwas (?:weißt|weisst) du (?:\w+ ){0,2}(?:über|von) mi(?:ch|r)\b|\bwer bin ich\b"
    r"|\b(?:que|qu'est-ce que tu) sais(?:-tu)? (?:\w+ )?(?:de|sur) moi\b|\bqui suis-je\b"
    r"|\bqu[ée] sabes (?:\w+ )?(?:de|sobre) m[ií]\b|\bqui[ée]n soy\b"
    r"|(?:知道|记得|記得|了解)(?:些)?(?:关于|關於)?我的?(?:什么|什麼|哪些|多少|一切|事)|(?:关于|關於)我.{0,8}(?:知道|记得|記得|了解)|我是(?:谁|誰)"
    r"|(?:私|僕|俺)(?:のこと|について|に関して).{0,8}(?:知って|覚えて|わか)|(?:私|僕|俺)は(?:誰|だれ)",
)


def asks_for_portrait(question: str) -> bool:
    """Return whether a question asks for the whole person: "What do you know about me?", in seven languages."""
    return _ASKS_FOR_PORTRAIT.search(question) is not None


_TALKED = (
    r"(?:(?:talk|chatt?|speak|spoke)(?:ed|ing|en)? (?:about|of)|discuss(?:ed|ing)?|work(?:ed|ing)? on|cover(?:ed|ing)?"
    r"|(?:be |been )?up to)"
)
# The alternatives begin with different words, so that no text is read in many ways.
_LATELY = (
    r"(?:,? (?:lately|recently|together|so far|until now|up to now|before|these days|today|yesterday|overall"
    r"|(?:(?:in|over|during|for|since|on|at) )?(?:the |our )?(?:last|past|this|these|previous) (?:\w+ ){0,2}"
    r"(?:days?|weeks?|months?|years?|time|night|morning|afternoon|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|conversation|chat|session|talk)"
    r"|(?:an?|one|two|three|four|five|six|a (?:few|couple of)|\d{1,2}) (?:days?|weeks?|months?|years?) ago"
    rf"|(?:in|since|during|on) (?:(?:{'|'.join(MONTH_NAMES)})(?: \d{{4}})?|\d{{4}}"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day))"
    r"){0,3}[\s?.!]*$"
)
_OUR_TALKS = (
    r"(?:our|these|all (?:of )?our|all the)"
    r" (?:(?:most|very|weekly|daily|last|latest|recent|previous|past|earlier|first|long|many|few|two|three) ){0,2}"
    r"(?:conversations?|chats?|talks?|sessions?|discussions?)"
)
_ASKS_FOR_OVERVIEW = with_marks(
    "talk|chat|spe|spok|discuss|work|cover|up to|summar|recap|overview|rundown|me up|leave off| wir|avons-nous|hemos",
    rf"\bwhat(?: all| else)? (?:have|did|had|were|are) (?:we|you and i|i)(?: both)? (?:been )?(?:\w+ly )?"
    rf"{_TALKED}{_LATELY}"
    rf"|\bwhat (?:topics|subjects|themes|things|projects) (?:have|did|were|are) (?:we|i) (?:been )?{_TALKED}{_LATELY}"
    rf"|\b(?:summar(?:y|i[sz]e)|recap|overview|rundown)(?: of)? {_OUR_TALKS}{_LATELY}"
    r"|\b(?:catch|bring) me up(?: to (?:speed|date))?[\s?.!]*$|\bwhere did we leave off[\s?.!]*$"
    r"|\b(?:worüber|wovon|woran) (?:haben|arbeiten) wir(?: (?:heute|gestern|zuletzt|bisher|neulich|eigentlich|alles"
    r"|schon|gerade|derzeit|zusammen|so|in letzter zeit"
    r"|(?:in den )?(?:diese|letzte)[nrs]? (?:wochen?|monate?n?|jahre?n?)"
    r"|im (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember))){0,3}"
    r"(?: (?:gesprochen|geredet|gearbeitet))?[\s?.!]*$"
    r"|\b(?:de|sur) quoi avons-nous(?: (?:déjà|tous|surtout|beaucoup)){0,2} (?:parlé|travaillé|discuté)"
    r"(?: (?:récemment|dernièrement|hier|aujourd'hui|ensemble|jusqu'ici|cette semaine|ce mois-ci|ces derniers temps"
    r"|en (?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
    r"|(?:la semaine|le mois) derni[eè]re?)){0,2}[\s?.!]*$"
    r"|\b(?:de|en|sobre) qu[ée] hemos (?:estado )?(?:habla|trabaja)n?do"
    r"(?: (?:últimamente|recientemente|ayer|hoy|juntos|hasta ahora|(?:esta|la) semana(?: pasada)?|este mes"
    r"|en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre))){0,2}"
    r"[\s?.!]*$"
    r"|(?:我们|我們|咱们)(?:最近|今天|昨天|上周|上週|这周|這週|本周|上个月|上個月|这个月|這個月|上次|[一二三四五六七八九十]{1,2}月|以前|之前|一直|一共|都|在){0,3}"
    r"(?:聊|谈|談|讨论|討論|忙|做)(?:了|过|過)?些?(?:什么|什麼|哪些)(?:话题|話題|内容|內容|事情?|东西|東西)?[呢啊呀吗\s？?。]*$"
    r"|^(?:(?:私たち|わたしたち|僕たち|僕ら|我々|これまで|今まで|最近|昨日|今日|先週|今週|先月|今月|前回|[\d一二三四五六七八九十]{1,2}月)[はにでのも、]{0,2}){0,4}"
    r"(?:何|どんなこと|どんな話)(?:について|を|の話を|に)?(?:話し|取り組)",
)


def asks_for_overview(question: str) -> bool:
    """Return whether a question asks for all that was talked about, and for no subject; in seven languages."""
    return _ASKS_FOR_OVERVIEW.search(question) is not None


def as_signed(question: str, called: Mapping[str, str]) -> str:
    """Return the question with the names that speakers sign with, where it has others that they are called by."""
    for name, signed in called.items():
        if name in question:  # in small letters it may be another word: "an electricity bill"
            parts = re.split(rf"(?<![\w'-]){re.escape(name)}(?![\w-])", question)
            question = signed.join(parts)
    return question


_FOR_TIME = regex(
    r"\b(?:when|(?:what|which) (?:\w+ )?(?:date|day|month|year|weekend|week|time)s?|how (?:long|recently|old)"
    r"|how many (?:days|weeks|months|years)|since when|until when|by when|before or after|first or last"
    r"|wann|welche[nmrs]? (?:tag|monat|jahr|woche|datum)|wie lange|quand|quel(?:le)? (?:jour|mois|année|date|semaine)"
    r"|combien de temps|cuándo|qué (?:día|mes|año|fecha|semana)|cuánto tiempo)\b"
    r"|什么时候|什麼時候|何时|何時|几号|幾號|几月|幾月|哪一?[天年月]|多久|いつ|何[日月年]|どのくらい",
    re.IGNORECASE,
)


def asks_for_time(question: str) -> bool:
    """Return whether the answer is a date or a length of time."""
    return _FOR_TIME.search(question) is not None


_MAY_NAME_A_TALK = regex(
    r"\bwhere(?:['\u2019]?d| did| had| have) (?:i|we) (?:leave|left|stop)|\bwhere (?:(?:i|we) (?:left|stopped|were)"
    r"|were we)\b"
    r"|\b(?:wo (?:waren|sind|haben) wir|où en|on en était|d[oó]nde (?:lo|nos)|(?:en|por) (?:d[oó]nde|qu[eé])"
    r"|dove (?:eravamo|ci)|onde|last|first|previous|prior|recent|recently|lately|late|these days|week|woche|zuletzt"
    r"|letzte\w*|erste[ns]?|kürzlich|neulich|dernière|première|dernièrement|récemment|derniers|semaine|[uú]ltima|primera"
    r"|[uú]ltimamente|recientemente|semana|ultima|prima|recente|recentemente|settimana)\b"
    r"|上一?次|上回|到哪|最近|第一次|前回|この前|最初|どこまで|初めて|[这今這]|星期",
    re.IGNORECASE,
)


def may_name_a_talk(question: str) -> bool:
    """Return whether a question has a word for a conversation, a week or of late: most have none, and need no more."""
    return _MAY_NAME_A_TALK.search(question) is not None
