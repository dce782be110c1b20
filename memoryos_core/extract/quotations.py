"""The words of others and dreams in what somebody says: they are told as they are, and never as true of the speaker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from memoryos_core.rules.knowledge.orders_by_language import ENDS_TEXT, find_order, without_supposed
from memoryos_core.rules.text.names import PLAYS_A_PART, PLAYS_SOMEBODY, is_name
from memoryos_core.rules.text.questions_within import without_pasted_below
from memoryos_core.rules.text.words import at_start, fold_case, regex, sentences, with_marks

OPENS, CLOSES = frozenset('"“„'), frozenset('"”“')
MARKS = OPENS | CLOSES
QUOTATION = regex(r"[\"“„][^\"“”„]*[\"”“]")

# Words that another person says: "my neighbour says "I'm moving to Rotorua"". A name in quotation marks does not count.
_QUOTE = regex(r"(?:(?<=[\s(])|^)(?:\"(?=\S)[^\"]{0,1200}\"|[“„][^“”„]{0,1200}[”“])")
# The speaker's own: "I told her "I'm moving"", "remember: "no nuts"".
_BY_SPEAKER = regex(
    r"\b(?:I (?:just |also )?(?:said|told|say|tell|wrote|texted|answered)|[Rr]emember|[Nn]ote|about me)\b[^\"“„.!?]*$"
)
_OF_PERSON = regex(r"\b(?:i|me|my|we|us|our|you|your)\b", re.IGNORECASE)  # "Paris, Texas" is a title
_LEAST_QUOTED, _LONGEST_QUOTE, _READ_FOR_OTHERS = 3, 1200, 50_000  # words; characters; more than is read of a message
_OPEN_QUOTE = regex(r"(?:(?<=[\s(])|^)[\"“„](?=\S)")
# "She wrote: 'I have resigned, so it's up to you.'": single marks are apostrophes, too, so that a word of saying or a
# colon must stand before them.
_SINGLE_QUOTE = regex(
    r"(?:[:,.!?]|\b(?:said|says?|quote|wrote|writes?|posts?|posted|te?xte?[ds]|goes|messaged?|replie[ds]|answer(?:s|ed)"
    r"|asks?|asked|told|like|reads?|shout(?:s|ed)|yell(?:s|ed))(?: (?:me|us|her|him|them))?) "
    r"(?P<marked>['‘](?!(?:cause|cos|em|til|till|tis|twas|round|bout|n)\b)"
    r"(?P<said>(?=[^\W\d_])(?:[^'’‘\"“”„]|(?<=\w)['’](?=\w)){8,1200})(?<=[\w.,!?…])['’](?=[\s.,!?;:)]|$))",
    re.IGNORECASE,
)


def _with_double_marks(text: str) -> str:
    """Return a text whose quotations in single marks stand in double ones, as they are looked for."""
    if "'" not in text and "‘" not in text:
        return text
    return _SINGLE_QUOTE.sub(lambda found: found[0].replace(found["marked"], f'"{found["said"]}"', 1), text)


def with_whole_quotes(parts: list[str]) -> Iterator[str]:
    """Return the sentences; those that stand in one pair of quotation marks are one with what introduces it."""
    last = max((at for at, part in enumerate(parts) if _has_mark(part) and _END_OF_QUOTE.search(part)), default=-1)
    held = ""
    for at, part in enumerate(parts):
        held = f"{held} {part}" if held else part
        rest = _QUOTE.sub("", held) if _has_mark(held) else ""
        opened = _OPEN_QUOTE.search(rest)
        is_open = opened is not None and not _BY_SPEAKER.search(rest, 0, opened.start())
        if not is_open or at >= last or len(held) > _LONGEST_QUOTE:
            yield held
            held = ""
    if held:
        yield held


def _has_mark(text: str) -> bool:
    return '"' in text or (not text.isascii() and any(mark in text for mark in MARKS))  # it costs little


_END_OF_QUOTE = regex(r"\S[\"”“](?=[\s.,!?;:)]|$)")


def quotes_in(sentence: str) -> list[str]:
    """Return what a sentence holds of the words of other persons, with their quotation marks."""
    if not _has_mark(sentence):
        return []
    return [
        found[0]
        for found in _QUOTE.finditer(sentence)
        if found[0].count(" ") + 1 >= _LEAST_QUOTED
        and _OF_PERSON.search(found[0])
        and not _BY_SPEAKER.search(sentence, 0, found.start())
    ]


def cut_outside(sentence: str, quotes: Sequence[str], cut: Callable[[str], list[str]]) -> list[str]:
    """Return the parts into which `cut` divides a sentence, none of them divided within a quote."""
    marks = [f'"q{number}q"' for number in range(len(quotes))]
    for mark, said in zip(marks, quotes, strict=True):
        sentence = sentence.replace(said, mark, 1)
    parts = cut(sentence)
    for mark, said in zip(marks, quotes, strict=True):
        parts = [part.replace(mark, said) for part in parts]
    return parts


_DREAMT = regex(
    r"\b(?:dream(?:t|ed)|had an? (?:[\w-]+ ){0,2}(?:dream|nightmare)) (?:that |where |in which )?"
    r"(?:i|we|he|she|they)\b",
    re.IGNORECASE,
)


def find_dream(text: str) -> re.Match[str] | None:
    """Return where a text begins to tell a dream."""
    return _DREAMT.search(text) if "dream" in text.lower() or "nightmare" in text.lower() else None


# "Sometimes I tell people I live in London", "on Tinder I say I'm 30".
_FEIGNED = with_marks(
    "tell|say",
    r"\bi (?:(?:sometimes|usually|often|always|just|normally) )?tell (?:people|every(?:one|body)|strangers|them|men"
    r"|guys|women|dates)(?: that)? (?=(?:i|we|my)\b)|(?:\b(?:sometimes|usually|often|online)|\bon [\w-]{3,20}),? i"
    r" (?:just )?say(?: that)? (?=(?:i|we|my)\b)",
)


def own_words(clause: str) -> str:
    """Return a clause without what somebody else says, a dream, and what is only told to people: no identity."""
    unreal = find_dream(clause) or _FEIGNED.search(clause)
    told = clause[: unreal.end()] if unreal is not None else clause
    for said in quotes_in(told):
        told = told.replace(said, '"…"')
    return told


def own_text(message: str) -> str:
    """Return what somebody says in words of their own: nothing pasted, nothing quoted from others."""
    return " ".join(map(own_words, with_whole_quotes(sentences(without_material(message)))))


_A_TEXT = (
    r"(?:text|sentences?|paragraphs?|passage|essay|e-?mail|mail|message|letter|story|article|abstract|post|tweet|review"
    r"|draft|speech|script|poem|lyrics|grammar|english|german|french|spanish|spelling|wording|note|dialogue"
    r"|conversation|transcript|statement|application|bio|biography|blurb|caption|advert|monologue|toast|reply|comment"
    r"|persona|tagline|slogan|headline|sample|template|testimonial)"
)
_ASKED_FOR = r"(?:(?:please|pls|can you|could you|would you|ok|okay|hey|hi|now|and|also),? ){0,3}"
# A task that works on a text: what follows is that text, to the end of the message or to what is said by the way.
_REWORDS = r"(?:translate|rephrase|reword|rewrite|paraphrase|proofread|spell-?check|summari[sz]e)\b"
_WORKS_ON = regex(
    rf"(?:^|(?<=[.!?\n])) ?(?=\w){_ASKED_FOR}(?:(?:{_REWORDS}(?![^:\n]{{0,80}}\babout me\b)"
    r"|(?:correct|fix|edit|polish|improve|shorten|simplify|reply to|respond to|turn|make) (?:the following\b"
    rf"|this (?=more\b|less\b|sound\b|into\b|shorter\b|longer\b|(?:\w+ )?{_A_TEXT}\b)"
    rf"|(?:(?:the|my|this|his|her|their|our) )?(?:\w+ )?{_A_TEXT}\b)"
    # What is written for the user, or to somebody of theirs, may be true of them: "Write a bio for my website: …".
    r"|(?:help me (?:to )?)?(?:write|draft|compose|prepare|create|generate)(?: me| us)? (?:an?|the|this|another)"
    rf" (?:[\w-]+ ){{0,3}}?{_A_TEXT}\b(?![^:\n]{{0,80}}\b(?:my|our|mine|i|i'm|(?:about|for|from) (?:me|us))\b))"
    r"[^:.!?\n]{0,80}(?P<said>:|\n)"
    # "Please translate this into German. …": the text is the next sentence.
    rf"|{_REWORDS} (?:this|the following)(?: (?:text|sentences?|paragraph|passage|message))?(?: for me)?"
    r"(?: (?:in)?to [a-z]+)?(?: for me)?(?:,? please)?[.!?] (?! ?[\"“„]))",
    re.IGNORECASE,
)
_WORKS_ON_QUOTED = regex(
    rf"(?:^|(?<=[.!?\n])) ?(?=\w){_ASKED_FOR}(?:{_REWORDS}[^:.!?\n\"“„]{{0,80}}[.!?]?"
    rf"|(?!(?:my|our|his|her|their|note)\b)(?:[\w-]+ ){{0,3}}?{_A_TEXT}(?! (?:from|by)\b)"
    r"(?![^:\n]{0,60}\b(?:my|our|me|us|i)\b)[^:.!?\n\"“„]{0,60}:) ?[\"“„][^\"“”„]{0,1200}[\"”“]",
    re.IGNORECASE,
)
# A quotation that stands for itself is a text to look at: "Is this any good? "I live in York." Thanks". It is news
# behind "she said:" and before "she said".
_ALONE = regex(
    r"(?:^|(?<=[.!?\n])) ?[\"“„](?=\S)[^\"“”„]{0,1200}[\"”“][.,]?(?=\s*(?:$|\n)"
    r"|\s+(?-i:[A-ZÀ-Þ])(?![^.!?\n]{0,40}\b(?:sa(?:id|ys?)|told|tell|true)\b))"
)
_GREETED = with_marks(
    " this ",
    r"(?:^|(?<=[.!?\n])) ?(?=\w)(?:(?:please|pls|can you|could you|would you) ){0,2}(?:make this \w+"
    rf"|(?:fix|improve|shorten|correct|check|polish|edit|tidy|soften|review) this (?:\w+ )?{_A_TEXT}\b)"
    r"[^:.!?\n]{0,60}[.!?:\n] ?(?=(?:hi|hello|dear|hey|to whom)\b)",
)
# What somebody wrote, unless it is about their own life.
_STORY = fold_case(
    r"\b(?:wrote|written|writing|made up) (?:an?|the|this) (?:[\w-]+ ){0,2}?(?:story|poem|novel|scene|monologue|song"
    r"|screenplay|script|tale|limerick|haiku)\b(?![^:\n]{0,60}\b(?:my|me|true|myself|our|us)\b)[^:.!?\n]{0,60}[:\n]"
    r"|\b(?:start|begin|end) it (?:off )?(?:like this|by saying)[,:]|\b(?:essay|story|poem|novel|speech|letter|article"
    r"|chapter|draft|(?<!my )(?<!our )(?:cover letter|bio|intro(?:duction)?|blurb))"
    r" (?:starts|begins|opens|goes|reads|ends)\b[^:.!?\n]{0,30}[:\n]",
)
# The same in other languages: words of the task, up to a colon, a quotation or a line.
_TASKS_ELSEWHERE = (
    r"(?:(?:bitte|k[aö]nn(?:s|tes)t du(?: mir)?|mal|s'il te pla[îi]t|stp|tu peux|peux-tu|pouvez-vous|por favor|porfa"
    r"|puedes|me puedes|podrías|per favore|puoi|mi puoi|pode|podes|você pode|kun je|alsjeblieft|ok|und|et|y|e),? ){0,3}"
    r"(?:übersetz\w*|korrigier\w*|formulier\w*|umformulier\w*|fass\w* (?:diesen|den|folgenden|das)|verbesser\w*|kürz\w*"
    r"|schreib\w* (?:diesen|den|das|die|folgenden)|überprüf\w*|tradui\w*|corrig\w*|reformul\w*|résum\w*|améliore\w*"
    r"|traduce\w*|tradúce\w*|traduzca|traducir|corregir|resume\w*|resúme\w*|mejora\w*|reescrib\w*|traduci\w*|tradurre"
    r"|corregg\w*|riassum\w*|migliora\w*|riscriv\w*|traduz\w*|corrij\w*|reescrev\w*|vertaal|corrigeer|herschrijf)\b"
)
_CJK_TASKS = (
    r"(?:请|請|帮我|幫我|麻烦|你?能不能|你?可以)*(?:把)?[^。！？\n：:]{0,12}(?:翻译|翻譯|润色|潤色|修改|改写|改寫|总结|總結|校对)"
    r"|[^。！？\n：:]{0,16}(?:翻訳して|訳して|添削して|要約して|直して|言い換えて|校正して)"
)
_WORKS_ON_ELSEWHERE = regex(
    rf"(?:^|(?<=[.!?。！？\n])) ?(?=\w)(?:(?:{_TASKS_ELSEWHERE})[^:!?\n\"“«„]{{0,80}}(?P<said>:|\n|(?=[\"“«„]))"
    rf"|(?:{_CJK_TASKS})[^:：\n「『“\"]{{0,30}}(?P<cjk>[:：\n]|(?=[「『“\"])))",
    re.IGNORECASE,
)
# What is only played: to the end of the message, too. Whom a hiring manager is to interview plays as well.
_PLAYED = with_marks(
    "play|character|mock|recruiter|hiring manager|interviewer",
    rf"(?:^|(?<=[.!?\n])) ?{_ASKED_FOR}(?:(?:let's|let us|can we) (?:(?:do |try )?(?:an? |some )?(?:role[- ]?play"
    r"|mock (?:\w+ )?interview)|play a (?:little )?game(?=[.:!\n]))|role[- ]?play:|(?:(?:pretend )?(?:that )?you(?:'re"
    r"| are)|act as) (?:an?|the|my) (?:\w+ )?(?:recruiter|hiring manager|interviewer)(?=[.,:; ][^\n]*\b(?:ask"
    r"|interview) me\b)|(?:here's|here is|this is|meet) my (?:\w+ )?character\b"
    r"|my character (?:is|lives|has)\b(?! what))",
)
# A sentence in which everything is made up.
_MADE_UP = with_marks(
    "pretend|act |imagine|suppose|say|novel|story|screenplay|fanfic|campaign|years|paper|year 2",
    rf"(?:^|(?<=[.!?\n])) ?{_ASKED_FOR}(?:(?:let's )?(?:pretend|act (?:as (?:if|though)|like (?:i|we)\b)|imagine(?!,)"
    r"|suppose|say(?= (?:i|we|my)\b))\b|in (?:my|our|the|this) (?:novel|story|screenplay|fanfic|campaign)\b)"
    # "In ten years I live in Malta", "on paper I live in Jersey": not what is.
    r"[^.!?\n]*[.!?]?|(?:^|(?<=[.!?\n])) ?(?:(?:and|but|so|well|maybe),? ){0,2}(?:in (?:\w+ |a few |a couple of ){1,2}?"
    r"years(?:['’]? time)?|in the year 2\d{3}|on paper),? (?:i|we)(?:['’](?:m|re)| (?:am|are|live|work|own))\b"
    r"(?! (?:going|planning|hoping|moving|due|getting)\b)[^.!?\n]*[.!?]?",
)


def _blank_text(found: re.Match[str]) -> str:
    """Return a quotation of persons as no words, and a title as it is."""
    return " " if found[0].count(" ") >= _LEAST_QUOTED and _OF_PERSON.search(found[0]) else found[0]


# Strings in code, "bio = 'I live in Rome'", comments, and the text of a page of the web.
_CODE_STRING = regex(
    r"(?P<before>(?:(?:=|=>|\w[(\[]|\bvalues ?\(|[{,] ?|['\"`][,:]|\b(?:return|like|in \()) ?|=> ?)[fbru]?)(?<!\w, )"
    r"(?P<mark>['`])(?P<said>(?:[^'`\n]|(?<=\w)'(?=\w)|(?<=\\)['`]){2,400})(?P=mark)"
    r"(?=\s*(?:[;,)\]}+%]|$|\n|[=!]=|\.\w|(?:and|or|from|where|limit|order)\b))",
    re.IGNORECASE,
)
_CODE_LINE = regex(r"(?:^|(?<=\n))[ \t]{0,40}(?://|\#{1,6} )[^\n]*")
_OF_A_PAGE = with_marks(
    "</",
    r"<(?P<tag>p|h[1-6]|div|span|li|td|th|title|a|button|label|option)\b[^<>\n]{0,200}>[^<\n]{0,800}</(?P=tag)>",
)


def _without_code(text: str) -> str:
    """Return a text without code in fences, comments, and what strings in single marks tell of persons."""
    text = " ".join(text.split("```")[::2])
    text = _OF_A_PAGE.sub(" ", text)
    if "//" in text or "# " in text:
        text = _CODE_LINE.sub("", text)
    if "'" not in text and "`" not in text:
        return text
    return _CODE_STRING.sub(lambda found: f"{found['before']}…" if _OF_PERSON.search(found["said"]) else found[0], text)


# A pasted conversation, post or mail: who speaks stands before a colon, or ">" before each line.
_BEGINS = r"(?:^|(?<=[.!?\n]))[ \t]{0,3}"
_OWN_TURN = r"(?:me|i|myself|user|human)"
_OF_ONESELF = r"(?=[^\n]{0,200}\b(?:i|my|we|our)\b)"
_PASTED = with_marks(
    ":",
    rf"{_BEGINS}(?:(?:him|her|s?he|them|they|caller|interviewer|interviewee|patient|therapist):{_OF_ONESELF}"
    # "Reddit post: …", "Text from Tom: …", but not "My message: …" and "I sent him a letter: …".
    r"|(?![^:\n]{0,80}\b(?:i|my|our|me|we|us|i'm|i've)\b)(?:[\w'’-]+ ){0,4}(?:(?:post|tweet|article|ad|advert|listing"
    r"|thread|transcript|quote|lyrics|excerpt|voicemail|review|(?<=\w )comment)|(?:post|tweet|comment|review|e-?mail"
    rf"|mail|letter|message|text|note|voicemail|quote) (?:from|by) [^:\n]{{1,40}}):[ \t]{{0,3}}\n?{_OF_ONESELF}"
    r"|\[?\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4},? \d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?\]?(?: -)?"
    rf" (?!{_OWN_TURN}:)[^:\n]{{1,30}}: )",
)
_PASTED_ENDS = regex(rf"\n[ \t]*\n|[.!?\n][ \t]{{0,3}}{_OWN_TURN}:[ \t]|$(?![\s\S])", re.IGNORECASE)
_QUOTED_LINE = regex(r"(?:^|(?<=\n))[ \t]{0,3}>[^\n]*")
_TURN = regex(r"(?:^|(?<=\n))[ \t]{0,3}(?P<who>[A-ZÀ-Þ][\w.'’-]{0,20}(?: [\w.'’-]{1,20}){0,2}):[ \t][^\n]*")
_OWN_TURNS = frozenset(_OWN_TURN[3:-1].split("|"))
_ROLES_TEXT = """him her he she them they caller interviewer interviewee patient therapist agent customer client doctor
    nurse officer teacher operator host guest bot assistant recruiter candidate seller buyer"""
_ROLES = frozenset(_ROLES_TEXT.split())
# "Question: …", "Context: …", "Q: …" and the days of a diary: what a user fills in.
_HEADINGS = frozenset(("q", "a", "question", "answer", "context", "note", "task", "update", "edit", "ps"))


def _without_turns(text: str) -> str:
    """Return a text without what others say in a pasted conversation, each turn a line behind who says it."""
    who = [found["who"].lower() for found in _TURN.finditer(text)]
    named = set(who) - _OWN_TURNS - _HEADINGS
    roles = len(_ROLES & named) + (not _OWN_TURNS.isdisjoint(who))
    again = len(set(who) - _HEADINGS) > 1 and any(who.count(one) > 1 for one in named)
    if not named or not (again or (_ROLES & named and roles > 1)):
        return text
    return _TURN.sub(lambda found: found[0] if found["who"].lower() in _OWN_TURNS | _HEADINGS else "", text)


def _without_pasted(text: str) -> str:
    """Return a text without the conversations, posts and mails of others that are pasted into it."""
    if ">" in text:
        text = _QUOTED_LINE.sub("", text)
    if ": " not in text and ":\n" not in text:
        return text
    text = _without_turns(text) if "\n" in text else text
    out: list[str] = []
    told_to = 0
    for found in _PASTED.finditer(text):
        if found.start() >= told_to:
            out.append(text[told_to : found.start()])
            end = _PASTED_ENDS.search(text, found.end())
            told_to = len(text) if end is None else end.start()
    return " ".join((*out, text[told_to:])) if out else text


# "My client told me: I've moved to Perth." Words of others behind a colon, without quotation marks.
# "I told him: …", "Told my boss: …" and "My bio says: …" are the user's.
_SAYS = (
    r"(?:(?<!that )said|says?|told|tells?|wrote|writes|(?:text|answer|post|ask)(?:ed|s (?:me|us|him|her|back))|replied"
    r"|replies|messaged|e-?mailed|tweeted|commented|announc(?:ed|es)|(?:shout|yell|scream|whisper|laugh|cry)(?:ed|ing|s)"
    r"|saying|crying|telling|explained|admitted|confessed|(?:(?<=and )|(?<=just )|(?<=then )|(?<=he ))(?:goes|went)"
    r"|(?:was|is|were|'s) like)"
)
_OTHERS_SAY = with_marks(
    ":",
    rf"{_BEGINS}(?P<lead>(?:(?:and|but|so|then|well|oh|ok|lol|haha|yesterday|today|earlier),? ){{0,2}}(?:"
    r"(?!(?:my|our) (?:[\w-]+ ){0,2}?(?:bio|cv|resume|résumé|profile|passport|file|record|answer|letter|post|reply|note"
    r"|message|heart|head|gut|body|brain)s?\b)"
    r"(?:an?|the|my|our|his|her|their|some|one|another|s?he|they|somebody|someone|everybody|everyone)\b"
    rf"[^.!?:\n\"“„]{{1,100}}?\b{_SAYS}|(?P<name>[^\W\d_]{{2,20}}) (?:[a-z]+ ){{0,2}}?{_SAYS}"
    r"|(?:i |we |i've |i )?(?:just )?(?:got|received) (?:this|an? (?:\w+ )?(?:text|message|e-?mail|letter|call|note"
    r"|voicemail)) (?:from|off)\b)[^.!?:\n\"“„]{0,40}):"
    r"(?:[ \t]{1,3}(?![\"“„'‘«])(?P<said>[^\n]{2,2000})|[ \t]{0,3}\n(?P<below>[\s\S]{0,16000}))",
)
_USER_SAYS = regex(rf"\b(?:i|we)(?:'ve|'d| have| had)? (?:[a-z]+ ){{0,2}}?{_SAYS}\b[^.!?]*$", re.IGNORECASE)
_NO_SAYER = regex(r"(?:\w+(?:ly|ed|ing)|told|wrote|today|yesterday|we|you|it|remember)$", re.IGNORECASE)
# Where the words of the other end within a line: "… She's not.", "… What should I do?"
_SAID_ENDS = regex(
    r"(?<=[.!?]) (?=(?:he|she|they|so|anyway|btw|by the way|then i|i (?:said|told)|thoughts|what|how|should|do you"
    r"|(?:can|could|would) you|his|her|their)\b)",
    re.IGNORECASE,
)
_TELLS_OF_ONESELF = regex(
    r"(?:(?:hi|hey|hello|oh|omg|guess what|listen|look|sorry|wow|ok|okay|well|yes|yeah|no|guys|mate|dude)\b[^.!?]{0,20}"
    r"[.!?] ?){0,2}[^.!?]{0,300}\b(?:i|me|my|we|us|our)\b",
    re.IGNORECASE,
)


def _with_marks_of_others(found: re.Match[str]) -> str:
    """Return what somebody else says behind a colon in quotation marks, if it speaks of "me"."""
    name, said = found["name"], found["said"] or found["below"] or ""
    if _USER_SAYS.search(found["lead"]) or (name and (_NO_SAYER.match(name) or not is_name(name))):
        return found[0]
    if found["below"] is not None:
        return f"{found['lead']}."
    end = _SAID_ENDS.search(said)
    said, rest = (said, "") if end is None else (said[: end.start()], said[end.start() :])
    if not _TELLS_OF_ONESELF.match(said):  # "My mum told me: eat more. I live in Rome."
        return found[0]
    marked = said.strip().replace('"', "'")
    whole = marked if marked.count(" ") + 1 >= _LEAST_QUOTED and len(marked) <= _LONGEST_QUOTE else "…"
    return f'{found["lead"]}: "{whole}"{rest}'


# What is taken back at once: "I've moved to Spain. Just kidding", but not "No kidding" and "joking aside".
TAKEN_BACK = with_marks(
    "kidding|joking|jk|j/k|dreams|as if|not|psych|sike|fool|joke|laughter|boredom|your leg|messing|made|none|lie",
    r"(?:(?:^|(?<=[.!?…,;)\n]))[\s.…(-]{0,6}(?:(?:ha{1,6}h?|haha|hahaha|lol|lmao|nah|ok|okay|wait|sorry|well|yeah"
    r"|gotcha),? ){0,2}(?:(?:i'm |im |i am |i was )?(?:just |only |totally |obviously )?(?:kidding|joking"
    r"|messing with you|pulling your leg)(?! (?:aside|apart|about))|i made (?:it|(?:all )?that|this) up|jk|j/k"
    r"|(?-i:NOT)|in my dreams|(?:obviously|of course) not true|none of (?:it|that|this)(?:'s| is| was) true|psych(?=!)"
    r"|as if(?=\W*(?:$|\n))|sike|of (?:laughter|boredom)|april fools?(?! day)"
    r"|(?:that|it)(?: was|(?:'s| is| was) (?:just|only|all)) a (?:bad )?(?:joke|lie))"
    r"| (?:lol )?(?-i:jk|just kidding|only joking|(?:i'?m )(?:just )?(?:kidding|joking)))"
    r"(?=\W*(?:$|\n)|[.,!;)…]| (?:lol|haha|lmao|obviously|of course|i'm|im|we|still|but)\b)",
)
_APRIL = at_start(r"^\s*april fool'?s?(?: day)?(?: joke)?[:!,]\s*[^.!?\n]{0,400}[.!?]?", re.IGNORECASE)
_TO_A_THING = with_marks(
    "engaged|married",
    r"\b(?:i|we)(?:'m|'ve|'re)? (?:\w+ly |just )?(?:got )?(?:engaged|married)[!.… ]* to (?:my|the|a) (?:new )?(?:sofa"
    r"|couch|bed|duvet|pillow|fridge|phone|laptop|job|work|desk|gym|xbox|coffee|pizza|wine|telly|tv|car|bike)\b",
)


def without_jokes(text: str) -> str:
    """Return a text without what its speaker takes back as a joke: the sentence before, and short ones between."""
    text = _TO_A_THING.sub(" ", _APRIL.sub(" ", text))
    kept, told_to = "", 0
    for found in TAKEN_BACK.finditer(text):
        before = (kept + text[told_to : found.start()]).rstrip()
        while parts := sentences(before[-_LONGEST_QUOTE:]):
            before = before[: before.rfind(parts[-1])]
            if parts[-1].count(" ") + 1 >= _LEAST_QUOTED:
                break
        kept, told_to = before + (" " if before else ""), found.end()
    return kept + text[told_to:].lstrip(" .,!;)…") if told_to else text


@lru_cache(maxsize=64)  # a page is read for facts and for fields
def without_material(text: str) -> str:
    """Return a message without the text that a task in it works on, and without what is only played or imagined.

    "Translate into French: I live in Rome" tells of no home. Quotations stand in double marks.
    """
    head = _without_pasted(_without_code(without_jokes(text[:_READ_FOR_OTHERS])))
    text = _with_double_marks(_OTHERS_SAY.sub(_with_marks_of_others, head) + text[_READ_FOR_OTHERS:])
    if _has_mark(text):
        text = _ALONE.sub(_blank_text, _WORKS_ON_QUOTED.sub(" ", text))
    text = without_pasted_below(text)
    works = (find_order(text), *(p.search(text) for p in (_WORKS_ON, _WORKS_ON_ELSEWHERE, _STORY, _GREETED)))
    ends = [found.end() for found in works if found is not None]
    ends += [found.start() for p in (_PLAYED, PLAYS_SOMEBODY, PLAYS_A_PART) if (found := p.search(text)) is not None]
    end = min((*ends, len(text)))
    on = ENDS_TEXT.search(text, end)
    return without_supposed(_MADE_UP.sub(" ", text[:end] if on is None else f"{text[:end]}\n{text[on.end() :]}"))
