"""Attacks on paced-web: mutated requests of strangers and watchers, and clients that read nothing or stop in a body."""

import contextlib
import pathlib
import socket
import threading
import time

from attacks import attack
from harness.paced_web import PacedWeb
from harness.timing import expect, wait_for

HEADS = [
    "GET / HTTP/1.1",
    "GET /live.js HTTP/1.1",
    "GET /..%2f..%2fetc/passwd HTTP/1.1",
    "GET /api/token HTTP/1.1",
    "GET /api/activities?limit=5&since=2026-01-01 HTTP/1.1",
    "GET /api/activities/1 HTTP/1.1",
    "GET /api/activities/1/file?format=gpx&hide=0 HTTP/1.1",
    "GET /api/places/search?text=bakery HTTP/1.1",
    "GET /api/tiles/1/0/0 HTTP/1.1",
    "GET /metrics HTTP/1.1",
    "POST /api/stream HTTP/1.1",
    "POST /api/courses?file=way.gpx&load=1 HTTP/1.1",
    "POST /api/token HTTP/1.1",
    "POST /api HTTP/1.1",
]
BODIES = [
    '{"jsonrpc":"2.0","id":1,"method":"status"}',
    '{"jsonrpc":"2.0","id":1,"method":"run.pause"}',
    '{"jsonrpc":"2.0","id":1,"method":"settings.set","params":{"key":"metric","value":true}}',
    '{"class":"WATCH","classes":["STATE","EVENT"]}',
    '{"code":"00000000000000000000000000"}',
]
HEADERS = [
    "Origin: http://evil.example",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "Accept-Encoding: gzip",
    "If-None-Match: *",
    "Range: bytes=0-1",
    "Content-Length: 9223372036854775807",
    "X-Long: " + "x" * 9000,
]
# The bound of a response to a client that behaves, in seconds.
ANSWER_S = 1


def page_of(arena, daemon):
    return arena.start(PacedWeb(arena.ground.check(arena.directory), daemon))


def expect_service(client):
    """A client that behaves gets its response in time."""
    begun = time.monotonic()
    status = client.get("/api/token").status
    seconds = time.monotonic() - begun
    expect(status == 200, f"a client that behaves got status {status}")
    expect(seconds <= ANSWER_S, f"a client that behaves waited for {seconds:.2f} s (bound: {ANSWER_S})")
    return seconds


@attack
def mutated_page_requests(arena):
    """Requests of HTTP with flipped, missing and inserted bytes: strangers see nothing, and watchers change nothing."""
    daemon = arena.daemon("--demo")
    web = page_of(arena, daemon)
    client = web.client()
    token, chance = web.client("watch").token, arena.random
    settings = daemon.call("settings.get")

    def request(is_stranger):
        body = chance.choice(BODIES)
        lines = [chance.choice(HEADS), "Host: localhost"]
        if not is_stranger:
            lines.append(f"Authorization: Bearer {token}")
        if lines[0].startswith("POST"):
            lines.append(f"Content-Length: {len(body)}")
        lines += chance.sample(HEADERS, chance.choice([0, 0, 1, 3]))
        data = bytearray("\r\n".join([*lines, "", body]).encode())
        for _ in range(chance.randrange(5)):
            place = chance.randrange(len(data))
            match chance.randrange(3):
                case 0:
                    data[place] = chance.randrange(256)
                case 1:
                    del data[place : place + chance.randrange(1, 9)]
                case 2:
                    data[place:place] = chance.randbytes(chance.randrange(1, 9))
        return bytes(data)

    def response(data):
        """The first part of the response; empty if the request is incomplete, or its connection was closed."""
        with web.connect(timeout=5) as connection:
            try:
                connection.sendall(data)
                connection.settimeout(0.1)
                return connection.recv(65536)
            except (ConnectionError, TimeoutError):
                return b""

    with arena.holds(daemon):
        before = web.kernel_status("RssAnon")
        count, answered, end = 0, 0, time.monotonic() + 8
        while time.monotonic() < end:
            is_stranger = chance.random() < 0.5
            data = request(is_stranger)
            text = response(data)
            expect(not text or text.startswith(b"HTTP/1.1 "), f"{text[:60]} is no response")
            shown = [word for word in (b'"class":"', b'"result":', b'"latitude":') if word in text]
            expect(not is_stranger or not shown, f"a stranger got {text[-200:]} for {data[:300]}")
            count, answered = count + 1, answered + bool(text)
        seconds = expect_service(client)
        grown = (web.kernel_status("RssAnon") - before) / 1024
        expect(grown <= 8, f"paced-web has grown by {grown:.1f} MiB")
        arena.note(f"{count} requests, {answered} responses, then one after {1000 * seconds:.0f} ms, {grown:+.1f} MiB")
    expect(daemon.status()["run"] == "active", "a watcher has changed the run")
    expect(daemon.call("settings.get") == settings, "a watcher has changed a setting")
    expect(web.process.poll() is None, f"paced-web has ended: {web.log_text()[-300:]}")


@attack
def page_readers_that_do_not_read(arena):
    """Sixteen streams that are not read, 500 silent connections and 200 aborted uploads beside a client that behaves."""
    daemon = arena.daemon("--demo")
    web = page_of(arena, daemon)
    client = web.client()
    readers = [client, *(web.client("watch") for _ in range(3))]
    heads = [f"Host: localhost\r\nAuthorization: Bearer {reader.token}\r\n" for reader in readers]
    upload = f"POST /api/activities?file=ride.fit HTTP/1.1\r\n{heads[0]}Content-Length: 60000000\r\n\r\n"
    held = []
    with arena.holds(daemon):
        expect_service(client)
        before = web.descriptors()
        for number in range(516):
            connection = web.connect(timeout=5)
            if number < 16:
                connection.sendall(f"POST /api/stream HTTP/1.1\r\n{heads[number % 4]}\r\n".encode())
            held.append(connection)
        slowest = 0
        for _ in range(200):
            with web.connect(timeout=5) as connection:
                # paced-web may close the connection to make room for another client.
                with contextlib.suppress(ConnectionError):
                    connection.sendall(upload.encode() + arena.random.randbytes(arena.random.randrange(1, 50_000)))
            slowest = max(slowest, expect_service(client))
        anonymous = web.kernel_status("RssAnon") / 1024
        expect(anonymous <= 10, f"paced-web uses {anonymous:.1f} MiB of anonymous memory (bound: 10)")
        for connection in held:
            connection.close()
        wait_for(lambda: web.descriptors() <= before + 2, 45, "closed descriptors")
        arena.note(f"the slowest response {1000 * slowest:.0f} ms, {anonymous:.1f} MiB")


@attack
def greedy_watchers(arena):
    """Watch tokens hold streams, requests and reports, also of clients that have gone, beside a token that may command."""
    daemon = arena.daemon("--demo")
    web = page_of(arena, daemon)
    owner = web.client()
    watchers = [web.client("watch") for _ in range(3)]
    done = threading.Event()

    def take(watcher):
        with contextlib.ExitStack() as held:
            while not done.is_set():
                with contextlib.suppress(OSError):
                    connection = web.connect(timeout=5)
                    path = arena.random.choice(["/api/stream", "/api/activities/1/report", "/api/activities/1/file?format=csv"])
                    method = "POST" if path == "/api/stream" else "GET"
                    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
                                       f"Authorization: Bearer {watcher.token}\r\n\r\n".encode())
                    if arena.random.random() < 0.5:
                        held.enter_context(connection)
                    else:
                        connection.close()
                done.wait(0.005)

    threads = [threading.Thread(target=take, args=[watcher]) for watcher in watchers]
    with arena.holds(daemon):
        for thread in threads:
            thread.start()
        try:
            commands, slowest, end = 0, 0, time.monotonic() + 6
            while time.monotonic() < end:
                begun = time.monotonic()
                answer = owner.post("/api", {"jsonrpc": "2.0", "id": 1, "method": "settings.set",
                                             "params": {"key": "metric", "value": bool(commands % 2)}})
                expect(answer.status == 200, f"a command got status {answer.status} after {commands} others: {answer.body}")
                slowest, commands = max(slowest, time.monotonic() - begun), commands + 1
            stream = owner.stream()
            expect(stream.status == 200, f"a stream of the owner got status {stream.status}")
            stream.end()
            expect(owner.get("/api/activities").status == 200, "the owner cannot read the list of activities")
        finally:
            done.set()
            for thread in threads:
                thread.join()
        expect(slowest <= ANSWER_S, f"a command waited for {slowest:.2f} s (bound: {ANSWER_S})")
        arena.note(f"{commands} commands, the slowest took {1000 * slowest:.0f} ms")


@attack
def strangers_beside_a_download(arena):
    """Three hundred silent connections of strangers, and heads that servers read differently, beside a slow download."""
    daemon = arena.daemon("--demo")
    web = page_of(arena, daemon)
    client = web.client()
    ride = pathlib.Path(__file__).resolve().parents[1] / "Data/fit/run-fenix2-9km.fit"
    expect(client.post("/api/activities?file=run.fit", ride.read_bytes()).status == 200, "the import failed")
    number = max(one["id"] for one in client.get("/api/activities").lines())
    path = f"/api/activities/{number}/file?format=gpx"
    size = len(client.get(path).body)
    with arena.holds(daemon), contextlib.ExitStack() as strangers, socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", web.port))
        slow.settimeout(30)
        slow.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     f"Authorization: Bearer {client.token}\r\n\r\n".encode())
        received, count = slow.recv(1000), 0
        while part := slow.recv(20_000):
            received += part
            for _ in range(10 if count < 300 else 0):
                one = strangers.enter_context(web.connect(timeout=5))
                if arena.random.random() < 0.3:
                    one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\nTransfer-Encoding: chunked\r\n\r\n")
                count += 1
        got = len(received.split(b"\r\n\r\n", 1)[1])
        expect(got == size, f"the download ended after {got} of {size} bytes")
        expect_service(client)
        arena.note(f"{size} bytes beside {count} strangers")


@attack
def revocations_on_a_full_disk(arena):
    """Tokens are revoked while their list cannot be written: each revocation is reported, and none comes back."""
    daemon = arena.daemon("--demo")
    web = page_of(arena, daemon)
    clients = [web.client() for _ in range(8)]
    obstacle = web.state / "tokens.json.new"
    for number, client in enumerate(clients[:6], 1):
        isBlocked = arena.random.random() < 0.7
        if isBlocked:
            obstacle.mkdir()
        error = web.admin.call("web.revoke", id=number)
        if isBlocked:
            expect(error.get("code") == -32603, f"a revocation that was not stored got {error}")
            obstacle.rmdir()
        expect(client.get("/api/token").status == 401, "a revoked token is accepted")
    web.restart()
    kept = [client.get("/api/token").status for client in clients]
    expect(kept == [401] * 6 + [200] * 2, f"after a restart: {kept}")
    arena.note("6 revocations, none lost")
