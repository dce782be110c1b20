"""Words of a change, an end or a correction: whether a statement is news, and of what."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.domains import (
    BEGUN,
    CHANGE,
    CORRECTION,
    ENDED,
    LONGEST,
    RECENT,
    REVISED,
    domains_of,
    words_of_domains,
)
from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.measures import counts_others, kinds_of, without_values
from memoryos_core.rules.knowledge.phrases import FOR_OTHERS, normalise
from memoryos_core.rules.text.words import fold_case, matches, regex, terms, with_marks

FROM_TO = fold_case(
    r"\b(?:switch(?:ed|es|ing)?|chang(?:ed|es|ing)|mov(?:ed|es|ing)|shift(?:ed|ing)|went|migrated|convert(?:ed|ing))"
    r" (?:(?:me|us|him|her|them|the user|everything|it all|all of it|(?:my|our|their|the) \w+"
    r"|(?-i:[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)?)) )?(?:over )?from"
    r" (?P<old>.{2,60}?) to "
    r"|\b(?:replac(?:ed|es|ing)) (?!by |with )(?P<old2>[\w' -]{2,60}?) (?:with|by) "
    r"|\b(?:instead of|in place of|anstelle von|statt|au lieu de?|en lugar de|en vez de) (?P<old3>[\w' -]{2,60})"
    r"|\b(?:swapped|traded|exchanged|ditched|dropped|left|gave up) (?:my |the |our )?(?P<old5>[\w' -]{2,40}?) for "
    r"|\b(?:von|de) (?P<old4>[\w-]{2,40}) (?:auf|zu|à|a) [\w-]+ (?:gewechselt|umgestiegen)",
)
_CORRECTS = regex(
    r"(?:[^\"“]{1,60} said: [\"“])?(?:(?:oh|ah|hm+|sorry|hang on|hold on|actually|no),? )*"
    r"(?:no,? wait|wait,? (?:no\b|i (?:mixed|misread|got|meant|was wrong))|no,? (?:looking|i (?:mixed|misread|meant))"
    r"|(?:looking at the|scratch that|correction[:,]|my (?:mistake|bad)\b|(?:i )?(?:misread|misspoke))"
    r"|i meant\b|typo\b|oops,? (?!sorry)"
    r"|i (?:mixed (?:it|that|them|those) |mixed those two )up|i read the wrong|let me correct|perdón|quise decir"
    r"|ich meinte|korrektur[:,]|je voulais dire)",
    re.IGNORECASE,
)
# Who told of the new day, which says nothing of what it is of.
# "They rang on Friday": the day on which somebody told it is no day of the plan.
TOLD_ON = regex(
    r"(?:^|[,;.] |\b(?:and|but|so) )(?:they|he|she|we|i|the user|some(?:one|body)|(?:the|my|their) [\w-]+)"
    r" (?:just |only )?(?:rang|called|phoned|told|said|texted|e-?mailed|wrote|messaged|let|heard|found out|rescheduled)"
    r"(?: (?:me|us|them|the user|it))?(?: (?:know|about it|back|so))? (?:on )?(?:the )?$",
    re.IGNORECASE,
)
ANNOUNCED = regex(
    r"\b(?:they|he|she|someone|(?:the|my) [\w-]+)(?:'ve| have|'s| has)? (?:just )?(?:e-?mailed|rang|called|phoned"
    r"|texted|messaged|written|wrote|got back to (?:me|us)|let (?:me|us) know|told (?:me|us))"
    r"(?: (?:me|us))?(?: to say)?[,:]?"
    r"(?= (?:that )?(?:it|its|it's|that's|the|now|to)\b| \d)",
    re.IGNORECASE,
)
_DIED = regex(
    r"\b([A-ZÀ-Þ][\w'-]+) (?:(?:has|just|sadly|suddenly) )?(?:died|passed away|ran away|was put (?:down|to sleep)"
    r"|had to be"
    r" put (?:down|to sleep))\b(?! (?:laughing|of (?:laughter|boredom|embarrassment)))"
    r"|\bhad to (?:put|have) ([A-ZÀ-Þ][\w'-]+) (?:down|put down|put to sleep)\b"
)
WHO = r"(?:The user|(?-i:[A-ZÀ-Þ])[\w.'-]*(?: (?-i:[A-ZÀ-Þ])[\w'-]+){1,2}|[\w-]+)"
"""Who a fact begins with: the user, or a name of up to three words."""
WHOM = r"(?:me|us|them|the user|(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)?)"
"""To whom something happens: the user, or somebody by name."""
ANIMAL_ELSEWHERE = (
    r"(?:Katze|Kater|Kätzchen|Hund|Hündin|Welpe|Hase|Kaninchen|Pferd|Hamster|chat|chatte|chien|chienne|lapin"
    r"|gat[oa]|perr[oa]|gatt[oa]|cane|cagna|cachorr[oa]|kat|hond)"
)
DIED_ELSEWHERE = (
    r"(?:(?:ist|wurde|musste|est|[èe]|ha|se ha|is) [^.!?\"]{0,40}?(?<!\w)(?:gestorben|verstorben|tot"
    r"|eingeschläfert(?: werden)?|morte?|décédée?|muerto|muerta|fallecido|mort[oa]|dood|overleden)"
    r"|(?:murió|falleció|morreu|starb|overleed))(?!\w)"
)
"""Behind a name in another language than English: that somebody died."""
_TOLD_DEATH = regex(rf"[A-ZÀ-Þ][\w'-]+ {DIED_ELSEWHERE}[^?]*")
_TAKEN_BACK = regex(
    r"\b(?:take (?:it|that|this)(?: all)? back(?! to\b)|took (?:it|that) all back|changed my (?:mind|opinion)"
    r"|stand corrected|(?<!he )was wrong about|grown on me)\b",
    re.IGNORECASE,
)
_TURN = regex(
    r"\b(?:switched|swapped|changed|moved|relocated|replaced|upgraded|traded|converted|ended up|instead|handed over)\b",
    re.IGNORECASE,
)
REPLACED_BY = regex(r"\b(?:replaced|superseded|followed) by (?P<heir>[^.;,]{2,60})", re.IGNORECASE)
_AS_WELL = regex(r"\b(?:also|as well|in addition|additionally|auch|aussi|également|también|además)\b", re.IGNORECASE)
# Who asks for help with something says nothing new of it.
_WONDERS = regex(
    r"\b(?:is|am|are) (?:(?:trying|struggling) to (?:understand|figure out|see|know|decide) "
    r"|(?:curious|wondering|not sure) )(?:how|why|what|whether|if|which)\b",
    re.IGNORECASE,
)
NEVER = regex(r"\bnever\b", re.IGNORECASE)
_BROAD_TEXT = "meeting money health travel party sport hobby contact stage device language sleep colour"
# Parts of life that many sentences touch: a word of them and a word of change are not enough.
BROAD = frozenset(_BROAD_TEXT.split())
_PLAIN_TEXT = "now instead longer more use new live work the user said say get go like"
PLAIN = frozenset(_PLAIN_TEXT.split())
_QUIT_DOING = regex(r"\bquit (?=\w+ing\b)", re.IGNORECASE)
_DRIVES_OWN = regex(r"\b(?:drives?|driving) (?:an?|my|our|his|her|their|the) (?:\w+ )?(?-i:(?=[A-Z]))", re.IGNORECASE)
# What never came to be ends with its clause, a dream and a story with their sentence.
_CLAUSE = r"(?:(?! (?:but|so|when|while|because|and (?:then|now|instead))\b)[^.,:!?;])*"
_SENTENCE = r"(?:(?!,? (?:but|and now)\b)[^.!?;])*"
_WHOSE = r"(?:my|our|his|her|their|the user's|[\w-]+'s|an?|the|this|that)"
_DID = (
    r"(?:left|laid|sold|quit|cut|put|took|taken|lost|gave|given|got(?! (?:an?|any|the|my|enough)\b)|went|gone|became"
    r"|become|broke|broken|split|brought|threw|thrown|stolen|bought|born|had|ran|won|let)"
)
_TO_DO = (
    r"(?:(?:mov|chang|replac|postpon|rais|divorc|separat|retir|resign|di|fir|promot|renam|prescrib|clos|reschedul|cur)ed?"
    r"|(?:cancell?|call|push|lower|dump|pass|finish|demolish|sack|join|discontinu|delay|end|return|scrapp?|switch|swapp?"
    r"|stopp?|start|adopt|accept|engag|heal|unpack)(?:ed)?|marr(?:y|ied)|leave|sell|lose|become|break|die|throw"
    r"|(?:give|giving) (?:up|away)|get (?:married|engaged|divorced|fired|sacked|rid)|go (?:vegan|vegetarian|keto)"
    r"|take (?:me|us|them|him|her|the user) off)"
)
_ENDING = (
    r"(?:(?:giving|give) up|leaving|leave|quitting|quit|dropping|drop|stopping|stop|selling|sell|moving (?:out|away)"
    r"|changing|cancelling|retiring|getting rid)"
)
_NOT = (
    r"(?:never|nobody|no[- ]one|(?:none|neither) of \w+(?: \w+)?|(?:did|ha[sd]|have|was|were|is|are)(?:n['’]t| not))"
    r"(?: (?:ever|yet|actually|really|even|been|once|has|have|had|was|is))*"
)
_STILL_AN_END = r"(?:any ?more|any longer|since|back|again|(?:for|in) (?:\w+ ){0,2}(?:days|weeks|months|years|ages))"
# Not "in my dream house" nor "in the film industry".
_IN_DREAM = (
    rf"\bin {_WHOSE} (?:\w+ )?(?:dream|nightmare)s?(?=[,.;!?]|$| (?:i|we|he|she|they|it|the|my|our|last|nobody"
    r"|(?-i:[A-Z])\w*)\b)"
)
_IN_STORY = (
    rf"in {_WHOSE} (?:\w+ )?(?:novel|book|film|movie|play|story|series|episode|musical|soap|sitcom|(?:video|computer)"
    r" game)\b(?! (?:industry|business|club|shop|school|studio|world|group))"
)
_TELLS = r",| (?:that|where|in which|last|i|we|he|she|they|it|my|our|the|nobody|(?-i:[A-Z])\w*)\b"
# Without one of them each of the patterns below finds nothing.
_MARKS = (
    "dream|nightmare|joked|lied|kidding|pretend|imagin|fantasi",
    "novel|book|film|movie|play|story|series|episode|musical|soap|sitcom|game",
    "nearly|almost|narrowly",
    " for ",
    " him | her ",
    " have ",
    "wish|suppose|imagine|assume",
    "said|say|told|tell|claim",
    "thought|feared",
    "rumo|gossip|horoscope|tarot|fortune|psychic",
    "giv|leav|quit|drop|stop|sell|moving|changing|cancelling|retiring|getting rid",
    "not|n't|false|wrong|untrue|rumo|mistake|misunder|joke",
    "never|nobody|no one|no-one|none|neither|n't|not",
    "left",
    " back|rehired|reinstated",
    "died",
    "dropped",
    " being ",
    "they eat",
)
_UNREAL = (
    # Not "dreamt badly", "a nightmare week" nor "no joke" and its like, behind which is what came to be.
    rf"\b(?:dream(?:t|ed)(?={_TELLS})|ha(?:d|ve|s) (?:an?|the|this|that) (?:\w+ )?(?:dream|nightmare)(?={_TELLS})"
    r"|(?<!not )(?:joked|lied|kidding|pretend(?:ed|ing|s)?|imagin(?:ed|ing))"
    r" (?:that|about|to(?! be\b)|i|we|he|she|they|the user)\b"
    rf"|fantasi[sz]\w+){_SENTENCE}",
    rf"(?:^|(?<=said: \")){_IN_STORY}(?={_TELLS}){_SENTENCE}",
    rf"\b(?:nearly|almost|narrowly) (?!killed\b)(?:\w+ed|{_DID}|said|told)\b{_CLAUSE}",
    r"\b(?:got(?! rid)|gets|found|bought|landed|rented|rais(?:ed|ing)|lower(?:ed|ing)|swapped|switched|put|said"
    r"|no more)\b"
    rf"{_CLAUSE}(?:, but)?(?: only| just)? (?:{FOR_OTHERS}|for (?:my|our|the|their|the user's) (?:son|daughter"
    rf"|brother|sister|{ANIMAL}))\b(?!['’]| and (?:us|me|the user)\b| (?:was|is)\b){_CLAUSE}",
    rf"\b(?:switched|moved|changed|put|took|taken) (?:him|her) (?:from|off|on|over|to)\b{_CLAUSE}",
    rf"\b(?:would|could|should|might)(?:n['’]t| not)? have (?!told|said|mentioned)\w{_CLAUSE}",
    rf"\b(?:wish(?:es)?|suppose|imagine|assume)\b(?![,!:]| (?:you|the assistant|(?:i|the user) should)\b){_CLAUSE}",
    # Who has not told the assistant tells it now.
    rf"\b{_NOT} (?:said|say|told|tell|claim(?:ed)?)\b(?! (?:you|the assistant)\b){_CLAUSE}",
    rf"\b(?:thought|feared) (?:that )?(?:(?-i:(?!I\b)[A-Z])|my |our |the (?!user)){_CLAUSE}",
    r"\b(?:rumou?rs?|gossip|horoscope|tarot(?: cards?)?|fortune[- ]teller|psychic)"
    rf"(?: still| now| just)? (?:says?|said|claims?|ha(?:s|ve) it)\b{_CLAUSE}",
    rf"\b(?:not|never|wo(?:n['’]t|uld not)|will not) (?:be )?{_ENDING}\b(?!{_CLAUSE}\b{_STILL_AN_END}\b){_CLAUSE}",
    # "The gig is cancelled, but it's not": what was called off is not.
    r"\b(?:cancell?ed|called off|off|scrapped|postponed|moved|closed|dead|gone|over)\b[^.!?;]{0,40}?"
    r"(?:,|\bbut\b|\band\b|[-\u2013]) ?(?:(?:no|but|and|wait|actually|luckily|then"
    r"|it turns out|turns out|apparently),? )*"
    r"(?:(?:it|that|they|he|she)(?:['\u2019](?:s|re)| is| was| are) (?:actually |really )?not"
    r"|(?:it|that|they) (?:is|was|are|were)n['\u2019]t"
    r"|(?:(?:that|it|this)(?:['\u2019]s| was| is| turned out to be) )?"
    r"(?:just |only |all )*"
    r"(?:an? )?(?:false alarm|false|wrong|not true|untrue|rumou?r|mistake|misunderstanding|joke))"
    r"(?=[.,!;]|$| (?:true|at all|actually|after all|really|the case|so)\b)",
    rf"\b{_NOT} (?:{_DID}|{_TO_DO})\b(?!{_CLAUSE}\b{_STILL_AN_END}\b){_CLAUSE}",
    # The building is left for the day, and no job in it.
    r"\bleft (?-i:[A-Z])[\w'’]+(?: (?:early|late)\b(?! (?:in|last|this|next)\b)| (?:last|first)(?= and\b|[.,!]|$)"
    r"| (?:open|running|unlocked)\b|(?:,| and)(?: then)? (?:realised|realized|noticed|forgot|walked|drove|ran|locked"
    rf"|(?:got|took|caught) (?:the|an?|my|their) (?:bus|train|tram|taxi|cab|tube|metro|ferry))\b){_SENTENCE}",
    # Who came back has not left.
    r"\b(?:quit|resigned|left|sacked|fired|laid off|let go|moved out)\b[^.!?;]{0,40}?\b(?:but|before|then)\b"
    r"[^.!?;]{0,20}? (?:(?:came|is|are|was|(?:took|taken)(?: \w+){0,2}) back|rehired|reinstated)\b",
    # "Rosie died her hair", "he just died when he saw it".
    rf"\bdied (?:(?:her|his|their|my|our) (?!sleep\b)\w+|when \w+(?: \w+)? (?:said|saw|told|heard|fell)){_CLAUSE}",
    # What falls or is handed in is not given up.
    r"\bdropped [^.!?;,]{1,40}? (?:off (?:at|to|in|for)|(?:on|in|into|behind|all over) (?:the|an?|my|their)"
    r" (?:floor|ground|carpet|table|stairs|road|way|foot|toe|glass|cup|sink|loo|toilet|bath|water|puddle|sea|river"
    rf"|pool))\b{_SENTENCE}",
    rf"\b(?:gave up|given up|quit) being [^.!?;,]{{2,40}}? (?:to|in|at) (?:(?:my|our|their) )?(?:home|house|kitchen"
    rf"|family|flat|(?:[\w-]+ )?[\w-]+'s whims)\b{_CLAUSE}",
    rf"(?<=said: \")they eat\b{_SENTENCE}",
)
_NEVER_CAME = tuple(with_marks(marks, pattern) for marks, pattern in zip(_MARKS, _UNREAL, strict=True))
_SENTENCES = regex(r"[^.!?;]+[.!?;]*|[.!?;]+")
_ALL_UNREAL = regex(rf"{_IN_DREAM}|^[^\"“”]*, said (?-i:[A-Z])", re.IGNORECASE)
_QUOTED = regex(r"[\"“][^\"“”]*[\"”],? said [A-Z]\w*")
# What stands before it; what follows, came of it.
_UNDONE = regex(
    r"[^.!?;]*?\b(?:but|only|and)(?: (?:then|i|he|she|they|we|it|the \w+|in the end|finally))*,?"
    r" (?:did(?:n['’]t| not)|never did|decided (?:against it|not to))(?=[.!,;]|$| (?:after all|in the end|do it)\b)",
    re.IGNORECASE,
)
_PAIR = 2
_TINY = 5
_ENDS = (ENDED, *BEGUN.values())
_SIGNALS = (CHANGE, CORRECTION, RECENT, REVISED, FROM_TO, NEVER)


@lru_cache(maxsize=16_384)
def word_bag(text: str) -> frozenset[str]:
    """Return the index terms of a text as a set."""
    return frozenset(terms(text))


@lru_cache(maxsize=16_384)
def is_news(new: str) -> bool:
    """Return whether a statement has any word by which another one could end."""
    texts = {new, normalise(new)}
    return any(map(tells_end, texts)) or any(pattern.search(text) for text in texts for pattern in _SIGNALS)


def tells_death_elsewhere(sentence: str) -> bool:
    """Return whether a sentence in another language than English begins with a name and says that it died."""
    return _TOLD_DEATH.fullmatch(sentence[:LONGEST]) is not None


def tells_death(old: str, new: str) -> bool:
    """Return whether `new` says that somebody died, or ran away, whom `old` names: "Bruno died on Friday"."""
    return any(
        re.search(rf"\b{re.escape(name)}\b", old)
        for found in _DIED.findall(new[:LONGEST])
        for name in filter(None, found)
    )


_BY_OTHERS = regex(
    r"\b(?:my|our|their|his|her|[\w-]+'s) (?:[\w-]+ )?(?:team|company|office|firm|school|boss|brother|sister|friend"
    r"|wife|husband|partner|mum|mom|dad|son|daughter|colleague|neighbou?r)s? (?:(?:has|have|just|finally) )*$",
    re.IGNORECASE,
)
_DONE = regex(r"[a-z]+ed\b|(?:went|left|gave up)\b", re.IGNORECASE)


def names_left(old: str, new: str) -> bool:
    """Return whether `new` names what was left for something else, and `old` has it: "switched from oil to gas"."""
    for match in FROM_TO.finditer(new) if matches(FROM_TO, new) else ():
        said = match["old"] or match["old2"] or match["old5"] or ""
        left = word_bag(said) - PLAIN
        by_others = _BY_OTHERS.search(new, 0, match.start()) is not None
        if left and left <= word_bag(old) and not kinds_of(said) and _DONE.match(match[0]) and not by_others:
            return True
    return False


def takes_back(text: str) -> bool:
    """Return whether a sentence begins like a correction of what was just said, or takes a judgement back."""
    return is_correction(text) or _TAKEN_BACK.search(text[:LONGEST]) is not None


def is_correction(text: str) -> bool:
    """Return whether a sentence begins like a correction of what was just said: "no wait", "scratch that"."""
    return _CORRECTS.match(normalise(text)) is not None


def is_bare_correction(text: str) -> bool:
    """Return whether a correction has so few words besides its value that only what was just said tells its matter."""
    return is_correction(text) and len(word_bag(without_values(CORRECTION.sub(" ", normalise(text)))) - PLAIN) <= _TINY


@lru_cache(maxsize=16_384)
def tells_end(text: str) -> bool:
    """Return whether a sentence says that something ended, or that something began which ends what was before."""
    return any(pattern.search(text) for pattern in _ENDS)


def is_news_of(old: str, new: str) -> bool:
    """Return whether news of an end or a turn is about the part of life of `old`.

    One of them has two words of it; both have, where many sentences touch it. Who is spoken of is not looked at.
    """
    if not (tells_end(new) or _TURN.search(new)):
        return False
    before, after = words_of_domains(old), words_of_domains(new)
    return any(
        (min if domain in BROAD else max)(n, after[domain]) >= _PAIR for domain, n in before.items() if domain in after
    )


@lru_cache(maxsize=16_384)
def without_unreal(text: str) -> str:
    """Return a statement without what never came to be, or is of others: a dream, a near miss, a denial, a gift."""
    if _ALL_UNREAL.search(text):
        text = "".join(part for part in _SENTENCES.findall(text) if not _ALL_UNREAL.search(part))
    text = _QUOTED.sub("", text)
    if not text.isascii() or "did" in text.lower() or "decided" in text.lower():  # `_UNDONE` looks at much of a text
        text = _UNDONE.sub("", text)
    for pattern in _NEVER_CAME:
        text = pattern.sub("", text)
    return text


def is_same_kind(old: str, new: str) -> bool:
    """Return whether both statements hold a date, a time or a number; a bare number may be an amount of money."""
    before, after = kinds_of(old), kinds_of(new)
    if "money" in before and "number" in after and "money" in domains_of(new):
        return True
    return bool(before & after) and not counts_others(old, new)


@lru_cache(maxsize=16_384)
def life_of(text: str) -> frozenset[str]:
    """Return the parts of life that news is about: "quit smoking" is about no job, nor is "drives a Skoda"."""
    found = domains_of(_DRIVES_OWN.sub("car ", _QUIT_DOING.sub("stopped ", text)))
    left = FROM_TO.search(text) if "software" in found else None
    # "We moved from Slack to Teams" is about no home.
    return found - {"home"} if left is not None and "software" in domains_of(left[0]) else found


def only_wonders(text: str) -> bool:
    """Return whether a text asks how or why something is, and has told no news before."""
    found = _WONDERS.search(text) if matches(_WONDERS, text) else None
    return found is not None and not is_news(text[: found.start()])


def is_one_of_several(text: str) -> bool:
    """Return whether a text says of itself that it tells what somebody has or does beside something else."""
    return matches(_AS_WELL, text)


def is_over_or_turned(text: str) -> bool:
    """Return whether news tells an end, or that something was turned into something else."""
    return matches(ENDED, text) or tells_end(text) or matches(_TURN, text)


def names_heir(old: str, new: str) -> bool:
    """Return whether the old statement itself names what came after it: "replaced by oil heating"."""
    heir = REPLACED_BY.search(old) if matches(REPLACED_BY, old) else None
    if heir is None:
        return False
    wanted = word_bag(heir["heir"])
    return 2 * len(wanted & word_bag(new)) > len(wanted)


@lru_cache(maxsize=16_384)
def is_open(old: str) -> bool:
    """Return whether a statement says by itself what could end it: "never", or what came after."""
    return matches(NEVER, old) or matches(REPLACED_BY, old)


def denies(old: str, new: str) -> bool:
    """Return whether one of two statements says "never" of what the other tells."""
    if matches(NEVER, old) == matches(NEVER, new):
        return False
    denial, told = (new, old) if matches(NEVER, new) else (old, new)
    wanted = word_bag(denial) - PLAIN - {"never", "ani"}
    return len(wanted & word_bag(told)) >= max(1, (len(wanted) + 1) // 2)
