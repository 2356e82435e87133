"""Foreign names that clear a screen, set a title, or close a JSON string or a tag are harmless everywhere."""

import subprocess
import unicodedata

import pytest

from harness.fake_gpsd import FakeGpsd
from harness.process import PACECTL
from harness.timing import wait_for

HOSTILE = '\x1b[2J\x1b]0;taken\x07"}\\</script>\u202eabc\x9b2J\x85\r\n'
KEPT = '"}\\</script>'


def is_harmless(text):
    """Contains no control character and none that changes the direction of text."""
    return all(
        unicodedata.category(character) not in ("Cc", "Zl", "Zp") and character not in "\u202a\u202b\u202c\u202d\u202e"
        for character in text)


class HostileGpsd(FakeGpsd):
    """A gpsd whose receiver has a hostile name."""

    device = "/dev/" + HOSTILE

    def serve(self, client):
        for second in range(10):
            self.say(client, {
                "class": "TPV", "device": self.device, "mode": 3, "time": f"2026-03-01T07:30:{second:02}.000Z",
                "lat": 52.5, "lon": 13.4, "speed": 0.0})
        super().serve(client)


@pytest.fixture(scope="module")
def outside(long_stage):
    strap = long_stage.strap("--name", HOSTILE, "--manufacturer", HOSTILE, period=0.2)
    gpsd = long_stage.keep(HostileGpsd())
    daemon = long_stage.paced("--gpsd", gpsd.option, "--sensors", f"unix:{strap.path}")
    reader = long_stage.reader(daemon, classes=["STATE", "EVENT", "FIX", "HEART"])
    wait_for(
        lambda: (states := reader.of("STATE")) and "name" in states[-1]["heart"] and "device" in states[-1]["gpsd"],
        60, "the names of strap and receiver")
    return daemon, reader


def test_hostile_names_are_harmless_in_the_lines(outside):
    daemon, reader = outside
    state = reader.of("STATE")[-1]
    for name in (state["heart"]["name"], state["gpsd"]["device"]):
        assert KEPT in name, "what is not dangerous is kept"
        assert is_harmless(name) and "\ufffd" in name
        assert len(name) <= 64
    for line in reader.lines:
        text = line.text.decode()
        assert text.endswith("\n") and text[:-1].isprintable()


def test_hostile_names_are_harmless_in_the_log(outside):
    daemon, _ = outside
    text = daemon.log.read_text()
    assert KEPT in text
    assert all(is_harmless(line) for line in text.split("\n"))


@pytest.mark.thorough
def test_hostile_names_are_harmless_on_the_screen(outside, stage):
    daemon, _ = outside
    terminal = stage.terminal([PACECTL, "--runtime-dir", daemon.runtime, "watch"])
    terminal.tmux("select-pane", "-T", "before")
    screen = wait_for(lambda: (text := terminal.text()) and KEPT in text and text, 60, "the strap's name on the screen")
    assert terminal.tmux("display", "-p", "#{pane_title}").strip() == "before"
    assert is_harmless(screen.replace("\n", ""))
    assert "Idle" in screen or "start" in screen.lower()
    terminal.type("q")


def test_hostile_names_are_harmless_in_pacectl_status(outside):
    daemon, _ = outside
    text = subprocess.run(
        [PACECTL, "--runtime-dir", daemon.runtime, "status"], capture_output=True, text=True, timeout=60).stdout
    assert KEPT in text
    assert all(is_harmless(line) for line in text.split("\n"))
