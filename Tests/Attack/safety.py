"""What the attacks may touch: directories created by this process, and sockets of daemons that it started."""

import os
import pathlib
import shutil
import socket
import struct
import tempfile
import time

# Where an installed paced keeps its sockets and recordings.
RESERVED = [pathlib.Path(path) for path in ("/run/paced", "/var/run/paced", "/var/lib/paced")]


class Refused(Exception):
    """The attack must not touch this; the message has the reason."""


def identity(path):
    """Device and inode: a directory that another process put in its place has a different one."""
    status = os.lstat(path)
    return status.st_dev, status.st_ino


def refuse_reserved(path):
    for reserved in RESERVED:
        for known in (reserved, reserved.resolve()):
            if path == known or known in path.parents:
                raise Refused(f"{path} belongs to an installed paced; the attacks use a directory that they make")


class Ground:
    """The one directory with all files of a run of the attacks, and the daemons that the run started."""

    def __init__(self, path=None):
        """Creates the directory: `path`, which must not exist, or one with a new name in /tmp.

        The name is short, because the path of a socket has at most 107 bytes.
        """
        if path is None:
            self.root = pathlib.Path(tempfile.mkdtemp(prefix="paced-attack-", dir="/tmp")).resolve()
        else:
            parent = pathlib.Path(path).absolute()
            self.root = parent.parent.resolve() / parent.name
            refuse_reserved(self.root)
            try:
                self.root.mkdir(mode=0o700)
            except FileExistsError:
                raise Refused(
                    f"{path} exists, and the attacks did not make it; give a path that does not exist"
                ) from None
            except OSError as error:
                raise Refused(f"{path} cannot be made: {error.strerror}") from None
        self.made = identity(self.root)
        self.daemons = set()

    def check(self, path):
        """The path without links, if it is in the directory created by this process; else raises Refused."""
        resolved = pathlib.Path(path).resolve()
        refuse_reserved(resolved)
        if identity(self.root) != self.made:
            raise Refused(f"{self.root} is not the directory that the attacks made")
        if resolved != self.root and self.root not in resolved.parents:
            raise Refused(f"{path} is not in {self.root}, the directory that the attacks made")
        return resolved

    def directory(self, name):
        """A new directory."""
        path = self.check(self.root / name)
        path.mkdir(mode=0o700)
        return path

    def started(self, pid):
        """Registers a started daemon: its sockets may be connected to."""
        self.daemons.add(pid)

    def connect(self, path, timeout=5.0):
        """A connection to a socket of a daemon that this process started; raises Refused for any other."""
        client = socket.socket(socket.AF_UNIX)
        try:
            client.settimeout(timeout)
            path, end = self.check(path), time.monotonic() + timeout
            while True:
                try:
                    client.connect(str(path))
                    break
                except BlockingIOError:
                    # The listener's queue is full. The kernel waits for a place only without O_NONBLOCK.
                    if time.monotonic() >= end:
                        raise
                    time.sleep(0.01)
            pid, _, _ = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            if pid not in self.daemons:
                raise Refused(f"{path} is the socket of process {pid}, which the attacks did not start")
            return client
        except BaseException:
            client.close()
            raise

    def remove(self):
        if identity(self.root) == self.made:
            shutil.rmtree(self.root, ignore_errors=True)
