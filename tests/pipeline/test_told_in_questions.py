"""What people tell of themselves in the middle of something else: in a question, by the way, without a full stop."""

from __future__ import annotations

import pytest

from tests.pipeline.test_belongings import known_after

_NOTHING: dict[str, str] = {}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        # Who is asked about is there.
        ("What should my husband Roland wear to a wedding?", {"husband": "Roland"}),
        ("Is it ok for my daughter Bridie to eat honey?", {"daughter": "Bridie"}),
        ("My son Max is 6, can he go alone?", {"son": "Max"}),
        ("And our cat, Txispa, eats butter, it's dangerous?", {"pet": "cat called Txispa"}),
        ("Why does my dog Bruno dig holes?", {"pet": "dog called Bruno"}),
        ("Can my rabbit, Clover, have parsley?", {"pet": "rabbit called Clover"}),
        ("What would you do if my dog Bruno were yours?", _NOTHING),
        ("Should I call my dog Rex or Bruno?", _NOTHING),
        ("What if my wife Sarah says no?", {"wife": "Sarah"}),
        ("Do you know any dog called Rex?", _NOTHING),
        ("What does my son need for Spain?", _NOTHING),
        ("Is my sister's husband Roland invited?", _NOTHING),
        ("Should I name my son Max or Ben?", _NOTHING),
        # One of several.
        ("One of my twins, Ander, can't eat hazelnut.", {"child": "Ander"}),
        ("one of our kids, Mila, has a cold, what helps?", {"child": "Mila"}),
        ("One of my daughters, Ada, plays chess.", {"daughter": "Ada"}),
        ("Ok, other thing: one of my twins, Ander, can't eat nuts, he swells up.", {"child": "Ander", "avoids": None}),
        ("One of my friends, Ada, plays chess.", _NOTHING),
        ("One of my kids' friends, Ada, plays chess.", _NOTHING),
    ],
)
def test_who_is_asked_about_is_known(said: str, told: dict[str, str | None]) -> None:
    known = known_after(said)[1]
    assert {name: known.get(name) for name in told} == told
    assert told or not known


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("now how do i tell my boss at Southline i cant do saturdays.", {"employer": "Southline"}),
        ("how do i tell my boss at southline i cant do saturdays", {"employer": "Southline"}),
        ("My manager at Tesco wants me in on Sunday.", {"employer": "Tesco"}),
        ("My shift at Greggs starts at five.", {"employer": "Greggs"}),
        ("What do I wear for my job at Aldi?", {"employer": "Aldi"}),
        ("My colleagues at Siemens gave me a plant.", {"employer": "Siemens"}),
        ("My old boss at Tesco wrote to me.", _NOTHING),
        ("My boss at Tesco was a nightmare back then.", _NOTHING),
        ("My first day at Hogwarts would be odd.", _NOTHING),
        ("My brother's boss at Tesco wants him in.", _NOTHING),
        ("My manager at work wants me in on Sunday.", _NOTHING),
        ("My boss at the moment is fine.", _NOTHING),
        ("my boss at home is my wife", _NOTHING),
        ("I had my interview for a job at Aldi.", _NOTHING),
        # "Here" is where who works there lives.
        ("I'm a physio at St Augustine's here in Durban", {"employer": "St Augustine's", "home": "Durban"}),
        ("I work at Lidl here in Cork.", {"employer": "Lidl", "home": "Cork"}),
        ("I'm a nurse here in Leeds and need a flyer.", {"occupation": "nurse", "home": "Leeds"}),
        ("The weather here in Rome is lovely.", _NOTHING),
        ("We're here in Rome until Friday.", _NOTHING),
        ("I'm a backend engineer at Paylume which does payment links.", {"employer": "Paylume"}),
        ("I live by myself in a two-bedroomed terrace in Hexham.", {"home": "Hexham"}),
        ("I live on the fourth floor in Kreyenbrück without lift.", {"home": "Kreyenbrück"}),
        ("I live by myself in a dream world.", _NOTHING),
        # Trades in other places of a sentence.
        ("where do i start im an electrician not a programmer", {"occupation": "electrician"}),
        ("I am a notary public in Novi Sad, with an office there.", {"occupation": "notary public"}),
        ("I am head of pastry there so it's me and one boy.", {"occupation": "head of pastry"}),
        ("I'm Itziar, I make cakes for a living.", {"name": "Itziar", "occupation": "make cakes"}),
        ("I cut hair for a living in Hull.", {"occupation": "cut hair"}),
        ("What do people do for a living in Hull?", _NOTHING),
        ("I used to cut hair for a living.", _NOTHING),
        ("He makes cakes for a living.", _NOTHING),
        ("I'd love to make cakes for a living.", _NOTHING),
    ],
)
def test_work_is_told_by_the_way(said: str, told: dict[str, str]) -> None:
    known = known_after(said)[1]
    assert {name: known.get(name) for name in told} == told
    assert told or not known


@pytest.mark.parametrize(
    ("said", "allergy"),
    [
        ("no prawns pls, shellfish and me = hospital", "shellfish"),
        ("crab and mussels give me a rash and shortness of breath.", "crab, mussels"),
        ("I once had mussels and they gave me a rash.", None),
        ("i told her no, penicillin made my throat swell in class 6", "penicillin"),
        ("i carry an epipen because of bee stings and they follow me", "bee stings"),
        ("I carry an EpiPen for peanuts.", "peanuts"),
        ("im allergic to paperwork ring them tomorrow", None),
        ("I'm allergic to mornings.", None),
        ("I'm allergic to peppers.", "peppers"),
        ("My son carries an epipen because of peanuts.", None),
        ("Peanuts and me don't mix, I'd end up in A&E.", "peanuts"),
        ("Maths and me = disaster", None),
        ("Coffee and me = love", None),
        ("Wasps and me don't mix.", None),
        ("Shrimp made my husband's throat swell.", None),
        ("I carry an epipen for nuts because my son is allergic.", None),
        ("I carry an EpiPen for peanuts for my daughter.", None),
        ("I carry an epipen for bee stings as a first aider at the school.", None),
        ("I carry an epipen for nuts since I was 12.", "nuts"),
        ("curry made my lips swell like Kylie lol", None),
    ],
)
def test_what_puts_somebody_in_hospital_is_an_allergy(said: str, allergy: str | None) -> None:
    assert known_after(said)[1].get("allergy") == allergy


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I turned sixty-two on the second as well, with a cake.", {"age": "62"}),
        ("I am fifty-seven and my knees know it.", {"age": "57"}),
        ("I attained the age of sixty-seven on the third of this month.", {"age": "67"}),
        ("I reached the age of 70 in May.", {"age": "70"}),
        ("she sent me money last week when i hit 25.", {"age": "25"}),
        ("I hit the big 4-0 on Friday.", {"age": "40"}),
        ("I'm 47 not 20", {"age": "47"}),
        ("I got celiac so nothing with wheat", {"allergy": "gluten (celiac)"}),
        ("Nikhilesh is my fiancé, he is a resident in Manipal.", {"fiancé": "Nikhilesh"}),
        ("I hit 50 on the motorway.", _NOTHING),
        ("I hit 100 followers last week.", _NOTHING),
        ("When I hit 40 I want a party.", _NOTHING),
        ("My dad hit the big 7-0 on Friday.", _NOTHING),
        # A name beside other words.
        ("nice\nbtw I'm Thandeka", {"name": "Thandeka"}),
        ("btw I'm Thandeka\nbut nobody calls me that, Thandi is fine", {"name": "Thandeka", "called": "Thandi"}),
        ("My name's Thandeka but no one calls me that, just Thandi.", {"name": "Thandeka", "called": "Thandi"}),
        ("My name is Bartholomew, Barty for short.", {"name": "Bartholomew", "called": "Barty"}),
        ("My name is Tom. Monday is fine.", {"name": "Tom", "called": None}),
        ("nice\nbtw I'm Late", _NOTHING),
        ("nice\nbtw I'm Irish", {"origin": "Irish"}),
        ("hes my husband viliami hes a roofer so he thinks everything can be patched", {"husband": "Viliami"}),
        ("she's my wife aroha she's a teacher", {"wife": "Aroha"}),
        ("she's my wife always has been", _NOTHING),
        ("my dog bruno ate my socks again", {"pet": "dog Bruno"}),
        ("my cat smudge keeps meowing", {"pet": "cat Smudge"}),
        ("my dog walker loves him", _NOTHING),
        ("my dog food keeps going off", _NOTHING),
        # What is never eaten.
        ("no pork ever by the way", {"avoids": "pork"}),
        ("I don't eat pork.", {"avoids": "pork"}),
        ("we don't eat beef at home, any curry ideas?", {"avoids": "beef at home"}),
        ("No pork in the shop today.", _NOTHING),
        ("no nuts ever because we're a nut-free school", _NOTHING),
        ("I never eat sushi before a flight, is that silly?", _NOTHING),
        ("I don't eat meat on Fridays in Lent, any fish recipes?", _NOTHING),
        ("I never eat sushi", {"avoids": "sushi"}),
    ],
)
def test_age_names_and_food_are_told_by_the_way(said: str, told: dict[str, str | None]) -> None:
    known = known_after(said)[1]
    assert {name: known.get(name) for name in told} == told
    assert told or not known


@pytest.mark.parametrize(
    ("held", "said", "profile"),
    [
        # Where somebody works, and where others are, is no home.
        ("I live in Reading.", "I work here in Slough.", {"home": "Reading"}),
        ("I live in Leeds.", "My shop here in York is miles away, is that deductible?", {"home": "Leeds"}),
        ("I live in Leeds.", "Our clinic here in Ilkley opens at 8, I commute.", {"home": "Leeds"}),
        ("I live in Leeds.", "My friend is a chef here in Lyon.", {"home": "Leeds"}),
        ("I live in Leeds.", "My boss is a lawyer here in London, I'm remote.", {"home": "Leeds"}),
        ("I live in Leeds.", "My parents own a house here in Faro, we come every summer.", {"home": "Leeds"}),
        ("I live in Leeds.", "I work at a cafe here in Tirana for now, flying home on Sunday.", {"home": "Leeds"}),
        ("I live in Leeds.", "I'm a student here in Galway on Erasmus.", {"home": "Leeds"}),
        ("I live in Leeds.", "I rent a studio here in Soho to record.", {"home": "Leeds"}),
        ("I live in Leeds.", "My flat here in Minecraft has no door.", {"home": "Leeds"}),
        ("I live in Leeds.", "I'm a nurse here in Hull now.", {"home": "Hull"}),
        # What anybody does for a living.
        ("I'm a plumber.", "I love what I do for a living.", {"occupation": "plumber"}),
        ("I'm a plumber.", "I know someone who tests mattresses for a living.", {"occupation": "plumber"}),
        ("I'm a plumber.", "I think she sings for a living.", {"occupation": "plumber"}),
        ("I'm a plumber.", "I married a guy who sells boats for a living.", {"occupation": "plumber"}),
        ("I'm a plumber.", "I envy people that nap for a living.", {"occupation": "plumber"}),
        # Unpaid, second and long past work employs nobody.
        ("I work at Boots.", "my shift at oxfam is on sunday, unpaid but fun, what do I wear", {"employer": "Boots"}),
        ("I work at Aviva.", "My volunteer job at Mind is so rewarding.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My shifts at Samaritans are tough but volunteering helps.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My supervisor at Parkrun asked me to marshal on Saturday.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My weekend job at Greggs starts on Saturday.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My job at Tesco as a teen paid 3 quid an hour.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My summer job at Butlins taught me to swim.", {"employer": "Aviva"}),
        ("I work at Aviva.", "Back in 2012 my boss at Woolies sang Elvis every Friday.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My job at Christmas is the turkey.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My job at Mum's is the lawn.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My job at Ella's party: bouncer.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My boss at Scouts says I should lead the next camp.", {"employer": "Aviva"}),
        ("I work at Aviva.", "My new manager at Lloyds wants me in on Sunday.", {"employer": "Lloyds"}),
        ("I work at Aviva.", "My boss at Sainsbury's wants me in on Sunday.", {"employer": "Sainsbury's"}),
        ("I work at Aviva.", "My shift at McDonald's starts at five.", {"employer": "McDonald's"}),
        (
            "I'm a nurse at Guy's.",
            "I'm a regular visitor at Guy's now as my dad is in.",
            {"occupation": "nurse", "employer": "Guy's"},
        ),
        ("I work as a cook.", "I'm a pescatarian at heart, said nobody ever.", {"occupation": "cook"}),
        # What others say, write and play.
        ("I'm 44.", "my brother in law keeps yelling I'm a vegan at every barbecue", {"age": "44", "diet": None}),
        ("I'm 44.", "mum shouted from the kitchen I'm 50 today and did a dance", {"age": "44"}),
        ("I'm 44.", "on tinder he put I'm a pilot and 35", {"age": "44", "occupation": None}),
        ("I'm 44.", "fix this sentence I'm a nurse and I has a cat", {"occupation": None}),
        ("I'm 44.", "linkedin headline for my sister please I'm a nurse with a passion", {"occupation": None}),
        ("I'm 44.", "rewrite this dating bio I'm 29 and love dogs for my friend Kim", {"age": "44"}),
        ("I'm 44.", "my best man speech begins my name is Earl and everybody laughs", {"name": None}),
        ("I'm 44.", "what film has the line my name is bond in it", {"name": None}),
        ("I'm 44.", "in my dream last night I'm a pilot flying over Paris", {"occupation": None}),
        ("I'm 44.", "lets play a game I'm a detective and you are the butler", {"occupation": None}),
        ("I'm 44.", "I fix cars and I live in Leeds.", {"home": "Leeds"}),
        ("I'm 44.", "I make a costume a week but I live in Leeds.", {"home": "Leeds"}),
        # Ordinary words are no names, but for those that are.
        ("I'm 44.", "my daughter april is five", {"daughter": "April"}),
        ("I'm 44.", "my wife hope has flu", {"wife": "Hope"}),
        ("I'm 44.", "guess my wife is right", {"wife": None}),
        ("I'm 44.", "meanwhile my son has flu", {"son": None}),
        ("I'm 44.", "she's my daughter though.", {"daughter": None}),
        ("I'm 44.", "my cat kinda hates me, my dog legit loves me", {"pet": "cat, dog"}),
        ("I'm 44.", "my dog half eats and half sleeps", {"pet": "dog"}),
        ("I'm 44.", "Can my daughter Uber to school alone?", {"daughter": None}),
        ("I'm 44.", "Should I let my daughter Skype her dad?", {"daughter": None}),
        ("I'm 44.", "How do I wish my brother Happy birthday?", {"brother": None}),
        ("I'm 44.", "What does 'my wife Jane is a nurse' mean in French?", {"wife": None}),
        ("I'm 44.", "This is Dave, he's my boss, but everyone says he's my husband, Lol.", {"husband": None}),
        ("I'm a teacher.", "One of my kids, Jamal, has ADHD, how do I support him in class?", {"child": None}),
        ("I'm a coach.", "One of my boys, Kai, scored for the under 9s.", {"child": None}),
        ("My name is Wilhelmina.", "Nobody calls me that. Coffee is fine.", {"called": None}),
        ("I'm Bartholomew.", "Mum says nobody calls me that, Barty is fine for the dog though.", {"called": None}),
        ("My name is Kate.", "I'm in a band, Ox for short.", {"called": None}),
        ("My name is Kate.", "I'm with the Royal Bank of Scotland, Natwest for short I think", {"called": None}),
        # Other things reach a number.
        ("I'm 44.", "I reached the big 40 on my Duolingo streak.", {"age": "44"}),
        ("I'm 44.", "I just hit the big 5-0 followers on my blog.", {"age": "44"}),
        ("I'm 34.", "I cried on Monday remembering when I turned 21, what a party.", {"age": "34"}),
    ],
)
def test_what_only_looks_like_an_aside_changes_nothing(held: str, said: str, profile: dict[str, str | None]) -> None:
    known = known_after(held, said)[1]
    assert {name: known.get(name) for name in profile} == profile
