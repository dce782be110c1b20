"""Limits and habits of the source, read from its syntax trees: nothing here imports the library."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("memoryos_core", "memoryos_langchain", "memoryos_llamaindex")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base"}
BROAD = {"Exception", "BaseException"}
# What a fork leaves locked or half changed (ADR 0022), and the places where that does no harm.
LOCKS = {
    "threading": {"Barrier", "BoundedSemaphore", "Condition", "Event", "Lock", "RLock", "Semaphore"},
    "queue": {"LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"},
    "multiprocessing": {"Lock", "RLock", "Condition", "Event", "Semaphore", "Queue", "SimpleQueue"},
}
OWN_LOCKS = {
    "memoryos_core/ports/forks.py": {"RLock"},  # the locks themselves
    "memoryos_core/testing/store_sharing.py": {"Barrier"},  # of one test case
}

FILES = {
    path.relative_to(ROOT).as_posix(): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every file's tree, read once for all the questions below; each says which files it does not like, and where."""
    return {name: ast.parse(path.read_text("utf-8")) for name, path in FILES.items()}


def wrong(found: Mapping[str, object]) -> dict[str, object]:
    """The files of which something was found."""
    return {name: what for name, what in found.items() if what}


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def length(function: Function) -> int:
    """Lines from `def` to the end, without the docstring."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        lines -= (first.end_lineno or 0) - first.lineno + 1
    return lines


def caught(handler: ast.ExceptHandler) -> set[str]:
    """Names a handler catches; a bare `except:` catches everything."""
    if handler.type is None:
        return {"BaseException"}
    return {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}


def exported(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            return list(ast.literal_eval(node.value))  # type: ignore[attr-defined]  # both kinds have a value
    return None


def bound(tree: ast.Module) -> set[str]:
    """Public names that an `__init__` binds at its top level, `if TYPE_CHECKING` included."""
    names: set[str] = set()
    for node in _top_level(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if getattr(node, "module", None) in {"__future__", "typing", "collections.abc"}:
                continue
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If):
            yield from _top_level([*node.body, *node.orelse])
        else:
            yield node


def test_the_packages_are_found() -> None:
    assert {name.split("/")[0] for name in FILES} == set(PACKAGES)


def test_files_are_short() -> None:
    lines = {name: len(path.read_text("utf-8").splitlines()) for name, path in FILES.items()}
    assert {name: many for name, many in lines.items() if many > MAX_FILE_LINES} == {}


def test_functions_are_short(trees: dict[str, ast.Module]) -> None:
    long = {f"{name}:{function.name}": length(function) for name, tree in trees.items() for function in functions(tree)}
    assert {name: lines for name, lines in long.items() if lines > MAX_FUNCTION_LINES} == {}


def test_names_say_what_is_inside() -> None:
    words = {name: {part.removesuffix(".py").strip("_") for part in name.split("/")} for name in FILES}
    assert wrong({name: own & BANNED_NAMES for name, own in words.items()}) == {}
    assert wrong({name: [word for word in own if word.startswith("base_")] for name, own in words.items()}) == {}


def test_errors_are_caught_by_name(trees: dict[str, ast.Module]) -> None:
    def broad(tree: ast.Module) -> list[int]:
        return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and caught(node) & BROAD]

    assert wrong({name: broad(tree) for name, tree in trees.items()}) == {}


def locks_made(tree: ast.Module) -> set[str]:
    """Bare locks, events and queues that a module makes, by a call or by handing over the class to be called."""
    names = {name for of_module in LOCKS.values() for name in of_module}
    imported = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in LOCKS
        for alias in node.names
        if alias.name in LOCKS[node.module or ""]
    }
    made: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for value in (node.func, *node.args, *(keyword.value for keyword in node.keywords)):
            value = value.value if isinstance(value, ast.Subscript) else value
            if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id in LOCKS:
                made |= {value.attr} & names
            elif isinstance(value, ast.Name) and value.id in imported:
                made.add(imported[value.id])
    return made


def test_locks_are_free_in_a_forked_child(trees: dict[str, ast.Module]) -> None:
    """Every lock, event and queue is one of `memoryos_core.ports.forks`, which renews it."""
    assert wrong({name: locks_made(tree) for name, tree in trees.items()}) == OWN_LOCKS


@pytest.mark.parametrize(
    "source",
    [
        "import threading\nlock = threading.Lock()",
        "from threading import Event as Flag\nflag = Flag()",
        "import threading\nx = field(default_factory=threading.RLock)",
        "from queue import SimpleQueue\nx = SimpleQueue[int]()",
    ],
)
def test_a_bare_lock_is_seen(source: str) -> None:
    assert len(locks_made(ast.parse(source))) == 1


def test_nothing_is_printed(trees: dict[str, ast.Module]) -> None:
    def prints(tree: ast.Module) -> list[int]:
        calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
        return [func.lineno for func in calls if isinstance(func, ast.Name) and func.id == "print"]

    assert wrong({name: prints(tree) for name, tree in trees.items()}) == {}


def test_imports_are_absolute(trees: dict[str, ast.Module]) -> None:
    def relative(tree: ast.Module) -> list[int]:
        return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]

    assert wrong({name: relative(tree) for name, tree in trees.items()}) == {}


def test_all_is_sorted(trees: dict[str, ast.Module]) -> None:
    names = {name: exported(tree) or [] for name, tree in trees.items()}
    assert {name: own for name, own in names.items() if own != sorted(set(own))} == {}


@pytest.mark.parametrize("init", [ROOT / package / "__init__.py" for package in PACKAGES], ids=PACKAGES)
def test_all_is_complete(init: Path) -> None:
    tree = ast.parse(init.read_text("utf-8"))
    # A name with `__getattr__` behind it (PEP 562) is bound under TYPE_CHECKING, and so is seen here.
    own = {"__version__"}
    assert set(exported(tree) or ()) - own == bound(tree) - {"TYPE_CHECKING"}


def test_packages_are_typed() -> None:
    assert [package for package in PACKAGES if not (ROOT / package / "py.typed").is_file()] == []
