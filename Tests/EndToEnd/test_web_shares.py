"""paced-web: nobody takes what others need, and what has ended leaves nothing behind."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess

import pytest

from harness.faults import fault_library
from harness.paced_web import PacedWeb, WebClient
from harness.process import PROGRAMS, ROOT
from harness.timing import wait_for

RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"
SHARE = 6


@contextlib.contextmanager
def stopped(process):
    """A process that does not run."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def ask(web, client, body=b'{"jsonrpc":"2.0","id":1,"method":"status"}'):
    """A connection with a request to which nothing was received yet."""
    connection = web.connect()
    connection.sendall((f"POST /api HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {client.token}\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n").encode() + body)
    return connection


def status(connection):
    return int(connection.recv(65536).split()[1])


def test_forty_requests_of_a_watch_token_leave_places_for_commands(web):
    watch, control = web.client("watch"), web.client()
    with stopped(web.daemon.process):
        watching = [ask(web, watch) for _ in range(40)]
        # The requests beyond the share are refused at once, and the others wait for paced.
        refused = [status(connection) for connection in watching[SHARE:]]
        commands = [ask(web, control, b'{"jsonrpc":"2.0","id":1,"method":"run.lap"}') for _ in range(4)]
    assert refused == [503] * 34
    assert [status(connection) for connection in watching[:SHARE] + commands] == [200] * 10
    for connection in watching + commands:
        connection.close()


def test_streams_of_watch_tokens_leave_places_for_control_tokens(web):
    streams = [client.stream() for client in (web.client("watch") for _ in range(3)) for _ in range(SHARE + 1)]
    assert [stream.status for stream in streams] == [*[200] * 6, 503, *[200] * 6, 503, *[503] * 7]
    assert web.client().stream().status == 200


def test_requests_of_clients_that_have_gone_leave_their_places(web):
    client = web.client("watch")

    def accepted():
        """A request that waits for paced; None if it was refused."""
        one = ask(web, client)
        # The server has it before these: a refusal would be here.
        for _ in range(2):
            assert client.get("/api/token").status == 200
        if not select.select([one], [], [], 0)[0]:
            return one
        assert status(one) == 503
        one.close()
        return None

    with stopped(web.daemon.process):
        gone = [ask(web, client) for _ in range(SHARE)]
        assert status(ask(web, client)) == 503
        for one in gone:
            one.close()
        # No line of paced tells the server that they have gone.
        late = wait_for(accepted, 60, "a place that a client has left")
    assert status(late) == 200
    late.close()


def test_page_that_gives_requests_up_gets_the_next_ones(web):
    """A browser closes the connections of requests that it gives up, and opens others at once."""
    client = web.client("watch")

    def asks():
        connection = web.connect()
        connection.sendall(f"GET /api/activities HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {client.token}\r\n\r\n".encode())
        return connection

    for _ in range(5):
        given_up = [asks() for _ in range(SHARE)]
        with stopped(web.process):
            # The server finds the new requests and the ends of the old ones at the same time.
            later = [asks() for _ in range(SHARE)]
            for one in given_up:
                one.close()
        assert [status(one) for one in later] == [200] * SHARE
        for one in later:
            one.close()


def test_streams_of_clients_that_have_gone_leave_their_places(web):
    client = web.client("watch")
    with stopped(web.daemon.process):
        gone = [client.stream() for _ in range(SHARE)]
        assert client.stream().status == 503
        for one in gone:
            one.end()
        wait_for(lambda: client.stream().status == 200, 60, "a place that a client has left")


def test_download_goes_on_beside_silent_strangers(web):
    client = web.client()
    assert client.post("/api/activities?file=run.fit", RUN.read_bytes()).status == 200
    number = max(one["id"] for one in client.get("/api/activities").lines())
    size = len(client.get(f"/api/activities/{number}/file?format=gpx").body)
    assert size > 500_000
    with socket.socket() as slow, contextlib.ExitStack() as strangers:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", web.port))
        slow.sendall(f"GET /api/activities/{number}/file?format=gpx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     f"Authorization: Bearer {client.token}\r\n\r\n".encode())
        received = slow.recv(1000)
        for _ in range(100):
            strangers.enter_context(web.connect())
        assert client.get("/api/token").status == 200
        while part := slow.recv(65536):
            received += part
    assert len(received.split(b"\r\n\r\n", 1)[1]) == size


@pytest.mark.parametrize("head", [
    b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\nHost: localhost\n\n",
    b"GET / HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: y\rZ: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\0\0evil.example\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
    b"POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /api/token HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
])
def test_head_that_a_proxy_may_read_differently_is_refused(web, head):
    with web.connect() as connection:
        connection.sendall(head + b"GET /live.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = b""
        with contextlib.suppress(ConnectionError):
            while part := connection.recv(65536):
                received += part
    # What follows is no request.
    assert {line.split()[1] for line in received.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")} <= {b"400"}, received


def test_usual_head_is_accepted(web):
    with web.connect() as connection:
        connection.sendall(b"GET /live.js HTTP/1.1\r\nHost:localhost\r\nAccept:  */*  \r\nX-Empty:\r\nConnection: close\r\n\r\n")
        assert status(connection) == 200


def test_revocation_that_cannot_be_stored_is_an_error_and_is_stored_later(stage):
    stage.directory.joinpath("step").write_text("0")
    web = stage.start(PacedWeb(
        stage.directory, stage.paced("--demo"), LD_PRELOAD=fault_library("clock"), CLOCK_STEP=str(stage.directory / "step")))
    clients = [web.client() for _ in range(3)]

    def stored():
        return [token["id"] for token in json.loads((web.state / "tokens.json").read_text())["tokens"]]

    # Nothing can be written in the place of the new file.
    obstacle = web.state / "tokens.json.new"
    obstacle.mkdir()
    answer = web.admin.call("web.revoke", id=1)
    assert answer["code"] == -32603
    assert answer["data"]["message"].startswith("the browser is signed out until paced-web ends, but the tokens cannot be stored")
    assert clients[0].get("/api/token").status == 401 and stored() == [1, 2, 3]
    answer = clients[1].request("DELETE", "/api/token")
    assert answer.status == 500 and clients[1].get("/api/token").status == 401
    obstacle.rmdir()
    stage.directory.joinpath("step").write_text("61")
    wait_for(lambda: WebClient(web).get("/live.js").status == 200 and stored() == [3], 60, "the list of those that are left")
    obstacle.mkdir()
    web.admin.call("web.revoke", id=3)
    obstacle.rmdir()
    web.stop()
    assert stored() == []


def test_too_few_descriptors_are_named(tmp_path):
    done = subprocess.run(
        ["bash", "-c", 'ulimit -n 256; exec "$@"', "bash", PROGRAMS / "paced-web", "--runtime-dir", tmp_path, "--state-dir",
         tmp_path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "paced-web may open 256 files and needs 488: run ulimit -n 488" in done.stderr


def test_log_has_no_text_of_a_browser(web):
    client = web.client()
    before = len(web.log_text())
    for method in ["48.137154,11.576124", "run.lap\n<3>forged", "\x1b]0;forged\x07", "x" * 60_000, "run.lap"]:
        assert client.post("/api", {"jsonrpc": "2.0", "id": 1, "method": method}).status in (200, 400)
    log = web.log_text()[before:]
    assert "forged" not in log and "48.137" not in log and "\x1b" not in log and len(log) < 2000
    assert "run.lap by token 1" in log and "an unknown method by token 1" in log
