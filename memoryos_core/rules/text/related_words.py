"""English words that belong together: forms and spellings, synonyms, words that are asked and told (ADR 0044).

They help a question to find: "What did I buy?" meets "I bought". Nothing else is compared by them: a film may be in a
camera, and a flat a tyre. Forms that are words of their own ("left", "saw", "rose") are not listed.
"""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

_VERBS = """
    arise arose arisen | awake awoke awoken | beat beaten | become became | begin began begun | bend bent | bind bound
    bite bitten | bleed bled | blow blew blown | break broke broken | breed bred | bring brought | build built
    burn burnt | buy bought | catch caught | choose chose chosen | cling clung | come came | creep crept | deal dealt
    dig dug | draw drew drawn | dream dreamt | drink drank drunk | drive drove driven | eat ate eaten
    fall fell fallen | feed fed | feel felt | fight fought | find found | flee fled | fly flew flown
    forbid forbade forbidden | forget forgot forgotten | forgive forgave forgiven | freeze froze frozen
    get got gotten | give gave given | go went gone | grow grew grown | hang hung | hear heard | hide hid hidden
    hold held | keep kept | kneel knelt | know knew known | lay laid | lead led | lean leant | leap leapt
    learn learnt | lend lent | lose lost | make made | mean meant | meet met
    mistake mistook mistaken | overcome overcame | pay paid | prove proven | ride rode ridden | ring rang rung
    rise risen | run ran | say said | see seen | seek sought | sell sold | send sent | sew sewn | shake shook shaken
    shine shone | show shown | shrink shrank shrunk | sing sang sung | sink sank sunk | sit sat | sleep slept
    slide slid | smell smelt | speak spoke spoken | speed sped | spell spelt | spend spent | spill spilt | spin spun
    spoil spoilt | stand stood | steal stole stolen | stick stuck | sting stung | strike struck | strive strove
    swear swore sworn | sweep swept | swell swollen | swim swam swum | swing swung | take took taken
    teach taught | tear tore torn | tell told | think thought | throw threw thrown | understand understood
    undertake undertook | wake woke woken | wear wore worn | weave wove woven | weep wept | win won
    withdraw withdrew | write wrote written
"""
_NOUNS = """
    child children | man men | woman women | foot feet | tooth teeth | goose geese | mouse mice
    person people | wife wives | knife knives | loaf loaves | shelf shelves | wolf wolves | half halves
    scarf scarves | thief thieves
"""
_SPELLINGS = """
    color colour colors colours | favorite favourite favorites favourites | neighbor neighbour neighbors neighbours
    neighborhood neighbourhood | theater theatre theaters theatres | center centre centers centres | gray grey
    program programme programs programmes | traveling travelling | canceled cancelled | jewelry jewellery
    mold mould | tire tyre | pajamas pyjamas | yogurt yoghurt | donut doughnut donuts doughnuts | labor labour
    humor humour | behavior behaviour | organize organise | practice practise | license licence
"""
_SYNONYMS = """
    mother mom mum mommy mummy mama | father dad daddy papa | grandmother grandma granny gran nan nana
    grandfather grandpa granddad grandad
    child kid | brother bro | sister sis | husband hubby | infant baby | boyfriend bf | girlfriend gf
    friend buddy pal | dog puppy pup | cat kitten kitty | movie film | photo picture photograph pic | television tv
    bicycle bike | telephone phone | car automobile | refrigerator fridge | sofa couch | apartment flat
    vacation holiday | trip journey | university uni | mathematics math maths | advertisement ad advert
    examination exam | buy purchase | begin start commence | gift present | doctor physician | lawyer attorney
    ill sick illness sickness | store shop | street road | restaurant eatery | trash rubbish garbage
    christmas xmas | birthday bday | company firm | wedding marriage marry | vegetable veggie | sneaker trainer
    stroller pram | diaper nappy | truck lorry
"""

# A question's words, and what people say when they tell of that: who earns something never says "income".
_TOLD = """
    salary income wage earnings : salary income wage earn paid pay gross | debt owe : owe loan mortgage overdraft
    cost price : cost price pay euro pound dollar | discount : off railcard coupon voucher
    employer workplace : work job company firm | boss supervisor : boss manager supervisor report lead
    colleague coworker teammate workmate : colleague coworker teammate workmate team | savings : save
    commute : commute drive train bus cycle work line tube metro tram | retirement : retire pension
    qualification : degree diploma certificate | resign : quit left notice
    address : live street road lane avenue house flat | housing : rent mortgage house flat | storey : floor
    flatmate roommate housemate : flatmate roommate housemate share | neighbour : door upstairs downstairs
    accommodation : hotel hostel airbnb stay rent | heat heating : heat heating boiler radiator gas oil pump stove
    house : bungalow cottage terraced detached semi studio flat apartment | repair : fix mend
    spouse : husband wife partner married | partner : husband wife boyfriend girlfriend fiance fiancee married
    husband wife : spouse married | married : husband wife anniversary wedding | fiance fiancee : engaged
    girlfriend boyfriend : dating seeing partner | single : girlfriend boyfriend dating married
    engagement proposal : propose engaged ring | wedding : honeymoon bride groom | ex : divorce split separated
    child : son daughter kid baby twin boy girl | son : boy kid lad | daughter : girl kid
    sibling : brother sister twin youngest eldest oldest | parent : mother father mum dad mom
    oldest eldest : oldest eldest firstborn
    grandparent : grandmother grandfather gran nan grandad granny grandma grandpa
    grandchild grandchildren : grandson granddaughter grandkid grandchild grandchildren
    baby : pregnant expecting born due | pregnant : expecting baby due | lonely : alone
    gp physician : doctor dr | medication medicine drug pill prescription : take tablet pill mg prescribed dose
    intolerance intolerant allergic allergy : allergic allergy intolerant intolerance react swell rash itch
    illness disease condition : diagnosed diabetes asthma migraine pressure syndrome
    health : diagnosed pressure knee back pain | diabetic : diabetes insulin diagnosed type
    weigh weight heavy : weigh weight kilo kg stone pound lb | height tall : height tall cm metre feet foot ft
    glasses eyesight vision : glasses lens sighted bifocals | eye : cataract glasses lens | ear : deaf
    surgery procedure : surgery operation op procedure | dentist : tooth molar filling crown brace
    injury : tore pulled ligament tendon acl | asthma : inhaler puffer | accident : hit crash crashed fell
    therapist counsellor psychologist : therapy therapist counselling
    nervous anxious : anxious nervous jittery worried
    phobia fear afraid scared : afraid scared terrified phobia fear | mood : tired stressed sad happy burnt
    diet : vegan vegetarian pescatarian keto gluten halal kosher salt sugar carb | exercise workout : gym run swim yoga
    smoke smoker : smoke cigarette vape | cigarette : smoke | alcohol : drink wine beer teetotal sober
    like enjoy love favourite : like enjoy love favourite adore fan prefer | beer : pint lager ale
    dislike hate loathe : dislike hate loathe stand abide detest | singer band : listen band singer song album concert
    music : band singer song album concert listen | artist : band singer painter | team : support fan
    film movie : watch | author : novel read wrote book | novel : pages chapter book | radio : wireless
    competition contest : final tournament cup race | gardening : allotment garden
    proud achievement : proud achievement
    hometown childhood birthplace origin originally : born grew raised originally | birthday : born turn
    age : turn turned
    holiday vacation : holiday vacation trip flying flight hotel | visit travel : been visit trip went
    airline : fly flight flew | expire expiry : expire expiry run | luggage baggage : suitcase luggage bag
    degree major : study degree graduate major | university college : uni university college study degree graduate
    graduate graduation : graduate graduation degree finish | school : school nursery kindergarten primary
    postgraduate : master masters phd | flunk : fail | exam : sit exam | course : class lesson degree
    licence : licence test passed failed theory | insurance policy : insurance insure policy cover
    mobile phone smartphone handset cell : telephone mobile smartphone iphone pixel galaxy android
    laptop computer : laptop computer macbook thinkpad pc mac
    internet broadband : broadband wifi fibre internet | registration : plate
    wake : wake alarm | bedtime : bed sleep | alarm : wake | sleep : bed nap kip insomnia apnoea snore
    deadline due : deadline due submit | religion faith religious : god believe pray church
    church : chapel | politics : vote party | monarchy royals : monarchy king queen | court : hearing trial judge
    stolen robbed : stole stolen robbed hacked | nationality citizenship : citizen passport | shaven : beard moustache
    zodiac horoscope : aries taurus gemini leo virgo libra scorpio sagittarius capricorn aquarius pisces
    goal aim ambition target : goal want dream save hope plan target | dream : want hope
    quit stop : quit stop gave | start : start begin join
    appointment : appointment dentist doctor checkup | mortgage loan : owe mortgage loan | rent : rent landlord lease
    vegetarian vegan : vegetarian vegan meat | dating : seeing dating | dissertation thesis : dissertation thesis
    series : episode season series | tablet : ipad tablet | denomination : church
    subscription : subscription spotify netflix | camera : camera lens canon nikon leica sony | nap : nap snooze doze
"""
# Questions that name by several words what they ask for.
_ASKED = (
    (
        r"how much (?:money )?(?:do|does|did|am|is|are|will) .{1,30}?\b(?:make|earn|paid|take home|bring home)\b",
        "salary",
    ),
    (r"how old\b", "age"),
    (r"how heavy\b", "weight"),
    (r"\b(?:get|gets|getting) (?:up|out of bed)\b", "wake"),
    (r"\b(?:go|goes|going) to (?:bed|sleep)\b", "bedtime"),
    (r"\b(?:free|spare|leisure) time\b|\btime off\b|\bfor fun\b", "hobby"),
    (r"\balma mater\b|\bgo(?:es)? to uni", "university"),
    (r"\b(?:my|our) (?:(?:other|better) half|significant other)\b", "spouse"),
    (
        r"\bwhat (?:do|does|did) (?:i|we|my [\w'\u2019-]+|(?-i:[A-Z]\w+)) do"
        r"(?: professionally| for (?:work|a living))?\W*$|\bline of work\b",
        "job",
    ),
    (r"\blooks? like\b", "appearance"),
    (r"\b(?:my|our|\w+'s) (?:line )?manager\b", "boss"),
    (r"\bget(?:s|ting)? to (?:work|the office|school)\b", "commute"),
    (r"\bhand(?:ed)? .{0,20}\bin\b", "deadline"),
    (r"\bwork(?:s|ing)? out\b", "exercise"),
    (r"\bcome from\b|\bfrom originally\b|\bgr[eo]w(?:ing)? up\b", "origin"),
    (r"\bdate of birth\b", "birthday"),
    (r"\bbrothers (?:and|or) sisters\b", "sibling"),
    (r"\boperating system\b|\bos\b", "linux"),
    (r"\bsocial media\b", "facebook"),
)


def _rows(*tables: str) -> list[list[str]]:
    return [row.split() for table in tables for line in table.strip().splitlines() for row in line.split("|")]


FORMS = tuple(map(tuple, _rows(_VERBS, _NOUNS, _SPELLINGS)))
"""Forms and spellings of a word, each row."""

SYNONYMS = tuple(map(tuple, _rows(_SYNONYMS)))
"""Words for one thing, each row."""

TOLD = tuple(
    tuple(side.split() for side in row.split(":")) for line in _TOLD.strip().splitlines() for row in line.split("|")
)
"""Words of a question, each row, and the words by which people tell what answers it."""

ASKED = tuple((regex(pattern, re.IGNORECASE), word) for pattern, word in _ASKED)
"""Patterns of questions, each with the word for what they ask for."""

_INSTRUMENTS = """
    guitar piano violin viola drum cello flute trumpet trombone saxophone clarinet oboe ukulele banjo harp harmonica
    accordion keyboard bass choir concertina recorder bassoon mandolin
"""
_SPORTS = """
    football soccer tennis basketball baseball softball volleyball handball swimming running jogging cycling hiking
    climbing bouldering yoga pilates boxing wrestling skiing snowboarding skating surfing kayaking rowing sailing
    golf hockey rugby cricket badminton squash fencing archery gym marathon triathlon karate judo taekwondo
    gymnastics dance
"""
_HOBBIES = """
    painting drawing gardening knitting crochet sewing reading writing chess fishing cooking baking gaming pottery
    woodworking collecting hiking dancing singing birdwatching origami calligraphy crocheting embroidery baking
    photography
"""
THINGS = {
    "pet animal": (
        "dog cat rabbit hamster parrot bird budgie fish goldfish turtle tortoise snake lizard guinea gecko ferret "
        "horse pony donkey goat chicken"
    ),
    "instrument music": _INSTRUMENTS,
    "sport exercise workout fitness": _SPORTS,
    "hobby pastime interest handicraft": f"{_HOBBIES} {_SPORTS} {_INSTRUMENTS}",
    "food dish cuisine meal": (
        "pizza pasta lasagna risotto rice sushi ramen soup stew salad curry burger sandwich chicken fish salmon "
        "steak tofu bread noodles taco burrito dumplings paella omelette breakfast lunch dinner recipe"
    ),
    "drink beverage": "coffee espresso tea beer wine juice water smoothie cocktail soda lemonade milk whiskey cider",
    "dessert sweet": (
        "cake cheesecake cupcake cookie brownie pie tart ice cream chocolate pastry pudding donut tiramisu"
    ),
    "family relative": (
        "mother father parent brother sister sibling aunt uncle cousin grandmother grandfather son daughter husband "
        "wife child niece nephew"
    ),
    "vehicle": "car truck van motorcycle scooter bicycle bus boat",
    "car": (
        "truck van audi bmw chevrolet citroen dacia fiat ford honda hyundai jeep kia mazda mercedes nissan opel "
        "peugeot renault skoda subaru suzuki tesla toyota vauxhall volkswagen volvo"
    ),
    "child": "son daughter boy girl toddler baby newborn",
    "parent": "mother father",
    "sibling": "brother sister",
    "medicine medication": "insulin metformin ibuprofen paracetamol aspirin antibiotic inhaler tablet pill",
    "travel trip vacation": "flight train airport hotel hostel beach island tour camping cruise passport",
    "book": "author novel chapter trilogy memoir biography library fiction fantasy thriller poetry",
    "movie": "cinema series netflix documentary actor sequel comedy",
    "game": "chess console playstation xbox nintendo steam puzzle cards board minecraft poker",
    "job career profession occupation": (
        "engineer teacher nurse doctor lawyer designer developer programmer manager accountant chef writer "
        "journalist artist architect consultant analyst electrician mechanic pharmacist scientist intern internship "
        "boss company salary promotion"
    ),
    "school education degree": (
        "college university class course exam professor student campus semester homework lecture diploma thesis"
    ),
    "health medical condition": (
        "hospital allergy asthma diabetes migraine surgery medicine injury disease clinic therapy fever flu diagnosis"
    ),
    "injury": "broke sprained fractured twisted ankle knee wrist accident",
    "weather": "rain snow sunny storm windy hot cold cloudy fog",
    "season": "spring summer autumn winter",
    "country nation abroad": (
        "america usa canada mexico brazil argentina chile peru colombia cuba england britain scotland ireland france "
        "germany spain portugal italy greece netherlands belgium switzerland austria poland sweden norway denmark "
        "finland iceland russia ukraine turkey israel egypt morocco kenya nigeria ghana india pakistan china japan "
        "korea thailand vietnam indonesia philippines malaysia singapore australia zealand"
    ),
    "language": (
        "english spanish french german italian portuguese dutch polish russian arabic hebrew hindi mandarin chinese "
        "japanese korean"
    ),
    "color": "red blue green yellow black white purple pink orange brown turquoise",
    "clothes clothing outfit": "shirt dress jacket jeans trousers shoes boots hat coat sweater hoodie skirt suit scarf",
    "furniture": "chair table sofa bed desk shelf lamp wardrobe",
    "plant garden": "flower rose tulip orchid cactus tomato herb basil tree seeds vegetables",
    "art": "painting sculpture drawing sketch gallery canvas exhibition museum watercolor",
    "festival celebration party": (
        "birthday christmas easter anniversary graduation wedding halloween thanksgiving diwali parade"
    ),
    "stress relax destress": "meditation yoga massage walk bath nature sleep",
    "money finance financial": "budget savings loan debt rent salary investment mortgage",
    "residence home": "apartment house moved neighborhood",
    "relationship partner": "boyfriend girlfriend husband wife fiance wedding divorce engaged single",
    "religion faith spiritual religious denomination": (
        "church god prayer bible mosque temple synagogue chapel christian catholic protestant methodist baptist "
        "anglican lutheran orthodox muslim jewish hindu buddhist sikh quaker atheist agnostic"
    ),
    "politics vote": "labour tory conservative liberal democrat republican socialist greens union spd",
    "bird": "parrot budgie canary cockatiel parakeet hen chicken duck",
    "breed": (
        "beagle labrador poodle terrier spaniel collie retriever shepherd dachshund pug husky boxer bulldog whippet "
        "greyhound mongrel siamese persian tabby ragdoll"
    ),
    "supermarket groceries": "aldi lidl tesco sainsbury asda waitrose walmart costco kroger rewe edeka carrefour",
    "airline": "ryanair easyjet lufthansa klm transavia delta united emirates qantas southwest wizz",
    "carrier broadband": "vodafone giffgaff verizon telekom comcast broadband",
    "appearance hair hairstyle haircut": (
        "hair eye tall beard moustache glasses tattoo bald curly blonde brunette ginger braid loc fringe freckled dyed"
    ),
    "personality character trait": (
        "shy introvert extrovert outgoing stubborn patient impatient perfectionist optimist pessimist anxious calm"
    ),
    "fabric": "wool cotton linen silk polyester leather",
    "race": "marathon triathlon ironman sprint",
    "position": "striker goalkeeper defender midfielder winger centre prop",
    "linux": "windows macos ubuntu fedora debian",
    "facebook": "instagram tiktok twitter linkedin snapchat reddit",
    "device gadget technology": "laptop telephone computer tablet camera headphones smartwatch",
    "emotion": "happy sad angry anxious excited proud nervous lonely scared",
}
"""Things of a kind, by the words for it."""
