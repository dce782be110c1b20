"""Statements in languages other than English: they are quoted, so only their kind and worth have to be known."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memoryos_core.rules.dates import find_dates
from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.text.languages import guess
from memoryos_core.rules.text.words import regex
from memoryos_core.values.facts import FactKind

_PREFERENCE, _IDENTITY, _CHANGE, _PLAN, _RELATION, _INSTRUCTION = range(6)
_ORDER: tuple[tuple[FactKind, int], ...] = (
    ("instruction", _INSTRUCTION),
    ("preference", _PREFERENCE),
    ("identity", _IDENTITY),
    ("change", _CHANGE),
    ("plan", _PLAN),
    ("relation", _RELATION),
)

# For each language: first person, then the words of the kinds in the order above.
_WORDS: dict[str, tuple[str, str, str, str, str, str, str]] = {
    "de": (
        r"ich|mein(?:e[mnrs]?)?|mich|mir|wir|uns|unser(?:e[mnrs]?)?",
        r"mag|lieber?|liebe|bevorzuge|am liebsten|lieblings\w+|hasse|gern|trinke|esse",
        r"heiße|bin \d+|wohne|lebe|arbeite|komme aus|geboren|allergisch|vegetarier(?:in)?|vegan(?:er(?:in)?)?|"
        r"von beruf|bin (?:\w+ )?(?:lehrer|ärzt|arzt|ingenieur)\w*",
        r"nicht mehr|umgezogen|gewechselt|statt|inzwischen|seit kurzem|gekündigt|verschoben",
        r"werde|plane|will|möchte|vorhabe|nächste[nrsm]?|morgen|termin",
        r"frau|mann|sohn|tochter|kinder|mutter|vater|schwester|bruder|freund(?:in)?|verheiratet|hund|katze",
        r"^(?:(?!ich|wir|er|sie|man)\w+ ){0,3}?(?:\w+: )?(?:bitte )?(?:antworte|schreib|sprich)(?: mir)?"
        r"(?: (?!(?:auf|das|dies\w*|es|den|die|der|eine?n?)\b)\w+){0,3}?"
        r" (?:immer|nie|ab jetzt|auf (?:deutsch|englisch|französisch|spanisch)|kurz|knapp|ohne (?:emojis|floskeln))"
        r"|^(?:bitte )?(?:nenn mich|(?:duz|siez)e? mich|keine? (?:emojis?|smileys?|listen|aufzählung\w*|floskeln)"
        r"|(?:fass|halt) dich (?:\w+ )?kurz)"
        r"|^(?!.{0,60}\b(?:ich|wir|er|sie|meine?)\b).{0,60}\bbitte (?:immer|nie|ab jetzt)"
        r"|\b(?:immer|niemals|nie)\b.{0,40}\b(?:wenn ich|antworten|antworte)",
    ),
    "fr": (
        r"je|j'\w+|mon|ma|mes|moi|me|m'\w+|nous|notre|nos",
        r"préfère|préféré\w*|aime|adore|déteste",
        r"m'appelle|habite|vis|travaille|né|née|j'ai \d+ ans|allergique|végétarien(?:ne)?|végane?|je suis (?:un|"
        r"une|\w+(?:eur|euse|ien|ienne|iste|ecin)|prof\w*)",
        r"plus (?:de|d'|à)|ne \w+ plus|n'\w+ plus|déménagé|changé|au lieu|désormais|maintenant|reporté",
        r"vais|prévois|voudrais|veux|prochaine?|demain|rendez-vous",
        r"femme|mari|fils|fille|enfants|mère|père|sœur|frère|ami|amie|marié|mariée|chien|chat",
        r"^(?:s'il te plaît,? |merci de )?(?:appelle-moi|tutoie-moi|vouvoie-moi|sois (?:bref|brève|concis)"
        r"|(?:réponds|répondez|parle|écris)(?:-moi)? (?:toujours|désormais|brièvement|en (?:français|anglais|allemand"
        r"|espagnol))|pas d'[ée]mojis?|n'utilise (?:pas|jamais) d'[ée]mojis?)|\btoujours répondre",
    ),
    "es": (
        r"yo|mi|mis|m[ií]o|m[ií]a|me|soy|estoy|tengo|vivo|trabajo|fui|nac[ií]|nosotros|nuestr[oa]s?",
        r"prefiero|favorit[oa]s?|me gustan?|me encantan?|odio|detesto",
        r"me llamo|vivo|trabajo|soy|nac[ií]|tengo \d+ años|alérgic[oa]",
        r"ya no|me mudé|nos mudamos|cambié|en lugar de|ahora|aplazó|aplazado",
        r"voy a|vamos a|planeo|quiero|quisiera|próxim[oa]|mañana|cita",
        r"esposa|marido|hijo|hija|hijos|madre|padre|hermana|hermano|amig[oa]|casad[oa]|perr[oa]|gat[oa]",
        r"^(?:por favor,? )?(?:llámame|tutéame|s[eé] breve|(?:sin|no uses) (?:emojis?|listas)"
        r"|(?:responde|contesta|escribe|habla|respóndeme|contéstame|escríbeme|háblame)"
        r"(?: (?!(?:est[oea]|eso|lo|la|el|una?)\b)\w+)?"
        r" (?:siempre|solo|en (?:español|inglés|francés|alemán)|sin emojis))|\bsiempre (?:responde|contesta)"
        r"|\bme (?:contestas|respondes|hablas|escribes) (?:\w+ )?en (?:español|inglés|francés|alemán)"
        r"|\b(?:todas?|todos|siempre|cada)\b.{0,40}\bdámel[oa]s?",
    ),
    "pt": (
        r"eu|meus?|minhas?|me|sou|estou|tenho|moro|vivo|trabalho|fui|nasci|n[oó]s|noss[oa]s?",
        r"prefiro|favorit[oa]s?|gosto|adoro|odeio|detesto",
        r"me chamo|chamo-me|moro|vivo|trabalho|sou|nasci|tenho \d+ anos|alérgic[oa]",
        r"já não|não \w+ mais|mudei|mudámos|mudamos|em vez|agora|adiado",
        r"vou|vamos|pretendo|quero|gostaria|próxim[oa]|amanhã|consulta",
        r"esposa|mulher|marido|filh[oa]s?|mãe|pai|irmã|irmão|amig[oa]|casad[oa]|cão|cachorro|gat[oa]",
        r"^(?:por favor,? )?(?:responde|responda|fala|fale|escreve|escreva)(?:-me)? (?:sempre|só|sem emojis"
        r"|em (?:português|inglês|espanhol))|\bsempre (?:responda|responde)",
    ),
    "it": (
        r"io|mi[oae]|miei|mi|sono|ho|abito|vivo|lavoro|noi|nostr[oaei]",
        r"preferisco|preferit[oaie]|mi piac(?:e|ciono)|adoro|amo|odio|detesto",
        r"mi chiamo|abito|vivo|lavoro|sono (?:nat[oa]|un[ao]?|allergic[oa]|vegetarian[oa]|di)|ho \d+ anni",
        r"non \w+ più|trasferit[oaie]|cambiat[oaie]|invece|adesso|ormai|rinviat[oa]|spostat[oa]",
        r"andrò|voglio|vorrei|prossim[oa]|domani|appuntamento|intendo",
        r"moglie|marito|figli[oa]?|madre|padre|sorella|fratello|amic[oa]|sposat[oa]|cane|gatt[oa]",
        r"^(?:per favore,? )?(?:chiamami|dammi del tu|(?:niente|non usare|senza) emoji|(?:rispondi|scrivi|parla)(?:mi)?"
        r"(?: (?!(?:questo|ciò|il|la|lo|una?)\b)\w+)?"
        r" (?:sempre|solo|in (?:italiano|inglese|francese|tedesco)|senza emoji))",
    ),
    "nl": (
        r"ik|mijn|mij|me|wij|we|ons|onze",
        r"liever|favoriete?|hou van|haat|graag|vind .{0,20} lekker",
        r"heet|woon|werk|geboren|ben \d+|allergisch|vegetariër",
        r"niet meer|verhuisd|veranderd|in plaats van|nu|verzet",
        r"ga|wil|plan|volgende|morgen|afspraak",
        r"vrouw|man|zoon|dochter|kinderen|moeder|vader|zus|broer|vriend(?:in)?|getrouwd|hond|kat",
        r"^(?:alsjeblieft )?(?:noem me|(?:antwoord|praat|schrijf) (?:altijd|nooit|kort|in het (?:nederlands|engels)))",
    ),
    "zh": (
        "我|咱",
        "喜欢|喜歡|最爱|最愛|偏好|讨厌|討厭|更愿意|宁愿",
        "我叫|我是|名字|住在|工作|出生|来自|來自|岁|歲|过敏|過敏|素食",
        "不再|搬到|搬家|换了|換了|改成|改为|现在|現在|推迟|取消",
        "打算|计划|計劃|准备|準備|想要|下周|下週|下个月|明天|明年|预约",
        "妻子|丈夫|老婆|老公|儿子|兒子|女儿|女兒|妈妈|媽媽|爸爸|姐姐|妹妹|哥哥|弟弟|朋友|结婚|狗|猫|貓",
        "^请?(?:总是|永远|以后).{0,12}(?:回答|回复|用)|^请(?:用.{1,8}(?:回答|回复)|叫我)",
    ),
    "ja": (
        "私|僕|俺|わたし|ぼく|自分|うち",
        "好き|好み|大好物|嫌い|苦手|お気に入り|方がいい|ほうがいい",
        "と申します|といいます|と言います|名前は|住んで|働いて|勤めて|生まれ|出身|歳|アレルギー|菜食",
        "もう.{0,12}ない|引っ越し|変え|変わり|やめ|今は|延期|中止",
        "予定|つもり|したい|来週|来月|明日|来年|予約",
        "妻|夫|息子|娘|母|父|姉|妹|兄|弟|友達|友人|結婚|犬|猫",
        "^(?:これから|今後|いつも|必ず).{0,20}(?:答え|返事|使って)|と呼んで",
    ),
}  # fmt: skip


def _compile(language: str) -> tuple[re.Pattern[str], ...]:
    if language in ("zh", "ja"):
        return tuple(regex(words) for words in _WORDS[language])
    return tuple(regex(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for words in _WORDS[language])


_PATTERNS = {language: _compile(language) for language in _WORDS}
_QUESTION = regex(r"[?？][\"'»”)\s]*$|[吗呢嗎]。?$|ですか。?$|ますか。?$")
_DIGIT = regex(r"\d|[一二三四五六七八九十]月|[一二三四五六七八九十]+日")
_LETTERS = regex(r"\w")
_LEAST_LETTERS, _LEAST_CJK = 12, 5
_MOST_LETTERS = 400


# Words that no short sentence of the other languages has.
_ENGLISH = regex(
    r"\b(?:i'\w+|my|the|and|is|are|was|you|your|to|of|it|we|have|has|for|with|that|this|in the)\b", re.IGNORECASE
)


_I_AM = regex(  # no other language has it
    r"\bi(?:['’](?:m|ve|ll|d)| (?:am|have|prefer|love|hate|live|work|need|moved|avoid|study|speak))\b"
    r"|\b(?:can|could|should) i\b",
    re.IGNORECASE,
)


def language_of(text: str) -> str:
    """Return the language of a text; of a short one by the words that tell of a person."""
    language, sample = guess(text), text[:_MOST_LETTERS]
    if _I_AM.search(sample):
        return "en"
    if language == "en" and _ENGLISH.search(sample):
        return language
    own = [code for code, patterns in _PATTERNS.items() if any(p.search(sample) for p in patterns[1:])]
    if language not in own:  # a sentence of few words may look like a neighbour's language
        language = next((code for code in own if _PATTERNS[code][0].search(sample)), next(iter(own), language))
    return language


def worth_of(sentence: str, language: str) -> tuple[FactKind, float] | None:
    """Return the kind of a sentence and how much it is worth keeping; None for what states nothing of the speaker."""
    patterns = _PATTERNS.get(language)
    if patterns is None or _QUESTION.search(sentence[-40:]) or sentence.endswith((":", "：")):
        return None
    letters = len(_LETTERS.findall(sentence[: _MOST_LETTERS + 1]))
    if not (_LEAST_CJK if language in ("zh", "ja") else _LEAST_LETTERS) <= letters <= _MOST_LETTERS:
        return None
    kind: FactKind | None = next((kind for kind, place in _ORDER if patterns[place + 1].search(sentence)), None)
    dated = bool(_DIGIT.search(sentence))
    # A subject is often left out in Japanese, Spanish, Portuguese and Italian: the kind stands for it.
    if (
        not patterns[0].search(sentence)
        and kind not in ("instruction", "preference", "identity")
        and not (dated and kind)
    ):
        return None
    if kind is None:
        return ("state", 0.8) if dated else None
    return kind, 1.5 + 0.5 * dated + (1.0 if kind == "instruction" else 0.0)


# What time a statement names: the words of months and days are read as English ones.
_MONTHS: dict[str, str] = {
    "de": "januar|jänner februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
_DAYS: dict[str, tuple[str, str, str]] = {
    "de": ("gestern", "heute", r"(?<!heute )(?<!jeden )morgen(?! früh)"),
    "fr": ("hier", "aujourd'hui", "demain"),
    "es": ("ayer", "hoy", "(?<!la )mañana"),
    "pt": ("ontem", "hoje", "amanhã"),
    "it": ("ieri", "oggi", "domani"),
    "nl": ("gisteren", "vandaag", "morgen"),
}
_ENGLISH_DAYS = ("yesterday", "today", "tomorrow")
_ENGLISH_MONTHS = {
    language: {name: MONTH_NAMES[n] for n, names in enumerate(text.split()) for name in names.split("|")}
    for language, text in _MONTHS.items()
}
_DATE = {
    language: regex(
        rf"(?:(?<!\w)(\d{{1,2}})(?:\.|er|º|°)?\s(?:de\s)?)?(?<!\w)({'|'.join(names)})(?!\w)(?:\s(?:de\s"
        rf"|del\s)?(\d{{4}})(?!\d))?",
        re.IGNORECASE,
    )
    for language, names in _ENGLISH_MONTHS.items()
}
_HALF_A_YEAR = timedelta(days=182)
_DONE = regex(r"\b(?:i|we|since|ago|last|until now|so far|was|were|(?:19|20)\d\d)\b", re.IGNORECASE)
_PAST = regex(r"\b(?:since|ago|last|until now|so far)\b", re.IGNORECASE)


def _in_english(text: str, language: str) -> str:
    names = _ENGLISH_MONTHS[language]

    def translate(found: re.Match[str]) -> str:
        day, month, year = found.groups()
        return " ".join(filter(None, (day, names[month.lower()], year)))

    english = _DATE[language].sub(translate, text)
    for word, pattern in zip(_ENGLISH_DAYS, _DAYS[language], strict=True):
        english = re.sub(rf"(?<!\w){pattern}(?!\w)", word, english, flags=re.IGNORECASE)
    return english


def time_of(text: str, now: datetime, language: str, *, ahead: bool) -> datetime | None:
    """Return the time that the text names, if it names exactly one.

    `ahead`: the statement is not about the past, so "on 12 July" is the coming one.
    """
    english = _in_english(text, language) if language in _MONTHS else text
    if ahead and not _PAST.search(english):
        # The sign of what is to come for `find_dates`; twice, since a "Dr." between looks like the end of a sentence.
        english = f"will {english.rstrip('.!')} will"
    spans = find_dates(english, now)
    if len(spans) != 1:
        return None
    if not ahead and now - spans[0].start > _HALF_A_YEAR and not _DONE.search(english):
        # "The hotel double-booked the 16th of August": the nearer one, unless somebody tells what they did themselves.
        coming = find_dates(f"will {english.rstrip('.!')} will", now)
        if len(coming) == 1 and coming[0].start - now < _HALF_A_YEAR:
            return coming[0].start
    return spans[0].start
