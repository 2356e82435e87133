"""A gpsd that ignores requests and sends what a test provides."""

import datetime
import json
import socket
import threading
import time

from harness.timing import wait_for

VERSION = {"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14}


def report(index, milliseconds, device="/dev/ttyACM0", **fields):
    """A TPV on a northward line, 1 m for each report, `milliseconds` after a fixed time of day."""
    moment = datetime.datetime(2026, 11, 21, 8, 0, tzinfo=datetime.UTC) + datetime.timedelta(milliseconds=milliseconds)
    return {
        "class": "TPV", "device": device, "mode": 3, "time": moment.isoformat(timespec="milliseconds")[:23] + "Z",
        "lat": round(52.5 + index * 9e-6, 7), "lon": 13.4, "eph": 3.0} | fields


class FakeGpsd:
    """Accepts any number of clients, and sends each VERSION and DEVICES, then what `serve` sends."""

    # The name of the one receiver.
    device = "/dev/ttyACM0"

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.clients = []
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def option(self):
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.run, args=[client], daemon=True).start()

    def run(self, client):
        try:
            self.say(client, VERSION)
            self.say(client, {"class": "DEVICES", "devices": [{"class": "DEVICE", "path": self.device}]})
            self.clients.append(client)
            self.serve(client)
        except OSError:
            pass
        if client in self.clients:
            self.clients.remove(client)
        client.close()

    def serve(self, client):
        """Runs in a client's thread; by default it reads until the client disconnects."""
        while client.recv(65536):
            pass

    def say(self, client, line):
        # As gpsd writes it, without spaces.
        client.sendall(json.dumps(line, separators=(",", ":")).encode() + b"\r\n")

    def end(self):
        for one in [self.listener, *self.clients]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.listener.close()


class ScriptedGpsd(FakeGpsd):
    """Sends what a test provides, to the newest client."""

    def __init__(self):
        self.sent = 0
        super().__init__()

    def send(self, *lines):
        """Sends bytes; blocks while the daemon reads nothing."""
        client = wait_for(lambda: self.clients[-1:], 60, "a client of gpsd's")[0]
        text = "".join(json.dumps(line, separators=(",", ":")) + "\r\n" for line in lines)
        client.sendall(text.encode())
        self.sent += len(lines)

    def flood(self, lines, seconds, per_second=None):
        """Sends lines of an iterator for a time, as fast as they are accepted or at a given rate."""
        begun = time.monotonic()
        count = 0
        for line in lines:
            now = time.monotonic() - begun
            if now >= seconds:
                return
            if per_second and count > now * per_second:
                time.sleep(count / per_second - now)
            self.send(line)
            count += 1
