"""`UserMemory.inspect` in a real kernel: the cell shows the widget, and the page's question gets its answer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import KernelManager

from tests.notebooks import kernels

_CELLS = (
    """\
from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

memory = MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual")))
alice = memory.user("alice")
alice.add("I keep <b>bees</b> in Porto.", "They hum.");""",
    "alice.inspect()",
    "memory.close()",
)


def notebook() -> Any:
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    made.cells = [nbformat.v4.new_code_cell(source) for source in _CELLS]
    return made


def test_a_cell_shows_the_widget_and_a_table_for_pages_without_one_or_without_anywidget(tmp_path: Path) -> None:
    made = notebook()
    hidden = (
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'anywidget' else find(name, *more)\n"
    )
    found = "importlib.util.find_spec = find\n"
    made.cells[1].source = hidden + _CELLS[1]
    made.cells.insert(2, nbformat.v4.new_code_cell(found + _CELLS[1]))
    execution = kernels.run(made, tmp_path)
    (without,), (output,) = (cell.outputs for cell in kernels.code(execution.notebook)[1:3])
    for shown in (without, output):
        assert "<b>UserMemory</b> alice" in shown["data"]["text/html"]
    assert "application/vnd.jupyter.widget-view+json" not in without["data"]
    assert output["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert (execution.network, execution.left) == ("", [])


class Kernel:
    """A kernel that a page without a browser talks to."""

    def __init__(self, manager: KernelManager) -> None:
        self._client = manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=60)

    def run(self, source: str) -> list[Any]:
        """Run a cell and return its messages."""
        request = self._client.execute(source)
        return list(self._until_idle(request))

    def send(self, comm: str, content: dict[str, object]) -> Any:
        """Send what the page sends, and return the custom message that comes back."""
        data = {"method": "custom", "content": content}
        message = self._client.session.msg("comm_msg", {"comm_id": comm, "data": data})
        self._client.shell_channel.send(message)
        answers = [
            m["content"]["data"] for m in self._until_idle(message["header"]["msg_id"]) if m["msg_type"] == "comm_msg"
        ]
        return next(data["content"] for data in answers if data["method"] == "custom")

    def close(self) -> None:
        self._client.stop_channels()

    def _until_idle(self, request: str) -> Any:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            message = self._client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return
            yield message
        raise AssertionError("the kernel does not answer")


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for variable, value in kernels.surroundings(tmp_path, tmp_path).items():
        monkeypatch.setenv(variable, value)
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(tmp_path))
    opened = Kernel(manager)
    yield opened
    opened.close()
    manager.shutdown_kernel(now=True)


def test_a_question_of_the_page_gets_its_answer(kernel: Kernel) -> None:
    kernel.run(_CELLS[0])
    messages = kernel.run(_CELLS[1])
    opened = [m["content"] for m in messages if m["msg_type"] == "comm_open"]
    (widget,) = [c for c in opened if "_esm" in c["data"]["state"]]
    assert widget["data"]["state"]["parts"]["overview"]["turns"] == 1
    reply = kernel.send(widget["comm_id"], {"kind": "recall", "number": 3, "text": "Who keeps bees?", "budget": ""})
    assert reply["number"] == 3
    assert "I keep <b>bees</b> in Porto." in reply["found"]["text"]  # the page makes text of it
    assert "no question" in kernel.send(widget["comm_id"], {"kind": "recall", "number": 4, "text": ""})["problem"]
    kernel.run("memory.close()")
    assert "closed" in kernel.send(widget["comm_id"], {"kind": "facts", "number": 5, "text": ""})["problem"]
