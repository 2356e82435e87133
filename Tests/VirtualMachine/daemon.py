"""The real `paced` and `pacectl` in the machine, observed from outside: by their sockets and the kernel's counters."""
import collections
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess

from harness import process
from harness.client import ControlClient, StateClient
from harness.timing import Failed, boot_ms

# Copies that every user may read, wherever the tree is.
BIN = pathlib.Path("/run/bin")
NOBODY = 65534
# Our strap as users name it: by the end of the name printed on it.
OURS = "9AD13824"

# The machine's own bus is under test.
del process.ENVIRONMENT["DBUS_SYSTEM_BUS_ADDRESS"]


def install(directory):
    BIN.mkdir(exist_ok=True)
    for program in ("paced", "pacectl"):
        shutil.copy(pathlib.Path(directory) / program, BIN)
        (BIN / program).chmod(0o755)


class HeartSubscriber(StateClient):
    """A subscriber and control client of the paced whose sockets are in a directory. No line may be dropped."""

    def __init__(self, sockets):
        self.sockets = pathlib.Path(sockets)
        super().__init__(self.sockets / "state.sock", {"classes": ["STATE", "EVENT", "HEART"], "interval_ms": 1000})

    def received(self, line):
        if line["class"] == "DROPPED":
            raise Failed(f"lines were dropped: {line}")

    def stream_ended(self):
        raise Failed("paced ended the stream")

    def situation(self):
        return f"; the heart says {self.heart()}"

    def beat(self, after, seconds=60, hole=False):
        """How long after a time (ms) the first beat came, or the first after a hole, in seconds."""
        line = self.wait(
            "beat", lambda line: line["class"] == "HEART" and "bpm" in line and line["boot_ms"] >= after
            and (line.get("gap") or not hole), seconds)
        return (line["boot_ms"] - after) / 1000

    def states(self):
        return self.of("STATE")

    def hearts(self):
        return self.of("HEART")

    def heart(self):
        """The heart of the newest state, which may be a second old."""
        states = self.states()
        return states[-1]["heart"] if states else None

    def reason(self, reason, seconds=60):
        """Waits until new states report this about the strap."""
        return self.wait(f"reason {reason}", lambda line: line.get("heart", {}).get("reason") == reason, seconds,
                         since=len(self.lines))

    def call(self, method, **params):
        return ControlClient(self.sockets / "control.sock", timeout=70).result(method, **params)


class Paced(HeartSubscriber):
    """One runtime and state directory, and the daemon in it, which can be stopped, killed and restarted."""

    def __init__(self, name, *options, user=0, groups=(), log="/run/share"):
        directory = pathlib.Path("/run/paced") / name
        for part in ("run", "state"):
            (directory / part).mkdir(parents=True)
            os.chown(directory / part, user, user)
        super().__init__(directory / "run")
        self.log = pathlib.Path(log) / f"{name}.log"
        self.daemon = process.Paced(
            directory, "--gpsd", "off", *options, program=BIN / "paced", log=self.log,
            popen={"user": user, "group": user, "extra_groups": groups})

    def start(self):
        self.daemon.start()
        return self.open()

    @property
    def started(self):
        return self.daemon.started

    def stream_ended(self):
        raise Failed(f"paced ended with status {self.daemon.process.wait(10)}")

    def pacectl(self, *arguments):
        return subprocess.run(
            [BIN / "pacectl", "--runtime-dir", self.sockets, *arguments], capture_output=True, text=True, timeout=90)

    def descriptors(self):
        return self.daemon.descriptors()

    def channels(self):
        """The number of L2CAP channels to straps that it holds."""
        held = {path.stat().st_ino for path in pathlib.Path(f"/proc/{self.daemon.pid}/fd").iterdir()}
        with open("/proc/net/l2cap") as listing:
            return sum(1 for line in listing if line.split()[-2] in map(str, held))

    def memory(self):
        """Its private memory in KB, without the pages of its program, which are loaded on first use.

        The kernel counts these pages; its counter RssAnon may differ by 64 pages a thread.
        """
        rollup = pathlib.Path(f"/proc/{self.daemon.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Anonymous: +(\d+) kB$", rollup, re.MULTILINE)[1])

    def measurements(self):
        """The measurements in the input log of the activities, for each Bluetooth address; not while it runs."""
        found = collections.defaultdict(list)
        journal = sqlite3.connect(self.sockets.parent / "state" / "journal.sqlite")
        for value, in journal.execute("SELECT value FROM input WHERE kind = 'measurement' ORDER BY key"):
            fields = json.loads(value)
            found[fields[0].split("/")[0]].append(fields)
        journal.close()
        return found

    def stop(self):
        """Ends it as systemd does."""
        self.stopped = boot_ms()
        status, _ = self.daemon.end()
        self.end()
        if status != 0:
            raise Failed(f"paced ended with {status} at SIGTERM")

    def kill(self):
        self.daemon.kill()
        self.end()
