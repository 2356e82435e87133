"""Positions of another program on sensor.sock: they drive a run with Gpsd=sensor-socket, and are refused otherwise."""

import datetime
import json
import threading
import time

import pytest

from harness.timing import wait_for
from matrix import matrix
from test_sensor_door import BUSY, INVALID, REFUSED, Door

HOME = 52.5, 13.4
METRE = 1 / 111_267  # Degrees of latitude, at HOME.


def now(seconds=0.0):
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def position(**more):
    return {"latitude": HOME[0], "longitude": HOME[1], "accuracy_m": 3} | more


class Walker:
    """A program that goes north at a speed, with five positions a second."""

    def __init__(self, paced, speed=6.0, east=0.0):
        self.door, self.speed, self.east, self.answers = Door(paced), speed, east, []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        begun = time.monotonic()
        while not self.is_over.wait(0.2):
            metres = (time.monotonic() - begun) * self.speed
            self.answers.append(self.door.call("position.measure", **position(
                latitude=HOME[0] + metres * METRE, longitude=HOME[1] + self.east, altitude_m=40 + metres / 100, speed_mps=self.speed,
                track_deg=0, time=now())))

    def falls_silent(self):
        """It sends nothing more, and stays connected."""
        if not self.is_over.is_set():
            self.is_over.set()
            self.thread.join()

    def end(self):
        self.falls_silent()
        self.door.end()


@pytest.fixture(scope="module")
def paced(long_stage):
    configuration = long_stage.directory / "paced.conf"
    configuration.write_text("[Position]\nGpsd=sensor-socket\n")
    return long_stage.paced("--sensors", "off", "--config", configuration)


@pytest.fixture
def walker(paced):
    made = []

    def walker(**how):
        made.append(Walker(paced, **how))
        return made[-1]

    yield walker
    for one in made:
        one.end()


@pytest.fixture
def door(paced):
    door = Door(paced)
    yield door
    door.end()


def place(paced):
    return paced.call("status").get("position", {})


def test_positions_of_a_program_drive_a_run(paced, walker, long_stage):
    reader = long_stage.reader(paced, classes=["STATE", "FIX"])
    program = walker()
    wait_for(lambda: place(paced), 60, "a position")
    paced.call("run.start", sport="ride")
    begun = reader.wait("the begin of the way", lambda line: line["class"] == "STATE" and line.get("distance_m", 0) > 0, 60)
    reader.wait("8 m", lambda line: line["class"] == "STATE" and line.get("distance_m", 0) > begun["distance_m"] + 8, 60)
    state = paced.call("status")
    # No sensor measures the distance.
    assert "source" not in state
    assert set(map(json.dumps, program.answers)) == {"null"}
    summary = paced.call("run.stop")
    assert 8 < summary["distance_m"] < summary["elapsed_ms"] / 1000 * 6 + 10
    fix = reader.of("FIX")[-1]
    assert (fix["longitude"], fix["latitude"]) == (pytest.approx(HOME[1], abs=1e-6), pytest.approx(HOME[0], abs=0.01))


@pytest.mark.parametrize("wrong", matrix([
    {"latitude": 90.1}, {"latitude": -91}, {"longitude": 180.5}, {"latitude": "52"}, {"latitude": None}, {"accuracy_m": -1},
    {"altitude_m": 1e9}, {"speed_mps": -1}, {"track_deg": 361}, {"track_deg": -1}, {"age_s": 6}, {"age_s": -1}, {"time": "yesterday"},
    {"time": "2026-03-01T07:30:12"}, {"vertical_accuracy_m": -1}], {"latitude": 90.1}, {"time": "yesterday"}), ids=json.dumps)
def test_wrong_position_is_an_error_and_changes_nothing(paced, door, wrong):
    before = place(paced)
    assert door.call("position.measure", **position(latitude=-33.0, time=now()) | wrong)["code"] in (INVALID, -32602)
    assert place(paced).get("latitude") == before.get("latitude")


@pytest.mark.parametrize("value", matrix(["NaN", "1e999", "-Infinity"], "1e999"))
def test_numbers_that_are_none_are_no_position(paced, door, value):
    reply = door.send('{"jsonrpc":"2.0","id":1,"method":"position.measure","params":{"latitude":%s,"longitude":13}}' % value)
    assert "error" in reply


def test_time_that_jumps_moves_nothing(paced, door):
    def send(latitude, seconds):
        assert door.call("position.measure", **position(latitude=latitude, time=now(seconds))) is None
        time.sleep(0.1)
        return place(paced).get("latitude")

    wait_for(lambda: send(HOME[0], 0) == HOME[0], 60, "a position")
    for seconds in (3600, -3600):
        assert send(HOME[0] + 0.1, seconds) == HOME[0]
        # It is used again when its time is right.
        wait_for(lambda: send(HOME[0], 0) and paced.call("status")["position"]["age_ms"] < 500, 60, "a fresh position")


def test_flood_of_positions_is_told_and_delays_no_tick(paced, door):
    late = paced.call("status")["ticks"]["late"]
    codes = [(door.call("position.measure", **position(latitude=HOME[0] + index * 1e-7)) or {}).get("code") for index in range(1500)]
    assert set(codes) == {None, BUSY} and codes.count(None) < 200
    assert paced.call("status")["ticks"]["late"] == late


@pytest.mark.thorough
def test_second_program_counts_when_the_first_one_has_gone(paced, walker):
    first = walker(speed=3)
    wait_for(lambda: place(paced).get("longitude") == pytest.approx(HOME[1], abs=1e-5) and first.answers[2:], 60, "the first one's position")
    second = walker(speed=3, east=0.001)
    wait_for(lambda: len(second.answers) > 2, 60, "answers")
    # It is told, and is not listened to.
    assert all(answer is not None and answer["code"] in (BUSY, REFUSED) for answer in second.answers)
    assert place(paced)["longitude"] == pytest.approx(HOME[1], abs=1e-5)
    first.end()
    wait_for(lambda: place(paced)["longitude"] == pytest.approx(HOME[1] + 0.001, abs=1e-5), 60, "the position of the second one")
    assert second.answers[-1] is None


@pytest.mark.thorough
@pytest.mark.fast_clock
def test_second_program_counts_when_the_first_one_is_silent_for_five_seconds(paced, walker):
    first = walker(speed=3)
    wait_for(lambda: place(paced).get("longitude") == pytest.approx(HOME[1], abs=1e-5) and first.answers[2:], 60, "the first one's position")
    second = walker(speed=3, east=0.001)
    first.falls_silent()
    begun = time.monotonic()
    wait_for(lambda: second.answers[-1:] == [None], 60, "the second one's turn")
    assert 4 < time.monotonic() - begun
    wait_for(lambda: place(paced)["longitude"] == pytest.approx(HOME[1] + 0.001, abs=1e-5), 60, "the position of the second one")
    # The first one may come back only when that one has gone.
    assert first.door.call("position.measure", **position())["code"] in (BUSY, REFUSED)


@pytest.mark.thorough
@pytest.mark.fast_clock
def test_position_of_a_silent_program_is_lost(paced, walker):
    program = walker()
    wait_for(lambda: place(paced), 60, "a position")
    program.falls_silent()
    wait_for(lambda: not place(paced), 60, "the loss of it")


def test_positions_are_refused_where_gpsd_is_the_source(stage):
    paced = stage.paced("--gpsd", "off", "--sensors", "off")
    answer = Door(paced).call("position.measure", **position())
    assert answer["code"] == REFUSED and "Gpsd=sensor-socket" in answer["data"]["message"]
    assert place(paced) == {}
    # The other sensors of the program are heard.
    door = Door(paced)
    assert door.announce("pm", "power") is None and door.measure("pm", "power", power_w=200) is None
