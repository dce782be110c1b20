"""`memoryos completion`: writes what a shell needs to complete the command (extra `completion`)."""

from __future__ import annotations

import argparse
import sys
from typing import cast

from memoryos_core.ops.cli.opening import Parser, Subparsers, subcommand
from memoryos_core.ports.optional_imports import import_optional

_SHELLS = ("bash", "zsh", "fish")
_PATHS = frozenset({"FILE", "PATH"})


def register_completion(subparsers: Subparsers) -> None:
    """`memoryos completion bash|zsh|fish`."""
    said = "write the completion of this command for a shell, to be kept where the shell looks for it"
    example = (
        "memoryos completion bash > ~/.local/share/bash-completion/completions/memoryos\n"
        "  memoryos completion zsh > ~/.zfunc/_memoryos    (with fpath+=~/.zfunc before compinit in .zshrc)\n"
        "  memoryos completion fish > ~/.config/fish/completions/memoryos.fish"
    )
    parser = subcommand(subparsers, "completion", said, run_completion, example)
    parser.add_argument("shell", metavar="SHELL", choices=_SHELLS, help="bash, zsh or fish")


def run_completion(arguments: argparse.Namespace) -> int:
    """Write the script. It needs no Python when a key is pressed."""
    shtab = import_optional("shtab", "completion")
    root: Parser = arguments.root
    _complete_paths(root, shtab.FILE)
    sys.stdout.write(shtab.complete(root, arguments.shell))
    return 0


def _complete_paths(parser: argparse.ArgumentParser, paths: object) -> None:
    """Mark the arguments that are paths of files, in the commands of a parser, too."""
    for action in parser._actions:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - argparse has no other way
        if action.metavar in _PATHS:
            vars(action)["complete"] = paths
        if action.nargs == argparse.PARSER:
            for command in cast("dict[str, Parser]", action.choices).values():
                _complete_paths(command, paths)
