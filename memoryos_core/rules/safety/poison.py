"""Text that gives orders to the reader of the memory: found by its wording, in seven languages.

Labels: "instruction" (wants to steer the reader), "self_replicating" (wants to be kept or repeated), "exfiltration"
(wants data sent away). A net with holes, not a wall: what holds is that recalled text is quoted as data (ADR 0017).
What a tool or a document says is read more strictly than speech: of a user "always answer in French" is a wish.

The wordings that `rules/poison.py` looks for. Each is linear in the text: gaps have so many words and letters.

`words` are looked for first, one of them must be there: most text is done with at that. `strict` ones are for what
tools and documents say; `markup` ones see the text before its emphasis marks and line breaks are taken out.
"""

from __future__ import annotations

import base64
import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import unquote

from memoryos_core.rules.text.words import regex
from memoryos_core.values.dialogue import Half, Message, Page
from memoryos_core.values.facts import Trust

__all__ = ["labels", "labels_of", "of_page", "spoken_labels", "withheld", "without_labelled"]

# ruff: noqa: E501 - a wording is read on one line


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of wording and the label it gives."""

    label: str
    words: tuple[str, ...]
    regex: re.Pattern[str]
    strict: bool = False
    markup: bool = False


# Up to so many words in between, within one sentence. Words and what parts them share no letter: nothing backtracks.
_G2, _G4, _G8 = (rf"(?:[^\w.!?。]{{1,4}}\w{{1,30}}){{0,{n}}}?[^\w.!?。]{{1,4}}" for n in (2, 4, 8))
_DROP = (
    r"\b(?:ignore|disregard|forget|override|bypass|neglect|drop|stop following|(?:do not|don't|never) (?:follow|obey))"
)
_OLD = r"(?:previous|prior|earlier|above|preceding|existing|former|original|initial|old|other|system|safety|your|all)"
_RULES = (
    r"(?:instructions?|guidelines?|directives?|prompts?|constraints?|restrictions?|polic(?:y|ies)|programming|commands?"
    r"|(?:safety|content) (?:rules?|filters?)|rules)"
)
_ASSISTANT = r"(?:ais?|llms?|language models?|ai (?:models?|agents?|assistants?)|assistants?|chatbots?|gpt)"
_TEXT = r"(?:text|message|note|paragraph|block|lines?|sentences?|prompt|instructions?|directives?|passage|content)"
_THIS = r"(?:this|these|the (?:following|above|below|exact|same))"
_KEEP = r"(?:add|save|store|write|copy|insert|append|record|commit|put|keep|memorize|memorise)"
_MEMORY = r"(?:memory|memories|knowledge base|memory bank)"
_ANSWERS = r"(?:repl(?:y|ies)|answers?|responses?|outputs?|conversations?|summar(?:y|ies)|emails?|messages?|documents?)"
_MINE = r"(?:conversation|chat)s? (?:history|logs?|transcripts?)|(?:saved|stored|your|all|user's) (?:memor(?:y|ies)|secrets?)"
_DATA = (
    rf"(?:{_MINE}|contents of your memory|email address|api keys?|passwords?|credentials|personal data|conversation)"
)
_AWAY = r"(?:https?:|webhook|url\b|endpoint|image link|[\w.-]{1,64}@[\w-]{1,64}\.\w)"

_RULE_WORDS = (
    "instruction",
    "guideline",
    "directive",
    "prompt",
    "constraint",
    "restriction",
    "polic",
    "programming",
    "command",
    "rule",
    "filter",
)
# fmt: off
_SPEECH: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("instruction", _RULE_WORDS, rf"{_DROP}{_G4}{_OLD}{_G2}{_RULES}\b|{_DROP} {_OLD} {_RULES}\b|{_DROP}{_G2}the rules above"),
    ("instruction", ("told", "instructed", "above", "said before"), r"\b(?:ignore|disregard|forget) (?:everything|anything|all|what)(?: that)? (?:you (?:were|was|have been|had been|'ve been) (?:told|instructed|given)|(?:written |said |stated )?above)\b"),
    ("instruction", (*_RULE_WORDS, "limit"), rf"\byou(?:'re| are)(?: now)?{_G8}(?:without|no|free of|not bound by|unbound by)(?: \w{{1,20}}){{0,2}} (?:restrictions?|rules|limits|limitations|filters|guidelines|constraints|content policy)"),
    ("instruction", ("you are now", "you're now"), r"\byou(?:'re| are) now (?:in )?(?:\w{1,20}(?:bot|gpt)|dan|(?:a|an|the) (?:unrestricted|uncensored|jailbroken|evil|new|different) (?:ai|assistant|model)|\w{1,20} mode)\b"),
    ("instruction", ("prompt", "instruction"), rf"\b(?:reveal|print|show|repeat|output|leak|display|expose|tell){_G4}(?:system prompt|(?:hidden|initial|secret|original|system) (?:instructions|prompt))"),
    ("instruction", ("system ", "instruction"), r"\bsystem override\b|\bnew system (?:message|prompt|instruction)s?\b|\byour (?:new|real|actual|true|only) (?:instructions?|directives?)\b"),
    ("instruction", ("note", "instruction", "message", "attention", "notice"), rf"\b(?:instructions?|note|message|attention|notice) (?:for|to) (?:the |any |all |every |you,? )?{_ASSISTANT}\b"),
    ("instruction", ("assistant", "ai", "model"), rf"(?:^|[.!?:] ){_ASSISTANT}[,:] (?:you must|please )?(?:stop|ignore|disregard|follow|obey|forget)\b"),
    ("instruction", ("as an",), rf"\bas an? {_ASSISTANT},? you (?:must|are required|have to|will|shall)\b"),
    ("instruction", ("pretend", "act as", "behave as"), rf"\b(?:pretend|(?:act|behave) as (?:if|though))(?: that)? (?:your|you ha(?:ve|d) no|there are no)(?: \w{{1,20}}){{0,2}} {_RULES}"),
    ("instruction", ("obey",), r"\bobey (?:the|these|this|all|every|any)(?: \w{1,20}){0,3} (?:commands?|instructions?|orders?|text|document|message)\b"),
    ("instruction", ("the user",), r"\b(?:do not|don't|never|without) (?:tell|inform|alert|notify|warn|telling|informing|alerting) the user (?:about|of|that) (?:this|these) (?:message|instruction|note|text|prompt)"),
    ("self_replicating", ("every", "each", "all", "future", "any"), rf"\b(?:include|repeat|copy|insert|append|add|put|reproduce|print|write) {_THIS}{_G8}(?:every|each|all|any|future|subsequent)(?: (?:of|your|the|future|subsequent|other|single)){{0,3}} {_ANSWERS}\b"),
    ("self_replicating", ("whenever", "every time", "each time"), rf"\b(?:include|repeat|copy|insert|append|add|put) {_THIS}(?: \w{{1,20}})? {_TEXT}{_G2}(?:whenever|every time|each time) you\b"),
    ("self_replicating", ("forget", "delete", "remove"), r"\b(?:never|must not|do not|don't) (?:ever )?(?:forget|delete|remove)(?: or \w{1,20})? (?:this|these) (?:instruction|directive|prompt)s?\b"),
    ("self_replicating", ("agent", "assistant", "model", "bots", "sessions"), rf"\b(?:forward|send|spread|pass|propagate|share) (?:this|these) (?:prompt|instructions?|message|text|note){_G4}(?:other |all |every )(?:agents?|models?|assistants?|bots|sessions)\b"),
    ("self_replicating", ("this", "these", "following"), rf"\b(?:remember|store|save|keep) (?:this|these|the following) (?:instructions?|directives?|commands?|prompt){_G4}(?:for|in|across|permanently|forever|all|future)\b"),
    ("exfiltration", ("http", "webhook", "url", "endpoint", "@"), rf"\b(?:send|post|upload|forward|transmit|leak|submit|exfiltrate|append|put|encode|email){_G4}(?:{_MINE}|contents of your memory){_G8}{_AWAY}"),
    ("instruction", ("忽略", "无视", "無視", "忘记", "忘記"), r"(?:忽略|无视|無視|忘记|忘記).{0,8}(?:以上|之前|先前|所有|全部|上述|前面).{0,8}(?:指令|指示|规则|規則|提示|设定|設定)"),
    ("instruction", ("你现在是", "你現在是"), r"你[现現]在是.{0,12}(?:没有|沒有|不受|无|無).{0,6}(?:限制|约束|約束|规则|規則)"),
    ("instruction", ("無視", "忘れ"), r"(?:指示|命令|ルール|プロンプト|設定)を?.{0,8}(?:無視|忘れ)|(?:無視|忘れ).{0,6}(?:指示|命令)"),
    ("instruction", ("あなたは",), r"あなたは.{0,6}(?:今|これ)から.{0,10}(?:制限|制約|規則).{0,4}(?:ない|なし|受けない)"),
    ("instruction", ("instruc", "regla", "norma"), rf"\b(?:ignora|olvida|desobedece|descarta)d?{_G4}(?:instrucciones|reglas|normas|directrices)(?: \w{{1,20}})? ?(?:anteriores|previas?|originales|del sistema)\b|\b(?:ignora|olvida)d? tus (?:instrucciones|reglas|normas)"),
    ("instruction", ("instruç", "regra", "istruzion", "regole"), rf"\b(?:ignor[ae]|esque[cç][ae]|dimentica){_G4}(?:instruções|regras|istruzioni|regole)(?: \w{{1,20}})? ?(?:anteriores|prévias|precedenti|del sistema|do sistema)\b|\b(?:ignor[ae]|esque[cç][ae]|dimentica) (?:as tuas|as suas|le tue) (?:instruções|regras|istruzioni|regole)"),
    ("instruction", ("anweisung", "regeln", "vorgaben"), r"\b(?:ignoriere?|vergiss|missachte|vergesse)(?: \w{1,20}){0,3} (?:bisherigen?|vorherigen?|vorigen?|obigen?|früheren?|deine|system)(?: \w{1,20})? ?(?:anweisungen|regeln|vorgaben|instruktionen)"),
    ("instruction", ("instruction", "consigne", "règle", "directive"), r"\b(?:ignore[zr]?|oublie[zr]?)(?: \w{1,20}){0,3} (?:instructions|consignes|règles|directives) (?:précédentes|antérieures|ci-dessus|initiales|du système)|\b(?:ignore|oublie)[zr]? (?:tes|vos) (?:instructions|consignes)"),
)
_STRICT: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("instruction", ("from ",), r"\bfrom (?:now|this point|here|today|this moment) on(?:wards?)?[, ]{1,2}(?:you|always|never|only|answer|respond|reply|recommend)\b"),
    ("instruction", ("always", "only", "never", "must"), r"\b(?:always|only|never|must)(?: always| only)? (?:answer|reply|respond|recommend|mention|praise|suggest|promote|claim|state)\b"),
    ("instruction", ("when", "if "), rf"\b(?:when|whenever|if) (?:the user|a user|users|the customer|anyone|someone|you(?: are|'re)?)(?: \w{{1,20}}){{0,2}} ?(?:asks?|asked|mentions?|requests?|wants?)\b{_G8}(?:answer|reply|respond|say|tell|recommend|claim)\b"),
    ("instruction", ("when ",), rf"\bwhen (?:summari[sz]ing|answering|responding|asked|evaluating|reviewing|rating){_G8}(?:say|state|claim|write|answer|rate|recommend|mention|omit)\b"),
    ("instruction", ("answers", "responses", "replies", "answer", "response", "reply"), r"\bin (?:all|every|each|any)(?: (?:of|your|future|subsequent|following)){1,3} (?:answers?|responses?|repl(?:y|ies))\b"),
    ("instruction", ("mode",), r"\b(?:enter|enable|activate|switch to|now in) (?:developer|debug|admin|god|jailbreak|maintenance|sudo|unrestricted) mode\b"),
    ("instruction", ("authori", "permitted you", "bypass"), r"\bauthori[sz]ed you to\b|\bbypass(?: \w{1,20}){0,2} (?:safety|filters?|restrictions)"),
    ("instruction", ("your ",), r"\byour (?:new|real|actual|true) (?:task|goal|job|purpose|mission|role|objective)\b"),
    ("instruction", ("user's",), r"\b(?:do not|don't|never) (?:follow|obey|do) the user's (?:request|wish|instruction|order)"),
    ("instruction", ("the user",), r"\b(?:do not|don't|never|without) (?:tell|inform|alert|notify|warn|mention|telling|informing|alerting)\b[^.!?]{0,60}\bthe user\b"),
    ("self_replicating", ("memory", "memories", "knowledge base"), rf"\b{_KEEP}\b{_G8}(?:to|in|into|your){_G2}{_MEMORY}\b|\bupdate (?:your|the) memory\b"),
    ("self_replicating", ("permanent", "forever"), rf"\b{_KEEP} {_THIS}{_G4}(?:permanently|forever)\b"),
    ("self_replicating", ("all", "every"), rf"\b{_KEEP} {_THIS}{_G4}(?:to|in|into) (?:all|every|each)\b"),
    ("exfiltration", ("http", "webhook", "url", "endpoint", "@", "link"), rf"\b(?:send|post|upload|forward|transmit|leak|submit|append|put|encode|email){_G8}(?:{_DATA}|secrets?){_G8}{_AWAY}"),
    ("exfiltration", ("@",), rf"\bemail{_G4}(?:memory|memories|history|secrets){_G2}to [\w.-]{{1,64}}@"),
    ("instruction", ("从现在", "從現在", "今后", "今後", "以后", "以後"), r"(?:从现在|從現在|今后|今後|以后|以後).{0,6}(?:必须|必須|始终|始終|总是|總是|只能|都要)"),
    ("self_replicating", ("记忆", "記憶"), r"(?:存入|保存|写入|寫入|加入|存到|記住).{0,10}(?:记忆|記憶)|(?:记忆|記憶).{0,6}(?:保存|追加|書き込|記録)"),
    ("self_replicating", ("回答", "回复", "回覆", "返信"), r"(?:每次|每个|每個|所有|全部の|すべての|今後の)(?:的|の)?(?:回答|回复|回覆|返信).{0,10}(?:重复|重複|包含|加入|含め|繰り返)"),
    ("instruction", ("a partir de ahora", "desde ahora", "siempre"), r"\b(?:a partir de|desde) ahora (?:debes|tienes que|siempre|nunca|solo|responde|recomienda)\b|\bdebes (?:siempre|recomendar|responder)\b"),
    ("self_replicating", ("memoria", "respuesta"), rf"\b(?:guarda|añade|agrega|almacena|graba)\w{{0,4}}{_G4}(?:en|a) (?:tu|la) memoria\b|\b(?:repíte|incluye|repite|inclúye)\w{{0,3}}{_G4}(?:cada|todas las) respuestas?\b"),
    ("instruction", ("a partir de agora", "d'ora in poi"), r"\ba partir de agora (?:deves?|tens de|recomenda|nunca|sempre)\b|\bd'ora in poi (?:devi|dovrai|consiglia|rispondi|non)\b"),
    ("self_replicating", ("memória", "memoria", "resposta", "risposta"), rf"\b(?:guard[ae]|adiciona|salva|aggiungi|memorizza){_G4}(?:na|nella) (?:tua|sua) mem[óo]ria\b|\b(?:repet[ea]|ripeti|inclui|includi){_G4}(?:cada|todas as|ogni|tutte le) rispost[ae]\b|\b(?:repet[ea]|inclui){_G4}(?:cada|todas as) respostas?\b"),
    ("exfiltration", ("http",), rf"\b(?:envía|envia|invia|envoie|schicke|sende){_G4}(?:conversa\w{0,12}|erinnerungen|mémoires?|memori\w{0,4}){_G4}https?:|把.{{0,8}}(?:对话|對話|记忆|記憶).{{0,6}}(?:发送|發送|传到)|(?:会話|記憶).{{0,8}}送信"),
    ("instruction", ("ne dis pas", "no digas", "não digas", "non dire", "verrate", "不要告诉用户", "ユーザーに知らせ"), r"\bne dis pas à l'utilisateur\b|\bno digas al usuario\b|\bnão digas ao utilizador\b|\bnon dire all'utente\b|\bverrate dem nutzer\b|不要告诉用户|ユーザーに知らせないで"),
    ("instruction", ("ab jetzt", "von nun an", "künftig"), r"\b(?:ab jetzt|von nun an|künftig) (?:musst|sollst|antworte|empfiehl|darfst|wirst) ?(?:du)?\b"),
    ("self_replicating", ("gedächtnis", "antwort"), rf"\b(?:speichere?|merke?|schreibe?|füge){_G4}(?:in|im|zu) (?:dein\w{{0,2}}|das) \w{{0,12}}gedächtnis\b|\bwiederhole{_G4}(?:jeder|allen) antwort"),
    ("instruction", ("désormais", "dorénavant", "à partir de maintenant"), r"\b(?:désormais|dorénavant|à partir de maintenant),? (?:tu (?:dois|devras)|vous devez|réponds|recommande|ne)\b"),
    ("self_replicating", ("mémoire", "réponse"), rf"\b(?:ajoute|enregistre|garde|stocke|écris)[zr]?{_G4}(?:à|dans) (?:ta|votre|la) mémoire\b|\b(?:répète|inclus|répétez)(?:-le)?{_G4}(?:chaque|toutes les) réponses?\b"),
)
_MARKUP: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("instruction", ("<|", "[inst]", "[/inst]", "<<sys>>", "<start_of_turn>"), r"<\|(?:im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext)\|>|\[/?inst\]|<</?sys>>|<start_of_turn>"),
    ("instruction", ("#",), r"(?m)^[ \t]{0,4}#{1,6} {0,3}system(?: (?:prompt|message))?[ \t]{0,4}(?::|$)"),
    ("instruction", ("memory>",), r"</memory>"),
)
# fmt: on


@lru_cache(maxsize=1)
def patterns() -> tuple[Pattern, ...]:
    """Return all patterns, compiled when the first text is checked."""
    return (
        *(Pattern(label, words, regex(text)) for label, words, text in _SPEECH),
        *(Pattern(label, words, regex(text), strict=True) for label, words, text in _STRICT),
        *(Pattern(label, words, regex(text), markup=True) for label, words, text in _MARKUP),
    )


# Steps read the first 4,000 characters of a message. Text far behind is only recalled, as a quotation.
_READ_CHARS = 20_000
_INVISIBLE = regex(
    "[\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069"
    "\ufe00-\ufe0f\ufeff]|[\U000e0000-\U000e01ef]"
)
# Letters of other scripts that look like Latin ones.
_TWINS = str.maketrans(
    "аеорсухіјѕӏԁԛԝɡαοιυνρτκΑΒΕΗΙΚΜΝΟΡΤΧАВЕКМНОРСТХІЅЈ", "aeopcyxijsldqwgaoiuvptkABEHIKMNOPTXABEKMHOPCTXISJ"
)
_TOKENS = regex(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_MOST_TOKENS = 20
_TURNED_CHARS = 4000
_EMPHASIS = str.maketrans("", "", "*_`~")
_LATIN = regex("[A-Za-z]")
_CYRILLIC_I = "\u0456"


def labels(text: str, trust: Trust = "user") -> tuple[str, ...]:
    """Return the warning labels of a text from such a source, sorted; mostly none."""
    strict = trust in ("tool", "document")
    looked_for = [p for p in patterns() if strict or not p.strict]
    read = text[:_READ_CHARS]
    forms = dict.fromkeys((*_plain(read), *((form for t in _decode(read) for form in _plain(t)) if strict else ())))
    return tuple(sorted({label for form in forms for label in _matching_labels(form, looked_for)}))


def labels_of(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return the warning labels of some messages, tool results included; a speaker's name counts as text."""
    return tuple(sorted({label for message in messages for label in _of_message(message)}))


def of_page(page: Page) -> tuple[str, ...]:
    """Return the warning labels of a page: those stored with it, and those found now by newer patterns."""
    return tuple(sorted({*page.labels, *labels_of(page.messages)}))


def spoken_labels(page: Page, half: Half) -> tuple[str, ...]:
    """Return the warning labels of one half's own words."""
    return labels_of(m for m in page.messages if m.half == half and m.role in ("user", "assistant"))


def withheld(page: Page) -> tuple[Message, ...]:
    """The suspicious messages among those that would be learnt from."""
    return tuple(m for m in page.messages if m.role in ("user", "assistant") and _of_message(m))


def without_labelled(page: Page) -> Page:
    """The page as it is learnt from: without the suspicious messages, whole, for the rest of them may go with it."""
    taken = withheld(page)
    return replace(page, messages=tuple(m for m in page.messages if m not in taken)) if taken else page


def _of_message(message: Message) -> tuple[str, ...]:
    said = f"{message.name}\n{message.text}" if message.name else message.text
    return _cached_labels(said[:_READ_CHARS], message.source)


@lru_cache(maxsize=2_048)  # a message is looked at when it comes in, is filed, is learnt from, and with its topic
def _cached_labels(text: str, trust: Trust) -> tuple[str, ...]:
    return labels(text, trust)


def _matching_labels(marked: str, looked_for: Iterable[Pattern]) -> set[str]:
    told = " ".join(marked.translate(_EMPHASIS).split())
    found: set[str] = set()
    for pattern in looked_for:  # without a call for each: nearly all of them end with their words
        text = marked if pattern.markup else told
        for word in pattern.words:
            if word in text:
                if pattern.regex.search(text) is not None:
                    found.add(pattern.label)
                break
    return found


def _plain(text: str) -> tuple[str, ...]:
    """Return the text in lower case, without disguises: full-width forms, invisible characters, look-alike letters.

    What is invisible may stand within a word or instead of a space: then there are two readings.
    """
    if text.isascii() and not _INVISIBLE.search(text):
        return (text.lower(),)
    text = unicodedata.normalize("NFKC", text)
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    if bare.isascii() and bare != text:
        return (_latin(text), bare.lower())  # accents that only disguise, and those of a language
    return tuple(_latin(form) for form in dict.fromkeys(_INVISIBLE.sub(gap, text) for gap in ("", " ")))


def _decode(text: str) -> Iterator[str]:
    """Yield what a reader of a tool's or a document's text may be told to decode: of parts of it, and of all of it."""
    for token in _TOKENS.findall(text)[:_MOST_TOKENS]:
        for decode in (bytes.fromhex, base64.b64decode):
            with suppress(ValueError):  # most are words
                yield decode(token).decode("ascii")
    if "%" in text:
        yield unquote(text)
    yield from (text[:_TURNED_CHARS][::-1], codecs.encode(text[:_TURNED_CHARS], "rot13"))


def _latin(text: str) -> str:
    twins = _LATIN.search(text) or _CYRILLIC_I in text
    return (text.translate(_TWINS) if twins else text).lower()
