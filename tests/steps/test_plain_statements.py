"""What is told in passing becomes a plain statement: a prompt about a dinner has it, and later news replaces it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.extract.plain_statements import with_plain_statements
from memoryos_core.rules.knowledge.persons_apart import told_apart

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
START = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


def plain(*said: str) -> list[str]:
    return [text for text in with_plain_statements(said) if text not in said]


def facts_after(*said: str) -> dict[str, str]:
    """The status of each fact after each message in a session of its own, a month apart."""
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        for number, text in enumerate(said):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Sure, here is something that may help.")
            user.end_session()
            user.consolidate()
            now[0] += timedelta(days=30)
        return {fact.text: fact.status for fact in memory.user("ann").facts(current=False)}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Something quick for lunch, no peanuts though, I'm allergic.", "I'm allergic to peanuts."),
        ("A stew without celery please, it makes me swell up.", "I'm allergic to celery."),
        ("It must be safe, because prawns would kill me.", "I'm allergic to prawns."),
        ("I have an intolerance to fructose.", "I'm fructose-intolerant."),
        ("Vegan here, so no butter.", "I'm vegan."),
        ("Type 1 diabetic since birth.", "I'm type 1 diabetic."),
        ("I'm off dairy now.", "I don't eat dairy."),
        ("My cardiologist says no more salt.", "I don't eat salt."),
        ("I've given up coffee.", "I don't drink coffee."),
        ("I can't do raw onions.", "I don't eat raw onions."),
        ("We're a nut-free household.", "I don't eat nuts."),
        ("No olives please, I can't stand them.", "I don't eat olives."),
        ("I still can't stand liver sausage and olives.", None),
        ("I still can't stand olives.", "I don't eat olives."),
        ("Turns out I'm not coeliac after all.", "I'm not coeliac."),
        ("The keto thing only lasted a month.", "I'm no longer keto."),
        # Somebody else's, for today, or no food at all.
        ("No nuts please, my son is allergic.", None),
        ("My brother is vegan since January.", None),
        ("I'm off coffee today.", None),
        ("What if I'm off dairy?", None),
        ("This heat would kill me.", None),
        ("I can't do Mondays.", None),
        ("Write a story about a vegan.", None),
        ("She says no more salt for him.", None),
        # An attack read these as restrictions.
        ("We have no milk, so I came up to the shop.", None),
        ("No turkey this year, the news makes me sick.", None),
        ("Without coffee I break out in yawns.", None),
        ("No nuts for me though I'm not actually allergic.", None),
        ("My sister is allergic: no nuts in the cake, I am not allergic.", None),
        ("Chocolate will kill me one day, I love it.", None),
        ("I have an intolerance for people who chew.", None),
        ("I would never give up meat.", None),
        ("I tried to give up sugar and failed.", None),
        ("I no longer avoid gluten.", None),
        ("I do not have to avoid milk.", None),
        ("My doctor said I don't have to give up meat.", None),
        ("My doctor said there's no sugar in my urine.", None),
        ("My gran, diabetic since 1990, loves cake.", None),
        ("The dog is blind, diabetic now.", None),
        ("I'm making a menu, so coeliac and vegan guests are happy.", None),
        ("The keto diet is over-hyped.", None),
        ("I gave up Apple for Android.", None),
        ("I cut out orange paper hearts.", None),
        ("I can't do coffee on Friday.", None),
        ("We can't have nuts in school.", None),
        ("I gave up meat on Fridays.", None),
        ('Translate into Dutch: "I react badly to eggs."', None),
        ("A guest wrote no eggs please, I'm allergic.", None),
        ("What happens when I give up sugar?", None),
        ("Imagine I'm off dairy.", None),
        ("No eggs in the cake please, my daughter gets hives.", None),
        ("No shellfish: my boss is anaphylactic.", None),
        ("Coffee would kill me at this hour.", None),
        ("Fish is fine for me, thanks.", None),
        ("I can't wait until I can eat cheese again.", None),
        ("I can't have coffee after noon.", None),
        ("I cut out milk for this cake.", None),
        ("My doctor said no alcohol for two days.", None),
        ("Vegan here? No.", None),
        ("I dreamt I react badly to eggs.", None),
        ("I never react badly to eggs.", None),
        ("I dreamt that my doctor said no more fish.", None),
        ("My doctor nearly told me no more fish.", None),
        ("My doctor never said no more fish.", None),
        ("I nearly started drinking coffee again.", None),
        ("I dreamt that I can eat nuts again.", None),
        ("No eggs please, I come out in hives, said Tom.", None),
    ],
)
def test_what_somebody_does_not_eat(said: str, told: str | None) -> None:
    assert plain(said) == ([told] if told else [])


def test_each_of_several_foods_is_a_statement_of_its_own() -> None:
    assert plain("I react really badly to strawberries and kiwis.") == [
        "I'm allergic to strawberries.",
        "I'm allergic to kiwis.",
    ]
    assert plain("I've cut out bread, pasta and rice.") == [
        "I don't eat bread.",
        "I don't eat pasta.",
        "I don't eat rice.",
    ]
    assert plain("Rice is fine for me again.") == ["I eat rice again."]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("They've pushed my driving test back to 3 June.",), ["My driving test was pushed back to 3 June."]),
        (
            ("They've put my hip operation back to the 9th of May.",),
            ["My hip operation was put back to the 9th of May."],
        ),
        (("They've put the ground rent up to £310.",), ["The ground rent was put up to £310."]),
        (("They have brought forward my scan to 3 June.",), ["My scan was brought forward to 3 June."]),
        (("They've put my name down for 3 June.",), []),
        (("They've put the bins out to dry.",), []),
        (
            ("They've pushed Tobi's wedding to November because of the venue.",),
            ["Tobi's wedding was pushed to November."],
        ),
        (("They moved on to other things.",), []),
        (
            ("Doctor swapped the ramipril for losartan, the cough was awful.",),
            ["I no longer take ramipril.", "I take losartan."],
        ),
        (
            ("I've been switched from sertraline to fluoxetine.",),
            ["I no longer take sertraline.", "I take fluoxetine."],
        ),
        (("The GP put me on amlodipine last week.",), ["I take amlodipine."]),
        (("Mum's doctor swapped the ramipril for losartan.",), []),
        (("My dad was switched from ramipril to losartan.",), []),
        (("They put him on amlodipine.",), []),
        (("Should she have swapped the ramipril for losartan?",), []),
        (("My new cardiologist has now put me on ramipril.",), ["I take ramipril."]),
        (("Good news, they've started me on losartan.",), ["I take losartan."]),
        (
            ("Last week I got switched from sertraline to fluoxetine.",),
            ["I no longer take sertraline.", "I take fluoxetine."],
        ),
        (("Dr Shah put me on insulin for my diabetes.",), ["I take insulin."]),
        # An attack read these as medicines of the speaker.
        (("Doctor never put me on ibuprofen.",), []),
        (("Nobody put me on ramipril.",), []),
        (("None of the doctors put me on ramipril.",), []),
        (("The doctor hasn't put me on ramipril.",), []),
        (("Don't let them put me on statins.",), []),
        (("The doctor refused to put me on ramipril.",), []),
        (("The doctor wants to put me on ramipril.",), []),
        (("They will put me on ramipril next year.",), []),
        (("They almost put me on ibuprofen.",), []),
        (("The doctor put me on ramipril but I never took it.",), []),
        (("The vet put me on insulin for the cat.",), []),
        (("The vet put the cat on insulin.",), []),
        (("The vet swapped the aspirin for insulin.",), []),
        (("They put me on insulin for our dog.",), []),
        (("Doctor nearly swapped the ramipril for losartan but didn't.",), []),
        (("They were swapping the ramipril for losartan, but then they didn't.",), []),
        (("I dreamt that the doctor swapped the ramipril for losartan.",), []),
        (("In my dream the doctor swapped the ramipril for losartan.",), []),
        (("The doctor swapped the ramipril for losartan in a dream.",), []),
        (("The pharmacist swapped the ramipril for losartan for my neighbour.",), []),
        (("The doctor swapped the ramipril for losartan for Tom.",), []),
        (("Tom said, they put me on lithium.",), []),
        (("In the film they put me on lithium.",), []),
        (("As a child they put me on insulin.",), []),
        (("The doctor joked that he put me on insulin.",), []),
        (("Unless they put me on statins I am fine.",), []),
        (("The doctor put me on insulin jokes.",), []),
        (("The clinic changed the ramipril to losartan on the price list.",), []),
        (("The doctor swapped the ramipril for losartan and then swapped it back.",), []),
        (("The doctor put me on ramipril, or so I dreamt.",), []),
        (("Since I work nights, when should I have breakfast?",), ["I work nights."]),
        (("Because my wife is Danish, which visa does she need?",), ["My wife is Danish."]),
        (("Since I was 12, what has changed in medicine?",), []),
        (("As my doctor suggested, should I walk more?",), []),
        (("As we all know, is sugar bad?",), []),
        (("As I understand it, is coffee bad for you?",), []),
        (("As I've often said, is Rome nice?",), []),
        (("Because I could be pregnant, should I stop drinking?",), []),
        (("As I'm pretending to be a pilot, what should I wear?",), []),
        (("Since I would be late, what should I eat?",), []),
        (("Now that I almost have a dog, what do I need?",), []),
        (("As a vegan, I hate leather.",), ["I'm vegan."]),
        (("As a vegan, is there anything I can order?",), ["I'm vegan."]),
        (("As a vegan, Tom told me I was wrong.",), []),
        (("as a vegan, tom told me i was wrong.",), []),
        (("As a vegan, you know what I can eat.",), []),
        (("As a vegetarian, our guest asked what I cook.",), []),
        (("As a vegan, can Tom eat my cheese?",), []),
        (("Now that we live in Graz, which pass do I need?",), ["We live in Graz."]),
        (("Since I have no idea, what would you do?",), []),
        (("As a vegan, what can I put in carbonara?",), ["I'm vegan."]),
        (("As a vegetarian, what would Einstein have eaten?",), []),
        (("We moved last week.", "in leith now, with a view"), ["I moved to Leith."]),
        (("We moved in May, we're in Leith.",), ["I moved to Leith."]),
        (("I moved the sofa.", "happy now"), []),
        (("tom and I are done.",), ["Tom and I broke up."]),
        (("The dishes and I are done.",), []),
        (("Our kids are Ada (9) and Ben (6).",), ["Ada is 9.", "Ben is 6."]),
        (("My sister Ada, who's eleven, can swim.",), ["Ada is 11."]),
        (("Two sons, Ben, four, and Kit, two.",), ["Ben is 4.", "Kit is 2."]),
        (("We went to Lisbon, two of us.",), []),
        (("See Chapter (9).",), []),
        (("We moved house, we're in boxes now.",), []),
        (("I moved jobs, now I'm in accounting.",), []),
        (("Ben met Leo and he is 40.",), []),
        (("Kate has a brother and he's 40.",), []),
        (("dinner and I are done.",), []),
        (("I wish they moved the exam to June.",), []),
        (("They put the kids to bed.",), []),
        (("My dad is ill, he's 68 and tired.",), []),
        (("The kids watched Shrek (2).",), []),
        (("My brother moved to Hull, and I'm in charge of the house.",), []),
        (("Just moved.", "Broke now."), []),
        (("Sam and I are finished with the shed.",), []),
        (("Dave and I are history teachers.",), []),
        (("Kate and I are over at her mum's.",), []),
        (("Ben, who is ten years older than me, can swim.",), []),
        (("Ann, who is 5 and a half feet tall, can swim.",), []),
        (("Have they moved the wedding to June?",), []),
        (("I'm 16 now so can I get a job?",), ["I'm 16 now."]),
        (("I'm not sure so what do you think?",), ["I'm not sure."]),
        (("4th year. It's happening.",), ["I'm in 4th year."]),
    ],
)
def test_what_happened(said: tuple[str, ...], told: list[str]) -> None:
    assert plain(*said) == told


def test_a_dinner_is_planned_with_what_was_said_of_food_in_passing() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("ann", session_id="first")
        user.add("something quick for tonight pls, no eggs tho, I come out in hives", "An avocado toast?")
        user.add("oh n im off red meat now, the doc said cholesterol", "Good to know.")
        user.end_session()
        user.consolidate()
        lines = memory.user("ann", session_id="second").recall("Plan a dinner for me").text.splitlines()
    assert any(line.startswith("- Allergy: eggs (") for line in lines)
    assert any(line.startswith("- Food avoided: red meat (") for line in lines)


@pytest.mark.parametrize(
    ("earlier", "later", "over"),
    [
        ("Coeliac here, any bread ideas?", "Good news, I'm not coeliac at all.", "The user is coeliac."),
        (
            "Nothing with kiwi, my throat swells up.",
            "Good news, kiwi is fine for me after all.",
            "The user is allergic to kiwi.",
        ),
        ("I'm vegetarian.", "the veggie thing lasted til july btw", "The user is vegetarian."),
        ("My sister Ada, who's eleven, can swim.", "Ada turned 12 on Monday.", "Ada is 11."),
        ("I live in Leeds.", "We moved last week. in leith now, with a view.", "The user lives in Leeds."),
        ("I take ramipril.", "Doctor swapped the ramipril for losartan.", "The user takes ramipril."),
        (
            "My driving test is on 3 May.",
            "They've pushed my driving test to 9 June.",
            "The user's driving test is on 3 May.",
        ),
    ],
)
def test_later_news_replaces_it(earlier: str, later: str, over: str) -> None:
    assert facts_after(earlier, later)[over] in ("superseded", "retired")


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I take ramipril.", "Doctor nearly swapped the ramipril for losartan but didn't."),
        ("I take ramipril.", "I dreamt that the doctor swapped the ramipril for losartan."),
        ("I take ramipril.", "The pharmacist swapped the ramipril for losartan for my neighbour."),
        ("I take ramipril.", "The doctor never took me off ramipril."),
        ("I'm vegetarian.", "As a vegan, Tom told me I was wrong."),
        ("I'm 40.", "Since I was 12, what has changed in medicine?"),
        ("I live in Leeds.", "We got the keys to a flat in York for my son."),
        ("I work as a nurse.", "I got a job at Boeing for my nephew."),
        ("I eat fish.", "I dreamt that my doctor said no more fish."),
    ],
)
def test_what_did_not_come_to_be_replaces_nothing(earlier: str, later: str) -> None:
    assert next(iter(facts_after(earlier, later).values())) == "current"


def test_a_short_english_question_with_vegan_is_not_german() -> None:
    assert facts_after("As a vegan, what can I put in carbonara?") == {"The user is vegan.": "current"}


@pytest.mark.parametrize(
    "said",
    [
        "As my doctor suggested, should I walk more?",
        "Since I might be allergic to nuts, what should I eat?",
        "As I might move to Spain, what visa do I need?",
        "Now that I almost have a dog, what do I need?",
    ],
)
def test_the_reason_of_a_question_that_states_nothing_is_no_fact(said: str) -> None:
    assert facts_after(said) == {}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "My sister Rita lives in Madrid and my brother Paul in Vienna.",
            ("My sister Rita lives in Madrid.", "My brother Paul lives in Vienna."),
        ),
        (
            "My sister Rita lives in Madrid, my brother Paul in Vienna and my cousin Tim in Rome.",
            ("My sister Rita lives in Madrid.", "My brother Paul lives in Vienna.", "My cousin Tim lives in Rome."),
        ),
        ("Rita lives in Madrid and Paul in Vienna.", ("Rita lives in Madrid.", "Paul lives in Vienna.")),
        ("Rita is 34 and my brother 31.", ("Rita is 34.", "My brother is 31.")),
        ("My mum is a nurse and my dad a teacher.", ("My mum is a nurse.", "My dad is a teacher.")),
        ("My wife works at Shell and my son at Asda.", ("My wife works at Shell.", "My son works at Asda.")),
        ("My mum plays golf, my dad chess.", ("My mum plays golf.", "My dad plays chess.")),
        ("I live in Leeds and my brother Paul in Vienna.", ("I live in Leeds.", "My brother Paul lives in Vienna.")),
        ("My mum is a nurse, while my dad has a café.", ("My mum is a nurse.", "My dad has a café.")),
        (
            "My cousin Ben lives in Caen and I'm allergic to nuts.",
            ("My cousin Ben lives in Caen.", "I'm allergic to nuts."),
        ),
        (
            "We have a dog called Biscuit and a daughter, Mia, who is 7.",
            ("We have a dog called Biscuit.", "We have a daughter called Mia, who is 7."),
        ),
        ("I've got two sons and a cat called Moth.", ("I've got two sons.", "I've got a cat called Moth.")),
        (
            "I work at St Ann's and Tomasz works for a brewery, he does their books.",
            ("I work at St Ann's.", "Tomasz works for a brewery, he does their books."),
        ),
        (
            "I work at Shell and Maya works at BP, she loves it.",
            ("I work at Shell.", "Maya works at BP.", "She loves it."),
        ),
        (
            "I live in Leeds and Tomasz lives in York, he hates it there.",
            ("I live in Leeds.", "Tomasz lives in York.", "He hates it there."),
        ),
        ("I have a dog and Ann has a cat, she adores it.", ("I have a dog.", "Ann has a cat.", "She adores it.")),
        (
            "We have a meeting with Tom on 24 June and one with Anna on the 26th.",
            ("We have a meeting with Tom on 24 June.", "We have a meeting with Anna on the 26th of June."),
        ),
        (
            "I'm a nurse and my brother is a cook, but he hates it.",
            ("I'm a nurse.", "My brother is a cook, but he hates it."),
        ),
        (
            "I've got a massage on 10 July at 5.30pm, and the shoulder scan's on the 14th at 7.45.",
            ("I've got a massage on 10 July at 5.30pm.", "The shoulder scan's on the 14th of July at 7.45."),
        ),
        (
            "Out of Bristol on the 6th, then my cousin's until my lease starts on 2 August.",
            ("I'm out of Bristol on the 6th.", "My cousin's until my lease starts on 2 August."),
        ),
        (
            "I fly home on 6 July, then we move to Kent on 9 August.",
            ("I fly home on 6 July.", "We move to Kent on 9 August."),
        ),
        (
            "My sister's wedding is on 3 May and the hen do is on the 1st in Ely.",
            ("My sister's wedding is on 3 May.", "The hen do is on the 1st in Ely."),
        ),
    ],
)
def test_what_is_told_of_two_persons_is_told_of_each_alone(said: str, told: tuple[str, ...]) -> None:
    assert told_apart(said) == told


@pytest.mark.parametrize(
    "said",
    [
        "My sister Rita lives in Madrid and works in Toledo.",
        "My sister Rita lives in Madrid and my brother thinks that is far.",
        "My sister works at Asda and Tom works at Boots, she hates it.",
        "I work at Shell and Tom works there, he hates it.",
        "I like cats and Tomasz likes dogs, they fight.",
        "I live in Bath and Tom plays chess, he loves it.",
        "I have a meeting with Tom on 24 June and one with Anna.",
        "The match is on Friday and the pub is at the corner.",
        "I have choir on Monday and Wednesday.",
        "I start on 6 July and we fly in a small plane.",
        "I start at 8 and I get home at 5.",
        "I moved out on 6 June, then I got a flat on 9 June.",
        "I have a cat and the vet is on Friday.",
        "My sister Rita lives in Madrid and my brother Paul lives with her.",
        "My sister said that Rita lives in Madrid and my brother Paul in Vienna.",
        "My sister Rita lives in Madrid and Paris in winter.",
        "My sister Rita works in Madrid in May and Paris in August.",
        "My sister and my brother Paul live in Vienna.",
        "My sister Rita likes Anna and Paul a lot.",
        "Does my sister Rita live in Madrid and my brother Paul in Vienna?",
        "My sister Rita lives in Madrid and I miss her.",
        "I live in Leeds and I work in York.",
        "I have a brother and a sister.",
        "I have a dog and a garden.",
        "I have a dog my daughter loves and a headache.",
        "My brother Paul is 31 and a teacher.",
    ],
)
def test_what_is_of_one_person_or_hangs_together_stays_whole(said: str) -> None:
    assert told_apart(said) == (said,)


def test_news_of_one_leaves_what_was_said_of_the_other() -> None:
    said = facts_after("My sister Rita lives in Madrid and my brother Paul in Vienna.", "Rita moved to Bonn.")
    assert said["The user's sister Rita lives in Madrid."] == "superseded"
    assert said["The user's brother Paul lives in Vienna."] == "current"
    had = facts_after("We have a dog called Biscuit and a daughter called Mia.", "Biscuit died last week.")
    assert had["The user has a daughter called Mia."] == "current"


def test_a_job_that_starts_later_ends_none_before() -> None:
    assert (
        facts_after("I work at Google.", "I'm starting at Meta in December.")["The user works at Google."] == "current"
    )
    assert facts_after("I work at Google.", "I started at Meta.")["The user works at Google."] == "superseded"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("It's my birthday today, I'm 35!", ["I'm 35."]),
        ("My birthday was on Friday and I'm 35 now.", ["I'm 35."]),
        ("It's my birthday today, I'm 35 minutes late.", []),
        ("It's my birthday today and I'm happy.", []),
        ("It's my sister's birthday and she's 35.", []),
    ],
)
def test_a_birthday_tells_the_age(said: str, told: list[str]) -> None:
    assert plain(said) == told
