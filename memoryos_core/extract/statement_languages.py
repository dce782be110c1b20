"""Statements in languages other than English: they are quoted, so only their kind and worth have to be known."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from memoryos_core.rules.dates import apart, day_of, find_dates, share_gone, with_month
from memoryos_core.rules.dates.calendar import tells_effect
from memoryos_core.rules.dates.other_languages import in_english, tells_beginning, tells_past
from memoryos_core.rules.dates.recurrence import find_recurrence, without_recurrences
from memoryos_core.rules.dates.tense import AHEAD, announced_in, tells_deed, will_be
from memoryos_core.rules.knowledge.news import tells_death_elsewhere
from memoryos_core.rules.knowledge.orders_by_language import aspects_in, is_manner
from memoryos_core.rules.knowledge.other_languages import told_of_self
from memoryos_core.rules.knowledge.times import IS_BY_DAY_ELSEWHERE
from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.languages import guess, has_no_spaces
from memoryos_core.rules.text.words import regex, sentences, words
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
        r"heiße|bin \d+|wohne|lebe|arbeite|komme aus|geboren|allergisch|vegetarier(?:in)?|vegan(?:er(?:in)?)?"
        r"|heuschnupfen|asthma|diabetes|migräne|rheuma|epilepsie|zöliakie|adhs|neurodermitis|bluthochdruck"
        r"|vertrage keine?n?|unterrichte|von beruf|bin (?:\w+ )?(?:lehrer|ärzt|arzt|ingenieur)\w*",
        r"nicht mehr|umgezogen|gewechselt|statt|inzwischen|seit kurzem|gekündigt|verschoben"
        r"|abgesagt|getrennt|gekauft|verkauft|bestanden|befördert|verloren|angefangen|aufgehört|lerne|gestorben"
         r"|geworden"
        r"|verlobt|schwanger",
        r"werde|plane|will|möchte|vorhabe|nächste[nrsm]?|morgen|termin",
        r"frau|mann|sohn|tochter|kinder|mutter|vater|schwester|bruder|freund(?:in)?|verheiratet|hund|katze",
        r"^(?:(?!ich|wir|er|sie|man)\w+ ){0,3}?(?:\w+: )?(?:bitte )?(?:antworte|schreib|sprich)(?: mir)?"
        r"(?: (?!(?:auf|das|dies\w*|es|den|die|der|eine?n?)\b)\w+){0,3}?"
        r" (?:immer|nie|ab jetzt|auf (?:deutsch|englisch|französisch|spanisch)|kurz|knapp|ohne (?:emojis|floskeln))"
        r"|^(?:bitte )?(?:nenn mich|(?:duz|siez)e? mich|keine? (?:emojis?|smileys?|listen|aufzählung\w*|floskeln)"
        r"|(?:fass|halte?) dich (?:\w+ )?kurz)"
        r"|^(?!.{0,60}\b(?:ich|wir|er|sie|meine?)\b).{0,60}\bbitte (?:immer|nie|ab jetzt)"
        r"|\b(?:immer(?! wenn ich\b(?!.{0,60}\b(?:gib|antworte|sag|schreib|nenn|nimm|verwende|dich|bitte)\b))"
         r"|niemals|nie)\b"
        r".{0,40}\b(?:wenn ich|antworten|antworte)"
        r"|^(?:(?:ab (?:jetzt|sofort)|bitte),? ){0,3}(?:ohne|keine) (?:emojis?|smileys?|floskeln|listen)"
        r"|^(?:abends|morgens|nachts|mittags|vormittags|nachmittags|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs"
        r"|am wochenende) (?:bitte keine? \w+|keine? \w+,? bitte)"
        r"|^(?:bitte )?(?:sag (?:nicht|nie) immer|(?:rechne|verwende|benutze?|nutze?|nimm|gib mir)(?: bitte)? immer)",
    ),
    "fr": (
        r"je|j'\w+|on|mon|ma|mes|moi|me|m'\w+|nous|notre|nos",
        r"préfère|préféré\w*|aime|adore|déteste",
        r"m'appelle|habite|vis|travaille|né|née|j'ai \d+ ans|allergique|végétarien(?:ne)?|végane?|je suis (?:un|"
        r"une|\w+(?:eur|euse|ien|ienne|iste|ecin)|prof\w*)",
        r"plus (?:de|d'|à)|ne \w+ plus|n'\w+ plus|déménagé|changé|au lieu|désormais|maintenant|reporté|annulé"
        r"|séparée?s?|acheté|vendu|réussi|eu mon|commencé|arrêté|quitté|démissionné|apprends|perdu|décédée?|morte?"
         r"|devenue?"
        r"|enceinte|fiancée?s?",
        r"vais|prévois|voudrais|veux|prochaine?|demain|rendez-vous",
        r"femme|mari|fils|fille|enfants|mère|père|sœur|frère|ami|amie|marié|mariée|chien|chat",
        r"^(?:s'il te plaît,? |merci de )?(?:appelle-moi|tutoie-moi|vouvoie-moi|sois (?:bref|brève|concis)"
        r"|(?:réponds|répondez|parle|écris)(?:-moi)? (?:toujours|désormais|brièvement|en (?:français|anglais|allemand"
        r"|espagnol))|pas d'[ée]mojis?|n'utilise (?:pas|jamais) d'[ée]mojis?|(?:fais|utilise|donne-moi|mets) toujours"
        r"|(?:à partir de maintenant|désormais),? (?:réponds|parle|écris|tutoie|utilise|fais)(?:-moi)?)"
         r"|\btoujours répondre",
    ),
    "es": (
        r"yo|mi|mis|m[ií]o|m[ií]a|me|he|hemos|nos|voy|vamos|soy|estoy|tengo|vivo|trabajo|fui|nac[ií]|nosotros"
         r"|nuestr[oa]s?",
        r"prefiero|favorit[oa]s?|me gustan?|me encantan?|odio|detesto",
        r"me llamo|vivo|trabajo|soy|nac[ií]|tengo \d+ años|alérgic[oa]|me (?:sientan?|caen?) (?:muy )?(?:mal|fatal)",
        r"ya no|me mudé|nos mudamos|cambié|en lugar de|ahora|aplazó|aplazado|cancelado"
        r"|dejado|dejé|comprado|compré|vendido|vendí|aprobado|aprobé|empezado|empecé|aprendiendo|perdido|perdí|separado"
        r"|murió|embarazada|roto con",
        r"voy a|vamos a|planeo|quiero|quisiera|próxim[oa]|mañana|cita",
        r"esposa|marido|hijo|hija|hijos|madre|padre|hermana|hermano|amig[oa]|casad[oa]|perr[oa]|gat[oa]",
        r"^(?:por favor,? )?(?:llámame|tutéame|s[eé] breve|(?:sin|no uses) (?:emojis?|listas)"
        r"|(?:responde|contesta|escribe|habla|respóndeme|contéstame|escríbeme|háblame)"
        r"(?: (?!(?:est[oea]|eso|lo|la|el|una?)\b)\w+)?"
        r" (?:siempre|solo|en (?:español|inglés|francés|alemán)|sin emojis"
        r"|(?:más )?(?:corto|breve)(?! (?:al?|est[aeo])\b)))"
        r"|^(?:por favor,? )?siempre (?:responde|contesta)"
        r"|^(?:respuestas (?:cortas|breves)|usa siempre|siempre usa"
        r"|(?:a partir de ahora|desde ahora),? (?:responde|contesta|escribe|habla|usa|respóndeme|contéstame|háblame))"
        r"|\bme (?:contestas|respondes|hablas|escribes) (?:\w+ )?en (?:español|inglés|francés|alemán)"
        r"|\b(?:todas?|todos|siempre|cada)\b.{0,40}\bdámel[oa]s?",
    ),
    "pt": (
        r"eu|meus?|minhas?|me|nos|vou|vamos|sou|estou|tenho|moro|vivo|trabalho|fui|nasci|n[oó]s|noss[oa]s?",
        r"prefiro|favorit[oa]s?|gosto|adoro|odeio|detesto",
        r"me chamo|chamo-me|moro|vivo|trabalho|sou|nasci|tenho \d+ anos|alérgic[oa]",
        r"já não|não \w+ mais|mudei|mudámos|mudamos|em vez|agora|adiado|adiou|cancelad[oa]"
        r"|comprei|vendi|passei|comecei|terminei|terminamos|aprendendo|perdi|morreu|grávida|separei|separamos",
        r"vou|vamos|pretendo|quero|gostaria|próxim[oa]|amanhã|consulta",
        r"esposa|mulher|marido|filh[oa]s?|mãe|pai|irmã|irmão|amig[oa]|casad[oa]|cão|cachorro|gat[oa]",
        r"^(?:por favor,? )?(?:responde|responda|fala|fale|escreve|escreva)(?:-me)? (?:sempre|só|sem emojis"
        r"|em (?:português|inglês|espanhol))|^(?:sem|não use) emojis|^(?:por favor,? )?sej[ae] (?:breve|concis[oa]"
         r"|diret[oa])"
        r"|\bsempre (?:responda|responde)",
    ),
    "it": (
        r"io|mi[oae]|miei|mi|ci|siamo|abbiamo|andiamo|vado|sto|sono|ho|abito|vivo|lavoro|noi|nostr[oaei]",
        r"preferisco|preferit[oaie]|mi piac(?:e|ciono)|adoro|amo|odio|detesto",
        r"mi chiamo|abito|vivo|lavoro|sono (?:nat[oa]|un[ao]?|allergic[oa]|vegetarian[oa]|di)|ho \d+ anni",
        r"non \w+ più|trasferit[oaie]|cambiat[oaie]|invece|adesso|ormai|rinviat[oa]|spostat[oa]|annullat[oa]"
        r"|comprat[oa]|vendut[oa]|superat[oa]|iniziato|lasciat[oi]|imparando|pers[oa]|mort[oa]|incinta",
        r"andrò|voglio|vorrei|prossim[oa]|domani|appuntamento|intendo",
        r"moglie|marito|figli[oa]?|madre|padre|sorella|fratello|amic[oa]|sposat[oa]|cane|gatt[oa]",
        r"^(?:per favore,? )?(?:chiamami|dammi del tu|sii (?:breve|concis[oa])|risposte brevi|(?:niente|non usare"
         r"|senza) emoji|(?:rispondi|scrivi|parla)(?:mi)?"
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
        "不再|搬到|搬家|换了|換了|改成|改为|现在|現在|推迟|取消"
        "|分手|离婚|離婚|买了|買了|卖了|通过了|考过|拿到|在学|辞职|升职|去世|怀孕|开始",
        "打算|计划|計劃|准备|準備|想要|下周|下週|下个月|明天|明年|预约",
        "妻子|丈夫|老婆|老公|儿子|兒子|女儿|女兒|女朋友|男朋友|同事|妈妈|媽媽|爸爸|姐姐|妹妹|哥哥|弟弟|朋友|结婚|狗|猫|貓",
        "^请?(?:总是|永远|以后).{0,12}(?:回答|回复|用)|^请(?:用.{1,8}(?:回答|回复)|叫我)"
        "|^(?:请|麻烦)?你?(?:今后|从现在起|一直|始终|都)(?:请|都|就)?(?:一直|总是)?用.{1,8}(?:回答|回复|跟我说|和我说)"
        "|^(?:请|你的?)?回答.{0,4}(?:简短|简洁|短一点|详细|短些)|^(?:请|以后)?(?:不要|别)再?(?:用|使用|加)(?:表情|emoji)"
        "|^(?:以后|你)(?:就|可以)?叫我.{1,6}|^叫我.{1,6}(?:就行|就好|吧)",
    ),
    "ja": (
        "私|僕|俺|わたし|ぼく|自分|うち",
        "好き|好み|大好物|嫌い|苦手|お気に入り|方がいい|ほうがいい",
        "と申します|といいます|と言います|名前は|住んで|働いて|勤めて|生まれ|出身|歳|アレルギー|菜食",
        "もう.{0,12}ない|引っ越し|変え|変わり|やめ|今は|延期|中止"
        "|別れ|離婚|買い|買っ|売り|売っ|合格|取れ|取り|始め|辞め|亡くな|勉強して|習って|妊娠",
        "予定|つもり|したい|来週|来月|明日|明後日|来年|予約",
        "妻|夫|息子|娘|母|父|姉|妹|兄|弟|友達|友人|結婚|犬|猫",
        "^(?:これから|今後|いつも|必ず).{0,20}(?:答え|返事|使って)|と呼んで"
        "|^(?:回答は)?(?:短く|簡潔に|詳しく|丁寧に|敬語で|タメ口で|日本語で|英語で).{0,6}(?:答えて|回答して|返事して|話して|返信して)"
        "|(?:絵文字|顔文字|敬語|箇条書き|専門用語)[はを]?.{0,4}(?:使わないで|使わなくて|やめて|なしで)"
        "|^(?:今後|これから|以後|次から)は?.{1,16}お願いします",
    ),
}  # fmt: skip


def _compile(language: str) -> tuple[re.Pattern[str], ...]:
    if language in ("zh", "ja"):
        return tuple(regex(words) for words in _WORDS[language])
    return tuple(regex(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for words in _WORDS[language])


_PATTERNS = {language: _compile(language) for language in _WORDS}
_QUESTION = regex(r"[?？][\"'»”)\s]*$|[吗呢嗎]。?$|ですか。?$|ますか。?$")
_DIGIT = regex(r"\d|[一二三四五六七八九十]月|[一二三四五六七八九十]+日")
# "Elternabend ist am 3. Dezember um 19 Uhr": a day with an hour is an appointment, although nobody is named.
_AT_HOUR = regex(
    r"\b(?:(?:um|gegen|om|alle|às|à|a las?) \d{1,2}\b|\d{1,2}(?:[:.]\d\d)? ?(?:uhr|uur|heures?|horas)\b"
    r"|\d{1,2} ?h(?:\d\d)?\b)",
    re.IGNORECASE,
)
_TASTES = ("food", "habit")
_WITHOUT_SUBJECT = frozenset(("zh", "ja", "es", "pt", "it"))
_ANY_DAY = datetime(2000, 1, 3, tzinfo=timezone.utc)  # whether a sentence names a time is the same on all days
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


@lru_cache(maxsize=256)  # the readers of a message ask one after the other
def language_of(text: str) -> str:
    """Return the language of a text; of a short one by the words that tell of a person."""
    language, sample = guess(text), text[:_MOST_LETTERS]
    if _I_AM.search(sample):
        return "en"
    if language == "en" and _ENGLISH.search(sample):
        return language
    own = [code for code, patterns in _PATTERNS.items() if any(p.search(sample) for p in patterns[1:])]
    own += [code for code, letters in _LETTERS_OF.items() if code not in own and letters.search(sample)]
    if not own and len(sample) <= _LONGEST_OF_DATES:
        told = not has_no_spaces(language) and (told_of_self(sample) or is_manner(sample))
        is_english = language == "en" and _looks_english(sample)  # "Lunch with Mai on Friday"
        own = [
            code
            for code in _PATTERNS
            if (told and code in _TOLD_IN) or (not is_english and _has_dates_of(code, sample))
        ]
    if len(own) > 1 or language not in own:  # a sentence of few words may look like a neighbour's language
        said = frozenset(words(sample))
        known = [code for code in _PATTERNS if code in own or (own and code == language)]
        language = max(known, key=lambda code: _likeness(code, sample, said), default=language)
    return language


_ENGLISH_ALONE = FUNCTION_WORDS["en"].difference(
    ("don", "her", "or", "re"), *(listed for code, listed in FUNCTION_WORDS.items() if code != "en")
)
_ENGLISH_TIME = regex(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|yesterday|today|tomorrow|tonight|ago|(?:last|next|this)"
    r" (?:week|month|year|night|spring|summer|autumn|winter)\w*)\b|\d[ap]m\b|\d pm\b|\bo'clock\b"
    r"|\b(?:call(?:s|ed)|gave|saw|picked|texted|visited|starts|started|said|told|asked|loves|likes|lives|works|turned|got)\b",
    re.IGNORECASE,
)


def _looks_english(sample: str) -> bool:
    """Return whether a text has a word that English alone has, so that "Mai" and "Domenica" are names in it."""
    return _ENGLISH_TIME.search(sample) is not None or not _ENGLISH_ALONE.isdisjoint(words(sample))


_TOLD_IN = ("de", "fr", "es", "it", "pt")
_LONGEST_OF_DATES = 120  # characters


def _has_dates_of(code: str, sample: str) -> bool:
    """Return whether a text names a month or a weekday in a language: "dentista el jueves a las 9"."""
    plain = sample.replace(".", " ")
    read = in_english(plain, code, _ANY_DAY, ahead=True)
    return not frozenset(words(read)) <= frozenset(words(f"{plain} in"))


_LETTERS_OF = {
    "es": regex("[ñ¿¡]", re.IGNORECASE),
    "pt": regex("[ãõ]", re.IGNORECASE),
    "de": regex(r"ß|\bbitte\b|\bab (?:jetzt|sofort)\b", re.IGNORECASE),
}


def _likeness(code: str, sample: str, said: frozenset[str]) -> int:
    """Return how many signs of a language a text shows: kinds of statements, function words, letters and dates."""
    letters = _LETTERS_OF.get(code)
    return (
        sum(pattern.search(sample) is not None for pattern in _PATTERNS[code])
        + len(said & FUNCTION_WORDS.get(code, frozenset()))
        + 2 * (letters is not None and letters.search(sample) is not None)
        + (in_english(sample, code, _ANY_DAY, ahead=True) != sample)
    )


def worth_of(sentence: str, language: str) -> tuple[FactKind, float] | None:
    """Return the kind of a sentence and how much it is worth keeping; None for what states nothing of the speaker."""
    patterns = _PATTERNS.get(language)
    if patterns is None or _QUESTION.search(sentence[-40:]) or sentence.endswith((":", "：")):
        return None
    letters = len(_LETTERS.findall(sentence[: _MOST_LETTERS + 1]))
    if tells_death_elsewhere(sentence):
        return "change", 1.5
    told, is_order = told_of_self(sentence), bool(aspects_in(sentence)) or is_manner(sentence)
    least = (
        1
        if told or is_order or patterns[_INSTRUCTION + 1].search(sentence[:_MOST_LETTERS])
        else _LEAST_CJK
        if language in ("zh", "ja")
        else _LEAST_LETTERS
    )
    kind: FactKind | None = next((kind for kind, place in _ORDER if patterns[place + 1].search(sentence)), None)
    kind = "instruction" if is_order else kind
    if not least <= letters <= _MOST_LETTERS or (kind != "instruction" and _SUPPOSES.search(sentence)):
        return None
    if kind is None and told:
        kind = "preference" if any(one[0] in _TASTES or one[0].startswith("favourite") for one in told) else "identity"
    timed = _names_time(sentence, language)
    dated = timed or bool(_DIGIT.search(sentence))
    # A subject is often left out in some languages: the kind or a date stands for it.
    needs_subject = not told and kind not in ("instruction", "preference", "identity") and not (dated and kind)
    stands_alone = (timed and _AT_HOUR.search(sentence) is not None) or (
        language in _WITHOUT_SUBJECT and (timed or (kind is not None and language == "ja"))
    )
    stands_alone = stands_alone or (_AT_HOUR.search(sentence) is not None and find_recurrence(sentence) is not None)
    stands_alone = stands_alone or (timed and IS_BY_DAY_ELSEWHERE.search(sentence) is not None)
    if needs_subject and not stands_alone and not patterns[0].search(sentence):
        return None
    if kind is None:
        return ("plan" if timed and not tells_past(sentence, language) else "state", 0.8) if dated else None
    return kind, 1.5 + 0.5 * dated + (1.0 if kind == "instruction" else 0.0)


_SUPPOSES = regex(
    r"^(?:und|et|y|e|aber|mais|pero|ma|mas)?\s?(?:falls|angenommen|si|se|als ik)\b|如果|要是|假如|假设|もし",
    re.IGNORECASE,
)


def _names_time(sentence: str, language: str) -> bool:
    """Return whether a sentence names a time in words."""
    if language in ("zh", "ja"):
        return bool(find_dates(in_english(sentence, language, _ANY_DAY, ahead=True), _ANY_DAY))
    return in_english(sentence, language, _ANY_DAY, ahead=True) != sentence


# What time a statement names.
_HALF_A_YEAR, _NEXT_DAYS = timedelta(days=182), timedelta(days=8)
_DAL = regex(r"\bdal(?:l')? ?\d", re.IGNORECASE)  # since a day, or from a day on
_DONE = regex(
    r"\b(?:i|we|since|ago|last|until now|so far|was|were|(?:19|20)\d\d|(?:war|hatte)(?:en|n)?|gelaufen|geheiratet"
    r"|gestorben|geboren|geflogen|gekauft|bestanden|couru|morte?|né[es]?|acheté|corr(?:í|ió)|murió|nac(?:í|ió)|compré|nat[oa]"
    r"|sposat[oa]|comprato|gelopen|getrouwd|overleden|gekocht)\b|走りました|[跑去买買]了",
    re.IGNORECASE,
)
_PAST = regex(r"\b(?:since|ago|(?<!\bat )last(?! (?:\w*day|week(?:end)?) (?:of|in)\b)|until now|so far)\b", re.I)


def _ahead(english: str) -> str:
    """Return a text whose dates lie ahead; the sign stands twice, since a "Dr." looks like the end of a sentence.

    The comma is there since "9 may shall" has no month in it.
    """
    return f"{AHEAD} {english.rstrip('.!')}, {AHEAD}"


def dated_sentence(text: str, now: datetime) -> str:
    """Return the one sentence of an English statement that names a time; the whole where none or several do.

    The others say nothing of when it is: "The operation is on 3 May. I'm told it's nothing."
    """
    text = with_month(text)
    parts = sentences(text)
    dated = [part for part in parts if find_dates(part, now)] if len(parts) > 1 else []
    return dated[0] if len(dated) == 1 else text


def _find_announced(english: str, now: datetime) -> str | None:
    """Return the one clause of an English statement that says itself that its date lies ahead; None for the others."""
    spans = apart(find_dates(_ahead(english), now))
    said = ((span, announced_in(english, span.text, gone=share_gone(span, now))) for span in spans)
    told = [(span.end - span.start > timedelta(days=1, hours=1), clause) for span, clause in said if clause is not None]
    told = [one for one in told if len(told) == 1 or not one[0]]  # "it ends in July, so I fly on 19 June"
    return told[0][1] if len(told) == 1 else None


def _has_just_been(text: str, now: datetime, language: str) -> bool:
    """Return whether a day that a text names is not long ago, and comes back no sooner than in more than a week."""
    past, coming = (in_english(text, language, now, ahead=ahead) for ahead in (False, True))
    if any(timedelta() <= span.start - now < _NEXT_DAYS for span in find_dates(_ahead(coming), now)):
        return False
    return any(timedelta() <= now - span.start < _HALF_A_YEAR / 2 for span in find_dates(past, now))


def time_of(text: str, now: datetime, language: str, *, ahead: bool) -> datetime | None:
    """Return the time that the text names, if it names exactly one.

    `ahead`: the statement is not about the past, so "on 12 July" is the coming one.
    """
    text = without_recurrences(text)
    if language != "en":
        is_since = tells_effect(text) or (language == "it" and _DAL.search(text) is not None)
        ahead = not (tells_past(text, language) or (is_since and _has_just_been(text, now, language)))
    try:
        english = in_english(text, language, now, ahead=ahead)
    except (ValueError, OverflowError):  # beyond the calendar
        return None
    announced = _find_announced(english, now) if language == "en" else None
    if announced is not None:
        ahead, english = True, _ahead(announced)
    elif ahead and not _PAST.search(english):
        english = _ahead(english)
    spans = apart(find_dates(english, now))
    later = [span for span in spans if span.start > now and will_be(english, span.text)]
    spans = later if len(spans) > 1 and len(later) == 1 else spans
    if len(spans) != 1:
        return None
    if (
        not ahead
        and now - spans[0].start > _HALF_A_YEAR
        and not (_DONE.search(english) or tells_beginning(text, language) or tells_deed(english, spans[0].text))
    ):
        # "The hotel double-booked the 16th of August": the nearer one, unless somebody tells what they did themselves.
        coming = find_dates(_ahead(english), now)
        if len(coming) == 1 and coming[0].start - now < _HALF_A_YEAR:
            return coming[0].start
    return day_of(spans[0])
