"""Questions that ask what happened, was done or was said in a time: the answer is what was said then.

No word finds it: nobody says "August" in August, nor "last time" in the conversation that is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.dates import Span, without_dates
from memoryos_core.rules.ranking.disclosure import HUNDRED
from memoryos_core.rules.ranking.hits import take_turns
from memoryos_core.rules.ranking.signals import Ranking, speakers_in_question, without_names
from memoryos_core.rules.text.words import regex, sentences
from memoryos_core.values.queries import Candidates

PARTS_OF_A_TIME = 8
"""A long time is told in so many parts."""

# How such questions are put, once their dates and the names of speakers are gone.
_LEAD = (
    r"(?:(?:so|and|ok(?:ay)?|hey|hi|hello|lol|thx|thanks|well|now|please|can you|could you|do you (?:remember"
    r"|know|recall)|remind me(?: of)?|tell me(?: about)?|remember|i forgot|i forget|list) ){0,3}"
)
_WHO = r"(?:i|we|you|you and i|he|she|they|both of us|the two of us)"
_TO = r"(?: (?:to )?(?:you|me|us|him|her|them)(?: about)?)?"
_TOLD = (
    r"(?:do(?: for fun)?|done|doing|(?:get |got |been )?up to|happen(?:ed|ing)?|going on|miss(?:ed)?|go over"
    r"|cover(?:ed)?"
    rf"|(?:say|said|tell|told|mention(?:ed)?|write|wrote|share|shared|ask|asked|note|noted){_TO}|discuss(?:ed|ing)?"
    r"|decided?|agreed?(?: on)?|(?:talk(?:ed|ing)?|sp(?:eak|oke|oken|eaking)|chat(?:ted|ting)?|hear|heard)"
    r"(?: with (?:you|me))? about|learn(?:t|ed)?|experienced?|go through|gone through"
    r"|(?:work(?:ed|ing)?|spend (?:my|our|the) time) on|achieved?|accomplish(?:ed)?|thinking(?: about)?"
    r"|worried about)"
)
_FILL = (
    r"(?: (?:all|else|exactly|really|actually|mostly|mainly|already|so far|together|again|there|just|everything|then"
    r")){0,2}"
)
_HAPPENED = (
    r"(?:happen(?:e?d|s)?|hap+ened|went on|came up|took place|occurred|changed|was (?:going on|happening|new|up)"
    r"|was on (?:my|our) mind|(?:kept|has been keeping) (?:me|us) busy"
    r"|has (?:been )?(?:happened|happening|going on|changed|come up)|(?:['\u2019]?s|is) (?:new"
    r"|been (?:happening|going on)))"
)
_PLACE = r"(?: (?:to|with|for|in|between) (?:me|us|you|him|her|them|(?:my|our|his|her|their) life))?"
_NOTABLE = (
    r"(?:important|interesting|new|special|notable|of note|worth (?:knowing|remembering)|memorable|exciting"
    r"|good|bad|big|fun|major|main)"
)
_OF = r"(?: (?:of|on|for|about|from|since|during|over|in|at|the|my|our|what happened|all|me|us|back)){0,5}"
_ENGLISH = (
    rf"{_LEAD}(?:what(?:ever)?{_FILL}(?: {_NOTABLE})?(?: (?:things?|stuff|events?|subjects?"
    rf"|topics?))? {_HAPPENED}{_FILL}"
    rf"{_PLACE}|what{_FILL} (?:did|have|had|has|was|were)(?: {_WHO})?(?: been)?{_FILL} {_TOLD}{_FILL}"
    rf"|what (?:i|we|he|she|they)? ?(?:(?:have|had|has|was|were)(?: been)? )?(?:did|done|{_TOLD}){_FILL}"
    r"|what['\u2019]s (?:been )?(?:new|happening|going on)|what do you (?:remember|know|have)(?: (?:from|of"
    r"|about))?|what was(?: it)? like|what did look like"
    r"|where did (?:i|we|he|she|they)? ?go|how (?:was|were|did|has|have)(?: (?:things|i|we))?(?: been)?"
    rf"(?: (?:go|my|our|the)){{0,3}}|(?:did|have|was|has) (?:(?:i|we|there) )?(?:(?:do|done) )?(?:any|some)thing"
    rf"(?: {_NOTABLE})?(?: happen(?:ed)?)?|any(?:thing|(?: {_NOTABLE})? news)(?: else)?(?: {_NOTABLE})?"
    rf"(?: happen(?:ed)?)?{_PLACE}|(?:and|or|what about|how about)"
    r"|(?:(?:give|show|write) (?:me |us )?)?(?:an? |the |my |some )?(?:short |brief |quick )?(?:summar(?:y|i[sz]e)"
    rf"|sum up|recap|overview|rundown|review|highlights|look back){_OF}"
    r"|(?:catch|bring|fill) me (?:up|in)(?: to (?:date|speed))?|walk me through|describe"
    r"|tell me(?: about)?(?: my| our)?|(?:show me |give me )?everything|remember)"
)
_GERMAN = (
    r"(?:und )?was (?:ist|war|habe|hatte|haben|hab|hat|wurde)"
    r"(?: (?:ich|wir|sie|er|bei mir|bei uns|dir|alles|denn|so|im|am|in|an)){0,5}"
    r"(?: (?:passiert|geschehen|los|los gewesen|gewesen|gemacht|getan|unternommen|erlebt|erzählt|gesagt|besprochen"
    r"|entschieden|neu))?|was (?:geschah|passierte)|was gibt(?: e|['\u2019])s neues"
    r"|(?:worüber|wovon) haben wir (?:gesprochen|geredet)"
    r"|(?:bitte )?(?:fasse?|eine zusammenfassung)(?: (?:mir|den|die|das|von|vom|zusammen)){0,4}"
    r"|erzähl mir (?:von|vom|was passiert ist)"
)
_FRENCH = (
    r"(?:et )?qu['\u2019]est[ -]ce (?:qui (?:s['\u2019]est|est) (?:passé|arrivé)"
    r"|qu(?:e |['\u2019])(?:j['\u2019]ai|nous avons|on a|tu as|il a|elle a) (?:fait|dit|raconté))"
    r"|que s['\u2019]est[ -]il passé|qu['\u2019](?:ai[ -]je|avons[ -]nous|a[ -]t[ -]on) (?:fait|dit|raconté)"
    r"|de quoi (?:avons[ -]nous|a[ -]t[ -]on|on a) (?:parlé|discuté)|quoi de neuf"
    r"|(?:fais[ -]moi )?(?:un )?résum[eé](?:[ -]moi)?(?: le mois d['\u2019])?"
)
_SPANISH = (
    r"¿?(?:y )?qu[eé] (?:pasó|paso|ha pasado|sucedió|ocurrió|hice|hicimos|hizo|he hecho|hemos hecho|dije|te dije"
    r"|te conté)|¿?de qu[eé] (?:hablamos|hemos hablado)|¿?qu[eé] hay de nuevo|(?:haz(?:me)? un )?resum(?:en|e)"
)
_ITALIAN = (
    r"(?:e )?(?:che )?cosa (?:è successo|è accaduto|ho fatto|abbiamo fatto|ha fatto|ho detto"
    r"|ti ho (?:detto|raccontato))|di (?:che )?cosa abbiamo parlato"
)
_PORTUGUESE = (
    r"(?:e )?o que (?:aconteceu|(?:eu )?fiz|(?:nós )?fizemos|ele fez|ela fez|(?:eu )?(?:te )?disse"
    r"|(?:eu )?(?:te )?contei)|(?:de que|sobre o que) (?:nós )?falamos"
)
_CHINESE = (
    r"[我们咱都一共还又和你]{0,6} ?(?:(?:发生|發生|做|干|幹|说|說|聊|讲|講|谈|談|忙)(?:了|过|過)些?(?:什么|什麼"
    r"|哪些事?)(?:事情?)?|(?:有)?(?:什么|什麼)(?:新鲜|重要的?)?事(?:情)?(?:发生|發生)了|怎么样|怎麼樣|(?:总结|總結|回顾|回顧)(?:一下)?)"
)
_JAPANESE = (
    r"[私僕俺たちわしはにのでもがをっ]{0,8} ?(?:(?:何|なに)(?:が|を|か)?(?:あった|ありまし?た|起き(?:まし)?た|しました"
    r"|した|して(?:い(?:まし)?)?た|話し(?:まし)?た)|どう(?:だった|でした))[かのっけ]{0,3}"
    r"|[はのを]{0,2} ?(?:まとめ(?:て)?|要約(?:して)?)(?:ください)?"
)
# What may stand before a date that is gone.
_REST = (
    r"(?: (?:in|on|at|over|during|since|for|from|of|the|my|our|back|between|and|or|to|im|am|an|bis|seit|von|vom"
    r"|der|den"
    r"|dem|des|en|au|aux|le|la|les|el|los|ad|a|al|nel|di|em|no|na|de|du|do|da|desde|depuis|about|up|with|then|early"
    r"|late|(?:beginning|start|middle|end)(?= of))){0,6}"
)
_FRAME = regex(rf"(?:{_ENGLISH}|{_GERMAN}|{_FRENCH}|{_SPANISH}|{_ITALIAN}|{_PORTUGUESE}){_REST}|{_CHINESE}|{_JAPANESE}")
_SIGNS = regex(r"[?？!！.。,，;:…\"\u201c\u201d\U0001f300-\U0001faff]+|\s+")
_LONGEST = 200  # characters
_DAY = timedelta(days=1)
# "Was ist heute los?" asks for what will be.
_TELLS_PAST = regex(
    r"\b(?:did|have|has|had|was(?! (?:ist|gibt)\b)|were|happened|went|came|recap|summar\w+|ge\w{2,}t"
    r"|passiert|geschehen|passé|fait|dit"
    r"|parlé|pasó|ha|hice|hicimos|dije|hablamos|successo|fatto|parlato|aconteceu|fiz|fizemos|disse|falamos)\b|[了过過た]",
    re.IGNORECASE,
)
# "What happened before August?" asks for another time than the one that it names.
_ANOTHER_TIME = regex(
    r"\b(?:before(?! last)|after|until|till|up to(?= \w+[?.!]*$)|nach|bis|avant|après|jusqu|antes|después|hasta|prima"
    r"|dopo|fino|depois|até)\b|之前|之后|以前|以后|以後|まで|前に|後に",
    re.IGNORECASE,
)


Talk: TypeAlias = Literal["last", "end", "first", "start", "lately", "week"]
"""A conversation or a time that the memory alone knows; "end" and "start" are those of the last and the first one."""

_CONVERSATION = r"(?:conversations?|convos?|chats?|discussions?|sessions?)"
_V = (
    r"(?:talk(?:ed|ing)?|sp(?:eak|oke|oken|eaking)|chat(?:ted|ting)?|discuss(?:ed|ing)?|sa(?:y|id|ying)"
    r"|t(?:ell|old|elling)|ask(?:ed|ing)?|mention(?:ed|ing)?|go(?:ne)? over|cover(?:ed|ing)?)"
)
_WE = r"(?:i|we|you|you and i|we both)"
_WE_SPOKE = rf"(?: (?:that )?{_WE} (?:had )?{_V}(?: (?:to|with) (?:you|me|each other))?)?"
_THING = r"(?:thing|topic|subject)s?"
_TALKS: tuple[tuple[Talk, str], ...] = (
    ("end", rf"(?:the )?(?:very )?last {_THING}"),
    (
        "last",
        rf"(?:(?:in|during|from|of|on|at|about) )?(?:(?:(?:our|the|this) )?(?:last|previous|prior|most recent)"
        rf" {_CONVERSATION}|our (?:last|previous) talk)(?: together| with (?:you|me))?"
        rf"|(?:the )?(?:last|previous) time(?: around| i was here)?{_WE_SPOKE}|last(?= {_V}\b)|when we last {_V}"
        r"|(?:beim |das )?letzte[sn]? mal|zuletzt|(?:in )?(?:unsere[mrs]? |der |dem )letzten?r?s? (?:gespräch|sitzung"
        r"|unterhaltung|chat)|(?:la |lors de (?:la |notre )?)?dernière (?:fois|conversation|discussion|session)"
        r"|(?:en )?(?:la |nuestra )?[uú]ltima (?:vez|conversación|charla|sesión)"
        r"|(?:l['\u2019]|nell['\u2019])ultima (?:volta|conversazione)|(?:nella )?nostra ultima conversazione"
        r"|(?:da |na )?(?:nossa )?[uú]ltima (?:vez|conversa)|上一?次|上回|前回|この前",
    ),
    ("start", rf"(?:the )?(?:very )?first {_THING}|first$|das erste(?: was)?|最初に"),
    (
        "first",
        rf"(?:(?:in|during|from|of|on|at|about) )?(?:(?:our|the) )?(?:very )?(?:first|earliest) {_CONVERSATION}"
        rf"|(?:for )?(?:the )?(?:very )?first time{_WE_SPOKE}|at (?:the very )?first|when we first {_V}"
        rf"|first(?= {_V}\b)"
        r"|beim ersten mal|das erste mal|(?:in )?unserem ersten gespräch|la première fois|la primera vez|la prima volta"
        r"|第一次|初めて",
    ),
    (
        "lately",
        r"lately|(?:most )?recently|of late|these days|(?:so )?in letzter zeit(?: so)?|kürzlich|neulich|dernièrement"
        r"|récemment|ces derniers temps|[uú]ltimamente|recientemente|di recente|recentemente|最近",
    ),
    (
        "week",
        r"(?:in |over |during )?(?:my|our) week(?! in\b)|meine woche|ma semaine|mi semana|la mia settimana"
        r"|a minha semana|这周|這週|这个星期|今週",
    ),
)
_TALK = regex("|".join(rf"(?P<{name}>(?<![a-z])(?:{words})(?![a-z]))" for name, words in _TALKS))
# How a question about a conversation is put, once the words for it are gone.
_WHAT_WE_SAID = regex(
    r"(?:remind me(?: of)?|tell me(?: about)?|remember|recall|i(?: ['\u2019]?m afraid i)?(?: have)?"
    r" (?:forgot|forgotten)|(?:fill me in|catch me up)(?: on)?|(?:recap|sum up|summari[sz]e|review|revisit"
    r"|go over|bring up)(?: of)?| )*"
    rf"(?:what(?: was| is|['\u2019]?s)?(?: it)?(?: that)?(?: {_THING})?(?: did| have| had| were| was| do)?(?: {_WE})?"
    rf"(?: (?:have|had|were|was|been|ever|both))*(?: {_V}){_TO}(?: about)?"
    rf"|what(?: was| were| is|['\u2019]?s)?(?: (?:it|that|the))?(?: {_THING})?(?: (?:about|of))?|how did go|continue"
    r"|resume|pick up|carry on|go on|go back to)?"
    r"|(?:weißt du noch )?(?:was|worüber|wovon) (?:war )?(?:(?:hab|haben|habe|hast|ich|wir|du|dir|mir|so|alles"
    r"|was) ){1,4}(?:besprochen|gesagt|erzählt|gefragt|geredet|gesprochen)(?: (?:habe|haben|hast))?"
    r"|(?:de quoi (?:avons[ -]nous|a[ -]t[ -]on|on a) (?:parlé|discuté)|on a parlé de quoi"
    r"|qu['\u2019]est[ -]ce (?:que (?:je t['\u2019]ai|nous avons|tu m['\u2019]as)|qu['\u2019]on s['\u2019]est"
    r"|que j['\u2019]ai) (?:dit|raconté|discuté))"
    r"|¿?de qu[eé] (?:hablamos|hemos hablado|hablábamos)|¿?qu[eé] (?:(?:te|me) )?(?:dije|cont[eé]|pregunt[eé]|dijiste"
    r"|contaste)|di (?:che )?cosa abbiamo parlato|(?:che )?cosa (?:(?:ti|mi) )?(?:ho|hai) (?:detto|raccontato|chiesto)"
    r"|(?:de que |sobre o que |o que )(?:nós )?(?:falamos|conversamos)|o que (?:eu )?(?:te )?(?:disse|contei|perguntei)"
    r"|[我们咱跟和你都]{0,6} ?(?:聊|说|說|讲|講|谈|談|讨论|討論|问)[了过過]?些?(?:什么|什麼|啥|哪些)"
    r"|は? ?(?:何|なに)(?:を|の話を|か|について)?(?:話し|言い|言っ|聞い|聞き|相談し)(?:まし)?た(?:っけ|か|の)*"
)
_LEFT_OFF = regex(
    r"(?:remind me|tell me|remember|any idea| )*(?:(?:from )?where (?:(?:did|had|have) (?:i (?:leave|left) off|we"
    r" (?:leave|left|stop|stopped)(?: (?:off|it|things))*)|(?:i left off|we (?:left|stopped|were)"
    r"(?: (?:off|it|things))*)|were we(?: at)?)"
    r"|(?:(?:let['\u2019]?s|let|us|we|i|can|could|shall|want to|would like to|would love to) )*(?:continue|resume"
    r"|pick(?: it| this)? up|carry on|go on|start)(?: again)? (?:from )?where we"
    r" (?:left(?: it)?(?: off)?|stopped|were))"
    r"|wo (?:waren|sind) wir(?: (?:stehen ?geblieben|gerade|noch mal|nochmal)){0,2}|wo haben wir aufgehört"
    r"|où en (?:étions[ -]nous|était[ -]on|étais[ -]je)|on en était où(?: déjà)?"
    r"|¿?(?:en|por) (?:dónde|qué|que) (?:nos )?(?:quedamos|íbamos|estábamos)|¿?d[oó]nde (?:lo dejamos|nos quedamos)"
    r"|dove (?:eravamo rimasti|ci eravamo fermati)|onde (?:é que )?(?:paramos|ficamos|estávamos)"
    r"|[我们咱刚才都]{0,6} ?(?:说|說|聊|讲|講|谈|談)到哪[里裡儿兒]?了?"
    r"|どこまで(?:話し|やり|進み)(?:まし)?た?(?:っけ|か)?"
)
_MY_DAYS = regex(
    r"what(?:['\u2019]s| is| has)? (?:been )?(?:new|happening|going on)(?: (?:with|for|in) (?:me|us|my life"
    r"|our lives?))?|how have (?:i|we) been doing|what have (?:i|we) been up to"
    r"|wie war|comment s['\u2019]est passée|¿?c[oó]mo (?:fue|estuvo)|com['\u2019]è andata|como foi"
    r"|¿?qu[eé] he estado haciendo|o que eu tenho feito|我?(?:过得)?(?:怎么样|怎麼樣)|我?在(?:忙|做|干)些?(?:什么|啥)"
    r"|私?[はの]*(?:何を|どう)[^。]{1,8}か?"
)
_OF_MINE = regex(
    r"\b(?:i|i['\u2019]ve|we|we['\u2019]ve|my|our|me|us|ich|wir|mein\w*|mir|uns|j['\u2019]ai|nous|ma|moi|hemos|hice"
    r"|hicimos|he (?:hecho|estado)|mi|ho|abbiamo|mia|eu|fiz|fizemos|minha)\b|[我咱私僕俺]"
)
_OF_OTHERS = regex(
    r"\b(?:have|has|had|did|do|are|were|was) (?:you(?! and)|he|she|they)\b|\b(?:your|his|her|their|tu)\b"
)
# Sentences, and words at the ends of one, that ask for nothing.
_ASIDE = (
    r"(?:hi|hello|hey|yo|bro|mate|dear|so|and|ok|okay|well|now|um|oh|right|alright|anyway|sorry|please|pls|plz|thanks"
    r"|thx|thank you|lol|again|there|then|good (?:morning|afternoon|evening)|(?:can|could|would) (?:you|u)"
    r"(?: kindly| please)?|do (?:you|u)(?: still)?(?= re)|quick question|for me)"
)
_BEFORE, _BEHIND = regex(rf"(?:{_ASIDE} )+"), regex(rf"(?: {_ASIDE})+$")
_IDLE = regex(
    rf"(?:{_ASIDE} ?)+(?:i['\u2019]?m back ?)?|(?:(?:sorry|hey|hi) )?(?:i['\u2019]?m back|i was away|i forgot|i forgor"
    r"|i can['\u2019]?t remember|my memory is bad|it['\u2019]?s me(?: again)?|long time no see"
    r"|(?:(?:can|could|would) you )?(?:kindly |please )?remind me)(?: please)?"
)
# A therapist has sessions, too, and "What was first?" asks for no conversation.
_MAY_BE_ANOTHERS = regex(r"first|(?!.*\bour\b).*(?:session|discussion)s?")
_BETWEEN_US = regex(r"\b(?:i|we|you)\b")
_BETWEEN_SIGNS = regex(r"(?<=[\u3040-\u9fff]) (?=[\u3040-\u9fff])")


def names_a_talk(question: str, speakers: Collection[str]) -> Talk | None:
    """Return which conversation a question asks for and nothing else of: "What did we talk about last time?".

    The last one or the first one, the end or the start of it ("Where did we leave off?"), or what a user did or said
    lately or in the last week; None for any other question, and where another sentence may have a subject.
    """
    if len(question) > _LONGEST:
        return None
    told = [_plain(without_names(one, speakers_in_question(one, speakers))) for one in sentences(question)]
    asked = [plain for plain in told if plain and not _IDLE.fullmatch(plain)]
    if len(asked) != 1:
        return None
    plain = _BEHIND.sub("", asked[0][found.end() :] if (found := _BEFORE.match(asked[0])) else asked[0])
    named = _TALK.search(plain)
    rest = plain if named is None else " ".join(f"{plain[: named.start()]} {plain[named.end() :]}".split())
    rest = _BETWEEN_SIGNS.sub("", rest)
    if _LEFT_OFF.fullmatch(rest):
        return "end"
    talks: list[Talk] = [name for name, _ in _TALKS if named is not None and named[name] is not None]
    talk = talks[0] if talks else None
    if named is not None and _MAY_BE_ANOTHERS.fullmatch(named[0]) and not _BETWEEN_US.search(rest):
        return None
    if talk in ("lately", "week"):
        is_asked = _FRAME.fullmatch(rest) or _MY_DAYS.fullmatch(rest)
        return talk if is_asked and _OF_MINE.search(plain) and not _OF_OTHERS.search(plain) else None
    return talk if rest and _WHAT_WE_SAID.fullmatch(rest) else None


def _plain(text: str) -> str:
    return " ".join(_TYPED.get(word, word) for word in _SIGNS.sub(" ", text.lower()).split())


_TYPED = {
    "abt": "about",
    "u": "you",
    "wat": "what",
    "what'd": "what did",
    "whatd": "what did",
    "whats": "what is",
    "where'd": "where did",
    "wht": "what",
}


def asks_what_was(question: str, times: Sequence[Span], speakers: Collection[str], now: datetime) -> bool:
    """Return whether a question that names a time asks for nothing else than what happened or was said then.

    The speakers that it names are no subject either. In English, German, French, Spanish, Italian, Portuguese, Chinese
    and Japanese.
    """
    if len(question) > _LONGEST or any(time.start > now for time in times):
        return False
    asked = [one for one in sentences(question) if not _IDLE.fullmatch(_plain(one))]
    if len(asked) != 1:
        return False
    (last,) = asked
    is_today = any(now - _DAY < time.start and time.end - time.start <= _DAY and time.end > now for time in times)
    if (is_today and not _TELLS_PAST.search(last)) or _ANOTHER_TIME.search(last):
        return False
    rest = without_names(last, speakers_in_question(last, speakers))
    plain = _plain(without_dates(rest, now))
    return _FRAME.fullmatch(plain) is not None or _LEFT_OFF.fullmatch(plain) is not None


def spread_over_times(candidates: Candidates, ranking: Ranking, times: Sequence[Span]) -> NDArray[np.int64]:
    """Return the order: in turn what tells most in each part of the times, then all else."""
    groups: list[int | None] = [None] * len(candidates)
    for number, time in enumerate(times):
        start, length = time.start.timestamp(), (time.end - time.start).total_seconds()
        shares: list[float] = ((candidates.times - start) / length).tolist()
        for i, share in enumerate(shares):
            if 0 <= share < 1:
                groups[i] = number * PARTS_OF_A_TIME + int(share * PARTS_OF_A_TIME)
    scores = ranking.signals["speaker"] + 1e-3 * ranking.scores
    if candidates.disclosures is not None:
        scores = scores + candidates.disclosures / HUNDRED
    return take_turns(groups, candidates.seqs, scores)
