"""Plain statements of what is told in passing: they fill a profile and can be replaced.

"Something quick, no eggs please, I come out in hives" tells of an allergy without its usual words. The plain statement
comes beside what was said: the sentence stays the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memoryos_core.extract.antecedents import name_what_began, without_asides
from memoryos_core.extract.people import ages_in
from memoryos_core.extract.statement_kinds import is_supposed
from memoryos_core.extract.statement_subjects import FAMILY
from memoryos_core.rules.knowledge.asides import asides_in, values_in
from memoryos_core.rules.knowledge.domains import domains_of
from memoryos_core.rules.knowledge.heads import ANIMAL, OF_OTHERS
from memoryos_core.rules.knowledge.job_ends import GOT_THE_JOB, next_job
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.medicines import medicines_in
from memoryos_core.rules.knowledge.news import without_unreal
from memoryos_core.rules.knowledge.nicknames import listed_by_name
from memoryos_core.rules.knowledge.persons_apart import told_apart
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.restrictions import restrictions_in
from memoryos_core.rules.text.introductions import TRADE
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import fold_case, regex


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


# Words of others, and what is only thought of.
_NOT_SAID = _pattern(
    r"[\"“”«»]|\b(?:wrote|writes|texted|reads|quote)\b|, (?:said|says) (?-i:[A-Z])"
    r"|^(?:translate|rewrite|rephrase|imagine|suppose|pretend|say|write|how do (?:you|i) say)\b"
)
_LONGEST = 400
"""Characters of a sentence that is read; a longer one is a list or no sentence."""
_WAY = r"back|forward|off|up|down|out"
_THEY_MOVED = _pattern(
    r"\bthey(?:'ve| have)? (?:just )?(?P<verb>moved|pushed|postponed|shifted|rescheduled|delayed|changed|put|brought"
    rf"|bumped)(?P<way> (?:{_WAY}))? (?P<what>(?:my|our|the|(?-i:[A-Z])[\w-]+'s) [\w' -]{{2,40}}?)"
    rf"(?P<behind> (?:{_WAY}))? (?:to|until|till)"
    r" (?P<value>(?:[^.,;?!]|(?<=\d)[.,](?=\d)){2,40}?)(?=[.,;?!](?!\d)|$| (?:because|since|as|so|due|cos)\b)"
)
_THOUGHT_OF = _pattern(r"\?$|\b(?:wish|maybe|if|perhaps|hope|should|could|might|would)\b")
_JUST_MOVED = _pattern(
    r"(?:(?:we|i|so|and|also|oh|btw|news)(?:'ve| have)?,? )*(?:just |finally )?moved(?: (?:in|last|on|this) \w+)?"
    r"(?: btw)?[.!,]*"
)
# "I'm in trouble now" names no place, nor "I moved jobs, I'm in accounting".
_PLACE = (
    r"in (?P<place>(?!(?:charge|trouble|therapy|marketing|luck|tears|bed|pain|debt|love|hospital|school|sales|finance"
    r"|accounting|boxes|fact|general|here|there|it|the|a|an|my|our|his|her|their)\b)[a-z][\w'-]{2,20}"
    r"(?: (?-i:[A-Z])[\w'-]+)?)"
)
_NOW_IN = _pattern(rf"(?:(?:we're|we are|i'm|i am|were|now) )*{_PLACE} now\b")
_MOVED_IN = _pattern(
    r"^(?:(?:so|and|also|oh),? )*(?:i|we)(?:'ve| have)? (?:just |finally )?moved(?! (?:jobs?|teams?|desks?)\b)"
    r"[^.?!]{0,30}?, (?:and )?(?:now )?(?:we're|we are|were|i'm|i am) (?:now )?"
    rf"{_PLACE}\b(?: now\b|[.,!]|$)"
)
# "Found a flat! It's in Ripon, one bed.", "Moved in with Ana today. Elm Road.": where, the second sentence says.
_FLAT = r"(?:flat|house|apartment|place|bungalow|cottage|studio|home|room)"
_NEW_HOME = _pattern(
    r"(?:(?:and|so|oh|hey|yes|yay|news|guess what|finally)[,:!]? )*"
    r"(?:(?:i|we)(?:'ve|'m|'re| have| am| are)? )?(?:just |finally )?"
    rf"(?:(?:found|got|bought|rented|signed for) (?:an?|the|our|my|our own|my own) (?:[a-z-]+ ){{0,2}}?"
    rf"(?:flat|house|apartment|(?<=new ){_FLAT})"
    rf"|(?:got|have|picked up|collected) (?:the )?keys (?:to|for) (?:the|our|my) (?:new )?{_FLAT}"
    rf"|moved (?P<to>in with (?!(?:i|we)\b)[\w'-]+(?: [\w'-]+){{0,2}}?|house|flats?)|in (?:the|our|my) new {_FLAT})"
    r"(?: (?:today|yesterday|at last|(?:last|this|on) \w+))?[.! ]*"
)
_WHERE = _pattern(
    r"(?:(?:(?:it's|it is|its|that's|he's|she's|they're) )?(?:(?:in|near) (?P<place>(?!(?:my|our|the|an?|his"
    r"|her|their|this|that|time|budget|total|full|fact|theory|progress|shock|love|need|short|order|cash|person|good"
    r"|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|spring|summer|autumn|winter)\b)"
    r"[a-z][\w'-]{2,20}(?: (?-i:[A-ZÀ-Þ])[\w'-]+)?)"
    r"|(?P<street>(?:\d+\w? )?(?-i:[A-ZÀ-Þ])(?:[\w'-]*(?:stra(?:ß|ss)e|allee|gasse)|[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)?"
    r" (?:road|street|avenue|lane|close|terrace|crescent|gardens|grove))(?: \d+\w?)?))"
    r"(?=[.,!]|$| now\b)|(?P<town>(?!(?:nice|small|tiny|big|huge|great|perfect|cheap|bright|quiet|cosy|cozy"
    r"|modern|beautiful|amazing|only|just|brand|newish|result|phew|yes|\w+ly|\w+ed)\b)"
    r"[a-z][\w'-]{3,20}), (?:an? )?(?:one|two|three|\d|studio)[- ]?(?:bed|room)[a-z]*\b)"
    r"(?![^?]*\b(?:from|starting|next|until|for)\b)"
)
_CHANGED_JOB = _pattern(
    r"\bi(?:'ve| have)? (?:just |also |finally )?(?:changed|switched|quit|left|got|found|started)"
    r" (?:my |the |an? )?(?:old |new )?(?:jobs?|firms?|company|companies|employers?)\b"
)
_NOW_AT = _pattern(
    r"(?:^|[,;] |\band )(?:and )?(?:so )?(?:now )?i(?:'m| am| work) (?:now )?at (?:the )?"
    r"(?P<where>(?-i:[A-Z])[\w&.'-]*(?: (?-i:[A-Z&])[\w&.'-]*){0,3})(?! (?:airport|station|concert|party)\b)"
)
# Who marries may change the name: "I got married, so it's Priya Sharma now."
_NEW_NAME = _pattern(
    r"\b(?:married|divorced|changed my (?:sur|last )?name)\b[^.?!]{0,30}?\b(?:it's|it is|i'm|i am|call me|to) (?:now )?"
    r"(?P<name>(?-i:[A-Z])[\w'-]+ (?-i:[A-Z])[\w'-]+)(?: now\b|[.!]|$)"
)
_APART = _pattern(
    r"^(?:(?:so|and|in other news|btw|update|yeah|well|ugh),? )*"
    r"(?:(?P<name>(?!(?:mum|mom|dad|cardio|we|he|she|it|they|you)\b)[a-z]{3,12}) and i|me and (?P<other>[a-z]{3,12}))"
    r" are (?:now |officially )?(?:done|over|finished|through|history|no more)(?=[.,!;]|$)"
)
# "I adopted a cat. Grey, three, from the rescue. Her name's Dolma": who it is stands behind, or in small letters.
_KEEPS = _pattern(
    r"^(?:(?:oh|ok|and|also|so|well|other news),? )*(?:i|we)(?:'ve| have)?"
    r" (?:(?:also|just|only|finally|now|went and) )*"
    r"(?:have|got|adopted|bought|rescued|acquired|welcomed|brought home|took (?:on|in)|taken (?:on|in))"
    r"(?: got| ourselves| myself)? an?"
    rf" (?:(?!toy|stuffed|plush)[\w-]+ ){{0,2}}?(?P<kind>{ANIMAL})\b"
    r"(?=[,.!;]|$| (?:from|who|that|called|named|last|this|today|yesterday|and|in|lol|on|for|with|btw|haha)\b)"
)
_ANIMAL = _pattern(rf"\b(?:{ANIMAL})\b")
_SOMEBODY = fold_case(
    rf"\b(?:{FAMILY}|boss|vet|doctor|nurse|teacher|friend|mate|neighbou?r|colleague|landlord|landlady|manager|man|woman"
    r"|girl|boy|guy|lady|lad)\b"
)
_NAMED = _pattern(
    r", (?P<name>(?!(?:brown|black|white|grey|gray|ginger|tabby|cute|tiny|small|big|old|young|fluffy|lovely)\b)"
    r"[a-z]{3,12}),? who\b"
    r"|(?:, [\w -]{2,20})?,? (?:and )?(?:his|her|its) name(?:'s| is) (?P<said>(?-i:[A-ZÀ-Þ])[\w'-]{1,14})(?=[.,!]|$)"
)
_NAMED_LATER = _pattern(
    r"^(?:(?:and|so|oh),? )*(?:(?:he|she|it)(?:'s| is) [\w -]{3,40}?(?:,| and) (?=(?:he|she|it|his|her|its)\b))?"
    r"(?:and )?(?:(?:his|her|its|the \w+'s) name(?:'s| is)|(?:he|she|it)(?:'s| is) (?:called|named))"
    r" (?P<name>(?-i:[A-Z])[a-zà-ÿ'-]{1,14})(?=[.!]|$|, and (?:he|she|it)\b| (?:and|after|because)\b)"
    r"|^(?:an? )?(?:grey|black|white|brown|ginger|tabby|little|tiny|old|young)\b[^.?!]{0,100}\b(?:called|named)"
    r" (?P<other>(?-i:[A-Z])[a-zà-ÿ'-]{1,14})(?=[.,!]|$)"
)
# "I got the job! Deputy principal in Tuam, starting in August."
_AS_WHAT = _pattern(
    rf"(?:as )?(?:an? |the )?(?P<what>(?:(?:head|deputy|vice|assistant|senior|junior|chief|lead|night|shift|team)"
    rf" )?(?:(?!in\b|at\b|for\b)[a-z-]+ ){{0,2}}?(?:{TRADE}|principal|head|director|clerk))"
    r" (?:at|for|with|in(?= (?:the )?(?-i:[A-ZÀ-Þ])[\w'-]+ (?-i:[A-ZÀ-Þ]))) (?:the )?"
    r"(?P<where>(?-i:[A-ZÀ-Þ])[\w'&-]*(?: (?:of|and|the|in|&|(?-i:[A-ZÀ-Þ])[\w'&-]*)){0,6}?)"
    r"(?=[,;.!]|$| (?:starting|from|for)\b)"
)
# "Got a job!! Customer support at Monzo": what somebody works in, or as what, in small letters.
_IN_WHAT = _pattern(
    r"(?P<what>(?:customer (?:support|service|services|care|success)|(?:tech|technical|it) support|sales|marketing"
    r"|finance|accounts|admin|retail|security|maintenance|housekeeping|catering|logistics|reception|data entry)"
    rf"|(?:an? )?(?:[a-z]+ )?{TRADE}) (?:at|for|with) (?:the )?"
    r"(?P<where>(?-i:[A-ZÀ-Þ])[\w'&-]*(?: (?-i:[A-ZÀ-Þ&])[\w'&-]*){0,3}|(?!home\b|work\b"
    r"|night\b)[a-z][\w'&-]{2,15})[.!]*"
)
# "Heat pump in, oil stove out."
_IN_AND_OUT = _pattern(
    r"(?:(?:and|so|update|news)[,:]? )*(?:the )?(?P<new>(?:(?!last|garbage|rubbish|breath|\d)[a-z-]+ ){0,2}[a-z-]{3,})"
    r" (?:is )?in,?"
    r" (?:and )?(?:the )?(?P<old>(?:old [a-z-]{3,}|[a-z-]{3,} [a-z-]{3,}))(?: is)? out(?=[.,!]|$)"
)
# "no nuts please. allergic to cashews, as in ambulance"
_ALLERGIC = _pattern(
    r"(?:(?:(?:and|also|well|oh|btw|fyi|ps),? )*(?:(?:one )?(?:heads[- ]up|fyi|note|reminder|warning|important"
    r"|last thing|just so you know|for the record|before i forget|by the way|btw)\b"
    r"(?![^:;,–]*\b(?:my|our|his|her|their)\b)[^.?!:;,–]{0,40}(?:[:;,]| –) )?(?:(?:and|also),? )*)"
    r"allergic to (?!(?:me|you|my|the|work|stupid|early|bullshit|nonsense)\b)(?P<what>[a-z][a-z ]{2,30}?)"
    r"(?:,? (?:as in|btw|by the way|fyi|(?:just )?in case|just so|so (?:no|keep|please|nothing)|keep that|please)\b"
    r"[^?]*)?[.!]*$"
)
_ILLNESS = (
    r"(?:allergic to [^,.;?!]{2,40}?|an? co?eliac|co?eliac|(?:type [12] |pre-?)?diabetic|asthmatic|epileptic|anaemic"
    r"|anemic|autistic|dyslexic|colou?r[- ]?blind|[a-z]+[- ]intolerant)"
)
# "They tested me and I'm not allergic to nuts": whoever they are, the allergy is the user's.
_FOUND_OUT = _pattern(
    r"^(?:(?:they|it|he|she|that|this|hers|his|theirs)\b[^?]{3,100}?(?:\b(?:and|so|but|that|because),?|,) "
    r"(?P<told>i(?:'m| am) (?:(?:not|no longer) )?allergic to [^,.;?!]{2,40}?)"
    r"|(?:(?:so|well|and|oh|also|ok|anyway|news),? )*(?:i|we)(?:'ve| have)? (?:(?:just|only|now|also|recently"
    r"|finally) )*(?:found out|learn(?:ed|t)|discovered|(?:got|was|were|been) told)"
    r"(?: (?:today|yesterday|(?:this|last) \w+))?(?: that)? "
    rf"(?P<found>(?:i(?:'m| am)|my (?:{KIN}) is) (?:(?:not|actually|also) )?{_ILLNESS}))"
    r"(?=[,.;!]|$| (?:after all|and|but|so|because|which|at)\b)"
)
# "We sold the Creta and took a Nexon EV", "traded the civic in, we got a 2022 mazda cx-5"
_NEW_CAR = _pattern(
    r"^(?:(?:and|so|also|ok|well|but|then|finally),? )*(?:(?:i|we)(?:'ve| have)? (?:just |finally )?)?"
    r"(?:sold|traded(?: in)?|swapped|scrapped|part[- ]exchanged) (?:my|our|the) [\w-]+(?: [\w-]+)?\b"
    r"[^.?!]{0,40}?(?:,| and| for)(?: (?:i|we))?(?:'ve| have)?(?: now)?"
    r"(?: (?:got|bought|took|have|picked up|drive))? an? "
    r"(?P<new>(?!lot|good|bit|few|bus (?:pass|ticket|card))[\w-]+(?: [\w-]+){0,3}?)"
    r"(?=[,.!]|$| (?:and|now|which|because|instead|from|for)\b)"
)
_CAR = _pattern(r"\b(?:(?:19|20)\d\d|EV|hybrid|suv|hatchback|saloon|sedan|van|pickup)\b")
# "Preston is great, I love living there."
_LIKES_IT_THERE = _pattern(
    r"^(?:(?:and|so|also|but|well),? )*(?P<place>(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+){0,2})(?:'s| is)"
    r" [^,.?!]{2,40}(?:,| and) (?:i|we) (?:really |just |already )?(?:love|like|enjoy|hate)"
    r" living (?:t?here|in it)(?=[.,!]|$)"
)
# "Living in Athenry with Sinéad.", "living in tempe now", "We rent in Ely."; who rents for a weekend says more of it.
_LIVES = _pattern(
    rf"^(?:(?:still|now|currently|finally|and) )*(?:living|(?:(?:i|we)(?:'m|'re| am| are) (?:finally |now )?)?in"
    rf" (?:the|our|my) new {_FLAT}|(?P<rents>(?:i|we) rent)) in"
    r" (?P<place>(?!(?:hope|fear|pain|sin|style|luxury|peace|harmony|denial|poverty|limbo|squalor|euros?|pounds|dollars"
    r"|stages|cash|advance|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber)\b)"
    r"(?:(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+){0,2}|[a-z][\w'-]{2,20}(?= now\b)))"
    r"(?(rents)(?=[.!]?$| (?:now[.!]?$|and (?:i |we )?(?:work|live)\b))"
    r"|(?=[;.!]|$|,(?! (?:now|as|that|what|imagine|wow|oh)\b)| with\b| now(?:[.!,]|$| w(?:ith)?\b)))"
)
_SHE, _DOCTOR = _pattern(r"^(?:she|he) "), _pattern(r"\b(?:doctor|gp|nurse|consultant|specialist|dentist|midwife|dr)\b")
_OTHERS = _pattern(r"\b(?:my|our|his|her|their|he|she|they)\b")
# "I'm 16 now so can I get a job?": the question alone would take the statement with it.
_BEFORE_QUESTION = _pattern(
    r"(?:(?:and|also|well|ok),? )*"
    r"(?P<told>(?:(?:i|we)(?:'m|'re|'ve| am| are| have)|my [\w ]{2,20}? (?:is|has)) [^,?]{2,50}?)"
    r",? so (?=(?:can|could|should|do|will|am|is) (?:i|we|you|it|that)\b|(?:what|how|where)\b)[^?]*\?"
)
# The reason of a question is a statement: "Since I work nights, when should I have breakfast?"
_REASON_OF_QUESTION = _pattern(
    r"(?:(?:and|also|well|ok|so),? )*(?:since|as|because|given that|now that|seeing as) "
    r"(?P<told>(?:i|we|my [\w ]{2,20}?)\b(?!(?: really)? (?:have no (?:idea|clue)|don't know|can't (?:decide|tell)))"
    r" ?[^,?]{4,60}), (?=(?:what|how|where|when|which|who|why|can|could|should|do|does|is|are|will|any)\b)[^?]*\?"
)


# "Silly me, I forgot it", "…, but there you go": nobody is told of.
_CRIES = regex(
    r"^(?:(?:oh|ah|ooh|well|and|but),? )*(?:dear|silly|poor|lucky|clever|foolish|stupid|goodness|gracious"
    r"|bless|excuse|pardon|woe is|shame on)(?: old)? me\b[,.!;:– -]+(?=\w)"
    r"|(?:,? but|[,;]| [–-])(?: (?:but|so|and|well|still))? (?:(?:silly|lucky|poor|dear|clever|stupid)(?: old)? me"
    r"|(?:there|here) (?:you|we) (?:go|are|have it)|you never know|you live and learn)(?=[.!…]*$)",
    re.IGNORECASE,
)


def _without_cries(sentence: str) -> str:
    said = _CRIES.sub("", sentence)
    return sentence if said == sentence else _capitalise(said)


def with_plain_statements(sentences: Iterable[str], said: Sequence[str] = ()) -> Iterator[str]:
    """Return the sentences, each with what it tells in passing as plain statements behind it.

    `said` is what the user said and was asked right before.
    """
    before = animal = ""
    earlier = " ".join(said)
    cried = map(_without_cries, without_asides(sentences))
    for sentence in (part for one in cried for part in listed_by_name(one) or told_apart(one)):
        yield sentence
        if len(sentence) <= _LONGEST and not _NOT_SAID.search(sentence):
            told = without_unreal(sentence)
            news = (*_news(before, told), *asides_in(told, sentence), *values_in(told, before))
            news = tuple(one for one in news if not _is_number_of_another(one, told, before))
            news += tuple(_medicines(told, before, f"{earlier[-_LONGEST:]} {before}"))
            yield from dict.fromkeys((*restrictions_in(told, before), *news))
            kept = _KEEPS.search(told)
            if _SOMEBODY.search(told):  # whose name it is then, nobody can tell
                animal = ""
            if kept is not None:  # of two animals a name tells neither
                animal = "" if _ANIMAL.search(told, kept.end()) else kept["kind"].lower()
            named = _NAMED_LATER.match(told) if kept is None else _NAMED.match(told, kept.end())
            name = (named[named.lastgroup or 0] if named is not None else "") if animal else ""
            if name and is_name(name):
                yield f"I have a {animal} called {_capitalise(name)}."
        before, earlier = sentence, f"{earlier[-_LONGEST:]} {before}"


_NUMBER = _pattern(r"My (?P<what>[a-z() ]+?(?:number|no\.?|nr|code|reference|ref)) is (?P<value>(?=\S*\d)\S+)\.$")
_NO_REQUEST = _pattern(
    r"[,;:]? ?(?!(?:and )?(?:can|could|please|pls|plz|keep|save|note|remember|store|btw|by the way|just|so|for|in case"
    r"|don't forget|ta|thanks|if|ok)\b)[a-z]"
)
_ANOTHER = _pattern(
    rf"\b(?:{FAMILY}|{KIN}|friend|mate|colleague|boss|neighbou?r|he|she|his|her|they|their)(?:'s)?\b"
    # A firm confirms and calls; it does not crash or fly out.
    r"|\b(?:about|for) (?-i:[A-ZÀ-Þ][a-zà-ÿ]+)[.!]*$|^(?-i:[A-ZÀ-Þ][a-zà-ÿ]+)(?:'s| is| was| has| had)?(?: just| now)*"
    r" (?:crash|fl[eyo]w|flying|left|leav|land|travel|fell|fall|broke|hurt|ill\b|sick|stuck|mov|going|lost|pregnant)"
)


def _is_number_of_another(news: str, told: str, before: str) -> bool:
    """Return whether a number that is told without "my" may be that of another person, or no real one: "order 66"."""
    number = _NUMBER.match(news)
    if number is None or re.search(rf"\b(?:my|our) {re.escape(number['what'])}", told, re.IGNORECASE):
        return False
    lead, _, rest = told.partition(number["value"])
    return _NO_REQUEST.match(rest) is not None or any(_ANOTHER.search(part) for part in (lead, before))


def _medicines(sentence: str, before: str, earlier: str) -> Iterator[str]:
    """Yield which medicines the speaker takes, and which no more; "she" is the doctor who was named just before."""
    if not _THOUGHT_OF.search(sentence):
        doctor = _DOCTOR.search(before)
        yield from medicines_in(_SHE.sub(f"The {doctor[0]} ", sentence) if doctor else sentence, earlier)


def _news(before: str, sentence: str) -> Iterator[str]:
    """Yield what happened: another date, another home, a separation, somebody's age."""
    for moved in () if _THOUGHT_OF.search(sentence) else _THEY_MOVED.finditer(sentence):
        what = moved["what"]
        if kinds_of(f"in {moved['value']}"):
            way = moved["way"] or moved["behind"] or ""
            be = "were" if what.endswith("s") and not what.endswith("ss") else "was"
            yield f"{what[:1].upper()}{what[1:]} {be} {moved['verb']}{way} to {moved['value']}."
    place = (_NOW_IN.match(sentence) if _JUST_MOVED.fullmatch(before) else None) or _MOVED_IN.search(sentence)
    if place is not None:
        yield f"I moved to {_capitalise(place['place'])}."
    elif (where := _WHERE.match(sentence) if _NEW_HOME.fullmatch(before) else None) is not None:
        yield f"I live in {_capitalise(where['place'] or where['street'] or where['town'])}."
    yield from _how_one_lives(before, sentence)
    yield from _changed_about_self(before, sentence)
    reason = None if is_supposed(sentence) else _REASON_OF_QUESTION.fullmatch(sentence)
    if asked := _BEFORE_QUESTION.fullmatch(sentence) or reason:
        yield f"{asked['told'][:1].upper()}{asked['told'][1:]}."
    if swapped := _IN_AND_OUT.match(sentence):
        yield f"I replaced the {swapped['old'].lower()} with a {swapped['new'].lower()}."
    apart = _APART.match(sentence)
    if apart is not None and not domains_of(who := apart["name"] or apart["other"]):  # "dinner and I are done"
        yield f"{_capitalise(who)} and I broke up."
    yield from ages_in(sentence)


def _how_one_lives(before: str, sentence: str) -> Iterator[str]:
    """Yield an allergy, a car and a home."""
    if (allergic := _ALLERGIC.match(sentence)) is not None:
        yield f"I'm allergic to {allergic['what']}."
    if (found := _FOUND_OUT.match(sentence)) is not None:
        yield f"{_capitalise(found['told'] or found['found'])}."
    car = _NEW_CAR.search(sentence)
    if car is not None and (_CAR.search(car["new"]) or "vehicle" in domains_of(car["new"])):
        yield f"I drive a {car['new']}."
    elsewhere = OF_OTHERS.search(before) or _OTHERS.search(before)
    for lives in filter(None, (_LIKES_IT_THERE.match(sentence), None if elsewhere else _LIVES.match(sentence))):
        yield f"I live in {_capitalise(lives['place'])}."


def _changed_about_self(before: str, sentence: str) -> Iterator[str]:
    """Yield a new job, a new employer and a new name, and that of a firm of one's own."""
    work = _NOW_AT.search(sentence)
    if work is not None and (_CHANGED_JOB.search(sentence) or _CHANGED_JOB.search(before)):
        yield f"I work at {work['where'].rstrip('.')}."
    coming = [*next_job(sentence, before)]
    yield from coming
    job = _AS_WHAT.match(sentence) if not coming and GOT_THE_JOB.fullmatch(before) else None
    if job is not None:
        yield f"I work as a {job['what'].lower()}."
        yield f"I work at {job['where']}."
    elif (job := _IN_WHAT.fullmatch(sentence) if not coming and GOT_THE_JOB.fullmatch(before) else None) is not None:
        how = "as a" if re.fullmatch(f".*{TRADE}", job["what"], re.IGNORECASE) else "in"
        yield f"I work {how} {_small_start(job['what'])}."
        yield f"I work at {_capitalise(job['where'])}."
    if named := name_what_began(before, sentence):
        yield named
    wed = _NEW_NAME.search(sentence)
    if wed is not None and OF_OTHERS.search(sentence, 0, wed.start()) is None:
        yield f"My name is {wed['name']}."


def _small_start(said: str) -> str:
    return said[:1].lower() + said[1:]


def _capitalise(word: str) -> str:
    return word[:1].upper() + word[1:]
