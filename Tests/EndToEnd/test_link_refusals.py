"""Brokers that refuse paced-link, or what it sends: its status has the reason, and it does not try again and again."""

import json
import shutil
import socket
import ssl
import struct
import subprocess
import threading

import pytest

from harness.certificates import DAY, Identity
from harness.faults import fault_library
from harness.link import Subscriber
from harness.timing import boot_ms, real_seconds, wait_for
from matrix import matrix

QUARTER_MS = 900_000


def begin(link, level="full", **options):
    """paced-link beside a daemon, with the broker of the test."""
    link.start_daemon()
    link.start_link(level, **options)


def test_refused_password_is_told_once_and_tried_each_quarter_of_an_hour(link):
    link.start_broker(users={"board": "right"})
    link.start_daemon()
    reader = link.stage.reader(link.daemon, classes=["EVENT"])
    link.start_link(mqtt={"User": "board"}, credentials={"mqtt-password": "wrong"})
    status = link.link.wait_for_state("mqtt", "waiting", "refuses the user or the password")
    assert QUARTER_MS - 60_000 < status["next_try_ms"] < 1.21 * QUARTER_MS
    assert "refuses" in reader.first("EVENT", event="notice", key="refused")["text"]
    assert link.broker.log_text().count("New connection from") == 1
    link.link.stop()
    (link.stage.directory / "credentials/mqtt-password").write_text("right\n")
    link.link.start()
    link.link.wait_for_state("mqtt", "connected")


@pytest.mark.thorough
def test_missing_password_is_refused(link):
    link.start_broker(users={"board": "right"})
    begin(link)
    link.link.wait_for_state("mqtt", "waiting", "refuses the user or the password")


RULES = """user collector
topic readwrite #
user board
{}"""
BOARD = ["status", "state", "event", "rows"]


@pytest.mark.parametrize("missing", matrix([*BOARD, "read paced/v1/+/ack/+"], "rows"))
def test_right_that_is_missing_at_the_broker_is_named(link, missing):
    rules = [f"topic write paced/v1/+/{topic}" for topic in BOARD if topic != missing]
    if not missing.startswith("read"):
        rules.append("topic read paced/v1/+/ack/+")
    link.start_broker(users={"board": "pw", "collector": "pw"}, rules=RULES.format("\n".join(rules)))
    link.start_daemon()
    collector = link.start_collector("--user", "collector", COLLECTOR_PASSWORD="pw")
    link.start_link(mqtt={"User": "board"}, credentials={"mqtt-password": "pw"},
                    Collector={"Sinks": "collector", "AckTimeoutSec": 1})
    number, name = link.upload(30)
    link.link.wait_for_state("mqtt", "connected")
    link.daemon.control.result("run.start", sport="run", indoor=True)
    if missing.startswith("read"):
        # Without the acknowledgements all is sent and nothing is known.
        link.link.wait_for_state("collector", "paused", "does not acknowledge")
        return
    if missing != "state":  # QoS 0 has no answer.
        link.link.wait_for_state("mqtt", "connected", "(0x87)")
        assert link.link.sink("mqtt")["rejected"] >= 1
    if missing == "rows":
        link.link.wait_for_state("collector", "paused", "(0x87)")
        assert collector.query("SELECT FROM sample") == []
        assert link.broker.log_text().count("/rows'") < 8
    else:
        link.wait_for_rows(collector, number, name)


@pytest.mark.parametrize("limit", ["message_size_limit", "max_packet_size"])
def test_broker_with_a_small_limit_gets_smaller_batches(link, limit):
    link.start_broker(lines=[f"{limit} 2500"])
    link.start_daemon()
    collector = link.start_collector()
    link.start_link(Collector={"Sinks": "collector", "AckTimeoutSec": 1})
    number, name = link.upload(3000)
    link.wait_for_rows(collector, number, name)


@pytest.mark.parametrize("limit", ["message_size_limit 100", "max_packet_size 250"])
def test_broker_whose_limit_is_too_small_for_any_batch_is_told(link, limit):
    link.start_broker(lines=[limit])
    link.start_daemon()
    link.start_collector()
    link.start_link("position", Collector={"Sinks": "collector", "AckTimeoutSec": 1})
    link.upload(600)
    link.link.wait_for_state("collector", "paused", "size")
    assert link.broker.connections(link.device) == 1


def test_rows_wait_while_nobody_subscribes_and_go_on_when_somebody_does(link):
    link.start_broker()
    link.start_daemon()
    link.start_link(Collector={"Sinks": "collector", "AckTimeoutSec": 15})
    number, name = link.upload(2000)
    status = link.link.wait_for_state("collector", "paused", "no collector listens")
    assert status["rows"] == 2002
    assert link.broker.log_text().count("/rows'") < 8
    collector = link.start_collector()
    # The collector says that it is there, long before the minute is over.
    link.wait_for_rows(collector, number, name, seconds=20)


@pytest.fixture
def authority(link):
    return Identity(link.stage.directory, "authority")


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_certificate_of_a_known_authority_is_accepted(link, authority, kind):
    link.start_broker(identity=Identity(link.stage.directory, "broker", issuer=authority))
    known = authority.path
    if kind == "directory":
        known = link.stage.directory / "authorities"
        known.mkdir()
        shutil.copy(authority.path, known)
        subprocess.run(["openssl", "rehash", known], check=True)
    begin(link, mqtt={"Authorities": known})
    link.link.wait_for_state("mqtt", "connected")
    assert "warning" not in link.link.sink("mqtt")


@pytest.mark.parametrize("certificate, keys", matrix([
    ("unknown", {}),
    ("expired", {"since": -2 * DAY, "until": -DAY}),
    ("not valid yet", {"since": DAY, "until": 2 * DAY}),
    ("of another address", {"address": "127.0.0.2"}),
    ("of a name", {"address": "broker.example"}),
], "unknown", "of another address"))
def test_wrong_certificate_is_refused_and_nothing_is_sent(link, authority, certificate, keys):
    issuer = Identity(link.stage.directory, "other") if certificate == "unknown" else authority
    link.start_broker(identity=Identity(link.stage.directory, "broker", issuer=issuer, **keys))
    link.start_daemon()
    reader = link.stage.reader(link.daemon, classes=["EVENT"])
    link.start_link(mqtt={"Authorities": authority.path})
    status = link.link.wait_for_state("mqtt", "waiting", "TLS failed: the broker's certificate")
    assert status["next_try_ms"] > QUARTER_MS - 60_000
    reader.first("EVENT", event="notice", key="tls")
    assert link.device not in link.broker.log_text()


def test_certificate_is_not_judged_while_the_board_has_no_clock(link, authority):
    link.start_broker(identity=Identity(link.stage.directory, "broker", issuer=authority))
    link.start_daemon(TIME_OF_DAY="unset")
    unset = {"LD_PRELOAD": fault_library("clock"), "TIME_OF_DAY": "unset"}
    link.start_link(mqtt={"Authorities": authority.path}, environment=unset)
    status = link.link.wait_for_state("mqtt", "waiting", "clock-unset")
    assert status["next_try_ms"] <= 2000
    assert link.device not in link.broker.log_text()


def test_clear_text_is_never_sent_without_being_allowed(link):
    link.start_broker()
    begin(link, mqtt={"AllowPlain": "no"})
    status = link.link.wait_for_state("mqtt", "waiting")
    assert "warning" not in status
    assert link.device not in link.broker.log_text() and link.broker.connections(link.device) == 0


@pytest.mark.thorough
def test_clear_text_that_is_allowed_is_warned_of(link):
    link.start_broker()
    begin(link)
    assert "without TLS" in link.link.wait_for_state("mqtt", "connected")["warning"]


def test_client_certificate_is_used(link, authority):
    rules = ["require_certificate true", f"cafile {authority.path}", "use_identity_as_username true"]
    broker = Identity(link.stage.directory, "broker", issuer=authority)
    link.start_broker(identity=broker, lines=rules)
    begin(link, mqtt={"Authorities": authority.path})
    link.link.wait_for_state("mqtt", "waiting", "client certificate")
    own = Identity(link.stage.directory, "board", issuer=authority)
    link.link.stop()
    link.start_link(mqtt={"Authorities": authority.path, "Certificate": own.path},
                    credentials={"mqtt-key": own.path.read_text()})
    link.link.wait_for_state("mqtt", "connected")


@pytest.mark.thorough
def test_copied_card_is_named(link):
    """Another client with the same ID takes the connection over whenever it has lost it."""
    link.start_broker()
    link.start_daemon()
    reader = link.stage.reader(link.daemon, classes=["EVENT"])
    link.start_link("health")
    link.link.wait_for_state("mqtt", "connected")
    link.stage.keep(Subscriber(link.broker, client=link.device))
    status = link.link.wait_for_state("mqtt", "waiting", "copied card")
    assert status["next_try_ms"] > QUARTER_MS - 60_000
    reader.first("EVENT", event="notice", key="client-id")
    assert link.broker.log_text().count("already connected, closing old connection") < 8


class Listener:
    """A server that notes when it is connected to, and answers with `behave`."""

    def __init__(self, behave):
        self.behave, self.times, self.kept = behave, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.identity = None
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.times.append(boot_ms())
            self.kept.append(client)
            self.behave(client)

    def end(self):
        for one in [self.listener, *self.kept]:
            one.close()


def answering(code):
    """Answers CONNECT with a CONNACK of MQTT 5 that has this reason code."""
    def behave(client):
        client.recv(4096)
        client.sendall(bytes([0x20, 3, 0, code, 0]))
    return behave


@pytest.mark.parametrize("asks", [True, False])
def test_broker_that_resets_a_connection_without_a_certificate_is_understood(link, authority, asks):
    """The reset of a broker that has not read all may overtake its reason."""
    identity = Identity(link.stage.directory, "broker", issuer=authority)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(identity.path)
    tls.load_verify_locations(authority.path)
    tls.verify_mode = ssl.CERT_OPTIONAL if asks else ssl.CERT_NONE

    def reset(client):
        with tls.wrap_socket(client, server_side=True) as secure:
            secure.recv(4096)
            secure.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    link.broker = link.stage.keep(Listener(reset))
    link.broker.identity = identity
    begin(link, mqtt={"Authorities": authority.path})
    text = "asks for a client certificate" if asks else "closes the connection at once"
    status = link.link.wait_for_state("mqtt", "waiting", text)
    assert status["next_try_ms"] < 60_000


BUSY = {0x88: "unavailable", 0x89: "busy", 0x97: "quota", 0x9F: "rate"}


@pytest.mark.parametrize("code", matrix(list(BUSY), 0x89))
def test_busy_broker_is_left_alone_for_a_minute(link, code):
    link.broker = link.stage.keep(Listener(answering(code)))
    begin(link, "health")
    status = link.link.wait_for_state("mqtt", "waiting", f"(0x{code:x})")
    assert status["next_try_ms"] > 50_000 and BUSY[code] in status["reason"].lower()
    assert len(link.broker.times) == 1


FAULTS = {0x84: "does not speak MQTT 5", 0x85: "client ID", 0x86: "the password", 0x8A: "banned", 0x9D: "moved"}


@pytest.mark.parametrize("code", matrix(list(FAULTS), 0x84))
def test_refusal_for_good_is_tried_each_quarter_of_an_hour(link, code):
    link.broker = link.stage.keep(Listener(answering(code)))
    begin(link, "health")
    status = link.link.wait_for_state("mqtt", "waiting", FAULTS[code])
    assert status["next_try_ms"] > QUARTER_MS - 60_000


@pytest.mark.thorough
def test_server_that_closes_at_once_is_tried_after_growing_pauses(link):
    link.broker = link.stage.keep(Listener(lambda client: client.close()))
    begin(link, "health")
    wait_for(lambda: len(link.broker.times) == 4, 120, "four attempts")
    times = link.broker.times
    pauses = [after - before for before, after in zip(times, times[1:])]
    assert all(pause >= 1990 * 2 ** number for number, pause in enumerate(pauses))


@pytest.mark.thorough
def test_silent_server_is_given_up_and_the_program_answers_meanwhile(link):
    link.broker = link.stage.keep(Listener(lambda client: None))
    begin(link, "health")
    begun, used = real_seconds(), link.link.processor_seconds()
    link.link.wait_for_state("mqtt", "connecting")
    link.link.wait_for_state("mqtt", "waiting", "does not answer")
    assert real_seconds() - begun < 40
    assert link.link.processor_seconds() - used < 1


@pytest.mark.thorough
def test_broker_that_sends_nonsense_is_left(link):
    nonsense = [
        b"", b"\x20\x03\x00\x00\x00" + b"\xff" * 1000, b"HTTP/1.1 400 Bad Request\r\n\r\n", b"0\xff\xff\xff\xff"]

    def behave(client):
        client.sendall(nonsense[len(link.broker.times) % len(nonsense)])

    link.broker = link.stage.keep(Listener(behave))
    begin(link, "health")
    wait_for(lambda: len(link.broker.times) >= 3, 120, "three attempts")
    assert link.link.sink("mqtt")["state"] in ("waiting", "connecting", "connected")


@pytest.mark.thorough
def test_hostile_acknowledgements_change_nothing(link):
    collector = link.start()
    watcher = link.listen("+/ack/+")
    first = link.upload(100)
    link.wait_for_rows(collector, *first)
    topic = watcher.of("/ack/collector")[-1].topic
    good = watcher.of("/ack/collector")[-1].json
    for payload in [
            b"", b"\xff", b"[]", b"{", b"[" * 100_000, b" " * 300_000, json.dumps(good | {"next": 1e99}).encode(),
            json.dumps(good | {"next": -1}).encode(), json.dumps(good | {"next": 1 << 40}).encode(),
            json.dumps(good | {"activity": "x"}).encode(), json.dumps(good | {"epoch": None}).encode(),
            json.dumps(good | {"next": (1 << 32) - 1}).encode(),
            json.dumps(good | {"revision": (1 << 31) - 1}).encode(), json.dumps(good | {"revision": 1 << 62}).encode()]:
        watcher.publish(topic, payload, retain=True)
    watcher.publish(topic.replace("collector", "stranger"), json.dumps(good).encode())
    second = link.upload(100)
    link.wait_for_rows(collector, *second)
    link.daemon.control.result("activities.edit", id=first[0], name="still heard")
    link.wait_for_rows(collector, *first)
    assert link.link.process.poll() is None and link.broker.connections(link.device) == 1
