"""The real `paced` and `pacectl` in the machine, seen from outside: by their sockets, and by what the kernel counts of them."""
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import time

from forked import now

# Copies that every user may read, wherever the tree lies.
BIN = pathlib.Path("/run/bin")
NOBODY = 65534
# By what a user would call it: the end of the name printed on it.
OURS = "9AD13824"


class Failed(Exception):
    """What should have been seen was not."""


def expect(condition, message):
    if not condition:
        raise Failed(message)


def install(directory):
    BIN.mkdir(exist_ok=True)
    for program in ("paced", "pacectl"):
        shutil.copy(pathlib.Path(directory) / program, BIN)
        (BIN / program).chmod(0o755)


class Reader:
    """A subscriber of the paced whose sockets are in a directory, and who commands it."""

    def __init__(self, sockets):
        self.sockets = pathlib.Path(sockets)
        self.state = None
        self.lines = []

    def ended(self, seconds):
        """How paced ended, if that is known within so long."""
        return ""

    def attach(self):
        """Subscribes anew; what was said before is forgotten."""
        self.lines = []
        self.buffer = b""
        self.state = self.connect("state.sock")
        self.state.sendall(b'{"class":"WATCH","classes":["STATE","EVENT","HEART"],"every_ms":1000}\n')
        return self

    def connect(self, name):
        path = str(self.sockets / name)
        end = time.monotonic() + 10
        while True:
            client = socket.socket(socket.AF_UNIX)
            try:
                client.connect(path)
                return client
            except OSError as error:
                client.close()
                if ended := self.ended(0):
                    raise Failed(f"paced ended at its start: {ended}")
                if time.monotonic() > end:
                    raise Failed(f"{name}: {error}")
                time.sleep(0.02)

    def read(self, seconds):
        """Takes what it says, for at most so long, until something came."""
        if not select.select([self.state], [], [], max(seconds, 0))[0]:
            return
        data = self.state.recv(65536)
        if not data:
            raise Failed(f"paced ended: {self.ended(10)}")
        *whole, self.buffer = (self.buffer + data).split(b"\n")
        for line in whole:
            line = json.loads(line)
            if line["class"] == "DROPPED":
                raise Failed(f"lines were dropped: {line}")
            self.lines.append(line)

    def wait(self, what, condition, seconds, since=None):
        """The first line that meets the condition, of all or of those from number `since` on."""
        end = time.monotonic() + seconds
        seen = since or 0
        while True:
            for line in self.lines[seen:]:
                if condition(line):
                    return line
            seen = len(self.lines)
            left = end - time.monotonic()
            if left <= 0:
                raise Failed(f"no {what} in {seconds} s; the heart says {self.heart()}")
            self.read(left)

    def watch(self, seconds):
        """Takes what it says for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(left)

    def beat(self, after, seconds, hole=False):
        """How long after a moment (ms) the first beat came, or the first after a hole, in seconds."""
        line = self.wait(
            "beat", lambda line: line["class"] == "HEART" and "bpm" in line and line["boot_ms"] >= after
            and (line.get("gap") or not hole), seconds)
        return (line["boot_ms"] - after) / 1000

    def states(self):
        return [line for line in self.lines if line["class"] == "STATE"]

    def hearts(self):
        return [line for line in self.lines if line["class"] == "HEART"]

    def heart(self):
        """The heart of the newest state, which may be a second old."""
        states = self.states()
        return states[-1]["heart"] if states else None

    def reason(self, reason, seconds):
        """Waits until it says so of the strap, from now on."""
        return self.wait(f"reason {reason}", lambda line: line.get("heart", {}).get("reason") == reason, seconds,
                         since=len(self.lines))

    def call(self, method, **params):
        client = self.connect("control.sock")
        client.settimeout(70)
        client.sendall((json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n").encode())
        with client, client.makefile() as answers:
            answer = json.loads(answers.readline())
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']}")
        return answer["result"]


class Paced(Reader):
    """One runtime and state directory, and the daemon in it, which can be stopped, killed and started again."""

    def __init__(self, name, *options, user=0, groups=(), log="/run/share"):
        self.name, self.options, self.user, self.groups = name, options, user, groups
        self.directory = pathlib.Path("/run/paced") / name
        for part in ("run", "state"):
            (self.directory / part).mkdir(parents=True)
            os.chown(self.directory / part, user, user)
        super().__init__(self.directory / "run")
        self.log = pathlib.Path(log) / f"{name}.log"
        self.process = None

    def start(self):
        command = [str(BIN / "paced"), "--runtime-dir", str(self.directory / "run"),
                   "--state-dir", str(self.directory / "state"), "--gpsd", "off", *self.options]
        with open(self.log, "a") as log:
            log.write(f"== {now()} {' '.join(command)}\n")
            log.flush()
            self.started = now()
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, user=self.user, group=self.user,
                extra_groups=self.groups)
        return self.attach()

    def ended(self, seconds):
        try:
            return f"status {self.process.wait(seconds)}"
        except subprocess.TimeoutExpired:
            return ""

    def pacectl(self, *arguments):
        return subprocess.run(
            [BIN / "pacectl", "--runtime-dir", self.directory / "run", *arguments], capture_output=True, text=True,
            timeout=90)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def channels(self):
        """How many channels to straps it holds itself."""
        held = {os.stat(f"/proc/{self.process.pid}/fd/{fd}").st_ino for fd in os.listdir(f"/proc/{self.process.pid}/fd")}
        with open("/proc/net/l2cap") as listing:
            return sum(1 for line in listing if line.split()[-2] in map(str, held))

    def memory(self):
        """What it holds for itself, in KB: not the pages of its program, which come as they are first run."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

    def stop(self):
        """Ends it as systemd does."""
        self.process.terminate()
        status = self.process.wait(10)
        self.state.close()
        self.process = None
        if status != 0:
            raise Failed(f"paced ended with {status} when told to stop")

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            if self.state:
                self.state.close()
        self.process = None
