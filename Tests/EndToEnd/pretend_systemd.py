"""What systemd does for a service, as far as that sees it: it makes sockets, listens, and says what the machine is about."""

import fcntl
import os
import signal
import socket
import subprocess
import threading

from pretend_bluez import RETURN, SIGNATURE, PretendBluez, padded, text
from programs import PACED, Paced, Program, boot_ms, wait_for


class Notified:
    """The socket that a service tells how it stands; its messages, each with its moment."""

    def __init__(self, directory):
        self.path = directory / "notify"
        self.messages = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while message := self.socket.recv(4096).decode():
            self.messages.append((boot_ms(), message))

    def moments(self, words):
        return [at for at, message in list(self.messages) if message == words]

    def words(self, key):
        """The values of one key, in their order."""
        lines = [line for _, message in list(self.messages) for line in message.splitlines()]
        return [line.split("=", 1)[1] for line in lines if line.startswith(key + "=")]

    def wait(self, words, seconds=5):
        wait_for(lambda: self.moments(words), seconds, f"{words}; it said {self.messages}")

    def end(self):
        # Nothing more is read; an empty message ends the thread.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", str(self.path))
        self.thread.join(5)
        self.socket.close()


def listening(path):
    """A socket as a socket unit makes it."""
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path))
    made.listen(128)
    return made


class Service(Paced):
    """A daemon as systemd starts it: with its pid in the environment, and with descriptors from 3 on, each under a name.

    `files` is how many it may have open.
    """

    # The shell becomes the daemon: its pid is the daemon's.
    START = "SYSTEMD_EXEC_PID=$$; LISTEN_PID=$$; export SYSTEMD_EXEC_PID LISTEN_PID; "

    def __init__(self, directory, *options, handed=(), files=None, **environment):
        self.runtime = directory / "run"
        self.log = directory / "log"
        self.state_socket = self.runtime / "state.sock"
        # Far from 3, so that none is overwritten before it is handed over.
        numbers = [fcntl.fcntl(one.fileno(), fcntl.F_DUPFD, 100) for _, one in handed]
        places = "" if files is None else f"ulimit -n {files}; "
        places += "".join(f"exec {3 + index}<&{number} {number}<&-; " for index, number in enumerate(numbers))
        if handed:
            environment = {"LISTEN_FDS": str(len(handed)), "LISTEN_FDNAMES": ":".join(name for name, _ in handed)} \
                | environment
        with open(self.log, "ab") as log:
            Program.__init__(
                self, ["bash", "-c", self.START + places + 'exec "$@"', "systemd", PACED, "--runtime-dir", self.runtime,
                       "--state-dir", directory / "state", *options],
                environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=numbers)
        for number in numbers:
            os.close(number)

    def said(self):
        return self.log.read_text()

    def fails(self):
        """Its status, for one that does not start, and the one line that it says."""
        status = self.process.wait(10)
        line, = self.said().splitlines()
        return status, line


class PretendSystemd(PretendBluez):
    """Has systemd's name on a bus, and says what the machine is about."""

    NAME = "org.freedesktop.systemd1"

    def __init__(self, bus, state, delay=0.0):
        self.state = state
        super().__init__(bus, delay)

    def reply(self, header):
        # A variant with a string in it.
        self.say(RETURN, header + [(SIGNATURE, "g", "v")], padded(b"\1s\0", 4) + text(self.state))


def stop(program):
    """The status, and the seconds that the end took."""
    return program.end(signal.SIGTERM)
