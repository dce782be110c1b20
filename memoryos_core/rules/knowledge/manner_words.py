"""Words of manners of answering, as patterns: `manners` finds orders by them, `aspects` what an order settles."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

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
    r"(?:emojis?|smileys|emoticons|(?:(?:little|wee|silly) )?smiley faces"
    r"|(?:little|wee|tiny|silly|yellow) (?:pictures|faces|icons)"
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
FORM = r"(?:normal|proper|plain|full|whole|real) (?:paragraphs|prose|sentences)"
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
NEVER_DO = r"(?:never|don'?t|do not)"
# What opens a wish for all answers to come, in whatever words it is asked.
ASKING = (
    r"(?:(?:and|also|so|now|but|oh|ok|okay|hey|then|btw|by the way|please|pls|plz|just|kindly|from now on|actually"
    r"|well|even(?= (?:when|if)\b)|do (?:me|us) (?:a|one) (?:wee |small |little )?favou?r(?: and)?|(?:just )?one"
    r" (?:small |more )?(?:thing|favou?r|request|wish):?"
    r"|in (?:the )?future|(?:going|moving) forward|from here on(?: out| in)?|hereafter),? "
    r"|(?:can|could|would|will) (?:you|u|we) |(?:i'd|i would) (?:like|want) you to |try to |(?:remember|be sure) to "
    r"|make sure (?:to |you )){0,8}"
)
_TALKS = r"(?:(?:write|speak|talk|reply|respond|answer)(?: back)?(?: to)? me)"
_NAMES = r"(?:mention|cite|quote|suggest|recommend|propose|refer to|name|list|describe|talk about)"
OF_EVERY_DAY = r"the (?:weather|forecast|news|time|temperatures?|scores?|exchange rate)"
# What the user does again and again: "if I ask for code", "when I make a mistake", but not "if I ask for my money".
_I_CASE = (
    r"(?:(?:when(?:ever)?|if|(?:each|every|any) ?time) i (?:ask(?: you)? (?:for|about)"
    rf" (?:{OF_EVERY_DAY}|(?!(?:the|this|that|these|those|it|him|her|them|my|our|his|their|your|help|leave"
    r"|a (?:raise|rise|refund|favou?r|loan|discount))\b)"
    r"(?:(?!\b(?:tomorrow|tonight|later|today|next|at (?:work|school|the))\b)[^.,!?;:]){2,40}?)"
    rf"|(?:write|speak|talk|chat|text|type)(?: to you| you)? in (?-i:{LANGUAGES})"
    r"|(?:write|say|type|spell|get) (?:something|anything|a word|words|things) (?:wrong(?:ly)?|badly|incorrectly)"
    r"|make (?:(?:an?|any|some|grammar|spelling) )*(?:mistakes?|errors?|typos?)"
    rf"(?: in (?:my )?(?:(?-i:{LANGUAGES})|grammar|spelling|writing|messages))?)"
    r"|(?:when(?:ever)?|(?:each|every|any) ?time|if(?= i paste (?!an?\b))) i (?:paste|(?:send|share|show) you|upload)"
    r" (?!(?:the|this|that|these|those|it|him|her|them|my|our|his|their)\b)[^.,!?;:]{2,40}?)"
)
# A case that comes again: "whenever you quote a price", "when you write to me", but not "when you have the price".
EACH_CASE = (
    rf"(?:(?:whenever|(?:each|every|any) ?time) (?:you|u) (?:{_TALKS}|{_NAMES}|(?:give|show|send|tell|write|make) me"
    r"|(?:answer|explain|translate|summari[sz]e|correct|compare|convert|calculate|reply|respond|say|use an?)"
    r"(?! (?:him|her|them|it|to (?!me\b))\b))\b[^.,!?;]{0,60}?"
    rf"|when (?:you|u) (?:{_TALKS}(?: (?:about|in) [^.,!?;]{{3,40}}?)?|(?:{_NAMES}|(?:give|show|send|tell) me) (?:an?"
    rf"|any|some|{OF_EVERY_DAY}|(?!(?:the|this|that|these|those|it|him|her|them|us|me|my|your)\b)"
    rf"(?:[a-z]+ ){{0,2}}?[a-z]+s)\b[^.,!?;]{{0,60}}?)|{_I_CASE})"
)
_TO_DO = (
    rf"(?:{DOES}|keep|avoid|spare|leave|skip|stick|assume|round|send|highlight|link|note|spell|cite|state|say|label"
    r"|translate|make)"
)
_TOO_OFTEN = r"(?:every|each|every single) (?:time|day|answer|message)|all the time|so (?:much|often)|constantly"
_RECURRING = (
    # What is told of each case, or with "always" in a question.
    rf"{ASKING}(?P<order>(?:(?:also|always|only|never|don'?t|do not) ){{0,2}}{_TO_DO}"
    rf" (?!(?:him|her|them)\b)[^.!?;:]{{1,120}}? (?P<case>{EACH_CASE}))",
    rf"{ASKING}(?P<first>{EACH_CASE}),? (?:please |pls |just |always |also )*(?P<does>(?:{NEVER_DO} )?{_TO_DO}"
    r" (?!(?:him|her|them)\b)[^.!?;:,]{1,100}?(?:,? (?:and |but )?(?:never|not|no|just|only) [^.,!?;:]{1,50})?)",
    r"(?:(?:and|also|so|please|btw|by the way),? )*(?:(?:(?:can|could|would|will) (?:you|u) (?:please )?)?(?:please )?"
    r"(?:(?:remember|be sure) to |make sure (?:to |you ))|(?:can|could|would|will) (?:you|u) (?:please )?(?=\w+ "
    rf"(?:{SAYS}|(?:give|show|send) me|write (?:{FIGURES}|to me|in))\b))"
    rf"(?P<each>(?:always|never) {_TO_DO} (?!(?:him|her|them|your)\b)(?:[^.!?;:]|(?<=\d)[:.](?=\d)){{3,120}}?)"
    r"(?: for me)?",
    r"(?:(?:and|also|so|but|please|ok|okay),? )*you (?:can|may) (?:please |also |probably )?(?P<halts>stop (?:giving"
    r"|showing|sending) me (?!(?:an?|this|that|it|these|those)\b)[^.!?;,]{5,60}?)",
    # What comes too often: "stop asking me how I am", "don't tell me it's fine every time".
    r"(?:(?:and|also|so|please|pls|just|can you|could you|you can|btw|by the way),? )*(?P<stops>(?:stop|quit) (?:asking"
    r" (?:me )?(?:how|if|whether|what|why|when|where)(?=[^.!?;,]* (?:i|i'm|i've|my|we|our)\b)"
    r"|telling me (?!(?:about|this|the (?:story|plot)|you(?:'re|'ll| are| will))\b)"
    r"|(?:reminding|thanking|congratulating|praising|reassuring|complimenting|wishing) me)"
    r" ?(?:(?! and\b)[^.!?;,]){0,80}?)",
    r"(?:(?:and|also|so|please|pls|just|btw|by the way),? )*(?P<forbids>(?:don'?t|do not|never|no need to) (?:tell|ask"
    r"|remind|thank|praise|congratulate|say|start|end|open|repeat|wish)"
    rf" (?!(?:him|her|them|anyone|anybody)\b)[^.!?;,]{{2,80}}? (?:{_TOO_OFTEN}))",
)
# What may stand behind a wish: a word, and why it is wished.
BEHIND_WISH = (
    r"(?:,? (?:please|pls|plz|thanks|thx|tho|though|haha|lol|ok|okay|by the way|btw|now|any ?more)\b)*"
    r"(?P<why>(?:,| -| –|,? because|,? since|, for|,? so(?: that)?)(?: and)? (?:(?:an?|one)(?: \w+){1,6}? (?:is|are)"
    r" (?:enough|fine|ok|okay|plenty)|i|i'm|i'd|i've|my|it|it's|its|that|that's|this|they"
    r"|we|feels|looks|sounds|makes)\b[^?;]{0,140}?)?[.!?]*"
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


_NAME = r"(?-i:(?:M(?:r|rs|s|iss)\.? |D(?:octo)?r\.? |Prof(?:essor|\.)? )?[A-ZÀ-Þ])[\w'-]{1,20}"
_IS_FINE = (
    rf"(?:just |plain )?(?P<new>{_NAME})(?:(?:'s| is| will be| would be) (?:just |perfectly |totally |quite )*(?:fine"
    r"|ok|okay|good|enough|better|great|perfect)| will do| works)(?: (?:by|with|for) me)?(?:,? thanks| too)?[.!]*"
)
_NOT_CALLED = (
    r"(?:you (?:(?:don'?t|do not|no longer) (?:need|have) to|needn'?t)|no need to) call me"
    rf" (?P<old>(?!(?-i:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Tomorrow|Tonight){_NAME}|sir|madam|ma'am|miss|doctor"
    r"|professor|boss|mate|dude)\b(?: any ?more)?(?:,? (?:by the way|you know|though|btw))?"
)
_UNCALLED = regex(
    rf"{ASKING}{_NOT_CALLED}(?:[,;.–-]+ (?:it|that)(?:'s| is| feels| sounds| makes)[^.!?;]{{2,60}}?)?"
    rf"(?:[.!]*|(?: [–-]|[,;.–-]+) (?:and |but )?{_IS_FINE})",
    re.IGNORECASE,
)
_CALLED_INSTEAD = regex(_IS_FINE, re.IGNORECASE)
_LIFTS_NAME = regex(rf"(?:{_NOT_CALLED}|\b(?:stop|quit) calling me \w)", re.IGNORECASE)
# "Recipes can be long again": of what else is written, where it lifts an earlier wish.
_MAY_BE = regex(
    rf"{ASKING}(?P<whose>your |the )?(?P<what>{ANSWERS}|recipes|explanations|summaries|messages|descriptions|examples"
    r"|stories) (?:can|may) be (?:as )?(?P<how>long(?:er)?|short(?:er)?|brief(?:er)?|(?:more )?detailed)"
    r"(?P<again>(?: (?:again|now|after all|from now on))*)(?:,? (?:though|please|too|if needed|as you like))*[.!]*",
    re.IGNORECASE,
)
_OF_LENGTH = regex(r"\b(?:short\w*|brief\w*|long\w*|length|detail\w*)\b", re.IGNORECASE)
_OF_A_KIND = regex(
    rf"{ASKING}(?P<case>(?:for|in|with) (?:any|all|code|coding|programming|maths?|technical|tech|cooking|grammar"
    r"|health|medical|legal|travel) (?:[a-z]+ )?(?:questions?|answers|problems|requests|topics|stuff|things|examples"
    rf"|recipes)),? (?:please |just |always )*(?P<one>(?:{NEVER_DO} )?{_TO_DO} (?!.*\b(?:\d|an?|one|two|three"
    rf"|five|ten|this|that|these|it)\b)[^.!?;:]{{3,100}}?)(?:,? (?:and|but) (?:please )?(?P<two>(?:{NEVER_DO}|always)"
    rf" {_TO_DO} [^.!?;:]{{3,100}}?))?(?:,? (?:please|thanks))*[.!]*",
    re.IGNORECASE,
)


def called_instead(sentence: str, before: str) -> str | None:
    """Return a name that the speaker need not be called by, or the one that will do instead, as an order."""
    found = None if _OF_OTHERS.search(sentence) else _UNCALLED.fullmatch(sentence)
    if found is not None and found["new"] is None:
        return f"From now on, no longer call me {found['old']}."
    found = found or (_CALLED_INSTEAD.fullmatch(sentence) if _LIFTS_NAME.search(before) else None)
    return None if found is None else f"From now on, call me {found['new']}."


def allowed_length(sentence: str, before: str) -> str | None:
    """Return what may be longer or shorter than it was wished before as an order: "recipes can be long again"."""
    found = _MAY_BE.fullmatch(sentence)
    if found is None:
        return None
    what, is_short = found["what"].lower(), found["how"].lower().startswith(("short", "brief"))
    if regex(ANSWERS).fullmatch(what):
        return f"From now on, feel free to give {found['how'].lower()} {what}."
    if not (found["again"] or found["whose"] or _OF_LENGTH.search(before)):
        return None
    return f"From now on, no longer keep {what} {'long' if is_short else 'short'}."


def _of_a_kind(sentence: str) -> str | None:
    """Return what is wished for questions of one kind as orders, one by one."""
    found = _OF_A_KIND.fullmatch(sentence)
    if found is None:
        return None
    orders = [f"{found['one']} {found['case'].lower()}", *filter(None, (found["two"],))]
    return " ".join(f"From now on, {_NEGATED.sub('never ', _small_start(one))}." for one in orders)


# What others are told or say, and what holds for one piece of work.
_OF_OTHERS = regex(
    r"\b(?:i told (?:my|the|him|her|them|our)|(?:says|said) (?:my|the|our)|my [\w ]{3,20} (?:says|said)"
    r"|(?:ask|call) (?:my|the)|(?:this|the) (?:game|story|homework|essay|exam|book))\b",
    re.IGNORECASE,
)
_RECURS = tuple(regex(f"{one}{BEHIND_WISH}", re.IGNORECASE) for one in _RECURRING)
# "Tell me what to say if I ask for more", "explain the fine if I make a mistake": a question of the case itself.
_ASKS_WHAT = regex(
    rf"(?=.*{_I_CASE})(?:(?!(?:.{{0,30}}\b)?(?:can|could|would|will) (?:you|u)\b).*\?$"
    r"|.*\b(?:tell|show|explain|list|describe|give)\b.*\b(?:what|how|why|whether)\b"
    r"|(?:(?:please|and|also|just),? )*(?!please\b|and\b|also\b|just\b|can\b|could\b"
    r"|correct\b|assume\b|answer\b|reply\b|use\b|translate\b|convert\b|keep\b"
    r"|always\b|never\b|don'?t\b)[a-z]+ [^,]*? (?:when(?:ever)?|if|each time|every time) i\b)",
    re.IGNORECASE,
)
_TO_ME_AT_ALL = regex(r"when(?:ever)? (?:you|u) \w+(?: back)?(?: to)? me", re.IGNORECASE)
_SPELLING_AND = regex(rf"(?<=use )({SPELLING} (?:spelling|English)) and (?=(?:degrees )?{UNIT}\b)", re.IGNORECASE)
_TELLS_WHY = regex(
    r"[ ,–-]*(?:(?:because|since|for|and) )*(?P<said>(?:i|i'm|i'd|i've|my|we)\b(?!.*\b(?:it|them|that|they)\b).*)", re.I
)
# "I'd be grateful if you spared me the emojis": politely, and behind another wish.
_SPARED = regex(
    r"(?:(?:and|also|please) )*(?:(?:i|it|that)(?:'d| would)(?: be| find it)? [^.,!?;]{3,30} if )?(?:you(?:'d| would"
    rf"| could)? )?spared? me (?:the |any |all |your )*(?P<what>{SEVERAL}|{PARTS})[.!?]*",
    re.IGNORECASE,
)
_NEGATED = regex(r"^(?:always )?(?:don'?t|do not|no need to) ", re.IGNORECASE)


def recurring_in(sentence: str) -> str | None:
    """Return a wish for every such case, or of what comes too often, as an order; what tells why stands behind it."""
    found = next((one for pattern in _RECURS if (one := pattern.fullmatch(sentence)) is not None), None)
    if _OF_OTHERS.search(sentence) or (found is not None and _ASKS_WHAT.match(sentence)):
        return None
    if found is None:
        spared = _SPARED.fullmatch(sentence)
        return f"From now on, never use {spared['what']}." if spared is not None else _of_a_kind(sentence)
    groups = found.groupdict()
    order = next(groups[name] for name in ("order", "does", "each", "halts", "stops", "forbids") if groups.get(name))
    case = groups.get("case") or groups.get("first")
    order = f"{order} {_small_start(case or '')}" if groups.get("first") else order
    if case and _TO_ME_AT_ALL.fullmatch(case):
        order = order.removesuffix(f" {case}")
    order = _NEGATED.sub("never ", _small_start(order)).removeprefix("also ")
    told = f"From now on, {order}."
    told = _SPELLING_AND.sub(lambda two: f"{two[1]}. From now on, use ", told)
    why = tell_why(groups["why"])
    return f"{told} {recurring_in(why) or why}" if why else told


def tell_why(why: str | None) -> str:
    """Return what is told of the speaker behind a wish, as a sentence; empty where it cannot be told alone."""
    found = _TELLS_WHY.fullmatch(why or "")
    return "" if found is None else f"{found['said'][:1].upper()}{found['said'][1:]}."
