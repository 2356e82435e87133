"""The message by which Home Assistant finds a board, judged by the rules of its discovery (since 2024.11).

They are those of homeassistant/components/mqtt of 2026.2: any other key at the top or in `dev` refuses the whole
message, a wrong class or unit of one entity refuses that entity, an unknown key in it is dropped silently.
"""

import re

import pytest

from harness.timing import wait_for

TOP = {"dev", "o", "cmps", "avty", "avty_mode", "stat_t", "cmd_t", "qos", "e"}
DEVICE = {"ids", "cns", "name", "mf", "mdl", "mdl_id", "hw", "sw", "sn", "cu", "sa", "via_device"}
COMPONENT = {"p", "uniq_id", "name", "dev_cla", "unit_of_meas", "stat_cla", "sug_dsp_prc", "exp_aft", "val_tpl",
             "ent_cat", "ic", "ops", "en", "stat_t", "pl_on", "pl_off", "json_attr_t", "json_attr_tpl"}
# The units of each class of a sensor that we use. A heart rate and a cadence have no class.
UNITS = {"speed": {"m/s", "km/h"}, "power": {"W", "kW"}, "distance": {"m", "km"}, "duration": {"ms", "s", "min", "h"},
         "battery": {"%"}, "enum": {None}}
STATE_CLASSES = {"measurement", "total", "total_increasing"}
BINARY_CLASSES = {"running", "problem"}


def check(payload, device):
    """Fails if Home Assistant would refuse the message or a part of it."""
    assert payload.keys() <= TOP and payload.keys() >= {"dev", "o", "cmps"}
    assert payload["dev"].keys() <= DEVICE and payload["dev"]["ids"] and payload["o"]["name"]
    assert payload["avty"] == [{"t": f"paced/v1/{device}/status"}]
    # A topic at the top would become the state of the tracker too.
    assert "stat_t" not in payload
    parts = shown(payload).values()
    assert len({part["uniq_id"] for part in parts}) == len(parts)
    for part in parts:
        assert part.keys() <= COMPONENT and part["name"]
        CHECKS[part["p"]](part, device)


def shown(payload):
    """The parts by their names. One that has its platform alone is removed by Home Assistant."""
    assert all(part["p"] in CHECKS for part in payload["cmps"].values())
    return {name: part for name, part in payload["cmps"].items() if part.keys() != {"p"}}


def check_sensor(part, device):
    kind, unit, state = part.get("dev_cla"), part.get("unit_of_meas"), part.get("stat_cla")
    assert part["stat_t"] == f"paced/v1/{device}/state"
    assert kind is None or unit in UNITS[kind]
    assert state is None or state in STATE_CLASSES and unit is not None
    if kind == "enum":
        assert part["ops"] == ["idle", "active", "paused"] and state is None and unit is None
    if kind == "distance":
        assert state == "total_increasing"
    assert type(part["exp_aft"]) is int and part["exp_aft"] >= 10
    # A member that is absent makes the value unknown; an empty text would keep the old one.
    assert re.fullmatch(r"\{\{ value_json\.[a-z_]+ \| default\('None'\) \}\}", part["val_tpl"])


def check_binary(part, device):
    assert part["dev_cla"] in BINARY_CLASSES and part["stat_t"] == f"paced/v1/{device}/state"
    assert "stat_cla" not in part and "unit_of_meas" not in part
    assert "'ON'" in part["val_tpl"] and "'OFF'" in part["val_tpl"]


def check_tracker(part, device):
    assert "stat_t" not in part and "val_tpl" not in part and "exp_aft" not in part
    for name, of_owntracks in {"latitude": "lat", "longitude": "lon", "gps_accuracy": "acc"}.items():
        assert f"'{name}': value_json.{of_owntracks}" in part["json_attr_tpl"]


CHECKS = {"sensor": check_sensor, "binary_sensor": check_binary, "device_tracker": check_tracker}


def begin(link, level="full", prefix=None, **sections):
    link.start_broker()
    link.start_demo()
    keys = {"Discovery": "yes"} | ({"Prefix": prefix} if prefix else {})
    link.start_link(level, HomeAssistant=keys, **sections)
    watcher = link.listen("+/state", "+/status")
    return watcher, discovery(link, prefix or "homeassistant")


def discovery(link, prefix):
    """The message that the broker keeps."""
    link.link.wait_for_state("mqtt", "connected")
    return link.subscribe(f"{prefix}/device/+/config").wait("a discovery", lambda message: True)


@pytest.mark.parametrize("level", ["health", "full"])
def test_discovery_keeps_the_rules_and_has_the_members_of_the_state(link, level):
    watcher, message = begin(link, level)
    assert message.topic == f"homeassistant/device/{link.device}/config" and message.is_retained
    check(message.json, link.device)
    templates = " ".join(part.get("val_tpl", "") for part in message.json["cmps"].values())
    assert ("value_json.bpm" in templates) == (level == "full")
    # Every value of an entity comes in the state, when it is known.
    named = set(re.findall(r"value_json\.([a-z_]+)", templates))
    wait_for(lambda: any(level == "health" or "bpm" in state.json for state in watcher.of("/state")), 60, "a state")
    seen = set().union(*(state.json for state in watcher.of("/state")))
    assert named - seen <= {"battery_percent", "strap_battery_percent", "power_w", "cadence"}, named - seen


def test_tracker_is_there_with_owntracks(link):
    _, message = begin(link, OwnTracks={"Mode": "mqtt", "User": "anna", "Device": "bike"})
    check(message.json, link.device)
    trackers = [part for part in message.json["cmps"].values() if part["p"] == "device_tracker"]
    assert [tracker["json_attr_t"] for tracker in trackers] == ["owntracks/anna/bike"]


def test_prefix_and_chosen_members(link):
    _, message = begin(link, prefix="ha", mqtt={"Members": "run,distance_m", "IntervalSec": 20})
    assert message.topic.startswith("ha/device/")
    check(message.json, link.device)
    assert {"run", "distance_m"} <= shown(message.json).keys() <= {"run", "distance_m", "running"}
    assert message.json["cmps"]["distance_m"]["exp_aft"] >= 60


def test_board_is_unavailable_by_its_will(link):
    watcher, message = begin(link, "health")
    topic = message.json["avty"][0]["t"]
    assert watcher.wait("online", lambda message: message.topic == topic).payload == b"online"
    link.link.kill()
    watcher.wait("offline", lambda message: message.topic == topic and message.payload == b"offline")


@pytest.mark.thorough
def test_discovery_is_told_again_to_a_broker_that_has_forgotten_it(link):
    _, before = begin(link, "health")
    link.broker.kill()
    link.link.wait_for_state("mqtt", "waiting")
    link.broker.start()
    assert discovery(link, "homeassistant").payload == before.payload


def test_nothing_is_discovered_by_default(link):
    link.start_broker()
    link.start_daemon()
    watcher = link.subscribe("#")
    link.start_link()
    wait_for(lambda: watcher.of("/state"), 60, "a state")
    assert {message.topic.split("/")[0] for message in watcher.messages} == {"paced"}
