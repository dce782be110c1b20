"""The kind of an English clause, and whether it states anything: requests and mere talk do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from memoryos_core.extract.statement_subjects import FAMILY, JOBS, NAME, NUMBER, PETS
from memoryos_core.extract.third_person import is_past
from memoryos_core.rules.dates.tense import is_coming, is_over
from memoryos_core.rules.knowledge.drugs import DRUG
from memoryos_core.rules.text.words import at_start, fold_case, regex
from memoryos_core.values.facts import FactKind


def _compile(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE | re.VERBOSE)


def _of_lower(text: str) -> re.Pattern[str]:
    """Return a pattern for texts in lower case: alternatives are then tried three times as fast."""
    return regex(text, re.VERBOSE)


# In the order in which they are tried: a clause may show the signs of several.
_KINDS: tuple[tuple[FactKind, re.Pattern[str]], ...] = (
    (
        "instruction",
        at_start(
            r"""^(?:please,?\s|from\snow\son,?\s|in\s(?:the\s)?future,?\s|also,?\s|and\s|just\s|you\s(?:should
            |must|can)\s)*
            (?:(?:always|never|don't\sever|do\snot\sever)\s(?:(?-i:[a-z]+ly)\s)?(?:(?:answer|reply|respond|write
            |use|call|speak|talk|include|provide|show|give|explain|format|keep|add|remind|ask|start|begin|end
            |list|tell|send|highlight|mention|suggest|recommend|confirm|report|check|cite|state|present|offer|return|put|summari[sz]e|translate|round|convert|combine|specify|describe|note|display|quote|sign|refer|address|assume|let|make|tailor|maintain|propose|compare|consider|warn|avoid|attach|number|label|structure|document|comment|verify|test|break)\b|(?=.{0,120}\b(?:when(?:ever)?|if|every\stime)\si\b))
            |call\sme\s(?!back|when|if|later|(?:an?|crazy|mad|old|silly|weird|naive|stupid|lazy|paranoid|picky|fussy|boring|sad
             |cynical|nuts|daft|anything|whatever)\b)
             |(?:answer|reply|respond|write|talk|speak)\s(?:to\sme\s)?(?:in|with|only|briefly)\s
             |(?<=from\snow\son,\s)(?:stop|quit)\s\w+ing\s|keep\s(?:your|the)\s(?:answers|replies|responses)(?!\s(?:to|of)\s(?:the|this|my)\b)|make\ssure\s(?:to\salways|you\s(?:always|never)
             |your\s(?:answers|replies|responses))
             |(?:don't|do\snot)\s(?:(?:use|call|suggest|recommend|mention)\s
             |(?!.{0,120}\b(?:yet|now|here|this|that|today|tonight|tomorrow|said|says|told|allergic|intolerant)\b)
             (?:(?:give|send|show|offer)\s(?:me|us)\s(?!up\b|an?\s|the\s|it\b|those\b|false\b|ideas\b|grief\b|hope\b|home\b)
             |(?:ask|remind)\s(?:me|us)\s(?:about|for|to|whether)\s(?!it\b)|tell\s(?:me|us)\sto\s(?!do\sit)
             |(?:book|schedule|plan|arrange)\s(?:me\s)?(?:anything|meetings?|calls?|appointments?)\s(?:before|after|on|at)\s))
             |(?:correct|answer|explain|use|write|reply)\salways\s(?:my|the|your|in|with|all|every|as|to)\s|use\s(?:metric|imperial|celsius|british
             |american)\b)
            |^(?:don't|do\snot|never|just|keep|use|give)\s[^.?!]{3,80}\bwhen(?:ever)?\syou\s(?:answer|reply|respond)(?=[,.;!]|$)
            |^(?!.{0,120}(?:'s|\sis|\sare|\sgo(?:es)?\sout|\sstarts?|\sruns?|\smeets?)\s(?:on|at|every|from)\s)
             (?!(?:and\s|so\s|but\s)?(?:(?:my|our|the)\s)?(?:"""
            + FAMILY
            + r"""|he|she|they)(?:'s)?\s)
             (?!(?:and\s)?(?-i:[A-Z][a-z]+)\s(?:says?|said|want(?:s|ed)|told|(?:has|is)\s(?:called|decided|agreed|chosen|gone|a\s(?:new|day)|\w+days?))\b(?!.{0,120}\byou\b))
             (?!.{0,120}\b(?:i|we)(?:'ll|'m|'re|\s(?:will|am|are|have\sto|go|eat|work|live|drink|sleep|want\sto))\b
             (?!.{0,120}\b(?:you\sto|your\s(?:name|role|tone|style|voice|language)|answers?|repl(?:y|ies)|responses?)\b))
             .{0,160}\bfrom\snow\son\b
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
    ),
    (
        "instruction",
        fold_case(
            r"""\b(?:whenever|every\stime|each\stime)\si\s(?:ask|mention|say)\b
             (?!.{0,100}?\s(?:he|she|they|we|everyone|everybody|nobody|people)\s[a-z']+[^,]*$)
            |\bwhen\si\sask\s(?:about|for|you)\b
            |\bi(?:'d|\swould)?\s(?:want|like|need|expect)\syou\sto\s(?:always|never)\b""",
            flags=re.VERBOSE,
        ),
    ),
    (
        "identity",
        fold_case(
            rf"""\bmy\s(?:full\s|first\s|last\s|real\s|nick)?name(?:'s|\sis)\b|\bi(?:'m|\sam)\scalled\b
            |\bi\swas\sborn\b|\bi(?:(?:'m|\sam)\s(?:\w+\s)?on|\stake)\s(?:the\s)?{DRUG}\b|\ballergic\sto\b|\bintolerant\b
            |\bi\s(?:can't|can\snot|cannot|don't|do\snot|won't)\s(?:eat|drink)\b|\bmy\s(?:birthday|pronouns
        |hometown|job|address|e-?mail|phone\snumber|age)(?:'s
            |\sis|\sare)\b
            |\bi(?:'ve|\shave)\sbeen\s(?:\w+\s)?(?:vegan|vegetarian|diabetic|married|single|divorced|retired)\b
            |\bi(?:'m|\sam)\s(?:\w+\s)?(?:(?-i:from\s(?:\w+\s){{0,2}}[A-Z]\w+)|based|\d{{1,2}}(?:\syears\sold)?\b
            |allergic|vegan|vegetarian|pescatarian|teetotal|co?eliac|asthmatic|(?:type\s[12]\s)?diabetic|left-handed|right-handed|colou?r-?blind|dyslexic|autistic|married|single|divorced|engaged|retired|self-employed|unemployed|pregnant
            |trans(?:gender)?(?!-|\sfat)|non-?binary|gay|lesbian|bisexual|asexual|bilingual|trilingual|disabled(?!\s(?:by|in))|muslim|christian
            |jewish|hindu|sikh|buddhist|sunni|shia|anglican|lutheran|methodist|mormon|jain|catholic(?!\sabout)|protestant|an?\satheist|an?\sfreshman|a\ssophomore
            |on\s(?:keto(?!'s|\sforums?)|an?\s(?:\w+[\s-]){{0,2}}(?<!information\s)(?<!media\s)(?<!news\s)diet(?!\s(?:coke|pepsi|soda|cola)))
            |in\sthe\s(?:army|navy|air\sforce|marines|military|police)(?!\s(?:museum|shop|store|surplus|blue|station|reports?|section|base|of)))\b
            |\bi(?:'m|\sam|\swas|'ve\sbeen|\shave\sbeen|\swork\sas)\s(?:\w+\s)?(?:an?\s
            |the\s)(?:[\w/-]+\s){{0,4}}(?:{JOBS})s?\b
            |\b(?:i|we)(?:\s(?:currently|now|still|also|actually))?\s(?:live|lived|work|worked|study
            |studied)\s(?:in|at|for|as|with|near)\b|\bi\sseem\sto\slive\sin\b
            |\bi\shave\s(?:an?\s)?(?:\w+\s)?(?:allergy|diabetes|asthma
            |celiac|coeliac|pre-?diabetes|adhd|epilepsy|autism|dyslexia|tinnitus|arthritis|eczema|ibs|migraines?)\b""",
            flags=re.VERBOSE,
        ),
    ),
    (
        "preference",
        _of_lower(
            r"""\b(?:prefer(?:s|red)?|prioriti[sz]e|favou?rites?|can't\sstand|fan\sof|go-to|i(?:'d
            |\swould)\srather|allergic|passionate\sabout|keen\son|obsessed\swith|my\spassion)\b
            |\b(?:i|we)(?:\s(?:really|also|absolutely|just|do|still|always|particularly|especially|totally|don't
            |do\snot|never))*\s(?:love|like|enjoy|hate|dislike|adore|avoid|value|cherish)\b(?!\sto\s(?:thank
            |know)|\syou\b)
            |\bi\salways\s(?:want|take|choose|pick|order|book|ask\sfor|go\sfor)\b
            |\bi(?:'m|\sam)\s(?:really\s|so\s|totally\s|more\s|a\sbig\s)*(?:into|interested\sin|fond\sof)\b"""
        ),
    ),
    (
        "change",
        _of_lower(
            r"""\b(?:no\slonger|anymore|any\smore|switched|swapped|moved|relocated|quit|changed|instead\sof
            |replaced|migrated|postponed|rescheduled|cancell?ed|upgraded|downgraded|adjusted|extended|shifted|reduced|increased|decreased|improved|dropped|gave\sup|given\sup|broke\sup|split\sup|divorced|retired|promoted
            |resigned|pack(?:ed)?\sin|got\s(?:fired|laid\soff)|lost\smy|updated|revised|converted|used\sto|now\s(?!that)|recently
            |these\sdays|stopped|started|began|turned)\b"""
        ),
    ),
    (
        "plan",
        _of_lower(
            r"""\b(?:going\sto|gonna|plan(?:s|ned|ning)?|will|won't|hop(?:e|es|ing)\sto|want(?:s|ed|ing)?\sto
            |wanna|would\slike\sto|'d\slike\sto|'d\slove\sto|need(?:s)?\sto|have\sto|trying\sto|aim(?:s|ing)?|intend(?:s|ing)?|decided|deciding|considering|thinking\s(?:of|about)|looking\s(?:forward|into|for
            |to)|working\son|preparing|prepping|targeting|goal|deadline|due|upcoming|scheduled|appointment|tomorrow|tonight|next\s(?:week|weekend|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|can't\swait|dream(?:s|ing)?|saving\s(?:up\s)?for
            |ready\sto)\b|\w'll\b"""
        ),
    ),
    (
        "relation",
        _of_lower(
            rf"""\b(?:my|our|his|her)\s(?:\w+\s){{0,2}}(?:{FAMILY})(?:'s)?\b|\b(?:married|dating|engaged|met
            |friends\swith|adopted)\b"""
        ),
    ),
    (
        "possession",
        _of_lower(
            rf"""\b(?:my|our)\s(?:\w+\s){{0,2}}(?:{PETS}|car|bike|house|flat|apartment|home|guitar|piano|camera
            |garden|phone|laptop|collection|shop|store|business|studio|company)\b
            |\b(?:i|we)(?:\s(?:also|now|still|just|already|actually|currently))?(?:'ve|\shave|\shad|\sown|\sowned
            |\sgot|\sbought|'ve\sgot|\shave\sgot|\skeep)\s(?:an?|two|three|four|five|\d+|some|this|these|the|my
            |our)\s"""
        ),
    ),
)

_WITH_CAPITALS = ("instruction", "identity")
_PAST = regex(
    r"\b(?:went|was|were|had|did|got|made|took|saw|met|came|won|lost|bought|found|gave|told|said|ran|ate|drove|flew|"
    r"wrote|read|quit|put|set|hit|cut|hurt|cost|taught|spent|left|felt|heard|built|began|kept|thought|held|led|sold|"
    r"been|done|ha(?:s|ve) (?:just )?(?:come|gone|begun|given)|[a-z]{2,14}ed)\b"
)

_ASKS = _compile(
    r"""^(?:can|could|would|will|may|shall|do|does|did|is|are|am|was|were|have|has|had|should|how|what|what's
        |where|why|who|whose|when\s(?:did|do|is|are|will)|any\s(?:tips|advice|ideas|suggestions|thoughts|other|chance)
    |guess\s(?:who|what|where|which|how)|help\s(?:me|us)|tell\s(?:me|us)|give\s(?:me|us)|show\s(?:me|us)|explain|let\s(?:me|us)|let's|lets|please
        |heres|here's|here\sis|here\sare|remind\sme|teach\sme|provide|suggest|walk\sme|guide|write|generate|create
            |review|check|list|summari[sz]e|keep\s(?:it\sup|up|going|me|in)|take\scare|have\s(?:a|fun)|good\sluck
            |wish\sme|imagine|look\sat|see\syou|talk\s(?:to\syou\s)?(?:soon|later)|don't\s(?:worry|give\sup
            |forget)|enjoy|stay|hope|wishing|sounds|looks|same|looking\sgood|wonder|congrat\w*|happy\s(?:to\shear
            |for)|ask\sme|put\sa|glad|so\sglad|proud|nice|great|appreciate\s(?:the|your|it|that|you)|love\s(?:that|it|this|your|how)|thanks|thank)\b"""
)

# What stands anywhere and what stands at the beginning are apart, so that a place within a word is left at once.
_TALK = _of_lower(
    r"""\b(?:
        (?:keep|bear)\s(?:that|it|this|these|them)\sin\smind\b | (?:let|keep)\syou\s(?:know|posted|updated)\b
        | give\syou\sa\s(?:shout|call)\b
        | we(?:'ve|\shave|\shaven't)?\s(?:last\s)?(?:chatted|spoke|spoken|talked|caught\sup|met\sup)\b
        | i(?:'m|\sam|\scan|'ll|\swill)(?:\salways)?\s(?:be\s)?here\s
            (?:to\s(?:help|listen|lend|cheer)|for\syou|if\syou)\b
        | i\s(?:can|will|could)\shelp\syou(?:\sout)?[.!]*$
        | (?:keep\s(?:pushing|going|fighting)|never\sgive\sup|won't\sgive\sup)\b
        | (?:i|we)(?:\s(?:100\s?%|really|still|also|do|would|totally|just|can|can't|completely|definitely|so|truly|don't
            |couldn't|could))*\s
            (?:guess|suppose|agree|understand|imagine|doubt|appreciate|bet|wonder|wish\syou|hear\syou|see\syour
            |feel\syou|get\s(?:it|that|you|what)|know\swhat|know\show|know\sright|know\syou|hope\s(?:you|that|it
            |this|your|everything)|mean\b)
        | i(?:'m|\sam)\s(?:so\s|really\s|very\s|just\s|truly\s|super\s|always\s)*(?:glad|happy|proud|sorry|thankful
            |grateful|excited|thrilled|stoked)\s(?:you|for\syou|of\syou|to\shear|that\syou|your|about\sthat|it
            |i\scould|for\sthe\s(?:support|help))
        | i(?:'m|\sam)\s(?:not\s)?(?:sure|certain|curious|confused|stuck|wondering|worried|concerned|unsure
            |here\sfor\syou|lost|all\sears|in[.!]*$)
        | i(?:'m|\sam)?\s(?:do\snot|don't|not)\s(?:know|mind|understand|get|sure|think\sso)\b
        | (?:thank|thanks|congrats|congratulations|good\sluck|sounds\s(?:great|good|like|fun|amazing)
            |you\sgot\sthis|you're\s(?:an?|so|doing|the|right|welcome)|take\scare|talk\ssoon|see\syou|let\sme\sknow
            |keep\sit\sup|keep\sup\sthe|no\sproblem|count\sme\sin|means?\s(?:a\slot|so\smuch|the\sworld)
            |proud\sof\syou|rooting\sfor|happy\sfor\syou|inspiring\sto\ssee|make\ssense|can't\sagree\smore
            |couldn't\sagree)\b
        | (?:have|need|want|got)\sto\stell\syou(?:\sabout\s(?:this|that|it|the|a)\b[^,]{0,40})?[.!]*$
        | can't\swait\sto\s(?:share|tell|show)\b
        | love\sto\s(?:hear|see|know|read)\s(?:what|your?|how|about|more|it|that)\b
        | had\san?\s(?:really\s)?(?:rotten|bad|rough|tough|terrible|good|great|long|busy|hard|lovely|nice)\s(?:day|week
            |month|year|weekend|night|morning)[.!]*$
        | (?:be|keep|stay)\sin\stouch\b | (?:heard|hear|catch|see)\s(?:ya|you\s(?:later|soon|then))\b
        | get\sback\sto\syou\b | tell\syou\s(?:when|once|as\ssoon)\b | get\s(?:this|it)\sover\swith\b
        | i(?:'ll|\swill|'m|\sam|'m\sgoing\sto|\swant\sto)\s(?:be\s)?(?:paste|pasting|give|giving|provide
            |providing|show|showing|tell|telling|ask|asking)\s(?:you|ya)\b
        | can't\swait\sto\s(?:see|hear|try|read|check)\s(?:your?|it|that|them|what|how)\b
        | i\s(?:just\s|already\s)?(?:told|asked)\syou\b | (?:said|say)\s(?:yes|no|so)[.!]*$
        | ready\sto\s(?:go|start|begin|move\son)[.!]*$
    ) | ^(?:
        last\stime\swe\s(?:saw|met|hung)\b
        | (?:(?:ye|yes|yeah|yep|aye|i),?\s)*thought\s(?:so|as\smuch)\b
        | my\s(?:suggestion|advice|tip|recommendation)s?\s(?:is|are|would\sbe)\b(?!\sthat\si) | i\sdo,\s
        | i\s(?:will|can|do|did|am|know|see)(?:\s(?:too|that|it|so|indeed|do))?[.!]*$
        | (?:you|you're|you'll|you've)\s(?:(?:are|'re|will|gonna|going\sto|be|so|really|always|all)\s)*(?:gonna
            |going\sto\sbe|awesome|amazing|great|the\sbest)\b
        | i(?:'m|\sam)\s(?:so\s|really\s|very\s|just\s|truly\s|super\s|totally\s|feeling\s)*(?:glad|happy|proud|sorry
            |thankful
            |grateful|excited|thrilled|stoked|pumped|relieved|blessed|lucky|honou?red|touched|overwhelmed|exhausted|tired)
            (?:\s(?:and|but)\s(?:so\s|really\s)?\w+|\s(?:too|now|today|right\snow|again|about\s(?:it|that|this)|to\shave\s(?:it|that|you|this)\b.*))*[.!]*$
        | (?:once|as\ssoon\sas)\s(?:i|you)(?:'ve|\shave)?\s(?:got|get|see|hear|have|confirm)\b
        | (?:just\s)?(?:like|as)\si\s(?:said|told|mentioned)\b
        | (?:(?:and|now|please|just)\s)*(?:don't|do\snot)\s\w+\s(?:me|us|it|that|them)\b.{0,20}$
        | i(?:'m|\sam)\s(?:so\s|really\s|very\s|just\s|a\s(?:bit|little)\s)*(?:bored|tired|sleepy|hungry|starving
            |freezing|nervous|scared|anxious|knackered|shattered)
            (?:\s(?:stiff|silly|to\sdeath|out\sof\smy\smind))?[.!]*$
        | good\sto\s(?:hear|know|see)\b
        | (?:(?:so|and|but),?\s)*you(?:'re|\sare)\stelling\sme\b(?!.*\b(?:i|my|we|our)\b)
        | (?:as\slong\sas|like\slast\stime|just\sknowing|perhaps|remembering|in\s(?:summary|conclusion)
            |not\s(?:sure|that)\b)
        | (?:i\sthink\sso|i\slove\s(?:it|that|this|your)|i'll\s(?:try|do\sit|check\s(?:it|them)\sout|keep\syou\s\w+
            |let\syou\sknow|definitely|be\s(?:here|there|sure))|i'm\s(?:here|good|fine|doing\s(?!an?\b|my\b|freelance|keto|paleo|chemo|nights?\b|(?:\w+\s){1,2}at\s)\w+|ready|on\sit
            |all\sfor))\b[^,]{0,24}[.!]*$
    )
    """
)

_AHEAD = regex(
    r"\b(?:moved|shifted|postponed|rescheduled|extended|delayed|changed|pushed|scheduled|booked|"
    r"preponed|bumped|set|(?:brought|pulled|put) (?:[\w'-]+ ){0,5}?(?:back|off|forward))\b.{0,80}\b(?:to|for|until)\b"
    # What somebody put their name down for, with the day behind a comma: "Entered the Lakes 10k, 4 October".
    r"|^(?:(?:i|we)(?:'ve| have)? )?(?:just |finally )?(?:entered|enrolled|signed up)\b[^.;]{1,80},"
    r" (?:on )?(?:the )?(?:\w+day,? )?(?:the )?\d"
    r"|(?:\b(?:am|is|are)|['\u2019](?:m|re|(?P<s>s))) [^,.;]{0,30}"  # "I'm away till 13 May", whatever was before
    r"\b(?:un)?till? (?:the )?(?:(?(s)(?!)|end of)|\d{1,2}|[a-z]+ \d{1,2})\b",
    re.IGNORECASE,
)
# "The left one" has nobody who left, and "I get married on 12 December" tells of no past.
_NO_PAST = regex(
    r"\b(?:get|gets|getting|be|being) [a-z]+ed\b|\b(?:need|indeed|feed|bleed|speed|last (?:week|\w*day) (?=of|in))\b"
    r"|(?<=\bthe )left (?=(?:one|side|eye|ear|knee|hip|hand|wrist|elbow|shoulder|arm|leg|foot|ankle|breast|lung"
    r"|kidney)\b)|(?:\b(?:have|has)|['\u2019](?:ve|s)) got\b(?! (?:[a-z]+ed|rid|back|home|over|through|away)\b)",
    re.IGNORECASE,
)

_MOVED = regex(r"\b(?:i|we)(?:'ve| have)? (?:just |recently )?moved (?:in)?to [A-ZÀ-Þ]", re.IGNORECASE)


def is_ahead(clause: str, kind: FactKind) -> bool:
    """Return whether a time in the clause lies ahead, unless it says otherwise."""
    if kind == "plan" or is_coming(clause) or (_AHEAD.search(clause) and not _MOVED.search(clause)):
        return True
    plain = _NO_PAST.sub("", clause)
    return not _PAST.search(plain) and not any(is_past(word) for word in plain.lower().split())


def kind_of(clause: str) -> FactKind:
    """Return the kind of the clause."""
    lowered = clause.lower()
    for kind, pattern in _KINDS:
        if pattern.search(clause if kind in _WITH_CAPITALS else lowered) and not (kind == "plan" and is_over(clause)):
            return kind
    return "event" if _PAST.search(clause) else "state"


# A task for the hearer: "Describe the plan", "Now give me five names".
_TASK = _compile(
    r"""^(?:(?:now|just|then|also|please|so|ok|okay|next|instead|and|first|again|finally|only|go\sahead\sand)\s){0,2}
    (?:forget|ignore|describe|assess|identify|analy[sz]e|compare|discuss|define|design|develop|act|rewrite|rephrase|reword|translate
        |outline|calculate|find|make|give|stop|add|change|remove|fix|continue|answer|use|consider|choose|pick|select
        |draft|assume|state|name|convert|edit|improve|shorten|expand|elaborate|include|replace|propose|recommend
        |ask|tell|send|show|be|do|try|take|get|pretend|rate|rank|quote|solve|evaluate|classify
        |format|fill|finish|complete|explain|write|create|repeat|respond|speak|talk|specify|cover|follow|check
        |apply|pull|highlight|prepare|provide|suggest|list|generate|review|summari[sz]e|keep)
    \s(?:the|an?|this|that|these|those|it|them|me|us|my|your|all|some|any|each|every|what|how|why|like|as|on|for|to|up
        |\d+\w*|two|three|four|five|six|seven|ten|more|only|same)\b"""
)
# "Packing list for Orkney, please": nothing is told of the speaker.
_POLITE = regex(
    r"(?!(?:i|we|my|our)(?:'\w+)?\b)(?:[^.!?]{0,80}\b(?:please|plz|pls)(?:[,.!]|$| but\b| for \d)|(?!your|the\b)"
    r"(?:[\w'-]+ ){0,3}(?:recipe|idea|tip|suggestion)s? (?:for|on|with)\b(?!.*\b(?:is|are|was|has|have|i|we|\w+ed)\b))",
    re.IGNORECASE,
)
# An order that looks like what is told without its subject: "Plan please", "Read me the letter".
_ORDERED = regex(
    r"(?:(?:now|please|so|and|just|then|ok) )*(?:(?:[a-z]+ )?[a-z]+,? please[.!]*$"
    r"|(?:read|sing|knit|sew|bake|cook|draw|play|sign|book|order|fetch|bring|build|paint|pass|lend|grab|run|text|email"
    r"|ring) (?:me|us|(?:it|this|that|these|those) (?:for|to) (?:me|us))\b)",
    re.IGNORECASE,
)
# "Don't book it yet": over as soon as it is done.
_OF_THE_MOMENT = _compile(
    r"""^(?:(?:please|and|just|so),?\s)*(?:don't|do\snot)\s(?!ever\b|eat\b|drink|smoke|have\b|live|work|own\b|drive
        |like|feel|want|need|know|think|see\b|care|mind)\w+\b
    (?:[^,;]*\b(?:yet|today|(?:right|for|just)\snow)(?:[.!,;]|$)|.*\bjust\s(?:show|give|tell|send|list|do)\b)"""
)
_OF_MINE = regex(
    r"\b(?:my|our|i'm|i've|we're)\b|\bi (?!want|wanted|need|asked|gave|said|told|provided|just|uploaded|sent|shared"
    r"|wrote|mentioned|cooked|would|can|could|should|think|see|'|$)\w+",
    re.IGNORECASE,
)
# Whatever the speaker says of themselves behind it stays.
_IMPATIENT = regex(
    r"^(?:(?:so|now|look|just|please|and|but),? )*stop (?:\w+ing (?:\w+ ){0,2}and |with (?:the|your|all) "
    r"|(?:asking|talking|explaining|repeating|stalling|wasting|telling me|promising)\b(?! (?:me )?about))"
    r"(?!.*\b(?:i|i'm|i've|my|we|we're|our)\b)"
    r"|^(?:and )?now (?:all|as|the same|every|each|those|these)\b(?!.*\b(?:are|is|was|were|has|have|had"
    r"|goes?|got|can|will|i|my|we|our)\b)"
    r"|\bno more (?:talk\w*|excuses?|delays?|questions?|words|back and forth|promises|stalling|waiting|asking)\b"
    r"(?!.*\b(?:i|i'm|i've|my|we|we're|our)\b)",
    re.IGNORECASE,
)
_WISHED = regex(r"\bi(?:'d| would)? (?:\w+ )?(?:want|need|like|expect) you to\b", re.IGNORECASE)
# "We" of a sentence that does not begin with it is mostly everybody.
OWN = regex(r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me)\b|^(?:\w+,? )?(?:we|we're|we've|we'll|we'd|our)\b")
_WORDS_OF_A_MATTER = 14  # a task that is told at length tells what the speaker is about


@lru_cache(maxsize=1_024)  # each reader of a sentence asks
def is_request(clause: str, *, to_machine: bool = False) -> bool:
    """Return whether the clause asks the hearer, or speaks to them only.

    A task that an assistant gets may name what it is about: it tells of the speaker where it names something of theirs.
    """
    if _ASKS.match(clause) or _POLITE.match(clause) or is_ordered(clause) or is_of_the_moment(clause):
        return True
    is_task = _TASK.match(clause) is not None
    if to_machine and (_IMPATIENT.search(clause) or (is_task and not _OF_MINE.search(clause))):
        return True
    if not (is_task or _WISHED.search(clause)):
        return False
    return not NAME.search(clause) and (clause.count(" ") < _WORDS_OF_A_MATTER or not OWN.search(clause.lower()))


_KIN = regex(
    rf"(?<![\w'\"‘“])(?:my|our) (?P<who>(?:{FAMILY}|{PETS}))(?:,| called| named)? (?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ-]+))"
    r"(?=[.,;:!?]|'s\b|$| (?-i:[a-z]))(?! (?:or|were)\b)",
    re.IGNORECASE,
)
# "Give my dog Tylenol": the name is of what somebody gets. Days, months and words in capitals are no names.
_GIVEN = regex(
    r"\b(?:give|giving|feed|feeding|teach|teaching|tell|telling|explain to|buy|buying|get|getting|send|show|read|offer"
    r"|help|imagine|lend|bring|make|cook|call|calling|name|naming|rename|write(?: \w+){0,4} to|message to) $"
    r"|^[^\"“„]*[\"“„][^\"“”„]*$",
    re.IGNORECASE,
)
_NO_NAME_TEXT = """I She He You We They It Can Could Will Would Please Make Is Are Do Does The This That What When How
    Why Who Uber Skype Google Venmo Zoom Facetime Happy Merry Netflix Minecraft Roblox Marvel Barbie Lego Disney Spotify
    YouTube TikTok Next Title Sir Love Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March
    April May June July August September October November December Christmas Easter"""
_NO_NAME = frozenset(_NO_NAME_TEXT.split())


def with_kin(sentences: Iterable[str]) -> Iterator[str]:
    """Return the sentences, after a request also whom it names by the way: "Find a present for my sister Ada"."""
    for sentence in sentences:
        yield sentence
        kin = _KIN.search(sentence) if sentence.endswith("?") or is_request(sentence, to_machine=True) else None
        if kin is None or not kin.start() or kin["name"] in _NO_NAME or _GIVEN.search(sentence, 0, kin.start()):
            continue
        who = kin["who"].lower()
        if not who.startswith("ex") and not who.endswith(("s", "children")):
            yield f"I have {'an' if who[0] in 'aeiou' else 'a'} {who} called {kin['name']}."


_SUPPOSED = regex(
    r"(?:(?:and|but|so|or|also|well|ok),? )*(?:if|what if|suppos\w+|imagine|assuming|unless|in case"
    r"|(?:as|since|because|given that|now that|seeing as) (?:i(?:'m)?|we(?:'re)?|my(?: \w+){1,3}?)"
    r"(?:'ve| (?:am|are|have|has|all|both|last|always|often|just|already|supposedly))*"
    r" (?:sa(?:id|ys?|w)|told|ask(?:ed|s)?|talked|spoke|wrote|mention(?:ed|s)?|suggest(?:ed|s)?|recommend(?:ed|s)?"
    r"|advis(?:ed|es)|explain(?:ed|s)|point(?:ed|s) out|knows?|understand|see|read|hear|heard|remember|recall|think"
    r"|guess|believe|expect(?:ed)?|feared|hope|promised|pretend\w*|joking|kidding|was|were|would|could|might|may|should"
    r"|almost|nearly))\b",
    re.IGNORECASE,
)


def is_supposed(clause: str) -> bool:
    """Return whether a clause before a question is only thought of: "If I moved to Bergen"."""
    return _SUPPOSED.match(clause) is not None


def is_ordered(clause: str) -> bool:
    """Return whether the clause is an order to which no "I" belongs."""
    return _ORDERED.match(clause) is not None


def is_of_the_moment(clause: str) -> bool:
    """Return whether the clause forbids something for this once."""
    return _OF_THE_MOMENT.match(clause) is not None


def is_named(clause: str) -> bool:
    """Return whether the clause has a name or a number."""
    return bool(NAME.search(clause) or NUMBER.search(clause.lower()))


def is_talk(clause: str) -> bool:
    """Return whether the clause only keeps the conversation going."""
    return bool(_TALK.search(clause.lower()))
