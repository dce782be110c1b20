"""The phrases that state something of a person, English, German, French and Spanish: where they live, what they do.

Each is matched right behind the subject, so that "my friend in Oslo works" says nothing of the speaker's home.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from memoryos_core.rules.knowledge import heads, phrases
from memoryos_core.rules.knowledge.domains import domains_of, is_no_place
from memoryos_core.rules.knowledge.trimming import trim_value, without_origin, without_time
from memoryos_core.rules.text.introductions import TRADE
from memoryos_core.rules.text.words import at_start, regex

__all__ = ["Phrase", "opens_phrase", "phrases_at"]

Phrase = tuple[re.Pattern[str], str, bool]
"""Pattern, attribute, and whether several values hold at once."""

_V = r"(?P<v>[^;:!?]{1,120})"
_AT_ALL = r"(?![^;:!?,]{1,40} (?:before|after|during|when|while|on \w+days?|in Lent|on the day|at night)\b)"
_IN = r"(?:in|at|on|near|above|within|outside|just outside)"
_DWELLING = "(?:flat|house|home|place|apartment|studio|cottage|bungalow|room)"
_SCHOOL = (
    r"(?:kindergarten|preschool|nursery(?: school)?|(?:primary|elementary|secondary|grammar|middle|high|boarding|sixth"
    r"[- ]form) (?:school|college)|university)\b"
)
_BUSINESS = (
    r"(?:shop|store|café|cafe|restaurant|business|company|practice|salon|bakery|farm|bar|pub|agency|workshop|kiosk"
    r"|clinic|hotel|guesthouse|firm|start-?up|studio|gallery)(?! (?:walk|session|tour|class|visit|night)s?)\b"
)
_NO_SUBJECT = (
    r"(?!(?:th(?:e|is|at|ese|ose|eir)|different|various|some|many|new|more|well|my|our|his|her|for|how"
    r"|what|it|all|hard|until|till|every|\w+'s)\b)"
)
_UP = r"(?-i:[A-ZÀ-Þ])[\w'-]+"
_PLACE_NAME = rf"(?!\w+day\b){_UP}(?: (?:of )?{_UP}){{0,3}}(?=$|[,.;!]| (?:and|but|originally|in|so)\b)"
_SCHOOL_NAME = rf"(?-i:[A-Z]{{2,6}}\b)|(?:{_UP} ){{0,4}}(?:University|College|School|Uni|Institute)\b(?: of {_UP})?"
_COUNT = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_CAR = (
    r"(?:Alfa Romeo|Audi|BMW|Berlingo|Chevrolet|Chevy|Citroën|Citroen|Dacia|Fiat|Ford|Honda|Hyundai|Jaguar|Jeep|Kia"
    r"|Land Rover|Lexus|Mazda|Mercedes|Mini Cooper|Mitsubishi|Nissan|Opel|Peugeot|Polestar|Porsche|Prius|Renault"
    r"|Seat(?= [A-Z])|Skoda|Škoda|Subaru|Suzuki|Tesla|Toyota|VW|Vauxhall|Volkswagen|Volvo|Corolla|Civic"
    rf"|Fiesta)(?: [A-Z0-9][\w-]*){{0,4}}{heads.IS_CAR}"
)
_CONDITION = (
    r"(?:ADHD|ADD|autism|epilepsy|asthma|diabetes|type [12] diabetes"
    r"|(?:rheumatoid |psoriatic |osteo)?arthritis|dyslexia|tinnitus|insomnia|eczema"
    r"|psoriasis|IBS|COPD|PCOS|endometriosis|MS(?! [A-Z])|lupus|scoliosis|high blood pressure|hypertension|migraines"
    r"|(?:und|ov)eractive (?:thyroid|bladder)|chronic [a-z]+|pre-?diabetes|lactose intolerance|gout"
    r"|c(?:o?e)liac disease|Crohn's|bad knee|glaucoma|Parkinson's|an(?:a?e)mia|POTS|sciatica|depression"
    r"|high cholesterol|vertigo|bipolar disorder|atrial fibrillation|a-?fib|angina|arrhythmia|fibromyalgia"
    r"|anxiety(?! (?:about|over|for|at)\b)|OCD|sleep apn(?:o?ea)|heart (?:condition|failure)|pacemaker|bad back)"
)
# First words, pattern behind them, attribute, many. A first word stands for itself alone. An attribute may say how its
# value is told: "occupation=teaching {}".
_PROFESSION = (
    r"(?!(?i:christian|buddhist|atheist|methodist|baptist|feminist|pacifist|optimist|pessimist|perfectionist|civilian)\b)"
    r"[\w-]*(?:eer|yer|ctor|itor|utor|cher|mber|cist|tist|ist|cian|ian|keeper|driver|nurse|chef|cook|baker"
    r"|farmer|painter|designer|developer|manager|consultant|accountant|assistant|analyst|student|architect|clerk|pilot"
    r"|waiter|waitress|carpenter|writer|singer|dancer|actor|officer|plumber|builder|tailor|barber|midwife|vet|judge"
    r"|paramedic|mechanic|scientist|engineer|programmer|professor|apprentice|trainee|intern|photographer|translator)\b"
)
_MONTH = r"(?-i:(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Septem|Octo|Novem|Decem)ber)"
_ENGLISH: tuple[tuple[str, str, str, bool], ...] = (
    ("live lives living reside resides",
     rf"(?:(?:here|back|alone|together|by \w+sel(?:f|ves)|out|over|up|down) )?{_IN} {_V}", "home", False),
    ("seem seems", rf"to live in (?P<v>{_PLACE_NAME})", "home", False),
    ("am is are was", rf"(?:now )?(?:living|based|residing|settled) (?:out |over |up |down |back )?{_IN} {_V}",
     "home", False),
    ("moved relocated", rf"{heads.MOVED_TO}{_V}", "home", False),
    ("settled", rf"(?:down )?in {_V}", "home", False),
    ("settled settling", rf"into (?:my|our|his|her|their|the|a) (?:new )?(?:\w+ )?{_DWELLING} in {_V}", "home", False),
    ("got get have has",
     rf"(?:the keys (?:to|for) )?(?:my|our|his|her|their) (?:own|new|first) (?:\w+ )?{_DWELLING} in {_V}",
     "home", False),
    ("got get have has", rf"the keys (?:to|for) (?:a|the) (?:new )?{_DWELLING} in {phrases.NO_STAY}{_V}",
     "home", False),
    ("bought rented rent rents renting share shares sharing found",
     rf"an? (?:(?:new|small|big|little|tiny|shared) )*{_DWELLING} in {phrases.NO_STAY}{_V}", "home", False),
    ("am is are", rf"in an? (?!(?:holiday|weekend|hotel)\b)(?:[\w-]+ ){{0,3}}{_DWELLING} in {phrases.NO_STAY}{_V}",
     "home", False),
    # "In Porto now" may be a visit, but not with a new flat beside it.
    ("am is are", rf"in (?P<v>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+){{0,2}}) (?:now|these days)\b.*\bnew {_DWELLING}\b",
     "home", False),
    ("work works working", rf"(?:now |full-time |part-time )?as (?!\w+ as\b)(?:an? |the )?{_V}", "occupation", False),
    ("work works working", rf"(?:now )?(?:for|at) {_V}", "employer", False),
    ("teach teaches teaching",
     r"(?P<v>(?!my|our|his|her|their|him|them|me\b)[\w -]{2,40}? (?:in|at) (?:an? |the )?(?:[\w'-]+ ){0,3}"
     r"(?:school|college|university|academy|kindergarten|polytechnic))\b", "occupation=teaching {}", False),
    ("teach teaches teaching",
     r"(?P<v>(?:[Yy]ear|[Gg]rade|[Cc]lass) \d+|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|\d+th) grade"
     r"|maths?|chemistry|physics|biology|history|geography|art|music|PE|ICT|(?:computer )?science|drama"
     r"|English|French|German|Spanish|Italian|Latin|Mandarin|Japanese|Portuguese|Russian|Arabic|Polish|yoga|pilates"
     r"|piano)(?: (?:and|to|at|in|there|here)\b.*)?$", "occupation=teaching {}", False),
    ("drive drives", r"(?:an? |the )?(?P<v>forklift|tram|train|bus|ambulance|taxi|cab|lorry|night bus)s?\b"
     r"(?= (?:for|at|in|on)\b|$)", "occupation=driving a {}", False),
    ("freelance freelances freelancing",
     r"(?!(?:was|is|has|had|can|will|pays?)\b)(?:as (?:an? )?)?(?P<v>(?!(?:ever|since|now)\b)[a-z][\w -]{2,40})?",
     "occupation=freelance {}", False),
    ("got have has found",
     rf"(?:a |the |my |his |her |their )(?:new )?(?:job|position|post|place) (?:at|with) (?!.*{phrases.FOR_KIN}){_V}",
     "employer", False),
    ("am is", r"(?:now |currently )?(?:a )?(?P<v>unemployed|out of work|out of a job|between jobs|(?<=a )retired"
     r" (?:[a-z-]+ ){0,2}?[a-z-]+(?=$|[.,]| (?:and|from|in|at|who|but|with|living)\b)|retired|jobless)\b",
     "occupation", False),
    ("run runs", rf"(?P<v>(?:{phrases.MY}|an?) (?:own )?(?:[\w-]+ ){{0,2}}{_BUSINESS})", "occupation=runs {}", False),
    ("joined", r"(?!(?:Facebook|Instagram|TikTok|Twitter|Discord|Reddit|Tinder|LinkedIn|Duolingo|WhatsApp|Netflix)\b)"
        r"(?P<v>[A-Z][\w&.-]+(?: [A-Z&][\w&.-]*)*)(?: (?:as|last|this|in|on|two|a few)\b.*)?$",
        "employer", False),
    ("moved", r"(?:over )?to (?:the )?(?P<v>(?-i:[A-Z])[\w&.-]+(?: (?-i:[A-Z&])[\w&.-]*)*)"
     r" as an? .*$", "employer", False),
    ("am is", r"joining (?P<v>(?-i:[A-Z])[\w&.-]+(?: (?-i:[A-Z&])[\w&.-]*)*) as an? .*$", "employer", False),
    ("became become", rf"an? (?P<v>(?:(?!of\b)[\w&/-]+ ){{0,3}}?{TRADE})\b(?! (?:of|to|in) (?:my|our|his|her|their"
     r"|the)\b)", "occupation", False),
    ("started start starts starting began",
     r"(?:working |work )?(?:at|with|for) (?:the |an? )?(?P<v>(?-i:[A-ZÀ-Þ])[\w&.'-]*(?: (?-i:[A-Z&])[\w&.-]*)*"
     rf"|(?:[\w-]+ ){{0,2}}{_BUSINESS})(?= (?:last|this|in|on|as|today|yesterday|next|from|a few|two|three)\b|$)",
     "employer", False),
    ("started start begun began", r"(?!.* (?:years ago|in (?:19|\w+ty-)|and (?:now|finished|ended|retired|then)\b))"
     rf"(?:working |work |training |out )?(?:(?:a|my|his|her) )?(?:new )?(?:job |position |role )?"
     rf"(?:(?:last|this|on) \w+ )?as (?:an? )?{_V}", "occupation", False),
    ("am is", rf"starting (?:work )?as (?:an? |the )?(?P<v>(?:[\w&/-]+ ){{0,3}}{_PROFESSION})", "occupation", False),
    ("am is", r"(?:now |currently )?(?:the |an? )?(?P<v>(?:head|director|manager|chief|secretary|dean|chair|vice"
        r" president|VP) of"
        r" (?!the\b)[\w -]{2,50})", "occupation", False),
    ("retrained trained qualified", rf"as (?:an? )?{_V}", "occupation", False),
    ("promoted", rf"(?:to|as) (?!my|our|his|her|their|me|us|the team(?! lead))(?:an? |the )?{_V}", "occupation", False),
    ("go goes going attend attends started starts joined is",
     rf"(?:now )?(?:(?:to|at|in) )?(?:the |an? )?(?P<v>{_SCHOOL})(?! (?:[\w-]+ )?{_PROFESSION})", "school", False),
    # "The Toulmin model" and "for the test" are studied for a while, and a subject for years.
    ("study studies studying", rf"at (?:the )?(?P<v>{_SCHOOL_NAME})", "school", False),
    ("study studies studying", rf"{_NO_SUBJECT}{_V}", "studies", False),
    ("am is", rf"(?:now )?(?:studying|majoring in) {_NO_SUBJECT}{_V}", "studies", False),
    ("am is", rf"(?:originally )?from (?P<v>{_PLACE_NAME}(?:, {_UP}(?=[.!]|$))?)", "origin", False),
    ("do does doing did am is", rf"(?:doing )?(?:my|his|her|their|an?) (?:PhD|Ph\.D\.|doctorate|masters?|Master's"
        rf"|MSc|MA|MBA|BSc|BA|bachelors?|degree|apprenticeship)(?: degree)? (?:in|on) {_V}", "studies", False),
    ("am is", r"in (?:my|his|her|their) (?:first|second|third|fourth|fifth|final|last) year of (?:an? )?"
     rf"{_V}", "studies", False),
    ("turn turns", r"(?P<v>[1-9]\d{0,2})(?: (?:now|today)\b.*| ?)$", "age", False),
    ("am is turned", rf"(?:now )?(?P<v>\d{{1,3}}|{_COUNT})(?:,? (?:years? old|now|today|yesterday|btw|by the"
        rf" way|last \w+|this \w+|on (?!an? |my |our )\w+|and (?!(?:an?|half|in|on|at|\w+ing)\b)[a-z]+ \w).*| ?)$",
     "age", False),
    ("turned", rf"(?P<v>[1-9]\d) (?:at|in|during) (?:the )?(?:\w+ of )?{_MONTH}(?: \d{{4}})?$", "age", False),
    ("am is", r"(?:now )?(?P<v>[1-9]\d),? and (?:in (?:(?:my )?\w+ (?:grade|year)|year \d|(?:high |middle )?school"
     r"|college|uni)|at (?:school|uni|college|university)|still (?:in|at) (?:school|uni|college))\b", "age", False),
    ("had celebrated", r"(?:just )?(?:my|his|her|their) (?P<v>\d{1,3})(?:st|nd|rd|th) birthday\b", "age", False),
    ("am is", r"(?:now )?an? (?P<v>\d{1,3})[- ]years?[- ]old", "age", False),
    ("am is turned went became have"
        " gone", r"(?:now |gone |become |been |just |only |back to )?(?:being )?(?:an? )?"
     r"(?:strict |fully |completely |on (?=keto\b))?"
     r"(?P<v>(?:ovo-?lacto |lacto-?)?"
     r"vegetarian|vegan|pescatarian|flexitarian|omnivore|carnivore|plant-based|gluten-free|keto"
     r"|teetotal(?:ler)?)\b(?! for (?:[jJ]anuary|[lL]ent|(?:a|one|the) (?:day|week|month|while|bit))"
     r"| (?:coach|chef|cook|restaurant|caf[eé]|recipes?|food|blog|bakery|brand|business))", "diet", False),
    ("follow follows following keep", r"(?:an? |the )?(?P<v>[\w-]+(?: [\w-]+)?) diet", "diet", False),
    ("eat eats", r"(?P<v>everything|anything)(?: and everything)?$", "diet", False),
    ("eat eats", rf"(?!an? |another |any ?more\b){_AT_ALL}{_V}", "food", True),
    ("can could may", rf"(?:eat|drink) {_V}", "food", True),
    ("drink drinks smoke smokes", _V, "habit", True),
    ("am is", r"(?P<v>single|divorced|widowed|engaged(?! (?:in|with|on|by)\b)(?: to [^,.;]{1,40})?"
     r"|married(?! to (?:the|my|our|their|his|her) (?:job|work|career|idea|sea|game|land|farm|gym|office|phone|cause"
     r"|music|mob)\b)(?: to [^,.;]{1,40})?|separated"
     r"|in a relationship(?: with [^,.;]{1,40})?|dating [^,.;]{1,40}"
     r"|seeing (?:[A-Z][\w'-]+|someone|somebody|each other|an? (?:[\w-]+ ){0,2}(?:man|woman|girl|guy|boy|bloke|lad))"
     r"(?: (?:new|else|special|(?:called|named) [A-Z][\w'-]+))?(?=$|[,.;]| (?:now|again|for|since|from|who|these)\b))",
     "relationship", False),
    ("am is", r"with (?P<v>[A-Z][\w'-]+)(?: (?:now|these days|nowadays))$", "relationship", False),
    ("got", r"(?P<v>engaged(?: to [^,.;]{1,40})?|married(?: to [^,.;]{1,40})?|divorced"
        r"|separated)", "relationship", False),
    ("married date dates", r"(?P<v>[A-Z][^,.;]{1,40})", "relationship", False),
    ("am is", rf"(?:really |severely |very |also |[a-z]+ and )?allergic to {phrases.NO_ALLERGEN}{_V}", "allergy", True),
    ("have has", rf"an? (?:severe |bad |slight )?allergy to {_V}", "allergy", True),
    ("have has", rf"an? {_V} allergy", "allergy", True),
    ("am is", r"(?:really |severely |very |also )?(?P<v>[\w-]+)[- ]intolerant\b", "allergy", True),
    ("am is have has got", r"(?:got |been )?(?:diagnosed (?:as |with )?)?(?:an? )?(?P<v>co?eliac)(?: disease)?\b",
     "allergy=gluten ({})", True),
    ("drive drives ride rides", rf"(?!are |is |was ){_V}", "vehicle", True),
    ("have has got bought", rf"(?:an? |the )(?:(?:used|new|second-hand|old|little|secondhand) )*(?P<v>{_CAR})",
     "vehicle", True),
    ("have has got suffer suffers am is", rf"(?:(?:from|having|(?:been |got )?diagnosed with) )?(?:an? )?"
     rf"(?P<v>{_CONDITION})\b{heads.IS_ILLNESS}", "condition", True),
    ("am is", r"(?:a )?(?:pure|strictly) (?P<v>veg(?:etarian)?)(?=$|[,.;]| and)", "diet=vegetarian", False),
    ("went gone became", r"(?P<v>self[- ]employed)\b", "occupation", False),
    ("stay stays", rf"in (?P<v>{_PLACE_NAME})", "home", False),
    ("am is got", r"(?:diagnosed (?:as )?)?(?P<v>(?:type [12] )?diabetic|epileptic|asthmatic|autistic|dyslexic|anaemic"
     r"|colou?r[- ]?blind|(?:legally |partially )(?:blind|deaf)|deaf in [^,.;]{3,20})\b",
     "condition", True),
    ("take takes", r"the medicine (?P<v>[A-Z][a-z]{3,14}(?: \d[\d.,]*(?: ?[a-zµ]+)?)?)$", "medication", True),
    ("take takes taking am is", r"(?:on |taking )?(?P<v>\d+ ?mg (?:of )?[a-z]{4,30})", "medication", True),
    ("own owns have has adopted rescued bought", rf"(?:(?:an?|another) {phrases.NO_POSSESSION}|(?:\d+|{_COUNT}) ){_V}",
     "possession", True),
    ("like likes love loves enjoy enjoys", _V, "likes", True),
    ("hate hates dislike dislikes", _V, "dislikes", True),
    ("stand bear", _V, "likes", True),  # with a "not" before it
    ("am is", rf"(?:(?:really|so|totally|very|super|quite|a big|a huge) )*(?:into(?! (?:my|the|a|an|our|week|\d))"
        rf"|fond of|keen on|obsessed with|passionate about"
     rf"|(?:a )?(?:big |huge )?fan of) {_V}", "likes", True),
    ("use uses", _V, "uses", True),
    ("prefer prefers", _V, "prefers", True),
    ("play plays", _V, "plays", True),
    ("speak speaks", r"(?P<v>[A-Z]\w+(?:,? (?:and )?(?:a (?:bit|little)(?: of)? |some )?[A-Z]\w+)*)$",
     "language", True),
    ("go goes went", r"by (?:the name (?:of )?)?(?P<v>[A-Z][\w'-]+)", "name", False),
    ("am", r"(?:called |named )(?P<v>[A-Z][\w' -]{1,40})", "name", False),
    ("am", r"(?P<v>[A-Z][a-z'-]{1,20})$", "name", False),
    ("am is", r"(?:now |currently )?(?:working as )?(?:an? )(?P<v>(?:(?:retired|trained|qualified|junior|senior"
        r"|freelance|self-employed|night|registered|district|staff|p(?:a)?ediatric|emergency|veterinary|dental"
        r"|mechanical"
        r"|electrical|structural|chemical|marine|social|private|pastry|product|project|marketing|sales|backend"
        r"|frontend|front-end|geography|history|English|physics|chemistry|biology|art|drama|French|German|Spanish"
        r"|back-end|full-stack|machine learning|test|systems|network|security|game|maths?|science|music|piano|yoga"
        r"|ski|dance"
     r"|professional|part-time|full-time|head|chief|software|data|tram|bus|train|taxi|truck|primary|high|school"
     r"|graphic|web|civil) )*"
     rf"(?-i:[A-Z]{{2,4}} |PhD )?{_PROFESSION})\b",
     "occupation", False),
    ("am is", rf"(?:now |currently )?an? (?P<v>(?:(?!regular\b)[\w&/-]+ ){{1,3}}(?!visitor|customer){_PROFESSION})"
     r" (?:at|for|with) (?:the )?[A-ZÀ-Þ]", "occupation", False),
)  # fmt: skip

_BEGUN = (
    r"(?:been|become|started|switched|moved|gone|turned|settled|relocated|adopted|bought|joined|just|now|recently"
    r"|finally|already)"
)
_ADVERBS = regex(
    r"(?:(?:(?:started|begun|come|learnt|learned|grown) to(?= (?:like|love|enjoy|hate|dislike)\b)|now|also|still|just"
    r"|recently|finally|currently|usually|always|often|actually|really|mainly|mostly|too|both|all|officially|happily"
    rf"|nowadays|already|since|do|does|did|ha(?:ve|s) (?={_BEGUN}\b)|been|have|has|habe(?! am )"
    r"|(?:got|was|is|am)(?= promoted\b)|jetzt|nun|auch|inzwischen|maintenant|désormais|aussi|ahora|también|die"
    r" user)\s+)",
    re.IGNORECASE,
)
_ADVERBS_READ = 4
_HAS_BEEN = at_start(
    r"^(?:have|has) been (?=an? [^.,;]{2,60}\b(?:since|for)\b"
    r"|(?:since \w+ )?in an? (?:[\w-]+ ){0,3}(?:flat|house|bungalow|apartment|cottage)\b"
    r"|(?:\w+ )?(?:living|based|vegetarian|vegan|married|single|seeing|dating|diagnosed (?:with|as))\b)"
)
# "Have lived in Oslo since 2015" is so today; "have lived in Oslo" may be over.
_HAS_LIVED = at_start(
    r"^(?:have|has) (?:\w+ )?(live|work)(?:d|ed) (?=.*\b(?:since|for (?:the (?:last|past)|\d+|[a-z-]+ (?:years"
    r"|months|decades)|years|ages|decades))\b)"
)
_IS_DOING = at_start(r"^(?:am|is|are) (?:now |currently |still )?(?=(?:working (?:as|for|at)|sharing|renting) )")
_NO_EMPLOYER = regex(
    r"^(?:[a-z]+ing\b.*|(?:moved|closed|went|is|was|has|had|got|shut|pays|lets|does|did)\b.*|moment|home|nights?|weekends?|it|them|him|her|me|this|that|these|those|all|minute|hours?|days?|years?|months?"
    r"|weeks?|free|now|least|present|times?|peanuts|fun|pleasure|nothing|pennies|cash|tips|money|charity|fools|myself|themselves|himself|herself|living|front|back|top|bottom|side|end"
    r"|table|luck|ease|surprise|mistake|accident|chance|hand|heart|risk|stake|\d.*)(?: now| too)?$"
)
_HAVE_A = regex(rf"(?:have|has|habe) (?:an?|two|three|another|eine?n?|\d+|{_CONDITION})\b")


def _compile() -> dict[str, list[Phrase]]:
    out: dict[str, list[Phrase]] = defaultdict(list)
    for firsts, pattern, attribute, many in (*phrases.EVERYDAY, *_ENGLISH, *phrases.OTHER_LANGUAGES):
        phrase = (regex(pattern), attribute, many)
        for first in firsts.split():
            out[first].append(phrase)
    return dict(out)


_PHRASES = _compile()
_WORD = regex(r"[\w'à-ÿ-]+")
_NOT = regex(
    r"(?:am|is|are|do|does|have|has|can|could)?\s*(?:not|no longer|never|n'|ne|nicht|ya no|kein(?:en?)?)\s+",
    re.IGNORECASE,
)
_NO_MORE = regex(
    r"\b(?:no longer|any ?more|any longer|not since|nicht mehr|kein\w* \w+ mehr|n(?:e |').{1,40} plus|ya no)\b",
    re.IGNORECASE,
)


_WHY = regex(
    r"(?<=\w) (?:to (?:be|start|study|attend|live|work|join|help|care|look|find|open|run|try|retire|get|go|do|take)"
    r"|for (?:[\w-]+'s|my|our|his|her|their|love|school|uni|university|college))\b.*$"
)
_WAY = regex(r" (?:to|from|into|around|through|down|up|for) .*$")  # "a Corsa to work"
# A vehicle has an article, a name or a number, or is of a kind.
_A_VEHICLE = regex(
    r"(?:an?|the|my|our|his|her|their|one of|two|both|\d+) (?!(?:mile|hour|minute|car ?load)s?\b)|(?-i:[A-ZÀ-Þ0-9])"
)
_NO_VEHICLE = regex(
    r"(?:so|too|very|to|into|from|home|back|past|through|over|up|down|out|off|on|there|here|slow|fast|\w+ly)\b"
    r"|(?:an? |the |my )?(?:horse|pon(?:y|ie)|donkey|bull|camel|elephant|wave|roller ?coaster"
    r"|hard bargain|point|wedge)s?\b"
    rf"|(?:(?:my|our|his|her|their) )?(?:{phrases.KIN}|left|right|side|(?:my|your|our|him|her|them)sel(?:f|ves))"
    r"\b(?!['\u2019])",
    re.IGNORECASE,
)
_DWELT_IN = at_start(
    rf"^(?:[a-z-]+ ){{0,3}}(?:{_DWELLING}|hostel|dorm|bedsit|floor|terrace|semi) (?:in|near)"
    r" (?!(?:the|an?|my|his|her|our|their)\b)(?=\S)"
)
_EMPLOYED_AS = regex(r" as (?:an? |the |their )?(?P<v>[\w -]{3,60})$")
_EMPLOYED = regex(
    r"^(?:[a-z][\w-]* ){1,4}?(?:at|for|with|in an? (?:company|firm) (?:(?:that|which) is )?"
    r"(?:called|named)) (?:the )?(?P<v>[A-ZÀ-Þ][\w&.'-]*(?: [A-Z&][\w&.'-]*){0,3})$"
)
# Behind a profession only "at" names who employs: not "a developer with Python", nor "a teacher for English".
_EMPLOYED_AT = regex(
    r"^(?:(?:[a-z][\w-]*|[A-Z]{2,4}) ){1,4}?at (?:the )?(?!(?:Christmas|Night|Easter|School|Home|University)\b)"
    r"(?P<v>[A-ZÀ-Þ][\w&.'-]*(?: [A-Z&][\w&.'-]*){0,3})(?:(?: here)? in [A-ZÀ-Þ][\w' -]{1,40})?"
    r"(?: now)?(?: which\b.*)?[.!]*$"
)
_DOING_WHAT = regex(r" (?:(?:do|mak|sell|work|help|clean|serv|teach)ing|looking after|as|the rest) .*$")
_PLACE = regex(r" (?:(?:here|there) )?(?:in|at|for|bei|für|chez|pour|en|para) .*$")
# Nouns as well as verbs, or English words that say nothing of a speaker.
_NO_OPENER_TEXT = "work working living study love like own play is are was am as a have has got date been"
_NO_OPENER = frozenset(_NO_OPENER_TEXT.split())


def opens_phrase(text: str) -> bool:
    """Return whether a text begins with a verb that states something of a person, without naming the person."""
    opening = _ADVERBS.match(text)
    first = _WORD.match(text, opening.end() if opening is not None else 0)
    return first is not None and first[0].lower() in _PHRASES and first[0].lower() not in _NO_OPENER


def _skip_adverbs(rest: str) -> str:
    """Return the text from its verb on; a "have" that is the verb itself stays."""
    rest = _IS_DOING.sub("", rest)
    text = _HAS_LIVED.sub(r"\1 ", _HAS_BEEN.sub("is ", rest))
    for _ in range(_ADVERBS_READ):
        match = _ADVERBS.match(text)
        if match is None or _HAVE_A.match(text) or phrases.DOES_STUDY.match(text):
            break
        text = text[match.end() :]
    return text


def _values_in(match: re.Match[str], named: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes and values of a phrase: an employer may stand beside the job."""
    attribute, _, told = named.partition("=")
    said = match["v"] or ""
    value = trim_value(said.replace(", ", " ") if attribute == "medication" else said)
    if told:
        yield attribute, told.format(said if told.startswith("runs") else value).strip()
        return
    beside = {"occupation": _EMPLOYED, "employer": _EMPLOYED_AS}.get(attribute)
    if beside is not None and (other := beside.search(said)) is not None:
        yield "employer" if beside is _EMPLOYED else "occupation", trim_value(other["v"])
    elif attribute == "occupation" and not value.endswith("student"):
        # What a job is may end before the employer.
        other = _EMPLOYED_AT.search(match.string[match.start("v") :])
        yield from () if other is None else [("employer", trim_value(other["v"]))]
    value = _trim_as(attribute, said, value)
    if value and not phrases.NO_VALUE.match(value):
        yield attribute, value


def _trim_as(attribute: str, said: str, value: str) -> str:
    """Return the value of an attribute without what only stands beside such a value; "" for no value of the kind."""
    if attribute in ("occupation", "studies"):
        return "" if value.endswith("member") else without_time(_PLACE.sub("", value))
    if attribute == "employer":
        value = _DOING_WHAT.sub("", without_time(_EMPLOYED_AS.sub("", value)))
        return "" if _NO_EMPLOYER.match(value) else value
    if attribute == "vehicle":
        return _WAY.sub("", value) if _is_vehicle(said, value) else ""
    if attribute == "relationship" and value[:1].isupper():
        return "" if is_no_place(value) else value  # "I'm with Vodafone now"
    if attribute == "home":
        place = without_origin(without_time(_WHY.sub("", value)))
        return "" if is_no_place(said) or is_no_place(value) else _DWELT_IN.sub("", place)
    return without_time(value) if attribute == "relationship" else value


def _is_vehicle(said: str, value: str) -> bool:
    """Return whether what somebody drives is a vehicle."""
    if _NO_VEHICLE.match(said) or _NO_VEHICLE.match(value):
        return False
    return _A_VEHICLE.match(said) is not None or "vehicle" in domains_of(value)


def phrases_at(rest: str) -> Iterator[tuple[str, str, bool, bool]]:
    """The (attribute, value, many, negated) that are stated right behind a subject."""
    text = _skip_adverbs(rest)
    negation = _NOT.match(text)
    negated = negation is not None or _NO_MORE.search(rest) is not None
    if negation is not None:
        verb = negation[0].split()[0]
        text = text[negation.end() :]
        text = f"{verb} {text}" if verb in {"am", "is", "are"} else text
    first = _WORD.match(text)
    if first is None:
        return
    behind = text[first.end() :].lstrip()
    for pattern, named, many in _PHRASES.get(first[0].lower(), ()):
        match = pattern.match(behind)
        if match is None:
            continue
        found = list(_values_in(match, named))
        yield from ((attribute, value, many, negated) for attribute, value in found)
        if found:
            return
