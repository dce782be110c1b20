"""Words of manners of answering, as patterns: `manners` finds orders by them, `aspects` what an order settles."""

from __future__ import annotations

import re

LANGUAGES = (
    r"(?:English|French|German|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Turkish|Arabic|Hindi|Chinese|Mandarin"
    r"|Japanese|Korean|Swedish|Danish|Norwegian|Finnish|Greek|Czech|Ukrainian)"
)
# Not "more specific", "formal" or "honest": that is said of a draft at hand, or of one answer.
TONE = r"(?:brief|briefer|concise|short|shorter|succinct|terse|direct|blunt|critical|to the point)"
DEGREE = (
    r"(?:(?:a )?(?:bit |little |lot )?(?:more|less) |(?:very|really|fairly|nice and|as|so|super|extra|pretty|quite) )?"
)
KIND = (
    r"(?:(?:a )?(?:bit |little |lot )?(?:kind(?:er)?|gentler?|nicer?|soft(?:er)?|warm(?:er)?|sweet(?:er)?)"
    r"|(?:more )?(?:encouraging|supportive|gentle))"
)
# What decorates an answer, and what only fills it. A draft has an introduction and tables, too: they are not skipped.
FILLER = (
    r"(?:emojis?|smileys|emoticons|smiley faces|(?:little|wee|tiny|silly|yellow) (?:pictures|faces|icons)"
    r"|disclaimers?|caveats?|pleasantries|small ?talk|preambles?|apologies|jargon|fluff|waffle"
    r"|exclamation marks?|filler|flattery|compliments|jokes|puns|slang|swearing|lectures?|sugar-?coating|clich[eé]s?"
    r"|pep ?talks?|cheerleading|motivational (?:quotes|talk)|platitudes)"
)
ORNAMENT = rf"(?:{FILLER}|bullet ?points?|bullets|lists|tables|markdown|headings|hashtags)"
PARTS = (
    r"(?:(?:code )?comments|docstrings|type hints|examples|summaries|explanations|sources|links|citations|references"
    r"|footnotes|warnings|translations|greetings|follow-?up questions|checklists|to-?do lists|recaps|quotes|quotations"
    r"|proverbs|analogies|metaphors|sign-?offs|step-by-steps|reminders)"
)
SEVERAL = rf"{ORNAMENT}(?:(?:,? and(?: no)?|, no|,| or) {ORNAMENT})*"
ANSWERS = r"(?:answers|replies|responses)"
A_MESSAGE = r"(?:answers?|replies|reply|responses?|messages?|sentences)"
STYLE = r"(?:casual|formal|friendly|informal|professional|polite)"
OPENLY = r"(?:honest|frank|candid|straight|open|tough|strict)"
SAID = rf"(?:{ANSWERS}|feedback|comments|criticism)"
SAYS_TO_ME = r"(?:write|send|say|tell|give|make|show)(?: (?:to|for) me| me)?"
SPELLING = r"(?:British|American|UK|US|Canadian|Australian)"
LENGTHS = rf"(?:short|shorter|brief|concise|one-line|long|longer|detailed|full) {ANSWERS}(?: only)?"
# What a text is made of, in a form that somebody likes or not.
FORM = r"(?:normal|proper|plain|full|whole|real) (?:paragraphs|prose)"
HARD_WORDS = r"(?:(?:difficult|technical|hard|big|normal|harder|longer|proper) words|technical (?:terms|language))"
UNIT = (
    r"(?:fahrenheit|celsius|kelvin|metric|imperial|inches|feet|miles|yards|centimet(?:re|er)s|cm|millimet(?:re|er)s|mm"
    r"|met(?:re|er)s|kilomet(?:re|er)s|km|grams|kg|kilos|ounces|pounds|lbs|stone|cups|lit(?:re|er)s|euros|dollars)"
)
COUNT = (
    r"(?:\d+|one|two|three|four|five|six|a (?:few|couple(?: of)?))"
    r"(?:(?: (?:or|to) |[-–])(?:\d+|two|three|four|five|six))?"
)
AT_MOST = (
    rf",? (?:(?:like|say|so|about|max|maximum|at most) )*{COUNT} (?:lines|sentences|words|paragraphs)"
    r"(?: max(?:imum)?| at (?:the )?most| or (?:less|fewer|so)| tops)?"
)
EASE = r"(?:ease up|ease off|go (?:a (?:bit|little) )?easi?(?:er|y)|lighten up|soften up)"
# Where in an answer something stands: it goes, wherever it is.
AT_A_PLACE = (
    r" (?:at|in|from) the (?:very )?(?:top|start|beginning|end|bottom|close|front)"
    r"(?: of (?:your |every |each |the |all )?(?:answers?|replies|reply|responses?|messages?))?"
)
DOES = (
    r"(?:put|use|answer|reply|respond|write|give|show|explain|include|add|start|end|begin|list|quote|format|speak|talk"
    r"|call|remind|tell|suggest|recommend|summari[sz]e|convert|translate|mention|correct|check|ask|offer|repeat|sign)"
)
# What only an assistant is told: milk may be added, too.
SAYS = (
    r"(?:answer|reply|respond|explain|start|end|begin|list|quote|format|speak|talk|call|remind|tell|suggest|recommend"
    r"|summari[sz]e|convert|translate|mention|correct|ask|repeat|sign)"
)
DOING = (
    r"(?:answering|replying|responding|explaining|starting|ending"
    r"|listing|quoting|formatting|calling|reminding|telling|suggesting|recommending|summari[sz]ing|converting"
    r"|translating|mentioning|correcting|checking|asking|offering|repeating|signing|talking|speaking|being)"
)
# "You can stop explaining recipes now" is said of the recipes at hand, "every step" of any.
WORK_AT_HAND = (
    r"(?:explaining|listing|summari[sz]ing|converting|translating|checking) (?:(?!\b(?:each|every|everything|all|what"
    r"|how|why|any|words|terms|things)\b)[^.,!?;])+ now\b"
)
# What the user's people do, and not an assistant: "call Anna", "speak to the manager".
TO_OTHERS = r"(?:(?:call|remind)|(?:speak|talk|write|answer|reply|respond) (?:to|with)) (?!me\b)"
# One thing of its kind, which stands in every answer: "the one-line summary at the top", "the checklist".
PART = (
    r"(?:(?:(?:one|single|two|three|\d)-line|short|brief|little|opening|closing|final|daily|motivational|long) ){0,2}"
    r"(?:summary|summing-?up|checklist|check list|to-?do list|recap|tl;?dr|intro(?:duction)?|preamble|overview|outro"
    r"|conclusion|sign-?off|greeting|salutation|signature|disclaimer|quote|quotation|proverb|joke|pun|haiku|poem"
    r"|questions?|quiz(?:zes)?|quotes|reminders?|translation|explanation|step-by-step|pep talk|bullets|(?:bible"
    r" )?verses?"
    r"|scriptures?|psalms?|prayers?|blessings?|mantras?|affirmations?|riddles?|fun facts?|trivia|jokes|poems|haikus)"
)
# Of what figures are told, in an order on their units and forms.
FIGURES = (
    r"(?:dates?|times?|temperatures?|distances?|paces?|speeds?|weights?|heights?|lengths?|amounts|quantities|units"
    r"|measurements?|figures|prices|numbers|phone numbers|names|recipes|doses)"
)
# A warning that holds for everybody: "never put foil in the oven", "never give chocolate to a dog".
_OF_ANSWERS = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages?|texts?|sentences?|paragraphs?|titles?|headings?|headers?|footers?"
    r"|subjects?|lists?|tables?|columns?|cells?|code|files?|comments?|functions?|e-?mails?|letters?|drafts?|notes?"
    r"|documents?|reports?|summar(?:y|ies)|recipes?|menus?|plans?|calendar|schedule|brackets|quotes|bold|italics|caps"
    r"|format|start|beginning|end|top|bottom|front|middle|line|chat|prompts?|first|last)"
)
_OF_US = r"(?:my|me|our|us|your?|i)"
OF_THINGS = (
    rf"(?:never|don't ever|do not ever) (?:(?:put|leave|store|keep|use|add) (?!.*\b(?:{_OF_US}|{_OF_ANSWERS})\b)"
    r"[^.?!]{2,60} (?:in|into|inside|on|onto|under|near|next to|down|over) (?:an?|the) "
    rf"|give (?!.*\b{_OF_US}\b)[^.?!]{{2,60}} to )"
)
# What an order without a verb wants.
TOLD = {
    "what": "never use {}",
    "dropped": "never use {}",
    "left": "skip {}",
    "left_out": "skip {}",
    "unneeded": "skip {}",
    # What it is "on" would be a case.
    "eased": "{} with me",
    "kind": "{}",
    "back": "feel free to use {} again",
    "back_to": "feel free to give {}",
    "back_call": "call me {}",
    "back_in": "feel free to answer in {}",
    "form": "give {}",
    "nickname": "never call me {}",
    "wanted": "call me {}",
    "skipped": "skip {}",
    "tongue": "stop {}",
    "speak": "feel free to answer in {}",
    "swears": "feel free to use swearing",
    "switched": "answer in {}",
    "measures": "use {}",
    "few": "feel free to use {}s",
    "persona": "forget what I said about the {}",
    "open": "feel free to bring up {}",
    "only": "use {} only",
    "unit": "give {}",
    "of": "use {}",
    "allowed": "feel free to {}",
    "code": "give {}",
    "big": "correct only the big mistakes",
    "long": "feel free to {}",
    "more": "feel free to {}",
    "lengthy": "give {}",
    "full": "{}",
    "line": "{}",
    "limit": "give longer answers",
    "guess": "{}",
    "call": "{}",
    "give": "give {}",
    "stop": "{}",
    "halt": "{}",
    "lifted": "no longer {}",
    "needless": "no longer use {}",
    "permitted": "feel free to {}",
    "uncorrected": "no longer {}",
    "thing": "forget what I said about {}",
    "scrapped": "forget what I said about {}",
    "minded": "feel free to use {}",
    "uncalled": "{}",
    "any": "feel free to use any {}",
    "again": "feel free to {}",
    "relaxed": "feel free to {}",
    "unsaid": "never say {}",
    "sums": "never do {}",
    "bigger": "use {} writing",
    "size": "use {} writing",
    "grown": "always explain things like I'm {}",
    "small": "always explain things like I'm {}",
    "in_unit": "use {}",
}
# A name comes first in these.
KEEPS_CAPITAL = frozenset(("open", "speak", "switched", "wanted", "back", "back_call", "back_in", "nickname"))


def tell(order: re.Match[str]) -> str:
    """Return an order as it is kept, by the group that was found in it."""
    for group, told in TOLD.items():
        if said := order[group]:
            return told.format(said if group in KEEPS_CAPITAL else _small_start(said))
    return _small_start(order["order"].strip())


def _small_start(said: str) -> str:
    return said if said[:2].isupper() else said[:1].lower() + said[1:]  # "TL;DR" stays
