"""Wishes for all answers as people type them: each is told in their words, until they take it back."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from tests.rules.test_instructions import held_after

ASKED = 'The user asks for all answers: "'


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "A few rules for your answers. Times always in 24-hour format. And end each answer with a source.",
            ["Times always in 24-hour format.", "And end each answer with a source."],
        ),
        (
            "Ada is pregnant. It's not public, so please don't mention it in any letter until I say so.",
            ["Ada is pregnant. It's not public, so please don't mention it in any letter until I say so."],
        ),
        ("Always metric, never imperial.", ["Always metric, never imperial."]),
        ("American spelling please", ["American spelling please"]),
        (
            "And whenever you quote a temperature, please give it in kelvin.",
            ["And whenever you quote a temperature, please give it in kelvin."],
        ),
        ("Answer briefly.", ["Answer briefly."]),
        ("Be brief because I'm driving.", ["Be brief because I'm driving."]),
        ("Be brief.", ["Be brief."]),
        (
            "Be direct with me, would you. No pep talks, no 'well done'.",
            ["Be direct with me, would you.", "No pep talks, no 'well done'."],
        ),
        ("btw stop putting # signs in things i paste", ["btw stop putting # signs in things i paste"]),
        ("Bullet points only.", ["Bullet points only."]),
        ("can u keep answers short pls", ["can you keep answers short pls"]),
        ("Can you always answer in metric?", ["Can you always answer in metric?"]),
        ("Can you be more direct with me?", ["Can you be more direct with me?"]),
        (
            "Can you remember to always write times like 18:30 for me?",
            ["Can you remember to always write times like 18:30 for me?"],
        ),
        ("can you write to me like a friend", ["can you write to me like a friend"]),
        ("celsius please, always celsius. our thermometer has nothing else", ["celsius please, always celsius."]),
        ("Correct me when I say something wrong please", ["Correct me when I say something wrong please"]),
        ("Correct my English mistakes.", ["Correct my English mistakes."]),
        ("Could you add a riddle at the end of each reply?", ["Could you add a riddle at the end of each reply?"]),
        ("Could you keep your answers fairly brief?", ["Could you keep your answers fairly brief?"]),
        (
            "Could you keep your replies in plain prose, please? No bullets. I'm not a spreadsheet.",
            ["Could you keep your replies in plain prose, please?", "No bullets."],
        ),
        ("Could you remember to never use my surname?", ["Could you remember to never use my surname?"]),
        ('Could you stop saying "fab" all the time?', ['Could you stop saying "fab" all the time?']),
        ("Cut the small talk.", ["Cut the small talk."]),
        ("Dates always as YYYY-MM-DD please.", ["Dates always as YYYY-MM-DD please."]),
        ("do us a favour, keep your answers short. the screen is tiny", ["do us a favour, keep your answers short."]),
        ("Don't do sums on me.", ["Don't do sums on me."]),
        ("Don't send me those little pictures and smileys.", ["Don't send me those little pictures and smileys."]),
        ("Don't thank me all the time, it's odd.", ["Don't thank me all the time, it's odd."]),
        ("dont say well spotted every time", ["don't say well spotted every time"]),
        ("Drop the lists.", ["Drop the lists."]),
        (
            "Even when I talk to you in Greek, answer in French, so I practise",
            ["Even when I talk to you in Greek, answer in French, so I practise"],
        ),
        ("Fahrenheit for the weather, always please", ["Fahrenheit for the weather, always please"]),
        ("Fewer emojis.", ["Fewer emojis."]),
        (
            "For coding questions, use Python and don't show me the imports.",
            ["For coding questions, use Python and don't show me the imports."],
        ),
        ("French only from now on please", ["French only from now on please"]),
        ("From now on, no emojis.", ["From now on, no emojis."]),
        ("Get to the point.", ["Get to the point."]),
        ("Give me bullet points, not paragraphs.", ["Give me bullet points, not paragraphs."]),
        (
            "Give me temperatures in Celsius and distances in km always.",
            ["Give me temperatures in Celsius and distances in km always."],
        ),
        (
            "Gran passed away in May. I'd rather not talk about it here.",
            ["My gran passed away in May. I'd rather not talk about it here."],
        ),
        (
            "house rules: be brief, no emojis, and use British spelling",
            ["house rules: be brief, no emojis, and use British spelling"],
        ),
        ("House rules: no jokes, no emojis.", ["House rules: no jokes, no emojis."]),
        (
            "I don't use plastic in the kitchen, so don't recommend any",
            ["I don't use plastic in the kitchen, so don't recommend any"],
        ),
        ("I don't want tables in your answers, ever", ["I don't want tables in your answers, ever"]),
        ("I don't want to hear about politics any more.", ["I don't want to hear about politics any more."]),
        ("i dont want to talk about my boss", ["i don't want to talk about my boss"]),
        ("I want you to stop apologising, it annoys me.", ["I want you to stop apologising, it annoys me."]),
        ("I'd appreciate it if you'd skip the small talk.", ["I'd appreciate it if you'd skip the small talk."]),
        (
            "I'd find it helpful if at the end of every answer you put a quiz.",
            ["I'd find it helpful if at the end of every answer you put a quiz."],
        ),
        ("I'd rather have short answers, always", ["I'd rather have short answers, always"]),
        ("I'm off pork, so don't suggest ham.", ["I'm off pork, so don't suggest ham."]),
        (
            "I've given up smoking, so stop recommending cigars.",
            ["I've given up smoking, so stop recommending cigars."],
        ),
        ("if i ask for a summary keep it under 80 words", ["if i ask for a summary keep it under 80 words"]),
        ("If I ask for code, assume R. I don't want Julia, my team can't read it", ["If I ask for code, assume R."]),
        ("If you give me choices, give me two.", ["If you give me choices, give me two."]),
        ("If you give me options, give me two.", ["If you give me options, give me two."]),
        (
            "In future, could you please add the Welsh name each time you name a mountain?",
            ["In future, could you please add the Welsh name each time you name a mountain?"],
        ),
        ("In German please, always, I need to learn.", ["In German please, always, I need to learn."]),
        ("Just always lists, I skim.", ["Just always lists, I skim."]),
        ("keep answers extra short, like 2-3 lines max", ["keep answers extra short, like 2-3 lines max"]),
        ("Keep replies under 100 words unless I ask.", ["Keep replies under 100 words unless I ask."]),
        ("Less jargon, please.", ["Less jargon, please."]),
        (
            "Lovely. Without hashtags please, always, in my captions.",
            ["Without hashtags please, always, in my captions."],
        ),
        (
            "Make it larger, the text. I can't see it. And no lists please.",
            ["Make it larger, the text.", "And no lists please."],
        ),
        ("Make the letters bigger please.", ["Make the letters bigger please."]),
        (
            "My ex is called Tom. I don't want to talk about him please.",
            ["My ex is called Tom. I don't want to talk about him please."],
        ),
        ("never feet please, only metres", ["never feet please, only metres"]),
        ('No "great question", no emojis.', ['No "great question", no emojis.']),
        ("no algebra please", ["no algebra please"]),
        ("no emojis please", ["no emojis please"]),
        ("No emojis. I live in Graz.", ["No emojis."]),
        ("No fluff, no waffle, UK spelling.", ["No fluff, no waffle, UK spelling."]),
        ("no lists ever", ["no lists ever"]),
        ("No lists, no tables.", ["No lists, no tables."]),
        ("No maths please.", ["No maths please."]),
        ("No pound signs please.", ["No pound signs please."]),
        ("No smiley faces please, I don't care for them.", ["No smiley faces please, I don't care for them."]),
        (
            "Only grams please when you give me a recipe, never ounces.",
            ["Only grams please when you give me a recipe, never ounces."],
        ),
        (
            "Please correct my grammar always when I write wrong, ok?",
            ["Please correct my grammar always when I write wrong, ok?"],
        ),
        ("Please correct my mistakes when I write.", ["Please correct my mistakes when I write."]),
        ("Please correct my spelling when I write.", ["Please correct my spelling when I write."]),
        (
            "please give me lists not paragraphs, I'm always reading with one hand",
            ["please give me lists not paragraphs, I'm always reading with one hand"],
        ),
        ("Please keep it short and skip the small talk.", ["Please keep it short and skip the small talk."]),
        ("Please keep the tone casual with me.", ["Please keep the tone casual with me."]),
        ("Please quit reminding me to drink water.", ["Please quit reminding me to drink water."]),
        (
            "Please use Australian spelling and degrees Fahrenheit when you write to me.",
            ["Please use Australian spelling and degrees Fahrenheit when you write to me."],
        ),
        ("put a haiku at the top when you answer me", ["put a haiku at the top when you answer me"]),
        ("reply concisely please", ["reply concisely please"]),
        ("Short answers only.", ["Short answers only."]),
        ("Sign off as Raj Menon.", ["Sign off as Raj Menon."]),
        (
            "so can u explain like im 10 always pls. and no jokes, my dad makes jokes",
            ["so can you explain like I'm 10 always pls."],
        ),
        ("So stop suggesting museums for weekends.", ["So stop suggesting museums for weekends."]),
        ("Stop asking if I want more.", ["Stop asking if I want more."]),
        (
            "Stop putting # signs in my lists, they break the page.",
            ["Stop putting # signs in my lists, they break the page."],
        ),
        ("stop saying super", ["stop saying super"]),
        ("Stop suggesting meat dishes.", ["Stop suggesting meat dishes."]),
        ("Stop suggesting peanut dishes, I'm allergic to peanuts.", ["Stop suggesting peanut dishes"]),
        ("Stop using emojis, they annoy me.", ["Stop using emojis, they annoy me."]),
        ("Stop using emojis.", ["Stop using emojis."]),
        ("Stop using emojis. I hate them.", ["Stop using emojis."]),
        (
            "talk to me like a normal person, no bullet points ever",
            ["talk to me like a normal person, no bullet points ever"],
        ),
        ("Temperatures in Fahrenheit, please.", ["Temperatures in Fahrenheit, please."]),
        ("US English please", ["US English please"]),
        ("Use bullet points.", ["Use bullet points."]),
        (
            "Use plain words when you write to me, and I'd be glad if you spared me the jokes.",
            ["Use plain words when you write to me, and I'd be glad if you spared me the jokes."],
        ),
        ("We got home late. Be direct with me, always. No flattery.", ["Be direct with me, always.", "No flattery."]),
        ("When you answer me, be brief, I can't see well.", ["When you answer me, be brief, I can't see well."]),
        ("When you answer me, don't use emojis.", ["When you answer me, don't use emojis."]),
        ("When you reply to me, use plain text.", ["When you reply to me, use plain text."]),
        ("When you tell me the time use 24h", ["When you tell me the time use 24h"]),
        ("whenever I ask for a recipe, keep it dairy free", ["whenever I ask for a recipe, keep it dairy free"]),
        ("Your answers should not exceed two hundred words.", ["Your answers should not exceed two hundred words."]),
    ],
)
def test_a_wish_for_all_answers_is_told_in_the_words_of_its_speaker(said: str, told: list[str]) -> None:
    assert held_after(said) == [f'{ASKED}{one}"' for one in told]


@pytest.mark.parametrize(
    ("wish", "news"),
    [
        ("Keep recipes short.", "Recipes can be long again."),
        (
            "For coding questions please give examples in Perl, and don't explain the basics to me.",
            "so from now on give me examples in Ruby instead of Perl please",
        ),
        ("Please add the Irish name whenever you mention a lake.", "You can stop giving me the Irish names now."),
        ("Call me Kit.", "You don't have to call me Kit, Katherine is fine."),
        ("Keep your answers short.", "Answers can be long again."),
        (
            "From now on, give me the Norse name whenever you mention a river or a fjord.",
            "You may stop giving me the Norse names for rivers and fjords. It was fun, but it has worn off.",
        ),
        ("Always put a checklist at the end.", "ok you can lose the checklist from now on"),
        ("Call me Professor.", "Please go back to calling me Ann."),
        ("Always answer in German.", "Can we go back to English please?"),
        ("can u keep answers short pls", "give me more detail from now on"),
        ("Call me Captain.", "You can stop calling me Captain."),
        ("Please don't talk about my ex.", "You can talk about my ex now."),
        ("Never bring up my mother.", "it's fine to talk about my mother now"),
        ("I don't want to hear about my boss here.", "We can talk about my boss again."),
        ("Be tough with me.", "Fine, thanks. You can go easier on me a bit now. I know I said tough."),
        ("I'd prefer to be called Dr Hale until we are friends.", "You may as well call me Nora now. We are friends."),
        ("please use metric units", "imperial from now on please"),
        ("Answer briefly.", "You can write longer answers now."),
        ("Please address me as Ann.", "call me by my surname"),
        ("never use emojis please", "one emoji is fine"),
        ("Always be blunt.", "You don't have to be so blunt any more."),
        ("Always remind me about my pills.", "You don't need to remind me about my pills any more."),
        ("Always answer in Italian.", "stop answering in italian"),
        ("Don't send me long answers.", "Send me long answers."),
        ("From now on always put comments in the code.", "Stop adding comments in the code."),
        ("Never use emojis.", "Forget what I said about emojis."),
        ("Always use bullet points.", "you can lose the bullet points"),
        ("From now on always put comments in the code.", "ok stop with the comments in the code"),
        ("Always answer in German.", "switch back to English"),
        ("Always answer in French.", "You don't have to answer in French any more."),
        ("Stop using emojis.", "Emojis are okay with me now."),
        ("Always answer in Dutch.", "you can go back to English"),
        ("Always answer in French.", "You can stop answering in French."),
        ("from now on talk like Yoda", "enough with the yoda voice please"),
        ("Keep your answers short.", "Give me more details in all answers."),
        ("Please use simple words.", "no need for simple words anymore"),
        ("From now on talk to me like a pirate.", "You can stop talking like a pirate now."),
        ("Be brief.", "You don't have to be brief any more."),
        ("From now on use metric.", "you can use imperial again"),
        ("I'd like it if you called me Mrs Pugh.", "you can call me Olive now"),
        ("No swearing please.", "you can swear again"),
        ("always answer in french pls", "ok english is fine now"),
        ("Please keep it casual.", "keep it formal"),
        ("Keep it short.", "also u can write longer again im not on nights anymore"),
        ("Be blunt.", "you could be a bit gentler with me now"),
        ("Never use bullet points.", "I know I said no bullet points, but bullet points are fine again."),
        ("From now on answer in French.", "you can answer in English again"),
        ("Use American spelling.", "Let's go back to British spelling."),
        ("Reply in Spanish from now on.", "English is fine again."),
        ("Never mention my sister.", "You can ask me about my sister now."),
        ("Start each reply with a short recap.", "You can stop the recap at the start, I never read it."),
        ("No emojis please.", "emojis are fine now"),
        ("Always add a to-do list at the end.", "No need for the to-do list any more."),
        ("Be brief.", "you can answer in more detail again"),
        ("Always comment your code.", "Skip the comments."),
        ("I don't want to talk about Rob any more.", "you can bring up Rob again"),
        ("never use jokes please", "a joke now and then is ok"),
        ("from now on speak like a pirate", "ok stop the pirate thing"),
        ("Never use summaries.", "Summaries are fine again."),
        ("Please use simple words.", "You can use any words you like now."),
        ("From now on always put comments in the code.", "You can stop adding comments."),
        ("please use imperial units", "metric again please"),
        ("No swearing please.", "You can swear now, I don't mind."),
        ("Always give a summary.", "Forget what I said about the summary."),
        ("Be formal with me.", "Keep it casual."),
        ("put a psalm at the top when you answer me", "can you drop the psalm now lol it's a bit much"),
        ("End every answer with a riddle.", "Could you skip the riddle from now on, it's too much"),
        ("Always start with a TL;DR.", "You can drop the TL;DR thing, just give me the full answer."),
        ("Correct my English.", "Please don't correct my English any more."),
        ("Please correct me always when I make a mistake", "no more corrections please"),
        ("km please, always km", "miles again please, I moved to Hull"),
        ("Keep it to two lines please, always.", "longer answers are fine now tbh, im at a desk doing lit review."),
        (
            "Keep everything under about 150 words.",
            "You can drop that word limit, by the way, I'd rather have a full answer.",
        ),
        (
            "Give me the weights in pounds and ounces from here on please.",
            "Kitchen scales are new and only do metric, so use grams from today.",
        ),
        ("No jokes please.", "jokes are fine again, but no emojis"),
        ("No emojis please.", "Do you mind using emojis again?"),
        ("Don't call me Dee.", "you can call me Dee again"),
        ("Call me Dee.", "don't call me Dee, call me Dana"),
        ("Call me Dee.", "call me O'Brien from now on"),
        ("Call me Dee.", "Call me Zoë please"),
        ("Call me Curt.", "curtis is fine, quit with the Curt."),
        ("Call me Dr Pritchard.", "Call me Emrys like everybody else."),
        ("Give me code in Python always.", "give me code in Rust from now on"),
        ("Never suggest peanuts in recipes.", "You can suggest peanuts in recipes again."),
        ("Never suggest ibuprofen.", "Ibuprofen suggestions are fine again."),
    ],
)
def test_a_wish_that_is_taken_back_or_turned_into_another_is_over(wish: str, news: str) -> None:
    held = held_after(wish)
    assert held
    assert not {*held} & {*held_after(wish, news)}


@pytest.mark.parametrize(
    ("wish", "news"),
    [
        ("Be brief.", "You can write longer sentences in my essay."),
        ("No emojis please.", "emojis are fine in the slide"),
        ("No emojis please.", "Make me a poster. You can use emojis in it."),
        ("Never suggest recipes with peanuts.", "You can suggest recipes again."),
        ("No swearing please.", "my son can swear again"),
        ("Be blunt.", "My coach could ease up on me a bit."),
        ("Please use simple words.", "Write a poem. You can use any words you like."),
        ("Please address me as Ann.", "Never call me before nine."),
        ("No swearing please.", "You can swear in the letter to my ex."),
        ("Don't suggest meat recipes.", "You can suggest recipes again."),
        ("Be blunt.", "Be gentle with my mother in the letter."),
        ("Be brief.", "Write me a long letter to my aunt."),
        ("Be formal with me.", "The dress code is casual."),
        ("Never mention my ex.", "You can mention it again."),
        ("Keep recipes short.", "My explanations can be long again."),
        ("Call me Zed.", "Call me later please"),
        ("No emojis please.", "Not sure emojis are ok again."),
        ("Never give me lists.", "My list is fine now."),
        ("Never suggest ibuprofen, I'm on warfarin.", "no more suggesting stuff"),
        ("Always check recipes for peanuts.", "stop checking recipes"),
        ("Always flag shellfish in recipes.", "Don't flag recipes."),
        ("Always give me recipes without peanuts.", "recipes with nuts are fine again"),
        ("Only peanut-free recipes please.", "Stop giving me recipes."),
        ("Keep it short and never suggest peanuts.", "longer answers are fine again"),
        ("No emojis please.", "are emojis fine again?"),
        ("No emojis please.", "Emojis are not fine again."),
        ("No emojis please.", "I don't think emojis are fine again."),
        ("No emojis please.", "emojis are fine again for my sister"),
        ("No jokes please.", "You can tell my son jokes again."),
        (
            "Please use macrons on Maori words when you write them.",
            "You can drop that word limit, I'd rather have a full answer.",
        ),
        ("Use British spelling with me please, always.", "You may write dates in the ordinary British manner again."),
        ("Never suggest recipes with peanuts.", "no more recipes"),
        ("Always remind me to take my insulin before meals.", "no more reminders about meetings please"),
    ],
)
def test_a_wish_stands_whatever_is_said_of_something_else(wish: str, news: str) -> None:
    held = held_after(wish)
    assert held
    assert {*held} <= {*held_after(wish, news)}


@pytest.mark.parametrize(
    "said",
    [
        "You can write longer sentences in my essay.",
        "Can you explain tides like I'm 5?",
        "Write code only for the parser.",
        "Can you always see my messages?",
        "Keep it short, it's for a card.",
        "No jokes, it's a funeral.",
        "You can add a comment above the function.",
        "Tell me about Rome. Be brief.",
        "When you write the email, please keep it under 100 words.",
        "When you plan my trip to Rome, include the Vatican.",
        "When you reply to Anna, tell her I said hi.",
        "Can you always use a visa in Spain?",
        "Write an ad for my shop. No need to keep it short.",
        "Translate this letter. You can use technical terms.",
        "Forget the 500 word limit, my teacher changed it.",
        "Here is my draft again. No bullet points now.",
        "Write a letter to my landlord. By the way, keep it under 100 words.",
        "It's for kids, so you can use big words.",
        "Convert this recipe: 2 cups flour. Use grams now.",
        "Be honest, is this any good?",
        "Be open with your sister.",
        "Use UK spelling in this letter.",
        "Two kilos please, never three.",
        "Stop asking and just show me the plan.",
        "Prices in total.",
        "Keep answers A and B short.",
        "Stop being so hard on yourself.",
        "talk to me like a pirate",
        "Don't start without me.",
        "No comments ever came.",
        "Drop all tables.",
        "Be more specific.",
        "Don't ask me for money, I told my brother.",
        "Answer always depends on the data.",
        "Don't give me a hard time about it.",
        "If I ask for a raise, should I mention the offer?",
        "bullets please",
        "French please",
        "Lists, always lists, my wife lives by them.",
        "I don't want to talk about work right now.",
        "We don't use dates as tokens.",
        "Don't spare me. I grew up on a farm.",
        "Give me more detail please",
        "Whenever I mention the move he changes the subject.",
    ],
)
def test_what_is_of_one_thing_or_of_somebody_else_is_no_wish(said: str) -> None:
    assert held_after(said) == []


def prompt_after(asked: str, *said: str) -> str:
    with MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        for number, text in enumerate(said):
            user = memory.user("tom", session_id=f"s{number}")
            user.add(text, "All right.")
            user.end_session()
            user.consolidate()
        return memory.user("tom", session_id="later").recall(asked).text


@pytest.mark.parametrize(
    "wish",
    [
        "no emojis please",
        "Short answers only.",
        "Please correct my spelling when I write.",
        "When you answer me, be brief, I can't see well.",
        "If you give me options, give me two.",
        "Stop suggesting museums for weekends.",
    ],
)
def test_a_wish_for_all_answers_is_in_the_prompt_of_any_question(wish: str) -> None:
    assert wish.rstrip(".") in prompt_after("What's the capital of Peru?", wish)


def test_a_wish_of_a_case_is_in_the_prompt_of_its_case_alone() -> None:
    wish = "if I ask for code, use Go"
    assert wish in prompt_after("Write code that sorts a list", wish)
    assert wish not in prompt_after("What's the capital of Peru?", wish)


def test_ten_wishes_are_in_one_prompt() -> None:
    wishes = ["no emojis please", "use metric units please", "British spelling please", "never use hashtags please"]
    wishes += ["no tables please", "call me Sam", "no exclamation marks ever", "dates as YYYY-MM-DD please always"]
    prompt = prompt_after("What's the capital of Peru?", *wishes)
    assert [
        word
        for word in ("emojis", "metric", "British", "hashtags", "tables", "Sam", "marks", "YYYY")
        if word not in prompt
    ] == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("No jokes please.", "jokes are fine again, but no emojis please"), "no emojis please"),
        (("Call me Curt.", "curtis is fine, quit with the Curt."), "call them Curtis"),
        (("I don't like being called mate by a machine, Craig is fine.",), "call them Craig"),
        (
            ("Call me Mr Pritchard.", "You keep calling me Mr Pritchard. Call me Emrys like everybody else."),
            "call them Emrys.",
        ),
        (("And when you explain how to do a thing on this tablet, give it as numbered steps.",), "numbered steps"),
        (("and dont use metric with me ever, its fahrenheit and pounds in this house",), "metric"),
        (("Good. And no exclamation marks please, in this or anything else you write me.",), "exclamation marks"),
    ],
)
def test_a_wish_beside_other_words_is_told(said: tuple[str, ...], told: str) -> None:
    assert [wish for wish in held_after(*said) if told in wish]


def test_a_limit_that_holds_no_longer_ends_no_wish_for_short_answers() -> None:
    wishes = (
        "Please keep to short paragraphs, whatever it is.",
        "Please do not give me lists of more than five points.",
    )
    (held,) = held_after(*wishes, "You need not stop at five points any longer.")
    assert "paragraphs" in held


def test_of_several_wishes_the_likest_is_taken_back() -> None:
    wishes = ("Please use macrons on Maori words.", "Keep everything under about 150 words.")
    (held,) = held_after(*wishes, "You can drop that word limit, by the way.")
    assert "macrons" in held
