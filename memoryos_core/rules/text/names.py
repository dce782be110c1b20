"""Tell what may be the name of a speaker, read a message that says nothing else, and give small names their capital.

Quick typists write them in small letters beside who it is: "my wife anna", "my dog bruno ate my socks".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryos_core.rules.text.function_words import COMMON_WORDS, FUNCTION_WORDS, VAGUE_WORDS
from memoryos_core.rules.text.words import regex, with_marks

__all__ = [
    "A_NAME",
    "BY_THE_WAY",
    "GREETING",
    "NO_NAME",
    "PLAYS_A_PART",
    "PLAYS_SOMEBODY",
    "SMALL",
    "is_name",
    "name_alone",
    "name_in_lines",
    "name_met",
    "names_in_full",
    "names_nobody",
]

GREETING = (
    r"(?:hi|hello|hey|heya|hiya|yo|sup|g'day|howdy|(?:good )?(?:morning|evening|afternoon))(?: there| again| all"
    r"| everyone)?"
)
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


BY_THE_WAY = r"(?:btw|by the way)"
# A message of its own; "I'm Irish", "I'm Catholic" and "I'm Back" name nobody.
_ALONE = regex(
    rf"\s*(?:{BY_THE_WAY},? )?(?:I'm|I am) (?!(?:Back|Home|Here|Done|Fine|Good|Okay|Sorry|Ready|Busy|Sick|Late|Sad|Mad"
    r"|Happy|Hungry|Lost|Free|Sure|Out|Alone|New|Sikh|Jain|Turk)\b)"
    r"(?!\w+(?:ish|an|ese|ic|ist|im|ch|ss|ab|ek|ai|du|ani|er|ing|ed|ent)\b)(?P<name>[A-Z][a-z]{2,14})"
    rf"(?:,? {BY_THE_WAY})?[.!]*\s*"
)
# One word with a capital that belongs to nobody but a person: "I'm Cuban, the food is great" names none.
A_NAME = (
    r"(?!\w+(?:ish|ese|ist|ican|uban|(?<=\w{4})ian|(?<=\w{3})(?:ean|ic|ed|ing|ani)|ful|ous)\b|Syrian\b)"
    r"([A-Z][a-z]{1,14})"
)
# "im priya btw": in small letters few other words end so, and who is met says who they are.
_NO_NAME_TEXT = """
    extra solo psycho loco emo pro mega ultra macho retro alpha beta zero keto paleo diva mama papa dada nana grandma
    grandpa incognito hello bravo banana potato dodo zombie ghetto boho techno disco metro hetero homo polo menu covid
    panda gorilla dracula vampire cinderella latino latina filipino filipina desi chicano romani saudi emirati kuwaiti
    omani qatari yemeni fiji into also you to go so do who two no yo too thru onto mia nada hyper euro turbo gaga
    soo soooo sooo goo moo boo woo poo gonna finna kinda sorta outta hella lotta wanna imma
    tryna boutta hindi farsi ninja idea data area drama coma camera era asthma pizza pasta soda vodka
    sushi soprano tango anti afro alto mezzo tempo piano cello banjo judo karate sumo samba salsa rumba bossa polka
    kimchi tofu mocha matcha cola tuna avocado mango tomato jumbo combo promo memo demo photo video radio audio studio
    casino bingo lotto limbo dynamo bimbo yoyo dingo hippo rhino puma cobra koala tuba viola sauna yoga java"""
NO_NAME = frozenset(_NO_NAME_TEXT.split())
SMALL = r"[a-zà-ÿ]{2,13}[aiou]"
_I_AM = r"(?:(?:hi|hey|hello|and|oh),? )*(?:i'?m|i am)"
_PART_OF_NAME = r"[A-ZÀ-Þ](?:['’][A-Z])?[a-zà-ÿ]{1,14}(?:-[A-ZÀ-Þ][a-zà-ÿ]{1,14})?"
_IN_SMALL = regex(
    rf"\s*(?:{_I_AM} (?P<name>{SMALL}),? {BY_THE_WAY}|{BY_THE_WAY},? {_I_AM} (?P<told>{SMALL})"
    rf"|{_I_AM} (?P<only>{SMALL})"
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
    one two three ready kidding serious done fan
"""
_NO_FULL_NAME = frozenset(_NO_FULL_NAME_TEXT.split())
_TITLE = r"(?:Dr|Prof|Mr|Mrs|Ms|Miss|Mx)\.? "
# Who may say "it's Bernard here": "it's Freezing here" and "it's London here" look the same, so these alone are read.
_SAYS_HERE_TEXT = """
    adam ahmed aisha alan alex ali alice amara amina amy ana andrea andrew andy angela anita ann anna anne anthony anya
    arthur barbara beatrice becky ben bernard beth bill bob brian carl carla caroline catherine charlie chloe chris
    claire clara colin craig dan daniel dave david dean debbie dennis derek diana diane donna doris edward eileen elaine
    elena ellen elizabeth ella emily emma eric erik ethan fatima fiona frances francis gareth gary george gerald gillian
    gordon graham greta hannah harold harry hassan heather helen henry howard hugh ian ibrahim irene isabel jack jacob
    james jamie jane janet jason jean jeff jenny jeremy jess jessica jill jim joan joanna joe john jonas joseph josh
    judith judy julia julian julie karen karim kate katie keith ken kenji kevin kim laura lauren lena leo leon liam
    linda lisa louise lucas lucy luis luke lynn malcolm margaret maria marie mark martha martin mary matt matthew
    maureen mehmet mia michael michelle miguel mike mohammed monica nadia nancy natalie nathan neil nick nicola nigel
    nina nora oliver olivia omar oscar pamela pat patricia paul pedro peter phil philip priya rachel raj ralph ravi
    rebecca richard rob robert roger rolf ron rosa ruth ryan sally sam samir samuel sandra sara sarah sean sharon sheila
    simon sofia sonia sophie stella stephen steve stuart susan suzanne tamsin tanya ted teresa terry tess thomas tim
    tina toby tom tony tracey trevor valerie vera vincent walter wendy william yusuf yvonne zoe
"""
_SAYS_HERE = "|".join(_SAYS_HERE_TEXT.split())
_GREETED = rf"(?:(?i:{GREETING})[\s,!.]+)?"
# "Hi, this is Priya speaking", "Dr Amina Yusuf here", "name's Jess"; a single word before "here" may be anything.
_FULL_ALONE = regex(
    rf"\s*{_GREETED}(?:(?:I'm|I am) (?:{_TITLE})?(?P<full>{_PART_OF_NAME} {_PART_OF_NAME})"
    rf"|(?i:it['’]?s|it is) (?P<it>(?=(?i:{_SAYS_HERE})\b(?!['’-])){_PART_OF_NAME}(?: {_PART_OF_NAME})?),? here"
    rf"(?:,? again)?"
    rf"|(?:(?i:this is) |{_TITLE})(?P<here>{_PART_OF_NAME}(?: {_PART_OF_NAME})?),? (?:here|speaking)"
    rf"|(?i:my )?[Nn]ame['’]?s (?P<told>{_PART_OF_NAME}(?: {_PART_OF_NAME})?))[.!]*\s*"
)

# Said at the start of a sentence, and by nobody else: not "he said let's say".
_FEIGNS = (
    r"(?:(?:^|(?<=[.!?\n])|(?<!said)(?<!says)(?<!told me)(?<!asked)(?<!like),) ?(?:(?:ok|okay|now|so|well|hey|hi|then)"
    r",? )?(?:let's|lets|let us) (?:just )?(?:say|pretend|imagine|suppose)"
    r"|(?:^|(?<=[.!?\n])) ?(?:(?:ok|okay|now|so|please),? )?pretend)(?: that)?"
)
_NO_ROLE_TEXT = """turk pole dane scot kiwi sikh team gen roman head senior single rich poor lonely married divorced
    santa elsa batman buddha god jesus wrong leo honest"""
_PLAYS_NOBODY = "|".join(
    sorted(_NOBODY | _BELONGING | FUNCTION_WORDS["en"] | COMMON_WORDS["en"] | frozenset(_NO_ROLE_TEXT.split()))
)
_ROLE = (
    r"(?:tenant|landlord|landlady|boss|manager|employee|employer|customer|client|waiter|waitress|patient|doctor|nurse"
    r"|teacher|student|pupil|interviewer|candidate|applicant|recruiter|lawyer|judge|witness|officer|cop|detective"
    r"|suspect|shopkeeper|shop assistant|seller|buyer|salesman|guest|host|receptionist|king|queen|knight|pirate|captain"
    r"|wizard|princess|prince|parent|child|therapist|counsellor|coach|trainer|journalist|reporter|president|agent"
    r"|passenger|pilot|driver|clerk|cashier|colleague|examiner|tourist|owner|director|mentor|investor|founder|barista"
    r"|bartender|chef|dentist|pharmacist|vet|tutor|lender|banker|caller|operator|negotiator|spy|prisoner|guard|priest)"
)
PLAYS_SOMEBODY = with_marks(
    "say|pretend|imagine|suppose|stor|character|player",
    # Of a figure in a game: "Help me with a backstory: I'm Zog".
    r"\b(?:back[- ]?stor(?:y|ies)|(?:character|player) (?:sheet|bio|concept|build|profile|story)|in character)\b"
    r"[^\n.!?]{0,60}[:.\n–—-] ?(?:so,? )?(?:i'?m|i am|my name(?:'s| is)|name:)(?= )"
    rf"|{_FEIGNS} (?:(?:i'?m|i am|my name(?:'s| is)|i'll be) (?:{_TITLE})?"
    rf"(?!(?:{_PLAYS_NOBODY})\b)(?-i:(?:{_PART_OF_NAME} {_PART_OF_NAME}"
    r"|(?!\w+(?:sh|an|ese|ic|ist|im|ch|ss|ab|ek|ai|du|ani|er|ing|ed|ent|ful|less|ous|ive|able|ly)\b)"
    rf"{_PART_OF_NAME}))(?=[.,!;\n]|$| and\b)|(?:i'?m|i am|i'll be) (?:an?|the|your) (?:[a-z-]+ ){{0,3}}?{_ROLE}"
    r"(?: [^.,!?\n]{1,40}?)?(?:,|,? and|,? while) (?:you're|you are|you be|you play|you'll be) (?:an?|the|my|our)"
    rf" (?:[a-z-]+ ){{0,3}}?{_ROLE}\b(?![^.!\n]*\?))",
)
"""A speaker plays somebody from here on: "Let's say I'm Eva Smith", "Pretend I'm a tenant and you're my landlord"."""

# What the assistant is asked to play, at the start of a sentence: "my kids pretend to be pirates" asks for nothing.
_ASKS = (
    r"(?:^|(?<=[.!?\n])|(?<=[,;])) ?(?:(?:ok|okay|now|so|please|pls|hey|hi|hello|right|let's start|and|then|first)"
    r"[,.!]? )*(?:(?:can|could|would|will) (?:you|u)(?: please| pls)? |(?:i want|i'd like|i need) you to )?"
)
_ACTS = (
    r"(?:pretend (?:to be|(?:that )?(?:you(?:['’]?re| are|r)|ur))|act(?:ing)? (?:as|like)"
    r"|play(?: the (?:role|part) of)?)"
)
# Who questions somebody; the user may still have matters of their own, unless these ask first.
_QUESTIONS = (
    r"(?:interviewer|examiner|lecturer|recruiter|(?:hiring )?manager|professor|employer|boss|journalist|reporter"
    r"|headhunter|investor|judge|cop|(?:police|border|customs|immigration|visa|loan) (?:officer|agent|guard))"
)
# Who is across the table of the user, and asks no help: "act as my coach" brings the user's own matters.
_ACROSS = (
    r"(?:cop|(?:police|border|customs|immigration|visa|loan) (?:officer|agent|guard)|police(?:man|woman)|shopkeeper"
    r"|shop assistant|salesman|seller|buyer|waiter|waitress|barista|bartender|receptionist|landlord|landlady|tenant"
    r"|client|customer|cashier|patient|passenger|caller|guest|witness|suspect|stranger|ticket inspector|bank clerk)"
)
_MADE_UP_PART = r"(?:visitor|travell?er|holidaymaker|homeowner|victim|user|member|fresher)"
_OTHER_PART = rf"(?:{_ROLE}|{_MADE_UP_PART})(?=[.,;!?\n]|$| (?:and|who|with|called|named|that|from|in|at|on)\b)"
_TOLD_OF_NOBODY = (
    r"(?:caller|customer|client|guest|passenger|witness|suspect|tourist|travell?er|candidate|applicant|tenant|patient"
    r"|buyer|visitor)"
)
_BE_YOU = r"(?:you(?:['’]?re|r| are| be| play|['’]ll be)|ur|u r|u are)"
_BE_I = r"(?:i['’]?m|i am|i['’]?ll be|i will be|i play)"
_SOME = r"(?:an?|the|my|our|some) (?:[a-z'’-]+ ){0,3}?"
_IS_CALLED = r"(?:called|named) (?-i:[A-ZÀ-Þ])"
PLAYS_A_PART = with_marks(
    "pretend|act|play|be |you|quiz|test|grill|examine|ur |u r |u are",
    # "Interview me? You're the hiring manager", "you're the recruiter and I'm Zoe, grill me"
    rf"(?:interview|quiz|grill|question) me\b[^\n]{{0,60}}?[.,;:!?-] ?(?:ok,? |and )?{_BE_YOU} (?:an?|the) "
    rf"(?:[a-z-]+ ){{0,2}}?{_QUESTIONS}\b(?!['’])(?![^\n]*\b(?:exam|my (?:real|actual))\b)"
    rf"|{_ASKS}{_BE_YOU} the (?:[a-z-]+ ){{0,2}}?{_QUESTIONS}\b(?!['’])[^\n]{{0,40}}?[.,;:!]? "
    rf"(?:(?:and|while|so) )?{_BE_I} (?-i:{_TITLE}[A-ZÀ-Þ])"
    # "You're the doctor and I'm the patient", "I'll be the tenant, you're the landlord": one does not tell both.
    rf"|{_ASKS}(?:{_BE_YOU}|be|play) (?!the judge\b)the (?:[a-z-]+ ){{0,2}}?{_ROLE}\b(?!['’])[^\n]{{0,40}}?[.,;:!]? "
    rf"(?:(?:and|while|so) )?{_BE_I} (?:the|your) (?:[a-z-]+ ){{0,2}}?{_OTHER_PART}"
    r"(?! (?:who|with|that|from|in|at|on)\b)"
    rf"|{_ASKS}(?:let me be|{_BE_I}) the (?:[a-z-]+ ){{0,2}}?{_OTHER_PART},?(?: and| so| while)? "
    rf"{_BE_YOU} (?:the|my) (?:[a-z-]+ ){{0,2}}?{_ROLE}(?=[.,;!?\n]|$)"
    # "Act as an interviewer and ask me things"
    rf"|{_ASKS}{_ACTS} {_SOME}{_QUESTIONS}\b(?!['’]s advocate|[- ]turned)[^.!\n]{{0,40}}?[,.!]? (?:and |then )?"
    r"(?:ask|interview|quiz|grill|question|test) me\b(?! (?:if|when|how|on|for|about my)\b)"
    r"(?![^\n]*\b(?:my|our) (?:[\w-]+ )?(?:exams?|finals|interview|tests?|viva|oral|assessment|hearing)\b)"
    # "Play a doctor and I'll be the patient", "you be the nurse, I'm the visitor"
    rf"|{_ASKS}(?:{_ACTS}|be|you(?:['’]ll be| be| play)) {_SOME}{_ROLE}\b[^\n]{{0,40}}?[.,;!]?"
    rf" (?:(?:and|while|so|then) )?(?:i['’]ll|i will|let me) (?:be|play|act as) (?:an?|the|your) (?!good |better )"
    rf"(?:[a-z-]+ ){{0,2}}?{_OTHER_PART}"
    # "You be the judge, I'm the nurse in charge" and "you be my therapist, I'm a parent" are of who one is.
    rf"|{_ASKS}you (?:be|play) (?!the judge\b)(?:an?|the) (?:[a-z'’-]+ ){{0,3}}?{_ROLE}\b(?! (?:to|for|with) (?:me|us))"
    rf"[^\n]{{0,40}}?[.,;!]? (?:(?:and|while|so) )?(?:i['’]?m|i am) (?:an?|the|your) (?:[a-z-]+ ){{0,2}}?{_OTHER_PART}"
    r"(?! (?:who|with|that|from|in|at|on)\b)"
    # "Test me. I'm a caller named Bo", "act as a border guard, I'm a tourist called Bo": nobody says so of themselves.
    rf"|{_ASKS}(?:{_ACTS} {_SOME}{_ACROSS}|(?:quiz|test|grill|examine) me)\b[^\n]{{0,60}}?"
    rf"\b(?:i['’]?m|i am|i['’]ll be|i play) (?:an?|the|your) (?:[\w'’-]+ ){{0,3}}?{_TOLD_OF_NOBODY} {_IS_CALLED}",
)
"""The assistant plays somebody across the table from here on, and the user another one."""


def name_alone(said: str, known: str | None = None) -> str | None:
    """Return the name that a message tells and nothing else: "I'm Tamsin.", "im priya btw"; None for any other.

    "It's Bernard here" tells none where the user has a known name: another may be at the keyboard.
    """
    if (alone := _ALONE.fullmatch(said)) is not None:
        return alone["name"]
    if (whole := _FULL_ALONE.fullmatch(said)) is not None:
        if whole["it"] and known:
            return None
        name = whole[whole.lastgroup or 0]
        return name if all(is_name(word) and word.lower() not in _NO_FULL_NAME for word in name.split()) else None
    small = _IN_SMALL.fullmatch(said)
    name = small[small.lastgroup or 0].lower() if small is not None else ""
    return name.capitalize() if name and is_name(name) and name not in NO_NAME else None


_LINES_OF_A_NAME = 8


def name_in_lines(said: str, typed: str, known: str | None) -> str | None:
    """Return the name that a message, written out or as it was typed, or one of its first lines tells alone."""
    lines = (said, typed, *said.split("\n")[:_LINES_OF_A_NAME])
    return next((name for line in lines if (name := name_alone(line, known)) is not None), None)


_FAMILY = (
    r"(?:brother|sister|son|daughter|wife|husband|partner|girlfriend|boyfriend|mate|friend|cousin|uncle|aunt|nephew"
    r"|niece|boss|neighbour|neighbor|flatmate|roommate|housemate|colleague)"
)
_LOWER_NAME = regex(
    rf"\b((?:my|our) (?:(?:best|big|little|older|younger|twin) )?{_FAMILY} )([a-z]{{3,12}})"
    r"(?='s |'s$| (?:is|has|was|lives|works|got|moved|had|says|said|wants|thinks|loves|hates|plays|turned|just"
    r"|and I|for (?:her|his)|likes|needs)\b)"
)
_ORDINARY_TEXT = """
    currently recently even group company team house car dog cat job doctor circle school wedding party birthday kids
    children husband wife fight program printer zone board jeans application app file code model shop meanwhile kinda
    sorta legit bless bed crate walker sitter park tree litter box toy toys bowl collar leash hair poo groomer trainer
    vet breed food
"""
_ORDINARY = (COMMON_WORDS["en"] | VAGUE_WORDS["en"]).difference(("april", "june", "august", "jan", "hope", "rich"))
_NOT_SMALL = FUNCTION_WORDS["en"] | _ORDINARY | frozenset(_ORDINARY_TEXT.split())
# "My dog bruno ate my socks", "hes my husband viliami"; and "mabli my girlfriend loves ferns".
_LOWER_PET = regex(
    r"\b((?:my|our) (?:dog|cat|puppy|kitten|rabbit|hamster) )([a-z]{3,12})"
    r"(?= (?:ate|eats|sleeps|barks|loves|hates|bit|chewed|jumped|keeps|scratched|scratches|won't eat|threw up"
    r"|ran away|is \d+|was sick|got sick|likes|needs a|snores|meows)\b)"
)
_LOWER_MINE = regex(
    rf"\b((?:he's|she's|he is|she is) (?:my|our) {_FAMILY} )([a-z]{{3,12}})(?=[.,!]|$| (?:he's|she's|he is|she is)\b)"
)
_LOWER_FIRST = regex(
    rf"(?:^|(?<=[.!?\n] )|(?<=\n))(?P<name>[a-z]{{3,12}}),? (?P<who>my {_FAMILY})"
    r"(?= (?:is|has|was|lives|works|got|had|says|said|wants|thinks|loves|hates|plays|likes|needs)\b)"
)


def _name_in_full(found: re.Match[str]) -> str:
    word = found[2]
    if word in _NOT_SMALL or word.endswith(("ly", "ing", "ed")):
        return found[0]
    return f"{found[1]}{word.capitalize()}"


def _named_after(found: re.Match[str]) -> str:
    word = found["name"]
    if word in _NOT_SMALL or not is_name(word) or word.endswith(("ly", "ing", "ed")):
        return found[0]
    return f"My{found['who'][2:]} {word.capitalize()}"


def names_in_full(text: str) -> str:
    """Return a text in which the names of people and pets beside "my wife", "my dog" have their capital."""
    if "my " not in text and "our " not in text:
        return text
    for pattern in (_LOWER_NAME, _LOWER_PET, _LOWER_MINE):
        text = pattern.sub(_name_in_full, text)
    return _LOWER_FIRST.sub(_named_after, text)


# "My new physio is Ana." "Seeing her on the 19th at 2."
_MEETS_THEM = regex(
    r"^(?P<begin>(?:(?:so|and|ok),? )*(?:i'm |we're )?(?:seeing|meeting|visiting)) (?:her|him|them)(?= )",
    re.IGNORECASE,
)
_IS_NAMED = regex(
    r"\b(?:[Mm]y|[Oo]ur|[Tt]he) (?:[\w-]+ ){1,3}?(?:is|'s|called|now)(?: now| called)? (?P<name>[A-ZÀ-Þ][\w-]+)"
    r"(?=[.,!]|$| now)"
)


def name_met(sentence: str, said: Sequence[str]) -> str:
    """Return a sentence on whom the speaker sees, with the one name that was told just before in the place of "her"."""
    met = _MEETS_THEM.match(sentence)
    names = {found["name"] for text in said for found in _IS_NAMED.finditer(text)} if met is not None else set[str]()
    return sentence if met is None or len(names) != 1 else f"{met['begin']} {names.pop()}{sentence[met.end() :]}"


# "Because you can walk everywhere", "on the old street you stepped out", "there you go": anybody, or somebody else.
_BODILY = (
    r"(?:walk|sit|stand|sleep|swim|drive|park|cycle|climb|queue|eat|drink|wear|breathe|smell|taste|live|die|grow|cross"
    r"|ride|fly|sail|hike|ski|retire|marry|earn|rent|pay|commute|get (?:older|old|wet|cold|used|to know|lost|a lot|an?"
    r"|more|less|on|off|in|out)|hear (?!me\b)|feel (?!free)|see the (?:sea|hills?|lake|mountains?|city|river|stars))"
)
_ANYBODY = regex(
    r"you (?:(?:can|could|may|might) (?:call it|say|imagine)\b|ask(?: me)?(?=$|[.,;!?])|live and learn"
    r"|(?:never|don't|can't) (?:know|win)\b|(?:stepped|walked|stood|sat|drove|climbed|queued)\b"
    r"|(?:need|want) (?:an? )?(?:permit|car|licen[cs]e|coat|visa|ticket)\b"
    rf"|(?:(?:can|could|can't|don't|have to|need to|just|only|even|always|get to|hardly|barely|still) )*{_BODILY}\b)",
    re.IGNORECASE,
)
_BEFORE_ANYBODY = regex(
    r"\b(?:(?:was|were|is|are|'s|'re|am|'m) like (?:(?:(?!\bi\b)[^.;!?])* )?|(?:tells|gives|makes|shows) "
    r"|(?:that|which|who|it)(?:'d|'ll| would| will| could| can)? (?:make|drive|cut|knock|blow|break|scare|melt)s? "
    r"|there |the (?:more|less|older|longer|higher|further|later) )$",
    re.IGNORECASE,
)


def names_nobody(before: str, you: str) -> bool:
    """Return whether "you", with what stands behind it, is anybody: what it does, no assistant does."""
    return _ANYBODY.match(you) is not None or _BEFORE_ANYBODY.search(before) is not None
