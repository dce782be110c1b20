"""Sentences within one: a question with a statement, and what is typed without a stop."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

__all__ = ["before_question", "is_in_play", "question_apart", "told_to_remember", "without_pasted_below", "write_stops"]

# Without a mark: "I got an iPhone 15, any settings I should change", "what's a good meal, I'm allergic to nuts".
_ASKED_BEHIND = regex(
    r"^(?!.*\b(?:what|how)\b.*,)[^,]*(?:,[^,]*)*?(,\s+)(?="
    r"(?:any (?:\w+ (?:i|we|you|for)|(?:ideas|tips|suggestions|advice|thoughts)(?: please)?[.!]*$)"
    r"|what(?:'s|s)?(?! (?:with|an?)\b)"
    r"|how(?:'s|s)?|can you|could you|should (?:i|we)|is there|are there|do you|does it|will it)\b)",
    re.IGNORECASE,
)
_STATED_BEHIND = regex(
    r"^(?:what(?:'s| is| are| can| should| do)|how (?:do|can|much|many|should|long)|where (?:can|do|is|should)"
    r"|can you"
    r"|could you|should i|is there|are there|do you)\b[^,]*(,\s+)(?=(?:and |but )?(?:i'm|i am|i've|i have|we're"
    r"|we have"
    r"|my [\w ]{1,30}? (?:is|are|has|was|turns|wants|needs|likes|loves|hates|can't|doesn't))\b)",
    re.IGNORECASE,
)


# With no comma, either: "our cat ate a ribbon do I need to worry".
_ASKED_PLAINLY = regex(
    r"^(?!.*(?:,|\b(?:how|what|when|where|why|which|who|whether|nor|neither|so|never|only|than|as|if|hardly)\b))"
    r"(?:[\w'%.-]+ ){3,24}?[\w'%.-]+(\s)(?=(?:(?:do|should|can|could|shall|must) (?:i|we)"
    r"|(?:can|could) (?:he|she|they|it)"
    r"|(?:is|was) (?:it|that|this) (?:ok|okay|normal|bad|legal|safe|true|right|allowed|fine)) ?\b[\w' ]*$)",
    re.IGNORECASE,
)


def question_apart(sentence: str) -> list[str]:
    """Return a short sentence as what it states and what it asks, where it does both."""
    cut = (_STATED_BEHIND.match(sentence) or _ASKED_BEHIND.match(sentence)) if "," in sentence else None
    cut = cut or _ASKED_PLAINLY.match(sentence)
    return [sentence] if cut is None else [sentence[: cut.start(1)], sentence[cut.end(1) :]]


# What stands before such a question is told, if it is a sentence about the speaker: "I moved to Bergen, any tips?".
_ASKED_LAST = regex(
    r"^((?:(?:so|and|but|also|well|hey|hi),? )*(?!(?:i|we)(?:'\w+)? (?:want to know|need|wonder|think|guess|know"
    r"|asked"
    r"|talked|was told|heard|read)\b)(?:(?:i|we)(?:'\w+)?|(?:my|our) (?:[\w',-]+ ){1,4}?(?:is|are|has|have|was|loves"
    r"|likes|needs|wants|works|lives|goes|starts|takes|plays|turns|got|had)"
    # What others do to one: "Doc is putting me on statins, anything to expect?"
    r"|(?!(?:what|who|how|where|why|when|which|if|there|here|this|that|it|is|are|was|has|have)\b)(?:(?:the|my|our) )?"
    r"[\w.]+(?: [\w.]+)?(?:'s| is| are| has| have| put| puts| gave| gives| took| moved| wants)(?= [^?,]*?"
    r"\b(?:me|my|us|our)\b))\b[^?]{4,}?),\s+"
    r"(?:(?:which|whose|when|any|anything|is|isn't|are|aren't)\s[^,]*|thoughts|advice|tips|ideas|suggestions)\?$",
    re.IGNORECASE,
)


def before_question(sentence: str) -> str:
    """Return a sentence without the question that it ends with, where what stands before is told."""
    asked = _ASKED_LAST.match(sentence)
    return sentence if asked is None else asked[1]


# "Can you remember that my sister is allergic to nuts?" and "Did I tell you I can't have gluten?" ask for nothing.
_TO_REMEMBER = regex(
    r"(?:(?:and|also|so|oh|hey|by the way|btw),? )?(?:(?:can|could|would|will) you (?:please |also |just )?(?:remember"
    r"|note(?: down)?|(?:keep|bear) in mind|not forget)|(?P<asks>did i (?:ever |already )?(?:tell you|mention))"
    r"|(?:please )?"
    r"(?:remember|note|(?:keep|bear) in mind|make a note|don't forget))(?P<joint> that|:|,)?"
    r" (?P<said>(?P<own>i|i'm|i've|i'll|we|we're|we've|my|our)\b[^?]{4,200}|[^?]{4,200})\?*",
    re.IGNORECASE,
)
# "What I told you", "that film I saw", "Rome or Paris".
_NO_STATEMENT = regex(
    r"(?:to|what|where|when|who|how|why|whether|if|it|this|that|these|those|me|us|you|your)\b|.* or "
    r"|(?!i\b|we\b)[a-z'-]+ (?:(?!and\b)[a-z'-]+ )?(?:i|we|you)\b",
    re.IGNORECASE,
)
_OF_OWN = regex(
    r"(?:my|our) (?:[\w'-]+ ){1,3}?(?:is|are|has|have|isn't|aren't|hates|likes|loves|can't|was|will|lives|works)\b",
    re.IGNORECASE,
)
_DATED = regex(r"\b(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight)", re.IGNORECASE)


def told_to_remember(sentence: str) -> str:
    """Return what somebody asks to be remembered, as a statement; else the sentence."""
    asked = _TO_REMEMBER.fullmatch(sentence)
    if asked is None or _NO_STATEMENT.match(asked["said"]) or (asked["asks"] and asked["own"]):
        return sentence  # whether somebody told of themselves, the next sentence may answer
    said, own = asked["said"].rstrip(".!? "), (asked["own"] or "").lower()
    is_own = bool(own) and (own not in ("my", "our") or _OF_OWN.match(said) is not None)
    if is_own or asked["joint"] == " that" or (asked["joint"] == ":" and _DATED.search(said)):
        return f"{said[:1].upper()}{said[1:]}."
    return sentence


# What opens a statement of oneself, says who somebody is, or asks: "where do i start I'm an electrician".
_OPENS = regex(
    r"(?<=[a-z\d]) (?=(?:i'm|i am) (?:an? (?!member|fan\b|part\b|bit\b|little\b|lot\b)|allergic to"
    r"|[1-9]\d\b(?! \w+ (?:late|early)))"
    r"|(?:i'm|i am) (?:[a-z]+ )?(?:technician|nurse|teacher|engineer|student|driver|developer)\b"
    r"|my name(?:'s| is) |(?:he|she)(?:'s| is) (?:my|our|an?) \w+"
    r"|(?:he|she)(?:'s| is) (?:like )?[1-9]\d?(?= *(?:$|[.,!]| (?:and|now|but)\b))|(?:his|her) name(?:'s| is) [a-z]{3}"
    r"|(?:it's|its|the [a-z]+ (?:was|is|were|are)) (?:so+|too|really|very|always|boring)\b"
    r"|(?:can|could) you (?:explain|help|tell|give|suggest|write)\b)",
    re.IGNORECASE,
)
# Behind these words it belongs to what was begun: "I told my boss I'm a vegan", "if I'm late I'm a mess".
_GOES_ON = regex(
    r"\b(?:tell|told|tells|telling|ask|asks|asked|remind|text|texted|convince|warn|assure|promise|swear|think|thinks"
    r"|thought|know|knows|knew|say|says|said|saying|guess|hope|wish|feel|felt|feels|reali[sz]ed?|believe|mean"
    r"|means|bet"
    r"|sure|glad|happy|sorry|afraid|forgot|forget|remember|remembers|heard|hear|claims?|pretend|imagine|suppose"
    r"|reckon"
    r"|if|when|whenever|because|since|as|than|though|although|while|until|till|unless|once|given|considering|that|who"
    r"|where|like|whether|(?:called|named)(?! [\w'-]+$)|translate|wrote|writes|goes|went|going|puts?|putting|reads?"
    r"|begins|starts|ends"
    r"|sings?|line|song|badge|film|movie|game|role|character|worst|best)\b(?! (?:do|should|can) i\b)",
    re.IGNORECASE,
)
# What is shouted, joked, dreamt, or written for others: "my brother keeps yelling I'm a vegan".
_IN_PLAY = regex(
    r"\b(?:yell\w*|shout\w*|scream\w*|jok(?:es?|ed|ing)|rewrite|fix|correct|sentence|lyrics?|headline|bio|caption|slogan"
    r"|speech|toast|quote|dream\w*|halloween|costume|fancy dress|pretending"
    r"|(?:he|she|they|guy|man|woman|phone) (?:went|goes|puts?|wrote))\b",
    re.IGNORECASE,
)
_SPEAKER_GOES_ON = regex(r"\b(?:and|but|so|because|since|though|where|now|then) *$", re.IGNORECASE)
_NOT_BEHIND_TEXT = """
    and but or so is was are the a an of to for with in on at by from my your i we you he she it they also still just
    really even not now then how what why which
"""
_NOT_BEHIND = frozenset(_NOT_BEHIND_TEXT.split())
_STOP = regex(r"[.!?;:,\n]")
_LEAST_BEFORE, _LONGEST_RUN = 3, 2_000  # words; characters of a text that is typed without a stop


def write_stops(text: str) -> str:
    """Return a text with the stops that were left out before statements of oneself."""
    if len(text) > _LONGEST_RUN:
        return text
    out: list[str] = []
    begun = 0
    for found in _OPENS.finditer(text):
        before = _STOP.split(text[begun : found.start()])[-1].split()
        if (
            len(before) < _LEAST_BEFORE
            or before[-1].lower() in _NOT_BEHIND
            or _GOES_ON.search(" ".join(before)) is not None
            or is_in_play(text[begun : found.start()])
        ):
            continue
        out.append(text[begun : found.start()])
        begun = found.end()
    return _NAMED_LOW.sub(_with_capital, ". ".join((*out, text[begun:])))


# "i have a hamster. his name is pickle"
_NAMED_LOW = regex(
    r"(?P<before>\ban? [a-z-]+\. (?:his|her|its) name(?:'s| is) )(?P<name>[a-z]{3,12})"
    r"(?=[ .!]*(?:$|\n|[.!,] )| and (?:he|she|it)\b)",
    re.IGNORECASE,
)


def _with_capital(found: re.Match[str]) -> str:
    return f"{found['before']}{found['name'][:1].upper()}{found['name'][1:]}"


def is_in_play(before: str) -> bool:
    """Return whether the words right before a statement of oneself make it a quotation, a joke, a dream or a text.

    Behind "and" or "but" the speaker goes on: "I'm a costume designer and I live in Leeds".
    """
    words = _STOP.split(before)[-1]
    return _IN_PLAY.search(words) is not None and _SPEAKER_GOES_ON.search(words) is None


_A_TEXT = (
    r"(?:e-?mail|mail|text(?: message)?|message|msg|letter|note|sms|dm|whatsapp|post|review|notice|comment|reply"
    r"|voicemail|ad|advert|listing|invite|invitation|bio|caption)"
)
_SENT = (
    r"(?:sent|wrote|written|texted|text|e-?mailed|messaged|forwarded|dm['’]?d|pm['’]?d|replied|writes|sends|answered)"
    r"(?: (?:me|us|her|him|them|out|over|on|back|through))*"
)
_LEFT = r"(?:posted|left|pinned|put)(?: (?:me|us|out|up|on \w+))?"
_MINE = regex(
    r"\b(?:i|we|you|u)(?:['’]?(?:ve|d)| have| had| just| also| already| never| could| would| should)*\s*$",
    re.IGNORECASE,
)
_TASK_LEAD = (
    r"^\W*(?:(?:can|could|would|will|please|pls|help|hey|hi|ok|okay|and|now|also|just|quick|quickly|you|u|me)[ ,]+)*"
)
_FOR_ME = r"(?: up| over)?(?: for (?:me|us)|,? please|,? pls|,? thanks|,? ta)*(?=[\s:.!?]*$)"
_REVISES = r"(?:check|correct|read|edit|polish|improve|review|tidy|go over|look over|read over)"
# A line that brings the words of another person: "my sister wrote me this", "got this email, whats it mean".
_BRINGS = regex(
    rf"(?P<by>\b{_SENT}) (?:this|the following|these)"
    rf"(?: {_A_TEXT}\b|(?![\w'’-]| (?!(?:yesterday|today|earlier|and|is|what|whats|should|do|does|can|any|how)\b)\w))"
    rf"|(?P<on>\b{_LEFT}) (?:this|these) {_A_TEXT}\b"
    r"|(?:\b(?:i|we)(?:['’]?ve| have)?(?: just)? |^\W*(?:(?:just|have|only|so|ok|hey|hi),? )*)"
    rf"(?:got|get|gotten|received|had|found|saw|been sent|was sent)(?: (?:me|us))? this {_A_TEXT}\b"
    rf"|\bthis (?:{_A_TEXT} (?:came(?: in| through| today| yesterday| by \w+|(?= from\b))|arrived"
    r"|was (?:sent|posted))"
    r"|(?:is|was) (?:the|her|his|their) (?:reply|message|text|email|letter|answer)"
    rf"|is what (?:(?:s?he|they|my|the|our)\b[^\n]{{0,40}} )?{_SENT})\b"
    rf"|{_TASK_LEAD}(?:(?:proof-?read|reply to|respond to|translate|summari[sz]e|shorten|sum up)"
    rf" (?:this(?: {_A_TEXT})?|(?:this|the) (?:{_A_TEXT} )?below|the following(?: {_A_TEXT})?)"
    rf"|{_REVISES} (?:this {_A_TEXT}|(?:this|the) {_A_TEXT} below|the following {_A_TEXT})){_FOR_ME}",
    re.IGNORECASE,
)
# Behind it stands when or from whom it came, or what is to be made of it: "this ad for a nanny", "this, a cake" and
# "this text from the clinic" go on as the user's own news.
_WHEN = r"(?: (?:just now|yesterday|today|earlier|tonight|last night|this (?:morning|afternoon|evening|week)))?"
_OF_A_PERSON = (
    r"(?: (?:from|by|off|through) (?!(?:(?:the|my|our|an?) )?(?:[\w'’-]+ )?(?:clinic|hospital|gp|doctors?|surgery"
    r"|school|nursery|council|bank|dentists?|uni\w*|college|insur\w+|pharmacy|vets?|court|police|company|work)\b"
    r"|(?-i:[A-Z]{2,})\b)(?: ?(?!(?:and|but|so|about|that|for|to|with|saying)\b)[\w'’-]+){1,4}?)?"
)
_BEHIND_TEXT = regex(
    rf"{_WHEN}{_OF_A_PERSON}{_WHEN}[\s…-]*(?:[ ,.;!?]*(?:(?:and|but|so) )?(?:what['’]?s?|is (?:it|this|that)|(?:should"
    r"|shall|do|can) i|can you|could you|does (?:it|this)|any (?:idea|clue)s?|how (?:do|should|can)|help|thoughts)\b"
    r"[^\n]*)?|[^\n]*:\s*",
    re.IGNORECASE,
)
# "Check this for me", "got this, is it real?": what stands below may be the user's own news, unless it is a letter.
_MAY_BRING = regex(
    rf"{_TASK_LEAD}{_REVISES} (?:this|(?:this|the) below|the following){_FOR_ME}"
    r"|(?:\b(?:i|we)(?:['’]?ve| have)?(?: just)? |^\W*(?:(?:just|have|only|so|ok|hey|hi),? )*)"
    r"(?:got|received|been sent|was sent)(?: (?:me|us))? this(?=[:,;.?!…-]| (?:from|off|by|through|and|is|what|whats"
    r"|should)\b)[^\n]*[?:]\s*$",
    re.IGNORECASE,
)
_GREETS = regex(
    r"\s{0,9}(?:dear (?!god\b|lord\b|me\b|oh\b|heavens\b|diary\b)|to whom "
    r"|(?:hi|hey|hello|good (?:morning|afternoon|evening))\b(?! ?[!.]))",
    re.IGNORECASE,
)
_SIGNS_OFF = (
    r"(?i:(?:(?:kind|best|warm|many) )?(?:regards|wishes|love|sincerely|cheers|thanks|thank you|yours \w+|lots of love)"
    r"[,!. ]{0,3})"
)
_SIGNED = regex(
    rf"(?:^|\n|[.!?] ){_SIGNS_OFF}(?:\n?[A-ZÀ-Þ][\w'’-]+(?: [\w'’-]+){{0,2}})?[ .!x]{{0,6}}\s*\Z"
    r"|(?:[.!?]|\n) ?[A-ZÀ-Þ][a-zà-ÿ]+[ x]{0,5}\s*\Z"
)
# Who thanks the assistant signs nothing.
_THANKS = regex(r"(?:^|\n|[.!?] ?)(?:many )?(?:thanks|thank you|thx|ta|cheers|please|help)[\s.!?x]*\Z", re.IGNORECASE)
_QUOTED_BELOW = regex(r"\s{0,9}[\"“„«'‘>]")
_NO_LETTER = (
    r"dear (?!diary\b|assistant\b|chat|claude\b|god\b|lord\b|me\b|oh\b|heavens?\b|jesus\b|friends?\b|all\b,? i\b)"
)
_ADDRESSED = regex(
    r"(?:[?:]|\b(?:this|below)[.!,]?|\bfor me[.!]?) ?(?:"
    rf"\n\s{{0,3}}(?=(?:{_NO_LETTER}[\w'’-]+(?: [\w'’-]+){{0,3}}|to whom it may concern)[,:\n])"
    r"|(?=dear (?:(?:valued|sir|mr|mrs|ms|dr)\b[^\n,:]{0,30}|(?:(?:\w+ )?(?:customer|tenant|resident|member|parent"
    r"|client|homeowner|occupier|taxpayer|user|account holder|patient|applicant|candidate|guest|madam|colleague)s?))"
    r"[,:\n]"
    r"|to (?:whom it may concern|the (?:occupier|homeowner|parents?))[,:\n]))",
    re.IGNORECASE,
)
_SHORTEST_LEAD, _LONGEST_LEAD, _READ = 9, 200, 50_000  # characters


# Where the user speaks again.
_TURNS_BACK = regex(
    r"(?:\n|(?<=\n))\s{0,9}(?=(?:by the way|btw|also|p\.?\s?s\b|anyway|oh,|oh and)\b)"
    r"|\n\s{0,9}(?=[^\n]{3,200},? (?:by the way|btw)[.!]*\s*(?:\n|$))",
    re.IGNORECASE,
)
_BLANK = regex(r"(?<=[^\n])\n[ \t]{0,9}\n")


def without_pasted_below(text: str) -> str:
    """Return a text without the words of another person that one of its lines brings."""
    if "\n" not in text and "ear " not in text:
        return text
    head = text[:_READ]
    begun = _pasted_from(head)
    if begun is None:
        return text
    ends = [len(text)]
    if (back := _TURNS_BACK.search(head, begun)) is not None:
        ends.append(back.start())
    is_letter = _GREETS.match(head, begun) is not None
    first = begun + len(head[begun:]) - len(head[begun:].lstrip())
    for blank in _BLANK.finditer(head, first):
        # A letter goes on behind a blank line until it is signed.
        if not is_letter or _SIGNED.search(head[max(begun, blank.start() - _LONGEST_LEAD) : blank.start()]):
            ends.append(blank.start())
            break
    return f"{text[:begun]}{text[min(ends) :]}"


def _pasted_from(text: str) -> int | None:
    """Return where the words of another person begin that the line before brings; None where none does."""
    begun = 0
    for line in text.split("\n")[:-1]:
        begun += len(line) + 1
        if _SHORTEST_LEAD <= len(line) <= _LONGEST_LEAD and _brings_a_text(line, text, begun):
            return begun
    addressed = _ADDRESSED.search(text)
    return None if addressed is None else addressed.end()


def _brings_a_text(line: str, text: str, begun: int) -> bool:
    found = _BRINGS.search(line)
    if found is None:
        return _MAY_BRING.search(line) is not None and _is_letter(text, begun)
    # What the user wrote is told by the user.
    by = found["by"] or found["on"]
    if (by and _MINE.search(line, 0, found.start())) or text[begun : begun + _LONGEST_LEAD].isspace():
        return False
    goes_on = _BEHIND_TEXT.fullmatch(line, found.end()) is None or (line[-1].isalnum() and text.startswith("\n", begun))
    return not goes_on or _is_letter(text, begun)


def _is_letter(text: str, begun: int) -> bool:
    """Return whether what begins there is quoted, or greets or signs as a letter does."""
    first = text[begun:].strip().split("\n\n", 1)[0]
    if _GREETS.match(first) or _QUOTED_BELOW.match(first):
        return True
    signed = first[-_LONGEST_LEAD:]
    return _SIGNED.search(signed) is not None and _THANKS.search(signed) is None
