"""A gpsd that sends what a test gives it, as fast as the test wants, and answers nothing."""

import datetime
import json
import socket
import threading
import time

VERSION = {"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14}


def report(index, milliseconds, device="/dev/ttyACM0", **fields):
    """A TPV on a line to the north, 1 m a report, `milliseconds` after a fixed time of day."""
    moment = datetime.datetime(2026, 11, 21, 8, 0, tzinfo=datetime.UTC) + datetime.timedelta(milliseconds=milliseconds)
    return {
        "class": "TPV", "device": device, "mode": 3, "time": moment.isoformat(timespec="milliseconds")[:23] + "Z",
        "lat": round(52.5 + index * 9e-6, 7), "lon": 13.4, "eph": 3.0} | fields


class FakeGpsd:
    """Listens at once, and sends each client the VERSION line, then what `send` is given."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen()
        self.client = None
        self.has_client = threading.Event()
        self.is_running = True
        self.sent = 0
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    @property
    def option(self):
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                client.sendall(json.dumps(VERSION, separators=(",", ":")).encode() + b"\r\n")
            except OSError:
                return
            self.client = client
            self.has_client.set()

    def send(self, *lines):
        """Waits while the daemon takes nothing."""
        assert self.has_client.wait(10), "nobody connects"
        text = "".join(json.dumps(line, separators=(",", ":")) + "\r\n" for line in lines)
        self.client.sendall(text.encode())
        self.sent += len(lines)

    def flood(self, lines, seconds, per_second=None):
        """Sends lines of an iterator for a time, as fast as they are taken or so many a second."""
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

    def end(self):
        self.listener.close()
        if self.client:
            self.client.close()
