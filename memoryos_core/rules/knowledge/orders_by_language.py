"""Orders in languages other than English: how to answer, and to write, to play or to suppose what is no news."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

__all__ = ["ENDS_TEXT", "asks_for_text", "aspects_in", "find_order", "is_manner", "without_supposed"]

# What may stand around an order, in any of the languages.
_SMALL = (
    r"(?:bitte|also|aber|und|ab (?:jetzt|sofort)|jetzt|nun|wieder|lieber|doch|mir|immer|ruhig|gerne?|auch|nur|dann"
    r"|s'il (?:te|vous) plaît|stp|svp|désormais|maintenant|(?:à|de) nouveau|plutôt|toujours|et|merci de"
    r"|por favor|a partir de ahora|desde ahora|ahora|otra vez|de nuevo|siempre|mejor|y|ya"
    r"|per favore|adesso|di nuovo|sempre|d'ora in poi|agora|de novo|a partir de agora|me|moi)"
)
_ENGLISH_NAMES = {
    "deutsch": "german", "englisch": "english", "französisch": "french", "spanisch": "spanish",
    "italienisch": "italian", "allemand": "german", "anglais": "english", "français": "french",
    "espagnol": "spanish", "italien": "italian",
    "alemán": "german", "inglés": "english", "francés": "french", "español": "spanish", "italiano": "italian",
    "tedesco": "german", "inglese": "english", "francese": "french", "spagnolo": "spanish", "portugués": "portuguese",
    "alemão": "german", "inglês": "english", "francês": "french", "espanhol": "spanish", "português": "portuguese",
}  # fmt: skip
_LANGUAGE = rf"(?P<language>{'|'.join(_ENGLISH_NAMES)})"
_FROM_NOW = (
    r"ab (?:jetzt|sofort)|désormais|à partir de maintenant|(?:a partir de|desde) ahora|d'ora in poi|a partir de agora"
)
_ORNAMENT = r"(?:emojis?|smileys?|émojis?|listas?|listen|listes?|aufzählung\w*)"
_WRITE = (
    r"(?:antworten?|schreiben?|sprich|sprechen|réponds|répondre|écris|écrire|parle|parler|responde|responder|contesta"
    r"|contestar|escribe|escribir|habla|hablar|respóndeme|contéstame|escríbeme|háblame|rispondi(?:mi)?|rispondere"
    r"|scrivi"
    r"|scrivere|parla|responda|escreve|escreva|fala)(?:-moi|me)?"
)
_CAN = r"(?:(?:du )?(?:kannst|darfst)(?: du)?|(?:tu )?peux|(?:vous )?pouvez|puedes(?: volver a)?|puoi|podes?)"
_SHORT = (
    r"(?:kurz|knapp|kürzer|knapper|bref|brève|brièvement|court|plus court|corto|cortito|breve|brevemente|más corto"
    r"|más breve|in breve|più corto|curto|mais curto|concis|concise|conciso|concisa)"
)
_LONG = (
    r"(?:länger|lang|ausführlich(?:er)?|mehr|plus (?:long(?:uement)?|en détail)|longuement|más (?:largo|extenso)"
    r"|largo|con más detalle|più (?:lungo|a lungo)|a lungo|mais (?:longo|detalhado)|com mais detalhes?)"
)
_NO_LONGER = (
    r"(?:(?:es )?muss nicht mehr|plus besoin d'être|ya no (?:hace falta|es necesario) que seas?|non serve più essere"
    r"|não precisa mais ser)"
)


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_ROWS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "length",
        "short",
        _pattern(
            rf"{_WRITE}(?: {_SMALL})* {_SHORT}|(?:fass|halte?) dich {_SHORT}|(?:sois|s[eé]|sii|seja|sei) {_SHORT}"
            r"|kurze antworten|réponses (?:courtes|brèves)|respuestas (?:cortas|breves)|risposte brevi|respostas curtas"
        ),
    ),
    (
        "length",
        "long",
        _pattern(
            rf"{_CAN} (?:{_SMALL} )*(?:{_LONG} {_WRITE}|{_WRITE} {_LONG})|{_WRITE} {_LONG}"
            rf"|{_NO_LONGER} (?:so |tan |aussi |così |tão )?{_SHORT}(?: sein)?"
            r"|lange antworten|réponses longues|respuestas largas|risposte lunghe|respostas longas"
        ),
    ),
    (
        "address",
        "familiar",
        _pattern(
            rf"duze? mich|{_CAN} mich (?:ruhig |gerne? )?duzen|sag du(?: zu mir)?|tutoie-moi|tutéame|dammi del tu"
        ),
    ),
    (
        "address",
        "formal",
        _pattern(r"sieze? mich|sag sie zu mir|vouvoie-moi|trátame de usted|háblame de usted|dammi del lei"),
    ),
    (
        "language",
        "",
        _pattern(
            rf"(?:{_CAN}(?: {_SMALL})* )?{_WRITE}(?: {_SMALL})* (?:auf|en|in|em) {_LANGUAGE}"
            rf"|{_CAN}(?: {_SMALL})* auf {_LANGUAGE.replace('language', 'other')} {_WRITE}"
            # "Ab jetzt wieder Englisch bitte."
            rf"|(?:(?:{_FROM_NOW})(?: {_SMALL})*|(?:bitte )?wieder) (?:auf |en |in |em )?"
            rf"{_LANGUAGE.replace('language', 'alone')}(?:,? {_SMALL})*"
        ),
    ),
    (
        "",
        "no",
        _pattern(
            rf"(?:{_WRITE} )?(?:keine?|ohne|pas d'|pas de|sans|sin|senza|sem|niente) ?{_ORNAMENT}(?: mehr)?"
            rf"|(?:no uses|não use|non usare|n'utilise (?:pas|jamais) (?:d'|de|des)) ?{_ORNAMENT}"
        ),
    ),
    (
        "",
        "yes",
        _pattern(
            rf"{_ORNAMENT} (?:sind|ist)(?: {_SMALL})* (?:okay|ok|in ordnung|erlaubt)"
            rf"|{_CAN}(?: {_SMALL})* {_ORNAMENT} (?:verwenden|benutzen|nutzen)"
            rf"|{_CAN}(?: {_SMALL})* (?:utiliser|usar|usare|poner) (?:des |los |las |gli |os )?{_ORNAMENT}"
        ),
    ),
)
_ORNAMENT_IN = _pattern(_ORNAMENT)
_BEFORE, _BEHIND = _pattern(rf"(?:{_SMALL}\b,? ?){{1,6}}"), _pattern(rf"(?:,? {_SMALL}){{1,6}}$")
_JOINT = _pattern(r",\s+| und | et | y (?=ya )")
_WHY = _pattern(r"(?:ich|weil|denn|da|das|je|j'|parce que|car|porque|es que|io|perché|eu|pois)\b.*")
_LONGEST = 120  # characters
_ONE_NAME = {"smiley": "emoji", "émoji": "emoji", "lista": "list", "listen": "list", "liste": "list"}


def aspects_in(order: str) -> frozenset[tuple[str, str]]:
    """Return the aspects of answers that a sentence settles, each with its value; none where a part settles nothing."""
    found: set[tuple[str, str]] = set()
    for part in _JOINT.split(order.strip(" .!")) if len(order) <= _LONGEST else ():
        settled = _aspect_in(part)
        if settled is None and found and _WHY.fullmatch(part) is not None:
            break  # what stands behind an order only says why
        if settled is None:
            return frozenset()
        found.add(settled)
    return frozenset(found)


def _aspect_in(part: str) -> tuple[str, str] | None:
    plain = _BEHIND.sub("", part)
    opening = _BEFORE.match(plain)
    for said in (part, plain, plain[opening.end() :] if opening is not None else plain):
        for aspect, value, pattern in _ROWS:
            if (told := pattern.fullmatch(said)) is None:
                continue
            if aspect == "language":
                return aspect, _ENGLISH_NAMES[(told["language"] or told["other"] or told["alone"]).lower()]
            if aspect:
                return aspect, value
            name = "".join(_ORNAMENT_IN.findall(said)).lower()
            name = "list" if name.startswith("aufz") else _ONE_NAME.get(name, name)
            return name.removesuffix("s"), value
    return None


# What is ordered to be written, with words that it is the speaker's own: "ein Gedicht über mich: …" may be true.
_KINDLY = (
    r"(?:(?:bitte|mal|jetzt|k[aö]nn(?:s|tes)t du|s'il (?:te|vous) pla[îi]t|stp|svp|tu peux|peux-tu|pouvez-vous"
    r"|por favor"
    r"|porfa|puedes|me puedes|ahora|per favore|puoi|mi puoi|adesso|podes?|você pode|agora|kun je|alsjeblieft|ok|okay"
    r"|und"
    r"|et|y|e|hallo|hey|hi|salut|hola|ciao),? ){0,3}"
)
_FICTION = (
    r"(?:(?:kurz)?geschichten?|märchen|gedicht|lied(?:text)?|songtext|dialog|monolog|szene|drehbuch|roman(?:anfang)?"
    r"|tagebucheintrag|limerick|haiku|histoire|conte|po[eè]me|chanson|dialogue|monologue|scène|nouvelle"
    r"|historia|cuento|relato|poema|canción|diálogo|monólogo|escena|storia|racconto|favola|poesia|canzone"
    r"|dialogo|monologo|scena|história|conto|canção|cena|verhaal(?:tje)?|gedicht|liedje)"
)
_LETTER = (
    r"(?:e-?mails?|mails?|brief|nachricht|text|sms|bewerbung|anschreiben|rede|beitrag|post|anzeige|rezension|beispiel"
    r"|lettre|message|texte|discours|annonce|avis|exemple|carta|correo|mensaje|texto|discurso|anuncio|ejemplo|reseña"
    r"|lettera|messaggio|testo|discorso|annuncio|esempio|recensione|mensagem|anúncio|exemplo|bericht|tekst|voorbeeld)"
)
_VERB = (
    r"(?:schreibe?|verfasse?|formuliere?|erfinde?|dichte|erzähle?|entwirf|erstelle?|mach|[eé]cri[st]|[eé]crivez"
    r"|r[eé]dige"
    r"|fai[st]e?s?|invente|raconte|compose|crée|escr[ií]be|redacta|red[aá]cta|haz|inventa|cu[eé]nta|crea|escreve"
    r"|escreva"
    r"|redige|faz|faça|conta|scrivi|fai|fam|racconta|componi|redigi|schrijf|maak|verzin|vertel)"
    r"(?:-moi|-nous|-me|me|nos|mi|ci)?(?: (?:mir|uns|mal|bitte|doch|me|mij|even)){0,3}"
)
_ONE = r"(?:(?:eine?n?|'?ne?n?|une?|una?|uno|uma?|um|een|den|die|das|le|la|el|il|o|a) )(?:[^\W\d_]{2,14} ){0,2}?"
_NOT_OWN = (
    r"(?![^:.!?\n]{0,80}\b(?:mein\w*|mich|von mir|unser\w*|ich|mon|ma|mes|(?<!-)moi|notre|nos|je|mis?|mí|nuestr\w+|yo"
    r"|mi[oae]|miei|me stess[oa]|noi|nostr\w+|meus?|minhas?|mim|noss\w+|eu|mijn|mij|ons|ik)\b)"
)
_PLEASE = (
    r"(?:bitte|schreiben|erzählen|verfassen|s'il (?:te|vous) pla[îi]t|stp|svp|por favor|porfa|per favore|per piacere"
    r"|alsjeblieft)"
)
_PERSON = (
    r"(?:chef(?:in)?|boss|vermieter(?:in)?|personaler(?:in)?|interviewer(?:in)?|kunden?|kundin|kellner(?:in)?|recruiter"
    r"|patronn?e?|propriétaire|recruteur|client|serveur|jefe|jefa|casero|reclutador|cliente|camarero|capo|padrone"
    r"|selezionatore|cameriere|chefe|senhorio|recrutador|baas|huisbaas)"
)
_ROLE_PLAY = r"(?:rollenspiel|roleplay|jeu de r[ôo]les?|juego de rol|gioco di ruolo|jogo de pap[ée]is|rollenspel)"
_WRITES_OR_PLAYS = _pattern(
    rf"(?:^|(?<=[.!?\n])) ?(?=\w){_KINDLY}(?:"
    # Only a colon or a new line opens the text itself: "Schreib mir eine Geschichte. Ich bin Vegetarier."
    rf"{_VERB} {_ONE}(?:{_FICTION}|{_LETTER})\b{_NOT_OWN}[^:.!?\n]{{0,80}}[:\n]"
    rf"|{_ONE}(?:{_FICTION}|{_LETTER})\b{_NOT_OWN}[^:.!?\n]{{0,60}}?\b{_PLEASE} ?[:\n]"
    rf"|(?:{_VERB} )?{_ONE}(?:{_FICTION}|{_LETTER}) (?:genre|(?:du )?style|du genre|(?:del )?tipo|estilo|wie|so wie"
    rf"|zoals)"
    r" ?:"
    rf"|(?:{_VERB}\b[^:.!?\n]{{0,60}}|{_ONE}{_FICTION}\b[^:.!?\n]{{0,40}}) (?:aus (?:der )?(?:sicht|perspektive)"
    r"|du point de vue|dans la peau|desde (?:el punto de vista|la perspectiva)|dal punto di vista|do ponto de vista"
    r"|vanuit het perspectief)\b[^:.!?\n]{0,60}[:\n]"
    rf"|(?:on (?:fait|va faire)|faisons|lass uns|wir (?:machen|spielen)|spielen wir|hagamos|vamos a (?:hacer|jugar)"
    rf"|facciamo|vamos fazer|fais|mach|haz|fai|laten we)[^:.!?\n]{{0,20}} {_ROLE_PLAY}\b ?[:.,!\n–-]"
    rf"|{_ROLE_PLAY} ?[:\n]"
    rf"|(?:(?P<is>tu es|tu eres|tú eres|tu sei|tu és|du bist)|spiele?|joue|fais|haz de|hazte pasar por|interpreta|fai"
    rf"|faz de|speel)(?: (?:mal|bitte|jetzt|maintenant|ahora|adesso|agora|le rôle de|o|il|la|de)){{0,3}} (?:meine?n?"
    rf"|eine?n?|den|mon|ma|une?|mi|una?|mi[ao]|meu|minha|uma?|um|mijn|een) {_PERSON}\b[^:.!?\n]{{0,40}}"
    r"(?(is)[:\n]|[:.,!\n]))"
)
ENDS_TEXT = _pattern(
    r"\n\s{0,9}(?=(?:by the way|btw|also|p\.?\s?s\b|anyway|oh,|oh and|in real life|irl)\b)"
    r"|(?<=[.!?\n])\s{1,9}(?=(?:übrigens|au fait|por cierto|a proposito|à propos|aliás|já agora|trouwens)\b)"
)
"""Where a text to work on ends, and its user speaks again: "by the way", "übrigens"."""
_LONGEST_ORDER, _READ_FOR_ORDERS = 2_000, 20_000  # characters
# How to answer from now on, in everyday words: "nada de emojis", "tu peux me tutoyer", "korrigier immer meine Fehler".
_TEXT_OF_ANSWERS = (
    r"(?:antworten|texte|sätze|romane|emojis?|smileys?|ausrufezeichen|floskeln|fremdwörter|anglizismen|listen"
    r"|aufzählungen"
    r"|entschuldigungen|vorschläge|rezepte|pav[ée]s|[ée]mojis?|listes|points d'exclamation|anglicismes|listas"
    r"|exclamaciones"
    r"|tecnicismos|rollos|anglicismos|emoji|inglesismi|giri di parole|elenchi|papiri|estrangeirismos|lijstjes?|emoji's)"
)
_CLOSING = (
    r"(?:,? (?:bitte|mehr|danke|ab jetzt|ab sofort|künftig|in zukunft|von nun an|an|in deinen antworten|stp|svp"
    r"|s'il (?:te|vous) pla[îi]t|merci|désormais|à l'avenir|maintenant|dans (?:tes|vos) réponses|por favor|porfa"
    r"|gracias|a partir de ahora|en tus respuestas|per favore|grazie|d'ora in poi|nelle (?:tue )?risposte|obrigad[oa]"
    r"|a partir de agora|nas (?:tuas )?respostas|alsjeblieft|dank je|voortaan|immer|toujours|siempre|sempre|altijd"
    r"|ok|okay))"
)
_ALWAYS = r"\b(?:immer|stets|jedes mal|ab jetzt|ab sofort|künftig|in zukunft)\b(?! noch| wieder)"
_UNITS = (
    r"(?:celsius|kilometer|gramm|euro|metrisch\w*|einheiten|beispiele?|tabellen?|listen?|emojis?|markdown|absätze|deutsch"
    r"|englisch|(?:kurze|einfache|lange) (?:sätze|wörter)|du|sie)"
)
_FURTHER = (
    rf"(?:(?:,| und| oder| et| ou| y| o| e) (?:keine? |pas de |nada de |sin |de |d'|niente )?{_TEXT_OF_ANSWERS}\b)"
)
_MANNER = _pattern(
    rf"^{_KINDLY}(?:(?:"
    r"(?:red|sprich)e? mich (?:bitte )?nicht\b[^.!?]{0,20} (?:mit|beim) namen"
    r"|tu peux me (?:tutoyer|vouvoyer)|arr[êe]te de me (?:tutoyer|vouvoyer)"
    r"|fais(?:-moi)? (?:toujours )?des [^.!?]{2,40}? (?:quand|dès qu|chaque fois)"
    r"|(?:h[áa]blame|tr[áa]tame) de (?:tú|tu|usted|vos)\b|corr[íi]geme siempre|dammi (?:sempre )?del (?:tu|lei)\b"
    r"|trata-me por (?:tu|você)|corrige-me sempre)(?!\w)[^?]*$"
    # In these only closing words may follow: "keine Antworten von meinem Arzt" orders nothing.
    rf"|(?:(?:korrigiere?|verbessere?)\b(?! das)[^.!?,]{{0,40}}?{_ALWAYS}[^.!?,]{{0,40}}"
    rf"|(?:erkläre?|frage?|zeige?|gib|rechne) (?:mir|mich|uns|es|alles|in)\b[^.!?,]{{0,40}}?{_ALWAYS}[^.!?,]{{0,40}}"
    rf"|(?:verwende|nutze?|benutze?)\b[^.!?,]{{0,40}}?{_ALWAYS}(?: [\w-]+){{0,3}}? {_UNITS}"
    r"|(?:keine|nicht so (?:viele?|lange)|weniger|nie|kürzere) (?:so )?(?:langen? |vielen? |kurzen? )?"
    rf"{_TEXT_OF_ANSWERS}{_FURTHER}{{0,3}}(?: (?:mit|ohne) [\w-]+)?"
    rf"|arr[êe]te (?:avec )?les {_TEXT_OF_ANSWERS}{_FURTHER}{{0,3}}"
    r"|(?:réponds|écris|explique)(?:-moi)? (?:plus |toujours |très )?(?:court|brièvement|simplement|simple|bref)"
    rf"|(?:jamais|plus|pas) (?:de |d')(?:gros |longs? |longues? )?{_TEXT_OF_ANSWERS}{_FURTHER}{{0,3}}"
    rf"|(?:sin|nada de|menos|no tant[oa]s?) (?:tant[oa]s? )?{_TEXT_OF_ANSWERS}{_FURTHER}{{0,3}}"
    r"|s[ée] (?:siempre )?(?:más )?(?:breve|direct[oa]|concis[oa]|clar[oa])"
    r"|dammi (?:sempre )?risposte (?:(?:più|molto) )?(?:lunghe|brevi|corte|chiare|precise|sintetiche|dettagliate"
    r"|semplici|dirette)"
    rf"|(?:niente|evita|senza|meno) (?:i |gli |le |troppi |troppe )?{_TEXT_OF_ANSWERS}{_FURTHER}{{0,3}}"
    rf"|(?:sem|nada de|menos) (?:tant[oa]s? )?{_TEXT_OF_ANSWERS}{_FURTHER}{{0,3}}"
    rf"|(?:geen|zonder|minder) {_TEXT_OF_ANSWERS}{_FURTHER}{{0,3}}|hou (?:het|je) kort|(?:korte|kortere) antwoorden"
    rf"){_CLOSING}{{0,4}}[.! ]{{0,4}}$)"
)


def is_manner(order: str) -> bool:
    """Return whether a sentence orders how to answer from now on: "dammi risposte brevi"."""
    return _MANNER.match(order[:_LONGEST_ORDER]) is not None


# What is written for somebody: "correct my grammar", not "correct, book it", "write the date in my calendar".
_TEXT = (
    r"(?: [\w'’-]{1,20}){0,4}?"
    r" (?:\w{0,16}(?:text|satz|mail|brief|schreiben|gedicht|geschichte|nachricht|beschreibung)(?:e[ns]?)?"
    r"|texts?|textes?|textos?|test[oi]|tekst(?:en)?|sentences?|s[aä]tze?|phrases?|frases?|frasi|zin(?:nen)?|paragraph(?:s|e)?"
    r"|paragrafo|p[aá]rrafo|parágrafo|e-mails?|letters?|lettres?|cartas?|lettera|courriel|correo|intro(?:duction)?|bio"
    r"|cv|r[eé]sum[eé]|lebenslauf|currículum|vorstellung|presentation|présentation|presentación|presentazione|apresentação"
    r"|bewerbung|poem|poème|poema|poesia|stor(?:y|ia)|histoire|historia|história|cuento|racconto|verhaal|essay|speech|rede"
    r"|discours|discurso|discorso|toespraak|toast|articles?|artikel|artículo|articolo|artigo|post(?!-)|tweet|caption|blurb"
    r"|script|dialog(?:ue)?|message|mensaje|messaggio|mensagem|bericht|reply|response|antwort|réponse|respuesta|risposta"
    r"|resposta|antwoord|review|description|summary|song|lyrics|grammar|grammatik|grammaire|gramática|grammatica|spelling"
    r"|rechtschreibung|orthographe|ortografía|redacción|note to|(?:my|meine|mes|mis|miei|meus)"
    r" (?:mistakes|errors|fehler|fautes|errores|errori|erros)"
    r"|(?:my|mein|mon|mi|mio|meu) (?:english|german|french|spanish|italian|deutsch|englisch|anglais|inglés"
    r"|inglese|inglês)|haiku|limerick|birthday card|vers(?:es?|os?|i)|code|function)\b(?! address)"
)
# "Translate to English: …", "tradúceme esto": in the text that comes back the assistant tells nothing of itself.
_FOR_TEXT = _pattern(
    rf"(?:^|(?<=[.!?\n,:])) ?(?=\w)(?:{_KINDLY}|(?:(?:please|pls|can you|could you|now|help me(?: to)?),? ){{0,3}})"
    r"(?:translate|rewrite|rephrase|paraphrase|proofread"
    r"|pretend|role-?play|übersetz|formulier|tradui[st]|tradu[cz]|trad[uú]ce|r[eé][eé]cri|reformul|reescrib"
    r"|riscriv|vertaal|herschrijf"
    r"|(?:korrigier\w*|verbesser[et]?|corrig\w*|corr[ií]ge\w*|correg\w*|mejora(?:me)?|migliora(?:mi)?"
    r"|correct(?= (?:an?|the|my|some|this|that|it|all|any)\b))"
    r"(?: (?:bitte|mal|mir|das|dies|dieses|this|that|it|the following|ça|ceci|esto|questo|isto|dit|cela|lo siguiente"
    r"|folgendes))*\s?[\"“„«:\n]"
    rf"|(?:korrigier\w*|verbesser[et]?|corrig\w*|corr[ií]ge\w*|correg\w*|mejora(?:me)?|migliora(?:mi)?|correct){_TEXT}"
    r"|(?:(?:write|draft|compose)(?: me| us)? (?:an?|the|my|some)"
    r"|schreibe? (?:mir |uns )?(?:bitte |mal )?(?:eine?n?|'?ne|den|die|das)|[eé]cri[st](?:-moi)? (?:une?|le|la|des)"
    r"|escr[ií]be(?:me)? (?:una?|el|la)|scrivi(?:mi)? (?:una?|il|la|le)|escreve(?:-me)? (?:uma?|o|a)"
    rf"|schrijf (?:een|de|het))\b{_TEXT})"
)


def asks_for_text(message: str) -> bool:
    """Return whether a message orders a translation, a correction or a text to be written."""
    return _FOR_TEXT.search(message, 0, _LONGEST_ORDER) is not None


def find_order(message: str) -> re.Match[str] | None:
    """Return what a message orders to be written or played in another language, up to where that begins."""
    return _WRITES_OR_PLAYS.search(message, 0, _READ_FOR_ORDERS)


_SUPPOSED = _pattern(
    rf"(?:^|(?<=[.!?\n,;:])) ?(?=\w){_KINDLY}(?:"
    r"sagen wir(?: mal)?,? (?:dass )?(?:ich|wir) (?:wohn|leb|arbeit|bin|hab|heiß|verdien|sind|ess)"
    r"|(?:nehmen wir(?: mal)? an|mal angenommen|gehen wir davon aus|tu(?:n wir)? (?:mal )?so)\b"
    r"|(?:disons|mettons|supposons|admettons|imaginons|imagine|partons du principe|faisons semblant) qu[e']"
    r"|faisons comme si\b|(?:digamos|supongamos|pongamos|imaginemos|imagina|hagamos como|haz como|finjamos|suponiendo"
    r"|sup[oó]n|imagínate) que\b"
    r"|(?:mettiamo(?: caso)?|facciamo (?:finta|conto)|supponiamo|diciamo|ammettiamo|poniamo|immaginiamo|immagina"
    r"|fai finta"
    r"|metti) che\b"
    r"|(?:vamos supor|suponhamos|sup[õo]e|finge|faz de conta|vamos imaginar) que\b"
    r"|(?:stel dat|laten we zeggen dat|doe alsof)\b)[^.!?\n]*[.!?]?"
)


_ASKED_FOR = (
    r"\b(?:dime|dame|haz(?:me)?|ayúdame|calc[uo]l[aeo]\w*|recomi[eé]nda\w*|búscame|explícame|escríbeme|prepárame"
    r"|dis-moi|fais-moi|donne-moi|aide-moi|trouve-moi|explique(?:-moi)?|écris|prépare|dimmi|dammi|fammi|aiutami|trovami"
    r"|spiegami|scrivi(?:mi)?|prepara(?:mi)?|consigliami|diz-me|dá-me|faz-me|ajuda-me|explica-me"
    r"|qué (?:hago|llevo|compro|pago))\b"
)
# "Imagínate que ayer me mudé a Vigo" tells news: it names since when, or a day.
_OPENS_NEWS = _pattern(
    rf" ?{_KINDLY}(?:disons qu[e']|imagine qu[e']|digamos que|imag[ií]na(?:te)? que|diciamo che|immagina(?:ti)? che) ?"
    rf"(?=[^?]*$)(?![^\n]*{_ASKED_FOR})"
    r"(?=[^\n]*\b(?:desde|depuis|dal?(?= (?:un|una|due|tre|\d|gennaio|ieri))|ayer|anoche|hier|ieri|ontem"
    r"|anteayer|avant-hier|l'altro ieri|la semana pasada|la semaine dernière|la settimana scorsa"
    r"|(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|luned[iì]|marted[iì]|mercoled[iì]|gioved[iì]|venerd[iì]|sabato|domenica) \d{1,2})\b)"
)
_ASKS_NEXT = _pattern(rf"[^.!?\n]{{0,200}}\?|\W{{0,3}}{_ASKED_FOR}")


def _without_opening(found: re.Match[str]) -> str:
    """Return nothing for a sentence that supposes something, and what it tells where that is news."""
    opening = _OPENS_NEWS.match(found[0])
    if opening is None or _ASKS_NEXT.match(found.string, found.end()):
        return " "
    told = found[0][opening.end() :]
    return f" {told[:1].upper()}{told[1:]}"


def without_supposed(text: str) -> str:
    """Return a text without the sentences that only suppose something: "disons que j'habite à Brest"."""
    return _SUPPOSED.sub(_without_opening, text[:_READ_FOR_ORDERS]) + text[_READ_FOR_ORDERS:]
