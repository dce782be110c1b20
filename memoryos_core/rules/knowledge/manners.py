"""Name the manners of answering, as a message tells an assistant of them: patterns, and the order that each is."""

from __future__ import annotations

import re

from memoryos_core.rules.knowledge.manner_words import (
    A_MESSAGE,
    ANSWERS,
    AT_A_PLACE,
    AT_MOST,
    COUNT,
    DEGREE,
    DOES,
    DOING,
    EASE,
    FIGURES,
    FILLER,
    FORM,
    HARD_WORDS,
    KIND,
    LANGUAGES,
    LENGTHS,
    OPENLY,
    ORNAMENT,
    PART,
    PARTS,
    SAID,
    SAYS,
    SEVERAL,
    SPELLING,
    STYLE,
    TO_OTHERS,
    TONE,
    UNIT,
    WORK_AT_HAND,
    allowed_length,
    called_instead,
    recurring_in,
)
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.wishes import wish_in
from memoryos_core.rules.text.words import regex, with_marks

__all__ = ["ANNOYS", "HATED", "MANNERS", "NEVER", "put_plainly"]

_MANY = r"(?:any (?:of (?:the |those |these ))?|the |so many |too many |all these |all those |those |these |more )?"
NEVER = r"(?:don'?t|do not|never)"
_STOP = r"(?:stop|quit)"
_MAY = (
    r"(?:you (?:can|may|could|are allowed to)(?: (?:also|probably|as well))? |you're allowed to |feel free to "
    r"|it's (?:ok|okay|fine) to )"
)
_NEED_NOT = r"(?:you (?:(?:do not|don't|dont|no longer) (?:need|have) to|needn't) |(?:there(?:'s| is) )?no need to )"
_LEAVE = (
    rf"(?:{_MAY})?(?:please )?(?:stop|quit|skip|drop|lose|ditch|leave out|leave off|cut|omit|scrap|do without|forget)"
    r"(?: (?:with|adding|giving me|doing|putting|using|including|writing|all))? "
)
_THE = r"(?:(?:the|an?|that|any|all|your|those) )?"
_ANY = r"[^.,!?;]{3,80}"
_STILL = r"(?= (?:now|any ?more|any longer|from now on|these days)\b)"
HATED = r"(?:hate|dislike|can't stand|don't (?:like|need|want|care for)|have no use for) (?:them|it|that|those)"
ANNOYS = r"(?:they|it|that|this) (?:really |just )?(?:annoys?|bothers?|distracts?|irritates?) me"
# What comes again and again, and not the one thing at hand: "comments in the code", but not "that comment".
_OF_ANY = (
    r"(?!(?:the|an?|my|him|her)\b)(?:(?!\b(?:it|this|that|these|those)\b)[^.,!?;]){3,60}?(?= (?:any ?more|any longer"
    r"|now|from now on)\b)"
)
_PARTS_OF_ANSWERS = (
    rf"{_MANY}(?:{SEVERAL}|{PARTS}(?: (?:in|to|into|with) (?:the |my |your |all |any )?(?:code|answers|text|replies"
    r"|scripts|examples))?)"
)
# A case that comes again: "when you give me recipes", but not "when you write the email".
_CASE = (
    r"(?:when(?:ever)?|if) you (?:(?:answer|reply|respond|(?:talk|write|speak)(?= to me))(?: to)?(?: me)?"
    r"(?=,| (?:please|just|always|keep|use|put|write|give|add|don'?t|do not|never)\b)"
    r"|(?:give|write|make|send|show|tell) me (?!(?:the|this|that|a|an|my)\b)(?:[a-z]+ ){0,2}?[a-z]+s"
    r"|(?:compare|explain|suggest|recommend|list) (?!(?:the|this|that|a|an|my|it)\b)(?:[a-z]+ ){0,2}?[a-z]+s)"
)
_DAYS_TEXT = (
    "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Tomorrow|Tonight|January|February|March|April|June|July"
    "|August|September|October|November|December"
)
_TOUCH = r"(?:(?:talk|speak|chat|joke|ask(?: me)?)(?: to me)? about|mention|bring up|discuss)"
_TOPIC = (
    rf"(?:(?:my|our) (?:late |dead )?(?:ex(?:-\w+)?|boss|{KIN})\b[^.,!?;]{{0,40}}?|(?-i:(?!I\b)[A-ZÀ-Þ])[\w'-]{{2,20}})"
)
_SIGN = (
    r"(?:pound|dollar|euro|yen|currency|percent(?:age)?|hash|number|ampersand|at|exclamation|question|plus|minus|equals?"
    r"|star|em|en|long|all|block|section|degree|arrow|rupee)"
)
_AT_FIVE = r"(?:5|five|10|ten|a (?:child|kid|beginner)|stupid)"
MANNERS = (
    rf"(?:be|stay|keep (?:it|things|(?:your |the |all )?{ANSWERS})) {DEGREE}{TONE}(?:(?: and|,) {DEGREE}{TONE})*"
    rf"(?:{AT_MOST})?",
    rf"(?:keep|write|give me) (?:your |the |all )?{ANSWERS} in {FORM}",
    rf"(?:{_MAY})?(?P<stop>{_STOP} (?:with|using|adding|giving me|putting(?: in)?|including|writing)"
    rf" {_PARTS_OF_ANSWERS})",
    rf"{_MAY}(?P<halt>stop (?:(?!{WORK_AT_HAND}){DOING}|(?:giving|showing) me(?: the)?) {_OF_ANY})",
    rf"{_NEED_NOT}(?P<lifted>{SAYS} {_OF_ANY}|(?:use|add|include|write|give me|put(?: in)?) {_PARTS_OF_ANSWERS}"
    rf"|(?:be|stay) (?:so |too |this |that )?(?:{TONE}|{STYLE}))",
    # "Drop the quote at the end" may be of a draft at hand; what stops went on.
    rf"(?:{_LEAVE}(?={_ANY}{_STILL})|(?:{_MAY})?{_STOP} (?:with |doing |adding |using |giving me |putting |including )?"
    rf"(?=.{{3,40}}{AT_A_PLACE}))(?P<left_out>{_THE}(?:{PART}|{PARTS}|{SEVERAL})(?:{AT_A_PLACE})?)",
    rf"no need for (?P<unneeded>(?:the|that|any|your|those) {PART}(?:{AT_A_PLACE}|{_STILL}))",
    rf"no need for (?P<needless>(?!apologies(?! (?:in|any ?more|from)\b)){_PARTS_OF_ANSWERS}"
    rf"|(?:simple|easy|plain) (?:words|language|English)|{LENGTHS})",
    rf"(?:{_MAY}|we can ){_TOUCH} (?P<open>{_TOPIC})",
    rf"{_MAY}(?P<permitted>(?!{TO_OTHERS}){DOES} (?!(?:the|an?|him|her|it|this|that|these|those)\b)"
    r"[^.,!?;]{3,60}? again)",
    rf"(?:(?:forget|scrap|drop|ignore) (?:what i said about|(?:the|my) rule (?:about|on)|the no)|forget about the)[- ]"
    r"(?:the |using |no )?"
    rf"(?P<scrapped>{SEVERAL}|{PARTS}|{PART}|{LENGTHS})(?:[- ](?:rule|thing|ban))?"
    r"(?: in (?:the|your) (?:code|answers))?",
    rf"i don't mind (?P<minded>{SEVERAL}|{LENGTHS})",
    r"stop (?:talking|speaking|writing)(?: to me)? like (?!(?:that|this)\b|[^.,!?;]* in (?:the|my)\b)[^.,!?;]{2,40}",
    # Without the words behind it, it is of the answer at hand.
    rf"(?P<full>give me more details?) in (?:all|all your|your) {ANSWERS}",
    rf"keep (?:your |my |all )?(?:recipes|explanations|summaries|descriptions|examples) {DEGREE}{TONE}",
    rf"keep (?:(?:it|things|the tone) {STYLE}|the tone (?:light|warm|neutral))(?: with me)?",
    rf"{_MAY}(?P<relaxed>be {STYLE})",
    rf"(?:{_MAY})?(?P<eased>{EASE}) (?:on|with) me(?: (?:a |just )*(?:small |little |tiny |wee )?(?:bit|little|touch))?"
    r"(?: (?:now|actually|though|please|pls))*(?:[,;]? [^?]{2,80})?",
    r"be (?:tough|strict|harsh|brutal)(?:er)? (?:with|on) me",
    rf"(?:{_MAY})?(?P<kind>be {KIND} (?:with|to|on) me)",
    rf"(?:{_MAY}|let's )?go back to (?:the |using |giving me )?(?:(?P<back>{SEVERAL}|{PARTS}|{UNIT}"
    rf"|{SPELLING} (?:spelling|English))|(?P<back_to>{LENGTHS})|(?P<back_in>(?-i:{LANGUAGES}))"
    r"|calling me (?P<back_call>(?-i:[A-Z])[\w-]{1,30}))",
    rf"(?:be|stay) {DEGREE}(?:{STYLE}|{OPENLY}) (?:(?:with|to|towards) me|in (?:all )?your {SAID})"
    rf"|(?:talk|speak|write) to me (?:more )?{STYLE}(?:ly)?",
    rf"(?:use )?(?P<spelling>{SPELLING} (?:spelling|English))",
    r"no (?P<unsaid>['\"“‘][^'\"”’]{2,40}['\"”’])",
    r"(?:talk|speak|write) to me like an? (?:[a-z]+ )?(?:person|human(?: being)?|friend|adult|grown-?up|mate|pal)"
    r"(?:,?(?: please| pls)?,? (?:and )?not (?:like )?an? [a-z ]{3,20})?",
    r"(?:give me|use|write|answer (?:me )?in) (?:bullet ?points|bullets|lists|tables|short sentences|plain text)"
    r"(?: please)?,? (?:(?:and )?not|instead of|rather than) (?:in )?(?:long )?(?:paragraphs|prose|essays|sentences)",
    rf"(?:{_NEED_NOT}|{NEVER} )(?P<uncorrected>correct my (?:[\w ]{{0,20}})?(?:mistakes|english|grammar|spelling))",
    rf"(?:{_MAY})?(?:drop|lose|skip|ditch|scrap) (?:the|that) (?P<thing>{SEVERAL}|{PARTS}|{PART}|{LENGTHS})"
    r"[- ](?:rule|thing|business)",
    # Words and signs that are to go: not "stop saying lovely things about her", nor "stop putting salt in my tea".
    rf"{_STOP} (?:saying|writing|using|repeating) (?:the words? )?(?:['\"“‘][^'\"”’]{{2,40}}['\"”’]"
    r"|(?!(?:that|it|this|so|no|yes|things|stuff|anything|nothing|everything|what|goodbye|hello|sorry|drugs|public)\b)[a-z'-]{2,15}"
    r"(?= (?:all the time|so much|so often|every time|in every|again|please|pls)\b|[.!]*$))"
    r"(?: (?:all the time|so much|so often|every time|in every (?:answer|message|reply|sentence)))?",
    rf"(?:{_STOP} (?:putting|adding|using|including|writing|sticking)|{NEVER} (?:put|add|use|include|write|stick)|no)"
    rf" (?:any |the )?(?:[£$€¥%&*#]|{_SIGN})[ -](?:signs?|symbols?|asterisks|dashes|capitals)"
    r"(?: (?:in|on|into|to|at|next to|before) (?:(?:my|your|the|any|all)(?: (?:my|the))? [a-z][a-z ]{2,30}?"
    r"|(?:things|anything|everything|what|whatever|stuff|text)(?: that)? (?:i|you) [a-z][a-z ]{2,30}?))?",
    rf"(?:{NEVER} (?:do|give me|show me)|{_STOP} (?:doing|giving me|showing me)"
    r"|no(?= [a-z]+ (?:(?:at|on|with) me|please|pls|in (?:your|the) answers)\b))"
    r" (?P<sums>(?:the |any )?(?:maths?|sums|arithmetic|calculations|algebra|equations|formulas))"
    r"(?: (?:at|on|with) me)?",
    r"make it (?P<size>bigger|larger),? (?:the|your) (?:writing|text|letters|font|print)",
    r"(?:make (?:(?:the |your )?(?:writing|letters)|your (?:text|font|print|words))"
    r"|(?:write|type)(?: (?:it|everything|things))?)"
    r" (?P<bigger>(?:a (?:bit|lot) |much )?(?:bigger|larger))",
    rf"always explain(?: (?:stuff|things|it|everything))? like i(?:'?m| am) (?P<grown>{_AT_FIVE})",
    rf"explain(?: (?:stuff|things|it|everything))? like i(?:'?m| am) (?P<small>{_AT_FIVE})"
    r"(?= (?:always|every time|from now on)\b)(?: every time)?",
    rf"(?:answer|reply|write|give(?: me)? (?:answers|figures|everything)|stick to|keep) (?:it |everything )?(?:in )?"
    rf"(?P<in_unit>{UNIT})(?= (?:always|please|pls|from now on|only)\b|[.!?]*$)",
    rf"{NEVER} (?:suggest|recommend|offer me|bring up) (?!(?:that|this|the|it|those|these|an?|him|her|them|me|us"
    r"|to|any\w*|some\w*|nothing|more)\b|[^.,!?;]*\b(?:yet|now|today|tonight|here)\b)[a-z][^.,!?;]{2,50}",
    rf"{_STOP} apologi[sz]ing(?: so much| all the time)?|stop saying sorry(?: in every answer| all the time)?",
    r"(?:you can )?(?P<uncalled>stop calling me (?-i:[A-Z])[\w-]{1,30})",
    r"stop repeating my questions?|get (?:straight )?to the point",
    rf"(?:stop|{NEVER}) (?:start|end|begin|open|clos)(?:ing|e)? (?:your |every |each |an? |all )?{A_MESSAGE} with"
    r" [^.,!?;]{2,60}",
    r"stop being (?:so )?(?:formal|polite|verbose|wordy|long-winded|chatty|cheerful|vague|dramatic|preachy|repetitive"
    r"|patroni[sz]ing|condescending|robotic)",
    rf"{_STOP} (?:lecturing|flattering|nagging|patroni[sz]ing) me(?: about [^.,!?;]{{3,40}})?",
    r"stop (?:asking me about|mentioning|bringing up|suggesting|recommending)"
    r" (?!(?:that|this|the|it|those|these|an?)\b)[a-z][^.,!?;]{2,50}",
    r"(?:skip|leave out|spare me|cut out|cut) (?:the |all |any |your )*"
    rf"{FILLER}(?:(?: and|,| or) (?:the )?{FILLER})*",
    rf"{NEVER} (?:(?:be )?using|use|add|include|write|give me|send(?: me)?) {_MANY}(?:{SEVERAL}|{LENGTHS})",
    r"(?:answer|reply|respond|write)(?: to me)? (?:very |more |really )?(?:briefly|concisely|succinctly|shortly)",
    rf"{NEVER} (?:apologi[sz]e|lecture me|say sorry|sugar-?coat (?:it|things|anything)|flatter me)",
    r"use (?:more |some )?(?:emojis|bullet ?points|bullets)",
    rf"(?:answer|reply|respond|talk)(?: to me)?(?: only)? in {LANGUAGES}(?: only)?",
    # What lifts a wish in words of its own: "you can swear again", "switch back to English", "one emoji is fine".
    rf"{_MAY}(?P<swears>(?:swear|curse|cuss)(?: (?:at me|a (?:bit|little)))?)(?= again| now|[.!]*$)",
    rf"(?:can we |let's |please )?(?:switch|change|go)(?: back to| to(?=[^.,!?;]*\bagain\b)|(?<=switch) to)"
    rf" (?P<switched>{LANGUAGES})",
    rf"(?P<measures>(?:metric|imperial|{UNIT})(?:(?:,| and) {UNIT})?(?: units)?)"
    rf"(?:(?:,? please)?,? (?:and )?never {UNIT}(?: (?:or|and) {UNIT})?|(?=(?:,? please)?,? (?:from now on|again)\b))",
    r"(?:an?|one|a few|some|the odd|the occasional) (?P<few>emoji|smiley|joke|pun|table|list|bullet ?point|hashtag"
    r"|heading|exclamation mark)s?(?: or two|,? (?:now and then|here and there|once in a while))? (?:is|are)"
    r" (?:fine|ok|okay|all right|allowed)(?: with me| by me)?",
    # "Stop the gym thing" is of no answer.
    r"(?:stop|drop|lose|enough (?:with|of)) (?:the|that|this) (?P<persona>(?:pirate|robot|yoda|cowboy|surfer"
    r"|shakespeare|posh|british|rhyming|baby)(?=[- ]thing\b)|[a-z]{3,20}(?: [a-z]{3,20})?"
    r"(?=[- ](?:act|voice|accent|impression|persona|talk|speak)\b))[- ][a-z]+",
    rf"{_MAY}(?P<allowed>(?:use|write|add|include|give|do) (?:{SEVERAL}|{LENGTHS})(?: again)?)",
    # Tables and lists may be of the text at hand.
    rf"(?!(?:lists|tables|headings)\b.* now\b)(?P<fine>{ORNAMENT}|{LENGTHS}|{PARTS}(?=[^.,!?;]* again\b)) (?:are|is)"
    r" (?:fine|ok|okay|welcome|allowed|all right)(?: with me| by me)? (?:again|now)",
    rf"(?:no(?: more)?|enough (?:with|of) the) (?P<what>{SEVERAL})(?: anymore| any more)?",
    rf"(?:drop|lose|ditch) the (?P<dropped>{SEVERAL})",
    # Of what else an answer has, a draft at hand may have too much.
    rf"{_MAY}(?:skip|drop|lose|ditch|leave out|cut|omit) (?:the |all |any |your )*(?P<left>{PARTS}|{SEVERAL})",
    r"(?:skip|leave out|drop|ditch|lose) (?:the |all |any |your )*"
    r"(?P<skipped>(?:code )?(?:comments|docstrings|type hints))",
    rf"(?:{_MAY})?{_STOP} (?P<tongue>(?:answer|reply|respond|speak|talk|writ)ing(?: to me)? in {LANGUAGES})",
    rf"(?P<speak>{LANGUAGES}) is (?:fine|ok|okay|all right) (?:again|now)",
    r"stop correcting my (?:[\w ]{0,20})?(?:mistakes|english|grammar|spelling)",
    rf"{NEVER} (?:start|open|begin|end|close) with ['\"“‘][^'\"”’]{{2,40}}['\"”’](?: or anything [^.,!?;]{{2,20}})?",
    r"do explain (?:the |any )[\w ]{3,30}",
    rf"(?P<of>(?:fewer|less) {SEVERAL})",
    rf"(?:(?:give(?: me)?|send(?: me)?|write) )?(?P<give>{LENGTHS})",
    rf"keep (?:your |the |all )?(?:{ANSWERS}|messages) (?:under|below|within|to|at most) \d+"
    r" (?:words|sentences|lines)(?: unless i ask(?: for more)?)?",
    rf"(?P<only>{ORNAMENT}) only|(?:use|write in|speak in) (?:easy|simple|plain|clear) (?:words|english|language)",
    r"correct my (?:[\w ]{0,20})?(?:mistakes|english|grammar|spelling)"
    r"(?: always)?(?: at the end of (?:each|every) answer"
    r"| when(?:ever)? i (?:(?:write|type|speak)(?: to you)?|(?:write|type|say|make|get)(?: it)? [^.,!?;]{3,30}))?",
    r"sign off as (?-i:[A-Z])[\w ]{1,30}",
    rf"{NEVER} use (?:such |so |big |long |huge |endless )+(?:paragraphs|sentences|words)",
    r"(?:(?:give|show|put)(?: me)? )?"
    rf"(?P<unit>(?:(?:the|all) )?{FIGURES} in {UNIT}(?:,? and {FIGURES} (?:in|per) {UNIT}){{0,2}}(?: always)?)",
    # Without "always" it may be of the list at hand.
    rf"(?:(?:give|show|put|write)(?: me)? )?(?P<form>(?:(?:the|all|any) )?{FIGURES} (?:always |only ever )"
    r"(?:as|in|with) [^.,!?;]{2,40}?)",
    rf"(?:begin|start|end|finish|open|close) (?:every|each|(?:all|all of) your) {A_MESSAGE} with [^.!?;]{{3,80}}",
    rf"{NEVER} call me (?P<nickname>"
    r"(?!(?:at|on|before|after|in|back|when|if|for|about|again|until|a|an|that|this)\b)"
    r"[\w'-]{2,20}(?: (?!please|pls|ever|again|any)[\w'-]{2,20})?)(?= (?:please|pls|ever|again|any ?more)\b|[.!]*$)",
    r"i(?:'d| would)? (?:prefer|like|rather)(?: it)?(?:(?: if you(?: called|'d call| would call)"
    r"|(?: you)? to call| you called) me|(?: you)? to be called| be called)"
    r" (?P<wanted>(?-i:(?:M(?:r|rs|s|iss|x)\.? |Dr\.? |Professor )?[A-Z])[\w'-]{1,30}"
    r"(?: (?:until|till) [^,.!?]{3,40})?)(?:, if (?:it's|that's|it is) [^.?!]{3,60}|, if you [^.?!]{3,40})?",
    rf"use {UNIT}(?: and {UNIT})?(?: (?:for|in) (?!this|that|the)[\w ]{{3,30}})?",
    rf"keep (?:it|things|your {ANSWERS}) (?:to|under|within|below) (?:just )?{COUNT}"
    r" (?:lines|sentences|words|paragraphs)",
    rf"(?:write|answer|reply)(?: to me)? in {FORM}",
    r"(?:write|use|type)(?: everything| it all| all)? (?:in )?lowercase(?: and emojis)?(?: when [^.,!?;]{3,40})?",
    rf"(?P<case>{_CASE}),? (?:please |just |always )*(?P<does>(?:keep|be|stay|{DOES}|{NEVER})\b[^.,!?;]{{4,80}}?)",
    rf"(?<=(?<!can )you )always {DOES} (?!(?:it|that|this|them|these|those|him|her)\b)[^.,!?;]{{4,80}}",
    r"(?P<code>code only)(?:,? (?:please|pls))?"
    r"(?:,? no (?:explanations?|comments)(?: unless i ask(?: for (?:it|one))?)?)?",
    r"(?:only )?correct (?:only )?(?:the |my )?(?:big|large|serious|important|main) (?:ones|mistakes|errors)(?: only)?",
    r"(?P<big>you (?:do not|don't) (?:need|have) to correct (?:every|all|each) (?:small |little |single )?"
    r"(?:mistakes?|errors?)(?: any ?more| now)*(?:,? only the (?:big|large|important) ones)?)",
    rf"(?:you (?:can|may) )?(?P<long>use (?:the )?{HARD_WORDS}|write {FORM})(?: with me)?",
    rf"{_MAY}use (?:any|whatever|all the) (?P<any>words|terms)(?: that)? you (?:like|want|please|prefer|need)",
    r"(?:you can |you may )?(?P<more>(?:go|be) (?:longer|more detailed)(?: (?:when|for|if|with) [^.,!?;]{3,40})?)",
    rf"{_MAY}(?P<again>(?:write|answer|reply|talk) (?:longer|more|at length|in (?:more|full) detail))(?= again| now)",
    rf"(?:you can |you may )?(?:write|give)(?: me)? (?P<lengthy>(?:longer|more detailed|full) {ANSWERS})",
    r"(?:you can |you may )?(?P<line>(?:add|include|give me|write) an? (?:one-line |short |brief |little )?"
    r"(?:explanation|summary) (?:after|before|below|behind|with) (?:the|your|each|every) (?:code|answers?|snippets?))",
    rf"{_NEED_NOT}keep (?:it|things) (?:so |too )?(?P<keep>short|brief|concise|plain|simple)",
    r"(?:you can )?forget (?:about )?the (?P<limit>\d+)[- ]words? (?:thing|limit|rule|business)",
    r"(?:you can )?(?P<guess>stop making me guess(?: first)?)",
    r"(?:you (?:may|can)(?: as well)? |you (?:should|might) )?"
    rf"(?P<call>(?:call me|(?:address|refer to) me as) (?!(?:back|when|if|later|a|an|at|on|{_DAYS_TEXT})\b)"
    r"(?-i:(?:M(?:r|rs|s|iss)\.? |Dr\.? )?[A-Z])[\w'-]{1,30})"
    r"(?: after all| instead)?(?:,? (?:by the way,? )?(?:and not|rather than|not) [^.!?;]{2,40})?",
)
# Wishes told politely or from the back, which mean one of these manners.
_POLITE = (
    r"(?:(?:and|also|so|now|please|then|well|ok|okay|but),? )*"
    r"(?:i(?:'d| would| should) (?:find it (?:very |really |quite |most )?(?:useful|helpful|handy|nice|pleasant)|like"
    r" it|love it"
    r"|appreciate it|be (?:very |most |really )?(?:grateful|glad|happy|obliged|pleased)) if |it(?:'d| would) (?:be"
    r"|help) (?:\w+ )?if "
    r"|(?:can|could|would|will) you (?:please )?)?"
)
_AT_AN_END = r"at the (?:very )?(?P<end>end|bottom|foot)|at the (?:very )?(?:start|top|beginning|front)"
_PUTS = r"(?:put|add|write|give(?: me)?|include|have|place)"
_OF_EACH = (
    rf"(?:of (?:every|each|all(?: of)? your|your) {A_MESSAGE}"
    r"|when(?:ever)? you (?:answer|reply|respond)(?: to)?(?: me)?)"
)
_PUT_AT = (
    regex(
        rf"{_POLITE}(?:{_AT_AN_END}) {_OF_EACH},? (?:you(?:'d| would| could)? |please )*{_PUTS}"
        r" (?P<what>[^.,!?;]{3,70})[^.!?;]{0,120}[.!?]*",
        re.IGNORECASE,
    ),
    regex(
        rf"(?P<why>[^.!?;]{{0,120}}? so )?{_POLITE}(?:you(?:'d| would| could)? )?{_PUTS} (?P<what>(?:an?|one|some)"
        r" [^.,!?;]{3,60}?)"
        rf" (?:{_AT_AN_END}) {_OF_EACH}(?: please| pls)?[.!?]*",
        re.IGNORECASE,
    ),
)
_LEAVE_OFF = with_marks(
    "leav|drop|skip|stop|omit|los|cut",
    r"(?:(?:and|also|so|now|please|ok|okay|but|hey),? )*(?:(?:(?:can|could|would|will) (?:you|we)|would you mind|do"
    r" you mind|let's"
    r"|maybe|perhaps|please|just) )*(?:leav(?:e|ing) (?:off|out)|drop(?:ping)?|skip(?:ping)?|omit(?:ting)?|los(?:e"
    r"|ing)|cut(?:ting)? out"
    rf"|stop(?:ping)?(?: with)?) (?P<what>(?:the|those|these|your|all the) {PART})(?P<place>{AT_A_PLACE})?"
    r"(?: (?:now|from now on|any ?more|please|pls|thanks|again)(?=\W|$)){1,3}(?:[?.!]*$|,? (?:lol|haha|it's|its"
    r"|they're|they|i|but|because|-) .*)",
)
_NUMBERS = {
    "fifty": "50",
    "one hundred": "100",
    "a hundred": "100",
    "two hundred": "200",
    "three hundred": "300",
    "twenty": "20",
}
_NOT_EXCEED = with_marks(
    "exceed|more than|longer than",
    rf"(?:(?:first(?:ly)?|second(?:ly)?|also|and|please),? )*(?:your|all your|the) {ANSWERS} (?:should|must|may|shall"
    r"|are|ought) (?:not|never) (?:to )?"
    rf"(?:exceed|be (?:more|longer) than) (?P<n>\d+|{'|'.join(_NUMBERS)}) (?P<of>words|sentences|lines)[.!]*",
)
_AT_ANY_LENGTH = regex(
    r"(?:(?:and|so|now|but|from now on),? )*you (?:may|can) (?:now )?(?:write|answer|reply) (?:at (?:whatever|any)"
    r" length|as (?:long|much) as)\b[^?]{0,60}",
    re.IGNORECASE,
)


# "I'm off the drink, so stop suggesting wine", "I never use chemicals, so don't recommend any".
_FORBIDDEN = (
    rf"(?:(?:please|pls|just) )*(?P<order>(?:{_STOP} (?:suggesting|recommending|mentioning|offering me|bringing up)"
    rf"|{NEVER} (?:suggest|recommend|mention|offer me|bring up)) (?!(?:it|him|her|that|this|to)\b)"
    r"(?P<what>[^.,!?;]{2,60}?))"
    r"(?: (?:to me|any ?more|again|please|pls|thanks|now))*[.!]*"
)
_SO_NEVER = regex(rf"(?P<why>(?:i|we|my|our)\b[^.!?]{{3,140}}?),?(?: and)? so,? {_FORBIDDEN}", re.IGNORECASE)
_SO_ALONE = regex(rf"(?:(?:and|but) )?so,? {_FORBIDDEN}", re.IGNORECASE)
_OF_SELF = regex(r"(?:(?:and|but|well|so|ok|also|btw),? )*(?:i|we|my)\b(?!.*\b(?:if|today|tonight)\b)", re.IGNORECASE)
_ABSTAINS = regex(
    r"\b(?:don't|do not|never|can't|cannot|no longer)(?: really| ever)? (?:do|eat|drink|use|like|have|touch|want|smoke"
    r"|take|buy) (?P<what>[a-z][a-z -]{2,40}?)(?=[,.;!]|$| (?:on|in|at|because|since|any ?more)\b)"
    r"|\b(?:given|gave|giving) up (?P<left>[a-z][a-z -]{2,40}?)(?=[,.;!]|$)",
    re.IGNORECASE,
)


_NEAR = 160  # characters
# "I have guests tonight, so don't suggest nuts" is no order for ever.
_FOR_ONCE = regex(
    r"\b(?:if|today|tonight|tomorrow|this (?:week(?:end)?|evening|morning|afternoon|time|one|month)|right now"
    r"|at the moment|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)


def _forbidden(sentence: str, before: str) -> str | None:
    """Return what somebody does not want to be offered, and why, as sentences."""
    found = _SO_NEVER.fullmatch(sentence) or (
        _SO_ALONE.fullmatch(sentence) if _OF_SELF.match(before[-_NEAR:]) else None
    )
    if found is None:
        return None
    why, order = found.groupdict().get("why"), found["order"]
    if why and _FOR_ONCE.search(why):
        return f"{why}."
    if found["what"].lower() in ("any", "one", "some", "them"):
        abstains = _ABSTAINS.search(why or before)
        if abstains is None:
            return None
        order = f"{order.removesuffix(found['what'])}{abstains['what'] or abstains['left']}"
    told = f"From now on, {order[:1].lower()}{order[1:]}."
    return f"{why}. {told}" if why else told


def put_plainly(sentence: str, before: str = "", orders: int = 0) -> str | None:
    """Return a wish that is told politely or from the back in plain words; None for any other sentence.

    `orders` says how many a sentence has as it is: a wish without a verb is told where it has more.
    """
    if (forbidden := _forbidden(sentence, before)) is not None:
        return forbidden
    for pattern in _PUT_AT:
        if put := pattern.fullmatch(sentence):
            why = (put.groupdict().get("why") or "").removesuffix(" so ")
            order = f"{'End' if put['end'] else 'Begin'} every answer with {put['what'].strip()}."
            return f"{why}. {order}" if why else order
    if left := _LEAVE_OFF.fullmatch(sentence):
        return (
            f"Stop adding {left['what']}{left['place'] or ''}."
            if left["place"]
            else f"Skip {left['what']} from now on."
        )
    if limit := _NOT_EXCEED.fullmatch(sentence):
        return f"Keep your answers under {_NUMBERS.get(limit['n'].lower(), limit['n'])} {limit['of'].lower()}."
    if _AT_ANY_LENGTH.fullmatch(sentence):
        return "You can write at length now."
    told = recurring_in(sentence) or called_instead(sentence, before) or allowed_length(sentence, before)
    wish = wish_in(sentence, before) if told is None else None
    return told if wish is None or wish.count("From now on") <= orders else wish
