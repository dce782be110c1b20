"""English words that belong together: forms and spellings of a word, words for one thing, and things of one kind.

They help a question to find: "What did I buy?" meets "I bought". Nothing else is compared by them, since a film may be
in a camera, and a flat a tyre. Forms that are words of their own ("left", "saw", "rose") are not listed.
"""

from __future__ import annotations

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
    mother mom mum mommy mummy mama | father dad daddy papa | grandmother grandma granny | grandfather grandpa granddad
    child kid | brother bro | sister sis | husband hubby | infant baby | boyfriend bf | girlfriend gf
    friend buddy pal | dog puppy pup | cat kitten kitty | movie film | photo picture photograph pic | television tv
    bicycle bike | telephone phone | car automobile | refrigerator fridge | sofa couch | apartment flat
    vacation holiday | trip journey | university uni | mathematics math maths | advertisement ad advert
    examination exam | buy purchase | begin start commence | gift present | doctor physician | lawyer attorney
    ill sick illness sickness | store shop | street road | restaurant eatery | trash rubbish garbage
    christmas xmas | birthday bday | company firm | wedding marriage marry | vegetable veggie | sneaker trainer
    stroller pram | diaper nappy | truck lorry
"""


def _rows(*tables: str) -> list[list[str]]:
    return [row.split() for table in tables for line in table.strip().splitlines() for row in line.split("|")]


FORMS = tuple(map(tuple, _rows(_VERBS, _NOUNS, _SPELLINGS)))
"""Forms and spellings of a word, each row."""

SYNONYMS = tuple(map(tuple, _rows(_SYNONYMS)))
"""Words for one thing, each row."""

THINGS = {
    "pet animal": (
        "dog cat rabbit hamster parrot bird budgie fish goldfish turtle tortoise snake lizard guinea gecko ferret "
        "horse pony donkey goat chicken"
    ),
    "instrument music": (
        "guitar piano violin viola drum cello flute trumpet trombone saxophone clarinet oboe ukulele banjo harp "
        "harmonica accordion keyboard bass choir"
    ),
    "sport exercise workout fitness": (
        "football soccer tennis basketball baseball softball volleyball handball swimming running jogging cycling "
        "hiking climbing bouldering yoga pilates boxing wrestling skiing snowboarding skating surfing kayaking "
        "rowing sailing golf hockey rugby cricket badminton squash fencing archery gym marathon triathlon karate "
        "judo taekwondo gymnastics dance"
    ),
    "hobby pastime interest": (
        "painting drawing gardening knitting crochet sewing reading writing chess fishing cooking baking gaming "
        "pottery woodworking collecting hiking dancing singing birdwatching origami calligraphy"
    ),
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
    "religion faith spiritual": "church god prayer bible mosque temple synagogue",
    "device gadget technology": "laptop telephone computer tablet camera headphones smartwatch",
    "emotion": "happy sad angry anxious excited proud nervous lonely scared",
}
"""Things of a kind, by the words for it."""
