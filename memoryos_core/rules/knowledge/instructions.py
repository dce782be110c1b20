"""Standing instructions: what a user asked for in all answers to come, or in a case that the instruction names.

A later one about the same aspect (language, length, emojis, …) replaces an earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from memoryos_core.rules.knowledge import manner_words
from memoryos_core.rules.knowledge.aspects import close_topic
from memoryos_core.rules.knowledge.manner_words import ANSWERS, DOES, OF_THINGS, SAID, SAYS_TO_ME, SPELLING
from memoryos_core.rules.knowledge.manners import ANNOYS, HATED, MANNERS, NEVER, put_plainly
from memoryos_core.rules.knowledge.wishes import is_asked_for_all, is_taken_back
from memoryos_core.rules.text.words import fold_case, regex, sentences, terms
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
    r"\b(?:(?:when|whenever|if) (?!they (?:(?:write|type|speak)(?: to the assistant"
    r"|(?: something| it)? (?:wrong|wrongly|badly|incorrectly))?|make (?:an? |any )?(?:mistakes?|errors?))[.!]"
    r"|(?:you|the assistant) gives? (?:me|them) (?:options|choices|suggestions|ideas|answers|advice)\b)"
)
_WHEN = regex(rf"{_CASE_OF})(?P<case>[^.;]{{3,}})", re.IGNORECASE)
_CONDITION = regex(rf"{_CASE_OF}|(?:about|for|(?<!now )(?<!later )on)\s+)(?P<case>[^.;]{{3,}})", re.IGNORECASE)
# "Stop suggesting bars for meetings": what it is for is what is forbidden, not a case.
_FORBIDS = regex(r"\bto (?:never|stop|quit|no longer|do without) ", re.IGNORECASE)


# A manner of answering, as a message says it that says nothing else.
_ORDER = regex(
    r"(?:i know i (?:said|asked for|wanted) [^,.!?]{2,60}?(?:,? but|,) )?"
    r"(?:(?:yes|yeah|yep|sure|and|n|also|just|please|pls|ok|okay|hey|hi|so|but|anyway|actuall?y|always|still"
    r"|from now on|k|cool|oh|btw|tbh|by the way|kindly|do (?:me|us) a favou?r(?: and)?"
    r"|one (?:favou?r|thing):?|if i (?:may|might)(?: (?:make|ask)[^,.]{1,30})?)[,!.]? )*(?:(?-i:[A-Z][a-z]{2,12}), )?"
    r"(?:(?:can|could|would|will) you (?:please |just |maybe |try to |(?P<always>always ))*"
    r"|i(?:'d| would)? (?:want|like|prefer|need) you to |i(?:'d| would) appreciate it if you(?:'d| would| could)? )?"
    rf"(?P<order>{'|'.join(MANNERS)})"
    rf"(?: with me| in your {SAID}| when you answer| in (?:whatever|everything|anything) you {SAYS_TO_ME})?"
    r"(?:,? (?:please|pls|thanks|too|tho|though|now|any ?more|again|by the way|btw|actually|okay|ok|ever|at all|always"
    r"|any longer|these days|from now on|dear|love|mate|idc|i don't (?:care|mind)|(?:will|would|can|could) you))*"
    r"(?:, just (?:answer|reply|give me)(?: [a-z]+){0,4},?(?: ok(?:ay)?)?)?"
    # What it is for is a statement of its own.
    r"(?:(?:, because|,| because| -| –|(?<=\bpls)|(?<=\bplease)|(?<=\bby the way)|(?<=\bnow)|(?<=\bokay)|(?<=\bagain)"
    r"|(?<=\byou like)|(?<=\byou want))"
    r" (?P<rest>(?:i|i'm|i've|my|we|we're|(?:just |finally )?got (?:an?|my(?:self)?))\b[^?]{2,160}?)"
    r"|(?:, because|,| because| -| –) (?!(?:it|that)(?:'s| is| was) (?:for|an?|the|my|our)\b)(?:(?:it|it's|they"
    r"|that|that's|looks?|makes?)\b|the [\w ]{3,25} (?:is|are|was|were)\b|(?-i:[A-Z])[\w-]+(?:'s| is| has| was)\b)"
    r"[^?]{2,100}?)?"
    r"[.!?]*",
    re.IGNORECASE,
)
_DISLIKED = regex(rf"(?:i (?:really )?{HATED}|{ANNOYS}|no time)[.!]*", re.IGNORECASE)
_FOR_NOW = regex(
    r"\b(?:driving|late|got to go|battery|have a call|minutes|in a (?:hurry|rush|meeting)|busy|right now|at the moment"
    r"|today|tonight|on the (?:train|phone)"
    r"|i(?:'m| am) (?!(?:learning|studying|trying|training|getting|using)\b)[a-z]+ing)\b",
    re.IGNORECASE,
)
_OF_ONE = regex(
    r"^(?!.*\b(?:always|never|from now on|every|whenever)\b).*\b(?:for|in|on|to|with) (?:this|that|these|those)"
    r" (?!chat|conversation|app|thread|channel|way|kind|sort|style|tone|case)[a-z]"
    r"|.* (?:in|on|with|from) (?:this|that|these|those|it)(?:[.!]*$|,)",
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
    r"(?:(?:please|and|but|so|just),? )*(?:don't|do not|never) mention (?:it|(?:the|that|this) [\w-]+)[.!]*"
    r"|(?:(?:please|and|but|so|just|also|ok|okay),? )*(?:from now on|in (?:the )?future)\W*",
    re.IGNORECASE,
)
# What everybody says, and what no assistant does: "Never give up, my nan used to say", "never tell a soul".
_MAXIM = regex(
    r"^(?:always|never)\b.*(?:, (?:as )?(?:that(?:'s| is| was) (?:what|my|his|her|our|the)\b|says? |said "
    r"|(?:i|they|he|she|(?:my|the|our) [\w-]+|(?-i:[A-Z])[a-z]+) (?:(?:always|often) )?"
    r"(?:used to say|says?|said|told|tells)\b))"
    rf"|{OF_THINGS}"
    r"|.*, (?:they|he|she) (?:said|says)[.!]*$"
    r"|^(?:always |never |don't ever |you (?:should|must) (?:always|never) )"
    r"(?:give up\b|let (?:me|us) .* again[.!]*$|(?:tell|ask) (?:a soul|anyone|anybody|him|her|them"
    r"|an? [\w-]+ (?:his|her|their))\b)",
    re.IGNORECASE,
)
_AND = regex(
    rf",? (?=no (?:[a-z]+ ){{1,2}}(?:ever|at all)\b)"
    rf"|,? and (?=(?:be|stay|stop|quit|skip|leave|cut|spare|{NEVER}|no|use|give|keep|answer|reply) )",
    re.IGNORECASE,
)
# "No waffle, British spelling": one by one where they are no list of one kind.
_NEXT = regex(
    rf", (?:and )?(?=(?:no|be|keep|use|always|never|answer|reply|call|don't|do not|{SPELLING}) )|; ", re.IGNORECASE
)
_LONGEST_ORDER = 240  # characters
# Signs that a wish is not of the answer at hand alone.
_LASTING = fold_case(
    r"\b(?:always|from now on|when(?:ever)? you|in your (?:answers|replies)|any ?more|these days|call me|measurements"
    r"|lowercase|i read (?:these|this|them)|be called|you called me"
    r"|every (?:small |little )?mistake|still|i know i (?:said|asked|wanted))\b"
    r"|\byou (?:can|may|do not|don't|dont)\b.*\b(?:now|again)\b|\b(?:are|is) (?:fine|ok|okay|allowed)\b.* now\b",
)
# In a message with a task these may be of that task.
_IN_PASSING = regex(
    r"\b(?:by the way|btw|tbh|(?:with|on|to) me|(?:every|each) (?:answer|reply|response)|i know i said|go back to"
    r"|stop [^.,!?]{3,60} (?:at|in|from) the (?:top|start|beginning|end|bottom)|ease up|your"
    rf" {ANSWERS}|keep the {ANSWERS})\b",
    re.IGNORECASE,
)
_IS_TASK = regex(
    r"(?:(?:please|now|and|so|also|can you|could you|help me) )*(?:write|draft|make|create|translate|convert|list"
    r"|summari[sz]e|give|plan|find|answer|solve|explain|describe|rewrite|edit|fix|review|compare|check)\b|.*\?$",
    re.IGNORECASE,
)
_OF_SELF = regex(r"(?:i|i'm|i've|my|we|we're|our)\b", re.IGNORECASE)
_SO = regex(
    r",? so (?=you (?:can|may|do not|don't)\b)"
    r"|,? (?:(?:and|but|so) )?(?=(?:you can |you may |please |just ){1,2}call me (?-i:[A-Z]))"
    r"| and (?=when you (?:answer|reply)\b)",
    re.IGNORECASE,
)


# What announces wishes: "two asks:", "House rules for your answers." What behind it holds for every answer is one.
_HEAD = regex(
    r"(?:(?:ok|okay|so|also|and|oh|hi|hey|right|now|please|btw|by the way)[,.!]? )*"
    r"(?:(?:just|only|one|two|three|four|five|six|\d|a|an|another|couple|few|of|some|my|ground|house|small|little|quick"
    r"|simple|more|last|standing) )*(?:asks?|rules?|requests?|wishes|things|preferences)"
    rf"(?: (?:for you|from me|for (?:all )?(?:your|our) (?:{ANSWERS}|chats?)|please|pls|then|first|before we start))*"
    r"(?:[:.!] ?|,? [-–] )",
    re.IGNORECASE,
)
_EVERY = r"(?:every|each|any|anything|everything|all|always|never|when(?:ever)?)"
_RULE = regex(
    r"(?:(?:and|also|please|just|then|first(?:ly)?|second(?:ly)?|third(?:ly)?|lastly|finally|\d[.)]),? )*"
    rf"(?P<order>(?:always |never |{NEVER} )?{DOES} (?=[^.!?;]*\b{_EVERY}\b)[^.!?;]{{4,120}}?)"
    r"(?:,? (?:please|pls|thanks))*(?P<rest>(?:, (?:because )?| because | - )(?:my|i|i'm|it|they|that)\b[^?]{2,100})?"
    r"[.!]*",
    re.IGNORECASE,
)
_KNOWS = regex(r"(?:yes,? |and )?i know i (?:said|asked for|wanted|told you) [^?]{2,60}", re.IGNORECASE)
# Nobody takes the speaker for one: "I'm not a shopping list."; "ok cool." tells nothing.
_NO_SUCH_THING = regex(
    r"i'm not (?:an? |your )(?:[\w-]+ )?(?:list|child|kid|baby|toddler|robot|machine|computer|spreadsheet|idiot|moron)"
    r"|(?:(?:ok|okay|cool|lol|yes|yeah|right|got it|fine),? ?)+",
    re.IGNORECASE,
)


def as_standing(text: str) -> str:
    """Return a message with what it says of all answers to come as orders, which begin with "From now on".

    "Be brief." behind a task is of that task; a message of its own means what follows, and so does a sentence that
    says so: "by the way", "when you answer", "you can … now".
    """
    text = _with_plain_wishes(text)
    if len(text) <= _LONGEST_ORDER:
        told = [sentence for sentence in sentences(text) if not _is_reason(sentence)]
        # What the speaker says of themselves behind an order stays as it is.
        told, own = _split(told, [not _OWN.match(sentence) or bool(_order_in(sentence)) for sentence in told])
        found = [order for sentence in told for order in _orders_in(sentence)]
        if found and not any(order is None or _is_for_now(order) for order in found):
            return " ".join((*(_from_now_on(order) for order in found if order is not None), *own))
    return _with_lasting(text)


_WHY_SO = regex(
    r"(?:it|they|that|those|this)(?:'s|'ll| is| are| was| were| will| would) (?!.*\b(?:my|i)\b)"
    r"|(?:it|they|that|those) [^,.!?;]{2,60}, (?:but|and|so) (?=(?:i|i'm|i've|my)\b)",
    re.IGNORECASE,
)


def _with_plain_wishes(text: str) -> str:
    """Return a message with its polite wishes in plain words, without what only says why of one."""
    follows, before = False, tuple[str, ...]()
    for sentence in sentences(text):
        orders = sum(map(bool, _orders_in(sentence)))
        plain = put_plainly(sentence, " ".join(before), orders) if len(sentence) <= _LONGEST_ORDER else None
        before = (*before[-1:], sentence)
        if plain is None and follows and (why := _WHY_SO.match(sentence)):
            rest = sentence[why.end() :] if why[0].endswith(" ") and "," in why[0] else ""
            plain = f"{rest[:1].upper()}{rest[1:]}"
        text = text if plain is None else text.replace(sentence, plain, 1)
        follows = bool(plain)
    return text.strip() if follows else text


@lru_cache(maxsize=1_024)  # a sentence is read as a whole, by its parts, and with those beside it
def _order_in(said: str) -> re.Match[str] | None:
    return _ORDER.fullmatch(said)


def _is_reason(sentence: str) -> bool:
    """Return whether a sentence tells nothing but why an order was given, or that another was given before."""
    said = sentence.rstrip(" .!")
    return any(pattern.fullmatch(said) is not None for pattern in (_DISLIKED, _KNOWS, _NO_SUCH_THING))


def _orders_in(sentence: str) -> list[re.Match[str] | None]:
    """Return the orders of a sentence, one by one; None in place of what is no order."""
    if len(sentence) > _LONGEST_ORDER:
        return [None]
    parts = (one for part in _AND.split(sentence) for one in _one_by_one(part))
    found = [_order_in(part) for part in parts]
    return [_order_in(sentence)] if None in found and len(found) > 1 else found


def _one_by_one(part: str) -> list[str]:
    """Return the orders of a list, or the part as it is where one order says all of it."""
    return [part] if _order_in(part) else _NEXT.split(part)


def _with_lasting(text: str) -> str:
    """Return a text with its sentences that say how all answers should be as orders, the rest as it was."""
    told, out, end = sentences(text), list[str](), 0
    is_task = [_IS_TASK.match(one) is not None and None in _orders_in(one) for one in told]
    tasks, announced, follows = sum(is_task), False, False
    for number, sentence in enumerate(told):
        at = text.find(sentence, end)
        head = _HEAD.match(sentence)
        announced = announced or head is not None
        said = sentence[head.end() :] if head is not None else sentence
        closed = close_topic(sentence, told[number - 1 : number])
        if at < 0 or not said:
            continue
        if follows and _is_reason(said):
            lasting: str | None = ""
        elif closed is not None:
            lasting = f"From now on, {closed}."
        else:
            alone = tasks == is_task[number]
            lasting = _announced_in(said) if announced else None
            lasting = lasting or _lasting_in(said, alone=alone, follows=follows and alone)
        if lasting is None and follows and sentence[:1].islower():  # it would go on the order
            out += [text[end:at], sentence[:1].upper()]
            end = at + 1
        announced, follows = announced and lasting is not None, lasting is not None
        if lasting is None:
            continue
        out += [text[end:at], lasting]
        end = at + len(sentence)
    return "".join((*out, text[end:]))


def _announced_in(sentence: str) -> str | None:
    """Return what is announced as a rule or a wish as orders; None where a sentence is no order for all answers."""
    if len(sentence) > _LONGEST_ORDER:
        return None
    if (rule := _RULE.fullmatch(sentence)) is not None:
        return f"From now on, {rule['order'][:1].lower()}{rule['order'][1:]}."
    found = _orders_in(sentence)
    return None if None in found else " ".join(_from_now_on(order) for order in found if order is not None)


def _lasting_in(sentence: str, *, alone: bool, follows: bool) -> str | None:
    """Return a sentence with what it says of all answers as orders; None where it says nothing of them.

    `alone`: no other sentence of the message is a task. `follows`: it stands behind an order for all answers.
    """
    before, so, behind = sentence.partition(found[0]) if (found := _SO.search(sentence)) else ("", "", sentence)
    if so:
        may_last = _OF_SELF.match(before) is not None
    else:
        may_last = follows or (alone and bool(_IN_PASSING.search(sentence))) or bool(_LASTING.search(sentence))
    orders = _orders_in(behind) if may_last and len(behind) <= _LONGEST_ORDER else [None]
    told = [order for order in orders if order is not None and not _is_for_now(order)]
    if len(told) < len(orders):
        return None
    said = " ".join(_from_now_on(order) for order in told)
    return f"{before}. {said}" if so else said


def _from_now_on(order: re.Match[str]) -> str:
    return f"From now on, {_plain(order)}.{_rest(order)}"


def _split(told: Sequence[str], is_order: Sequence[bool]) -> tuple[list[str], list[str]]:
    """Return the orders and what else is told; all as orders where one stands behind another statement."""
    at = is_order.index(False) if False in is_order else len(told)
    if at:  # an order opens the message, so that a later one is of all answers, too
        own = [one for one, is_one in zip(told, is_order, strict=True) if not is_one]
        return [one for one in told if one not in own], own
    return (list(told), []) if True in is_order else ([], list(told))


_POINTS_BACK = regex(r"\b(?:it|them|that|those|there|this|these(?! days))\b", re.I)
_OWN = regex(r"(?:i|i'm|i've|my|we|we're|our)\b(?! (?:want|need|would like|'d like) you\b)", re.IGNORECASE)


def _is_for_now(order: re.Match[str]) -> bool:
    """Return whether what an order is for passes, or cannot be told without the order."""
    rest = order["rest"] or ""
    if _DISLIKED.fullmatch(rest):
        return False
    points_back = not (order["left_out"] or order["unneeded"] or _LASTING.search(order[0])) and _POINTS_BACK.search(
        rest
    )
    return bool(points_back) or _FOR_NOW.search(order[0]) is not None


def _rest(order: re.Match[str]) -> str:
    """Return what is told of the speaker behind an order, as a sentence, where it can be told alone."""
    rest = order["rest"]
    told = rest and not (_DISLIKED.fullmatch(rest) or _POINTS_BACK.search(rest))
    return f" {rest[:1].upper()}{rest[1:]}." if told else ""


def _plain(order: re.Match[str]) -> str:
    """Return the order without what surrounds it."""
    if fine := order["fine"]:
        verb = "give" if fine.endswith(("answers", "replies", "responses")) else "use"
        return f"feel free to {verb} {fine.lower()} again"
    if does := order["does"]:
        case = order["case"].lower()
        plain = case.removesuffix(" me").removesuffix(" to")
        return does if plain in ("when you answer", "when you reply") else f"{does} {case}"
    if kept := order["keep"]:
        return "use normal words" if kept.lower() in ("plain", "simple") else "give longer answers"
    if spelling := order["spelling"]:
        return f"use {spelling.replace('US', 'American').replace('UK', 'British')}"
    return manner_words.tell(order)


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
    found = (_WHEN if _FORBIDS.search(instruction) else _CONDITION).search(instruction)
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
