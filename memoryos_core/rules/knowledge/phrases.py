"""The phrases that state something of a person: everyday English, learnt English, German, French and Spanish.

They have the form of the table of `patterns`: first words, the pattern behind them, the attribute, and whether several
values hold at once. Statements are written with full verb forms first, so that one pattern reads "she's a nurse" and
"she is a nurse".
"""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge import heads
from memoryos_core.rules.knowledge.domains import LONGEST
from memoryos_core.rules.knowledge.drugs import DOSE, DOSED, DRUG, DRUG_ALONE, DRUG_TAKEN
from memoryos_core.rules.knowledge.heads import ANIMAL, COUNTED, IS_AMOUNT, IS_CAR, MINE_IS_NOW, SOME_TRADE
from memoryos_core.rules.text.spelling import Replacement, replace_each
from memoryos_core.rules.text.words import regex

__all__ = [
    "ANIMAL",
    "DOES_STUDY",
    "EVERYDAY",
    "FOR_KIN",
    "FOR_OTHERS",
    "KIN",
    "MY",
    "NOUN_ATTRIBUTES",
    "NO_AGE",
    "NO_ALLERGEN",
    "NO_STAY",
    "OTHER_LANGUAGES",
    "PRESCRIBED",
    "normalise",
]

KIN = (
    r"(?:(?:(?:mother|father|sister|brother|son|daughter)s?-in-law)"
    r"|(?:step|grand|great-grand|half-|foster )?(?:mother|father|sister|brother|son|daughter|parents?|child(?:ren)?)"
    r"|(?:older|younger|big|little|twin|eldest|oldest|youngest) (?:sister|brother|son|daughter|child)"
    r"|(?:eldest|youngest)(?! (?:sister|brother|son|daughter|child|kid)\b)|twins"
    r"|mum|mom|dad|grandma|grandpa|gran|kid|kids|sons|daughters|sisters|brothers|aunt|uncle|cousin|niece|nephew"
    r"|wife|missus|husband|hubby|partner|girlfriend|boyfriend|fianc[eé]e?|spouse|ex|in-laws|family"
    r"|(?:best )?(?:friend|mate)|friends|(?:room|flat|house) ?mate|neighbou?r|colleague|co-?worker|co-?founder|boss"
    r"|manager|mentor|teacher|coach|landlord|landlady|godmother|godfather|goddaughter|godson)"
)
_OF_PERSON = rf"he|she|{KIN}|cat|dog|puppy|kitten|(?-i:[A-ZÀ-Þ][\w-]+)"
_PARTICIPLES = (
    r"(?:(?:just|now|finally|also|recently|already) )?(?:got|been|taken|found|left|lost|quit|moved|joined|started"
    r"|become|gone|thrown|given|packed|bought|sold|finished|given|had|passed|broken|switched|decided|accepted|adopted"
    r"|split|stopped|begun|changed)"
)
_NO_ILLNESS = (
    r"(?:review|clinic|appointment|appt|check|check-?up|nurse|test|exam|screening|scan|doctor|specialist|team|society"
    r"|group|meeting|cookbook|recipe|menu|meal|food|diet|plan|kit|pump|restaurant|caf[eé]|shop|cake|bread|colleague"
    r"|friend|neighbou?r|brother|sister|mother|father|mum|mom|dad|son|daughter|wife|husband|partner|cat|dog|name|life"
    r"|phase|course|supplie)"
)
_IS_SO = (
    r"(?:an?|the|not|now|called|named|in|at|on(?! (?:\w+days?|the)\b)|only|already|still|just|also|really|allergic|\d+"
    # Not a "diabetic review", nor a "vegan cookbook".
    r"|(?:co?eliac|diabetic|asthmatic|epileptic|vegan|vegetarian|pregnant|engaged|married|divorced|retired|unemployed)"
    rf"(?! (?:[\w-]+ )?{_NO_ILLNESS}s?\b| (?!(?:which|that|who|and|but|so|it|he|she|they|though|as)\b)[\w-]+"
    r" (?:is|was|are|were|has|will)\b))"
)
_NO_SHOP = r"(?<!\bat )(?<!\bst )(?<!\bfor )(?<!\bto )(?<!\bfrom )"  # "at McDonald's in Leeds", "St Hilda's on Sundays"
_CONTRACTIONS: tuple[Replacement, ...] = tuple(
    (mark, regex(pattern, re.IGNORECASE), text)
    for mark, pattern, text in (
        ("'m", r"\b(I)'m\b", r"\1 am"),
        ("'re", r"\b(we|they|you)'re\b", r"\1 are"),
        ("'s been", r"(?<=\w)'s been\b", " has been"),
        ("'s ", rf"\b({_OF_PERSON})'s (?={_PARTICIPLES}\b)", r"\1 has "),
        ("'s", r"\b(he|she|it|that|there|what)'s\b(?! own)", r"\1 is"),
        ("'s ", rf"\b({COUNTED})'s (?={IS_AMOUNT})", r"\1 is "),
        ("'s ", MINE_IS_NOW, r"\1 is "),
        # Nobody owns "a nurse", "in Leeds" or "not well": "my sister's a nurse".
        ("'s ", rf"{_NO_SHOP}\b({_OF_PERSON})'s (?={_IS_SO}\b)", r"\1 is "),
        ("'ve", r"\b(I|we|they|you)'ve\b", r"\1 have"),
        ("'ll", r"\b(I|we|they|you|he|she|it)'ll\b", r"\1 will"),
        ("'d", r"\b(I|we|they|you|he|she|it)'d\b", r"\1 would"),
        ("can", rf"\bcan(?:'t|not| not) (?:have|touch) (?={heads.ALLERGEN})", "can not eat "),
        ("can", r"\bcan't\b|\bcannot\b", "can not"),
        ("won't", r"\bwon't\b", "will not"),
        ("n't", r"n't\b", " not"),
    )
)

# "On Thursdays Ann sings", "In July Ann will go": the day is no part of the name.
_DAY_OF = regex(
    r"\b((?:[Oo]n|[Ii]n|[Ll]ast|[Nn]ext|[Ee]very) (?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February"
    r"|March|April|May|June|July|August|September|October|November|December)) (?=[A-ZÀ-Þ])"
)


@lru_cache(maxsize=16_384)
def normalise(text: str) -> str:
    """Return the text with straight apostrophes, full verb forms and one space between words, at a bounded length."""
    out = " ".join(text[:LONGEST].replace("\u2019", "'").split())
    if "'" in out or "nt" in out:
        out = replace_each(out, _CONTRACTIONS)
    return _DAY_OF.sub(r"\1, ", out)


_DWELLING = (
    "(?:flat|house|home|place|apartment|studio|cottage|bungalow|condo|townhouse|duplex|flatshare|maisonette|houseboat)"
)
_ROOM = "(?:bedsit|hall of residence|student hall|student room)"
_MONTH = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn"
    "|winter|fall)"
)
_PLACE = rf"(?P<v>(?!(?i:the|an?|my|her|his|our|their|this|that|time|it|{_MONTH})\b|\d)[^;:!?]{{2,60}})"
NO_STAY = (
    r"(?!.*\b(?:every|each|when|whenever|usually|sometimes|for the (?:night|week|weekend|summer|month|winter)"
    r"|(?:last|this) (?:week|weekend|summer|winter|month|spring|autumn)|until|while|booked|booking|as an investment"
    r"|do up|to (?:eat|record|stay|students)|half term|till|for (?:a|one|two|three|\d+) (?:night|day|week|month)s?"
    r"|to (?:rent|let)|holidays?|airbnb|parents|for (?:my|our|his|her|their|the user's) (?!own|family|work))\b)"
)
# Whom and what one has on a day is no possession: a partner, an interview.
NO_POSSESSION = (
    rf"(?!(?:[\w-]+ ){{0,3}}?(?:{KIN}|interview|appointment|meeting|exam|test|date|call|deadline|presentation|party"
    r"|wedding|question|idea|problem|issue|plan|cold|headache|break|chance|look|feeling|lot|few|bit|good|bad|great)\b)"
)
FOR_KIN = rf"\bfor (?:my|our|his|her|their|the user's|an?) (?:\w+ )?(?!family\b){KIN}\b"
_FOR_ONE = rf" for (?:my|our|the|his|her|their|the user's) (?:\w+ )?(?:{KIN}|{ANIMAL})\b"
_ON = r"(?:(?:(?:still |back |now )*on|taking|to take) )?(?:the |my |an? |some )?"  # of a medicine
# Not a thing that somebody got for a nephew; a cat for one's children lives in the same house.
FOR_OTHERS = (
    r"for (?:my|our|his|her|their|the user's|an?) (?:\w+ )?(?:niece|nephew|neighbou?r|friend|cousin|colleague|boss|aunt"
    r"|uncle|gran\w*|mother|father|mum|mom|dad|parents)"
)
_WORKER = (
    r"(?:lead|manager|teacher|engineer|developer|tester|nurse|driver|designer|analyst|assistant|accountant|programmer"
    r"|waiter|waitress|cook|chef|intern|cleaner|mechanic|electrician|architect|lawyer|doctor|dentist|postie|postman"
    r"|supervisor|consultant|translator|receptionist|plumber|carpenter|builder|baker|hairdresser|librarian"
    r"|rider|picker|packer|fitter|paramedic|pharmacist|photographer|journalist|secretary|technician|welder|trainee"
    r"|apprentice)"
)
_TRADE = (
    r"(?:delivery rider|(?:crane|forklift|machine|camera) operator|stay-at-home (?:mum|mom|dad|parent)|au pair"
    r"|nanny|childminder|housewife|househusband|homemaker|carer|caregiver"
    r"|barista|bartender|barmaid|barman|cop|policeman|policewoman|detective|cleaner|postman|postwoman|postie|fireman"
    r"|firefighter|fisherman|lifeguard|security guard|sales rep|salesman|saleswoman|estate agent|travel agent|banker"
    r"|broker|butcher|welder|roofer|joiner|decorator|landscaper|gardener|lecturer|tutor|teaching assistant|caretaker"
    r"|janitor|courier|cabbie|labourer|miner|sailor|soldier|priest|vicar|pastor|imam|rabbi|monk|nun|GP|doctor|surgeon"
    r"|optician|radiographer|physio|physiotherapist|counsellor|social worker|care worker|youth worker|factory worker"
    r"|warehouse worker|civil servant|freelancer|entrepreneur|CEO|CTO|poet|musician|DJ|beautician|hairdresser|florist"
    r"|seamstress|jeweller|locksmith|plasterer|bricklayer|scaffolder|surveyor|bookkeeper|secretary|cashier"
    r"|flight attendant|stewardess|steward|receptionist|librarian|lawyer|barrister|solicitor|paralegal|dietitian"
    r"|nutritionist|sous chef|tester|postdoc|researcher|notary(?: public)?|magistrate|bookbinder|electrician|undertaker"
    r"|farrier|glazier|upholsterer|call handler|dispatcher|piano tuner|picture framer|beekeeper|stonemason|tiler"
    r"|cobbler|ranger|zookeeper|groomer|childcare worker|chiropractor|osteopath|phlebotomist|auditor|actuary"
    r"|underwriter|recruiter|copywriter|proofreader|interpreter|curator|archivist|conductor|composer|sculptor|potter|milkman"
    r"|fishmonger|grocer|shopkeeper|porter|usher|bouncer|croupier|auctioneer|valuer"
    rf"|{SOME_TRADE})"
)
# "Allergic to paperwork" is said of what somebody would rather not do.
NO_ALLERGEN = (
    r"(?!(?:all |any |most )?(?:(?:paper|house|home|hard )?work|mornings?|mondays?|exercise|effort|people|meetings"
    r"|small talk|nothing|none|housework|bullshit|nonsense|stupidity|drama)\b)"
)
_TENS = (
    r"(?:thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_FEW_TEXT = "two three four five six seven eight nine ten eleven twelve"
# Nothing but the day is said: not "20 next week in the queue".
_ON_A_DAY = (
    rf"(?=(?:on (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)?(?: (?i:{_MONTH}))?|on \w+day"
    rf"|(?:on|in|this|next) (?i:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?|(?:this|next) (?:week|month|year|\w+day)"
    r"|tomorrow)(?:,? \d{4})?(?=$|[.,;:!?(]| (?:\(|(?:and|but|so|if|because|which|when|while|already|too|though)\b)))"
)
NO_AGE = regex(rf"(?:{'|'.join(_FEW_TEXT.split())})$|1[2-9]\d\b|[2-9]\d\d\b")  # "we are five", "I'm 400 years old"
_JOB = r"(?:job|position|post|internship|apprenticeship|traineeship|placement)"
MY = "(?:my|our|his|her|their)"
_BEGINS_ON = (
    r"(?:on (?:\w+day|the \d+\w*|\d+\w* \w+)|next (?:week|month|\w+day)"
    rf"|in (?:(?i:{_MONTH})|\d{{4}})|tomorrow|today)"
)
_HOUSEMATES = (
    rf"{MY} (?:\w+ )?(?:parents|mum|mom|dad|folks|family|sister|brother|gran\w*|girlfriend|boyfriend|partner|wife"
    r"|husband|kids|son|daughter|friends?|mates?|flatmates?|roommates?|in-laws|cousin|uncle|aunt)"
    r"(?:,? (?-i:[A-ZÀ-Þ])[\w'-]+)?"
)
_MODEL = (
    r"(?:Yaris|Golf|Polo|Clio|Corsa|Astra|Octavia|Fabia|Qashqai|Micra|Punto|Aygo|Duster|Sandero|Hilux|Camry|RAV4"
    r"|Forester|Impreza|Sportage|Tacoma|Wrangler|Vivaro|Vespa|Lambretta|Brompton)"
)
_CAR = r"(?:car|van|bike|truck|motorbike|scooter|suv|estate|hatchback|saloon|ute|pick-?up)"

_WEIGHT = r"(?P<v>\d[\d.,]* ?(?:kg|kilos?|lbs?|pounds?|stone))\b"
EVERYDAY: tuple[tuple[str, str, str, bool], ...] = (
    ("am is are", rf"(?:now )?(?:since [\w ]{{3,15}} )?in (?:an?|our|my|the(?= new\b|.* (?:since|now)\b)) (?:(?:new|own"
     r"|small|little|ground[- ]floor|first[- ]floor|top|upstairs|rented|tiny|lovely|wee) )*"
     rf"{_DWELLING} in {NO_STAY}{_PLACE}", "home", False),
    # "In Utrecht now" may be a visit, but not beside "we moved on 21 May".
    ("am is are", r"(?:now |finally |already )*in (?P<v>(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+){0,2})(?: now)?"
     r"[,;.]?(?: and| because| since)?(?: (?:I|we|they|the user))?(?: (?:just|only|finally|have|has))* moved"
     r"(?= (?:here(?! for\b)|there|in|on|at|last|this|yesterday|over|house|home|a|two|three|\d)\b|[.!]?$)",
     "home", False),
    ("am is", rf"(?:all |now |finally )*moved in (?:down |up |over |out )?(?:in|to|at) {_PLACE}", "home", False),
    ("weigh weighs", rf"(?:(?:in|at|about|around|only|just) ){{0,2}}{_WEIGHT}", "weight", False),
    ("weighed", rf"(?:in )?(?:at )?{_WEIGHT}(?= (?:this morning|today|now|just now|yesterday)\b)", "weight", False),
    ("am is", rf"(?:down|up|back) (?:to|at) {_WEIGHT}(?! on\b)", "weight", False),
    ("am is", r"(?:now )?in (?:the )?(?P<v>(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth"
     r"|ninth|tenth) (?:grade|std|standard|form|year)|(?:year|grade|class) \d+)\b(?! of\b)", "grade", False),
    ("moved", rf"(?:back )?in with (?:[\w'-]+,? ){{1,6}}?(?:in|near) {_PLACE}", "home", False),
    # Who has been there since a month ago is on a trip; "in Sales since 2015" is no place.
    ("in", r"(?!(?:Sales|Marketing|Finance|Engineering|Tech|Retail|Education|Therapy|Rehab|Recovery|Business|Mensa"
     r"|Labour|Parliament|Congress|Scouts|Rotary)\b)(?!.*\b(?:travel|trip|tour|backpack|on and off))"
     r"(?P<v>(?-i:[A-ZÀ-Þ])[a-zà-ÿ'-]+(?: (?-i:[A-ZÀ-Þ])[a-zà-ÿ'-]+){0,2}) (?:with [^,.;]{2,30}? )?since"
     r" (?:the New Year|last (?:year|spring|summer|autumn|fall|winter)|(?:19|20)\d\d)\b.*$", "home", False),
    ("stay stays", rf"in an? (?:[\w-]+ ){{0,2}}{_ROOM} in {NO_STAY}{_PLACE}", "home", False),
    ("stay stays", rf"in (?P<v>(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)*) with {MY} {NO_STAY}", "home", False),
    ("bought rented rent rents renting found got took taken take",
     rf"(?:on )?(?:our own|my own|his own|her own|a new|an? (?=[^.;]*\bnow\b)) ?(?!holiday|second|summer|vacation"
     rf"|weekend|hotel)(?:[\w-]+ ){{0,3}}{_DWELLING}"
     rf" (?:at (?-i:[A-ZÀ-Þ])[\w' -]+? )?in {NO_STAY}{_PLACE}", "home", False),
    ("starts", rf"(?:working |work )?(?:a new job |a job )?(?:{_BEGINS_ON} )?as (?:an? |the )?(?P<v>[^;:!?]{{1,120}})",
     "occupation", False),
    ("got found landed have has", rf"(?:got )?(?:an?|the|{MY}) new (?:{_JOB}|role)(?: as|[,:]| [–-]) (?:an? |the )?"
     rf"(?P<v>(?:[a-z-]+ ){{0,2}}{_WORKER})(?=$|[,.;!]| (?:in|at|for(?! (?:{MY}|the user's)\b)|with|from|and|now)\b)",
     "occupation", False),
    ("am is", rf"(?:now |already |currently )?(?P<v>(?:(?!not |no |the |your |my |a |an |their |his |her )[a-z-]+"
        rf" )?{_WORKER}"
     r"(?: of (?:an? )?[a-z]+)?)"
     r"(?=$|[,.]| (?:in|at|for|from|not an?|now|there|here|and|since|these days)\b)(?<! lead)(?<!^lead)",
     "occupation", False),
    ("am is", r"(?:now |already |currently )?(?P<v>(?:test|tech|team|design|project|shift|product|engineering"
        r"|sales) lead)\b",
     "occupation", False),
    ("work works working", rf"like (?:an? )?(?P<v>(?:[a-z-]+ )?{_WORKER}(?: in an? (?:company|firm)[^;:!?]*)?)",
     "occupation", False),
    ("got found landed taken took accepted have has",
     rf"(?:an? |the |{MY} )(?:[\w-]+ ){{0,2}}?{_JOB} (?:at|with) (?!.*{FOR_KIN})(?P<v>[^;:!?]{{1,80}})",
     "employer", False),
    ("started start starts began begin begins",
     rf"(?!.*\b(?:side|part-time|second|weekend|summer|holiday|temp) (?:{_JOB}|role)\b)"
     rf"(?!.* (?:in (?:19|20)\d\d|but)\b)(?:an? |the |{MY} )(?:[\w-]+ ){{0,2}}?(?:{_JOB}|role)"
     rf" (?:at(?! the age)|with(?= (?-i:[A-ZÀ-Þ]))) (?!.*{FOR_KIN})(?P<v>[^;:!?]{{1,80}})", "employer", False),
    ("am is", rf"the (?P<v>(?:head|sous|chief|assistant|deputy|senior|general|night|duty|branch|shop|store|office"
        rf"|project"
     rf"|product|account|resident|school|district|community) {_WORKER})(?= (?:at|of|for|in)\b(?! (?:my|our|their"
     rf"|his|her|fun)\b))", "occupation", False),
    ("am is", rf"(?:now |currently )?an? (?!former|ex|retired|wannabe|would-be|bit|frustrated)(?:(?!not\b"
        rf"|role\b)[a-z-]+ ){{0,2}}?"
     rf"(?P<v>{_TRADE})(?=$|[,.;!]| (?:not an?|in|at(?! (?:the )?weekends?| heart)|for (?!fun|my|our|me|a )|and|now"
     rf"|from|here|with|but"
     r"|these days|since)\b)", "occupation", False),
    ("am is", r"(?:now |currently )?(?P<v>self[- ]employed)\b", "occupation", False),
    ("work works", r"(?:nights|days|weekends|part[- ]time|full[- ]time|mornings|evenings|shifts|from home) (?:at"
        r"|for) (?:the )?(?P<v>(?-i:[A-ZÀ-Þ])[^;:!?]{1,60})", "employer", False),
    ("share shares sharing", rf"(?:an? )?{_DWELLING} with [^,.;]{{3,30}} in {NO_STAY}{_PLACE}", "home", False),
    ("am is", r"an? (?P<v>[a-z][a-z -]{2,30}) (?:by|to) trade\b", "occupation", False),
    ("allergy allergies", r"(?:of|to|for|against|from|with) (?P<v>[^;:!?]{1,60})", "allergy", True),
    ("started", rf"{MY} own (?P<v>(?:[\w-]+ ){{0,2}}(?:business|company|firm|shop|thing|practice|agency|studio"
        rf"|bakery|garage"
     r"|brand|label|start-?up|salon|café|cafe))\b", "occupation=own {}", False),
    ("have has", r"(?:an? )?(?:bad |severe |strong )?allergy (?:of|to|for|against|from|with) (?P<v>[^;:!?]{1,60})",
     "allergy", True),
    ("am is got", r"(?:employed|hired|taken on) by (?:the )?(?P<v>[^;:!?]{2,60})", "employer", False),
    ("attained reached", r"the age of (?P<v>[1-9]\d)\b", "age", False),
    ("am is", r"(?:now |only |just |already )?(?P<v>[1-9]\d)(?= (?:and (?:my|I|their|they|still)|so|but|not)\b)",
     "age", False),
    ("am is", r"doing an? apprenticeship as an? (?P<v>[a-z][a-z -]{2,30})", "occupation=apprentice {}", False),
    ("got get have has", rf"the keys (?:to|for) {MY} (?:\w+ )?{_DWELLING} in {NO_STAY}{_PLACE}", "home", False),
    ("bought", rf"{MY} (?:own|new|first) (?:\w+ )?{_DWELLING} in {NO_STAY}{_PLACE}", "home", False),
    ("live lives living", rf"with {_HOUSEMATES} in {NO_STAY}{_PLACE}", "home", False),
    ("am is are", rf"(?:now |currently )?living with {_HOUSEMATES} in {NO_STAY}{_PLACE}", "home", False),
    ("am is", r"(?:recently|newly|now|happily|just|finally) (?P<v>single|divorced|widowed|engaged|married"
        r"|separated)\b(?![- ]?handed| minded| for the| from the| to (?:the|my|this))",
     "relationship", False),
    ("am is", r"(?P<v>(?:dairy|gluten|lactose|sugar|wheat|egg)[- ]free)(?=$|[,.;]| (?:now|since|and|because|at"
        r"|these)\b)", "diet", False),
    ("am is", r"(?:a )?(?P<v>(?:T1|T2|type [12]) diabetic)\b", "condition", True),
    ("have has got bought", rf"(?:myself |ourselves )?an? (?:(?:used|new|second-hand|old|little)"
        rf" )*(?P<v>{_MODEL})\b{IS_CAR}", "vehicle", True),
    ("doing am is", r"(?:doing )?an? (?:[\w-]+ )?(?:internship|placement|apprenticeship|traineeship) (?:at|with)"
        r" (?:an? )?"
     r"(?P<v>[^;:!?]{2,60})", "employer", False),
    ("become turned", r"(?:an? )?(?P<v>vegan|vegetarian|pescatarian)\b(?! for )", "diet", False),
    ("settled", rf"(?:down )?(?:near|outside|just outside) {_PLACE}", "home", False),
    ("was were been got am is", r"(?:been |just |recently )*diagnosed (?:with|as having) (?:an? )?"
     r"(?P<v>(?!(?:(?:an?|bad|mild|slight|nasty|simple|minor|heavy|common|severe) )*(?:flu\b|covid"
     r"|colds?\b(?! (?:urt|sore|aggl))|broken|sprain|fractur|bruis|twisted|pulled|virus\b|bug\b|laziness|nothing|none\b"
     r"|no\b|(?:the|my|his|her|their|our)\b))"
     rf"(?![^.,;:!?]* by (?:my|our|their|his|her) (?:{KIN}|friends?|mates?|kids?|boss)\b)[\w][\w -]{{2,40}})",
     "condition", True),
    ("do does", rf"(?P<v>{heads.SUBJECT})(?= (?:at|in) (?:uni|university|college|school|sixth form|[a-z]+ uni"
        rf"|(?-i:[A-Z])))", "studies", False),
    ("became", rf"(?!one\b)(?P<v>[1-9]\d{{0,2}}|{_TENS}|{_FEW_TEXT.replace(' ', '|')})(?: years?(?: old)?)?(?=$|[,.;]"
     r"| (?:on|last|this|yesterday|today|now|already)\b| in (?:the )?[A-Z])", "age", False),
    ("will shall turn turns", rf"(?:be |turn )?(?P<v>[1-9]\d|{_TENS})(?: years old)? {_ON_A_DAY}", "age", False),
    ("am is", rf"(?:going to (?:be|turn)|turning) (?P<v>[1-9]\d|{_TENS})(?: years old)? {_ON_A_DAY}", "age", False),
    ("am is", rf"(?:now |only |just |already )?(?P<v>{_TENS})(?=$|[,.;]| (?:now|years|and|in case|so|but|today)\b)",
     "age", False),
    ("was", rf"(?P<v>{_TENS}|[1-9]\d) (?:on \w+|last (?:week|month|\w+day)|yesterday)\b", "age", False),
    ("turned", rf"(?:just )?(?P<v>{_TENS})(?:,? (?:now|today|yesterday|last \w+|this \w+|on \w+).*| ?)$", "age", False),
    ("am is", rf"doing (?:an? )?(?P<v>{heads.SUBJECT})(?= (?:at|in|now|degree)\b|[,.]|$)", "studies", False),
    ("am is", rf"in {MY} \w+ year (?:at|of) [^,;]{{2,40}}, doing (?P<v>{heads.SUBJECT})\b", "studies", False),
    ("switched changed moved swapped transferred",
     rf"(?:{MY} )?(?:majors? |degree |course )?(?P<f>from {heads.SUBJECT} )?"
     rf"to (?P<v>(?(f)|{heads.NO_STUDIES}){heads.SUBJECT})(?(f)\b|{heads.AS_STUDIES})", "studies", False),
    ("am is", r"(?:already |only |just |now )(?P<v>\d{1,3})(?: years? old)?$", "age", False),
    ("am is", r"(?:very |really |also )?allergic (?:for|against|on|of|in(?! (?:the )?(?:spring|summer|autumn"
     r"|fall|winter|general|my|a|some|nature)\b)) (?P<v>(?:(?! so )[^;:!?]){1,60})", "allergy", True),
    ("got", rf"(?:an?|two|three|another) (?P<v>(?!hot )(?:[\w-]+ ){{0,2}}{ANIMAL}(?: (?:called|named) [\w'-]+)?)"
     rf"(?=$|[,.;]| (?!{FOR_OTHERS})(?:and|now|from|at|last|this|who|today|for)\b)", "pet", True),
    ("take takes taking am is started",
     rf"{_ON}(?P<v>(?i:{DRUG}){DOSED}?)\b{DRUG_TAKEN}(?! (?:in|on) the (?!mornings?|evenings?|night)|{_FOR_ONE})",
     "medication", True),
    ("take takes taking am is started", rf"{_ON}{DOSE}(?!{_FOR_ONE})", "medication", True),
    ("traded swapped", rf"(?:in )?{MY.replace('my', 'my|the')} (?:old )?(?:[\w-]+ )?(?:(?-i:[A-Z])[\w-]+"
        rf"|{_CAR})(?: in)? for an? "
     r"(?P<v>(?:new |used |electric |second-hand |hybrid )*(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z0-9])[\w-]*){0,2})",
     "vehicle", True),
)  # fmt: skip
DOES_STUDY = regex(
    rf"(?:do|does) (?:{heads.SUBJECT}) (?:at|in) (?:uni|university|college|school|sixth form|[a-z]+ uni|(?-i:[A-Z]))"
)
"""A subject that somebody does at a school: here "does" is the verb."""
PRESCRIBED = regex(
    r"\b(?:doctors?|doc|gp|specialist|cardiologist|psychiatrist|neurologist|consultant|nurse|they)(?: has| have)?"
    rf"(?: just| now)? (?:put|switched|moved|started|changed|prescribed|(?<!nurse )(?<!they )gave)"
    rf" (?P<who>[\w ]{{2,30}}?) (?:(?:from [\w -]{{3,30}} )?(?:on to|onto|on|to) )?(?P<value>{DRUG}){DRUG_ALONE}"
    rf"(?!.*{_FOR_ONE})",
    re.IGNORECASE,
)
"""A medicine that somebody else gives: "my doctor put me on lisinopril"."""

_V = r"(?P<v>[^;:!?]{1,120}?)(?= (?:und|et|y|aber|mais|pero|mit|avec|con|seit|depuis|desde)\b|[;:!?]|$)"
OTHER_LANGUAGES: tuple[tuple[str, str, str, bool], ...] = (
    ("wohne wohnt wohnen lebe lebt leben", rf"(?:jetzt |nun |seit \w+ )*(?:in|bei) {_V}", "home", False),
    ("bin ist sind", r"(?:jetzt |letzte \w+ |gerade )*nach (?P<v>[^;:!?]{1,60}?) (?:um)?gezogen", "home", False),
    ("ziehe zog zogen", rf"nach {_V}", "home", False),
    ("arbeite arbeitet arbeiten", rf"(?:jetzt |nun )?als (?:eine? )?{_V}", "occupation", False),
    ("arbeite arbeitet arbeiten", rf"(?:jetzt |nun )?(?:bei|für) {_V}", "employer", False),
    (
        "heiße heisst heißt heisse",
        r"(?:jetzt |eigentlich |übrigens )?(?P<v>(?-i:[A-ZÀ-Þ])[^;:!?,]{1,60})",
        "name",
        False,
    ),
    ("bin ist", r"(?:jetzt |schon )?(?P<v>\d{1,3})(?: Jahre(?: alt)?)?$", "age", False),
    ("bin ist", r"(?:jetzt |nun )?(?P<v>Vegetarier(?:in)?|Veganer(?:in)?|vegan|vegetarisch)", "diet", False),
    ("bin ist", rf"(?:auch )?(?:allergisch )?gegen {_V} allergisch|allergisch gegen (?P<w>.{{1,60}})", "allergy", True),
    ("esse isst", _V, "food", True),
    ("trinke trinkt rauche raucht", _V, "habit", True),
    ("mag liebe liebt", _V, "likes", True),
    ("habe hat", rf"(?:eine?n? ){_V}", "possession", True),
    (
        "habite habites habitons vis vit vivons",
        rf"(?:maintenant |désormais |désormais )?(?:à|en|au|aux|dans) {_V}",
        "home",
        False,
    ),
    ("ai as a suis est", rf"(?:déménagé|emménagé|parti vivre) (?:à|en|au|aux|dans) {_V}", "home", False),
    ("travaille", rf"(?:maintenant )?comme {_V}", "occupation", False),
    ("travaille", rf"(?:maintenant )?(?:chez|pour) {_V}", "employer", False),
    ("suis est", r"(?:maintenant |devenue? )?(?P<v>végétarien(?:ne)?|végane?|pescétarien(?:ne)?)", "diet", False),
    ("suis est", r"(?:maintenant |devenue? )(?P<v>[a-zà-ÿ]{4,30})$", "occupation", False),
    ("suis est", rf"allergique (?:à la|à l'|aux|au|à) ?{_V}", "allergy", True),
    ("ai a", r"(?:maintenant )?(?P<v>\d{1,3}) ans(?! d[e'])", "age", False),
    ("m'appelle s'appelle", _V, "name", False),
    ("mange bois boit fume", _V, "food", True),
    ("aime adore", _V, "likes", True),
    ("vivo vive vivimos resido reside", rf"(?:ahora )?en {_V}", "home", False),
    ("me se nos", rf"(?:he mudado|mudé|mudó|mudamos|ha mudado) a {_V}", "home", False),
    ("trabajo trabaja", rf"(?:ahora )?(?:como|de) {_V}", "occupation", False),
    ("trabajo trabaja", rf"(?:ahora )?(?:en|para) {_V}", "employer", False),
    ("me se", rf"llam[oa] {_V}", "name", False),
    ("soy es", r"(?:ahora )?(?P<v>vegetarian[oa]|vegan[oa])", "diet", False),
    ("soy es", rf"alérgic[oa] (?:a la|al|a los|a las|a) {_V}", "allergy", True),
    ("tengo tiene", r"(?:ahora )?(?P<v>\d{1,3}) años(?! de\b)", "age", False),
    ("como come", rf"(?!(?:out|in|up|to|from|back|home|over|on|with|and|here|down|along|across)\b){_V}", "food", True),
    ("bebo bebe fumo fuma", _V, "habit", True),
    ("tengo tiene", rf"(?:una?|dos) {_V}", "possession", True),
)
# "My name is", "call me", "mein Lieblingsessen ist": attributes by the noun that is named.
_NOUNS = {
    "home": "home house flat apartment address residence zuhause wohnung adresse maison appartement adresse domicile"
    " casa piso domicilio",
    "occupation": "job occupation profession work beruf métier profession profesión trabajo",
    "employer": "employer company arbeitgeber employeur empresa",
    "name": "name nom nombre",
    "age": "age alter âge edad",
    "diet": "diet",
    "phone": "number phone extension mobile telefonnummer handynummer nummer téléphone teléfono numéro número",
    "email": "email e-mail mail",
    "vehicle": "car bike bicycle motorbike motorcycle scooter van vehicle auto fahrrad voiture vélo coche bici",
    "relationship": "status",
}
NOUN_ATTRIBUTES = {noun: attribute for attribute, nouns in _NOUNS.items() for noun in nouns.split()}

# "Drives themselves", "plays for nana": what follows the verb is no thing.
NO_VALUE = regex(  # in small letters: "For Honor" is a game
    r"(?:themselves|myself|himself|herself|ourselves|itself|me|us|them|him|her|it)\b"
    r"|(?:for|with|at|on|against|around|along|about|like|well|again) "
)
