"""The glossary: words that the source does not use, and their replacements. Nothing here imports the library."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("memoryos_core", "memoryos_langchain", "memoryos_llamaindex")
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}
GUIDES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
}

# No module and no package bears the name on the left, nor a name with it between underscores.
MODULE_NAMES = {
    "known": "facts",
    "noted": "notes",
    "readings": "queries",
    "moves": "commands",
    "dimensions": "trait_names",
    "bounds": "validation",
    "accepting": "validation",
    "foreign": "optional_imports or models",
    "serving": "worker_process",
    "postponing": "backoff",
    "ledger": "audit",
    "gate": "access",
    "telling": "review",
    "display": "notebook",
    "payloads": "host_messages, or messages in hosts",
    "shelves": "namespaces",
    "steps": "extract",
    "updater": "consolidation",
    "doorway": "opening_lock",
    "warmth": "heat_counters",
    "acts": "audit_details",
    "near": "nearest",
    "embedded": "vector_column",
    "flavour": "dialect",
}
MODULE_EXCEPTIONS = {
    # A module of an adapter: only the core has been renamed so far (ADR 0025, "Not done yet").
    "memoryos_langchain/store_shelves.py",
}

# A function is named by what it does: `store_fact`, `report_error`, `drop_empty_counts`. Besides these words, each one
# word in "-ed" counts as a participle.
PARTICIPLES = frozenset(
    {
        *("asked", "done", "drawn", "filed", "found", "given", "gone", "heard", "held", "kept", "known", "lent"),
        *("made", "named", "opened", "read", "said", "seen", "sent", "shown", "spoken", "taken", "told", "written"),
    }
)
# Ends in "-ed" and is no participle.
VERBS_IN_ED = frozenset({"embed", "feed", "need", "seed", "speed"})

CLAUSE = re.compile(r"(?:What|Who|Whom|Whose|Whether|Which)\b")

# Unclear phrases, and a clear one for each.
PHRASES = {
    r"(?<!there )\bis none\b": "say what is wrong: invalid, missing, not one of …",
    r"\ban? [\w'.{}() ]+ (?:is|are) wanted\b": "expected a …, got …",
    r"\bof somebody\b": "name who it is: the caller, the user, another process",
    r"\bof nobody\b": "not attributed to anyone",
    r"\bhow dear\b": "depending on the cost of",
    r"\bslip of the pen\b": "a misspelt name",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def forbidden_modules(path: str) -> Iterator[str]:
    """Yield a complaint for each forbidden word in the name of a module or of its folders."""
    if path in MODULE_EXCEPTIONS:
        return
    for part in path.removesuffix(".py").split("/"):
        for word in part.split("_"):
            if word in MODULE_NAMES:
                yield f"{path}: {word!r} in the name; use {MODULE_NAMES[word]}"


def is_participle(name: str) -> bool:
    """Return whether a name is one past participle, underscores apart."""
    bare = name.strip("_")
    return bare in PARTICIPLES or (re.fullmatch(r"[a-z]+ed", bare) is not None and bare not in VERBS_IN_ED)


def participles(path: str, tree: ast.Module) -> Iterator[str]:
    """Yield a complaint for each function named by one participle.

    Public methods are exempt: callers know them, and a question such as `memory.closed` may be a property.
    """
    public = {
        id(member)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for member in node.body
        if isinstance(member, Function) and not member.name.startswith("_")
    }
    for node in ast.walk(tree):
        if isinstance(node, Function) and is_participle(node.name) and id(node) not in public:
            yield f"{path}:{node.lineno} {node.name}; name it by what it does, with a verb"


def clauses(path: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield a complaint for each docstring that begins with a bare clause."""
    for node in nodes:
        assert isinstance(node, Documented | ast.Module)
        doc = ast.get_docstring(node)
        if doc and CLAUSE.match(doc):
            line = 1 if isinstance(node, ast.Module) else node.lineno
            yield f"{path}:{line} {doc.splitlines()[0][:80]!r}; begin with a verb (Return …) or a noun phrase"


def unclear(path: str, text: str) -> Iterator[str]:
    """Yield a complaint for each line with an unclear phrase."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, clear in PHRASES.items():
            if found := re.search(pattern, line):
                yield f"{path}:{number} {found[0]!r}; write: {clear}"


def assert_none(complaints: Iterable[str]) -> None:
    """Fail with one complaint a line."""
    lines = list(complaints)
    assert not lines, f"{len(lines)} times against the glossary:\n" + "\n".join(lines)


def test_no_module_bears_a_forbidden_name() -> None:
    assert_none(line for path in SOURCES for line in forbidden_modules(path))


def test_no_function_is_named_by_one_participle() -> None:
    assert_none(line for path, text in SOURCES.items() for line in participles(path, ast.parse(text)))


def test_no_docstring_begins_with_a_bare_clause() -> None:
    assert_none(
        line
        for path, text in SOURCES.items()
        for line in clauses(path, (node for node in ast.walk(ast.parse(text)) if isinstance(node, Documented)))
    )


def test_no_docstring_of_a_module_begins_with_a_bare_clause() -> None:
    assert_none(line for path, text in SOURCES.items() for line in clauses(path, [ast.parse(text)]))


def test_the_source_has_no_unclear_phrase() -> None:
    assert_none(line for path, text in SOURCES.items() for line in unclear(path, text))


def test_the_guides_have_no_unclear_phrase() -> None:
    assert_none(line for path, text in GUIDES.items() for line in unclear(path, text))


@pytest.mark.parametrize("path", ["memoryos_core/gate.py", "memoryos_core/steps/page_out.py", "x/store_ledger.py"])
def test_a_forbidden_name_is_seen(path: str) -> None:
    assert len(list(forbidden_modules(path))) == 1


@pytest.mark.parametrize("path", ["memoryos_core/api/access.py", "memoryos_core/stores/sql/nearest.py"])
def test_a_good_name_is_not(path: str) -> None:
    assert list(forbidden_modules(path)) == []


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("def told(): ...", 1),
        ("def _sorted(): ...", 1),
        ("async def read(): ...", 1),
        ("class A:\n    def _kept(self): ...", 1),
        ("class A:\n    def closed(self): ...", 0),
        ("class A:\n    def f(self):\n        def given(): ...", 1),
        ("def read_pages(): ...", 0),
        ("def embed(): ...", 0),
    ],
)
def test_a_participle_is_seen(source: str, seen: int) -> None:
    assert len(list(participles("x.py", ast.parse(source)))) == seen


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ('def f():\n    """Whether it is hot."""', 1),
        ('def f():\n    """Return whether it is hot."""', 0),
        ('def f():\n    """Whatever is given."""', 0),
        ("def f(): ...", 0),
    ],
)
def test_a_bare_clause_is_seen(source: str, seen: int) -> None:
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, Documented)]
    assert len(list(clauses("x.py", nodes))) == seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a moment in the database is none", 1),
        ("a memory where there is none", 0),
        ("memory: a MemoryOS is wanted, not str", 1),
        ("the lock of somebody's thread", 1),
        ("expected a MemoryOS, got str", 0),
    ],
)
def test_an_unclear_phrase_is_seen(text: str, seen: int) -> None:
    assert len(list(unclear("x.md", text))) == seen
