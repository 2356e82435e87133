"""One directory, and the processes and clients of a test in it, which all end with the test."""

import pathlib
import shutil
import tempfile

from harness.client import StateClient, SubscriberPool
from harness.faults import fault_library
from harness.process import Disk, Gpsd, Paced, Strap
from harness.terminal import Terminal


class Subscriber(StateClient):
    """A client that keeps all lines received by any instance, for validation against the schema."""

    seen = []

    def received(self, line):
        Subscriber.seen.append(line)


class ProcessFixture:
    def __init__(self):
        # A socket's path has at most 107 bytes.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="paced-test-", dir="/tmp"))
        self.running = []

    def keep(self, one):
        """Something whose `end` is called at the end."""
        self.running.append(one)
        return one

    def start(self, process):
        """Starts a ManagedProcess, which ends with the test even if it does not get ready."""
        self.keep(process).start()
        return process

    def paced(self, *options, **environment):
        """A daemon with a synchronised clock, unless the test preloads something else or sets TIME_OF_DAY=unset."""
        return self.start(Paced(self.directory, *options, **{"LD_PRELOAD": fault_library("clock")} | environment))

    def disk(self, **options):
        """A file system in the place of the state directory, for daemons that are started in it."""
        return self.start(Disk(self.directory / "state", **options))

    def reader(self, paced, **watch):
        """A subscriber whose stream has started, with its subscription in force."""
        reader = self.keep(Subscriber(paced.state_socket, watch)).open()
        reader.follow()
        reader.first("WATCH" if watch else "VERSION")
        return reader

    def subscribers(self, paced, count):
        return self.keep(SubscriberPool(paced.state_socket, count))

    def strap(self, *options, **settings):
        return self.start(Strap(self.directory, *options, **settings))

    def gpsd(self):
        return self.start(Gpsd(self.directory))

    def terminal(self, command=None, **options):
        return self.keep(Terminal(self.directory, command, **options))

    def end(self):
        for one in reversed(self.running):
            one.end()
        shutil.rmtree(self.directory, ignore_errors=True)
