"""A real HTTP server on this machine, whose answers a test writes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server sends: a JSON value or raw bytes."""

    body: Any
    status: int = 200
    hang: bool = False
    content_type: str = "application/json"

    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Endpoint:
    """The server's address, what it was asked, and how it answers."""

    url: str
    answer: Callable[[dict[str, Any]], Reply]
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Reply]) -> Iterator[Endpoint]:
    endpoint = Endpoint("", answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.asked.append(asked)
            endpoint.headers.append({k.lower(): v for k, v in self.headers.items()})
            endpoint.paths.append(self.path)
            reply = endpoint.answer(asked)
            if reply.hang:
                endpoint.over.wait(30)
                self.close_connection = True
                return
            raw = reply.raw()
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(raw)))
            self.send_header("Connection", "close")  # a client that a test lets go keeps no socket for the collector
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def embedding_reply(vectors: list[list[float]]) -> Reply:
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    return Reply({"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})


def chat_reply(text: str | None, *, finish: str = "stop", **message: object) -> Reply:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return Reply(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    )


def error_reply(status: int, message: str, *, param: str | None = None, code: str | None = None) -> Reply:
    return Reply({"error": {"message": message, "param": param, "code": code, "type": "x"}}, status=status)
