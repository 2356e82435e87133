"""The door of paced for the sensors of other programs, sensor.sock, for the programs beside this file.

While paced is away, measurements are dropped: old ones are of no use. When it is back, all sensors are announced again.
"""
import json
import os
import signal
import socket
import sys
import time


def end_at_signals():
    """SIGTERM and Ctrl-C end the program with status 0, after its `finally` blocks."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit())


class Door:
    """Its methods return why something failed, or None. It prints that too, unless it is the same as before."""

    PAUSE_S = 2  # Between two attempts to connect.

    def __init__(self):
        self.sensors, self.next_attempt = {}, 0
        self.socket = self.answers = self.complaint = None

    def announce(self, sensor, **parameters):
        """Announces a sensor with its `kinds`, or what has changed of it, such as its `battery_percent`."""
        before = self.sensors.get(sensor, {"id": sensor})
        self.sensors[sensor] = before | parameters
        if not self.socket:
            return self.connect()
        return self.call("sensor.announce", self.sensors[sensor]) if self.sensors[sensor] != before else None

    def measure(self, sensor, kind, **values):
        return self.send("sensor.measure", {"id": sensor, "kind": kind, **values})

    def locate(self, **values):
        """A position, for a paced whose paced.conf has Gpsd=sensor-socket."""
        return self.send("position.measure", values)

    def send(self, method, parameters):
        failure = None if self.socket else self.connect()
        return failure or self.call(method, parameters)

    def connect(self):
        if time.monotonic() < self.next_attempt:
            return "paced is away"
        # Beside $PACED_SOCKET, else where your own paced has it, else the service.
        own = os.getenv("XDG_RUNTIME_DIR", "") + "/paced/state.sock"
        state = os.getenv("PACED_SOCKET") or (own if os.path.exists(own) else "/run/paced/state.sock")
        path = os.path.join(os.path.dirname(state), "sensor.sock")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(5)
        try:
            self.socket.connect(path)
        except OSError as error:
            return self.lose(f"{path}: {error.strerror or error}")
        self.answers, self.complaint = self.socket.makefile(encoding="utf-8"), None
        for sensor in self.sensors.values():
            if self.socket:
                self.call("sensor.announce", sensor)
        return None if self.socket else "paced is away"

    def call(self, method, parameters):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        try:
            self.socket.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(self.answers.readline())
        except (OSError, ValueError):
            return self.lose("paced has ended the connection")
        error = answer.get("error")
        return self.complain(error.get("data", error)["message"]) if error else None

    def lose(self, message):
        self.socket.close()
        self.socket = self.answers = None
        self.next_attempt = time.monotonic() + self.PAUSE_S
        return self.complain(message)

    def complain(self, message):
        if message != self.complaint:
            print(message, file=sys.stderr, flush=True)
        self.complaint = message
        return message
