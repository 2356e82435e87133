"""Processes of the tests; each ends with its process group.

The programs are those of .build/release, or of the directory that PACED_BIN names.
"""

import errno
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import unittest

from harness.client import ControlClient
from harness.faults import preloaded, without_faults
from harness.timing import GUARD, boot_ms, expect, expect_within, real_seconds, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("PACED_BIN", ROOT / ".build" / "release"))
PACED = PROGRAMS / "paced"
PACECTL = PROGRAMS / "pacectl"

# gpsd is not in users' PATH. The machine's own bluetoothd, if any, is not used.
ENVIRONMENT = os.environ | {
    "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "PYTHONDONTWRITEBYTECODE": "1",
    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def has(program):
    return shutil.which(program) is not None


def target(link):
    """What a symbolic link names; None if the link has gone."""
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return None


class ManagedProcess:
    """A program in a new process group, which can be restarted after its end; the whole group ends with it.

    Times are in ms of the boot clock.
    """

    inherited = ENVIRONMENT

    def __init__(self, command, environment=None, log=None, **options):
        """`log`: a file to which standard output and error are appended. `options`: of subprocess.Popen."""
        self.command = [str(word) for word in command]
        self.environment = environment or {}
        self.log = log
        self.options = options
        self.process = None
        self.started = None

    def start(self):
        """Starts it and waits until it is ready; returns the time of that."""
        self.started = boot_ms()
        environment = preloaded(self.inherited, self.environment)
        if self.log is None:
            self.process = subprocess.Popen(self.command, start_new_session=True, env=environment, **self.options)
        else:
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen(
                    self.command, start_new_session=True, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                    stderr=log, **self.options)
        self.wait_until_ready()
        return boot_ms()

    def wait_until_ready(self):
        """Waits for readiness, for subclasses."""

    @property
    def pid(self):
        return self.process.pid

    def processor_seconds(self):
        """The time of the processor that the process has used."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log_text(self):
        return self.log.read_text(errors="replace")

    def kernel_status(self, key):
        """The first word of a field of /proc/PID/status."""
        lines = pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(key + ":")).split()[1])

    def descriptors(self):
        """The number of its open descriptors, without those of Dispatch's threads, which start when they are needed."""
        directory = pathlib.Path(f"/proc/{self.pid}/fd")
        return sum(link != "anon_inode:[eventfd]" for link in filter(None, map(target, directory.iterdir())))

    def end(self, number=signal.SIGTERM):
        """Sends a signal and waits; returns the exit status, and the seconds of real time until the end."""
        start = real_seconds()
        if self.process is None:
            return None, 0.0
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(number)
            try:
                self.process.wait(GUARD / 2)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return self.process.wait(), real_seconds() - start

    def stop(self):
        """Ends it as systemd does; returns the time of its end."""
        self.end(signal.SIGTERM)
        return boot_ms()

    def kill(self):
        self.end(signal.SIGKILL)
        return boot_ms()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)
        return boot_ms()


def expect_end(start, seconds, number=signal.SIGTERM):
    """Expects that a process ends with 0 within some seconds of a signal. `start` returns one that is ready for it."""
    def end():
        status, took = start().end(number)
        expect(status == 0, f"it ended with {status}")
        return status, took

    expect_within(seconds, end, "its end")


class Paced(ManagedProcess):
    """A daemon with a runtime and a state directory in `directory`, and requests to it.

    `prefix` is a command that executes the arguments after its own; `state` is another state directory; `popen` are
    options of subprocess.Popen.
    """

    def __init__(self, directory, *options, prefix=(), program=PACED, state=None, log=None, popen=None, **environment):
        self.runtime = directory / "run"
        super().__init__(
            [*prefix, program, "--runtime-dir", self.runtime, "--state-dir", state or directory / "state", *options],
            environment, log or directory / "log", **popen or {})

    def wait_until_ready(self):
        wait_for(self.is_listening, 60, "a daemon that listens")

    def is_listening(self):
        assert self.process.poll() is None, f"paced ended with {self.process.poll()}: {self.log_text()}"
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.control.path)) == 0

    @property
    def state_socket(self):
        return self.runtime / "state.sock"

    @property
    def control(self):
        return ControlClient(self.runtime / "control.sock")

    def ask(self, *lines):
        return self.control.ask(*lines)

    def call(self, method, **parameters):
        return self.control.call(method, **parameters)


class Namespace(ManagedProcess):
    """A mount or net namespace, for programs that are started in it. Without root, its test may be skipped."""

    def __init__(self, kind):
        self.kind = kind
        self.user = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
        super().__init__(["unshare", f"--{kind}", *self.user, "sleep", "infinity"])

    def wait_until_ready(self):
        name = {"mount": "mnt", "net": "net"}[self.kind]
        own = os.readlink(f"/proc/self/ns/{name}")

        def is_there():
            if self.user and self.process.poll() is not None:
                raise unittest.SkipTest("needs root, or a kernel that lets every user make namespaces")
            return target(f"/proc/{self.pid}/ns/{name}") not in (own, None)
        wait_for(is_there, 60, f"a {self.kind} namespace")

    @property
    def within(self):
        """The words that, before a command, run it in the namespace."""
        user = ["--user", "--preserve-credentials"] if self.user else []
        return ["nsenter", "--target", self.pid, f"--{self.kind}", *user]

    def call(self, *command, **options):
        subprocess.run([str(word) for word in [*self.within, *command]], check=True, timeout=GUARD, **options)


class Network(Namespace):
    """A network namespace with one address that is not loopback. No other machine can reach it."""

    ADDRESS = "192.0.2.7"

    def __init__(self):
        super().__init__("net")

    def wait_until_ready(self):
        super().wait_until_ready()
        self.call("ip", "link", "set", "lo", "up")
        self.call("ip", "address", "add", f"{self.ADDRESS}/32", "dev", "lo")

    def cut(self):
        """Loses all packets from now on, and tells nobody."""
        self.call("tc", "qdisc", "replace", "dev", "lo", "root", "blackhole")

    def mend(self):
        self.call("tc", "qdisc", "delete", "dev", "lo", "root")

    def connect(self, host, port, timeout):
        """Opens a connection in the namespace, by a child process that sends the socket back."""
        open_and_send = (
            "import socket, sys; channel, host, port = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]);"
            "client = socket.create_connection((host, port), 60);"
            "socket.send_fds(socket.socket(fileno=channel), [b'.'], [client.fileno()])")
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.call(
                sys.executable, "-c", open_and_send, theirs.fileno(), host, port, pass_fds=[theirs.fileno()])
            _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
        client = socket.socket(fileno=descriptors[0])
        client.settimeout(timeout)
        return client


class Disk(Namespace):
    """A tmpfs in the place of a directory, in a mount namespace."""

    def __init__(self, directory, size="20m"):
        super().__init__("mount")
        self.place, self.size = directory, size

    def wait_until_ready(self):
        super().wait_until_ready()
        self.place.mkdir(exist_ok=True)
        # A path to the file system that works outside its namespace too.
        self.path = pathlib.Path(f"/proc/{self.pid}/root{self.place}")
        self.call("mount", "-t", "tmpfs", "-o", f"mode=750,size={self.size}", "none", self.place)

    def remount(self, mode):
        """mode: ro or rw"""
        # With a source, mount does not repeat the present owner, whom a namespace of a user does not know.
        self.call("mount", "-o", f"remount,{mode}", "none", self.place)

    def fill(self):
        with open(self.path / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(1024))
            except OSError as error:
                assert error.errno == errno.ENOSPC

    def free(self):
        (self.path / "filler").unlink()


class Strap(ManagedProcess):
    """The independent strap of Tests/Peripheral; each sent value is known with its time."""

    def __init__(self, directory, *options, period=1.0):
        self.path = directory / "strap"
        self.sent = []
        super().__init__(
            [sys.executable, "-B", ROOT / "Tests/Peripheral/att_peripheral.py", self.path, period, "--verbose", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def wait_until_ready(self):
        self.is_ready = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        assert self.is_ready.wait(GUARD), "the strap does not start"

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["ready"]:
                self.is_ready.set()
            if words[:1] == ["sent"]:
                self.sent.append((int(words[1]) / 1e6, bytes.fromhex(words[2])))


class Gpsd(ManagedProcess):
    """The real gpsd, with a log replayed by gpsfake: three NMEA sentences a second.

    The replay is a little faster than real time: if it were slower, some seconds would have no new fix. The first
    minute is left out, because the device's position jumped in it.
    """

    inherited = without_faults(ENVIRONMENT)

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
