"""What an English clause tells: its kind, and whether it is worth keeping at all."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.text.words import terms
from memoryos_core.values.facts import FactKind

_FAMILY = (
    "wife|husband|spouse|partner|fiancée?|girlfriend|boyfriend|son|daughter|kids?|children|child|baby|mother|mom|mum|"
    "father|dad|parents?|brother|sister|siblings?|twins?|aunt(?:ie)?|uncle|cousins?|nephew|niece|grand(?:ma|pa|mother|father|"
    "parents?|son|daughter|kids|children)|friends?|buddy|roommate|flatmate|neighbou?rs?|boss|manager|colleagues?|coworkers?|"
    "teammates?|mentor|family|in-laws|stepson|stepdaughter|ex"
)
_PETS = "dogs?|cats?|pup(?:py|pies)?|kittens?|pets?|horse|bird|parrot|fish|turtles?|hamster|rabbit|snake"
_JOBS = (
    "accountant|actor|actress|analyst|architect|artist|baker|banker|barista|biologist|carpenter|chef|chemist|coach|"
    "consultant|counsel(?:l)?or|dancer|dentist|designer|developer|director|doctor|editor|electrician|engineer|"
    "entrepreneur|farmer|firefighter|florist|freelancer|gardener|hairdresser|historian|journalist|lawyer|lecturer|"
    "librarian|manager|mechanic|midwife|musician|nurse|officer|painter|paramedic|pharmacist|photographer|physicist|pilot|"
    "plumber|producer|professor|programmer|psychologist|researcher|salesman|scientist|singer|social worker|soldier|"
    "streamer|student|surgeon|teacher|technologist|therapist|trainer|translator|tutor|veteran|vet|veterinarian|volunteer|"
    "waiter|waitress|writer"
)


def _compile(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


# In the order in which they are tried: a clause may show the signs of several.
_KINDS: tuple[tuple[FactKind, re.Pattern[str]], ...] = (
    (
        "instruction",
        _compile(
            r"""^(?:please,?\s|from\snow\son,?\s|in\s(?:the\s)?future,?\s|also,?\s|and\s|just\s|you\s(?:should|must|can)\s)*
            (?:(?:always|never|don't\sever|do\snot\sever)\s(?:(?-i:[a-z]+ly)\s)?(?:(?:answer|reply|respond|write|use|call|speak|talk|include|provide|show|give|explain|format|keep|add|remind|ask|start|begin|end|list|tell|send|highlight|mention|suggest|recommend|confirm|report|check|cite|state|present|offer|return|put|summari[sz]e|translate|round|convert|combine|specify|describe|note|display|quote|sign|refer|address|assume|let|make|tailor|maintain|propose|compare|consider|warn|avoid|attach|number|label|structure|document|verify|test|break)\b|(?=.{0,120}\b(?:when(?:ever)?|if|every\stime)\si\b))|call\sme\s(?!back|when|if|later)
             |(?:answer|reply|respond|write|talk|speak)\s(?:to\sme\s)?(?:in|with|only|briefly)\s
             |keep\s(?:your|the)\s(?:answers|replies|responses)|make\ssure\s(?:to\salways|you\s(?:always|never)|your\s(?:answers|replies|responses))
             |(?:don't|do\snot)\s(?:use|call|suggest|recommend|mention)\s|use\s(?:metric|imperial|celsius|british|american)\b)
            |\bfrom\snow\son\b|\b(?:whenever|every\stime|each\stime)\si\s(?:ask|mention|say)\b|\bwhen\si\sask\s(?:about|for|you)\b
            |\bi(?:'d|\swould)?\s(?:want|like|need|expect)\syou\sto\s(?:always|never)\b"""
        ),
    ),
    (
        "identity",
        _compile(
            rf"""\bmy\s(?:full\s|first\s|last\s|real\s|nick)?name(?:'s|\sis)\b|\bi(?:'m|\sam)\scalled\b|\bi\swas\sborn\b|\bmy\s(?:birthday|pronouns|hometown|job|address|e-?mail|phone\snumber|age)(?:'s|\sis|\sare)\b
            |\bi(?:'m|\sam)\s(?:\w+\s)?(?:(?-i:from\s(?:\w+\s){{0,2}}[A-Z])|based|\d{{1,2}}(?:\syears\sold)?\b|allergic|vegan|vegetarian|diabetic|married|single|divorced|engaged|retired|pregnant|transgender|gay|lesbian|bisexual)\b
            |\bi(?:'m|\sam|\swas|'ve\sbeen|\shave\sbeen|\swork\sas)\s(?:\w+\s)?(?:an?\s|the\s)(?:[\w/-]+\s){{0,4}}(?:{_JOBS})s?\b
            |\b(?:i|we)(?:\s(?:currently|now|still|also|actually))?\s(?:live|lived|work|worked|study|studied)\s(?:in|at|for|as|with|near)\b|\bi\shave\s(?:an?\s)?(?:\w+\s)?(?:allergy|diabetes|asthma|celiac)\b"""
        ),
    ),
    (
        "preference",
        _compile(
            r"""\b(?:prefer(?:s|red)?|prioriti[sz]e|favou?rites?|can't\sstand|fan\sof|go-to|i(?:'d|\swould)\srather|allergic|passionate\sabout|keen\son|obsessed\swith|my\spassion)\b
            |\b(?:i|we)(?:\s(?:really|also|absolutely|just|do|still|always|particularly|especially|totally|don't|do\snot|never))*\s(?:love|like|enjoy|hate|dislike|adore|avoid|value|cherish)\b(?!\sto\s(?:thank|know)|\syou\b)
            |\bi(?:'m|\sam)\s(?:really\s|so\s|totally\s|more\s|a\sbig\s)*(?:into|interested\sin|fond\sof)\b"""
        ),
    ),
    (
        "change",
        _compile(
            r"""\b(?:no\slonger|anymore|any\smore|switched|swapped|moved|relocated|quit|changed|instead\sof|replaced|migrated|postponed|rescheduled|cancell?ed|upgraded|downgraded|adjusted|extended|shifted|reduced|increased|decreased|improved|dropped|gave\sup|given\sup|broke\sup|divorced|retired|promoted|resigned|got\s(?:fired|laid\soff)|lost\smy|updated|revised|converted|used\sto|now\s(?!that)|recently|these\sdays|stopped|started|began|turned)\b"""
        ),
    ),
    (
        "plan",
        _compile(
            r"""\b(?:going\sto|gonna|plan(?:s|ned|ning)?|will|won't|hop(?:e|es|ing)\sto|want(?:s|ed|ing)?\sto|wanna|would\slike\sto|'d\slike\sto|'d\slove\sto|need(?:s)?\sto|have\sto|trying\sto|aim(?:s|ing)?|intend(?:s|ing)?|decided|deciding|considering|thinking\s(?:of|about)|looking\s(?:forward|into|for|to)|working\son|preparing|prepping|targeting|goal|deadline|due|upcoming|scheduled|appointment|tomorrow|tonight|next\s(?:week|weekend|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|can't\swait|dream(?:s|ing)?|saving\s(?:up\s)?for|ready\sto)\b|\w'll\b"""
        ),
    ),
    (
        "relation",
        _compile(
            rf"""\b(?:my|our|his|her)\s(?:\w+\s){{0,2}}(?:{_FAMILY})(?:'s)?\b|\b(?:married|dating|engaged|met|friends\swith|adopted)\b"""
        ),
    ),
    (
        "possession",
        _compile(
            rf"""\b(?:my|our)\s(?:\w+\s){{0,2}}(?:{_PETS}|car|bike|house|flat|apartment|home|guitar|piano|camera|garden|phone|laptop|collection|shop|store|business|studio|company)\b
            |\b(?:i|we)(?:\s(?:also|now|still|just|already|actually|currently))?(?:'ve|\shave|\shad|\sown|\sowned|\sgot|\sbought|'ve\sgot|\shave\sgot|\skeep)\s(?:an?|two|three|four|five|\d+|some|this|these|the|my|our)\s"""
        ),
    ),
)
_PAST = re.compile(
    r"\b(?:went|was|were|had|did|got|made|took|saw|met|came|won|lost|bought|found|gave|told|said|ran|ate|drove|flew|wrote|"
    r"read|quit|put|set|hit|cut|hurt|cost|taught|spent|left|felt|heard|built|began|kept|thought|held|led|sold|been|done|[a-z]{2,14}ed)\b"
)

_LEAD = re.compile(
    r"""(?:
    (?:oh|ooh|well|yes|yeah|yea|yep|yup|no|nope|nah|ok|okay|sure|hm+|haha\w*|lol|wow|whoa|and|but|so|also|plus|actually|honestly
    |absolutely|definitely|exactly|totally|right|anyway|besides|hey|hi|hello|g'day|alright|cool|great|nice|awesome|perfect|thanks
    |thank\syou|thx|cheers|sorry|aww*|ah|btw|by\sthe\sway|of\scourse|you\sknow|i\smean|then|however|though|for\ssure|no\sworries
    |trust\sme|(?:no\s)?wait|correction|believe\sme|certainly|in\sfact|to\sbe\shonest|tbh|or|agreed|true|indeed|good|speaking\sof\swhich|guess\swhat|first\soff|unfortunately
    |fortunately|luckily|thankfully|sadly|finally|excellent|fantastic|wonderful|mate|bro|man|dude|understood|congrats|congratulations)
    \s*[,!.…:-]+\s*
    | (?:and|but|plus|anyway|also|so(?=\s(?:i|we|my|our|the|that|it|you|so|please|can|could|how|what)\b)|well|yeah|yes|actually|oh|because|though|although|
        (?:since|as|considering(?:\sthat)?|given\sthat|while|hey|hi|ok|okay|thanks)(?=\s(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'll|my|our)\b))\s+
    )+""",
    re.IGNORECASE | re.VERBOSE,
)
_EMOJI = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]+")


_GREETING = r"(?:hey|hi|hello|oh|wow|yeah|yes|thanks|thank you|well|sure|ok|okay|no|aw+|cool|congrats|nice|great|sorry|totally|haha|of course)"
_SINCE = re.compile(
    r"^(?:since (?:we|our|my) last [^,.]{0,40}|since we last [^,.]{0,40}|since we (?:talked|spoke|chatted|met)[^,.]{0,20}|long time no \w+)[,!.]?\s*",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def _address(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a name, or its short form, with which a speaker addresses the other at either end of a clause."""
    short = rf"{re.escape(name[:3])}{''.join(f'(?:{re.escape(c)}' for c in name[3:])}{')?' * len(name[3:])}(?:y|ie)?"
    head = re.compile(rf"(?:{_GREETING}[\s,!]+)?{short}\s?[,!.:-]+\s*", re.IGNORECASE)
    return head, re.compile(rf",?\s+{short}\s?([.!]*)$", re.IGNORECASE)


def trim(clause: str, other: str | None) -> str:
    """Return the clause without greetings, address and small words at its ends. `other` is the name of the hearer."""
    text = _EMOJI.sub(" ", clause).strip(" \"“”'()-–—,;")
    head, tail = _address(other[:40]) if other else (None, None)
    for _ in range(4):
        cut = (head.match(text) if head else None) or _LEAD.match(text) or _SINCE.match(text)
        if not cut or not cut.end():
            break
        text = text[cut.end() :]
    text = _TOLD.sub("", text)
    if tail:
        text = tail.sub(r"\1", text)
    return text.strip(' ,;"“”')


_ASKS = _compile(
    r"""^(?:can|could|would|will|may|shall|do|does|did|is|are|am|was|were|have|has|had|should|how|what|what's|where|why|who|whose|when\s(?:did|do|is|are|will)|any\s(?:tips|advice|ideas|suggestions|thoughts|other|chance)
    |help\s(?:me|us)|tell\s(?:me|us)|give\s(?:me|us)|show\s(?:me|us)|explain|let\s(?:me|us)|let's|lets|please|here's|here\sis|here\sare|remind\sme|teach\sme|provide|suggest|walk\sme|guide|write|generate|create|review|check|list|summari[sz]e|keep\s(?:it\sup|up|going|me|in)|take\scare|have\s(?:a|fun)|good\sluck|wish\sme|imagine|look\sat|see\syou|talk\s(?:to\syou\s)?(?:soon|later)|don't\s(?:worry|give\sup|forget)|enjoy|stay|hope|wishing|sounds|looks|same|looking\sgood|wonder|congrat\w*|happy\s(?:to\shear|for)|glad|so\sglad|proud|nice|great|love\s(?:that|it|this|your|how)|thanks|thank)\b"""
)
_UNRESOLVED = _compile(
    r"""^(?:it|it's|its|it'll|it'd|that|that's|that'll|this|this's|these|those|there|there's|they|they're|they've|he|he's|she|she's|them|which|who|one|both|some|someone|something|everything|everyone|nothing|the\s(?:same|former|latter|first|second|one|other))\b"""
)
_TALK = _compile(
    r"""\b(?:i|we)(?:\s(?:really|still|also|do|would|totally|just|can|can't|completely|definitely|so|truly|don't|couldn't|could))*\s
        (?:guess|suppose|agree|understand|imagine|doubt|appreciate|bet|wonder|wish\syou|hear\syou|see\syour|feel\syou|get\s(?:it|that|you|what)|know\swhat|know\show|know\sright|know\syou|hope\s(?:you|that|it|this|your|everything)|mean\b)
    | \bi(?:'m|\sam)\s(?:so\s|really\s|very\s|just\s|truly\s|super\s|always\s)*(?:glad|happy|proud|sorry|thankful|grateful|excited|thrilled|stoked)\s(?:you|for\syou|of\syou|to\shear|that\syou|your|about\sthat|it|i\scould|for\sthe\s(?:support|help))
    | \bi(?:'m|\sam)\s(?:not\s)?(?:sure|certain|curious|confused|stuck|wondering|worried|concerned|unsure|here\sfor\syou|lost|all\sears|in[.!]*$)
    | \bi(?:'m|\sam)?\s(?:do\snot|don't|not)\s(?:know|mind|understand|get|sure|think\sso)\b
    | \b(?:thank|thanks|congrats|congratulations|good\sluck|sounds\s(?:great|good|like|fun|amazing)|you\sgot\sthis|you're\s(?:an?|so|doing|the|right|welcome)|take\scare|talk\ssoon|see\syou|let\sme\sknow|keep\sit\sup|keep\sup\sthe|no\sproblem|count\sme\sin|means?\s(?:a\slot|so\smuch|the\sworld)|proud\sof\syou|rooting\sfor|happy\sfor\syou|inspiring\sto\ssee|make\ssense|can't\sagree\smore|couldn't\sagree)\b
    | ^i\s(?:will|can|do|did|am|know|see)(?:\s(?:too|that|it|so|indeed|do))?[.!]*$
    | ^(?:i\sthink\sso|i\slove\s(?:it|that|this|your)|i'll\s(?:try|do\sit|check\s(?:it|them)\sout|keep\syou\s\w+|let\syou\sknow|definitely|be\s(?:here|there|sure))|i'm\s(?:here|good|fine|doing\s\w+|ready|on\sit|all\sfor))\b[^,]{0,24}[.!]*$
    """
)
_PROBLEM = _compile(
    r"""\b(?:(?:having|have|had|facing|encountering|ran\sinto|run\sinto)\s(?:some\s|a\s|an\s)?(?:trouble|issues?|problems?|difficult\w+|hard\stime)|struggling|not\sworking|figure\sout|make\ssure|better\sunderstand|best\s(?:way|approach|practices?)|wondering|i\sneed\s(?:some\s)?help|help\s(?:me|with|us)|advice|suggestions?|any\stips|feedback|i\sthink\si\s(?:might|need|should)|not\sgetting|staring\sat)\b"""
)
_FIRST = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|we|we're|we've|we'll|we'd|our|us)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z0-9,;:'\")] )(?!I\b|I')[A-Z][\w'-]+")
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|thousand|first|second|third|twice)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this|past|every)\s(?:\w+)|ago|since|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"january|february|march|april|june|july|august|september|october|november|december|years?|months?|weeks?|daily|weekly|monthly|summer|winter|autumn|spring|christmas|easter)\b",
    re.IGNORECASE,
)
_LIGHT = frozenset(
    """
    realli great good nice amaz awesom cool love like feel feel thing way lot time make made think know get got go see look
    thank happi excit glad proud sure hope help great need want keep come say tell yeah wow oh hey much mani even still back
    one bit way someth anyth everyth realli today day bring best better hard tough fun enjoy incred inspir special reward
    import amaz truli life peopl work tri actual pretti definit ye ok okai sound great share support appreci
    """.split()
)


_REMINDER = _compile(
    r"""^(?:please\s|can\syou\s|could\syou\s)?(?:remind\sme|don't\slet\sme\sforget)\s(?P<what>(?:to|about|that|on|of|in|at)\s.{3,300})$"""
)
_TOLD = re.compile(
    r"^(?:please )?(?:remember|note|keep in mind|don't forget|fyi|for your information)(?: that|,|:)?\s+(?=(?:i|i'm|i've|i'll|my|we|we're|our)\b)",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:moved|shifted|postponed|rescheduled|extended|delayed|changed|pushed|scheduled|booked|set)\b.{0,80}\b(?:to|for|until)\b",
    re.IGNORECASE,
)


def reminder_in(clause: str) -> str | None:
    """Return what the speaker wants to be reminded of: "to call Ana" of "Remind me to call Ana."."""
    found = _REMINDER.match(clause)
    return found.group("what") if found else None


def is_ahead(clause: str, kind: FactKind) -> bool:
    """Return whether a time in the clause lies ahead, unless it says otherwise."""
    return kind == "plan" or not _PAST.search(clause) or bool(_AHEAD.search(clause))


def without_own_name(clause: str, name: str) -> str:
    """Return the clause without the "I'm Tom" of a speaker whose name is known."""
    own = re.match(
        rf"(?:i'm|i am|this is|it's|my name is) {re.escape(name)}\b(?:[,;.!]|\s+and\b|$)\s*", clause, re.IGNORECASE
    )
    return clause[own.end() :] if own else clause


def kind_of(clause: str) -> FactKind:
    """Return the kind of the clause."""
    for kind, pattern in _KINDS:
        if pattern.search(clause):
            return kind
    return "event" if _PAST.search(clause) else "state"


def is_request(clause: str) -> bool:
    """Return whether the clause asks the hearer, or speaks to them only."""
    return bool(_ASKS.match(clause)) and reminder_in(clause) is None


def is_unresolved(clause: str) -> bool:
    """Return whether the subject of the clause stands in another sentence."""
    return bool(_UNRESOLVED.match(clause))


def is_talk(clause: str) -> bool:
    """Return whether the clause only keeps the conversation going."""
    return bool(_TALK.search(clause))


_SIGNS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (0.5, _FIRST),
    (0.4, re.compile(r"^(?:i|we|my|our)\b", re.IGNORECASE)),
    (0.4, _NAME),
    (0.5, re.compile(r"\d")),
    (0.2, _NUMBER),
    (0.3, _TIME),
    (-0.7, re.compile(r"\b(?:if|would|could|might|maybe|should|whether|perhaps|wonder\w*)\b", re.IGNORECASE)),
    (
        -0.6,
        re.compile(
            r"\b(?:i|we) (?:think|guess|believe|know|see|understand|remember|heard|feel like)\b|\bwe (?:all|both)\b",
            re.IGNORECASE,
        ),
    ),
    (-0.5, re.compile(r"\b(?:it|that|this|them|these|those|there)\b", re.IGNORECASE)),
    (-0.6, re.compile(r"\b(?:here|check (?:it|this)|pic|photo|picture|take a look)\b", re.IGNORECASE)),
    (-0.3, re.compile(r"\b(?:feel|feels|felt|glad|happy|excited|amazing|awesome|great|nice)\b", re.IGNORECASE)),
    (-0.3, re.compile(r"n't\b|\bnot\b")),
    (-0.4, re.compile(r":")),
    (-0.7, _PROBLEM),
    (-0.6, re.compile(r"\b(?:make|making) sure\b|\btried\b|\berrors?\b|\bissues?\b", re.IGNORECASE)),
)
_WORTH_OF_KIND: dict[FactKind, float] = {
    "instruction": 3.0, "identity": 0.9, "preference": 0.7, "change": 0.7, "relation": 0.3, "possession": 0.2, "plan": 0.1, "event": -0.1, "state": -0.3,
}  # fmt: skip


_NOTHING, _FEWEST_SPACES = -9.0, 3
_LABEL = re.compile(r"[^:]{1,40}:")


def worth(clause: str, kind: FactKind) -> float:
    """How much a clause is worth keeping: its content, what it speaks of, and how sure it is."""
    stems = set(terms(clause))
    content = len(stems - _LIGHT)
    own = bool(_FIRST.search(clause))
    if content == 0 or (len(stems) < 2 and kind != "identity") or (not own and clause.count(" ") < _FEWEST_SPACES):
        return _NOTHING
    strange = 0.0 if own else -0.3 if _NAME.search(clause) else -0.6
    if not own and _LABEL.match(clause):
        strange -= 0.8
    return (
        strange
        + 0.3 * min(content, 5)
        + _WORTH_OF_KIND[kind]
        + sum(value for value, sign in _SIGNS if sign.search(clause))
    )


_ROLE = _compile(
    r"""^(?:from\snow\son,?\s|please\s|now\s)*(?:you\sare|you're|you\swill\sbe|your\sname\sis|i'll\scall\syou|act\sas|pretend\sto\sbe|play\sthe\srole\sof)\s
    (?:going\sto\sbe\s)?((?:an?\s|the\s|my\s|[A-Z])[^,;]{2,120}?)[.!]*$"""
)
_ORDER = _compile(
    r"""^(?:please,?\s|from\snow\son,?\s|in\s(?:the\s)?future,?\s|also,?\s|and\s|just\s|you\s(?:should|must)\s)*
    (?P<order>(?:always|never|don't|do\snot|call|answer|reply|respond|write|talk|speak|keep|make|use)\s.{3,400})"""
)
_WISH = _compile(
    r"""^i(?:'d|\swould)?\s(?:also\s|really\s|just\s)?(?:want|like|need|expect)\syou\sto\s(?P<order>[a-z'].{3,400})"""
)


def role_given(clause: str) -> str | None:
    """Return what the hearer is told to be, if the clause tells it."""
    found = _ROLE.match(clause)
    return found.group(1).replace("my ", "the user's ") if found and not is_talk(clause) else None


def order_given(clause: str) -> str | None:
    """Return what the hearer is to do: "always answer in French" of "Please always answer in French."."""
    found = _WISH.match(clause) or (_ORDER.match(clause) if kind_of(clause) == "instruction" else None)
    if not found:
        return None
    order = found.group("order")
    negated = re.match(r"(?:don't|do not)\s+(?:ever\s+)?", order, re.IGNORECASE)
    return f"never {order[negated.end() :]}" if negated else order


_PROMISE = _compile(
    r"""^(?:i(?:'ll|\swill|'ve|\shave)\s(?:also\s|now\s|just\s|already\s)*(?:remember|remind|note[d]?|keep|kept|save[d]?|send|sent|check|updat\w+|draft\w*|book\w*|schedul\w+|prepar\w+|add\w*|record\w*|log\w*|follow|monitor|track|suspend\w*|set|get|hold|make|made|create[d]?|adjust\w*|confirm\w*|finali[sz]e\w*|generat\w+|call|use|reschedul\w+|cancel\w*|initiat\w+)
    |my\s(?:full\s)?name(?:'s|\sis)|i(?:'m|\sam)\s(?:called|named)|i\swas\s(?:trained|built|made|created)|i\spromise)\b"""
)


def is_promise(clause: str) -> bool:
    """Return whether an assistant speaks of itself: what it is called, what it has done or promises to do."""
    return bool(_PROMISE.match(clause))


_JOINTS = {"but": ", but ", "because": " because ", "since": " because ", "so": ", so "}


def joint_of(clause: str) -> str:
    """Return what joins a clause to the one before it."""
    return _JOINTS.get(clause.partition(" ")[0].lower(), ", and ")


_FELT = "excited|happy|glad|proud|interested|thrilled|tired|stoked|ready|grateful|busy|obsessed|determined|inspired|pumped|nervous|hooked"
_NO_SUBJECT: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?:always |never |also |just )?been [a-z]", re.IGNORECASE), "I've "),
    (re.compile(rf"(?:so |really |super |just |still |always )*(?:{_FELT})\b(?! by)", re.IGNORECASE), "I'm "),
    (
        re.compile(
            r"(?:just |currently |also |still |now |already )*(?:gonna|working|looking|thinking|planning|trying|going|getting|running|targeting|using|"
            r"considering|aiming|preparing|hoping|learning|heading|saving|reading|taking|starting|moving|building)\b"
            r"(?! (?:\w+ ){0,5}(?:is|was|has|makes|made|helps|helped|gives|can|will|takes|brings)\b)",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (re.compile(r"(?:can't|couldn't) wait\b", re.IGNORECASE), "I "),
    (
        re.compile(
            r"(?:just |really |also )*(?:love|loving|prefer|enjoy|hate|miss|need|want|plan)\b (?!is|was|it\b|that\b|your|this)",
            re.IGNORECASE,
        ),
        "I ",
    ),
    (
        re.compile(
            r"(?:just |finally |already |recently |also |even |actually )*(?:got|went|had|took|made|found|bought|saw|met|won|lost|came|started|"
            r"finished|decided|tried|joined|moved|signed|worked|played|visited|spent|ran|read|wrote|watched|learned|learnt|planned|used|fixed|added|"
            r"completed|set|chose|created|attended|received|booked|scheduled|quit|sold|built|caught|grew|married|adopted|passed|hired|ordered|hosted)\b"
            r"(?! (?:is|was|has|by)\b)",
            re.IGNORECASE,
        ),
        "I ",
    ),
)


def with_subject(clause: str) -> str:
    """Return the clause with the "I" that was left out: "Just moved to Porto." becomes "I just moved to Porto."."""
    for pattern, subject in _NO_SUBJECT:
        if pattern.match(clause):
            return subject + clause[:1].lower() + clause[1:]
    return clause


_BARE = _compile(
    r"""^(?!(?:i|we|you|it|that|this|they|he|she|there|not|no|yes|thanks|thank|just|really|don't|can't|so|sure|glad|hey|hi|wow)\b)[^?]*$"""
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|'s|am|has|have|had|do|does|did|will|would|can|could)\b|'(?:s|m|re|ve|ll)\b", re.IGNORECASE
)


def is_bare(answer: str) -> bool:
    """Return whether an answer is a name, a number, a time or a place, and no sentence."""
    if not _BARE.match(answer) or _VERB.search(answer):
        return False
    return bool(_NUMBER.search(answer) or _TIME.search(answer) or re.search(r"\b[A-Z]", answer))
