"""Tell a self-introduction as plain sentences: "I'm Craig, a 44-year-old welder from Hull" tells four things."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.guards import with_marks
from memoryos_core.rules.text.words import regex

__all__ = ["GREETING", "TRADE", "is_name", "name_alone", "take_apart", "tell_name"]

GREETING = (
    r"(?:hi|hello|hey|heya|hiya|yo|sup|g'day|howdy|(?:good )?(?:morning|evening|afternoon))(?: there| again| all"
    r"| everyone)?"
)
_GREETED = rf"{GREETING}[\s,!.]+"
_GREETS = regex(rf"\s*{GREETING}\b", re.IGNORECASE)
_NOBODY_TEXT = """
    still back again out over anyone someone everyone everybody nobody people stuck new right good fine great ok okay
    well tired sick cold hot raining snowing late early monday tuesday wednesday thursday friday saturday sunday done
    home alone bored sorry hungry ready busy happy excited lost just only nothing something everything all
    christmas easter ramadan diwali
    claude chatgpt gpt siri alexa gemini copilot assistant bot dinner lunch gate dad mum mom
"""
_NOBODY = frozenset(_NOBODY_TEXT.split())
# What somebody is, and not what they are called.
_BELONGING_TEXT = """
    american canadian german italian russian indian mexican brazilian australian belgian norwegian austrian hungarian
    romanian ukrainian croatian serbian bulgarian albanian iranian egyptian nigerian kenyan ethiopian colombian
    peruvian chilean argentinian korean european african asian french dutch czech greek thai welsh swiss christian
    catholic protestant muslim sunni shia jain jewish hindu sikh buddhist quaker mormon
    iraqi israeli pakistani bangladeshi nepali filipino latino latina black white
    tamil punjabi bengali gujarati somali yoruba igbo hausa zulu xhosa kurd arab sami maori pashtun
    deaf blind autistic virgo scorpio libra aries taurus gemini pisces aquarius
    capricorn sagittarius gay queer trans dyslexic diabetic vegan vegetarian coeliac
"""
_BELONGING = frozenset(_BELONGING_TEXT.split())


def is_name(word: str) -> bool:
    """Return whether a word behind "I'm" or before "here" may be what somebody is called."""
    plain = word.lower()
    return not (
        plain in FUNCTION_WORDS["en"] or plain in _NOBODY or plain in _BELONGING or plain.endswith(("ish", "ese"))
    )


_BY_THE_WAY = r"(?:btw|by the way)"
# A message of its own; "I'm Irish", "I'm Catholic" and "I'm Back" name nobody.
_ALONE = regex(
    rf"\s*(?:{_BY_THE_WAY},? )?(?:I'm|I am) (?!(?:Back|Home|Here|Done|Fine|Good|Okay|Sorry|Ready|Busy|Sick|Late|Sad|Mad"
    r"|Happy|Hungry|Lost|Free|Sure|Out|Alone|New|Sikh|Jain|Turk)\b)"
    r"(?!\w+(?:ish|an|ese|ic|ist|im|ch|ss|ab|ek|ai|du|ani|er|ing|ed|ent)\b)(?P<name>[A-Z][a-z]{2,14})"
    rf"(?:,? {_BY_THE_WAY})?[.!]*\s*"
)
# "im priya btw": in small letters few other words end so, and who is met says who they are.
_NO_NAME_TEXT = """
    extra solo psycho loco emo pro mega ultra macho retro alpha beta zero keto paleo diva mama papa dada nana grandma
    grandpa incognito"""
_NO_NAME = frozenset(_NO_NAME_TEXT.split())
_SMALL = r"[a-zà-ÿ]{2,13}[aiou]"
_I_AM = r"(?:(?:hi|hey|hello|and|oh),? )*(?:i'?m|i am)"
_PART_OF_NAME = r"[A-ZÀ-Þ](?:['’][A-Z])?[a-zà-ÿ]{1,14}(?:-[A-ZÀ-Þ][a-zà-ÿ]{1,14})?"
_IN_SMALL = regex(
    rf"\s*(?:{_I_AM} (?P<name>{_SMALL}),? {_BY_THE_WAY}|{_BY_THE_WAY},? {_I_AM} (?P<told>{_SMALL})"
    rf"|{_I_AM} (?P<met>(?!\w+(?:ed|ing|ful|less|ous|ish|y)\b)[a-zà-ÿ]{{2,14}})(?:,| and)? (?:it's )?nice to meet"
    r" (?:you|u|ya))[.!]*\s*",
    re.IGNORECASE,
)


# "I'm Roman Catholic", "I'm Team Edward", "I'm Head Chef": two capitals, and no name of a person.
_NO_FULL_NAME_TEXT = """
    team gen generation type pro anti roman middle south southern north northern east eastern west western latin
    black white native upper lower working mixed anglo eurasian plus zodiac level class year grade part full
    head senior junior chief vice deputy sales product finance marketing lead staff group general managing executive
    assistant associate acting interim regional national principal project program programme
    catholic orthodox chef director officer manager president engineer nurse teacher pilot developer designer analyst
    one two three eastern western ready kidding serious done fan
"""
_NO_FULL_NAME = frozenset(_NO_FULL_NAME_TEXT.split())
_FULL_ALONE = regex(rf"\s*(?:I'm|I am) (?P<name>{_PART_OF_NAME} {_PART_OF_NAME})[.!]*\s*")


def name_alone(said: str) -> str | None:
    """Return the name that a message tells and nothing else: "I'm Tamsin.", "im priya btw"; None for any other."""
    if (alone := _ALONE.fullmatch(said)) is not None:
        return alone["name"]
    if (whole := _FULL_ALONE.fullmatch(said)) is not None:
        words = whole["name"].split()
        return whole["name"] if all(is_name(w) and w.lower() not in _NO_FULL_NAME for w in words) else None
    small = _IN_SMALL.fullmatch(said)
    name = small[small.lastgroup or 0].lower() if small is not None else ""
    return name.capitalize() if name and is_name(name) and name not in _NO_NAME else None


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
    r"|retriever|character|dinner|pregnant|[a-z]*(?:mother|father|owner)|pedestrian|reminder|disclaimer|favou?r|buyer|commuter"
    r"|outsider|insider|precursor|starter|manner|matter|rumou?r|error|mirror|answer|offer|order|human|christian)\b)"
    r"(?:[a-z-]*(?:er|or|ist|ian|ant|eer|woman|man|person)|nurse|chef|cook|clerk|pilot|vet|judge|architect|mechanic"
    r"|analyst|agent|au pair|barista|nanny|surgeon|sparky|lead|tutor|scientist|intern|apprentice|trainee|student|CEO"
    r"|CTO|dev|GP|PM|researcher|assistant|guard|guide|coach|host|midwife|postie|priest|nun|monk|soldier|athlete|sailor)"
)
_KEPT = regex(
    r"\b(?:student|trainee|apprentice|retired|former|ex-\w+|unemployed|aspiring|future|intern|by trade|(?:half-)?decent"
    r"|terrible|bad|awful|lousy|hopeless|good|great|keen|avid|lifelong|amateur|passionate|die-hard|hobby|big|huge)\b"
)
_ENDS = r"(?=[,;.!?)(\n]|$| [-–—] | (?:and|but|so|who|because|trying|looking|with|currently|now)\b)"
_ANYWHERE = rf"(?:{_PLACE}|(?:an? )?[a-z][a-z'-]{{2,20}}(?: [a-z][a-z'-]{{2,20}})?{_ENDS})"
_ORIGIN = rf"(?: (?P<origin>(?:originally )?from {_ANYWHERE}))?"
_LIKE = r"(?:(?:now|currently) )?(?P<what>(?:(?:an?|the) )?(?:(?!(?:the|an?|not?|never) )[A-Za-z&/-]+ ){0,3}?"
_NO_VERB = (
    r"(?![^,.;!?\n]* (?:town|city|village|suburb|company|firm|told|tells|said|says|is|was|are|were|has|had|asked|called"
    r"|came|gave|made|took|got|went|who|that|will|would|can|wants?|thinks?|knows?)\b)"
)
# The parts of an introduction, each with how it is told alone; "" for what somebody is by trade, or else.
_PARTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (regex(rf"(?:aged? )?(?P<age>[1-9]\d)(?:[ -](?:years?|yrs?)[ -]old| y/?o)?(?: now)?{_ENDS}"), "I'm {age}"),
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
    (regex(rf"an? (?P<age>[1-9]\d)[ -]years?[ -]old {_LIKE}{TRADE}){_ORIGIN}{_ENDS}"), ""),
    (
        regex(
            rf"{_LIKE}{TRADE}) (?P<employer>(?:at|for) (?:the )?[A-ZÀ-Þ][^,.;!?\n]{{1,40}}?)"
            rf"(?:, {_TOWN}(?=[.!]|$))?{_ENDS}"
        ),
        "",
    ),
    (regex(rf"{_LIKE}{TRADE}(?: by trade| (?:at|for|with) [^,.;!?]{{2,40}}?)(?: in {_PLACE})?){_ENDS}"), ""),
    (regex(rf"{_LIKE}{TRADE}(?: in {_ANYWHERE})?){_ORIGIN}{_ENDS}"), ""),
    (regex(rf"{_NO_VERB}(?P<what>an? (?:[\w'/&-]+ )?[\w'/&-]+){_ORIGIN}{_ENDS}"), ""),
    (
        regex(rf"{_NO_VERB}(?P<what>(?:an? [a-z]|(?:mum|mom|dad) of)[\w' /&-]{{2,60}}?(?: \([^()]{{1,60}}\))?){_ENDS}"),
        "",
    ),
)
_TRADE = regex(rf"^(?:(?:an?|the) )?(?:[a-z&/-]+ ){{0,3}}?{TRADE}(?= in |$)")
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
    rf"(?P<name>{_CALLED} {_CALLED}(?: {_CALLED})?)(?P<here> here)?, (?:aged? )?(?=[1-9]\d(?: years old)?[,.;])"
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
_GOES_ON = regex(r"(?:[,;]? (?:and|but|so) |, )(?=(?:I|my|we)\b)|[,;]? but ")
_GOES_ON_ALONE = regex(r"[.!] (?:I|I'm|I've|My|We) (?=[a-z])")  # "I'm Lea. I work at Shell."
_SURE = ("age", "origin", "how")
_LEAST_PARTS = 2
_SEPARATELY = r"\g<begins>I work as \g<what>. I work \g<where>"


# "You get me. I'm Priya, by the way.", "im anika btw. i cook", "Hello this is Jerry Hutchins I am on the phone"
_BESIDE = regex(
    r"(?P<begins>(?:^|(?<=[.!?\n])) ?)"
    rf"(?:(?i:i'?m|i am) (?P<name>[A-ZÀ-Þ][\w'-]{{1,14}}|{_SMALL}),?"
    rf" (?i:{_BY_THE_WAY})(?=[.!\n]|$)"
    rf"|(?P<greets>(?i:{GREETING})[\s,!.]+)(?i:this is) (?P<full>{_CALLED} {_CALLED})"
    r"(?=[.!,]|$| (?:I|and|from|here)\b),?)"
)


def _with_name(found: re.Match[str]) -> str:
    """Return a name that is told beside other things as a sentence of its own."""
    name = found["name"] or found["full"]
    if not is_name(name.split()[0]) or name.lower() in _NO_NAME:
        return found[0]
    return (
        f"{found['begins']}{found['greets'] or ''}My name is {name[:1].upper()}{name[1:]}{'.' if found['full'] else ''}"
    )


def tell_name(text: str) -> str:
    """Return a text in which a name that is told by the way is a sentence of its own: "My name is Priya"."""
    return _BESIDE.sub(_with_name, text)


def take_apart(text: str) -> str:
    """Return an English text in which a self-introduction is told as a sentence for each thing that it tells."""
    text = _with_signature(text)
    # Letters that each pattern needs; to look for them costs little.
    text = _SEVERAL.sub(_one_by_one, text) if "ve " in text else text
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
        least = 1 if not opening.start() and _GOES_ON_ALONE.match(text, end) else _LEAST_PARTS
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
    is_own = presented["told"] or presented["here"] or not presented.start() or _GREETS.match(text)
    begins = f"{text[: presented.start()].rstrip()}{' ' if presented.start() else ''}I'm "
    whole = f"{begins}{presented['name']}, {text[presented.end() :]}"
    told, end = _find_parts(whole, len(begins))
    is_whole = end == len(whole) or whole[end] in ".!\n"
    return whole if is_own and len(told) >= _LEAST_PARTS and is_whole else text


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
    for pattern, form in _PARTS:
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
