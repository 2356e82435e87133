"""Uploads on control.sock, as docs/protocol.md describes them."""

import base64
import json
import socket

from harness.timing import GUARD

HEADER = {"format": "paced-activity", "version": 1}


class Client:
    """A connection to control.sock that stays open."""

    def __init__(self, paced, timeout=GUARD):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(str(paced.runtime / "control.sock"))
        self.lines = self.socket.makefile("rb")
        self.id = 0

    def send(self, method, **params):
        self.id += 1
        line = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        self.socket.sendall(json.dumps(line).encode() + b"\n")

    def receive(self):
        answer = json.loads(self.lines.readline())
        return answer["result"] if "result" in answer else answer["error"]

    def call(self, method, **params):
        self.send(method, **params)
        return self.receive()

    def append(self, data):
        return self.call("upload.append", data=base64.b64encode(data).decode())

    def upload(self, data):
        """The result of upload.commit, or the first error."""
        answer = self.call("upload.begin", kind="activity")
        while data and "code" not in answer:
            answer, data = self.append(data[:46080]), data[46080:]
        return self.call("upload.commit") if "code" not in answer else answer

    def close(self):
        self.lines.close()
        self.socket.close()


def sample(second, **fields):
    return {"row": "sample", "at_ms": second * 1000, "elapsed_ms": second * 1000, "latitude": 52.5 + second * 2e-5,
            "longitude": 13.4, "distance_m": second * 2.5, "bpm": 120 + second % 60} | fields


def lines(seconds=60, rows=None, **fields):
    """The objects of an upload: a run, or these rows."""
    if rows is None:
        rows = [{"row": "begin", "at_ms": 0, "trigger": "command"}, *map(sample, range(seconds)),
                {"row": "end", "at_ms": seconds * 1000, "trigger": "command"}]
    total = {"elapsed_ms": seconds * 1000, "moving_ms": seconds * 1000, "distance_m": seconds * 2.5}
    lap = {"row": "lap-totals", "began_ms": 0, "ended_ms": seconds * 1000} | total
    return [HEADER, *rows, lap,
            {"row": "activity", "rows": len(rows), "sport": "run", "started_utc_ms": 1_767_225_600_000,
             "total_ms": seconds * 1000} | total | fields]


def data(objects):
    return b"".join(json.dumps(line).encode() + b"\n" for line in objects)
