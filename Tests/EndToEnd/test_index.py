"""index.sqlite: the daemon keeps it up to date with the journal, and pacectl needs none."""

import json
import os
import re
import shutil
import sqlite3
import subprocess

import pytest

from harness.process import PACECTL, ROOT
from harness.timing import wait_for
from harness.users import unprivileged
from test_activities import gpx

OFF = ["--gpsd", "off", "--sensors", "off"]


def pacectl(state, *words, program=PACECTL, **options):
    done = subprocess.run(
        [program, "--state-dir", state, "--runtime-dir", state.parent / "run", *words], capture_output=True, text=True,
        timeout=60, env=os.environ | {"TZ": "Europe/Berlin"}, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def asked(state, question):
    """The rows of a query of the index; none while there is no index, or a damaged one."""
    try:
        database = sqlite3.connect(f"file:{state}/index.sqlite?mode=ro", uri=True)
        try:
            return database.execute(question).fetchall()
        finally:
            database.close()
    except sqlite3.DatabaseError:
        return []


def entries(state):
    return dict(asked(state, "SELECT id, sport FROM activity"))


def outputs(state):
    return [pacectl(state, *words) for words in (
        ["bests"], ["bests", "--json"], ["bests", "--sport", "run", "--before", "2026-03-02"], ["badges", "--json"],
        ["activities", "--totals", "month", "--json"])]


def change(path, *statements):
    database = sqlite3.connect(path)
    with database:
        for statement in statements:
            database.execute(statement)
    database.close()


@pytest.fixture
def state(stage):
    """A state directory with three imported activities, and no index: no daemon has run."""
    state = stage.directory / "state"
    for time, sport, metres in [
        ("2026-03-01T07:00:00", "run", 2000), ("2026-03-02T07:00:00", "run", 2500), ("2026-03-05T07:00:00", "ride", 4000)]:
        path = stage.directory / f"{time[:10]}.gpx"
        path.write_text(gpx(time, metres))
        pacectl(state, "import", "--sport", sport, path)
    assert not (state / "index.sqlite").exists()
    return state


@pytest.fixture
def indexed(stage, state):
    """The same with an index, after the daemon has ended."""
    daemon = stage.paced(*OFF)
    wait_for(lambda: len(entries(state)) == 3, 60, "an index")
    daemon.stop()
    return state


def test_index_follows_stops_imports_deletions_and_edits(stage, state):
    daemon = stage.paced(*OFF)
    wait_for(lambda: entries(state) == {1: "run", 2: "run", 3: "ride"}, 60, "an index at the start")
    number = daemon.call("run.start")["activity"]
    wait_for(lambda: daemon.call("status").get("elapsed_ms", 0) >= 2000, 60, "a run")
    assert number not in entries(state)
    daemon.call("run.stop")
    wait_for(lambda: number in entries(state), 60, "an entry of the stopped run")
    (stage.directory / "new.gpx").write_text(gpx("2026-04-01T07:00:00", 3000))
    pacectl(state, "import", "--sport", "run", stage.directory / "new.gpx")
    wait_for(lambda: number + 1 in entries(state), 60, "an entry of the import")
    assert asked(state, f"SELECT round(distance_m / 100) FROM activity WHERE id = {number + 1}") == [(30,)]
    daemon.call("activities.edit", id=2, sport="walk")
    wait_for(lambda: entries(state).get(2) == "walk", 60, "the new sport")
    daemon.call("activities.delete", id=1)
    wait_for(lambda: 1 not in entries(state), 60, "no entry of the deleted one")
    assert asked(state, "SELECT count(*) FROM best WHERE activity = 1") == [(0,)]
    assert (state / "index.sqlite").stat().st_mode & 0o777 == 0o640
    best = {(line["sport"], line["best"]): line["activity"] for line in map(json.loads, pacectl(state, "bests", "--json").splitlines())}
    assert best["run", "1km"] == number + 1 and best["walk", "distance"] == 2


def test_backup_of_the_manual_page_has_every_activity_that_the_daemon_has(stage, state):
    stage.paced(*OFF)
    for day in range(1, 4):
        (stage.directory / f"{day}.gpx").write_text(gpx(f"2026-05-0{day}T07:00:00", 2000))
        pacectl(state, "import", stage.directory / f"{day}.gpx")
    command = re.search(r"^\.Dl (sqlite3 .*)$", (ROOT / "man/paced.8").read_text(), re.M)[1].replace(r"\(dq", '"')
    copy = stage.directory / "usb"
    copy.mkdir()
    subprocess.run(command.replace("/var/lib/paced", str(state)).replace("/media/usb", str(copy)), shell=True, check=True)
    listed = pacectl(state, "activities", "--json")
    assert pacectl(copy, "activities", "--json") == listed and listed.count("2026-05-0") >= 3


def test_output_is_the_same_with_and_without_an_index(stage, state):
    without = outputs(state)
    assert '"best":"1km"' in without[1]
    daemon = stage.paced(*OFF)
    wait_for(lambda: len(entries(state)) == 3, 60, "an index")
    assert outputs(state) == without
    daemon.stop()
    assert outputs(state) == without
    # The bests do come from the index.
    change(state / "index.sqlite", "UPDATE best SET value = 1000 WHERE kind = '1km' AND activity = 2")
    bests = [json.loads(line) for line in pacectl(state, "bests", "--json").splitlines()]
    assert [(one["activity"], one["elapsed_ms"]) for one in bests if one["best"] == "1km"] == [(2, 1000)]
    # An entry that is behind does not count.
    change(state / "journal.sqlite", "UPDATE activity SET moving_ms = moving_ms + 1 WHERE id = 2")
    assert outputs(state) == without
    assert sorted(path.name for path in state.glob("index*")) == ["index.sqlite"]


def test_index_that_was_deleted_is_built_again(stage, indexed):
    (indexed / "index.sqlite").unlink()
    stage.paced(*OFF)
    wait_for(lambda: len(entries(indexed)) == 3, 60, "an index")


@pytest.mark.parametrize("damage", [b"", b"no database", os.urandom(20_000)], ids=["empty", "text", "noise"])
def test_damaged_index_is_built_again_and_logged_once(stage, indexed, damage):
    without = outputs(indexed)
    (indexed / "index.sqlite").write_bytes(damage)
    assert outputs(indexed) == without
    daemon = stage.paced(*OFF)
    wait_for(lambda: len(entries(indexed)) == 3, 60, "an index")
    assert outputs(indexed) == without
    daemon.call("activities.edit", id=1, sport="hike")
    wait_for(lambda: entries(indexed).get(1) == "hike", 60, "another update")
    assert daemon.log_text().count("it is built again") == 1


def test_index_of_another_version_is_built_again(stage, indexed):
    change(indexed / "index.sqlite", "UPDATE best SET value = 1", "PRAGMA user_version = 0")
    assert '"elapsed_ms":1,' not in pacectl(indexed, "bests", "--json")
    daemon = stage.paced(*OFF)
    wait_for(lambda: asked(indexed, "PRAGMA user_version") == [(4,)] and len(entries(indexed)) == 3, 60, "an index")
    assert asked(indexed, "SELECT count(*) FROM best WHERE value = 1") == [(0,)]
    said = "index.sqlite has another version: it is built again"
    wait_for(lambda: said in daemon.log_text(), 60, "a line of the log")
    assert daemon.log_text().count(said) == 1


def test_index_is_read_in_a_directory_that_cannot_be_written(indexed):
    without = outputs(indexed)
    change(indexed / "index.sqlite", "UPDATE best SET value = 1000 WHERE kind = '1km' AND activity = 2")
    copy = shutil.copytree(indexed, indexed.parent / "copy")
    indexed.parent.chmod(0o755)
    for path in copy.iterdir():
        path.chmod(0o555 if path.is_dir() else 0o444)
    copy.chmod(0o555)
    program, options = unprivileged(PACECTL)
    found = pacectl(copy, "bests", "--json", program=program, **options)
    copy.chmod(0o755)
    assert found != without[1] and '"elapsed_ms":1000,' in found


def test_something_else_in_the_place_of_the_index_is_reported_once(stage, state):
    (state / "index.sqlite").mkdir()
    without = outputs(state)
    daemon = stage.paced(*OFF)
    wait_for(lambda: "cannot write the index of the activities" in daemon.log_text(), 60, "a line")
    daemon.call("activities.edit", id=1, sport="hike")
    assert "hike" in pacectl(state, "activities") and outputs(state) != without
    (state / "index.sqlite").rmdir()
    daemon.call("activities.edit", id=1, sport="run")
    wait_for(lambda: entries(state).get(1) == "run", 60, "an index")
    assert daemon.log_text().count("cannot write the index of the activities") == 1
