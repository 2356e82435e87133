"""Hostile clients: they come in crowds, disconnect in the middle, do not read, or write without end."""

import json
import socket
import time

from attacks import attack
from harness.timing import expect, wait_for

EVERYTHING = b'{"class":"WATCH","classes":["STATE","EVENT","HEART","FIX","SETTINGS"],"since":0}\n'


def request(method, number=1, **parameters):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}).encode() + b"\n"


def pour(client, data):
    """Writes without blocking; returns whether the connection is still open."""
    client.setblocking(False)
    try:
        client.send(data)
    except BlockingIOError:
        pass
    except OSError:
        return False
    return True


@attack
def pipelined_requests(arena):
    """100,000 requests on eight connections without waiting for responses: each is answered, in order."""
    daemon = arena.daemon("--demo")
    lines = [request("settings.get", number, key="metric") for number in range(12_500)]

    def write(client):
        client.sendall(b"".join(lines))

    with arena.holds(daemon):
        begun = time.monotonic()
        clients = [daemon.connect("control.sock", 30) for _ in range(8)]
        for client in clients:
            arena.thread(write, client)
        for client in clients:
            with client.makefile("rb") as stream:
                for number in range(len(lines)):
                    answer = json.loads(stream.readline())
                    expect(answer == {"jsonrpc": "2.0", "id": number, "result": False}, f"answer {number} is {answer}")
            client.close()
        arena.note(f"{8 * len(lines) / (time.monotonic() - begun):.0f} answers a second")


@attack
def connection_storm(arena):
    """Connections that open and close as fast as they can, some with half a line, for three seconds."""
    daemon = arena.daemon("--demo")
    count = 0
    with arena.holds(daemon):
        end = time.monotonic() + 3
        while time.monotonic() < end:
            for name in ("state.sock", "control.sock"):
                client = daemon.connect(name)
                match arena.random.randrange(3):
                    case 0:
                        pour(client, b'{"class":"WAT' if name == "state.sock" else b'{"jsonrpc":"2.')
                    case 1:
                        pour(client, EVERYTHING if name == "state.sock" else request("status") * 20)
                client.close()
                count += 1
        arena.note(f"{count} connections")


@attack
def clients_that_never_read(arena):
    """100 clients that subscribe to all lines and 12 that send requests without end, and read nothing."""
    daemon = arena.daemon("--demo")
    with arena.holds(daemon):
        states = [daemon.connect("state.sock") for _ in range(100)]
        controls = [daemon.connect("control.sock") for _ in range(12)]
        for client in states:
            pour(client, EVERYTHING)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            for client in controls:
                pour(client, request("rpc.discover") * 50)
            for client in states:
                pour(client, EVERYTHING)
            time.sleep(0.01)
        for client in states + controls:
            client.close()


@attack
def slow_clients(arena):
    """Clients that write and read one byte at a time, and still get complete responses."""
    daemon = arena.daemon("--demo")
    with arena.holds(daemon):
        controls = [daemon.connect("control.sock") for _ in range(12)]
        states = [daemon.connect("state.sock") for _ in range(60)]
        for byte in request("status", 7):
            for client in controls:
                client.sendall(bytes([byte]))
            for client in states:
                client.recv(1)
            time.sleep(0.01)
        for client in controls:
            answer = b""
            while not answer.endswith(b"\n"):
                answer += client.recv(1)
            expect(json.loads(answer)["id"] == 7, f"the answer is {answer[:100]}")
        end = time.monotonic() + 2
        while time.monotonic() < end:
            for client in states:
                client.recv(1)
            time.sleep(0.02)
        for client in states + controls:
            client.close()


@attack
def requests_cut_short(arena):
    """Requests that end in the middle, by a close, by a half-close, or by silence."""
    daemon = arena.daemon("--demo")
    whole = request("run.pause")
    with arena.holds(daemon):
        open_ended = []
        for _ in range(600):
            client = daemon.connect("control.sock")
            client.sendall(whole[: arena.random.randrange(1, len(whole) - 1)])
            match arena.random.randrange(3):
                case 0:
                    client.close()
                case 1:
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(4096):
                        pass
                    client.close()
                case 2:
                    open_ended.append(client)
            for client in open_ended[: max(0, len(open_ended) - 8)]:
                client.close()
                open_ended.remove(client)
        expect(daemon.status()["run"] == "active", "a request that was cut short was carried out")
        for client in open_ended:
            client.close()


@attack
def crowd_at_the_limit(arena):
    """400 connections of one user: those over the limit get an error, and an earlier client is served."""
    daemon = arena.daemon("--demo")
    with arena.holds(daemon):
        states = [daemon.connect("state.sock") for _ in range(300)]
        refused = 0
        for client in states:
            with client.makefile("rb") as stream:
                refused += json.loads(stream.readline())["class"] == "ERROR"
        # The default is 128 for each user; the observer is one of them.
        expect(refused == 300 - 127, f"{refused} of 300 clients were refused")
        controls = [daemon.connect("control.sock") for _ in range(100)]
        answers = []
        for client in controls[20:]:
            with client.makefile("rb") as stream:
                answers.append(json.loads(stream.readline())["error"]["code"])
        expect(set(answers) == {-32002}, f"clients over the limit got {set(answers)}")
        for client in states + controls:
            client.close()
        wait_for(lambda: "run" in daemon.status(), 5, "an answer after they left")


@attack
def watch_abuse(arena):
    """WATCH lines without end: all retained events each time, every invalid value, and lines over their limit."""
    daemon = arena.daemon("--demo")
    wrong = [
        {"classes": ["NONE"]},
        {"classes": "STATE"},
        {"classes": [1] * 100},
        {"interval_ms": 0},
        {"interval_ms": 150},
        {"interval_ms": 1e308},
        {"interval_ms": -100},
        {"interval_ms": "100"},
        {"since": -1},
        {"since": 2**63},
        {"since": 1.5},
        {"since": None},
        {"class": "STATE"},
    ]
    good = [
        {"since": 0},
        {"since": 2**53 - 1},
        {"interval_ms": 60000},
        {"classes": []},
        {"classes": ["EVENT"], "since": 0},
    ]
    with arena.holds(daemon):
        with daemon.connect("state.sock", 10) as client, client.makefile("rb") as stream:
            for fields in wrong:
                client.sendall(json.dumps({"class": "WATCH"} | fields).encode() + b"\n")
                while (line := json.loads(stream.readline()))["class"] not in ("ERROR", "WATCH"):
                    pass
                expect(line["class"] == "ERROR", f"{fields} was accepted: {line}")
            client.sendall(b'{"class":"WATCH","x":"' + b"x" * 5000 + b'"}\n')
            while json.loads(stream.readline())["class"] != "ERROR":
                pass
        clients = [daemon.connect("state.sock") for _ in range(20)]
        end = time.monotonic() + 3
        while time.monotonic() < end:
            for client in clients:
                fields = arena.random.choice(good + wrong)
                alive = pour(client, (json.dumps({"class": "WATCH"} | fields).encode() + b"\n") * 20)
                expect(alive, "a client was closed for its WATCH lines while it reads")
                try:
                    client.recv(1 << 20)
                except BlockingIOError:
                    pass
        for client in clients:
            client.close()


@attack
def hostile_publishers(arena):
    """24 clients of publish.sock: floods, lines of 10 MiB, deep JSON, wrong types, 100 topics, and none reads."""
    daemon = arena.daemon("--demo")

    def publish(topic, data):
        return request("topic.publish", topic=topic, data=data)

    acts = [
        lambda: publish("x-flood", {"n": arena.random.randrange(1000)}) * 50,
        lambda: publish(f"x-{arena.random.randrange(100)}", {"text": "x" * 32_000}),
        lambda: request("notice", topic=f"x-{arena.random.randrange(100)}", key="k", text="t") * 50,
        lambda: request("topic.retract", topic="x-flood") * 50,
        lambda: publish(arena.random.choice([7, None, "weather", "x-A"]), [{}]) * 50,
        lambda: b'{"jsonrpc":"2.0","id":1,"method":"topic.publish","params":{"topic":"x-deep","data":' + b"[" * 30_000 + b"\n",
        lambda: b"x" * 10_485_760,
        lambda: arena.random.randbytes(3000) + b"\n",
    ]
    with arena.holds(daemon):
        watcher = daemon.connect("state.sock")
        watcher.sendall(b'{"class":"WATCH","classes":[],"topics":["x-flood"]}\n')
        clients = [daemon.connect("publish.sock") for _ in range(24)]
        begun = time.monotonic()
        while time.monotonic() < begun + 4:
            for index, client in enumerate(clients):
                pour(client, acts[index % len(acts)]())
            time.sleep(0.01)
        seconds = time.monotonic() - begun
        watcher.settimeout(0.5)
        received = b""
        try:
            while data := watcher.recv(65536):
                received += data
        except TimeoutError:
            pass
        count = sum(b'"data":{' in line for line in received.splitlines() if line.startswith(b'{"class":"DATA"'))
        expect(count <= 2 * (seconds + 2), f"{count} DATA in {seconds:.0f} s")
        arena.note(f"{count} DATA")
        for client in [*clients, watcher]:
            client.close()
