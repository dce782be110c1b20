"""Keywords of a text without a model: frequent words, or frequent bigrams where words have no spaces between them."""

from __future__ import annotations

import re
from collections import Counter

from memoryos_core.extract.prompts import guess, has_no_spaces
from memoryos_core.rules.text.words import terms, words

# What holds words together: Japanese endings and particles are in hiragana, Chinese has function words.
_GLUE = {"ja": re.compile("[\u3040-\u309f]"), "zh": re.compile("[我你他她它们的了是在吗呢吧也这那很不叫]")}
# A word with a capital that does not begin a sentence: a name, or a noun in German.
_NAME = re.compile(r"(?<=[\w,;:] )[^\W\d_a-z]\w+")
_LONGEST = 40
# Read of one topic; its pages share it (`label`).
READ_CHARS = 1000
# Words that say little about a subject, apart from the function words that `terms` leaves out. Chat is full of them.
_COMMON = {
    code: frozenset(listed.split())
    for code, listed in {
        "en": """
            about actually again all already always amazing and any anything around awesome away back because before
            best better big bit both come coming cool day days definitely done down each else ever every everyone
            everything exactly far feel feeling felt few find first fun get getting give glad go goes going gonna
            good got great guess happy hard hear heard hello help hey hi hope how idea important into just keep kind
            know last later let like little long look looking lot lots love made make makes making many maybe mean
            more most much need never new next nice now oh ok okay old one only other out over people perfect please
            pretty put really right said same saw say see seem seen since some someone something soon sorry sounds
            start started still stuff such sure take talk tell thank thanks thing things think thinking thought
            three through time times today together told tomorrow too took totally tried try trying two until up use
            used using want wanted wants way week well went while without wonderful work wow year years yeah yes
            yesterday yet
        """,
        "de": """
            aber alle alles als also andere auch auf aus bei bin bis bist da dann das dass dein dem den denn der des
            die dies diese doch dort du durch ein eine einem einen einer er es etwas euch für ganz gar gerade gern
            gibt gut haben hast hat hatte heute hier ich ihr immer im ist ja jetzt kann kein keine man mal mehr mein
            meine mich mir mit nach nicht nichts noch nur ob oder schon sehr sein seine seit sich sie sind so und
            uns unser um viel vom von vor war was weil wenn wer werden wie wieder will wird wir wo zu zum zur über
        """,
        "fr": """
            ai alors après as au aussi autre aux avant avec avez avoir beaucoup bien bon ce cela ces cet cette chez
            comme dans de depuis des donc du elle elles en encore est et étais était être eu eux fait faire il ils
            je la le les leur lui ma mais me même mes moi mon ne nos notre nous on ont ou où par pas peu peut plus
            pour quand que quel qui quoi sa sans se ses si son sont suis sur ta te tes toi ton toujours tous tout
            toute très trop tu un une va vais votre vous y à ça
        """,
        "es": """
            al algo ahora así aquí bien bueno como con creo cuando de del desde donde dos el ella ellos en entre era
            eres es esa ese eso esta está estaba este esto estoy fue gracias ha hace hacer hasta hay he hoy la las
            le les lo los mi me mis mucho muy más nada ni no nos o otra otro para pero poco por porque que quien qué
            se sea ser si siempre sin sobre solo son soy su sus sé sí también te tengo tiene todo todos tu tus un
            una uno va y ya yo
        """,
        "pt": """
            agora ainda ao aos aqui as até bem bom com como da das de dela dele depois do dos e ela ele eles em
            entre era essa esse esta este estou está eu faz fazer foi fui gosto há isso já lá mais mas me mesmo meu
            minha muito na nas nem no nos nós não o obrigado onde os ou para pela pelo por porque pra quando que
            quem se sem ser seu sim sobre sou sua são também te tem tenho ter tudo um uma vai você à é
        """,
        "it": """
            adesso al alla anche ancora bene c che chi ci come con cosa così da dal dalla dei del della di dopo dove
            e ed era fa fare fatto gli ha hai hanno ho i il in io la le lei lo loro lui ma me mi mia mio molto nel
            nella no noi non o oggi ogni per perché più poi qui quando quella quello questa questo sempre senza si
            sia solo sono stato su sua suo ti tra tu tutti tutto un una uno va vi è
        """,
        "nl": """
            aan al alle alles als altijd bij ben bent daar dan dat de deze die dit doen door dus echt een en er gaan
            gaat geen goed haar had heb hebben heeft hem het hier hij hoe ik in is ja je jij jouw kan kunnen maar me
            meer met mij mijn moet na naar nee niet niets nog nu of om omdat onder ons ook op over te toch toen tot
            uit van veel voor waar want was wat we weer wel werd wie wij wil worden zal ze zeer zich zij zijn zo zou
        """,
        "ru": """
            без был была были было быть вам вас весь все всё вот где да даже для до его ему если есть ещё же за
            здесь из или им их как когда кто ли меня мне много мой моя мы на нам нас не него нет ни но ну он она они
            оно от очень по под потом потому при про раз с сейчас со так такой там тебя то тоже только тут ты у уже
            хорошо чем что чтобы эта это этот я
        """,
    }.items()
}


def _frequent_grams(text: str) -> list[str]:
    tally = Counter(term for term in terms(text) if 1 < len(term) <= _LONGEST and not term.isdigit())
    return [term for term, _ in tally.most_common()]


def _frequent_words(text: str, common: frozenset[str]) -> list[str]:
    """The words that say something, the most frequent first, each as it was first written."""
    names = {word for name in _NAME.findall(text) for word in words(name)}
    tally: Counter[tuple[str, ...]] = Counter()
    spelled: dict[tuple[str, ...], str] = {}
    for word in words(text):
        key = tuple(terms(word))
        if key and 1 < len(word) <= _LONGEST and not word.isdigit() and word not in common:
            tally[key] += 2 if word in names else 1
            spelled.setdefault(key, word)
    return [spelled[key] for key, _ in tally.most_common()]


def keywords(text: str, count: int) -> tuple[str, ...]:
    """Up to `count` keywords, lower-cased, distinct, best first; empty when the text has no words."""
    text = text[:READ_CHARS]
    language = guess(text)
    if has_no_spaces(language):
        grams = _frequent_grams(text)
        return tuple(([g for g in grams if not _GLUE[language].search(g)] or grams)[:count])
    found = _frequent_words(text, _COMMON.get(language, frozenset())) or _frequent_words(text, frozenset())
    return tuple(found[:count])
