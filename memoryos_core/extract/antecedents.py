"""Resolve what only the words before tell: an answer, the "she" that begins a message, the place somebody writes from.

"My sister moved." and then "she's in Leeds now": alone the second tells nothing of anybody. Neither does "Porto", which
answers where somebody lives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain, pairwise

from memoryos_core.extract.asking import words_of_half
from memoryos_core.extract.findings import Persona, names_of
from memoryos_core.extract.statement_kinds import is_request
from memoryos_core.extract.statement_subjects import FAMILY, PETS, is_of_person
from memoryos_core.extract.statement_worth import DAY_NAMED, MEETINGS
from memoryos_core.extract.third_person import has_verb
from memoryos_core.rules.knowledge.answered_questions import with_statement
from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.restrictions import results_in
from memoryos_core.rules.text.names import name_met
from memoryos_core.rules.text.short_answers import in_first_person, last_question
from memoryos_core.rules.text.words import regex, with_marks
from memoryos_core.values.dialogue import Half, Page

__all__ = [
    "name_what_began",
    "said_just_before",
    "with_antecedent",
    "with_arrival",
    "with_occasions",
    "with_short_answers",
    "without_asides",
]

_JUST = timedelta(hours=1)
_LONGEST = 300  # characters of a message that may name whom the next one is about
_SHE_TEXT = """sister mum mom mother daughter wife girlfriend aunt auntie niece gran grandma nan grandmother
    granddaughter stepmum stepdaughter sister-in-law mother-in-law daughter-in-law goddaughter fiancée landlady"""
_HE_TEXT = """brother dad father son husband boyfriend uncle nephew grandpa grandad grandfather grandson stepdad stepson
    brother-in-law father-in-law son-in-law godson fiancé landlord"""
_EITHER_TEXT = "partner friend cousin boss neighbour neighbor colleague flatmate roommate housemate baby dog cat puppy"
_SHE, _HE, _EITHER = (frozenset(text.split()) for text in (_SHE_TEXT, _HE_TEXT, _EITHER_TEXT))
_KIN = "|".join(sorted(chain(_SHE, _HE, _EITHER), key=lambda kin: (-len(kin), kin)))
_WHO = regex(
    rf"\b(?P<whose>my|our|his|her|their|the|[\w-]+'s) (?:(?:older|younger|big|little|eldest|youngest|best|new|twin) )*"
    rf"(?P<kin>{_KIN})(?P<several>s)?\b(?!['’]s\b)(?:(?:,| is| is called| called| named)?"
    r" (?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ-]{1,14})))?",
    re.IGNORECASE,
)
_ALL_KIN = regex(rf"\b(?:{_KIN}|parents?|kids?|children|twins|she|he|her|him|his)(?:s|'s)?\b", re.IGNORECASE)
_NAME = regex(
    r"(?<=[a-z,] )(?!(?:I|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August"
    r"|September|October|November|December|Christmas|Easter)\b)[A-ZÀ-Þ][a-zà-ÿ]+"
    r"|^(?!(?:My|Our|The|It|This|That)\b)[A-ZÀ-Þ][a-zà-ÿ]+(?= (?:said|says|told|thinks|is|was"
    r"|has|and|met|saw|knows|rang|called|texted)\b|'s\b)"
)
# Who else a message may be about: "the new manager", "a guy", "her ex", "who".
_SOMEBODY = (
    r"(?:who|whom|whose|some(?:one|body)|everyone|everybody|nobody|people|persons?|guys?|m[ae]n|wom[ae]n|lad(?:y|ies|s)?"
    r"|blokes?|lass(?:es)?|girls?|boys?|chaps?|dudes?|toddlers?|adults?|nuns?|priests?|monks?|nurses?|cops?|chefs?"
    r"|cooks?|coach(?:es)?|vets?|pas?|gps?|docs?|ex|exes|mates?|pals?|buddy|bestie|crush|fling|thie(?:f|ves)|crooks?"
    r"|kings?|queens?|prince(?:ss)?|hosts?|guests?|judges?|guards?|pilots?|clerks?|bride|groom|widow|medics?|surgeons?"
    r"|physicians?|celebs?|stars?|couples?|strangers?|twins|children|parents?|family|in-laws|relatives?|(?:step)?kids?"
    r"|rivals?|fianc[eé]e?|employees?|trainees?|refugees?|attendees?|kittens?|rabbits?|hamsters?|horses?|pony|parrots?"
    r"|bab(?:y|ies)|pupp(?:y|ies)|(?:assist|account|consult|ten|attend|serge|serv)ants?"
    r"|(?:stud|ag|cli|pati|presid|resid)ents?|bod(?:y|ies) else)"
)
# A doer behind "a" or "the" has an ending; the words that only look so are everyday ones.
_DOER = (
    r"(?!(?:[a-z]*number|offer|order|letter|computer|dinner|supper|paper|summer|winter|water|weather|corner|river|tower"
    r"|[a-z]*other|over|after|ever|never|later|earlier|older|younger|bigger|better|fever|cancer|career|shower|flower"
    r"|shoulder|finger|ladder|cooker|boiler|scooter|charger|printer|counter|floor|door|motor|colour|tumour|error|mirror"
    r"|minor|major|for|her|their|under|per|together|semester|quarter|centre|center)s?\b)"
    r"(?:[a-z]{2,}(?:er|or)s?|[a-z]{3,}(?:ist|ian)s?|[a-z]{2,}(?:man|woman|men|women|ress|mates?))"
)
_A = r"(?:an?|the|this|that|these|those|another|some|any|one of|two|three|his|her|their|my|our|new|old)"
_OTHER = regex(
    rf"\b(?:{_SOMEBODY}|{_A} (?:[\w-]+ ){{0,2}}?(?:{_DOER}|(?:{_KIN})s?))(?![\w'’-])|\b(?:{_KIN})s\b", re.IGNORECASE
)
# "My sister is a vet" has one person in it.
_IS_ONE = regex(
    rf"(?:\b(?:is|was|became|become|as)|['’]s) (?:now )?an? (?:[\w-]+ ){{0,2}}?(?:{_SOMEBODY}|{_DOER})(?![\w'’-])",
    re.IGNORECASE,
)
_SHE_SAID, _HE_SAID = regex(r"\b(?:she|hers?)\b", re.IGNORECASE), regex(r"\b(?:he|him|his)\b", re.IGNORECASE)
_SUBJECT = regex(
    r"(?P<lead>(?:(?:and|so|well|oh|yeah|but|now|also|btw|anyway),? )*)(?P<who>she|he)(?P<verb>'s|’s| (?:is|was|has"
    r"|had|just"
    r"|got|lives|works|moved|turned|started|left|quit|takes|likes|loves|hates|broke|died|retired|studies|plays"
    r"|drives)\b)",
    re.IGNORECASE,
)
# "She's moved" has; "he's called Gary", "she's retired" and "he's scared" are.
_HAS = regex(
    r" (?:just |finally |already |now )*(?:(?:moved|got|been|had|left|gone|become|quit|bought|started|stopped|passed"
    r"|finished|applied|joined)\b|(?!called|named)[a-z]+ed (?:an?|the|my|his|her|their|our|some|all|it|us|me)\b)",
    re.IGNORECASE,
)
# Not a child who is put to bed: "to sleep at six".
_PUT_DOWN = regex(
    r"(?:(?:so|and|well),? )*(?:we|the vets?|they) had to (?:put (?:him|her|it) (?:down|to sleep)"
    r"|have (?:him|her|it) put (?:down|to sleep))(?=[.,!]|$| (?:last|yesterday|on \w+day|today|in the end|sadly)\b)",
    re.IGNORECASE,
)
# One who is ill, and nobody beside.
_ANIMAL_NAMED = regex(
    r"(?P<name>(?!(?:The|My|Our|It|He|She|We|They|I)\b)[A-ZÀ-Þ][a-zà-ÿ]{1,14})(?:'s| is| was| has| had)\b"
    r"(?=.*\b(?i:ill|sick|poorly|suffering|in pain|dying|cancer|tumou?r|vet|vet's|kidneys?|lame|failing|blind|broke)\b)"
    r"(?!.*[a-z,] (?!I\b)[A-ZÀ-Þ])(?!.*\b(?i:my|our|his|her|their|the|an?|\w+'s) (?:\w+ )?(?i:dog|cat|horse|pony|rabbit"
    r"|hamster|bird|puppy|kitten|friend)\b)"
)


def with_short_answers(persona: Persona) -> Persona:
    """Return pages of which short answers are written out: "Porto", asked where one lives, is "I live in Porto."."""
    is_person = is_of_person(names_of(persona).get("assistant", ""))
    out: list[Page] = []
    for page in (*persona.before, *persona.pages):
        last = out[-1] if out and _is_next(out[-1], page) else None
        answered = page if last is None else _write_out(page, "user", _last_said(last, "assistant"), last)
        if is_person:
            answered = _write_out(answered, "assistant", _last_said(answered, "user"), last)
        out.append(answered)
    first = len(persona.before)
    return replace(persona, before=tuple(out[:first]), pages=tuple(out[first:]))


def _is_next(one: Page, other: Page) -> bool:
    """Return whether a page follows another one in its session, within the hour."""
    return one.session_id == other.session_id and timedelta() <= other.timestamp - one.timestamp <= _JUST


def _last_said(page: Page, half: Half) -> str:
    return next((m.text for m in reversed(page.messages) if m.role == half), "")


def _write_out(page: Page, half: Half, asked: str, last: Page | None) -> Page:
    """Return the page with the answer of one side written out, where it begins with one."""
    question = last_question(asked)
    at = next((number for number, m in enumerate(page.messages) if m.role == half), None)
    if question is None or at is None:
        return page
    before = "" if last is None else words_of_half(last, half)[:_LONGEST]
    text = with_statement(question, page.messages[at].text, before)
    written = replace(page.messages[at], text=text)
    return replace(page, messages=(*page.messages[:at], written, *page.messages[at + 1 :]))


def said_just_before(persona: Persona) -> dict[str, tuple[str, ...]]:
    """Return what may name whom each page is about: what the user said right before it, and was asked then.

    Within the hour of one session; both in the words of the user.
    """
    pages = (*persona.before, *persona.pages)
    out: dict[str, tuple[str, ...]] = {page.id: () for page in pages}
    for one, other in pairwise(pages):
        if _is_next(one, other):
            asked = in_first_person(last_question(_last_said(one, "assistant")) or "")
            out[other.id] = words_of_half(one, "user"), asked[:1].lower() + asked[1:]  # "How" is nobody's name
    return out


def with_antecedent(sentences: Sequence[str], before: Sequence[str]) -> Iterator[str]:
    """Return the sentences of a message, the first one with the person of the words before in the place of "she"."""
    for number, sentence in enumerate(sentences):
        said = [text for text in before if number == 0 and 0 < len(text) <= _LONGEST]
        sentence = name_met(sentence, said)
        yield next((told for text in said if (told := _resolve(sentence, text)) != sentence), sentence)
        yield from next((results for text in said if (results := tuple(results_in(text, sentence)))), ())


def _resolve(sentence: str, before: str) -> str:
    if sentence.endswith("?"):
        return sentence
    if down := _PUT_DOWN.match(sentence):
        pet = _ANIMAL_NAMED.match(before)
        return sentence if pet is None else f"{pet['name']} had to be put to sleep{sentence[down.end() :]}"
    found = _SUBJECT.match(sentence)
    who = _one_person(before) if found is not None else None
    if found is None or who is None or not _agrees(found["who"].lower(), who[0], before):
        return sentence
    rest, verb = sentence[found.end() :], found["verb"]
    if verb in ("'s", "’s"):
        verb = " has" if _HAS.match(rest) else " is"
    return f"My {who[1]}{verb}{rest}"


def _one_person(before: str) -> tuple[str, str] | None:
    """Return the relation and the words of the one person of the speaker's whom a message names; None for several."""
    found = list(_WHO.finditer(before))
    if len(found) != 1 or found[0]["several"] or found[0]["whose"].lower() not in ("my", "our"):
        return None
    who = found[0]
    rest = f"{before[: who.start()]} {before[who.end() :]}"
    if _ALL_KIN.search(before[: who.start()]) or _OTHER.search(_IS_ONE.sub("", rest)) or _names_people(rest):
        return None
    named = f" {who['name']}" if who["name"] else ""
    return who["kin"].lower(), f"{who['kin'].lower()}{named}"


def _names_people(said: str) -> bool:
    """Return whether a text names somebody else, and not only a place behind "in" or "to"."""
    return any(not _PLACE.search(said[: name.start()]) for name in _NAME.finditer(said))


# "Moved to Leeds", not "heard from Ana"; "a fan of Taylor" names a person.
_PLACE = regex(
    r"(?:\b(?:in|near)|\b(?:at|for) the|\b(?:works?|worked|working|job|shift|is|was|stud(?:ies|ying)|teach(?:es|ing)"
    r"|start(?:s|ed|ing)?) (?:at|for)|\b(?:mov(?:e|es|ed|ing)|goes|going|gone|went|fl(?:ew|ies|ying)|back|been|off"
    r"|travel\w*|drove|driving|trip|visit|rang|is|comes?|came|coming|returned|home|flight|train|bus) (?:to|from))"
    r" (?:the )?(?:[A-ZÀ-Þ]\w* )?$"
)


def _agrees(pronoun: str, kin: str, before: str) -> bool:
    """Return whether a pronoun may mean this kin; the pronouns of the message before may have told already."""
    if kin in _EITHER:
        return (_HE_SAID if pronoun == "she" else _SHE_SAID).search(before) is None
    return kin in (_SHE if pronoun == "she" else _HE)


# "Could you write a card for my mum's birthday? It's on the 2nd of July."
_FOR_OCCASION = regex(
    r"\bfor (?P<whose>my|our) (?P<what>(?:[\w'\u2019-]+ ){0,2}?(?:birthday|anniversary|christening|graduation|trip"
    rf"|holiday|presentation|{MEETINGS}))[?.!]+$",
    re.IGNORECASE,
)
_IS_THEN = regex(
    rf"(?:it's|it is|that's|they're) (?P<when>[^,;]{{0,12}}?{DAY_NAMED.pattern}(?!['\u2019]s| that\b)[^,;?]{{0,40}})",
    re.IGNORECASE,
)


def with_occasions(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences, with what a request is for in the place of "it" where the next one tells its day."""
    occasion: re.Match[str] | None = None
    for sentence in sentences:
        then = _IS_THEN.fullmatch(sentence) if occasion is not None else None
        if occasion is not None and then is not None:
            yield f"{occasion['whose'].capitalize()} {occasion['what']} is {then['when']}"
        else:
            yield sentence
        asks = sentence.endswith("?") or is_request(sentence, to_machine=True)
        occasion = _FOR_OCCASION.search(sentence) if asks else None


# "Sjur, I should mention, has gone to Bergen."
_ASIDES = with_marks(
    " mention| say| add|you may know|if i may|to return",
    r"(?<=\w), (?:i (?:should|must|ought to|might|may) (?:just )?(?:mention|say|add)|as you may know|if i may"
    r"|to return to [a-z' ]{3,30}),(?= (?:has|have|is|are|was|had|will|lives|works|can|who)\b)",
)
_FIRM = (
    r"(?:bakery|shop|caf[eé]|restaurant|bar|pub|salon|business|company|firm|studio|app|farm|gallery|podcast|blog"
    r"|newsletter|band|boat|practice|gym|hotel|charity|club)"
)
_FIRMS = regex(rf"\b{_FIRM}\b", re.IGNORECASE)
# "We're opening a bakery. It's called Labe."
_BEGINS_ONE = regex(
    r"\b(?P<who>i|we)(?:'m|'re|'ve| am| are| have)? (?:now |just |also |finally )?(?:open(?:ed|ing)?|start(?:ed|ing)?"
    r"|set up|run|own|launch(?:ed|ing)?|build(?:ing)?|built|bought|founded) (?:an?|my own|our own) (?:[\w-]+ ){0,2}?"
    rf"(?P<what>{_FIRM})(?=[.,;!]|$| (?:in|on|at|near|by|for|with|from|about|to|selling|and|last|this|where|here|now"
    r"|together|back|of|as|because|so|today|yesterday)\b)",
    re.IGNORECASE,
)
_MADE_UP = regex(r"\b(?:game|sims|minecraft|lego|monopoly|novel|story|film|play)\b", re.IGNORECASE)
_ITS_NAME = regex(
    r"(?i:it's called|it is called|its name is|it's named|we call it|i call it|the name(?:'s| is))"
    r" (?P<name>[A-ZÀ-Þ][\w'&-]*(?: [A-ZÀ-Þ&][\w'&-]*){0,3})(?=[.,!]|$)"
)


# "She's at a new school. The name is Acorns."
_NEW_ONE = regex(
    r"\bnew (?P<what>school|nursery|kindergarten|preschool|college|university|uni|vet|vets|dentist|surgery|practice|gym"
    r"|church|choir|club|team|band|restaurant|caf[eé]|bakery|pub|hospital|clinic|company|firm|employer|landlord|boss"
    r"|teacher|doctor|hairdresser|neighbou?r|colleague)\b",
    re.IGNORECASE,
)
# Not "I read about a new hospital".
_IS_THEIRS = regex(
    r"\b(?:my|our|his|her|their|(?:at|to|with|for|into|joined|joins?|has|have|got|found|chose|started|there['’]?s"
    r"|there is|is)(?: an?| the)?) new\b",
    re.IGNORECASE,
)


# "Did I tell you I can't have gluten any more?": it is told with the question.
_DID_I_TELL = with_marks(
    "tell you|told you|mention",
    r"(?:(?:and|oh|so|hey|wait),? )*(?:did i|have i)(?: ever| already| not| even)? (?:tell you|told you"
    r"|mention(?:ed)?(?: to you)?)(?: already)?(?: that)? (?P<told>(?:i|we|my|our)(?:'\w+)?"
    r" (?![^?]*(?: or | if so\b| because i (?:don't|do not|didn't|never)\b))[^?]{4,}?)"
    r"(?: (?:already|before|yet))?\?",
)


_TAKEN_BACK = regex(
    r"(?:no,? )?(?:because )?i (?:don't think so|(?:don't|didn't|never did|haven't)(?=[.!,]|$))", re.IGNORECASE
)
# "My boss's name" has no verb; "my dog's ill" has one.
_NAMES_THING = regex(
    r"['\u2019]s\b(?! (?:ill|sick|dead|pregnant|back|off|out|not|been|got|called|an?|the|in|at|on|\w+ing|\w+ed)\b)"
)


def without_asides(sentences: Iterable[str]) -> Iterator[str]:
    """Return sentences without what is only said of telling them: that somebody should mention it, or whether."""
    for sentence, following in pairwise(chain(sentences, ("",))):
        told = _DID_I_TELL.fullmatch(sentence)
        if told is not None and _is_clause(told["told"]) and not _TAKEN_BACK.match(following):
            yield f"{told['told'][:1].upper()}{told['told'][1:]}."
        else:
            yield _ASIDES.sub("", sentence)


def _is_clause(told: str) -> bool:
    """Return whether what somebody may have told has a verb behind its subject, unlike "my shoe size"."""
    whose, what, *behind = _NAMES_THING.sub("", f"{told} ").split(" ", 2)
    return whose.lower() not in ("my", "our") or "'" in what.replace("\u2019", "'") or has_verb(" ".join(behind))


def name_what_began(before: str, sentence: str) -> str | None:
    """Return what "it's called Labe" names: the one shop, school or the like that the sentence before tells of."""
    named = _ITS_NAME.match(sentence)
    begun = _BEGINS_ONE.search(before) if named is not None and len(_FIRMS.findall(before)) == 1 else None
    if named is None or _MADE_UP.search(before):
        return None
    if begun is None:
        new = _NEW_ONE.findall(before) if _IS_THEIRS.search(before) else []
        return f"{_whose(before)} new {new[0].lower()} is called {named['name']}." if len(new) == 1 else None
    whose = "My" if begun["who"].lower() == "i" else "Our"
    return f"{whose} {begun['what'].lower()} is called {named['name']}."


_ITS_OWNER = regex(
    rf"(?:(?:[Aa]nd|[Ss]o|[Aa]lso|[Bb]ut|[Nn]ow),? )*(?:(?P<me>I|[Ww]e)\b"
    rf"|(?P<who>[Mm]y (?:{_KIN})(?: [A-ZÀ-Þ][a-zà-ÿ-]{{1,14}})?"
    r"|(?!(?:The|This|That|There|It|They|He|She|You|My|Our|A|An|New)\b)[A-ZÀ-Þ][a-zà-ÿ-]{1,14})"
    r"(?:'s|’s)? (?:is|has|got|goes|went|must|will|starts|started|moved|found|joined|at|in)\b)"
)


def _whose(said: str) -> str:
    """Return whose a thing is that a sentence tells of, by its subject: "My", "My daughter Lotte's", or "The"."""
    found = _ITS_OWNER.match(said)
    if found is None:
        return "The"
    who = found["who"] or ""
    return f"{who[:1].upper()}{who[1:]}'s" if who else "My" if found["me"] == "I" else "Our"


_FROM = r"(?i:hello|hi|greetings) from ([A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"
_ARRIVED = regex(rf"{_FROM}[.!]*")
_ARRIVED_AND_MOVED = regex(rf"{_FROM},\s+(?=(?i:(?:(?:i|we) )?(?:just )?moved in\b))")
_MOVED_THERE = regex(
    r"(?:(?:i|we) )?(?:just )?moved in(?=[.,;!]|$| (?:last|this|over|yesterday|today|at|early|earlier|two|three|a|just"
    r"|together|with|finally|already|now|and|before|after|on (?:the|\d|\w+day)|in [a-z]+ary|in (?-i:[A-Z]))\b)",
    re.IGNORECASE,
)


def with_arrival(read: Iterable[str]) -> Iterator[str]:
    """Return the sentences; "Hello from Leith! Moved in on Saturday." tells in two of them where somebody lives."""
    place: str | None = None
    for said in read:
        sentence = said
        if (here := _ARRIVED_AND_MOVED.match(said)) is not None:
            place, sentence = here[1], said[here.end() :]
        moved = _MOVED_THERE.match(sentence)
        yield f"I moved to {place}{sentence[moved.end() :]}" if place and moved else sentence
        arrived = _ARRIVED.fullmatch(sentence)
        place = arrived[1] if arrived else None


_COMPANION = regex(
    rf"\b(?:live|living|moved|settled)\b[^.;?]*?\bwith my (?P<who>(?:{FAMILY}|{PETS}))"
    r"(?:,| called| named)? (?-i:(?P<name>[A-ZÀ-Þ][\w'-]+)\b)",
    re.IGNORECASE,
)
_PETS = regex(
    rf"\b(?:my|our) (?:two|three|four|\d) (?P<kind>{ANIMAL})(?:,| called| named)? (?-i:(?P<names>[A-ZÀ-Þ][\w'-]+"
    r"(?:, [A-ZÀ-Þ][\w'-]+)*,? (?:and|&) [A-ZÀ-Þ][\w'-]+))",
    re.IGNORECASE,
)
_LONGEST_HOME = 400  # characters


def companions_in(clause: str) -> Iterator[str]:
    """Yield who shares a home, as clauses: "I live here with my cat Moth", "our two guinea pigs, Pixel and Byte"."""
    if pets := _PETS.search(clause[:_LONGEST_HOME]):
        for name in re.split(r",? (?:and|&) |, ", pets["names"]):
            yield f"I have a {pets['kind'].lower().removesuffix('s')} called {name}"
    found = _COMPANION.search(clause[:_LONGEST_HOME])
    if found is not None and not found["who"].lower().endswith(("s", "children")):  # several persons, several names
        yield f"I have a {found['who'].lower()} called {found['name']}"
