"""What dates mean from a given moment, in three languages; and that no text makes the reader fail."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryos_core.rules.dates import day_in_words, find_dates

ZONE = timezone(timedelta(hours=2))
NOW = datetime(2023, 5, 17, 15, 30, tzinfo=ZONE)  # a Wednesday

moments = st.datetimes(timezones=st.just(ZONE), allow_imaginary=False)
recent = st.datetimes(datetime(1000, 1, 2), datetime(2998, 12, 30), timezones=st.just(ZONE))


def read(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    """Start and end of each span, to the day, or to the hour where that is not midnight."""
    return [(show(s.start), show(s.end)) for s in find_dates(text, now)]


def show(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}" + (f" {moment:%H}" if moment.hour else "")


def day(text: str) -> list[tuple[str, str]]:
    return [(text, show(datetime.fromisoformat(text) + timedelta(days=1)))]


@pytest.mark.parametrize(
    "text",
    [
        "8 May 2023",
        "8th of May, 2023",
        "May 8, 2023",
        "May 8th, 2023",
        "on MAY the 8th 2023",
        "Monday, 8 May 2023 at 10:30",
        "2023-05-08",
        "2023-05-08T23:59:00Z",
        "2023/5/8",
        "2023.05.08",
        "8 may?",
        "May 8",
        "the eighth of may",
        "on May the eighth, 2023",
        "2023年5月8日",
        "2023年5月8号",
        "２０２３年５月８日",
        "今年5月8日",
        "5月8日",
    ],
)
def test_a_day_in_many_spellings(text: str) -> None:
    assert read(text) == day("2023-05-08")


@pytest.mark.parametrize(
    "text",
    ["dentist on 9 march at 3pm", "the exam is on 4 may i think", "by 2 may we should be done", "9 march at ten"],
)
def test_a_month_in_small_letters_beside_a_day_is_no_verb(text: str) -> None:
    assert read(text) is not None


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("in March", "2023-03-01", "2023-04-01"),
        ("in early march", "2023-03-01", "2023-04-01"),
        ("the end of June", "2022-06-21", "2022-07-01"),
        ("in May", "2023-05-01", "2023-06-01"),
        ("October was fun", "2022-10-01", "2022-11-01"),
        ("in dec", "2022-12-01", "2023-01-01"),
        ("last May", "2022-05-01", "2022-06-01"),
        ("next May", "2024-05-01", "2024-06-01"),
        ("this December", "2023-12-01", "2024-01-01"),
        ("March 2022", "2022-03-01", "2022-04-01"),
        ("March of last year", "2022-03-01", "2022-04-01"),
        ("2022-03", "2022-03-01", "2022-04-01"),
        ("20 May", "2022-05-20", "2022-05-21"),
        ("29 February", "2020-02-29", "2020-03-01"),
        ("the third of december", "2022-12-03", "2022-12-04"),
        ("on the twenty third of december at six", "2022-12-23", "2022-12-24"),
        ("the thirty-first of October 2021", "2021-10-31", "2021-11-01"),
        ("december the twelfth", "2022-12-12", "2022-12-13"),
        ("June nineteenth", "2022-06-19", "2022-06-20"),
        ("May 8-10, 2022", "2022-05-08", "2022-05-11"),
        ("25/12/2022", "2022-12-25", "2022-12-26"),
        ("12.25.2022", "2022-12-25", "2022-12-26"),
        ("5/5/2022", "2022-05-05", "2022-05-06"),
        ("2021", "2021-01-01", "2022-01-01"),
        ("2019-2021", "2019-01-01", "2022-01-01"),
        ("the 1990s", "1990-01-01", "2000-01-01"),
        ("spring 2023", "2023-03-01", "2023-06-01"),
        ("the summer of 2021", "2021-06-01", "2021-09-01"),
        ("winter 2022", "2022-12-01", "2023-03-01"),
        ("fall of last year", "2022-09-01", "2022-12-01"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("last spring", "2022-03-01", "2022-06-01"),
        ("this spring", "2023-03-01", "2023-06-01"),
        ("next winter", "2023-12-01", "2024-03-01"),
        ("last week", "2023-05-08", "2023-05-15"),
        ("this week", "2023-05-15", "2023-05-22"),
        ("next month", "2023-06-01", "2023-07-01"),
        ("last month", "2023-04-01", "2023-05-01"),
        ("last year", "2022-01-01", "2023-01-01"),
        ("last weekend", "2023-05-13", "2023-05-15"),
        ("this weekend", "2023-05-20", "2023-05-22"),
        ("last Tuesday", "2023-05-16", "2023-05-17"),
        ("last Wednesday", "2023-05-10", "2023-05-11"),
        ("last Thursday", "2023-05-11", "2023-05-12"),
        ("next Wednesday", "2023-05-24", "2023-05-25"),
        ("this Friday", "2023-05-19", "2023-05-20"),
        ("yesterday", "2023-05-16", "2023-05-17"),
        ("the day before\n yesterday", "2023-05-15", "2023-05-16"),
        ("today", "2023-05-17", "2023-05-18"),
        ("tomorrow", "2023-05-18", "2023-05-19"),
        ("this morning", "2023-05-17", "2023-05-17 12"),
        ("yesterday evening", "2023-05-16 18", "2023-05-17"),
        ("last night", "2023-05-16 18", "2023-05-17 06"),
        ("tonight", "2023-05-17 18", "2023-05-18 06"),
        ("two weeks ago", "2023-05-01", "2023-05-08"),
        ("a month ago", "2023-04-01", "2023-05-01"),
        ("6 months ago", "2022-11-01", "2022-12-01"),
        ("10 years ago", "2013-01-01", "2014-01-01"),
        ("a few days ago", "2023-05-12", "2023-05-16"),
        ("a couple of weeks ago", "2023-04-24", "2023-05-08"),
        ("3 hours ago", "2023-05-17 12", "2023-05-17 13"),
        ("in the past week", "2023-05-10", "2023-05-18"),
        ("the last two weeks", "2023-05-03", "2023-05-18"),
        ("2023年5月", "2023-05-01", "2023-06-01"),
        ("我在2021年搬家了", "2021-01-01", "2022-01-01"),
        ("5月", "2023-05-01", "2023-06-01"),
        ("十一月", "2022-11-01", "2022-12-01"),
        ("去年の6月", "2022-06-01", "2022-07-01"),
        ("昨天", "2023-05-16", "2023-05-17"),
        ("昨日", "2023-05-16", "2023-05-17"),
        ("一昨日", "2023-05-15", "2023-05-16"),
        ("上周", "2023-05-08", "2023-05-15"),
        ("上个月", "2023-04-01", "2023-05-01"),
        ("先月", "2023-04-01", "2023-05-01"),
        ("去年", "2022-01-01", "2023-01-01"),
        ("三天前", "2023-05-14", "2023-05-15"),
        ("2週間前", "2023-05-01", "2023-05-08"),
        ("两年前", "2021-01-01", "2022-01-01"),
        ("3か月前", "2023-02-01", "2023-03-01"),
        ("几天前", "2023-05-12", "2023-05-16"),
        ("over the summer", "2022-06-01", "2022-09-01"),
        ("in spring", "2023-03-01", "2023-06-01"),
        ("all winter", "2022-12-01", "2023-03-01"),
        ("New Year's Eve", "2022-12-31", "2023-01-01"),
        ("for new years", "2023-01-01", "2023-01-02"),
        ("at Christmas", "2022-12-24", "2022-12-27"),
        ("last Christmas", "2022-12-24", "2022-12-27"),
        ("Halloween 2021", "2021-10-31", "2021-11-01"),
        ("this Valentine’s Day", "2023-02-14", "2023-02-15"),
        ("at Thanksgiving", "2022-11-24", "2022-11-25"),
        ("earlier this year", "2023-01-01", "2023-05-18"),
        ("later this month", "2023-05-17", "2023-06-01"),
        ("in the last year", "2022-05-17", "2023-05-18"),
        ("the week before last", "2023-05-01", "2023-05-08"),
        ("the weekend before last", "2023-05-06", "2023-05-08"),
        ("the night before last", "2023-05-15 18", "2023-05-16 06"),
        ("the week before last Friday", "2023-05-05", "2023-05-12"),
        ("on Friday", "2023-05-12", "2023-05-13"),
        ("on Wednesday", "2023-05-17", "2023-05-18"),
        ("Sunday night", "2023-05-14 18", "2023-05-15 06"),
        ("Friday of last week", "2023-05-12", "2023-05-13"),
        ("last week on Friday", "2023-05-12", "2023-05-13"),
        ("two Fridays ago", "2023-05-05", "2023-05-06"),
        ("two or three weeks ago", "2023-04-24", "2023-05-08"),
        ("2-3 days back", "2023-05-14", "2023-05-16"),
        ("a year or two ago", "2021-01-01", "2023-01-01"),
        ("half a year ago", "2022-10-01", "2023-01-01"),
        ("a fortnight ago", "2023-05-01", "2023-05-08"),
        ("between March and May", "2023-03-01", "2023-06-01"),
        ("from November to January 2022", "2021-11-01", "2022-02-01"),
        ("June and July 2022", "2022-06-01", "2022-08-01"),
        ("the 15th of last month", "2023-04-15", "2023-04-16"),
        ("On Monday, 8 May", "2023-05-08", "2023-05-09"),
        ("the day before 8 May", "2023-05-07", "2023-05-08"),
        ("two weeks before 8 May", "2023-04-24", "2023-05-01"),
        ("a couple of days after 8 May", "2023-05-11", "2023-05-12"),
        ("the Sunday before 8 May", "2023-05-07", "2023-05-08"),
        ("the Monday before 8 May", "2023-05-01", "2023-05-02"),
        ("the weekend after 5 May", "2023-05-06", "2023-05-08"),
        ("the day after Christmas", "2022-12-27", "2022-12-28"),
        ("上周五", "2023-05-12", "2023-05-13"),
        ("上周一起去", "2023-05-08", "2023-05-15"),
        ("上周日本的朋友", "2023-05-08", "2023-05-15"),
        ("上上周", "2023-05-01", "2023-05-08"),
        ("这周末", "2023-05-20", "2023-05-22"),
        ("上个周末", "2023-05-13", "2023-05-15"),
        ("周五", "2023-05-12", "2023-05-13"),
        ("大前天", "2023-05-14", "2023-05-15"),
        ("上上个月", "2023-03-01", "2023-04-01"),
        ("去年夏天", "2022-06-01", "2022-09-01"),
        ("夏天", "2022-06-01", "2022-09-01"),
        ("去年的五月", "2022-05-01", "2022-06-01"),
        ("二〇二二年五月八日", "2022-05-08", "2022-05-09"),
        ("十月二十三号", "2022-10-23", "2022-10-24"),
        ("二十三天以前", "2023-04-24", "2023-04-25"),
        ("两三天前", "2023-05-14", "2023-05-16"),
        ("前几天", "2023-05-12", "2023-05-16"),
        ("半年前", "2022-10-01", "2023-01-01"),
        ("半个月前", "2023-04-29", "2023-05-06"),
        ("过去两周", "2023-05-03", "2023-05-18"),
        ("去年圣诞节", "2022-12-24", "2022-12-27"),
        ("国庆节", "2022-10-01", "2022-10-08"),
        ("去年年底", "2022-11-01", "2023-01-01"),
        ("年初", "2023-01-01", "2023-03-01"),
        ("先週の金曜日", "2023-05-12", "2023-05-13"),
        ("先々週", "2023-05-01", "2023-05-08"),
        ("今週末", "2023-05-20", "2023-05-22"),
        ("日曜日", "2023-05-14", "2023-05-15"),
        ("去年の夏", "2022-06-01", "2022-09-01"),
        ("この春", "2023-03-01", "2023-06-01"),
        ("夏に", "2022-06-01", "2022-09-01"),
        ("おととし", "2021-01-01", "2022-01-01"),
        ("3日ほど前", "2023-05-14", "2023-05-15"),
        ("2週間くらい前", "2023-05-01", "2023-05-08"),
        ("ここ数か月", "2022-12-18", "2023-05-18"),
        ("大晦日", "2022-12-31", "2023-01-01"),
        ("去年のクリスマス", "2022-12-24", "2022-12-27"),
        ("令和4年5月8日", "2022-05-08", "2022-05-09"),
        ("平成元年", "1989-01-01", "1990-01-01"),
    ],
)
def test_one_span(text: str, start: str, end: str) -> None:
    assert read(text) == [(start, end)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "05/08/2023",
        "8.5.2023",
        "31 February 2023",
        "2023-13-01",
        "2023-00-10",
        "32 May",
        "May 10-8, 2022",
        "99 billion years ago",
        "3,000 years ago",
        "2 500 weeks earlier",
        "2999 weeks ago",
        "1.5 years ago",
        "May I come in?",
        "you may march on",
        "those 3 may go",
        "the other 2 may arrive on foot",
        "all 5 march to the park",
        "the first may come",
        "you may first rest",
        "the second march past",
        "June said so",
        "Mar",
        "$2021",
        "2000 people",
        "version 1.2021.3",
        "call 555-2021",
        "the year 20215",
        "3个月",
        "15月",
        "mayor 8",
        "laſt weeK",
        "a decade, a daydream, the weekly news",
        "1995s",
        "Sat with me for a second",
        "spring rolls in a box that fell and will fall",
        "a Christmas film and a happy new year",
        "on Fridays, every Friday night and on Monday mornings",
        "back to May and June",
        "half of it",
        "一周三次，周一到周五，每周六",
        "圣诞树",
        "3年間",
        "毎週金曜日、毎年夏に",
        "小春さん",
        "My score is 20/12 and my pressure is 13/8.",
        "The ratio is 16/9.",
        "My eyesight is 6/18 in the left eye.",
        "My order number is 23/11",
        "the frame is for 16/9",
        "My test score is 20/12.",
        "I've been sober a week on Thursday, so proud.",
        "I've had a cough for a week on Wednesday.",
        "It was a week on Sunday since he died.",
        "It'll be a week on Sunday since she left.",
        "I spent a week on Tuesday's essay.",
        "I live on the 22nd, no, 23rd floor.",
        "I see my therapist on the 1st and 3rd Friday.",
        "We've been married 10 years on the 14th.",
    ],
)
def test_no_date(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("We'll marry in June.", "2023-06-01"),
        ("I am going to move on Friday", "2023-05-19"),
        ("She will leave on 20 May.", "2023-05-20"),
        ("We will be done in May.", "2023-05-01"),
        ("Over the summer, I will rest.", "2023-06-01"),
        ("我打算六月结婚。", "2023-06-01"),
        ("10月に引っ越す予定です。", "2023-10-01"),
        ("Will she marry in June?", "2022-06-01"),
        ("I rested. In June she moved. It will rain.", "2022-06-01"),
        ("我打算六月去哪里？", "2022-06-01"),
    ],
)
def test_what_is_said_to_come_lies_ahead_but_not_what_is_asked(text: str, start: str) -> None:
    (span,) = find_dates(text, NOW)
    assert show(span.start) == start


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("My last exam is on 20 May", "2023-05-20"),
        ("My last day there is 20 May and I'm sad.", "2023-05-20"),
        ("My last day is Saturday 20 May.", "2023-05-20"),
        ("My last exam is in June.", "2023-06-01"),
        ("I got a new job, I start on 1 June.", "2023-06-01"),
        ("I got the keys, we move in on 1 June.", "2023-06-01"),
        ("I got an offer and I'm starting there on 1 June.", "2023-06-01"),
        ("I applied for a new passport, mine expires on 30 June.", "2023-06-30"),
        ("I bought the books, the course begins on 5 June.", "2023-06-05"),
        ("I passed, and the ceremony is on Friday.", "2023-05-19"),
        ("I started there on 1 June.", "2022-06-01"),
        ("My last day there was 20 May.", "2022-05-20"),
        ("We got married on 1 June, and she is lovely.", "2022-06-01"),
        ("The day my dad died is 4 June.", "2022-06-04"),
        ("The day we met is 4 June.", "2022-06-04"),
        ("The last time I saw him is 4 June.", "2022-06-04"),
        ("He's left on 4 June.", "2022-06-04"),
        ("I'm glad we met on 4 June.", "2022-06-04"),
        ("I'm writing about the storm on 4 June, it hit us.", "2022-06-04"),
        ("The invoice is dated 4 June.", "2022-06-04"),
        ("The letter is from 4 June.", "2022-06-04"),
        ("She missed the 9 AM session on 20 May.", "2022-05-20"),
        ("Today is 18 May.", "2022-05-18"),
        ("Is the concert on 20 May?", "2022-05-20"),
        ("what is on 20 May", "2022-05-20"),
        ("She made me start on 1 June.", "2022-06-01"),
    ],
)
def test_the_present_of_the_verb_of_a_date_means_the_coming_one(text: str, start: str) -> None:
    (*_, span) = find_dates(text, NOW)
    assert show(span.start) == start


@pytest.mark.parametrize(
    "text",
    [
        "from 4 to 11 May",
        "from 4 May to 11 May",
        "from the 4th to the 11th of May",
        "between 4 and 11 May",
        "between May 4 and May 11",
        "between the 4th of May and the 11th of May",
        "4 to 11 May 2023",
        "4-11 May",
        "4th – 11th May",
        "4 May - 11 May, 2023",
        "from May 4 to 11",
        "May 4 through 11, 2023",
        "May 4 until May 11",
        "from Thursday 4 to Thursday 11 May",
        "vom 4. bis 11 May",
        "vom 4. bis zum 11 May",
        "zwischen dem 4. und dem 11 May",
        "4.-11 May",
        "du 4 au 11 May",
        "du 4 May au 11 May",
        "entre le 4 et le 11 May",
        "del 4 al 11 de May",
        "del 4 de May al 11 de May de 2023",
        "entre el 4 y el 11 May",
    ],
)
def test_the_days_from_one_to_another_are_one_time(text: str) -> None:
    assert read(text) == [("2023-05-04", "2023-05-12")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We'll be away from 28 August to 3 September.", [("2023-08-28", "2023-09-04")]),
        ("We'll ski from 28 December to 3 January.", [("2023-12-28", "2024-01-04")]),
        ("from 28 December to 3 January 2021", [("2020-12-28", "2021-01-04")]),
        ("from 4 May 2021 to 11 June 2021", [("2021-05-04", "2021-06-12")]),
        ("from May 4, 2021 to June 11, 2021", [("2021-05-04", "2021-06-12")]),
        ("from 4 May 2021 to 11 June 2022", [("2021-05-04", "2021-05-05"), ("2022-06-11", "2022-06-12")]),
        ("May 4, 2021 - June 11, 2022", [("2021-05-04", "2021-05-05"), ("2022-06-11", "2022-06-12")]),
        ("It was moved from 4 May 2021 to 11 May 2021.", [("2021-05-11", "2021-05-12")]),
        ("We moved the trip to 4-11 June.", [("2022-06-04", "2022-06-12")]),
        ("It was moved from 4 to 11 May.", [("2023-05-11", "2023-05-12")]),
        ("It was moved from 4 May to 11 May.", [("2023-05-11", "2023-05-12")]),
        ("Le concert est reporté du 4 au 11 May.", [("2023-05-11", "2023-05-12")]),
        ("I reported from Lyon from 4 to 11 May.", [("2023-05-04", "2023-05-12")]),
        ("We moved house, we were busy from 4 to 11 May.", [("2023-05-04", "2023-05-12")]),
        ("I work from 9 to 5 May included.", [("2023-05-05", "2023-05-06")]),
        ("The term was extended from 4 to 11 May.", [("2023-05-11", "2023-05-12")]),
        ("on 4 and 11 May", [("2023-05-11", "2023-05-12")]),
        ("4 May and 11 May", [("2023-05-04", "2023-05-05"), ("2023-05-11", "2023-05-12")]),
        ("open from 9 to 5 on 5 May", [("2023-05-05", "2023-05-06")]),
        ("May 4 to 11:30", [("2023-05-04", "2023-05-05")]),
        ("May 4 to 5 pm", [("2023-05-04", "2023-05-05")]),
        ("from 30 February to 3 March", []),
    ],
)
def test_a_range_of_days_is_told_from_what_looks_like_one(text: str, found: list[tuple[str, str]]) -> None:
    assert read(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The meeting with Dr. Okafor was moved to Friday at 4pm.", day("2023-05-19")),
        ("The call moved from Monday to Friday.", day("2023-05-19")),
        ("My exam is 30/4.", day("2023-04-30")),
        ("the deadline is 30/4", day("2023-04-30")),
        ("it is 30/4 at 3pm", day("2023-04-30")),
        ("My scan was moved to a week on Friday.", day("2023-05-26")),
        ("The stove comes Friday in a week.", day("2023-05-26")),
        ("The stove comes Friday in a week, 26th", day("2023-05-26")),
        ("My scan is two days later, the 24th.", day("2023-05-24")),
        ("My scan is a week earlier now, the 22nd", day("2023-05-22")),
        ("The talk is Friday at Fernhill, the 26th", day("2023-05-26")),
        ("I had my scan booked for a week on Friday.", day("2023-05-26")),
        ("My scan is on the 22nd and the 23rd is off.", day("2023-05-22")),
        ("The exam was brought forward to Thursday.", day("2023-05-18")),
        ("My check-up got pushed to Wednesday.", day("2023-05-24")),
        ("My interview is scheduled for Friday.", day("2023-05-19")),
        ("My interview is booked for Friday at ten.", day("2023-05-19")),
        ("It was moved to Friday and it went well.", []),
        ("It was moved to Friday, so we met then.", []),
        ("Last time it was moved to Friday.", []),
        ("Was it moved to Friday?", []),
        ("when was it moved to Friday", []),
        ("We moved to Friday Harbor.", []),
        ("It was moved to Friday mornings.", []),
        ("It was moved to Fridays.", []),
        ("I work Monday to Friday.", []),
        ("I'm going to Friday prayers.", []),
        ("We talked to Friday, my parrot.", []),
        ("It is scheduled for Tuesday, Thursday and Sunday at nine.", []),
        ("It was moved to Friday and Sunday.", []),
    ],
)
def test_what_was_moved_to_a_weekday_is_on_the_coming_one(text: str, found: list[tuple[str, str]]) -> None:
    assert read(text) == found


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("We'll marry on Sunday the 14th.", "2023-05-14"),
        ("We'll marry on Saturday the 20th.", "2023-05-20"),
        ("We'll marry on Sunday the 11th.", "2023-06-11"),
        ("We married on Sunday the 14th.", "2023-05-14"),
    ],
)
def test_a_weekday_with_a_number_is_the_nearest_that_fits(text: str, start: str) -> None:
    (span,) = find_dates(text, NOW)
    assert show(span.start) == start


def test_several_dates_come_in_the_order_of_the_text() -> None:
    spans = find_dates("From 昨天 back to March 2022, then 2021-01-05 and yesterday.", NOW)
    assert [s.text for s in spans] == ["昨天", "March 2022", "2021-01-05", "yesterday"]


def test_seasons_and_weekdays_at_their_edges() -> None:
    january = datetime(2023, 1, 10, tzinfo=ZONE)
    assert read("this winter", january) == [("2022-12-01", "2023-03-01")]
    assert read("last winter", january) == [("2021-12-01", "2022-03-01")]
    sunday = datetime(2023, 5, 14, 23, 59, tzinfo=ZONE)
    assert read("last weekend", sunday) == [("2023-05-06", "2023-05-08")]
    assert read("this weekend", sunday) == [("2023-05-13", "2023-05-15")]
    assert read("last Sunday", sunday) == [("2023-05-07", "2023-05-08")]
    assert read("last month", january) == [("2022-12-01", "2023-01-01")]


def test_spans_keep_the_zone_of_now_across_a_change_of_clocks() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    (span,) = find_dates("in March 2023", datetime(2023, 8, 1, tzinfo=berlin))
    assert span.start.tzinfo is span.end.tzinfo is berlin
    assert (span.start.hour, span.end.hour) == (0, 0)
    assert span.start.utcoffset() != span.end.utcoffset()


WORDS = [
    *("last", "next", "this", "past", "a", "few", "couple of", "two", "3", "999", "000", "99", "0", "31", "5", "8th"),
    *("days", "weeks", "months", "years", "weekend", "ago", "Tuesday", "yesterday", "tonight", "morning", "in", "of"),
    *("May", "march", "spring", "winter", "2023", "2023-05-08", "-", ",", "/", ":", "year"),
    *("on", "before", "after", "the", "Christmas", "new year's eve", "or", "ago", "back", "earlier", "over", "will"),
    *("上周", "周", "一", "末", "半", "几", "先週", "曜日", "令和", "元", "圣诞", "夏", "初", "二", "〇", "。", "？"),
    *("今年", "去年", "年", "月", "日", "前", "三", "个", "か", "十", "の"),
]
hostile = st.lists(st.sampled_from([*WORDS, " ", "\n", "\x00", "\ud800", "İ", "٣", "²"]), max_size=30).map("".join)
spaced = st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join)


@given(st.text() | hostile | spaced, moments | st.just(NOW))
@example("last year", datetime(1, 1, 1, tzinfo=ZONE))
@example("next year tomorrow", datetime(9999, 12, 31, tzinfo=ZONE))
@example("\ud800 yesterday \x00", NOW)
def test_any_text_gives_spans_that_run_forward_in_its_order(text: str, now: datetime) -> None:
    at = 0
    for span in find_dates(text, now):
        assert span.start < span.end
        assert span.start.tzinfo is now.tzinfo
        at = text.index(span.text, at) + len(span.text)


@pytest.mark.parametrize(
    ("piece", "length"),
    [(piece, 1_000_000) for piece in ("a", "1", " ", "\x00", "\ud800")]
    + [(piece, 100_000) for piece in ("may 8 ", "31 feb ", "last ", "a few ", "1-1-", "五月", "2021-", "in ")]
    + [(piece, 20_000) for piece in ("the week before ", "before 8 May ", "二十", "年", "1 or 2 ", "in may. ", "上周")],
)
def test_a_long_text_of_anything_is_read_to_its_end(piece: str, length: int) -> None:
    text = piece * (length // len(piece)) + ". It was on 2022-03-04."
    assert find_dates(text, NOW)[-1].text == "2022-03-04"


@given(recent, st.sampled_from(["{}", "on {}.", "It was {}, I think", "（{}）"]))
def test_a_written_date_is_read_back(when: datetime, around: str) -> None:
    midnight = when.replace(hour=0, minute=0, second=0, microsecond=0)
    for text in (day_in_words(when), f"{when:%Y-%m-%d}", f"{when.year}年{when.month}月{when.day}日"):
        (span,) = find_dates(around.format(text), NOW)
        assert (span.start, span.end) == (midnight, midnight + timedelta(days=1))


@given(
    recent,
    st.sampled_from(
        [
            *("in March", "October", "20 May", "last summer", "last May", "last Friday", "in the fall", "on Friday"),
            *("on Halloween", "5月", "冬天", "夏に", "周五", "日曜", "元旦", "年底"),
        ]
    ),
)
def test_what_was_named_without_a_year_has_begun_within_two_years(now: datetime, text: str) -> None:
    (span,) = find_dates(text, now)
    assert now - timedelta(days=2 * 366) < span.start <= now
    assert not text.startswith("last") or span.end <= now


def test_written_is_plain_english_without_padding() -> None:
    assert day_in_words(datetime(2023, 5, 8, tzinfo=ZONE)) == "8 May 2023"
    assert day_in_words(datetime(33, 12, 31, tzinfo=ZONE)) == "31 December 33"


@pytest.mark.parametrize(("text", "year"), [("last July", 1), ("next April", 9999)])
def test_at_the_ends_of_time_there_is_no_such_month(text: str, year: int) -> None:
    assert find_dates(text, datetime(year, 6, 1, tzinfo=timezone.utc)) == ()


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I'm sick since Monday.", date(2026, 6, 8)),
        ("I'm still recovering after surgery on 4 March.", date(2026, 3, 4)),
        ("She is pregnant since March.", date(2026, 3, 1)),
        ("I was in Rome 4-10 May last year.", date(2025, 5, 4)),
    ],
)
def test_what_has_lasted_since_a_day_began_then(said: str, day: date) -> None:
    found = find_dates(said, datetime(2026, 6, 10, tzinfo=timezone.utc))
    assert [span.start.date() for span in found] == [day]


@pytest.mark.parametrize(
    "said",
    [
        "I earn 2000 a month",
        "We paid 1950 for the sofa",
        "My rent is now 1950",
        "The loft sold quickly, 2010 they gave us",
        "wir zahlen 2000 Miete",
        "Das Rad ist weg, 1900 hat sie gezahlt",
        "on paie 1980 de loyer",
        "j'ai 2000 de côté",
        "cobro 2026 al mes",
        "la moto está vendida, 1950 me han dado",
        "guadagno 1950 al mese",
        "pagamos 2010 de renda",
        "auto verkocht, 1900 gekregen",
        "We spent 1950 on the boiler",
        "We spent 1950, my whole wage, in Oslo.",
        "I spent 2010 on a boat",
        "I spent 1980 on leaving gifts",
        "We spent 2000 next to nothing",
        "I spent 1950 on my sister",
        "I have 2000 saved",
        "I've got 2000 left, so no holiday",
        "We need 1980 for the deposit",
        "I made 1950 from tips",
        "My wage was 1950 before",
        "we need 1980 more",
        "ich zahle 1950 für das Zimmer",
        "wir bekommen 2010 von der Kasse",
    ],
)
def test_an_amount_is_no_year(said: str) -> None:
    assert find_dates(said, NOW) == ()


@pytest.mark.parametrize(
    ("said", "year"),
    [
        ("We bought the house 2015", 2015),
        ("2019 I got married", 2019),
        ("In 2020 I paid off the loan", 2020),
        ("I have paid rent since 2019", 2019),
        ("2015 hat er das Haus bezahlt", 2015),
        ("hab 2019 geheiratet", 2019),
        ("nací en 1990", 1990),
        ("je suis né en 1990", 1990),
        ("sono nato nel 1990", 1990),
        ("I spent 2021 in Oslo.", 2021),
        ("We spent 2019 travelling.", 2019),
        ("I spent 2019 on a sheep farm in Wales.", 2019),
        ("We spent 2021 by the lake.", 2021),
        ("I spent 2017 on parental leave.", 2017),
        ("She was ill so I spent 2020 next to my nan.", 2020),
        ("I spent 2018, my happiest year, in Oslo.", 2018),
        ("We spent 2020, mainly, indoors.", 2020),
        ("I have 2027 planned out already.", 2027),
        ("I've got 2027 booked up.", 2027),
        ("We made 2020 count.", 2020),
        ("Wir bekommen 2027 ein zweites Kind.", 2027),
        ("Ich zahle 2027 mehr Zinsen.", 2027),
        ("Mein Gehalt war 2018 besser.", 2018),
        ("Our rent was 2018 lower.", 2018),
    ],
)
def test_a_year_beside_money_is_a_year(said: str, year: int) -> None:
    assert [span.start.year for span in find_dates(said, NOW)] == [year]


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("I was moved up from 3rd to 2nd squad.", []),
        ("I went from 3rd to 2nd gear and stalled.", []),
        ("I went from 5th to 2nd and won.", []),
        ("I climbed from the 8th to the 5th rung yesterday.", [date(2023, 7, 19)]),
        ("He was promoted from 4th to 7th form.", []),
        ("I will move from 4th to 6th class in September.", [date(2023, 9, 1)]),
        ("We moved from 3rd to 5th Avenue.", []),
        ("We will go from the 2nd to the 4th building.", []),
        ("I will be promoted from 2nd to 3rd.", []),
        # days
        ("I will be away from the 22nd to the 25th.", [date(2023, 7, 22)]),
        ("I will be away from 22nd to 25th because of work", [date(2023, 7, 22)]),
        ("We will be closed from the 29th to the 3rd for painting", [date(2023, 7, 29)]),
        ("I was in Rome from the 3rd to the 7th visiting my aunt", [date(2023, 7, 3)]),
    ],
)
def test_places_and_classes_are_no_days(said: str, days: list[date]) -> None:
    found = find_dates(said, datetime(2023, 7, 20, 12, tzinfo=timezone.utc))
    assert [span.start.date() for span in found] == days
