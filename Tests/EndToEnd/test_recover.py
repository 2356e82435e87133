"""A damaged journal: what a start copies at once, what is recovered later, and the effect of a kill meanwhile."""

import json
import math
import random
import signal
import sqlite3
import subprocess

import pytest

from harness.process import PACECTL
from harness.timing import GUARD, wait_for

OFF = ["--gpsd", "off", "--sensors", "off"]


def pacectl(stage, *words, status=0):
    done = subprocess.run(
        [PACECTL, "--state-dir", stage.directory / "state", "--runtime-dir", stage.directory / "run", *words],
        capture_output=True, text=True, timeout=GUARD)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def track(path, points, day):
    """A GPX file of a run, a point each second."""
    with open(path, "w") as file:
        file.write('<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\n')
        for second in range(points):
            clock = f"2026-03-{day:02}T{8 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
            latitude, longitude = 52.5 + second * 2.5e-5, 13.4 + math.sin(second / 50) / 1000
            file.write(f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><time>{clock}</time></trkpt>\n')
        file.write("</trkseg></trk></gpx>\n")
    return path


def journal(stage):
    return sqlite3.connect(f"file:{stage.directory}/state/journal.sqlite?mode=ro", uri=True)


def ask(stage, question):
    database = journal(stage)
    try:
        return database.execute(question).fetchall()
    finally:
        database.close()


def damage(stage, table):
    """Overwrites a page in the middle of a table, while no process has the journal open."""
    path = stage.directory / "state" / "journal.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = [page for page, in database.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", (table,))]
    size, = database.execute("PRAGMA page_size").fetchone()
    database.close()
    data = bytearray(path.read_bytes())
    start = (pages[len(pages) // 2] - 1) * size
    data[start:start + size] = b"\x55" * size
    path.write_bytes(data)


def is_recovered(stage):
    return ask(stage, "SELECT 1 FROM recovery WHERE activity = 0 AND state = 'copied'")


@pytest.fixture
def check(schema):
    def check(value):
        wrong = [error.message for error in schema.iter_errors({"jsonrpc": "2.0", "id": 1, "result": value})]
        assert not wrong, wrong
        return value
    return check


def in_order_of_numbers(daemon):
    """The summaries, highest number first."""
    return sorted(daemon.call("activities.list"), key=lambda activity: -activity["id"])


def test_damaged_page_does_not_empty_the_list(stage, check):
    pacectl(stage, "import", *[track(stage.directory / f"{day}.gpx", 900, day) for day in (1, 2, 3)])
    daemon = stage.paced(*OFF)
    daemon.call("settings.set", key="metric", value=True)
    daemon.call("run.start", sport="walk")
    wait_for(lambda: daemon.call("status")["elapsed_ms"] >= 2000, 60, "two seconds of a run")
    # An undated run follows no import: in the order of numbers.
    before = in_order_of_numbers(daemon)
    daemon.end(signal.SIGKILL)
    damage(stage, "record")
    daemon = stage.paced(*OFF)
    # The open run is resumed at once, with its number and its settings.
    status = daemon.call("status")
    assert (status["run"], status["activity"], status["sport"]) == ("active", 4, "walk")
    assert daemon.call("settings.get", key="metric") is True
    assert in_order_of_numbers(daemon)[0]["id"] == 4
    wait_for(lambda: is_recovered(stage), 60, "the other activities")
    after = check(in_order_of_numbers(daemon))
    assert [activity["id"] for activity in after] == [4, 3, 2, 1]
    same = ("sport", "started", "distance_m", "total_ms", "elapsed_ms", "laps")
    for one, other in zip(before[1:], after[1:]):
        assert [one.get(key) for key in same] == [other.get(key) for key in same]
    lost = [activity["recovered"].get("lost_rows", 0) for activity in after]
    assert sum(lost) > 0 and lost.count(0) >= 2
    for id in (1, 2, 3):
        pacectl(stage, "export", str(id), "--format", "fit", "-o", stage.directory / f"{id}.fit")
    assert daemon.call("run.stop")["id"] == 4 and daemon.call("run.start")["activity"] == 5
    log = daemon.log.read_text()
    assert "is damaged" in log and "copied at once: 1 settings, open activity 4" in log
    assert "rows of it cannot be read" in log and "recovery is complete: 4 activities are copied" in log
    assert f"recovered, {max(lost)} rows lost" in pacectl(stage, "activities")
    assert f"recovered, {max(lost)} rows lost" in pacectl(stage, "show", str(after[lost.index(max(lost))]["id"]))


@pytest.mark.thorough
def test_kills_during_a_recovery_repeat_and_lose_nothing(stage):
    chance = random.Random("recovery")
    pacectl(stage, "import", *[track(stage.directory / f"{day}.gpx", 9000, day) for day in (1, 2, 3)])
    before = ask(stage, "SELECT id, started_ms, total_ms, distance_m FROM activity ORDER BY id")
    rows = ask(stage, "SELECT key, at_ms, kind, latitude, longitude FROM record ORDER BY key")
    damage(stage, "record")
    for kill in range(8):
        daemon = stage.paced(*OFF)
        daemon.call("status")
        copied = ask(stage, "SELECT count(*) FROM record")[0][0]
        wanted = copied + chance.randrange(1, 4000)
        wait_for(lambda: ask(stage, "SELECT count(*) FROM record")[0][0] >= wanted or is_recovered(stage), 60, "a step")
        daemon.end(signal.SIGKILL)
        # An activity is listed when it is copied completely, and not before.
        for id, count in ask(stage, "SELECT id, (SELECT count(*) FROM record WHERE key >> 32 = id) FROM activity"):
            assert count > 8900, (kill, id, count)
    stage.paced(*OFF).call("status")
    wait_for(lambda: is_recovered(stage), 60, "all activities")
    assert ask(stage, "SELECT id, started_ms, total_ms, distance_m FROM activity ORDER BY id") == before
    kept = ask(stage, "SELECT key, at_ms, kind, latitude, longitude FROM record ORDER BY key")
    assert set(kept) < set(rows) and 0 < len(rows) - len(kept) < 40
    assert ask(stage, "PRAGMA quick_check") == [("ok",)]
    states = ask(stage, "SELECT activity, state, target FROM recovery ORDER BY activity")
    assert states == [(0, "copied", None)] + [(id, "copied", id) for id in (1, 2, 3)]


def test_pacectl_recovers_a_file_or_requests_it_of_the_daemon(stage):
    state = stage.directory / "state"
    pacectl(stage, "import", track(stage.directory / "a.gpx", 300, 1))
    damage(stage, "record")
    copy = stage.directory / "copy.sqlite"
    (state / "journal.sqlite").rename(copy)
    for ending in ("-wal", "-shm"):
        (state / f"journal.sqlite{ending}").unlink(missing_ok=True)
    # Without a daemon, from any directory.
    said = pacectl(stage, "recover", copy)
    assert "activity 1 is recovered" in said and "recovery is complete: 1 activities are copied" in said
    assert json.loads(pacectl(stage, "--json", "activities"))["recovered"]["lost_rows"] > 0
    assert not (state / "state.lock").exists()
    assert "recovery is complete: 1 activities are copied" in pacectl(stage, "recover", copy)
    assert len(pacectl(stage, "--json", "activities").splitlines()) == 1
    # With a daemon, from its own directory only.
    daemon = stage.paced(*OFF)
    assert "recovers only files in" in pacectl(stage, "recover", copy, status=1)
    copy.rename(state / "old.sqlite")
    assert "paced recovers old.sqlite in the background" in pacectl(stage, "recover", state / "old.sqlite")
    wait_for(lambda: "old.sqlite: activity 1 is not copied: the journal has it as activity 1" in daemon.log.read_text(), 60, "its end")
    assert [activity["id"] for activity in daemon.call("activities.list")] == [1]
    # Rejected files.
    for name, code in (("../old.sqlite", -32004), ("journal.sqlite", -32004), ("nothing.sqlite", -32003), ("", -32004)):
        assert daemon.call("activities.recover", file=name)["code"] == code, name
    assert daemon.call("activities.recover")["code"] == -32602
    (state / "text.sqlite").write_text("no database\n" * 1000)
    assert daemon.call("activities.recover", file="text.sqlite") is None
    wait_for(
        lambda: "text.sqlite: recovery is complete: 0 activities are copied" in daemon.log.read_text(), 60, "its end")
    assert "is the journal itself" in pacectl(stage, "recover", state / "journal.sqlite", status=1)
    assert "cannot read" in pacectl(stage, "recover", state / "missing", status=1)


@pytest.mark.thorough
def test_wal_without_its_journal_is_set_aside_and_recovered(stage):
    state = stage.directory / "state"
    daemon = stage.paced(*OFF)
    daemon.call("status")
    # While a reader uses the old content, the log is not restarted.
    reader = journal(stage)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM activity").fetchall()
    daemon.call("run.start")
    wait_for(lambda: daemon.call("status")["elapsed_ms"] >= 3000, 60, "a run")
    daemon.call("run.stop")
    wait_for(lambda: ask(stage, "SELECT 1 FROM activity WHERE NOT open"), 60, "its end in the journal")
    daemon.end(signal.SIGKILL)
    reader.close()
    log = (state / "journal.sqlite-wal").read_bytes()
    assert len(log) > 10_000
    (state / "journal.sqlite").unlink()
    daemon = stage.paced(*OFF)
    daemon.call("status")
    assert f"its file is missing, but its write-ahead log has {len(log)} bytes" in daemon.log.read_text()
    copy, = state.glob("journal-*.damaged.sqlite-wal")
    assert copy.read_bytes() == log
    wait_for(lambda: is_recovered(stage), 60, "the run")
    summary, = daemon.call("activities.list")
    assert summary["elapsed_ms"] >= 3000 and "recovered" in summary
