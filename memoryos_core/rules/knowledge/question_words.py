"""Words of questions in other languages that ask for an attribute: "wohne" asks for the home."""

from __future__ import annotations

from memoryos_core.rules.text.words import regex, terms

_WORDS = {
    "home": """
        wohne wohn wohnort zuhause adresse stadt umgezogen habite vis ville déménagé vivo ciudad dirección mudé
        abito città moro cidade woon woonplaats 住 住址 住所 地址
    """,
    "occupation": """
        beruf arbeite arbeitest job arbeit métier travaille bosse profession boulot trabajo trabajas profesión dedico
        dedicas lavoro lavori mestiere trabalho profissão werk beroep 工作 职业 職業 仕事
    """,
    "employer": """
        arbeite arbeitest arbeitgeber firma travaille bosse employeur entreprise trabajo trabajas empresa lavoro azienda
        trabalho empresa werk werkgever 上班 公司 工作 働 勤務先 会社
    """,
    "origin": "komme herkunft ursprünglich viens origine originaire procedencia vengo origine venho 老家 家乡 出身",
    "name": "heiße heisse heiß name nom m'appelle llamo nombre chiamo nome chamo heet naam 名字 名前",
    "age": "alt alter âge ans edad años età anni idade anos oud leeftijd 岁 歲 年龄 年齢 歳",
    "birthday": "geburtstag geboren anniversaire né née cumpleaños compleanno aniversário verjaardag 生日 誕生日",
    "diet": "esse ernährung vegetarier vegan mange régime como comer dieta mangio comida eet 吃 饮食 食事 食べ 肉",
    "food": "esse essen mange manger como comer mangio mangiare comer eet 吃 食べ 肉",
    "habit": "trinke trinken rauche bois boire fume bebo beber fumo bevo bere drink 喝 飲 飲み",
    "allergy": "allergisch allergie allergien allergique alérgico alérgica alergia allergico allergia 过敏 過敏 レル",
    "pet": """
        haustier katze kater hund chat chien animal gato perro mascota gatto cane animale cachorro kat hond huisdier
        猫 狗 宠物 犬 ペット
    """,
    "phone": """
        telefonnummer handynummer nummer numéro téléphone portable número teléfono móvil numero telefono telefone
        telefoonnummer 手机 电话 号码 電話 番号 携帯
    """,
    "relationship": "verheiratet single marié mariée célibataire casado casada soltero sposato 结婚 单身 独身",
    "favourite": "lieblings préféré préférée favorito favorita preferido preferida preferito preferita 最喜 喜欢 好き",
}
_CJK = regex("[\u3040-\u30ff\u3400-\u9fff]")


def _terms_of(listed: str) -> frozenset[str]:
    """Return the index terms of a list; of a Chinese or Japanese word only the whole, since a letter is in many."""
    found: set[str] = set()
    for word in listed.split():
        found.update((word,) if _CJK.search(word) else terms(word))
    return frozenset(found)


ASKING = {attribute: _terms_of(listed) for attribute, listed in _WORDS.items()}
"""The index terms of the words that ask for each attribute."""
