"""Subjects of an English clause that stand elsewhere: an "I" left out, a word that points at another sentence.

The "I" that a speaker left out is written: "Moved to Porto." is "I moved to Porto.". Words that point at somebody or
something that only another sentence names are found.
"""

from __future__ import annotations

import re

from memoryos_core.extract.third_person import has_verb
from memoryos_core.rules.knowledge.heads import TRADE_BY_ENDING
from memoryos_core.rules.text.words import at_start, regex
from memoryos_core.values.dialogue import Page

__all__ = [
    "FAMILY",
    "JOBS",
    "NAME",
    "NUMBER",
    "PETS",
    "TIME",
    "is_bare",
    "is_of_person",
    "is_of_somebody_else",
    "is_unresolved",
    "leans_on_another",
    "points_back",
    "signature",
    "with_subject",
]

FAMILY = (
    "wife|husband|spouse|partner|fiancée?|girlfriend|boyfriend|son|daughter|kids?|children|child|baby|mother|mom|mum|"
    "father|dad|parents?|brother|sister|siblings?|twins?|aunt(?:ie)?|uncle|cousins?|nephew|niece|grand(?:ma|pa|"
    "mother|father|parents?|son|daughter|kids|children)|friends?|buddy|roommate|flatmate|neighbou?rs?|boss|manager|"
    "colleagues?|coworkers?|teammates?|mentor|family|in-laws|stepson|stepdaughter|ex"
)

PETS = "dogs?|cats?|pup(?:py|pies)?|kittens?|pets?|horse|bird|parrot|fish|turtles?|hamster|rabbit|snake"

JOBS = (
    "accountant|actor|actress|analyst|architect|artist|baker|banker|barista|biologist|carpenter|chef|chemist|coach|"
    "consultant|counsel(?:l)?or|dancer|dentist|designer|developer|director|doctor|editor|electrician|engineer|"
    "entrepreneur|farmer|firefighter|florist|freelancer|gardener|hairdresser|historian|journalist|lawyer|lecturer|"
    "librarian|manager|mechanic|midwife|musician|nurse|officer|painter|paramedic|pharmacist|photographer|physicist|"
    "pilot|plumber|producer|professor|programmer|psychologist|researcher|salesman|scientist|singer|social worker|"
    "soldier|streamer|student|surgeon|teacher|technologist|therapist|trainer|translator|tutor|veteran|vet|"
    f"veterinarian|volunteer|waiter|waitress|writer|{TRADE_BY_ENDING}"
)

_HANDLES = frozenset(("user", "human", "me", "speaker", "guest", "customer", "client", "you"))
_MACHINES_TEXT = """
    assistant agent ai bot chatbot model llm system gpt chatgpt supervisor planner researcher writer coder critic
    reviewer executor router orchestrator worker helper helpdesk support operator analyst expert tool narrator host
    coach tutor sales finance legal research marketing claude gemini copilot siri alexa cortana llama mistral qwen
"""
_MACHINES = frozenset(_MACHINES_TEXT.split())
_JOB = regex(rf"(?:{JOBS})s?", re.IGNORECASE)


def is_of_person(name: str) -> bool:
    """Return whether a name is that of a person, and no handle and no agent's."""
    words = set(re.findall(r"[a-z]+", name.casefold()))
    return name[:1].isalpha() and not name[:1].islower() and words.isdisjoint(_HANDLES | _MACHINES)


def signature(page: Page, name: str) -> str:
    """Return the name of the second speaker, with a capital where two people sign and this one does in small letters.

    Agents have such names, too, and who talks to them signs nothing: "researcher".
    """
    both = any(m.name for m in page.messages if m.half == "user")
    return name.capitalize() if both and name.isalpha() and name.islower() and not _JOB.fullmatch(name) else name


_FELT = (
    "excited|happy|glad|proud|interested|thrilled|tired|stoked|ready|grateful|busy|obsessed|determined|inspired|"
    "pumped|nervous|hooked"
)


# A word that opens no clause within the clause, and a list of such words.
_OPENERS = (
    "that|which|who|what|where|how|why|if|whether|because|since|when|while|after|before|until|although|though"
    "|as(?! an? )|but|so|it|there|and (?:my|our|i|we)"
)
_PLAIN = rf"(?:(?:like|of|about) that|(?!(?:{_OPENERS})\b)[\w'-]+)"
_LISTED = rf"{_PLAIN}(?:,(?= (?:and\b|[\w'-]+(?: [\w'-]+)?,|[\w'-]+ and\b)))?"

_NO_SUBJECT: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        # Not "Been a long road" and "Been ages", where no person has been anything.
        regex(
            r"(?:always |never |also |just )?been (?!(?:an? |quite |such |the |so |my |one )+(?:[a-z-]+ ){0,2}(?:road"
            r"|journey|ride|rollercoaster|while|days?|weeks?|months?|years?|time|night|morning|blast|pleasure|dream|struggle|challenge"
            r"|process|minute|experience|adventure|long)(?=$|[,.!]| (?:for|since|of|to|so|and|but|with|in|here|at)\b)"
            r"|(?:so long|ages|forever|fun|great|amazing|tough|hard(?! at)|rough|crazy(?! about))\b"
            r"|(?:\w+ )?(?:days|weeks|months|years) since\b)[a-z]",
            re.IGNORECASE,
        ),
        "I've ",
    ),
    (
        regex(
            rf"(?:so |really |super |just |still |always )*(?:{_FELT})(?=$|[,.!]| (?:to|about|that|with|for|of|at"
            rf"|because|and|now|today|as)\b)(?! (?:mum|mom|dad) of)",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (
        regex(
            r"(?!planning (?:permission|application|officer|committee)\b|\w+ (?:order|total|list|costs?|hours)[.!]?$)"
            r"(?:just |currently |also |still |now |already )*(?:gonna|loving|working|looking|thinking|planning|trying|"
            r"going|getting|running|targeting|using|"
            r"considering|aiming|preparing|hoping|learning|heading|saving|reading|taking|starting|moving|building"
            r"|renting|sharing|training)\b"
            # "Building a boat and getting it to float isn't for everyone": what is built is no subject of its own.
            rf"(?! (?:{_PLAIN} ){{0,7}}(?:are|were|broke|has|makes|made|helps|helped|gives|can|will|takes|brings|"
            rf"(?:not only )?(?:provides|offers|allows|requires|means|lets|keeps)|[a-z]+s (?:me|us|my))\b)"
            rf"(?! (?:{_LISTED} ){{0,14}}(?:is(?:n't)?|was(?:n't)?|(?:all )?(?:sounds?|seems?))\b)"
            r"(?![^.;,]{0,90}(?<!\bit)(?<!\bthat) (?:is|was|can be) (?:so |really |very |just |always |both )*(?:key"
            r"|important|vital|essential|crucial|hard|easy|tough|rewarding|fun|worth|great|scary|a must)\b)"
            r"(?!.{0,160}\byourself\b)",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (
        regex(
            r"(?:not|no longer) (?:an? )?(?:vegetarian|vegan|single|married|engaged|allergic|working|living|going|doing"
            r"|coming|taking|playing|running|eating|drinking|seeing|studying|learning)\b",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (regex(r"(?:gone|become|turned into) (?:an? )?(?:vegan|vegetarian|keto|part-time|freelance)\b", re.I), "I've "),
    (
        regex(
            r"(?:(?:live|stay|study|rent|share|drive|own) (?:in|near|with|an?)\b|work (?:as an?|for|at)\b)"
            r"(?! (?:concert|a hard|a joke)\b)(?! (?:\w+ ){0,5}(?:is|was|has|takes|can|will)\b)",
            re.IGNORECASE,
        ),
        "I ",
    ),
    (
        # "2nd year at uni, doing law"
        regex(
            r"(?:\d(?:st|nd|rd|th)|first|second|third|fourth|final|last) year (?:at|in|of (?=my|an?|uni|med|law"
            r"|nursing)) ?(?=[a-z])(?!.*\bhere$)",
            re.I,
        ),
        "I'm in my ",
    ),
    (regex(r"no more (?!than |and )[a-z]", re.IGNORECASE), "I want "),
    (
        regex(
            # "Don't drink the tap water" is said to anybody.
            r"(?:can't|couldn't) wait\b|haven't [a-z]+|can't (?:eat|drink|stand|smoke)\b"
            r"|(?:don't|never) (?:eat|drink|stand|smoke)\b(?! (?:(?:the|that|those|these|too much|more than"
            r"|and drive|uncooked|undercooked|unripe|mou?ldy|expired|poisonous|yellow snow)\b"
            r"|raw (?:kidney|flour|dough|chicken|pork|potato)))",
            re.IGNORECASE,
        ),
        "I ",
    ),
    (
        regex(
            r"(?:just |really |also )*(?:love|prefer|enjoy|hate|miss(?! (?-i:[A-Z]))|need|want|plan)\b (?!is|was|it\b|"
            r"that\b|your|this|for\b|(?:\w+ ){1,3}(?:is|are|was)\b)",
            re.IGNORECASE,
        ),
        "I ",
    ),
    (
        regex(
            r"(?:just |finally |already |recently |also |even |actually )*(?:got|went|had|made|found|took(?! (?:me|ages"
            r"|forever|(?:so |a |\w+ ){0,2}(?:long|longer|while|times?|years?|months?|weeks?|days?|hours?|effort|work"
            r"|patience|practice|guts|courage|trial)(?:,| (?:and|to|for|of|before|until)\b)))|"
            r"bought|saw|met|won|lost|came|started|upgraded|finished|decided|tried|joined|moved|signed|worked|played|"
            r"visited|spent|ran|read|wrote|watched|learned|learnt|planned|used|fixed|added|completed|set|chose|created|attended|received|booked|applied|celebrated|cycled|swam|slept|(?:gave|told|sent|promised|asked)(?!\s(?:up|me|us|you)\b)(?=(?:\s[^\s]+){3})|paid(?!\s(?:for\sby|me|us)\b)|flew|drove|sat|cooked|baked|scheduled|quit|sold|built|caught|grew|"
            r"married|adopted|passed|hired|ordered|hosted|relocated|turned(?= \d)|switched|swapped|dropped|gave up"
            r"|packed in|came off|pulled out"
            r"|broke up|left|traded|cancelled|handed in|paid(?= off\b|(?: my)? \w+ back)|stepped down"
            r"|(?:clear|clos|stopp)ed(?= (?:my|our|the|taking)\b)"
            # Whatever somebody did to what is theirs: "Sprained my ankle". "Feed my cat" is an order.
            r"|(?!(?:based|compared|inspired|related|attached|linked|shed|shred|embed|\w*eed)\b)(?:[a-z]{2,}ed|broke|fell"
            r"|hurt|tore|lent|drove|rode|wore|taught|forgot|threw|stole|hid)(?= (?:off |out of |down )?(?:my|our)\b))\b"
            r"(?! (?:is|was|has|by|i|we|he|she|they|at birth|life|couples?|with)\b)(?! \w+ (?:is|are) )",
            re.IGNORECASE,
        ),
        "I ",
    ),
)


_PROPOSAL = regex(
    r"let's (?:just |please |definitely |also )*"
    r"(?!go[.!]?$|see|do (?:it|this|that)|get (?:it|this|going|started|into|to)"
    r"|dive|talk|make|break|not |say|hope|keep |continue|chat|catch|hear|look )(?=[a-z])",
    re.IGNORECASE,
)


# "In Porto, we moved there in May" says that we moved to Porto.
_THERE = at_start(
    r"^in ((?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)*),? (i|we)(?:'ve| have)? (?:just )?(moved|live|work)"
    r" there\b",
    re.IGNORECASE,
)


def _with_place(found: re.Match[str]) -> str:
    place, who, verb = found.groups()
    return f"{who} {verb} {'to' if verb.lower() == 'moved' else 'in'} {place}"


# "We renting a flat": the verb that was left out.
_DOING = at_start(r"^(?:i|we) ((?!(?:br|s|r|sw|cl|fl|st|spr|str|w|k|p|th)ing\b)[a-z]{2,14}ing)\b", re.IGNORECASE)
_WE_ARE = at_start(
    r"^we(?:'re| are) (?=(?:an? )?(?:\w+ )?(?:family|household) of (?:two|three|four|five|six|seven|eight|\d))",
    re.IGNORECASE,
)


# "They fired me" and "My landlord kicked us out" tell of the speaker, and so does "I was fired". Whoever has a
# name may do so, else only who employs, lets or teaches. Behind "me" stands no object: "fired me an email".
_WHO = (
    r"(?:boss|manager|employer|company|firm|work|landlord|landlady|council|school|college|university|uni|coach|team|club"
    r"|gym|band|parents|mum|mom|dad|bank|agency)"
)
_AGENT = (
    rf"(?P<agent>they|(?:my|our|the) {_WHO}"
    r"|(?-i:(?!(?:I|You|He|She|It|We|Who|Nobody|Nothing|No|Some\w+|Every\w+|Any\w+|That|This|My|Our|The|They)\b)"
    r"[A-Z][\w&'-]*(?: [A-Z][\w&'-]+)?))"
)
_WHEN = r"(?: just| now| also| then| finally| recently| already| suddenly)*"
_AT_A_TIME = (
    r"(?: (?:last \w+|this \w+|yesterday|today|on (?:\w+day|the \w+)"
    r"|in (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*))?"
)
_TO = r"(?: to (?!the next\b)[^.,;]{2,40}?)?"
_DONE_TO = regex(
    r"(?P<lead>(?:(?:so|and|but|well|then|yesterday|today|apparently),? )*"
    r"(?:i (?:did not|didn't) (?:quit|leave|resign|go)\b[^,;.]{0,40}, (?:but )?)?)"
    rf"{_AGENT}"
    rf"(?:(?:'re|'s| are| is){_WHEN} (?P<doing>firing|sacking|evicting|promoting|transferring|relocating)"
    rf"|(?:'ve|'s| have| has)?(?P<when>{_WHEN})"
    r" (?P<done>fired|sacked|evicted|promoted|demoted|transferred|relocated|expelled|laid|let|made|kicked|threw|chucked"
    rf"|booted)) (?P<whom>me|us)(?P<how> off| go(?! to\b)| redundant| out)?(?P<of> of (?:the|my|our) [a-z-]+)?"
    rf"(?={_TO}{_AT_A_TIME}(?:$|[.!;]|,(?! (?:my|our|his|her|their|me|you|and|all)\b)))",
    re.IGNORECASE,
)
# What is long over, or was for an hour, ends nothing that holds.
_NO_END = regex(r"\b(?:19|20)\d\d\b|\bfor (?:an?|the|one|two|three|\d+)\b")
# These verbs tell what was done with a word behind them, the others without.
_OUT = dict.fromkeys(("kicked", "threw", "chucked", "booted"), " out")
_WITH_WORD = {"laid": " off", "let": " go", "made": " redundant", **_OUT}
_ARTICLE = at_start(r"^(?:My|Our|The)\b")


def _in_passive(clause: str) -> str:
    """Return a clause that tells what others did to the speaker with the speaker as its subject."""
    found = _DONE_TO.match(clause)
    if found is None or _NO_END.search(clause):
        return clause
    verb = (found["done"] or f"{found['doing'][:-3]}ed").lower()
    if (found["how"] or "").lower() != _WITH_WORD.get(verb, ""):
        return clause
    subject, be = ("we", "were") if found["whom"].lower() == "us" else ("I", "was")
    if found["doing"]:
        be = "are being" if subject == "we" else "am being"
    agent = _ARTICLE.sub(lambda word: word[0].lower(), found["agent"])
    by = "" if agent.lower() == "they" else f" by {agent}"
    done = f"{verb.replace('threw', 'thrown')}{found['how'] or ''}"
    of = found["of"] or ""
    return f"{found['lead']}{subject} {be}{found['when'] or ''} {done}{of}{by}{clause[found.end() :]}"


def with_subject(clause: str) -> str:
    """Return the clause with the "I" that was left out: "Just moved to Porto." becomes "I just moved to Porto.".

    Nobody is a family of five alone: "We are" is "I have" then. "They fired me" becomes "I was fired".
    """
    clause = _in_passive(_WE_ARE.sub("I have ", _THERE.sub(_with_place, clause)))
    clause = _DOING.sub(r"I'm \1", clause)
    proposal = _PROPOSAL.match(clause)
    if proposal:
        return f"I want to {clause[proposal.end() :]}"
    for pattern, subject in _NO_SUBJECT:
        if pattern.match(clause):
            first, space, rest = clause.partition(" ")
            verb = first.lower() if first.isupper() and len(first) > 1 else clause[:1].lower() + first[1:]
            return f"{'They ' if rest.startswith(('me on ', 'us on ')) else subject}{verb}{space}{rest}"
    return clause


NAME = regex(r"(?<=[a-z0-9,;:'\")] )(?!I\b|I')[A-Z][\w'-]+")
"""A name within a clause; the first word says nothing by its capital letter."""

NUMBER = regex(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|thousand|first|second|third|twice)\b"
)
"""A number; of a clause in lower case."""
TIME = regex(
    r"\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this|past|every)\s\w+|ago|since|weekends?|daily|weekly|monthly"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october"
    r"|november|december|years?|months?|weeks?|summer|winter|autumn|spring|christmas|easter)\b"
)
"""A word of time; of a clause in lower case."""

_UNRESOLVED = regex(
    r"(?:it|it's|its|it'll|it'd|that|that's|that'll|this|this's|these|those|there|there's|they|they're|they've"
    r"|he|he's|she|she's|them|which|who|one|both|some|someone|something|everything|everyone|nothing"
    r"|his|her|hers|theirs|mine|ours|yours|the (?:same|former|latter|first|second|one|other))\b",
    re.IGNORECASE,
)
_SOMEBODY = regex(r"\b(?:he|she)(?:'s|'ll|'d)?\b", re.IGNORECASE)
_OF_SOMEBODY = regex(r"\b(?:his|her|him|hers)\b", re.IGNORECASE)
# Nouns that "she" and "he" may stand for have one of these before them.
_NOUN = regex(r"\b(?:an?|the|my|our|your|his|her|their|this|that|every|each|one)\b", re.IGNORECASE)
_IT = regex(
    r"(?P<before>(?:i|we)(?:'\w+)? (?:[\w']+ ){1,4}?)(?:it|them)\b"
    r"(?! (?:is|was|will|would|has|had|takes|took|when|to be)\b)",
    re.IGNORECASE,
)
_ROOM_FOR_A_THING = 5  # with fewer words before "it" there is none that it may stand for
# "I never bought it", "I would like that for the ferry": what is meant stands in another sentence.
_AT_END = regex(r"\b(?:it|them|that|this|one)(?:[.!]*$| (?:for|yet|too|again|now|today|anyway)\b)", re.IGNORECASE)
# A thing that only the sentences before could name: "I want to get that going", "I can refer to it".
_WITHIN = regex(
    r"(?<=[a-z]) (?:it|that|this|them|those|these)(?= (?:happen|going|work|done|more|again|easier|better|so|to|and"
    r"|but|too|with|in|on|for|up|out|off|over|all|really|much|ready)\b|[.,!;]|$)",
    re.IGNORECASE,
)


_OWN_MIND = regex(r",? and (?:i'm )?(?:ok|okay|fine|happy|cool|content) with (?:it|that|this)\b", re.IGNORECASE)


def is_unresolved(clause: str) -> bool:
    """Return whether the subject of the clause stands in another sentence: "Last night at three she came out"."""
    if _UNRESOLVED.match(clause):
        return True
    person = _SOMEBODY.search(clause)
    return person is not None and not _may_name_somebody(clause[: person.start()])


def is_of_somebody_else(clause: str) -> bool:
    """Return whether a clause speaks of a person whom only another sentence names: "I love her songs"."""
    person = _OF_SOMEBODY.search(clause)
    return person is not None and not _may_name_somebody(clause[: person.start()])


def leans_on_another(clause: str) -> bool:
    """Return whether the object of the clause stands in another sentence: "I've been dreaming of it since June"."""
    if is_of_somebody_else(clause):
        return True
    thing = _IT.match(clause)
    return thing is not None and thing["before"].count(" ") < _ROOM_FOR_A_THING and not NAME.search(thing["before"])


def points_back(clause: str, *, ends: bool) -> bool:
    """Return whether a short clause says little without what it points at; `ends`: at its end, else anywhere."""
    return (_AT_END if ends else _WITHIN).search(_OWN_MIND.sub("", clause)) is not None


def _may_name_somebody(text: str) -> bool:
    """Return whether a text may name a person or an animal: a name, or a noun with an article before it."""
    first, _, rest = text.partition(" ")
    verb = rest.partition(" ")[0]
    return bool(NAME.search(text) or _NOUN.search(text)) or (
        first.isalpha() and first.lower() not in ("i", "we", "you") and bool(verb) and has_verb(verb)
    )


_BARE = regex(
    r"^(?!(?:i|we|you|it|that|this|they|he|she|there|not|no|yes|thanks|thank|just|really|don't|can't|so|sure|glad|hey|hi"
    r"|hello|good|great|nice|super|very|pretty|wow|yeah|yep|yup|yay)\b)(?!.*\bi\b)[^?]*$",
    re.IGNORECASE,
)


def is_bare(answer: str) -> bool:
    """Return whether an answer is a name, a number, a time or a place, and no sentence."""
    if not _BARE.match(answer) or has_verb(answer):
        return False
    lowered = answer.lower()
    return bool(NUMBER.search(lowered) or TIME.search(lowered) or re.search(r"\b[A-Z]", answer))


_OTHER_PERSON = regex(
    rf"and (?:my|our) (?:\w+ )?(?:{FAMILY}) (?:[\w'-]+ )?(?:is|lives|works|has|was|does|goes|studies)\b", re.IGNORECASE
)


def is_of_other_person(clause: str) -> bool:
    """Return whether a clause goes on about somebody else: "and our son is in Glasgow"."""
    return _OTHER_PERSON.match(clause) is not None
