"""pacectl panel: LEDs in a directory like the kernel's, and keys of a virtual keyboard (uinput)."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import needs
from harness.fake_paced import IDLE, RUN, FakePaced
from harness.process import PACECTL, ROOT, ManagedProcess, Paced, expect_end
from harness.timing import wait_for

CONFIGURATION = """\
[Panel]
Toggle=KEY_PLAYPAUSE
Stop=KEY_PLAYPAUSE
Lap=KEY_NEXTSONG
SearchingLED=blue
ReadyLED=green
RecordingLED=white
FaultLED=red
"""


class Lights:
    """The values that the panel writes to its LEDs, sampled every few milliseconds."""

    def __init__(self, directory):
        self.directory = directory / "leds"
        for name in ["blue", "green", "white", "red"]:
            (self.directory / name).mkdir(parents=True)
            (self.directory / name / "brightness").write_text("3\n")
            (self.directory / name / "max_brightness").write_text("255\n")
            (self.directory / name / "trigger").write_text("none [mmc0] timer\n")

    def read(self, name, file="brightness"):
        return (self.directory / name / file).read_text().strip()

    def lit(self):
        return {path.name for path in self.directory.iterdir() if self.read(path.name) == "255"}

    def shows(self, name, seconds):
        """The share of the time that an LED is lit, and how often it is switched on."""
        end = time.monotonic() + seconds
        seen = []
        while time.monotonic() < end:
            # A file that is being written is empty for a moment.
            text = self.read(name)
            if text:
                seen.append(text == "255")
            time.sleep(0.005)
        return sum(seen) / len(seen), sum(b and not a for a, b in zip(seen, seen[1:]))


class Panel(ManagedProcess):
    def __init__(self, directory, lights, text=CONFIGURATION, runtime=None, inputs="/nonexistent"):
        (directory / "paced.conf").write_text(text)
        super().__init__(
            [PACECTL, "--runtime-dir", runtime or directory, "panel", "--config", directory / "paced.conf",
             "--leds", lights.directory, "--input", inputs], log=directory / "panel.log")
        self.start()

    def says(self, text, seconds=60):
        wait_for(lambda: text in self.log.read_text(), seconds, f"{text!r} in {self.log.read_text()!r}")


@pytest.fixture
def lights(tmp_path):
    return Lights(tmp_path)


def test_leds_show_the_state(tmp_path, lights):
    paced = FakePaced(tmp_path)
    paced.state = IDLE | {"position": IDLE["position"] | {"stale": True}}
    panel = Panel(tmp_path, lights)

    def flashes(name, counts, what):
        """The light is on half of the time, and is switched on so often in 4 s."""
        wait_for(lambda: 0.3 < (shown := lights.shows(name, 4))[0] < 0.7 and shown[1] in counts, 60, what)

    try:
        panel.says("connected to paced")
        flashes("blue", (1, 2), "searching")
        paced.state = dict(IDLE)
        wait_for(lambda: lights.lit() == {"green"}, 60, "ready")
        paced.state = dict(RUN)
        wait_for(lambda: lights.lit() == {"white"}, 60, "recording")
        paced.state = RUN | {"run": "paused"}
        flashes("white", (3, 4, 5), "paused")
        paced.state = RUN | {"faults": [{"fault": "recorder-stalled", "since_boot_ms": 1, "message": "no"}]}
        wait_for(lambda: lights.shows("red", 1)[1] >= 3, 60, "a fault")
        assert "white" in lights.lit()

        def start():
            if panel.process.poll() is not None:
                panel.start()
            wait_for(lights.lit, 60, "a light")
            return panel

        expect_end(start, 2)
    finally:
        panel.end()
        paced.stop()
    for name in ["blue", "green", "white", "red"]:
        assert (lights.read(name, "trigger"), lights.read(name)) == ("mmc0", "3"), "as it was before"


def test_missing_daemon_is_shown_as_a_fault_until_it_returns(tmp_path, lights):
    panel = Panel(tmp_path, lights)
    try:
        wait_for(lambda: lights.shows("red", 1)[1] >= 3, 60, "fast flashes")
        panel.says("paced is not running")
        paced = FakePaced(tmp_path)
        paced.state = dict(IDLE)
        wait_for(lambda: lights.lit() == {"green"}, 60, "ready")
        paced.stop()
        wait_for(lambda: lights.shows("red", 1)[1] >= 3, 60, "fast flashes")
        before = pathlib.Path(f"/proc/{panel.pid}/stat").read_text().split()
        time.sleep(3)
        after = pathlib.Path(f"/proc/{panel.pid}/stat").read_text().split()
        ticks = int(after[13]) + int(after[14]) - int(before[13]) - int(before[14])
        assert ticks < 0.1 * 3 * os.sysconf("SC_CLK_TCK"), "it rests"
        assert len(panel.log.read_text().splitlines()) < 8, panel.log.read_text()
        paced = FakePaced(tmp_path)
        paced.state = dict(IDLE)
        wait_for(lambda: lights.lit() == {"green"}, 60, "ready again")
        # A daemon that hangs counts as away.
        paced.speaks = False
        wait_for(lambda: lights.shows("red", 1)[1] >= 3, 60, "fast flashes")
        panel.says("paced sends nothing, reconnecting")
        paced.stop()
    finally:
        panel.end()


def test_led_that_appears_later_is_lit(tmp_path, lights):
    paced = FakePaced(tmp_path)
    paced.state = dict(IDLE)
    panel = Panel(tmp_path, lights, CONFIGURATION.replace("green", "later"))
    try:
        panel.says("cannot set LED later (open: No such file or directory), retrying")
        (lights.directory / "later").mkdir()
        (lights.directory / "later" / "brightness").write_text("0\n")
        wait_for(lambda: lights.read("later") == "1", 60, "a light")
        assert panel.log.read_text().count("later") == 1
    finally:
        panel.end()
        paced.stop()


@pytest.mark.parametrize("text, status, said", [
    ("[Panel]\nToggle=KEY_NONSENSE\n", 2, "paced.conf:2: Toggle needs names of keys"),
    ("[Panel]\n\nTogle=KEY_A\n", 2, "paced.conf:3: unknown key Togle in [Panel]"),
    ("[Recording]\nResumeLimitSec=60\n", 0, "paced.conf assigns no key and no LED in [Panel], nothing to do"),
])
def test_configuration_is_validated_first(tmp_path, lights, text, status, said):
    panel = Panel(tmp_path, lights, text)
    assert panel.process.wait(60) == status
    assert said in panel.log.read_text()


class Keyboard:
    """A keyboard of uinput; it disappears when the process ends."""

    def __init__(self, name):
        self.program = subprocess.Popen(
            [sys.executable, "-B", ROOT / "Tests/VirtualMachine/keyboard.py", name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        word, self.path = self.program.stdout.readline().split()
        assert word == "ready"

    def say(self, line):
        self.program.stdin.write(line + "\n")
        self.program.stdin.flush()
        assert self.program.stdout.readline() == "done\n"

    def end(self):
        if not self.program.stdin.closed:
            self.program.stdin.close()
        self.program.wait(60)


@needs.KEYBOARDS
def test_keys_control_the_run(tmp_path, lights):
    paced = Paced(tmp_path, "--gpsd", "off", "--bluetooth", "off")
    paced.start()
    panel = Panel(tmp_path, lights, CONFIGURATION + "Devices=Paced Test\n", paced.runtime, "/dev/input")
    keyboard = Keyboard("Paced Test")
    other = Keyboard("Another")

    def is_run(run):
        wait_for(lambda: paced.call("status")["run"] == run, 60, f"a run that is {run}; {panel.log.read_text()}")

    try:
        panel.says("listening to Paced Test")
        panel.says("connected to paced")
        other.say("press KEY_PLAYPAUSE 0.2")
        keyboard.say("press KEY_NEXTSONG 0.1")
        panel.says("cannot lap")
        keyboard.say("press KEY_PLAYPAUSE 0.2")
        is_run("active")
        for line in ["down KEY_NEXTSONG", "repeat KEY_NEXTSONG", "repeat KEY_NEXTSONG", "up KEY_NEXTSONG"]:
            keyboard.say(line)
        panel.says("lap: active")
        keyboard.say("press KEY_PLAYPAUSE 0.2")
        is_run("paused")
        keyboard.say("press KEY_PLAYPAUSE 2.5")
        is_run("idle")
        assert paced.call("activities.list")[0]["laps"] == 2
    finally:
        keyboard.end()
        other.end()
        try:
            panel.says("Paced Test was disconnected")
        finally:
            panel.end(signal.SIGINT)
            paced.end()


@needs.KEYBOARDS
def test_keyboard_may_be_removed_and_return(tmp_path, lights):
    paced = Paced(tmp_path, "--gpsd", "off", "--bluetooth", "off")
    paced.start()
    panel = Panel(tmp_path, lights, CONFIGURATION, paced.runtime, "/dev/input")
    try:
        panel.says("connected to paced")
        first = Keyboard("Comes And Goes")
        panel.says("listening to Comes And Goes")
        # Held when the keyboard disappears: nothing may happen, then or 2 s later.
        first.say("down KEY_PLAYPAUSE")
        first.end()
        panel.says("Comes And Goes was disconnected")
        time.sleep(3)
        assert paced.call("status")["run"] == "idle" and "cannot" not in panel.log.read_text()
        second = Keyboard("Comes And Goes")
        wait_for(lambda: panel.log.read_text().count("listening to Comes And Goes") == 2, 60, "it again")
        # More events than the kernel's queue holds while the panel does not read; the last state counts.
        os.kill(panel.pid, signal.SIGSTOP)
        second.say("down KEY_PLAYPAUSE")
        for _ in range(200):
            second.say("down KEY_NEXTSONG")
            second.say("up KEY_NEXTSONG")
        second.say("up KEY_PLAYPAUSE")
        time.sleep(3)
        os.kill(panel.pid, signal.SIGCONT)
        time.sleep(1)
        assert "stop" not in panel.log.read_text(), "it was let go long ago"
        second.say("press KEY_PLAYPAUSE 0.2")
        wait_for(lambda: "toggle: " in panel.log.read_text(), 60, "a toggle")
        second.end()
    finally:
        panel.end()
        paced.end()
