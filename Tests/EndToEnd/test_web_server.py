"""paced-web: codes and tokens, who may do what, the API, and clients that mean harm."""

import concurrent.futures
import contextlib
import gzip
import http.client
import json
import math
import os
import socket
import sqlite3
import ssl
import stat
import struct
import subprocess
import threading
import time
import zlib

import pytest
from playwright.sync_api import expect

from harness.faults import fault_library
from harness.gtfs import Feed
from harness.paced_web import PacedWeb, WebClient
from harness.process import PACECTL, PROGRAMS, ROOT, Network
from harness.timing import wait_for
from matrix import matrix

RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"
COURSE = ROOT / "Tests/Data/courses/cptr003.gpx"


def demo(stage):
    """A daemon whose run is in the journal, where paced-web reads it."""
    daemon = stage.paced("--demo")
    wait_for(lambda: daemon.call("activities.list"), 60, "the run in the journal")
    return daemon


@pytest.fixture(scope="module")
def shared(long_stage):
    """paced-web beside a run that goes on, for tests that leave both as they are."""
    return long_stage.start(PacedWeb(long_stage.directory, demo(long_stage)))


@pytest.fixture(scope="module")
def client(shared):
    """A client of the shared server that may command."""
    return shared.client()


def pacectl_web(web, *words, status=0):
    done = subprocess.run([PACECTL, "web", *words, "--web-dir", web.runtime], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


# What pacectl changes

def test_groups_of_lines_are_changed_by_who_may_command(stage, web):
    feed = Feed()
    feed.stop("1", "Plaça", (42.5, 1.5))
    for line in ("L1", "L2"):
        feed.line(line, line, "Line")
        feed.trip(f"t{line}", line, ("1", 3600), ("1", 7200))
    maps = stage.directory / "maps"
    subprocess.run([PACECTL, "transit", "import", feed.write(stage.directory / "feed.zip"), "--maps-dir", maps], check=True, timeout=60)
    client, watcher = web.client(), WebClient(web)
    watcher.sign_in(web.watch_code())

    def change(*words, path="groups", by=client):
        return by.post(f"/api/transit/{path}", list(words))

    assert change("add", "Nacht & Tag", "L2", "L1").json()["groups"] == [{"name": "Nacht & Tag", "lines": ["L2", "L1"]}]
    assert change("default", "Nacht & Tag").json()["default"] == {"group": "Nacht & Tag"}
    assert change("rename", "Nacht & Tag", "--force").json()["groups"][0]["name"] == "--force"
    assert client.get("/api/transit/groups").json()["groups"][0]["lines"] == ["L2", "L1"]
    assert [line["line"] for line in change("move", "L2", "1", path="lines").lines()] == ["L2", "L1"]
    assert change("remove", "--force").json().get("groups", []) == []
    refused = change("remove", "Nobody")
    assert refused.status == 422 and "Nobody" in refused.json()["error"]["message"]
    assert change("--output", "x").status == 400 and change(path="lines").status == 400
    assert change("add", "X", "L1", by=watcher).json()["error"]["code"] == "forbidden"
    assert watcher.get("/api/transit/groups").json().get("groups", []) == []


def test_course_is_made_of_an_activity_and_turned_round(web):
    client, watcher = web.client(), WebClient(web)
    watcher.sign_in(web.watch_code())
    client.request("POST", f"/api/activities?file={RUN.name}", RUN.read_bytes())
    activity = next(one["id"] for one in client.get("/api/activities").lines() if not one.get("open"))
    assert watcher.post(f"/api/activities/{activity}/course", None).status == 403
    course = client.post(f"/api/activities/{activity}/course", None).json()
    back = client.post(f"/api/courses/{course['id']}/reverse", None).json()
    assert back["id"] == course["id"] + 1 and back["name"] == f"{course['name']} reversed"
    one, other = (client.get(f"/api/courses/{number}").json()["course"] for number in (course["id"], back["id"]))
    assert abs(one["length_m"] - other["length_m"]) < 1
    assert client.post("/api/courses/99/reverse", None).status == 422
    assert client.post("/api/courses/x/reverse", None).status == 404


def test_photo_of_a_place_is_a_file_beside_the_places(stage, web):
    photos = stage.directory / "maps" / "photos"
    photos.mkdir(parents=True)
    (photos / "park.jpg").write_bytes(b"\xff\xd8picture")
    (photos / "link.jpg").symlink_to("/etc/passwd")
    os.mkfifo(photos / "pipe.jpg")
    (photos / "large.png").write_bytes(bytes((4 << 20) + 1))
    client = web.client()
    answer = client.get("/api/places/photo?name=park.jpg")
    assert answer.body == b"\xff\xd8picture" and answer.headers["Content-Type"] == "image/jpeg"
    assert [client.get(f"/api/places/photo?name={name}").status for name in ("none.jpg", "link.jpg", "pipe.jpg", "large.png")] == [404] * 4
    assert client.get("/api/places/photo?name=../state/journal.png").status == 400
    assert WebClient(web).get("/api/places/photo?name=park.jpg").status == 401


# Codes and tokens

def test_code_signs_in_once(web):
    code = web.watch_code()
    client = WebClient(web)
    client.sign_in(code, "Firefox on Android")
    assert client.get("/api/token").json() == {
        "scope": "watch", "can_command": True, "link": False, "live_only": False, "release": client.get("/api/token").json()["release"]}
    assert WebClient(web).post("/api/token", {"code": code}).status == 401
    listed, = web.admin.result("web.tokens")
    assert (listed["id"], listed["scope"], listed["name"]) == (1, "watch", "Firefox on Android")


def test_code_is_typed_as_people_type(shared):
    code = shared.code()
    typed = code.lower().replace("-", " ").replace("0", "o").replace("1", "l")
    assert WebClient(shared).post("/api/token", {"code": typed}).json()["scope"] == "control"


@pytest.mark.thorough
def test_code_ends_after_two_minutes(stage):
    stage.directory.joinpath("step").write_text("0")
    web = stage.start(PacedWeb(
        stage.directory, stage.paced("--demo"), LD_PRELOAD=fault_library("clock"),
        CLOCK_STEP=str(stage.directory / "step")))
    late, early = web.code(), web.code()
    step(stage, 100)
    assert WebClient(web).post("/api/token", {"code": early}).status == 200
    step(stage, 121)
    assert WebClient(web).post("/api/token", {"code": late}).status == 401


def step(stage, seconds):
    other = stage.directory / "step.new"
    other.write_text(str(seconds))
    other.rename(stage.directory / "step")


@pytest.mark.thorough
def test_token_expires_after_90_days_without_use(stage):
    stage.directory.joinpath("step").write_text("0")
    web = stage.start(PacedWeb(
        stage.directory, stage.paced("--demo"), LD_PRELOAD=fault_library("clock"),
        CLOCK_STEP=str(stage.directory / "step")))
    # An hour later the clock is plausible.
    step(stage, 4000)
    used, unused = web.client(), web.client()
    step(stage, 80 * 86_400)
    assert used.get("/api/token").status == 200
    step(stage, 91 * 86_400)
    assert used.get("/api/token").status == 200
    assert unused.get("/api/token").status == 401


def test_only_hashes_of_tokens_are_stored_and_survive_a_restart(web):
    client = web.client()
    stored = web.state / "tokens.json"
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    assert client.token not in stored.read_text()
    web.restart()
    assert client.get("/api/token").status == 200
    assert web.client().get("/api/token").status == 200
    assert [token["id"] for token in web.admin.result("web.tokens")] == [1, 2]


def test_revoked_token_ends_its_stream_and_is_refused(web):
    client, other = web.client(), web.client("watch")
    stream, kept = client.stream(), other.stream()
    stream.first("STATE")
    assert pacectl_web(web, "revoke", "1") == "1 browser is signed out\n"
    # The stream ends: what was on its way is the last.
    assert [line["class"] for line in stream][-1:] in ([], ["STATE"], ["EVENT"])
    kept.first("STATE")
    assert client.get("/api/token").status == 401
    assert other.get("/api/token").status == 200
    assert pacectl_web(web, "revoke", "1", status=1) == "pacectl: there is no token 1; see 'pacectl web tokens'\n"
    assert pacectl_web(web, "revoke", "all") == "1 browser is signed out\n"
    assert pacectl_web(web, "tokens") == "No browser is signed in; 'pacectl web code' prints a code\n"


@pytest.mark.parametrize("path", matrix(["/api", "/api/stream", "/api/activities?file=a.fit"], "/api"))
def test_token_that_is_revoked_during_a_body_is_refused(web, path):
    client = web.client()
    body = b'{"jsonrpc":"2.0","id":1,"method":"run.pause"}' if path == "/api" else b'{"class":"WATCH"}'
    with web.connect() as half:
        half.sendall((f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {client.token}\r\n"
                      f"Content-Length: {len(body)}\r\n\r\n").encode() + body[:5])
        # The server has the head once it answers a later request.
        assert client.get("/api/token").status == 200
        web.admin.result("web.revoke", id=1)
        # The connection ends at once.
        with contextlib.suppress(ConnectionError):
            half.sendall(body[5:])
            assert half.recv(65536) == b""
    assert web.daemon.call("status")["run"] == "active"


def test_browser_signs_itself_out(shared):
    client = shared.client()
    assert client.request("DELETE", "/api/token").status == 204
    assert client.get("/api/token").status == 401


def test_pacectl_prints_address_code_and_qr_code(shared):
    text = pacectl_web(shared, "code", "--control")
    code = text.split("/#code=")[1].split()[0]
    assert f"http://127.0.0.1:{shared.port}/#code={code}" in text
    assert f"The code {code} lets one browser watch and command." in text and "█" in text
    assert "watch." in pacectl_web(shared, "code").splitlines()[-1]
    WebClient(shared).sign_in(code)


@pytest.mark.parametrize("words, message", [
    (["code", "now"], "unexpected argument 'now'"), ([], "use 'web code"), (["revoke"], "web revoke needs the number of a token"),
    (["revoke", "x"], "web revoke needs the number of a token"), (["tokens", "--control"], "--control is an option of"),
    (["open", "bike.local"], "web open needs a numeric address"), (["open", "--key", "a"], "need each other"),
    (["close", "now"], "unexpected argument 'now'"), (["control"], "web control needs on or off"),
])
def test_wrong_words_of_pacectl_web(shared, words, message):
    assert message in pacectl_web(shared, *words, status=2)


def test_pacectl_web_without_the_service(tmp_path):
    done = subprocess.run([PACECTL, "web", "code", "--web-dir", tmp_path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and "needs paced-web, which is not running" in done.stderr


def test_code_socket_makes_no_control_code(shared):
    answer = shared.codes.call("web.code", control=True)
    assert answer["code"] == -32602
    assert shared.codes.call("web.tokens")["code"] == -32601
    assert shared.codes.call("web.revoke")["code"] == -32601
    assert stat.S_IMODE((shared.runtime / "code.sock").stat().st_mode) == 0o660
    assert stat.S_IMODE((shared.runtime / "admin.sock").stat().st_mode) == 0o660


@pytest.mark.thorough
def test_user_signs_32_browsers_in_at_most(web):
    for _ in range(32):
        web.client("watch")
    answer = WebClient(web).post("/api/token", {"code": web.watch_code()})
    assert (answer.status, answer.code) == (503, "full")
    web.client("control")


def test_damaged_token_file_is_named(stage):
    daemon = stage.paced("--demo")
    web = PacedWeb(stage.directory, daemon)
    web.state.mkdir(mode=0o700)
    (web.state / "tokens.json").write_text('{"version":1,"tokens":[{"id":0}]}')
    stage.keep(web)
    with pytest.raises(AssertionError):
        web.start()
    assert "tokens.json is damaged: remove it" in web.log_text()


# Who may do what

def test_nothing_of_the_api_without_a_token(shared):
    stranger = WebClient(shared)
    for method, path in [("GET", "/api/token"), ("POST", "/api/stream"), ("POST", "/api"), ("GET", "/metrics"),
                         ("GET", "/api/activities"), ("POST", "/api/activities?file=a.fit"), ("GET", "/api/courses")]:
        answer = stranger.request(method, path, b"{}" if method == "POST" else None)
        assert (answer.status, answer.code) == (401, "unauthorized"), path
    stranger.token = "0" * 26
    assert stranger.get("/api/token").status == 401


def test_watch_token_reads_and_does_not_command(shared):
    client = shared.client("watch")
    assert client.call("status")["class"] == "STATE"
    assert client.call("settings.get", key="sport") == "run"
    for method in ["run.stop", "run.discard", "settings.set", "sensor.forget", "activities.delete", "course.load",
                   "weather.at", "route.find", "no.such"]:
        answer = client.post("/api", {"jsonrpc": "2.0", "id": 1, "method": method})
        assert (answer.status, answer.code) == (403, "forbidden"), method
    answer = client.post("/api/activities?file=ride.fit", RUN.read_bytes())
    assert (answer.status, answer.code) == (403, "forbidden")
    assert shared.daemon.call("status")["run"] == "active"


def test_control_token_commands(web):
    client = web.client()
    assert client.call("run.pause")["run"] == "paused"
    assert client.call("run.resume")["run"] == "active"
    assert client.call("run.stop")["sport"] == "run"
    assert client.call("run.stop")["code"] == -32001
    answer = client.post("/api", {"jsonrpc": "2.0", "id": 1, "method": "upload.begin", "params": {"kind": "course"}})
    assert (answer.status, answer.code) == (400, "bad-request")


@pytest.mark.thorough
def test_control_socket_that_is_missing_is_no_missing_permission(stage):
    """The virtual machine has the missing permission: scenario systemd/page."""
    web = stage.start(PacedWeb(stage.directory, demo(stage)))
    client = web.client()
    (web.daemon.runtime / "control.sock").rename(web.daemon.runtime / "hidden.sock")
    assert client.get("/api/token").json()["can_command"] is True
    answer = client.post("/api", {"jsonrpc": "2.0", "id": 1, "method": "status"})
    assert (answer.status, answer.code) == (503, "unreachable")
    # What a member of paced-watch may read is there all the same.
    assert client.get("/api/activities").lines()[0]["open"] is True


def test_foreign_hosts_and_origins_are_refused(shared, client):
    for host in [f"evil.example:{shared.port}", ""]:
        assert client.get("/api/token", Host=host).status in (400, 421), host
        assert client.get("/", Host=host).status in (400, 421), host
    for host in [f"localhost:{shared.port}", socket.gethostname(), socket.gethostname() + ".local"]:
        assert client.get("/api/token", Host=host).status == 200, host
    assert client.get("/api/token", Origin="http://evil.example").status == 403
    assert client.get("/api/token", Origin=shared.url).status == 200
    assert client.get("/api/token", Sec_Fetch_Site="cross-site").status == 403
    # A link of another site may lead to the page.
    assert client.get("/", Sec_Fetch_Site="cross-site").status == 200


@pytest.mark.parametrize("plain, statuses", matrix([
    ("no", {"/api/token": 403, "/api/activities": 403, "/metrics": 403, "/": 200}),
    ("live", {"/api/token": 200, "/api/activities": 403, "/metrics": 403, "/": 200}),
    ("all", {"/api/token": 200, "/api/activities": 200, "/metrics": 200, "/": 200}),
], "live"))
def test_plain_http_of_other_machines(stage, plain, statuses):
    web = stage.start(PacedWeb(
        stage.directory, stage.paced("--demo"), configuration=f"[Web]\nAllowPlain={plain}\n",
        network=stage.start(Network())))
    client = web.client()
    client.host = Network.ADDRESS
    for path, status in statuses.items():
        answer = client.get(path)
        assert answer.status == status, path
        assert status == 200 or answer.code == "plain-http"
    if plain == "live":
        assert client.get("/api/token").json()["live_only"] is True
        assert client.call("run.pause")["run"] == "paused"
        assert client.call("activities.track")["columns"]
        # Events of earlier runs are history.
        refused = client.stream({"since": 0})
        assert refused.status == 403
        stream = client.stream({"since": 0, "this_run": True})
        assert stream.first("EVENT")["event"] == "start"
        stream.end()
        loaded = "/api/courses/loaded/file?format=geojson"
        assert (client.get(loaded).status, client.get("/api/courses/1/file?format=geojson").code) == (422, "plain-http")
        client.host = "127.0.0.1"
        assert client.post("/api/courses?file=way.gpx&load=1", COURSE.read_bytes()).status == 200
        client.host = Network.ADDRESS
        assert "LineString" in {one["geometry"]["type"] for one in client.get(loaded).json()["features"]}
        for method, parameters in [("activities.list", {}), ("activities.track", {"id": 1}), ("settings.set", {})]:
            answer = client.post("/api", {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
            assert (answer.status, answer.code) == (403, "plain-http"), method
    if plain == "no":
        assert client.post("/api/token", {"code": web.code()}).status == 403


@pytest.fixture
def encrypted(stage):
    """paced-web with a certificate, at an address of another machine, and the context of clients that trust it."""
    address = Network.ADDRESS
    chain, key = stage.directory / "chain.pem", stage.directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=bike.example",
         "-addext", f"subjectAltName=DNS:bike.example,IP:{address}", "-keyout", key, "-out", chain],
        check=True, capture_output=True)
    web = stage.start(PacedWeb(
        stage.directory, demo(stage), network=stage.start(Network()),
        configuration=f"[Web]\nNames=bike.example\nCertificate={chain}\nCertificateKey={key}\n"))
    return web, ssl.create_default_context(cafile=str(chain))


def https(web, context):
    connection = http.client.HTTPConnection(Network.ADDRESS)
    connection.sock = context.wrap_socket(web.connect(Network.ADDRESS), server_hostname=Network.ADDRESS)
    return connection


def test_other_machines_use_https_with_a_certificate(encrypted):
    web, context = encrypted
    token = web.client().token
    connection = https(web, context)
    for _ in range(3):
        connection.request("GET", "/api/activities", headers={"Authorization": f"Bearer {token}", "Host": "bike.example"})
        answer = connection.getresponse()
        assert answer.status == 200 and b'"id":1' in answer.read()
    connection.request("POST", "/api/stream", headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    assert json.loads(answer.readline())["class"] == "VERSION"
    connection.close()
    assert web.codes.result("web.code")["urls"][0].startswith(f"https://{Network.ADDRESS}:{web.port}/#code=")


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_and_weak_tls_is_refused(encrypted):
    web, _ = encrypted

    def handshake(most, ciphers="ALL:@SECLEVEL=0"):
        """The version that was agreed on; None if the server refused all."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, most
        context.set_ciphers(ciphers)
        with web.connect(Network.ADDRESS) as connection:
            try:
                with context.wrap_socket(connection, server_hostname=Network.ADDRESS) as secure:
                    return secure.version()
            except (ssl.SSLError, ConnectionResetError):
                return None

    assert handshake(ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    assert handshake(ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    for most in ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1:
        assert handshake(most) is None, most
    # Without forward secrecy, and with padding that leaks.
    for cipher in "AES128-GCM-SHA256", "AES128-SHA", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384":
        assert handshake(ssl.TLSVersion.TLSv1_2, cipher + ":@SECLEVEL=0") is None, cipher


def is_open(connection):
    connection.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while connection.recv(4096):
            pass
        return False
    return True


def client_hello(context):
    """The first record of a client."""
    output = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), output, server_hostname=Network.ADDRESS).do_handshake()
    return output.read()


@pytest.mark.parametrize("size", [
    pytest.param(1, marks=pytest.mark.thorough, id="one-byte"), pytest.param(60, marks=pytest.mark.thorough, id="half"),
    pytest.param(None, id="whole")])
def test_clients_that_stop_in_a_handshake_cost_nothing(encrypted, size):
    web, context = encrypted
    hello = client_hello(context)[:size]
    with contextlib.ExitStack() as stack:
        opened = time.monotonic()
        silent = [stack.enter_context(web.connect(Network.ADDRESS)) for _ in range(20)]
        for one in silent:
            one.sendall(hello)
        before, begun = web.processor_seconds(), time.monotonic()
        connection = stack.enter_context(contextlib.closing(https(web, context)))
        connection.request("GET", "/", headers={"Host": "bike.example"})
        assert connection.getresponse().status == 200
        # They are there meanwhile, for the 10 s that a head may take.
        assert all(is_open(one) for one in silent) or time.monotonic() - opened > 10
        wait_for(lambda: not is_open(silent[0]), 60, "the end of the first one")
        assert web.processor_seconds() - before < 0.1 * (time.monotonic() - begun)


@pytest.mark.parametrize("text, message", [
    ("[Web]\nAllowPlain=yes\n", ":2: AllowPlain must be no, live or all"),
    ("[Web]\nListen=0.0.0.0\n", ":2: there is no key Listen in [Web]; the keys are Names AllowPlain Certificate CertificateKey Tiles"),
    ("[Site]\nNames=a\n", ":2: there is no section [Site]; the sections are [Web]"),
    ("[Web]\nCertificate=/etc/a.pem\n", ": Certificate and CertificateKey need each other"),
    ("[Web]\nNames=a b_c\n", ":2: Names must be host names with blanks between"),
    ("[Web]\nNames=a\nNames=b\n", ":3: Names is already set in line 2"),
])
def test_wrong_configuration(tmp_path, text, message):
    path = tmp_path / "web.conf"
    path.write_text(text)
    done = subprocess.run([PROGRAMS / "paced-web", "--config", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize("words, message", [
    (["--listen", "localhost:80"], "--listen needs a numeric address and a port"),
    (["--listen", "127.0.0.1"], "--listen needs a numeric address and a port"),
    (["--port", "80"], "unknown option --port; paced-web --help lists them"),
    (["--config"], "--config needs a value"), (["--config", "/nonexistent"], "there is no file /nonexistent; give --config another, or leave it away"),
])
def test_wrong_options(words, message):
    done = subprocess.run([PROGRAMS / "paced-web", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and message in done.stderr


def test_start_that_fails_names_the_cause(stage, tmp_path):
    web = stage.start(PacedWeb(stage.directory, stage.paced("--demo")))

    def failure(*options):
        done = subprocess.run(
            [PROGRAMS / "paced-web", "--runtime-dir", tmp_path / "run", "--state-dir", tmp_path / "state",
             "--page-dir", ROOT / "web", "--paced-dir", tmp_path, "--net-dir", tmp_path, *map(str, options)],
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        return done.stderr

    assert f"cannot listen at 127.0.0.1:{web.port}: " in failure("--listen", f"127.0.0.1:{web.port}")
    assert "there are no pages in /nonexistent" in failure("--page-dir", "/nonexistent")
    assert "is in use by paced-web, process" in failure("--runtime-dir", web.runtime)


# The API

def test_stream_has_the_lines_of_the_socket(client):
    stream = client.stream({"classes": ["STATE", "EVENT"], "interval_ms": 1000, "since": 0})
    assert stream.first("VERSION")["program"] == "paced"
    assert stream.first("WATCH")["interval_ms"] == 1000
    assert stream.first("EVENT", event="start")["sport"] == "run"
    states = [stream.first("STATE") for _ in range(3)]
    assert all(state["elapsed_ms"] % 1000 == 0 for state in states[1:])
    stream.end()


def test_stream_ends_with_paced_and_another_begins_when_it_is_back(web):
    client = web.client()
    stream = client.stream()
    stream.first("STATE")
    web.daemon.stop()
    assert list(stream) is not None
    answer = client.post("/api/stream")
    assert (answer.status, answer.code) == (503, "unreachable")
    web.daemon.start()
    client.stream().first("STATE")


@pytest.mark.thorough
def test_sixteen_streams_at_most(web):
    clients = [web.client() for _ in range(4)]
    streams = [client.stream() for client in clients for _ in range(4)]
    for stream in streams:
        stream.first("STATE")
    client = clients[0]
    refused = client.stream()
    assert refused.status == 503
    for stream in streams[:8]:
        stream.end()
    # The server notices the end with the next line.
    wait_for(lambda: client.stream().status == 200, 60, "a stream that another one made room for")


@pytest.mark.thorough
def test_slow_reader_delays_nobody_and_gets_new_lines(web):
    client = web.client()
    slow = client.stream({"classes": ["STATE", "EVENT", "HEART", "FIX"], "blocks": ["fields", "sensors", "lap", "zones"]})
    slow.first("STATE")
    fast = client.stream()
    sequence, moments = [], []
    for line in fast:
        assert line["class"] != "DROPPED"
        if line["class"] == "STATE":
            sequence.append(line["seq"])
            moments.append(time.monotonic())
        if len(sequence) > 150:
            break
    print(f"between two lines of the fast reader: {max(b - a for a, b in zip(moments, moments[1:])):.3f} s at most")
    assert sequence[1:] == list(range(sequence[1], sequence[-1] + 1))
    # What the slow one reads now is not what was published 15 s ago, after what its buffers hold.
    newest = web.daemon.call("status")["seq"]
    seen = 0
    for line in slow:
        seen = max(seen, line.get("seq", 0) if line["class"] == "STATE" else 0)
        if seen >= newest:
            break
    assert seen >= newest


def test_reads_are_those_of_pacectl(stage):
    web = stage.start(PacedWeb(stage.directory, demo(stage)))
    client = web.client("watch")
    listed = client.get("/api/activities?limit=5").lines()
    assert [one["id"] for one in listed] == [1]
    # Formats of lines need a sample.
    wait_for(lambda: web.daemon.call("activities.list")[0]["elapsed_ms"] >= 2000, 60, "two seconds of the run in the journal")
    web.daemon.call("run.stop")
    wait_for(lambda: not web.daemon.call("activities.list")[0]["open"], 60, "the end of the run in the journal")
    shown = client.get("/api/activities/1").json()
    assert shown["summary"]["id"] == 1
    page = client.get("/api/activities/1/report?hide=0")
    assert page.headers["Content-Type"].startswith("text/html") and b"<!doctype html>" in page.body.lower()
    own = subprocess.run([PACECTL, "--state-dir", stage.directory / "state", "report", "1", "--hide", "0"], capture_output=True)
    assert page.body == own.stdout
    for form in ["fit", "gpx", "tcx", "kml", "geojson", "csv"]:
        answer = client.get(f"/api/activities/1/file?format={form}")
        assert answer.status == 200 and len(answer.body) > 100
        assert answer.headers["Content-Disposition"] == f'attachment; filename="activity-1.{form}"'
    # A demo counts in none.
    assert client.get("/api/activities/totals?by=year").lines() == []
    assert client.get("/api/badges").status == 200 and client.get("/api/bests").status == 200
    assert client.get("/api/courses").body == b""


@pytest.mark.parametrize("path, status, message", [
    ("/api/activities?limit=0", 400, "limit must be a number from 1 to 1000"),
    ("/api/activities/99", 422, "activity 99 does not exist"), ("/api/nothing", 404, "no such path"),
    ("/api/places/near?at=52,13", 422, "there are no places in"), ("/api/transit/lines", 422, "there is no timetable in"),
])
def test_wrong_reads_say_what_is_wrong(client, path, status, message):
    answer = client.get(path)
    assert answer.status == status and message in answer.json()["error"]["message"]


@pytest.mark.parametrize("method, path, allowed", [
    ("PUT", "/api/token", "GET, POST, DELETE"), ("POST", "/", "GET, HEAD"),
])
def test_wrong_methods(client, method, path, allowed):
    answer = client.request(method, path, b"")
    assert answer.status == 405 and answer.headers["Allow"] == allowed


@pytest.mark.parametrize("body", [b"", b'{"method":"status"}', b"\xff" * 100])
def test_wrong_calls(client, body):
    answer = client.post("/api", body)
    assert (answer.status, answer.code) == (400, "bad-request")


def test_request_with_line_breaks_is_one_request(client):
    answer = client.post("/api", b'{"jsonrpc": "2.0",\r\n "id": 1,\n "method": "status"}\n')
    assert answer.json()["result"]["class"] == "STATE"


def test_file_is_imported_under_its_name(stage):
    web = stage.start(PacedWeb(stage.directory, demo(stage)))
    client = web.client()
    web.daemon.call("run.stop")
    answer = client.post("/api/activities?file=morning%20ride.fit", RUN.read_bytes())
    assert answer.status == 200, answer.body
    assert answer.json()["message"].startswith("morning ride.fit is activity 2: ")
    assert len(client.get("/api/activities").lines()) == 2
    again = client.post("/api/activities?file=morning%20ride.fit", RUN.read_bytes())
    assert again.status == 422 and "already" in again.json()["error"]["message"], again.body
    assert len(client.get("/api/activities").lines()) == 2
    answer = client.post("/api/activities?file=broken.fit", b"no file")
    assert answer.status == 422 and answer.json()["error"]["message"].startswith("broken.fit")
    assert client.post("/api/activities?file=a%0Ab.fit", b"x").status == 400


def test_course_is_uploaded_and_loaded(client):
    points = "".join(f'<trkpt lat="{52.5 + n / 1000}" lon="13.4"><ele>{30 + n}</ele></trkpt>' for n in range(20))
    course = f'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>'
    answer = client.post("/api/courses?file=hill.gpx&load=1", course.encode())
    assert answer.status == 200, answer.body
    listed, = client.get("/api/courses").lines()
    assert listed["loaded"] is True and listed["length_m"] > 2000
    shape = client.get(f"/api/courses/{listed['id']}/file?format=geojson").json()
    assert shape["type"] == "FeatureCollection"
    assert client.get(f"/api/courses/{listed['id']}").json()


@pytest.mark.thorough
def test_files_in_use_leave_nothing_behind(stage):
    (stage.directory / "tmp").mkdir()
    web = stage.start(PacedWeb(stage.directory, demo(stage), TMPDIR=str(stage.directory / "tmp")))
    client = web.client()
    client.post("/api/activities?file=a.fit", RUN.read_bytes())
    client.post("/api/activities?file=b.fit", b"no file")
    client.get("/api/activities/1/report")
    assert not list((stage.directory / "tmp").iterdir())


def tiles(path, zooms=range(10, 17), form="png"):
    """An MBTiles file with a red tile around 52.5 N 13.4 E at each zoom."""
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE metadata (name text, value text);"
            "CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)")
        database.executemany("INSERT INTO metadata VALUES (?, ?)", [
            ("format", form), ("attribution", '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap</a>')])
        for zoom in zooms:
            x, y = tile_at(52.5, 13.4, zoom)
            for column in range(x - 3, x + 4):
                for row in range(y - 3, y + 4):
                    database.execute(
                        "INSERT INTO tiles VALUES (?, ?, ?, ?)", (zoom, column, 2 ** zoom - 1 - row, red_image()))


def tile_at(latitude, longitude, zoom):
    """Column from the west and row from the north."""
    angle = math.radians(latitude)
    return (int((longitude + 180) / 360 * 2 ** zoom),
            int((1 - math.asinh(math.tan(angle)) / math.pi) / 2 * 2 ** zoom))


def red_image():
    """A PNG of 256 by 256 pixels."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = (b"\0" + b"\xff\0\0" * 256) * 256
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_map_is_a_local_file(stage):
    tiles(stage.directory / "map.mbtiles")
    web = stage.start(PacedWeb(
        stage.directory, stage.paced("--demo"), configuration=f"[Web]\nTiles={stage.directory}/map.mbtiles\n"))
    client = web.client("watch")
    known = client.get("/api/tiles").json()
    assert (known["available"], known["min_zoom"], known["max_zoom"]) == (True, 10, 16)
    x, y = tile_at(52.5, 13.4, 14)
    answer = client.get(f"/api/tiles/14/{x}/{y}")
    assert answer.headers["Content-Type"] == "image/png" and answer.body == red_image()
    assert client.get("/api/tiles/14/0/0").status == 204
    for wrong in ["14/0", "14/0/0/0", "23/0/0", "2/4/0", "-1/0/0", "a/b/c", "14//0"]:
        assert client.get(f"/api/tiles/{wrong}").status == 400, wrong
    assert WebClient(web).get(f"/api/tiles/14/{x}/{y}").status == 401


def vector_map(path, blob, column=0, layers='[{"id":"streets"}]'):
    """A new MBTiles file with a vector tile of zoom 1, put into the place of another one."""
    new = path.with_suffix(".new")
    with sqlite3.connect(new) as database:
        database.executescript(
            "CREATE TABLE metadata (name text, value text);"
            "CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)")
        database.executemany(
            "INSERT INTO metadata VALUES (?, ?)", [("format", "pbf"), ("json", f'{{"vector_layers":{layers}}}')])
        database.execute("INSERT INTO tiles VALUES (1, ?, 1, ?)", (column, blob))
    new.rename(path)


def test_imported_map_is_served_and_replaced_without_a_restart(stage):
    path = stage.directory / "maps/map.mbtiles"
    path.parent.mkdir()
    web = stage.start(PacedWeb(stage.directory, stage.paced("--demo")))
    client = web.client("watch")
    assert client.get("/api/tiles").json() == {"available": False} and client.get("/api/tiles/1/0/0").status == 204
    versions = set()
    for bytes_, encoding in [(gzip.compress(b"\x1a\0"), "gzip"), (zlib.compress(b"\x1a\0"), "deflate"), (b"\x1a\0", None)]:
        vector_map(path, bytes_)
        known = client.get("/api/tiles").json()
        versions.add(known.pop("version"))
        assert known == {"available": True, "kind": "vector", "schema": "shortbread", "min_zoom": 1, "max_zoom": 1,
                         "attribution": "© OpenStreetMap contributors"}
        answer = client.get("/api/tiles/1/0/0?v=1")
        assert (answer.headers.get("Content-Encoding"), answer.body) == (encoding, bytes_)
        assert answer.headers["Content-Type"] == "application/vnd.mapbox-vector-tile"
        assert "max-age" in answer.headers["Cache-Control"] and client.get("/api/tiles/1/1/0").status == 204
    assert len(versions) == 3
    vector_map(path, b"", layers='[{"id":"roads"}]')
    for _ in range(2):
        assert client.get("/api/tiles").json() == {"available": False}
    assert web.log_text().count("there is no map: its layers are those of no known schema, Shortbread or OpenMapTiles: roads") == 1
    path.unlink()
    assert client.get("/api/tiles").json() == {"available": False} and client.get("/api/tiles/1/0/0").status == 204


def test_page_draws_the_map_behind_the_route_in_spite_of_failures(stage, browser):
    tiles(stage.directory / "map.mbtiles")
    web = stage.start(PacedWeb(
        stage.directory, stage.paced("--demo"), configuration=f"[Web]\nTiles={stage.directory}/map.mbtiles\n"))
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    context.set_default_timeout(60_000)
    page = context.new_page()
    seen = set()

    def fail_first(route):
        """The first request of each tile fails, without a connection or with a status."""
        if route.request.url in seen:
            return route.continue_()
        seen.add(route.request.url)
        return route.abort() if len(seen) % 2 else route.fulfill(status=503)

    page.route("**/api/tiles/*/*/*", fail_first)
    page.goto(f"{web.url}/#code={web.code()}")
    expect(page.locator(".map-credit")).to_have_text("© OpenStreetMap")
    page.evaluate("""async () => {
        const { RouteMap } = await import('/map.js');
        const box = document.createElement('div');
        document.body.append(box);
        box.style.cssText = 'position: fixed; inset: 0; height: 400px';
        window.shown = new RouteMap(box, {});
        shown.frame.style.height = '400px';
        shown.look(52.5, 13.4, 5);
    }""")
    # Red over the background, in the middle of the map.
    middle = """() => {
        const { width, height } = shown.canvas;
        return [...shown.canvas.getContext('2d').getImageData(width / 2, height / 2, 1, 1).data];
    }"""
    wait_for(lambda: page.evaluate(middle)[:3] == [255, 0, 0], 60, "a red map")


@pytest.mark.parametrize("make, message", [
    (lambda path: path.write_bytes(b"no database"), "cannot read"), (lambda path: None, "cannot read"),
    (lambda path: tiles(path, form="pbf"), "its layers are those of no known schema"),
    (lambda path: tiles(path, zooms=[]), "it has no tiles of zoom 0 to 22"),
])
def test_wrong_map_is_named(tmp_path, make, message):
    make(tmp_path / "map.mbtiles")
    (tmp_path / "web.conf").write_text(f"[Web]\nTiles={tmp_path}/map.mbtiles\n")
    done = subprocess.run(
        [PROGRAMS / "paced-web", "--config", tmp_path / "web.conf", "--runtime-dir", tmp_path / "run", "--state-dir",
         tmp_path / "state", "--page-dir", ROOT / "web", "--paced-dir", tmp_path, "--net-dir", tmp_path],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and message in done.stderr and "map.mbtiles" in done.stderr


def test_metrics_have_no_position_and_no_heart_rate(web):
    text = web.client("watch").get("/metrics").body.decode()
    names = {line.split("{")[0].split()[0] for line in text.splitlines() if not line.startswith("#")}
    assert {"paced_up", "paced_ticks_late_total", "paced_recorder_lag_seconds", "paced_link_connected",
            "paced_web_streams", "paced_run_state"} <= names
    assert not [name for name in names if any(word in name for word in ("lat", "lon", "bpm", "heart", "position"))
                and name not in ("paced_ticks_late_total", "paced_tick_lateness_worst_seconds")]
    for line in text.splitlines():
        if not line.startswith("#"):
            float(line.rsplit(" ", 1)[1])
    web.daemon.stop()
    assert "paced_up 0" in web.client("watch").get("/metrics").body.decode()


def test_pages_are_kept_until_they_change(shared):
    client = WebClient(shared)
    first = client.get("/")
    assert first.headers["Content-Type"] == "text/html; charset=utf-8"
    assert client.get("/", If_None_Match=first.headers["ETag"]).status == 304
    head = client.request("HEAD", "/")
    assert head.status == 200 and head.body == b"" and head.headers["Content-Length"] == str(len(first.body))


def test_pages_are_packed_for_those_who_unpack(shared):
    client = WebClient(shared)
    plain = client.get("/live.js")
    assert "Content-Encoding" not in plain.headers and "Content-Encoding" not in client.get(
        "/live.js", Accept_Encoding="br, gzip;q=0").headers
    packed = client.get("/live.js", Accept_Encoding="br, gzip")
    assert packed.headers["Content-Encoding"] == "gzip" and packed.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body)
    assert client.get("/live.js", Accept_Encoding="gzip", If_None_Match=packed.headers["ETag"]).status == 304


def test_names_that_begin_like_the_api_are_pages(shared):
    assert WebClient(shared).get("/api.js").status == 200
    assert WebClient(shared).get("/apis").code == "not-found"


def test_every_response_has_the_headers_of_protection(client):
    for answer in [client.get("/"), client.get("/none"), client.get("/api/token"), client.get("/api/activities"),
                   client.get("/api/activities/99"), client.post("/api", b"{"), client.get("/", Host="evil.example")]:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "Set-Cookie" not in answer.headers
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


# Clients that mean harm

def response_time(client):
    """The seconds until a response."""
    start = time.monotonic()
    assert client.get("/api/token").status == 200
    return time.monotonic() - start


@pytest.mark.thorough
def test_thousand_silent_connections_hold_nobody_up(web):
    client = web.client()
    stream = client.stream()
    stream.first("STATE")
    silent = []
    for number in range(1000):
        one = web.connect()
        if number % 3:
            one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        silent.append(one)
    times = [response_time(client) for _ in range(20)]
    print(f"a request beside 1000 connections: {max(times):.3f} s at most")
    stream.first("STATE")
    held = int(client.get("/metrics").body.split(b"\npaced_web_connections ")[1].split()[0])
    assert held <= 96
    for one in silent:
        one.close()
    assert web.descriptors() < 200


def test_incomplete_bodies_of_strangers_hold_nobody_up(web):
    """Half of the strangers disconnect within the body, the others wait."""
    client = web.client()
    head = b"POST /api/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"
    held = []
    for number in range(300):
        one = web.connect()
        with contextlib.suppress(ConnectionError):
            one.sendall(head)
        if number % 2:
            held.append(one)
        else:
            one.close()
    times = [response_time(client) for _ in range(20)]
    print(f"a request beside 150 incomplete ones: {max(times):.3f} s at most")
    for one in held:
        one.close()


@pytest.mark.thorough
def test_slow_head_is_closed(web):
    slow = web.connect()
    slow.settimeout(90)
    ended = threading.Event()

    def trickle():
        try:
            for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"a" * 600:
                slow.send(bytes([byte]))
                if ended.wait(0.25):
                    return
        except OSError:
            pass

    thread = threading.Thread(target=trickle)
    start = time.monotonic()
    thread.start()
    try:
        assert slow.recv(4096) == b""
    except ConnectionError:
        pass
    ended.set()
    thread.join()
    print(f"a slow head: closed after {time.monotonic() - start:.1f} s")


@pytest.mark.parametrize("data", [
    b"GET " + b"a" * 100_000, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000,
    b"GET / HTTP/9.9\r\n\r\n", b"POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
    b"POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST /api HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
    b"GET /%00/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET http://evil.example/ HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    # The server waits ten seconds for the rest of these.
    *(pytest.param(data, marks=pytest.mark.thorough)
      for data in (b"\x00" * 5000, b"\x16\x03\x01" + b"\xff" * 500, b"GET / HTTP/1.1\r\nHost: localhost\r\n X: y")),
])
def test_broken_requests_are_refused(shared, client, data):
    with shared.connect() as broken:
        try:
            broken.sendall(data)
            answer = broken.recv(65536)
        except ConnectionError:
            answer = b""
    assert answer == b"" or answer.split()[1][:1] in (b"4", b"5"), answer[:200]
    assert b"root:" not in answer
    response_time(client)


def test_path_tricks_show_nothing(client):
    for path in ["/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/texts/../../Package.swift",
                 "/texts/..%2f..%2fLICENSE", "/index.html%00.js", "/.git/config", "/index.html/", "/texts", "/texts/"]:
        assert client.get(path).status == 404, path


def test_huge_bodies_are_refused_and_not_kept(web):
    client = web.client()
    before = web.kernel_status("VmRSS")
    for path, size in [("/api", 70_000), ("/api/stream", 5_000), ("/api/token", 2_000)]:
        answer = client.post(path, b"x" * size)
        assert (answer.status, answer.code) == (413, "too-large"), path
    big = b"x" * (65 << 20)
    try:
        answer = client.post("/api/activities?file=big.fit", big)
        assert (answer.status, answer.code) == (413, "too-large")
    except ConnectionError:
        pass
    assert web.kernel_status("VmRSS") - before < 4 << 10


def read_all(stream):
    """Reads until the server ends the stream."""
    try:
        for _ in stream:
            pass
    except (OSError, http.client.HTTPException):
        pass


@pytest.mark.thorough
def test_server_is_small_and_does_not_grow(web):
    """Its own memory: not that of the libraries' files, and not that of pacectl."""
    client = web.client()
    readers = [web.client() for _ in range(3)]
    for number in range(15):
        stream = readers[number % 3].stream({"blocks": ["fields", "sensors", "lap"]})
        threading.Thread(target=read_all, args=[stream], daemon=True).start()

    def work():
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda _: client.get("/live.js").status, range(200)))
            list(pool.map(lambda _: client.call("status")["class"], range(200)))
            list(pool.map(lambda _: client.get("/api/activities").status, range(20)))

    work()
    before = web.kernel_status("RssAnon")
    for _ in range(3):
        work()
    after = web.kernel_status("RssAnon")
    print(f"own memory: {before} KiB, then {after} KiB; resident {web.kernel_status('VmRSS')} KiB")
    assert after < 10 << 10 and after - before < 1 << 10


def test_end_of_the_server_leaves_no_program_and_no_socket(web):
    client = web.client()
    stream = client.stream()
    stream.first("STATE")
    threading.Thread(target=read_all, args=[stream], daemon=True).start()
    status, seconds = web.end()
    assert status == 0, seconds
    assert not (web.runtime / "code.sock").exists() and not (web.runtime / "admin.sock").exists()
    assert os.listdir(web.state) == ["tokens.json"]
