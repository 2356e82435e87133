"""The programs under test and what stands around them, each a process of its own that its end ends.

The programs are the built ones of .build/release, or of the directory that PACED_BIN names.
"""

import errno
import json
import os
import pathlib
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("PACED_BIN", ROOT / ".build" / "release"))
PACED = PROGRAMS / "paced"
PACECTL = PROGRAMS / "pacectl"

# gpsd is not in the path of users. The machine's own bluetoothd, if there is one, is left alone.
ENVIRONMENT = os.environ | {
    "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "PYTHONDONTWRITEBYTECODE": "1",
    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"}


def boot_ms():
    """The machine's boot clock, which the lines of paced tell too."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) / 1e6


def wait_for(condition, seconds, what):
    """The first true value of condition; an error that says what did not come."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"within {seconds} s there was not: {what}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Program:
    """A process in a group of its own; the whole group ends with it."""

    def __init__(self, command, environment=None, **options):
        self.process = subprocess.Popen(
            [str(word) for word in command], start_new_session=True, env=ENVIRONMENT | (environment or {}), **options)

    @property
    def pid(self):
        return self.process.pid

    def end(self, number=signal.SIGTERM):
        """Sends a signal and waits; the status, and the seconds that it took."""
        start = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(number)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return self.process.wait(), time.monotonic() - start


class Paced(Program):
    """A daemon in directories of its own. `prefix` is a command that executes the words after its own."""

    def __init__(self, directory, *options, prefix=(), **environment):
        self.runtime = directory / "run"
        self.log = directory / "log"
        with open(self.log, "ab") as log:
            super().__init__(
                [*prefix, PACED, "--runtime-dir", self.runtime, "--state-dir", directory / "state", *options],
                environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.state_socket = self.runtime / "state.sock"
        wait_for(self.is_listening, 5, f"a daemon; it said: {self.log.read_text()}")

    def is_listening(self):
        assert self.process.poll() is None, self.log.read_text()
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.runtime / "control.sock")) == 0

    def ask(self, *lines):
        """Sends lines to control.sock and hangs up; the lines that come back, bytes as they are."""
        with socket.socket(socket.AF_UNIX) as control:
            # Waits while the queue of those who are not taken yet is full.
            control.connect(str(self.runtime / "control.sock"))
            control.settimeout(5)
            control.sendall(b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines))
            control.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: control.recv(65536), b"")).splitlines()

    def call(self, method, **parameters):
        """The result of one method, or its error."""
        answer, = self.ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}))
        answer = json.loads(answer)
        assert answer["jsonrpc"] == "2.0" and answer["id"] == 1
        return answer["result"] if "result" in answer else answer["error"]

    def of_kernel(self, key):
        """A field of /proc/PID/status, its first word."""
        lines = pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(key + ":")).split()[1])


class Disk(Program):
    """A file system in memory in the place of a directory, in a mount namespace that only a program started within it sees."""

    def __init__(self, directory, size="20m"):
        directory.mkdir(exist_ok=True)
        self.user = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
        super().__init__(["unshare", "--mount", *self.user, "sleep", "infinity"])
        self.place = directory
        # A path that is the file system's outside its namespace too.
        self.path = pathlib.Path(f"/proc/{self.pid}/root{directory}")
        own = os.readlink("/proc/self/ns/mnt")
        wait_for(lambda: os.readlink(f"/proc/{self.pid}/ns/mnt") != own, 5, "a mount namespace")
        self.call("mount", "-t", "tmpfs", "-o", f"mode=750,size={size}", "none", directory)

    @property
    def within(self):
        return ["nsenter", "--target", self.pid, "--mount", *(["--user", "--preserve-credentials"] if self.user else [])]

    def call(self, *command):
        subprocess.run([str(word) for word in [*self.within, *command]], check=True, timeout=10)

    def remount(self, mode):
        """mode: ro or rw"""
        self.call("mount", "-o", f"remount,{mode}", self.place)

    def fill(self):
        with open(self.path / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(1024))
            except OSError as error:
                assert error.errno == errno.ENOSPC

    def free(self):
        (self.path / "filler").unlink()


class Line:
    """One line of state.sock and when it was read."""

    def __init__(self, text, at):
        self.text = text
        self.at = at
        self.value = json.loads(text)

    def __getitem__(self, key):
        return self.value[key]

    def get(self, key, default=None):
        return self.value.get(key, default)


class Reader:
    """A client of state.sock, `nc -U`; its lines are read by a thread from its start on."""

    # Every line that any reader has seen in the present test, to be held against the schema.
    seen = []

    def __init__(self, paced, watch=None):
        self.program = Program(
            ["nc", "-U", paced.state_socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = []
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        if watch:
            self.say(json.dumps({"class": "WATCH"} | watch))

    def read(self):
        for text in self.program.process.stdout:
            line = Line(text, boot_ms())
            self.lines.append(line)
            Reader.seen.append(line)

    def say(self, text):
        self.program.process.stdin.write(text.encode() + b"\n")
        self.program.process.stdin.flush()

    def of(self, name):
        return [line for line in list(self.lines) if line["class"] == name]

    def first(self, name, seconds=5, **fields):
        """The first line of a class with these fields, waited for."""
        def found():
            lines = self.of(name)
            return next((line for line in lines if all(line.get(key) == fields[key] for key in fields)), None)
        return wait_for(found, seconds, f"{name} {fields}")

    def end(self):
        self.program.end()
        self.thread.join(5)


class Crowd:
    """Many clients of state.sock that read all the time, in one thread; of each, the numbers of its STATE lines of a run.

    Those of an idle daemon are thinned: one that falls soon after a change is left out.
    """

    def __init__(self, paced, count):
        self.selector = selectors.DefaultSelector()
        self.sequences = [[] for _ in range(count)]
        self.others = [[] for _ in range(count)]
        self.rests = [b""] * count
        for index in range(count):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(paced.state_socket))
            client.setblocking(False)
            self.selector.register(client, selectors.EVENT_READ, index)
        self.isRunning = True
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while self.isRunning:
            for key, _ in self.selector.select(0.1):
                *lines, self.rests[key.data] = (self.rests[key.data] + key.fileobj.recv(65536)).split(b"\n")
                for line in lines:
                    value = json.loads(line)
                    if value["class"] == "STATE" and value["run"] != "active":
                        continue
                    if value["class"] == "STATE":
                        self.sequences[key.data].append(value["seq"])
                    else:
                        self.others[key.data].append(value["class"])

    def end(self):
        self.isRunning = False
        self.thread.join(5)
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()


class Witness:
    """Sees when the machine, or this process, did not get to run: what is late then is not the daemon's doing."""

    def __init__(self):
        self.stalls = []
        self.isRunning = True
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        before = boot_ms()
        while self.isRunning:
            time.sleep(0.005)
            now = boot_ms()
            if now - before > 20:
                self.stalls.append((before, now))
            before = now

    def kept_time(self, since, until):
        return not any(start < until and since < end for start, end in self.stalls)

    def end(self):
        self.isRunning = False
        self.thread.join(5)


class Strap(Program):
    """The independent strap of Tests/Peripheral; what it sent is known with its moment."""

    def __init__(self, directory, *options, period=1.0):
        self.path = directory / "strap"
        self.sent = []
        super().__init__(
            [sys.executable, "-B", ROOT / "Tests/Peripheral/att_peripheral.py", self.path, period, "--verbose", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.isReady = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        assert self.isReady.wait(20), "the strap does not start"

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["ready"]:
                self.isReady.set()
            if words[:1] == ["sent"]:
                self.sent.append((int(words[1]) / 1e6, bytes.fromhex(words[2])))


class Gpsd(Program):
    """The real gpsd, which gpsfake plays a recording: three sentences of NMEA a second.

    It is played a little faster than it was made: slower, and now and then a second would bring no new fix. Its first
    minute is left out, in which the device's position jumped.
    """

    def __init__(self, directory, period=0.9):
        recording = (ROOT / "Tests/Data/replay/run-fenix2-9km.nmea").read_text().splitlines(keepends=True)
        path = directory / "recording.nmea"
        path.write_text("".join(recording[3 * 60:]))
        self.port = free_port()
        super().__init__(
            ["gpsfake", "-q", "-t", "-c", period / 3, "-P", self.port, path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @property
    def option(self):
        return f"127.0.0.1:{self.port}"


class Terminal:
    """A terminal of tmux with its own server, so that none of a person is touched."""

    def __init__(self, directory, command, size=(80, 24)):
        # A server that is ending would still answer on the socket of the one before.
        self.socket = pathlib.Path(tempfile.mkdtemp(prefix="tmux-", dir=directory)) / "socket"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "s", "-x", size[0], "-y", size[1], "-c", ROOT, command)

    def tmux(self, *words):
        return subprocess.run(
            ["tmux", "-S", self.socket, *map(str, words)], capture_output=True, text=True, timeout=10).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "s")

    def type(self, *keys):
        self.tmux("send-keys", "-t", "s", *keys)

    def end(self):
        self.tmux("kill-server")


def has(program):
    return shutil.which(program) is not None
