"""How far the search for a position is: `acquisition` in STATE."""

import json
import subprocess

import pytest

from harness.fake_gpsd import ScriptedGpsd, report
from harness.paced_net import LATITUDE, LONGITUDE, StandingGpsd
from harness.process import PACECTL
from harness.timing import wait_for


def states(reader):
    """The states in their order, each once."""
    found = []
    for line in reader.of("STATE"):
        if (state := line["acquisition"]["state"]) not in found[-1:]:
            found.append(state)
    return found


@pytest.mark.fast_clock
def test_a_search_fails_and_begins_again_until_there_is_a_position(stage):
    gpsd = stage.keep(ScriptedGpsd())
    paced = stage.paced("--gpsd", gpsd.option, "--bluetooth", "off")
    reader = stage.reader(paced, classes=["STATE"], interval_ms=1000)
    gpsd.send({"class": "TPV", "device": gpsd.device, "mode": 1})
    reader.wait("the end of the search", lambda line: line.get("acquisition", {}).get("state") == "error-idle", 60)

    def status():
        return subprocess.run([PACECTL, "--runtime-dir", paced.runtime, "status"], capture_output=True, text=True).stdout

    # The search ends for 5 s, then begins again.
    wait_for(lambda: "no position found" in status(), 120, "the end of a search in the status")
    seen = len(reader.lines)
    index = 0

    def found(line):
        nonlocal index
        index += 1
        gpsd.send(report(index, index * 1000))
        return line.get("acquisition", {}).get("state") == "updated"

    state = reader.wait("a position", found, 60, since=seen)
    assert state["position"]["latitude"] > 52
    order = states(reader)
    assert order[0] in ("network", "searching", "extended")
    assert order[-1] == "updated" and "error-idle" in order
    gpsd.end()
    reader.wait("the loss of gpsd", lambda line: line.get("acquisition", {}).get("state") == "network", 60)


def test_an_indoor_run_has_no_acquisition(stage):
    paced = stage.paced("--gpsd", "off", "--bluetooth", "off")
    reader = stage.reader(paced, classes=["STATE"], interval_ms=1000)
    paced.call("run.start", indoor=True)
    state = reader.wait("a run", lambda line: line["class"] == "STATE" and line["run"] == "active", 60)
    assert "acquisition" not in state


def test_start_waits_for_a_position(stage, schema):
    gpsd = stage.keep(StandingGpsd(None))
    paced = stage.paced("--gpsd", gpsd.option, "--sensors", "off")
    reader = stage.reader(paced, classes=["EVENT", "STATE"])
    assert paced.call("run.start", sport="ride", wait="position") == {"waiting": "position"}
    waiting = reader.first("STATE", waiting="position")
    assert waiting["run"] == "idle" and not [error.message for error in schema.iter_errors(json.loads(waiting.text))]
    assert paced.call("run.stop") == {"run": "idle", "elapsed_ms": 0}
    assert "waiting" not in paced.call("status") and paced.call("run.stop")["code"] == -32001

    def pacectl(*words):
        return subprocess.run([PACECTL, "--runtime-dir", paced.runtime, *words], capture_output=True, text=True, timeout=60)

    assert "the run starts by itself" in pacectl("start", "ride", "--wait").stdout
    assert "Waiting for a position" in pacectl("status").stdout
    assert "no longer waits" in pacectl("stop").stdout
    assert pacectl("start", "--wait", "--indoor").returncode == 2
    pacectl("start", "ride", "--wait")
    gpsd.place = (LATITUDE, LONGITUDE)
    assert reader.first("EVENT", seconds=30, event="start")["sport"] == "ride"
    state = paced.call("status")
    assert state["run"] == "active" and "waiting" not in state
    paced.call("run.stop")
    # With a position it starts at once.
    assert "activity" in paced.call("run.start", wait="position")
    assert paced.call("run.start", wait="position")["code"] == -32001
    assert paced.call("run.start", wait="position", indoor=True)["code"] == -32602
    assert paced.call("run.start", wait="strap")["code"] == -32004
