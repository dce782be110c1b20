"""Standing instructions: what a user asked for in all answers to come, or in a case that the instruction names.

A later one about the same aspect (language, length, emojis, …) replaces an earlier one. A wish in the words of its
speaker is one, too: what takes it back names it by a word of it, and a wish for the other side of it replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.function_words import COMMON_WORDS, FUNCTION_WORDS
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.facts import Fact

_ALWAYS = regex(
    r"\b(?:always|never|(?:from now|later) on|whenever|(?:every|each) time|in (?:the )?future|call (?:me|them)"
    r"|immer|nie|niemals|ab jetzt|toujours|jamais|désormais|siempre|nunca|sempre)\b|总是|永远|いつも|決して",
    re.IGNORECASE,
)
_MANNER = regex(
    r"\b(?:answers?|reply|replies|respond|responses?|speak|talk|address|keep|use"
    r"|to (?:be|stop|skip|avoid|leave out|give|correct|sign off|get|cut|spare|cut out|no longer|do without|put|add"
    r"|include|show|tell|list|ease|go|start|begin|end|finish|open|close))\b",
    re.IGNORECASE,
)
_WORDS_OF_A_MANNER = 20
_QUOTED = regex(r".{1,60} said: \"(?P<said>.+)", re.DOTALL)
_ENGLISH = regex(r"\b(?:the|you|your|when|please|to|don't|answers?|this|that|my|for|with)\b", re.IGNORECASE)
_INSTRUCTION = regex(
    r"^(?:(?:The user|[A-Z]\w+(?: (?-i:[A-Z])\w+)?)(?: said)?:? ?[\"“]?)?(?:please,? )?"
    r"(?:from now on,? |in (?:the )?future,? )?"
    r"(?:always|never|don't|do not|make sure|be sure|remember to|use|avoid|answer|reply|respond|call me|address me)\b"
    r"|\b(?:wants|asked|asks|prefers|would like|expects|told) (?:you|the assistant|answers|replies|responses)\b"
    r"|\b(?:wants|asked|asks|would like)\b.{0,40}\b(?:always|never|whenever|every time)\b",
    re.IGNORECASE,
)
# What every prompt is of is no case: "when they write", "if the assistant gives them options".
_CASE_OF = (
    r"\b(?:(?:when|whenever|if) (?!(?:they|i) (?:(?:write|type|speak)(?: to (?:the assistant|you)"
    r"|(?: something| it)? (?:wrong|wrongly|badly|incorrectly))?|make (?:an? |any )?(?:mistakes?|errors?))[.!]"
    r"|you (?:answer|reply|respond|write|talk|speak|explain)\b"
    r"|(?:you|the assistant) gives? (?:me|them) (?:options|choices|suggestions|ideas|answers|advice)\b)"
)
_WHEN = regex(rf"{_CASE_OF})(?P<case>[^.;]{{3,}})", re.IGNORECASE)
_CONDITION = regex(rf"{_CASE_OF}|(?:about|for|(?<!now )(?<!later )on)\s+)(?P<case>[^.;]{{3,}})", re.IGNORECASE)
# "Stop suggesting bars for meetings": what it is for is what is forbidden, not a case.
_FORBIDS = regex(r"\bto (?:never|stop|quit|no longer|do without) ", re.IGNORECASE)


_OF_ONE = regex(
    r"^(?!.*\b(?:always|never|ever|from now on|every|each|whenever|any(?:thing)?)\b)(?:.*\b(?:for|in|on|to|with)"
    r" (?:this|that|these|those) (?!chat|conversation|app|thread|channel|way|kind|sort|style|tone|case|house|country"
    r"|office|phone|tablet|screen|thing)[a-z])|^(?!.*\b(?:ever|any(?:thing)?)\b)"
    r".* (?:in|on|with|from) (?:this|that|these|those|it)(?:[.!]*$|,)",
    re.IGNORECASE,
)
_OF_A_TEXT = regex(
    r"^(?!.*\b(?:every|each|any|all|whenever|when|from now on)\b)"
    r".*\b(?:in|on|for) (?:this|that|the|my|his|her|our) (?:[\w-]+ )?(?:e-?mail|letter|story|toast|speech|essay|report"
    r"|invitation|poem|card|cv|resume|draft|post|caption|slides?|presentation|blog|chapter|song|eulogy|article|note|ad"
    r"|listing|flyer|poster|obituary|quiz)\b",
    re.IGNORECASE,
)
# "Don't mention the speech": one matter of which somebody jokes; and an order without its matter.
_OF_ONE_MATTER = regex(
    r"\w+ please[.!]*|(?:drop|delete) (?:all|the) (?:tables?|rows?|columns?)\b.*"
    r"|(?:talk|speak) (?:to me )?like an? (?!friend|person|human|mate|adult|child|kid|normal)\w+[.!]*|"
    r"(?:(?:please|and|but|so|just),? )*(?:don't|do not|never) mention (?:it|(?:the|that|this) [\w-]+)[.!]*"
    r"|(?:(?:please|and|but|so|just|also|ok|okay),? )*(?:from now on|in (?:the )?future)\W*",
    re.IGNORECASE,
)
# A warning that holds for everybody: "never put foil in the oven", "never give chocolate to a dog".
_OF_ANSWERS = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages?|texts?|sentences?|paragraphs?|titles?|headings?|headers?|footers?"
    r"|subjects?|lists?|tables?|columns?|cells?|code|files?|comments?|functions?|e-?mails?|letters?|drafts?|notes?"
    r"|documents?|reports?|summar(?:y|ies)|recipes?|menus?|plans?|calendar|schedule|brackets|quotes|bold|italics|caps"
    r"|format|start|beginning|end|top|bottom|front|middle|line|chat|prompts?|first|last)"
)
_OF_US = r"(?:my|me|our|us|your?|i)"
_OF_THINGS = (
    rf"(?:never|don't ever|do not ever) (?:(?:put|leave|store|keep|use|add) (?!.*\b(?:{_OF_US}|{_OF_ANSWERS})\b)"
    r"[^.?!]{2,60} (?:in|into|inside|on|onto|under|near|next to|down|over) (?:an?|the) "
    rf"|give (?!.*\b{_OF_US}\b)[^.?!]{{2,60}} to )"
)
# What everybody says, and what no assistant does: "Never give up, my nan used to say", "never tell a soul".
_MAXIM = regex(
    r"^(?:always|never)\b.*(?:, (?:as )?(?:that(?:'s| is| was) (?:what|my|his|her|our|the)\b|says? |said "
    r"|(?:i|they|he|she|(?:my|the|our) [\w-]+|(?-i:[A-Z])[a-z]+) (?:(?:always|often) )?"
    r"(?:used to say|says?|said|told|tells)\b))"
    rf"|{_OF_THINGS}"
    r"|.*, (?:they|he|she) (?:said|says)[.!]*$"
    r"|^(?:always |never |don't ever |you (?:should|must) (?:always|never) )"
    r"(?:give up\b|let (?:me|us) .* again[.!]*$|(?:tell|ask) (?:a soul|anyone|anybody|him|her|them"
    r"|an? [\w-]+ (?:his|her|their))\b)",
    re.IGNORECASE,
)
_LONGEST_ORDER = 240  # characters


def is_of_one(order: str) -> bool:
    """Return whether an order is for one thing at hand, or for nobody: "use British spelling for this letter"."""
    order = order[:_LONGEST_ORDER]
    return _OF_ONE_MATTER.fullmatch(order) is not None or any(
        pattern.match(order) is not None for pattern in (_OF_ONE, _OF_A_TEXT, _MAXIM)
    )


# A permission that only takes back an earlier wish asks for nothing of its own.
_TAKES_BACK = regex(r"\bwants? [^.;]{3,60} to feel free to [^.;]{3,80}? again[.!]*$", re.IGNORECASE)


def is_standing(fact: Fact) -> bool:
    """Return whether a fact is an instruction for all answers to come, and not for the one task at hand."""
    if fact.kind != "instruction":
        return fact.origin != "rules" and bool(_INSTRUCTION.search(fact.text[:400]))
    if _TAKES_BACK.search(fact.text):
        return False
    is_short, quoted = fact.text.count(" ") < _WORDS_OF_A_MANNER, _QUOTED.match(fact.text)
    is_quoted = is_asked_for_all(fact.text) or (quoted is not None and not _ENGLISH.search(quoted["said"]))
    # In other languages only a manner of answering is read as an instruction.
    return bool(_ALWAYS.search(fact.text)) or (is_short and bool(_MANNER.search(fact.text))) or is_quoted


def concern(instruction: str, asked: frozenset[str], weigh: Callable[[str], float]) -> float:
    """Return how much an instruction is for this question: 1 for any, else as much as the case that it names is asked.

    The most telling word counts: of "when I ask about API errors" the word of a whole project tells little.
    """
    said = words_of_wish(instruction) if is_asked_for_all(instruction) else instruction
    found = (_WHEN if said != instruction or _FORBIDS.search(said) else _CONDITION).search(said)
    case = frozenset(terms(found["case"])) - _OF_A_CASE if found is not None else frozenset[str]()
    if not case or (case & asked and _MAY_HARM.search(instruction)):
        return 1.0
    return max(map(weigh, case & asked), default=0.0) / max(map(weigh, case))


_MAY_HARM = regex(r"\b(?:never|not|avoid|allerg\w*|without)\b|n['\u2019]t\b", re.IGNORECASE)
_OF_A_CASE = frozenset(terms("ask asks asked question questions about talk topic issue problem help something"))
_OF_A_WISH = regex(r"\b(?:needs?|wants?|likes?|minds?|hates?|prefers?|cares? for)\b", re.IGNORECASE)


def may_end_wish(fact: Fact) -> bool:
    """Return whether a fact may end a standing wish: one of what somebody wants or is, and not of what happens."""
    is_wish = fact.kind in {"instruction", "identity", "preference"} or is_taken_back(fact.text)
    return is_wish or _OF_A_WISH.search(fact.text) is not None


# ------------------------------------------------------------------------------------------------ wishes
CODES = (
    r"(?:R|Python|Julia|JavaScript|Java|TypeScript|Rust|Go|Kotlin|Swift|Ruby|PHP|SQL|M(?:ATLAB|atlab)|Scala|Perl|Bash"
    r"|Stata|SAS|Haskell|C(?:\+\+|#)?)"
)


_ASKED_FOR, _TAKEN_BACK = ' asks for all answers: "', ' takes back for all answers: "'
_TOLD_AS_WISH = regex(r"\bwants the assistant to \w|\basks for all answers: \"")
_OF_A_NAME = regex(r"\b(?:call|address)(?:s|ed|ing)? (?:me|them)\b(?! (?:later|back|when|if|crazy)\b)|\bcalled\b", re.I)
_FIRST_CLAUSE = regex(r"^[^\"]*\"(?:(?:also|and|but|so|ok|okay|oh|btw|hey|you know what),? )*(?P<said>[^,.;!?\"]+)")
_ANSWERING = (
    "user wants want assistant said answer answers reply replies please always never stop keep use give again back"
    " thing things go get from now on asks takes call forget allowed fine ok okay welcome skip drop leave normal need"
    " bring any more anymore enough put putting add adding include write show send voice detail now good great"
    " mention mentioning suggest suggesting recommend recommending talk talking speak speaking discuss"
    " pls plz please thanks unit units"
)
_OF_ANY_WISH = frozenset(
    term for word in (*FUNCTION_WORDS["en"], *COMMON_WORDS["en"], *_ANSWERING.split()) for term in terms(word)
)


_CLAUSE = regex(r"[^,.;!?\"]+")
# What wishes are about, in the words that people use: who takes one back names it by another word of its row.
_ABOUT = tuple(
    frozenset(term for word in row.split() for term in terms(word))
    for row in (
        "short shorter brief briefer concise tldr length longer detailed essay essays limit",
        "24h 24-hour clock pm military",
        "km kilometres kilometers miles feet inches",
        "kg kilos stone grams ounces cups",
        "celsius fahrenheit",
        "emoji emojis emoticons smileys",
        "swear swearing curse cuss",
        "bullet bullets heading headings markdown bold prose formatting",
        "simple simpler jargon eli5",
        "spelling spellings",
        "grammar typos",
        "joke jokes funny humour humor sarcasm sarcastic banter",
        "disclaimer disclaimers caveats lecture lectures preach",
        "link links source sources cite citations",
        "formal informal",
    )
)


def ask_for_all(name: str, sentence: str) -> str:
    """Return a wish for all answers in the words of its speaker."""
    return f'{name[:1].upper()}{name[1:]}{_ASKED_FOR}{sentence.strip()}"'


def call_by(name: str, by: str) -> str:
    """Return the order to call somebody by a name."""
    return f"{name[:1].upper()}{name[1:]} wants the assistant to call them {by}."


def take_back_for_all(name: str, sentence: str) -> str:
    """Return what lifts a wish for all answers in the words of its speaker."""
    return f'{name[:1].upper()}{name[1:]}{_TAKEN_BACK}{sentence.strip()}"'


def is_asked_for_all(text: str) -> bool:
    """Return whether a fact is a wish in the words of its speaker."""
    return _ASKED_FOR in text


def is_taken_back(text: str) -> bool:
    """Return whether a fact lifts a wish in the words of its speaker."""
    return _TAKEN_BACK in text


def is_of_wish(text: str) -> bool:
    """Return whether a fact is a wish for all answers, or lifts one."""
    return _TOLD_AS_WISH.search(text) is not None or is_taken_back(text)


_FOR_ANOTHER = regex(
    rf"\b(?:my|our|his|her) (?:[\w-]+ )?(?P<who>{KIN}|boss|coach|friend|mate|team|class)\b", re.IGNORECASE
)
# A question, and what says that it is not so, take nothing back.
_LIFTS_NOTHING = regex(
    r"(?:are|is|was|were|do(?! you mind)|does|did|why|what|when|should)\b[^?]*\?|.*(?:\b(?:not|never)|n['\u2019]t)"
    r" (?:\w+ )?(?:fine|ok|okay|allowed|welcome|back)\b|(?:i )?(?:don['\u2019]?t|do not) think\b"
    r"|(?:i'm )?(?:not sure|unsure)\b|i doubt\b|my\b",
    re.IGNORECASE,
)
_WORD_LIMIT, _LEAST_IN_COMMON = regex(r"\bword (?=limit|count)|\b(?:any|no) longer\b", re.IGNORECASE), 0.34


def lifts(old: str, new: str) -> bool:
    """Return whether what takes a wish back is about an older one: by a third of its words, or by its kind."""
    return _lift_of(old, new) > 0


def most_lifted(wishes: Sequence[Fact], new: Fact) -> list[Fact]:
    """Return which wishes, the oldest first, are taken back: all of the kind that is named, or else the closest."""
    shares = [(wish, _lift_of(wish.text, new.text)) for wish in wishes]
    most = max((share for _, share in shares), default=0.0)
    found = [wish for wish, share in shares if share == most > 0]
    return found if most >= 1 else found[-1:]


def _lift_of(old: str, new: str) -> float:
    """Return how much of what takes a wish back is about an older one: 1 where it names its kind or its other side."""
    said = words_of_wish(new).strip().rstrip('"')
    new = _WORD_LIMIT.sub("", new)
    clause = _FIRST_CLAUSE.match(new)
    if _TOLD_AS_WISH.search(old) is None or clause is None or _LIFTS_NOTHING.match(said) or not names_harm(old, new):
        return 0.0
    if _is_for_another(clause["said"], old):
        return 0.0
    if _OF_A_NAME.search(old):
        return float(_OF_A_NAME.search(clause["said"]) is not None)
    held, words = frozenset(terms(old)), frozenset(terms(clause["said"])) - _OF_ANY_WISH
    if _is_of_kind(held, old, new) or _is_for_other_side(old, new):
        return 1.0
    share = len(words & held) / max(1, len(words))
    return share if share >= _LEAST_IN_COMMON else 0.0


def _is_for_another(said: str, old: str) -> bool:
    """Return whether words are for somebody of whom a wish does not speak: "emojis are fine again for my sister"."""
    return (found := _FOR_ANOTHER.search(said)) is not None and frozenset(terms(found["who"])).isdisjoint(terms(old))


def _is_of_kind(held: frozenset[str], old: str, new: str) -> bool:
    """Return whether the first clause that names a kind of wish names that of an older one; the rest are reasons."""
    is_long = any(row == 0 for row, _ in _sides_of(old))
    for clause in _CLAUSE.findall(words_of_wish(new)):
        if rows := [row for row in _ABOUT if not row.isdisjoint(terms(clause))]:
            return any(not row.isdisjoint(held) or (is_long and row is _ABOUT[0]) for row in rows)
    return False


_REFUSES = regex(
    r"(?:(?:so|and|also|ok|okay|please|pls|always|just|could you|can you|to) )*"
    r"(?:never|no|not|don'?t|do not|stop|quit|without|skip|drop|less|enough|spare)\b"
    r"|.*\bleave (?:out|[^.]{1,30} out)\b",
    re.IGNORECASE,
)
# What may harm is lifted by all of its words alone; and a name by who speaks of calling.
_GUARDS = regex(
    r"\b(?:allerg|anaphyl|co?eliac|intoleran|warn|remind|insulin|medic|interaction|ibuprofen|aspirin|paracetamol)"
    r"|(?=.*\b(?:suggest|recommend|recipe|dish|meal|food|cook))(?=.*(?:\b(?:never|no|not|stop|quit|skip|only|check|flag|without"
    r"|avoid|free|leave|keep)\b|-free\b|n['\u2019]t\b))",
    re.IGNORECASE,
)
_EATEN = regex(r"\b(?:recipe|dish|meal|food|cook|allerg|warn|remind|insulin|medic|ibuprofen|aspirin)", re.IGNORECASE)
_OF_ANY_FOOD = frozenset(terms("suggest recommend recipe dish meal food cook idea check flag warn remind only avoid"))


def names_harm(old: str, new: str) -> bool:
    """Return whether words name all that a wish is about, if lifting it may harm: "recipes again" names no peanuts."""
    if not _GUARDS.search(words_of_wish(old)):
        return True
    matter = _matter_of(old) - _OF_ANY_FOOD - _OF_A_SIDE
    named = matter & frozenset(terms(new))
    # Who leaves films out may name half of it; what is eaten or taken is named in full.
    return matter == named if _EATEN.search(words_of_wish(old)) else 2 * len(named) > len(matter) or not matter


_CALLS = regex(r", (?:but |just )?call (?:me|them) ", re.IGNORECASE)  # "don't call me Dee, call me Dana"
_IN_PART = regex(r"\b(?:so|too) (?:many|much|often)\b", re.IGNORECASE)


def words_of_wish(wish: str) -> str:
    """Return the words of a wish, without who wants it."""
    return wish.partition('"')[2] or wish.partition(" wants the assistant to ")[2] or wish


def _matter_of(wish: str) -> frozenset[str]:
    return frozenset(terms(words_of_wish(wish))) - _OF_ANY_WISH


def _refuses(wish: str) -> bool:
    return _REFUSES.match(words_of_wish(wish)) is not None


# Sides of which an answer can be on one alone: a wish for the other side replaces a wish.
_SIDES = tuple(
    tuple(frozenset(term for word in side.split() for term in terms(word)) for side in row.split("|"))
    for row in (
        "short shorter brief briefer briefly concise tldr|long longer detail detailed length essay essays",
        "24h 24 military|12h 12 pm",
        "km kilometres kilometers metric metres meters|miles feet inches imperial",
        "kg kilos grams metric|stone pounds lbs ounces imperial",
        "celsius|fahrenheit",
        "british|american",
        "formal|informal casual",
        "blunt tough harsh|gentle gentler easy easier soft softer kind kinder",
        "python|javascript|typescript|rust|golang|java|kotlin|ruby|php|julia|matlab|perl|bash|scala|haskell",
        "excel|sheets",
        "english|german|french|spanish|italian|portuguese|dutch|polish|irish|welsh|hindi|arabic|turkish|swedish",
    )
)
_OF_UNITS = frozenset((1, 2, 3, 4))  # rows of which whoever says "use grams" speaks for all answers
_OF_A_LENGTH = frozenset(
    term
    for word in ("line", "sentence", "word", "paragraph", "max", "tops", "one", "two", "three", "stuff", "like", "ask")
    for term in terms(word)
)
_OF_A_SIDE = frozenset(term for row in _SIDES for side in row for term in side)
_REFUSED = regex(
    r"\b(?:no|not|never|without|don'?t|stop|less|skip|enough of) (?:(?:the|so|any|too|more|those|use|give me) )?$", re.I
)
_WORD, _TWO = regex(r"[\w-]+"), 2
_IN_SHORT = (0, 0)  # the first side of the first row
_AT_MOST = regex(r"\b(?:\d+|one|two|three|four|five) (?:lines?|words|sentences?|paragraphs?)\b", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _sides_of(wish: str) -> frozenset[tuple[int, int]]:
    """Return the sides that a wish is on, as places in the rows; of two sides the other one where it refuses one."""
    said, refuses = words_of_wish(wish), _refuses(wish)
    out: set[tuple[int, int]] = {_IN_SHORT} if _AT_MOST.search(said) else set()
    for found in _WORD.finditer(said):
        of = frozenset(terms(found[0]))
        for row, sides in enumerate(_SIDES):
            for place, side in enumerate(sides):
                if not of.isdisjoint(side):
                    is_refused = refuses or _REFUSED.search(said, 0, found.start()) is not None
                    if not is_refused or len(sides) == _TWO:  # who refuses French has not said what instead
                        out.add((row, 1 - place if is_refused else place))
    return frozenset(out)


def replaces_wish(old: str, new: str) -> bool:
    """Return whether a wish takes the place of an older one: for the other side of it, for its contrary, a new name."""
    if not (_TOLD_AS_WISH.search(old) and _TOLD_AS_WISH.search(new) and names_harm(old, new)):
        return False
    refused, refuses = _refuses(old), _refuses(new)
    if _OF_A_NAME.search(old) and _OF_A_NAME.search(new) and not refused and (not refuses or _CALLS.search(new)):
        return True
    matter = _matter_of(new)
    if refused != refuses and matter and matter <= _matter_of(old) and not _IN_PART.search(new):
        return True
    return _is_for_other_side(old, new)


def _is_for_other_side(old: str, new: str) -> bool:
    """Return whether words are for the other side of what a wish is for, and a wish for no side of its own."""
    before, after = _sides_of(old), _sides_of(new)
    rows = {row for row, _ in before}
    if not rows or before & after or not rows <= {row for row, _ in after}:
        return False
    if not rows <= _OF_UNITS and _matter_of(old) - _OF_A_SIDE - _OF_A_LENGTH - _matter_of(new):
        return False  # recipes were to be short, answers may be long
    clauses = (clause for clause in _CLAUSE.findall(words_of_wish(old)) if frozenset(terms(clause)) - _OF_ANY_WISH)
    return all(_sides_of(clause) for clause in clauses)
