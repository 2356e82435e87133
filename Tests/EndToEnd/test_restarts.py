"""A run whose daemon is restarted: it was never paused, and has the distance of a run without a restart."""

import contextlib
import datetime
import json
import signal
import subprocess
import threading
import time

import pytest

from harness.fake_gpsd import FakeGpsd
from harness.process import PACECTL
from harness.timing import boot_ms, wait_for
from test_recording import exports, messages

# Metres per second: the highest that is clearly below the maximum speed of a ride.
SPEED = 25.0
# Seconds of braking: the measured distance of a sudden stop depends on where in its second the run's tick is.
BRAKING = 10.0
# Metres of one degree of latitude at 52.5° N.
METRES = 111_268.0


class MovingGpsd(FakeGpsd):
    """A gpsd whose receiver reports at a given rate, and moves when the test requests it."""

    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        self.begun = self.ended = None
        self.is_running = True
        self.thread = threading.Thread(target=self.report, daemon=True)
        self.thread.start()

    def motion(self):
        """Metres since the start, and metres per second."""
        now = time.monotonic()
        if self.begun is None:
            return 0.0, 0.0
        if self.ended is None:
            return SPEED * (now - self.begun), SPEED
        braked = min(now - self.ended, BRAKING)
        return SPEED * (self.ended - self.begun + braked - braked * braked / 2 / BRAKING), SPEED * (1 - braked / BRAKING)

    def report(self):
        next_at = time.monotonic()
        while self.is_running:
            next_at += 1 / self.rate
            time.sleep(max(next_at - time.monotonic(), 0))
            now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
            metres, speed = self.motion()
            fix = {
                "class": "TPV", "device": self.device, "mode": 3, "time": now.replace("+00:00", "Z"),
                "lat": 52.5 + metres / METRES, "lon": 13.4, "eph": 4.0, "speed": speed}
            for client in list(self.clients):
                # The thread that reads from a client removes it.
                with contextlib.suppress(OSError):
                    self.say(client, fix)

    def end(self):
        self.is_running = False
        self.thread.join(5)
        super().end()


class Ride:
    """A run of a daemon that can be ended and restarted, and all lines that its subscribers received."""

    def __init__(self, stage, gpsd):
        self.stage = stage
        self.gpsd = gpsd
        self.states = []
        self.open()
        wait_for(lambda: "position" in self.status(), 60, "a position")
        # On a busy machine both rides stand still for more than the 3 s of an automatic pause.
        self.daemon.call("settings.set", key="auto_pause", value=[])
        self.daemon.call("run.start", sport="ride")

    def open(self):
        self.daemon = self.stage.paced("--gpsd", self.gpsd.option, "--sensors", "off")
        self.reader = self.stage.reader(self.daemon, classes=["STATE"])

    def status(self):
        return self.daemon.call("status")

    def close(self, number):
        """Ends the daemon; its lines are kept."""
        self.daemon.end(number)
        self.reader.end()
        self.states += [line for line in self.reader.of("STATE") if line["run"] == "active"]

    def restart(self, number):
        """Ends the daemon 1.5 s later in the run, and starts it again."""
        goal = self.status()["elapsed_ms"] + 1500
        wait_for(lambda: self.status()["elapsed_ms"] >= goal, 60, "a run that goes on")
        self.close(number)
        self.open()
        assert self.status()["run"] == "active"

    def stop(self):
        """Waits until the ride has stopped; returns the summary."""
        wait_for(lambda: self.status().get("speed_mps") == 0, 60, "a standstill")
        summary = self.daemon.call("run.stop")
        # The event ring continues over restarts.
        reader = self.stage.reader(self.daemon, since=0)
        reader.first("EVENT", event="stop")
        self.gaps = [event for event in reader.of("EVENT") if event["event"] == "gap"]
        wait_for(lambda: exports(self.stage), 60, "a file")
        return summary


@pytest.fixture
def stages(stage):
    """A fixture for a daemon that is restarted and one for a daemon that is not."""
    other = type(stage)()
    yield stage, other
    other.end()


# A restart takes a part of the 10 s of an outage that counts: the clock is the real one.
@pytest.mark.parametrize("number, count, metres, rate", [
    pytest.param(signal.SIGKILL, 6, 300, 10, id="kill-10"),
    *(pytest.param(*case, marks=pytest.mark.thorough, id=name) for name, *case in [
        ("kill-1", signal.SIGKILL, 6, 300, 1), ("term-10", signal.SIGTERM, 20, 1000, 10),
        ("term-1", signal.SIGTERM, 20, 1000, 1)])])
def test_restarts_lose_neither_time_nor_distance(stages, rate, number, count, metres):
    gpsd = stages[0].keep(MovingGpsd(rate))
    restarted, whole = Ride(stages[0], gpsd), Ride(stages[1], gpsd)
    gpsd.begun = time.monotonic()
    for _ in range(count):
        restarted.restart(number)
    wait_for(lambda: gpsd.motion()[0] >= metres, 60, "the way")
    gpsd.ended = time.monotonic()
    summary, expected = restarted.stop(), whole.stop()
    restarted.close(signal.SIGTERM)

    # The elapsed time never goes back: every state is on the schedule of the run's start.
    elapsed = [state["elapsed_ms"] for state in restarted.states]
    assert elapsed == sorted(elapsed)
    began = restarted.states[0]["boot_ms"] - elapsed[0]
    assert all(-100 < state["boot_ms"] - state["elapsed_ms"] - began < 100 for state in restarted.states)
    assert 0 <= summary["total_ms"] - summary["elapsed_ms"] < 100
    assert summary["gaps"] == count
    assert [(gap["cause"], gap["counted"]) for gap in restarted.gaps] == [("restart", True)] * count
    assert all(gap["gap_s"] < 10 for gap in restarted.gaps)

    error = abs(summary["distance_m"] - expected["distance_m"]) / expected["distance_m"]
    lost = summary["distance_m"] - expected["distance_m"]
    print(f"{count} restarts at {rate} Hz: {lost:+.2f} m of {expected['distance_m']:.2f} m")
    assert expected["distance_m"] >= metres
    assert error < 0.005

    # The file has one timer period, and a replay agrees.
    name, = exports(stages[0])
    timer = [event["event_type"] for event in messages(stages[0].directory / "state/exports" / name)["event"]
             if event["event"] == "timer"]
    assert timer == ["start", "stop_all"]
    lines = subprocess.run(
        [PACECTL, "--state-dir", stages[0].directory / "state", "replay", "1", "--interval-ms", "60000"],
        capture_output=True, text=True, check=True).stdout.splitlines()
    replayed = next(line for line in map(json.loads, lines) if line.get("event") == "stop")["summary"]
    assert replayed | {"uuid": summary["uuid"]} == summary


@pytest.mark.fast_clock
def test_long_outage_is_a_pause_from_the_signal(stage):
    daemon = stage.paced("--gpsd", "off", "--sensors", "off")
    daemon.call("run.start", indoor=True)
    wait_for(lambda: daemon.call("status")["elapsed_ms"] >= 1500, 60, "a run")
    before = daemon.call("status")["elapsed_ms"]
    daemon.end(signal.SIGTERM)
    ended = boot_ms()
    # There is no event to wait for: the limit itself is 10 s.
    wait_for(lambda: boot_ms() > ended + 10_050, 60, "an outage of more than 10 s")
    daemon = stage.paced("--gpsd", "off", "--sensors", "off")
    reader = stage.reader(daemon, since=0)
    gap = reader.first("EVENT", event="gap", cause="restart")
    assert not gap["counted"] and gap["gap_s"] > 10
    summary = daemon.call("run.stop")
    assert before <= summary["elapsed_ms"] < summary["total_ms"] - 10_000
