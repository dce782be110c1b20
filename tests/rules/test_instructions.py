"""Standing instructions: a later one about the same aspect of answers replaces an earlier one."""

from __future__ import annotations

import time

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.rules.knowledge.aspects import aspects_of, compare_orders
from memoryos_core.rules.knowledge.instructions import concern
from memoryos_core.rules.knowledge.supersession import compare, ends
from memoryos_core.rules.text.words import terms
from tests.pipeline.test_belongings import known_after

WANTS = "Tom wants the assistant to "


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("never use emojis", "feel free to use emojis again", "replaces"),
        ("stop using emojis", "use emojis", "replaces"),
        ("stop using emojis", "never use an emoji", "repeats"),
        ("always answer in bullet points", "never use bullet points", "replaces"),
        ("always answer in French", "always answer in English", "replaces"),
        ("be brief", "give longer answers", "replaces"),
        ("use metric units", "use imperial units", "replaces"),
        ("be brief", "be less brief", "replaces"),
        ("call them Tommy", "stop calling them Tommy", "replaces"),
        ("always use short variable names", "give longer answers", "unrelated"),
        ("stop using emojis", "use emojis in headings", "unrelated"),
        ("use bullet points", "stop using so many bullet points", "unrelated"),
        ("always write emails in French", "always answer in German", "unrelated"),
        ("always give temperatures in Celsius", "always give distances in miles", "unrelated"),
        ("be brief", "never use emojis", "unrelated"),
        ("be brief and use bullet points", "give longer answers", "unrelated"),
        ("keep it to three or four lines", "give longer answers", "replaces"),
        ("use bullet points only", "feel free to write normal paragraphs", "replaces"),
        ("use easy words", "feel free to use technical words", "replaces"),
        ("always correct their mistakes when they write", "correct only the big mistakes", "replaces"),
        ("give code only", "add a short explanation after the code", "replaces"),
        ("call them Dr Hale", "call them Ann", "replaces"),
        ("feel free to go longer when it's code", "be brief", "unrelated"),
        ("put the list first when they ask for recipes", "give longer answers", "unrelated"),
        ("answer in French when they ask about wine", "always answer in English", "unrelated"),
    ],
)
def test_what_a_later_instruction_does(old: str, new: str, verdict: str) -> None:
    before, after = f"{WANTS}{old}.", f"{WANTS}{new}."
    assert compare(before, after, ("Tom",)) == verdict
    assert ends(before, after, ("Tom",)) == (verdict == "replaces")


def test_an_instruction_for_a_case_settles_nothing_in_general() -> None:
    assert aspects_of(f"{WANTS}answer in French.") == {("language", "french")}
    assert aspects_of(f"{WANTS}answer in French when they ask about wine.") == frozenset()
    assert aspects_of("Tom lives in a short street.") == frozenset()


COMMENTS = "always add comments in the code"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (COMMENTS, "no longer add comments in the code", "replaces"),
        (COMMENTS, "stop adding comments", "replaces"),
        (COMMENTS, "no longer use comments in the code", "replaces"),
        (COMMENTS, "forget what they said about comments", "replaces"),
        ("never use emojis", "forget what they said about emojis", "replaces"),
        ("keep answers short", "give them more detail from now on", "replaces"),
        ("use metric", "feel free to use imperial again", "replaces"),
        ("talk to them like a pirate from now on", "stop talking like a pirate", "replaces"),
        ("always suggest a wine with the recipes", "stop suggesting wine", "replaces"),
        ("stop suggesting espresso bars for meetings", "feel free to suggest espresso bars again", "replaces"),
        ("use simple words", "feel free to use any words", "replaces"),
        ("keep it short", "feel free to write longer again", "replaces"),
        ("never suggest recipes", "feel free to suggest recipes again", "replaces"),
        ("avoid recipes", "feel free to suggest recipes again", "replaces"),
        ("never mention mothers", "feel free to mention their mother again", "unrelated"),
        ("never suggest recipes with peanuts", "feel free to suggest recipes again", "unrelated"),
        ("avoid recipes with peanuts", "feel free to suggest recipes again", "unrelated"),
        ("never suggest recipes for lamb", "feel free to suggest recipes again", "unrelated"),
        ("never mention their mother", "feel free to mention mothers again", "unrelated"),
        ("never send them long answers", "send them long answers", "replaces"),
        ("be brief", "no longer be brief", "replaces"),
        ("no longer be brief", "be brief", "replaces"),
        ("keep it casual", "keep it formal", "replaces"),
        ("address them as Ann", "call them by their surname", "replaces"),
        ("use British spelling", "use American spelling", "replaces"),
        ("always answer in German", "no longer answer in French", "unrelated"),
        ("call them Ann", "never call them before nine", "unrelated"),
        (COMMENTS, "stop adding comments in the tests", "unrelated"),
        (COMMENTS, "stop adding so many comments", "unrelated"),
        (COMMENTS, "always answer in French", "unrelated"),
        ("never add comments in the tests", COMMENTS, "unrelated"),
        ("always remind them to drink water", "stop reminding them about the rent", "unrelated"),
    ],
)
def test_what_a_later_word_takes_back(old: str, new: str, verdict: str) -> None:
    before, after = f"{WANTS}{old}.", f"{WANTS}{new}."
    assert compare(before, after, ("Tom",)) == verdict
    assert ends(before, after, ("Tom",)) == (verdict == "replaces")


def held_after(*said: str) -> list[str]:
    """Return the instructions that hold after messages in sessions of their own."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        for number, text in enumerate(said):
            user = memory.user("tom", session_id=f"s{number}")
            user.add(text, "All right.")
            user.end_session()
            user.consolidate()
        return [fact.text for fact in memory.user("tom").facts() if fact.kind == "instruction"]


@pytest.mark.parametrize(
    ("order", "lifting"),
    [
        *(
            ("From now on always put comments in the code.", lifting)
            for lifting in (
                "You don't need to put comments in the code any more.",
                "you dont have to add comments now",
                "You can stop adding comments.",
                "Stop adding comments in the code.",
                "No need for comments in the code anymore.",
                "ok stop with the comments in the code",
            )
        ),
        ("Please use simple words.", "You can use any words you like now."),
        ("Please use simple words.", "no need for simple words anymore"),
        ("From now on answer in French.", "you can answer in English again"),
        ("Never use emojis.", "you're allowed to use emojis again"),
        ("Never use emojis.", "i dont mind emojis any more"),
        ("Never use emojis.", "Forget what I said about emojis."),
        ("From now on put comments in the code.", "forget about the comments in the code"),
        ("Never mention my ex.", "you can mention my ex again, we made up"),
        ("Never suggest recipes.", "You can suggest recipes again."),
        ("Never suggest recipes with peanuts.", "You can suggest recipes with peanuts again."),
        ("Keep your answers short.", "From now on, give me more details."),
        ("Keep your answers short.", "Always give me more details."),
        ("Keep your answers short.", "Give me more details in all answers."),
        ("Antworte bitte immer kurz.", "Du darfst wieder länger antworten."),
        ("Call me Captain.", "You can stop calling me Captain."),
        ("From now on use metric.", "you can use imperial again"),
        ("can u keep answers short pls", "give me more detail from now on"),
        ("Antworte bitte immer auf Englisch.", "Du kannst wieder auf Deutsch antworten."),
        ("No emojis please.", "emojis are fine now"),
        ("Stop using emojis.", "Emojis are okay with me now."),
        ("no bullet points pls", "make me a packing list. bullet points are fine now"),
        ("Keep it short.", "also u can write longer again im not on nights anymore"),
        ("Be brief.", "you can answer in more detail again"),
        ("Don't send me long answers.", "Send me long answers."),
        ("Please keep it casual.", "keep it formal"),
        ("Please address me as Ann.", "call me by my surname"),
        ("Always remind me about my pills.", "You don't need to remind me about my pills any more."),
        ("Bitte antworte kurz.", "Du kannst wieder länger antworten."),
        ("Bitte antworte kurz.", "du kannst jetzt wieder ausführlicher schreiben"),
        ("Bitte antworte kurz.", "puedes contestar más largo, ya no hace falta que sea corto"),
        ("Bitte duze mich.", "Bitte sieze mich lieber."),
        ("Keine Emojis bitte.", "Emojis sind wieder okay."),
        ("Sois bref stp.", "Tu peux répondre plus longuement maintenant."),
        ("Tutoie-moi.", "Vouvoie-moi plutôt."),
        ("Antworte bitte immer auf Englisch.", "Antworte bitte wieder auf Deutsch."),
        ("Please don't talk about my ex.", "You can talk about my ex now."),
        ("Never bring up my mother.", "it's fine to talk about my mother now"),
        ("I don't want to talk about Rob any more.", "you can bring up Rob again"),
        ("I don't want to hear about my boss here.", "We can talk about my boss again."),
        ("Never mention my sister.", "You can ask me about my sister now."),
        ("Always answer in French.", "You don't have to answer in French any more."),
        ("Always answer in Italian.", "stop answering in italian"),
        ("Reply in Spanish from now on.", "English is fine again."),
        ("Always comment your code.", "Skip the comments."),
        ("Always comment your code.", "you can leave out the comments now"),
        ("Always give sources.", "You can drop the sources now."),
        ("Always use bullet points.", "you can lose the bullet points"),
        ("Answer briefly.", "You can write longer answers now."),
        ("pls keep replies really short, like 3-4 lines max", "u can do longer replies now"),
        ("Keep your answers short, two lines at most.", "You can do longer answers now, I have a screen again."),
        ("Start each reply with a short recap.", "You can stop the recap at the start, I never read it."),
        ("End every answer with a proverb.", "you can drop the proverbs now"),
        ("Always add a to-do list at the end.", "No need for the to-do list any more."),
        ("Finish every reply with a question.", "You can leave out the question at the end now."),
        ("Always put a checklist at the end.", "ok you can lose the checklist from now on"),
        ("Be tough with me.", "Fine, thanks. You can go easier on me a bit now. I know I said tough."),
        ("Be blunt.", "you could be a bit gentler with me now"),
        ("Always be blunt.", "You don't have to be so blunt any more."),
        ("Never use bullet points.", "I know I said no bullet points, but bullet points are fine again."),
        ("Never use bullet points.", "You can go back to bullet points."),
        ("Keep your answers short.", "you can go back to longer answers"),
        ("Always answer in Dutch.", "you can go back to English"),
        ("Call me Professor.", "Please go back to calling me Ann."),
        ("I'd prefer to be called Dr Hale until we are friends.", "You may as well call me Nora now. We are friends."),
        ("I'd like it if you called me Mrs Pugh.", "you can call me Olive now"),
        ("Never use summaries.", "Summaries are fine again."),
        ("No swearing please.", "you can swear again"),
        ("No swearing please.", "You can swear now, I don't mind."),
        ("Always answer in German.", "switch back to English"),
        ("Always answer in German.", "Can we go back to English please?"),
        ("please use metric units", "imperial from now on please"),
        ("please use imperial units", "metric again please"),
        ("always answer in french", "answer in english again please"),
        ("always answer in french pls", "ok english is fine now"),
        ("Always answer in French.", "You can stop answering in French."),
        ("never use emojis please", "one emoji is fine"),
        ("never use jokes please", "a joke now and then is ok"),
        ("from now on speak like a pirate", "ok stop the pirate thing"),
        ("from now on talk like Yoda", "enough with the yoda voice please"),
        ("Antworte immer auf Deutsch.", "Ab jetzt wieder Englisch bitte."),
        ("Always give a summary.", "Forget what I said about the summary."),
    ],
)
def test_what_is_taken_back_no_longer_holds(order: str, lifting: str) -> None:
    before = held_after(order)
    assert len(before) == 1
    assert before[0] not in held_after(order, lifting)


@pytest.mark.parametrize(
    ("order", "other"),
    [
        ("No emojis please.", "emojis are fine in the slide"),
        ("No swearing please.", "my son can swear again"),
        ("No swearing please.", "You can swear in the letter to my ex."),
        ("Always answer in German.", "My school switched back to English."),
        ("Always answer in German.", "Switch the menu to English."),
        ("please use metric units", "The imperial ruler is from now on mine."),
        ("never use emojis please", "one emoji is missing"),
        ("never use emojis please", "a table is fine"),
        ("from now on speak like a pirate", "ok stop the car thing"),
        ("Antworte immer auf Deutsch.", "Ich lerne ab jetzt wieder Englisch."),
        ("No emojis please.", "Make me a poster. You can use emojis in it."),
        ("Be brief.", "You can write longer sentences in my essay."),
        ("Be brief.", "Write me a long letter to my aunt."),
        ("Please use simple words.", "Write a poem. You can use any words you like."),
        ("From now on always add comments in the code.", "You don't need to add the comment I mentioned."),
        ("From now on always add comments in the code.", "You don't need to send the email anymore."),
        ("From now on always add comments in the code.", "Stop adding comments to this function."),
        ("Don't send me long answers.", "Send me long lists of books."),
        ("Please address me as Ann.", "Never call me before nine."),
        ("Never use emojis.", "My sister doesn't mind emojis."),
        ("Never use emojis.", "I forgot what I said about emojis in the team chat."),
        ("From now on answer in French.", "My son can answer in English again."),
        ("Never mention my ex.", "You can mention it again."),
        ("Never suggest recipes with peanuts.", "You can suggest recipes again."),
        ("Don't suggest meat recipes.", "You can suggest recipes again."),
        ("Stop recommending horror films.", "You can recommend films again"),
        ("Keep your answers short.", "Give me more details."),
        ("Antworte bitte immer kurz.", "Du darfst die Mail wieder länger machen."),
        ("Bitte antworte kurz.", "Du kannst die Mail länger machen."),
        ("Bitte antworte kurz.", "Ich kann wieder länger laufen."),
        ("Bitte duze mich.", "Soll ich meine Chefin siezen?"),
        ("Please don't talk about my ex.", "You can talk about my boss now."),
        ("Please don't talk about my ex.", "Can we talk about my ex?"),
        ("Please don't talk about my ex.", "I could talk about my ex for hours."),
        ("Always comment your code.", "I commented the code myself."),
        ("Always comment your code.", "Skip the intro."),
        ("Always answer in French.", "My son stopped answering in French."),
        ("Always put a checklist at the end.", "Here is my essay again. You can drop the quote at the end."),
        ("Always put a checklist at the end.", "You can drop the kids now."),
        ("Always put a checklist at the end.", "I dropped the checklist on the floor."),
        ("End every answer with a proverb.", "You can stop the joke at the start."),
        ("Be blunt.", "My coach could ease up on me a bit."),
        ("Be blunt.", "Be gentle with my mother in the letter."),
        ("Keep your answers short.", "I can go back to longer runs."),
        ("Call me Ann.", "I know I said Ann would call me."),
        ("Call me Ann.", "I'd prefer to be called back after six."),
    ],
)
def test_what_speaks_of_something_else_takes_nothing_back(order: str, other: str) -> None:
    before = held_after(order)
    assert len(before) == 1
    assert before[0] in held_after(order, other)


@pytest.mark.parametrize(
    "said",
    [
        "I don't want to talk about him please.",
        "I don't want to talk about work right now.",
        "Not public, so don't mention it to anybody.",
        "Is Tom your brother? I don't want to talk about it.",
        "My boss said: I don't want to talk about it.",
        "I don't want to talk about my ex in the speech, help me.",
    ],
)
def test_what_passes_or_has_no_subject_is_no_closed_topic(said: str) -> None:
    assert held_after(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Give me more details.",
        "Give me more detail please",
        "Can you give me more details?",
        "Please give me more details, I don't get it.",
        "No need for apologies, it was my fault.",
        "No need for apologies.",
        "No need for disclaimers, it was my fault.",
        "You may speak to the manager again.",
        "You can call Anna again.",
        "You can stop explaining pasta recipes now.",
        "You can stop translating emails now.",
        "What is a monad? Answer briefly.",
        "You can talk about the budget in the meeting.",
        "Skip the second chapter.",
        "call me crazy but I like rain",
        "Call me old-fashioned, I still write letters.",
    ],
)
def test_what_is_said_of_one_thing_is_no_standing_order(said: str) -> None:
    assert held_after(said) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Give me more detail from now on.", "give them more detail from now on"),
        ("Always comment your code.", "always comment the assistant's code"),
    ],
)
def test_what_is_said_of_all_to_come_is_a_standing_order(said: str, told: str) -> None:
    assert held_after(said) == [f"The user wants the assistant to {told}."]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("but dont call me sweetie pls. my boss does it", ["never call them sweetie"]),
        ("I'm off meat. so please don't suggest steak", ["never suggest steak"]),
    ],
)
def test_every_wish_for_all_answers_is_an_instruction_of_its_own(said: str, told: list[str]) -> None:
    assert held_after(said) == [f"The user wants the assistant to {order}." for order in told]


@pytest.mark.parametrize(
    "said",
    [
        "Two things: book the dentist and write to the landlord.",
        "Two rules of the game: no talking, and always share.",
        "Write a poem for Ann. Be blunt. No bullet points.",
        "Here is the list. No bullets please.",
        "My gym has two rules: no phones, no shouting.",
        "Three requests for the hotel: a quiet room, no feathers, late breakfast.",
        "Write an email. Start every paragraph with a verb.",
        "I'd like to be called to the bar.",
        "Don't call me before nine.",
        "Never call me at work.",
        "We don't use dates as tokens.",
        "Stop putting sugar in my tea, my dentist says.",
        "I told her to stop recommending cigars.",
        "He has given up smoking, so don't suggest cigars to him.",
        "I don't do mornings, so don't book any.",
        "Explain like I'm 5 how magnets work.",
        "Write bigger numbers in the table.",
        "Make the title bigger please.",
        "stop saying nice things about her, she left me",
        "Stop saying that.",
        "My boss said no emojis in mails.",
    ],
)
def test_what_is_no_wish_for_all_answers_is_no_instruction(said: str) -> None:
    assert not [order for order in held_after(said) if "before nine" not in order and "at work" not in order]


@pytest.mark.parametrize(
    "said",
    [
        "Don't mention the audition. Gran sent me a kite.",
        "We came last by forty points. Don't mention it.",
        "It was in the freezer. I don't want to talk about it.",
        "never mention the dance lol",
        "if I buy another bike you can shoot me",
        "Pray for me, the in-laws are here.",
        "Don't tell anyone, I cried at the cartoon.",
        "never tell a soul, I hate jazz",
        "Don't spare me. I grew up on a farm.",
        "Never let me near the biscuits again.",
        "Never give up, my nan used to say.",
        "Always check the oil first, that's what the mechanic told us.",
        "Always use the left lane, says the sign.",
        "Never ask a lady her age.",
        "Always tell him the truth.",
        "Don't call me, I'll call you, they said.",
        "never use vinegar on that, it ruined my coat",
        "Choir's on Wednesdays from now on, the hall was taken.",
        "Ruby says she wants to be called Rubes from now on.",
        "Tom has decided to be vegan from now on.",
        "Tom has Mondays off from now on.",
        "From now on the recycling goes out on Fridays.",
        "Supper is at seven from now on",
        "Mum picks me up from now on.",
        "Whenever I mention the move he changes the subject.",
        "Every time I say no, she sulks.",
        "Please never mention my age in this letter.",
        "Use American spelling for the flyer.",
        "Don't use so many adjectives in the toast.",
        "Keep the answers to the quiz secret.",
    ],
)
def test_a_joke_a_maxim_and_what_is_of_one_thing_are_no_instructions(said: str) -> None:
    assert held_after(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Never mention the accident again.",
        "Don't mention my weight, please.",
        "Don't mention politics.",
        "Never use the word moist.",
        "Never let me forget my pills.",
        "Always warn me about nuts in recipes.",
        "Always tell me the price in euros.",
        "Always ask me a question at the end.",
        "Don't suggest the gym to me any more.",
        "From now on, emojis are fine.",
        "Spanish has to be the language from now on.",
        "Python has type hints from now on.",
        "From now on, ask me on Sundays how my week was.",
        "Whenever I mention work, ask how I slept.",
        "Always check every letter for typos.",
        "Keep the answers short.",
    ],
)
def test_what_is_near_to_a_joke_or_a_maxim_stays_an_instruction(said: str) -> None:
    assert len(held_after(said)) == 1


def test_what_nobody_takes_the_user_for_is_no_fact() -> None:
    said = "Keep your answers in proper paragraphs. I'm not a shopping list."
    with MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        user = memory.user("tom", session_id="first")
        user.add(said, "All right.")
        user.end_session()
        user.consolidate()
        assert [fact.kind for fact in user.facts()] == ["instruction"]


@pytest.mark.parametrize(
    "order",
    ["." * 20_000 + ' x"y', "a." * 10_000 + ' x"y', "x" + " now" * 10_000 + "x", " " * 20_000 + 'x"y'],
    ids=["dots", "dots between", "again and again", "spaces"],
)
def test_a_long_order_is_read_in_time(order: str) -> None:
    text = f"The user wants the assistant to {order}"
    began = time.process_time()
    compare_orders(text, f"{text}.")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("From now on just give me the one film you'd go with, not five.", "the one film the assistant would go with"),
        ("Use American spelling.", "use American spelling"),
    ],
)
def test_what_holds_for_all_answers_is_in_every_prompt(said: str, line: str) -> None:
    assert line in recalled_after(said, "Write me a note for the neighbours.")


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("Answer in French when I ask about wine.", "answer in French"),
        ("When you give me recipes, put the times first.", "put the times first"),
    ],
)
def test_what_holds_in_a_case_is_in_the_prompts_of_that_case(said: str, line: str) -> None:
    assert line not in recalled_after(said, "Write me a note for the neighbours.")
    assert line in recalled_after(said, "Which wine goes with these recipes?")


def recalled_after(said: str, asked: str) -> str:
    """Return what is recalled for a question in a session after one with a message."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        user = memory.user("tom", session_id="first")
        user.add(said, "All right.")
        user.end_session()
        user.consolidate()
        return memory.user("tom", session_id="second").recall(asked).text.partition("Said earlier")[0]


def test_a_name_that_is_no_longer_wanted_is_no_name_of_the_profile() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        for number, text in enumerate(("Call me Captain.", "You don't have to call me Captain any more.")):
            user = memory.user("tom", session_id=f"s{number}")
            user.add(text, "All right.")
            user.end_session()
            user.consolidate()
        assert memory.user("tom").profile().get("name") is None


@pytest.mark.parametrize(
    "news",
    [
        "I no longer need short answers.",
        "I don't need short answers any more.",
        "I've changed my mind about short answers, no more please.",
    ],
)
def test_a_wish_ends_where_it_is_no_longer_needed(news: str) -> None:
    ended, _ = known_after("Keep your answers short please.", news)
    assert len(ended) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Never put foil in the air fryer!",
        "Never put metal in a microwave!",
        "Don't ever leave a candle on the shelf.",
        "Never give chocolate to a dog.",
        "never give honey to babies",
        "Never use water on a grease fire.",
    ],
)
def test_a_warning_that_holds_for_everybody_is_no_wish(said: str) -> None:
    assert held_after(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Never put jokes in your answers.",
        "Never put the date in the title.",
        "Never put comments in the code.",
        "Never give my number to strangers.",
        "Never give me advice on love.",
        "Never add sugar to my recipes.",
        "Never use tables in a summary.",
        "Never use words like 'utilise'.",
        "Never suggest honey for babies.",
        "Always put the source at the end.",
    ],
)
def test_a_wish_of_the_same_form_as_a_warning_is_kept(said: str) -> None:
    assert len(held_after(said)) == 1


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        (("Please answer in French from now on.", "You can answer in English again."), False),
        (("Never use emojis.", "You can use emojis again."), False),
        (("Please answer in French from now on.", "Answer in English again from now on."), True),
        (("You can use emojis.",), False),
        (("Always call me Bob again.",), True),
    ],
)
def test_a_permission_that_only_takes_back_stands_in_no_prompt(said: tuple[str, ...], is_told: bool) -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        for text in said:
            memory.user("ann", session_id="one").add(text, "ok")
        memory.user("ann", session_id="one").end_session()
        memory.flush()
        told = memory.user("ann", session_id="two").recall("Hello!").text
    assert ("wants the assistant" in told) is is_told


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("How do I handle errors?", True), ("What does the project cost?", False), ("Is the project on time?", False)],
)
def test_the_word_of_a_whole_memory_asks_for_no_order(asked: str, shown: bool) -> None:
    order = "The user wants the assistant to always add a log line when they ask about project errors."
    weight = {"project": 0.3}
    told = concern(order, frozenset(terms(asked)), lambda term: weight.get(term, 2.0))
    assert (told >= 0.6) is shown


def test_an_order_without_a_case_is_for_any_question() -> None:
    assert concern("The user wants the assistant to always be brief.", frozenset(), lambda _: 1.0) == 1.0


def test_what_is_forbidden_for_a_case_is_told_by_any_word_of_it() -> None:
    order = "When the user asks about their dog Biscuit, never suggest chicken, he is allergic."
    assert concern(order, frozenset(terms("What can my dog eat?")), lambda term: 0.2 if term == "dog" else 2.0) == 1.0


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "From now on, please also give me the Irish name whenever you mention a lake or a hill in the north.",
            ["give them the Irish name whenever the assistant mentions a lake or a hill in the north."],
        ),
    ],
)
def test_a_wish_for_each_case_is_told_whole(said: str, told: list[str] | None) -> None:
    wants = "The user wants the assistant to "
    found = [text.removeprefix(wants) for text in held_after(said) if text.startswith(wants)]
    assert found == told if told is not None else len(found) == 1


@pytest.mark.parametrize(
    "said",
    [
        "From now on.",
        "Use bullet points when you answer this.",
        "When you answer this, keep it to three lines.",
        "Please include the price when you write the email.",
        "Please tell me when you mention the price.",
        "Wear gloves whenever you use bleach.",
        "I have to send the form whenever you mention a change.",
        "My boss wants me to copy her every time I write to a client.",
        "Remember to always stretch before you run.",
        "Can you remember to write to Anna?",
        "Tell her to stop asking me how I am.",
        "He told me to stop asking how he is.",
        "Stop asking me and just write it.",
        "So stop asking if my notes are clear and just send the brief.",
        "Stop telling me you're on it.",
        "Give me five examples for interview questions.",
        "Winters can be long again.",
        "Recipes can be long.",
        "You don't have to call me back.",
        "You don't have to call me, a text is fine.",
        "My sister keeps calling me. Laura is fine though.",
    ],
)
def test_what_looks_like_a_wish_for_each_case_is_no_instruction(said: str) -> None:
    assert not [text for text in held_after(said) if "wants the assistant" in text or "From now" in text]


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [
        ("Call me Kit.", "You don't have to call me tomorrow.", ["call them Kit."]),
    ],
)
def test_a_wish_for_each_case_is_taken_back(before: str, after: str, held: list[str]) -> None:
    wants = "The user wants the assistant to "
    assert [text.removeprefix(wants) for text in held_after(before, after) if text.startswith(wants)] == held
