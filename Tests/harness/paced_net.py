"""`paced-net` beside a daemon that has a position, a weather service and subscribers of the topic."""

import json
import socket
import threading
from datetime import timedelta

from harness.client import ControlClient, connect
from harness.fake_gpsd import FakeGpsd
from harness.faults import fault_library
from harness.process import PROGRAMS, ManagedProcess
from harness.timing import wait_for
from harness.weather_server import WeatherServer, now, station, taf

PACED_NET = PROGRAMS / "paced-net"
# Where the receiver is: no station, 52.37 is 14 km south, 52.1 44 km, and 51.5 111 km.
LATITUDE, LONGITUDE = 52.5123, 13.4123


class StandingGpsd(FakeGpsd):
    """A receiver that reports the position `place` again and again; no fix while `place` is None. Its time is `ahead`
    seconds ahead of the real one.
    """

    def __init__(self, place=(LATITUDE, LONGITUDE)):
        self.place, self.ahead = place, 0
        self.ended = threading.Event()
        super().__init__()

    def serve(self, client):
        while not self.ended.wait(0.2):
            self.report(client)

    def report(self, client):
        time = (now() + timedelta(seconds=self.ahead)).isoformat(timespec="milliseconds")[:23] + "Z"
        fix = {"class": "TPV", "device": self.device, "mode": 1, "time": time}
        if self.place:
            fix |= {"mode": 3, "lat": self.place[0], "lon": self.place[1], "altHAE": 80.0, "eph": 3.0}
        self.say(client, fix)

    def end(self):
        self.ended.set()
        super().end()


class PacedNet(ManagedProcess):
    """A process with a runtime and a cache directory in `directory`, and requests to it."""

    def __init__(self, directory, paced_directory, *options, configuration=None, log="net.log", **environment):
        self.directory = directory
        self.runtime, self.cache = directory / "net", directory / "cache"
        command = [PACED_NET, "--runtime-dir", self.runtime, "--cache-dir", self.cache, "--paced-dir", paced_directory]
        if configuration is not None:
            path = directory / "paced-net.conf"
            path.write_text(configuration)
            command += ["--config", path]
        super().__init__([*command, *options], environment, directory / log)

    def wait_until_ready(self):
        wait_for(self.is_listening, 60, "a paced-net that listens")

    def is_listening(self):
        assert self.process.poll() is None, f"paced-net ended with {self.process.poll()}: {self.log_text()}"
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.runtime / "net.sock")) == 0

    @property
    def control(self):
        return ControlClient(self.runtime / "net.sock")

    def call(self, method, **parameters):
        return self.control.call(method, **parameters)


class SteppedNet:
    """A `paced-net` whose clocks the test steps. Subclasses have a stage, a daemon and `watch`."""

    def step_environment(self):
        """The environment of a `paced-net` whose clocks the test steps."""
        self.step_path = self.stage.directory / "step"
        self.step(0)
        return {"LD_PRELOAD": fault_library("clock"), "CLOCK_STEP": str(self.step_path)}

    def step(self, seconds):
        """How far the clocks are ahead of the time."""
        other = self.step_path.with_suffix(".new")
        other.write_text(str(seconds))
        other.rename(self.step_path)

    def unwatch(self, reader):
        """Ends the only subscriber of a topic. The daemon has sent that to its publishers."""
        with connect(self.daemon.runtime / "publish.sock", timeout=60) as client:
            lines = client.makefile("r")
            assert json.loads(lines.readline())["subscribers"] == 1
            reader.end()
            assert json.loads(lines.readline())["subscribers"] == 0

    def watch_again(self, reader):
        """A new subscriber in the place of the only one: paced-net looks at its clock."""
        self.unwatch(reader)
        return self.watch()


class WeatherFixture(SteppedNet):
    """A weather service and a receiver; when the test starts them, a daemon, `paced-net` and subscribers."""

    def __init__(self, stage):
        self.stage = stage
        self.server = stage.keep(WeatherServer())
        self.add_stations(self.server)
        self.gpsd = stage.keep(StandingGpsd())
        self.daemon = self.net = None

    @staticmethod
    def add_stations(server):
        """Two stations near, one with a forecast, and radar that is no station."""
        server.add(station("EDDB", 52.37, 13.5, ["METAR", "TAF"], elev=46),
                   "24010G20KT 9999 -SHRA FEW012 BKN030CB 12/08 Q1013", taf=taf("EDDB", "24010KT 9999 SCT030"))
        server.add(station("EDAZ", 52.2, 13.2), "20005KT CAVOK 14/09 Q1012")
        server.stations.append(station("RADR", 52.5, 13.4, ["RADAR"]))

    def start_daemon(self, **environment):
        """A daemon that knows its position."""
        self.daemon = self.stage.paced("--gpsd", self.gpsd.option, "--sensors", "off", **environment)
        if self.gpsd.place:
            self.wait_for_position()
        return self.daemon

    def wait_for_position(self):
        wait_for(lambda: "position" in self.daemon.call("status"), 60, "a position")

    def start_net(self, *options, network="TimeoutSec=60", server=None, **environment):
        configuration = f"[Network]\n{network}\n[Weather]\nServer={server or self.server.address}\n"
        self.net = self.stage.start(
            PacedNet(self.stage.directory, self.daemon.runtime, *options, configuration=configuration, **environment))
        return self.net

    def start(self, *options, **settings):
        """A daemon, and `paced-net`."""
        self.start_daemon()
        return self.start_net(*options, **settings)

    def watch(self):
        """A new subscriber of the topic."""
        return self.stage.reader(self.daemon, topics=["weather"])


def figures(line):
    """Whether a line has the figures of a station, and no reason."""
    return line["class"] == "DATA" and "station" in line.get("data", {}) and "reason" not in line["data"]


def first_figures(reader, since=0, seconds=60, **fields):
    """The data of the first line with figures."""
    def matches(line):
        return figures(line) and all(line["data"].get(key) == value for key, value in fields.items())
    return reader.wait(f"figures {fields}", matches, seconds, since)["data"]


def first_reason(reader, part, since=0, seconds=60):
    """The first line whose reason contains a text."""
    return reader.wait(
        f"the reason '{part}'",
        lambda line: line["class"] == "DATA" and part in line.get("data", {}).get("reason", ""), seconds, since)
