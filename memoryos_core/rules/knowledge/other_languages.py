"""Read what a sentence in another language tells of its speaker: the home, the job, an allergy, a telephone number.

Each language has a table of the same rows. A value is what was said, in the words of the speaker. What is supposed,
over, asked or told of another person gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memoryos_core.rules.dates.other_languages import MONTH_WORDS
from memoryos_core.rules.knowledge import chinese_japanese
from memoryos_core.rules.knowledge.job_ends import ANY_JOB, ends_own_job
from memoryos_core.rules.knowledge.nicknames import PARTNERS, partner_in, with_capitals
from memoryos_core.rules.knowledge.pets import IS_GONE, is_gone
from memoryos_core.rules.knowledge.told_by_language import CALLED, DIGITS, LANGUAGES, Language
from memoryos_core.rules.text.words import regex

# Words of questions in other languages that ask for an attribute: "wohne" asks for the home.
ASKING = {
    "home": """
        wohne wohn wohnort zuhause adresse stadt umgezogen habite vis ville déménagé vivo ciudad dirección mudé abito
        città moro cidade woon woonplaats 住 住址 住所 地址
    """,
    "occupation": """
        beruf beruflich arbeite arbeitest job arbeit métier travaille bosse profession boulot trabajo trabajas dedico
        profesión dedicas lavoro lavori mestiere trabalho profissão werk beroep 工作 职业 職業 仕事
    """,
    "employer": """
        arbeite arbeitest arbeitgeber firma travaille bosse employeur entreprise trabajo trabajas empresa lavoro azienda
        trabalho empresa werk werkgever 上班 公司 工作 働 勤務先 会社
    """,
    "origin": "komme herkunft ursprünglich viens origine originaire procedencia vengo origine venho 老家 家乡 出身",
    "name": "heiße heisse heiß name nom m'appelle llamo nombre chiamo nome chamo heet naam 名字 名前",
    "age": "alt alter âge ans edad años età anni idade anos oud leeftijd 岁 歲 年龄 年齢 歳",
    "birthday": "geburtstag geboren anniversaire né née cumpleaños compleanno aniversário verjaardag 生日 誕生日",
    "diet": "esse essen ernähre ernährung vegetarier vegan mange manger régime"
    " como comer dieta mangio comida mangiare eet eten 吃 饮食 食事 食べ 肉",
    "food": "esse essen mange manger como comer mangio mangiare comer eet 吃 食べ 肉",
    "habit": "trinke trinken rauche bois boire fume bebo beber fumo bevo bere drink 喝 飲 飲み",
    "allergy": "allergisch allergie allergien essen esse vertrage vertrag unverträglichkeit allergique manger mange"
    " supporte alérgico alérgica alergia comer allergico allergia mangiare eten 过敏 過敏 レル",
    "pet": """
        haustier katze kater hund chat chien animal gato perro mascota gatto cane animale cachorro kat hond huisdier
        猫 狗 宠物 犬 ペット
    """,
    "phone": "telefonnummer handynummer nummer numéro téléphone portable número teléfono móvil numero telefono telefone"
    " telefoonnummer 手机 电话 号码 電話 番号 携帯",
    "relationship": "verheiratet single marié mariée célibataire casado casada soltero sposato 结婚 单身 独身",
    "favourite": "lieblings préféré préférée favorito favorita preferido preferida preferito preferita 最喜 喜欢 好き",
}
ASKING.update((role, nouns.replace("|", " ")) for role, nouns in PARTNERS.items())
Told = tuple[str, str, bool, bool]
"""An attribute, its value, whether several values hold at once, and whether this one does not hold."""

_ROW = tuple[str, bool, re.Pattern[str]]
# Nouns that stand in the place of a town, a firm or a name.
_NO_TOWN = (
    r"(?!(?:(?-i:[IVXL]+)e?|frieden|angst|armut|freiheit|scheidung|trennung|harmonie|sorge|gefahr|miete|untermiete"
    r"|partnerschaft|beziehung|gemeinschaft|rente|quarantäne|isolation|zeiten|wg|wohnung\w*)(?!\w))"
)
_NO_FIRM = (
    r"(?!(?:null|geld|spaß|essen|kunden|kinder|zwei|freunden|tag|nacht|gelegenheit|bedarf|interesse"
    r"|\w*(?:licht|wetter|regen|hitze|kälte|musik|lärm|schnee))(?!\w))"
)
_NO_NAME = r"(?!(?:sie|ihn|euch|uns|ihnen|alle|willkommen|das|dies)(?!\w))"
_NO_ALLERGEN = (
    r"(?!(?:rien|tout|nichts|alles|nadie|niente|tutti|montage?|lundis?|lunes|lunedì|mañanas|matins?|bêtises?"
    r"|dummheit\w*|dumme\w*|idiot\w*|menschen|leute|gens|gente|arbeit|travail|trabajo|lavoro|trabalho|kritik"
    r"|stress|estrés|sport)(?!\w))"
)
# "No como en casa", "non mangio mai" name nothing that is eaten.
_NO_FOOD = (
    r"(?!(?:en|em|in|con(?:tigo|migo|\s\w+)?|com|avec|mit|mai|nunca|jamais|nie|hoy|oggi|hoje|heute|antes|prima|bene"
    r"|bien"
    r"|bem|tanto|molto|mucho|muito|fuera|fuori|fora|al|ad|así|assim|così|allí|sempre|siempre|ni|qui|si|dopo|después|depois|après|tranquil\w*|insieme"
    r"|assieme|junt[oa]s?|sol[oa]s?|seule?|da|desde|depuis|há|hace|fino|hasta|até|senza|sin|sans|sem|per|por|para|pour"
    r"|tard[ei]|cedo|temprano|presto|apenas|despacio|[aà]s?|o|ora|ancora|aún|ainda|durante|troppo|demasiado|demais)(?!\w))"
)
# What people of any of the languages cannot bear to eat: "me sienta mal la leche".
_STUFF = (
    r"(?P<v>(?:(?:rohe[nrs]? )?(?:milch(?:produkte)?|laktose|(?:hasel|erd|wal)?n[üu]sse|eier|weizen|fisch|meeresfrüchte"
    r"|fruktose|tomaten|zwiebeln|soja)|lait(?:ages)?|produits laitiers|œufs?|oeufs?|noix|noisettes?|arachides?"
    r"|cacahu[eè]tes?|blé|fruits de mer|crustacés|poisson|lactose|fructose|histamine|gluten|lactosa|leche|lácteos"
    r"|huevos?"
    r"|nueces|frutos secos|avellanas|trigo|mariscos?|pescado|lattosio|glutine|latte|latticini|uova|noci|nocciole"
    r"|frutta secca|arachidi|crostacei|pesce|leite|laticínios|ovos?|nozes|amendoi(?:m|ns)|peixe|camarão|marisco|glúten"
    r"|fructosa|fruttosio|frutose|histamina"
    r"|istamina|sorbit\w+|níquel|nichel|solfiti|sulfit[oe]s|levadura|lievito|levure))"
)
_CAUSES = (
    r"(?:milch(?:produkten?)?|laktose|(?:hasel|erd|wal)?nüssen?|weizen|fisch|meeresfrüchten?|fruktose|tomaten|soja"
    r"|krabben|garnelen|shrimps|hummer|muscheln|(?:erd|him|brom)beeren|äpfeln?|kiwis?|ananas|pfirsichen?|sellerie|senf|eier"
    r"|sesam|roggen|gluten|eiern|nüssen|zwiebeln|katzen\w*|hunde\w*|pferde\w*|pollen|gräsern?|birken?\w*|hausstaub"
    r"|nickel|latex|penicillin|aspirin|ibuprofen|antibiotika|wespen\w*|bienen\w*|schimmel)"
)
_MEDICINE = (
    r"(?:alcoh?ol|café(?:ína)?|sal|azúcar|ibuprofène|ibuprofeno|aspirin[ae]|paracetamol|penicilina|pénicilline"
    r"|antibióticos|antibiotiques|sucre|lait|gluten|lactose|leche|lácteos|lactosa|zumo de naranja|jus d'orange)"
)
_PLACES = regex(r"\{([A-Z]+)([23]?)\}")


def _begins(form: str) -> str:
    """Return what a row begins behind: what is denied tells nothing, unless the row reads the denial."""
    return r"(?<![\w'])" if "(?P<no>" in form else r"(?<![\w'])(?<!\bno )(?<!\bnon )(?<!\bnão )"


_ACCENTED = regex(r"(?<=[a-zäöü])[éèêáíóúñç](?!\??\])|[éèêáíóúñç](?=[a-zäöü])|\bà(?= )|\bà(?=\|)")
_PLAIN = str.maketrans("éèêáíóúñçà", "eeeaiounca")


def _any_accent(form: str) -> str:
    """Return a pattern that knows its words without their accents, too, as they are typed in haste."""
    return _ACCENTED.sub(lambda found: f"[{found[0]}{found[0].translate(_PLAIN)}]", form)


def _compile_rows(language: Language) -> tuple[_ROW, ...]:
    """Return the rows with what stands for their places. The groups v, w and x of a row are its values."""
    end = rf"\s*(?:[,.;:!?(…]|$|\s(?:{language.ends})\b)"
    value = rf"(?!(?:{language.no_value}|{language.adverbs})(?![\w'-]))"
    name = r"(?-i:[A-ZÀ-Þ])[\w'’-]*(?:\s(?-i:[A-ZÀ-Þ])[\w'’-]*){0,2}"
    further = rf"(?:[\s-](?:(?:{language.in_names})\s)?(?-i:[A-ZÀ-Þ])[\w'’-]*){{0,3}}"
    forms = {
        "NAME": rf"{value}{_NO_NAME}{name}",
        "CAPITAL": r"(?-i:[A-ZÀ-Þ])[\w'’-]+(?:\s(?-i:[A-ZÀ-Þ])[\w'’-]*){0,2}",
        "TOWN": rf"{value}{_NO_TOWN}(?-i:[A-ZÀ-Þ])[\w'’-]*{further}(?![\w'’-])(?={end})",
        "FIRM": rf"{value}{_NO_FIRM}(?-i:[A-ZÀ-Þ])[^,.;:!?]{{1,40}}?(?={end})",
        "PLACE": rf"{value}[^\W\d_][\w'’-]*{further}(?![\w'’-])",
        "JOB": rf"{value}[^,.;:!?\s][^,.;:!?]{{1,40}}?(?={end}|\s(?:bei|an|am|im|auf|au|del|al|alla|presso"
        rf"|a(?=\s(?-i:[A-ZÀ-Þ])))\b)",
        "WHAT": rf"{value}{_NO_FOOD}[^,.;:!?\s][^,.;:!?]{{1,40}}?(?={end})",
        "ALLERGEN": rf"{value}{_NO_ALLERGEN}[^,.;:!?\s][^,.;:!?]{{1,40}}?(?={end})",
        "TEXT": rf"{value}{_NO_FIRM}[^,.;:!?\s][^,.;:!?]{{1,40}}?",
        "DATE": r"\d{1,2}(?:er|º|°)?\s(?:de\s)?\w{3,10}(?:\s(?:de\s)?\d{4})?",
    }
    plain = {
        "A": rf"(?:\s(?:{language.adverbs})){{0,3}}",
        "END": end,
        "JOBS": language.jobs,
        "ANIMALS": language.animals,
        "CALLED": r"(?-i:[A-ZÀ-Þ])[\w'’-]+",
        "DIGITS": DIGITS,
        "STUFF": _STUFF,
        "CAUSES": _CAUSES,
        "MEDICINE": _MEDICINE,
        "LAST": r"(?=\s*(?:[,.;:!?(…]|$|(?:et|y|e|mais|pero|depuis|desde|car|porque)\b|parce))",
    }

    def fill(found: re.Match[str]) -> str:
        form, place = found.groups()
        return plain[form] if form in plain else f"(?P<{'vwx'[int(place or 1) - 1]}>{forms[form]})"

    return tuple(
        (attribute, many, regex(_any_accent(rf"{_begins(form)}(?:{_PLACES.sub(fill, form)})"), re.IGNORECASE))
        for attribute, many, form in language.rows
    )


_ROWS = {code: _compile_rows(language) for code, language in LANGUAGES.items()}
_UNREAL = {code: regex(rf"(?<!\w)(?:{language.unreal})(?!\w)", re.IGNORECASE) for code, language in LANGUAGES.items()}
_BREAK = regex(
    r"(?<=[!?;\n])\s*|(?<!\d)\.\s+|(?<!\bcomo)(?<!\bcomer)(?<!\bbebo),?\s(?=(?:aber|mais(?!\s(?:em|no|na)\b)|pero|ma"
    r"|però|mas|vorher|avant|antes|prima)\s)"
)
# A greeting is part of the sentence behind it: "Hola! Soy Lucía."
_GREETING = regex(r"^(\w{2,10}(?:\s\w{3,7})?)\s?[!.]+\s", re.IGNORECASE)
_QUOTED = regex(r"[\"“”«„][^\"“”»„]{0,400}[\"“”»]?")
_LONGEST, _LEAST_PARTS = 400, 2  # characters; things that a sentence tells


@lru_cache(maxsize=4_096)
def told_of_self(said: str) -> tuple[Told, ...]:
    """Return what a sentence in another language than English tells of its speaker; nothing for most."""
    plain = with_capitals(" ".join(_QUOTED.sub("…", said[:_LONGEST]).replace("\u2019", "'").split()))
    plain = _with_leads(_BESIDE.sub("", _GREETING.sub(r"\1, ", plain)))
    if chinese_japanese.is_written_in(plain):
        return chinese_japanese.told_of_self(plain)
    parts = [part for part in _BREAK.split(plain) if part]
    told = dict.fromkeys(told for part in parts for told in (*_told_in(part), *_partners_in(part)))
    ended = next((one for one in told if one[0] == "employer" and ANY_JOB.fullmatch(one[1])), None)
    if ended is not None and not ends_own_job(plain):
        told.pop(ended)
    return tuple(told)


# "Soy vegetariana y alérgica a las nueces": one verb stands for both, but not in "soy la madre de Leo, alérgico a".
_NOT_ONE = (
    r"(?:mein\w*|unser\w*|sein\w*|ihr\w*|mon|ma|mes|notre|nos|son|sa|ses|mis?|su|sus|mi[oa]|suo|sua|meus?|minhas?|er|sie"
    r"|wir|elle|il|él|ella|lui|lei|ele|ela|ist|sind|war|hat|est|sont|a|es|está|è|é|tiene|ha|tem|in|im|am|an|auf|beim?"
    r"|zu[mr]?|dans|en|au|aux|à|chez|sur|al|nel\w*|no|na|em|con|mit|avec|com|de|del|du|di|da|do|vo[nm]|de[rmn]|d(?:ie|as)"
    r"|la|el|le|lo|o|qu[ei]|che|como|comme|als|wie|d'\w+|l'\w+|für|pour|para|per)"
)
_BOTH = regex(
    rf"(?<!\w)(?P<lead>ich bin|bin ich|bin|je suis|j'suis|soy|sono|sou|ik ben)"
    rf"(?P<one>(?:\s(?!{_NOT_ONE}(?!\w))[\w'-]+,?){{1,5}}?)"
    r"(?:,?\s(?:und|et|y|e|ed|en|and|aber|mais|pero|ma|mas)|,)\s(?=(?:(?:auch|noch|außerdem|stark|schwer|sehr|aussi"
    r"|très|également|también|muy|anche|molto|também|muito|ook)\s){0,2}(?:allergisch|gegen\s\w+\sallergisch"
    r"|\w+intolerant\b|(?:vegetari\w+|vegan\w*)(?=[,.;!)]|$|\s(?:und|et|y|e|ed|en|and|seit|depuis|desde|da)\s)"
    r"|allergique|c(?:œ|oe)liaque|intol[eé]rante?\b|végétarien|végan|al[eé]rgic[oa]"
    r"|cel[ií]ac[oa]|allergic[oa]|intollerante))",
    re.IGNORECASE,
)


def _with_leads(said: str) -> str:
    """Return a sentence in which each thing that its speaker is has a verb of its own."""
    for _ in range(3):
        found = _BOTH.search(said)
        if found is None:
            break
        said = f"{said[: found.end('one')]}, {found['lead']} {said[found.end() :]}"
    return said


# Since which day, and with whom: "abito a Modena dall'8 dicembre", "vivo con Andrés en Soria".
_BESIDE = regex(
    r",?\s(?:seit(?:\sdem)?\s|depuis\sle\s|desde\s(?:el\s|o\s)?(?:dia\s|día\s)?|sinds\s|dal\s|dall')\d{1,2}(?:\.|er|º"
    r"|°)?"
    rf"\s(?:de\s)?(?:{MONTH_WORDS})(?:\s(?:de\s)?(?:19|20)\d\d)?(?![\w])"
    r"|(?:(?<=\bwohne)|(?<=\bwohn)|(?<=\blebe)|(?<=\bhabite)|(?<=\bvis)|(?<=\bvivo)|(?<=\babito)|(?<=\bmoro)"
    r"|(?<=\bich))"
    r"\s(?:zusammen\s)?(?:mit|avec|con|com)\s(?:o\s|a\s)?(?-i:[A-ZÀ-Þ])[\w'-]+(?=\s(?:in|à|au|aux|en|a|em|no|na)\s)",
    re.IGNORECASE,
)
_SAID = regex(r"^(?P<who>[^:\"]{1,60}?) said: \"(?P<said>.+)\"\.?$", re.DOTALL)
_A_DATE = r"\d{1,2}(?:\.|er|º|°)?\s(?:de\s)?[^\W\d]{3,10}"
# A wedding that is set or moved: "Lena hat die Hochzeit auf den 26. Juli verschoben".
_WEDDING = regex(
    rf"(?P<who>[A-ZÀ-Þ][\w'-]+) (?:(?:heiratet|se marie|se casa|si sposa|casa) (?:am|le|el|il|no dia) (?P<v>{_A_DATE})"
    r"|(?:hat|adiou|(?:a|ha) (?:aplazado|cambiado|movido|spostato|rinviato|reporté|décalé|avancé)) (?:die|le|la|il|o)"
    rf" (?i:hochzeit|mariage|boda|matrimonio|casamento) (?:auf den|au|al|para) (?P<w>{_A_DATE}))"
)


@lru_cache(maxsize=4_096)
def told_in_quotation(fact: str) -> tuple[tuple[str, Told], ...]:
    """Return what a quotation in a fact tells of its speaker, each with who is quoted."""
    quoted = _SAID.match(fact)
    if quoted is None:
        return ()
    if (moved := _WEDDING.search(quoted["said"])) is not None:
        return ((moved["who"], ("wedding", moved["v"] or moved["w"], False, False)),)
    return tuple((quoted["who"], told) for told in told_of_self(quoted["said"]) if told[0] != CALLED)


# Who says it is in front: "meine Mutter sagt, ich bin Lehrer", "mi hermano dice que soy médico".
_OTHERS_WORDS = regex(
    r"\b(?:sagt(?:en?)?|meint(?:en?)?|behauptet(?:en?)?|schreibt|schrieb(?:en)?|glaubt(?:en?)?|denkt|dachten?|findet"
    r"|erzählt(?:en?)?|heißt (?:der|die|das|es)|ruft|rief"
    r"|dit|disent|disait|écrit|pense(?!\s?-je)|croit|croient|raconte|prétend|trouve que"
    r"|dicen?|dij(?:o|eron)|decía|escrib(?:e|ió)|piensan?|creen?|cuenta"
    r"|dicono|diceva|dissero?|scriv(?:e|ono)|pensano?|cred(?:e|ono)|racconta"
    r"|di(?:z|zem|zia)|disseram|escreve[um]?|acham?|conta que)\b[^.!?]{0,40}$",
    re.IGNORECASE,
)
# A tale, a game or a ranking is meant: "ich bin Pilot in dem Spiel".
_IN_A_TALE = regex(
    r"\b(?:in|im|dans|en|nel|nella|no|na|num|numa|beim?|au|del|de)\s(?:\w{1,6}\s)?(?:rollenspiel|spiel|roman|film"
    r"|theaterstück|buch|geschichte|traum|ranking|jeu|pièce|histoire|rêve|classement|juego|novela|película|obra|sueño"
    r"|gioco|romanzo|storia|sogno|classifica|jogo|romance|filme|livro|peça|sonho|livre|libro)\b",
    re.IGNORECASE,
)
# A stay, no home: "im Sommer wohne ich in Italien", "j'habite à l'hôtel".
_FOR_A_TIME = regex(
    r"\b(?:im (?:sommer|winter|herbst|frühling|frühjahr|urlaub|hotel)|(?:nächste|kommende|diese)[nrsm]? \w+|morgen"
    r"|(?:haben?|machen?) (?:\w+ )?(?:urlaub|ferien)|ferien(?:wohnung|haus)|übermorgen"
    r"|am wochenende|unter der woche|wochentags|bald|vorübergehend|bei freunden"
    r"|en (?:été|hiver|automne|vacances)|au printemps|(?:la|le) \w+ prochaine?|demain|le week-end|en semaine"
    r"|bientôt|temporairement|à l'hôtel|chez des amis"
    r"|en (?:verano|invierno|otoño|primavera)|(?:la|el) (?:próxim[oa] \w+|\w+ que viene)|mañana"
    r"|los fines de semana|entre semana|pronto|un hotel"
    r"|(?:in|d'|d'in)\s?(?:estate|inverno|autunno|primavera|vacanza|albergo|hotel)|(?:la|il) (?:prossim[oa] \w+"
    r"|\w+ prossim[oa])|domani|nel fine settimana"
    r"|no (?:verão|inverno|outono)|na primavera|(?:na|no) (?:próxim[oa] \w+|\w+ que vem)|amanhã"
    r"|nos fins de semana|airbnb)(?!\w)",
    re.IGNORECASE,
)
# What is not eaten today or before an examination.
_JUST_NOW = regex(
    r"\b(?:(?<!\bab )(?<!\bseit )heute|morgen|gerade|bis (?:zu[mr]?\b|morgen|\w+tag)|vor de[mr]|zum (?:frühstück"
    r"|mittag)"
    r"|diese woche|(?<!d')aujourd'hui|ce (?:soir|midi|matin)|demain|avant|jusqu'\w+|au (?:petit-déj\w*|bureau)"
    r"|(?<!desde )hoy|mañana|est[ae] (?:noche|semana)|antes|hasta|(?<!da )oggi|stasera|domani|fino a\w*"
    r"|(?<!desde )hoje|amanhã|até|esta semana|questa settimana)\b",
    re.IGNORECASE,
)


def _holds_of_speaker(part: str, attribute: str, start: int, end: int) -> bool:
    """Return whether what a part of a sentence tells at a place holds of its speaker now."""
    if _OTHERS_WORDS.search(part[:start]) or _IN_A_TALE.search(part):
        return False
    if attribute == "food" and _JUST_NOW.search(part):
        return False
    if attribute == "home":
        return _FOR_A_TIME.search(part) is None
    return attribute != "pet" or IS_GONE.search(part) is None or is_gone(part[end:])


# The verbs of a speaker that the readers of clauses know, too.
_OF_SPEAKER = regex(
    r"\b(?:wohne|lebe|wohnen|leben|arbeite|hei(?:ß|ss)e|bin|habite|habitons|vis|vit|vivons|travaille|suis|m'appelle"
    r"|vivo|vivimos|resido|trabajo|me llamo|soy|ich)\b",
    re.IGNORECASE,
)
_READ_HERE = frozenset(("home", "name", "age", "allergy", "diet", "employer", "occupation"))


def is_read_here(fact: str, attribute: str) -> bool:
    """Return whether only `told_in_quotation` tells of an attribute of the speaker whom a fact quotes."""
    quoted = _SAID.match(fact) if attribute in _READ_HERE else None
    return quoted is not None and _OF_SPEAKER.search(quoted["said"]) is not None


def _partners_in(part: str) -> Iterator[Told]:
    """Yield what the partner of the speaker is called."""
    found = partner_in(part)
    if found is not None and not _OTHERS_WORDS.search(part[: found[2]]):
        yield found[0], found[1], False, False


def _told_in(part: str) -> Iterator[Told]:
    if part.rstrip().endswith("?"):
        return
    for code, rows in _ROWS.items():
        if _UNREAL[code].search(part):
            continue
        for attribute, many, pattern in rows:
            found = pattern.search(part)
            if found is None or not _holds_of_speaker(part, attribute, *found.span()):
                continue
            groups = found.groupdict()
            value = next((said for place in "vwx" if (said := groups.get(place))), "").strip(" '\".")
            if not value:
                continue
            named, gone = groups.get("n") or "", attribute == "pet" and is_gone(part[found.end() :])
            yield (
                attribute.format(named.lower()),
                f"{named} {value}" if attribute == "pet" and not gone else value,
                many,
                gone or (groups.get("no") or groups.get("not")) is not None,
            )


_JOINT = regex(
    r",\s|，|、|；|;\s|,?\s(?:und|aber|mit|zusammen mit|et|avec|mais|y|con|pero|e|ed|com|maar)\s(?!\w{1,3}\sich\b)",
    re.IGNORECASE,
)
_LED = regex(r"(?:ich bin|bin|je suis|soy|io sono|sono|eu sou|sou|ik ben)\s", re.IGNORECASE)


def take_apart(sentence: str) -> list[str]:
    """Return a sentence that tells several things of its speaker in parts, since one may change and the others stay.

    "Ich bin Jonas, 34, Elektriker" has the parts "ich bin Jonas", "ich bin 34" and "ich bin Elektriker".
    """
    whole = {one for one in told_of_self(sentence) if one[0] != CALLED}
    if len(whole) < _LEAST_PARTS:
        return [sentence]
    employed = _EMPLOYED_AS.match(sentence)
    if employed is not None:
        two = [f"{employed['works']} {employed[what]}" for what in ("job", "firm")]
        if all(told_of_self(part) for part in two):
            return two
    opening = _LED.match(sentence) or _LED.search(sentence)
    lead = opening[0] if opening is not None else ""
    parts: list[str] = []
    told: set[Told] = set()
    at, before = 0, ""
    for joint in (*_JOINT.finditer(sentence), None):
        end = joint.start() if joint is not None else len(sentence)
        part = sentence[at:end].strip()
        own = next((p for p in (part, f"{lead}{part}") if set(told_of_self(p)) & whole - told), None)
        if own is not None:
            parts.append(own)
            told.update(told_of_self(own))
        elif parts:
            parts[-1] = f"{parts[-1]}{before}{part}"
        if joint is not None and parts:  # what stands in front of the first part goes with it
            at, before = joint.end(), joint[0]
    return parts if told >= whole else [sentence]


# "Ich arbeite als Koch bei Aldi": the one may change, and the other stays.
_EMPLOYED_AS = regex(
    r"(?P<works>[^,.;]{0,40}?\b(?:arbeite|travaille|bosse|trabajo|lavoro|trabalho)(?: ich)?) (?P<job>(?:als|comme"
    r"|como|de|come) [^,.;]{2,40}?) (?P<firm>(?:bei|für|chez|pour|au|à la|en|para|alla|per|no|na) [^,.;]{2,60})$",
    re.IGNORECASE,
)
