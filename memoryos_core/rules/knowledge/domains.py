"""The part of life that a statement is about, and the words that tell of a change in it.

A change is often told without the attribute's name: "the old van broke down for good, so we take the train". Both
statements then share a domain, and the later one says that something ended or began.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from memoryos_core.rules.knowledge.heads import NOT_LIVED_IN, STAY
from memoryos_core.rules.text.words import fold_case, matches, regex, terms, with_marks

__all__ = [
    "ADDITION",
    "BEGUN",
    "CHANGE",
    "CORRECTION",
    "ENDED",
    "LONGEST",
    "MONTH",
    "RECENT",
    "REVISED",
    "domains_of",
    "is_no_place",
    "plain_senses",
    "words_of_domains",
    "words_of_price",
]

LONGEST = 2_000
"""Characters that are read of a statement; a fact is one sentence or two."""

_DOMAIN_WORDS = {
    "home": (
        "home house flat apartment address rent rented landlord lease tenant removal moved relocate "
        "neighbourhood neighborhood live settle dorm mortgage keys bedsit studio housemate cottage village "
        "bungalow sofa lift"
    ),
    "bedroom": "room bedroom attic basement upstairs downstairs mattress",
    "job": (
        "job employer apprentice apprenticeship trainee intern hired quit resign retire career profession "
        "salary freelance student university college shift shifts warehouse chef baker barista nurse "
        "teacher driver driving florist bookkeeper clerk librarian waiter cashier plumber carpenter "
        "electrician designer engineer developer analyst boss colleagues counter degree"
    ),
    "diet": (
        "eat meat vegetarian vegan pescatarian plant plants chicken beef pork fish dairy cheese diet gluten "
        "keto carnivore meal dinner breakfast lunch vegetable"
    ),
    "alcohol": "alcohol wine beer whisky vodka gin spirits drink sober teetotal pint cocktail bar",
    "tobacco": "smoke cigarette tobacco cigar vape nicotine pipe",
    "caffeine": "coffee espresso tea caffeine decaf latte cappuccino",
    "relationship": (
        "date dating partner boyfriend girlfriend husband wife single married marriage engaged engage divorce "
        "couple split relationship fiance wedding spouse widow official exclusive lover crush bloke"
    ),
    "pet": (
        "dog cat puppy kitten rabbit hamster parrot tortoise beagle greyhound terrier poodle labrador "
        "retriever shepherd tabby pet rescue breed horse pony budgie goldfish gecko ferret kennel vet"
    ),
    "vehicle": (
        "truck pickup lorry minivan suv "
        "bike bicycle wheeler car drive ride cycle motorbike motorcycle scooter van vehicle "
        "electric tram bus train commute saddle engine tank skoda kia volvo volkswagen golf toyota honda ford "
        "fiat renault peugeot citroen bmw audi mercedes tesla mazda nissan hyundai opel seat subaru jeep "
        "brompton gazelle vespa inspection garage mileage dealer heap clutch"
    ),
    "device": (
        "phone smartphone laptop computer tablet iphone android macbook pixel watch camera headphones screen "
        "keyboard operating linux windows ubuntu editor fairphone samsung galaxy nokia oneplus xiaomi "
        "motorola huawei thinkpad dell lenovo handset battery"
    ),
    "phone": "phone extension dial number call reach mobile ring landline text",
    "email": "email e-mail mail inbox address write",
    "money": (
        "cost price fee rent pay salary wage budget charge bill euro dollar pound membership subscription "
        "earn expensive cheap statement raise rate month monthly payday account bank pence quid"
    ),
    "allergy": "allergic allergy throat swell rash hives itch react reaction epipen intolerant intolerance",
    "lung": "asthma inhaler lung puffer breath cough",
    "health": (
        "diagnose diabetes medication pill tablet dose prescription doctor surgery cast crutches knee back "
        "migraine pressure insulin therapy injury heal cure recover symptom glasses lens brace wheelchair "
        "tablets pills allergist hay fever"
    ),
    "travel": (
        "fly flight holiday vacation trip travel campervan cruise hotel book booked train tour ferry resort "
        "destination airport itinerary honeymoon weekend airline hostel cabin camping"
    ),
    "party": "party guest celebration celebrate birthday invite invitation barbecue housewarming",
    "wedding": "wedding marry married ceremony bride groom",
    "stage": "recital concert stage performance perform play show theatre gig rehearsal choir orchestra premiere",
    "meeting": (
        "meeting appointment interview call session exam test deadline due submit hand report lecture class lesson"
    ),
    "colour": (
        "colour color shade red blue green yellow black white grey gray brown orange purple pink mustard "
        "beige navy teal turquoise cream silver gold maroon olive dark light"
    ),
    "sport": "run running gym swim yoga climb tennis football marathon club workout boxing pilates jog",
    "contact": "speak speaking talk call calls phone contact terms touch write letters visit",
    "hobby": (
        "knit paint guitar piano violin lesson learn practise practice sing garden pottery chess collect judo "
        "karate dojo belt clarinet cello trumpet drums percussion flute saxophone ukulele accordion orchestra "
        "band"
    ),
    "language": (
        "language german french spanish italian dutch polish japanese chinese portuguese korean russian "
        "arabic hindi swedish danish norwegian finnish greek turkish czech hungarian mandarin cantonese welsh "
        "irish flashcard vocabulary grammar"
    ),
    "sleep": "sleep wake alarm bed night early insomnia",
    "faith": "church faith religion religious believe catholic muslim jewish buddhist atheist pray",
    "study": (
        "study studying major majoring degree student university college course subject faculty semester "
        "geology linguistics history physics chemistry biology maths mathematics law medicine economics "
        "philosophy"
    ),
    "garden": (
        "garden bed border dahlia rose tulip lavender tomato lettuce herb shrub hedge lawn slug weed compost "
        "plant planted seedling allotment greenhouse"
    ),
    "software": (
        "editor ide sublime vim neovim emacs helix zed vscode pycharm notion obsidian evernote todoist plugin slack"
    ),
    "streaming": "spotify tidal deezer netflix disney hulu streaming playlist music subscription listen",
    "gym": "gym treadmill climbing bouldering membership showers weights",
}


def _stems() -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for domain, words in _DOMAIN_WORDS.items():
        for stem in terms(words.replace("-", " ")):
            out.setdefault(stem, set()).add(domain)
    return {stem: frozenset(domains) for stem, domains in out.items()}


_DOMAINS = _stems()

MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
# An end without a new value.
ENDED = fold_case(
    r"\b(?:had to (?:give up|quit|stop|drop out|cancel|sell|close|pull out|call off|let go of)"
    r"|(?:pulled|backed) out|bailed on|packed in (?:my|the|his|her|their)"
    r"|no longer|not? .{0,60}\bany ?more|any longer|no more|ha(?:ve|s) not (?!been\b)\w+ .{0,40}\bsince"
    r"|ha(?:ve|s) not (?!been\b)\w+(?: \w+){0,3} (?:for|in) (?:\w+ ){1,2}(?:days|weeks|months|years)|gave up"
    r"|given up|(?<!never )(?<!not )(?<!n't )(?<!to )quit|stopped"
    r"|have stopped|broke up|split up|separated|divorced|passed away|died"
    r"|lost (?:my|our|his|her|their|the)|stole|stolen|sold|threw in the towel"
    r"|dropped out|left \w+ing|handed in my|gave up the ghost|off the (?:menu|table)|packed (?:it )?in|failed its|got"
    r" rid of|threw (?:away|out)|went in the bin|cancell?ed|called off|ended(?! up)|over with|done with|finished with"
    r"|(?:is|are|lies?|now) behind (?:me|us)"
    r"|discharged|cured|all clear|outgrew|outgrown|no trace|gone for good|left (?:my|our|the|his|her|their) (?:job"
    r"|company"
    r"|team|club|band|choir|group|orchestra|party|church|class|course|gym|society|association)"
    r"|left (?-i:[A-Z]\w+)\b(?! (?:at|in|on|with|for|alone|behind)\b)|laid off"
    r"|made redundant|got (?:the sack|sacked)|was sacked"
    r"|(?:was|were|been|got|'m|am) (?:fired(?! up)|let go)"
    r"|(?:was|were|been|got) (?:evicted|expelled|(?:kicked|thrown|chucked|booted) out (?:of (?:the|my|our|his|her"
    r"|their) (?:\w+ )?(?:band|team|squad|club|choir|class|course|house|flat|home|school|college|university|society)"
    r"|by (?:my|our|his|her|their) (?:land\w+|parents|mum|mom|dad|mother|father|flatmates?)))"
    r"|resigned|retired|wrote off|broke down for good|do(?:es)? not need to .{0,60}any|ended (?:it|things)"
    r"|buried|flogged|gave (?:\w+ ){1,2}away|dropped (?:that|it)\b|off the \w+ (?:completely|entirely|for good)"
    r"|(?:have|has) not touched|unsubscribed|given away|gave away"
    r"|nicht mehr|aufgehört|aufgegeben|verkauft|getrennt|(?:ne|n').{1,40}\bplus\b|arrêté|vendu|quitté|rompu|ya no"
    r"|dejado? de|dejé|vendí|vendido|rompimos)\b",
)
# A change to another value, whatever it is that changes.
_CHANGE_TEXT = (
    r"\b(?:(?<!for )(?<!right )(?<!until )now(?! that\b| and (?:then|again)\b|,"
    r"|,? (?:i|we|you|they|the user|NAME)(?:'ll| can| could| will| just)\b)"
    r"|from (?:here on|today|tomorrow|this (?:week|month|year|summer|term|autumn)|the (?:first|1st)"
    r"|next (?:week|month|year|term))|ended up|handed over|sign(?:ed|ing) with|nowadays|these days"
    r"|as of|from now on|instead|switched|swapped|changed|moved|relocated|(?:was|were|been|got) transferred"
    r"|replaced|upgraded|traded"
    r"|converted|postponed|rescheduled|pushed (?:back|to)|brought forward"
    r"|(?<!user was )(?<!\bi was )(?<!\bwe were )(?<!born and )raised|lowered"
    r"|put (?:\w+ ){0,3}(?:up|off|back|down)"
    r"|increased|decreased|reduced|extended|shortened|adjusted|updated|went (?:up|down)|(?:is|are|am) (?:up|down) to"
    r"|dropped to|rose to"
    r"|(?:grown|grew|shifted|risen|fallen|improved|expanded) to|shifted"
    rf"|since (?:the (?!age)|last|this|\w+day\b|(?:{MONTH})(?! \d)|spring|summer|autumn|winter|new year)"
    r"|take (?:it|that|this)(?:"
    r" all)? back|changed my mind"
    r"|(?:come|came) round|grown on me|it will be|after all|went from|turned out|moved on|no sooner|has been (?:\w+"
    r" ){1,2}(?:weeks|months|years) on"
    r"|jetzt|nun|umgezogen|gewechselt|stattdessen|ab sofort|verschoben|maintenant|désormais|changé|déménagé"
    r"|plutôt|reporté|ahora|cambiado|cambié|mudé|mudado|en vez|aplazado)\b"
)
CHANGE = fold_case(_CHANGE_TEXT.replace("NAME", r"(?-i:[A-Z]\w+)"), _CHANGE_TEXT.replace("NAME", r"(?!)"))
_NEW_ONE = (
    r"(?:picked up|got(?: myself| ourselves)?|bought|collected|drive|drives|use|uses)"
    r" (?:my|our|his|her|their|a|the) (?:brand[- ])?new (?-i:[A-Z]\w+)"
)
# Where somebody spends their free time: a first day there is no new job.
_LEISURE = (
    r"(?:at|in|on|with|for) (?:the |an? |my |our |his |her |their |the user's )?(?:[\w-]+ ){0,2}(?:gym|pool|club|choir"
    r"|yoga|pilates|dojo|class|classes|lessons?|course|therapy|physio|church|library|playgroup)\b"
)
# A change within one part of life: a first week somewhere is a new job.
_BEGUN = {
    "home": r"\b(?:unpack(?:ed|ing)|removal (?:van|men|company)"
    r"|keys (?:to|for) (?:(?:my|our|the|a) )?(?:[a-z-]+ ){0,2}?(?:flat|house|home|place|apartment|cottage|bungalow)\b"
    r"|new (?:flat|house|apartment|place|address"
    r"|home)(?! ?(?:mates?|plants?|rules?|music|wine|guests?|part(?:y|ies))\b)|moving boxes)\b",
    "job": r"\b(?:made redundant|got the sack|lost (?:my|his|her|their) job"
    r"|(?:was|were|got|been) (?:fired(?! up)|sacked)"
    r"|quit (?:my|his|her|their) job|(?:gone|went) back to (?:uni|school|college|university)|(?:taken|took|got"
    r"|found|landed|accepted) (?:an?|another|the|his|her|my|their) (?:new |full-time )?"
    r"(?:job|position|post|role) (?:at|with|as|in)|(?:first|second|third) (?:day|week|month|year|shift)"
    rf" (?!{_LEISURE})(?:at|as|behind|in the job|of (?:work"
    r"|training)|on the|with|of (?:an?|my) )|new (?:job|position|role|employer)\b"
    r"(?! (?:title|description|sheet|list|done)\b)"
    rf"|week (?:two|three|four|\d+) (?:of|at)|started (?!{_LEISURE})(?:as|at|working|with (?-i:[A-Z]))|hired"
    r"|handed (?:in )?(?:my|his|her|their|[\w-]+'s) notice|apprentice(?:ship)?|promoted to|retrain(?:ed|ing)"
    rf"|signed (?:on|with|the contract)|enrolled(?! {_LEISURE}))\b",
    "diet": r"\b(?:(?:days|weeks|months|years) (?:on|of|without)|cut out|went (?:vegan|vegetarian|keto|plant)|back to"
    r" eating|eat(?:ing|s)? (?:\w+ ){1,3}again|off (?:meat|dairy|fish))\b",
    "relationship": r"\b(?:engaged|made it official"
    r"|(?<!years )married(?! (?:(?:now|already|happily|to \w+) ){0,2}(?:for (?!real)|since|\d|(?:one|two|three|four"
    r"|five|six|seven|eight|nine|ten) years))|single again|moved in together|(?:am|is|are|'m|'re|been)"
    r" seeing (?!how|the|that|this|them|so|people|everyone)|exes|got back together"
    r"|proposed(?! (?:that|this|it|we|our|my|[a-z]+ing|(?:an?|the)(?! (?:\w+ )?(?:day|night|week|month|year|while)))\b)"
    r"|said yes)\b",
    "pet": r"\b(?:rehomed|moved in|ran away|put down|put to sleep)\b",
    "vehicle": rf"\b(?:scrapped|written off|totall?ed|new (?:car|bike|van|scooter)|lease|leasing"
    rf"|insurance paid|{_NEW_ONE})\b",
    "device": rf"\b(?:broke|new (?:phone|laptop|computer|tablet)|cracked|died|{_NEW_ONE})\b",
    "phone": r"\b(?:new number|dial|new phone number)\b",
    "health": r"\b(?:healed|recovered|off the (?:pills|tablets|medication)|prescribed|diagnosed)\b",
    "colour": r"\b(?:repainted|painted|dyed)\b",
}
BEGUN = {domain: fold_case(pattern) for domain, pattern in _BEGUN.items()}
# A judgement or a plan that is taken back.
REVISED = fold_case(
    r"\b(?:(?:take|taking|took) (?:it|that|this)(?: all)? back(?! to\b)|changed my (?:mind|opinion)|(?:come|came)"
    r" (?:round|around)|grown on me"
    r"|stand corrected|(?<!he )was wrong about|went off|have gone off|not so sure any ?more|meinung geändert"
    r"|changé d'avis|cambiado de (?:idea|opinión))\b",
)
RECENT = regex(
    r"\b(?:recently|lately|so far|already|by now|meanwhile|includes?|reached"
    r"|reaching)\b",
    re.IGNORECASE,
)
CORRECTION = fold_case(
    r"(?:^|[.!;:]\s*[\"“]?|\b(?:oh|oops|ah|hm+|sorry|no)\b,? )(?:no,? wait|wait|actually"
    r"|sorry(?! to| about| for| that| i| you| your|,? but)|correction|oops|scratch that"
    r"|my mistake|my bad|i meant|i mean|i mixed"
    r"|misread|looking at the|i misspoke|i read the wrong|i got (?:that|it|the \w+) wrong|let me correct|on second"
    r" thought|i was wrong"
    r"|entschuldigung|ich meinte|korrektur|pardon|désolé|je voulais dire|perdón|quería decir|quise decir|me"
    r" equivoqué)\b"
    r"|\b(?:i meant|i mixed (?:it|that|them|those) up|mixed up|got (?:it|that) wrong|the wrong (?:row|line|day|column"
    r"|one|date|year)|typo)\b",
)
ADDITION = regex(
    r"\b(?:also|too|as well|another|second|third|additional|extra|besides|in addition|both|on top of|two (?:more"
    r"|other)|one more|alongside"
    r"|auch|noch ein\w*|zweite\w*|zusätzlich|aussi|en plus|encore une?|deuxième|seconde?|también|además|otr[oa]"
    r"|segund[oa])\b",
    re.IGNORECASE,
)

# What somebody lives in, or moves to, in small letters; everything else that has an article is no place to live.
_PLACE_NOUN = regex(
    r"['\u2019]|\b(?:village|town|city|suburbs?|outskirts|countr(?:y|yside)|coast|seaside|island|mountains|hills?|valley"
    r"|woods?|forest|desert|jungle|bush|north|south|east|west|middle of nowhere|cent(?:re|er)|downtown|abroad|capital"
    r"|districts?|neighbou?rhood|quarter|area|region|province|county|state|street|road|avenue|lane|house|home|flat"
    r"|apartment|studio|bedsit|bungalow|cottage|cabin|farm|farmhouse|chalet|villa|condo|loft|annexe?|granny flat|room"
    r"|dorms?|halls?|hostel|hotel|shelter|barracks|convent|commune|squat|caravan|camper|campervan|motorhome|trailer|van"
    r"|(?:house|narrow)?boat|yurt|tent|houseshare|flatshare|share|place|vicarage|rectory|school|barn|monastery|chapel"
    r"|church|pub|base|mill|lighthouse|hut|shack|lodge|mansion|castle|tower|block|building|basement"
    r"|estate|complex|community|family)s?\b",
    re.IGNORECASE,
)
_ARTICLE = regex(r"(?:an?|the|my|our|his|her|their|this|another|different)\s+", re.IGNORECASE)
# "Moved over to Helix for all my editing" is no move of house, nor is one to a team, a shift or a drink.
_TOOL = regex(
    r"(?:Slack|Teams|Python|Java|JavaScript|TypeScript|Rust|Kotlin|Django|Postgres|MySQL|GitHub|GitLab|Jira|Trello"
    r"|Asana|Figma|Zoom|Excel|Outlook|Gmail|Firefox|Chrome|Docker|Kubernetes|AWS|Azure|Google|Plan|Part|Phase|Level"
    r"|Windows|macOS|iOS|Android|Linux|Ubuntu|Notion|Obsidian|Evernote|ChatGPT|Team|Year|Day)"
    r"(?: (?!(?:Street|Road|Lane|Avenue|Park|Hill|Valley|Square)\b)[A-Z0-9]\w*)?"
    r"(?=$| (?:for|at|from|last|this|and|today|yesterday)\b)"
    r"|(?:Deliveroo|Uber Eats|Just Eat|DoorDash|Netflix|Red Bull|Monster|Huel|Nutella|Diet Coke|Coke|Pepsi|Twitter"
    r"|TikTok|Twitch|Reddit|Discord|Facebook|Instagram|YouTube|Spotify|Universal Credit|Pot Noodles?|Greggs|Haribo"
    r"|Marmite|Vodafone|Verizon|T-Mobile|AT&T|giffgaff|Giffgaff|Airtel|Jio|O2|EE|Starling|Monzo|Revolut|Barclays|HSBC"
    r"|Lloyds|NatWest|Octopus)(?: (?:Energy|Bank|Mobile))?(?=$|,| (?:and|at|for|these|when|now)\b)"
    r"|(?:[A-Z][\w&]+ ){0,2}(?:Marketing|Sales|Finance|Engineering|Operations|Accounting|Procurement|Logistics|HR)"
    r"(?=$| (?:for|at|from|last|this|and|today|yesterday)\b)"
    r"|.* for (?:all|every|my|the|most)\b|[\w&.-]+(?: [A-Z&][\w&.-]*)* as an? "
)
_NO_PLACE = regex(
    r"(?:[\w-]+ ){0,2}(?:milk|water|juice|matcha|days?|nights?|lates|earlies|evenings|weekends?|weeks?|mornings?"
    r"|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|times?|part[- ]time|full[- ]time|hours"
    r"|shifts?|teams?|departments?|plans?|bands?|hope|fear|denial|peace|harmony|sin|poverty|chaos|limbo|pain|misery|dread"
    r"|trackies|tears|action|compassion"
    r"|marketing|sales|finance|accounting|accounts|hr|logistics|procurement|engineering|management|operations|admin"
    r"|pyjamas|pajamas|jeans|leggings|hoodies|sweatpants|joggers|slippers|it|them|this|that|cash|google)\b"
    # "Reading novels", but not "Reading, Berkshire".
    r"|(?:\w+ ){0,2}floor\b(?! in\b)|[a-z]+ing (?!(?:in|near|uk|england|wales|scotland|ireland|berkshire|essex|kent"
    r"|surrey|sussex|pa|pennsylvania|ma|town|city|area|last|now|with|since|this|a|because|on|at|and|to|so|but|for)\b)[a-z]",
    re.IGNORECASE,
)
# Towns that other words of ours are, too.
_TOWN = regex(
    r"(?:boulder|mobile|orange|split|lens|bowling green)"
    r"(?=$|,| (?:county|co|colorado|al|alabama|ca|california|nsw|croatia|france|ky|kentucky)\b)",
    re.IGNORECASE,
)
_NUMBERED = regex(r"\d[\w/-]*,? [\w ]{0,20}[A-ZÀ-Þ]|\d[\w/-]* \w+ (?:street|road|avenue|lane)\b")
_IN_A_PLACE = regex(r"\b(?:in|near|outside|above|by|on) (?:the )?[A-ZÀ-Þ]")
_SINCE_WHEN = regex(
    r"(?<=\w) (?:last|this|next|in (?-i:[a-z]\w*|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*)|on|at|with"
    r"|since|because|a (?:few|couple)|an? \w+ ago|now|yesterday|today|these days)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_NOT_LIVED_IN, _STAY = (regex(text, re.IGNORECASE) for text in (NOT_LIVED_IN, STAY))
_LIVABLE = frozenset(("home", "bedroom", "travel", "garden"))


@lru_cache(maxsize=4_096)
def is_no_place(value: str) -> bool:
    """Return whether nobody lives in what a value names: "a new team", "insulin", "the 17th", but "york" may be one."""
    article = _ARTICLE.match(value)
    plain = _SINCE_WHEN.sub("", value[article.end() :] if article is not None else value)
    if _TOOL.match(plain) or any(_NOT_LIVED_IN.match(said) for said in (value, plain)):
        return True
    if not plain[:1].islower():
        return not plain[:1].isalpha() and _NUMBERED.match(plain) is None
    if _NO_PLACE.match(plain) is not None:
        return True
    if _TOWN.match(plain) or _PLACE_NOUN.search(plain) is not None or _IN_A_PLACE.search(plain) is not None:
        return False
    return article is not None or not domains_of(plain) <= _LIVABLE


@lru_cache(maxsize=16_384)
def domains_of(text: str) -> frozenset[str]:
    """Return the parts of life that the words of a text belong to."""
    return frozenset(words_of_domains(text))


_OTHER_SENSES = regex(
    r"\bcalled (?=off\b|(?-i:[A-ZÀ-Þ]))|\bdriving (?=test\b|lessons?\b|licen[cs]e\b)"
    r"|\bkeys? (?=(?:to|for|of) (?:the|my|our|his|her|their|an?) (?:\w+ )?(?:office|shop|car|van|bike|gym|work|club)\b)"
    r"|\bflat (?=tyres?\b|tires?\b|batter)|\bplant(?:s|ed)? (?=(?:an?|the|some|my|our)\b)|\bglass(?:es)? (?=of\b)"
    r"|\bretirement (?=(?:village|home|flat|community|complex)\b)|\bmodel trains?\b"
    r"|\bquit(?:s|ting)? (?=(?:smoking|vaping|drinking|gambling|snacking|swearing|scrolling|biting|eating|sugar|alcohol"
    r"|caffeine|coffee|cigarettes|booze)\b)"
    r"|\bwith (?:\w+ ){0,2}colleagues?\b|\b(?:have|has) a degree\b"
    r"|\b(?:is|was|are|were|be|been|being|got|gets) moved\b"
    r"|\bthey moved (?=(?:me|us|them|it|him|her|the|my|our|their|this|that)\b)",
    re.IGNORECASE,
)


_MOVED = with_marks(
    "mov|relocated",
    r"\b(?:moved?|moving|moves|relocated) (?:(?P<on>on\b(?! to\b)|desks?\b|seats?\b|banks\b|teams?\b)"
    r"|(?:(?:up|down|over|back|across|on) )?(?:from [^,.;:!?]{1,40}? )?(?:in|on)?to (?P<where>[^,.;:!?]{1,60}))",
)


def _name_other_move(found: re.Match[str]) -> str:
    """Return a move of house as it is told, and another one without its verb."""
    where = found["where"] or ""
    return f"change {where}" if found["on"] or is_no_place(where) or _STAY.match(where) else found[0]


def plain_senses(text: str) -> str:
    """Return a text as its words are looked up: who is training takes no train, and a name is no phone call."""
    plain = text[:LONGEST].replace("-", " ").replace("training", "workout").replace("Training", "Workout")
    plain = _OTHER_SENSES.sub("", plain) if matches(_OTHER_SENSES, plain) else plain
    return _MOVED.sub(_name_other_move, plain) if matches(_MOVED, plain) else plain


@lru_cache(maxsize=16_384)
def words_of_domains(text: str) -> Counter[str]:
    """Return how many different words of a text belong to each part of life."""
    return Counter(domain for stem in set(terms(plain_senses(text))) for domain in _DOMAINS.get(stem, ()))


_ASKS_PRICE = regex(r"\b(?:costs?|prices?|charge|how much (?:is|are|does|do|for))\b", re.IGNORECASE)
_PRICE = frozenset(terms("cost price charge much"))


@lru_cache(maxsize=1_024)
def words_of_price(question: str) -> frozenset[str]:
    """Return the terms by which a question asks what a thing costs, and that name nothing else."""
    return _PRICE if _ASKS_PRICE.search(question) else frozenset()
