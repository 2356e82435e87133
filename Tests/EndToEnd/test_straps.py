"""The user's choice of straps, and its storage across restarts."""

import signal
import subprocess
import time

import pytest

from harness.process import PACECTL
from harness.timing import wait_for

# No test uses the machine's own Bluetooth.
AUTO = ["--gpsd", "off", "--bluetooth", "off"]


def test_selected_straps_survive_a_kill(stage):
    paced = stage.paced(*AUTO)
    assert paced.call("settings.get", key="straps") == []
    assert paced.call("strap.use", strap="9AD13824")["link"] == "disconnected"
    paced.call("strap.use", strap="F6:01:02:03:04:05", address_type="random", add=True)
    # A setting is in force when the response is sent, and on the disk soon after.
    time.sleep(1)
    paced.end(signal.SIGKILL)
    paced = stage.paced(*AUTO)
    assert paced.call("settings.get", key="straps") == ["9AD13824", "F6:01:02:03:04:05/random"]
    assert paced.call("settings.set", key="straps", value=["Polar H9"]) == ["Polar H9"]
    paced.end()
    paced = stage.paced(*AUTO)
    assert paced.call("settings.get", key="straps") == ["Polar H9"]
    assert paced.call("strap.forget", strap="H9")["code"] == -32003
    assert paced.call("strap.forget", strap="polar h9") is None
    assert paced.call("settings.get", key="straps") == []


def test_selected_straps_are_published_to_all_clients(stage):
    paced = stage.paced(*AUTO)
    reader = stage.reader(paced, classes=["SETTINGS", "EVENT"])
    paced.call("strap.use", strap="9AD13824")
    reader.first("SETTINGS", straps=["9AD13824"])
    assert reader.first("EVENT", event="settings", key="straps")["value"] == ["9AD13824"]
    paced.call("strap.use", strap="auto")
    reader.first("SETTINGS", straps=[])


@pytest.mark.parametrize("text", ["", "{", '{"version":1,"off":false,"straps":["\\u0007"],"remembered":[]}', "\0" * 100000])
def test_damaged_list_is_set_aside_and_reported(stage, text):
    state = stage.directory / "state"
    state.mkdir()
    (state / "straps.json").write_text(text)
    paced = stage.paced(*AUTO)
    assert paced.call("settings.get", key="straps") == []
    assert "straps.json is damaged" in paced.log.read_text()
    assert (state / "straps.json.damaged").read_text() == text
    paced.call("strap.use", strap="9AD13824")
    assert paced.call("settings.get", key="straps") == ["9AD13824"]


def test_option_overrides_a_selected_strap(stage):
    stage.paced(*AUTO).call("strap.use", strap="9AD13824")
    stage.running[0].end()
    paced = stage.paced(*AUTO, "--strap", "A0:9E:1A:00:00:01")
    assert paced.call("settings.get", key="straps") == ["A0:9E:1A:00:00:01"]
    for method, parameters in [("strap.use", {"strap": "auto"}), ("strap.forget", {}),
                               ("settings.set", {"key": "straps", "value": []})]:
        refusal = paced.call(method, **parameters)
        assert (refusal["code"], refusal["data"]["field"]) == (-32004, "--strap")
    paced.end()
    assert stage.paced(*AUTO).call("settings.get", key="straps") == ["9AD13824"]


def test_missing_adapter_is_reported_and_rejects_a_scan(stage):
    # No adapter has this address, on a machine with Bluetooth or without.
    paced = stage.paced("--gpsd", "off", "--strap", "9AD13824", "--adapter", "00:00:00:00:00:01")
    missing = ("no-bluetooth", "no-adapter", "no-permission")
    wait_for(lambda: paced.call("status")["heart"].get("reason") in missing, 5, "a reason")
    assert paced.call("status")["bluetooth"]["backend"] == "kernel"
    refusal = paced.call("strap.scan", seconds=1)
    assert refusal["code"] == -32001
    assert paced.call("status")["heart"]["reason"] in refusal["data"]["message"]
    assert paced.call("status")["heart"]["link"] == "disconnected"


def test_scan_without_bluetooth_is_rejected(stage):
    assert stage.paced(*AUTO).call("strap.scan", seconds=1)["code"] == -32001


def test_demo_stores_no_straps(stage):
    paced = stage.paced("--demo")
    paced.call("strap.use", strap="9AD13824")
    assert paced.call("settings.get", key="straps") == ["9AD13824"]
    assert not (stage.directory / "state" / "straps.json").exists()


def test_option_and_key_that_switch_straps_off_read_the_same(stage):
    configuration = stage.directory / "paced.conf"
    configuration.write_text("[Bluetooth]\nStraps=off\n")

    def lines(*options):
        daemon = stage.paced("--gpsd", "off", *options)
        shown = subprocess.run(
            [PACECTL, "--runtime-dir", daemon.runtime, "strap", "status"], capture_output=True, text=True, check=True).stdout
        daemon.stop()
        return shown.splitlines()[:2]
    by_option = lines("--strap", "off")
    assert by_option == lines("--config", configuration)
    assert by_option[0].endswith("Straps are switched off") and " none; " in by_option[1]
