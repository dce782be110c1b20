"""`memoryos rekey`: gives an encrypted memory another key; run again, it finishes an interrupted change."""

from __future__ import annotations

import argparse
import os
from contextlib import closing

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, add_json, command, existing, key_of
from memoryos_core.ops.cli.output import tell, write_json
from memoryos_core.stores import open_store
from memoryos_core.values.encryption_keys import Keys, key_from_text

_EXAMPLE = "MEMORYOS_KEY=old MEMORYOS_NEW_KEY=new memoryos rekey sqlite:///memory.db"


def add(subparsers: Subparsers) -> None:
    """`MEMORYOS_KEY=old MEMORYOS_NEW_KEY=new memoryos rekey URL`."""
    parser = command(subparsers, "rekey", "give an encrypted memory another key", run, _EXAMPLE)
    add_json(parser)
    parser.add_argument("--new-key", help="the new key; prefer MEMORYOS_NEW_KEY, which process lists do not show")


def run(arguments: argparse.Namespace) -> int:
    """Change the key; processes that hold both keys may use the memory meanwhile."""
    old, written = key_of(arguments), arguments.new_key or os.environ.get("MEMORYOS_NEW_KEY")
    if old is None or not written:
        raise InvalidInputError("a key is missing: set MEMORYOS_KEY to the present and MEMORYOS_NEW_KEY to the new key")
    new = key_from_text(written)
    # With both keys: after an interruption the new key or the old one opens it.
    either = Keys(*old.values(), new)
    with closing(open_store(existing(arguments, either), key=either)) as store:
        store.rekey(new)
    if arguments.json:
        write_json([{"rekeyed": True}])
    else:
        tell("everything is encrypted with the new key now")
    return 0
