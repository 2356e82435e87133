"""Runs that start and stop automatically, on a board whose only control is the power."""

import datetime
import json
import subprocess
import time

import pytest

from harness.fake_gpsd import FakeGpsd
from harness.process import PACECTL, ROOT
from harness.timing import GUARD, wait_for


class RunningGpsd(FakeGpsd):
    """A receiver that moves as in a recorded run, with a fix a second."""

    def serve(self, client):
        # The same minutes as those of the real gpsd (harness.process.Gpsd).
        sentences = (ROOT / "Tests/Data/replay/run-fenix2-9km.nmea").read_text().splitlines()[3 * 60:]
        begun = time.monotonic()
        for second, line in enumerate(line.split(",") for line in sentences if line.startswith("$GPRMC")):
            time.sleep(max(begun + second - time.monotonic(), 0))
            now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
            self.say(client, {
                "class": "TPV", "device": self.device, "mode": 3, "time": now.replace("+00:00", "Z"), "eph": 4.0,
                "lat": int(line[3][:2]) + float(line[3][2:]) / 60, "lon": int(line[5][:3]) + float(line[5][3:]) / 60,
                "speed": float(line[7]) * 1852 / 3600})


@pytest.fixture
def alone(stage):
    """Starts a daemon that records automatically."""
    def start(*options, **keys):
        path = stage.directory / "paced.conf"
        path.write_text("[Recording]\nAutoStart=yes\n")
        return stage.paced("--config", path, *options)
    return start


def stops(reader):
    return [line for line in reader.of("EVENT") if line["event"] == "stop"]


@pytest.mark.parametrize("receiver", [
    pytest.param(lambda stage: stage.keep(RunningGpsd()), marks=pytest.mark.fast_clock, id="recorded"),
    pytest.param(lambda stage: stage.gpsd(), marks=pytest.mark.thorough, id="gpsd")])
def test_movement_starts_a_run_backdated_to_its_start(stage, alone, schema, receiver):
    gpsd = receiver(stage)
    daemon = alone("--gpsd", gpsd.option, "--sensors", "off")
    assert daemon.call("settings.get", key="auto_stop_minutes") == 30
    reader = stage.reader(daemon, classes=["EVENT", "STATE"])
    start = reader.first("EVENT", seconds=240, event="start")
    # 50 m of running are 15 to 30 s.
    assert 5_000 <= start["ago_ms"] <= 60_000, start.text
    state = wait_for(lambda: (state := daemon.call("status")).get("distance_m", 0) > 0 and state, 60, "distance")
    assert state["distance_m"] >= 45
    assert state["elapsed_ms"] > start["ago_ms"] - 100
    assert not [error.message for error in schema.iter_errors(json.loads(start.text))]
    # A manual stop is not undone while the movement continues.
    assert daemon.call("run.stop")["distance_m"] >= 45
    time.sleep(15)
    assert daemon.call("status")["run"] == "idle"
    assert len([line for line in reader.of("EVENT") if line["event"] == "start"]) == 1


@pytest.mark.fast_clock
def test_beats_start_a_run_and_auto_stop_ends_it_at_the_last_beat(stage, alone):
    daemon = alone("--gpsd", "off", "--sensors", f"unix:{stage.directory / 'strap'}")
    assert daemon.call("settings.set", key="auto_stop_minutes", value=1) == 1
    reader = stage.reader(daemon, classes=["EVENT", "HEART", "STATE"])
    strap = stage.strap(period=0.5)
    start = reader.first("EVENT", seconds=240, event="start")
    lines = list(reader.lines)
    before = lines[:lines.index(start)]
    beats = [line for line in before if line["class"] == "HEART" and line["quality"] == "good"]
    # Beats that stop for more than 3 s, because the machine stops the strap, begin the 30 s again.
    since, reached = beats[0]["boot_ms"], None
    for one, next_one in zip(beats, beats[1:]):
        since = next_one["boot_ms"] if next_one["boot_ms"] - one["boot_ms"] > 3_000 else since
        reached = reached or (next_one["boot_ms"] - since >= 30_000 and next_one)
    assert start["boot_ms"] == since and start["ago_ms"] >= 30_000, start.text
    # A count of ticks, not a time: how late the machine runs a tick is not the daemon's doing.
    ticks = [line for line in before[before.index(reached):] if line["class"] == "STATE"]
    assert len(ticks) <= 1, start.text
    time.sleep(3)
    strap.end()
    reader.first("EVENT", event="link", link_of="heart", link="disconnected")
    last = [line for line in reader.of("HEART") if line["quality"] == "good"][-1]
    stop = reader.first("EVENT", seconds=120, event="stop")
    began = start["boot_ms"]
    assert stop["boot_ms"] == last["boot_ms"]
    summary = stop["summary"]
    assert 0 <= last["boot_ms"] - began - summary["elapsed_ms"] < 101
    assert abs(summary["total_ms"] - (last["boot_ms"] - began)) <= 1
    going_on = [line for line in reader.of("STATE") if line["boot_ms"] > last["boot_ms"] and line["run"] == "active"]
    assert going_on and going_on[-1]["elapsed_ms"] > summary["elapsed_ms"] + 10_000

    listed, = wait_for(
        lambda: [it for it in daemon.call("activities.list") if not it["open"]], 60, "the activity")
    assert listed["elapsed_ms"] == summary["elapsed_ms"] and listed["total_ms"] == summary["total_ms"]
    track = daemon.call("activities.track", id=listed["id"], fields=["elapsed_ms"])
    assert len(track["rows"]) == summary["elapsed_ms"] // 1000
    wait_for(lambda: list((stage.directory / "state/exports").glob("*.fit")), 60, "the file")

    replay = subprocess.run(
        [PACECTL, "--state-dir", stage.directory / "state", "replay", str(listed["id"])],
        capture_output=True, check=True, timeout=GUARD).stdout.decode().splitlines()
    ends = [line for line in map(json.loads, replay) if line.get("event") == "stop"]
    assert len(ends) == 1
    # The same summary, except the names.
    assert {**ends[0]["summary"], "id": listed["id"], "uuid": listed["uuid"]} == summary
