"""Execute the notebooks and write what they show, as the tests do: `python scripts/run_notebooks.py`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.notebooks import kernels

for path in sorted(kernels.FOLDER.glob("*.ipynb")):
    committed = kernels.read(path.name)
    fresh = kernels.execute(path.name, Path(tempfile.mkdtemp())).notebook
    for ours, theirs in zip(kernels.code(fresh), kernels.code(committed), strict=True):
        # Ids are made anew with every run: what differs in nothing else stays as it is.
        if kernels.compared(ours) != kernels.compared(theirs):
            theirs.outputs = ours.outputs
            print(f"{path.name}: {theirs.source.splitlines()[-1][:80]}", *kernels.texts(theirs), sep="\n")
    nbformat.write(committed, path)
