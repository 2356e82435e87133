"""Courses: stored, loaded, followed and kept over restarts."""

import json
import signal
import sqlite3
import subprocess

import pytest

from harness.process import PACECTL
from harness.timing import wait_for
from harness.uploads import Client, data, lines

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
    assert client.call("course.delete", id=1)["code"] == UNAVAILABLE
    assert client.call("course.load", id=9)["code"] == ABSENT
    client.close()
    assert paced.call("course.rename", id=1, name="Home")["name"] == "Home"
    paced.call("course.unload")
    paced.call("course.delete", id=1)
    assert [one["id"] for one in paced.call("course.list")] == [2]


@pytest.mark.parametrize("change, words", [
    (lambda rows: rows[5].update(latitude=91), "line 6: latitude must be a number of -90.0 to 90.0"),
    (lambda rows: rows[7].pop("longitude"), "line 8: latitude or longitude is missing"),
    (lambda rows: rows[-2].update(vertex=100), "line 102: vertex must be an integer of 0 to 99"),
    (lambda rows: rows.pop(), "line 103: the row course is missing: the data is cut"),
    (lambda rows: rows.pop(4), "line 102: vertices and points must be the numbers of the rows: the data is cut"),
    (lambda rows: rows[0].update(version=2), "line 1: the format must be paced-course, version 1"),
])
def test_invalid_course_changes_nothing(paced, change, words):
    rows = course()
    change(rows)
    answer = upload(paced, rows)
    assert answer["code"] == WRONG and answer["data"]["message"] == words
    assert paced.call("course.list") == []


def test_course_and_partner_survive_a_kill_in_a_run(stage, paced):
    upload(paced, course())
    paced.call("course.load", id=1)
    paced.call("course.partner", pace_s_per_m=0.3)
    paced.call("run.start")
    wait_for(lambda: paced.call("status")["elapsed_ms"] >= 2000, 30, "two seconds of the run")
    paced.process.send_signal(signal.SIGKILL)
    paced.process.wait()
    paced = stage.paced(*OFF)
    status = paced.call("status")
    assert status["run"] == "active"
    assert [one.get("loaded", False) for one in paced.call("course.list")] == [True]
    paced.call("course.unload")
    paced.call("course.delete", id=1)
    summary = paced.call("run.stop")
    named, courses = kinds(stage, 1)
    assert [kind for kind, _ in named] == ["course"] and courses == 1
    paced.end()
    lines = pacectl(stage, "replay", "1", "--interval-ms", "60000").splitlines()
    assert next(line for line in map(json.loads, lines) if line.get("event") == "stop")["summary"] == summary
    paced = stage.paced(*OFF)
    wait_for(lambda: paced.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    paced.call("activities.delete", id=1)
    wait_for(lambda: kinds(stage, 1) == ([], 0), 30, "the course is erased with its last activity")


def test_loaded_course_survives_a_restart(stage, paced):
    upload(paced, course())
    paced.call("course.load", id=1)
    paced.end()
    paced = stage.paced(*OFF)
    wait_for(lambda: paced.call("course.list")[0].get("loaded"), 30, "the course is loaded again")


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
    pacectl(stage, "course", "unload")
    assert pacectl(stage, "course", "rename", "2", "Back", "home", "--metric").startswith("Renamed: course 2, Back home")
    assert pacectl(stage, "course", "partner", "5:00/km") == "The partner keeps the pace.\n"
    assert pacectl(stage, "course", "delete", "last") == "Deleted: course 2.\n"
    assert "see 'pacectl course list'" in pacectl(stage, "course", "load", "no such", status=1)
    assert "there is no course 2" in pacectl(stage, "course", "show", "2", status=1)


def test_activity_becomes_a_course_and_a_partner(stage, paced):
    client = Client(paced)
    assert client.upload(data(lines(120)))["id"] == 1
    client.close()
    assert pacectl(stage, "course", "from", "last", "--name", "Home") == "Stored: course 1 'Home'.\n"
    assert paced.call("course.list")[0]["vertices"] >= 40
    assert pacectl(stage, "course", "partner", "1") == "The partner moves as in activity 1.\n"
    client = Client(paced)
    assert client.call("course.partner", activity=9)["code"] == ABSENT
    client.close()
    paced.end()
    assert pacectl(stage, "course", "reverse", "Home") == "Stored: course 2 'Home reversed'.\n"
