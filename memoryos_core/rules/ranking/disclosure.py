"""How much a message tells of its speaker: statements in the first person, rather than questions and remarks.

What is asked later is answered by what people told each other, seldom by how the other one took it ("Wow, that's great!
How was it?"), which is short and full of the same words. Who talks to an assistant tells and asks in one breath, so of
messages without a name nothing is said here (ADR 0042).
"""

from __future__ import annotations

import re
from functools import cache

from memoryos_core.rules.text.languages import guess, has_no_spaces
from memoryos_core.rules.text.words import regex
from memoryos_core.values.dialogue import Message

# By language, the words for who speaks and, behind the bar, for who is spoken to.
_PERSONS = {
    "en": "i me my mine myself we us our ours ourselves | you your yours yourself",
    "de": "ich mich mir mein meine meinem meinen meiner meines wir uns unser unsere unserem unseren unserer"
    " | du dich dir dein deine deinem deinen deiner deines ihr euch euer eure",
    "fr": "je j me m moi mon ma mes nous notre nos | tu te t toi ton ta tes vous votre vos",
    "es": "yo me mi mis mí mío mía nos nosotros nosotras nuestro nuestra nuestros nuestras"
    " | tú te ti tu tus usted ustedes vosotros vosotras vuestro vuestra",
    "pt": "eu me mim meu meus minha minhas nós nosso nossa nossos nossas | tu te ti teu teus tua tuas você vocês",
    "it": "io me mi mio mia miei mie noi ci nostro nostra nostri nostre"
    " | tu te ti tuo tua tuoi tue voi vi vostro vostra vostri vostre",
    "nl": "ik me mij mijn wij we ons onze | je jij jou jouw jullie u uw",
    "ru": "я меня мне мной мой моя моё мои мы нас нам наш наша наши | ты тебя тебе твой твоя вы вас вам ваш ваша",
    "zh": "我 咱 | 你 您",
    "ja": "私 僕 俺 わたし ぼく | あなた 君",
    "ko": "나는 내가 저는 제가 우리 | 너는 네가 당신",
}
_TIMES_TEXT = """
    ago since recently just yesterday today tonight tomorrow last next january february march april june july august
    september october november december monday tuesday wednesday thursday friday saturday sunday weekend
    gestern heute morgen kürzlich letzte letzten nächste nächsten aujourd demain dernier dernière récemment
    ayer hoy mañana pasado ontem hoje amanhã passado ieri oggi domani scorso gisteren vandaag вчера сегодня завтра
"""
_TIME = regex(rf"(?<!\w)(?:{'|'.join(_TIMES_TEXT.split())}|\d{{4}})(?!\w)|[昨今明]日|昨天|今天|明天")
# How one opens a remark on what the other one said.
_REMARK = regex(
    r"\W*(?:(?:wow|thanks?|congrat\w*|sounds|awesome|cool|great|nice|yeah|yep|absolutely|definitely|totally|glad|haha|lol"
    r"|oh|danke|merci|gracias|obrigad[oa]|grazie|bedankt|спасибо)\b"
    r"|that(?:['\u2019]?s| is| was) (?:\w+ ){0,2}(?:awesome|great|cool|amazing|nice|wonderful|lovely|fantastic)\b)"
)
_SENTENCE = regex(r"[^.!?。！？\n]+(?:[.!?。！？]+|\n|$)")
_ASKS = ("?", "？")
_MOST_STATEMENTS = 3
_LOOKED_AT = 2_000  # characters: a longer message tells as much as its beginning
HUNDRED = 100


def disclosure(message: Message) -> int:
    """Return how much a message tells of its speaker, in hundredths, -150 to 150; 0 for one without a name.

    For each of up to three statements in the first person a third is added, for a word of time a half; subtracted are
    the share of sentences that speak to the other one, and a half where the message opens with a remark.
    """
    if not message.name:
        return 0
    # "US" is no "us", and a dotted capital I is no letter of its own.
    lowered = message.text[:_LOOKED_AT].replace(" US ", " USA ").lower().replace("\u0307", "")
    first, second = _persons(guess(lowered))
    sentences = _SENTENCE.findall(lowered)
    told = sum(first.search(one) is not None for one in sentences if not one.endswith(_ASKS))
    spoken_to = sum(second.search(one) is not None for one in sentences)
    tells = min(told, _MOST_STATEMENTS) / _MOST_STATEMENTS + 0.5 * (_TIME.search(lowered) is not None)
    lacks = spoken_to / max(len(sentences), 1) + 0.5 * (_REMARK.match(lowered) is not None)
    return round(HUNDRED * (tells - lacks))


@cache
def _persons(language: str) -> tuple[re.Pattern[str], ...]:
    sides = [side.split() for side in _PERSONS.get(language, _PERSONS["en"]).split("|")]
    form = "(?:{})" if has_no_spaces(language) else r"(?<!\w)(?:{})(?!\w)"
    return tuple(re.compile(form.format("|".join(side))) for side in sides)
