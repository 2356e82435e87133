"""Courses: stored, loaded, followed and kept over restarts."""

import json
import pathlib
import signal
import sqlite3
import subprocess
import threading
import time

import garmin_fit_sdk
import pytest

from harness.fake_gpsd import FakeGpsd, report
from harness.process import PACECTL
from harness.timing import wait_for
from matrix import matrix
from harness.uploads import Client, data, lines, sample

OFF = ["--gpsd", "off", "--bluetooth", "off"]
UNAVAILABLE, ABSENT, WRONG = -32001, -32003, -32004


def course(vertices=100, name="Round the lake", **end):
    """The objects of an upload: a hill of 10 m for each vertex."""
    rows = [{"row": "vertex", "latitude": 52.5 + 1e-4 * one, "longitude": 13.4, "altitude_m": 30 + one % 50}
            for one in range(vertices)]
    point = {"row": "course-point", "vertex": 3, "type": "left", "name": "Main street"}
    return [{"format": "paced-course", "version": 1, "name": name, "sport": "run"}, *rows, point,
            {"row": "course", "vertices": vertices, "points": 1} | end]


def upload(paced, objects):
    client = Client(paced)
    answer = client.call("upload.begin", kind="course")
    rest = data(objects)
    while rest and "code" not in answer:
        answer, rest = client.append(rest[:46080]), rest[46080:]
    answer = client.call("upload.commit") if "code" not in answer else answer
    client.close()
    return answer


def pacectl(stage, *arguments, status=0):
    done = subprocess.run(
        [PACECTL, "--state-dir", stage.directory / "state", "--runtime-dir", stage.directory / "run", *arguments],
        capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def stop(paced):
    """Stops the run, and waits until its end is in the journal."""
    summary = paced.call("run.stop")
    wait_for(lambda: not paced.call("activities.list")[0]["open"], 60, "the end of the activity")
    return summary


def kinds(stage, activity):
    database = sqlite3.connect(f"file:{stage.directory}/state/journal.sqlite?mode=ro", uri=True)
    try:
        rows = database.execute("SELECT kind, hash FROM activity_course WHERE activity = ?", [activity]).fetchall()
        return sorted(rows), database.execute("SELECT count(*) FROM course").fetchone()[0]
    finally:
        database.close()


@pytest.fixture
def paced(stage):
    daemon = stage.paced(*OFF)
    wait_for(lambda: daemon.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    return daemon


def test_course_is_stored_once_loaded_and_deleted(stage, paced):
    assert upload(paced, course()) == {"id": 1}
    assert upload(paced, course(name="Another name")) == {"id": 1, "present": True}
    assert upload(paced, course(120)) == {"id": 2}
    listed = paced.call("course.list")
    assert [one["id"] for one in listed] == [2, 1] and listed[1]["name"] == "Round the lake"
    assert listed[1]["length_m"] == pytest.approx(1101, abs=5) and listed[1]["points"] == 1
    assert paced.call("course.load", id=1)["loaded"]
    assert [one.get("loaded", False) for one in paced.call("course.list")] == [False, True]
    client = Client(paced)
    refused = client.call("course.delete", id=1)
    assert refused["code"] == UNAVAILABLE
    assert refused["data"] == {
        "message": "course 1 is loaded: unload it first", "sentence": "course {1} is loaded: unload it first", "values": ["1"]}
    assert client.call("course.load", id=9)["code"] == ABSENT
    client.close()
    assert paced.call("course.rename", id=1, name="Home")["name"] == "Home"
    paced.call("course.unload")
    paced.call("course.delete", id=1)
    assert [one["id"] for one in paced.call("course.list")] == [2]


@pytest.mark.thorough
def test_loaded_course_of_300_km_takes_less_than_3_mb(paced):
    before = paced.kernel_status("RssAnon")
    assert upload(paced, course(30_000)) == {"id": 1}
    for _ in range(5):
        assert paced.call("course.load", id=1)["vertices"] == 30_000
        paced.call("course.unload")
    paced.call("course.load", id=1)
    grown = 1024 * (paced.kernel_status("RssAnon") - before)
    print(f"a course of 300 km: {grown / 1e6:.2f} MB")
    assert grown < 3e6


@pytest.mark.parametrize("words, change", matrix([
    ("line 6: latitude must be a number of -90.0 to 90.0", lambda rows: rows[5].update(latitude=91)),
    ("line 8: latitude or longitude is missing", lambda rows: rows[7].pop("longitude")),
    ("line 102: vertex must be an integer of 0 to 99", lambda rows: rows[-2].update(vertex=100)),
    ("line 103: the row course is missing: the data is cut", lambda rows: rows.pop()),
    ("line 102: vertices and points must be the numbers of the rows: the data is cut", lambda rows: rows.pop(4)),
    ("line 1: the format must be paced-course, version 1", lambda rows: rows[0].update(version=2)),
], "line 6: latitude must be a number of -90.0 to 90.0"))
def test_invalid_course_changes_nothing(paced, words, change):
    rows = course()
    change(rows)
    answer = upload(paced, rows)
    assert answer["code"] == WRONG and answer["data"]["message"] == words
    assert paced.call("course.list") == []


@pytest.mark.thorough
def test_course_and_partner_survive_a_kill_in_a_run(stage, paced):
    upload(paced, course())
    paced.call("course.load", id=1)
    paced.call("course.partner", pace_s_per_m=0.3)
    paced.call("run.start")
    wait_for(lambda: paced.call("status")["elapsed_ms"] >= 2000, 60, "two seconds of the run")
    paced.process.send_signal(signal.SIGKILL)
    paced.process.wait()
    paced = stage.paced(*OFF)
    status = paced.call("status")
    assert status["run"] == "active"
    assert [one.get("loaded", False) for one in paced.call("course.list")] == [True]
    paced.call("course.unload")
    paced.call("course.delete", id=1)
    summary = stop(paced)
    named, courses = kinds(stage, 1)
    assert [kind for kind, _ in named] == ["course"] and courses == 1
    paced.end()
    lines = pacectl(stage, "replay", "1", "--interval-ms", "60000").splitlines()
    replayed = next(line for line in map(json.loads, lines) if line.get("event") == "stop")["summary"]
    assert replayed | {"uuid": summary["uuid"]} == summary
    paced = stage.paced(*OFF)
    wait_for(lambda: paced.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    paced.call("activities.delete", id=1)
    wait_for(lambda: kinds(stage, 1) == ([], 0), 60, "the course is erased with its last activity")


def test_loaded_course_survives_a_restart(stage, paced):
    upload(paced, course())
    paced.call("course.load", id=1)
    paced.end()
    paced = stage.paced(*OFF)
    wait_for(lambda: paced.call("course.list")[0].get("loaded"), 60, "the course is loaded again")


def test_pacectl_lists_shows_reverses_and_names_courses(stage, paced):
    upload(paced, course())
    assert "Round the lake" in pacectl(stage, "course") and "1.1 km" in pacectl(stage, "course", "list", "--metric")
    text = pacectl(stage, "course", "show", "Round the lake", "--metric")
    assert text.startswith("Course 1, Round the lake\nrun, 1.1 km") and "Main street" in text
    assert json.loads(pacectl(stage, "course", "show", "last", "--json"))["points"][0]["type"] == "left"
    assert pacectl(stage, "course", "reverse", "1") == "Stored: course 2 'Round the lake reversed'.\n"
    assert json.loads(pacectl(stage, "course", "show", "2", "--json"))["points"][0]["type"] == "right"
    assert "already: course 2" in pacectl(stage, "course", "reverse", "1")
    assert "loaded" not in pacectl(stage, "course")
    assert pacectl(stage, "course", "load", "Round the lake", "--metric").startswith("Loaded: course 1, Round the lake")
    assert "loaded" in pacectl(stage, "course")
    assert pacectl(stage, "course", "show", "loaded").startswith("Course 1, Round the lake, loaded\n")
    assert pacectl(stage, "course", "rename", "loaded", "Lake").startswith("Renamed: course 1, Lake")
    pacectl(stage, "course", "unload")
    for command in ("show", "load"):
        assert "no course is loaded" in pacectl(stage, "course", command, "loaded", status=1)
    assert pacectl(stage, "course", "rename", "2", "Back", "home", "--metric").startswith("Renamed: course 2, Back home")
    assert pacectl(stage, "course", "partner") == "There is no partner.\n"
    assert pacectl(stage, "course", "partner", "5:00/km") == "The partner keeps a pace of 5:00 min/km.\n"
    assert pacectl(stage, "course", "partner") == "The partner keeps a pace of 5:00 min/km.\n"
    assert pacectl(stage, "course", "delete", "--now", "last") == "Erased: course 2.\n"
    assert "see 'pacectl course list'" in pacectl(stage, "course", "load", "no such", status=1)
    assert "there is no course 2" in pacectl(stage, "course", "show", "2", status=1)


@pytest.mark.thorough
def test_activity_becomes_a_course_and_a_partner(stage, paced):
    client = Client(paced)
    assert client.upload(data(lines(120)))["id"] == 1
    client.close()
    assert pacectl(stage, "course", "from", "last", "--name", "Home") == "Stored: course 1 'Home'.\n"
    assert paced.call("course.list")[0]["vertices"] >= 40
    assert pacectl(stage, "course", "partner", "1") == "The partner moves as in activity 1.\n"
    client = Client(paced)
    assert client.call("course.partner", activity=9)["code"] == ABSENT
    answer = client.call("course.partner", activity=1, on_course=True)
    assert answer["data"]["message"] == "no course is loaded"
    client.close()
    pacectl(stage, "course", "load", "Home")
    text = pacectl(stage, "course", "partner", "1", "--on-course")
    assert text == "The partner moves as in activity 1, on the course.\n"
    assert pacectl(stage, "course", "partner") == text
    assert paced.call("partner.get") == {"kind": "activity", "name": "activity 1", "on_course": True}
    paced.end()
    assert pacectl(stage, "course", "reverse", "Home") == "Stored: course 2 'Home reversed'.\n"
    stage.paced(*OFF)
    pacectl(stage, "course", "load", "Home reversed")
    text = pacectl(stage, "course", "partner", "1", "--on-course", status=1)
    assert "activity 1 does not follow the course in its direction" in text


@pytest.mark.thorough
def test_course_of_an_activity_has_the_turns_of_its_way(stage, paced):
    rows = [{"row": "begin", "at_ms": 0, "trigger": "command"}]
    for second in range(121):
        # 2.2 m a second to the north, then to the east; a stop at the corner.
        north, east = min(second, 50), max(second - 70, 0)
        rows.append(sample(second, latitude=52.5 + north * 2e-5, longitude=13.4 + east * 3.3e-5, distance_m=2.2 * (north + east)))
    rows.append({"row": "end", "at_ms": 121_000, "trigger": "command"})
    client = Client(paced)
    assert client.upload(data(lines(121, rows)))["id"] == 1
    client.close()
    pacectl(stage, "course", "from", "1")
    shown = json.loads(pacectl(stage, "course", "show", "1", "--json"))
    assert [(point["type"], point["derived"]) for point in shown["points"]] == [("right", True)]
    assert shown["points"][0]["distance_m"] == pytest.approx(111, abs=6)
    assert shown["course"]["length_m"] == pytest.approx(222, abs=6) and shown["course"]["vertices"] < 45
    path = stage.directory / "activity.fit"
    pacectl(stage, "export", "1", "-o", str(path))
    pacectl(stage, "course", "import", str(path))
    assert paced.call("course.list")[0]["points"] == 1


COURSES = pathlib.Path(__file__).parents[1] / "Data/courses"


@pytest.mark.thorough
def test_files_are_imported_and_exported_with_and_without_a_daemon(stage, paced):
    files = sorted(COURSES.glob("*.fit")) + sorted(COURSES.glob("*.gpx"))
    assert len(files) >= 6
    text = pacectl(stage, "course", "import", *map(str, files), "--load")
    assert f"Stored: course {len(files)}" in text and "Loaded: course" in text
    listed = paced.call("course.list")
    assert len(listed) == len(files) and listed[0]["loaded"]
    assert paced.call("course.profile", points=500)["length_m"] == pytest.approx(listed[0]["length_m"], abs=1)
    for one in listed:
        shown = json.loads(pacectl(stage, "course", "show", str(one["id"]), "--json"))
        assert len(shown["climbs"]) == one["climbs"]
    assert any(one["climbs"] for one in listed)
    # The lists of pacectl count by the setting.
    listed_climbs = lambda: [json.loads(line)["climbs"] for line in pacectl(stage, "course", "list", "--json").splitlines()]  # noqa: E731
    before = listed_climbs()
    assert before == [one["climbs"] for one in listed]
    paced.call("settings.set", key="climb_score", value=16_000)
    wait_for(lambda: listed_climbs() != before, 60, "the setting in the journal")
    assert sum(listed_climbs()) < sum(before)
    for one, climbs in zip(listed, listed_climbs()):
        shown = json.loads(pacectl(stage, "course", "show", str(one["id"]), "--json"))
        assert len(shown["climbs"]) == shown["course"]["climbs"] == climbs
    paced.stop()
    # The same file again, without a daemon.
    assert "in the list already" in pacectl(stage, "course", "import", str(files[0]))
    for suffix in ("fit", "gpx", "tcx", "geojson", "kml"):
        file = stage.directory / f"course.{suffix}"
        assert pacectl(stage, "course", "export", "1", "-o", str(file)) == ""
        assert "exists already" in pacectl(stage, "course", "export", "1", "-o", str(file), status=1)
        again = json.loads(pacectl(stage, "course", "import", str(file), "--json"))
        first, other = (json.loads(pacectl(stage, "course", "show", str(number), "--json"))["course"]
                        for number in (1, again["id"]))
        assert other["length_m"] == pytest.approx(first["length_m"], rel=1e-3), suffix
        assert other["points"] == first["points"], suffix


def test_unreadable_file_is_named_and_the_others_are_imported(stage, paced):
    broken = stage.directory / "broken.fit"
    broken.write_bytes((COURSES / "cptr001.fit").read_bytes()[:5000])
    empty = stage.directory / "empty.gpx"
    empty.write_text("<gpx></gpx>")
    good = str(COURSES / "cptr003.gpx")
    words = pacectl(stage, "course", "import", str(broken), str(empty), good, status=1)
    assert "broken.fit" in words and "empty.gpx" in words
    assert [one["name"] for one in paced.call("course.list")] == ["cptr003"]
    assert pacectl(stage, "course", "load", "last", "--json")
    loaded = paced.call("course.profile")
    assert len(loaded["distance_m"]) == 200 and loaded["climbs"]
    client = Client(paced)
    assert client.call("course.profile", points=501)["code"] == WRONG
    client.call("course.unload")
    assert client.call("course.profile")["code"] == UNAVAILABLE
    client.close()


@pytest.mark.thorough
def test_replay_follows_a_course_without_a_daemon(stage):
    """A ride along a course: a fix a second at 8 m/s, of the first 4 km of a real course."""
    course = COURSES / "cptr001.fit"
    pacectl(stage, "course", "import", str(course))
    shown = json.loads(pacectl(stage, "course", "show", "1", "--json"))
    track = stage.directory / "ride.gpx"
    points = ride_along(stage, 4000, 8)
    track.write_text(
        "<gpx creator='test'><trk><type>cycling</type><trkseg>"
        + "".join(f"<trkpt lat='{lat:.7f}' lon='{lon:.7f}'><ele>{ele}</ele>"
                  f"<time>2026-05-01T08:{second // 60:02}:{second % 60:02}Z</time></trkpt>"
                  for second, (lat, lon, ele) in enumerate(points))
        + "</trkseg></trk></gpx>")
    for reference in (str(course), "1", "cptr001"):
        text = pacectl(stage, "replay", str(track), "--course", reference, "--interval-ms", "1000")
        replayed = [json.loads(line) for line in text.splitlines()]
        states = [one["blocks"]["course"] for one in replayed if one["class"] == "STATE" and one["run"] == "active"]
        assert states[-1]["progress_m"] == pytest.approx(4000, rel=0.01)
        assert {one["status"] for one in states[5:]} == {"on"}
        cues = [one for one in replayed if one["class"] == "EVENT" and one["event"] == "cue"]
        passed = [one for one in shown["points"] if 30 < one["distance_m"] < 3980]
        assert len([one for one in cues if one["stage"] == "here"]) >= len(passed) > 0
    assert "course list" in pacectl(stage, "replay", str(track), "--course", "nowhere", status=1)


def ride_along(stage, metres, speed):
    """The places of course 1 at a speed, by its GeoJSON."""
    geometry = json.loads(pacectl(stage, "course", "export", "1", "--format", "geojson"))
    line = next(one["geometry"]["coordinates"] for one in geometry["features"]
                if one["geometry"]["type"] == "LineString")
    places, rest = [], 0.0
    for (lon, lat, *up), (lon2, lat2, *up2) in zip(line, line[1:]):
        length = ((lat2 - lat) ** 2 + ((lon2 - lon) * 0.7946) ** 2) ** 0.5 * 111195
        while rest < length:
            part = rest / length
            places.append((lat + (lat2 - lat) * part, lon + (lon2 - lon) * part, round(up[0], 1)))
            rest += speed
            if len(places) * speed > metres:
                return places
        rest -= length
    return places


def hill(flat, climb, after, grade):
    """The objects of a course northwards, a vertex each 10.008 m: flat, then a climb of a grade in percent, then flat."""
    rows = [{"row": "vertex", "latitude": round(52.5 + 9e-5 * one, 7), "longitude": 13.4,
             "altitude_m": round(30 + grade / 10 * min(max(one - flat, 0), climb), 2)} for one in range(flat + climb + after + 1)]
    points = [{"row": "course-point", "vertex": 3, "type": "slight-left", "name": "Hauptstraße am Fluss"},
              {"row": "course-point", "vertex": flat + climb, "type": "summit"}]
    return [{"format": "paced-course", "version": 1, "name": "Über den Berg", "sport": "ride"}, *rows, *points,
            {"row": "course", "vertices": len(rows), "points": 2}]


class RidingGpsd(FakeGpsd):
    """A receiver that goes north with 20 m/s, five fixes a second, once it is let go."""

    def __init__(self):
        super().__init__()
        self.goes = threading.Event()

    def serve(self, client):
        begun, place = time.monotonic(), 0
        while True:
            milliseconds = round(1000 * (time.monotonic() - begun))
            self.say(client, report(place, milliseconds, speed=20.0 if self.goes.is_set() else 0.0, track=0.0))
            place += 4 if self.goes.is_set() else 0
            time.sleep(0.2)


@pytest.mark.fast_clock
def test_fit_file_of_a_ride_has_its_course_and_laps_at_climbs(stage):
    gpsd = RidingGpsd()
    paced = stage.paced("--gpsd", gpsd.option, "--bluetooth", "off")
    wait_for(lambda: paced.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    assert upload(paced, hill(10, 60, 20, 8)) == {"id": 1}
    paced.call("settings.set", key="climb_laps", value=True)
    reader = stage.reader(paced)
    paced.call("course.load", id=1)
    paced.call("run.start", sport="ride")
    gpsd.goes.set()
    reader.first("EVENT", event="course", change="done", seconds=120)
    stop(paced)

    path = stage.directory / "ride.fit"
    pacectl(stage, "export", "1", "-o", str(path))
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(path))).read()
    assert not errors
    named, = messages["course_mesgs"]
    assert (named["name"], named["sport"]) == ("Über den Berg", "cycling")
    points = [(point["message_index"], point["type"], point.get("name"), point["distance"]) for point in messages["course_point_mesgs"]]
    assert points == [(0, "slight_left", "Hauptstraße am", pytest.approx(30, abs=0.2)),
                      (1, "summit", None, pytest.approx(700.6, abs=1))]
    # Up to the foot, up to the top, and the rest.
    laps = messages["lap_mesgs"]
    assert [lap["lap_trigger"] for lap in laps] == ["distance", "distance", "session_end"]
    # A daemon that the machine stops ends a lap late: 2 m for each late tick.
    late = max(state["ticks"]["late"] for state in reader.of("STATE") if state["run"] == "active")
    assert laps[0]["total_distance"] == pytest.approx(100, abs=45 + 2 * late)
    assert laps[1]["total_distance"] == pytest.approx(600, abs=60 + 2 * late)
    # Hidden positions: points of the course could show them. And a later run that does not follow the course that is still loaded.
    pacectl(stage, "export", "1", "-o", str(path), "--force", "--hide", "100")
    assert "course_mesgs" not in garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(path))).read()[0]
    assert paced.call("course.list")[0]["loaded"]
    paced.call("run.start", sport="run", indoor=True)
    wait_for(lambda: paced.call("status")["elapsed_ms"] >= 1000, 60, "a second of the run")
    stop(paced)
    pacectl(stage, "export", "2", "-o", str(path), "--force")
    assert "course_mesgs" not in garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(path))).read()[0]
