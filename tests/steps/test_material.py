"""A text that a task works on, a role that is played and a story tell nothing of the user."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.extract.quotations import without_material

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def learnt(*said: str) -> tuple[dict[str, str], list[str]]:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("u", session_id="s")
        for text in said:
            user.add(text, "Noted.")
        user.end_session()
        user.consolidate()
        return {f.name: f.value for f in user.profile().fields}, [f.text for f in user.facts()]


def told_in_turn(*said: tuple[str, str]) -> dict[str, str]:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("u", session_id="s")
        for text, answer in said:
            user.add(text, answer)
        user.end_session()
        user.consolidate()
        return {f.name: f.value for f in user.profile().fields}


@pytest.mark.parametrize(
    "said",
    [
        "Translate into French: I live in Rome.",
        "Please correct this sentence: I lives in Rome.",
        "Fix the grammar: i am work as a driver in Oslo since two years",
        "Proofread my essay: My name is Emma. I live in Dublin and I study law.",
        "Summarise this text: I work as a nurse. I live in Hull.",
        "Rephrase: I quit my job at Shell.",
        "Make this more formal: I've moved to Berlin and I have a cat.",
        "Reply to this mail: Hi, I'm Bob, I work at Dell and live in Austin.",
        "Turn this into an email\n\nI moved to Oslo and work at Shell.",
        "Pretend I'm a lawyer.",
        "Act as if I'm a pilot.",
        "Say I moved to Tokyo, what would I need?",
        "Let's role-play: I am a pirate and I live in Tortuga.",
        "Let's play a game. I am a wizard and I live in a tower.",
        "Here's my character: I am Zog, a 400-year-old vampire, I live in Prague.",
        "In my novel I am a pilot and live in Nairobi.",
        "Write an email in which I say that I live in Paris and hate my job.",
        "Write a poem about how I live in Rome.",
        "Give me a tweet saying I work at NASA.",
        "Write a bio: I'm a dentist from Oslo.",
        "Draft an email: Hi, I'm Bob, I work at Shell as a driver.",
        "Please help me write a short reply: Hello, I'm Ana. I live in Bath and I'm vegan.",
        "Compose a monologue\n\nMy name is Otto. I live in a tower.",
        'Can you proofread this? "I live in Rome and I have a cat."',
        "Could you rephrase this sentence for me? I live in Rome.",
        "Please translate this into German. I live in Rome.",
        "Translate the following to Spanish. My name is Emma. I live in Dublin.",
    ],
)
def test_what_a_task_works_on_fills_no_profile(said: str) -> None:
    profile, facts = learnt(said)
    assert profile == {}
    assert not [text for text in facts if not text.endswith("to play a game.")]


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        ("I live in Rome. Translate into French: I live in Paris.", {"home": "Rome"}),
        ("Pretend I'm a lawyer. I live in Rome.", {"home": "Rome"}),
        ("Make a plan:\nI'm vegan\nI live in Rome", {"diet": "vegan", "home": "Rome"}),
        ("Checking in: I moved to Rome.", {"home": "Rome"}),
        ("Write a bio for my website. I live in Rome.", {"home": "Rome"}),
        ("Write a short text about me:\nI live in Rome.", {"home": "Rome"}),
        ("I need to write a letter. I live in Rome.", {"home": "Rome"}),
        ("Correction: I live in Oslo now.", {"home": "Oslo"}),
        ("Correct, I live in Oslo.", {"home": "Oslo"}),
        ("Guess what, I moved to Rome!", {"home": "Rome"}),
        ("I want to play a game. I live in Rome.", {"home": "Rome"}),
        ("Roleplay is my hobby. I live in Rome.", {"home": "Rome"}),
        ("Translate into French: good morning\n\nBy the way, I moved to Rome last week.", {"home": "Rome"}),
        ('Can you proofread this? "I live in Paris." I live in Rome, by the way.', {"home": "Rome"}),
        ('Translate "I live in Paris" into German. I live in Rome.', {"home": "Rome"}),
        ("Please translate my CV into German. I live in Rome.", {"home": "Rome"}),
        ("I wrote a story about my life: I live in Rome.", {"home": "Rome"}),
        ("I wrote a story. I live in Rome.", {"home": "Rome"}),
        ("Make this quick: I live in Rome.", {"home": "Rome"}),
        ("What do you think of this?\nI live in Rome.", {"home": "Rome"}),
        ("Listen to this\nI live in Rome.", {"home": "Rome"}),
        ("She sent me this lovely scarf\nI live in Rome.", {"home": "Rome"}),
        ("I wrote this\nI live in Rome.", {"home": "Rome"}),
        ("I've got this!\nI live in Rome.", {"home": "Rome"}),
        ("My boss texted me this morning\nI live in Rome.", {"home": "Rome"}),
        ("Check this week for me\nI live in Rome.", {"home": "Rome"}),
        ("Fix this: my name is Anna, not Hanna.", {"name": "Anna"}),
    ],
)
def test_what_is_said_beside_a_task_is_read(said: str, profile: dict[str, str]) -> None:
    assert learnt(said)[0] == profile


@pytest.mark.parametrize(
    "said",
    [
        "I wrote a story: I live in Rome and I am a spy.",
        "I'm writing a short story\n\nMy name is Otto. I live in a tower.",
        "I made up a poem for class: I live in Rome.",
    ],
)
def test_what_a_story_tells_fills_no_profile(said: str) -> None:
    assert learnt(said)[0] == {}


@pytest.mark.parametrize(
    "said",
    [
        "Agent: What's your name?\nCaller: I'm Helen, I live in Ely",
        "Interviewer: tell me about yourself\nCandidate: I'm Helen. I live in Ely.",
        "Tom: where do you live?\nAnn: I live in Kent\nTom: cool, I live in Hull",
        "Me: where r u from? Him: I'm from Lagos and I live in Kent",
        "her: i live in Kent, i'm a nurse",
        "[05/01/2026, 09:12] Tom: I live in Kent now",
        "05/01/26, 9:12 am - Tom Cole: I quit my job at Shell",
        "Reddit post: I moved to Denver with my cat. thoughts?",
        "Tweet: I moved to Denver with my cat.",
        "Text from Tom: I live in Kent now. My name is Tommy.",
        "Is this a con? somebody sent me this\nYour parcel is here. I am Kelvin, I live in Ely.",
        "got this letter, whats it mean\nDear member, I live in Dubai now and I work at Shell.",
        "My cousin wrote me this\nI live in Rome now and I'm vegan.",
        "reply to this:\nI'm gluten intolerant and we live in Deal. Sandy",
        "check this for me please\nHey, I live in London now, I work at Shell.",
        "This email came from the agent\nI live in Dubai now.",
        "Is this real? Dear resident, I live in Dubai now and I work at Shell.",
        "> I live in Texas now and I sold my house\n\nwhat do i reply to this?",
        "On Mon, Tom wrote:\n> I live in Texas now\n> and I'm a nurse",
    ],
)
def test_what_is_pasted_of_others_fills_no_profile(said: str) -> None:
    profile, facts = learnt(said)
    assert profile == {}
    assert not [text for text in facts if "Kent" in text or "Ely" in text or "Denver" in text or "Texas" in text]


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        ("Context: I live in Rome.\nQuestion: where should I eat?", {"home": "Rome"}),
        (
            "Q: where do you live?\nA: I live in Rome\nQ: what do you eat?\nA: I'm vegan",
            {"home": "Rome", "diet": "vegan"},
        ),
        ("Diet: I'm vegan\nHome: I live in Rome", {"home": "Rome", "diet": "vegan"}),
        ("Monday: I ran 5k\nTuesday: I moved to Rome", {"home": "Rome"}),
        ("Him: I'm from Lagos\nMe: I live in Rome", {"home": "Rome"}),
        ("her: I live in Kent\n\nI live in Rome", {"home": "Rome"}),
        ("Customer: Acme Ltd. I live in Rome.", {"home": "Rome"}),
        ("> I live in Texas now\n\nWhat do I reply? I live in Rome.", {"home": "Rome"}),
        ("My post: I moved to Rome.", {"home": "Rome"}),
        ("Quick message: I moved to Rome.", {"home": "Rome"}),
        ("I sent him a letter: I live in Rome.", {"home": "Rome"}),
        ("Email: ann@example.org\nI live in Rome", {"home": "Rome"}),
        ("Update: I moved to Rome.", {"home": "Rome"}),
        ("I earn > 40k and I live in Rome", {"home": "Rome"}),
    ],
)
def test_labels_of_what_the_user_tells_are_no_speakers(said: str, profile: dict[str, str]) -> None:
    found = learnt(said)[0]
    assert {name: found.get(name) for name in profile} == profile


@pytest.mark.parametrize(
    "said",
    [
        "A guy on the bus said to me: I'm divorced and I've got three kids.",
        "My client told me: I've stopped drinking and I live in Perth now.",
        "My flatmate just came in shouting: I got fired and I'm moving to Spain!",
        "A patient told me: I've stopped taking my statins and I moved in with my daughter in Perth.",
        "Tom texted: I quit. I live in Perth now.",
        "dave said: i work at Shell now",
        "my sister texts me: i moved to Perth",
        "and then she goes: I'm vegan and my name is Zoe",
        "Just got a text from my boss: I'm moving to Perth",
        "My landlord wrote:\nHello,\n\nI live in Perth now.\n\nYours, Bob",
        "He was like: I moved to Perth, come and see me",
    ],
)
def test_the_words_of_others_behind_a_colon_fill_no_profile(said: str) -> None:
    profile, facts = learnt(said)
    assert profile == {}
    assert not [text for text in facts if "user has stopped" in text or "user is" in text or "user moved" in text]


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        ("I told my boss: I live in Rome now.", {"home": "Rome"}),
        ("We said it to everybody: we moved to Rome.", {"home": "Rome"}),
        ("Told my boss: I moved to Rome.", {"home": "Rome"}),
        ("Finally said it: I moved to Rome.", {"home": "Rome"}),
        ("She asked where I live and I just said: I live in Rome.", {"home": "Rome"}),
        ("My bio says: I live in Rome.", {"home": "Rome"}),
        ("That said: I live in Rome.", {"home": "Rome"}),
        ("The answers: I live in Rome, I own no car.", {"home": "Rome"}),
        ("A few asks: I live in Rome, so use km.", {"home": "Rome"}),
        ("My news: I moved to Rome.", {"home": "Rome"}),
        ("The short version: I live in Rome.", {"home": "Rome"}),
        ("My sister said: I'm pregnant! She's over the moon. I live in Rome.", {"home": "Rome"}),
        ("My mum told me: eat more. I live in Rome.", {"home": "Rome"}),
        ("My boss said: I'm leaving. What now? I live in Rome.", {"home": "Rome"}),
    ],
)
def test_what_the_user_says_behind_a_colon_is_read(said: str, profile: dict[str, str]) -> None:
    assert learnt(said)[0] == profile


@pytest.mark.parametrize(
    "said",
    [
        "SELECT * FROM users WHERE bio = 'I live in Rome';",
        "INSERT INTO users VALUES (1, 'my name is Bob', 'I live in Rome')",
        "test_input = 'My name is Zoe'",
        "expect(greet()).toBe('I live in Paris')",
        "fix this test: assert parse('My name is Bob and I live in Rome') == 'Bob'",
        "const bio = `I live in Oslo and I'm a nurse`;",
        "{'bio': 'I live in Oslo', 'diet': 'I\\'m vegan'}",
        "print(f'I live in {town}')\nprint('I live in Rome')",
        "// I live in Rome and my name is Bob\nfoo();",
        "# My name is Bob\nx = 1",
        "```python\n# test\nI live in Rome.\n```\nwhy does it fail?",
        "<h1>My name is Bob</h1>\n<p class='x'>I live in Rome</p>",
    ],
)
def test_code_fills_no_profile(said: str) -> None:
    profile, facts = learnt(said)
    assert profile == {}
    assert not [text for text in facts if "lives in" in text or "name is" in text]


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        ("I live in St John's (it's 'quiet'), my name is Bob", {"home": "St John's", "name": "Bob"}),
        ("I'm Bob's mate, I live in Rome and it's my town", {"home": "Rome"}),
        ("x = 'a', I live in Rome", {"home": "Rome"}),
        ("My dog ('my boy') and I live in Rome.", {"home": "Rome"}),
        ("We're 'normal', I'm told. I live in Rome, it's my home, that's it", {"home": "Rome"}),
        ("I live in Rome // 'twas a long move", {"home": "Rome"}),
        ("My #1 rule: I'm vegan", {"diet": "vegan"}),
        ("`git push` fails.\n\nI live in Rome", {"home": "Rome"}),
        ("I <b>live</b> in Rome", {"home": "Rome"}),
    ],
)
def test_marks_in_prose_are_no_code(said: str, profile: dict[str, str]) -> None:
    found = learnt(said)[0]
    assert {name: found.get(name) for name in profile} == profile


@pytest.mark.parametrize(
    "said",
    [
        (
            "let's play a game. you are the border guard and I'm a traveller",
            "My name is Igor Petrov, I am from Minsk and I live in Riga",
        ),
        ("let's do a mock interview, you're the recruiter", "I've been a product manager at Google for six years"),
        (
            "we're playing D&D, my character is an elf ranger",
            "I'm Thalion, I'm 212 years old and i live in the Greenwood",
        ),
        ("Let's role play: I'm Jack, I live in Chicago", "I'm 44 and I work at Shell"),
        ("pretend you're my landlord and i'm a new tenant", *["hm"] * 11, "I'm Rob, I live in Perth"),
        ("Lass uns ein Rollenspiel machen. Du bist der Arzt.", "Ich wohne in Bonn."),
        ("can u pretend to be my maths examiner and quiz me? im a fresher called Lou", "no idea miss, i live in Perth"),
        ("Act as a customs officer. I'm a tourist named Ben.", "I live in Perth and work at Shell."),
        ("Test me. I'm a caller named Jo and I have a rash.", "I live in Perth."),
        ("Play a nurse and I'll be the visitor.", "I live in Perth."),
        ("You be the waiter, I'm the guest", "I live in Perth."),
        ("Could you act as an interviewer and ask me things?", "I'm a plumber, I live in Perth."),
        ("act as a recruiter. interview me", "I live in Perth."),
        ("pretend ur the vet and im the farmer, for thursday", "i live in Perth and my name is Odd"),
        ("Write a backstory: I'm Fenn, halfling bard, wanted in three towns", "Great! I live in Perth now."),
        ("Can you interview me? You're the recruiter, I'm Dr. Fenn Moss", "I've lived in Perth for years"),
        ("I'll be the tenant, you're the landlord.", "I live in Perth."),
        ("ok you're the teacher and I'm the pupil", "I live in Perth."),
        ("quick role-play? you're my boss", "I live in Perth."),
        ("let's role-play, I'm the tenant", "We've lived in Perth for ten years. ok stop, end of role-play"),
        ("let's do a mock interview", "I work at Shell. That's it, thanks for the practice"),
        ("Lass uns ein Rollenspiel machen.", "Ich wohne in Bonn. Stopp, Ende des Rollenspiels"),
        ("I'd like to practise a call, you're the client", "I live in Perth", "btw, what time is it?", "I'm vegan"),
    ],
)
def test_a_role_of_several_messages_fills_no_profile(said: tuple[str, ...]) -> None:
    profile, facts = learnt("I live in Rome.", *said)
    assert profile == {"home": "Rome"}
    assert not [text for text in facts if "years" in text or "Minsk" in text or "Perth" in text]


@pytest.mark.parametrize(
    "said",
    [
        ("let's play a game. you are the guard and I'm a spy", "I live in Riga", "ok game over", "I live in Rome"),
        ("let's do a mock interview", "I live in Riga", "how did i do?", "I live in Rome"),
        ("let's role-play", "I live in Riga", "Let's stop here. I live in Rome."),
        ("let's role-play", "I live in Riga", "no idea\nok enough. I live in Rome."),
        ("let's role-play", "I live in Riga. End of role-play. I live in Rome."),
        ("let's role-play", "I live in Riga", "By the way, I live in Rome."),
        ("let's play 20 questions", "I live in Rome"),
        ("Let's play chess, you are the best!", "I live in Rome"),
        ("I have a mock interview on Friday", "I live in Rome"),
        ("I play D&D with friends every week", "I live in Rome"),
        ("pretend you're a pirate", "I live in Rome"),
        ("act as my therapist", "I live in Rome"),
        ("act as my career coach", "I'm a nurse and I live in Rome"),
        ("Act as a recruiter and review my CV.", "I live in Rome"),
        ("act as my project manager", "I live in Rome"),
        ("act like a pirate", "I live in Rome"),
        ("My kids pretend to be waiters all day.", "I live in Rome"),
        ("I play the judge in our panto.", "I live in Rome"),
        ("Quiz me on French verbs. I'm a beginner.", "I live in Rome"),
        ("I'm to be a witness in court. Be my tutor.", "I live in Rome"),
        ("I love role-play games", "I live in Rome"),
        ("you're the expert, I'm the beginner", "I live in Rome"),
        ("You're the doctor here haha. I'm a nurse", "I live in Rome"),
        ("Here's my backstory: grew up in Leeds", "I live in Rome"),
        ("interview me about my life for my memoir", "I live in Rome"),
        ("My boss is the hiring manager and I'm nervous", "I live in Rome"),
        ("I told the recruiter I'm Dr. Moss", "I live in Rome"),
        ("let's do the shopping list. you are my hero", "I live in Rome"),
    ],
)
def test_beside_a_game_the_user_tells_of_themselves(said: tuple[str, ...]) -> None:
    assert learnt(*said)[0].get("home") == "Rome"


@pytest.mark.parametrize(
    ("before", "said", "profile"),
    [
        ("I live in York", "I've moved to Spain. just kidding", {"home": "York"}),
        ("I live in York", "I've moved to St. Ives! Haha, only joking, still here", {"home": "York"}),
        ("I live in York", "i've moved to Spain jk", {"home": "York"}),
        (
            "I live in York",
            "I'm vegan. I moved to Spain. Just kidding about nothing",
            {"home": "Spain", "diet": "vegan"},
        ),
        ("I live in York", "I'm vegan. I moved to Spain. lol. Just kidding", {"home": "York", "diet": "vegan"}),
        ("I live in York", "Just kidding! I've moved to Spain.", {"home": "Spain"}),
        ("I live in York", "I've moved to Spain, no kidding!", {"home": "Spain"}),
        ("I live in York", "I've moved to Spain. I'm not joking.", {"home": "Spain"}),
        ("I live in York", "I've moved to Spain. Joking aside, it's hot.", {"home": "Spain"}),
        ("I live in York", "I've moved to Spain. JK Rowling lives there.", {"home": "Spain"}),
        ("I live in York", "I've moved to Spain. As if that was easy.", {"home": "Spain"}),
        ("I live in York", "I've moved to Spain. Not a joke, I like it.", {"home": "Spain"}),
        ("I live in York", "I've moved to Spain. In my dreams I still see York.", {"home": "Spain"}),
        ("I live in York", "just moved to Dubai. NOT. still in rainy york", {"home": "York"}),
        ("I live in York", "April fools: i've moved to Mars", {"home": "York"}),
        ("I live in York", "I moved to Mars. April fools!", {"home": "York"}),
        ("I'm vegan", "no longer vegan!! ...kidding, as if", {"diet": "vegan"}),
        ("I work at Lidl", "i quit my job today. in my dreams", {"employer": "Lidl"}),
        ("I work at Lidl", "I quit my job today. Finally!", {}),
        ("I'm married to Al", "al and i got divorced... jk", {"relationship": "married to Al"}),
        ("My dog is called Rex", "Rex died. of laughter lol", {"pet": "dog Rex"}),
        ("My dog is called Rex", "Rex died. Of cancer.", {}),
    ],
)
def test_what_is_taken_back_as_a_joke_changes_nothing(before: str, said: str, profile: dict[str, str]) -> None:
    assert learnt(before, said)[0] == profile


_JEST = "I've moved to the moon and I work as a lion tamer."


@pytest.mark.parametrize(
    "then",
    [
        *("jk", "just kidding", "Only joking!", "lol kidding, I never left", "April fools. I'm at the lab", "sike!"),
        *("obviously not true", "none of that is true", "I was pulling your leg", "haha I made that up"),
        *("gotcha, that was a joke", "just messing with you", "Lol that was a lie", "Not really|Wow, really?"),
        *("haha no|Are you serious?", "no, sorry|Wait, is that true?"),
    ],
)
def test_a_message_taken_back_by_the_next_tells_nothing(then: str) -> None:
    said, _, answer = then.partition("|")
    assert told_in_turn(("I live in York", "ok"), (_JEST, answer or "Wow!"), (said, "ok")) == {"home": "York"}


@pytest.mark.parametrize(
    "then",
    [
        *("no kidding", "I'm not joking", "gotcha, thanks", "what does jk mean?", "April fools day is next"),
        *("haha no|Do you know anybody there?", "no|Are you sure about the visa?", "no joke, I love it|Really?"),
        *("my brother said just kidding", "joking aside, how do I pack?", "of course not|Is it cold?"),
    ],
)
def test_a_message_that_stands_keeps_what_it_told(then: str) -> None:
    said, _, answer = then.partition("|")
    jest = _JEST.replace("the moon", "Oslo")
    profile = told_in_turn(("I live in York", "ok"), (jest, answer or "Fine."), (said, "ok"))
    assert profile == {"home": "Oslo", "occupation": "lion tamer"}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Don't drink the tap water in Goa.", []),
        ("don't eat raw kidney beans", []),
        ("Don't eat uncooked rice.", []),
        ("don't drink and drive", []),
        ("Don't eat meat.", ["The user doesn't eat meat."]),
        ("don't drink coffee after lunch", ["The user doesn't drink coffee after lunch."]),
        ("can't eat the skin of apples", ["The user can't eat the skin of apples."]),
    ],
)
def test_a_warning_to_everybody_is_no_habit_of_the_user(said: str, told: list[str]) -> None:
    assert [text for text in learnt(said)[1] if text.startswith("The user ")] == told


@pytest.mark.parametrize(
    "said",
    [
        "in ten years i live in Malta and i'm 55",
        "In 5 years' time I live in Malta.",
        "In the year 2040 i'm 60 and live on a farm",
        "on paper i live in Jersey",
        "sometimes i tell people i live in London, easier",
        "on tinder i say i live in London",
        "I usually tell strangers that I live in London",
    ],
)
def test_what_is_not_so_now_changes_nothing(said: str) -> None:
    assert learnt("I live in York.", said)[0] == {"home": "York"}


@pytest.mark.parametrize(
    "said",
    [
        "I have to say I live in Malta now and love it.",
        "I told everyone: I live in Malta now.",
        "In ten years I have seen a lot. I live in Malta now.",
        "On paper it was hard. I live in Malta now.",
        "After ten years in York I live in Malta now.",
        "For ten years now I live in Malta.",
    ],
)
def test_what_is_so_now_is_read_beside_years_and_paper(said: str) -> None:
    assert learnt("I live in York.", said)[0] == {"home": "Malta"}


@pytest.mark.parametrize(
    "said",
    [
        "\n",
        " ",
        "Translate ",
        "Translate this ",
        "I wrote a story ",
        'Proofread "',
        "Imagine ",
        "Pretend I",
        "In my novel ",
        "fix the ",
        "him: I ",
        "I go jk. ",
        "kidding. ",
        "...",
        "x='I ",
        "<p>I ",
        "She said: I ",
        "a said ",
        "Tom: I\n",
        "\n> ",
        "a post from ",
        "1/2/2020, 1:11 ",
    ],
)
def test_a_megabyte_is_read_at_once(said: str) -> None:
    text = said * (1_000_000 // len(said))
    assert len(without_material(text)) <= len(text)
