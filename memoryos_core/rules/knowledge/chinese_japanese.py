"""Read what a sentence in Chinese or Japanese tells of its speaker, who is often not named in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryos_core.rules.text.words import regex

_Told = tuple[str, str, bool, bool]
_HAN, _KANA = "\u3400-\u9fff\u3005", "\u3040-\u30ff"
_WORD = rf"[{_HAN}{_KANA}A-Za-z0-9·・ー]"
_IS_JAPANESE, _IS_EITHER = regex(f"[{_KANA}]"), regex(f"[{_HAN}{_KANA}]")
_SENTENCES = regex(r"(?<=[。！？!?\n])")
_CLAUSES = regex(r"[，,、；;。！!]+")
_DIGITS = r"(?P<v>\+?\d[\d ()-]{4,20}\d)"

# ------------------------------------------------------------------------------------------------ Chinese

_ZH_KIN = (
    "妻子|丈夫|老婆|老公|太太|先生|儿子|兒子|女儿|女兒|孩子|妈妈?|媽媽?|爸爸?|母亲|父亲|父母|姐姐?|妹妹?|哥哥?|弟弟?"
    "|朋友|女朋友|男朋友|女友|男友|同事|同学|同學|老板|老闆|上司|室友|邻居|鄰居|奶奶|爷爷|外婆|外公|叔叔|阿姨"
    "|表[姐妹哥弟]"
    "|亲戚|家人|客户|老师|老師"
)
_ZH_OWN = regex(rf"^(?:[^我]{{0,8}})(?:我|我们|我們|咱们?)(?!的?(?:{_ZH_KIN}))")
_ZH_OTHER = regex(
    rf"^(?:[^我]{{0,4}})我们?的?(?:{_ZH_KIN})|^(?:但是?|而|不过)?(?:他|她|它|他们|她们|你|您|{_ZH_KIN})"
    rf"|^(?:小|老|阿)[{_HAN}](?=[在是住的把有叫也])"
)
# What is supposed reaches to the end of the sentence.
_SUPPOSED = regex("如果|要是|假如|假设|假設|もし|想象一下|假装")
_ZH_UNREAL = regex(
    "也许|也許|可能|以前|从前|從前|曾经|曾經|小时候|小時候|梦见|夢見|梦到|差点|考虑|考慮|想要?搬|打算"
    "|希望|差一点|过去|要不要"
)
_ZH_ASKS = regex("[?？吗嗎呢][。]?$|什么|什麼|哪里|哪裡|哪儿|多少|谁|誰|怎么")
_ZH_PLACE = rf"(?P<v>(?!了|这|那|一|家|哪|学校|公司)[{_HAN}A-Za-z]{{2,10}}?)(?=[了的工上做已很啦]|$|和|跟|，|有|当)"
_ZH_ROWS: tuple[tuple[str, bool, str], ...] = (
    ("name", False, rf"我(?:的名字)?(?:是叫|叫做|叫|的名字是)(?P<v>(?:(?![了你他她它这那什过来去])[{_HAN}]){{2,4}}"
     rf"|[A-Z][a-z]+)$"),
    ("name", False, rf"^(?:大家好|你好)?我姓[{_HAN}]名(?P<v>[{_HAN}]{{1,2}})$"),
    ("age", False, "(?:今年|我|已经|现在)(?:刚|已经)?满?(?P<v>[1-9][0-9]?)[岁歲]"),
    ("home", False, rf"(?:现在|目前|一直|就)?(?<!不再)(?<!不)(?:住在|定居在?)(?:了)?{_ZH_PLACE}"),
    ("home", False, rf"(?:搬到|搬去|搬来|搬家到)了?{_ZH_PLACE}(?=了|$|啦)"),
    ("occupation", False, rf"(?:是|做|当|成为|担任)(?:了)?(?:一?[名个位])(?P<v>[{_HAN}]{{2,10}})$"),
    ("occupation", False, rf"(?:在[{_HAN}A-Za-z]{{2,10}}?)(?:做|当)(?:一?[名个位])?(?P<v>[{_HAN}]{{2,8}}?(?:师|员|生"
     rf"|家|工|手|人"
     rf"|理|长|者|医|护士|司机|老师))$"),
    ("occupation", False, rf"(?:我的)?(?:职业|工作)是(?:一?[名个位])?(?P<v>[{_HAN}]{{2,8}})$"),
    ("occupation", False, "^我是(?:一?[名个位])?(?P<v>(?:大?学生|研究生|公务员|程序员|会计|司机|警察|军人|护士|医生"
     "|律师|记者|作家|画家"
     "|[\u4e00-\u9fff]{0,4}(?:老师|教师|工程师|设计师|厨师)))$"),
    ("employer", False, rf"在(?P<v>(?!家|外|学校|这|那|一)[{_HAN}A-Za-z]{{2,12}}?)(?:上班|工作|做(?=[{_HAN}]{{2,8}}?"
     rf"(?:师|员|生"
     rf"|理))|任职)"),
    ("employer", False, rf"从(?P<v>[{_HAN}A-Za-z]{{2,10}}?)(?P<no>辞职|离职|離職|辭職)"),
    ("origin", False, rf"(?:老家|家乡|故乡)(?:是|在)(?P<v>[{_HAN}]{{2,8}}?)的?$|(?:来自|來自)(?P<w>[{_HAN}]{{2,8}})$"),
    ("origin", False, rf"^我(?:们)?是(?P<v>[{_HAN}]{{2,6}})人$"),
    ("allergy", True, rf"对(?P<v>[{_HAN}A-Za-z]{{1,8}}?)(?:严重)?过敏|對(?P<w>[{_HAN}A-Za-z]{{1,8}}?)過敏"),
    ("diet", False, "(?:我|我们|现在|开始)?(?:是)?(?P<no>不是|不再是)?(?P<v>素食主义者|素食者|纯素食者)$|(?:我"
     "|现在|一直|开始)(?P<w>吃素)"),
    ("food", True, rf"(?:我|现在|已经)(?P<no>不吃|不再吃|从来不吃)(?P<v>[{_HAN}]{{1,6}}?)(?:了|$)"),
    ("food", True, rf"(?:又|重新)(?:开始)?吃(?P<v>[{_HAN}]{{1,6}}?)了$"),
    ("diet", False, "(?:又|重新)(?:开始)?(?P<v>吃[肉鱼])了$"),
    ("habit", True, rf"(?:我|现在|已经)(?P<no>不喝|不再喝|不抽|戒)(?P<v>[{_HAN}]{{1,6}}?)(?:了|$)"),
    ("pet", True, rf"(?P<n>[猫貓狗犬兔鸟龟马]|仓鼠|鹦鹉|兔子)(?:叫|名字叫|名叫|的名字叫?是?)"
     rf"(?P<v>[{_HAN}A-Za-z]{{1,8}})$"),
    ("phone", False, rf"(?:手机号?|电话|新号码?|号码|手機號?|電話)(?:码)?(?:是|：|:|改成了?|换成了?)? ?{_DIGITS}"),
    ("birthday", False, "生日是?(?:在)?(?P<v>[0-9]{1,2}月[0-9]{1,2}[日号]?)|我(?:出生)?(?:于|是)?(?P<w>"
     "(?:[0-9]{4}年)?[0-9]{1,2}月[0-9]{1,2}[日号])(?:出?生)"),
    ("relationship", False, "我(?:现在)?(?:是)?(?P<v>单身|已婚|离婚了|结婚了|订婚了)$"),
    ("favourite {}", False, rf"我?最(?:喜欢|爱|喜愛)(?:吃|喝|看|听)?的(?P<n>[{_HAN}]{{1,4}})是"
     rf"(?P<v>[^，,。！!]{{1,20}})"),
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ Japanese

_JA_SELF = "私|僕|俺|わたし|ぼく|おれ|自分|うち|私たち|僕たち"
_JA_OWN_TOPIC = (
    rf"(?:(?:{_JA_SELF})の)?(?:名前|出身地?|仕事|職業|趣味|誕生日|電話番号|新しい電話番号|新しい番号|携帯の?番号"
    rf"|年齢|歳|住まい"
    "|家|住所|勤務先|会社|職場|好きな[^はが]{1,8}|一番好きな[^はが]{1,8}|今|現在|最近|今年|コーヒー|お酒|肉|魚)"
)
_JA_OWN = regex(
    rf"^(?:それと|あと|ちなみに|実は|もう|今は|現在は)?(?:(?:{_JA_SELF})(?:は|も|が)|{_JA_OWN_TOPIC}[はもが])"
)
_JA_OTHER = regex(
    r"^[^はがも]{0,12}(?:さん|くん|君|ちゃん|氏|先輩|先生|彼女?|妻|夫|嫁|旦那|主人|息子|娘|母|父|親|両親|姉|妹|兄|弟"
    r"|友達|友人"
    r"|同僚|上司|部下|祖母|祖父|おばあ|おじい|いとこ|隣)[^はがも]{0,6}[はがも]"
)
_JA_GREETED = regex(
    rf"(?:はじめまして|初めまして)[、。！!\s]{{1,3}}(?P<v>[{_HAN}{_KANA}]{{2,10}}?)(?:です|と申します)(?=[。！!\s]|$)"
)
_JA_UNREAL = regex(
    "たら|なら|かもしれ|昔|以前|かつて|子供の頃|子どもの頃|考えて|つもり|予定|したい|しようか|夢で|いました|てた|したら"
)
_JA_ASKS = regex("[?？]$|か。?$|の？$|ですか|ますか")
_JA_PLACE = rf"(?P<v>(?!ここ|そこ|実家|一人|家)(?:(?!から)[{_HAN}{_KANA}A-Za-z]){{2,10}}?)"
_JA_ROWS: tuple[tuple[str, bool, str], ...] = (
    ("name", False, rf"(?:(?:{_JA_SELF})(?:の名前)?は|名前は|^)(?P<v>[{_HAN}{_KANA}A-Za-z]{{2,8}}?)(?:と申します"
     rf"|といいます|と言います)"),
    ("name", False, rf"(?:{_JA_SELF})の名前は(?P<v>[{_HAN}{_KANA}A-Za-z]{{2,8}}?)です"
     rf"|^名前は(?P<w>[{_HAN}{_KANA}A-Za-z]{{2,8}}?)です"),
    ("home", False, rf"(?:^|は)(?P<v>[{_HAN}{_KANA}]{{2,8}}?)在住(?:です|の)"),
    ("occupation", False, "^(?:私は|僕は|俺は)?(?P<v>大学生|学生|会社員|主婦|公務員|看護師|教師|医者|医師|弁護士"
     "|フリーター)です"),
    ("age", False, r"(?:^|は|が|で)(?P<v>[1-9][0-9]?)[歳才](?:です|の(?!時|とき|頃|ころ)|$|で|になりました)"),
    ("home", False, rf"(?:^|は|、|今|から){_JA_PLACE}に(?:住んで(?:い(?:て|ます|る)|ます|る|$)|暮らして)"),
    ("home", False, rf"(?:^|は|、|先週|先月|去年|昨日|今月|今年|から|に){_JA_PLACE}[にへ](?:引っ越し|引越し|転居)"
     "(?:てきまし|まし)?た"),
    ("occupation", False, rf"(?:仕事|職業)は(?P<v>[{_HAN}{_KANA}]{{2,12}}?)です|(?:歳|才)の"
     rf"(?P<w>[{_HAN}{_KANA}]{{2,10}}?)です"),
    ("occupation", False, rf"(?P<v>[{_HAN}]{{1,6}}|[ァ-ヶー]{{3,12}})(?:をして(?:い?ます|いる)|として働いて)"),
    ("occupation", False, rf"^(?:{_JA_SELF})は(?P<v>(?:[{_HAN}]{{1,5}}[師員者家生士]|[ァ-ヶー]{{3,10}}(?:ナー|ニア"
     rf"|ラー|マー|ター|スト)))です"),
    ("employer", False, rf"(?:^|は|、|から)(?P<v>(?!家|ここ|在宅|リモート)[{_HAN}ァ-ヶーA-Za-z]{{2,14}}?)(?:で"
     rf"(?:[{_HAN}ァ-ヶー]{{2,12}}(?:をして|として))?(?:働|勤務|エンジニアをして)|に勤めて|に転職し)"),
    ("employer", False, rf"^(?P<v>[{_HAN}ァ-ヶーA-Za-z]{{2,14}}?)を(?P<no>辞め|退職)"),
    ("origin", False, rf"出身[地]?は(?P<v>[{_HAN}{_KANA}]{{2,8}}?)です|(?:^|は)(?P<w>[{_HAN}]{{2,6}})(?:の)?出身です"),
    ("allergy", True, rf"(?:^|は|に)(?P<v>[{_HAN}{_KANA}]{{1,8}}?)(?:の)?アレルギー(?:があ|です|持ち|なので|が)"),
    ("diet", False, "(?P<v>ベジタリアン|ヴィーガン|ビーガン|菜食主義者?)(?:です|になり|なので|$)"),
    ("food", True, rf"(?P<v>[{_HAN}{_KANA}]{{1,6}}?)は(?P<no>食べません|食べられません|食べない)|また"
     rf"(?P<w>[{_HAN}{_KANA}]{{1,6}}?)を食べる"),
    ("diet", False, "(?P<v>また[肉魚]を食べる)"),
    ("habit", True, rf"(?:もう)?(?P<v>[{_HAN}ァ-ヶー]{{1,8}}|お酒|お茶)は(?P<no>飲まな|飲みません|やめ)"),
    ("pet", True, rf"(?P<n>猫|犬|うさぎ|ハムスター|鳥)(?:の|を飼っていて名前は|の名前は|は)"
     rf"(?P<v>[ァ-ヶー{_HAN}]{{1,8}}|[ぁ-ん]{{2,6}})(?:と(?:い"
     rf"|暮ら|住)|です|$)"),
    ("pet", True, rf"(?P<n>猫|犬|うさぎ|ハムスター|鳥)を飼っていて、?名前は(?P<v>[{_HAN}{_KANA}]{{1,8}}?)です"),
    ("phone", False, rf"(?:電話番号|携帯の?番号|番号)は? ?{_DIGITS}"),
    ("birthday", False, "誕生日は(?P<v>[0-9]{1,2}月[0-9]{1,2}日)"),
    ("relationship", False, "(?P<v>独身|既婚|バツイチ)(?:です|$)"),
    ("favourite {}", False, rf"(?:一番)?好きな(?P<n>[{_HAN}{_KANA}]{{1,6}}?)は(?P<v>[^、。]{{1,20}}?)(?:です|だ|$)"),
)  # fmt: skip

_DENIED = regex("[不没沒]|(?:ない|ません|なかった)")
_BEHIND = 6  # letters behind what is told in which Japanese denies it
_NAMED_PET = regex("(?<=飼っていて)、(?=名前は)")  # the name is the pet's
_Rows = tuple[tuple[str, bool, re.Pattern[str]], ...]


def _compile(rows: tuple[tuple[str, bool, str], ...]) -> _Rows:
    return tuple((attribute, many, regex(form)) for attribute, many, form in rows)


_ZH, _JA = _compile(_ZH_ROWS), _compile(_JA_ROWS)


def is_written_in(text: str) -> bool:
    """Return whether a text holds Chinese or Japanese letters."""
    return _IS_EITHER.search(text) is not None


def told_of_self(text: str) -> tuple[_Told, ...]:
    """Return what the sentences of a text tell of the speaker; see `other_languages.told_of_self`."""
    japanese = _IS_JAPANESE.search(text) is not None
    rows, own, other = (_JA, _JA_OWN, _JA_OTHER) if japanese else (_ZH, _ZH_OWN, _ZH_OTHER)
    unreal, asks = (_JA_UNREAL, _JA_ASKS) if japanese else (_ZH_UNREAL, _ZH_ASKS)
    greeted = _JA_GREETED.search(text)
    found = {("called", greeted["v"], False, False): None} if greeted is not None else dict[_Told, None]()
    for sentence in filter(None, _SENTENCES.split(text)):
        if asks.search(sentence.strip()) or _SUPPOSED.search(sentence):
            continue
        is_own = True
        for clause in filter(None, _CLAUSES.split(_NAMED_PET.sub("", sentence))):
            if other.search(clause) is not None:
                is_own = False
            elif own.search(clause) is not None:
                is_own = True
            if is_own and unreal.search(clause) is None:
                found.update(dict.fromkeys(_told_in(clause, rows)))
    return tuple(found)


def _told_in(clause: str, rows: _Rows) -> Iterator[_Told]:
    for attribute, many, pattern in rows:
        found = pattern.search(clause)
        if found is None:
            continue
        groups = found.groupdict()
        if not groups.get("no") and _DENIED.search(clause[: found.end() + _BEHIND]) is not None:
            continue
        value, named = groups["v"] or groups.get("w"), groups.get("n") or ""
        if value:
            told = f"{named} {value}" if attribute == "pet" else value
            yield attribute.format(named), told, many, groups.get("no") is not None
