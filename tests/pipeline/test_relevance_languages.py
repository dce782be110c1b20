"""What has nothing to do with a question does not come back in other languages either, by words alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.testing.fakes import FixedClock

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Told:
    """What a user said in one language, questions about something else, and questions with a word of their answer."""

    lines: tuple[str, ...]
    noted: str
    unrelated: tuple[str, ...]
    related: dict[str, str]


LANGUAGES = {
    "en": Told(
        (
            "My salary is 54,000 euros before tax, and I am 17 steps away from a raise.",
            "We adopted a grey cat called Miso last week.",
            "My brother is getting married in Évora in September.",
            "I take 20 mg of omeprazole every morning because of my stomach.",
            "I drive an old blue Fiat Panda, and the heating does not work.",
            "My daughter would like to learn the violin, but there is no teacher here.",
        ),
        "I have noted that for you.",
        (
            "What is 17 * 23?",
            "How do I write a function in Python that reverses a list?",
            "Who wrote War and Peace, and when was it?",
            "What is the capital of Mongolia?",
        ),
        {
            "What is my salary?": "54,000",
            "What is the name of our cat?": "Miso",
            "When is my brother getting married?": "Évora",
            "Which instrument would my daughter like to learn?": "violin",
        },
    ),
    "de": Told(
        (
            "Ich verdiene als Ingenieurin 54.000 Euro im Jahr, das ist mein Gehalt vor Steuern.",
            "Wir haben letzte Woche eine graue Katze adoptiert, sie heißt Miso.",
            "Mein Bruder heiratet im September in Évora, und ich bin die Trauzeugin.",
            "Ich nehme jeden Morgen 20 mg Omeprazol, weil ich Probleme mit dem Magen habe.",
            "Ich fahre einen alten blauen Fiat Panda, bei dem die Heizung nicht geht.",
            "Meine Tochter möchte Geige lernen, aber wir wissen noch nicht, wo sie das kann.",
        ),
        "Das habe ich mir für dich gemerkt.",
        (
            "Wie schreibe ich eine Funktion in Python, die eine Liste umdreht?",
            "Wer hat Krieg und Frieden geschrieben, und wann war das?",
            "Was ist die Hauptstadt der Mongolei?",
            "Kannst du mir den Unterschied zwischen TCP und UDP erklären?",
        ),
        {
            "Wie hoch ist mein Gehalt?": "54.000",
            "Wie heißt unsere Katze?": "Miso",
            "Wann heiratet mein Bruder?": "Évora",
            "Welches Instrument möchte meine Tochter lernen?": "Geige",
        },
    ),
    "fr": Told(
        (
            "Je gagne 54 000 euros par an comme ingénieure, c'est mon salaire avant les impôts.",
            "Nous avons adopté un chat gris la semaine dernière, il s'appelle Miso.",
            "Mon frère se marie en septembre à Évora, et je suis son témoin.",
            "Je prends 20 mg d'oméprazole tous les matins parce que j'ai des problèmes d'estomac.",
            "Je conduis une vieille Fiat Panda bleue dont le chauffage ne marche pas.",
            "Ma fille voudrait apprendre le violon, mais nous ne savons pas encore où elle peut le faire.",
        ),
        "Je l'ai noté pour vous.",
        (
            "Comment est-ce que j'écris une fonction en Python qui inverse une liste ?",
            "Qui a écrit Guerre et Paix, et c'était quand ?",
            "Quelle est la capitale de la Mongolie ?",
            "Peux-tu m'expliquer la différence entre TCP et UDP ?",
        ),
        {
            "Quel est mon salaire ?": "54 000",
            "Comment s'appelle notre chat ?": "Miso",
            "Quand est-ce que mon frère se marie ?": "Évora",
            "Quel instrument ma fille voudrait-elle apprendre ?": "violon",
        },
    ),
    "es": Told(
        (
            "Gano 54.000 euros al año como ingeniera, ese es mi sueldo antes de impuestos.",
            "La semana pasada adoptamos un gato gris que se llama Miso.",
            "Mi hermano se casa en septiembre en Évora y yo soy la madrina.",
            "Tomo 20 mg de omeprazol todas las mañanas porque tengo problemas de estómago.",
            "Conduzco un viejo Fiat Panda azul, pero la calefacción no funciona.",
            "Mi hija quiere aprender el violín, pero no sabemos todavía dónde lo puede hacer.",
        ),
        "Lo he anotado para ti.",
        (
            "¿Cómo escribo una función en Python que le da la vuelta a una lista?",
            "¿Quién escribió Guerra y paz, y cuándo fue?",
            "¿Cuál es la capital de Mongolia?",
            "¿Me puedes explicar la diferencia entre TCP y UDP?",
        ),
        {
            "¿Cuánto es mi sueldo?": "54.000",
            "¿Cómo se llama nuestro gato?": "Miso",
            "¿Cuándo se casa mi hermano?": "Évora",
            "¿Qué instrumento quiere aprender mi hija?": "violín",
        },
    ),
    "it": Told(
        (
            "Guadagno 54.000 euro all'anno come ingegnera, è il mio stipendio prima delle tasse.",
            "La settimana scorsa abbiamo adottato un gatto grigio che si chiama Miso.",
            "Mio fratello si sposa a settembre a Évora e io sono la sua testimone.",
            "Prendo 20 mg di omeprazolo ogni mattina perché ho problemi di stomaco.",
            "Guido una vecchia Fiat Panda blu, ma il riscaldamento non funziona.",
            "Mia figlia vorrebbe imparare il violino, ma non sappiamo ancora dove lo può fare.",
        ),
        "L'ho annotato per te.",
        (
            "Come si scrive una funzione in Python che rovescia una lista?",
            "Chi ha scritto Guerra e pace, e quando è stato?",
            "Qual è la capitale della Mongolia?",
            "Mi puoi spiegare la differenza tra TCP e UDP?",
        ),
        {
            "Quanto è il mio stipendio?": "54.000",
            "Come si chiama il nostro gatto?": "Miso",
            "Quando si sposa mio fratello?": "Évora",
            "Quale strumento vorrebbe imparare mia figlia?": "violino",
        },
    ),
    "pt": Told(
        (
            "Ganho 54.000 euros por ano como engenheira, esse é o meu salário antes dos impostos.",
            "Na semana passada adotámos um gato cinzento que se chama Miso.",
            "O meu irmão casa-se em setembro em Évora e eu sou a madrinha.",
            "Tomo 20 mg de omeprazol todas as manhãs porque tenho problemas de estômago.",
            "Conduzo um velho Fiat Panda azul, mas o aquecimento não funciona.",
            "A minha filha quer aprender violino, mas ainda não sabemos onde é que ela o pode fazer.",
        ),
        "Já o anotei para ti.",
        (
            "Como é que escrevo uma função em Python que inverte uma lista?",
            "Quem escreveu Guerra e Paz, e quando foi isso?",
            "Qual é a capital da Mongólia?",
            "Podes explicar-me a diferença entre o TCP e o UDP?",
        ),
        {
            "Qual é o meu salário?": "54.000",
            "Como se chama o nosso gato?": "Miso",
            "Quando é que o meu irmão se casa?": "Évora",
            "Que instrumento quer a minha filha aprender?": "violino",
        },
    ),
    "nl": Told(
        (
            "Ik verdien als ingenieur 54.000 euro per jaar, dat is mijn salaris voor belasting.",
            "We hebben vorige week een grijze kat geadopteerd, ze heet Miso.",
            "Mijn broer trouwt in september in Évora en ik ben zijn getuige.",
            "Ik neem elke ochtend 20 mg omeprazol, omdat ik last van mijn maag heb.",
            "Ik rijd in een oude blauwe Fiat Panda, maar de verwarming doet het niet.",
            "Mijn dochter zou graag viool leren, maar we weten nog niet waar ze dat kan.",
        ),
        "Dat heb ik voor je onthouden.",
        (
            "Hoe schrijf ik een functie in Python die een lijst omkeert?",
            "Wie heeft Oorlog en vrede geschreven, en wanneer was dat?",
            "Wat is de hoofdstad van Mongolië?",
            "Kun je me het verschil tussen TCP en UDP uitleggen?",
        ),
        {
            "Hoe hoog is mijn salaris?": "54.000",
            "Hoe heet onze kat?": "Miso",
            "Wanneer trouwt mijn broer?": "Évora",
            "Welk instrument zou mijn dochter graag leren?": "viool",
        },
    ),
    "ja": Told(
        (
            "エンジニアとして働いていて、税引き前の給料は年に五万四千ユーロです。",
            "先週、灰色の猫を引き取って、ミソという名前をつけました。",
            "弟が九月にエヴォラで結婚するので、わたしも出席します。",
            "胃が弱いので、毎朝オメプラゾールを飲んでいます。",
            "古い青いフィアットに乗っていますが、暖房がこわれています。",
            "娘はバイオリンを習いたいと言っていますが、まだ先生が見つかっていません。",
        ),
        "はい、おぼえておきますね。",
        (
            "リストを逆順にする関数をパイソンでどうやって書けばいいですか？",
            "戦争と平和を書いたのはだれですか？",
            "モンゴルの首都はどこですか？",
            "どうして海の水はしょっぱいのか、おしえてください。",
        ),
        {
            "わたしの給料はいくらですか？": "五万四千",
            "猫はなんという名前ですか？": "ミソ",
            "弟はいつ結婚しますか？": "エヴォラ",
            "娘が習いたい楽器はなんですか？": "バイオリン",
        },
    ),
}
UNRELATED = [(language, question) for language, told in LANGUAGES.items() for question in told.unrelated]
RELATED = [(language, question) for language, told in LANGUAGES.items() for question in told.related]


@pytest.fixture(scope="module")
def memory() -> Iterator[MemoryOS]:
    """Each language has a user of its own; the questions come from another session."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config, clock=FixedClock(NOW)) as memory:
        for language, told in LANGUAGES.items():
            user = memory.user(language, session_id="told")
            for day, line in enumerate(told.lines):
                user.add(line, told.noted, timestamp=NOW - timedelta(days=30 - day))
            user.consolidate()
        yield memory


@pytest.mark.parametrize(("language", "question"), UNRELATED)
def test_an_unrelated_question_brings_no_page(memory: MemoryOS, language: str, question: str) -> None:
    hits = memory.user(language, session_id="now").recall(question).hits
    assert [hit.text for hit in hits if hit.kind == "page"] == []


@pytest.mark.parametrize(("language", "question"), RELATED)
def test_a_related_question_brings_its_line(memory: MemoryOS, language: str, question: str) -> None:
    hits = memory.user(language, session_id="now").recall(question).hits
    assert any(LANGUAGES[language].related[question] in hit.text for hit in hits)
