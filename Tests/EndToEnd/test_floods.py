"""Peers that send too much: a strap that repeats its answers."""

import time

import pytest

from programs import wait_for


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
