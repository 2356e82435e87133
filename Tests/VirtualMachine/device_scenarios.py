"""Devices that are plugged into the board and unplugged: receivers, the adapter, keys and LEDs."""
import fcntl
import json
import os
import pathlib
import re
import struct
import termios

import keyboard
from barometer import Barometer, compensated
from board import (
    SERVICE, Receiver, beating, configure, exposure, is_active, journal, main_process, property_of, run, systemctl,
    wait_active)
from harness.timing import boot_ms, expect, wait_for

PANEL = "paced-panel.service"
CONSOLE = "paced-console.service"


def receiver(board):
    """A receiver is unplugged, and one that only our rule knows is plugged in; an ambiguous device is left alone."""
    rider = board.rider()
    board.receiver.kill()
    rider.until("no position", lambda state: "position" not in state or state["position"]["stale"])
    # A serial adapter as power meters have: gpsd would probe it at all speeds.
    board.receiver = Receiver(vendor="1a86", product="55d4")
    board.receiver.start()
    wait_for(pathlib.Path("/dev/ttyACM0").exists, 60, "its port")
    run("udevadm", "settle")
    expect(not list(pathlib.Path("/dev").glob("gps*")), "it was taken for a receiver")
    expect(not is_active("gpsdctl@ttyACM0.service"), "it was handed to gpsd")
    board.receiver.kill()
    at = boot_ms()
    board.receiver = Receiver(vendor="1546", product="01ab")
    board.receiver.start()
    state = rider.until("position", lambda state: not state.get("position", {}).get("stale", True), 60)
    board.measured["position_s"] = (state["boot_ms"] - at) / 1000
    expect(os.path.realpath("/dev/gps0") == "/dev/ttyACM0", "it has no name of a receiver")
    tested = run("udevadm", "test", "/sys/class/tty/ttyACM0", check=False)
    said = [line for line in (tested.stdout + tested.stderr + journal("--unit", "systemd-udevd")).splitlines()
            if re.search(r"60-paced\.rules:\d+.*(nvalid|nknown|ailed|gnor)", line)]
    expect(not said, f"udev says of our rules: {said}")


def adapter(board):
    """An adapter that is unplugged and plugged in again; and one that starts an ended service by its appearance."""
    rider = board.rider()
    beating(rider)
    board.air.do("unplug", number=0)
    rider.until("no adapter", lambda state: state["heart"].get("reason") == "no-adapter")
    wait_for(lambda: not board.strap.events()["connected"], 60, "the strap free again")
    at = board.air.do("plug", number=0)["at"]
    board.measured["back_s"] = (beating(rider)["boot_ms"] - at) / 1000
    systemctl("stop", SERVICE)
    board.air.do("unplug", number=0)
    wait_for(lambda: not list(pathlib.Path("/sys/class/bluetooth").iterdir()), 60, "the adapter gone")
    wait_for(lambda: not is_active("bluetooth.target"), 60, "bluetooth.target")
    board.air.do("plug", number=0)
    wait_active()


class Lamp:
    """An LED of /sys/class/leds: that of a virtual keyboard (uinput)."""

    def __init__(self):
        before = set(self.DIRECTORY.iterdir())
        self.descriptor = os.open("/dev/uinput", os.O_RDWR)
        fcntl.ioctl(self.descriptor, keyboard.UI_SET_EVBIT, 0x11)  # EV_LED
        fcntl.ioctl(self.descriptor, 0x40045569, 1)  # UI_SET_LEDBIT, LED_CAPSL
        setup = struct.pack("=4H80sI", keyboard.BUS_VIRTUAL, 0x1209, 2, 1, b"lamp", 0)
        fcntl.ioctl(self.descriptor, keyboard.UI_DEV_SETUP, setup)
        fcntl.ioctl(self.descriptor, keyboard.UI_DEV_CREATE)
        wait_for(lambda: set(self.DIRECTORY.iterdir()) - before, 60, "the light")
        self.path = (set(self.DIRECTORY.iterdir()) - before).pop()

    DIRECTORY = pathlib.Path("/sys/class/leds")

    def is_on(self):
        return (self.path / "brightness").read_text().strip() != "0"


class Beeper:
    """A sound device of uinput, which reports the tones that are written to it."""

    NAME = "board-beeper"

    def __init__(self):
        self.descriptor = os.open("/dev/uinput", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.descriptor, keyboard.UI_SET_EVBIT, 0x12)  # EV_SND
        fcntl.ioctl(self.descriptor, 0x4004556A, 2)  # UI_SET_SNDBIT, SND_TONE
        setup = struct.pack("=4H80sI", keyboard.BUS_VIRTUAL, 0x1209, 3, 1, self.NAME.encode(), 0)
        fcntl.ioctl(self.descriptor, keyboard.UI_DEV_SETUP, setup)
        fcntl.ioctl(self.descriptor, keyboard.UI_DEV_CREATE)
        self.heard = []

    def tones(self):
        """The frequencies so far, 0 at each end."""
        size = struct.calcsize("llHHi")
        try:
            while event := os.read(self.descriptor, size):
                _, _, kind, code, value = struct.unpack("llHHi", event)
                if (kind, code) == (0x12, 2):
                    self.heard.append(value)
        except BlockingIOError:
            pass
        return self.heard


def panel(board):
    """Keys start a run, close a lap and stop the run; an LED shows that it is recorded, and a beeper a step of the workout."""
    rider = board.rider()
    run("modprobe", "uinput")
    lamp, beeper, keys = Lamp(), Beeper(), keyboard.Keyboard("Handlebar remote")
    run("pacectl", "settings", "set", "workout", "2 s, lap")
    configure(f"Panel Toggle=KEY_PLAYPAUSE Lap=KEY_NEXTSONG Stop=KEY_STOPCD RecordingLED={lamp.path.name} Beeper={beeper.NAME}")
    systemctl("restart", PANEL)
    wait_for(lambda: "listening to Handlebar remote" in journal("--unit", PANEL), 60, "the keys")
    whose = run("ps", "-o", "user:32=", "-p", property_of(PANEL, "MainPID")).strip()
    expect(whose == "paced-panel", f"the panel is {whose}")
    keys.press("KEY_PLAYPAUSE", 0.1)
    rider.until("run", lambda state: state["run"] == "active")
    wait_for(lamp.is_on, 60, "the light on")
    rider.wait("step", lambda line: line.get("event") == "workout" and line.get("step") == 2, 60)
    wait_for(lambda: beeper.tones()[-4:] == [2200, 0, 2200, 0], 60, "two tones")
    # Within a second of the step's lap a command closes none.
    rider.watch(2)
    keys.press("KEY_NEXTSONG", 0.1)
    rider.wait("lap", lambda line: line.get("event") == "lap" and line["trigger"] == "command", 10)
    keys.press("KEY_STOPCD", 0.5)
    rider.watch(2)
    expect(rider.until("state", lambda state: True)["run"] == "active", "a short press ended the run")
    keys.press("KEY_STOPCD", 2.5)
    rider.until("idle", lambda state: state["run"] == "idle")
    wait_for(lambda: not lamp.is_on(), 60, "the light off")
    board.measured["exposure"] = exposure(PANEL)
    run("pacectl", "settings", "set", "workout", "[]")
    keys.end()


def console(board):
    """The screen is on the first console, in the place of the login; its keys command the run, and q does not end it."""
    def pressed(key):
        with open("/dev/tty1", "rb", buffering=0) as terminal:
            fcntl.ioctl(terminal, termios.TIOCSTI, key)

    def shown(text):
        wait_for(lambda: text in pathlib.Path("/dev/vcs1").read_bytes(), 60, f"{text} on the console")

    rider = board.rider()
    systemctl("start", CONSOLE)
    shown(b"GPS")
    expect(not is_active("getty@tty1.service"), "the login is on the same console")
    pressed(b" ")
    rider.until("run", lambda state: state["run"] == "active")
    before = property_of(CONSOLE, "MainPID")
    pressed(b"q")
    wait_for(lambda: property_of(CONSOLE, "MainPID") not in ("0", before), 60, "another process")
    shown(b"GPS")
    board.measured["exposure"] = exposure(CONSOLE)
    systemctl("stop", CONSOLE)
    board.owner().call("run.discard")


def barometer(board):
    """The kernel's driver of a BMP280 gives the pressure; the driver is unbound and bound again, with another pressure."""
    chip, process = Barometer(), main_process()

    # The daemon has this thread while it has a barometer. Reading the journal takes long on this machine.
    def is_read():
        tasks = pathlib.Path(f"/proc/{process}/task").glob("*/comm")
        return "paced-barometer\n" in [task.read_text() for task in tasks]

    def expect_logged(text):
        wait_for(lambda: text in journal("--unit", SERVICE), 30, text)

    def expect_pressure(pascals):
        wait_for(is_read, 60, "the thread of the barometer")
        expect_logged(f"barometer bmp280 (iio:device0) found: {pascals / 100:.1f} hPa")
        sensors = json.loads(run("pacectl", "--json", "sensors"))["sensors"]
        pressures = [sensor["pressure_pa"] for sensor in sensors if "environment" in sensor["kinds"]]
        expect(len(pressures) == 1 and abs(pressures[0] - pascals) < 1, f"STATE has {pressures}, not {pascals}")

    at = boot_ms()
    chip.plug_in()
    wait_for(is_read, 60, "the thread of the barometer")
    board.measured["found_s"] = (boot_ms() - at) / 1000
    expect_pressure(compensated(chip.PRESSURE))
    doctor = run("pacectl", "doctor", check=False).stdout
    expect(re.search(r"^ok +barometer +bmp280 \(iio:device0\)$", doctor, re.MULTILINE), f"doctor: {doctor}")
    chip.unbind()
    wait_for(lambda: not is_read(), 60, "the end of the thread")
    expect_logged("barometer bmp280 (iio:device0) is gone")
    chip.set_pressure(400000)
    chip.bind()
    expect_pressure(compensated(400000))
    chip.end()
    wait_for(lambda: not is_read(), 60, "the end of the thread")
    expect(main_process() == process, "it was restarted")
