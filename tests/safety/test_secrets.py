"""Keys, tokens, passwords and card numbers are in no derived row; the page keeps what was said."""

from __future__ import annotations

import json
import re
import sqlite3
import string
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core import MemoryOS, SafetyConfig
from memoryos_core.rules.safety import secrets
from memoryos_core.rules.safety.secrets import Redactor, is_card, redact
from memoryos_core.testing.fakes import KeywordEmbedder, ScriptedChat, quotes_in
from tests.safety.opening import digest, eager, reading

AWS = "AKIA" + "IOSFODNN7" + "EXAMPLE"
CARD = "4111 1111 1111 1111"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq0\nq83Zt5Yd==\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    f"My key is {AWS} for the backup.": "My key is [redacted: AWS key] for the backup.",
    "The password is hunter2again, I think.": "The password is [redacted: password], I think.",
    "db: postgres://bob:s3cr3t@db.example:5432/x": "db: postgres://bob:[redacted: password in a URL]@db.example:5432/x",
    f"Pay with {CARD}, please.": "Pay with [redacted: card number], please.",
    "Pay with 4111\u00a01111\u202f1111\u00a01111, please.": "Pay with [redacted: card number], please.",
    f"Here: {PEM} Thanks.": "Here: [redacted: private key] Thanks.",
    'API_KEY = "abc123def456ghi"': 'API_KEY = "[redacted: key]"',
    "ghp_" + "a1B2" * 9 + " is mine": "[redacted: GitHub token] is mine",
    "Use sk-proj-" + "Ab1_" * 8: "Use [redacted: API key]",
    "Authorization: Bearer abcdef0123456789abcdef": "Authorization: Bearer [redacted: bearer token]",
    "我的密码是abc12345。": "我的密码是[redacted: password]。",
    "Mi contraseña es perro99x": "Mi contraseña es [redacted: password]",
    "AccountKey=" + "a1B2" * 21 + "ab==": "[redacted: Azure key]",
    "bot 123456789:" + "Ab1_c" * 7: "bot [redacted: Telegram token]",
}
HARMLESS = (
    "The password is important.",
    "I forgot my password again!",
    "The token was 45 minutes late.",
    "Call me at +49 170 1234567890.",
    "Order 1234567890123456 has left.",
    "The commit is 3f786850e387550fdab836ed7e6dc881de23001b.",
    "See https://example.org/a/very/long/path/that/is/no/secret?id=12345678901234567890.",
    "Donaudampfschifffahrtsgesellschaftskapitän is a word.",
    "ISBN 978-3-16-148410-0",
    "password = Column(String(128), nullable=False)",
    "My secret is that I love jazz.",
    "hahahahahahahahahahahahaha!!!!!!!!!!!!!!",
)
# Texts around a password that is told in plain words, and the password.
TOLD = (
    ("password for the new backup server is {}!, don't forget it haha", "hunter2-Elbe"),
    ("My password for the old mail account at work is '{}'.", "hunter2-Elbe"),
    ("The password of the guest wifi upstairs: {}!", "Elbe2026"),
    ("My password on example.com is now {}", "hunter2-Elbe"),
    ("The password to Dad's old laptop is {}.", "hunter2"),
    ("I changed the password of my NAS to {} today.", "hunter2-Elbe"),
    ("just reset my password to {}", "hunter2-Elbe"),
    ("Das Passwort für den neuen Server im Keller ist {}!", "Elbe2026"),
    ("Das Kennwort vom WLAN lautet {}", "Elbe2026x"),
    ("Le mot de passe du nouveau serveur est {}", "Seine2026x"),
    ("La contraseña del nuevo servidor de casa es {}", "Ebro2026x"),
)


def drawn(alphabet: str, length: int) -> str:
    """A made-up value, put together when the test runs: scanners of source code must not object to this file."""
    return "".join(Random(length).choices(alphabet, k=length))


HEX, ALNUM, UPPER = "0123456789abcdef", string.ascii_letters + string.digits, string.ascii_uppercase + string.digits
FORMS = [
    ("GitHub token", "github_" + "pat_" + drawn(ALNUM, 82)),
    ("GitLab token", "glpat-" + drawn(ALNUM, 20)),
    ("GitLab token", "GR13" + "48941" + drawn(ALNUM, 20)),
    ("Slack token", "xox" + "b-123456789012-" + drawn(ALNUM, 24)),
    ("Slack token", "xapp" + "-1-A0123456789-" + drawn(HEX, 64)),
    ("webhook address", "https://hooks.slack.com/" + "services/T00000000/B00000000/" + drawn(ALNUM, 24)),
    ("webhook address", "https://discord.com/api/" + "webhooks/123456789012345678/" + drawn(ALNUM, 68)),
    ("Stripe key", "rk_" + "live_" + drawn(ALNUM, 24)),
    ("API key", "sk-" + "ant-api03-" + drawn(ALNUM, 90)),
    ("API key", "gsk" + "_" + drawn(ALNUM, 52)),
    ("Google key", "AI" + "za" + drawn(ALNUM, 35)),
    ("Google key", "GOC" + "SPX-" + drawn(ALNUM, 28)),
    ("Hugging Face token", "hf" + "_" + drawn(string.ascii_letters, 34)),
    ("npm token", "npm" + "_" + drawn(ALNUM, 36)),
    ("PyPI token", "pypi-" + "AgEI" + drawn(ALNUM, 80)),
    ("SendGrid key", "SG." + drawn(ALNUM, 22) + "." + drawn(ALNUM, 43)),
    ("Mailgun key", "key-" + drawn(HEX, 32)),
    ("Mailchimp key", drawn(HEX, 32) + "-us12"),
    ("Twilio key", "SK" + drawn(HEX, 32)),
    ("Square key", "sq0" + "csp-" + drawn(ALNUM, 43)),
    ("Shopify token", "shp" + "at_" + drawn(HEX, 32)),
    ("Telegram token", "123456789:" + drawn(ALNUM, 35)),
    ("Discord token", "M" + drawn(ALNUM, 23) + "." + drawn(ALNUM, 6) + "." + drawn(ALNUM, 27)),
    ("Azure key", "SharedAccess" + "Key=" + drawn(ALNUM, 43) + "="),
    ("DigitalOcean token", "dop" + "_v1_" + drawn(HEX, 64)),
    ("Databricks token", "dapi" + drawn(HEX, 32)),
    ("Docker token", "dckr_" + "pat_" + drawn(ALNUM, 27)),
    ("Vault token", "hvs." + drawn(ALNUM, 90)),
    ("Atlassian token", "ATA" + "TT3" + drawn(ALNUM, 180)),
    ("Grafana token", "gl" + "sa_" + drawn(ALNUM, 32) + "_" + drawn(HEX, 8)),
    ("Linear key", "lin_" + "api_" + drawn(ALNUM, 40)),
    ("Notion token", "ntn" + "_" + drawn(ALNUM, 46)),
    ("Figma token", "figd" + "_" + drawn(ALNUM, 40)),
    ("New Relic key", "NRAK-" + drawn(UPPER, 27)),
    ("Postman key", "PMAK-" + drawn(HEX, 24) + "-" + drawn(HEX, 34)),
    ("age key", "AGE-SECRET-" + "KEY-1" + drawn(UPPER, 58)),
    ("JSON web token", "eyJ" + drawn(ALNUM, 30) + ".eyJ" + drawn(ALNUM, 60) + "." + drawn(ALNUM, 43)),
]
WORDS = st.lists(
    st.sampled_from(
        [
            AWS,
            CARD,
            PEM,
            "password is ",
            "token=",
            "hunter2again",
            "[redacted: key]",
            "[redacted: ",
            "]",
            " ",
            "\n",
            "x1",
        ]
    )
    | st.text(max_size=6),
    max_size=8,
).map("".join)


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor()


@pytest.mark.parametrize(("text", "clean"), SECRETS.items())
def test_a_secret_is_replaced_by_what_it_was(redactor: Redactor, text: str, clean: str) -> None:
    assert redactor.text(text) == clean


@pytest.mark.parametrize(("text", "secret"), TOLD)
def test_a_password_told_in_plain_words_is_taken_out(text: str, secret: str) -> None:
    assert redact(text.format(secret)) == text.format("[redacted: password]")


def test_a_key_told_in_plain_words_is_taken_out() -> None:
    told = redact("The API key for the new weather service at home is abc-123-def, keep it")
    assert told == "The API key for the new weather service at home is [redacted: key], keep it"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_none_stays(redactor: Redactor, text: str) -> None:
    assert redactor.text(text) == text


@pytest.mark.parametrize(("kind", "secret"), FORMS)
@pytest.mark.parametrize("frame", ["{}", "Please keep {}, or {}.", 'token: "{}"', "It is\n{}\nnow", "我用{}登录"])
def test_the_forms_that_providers_document_are_found(kind: str, secret: str, frame: str) -> None:
    marker = f"[redacted: {kind}]"
    assert redact(frame.format(secret, secret)) == frame.format(marker, marker)


def test_what_looks_drawn_by_chance_is_taken_out() -> None:
    random = Random(5)
    keys = ["".join(random.choices(string.ascii_letters + string.digits, k=40)) for _ in range(50)]
    assert sum(redact(f"The value {key}, keep it.") != f"The value {key}, keep it." for key in keys) >= 48


@pytest.mark.parametrize(
    "text",
    [
        "3f786850e387550fdab836ed7e6dc881de23001b" * 2,
        "Code_Architecture_Design_1-DM-S7_02-04_and_more_of_it",
        'integrity="sha384-' + "aB3" * 21 + 'q"',
        "https://example.org/d/1aBcD2eFgH3iJkLmN4oPqRsTuV5wXyZaBcD6eFgHiJk/edit",
        "aVeryLongNameOfAJavaClassWithTwo2Or3DigitsInItAndManyWords",
        "data:image/png;base64," + "iVBORw0KGgo" * 30,
        "AB1 " * 20,
    ],
)
def test_hashes_addresses_and_names_of_things_are_no_secrets(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("run", [" ", " \n", "\t"])
def test_a_long_gap_does_not_hold_up_a_worker(redactor: Redactor, run: str) -> None:
    text = f"My key is {AWS}. " + "token" + run * 20_000 + "x"
    assert redactor.text(text) == text.replace(AWS, "[redacted: AWS key]")
    assert redactor.beginning(text) == text[:8000].replace(AWS, "[redacted: AWS key]")


@pytest.mark.parametrize("before", [1500, 1600, 1985, 2000, 3200, 50_000])
def test_a_secret_is_found_anywhere_in_a_long_text(redactor: Redactor, before: int) -> None:
    secret = "AccountKey=" + "a1B2" * 21 + "ab=="
    text = "ab " * (before // 3) + secret + " ab" * 900
    assert redactor.text(text) == text.replace(secret, "[redacted: Azure key]")


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "aB3",
        "9",
        "sk-",
        "eyJ",
        "eyJ.",
        "-",
        "://:",
        "token=",
        "1:",
        "key-",
        "M.",
        "password for a ",
        "reset a password to ",
    ],
)
def test_no_text_holds_up_a_worker(piece: str) -> None:
    text = piece * (8000 // len(piece))
    started = time.perf_counter()
    redact(text)
    assert time.perf_counter() - started < 2


def test_nothing_is_loaded_to_find_secrets() -> None:
    code = (
        "import sys\n"
        "from memoryos_core.rules.safety.secrets import redact\n"
        "assert redact('password = hunter2again') == 'password = [redacted: password]'\n"
        "assert not {'detect_secrets', 'requests', 'yaml'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_text_that_is_read_again_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_MOST_CLEAN", 2)
    redactor, texts = Redactor(), [*HARMLESS, *SECRETS, "half a \ud83d letter"]
    for text in (*texts, *texts[::-1], *texts):
        assert redactor.text(text) == redact(text)


def test_a_harmless_text_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def search(text: str) -> str:
        searched.append(text)
        return redact(text)

    monkeypatch.setattr(secrets, "redact", search)
    redactor = Redactor()
    for text in ("We live in Leeds.", f"It is {AWS}.") * 2:
        redactor.text(text)
    assert searched == ["We live in Leeds.", f"It is {AWS}.", f"It is {AWS}."]


def test_switched_off_it_changes_nothing() -> None:
    assert Redactor(enabled=False).text(f"It is {AWS}.") == f"It is {AWS}."


@given(WORDS)
def test_redacting_again_changes_nothing_and_nothing_grows_without_bound(text: str) -> None:
    once = redact(text)
    assert redact(once) == once
    assert len(once) <= len(text) + 40 * (1 + len(re.findall(r"\S+", text)))


@given(st.integers(10**11, 10**18))
def test_a_number_with_its_check_digit_is_a_card(number: int) -> None:
    body = f"4{number}"[:15]
    fits = [d for d in "0123456789" if is_card(body + d)]
    assert len(fits) == (1 if len(body) >= 12 else 0)


def test_every_form_is_bounded() -> None:
    forms = [form for _, form in (*secrets._TOKENS, *secrets._FORMS)]
    others = (
        secrets._ASSIGNED,
        secrets._RANDOM,
        secrets._CARD,
        secrets._NUMBERS,
        secrets._RUN,
        secrets._TALKS_OF_ONE,
        *secrets._PLAINLY,
    )
    for form in (*forms, *(other.pattern for other in others)):
        assert re.findall(r"(?<!\\)[*+](?!\?)|\{\d+,\}", re.sub(r"\[[^\]]*\]", "", form)) == [], form


def test_a_token_has_no_group_of_its_own() -> None:
    """The number of the group that matched is the number of the token."""
    assert [re.compile(form).groups for _, form in secrets._TOKENS] == [0] * len(secrets._TOKENS)


Make = Callable[[ScriptedChat | None], MemoryOS]


@pytest.fixture
def on_disk(tmp_path: Path) -> Iterator[Make]:
    opened: list[MemoryOS] = []

    def make(llm: ScriptedChat | None) -> MemoryOS:
        opened.append(MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=KeywordEmbedder(), llm=llm, config=eager()))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def where(path: Path, secret: str) -> set[str]:
    """The tables that hold a text, in any column."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            table
            for table in tables
            if any(
                secret.lower() in str(cell).lower()
                for row in connection.execute(f'SELECT * FROM "{table}"')
                for cell in row
            )
        }


def test_only_the_page_has_it(on_disk: Make, tmp_path: Path) -> None:
    ada = on_disk(None).user("ada")
    ada.add(f"I keep my backup key {AWS} in the old garden shed.", "That is a strange place.")
    digest(ada)
    assert [f.text for f in ada.facts()] == ["The user keeps their backup key in the old garden shed."]
    assert where(tmp_path / "m.db", AWS) == {"memoryos_pages"}
    assert not any(AWS.lower() in " ".join((s.summary, *s.keywords)).lower() for s in ada.segments())
    assert AWS in ada.pages()[0].messages[0].text


def test_neither_asked_nor_answered_by_a_model_and_not_in_what_is_told(on_disk: Make, tmp_path: Path) -> None:
    leak = f"It is {AWS} still."
    chat = ScriptedChat(
        reading([], summary=leak, keywords=("shed", AWS), persona=lambda asked: leaking(leak, quotes_in(asked)[1]))
    )
    ada = on_disk(chat).user("ada")
    ada.add(f"I keep my backup key {AWS} in the shed.", f"So {AWS} it is.", user_name=f"Ada {AWS}")
    digest(ada)
    told = ada.remember(f"my key is {AWS}")
    assert told.text == "my key is [redacted: AWS key]"
    assert ada.remember(f"my key is {AWS}") == told
    assert ada.correct(told.id, f"the card is {CARD}").text == "the card is [redacted: card number]"
    digest(ada)
    assert chat.calls
    assert not any(AWS in prompt.text for request in chat.requests for prompt in request.prompts)
    assert ada.profile().get("home") == "It is [redacted: AWS key] still."
    assert where(tmp_path / "m.db", AWS) == {"memoryos_pages"}
    assert where(tmp_path / "m.db", CARD) == set()
    keywords = {keyword.lower() for segment in ada.segments() for keyword in segment.keywords}
    assert "shed" in keywords
    assert AWS.lower() not in keywords


def leaking(leak: str, quote: str) -> str:
    facts = [{"quote": quote, "op": "add", "about": "user", "text": leak}]
    profile = [{"quote": quote, "name": name, "value": leak} for name in ("home", AWS)]
    traits = [{"dimension": "Openness", "level": "high", "reason": leak, "pages": [1, 2]}]
    return json.dumps({"facts": facts, "profile": profile, "traits": traits})


def test_the_vector_of_a_fact_is_of_the_redacted_text(tmp_path: Path) -> None:
    class Listening(KeywordEmbedder):
        heard: list[str]

        def embed_documents(self, texts):
            self.__dict__.setdefault("heard", []).extend(texts)
            return super().embed_documents(texts)

    embedder = Listening()
    with MemoryOS("sqlite://", embedder=embedder, config=eager()) as memory:
        memory.user("ada").remember(f"my key is {AWS}")
        assert [text for text in embedder.heard if "key is" in text] == ["my key is [redacted: AWS key]"]


def test_switched_off_facts_are_verbatim() -> None:
    config = replace(eager(), safety=SafetyConfig(redact_secrets=False))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        assert memory.user("ada").remember(f"my key is {AWS}").text == f"my key is {AWS}"
