"""The user's choice of sensors, and its storage across restarts."""

import contextlib
import signal
import sqlite3
import subprocess

import pytest

from harness.process import PACECTL
from harness.timing import wait_for

# No test uses the machine's own Bluetooth.
AUTO = ["--gpsd", "off", "--bluetooth", "off"]


def stored(stage, name):
    """A setting in the journal; empty without one."""
    with contextlib.closing(sqlite3.connect(f"file:{stage.directory}/state/journal.sqlite?mode=ro", uri=True)) as journal:
        found = journal.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
    return found[0] if found else ""


def test_selected_sensors_survive_a_kill(stage):
    paced = stage.paced(*AUTO)
    wait_for(lambda: paced.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    assert paced.call("settings.get", key="sensors") == []
    assert paced.call("sensor.use", sensor="9AD13824")["link"] == "disconnected"
    paced.call("sensor.use", sensor="F6:01:02:03:04:05", address_type="random", add=True)
    # A setting is in force when the response is sent, and on the disk soon after.
    wait_for(lambda: "F6:01" in stored(stage, "straps"), 60, "the choice on the disk")
    paced.end(signal.SIGKILL)
    paced = stage.paced(*AUTO)
    assert paced.call("settings.get", key="sensors") == ["9AD13824", "F6:01:02:03:04:05/random"]
    assert paced.call("settings.set", key="sensors", value=["Polar H9"]) == ["Polar H9"]
    paced.end()
    paced = stage.paced(*AUTO)
    assert paced.call("settings.get", key="sensors") == ["Polar H9"]
    assert paced.call("sensor.forget", sensor="H9")["code"] == -32003
    assert paced.call("sensor.forget", sensor="polar h9") is None
    assert paced.call("settings.get", key="sensors") == []


def test_selected_sensors_are_published_to_all_clients(stage):
    paced = stage.paced(*AUTO)
    reader = stage.reader(paced, classes=["SETTINGS", "EVENT"])
    paced.call("sensor.use", sensor="9AD13824")
    reader.first("SETTINGS", sensors=["9AD13824"])
    assert reader.first("EVENT", event="settings", key="sensors")["value"] == ["9AD13824"]
    paced.call("sensor.use", sensor="auto")
    reader.first("SETTINGS", sensors=[])


@pytest.mark.parametrize("text", ["", "{", '{"version":1,"off":false,"straps":["\\u0007"],"remembered":[]}', "\0" * 100000])
def test_damaged_list_is_set_aside_and_reported(stage, text):
    state = stage.directory / "state"
    state.mkdir()
    (state / "sensors.json").write_text(text)
    paced = stage.paced(*AUTO)
    assert paced.call("settings.get", key="sensors") == []
    assert "sensors.json is damaged" in paced.log.read_text()
    assert (state / "sensors.json.damaged").read_text() == text
    paced.call("sensor.use", sensor="9AD13824")
    assert paced.call("settings.get", key="sensors") == ["9AD13824"]


def test_option_overrides_a_selected_sensor(stage):
    stage.paced(*AUTO).call("sensor.use", sensor="9AD13824")
    stage.running[0].end()
    paced = stage.paced(*AUTO, "--sensors", "A0:9E:1A:00:00:01")
    assert paced.call("settings.get", key="sensors") == ["A0:9E:1A:00:00:01"]
    for method, parameters in [("sensor.use", {"sensor": "auto"}), ("sensor.forget", {}),
                               ("settings.set", {"key": "sensors", "value": []})]:
        refusal = paced.call(method, **parameters)
        assert (refusal["code"], refusal["data"]["field"]) == (-32004, "--sensors")
    paced.end()
    assert stage.paced(*AUTO).call("settings.get", key="sensors") == ["9AD13824"]


def test_missing_adapter_is_reported_and_rejects_a_scan(stage):
    # No adapter has this address, on a machine with Bluetooth or without.
    paced = stage.paced("--gpsd", "off", "--sensors", "9AD13824", "--adapter", "00:00:00:00:00:01")
    missing = ("no-bluetooth", "no-adapter", "no-permission")
    wait_for(lambda: paced.call("status")["heart"].get("reason") in missing, 60, "a reason")
    assert paced.call("status")["bluetooth"]["backend"] == "kernel"
    refusal = paced.call("sensor.scan", seconds=1)
    assert refusal["code"] == -32001
    assert paced.call("status")["heart"]["reason"] in refusal["data"]["message"]
    assert paced.call("status")["heart"]["link"] == "disconnected"


def test_scan_without_bluetooth_is_rejected(stage):
    assert stage.paced(*AUTO).call("sensor.scan", seconds=1)["code"] == -32001


def test_demo_stores_no_sensors(stage):
    paced = stage.paced("--demo")
    paced.call("sensor.use", sensor="9AD13824")
    assert paced.call("settings.get", key="sensors") == ["9AD13824"]
    assert not (stage.directory / "state" / "sensors.json").exists()


def test_demo_refuses_to_switch_its_simulated_sensors_off(stage):
    paced = stage.paced("--demo")
    answer = paced.call("sensor.use", sensor="off")
    assert (answer["code"], answer["data"]["field"]) == (-32004, "sensor")
    assert paced.call("settings.get", key="sensors") == []


def test_option_and_key_that_switch_sensors_off_read_the_same(stage):
    configuration = stage.directory / "paced.conf"
    configuration.write_text("[Bluetooth]\nSensors=off\n")

    def lines(*options):
        daemon = stage.paced("--gpsd", "off", *options)
        shown = subprocess.run(
            [PACECTL, "--runtime-dir", daemon.runtime, "sensors", "status"], capture_output=True, text=True, check=True).stdout
        daemon.stop()
        return shown.splitlines()[:2]
    by_option = lines("--sensors", "off")
    assert by_option == lines("--config", configuration)
    assert by_option[0].endswith("sensors are switched off") and " none; " in by_option[1]
