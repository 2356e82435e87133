"""The barometer of the board: a directory replaces that of the kernel's IIO devices."""

import os
import shutil

import pytest

from harness.process import expect_end
from harness.timing import expect_within, wait_for


class Devices:
    """A directory like /sys/bus/iio/devices."""

    def __init__(self, directory):
        self.path = directory / "devices"
        self.path.mkdir()

    def put(self, number, **files):
        """Writes files of a device; each has its new text at once."""
        device = self.path / f"iio:device{number}"
        new = self.path / f".new{number}"
        shutil.copytree(device, new) if device.exists() else new.mkdir()
        for name, text in files.items():
            (new / name).write_text(text)
        if not device.exists():
            new.rename(device)
            return
        for name in files:
            (new / name).rename(device / name)
        shutil.rmtree(new)

    def remove(self, number):
        (self.path / f"iio:device{number}").rename(self.path / ".old")
        shutil.rmtree(self.path / ".old")

    def option(self):
        return "--barometer", str(self.path)


def logged(paced, text, times=1):
    wait_for(lambda: paced.log_text().count(text) == times, 60, f"{times} × {text}")


def measured(state):
    """The pressure and the temperature in STATE, which has no blocks before the subscription."""
    sensors = state.get("blocks", {}).get("sensors", [])
    return {name: sensor[name] for sensor in sensors for name in ("pressure_pa", "temperature_c") if name in sensor}


@pytest.mark.fast_clock
def test_barometer_has_a_thread_of_its_own_while_it_exists(stage):
    devices = Devices(stage.directory)
    devices.put(1, name="bmp280\n", in_pressure_input="100.653253906\n", in_temp_input="25080\n")
    devices.put(3, name="ms5611\n", in_pressure_input="99\n")
    paced = stage.paced("--gpsd", "off", "--sensors", "off", *devices.option())
    logged(paced, "barometer bmp280 (iio:device1) found: 1006.5 hPa; not used: ms5611 (iio:device3)")
    assert paced.kernel_status("Threads") == 4
    reader = stage.reader(paced, blocks=["sensors"])
    values = {"pressure_pa": 100653.3, "temperature_c": 25.08}
    reader.wait("its values in STATE", lambda line: line["class"] == "STATE" and measured(line) == values, 60)
    devices.remove(1)
    logged(paced, "barometer bmp280 (iio:device1) is gone")
    logged(paced, "barometer ms5611 (iio:device3) found: 990.0 hPa")
    devices.remove(3)
    logged(paced, "barometer ms5611 (iio:device3) is gone")
    wait_for(lambda: paced.kernel_status("Threads") == 3, 60, "the end of the thread")
    devices.put(1, name="bmp280\n", in_pressure_input="100.6\n")
    logged(paced, "barometer bmp280 (iio:device1) found: 1006.0 hPa")


@pytest.mark.fast_clock
def test_invalid_pressure_is_logged_once_until_a_valid_one(stage):
    devices = Devices(stage.directory)
    devices.put(0, name="bmp280\n", in_pressure_input="nan\n")
    paced = stage.paced("--gpsd", "off", "--sensors", "off", *devices.option())
    logged(paced, "barometer bmp280 (iio:device0) rejected: in_pressure_input is not a number")
    devices.put(0, in_pressure_input="130\n")
    devices.put(1, name="ms5611\n", in_accel_x_raw="1\n")
    # Five readings later all devices are tried again: the first one is still the only one.
    reader = stage.reader(paced)
    reader.watch(7)
    devices.put(0, in_pressure_input="101.325\n")
    logged(paced, "barometer bmp280 (iio:device0) has valid values again")
    assert paced.log_text().count("rejected") == 1 and paced.log_text().count(" found") == 1


def test_barometer_that_hangs_delays_no_tick(stage):
    devices = Devices(stage.directory)
    devices.put(0, name="bmp280\n", in_temp_input="25080\n")
    fifo = devices.path / "iio:device0" / "in_pressure_input"
    os.mkfifo(fifo)
    paced = stage.paced("--gpsd", "off", "--sensors", "off", *devices.option())
    paced.call("run.start")
    reader = stage.reader(paced)
    logged(paced, "barometer has not answered for 5 s; there is no pressure until it does")
    expect_within(0.05, lambda: reader.punctuality(30), "a state")
    assert paced.log_text().count("has not answered") == 1
    # A value after all: the reading ends.
    with open(fifo, "w", encoding="ascii") as writer:
        fifo.unlink()
        fifo.write_text("99.5\n", encoding="ascii")
        writer.write("99.5\n")
    logged(paced, "barometer bmp280 (iio:device0) found: 995.0 hPa")


def test_barometer_that_hangs_does_not_delay_the_end(stage):
    devices = Devices(stage.directory)
    devices.put(0, name="bmp280\n")
    os.mkfifo(devices.path / "iio:device0" / "in_pressure_input")

    def start():
        paced = stage.paced("--gpsd", "off", "--sensors", "off", *devices.option())
        wait_for(lambda: paced.kernel_status("Threads") == 4, 60, "the thread of the barometer")
        return paced

    expect_end(start, 2)


def test_barometer_is_not_read_if_it_is_off(stage):
    devices = Devices(stage.directory)
    devices.put(0, name="bmp280\n", in_pressure_input="100\n")
    configuration = stage.directory / "paced.conf"
    configuration.write_text(f"[Sensors]\nBarometer={devices.path}\n")
    paced = stage.paced("--gpsd", "off", "--sensors", "off", "--config", configuration)
    logged(paced, "barometer bmp280 (iio:device0) found: 1000.0 hPa")
    paced.end()
    paced.log.unlink()
    configuration.write_text("[Sensors]\nBarometer=off\n")
    paced.start()
    stage.reader(paced).watch(1)
    assert paced.kernel_status("Threads") == 3 and "barometer" not in paced.log_text()
