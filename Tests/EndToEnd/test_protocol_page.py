"""The example clients of docs/protocol.md and README.md."""

import os
import re
import signal
import subprocess
import sys
import threading

import pytest

from harness import places
from harness.process import ROOT
from harness.timing import wait_for


def client(stage, page, daemon, place):
    """Runs the Python program of the page."""
    code = re.search(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)[1]
    code, environment = places.at(place, code, daemon, stage.directory)
    program = stage.directory / "client.py"
    program.write_text(code)
    return stage.keep(Client([sys.executable, "-u", program], environment))


def test_client_of_the_protocol_page_detects_a_restart_and_misses_no_lap(stage):
    daemon = stage.paced("--demo")
    shown = client(stage, "docs/protocol.md", daemon, "named")
    shown.first(r"\d+")
    daemon.call("run.lap")
    shown.first(r"lap 1 [\d.]+ m")
    daemon.stop()
    daemon.start()
    # Rejected within 1 s of the last lap.
    wait_for(lambda: "run" in daemon.call("run.lap"), 60, "the next lap")
    shown.first("paced has restarted")
    shown.first(r"lap 2 [\d.]+ m")
    shown.first(r"\d+")


@pytest.mark.parametrize("place", places.PLACES)
def test_client_of_the_readme_finds_the_daemon_and_prints_distance_and_heart_rate(stage, place):
    shown = client(stage, "README.md", stage.paced("--demo"), place)
    shown.first(r"[\d.]+ \d+")


class Client:
    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            start_new_session=True, env=environment)

    def first(self, pattern):
        """Waits for the next line that matches."""
        limit = threading.Timer(60, self.process.kill)
        limit.start()
        try:
            for line in self.process.stdout:
                if re.fullmatch(pattern, line.rstrip("\n")):
                    return
        finally:
            limit.cancel()
        raise AssertionError(f"the client prints no line {pattern}")

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
