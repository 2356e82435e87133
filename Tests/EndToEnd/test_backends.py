"""The Bluetooth backends: which one is used, what is reported about it, and that none delays a tick."""

import subprocess
import time

import pytest

from harness.fake_bluez import Bus, FakeBluez
from harness.process import PACECTL
from harness.timing import expect_within, wait_for

# No adapter has this address, on a machine with Bluetooth or without.
NOWHERE = ["--gpsd", "off", "--sensors", "9AD13824", "--adapter", "00:00:00:00:00:01"]
MISSING = ("no-bluetooth", "no-adapter", "no-permission")


def pair(paced, *words):
    return subprocess.run(
        [PACECTL, "--runtime-dir", paced.runtime, *words], capture_output=True, text=True, timeout=60)


def way(paced):
    return paced.call("status")["bluetooth"]


def test_backend_follows_bluetoothd(stage):
    bus = stage.start(Bus(stage.directory))
    paced = stage.paced(*NOWHERE, DBUS_SYSTEM_BUS_ADDRESS=bus.address)

    def changes():
        said = [line for line in paced.log.read_text().splitlines() if "Bluetooth backend: " in line]
        return [line.split("backend: ")[1] for line in said]

    wait_for(lambda: way(paced)["backend"] == "kernel", 60, "the kernel's way")
    # The bus may respond late.
    assert way(paced)["reason"] in ("bluetoothd does not run", "the system bus does not answer")
    bluez = stage.keep(FakeBluez(bus))
    wait_for(lambda: way(paced) == {"backend": "bluetoothd", "reason": "bluetoothd runs"}, 60, "bluetoothd's way")
    # A bluetoothd that is restarted within 4 s stays the backend. A busy machine may need more than one attempt.
    for _ in range(5):
        wait_for(lambda: way(paced)["backend"] == "bluetoothd", 60, "bluetoothd's way")
        before = changes()
        bluez.end()
        stage.running.remove(bluez)
        time.sleep(1)
        bluez = stage.keep(FakeBluez(bus))
        time.sleep(4)
        if way(paced)["backend"] == "bluetoothd" and changes() == before:
            break
    assert way(paced)["backend"] == "bluetoothd" and changes() == before
    bluez.end()
    stage.running.remove(bluez)
    wait_for(lambda: way(paced)["backend"] == "kernel", 60, "the kernel's way again")
    assert changes() == [*before, "kernel (bluetoothd does not run)"] and before[1] == "bluetoothd (bluetoothd runs)"


def test_forced_bluetoothd_is_awaited_without_a_bus(stage):
    paced = stage.paced("--gpsd", "off", "--bluetooth", "bluetoothd")
    reader = stage.reader(paced)
    wait_for(lambda: paced.call("status")["heart"].get("reason") == "no-bluetooth", 60, "a reason")
    assert way(paced) == {"backend": "bluetoothd"}
    assert paced.call("sensor.scan", seconds=1)["code"] == -32001
    assert paced.call("run.start")["activity"] == 1
    wait_for(lambda: paced.call("status")["elapsed_ms"] >= 1000, 60, "a second of a run")
    reader.first("STATE", run="active")


@pytest.mark.parametrize("options", [["--bluetooth", "off"], ["--bluetooth", "kernel"], ["--bluetooth", "bluetoothd"]])
def test_pairing_without_bluetooth_is_rejected(stage, options):
    paced = stage.paced(*NOWHERE, *options)
    wait_for(lambda: paced.call("status")["heart"].get("reason") in MISSING + ("off",), 60, "a reason")
    refusal = paced.call("sensor.pair", sensor="9AD13824")
    assert refusal["code"] == -32001
    said = pair(paced, "sensors", "pair", "9AD13824")
    assert (said.returncode, said.stdout) == (1, "")
    assert refusal["data"]["message"] in said.stderr


def test_zero_offset_without_a_power_meter_is_rejected(stage):
    paced = stage.paced(*NOWHERE, "--bluetooth", "kernel")
    wait_for(lambda: paced.call("status")["heart"].get("reason") in MISSING, 60, "a reason")
    refusal = paced.call("sensor.zero")
    assert refusal["code"] == -32003
    said = pair(paced, "sensors", "zero", "Assioma")
    assert (said.returncode, said.stdout) == (1, "")
    assert refusal["data"]["message"] in said.stderr


def test_pairing_of_an_invalid_strap_is_rejected(stage):
    paced = stage.paced("--gpsd", "off", "--bluetooth", "off")
    assert paced.call("sensor.pair")["code"] == -32602
    assert paced.call("sensor.pair", sensor="\u0007")["code"] == -32004
    assert pair(paced, "sensors", "pair").returncode == 2


def worst(paced, seconds):
    """The maximum delay of a tick in a run of this many seconds, in ms."""
    paced.call("run.start")
    wait_for(lambda: paced.call("status")["elapsed_ms"] >= 1000 * seconds, seconds + 60, "a run")
    ticks = paced.call("status")["ticks"]
    paced.call("run.discard")
    return ticks["worst_ms"]


def test_slow_bus_delays_no_tick(stage, request):
    bus = stage.start(Bus(stage.directory))
    bluez = stage.keep(FakeBluez(bus, delay=2.0))
    paced = stage.paced("--gpsd", "off", "--bluetooth", "off")
    without = worst(paced, 8)
    paced.end()
    paced = stage.paced(*NOWHERE, "--bluetooth", "bluetoothd", DBUS_SYSTEM_BUS_ADDRESS=bus.address)
    wait_for(lambda: bluez.calls, 60, "a call")

    def run():
        since = time.monotonic()
        late = worst(paced, 8)
        assert [at for at, _ in bluez.calls if at > since], "nothing was asked while the run went on"
        return late, late / 1000

    # A blocking call would take 2000 ms.
    within = expect_within(0.2, run, "a tick")
    request.config.pluginmanager.getplugin("terminalreporter").write_line(
        f"worst lateness {without} ms without, {within} ms with: {within / max(without, 0.1):.1f} times")
