#!/usr/bin/env python3
"""A simulated walker with a real route engine: `walk.py ADDRESS`.

Imports the extract of Andorra, asks for the way to a place of it, loads the flattest route, and walks it to its end.
Prints what the programs print, and each event of the course.
"""
import json
import math
import pathlib
import subprocess
import sys

# The package that all tests share.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from harness.fixture import ProcessFixture
from harness.paced_net import PacedNet, StandingGpsd
from harness.process import ENVIRONMENT, PACECTL, ROOT
from harness.timing import wait_for

HERE = (42.5075, 1.521)
# Metres of a step of 0.2 s: 3 m/s.
STEP = 0.6


class Walker(StandingGpsd):
    """Stands until it has a track, and walks along it with each report."""

    track = ()

    def serve(self, client):
        for place in self.places():
            self.place = place
            if self.ended.wait(0.2):
                return
            self.report(client)

    def places(self):
        while not self.track:
            yield self.place
        for (south, west), (north, east) in zip(self.track, self.track[1:]):
            metres = math.hypot(north - south, (east - west) * math.cos(math.radians(south))) * 111_195
            count = max(math.ceil(metres / STEP), 1)
            for step in range(1, count + 1):
                yield south + (north - south) * step / count, west + (east - west) * step / count
        while True:
            yield self.place


def main(address):
    stage = ProcessFixture()
    try:
        walker = stage.keep(Walker(HERE))
        daemon = stage.paced("--gpsd", walker.option, "--sensors", "off")
        maps = stage.directory / "maps"
        net = stage.start(PacedNet(
            stage.directory, daemon.runtime, "--maps-dir", maps,
            configuration=f"[Weather]\nServer=off\n[Routes]\nEngine=brouter+{address}\n"))

        def pacectl(*words):
            words = [str(word) for word in words]
            print("$ pacectl", *words, flush=True)
            directories = ["--runtime-dir", daemon.runtime, "--state-dir", stage.directory / "state"]
            done = subprocess.run(
                [PACECTL, "--metric", *directories, *words], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
            print(done.stdout + done.stderr, flush=True)
            assert done.returncode == 0
            return done.stdout

        wait_for(lambda: "no position" not in str(net.call("weather.at")), 60, "a position of paced-net")
        pacectl("places", "import", ROOT / "Tests/Data/osm/andorra.osm.pbf", "--maps-dir", maps)
        found = pacectl("places", "near", "--kind", "food", "--maps-dir", maps)
        # The nearest one that is not here already.
        lines = [line.split() for line in found.splitlines()[1:-1]]
        place = next(line[-1] for line in lines if line[1] == "km" or float(line[0]) > 200)
        pacectl("route", "--to", place, "--maps-dir", maps, "--net-dir", net.runtime, "--load", 1)
        course = json.loads(pacectl("course", "export", "last", "--format", "geojson"))
        line = next(feature["geometry"]["coordinates"] for feature in course["features"]
                    if feature["geometry"]["type"] == "LineString")
        reader = stage.reader(daemon, classes=["EVENT"])
        daemon.call("run.start", sport="walk")
        walker.track = [walker.place] + [(point[1], point[0]) for point in line]
        reader.wait("the end of the course", is_done, 900)
        for event in reader.lines:
            if event.get("event") in ("course", "cue"):
                print({key: event[key] for key in event if key not in ("class", "seq", "time", "boot_ms")})
        assert not any(is_off(event) for event in reader.lines), "paced reported that the run left the course or went against its direction"
        daemon.call("run.stop")
        print("the course was followed to its end")
        pacectl("show", "last")
    finally:
        stage.end()


def is_done(line):
    return line.get("event") == "course" and line["change"] == "done"


def is_off(line):
    return line.get("event") == "course" and line["change"] in ("off", "wrong-way")


main(sys.argv[1])
