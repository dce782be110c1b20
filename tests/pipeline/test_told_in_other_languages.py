"""What users of other languages tell in everyday words, what is asked for it, and what must not become theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig
from memoryos_core.rules.knowledge.entries import ASKS_FOR_PLANS

JANUARY = datetime(2026, 1, 5, 12, tzinfo=timezone.utc)
JUNE = datetime(2026, 6, 15, 12, tzinfo=timezone.utc)  # a Monday
NOW = datetime(2026, 6, 18, 9, tzinfo=timezone.utc)

Tell = Callable[..., UserMemory]


@pytest.fixture
def told() -> Iterator[Tell]:
    """A function that tells a memory one message in June, or one in January before it, and returns its user."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config, clock=lambda: NOW) as memory:

        def tell(*said: str, answers: str = "Ok.") -> UserMemory:
            for at, text in zip((JANUARY, JUNE)[-len(said) :], said, strict=True):
                user = memory.user("ann", session_id=f"{at:%m}")
                user.add_messages([Message("user", text, None, at), Message("assistant", answers, None, at)])
                user.end_session()
            memory.flush()
            return memory.user("ann", session_id="later")

        yield tell


def fields(user: UserMemory) -> dict[str, str]:
    return {field.name: field.value for field in user.profile().fields}


def coming(user: UserMemory) -> list[str]:
    return [f"{fact.event_time:%d %b %H:%M}" for fact in user.upcoming(days=60) if fact.event_time]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("bin Veganerin und allergisch gegen Sesam", {"diet": "Veganerin", "allergy": "Sesam"}),
        ("je suis végétarienne et allergique aux kiwis", {"diet": "végétarienne", "allergy": "kiwis"}),
        ("soy vegano y alérgico a los mariscos", {"diet": "vegano", "allergy": "mariscos"}),
        ("sono vegana e allergica alle fragole", {"diet": "vegana", "allergy": "fragole"}),
        ("sou vegana e alérgica a camarão", {"diet": "vegana", "allergy": "camarão"}),
        ("I'm pescatarian and allergic to sesame", {"diet": "pescatarian", "allergy": "sesame"}),
        ("I'm allergic to shellfish and vegan", {"diet": "vegan", "allergy": "shellfish"}),
        ("I'm 41 and lactose intolerant", {"age": "41", "allergy": "lactose"}),
        ("Ich bin fruktoseintolerant.", {"allergy": "fruktose"}),
        ("hab ne Sojaallergie", {"allergy": "Soja"}),
        ("bei Krabben schwillt mir die Zunge an", {"allergy": "Krabben"}),
        ("je digère pas le lactose", {"allergy": "lactose"}),
        ("je suis coeliaque", {"allergy": "coeliaque"}),
        ("soy celíaco", {"allergy": "celíaco"}),
        ("me sientan mal los huevos", {"allergy": "huevos"}),
        ("soy alergico al cacahuete", {"allergy": "cacahuete"}),
        ("no puedo comer marisco", {"avoids": "marisco"}),
        ("como de todo menos apio", {"avoids": "apio"}),
        ("sono intollerante al glutine", {"allergy": "glutine"}),
        ("non mangio più pesce", {"avoids": "pesce"}),
        ("sou intolerante à lactose", {"allergy": "lactose"}),
        ("já não como peixe", {"avoids": "peixe"}),
        ("Seit Januar ess ich vegetarisch", {"diet": "vegetarisch"}),
        ("Ich darf keinen Spargel mehr essen.", {"avoids": "Spargel"}),
        ("no puedo tomar aspirina", {"avoids": "aspirina"}),
        ("je ne peux plus prendre d'ibuprofène", {"avoids": "ibuprofène"}),
        ("non mangio i gamberi", {"avoids": "gamberi"}),
        ("bei Erdbeeren bekomme ich Ausschlag", {"allergy": "Erdbeeren"}),
        ("tengo intolerancia a la fructosa", {"allergy": "fructosa"}),
        ("soy bastante friolera y alérgica al polen", {"allergy": "polen"}),
    ],
)
def test_what_a_user_cannot_eat_is_told_in_usual_words(told: Tell, said: str, known: dict[str, str]) -> None:
    assert fields(told(said)) == known


@pytest.mark.parametrize(
    "said",
    [
        "meine Kollegin ist Vegetarierin und allergisch gegen Sesam",
        "wenn ich laktoseintolerant wäre, gäbe es keinen Kuchen",
        "ich kann heute keine Milch trinken",
        "bei Stress bekomme ich Ausschlag",
        "je supporte pas mon voisin",
        "je peux pas manger de dessert ce soir",
        "mi primo es celíaco",
        "no puedo comer contigo el viernes",
        "mia madre è celiaca",
        "non posso mangiare con voi stasera",
        "o meu pai é celíaco",
        "ich bin müde und Vegetarier nerven mich",
        "¿soy celíaca?",
        # another's
        "soy el padre de Nico, alérgico al sésamo",
        "sono qui con Enzo, allergico alle fragole",
        "ich bin müde, meine Tochter ist krank und allergisch gegen Sesam",
        "estoy con mi tía, soy su sobrino y alérgica es ella",
        "ich bin in der Kantine, vegan und teuer",
        # nothing that is eaten
        "no puedo tomar el metro por la noche",
        "no puedo tomar decisiones ahora",
        "je ne peux pas prendre le train",
        "non mangio dopo le nove",
        "non mangio insieme a mio fratello",
        "não como há três horas",
        "no puedo comer sola",
        "non mangio da ieri",
        # no allergy to food
        "bei Bergtouren bekomme ich Atemnot",
        "von Latein bekomme ich Ausschlag",
        "tengo intolerancia a las mentiras",
        "sono intollerante agli arroganti",
        "sou intolerante à burocracia",
        "me sienta mal el pescado de ese bar",
        "je ne digère pas le poisson du resto",
    ],
)
def test_what_others_or_nobody_cannot_eat_is_no_allergy(told: Tell, said: str) -> None:
    assert fields(told(said)) == {}


def test_meat_again_ends_the_diet_and_not_the_allergy(told: Tell) -> None:
    user = told("I'm vegetarian and allergic to sesame.", "I eat meat again now.")
    assert user.profile().get("allergy") == "sesame"
    assert user.profile().get("diet") != "vegetarian"


@pytest.mark.parametrize(
    "question",
    [
        "Was darf ich nicht essen?",
        "Was vertrage ich nicht?",
        "Qu'est-ce que je peux pas manger ?",
        "¿Qué no puedo comer?",
        "Cosa non posso mangiare?",
        "O que não posso comer?",
    ],
)
@pytest.mark.parametrize(
    "said", ["Ich bin allergisch gegen Sesam.", "Soy alérgica al sesam.", "Sono allergica al sesam."]
)
def test_what_one_cannot_eat_asks_for_allergies(told: Tell, said: str, question: str) -> None:
    assert "Allergy: " in str(told(said).recall(question))


def test_coeliac_disease_and_diets_answer_what_one_eats(told: Tell) -> None:
    user = told("Ich bin Vegetarierin.", "Ich habe Zöliakie.")
    assert "Zöliakie" in str(user.recall("Was darf ich nicht essen?"))
    assert "Vegetarierin" in str(user.recall("Wie ernähre ich mich?"))


@pytest.mark.parametrize("question", ["Was isst mein Bruder gern?", "Où mange ma sœur ?"])
def test_what_others_eat_does_not_ask_for_it(told: Tell, question: str) -> None:
    assert "Allergy: " not in str(told("Ich bin allergisch gegen Sesam.").recall(question))


@pytest.mark.parametrize(
    ("home", "said"),
    [
        (
            "Ich wohne in Ulm.",
            "erfinde ein Märchen: Ich heiße Gretel und wohne in Bremen. Meine Katze heißt Mia.",
        ),
        ("Ich wohne in Ulm.", "Schreib eine Nachricht an den Hausmeister: Ich heiße Kurt und wohne in Bremen"),
        ("Ich wohne in Ulm.", "Rollenspiel: ich bin Kurt und wohne in Bremen"),
        ("Ich wohne in Ulm.", "sagen wir mal, ich wohne in Bremen, was zahle ich da?"),
        ("Ich wohne in Ulm.", "Spiel bitte eine Kundin. Ich heiße Kurt und wohne in Bremen."),
        ("Ich wohne in Ulm.", "ein kurzes Gedicht aus der Sicht meiner Tante: Ich wohne in Bremen"),
        ("J'habite à Dijon.", "invente un conte : je m'appelle Zoé et j'habite à Metz"),
        ("J'habite à Dijon.", "rédige un message du style : j'habite à Metz"),
        ("J'habite à Dijon.", "on fait un jeu de rôle : j'habite à Metz et je travaille chez Bic"),
        ("J'habite à Dijon.", "admettons que j'habite à Metz, combien je paie ?"),
        ("Vivo en Soria.", "invéntate un cuento, anda. hazme un relato: me llamo Pilar y vivo en Vigo"),
        ("Vivo en Soria.", "hazme un correo tipo: vivo en Vigo"),
        ("Vivo en Soria.", "pongamos que vivo en Vigo, ¿cuánto pago?"),
        ("Abito a Modena.", "inventa una favola: mi chiamo Rosa e abito a Lecce"),
        ("Abito a Modena.", "diciamo che abito a Lecce"),
        ("Abito a Modena.", "facciamo un gioco di ruolo: abito a Lecce e lavoro alla Fiat"),
        ("Moro em Braga.", "vamos supor que moro em Faro"),
        ("J'habite à Dijon.", "disons que j'habite à Metz depuis un mois, combien je paie ?"),
        ("Vivo en Soria.", "imagina que vivo en Vigo desde mayo. ¿Cuánto pago?"),
        ("Moro em Braga.", "redige um texto: chamo-me Rui e moro em Faro"),
        ("Vivo en Soria.", "Imagina que vivo en Vigo desde marzo y hazme un plan de ahorro"),
        ("Vivo en Soria.", "digamos que vivo en Vigo desde 2015. Calcula mis impuestos."),
        ("Vivo en Soria.", "Imagina que vivo en Vigo y el 14 me voy."),
        ("J'habite à Dijon.", "imagine que j'habite à Metz depuis mai, donne-moi un budget"),
        ("J'habite à Dijon.", "Disons que j'habite à Metz depuis un an. Fais-moi une liste."),
        ("Abito a Modena.", "Diciamo che abito a Lecce da un anno, fammi un conto"),
    ],
)
def test_what_is_to_be_written_played_or_supposed_is_not_the_users(told: Tell, home: str, said: str) -> None:
    user = told(home, said)
    assert fields(user) == {"home": home.strip(".").split()[-1]}
    assert len(user.history("home")) == 1


@pytest.mark.parametrize(
    ("said", "home"),
    [
        ("Schreib mir ein Gedicht über mich: Ich wohne in Bremen.", "Bremen"),
        ("Schreib mir immer kurz. Ich wohne in Bremen.", "Bremen"),
        ("Ich liebe Rollenspiele. Ich wohne in Bremen.", "Bremen"),
        ("Tu es mon assistant. J'habite à Metz.", "Metz"),
        ("J'ai écrit un conte. J'habite à Metz.", "Metz"),
        ("Hazme una lista. Vivo en Vigo.", "Vigo"),
        ("Mi jefe es majo. Vivo en Vigo.", "Vigo"),
        ("Ho letto una storia. Abito a Lecce.", "Lecce"),
        ("Escreve-me uma lista. Moro em Faro.", "Faro"),
        ("Imagina que ayer me mudé a Vigo.", "Vigo"),
        ("Disons que j'habite à Metz depuis un mois.", "Metz"),
        ("Diciamo che abito a Lecce da due anni e mi piace.", "Lecce"),
        ("Schreib mir ein lustiges Gedicht. Ich wohne übrigens in Bremen.", "Bremen"),
        ("Invente un conte. J'habite à Metz avec mes enfants.", "Metz"),
        ("Inventa una favola! Abito a Lecce.", "Lecce"),
        ("Escribe una historia breve. Vivo en Vigo.", "Vigo"),
        ("Schreib einen Brief an die Bank: meine Karte ist weg. Übrigens wohne ich in Bremen.", "Bremen"),
        ("Rédige un message au voisin : la musique est trop forte. Au fait, j'habite à Metz.", "Metz"),
        ("Du point de vue des prix, c'est bien. J'habite à Metz.", "Metz"),
        ("Desde el punto de vista práctico es cómodo. Vivo en Vigo.", "Vigo"),
        ("Dal punto di vista del lavoro va bene. Abito a Lecce.", "Lecce"),
        ("Aus der Sicht meines Chefs war das falsch. Ich wohne in Bremen.", "Bremen"),
        ("Du bist ein Kunde. Ich wohne in Bremen.", "Bremen"),
        ("Tu es un client. J'habite à Metz.", "Metz"),
        ("Tu sei un cliente. Abito a Lecce.", "Lecce"),
    ],
)
def test_what_stands_beside_a_task_is_the_users(told: Tell, said: str, home: str) -> None:
    assert told(said).profile().get("home") == home


@pytest.mark.parametrize(
    ("now", "said", "name", "value"),
    [
        ("Vivo en Soria.", "a partir de agosto vivo en Vigo", "home", "Soria"),
        ("Vivo en Soria.", "el 3 de julio nos mudamos a Vigo", "home", "Soria"),
        ("Trabajo en Zara.", "a partir del 1 de julio trabajo en Mango", "employer", "Zara"),
        ("J'habite à Dijon.", "à partir d'août j'habite à Metz", "home", "Dijon"),
        ("Je travaille chez Bic.", "à partir du 3 juillet je travaille chez Lafuma", "employer", "Bic"),
        ("Abito a Modena.", "da agosto abito a Lecce", "home", "Modena"),
        ("Lavoro alla Fiat.", "dal 3 luglio lavoro alla Piaggio", "employer", "Fiat"),
        ("Moro em Braga.", "a partir de agosto moro em Faro", "home", "Braga"),
        ("Ich wohne in Ulm.", "ab 3.7. wohne ich in Bremen", "home", "Ulm"),
        ("Ich arbeite bei Bosch.", "ab dem 3. Juli arbeite ich bei Zeiss", "employer", "Bosch"),
        # so by now
        ("Vivo en Soria.", "desde mayo vivo en Vigo", "home", "Vigo"),
        ("J'habite à Dijon.", "depuis mai j'habite à Metz", "home", "Metz"),
        ("Abito a Modena.", "da maggio abito a Lecce", "home", "Lecce"),
        ("Ich wohne in Ulm.", "seit Mai wohne ich in Bremen", "home", "Bremen"),
    ],
)
def test_what_begins_later_replaces_nothing_yet(told: Tell, now: str, said: str, name: str, value: str) -> None:
    user = told(now, said)
    assert user.profile().get(name) == value
    assert len(user.history(name)) == 2


@pytest.mark.parametrize(
    ("plan", "news", "days"),
    [
        ("Optiker ist am 24. Juni um 10:15", "Optiker hat verlegt, jetzt 30. Juni gleiche Uhrzeit", ["30 Jun 10:15"]),
        ("Am 24. Juni um 10:15 hab ich Massage", "Massage ist jetzt doch erst am 30.", ["30 Jun 10:15"]),
        ("j'ai kiné le 24 juin à 16h", "le kiné a repoussé, c'est le 30 juin même heure", ["30 Jun 16:00"]),
        ("la visite est le 24 juin à 16h", "ils ont décalé la visite au 30 juin", ["30 Jun 16:00"]),
        ("la visita è il 24 giugno alle 10:15", "la visita è slittata al 30 giugno", ["30 Jun 10:15"]),
        ("ho l'oculista il 24 giugno alle 9:30", "l'oculista è stato spostato al 30 giugno", ["30 Jun 09:30"]),
        ("tenho oculista a 24 de junho às 9h", "o oculista mudou para 30 de junho", ["30 Jun 09:00"]),
        (
            "tengo cita con el oculista el 24 de junio a las 9:30",
            "me han movido la cita al 30 de junio",
            ["30 Jun 09:30"],
        ),
        ("Optiker ist am 24. Juni um 10:15", "Optiker fällt leider aus.", []),
        ("Optiker ist am 24. Juni um 10:15", "Ich hab den Optikertermin abgesagt.", []),
        ("Am 24. Juni fliege ich nach Porto", "Porto ist abgesagt, zu teuer.", []),
        ("j'ai rdv chez l'opticien le 24 juin à 16h", "L'opticien a annulé le rendez-vous.", []),
        ("tengo oculista el 24 de junio a las 9h", "la cita del oculista está anulada", []),
        ("tengo oculista el 24 de junio a las 9h", "han cancelado lo del oculista", []),
        ("ho l'oculista il 24 giugno alle 9:30", "hanno annullato l'oculista", []),
        ("ho l'oculista il 24 giugno alle 9:30", "ho disdetto l'oculista", []),
        ("tenho oculista a 24 de junho às 9h", "cancelei o oculista", []),
        ("ik heb op 24 juni om 9 uur kapper", "ik heb de kapper afgezegd", []),
        ("ho l'oculista il 24 giugno alle 9:30", "l'oculista è annullato, quando puoi ci sentiamo", []),
        # of something else, of nobody, or not at all
        ("tenho oculista a 24 de junho às 9h", "o oculista não cancelou", ["24 Jun 09:00"]),
        ("tenho oculista a 24 de junho às 9h", "ainda não desmarquei o oculista", ["24 Jun 09:00"]),
        ("ho l'oculista il 24 giugno alle 9:30", "non ho ancora disdetto l'oculista", ["24 Jun 09:30"]),
        ("ik heb op 24 juni om 9 uur kapper", "de kapper is niet geannuleerd", ["24 Jun 09:00"]),
        ("tengo oculista el 24 de junio a las 9h", "no cancelé el oculista", ["24 Jun 09:00"]),
        ("Optiker ist am 24. Juni um 10:15", "Das Konzert fällt aus.", ["24 Jun 10:15"]),
        ("Optiker ist am 24. Juni um 10:15", "Falls der Optiker ausfällt, gehe ich schwimmen.", ["24 Jun 10:15"]),
        ("Optiker ist am 24. Juni um 10:15", "Der Optiker ist zum Glück nicht abgesagt.", ["24 Jun 10:15"]),
        ("j'ai kiné le 24 juin à 16h", "le kiné n'est pas annulé", ["24 Jun 16:00"]),
        ("j'ai kiné le 24 juin à 16h", "si le kiné est annulé je viens", ["24 Jun 16:00"]),
        ("tengo oculista el 24 de junio a las 9h", "la boda de Ana está cancelada", ["24 Jun 09:00"]),
        ("tengo oculista el 24 de junio a las 9h", "¿está cancelado el oculista?", ["24 Jun 09:00"]),
        ("ho l'oculista il 24 giugno alle 9:30", "se il volo è annullato resto qui", ["24 Jun 09:30"]),
    ],
)
def test_appointments_move_and_are_called_off(told: Tell, plan: str, news: str, days: list[str]) -> None:
    assert coming(told(plan, news)) == days


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Merk dir, dass ich am 17. Juli um 9 Uhr Fahrschule hab", {}),
        ("dass ich am 5. Mai Geburtstag hab, weißt du ja", {}),
        ("Denk dran dass ich am 28. frei hab", {}),
        ("ob ich am 22. Juni Dienst hab weiß ich nicht", {}),
        ("Ich am 19. Juli, Tom am 20.", {}),
        ("ich bin 43 und müde", {"age": "43"}),
        ("ich bin jetzt 51", {"age": "51"}),
    ],
)
def test_a_day_of_the_month_is_no_age(told: Tell, said: str, known: dict[str, str]) -> None:
    known_now = fields(told(said))
    known_now.pop("birthday", None)
    assert known_now == known


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ('Übersetz das ins Englische: "Ich heiße Rudi."', "My name is Rudi and I live in Bonn."),
        ("traduis en anglais : je m'appelle Luc", "My name is Luc and I live in Metz."),
        ("tradúceme esto al inglés: me llamo Eva", "My name is Eva and I live in Vigo."),
        ("correggi questo testo: my names Ugo", "My name is Ugo and I live in Bari."),
        ("Write me an intro for the team page", "My name is Joan and I live in Leeds."),
        ("Schreib mir eine Vorstellung auf Englisch", "My name is Rudi and I work at Bosch."),
    ],
)
def test_a_text_that_was_asked_for_tells_nothing_of_the_assistant(told: Tell, said: str, answer: str) -> None:
    assert not [fact.text for fact in told(said, answers=answer).facts() if fact.about == "assistant"]


def test_an_assistant_that_is_asked_for_its_name_has_one(told: Tell) -> None:
    facts = told("What are you called?", answers="My name is Nova.").facts()
    assert [fact.text for fact in facts] == ["The assistant's name is Nova."]


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("j'ai un baptême le samedi 27", ["27 Jun 00:00"]),
        ("tengo comida el sábado 27", ["27 Jun 00:00"]),
        ("ho una cena sabato 27", ["27 Jun 00:00"]),
        ("tenho festa no sábado 27", ["27 Jun 00:00"]),
        ("ik heb zaterdag 27 een feest", ["27 Jun 00:00"]),
        ("am Samstag den 27. hab ich eine Taufe", ["27 Jun 00:00"]),
        ("j'ai un entretien le 30 à 9h30", ["30 Jun 09:30"]),
        ("tengo revisión el 30 a las 9:30", ["30 Jun 09:30"]),
        ("ho un esame il 30 alle 9:30", ["30 Jun 09:30"]),
        ("hab am 30. um halb zehn eine Prüfung", ["30 Jun 09:30"]),
        ("Der Optikertermin ist am 30. Juni.", ["30 Jun 00:00"]),
        ("le 30 juin c'est le kiné", ["30 Jun 00:00"]),
        ("La reunión es el 30 de junio a las 17h", ["30 Jun 17:00"]),
        ("peluquería el viernes a las 11", ["19 Jun 11:00"]),
        ("j'ai kiné le 30/6 à 9 heures", ["30 Jun 09:00"]),
        ("l'esame è il 30 giugno alle 8:40", ["30 Jun 08:40"]),
        ("Freitag um 9 Friseur", ["19 Jun 09:00"]),
        ("jeden Mittwoch um 19 Uhr Chorprobe", ["24 Jun 19:00"]),
        # no day, no hour
        ("ich war am 3. Tag krank", []),
        ("el 50 por ciento es mío", []),
        ("j'habite le 12 rue de Paris", []),
        ("Kino am 30. Juni um 8", ["30 Jun 00:00"]),
        ("cena con Ana el 30 de junio a las 9", ["30 Jun 00:00"]),
    ],
)
def test_days_and_hours_of_appointments(told: Tell, said: str, days: list[str]) -> None:
    assert coming(told(said)) == days


@pytest.mark.parametrize(
    ("said", "relationship"),
    [
        ("Bonjour, je suis Marie.", "célibataire"),
        ("je suis Marie, ravie", "célibataire"),
        ("je suis Marie-Claude", "célibataire"),
        ("Je suis mariée.", "mariée"),
        ("je suis maintenant marié", "marié"),
    ],
)
def test_a_first_name_is_no_marriage(told: Tell, said: str, relationship: str) -> None:
    assert fields(told("Je suis célibataire.", said)).get("relationship") == relationship


@pytest.mark.parametrize(
    ("said", "food"),
    [
        ("não como à noite", None),
        ("não como às cinco", None),
        ("Não como às escondidas", None),
        ("não como à pressa", None),
        ("não como carne", "carne"),
        ("não como arroz", "arroz"),
    ],
)
def test_when_somebody_eats_is_nothing_they_avoid(told: Tell, said: str, food: str | None) -> None:
    assert fields(told(said)).get("avoids") == food


@pytest.mark.parametrize(
    ("job", "news", "known"),
    [
        ("Ich arbeite bei Bosch.", "Ich hab gekündigt.", {}),
        ("Ich arbeite bei Bosch.", "Ich wurde gefeuert", {}),
        ("Je travaille chez Bic.", "je me suis fait virer", {}),
        ("Je travaille chez Bic.", "on m'a licenciée", {}),
        ("Trabajo en Mango.", "me han despedido", {}),
        ("Trabajo en Mango.", "mala noticia: me han despedido", {}),
        ("Trabajo en Mango.", "me despidieron la semana pasada", {}),
        ("Lavoro alla Fiat.", "sono stata licenziata ieri", {}),
        ("Je travaille chez Bic.", "J'ai démissionné hier.", {}),
        ("Ich arbeite bei Bosch.", "Heute früh wurde ich gefeuert", {}),
        ("Trabajo en Mango.", "me despidieron ayer en el andén", {"employer": "Mango"}),
        ("Je travaille chez Bic.", "j'ai démissionné hier du comité", {"employer": "Bic"}),
        ("Trabajo en Mango.", "he dimitido", {}),
        ("Lavoro alla Fiat.", "mi sono dimesso", {}),
        ("Trabalho na Galp.", "fui demitida", {}),
        ("Ich arbeite als Bäcker.", "Ich bin jetzt Filialleiterin", {"occupation": "Filialleiterin"}),
        ("Ich arbeite als Bäcker.", "Ab 3. Juli bin ich Filialleiter", {"occupation": "Bäcker"}),
        # of something else, or of another
        ("Ich arbeite bei Bosch.", "Ich hab den Handyvertrag gekündigt.", {"employer": "Bosch"}),
        ("Ich arbeite bei Bosch.", "meine Tante wurde entlassen", {"employer": "Bosch"}),
        ("Ich arbeite bei Bosch.", "wenn ich gekündigt hab, feiern wir", {"employer": "Bosch"}),
        ("Je travaille chez Bic.", "mon frère a démissionné", {"employer": "Bic"}),
        ("Trabajo en Mango.", "me han echado de menos", {"employer": "Mango"}),
        ("Trabajo en Mango.", "han despedido a mi jefe", {"employer": "Mango"}),
        ("Trabajo en Mango.", "no me han echado", {"employer": "Mango"}),
        ("Trabajo en Mango.", "al final no he dimitido", {"employer": "Mango"}),
        ("Trabajo en Mango.", "del bar me han echado", {"employer": "Mango"}),
        ("Lavoro alla Fiat.", "non mi hanno licenziato", {"employer": "Fiat"}),
        ("Lavoro alla Fiat.", "ero presidente del coro ma mi sono dimessa", {"employer": "Fiat"}),
        ("Trabalho na Galp.", "não fui demitido", {"employer": "Galp"}),
        ("Je travaille chez Bic.", "j'ai été virée du forum", {"employer": "Bic"}),
        ("Je travaille chez Bic.", "le club de tennis m'énervait, j'ai démissionné", {"employer": "Bic"}),
        (
            "Ich arbeite bei Bosch.",
            "Ich lag drei Tage in der Klinik. Heute wurde ich entlassen.",
            {"employer": "Bosch"},
        ),
        ("Ich arbeite bei Bosch.", "Der Stromtarif ist zu teuer, ich hab gekündigt.", {"employer": "Bosch"}),
        ("Ich arbeite bei Bosch.", "Spotify ist zu teuer. Ich hab jetzt gekündigt.", {"employer": "Bosch"}),
        ("Ich arbeite bei Bosch.", "Mein Chef war furchtbar. Ich hab jetzt gekündigt.", {}),
        ("Ich arbeite bei Bosch.", "Meine Stelle war nicht mehr schön. Ich habe gekündigt.", {}),
        ("Je travaille chez Bic.", "Mon patron criait trop. J'ai démissionné.", {}),
        ("Trabajo en Mango.", "Mi jefa está loca. Me han echado.", {}),
        # where, or when: of work is told beside it
        (
            "Ich arbeite bei Bosch.",
            "Die Firma liegt neben der Muckibude, das Abo ist teuer. Ich habe gekündigt.",
            {"employer": "Bosch"},
        ),
        (
            "Ich arbeite bei Bosch.",
            "Von der Arbeit fuhr ich in die Klinik. Ich wurde entlassen.",
            {"employer": "Bosch"},
        ),
        ("Je travaille chez Bic.", "La salle est à côté du boulot mais sale. J'ai démissionné.", {"employer": "Bic"}),
        ("Trabajo en Mango.", "Fuimos a una discoteca con la gente del trabajo. Me han echado.", {"employer": "Mango"}),
        ("Ich arbeite bei Bosch.", "Puh, ich wurde gefeuert und bin traurig.", {}),
    ],
)
def test_a_job_ends_without_the_name_of_the_firm(told: Tell, job: str, news: str, known: dict[str, str]) -> None:
    assert fields(told(job, news)) == known


@pytest.mark.parametrize(
    "news",
    [
        "Der Druck war zu hoch. Ich habe gekündigt.",
        "Rate mal! Ich habe gekündigt!",
        "Spotify ist zu teuer. Ich habe gekündigt.",
        "C'était trop dur. J'ai démissionné.",
        "Je respire enfin ! J'ai démissionné.",
        "Han sido meses malos. Me han echado.",
    ],
)
def test_what_ends_something_behind_another_sentence_is_kept_with_it(told: Tell, news: str) -> None:
    assert any(news in fact.text for fact in told(news).facts())


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Mein Freund heißt Kasimir.", {"boyfriend": "Kasimir"}),
        ("meine Frau Gesa ist Tischlerin", {"wife": "Gesa"}),
        ("ma copine Zoé est prof", {"girlfriend": "Zoé"}),
        ("mi marido Joaquín es cocinero", {"husband": "Joaquín"}),
        ("il mio ragazzo, Enzo, è a casa", {"boyfriend": "Enzo"}),
        ("o meu marido chama-se Tiago", {"husband": "Tiago"}),
        ("on a adopté un chat, il s'appelle Mimi", {"pet": "chat Mimi"}),
        ("ho un cane, Pluto", {"pet": "cane Pluto"}),
        ("tenho um gato chamado Faísca", {"pet": "gato Faísca"}),
        ("mein Freund Kasimir kommt morgen", {}),  # or a friend
        ("meine Freundin hat Angst", {}),
        ("mein Ex-Mann Uwe ist da", {}),
        ("wenn meine Frau Gesa kommt, gehen wir", {}),
        ("ma femme est prof", {}),
        ("meine Frau, Gesa, ist Tischlerin", {"wife": "Gesa"}),
        ("mein Partner heißt Uwe", {"partner": "Uwe"}),
        ("a mi mujer Pascua le gusta mucho", {}),
        ("a mi marido Barcelona le encanta", {}),
        ("meine Frau, Ärztin in Ulm, ist da", {}),
        ("meine Frau, Tischlerin, ist da", {}),
        ("ma femme, Dieu soit loué, est guérie", {}),
        ("mein Mann, Köln ist ihm zu groß, bleibt hier", {}),
        ("mein Partner Zeiss hat geliefert", {}),
        ("meine Partnerin Gesa im Tanzkurs ist toll", {}),
        ("mi pareja Pilar de tenis juega bien", {}),
        ("meine Frau Gesa hat mich verlassen", {}),
        ("mi mujer Pilar y yo nos separamos", {}),
        ("meine Frau Gesa und ich sind getrennt", {}),
        ("il marito di Anna si chiama Enzo", {}),
        ("el perro de mi novia se llama Rex", {}),
        ("j'ai eu un chat, il s'appelle Mimi, mais il est mort", {}),
        ("ho un cane, Enzo lo adora", {}),
        ("tenho um gato, Tiago adora-o", {}),
        ("hay bares como Vegano Verde", {}),
    ],
)
def test_partners_and_pets(told: Tell, said: str, known: dict[str, str]) -> None:
    assert fields(told(said)) == known


@pytest.mark.parametrize(
    "question", ["Wie heißt meine Frau?", "Comment s'appelle ma femme ?", "What's my wife's name?"]
)
def test_a_partner_is_asked_for(told: Tell, question: str) -> None:
    assert "Gesa (said" in str(told("Meine Frau heißt Gesa.").recall(question))


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("abito a Lecce dal 3 maggio", "home", "Lecce"),
        ("lavoro alla Piaggio dall'8 giugno", "employer", "Piaggio"),
        ("ich wohne seit dem 3. Mai in Bremen", "home", "Bremen"),
        ("Ich arbeite seit 8. Juni bei Zeiss.", "employer", "Zeiss"),
        ("ich wohne mit Kasimir in Bremen", "home", "Bremen"),
        ("j'habite avec Zoé à Metz", "home", "Metz"),
        ("vivo con Joaquín en Vigo", "home", "Vigo"),
        ("abito con Enzo a Lecce", "home", "Lecce"),
        ("lavoro come cuoca a Lecce", "occupation", "cuoca"),
        ("Kasimir wohnt seit dem 3. Mai in Bremen", "home", None),
        ("fliege mit Kasimir in den Urlaub", "home", None),
    ],
)
def test_since_when_and_with_whom_is_no_part_of_a_value(told: Tell, said: str, name: str, value: str | None) -> None:
    user = told(said)
    assert user.profile().get(name) == value
    assert coming(user) == []


@pytest.mark.parametrize(
    "order",
    [
        "tu peux me vouvoyer",
        "fais-moi des listes quand il y a des étapes",
        "arrête avec les émojis",
        "réponds plus court stp",
        "háblame de usted",
        "nada de listas por favor",
        "sé más claro",
        "dammi risposte lunghe",
        "evita gli elenchi",
        "trata-me por você",
        "bitte keine Rezepte mit Fleisch",
        "verbessere bitte immer meine Grammatik",
        "red mich nicht dauernd mit Namen an",
        "geen lijstjes alsjeblieft",
        "keine Emojis und keine Listen bitte",
        "erklär mir immer alles Schritt für Schritt",
        "pas d'émojis dans tes réponses",
    ],
)
def test_how_to_answer_is_told_in_everyday_words(told: Tell, order: str) -> None:
    assert [fact.kind for fact in told(order).facts()] == ["instruction"]


@pytest.mark.parametrize(
    "said",
    [
        "fais-moi une liste de ces chiffres",
        "háblame de Bilbao",
        "dammi una ricetta",
        "nada de eso",
        "bitte keine Tomaten in das Rezept",
        "verbessere meinen Text",
        "arrête la musique",
        "keine Antworten von der Bank bekommen",
        "keine Vorschläge aus dem Team",
        "pas de listes à la maison",
        "nada de listas en mi oficina",
        "zeige meinem Opa immer Videos",
        "benutze jetzt immer das Rad, ich wohne in Bremen",
        "frage mich immer, ob das stimmt",
        "réponds à Paul",
    ],
)
def test_what_is_ordered_once_is_no_instruction(told: Tell, said: str) -> None:
    assert "instruction" not in [fact.kind for fact in told(said).facts()]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Was steht bei mir in den nächsten drei Wochen an?", True),
        ("Was hab ich diese Woche vor?", True),
        ("¿Qué tengo en los próximos tres días?", True),
        ("O que tenho nas próximas semanas?", True),
        ("J'ai quoi de prévu ce mois ?", True),
        ("Cosa ho in calendario?", True),
        ("Che impegni ho?", True),
        ("Was hab ich dir erzählt?", False),
        ("¿Qué tengo en la nevera?", False),
        ("J'ai quoi comme voiture ?", False),
        ("Cosa ho detto ieri?", False),
    ],
)
def test_what_is_coming_is_asked_for(question: str, asked: bool) -> None:
    assert (ASKS_FOR_PLANS.search(question) is not None) is asked


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("ich heiße kasimir und wohne in bremen", {"name": "Kasimir", "home": "Bremen"}),
        ("je m'appelle zoé", {"name": "Zoé"}),
        ("j'habite a metz", {"home": "Metz"}),
        ("me llamo joaquin", {"name": "Joaquin"}),
        ("vivo en vigo", {"home": "Vigo"}),
        ("mi chiamo enzo", {"name": "Enzo"}),
        ("abito a lecce", {"home": "Lecce"}),
        ("moro em faro", {"home": "Faro"}),
        ("ich wohne in untermiete", {}),
        ("vivo en pareja", {}),
        ("abito a casa di mia madre", {}),
        ("j'habite à côté", {}),
        ("me llamo la atención", {}),
        ("ich heiße dich willkommen", {}),
    ],
)
def test_names_and_towns_in_small_letters(told: Tell, said: str, known: dict[str, str]) -> None:
    assert fields(told(said)) == known


@pytest.mark.parametrize(
    "said",
    [
        "Correct, the corner one. Reserve it.",
        "Yes, correct, please do.",
        "So it is for 24 June, correct?",
        "Correct the reservation to 24 June please.",
        "Please write the reservation down, cheers.",
        "Write the day in my diary.",
        "Mejora la reserva: el 24 de junio",
        "Korrigier die Reservierung auf den 24. Juni",
        "Schreib das in meinen Kalender",
        "correggi la prenotazione: il 24 giugno",
        "écris la date dans mon agenda",
        "Correct: that is the day.",
        "The day is wrong, correct it.",
        "Correct the email address, it is b@x.example",
    ],
)
def test_a_booking_that_was_asked_for_is_kept(told: Tell, said: str) -> None:
    user = told(said, answers="I've booked the table at Mario's for 24 June at 7pm.")
    assert [fact.about for fact in user.facts() if "Mario" in fact.text] == ["assistant"]
    assert "24 Jun 19:00" in coming(user)


@pytest.mark.parametrize(
    "said",
    [
        "Correct this: i has a cat",
        "Please correct my sentence, it's for work",
        "Write a short bio of me",
        "Draft an email to my boss",
        "Write me a haiku",
        "Can you correct my English?",
        "Korrigier bitte meine Grammatik",
        "Schreib mir einen kurzen Bewerbungstext",
        "mejora este texto",
        "corrige mes fautes",
        "écris-moi une lettre",
        "scrivi una poesia",
        "verbessere: ich wohnt in Bonn",
    ],
)
def test_a_text_that_was_ordered_tells_nothing(told: Tell, said: str) -> None:
    facts = told(said, answers="My name is Joan and I live in Leeds.").facts()
    assert not [fact.text for fact in facts if fact.about == "assistant"]


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("J'habite à Lyon, dans le 22.", []),
        ("Ma sœur et moi vivons dans le 21", []),
        ("Vivo en la avenida Real, el 22.", []),
        ("La camiseta es el 22.", []),
        ("El 23 es un número raro.", []),
        ("Je prends le 22 pour aller au bureau.", []),
        ("Cojo el 22 para ir al gimnasio.", []),
        ("Wir leben am 28. Breitengrad.", []),
        ("J'ai mangé le 2/7 de la tarte.", []),
        ("Samedi 11 amis viennent chez moi.", ["20 Jun 00:00"]),
        ("Sabato 11 persone vengono da me", ["20 Jun 00:00"]),
        ("Am Samstag 11 Gäste bei mir", ["20 Jun 00:00"]),
        ("El sábado 11 invitados en casa", ["20 Jun 00:00"]),
        ("sábado 24 exámenes", ["20 Jun 00:00"]),
        ("Am Samstag 25 Hunde bei mir", ["20 Jun 00:00"]),
        ("sabato 23 visite", ["20 Jun 00:00"]),
        # days
        ("lunes 29 exámenes", ["29 Jun 00:00"]),
        ("sábado 27 clases de piano", ["27 Jun 00:00"]),
        ("sabato 27 riunione dei soci", ["27 Jun 00:00"]),
        ("Samstag 27 Zahnarzt", ["27 Jun 00:00"]),
        ("zaterdag 27 examen", ["27 Jun 00:00"]),
        ("Vivo en Vigo, el 22 tengo dentista", ["22 Jun 00:00"]),
        ("J'habite à Lyon, le 22 c'est la fête", ["22 Jun 00:00"]),
        ("mi boda es el 22", ["22 Jun 00:00"]),
        ("ho un esame il 22", ["22 Jun 00:00"]),
        ("j'ai un rendez-vous le 2/7 à 9 heures", ["02 Jul 09:00"]),
        ("samedi 27 nous partons en vacances", ["27 Jun 00:00"]),
        ("el sábado 27 tenemos una boda", ["27 Jun 00:00"]),
        ("sabato 27 viene mia zia", ["27 Jun 00:00"]),
        ("am Samstag den 27. hab ich Gäste", ["27 Jun 00:00"]),
    ],
)
def test_a_number_that_is_no_day(told: Tell, said: str, days: list[str]) -> None:
    assert coming(told(said)) == days


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I met Juni on Friday.", "12 Jun"),
        ("Gave Maart a haircut on Friday.", "12 Jun"),
        ("Sabato rang me yesterday, she cried", "14 Jun"),
        ("Saw Domenica at the pool yesterday.", "14 Jun"),
        ("Breakfast Mai Friday 8am.", "19 Jun"),
        ("Vet Marzo 9am Friday.", "19 Jun"),
        ("Avril starts nursery on Friday.", "19 Jun"),
        ("Collected Mei from nursery on Friday.", "12 Jun"),
        # in other languages
        ("dentista viernes a las 9", "19 Jun"),
        ("Zahnarzt Freitag um 9", "19 Jun"),
        ("dentiste vendredi à 9h", "19 Jun"),
        ("parrucchiere venerdì alle 9", "19 Jun"),
        ("tandarts vrijdag om 9 uur", "19 Jun"),
        ("Meeting mit Tom Freitag um 9", "19 Jun"),
        ("don Mateo viernes a las 9", "19 Jun"),
    ],
)
def test_a_name_that_is_a_month_elsewhere_leaves_english_english(told: Tell, said: str, day: str) -> None:
    found = [fact.event_time for fact in told(said).facts() if fact.event_time is not None]
    assert [f"{when:%d %b}" for when in found] == [day]
