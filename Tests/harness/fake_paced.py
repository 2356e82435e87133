"""A daemon that answers pacectl with values that a test sets."""

import json
import pathlib
import queue
import socket
import threading
import time

VERSION = {
    "class": "VERSION", "program": "paced", "release": "0.1.0", "protocol": 1, "boot_id": "b", "instance": "i",
}
IDLE = {
    "class": "STATE", "time": "2026-03-01T07:30:12.300Z", "boot_ms": 123456700, "clock": "system", "run": "idle",
    "heart": {
        "link": "connected", "address": "A0:9E:1A:00:00:01", "name": "Polar H10 00000001", "bpm": 96,
        "age_ms": 312, "stale": False, "contact": True, "battery_percent": 80, "zone": 0, "zone_name": "Warm Up",
        "zone_fraction": 0,
    },
    "position": {
        "latitude": 52.5, "longitude": 13.4, "altitude_m": 34.1, "accuracy_m": 4.1, "mode": 3, "satellites": 9,
        "age_ms": 180, "stale": False,
    },
    "gpsd": {"link": "connected", "device": "/dev/ttyACM0"}, "bluetooth": {"backend": "kernel"},
    "recorder": {"state": "off"}, "ticks": {"late": 0, "worst_ms": 0.4}, "faults": [],
}
# The same as in Tests/ConsoleTests/Views.swift: the kept screens show it.
RUN = IDLE | {
    "run": "active", "activity": 17, "sport": "run", "elapsed_ms": 1632300, "moving_ms": 1610000,
    "distance_m": 5034.2, "pace_s_per_m": 0.3124, "average_pace_s_per_m": 0.3243, "speed_mps": 3.2, "ascent_m": 41.6,
    "lap": {"number": 3, "elapsed_ms": 192300, "moving_ms": 192300, "distance_m": 603.1, "average_bpm": 151},
    "heart": IDLE["heart"] | {
        "bpm": 148, "average_bpm": 141, "max_bpm": 163, "zone": 2, "zone_name": "Zone 2", "zone_fraction": 0.489,
    },
}
SETTINGS = {
    "metric": True, "twelve_hour_clock": False, "use_heart_rate_zones": True, "sport": "run", "auto_lap_m": 0,
    "auto_lap_s": 0, "auto_stop_minutes": 0, "auto_pause": ["ride"], "sensors": [], "zones": [114, 133, 152, 171, 180],
}
SUMMARY = {
    "id": 17, "sport": "run", "open": False, "elapsed_ms": 1632300, "total_ms": 1700000, "distance_m": 5034.2,
    "average_pace_s_per_m": 0.3243, "laps": 3, "gaps": 0, "average_bpm": 141, "max_bpm": 163,
}
# A hostile strap name: sets the title, clears the screen, sets red, reverses the text direction, and is wide.
HOSTILE = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\u2028日本語 👩‍👩‍👧 e\u0301\u200b \"</script>"


def fields(state):
    """The block `fields` of a state: the data fields of the first page."""
    values = {"distance": state.get("distance_m"), "pace": state.get("pace_s_per_m"), "speed": state.get("speed_mps")}
    if "elapsed_ms" in state:
        values["time"] = state["elapsed_ms"] / 1000
    if "lap" in state:
        values["lap_time"] = state["lap"]["elapsed_ms"] / 1000
        values["laps"] = state["lap"]["number"]
    return {name: value for name, value in values.items() if value is not None}


class FakePaced:
    """Serves both sockets (docs/protocol.md) for pacectl. `state` and `settings` may be changed at any time."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.state = dict(RUN)
        self.settings = dict(SETTINGS)
        self.version = dict(VERSION)
        self.speaks = True
        self.tells_settings = True
        self.answers_watch = True
        self.asked = []
        self.watches = []
        self.clients = []
        # Those of state.sock.
        self.subscribers = []
        self.refusal = None
        # The block `sensors`.
        self.sensors = []
        # The result of each scan; the last one repeats.
        self.straps = [[]]
        self.running = threading.Event()
        self.running.set()
        self.listeners = []
        self.threads = []
        self.serve("state.sock", self.tell)
        self.serve("control.sock", self.answer)

    def serve(self, name, handle):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.directory / name))
        listener.listen()
        self.listeners.append(listener)

        def accept():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                self.clients.append(client)
                self.start(handle, client)

        self.start(accept)

    def start(self, body, *arguments):
        thread = threading.Thread(target=body, args=arguments, daemon=True)
        thread.start()
        self.threads.append(thread)

    def say(self, client, line):
        client.sendall((json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n").encode())

    def lines(self, client):
        """Reads a client's lines until it, or the test, ends."""
        try:
            yield from client.makefile("r")
        except (OSError, ValueError):
            pass

    def event(self, **fields):
        for client in self.subscribers:
            try:
                self.say(client, {"class": "EVENT"} | fields)
            except OSError:
                pass

    def tell(self, client):
        watch = {"class": "WATCH", "interval_ms": 100}
        requests = queue.SimpleQueue()
        said = {}

        def listen():
            for line in self.lines(client):
                requests.put(json.loads(line))
                self.watches.append(json.loads(line))

        self.subscribers.append(client)
        self.start(listen)
        seq = 0
        try:
            self.say(client, self.version)
            while self.running.is_set():
                if self.speaks:
                    seq += 1
                    while self.answers_watch and not requests.empty():
                        watch |= requests.get()
                        self.say(client, watch)
                    state = dict(self.state)
                    if watch.get("blocks"):
                        state["blocks"] = {}
                    if "fields" in watch.get("blocks", []):
                        state["blocks"] = {"fields": fields(state)}
                    if "sensors" in watch.get("blocks", []):
                        state["blocks"] = {"sensors": self.sensors}
                    self.say(client, state | {"seq": seq})
                    wants = not self.answers_watch or "SETTINGS" in watch.get("classes", [])
                    if self.tells_settings and wants and said != self.settings:
                        said = dict(self.settings)
                        self.say(client, {"class": "SETTINGS", "seq": seq} | said)
                time.sleep(watch["interval_ms"] / 1000)
        except OSError:
            pass

    def answer(self, client):
        for line in self.lines(client):
            request = json.loads(line)
            method, params = request["method"], request.get("params", {})
            self.asked.append((method, params))
            reply = {"jsonrpc": "2.0", "id": request["id"]}
            if self.refusal and method.startswith(("run.", "sensor.")):
                reply["error"] = self.refusal
            elif method == "settings.get":
                reply["result"] = self.settings[params["key"]] if "key" in params else self.settings
            elif method == "settings.set":
                reply["result"] = self.settings[params["key"]] = params["value"]
            elif method == "sensor.scan":
                time.sleep(min(params["seconds"], 0.2))
                reply["result"] = self.straps.pop(0) if len(self.straps) > 1 else self.straps[0]
            elif method == "sensor.use":
                reply["result"] = {"link": "disconnected", "reason": "searching"}
            elif method == "sensor.forget":
                reply["result"] = None
            elif method == "status":
                reply["result"] = self.state | {"seq": 1}
            elif method == "run.start":
                reply["result"] = {"activity": 17}
            elif method in ("run.stop", "run.discard"):
                reply["result"] = SUMMARY
            else:
                reply["result"] = {"run": "paused", "elapsed_ms": 192300}
            try:
                self.say(client, reply)
            except OSError:
                return

    def stop(self):
        self.running.clear()
        for end in self.listeners + self.clients:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
        for name in ("state.sock", "control.sock"):
            (self.directory / name).unlink(missing_ok=True)
