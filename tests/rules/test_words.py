from __future__ import annotations

import importlib
import pkgutil
import random
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core import extract, rules
from memoryos_core.rules.text.words import alike, at_start, fold_case, regex, sentences, terms, with_marks, words

# What people write: several scripts, apostrophes, digits, punctuation, line breaks.
prose = st.text(st.sampled_from("abcZ éñÖ'’ .!?,;\n\t-_09 北京東 のカー。！ 한국 ไทย हिन्दी ١２ﾊ🙂"), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know John's dog", ["i", "don", "know", "john", "dog"]),
        ("O'Brien’s rock'n'roll", ["o", "brien", "rock", "n", "roll"]),
        ("l'avion d’Anna", ["l", "avion", "d", "anna"]),
        ("snake_case, e-mail; v2.0", ["snake", "case", "e", "mail", "v2", "0"]),
        ("CAFÉ cafe\u0301", ["café", "café"]),
        ("ＨＥＬＬＯ １２", ["hello", "12"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("GPT4で東京へ行く", ["gpt4", "で東京へ行く"]),
        ("ジョン・スミス", ["ジョン", "スミス"]),
        ("佐々木さん", ["佐々木さん"]),
        ("🙂 ... --", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She was running with her dogs", ["run", "dog"]),
        ("the of and", []),
        ("北京", ["北", "京", "北京"]),
        ("我的猫", ["猫", "我的", "的猫"]),
        ("𠮷野家", ["𠮷", "野", "家", "𠮷野", "野家"]),
        ("red red", ["red", "red"]),
        ("什么猫", ["猫", "么猫"]),
        ("会议", ["议", "会议"]),
        ("うどんです", ["う", "ど", "ん", "す", "うど", "どん"]),
        ("猫なので", ["猫", "な", "猫な", "なの"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_ascii_is_read_as_any_other_text(text: str) -> None:
    assert words(text) == words(f"{text} \u00b7")
    assert terms(text) == terms(f"{text} \u00b7")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lisbon", "LISBON,"),
        ("moving", "moved"),
        ("O'Brien", "o’brien"),
        ("John's", "John’s"),
        ("café", "cafe\u0301"),
        ("ﾘｽﾎﾞﾝ", "リスボン"),
        ("Ａ１", "a1"),
    ],
)
def test_forms_of_one_word_share_their_terms(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@given(prose)
def test_words_do_not_depend_on_the_unicode_form(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


@given(prose, prose)
def test_terms_of_two_paragraphs_are_the_terms_of_each(one: str, other: str) -> None:
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)


@given(st.text(max_size=80))
def test_any_text_gives_clean_words(text: str) -> None:
    for word in words(text):
        assert word
        assert not any(letter.isspace() for letter in word)
        assert "'" not in word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith came. He left!", ["Dr. Smith came.", "He left!"]),
        ("It costs 3.50 euros. Cheap?", ["It costs 3.50 euros.", "Cheap?"]),
        ("我搬家了。你呢？好！", ["我搬家了。", "你呢？", "好！"]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("Wait... what?!", ["Wait...", "what?!"]),
        ("See e.g. the docs", ["See e.g. the docs"]),
        ("", []),
        (" \n\n ", []),
        ("Wir fahren vom 4. bis 11. September weg.", ["Wir fahren vom 4. bis 11. September weg."]),
        ("Wir sind 4.-11. September weg. Danke!", ["Wir sind 4.-11. September weg.", "Danke!"]),
        ("Wir kamen auf Platz 4. September war schön.", ["Wir kamen auf Platz 4.", "September war schön."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(prose)
def test_sentences_are_verbatim_and_lose_nothing(text: str) -> None:
    found, place = sentences(text), 0
    for sentence in found:
        assert sentence == sentence.strip() != ""
        place = text.index(sentence, place) + len(sentence)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_a_long_text_without_an_end_is_one_sentence() -> None:
    text = "word! " * 3 + "?!" * 20_000 + "x" * 20_000
    assert sentences(text)[-1].endswith("xxx")
    assert sentences("A. " * 30_000) == [("A. " * 30_000).strip()]


def test_a_text_that_ends_in_an_abbreviation_keeps_it() -> None:
    assert sentences("We left. Then we met Dr.") == ["We left.", "Then we met Dr."]


def test_eight_threads_stem_alike() -> None:
    text = " ".join(f"running{n} walked{n} cities{n}" for n in range(300))
    alone = terms(text)
    with ThreadPoolExecutor(8) as pool:
        assert all(found == alone for found in pool.map(terms, [text] * 16))


_KNOWN = tuple(terms("typescript error kubernetes react configuration house planets address organize accessibility"))


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("typsecript", "typescript"),
        ("typscript", "typescript"),
        ("eror", "error"),
        ("adress", "address"),
        ("organise", "organize"),
        ("reactjs", "react"),
        ("config", "configuration"),
        ("k8s", "kubernetes"),
        ("a11y", "accessibility"),
    ],
)
def test_a_word_that_is_not_known_is_read_as_the_one_it_is_meant_for(asked: str, meant: str) -> None:
    assert alike(terms(asked)[0], _KNOWN)[:1] == terms(meant)


@pytest.mark.parametrize("asked", ["horse", "plant", "mango", "port", "k9s", "2026", "東京", "", "x" * 100])
def test_a_word_of_its_own_is_read_as_no_other(asked: str) -> None:
    assert alike(asked, _KNOWN) == []


GUARDED = type(fold_case("")), type(with_marks("", "")), type(at_start("^"))
"""Stand for patterns that are first asked for less."""


def patterns_in(value: object, depth: int = 4) -> Iterator[re.Pattern[str]]:
    """Yield the patterns in what a module names: alone, in tuples or in dicts."""
    if isinstance(value, (re.Pattern, type(regex("")), *GUARDED)):
        yield value
    elif depth and isinstance(value, tuple | list | dict):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from patterns_in(inside, depth - 1)


MODULES = [
    found.name
    for package in (extract, rules)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not found.ispkg
]


@cache
def search_its_own_words(pattern: re.Pattern[str]) -> None:
    """Search words that the pattern knows, again and again; once for a pattern that several modules name."""
    known = sorted(set(re.findall(r"[^\W\d_]{2,}|[\u3040-\u9fff]", pattern.pattern))) or ["a"]
    chance = random.Random(ascii(pattern.pattern))
    drawn = chance.sample(known, min(12, len(known)))
    pairs = [f"{chance.choice(known)} {chance.choice((*known, 'the', 'my', 'w', '1'))}" for _ in range(6)]
    for repeated in (*drawn, *pairs):
        for between in (" ", "", ", "):
            said = f"{chance.choice(known)} {(repeated + between) * 300}"[:900] + "\x01x"
            pattern.search(said)
            getattr(pattern, "full", pattern).search(said)  # of one that is folded, too: it is asked beyond ASCII


@pytest.mark.slow  # and of Python alone, whatever else is installed
@pytest.mark.timeout(60)  # of one pattern a line of forty equal words took longer than anybody waits
@pytest.mark.parametrize("module", MODULES)
def test_no_pattern_takes_long_for_its_own_words_again_and_again(module: str) -> None:
    for value in vars(importlib.import_module(module)).values():
        for pattern in patterns_in(value):
            search_its_own_words(pattern)


PARSER: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")


def named(kind: type) -> list[Any]:
    """Return the patterns of a kind, each as a case for a test."""
    return [
        pytest.param(value, id=f"{module.rpartition('.')[2]} {number}")
        for module in MODULES
        for number, value in enumerate(patterns_in(list(vars(importlib.import_module(module)).values())))
        if isinstance(value, kind)
    ]


def goes_on(states: set[str], letters: Iterable[str], marks: Sequence[str]) -> set[str]:
    """Return what may be the beginning of a mark after one of these letters; nothing where a mark is complete."""
    said = {state + letter for state in states for letter in letters}
    open_ends = (one for one in said if not any(mark in one for mark in marks))
    return {next(end for at in range(len(one) + 1) if begins(end := one[at:], marks)) for one in open_ends}


def begins(end: str, marks: Sequence[str]) -> bool:
    return any(mark.startswith(end) for mark in marks)


def letters_of(code: int) -> str:
    """Return what a letter of a pattern finds in ASCII: nothing for another script, anything for its look-alikes."""
    letter = chr(code)
    return letter.lower() if letter.isascii() else "\0" if any(map(str.isascii, letter.casefold())) else ""


def without_mark(parsed: Any, states: set[str], marks: Sequence[str]) -> set[str]:
    """Return how what a pattern finds in ASCII may end without any mark; nothing where each has one."""
    for kind, value in parsed:
        match str(kind):
            case "LITERAL":
                states = goes_on(states, letters_of(value), marks)
            case "IN":
                is_list = {str(inner) for inner, _ in value} == {"LITERAL"}
                states = goes_on(states, {c for _, code in value for c in letters_of(code)} if is_list else "\0", marks)
            case "BRANCH":
                states = set[str]().union(*(without_mark(one, states, marks) for one in value[1]))
            case "SUBPATTERN":
                states = without_mark(value[-1], states, marks)
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, inner = value
                once = without_mark(inner, states, marks)
                many = goes_on(once if least else states | once, "\0", marks) if most > 1 else set[str]()
                states = (once if least else states | once) | many
            case "AT" | "ASSERT" | "ASSERT_NOT":
                pass
            case _:
                states = goes_on(states, "\0", marks)
    return states


@pytest.mark.parametrize("pattern", named(type(with_marks("", ""))))
def test_a_pattern_with_marks_finds_nothing_without_one_of_them(pattern: Any) -> None:
    marks = pattern._marks
    assert not without_mark(PARSER.parse(pattern.pattern, pattern.flags), {""}, marks)
    for mark in marks:
        assert mark == mark.lower()
        assert pattern._may_find(f"x {mark.upper()} x")
    assert pattern.search("zzz") is None
    assert pattern.sub("y", "zzz") == "zzz"
    assert not list(pattern.finditer("zzz"))
    assert pattern._may_find("é")


@pytest.mark.parametrize("pattern", named(type(at_start("^"))))
def test_a_pattern_for_the_start_can_be_found_nowhere_else(pattern: Any) -> None:
    first_kind, first = PARSER.parse(pattern.pattern, pattern.flags)[0]
    firsts = [one[0] for one in first[1]] if str(first_kind) == "BRANCH" else [(first_kind, first)]
    assert {(str(kind), str(value)) for kind, value in firsts} == {("AT", "AT_BEGINNING")}
    assert not pattern.flags & re.MULTILINE


def test_a_pattern_for_the_start_replaces_what_is_found_there() -> None:
    pattern = at_start("^(a)b")
    assert pattern.sub(r"\1c", "abab") == "acab"
    assert pattern.sub("c", "bab") == "bab"
    assert pattern.search("ab")
    assert pattern.search("bab") is None


FOLDED = [
    pytest.param(value, id=f"{module.rpartition('.')[2]} {number}")
    for module in MODULES
    for number, value in enumerate(patterns_in(list(vars(importlib.import_module(module)).values())))
    if isinstance(value, type(fold_case("")))
]


@pytest.mark.parametrize("pattern", FOLDED)
def test_a_folded_pattern_finds_what_it_would_find_without_small_letters(pattern: Any) -> None:
    full, found = pattern.full, 0
    chance = random.Random(ascii(full.pattern))
    known = sorted(set(re.findall(r"[^\W\d_]{2,}", full.pattern)))
    said = [*_SAID_OF_CHANGES, *(" ".join(chance.choices((*known, "I", "the", "my", "Rome"), k=9)) for _ in range(600))]
    for text in said:
        for written in (text, text.lower(), text.upper(), text.title(), f"{text} é"):
            wanted = full.search(written)
            got = pattern.search(written)
            assert (got and got.span()) == (wanted and wanted.span())
            found += wanted is not None
    assert found


_SAID_OF_CHANGES = (
    "I left Shell, and now I work with Ana.",
    "No wait, I meant Tuesday; the wedding was moved from May to June.",
    "Right now, Ana can come. I take it back, I have not smoked for two weeks.",
    "If only they could! As a child I took the car insurance and a new Skoda; since March I drive a new Tesla.",
    "Whenever I ask, always answer in French. I'm allergic to nuts, and I'm from the old Riga.",
    "They got a new Pixel and switched me over from tea to coffee.",
    "I have written a sad story: He always dreamt of Rome.",
)


@pytest.mark.parametrize("pattern", FOLDED)
def test_a_pattern_for_small_letters_asks_for_no_capital(pattern: Any) -> None:
    small = re.sub(r"\\[A-Z]|\(\?P<\w+>", "", pattern.small.pattern)
    assert not re.findall(r"[A-Z]", small)
    if pattern.small.pattern == pattern.full.pattern.replace("[A-Z", "[a-z"):
        whole = pattern.full.pattern
        assert not any(_stands_in_denial(whole, at.start()) for at in re.finditer(r"\(\?-i:\[A-Z", whole))


def _stands_in_denial(pattern: str, place: int) -> bool:
    """Return whether a group of a pattern stands in what must not follow or stand before."""
    opened: list[int] = []
    for at, letter in enumerate(pattern[:place]):
        escaped = at > 0 and pattern[at - 1] == "\\"
        if letter == "(" and not escaped:
            opened.append(at)
        elif letter == ")" and not escaped:
            opened.pop()
    return any(pattern.startswith(("(?!", "(?<!"), at) for at in opened)
