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
# Of a thing or an animal of the speaker; what follows without a subject is told of it.
_ZH_THING = regex(
    r"^[^我]{0,4}我(?:们|們)?(?:的|家的?)(?!名字|职业|工作|手机|电话|號碼|号码|新|生日|老家|家乡|故乡|年龄|住)(?!$)"
)
_ZH_UNREAL = regex(
    "也许|也許|可能|以前|从前|從前|曾经|曾經|小时候|小時候|梦见|夢見|梦到|差点|考虑|考慮|想要?搬|打算"
    "|希望|差一点|过去|要不要"
)
_ZH_ASKS = regex("[?？吗嗎呢][。]?$|什么|什麼|哪里|哪裡|哪儿|多少|谁|誰|怎么")
# What stands in front of a statement in its clause: nobody but the speaker, and when it began to hold.
_ZH_WHEN = (
    "现在|目前|如今|就|一直|已经|最近|今年|去年|上周|上个?月|昨天|前天|刚刚?|其实|从小|也|还|都"
    "|[0-9一二三四五六七八九十]{1,2}月|开始|起"
)
_ZH_LEAD = rf"^(?:而且|但是?|所以|因为)?(?:{_ZH_WHEN})*(?:我们?家?|我們|咱们?|本人)?(?:{_ZH_WHEN})*"
_ZH_PLACE = (
    rf"(?P<v>(?!了|这|那|一|家|哪|学校|公司|朋友|附近|乡下|城里|酒店|宾馆|旅馆|民宿|宿舍|公寓|医院)[{_HAN}A-Za-z]{{2,10}}?"
    r"(?<![店馆寓舍楼房里边家院上下]))(?=了?(?:已经|[0-9一二三四五六七八九十两]+年)|[了啦]?$|工作|和我|跟我)"
)
_ZH_JOB = (
    rf"(?:(?![的好坏男女])[{_HAN}]){{0,5}}(?:工程师|设计师|教师|老师|律师|医师|厨师|会计师|摄影师|理发师|药剂师|建筑师"
    "|分析师|咨询师|营养师|美容师|程序员|公务员|服务员|售货员|销售员|飞行员|运动员|演员|研究员|管理员|快递员|驾驶员|消防员"
    "|教员|警察|军人|医生|学生(?!家长)|研究生|实习生|博士生|作家|画家|科学家|企业家|音乐家|艺术家|歌手|经理|会计|司机|护士"
    "|记者|编辑|翻译|导演|农民|教授|校长|秘书|电工|木工|保姆|店长)"
)
_ZH_LANDS = (
    "中国|美国|英国|法国|德国|日本|韩国|意大利|西班牙|葡萄牙|荷兰|瑞士|加拿大|澳大利亚|俄罗斯|印度|泰国|越南|新加坡|马来西亚"
    "|香港|台湾|澳门|北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南"
    "|四川|贵州|云南|陕西|甘肃|青海|内蒙古?|广西|西藏|宁夏|新疆|广州|深圳|成都|武汉|西安|南京|杭州|苏州|青岛|大连|沈阳"
    "|哈尔滨|长沙|郑州|济南|厦门|福州|昆明|东北|四川成都"
)
# A firm, not the place where somebody happens to work: a suffix, Latin letters, or a name that is known.
_ZH_FIRM = (
    rf"(?:(?![这那一])[{_HAN}A-Za-z]{{2,10}}(?:公司|银行|大学|医院|集团|中学|小学|科技|研究所|研究院|工厂|报社|出版社|事务所)"
    "|[A-Z][A-Za-z]+|华为|腾讯|阿里巴巴|阿里|百度|字节跳动|小米|京东|美团|网易|滴滴|拼多多|微软|谷歌|苹果|西门子|大众|特斯拉|比亚迪)"
)
_ZH_ALLERGEN = rf"(?P<v>(?!.*[这那你他她它您谁什人事]|自己|一切|所有|任何|工作|生活|上班)[{_HAN}A-Za-z]{{1,8}}?)"
_ZH_ROWS: tuple[tuple[str, bool, str], ...] = (
    ("name", False, rf"我(?:的名字)?(?:是叫|叫做|叫|的名字是)"
     rf"(?P<v>(?!外卖|滴滴|出租|救护)(?:(?![了你他她它这那什过来去妈爸爷奶哥姐弟妹帮起做吃])[{_HAN}]){{2,4}}"
     rf"|[A-Z][a-z]+)$"),
    ("name", False, rf"^(?:大家好|你好)?我姓[{_HAN}]名(?P<v>[{_HAN}]{{1,2}})$"),
    ("age", False, rf"{_ZH_LEAD}(?:就要)?满?(?P<v>[1-9][0-9]?)[岁歲]了?$"),
    ("home", False, rf"{_ZH_LEAD}(?:住在|定居在?|搬到|搬去|搬来|搬家到)了?{_ZH_PLACE}"),
    ("home", False, rf"{_ZH_LEAD}(?P<no>不再住在|不住在)(?P<v>[{_HAN}A-Za-z]{{2,10}}?)了$"),
    ("occupation", False, rf"{_ZH_LEAD}(?:是|做|当|成为|担任)了?(?:一?[名个位])?(?P<v>{_ZH_JOB})$"),
    ("occupation", False, rf"{_ZH_LEAD}在[{_HAN}A-Za-z]{{2,10}}?(?:做|当)(?:一?[名个位])?(?P<v>{_ZH_JOB})$"),
    ("occupation", False, rf"^(?:我的)?(?:职业|工作)是(?:一?[名个位])?(?P<v>{_ZH_JOB})$"),
    ("employer", False, rf"{_ZH_LEAD}在(?P<v>{_ZH_FIRM})(?:上班|工作|任职|(?:做|当)(?:一?[名个位])?{_ZH_JOB})了?$"),
    ("employer", False, rf"{_ZH_LEAD}从(?P<v>[{_HAN}A-Za-z]{{2,10}}?)(?P<no>辞职|离职|離職|辭職)"),
    ("employer", False, rf"{_ZH_LEAD}(?P<no>不再在|不在)(?P<v>{_ZH_FIRM})(?:上班|工作|任职)了$"),
    ("origin", False, rf"(?:老家|家乡|故乡)(?:是|在)(?P<v>[{_HAN}]{{2,8}}?)的?$|(?:来自|來自)(?P<w>[{_HAN}]{{2,8}})$"),
    ("origin", False, rf"^我们?是(?P<v>(?:{_ZH_LANDS})|[{_HAN}]{{2,4}}[省市县])人$"),
    ("allergy", True, rf"{_ZH_LEAD}(?:对|對){_ZH_ALLERGEN}(?:严重)?(?:过敏|過敏)$"),
    ("allergy", True, rf"{_ZH_LEAD}(?:对|對){_ZH_ALLERGEN}(?:已经)?(?P<no>不再过敏了?|不过敏了)$"),
    ("diet", False, "(?:我|我们|现在|开始)?(?:是)?(?P<no>不是|不再是)?(?P<v>素食主义者|素食者|纯素食者)$|(?:我"
     "|现在|一直|开始)(?P<w>吃素)"),
    ("food", True, rf"(?:我|现在|已经)(?P<no>不吃|不再吃|从来不吃)(?P<v>[{_HAN}]{{1,6}}?)(?:了|$)"),
    ("food", True, rf"(?:又|重新)(?:开始)?吃(?P<v>[{_HAN}]{{1,6}}?)了$"),
    ("diet", False, "(?:又|重新)(?:开始)?(?P<v>吃[肉鱼])了$"),
    ("habit", True, rf"(?:我|现在|已经)(?P<no>不喝|不再喝|不抽|戒)(?P<v>[{_HAN}]{{1,6}}?)(?:了|$)"),
    ("pet", True, rf"(?P<n>[猫貓狗犬兔鸟龟马]|仓鼠|鹦鹉|兔子)(?:叫|名字叫|名叫|的名字叫?是?)"
     rf"(?P<v>(?!了|声|个不停|着|得|起来)[{_HAN}A-Za-z]{{2,4}}|[A-Z][a-z]+)$"),
    ("phone", False, rf"^(?:我的?)?(?:新的?|现在的?)?"
     rf"(?:手机号?|电话|新号码?|号码|手機號?|電話)(?:码)?(?:是|：|:|改成了?|换成了?)? ?{_DIGITS}"),
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
# What stands in front of a place in its clause: the speaker, when, and with whom.
_JA_LEAD = (
    rf"^(?:(?:{_JA_SELF})(?:は|も)|(?:今|現在|最近|実|普段)は?|ちなみに|それと|あと|(?:先週|先月|去年|昨年|昨日|今月|今年"
    r"|[0-9]{1,2}月|[0-9]{1,2}年前)(?:から|に)?|(?:家族|妻|夫|両親|彼女|彼氏|友達|子供|子ども|娘|息子|犬|猫)(?:と|と一緒に)"
    rf"|(?:一人|ひとり|二人|ふたり|三人|四人)で|(?![来明今])[{_HAN}ァ-ヶー]{{2,6}}から|、)*"
)
_JA_PLACE = (
    r"(?P<v>(?!ここ|そこ|実家|一人|家|近く|田舎|都会|海外|マンション|アパート|ホテル|シェアハウス|団地|社宅|一軒家"
    rf"|[来今先去昨毎][年月週日]|[夏冬春秋])(?:[{_HAN}ァ-ヶー]{{2,8}}|つくば|さいたま|いわき|[A-Z][A-Za-z]{{2,12}})(?<![寮]))"
)
_JA_JOB = (
    r"(?:(?:ソフトウェア|システム|ウェブ|Web|IT|AI|グラフィック|データ|機械|小学校の?|中学校の?|高校の?|大学の?|電気|フリーの?)?"
    r"(?:エンジニア|プログラマー|デザイナー|ライター|カメラマン|看護師|医師|医者|教師|先生|教員|弁護士|会計士|税理士|美容師"
    r"|調理師|料理人|シェフ|コック|会社員|公務員|大学院生|大学生|高校生|学生|主婦|主夫|フリーター|銀行員|店員|販売員|警察官|消防士"
    r"|保育士|介護士|薬剤師|獣医師?|歯科医師?|歯医者|研究者|作家|漫画家|画家|歌手|俳優|運転手|翻訳家|通訳|編集者|記者|建築家"
    r"|建築士|農家|大工|パイロット|助産師|教授|理学療法士|コンサルタント|マネージャー|アナウンサー|イラストレーター|トレーナー"
    r"|インストラクター|営業マン?))"
)
_JA_ROWS: tuple[tuple[str, bool, str], ...] = (
    ("name", False, rf"(?:(?:{_JA_SELF})(?:の名前)?は|名前は|^)(?P<v>[{_HAN}{_KANA}A-Za-z]{{2,8}}?)(?:と申します"
     rf"|といいます|と言います)"),
    ("name", False, rf"(?:{_JA_SELF})の名前は(?P<v>[{_HAN}{_KANA}A-Za-z]{{2,8}}?)です"
     rf"|^名前は(?P<w>[{_HAN}{_KANA}A-Za-z]{{2,8}}?)です"),
    ("home", False, rf"(?:^|は)(?P<v>[{_HAN}{_KANA}]{{2,8}}?)在住(?:です|の)"),
    ("occupation", False, rf"^(?:(?:{_JA_SELF})は)?(?P<v>{_JA_JOB})です"),
    ("age", False, r"(?:^|は|が|で)(?P<v>[1-9][0-9]?)[歳才](?:です|の(?!時|とき|頃|ころ)|$|で|になりました)"),
    ("home", False, rf"{_JA_LEAD}{_JA_PLACE}に(?:住んで(?:い(?:て|ます|る)|ます|る|$)|暮らして)"),
    ("home", False, rf"{_JA_LEAD}{_JA_PLACE}[にへ](?:引っ越し|引越し|転居)(?:てきまし|まし)?た"),
    ("home", False, rf"^もう{_JA_LEAD[1:]}{_JA_PLACE}に(?P<no>は?住んで(?:いません|いない|ません|ない))"),
    ("occupation", False, rf"(?:仕事|職業)は(?P<v>{_JA_JOB})です|(?:歳|才)の(?P<w>{_JA_JOB})です"),
    ("occupation", False, rf"(?P<v>{_JA_JOB})(?:をして(?:い?ます|いる)|として働いて)"),
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
    ("pet", True, rf"(?P<n>猫|犬|うさぎ|ハムスター|鳥)(?:の|を飼っていて名前は|の名前は)"
     rf"(?P<v>[ァ-ヶー{_HAN}]{{1,8}}|[ぁ-ん]{{2,6}})(?:と(?:い|暮ら|住)|です|$)"),
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
        is_own, is_of_thing = True, False
        for clause in filter(None, _CLAUSES.split(_NAMED_PET.sub("", sentence))):
            if other.search(clause) is not None:
                is_own = False
            elif own.search(clause) is not None:
                is_own, is_of_thing = True, not japanese and _ZH_THING.search(clause) is not None
            elif is_of_thing:
                continue
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
