"""A private bus, and a service on it with bluetoothd's name that answers every call late, with an error.

It encodes the few D-Bus messages itself, so that it shares no code with the tested program.
"""

import os
import socket
import struct
import subprocess
import threading
import time

from harness.process import ManagedProcess
from harness.timing import wait_for

CALL, RETURN, ERROR = 1, 2, 3
MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE = 3, 4, 5, 6, 7, 8
PATH, INTERFACE = 1, 2

CONFIGURATION = """<busconfig>
  <listen>{address}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class Bus(ManagedProcess):
    """The real dbus-daemon, with a policy that allows everything."""

    def __init__(self, directory):
        self.path = directory / "bus"
        self.address = f"unix:path={self.path}"
        configuration = directory / "bus.conf"
        configuration.write_text(CONFIGURATION.format(address=self.address))
        super().__init__(
            ["dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", "--config-file", configuration],
            stderr=subprocess.DEVNULL)

    def wait_until_ready(self):
        wait_for(self.is_listening, 60, "a bus")

    def is_listening(self):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.path)) == 0


def padded(data, size):
    return data + bytes(-len(data) % size)


def text(value):
    return struct.pack("<I", len(value)) + value.encode() + b"\0"


def message(kind, serial, fields, body=b""):
    """A message with header fields (code, type, value); it starts at a multiple of 8 for alignment."""
    header = b""
    for code, type_, value in fields:
        header = padded(header, 8) + bytes([code, 1]) + type_.encode() + b"\0"
        if type_ == "g":
            header += bytes([len(value)]) + value.encode() + b"\0"
        else:
            header = padded(header, 4) + (struct.pack("<I", value) if type_ == "u" else text(value))
    start = struct.pack("<cBBBII", b"l", kind, 0, 1, len(body), serial) + struct.pack("<I", len(header))
    return padded(start + header, 8) + body


def fields(header):
    """The header fields of a message, by code."""
    found, at = {}, 0
    while at < len(header):
        at += -at % 8
        code, type_ = header[at], chr(header[at + 2])
        at += 4
        if type_ == "g":
            size, at = header[at], at + 1
            found[code], at = header[at:at + size].decode(), at + size + 1
            continue
        at += -at % 4
        number, = struct.unpack_from("<I", header, at)
        at += 4
        found[code] = number
        if type_ in "so":
            found[code], at = header[at:at + number].decode(), at + number + 1
    return found


class FakeBluez:
    """Owns the name org.bluez from its start to its end; keeps the called members with their times."""

    NAME = "org.bluez"

    def __init__(self, bus, delay=2.0):
        self.delay = delay
        self.calls = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(bus.path))
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        assert self.socket.recv(1024).startswith(b"OK")
        self.socket.sendall(b"BEGIN\r\n")
        self.serial = 0
        self.say(CALL, self.to_the_bus("Hello"))
        self.say(CALL, self.to_the_bus("RequestName") + [(SIGNATURE, "g", "su")],
                 padded(text(self.NAME), 4) + struct.pack("<I", 4))
        self.is_running = True
        self.waiting = []
        self.threads = [threading.Thread(target=run, daemon=True) for run in (self.listen, self.answer)]
        for thread in self.threads:
            thread.start()

    @staticmethod
    def to_the_bus(member):
        return [(PATH, "o", "/org/freedesktop/DBus"), (INTERFACE, "s", "org.freedesktop.DBus"),
                (MEMBER, "s", member), (DESTINATION, "s", "org.freedesktop.DBus")]

    def say(self, kind, header, body=b""):
        self.serial += 1
        self.socket.sendall(message(kind, self.serial, header, body))

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError
            data += part
        return data

    def listen(self):
        try:
            while True:
                start = self.read(16)
                _, kind, _, _, size, serial, length = struct.unpack("<cBBBIII", start)
                header = fields(self.read(length + -length % 8)[:length])
                self.read(size)
                if kind == CALL:
                    self.calls.append((time.monotonic(), header[MEMBER]))
                    self.waiting.append((time.monotonic() + self.delay, serial, header[SENDER]))
        except OSError:
            pass

    def answer(self):
        while self.is_running:
            time.sleep(0.01)
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                _, serial, caller = self.waiting.pop(0)
                self.reply([(REPLY_SERIAL, "u", serial), (DESTINATION, "s", caller)])

    def reply(self, header):
        self.say(ERROR, [(ERROR_NAME, "s", "org.bluez.Error.Failed"), *header])

    def end(self):
        self.is_running = False
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for thread in self.threads:
            thread.join(5)
