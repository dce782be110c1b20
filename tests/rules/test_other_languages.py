"""What speakers of other languages tell of themselves, and what looks alike and tells nothing of them."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core.extract.quotations import without_material
from memoryos_core.extract.statement_languages import language_of, time_of, worth_of
from memoryos_core.rules.dates import dates_in_question
from memoryos_core.rules.knowledge.entries import cues_of
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.knowledge.other_languages import ASKING, told_of_self
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.supersession import compare
from memoryos_core.rules.text.words import sentences, terms
from memoryos_core.values.facts import Fact

MONDAY = datetime(2026, 1, 12, 10, tzinfo=timezone.utc)


_SPEAKERS: list[tuple[str, dict[str, str | list[str]]]] = [
    ("hallo! ich bin Jonas, 34, Elektriker aus Kassel",
     {"called": "Jonas", "age": "34", "occupation": "Elektriker", "origin": "Kassel"}),
    ("jetzt wohne ich in Bad Homburg mit meiner Frau", {"home": "Bad Homburg"}),
    ("wir sind letzte woche nach hamburg gezogen!!", {"home": "hamburg"}),
    ("seit april arbeite ich bei den Stadtwerken Leipzig", {"employer": "Stadtwerken Leipzig"}),
    ("ich hab bei Siemens gekündigt", {"employer": "not Siemens"}),
    ("Ich wohne nicht mehr in Köln", {"home": "not Köln"}),
    ("ya no vivo en Bogotá", {"home": "not Bogotá"}),
    ("je n'habite plus à Lyon", {"home": "not Lyon"}),
    ("no soy vegetariana", {"diet": "not vegetariana"}),
    ("je ne suis pas végétarien", {"diet": "not végétarien"}),
    ("我不是素食者", {"diet": "not 素食者"}),
    ("我是老师", {"occupation": "老师"}),
    ("我今年刚满30岁", {"age": "30"}),
    ("大阪から東京に引っ越してきました", {"home": "東京"}),
    ("横浜在住です", {"home": "横浜"}),
    ("me llamo Ana María, soy de Perú y vivo en Lima", {"name": "Ana María", "origin": "Perú", "home": "Lima"}),
    ("je suis prof de maths", {"occupation": "prof"}),
    ("bin gegen haselnüsse allergisch", {"allergy": "haselnüsse"}),
    ("ich esse kein fleisch mehr", {"food": "not fleisch"}),
    ("unser kater Momo ist krank", {"pet": "kater Momo"}),
    ("mein handy hat ne neue nummer: 0176 5551234", {"phone": "0176 5551234"}),
    ("mein geburtstag ist der 3. märz", {"birthday": "3. märz"}),
    ("mein lieblingsessen ist käsespätzle", {"favourite essen": "käsespätzle"}),
    ("moi c'est Claire, j'ai 29 ans et je suis infirmière",
     {"name": "Claire", "age": "29", "occupation": "infirmière"}),
    ("on a déménagé à Nantes la semaine dernière", {"home": "Nantes"}),
    ("je suis allergique aux arachides, fais gaffe", {"allergy": "arachides"}),
    ("je bosse au CHU depuis deux ans", {"employer": "CHU"}),
    ("mon plat préféré c'est le risotto", {"favourite plat": "risotto"}),
    ("hola! soy Lucía, tengo 31 años y soy enfermera",
     {"called": "Lucía", "age": "31", "occupation": "enfermera"}),
    ("me llamo Lucía y tengo 31 años", {"name": "Lucía", "age": "31"}),
    ("nos mudamos a Valencia la semana pasada", {"home": "Valencia"}),
    ("soy alérgica a los frutos secos", {"allergy": "frutos secos"}),
    ("he cambiado de número, ahora es el 612 345 678", {"phone": "612 345 678"}),
    ("ciao! sono Marco, ho 31 anni", {"called": "Marco", "age": "31"}),
    ("ci siamo trasferiti a Milano", {"home": "Milano"}),
    ("moro em São Paulo com meu namorado", {"home": "São Paulo"}),
    ("sou alérgica a amendoim", {"allergy": "amendoim"}),
    ("你好，我叫李明，今年32岁，是一名软件工程师", {"name": "李明", "age": "32", "occupation": "软件工程师"}),
    ("上周我们搬到深圳了！！", {"home": "深圳"}),
    ("我从华为辞职了，四月开始在腾讯工作", {"employer": ["not 华为", "腾讯"]}),
    ("我对花生过敏", {"allergy": "花生"}),
    ("我的新手机号是13900001111", {"phone": "13900001111"}),
    ("はじめまして、田中健太です。32歳のエンジニアです。",
     {"called": "田中健太", "age": "32", "occupation": "エンジニア"}),
    ("先週、大阪に引っ越しました", {"home": "大阪"}),
    ("そばアレルギーがあるので、気をつけてください", {"allergy": "そば"}),
    ("猫を飼っていて、名前はモモです", {"pet": "猫 モモ"}),
    ("一番好きな食べ物はカレーです", {"favourite 食べ物": "カレー"}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "told"), _SPEAKERS)
def test_what_speakers_tell_of_themselves(said: str, told: dict[str, str | list[str]]) -> None:
    found: dict[str, list[str]] = {}
    for attribute, value, _, negated in told_of_self(said):
        found.setdefault(attribute, []).append(f"not {value}" if negated else value)
    assert found == {name: value if isinstance(value, list) else [value] for name, value in told.items()}


@pytest.mark.parametrize(
    "said",
    [
        # somebody else
        "mein kollege Sven wohnt in Halle und ist veganer",
        "meine schwester ist 25 und arbeitet als Lehrerin bei Bosch",
        "mon frère habite à Brest et il a 40 ans",
        "mi hermano vive en Huelva y tiene 20 años",
        "mia sorella abita a Roma e ha 20 anni",
        "minha irmã mora no Rio",
        "我妹妹今年25岁，住在北京，是一名医生",
        "我同事王伟住在苏州，他是素食者",
        "我妈妈对花生过敏",
        "妹は25歳です",
        "同僚の佐藤さんは横浜に住んでいて、ヴィーガンです",
        "母はそばアレルギーがあります",
        # supposed, past, asked
        "wenn ich in Berlin wohne, kaufe ich ein rad",
        "früher hab ich in Berlin gewohnt",
        "wohne ich in Berlin?",
        "ich würde gern nach Kiel gezogen sein",
        "si j'habite à Paris un jour, je serai riche",
        "avant j'habitais à Paris",
        "est-ce que j'habite à Lyon ?",
        "si vivo en Bali seré feliz",
        "antes vivía en Madrid",
        "se vivo a Bali sono felice",
        "se eu moro em Bali fico feliz",
        "如果我中了彩票，我就搬到巴厘岛",
        "以前我住在北京",
        "我住在北京吗？",
        "もし宝くじが当たったら、バリに引っ越します",
        "昔は札幌に住んでいました",
        "東京に住んでいますか？",
        # denied
        "ich bin nicht allergisch gegen nüsse",
        "no tengo 40 años",
        "non abito a Roma",
        "não moro em Lisboa",
        "我不住在北京",
        "我对花生不过敏",
        "京都には住んでいません",
        "そばアレルギーはありません",
        # looks alike
        "Mein Name ist Programm",
        "ich bin gerade müde",
        "ich bin 5 minuten zu spät",
        "ich lebe in angst",
        "ich komme gerade aus Berlin zurück",
        "ich heiße dich willkommen",
        "je suis fière de toi",
        "je suis triste",
        "j'ai 10 ans d'expérience",
        "je viens de manger",
        "soy lista",
        "soy sincera contigo",
        "vivo en paz",
        "tengo 10 años de experiencia",
        "sono triste e stanco",
        "我是认真的",
        "元気です",
        # quoted
        'er schrieb: "ich wohne in Rom"',
        "il m'a dit : « j'habite à Rome »",
        "I live in Leeds and work as a cook.",
    ],
)
def test_what_looks_alike_tells_nothing(said: str) -> None:
    assert told_of_self(said) == ()


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("de", "nächsten dienstag hab ich um 9 uhr zahnarzt", "2026-01-13"),
        ("de", "in zwei wochen fahren wir nach Wien", "2026-01-26"),
        ("de", "nächste woche freitag hab ich prüfung", "2026-01-23"),
        ("de", "am freitag treffe ich Sven", "2026-01-16"),
        ("de", "am freitag war ich beim arzt", "2026-01-09"),
        ("de", "vor drei wochen sind wir umgezogen", "2025-12-22"),
        ("de", "übermorgen kommt meine mutter", "2026-01-14"),
        ("de", "am 3.4. hab ich termin", "2026-04-03"),
        ("de", "meine schwester heiratet am 12. juli", "2026-07-12"),
        ("de", "ich hab für freitag einen tisch reserviert", "2026-01-16"),
        ("de", "jeden freitag gehe ich schwimmen", None),
        ("de", "ich laufe jeden morgen 5 km", None),
        ("fr", "mardi prochain j'ai rdv chez le dentiste", "2026-01-13"),
        ("fr", "dans deux semaines on part à Vienne", "2026-01-26"),
        ("fr", "j'ai rdv mardi", "2026-01-13"),
        ("fr", "mardi j'ai vu Paul", "2026-01-06"),
        ("fr", "il y a trois jours j'ai commencé", "2026-01-09"),
        ("fr", "tous les mardis je nage", None),
        ("es", "el martes que viene tengo dentista", "2026-01-13"),
        ("es", "dentro de dos semanas nos vamos a Viena", "2026-01-26"),
        ("es", "pasado mañana viene mi madre", "2026-01-14"),
        ("es", "el viernes fui al cine", "2026-01-09"),
        ("es", "corro todas las mañanas", None),
        ("es", "los viernes nado", None),
        ("it", "fra due settimane andiamo a Vienna", "2026-01-26"),
        ("it", "sabato ho visto Paolo", "2026-01-10"),
        ("it", "tre giorni fa ho iniziato", "2026-01-09"),
        ("pt", "terça que vem tenho dentista", "2026-01-13"),
        ("pt", "daqui a duas semanas vamos a Viena", "2026-01-26"),
        ("pt", "na segunda casa", None),
        ("nl", "over twee weken gaan we naar Wenen", "2026-01-26"),
        # What was arranged for a day, and what was done on it.
        ("de", "Ich habe mich für den Volkslauf am 14. März angemeldet.", "2026-03-14"),
        ("de", "Ich habe mich für den Volkslauf am 20. Dezember angemeldet.", "2025-12-20"),
        ("de", "Wir haben eine Hütte vom 14. bis 18. August gebucht.", "2026-08-14"),
        ("de", "Wir haben die Reise auf den 14. bis 18. August verschoben.", "2026-08-14"),
        ("de", "Ich habe ihr gesagt, dass ich am 14. Juli komme.", "2026-07-14"),
        ("de", "Ich habe ihr gesagt, dass ich am 14. März krank war.", "2025-03-14"),
        ("de", "Ich bin den Volkslauf am 14. März gelaufen.", "2025-03-14"),
        ("fr", "Je me suis inscrite au trail du 14 mars.", "2026-03-14"),
        ("fr", "Je me suis inscrite au trail du 20 décembre.", "2025-12-20"),
        ("fr", "Je leur ai dit que je viendrais le 14 août.", "2026-08-14"),
        ("fr", "J'ai couru le trail le 14 mars.", "2025-03-14"),
        ("es", "Me he apuntado al torneo del 14 de marzo.", "2026-03-14"),
        ("es", "Hemos reservado una casa del 14 al 18 de agosto.", "2026-08-14"),
        ("es", "Les dije que iría el 14 de marzo.", "2026-03-14"),
        ("es", "Corrí el maratón el 14 de marzo.", "2025-03-14"),
        ("it", "Mi sono iscritta al torneo del 14 marzo.", "2026-03-14"),
        ("it", "Mi sono iscritta al torneo del 20 dicembre.", "2025-12-20"),
        ("pt", "Inscrevi-me no torneio de 14 de março.", "2026-03-14"),
        ("nl", "Ik heb me ingeschreven voor de loop op 14 maart.", "2026-03-14"),
        ("nl", "We hebben een huisje geboekt van 14 tot 18 augustus.", "2026-08-14"),
        ("nl", "Ik heb de loop gelopen op 14 maart.", "2025-03-14"),
        ("ja", "8月14日のホテルを予約しました。", "2026-08-14"),
        ("ja", "3月14日にマラソンを走りました。", "2025-03-14"),
        ("zh", "两周后我们去维也纳玩", "2026-01-26"),
        ("zh", "下个月15号我搬家", "2026-02-15"),
        ("zh", "三天后他走了", None),
        ("zh", "我今年32岁", None),
        ("ja", "2週間後にウィーンに旅行します", "2026-01-26"),
        ("ja", "来月の15日に引っ越します", "2026-02-15"),
        ("ja", "3日後に退院しました", None),
    ],
)
def test_the_time_that_a_sentence_names(language: str, said: str, day: str | None) -> None:
    found = time_of(said, MONDAY, language, ahead=True)
    assert (None if found is None else f"{found:%Y-%m-%d}") == day


@pytest.mark.parametrize(
    "said",
    [
        "nenn mich Jo",
        "ab sofort bitte ohne emojis",
        "gib mir immer zuerst die kurze antwort",
        "sois bref stp",
        "à partir de maintenant réponds en anglais",
        "respuestas cortas por favor",
        "a partir de ahora contesta en inglés",
        "sii breve",
        "sem emojis por favor",
        "请一直用中文回答我",
        "不要用表情符号",
        "短く答えてください",
        "絵文字は使わないでください",
        "今後は箇条書きでお願いします",
    ],
)
def test_a_standing_instruction(said: str) -> None:
    found = worth_of(said, language_of(said))
    assert found is not None
    assert found[0] == "instruction"


@pytest.mark.parametrize(
    "said",
    [
        "mi jefe siempre responde tarde",
        "immer wenn ich das sage lacht er",
        "schreib mir eine mail auf englisch",
        "请用英文写一首诗",
        "短いメールを書いて",
        "母はいつもLINEで返事します",
        "我妈总是用微信回复我",
    ],
)
def test_what_is_no_instruction(said: str) -> None:
    found = worth_of(said, language_of(said))
    assert found is None or found[0] != "instruction"


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("dentro de dos semanas nos vamos a Viena", "es"),
        ("nos mudamos a Valencia la semana pasada!!", "es"),
        ("daqui a duas semanas vamos a Viena", "pt"),
        ("nos mudamos para Curitiba semana passada", "pt"),
        ("je suis vegan", "fr"),
        ("me encanta el jazz", "es"),
        ("ich wohne in leipzig", "de"),
    ],
)
def test_the_language_of_a_short_sentence(said: str, language: str) -> None:
    assert language_of(said) == language


@pytest.mark.parametrize(
    ("task", "material"),
    [
        ("übersetze ins englische: ", '"Ich wohne in Rom und arbeite als Koch."'),
        ("kannst du diesen text korrigieren? bitte korrigiere: ", "ich wohne in Rom"),
        ("traduis en anglais : ", "« J'habite à Rome. »"),
        ("traduce al inglés: ", "Vivo en Roma."),
        ("traduci in inglese: ", "Vivo a Roma."),
        ("traduz para inglês: ", "Moro em Roma."),
        ("帮我翻译成英文：", "我住在罗马，是一名厨师。"),
        ("英語に翻訳して：", "「私はローマに住んでいます。」"),
    ],
)
def test_the_text_that_a_task_works_on_tells_nothing(task: str, material: str) -> None:
    assert material not in without_material(task + material)


@pytest.mark.parametrize(
    "said",
    [
        "ich übersetze bücher: das ist mein beruf",
        "mi trabajo: traducir libros",
        "我是翻译，住在上海",
        "翻訳の仕事をしています",
    ],
)
def test_whoever_translates_for_a_living_says_so(said: str) -> None:
    assert without_material(said) == said


def test_a_day_of_the_month_in_small_letters_ends_no_sentence() -> None:
    assert sentences("am 12. juli bin ich weg. am 3.4. hab ich zeit") == [
        "am 12. juli bin ich weg.",
        "am 3.4. hab ich zeit",
    ]


@pytest.mark.parametrize(
    ("said", "moved"),
    [
        ("meine schwester Lena heiratet am 12. juli in Fulda", "Lena hat die hochzeit auf den 26. juli verschoben"),
        ("ma sœur Léa se marie le 12 juillet à Annecy", "Léa a reporté le mariage au 26 juillet"),
        ("mi hermana Marta se casa el 12 de julio en Ronda", "Marta ha aplazado la boda al 26 de julio"),
        ("mia sorella Lucia si sposa il 12 luglio", "Lucia ha spostato il matrimonio al 26 luglio"),
        ("minha irmã Lúcia casa no dia 12 de julho", "a Lúcia adiou o casamento para 26 de julho"),
        ("ich wohne in Leipzig", "wir sind letzte woche nach Hamburg gezogen"),
        ("j'habite à Lyon", "on a déménagé à Nantes la semaine dernière"),
        ("vivo en Sevilla", "nos mudamos a Valencia la semana pasada"),
        ("我住在上海", "上周我们搬到深圳了"),
        ("東京に住んでいます", "先週、大阪に引っ越しました"),
        ("我的手机号是13812345678", "我换手机号了，新号码是13900001111"),
        ("soy vegetariana", "al final vuelvo a comer pescado"),
    ],
)
def test_news_replace_what_was_said(said: str, moved: str) -> None:
    assert compare(f'The user said: "{said}"', f'The user said: "{moved}"') == "replaces"


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("ich wohne in Leipzig", "meine schwester ist nach Hamburg gezogen"),
        ("j'habite à Lyon", "mon frère a déménagé à Nantes"),
        ("vivo en Sevilla", "mi hermana se mudó a Valencia"),
        ("我住在上海", "我妹妹搬到深圳了"),
        ("東京に住んでいます", "妹が大阪に引っ越しました"),
        ("ich bin gegen nüsse allergisch", "ich bin gegen milch allergisch"),
    ],
)
def test_news_of_others_and_one_more_value_replace_nothing(said: str, other: str) -> None:
    assert compare(f'The user said: "{said}"', f'The user said: "{other}"') in ("unrelated", "adds")


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("Wo wohne ich?", "home"),
        ("C'est quoi mon métier ?", "occupation"),
        ("¿Cuál es mi número de teléfono?", "phone"),
        ("我住在哪里？", "home"),
        ("どこで働いていますか？", "employer"),
        ("Was ist mein Beruf?", "occupation"),
    ],
)
def test_questions_ask_for_an_attribute_in_their_language(question: str, attribute: str) -> None:
    assert cues_of(attribute) & set(terms(question))


@pytest.mark.parametrize("question", ["danke!", "merci !", "gracias!", "谢谢！", "ありがとう！", "¿Qué tiempo hace?"])
def test_thanks_and_the_weather_ask_for_no_attribute(question: str) -> None:
    assert not any(cues_of(attribute) & set(terms(question)) for attribute in ASKING)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("was steht nächste woche an?", "2026-01-19"),
        ("qu'est-ce que j'ai la semaine prochaine ?", "2026-01-19"),
        ("¿qué tengo la semana que viene?", "2026-01-19"),
        ("What is on next week?", "2026-01-19"),
    ],
)
def test_the_time_that_a_question_names(question: str, day: str) -> None:
    assert [f"{span.start:%Y-%m-%d}" for span in dates_in_question(question, MONDAY)] == [day]


_WORDS_OF_DATES = {
    "de": "am Freitag, Dienstag, Mittwoch, Samstag; im August, Dezember, Juni; in zwei Wochen; vor drei Tagen",
    "fr": "vendredi, dimanche, samedi prochain; le 3 juillet, août, septembre; dans six semaines; il y a cinq mois",
    "es": "el viernes, miércoles que viene; el 3 de junio, agosto; dentro de seis días; hace diez semanas",
    "it": "sabato prossimo, lunedì; il 3 giugno, agosto, settembre; tra sei giorni; cinque settimane fa",
    "pt": "sexta que vem, domingo; 3 de julho, agosto, setembro; daqui a seis dias; há cinco semanas",
    "nl": "dinsdag, zaterdag, volgende week; 3 augustus, juni, oktober; over zes weken; vijf dagen geleden",
    "zh": "两周后, 三天后, 15号, 十二个月后",
    "ja": "2週間後, 3日後, 十五日, 今年32歳",
}
# Letters that are the same as a plain one for a pattern that looks past the case, and digits of other scripts.
_ODD_LETTERS = ("iİ", "iı", "sſ", "kK", "åÅ", "ßẞ", "2٢", "3３", "1¹", "5५")


@pytest.mark.parametrize(("plain", "odd"), _ODD_LETTERS)
@pytest.mark.parametrize("language", _WORDS_OF_DATES)
def test_odd_letters_in_words_of_dates_are_read_or_left(language: str, plain: str, odd: str) -> None:
    said = _WORDS_OF_DATES[language]
    for text in (said, said.upper(), said.title()):
        same_letters = text.replace(plain, odd).replace(plain.upper(), odd)
        for ahead in (True, False):
            time_of(same_letters, MONDAY, language, ahead=ahead)
        dates_in_question(f"{same_letters}?", MONDAY)


def test_a_weekday_with_an_odd_letter_is_that_weekday() -> None:
    found = time_of("am FREİTAG bin ich da", MONDAY, "de", ahead=True)
    assert found is not None
    assert f"{found:%Y-%m-%d}" == "2026-01-16"
    found = time_of("die reise ist am 3. Auguſt", MONDAY, "de", ahead=True)
    assert found is not None
    assert f"{found:%m-%d}" == "08-03"


@pytest.mark.parametrize(("plain", "odd"), _ODD_LETTERS)
def test_odd_letters_in_what_speakers_tell_are_read_or_left(plain: str, odd: str) -> None:
    for said, _ in _SPEAKERS:
        for text in (said, said.upper()):
            told_of_self(text.replace(plain, odd).replace(plain.upper(), odd))


@pytest.mark.parametrize(
    "said",
    [
        "我想住在上海",
        "我喜欢住在上海",
        "我后悔住在上海",
        "我的好朋友住在上海",
        "我认识一个人住在上海",
        "我下周住在酒店",
        "我们公司搬到上海了",
        "我讨厌住在上海",
        "我应该住在上海",
        "田中は大阪に住んでいます",
        "マンションに住んでいます",
        "アパートに住んでいます",
        "佐藤は京都に引っ越しました",
        "Im Sommer wohne ich in Italien",
        "Nächste Woche wohne ich in München im Hotel",
        "Wir leben in schwierigen Zeiten",
        "Wir leben in einer Demokratie",
        "Mein Bruder sagt: ich wohne in Hamburg.",
        "Ich wohne in einer WG",
        "Ich lebe in Frieden",
        "On vit à trois ici",
        "On vit au XXIe siècle",
        "On vit en démocratie",
        "J'habite en colocation",
        "En été j'habite à Nice",
        "La semaine prochaine j'habite à Nice",
        "Mon frère dit: j'habite à Nice.",
        "Vivimos en tiempos difíciles",
        "Vivo en un segundo",
        "Vivo en pareja",
        "Vivo en pecado",
        "Vivo en las nubes",
        "En verano vivo en Cádiz",
        "La próxima semana vivo en Cádiz",
        "Abito a due passi dalla stazione",
        "D'estate abito a Rimini",
        "In estate vivo a Rimini",
        "Moro em apartamento",
        "No verão moro em Faro",
        "Meu irmão diz: moro em Faro",
        "No soy alérgico al polen",
        "No soy alérgica a nada",
        "Je suis allergique à rien",
        "Je ne suis pas allergique au lait",
        "Soy alérgico a nada",
        "散歩をしています",
        "料理をしています",
        "掃除をしています",
        "勉強をしています",
        "毎朝ジョギングをしています",
        "Je suis touriste",
        "Je suis cycliste",
        "Je suis féministe",
        "Je suis fumiste",
        "Je suis touriste à Rome",
        "Je suis spécialiste des blagues",
        "Soy pacifista",
        "Sono un turista",
        "Sono ciclista",
        "Soy ciclista",
        "Ich bin Tourist",
        "我是一个乐观的人",
        "我是个好人",
        "我是好人",
        "我是工人",
        "我是男人",
        "我是一个人",
        "Meine Mutter sagt, ich bin Lehrer.",
        "Mi hermano dice que soy médico.",
        "Mia madre dice che sono medico.",
        "Minha mãe diz que sou médico.",
        "Ma mère dit: je suis médecin à Lyon.",
        "Ma mère dit que je suis médecin",
        "我们经理是一名医生",
        "我们老板是一名律师",
        "我妈说我是医生",
        "In meinem Roman heißt der Held: Ich bin Lehrer und wohne in Rom.",
        "Ich bin Pilot und Kapitän in dem Spiel.",
        "Ich bin Fahrer bei dem Ausflug.",
        "Tengo 5 años con él",
        "Ho 5 anni in azienda",
        "Tenho 5 anos com ele",
        "公司电话是02012345678",
        "我叫外卖",
        "Ho 10 anni di esperienza",
        "Tenho 10 anos de experiência",
        "Ho 5 anni di anzianità",
        "Tenho 5 anos de casa",
        "小明今年5岁",
        "我的车今年5岁",
        "我家猫今年5岁",
        "我老婆28岁",
        "我妈今年60岁",
        "我5岁的时候养过狗",
        "Ich bin 5. geworden",
        "Ich bin 5. geworden im Rennen",
        "Ich bin 5 im Ranking",
        "Ich bin 3 in der Warteschlange",
        "Ich bin 10 Kilo leichter",
        "Je travaille au calme",
        "Je travaille à la maison",
        "Je travaille au premier étage",
        "Je travaille pour mes enfants",
        "Ich fange bei Null an",
        "Empecé en el gimnasio",
        "Lavoro in ufficio",
        "Lavoro per vivere",
        "Lavoro a casa",
        "我在咖啡馆工作",
        "我在努力工作",
        "我在认真工作",
        "我在图书馆工作",
        "Ich arbeite für Geld",
        "Ich arbeite bei Kerzenlicht",
        "Ich arbeite bei schönem Wetter draußen",
        "Ich arbeite für einen neuen Kunden",
        "Ich habe bei Amazon angefangen zu bestellen",
        "Trabajo en pijama",
        "Trabajo en equipo",
        "Trabajo en turno de noche",
        "Trabalho em casa",
        "Trabalho em equipe",
        "Trabalho em pijama",
        "Ich komme gerade aus München",
        "Je viens de la piscine",
        "Vengo da lontano",
        "Ich komme aus dem Büro",
        "Je viens du marché",
        "Sou de confiança",
        "Soy de letras",
        "我的猫咪咪死了",
        "我的猫叫了",
        "猫叫声很大",
        "鳥はいいです",
        "猫は好きです",
        "犬はかわいいです",
        "Mi chiamo fuori",
        "Mi chiamo un taxi",
        "Ich heiße Sie willkommen",
        "Ich heiße euch herzlich willkommen",
        "Ich heiße das gut",
        "我叫妈妈起床",
        "我叫小李帮我",
        "我叫了外卖",
        "Me llamo la atención",
        "Me llamo por teléfono con Juan",
        "Je m'appelle un taxi",
        "我对这件事过敏",
        "我对这种人过敏",
        "Je suis allergique à la bêtise",
        "Soy alérgico a las mañanas",
        "Mein Mann hat bei Siemens gekündigt.",
    ],
)
def test_stays_tales_and_words_of_others_tell_nothing_of_the_speaker(said: str) -> None:
    assert told_of_self(said) == ()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Ich wohne in Berlin.", "home: Berlin"),
        ("Meine Katze Minka ist gestorben", "not pet: Minka"),
        ("Mon chien Rex est mort hier", "not pet: Rex"),
        ("Mi gato Tom murió ayer", "not pet: Tom"),
        ("Mein Hund Bello ist weggelaufen", "not pet: Bello"),
        ("Il mio gatto Micio è morto", "not pet: Micio"),
        ("Meu gato Tom morreu", "not pet: Tom"),
        ("ich wohne jetzt in Frankfurt am Main und arbeite bei Siemens", "employer: Siemens, home: Frankfurt am Main"),
        ("J'habite à Lyon.", "home: Lyon"),
        ("Je vis à Paris avec mon mari", "home: Paris"),
        ("Vivo en Madrid.", "home: Madrid"),
        ("vivo en San Sebastián con mi novio", "home: San Sebastián"),
        ("Abito a Roma.", "home: Roma"),
        ("Moro em Lisboa.", "home: Lisboa"),
        ("Moro no Rio de Janeiro", "home: Rio de Janeiro"),
        ("Ich habe keine Nussallergie mehr", "not allergy: Nuss"),
        ("Ich bin nicht mehr gegen Nüsse allergisch", "not allergy: Nüsse"),
        ("Ich bin nicht mehr allergisch gegen Nüsse", "not allergy: Nüsse"),
        ("Non abito più a Roma", "not home: Roma"),
        ("Já não moro em Lisboa", "not home: Lisboa"),
        ("Não moro mais em Lisboa", "not home: Lisboa"),
        ("Ya no soy médico", "not occupation: médico"),
        ("Non sono più vegetariano", "not diet: vegetariano"),
        ("Je ne suis plus végétarien", "not diet: végétarien"),
        ("Já não sou vegetariano", "not diet: vegetariano"),
        ("Non lavoro più per Fiat", "not employer: Fiat"),
        ("J'ai quitté Airbus", "not employer: Airbus"),
        ("Je ne travaille plus chez Airbus.", "not employer: Airbus"),
        ("Ich arbeite nicht mehr bei Siemens", "not employer: Siemens"),
        ("Ya no trabajo en Siemens.", "not employer: Siemens"),
        ("Ya no soy alérgica al polen.", "not allergy: polen"),
        ("Je ne suis plus allergique au lait.", "not allergy: lait"),
        ("Non sono più allergico al latte", "not allergy: latte"),
        ("Já não sou alérgico a amendoim", "not allergy: amendoim"),
        ("Ich habe bei Siemens gekündigt.", "not employer: Siemens"),
        ("Ich wohne nicht mehr in Hamburg.", "not home: Hamburg"),
        ("Je n'habite plus à Lyon.", "not home: Lyon"),
        ("Ya no vivo en Madrid.", "not home: Madrid"),
        ("Ich bin Lehrerin bei Bosch", "occupation: Lehrerin"),
        ("Je suis dentiste", "occupation: dentiste"),
        ("Je suis artiste et j'ai 30 ans", "age: 30, occupation: artiste"),
        ("Ho 30 anni", "age: 30"),
        ("Tenho 30 anos", "age: 30"),
        ("Ich bin 30.", "age: 30"),
        ("Je travaille chez Airbus.", "employer: Airbus"),
        ("Lavoro per Fiat.", "employer: Fiat"),
        ("Trabajo en Siemens.", "employer: Siemens"),
        ("Ich habe Heuschnupfen.", "condition: Heuschnupfen"),
        ("Ich leide an Migräne", "condition: Migräne"),
        ("Ich vertrage keine Laktose", "allergy: Laktose"),
        ("Ich vertrage keine Kritik", ""),
        ("Meine Mutter hat Asthma", ""),
        ("Ich habe Diabetes-Patienten in der Praxis", ""),
        ("Ich habe keinen Heuschnupfen mehr", "not condition: Heuschnupfen"),
        ("Ich vertrage keinen Spaß", ""),
        ("Wir haben einen Hund, er heißt Fritz", "pet: Hund Fritz"),
        ("Ich komme aus München", "origin: München"),
        ("Soy de Perú", "origin: Perú"),
        ("Je viens de Lyon", "origin: Lyon"),
        ("我不住在北京了", "not home: 北京"),
        ("我对花生不再过敏了", "not allergy: 花生"),
        ("もう東京に住んでいません", "not home: 東京"),
        ("今は大阪に住んでいます", "home: 大阪"),
        ("現在は京都に住んでいます", "home: 京都"),
        ("家族と大阪に住んでいます", "home: 大阪"),
        ("実は横浜に住んでいます", "home: 横浜"),
        ("妻と二人で大阪に住んでいます", "home: 大阪"),
        ("先月から大阪に住んでいます", "home: 大阪"),
        ("我现在住在上海", "home: 上海"),
        ("我们去年搬到杭州了", "home: 杭州"),
        ("我家住在苏州", "home: 苏州"),
        ("你好，我叫李明，现在住在北京", "home: 北京, name: 李明"),
        ("我住在北京已经三年了", "home: 北京"),
        ("我是中国人", "origin: 中国"),
        ("我是一名律师", "occupation: 律师"),
        ("我对海鲜过敏", "allergy: 海鲜"),
        ("我从华为辞职了", "not employer: 华为"),
        ("我不在华为工作了", "not employer: 华为"),
        ("我的猫叫咪咪", "pet: 猫 咪咪"),
        ("东京に住んでいます", "home: 东京"),
        ("私はエンジニアをしています", "occupation: エンジニア"),
        ("看護師として働いています", "occupation: 看護師"),
        ("大阪から東京に引っ越してきました", "home: 東京"),
        ("猫の名前はモモです", "pet: 猫 モモ"),
        ("もう京都には住んでいません", "not home: 京都"),
    ],
)
def test_what_holds_of_the_speaker_and_what_no_longer_does(said: str, told: str) -> None:
    found = (f"{'not ' if negated else ''}{attribute}: {value}" for attribute, value, _, negated in told_of_self(said))
    assert ", ".join(sorted(found)) == told


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("Ich wohne in Berlin.", "Ich wohne nicht mehr in Berlin."),
        ("Ich arbeite bei Siemens.", "Ich arbeite nicht mehr bei Siemens."),
        ("Ich habe eine Nussallergie.", "Ich habe keine Nussallergie mehr."),
        ("Ich habe eine Katze namens Minka.", "Meine Katze Minka ist gestorben."),
        ("J'habite à Lyon.", "Je n'habite plus à Lyon."),
        ("Je travaille chez Airbus.", "J'ai quitté Airbus."),
        ("Soy médico.", "Ya no soy médico."),
        ("Soy alérgica al polen.", "Ya no soy alérgica al polen."),
        ("Abito a Roma.", "Non abito più a Roma."),
        ("Lavoro per Fiat.", "Non lavoro più per Fiat."),
        ("Moro em Lisboa.", "Já não moro em Lisboa."),
        ("我住在北京。", "我不住在北京了。"),
        ("我对花生过敏。", "我对花生不再过敏了。"),
        ("東京に住んでいます。", "もう東京に住んでいません。"),
    ],
)
def test_a_denial_ends_what_it_names(said: str, over: str) -> None:
    assert compare(f'The user said: "{said}"', f'The user said: "{over}"') == "retires"


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Ich wohne in Berlin.", "Ich wohne nicht mehr in Hamburg."),
        ("Ich arbeite bei Siemens.", "Mein Mann hat bei Siemens gekündigt."),
        ("Ich arbeite bei Siemens.", "Ich habe bei Bosch gekündigt."),
        ("Ich habe einen Hund namens Rex.", "Mein Hund Bello ist weggelaufen."),
        ("Ich habe einen Hund namens Bello.", "Mein Hund Bello trauert, weil die Katze gestorben ist."),
        ("J'habite à Lyon.", "Je n'habite plus à Nice."),
        ("Vivo en Madrid.", "Ya no vivo en Sevilla."),
        ("Abito a Roma.", "Non abito più a Milano."),
        ("我住在北京。", "我不住在上海了。"),
        ("東京に住んでいます。", "もう大阪に住んでいません。"),
    ],
)
def test_a_denial_of_another_value_ends_nothing(said: str, other: str) -> None:
    assert compare(f'The user said: "{said}"', f'The user said: "{other}"') in ("unrelated", "adds")


@pytest.mark.parametrize(
    "said",
    [
        "No soy alérgico al polen",
        "Je suis allergique à rien",
        "Wir leben in schwierigen Zeiten",
        "Vivo en pareja",
        "Mon frère dit: j'habite à Nice.",
        "Ich arbeite bei Kerzenlicht",
        "Ich heiße Sie willkommen",
    ],
)
def test_no_other_reader_finds_in_a_quotation_what_is_not_told(said: str) -> None:
    assert slots_of(f'The user said: "{said}"') == ()


@pytest.mark.parametrize(
    ("said", "of_user", "of_another"),
    [
        ("J'habite à Lyon.", "Où est-ce que j'habite ?", "Où habite ma soeur ?"),
        ("Vivo en Madrid.", "¿Dónde vivo?", "¿En qué ciudad vive mi hermana?"),
        ("Ich wohne in Berlin.", "Wo wohne ich?", "In welcher Stadt wohnt mein Bruder?"),
        ("Abito a Roma.", "Dove abito?", "In che città abita mia sorella?"),
        ("Moro em Lisboa.", "Onde moro?", "Em que cidade mora minha irmã?"),
        ("我住在北京。", "我住在哪里？", "我妹妹住在哪里？"),
        ("東京に住んでいます。", "私はどこに住んでいますか？", "妹はどこに住んでいますか？"),
    ],
)
def test_a_question_about_somebody_else_asks_for_no_line_of_the_user(said: str, of_user: str, of_another: str) -> None:
    book = Book([Fact("f", "user", f'The user said: "{said}"', MONDAY, MONDAY, kind="identity")])
    assert [line.values for line in book.lines(of_user)] != []
    assert book.lines(of_another) == []
