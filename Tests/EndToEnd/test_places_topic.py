"""The topic `places` of `paced-net`: the nearest places of each kind, and the notice of drinking water."""

import json
import subprocess

import pytest

from harness.paced_net import PacedNet, StandingGpsd
from harness.process import ENVIRONMENT, PACECTL
from harness.timing import wait_for
from matrix import matrix

HERE = (42.5078, 1.5211)
# A kind, its tag, and for each of its places how many metres it lies to the north.
MADE = [
    ("water", ("amenity", "drinking_water"), [300, 1200, 2900]), ("bench", ("amenity", "bench"), [10]),
    ("food", ("shop", "bakery"), [50, 40, 30, 20, 60, 70]), ("park", ("leisure", "park"), [450, 1900, 2100])]
METRES = 111_195


class PlacesFixture:
    """A daemon with a position; when the test starts it, `paced-net` with places."""

    def __init__(self, stage):
        self.stage = stage
        self.maps = stage.directory / "maps"
        self.gpsd = stage.keep(StandingGpsd(HERE))
        self.daemon = stage.paced("--gpsd", self.gpsd.option, "--sensors", "off")
        wait_for(lambda: "position" in self.daemon.call("status"), 60, "a position")

    def import_places(self):
        """Imports MADE. The ID of a place is its distance."""
        path = self.stage.directory / "made.geojsonseq"
        with path.open("w") as file:
            for kind, (key, value), distances in MADE:
                for metres in distances:
                    position = [HERE[1], HERE[0] + metres / METRES]
                    print(json.dumps({
                        "type": "Feature", "id": f"n{metres}", "properties": {key: value, "name": f"{kind} {metres}"},
                        "geometry": {"type": "Point", "coordinates": position}}), file=file)
        command = [PACECTL, "places", "import", path, "--maps-dir", self.maps]
        subprocess.run(command, check=True, capture_output=True, timeout=120, env=ENVIRONMENT)

    def start(self, configuration=""):
        self.net = self.stage.start(PacedNet(
            self.stage.directory, self.daemon.runtime, "--maps-dir", self.maps,
            configuration=f"[Weather]\nServer=off\n[Places]\n{configuration}"))
        return self.net

    def watch(self):
        return self.stage.reader(self.daemon, topics=["places"])

    def first(self, reader, since=0):
        return reader.wait("places", lambda line: "places" in line.get("data", {}), 30, since)["data"]


@pytest.fixture
def fixture(stage):
    return PlacesFixture(stage)


def test_topic_has_the_nearest_places_of_each_kind(fixture):
    fixture.import_places()
    fixture.start()
    line = fixture.watch().wait("places", lambda line: "places" in line.get("data", {}), 30)
    data = line["data"]
    assert (line["source"], line["stale"], data["radius_m"]) == ("OpenStreetMap", False, 2000)
    assert (round(data["latitude"], 4), round(data["longitude"], 4)) == HERE
    assert "OpenStreetMap" in data["attribution"]
    # Four of a kind at most, none beyond 2 km, and no bench.
    assert [(place["kind"], place["id"]) for place in data["places"]] == [
        ("food", "n20"), ("food", "n30"), ("food", "n40"), ("food", "n50"), ("water", "n300"), ("park", "n450"),
        ("water", "n1200"), ("park", "n1900")]
    for place in data["places"]:
        assert abs(place["distance_m"] - int(place["id"][1:])) <= 4 and place["bearing_deg"] in (0, 360)
    assert data["places"][0]["detail"] == "bakery" and data["places"][4]["name"] == "water 300"


@pytest.mark.thorough
def test_kinds_and_radius_are_those_of_the_configuration(fixture):
    fixture.import_places()
    fixture.start("Kinds=bench,water\nRadiusKm=0.5")
    data = fixture.first(fixture.watch())
    assert data["radius_m"] == 500 and [place["id"] for place in data["places"]] == ["n10", "n300"]


@pytest.mark.fast_clock
def test_search_is_repeated_after_three_quarters_of_the_radius(fixture):
    fixture.import_places()
    fixture.start("RadiusKm=1")
    reader = fixture.watch()
    fixture.first(reader)
    # 0.5 km, and then 1 km: the second search shows that the first move had none.
    fixture.gpsd.place = (HERE[0] + 0.0045, HERE[1])
    near = fixture.stage.reader(fixture.daemon, classes=["STATE"])
    near.wait("the position", lambda line: line.get("position", {}).get("latitude", 0) > HERE[0] + 0.0044, 30)
    since = len(reader.lines)
    fixture.gpsd.place = (HERE[0] + 0.009, HERE[1])
    data = fixture.first(reader, since)
    assert abs(data["latitude"] - HERE[0] - 0.009) < 0.0002
    assert len([line for line in reader.of("DATA") if "data" in line]) == 2


@pytest.mark.fast_clock
def test_missing_places_are_a_reason_until_an_import(fixture):
    fixture.start()
    reader = fixture.watch()
    reader.wait("a reason", lambda line: line.get("data", {}).get("reason", "") ==
                "no places: run 'pacectl places import FILE.osm.pbf'", 30)
    wait_for(lambda: f"there are no places in {fixture.maps}" in fixture.net.log_text(), 60, "a warning")
    fixture.import_places()
    fixture.gpsd.place = (HERE[0] + 0.02, HERE[1])
    assert fixture.first(reader)["places"]
    assert fixture.net.log_text().count("there are no places") == 1


@pytest.mark.parametrize("damage", matrix([b"", b"not a database" * 1000, None], b""))
def test_damaged_places_are_a_reason(fixture, damage):
    fixture.import_places()
    database = fixture.maps / "places.db"
    whole = database.read_bytes()
    database.write_bytes(whole[:8192] if damage is None else damage)
    fixture.start()
    fixture.watch().wait("a reason", lambda line: "reason" in line.get("data", {}), 30)
    wait_for(lambda: "places.db" in fixture.net.log_text(), 60, "a warning")
    assert fixture.net.process.poll() is None


@pytest.mark.fast_clock
def test_drinking_water_is_announced_once_in_a_run(fixture):
    fixture.import_places()
    fixture.start("WaterNoticeKm=0.5")
    reader = fixture.stage.reader(fixture.daemon, classes=["EVENT"])
    fixture.daemon.call("run.start", indoor=True)
    fixture.daemon.call("run.stop")
    fixture.daemon.call("run.start")
    water = reader.wait("water", lambda line: line.get("event") == "notice" and line.get("topic") == "places", 40)
    assert (water["key"], water["text"]) == ("water", "drinking water in 0.3 km: water 300")
    # The search for a new subscriber announces nothing: it ends after any notice.
    fixture.first(fixture.watch())
    assert len([line for line in reader.lines if line.get("event") == "notice"]) == 1


@pytest.mark.thorough
def test_restarted_daemon_has_the_places_again(fixture):
    fixture.import_places()
    fixture.start()
    fixture.first(fixture.watch())
    fixture.daemon.stop()
    fixture.daemon = fixture.stage.paced("--gpsd", fixture.gpsd.option, "--sensors", "off")
    assert fixture.first(fixture.watch())["places"]
