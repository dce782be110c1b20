"""A disk that fails, stops in the middle, or loses its power: between SQLite and its files, without a compiler.

SQLite writes through a table of functions (its VFS) that a program may change. While a `Disk` is held, the entries
that write, sync, cut, and delete the files of one folder are ours, and so are the calls of `stores/sql/files.py` that
give a finished file its name. Each such act has a number. The act of a chosen number fails; or all acts are noted, so
that what stood on the disk at any moment can be laid out again in another folder (`lay_out`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import random
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias
from unittest.mock import patch

How: TypeAlias = Literal["error", "full", "short", "torn"]
WAYS: tuple[How, ...] = ("error", "full", "short", "torn")
Kind: TypeAlias = Literal["write", "sync", "truncate", "delete", "rename"]
_CODES: dict[str, int] = {"write": 778, "sync": 1034, "truncate": 1546, "delete": 2570}  # SQLITE_IOERR_…
_FULL = 13
_SECTOR = 512

_p, _i, _i64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
_XOPEN = ctypes.CFUNCTYPE(_i, _p, _p, _p, _i, _p)
_XDELETE = ctypes.CFUNCTYPE(_i, _p, _p, _i)
_XWRITE = ctypes.CFUNCTYPE(_i, _p, _p, _i, _i64)
_XTRUNCATE = ctypes.CFUNCTYPE(_i, _p, _i64)
_XSYNC = ctypes.CFUNCTYPE(_i, _p, _i)


class _Vfs(ctypes.Structure):
    _fields_ = (
        *(("version", _i), ("size", _i), ("longest", _i)),
        *(("next", _p), ("name", ctypes.c_char_p), ("data", _p), ("open", _p), ("delete", _p)),
    )


class _Methods(ctypes.Structure):
    _fields_ = (
        *(("version", _i), ("close", _p), ("read", _p), ("write", _p), ("truncate", _p), ("sync", _p)),
        ("rest", _p * 13),
    )


@dataclass(frozen=True)
class Act:
    """Something that was done to a file of the folder; `data` is what was written, or the other name."""

    kind: Kind
    name: str
    offset: int = 0
    data: bytes = b""


def _vfs(driver: ModuleType) -> _Vfs:
    path = getattr(driver, "__file__", None)
    find = ctypes.CDLL(path).sqlite3_vfs_find  # an interpreter that has SQLite built in has it among its own symbols
    find.restype, find.argtypes = ctypes.POINTER(_Vfs), [ctypes.c_char_p]
    return find(None).contents  # type: ignore[no-any-return]


class Disk(AbstractContextManager["Disk"]):
    """Watches one folder while it is held; open the memory within, and close it within, too.

    `fails` is the number of the act that fails, from 1; `for_good` makes all later acts fail, too, until `mend`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        fails: int = 0,
        how: How = "error",
        for_good: bool = False,
        record: bool = False,
        driver: ModuleType | None = None,
    ) -> None:
        import _sqlite3

        self._folder = f"{folder}/"
        self._fails, self._how, self._for_good, self._record = fails, how, for_good, record
        self.count = 0
        self.failed: list[Act] = []
        self.acts: list[Act] = []
        self._vfs = _vfs(driver or _sqlite3)
        self._names: dict[int, str] = {}
        self._tables: dict[int, _Methods] = {}
        self._undo = ExitStack()
        self._hooks: list[Any] = []

    def break_for_good(self) -> None:
        """Let every act from here on fail, until `mend`."""
        self._fails, self._for_good = self.count + 1, True

    def mend(self) -> None:
        """Let nothing fail any more."""
        self._fails = 0

    def __enter__(self) -> Disk:
        vfs = self._vfs
        opening, deleting = _XOPEN(vfs.open), _XDELETE(vfs.delete)
        self._undo.callback(setattr, vfs, "open", vfs.open)
        self._undo.callback(setattr, vfs, "delete", vfs.delete)

        def open_file(vfs: int, name: int, file: int, flags: int, out: int) -> int:
            code = int(opening(vfs, name, file, flags, out))
            path = os.fsdecode(ctypes.string_at(name)) if name else ""
            if code == 0 and path.startswith(self._folder):
                self._names[file] = path
                self._replace_methods(file)
            return code

        def delete_file(vfs: int, name: int, sync: int) -> int:
            path = os.fsdecode(ctypes.string_at(name))
            if path.startswith(self._folder) and Path(path).exists() and (code := self._act("delete", path)):
                return code
            return int(deleting(vfs, name, sync))

        self._hook(vfs, "open", _XOPEN(open_file))
        self._hook(vfs, "delete", _XDELETE(delete_file))
        self._patch_python()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()
        # What a connection that is not collected yet still points to must outlive this.
        _kept.append((self._hooks, self._tables))

    def _hook(self, where: Any, name: str, function: Any) -> None:
        self._hooks.append(function)
        setattr(where, name, ctypes.cast(function, _p).value)

    def _replace_methods(self, file: int) -> None:
        pointer = ctypes.cast(file, ctypes.POINTER(_p))
        original = int(pointer[0] or 0)
        if original not in self._tables:
            self._tables[original] = self._methods(original)
        pointer[0] = ctypes.addressof(self._tables[original])

    def _methods(self, original: int) -> _Methods:
        methods = _Methods.from_buffer_copy(ctypes.string_at(original, ctypes.sizeof(_Methods)))
        write, cut, sync = _XWRITE(methods.write), _XTRUNCATE(methods.truncate), _XSYNC(methods.sync)

        def write_file(file: int, data: int, amount: int, offset: int) -> int:
            written = ctypes.string_at(data, amount) if self._record else b""
            code = self._act("write", self._names[file], offset, written)
            if not code:
                return int(write(file, data, amount, offset))
            if self._how == "short":
                write(file, data, amount // 2, offset)
            elif self._how == "torn":  # every other sector
                for start in range(0, amount, 2 * _SECTOR):
                    write(file, data + start, min(_SECTOR, amount - start), offset + start)
            return code

        def cut_file(file: int, size: int) -> int:
            return self._act("truncate", self._names[file], size) or int(cut(file, size))

        def sync_file(file: int, flags: int) -> int:
            return self._act("sync", self._names[file]) or int(sync(file, flags))

        self._hook(methods, "write", _XWRITE(write_file))
        self._hook(methods, "truncate", _XTRUNCATE(cut_file))
        self._hook(methods, "sync", _XSYNC(sync_file))
        return methods

    def _act(self, kind: Kind, path: str, offset: int = 0, data: bytes = b"") -> int:
        """Count an act; return the error that it ends with, 0 when it may be done."""
        self.count += 1
        act = Act(kind, path.removeprefix(self._folder), offset, data)
        if self._fails and (self.count == self._fails or (self._for_good and self.count > self._fails)):
            self.failed.append(act)
            return _FULL if kind == "write" and self._how in ("full", "short") else _CODES.get(kind, 1)
        if self._record:
            self.acts.append(act)
        return 0

    def _patch_python(self) -> None:
        fsync, rename, unlink = os.fsync, Path.rename, Path.unlink

        def failing(kind: Kind, path: str, data: bytes = b"") -> None:
            if f"{path}/".startswith(self._folder) and self._act(kind, path, 0, data):
                code = errno.ENOSPC if self._how == "full" else errno.EIO
                raise OSError(code, os.strerror(code))

        def sync(descriptor: int) -> None:
            failing("sync", os.path.realpath(f"/proc/self/fd/{descriptor}"))
            fsync(descriptor)

        def give_name(path: Path, target: Path) -> Path:
            failing("rename", str(path), str(target).removeprefix(self._folder).encode())
            return rename(path, target)

        def remove(path: Path, missing_ok: bool = False) -> None:
            if path.exists():
                failing("delete", str(path))
            unlink(path, missing_ok=missing_ok)

        self._undo.enter_context(patch.object(os, "fsync", sync))
        self._undo.enter_context(patch.object(Path, "rename", give_name))
        self._undo.enter_context(patch.object(Path, "unlink", remove))


_kept: list[object] = []


def lay_out(acts: Sequence[Act], folder: Path, before: dict[str, bytes], chance: random.Random | None) -> None:
    """Write the files as a loss of power after these acts may leave them; `before` is how the folder began.

    What was synced is there. Of what was not, nothing is there without `chance`; with it each act is there or not, in
    any combination, one write is torn at a sector, and a file that was deleted last may be back.
    """
    durable: dict[str, bytearray] = {name: bytearray(data) for name, data in before.items()}
    deleted: dict[str, bytearray] = {}
    waiting: dict[str, list[Act]] = defaultdict(list)
    for act in acts:
        deleted.pop(act.name, None)
        if act.kind == "sync":
            for done in waiting.pop(act.name, []):
                _do(durable.setdefault(done.name, bytearray()), done)
        elif act.kind == "delete":
            waiting.pop(act.name, None)
            deleted[act.name] = durable.pop(act.name, bytearray())
        elif act.kind == "rename":
            durable[act.data.decode()] = durable.pop(act.name, bytearray())
        else:
            waiting[act.name].append(act)
    if chance is not None:
        durable.update((name, data) for name, data in deleted.items() if chance.random() < 0.5)
        for name, lost in waiting.items():
            kept = [act for act in lost if chance.random() < 0.5]
            for place, act in enumerate(kept):
                torn = place == len(kept) - 1 and act.kind == "write" and len(act.data) > _SECTOR
                some = act.data[: _SECTOR * chance.randrange(len(act.data) // _SECTOR + 1)] if torn else act.data
                _do(durable.setdefault(name, bytearray()), Act(act.kind, name, act.offset, some))
    for name, data in durable.items():
        (folder / name).write_bytes(data)


def _do(file: bytearray, act: Act) -> None:
    if act.kind == "truncate":
        del file[act.offset :]
        return
    if len(file) < act.offset:
        file.extend(bytes(act.offset - len(file)))
    file[act.offset : act.offset + len(act.data)] = act.data
