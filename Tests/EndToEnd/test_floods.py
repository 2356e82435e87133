"""Peers that send too much: a strap that repeats its answers, a lap key that bounces."""

import json
import subprocess
import time

import pytest

from programs import PACECTL, wait_for


def test_a_lap_within_a_second_of_the_last_one_is_refused_with_words(stage):
    daemon = stage.paced("--gpsd", "off", "--strap", "off")
    daemon.call("run.start")
    # Two requests on one connection: however busy the machine is, they come together.
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "run.lap"})
    first, second = map(json.loads, daemon.ask(request, request))
    assert first["result"]["run"] == "active"
    assert second["error"]["code"] == -32001
    assert second["error"]["data"] == {"message": "cannot lap within 1 s of the last lap"}
    time.sleep(1)
    lap = [PACECTL, "--runtime-dir", daemon.runtime, "lap"]
    subprocess.run(lap, check=True, capture_output=True, timeout=10)
    assert daemon.call("run.stop")["laps"] == 3


def test_the_words_are_those_of_pacectl_too(stage):
    daemon = stage.paced("--gpsd", "off", "--strap", "off")
    daemon.call("run.start")
    lap = [PACECTL, "--runtime-dir", daemon.runtime, "lap"]
    # A machine may be too busy for two programs in a second: the second lap is tried until it comes in time.
    for _ in range(20):
        subprocess.run(lap, check=False, capture_output=True, timeout=10)
        second = subprocess.run(lap, check=False, capture_output=True, timeout=10, text=True)
        if second.returncode:
            break
        time.sleep(1)
    assert second.stderr.strip() == "pacectl: cannot lap within 1 s of the last lap"


@pytest.mark.parametrize("milliseconds", [0, 5, 50])
def test_a_strap_that_answers_each_request_twice_is_a_strap(stage, milliseconds):
    # As slow as over the air: a late repetition then falls into the time of another question.
    strap = stage.strap("--latency", "20", "--twice", str(milliseconds), period=0.5)
    begun = time.monotonic()
    daemon = stage.paced("--gpsd", "off", "--strap", f"unix:{strap.path}")
    reader = stage.reader(daemon, classes=["STATE", "EVENT", "HEART"])
    reader.first("HEART", seconds=5)
    print(f"a beat after {time.monotonic() - begun:.1f} s")
    assert time.monotonic() - begun < 5
    wait_for(lambda: "the strap is" in daemon.log.read_text(), 10, "what the strap says of itself")
    assert "the strap is Polar Electro Oy, H10, firmware 5.0.0" in daemon.log.read_text()
    heart = wait_for(lambda: (it := daemon.call("status")["heart"]).get("name") and it, 5, "a name")
    assert (heart["name"], heart["battery_percent"]) == ("Polar H10 00000000", 87)
    links = [event["link"] for event in reader.of("EVENT") if event["event"] == "link" and event["of"] == "heart"]
    assert "disconnected" not in links


def test_an_interval_of_zero_is_no_beat(stage):
    strap = stage.strap("--values", "10430000,104300000002,1043000100000001", period=0.5)
    daemon = stage.paced("--gpsd", "off", "--strap", f"unix:{strap.path}")
    reader = stage.reader(daemon, classes=["EVENT", "HEART"])
    daemon.call("run.start", indoor=True)
    hearts = wait_for(lambda: len(found := reader.of("HEART")) >= 6 and found[:6], 10, "beats")
    assert [heart.get("rr_1024") for heart in hearts] == [None, [512], [256, 256]] * 2
    assert not any(heart.get("gap") for heart in hearts)
    assert ["beat_boot_ms" in heart.value for heart in hearts] == [False, True, True] * 2
    summary = daemon.call("run.stop")
    file = stage.directory / "run.csv"
    daemon.end()
    subprocess.run(
        [PACECTL, "--state-dir", stage.directory / "state", "export", str(summary["id"]),
         "--format", "csv", "-o", file],
        check=True, capture_output=True, timeout=20)
    header, *rows = file.read_text().splitlines()
    column = header.split(",").index("rr_ms")
    intervals = [float(text) for row in rows for text in row.split(",")[column].split()]
    assert intervals and all(interval > 200 for interval in intervals)
