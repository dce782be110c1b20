"""The phrases of everyday English, and of English that is learnt, which state something of a person.

The same form as the table of `patterns`: first words, the pattern behind them, the attribute, and whether several
values hold at once.
"""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

__all__ = ["ANIMAL", "DOES_STUDY", "DRUG", "EVERYDAY", "NO_STAY", "PRESCRIBED"]

ANIMAL = (
    r"(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|budgie|tortoise|guinea pig|gerbil|ferret|pony|beagle|greyhound"
    r"|lurcher"
    r"|whippet|labrador|retriever|spaniel|terrier|poodle|husky|dachshund|collie|corgi|pug|bulldog|chihuahua|sheepdog"
    r"|labradoodle|cockapoo|schnauzer|rottweiler|dalmatian|siamese|ragdoll|tabby|tomcat|cockatiel|canary)s?"
)
# Names of medicines end alike all over the world.
DRUG = (
    r"(?:[a-z]{2,}(?:olol|[a-z]pril|sartan|statin|formin|gliptin|gliflozin|odipine|prazole|oxetine|traline|alopram"
    r"|mycin|cillin|cycline|azepam|azolam|thyroxine|tadine|rizine|triptan|xaban|nisolone|nisone|dronate|triptyline"
    r"|lukast|tamol|profen)"
    r"|insulin|warfarin|aspirin|lithium|ritalin|adderall|ozempic|xanax|prozac|zoloft|lipitor|statins"
    r"|antidepressants|beta[- ]blockers|blood thinners)"
)
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
    r"|(?:last|this) (?:week|weekend|summer|winter|month|spring|autumn)|until"
    r"|while|booked|booking|as an investment|do up|to (?:eat|record|stay|students)|half term"
    r"|till"
    r"|for (?:a|one|two|three|\d+) (?:night|day|week|month)s?|to (?:rent|let)|holidays?|airbnb|parents|for (?:my"
    r"|our|his|her|their|the user's) (?!own|family|work))\b)"
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
    r"|nutritionist|sous chef|tester|postdoc|researcher)"
)
_TENS = (
    r"(?:thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty"
    r"|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_JOB = r"(?:job|position|post|internship|apprenticeship|traineeship|placement)"
_MY = "(?:my|our|his|her|their)"
_SUBJECT = (
    r"(?:computer science|comp sci|data sci(?:ence)?|law|medicine|engineering|(?:mechanical|electrical|civil|chemical"
    r"|software) engineering|maths?|mathematics|physics|chemistry|biology|history|economics|business(?: studies)?"
    r"|psychology|nursing|architecture|accounting|accountancy|philosophy|geography|geology|linguistics|sociology"
    r"|politics|marketing|finance|journalism|statistics|fine art|graphic design|media studies|education|pharmacy"
    r"|dentistry|veterinary (?:science|medicine)|anthropology|theology|music|drama|english literature|english lit)"
)
_HOUSEMATES = (
    rf"{_MY} (?:\w+ )?(?:parents|mum|mom|dad|folks|family|sister|brother|gran\w*|girlfriend|boyfriend|partner|wife"
    rf"|husband|kids"
    r"|son|daughter|friends?|mates?|flatmates?|roommates?|in-laws|cousin|uncle|aunt)(?:,? (?-i:[A-ZÀ-Þ])[\w'-]+)?"
)
_MODEL = (
    r"(?:Yaris|Golf|Polo|Clio|Corsa|Astra|Octavia|Fabia|Qashqai|Micra|Punto|Aygo|Duster|Sandero|Hilux|Camry|RAV4"
    r"|Forester"
    r"|Impreza|Sportage|Tacoma|Wrangler|Vivaro)"
)
_CAR = r"(?:car|van|bike|truck|motorbike|scooter|suv|estate|hatchback|saloon|ute|pick-?up)"

EVERYDAY: tuple[tuple[str, str, str, bool], ...] = (
    ("moved", rf"(?:back )?in with (?:[\w'-]+ ){{1,4}}?(?:in|near) {_PLACE}", "home", False),
    ("stay stays", rf"in an? (?:[\w-]+ ){{0,2}}{_ROOM} in {NO_STAY}{_PLACE}", "home", False),
    ("stay stays", rf"in (?P<v>(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)*) with {_MY} {NO_STAY}", "home", False),
    ("bought rented rent rents renting found got took taken take",
     rf"(?:on )?(?:our own|my own|his own|her own|a new|an? (?=[^.;]*\bnow\b)) ?(?!holiday|second|summer|vacation"
     rf"|weekend|hotel)(?:[\w-]+ ){{0,3}}{_DWELLING}"
     rf" (?:at (?-i:[A-ZÀ-Þ])[\w' -]+? )?in {NO_STAY}{_PLACE}", "home", False),
    ("starts", r"(?:working |work )?(?:a new job |a job )?as (?:an? |the )?(?P<v>[^;:!?]{1,120})", "occupation", False),
    ("am is", rf"(?:now |already |currently )?(?P<v>(?:(?!not |no |the |your |my |a |an |their |his |her )[a-z-]+"
        rf" )?{_WORKER}"
     r"(?: of (?:an? )?[a-z]+)?)"
     r"(?=$|[,.]| (?:in|at|for|now|there|here|and|since|these days)\b)(?<! lead)(?<!^lead)", "occupation", False),
    ("am is", r"(?:now |already |currently )?(?P<v>(?:test|tech|team|design|project|shift|product|engineering"
        r"|sales) lead)\b",
     "occupation", False),
    ("work works working", rf"like (?:an? )?(?P<v>(?:[a-z-]+ )?{_WORKER}(?: in an? (?:company|firm)[^;:!?]*)?)",
     "occupation", False),
    ("got found landed taken took accepted have has",
     rf"(?:an? |the |{_MY} )(?:[\w-]+ ){{0,2}}?{_JOB} (?:at|with) (?P<v>[^;:!?]{{1,80}})", "employer", False),
    ("am is", rf"the (?P<v>(?:head|sous|chief|assistant|deputy|senior|general|night|duty|branch|shop|store|office"
        rf"|project"
     rf"|product|account|resident|school|district|community) {_WORKER})(?= (?:at|of|for|in)\b(?! (?:my|our|their"
     rf"|his|her|fun)\b))", "occupation", False),
    ("am is", rf"(?:now |currently )?an? (?!former|ex|retired|wannabe|would-be|bit|frustrated)(?:(?!not\b"
        rf"|role\b)[a-z-]+ ){{0,2}}"
     rf"(?P<v>{_TRADE})(?=$|[,.;!]| (?:in|at(?! (?:the )?weekends?| heart)|for (?!fun|my|our|me|a )|and|now|from"
     rf"|with|but"
     r"|these days|since)\b)", "occupation", False),
    ("am is", r"(?:now |currently )?(?P<v>self[- ]employed)\b", "occupation", False),
    ("work works", r"(?:nights|days|weekends|part[- ]time|full[- ]time|mornings|evenings|shifts|from home) (?:at"
        r"|for) (?:the )?(?P<v>(?-i:[A-ZÀ-Þ])[^;:!?]{1,60})", "employer", False),
    ("share shares sharing", rf"an? {_DWELLING} with [^,.;]{{3,30}} in {NO_STAY}{_PLACE}", "home", False),
    ("am is", r"an? (?P<v>[a-z][a-z -]{2,30}) by trade\b", "occupation", False),
    ("allergy allergies", r"(?:of|to|for|against|from|with) (?P<v>[^;:!?]{1,60})", "allergy", True),
    ("started", rf"{_MY} own (?P<v>(?:[\w-]+ ){{0,2}}(?:business|company|firm|shop|thing|practice|agency|studio"
        rf"|bakery|garage"
     r"|brand|label|start-?up|salon|café|cafe))\b", "occupation=own {}", False),
    ("have has", r"(?:an? )?(?:bad |severe |strong )?allergy (?:of|to|for|against|from|with) (?P<v>[^;:!?]{1,60})",
     "allergy", True),
    ("am is got", r"(?:employed|hired|taken on) by (?:the )?(?P<v>[^;:!?]{2,60})", "employer", False),
    ("am is", r"doing an? apprenticeship as an? (?P<v>[a-z][a-z -]{2,30})", "occupation=apprentice {}", False),
    ("got get have has", rf"the keys (?:to|for) {_MY} (?:\w+ )?{_DWELLING} in {NO_STAY}{_PLACE}", "home", False),
    ("bought", rf"{_MY} (?:own|new|first) (?:\w+ )?{_DWELLING} in {NO_STAY}{_PLACE}", "home", False),
    ("live lives living", rf"with {_HOUSEMATES} in {NO_STAY}{_PLACE}", "home", False),
    ("am is are", rf"(?:now |currently )?living with {_HOUSEMATES} in {NO_STAY}{_PLACE}", "home", False),
    ("am is", r"(?:recently|newly|now|happily|just|finally) (?P<v>single|divorced|widowed|engaged|married"
        r"|separated)\b(?![- ]?handed| minded| for the| from the| to (?:the|my|this))",
     "relationship", False),
    ("am is", r"(?P<v>(?:dairy|gluten|lactose|sugar|wheat|egg)[- ]free)(?=$|[,.;]| (?:now|since|and|because|at"
        r"|these)\b)", "diet", False),
    ("am is", r"(?:a )?(?P<v>(?:T1|T2|type [12]) diabetic)\b", "condition", True),
    ("have has got bought", rf"(?:myself |ourselves )?an? (?:(?:used|new|second-hand|old|little)"
        rf" )*(?P<v>{_MODEL})\b(?! (?:shirt|handicap|lesson|clubs?|course|bag|trip))",
     "vehicle", True),
    ("doing am is", r"(?:doing )?an? (?:[\w-]+ )?(?:internship|placement|apprenticeship|traineeship) (?:at|with)"
        r" (?:an? )?"
     r"(?P<v>[^;:!?]{2,60})", "employer", False),
    ("become turned", r"(?:an? )?(?P<v>vegan|vegetarian|pescatarian)\b(?! for )", "diet", False),
    ("settled", rf"(?:down )?(?:near|outside|just outside) {_PLACE}", "home", False),
    ("was were been got am is", r"(?:been |just |recently )*diagnosed (?:with|as having) (?:an? )?"
     r"(?P<v>(?!flu\b|covid|a cold|broken|(?:the|my|his|her|their|our)\b)[\w][\w -]{2,40})", "condition", True),
    ("do does", rf"(?P<v>{_SUBJECT})(?= (?:at|in) (?:uni|university|college|school|sixth form|[a-z]+ uni"
        rf"|(?-i:[A-Z])))", "studies", False),
    ("turned", rf"(?:just )?(?P<v>{_TENS})(?:,? (?:now|today|yesterday|last \w+|this \w+|on \w+).*| ?)$", "age", False),
    ("am is", rf"doing (?:an? )?(?P<v>{_SUBJECT})(?= (?:at|in|now|degree)\b|[,.]|$)", "studies", False),
    ("am is", rf"in {_MY} \w+ year (?:at|of) [^,;]{{2,40}}, doing (?P<v>{_SUBJECT})\b", "studies", False),
    ("switched changed moved", rf"(?:{_MY} )?(?:majors? |degree |course )?from {_SUBJECT} to (?P<v>{_SUBJECT})\b",
     "studies", False),
    ("am is", r"(?:already |only |just |now )(?P<v>\d{1,3})(?: years? old)?$", "age", False),
    ("am is", r"(?:very |really |also )?allergic (?:for|against|on|of) (?P<v>[^;:!?]{1,60})", "allergy", True),
    ("got", rf"(?:an?|two|three|another) (?P<v>(?!hot )(?:[\w-]+ ){{0,2}}{ANIMAL}(?: (?:called|named) [\w'-]+)?)"
     r"(?=$|[,.;]| (?:and|now|from|at|last|this|who|today|for)\b)", "pet", True),
    ("take takes taking am is started", rf"(?:on |taking |to take )?(?P<v>{DRUG})\b(?! (?:watch|pump|duty|question"
        rf"|team|thing|for (?:my|our|the|his|her|their)))", "medication", True),
    ("traded swapped", rf"(?:in )?{_MY.replace('my', 'my|the')} (?:old )?(?:[\w-]+ )?(?:(?-i:[A-Z])[\w-]+"
        rf"|{_CAR})(?: in)? for an? "
     r"(?P<v>(?:new |used |electric |second-hand |hybrid )*(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z0-9])[\w-]*){0,2})",
     "vehicle", True),
)  # fmt: skip
DOES_STUDY = regex(
    rf"(?:do|does) (?:{_SUBJECT}) (?:at|in) (?:uni|university|college|school|sixth form|[a-z]+ uni"
    rf"|(?-i:[A-Z]))"
)
"""A subject that somebody does at a school: here "does" is the verb."""
PRESCRIBED = regex(
    r"\b(?:doctors?|doc|gp|specialist|cardiologist|psychiatrist|neurologist|consultant|nurse|they)(?: has|"
    r" have)?(?: just"
    rf"| now)? (?:put|switched|moved|started|changed) (?P<who>[\w ]{{2,30}}?) (?:from [\w -]{{3,30}} )?(?:on to"
    rf"|onto|on|to)"
    rf" (?P<value>{DRUG})\b",
    re.IGNORECASE,
)
"""A medicine that somebody else gives: "my doctor put me on lisinopril"."""
