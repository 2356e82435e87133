"""Locations for OwnTracks: by the broker, as the Recorder and Home Assistant take them, and by HTTP."""

import base64
import http.server
import json
import threading
import time

import pytest

from harness.paced_net import StandingGpsd
from harness.timing import boot_ms, wait_for
from matrix import matrix

HERE = (52.5163, 13.3777)
# The fields that a location may have, and their types. All but the coordinates are integers.
FIELDS = {"_type": str, "lat": float, "lon": float, "tst": int, "acc": int, "tid": str, "alt": int, "vel": int,
          "cog": int, "batt": int, "bs": int, "t": str}


@pytest.fixture
def receiver(stage):
    return stage.keep(StandingGpsd(HERE))


def start_daemon(link, receiver):
    link.start_broker()
    link.start_daemon("--gpsd", receiver.option, "--sensors", "off")
    wait_for(lambda: "position" in link.daemon.call("status"), 60, "a position")


def check(location, place):
    assert location["_type"] == "location"
    assert all(type(value) is FIELDS[name] for name, value in location.items())
    assert (location["lat"], location["lon"]) == pytest.approx(place, abs=1e-6)
    # Home Assistant ignores a location without an accuracy, or of 0; Traccar makes alarms of other triggers.
    assert location["acc"] >= 1 and location["t"] in ("p", "t") and len(location["tid"]) == 2


def move(link, receiver, place):
    receiver.place = place

    def is_there():
        return link.daemon.call("status").get("position", {}).get("latitude") == pytest.approx(place[0], abs=1e-6)

    wait_for(is_there, 60, "the position in the state")


def test_location_is_retained_and_has_the_fields_of_the_recorder(link, receiver):
    start_daemon(link, receiver)
    watcher = link.subscribe("owntracks/#")
    link.start_link(OwnTracks={"Mode": "mqtt", "User": "anna", "Device": "bike", "TrackerId": "b7"})
    message = watcher.wait("a location", lambda message: True)
    assert message.topic == "owntracks/anna/bike" and message.qos == 0
    check(message.json, HERE)
    assert message.json["tid"] == "b7"
    # StandingGpsd has 3 m of 95 %; OwnTracks has the radius of 68 %.
    assert message.json["acc"] == 2
    assert abs(message.json["tst"] - time.time()) < 60
    # It stands still: nothing follows at once. A movement is told at once.
    move(link, receiver, (52.5173, 13.3777))
    moved = watcher.wait("the movement", lambda message: message.json["lat"] == pytest.approx(52.5173, abs=1e-6))
    check(moved.json, (52.5173, 13.3777))
    assert len(watcher.messages) <= 3
    later = link.subscribe("owntracks/anna/bike")
    assert later.wait("what is retained", lambda message: True).is_retained


@pytest.mark.thorough
def test_names_are_those_of_the_device_by_default(link, receiver):
    start_daemon(link, receiver)
    watcher = link.subscribe("owntracks/#")
    link.start_link("position", OwnTracks={"Mode": "mqtt"})
    message = watcher.wait("a location", lambda message: True)
    assert message.topic == f"owntracks/{link.device}/paced" and message.json["tid"] == link.device[-2:]


@pytest.mark.thorough
def test_each_enter_of_a_region_has_its_leave(link, receiver):
    start_daemon(link, receiver)
    watcher = link.subscribe("owntracks/#")
    regions = "Home sweet home 52.6,13.4 200; Work 52.7,13.4 200"
    link.start_link(OwnTracks={"Mode": "mqtt", "User": "anna", "Regions": regions})
    watcher.wait("a location", lambda message: True)
    for place in ((52.6, 13.4), (52.7001, 13.4), HERE):
        move(link, receiver, place)
        watcher.wait("the location", lambda message: message.json["lat"] == pytest.approx(place[0], abs=1e-6))
    wait_for(lambda: len(watcher.of("/event")) == 6, 60, "six transitions")
    transitions = watcher.of("/event")
    # An earlier start may have entered both.
    assert [(message.json["event"], message.json["desc"]) for message in transitions] == [
        ("leave", "Home sweet home"), ("leave", "Work"),
        ("enter", "Home sweet home"), ("leave", "Home sweet home"), ("enter", "Work"), ("leave", "Work")]
    for message in transitions:
        assert message.topic == "owntracks/anna/paced/event" and message.qos == 1 and not message.is_retained
        assert message.json["_type"] == "transition" and message.json["acc"] >= 1 and message.json["t"] == "c"
        assert type(message.json["tst"]) is int and type(message.json["wtst"]) is int


@pytest.mark.parametrize("level", ["none", "health"])
def test_level_without_positions_has_no_owntracks(link, level):
    link.start_broker()
    link.start_daemon()
    with pytest.raises(AssertionError, match="OwnTracks.*needs Level="):
        link.start_link(level, OwnTracks={"Mode": "mqtt"})


@pytest.mark.thorough
def test_lost_position_is_no_location(link, receiver):
    start_daemon(link, receiver)
    watcher = link.subscribe("#")
    receiver.place = None
    wait_for(lambda: link.daemon.call("status").get("position", {"stale": True})["stale"], 60, "an old position")
    link.start_link(OwnTracks={"Mode": "mqtt"})
    wait_for(lambda: len(watcher.of("/state")) > 2, 60, "states")
    assert watcher.of("/paced") == []


class Recorder(http.server.ThreadingHTTPServer):
    """A server that answers with the statuses it is given, then with 200; 0 closes the connection."""

    def __init__(self):
        self.statuses, self.requests, self.length = [], [], 2
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/pub"

    def end(self):
        self.shutdown()
        self.server_close()

    def accepted(self):
        return [body for status, _, body, _ in self.requests if status == 200]


class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        self.server.requests.append((status, self.headers, body, boot_ms()))
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "7")
        self.send_header("Content-Length", str(self.server.length))
        self.end_headers()
        self.wfile.write(b"[]".ljust(self.server.length))

    def log_message(self, *_):
        pass


@pytest.fixture
def recorder(stage):
    return stage.keep(Recorder())


def start_posting(link, receiver, recorder, **keys):
    start_daemon(link, receiver)
    settings = {"Mode": "http", "Url": recorder.address, "AllowPlain": "yes", "User": "anna", "Device": "bike"} | keys
    link.start_link(OwnTracks=settings, credentials={"owntracks-password": "se:cret"})


def test_location_is_posted_with_the_headers_of_owntracks(link, receiver, recorder):
    start_posting(link, receiver, recorder)
    wait_for(lambda: recorder.requests, 60, "a request")
    _, headers, body, _ = recorder.requests[0]
    check({name: value for name, value in body.items() if name != "topic"}, HERE)
    assert headers["Content-Type"] == "application/json"
    assert (headers["X-Limit-U"], headers["X-Limit-D"]) == ("anna", "bike")
    assert base64.b64decode(headers["Authorization"].split()[1]) == b"anna:se:cret"
    assert "Expect" not in headers
    wait_for(lambda: "last_success_ms" in link.link.sink("owntracks"), 60, "a success in the status")


@pytest.mark.thorough
@pytest.mark.parametrize("failure", matrix([500, 503, 401, 429, 0], 500))
def test_location_waits_while_the_server_fails_and_the_newest_is_sent(link, receiver, recorder, failure):
    recorder.statuses = [failure, failure]
    start_posting(link, receiver, recorder)
    wait_for(lambda: recorder.requests, 60, "a request")
    link.link.wait_for_state("owntracks", "waiting", str(failure or ""))
    move(link, receiver, (52.5183, 13.3777))
    move(link, receiver, (52.5193, 13.3777))
    wait_for(recorder.accepted, 60, "a location that is taken")
    assert recorder.accepted()[0]["lat"] == pytest.approx(52.5193, abs=1e-6)
    times = [at for _, _, _, at in recorder.requests]
    pauses = [after - before for before, after in zip(times, times[1:])]
    assert all(pause >= (7000 if failure == 429 else 4990) for pause in pauses[:2])
    link.link.wait_for_state("owntracks", "connected")


@pytest.mark.thorough
@pytest.mark.parametrize("status", [400, 413])
def test_location_that_the_server_does_not_want_is_not_sent_again(link, receiver, recorder, status):
    recorder.statuses = [status]
    start_posting(link, receiver, recorder)
    wait_for(lambda: recorder.requests, 60, "a request")
    move(link, receiver, (52.5183, 13.3777))
    wait_for(recorder.accepted, 60, "the next location")
    assert recorder.accepted()[0]["lat"] == pytest.approx(52.5183, abs=1e-6)


@pytest.mark.thorough
def test_endless_answer_is_not_read(link, receiver, recorder):
    recorder.length = 100_000_000
    start_posting(link, receiver, recorder)
    wait_for(lambda: recorder.requests, 60, "a request")
    link.link.wait_for_state("owntracks", "waiting")
    assert link.link.kernel_status("VmHWM") < 100 * 1024


def test_clear_text_needs_to_be_allowed(link, receiver, recorder):
    with pytest.raises(AssertionError, match="AllowPlain=yes"):
        start_posting(link, receiver, recorder, AllowPlain="no")
    assert recorder.requests == []
