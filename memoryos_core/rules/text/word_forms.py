"""English words that stemming leaves apart: irregular forms, two spellings of a word, two words for one thing.

Of each row the first word stands for the others in every index, so that "What did I buy?" meets "I bought". Forms that
are words of their own ("left", "saw", "rose") are not listed: who asks for a rose does not mean what rose.
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
    child children kid kids | man men | woman women | foot feet | tooth teeth | goose geese | mouse mice
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
_WORDS = """
    mother mothers mom moms mum mums mommy mummy mama | father fathers dad dads daddy papa
    grandmother grandmothers grandma grandmas granny nana | grandfather grandfathers grandpa grandpas granddad
    brother bro | sister sis | husband hubby | infant infants baby babies | boyfriend bf | girlfriend gf
    friend friends buddy buddies pal pals mate mates | dog dogs puppy puppies pup | cat cats kitten kittens kitty
    movie movies film films | photo photos picture pictures photograph photographs photography pic pics
    television televisions tv tvs | bicycle bicycles bike bikes | telephone telephones phone phones
    car cars automobile automobiles | refrigerator refrigerators fridge fridges | sofa sofas couch couches
    apartment apartments flat flats | vacation vacations holiday holidays | trip trips journey journeys
    university universities uni unis | mathematics math maths | advertisement advertisements ad ads advert adverts
    laboratory laboratories lab labs | examination examinations exam exams | application applications app apps
    buy buys buying purchase purchases purchased purchasing
    begin begins beginning start starts started starting commence commenced
    gift gifts present presents | doctor doctors dr physician physicians | lawyer lawyers attorney attorneys
    ill illness illnesses sick sickness | store stores shop shops | street streets road roads
    restaurant restaurants eatery eateries | trash rubbish garbage | christmas xmas | birthday bday
    company companies firm firms | wedding weddings marriage marriages marry marries married
    vegetable vegetables veggie veggies | sneakers trainers | stroller pram | diaper diapers nappy nappies
    truck trucks lorry lorries
"""


def _forms(*tables: str) -> dict[str, str]:
    rows = [row.split() for table in tables for line in table.strip().splitlines() for row in line.split("|")]
    return {other: first for first, *others in rows for other in others}


BASE_FORMS = _forms(_VERBS, _NOUNS, _SPELLINGS, _WORDS)
"""The word that stands for another one, by the other one; both in small letters."""
