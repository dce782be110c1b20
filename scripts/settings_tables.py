"""Write the tables of docs/configuration.md from the docstrings and defaults of `memoryos_core.config`.

`make docs` runs it. A table stands between `<!-- settings: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

from memoryos_core import config

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"
PLACE = re.compile(r"<!-- settings: (\w+) -->\n.*?<!-- end -->", re.DOTALL)
PAPER = config.MemoryConfig.paper()


def meanings(settings: type) -> dict[str, str]:
    """Return the text of each attribute in a docstring, by its name."""
    _, _, attributes = (inspect.getdoc(settings) or "").partition("Attributes:\n")
    found: dict[str, str] = {}
    for line in attributes.splitlines():
        if match := re.match(r" {4}(\w+): (.*)", line):
            found[name := match[1]] = match[2]
        elif line.strip():
            found[name] += " " + line.strip()
    return found


def table(settings: type) -> str:
    """Return a table of the attributes of a class of settings."""
    fields = {field.name: field for field in dataclasses.fields(settings)}
    part = next((value for value in vars_of(PAPER).values() if type(value) is settings), None)
    ours = {name: default(fields[name]) for name in meanings(settings)}
    paper = {} if part is None else {name: f"`{getattr(part, name)!r}`" for name in ours}
    differs = any(paper.get(name, value) != value for name, value in ours.items())
    head = ["setting", "default", *(["the paper"] if differs else []), "meaning"]
    rows = [
        [f"`{name}`", ours[name], *([paper[name] * (paper[name] != ours[name])] if differs else []), meaning]
        for name, meaning in meanings(settings).items()
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def vars_of(value: object) -> dict[str, object]:
    """Return the fields of a dataclass value, by name."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}  # type: ignore[arg-type]


def default(field: dataclasses.Field[object]) -> str:
    """Return the default of a field as code: a link for a part of the configuration, empty for a required field."""
    if field.default_factory is not dataclasses.MISSING:
        name = type(field.default_factory()).__name__
        return f"[`{name}()`](#{name.lower()})"
    return "" if field.default is dataclasses.MISSING else f"`{field.default!r}`"


def filled(text: str) -> str:
    """Return a page with every table written anew."""
    return PLACE.sub(lambda m: f"<!-- settings: {m[1]} -->\n\n{table(getattr(config, m[1]))}\n\n<!-- end -->", text)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
