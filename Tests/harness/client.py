"""Clients of the sockets: state.sock, a JSON line for each message, and control.sock and sensor.sock, JSON-RPC."""

import json
import select
import selectors
import socket
import threading
import time

from harness.timing import FACTOR, GUARD, Failed, boot_ms, real_seconds, wait_for


def connect(path, seconds=60, timeout=None):
    """A connection to a Unix socket, retried for `seconds`; operations time out after `timeout`."""
    end = real_seconds() + seconds
    while True:
        client = socket.socket(socket.AF_UNIX)
        try:
            # Waits while the backlog is full.
            client.connect(str(path))
            client.settimeout(timeout)
            return client
        except (FileNotFoundError, ConnectionRefusedError):
            client.close()
            if real_seconds() >= end:
                raise
            time.sleep(0.02)
        except BaseException:
            client.close()
            raise


class Line(dict):
    """One line of state.sock: its members, its bytes, and when it was received in ms of the boot clock."""

    def __init__(self, text, at):
        super().__init__(json.loads(text))
        self.text = text
        self.at = at


class StateClient:
    """A client of state.sock. It reads in `receive`, so in `wait` and `watch` too, or, after `follow`, in a thread."""

    def __init__(self, path, watch=None):
        """`watch`: the members of the WATCH line that it sends first; None sends no line."""
        self.path, self.request = path, watch
        self.socket = self.thread = None
        self.lines = []

    def open(self):
        """Connects; lines of an earlier connection are forgotten."""
        self.lines, self.rest, self.is_over = [], b"", False
        self.arrived = threading.Condition()
        self.resumed = threading.Event()
        self.resumed.set()
        self.socket = self.connect()
        if self.request:
            self.send(json.dumps({"class": "WATCH"} | self.request, separators=(",", ":")))
        return self

    def connect(self):
        return connect(self.path)

    def follow(self):
        """Starts reading in a thread."""
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over:
            self.resumed.wait()
            self.read()

    def read(self):
        """Waits for bytes, and appends the lines that they complete."""
        try:
            data = self.socket.recv(65536)
        except OSError:
            data = b""
        at = boot_ms()
        *texts, self.rest = (self.rest + data).split(b"\n")
        lines = [Line(text + b"\n", at) for text in texts]
        with self.arrived:
            self.lines += lines
            self.is_over = not data
            self.arrived.notify_all()
        for line in lines:
            self.received(line)
        if self.is_over:
            self.stream_ended()

    def received(self, line):
        """Called with each line, for subclasses."""

    def stream_ended(self):
        """Called at the end of the stream, for subclasses that treat it as a failure."""

    def receive(self, seconds, seen=None):
        """Returns when there are more than `seen` lines, by default more than now, or after `seconds`."""
        seen = len(self.lines) if seen is None else seen
        if self.thread:
            with self.arrived:
                self.arrived.wait_for(lambda: len(self.lines) > seen or self.is_over, max(seconds, 0))
        elif not self.is_over and select.select([self.socket], [], [], max(seconds, 0))[0]:
            self.read()

    def wait(self, what, condition, seconds, since=0):
        """The first line that meets the condition, starting with number `since`. The seconds are real."""
        end = real_seconds() + seconds
        seen = since
        while True:
            count = len(self.lines)
            for line in self.lines[seen:count]:
                if condition(line):
                    return line
            seen = count
            left = end - real_seconds()
            if left <= 0 or self.is_over and len(self.lines) == count:
                ending = "before the stream ended" if self.is_over else f"within {seconds} s"
                raise Failed(f"{ending} there was not: {what}{self.situation()}")
            self.receive(left * FACTOR, count)

    def situation(self):
        """Additional text for the failure of a wait."""
        return ""

    def watch(self, seconds):
        """Receives for a time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.is_over:
            self.receive(left)

    def first(self, name, seconds=60, **fields):
        """Waits for the first line of a class with these fields."""
        def matches(line):
            return line["class"] == name and all(line.get(key) == value for key, value in fields.items())
        return self.wait(f"{name} {fields}", matches, seconds)

    def punctuality(self, count):
        """The next states, and how many seconds after its tick the latest of them came: for `expect_within`."""
        begun = len(self.of("STATE"))
        wait_for(lambda: len(self.of("STATE")) >= begun + count, 60, f"{count} states")
        states = self.of("STATE")[begun:]
        return states, max(state.at - state["boot_ms"] for state in states) / 1000

    def of(self, name):
        return [line for line in list(self.lines) if line["class"] == name]

    def send(self, text):
        """Sends a line, as text or as bytes."""
        self.socket.sendall((text if isinstance(text, bytes) else text.encode()) + b"\n")

    def pause(self):
        """Ends the thread after its next read."""
        self.resumed.clear()

    def resume(self):
        self.resumed.set()

    def end(self):
        if self.socket is None:
            return
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.resumed.set()
        if self.thread:
            self.thread.join(5)
        self.socket.close()


class SubscriberPool:
    """Many subscribers of state.sock that read in one thread; for each, the numbers of its STATE lines of a run.

    A state of an idle daemon may be conflated if it comes soon after a change, so those do not count.
    """

    def __init__(self, path, count):
        self.selector = selectors.DefaultSelector()
        self.sequences = [[] for _ in range(count)]
        self.others = [[] for _ in range(count)]
        self.rests = [b""] * count
        for index in range(count):
            client = connect(path)
            client.setblocking(False)
            self.selector.register(client, selectors.EVENT_READ, index)
        self.is_running = True
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while self.is_running:
            for key, _ in self.selector.select(0.1):
                *lines, self.rests[key.data] = (self.rests[key.data] + key.fileobj.recv(65536)).split(b"\n")
                for line in lines:
                    value = json.loads(line)
                    if value["class"] == "STATE" and value["run"] != "active":
                        continue
                    if value["class"] == "STATE":
                        self.sequences[key.data].append(value["seq"])
                    else:
                        self.others[key.data].append(value["class"])

    def end(self):
        self.is_running = False
        self.thread.join(5)
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()


class ControlClient:
    """Sends requests to control.sock, each batch over a new connection."""

    def __init__(self, path, timeout=GUARD):
        """`timeout`: the seconds that one operation on the connection may last."""
        self.path, self.timeout = path, timeout

    def ask(self, *lines):
        """Sends lines and shuts down its side; returns the response lines, as bytes."""
        with connect(self.path, timeout=self.timeout) as control:
            control.sendall(b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines))
            control.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: control.recv(65536), b"")).splitlines()

    def call(self, method, **parameters):
        """The result of one method, or its error object."""
        answer, = self.ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}))
        answer = json.loads(answer)
        assert answer["jsonrpc"] == "2.0" and answer["id"] == 1
        return answer["result"] if "result" in answer else answer["error"]

    def result(self, method, **parameters):
        """The result of one method; Failed if it has none."""
        answer = self.call(method, **parameters)
        if isinstance(answer, dict) and {"code", "message"} <= answer.keys():
            raise Failed(f"{method}: {answer}")
        return answer


class Door:
    """A client of sensor.sock."""

    def __init__(self, daemon):
        self.socket = connect(daemon.runtime / "sensor.sock", timeout=GUARD)
        self.lines = self.socket.makefile("rb")

    def send(self, text):
        self.socket.sendall(text.encode() + b"\n")
        return json.loads(self.lines.readline())

    def call(self, method, **parameters):
        reply = self.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}))
        return reply.get("error") or reply["result"]

    def announce(self, sensor, *kinds, **more):
        return self.call("sensor.announce", id=sensor, kinds=list(kinds), **more)

    def measure(self, sensor, kind, **values):
        return self.call("sensor.measure", id=sensor, kind=kind, **values)

    def end(self):
        self.lines.close()
        self.socket.close()
