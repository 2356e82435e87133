"""How far the search for a position is: `acquisition` in STATE."""

import subprocess

import pytest

from harness.fake_gpsd import ScriptedGpsd, report
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
