"""Questions that ask what happened, was done or was said in a time: the answer is what was said then.

No word finds it: nobody says "August" in August.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

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
_SIGNS = regex(r"[?？!！.。,，;:…]+|\s+")
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


def asks_what_was(question: str, times: Sequence[Span], speakers: Collection[str], now: datetime) -> bool:
    """Return whether a question that names a time asks for nothing else than what happened or was said then.

    The speakers that it names are no subject either. In English, German, French, Spanish, Italian, Portuguese, Chinese
    and Japanese.
    """
    if len(question) > _LONGEST or any(time.start > now for time in times):
        return False
    *before, last = sentences(question) or [""]
    if any(without_dates(one, now) != one for one in before):
        return False
    is_today = any(now - _DAY < time.start and time.end - time.start <= _DAY and time.end > now for time in times)
    if (is_today and not _TELLS_PAST.search(last)) or _ANOTHER_TIME.search(last):
        return False
    rest = without_names(last, speakers_in_question(last, speakers))
    plain = " ".join(_SIGNS.sub(" ", without_dates(rest, now).lower()).split())
    return _FRAME.fullmatch(plain) is not None


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
