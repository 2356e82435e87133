"""`pacectl transit`: the timetable of a GTFS feed, and questions about it without paced-net."""

import datetime
import itertools
import json
import math
import os
import sqlite3
import struct
import subprocess
import xml.etree.ElementTree
import zipfile
import zlib
import zoneinfo

import pytest

from harness.gtfs import METRES, Feed, write_archive, write_large_feed
from harness.maps import MapsCommand
from harness.process import ROOT
from matrix import matrix

DATA = ROOT / "Tests/Data/transit"
FIELD = ROOT / "Tests/Data/field/K23-gtfs-messages"
HERE = (52.5, 13.4)
KML = "{http://www.opengis.net/kml/2.2}"


def north(metres):
    """Returns the place that is `metres` north of HERE."""
    return HERE[0] + metres / METRES, HERE[1]


def text(place):
    return f"{place[0]:.6f},{place[1]:.6f}"


def made_feed(**options):
    """Two lines: from Market by Bridge to Station, and from Station Plaza, 100 m from it, to Home Street."""
    feed = Feed(**options)
    for name, title, metres, code in [
            ("s0", "Market", 100, "1000"), ("s1", "Bridge", 2000, "1001"), ("s2", "Station", 4000, "1002"),
            ("p2", "Station Plaza", 4100, "1003"), ("h", "Home Street", 8000, "1004")]:
        feed.stop(name, title, north(metres), code)
    feed.line("10", "A", "Airport", "FF8000")
    feed.line("20", "B", "Beach")
    return feed


def to_station(feed, name, minutes, **options):
    """A trip of line A that takes 10 minutes to the station."""
    feed.trip(name, "10", ("s0", minutes * 60), ("s1", minutes * 60 + 300), ("s2", minutes * 60 + 600), **options)


def to_home(feed, name, minutes, **options):
    """A trip of line B that takes 8 minutes from the plaza."""
    feed.trip(name, "20", ("p2", minutes * 60), ("h", minutes * 60 + 480), **options)


def day_feed():
    """A trip of both lines each half hour from 6:00 to 8:30."""
    feed = made_feed()
    for minutes in range(360, 540, 30):
        to_station(feed, f"a{minutes}", minutes, headsign="Station", bikes=1 if minutes % 60 else 2)
        to_home(feed, f"b{minutes}", minutes, headsign="Home", bikes=1)
    return feed


class Timetable(MapsCommand):
    def __init__(self, directory):
        super().__init__("transit", directory)
        self.database = self.maps / "transit.db"

    def imported(self, feed, *words):
        """Imports the feed, or the archive at a path."""
        path = feed.write(self.directory / "feed.zip") if isinstance(feed, Feed) else feed
        return self("import", path, *words)

    def json(self, *words):
        return [json.loads(line) for line in self("--json", *words).splitlines()]

    def departures(self, *words):
        answer, = self.json("departures", *words)
        assert answer["live"] is False
        return answer["departures"]

    def table(self, *words):
        """The words of each row of a table."""
        return [line.split() for line in self(*words).splitlines()]

    def keeps(self, path):
        """Has the import of an archive refused; returns the error. The old timetable is as before."""
        before = self.database.read_bytes()
        error = self.refused("import", path)
        assert self.database.read_bytes() == before and os.listdir(self.maps) == ["transit.db"]
        assert error.startswith("pacectl: ") and error.endswith("; the old timetable is kept\n") and error.count("\n") == 1
        return error


@pytest.fixture
def timetable(tmp_path):
    return Timetable(tmp_path)


@pytest.fixture
def day(timetable):
    """The lines of `day_feed`."""
    timetable.imported(day_feed())
    return timetable


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """The timetable of each feed of other authors."""
    made = {}
    for path in DATA.glob("*.zip"):
        made[path.stem] = Timetable(tmp_path_factory.mktemp("real"))
        made[path.stem].imported(path)
    return made


# Real feeds

def test_real_feeds_are_imported(timetable):
    answer, = timetable.json("import", DATA / "metrotransit-gtfs.zip")
    with zipfile.ZipFile(DATA / "metrotransit-gtfs.zip") as archive:
        rows = {name: archive.read(f"{name}.txt").decode().count("\n") - 1 for name in ("trips", "stop_times", "stops")}
    assert answer == {"lines": 1, "stops": rows["stops"], "trips": rows["trips"], "stop_times": rows["stop_times"],
                      "skipped": []}
    with sqlite3.connect(f"file:{timetable.database}?mode=ro", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert oct(os.stat(timetable.database).st_mode) == "0o100644"


@pytest.mark.thorough
def test_trips_with_frequencies_say_how_often_they_run(real):
    # Monday, 4 November 2019, 9:00 in Florida.
    monday = ["--time", "2019-11-04 09:00"]
    table = real["bullrunner-gtfs"]("departures", "222", "--line", "A", *monday)
    assert table.splitlines()[1:4] == [
        f"{time:6} A     Communication Sciences  about every 10 min" for time in ("9:00", "9:10", "9:20")]
    assert table.endswith("USF Bull Runner, by the timetable: live data is for now only\n")
    found = real["bullrunner-gtfs"].departures("222", "--line", "A", *monday, "--limit", "3")
    assert [one["departure"] for one in found] == [f"2019-11-04T09:{minutes:02}:00-05:00" for minutes in (0, 10, 20)]
    assert all(one["headway_s"] == 600 and one["departure"] == one["scheduled"] for one in found)


@pytest.mark.thorough
def test_exact_times_of_the_sample_feed_are_shown(real):
    found = real["sample-feed-1"].departures("FUR_CREEK_RES", "--time", "2008-11-04 06:00")
    assert [(one["code"], one["headsign"], one["departure"]) for one in found] == [
        ("20", "to Bullfrog", "2008-11-04T11:00:00-08:00")]
    # An exception of the calendar.
    assert real["sample-feed-1"].departures("FUR_CREEK_RES", "--time", "2007-06-04 01:00") == []
    late = ["--time", "2012-01-01 00:00"]
    assert "no departure in the next 24 h" in real["sample-feed-1"].refused("departures", "FUR_CREEK_RES", *late)


# Lines

@pytest.mark.thorough
def test_lines_are_found_by_their_code_and_name(real):
    bulls = real["bullrunner-gtfs"]
    assert bulls.table("lines")[:2] == [["LINE", "NAME", "COLOR", "ID"], ["A", "Green", "Campus", "Loop", "00573C", "A"]]
    assert bulls.json("lines")[0] == {"line": "A", "code": "A", "name": "Green Campus Loop", "color": "#00573C"}

    def codes(*words):
        return "".join(line["code"] for line in bulls.json("lines", *words))

    assert codes() == "ABCDEF"
    assert codes("--contains", "CAMPUS") == "ACDEF" and codes("--exclude", "campus") == "B"
    assert codes("--match", "b") == "B" and codes("--match", "gold campus loop") == "E"
    assert "no line is found by this text" in bulls.refused("lines", "--match", "Gold")
    assert "--format needs one of kml, geojson" in bulls.refused("lines", "--format", "gpx", status=2)


def shapes(path):
    """The points of each shape of a feed, in longitude and latitude to 5 decimals. Repeated points are left out."""
    with zipfile.ZipFile(path) as archive:
        rows = [line.split(",") for line in archive.read("shapes.txt").decode().split()[1:]]
    found = {}
    for shape, latitude, longitude, sequence, *_ in sorted(rows, key=lambda row: (row[0], int(row[3]))):
        points = found.setdefault(shape, [])
        point = [math.copysign(math.floor(abs(float(degrees)) * 1e5 + 0.5) / 1e5, float(degrees))
                 for degrees in (longitude, latitude)]
        if points[-1:] != [point]:
            points.append(point)
    return sorted(found.values())


@pytest.mark.thorough
def test_ways_of_lines_are_written_as_kml(real):
    bulls = real["bullrunner-gtfs"]
    document = xml.etree.ElementTree.fromstring(bulls("lines", "--format", "kml"))
    marks = document.findall(f"{KML}Document/{KML}Placemark")
    assert [mark.findtext(f"{KML}name").split()[0] for mark in marks] == list("ABCDEF")
    assert marks[0].findtext(f".//{KML}LineStyle/{KML}color") == "FF3C5700"
    written = [[list(map(float, point.split(","))) for point in one.text.split()]
               for one in document.iter(f"{KML}coordinates")]
    assert sorted(written) == shapes(DATA / "bullrunner-gtfs.zip")


@pytest.mark.thorough
def test_ways_of_lines_are_written_as_geojson(real, day):
    metro = real["metrotransit-gtfs"]
    page = json.loads(metro("lines", "--format", "geojson"))
    feature, = page["features"]
    assert page["type"] == "FeatureCollection" and feature["properties"]["code"] == "2"
    assert feature["geometry"]["type"] == "MultiLineString"
    assert sorted(feature["geometry"]["coordinates"]) == shapes(DATA / "metrotransit-gtfs.zip")
    # Without shapes, the way is that of the stops.
    path, = json.loads(day("lines", "--format", "geojson", "--match", "A"))["features"][0]["geometry"]["coordinates"]
    assert path == [pytest.approx([HERE[1], north(metres)[0]], abs=1e-5) for metres in (100, 2000, 4000)]


def test_file_of_lines_is_replaced_only_if_wanted(day):
    page = day.directory / "lines.kml"
    day("lines", "--format", "kml", "-o", page)
    first = page.read_bytes()
    assert "lines.kml" in day.refused("lines", "--format", "kml", "--match", "A", "-o", page)
    assert page.read_bytes() == first
    day("lines", "--format", "kml", "--match", "A", "-o", page, "--force")
    assert page.read_bytes() != first
    assert "cannot write" in day.refused("lines", "--format", "kml", "-o", day.directory / "none/lines.kml")


@pytest.mark.thorough
def test_trace_is_the_way_of_one_line(day):
    trace = ROOT / "Tests/Data/kml/linestring.kml"
    expected = json.loads(trace.with_suffix(".kml.geojson").read_text())["features"]
    page = json.loads(day("lines", "--format", "geojson", "--match", "B", "--trace", trace))
    assert page["features"][0]["properties"]["id"] == "20"
    assert page["features"][0]["geometry"]["coordinates"] == [
        [pytest.approx(point[:2], abs=1e-6) for point in one["geometry"]["coordinates"]] for one in expected]
    assert "a trace is the way of one line" in day.refused("lines", "--format", "kml", "--trace", trace)
    wrong = day.directory / "wrong.kml"
    for content in (b"", b"<html>", trace.read_bytes()[:200]):
        wrong.write_bytes(content)
        assert "wrong.kml" in day.refused("lines", "--format", "kml", "--match", "A", "--trace", wrong)


@pytest.mark.thorough
def test_moved_line_stays_where_it_was_moved(real, tmp_path):
    bulls = Timetable(tmp_path)
    bulls.imported(DATA / "bullrunner-gtfs.zip")

    def order():
        return "".join(line["code"] for line in bulls.json("lines"))

    bulls("lines", "move", "E", "1")
    assert order() == "EABCDF"
    bulls("lines", "move", "purple off-campus north", "99")
    assert order() == "EABDFC"
    bulls.imported(DATA / "bullrunner-gtfs.zip")
    assert order() == "EABDFC"
    assert "no line is called 'X'" in bulls.refused("lines", "move", "X", "1")
    for place in ("0", "-1", "first"):
        assert "lines move needs a place from 1 on" in bulls.refused("lines", "move", "A", place, status=2)


# Groups

CATA = ["Campus", "Vairo Blvd", "Waupelani", "Martin St"]


def groups(timetable):
    return json.loads(timetable("--json", "groups")).get("groups", [])


@pytest.mark.thorough
def test_preset_has_the_lines_and_groups_of_cata(timetable):
    assert timetable("groups") == "There are no groups.\n"
    assert timetable("groups", "preset", "cata").splitlines()[1] == "Campus      BL, WL, RL, GL"
    assert [group["name"] for group in groups(timetable)] == CATA
    lines = timetable.json("lines")
    assert len(lines) == 28 and lines[0] == {"line": "55", "code": "BL", "name": "Blue Loop", "color": "#0000FF"}
    assert "there is no timetable" in timetable.refused("departures", "Market")


def test_groups_are_added_and_changed(timetable):
    timetable("groups", "preset", "cata")
    timetable("groups", "add", "Way to work", "v", "Nittany Mall", "55")
    assert groups(timetable)[-1] == {"name": "Way to work", "lines": ["43", "19", "55"]}
    timetable("groups", "edit", "way TO work", "N")
    timetable("groups", "rename", "Way to work", "Work")
    timetable("groups", "move", "work", "2")
    assert [group["name"] for group in groups(timetable)] == [CATA[0], "Work", *CATA[1:]]
    assert groups(timetable)[1]["lines"] == ["22"]
    timetable("groups", "remove", "Campus")
    assert [group["name"] for group in groups(timetable)] == ["Work", *CATA[1:]]
    assert os.listdir(timetable.maps) == ["transit-lines.json"]


def test_one_line_or_group_is_shown_first(timetable):
    timetable("groups", "preset", "cata")
    assert timetable("groups", "default", "martin st").splitlines()[-1].split() == [
        "Martin", "St", "NE,", "N,", "NV", "first"]
    timetable("groups", "default", "Blue Loop")
    assert timetable("lines").splitlines()[1].split()[-1] == "first" and "first" not in timetable("groups")
    timetable("groups", "default", "none")
    assert "first" not in timetable("lines")
    timetable("groups", "first", "yes")
    assert timetable("lines").startswith("GROUP")
    timetable("groups", "first", "no")
    assert timetable("lines").startswith("LINE")


@pytest.mark.parametrize("words, message, status", matrix([
    (["add", "Campus", "V"], "a group is already named Campus", 1), (["add", "New", "XX"], "no line is called 'XX'", 1),
    (["add", "New", "V", "43"], "each line once", 1), (["add", "", "V"], "a name must be 1 to 64 characters", 1),
    (["add", "a\x1b[2Jb", "V"], "a name must be 1 to 64 characters", 1), (["add", "x" * 65, "V"], "a name must be 1 to 64", 1),
    (["rename", "None", "New"], "no group is named None", 1), (["rename", "Campus", "vairo blvd"], "already named", 1),
    (["edit", "None", "V"], "no group is named None", 1), (["remove", "None"], "no group is named None", 1),
    (["move", "None", "1"], "no group is named None", 1), (["default", "XX"], "no line is called 'XX'", 1),
    (["move", "Campus", "0"], "groups move needs a place from 1 on", 2), (["add", "New"], "use 'transit groups'", 2),
    (["first", "maybe"], "use 'transit groups'", 2), (["preset", "mta"], "use 'transit groups'", 2),
], ["add", "New", "XX"]))
def test_wrong_change_of_groups_is_named_and_changes_nothing(timetable, words, message, status):
    timetable("groups", "preset", "cata")
    path = timetable.maps / "transit-lines.json"
    before = path.read_bytes()
    error = timetable.refused("groups", *words, status=status)
    assert message in error and "\x1b" not in error and error.count("\n") == 1
    assert path.read_bytes() == before


@pytest.mark.thorough
def test_damaged_list_of_lines_is_named(day):
    day("groups", "add", "Both", "A", "B")
    path = day.maps / "transit-lines.json"
    for damage in (b"", b"{", b"[]", b'{"version":9}', path.read_bytes()[:40], b"\xff" * 99, b"[" * 9999, b" " * 300_000):
        path.write_bytes(damage)
        assert f"cannot read {path}" in day.refused("lines") and path.read_bytes() == damage


# Stops

def test_stops_are_found_here_and_by_their_text(day):
    assert day.table("stops", "--at", text(HERE)) == [
        ["DISTANCE", "TO", "NAME", "CODE", "ID"], ["100", "m", "N", "Market", "1000", "s0"]]
    near = day.json("stops", "--at", text(HERE), "--radius", "5000")
    assert [stop["stop"] for stop in near] == ["s0", "s1", "s2", "p2"]
    assert [stop["distance_m"] for stop in near] == pytest.approx([100, 2000, 4000, 4100], abs=6)
    assert [stop["stop"] for stop in day.json("stops", "station")] == ["s2", "p2"]
    assert [stop["stop"] for stop in day.json("stops", "100", "--limit", "2")] == ["s1", "h"]
    assert day.json("stops", "home street")[0]["stop"] == "h" and day.json("stops", "P2")[0]["code"] == "1003"
    assert "no stop has the text 'xyz'" in day.refused("stops", "xyz")
    assert "no stop within 1 km; try a larger --radius" in day.refused("stops", "--at", "53,13")


# Departures

def test_departures_are_found_by_id_code_name_and_place(day):
    morning = ["--time", "2026-06-01 06:00", "--limit", "2"]
    ways = [["s2"], ["1002"], ["Market"], ["MARK"], ["--at", text(HERE)], ["Bridge"]]
    found = {" ".join(words): day.departures(*words, *morning) for words in ways}
    assert found["s2"] == found["1002"] == []
    assert found["Market"] == found["MARK"] == found[f"--at {text(HERE)}"]
    first = {"line": "10", "code": "A", "name": "Airport", "color": "#FF8000", "headsign": "Station", "stop": "s0",
             "stop_name": "Market", "departure": "2026-06-01T06:00:00+02:00", "scheduled": "2026-06-01T06:00:00+02:00",
             "live": False, "bikes": False}
    assert found["Market"][0] == first
    assert [one["departure"][11:16] for one in found["Bridge"]] == ["06:05", "06:35"]
    assert day.table("departures", "Market", *morning)[:3] == [
        ["TIME", "LINE", "TO", "STOP", "BIKES"], ["6:00", "A", "Station", "Market", "no"],
        ["6:30", "A", "Station", "Market", "yes"]]
    assert "no stop has the ID, the code or the name 'Nowhere'" in day.refused("departures", "Nowhere", *morning)
    assert "no stop within 300 m" in day.refused("departures", "--at", "53,13", *morning)


def test_departures_of_some_lines(day):
    words = ["--at", text(north(4050)), "--radius", "2100", "--time", "2026-06-01 06:00"]
    assert [one["code"] for one in day.departures(*words, "--limit", "3")] == ["B", "A", "B"]
    assert {one["code"] for one in day.departures(*words, "--line", "b")} == {"B"}
    assert {one["code"] for one in day.departures(*words, "--line", "B", "--line", "10")} == {"A", "B"}
    assert {one["code"] for one in day.departures(*words, "--line", "airport")} == {"A"}
    assert "no line is called 'C'" in day.refused("departures", *words, "--line", "C")


@pytest.mark.thorough
def test_trip_that_begins_before_midnight_leaves_after_it(timetable):
    feed = made_feed()
    feed.trip("night", "10", ("s0", "24:50:00"), ("s1", "25:10:00"), ("s2", "49:10:00"))
    timetable.imported(feed)
    first, second, *_ = timetable.departures("Bridge", "--time", "2026-06-02 01:10")
    assert first["departure"] == "2026-06-02T01:10:00+02:00" and second["departure"] == "2026-06-03T01:10:00+02:00"
    # The last day of the calendar.
    last, = timetable.departures("Bridge", "--time", "2028-01-01 00:00")
    assert last["departure"] == "2028-01-01T01:10:00+01:00"
    assert timetable.departures("Bridge", "--time", "2028-01-01 02:00") == []


@pytest.mark.thorough
@pytest.mark.parametrize("zone, date", [
    ("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25"), ("America/New_York", "2026-03-08"),
    ("America/New_York", "2026-11-01"), ("Australia/Lord_Howe", "2026-04-05"), ("Africa/Cairo", "2026-04-24"),
])
def test_times_of_a_day_count_from_twelve_hours_before_its_noon(timetable, zone, date):
    """On both days on which the clocks of the agency change, in zones that change by an hour and by half of one."""
    feed = made_feed(zone=zone)
    minutes = [30, 90, 150, 180, 210, 300, 480, 1430, 1500]
    for minute in minutes:
        to_station(feed, str(minute), minute)
    timetable.imported(feed)
    noon = datetime.datetime.fromisoformat(f"{date}T12:00").replace(tzinfo=zoneinfo.ZoneInfo(zone))
    days = [(noon.replace(tzinfo=None) + datetime.timedelta(days=days)).replace(tzinfo=noon.tzinfo) for days in (-1, 0, 1)]
    since = (days[0].astimezone(datetime.UTC) + datetime.timedelta(hours=11)).replace(second=0)
    expected = sorted(
        day.astimezone(datetime.UTC) + datetime.timedelta(minutes=minute - 720) for day in days for minute in minutes)
    expected = [time for time in expected if since <= time <= since + datetime.timedelta(hours=24)]
    found = [one["departure"] for one in timetable.departures("Market", "--time", f"{since:%Y-%m-%dT%H:%MZ}", "--limit", "50")]
    assert found == [time.astimezone(noon.tzinfo).isoformat() for time in expected]


def test_time_is_that_of_the_agency_on_any_machine(day):
    for zone, time in [("America/New_York", "2026-06-01 06:30"), ("UTC", "2026-06-01T04:30Z")]:
        done = day.run("--json", "departures", "Market", "--time", time, environment={"TZ": zone})
        assert json.loads(done.stdout)["departures"][0]["departure"] == "2026-06-01T06:30:00+02:00"
        done = day.run("--json", "next-home", *HOME, "--time", time, environment={"TZ": zone})
        assert json.loads(done.stdout)["journeys"][0]["leave"] == "2026-06-01T06:58:26+02:00"
    assert "--time needs a time from 2000 to 2099" in day.refused("departures", "Market", "--time", "soon", status=2)
    for time in ("2026-03-29 02:30", "2026-06-01 06:30 CEST"):
        assert "--time needs a time that the clock of the agency shows" in day.refused(
            "departures", "Market", "--time", time, status=2)


# The way home

HOME = ["--at", text(HERE), "--home", text(north(8050)), "--within", "500"]


def test_way_home_with_a_change(day):
    answer, = day.json("next-home", *HOME, "--time", "2026-06-01 05:30")
    first = answer["journeys"][0]
    assert (answer["walking_mps"], first["changes"]) == (1.39, 1)
    # 100 m of 1.3 times the straight line at 5 km/h are 94 s. Line A arrives at 6:10, line B leaves at 6:30.
    assert (first["leave"], first["arrive"]) == ("2026-06-01T05:58:26+02:00", "2026-06-01T06:38:47+02:00")
    assert (first["distance_to_stop_m"], first["distance_from_stop_m"]) == (100, 50)
    assert [(leg["code"], leg["from"]["stop"], leg["to"]["stop"]) for leg in first["legs"]] == [
        ("A", "s0", "s2"), ("B", "p2", "h")]
    # Those of the next 2 h.
    assert [one["leave"][11:16] for one in answer["journeys"]] == ["05:58", "06:28"]
    shown = day("next-home", *HOME, "--time", "2026-06-01 05:30", "--limit", "1")
    assert shown == """\
Leave at 5:58, arrive at 6:38:
  walk 100 m to Market
  6:00 line A to Station, off at 6:10 Station (bikes no)
  change to Station Plaza
  6:30 line B to Home, off at 6:38 Home Street (bikes yes)
  walk 50 m home

The last way home: leave at 7:58, arrive at 8:38.
Made Transit, by the timetable: live data is for now only
"""


def test_direct_way_home_and_bikes(day):
    station = ["--at", text(north(4050)), "--home", text(north(8050)), "--time", "2026-06-01 05:30"]
    direct, = day.json("next-home", *station, "--limit", "1")
    assert direct["journeys"][0]["changes"] == 0 and [leg["code"] for leg in direct["journeys"][0]["legs"]] == ["B"]
    # The trips of line A on the hour allow no bikes.
    answer, = day.json("next-home", *HOME, "--time", "2026-06-01 05:30", "--bikes")
    assert [one["legs"][0]["departure"][11:16] for one in answer["journeys"]] == ["06:30"]


@pytest.mark.thorough
def test_reach_and_pace_of_walks_are_options(day):
    words = HOME[:4] + ["--time", "2026-06-01 05:30"]
    assert "no way home in the next 24 h; try a larger --within" in day.refused("next-home", *words, "--within", "90")
    fast, = day.json("next-home", *words, "--walking", "13")
    assert (fast["walking_mps"], fast["journeys"][0]["leave"]) == (3.61, "2026-06-01T05:59:23+02:00")
    far, = day.json("next-home", *words, "--within", "5000", "--limit", "20")
    assert all(one["leave"] >= "2026-06-01T05:30:00" for one in far["journeys"])
    for option, value, message in [("--within", "49", "from 50 to 5000"), ("--walking", "0.5", "from 1 to 40"),
                                   ("--home", "here", "--home needs a position"), ("--limit", "0", "from 1 to 1000")]:
        assert message in day.refused("next-home", *words, option, value, status=2)


@pytest.mark.thorough
def test_last_way_home_is_that_of_the_night(timetable):
    feed = made_feed()
    for minutes in (540, 1380, 1500, 1830):
        to_home(feed, str(minutes), minutes)
    timetable.imported(feed)
    words = ["next-home", "--at", text(north(4050)), "--home", text(north(8050))]
    # 25:00:00 is after midnight, and 30:30:00 is of the next morning.
    shown = timetable(*words, "--time", "2026-06-01 17:00")
    assert "The last way home: leave at 0:59, arrive at 1:08.\n" in shown
    assert "The last way home: leave at 0:59" in timetable(*words, "--time", "2026-06-02 00:30")


def test_way_home_without_paced_net_needs_a_home(day):
    assert "name your home with --home LAT,LON" in day.refused("next-home", "--at", text(HERE), "--time", "2026-06-01 06:00")
    assert "paced-net is not running" in day.refused(
        "next-home", "--at", text(HERE), "--net-dir", day.directory, environment={"TZ": "UTC"})


# Import

@pytest.mark.thorough
def test_feed_in_a_folder_of_its_archive_is_read(timetable):
    assert timetable.json("import", FIELD / "subfolder.zip")[0]["trips"] > 0


@pytest.mark.parametrize("name, reason", [
    ("time-travel", "the times of the trip go back"), ("dup-seq", "stop_sequence")])
def test_feed_without_a_trip_says_why(timetable, name, reason):
    done = timetable.run("import", FIELD / f"{name}.zip")
    assert done.returncode == 1 and "has no trip; left out: " in done.stderr and reason in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and "the old timetable is kept" in done.stderr


def test_part_of_a_feed_is_imported(timetable):
    timetable.imported(day_feed(), "--near", "3", "--at", text(HERE))
    assert [stop["stop"] for stop in timetable.json("stops", "100", "--at", text(HERE))] == ["s0", "s1"]
    assert [line["code"] for line in timetable.json("lines")] == ["A"]
    feed = timetable.directory / "feed.zip"
    assert "no trip within 1 km; try a larger --near" in timetable.refused("import", feed, "--near", "1", "--at", text(north(1000)))
    assert [line["code"] for line in timetable.json("lines")] == ["A"]


@pytest.mark.thorough
def test_rows_that_refer_to_nothing_are_left_out_and_reported(timetable):
    feed = day_feed()
    feed.trip("x1", "99", ("s0", 0), ("s1", 60))
    feed.trip("x2", "10", ("s0", 0), ("s1", 60), service="sundays")
    feed.trip("x3", "10", ("s0", 600), ("s1", 60))
    feed.trip("x4", "10", ("s0", ""), ("s1", 60))
    feed.add("stop_times.txt", "x5", "1:00:00", "1:00:00", "s0", 1)
    feed.add("stop_times.txt", "a360", "6:20:00", "6:20:00", "nowhere", 9)
    done = timetable.run("import", feed.write(timetable.directory / "feed.zip"))
    assert done.returncode == 0 and "2 lines, 5 stops, 12 trips" in done.stdout
    for place in ("route_id '99' is not in routes.txt", "service_id 'sundays' is not in calendar.txt",
                  "trip_id 'x5' is not in trips.txt", "stop_id 'nowhere' is not a stop"):
        assert place in done.stderr
    assert done.stderr.count("left out: ") == 6


def bomb(path, row, name="stop_times.txt"):
    """An archive of some MB whose file `name` unpacks to 4.1 GiB of repeated rows."""
    files = day_feed().files()
    header = files[name].partition("\r\n")[0].encode() + b"\n"
    stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    start = stream.compress(header) + stream.flush(zlib.Z_FULL_FLUSH)
    rows = row * ((1 << 20) // len(row))
    # After a full flush the bytes of a run do not depend on those before.
    run = stream.compress(rows) + stream.flush(zlib.Z_FULL_FLUSH)
    count = (4200 << 20) // len(rows)
    with zipfile.ZipFile(path, "w") as archive:
        for other, content in files.items():
            if other != name:
                archive.writestr(other, content)
        archive.writestr(name, start + run * count + stream.flush())
        info = archive.getinfo(name)
        info.compress_type, info.file_size = zipfile.ZIP_DEFLATED, len(header) + len(rows) * count
    return path


@pytest.mark.thorough
@pytest.mark.parametrize("row, message", [
    (b"\0", "stop_times.txt:2: the record has more than 65536 bytes"),
    (b",", "stop_times.txt:2: the record has more than 256 fields"),
    (b'"', "stop_times.txt:2: the record has more than 65536 bytes"),
], ids=["zeros", "commas", "quotes"])
def test_bomb_is_refused_without_much_memory(day, row, message):
    path = bomb(day.directory / "bomb.zip", row)
    assert path.stat().st_size < 8 << 20
    before = day.database.read_bytes()
    done, peak = day.measured("import", path, seconds=60)
    assert done.returncode == 1 and message in done.stderr
    assert peak < 128 and day.database.read_bytes() == before and os.listdir(day.maps) == ["transit.db"]


@pytest.mark.thorough
def test_large_feed_needs_little_memory(timetable):
    path = write_large_feed(timetable.directory / "large.zip", 500_000)
    done, peak = timetable.measured("import", path)
    assert "133 lines, 10000 stops, 16758 trips and 502740 stop times" in done.stdout, done.stderr
    assert peak < 128
    found = timetable.departures("S7923", "--time", "2026-06-01 14:00", "--limit", "3")
    assert [one["departure"] for one in found] == sorted(one["departure"] for one in found) and len(found) == 3


def damaged(content, place, flip=0x55):
    return content[:place] + bytes([content[place] ^ flip]) + content[place + 1:]


@pytest.mark.thorough
def test_damaged_archives_keep_the_old_timetable(day):
    good = (day.directory / "feed.zip").read_bytes()
    path = day.directory / "bad.zip"
    stored = write_archive(day.directory / "stored.zip", day_feed().files(), zipfile.ZIP_STORED).read_bytes()
    for content in [b"", b"PK", b"<html>login</html>" * 99, *(good[:len(good) * part // 10] for part in range(1, 10)), good[:-1],
                    good[:1000] + good[1100:], stored.replace(b"Market", b"Mark\0t", 1), bytes(len(good))]:
        path.write_bytes(content)
        day.keeps(path)
    # A byte of the data of the stop times: the sum is wrong, or the stream is.
    with zipfile.ZipFile(day.directory / "feed.zip") as archive:
        start = archive.getinfo("stop_times.txt").header_offset + 30 + len("stop_times.txt")
        size = archive.getinfo("stop_times.txt").compress_size
    for place in range(start, start + size, 9):
        path.write_bytes(damaged(good, place))
        day.keeps(path)
    assert "bad.zip" in day.refused("import", day.directory / "none" / "bad.zip")
    assert day.refused("import", day.directory) and os.listdir(day.maps) == ["transit.db"]


@pytest.mark.thorough
def test_archive_with_a_wrong_sum_is_refused(day):
    path = day.directory / "feed.zip"
    for name in day_feed().files():
        day_feed().write(path)
        with zipfile.ZipFile(path, "a") as archive:
            archive.getinfo(name).CRC ^= 1
            # Writes the directory again.
            archive.comment = b"x"
        assert "CRC" in day.keeps(path), name


@pytest.mark.thorough
def test_encrypted_archive_is_refused(day):
    path = day.directory / "feed.zip"
    with zipfile.ZipFile(path, "a") as archive:
        for info in archive.infolist():
            info.flag_bits |= 1
        archive.comment = b"x"
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            struct.pack_into("<H", content, info.header_offset + 6, 1)
    path.write_bytes(content)
    assert "password" in day.keeps(path).lower()


def replaced(name, old, new):
    def change(files):
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
    return change


def without(name):
    def change(files):
        del files[name]
    return change


# FeedImportTests and FeedTableTests have all that the tables can do wrong.
BROKEN = {
    "a missing file": (without("stop_times.txt"), "stop_times.txt: the file is missing from the feed"),
    "a missing column": (replaced("calendar.txt", "thursday", "other"), "calendar.txt:1: the column thursday is missing"),
    "an unknown zone": (replaced("agency.txt", "Europe/Berlin", "../../../etc/localtime"),
                        "agency.txt:2: agency_timezone '../../../etc/localtime' is no known time zone"),
    "an open quote": (replaced("stops.txt", "Market", '"Market'), "stops.txt:2: the file ends within quotes"),
    "a wrong time": (replaced("stop_times.txt", "06:05:00", "soon"),
                     "stop_times.txt:3: arrival_time must be a time such as 07:30:00"),
}


@pytest.mark.parametrize("name", matrix(BROKEN, "a wrong time"))
def test_broken_table_is_named_with_its_line(day, name):
    change, place = BROKEN[name]
    files = day_feed().files()
    change(files)
    assert place in day.keeps(write_archive(day.directory / "bad.zip", files))


@pytest.mark.thorough
def test_feed_of_another_form_is_read(timetable):
    """With a byte order mark, other line ends, quotes, white space, and columns in another order."""
    files = day_feed().files()
    for name, content in files.items():
        rows = [line.split(",")[::-1] for line in content.splitlines()]
        ending = {"stops.txt": "\n", "trips.txt": "\r"}.get(name, "\r\n")
        rows[0] = [f" {column} " for column in rows[0]]
        files[name] = "\ufeff" + ending.join(",".join([*row, "more"]) for row in rows) + ending * 3
    files["stops.txt"] = files["stops.txt"].replace("Market", '"Market,\n""Old"""').replace("Bridge", " Brücke ")
    done = timetable.imported(write_archive(timetable.directory / "odd.zip", files))
    assert "2 lines, 5 stops, 12 trips and 30 stop times" in done
    assert [stop["name"] for stop in timetable.json("stops", "100")][:2] == ["Brücke", "Home Street"]
    name = timetable.json("stops", "s0")[0]["name"]
    assert name.startswith("Market,") and name.endswith('"Old"') and "\n" not in name


@pytest.mark.thorough
def test_hostile_texts_are_shown_harmlessly(timetable):
    feed = made_feed()
    feed.tables["agency.txt"][1][0] = "\x1b]0;owned\x07Agency\u202e"
    feed.tables["stops.txt"][1][2] = "Mar\x1b[2Jket\nLine"
    feed.tables["routes.txt"][1][2] = "Air\x00port\x9b31m"
    to_station(feed, "t\x1b[1m", 480, headsign="Sta\rtion\x07")
    timetable.imported(feed)
    words = [["lines"], ["stops", "s"], ["departures", "s0", "--time", "2026-06-01 06:00"], ["lines", "--format", "kml"],
             ["next-home", *HOME[:2], "--home", text(north(4000)), "--time", "2026-06-01 06:00"]]
    for one, json_flag in itertools.product(words, ([], ["--json"])):
        shown = timetable(*json_flag, *one)
        assert all(character.isprintable() or character == "\n" for character in shown), one


@pytest.mark.thorough
def test_two_imports_at_once_leave_one_whole_timetable(timetable):
    path = write_large_feed(timetable.directory / "large.zip", 60_000)
    running = [subprocess.Popen(timetable.command("import", path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for _ in range(3)]
    done = [one.communicate(timeout=120) for one in running]
    assert any("Imported" in output for output, _ in done)
    for output, error in done:
        assert "Imported" in output or "another import into" in error
    assert os.listdir(timetable.maps) == ["transit.db"] and len(timetable.json("lines")) == 16


@pytest.mark.thorough
def test_refused_import_leaves_the_file_of_the_running_one(day):
    new = day.maps / "transit.db.new"
    holder = subprocess.Popen(
        ["flock", new, "sh", "-c", "echo held; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    assert "another import into" in day.refused("import", day.directory / "feed.zip")
    assert new.exists()
    holder.communicate("\n")
    assert "Imported" in day.imported(day_feed()) and not new.exists()


@pytest.mark.thorough
def test_file_of_a_killed_import_is_replaced(day):
    (day.maps / "transit.db.new").write_bytes(day.database.read_bytes()[:5000] + b"\xff" * 99_999)
    assert len(day.json("lines")) == 2
    day.imported(day_feed())
    assert os.listdir(day.maps) == ["transit.db"] and day.departures("Market", "--time", "2026-06-01 06:00")


@pytest.mark.thorough
def test_directory_that_cannot_be_written_is_named(day):
    (day.directory / "file").write_text("")
    day.maps = day.directory / "file/maps"
    assert "name another directory with --maps-dir" in day.refused("import", day.directory / "feed.zip")


@pytest.mark.thorough
def test_full_disk_keeps_the_old_timetable(stage):
    timetable = Timetable(stage.directory)
    disk = stage.disk(size="600k")
    timetable.maps = disk.place
    inside = {"prefix": disk.within, "environment": {"SQLITE_TMPDIR": str(stage.directory)}}
    feed = day_feed().write(stage.directory / "feed.zip")
    assert timetable.run("import", feed, **inside).returncode == 0
    before = (disk.path / "transit.db").read_bytes()
    large = write_large_feed(stage.directory / "large.zip", 100_000)
    error = timetable.refused("import", large, **inside)
    assert "cannot write" in error and "the old timetable is kept" in error
    assert (disk.path / "transit.db").read_bytes() == before and os.listdir(disk.path) == ["transit.db"]


@pytest.mark.thorough
def test_damaged_timetable_has_a_clear_error(day):
    good = day.database.read_bytes()
    morning = ["--time", "2026-06-01 05:30"]
    questions = [["lines"], ["lines", "--format", "kml"], ["stops", "Station"], ["departures", "Market", *morning],
                 ["next-home", *HOME, *morning]]

    def ask(words):
        done = day.run(*words)
        assert done.returncode in (0, 1) and (done.returncode == 0 or done.stderr.startswith("pacectl: ")), done
        return done

    for content in (b"", b"not a database" * 999, bytes(len(good)), good[:4096], good[:100]):
        day.database.write_bytes(content)
        for words in questions[2:]:
            done = ask(words)
            assert done.returncode == 1 and f"cannot read {day.database}" in done.stderr and "import" in done.stderr
    for index, place in enumerate(range(100, len(good), len(good) // 60)):
        day.database.write_bytes(good[:place] + bytes([index % 256] * 50) + good[place + 50:])
        ask(questions[index % len(questions)])
    day.database.write_bytes(good)
    with sqlite3.connect(day.database) as database:
        database.execute("PRAGMA user_version = 99")
    assert "another version of paced has made it" in day.refused("departures", "Market")
    assert "Imported" in day.imported(day_feed())
    assert day.departures("Market", *morning)


def test_missing_timetable_is_named(timetable):
    for words in (["lines"], ["stops", "x"], ["departures", "x"], ["next-home", *HOME]):
        assert "import one with 'pacectl transit import GTFS.zip'" in timetable.refused(*words)


def test_usage_errors_name_what_to_do(timetable):
    for words, message in [
            ([], "use 'transit import GTFS.zip'"), (["import"], "transit import needs a file"),
            (["import", "a", "b"], "unexpected argument 'b' after 'transit import'"),
            (["lines", "x"], "unexpected argument 'x' after 'transit lines'"),
            (["next-home", "x"], "unexpected argument 'x' after 'transit next-home'"), (["stops", "--line", "A"], "--line is an option of"),
            (["lines", "--home", "1,2"], "--home is an option of"), (["import", "x", "--near", "0"], "from 1 to 500"),
            (["stops", "--at", "EDDB"], "--at needs a position")]:
        assert message in timetable.refused(*words, status=2)
