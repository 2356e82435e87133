"""Sensors of other programs on sensor.sock: in STATE, in the run, in its replay; and publishers that are hostile or go away."""

import json
import subprocess
import time

import pytest

from harness.client import Door, connect
from harness.process import PACECTL
from harness.timing import GUARD, wait_for
from matrix import matrix

OFF = ["--gpsd", "off", "--sensors", "off"]
BUSY, INVALID, UNKNOWN, REFUSED = -32002, -32004, -32003, -32001


@pytest.fixture
def paced(stage):
    daemon = stage.paced(*OFF)
    wait_for(lambda: daemon.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    return daemon


def sensors(paced):
    """The sensors of the next STATE."""
    with connect(paced.runtime / "state.sock", timeout=GUARD) as client:
        client.sendall(b'{"class":"WATCH","classes":["STATE"],"blocks":["sensors"]}\n')
        for line in client.makefile("rb"):
            state = json.loads(line)
            if "blocks" in state and state["class"] == "STATE":
                return state["blocks"].get("sensors", [])
    return []


def sensor(paced, name):
    return next((one for one in sensors(paced) if one["id"] == f"ext:{name}"), None)


def test_published_values_are_in_state_run_and_replay(stage, paced):
    door = Door(paced)
    assert door.announce("pm", "power", name="Crank", manufacturer="Made", serial_number="7", battery_percent=80) is None
    assert door.announce("hr", "heart-rate", name="Chest") is None
    assert door.announce("bike", "speed-cadence") is None
    paced.call("run.start", sport="ride")
    turns = 0

    def state_of_the_run():
        nonlocal turns
        turns += 1
        # A publisher with a counter of the crank, and one that knows its rates only.
        assert door.measure("pm", "power", power_w=250, left_percent=48.5, crank_revolutions=turns, crank_event_s=turns * 0.66) is None
        assert door.measure("hr", "heart-rate", bpm=142, rr_ms=[422.0, 424.0], age_s=0.2) is None
        assert door.measure("bike", "speed-cadence", speed_mps=8.0) is None
        time.sleep(0.2)
        state = paced.call("status")
        return state if state.get("source") == "wheel" and state["heart"].get("bpm") == 142 else None

    wait_for(state_of_the_run, 60, "power and speed of the run")
    for _ in range(20):
        state = state_of_the_run()
    one = sensor(paced, "pm")
    assert (one["name"], one["manufacturer"], one["battery_percent"], one["power_w"]) == ("Crank", "Made", 80, 250)
    assert sensor(paced, "bike")["speed_mps"] == pytest.approx(8, abs=0.3)
    assert paced.call("status")["heart"]["bpm"] == 142 and paced.call("status")["heart"]["name"] == "Chest"
    summary = paced.call("run.stop")
    assert summary["average_power_w"] == 250 and summary["average_bpm"] == 142 and summary["distance_m"] > 20
    recorded = wait_for(lambda: paced.call("activities.get", id=1).get("sensors"), 60, "the sensors of the activity")
    names = {one.get("name") for one in recorded}
    assert {"Crank", "Chest"} <= names
    paced.end()
    lines = subprocess.check_output(
        [PACECTL, "--state-dir", stage.directory / "state", "replay", "1", "--interval-ms", "60000"], text=True).splitlines()
    replayed = next(line for line in map(json.loads, lines) if line.get("event") == "stop")["summary"]
    assert replayed | {"uuid": summary["uuid"]} == summary


def test_publisher_that_goes_away_is_a_lost_link(paced):
    door = Door(paced)
    door.announce("pm", "power")
    door.announce("hr", "heart-rate")
    door.measure("hr", "heart-rate", bpm=120)
    wait_for(lambda: paced.call("status")["heart"].get("bpm") == 120, 60, "the heart rate")
    door.end()
    wait_for(lambda: sensor(paced, "pm")["link"] == "disconnected", 60, "a lost link")
    assert sensor(paced, "pm")["reason"] == "not-running"
    assert paced.call("status")["heart"]["link"] == "disconnected"
    # Another program may take the name then, and the sensors of the gone one make room.
    door = Door(paced)
    for number in range(8):
        assert door.announce(f"s-{number}", "power") is None
    assert sensor(paced, "pm") is None and len(sensors(paced)) == 8
    assert door.announce("s-9", "power")["code"] == BUSY
    assert Door(paced).announce("other", "power")["code"] == BUSY


@pytest.mark.parametrize("values, code", matrix([
    ({"power_w": 20_000}, INVALID), ({"power_w": "250"}, INVALID), ({"power_w": 250, "age_s": -1}, INVALID),
    ({"power_w": 250, "age_s": 6}, INVALID), ({}, -32602), ({"power_w": 250, "left_percent": 101}, INVALID),
    ({"power_w": 250, "crank_revolutions": 7}, -32602), ({"power_w": 250, "x": 1}, -32602),
], {"power_w": 250, "age_s": 6}))
def test_wrong_measurement_changes_nothing(paced, values, code):
    door = Door(paced)
    door.announce("pm", "power")
    assert door.measure("pm", "power", **values)["code"] == code
    assert "power_w" not in sensor(paced, "pm")
    assert door.measure("pm", "heart-rate", bpm=99)["code"] == INVALID
    assert door.measure("nobody", "power", power_w=1)["code"] == UNKNOWN


def test_numbers_that_are_none_are_no_json(paced):
    door = Door(paced)
    door.announce("pm", "power")
    for value in ("NaN", "Infinity", "1e999"):
        reply = door.send('{"jsonrpc":"2.0","id":1,"method":"sensor.measure","params":{"id":"pm","kind":"power","power_w":%s}}' % value)
        assert "error" in reply
    assert "power_w" not in sensor(paced, "pm")


def test_flood_is_told_and_delays_no_tick(paced):
    door = Door(paced)
    door.announce("pm", "power")
    codes = {(door.measure("pm", "power", power_w=watts % 300) or {}).get("code") for watts in range(2000)}
    assert codes == {None, BUSY}
    assert paced.call("status")["ticks"]["late"] == 0


def test_name_of_another_program_and_no_bluetooth_address_can_be_announced(paced):
    first, second = Door(paced), Door(paced)
    first.announce("pm", "power")
    refused = second.announce("pm", "power")
    assert refused["code"] == REFUSED and "another program has announced ext:pm" in refused["data"]["message"]
    assert second.measure("pm", "power", power_w=900)["code"] == UNKNOWN
    for name in ("A0:9E:1A:00:00:01", "A0:9E:1A:00:00:01/public", "board", "", "x" * 33):
        reply = second.announce(name, "power")
        assert reply is None if name == "board" else reply["code"] == INVALID
    # Even then it is another one than the sensors on the board.
    assert sensor(paced, "board")["id"] == "ext:board"


def test_only_chosen_sensors_are_used(stage):
    paced = stage.paced("--gpsd", "off")
    door = Door(paced)
    door.announce("pm", "power")
    door.announce("other", "power")
    assert sensor(paced, "pm") and sensor(paced, "other")
    assert paced.call("settings.set", key="sensors", value=["ext:pm"]) == ["ext:pm"]
    wait_for(lambda: sensor(paced, "other") is None, 60, "the other one is not listed")
    door.measure("other", "power", power_w=999)
    door.measure("pm", "power", power_w=200)
    wait_for(lambda: sensor(paced, "pm").get("power_w") == 200, 60, "the power of the chosen one")
    assert paced.call("settings.set", key="sensors", value=[]) == []
    wait_for(lambda: sensor(paced, "other"), 60, "both again")
