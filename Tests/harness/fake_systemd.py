"""systemd as a service sees it: it creates sockets, listens for notifications, and reports the system's state."""

import fcntl
import os
import signal
import socket

from harness.fake_bluez import RETURN, SIGNATURE, FakeBluez, padded, text
from harness.process import Paced


def listening(path):
    """A socket as a socket unit creates it."""
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path))
    made.listen(128)
    return made


class Service(Paced):
    """A daemon as systemd starts it: with its pid in the environment, and with descriptors from 3 on, each with a name.

    `files` is the limit of its open files.
    """

    # The shell becomes the daemon: its pid is the daemon's.
    START = "SYSTEMD_EXEC_PID=$$; LISTEN_PID=$$; export SYSTEMD_EXEC_PID LISTEN_PID; "

    def __init__(self, directory, *options, handed=(), files=None, **environment):
        # High numbers, so that none is overwritten before it is passed on.
        self.numbers = [fcntl.fcntl(one.fileno(), fcntl.F_DUPFD, 100) for _, one in handed]
        places = "" if files is None else f"ulimit -n {files}; "
        places += "".join(f"exec {3 + index}<&{number} {number}<&-; " for index, number in enumerate(self.numbers))
        if handed:
            environment = {"LISTEN_FDS": str(len(handed)), "LISTEN_FDNAMES": ":".join(name for name, _ in handed)} \
                | environment
        prefix = ["bash", "-c", self.START + places + 'exec "$@"', "systemd"]
        super().__init__(directory, *options, prefix=prefix, popen={"pass_fds": self.numbers}, **environment)

    def wait_until_ready(self):
        """Does not wait for readiness: it may not start, and its messages report readiness."""
        for number in self.numbers:
            os.close(number)

    def fails(self):
        """The exit status of a daemon that does not start, and its one log line."""
        status = self.process.wait(60)
        line, = self.log_text().splitlines()
        return status, line


class FakeSystemd(FakeBluez):
    """Owns systemd's name on a bus, and reports the system's state."""

    NAME = "org.freedesktop.systemd1"

    def __init__(self, bus, state, delay=0.0):
        self.state = state
        super().__init__(bus, delay)

    def reply(self, header):
        # A variant that contains a string.
        self.say(RETURN, header + [(SIGNATURE, "g", "v")], padded(b"\1s\0", 4) + text(self.state))


def stop(program):
    """The exit status, and the seconds until the end."""
    return program.end(signal.SIGTERM)
