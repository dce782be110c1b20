"""Tell a self-introduction as plain sentences: "I'm Craig, a 44-year-old welder from Hull" tells four things."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryos_core.rules.text.names import BY_THE_WAY, GREETING, NO_NAME, SMALL, is_name, name_alone
from memoryos_core.rules.text.words import regex, with_marks

__all__ = ["TRADE", "take_apart", "tell_name"]

_GREETED = rf"{GREETING}[\s,!.]+"
_GREETS = regex(rf"\s*{GREETING}\b", re.IGNORECASE)
_TOWN = r"[A-ZÀ-Þ](?:(?!['’](?:m|ve|ll|d|re|s)\b)[\w'’-])+"
_PLACE = (
    rf"(?:the )?(?!(?:I|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b){_TOWN}"
    rf"(?: (?:upon |on |de |del |la |of |and the )?{_TOWN}){{0,3}}"
    rf"(?:, {_TOWN}(?: {_TOWN})?(?=[,.;!?)]|$| (?:and|but)\b))?"
)
TRADE = (
    r"(?!(?:brother|sister|mother|father|daughter|partner|parent|teenager|number|member|beginner|newcomer|learner"
    r"|user|owner|lover|believer|thinker|drinker|smoker|eater|reader|gamer|hiker|runner|swimmer|walker|traveller"
    r"|traveler|foreigner|dreamer|loner|survivor|sufferer|supporter|player|collector|resident|patient|person|man"
    r"|woman|adolescent|descendant|immigrant|migrant|feminist|optimist|pessimist|perfectionist|atheist|theist"
    r"|tourist|hobbyist|minimalist|realist|idealist|starter|bachelor|vegetarian|customer|speaker|neighbou?r|other"
    r"|winner|loser|fighter|supporter|follower|giver|extrovert|introvert|sinner|climber|biker|cyclist|enthusiast"
    r"|volunteer|junior|senior|winter|summer|amateur|contestant|participant|talker|listener|sleeper|riser|worrier"
    r"|retriever|character|dinner|pregnant|intolerant|[a-z]*(?:mother|father|owner)|pedestrian|reminder|disclaimer"
    r"|favou?r|buyer|commuter"
    r"|outsider|insider|precursor|starter|manner|matter|rumou?r|error|mirror|answer|offer|order|human|christian|visitor"
    r"|donor|(?:what|how|for|n)?ever|over|under|after|later|rather|either|together|clever|sober|eager|bitter|better"
    r"|bigger|older|younger|taller)\b)"
    r"(?:[a-z-]*(?:er|or|ist|ian|ant|eer|woman|man|person)|nurse|chef|cook|clerk|pilot|vet|judge|architect|mechanic"
    r"|analyst|agent|au pair|barista|nanny|surgeon|sparky|lead|tutor|scientist|intern|apprentice|trainee|student|CEO"
    r"|CTO|dev|GP|PM|researcher|assistant|guard|guide|coach|host|midwife|physio|paramedic|[a-z]*wright|postie|priest"
    r"|nun|monk|soldier|athlete|sailor)"
)
_KEPT = regex(
    r"\b(?:student|trainee|apprentice|retired|former|ex-\w+|unemployed|aspiring|future|intern|by trade|(?:half-)?decent"
    r"|terrible|bad|awful|lousy|hopeless|good|great|keen|avid|lifelong|amateur|passionate|die-hard|hobby|big|huge)\b"
)
_ENDS = r"(?=[,;.!?)(\n]|$| [-–—] | (?:and|but|so|who|because|trying|looking|with|currently|now)\b)"
_ANYWHERE = rf"(?:{_PLACE}|(?:an? )?[a-z][a-z'-]{{2,20}}(?: [a-z][a-z'-]{{2,20}})?{_ENDS})"
_ORIGIN = rf"(?: (?P<origin>(?:originally )?from {_ANYWHERE}))?"
_LIKE = (
    r"(?:(?:now|currently) )?(?P<what>(?:(?:an?|the) )?"
    r"(?:(?!(?:the|an?|not?|never|our|my|his|her|their|is|are|was|were|i|doing|being|seeing|getting|having"
    r"|with|about|of|to|from|off|up) )"
    r"[A-Za-z&/-]+ ){0,3}?"
)
_NO_VERB = (
    r"(?![^,.;!?\n]* (?:town|city|village|suburb|company|firm|told|tells|said|says|is|was|are|were|has|had|asked|called"
    r"|came|gave|made|took|got|went|who|that|will|would|can|wants?|thinks?|knows?)\b)"
)
# Of an employer, and of no person: "at Sorrel Labs, a start-up in Ghent".
_FIRM = (
    r"(?:an?|the) (?:[\w'&-]+ ){0,3}?(?:company|firm|start-?up|fintech|agency|hospital|hospice|clinic|school|academy"
    r"|college|university|nursery|bank|shop|store|supermarket|pub|bar|caf[eé]|restaurant|bakery|hotel|charity|ngo|studio"
    r"|practice|brewery|factory|business|bookshop|magazine|newspaper|publisher|consultancy|garage|farm|museum|gallery"
    r"|library|airline|chain|care home|gym|theatre|institute|council|club|subsidiary|supplier|manufacturer|producer)"
    r"(?: (?:in|near|outside|of|on|for|from) [^,.;!?\n]{2,40}?)?"
)
# The parts of an introduction, each with how it is told alone; "" for what somebody is by trade, or else.
_PARTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        regex(rf"(?:aged? )?(?P<age>[1-9]\d)(?:[ -](?:years?|yrs?)(?:[ -]old| of age)| y/?o)?(?: now)?{_ENDS}"),
        "I'm {age}",
    ),
    (regex(rf"(?:(?:now|currently) )?(?P<how>(?:living|based|located) (?:in|near|outside) {_ANYWHERE})"), "I'm {how}"),
    (regex(rf"(?P<how>(?:originally )?from {_ANYWHERE})"), "I'm {how}"),
    (
        regex(rf"(?P<how>(?:married|engaged)(?: to [^,.;!?]{{2,40}})?|single|divorced|widowed|retired){_ENDS}"),
        "I'm {how}",
    ),
    (regex(r"(?P<how>(?:year|grade|class) \d{1,2})" + _ENDS), "I'm in {how}"),
    (regex(r"(?P<how>(?:working|studying) [^,.;!?\n]{3,80})"), "I'm {how}"),
    (regex(r"teaching (?P<how>[^,.;!?\n]{3,80})"), "I teach {how}"),
    (regex(rf"(?P<how>widow(?:er)?)(?: of (?:this|the) \w+)?{_ENDS}"), "I'm a {how}"),
    (regex(r"(?P<how>(?:currently|presently) (?:on|at|in|between|out of) [^.!?\n]{3,120})"), "I'm {how}"),
    (regex(r"(?P<how>(?:live|work|study|teach|run|drive) (?!and\b|but\b)[^.;!?\n]{3,200})"), "I {how}"),
    (
        regex(
            r"(?P<what>(?:(?:co-?)?founder|owner|director|manager)(?: (?:and|&) (?:CEO|CTO|owner))? (?:of|at) (?:the )?"
            rf"[A-ZÀ-Þ][\w'&-]*(?: [A-ZÀ-Þ][\w'&-]*){{0,3}}){_ENDS}"
        ),
        "",
    ),
    (regex(rf"an? (?P<age>[1-9]\d)[ -]years?[ -]old {_LIKE}{TRADE}){_ORIGIN}{_ENDS}"), ""),
    (
        regex(
            rf"{_LIKE}{TRADE}) (?P<employer>(?:at|for) (?:the )?[A-ZÀ-Þ][^,.;!?\n]{{1,40}}?(?:, {_FIRM})?)"
            rf"(?:, {_TOWN}(?=[.!]|$))?{_ENDS}"
        ),
        "",
    ),
    (regex(rf"{_LIKE}{TRADE}(?: by trade| (?:at|for|with) [^,.;!?]{{2,40}}?)(?: in {_PLACE})?){_ENDS}"), ""),
    (regex(rf"{_LIKE}{TRADE}(?:(?: here)? in {_ANYWHERE}| of the {_PLACE})?){_ORIGIN}{_ENDS}"), ""),
    (regex(rf"{_NO_VERB}(?P<what>an? (?:[\w'/&-]+ )?[\w'/&-]+){_ORIGIN}{_ENDS}"), ""),
    (
        regex(rf"{_NO_VERB}(?P<what>(?:an? [a-z]|(?:mum|mom|dad) of)[\w' /&-]{{2,60}}?(?: \([^()]{{1,60}}\))?){_ENDS}"),
        "",
    ),
)
_IS_FIRM = regex(rf"{_FIRM}{_ENDS}")
_TRADE = regex(rf"^(?:(?:an?|the) )?(?:[a-z&/-]+ ){{0,3}}?{TRADE}(?= in | of | and | at |$)")
_BY_HOURS = regex(r"an? (?:part-time|full-time|freelance|self-employed) (?!mum|mom|dad|parent|carer)[a-zA-Z]+$")
_WORKS_AS = "I work as "
_OPENS_TRADE = regex(r"^I(?:'m| work as) ")
_ARTICLE = regex(r"^(?:an?|the) ")
_STUDIES = regex(r"I'm an? (?:[a-z-]+ ){0,2}(?:student|apprentice|trainee|intern)$")
_BETWEEN = regex(r",? and (?!(?:I|my|we)\b)|, (?!(?:and|but|so) )|; | [-–—] ")
_CALLED = r"[A-ZÀ-Þ](?:[a-zà-ÿ]|['’][A-Z])[\w'’-]*"
_NAME = regex(
    r"(?!(?:Head|Senior|Junior|Chief|Team|Vice|Deputy|Sales|Product) )"
    rf"(?:(?:Dr|Prof|Mrs?|Ms)\.? )?(?P<name>{_CALLED}(?: {_CALLED}){{0,2}}){_ENDS}"
)
_OPENS = with_marks(
    "i'm |i am |my name",
    rf"(?P<begins>(?:^|(?<=[.!?\n])) ?(?:{_GREETED})?|[,;]? (?:and|but|because|since) )"
    r"(?:I['’]m|I am|my name(?:['’]s| is)) ",
)
_SIGNED = regex(
    rf"^(?P<begins>\s*(?:{_GREETED})?)(?:(?P<name>[\w'-]{{2,15}}) here(?:, | [-–—] )"
    r"|(?P<aged>[\w'-]{2,15}), (?=[1-9]\d(?:,|$)))",
    re.IGNORECASE,
)
# "Good morning. Clive Ormerod, aged 72, widower": a full name with an age behind a greeting, or "here" behind it.
_PRESENTED = regex(
    r"(?:^|(?<=[.!?\n]))(?P<told>[^.!?:\n]{0,40}\b[Ii]ntroduc\w+ (?:myself|me)\b[^.!?:\n]{0,60}:)? ?"
    rf"(?P<name>{_CALLED} {_CALLED}(?: {_CALLED})?)(?P<here> here)?, (?P<aged>aged? )?"
    r"(?=[1-9]\d(?: years old)?(?:,|;|\.(?!\s*[-–—\d]| (?:[a-zà-ÿ]|[A-ZÀ-Þ][a-zà-ÿ]+\.?$))))"
)
_AS = regex(
    rf"(?P<begins>(?:^|(?<=[.!?\n])) ?)[Aa]s "
    rf"(?P<what>an? (?:(?!former |ex-|new |future |first)[a-z&/-]+ ){{0,2}}?{TRADE}(?: in {_PLACE})?),? "
    r"(?=I(?: have| get| do| work| often| always| usually| find| deal| see| spend| struggle| use| start| finish)\b)"
)
_AT_THE_START = r"(?P<begins>(?:^|(?<=[.!?\n])) ?(?:(?:and|but|so|also),? )?)"
# "I work at Shell as a driver": the one may change, and the other stays.
_EMPLOYED = regex(
    _AT_THE_START + r"I(?:['’]m| am)? work(?:ing)? (?P<where>(?:at|for) (?:(?:the|an?) [a-z]|[A-ZÀ-Þ])"
    r"(?:(?! as\b| and\b)[^,.;!?\n]){1,40}?)"
    rf" as (?P<what>an? [a-z](?:(?! and\b)[\w /&-]){{2,50}}?){_ENDS}(?! and (?:at|for|as) )"
)
_EMPLOYED_AS = regex(
    _AT_THE_START + r"I(?:['’]m| am)? work(?:ing)? as (?P<what>an? [a-z][\w /&-]{2,50}?)"
    rf" (?P<where>(?:at|for) (?:the )?(?!Christmas\b)[A-ZÀ-Þ][^,.;!?\n]{{1,40}}?){_ENDS}(?! and (?:at|for|as) )"
)
_SEVERAL = regex(
    _AT_THE_START
    + r"(?P<who>I|[Ww]e)(?:['’]ve| have)(?: got)? (?P<count>two|three|four|[2-4]) (?:(?P<pets>cats|dogs|rabbits"
    r"|hamsters|horses|parrots|chickens|kittens)|(?P<kin>kids|children|sons|daughters|sisters|brothers|girls|boys))"
    rf"(?: called| named|:|,| -)? (?P<names>{_CALLED}(?:, {_CALLED})*,? (?:and|&) {_CALLED})(?=[.!?;\n]|$)"
)
_ONE_OF = {"children": "child"}
_THING = (
    r"(?!(?:and|related|similar|other|most|all|some|many|so|then|it|bored|tired|vegan|vegetarian|co?eliac"
    r"|[a-z]+[- ]intolerant)\b)"
    r"[a-z][\w+'-]+"
    r"(?: (?!and\b)[a-z][\w'-]+)?"
)
_DRUG = r"(?:\d+ ?m?[cg]?g (?:of )?)?[a-z]{6,20}(?: \d+ ?m?[cg]?g)?"
_BRAND = r"[A-ZÀ-Þ][\w+]+(?: [A-ZÀ-Þ][\w+]+)?"
_OWNED = r"an? (?:[\w'-]+ ){0,2}?[\w'-]+(?: (?:called|named) [A-ZÀ-Þ][\w'-]+)?"
_WEEKLY = r"[a-z]+ (?:[a-z]+ )?on (?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)days?"
_DATED = r"an? [^,.;!?\n]{2,40}? (?:on|at) [^,.;!?\n]{0,12}\d[^,.;!?\n]{0,16}?"


def _list_of(item: str) -> str:
    return rf"(?P<items>{item}(?:, {item}){{0,3}},? (?:and|&) {item})(?=[.!;\n]|$)"


# What each may end alone: of "metformin and ramipril" one is stopped.
_LISTS = tuple(
    regex(_AT_THE_START + rf"(?P<opens>{opens}) {_list_of(item)}")
    for opens, item in (
        (r"(?:[Ii]['’]?m|[Ii] am) (?:also |really |very |quite |severely |badly |deathly )?allergic to", _THING),
        (r"[Ii](?:['’]?m| am)? (?:take|taking)", _DRUG),
        (r"[Ii](?: pay for| subscribe to| use|['’]?m subscribed to| am subscribed to)", _BRAND),
        (r"(?:[Ii]|[Ww]e)(?: have|['’]ve got| own| drive)", rf"(?:{_DATED}|{_OWNED})"),
        (r"[Ii]", _WEEKLY),
    )
)
_KIN_NAMED = regex(
    _AT_THE_START + r"(?P<who>[Mm]y|[Oo]ur) (?P<kin>kids|children|sons|daughters|sisters|brothers|girls|boys|cats|dogs)"
    rf"(?: are(?: called)?|:) (?P<names>{_CALLED}(?:, {_CALLED})*,? (?:and|&) {_CALLED})(?=[.!?;\n]|$)"
)
_GOES_ON = regex(r"(?:[,;]? (?:and|but|so) |, )(?=(?:I|my|we)\b)|[,;]? but ")
_GOES_ON_ALONE = regex(r"[.!] (?:I|I'm|I've|My|We) (?=[a-z])")  # "I'm Lea. I work at Shell."
_SURE = ("age", "origin", "how")
_LEAST_PARTS = 2
_SEPARATELY = r"\g<begins>I work as \g<what>. I work \g<where>"


# "You get me. I'm Priya, by the way.", "im anika btw. i cook", "Hello this is Jerry Hutchins I am on the phone"
_BESIDE = regex(
    r"(?P<begins>(?:^|(?<=[.!?\n])) ?)"
    rf"(?:(?<![.!?\n ])(?:[Mm]y )?[Nn]ame['’]?s (?P<own>{_CALLED}(?: {_CALLED})?)(?:,? (?i:{BY_THE_WAY}))?"
    r"(?=[.!]+ (?:I|I['’]m|My|We)\b)(?![^\n]*\b(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey|him|her|his)\b)"  # else of a new dog
    rf"|(?i:i'?m|i am) (?P<name>[A-ZÀ-Þ][\w'-]{{1,14}}|{SMALL}),?"
    rf" (?i:{BY_THE_WAY})(?=[.!\n]|$)"
    rf"|(?P<greets>(?i:{GREETING})[\s,!.]+)"
    rf"(?:(?i:this is) (?P<full>{_CALLED} {_CALLED})|(?i:the name(?:['’]s| is)) (?P<alone>{_CALLED}(?: {_CALLED})?)"
    r"(?![^\n]*\b(?:[Ii]['’]?m|[Ii] am|[Mm]y name is) (?!\w+(?:ish|ese|utch|ench|ian|erman)\b)[A-ZÀ-Þ][a-zà-ÿ]+[.!,]))"
    r"(?=[.!,]|$| (?:I|and|from|here)\b),?)"
)


def _with_name(found: re.Match[str]) -> str:
    """Return a name that is told beside other things as a sentence of its own."""
    name = found["name"] or found["own"] or found["full"] or found["alone"]
    if not is_name(name.split()[0]) or name.lower() in NO_NAME:
        return found[0]
    stop = "" if found["name"] or found["own"] else "."
    return f"{found['begins']}{found['greets'] or ''}My name is {name[:1].upper()}{name[1:]}{stop}"


def tell_name(text: str) -> str:
    """Return a text in which a name that is told by the way is a sentence of its own: "My name is Priya"."""
    return _BESIDE.sub(_with_name, text)


def take_apart(text: str) -> str:
    """Return an English text in which a self-introduction is told as a sentence for each thing that it tells."""
    text = _with_signature(text)
    # Letters that each pattern needs; to look for them costs little.
    text = _SEVERAL.sub(_one_by_one, text) if "ve " in text else text
    text = _one_item_each(text) if " and " in text or " & " in text else text
    text = _EMPLOYED.sub(_SEPARATELY, _EMPLOYED_AS.sub(_SEPARATELY, text)) if " work" in text else text
    text = _AS.sub(r"\g<begins>I work as \g<what>. ", text) if "s a" in text else text
    out: list[str] = []
    told_to = counted_to = marks = 0
    for opening in _OPENS.finditer(text):
        marks, counted_to = marks + text.count('"', counted_to, opening.start()), opening.start()
        if opening.start() < told_to or marks % 2:
            continue
        told, end = _find_parts(text, opening.end())
        going_on = _GOES_ON.match(text, end)
        goes_on = _GOES_ON_ALONE.match(text, end) or (going_on and name_alone(f"I'm {text[opening.end() : end]}"))
        least = 1 if not opening.start() and goes_on else _LEAST_PARTS
        if len(told) < least or (going_on is None and text[end : end + 1] not in {"", ".", "!", "?", "\n", " "}):
            continue
        begins = opening["begins"]
        within = bool(begins.strip(" ,;")) and not _GREETS.match(begins)
        told = _join_trades(told)
        out += [text[told_to : opening.start()], ". " if within else begins, ". ".join(told)]
        told_to = end
        if going_on is not None:
            told_to = going_on.end() + 1
            out += [". ", text[told_to - 1 : told_to].upper()]
    return "".join((*out, text[told_to:]))


def _one_by_one(found: re.Match[str]) -> str:
    """Return "We have two cats, Moth and Ada" as a sentence for each, since one of them may die."""
    several = found["pets"] or found["kin"]
    one = _ONE_OF.get(several, several.removesuffix("s"))
    told = [f"{found['who']} have {found['count']} {several}"] if found["kin"] else []
    names = re.split(r",? (?:and|&) |, ", found["names"])
    return found["begins"] + ". ".join((*told, *(f"I have a {one} called {name}" for name in names)))


def _one_item_each(text: str) -> str:
    """Return "I take metformin and ramipril" as a sentence for each, since one of them may be stopped."""
    for pattern in _LISTS:
        text = pattern.sub(_each_item, text)
    return _KIN_NAMED.sub(_each_named, text)


def _each_item(found: re.Match[str]) -> str:
    items = re.split(r",? (?:and|&) |, ", found["items"])
    return found["begins"] + ". ".join(f"{found['opens']} {item}" for item in items)


def _each_named(found: re.Match[str]) -> str:
    one = _ONE_OF.get(found["kin"], found["kin"].removesuffix("s"))
    names = re.split(r",? (?:and|&) |, ", found["names"])
    who = "We" if found["who"].lower() == "our" else "I"
    return found["begins"] + ". ".join(f"{who} have a {one} called {name}" for name in names)


def _with_signature(text: str) -> str:
    """Return a text that begins like "Sam here, a welder" or "Sam, 34, a welder" with the "I'm" that was left out."""
    if (presented := _PRESENTED.search(text)) is not None:
        return _with_full_name(text, presented)
    signed = _SIGNED.match(text)
    if signed is None or not is_name(name := signed["name"] or signed["aged"]):
        return text
    begins = f"{signed['begins']}I'm "
    whole = f"{begins}{name[:1].upper()}{name[1:]}, {text[signed.end() :]}"
    told, end = _find_parts(whole, len(begins))
    # "Sarah, 30, a nurse from Leeds, is my sister" tells of the sister.
    is_whole = end == len(whole) or whole[end] in ".!\n"
    return whole if len(told) >= _LEAST_PARTS and is_whole else text


def _with_full_name(text: str, presented: re.Match[str]) -> str:
    """Return a text in which the speaker gives a full name and an age with the "I'm" that was left out."""
    if not all(is_name(word) for word in presented["name"].split()):
        return text  # "In Bremen, 19.-24. Oktober"
    is_own = any(presented[mark] for mark in ("told", "here", "aged")) or _GREETS.match(text)
    if presented.start() and not is_own:
        return text
    begins = f"{text[: presented.start()].rstrip()}{' ' if presented.start() else ''}I'm "
    whole = f"{begins}{presented['name']}, {text[presented.end() :]}"
    told, end = _find_parts(whole, len(begins))
    is_whole = end == len(whole) or whole[end] in ".!\n"
    least = _LEAST_PARTS + (not is_own)  # "Hotel Atlantik, 64. I booked it" gives a price
    return whole if len(told) >= least and is_whole else text


def _find_parts(text: str, at: int) -> tuple[list[str], int]:
    """Return what an introduction tells, a sentence each, and where it ends; nothing where no part is a sure one."""
    told: list[str] = []
    is_sure = False
    named = _NAME.match(text, at)
    if named is not None and is_name(named["name"]):
        told.append(f"My name is {named['name']}")
        at, is_sure = named.end(), True
    while True:
        between = _BETWEEN.match(text, at) if told else None
        if told and between is None:
            break
        start = at if between is None else between.end()
        part, said = _first_part(text, start)
        if part is None:
            break
        told += said
        is_sure = is_sure or any(part.groupdict().get(name) for name in _SURE) or _TRADE.match(part["what"]) is not None
        at = part.end()
    return (told if is_sure else []), at


def _join_trades(told: list[str]) -> list[str]:
    """Return what an introduction tells with its trades in one sentence: the second takes no place of the first."""
    trades = [said for said in told if said.startswith(_WORKS_AS) or _STUDIES.match(said)]
    if len(trades) < _LEAST_PARTS or not any(said.startswith(_WORKS_AS) for said in trades):
        return told
    first, *more = dict.fromkeys(_OPENS_TRADE.sub("", said) for said in trades)
    opening = _WORKS_AS if trades[0].startswith(_WORKS_AS) else "I'm "
    at = told.index(trades[0])
    rest = [said for said in told[at:] if said not in trades]
    return [*told[:at], " and ".join((f"{opening}{first}", *(_ARTICLE.sub("", one) for one in more))), *rest]


def _first_part(text: str, start: int) -> tuple[re.Match[str] | None, list[str]]:
    for pattern, form in () if _IS_FIRM.match(text, start) else _PARTS:
        part = pattern.match(text, start)
        if part is not None:
            return part, list(_tell(part, form))
    return None, []


def _tell(part: re.Match[str], form: str) -> Iterator[str]:
    """Yield the sentences that a part tells."""
    found = part.groupdict()
    if form:
        yield form.format(**found)
        return
    if found.get("age"):
        yield f"I'm {found['age']}"
    what = found["what"]
    if not what.startswith(("a ", "an ", "the ")):
        what = f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
    employer = found.get("employer")
    works = _KEPT.search(what) is None and (_TRADE.fullmatch(what) is not None or _BY_HOURS.match(what) is not None)
    yield f"{_WORKS_AS}{what}" if works else f"I'm {what}{f' {employer}' if employer else ''}"
    if works and employer:
        yield f"I work {employer}"
    if found.get("origin"):
        yield f"I'm {found['origin']}"
